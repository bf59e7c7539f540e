"""Tell the task from the files, where the user does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from slicewise.annotations import Task
from slicewise.errors import UserError, counted
from slicewise.read.schemes import TAG, split_tag

if TYPE_CHECKING:
    from slicewise.annotations import Annotations, Tags

FEW_LABELS = 50
FEW_ITEMS = 10
FEW_LABEL_SETS = 200
BY_FIELD = {"label": Task.LABELS, "labels": Task.MULTILABEL, "output": Task.TEXT, "score": Task.SCORES}


def tell_task(gold: Annotations | None, told_by: Annotations) -> tuple[Task, str]:
    """Return the task and a few words on what told it: gold, or the first system where there is none."""
    if told_by.spans is not None:
        return Task.SPANS, "spans"
    tags = told_by.own_gold or told_by.tags
    if tags is not None:
        return _by_tags(tags)
    if told_by.answers is None:
        raise UserError(
            "no tags, spans, label, labels, output or score in it; name the column, as FILE:COLUMN", where=told_by.name
        )
    if told_by.answers.name in BY_FIELD:
        return BY_FIELD[told_by.answers.name], f"the field {told_by.answers.name!r}"
    if gold is None:
        return Task.SCORES, "outputs without gold"
    return _by_answers(told_by, told_by.answers)


def _by_tags(tags: Tags) -> tuple[Task, str]:
    known = [name for name in tags.names[1:] if split_tag(name)]
    unknown = len(tags.names) - 1 - len(known)
    if unknown and not any("-" in name for name in known):
        return Task.TOKENS, "tags without prefixes"
    return Task.SPANS, "tags with prefixes" if known else "tags that are all O"


def _by_answers(told_by: Annotations, answers: pl.Series) -> tuple[Task, str]:
    if isinstance(answers.dtype, pl.List):
        return Task.MULTILABEL, "lists of labels"
    if answers.dtype.is_float():
        return Task.TEXT, "numbers in gold"
    text = told_by.as_text(answers).fill_null("").str.strip_chars()
    words = text.str.extract_all(r"\S+").explode().drop_nulls()
    if len(words) > len(text) and _all_tags(words):
        return Task.SPANS, "lines of tags"
    distinct, vocabulary = text.n_unique(), words.n_unique()
    several = len(words) > len(text)
    few = distinct * 5 <= len(text) or (distinct <= FEW_LABELS and distinct * 2 <= len(text))
    few = few or (len(text) < FEW_ITEMS and not several)
    alone = text.filter(text.is_in(words.unique().implode())).n_unique()
    recombined = vocabulary * 5 <= len(words) and distinct * 2 >= vocabulary * 3
    sets = several and vocabulary <= FEW_LABEL_SETS and (alone >= vocabulary or recombined)
    if sets:
        return Task.MULTILABEL, counted(vocabulary, "distinct label") + " in gold"
    if few:
        return Task.LABELS, counted(distinct, "distinct value") + " in gold"
    return Task.TEXT, "running text in gold"


def _all_tags(words: pl.Series) -> bool:
    names = words.unique().to_list()
    return all(name == "O" or TAG.match(name) for name in names) and any("-" in name for name in names)
