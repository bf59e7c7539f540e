"""Names that are missed or invented by chance: how often `features(units=True)` lists a feature with q < 0.05."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import SIZE, Claim, Counted, Setting, hit
from calibrate.worlds.documents import Documents
from calibrate.worlds.spans import chances, evaluation, places, returned

FIGURE = "a false discovery"


@dataclass(frozen=True)
class UnitsNull:
    """Sentences with names; those of a document, or of a sentence where there are no documents, share their fate."""

    f1: float
    documents: Documents | None = None
    icc: float = 0.0
    """Of sentences, where there are no documents."""
    sentences: int = 300

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and look for features of its gold and its returned names."""
        world = self.documents or Documents(self.sentences, self.icc)
        document = world.of_items(rng, self.sentences)
        where = places(rng, document, [0.4, 0.3, 0.2, 0.1], names=3)
        chance = chances(rng, world, document, self.f1)[where.sentence]
        systems = {"system": returned(rng, where, chance)}
        data = evaluation(rng, where, systems, None if self.documents is None else document)
        result = slicewise.features(data, units=True, resamples=0)
        return {FIGURE: hit(any(found.significant for found in result.lists))}


def _sentences(f1: float, icc: float) -> Setting:
    return Setting(f"F1 {f1:g}, sentences with ICC {icc:g}", UnitsNull(f1, icc=icc))


def _documents(f1: float, world: Documents) -> Setting:
    return Setting(f"F1 {f1:g}, {world.said}", UnitsNull(f1, world))


CLAIM = Claim(
    name="units",
    title="Features of units: nothing to find",
    text=(
        "300 sentences with three names each and as many decoys. A system misses names and returns decoys by "
        "chance, more in some sentences or documents than in others. Counted: runs in which any feature of gold "
        "or of returned names has q < 0.05."
    ),
    figures={FIGURE: SIZE},
    settings=(
        _sentences(0.85, 0.0),
        _sentences(0.85, 0.1),
        _sentences(0.85, 0.33),
        _sentences(0.99, 0.1),
        _documents(0.85, Documents(20, 0.1)),
        _documents(0.85, Documents(100, 0.1)),
        _documents(0.95, Documents(50, 0.25)),
        _documents(0.99, Documents(50, 0.1, broken=0.05)),
    ),
    runs=100,
    chart="false discoveries",
)
