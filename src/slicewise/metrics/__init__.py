"""The catalogue of metrics: what there is for a task, and a metric by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slicewise.annotations import Task
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.metrics import accuracy, agreement, mean, prf

if TYPE_CHECKING:
    from slicewise.metrics.metric import Metric

DEFAULTS: dict[Task, tuple[str, ...]] = {
    Task.SPANS: ("f1", "macro-f1", "exact-match"),
    Task.TOKENS: ("f1", "macro-f1", "accuracy"),
    Task.LABELS: ("accuracy", "macro-f1", "balanced-accuracy", "kappa", "mcc"),
    Task.MULTILABEL: ("f1", "macro-f1", "exact-match", "hamming-loss"),
    Task.TEXT: (),
    Task.SCORES: ("mean",),
}
"""What is shown where the user names no metric; the first ranks."""

__all__ = ["DEFAULTS", "catalogue", "find_metric"]


def catalogue(task: Task, beta: float = 1.0) -> dict[str, Metric]:
    """Return the metrics of a task by name."""
    every = [
        *prf.prf_metrics(1.0),
        *(prf.prf_metrics(beta) if beta != 1 else []),
        *accuracy.METRICS,
        *accuracy.TEXT_METRICS,
        *agreement.METRICS,
        *mean.METRICS,
    ]
    return {metric.name: metric for metric in every if task in metric.tasks}


def find_metric(name: str, task: Task) -> Metric:
    """Return a metric by name; F_β is there for every β, as `f2` or `macro-f0.5`."""
    wanted = name.lower().replace("_", "-")
    beta = re.fullmatch(r"(?:macro-|weighted-)?f(\d+(?:\.\d+)?)", wanted)
    weight = (float(beta[1]) if beta else 0.0) or 1.0
    if beta and float(beta[1]):
        wanted = wanted.removesuffix(f"f{beta[1]}") + prf.f_name(weight)  # f2.0 is f2
    known = catalogue(task, beta=weight)
    if wanted in known:
        return known[wanted]
    elsewhere = sorted(t.value for t in Task if wanted in catalogue(t))
    if elsewhere:
        raise UserError(
            f"the metric {quoted(name)} is for {' and '.join(elsewhere)}, but the task is {task.value}; use one of: "
            + ", ".join(known)
        )
    raise UserError(f"unknown metric {quoted(name)}; {did_you_mean(wanted, known)}")
