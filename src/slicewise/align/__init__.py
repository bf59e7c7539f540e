"""Gold and systems put side by side. All trouble of alignment is found and reported here, once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.align import answers
from slicewise.align.clusters import Clusters, find_clusters
from slicewise.align.options import Options
from slicewise.align.spans import find_units, other_count, split_input, tagged_lines
from slicewise.align.task import tell_task
from slicewise.align.tokens import at as place_of
from slicewise.align.tokens import same_tokens
from slicewise.align.units import Merged, UnitSet, merge
from slicewise.annotations import OUTSIDE, Annotations, Task
from slicewise.errors import UserError, counted, explained, quoted
from slicewise.warned import First, Warned, When, number, warned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.align.clusters import FindClusters
    from slicewise.annotations import Places

__all__ = ["Aligned", "Clusters", "Options", "align", "few_clusters", "training_units", "unknown_labels"]


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """Everything that gold and systems say about the same items."""

    task: Task
    items: int
    clusters: Clusters
    lengths: NDArray[np.int64]
    length_unit: str
    """What item lengths and span offsets count: `tokens`, `characters`, or `labels` where there is no text."""
    units: pl.DataFrame | None = None
    labels: tuple[str, ...] = ()
    answers: pl.DataFrame | None = None
    tokens: pl.Series | None = None
    offsets: NDArray[np.int64] | None = None
    token_columns: Mapping[str, pl.Series] = field(default_factory=dict)
    fields: pl.DataFrame = field(default_factory=pl.DataFrame)
    metadata: pl.DataFrame = field(default_factory=pl.DataFrame)
    confidences: Mapping[str, pl.Series] = field(default_factory=dict)
    """How sure each system is of each item's output, where its file says so."""
    places: Mapping[str, Places] = field(default_factory=dict)
    """Of texts, which only metrics read: where each item stands in the file of gold, and of each system."""
    notes: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether items have tokens, or text to be split into words; such words are not the tokens that tags are of."""
        return self.tokens is not None or (self.fields.width > 0 and self.length_unit != "tokens")

    def between(self, start: int, stop: int) -> Aligned:
        """Return some items, one after the other, numbered anew; labels, clusters and groups keep their numbers."""
        size = stop - start
        units = self.units
        if units is not None:
            first, last = np.searchsorted(units["item"].to_numpy(), [start, stop]).tolist()
            units = units.slice(first, last - first).with_columns(pl.col("item") - pl.lit(start, pl.UInt32))
        offsets, here = self.offsets, slice(0, 0)
        if offsets is not None:
            here = slice(int(offsets[start]), int(offsets[stop]))
            offsets = offsets[start : stop + 1] - offsets[start]
        clusters = replace(
            self.clusters, cluster=self.clusters.cluster[start:stop], group=self.clusters.group[start:stop]
        )
        return replace(
            self,
            items=size,
            clusters=clusters,
            lengths=self.lengths[start:stop],
            units=units,
            answers=None if self.answers is None else self.answers.slice(start, size),
            tokens=None if self.tokens is None else self.tokens[here],
            offsets=offsets,
            token_columns={name: column[here] for name, column in self.token_columns.items()},
            fields=self.fields.slice(start, size),
            metadata=self.metadata.slice(start, size),
            confidences={name: column.slice(start, size) for name, column in self.confidences.items()},
            places={name: replace(places, first=places.first + start) for name, places in self.places.items()},
        )


def align(
    gold: Annotations | None,
    systems: Mapping[str, Annotations],
    inputs: Sequence[Annotations] = (),
    options: Options | None = None,
    clusters: FindClusters | None = None,
) -> Aligned:
    """Align by position and compare: units for set tasks, answers per item for the others.

    `systems` may read its files as they are asked for; with a gold file each is asked for once, and let go of.
    `clusters` finds the clusters of gold's items: as the options say, unless given.
    """
    options = options or Options()
    find = clusters or partial(find_clusters, field=options.cluster)
    if gold is None:
        systems = dict(systems)
    reference = next(iter(systems.values())) if gold is None else gold
    task, told_by = (options.task, "") if options.task else tell_task(gold, reference)
    if task is Task.SCORES and options.normalise:
        raise UserError("scores are numbers, and --normalise changes texts; leave it out")
    notes = (f"task {task.value}" + (f" (told by {told_by})" if told_by else ""),)
    if gold is None and task is not Task.SCORES:
        gold = reference = _own_gold(systems)
    texts, odd = _inputs(inputs, reference)
    if task in (Task.SPANS, Task.TOKENS):
        aligned = _align_tokens(reference, systems, texts, task, options, find)
    else:
        systems = dict(systems)
        aligned = _align_answers(gold, systems, texts, task, options, find)
        said = [note for file in (gold, *systems.values()) if file is not None for note in file.notes]
        aligned = replace(aligned, warnings=(*dict.fromkeys(said), *aligned.warnings))
    metadata = reference.metadata
    fields = texts if texts.width else _own_texts(reference)
    return replace(
        aligned,
        fields=fields,
        metadata=metadata,
        notes=(*notes, *aligned.notes),
        warnings=(*odd, *aligned.warnings, *few_clusters(aligned.clusters)),
    )


def few_clusters(clusters: Clusters) -> tuple[Warned, ...]:
    """Say that there is little to resample."""
    if clusters.count >= 30:
        return ()
    noun = {"item": "item", "doc": "document"}.get(clusters.kind, "cluster")
    if clusters.count < 2:
        said = f"{counted(clusters.count, noun)} to resample: there are no intervals and no p-values"
    else:
        said = f"only {counted(clusters.count, noun)} to resample: intervals and p-values are rough below 30"
    return (warned(said, when=When.NEVER),)


def _own_gold(systems: Mapping[str, Annotations]) -> Annotations:
    """Return the gold that the systems' files bring along; all must bring the same."""
    bringing = [a for a in systems.values() if a.own_gold is not None]
    if len(bringing) < len(systems):
        missing = next(a for a in systems.values() if a.own_gold is None)
        raise UserError("no --gold, and the file brings no gold column; add --gold FILE", where=missing.name)
    first = bringing[0]
    for other in bringing[1:]:
        _same_gold(first, other)
    return replace(first, tags=first.own_gold, own_gold=None)


