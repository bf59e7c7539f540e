"""Tag schemes: told from the tags, read into spans, leniently and strictly."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, Entities
from support.profiles import with_examples

from slicewise import Evaluation, UserError
from slicewise.annotations import Tags
from slicewise.read.schemes import SCHEMES, read_spans

Span = tuple[int, int, int, str]
Sentence = list[tuple[int, str | None]]
"""Stretches of a sentence: a length and a type, None outside."""


def coded(sentences: list[list[str]]) -> tuple[Tags, np.ndarray[Any, np.dtype[np.int64]]]:
    flat = pl.Series([tag for sentence in sentences for tag in sentence], dtype=pl.String)
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sentences])]).astype(np.int64)
    return Tags.encode(flat), offsets


def decoded(sentences: list[list[str]], **options: Any) -> list[Span]:
    tags, offsets = coded(sentences)
    found = read_spans(tags, offsets, **options)
    item = np.searchsorted(offsets, found.start, side="right") - 1
    rows = zip(item, found.start - offsets[item], found.end - offsets[item], found.label, strict=True)
    return [(int(i), int(start), int(end), found.labels[label]) for i, start, end, label in rows]


def told(sentences: list[list[str]]) -> str:
    return read_spans(*coded(sentences)).scheme


def encode(sentence: Sentence, scheme: str) -> list[str]:
    """Write stretches as tags, one stretch after the other, in the plainest way."""
    out: list[str] = []
    before: str | None = None
    single = {"bioes": "S", "bilou": "U", "bmes": "S"}.get(scheme, "")
    last = {"bioes": "E", "bilou": "L", "bmes": "E"}.get(scheme, "")
    middle = "M" if scheme == "bmes" else "I"
    for size, kind in sentence:
        letters = "O" * size
        if kind is not None and scheme == "io":
            letters = "I" * size
        elif kind is not None and scheme == "iob1":
            letters = ("B" if before == kind else "I") + "I" * (size - 1)
        elif kind is not None and scheme == "iob2":
            letters = "B" + "I" * (size - 1)
        elif kind is not None:
            letters = single if size == 1 else "B" + middle * (size - 2) + last
        out += [letter if kind is None else f"{letter}-{kind}" for letter in letters]
        before = kind
    return out


def spans_of(sentences: list[Sentence]) -> list[Span]:
    found: list[Span] = []
    for i, sentence in enumerate(sentences):
        at = 0
        for size, kind in sentence:
            if kind is not None:
                found.append((i, at, at + size, kind))
            at += size
    return found


types = st.sampled_from(["PER", "LOC", "geo-loc", "O", "B-x", "-", "ü"])
stretches = st.lists(st.tuples(st.integers(1, 4), st.none() | types), max_size=8)
texts = st.lists(stretches, min_size=1, max_size=5)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
@with_examples(20)
@given(sentences=texts)
def test_spans_survive_every_scheme(scheme: str, strict: bool, sentences: list[Sentence]) -> None:
    if scheme == "io":
        sentences = [
            [(n, k) for i, (n, k) in enumerate(s) if not i or k is None or k != s[i - 1][1]] for s in sentences
        ]
    tags = [encode(s, scheme) for s in sentences]
    assert decoded(tags, scheme=scheme, strict=strict) == spans_of(sentences)
    if strict:
        assert read_spans(*coded(tags), scheme=scheme, strict=True).dropped == 0


@pytest.mark.parametrize("scheme", SCHEMES)
@with_examples(20)
@given(sentences=texts)
def test_what_a_scheme_writes_is_read_under_the_scheme_that_is_told(scheme: str, sentences: list[Sentence]) -> None:
    if scheme == "io":
        sentences = [
            [(n, k) for i, (n, k) in enumerate(s) if not i or k is None or k != s[i - 1][1]] for s in sentences
        ]
    tags = [encode(s, scheme) for s in sentences]
    for strict in (False, True):
        assert decoded(tags, scheme=told(tags), strict=strict) == spans_of(sentences)


FULL: dict[str, list[list[str]]] = {
    "iob1": [["I-X", "I-X", "B-X", "O", "I-Y"]],
    "iob2": [["B-X", "I-X", "B-X", "O", "B-Y"]],
    "bioes": [["B-X", "I-X", "E-X", "S-X", "O"]],
    "bilou": [["B-X", "I-X", "L-X", "U-X", "O"]],
    "bmes": [["B-X", "M-X", "E-X", "S-X", "O"]],
    "io": [["I-X", "I-X", "O", "I-Y"]],
}


@pytest.mark.parametrize("scheme", FULL)
def test_the_scheme_is_told(scheme: str) -> None:
    assert told(FULL[scheme]) == scheme


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["O", "O"], "iob2"),
        (["B-X", "O"], "iob2"),
        (["B-X", "I-X", "O", "I-Y"], "iob2"),
        (["B", "M", "E", "S"], "bmes"),
        (["B-X", "M-X", "E-X", "W-X"], "bmes"),
        (["B-X", "E-X", "S-X"], "bioes"),
        (["U-X", "O"], "bilou"),
        (["S-X", "O"], "bioes"),
    ],
)
def test_the_scheme_is_told_from_little(tags: list[str], scheme: str) -> None:
    assert told([tags]) == scheme


letters = st.sampled_from(["B", "I", "E", "S"])
any_tag = st.just("O") | st.builds("{}-{}".format, letters, st.sampled_from(["X", "Y", "geo-loc"]))
any_tags = st.lists(st.lists(any_tag, max_size=8), min_size=1, max_size=5)


@with_examples(100)
@given(any_tags)
def test_lenient_is_what_seqeval_reads(sentences: list[list[str]]) -> None:
    expected = [
        (i, start, end + 1, kind) for i, sentence in enumerate(sentences) for kind, start, end in get_entities(sentence)
    ]
    assert decoded(sentences) == expected


def roles(letters: str) -> st.SearchStrategy[list[list[str]]]:
    tag = st.just("O") | st.builds("{}-{}".format, st.sampled_from(letters), st.sampled_from(["X", "Y"]))
    return st.lists(st.lists(tag, min_size=1, max_size=8), min_size=1, max_size=4)


STRICT: dict[str, tuple[Any, str]] = {
    "iob1": (IOB1, "BI"),
    "iob2": (IOB2, "BI"),
    "bioes": (IOBES, "BIES"),
    "bilou": (BILOU, "BILU"),
}


@pytest.mark.parametrize("scheme", STRICT)
@with_examples(50)
@given(data=st.data())
def test_strict_is_what_seqeval_reads_strictly(scheme: str, data: st.DataObject) -> None:
    kind, allowed = STRICT[scheme]
    sentences = data.draw(roles(allowed))
    expected = [(i, e.start, e.end, e.tag) for i, found in enumerate(Entities(sentences, kind).entities) for e in found]
    assert decoded(sentences, scheme=scheme, strict=True) == expected
    inside = sum(end - start for _, start, end, _ in expected)
    tagged = sum(tag != "O" for sentence in sentences for tag in sentence)
    assert read_spans(*coded(sentences), scheme=scheme, strict=True).dropped == tagged - inside


def test_the_type_is_everything_after_the_first_hyphen() -> None:
    assert decoded([["B-geo-loc", "I-geo-loc", "B-B-cell"]]) == [(0, 0, 2, "geo-loc"), (0, 2, 3, "B-cell")]


def test_spans_do_not_cross_sentences() -> None:
    assert decoded([["O", "B-X"], ["I-X", "O"]]) == [(0, 1, 2, "X"), (1, 0, 1, "X")]
    assert decoded([["I-X"], [], ["I-X"]], scheme="io", strict=True) == [(0, 0, 1, "X"), (2, 0, 1, "X")]


def test_bare_tags_are_types_under_io() -> None:
    e = Evaluation.from_tags(
        None, [["PER", "PER", "O", "LOC"]], {"s": [["PER", "O", "O", "LOC"]]}, scheme="io", task="spans"
    )
    assert e.units.select("start", "end", "label", "gold", "s").rows() == [
        (0, 1, "PER", False, True),
        (0, 2, "PER", True, False),
        (3, 4, "LOC", True, True),
    ]


def test_tags_without_types_are_word_boundaries() -> None:
    e = Evaluation.from_tags(None, [["B", "E", "S"]], {"s": [["B", "M", "E"]]}, task="spans")
    assert e.units.select("start", "end", "gold", "s").rows() == [
        (0, 2, True, False),
        (0, 3, False, True),
        (2, 3, True, False),
    ]


def test_strict_says_how_many_tags_it_dropped() -> None:
    e = Evaluation.from_tags(None, [["B-X", "O"]], {"s": [["I-X", "I-X"]]}, scheme="iob2", strict=True)
    assert e.units["s"].sum() == 0
    assert [w for w in e.warnings if "s: 2 tags that iob2 does not allow were dropped" in w]


def test_gold_and_system_in_different_schemes() -> None:
    sentence: Sentence = [(3, "X"), (1, None), (1, "Y"), (2, "Y")]
    runs = {scheme: [encode(sentence, scheme)] for scheme in ("iob1", "bioes", "bilou", "bmes")}
    e = Evaluation.from_tags(None, [encode(sentence, "iob2")], runs)
    assert e.units.height == 3
    assert e.units.select("gold", *runs).to_numpy().all()
    assert any("bilou in bilou" in note for note in e.aligned.notes)


def test_unknown_scheme() -> None:
    with pytest.raises(UserError, match="unknown tag scheme 'bioe'; did you mean 'bioes'"):
        Evaluation.from_tags(None, [["O"]], {"s": [["O"]]}, scheme="bioe")
