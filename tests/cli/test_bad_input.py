"""Wrong files through the real command: exit code 2, one line that names the place, and nothing left behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from support.work import assert_proportional, no_hang

from slicewise import UserError, load

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Ran, Run, Write


GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nin\tO\nRome\tB-LOC\n"
LABELS = "a\nb\na\n"


def parquet(columns: dict[str, list[object]]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def spans(*found: dict[str, object]) -> str:
    first = {"tokens": ["x"], "spans": []}
    return "".join(json.dumps(o) + "\n" for o in (first, {"tokens": ["Ada", "met", "Bob"], "spans": list(found)}))


def texts(*found: dict[str, object]) -> str:
    return json.dumps({"text": "x", "spans": []}) + "\n" + json.dumps({"text": "Ada met", "spans": list(found)}) + "\n"


SPAN = {"start": 0, "end": 1, "label": "X"}
WHOLE = parquet({"label": ["a", "b", "a"], "text": ["x", "y", "z"]})

# Each case: what the system's file is called, what is in it, and what the message must say; gold is right.
CONLL: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("s.conll", "", r"s\.conll: the file is empty"),
    "blank lines": ("s.conll", "\n \n\t\n\r\n", r"s\.conll: the file is empty"),
    "byte order mark alone": ("s.conll", b"\xef\xbb\xbf", r"s\.conll: the file is empty"),
    "comments alone": ("s.conll", "# a\n# b c d\n", r"s\.conll:.*"),
    "documents alone": ("s.conll", "-DOCSTART-\tO\n\n-DOCSTART-\tO\n", r"s\.conll: no line with a token"),
    "binary": ("s.conll", bytes(range(256)) * 20, r"s\.conll: this is a binary file"),
    "NUL bytes": ("s.conll", GOLD.replace("met", "m\0t"), r"s\.conll: this is a binary file"),
    "picture": ("s.conll", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"s\.conll: this is a binary file"),
    "invalid UTF-8": (
        "s.conll",
        GOLD.encode().replace(b"Rome", b"R\xf4me"),
        r"s\.conll:6: byte 0xf4 is not valid UTF-8",
    ),
    "cut UTF-8": ("s.conll", GOLD.encode() + b"\nx\tB-\xc3", r"s\.conll:8: byte 0xc3 is not valid UTF-8"),
    "Latin-1 and spaces": (
        "s.conll",
        GOLD.replace("\t", " ").encode().replace(b"in ", b"\xfcn "),
        r"s\.conll:5: .*UTF-8",
    ),
    "UTF-16": ("s.conll", GOLD.encode("utf-16"), r"s\.conll: the file is UTF-16"),
    "UTF-16 big-endian": ("s.conll", b"\xfe\xff" + GOLD.encode("utf-16-be"), r"s\.conll: the file is UTF-16"),
    "cut in a line": (
        "s.conll",
        GOLD[: GOLD.index("Rome") + 3],
        r"s\.conll:6: too few columns: 1 column; expected 2.*cut",
    ),
    "cut after a line": (
        "s.conll",
        GOLD[: GOLD.index("Rome")],
        r"s\.conll:6: sentence 2 has 2 tokens, but 3 in g\.conll; .*g\.conll:6;",
    ),
    "fewer sentences": (
        "s.conll",
        GOLD[: GOLD.index("Bob")],
        r"s\.conll: 1 sentence, but 2 in g\.conll; g\.conll:4 is the first",
    ),
    "more sentences": (
        "s.conll",
        GOLD + "\n\nEve\tO\n",
        r"s\.conll:9: 3 sentences, but 2 in g\.conll; s\.conll:9 is the first",
    ),
    "a token more": (
        "s.conll",
        GOLD.replace("in\t", "in\tO\nthe\t"),
        r"s\.conll:6: sentence 2 has 4 tokens, but 3 in g\.conll; .*g\.conll:6;",
    ),
    "a token less": (
        "s.conll",
        GOLD.replace("in\tO\n", ""),
        r"s\.conll:5: sentence 2 has 2 tokens, but 3 in g\.conll; .*g\.conll:5;",
    ),
    "a token more at the end": (
        "s.conll",
        GOLD + "!\tO\n",
        r"s\.conll:7: sentence 2 has 4 tokens, but 3 in g\.conll; .*g\.conll:7;",
    ),
    "too few columns": ("s.conll", GOLD.replace("in\tO", "in"), r"s\.conll:5: too few columns: 1 column; expected 2"),
    "too many columns": (
        "s.conll",
        GOLD.replace("in\tO", "in\tO\tO"),
        r"s\.conll:5: too many columns: 3 columns; expected 2",
    ),
    "too many columns in the first line": (
        "s.conll",
        GOLD.replace("Ada\tB", "Ada\tNN\tB"),
        r"s\.conll:1: too many columns: 3 columns; expected 2",
    ),
    "too few columns in the first line": (
        "s.conll",
        GOLD.replace("Ada\tB-PER", "Ada"),
        r"s\.conll:1: too few columns: 1 column; expected 2",
    ),
    "too few columns by spaces": (
        "s.conll",
        GOLD.replace("in\tO", "in").replace("\t", " "),
        r"s\.conll:5: too few columns",
    ),
    "unknown prefix": ("s.conll", GOLD.replace("B-LOC", "Q-LOC"), r"s\.conll:6: tag 'Q-LOC' has no known prefix"),
    "lower-case prefix": ("s.conll", GOLD.replace("B-LOC", "b-LOC"), r"s\.conll:6: tag 'b-LOC' has no known prefix"),
    "zero for O": ("s.conll", GOLD.replace("in\tO", "in\t0"), r"s\.conll:5: tag '0' has no known prefix"),
    "empty tag": ("s.conll", GOLD.replace("in\tO", "in\t"), r"s\.conll:5: (an empty tag|too few columns)"),
    "cut compressed file": (
        "s.conll.gz",
        gzip.compress(GOLD.encode())[:-9],
        r"s\.conll\.gz: the compressed file is cut",
    ),
    "empty JSONL for tokens": ("s.jsonl", "{}\n{}\n", r"s\.jsonl"),
    "labels for tokens": ("s.txt", "pos\nneg\n", r"s\.txt:"),
}
SPANS: dict[str, tuple[str, str | bytes, str]] = {
    "out of range": (
        "s.jsonl",
        spans(SPAN, SPAN | {"end": 4}),
        r"s\.jsonl:2: item 2: the span 0–4 is out of range.*3 tokens",
    ),
    "inverted": (
        "s.jsonl",
        spans(SPAN | {"start": 2}),
        r"s\.jsonl:2: item 2: the span 2–1 is out of range or inverted",
    ),
    "empty span": ("s.jsonl", spans(SPAN | {"start": 1}), r"s\.jsonl:2: item 2: the span 1–1 "),
    "negative": ("s.jsonl", spans(SPAN | {"start": -1}), r"s\.jsonl:2: item 2: the span -1–1 is out of range"),
    "no label": ("s.jsonl", spans(SPAN, {"start": 1, "end": 2}), r"s\.jsonl:2: a span without 'label'"),
    "no label anywhere": ("s.jsonl", spans({"start": 1, "end": 2}), r"s\.jsonl:2: a span without 'label'"),
    "label null": ("s.jsonl", spans(SPAN | {"label": None}), r"s\.jsonl:2: a span without 'label'"),
    "no end": ("s.jsonl", spans(SPAN, {"start": 1, "label": "X"}), r"s\.jsonl:2: a span without 'end'"),
    "start a string": ("s.jsonl", spans(SPAN | {"start": "a"}), r"s\.jsonl:2: a span's start is not a whole number"),
    "start a fraction": ("s.jsonl", spans(SPAN | {"start": 0.5}), r"s\.jsonl:2: a span's start is not a whole number"),
    "huge": ("s.jsonl", spans(SPAN | {"end": 10**15}), r"s\.jsonl:2: item 2: the span 0–1000000000000000 "),
    "larger than any integer": ("s.jsonl", spans(SPAN | {"end": 10**25}), r"s\.jsonl:2: "),
    "spans no list": (
        "s.jsonl",
        '{"tokens": ["x"], "spans": 3}\n{"tokens": ["a","b","c"], "spans": 4}\n',
        r"s\.jsonl:1: 'spans' is not a list",
    ),
    "spans of numbers": (
        "s.jsonl",
        '{"tokens": ["x"], "spans": []}\n{"tokens": ["a","b","c"], "spans": [1]}\n',
        r"s\.jsonl:2: ",
    ),
    "tokens no list": (
        "s.jsonl",
        '{"tokens": "x", "spans": []}\n{"tokens": "y", "spans": []}\n',
        r"s\.jsonl:1: 'tokens' is not a list",
    ),
    "no tokens in one": ("s.jsonl", '{"tokens": ["x"], "spans": []}\n{"spans": []}\n', r"s\.jsonl:2: no 'tokens'"),
    "no spans at all": ("s.jsonl", '{"tokens": ["x"]}\n{"tokens": ["Ada", "met", "Bob"]}\n', r"s\.jsonl"),
    "an array": ("s.jsonl", "[1]\n[2]\n", r"s\.jsonl:1: a JSON array, not an object"),
    "a number": ("s.jsonl", spans() + "17\n", r"s\.jsonl:3: a JSON number, not an object"),
    "a string": ("s.jsonl", spans() + '"x"\n', r"s\.jsonl:3: a JSON string, not an object"),
    "null": ("s.jsonl", spans() + "null\n", r"s\.jsonl:3: a JSON null, not an object"),
    "invalid JSON": ("s.jsonl", spans()[:20] + "oops\n" + spans(), r"s\.jsonl:1: not valid JSON"),
    "single quotes": ("s.jsonl", spans() + "{'a': 1}\n", r"s\.jsonl:3: not valid JSON"),
    "two objects on a line": (
        "s.jsonl",
        '{"tokens": ["x"], "spans": []} {"tokens": ["a"], "spans": []}\n',
        r"s\.jsonl:1: not valid JSON",
    ),
    "cut": ("s.jsonl", spans(SPAN).rstrip("\n")[:-5], r"s\.jsonl:2: not valid JSON.*cut"),
    "nested too deeply": ("s.jsonl", spans() + '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}\n", r"s\.jsonl:3: "),
    "invalid UTF-8": ("s.jsonl", spans().encode().replace(b"Ada", b"\xc1da"), r"s\.jsonl:2: byte 0xc1"),
    "fewer items": ("s.jsonl", '{"tokens": ["x"], "spans": []}\n', r"s\.jsonl: 1 item, but 2 in g\.jsonl; g\.jsonl:2 "),
    "other number of tokens": (
        "s.jsonl",
        '{"tokens": ["x"], "spans": []}\n{"tokens": ["a"], "spans": []}\n',
        r"s\.jsonl:2: .*g\.jsonl:2",
    ),
    "character out of range": (
        "s.jsonl",
        texts(SPAN | {"end": 8}),
        r"s\.jsonl:2: item 2: the span 0–8 is out of range.*7 characters",
    ),
}
ANSWERS: dict[str, tuple[str, str | bytes, str]] = {
    "fewer lines": ("s.txt", "a\nb\n", r"s\.txt: 2 items, but 3 in g\.txt; g\.txt:3 "),
    "more lines": ("s.txt", "a\nb\na\nb\n", r"s\.txt: 4 items, but 3 in g\.txt; s\.txt:4 "),
    "binary": ("s.txt", b"a\n\0\n", r"s\.txt: this is a binary file"),
    "invalid UTF-8": ("s.txt", b"a\nb\n\xff\n", r"s\.txt:3: byte 0xff is not valid UTF-8"),
    "folder": ("s/x.txt", "a\n", r"s: is a folder"),
    "Parquet without the column": ("s.parquet:lable", WHOLE, r"s\.parquet: no column 'lable'; did you mean 'label'\?"),
    "Parquet cut": ("s.parquet:label", WHOLE[: len(WHOLE) // 2], r"s\.parquet: the Parquet file is cut or damaged"),
    "Parquet damaged": (
        "s.parquet:label",
        WHOLE[:-30] + b"x" * 22 + WHOLE[-8:],
        r"s\.parquet: the Parquet file is cut or damaged",
    ),
    "Parquet of letters": ("s.parquet:label", "no such thing\n", r"s\.parquet: "),
    "Parquet magic alone": ("s.parquet:label", b"PAR1", r"s\.parquet: the Parquet file is cut or damaged"),
    "unknown column": (
        "s.csv:lable",
        "id,label\n1,a\n2,b\n3,a\n",
        r"s\.csv: no column 'lable'; did you mean 'label'\?",
    ),
    "column number too large": ("s.csv:3", "id,label\n1,a\n2,b\n3,a\n", r"s\.csv: no column '3'"),
    "CSV with a short row": ("s.csv:label", "id,label\n1,a\n2\n3,a\n", r"s\.csv:3: too few columns"),
    "CSV with a long row": ("s.csv:label", "id,label\n1,a\n2,b,c\n3,a\n", r"s\.csv:3: too many columns"),
    "CSV with an open quotation": ("s.csv:label", 'id,label\n1,a\n2,"b\n3,a\n', r"s\.csv"),
    "CSV invalid UTF-8": ("s.csv:label", b"id,label\n1,a\n2,\xe9\n3,a\n", r"s\.csv:3: byte 0xe9"),
    "CSV header alone": ("s.csv:label", "id,label\n", r"s\.csv: a header and no rows"),
    "no answer": ("s.jsonl", '{"x": 1}\n{"x": 2}\n{"x": 3}\n', r"s\.jsonl: no answer per item"),
    "objects": ("s.jsonl:x", '{"x": {"y": 1}}\n' * 3, r"s\.jsonl: column 'x' holds objects; name a field of it: y"),
}
SCORES: dict[str, tuple[str, str | bytes, str]] = {
    "NaN": ("s.txt", "1\nNaN\n0\n", r"s\.txt:2: score 'NaN'; expected a finite number"),
    "infinite": ("s.txt", "1\n0\ninf\n", r"s\.txt:3: score 'inf'; expected a finite number"),
    "negative infinity": ("s.csv:score", "score\n1\n-inf\n", r"s\.csv:3: score '-inf'"),
    "empty": ("s.txt", "1\n\n0\n", r"s\.txt:2: no score"),
    "empty cell": ("s.csv:score", "id,score\na,1\nb,\n", r"s\.csv:3: no score"),
    "null": ("s.jsonl", '{"score": 1}\n{"score": null}\n', r"s\.jsonl:2: no score"),
    "word": ("s.txt", "1\n0\noops\n", r"s\.txt:3: score 'oops'"),
    "JSON NaN": ("s.jsonl", '{"score": 1}\n{"score": NaN}\n', r"s\.jsonl:2: "),
    "too large for a float": ("s.txt", "1\n1e999\n", r"s\.txt:2: score '1e999'"),
    "list": ("s.jsonl", '{"score": [1]}\n{"score": [0]}\n', r"s\.jsonl:1: a list per item"),
}


def check(ran: Ran, message: str, folder: Path) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1, ran.err
    assert re.match(f"slicewise: {message}", ran.err), ran.err
    assert list(folder.iterdir()) == []
    assert len(ran.err) < 700


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


OUTPUTS = ("--json", "out/result.json", "--csv", "out/tables", "--resamples", "0")


@pytest.mark.parametrize("case", CONLL)
def test_columns(case: str, write: Write, run: Run, out: Path) -> None:
    name, content, message = CONLL[case]
    write(name, content)
    write("g.conll", GOLD)
    check(run("score", "--gold", "g.conll", "--system", f"s={name}", *OUTPUTS), message, out)


@pytest.mark.parametrize(
    "case", ["empty", "binary", "invalid UTF-8", "UTF-16", "cut in a line", "unknown prefix", "empty tag"]
)
def test_gold_is_held_to_the_same(case: str, write: Write, run: Run, out: Path) -> None:
    name, content, message = CONLL[case]
    write(name, content)
    write("g.conll", GOLD)
    check(run("score", "--gold", name, "--system", "s=g.conll", *OUTPUTS), message, out)


@pytest.mark.parametrize("case", SPANS)
def test_spans(case: str, write: Write, run: Run, out: Path) -> None:
    name, content, message = SPANS[case]
    write(name, content)
    write("g.jsonl", texts() if "character" in case else spans(SPAN))
    check(run("score", "--gold", "g.jsonl", "--system", f"s={name}", *OUTPUTS), message, out)


@pytest.mark.parametrize("case", ANSWERS)
def test_answers(case: str, write: Write, run: Run, out: Path) -> None:
    name, content, message = ANSWERS[case]
    write(name.partition(":")[0], content)
    write("g.txt", LABELS)
    given = "s" if case == "folder" else name
    check(run("score", "--gold", "g.txt", "--system", f"s={given}", *OUTPUTS), message, out)


@pytest.mark.parametrize("case", SCORES)
def test_scores(case: str, write: Write, run: Run, out: Path) -> None:
    name, content, message = SCORES[case]
    write(name.partition(":")[0], content)
    check(run("score", "--system", f"s={name}", "--task", "scores", *OUTPUTS), message, out)


MATRICES: dict[str, tuple[str | bytes, str]] = {
    "a two": ("A,B\n0,1\n1,2\n", r"m\.csv:3: '2' is neither 0 nor 1"),
    "a word": ("A,B\n0,1\n1,yes\n", r"m\.csv:3: 'yes' is neither 0 nor 1"),
    "a fraction": ("0,1\n1,0.5\n", r"m\.csv:2: '0\.5' is neither 0 nor 1"),
    "a short row": ("A,B\n0,1\n1\n", r"m\.csv:3: "),
    "empty": ("", r"m\.csv: the file is empty"),
    "invalid UTF-8": (b"A,B\n0,1\n\xff,1\n", r"m\.csv:3: byte 0xff"),
    "no 0 and 1": ("A,B\nx,y\n", r"m\.csv"),
    "a name twice": ("A,A\n0,1\n", r"m\.csv: two columns"),
}


@pytest.mark.parametrize("case", MATRICES)
def test_matrices(case: str, write: Write, run: Run, out: Path) -> None:
    content, message = MATRICES[case]
    check(run("score", "--matrix", write("m.csv", content), *OUTPUTS), message, out)


def test_a_file_is_named_as_it_is_called(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    name = write("two  spaces.conll", GOLD.replace("in\tO", "in"))
    check(run("score", "--gold", "g.conll", "-s", f"s={name}", *OUTPUTS), r"two  spaces\.conll:5: too few columns", out)


def test_where_the_lines_are_divided_the_first_is_believed(write: Write, run: Run, out: Path) -> None:
    """A tag forgotten in the second of two lines is not a column too many in the first."""
    write("g.conll", "a\tO\nb\tB-X\n")
    write("s.conll", "a\tO\nb\n")
    check(run("score", "--gold", "g.conll", "-s", "s=s.conll", *OUTPUTS), r"s\.conll:2: too few columns", out)


def test_a_bad_training_file(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("t.conll", GOLD.replace("in\tO", "in"))
    check(
        run("score", "--gold", "g.conll", "-s", "s=g.conll", "--train", "t.conll", *OUTPUTS),
        r"t\.conll:5: too few",
        out,
    )


def test_a_bad_tag_in_the_training_file(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("t.conll", GOLD.replace("B-LOC", "Q-LOC"))
    check(
        run("score", "--gold", "g.conll", "-s", "s=g.conll", "--train", "t.conll", *OUTPUTS),
        r"t\.conll:6: tag 'Q-LOC'",
        out,
    )


def test_a_very_long_line(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("s.conll", GOLD.replace("in\tO", "x" * 3_000_000))
    check(run("score", "--gold", "g.conll", "-s", "s=s.conll", *OUTPUTS), r"s\.conll:5: too few columns", out)


def test_a_very_long_tag(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("s.conll", GOLD.replace("B-LOC", "Q" * 1_000_000))
    check(run("score", "--gold", "g.conll", "-s", "s=s.conll", *OUTPUTS), r"s\.conll:6: tag 'QQQ", out)


def test_control_characters_do_not_reach_the_terminal(write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("s.conll", GOLD.replace("B-LOC", "\x1b[31mred\u2028\x07"))
    ran = run("score", "--gold", "g.conll", "-s", "s=s.conll", *OUTPUTS)
    check(ran, r"s\.conll:6: ", out)
    assert ran.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("newline", ["\n", "\r\n", " \n"])
def test_a_million_empty_lines(newline: str, write: Write, run: Run, out: Path) -> None:
    write("g.conll", GOLD)
    write("s.conll", newline * 1_000_000)
    with no_hang():
        check(run("score", "--gold", "g.conll", "-s", "s=s.conll", *OUTPUTS), r"s\.conll: the file is empty", out)


@pytest.mark.parametrize("newline", ["\n", "\r\n", " \n"])
def test_a_million_empty_lines_and_a_token(newline: str, write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\n")
    write("s.conll", newline * 500_000 + "a\tB-X\n" + newline * 500_000)
    with no_hang():
        ran = run("score", "--gold", "g.conll", "-s", "s=s.conll", "--resamples", "0", "--json", "-")
    assert ran.code == 0
    assert json.loads(ran.out)["result"]["systems"]["s"]["micro"]["f1"] == 1.0


@pytest.mark.parametrize("unit", [b"\n", b" ", b"\t", b"{", b"a\tO\n\n", b'"', b"\r"])
def test_much_of_little_is_no_square_of_work(unit: bytes, write: Write, run: Run) -> None:
    def read(size: int) -> None:
        write("s.txt", unit * (size // len(unit)) + b"x")
        assert run("score", "--gold", "g.txt", "-s", "s=s.txt", *OUTPUTS).code in (0, 2)

    write("g.txt", LABELS)
    with no_hang():
        read(1_000_000)
    assert_proportional(read, 20_000)


@pytest.mark.parametrize("part_rows", [None, 2])
def test_a_panic_of_the_parquet_reader_is_an_error(
    part_rows: int | None, write: Write, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Damaged pages may make Polars panic: it raises what is no Exception, and prints it past Python."""

    def panics(*_: object, **__: object) -> None:
        os.write(2, b"thread 'async-executor-0' panicked")
        raise pl.exceptions.PanicException("assertion failed: offset + length <= self.length")

    write("s.parquet", WHOLE)
    monkeypatch.setattr(pl, "read_parquet", panics)
    monkeypatch.setattr(pl, "scan_parquet", panics)
    with pytest.raises(UserError, match=r"s\.parquet: the Parquet file is cut or damaged \(assertion failed"):
        load(gold="s.parquet:label", systems={"m": "s.parquet:label"}, part_rows=part_rows)
    assert capfd.readouterr().err == ""
