"""The 0/1 table of items × systems: every way to write it down reads back the same, and a mistake has a line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise import UserError, load
from slicewise.read import matrix
from slicewise.read.source import File, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis.strategies import DrawFn
    from support.commands import Write


BODY = [[1, 0, 1], [0, 0, 1], [1, 1, 1]]


def source(data: bytes, name: str = "m.csv") -> Source:
    return Source(name, (File(name, data, ""),))


def found(content: str | bytes, system_names: Sequence[str] | None = None) -> tuple[Any, list[str], list[list[int]]]:
    """Return item names, systems and values of a table."""
    m = matrix.read(source(content.encode() if isinstance(content, str) else content), system_names)
    assert m.right.dtype == np.uint8
    assert m.right.flags.f_contiguous
    return None if m.names is None else m.names.to_list(), m.systems, m.right.tolist()


def error(content: str | bytes, system_names: Sequence[str] | None = None) -> str:
    with pytest.raises(UserError) as caught:
        found(content, system_names)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ------------------------------------------------------------------ what loads

SEPARATORS = ["\t", ",", ";", " ", "    "]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("header", ["none", "titled", "untitled", "empty title"])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n", "\r\n \r\n"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_dialects(separator: str, header: str, named: bool, newline: str, quote: str) -> None:
    if separator.isspace() and separator != "\t" and header == "empty title" and not quote:
        pytest.skip("an empty cell between spaces is none")
    lines = [[*([f"q{i}"] if named else []), *(str(v) for v in row)] for i, row in enumerate(BODY)]
    if header != "none":
        title = {"titled": ["item"], "untitled": [], "empty title": [""]}[header] if named else []
        lines.insert(0, [*title, "A", "B", "C"])
    text = newline.join(separator.join(quote + cell + quote for cell in line) for line in lines)
    names = ["q0", "q1", "q2"] if named else None
    systems = ["system1", "system2", "system3"] if header == "none" else ["A", "B", "C"]
    assert found(text) == (names, systems, BODY)
    assert found(text + newline) == (names, systems, BODY)
    assert found(newline + text) == (names, systems, BODY)
    assert found(text, ["x", "y", "z"]) == (names, ["x", "y", "z"], BODY)


ZEROS = ["0", "0.0", "0.", "0.00", ".0", "0e0", "0.000000000000000000e+00", "false", "FALSE", "False", " 0 ", '"0"']
ONES = ["1", "1.0", "1.", "1.00", "1e0", "1E0", "1.000000000000000000e+00", "true", "TRUE", "True", " 1 ", '"1"']


@pytest.mark.parametrize(("zero", "one"), list(zip(ZEROS, ONES, strict=True)))
def test_spellings(zero: str, one: str) -> None:
    assert found(f"{zero},{one}\n{one},{one}\n") == (None, ["system1", "system2"], [[0, 1], [1, 1]])
    assert found(f"A,B\n{zero},{one}\n1,0\n") == (None, ["A", "B"], [[0, 1], [1, 0]])


def test_the_example_of_the_differential_evaluation_paper(write: Write) -> None:
    text = (
        "Input/Systems\tA\tB\tC\tD\tE\tF\n762_levodopa\t1\t1\t1\t1\t1\t1\n1004_cyclophosphamide\t1\t1\t1\t1\t1\t1\n"
        "1032_cyclophosphamide\t1\t1\t1\t1\t1\t1\n1034_cyp\t1\t1\t1\t1\t0\t0\n1105_cyp\t1\t0\t1\t1\t0\t0\n"
        "1128_cyp\t1\t0\t0\t1\t0\t1\n"
    )
    e = load(matrix=write("m.tsv", text))
    assert e.systems == ("A", "B", "C", "D", "E", "F")
    assert e.task == "scores"
    assert e.name == "m"
    assert e.aligned.metadata["id"].to_list()[:2] == ["762_levodopa", "1004_cyclophosphamide"]
    assert e.answers("B").to_list() == [1, 1, 1, 1, 0, 0]
    assert np.sum([e.answers(s).to_numpy() for s in e.systems], axis=0).tolist() == [6, 6, 6, 4, 3, 3]


def test_without_item_names_there_is_no_field(write: Write) -> None:
    assert load(matrix=write("m.csv", "A,B\n0,1\n")).aligned.metadata.width == 0


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_files(bom: bytes, pack: Callable[[bytes], bytes], write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pack(bom + b"A,B\r\n0,1\r\n1,1")
    for name in (write("m.csv.gz", data), "-"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        e = load(matrix=name)
        assert e.systems == ("A", "B")
        assert e.answers("A").to_list() == [0, 1]


QUOTING: dict[str, tuple[str, Any]] = {
    "R's write.table": ('"A" "B"\n"q 1" 1 0\n"q 2" 0 0\n', (["q 1", "q 2"], ["A", "B"], [[1, 0], [0, 0]])),
    "R's write.csv": ('"","A","B"\n"1",1,0\n"2",0,0\n', (["1", "2"], ["A", "B"], [[1, 0], [0, 0]])),
    "a separator in a name": ('id,A\n"a, b",1\nc,0\n', (["a, b", "c"], ["A"], [[1], [0]])),
    "a separator in a system": ('id,"A, large"\na,1\n', (["a"], ["A, large"], [[1]])),
    "a doubled quote": ('id,A\n"a ""b""",1\nc,0\n', (['a "b"', "c"], ["A"], [[1], [0]])),
    "spaces about quotes": ('id , "A" , "B"\n"a" , "1" , 0\n', (["a"], ["A", "B"], [[1, 0]])),
    "spaces within quotes": ('id,A\n" a ",1\n', (["a"], ["A"], [[1]])),
    "spaces within quotes between spaces": ('id A\n"a  b"   1  \n  c 0\n', (["a  b", "c"], ["A"], [[1], [0]])),
    "an inch": ('id\tA\n5" disk\t1\n3" disk\t0\n', (['5" disk', '3" disk'], ["A"], [[1], [0]])),
    "words quoted in a name": ('id\tA\nthe "big" one\t1\n', (['the "big" one'], ["A"], [[1]])),
    "words quoted before a name's end": ('id\tA\n"big" one\t1\n', (['"big" one'], ["A"], [[1]])),
    "quotation marks as names": ('"\t1\t0\n"\t0\t1\nx\t1\t1\n', (['"', '"', "x"], None, [[1, 0], [0, 1], [1, 1]])),
    "an open quote": ('id;A\n"hello;1\nbye;0\n', (['"hello', "bye"], ["A"], [[1], [0]])),
    "a line end in a name": ('id,A,B\n"a\nb",1,0\nc,0,1\n', (["a\nb", "c"], ["A", "B"], [[1, 0], [0, 1]])),
    "a line end in the first name": ('"a\r\nb",1\r\nc,0\r\n', (["a\nb", "c"], None, [[1], [0]])),
    "a line end in a system": ('id,"A\nlarge",B\nc,0,1\n', (["c"], ["A large", "B"], [[0, 1]])),
    "a blank line in a name": ('id,A,B\n"a\n\nb",1,0\n', (["a\n\nb"], ["A", "B"], [[1, 0]])),
}


