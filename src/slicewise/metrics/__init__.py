"""The catalogue of metrics: what there is for a task, and a metric by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slicewise.annotations import Task
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.metrics import (
    accuracy,
    agreement,
    clustering,
    edit,
    gleu,
    mean,
    multilabel,
    own,
    prf,
    probability,
    ranking,
    regression,
    rouge,
    translation,
    words,
)

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


def catalogue(task: Task, beta: float = 1.0, depth: int = ranking.USUAL_DEPTH) -> dict[str, Metric]:
    """Return the metrics of a task by name; F_β and the gain of rankings for this β and to this depth, too."""
    every = [
        *prf.prf_metrics(1.0),
        *(prf.prf_metrics(beta) if beta != 1 else []),
        *accuracy.METRICS,
        *accuracy.TEXT_METRICS,
        *agreement.METRICS,
        *mean.METRICS,
        *translation.METRICS,
        *gleu.METRICS,
        *rouge.METRICS,
        *edit.METRICS,
        *words.METRICS,
        *regression.METRICS,
        *probability.METRICS,
        *ranking.ranking_metrics(),
        *(ranking.ranking_metrics(depth)[-1:] if depth != ranking.USUAL_DEPTH else []),
        *clustering.METRICS,
        *multilabel.multilabel_metrics(1.0),
        *(multilabel.multilabel_metrics(beta) if beta != 1 else []),
    ]
    return {metric.name: metric for metric in every if task in metric.tasks}


def find_metric(name: str, task: Task) -> Metric:
    """Return a metric by name: F_β for every β, as `f2` or `macro-f0.5`, `ndcg@5`, or your own, `mine.py:function`."""
    wanted, beta, depth = _understood(name)
    own_metric = own.from_file(name)
    known = catalogue(task, beta, depth)
    found = known.get(wanted) if own_metric is None else own_metric
    if found is not None and task in found.tasks:
        return found
    tasks = [t for t in Task if wanted in catalogue(t, beta, depth)] if found is None else found.tasks
    if tasks:
        elsewhere = " and ".join(sorted(t.value for t in tasks))
        raise UserError(
            f"the metric {quoted(name)} is for {elsewhere}, but the task is {task.value}; use one of: "
            + ", ".join(known)
        )
    raise UserError(f"unknown metric {quoted(name)}; {did_you_mean(wanted, known)}")


def _understood(name: str) -> tuple[str, float, int]:
    """Return the name as it is listed, the β of an F and the depth of a gain: f2.0 is f2."""
    wanted = name.lower().replace("_", "-")
    if (f := re.fullmatch(r"((?:macro-|weighted-|multilabel-|soft-multilabel-)?)f(\d+(?:\.\d+)?)", wanted)) and float(
        f[2]
    ):
        return f[1] + prf.f_name(float(f[2])), float(f[2]), ranking.USUAL_DEPTH
    if (gain := re.fullmatch(r"ndcg@(\d{1,9})", wanted)) and int(gain[1]):
        return f"ndcg@{int(gain[1])}", 1.0, int(gain[1])
    return wanted, 1.0, ranking.USUAL_DEPTH
