"""Systems with a comma in their names, where an option puts commas between names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.commands import Run, Write, refused

if TYPE_CHECKING:
    from pathlib import Path


DATA = ("--gold", "g.conll", "-s", "p,q=g.conll", "-s", "r=g.conll", "-s", "t=g.conll")


@pytest.fixture
def gold(write: Write, tmp_path: Path) -> Path:
    write("g.conll", "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("buckets", ("--compare", "p,q,r")),
        ("complement", ("--compare", "r,p,q")),
        ("difficulty", ("--compare", "p,q,r")),
        ("study", ("--compare", "p,q,r")),
        ("features", ("--worsening", "p,q,r")),
        ("features", ("--improving", "p,q,r")),
        ("features", ("--only", "p,q")),
        ("items", ("--diff", "p,q,r")),
        ("complement", ("--ensemble", "union:r,p,q", "--write-ensemble", "e.conll")),
    ],
)
def test_a_name_that_has_a_comma_itself(command: str, given: tuple[str, ...], gold: Path, run: Run) -> None:
    refused(run(command, *DATA, *given), given[0], "comma", "rename it with --system NAME=FILE")
    assert [path.name for path in gold.iterdir()] == ["g.conll"]


def test_other_names_beside_it(gold: Path, run: Run) -> None:
    two = ("--compare", "r,t", "--ensemble", "union:r,t", "--write-ensemble", "e.conll")
    ran = run("complement", *DATA, "--resamples", "0", *two)
    assert ran.code == 0, ran.err
    assert "union of r, t" in ran.err


def test_attributes_are_no_systems(gold: Path, run: Run) -> None:
    ran = run("buckets", *DATA, "--cross", "eLen,sLen,label")
    refused(ran, "write --cross A,B")
    assert "--system" not in ran.err
