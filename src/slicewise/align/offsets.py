"""Character offsets mapped to the tokens they cover.

Text and tokens are compared without their white space: a place in the text is the number of visible characters before
it, and so is the beginning and the end of a token. No search, and no loop over tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Annotations
from slicewise.arrays import Ints
from slicewise.errors import quoted


@dataclass(frozen=True)
class _Visible:
    """The visible characters of many strings, one after the other."""

    characters: NDArray[np.uint32]
    before: Ints
    """How many visible characters stand before each character, and at the end."""
    starts: Ints
    """Where each string begins, in characters, and where the last ends."""

    @classmethod
    def of(cls, strings: pl.Series) -> _Visible:
        points = np.frombuffer("".join(strings.to_list()).encode("utf-32-le", "surrogatepass"), np.uint32)
        distinct, inverse = np.unique(points, return_inverse=True)
        visible = np.array([not chr(point).isspace() for point in distinct], np.bool_)[inverse]
        lengths = strings.str.len_chars().to_numpy().astype(np.int64)
        return cls(
            points[visible], np.concatenate([[0], np.cumsum(visible)]), np.concatenate([[0], np.cumsum(lengths)])
        )

    def at_starts(self) -> Ints:
        return self.before[self.starts]


def to_tokens(
    annotations: Annotations, spans: tuple[Ints, Ints, Ints], texts: pl.Series, tokens: pl.Series, offsets: Ints
) -> tuple[Ints, Ints]:
    """Return first and last-but-one token of each (item, start, end) that counts characters of the item's text."""
    item, start, end = spans
    text, token = _Visible.of(texts), _Visible.of(tokens)
    token_at = token.at_starts()
    _check_same(annotations, text, token, token_at, offsets)
    begin = text.before[text.starts[item] + start]
    stop = text.before[text.starts[item] + end]
    first = np.searchsorted(token_at[:-1], begin, side="right") - 1  # not a token of white space before it
    last = np.searchsorted(token_at[1:], stop, side="left")
    n = len(token_at) - 1
    bad = (begin >= stop) | (first < 0) | (last >= n)
    bad |= token_at[np.maximum(first, 0)] != begin
    bad |= token_at[np.minimum(last + 1, n)] != stop
    if bad.any():
        i = int(np.argmax(bad))
        covered = texts[int(item[i])][int(start[i]) : int(end[i])]
        raise annotations.error(
            f"item {int(item[i]) + 1:,}: the span {start[i]}–{end[i]} {quoted(covered)} cuts a token; "
            "spans must begin and end where tokens do; mend the offsets, or leave out the tokens to compare characters",
            item=int(item[i]),
        )
    return first - offsets[item], last + 1 - offsets[item]


def _check_same(annotations: Annotations, text: _Visible, token: _Visible, token_at: Ints, offsets: Ints) -> None:
    """Text and tokens of every item must be the same but for white space."""
    ours, theirs = text.at_starts(), token_at[offsets]
    unequal = np.diff(ours) != np.diff(theirs)
    if not unequal.any() and not np.array_equal(text.characters, token.characters):
        place = int(np.argmax(text.characters != token.characters))
        unequal[int(np.searchsorted(ours, place, side="right")) - 1] = True
    if unequal.any():
        item = int(np.argmax(unequal))
        raise annotations.error(
            f"item {item + 1:,}: the text is not made of the tokens; character offsets can be mapped to tokens only if "
            "both are the same but for spaces; give token offsets, or leave out the tokens",
            item=item,
        )
