"""Where a language system is wrong, whether that is real, and what fixing it would be worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slicewise._version import __version__ as __version__
from slicewise.lenses import registry as _registry

if TYPE_CHECKING:  # what type checkers know; at run time the registry says which lenses there are
    from slicewise.errors import UserError as UserError
    from slicewise.evaluation import Evaluation as Evaluation
    from slicewise.lenses.buckets import buckets as buckets
    from slicewise.lenses.complement import complement as complement
    from slicewise.lenses.difficulty import difficulty as difficulty
    from slicewise.lenses.features import features as features
    from slicewise.lenses.items import items as items
    from slicewise.lenses.report import report as report
    from slicewise.lenses.score import score as score
    from slicewise.lenses.study import study as study
    from slicewise.lenses.units import units as units
    from slicewise.loading import load as load
    from slicewise.read.convert import convert as convert

_HOMES = {
    "Evaluation": "slicewise.evaluation",
    "UserError": "slicewise.errors",
    "convert": "slicewise.read.convert",
    "load": "slicewise.loading",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import slicewise` is quick."""
    if name == "__all__":
        return __dir__()
    if name in _registry.names():
        return _registry.function(name)
    if name not in _HOMES:
        raise AttributeError(f"module 'slicewise' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(["__version__", *_HOMES, *_registry.names()])
