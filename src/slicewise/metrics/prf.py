"""Precision, recall and F_β of sets of units: micro, macro and weighted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.metrics.counts import N_GOLD, N_PRED, PRECISION, RECALL, Proportion, by_label, f_proportion, total
from slicewise.metrics.metric import Metric
from slicewise.stats.ratio import ratio

SETS = frozenset({Task.SPANS, Task.TOKENS, Task.LABELS, Task.MULTILABEL})


def macro(sums: Array, measure: Callable[[Array], Array]) -> Array:
    """Mean over the labels that gold or the system uses; an undefined precision or recall counts 0."""
    counts = by_label(sums)
    used = (counts[..., N_PRED] + counts[..., N_GOLD]) > 0
    return ratio(np.nan_to_num(measure(counts)).sum(axis=-1), used.sum(axis=-1))


def weighted(sums: Array, measure: Callable[[Array], Array]) -> Array:
    """Mean over labels weighted by how many gold units they have."""
    counts = by_label(sums)
    n_gold = counts[..., N_GOLD]
    return ratio((np.nan_to_num(measure(counts)) * n_gold).sum(axis=-1), n_gold.sum(axis=-1))


def measures(beta: float = 1.0) -> dict[str, Proportion]:
    """Return precision, recall and F_β by the names they have in a metric's name."""
    return {"precision": PRECISION, "recall": RECALL, f_name(beta): f_proportion(beta)}


def f_name(beta: float) -> str:
    """Return the name of F_β: f1, f2, f0.5."""
    return "f" + f"{beta:.12f}".rstrip("0").rstrip(".")


def of_items(finish: Callable[[Array], Array], sums: Array, *, labels: bool = False) -> Array:
    """Return the scores of single items, from counts or from those of labels; nothing to find, nothing found: right."""
    counts = total(sums) if labels else sums
    return np.where(counts[..., N_PRED] + counts[..., N_GOLD] == 0, 1.0, finish(sums))


def prf_metrics(beta: float = 1.0) -> list[Metric]:
    """Return the nine metrics of one β."""
    listed = []
    for name, measure in measures(beta).items():
        listed.append(
            Metric(
                name=name,
                summary=f"{name} over all units (micro)",
                tasks=SETS,
                reduce=total,
                finish=measure.value,
                size=measure.size,
                item_finish=partial(of_items, measure.value),
            )
        )
        for kind, mean in (("macro", macro), ("weighted", weighted)):
            summary = "mean over labels" + (" weighted by their gold units" if kind == "weighted" else "")
            finish = partial(mean, measure=measure.value)
            listed.append(
                Metric(
                    name=f"{kind}-{name}",
                    summary=f"{name}: {summary}",
                    tasks=SETS,
                    finish=finish,
                    item_finish=partial(of_items, finish, labels=True),
                )
            )
    return listed
