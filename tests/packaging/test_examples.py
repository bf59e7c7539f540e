"""The example data is what its script makes, byte for byte."""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.places import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

SETS = ("sentiment", "topics", "translation", "questions")
"""All but news and chat, for which five taggers are trained; after `make examples`, git tells whether these differ."""


def made_files() -> list[Path]:
    return sorted(p.relative_to(EXAMPLES) for name in SETS for p in (EXAMPLES / name).rglob("*") if p.is_file())


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    environment = os.environ | {"PYTHONHASHSEED": "31"}
    command = [sys.executable, str(EXAMPLES / "make.py"), "--output", str(folder), "--only", ",".join(SETS)]
    subprocess.run(command, check=True, env=environment, capture_output=True, timeout=300)
    return folder


def test_the_same_files_are_made(remade: Path) -> None:
    again = sorted(p.relative_to(remade) for name in SETS for p in (remade / name).rglob("*") if p.is_file())
    assert again == made_files()
    assert len(again) > 15


def test_the_same_bytes_are_made(remade: Path) -> None:
    different = [str(p) for p in made_files() if not filecmp.cmp(EXAMPLES / p, remade / p, shallow=False)]
    assert different == []
