"""What is simulated: a claim has figures that are promised something, and settings in which they are simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

Counted = tuple[float, float]
"""A numerator and a denominator, which are summed over runs: (1, 1) for a hit, (0, 1) for none."""
Run = Callable[[np.random.Generator], Mapping[str, Counted]]
"""One simulated data set, by the generator of its run: what it adds to each figure."""


@dataclass(frozen=True)
class Promise:
    """What a figure shall be between; two standard errors are allowed for. Without bounds nothing is promised."""

    low: float = -inf
    high: float = inf
    share: bool = True
    """Whether it is a share of cases, written in per cent."""

    @property
    def bounded(self) -> bool:
        """Whether anything is promised."""
        return self.low > -inf or self.high < inf


SIZE = Promise(high=0.05)
"""Of a test where there is nothing to find."""
COVERAGE = Promise(low=0.93, high=0.98)
"""Of a 95% interval."""
POWER = Promise(low=0.8)
"""Of a test where the effect is four standard errors and more."""
SHOWN = Promise()
SHOWN_RATIO = Promise(share=False)


@dataclass(frozen=True)
class Setting:
    """One kind of data; `share` of the claim's runs, and what it promises otherwise than the claim."""

    name: str
    run: Run
    share: float = 1.0
    promises: Mapping[str, Promise] | None = None


@dataclass(frozen=True)
class Claim:
    """One thing that the product says, in all settings in which it is simulated."""

    name: str
    title: str
    text: str
    figures: Mapping[str, Promise]
    settings: tuple[Setting, ...]
    runs: int
    chart: str = ""
    """Which panel of the chart its figures are in; none where empty."""

    def promise(self, setting: Setting, figure: str) -> Promise:
        """Return what a figure is promised in a setting."""
        return (setting.promises or {}).get(figure, self.figures[figure])

    def runs_of(self, setting: Setting, scale: float) -> int:
        """Return how many runs a setting has; a scale below 1 makes a quick run."""
        return max(4, round(self.runs * setting.share * scale))


def hit(happened: object) -> Counted:
    """Count one case."""
    return float(bool(happened)), 1.0


def covered(bounds: tuple[float, float] | None, truth: float) -> Counted:
    """Count an interval, and whether it holds the truth; one that is not there is not counted."""
    if bounds is None:
        return 0.0, 0.0
    return hit(bounds[0] - 1e-9 <= truth <= bounds[1] + 1e-9)


def total(counts: Mapping[str, Counted] | list[Counted]) -> Counted:
    """Add up counts of one run."""
    pairs = list(counts.values()) if isinstance(counts, Mapping) else counts
    return sum(top for top, _ in pairs), sum(below for _, below in pairs)
