"""Files that differ, and what stands beside a named column: in parts all is as it is of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from support.lens_results import LENSES, content

import slicewise
from slicewise.errors import UserError
from slicewise.loading import load
from slicewise.read.source import FEW_FILES, digests_of, stem_of

if TYPE_CHECKING:
    from pathlib import Path

HALF = 20
ANSWERS: dict[str, list[Any]] = {"gold": ["A", "B"] * 10, "x": ["A", "A", "B", "B"] * 5}
TAGGED: dict[str, list[Any]] = {
    "tokens": [["Ab", "b", "c!"], ["x", "Yy"]] * 10,
    "gold": [["N", "V", "N"], ["N", "N"]] * 10,
    "x": [["N", "N", "N"], ["V", "N"]] * 10,
}
UNEVEN: dict[str, tuple[dict[str, list[Any]], dict[str, list[Any]]]] = {
    "text beside": ({**ANSWERS, "text": ["a b", "c d"] * 10},) * 2,
    "tokens beside": (TAGGED, TAGGED),
    "whole and broken numbers": (
        {**ANSWERS, "size": list(range(HALF))},
        {**ANSWERS, "size": [i + 0.5 for i in range(HALF)]},
    ),
    "numbers and strings": ({**ANSWERS, "kind": [1, 2] * 10}, {**ANSWERS, "kind": ["x", "y"] * 10}),
    "nothing known": ({**ANSWERS, "kind": ["u", "v"] * 10}, {**ANSWERS, "kind": [None] * HALF}),
    "not there": ({**ANSWERS, "kind": ["u", "v"] * 10}, ANSWERS),
    "truth and numbers": ({**ANSWERS, "kind": [True, False] * 10}, {**ANSWERS, "kind": [3, 4] * 10}),
    "another order": (ANSWERS, dict(reversed(ANSWERS.items()))),
    "labels that are numbers": (
        {"gold": [1, 2] * 10, "x": ["1", "2"] * 10},
        {"gold": [1.0, 2.0] * 10, "x": ["1"] * HALF},
    ),
}
BESIDE = ("text beside", "tokens beside")
OTHERS = [kind for kind in UNEVEN if kind not in BESIDE]


def written(folder: Path, files: tuple[dict[str, list[Any]], ...]) -> Path:
    """Write files into a folder."""
    for i, columns in enumerate(files):
        pl.DataFrame(columns).write_parquet(folder / f"{i}.parquet")
    return folder


def assert_same(lens: str, given: dict[str, Any], **options: Any) -> None:
    """Compare parts of seven rows with the whole."""
    expected = content(LENSES[lens](load(**given), **options).to_json())
    assert content(LENSES[lens](load(**given, part_rows=7), **options).to_json()) == expected


@pytest.mark.parametrize(
    ("kind", "lens"), [*[(kind, lens) for kind in BESIDE for lens in LENSES], *[(kind, "buckets") for kind in OTHERS]]
)
def test_files_that_differ(tmp_path: Path, kind: str, lens: str) -> None:
    files = written(tmp_path, UNEVEN[kind])
    given = {"gold": f"{files}:gold", "systems": {"x": f"{files}:x", "y": f"{files}:gold"}}
    assert_same(lens, given | {"task": "tokens" if "tokens" in kind else "labels"}, resamples=20)


@pytest.mark.parametrize("kind", ["whole and broken numbers", "numbers and strings", "not there", "truth and numbers"])
def test_clusters_of_files_that_differ(tmp_path: Path, kind: str) -> None:
    files = written(tmp_path, UNEVEN[kind])
    field = next(name for name in UNEVEN[kind][0] if name not in ANSWERS)
    systems = {"x": f"{files}:x"}
    assert_same("score", {"gold": f"{files}:gold", "systems": systems, "task": "labels", "cluster": field})


def test_columns_by_number_in_another_order(tmp_path: Path) -> None:
    files = written(tmp_path, UNEVEN["another order"])
    assert_same("score", {"gold": f"{files}:1", "systems": {"x": f"{files}:2"}, "task": "labels"})


def test_types_that_nothing_holds_are_named(tmp_path: Path) -> None:
    files = written(tmp_path, ({**ANSWERS, "kind": [[1]] * HALF}, {**ANSWERS, "kind": [1] * HALF}))
    given: dict[str, Any] = {"gold": f"{files}:gold", "systems": {"x": f"{files}:x"}, "task": "labels"}
    for rows in (None, 7):
        with pytest.raises(UserError, match=r"1\.parquet: column 'kind' is .* here, but List.* in .*0\.parquet"):
            load(**given, part_rows=rows)


def test_a_scheme_that_has_to_be_told_by_all_tags(tmp_path: Path) -> None:
    """The first half could be any scheme: with --strict, files are read as a whole."""
    tokens = [["a", "b", "c"]] * HALF
    tags = (["B-X", "O", "O"], ["B-X", "E-X", "S-X"])
    (tmp_path / "gold").mkdir()
    files = written(tmp_path / "gold", tuple({"tokens": tokens, "tags": [own] * HALF} for own in tags))
    pl.DataFrame({"tokens": tokens * 2, "tags": [tags[0]] * 2 * HALF}).write_parquet(tmp_path / "x.parquet")
    given: dict[str, Any] = {"gold": files, "systems": {"x": tmp_path / "x.parquet"}, "strict": True}
    assert load(**given, part_rows=7).parts is None
    assert_same("score", given)
    assert load(**given, scheme="bioes", part_rows=7).parts is not None
    assert_same("score", given | {"scheme": "bioes"})


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "wer"])
def test_texts_without_items_have_a_table(metric: str) -> None:
    """Where parts are worked on elsewhere, the columns of a table are known before its rows."""
    evaluation = slicewise.Evaluation.from_texts([["a b c d", "e"]], {"x": ["a b c d"]})
    assert evaluation.between(0, 0).aligned.items == 0
    from slicewise.engine.cells import MetricSums
    from slicewise.lenses.chosen_metrics import metrics_of

    kernel = MetricSums(metrics_of(evaluation.task, [metric], 1.0)[0], ("x",))
    assert kernel(evaluation.between(0, 0)).columns == kernel(evaluation).columns


def test_data_is_named_after_its_file_or_its_folder() -> None:
    names = ["a/test.conll", "x.jsonl.gz", "-", "logs/*.parquet", "logs/2024-*/part[0-9].parquet"]
    assert [stem_of(name) for name in names] == ["test", "x", "stdin", "logs", "logs"]


def test_many_files_have_one_hash() -> None:
    few, many = ["a" * 64] * FEW_FILES, ["a" * 64] * (FEW_FILES + 1)
    assert digests_of("gold", few, None) == [f"gold:{'a' * 12}"] * FEW_FILES
    assert len(digests_of("gold", many, "label")) == 1
    assert digests_of("gold", many, "label") != digests_of("gold", [*many, "a" * 64], "label")


def test_warnings_say_of_all_parts_what_they_say_of_the_whole(tmp_path: Path) -> None:
    """Two systems in one file are told apart, and the first of all tokens that differ is the one that is shown."""
    answers: dict[str, list[str]] = {"gold": ["A", "B"] * 20, "x": [""] * 9 + ["A"] * 31, "y": ["A"] * 30 + [""] * 10}
    pl.DataFrame(answers).write_parquet(tmp_path / "labels.parquet")
    file = f"{tmp_path}/labels.parquet"
    labels: dict[str, Any] = {"gold": f"{file}:gold", "systems": {"y": f"{file}:y", "x": f"{file}:x"}, "task": "labels"}
    tokens = [["a", "b"]] * 40
    other = [["a", "c"] if i in (12, 30) else own for i, own in enumerate(tokens)]
    for name, words in (("gold", tokens), ("x", other), ("y", [["d", "b"], *tokens[1:]])):
        columns = {"tokens": words, "tags": [["B-X", "O"]] * 40}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    spans: dict[str, Any] = {
        "gold": tmp_path / "gold.parquet",
        "systems": {name: tmp_path / f"{name}.parquet" for name in "xy"},
    }
    for given, said in ((labels, "labels.parquet:x: 9 empty outputs"), (spans, "x.parquet: 2 tokens of 80 differ in")):
        whole = load(**given)
        assert load(**given, part_rows=7).warnings == whole.warnings
        assert any(said in text for text in whole.warnings)
