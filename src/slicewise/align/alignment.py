"""Alignment of gold and systems. All alignment errors are detected and reported here, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from slicewise.align import answers
from slicewise.align.aligned import Aligned
from slicewise.align.clusters import Clusters, FindClusters, find_clusters
from slicewise.align.inputs import input_fields, texts_of
from slicewise.align.labels import label_warnings, normalised_labels, renamed
from slicewise.align.options import Options
from slicewise.align.spans import FileUnits, find_units, item_count_error, split_input, tagged_lines
from slicewise.align.task import infer_task
from slicewise.align.tokens import at as place_of
from slicewise.align.tokens import same_tokens
from slicewise.align.units import UnitSet, merge
from slicewise.annotations import Annotations, Task
from slicewise.data_warnings import DataWarning, When, warning
from slicewise.errors import UserError, counted, explained, quoted


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
    task, evidence = (options.task, "") if options.task else infer_task(gold, reference)
    if task is Task.SCORES and options.normalise:
        raise UserError("scores are numbers, and --normalise changes texts; leave it out")
    notes = (f"task {task.value}" + (f" (told by {evidence})" if evidence else ""),)
    if gold is None and task is not Task.SCORES:
        gold = reference = _own_gold(systems)
    texts, input_warnings = input_fields(inputs, reference)
    if task in (Task.SPANS, Task.TOKENS):
        aligned = _align_tokens(reference, systems, texts, task, options, find)
    else:
        systems = dict(systems)
        aligned = _align_answers(gold, systems, texts, task, options, find)
        file_notes = [note for file in (gold, *systems.values()) if file is not None for note in file.notes]
        aligned = replace(aligned, warnings=(*dict.fromkeys(file_notes), *aligned.warnings))
    metadata = reference.metadata
    fields = texts if texts.width else texts_of(reference)
    return replace(
        aligned,
        fields=fields,
        metadata=metadata,
        notes=(*notes, *aligned.notes),
        warnings=(*input_warnings, *aligned.warnings, *few_clusters(aligned.clusters)),
    )


def few_clusters(clusters: Clusters) -> tuple[DataWarning, ...]:
    """Warn that there are few clusters to resample."""
    if clusters.count >= 30:
        return ()
    noun = {"item": "item", "doc": "document"}.get(clusters.kind, "cluster")
    if clusters.count < 2:
        message = f"{counted(clusters.count, noun)} to resample: there are no intervals and no p-values"
    else:
        message = f"only {counted(clusters.count, noun)} to resample: intervals and p-values are rough below 30"
    return (warning(message, when=When.NEVER),)


def _own_gold(systems: Mapping[str, Annotations]) -> Annotations:
    """Return the gold that the systems' files bring along; all must bring the same."""
    bringing = [a for a in systems.values() if a.own_gold is not None]
    if len(bringing) < len(systems):
        missing = next(a for a in systems.values() if a.own_gold is None)
        raise UserError("no --gold, and the file brings no gold column; add --gold FILE", where=missing.name)
    first = bringing[0]
    for file in bringing[1:]:
        _same_gold(first, file)
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
        file_units = {"gold": _compact(find_units(gold, gold, lengths, task, options))}
    warnings = [*gold.notes, *file_units["gold"].warnings]
    for name, system in systems.items():
        with explained(system.name):
            file_units[name] = _compact(find_units(system, gold, lengths, task, options))
        warnings += [*(note for note in system.notes if note not in warnings), *file_units[name].warnings]
    merged = merge([renamed(file.units, task, options) for file in file_units.values()], list(file_units))
    warnings += label_warnings(merged, {name: file.units for name, file in file_units.items()}, task, options)
    schemes = {name: file.scheme for name, file in file_units.items() if file.scheme}
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
        tags={name: file.tags for name, file in file_units.items() if file.tags is not None},
        notes=_scheme_notes(schemes),
        warnings=tuple(warnings),
    )