def _same_gold(first: Annotations, other: Annotations) -> None:
    if not np.array_equal(first.lengths, other.lengths):
        same_tokens(first, other)
    if first.own_gold is None or other.own_gold is None:
        return
    ours = np.array(first.own_gold.names)[first.own_gold.codes]
    theirs = np.array(other.own_gold.names)[other.own_gold.codes]
    different = np.flatnonzero(ours != theirs)
    if len(different):
        at = int(different[0])
        raise UserError(
            f"its gold tag is {quoted(str(theirs[at]))}, but {quoted(str(ours[at]))} at "
            f"{place_of(first, first.token_line(at))}; files that bring gold must agree; give the gold with --gold",
            where=other.name,
            line=other.token_line(at),
        )


def _inputs(inputs: Sequence[Annotations], reference: Annotations) -> tuple[pl.DataFrame, list[Warned]]:
    """Return the input fields: `in` for one, `in<1>`, `in<2>` … or `in<column>` for several; and what is odd."""
    columns: list[pl.Series] = []
    odd: list[Warned] = []
    for given in inputs:
        if given.items != reference.items:
            raise other_count(reference, given)
        own = given.answers if given.answers is not None else given.texts
        if own is None:
            raise UserError("no text per item in it; name its column, as FILE:COLUMN", where=given.name)
        if isinstance(own.dtype, (pl.List, pl.Binary)):
            raise UserError("lists or bytes instead of a text per item; name a column of text", where=given.name)
        text = given.as_text(own).fill_null("")
        if text.name:
            columns.append(text)
            continue
        parts = text.str.split("\t")
        width = int(parts.list.len().max() or 1)  # type: ignore[arg-type]
        odd += _uneven(given, parts.list.len())
        columns += [parts.list.get(i, null_on_oob=True).fill_null("").alias("") for i in range(width)]
    if len(columns) == 1:
        return pl.DataFrame([columns[0].alias("in")]), odd
    names = [c.name or str(i) for i, c in enumerate(columns, 1)]
    if len(set(names)) < len(names):  # the same column of two files
        names = [str(i) for i in range(1, len(columns) + 1)]
    return pl.DataFrame([c.alias(f"in<{name}>") for name, c in zip(names, columns, strict=True)]), odd


