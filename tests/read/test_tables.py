"""CSV, TSV and Parquet; and the 0/1 matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from slicewise import UserError, load
from slicewise.read import matrix, open_source, read, tell_format
from slicewise.read.convert import convert

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Write


def answers(name: str, format: str | None = None) -> list[Any]:  # noqa: A002
    found = read(open_source(name), format).answers
    assert found is not None
    return found.to_list()


CSV = "id,text,label\n1,one,a\n2,two,b\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("column", ["", ":label", ":3"])
def test_csv(newline: str, bom: bytes, column: str, write: Write) -> None:
    name = write("x.csv", bom + CSV.replace("\n", newline).encode())
    assert answers(name + column) == ["a", "b"]


def test_csv_first_column_behind_a_byte_order_mark(write: Write) -> None:
    assert answers(write("x.csv", b"\xef\xbb\xbf" + CSV.encode()) + ":id") == ["1", "2"]


def test_semicolons(write: Write) -> None:
    assert answers(write("x.csv", "text;label\none, two;a\nthree;b\n")) == ["a", "b"]


def test_quoted_cells_with_commas_newlines_and_quotes(write: Write) -> None:
    name = write("x.csv", 'text,label\n"a, ""b""\nc",x\n"",y\nd,"z"\n')
    a = read(open_source(name))
    assert a.texts is not None
    assert a.texts.to_list() == ['a, "b"\nc', "", "d"]
    assert answers(name) == ["x", "y", "z"]


def test_lines_after_a_cell_with_a_newline_are_counted_in_the_file(write: Write) -> None:
    name = write("x.csv", 'text,score\n"a\nb",1\nc,oops\n')
    with pytest.raises(UserError, match=r"^x\.csv:4: score 'oops'"):
        load(systems={"s": f"{name}:score"}, task="scores")


TSV = "one\ta\ntwo\tb\n"


def test_tsv_columns_by_number_without_header(write: Write) -> None:
    assert answers(write("x.tsv", TSV) + ":2") == ["a", "b"]
    assert answers("x.tsv:1") == ["one", "two"]


def test_tsv_columns_by_number_with_a_header(write: Write) -> None:
    assert answers(write("x.tsv", "sentence\tlabel\n" + TSV) + ":2") == ["a", "b"]


def test_tsv_columns_by_name(write: Write) -> None:
    assert answers(write("x.tsv", "foo\tbar\n" + TSV) + ":bar") == ["a", "b"]


def test_tsv_by_format(write: Write) -> None:
    assert answers(write("x.tsv", "text\tlabel\n" + TSV), "table") == ["a", "b"]


def test_a_quotation_mark_in_a_tsv_is_a_character(write: Write) -> None:
    assert answers(write("x.tsv", '"one\ta\n"two"\tb\n') + ":1") == ['"one', '"two"']


def test_tsv_under_another_name(write: Write) -> None:
    assert answers(write("x.txt", "a thing\tx\nanother thing\ty\n") + ":2") == ["x", "y"]


def test_a_tsv_without_a_column_named_is_lines(write: Write) -> None:
    assert tell_format(open_source(write("x.tsv", "a thing\tx\nanother thing\ty\n"))) == "lines"


def test_parquet(write: Write, tmp_path: Path) -> None:
    write("x", "")
    pl.DataFrame({"text": ["one", "two"], "label": ["a", "b"], "n": [1.5, 2.5]}).write_parquet(tmp_path / "x.parquet")
    assert answers("x.parquet") == ["a", "b"]
    assert answers("x.parquet:n") == [1.5, 2.5]
    assert answers("x.parquet:2") == ["a", "b"]
    (tmp_path / "x.parquet").rename(tmp_path / "other.name")
    assert answers("other.name:label") == ["a", "b"]


def test_parquet_with_lists_and_spans(write: Write, tmp_path: Path) -> None:
    write("x", "")
    spans = [[{"start": 0, "end": 1, "label": "X"}], []]
    pl.DataFrame({"tokens": [["a", "b"], ["c"]], "spans": spans}).write_parquet(tmp_path / "x.parquet")
    e = load(gold="x.parquet", systems={"s": "x.parquet"})
    assert e.units.select("item", "start", "end", "label", "gold", "s").rows() == [(0, 0, 1, "X", True, True)]


@pytest.mark.parametrize("name", ["x.csv:lable", "x.csv:7", "x.csv:0"])
def test_missing_column(name: str, write: Write) -> None:
    write("x.csv", CSV)
    with pytest.raises(UserError, match=r"^x\.csv: no column '(lable'; did you mean 'label'\?|7'|0')"):
        answers(name)


@pytest.mark.parametrize("column", ["²", "1" * 5000, "²." + "1" * 5000, "0", "-1", "3"])
@pytest.mark.parametrize(
    "content",
    ["Ada\tA\nBob\tB\n", "x,y\na,A\n", "a\tB-X\n\nb\tO\n", '{"a":"A"}\n'],
    ids=["tsv", "csv", "conll", "jsonl"],
)
@pytest.mark.parametrize("ending", ["txt", "csv", "parquet"])
def test_what_is_no_column_number(column: str, content: str, ending: str, write: Write) -> None:
    name = write("x.csv" if ending == "csv" else "x.txt", content)
    if ending == "parquet":
        name = str(convert(name, "x.parquet").path)
    with pytest.raises(UserError, match="no column"):
        load(gold=f"{name}:{column}", systems={"s": f"{name}:{column}"})
    if ending == "parquet":
        with pytest.raises(UserError, match="no column"):
            load(gold=f"{name}:{column}", systems={"s": f"{name}:{column}"}, part_rows=1)


def test_several_files(write: Write, tmp_path: Path) -> None:
    write("d/b.csv", "text,label\nthree,c\n")
    write("d/a.csv", "text,label\none,a\ntwo,b\n")
    pl.DataFrame({"text": ["four"], "label": ["d"]}).write_parquet(tmp_path / "d" / "c.parquet")
    write("d/notes.md", "nothing\n")
    assert answers("d:label") == ["a", "b", "c", "d"]
    assert answers("d/*.csv:label") == ["a", "b", "c"]
    assert answers("d/?.csv") == ["a", "b", "c"]


def test_the_file_of_several_that_is_wrong_is_named(write: Write) -> None:
    write("d/a.csv", "score\n1\n")
    write("d/b.csv", "score\n0\noops\n")
    with pytest.raises(UserError, match=r"^d/b\.csv:3: score 'oops'"):
        load(systems={"s": "d:score"})


def test_a_pattern_without_files(write: Write) -> None:
    write("x", "")
    with pytest.raises(UserError, match=r"^d/\*\.csv: no file matches"):
        answers("d/*.csv")


def test_a_folder_without_tables(write: Write) -> None:
    write("d/x.txt", "a\n")
    with pytest.raises(UserError, match=r"^d: is a folder without"):
        answers("d")


def test_conll_cannot_be_several_files(write: Write) -> None:
    write("a.conll", "a\tO\n")
    write("b.conll", "a\tO\n")
    with pytest.raises(UserError, match=r"^\*\.conll: 2 files"):
        read(open_source("*.conll"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label\none,a\ntwo\n", r"x\.csv:3: too few columns: 1; expected 2"),
        ("text,label\none,a\ntwo,b,c\n", r"x\.csv:3: too many columns: 3; expected 2"),
        ('text,label\none,a\n"t\nw",b,c\n', r"x\.csv:3: too many columns: 3; expected 2"),
        ('text,label\none,a\nt"wo,b\n', r"x\.csv:3: a quotation mark within a cell"),
        ('text,label\n"o\nn""e",a\n"t"wo,b\n', r"x\.csv:4: a quotation mark within a cell"),
        ('text,label\n"o\nn""e",a\r\ntwo,b"\n', r"x\.csv:4: a quotation mark within a cell"),
        ('text;label\none;a\nt"wo;b\n', r"x\.csv:3: a quotation mark within a cell"),
        ("text,label\n", r"x\.csv: a header and no rows"),
        ("a,b,label\n1,2,x\n\n1,2\n", r"x\.csv:4: too few columns: 2; expected 3"),
    ],
)
def test_bad_rows(content: str, message: str, write: Write) -> None:
    with pytest.raises(UserError, match=f"^{message}"):
        answers(write("x.csv", content))


def test_a_long_cell_is_a_cell(write: Write) -> None:
    long = "x" * 200_000
    assert answers(write("x.csv", f"text,label,more\n{long},a,1\ny,b,\n") + ":text") == [long, "y"]


def test_empty_cells_stay_items(write: Write) -> None:
    assert answers(write("x.csv", "text,label\none,\n,b\n") + ":text") == ["one", ""]


def test_a_csv_of_one_column_keeps_empty_quoted_cells(write: Write) -> None:
    assert answers(write("x.csv", 'label\na\n""\nb\n')) == ["a", "", "b"]


# ------------------------------------------------------------------ matrices

BODY = [[1, 0, 1], [0, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("separator", ["\t", ",", ";", " ", "   "])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("items", [False, True])
@pytest.mark.parametrize("words", [("0", "1"), ("false", "true"), ("False", "True"), ("0.0", "1.0")])
def test_matrix(separator: str, header: bool, items: bool, words: tuple[str, str], write: Write) -> None:
    lines = [[*([f"q{i}"] if items else []), *(words[v] for v in row)] for i, row in enumerate(BODY)]
    if header:
        lines.insert(0, [*(["item"] if items else []), "A", "B", "C"])
    name = write("m.csv", "".join(separator.join(line) + "\r\n" for line in lines))
    found = matrix.read(open_source(name))
    assert found.right.tolist() == BODY
    assert found.systems == (["A", "B", "C"] if header else ["system1", "system2", "system3"])
    assert (None if found.names is None else found.names.to_list()) == (["q0", "q1", "q2"] if items else None)


def test_matrix_header_without_a_word_over_the_items(write: Write) -> None:
    found = matrix.read(open_source(write("m.tsv", "A\tB\nq1\t0\t1\nq2\t1\t1\n")))
    assert found.systems == ["A", "B"]
    assert found.names is not None
    assert found.names.to_list() == ["q1", "q2"]


def test_matrix_system_names(write: Write) -> None:
    name = write("m.csv", "0,1\n1,1\n")
    assert load(matrix=name, system_names=["x", "y"]).systems == ("x", "y")
    with pytest.raises(UserError, match=r"^m\.csv: 2 columns .*but 3 names in --system-names"):
        load(matrix=name, system_names=["x", "y", "z"])


def test_matrix_is_an_evaluation_of_scores(write: Write) -> None:
    e = load(matrix=write("m.csv", "id,A,B\nx,0,1\ny,1,1\n"))
    assert e.task == "scores"
    assert e.aligned.answers is not None
    assert e.aligned.answers.to_dict(as_series=False) == {"A": [0, 1], "B": [1, 1]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("A,B\n0,1\n1,2\n", r"m\.csv:3: '2' is neither 0 nor 1"),
        ("A,B\n\n0,1\n1,\n", r"m\.csv:4: '' is neither 0 nor 1"),
        ("A,B\n0,1\n1\n", r"m\.csv:3: 1 column; expected 2"),
        ("A,B\n", r"m\.csv: a header and no rows"),
        ("A,A\n0,1\n", r"m\.csv: two columns have the same name"),
    ],
)
def test_bad_matrices(content: str, message: str, write: Write) -> None:
    with pytest.raises(UserError, match=f"^{message}"):
        load(matrix=write("m.csv", content))


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl"])
def test_what_systems_answer_is_no_fact_about_the_items(name: str, write: Write) -> None:
    rows = [(f"question {i}", i % 2, i % 3 / 2, "easy" if i % 4 else "hard") for i in range(12)]
    if name.endswith("csv"):
        write(name, "prompt,a,b,level\n" + "".join(f"{p},{a},{b},{level}\n" for p, a, b, level in rows))
    else:
        made = (f'{{"prompt": "{p}", "a": {a}, "b": {b}, "level": "{level}"}}\n' for p, a, b, level in rows)
        write(name, "".join(made))
    systems = {"a": f"{name}:a", "b": f"{name}:b"}
    evaluation = load(systems=systems, inputs=f"{name}:prompt", task="scores")
    assert evaluation.aligned.metadata.columns == ["level"]


def test_long_names_of_columns_are_not_listed_whole(write: Write) -> None:
    names = [f"{i}{'x' * 500}" for i in range(50)]
    with pytest.raises(UserError) as raised:
        answers(write("x.csv", ",".join(names) + "\n" + ",".join("a" * 50) + "\n") + ":nix")
    assert len(str(raised.value)) < 600
    assert "(50 in all)" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('text,label\none,a\n"two,b\nthree,c\n', 3),
        ('text,label\n"one,a\n', 2),
        ('"text,label\none,a\n', 1),
        ('text,label\n"one\none",a\n"two\n' + "x,b\n" * 3000, 4),
    ],
)
def test_a_quotation_mark_that_is_not_closed(text: str, line: int, write: Write) -> None:
    with pytest.raises(UserError, match=rf"x\.csv:{line}: ") as raised:
        answers(write("x.csv", text) + ":label")
    assert len(str(raised.value)) < 200
