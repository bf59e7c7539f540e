"""Documents whose items are alike: a number per item that is uniform over all, and correlated within documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, roots_hermitenorm

from calibrate.worlds.scores import KINDS
from slicewise.arrays import Array, Ints

BROKEN = 2.5
"""How far the items of a broken document fall, in standard deviations."""


@dataclass(frozen=True)
class Documents:
    """How many there are, and how alike the scores of their items are (ICC, of the scores themselves)."""

    count: int
    icc: float = 0.0
    broken: float = 0.0
    """The share of documents in which nearly everything is wrong."""
    uneven: bool = False
    """Whether some documents are ten times as long as others."""

    def of_items(self, rng: np.random.Generator, items: int) -> Ints:
        """Return the document of each item, in order; every document has an item, where there are enough."""
        weights = np.exp(rng.normal(0, 0.8, self.count)) if self.uneven else np.ones(self.count)
        drawn = rng.choice(self.count, max(items - self.count, 0), p=weights / weights.sum())
        if not self.uneven:
            return np.sort(np.arange(items) % self.count)
        return np.sort(np.concatenate([np.arange(min(self.count, items)), drawn]))

    def uniform(self, rng: np.random.Generator, document: Ints, kind: str, shift: Array | float = 0.0) -> Array:
        """Return a number per item, of which a kind of score has this ICC; `shift`: how far items fall, in sd."""
        weight = latent_correlation(kind, self.icc)
        effect = rng.normal(0, 1, self.count)[document]
        latent = np.sqrt(weight) * effect + np.sqrt(1 - weight) * rng.normal(0, 1, len(document))
        fallen = BROKEN * (rng.random(self.count) < self.broken)[document]
        return np.asarray(ndtr(latent - fallen - shift))

    def scores(self, rng: np.random.Generator, document: Ints, kind: str, shift: Array | float = 0.0) -> Array:
        """Return a score per item."""
        return KINDS[kind](self.uniform(rng, document, kind, shift))

    @property
    def said(self) -> str:
        """In words."""
        parts = [f"{self.count} documents", f"ICC {self.icc:g}"]
        parts += [f"{self.broken:.0%} of them broken"] if self.broken else []
        parts += ["of uneven length"] if self.uneven else []
        return ", ".join(parts)


@cache
def latent_correlation(kind: str, icc: float) -> float:
    """Return the correlation of the normal numbers behind the scores, with which the scores have this ICC."""
    if icc == 0:
        return 0.0
    return float(brentq(lambda weight: _icc(kind, weight) - icc, 1e-6, 0.98, xtol=1e-5))


def _icc(kind: str, weight: float) -> float:
    """Return the share of the scores' variance that lies between documents."""
    effects, effect_weights = roots_hermitenorm(60)
    grid = (np.arange(4000) + 0.5) / 4000  # steps of scores need a fine grid
    noise = ndtri(grid)
    latent = np.sqrt(weight) * effects[:, None] + np.sqrt(1 - weight) * noise[None, :]
    means = KINDS[kind](np.asarray(ndtr(latent))).mean(1)
    shares = effect_weights / effect_weights.sum()
    scores = KINDS[kind](grid)
    return float((shares @ means**2 - (shares @ means) ** 2) / scores.var())