def _uneven(given: Annotations, widths: pl.Series) -> list[Warned]:
    """Say that lines have different numbers of fields."""
    first = int(widths[0]) if len(widths) else 1
    other = widths != first
    if not other.any():
        return []
    line = given.item_line(int(other.arg_max() or 0))
    lines, place = number(int(other.sum()), "line"), First(f" (first at line {line})")
    what = f" with another number of fields than the first line's {first}"
    return [warned(f"{given.name}: ", lines, what, place, "; fields that a line lacks are empty")]


def _own_texts(reference: Annotations) -> pl.DataFrame:
    return pl.DataFrame() if reference.texts is None else pl.DataFrame([reference.texts.alias("in")])


def _align_tokens(
    gold: Annotations,
    systems: Mapping[str, Annotations],
    fields: pl.DataFrame,
    task: Task,
    options: Options,
    find: FindClusters,
) -> Aligned:
    gold = _with_tokens(tagged_lines(gold), fields)
    if gold.offsets is not None:
        lengths, unit = gold.lengths, "tokens"
    elif gold.texts is not None:
        lengths, unit = gold.texts.str.len_chars().to_numpy().astype(np.int64), "characters"
    else:
        raise UserError("spans without tokens or text; expected 'text' or 'tokens' in each item", where=gold.name)
    with explained(gold.name):
        found = {"gold": find_units(gold, gold, lengths, task, options)}
    warnings = [*gold.notes, *found["gold"].warnings]
    for name, system in systems.items():
        with explained(system.name):
            found[name] = find_units(system, gold, lengths, task, options)
        warnings += [*(note for note in system.notes if note not in warnings), *found[name].warnings]
    merged = merge([_renamed(f.units, task, options) for f in found.values()], list(found))
    warnings += _oddities(merged, {name: f.units for name, f in found.items()}, task, options)
    schemes = {name: f.scheme for name, f in found.items() if f.scheme}
    clusters = find(gold)
    return Aligned(
        task=task,
        items=gold.items,
        clusters=clusters,
        lengths=lengths,
        length_unit=unit,
        units=_with_group(merged.frame, clusters),
        labels=merged.labels,
        tokens=gold.tokens,
        offsets=gold.offsets,
        token_columns=gold.token_columns,
        notes=_scheme_notes(schemes),
        warnings=tuple(warnings),
    )


def _with_tokens(gold: Annotations, fields: pl.DataFrame) -> Annotations:
    """Take the tokens from the input where gold is tags alone."""
    if gold.tokens is not None or gold.offsets is None or fields.width == 0:
        return gold
    tokens, offsets = split_input(fields.to_series(0))
    if not np.array_equal(offsets, gold.offsets):
        different = np.flatnonzero(np.diff(offsets) != np.diff(gold.offsets))
        item = int(different[0])
        raise UserError(
            f"{counted(int(gold.lengths[item]), 'tag')}, but {counted(int(np.diff(offsets)[item]), 'token')} in this "
            "line of the input; expected one tag per token, separated by spaces",
            where=gold.name,
            line=gold.item_line(item),
        )
    return replace(gold, tokens=tokens)


def _renamed(units: UnitSet, task: Task, options: Options) -> UnitSet:
    """Apply --map and --ignore; a tag's type counts too where tags are compared as written."""
    mapping, ignored = dict(options.map), set(options.ignore)
    if task is Task.TOKENS:
        for name in units.labels:
            prefix, dash, kind = name.partition("-")
            if dash and kind in options.map:
                mapping[name] = f"{prefix}-{options.map[kind]}"
            if dash and kind in options.ignore:
                ignored.add(name)
    renamed = units.without(ignored).relabelled(mapping).without(ignored)
    if task is Task.TOKENS and mapping:
        return renamed.without({options.negative_label if options.negative_label is not None else OUTSIDE})
    return renamed


