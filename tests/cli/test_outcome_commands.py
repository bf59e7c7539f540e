"""Wrong and odd input to `complement` and `difficulty`: one line that says so, before any work, and no file left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import refused

from slicewise.lenses.complement import lens as complement_lens

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Run

LABELS = {"g": "yes\nno\nyes\nno\n", "a": "yes\nno\nno\nno\n", "b": "yes\nyes\nyes\nno\n", "c": "no\nno\nyes\nno\n"}


@pytest.fixture
def labels(tmp_path: Path) -> list[str]:
    """Three systems that answer yes or no."""
    return given(tmp_path, LABELS, "labels")


def given(folder: Path, files: dict[str, str], task: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    systems = [part for name in files if name != "g" for part in ("-s", f"{name}={folder / name}.txt")]
    return ["--gold", str(folder / "g.txt"), *systems, "--task", task]


@pytest.mark.parametrize("command", ["complement", "difficulty", "score"])
def test_scores_are_not_normalised(run: Run, tmp_path: Path, command: str) -> None:
    table = tmp_path / "m.tsv"
    table.write_text("a\tb\n1\t0\n0\t1\n1\t1\n", encoding="utf-8")
    refused(run(command, "--matrix", table, "--normalise", "lower"), "leave it out")
    scores = tmp_path / "s.txt"
    scores.write_text("0.5\n0.25\n", encoding="utf-8")
    systems = ("-s", f"a={scores}", "-s", f"b={scores}", "--task", "scores")
    refused(run(command, *systems, "--normalise", "lower"), "scores are numbers, and --normalise changes texts")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("vote:" + "9" * 5000, "vote:1 to vote:3"),
        ("vote:4", "vote:1 to vote:3"),
        ("vote:", "vote:1 to vote:3"),
        ("vote:2:a,x", "no system 'x'"),
        ("union:a", "names one system"),
        ("unoin", "unknown ensemble"),
        ("greedy:a,b", "leave out the names"),
        ("vote:1", "several labels"),
    ],
)
def test_an_ensemble_is_read_before_anything_is_computed(
    run: Run, labels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, message: str
) -> None:
    def computed(*_: object, **__: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr(complement_lens, "outcome_counts", computed)
    file = tmp_path / "e.txt"
    refused(run("complement", *labels, "--write-ensemble", file, "--ensemble", asked), message)
    assert not file.exists()


def test_a_greedy_ensemble_needs_gold_units(run: Run, tmp_path: Path) -> None:
    nothing, something = "w\tO\n", "w\tB-X\n"
    data = given(tmp_path, {"g": nothing, "a": something, "b": something}, "spans")
    file = tmp_path / "e.conll"
    refused(run("complement", *data, "--write-ensemble", file, "--ensemble", "greedy"), "no gold units")
    assert not file.exists()


@pytest.mark.parametrize(("option", "units"), [((), 4), (("--negative-label", "no"), 2), (("--ignore", "no"), 2)])
def test_an_ensemble_counts_the_units_that_are_scored(
    run: Run, labels: list[str], tmp_path: Path, option: tuple[str, ...], units: int
) -> None:
    ran = run("complement", *labels, *option, "--write-ensemble", tmp_path / "e.txt", "--json", "-", "-q")
    assert (tmp_path / "e.txt").read_text(encoding="utf-8") == LABELS["g"]
    assert json.loads(ran.out)["result"]["written"]["units"] == units


@pytest.mark.parametrize("command", ["complement", "difficulty"])
@pytest.mark.parametrize("name", ["outRatio", "outratio", "outRatio.v1"])
def test_an_attribute_that_differs_between_systems_is_refused(
    run: Run, tmp_path: Path, command: str, name: str
) -> None:
    data = given(tmp_path, {"g": "a b\nc d\n", "a": "a b\nc\n", "b": "a\nc d\n"}, "text")
    options = ("--input", data[1], "--metric", "exact-match", "--resamples", "0")
    refused(run(command, *data, *options, "-a", name), "outRatio differs between systems")
    assert run(command, *data, *options, "-a", "all", "-q").code == 0


def test_a_string_to_look_for(run: Run, tmp_path: Path, labels: list[str]) -> None:
    refused(run("difficulty", *labels, "--surface", " "), "the string to look for is empty")
    refused(run("difficulty", *labels, "--surface", "x"), "add --input FILE")
    several = given(tmp_path, {"g": "x y\nx\n", "a": "x\nx\n", "b": "y\nx y\n"}, "multilabel")
    ran = run("difficulty", *several, "--surface", "x")
    refused(ran, "leave out --surface")
    assert "--input" not in ran.err


def test_tables_of_many_systems_are_cut(run: Run, tmp_path: Path) -> None:
    """They say so, and the file has all."""
    words = [f"w{i}" for i in range(45)]

    def tagged(tags: list[str]) -> str:
        return "\n".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True))

    files = {"g": tagged(["B-X"] * 45)}
    files |= {f"s{k}": tagged(["B-X" if i != k else "O" for i in range(45)]) for k in range(40)}
    data = given(tmp_path, files, "spans")
    shown: dict[str, Any] = {}
    for command in ("complement", "difficulty"):
        file = tmp_path / f"{command}.json"
        ran = run(command, *data, "--resamples", "0", "--json", file, "-q")
        assert ran.code == 0
        assert ran.out.count("\n") < 700
        assert "have all." in " ".join(ran.out.split())
        shown[command] = json.loads(file.read_text(encoding="utf-8"))["result"]
    assert len(shown["complement"]["systems"]) == len(shown["difficulty"]["gold"]["systems"]) == 40
