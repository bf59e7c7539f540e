from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

settings.register_profile("same", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile("same")  # the same examples in every run; --hypothesis-profile search looks for new ones


def pytest_collection_finish() -> None:
    """Look for cycles seldom, and not among modules: that takes a tenth of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


pytest_plugins = ["browser_pages", "spark_cluster"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data are not beside the repository")
    return folder


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
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
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
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
