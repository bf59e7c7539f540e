"""A new lens is one module and one line in the registry: everything that lists lenses has it then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import slicewise
from slicewise.lenses import registry
from slicewise.render.figures import Figure

if TYPE_CHECKING:
    from slicewise.lenses.report.result import ReportResult

LINE = {
    "function": "support.toy_lens:mistakes",
    "declaration": "support.toy_lens:LENS",
    "command": "support.toy_lens:command",
}
GOLD = ["x" if i % 3 else "y" for i in range(40)]
SYSTEMS = {
    "a": [label if i % 4 else "z" for i, label in enumerate(GOLD)],
    "b": [label if i % 2 else "x" for i, label in enumerate(GOLD)],
}
WRONG = {"a": 10, "b": 7}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    registry.register("mistakes", **LINE)


@pytest.fixture
def report() -> ReportResult:
    texts = [f"item {i}" for i in range(40)]
    return slicewise.report(slicewise.Evaluation.from_labels(GOLD, SYSTEMS, texts=texts), resamples=20)


def slicewise_with_the_lens(*arguments: str, folder: Path) -> str:
    """Run the command line in a process in which the lens is registered."""
    path = [str(Path(__file__).parent.parent), str(Path(slicewise.__file__).parent.parent)]
    code = f"import sys; sys.path[:0] = {path!r}; from slicewise.lenses.registry import register; "
    code += f"register('mistakes', **{LINE!r}); from slicewise.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, labels in {"gold": GOLD, **SYSTEMS}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return tmp_path


DATA = ("--gold", "gold.txt", "--system", "a=a.txt", "--system", "b=b.txt", "--quiet")


def test_it_is_in_the_help_and_is_a_command(files: Path) -> None:
    listed = slicewise_with_the_lens("--help", folder=files)
    assert "mistakes" in listed
    assert "Count the items that each system has wrong." in listed
    assert "--gold" in slicewise_with_the_lens("mistakes", "--help", folder=files)
    document = json.loads(slicewise_with_the_lens("mistakes", *DATA, "--json", "-", folder=files))
    assert (document["command"], document["result"]) == ("mistakes", {"wrong": WRONG})


def test_it_is_in_a_report_of_the_command_line(files: Path) -> None:
    options = ("--resamples", "20", "--json", "-", "-o", "page.html")
    document = json.loads(slicewise_with_the_lens("report", *DATA, *options, folder=files))
    assert document["result"]["datasets"]["gold"]["mistakes"] == {"wrong": WRONG}
    page = (files / "page.html").read_text(encoding="utf-8")
    assert '<section id="mistakes" class="lens"><h2>Mistakes</h2>' in page
    assert "On how many items is each system wrong?" in page
    assert "A mistake may be one of gold." in page


def test_it_is_a_function_of_the_package() -> None:
    from support import toy_lens

    assert slicewise.mistakes is toy_lens.mistakes
    assert "mistakes" in dir(slicewise)
    assert "mistakes" in slicewise.__all__


def test_a_report_has_its_result_its_slices_and_its_findings(report: ReportResult) -> None:
    [part] = report.parts
    assert part.mistakes.wrong == WRONG
    assert json.loads(report.to_json())["result"]["datasets"][part.name]["mistakes"] == {"wrong": WRONG}
    assert {name: part.evidence["slices"][f"mistakes/{name}"]["items"] for name in WRONG} == WRONG
    assert [one.text for one in report.statements if one.lens == "mistakes"] == ["a is wrong on 10 items."]
    page = report.page()
    [section] = [section for section in page.sections if section.id == "mistakes"]
    assert [one.name for one in section.parts if isinstance(one, Figure)] == ["mistakes"]
    [finding] = [finding for finding in page.findings if finding.section == "mistakes"]
    assert (finding.lens, finding.slice) == ("Mistakes", "mistakes/a")
    assert "mistakes-mistakes" in [figure.name for figure in report.figures()]


def test_a_task_that_it_does_not_serve_leaves_it_out() -> None:
    several = [["x", "y"], ["y"], ["x"]] * 5
    report = slicewise.report(slicewise.Evaluation.from_labels(several, {"a": several}), resamples=0)
    [part] = report.parts
    assert part.mistakes is None
    assert part.left_out["mistakes"] == "mistakes is for labels, but the task is multilabel"
    assert "Left out: mistakes is for labels" in report.to_html()


def test_without_it_all_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entries", {n: e for n, e in registry._entries.items() if n != "mistakes"})
    assert "mistakes" not in dir(slicewise)
    with pytest.raises(AttributeError):
        slicewise.mistakes  # noqa: B018


@pytest.mark.parametrize("name", ["score", "mistakes", "no name", ""])
def test_a_name_is_given_once(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of another lens"):
        registry.register(name, **LINE)
