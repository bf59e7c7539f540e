from __future__ import annotations

import gc
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
from support.commands import Ran
from support.places import EXAMPLES, SHARED_DATA
from support.profiles import register_profiles

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Run, Write

    from slicewise import Evaluation

register_profiles()


def pytest_collection_finish() -> None:
    """Look for cycles seldom, and not among modules: that takes a tenth of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


pytest_plugins = ["support.browser_pages", "support.spark_cluster"]


@pytest.fixture(scope="session")
def examples() -> Path:
    return EXAMPLES


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared data are not beside the repository")
    return SHARED_DATA


@pytest.fixture(scope="session")
def chat_of_four(examples: Path) -> Evaluation:
    """Return the example `chat` with its training data and four systems, one of them with two restarts."""
    folder = examples / "chat"
    systems: dict[str, Any] = {
        name: folder / "systems" / f"{name}.conll" for name in ("gazetteer", "hmm", "perceptron")
    }
    systems["crf"] = [folder / "systems" / f"crf.{k}.conll" for k in (1, 2)]
    from slicewise import load

    return load(gold=folder / "test.conll", train=folder / "train.conll", systems=systems)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file into an empty folder, which is also the current one, and return its name."""
    monkeypatch.chdir(tmp_path)

    def made(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return made


commands = cache(typer.main.get_command)
"""The command line is made of its functions once, and not again for every run: it keeps nothing of a run."""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process."""

    def ran(*arguments: object) -> Ran:
        from slicewise.cli import main

        monkeypatch.setattr(sys, "argv", ["slicewise", *(str(a) for a in arguments)])
        monkeypatch.setattr(typer.main, "get_command", commands)
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return ran
