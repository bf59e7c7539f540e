"""One answer per item: a label, several labels, a text or a score."""

from __future__ import annotations

import numpy as np
import polars as pl

from slicewise.align.units import UnitSet
from slicewise.annotations import CONFIDENCES, Annotations
from slicewise.data_warnings import DataWarning, First, number, warning
from slicewise.errors import quoted

LARGEST = 1e300
"""Sums of larger scores could overflow."""
NUMBER_WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0"}


def values(annotations: Annotations) -> pl.Series:
    """Return the answers; an error if there are none."""
    if annotations.answers is None:
        raise annotations.error("no answer per item in it; name its column, as FILE:COLUMN")
    return annotations.answers


def labels(annotations: Annotations, *, gold: bool) -> tuple[pl.Series, list[DataWarning]]:
    """Return one label per item as a string; an empty one is an error in gold and no answer in a system."""
    answers = values(annotations)
    if isinstance(answers.dtype, pl.List):
        raise annotations.error("a list of labels per item, but the task is labels; use --task multilabel", item=0)
    text = annotations.as_text(answers).str.strip_chars()
    empty = (text.is_null() | (text == "")).fill_null(True)
    if not empty.any():
        return text, []
    first = int(empty.arg_max() or 0)
    if gold:
        raise annotations.error("an empty label; expected one label per item", item=first)
    line = First(f" (first at line {annotations.item_line(first)})")
    count = number(int(empty.sum()), "empty output")
    return text.set(empty, None), [warning(f"{annotations.called}: ", count, line, ", counted as wrong")]


def label_units(text: pl.Series) -> UnitSet:
    """Return a unit per item that has a label."""
    filled = text.is_not_null()
    return UnitSet.of_items(np.flatnonzero(filled.to_numpy()), text.filter(filled))


def multilabel_units(annotations: Annotations) -> UnitSet:
    """Return a unit per label of each item: of a list, or of words separated by spaces."""
    answers = annotations.as_text(values(annotations))
    if not isinstance(answers.dtype, pl.List):
        answers = answers.fill_null("").str.extract_all(r"\S+")
    sizes = answers.list.len().fill_null(0)
    item = np.repeat(np.arange(len(answers)), sizes.to_numpy())
    flat = answers.filter(sizes > 0).explode()
    if flat.null_count():
        row = int(item[int(flat.is_null().arg_max() or 0)])
        raise annotations.error("a label is null; expected strings", item=row)
    return UnitSet.of_items(item, flat)


def texts(annotations: Annotations) -> pl.Series:
    """Return one text per item; where the file has lists, they stay lists."""
    answers = annotations.as_text(values(annotations))
    if isinstance(answers.dtype, pl.List):
        return answers.fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
    return answers.fill_null("")


def references(annotations: Annotations) -> pl.Series:
    """Return one reference per item, or lists of several, which tabs separate in a file of lines."""
    text = texts(annotations)
    return text.str.split("\t") if has_tabs(annotations, text) else text


def has_tabs(annotations: Annotations, text: pl.Series) -> bool:
    """Return whether lines have tabs, which separate references or the ids of a ranking."""
    return annotations.tabs_separate and text.str.contains("\t", literal=True).any()


def scores(annotations: Annotations) -> pl.Series:
    """Return one finite number per item; true and false count 1 and 0."""
    answers = values(annotations)
    if isinstance(answers.dtype, pl.List):
        raise annotations.error("a list per item; expected one score", item=0)
    if (answers.dtype.is_integer() or answers.dtype == pl.Boolean) and not answers.null_count():
        return answers.cast(pl.Float64)
    if answers.dtype.is_numeric() or answers.dtype == pl.Boolean:
        numbers = answers.cast(pl.Float64, strict=False)
    else:
        words = annotations.as_text(answers).str.strip_chars().str.to_lowercase()
        numbers = words.replace(NUMBER_WORDS).cast(pl.Float64, strict=False)
    with np.errstate(invalid="ignore"):
        bad = pl.Series(~(np.abs(numbers.to_numpy()) <= LARGEST))  # what is missing is NaN
    if bad.any():
        row = int(bad.arg_max() or 0)
        problem = "no score" if answers[row] is None or answers[row] == "" else f"score {quoted(str(answers[row]))}"
        large = numbers[row] is not None and np.isfinite(numbers[row])
        expected = f"at most {LARGEST:g} either side of 0" if large else "a finite number, or true/false"
        raise annotations.error(f"{problem}; expected {expected}; mend or leave out the item", item=row)
    return numbers


def confidence(system: Annotations) -> pl.Series | None:
    """Return how sure a system is of each output, where its own file has such a field."""
    for field in CONFIDENCES:
        if field in system.metadata.columns:
            column = system.metadata.get_column(field).alias("")
            plain = column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.String)
            numbers = column.cast(pl.Float64, strict=False) if plain else None
            return numbers if numbers is not None and numbers.is_not_null().any() else None
    return None
