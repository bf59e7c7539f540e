"""The result of `score`: every number with its n and its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from slicewise.lenses.result import LensResult
from slicewise.results.base import Bounds
from slicewise.results.estimates import Confusion, Inference, Mean, Prf, Value


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """How alike the items of one cluster are scored."""

    metric: str
    icc: float
    """Intra-class correlation of the item scores, by analysis of variance."""
    design_effect: float
    items: int
    effective_items: float
    """Items over the design effect: how many independent ones would tell as much."""


@dataclass(frozen=True, kw_only=True)
class SystemScores:
    """The scores of one system; parts that do not apply to its task are empty."""

    metrics: dict[str, Value]
    micro: Prf | None = None
    macro: Mean | None = None
    weighted: Mean | None = None
    labels: dict[str, Prf] = field(default_factory=dict)
    errors: dict[str, int] | None = None
    overlapping: dict[str, int] | None = None
    """How many of the missed and of the spurious units overlap something."""
    repairs: dict[str, Value] | None = None
    """F1 gained if all errors of one kind were repaired."""
    semeval: dict[str, Prf] | None = None
    confusions: tuple[Confusion, ...] = ()
    dependence: Dependence | None = None
    """Where clusters have more than one item."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two systems compared on the same items; difference = a − b."""

    a: str
    b: str
    metric: str
    a_value: float | None
    b_value: float | None
    difference: float | None
    ci: Bounds | None = None
    p: float | None = None
    q: float | None = None
    undefined_draws: int = 0
    """In how many draws of the bootstrap, and of the test, the difference was undefined and left out."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A system's restarts together."""

    n: int
    mean: float | None
    std: float | None
    """Sample standard deviation (ddof 1)."""
    min: float | None
    max: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreResult(LensResult):
    """Corpus scores, error types and paired tests of all systems."""

    metrics: tuple[str, ...]
    """The first ranks."""
    lower_is_better: tuple[str, ...]
    systems: dict[str, SystemScores]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Groups of systems without significant differences, best first."""
    restarts: dict[str, dict[str, Spread]]
    inference: Inference
    view_only: ClassVar[tuple[str, ...]] = ("lower_is_better",)

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON; parts that do not apply are left out."""
        return super().body() | {"systems": {name: _present(scores) for name, scores in self.systems.items()}}

    def ranking(self) -> list[str]:
        """Return the systems, best first by the first metric; undefined ones last."""
        sign = 1 if self.metrics[0] in self.lower_is_better else -1

        def key(name: str) -> tuple[bool, float]:
            value = self.systems[name].metrics[self.metrics[0]].value
            return value is None, sign * (value or 0.0)

        return sorted(self.systems, key=key)

    def label_sizes(self) -> dict[str, int]:
        """Return the number of gold units of each label, the most frequent first."""
        sizes = {label: prf.n_gold for scores in self.systems.values() for label, prf in scores.labels.items()}
        return dict(sorted(sizes.items(), key=lambda entry: (-entry[1], entry[0])))

    def leaders(self) -> tuple[str, ...]:
        """Return the systems without a significant difference to the best."""
        return self.groups[0] if self.groups else (self.ranking()[0],)


def _present(scores: SystemScores) -> dict[str, Any]:
    """Return the parts that the task has."""
    if scores.micro is None:
        known = scores.dependence is not None
        return {"metrics": scores.metrics} | ({"dependence": scores.dependence} if known else {})
    parts = {name: getattr(scores, name) for name in scores.__dataclass_fields__}
    return {name: part for name, part in parts.items() if part is not None}
