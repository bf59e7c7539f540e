"""The documentation names every command, option and metric, and what it shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from slicewise import attributes
from slicewise.annotations import Task
from slicewise.cli import app
from slicewise.metrics import catalogue

ROOT = Path(__file__).parents[2]
CHAT = ROOT / "examples" / "chat"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_and_option_is_documented(command: str) -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"slicewise {command}" in text
    options = [name for parameter in COMMANDS[command].params for name in parameter.opts]
    assert [name for name in options if not re.search(rf"`[^`]*{re.escape(name)}(?![\w-])", text)] == []


def test_every_metric_is_documented() -> None:
    text = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
    names = {re.sub(r"^(macro|weighted)-", "", name) for task in Task for name in catalogue(task)}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def test_every_attribute_is_documented() -> None:
    text = (ROOT / "docs" / "buckets.md").read_text(encoding="utf-8")
    named = {name for row in re.findall(r"^\|([^|]*)\|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert [name for name in attributes.catalogue() if name not in named] == []


def test_every_public_name_is_documented() -> None:
    import slicewise

    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert [name for name in slicewise.__all__ if name not in text and name != "__version__"] == []
    for name in slicewise.__all__:
        assert getattr(slicewise, name) is not None


def test_the_result_in_the_readme_is_real() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```\n(test · .*?)```", readme, re.DOTALL)[0]
    command = [sys.executable, "-m", "slicewise", "score", "--gold", str(CHAT / "test.conll")]
    command += ["--system", f"crf={CHAT / 'systems' / 'crf.1.conll'}"]
    command += ["--system", f"crf-char={CHAT / 'systems' / 'crf-char.1.conll'}"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(shown)


def run_buckets(*systems: str, more: tuple[str, ...] = ()) -> str:
    command = [sys.executable, "-m", "slicewise", "buckets"]
    command += ["--gold", str(CHAT / "test.conll"), "--train", str(CHAT / "train.conll")]
    for system in systems:
        command += ["--system", f"{system}={CHAT / 'systems' / f'{system}.1.conll'}"]
    return subprocess.run([*command, *more], capture_output=True, text=True, check=True).stdout


def not_printed(shown: str, printed: str) -> list[str]:
    """Return the findings and tables of a page that the command does not print."""
    return [part for part in re.split(r"\n\n|\n(?=• )", shown.strip()) if f"{part}\n" not in printed]


@pytest.mark.parametrize(("page", "more"), [("README.md", ()), ("docs/buckets.md", ("--attribute", "eCon,eLen"))])
def test_the_buckets_shown_are_real(page: str, more: tuple[str, ...]) -> None:
    blocks = re.findall(r"```\n(• .*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    shown = [block for block in blocks if "F1 on entities" in block]
    assert len(shown) == 1
    assert not_printed(shown[0], run_buckets("crf", "crf-char", more=more)) == []


def test_the_attributes_of_your_own_are_real(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "buckets.md").read_text(encoding="utf-8")
    file = tmp_path / "mine.py"
    file.write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    shown = re.findall(r"```\n(trainLabels: .*?)```", page, re.DOTALL)[0]
    asked = ("--attribute", f"{file}:trainLabels", "--attribute", f"{file}:question", "--cuts", "trainLabels=0,1")
    assert not_printed(shown, run_buckets("crf", more=asked)) == []


def test_local_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "examples" / "README.md"]:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists() or link.startswith("http"), f"{page.name}: {link}"
