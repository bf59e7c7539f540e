"""Two equally good systems: how often `score` tells them apart, and how often it warns of items that are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import SIZE, Claim, Counted, Promise, Setting, hit
from calibrate.worlds.columns import labelled, scored
from calibrate.worlds.documents import Documents
from calibrate.worlds.pairs import two_systems
from calibrate.worlds.spans import chances, evaluation, places, returned

DIFFERENCE, WARNED = "p < 0.05", "a warning"
ALIKE = "--cluster"
"""What the warning that items are alike suggests."""


@dataclass(frozen=True)
class ScoreNull:
    """Items of a kind of score in documents."""

    kind: str
    documents: Documents
    items: int = 600

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and compare the systems."""
        document = self.documents.of_items(rng, self.items)
        make, metric = (labelled, "accuracy") if self.kind.startswith("accuracy") else (scored, "mean")
        data = make(two_systems(rng, self.documents, document, self.kind), {}, document)
        return {DIFFERENCE: hit((slicewise.score(data, metrics=[metric], resamples=100).pairs[0].p or 1.0) < 0.05)}


@dataclass(frozen=True)
class SpansNull:
    """Sentences with names in documents, and two taggers."""

    f1: float
    documents: Documents
    sentences: int = 150

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and compare the taggers by F1."""
        document = self.documents.of_items(rng, self.sentences)
        where = places(rng, document, [0.7, 0.3], names=2)
        systems = {
            name: returned(rng, where, chances(rng, self.documents, document, self.f1)[where.sentence])
            for name in ("first", "second")
        }
        result = slicewise.score(evaluation(rng, where, systems, document), metrics=["f1"], resamples=100)
        return {DIFFERENCE: hit((result.pairs[0].p or 1.0) < 0.05)}


@dataclass(frozen=True)
class Unmarked:
    """Documents that the file does not mark: with an ICC a warning is right, without it is not."""

    documents: Documents
    items: int = 600

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set without its documents."""
        document = self.documents.of_items(rng, self.items)
        scores = {"system": self.documents.scores(rng, document, "accuracy 0.85").tolist()}
        result = slicewise.score(slicewise.Evaluation.from_scores(scores), resamples=100)
        return {WARNED: hit(any(ALIKE in warning for warning in result.data["warnings"]))}


def _pairs(kind: str, *worlds: Documents) -> list[Setting]:
    return [Setting(f"{kind}, {world.said}", ScoreNull(kind, world)) for world in worlds]


CLAIM = Claim(
    name="score",
    title="Pairs of systems: two equally good ones",
    text=(
        "600 items or 150 sentences, and two systems that are equally good but fail on items and documents of "
        "their own. Counted: runs in which p of their difference is below 0.05; and, where a file marks no "
        "documents, runs in which `score` warns that neighbouring items are alike: rightly where the ICC is above "
        "0."
    ),
    figures={DIFFERENCE: SIZE, WARNED: SIZE},
    settings=(
        *_pairs("accuracy 0.85", Documents(600), Documents(10, 0.1), Documents(30, 0.1), Documents(100, 0.25)),
        *_pairs("accuracy 0.95", Documents(100, 0.0, broken=0.05), Documents(40, 0.1, uneven=True)),
        *_pairs("BLEU-like", Documents(10, 0.1), Documents(100, 0.1)),
        *_pairs("F1-like", Documents(30, 0.1)),
        Setting("F1 0.85, 20 documents, ICC 0.1", SpansNull(0.85, Documents(20, 0.1))),
        Setting("F1 0.98, 75 documents, ICC 0.1", SpansNull(0.98, Documents(75, 0.1))),
        Setting("accuracy 0.85, independent items, not marked", Unmarked(Documents(600))),
        Setting(
            "accuracy 0.85, 30 documents, ICC 0.25, not marked",
            Unmarked(Documents(30, 0.25)),
            promises={WARNED: Promise(low=0.8)},
        ),
    ),
    runs=300,
    chart="false discoveries",
)
