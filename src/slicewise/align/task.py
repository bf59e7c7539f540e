"""Infer the task from the files."""

from __future__ import annotations

import polars as pl

from slicewise.annotations import Annotations, Tags, Task
from slicewise.errors import UserError, counted
from slicewise.read.schemes import TAG, split_tag

FEW_LABELS = 50
FEW_ITEMS = 10
FEW_LABEL_SETS = 200
BY_FIELD = {"label": Task.LABELS, "labels": Task.MULTILABEL, "output": Task.TEXT, "score": Task.SCORES}


def infer_task(gold: Annotations | None, reference: Annotations) -> tuple[Task, str]:
    """Return the task and the evidence for it; `reference` is gold, or the first system without gold."""
    if reference.spans is not None:
        return Task.SPANS, "spans"
    tags = reference.own_gold or reference.tags
    if tags is not None:
        return _by_tags(tags)
    if reference.answers is None:
        raise UserError(
            "no tags, spans, label, labels, output or score in it; name the column, as FILE:COLUMN",
            where=reference.name,
        )
    if reference.answers.name in BY_FIELD:
        return BY_FIELD[reference.answers.name], f"the field {reference.answers.name!r}"
    if gold is None:
        return Task.SCORES, "outputs without gold"
    return _by_answers(reference, reference.answers)


def _by_tags(tags: Tags) -> tuple[Task, str]:
    prefixed = [name for name in tags.names[1:] if split_tag(name)]
    unprefixed = len(tags.names) - 1 - len(prefixed)
    if unprefixed and not any("-" in name for name in prefixed):
        return Task.TOKENS, "tags without prefixes"
    return Task.SPANS, "tags with prefixes" if prefixed else "tags that are all O"


def _by_answers(reference: Annotations, answers: pl.Series) -> tuple[Task, str]:
    if isinstance(answers.dtype, pl.List):
        return Task.MULTILABEL, "lists of labels"
    if answers.dtype.is_float():
        return Task.TEXT, "numbers in gold"
    text = reference.as_text(answers).fill_null("").str.strip_chars()
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
