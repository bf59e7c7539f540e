"""A converted file is read as the file that it was made from."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise import UserError, convert
from slicewise.read import columnar, conll, lines, open_source, parquet, read, streamed, table
from slicewise.read.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from slicewise.annotations import Annotations, Tags

WORD = st.text(st.sampled_from("ab#\"'-,;éß中🙂"), min_size=1, max_size=4)
TAG = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC"])
SENTENCES = st.lists(
    st.lists(st.tuples(WORD, TAG, TAG, TAG), min_size=1, max_size=4) | st.just("-DOCSTART-"), min_size=1, max_size=6
).filter(lambda found: any(one != "-DOCSTART-" for one in found))
PLAIN = st.text(st.sampled_from("[ab ,;\"'\\é中"), max_size=6)
VALUE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**70) | st.floats() | PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, min_size=1, max_size=2),
    max_leaves=4,
)
OBJECTS = st.lists(st.dictionaries(st.sampled_from(["text", "label", "id", "^x$"]), VALUE, min_size=1), min_size=1)


def same(found: Annotations, expected: Annotations) -> None:
    """Compare all that is evaluated: not the file's name, nor the lines that messages name."""
    assert found.items == expected.items
    assert found.tabs_separate == expected.tabs_separate
    for name in ("offsets", "documents", "docstarts"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        assert one is None or np.array_equal(one, other), name
    for name in ("tags", "own_gold"):
        assert written(getattr(found, name)) == written(getattr(expected, name)), name
    for name in ("tokens", "texts", "answers"):
        equal(getattr(found, name), getattr(expected, name))
    assert list(found.token_columns) == list(expected.token_columns)
    for name, column in expected.token_columns.items():
        equal(found.token_columns[name], column)
    assert found.metadata.equals(expected.metadata)
    assert found.metadata.schema == expected.metadata.schema
    assert (found.spans is None) == (expected.spans is None)
    assert expected.spans is None or (found.spans is not None and found.spans.equals(expected.spans))


def written(tags: Tags | None) -> list[str] | None:
    return None if tags is None else [tags.names[code] for code in tags.codes]


def equal(found: pl.Series | None, expected: pl.Series | None) -> None:
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.dtype == expected.dtype
        assert found.equals(expected)


def made(folder: str | Path, name: str, content: str | bytes, **options: Any) -> tuple[str, str]:
    """Write a file, convert it, and return the names of both."""
    path, to = Path(folder) / name, Path(folder) / "converted.parquet"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    convert(path, to, **options)
    return str(path), str(to)


def sentences(found: list[Any], width: int, separator: str) -> str:
    blocks = []
    for one in found:
        rows = [(one, *["O"] * (width - 1))] if one == "-DOCSTART-" else [(*row[: width - 1], row[3]) for row in one]
        blocks.append("".join(separator.join(row) + "\n" for row in rows))
    return "\n".join(blocks)


@given(SENTENCES, st.integers(2, 4), st.sampled_from([" ", "\t"]), st.sampled_from(["", "\ufeff"]))
def test_conll(found: list[Any], width: int, separator: str, bom: str) -> None:
    content = bom + sentences(found, width, separator)
    with TemporaryDirectory() as folder:
        try:
            expected = conll.read(open_source(_write(folder, "x.conll", content)))
        except UserError:  # a line such as `# O` alone is a comment
            return
        original, to = made(folder, "x.conll", content)
        same(read(open_source(to)), expected)
        same(read(open_source(f"{to}:{width}")), read(open_source(f"{original}:{width}")))
        same(columnar.read(open_source(to), "conll", others=False), conll.read(open_source(original), others=False))
        if width > 2:
            own = columnar.read(open_source(to), "conll", own_gold=True)
            same(own, conll.read(open_source(original), own_gold=True))


def _write(folder: str, name: str, content: str) -> str:
    path = Path(folder) / name
    path.write_bytes(content.encode())
    return str(path)


@pytest.mark.parametrize("column", ["token", "pos", "ner", "1", "2", "3"])
def test_columns_of_conll_go_by_their_names_and_numbers(tmp_path: Path, column: str) -> None:
    original, to = made(tmp_path, "x.conll", "token\tpos\tner\nAnn\tNNP\tB-PER\nsang\tVBD\tO\n\nBob\tNNP\tB-PER\n")
    same(read(open_source(f"{to}:{column}")), read(open_source(f"{original}:{column}")))
    assert pl.read_parquet(to).columns == ["tokens", "pos", "tags"]


def test_a_column_that_conll_has_not(tmp_path: Path) -> None:
    _, to = made(tmp_path, "x.conll", "a\tO\n\nb\tB-PER\n")
    with pytest.raises(UserError, match="no column 'col4'; did you mean 'col2'"):
        read(open_source(f"{to}:col4"))


def test_columns_that_cannot_keep_their_names(tmp_path: Path) -> None:
    content = "token\tdoc\tcol2\tner\nAnn\tx\ty\tB-PER\nsang\tx\ty\tO\n"
    original, to = made(tmp_path, "x.conll", content)
    same(read(open_source(to)), read(open_source(original)))
    with pytest.raises(UserError, match="two columns are called 'pos'; rename one of them"):
        made(tmp_path, "y.conll", "token\tpos\tpos\tner\na\tx\ty\tO\n")


@pytest.mark.parametrize("content", ["-DOCSTART- O\n\na O\n\n-DOCSTART- O\n\n-DOCSTART- O\n\nb O\n\n-DOCSTART- O\n"])
def test_documents_without_sentences(tmp_path: Path, content: str) -> None:
    original, to = made(tmp_path, "x.conll", content)
    same(read(open_source(to)), read(open_source(original)))
    assert pl.read_parquet(to)["doc"].to_list() == ["1", "3"]


def test_tags_alone(tmp_path: Path) -> None:
    original, to = made(tmp_path, "x.txt", "B-PER\nO\n\nO\nB-LOC\n")
    same(read(open_source(to)), read(open_source(original)))
    assert pl.read_parquet(to).columns == ["tags"]


@given(OBJECTS)
def test_jsonl(found: list[dict[str, Any]]) -> None:
    content = "\n".join(json.dumps(one) for one in found)
    with TemporaryDirectory() as folder:
        original = _write(folder, "x.jsonl", content)
        try:
            expected = read(open_source(original))
        except (UserError, pl.exceptions.PolarsError, TypeError, OverflowError):
            return  # of such files an evaluation says the same
        _, to = made(folder, "x.jsonl", content)
        same(read(open_source(to)), expected)
        for column in ("1", "label.x", "^x$"):
            same_or_wrong(f"{to}:{column}", f"{original}:{column}")


def same_or_wrong(found: str, expected: str) -> None:
    """Compare what is read, or that both are refused for the same reason."""
    try:
        annotations = read(open_source(expected))
    except UserError as error:
        with pytest.raises(UserError, match=re.escape(str(error).split(": ", 1)[1])):
            read(open_source(found))
    else:
        same(read(open_source(found)), annotations)


ROWS = st.lists(st.lists(st.text(st.sampled_from('ab1.,;" é\n'), max_size=4), min_size=2, max_size=2), min_size=1)


@given(ROWS, st.sampled_from(["\n", "\r\n"]))
def test_csv(rows: list[list[str]], end: str) -> None:
    cells = [["text", "0"], *rows]
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
    with TemporaryDirectory() as folder:
        original, to = made(folder, "x.csv", end.join(quoted) + end)
        for column in ("", ":0", ":text", ":2"):
            same(read(open_source(to + column)), read(open_source(original + column)))
        assert set(pl.read_parquet(to).dtypes) == {pl.String}


CELL = st.text(st.sampled_from("ab, éO\"'"), max_size=3)
LINES = st.lists(CELL, min_size=1) | st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n).map("\t".join) | st.just(""), min_size=1)
)


