"""The unit table as CSV, JSONL and Parquet."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.commands import Run, Write


GOLD = '-DOCSTART-\tO\n\nAda\tB-PER\nLovelace\tI-PER\n\nBob\tB-PER\n\n-DOCSTART-\tO\n\n"Rome\tB-LOC\n,x\tO\n'
SYSTEM = '-DOCSTART-\tO\n\nAda\tB-PER\nLovelace\tO\n\nBob\tB-ORG\n\n-DOCSTART-\tO\n\n"Rome\tB-LOC\n,x\tB-LOC\n'

COLUMNS = ("item", "start", "end", "label", "text", "gold", "s", "t", "cluster")
EXPECTED: list[dict[str, Any]] = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (
        (0, 0, 1, "PER", "Ada", False, True, False, 0),
        (0, 0, 2, "PER", "Ada Lovelace", True, False, True, 0),
        (1, 0, 1, "ORG", "Bob", False, True, False, 0),
        (1, 0, 1, "PER", "Bob", True, False, True, 0),
        (2, 0, 1, "LOC", '"Rome', True, True, True, 1),
        (2, 1, 2, "LOC", ",x", False, True, False, 1),
    )
]
BINS = [1, 1, 1, 1, 2, 1]
ERRORS = ["boundary", "boundary", "type", "type", "", "spurious"]


def by_place(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["item"], row["start"], row["end"], row["label"]


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    write("g.conll", GOLD)
    write("s.conll", SYSTEM)
    return ("units", "--gold", "g.conll", "--system", "s=s.conll", "--system", "t=g.conll")


READERS: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {
    "csv": lambda data: pl.read_csv(io.BytesIO(data)).to_dicts(),
    "jsonl": lambda data: [json.loads(line) for line in data.decode().split("\n") if line],
    "parquet": lambda data: pl.read_parquet(io.BytesIO(data)).to_dicts(),
}


@pytest.mark.parametrize("ending", READERS)
def test_file(ending: str, data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    assert run(*data, "-o", f"x.{ending}").code == 0
    assert {path.name for path in tmp_path.iterdir()} - before == {f"x.{ending}"}
    rows = READERS[ending]((tmp_path / f"x.{ending}").read_bytes())
    assert sorted(rows, key=by_place) == EXPECTED


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("given", ["bins,errors", "errors, bins", "bins,errors,"])
def test_bins_and_errors(ending: str, given: str, data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    assert run(*data, "--with", given, "--output", f"x.{ending}").code == 0
    rows = sorted(READERS[ending]((tmp_path / f"x.{ending}").read_bytes()), key=by_place)
    assert [row["bin"] for row in rows] == BINS
    assert [row["error:s"] or "" for row in rows] == ERRORS
    assert {row["error:t"] or "" for row in rows} == {""}
    assert [{key: row[key] for key in COLUMNS} for row in rows] == EXPECTED


def test_missed(write: Write, run: Run) -> None:
    write("g.conll", "Ada\tB-PER\n")
    write("s.conll", "Ada\tO\n")
    ran = run("units", "--gold", "g.conll", "--system", "s=s.conll", "--with", "bins,errors", "--json", "-")
    (row,) = json.loads(ran.out)["result"]["units"]
    assert (row["gold"], row["s"], row["bin"], row["error:s"]) == (True, False, 0, "missed")


def test_json(data: tuple[str, ...], run: Run) -> None:
    found = json.loads(run(*data, "--json", "-").out)
    assert found["command"] == "units"
    assert sorted(found["result"]["units"], key=by_place) == EXPECTED


def test_csv_folder(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    assert run(*data, "--csv", "out").code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["units.csv"]
    rows = READERS["csv"]((tmp_path / "out" / "units.csv").read_bytes())
    assert sorted(rows, key=by_place) == EXPECTED


def test_labels_have_no_places(write: Write, run: Run) -> None:
    write("g.txt", "a\nb\n")
    write("s.txt", "a\na\n")
    rows = json.loads(run("units", "--gold", "g.txt", "--system", "s=s.txt", "--json", "-").out)["result"]["units"]
    assert [(r["item"], r["label"], r["gold"], r["s"]) for r in rows] == [
        (0, "a", True, True),
        (1, "a", False, True),
        (1, "b", True, False),
    ]
    assert not {"start", "end"} & set(rows[0])


def test_bins_count_a_system_with_restarts_once(write: Write, run: Run) -> None:
    write("g.conll", GOLD)
    write("s.conll", SYSTEM)
    arguments = ("--gold", "g.conll", "-s", "a=g.conll", "-s", "a=s.conll", "-s", "b=g.conll", "--with", "bins")
    rows = json.loads(run("units", *arguments, "--json", "-").out)["result"]["units"]
    assert max(row["bin"] for row in rows) == 2
    assert {"a#1", "a#2", "b"} <= set(rows[0])


def test_an_unknown_group_writes_nothing(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    ran = run(*data, "--with", "bins,erorrs", "-o", "x.csv")
    assert ran.code == 2
    assert ran.err.startswith("slicewise: unknown column group 'erorrs'; did you mean 'errors'?")
    assert sorted(tmp_path.iterdir()) == before


def test_several_data_sets_and_one_file(data: tuple[str, ...], run: Run, write: Write, tmp_path: Path) -> None:
    one = '[[dataset]]\nname = "{}"\ngold = "g.conll"\nsystems = {{s = "s.conll"}}\n'
    write("c.toml", one.format("a") + one.format("b"))
    before = sorted(tmp_path.iterdir())
    ran = run("units", "--config", "c.toml", "-o", "x.csv")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_the_terminal_says_how_many_more(write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\n\n" * 50)
    ran = run("units", "--gold", "g.conll", "--system", "s=g.conll")
    assert "50 units" in ran.out
    assert "30 more" in ran.out


def test_no_units_at_all(write: Write, run: Run, tmp_path: Path) -> None:
    write("g.conll", "a\tO\n\nb\tO\n")
    ran = run("units", "--gold", "g.conll", "--system", "s=g.conll", "--with", "bins,errors", "-o", "x.csv")
    assert ran.code == 0
    header = (tmp_path / "x.csv").read_text(encoding="utf-8").strip()
    assert header.startswith("item,start,end,label,text,gold,s")


@pytest.mark.parametrize("ending", READERS)
def test_several_references(ending: str, write: Write, run: Run, tmp_path: Path) -> None:
    """They are a list; in CSV, which has none, tabs separate them as in lines."""
    write("g.jsonl", '{"output": ["a b", "a"]}\n{"output": ["c"]}\n{"output": []}\n')
    write("s.txt", "a b\nd\ne\n")
    data = ("units", "--gold", "g.jsonl", "-s", "s=s.txt", "--task", "text")
    assert run(*data, "-o", f"x.{ending}").code == 0
    rows = READERS[ending]((tmp_path / f"x.{ending}").read_bytes())
    expected: list[Any] = ["a b\ta", "c", ""] if ending == "csv" else [["a b", "a"], ["c"], []]
    assert [row["gold"] or "" if ending == "csv" else row["gold"] for row in rows] == expected
    assert run(*data, "--csv", "out").code == 0
    assert run(*data).code == 0


@pytest.mark.parametrize("text", ['"text": null, ', ""])
@pytest.mark.parametrize("answer", ['"label": "A"', '"labels": ["A"]', '"output": "A"', '"score": 1'])
def test_an_item_without_text(answer: str, text: str, write: Write, run: Run) -> None:
    file = write("g.jsonl", f'{{"text": "a b", {answer}}}\n{{{text}{answer}}}\n')
    gold = () if "score" in answer else ("--gold", file)
    data = ("units", *gold, "-s", f"s={file}", "--with", "attributes")
    assert [row["text"] for row in json.loads(run(*data, "--json", "-").out)["result"]["units"]] == ["a b", None]
    shown = run(*data)
    assert (shown.code, shown.err.count("Traceback")) == (0, 0)


FIELDS = ("item", "start", "end", "label", "text", "gold", "s", "cluster", "bin", "error:s", "field:item", "in", "unit")
TASKS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "spans": ({"tokens": ["a", "b"], "tags": ["B-X", "O"]}, ("--with", "bins,errors,attributes")),
    "tokens": ({"tokens": ["a", "b"], "tags": ["B-X", "O"]}, ("--with", "bins,attributes")),
    "labels": ({"text": "a", "label": "X"}, ("--with", "bins,attributes")),
    "multilabel": ({"text": "a", "labels": ["X"]}, ("--with", "attributes")),
    "text": ({"text": "a", "output": "X"}, ("--with", "attributes")),
    "scores": ({"text": "a", "score": 1}, ("--with", "bins,attributes")),
}


@pytest.mark.parametrize("task", TASKS)
def test_fields_of_the_data_that_are_called_as_columns_are(task: str, write: Write, run: Run) -> None:
    """A field whose name the table has already stands beside it, and none is lost."""
    answer, extras = TASKS[task]
    fields = [name for name in FIELDS if name not in ("text", "label")]
    rows = [{name: True if name == "gold" else f"{name} {i}" for name in fields} | answer for i in range(2)]
    file = write("g.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    gold = () if task == "scores" else ("--gold", file)
    data = ("units", *gold, "-s", f"s={file}", "--task", task)
    plain = json.loads(run(*data, "--json", "-").out)["result"]["units"]
    found = json.loads(run(*data, *extras, "--json", "-").out)["result"]["units"]
    assert [{name: row[name] for name in plain[0]} for row in found] == plain
    for name in set(fields) - {"gold"}:
        assert [row for row in found if f"{name} {row['item']}" in row.values()] == found
    for output in ((), ("--csv", "out"), ("-o", "x.parquet")):
        assert run(*data, *extras, *output).code == 0


def test_a_system_that_is_called_as_an_attribute_is(write: Write, run: Run) -> None:
    write("g.txt", "A\nB\n")
    write("in.txt", "one two\nthree\n")
    data = ("--gold", "g.txt", "-s", "tokens=g.txt", "--input", "in.txt", "--with", "attributes")
    rows = json.loads(run("units", *data, "--json", "-").out)["result"]["units"]
    assert [(row["tokens"], row["attribute:tokens"]) for row in rows] == [(True, 2), (True, 1)]


def test_decimals(write: Write, run: Run, tmp_path: Path) -> None:
    write("nothing", "")
    price = pl.Series("price", ["1.50", None], dtype=pl.String).cast(pl.Decimal(10, 2))
    pl.DataFrame({"label": ["A", "B"], "price": price}).write_parquet(tmp_path / "g.parquet")
    data = ("--gold", "g.parquet:label", "-s", "s=g.parquet:label", "--task", "labels")
    rows = json.loads(run("units", *data, "--with", "attributes", "--json", "-").out)["result"]["units"]
    assert [row["price"] for row in rows] == [1.5, None]
