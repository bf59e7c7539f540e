"""The picture of why gaps are shrunk shows what the page says, and is drawn the same every time."""

from __future__ import annotations

import re

from support.docs_text import read, script

make_shrinkage = script("make_shrinkage")


def test_the_picture_is_the_one_that_the_script_draws() -> None:
    drawn = make_shrinkage.figure()
    gaps = {(row["units"], row["line"]): row["gap"] for row in drawn.rows}
    for units in make_shrinkage.UNITS:
        measured, shrunk, true = (gaps[units, line] for line in make_shrinkage.LINES)
        assert true < shrunk < measured
    said = re.search(
        r"Of 600 units, the widest gap is ([\d.]+) as measured, ([\d.]+) shrunk, and truly\s+([\d.]+)\.",
        read("buckets.md"),
    )
    assert said is not None
    assert list(said.groups()) == [f"{gaps[600, line]:.3f}" for line in make_shrinkage.LINES]
    stored, now = make_shrinkage.PICTURE.read_text(encoding="utf-8"), drawn.rendered("svg").decode()
    assert len(points(now)) >= len(drawn.rows)
    assert points(stored) == points(now)  # fonts, and so distances, may differ


def points(picture: str) -> list[str]:
    """Return what a picture says of its points to those who do not see it."""
    return re.findall(r'aria-label="(units: [^"]*)"', picture)