def _oddities(merged: Merged, found: Mapping[str, UnitSet], task: Task, options: Options) -> list[Warned]:
    """Return what was left out or counted once, and that there is nothing to find."""
    said = warned("gold has no units: recall and per-label scores are undefined", when=When.EVERY)
    empty = [] if merged.frame["gold"].any() else [said]
    repeats = dict(zip(found, merged.repeats, strict=True))
    ignored = _ignored(found, task, options) if options.ignore else []
    return [*_repeated(repeats, options), *ignored, *_unmapped(found, options), *_unknown_labels(merged), *empty]


def _used(found: Mapping[str, UnitSet]) -> set[str]:
    """Return the labels of all files; of tags, their types too."""
    return {part for units in found.values() for label in units.labels for part in (label, label.partition("-")[2])}


def _unmapped(found: Mapping[str, UnitSet], options: Options) -> list[Warned]:
    used = _used(found)
    said = [f"--map {old}={options.map[old]}: no unit has the label {old}" for old in options.map if old not in used]
    negative = options.negative_label
    if negative is not None and negative not in used | {OUTSIDE}:
        said.append(f"--negative-label {negative}: nothing has this label")
    return [warned(text, when=When.EVERY) for text in said]


def _unknown_labels(merged: Merged) -> list[Warned]:
    label = merged.frame["label"].to_physical().to_numpy()
    names = ["gold", *merged.frame.columns[5:]]
    size = len(merged.labels)
    return unknown_labels(
        {name: np.bincount(label[merged.frame[name].to_numpy()], minlength=size) for name in names}, merged.labels
    )


def unknown_labels(counts: Mapping[str, NDArray[np.int64]], labels: Sequence[str]) -> list[Warned]:
    """Say which labels a system uses and gold never does: often a slip in a name; `counts` are by label."""
    gold = counts["gold"]
    if not gold.any():
        return []
    said = []
    for name, own in counts.items():
        strange = np.flatnonzero((own > 0) & (gold == 0)).tolist()
        listed = [f"{quoted(labels[code])} ({counted(int(own[code]), 'unit')})" for code in strange]
        if listed:
            more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
            text = f"{name}: never a label in gold: {', '.join(listed[:3])}{more}"
            said.append(warned(text, when=When.NEVER))
    return said


def _ignored(found: Mapping[str, UnitSet], task: Task, options: Options) -> list[Warned]:
    plain = replace(options, map={})
    gone = {name: len(units) - len(_renamed(units, task, plain)) for name, units in found.items()}
    counts = [piece for name, n in gone.items() for piece in (", ", number(n, "unit"), f" of {name}")]
    said = [warned("ignored labels: ", *counts[1:])] if any(gone.values()) else []
    unused = [f"--ignore {label}: no unit has this label" for label in sorted(options.ignore - _used(found))]
    return [*said, *(warned(text, when=When.EVERY) for text in unused)]


def _repeated(repeats: Mapping[str, int], options: Options) -> list[Warned]:
    why = " (after --map)" if options.map else ""
    what = f" given more than once, counted once{why}"
    return [warned(f"{name}: ", number(n, "unit"), what) for name, n in repeats.items() if n]


def _scheme_notes(schemes: Mapping[str, str]) -> tuple[str, ...]:
    if not schemes:
        return ()
    usual = next(iter(schemes.values()))
    others = [f"{scheme} in {name}" for name, scheme in schemes.items() if scheme != usual]
    return (f"tags {usual}" + (f", but {', '.join(others)}" if others else ""),)


def _with_group(units: pl.DataFrame, clusters: Clusters) -> pl.DataFrame:
    return units.with_columns(group=pl.Series(clusters.group[units["item"].to_numpy()]))


