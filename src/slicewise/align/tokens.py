"""Alignment of a system's tokens with gold's, by position."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from slicewise.annotations import Annotations
from slicewise.data_warnings import DataWarning, First, Total, number, verb, warning
from slicewise.errors import UserError, counted, quoted


def same_tokens(gold: Annotations, system: Annotations) -> Annotations:
    """Return the system's annotations over gold's items and tokens, or raise an error at the first difference."""
    if gold.offsets is None or system.offsets is None:
        raise UserError(
            f"one of {gold.name} and {system.name} has no tokens; both need tokens, or both text with character offsets"
        )
    if np.array_equal(gold.offsets, system.offsets):
        return system
    if (stripped := _without_docstarts(gold, system)) is not None:
        return stripped
    raise _first_difference(gold, system)


def token_texts(gold: Annotations, system: Annotations, *, strict: bool) -> list[DataWarning]:
    """Compare the texts of tokens: a warning with the count, or an error."""
    if gold.tokens is None or system.tokens is None:
        return []
    different: pl.Series = gold.tokens != system.tokens
    count = int(different.sum())
    if not count:
        return []
    first = int(different.arg_max() or 0)
    example = f"{quoted(system.tokens[first])} for {quoted(gold.tokens[first])} at {at(gold, gold.token_line(first))}"
    differ = verb(count, " differs in text", " differ in text")
    pieces = (number(count, "token"), " of ", Total(len(different), "tokens"), differ, f" from {gold.name}")
    if strict:
        message = (
            f"{warning(*pieces)}, the first {example}; leave out --strict-tokens to align by position all the same"
        )
        raise UserError(message, where=system.name, line=system.token_line(first))
    return [warning(f"{system.called}: ", *pieces, " (first: ", First(example), "); aligned by position")]


def _without_docstarts(gold: Annotations, system: Annotations) -> Annotations | None:
    """Take out the lines that a file of predictions alone may have for `-DOCSTART-` lines, if that makes it fit."""
    if gold.docstarts is None or gold.offsets is None or system.tags is None or system.offsets is None:
        return None
    if system.tokens is not None or len(system.tags.codes) != len(gold.docstarts):
        return None
    keep = ~gold.docstarts
    starts = np.zeros(len(keep) + 1, np.bool_)
    starts[system.offsets] = True
    starts[:-1] |= gold.docstarts
    starts[1:] |= gold.docstarts
    offsets = np.flatnonzero(np.append(starts[:-1][keep], True))
    if not np.array_equal(offsets, gold.offsets):
        return None
    rows = None
    if system.token_rows is not None:
        rows = system.token_rows.copy()
        rows[np.flatnonzero(rows)[gold.docstarts]] = False
    tags = system.tags.take(keep)
    return replace(system, items=gold.items, offsets=offsets, tags=tags, token_rows=rows, tokens=None, token_columns={})


def _first_difference(gold: Annotations, system: Annotations) -> UserError:
    ours, theirs = gold.lengths, system.lengths
    common = min(len(ours), len(theirs))
    unequal = np.flatnonzero(ours[:common] != theirs[:common])
    advice = "both must have the same sentences and tokens in the same order"
    if len(unequal):
        item = int(unequal[0])
        place = _first_different_token(gold, system, item)
        returned, expected = int(theirs[item]), int(ours[item])
        system_start = int(system.offsets[item]) if system.offsets is not None else 0
        gold_start = int(gold.offsets[item]) if gold.offsets is not None else 0
        message = (
            f"sentence {item + 1:,} has {counted(returned, 'token')}, but {expected:,} in {gold.name}; the first "
            f"difference is at {at(gold, _line(gold, gold_start, place, expected))}; {advice}"
        )
        return UserError(message, where=system.name, line=_line(system, system_start, place, returned))
    longer, shorter = (gold, system) if len(ours) > len(theirs) else (system, gold)
    line = longer.item_line(common)
    message = (
        f"{counted(system.items, 'sentence')}, but {gold.items:,} in {gold.name}; {at(longer, line)} is the first "
        f"that {shorter.name} lacks; {advice}"
    )
    return UserError(message, where=system.name, line=line if longer is system else None)


def at(annotations: Annotations, line: int | None) -> str:
    """Return a place in a file as it stands in a message."""
    return annotations.name if line is None else f"{annotations.name}:{line}"


def _line(annotations: Annotations, start: int, at: int, length: int) -> int | None:
    """Return the line of the token at a place in a sentence, or the line after its last token."""
    if at < length or annotations.token_rows is None:
        return annotations.token_line(start + min(at, length - 1))
    last = annotations.token_line(start + length - 1)
    return None if last is None else last + 1


def _first_different_token(gold: Annotations, system: Annotations, item: int) -> int:
    """Return the first place in a sentence where the tokens differ."""
    if gold.offsets is None or system.offsets is None:
        return 0
    shorter = int(min(gold.lengths[item], system.lengths[item]))
    if gold.tokens is not None and system.tokens is not None:
        ours = gold.tokens.slice(int(gold.offsets[item]), shorter)
        theirs = system.tokens.slice(int(system.offsets[item]), shorter)
        different = ours != theirs
        if different.any():
            return int(different.arg_max() or 0)
    return shorter
