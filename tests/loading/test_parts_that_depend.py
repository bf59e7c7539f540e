"""Parts of which one depends on another: documents longer than a part, or scattered; cuts, confidences, no rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from support.lens_results import LENSES, content

import slicewise
from slicewise.errors import UserError
from slicewise.loading import load
from slicewise.loading.table_parts import whole_clusters

if TYPE_CHECKING:
    from pathlib import Path

    Given = dict[str, Any]

DOCUMENTS: dict[str, list[str | None]] = {
    "one": ["d" for _ in range(30)],
    "long": ["a" if i < 3 else "b" if i < 27 else "c" for i in range(30)],
    "scattered": [f"d{i % 3}" for i in range(30)],
    "some without": [None if i % 4 else "d" for i in range(30)],
}


def mentions(folder: Path, documents: list[str | None]) -> Given:
    """Write sentences about few places, in documents."""
    names = ["Rome", "Oslo", "Rome", "Bonn", "Kyiv", "Oslo", "Rome"]
    tokens = [[names[i % 7], "is", names[(i * i) % 7]] for i in range(30)]
    for who, wrong in (("gold", 0), ("x", 4), ("y", 3)):
        tags = [["B-LOC", "O", "O" if wrong and not i % wrong else "B-LOC"] for i in range(30)]
        pl.DataFrame({"tokens": tokens, "tags": tags, "doc": documents}).write_parquet(folder / f"{who}.parquet")
    return {"gold": f"{folder}/gold.parquet", "systems": {name: f"{folder}/{name}.parquet" for name in "xy"}}


@pytest.mark.parametrize("lens", ["buckets", "features", "difficulty"])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_documents_over_several_parts(tmp_path: Path, kind: str, lens: str) -> None:
    """What a unit has by its document is the same, wherever parts begin."""
    given = mentions(tmp_path, DOCUMENTS[kind])
    whole, parted = (LENSES[lens](load(**given, part_rows=rows), resamples=9) for rows in (None, 7))
    assert content(parted.to_json()) == content(whole.to_json())


def test_a_document_that_fills_several_parts_is_not_cut() -> None:
    """Not even in the middle; the next document begins a part."""
    assert whole_clusters((0, 10, 20, 30), [("a", "a", 10)] * 3) == (0, 30)
    assert whole_clusters((0, 10, 20, 30), [("a", "a", 10), ("a", "a", 10), ("a", "b", 4)]) == (0, 24, 30)


def test_scattered_documents_are_refused_where_they_cannot_be_put_together(tmp_path: Path) -> None:
    """As on a cluster; what does not depend on documents goes on."""
    parted = load(**mentions(tmp_path, DOCUMENTS["scattered"]), part_rows=10)
    assert parted.parts is not None
    elsewhere = parted.parted(replace(parted.parts, whole=None))
    with pytest.raises(UserError, match="the attribute repeated of clusters that stand in several places needs all"):
        slicewise.buckets(elsewhere)
    assert "eLen" in slicewise.buckets(elsewhere, attributes=["eLen"], resamples=0).attributes
    whole = load(**mentions(tmp_path, DOCUMENTS["long"]), part_rows=10)
    assert whole.parts is not None
    assert not whole.parts.scattered


def test_confidences_without_other_fields(tmp_path: Path) -> None:
    """They are read where they are asked for."""
    columns = {"gold": ["A", "B"] * 20, "a": ["A", "A", "B", "B"] * 10, "confidence": [i / 40 for i in range(40)]}
    pl.DataFrame(columns).write_parquet(tmp_path / "d.parquet")
    file = f"{tmp_path}/d.parquet"
    given: Given = {"gold": f"{file}:gold", "systems": {"a": f"{file}:a"}, "task": "labels"}
    whole, parted = (slicewise.buckets(load(**given, part_rows=rows), resamples=0) for rows in (None, 7))
    assert len(whole.attributes["confidence"].buckets) == 4
    assert content(parted.to_json()) == content(whole.to_json())


def test_cuts_shared_by_data_in_parts(tmp_path: Path) -> None:
    """A category may be frequent in both together, and in neither alone."""
    loaded: dict[int | None, list[Any]] = {None: [], 50: []}
    for name in "ab":
        values = [f"{name}{i:02}" for i in range(13) for _ in range(20)] + ["shared"] * 19
        columns = {"gold": ["A", "B", "B"] * 93, "x": ["A"] * 279, "source": values}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
        file = f"{tmp_path}/{name}.parquet"
        for rows, several in loaded.items():
            several.append(load(gold=f"{file}:gold", systems={"x": f"{file}:x"}, task="labels", part_rows=rows))
    whole, parted = (
        slicewise.buckets(first, shared_with=[first, second], attributes=["source"], resamples=0)
        for first, second in loaded.values()
    )
    assert whole.attributes["source"].buckets[0].name == "shared"
    assert content(parted.to_json()) == content(whole.to_json())


def test_tags_alone_beside_sentences(tmp_path: Path) -> None:
    """Converted lines that have a tag for each token: read as a whole, and refused on a cluster."""
    (tmp_path / "gold.conll").write_text("Rome N\nis V\n\n" * 9)
    (tmp_path / "tags.txt").write_text("N\nV\n\n" * 9)
    for name in ("gold.conll", "tags.txt"):
        slicewise.convert(str(tmp_path / name), str(tmp_path / f"{name}.parquet"))
    files = {name: f"{tmp_path}/{name}.parquet" for name in ("gold.conll", "tags.txt")}
    given: Given = {"gold": files["gold.conll"], "systems": {"x": files["tags.txt"]}, "task": "tokens"}
    for rows in (None, 0, 4):
        assert load(**given, part_rows=rows).aligned.items == 9
    with pytest.raises(UserError, match="tags alone are not read in parts; convert it with --format conll"):
        load(**given, engine="spark", master="local[1]")


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("cluster", [None, "team"])
def test_files_without_rows(tmp_path: Path, lens: str, cluster: str | None) -> None:
    """A result, or one line that says why there is none; in parts the same."""
    columns = dict.fromkeys(("gold", "a", "b", "team"), pl.String)
    pl.DataFrame(schema=columns).write_parquet(tmp_path / "d.parquet")
    file = f"{tmp_path}/d.parquet"
    systems = {name: f"{file}:{name}" for name in "ab"}
    given: Given = {"gold": f"{file}:gold", "systems": systems, "task": "labels", "cluster": cluster}
    found = []
    for rows in (None, 7):
        try:
            found.append(content(LENSES[lens](load(**given, part_rows=rows), resamples=9).to_json()))
        except UserError as problem:
            found.append({"refused": str(problem)})
    assert found[0] == found[1]


@pytest.mark.parametrize("lens", LENSES)
def test_lines_of_tags_have_their_tokens_from_the_input(tmp_path: Path, lens: str) -> None:
    """In every part, also for questions that need no text."""
    for name, line in (("gold", "B-LOC O B-LOC"), ("x", "B-LOC O O"), ("y", "O O B-LOC"), ("in", "Rome is Oslo")):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for _ in range(12)))
        slicewise.convert(str(tmp_path / f"{name}.txt"), str(tmp_path / f"{name}.parquet"))
    files = {name: f"{tmp_path}/{name}.parquet" for name in ("gold", "x", "y", "in")}
    given: Given = {"gold": files["gold"], "systems": {name: files[name] for name in "xy"}, "inputs": [files["in"]]}
    whole, parts = (LENSES[lens](load(**given, part_rows=rows), resamples=9) for rows in (None, 5))
    assert content(parts.to_json()) == content(whole.to_json())
