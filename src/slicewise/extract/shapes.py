"""Word shapes: what a token looks like, without its letters."""

from __future__ import annotations

import polars as pl

from slicewise.attributes.surface import shape

OTHER = "©"
"""A character that is neither letter, digit nor punctuation."""


def shape_of(tokens: pl.Series, *, geval: bool = False) -> pl.Series:
    """Return the shape of each token: `PCMCIA` → `A+`, `Poznań` → `Aa+`, `12.5` → `99.9`.

    To the published tool only ASCII digits are digits, and an accent that is a character of its own is one.
    """
    return shape(tokens.str.replace_all(r"[\p{Nd}--0-9]|\p{M}", OTHER) if geval else tokens)
