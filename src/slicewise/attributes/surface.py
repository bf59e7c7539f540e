"""What can be seen in a string alone: shape, capitals, punctuation, digits, length, abbreviation.

Letters, digits and punctuation are told apart by their Unicode category. A combining mark belongs to the character
before it, so that a letter and its accent count alike however they are encoded.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

_SPACE = r"\s\x1C-\x1F"  # as in str.isspace
_UPPER = r"\p{Lu}\p{Lt}"
_CASED = rf"{_UPPER}\p{{Ll}}"
_MARKS = rf"([^{_SPACE}\p{{M}}])\p{{M}}+"

_SHAPES = (
    (_MARKS, "${1}"),
    (rf"[{_UPPER}]", "A"),
    (r"\p{Ll}", "a"),
    (r"\p{Nd}", "9"),
    (r"[\p{P}--[\p{Ps}\p{Pe}]]", "."),
    (r"[\p{Ps}\p{Pe}]", "("),
    (rf"[^{_CASED}\p{{Nd}}\p{{P}}{_SPACE}]", "#"),  # after the punctuation, which # is itself
    (rf"[{_SPACE}]+", " "),
    ("A{2,}", "A+"),
    ("a{2,}", "a+"),
    (r"\.{2,}", ".+"),
    (r"\({2,}", "(+"),
    ("#{2,}", "#+"),
)

_CAPITAL_INSIDE = rf"[{_CASED}](?:[^{_SPACE}]*[^{_SPACE}\p{{Pd}}'’])?[{_UPPER}]"
_SMALL_AT_START = rf"(?:^|[{_SPACE}])[^{_SPACE}{_CASED}]*\p{{Ll}}"

_CAPITALS = rf"^[{_UPPER}\p{{Nd}}&/-]*[{_UPPER}](?:[{_UPPER}\p{{Nd}}&/-]*|s)$"
_DOTTED = rf"^(?:(?:\p{{L}}|[{_UPPER}]\p{{Ll}}{{1,2}})\.){{2,}}$"
_CLIPPED = rf"^[{_UPPER}]\p{{Ll}}{{0,4}}\.$"


def shape(texts: pl.Series) -> pl.Series:
    """Return the shape of each string: `PCMCIA` → `A+`, `Poznań` → `Aa+`, `12.5` → `99.9`, `New York` → `Aa+ Aa+`.

    Upper (and title) case → A, lower → a, decimal digit → 9, bracket → (, other punctuation → ., white space → a
    space, anything else → #, also letters without case. A run of the same sign becomes the sign and +, but for digits.
    """
    return _of_distinct(texts, _shape)


def capitalisation(texts: pl.Series) -> pl.Series:
    """Return `no letters`, `lower`, `ALL CAPS`, `Capitalised` or `mixed` for each string; the first that holds.

    `no letters`: none that has a case. `ALL CAPS`: two or more, all upper. `Capitalised`: in every word with cased
    letters the first is upper and the others are lower; after a hyphen or an apostrophe both will do (`Jean-Paul`,
    `O'Neill`, `Vice-president`).
    """
    return _of_distinct(texts, _capitalisation)


def punctuation_share(texts: pl.Series) -> pl.Series:
    """Return the share of punctuation and symbols among the characters but white space; of none, null."""
    return _of_distinct(texts, lambda distinct: _share(distinct, r"[\p{P}\p{S}]"))


def digit_share(texts: pl.Series) -> pl.Series:
    """Return the share of decimal digits among the characters but white space; of none, null."""
    return _of_distinct(texts, lambda distinct: _share(distinct, r"\p{Nd}"))


def characters(texts: pl.Series) -> pl.Series:
    """Return the number of characters (code points) of each string."""
    return texts.str.len_chars().cast(pl.Int64)


def abbreviation(texts: pl.Series) -> pl.Series:
    """Return whether each string looks like an abbreviation. It does when it is one of these, without white space.

    - two to six upper-case letters, digits, &, / or -, at least two of them letters; the last may be a plural s after a
      letter (`NATO`, `AT&T`, `MPs`);
    - two or more times a letter and a period; the letter may be a capital with one or two small ones (`U.S.`, `e.g.`,
      `Ph.D.`);
    - a capital, up to four small letters and a period (`Dr.`, `Corp.`, `J.`).
    """
    return _of_distinct(texts, _abbreviation)


def _shape(distinct: pl.Series) -> pl.Series:
    for pattern, sign in _SHAPES:
        distinct = distinct.str.replace_all(pattern, sign)
    return distinct


def _capitalisation(distinct: pl.Series) -> pl.Series:
    text = pl.col("text")
    upper, lower = text.str.count_matches(rf"[{_UPPER}]"), text.str.count_matches(r"\p{Ll}")
    kinds = (
        pl.when(upper + lower == 0)
        .then(pl.lit("no letters"))
        .when(upper == 0)
        .then(pl.lit("lower"))
        .when((lower == 0) & (upper > 1))
        .then(pl.lit("ALL CAPS"))
        .when(text.str.contains(_CAPITAL_INSIDE) | text.str.contains(_SMALL_AT_START))
        .then(pl.lit("mixed"))
        .otherwise(pl.lit("Capitalised"))
    )
    return distinct.to_frame("text").select(kinds).to_series()


def _share(distinct: pl.Series, pattern: str) -> pl.Series:
    visible = distinct.str.count_matches(rf"[^{_SPACE}]")
    return distinct.str.count_matches(pattern) / visible.replace(0, None)


def _abbreviation(distinct: pl.Series) -> pl.Series:
    text = distinct.str.replace_all(_MARKS, "${1}")
    capitals = text.str.contains(_CAPITALS) & text.str.len_chars().is_between(2, 6)
    capitals &= text.str.count_matches(rf"[{_UPPER}]") > 1
    return capitals | text.str.contains(_DOTTED) | text.str.contains(_CLIPPED)


def _of_distinct(texts: pl.Series, function: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return the function's values, worked out once for each distinct string."""
    distinct = texts.drop_nulls().unique()
    codes = texts.cast(pl.Enum(distinct)).to_physical()
    return function(distinct).gather(codes).alias(texts.name)
