"""The result of `features`: ranked lists, one per system or pair of systems."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from slicewise.results.base import Bounds, Result, Row

if TYPE_CHECKING:
    from slicewise.render.blocks import Block
    from slicewise.render.figures import Figure


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
    """Of the two means."""
    ci: Bounds | None
    """Of the difference, by clusters."""
    metric: float | None
    """The metric on the rows that have it."""
    rest_metric: float | None
    expected_improvement: float | None
    """What the metric would gain if these rows were as the others; positive is better."""
    auc: float | None
    tau: float | None
    """Of a number, instead of the AUC: Kendall's τ_b with the score."""
    cut: float | None
    """Of a number: where its largest or smallest quarter begins."""
    z: float | None
    p: float
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FeaturesResult(Result):
    """The ranked lists of all systems, or of one step from a system to another."""

    lists: tuple[FeatureList, ...]
    examples: dict[int, Example]
    correction: str
    least: int
    geval: bool
    scale: float

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        return {"lists": self.lists, "items": list(self.examples.values()), "correction": self.correction}

    def tables(self) -> dict[str, list[Row]]:
        """Return the features of all lists, and the confusions."""
        found = {
            name: [_row(of, feature) for of in self.lists for feature in getattr(of, name)]
            for name in ("features", "confusions")
        }
        return {name: rows for name, rows in found.items() if rows or name == "features"}

    def blocks(self) -> list[Block]:
        """Return what a person is shown."""
        from slicewise.results.features_view import blocks

        return blocks(self)

    def figures(self) -> list[Figure]:
        """Return the charts and the tables behind them."""
        from slicewise.results.features_charts import figures

        return figures(self)


def _row(of: FeatureList, feature: Feature) -> Row:
    row: Row = {"system": of.system, "against": of.against, "direction": of.direction, "over": of.over}
    for field in fields(feature):
        value = getattr(feature, field.name)
        if field.name == "ci":
            row |= {
                "difference_lo": None if value is None else value[0],
                "difference_hi": None if value is None else value[1],
            }
        elif isinstance(value, tuple):
            row[field.name] = " ".join(map(str, value)) if field.name == "examples" else "\t".join(value)
        else:
            row[field.name] = value
    return row
