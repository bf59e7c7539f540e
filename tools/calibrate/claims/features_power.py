"""Words that cost something: how often `features` finds them, and how often a test of independent items does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.adjusting import unadjusted
from calibrate.claim import SHOWN, Claim, Counted, Promise, Setting, hit
from calibrate.worlds.documents import Documents
from calibrate.worlds.scores import KINDS
from calibrate.worlds.texts import lengths, texts

WORD = "planted"
FEATURE = f"in:{WORD}"
FOUND, NAIVE, LOST = "found", "by the naive test", "lost to it"


@dataclass(frozen=True)
class Planted:
    """A word in some items, which fail more often than they would without it."""

    kind: str
    cost: float
    """The probability that an item with the word is made wrong whatever it was."""
    carriers: int
    items: int
    documents: Documents | None = None
    words: int = 250

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; where items are independent, compare with the test that neither adjusts nor has clusters."""
        world = self.documents or Documents(self.items)
        document = world.of_items(rng, self.items)
        inputs = texts(rng, document, lengths(rng, self.items), words=self.words)
        carriers = rng.choice(self.items, self.carriers, replace=False)
        scores = KINDS[self.kind](world.uniform(rng, document, self.kind))
        scores[carriers] = np.where(rng.random(self.carriers) < self.cost, 0.0, scores[carriers])
        for item in carriers:
            inputs[item] = f"{WORD} {inputs[item]}"
        clusters = None if self.documents is None else document.tolist()
        systems = {"system": scores.tolist()}
        found = _found(slicewise.Evaluation.from_scores(systems, inputs=inputs, clusters=clusters), adjusted=True)
        if world.icc:
            return {FOUND: hit(found)}
        naive = _found(slicewise.Evaluation.from_scores(systems, inputs=inputs), adjusted=False)
        return {FOUND: hit(found), NAIVE: hit(naive), LOST: (float(naive) - float(found), 1.0)}


def _found(evaluation: slicewise.Evaluation, *, adjusted: bool) -> bool:
    """Return whether the planted word has q < 0.05, by itself or among those that it is folded with."""
    options = {} if adjusted else unadjusted()
    features = slicewise.features(evaluation, resamples=0, **options).lists[0].features
    return any((row.q or 0.0) < 0.05 for row in features if row.feature == FEATURE or FEATURE in row.folded)


SETTINGS = (
    Setting(
        "always wrong in 30 of 20,000 graded items, 98% perfect",
        Planted("98% perfect", 1.0, 30, 20_000, words=800),
        share=0.25,
    ),
    Setting(
        "always wrong in 30 of 20,000 graded items, 98% perfect, 200 documents, ICC 0",
        Planted("98% perfect", 1.0, 30, 20_000, Documents(200), words=800),
        share=0.25,
    ),
    Setting("20 points in 60 of 2,000, accuracy 0.85", Planted("accuracy 0.85", 0.235, 60, 2000)),
    Setting("30 points in 60 of 2,000, accuracy 0.85", Planted("accuracy 0.85", 0.353, 60, 2000)),
    Setting(
        "20 points in 60 of 2,000, accuracy 0.85, 100 documents, ICC 0",
        Planted("accuracy 0.85", 0.235, 60, 2000, Documents(100)),
    ),
    Setting(
        "30 points in 60 of 2,000, accuracy 0.85, 100 documents, ICC 0",
        Planted("accuracy 0.85", 0.353, 60, 2000, Documents(100)),
    ),
    Setting("a third to 0 in 60 of 2,000, F1-like", Planted("F1-like", 0.33, 60, 2000), share=0.5),
    Setting(
        "30 points in 60 of 2,000, accuracy 0.85, 100 documents, ICC 0.1",
        Planted("accuracy 0.85", 0.353, 60, 2000, Documents(100, 0.1)),
    ),
)

CLAIM = Claim(
    name="features-power",
    title="Features: a word that costs something",
    text=(
        "One word that makes items fail, among words that do not. The naive test takes items for independent and "
        "does not adjust for length; it is shown where that is right. Counted: runs in which the word has q < "
        "0.05; *lost*: by how much more often the naive test finds it."
    ),
    figures={FOUND: SHOWN, NAIVE: SHOWN, LOST: Promise(high=0.10)},
    settings=SETTINGS,
    runs=100,
)
