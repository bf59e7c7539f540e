"""The metrics that a user asks for, or those of the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import UserError
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.prf import f_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.annotations import Task
    from slicewise.metrics.metric import Metric


def metrics_asked(task: Task, names: Sequence[str], beta: float) -> list[Metric]:
    """Return the metrics asked for; --beta puts its F in the place of F1."""
    names = list(dict.fromkeys(names)) or [
        name.replace("f1", f_name(beta)) if beta != 1 else name for name in DEFAULTS[task]
    ]
    if not names:
        raise UserError(f"the task {task.value} needs a metric; add --metric NAME: {', '.join(catalogue(task))}")
    return list({m.name: m for m in (find_metric(name, task) for name in names)}.values())
