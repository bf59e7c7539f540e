"""What the pages show of systems against each other is what happens."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import slicewise
from slicewise.config import datasets, read_settings

if TYPE_CHECKING:
    from slicewise.results.mentions import Mention

ROOT = Path(__file__).parents[2]
CHAT = ROOT / "examples" / "chat"
SYSTEMS = {"hmm": "hmm", "crf": "crf.1", "crf-char": "crf-char.1", "perceptron": "perceptron"}


@cache
def printed(command: str) -> str:
    words = [sys.executable, "-m", "slicewise", command, "--gold", str(CHAT / "test.conll")]
    words += ["--train", str(CHAT / "train.conll")]
    for name, file in SYSTEMS.items():
        words += ["--system", f"{name}={CHAT / 'systems' / f'{file}.conll'}"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("page", ["README.md", "docs/systems.md"])
def test_what_is_shown_is_real(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    outputs = printed("complement") + printed("difficulty")
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    shown = [block for block in blocks if "votes of the 4 systems" in block or "1,447 gold units, 519" in block]
    shown += [block for block in blocks if block.startswith(("Suspect gold", "Strings that"))]
    assert len(shown) == (2 if page == "README.md" else 4)
    for block in shown:
        assert [line for line in block.strip().split("\n") if f"{line}\n" not in outputs] == []


@pytest.mark.parametrize(
    ("name", "slips", "suspects", "found", "of_ten"), [("news", 49, 137, 46, 9), ("chat", 32, 206, 29, 8)]
)
def test_suspect_gold_finds_the_slips_that_are_known(
    name: str, slips: int, suspects: int, found: int, of_ten: int
) -> None:
    config = ROOT / "examples" / "slicewise.toml"
    one = next(d for d in datasets(read_settings(config), config) if d["name"] == name)
    listed = slicewise.difficulty(slicewise.load(**one), resamples=0).suspects
    with (ROOT / "examples" / name / "test.slips.tsv").open(encoding="utf-8") as file:
        known = list(csv.DictReader(file, delimiter="\t"))
    assert (len(known), len(listed)) == (slips, suspects)
    right = [{i for i, slip in enumerate(known) if same_place(slip, suspect.mention)} for suspect in listed]
    assert len(set().union(*right)) == found
    assert sum(bool(hit) for hit in right[:10]) == of_ten
    text = " ".join((ROOT / "docs" / "systems.md").read_text(encoding="utf-8").split())
    assert re.search(rf"\b{found} of (the )?{slips}\b.* {suspects}\b.*\b{of_ten} of the first 10", text)


def same_place(slip: dict[str, str], mention: Mention) -> bool:
    """Whether a suspect overlaps what was right, or what an annotator wrote instead."""
    if int(slip["sentence"]) != mention.item or mention.start is None or mention.end is None:
        return False
    places = [(slip[f"{side}start"], slip[f"{side}end"]) for side in ("", "gold_")]
    return any(int(a) < mention.end and mention.start < int(b) for a, b in places if a)
