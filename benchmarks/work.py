"""What is done in the measured processes: `python work.py FILE.FUNCTION ARGUMENT…`, of the folder `jobs`."""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    file, _, function = sys.argv[1].partition(".")
    getattr(import_module(f"jobs.{file}"), function)(*sys.argv[2:])


if __name__ == "__main__":
    main()
