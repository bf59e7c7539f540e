"""The result of `buckets`: every attribute's breakdown, diagnoses, and findings in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from slicewise.lenses.result import LensResult
from slicewise.lenses.slicing.result import Comparison
from slicewise.results.base import Bounds
from slicewise.results.estimates import Inference, Prf, Value


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A metric of some items."""

    n: int
    value: float | None
    ci: Bounds | None
    undefined_draws: int = 0


@dataclass(frozen=True, kw_only=True)
class OtherPrf(Prf):
    """Counts, P, R and F1, and another measure of them; `ci` has its interval under its name."""

    value: float | None


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """One bucket of an attribute: an interval `(lo, hi]`, None = open, or a single value."""

    name: str
    lo: float | None
    hi: float | None
    value: float | str | None
    interval: str
    """Its values for people."""
    said: str
    """In plain words."""
    n: int
    """Gold units in it; the most that any system has, where buckets differ between systems."""
    small: bool
    systems: dict[str, Prf | Measured]


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What an attribute does to one system: how its buckets differ."""

    spearman: float | None
    std: float | None
    best: str | None
    worst: str | None
    gap: float | None
    """Shrunk: of a gap that was picked for being large, so much is to be believed."""
    raw_gap: float | None = None
    """As the two buckets have it."""
    ci: Bounds | None = None
    """Of the raw gap between these two buckets; they were picked, so it is too hopeful."""
    p: float | None = None
    q: float | None = None
    correlation: Value | None = None
    """Rank correlation of the attribute with being found (the item's score, where items are scored), over all units."""


@dataclass(frozen=True, kw_only=True)
class AttributeResult:
    """One attribute's breakdown."""

    summary: str
    version: int
    kind: str
    """`number` or `category`."""
    unit: str
    """`span`, `token` or `item`."""
    ordered: bool
    zeta: float | None
    """Mean over the gold units."""
    cuts: tuple[float, ...]
    buckets: tuple[Bucket, ...]
    systems: dict[str, Diagnosis]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A statement that survives correction."""

    text: str
    kind: str
    """`gap` between buckets of one system, or `difference` between systems."""
    system: str
    against: str | None
    attribute: str
    bucket: str
    n: int
    share: float
    """Of the gold units."""
    difference: float
    """Of a gap, shrunk: so much of it is to be believed."""
    raw_difference: float
    ci: Bounds | None
    """Of the raw difference."""
    p: float
    q: float
    overall: float | None = None
    """The difference over all units, of a difference."""
    worth: float | None
    """What the measure over all units would gain if the bucket were like the rest, or if the worse system had what the
    better one has in it. Findings are ranked by it, times the share of all other
    units: what holds of nearly all units is no finding about a bucket. That of a gap is shrunk as the gap is."""
    raw_worth: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class BucketsResult(LensResult):
    """The attribute breakdown of one data set."""

    metric: str
    lower_is_better: bool
    overall: dict[str, dict[str, float | None]]
    """The measure of each system over all units of each kind."""
    attributes: dict[str, AttributeResult]
    comparisons: tuple[Comparison, ...]
    findings: tuple[Finding, ...]
    absent: dict[str, str]
    """Attributes of the task that the data cannot have, and what they need."""
    shown: tuple[str, ...]
    """Attributes whose breakdown a person is shown first."""
    inference: Inference
    view_only: ClassVar[tuple[str, ...]] = ("lower_is_better", "shown")

    def value(self, scored: Prf | Measured) -> float | None:
        """Return the measure of what one system scores in a bucket."""
        if isinstance(scored, Measured):
            return scored.value
        if self.metric in ("f1", "precision", "recall", "accuracy"):
            value: float | None = getattr(scored, "recall" if self.metric == "accuracy" else self.metric)
            return value
        return scored.value if isinstance(scored, OtherPrf) else None

    def bounds(self, scored: Prf | Measured) -> Bounds | None:
        """Return the interval of the measure, where it has one."""
        if isinstance(scored, Measured):
            return scored.ci
        return None if scored.ci is None else scored.ci.get("recall" if self.metric == "accuracy" else self.metric)
