"""What `features` states: the features that surely go with errors, and what mending them would be worth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slicewise.lenses.contract import LensContext
from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.inference import significant
from slicewise.lenses.ranking.phrases import STATED, in_words
from slicewise.lenses.ranking.result import Feature, FeatureList
from slicewise.lenses.ranking.sentences import tells
from slicewise.metrics.counts import f_beta
from slicewise.results.estimates import Prf
from slicewise.results.heading import called
from slicewise.results.slices import feature_slice
from slicewise.results.statement import Statement

DESCRIBED = ("attribute", "number", "length")
"""Kinds of features that the lens of buckets states in plainer words."""


def statements(result: FeaturesResult, context: LensContext) -> Iterator[Statement]:
    """Yield the features that surely go with errors, of each system its strongest."""
    for ranked in result.lists:
        plain = [f for f in ranked.features if f.kind not in DESCRIBED]
        for feature in [f for f in plain if significant(f.q) and tells(ranked, f)][:STATED]:
            gain = _worth(ranked, feature, context.counts.get(ranked.system))
            if feature.rest_mean is None or gain is None or gain < 0:
                continue
            yield Statement(
                text=_feature_said(ranked, feature, str(ranked.system)),
                lens="features",
                dataset=result.data["name"],
                system=ranked.system,
                number=abs(feature.mean - feature.rest_mean),
                unit="share" if ranked.over != "items" else ranked.metric,
                n=feature.n,
                q=float(feature.q or 0.0),
                worth=gain,
                slice=feature_slice(ranked.over, ranked.system, feature.feature),
                topic=feature.feature,
            )


def _feature_said(ranked: FeatureList, feature: Feature, who: str) -> str:
    noun = {"items": "items", "gold": "gold units", "returned": "units it returns"}[ranked.over]
    if ranked.over == "items":
        value, rest = feature.metric, feature.rest_metric
        if value is not None and rest is not None:
            what = f"{who}: {called(ranked.metric)} is {value:.3f} on items"
            return f"{what} {in_words(feature)}, {rest:.3f} on the others."
    wrong, rest_wrong = 1 - feature.mean, 1 - (feature.rest_mean or 0.0)
    verb = "misses" if ranked.over == "gold" else "is wrong in"
    return f"{who} {verb} {wrong:.0%} of the {noun} {in_words(feature)}, {rest_wrong:.0%} of the others."


def _worth(ranked: FeatureList, feature: Feature, counts: Prf | None) -> float | None:
    """Return what F1 over all would gain if units with the feature were as the others; of items, what the lens says."""
    gain = feature.expected_improvement
    if ranked.over == "items" or gain is None or counts is None:
        return gain
    before = np.array([counts.tp, counts.n_pred, counts.n_gold], np.float64)
    mended = gain * ranked.n  # units found, or no longer returned
    after = before + (np.array([mended, mended, 0.0]) if ranked.over == "gold" else np.array([0.0, -mended, 0.0]))
    return float(f_beta(after) - f_beta(before))
