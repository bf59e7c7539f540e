"""The result of `study`: several data sets × systems × restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from slicewise.lenses.result import LensResult
from slicewise.render.figures import Figure
from slicewise.results.base import Bounds
from slicewise.results.estimates import Inference

LEAD = "holistic"
"""The figure that a report begins with."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One entry of the performance table: one run in one bucket."""

    dataset: str
    system: str
    restart: int
    attribute: str
    bucket: str
    place: int
    """The bucket's slot."""
    interval: str
    n_gold: int
    n_pred: int
    tp: float | None
    f1: float | None
    value: float | None
    """The measure: F1 by default."""
    ci: Bounds | None


@dataclass(frozen=True, kw_only=True)
class Holistic:
    """A system on one data set, or the mean over data sets (None); restarts are averaged."""

    system: str
    dataset: str | None
    value: float | None
    runs: int
    std: float | None = None
    """Over the restarts (ddof 1)."""
    n: int = 0
    """Gold units, or the number of data sets."""


@dataclass(frozen=True, kw_only=True)
class ModelWise:
    """How an attribute moves one system, on one data set or on average (None)."""

    system: str
    dataset: str | None
    attribute: str
    spearman: float | None
    std: float | None
    friedman_p: float | None = None
    friedman_q: float | None = None
    blocks: int = 0
    treatments: int = 0
    dropped: int = 0
    """Data sets left out of the test, because a bucket is empty in them."""


@dataclass(frozen=True, kw_only=True)
class AttributeWise:
    """An attribute on one data set: its mean, and how strongly it moves all systems."""

    dataset: str
    attribute: str
    zeta: float | None
    zeta_relative: float | None
    """Over the largest of all data sets."""
    rho: float | None
    friedman_p: float | None
    friedman_q: float | None = None
    blocks: int = 0
    treatments: int = 0
    dropped: int = 0


@dataclass(frozen=True, kw_only=True)
class DatasetDifference:
    """The difference of a diagnosis on one of its data sets; None where a bucket is empty there."""

    dataset: str
    difference: float | None


@dataclass(frozen=True, kw_only=True)
class StudyDiagnosis:
    """A diagnosis over data sets (or on one, where there are too few for a test over them)."""

    kind: str
    """`self`: the best and the worst bucket of `a`. `largest`, `smallest`: where a − b is largest, smallest."""
    a: str
    b: str | None
    attribute: str
    dataset: str | None
    """Of a diagnosis on one data set."""
    group: str | None
    """`low eCon`, `high eCon`: the data sets whose mean of an attribute is low or high."""
    datasets: tuple[str, ...]
    best: str | None
    """The best bucket, or the bucket where the two differ most."""
    worst: str | None
    difference: float | None
    """Of these buckets, over these data sets; a gap on one data set is shrunk, as in `buckets`."""
    raw_difference: float | None
    ci: Bounds | None
    p: float | None
    q: float | None
    n: int
    """Data sets that the test rests on; the paper's way: differences."""
    test: str
    smallest_p: float | None = None
    """What no p of this test can be below, with so many data sets, buckets and clusters."""
    by_dataset: tuple[DatasetDifference, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """(a − b)/b in one bucket of one data set; None where b is 0 or either is undefined."""

    a: str
    b: str
    dataset: str
    attribute: str
    bucket: str
    place: int
    treatment: str
    """The name under which the buckets of all data sets line up: `2/3` where each has its own intervals."""
    change: float | None


@dataclass(frozen=True, kw_only=True)
class Companion:
    """Rank correlation of an attribute with being found, over all gold units of a data set."""

    dataset: str
    system: str
    attribute: str
    correlation: float | None
    ci: Bounds | None


@dataclass(frozen=True, kw_only=True, repr=False)
class StudyResult(LensResult):
    """All tables of a study."""

    metric: str
    lower_is_better: bool
    datasets: tuple[str, ...]
    systems: tuple[str, ...]
    attributes: dict[str, str]
    """Their names and what they are."""
    performance: tuple[Cell, ...]
    holistic: tuple[Holistic, ...]
    model_wise: tuple[ModelWise, ...]
    attribute_wise: tuple[AttributeWise, ...]
    diagnoses: tuple[StudyDiagnosis, ...]
    relative_changes: tuple[Change, ...]
    item_level: tuple[Companion, ...]
    missing: tuple[tuple[str, str], ...]
    """(system, data set) that were not there."""
    compared: tuple[tuple[str, str], ...]
    """Pairs that the user names."""
    grouped: bool
    """Whether the user requests groups of data sets."""
    restarts: str
    inference: Inference
    view_only: ClassVar[tuple[str, ...]] = ("lower_is_better", "compared", "grouped")

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON, with the findings."""
        from slicewise.lenses.study.view import findings

        return super().body() | {"findings": findings(self)}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems that were compared."""
        return list(dict.fromkeys((change.a, change.b) for change in self.relative_changes))

    def lead(self) -> list[Figure]:
        """Return what a report begins with: the systems on every data set."""
        return [figure for figure in self.figures() if figure.name == LEAD]