def _compact(file: FileUnits) -> FileUnits:
    """Return a file's units with its tags as they are kept."""
    return file if file.tags is None else replace(file, tags=file.tags.compact())


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


def _scheme_notes(schemes: Mapping[str, str]) -> tuple[str, ...]:
    if not schemes:
        return ()
    usual = next(iter(schemes.values()))
    exceptions = [f"{scheme} in {name}" for name, scheme in schemes.items() if scheme != usual]
    return (f"tags {usual}" + (f", but {', '.join(exceptions)}" if exceptions else ""),)


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
            raise item_count_error(reference, system)
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
        confidences={name: sure for name, file in systems.items() if (sure := answers.confidence(file)) is not None},
    )
    if task is Task.SCORES:
        return replace(
            aligned, answers=pl.DataFrame([_read_as(answers.scores, a, name) for name, a in systems.items()])
        )
    if task is Task.TEXT:
        expected = _read_as(answers.references, reference, "gold")
        outputs = {name: _read_as(answers.texts, file, "") for name, file in systems.items()}
        message = f"{reference.name}: tabs are taken to separate references; if they separate columns, name one: FILE:2"
        separated = reference.tabs_separate and isinstance(expected.dtype, pl.List)
        rankings = any(map(answers.has_tabs, systems.values(), outputs.values()))
        return replace(
            aligned,
            answers=pl.DataFrame([expected, *(text.alias(name) for name, text in outputs.items())]),
            places={name: file.places for name, file in files.items() if file.places is not None},
            warnings=(warning(message),) if separated and not rankings else (),
        )
    return _align_labels(aligned, files, options)


def _read_as(kind: Callable[[Annotations], pl.Series], file: Annotations, name: str) -> pl.Series:
    with explained(file.name):
        return kind(file).alias(name)


def _align_labels(aligned: Aligned, files: Mapping[str, Annotations], options: Options) -> Aligned:
    warnings: list[DataWarning] = []
    columns: list[pl.Series] = []
    unit_sets: dict[str, UnitSet] = {}
    for name, original in files.items():
        with explained(original.name):
            file = normalised_labels(original, options)
            if aligned.task is Task.MULTILABEL:
                unit_sets[name] = answers.multilabel_units(file)
                continue
            text, empty_outputs = answers.labels(file, gold=name == "gold")
        warnings += empty_outputs
        columns.append((text.replace(dict(options.map)) if options.map else text).alias(name))
        unit_sets[name] = answers.label_units(text)
    negative = frozenset() if options.negative_label is None else frozenset([options.negative_label])
    sets = [renamed(units, aligned.task, options).without(negative) for units in unit_sets.values()]
    merged = merge(sets, list(unit_sets))
    warnings += label_warnings(merged, unit_sets, aligned.task, options)
    return replace(
        aligned,
        units=_with_group(merged.frame, aligned.clusters),
        labels=merged.labels,
        answers=pl.DataFrame(columns) if columns else None,
        warnings=tuple(warnings),
    )


def training_units(train: Annotations, task: Task, options: Options) -> UnitSet | None:
    """Return the training file's own units, under the same labels; None where it has none."""
    if task in (Task.LABELS, Task.MULTILABEL) and train.answers is not None:
        with explained(train.name):
            train = normalised_labels(train, options)
            if task is Task.MULTILABEL:
                return renamed(answers.multilabel_units(train), task, options).distinct()
            return renamed(answers.label_units(answers.labels(train, gold=False)[0]), task, options)
    train = tagged_lines(train) if task in (Task.SPANS, Task.TOKENS) else train
    if task not in (Task.SPANS, Task.TOKENS) or (train.tags is None and train.spans is None):
        return None
    texts = train.texts
    if texts is None and train.offsets is None:
        raise train.error("spans without tokens or text; expected 'text' or 'tokens' in each item")
    lengths = train.lengths if texts is None else texts.str.len_chars().to_numpy().astype(np.int64)
    return renamed(find_units(train, train, lengths, task, options).units, task, options).distinct()
