"""Something to find: how often `score`, `buckets`, `study` and `difficulty` find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import POWER, SHOWN, Claim, Counted, Setting, hit
from calibrate.worlds.columns import columns, labelled
from calibrate.worlds.documents import Documents

FOUND = "found"
KIND = "accuracy 0.85"
SIX = [f"c{i}" for i in range(6)]


@dataclass(frozen=True)
class Pair:
    """Two systems, the second worse everywhere by `harder` standard deviations."""

    documents: Documents
    items: int
    harder: float

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and compare the systems."""
        document = self.documents.of_items(rng, self.items)
        systems = {
            name: self.documents.scores(rng, document, KIND, shift) for name, shift in (("a", 0.0), ("b", self.harder))
        }
        result = slicewise.score(labelled(systems, {}, document), metrics=["accuracy"], resamples=100)
        return {FOUND: hit((result.pairs[0].p or 1.0) < 0.05)}


@dataclass(frozen=True)
class HardBucket:
    """One value of one of six columns is harder for the second system (`both`: for both)."""

    documents: Documents
    items: int
    harder: float
    both: bool

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; look for the gap of the second system, or for its difference to the first."""
        result = slicewise.buckets(one_hard(rng, self, "data"), attributes=SIX, metrics=["accuracy"])
        if self.both:
            q = result.attributes["c0"].systems["b"].q
        else:
            q = next(pair.largest.q for pair in result.comparisons if pair.attribute == "c0")
        return {FOUND: hit(q is not None and q < 0.05)}


@dataclass(frozen=True)
class HardOnAll:
    """The same on several data sets."""

    documents: Documents
    items: int
    harder: float
    both: bool
    data_sets: int

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw the data sets and study them."""
        evaluations = [one_hard(rng, self, f"data{i}") for i in range(self.data_sets)]
        result = slicewise.study(evaluations, attributes=SIX[:3], metrics=["accuracy"], resamples=0)
        kind, system = ("self", "b") if self.both else ("largest", "a")
        [q] = [d.q for d in result.diagnoses if (d.kind, d.a, d.attribute) == (kind, system, "c0")]
        return {FOUND: hit(q is not None and q < 0.05)}


def one_hard(rng: np.random.Generator, world: HardBucket | HardOnAll, name: str) -> slicewise.Evaluation:
    """Return a data set in which the first value of the first column is harder."""
    document = world.documents.of_items(rng, world.items)
    categories = columns(rng, document, len(SIX))
    shift = world.harder * (categories["c0"] == 0)
    first = world.documents.scores(rng, document, KIND, shift * world.both)
    return labelled({"a": first, "b": world.documents.scores(rng, document, KIND, shift)}, categories, document, name)


FIFTY = Documents(50, 0.1)
CLAIM = Claim(
    name="power",
    title="Something to find: pairs, buckets, studies",
    text=(
        "A system or a bucket that is worse. Counted: runs in which it is found: p < 0.05 of a pair of systems, q "
        "< 0.05 of a gap or a difference among six columns (three of a study). At least 80% are promised where "
        "the effect is four standard errors and more."
    ),
    figures={FOUND: POWER},
    settings=(
        Setting("score: a system worse by 12 points, 600 items, 600 documents", Pair(Documents(600), 600, 0.42)),
        Setting("score: a system worse by 12 points, 1,000 items, 50 documents, ICC 0.1", Pair(FIFTY, 1000, 0.42)),
        Setting("buckets: a gap of 20 points, 1,000 items, 50 documents, ICC 0.1", HardBucket(FIFTY, 1000, 0.65, True)),
        Setting("buckets: two systems differ by 20 points in one, the same", HardBucket(FIFTY, 1000, 0.65, False)),
        Setting(
            "study: a gap of 10 points on 3 data sets",
            HardOnAll(Documents(30, 0.1), 300, 0.36, True, 3),
            promises={FOUND: SHOWN},
        ),
        Setting(
            "study: a gap of 10 points on 10 data sets", HardOnAll(Documents(30, 0.1), 300, 0.36, True, 10), share=0.5
        ),
        Setting(
            "study: two systems differ by 10 points in one bucket on 10 data sets",
            HardOnAll(Documents(30, 0.1), 300, 0.36, False, 10),
            share=0.5,
        ),
    ),
    runs=60,
)
