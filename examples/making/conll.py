"""Tokens, sentences and documents, and the column files they are kept in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from making.files import write_text

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE = "O"


class Token(NamedTuple):
    """A word and its IOB2 tag."""

    text: str
    tag: str


class Span(NamedTuple):
    """An entity: the tokens from `start` up to `end`, and its label."""

    start: int
    end: int
    label: str


Sentence = list[Token]
Document = list[Sentence]
Columns = Callable[[Token, str], str]


def spans(tags: Sequence[str]) -> list[Span]:
    """The entities of IOB2 tags; an `I-` without its `B-` begins one, as in conlleval."""
    found: list[Span] = []
    start, label = 0, ""
    for i, tag in enumerate([*tags, OUTSIDE]):
        kind = tag[2:]
        if label and (not tag.startswith("I-") or kind != label):
            found.append(Span(start, i, label))
            label = ""
        if tag != OUTSIDE and not label:
            start, label = i, kind
    return found


def iob2(entities: Iterable[Span], length: int) -> list[str]:
    """The IOB2 tags of entities that do not overlap."""
    tags = [OUTSIDE] * length
    for start, end, label in entities:
        tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return tags


def iob1(tags: Sequence[str]) -> list[str]:
    """IOB2 tags as IOB1: `B-` only where an entity follows another with the same label."""
    out = list(tags)
    for i, tag in enumerate(tags):
        if tag.startswith("B-") and (i == 0 or tags[i - 1][2:] != tag[2:]):
            out[i] = "I-" + tag[2:]
    return out


def bioes(tags: Sequence[str]) -> list[str]:
    """IOB2 tags as BIOES: ends marked `E-`, entities of one token `S-`."""
    out = [OUTSIDE] * len(tags)
    for start, end, label in spans(tags):
        if end - start == 1:
            out[start] = f"S-{label}"
        else:
            out[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 2) + [f"E-{label}"]
    return out


def tags_of(sentence: Sentence) -> list[str]:
    """The tags of a sentence."""
    return [token.tag for token in sentence]


def words_of(sentence: Sentence) -> list[str]:
    """The words of a sentence."""
    return [token.text for token in sentence]


def retag(sentence: Sentence, tags: Sequence[str]) -> Sentence:
    """The same words with other tags."""
    return [Token(token.text, tag) for token, tag in zip(sentence, tags, strict=True)]


def flatten(documents: Sequence[Document]) -> list[Sentence]:
    """All sentences, in order."""
    return [sentence for document in documents for sentence in document]


def write_documents(path: Path, documents: Sequence[Document], start: str, line: Callable[[Token], str]) -> None:
    """Documents with a `start` line before each, a line for each token, and blank lines between sentences."""
    blocks: list[str] = []
    for document in documents:
        blocks.append(start)
        blocks.extend("\n".join(map(line, sentence)) for sentence in document)
    write_text(path, "\n\n".join(blocks) + "\n")


def write_predictions(path: Path, gold: Sequence[Sentence], tags: Sequence[Sequence[str]], columns: Columns) -> None:
    """A system's file: no document lines, one line for each token of the gold sentences."""
    blocks = [
        "\n".join(columns(token, tag) for token, tag in zip(sentence, predicted, strict=True))
        for sentence, predicted in zip(gold, tags, strict=True)
    ]
    write_text(path, "\n\n".join(blocks) + "\n")
