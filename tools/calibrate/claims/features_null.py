"""Words that have nothing to do with the scores: how often `features` lists one with q < 0.05."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import slicewise
from calibrate.adjusting import unadjusted
from calibrate.claim import SIZE, Claim, Counted, Setting, hit
from calibrate.worlds.documents import Documents
from calibrate.worlds.texts import TOPICAL, lengths, texts

FIGURE = "a false discovery"


@dataclass(frozen=True)
class Null:
    """Items with texts, whose scores depend on their documents, and on their length where `length_effect` says so."""

    kind: str
    documents: Documents | None = None
    """None: items are independent."""
    items: int = 1500
    words: int = 250
    length_effect: float = 0.0
    """How far an item falls per standard deviation of length, in standard deviations of the score."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set and look for features."""
        result = slicewise.features(self.evaluation(rng), resamples=0, **self.options)
        return {FIGURE: hit(any(found.significant for found in result.lists))}

    def evaluation(self, rng: np.random.Generator) -> slicewise.Evaluation:
        """Return a data set of one system, or of two where the kind is a change from one to the other."""
        world = self.documents or Documents(self.items)
        document = world.of_items(rng, self.items)
        tokens = lengths(rng, self.items)
        shift = self.length_effect * (tokens - tokens.mean()) / tokens.std()
        scores = world.scores(rng, document, self.kind, shift)
        inputs = texts(rng, document, tokens, words=self.words, topical=None if self.documents is None else TOPICAL)
        clusters = None if self.documents is None else document.tolist()
        systems = {"system": scores}
        if self.kind == "change":
            right = (rng.random(self.items) < 0.85).astype(float)  # of items that stay as they are
            systems = {"old": np.where(scores == 0, right, scores < 0), "new": np.where(scores == 0, right, scores > 0)}
        return slicewise.Evaluation.from_scores(
            {name: values.astype(float).tolist() for name, values in systems.items()}, inputs=inputs, clusters=clusters
        )


WORSENING = {"direction": "worsening", "change": ("old", "new")}
MORE_KINDS = {"bigrams": True, "shapes": True, "numbers": True}


def _on_documents(kind: str, *worlds: Documents, **more: Any) -> list[Setting]:
    return [Setting(f"{kind}, {world.said}", Null(kind, world, **more)) for world in worlds]


SETTINGS = (
    Setting("accuracy 0.85, independent items", Null("accuracy 0.85")),
    Setting("accuracy 0.85, independent items, not adjusted", Null("accuracy 0.85", options=unadjusted())),
    Setting("BLEU-like, independent items", Null("BLEU-like")),
    Setting("98% perfect, 20,000 independent items", Null("98% perfect", items=20_000, words=800), share=0.5),
    *_on_documents(
        "accuracy 0.85",
        Documents(10, 0.1),
        Documents(10, 0.25),
        Documents(30, 0.1),
        Documents(100, 0.0),
        Documents(100, 0.1),
        Documents(100, 0.25),
        Documents(200, 0.1),
        Documents(60, 0.1, uneven=True),
        Documents(100, 0.05, broken=0.05),
    ),
    *_on_documents("accuracy 0.99", Documents(100, 0.1), Documents(100, 0.0, broken=0.05)),
    *_on_documents("F1-like", Documents(30, 0.25), Documents(100, 0.1), Documents(100, 0.0, broken=0.05)),
    *_on_documents("F1-like 0.98", Documents(50, 0.1)),
    *_on_documents("BLEU-like", Documents(10, 0.1), Documents(10, 0.25), Documents(50, 0.25), Documents(200, 0.1)),
    *_on_documents("change", Documents(30, 0.1), Documents(100, 0.1), options=WORSENING),
    Setting(
        "98% perfect, 20,000 items, 200 documents, ICC 0.1",
        Null("98% perfect", Documents(200, 0.1), items=20_000, words=800),
        share=0.3,
    ),
    Setting("accuracy 0.5, long items are harder", Null("accuracy 0.5", length_effect=0.4)),
    Setting("BLEU-like, long items are harder", Null("BLEU-like", length_effect=0.4), share=3.0),
    Setting(
        "accuracy 0.85, long items are harder, 100 documents, ICC 0.1",
        Null("accuracy 0.85", Documents(100, 0.1), length_effect=0.4),
    ),
    Setting(
        "accuracy 0.85, best features, 100 documents, ICC 0.1",
        Null("accuracy 0.85", Documents(100, 0.1), options={"direction": "best"}),
    ),
    Setting(
        "accuracy 0.85, also pairs of words, shapes, numbers, 100 documents, ICC 0.1",
        Null("accuracy 0.85", Documents(100, 0.1), options=MORE_KINDS),
        share=0.5,
    ),
)

CLAIM = Claim(
    name="features",
    title="Features: nothing to find",
    text=(
        "1,500 items of about nine words, of which no word has to do with the score. Documents have words of "
        "their own and better or worse scores, so that words and scores go together by chance. Where long items "
        "are harder, only length is to blame. Counted: runs in which any feature has q < 0.05."
    ),
    figures={FIGURE: SIZE},
    settings=SETTINGS,
    runs=120,
    chart="false discoveries",
)
