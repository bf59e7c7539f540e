"""Attributes that have nothing to do with the scores: how often `buckets` finds a gap or a difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import SIZE, Claim, Counted, Setting, hit
from calibrate.worlds.columns import columns, labelled, scored
from calibrate.worlds.documents import Documents
from calibrate.worlds.pairs import two_systems
from calibrate.worlds.spans import chances, evaluation, places, returned
from slicewise.lenses.buckets import BucketsResult

GAP, DIFFERENCE = "a gap of one system", "a difference of two"
COLUMNS = 6


@dataclass(frozen=True)
class BucketsNull:
    """Items of a kind of score in documents, with columns; of F1, sentences with names."""

    kind: str
    documents: Documents
    items: int = 800
    of_documents: int = 0
    """How many of the columns are the same for all items of a document."""
    shares: tuple[float, ...] = (0.25,) * 4

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and look for gaps between buckets and differences of systems in them."""
        document = self.documents.of_items(rng, self.items)
        categories = columns(rng, document, COLUMNS, of_documents=self.of_documents, shares=self.shares)
        make = labelled if self.kind.startswith("accuracy") else scored
        systems = two_systems(rng, self.documents, document, self.kind)
        return counted(slicewise.buckets(make(systems, categories, document), attributes=list(categories)))


@dataclass(frozen=True)
class SpansNull:
    """Sentences with names of four labels and one to three tokens, and two taggers."""

    f1: float
    documents: Documents
    sentences: int = 300

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and look at its labels and lengths."""
        document = self.documents.of_items(rng, self.sentences)
        where = places(rng, document, [0.5, 0.3, 0.15, 0.05], names=2)
        systems = {
            name: returned(rng, where, chances(rng, self.documents, document, self.f1)[where.sentence])
            for name in ("first", "second")
        }
        data = evaluation(rng, where, systems, document)
        return counted(slicewise.buckets(data, attributes=["label", "eLen", "sLen"]))


def counted(result: BucketsResult) -> Mapping[str, Counted]:
    """Count whether any gap and whether any difference has q < 0.05."""
    gaps = [diagnosis.q for attribute in result.attributes.values() for diagnosis in attribute.systems.values()]
    extremes = [extreme.q for pair in result.comparisons for extreme in (pair.largest, pair.smallest)]
    return {
        GAP: hit(any(q is not None and q < 0.05 for q in gaps)),
        DIFFERENCE: hit(any(q is not None and q < 0.05 for q in extremes)),
    }


def _items(kind: str, world: Documents, note: str = "", **more: int | tuple[float, ...]) -> Setting:
    return Setting(f"{kind}, {world.said}{note}", BucketsNull(kind, world, **more))  # type: ignore[arg-type]


CLAIM = Claim(
    name="buckets",
    title="Buckets: nothing to find",
    text=(
        "Two equally good systems; 800 items with six columns of four values, or 300 sentences with names of four "
        "labels and three lengths. Counted: runs in which any two buckets of one system differ with q < 0.05, and "
        "runs in which the two systems differ in any bucket."
    ),
    figures={GAP: SIZE, DIFFERENCE: SIZE},
    settings=(
        _items("accuracy 0.85", Documents(800), " (one item each)"),
        _items("accuracy 0.85", Documents(10, 0.1)),
        _items("accuracy 0.85", Documents(30, 0.1)),
        _items("accuracy 0.85", Documents(100, 0.25)),
        _items("accuracy 0.99", Documents(100, 0.1)),
        _items("accuracy 0.95", Documents(100, 0.0, broken=0.05)),
        _items("accuracy 0.85", Documents(60, 0.1), "; two columns are of documents", of_documents=2),
        _items("accuracy 0.85", Documents(100, 0.1), "; uneven buckets", shares=(0.6, 0.3, 0.08, 0.02)),
        _items("BLEU-like", Documents(30, 0.1)),
        _items("F1-like", Documents(100, 0.1)),
        _items("98% perfect", Documents(100, 0.1)),
        Setting("F1 0.85, 30 documents, ICC 0.1", SpansNull(0.85, Documents(30, 0.1))),
        Setting("F1 0.95, 100 documents, ICC 0.1", SpansNull(0.95, Documents(100, 0.1))),
        Setting("F1 0.99, 60 documents, ICC 0, 5% of them broken", SpansNull(0.99, Documents(60, broken=0.05))),
    ),
    runs=150,
    chart="false discoveries",
)