@given(LINES, st.sampled_from(["", "text\tlabel\n", "a\tb\n"]), st.sampled_from([".txt", ".tsv"]))
def test_lines(found: list[str], header: str, ending: str) -> None:
    content = header + "\n".join(found) + "\n"
    if not content.strip():
        return
    with TemporaryDirectory() as folder:
        original, to = made(folder, f"x{ending}", content, format="lines")
        same(read(open_source(to)), lines.read(open_source(original)))
        if ending == ".tsv" or "\t" in content.split("\n", 1)[0]:
            for column in ("1", "2", "label", "b"):
                same_table(f"{to}:{column}", f"{original}:{column}")


def same_table(found: str, expected: str) -> None:
    try:
        annotations = table.read(open_source(expected))
    except UserError:
        with pytest.raises(UserError):
            read(open_source(found))
    else:
        same(read(open_source(found)), annotations)


def test_several_references(tmp_path: Path) -> None:
    original, to = made(tmp_path, "x.txt", "one\tuno\ntwo\ttwain\tduo\n\nthree\n")
    same(read(open_source(to)), read(open_source(original)))
    assert pl.read_parquet(to).columns == ["text"]


def test_lines_have_columns_where_all_have_the_same(tmp_path: Path) -> None:
    _, to = made(tmp_path, "x.tsv", "good film\tpositive\nbad film\tnegative\n")
    assert pl.read_parquet(to).columns == ["1", "2"]
    _, to = made(tmp_path, "x.tsv", "sentence\tlabel\ngood film\tpositive\n")
    assert pl.read_parquet(to).to_dicts() == [{"sentence": "good film", "label": "positive"}]


