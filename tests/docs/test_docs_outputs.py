"""What the pages show of the commands is what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from support.docs_text import make_text, read
from support.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SHOWN: dict[str, list[tuple[str, str]]] = defaultdict(list)
for page in make_text.pages():
    for command, shown in make_text.examples(page.read_text(encoding="utf-8")):
        SHOWN[command].append((page.name, shown))


@pytest.mark.parametrize("command", sorted(SHOWN), ids=lambda command: " ".join(command.split()[1:4]))
def test_output_is_real(command: str, tmp_path: Path) -> None:
    make_text.link_files(tmp_path)
    output = make_text.printed(command, tmp_path)
    parts = [(page, part) for page, shown in SHOWN[command] for part in make_text.parts(shown)]
    assert [one for one in parts if f"{one[1]}\n" not in output] == []


def test_many_outputs_are_shown() -> None:
    commands = {command.split()[1] for command in SHOWN}
    assert {page.stem for page in (ROOT / "docs" / "commands").glob("*.md")} <= commands


def test_output_that_has_changed_is_found_again() -> None:
    output = "• crf loses 0.30 F1\non some (q 0.01).\n• hmm wins.\n\nScores\nname  f1\n─────\ncrf  0.5\nhmm  0.4\n"
    shown = "• crf loses 0.29 F1 on some\n(q 0.02).\n\nScores\nname  f1\n─────\ncrf  0.6\n…"
    now = make_text.renewed(shown, output)
    assert now == "• crf loses 0.30 F1\non some (q 0.01).\n\nScores\nname  f1\n─────\ncrf  0.5\n…"
    assert [part for part in make_text.parts(now) if f"{part}\n" not in output] == []


def test_the_attributes_of_your_own_are_real(tmp_path: Path) -> None:
    make_text.link_files(tmp_path)
    page = read("buckets.md")
    (tmp_path / "mine.py").write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    [(command, shown)] = [(one[1], one[2]) for one in make_text.EXAMPLE.finditer(page) if "mine.py" in one[1]]
    output = make_text.printed(command, tmp_path)
    assert [part for part in make_text.parts(shown.strip()) if f"{part}\n" not in output] == []


def test_the_metrics_of_your_own_are_real(tmp_path: Path) -> None:
    section = read("scores.md").partition("## Your own metric")[2]
    parts = (r"```python\n(.*?)```", r"```sh\n(.*?)```", r"```\n(system .*?)```")
    code, commands, shown = (re.findall(part, section, re.DOTALL)[0] for part in parts)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    script = commands.replace("slicewise score", f"'{sys.executable}' -m slicewise score")
    ran = subprocess.run(["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown in ran.stdout
