"""Parquet files in parts: the numbers of the whole, and bad files that are named."""

from __future__ import annotations

import gc
import gzip
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from support.lens_results import content

import slicewise
from slicewise.align.clusters import MOST_GROUPS, find_clusters
from slicewise.annotations import Annotations
from slicewise.engine.local import LocalRunner
from slicewise.errors import UserError
from slicewise.loading import load
from slicewise.loading.cluster_numbers import (
    by_remainder,
    cluster_numbering,
    first_names,
    item_numbering,
    named_clusters,
)
from slicewise.loading.table_parts import bounds_of, whole_clusters

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Ran, Run, Write

FILES, ROWS = 4, 50


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Four files of scored prompts."""
    for i in range(FILES):
        prompts = [f"hello world {j % 7} of {i}" for j in range(ROWS)]
        columns = {"correct": [(j * 7 + i) % 3 > 0 for j in range(ROWS)], "other": [float(j % 5) for j in range(ROWS)]}
        pl.DataFrame({"prompt": prompts, "team": [f"t{j % 9}" for j in range(ROWS)], **columns}).write_parquet(
            tmp_path / f"{i}.parquet"
        )
    return tmp_path


def given(logs: Path, *, folder: bool = False) -> dict[str, Any]:
    """Return what a user would name."""
    every = f"{logs}" if folder else f"{logs}/*.parquet"
    return {
        "task": "scores",
        "inputs": [f"{every}:prompt"],
        "systems": {"m": f"{every}:correct", "n": f"{every}:other"},
    }


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("rows", [7, 60, 1000])
def test_parts_are_the_whole(logs: Path, rows: int, folder: bool) -> None:
    """Patterns and folders, parts that end in the middle of a file, and one part."""
    named = given(logs, folder=folder)
    parted = load(**named, part_rows=rows)
    assert parted.parts is not None
    assert len(parted.parts.source) == -(-FILES * ROWS // rows)
    assert content(slicewise.score(parted).to_json()) == content(slicewise.score(load(**named)).to_json())


def test_a_named_cluster(logs: Path) -> None:
    """Clusters that stand anywhere in the files have one number in all parts."""
    named = given(logs) | {"cluster": "team"}
    parted = load(**named, part_rows=60)
    assert parted.aligned.clusters.count == 9
    assert content(slicewise.score(parted).to_json()) == content(slicewise.score(load(**named)).to_json())


def test_small_files_are_read_whole(logs: Path) -> None:
    """Unless the user says otherwise."""
    assert load(**given(logs), part_rows=0).parts is None
    assert load(**given(logs), part_rows=50).parts is not None


def test_fields_and_texts_are_read_only_where_they_are_needed(logs: Path) -> None:
    """A part has what is asked for, and item numbers of the whole."""
    source = load(**given(logs), part_rows=60).parts.source  # type: ignore[union-attr]
    bare, full = source.part(1, frozenset()), source.part(1, frozenset({"texts", "fields"}))
    assert (bare.first, bare.aligned.items) == (50, 50)
    assert (bare.aligned.fields.width, bare.aligned.metadata.width) == (0, 0)
    assert (full.aligned.fields.columns, full.aligned.metadata.columns) == (["in"], ["team"])


def test_documents_are_not_cut() -> None:
    """A part begins where a cluster does; a cluster that fills a part goes to the one before."""
    assert whole_clusters((0, 10, 20, 30), [("a", "b", 4), ("b", "c", 3), ("c", "d", 10)]) == (0, 13, 30)
    assert whole_clusters((0, 10, 20, 30), [("a", "a", 10), ("a", "a", 10), ("b", "b", 10)]) == (0, 20, 30)
    assert whole_clusters((0, 10, 20), [("a", "b", 4), ("c", "d", 3)]) == (0, 10, 20)


@pytest.mark.parametrize("items", [5, MOST_GROUPS, MOST_GROUPS + 1, 25_000])
def test_groups_of_items(items: int) -> None:
    """Parts put items into the groups that they have in the whole."""
    whole = find_clusters(Annotations(name="x", items=items), None)
    naming = item_numbering(items)
    assert (naming.count, naming.groups) == (whole.count, whole.groups)
    bounds = bounds_of(items, max(1, items // 3))
    parts = [naming.of(None, a, b - a).group for a, b in pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(parts), whole.group)


@pytest.mark.parametrize("count", [7, MOST_GROUPS, MOST_GROUPS + 1, 12_000])
@pytest.mark.parametrize("numbered", [False, True])
def test_groups_of_names(count: int, *, numbered: bool) -> None:
    """Clusters with names, or numbers for names, that stand anywhere: parts put them together as the whole does."""
    items, numbers = 30_000, np.arange(30_000) * 7919 % count + 1
    names = pl.Series(numbers) if numbered else pl.Series([f"name {n}" for n in numbers])
    gold = {"documents": numbers} if numbered else {"metadata": pl.DataFrame({"doc": names})}
    whole = find_clusters(Annotations(name="x", items=items, **gold), None)
    parts = [names[:9_000], names[9_000:9_001], names[9_001:]]
    every: nw.LazyFrame[Any] = nw.from_native(pl.concat(map(named_clusters, parts)).unique("name").lazy())
    remainders, first = (reduction(every).collect().to_polars() for reduction in (by_remainder, first_names))
    naming = cluster_numbering("doc", remainders, first["name"])
    assert (naming.count, naming.groups) == (whole.count, whole.groups) == (count, naming.groups)
    assert (remainders.height <= MOST_GROUPS, first.height <= MOST_GROUPS) == (True, True)
    found = np.concatenate([naming.of(part, 0, len(part)).group for part in parts])
    together = pl.DataFrame({"whole": whole.group, "parts": found}).n_unique()
    assert together == whole.groups
    if count > MOST_GROUPS:
        np.testing.assert_array_equal(found, whole.group)


def test_clusters_come_back_as_so_many_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of documents, and items without one: the same result, and no table with a row for each cluster."""
    rows = 30_000
    docs = [None if i % 1_000 == 0 else f"d{i * 7919 % 12_000}" for i in range(rows)]
    scores = [float(i % 5) for i in range(rows)]
    pl.DataFrame({"doc": docs, "s": scores}).write_parquet(tmp_path / "x.parquet")
    named: dict[str, Any] = {"task": "scores", "systems": {"m": f"{tmp_path}/x.parquet:s"}}
    sizes: list[int] = []
    own = LocalRunner.reduce_parts

    def reduce_parts(runner: LocalRunner, *given: Any) -> Any:
        found = own(runner, *given)
        sizes.extend(table.height for table in found)
        return found

    monkeypatch.setattr(LocalRunner, "reduce_parts", reduce_parts)
    whole, parted = load(**named), load(**named, part_rows=7_000)
    assert whole.aligned.clusters.count == parted.aligned.clusters.count == 12_000 - 12 + 30
    assert len(sizes) == 2
    assert max(sizes) <= MOST_GROUPS
    assert content(slicewise.score(parted).to_json()) == content(slicewise.score(whole).to_json())


