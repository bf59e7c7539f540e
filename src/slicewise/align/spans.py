"""The labelled spans, or the tagged tokens, of one file, over gold's items and tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.align.offsets import to_tokens
from slicewise.align.options import Options
from slicewise.align.tokens import at, same_tokens, token_texts
from slicewise.align.units import UnitSet
from slicewise.annotations import Annotations, Tags, Task
from slicewise.arrays import Ints
from slicewise.data_warnings import DataWarning, First, Total, number, verb, warning
from slicewise.errors import UserError, counted, quoted
from slicewise.read.schemes import read_spans, split_tag, unknown_tags


@dataclass(frozen=True)
class FileUnits:
    """A file's units, their tag scheme, warnings, and the tags they were read from."""

    units: UnitSet
    scheme: str | None = None
    warnings: tuple[DataWarning, ...] = ()
    tags: Tags | None = None


def tagged_lines(annotations: Annotations) -> Annotations:
    """Turn lines of tags, one sentence a line, into tags of tokens."""
    if annotations.tags is not None or annotations.spans is not None or annotations.answers is None:
        return annotations
    words, offsets = split_input(annotations.as_text(annotations.answers))
    return replace(annotations, tags=Tags.encode(words), offsets=offsets, answers=None)


def split_input(texts: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the tokens of lines that are tokenised by spaces, or of lists."""
    words = texts if isinstance(texts.dtype, pl.List) else texts.cast(pl.String).str.extract_all(r"\S+")
    sizes = words.list.len().fill_null(0)
    offsets = np.concatenate([[0], np.cumsum(sizes.to_numpy().astype(np.int64))])
    return words.filter(sizes > 0).explode().cast(pl.String), offsets


def find_units(annotations: Annotations, gold: Annotations, lengths: Ints, task: Task, options: Options) -> FileUnits:
    """Return the units of gold or of a system; `lengths` are gold's, in tokens, or in characters without tokens."""
    annotations = tagged_lines(annotations)
    if annotations.tags is not None:
        return _from_tags(annotations, gold, task, options)
    if annotations.spans is None:
        raise UserError("no tags and no spans in it; expected one of them for this task", where=annotations.name)
    if task is Task.TOKENS:
        raise UserError(
            "spans, but the task is tokens; give a tag per token, or use --task spans", where=annotations.name
        )
    return _from_offsets(annotations, gold, lengths, options)


def _from_tags(annotations: Annotations, gold: Annotations, task: Task, options: Options) -> FileUnits:
    aligned = same_tokens(gold, annotations) if annotations is not gold else annotations
    warnings = token_texts(gold, aligned, strict=options.strict_tokens) if annotations is not gold else []
    if aligned.tags is None or aligned.offsets is None:
        raise UserError("no tags in it", where=annotations.name)
    if task is Task.TOKENS:
        units = _token_units(aligned.tags, aligned.offsets, options)
        return FileUnits(units, None, tuple(warnings), aligned.tags)
    bare = options.scheme == "io"
    odd = unknown_tags(aligned.tags, bare=bare)
    if odd:
        raise _unknown_prefix(aligned, aligned.tags, odd)
    spans = read_spans(aligned.tags, aligned.offsets, scheme=options.scheme, strict=options.strict, bare=bare)
    if spans.dropped:
        n, why = spans.dropped, f" that {spans.scheme} does not allow "
        warnings.append(
            warning(f"{annotations.called}: ", number(n, "tag"), why, verb(n, "was", "were"), " dropped (--strict)")
        )
    item = np.searchsorted(aligned.offsets, spans.start, side="right") - 1
    base = aligned.offsets[item]
    units = UnitSet(item, spans.start - base, spans.end - base, spans.label.astype(np.int64), spans.labels)
    return FileUnits(units, spans.scheme if len(units) else None, tuple(warnings), aligned.tags)


def _unknown_prefix(annotations: Annotations, tags: Tags, odd: list[int]) -> UserError:
    code = min(odd, key=tags.first)
    name = tags.names[code]
    problem = "an empty tag" if not name else f"tag {quoted(name)} has no known prefix"
    return UserError(
        f"{problem}; expected O, or B-, I-, E-, S-, M-, L-, U- and a type; use --scheme io if tags are types without "
        "prefix, or --task tokens to compare tags as written",
        where=annotations.name,
        line=annotations.token_line(tags.first(code)) or annotations.item_line(0),
    )


def _token_units(tags: Tags, offsets: Ints, options: Options) -> UnitSet:
    names = list(tags.names)
    if options.strip_prefix:
        names = [(split_tag(name) or (0, name))[1] or name for name in names]
    negative = options.negative_label if options.negative_label is not None else "O"
    outside = [code for code, name in enumerate(names) if name == negative]
    position = np.flatnonzero(~np.isin(tags.codes, outside))
    labels = tuple(sorted(set(names)))
    index = {name: code for code, name in enumerate(labels)}
    code = np.array([index[name] for name in names])[tags.codes[position]]
    item = np.searchsorted(offsets, position, side="right") - 1
    start = position - offsets[item]
    return UnitSet(item, start, start + 1, code, labels)


def _from_offsets(annotations: Annotations, gold: Annotations, lengths: Ints, options: Options) -> FileUnits:
    warnings: list[DataWarning] = []
    if annotations.items != gold.items:
        raise item_count_error(gold, annotations)
    spans = annotations.spans if annotations.spans is not None else pl.DataFrame()
    item, start, end = (spans[name].to_numpy() for name in ("item", "start", "end"))
    texts = gold.texts if annotations.texts is None and annotations.tokens is None else annotations.texts
    if annotations.tokens is not None and annotations is not gold and gold.tokens is not None:
        warnings += token_texts(gold, same_tokens(gold, annotations), strict=options.strict_tokens)
    limit = lengths if texts is None else texts.str.len_chars().to_numpy().astype(np.int64)
    _check_range(annotations, item, start, end, limit, "tokens" if texts is None else "characters")
    if texts is not None and gold.tokens is not None and gold.offsets is not None:
        start, end = to_tokens(annotations, (item, start, end), texts, gold.tokens, gold.offsets)
    elif (texts is None) == (gold.tokens is None):
        raise UserError(
            f"its spans count tokens, but {gold.name} has only text; give text and character offsets",
            where=annotations.name,
        )
    elif texts is not None and gold.texts is not None and not texts.equals(gold.texts, check_names=False):
        warnings.append(_text_differences(annotations, gold, texts, gold.texts))
    labels = UnitSet.of_items(item, spans["label"])
    return FileUnits(UnitSet(item, start, end, labels.label, labels.labels), None, tuple(warnings))


def _text_differences(
    annotations: Annotations, gold: Annotations, texts: pl.Series, gold_texts: pl.Series
) -> DataWarning:
    different = texts != gold_texts
    lengths_differ = texts.str.len_chars() != gold_texts.str.len_chars()
    first = int((lengths_differ if lengths_differ.any() else different).arg_max() or 0)
    if lengths_differ.any():
        raise annotations.error(
            f"item {first + 1:,}: the text has another length than in {at(gold, gold.item_line(first))}; "
            "character offsets can be compared only over the same text",
            item=first,
        )
    n = int(different.sum())
    count = number(n, "text"), " of ", Total(len(texts), "items"), verb(n, " differs", " differ")
    place = f" from {gold.name} (first: ", First("item ", first), "); aligned by position"
    return warning(f"{annotations.called}: ", *count, *place)


def _check_range(annotations: Annotations, item: Ints, start: Ints, end: Ints, lengths: Ints, unit: str) -> None:
    bad = (start < 0) | (end <= start) | (end > lengths[item])
    if not bad.any():
        return
    i = int(np.argmax(bad))
    why = (
        "the end is not after the start"
        if end[i] <= start[i]
        else f"the item has {int(lengths[item[i]]):,} {unit}, so the end is at most {int(lengths[item[i]])}"
        if end[i] > lengths[item[i]]
        else "offsets begin at 0"
    )
    raise annotations.error(
        f"item {int(item[i]) + 1:,}: the span {start[i]}–{end[i]} is out of range or inverted; {why}; mend the span",
        item=int(item[i]),
    )


def item_count_error(gold: Annotations, system: Annotations) -> UserError:
    """Return the error for files with different numbers of items."""
    longer, shorter = (gold, system) if gold.items > system.items else (system, gold)
    line = longer.item_line(shorter.items)
    return UserError(
        f"{counted(system.items, 'item')}, but {gold.items:,} in {gold.name}; {at(longer, line)} is the first line "
        "without a counterpart; both must have one line or row per item, in the same order",
        where=system.name,
    )
