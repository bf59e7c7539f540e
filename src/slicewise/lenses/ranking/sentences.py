"""Ranked features in sentences."""

from __future__ import annotations

from slicewise.lenses.ranking.result import Feature, FeatureList
from slicewise.render.texts import short

NOUNS = {"items": "item", "gold": "gold unit", "returned": "returned unit"}
"""What features are ranked over, in a sentence."""


def tells(ranked: FeatureList, feature: Feature) -> bool:
    """Whether the metric says of a feature what the ranking by item scores says."""
    gain = feature.raw_expected_improvement
    if ranked.direction in ("best", "improving"):
        return gain is None or gain < 0
    return gain is None or gain > 0


def where(feature: Feature) -> str:
    """Return a feature as a sentence names it: with in:word, with sLen ≥ 20."""
    if feature.cut is not None:
        name, _, end = feature.feature.rpartition(" ")
        sign = "≥" if end == "large" else "≤"
        return f"with {name} {sign} {feature.cut:.3g}"
    return f"with {short(feature.feature, 60)}"


def adjusted_in_words(ranked: FeatureList) -> list[str]:
    """Say what features are adjusted for, and what rows are drawn together in."""
    noun, texts = NOUNS[ranked.over], []
    if not ranked.tested:
        return []
    if ranked.adjusted_for:
        names = " and ".join(ranked.adjusted_for)
        alike = "of about the same length" if names == "length" else f"alike in {names}"
        texts.append(f"Adjusted for {names}: {noun}s are compared with others {alike}.")
    if ranked.clusters is not None:
        cluster = {"doc": "document"}.get(ranked.clusters, ranked.clusters)
        texts.append(f"{noun.capitalize()}s of one {cluster} are not independent: p allow for that.")
    return texts
