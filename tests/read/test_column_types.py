"""Parquet columns of every type as gold, outputs, clusters and input: read, or one line that says what they are."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from support.commands import Run, refused

from slicewise import UserError, load

N = 6
BESIDE = {"text": ["w v"] * N, "label": ["A", "B"] * 3, "pred": ["A"] * N}
DAY = dt.datetime(2024, 2, 3, 4, 5, tzinfo=dt.UTC)
UNREADABLE = {
    "durations": pl.Series([dt.timedelta(seconds=i) for i in range(N)]),
    "bytes": pl.Series([b"a", b"b", b"\xff", b"a", None, b"a"]),
    "objects": pl.Series([{"x": 1}] * N),
    "lists of objects": pl.Series([[{"x": 1}]] * N),
    "lists of lists": pl.Series([[["a"]]] * N),
    "lists of durations": pl.Series([[dt.timedelta(1)]] * N),
    "lists of bytes": pl.Series([[b"a"], [b"\xff"], None, [], [None], [b"a"]]),
}
READABLE = {
    "dates": pl.Series([DAY.date()] * N),
    "times": pl.Series([DAY.time()] * N),
    "moments": pl.Series([DAY] * N),
    "decimals": pl.Series([Decimal("1.50")] * N),
    "categories": pl.Series(["A", "B"] * 3, dtype=pl.Categorical),
    "names": pl.Series(["A", "B"] * 3, dtype=pl.Enum(["A", "B"])),
    "large numbers": pl.Series([2**64, 2**70] * 3, dtype=pl.Int128),
    "bytes of text": pl.Series([b"A", b"B"] * 3),
}
OWN: dict[str, Any] = {"gold": "p.parquet:c", "systems": {"s": "p.parquet:c"}}
OTHERS: dict[str, Any] = {"gold": "p.parquet:label", "systems": {"s": "p.parquet:pred"}}
ROLES: dict[str, dict[str, Any]] = {
    "told": OWN,
    "labels": OWN | {"task": "labels"},
    "multilabel": OWN | {"task": "multilabel"},
    "normalised": OWN | {"task": "labels", "normalise": ["lower"]},
    "text": OWN | {"task": "text"},
    "scores": {"systems": {"s": "p.parquet:c"}, "task": "scores"},
    "spans": OWN | {"task": "spans"},
    "tokens": OWN | {"task": "tokens"},
    "cluster": OTHERS | {"cluster": "c"},
    "input": OTHERS | {"inputs": ["p.parquet:c"]},
}
IN_PARTS = [("durations", 2), ("bytes", 2), ("lists of objects", 2)]
FIELDS = ("label", "labels", "output", "score", "text", "tags", "spans", "doc")


@pytest.fixture(autouse=True)
def folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(column: pl.Series, name: str = "c") -> None:
    pl.DataFrame(BESIDE).with_columns(column.alias(name)).write_parquet("p.parquet")


@pytest.mark.parametrize(("kind", "rows"), [*((kind, None) for kind in UNREADABLE), *IN_PARTS])
@pytest.mark.parametrize("role", ROLES)
def test_a_column_that_cannot_be_read(kind: str, role: str, rows: int | None) -> None:
    write(UNREADABLE[kind])
    said = kind if role in ("text", "multilabel", "tokens", "spans") else kind.split(maxsplit=1)[0].rstrip("s")
    with pytest.raises(UserError, match=rf"^p\.parquet(:\d)?: .*({said}|bytes|objects)"):
        load(**ROLES[role], part_rows=rows)


@pytest.mark.parametrize(("kind", "rows"), [*((kind, None) for kind in UNREADABLE), *IN_PARTS])
@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_cannot_be_read(kind: str, field: str, rows: int | None) -> None:
    frame = pl.DataFrame(BESIDE).drop(["label"] if field not in ("text", "doc") else [])
    frame.with_columns(UNREADABLE[kind].alias(field)).write_parquet("p.parquet")
    with pytest.raises(UserError, match=r"^p\.parquet(:\d)?: .*(durations|bytes|objects?|lists?|span)"):
        load(gold="p.parquet", systems={"s": "p.parquet"}, part_rows=rows)


@pytest.mark.parametrize("role", ["told", "labels", "multilabel", "normalised", "text", "tokens", "cluster", "input"])
@pytest.mark.parametrize("kind", READABLE)
def test_a_column_that_can_be_read(kind: str, role: str) -> None:
    write(READABLE[kind])
    if (kind, role) == ("bytes of text", "input"):
        with pytest.raises(UserError, match="name a column of text"):
            load(**ROLES[role])
    else:
        assert load(**ROLES[role]).aligned.items == N


@pytest.mark.parametrize("kind", ["dates", "times", "moments", "categories", "names", "bytes of text"])
def test_what_is_no_number_is_no_score(kind: str) -> None:
    write(READABLE[kind])
    with pytest.raises(UserError, match=r"^p\.parquet:1: score '.*'; expected a finite number"):
        load(**ROLES["scores"])


@pytest.mark.parametrize("rows", [None, 2])
def test_arrays_are_lists(rows: int | None) -> None:
    write(pl.Series([["A", "B"]] * N, dtype=pl.Array(pl.String, 2)))
    assert load(**OWN, part_rows=rows).task == "multilabel"
    tags = pl.Series([["B-X", "O"]] * N, dtype=pl.Array(pl.String, 2))
    pl.DataFrame({"tokens": tags, "tags": tags}).write_parquet("t.parquet")
    assert load(gold="t.parquet", systems={"s": "t.parquet"}, part_rows=rows).task == "spans"


@pytest.mark.parametrize("task", ["spans", "tokens"])
@pytest.mark.parametrize("rows", [None, 2])
def test_items_without_tags_have_no_tokens(task: str, rows: int | None) -> None:
    for column, units in [(pl.Series([None] * N), 0), (pl.Series(["B-X O", None] * 3), 3)]:
        write(column)
        e = load(**OWN, task=task, part_rows=rows)
        assert e.aligned.items == N
        assert rows or int(e.units["gold"].sum()) == units


def test_a_confidence_of_bytes_is_none() -> None:
    write(UNREADABLE["bytes"], "confidence")
    assert load(**OTHERS).aligned.confidences == {}


SCHEMAS: dict[str, dict[str, Any]] = {
    "lists": {"tokens": pl.List(pl.String), "tags": pl.List(pl.String)},
    "spans": {"text": pl.String, "spans": pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String}))},
    "labels": {"label": pl.String, "text": pl.String},
    "sets": {"labels": pl.List(pl.String)},
    "arrays": {"labels": pl.Array(pl.String, 2)},
    "no columns": {},
}


@pytest.mark.parametrize("options", [(), ("--part-rows", "2")])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_no_rows(schema: str, options: tuple[str, ...], run: Run) -> None:
    pl.DataFrame(schema=SCHEMAS[schema]).write_parquet("p.parquet")
    said = "p.parquet: no rows; expected at least one item"
    refused(run("score", "--gold", "p.parquet", "-s", "s=p.parquet", *options), said)
    write(pl.Series(["A"] * N))
    pl.DataFrame(schema=SCHEMAS[schema]).write_parquet("q.parquet")
    refused(run("score", "--gold", "p.parquet", "-s", "s=p.parquet", "--train", "q.parquet", *options), "q" + said[1:])


@pytest.mark.parametrize("rows", [None, 1])
def test_some_of_several_files_without_rows(rows: int | None) -> None:
    for i, labels in enumerate([[], ["A", "B"], []]):
        pl.DataFrame({"label": labels}, schema={"label": pl.String}).write_parquet(f"{i}.parquet")
    assert load(gold="*.parquet", systems={"s": "*.parquet"}, part_rows=rows).aligned.items == 2
