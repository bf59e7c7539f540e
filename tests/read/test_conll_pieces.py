"""Files that are parsed in several pieces, cut at line ends wherever those fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise import UserError
from slicewise.read import conll, read
from slicewise.read.source import File, Source

if TYPE_CHECKING:
    from slicewise.annotations import Annotations


def of(content: str, *, own_gold: bool = False) -> Annotations:
    return read(Source("x.conll", (File("x.conll", content.encode(), ""),)), "conll", own_gold=own_gold)


def shown(a: Annotations) -> tuple[object, ...]:
    assert a.tags is not None
    assert a.tokens is not None
    assert a.offsets is not None
    assert a.token_rows is not None
    return (
        a.items,
        a.offsets.tolist(),
        a.tokens.to_list(),
        [a.tags.names[code] for code in a.tags.codes],
        None if a.own_gold is None else [a.own_gold.names[code] for code in a.own_gold.codes],
        np.flatnonzero(a.token_rows).tolist(),
        None if a.documents is None else a.documents.tolist(),
        None if a.docstarts is None else a.docstarts.tolist(),
        {name: column.to_list() for name, column in a.token_columns.items()},
    )


def test_a_large_file_crosses_piece_borders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of blank lines longer than a piece's remainder put borders at blank lines, too."""
    monkeypatch.setattr(conll, "PIECE", 1 << 21)
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 40, 12_000)
    gaps = np.where(rng.random(len(sizes)) < 0.05, 50, 1)
    kinds = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    words: list[str] = []
    tags: list[str] = []
    out: list[str] = []
    rows: list[int] = []
    for size, gap in zip(sizes, gaps, strict=True):
        for code in rng.integers(0, 5, size):
            words.append(f"word{len(words)}")
            tags.append(kinds[code])
            rows.append(len(out))
            out.append(f"{words[-1]}\t{tags[-1]}")
        out += [""] * int(gap)
    content = "\n".join(out) + "\n"
    assert len(content) > 1.5 * conll.PIECE
    found = shown(of(content))
    assert found[:4] == (len(sizes), [0, *np.cumsum(sizes).tolist()], words, tags)
    assert found[5] == rows


TEXTS = {
    "blank lines": "a\tB-X\n\n\n\n\nb\tI-X\nc\tO\n\n\n\n",
    "CRLF": "a\tB-X\r\n\r\n\r\nb\tI-X\r\nc\tO\r\n",
    "leading blank lines": "\n\n\na\tB-X\n\nb\tO\n",
    "documents": "-DOCSTART-\tO\n\na\tB-X\n\n-DOCSTART-\tO\nb\tO\n",
    "comments": "# a comment\na\tB-X\n# text = b\nb\tO\n\n#id\t17\n#c\tO\n",
    "header": "word\tner\n\na\tB-X\n\nb\tO\n",
    "no final newline": "a\tB-X\n\nb\tO",
    "middle columns": "a\tNN\tB-X\n\nb\tVB\tO\nc\t\tI-X\n",
    "untidy from the middle on": "a\tB-X\n\nb\tO\nc\tO \n\t\nd\tB-X\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 2, 5, 9, 14])
def test_any_piece_size_gives_the_same(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shown(of(TEXTS[name]))
    monkeypatch.setattr(conll, "PIECE", size)
    assert shown(of(TEXTS[name])) == whole


@pytest.mark.parametrize("size", [1, 2, 5, 9, 14])
def test_own_gold_in_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a\tB-X\tO\n\nb\tO\tB-Y\nc\tI-X\tI-Y\n\n"
    monkeypatch.setattr(conll, "PIECE", size)
    found = shown(of(text, own_gold=True))
    assert found[3:5] == (["O", "B-Y", "I-Y"], ["B-X", "O", "I-X"])


@with_examples(75)
@given(
    st.lists(st.sampled_from(["", "\r", "a\tO", "b\tB-X", "#c\tI-X", "# note", '"\tO', "\u00a0\tO", "-DOCSTART-\tO"])),
    st.integers(1, 40),
)
def test_pieces_make_no_difference(rows: list[str], size: int) -> None:
    content = "\n".join([*rows, "z\tB-X"])
    whole = shown(of(content))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll, "PIECE", size)
        assert shown(of(content)) == whole


@pytest.mark.parametrize("start", ["", "\n"])
@pytest.mark.parametrize("size", [1, 1 << 21])
def test_a_zero_width_space_at_the_start_of_a_piece_is_no_byte_order_mark(
    start: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "PIECE", size)
    found = of(f"{start}a\tO\n\n\ufeff\tB-X\n\n\ufeffb\tO\n")
    assert found.tokens is not None
    assert found.tokens.to_list() == ["a", "\ufeff", "\ufeffb"]


def test_a_bad_line_far_behind_is_named() -> None:
    line = "word\tO\n"
    n = conll.PIECE // len(line) + 10
    with pytest.raises(UserError, match=rf"x\.conll:{n + 1}: too few columns"):
        of(line * n + "alone\n" + line)


def test_bad_utf8_far_behind_is_named() -> None:
    line = b"word\tO\n"
    n = conll.PIECE // len(line) + 10
    data = line * n + b"caf\xe9\tO\n" + line
    with pytest.raises(UserError, match=rf"x\.conll:{n + 1}: .*UTF-8"):
        read(Source("x.conll", (File("x.conll", data, ""),)), "conll")
