"""The documentation names every command, option and metric, and what it shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from slicewise.annotations import Task
from slicewise.cli import app
from slicewise.metrics import catalogue

ROOT = Path(__file__).parents[2]
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


def test_every_public_name_is_documented() -> None:
    import slicewise

    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert [name for name in slicewise.__all__ if name not in text and name != "__version__"] == []
    for name in slicewise.__all__:
        assert getattr(slicewise, name) is not None


def test_the_result_in_the_readme_is_real() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```\n(test · .*?)```", readme, re.DOTALL)[0]
    chat = ROOT / "examples" / "chat"
    command = [sys.executable, "-m", "slicewise", "score", "--gold", str(chat / "test.conll")]
    command += ["--system", f"crf={chat / 'systems' / 'crf.1.conll'}"]
    command += ["--system", f"crf-char={chat / 'systems' / 'crf-char.1.conll'}"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(shown)


def test_local_links_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "examples" / "README.md"]:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists() or link.startswith("http"), f"{page.name}: {link}"
