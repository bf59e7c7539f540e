"""Text normalisation before scoring: the user's steps, in the order given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import polars as pl

from slicewise.errors import UserError, did_you_mean, quoted

SUBSTITUTION = re.compile(
    r"s(?P<mark>[^\w\s\\])(?P<pattern>(?:\\.|(?!(?P=mark)).)+)(?P=mark)(?P<new>.*)(?P=mark)", re.S
)


def _folded(text: pl.Expr) -> pl.Expr:
    """Fold case: lower, and the characters whose folded case is another (`ß` becomes `ss`)."""
    return text.str.to_lowercase().str.replace_many(*_folds())


@cache
def _folds() -> tuple[list[str], list[str]]:
    characters = (chr(point) for point in range(0x110000))
    folds = {c: c.casefold() for c in characters if c.casefold() != c.lower()}
    return list(folds), list(folds.values())


STEPS: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "lower": lambda text: text.str.to_lowercase(),
    "casefold": _folded,
    "punctuation": lambda text: text.str.replace_all(r"\p{P}", ""),
    "spaces": lambda text: text.str.replace_all(r"\s+", " ").str.strip_chars(),
}


def check_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Return the steps as they will be applied; a step is a name or `s/PATTERN/NEW/`."""
    for step in steps:
        if step in STEPS:
            continue
        match = SUBSTITUTION.fullmatch(step)
        if match is None:
            hint = did_you_mean(step, [*STEPS, "s/PATTERN/NEW/"])
            raise UserError(f"unknown step {quoted(step)} to normalise; {hint}")
        try:
            pl.Series([""]).str.contains(match["pattern"])
        except pl.exceptions.PolarsError as error:
            why = next((line for line in str(error).splitlines() if line.startswith("error:")), "")
            raise UserError(f"{quoted(step)} has no valid pattern ({why.strip() or 'error'}); mend it") from None
    return tuple(steps)


def normalised(texts: pl.Series, steps: Sequence[str]) -> pl.Series:
    """Return texts, or lists of texts, after all steps."""
    if not steps:
        return texts
    nested = isinstance(texts.dtype, pl.List)
    text = pl.element() if nested else pl.col("text")
    for step in steps:
        text = _applied(text, step)
    frame = pl.DataFrame({"text": texts})
    return frame.select(pl.col("text").list.eval(text) if nested else text).to_series()


def _applied(text: pl.Expr, step: str) -> pl.Expr:
    if step in STEPS:
        return STEPS[step](text)
    match = SUBSTITUTION.fullmatch(step)
    if match is None:
        raise ValueError(step)
    return text.str.replace_all(match["pattern"], match["new"])
