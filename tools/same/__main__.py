"""Run BASE and the working tree on the same cases, and list the files in which they differ.

Exit code 0: identical; 1: something differs; 2: they could not be compared.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from same.cases import cases, selected
from same.compare import compare
from same.data_sets import PUBLIC, examples, public
from same.processes import RunError, Side, lacks_for_spark, run
from same.summary import LISTED, listed, summary
from same.versions import RevisionError, checked_out, copied, described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from same.cases import Case


def main() -> int:
    """Run what the options say; an interrupt leaves nothing behind."""
    options = _options()
    every = cases([*examples(), *public(options.public)], spark=options.spark, quick=options.quick)
    chosen = selected(every, options.only) if options.only else every
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        if not chosen:
            raise RunError(f"no case has {' or '.join(options.only)} in its name")
        if options.spark and (lacks := lacks_for_spark()):
            raise RunError(f"--spark needs {lacks}")
        return _compared(chosen, options)
    except (RevisionError, RunError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="make same", description=__doc__)
    options.add_argument("--base", default="HEAD", metavar="REV", help="what the working tree is compared with; HEAD")
    options.add_argument("--quick", action="store_true", help="three data sets, in memory and in three parts")
    options.add_argument("--spark", action="store_true", help="on Spark as well, local[2]; needs Java")
    options.add_argument("--only", nargs="+", default=[], metavar="PATTERN", help="cases with one of these in the name")
    options.add_argument("--in-turn", action="store_true", help="one version after the other: one process at a time")
    options.add_argument("--all", action="store_true", help=f"list all files that differ, not only {LISTED}")
    options.add_argument(
        "--output", type=Path, metavar="FOLDER", help="a new folder in which all that was written stays"
    )
    options.add_argument(
        "--public", type=Path, default=PUBLIC, metavar="FOLDER", help="the public data; ../shared/data"
    )
    given = options.parse_args()
    if given.output and given.output.exists():
        options.error(f"{given.output} is there already; name a new folder")
    return given


def _compared(chosen: Sequence[Case], options: argparse.Namespace) -> int:
    """Run both versions, print how they differ, and return the exit code."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="same-")))
        output = (options.output or scratch / "output").resolve()
        before = Side("before", stack.enter_context(checked_out(options.base, scratch / "base")), output / "before", 1)
        base = described(options.base)
        print(f"before: {base}; after: the working tree; {len(chosen)} cases", file=sys.stderr)
        after = Side("after", copied(scratch / "working"), output / "after", 2)
        file = scratch / "cases.json"
        file.write_text(json.dumps([asdict(case) for case in chosen]), encoding="utf-8")
        run([before, after], file, in_turn=options.in_turn)
        comparison = compare(before.folder, after.folder)
        lines = listed(comparison, None if options.all else LISTED)
        print("\n".join([*lines, *summary(comparison, chosen, after.folder, base)]))
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
