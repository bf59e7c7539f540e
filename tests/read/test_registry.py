"""A format declares itself: a reader that is registered is detected, read, converted and named like any other."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import polars as pl
import pytest

import slicewise
from slicewise import UserError, convert
from slicewise.read import FORMATS, READERS, lines, open_source, read, streamed, tell_format
from slicewise.read import convert as convert_module
from slicewise.read.parquet import Origin
from slicewise.read.reader import Reader, Sign, Stream, ends_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.commands import Ran

    from slicewise.annotations import Annotations
    from slicewise.read.reader import WriteRows
    from slicewise.read.source import File, Source

    Write = Callable[[str, str | bytes], str]


# ------------------------------------------------------------------ a format made here


def read_toy(source: Source) -> Annotations:
    """Read answers between semicolons, after the sign that toys begin with."""
    return lines.annotate(source.files[0], pl.Series(answers_of(source.files[0].data)))


def answers_of(data: bytes) -> list[str]:
    return data.decode().removeprefix("%toy ").strip().split("; ")


def columnar_toy(source: Source) -> tuple[pl.DataFrame, Origin]:
    return pl.DataFrame({"label": answers_of(source.files[0].data)}), Origin("toy")


def stream_toy(plain: Path, _: File, write: WriteRows) -> bool:
    return write(pl.LazyFrame({"label": answers_of(plain.read_bytes())})).collect().height > 0


TOY = Reader(
    name="toy",
    extensions=(".toy",),
    signs={Sign.EXTENSION: ends_with(".toy"), Sign.CONTENT: lambda source: source.files[0].data.startswith(b"%toy ")},
    read=read_toy,
)
CONVERTED = replace(TOY, tabular=True, columnar=columnar_toy, stream=Stream((".toy",), stream_toy))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setitem(READERS, TOY.name, TOY)
    return TOY


@pytest.fixture
def converted_toy(monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setitem(READERS, CONVERTED.name, CONVERTED)
    return CONVERTED


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(("name", "content"), [("x.toy", "a; b"), ("x.toy", '{"a": 1}'), ("x.txt", "%toy a; b")])
def test_a_registered_format_is_recognised(write: Write, name: str, content: str) -> None:
    assert tell_format(open_source(write(name, content))) == "toy"


@pytest.mark.usefixtures("toy")
def test_a_registered_format_is_read(write: Write) -> None:
    name = write("x.toy", "%toy a; b; c")
    found = read(open_source(name))
    assert found.answers is not None
    assert found.answers.to_list() == ["a", "b", "c"]
    evaluation = slicewise.load(gold=name, systems={"s": write("y.txt", "a\nb\nb\n")}, task="labels")
    assert evaluation.aligned.items == 3


def test_a_format_is_unknown_where_it_is_not_registered(write: Write) -> None:
    assert list(FORMATS) == ["conll", "jsonl", "table", "lines"]
    assert tell_format(open_source(write("x.toy", "%toy a; b"))) == "lines"
    with pytest.raises(UserError, match=r"unknown format 'toy'; .*conll, jsonl, table, lines$"):
        read(open_source("x.toy"), "toy")


@pytest.mark.usefixtures("toy")
def test_a_registered_format_is_named_among_those_that_there_are(write: Write, run: Callable[..., Ran]) -> None:
    name = write("x.toy", "%toy a; b")
    with pytest.raises(UserError, match=r"unknown format 'toys'; did you mean 'toy'.*table, lines, toy$"):
        read(open_source(name), "toys")
    ran = run("score", "--gold", name, "-s", f"s={name}", "--format", "toi", "--resamples", "0")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "did you mean 'toy'? there are: conll, jsonl, table, lines, toy" in ran.err
    assert run("score", "--gold", name, "-s", f"s={name}", "--format", "toy", "--resamples", "0").code == 0


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("options", [(), ("--format", "toy")])
def test_a_format_that_is_not_converted_says_so(
    write: Write, run: Callable[..., Ran], tmp_path: Path, options: tuple[str, ...]
) -> None:
    ran = run("convert", write("x.toy", "%toy a; b"), "-o", "x.parquet", *options)
    assert ran.code == 2
    assert ran.err == "slicewise: x.toy: a file of the format toy, which is not converted; use it as it is\n"
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize("format", ["excel", "parquet", "Table"])
def test_an_unknown_format_is_not_converted_as_a_table(write: Write, run: Callable[..., Ran], format: str) -> None:  # noqa: A002
    ran = run("convert", write("x.csv", "a,b\n1,2\n"), "-o", "x.parquet", "--format", format)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"unknown format '{format}'" in ran.err


@pytest.mark.usefixtures("converted_toy")
@pytest.mark.parametrize("large", [True, False])
def test_a_registered_format_is_converted(write: Write, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    if large:
        monkeypatch.setattr(streamed, "LARGE", 0)
        monkeypatch.setattr(convert_module, "open_source", None)  # nothing has the file whole
    made = convert(write("x.toy", "%toy a; b\n"), "x.parquet")
    assert made.items == 2
    assert tell_format(open_source("x.parquet")) == "toy"
    found = read(open_source("x.parquet")).answers
    assert found is not None
    assert found.to_list() == ["a", "b"]


@pytest.mark.usefixtures("converted_toy")
def test_a_format_that_is_streamed_is_loaded_in_parts(write: Write) -> None:
    write("x.toy", "%toy a; b; c\n")
    loaded = slicewise.load(gold="x.toy", systems={"s": "x.toy"}, task="labels", part_rows=2)
    assert loaded.parts is not None
    assert slicewise.score(loaded, resamples=0).systems["s"].metrics["accuracy"].value == 1


@pytest.mark.usefixtures("toy")
def test_a_format_that_is_not_streamed_is_loaded_whole(write: Write) -> None:
    write("x.toy", "%toy a; b; c\n")
    assert slicewise.load(gold="x.toy", systems={"s": "x.toy"}, task="labels", part_rows=2).parts is None


@pytest.mark.usefixtures("converted_toy")
def test_rows_may_stand_in_a_folder_of_files(write: Write) -> None:
    write("d/x.toy", "%toy a; b")
    write("d/x.txt", "no row")
    assert [file.name for file in open_source("d").files] == ["d/x.toy"]


# ------------------------------------------------------------------ which sign is the surest

CONTENTS = {
    "jsonl": '{"label": "x"}\n{"label": "y"}\n',
    "conll": "Ada\tB-PER\nslept\tO\n\nBob\tB-PER\n",
    "lines": "a thing\nanother, thing\n",
}
ENDINGS = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json", ".JSONL.gz"), "jsonl"),
    **dict.fromkeys((".conll", ".conllu", ".bio", ".iob", ".iob2", ".bioes", ".bmes", ".conll03"), "conll"),
    ".csv": "table",
    **dict.fromkeys((".tsv", ".txt", ".out", ""), None),
}


@pytest.mark.parametrize(("ending", "content", "column"), [*product(ENDINGS, CONTENTS, (None, "1"))])
def test_the_surest_sign_decides(write: Write, ending: str, content: str, column: str | None) -> None:
    if ENDINGS[ending] in ("jsonl", "conll"):
        expected = ENDINGS[ending]
    elif content == "jsonl" or (content == "conll" and ending != ".csv"):
        expected = content
    else:
        expected = "table" if ending == ".csv" or column is not None else "lines"
    name = write(f"x{ending}", CONTENTS[content])
    assert tell_format(open_source(name if column is None else f"{name}:{column}")) == expected