@pytest.mark.parametrize("case", QUOTING)
def test_quoting(case: str) -> None:
    text, (names, systems, values) = QUOTING[case]
    assert found(text) == (names, systems or [f"system{i + 1}" for i in range(len(values[0]))], values)


# ------------------------------------------------------------------ header or row, names or values

HEADERS: dict[str, tuple[str, list[str] | None, Any]] = {
    "words": ("A,B\n0,1\n", None, (None, ["A", "B"], [[0, 1]])),
    "one system": ("A\n0\n1\n", None, (None, ["A"], [[0], [1]])),
    "one system with a space in its name": ("big one\n0\n1\n", None, (None, ["big one"], [[0], [1]])),
    "one system without a header": ("0\n1\n", None, (None, ["system1"], [[0], [1]])),
    "one system with item names": ("A\nx 0\ny 1\n", None, (["x", "y"], ["A"], [[0], [1]])),
    "seeds": ("id,13,42\nx,0,1\n", None, (["x"], ["13", "42"], [[0, 1]])),
    "numbers, shorter by a cell": ("1 2 3\nx 0 1 0\n", None, (["x"], ["1", "2", "3"], [[0, 1, 0]])),
    "a frame's numbers": (",0,1\n0,1,1\n1,0,0\n", None, (["0", "1"], ["0", "1"], [[1, 1], [0, 0]])),
    "quoted numbers": ('"0","1"\n1,1\n', None, (None, ["0", "1"], [[1, 1]])),
    "quoted numbers over names": ('"id","0","1"\n"x",1,1\n', None, (["x"], ["0", "1"], [[1, 1]])),
    "numbers that are given": ("0,1\n1,1\n", ["0", "1"], (None, ["0", "1"], [[1, 1]])),
    "numbers that are given, over names": ("id,1,0\nx,1,1\n", ["1", "0"], (["x"], ["1", "0"], [[1, 1]])),
    "a row with a name": ("x,0,1\ny,1,1\n", None, (["x", "y"], ["system1", "system2"], [[0, 1], [1, 1]])),
    "stripped": (" id , A , B \n x , 0 , 1 \n", None, (["x"], ["A", "B"], [[0, 1]])),
    "given, and a header": ("A,B\n0,1\n", [" x", "y "], (None, ["x", "y"], [[0, 1]])),
    "given, and a header over names": ("id,A\nx,1\n", ["y"], (["x"], ["y"], [[1]])),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers(case: str) -> None:
    text, given_names, expected = HEADERS[case]
    assert found(text, given_names) == expected


NAMES: dict[str, tuple[str, list[str] | None, list[str] | None]] = {
    "numbers from 0": ("id,A\n0,1\n1,0\n2,1\n3,1\n", None, ["0", "1", "2", "3"]),
    "three numbers": ("0,1\n1,0\n2,1\n", None, ["0", "1", "2"]),
    "17": ("id,A\n1,1\n17,0\n", None, ["1", "17"]),
    "numbers that repeat": ("id,A\n0,1\n0,0\n1,1\n2,0\n2,1\n3,1\n", None, ["0", "0", "1", "2", "2", "3"]),
    "leading zeros": ("id,A\n00,1\n01,0\n", None, ["00", "01"]),
    "words among them NA": ("id,A\nNA,1\nnan,0\nword,1\n0.5,0\n", None, ["NA", "nan", "word", "0.5"]),
    "0/1 under a header that is shorter": ("A\n0,1\n1,0\n", None, ["0", "1"]),
    "0/1 under an empty title": (",A\n0,1\n1,0\n", None, ["0", "1"]),
    "0/1 under a title": ("id,A\n0,1\n1,0\n", None, None),
    "0/1 under a title, with the systems given": ("id,A\n0,1\n1,0\n", ["A"], ["0", "1"]),
    "fractions, with the systems given": ("id,A\n0.5,1\n1,0\n", ["A"], ["0.5", "1"]),
    "an empty one": ("id,A,B\n,1,0\nx,1,1\n", None, ["", "x"]),
    "repeated": ("id,A\nx,1\nx,1\n", None, ["x", "x"]),
    "not ASCII": ("id,A\nžlutý kůň,1\n\U0001f40e,0\n", None, ["žlutý kůň", "\U0001f40e"]),
    "a byte-order mark of its own": ("\ufeffx,1\ny,0\n", None, ["\ufeffx", "y"]),
    "commas between tabs": ("id\tA\na, b; c\t1\nd\t0\n", None, ["a, b; c", "d"]),
    "commas between semicolons": ("id;A\na, 1;1\nd e 1;0\n", None, ["a, 1", "d e 1"]),
    "commas between spaces": ("id A\na,1,1 1\nd;0 0\n", None, ["a,1,1", "d;0"]),
}


@pytest.mark.parametrize("case", NAMES)
def test_item_names(case: str) -> None:
    text, given_names, names = NAMES[case]
    assert found(text, given_names)[0] == names


# ------------------------------------------------------------------ mistakes

WRONG = ["2", "0.5", "-1", "NA", "NaN", "", "yes", "01", "+1", "1e1", "0x1", "'1'", "1 1", "1,0", "inf", "t", "falſe"]


@pytest.mark.parametrize("cell", WRONG)
@pytest.mark.parametrize("separator", ["\t", ";"])
@pytest.mark.parametrize("column", [1, 2])
def test_a_cell_that_is_neither(cell: str, separator: str, column: int) -> None:
    row = ["x", "1", "1"]
    row[column] = cell
    lines = ["id A B", "", "w 0 1", "y 1 0", " ", separator.join(row), "z 1 1"]
    text = "\r\n".join(line if i == 5 else line.replace(" ", separator) for i, line in enumerate(lines))
    text = text.replace(f"\r\n{separator}\r\n", "\r\n \r\n")
    name = "AB"[column - 1]
    assert error(text).startswith(f"m.csv:6: '{cell}' is neither 0 nor 1 in column {column + 1}, '{name}'; expected ")


@pytest.mark.parametrize("cell", ["0.5", "2", "-1", "1e1"])
def test_scores_have_a_way(cell: str) -> None:
    assert "--system NAME=FILE:COLUMN" in error(f"A,B\n1,{cell}\n")
    assert "--threshold" in error(f"1,{cell}\n1,{cell}\n")


@pytest.mark.parametrize("cell", ["NA", "", "nan", "-"])
def test_missing_answers_have_a_way(cell: str) -> None:
    assert error(f"A,B\n1,{cell}\n").endswith("; write 0 or 1, or leave the item out")


MISTAKES: dict[str, tuple[str | bytes, list[str] | None, str]] = {
    "too few": ("A,B\n0,1\n1\n", None, "m.csv:3: 1 column; expected 2, as in line 2"),
    "too many": ("A,B\n\n0,1\n1,1,1\n", None, "m.csv:4: 3 columns; expected 2, as in line 3"),
    "too few in the first row": ("A,B\n1\n0,1\n", None, "m.csv:2: 1 column; expected 2, as in the header"),
    "too few in the first row, of no header": ("0,1\n1,0,1\n", None, "m.csv:2: 3 columns; expected 2, as in line 1"),
    "too few in the first row, with a name": ("q,1\nr,1,0\n", None, "m.csv:2: 3 columns; expected 2, as in line 1"),
    "one column under two names": ("A,B\n1\n0\n", None, "m.csv:2: 1 column; expected 2, as in the header"),
    "too many in a row for its header": ("A,B\n1,1,1,1\n", None, "m.csv:2: 4 columns; expected 2, as in the header"),
    "too few, of no header": ("q,0,1\n\nr,1\n", None, "m.csv:3: 2 columns; expected 3, as in line 1"),
    "too few, between spaces": ("A B\n0 1\n1\n", None, "m.csv:3: 1 column; expected 2"),
    "a separator at the end": ("A,B\n0,1,\n1,1,\n", None, "m.csv:2: '' is neither 0 nor 1 in column 3, 'B'"),
    "header only": ("A,B\n", None, "m.csv: a header and no rows"),
    "header and blank lines": ("\n\nA,B\n\n \n", None, "m.csv: a header and no rows"),
    "names only": ("x\ny\nz\n", None, "m.csv:2: one column, and it is not 0/1"),
    "a word in one column": ("A\n0\n1\ny\n", None, "m.csv:4: 'y' is neither 0 nor 1 in column 1, 'A'"),
    "names and words": ("id,A\nx,good\ny,bad\n", None, "m.csv:2: 'good' is neither 0 nor 1 in column 2, 'A'"),
    "a name twice": ("A,B,A\n0,1,1\n", None, "m.csv: two columns have the same name, 'A'"),
    "a name twice when stripped": ('A,B," A "\n0,1,1\n', None, "m.csv: two columns have the same name, 'A'"),
    "a given name twice": ("0,1\n", ["x", "x "], "m.csv: two columns have the same name, 'x'"),
    "a name is missing": ("id,A,\nx,1,1\n", None, "m.csv: the name of system 2 is empty"),
    "a given name is empty": ("0,1\n", ["x", " "], "m.csv: the name of system 2 is empty"),
    "too many names": ("0,1\n1,1\n", ["x", "y", "z"], "m.csv: 2 columns of 0/1 but 3 names in --system-names"),
    "too few names": ("0,1,1\n1,1,0\n", ["x", "y"], "m.csv: 3 columns of 0/1 but 2 names in --system-names"),
    "a name too many": (",A,B\n0,1,1\n", ["x", "y", "z"], "m.csv: 2 columns of 0/1 but 3 names in --system-names"),
    "no names at all": ("0\n1\n", [], "m.csv: 1 column of 0/1 but 0 names"),
    "bytes": (b"A,B\n0,1\n\xff,1\n", None, "m.csv:3: byte 0xff is not valid UTF-8"),
    "Latin-1": ("id,A\nx,0\ncafé,1\n".encode("latin-1"), None, "m.csv:3: byte 0xe9 is not valid UTF-8"),
    "NUL": (b"A,B\r\n0,1\r\n\0,1\r\n", None, "m.csv:3: a NUL byte"),
    "Parquet": (b"PAR1\0\0", None, "m.csv: this is a Parquet file"),
    "blank": (b"\n \n", None, "m.csv: the file is empty"),
    "an open quote in the header": ('"A,B\n0,1\n', None, "m.csv:1: a quote in the header is not closed"),
    "after a cell with a line end": ('id,A,B\n"a\nb",1,0\n\nc,0,x\n', None, "m.csv:5: 'x' is neither 0 nor 1"),
    "in a row with a line end": ('id,A,B\nw,1,1\n"a\nb",1,x\nc,0,1\n', None, "m.csv:3: 'x' is neither 0 nor 1"),
    "after an open quote": ('id\tA\n"a\t1\n"b\t1\nc\tx\n', None, "m.csv:4: 'x' is neither 0 nor 1"),
    "a row that looks like a header": ("q,1,x\nr,1,0\n", None, "m.csv:1: 'x' is neither 0 nor 1 in column 3; "),
    "a first row without answers": ("q,NA,NA\nr,1,0\n", None, "m.csv:1: 'NA' is neither 0 nor 1 in column 2; "),
    "scores and no header": ("0.5,0.7\n0.1,0.2\n", None, "m.csv:1: '0.7' is neither 0 nor 1 in column 2; "),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case: str) -> None:
    content, given_names, message = MISTAKES[case]
    assert error(content, given_names).startswith(message)


SPOILT = {
    "a two": ("A,B\n0,1\n1,1\n1,0\n2,1\n", "m.csv:5: '2'"),
    "a word": ("A,B\n0,1\n\n1,1\n1,0\nx,1\n0,0\n", "m.csv:6: 'x'"),
    "a gap": ("A,B\n0,1\n,1\n", "m.csv:3: ''"),
    "NA": ("A,B\n0,1\nNA,1\n", "m.csv:3: 'NA'"),
    "a score": ("A,B\n0.5,1\n0.25,1\n", "m.csv:2: '0.5'"),
    "a negative": ("A,B\n1,1\n-1,1\n", "m.csv:3: '-1'"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_system_with_a_mistake_does_not_become_the_item_names(case: str) -> None:
    text, message = SPOILT[case]
    found_error = error(text)
    assert found_error.startswith(f"{message} is neither 0 nor 1 in column 1, 'A'; ")
    assert found_error.endswith("; if this column names the items, name the others with --system-names")
    assert found(text, ["B"])[0] is not None
    assert error(text, ["A", "B"]).startswith(message)


def test_a_first_line_that_is_not_clear_has_a_way() -> None:
    text = "id,0,1,2\nx,1,1,0\n"
    assert error(text).endswith("; if this line is a header, give its names with --system-names")
    assert found(text, ["0", "1", "2"]) == (["x"], ["0", "1", "2"], [[1, 1, 0]])


def test_a_column_cannot_be_named(write: Write) -> None:
    with pytest.raises(UserError, match=r"^m\.csv: the column 'A' is named; --matrix reads all columns"):
        load(matrix=write("m.csv", "A,B\n0,1\n") + ":A")


@pytest.mark.parametrize("given_names", [None, ["A", "gold"]])
def test_names_that_tables_use(given_names: list[str] | None, write: Write) -> None:
    with pytest.raises(UserError, match="a system cannot be called 'gold'"):
        load(matrix=write("m.csv", "A,gold\n0,1\n"), system_names=given_names)


def test_long_cells_are_shown_short() -> None:
    assert len(error("A,B\n0,1\n0," + "1" * 100_000 + "\n")) < 400


# ------------------------------------------------------------------ size

LARGE: dict[str, tuple[bytes, str | tuple[int, int]]] = {
    "blank lines": (b"A,B\n" + b"\n" * 1_000_000 + b"0,1\n" + b" \r\n" * 1_000_000 + b"1,1\n", (2, 2)),
    "blank lines and a mistake": (b"A,B\n" + b"\n" * 1_000_000 + b"0,1\n1,2\n", "m.csv:1000003: '2'"),
    "a long name": (b"id,A\n" + b"x" * 3_000_000 + b",1\nq,1\n", (2, 1)),
    "a long name in quotes": (b'id,A\n"' + b"x," * 1_500_000 + b'",1\nq,1\n', (2, 1)),
    "a long line of spaces": (b"A,B\n" + b" " * 3_000_000 + b"\n0,1\n", (1, 2)),
    "many spaces between cells": (b"A B\n0" + b" " * 3_000_000 + b"1\n", (1, 2)),
    "a long number": (b"id,A\nq,1\nq," + b"1" * 1_000_000 + b"x\n", "m.csv:3: '1111"),
    "a long header": (b"id,A," + b"y" * 3_000_000 + b"\nq,1,0\n", (1, 2)),
    "a long row": (b"A,B\n0,1\n" + b"0,1," * 750_000 + b"0\n", "m.csv:3: 1,500,001 columns; expected 2"),
    "long rows": ((b"0,1," * 75_000 + b"0\n") * 2, "m.csv:1: 150,001 columns; expected one per system"),
    "quotes": (b"id,A\nw,1\n" + b'"' * 3_000_001 + b",1\n", (2, 1)),
    "open quotes": (b"id,A\n" + b'"a,1\n' * 50_000, (50_000, 1)),
    "2,000 columns": ((b",".join([b"0", b"1"] * 1_000) + b"\n") * 500, (500, 2_000)),
    "100 systems": (
        b"id" + b"".join(b"\ts%d" % i for i in range(100)) + b"\n" + (b"q" + b"\t1" * 100 + b"\n") * 20_000,
        (20_000, 100),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_large(case: str) -> None:
    data, expected = LARGE[case]
    if isinstance(expected, str):
        assert error(data).startswith(expected)
    else:
        assert matrix.read(source(data)).right.shape == expected


def test_several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "PIECE", 1 << 16)
    right = np.random.default_rng(0).integers(0, 2, (100_000, 8), np.uint8)
    cells = np.full((len(right), 16), ord(","), np.uint8)
    cells[:, ::2] = right + ord("0")
    cells[:, -1] = ord("\n")
    assert np.array_equal(matrix.read(source(cells.tobytes())).right, right)
    cells[90_000, 6] = ord("7")
    assert error(cells.tobytes()).startswith("m.csv:90001: '7' is neither 0 nor 1 in column 4; ")
    cells[90_000, 6] = ord("1")
    cells[80_000, 0] = ord("7")
    assert error(cells.tobytes()).startswith("m.csv:80001: '7' is neither 0 nor 1 in column 1; ")


# ------------------------------------------------------------------ laws


@dataclass(frozen=True)
class Written:
    """A table as text, and what is in it."""

    rows: list[list[str]]
    """The cells as they are written."""
    right: list[list[int]]
    names: list[str] | None
    header: list[str] | None
    systems: list[str]
    separators: list[str]
    newline: str
    gaps: list[str]
    """What stands before each line."""
    last_newline: bool

    def text(self) -> tuple[str, list[int]]:
        """Return the text, and the line on which each row begins."""
        lines = [*([] if self.header is None else [self.header]), *self.rows]
        out, starts = "", []
        for i, cells in enumerate(lines):
            out += self.gaps[i % len(self.gaps)].replace("\n", self.newline)
            starts.append(out.count("\n") + 1)
            out += cells[0]
            for j, cell in enumerate(cells[1:]):
                out += self.separators[(i + j) % len(self.separators)] + cell
            out += self.newline
        out = out if self.last_newline else out.removesuffix(self.newline)
        return out, starts[-len(self.rows) :]


@st.composite
def written(draw: DrawFn) -> Written:
    """Draw a table in some dialect; what cannot be told is not drawn."""
    items, count = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    right = [[draw(st.integers(0, 1)) for _ in range(count)] for _ in range(items)]
    separator = draw(st.sampled_from(["\t", ",", ";", " "]))
    quoting = draw(st.sampled_from(["none", "needed", "words", "all"]))
    named = draw(st.booleans())
    letters = 'ab é"' + ("" if quoting == "none" or not (named or count > 1) else ",;\t")
    letters = letters.replace(separator, "") if quoting == "none" else letters
    word = st.text(letters, max_size=5).map("w{}w".format)
    pad = st.just("") if separator == " " else draw(st.sampled_from([st.just(""), st.sampled_from(["", " ", "  "])]))

    def cell(text: str, *, is_word: bool) -> str:
        needed = any(c in text for c in f'{separator}"\n')
        quoted = quoting == "all" or (quoting == "words" and is_word) or (quoting == "needed" and needed)
        inside = '"' + text.replace('"', '""') + '"' if quoted else text
        return draw(pad) + inside + draw(pad)

    line_ends = quoting != "none" and draw(st.booleans())
    names = None
    if named:
        names = draw(st.lists(word, min_size=items, max_size=items))
        if line_ends:  # no separators here: taken line by line, such a table could be whole
            names = [name if set(name) & set(",;\t ") else f"w\n{name}" for name in names]
    spellings = (
        draw(st.sampled_from([("0",), ("0", "0.0", "false", "FALSE")])),
        draw(st.sampled_from([("1",), ("1", "1.0", "true", "1e0")])),
    )
    rows = [
        [
            *([] if names is None else [cell(names[i], is_word=True)]),
            *(cell(draw(st.sampled_from(spellings[v])), is_word=False) for v in right[i]),
        ]
        for i in range(items)
    ]
    systems, header = [f"system{i + 1}" for i in range(count)], None
    if draw(st.booleans()):
        systems = draw(st.lists(word, min_size=count, max_size=count, unique=True))
        titles = [[], ["w"]] if separator == " " and quoting != "all" else [[], [""], ["w"]]
        title = [] if names is None else draw(st.sampled_from(titles))
        header = [cell(name, is_word=True) for name in [*title, *systems]]
    runs = st.lists(st.sampled_from([" ", "  ", "     "]), min_size=1, max_size=3)
    return Written(
        rows, right, names, header, systems,
        draw(runs) if separator == " " else [separator],
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.lists(st.sampled_from(["", "\n", " \n\n"]), min_size=1, max_size=3)),
        draw(st.booleans()),
    )  # fmt: skip


PIECES = st.sampled_from([1, 16, 1 << 24])


@given(written(), PIECES, st.booleans())
def test_what_is_written_reads_back(table: Written, piece: int, row_by_row: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "PIECE", piece)
        if row_by_row:
            patch.setattr(matrix, "_fast", lambda piece, layout: None)
        assert found(table.text()[0]) == (table.names, table.systems, table.right)


@given(written(), PIECES, st.data())
def test_a_mistake_has_its_line(table: Written, piece: int, data: st.DataObject) -> None:
    columns = range(1, len(table.rows[0]))
    if not columns or len(table.rows) == 1:
        return  # nothing tells a name from an answer, or a comma from a separator
    row, column = data.draw(st.integers(0, len(table.rows) - 1)), data.draw(st.sampled_from(columns))
    if row == 0 and table.header is None:
        return  # it could then be a header
    cells = [list(r) for r in table.rows]
    cells[row][column] = data.draw(st.sampled_from(["2", "0.5", "NA", "x", '"x"']))
    spoilt = Written(**{**table.__dict__, "rows": cells})
    text, lines = spoilt.text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "PIECE", piece)
        with pytest.raises(UserError) as caught:
            found(text)
    assert caught.value.line == lines[row]


NOISE = st.binary(max_size=60) | st.text('01,;\t "\n\r.ax', max_size=60).map(str.encode)


@given(NOISE, st.none() | st.just(["a", "b"]))
def test_anything_at_all_is_a_table_or_an_error(data: bytes, given_names: list[str] | None) -> None:
    try:
        m = matrix.read(source(data), given_names)
    except UserError:
        return
    assert m.right.shape[0] > 0
    assert m.right.shape[1] == len(m.systems) == len(set(m.systems)) > 0
    assert m.names is None or len(m.names) == m.right.shape[0]
    assert set(m.right.ravel().tolist()) <= {0, 1}


@given(st.text('01, "\nax', max_size=40), PIECES)
def test_by_the_column_and_by_the_row_are_the_same(text: str, piece: int) -> None:
    def outcome(*, row_by_row: bool) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matrix, "PIECE", piece)
            if row_by_row:
                patch.setattr(matrix, "_fast", lambda piece, layout: None)
            try:
                return found(text)
            except UserError as problem:
                return str(problem)

    assert outcome(row_by_row=False) == outcome(row_by_row=True)
