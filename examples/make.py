"""Makes the example data, the same bytes each time: `python examples/make.py`. Needs python-crfsuite."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

SETS = ("news", "chat", "sentiment", "topics", "translation", "questions")


def main() -> None:
    """Writes the folders asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent, help="the folder to write to (default: this one)"
    )
    parser.add_argument(
        "--only", default=",".join(SETS), help=f"data sets, with commas between (default: {','.join(SETS)})"
    )
    options = parser.parse_args()
    asked = options.only.split(",")
    for unknown in (name for name in asked if name not in SETS):
        parser.error(f"there is no data set {unknown!r}; there are {', '.join(SETS)}")
    for name in asked:
        print(f"making {name}", flush=True)
        importlib.import_module(f"making.{name}").make(options.output)


if __name__ == "__main__":
    main()