def _align_answers(
    gold: Annotations | None,
    systems: Mapping[str, Annotations],
    fields: pl.DataFrame,
    task: Task,
    options: Options,
    find: FindClusters,
) -> Aligned:
    reference = gold or next(iter(systems.values()))
    files = ({} if gold is None else {"gold": gold}) | dict(systems)
    for system in systems.values():
        if system.items != reference.items:
            raise other_count(reference, system)
    clusters = find(reference)
    text = fields.to_series(0) if fields.width else reference.texts
    aligned = Aligned(
        task=task,
        items=reference.items,
        clusters=clusters,
        lengths=np.zeros(reference.items, np.int64)
        if text is None
        else text.str.len_chars().fill_null(0).to_numpy().astype(np.int64),
        length_unit="labels" if text is None else "characters",
        confidences={name: found for name, file in systems.items() if (found := answers.confidence(file)) is not None},
    )
    if task is Task.SCORES:
        return replace(
            aligned, answers=pl.DataFrame([_read_as(answers.scores, a, name) for name, a in systems.items()])
        )
    if task is Task.TEXT:
        expected = _read_as(answers.references, reference, "gold")
        outputs = {name: _read_as(answers.texts, file, "") for name, file in systems.items()}
        said = f"{reference.name}: tabs are taken to separate references; if they separate columns, name one: FILE:2"
        separated = reference.tabs_separate and isinstance(expected.dtype, pl.List)
        rankings = any(map(answers.has_tabs, systems.values(), outputs.values()))
        return replace(
            aligned,
            answers=pl.DataFrame([expected, *(text.alias(name) for name, text in outputs.items())]),
            places={name: file.places for name, file in files.items() if file.places is not None},
            warnings=(warned(said),) if separated and not rankings else (),
        )
    return _align_labels(aligned, files, options)


def _read_as(kind: Callable[[Annotations], pl.Series], file: Annotations, name: str) -> pl.Series:
    with explained(file.name):
        return kind(file).alias(name)


def _align_labels(aligned: Aligned, files: Mapping[str, Annotations], options: Options) -> Aligned:
    warnings: list[Warned] = []
    columns: list[pl.Series] = []
    found: dict[str, UnitSet] = {}
    for name, given in files.items():
        with explained(given.name):
            file = _normalised(given, options)
            if aligned.task is Task.MULTILABEL:
                found[name] = answers.multilabel_units(file)
                continue
            text, said = answers.labels(file, gold=name == "gold")
        warnings += said
        columns.append((text.replace(dict(options.map)) if options.map else text).alias(name))
        found[name] = answers.label_units(text)
    negative = frozenset() if options.negative_label is None else frozenset([options.negative_label])
    sets = [_renamed(units, aligned.task, options).without(negative) for units in found.values()]
    merged = merge(sets, list(found))
    warnings += _oddities(merged, found, aligned.task, options)
    return replace(
        aligned,
        units=_with_group(merged.frame, aligned.clusters),
        labels=merged.labels,
        answers=pl.DataFrame(columns) if columns else None,
        warnings=tuple(warnings),
    )


def _normalised(file: Annotations, options: Options) -> Annotations:
    """Return labels as they are compared."""
    if not options.normalise or file.answers is None:
        return file
    return replace(file, answers=options.normalised(file.as_text(file.answers)))


def training_units(train: Annotations, task: Task, options: Options) -> UnitSet | None:
    """Return the training file's own units, under the same labels; None where it has none."""
    if task in (Task.LABELS, Task.MULTILABEL) and train.answers is not None:
        with explained(train.name):
            train = _normalised(train, options)
            if task is Task.MULTILABEL:
                return _renamed(answers.multilabel_units(train), task, options).distinct()
            return _renamed(answers.label_units(answers.labels(train, gold=False)[0]), task, options)
    train = tagged_lines(train) if task in (Task.SPANS, Task.TOKENS) else train
    if task not in (Task.SPANS, Task.TOKENS) or (train.tags is None and train.spans is None):
        return None
    texts = train.texts
    if texts is None and train.offsets is None:
        raise train.error("spans without tokens or text; expected 'text' or 'tokens' in each item")
    lengths = train.lengths if texts is None else texts.str.len_chars().to_numpy().astype(np.int64)
    return _renamed(find_units(train, train, lengths, task, options).units, task, options).distinct()
