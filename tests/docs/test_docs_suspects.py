"""What the page says of suspects among the slips that are known is so."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest
from support.docs_text import read
from support.places import EXAMPLES

import slicewise
from slicewise.config import datasets, read_settings

if TYPE_CHECKING:
    from slicewise.results.mentions import Mention


@pytest.mark.parametrize(
    ("name", "slips", "suspects", "found", "of_ten"), [("news", 49, 137, 46, 9), ("chat", 32, 206, 29, 8)]
)
def test_suspect_gold_finds_the_slips_that_are_known(
    name: str, slips: int, suspects: int, found: int, of_ten: int
) -> None:
    config = EXAMPLES / "slicewise.toml"
    one = next(d for d in datasets(read_settings(config), config) if d["name"] == name)
    listed = slicewise.difficulty(slicewise.load(**one), resamples=0).suspects
    with (EXAMPLES / name / "test.slips.tsv").open(encoding="utf-8") as file:
        known = list(csv.DictReader(file, delimiter="\t"))
    assert (len(known), len(listed)) == (slips, suspects)
    right = [{i for i, slip in enumerate(known) if same_place(slip, suspect.mention)} for suspect in listed]
    assert len(set().union(*right)) == found
    assert sum(bool(hit) for hit in right[:10]) == of_ten
    text = " ".join(read("difficulty.md").split())
    assert re.search(rf"\b{found} of (the )?{slips}\b.* {suspects}\b.*\b{of_ten} of the first 10", text)


def same_place(slip: dict[str, str], mention: Mention) -> bool:
    """Whether a suspect overlaps what was right, or what an annotator wrote instead."""
    if int(slip["sentence"]) != mention.item or mention.start is None or mention.end is None:
        return False
    places = [(slip[f"{side}start"], slip[f"{side}end"]) for side in ("", "gold_")]
    return any(int(a) < mention.end and mention.start < int(b) for a, b in places if a)
