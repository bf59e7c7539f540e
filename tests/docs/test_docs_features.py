"""What the documentation shows of features and items is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SENTIMENT = ROOT / "examples" / "sentiment"


def run(command: str, *options: str) -> str:
    data = ["--input", f"{SENTIMENT / 'test.tsv'}:1", "--gold", f"{SENTIMENT / 'test.tsv'}:2"]
    data += ["--system", f"bayes={SENTIMENT / 'systems' / 'bayes.txt'}"]
    called = [sys.executable, "-m", "slicewise", command, *data, *options]
    return subprocess.run(called, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("page", ["README.md", "docs/features.md"])
def test_the_features_shown_are_real(page: str) -> None:
    shown = re.findall(r"```\n(bayes: worst.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(shown) == 1
    assert shown[0] in run("features", "--bigrams", "--top", "5")


def test_the_items_shown_are_real() -> None:
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    shown = re.findall(r"```\n(90 items with.*?)```", page, re.DOTALL)
    assert len(shown) == 1
    assert shown[0] in run("items", "--feature", "in:though", "--worst", "--top", "2")
