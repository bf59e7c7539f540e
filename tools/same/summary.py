"""What is printed of a comparison: the files that differ, and one line that counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from same.cases import Case
    from same.compare import Comparison

LISTED = 40
"""Files that are listed, unless all are asked for."""


def listed(comparison: Comparison, most: int | None) -> list[str]:
    """Return the files that differ with their first differences, and how many more there are."""
    differences = comparison.differences[:most]
    lines = [line for one in differences for line in (one.file, *(f"    {line}" for line in one.lines))]
    more = len(comparison.differences) - len(differences)
    return [*lines, f"and {more:,} more (--all)"] if more else lines


def summary(comparison: Comparison, cases: Sequence[Case], folder: Path, base: str) -> list[str]:
    """Return a line on the cases that end with an error, which compare little, and one that counts."""
    failed = [case.name for case in cases if (folder / case.name / "exit-code").read_text("utf-8") != "0\n"]
    lines = [f"{len(failed)} cases end with an error: {', '.join(failed)}"] if failed else []
    compared = f"{len(cases):,} cases, {comparison.files:,} files"
    if not comparison.differences:
        return [*lines, f"identical to {base}: {compared}"]
    where = {one.file.partition("/")[0] for one in comparison.differences}
    return [
        *lines,
        f"not identical to {base}: {len(comparison.differences):,} files of {len(where):,} cases differ; {compared}",
    ]
