"""What findings are worth: what is shown over what is true, of those that were picked for being the largest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

import slicewise
from calibrate.claim import SHOWN, SHOWN_RATIO, Claim, Counted, Promise, Setting, hit
from calibrate.worlds.columns import columns, labelled
from calibrate.worlds.texts import lengths, texts
from slicewise.arrays import Array, Mask

FOUND, RAW, WORTH, GAP = "something found", "raw worth ÷ truth", "worth ÷ truth", "gap ÷ truth"
NOT_TOO_LARGE = Promise(high=1.3, share=False)
EVEN, UNEVEN = (0.25,) * 4, (0.6, 0.3, 0.08, 0.02)


@dataclass(frozen=True)
class TopBucket:
    """Items whose chance to be right depends a little on every column; the finding that is ranked first."""

    items: int
    spread: float
    """The standard deviation of the effects of a column's values, as logits."""
    shares: tuple[float, ...] = EVEN
    columns: int = 10

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; compare the first gap with the chances that it was drawn from."""
        document = np.arange(self.items)
        categories = columns(rng, document, self.columns, shares=self.shares)
        chance = np.full(self.items, logit(0.85))
        for values in categories.values():
            chance += rng.normal(0, self.spread, len(self.shares))[values]
        chance = expit(chance)
        data = labelled({"system": (rng.random(self.items) < chance).astype(float)}, categories, document)
        result = slicewise.buckets(data, attributes=list(categories), metrics=["accuracy"], resamples=200)
        if not result.findings:
            return {FOUND: hit(False)}
        finding = result.findings[0]
        values = categories[finding.attribute]
        diagnosis = result.attributes[finding.attribute].systems["system"]
        best, worst = (float(chance[values == int(str(name)[1:])].mean()) for name in (diagnosis.best, diagnosis.worst))
        truth = _gained(chance, values == int(finding.bucket[1:]))
        return {
            FOUND: hit(True),
            RAW: (finding.raw_worth or 0.0, truth),
            WORTH: (finding.worth or 0.0, truth),
            GAP: (diagnosis.gap or 0.0, best - worst),
        }


@dataclass(frozen=True)
class TopFeature:
    """Items whose chance to be right depends on some of their words; the feature that is ranked first."""

    items: int
    cost: float
    """Of each of a few words, as logits."""
    costly: int = 10

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; compare the gain of the first feature with the chances that it was drawn from."""
        words = texts(rng, np.arange(self.items), lengths(rng, self.items), topical=None)
        having = [set(text.split()) for text in words]
        costly = [f"w{i}" for i in rng.choice(np.arange(20, 100), self.costly, replace=False)]
        number = np.array([sum(word in has for word in costly) for has in having])
        chance = expit(logit(0.85) - self.cost * number)
        scores = (rng.random(self.items) < chance).astype(float)
        data = slicewise.Evaluation.from_scores({"system": scores.tolist()}, inputs=words)
        top = slicewise.features(data, resamples=0, fold=False).lists[0].features[0]
        if top.q is None or top.q >= 0.05 or not top.feature.startswith("in:"):
            return {FOUND: hit(False)}
        has_feature = np.array([top.feature.removeprefix("in:") in has for has in having])
        raw = getattr(top, "raw_expected_improvement", top.expected_improvement)
        truth = _gained(chance, has_feature)
        return {FOUND: hit(True), RAW: (raw or 0.0, truth), WORTH: (top.expected_improvement or 0.0, truth)}


def _gained(chance: Array, inside: Mask) -> float:
    """Return what would be gained if those inside were like the others."""
    return float(chance[~inside].mean() - chance.mean())


def _buckets(items: int, spread: float, note: str = "", shares: tuple[float, ...] = EVEN, **more: Promise) -> Setting:
    name = f"first gap of 10 columns, {items:,} items, effects of {spread:g}{note}"
    return Setting(name, TopBucket(items, spread, shares), promises={WORTH: more.get("worth", NOT_TOO_LARGE)})


CLAIM = Claim(
    name="worth",
    title="What findings are worth",
    text=(
        "Ten columns of four values with random effects on an accuracy of about 0.85, or words that cost "
        "something. Of the finding that is ranked first, its worth (of a feature, its gain) and its gap as they "
        "are shown, over what they are in truth: means over the runs in which something is found. Where effects "
        "are small against chance, or a bucket has few units, nothing is promised; the figures say how far off it "
        "is."
    ),
    figures={FOUND: SHOWN, RAW: SHOWN_RATIO, WORTH: NOT_TOO_LARGE, GAP: SHOWN_RATIO},
    settings=(
        _buckets(600, 0.3),
        _buckets(600, 0.15, worth=SHOWN_RATIO),
        _buckets(2000, 0.2),
        _buckets(2000, 0.1, worth=SHOWN_RATIO),
        _buckets(2000, 0.2, "; uneven buckets", UNEVEN, worth=SHOWN_RATIO),
        Setting("first word, 2,000 items, ten words that cost 1 logit", TopFeature(2000, 1.0)),
        Setting("first word, 600 items, ten words that cost 1 logit", TopFeature(600, 1.0)),
    ),
    runs=150,
)