def test_warnings_are_those_of_the_whole(tmp_path: Path) -> None:
    """Numbers of parts are added up; what holds of a part alone is not said."""
    gold = ["a"] * 30 + ["b"] * 30
    answers = ["a"] * 10 + [""] * 5 + ["z"] * 25 + [""] + ["b"] * 19
    pl.DataFrame({"gold": gold, "x": answers}).write_parquet(tmp_path / "d.parquet")
    named: dict[str, Any] = {
        "gold": f"{tmp_path}/d.parquet:gold",
        "systems": {"x": f"{tmp_path}/d.parquet:x"},
        "task": "labels",
    }
    whole, parted = load(**named), load(**named, part_rows=20)
    assert "6 empty outputs" in whole.warnings[0]
    assert sorted(parted.warnings) == sorted(whole.warnings)
    assert content(slicewise.score(parted).to_json())["result"] == content(slicewise.score(whole).to_json())["result"]


# ---------------------------------------------------------------------- bad files among many


@pytest.fixture
def scored(run: Run, logs: Path) -> Run:
    """Score the files, one of which is bad."""

    def ran(*options: str) -> Ran:
        every = f"{logs}/*.parquet"
        return run("score", "--task", "scores", "--system", f"m={every}:correct", *options)

    return ran


@pytest.mark.parametrize("options", [(), ("--part-rows", "60")])
def test_a_file_cut_in_half(scored: Run, logs: Path, options: tuple[str, ...]) -> None:
    """It is named."""
    bad = logs / "2.parquet"
    bad.write_bytes(bad.read_bytes()[:-40])
    found = scored(*options)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"slicewise: {bad}: the Parquet file is cut or damaged")
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("options", [(), ("--part-rows", "60")])
def test_a_damaged_page(scored: Run, logs: Path, options: tuple[str, ...]) -> None:
    """It is named when it is read."""
    bad = logs / "2.parquet"
    data = bytearray(bad.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    bad.write_bytes(data)
    found = scored(*options)
    assert (found.code, found.err.startswith(f"slicewise: {bad}: ")) == (2, True), found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("options", [(), ("--part-rows", "60")])
def test_another_schema(scored: Run, logs: Path, options: tuple[str, ...]) -> None:
    """A column of another type, and one that is not there."""
    pl.DataFrame({"correct": ["yes", "maybe"]}).write_parquet(logs / "2.parquet")
    found = scored(*options)
    assert f"{logs}/2.parquet: column 'correct' is String here, but Boolean in {logs}/0.parquet" in found.err
    pl.DataFrame({"right": [1, 0]}).write_parquet(logs / "2.parquet")
    assert f"{logs}/2.parquet: no column 'correct'; there is: right" in scored(*options).err


@pytest.mark.parametrize("options", [(), ("--part-rows", "60")])
def test_a_row_without_a_score(scored: Run, logs: Path, options: tuple[str, ...]) -> None:
    """The file and the row are named."""
    scores: list[bool | None] = [*[True] * 11, None, False]
    pl.DataFrame({"correct": scores}).write_parquet(logs / "2.parquet")
    assert scored(*options).err.startswith(f"slicewise: {logs}/2.parquet:12: no score; expected a finite number")


def test_other_numbers_of_items(run: Run, logs: Path) -> None:
    """Systems over other items."""
    pl.DataFrame({"x": [1, 0]}).write_parquet(logs / "x" / "y.parquet", mkdir=True)
    found = run(
        "score", "--task", "scores", "--part-rows", "60", "--system", f"m={logs}/*.parquet:correct",
        "--system", f"x={logs}/x/y.parquet:x",
    )  # fmt: skip
    assert "y.parquet: 2 items, but 200 items in" in found.err


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".jsonl.gz"])
def test_rows_of_text(tmp_path: Path, ending: str) -> None:
    """JSONL and tables are written as Parquet first, and that file goes when the data does."""
    rows = pl.DataFrame({"prompt": [f"some {i % 7}" for i in range(90)], "score": [i % 3 / 2 for i in range(90)]})
    path = tmp_path / f"rows{ending}"
    text = rows.write_csv() if ending == ".csv" else rows.write_ndjson()
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())
    named: dict[str, Any] = {"task": "scores", "inputs": [f"{path}:prompt"], "systems": {"m": f"{path}:score"}}
    parted = load(**named, part_rows=40)
    assert parted.parts is not None
    assert parted.parts.scratch is not None
    folder = parted.parts.scratch
    assert content(slicewise.score(parted).to_json()) == content(slicewise.score(load(**named)).to_json())
    assert folder.is_dir()
    del parted
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "text"), [("s.csv", "s\n1\n0\n1\nx\n"), ("s.jsonl", '{"s": 1}\n' * 4 + '{"s": null}\n')]
)
def test_a_bad_row_of_text(run: Run, write: Write, name: str, text: str) -> None:
    """The user's file and line are named."""
    found = run("score", "--task", "scores", "--part-rows", "2", "--system", f"m={write(name, text)}:s")
    assert found.err.startswith(f"slicewise: {name}:5: ")


def test_lines_are_read_whole(write: Write) -> None:
    """What is not rows with columns is not cut into parts."""
    assert load(systems={"m": write("s.txt", "1\n0\n")}, task="scores", part_rows=1).parts is None


def test_options_that_do_not_go_together(logs: Path) -> None:
    """An engine that there is not, a master without one, parts of less than a row."""
    with pytest.raises(UserError, match="did you mean 'spark'"):
        load(**given(logs), engine="sparc")
    with pytest.raises(UserError, match="add --engine spark"):
        load(**given(logs), master="local")
    with pytest.raises(UserError, match="part-rows is -1"):
        load(**given(logs), part_rows=-1)
