"""The wheel alone is enough: unpacked it reports on the examples from another folder, and says what it depends on."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest
from support.needs import missing, need_module
from support.places import EXAMPLES, ROOT

if TYPE_CHECKING:
    from pathlib import Path


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
    assert {"slicewise/py.typed", "slicewise/render/page/page.css", "slicewise/render/page/route.js"} <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"slicewise"}


def test_the_wheel_reports_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    for name in ("test.conll", "systems/crf.1.conll"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLES / "news" / name, tmp_path / name)
    files = ("--gold", "test.conll", "--system", "crf=systems/crf.1.conll")
    start = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r}); import slicewise; print(slicewise.__file__)"
    )
    where = run(sys.executable, "-P", "-c", start, cwd=tmp_path)
    assert str(tmp_path) in where.stdout
    main = f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r}); from slicewise.cli import main; main()"
    made = run(sys.executable, "-P", "-c", main, "report", *files, "--json", "-", "--resamples", "0", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    micro = json.loads(made.stdout)["result"]["datasets"]["test"]["score"]["systems"]["crf"]["micro"]
    assert micro["n_gold"] == 1974
    assert round(micro["f1"], 3) == 0.830
    assert "vegaEmbed" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_everything_imported_is_named_as_a_dependency() -> None:
    wanted = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                wanted.add(str(node.module).split(".")[0])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for extra in ("cjk", "spark") for name in project["optional-dependencies"][extra]]
    named = {re.split(r"[^\w.-]", text)[0] for text in (*project["dependencies"], *extras)}
    called = {"vl-convert-python": "vl_convert", "backports.zstd": "backports", "icu4py": "icu4py"}
    known = {called.get(name, name) for name in named}
    optional = {"pandas", "compression"}  # said in one line where it is missing; from Python 3.14 on
    assert wanted - set(sys.stdlib_module_names) - known - optional == {"slicewise"}
