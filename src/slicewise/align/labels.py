"""The labels of units: mapping, ignored labels, and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from slicewise.align.options import Options
from slicewise.align.units import Merged, UnitSet
from slicewise.annotations import OUTSIDE, Annotations, Task
from slicewise.arrays import Ints
from slicewise.data_warnings import DataWarning, When, number, warning
from slicewise.errors import counted, quoted


def renamed(units: UnitSet, task: Task, options: Options) -> UnitSet:
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


def label_warnings(merged: Merged, unit_sets: Mapping[str, UnitSet], task: Task, options: Options) -> list[DataWarning]:
    """Return warnings about ignored, repeated, unmapped and unknown labels, and about gold without units."""
    no_gold = warning("gold has no units: recall and per-label scores are undefined", when=When.EVERY)
    empty = [] if merged.frame["gold"].any() else [no_gold]
    repeats = dict(zip(unit_sets, merged.repeats, strict=True))
    ignored = _ignored(unit_sets, task, options) if options.ignore else []
    return [*_repeated(repeats, options), *ignored, *_unmapped(unit_sets, options), *_unknown_labels(merged), *empty]


def _used(unit_sets: Mapping[str, UnitSet]) -> set[str]:
    """Return the labels of all files; of tags, their types too."""
    return {part for units in unit_sets.values() for label in units.labels for part in (label, label.partition("-")[2])}


def _unmapped(unit_sets: Mapping[str, UnitSet], options: Options) -> list[DataWarning]:
    used = _used(unit_sets)
    texts = [f"--map {old}={options.map[old]}: no unit has the label {old}" for old in options.map if old not in used]
    negative = options.negative_label
    if negative is not None and negative not in used | {OUTSIDE}:
        texts.append(f"--negative-label {negative}: nothing has this label")
    return [warning(text, when=When.EVERY) for text in texts]


def _unknown_labels(merged: Merged) -> list[DataWarning]:
    label = merged.frame["label"].to_physical().to_numpy()
    names = ["gold", *merged.frame.columns[5:]]
    size = len(merged.labels)
    return unknown_labels(
        {name: np.bincount(label[merged.frame[name].to_numpy()], minlength=size) for name in names}, merged.labels
    )


def unknown_labels(counts: Mapping[str, Ints], labels: Sequence[str]) -> list[DataWarning]:
    """Warn of labels that a system uses and gold never does, often a misspelt name; `counts` are by label."""
    gold = counts["gold"]
    if not gold.any():
        return []
    warnings = []
    for name, system_counts in counts.items():
        strange = np.flatnonzero((system_counts > 0) & (gold == 0)).tolist()
        listed = [f"{quoted(labels[code])} ({counted(int(system_counts[code]), 'unit')})" for code in strange]
        if listed:
            rest = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
            text = f"{name}: never a label in gold: {', '.join(listed[:3])}{rest}"
            warnings.append(warning(text, when=When.NEVER))
    return warnings


def _ignored(unit_sets: Mapping[str, UnitSet], task: Task, options: Options) -> list[DataWarning]:
    plain = replace(options, map={})
    removed = {name: len(units) - len(renamed(units, task, plain)) for name, units in unit_sets.items()}
    counts = [piece for name, n in removed.items() for piece in (", ", number(n, "unit"), f" of {name}")]
    ignored = [warning("ignored labels: ", *counts[1:])] if any(removed.values()) else []
    unused = [f"--ignore {label}: no unit has this label" for label in sorted(options.ignore - _used(unit_sets))]
    return [*ignored, *(warning(text, when=When.EVERY) for text in unused)]


def _repeated(repeats: Mapping[str, int], options: Options) -> list[DataWarning]:
    why = " (after --map)" if options.map else ""
    description = f" given more than once, counted once{why}"
    return [warning(f"{name}: ", number(n, "unit"), description) for name, n in repeats.items() if n]


def normalised_labels(file: Annotations, options: Options) -> Annotations:
    """Return labels as they are compared."""
    if not options.normalise or file.answers is None:
        return file
    return replace(file, answers=options.normalised(file.as_text(file.answers)))