PACK: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("large", [False, True])
def test_compressed_files(tmp_path: Path, ending: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(streamed, "LARGE", 0)
    for name, content in (("x.jsonl", '\ufeff{"label": "a", "n": 1}\n'), ("x.csv", "\ufefflabel,n\r\na,1\r\n")):
        plain = Path(_write(str(tmp_path), name, content))
        _, to = made(tmp_path, f"{name}.{ending}", PACK[ending](content.encode()))
        same(read(open_source(to)), read(open_source(plain)))


@given(OBJECTS)
def test_large_jsonl_is_converted_to_the_same(found: list[dict[str, Any]]) -> None:
    same_in_pieces("x.jsonl", "\n".join(json.dumps(one) for one in found))


@given(ROWS)
def test_large_csv_is_converted_to_the_same(rows: list[list[str]]) -> None:
    quoted = [",".join('"' + cell.replace('"', '""') + '"' if cell else "" for cell in row) for row in rows]
    same_in_pieces("x.csv", "a,b\n" + "\n".join(quoted))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", '{"a": 1}\n{"a": [1\n'),
        ("x.jsonl", '{"a": "[1]"}\n{"a": [1]}\n'),
        ("x.jsonl", '{"a": {}}\n'),
        ("x.jsonl", '{"a": NaN}\n\n{"a": 1}\n'),
        ("x.csv", "a,b\n1,2\n3\n"),
        ("x.csv", "a,b\n1,2\n3,4,5\n"),
        ("x.csv", "a,b\n\n1,\n"),
        ("x.csv", "a,b\n"),
        ("x.csv", b"a,\xffb\n1,2\n"),
        ("x.csv", b"a,b\n1,\xff\n"),
        ("x.csv", b"\xff\xfea,b\n1,2\n"),
    ],
)
def test_what_cannot_be_converted_in_pieces(name: str, content: str | bytes) -> None:
    same_in_pieces(name, content)


def same_in_pieces(name: str, content: str | bytes) -> None:
    """Convert a file whole and in pieces, and compare what comes of it: the rows, or the error."""
    outcomes: list[Any] = []
    for large in (streamed.LARGE, 0):
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(streamed, "LARGE", large)
            try:
                _, to = made(folder, name, content)
            except UserError as error:
                outcomes.append(str(error).rpartition("/")[2])
            else:
                frame = pl.read_parquet(to)
                outcomes.append((frame.schema, frame.rows().__repr__(), pl.read_parquet_metadata(to)[parquet.KEY]))
            assert [path.name for path in Path(folder).glob(".slicewise*")] == []
    assert outcomes[0] == outcomes[1]


def test_large_files_are_converted_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "LARGE", 0)
    found = in_pieces(tmp_path / "x.jsonl", "".join(f'{{"n": {i}, "l": [{i}]}}\n' for i in range(2500)))
    assert found["n"].to_list() == list(range(2500))
    found = in_pieces(tmp_path / "x.csv", "a;b\n" + "".join(f"{i};\n" for i in range(2500)))
    assert found.rows() == [(str(i), "") for i in range(2500)]


def in_pieces(path: Path, content: str) -> pl.DataFrame:
    """Return a file as what alone has no file whole makes of it."""
    path.write_text(content, encoding="utf-8")
    with path.with_suffix(".parquet").open("wb") as out:
        assert streamed.write(str(path), path.parent, out, format=None, rows=1000) == 2500
    return pl.read_parquet(path.with_suffix(".parquet"))


@pytest.mark.parametrize("mark", ["{", "[]", '{"format": "conll"}', None])
def test_a_mark_that_does_not_fit_is_none(tmp_path: Path, mark: str | None) -> None:
    mark = mark or parquet.Origin("conll", ("a", "b")).metadata()[parquet.KEY]
    path = tmp_path / "x.parquet"
    pl.DataFrame({"tokens": [["a"]], "tags": [["O"]], "id": [1]}).write_parquet(path, metadata={parquet.KEY: mark})
    source = open_source(path)
    assert parquet.origin(source.only) is None
    assert read(source).metadata.columns == ["id"]


@pytest.mark.parametrize(
    ("frame", "documents", "message"),
    [
        ({"tokens": [["a"]], "tags": [["O", "O"]]}, 0, "not the same length"),
        ({"tokens": [["a"], []], "tags": [["O"], []]}, 0, "not the same length"),
        ({"tokens": [["a"]], "tags": [["O"]], "doc": ["7"]}, 2, "a document that there is not"),
        ({"tokens": [["a"]], "tags": [["O"]], "doc": ["x"]}, 2, "a document that there is not"),
    ],
)
def test_a_changed_file_is_refused(tmp_path: Path, frame: dict[str, Any], documents: int, message: str) -> None:
    path = tmp_path / "x.parquet"
    mark = parquet.Origin("conll", ("a", "b"), documents).metadata()
    pl.DataFrame(frame).write_parquet(path, metadata=mark)
    with pytest.raises(UserError, match=message):
        read(open_source(path))


def test_other_formats_are_not_lines(tmp_path: Path) -> None:
    _, to = made(tmp_path, "x.jsonl", '{"a": 1}\n')
    with pytest.raises(UserError, match="a jsonl file in Parquet, not lines; convert it again with --format lines"):
        columnar.read(open_source(to), "lines")


def test_lines_may_be_tags_alone(tmp_path: Path) -> None:
    original, to = made(tmp_path, "x.txt", "NN\nVB\n\nNN\n", format="lines")
    same(columnar.read(open_source(to), "conll"), conll.read(open_source(original)))
    text = columnar.as_text(open_source(to))
    assert isinstance(text, Source)
    assert text.only.data == Path(original).read_bytes()
