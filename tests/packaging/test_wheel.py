"""The wheel alone is enough: installed into an empty environment it scores the examples from another folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from needs import missing, need_module

ROOT = Path(__file__).parents[2]


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=400)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("build", "the build package")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    built = run(sys.executable, "-m", "build", "--wheel", "--outdir", source / "dist", source, cwd=source)
    if built.returncode:
        missing(f"a package index to build the wheel from ({built.stderr.strip().splitlines()[-1:]})")
    return next((source / "dist").glob("*.whl"))


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "slicewise/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"slicewise"}


def test_the_wheel_scores_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    assert run(sys.executable, "-m", "venv", environment, cwd=tmp_path).returncode == 0
    python = environment / "bin" / "python"
    installed = run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path)
    if installed.returncode:
        missing(f"a package index to install from ({installed.stderr.strip().splitlines()[-1:]})")
    for name in ("test.conll", "systems/crf.1.conll"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "examples" / "news" / name, tmp_path / name)
    command = (
        environment / "bin" / "slicewise",
        "score",
        "--gold",
        "test.conll",
        "--system",
        "crf=systems/crf.1.conll",
    )
    scored = run(*command, "--json", "-", cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    micro = json.loads(scored.stdout)["result"]["systems"]["crf"]["micro"]
    assert micro["n_gold"] == 1974
    assert round(micro["f1"], 3) == 0.830
