"""The catalogue of metrics: what there is for a task, and a metric by its name."""

from __future__ import annotations

import re

from slicewise.annotations import Task
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.metrics import (
    accuracy,
    agreement,
    clustering,
    custom,
    edit,
    gleu,
    mean,
    multilabel,
    prf,
    probability,
    ranking,
    regression,
    rouge,
    translation,
    words,
)
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
WITHOUT_OPTIONS = (accuracy, agreement, mean, translation, gleu, rouge, edit, words, regression, probability)

__all__ = ["DEFAULTS", "catalogue", "find_metric"]


def catalogue(task: Task, beta: float = 1.0, depth: int = ranking.USUAL_DEPTH) -> dict[str, Metric]:
    """Return the metrics of a task by name; F_β and the gain of rankings for this β and to this depth, too."""
    metrics = [
        *prf.prf_metrics(1.0),
        *(prf.prf_metrics(beta) if beta != 1 else []),
        *(metric for module in WITHOUT_OPTIONS for metric in module.METRICS),
        *ranking.ranking_metrics(),
        *(ranking.ranking_metrics(depth)[-1:] if depth != ranking.USUAL_DEPTH else []),
        *clustering.METRICS,
        *multilabel.multilabel_metrics(1.0),
        *(multilabel.multilabel_metrics(beta) if beta != 1 else []),
    ]
    return {metric.name: metric for metric in metrics if task in metric.tasks}


def find_metric(name: str, task: Task) -> Metric:
    """Return a metric by name: F_β for every β, as `f2` or `macro-f0.5`, `ndcg@5`, or your own, `mine.py:function`."""
    listed_name, beta, depth = _parsed_name(name)
    custom_metric = custom.from_file(name)
    metrics = catalogue(task, beta, depth)
    metric = metrics.get(listed_name) if custom_metric is None else custom_metric
    if metric is not None and task in metric.tasks:
        return metric
    tasks = [t for t in Task if listed_name in catalogue(t, beta, depth)] if metric is None else metric.tasks
    if tasks:
        elsewhere = " and ".join(sorted(t.value for t in tasks))
        raise UserError(
            f"the metric {quoted(name)} is for {elsewhere}, but the task is {task.value}; use one of: "
            + ", ".join(metrics)
        )
    raise UserError(f"unknown metric {quoted(name)}; {did_you_mean(listed_name, metrics)}")


def _parsed_name(name: str) -> tuple[str, float, int]:
    """Return the name as it is listed, the β of an F and the depth of a gain: f2.0 is f2."""
    lowered = name.lower().replace("_", "-")
    if (f := re.fullmatch(r"((?:macro-|weighted-|multilabel-|soft-multilabel-)?)f(\d+(?:\.\d+)?)", lowered)) and float(
        f[2]
    ):
        return f[1] + prf.f_name(float(f[2])), float(f[2]), ranking.USUAL_DEPTH
    if (gain := re.fullmatch(r"ndcg@(\d{1,9})", lowered)) and int(gain[1]):
        return f"ndcg@{int(gain[1])}", 1.0, int(gain[1])
    return lowered, 1.0, ranking.USUAL_DEPTH
