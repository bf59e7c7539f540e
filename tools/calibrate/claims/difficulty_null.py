"""Units that no system finds, by chance: how often `difficulty` lists a word that goes with them."""

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
class HardUnits:
    """Three taggers that miss names by chance, more in some documents than in others."""

    documents: Documents
    sentences: int = 200

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; the names that nobody finds have nothing in common but their documents."""
        document = self.documents.of_items(rng, self.sentences)
        where = places(rng, document, [0.6, 0.4], names=3)
        chance = chances(rng, self.documents, document, 0.6)[where.sentence]
        systems = {f"s{i}": returned(rng, where, chance) for i in range(3)}
        result = slicewise.difficulty(evaluation(rng, where, systems, document), resamples=0)
        return {FIGURE: hit(result.features is not None and result.features.significant)}


CLAIM = Claim(
    name="difficulty",
    title="Units that nobody finds: nothing to find",
    text=(
        "200 sentences with three names each and three taggers. Counted: runs in which any feature of the names "
        "that none of them finds has q < 0.05."
    ),
    figures={FIGURE: SIZE},
    settings=(
        Setting("200 documents, ICC 0 (one sentence each)", HardUnits(Documents(200))),
        Setting("50 documents, ICC 0.1", HardUnits(Documents(50, 0.1))),
    ),
    runs=80,
    chart="false discoveries",
)
