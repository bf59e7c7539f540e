"""A ranked list of features, as results have it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from slicewise.results.base import Bounds, Row
from slicewise.results.rows import bounds_row


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One feature: how the rows that have it score, and whether that is more than chance."""

    feature: str
    kind: str
    n: int
    """How many rows have it; of a number, how many are among the largest or smallest quarter."""
    mean: float
    """Mean score of the rows that have it."""
    rest_mean: float | None
    difference: float | None
    """Of the two means; where features are adjusted for something, among rows that are alike in that."""
    ci: Bounds | None
    """Of the difference, by clusters."""
    raw_difference: float | None
    """Of the two means as they are."""
    metric: float | None
    """The metric on the rows that have it."""
    rest_metric: float | None
    expected_improvement: float | None
    """What the metric would gain if these rows were as the others, so far as that is believed; positive is better."""
    raw_expected_improvement: float | None
    """As measured: too large where it was picked for being large."""
    auc: float | None
    tau: float | None
    """Of a number, instead of the AUC: Kendall's τ_b with the score."""
    cut: float | None
    """Of a number: where its largest or smallest quarter begins."""
    z: float | None
    p: float
    raw_p: float
    """Not adjusted."""
    log10_p: float
    q: float | None
    method: str
    chi2: float | None
    folded: tuple[str, ...] = ()
    """Weaker features that (nearly) the same rows have."""
    examples: tuple[int, ...] = ()
    """Items, the most telling first."""
    units: tuple[str, ...] = ()
    """Where units are ranked: some of them, with their labels."""


@dataclass(frozen=True, kw_only=True)
class FeatureList:
    """One system's features, or those of the step from one system to another, ranked."""

    system: str
    against: str | None
    direction: str
    over: str
    """What is ranked: `items`, `gold` units (found or missed) or `returned` units (right or spurious)."""
    n: int
    metric: str
    value: float | None
    """The metric over all."""
    mean: float
    lower_is_better: bool
    ratio: bool
    """Whether systems are compared by new/old."""
    tested: int
    significant: int
    """How many of them have q < 0.05."""
    adjusted_for: tuple[str, ...] = ()
    """Rows are compared with others that are alike in these."""
    clusters: str | None = None
    """What rows are drawn together in, where p are corrected for that."""
    interval: str | None = None
    """How the intervals of differences were made, where there are some."""
    features: tuple[Feature, ...]
    confusions: tuple[Feature, ...] = ()
    """What was expected and what was returned instead: wrong by construction, so listed apart and not tested."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """An item that the lists point to."""

    item: int
    text: str
    expected: str | None
    outputs: dict[str, str]
    scores: dict[str, float | None]


def feature_row(of: FeatureList, feature: Feature) -> Row:
    """Return a feature as a row of a table of all lists."""
    row: Row = {"system": of.system, "against": of.against, "direction": of.direction, "over": of.over}
    for field in fields(feature):
        value = getattr(feature, field.name)
        if field.name == "ci":
            row |= bounds_row(value, "difference_")
        elif isinstance(value, tuple):
            row[field.name] = " ".join(map(str, value)) if field.name == "examples" else "\t".join(value)
        else:
            row[field.name] = value
    return row
