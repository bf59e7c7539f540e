"""Two equally good systems: how often `score` tells them apart, and how often it suspects independent items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import SHOWN, SIZE, Claim, Counted, Promise, Setting, hit
from calibrate.worlds.columns import labelled, scored
from calibrate.worlds.documents import Documents
from calibrate.worlds.pairs import two_systems
from calibrate.worlds.spans import chances, evaluation, places, returned

DIFFERENCE, WARNED = "p < 0.05", "a warning to mark documents"
WARNING = "--cluster"


@dataclass(frozen=True)
class ScoreNull:
    """Items of a kind of score in documents, which the file may not mark."""

    kind: str
    documents: Documents
    items: int = 600
    marked: bool = True

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and compare the systems."""
        document = self.documents.of_items(rng, self.items)
        clusters = document if self.marked else np.arange(self.items)
        make, metric = (labelled, "accuracy") if self.kind.startswith("accuracy") else (scored, "mean")
        data = make(two_systems(rng, self.documents, document, self.kind), {}, clusters)
        if not self.marked:
            data = _without_documents(two_systems(rng, self.documents, document, self.kind))
        result = slicewise.score(data, metrics=[metric], resamples=200)
        warned = any(WARNING in warning for warning in result.data["warnings"])
        if self.marked:
            return {DIFFERENCE: hit((result.pairs[0].p or 1.0) < 0.05)}
        return {DIFFERENCE: hit((result.pairs[0].p or 1.0) < 0.05), WARNED: hit(warned)}
