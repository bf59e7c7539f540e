"""Intervals of means, differences, correlations, macro-F1: how often they hold the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

import slicewise
from calibrate.claim import COVERAGE, Claim, Counted, Setting, covered
from calibrate.seeds import generator
from calibrate.worlds.documents import Documents
from calibrate.worlds.spans import chances, evaluation, places, returned
from slicewise.results.base import Bounds

MEAN, PAIR, BUCKET = "mean or macro-F1", "difference of two systems", "mean of a bucket"
TREND, FEATURE, REPAIR = "correlation with an attribute", "difference of a feature", "F1 gained by a repair"
SECOND, EFFECT = 0.3, 0.25
"""How far the second system falls; how much harder an item gets per step of the attribute: in standard deviations."""
MANY = 150
"""How many times as many documents the truth is taken from."""
Shown = Mapping[str, tuple[float | None, Bounds | None]]
"""Values with their intervals."""


@dataclass(frozen=True)
class Scored:
    """Scored items with a number from 0 to 3 and a word, which make them harder, and two systems."""

    kind: str
    documents: Documents
    items: int = 400

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; see which intervals hold what a data set of very many documents has."""
        return _covered(self.shown(rng, resamples=400), _truth(self))

    def many(self) -> Scored:
        """Return the same with very many documents."""
        return replace(
            self, documents=replace(self.documents, count=MANY * self.documents.count), items=MANY * self.items
        )

    def shown(self, rng: np.random.Generator, resamples: int) -> Shown:
        """Return what the product shows of a data set."""
        data = self.evaluation(rng)
        scores = slicewise.score(data, metrics=["mean"], resamples=resamples)
        buckets = slicewise.buckets(data, attributes=["c"], cuts={"c": [0, 1, 2]}, resamples=resamples, compare=None)
        correlation = buckets.attributes["c"].systems["first"].correlation
        last = buckets.attributes["c"].buckets[-1].systems["first"]
        rows = slicewise.features(data, only=["first"], top=0, fold=False, resamples=resamples).lists[0].features
        word = next(row for row in rows if row.feature == "in:hard")
        mean, pair = scores.systems["first"].metrics["mean"], scores.pairs[0]
        return {
            MEAN: (mean.value, mean.ci),
            PAIR: (pair.difference, pair.ci),
            BUCKET: (buckets.value(last), buckets.bounds(last)),
            TREND: (None, None) if correlation is None else (correlation.value, correlation.ci),
            FEATURE: (word.difference, word.ci),
        }

    def evaluation(self, rng: np.random.Generator) -> slicewise.Evaluation:
        """Return a data set."""
        document = self.documents.of_items(rng, self.items)
        number = rng.integers(0, 4, self.items)
        hard = rng.random(self.items) < 0.3
        shift = EFFECT * number + EFFECT * hard
        frame = pl.DataFrame(
            {
                "first": self.documents.scores(rng, document, self.kind, shift),
                "second": self.documents.scores(rng, document, self.kind, shift + SECOND),
                "text": np.where(hard, "a hard one", "a plain one"),
                "c": number,
                "doc": [f"d{i}" for i in document],
            }
        )
        return slicewise.Evaluation.from_frame(frame, systems=["first", "second"], inputs=["text"], task="scores")


@dataclass(frozen=True)
class Spans:
    """Sentences with names, and two taggers, one of them better."""

    f1: float
    documents: Documents
    sentences: int = 150

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; see which intervals hold what a data set of very many documents has."""
        return _covered(self.shown(rng, resamples=400), _truth(self))

    def many(self) -> Spans:
        """Return the same with very many documents."""
        world = replace(self.documents, count=MANY * self.documents.count)
        return replace(self, documents=world, sentences=MANY * self.sentences)

    def shown(self, rng: np.random.Generator, resamples: int) -> Shown:
        """Return what the product shows of a data set."""
        document = self.documents.of_items(rng, self.sentences)
        where = places(rng, document, [0.5, 0.3, 0.2], names=2)
        systems = {
            name: returned(rng, where, chances(rng, self.documents, document, f1)[where.sentence])
            for name, f1 in (("first", self.f1), ("second", 0.95 * self.f1))
        }
        result = slicewise.score(evaluation(rng, where, systems, document), resamples=resamples)
        first = result.systems["first"]
        pair = next(pair for pair in result.pairs if pair.metric == "f1")
        macro, repair = first.macro, (first.repairs or {})["missed"]
        return {
            MEAN: (None, None) if macro is None else (macro.f1, (macro.ci or {}).get("f1")),
            PAIR: (pair.difference, pair.ci),
            REPAIR: (repair.value, repair.ci),
        }


@cache
def _truth(setting: Scored | Spans) -> Mapping[str, float | None]:
    """Return what very many documents show, from draws of its own."""
    return {name: value for name, (value, _) in setting.many().shown(generator("truth", repr(setting), 0), 0).items()}


def _covered(shown: Shown, truth: Mapping[str, float | None]) -> Mapping[str, Counted]:
    known = {name: value for name, value in truth.items() if value is not None}
    return {name: covered(bounds, known[name]) for name, (_, bounds) in shown.items() if name in known}


def _scored(kind: str, *worlds: Documents, share: float = 1.0) -> list[Setting]:
    return [Setting(f"{kind}, {world.said}", Scored(kind, world), share) for world in worlds]


CLAIM = Claim(
    name="coverage-others",
    title="Intervals of everything else",
    text=(
        "400 scored items with two systems, a number and a word that make them harder; or 150 sentences with "
        "names and two taggers. Counted: 95% intervals that hold the truth, which is what the same documents show "
        f"{MANY} times over."
    ),
    figures=dict.fromkeys((MEAN, PAIR, BUCKET, TREND, FEATURE, REPAIR), COVERAGE),
    settings=(
        *_scored("BLEU-like", Documents(400), Documents(10, 0.1), Documents(30, 0.1), Documents(100, 0.25)),
        *_scored("F1-like", Documents(60, 0.1, broken=0.05)),
        *_scored("accuracy 0.95", Documents(60, 0.1), share=3.0),
        Setting("F1 0.85, 20 documents, ICC 0.1", Spans(0.85, Documents(20, 0.1))),
        Setting("F1 0.95, 75 documents, ICC 0.1", Spans(0.95, Documents(75, 0.1))),
    ),
    runs=150,
    chart="coverage",
)
