"""The metrics that a user asks for, or those of the task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slicewise.annotations import Task
from slicewise.errors import UserError, quoted
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.custom import from_object
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
