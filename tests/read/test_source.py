"""Files as users name them: compressed, from standard input, with a column, under odd names."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import sys
from typing import TYPE_CHECKING

import pytest

from slicewise import UserError, load
from slicewise.read import open_source, read, streamed
from slicewise.read.convert import convert

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.commands import Write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"Ada\tB-PER\nmet\tO\n\nBob\tB-PER\n" * 50

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstd.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed(ending: str, write: Write) -> None:
    name = write(f"x.conll.{ending}", PACKERS[ending](TEXT))
    e = load(gold=name, systems={"s": name})
    assert e.name == "x"
    assert int(e.units["gold"].sum()) == 100


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_in_two_parts(ending: str, write: Write) -> None:
    """Compressed files may be put one after the other; all of it counts."""
    pack = PACKERS[ending]
    name = write(f"x.conll.{ending}", pack(TEXT) + pack(b"\n" + TEXT))
    assert int(load(gold=name, systems={"s": name}).units["gold"].sum()) == 200


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_with_a_byte_order_mark(ending: str, write: Write) -> None:
    name = write(f"x.csv.{ending}", PACKERS[ending](b"\xef\xbb\xbflabel,text\na,b\n"))
    found = read(open_source(f"{name}:label")).answers
    assert found is not None
    assert found.to_list() == ["a"]


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("keep", [0.3, 0.7, 0.95])
def test_cut_compressed_files(ending: str, keep: float, write: Write) -> None:
    packed = PACKERS[ending](bytes(range(1, 256)) * 40 + TEXT)
    name = write(f"x.conll.{ending}", packed[: int(len(packed) * keep)])
    with pytest.raises(UserError, match=rf"^x\.conll\.{ending}: the compressed file is cut or damaged"):
        open_source(name)


@pytest.mark.parametrize("ending", PACKERS)
def test_damaged_compressed_files(ending: str, write: Write) -> None:
    packed = bytearray(PACKERS[ending](TEXT))
    packed[len(packed) // 2 : len(packed) // 2 + 8] = b"\xff\x00\xff\x00\xff\x00\xff\x00"
    name = write(f"x.conll.{ending}", bytes(packed))
    with pytest.raises(UserError, match=rf"^x\.conll\.{ending}: "):
        read(open_source(name))


@pytest.mark.parametrize("ending", PACKERS)
def test_empty_inside_a_compressed_file(ending: str, write: Write) -> None:
    name = write(f"x.conll.{ending}", PACKERS[ending](b""))
    with pytest.raises(UserError, match=rf"^x\.conll\.{ending}: the file is empty"):
        open_source(name)


def test_folder_of_compressed_tables(write: Write) -> None:
    write("d/a.csv.gz", gzip.compress(b"label\nx\n"))
    write("d/b.csv", "label\ny\n")
    found = read(open_source("d")).answers
    assert found is not None
    assert found.to_list() == ["x", "y"]


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = write("g.conll", TEXT)
    stdin(monkeypatch, gzip.compress(TEXT))
    e = load(gold=gold, systems={"s": "-"})
    assert e.units["s"].sum() == 100


def test_two_columns_of_standard_input(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"gold,a,b\nx,x,y\ny,y,y\n")
    e = load(gold="-:gold", systems={"a": "-:a", "b": "-:b"}, format="table")
    assert e.units.select("item", "label", "gold", "a", "b").rows() == [
        (0, "x", True, True, False),
        (0, "y", False, False, True),
        (1, "y", True, True, True),
    ]


def test_errors_name_standard_input(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = write("g.conll", TEXT)
    stdin(monkeypatch, b"")
    with pytest.raises(UserError, match=r"^standard input: the file is empty"):
        load(gold=gold, systems={"s": "-"})


def test_a_file_under_the_whole_name_wins(write: Write) -> None:
    write("x.csv", "label,other\na,b\n")
    assert [read(open_source("x.csv:other")).answers is not None]
    whole = write("x.csv:other", "c\nd\n")
    found = read(open_source(whole)).answers
    assert found is not None
    assert found.to_list() == ["c", "d"]


def test_a_column_with_a_colon(write: Write) -> None:
    found = read(open_source(write("x.csv", "a:b,label\n1,2\n") + ":a:b")).answers
    assert found is not None
    assert found.to_list() == ["1"]


def test_a_colon_without_a_column(write: Write) -> None:
    with pytest.raises(UserError, match="no column after the colon"):
        open_source(write("x.csv", "a\n1\n") + ":")


@pytest.mark.parametrize("name", ["a b.conll", "ü.conll", "a=b.conll", "[x].conll", "a*b.conll", "sub dir/x.conll"])
def test_odd_names(name: str, write: Write) -> None:
    assert load(gold=write(name, TEXT), systems={"s": name}).units["s"].sum() == 100


def test_a_hint_at_a_neighbour(write: Write) -> None:
    write("test.conll", TEXT)
    with pytest.raises(UserError, match=r"^tset\.conll: no such file \(did you mean 'test\.conll'\?\)"):
        open_source("tset.conll")


def test_a_missing_file_with_a_column(write: Write) -> None:
    write("x", "")
    with pytest.raises(UserError, match=r"^nothing\.csv: no such file"):
        open_source("nothing.csv:label")


def test_the_signature_has_the_hash_of_the_file_as_it_lies(write: Write) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    name = write("x.conll.gz", packed)
    e = load(gold=name, systems={"s": name})
    digest = hashlib.sha256(packed).hexdigest()[:12]
    assert e.digests == (f"gold:{digest}", f"s:{digest}")
    assert f"gold:{digest}" in e.signature()
    assert "x.conll" not in e.signature()


def test_text_may_begin_as_a_compressed_file_does(write: Write) -> None:
    assert open_source(write("x.txt", b"BZh9 is a word\n")).only.data == b"BZh9 is a word\n"
    assert open_source(write("y.txt", bz2.compress(b"words\n"))).only.data == b"words\n"
    with pytest.raises(UserError, match="the file is empty"):
        open_source(write("z.txt", bz2.compress(b"")))


FORMATS = {
    "x.conll": "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\n",
    "x.txt": "a\n\nb c\n",
    "x.csv": 'label,text\na,"b, c"\nd,e\n',
    "x.tsv": "label\ttext\na\tb\nc\td\n",
    "x.jsonl": '{"label": "a", "text": "b"}\n{"label": "c"}\n',
}


@pytest.mark.parametrize("end", ["", "\r", "\n", "\r\n", "\r\n\r\n"])
@pytest.mark.parametrize("name", FORMATS)
def test_lines_that_end_with_cr_alone(name: str, end: str, write: Write) -> None:
    format = "table" if name == "x.tsv" else None  # noqa: A001
    plain = read(open_source(write(name, FORMATS[name].removesuffix("\n") + end.replace("\r\n", "\n"))), format)
    found = read(open_source(write(name, FORMATS[name].removesuffix("\n").replace("\n", "\r") + end)), format)
    assert found.items == plain.items
    for one, other in [(found.answers, plain.answers), (found.tokens, plain.tokens), (found.texts, plain.texts)]:
        assert (one is None) == (other is None)
        assert one is None or other is None or one.equals(other)


def test_lines_that_end_with_cr_alone_are_counted(write: Write) -> None:
    with pytest.raises(UserError, match=r"^x\.conll:3: too few columns"):
        read(open_source(write("x.conll", "Ada\tO\rmet\tO\rBob\rin\tO\r")))
    with pytest.raises(UserError, match=r"^y\.jsonl:2: not valid JSON"):
        read(open_source(write("y.jsonl", '{"a": 1}\r{"a": \r')))
    with pytest.raises(UserError, match=r"^z\.txt:2: byte 0xff"):
        read(open_source(write("z.txt", b"a\r\xff\r")))


def test_cr_within_lines_is_text(write: Write) -> None:
    assert open_source(write("x.csv", b'a,b\n"c\rd",e\n')).only.data == b'a,b\n"c\rd",e\n'
    assert open_source(write("y.txt", b"a\r\r\nb\r\n")).only.data == b"a\r\r\nb\r\n"


def test_a_large_file_whose_lines_end_with_cr_alone(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "LARGE", 0)
    for name in ("x.csv", "x.jsonl"):
        write(name, FORMATS[name].replace("\n", "\r"))
        assert convert(name, "x.parquet").items == 2


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize("name", ["x.conll", "x.jsonl", "x.csv", "x.parquet", "x"])
@pytest.mark.parametrize("rows", [None, 0, 2])
def test_a_pointer_of_git_lfs(name: str, rows: int | None, write: Write) -> None:
    write(name, POINTER)
    with pytest.raises(UserError, match=rf"^{name}: this is a Git LFS pointer, .*; fetch the file with git lfs pull"):
        load(gold=name, systems={"s": name}, part_rows=rows)
