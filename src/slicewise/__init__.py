"""Where a language system is wrong, whether that is real, and what fixing it would be worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slicewise._version import __version__

if TYPE_CHECKING:
    from slicewise.errors import UserError
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.buckets import buckets
    from slicewise.lenses.complement import complement
    from slicewise.lenses.difficulty import difficulty
    from slicewise.lenses.features import features
    from slicewise.lenses.items import items
    from slicewise.lenses.report import report
    from slicewise.lenses.score import score
    from slicewise.lenses.study import study
    from slicewise.lenses.units import units
    from slicewise.loading import load
    from slicewise.read.convert import convert

_HOMES = {
    "Evaluation": "slicewise.evaluation",
    "UserError": "slicewise.errors",
    "buckets": "slicewise.lenses.buckets",
    "complement": "slicewise.lenses.complement",
    "convert": "slicewise.read.convert",
    "difficulty": "slicewise.lenses.difficulty",
    "features": "slicewise.lenses.features",
    "items": "slicewise.lenses.items",
    "load": "slicewise.loading",
    "report": "slicewise.lenses.report",
    "score": "slicewise.lenses.score",
    "study": "slicewise.lenses.study",
    "units": "slicewise.lenses.units",
}

__all__ = [
    "Evaluation", "UserError", "__version__", "buckets", "complement", "convert", "difficulty", "features", "items",
    "load", "report", "score", "study", "units",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import slicewise` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'slicewise' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
