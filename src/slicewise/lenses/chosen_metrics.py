"""The metrics that a user asks for, or those of the task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from slicewise.annotations import Task
from slicewise.engine.local import aggregate
from slicewise.engine.protocols import FunctionKernel
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.custom import from_object
from slicewise.metrics.mean import items, score_statistics
from slicewise.metrics.metric import Metric
from slicewise.metrics.prf import f_name
from slicewise.user_code import split_name

MetricSpec = Sequence[str | Callable[..., Any]] | str | Callable[..., Any]
"""Names of metrics, or functions of your own; one, or several."""


def metrics_of(task: Task, spec: MetricSpec, beta: float) -> list[Metric]:
    """Return the metrics asked for; --beta puts its F in the place of F1."""
    several = [spec] if isinstance(spec, str) or callable(spec) else list(dict.fromkeys(spec))
    names = several or [name.replace("f1", f_name(beta)) if beta != 1 else name for name in DEFAULTS[task]]
    if not names:
        raise UserError(f"the task {task.value} needs a metric; add --metric NAME: {', '.join(catalogue(task))}")
    metrics: dict[str, tuple[bool, Metric]] = {}
    for name in names:
        metric = find_metric(name, task) if isinstance(name, str) else from_object(name, task)
        custom = not isinstance(name, str) or split_name(name) is not None
        before = metrics.get(metric.name)
        if before is not None and (custom or before[0]):
            raise UserError(f"two metrics are called {quoted(metric.name)}; rename your function")
        metrics[metric.name] = (custom, metric)
    return [metric for _, metric in metrics.values()]


def as_share(evaluation: Evaluation, metric: Metric) -> Metric:
    """Return the mean of scores that are all 0 or 1 as what it is: the share of items that are right."""
    if metric.statistics is not score_statistics:
        return metric
    graded = evaluation.memo("graded", lambda: aggregate(evaluation, FunctionKernel(_graded)))
    return metric if graded["graded"].sum() else replace(metric, size=items, best=1.0, worst=0.0)


def _graded(part: Evaluation) -> pl.DataFrame:
    """Count the scores that are neither 0 nor 1."""
    graded = sum(int((~part.answers(name).is_in([0.0, 1.0])).sum()) for name in part.systems)
    return pl.DataFrame({"graded": [graded]}, schema={"graded": pl.Int64})
