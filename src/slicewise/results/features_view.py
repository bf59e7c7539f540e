"""How lists of features are shown: a sentence on what they say, the ranking, the items behind it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, probability, score, signed
from slicewise.results.heading import heading

if TYPE_CHECKING:
    from slicewise.results.features import Feature, FeatureList, FeaturesResult

ALPHA = 0.05
SAID = 3
"""Features that are put into words."""
WIDE, NARROW = 32, 21
EXAMPLES = 5
"""Features that an item is shown of."""
NOUNS = {"items": "item", "gold": "gold unit", "returned": "returned unit"}


def blocks(result: FeaturesResult) -> list[Block]:
    """Return what a person is shown."""
    found: list[Block] = [Sentence(heading(result.data), "title")]
    found += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    if result.geval:
        found.append(Sentence("numbers as the published tool gives them: p without correction for ties", "aside"))
    for ranked in result.lists:
        found += [Sentence(_title(ranked), "title"), Sentence(_opening(ranked))]
        found += [*(Sentence(text) for text in _said(ranked, result)), _ranking(ranked)]
        if ranked.confusions:
            found.append(_confusions(ranked))
        found += _examples(ranked, result)
    return [*found, Sentence(result.signature, "aside")]


def _title(ranked: FeatureList) -> str:
    over = {
        "items": "",
        "gold": " of gold units (found or missed)",
        "returned": " of returned units (right or spurious)",
    }
    if ranked.against is not None:
        what = "most worsening" if ranked.direction == "worsening" else "most improving"
        return f"{what} features from {ranked.against} to {ranked.system}{over[ranked.over]}"
    return f"{ranked.system}: {ranked.direction} features{over[ranked.over]}"


def _opening(ranked: FeatureList) -> str:
    noun = counted(ranked.n, NOUNS[ranked.over])
    tested = f"{counted(ranked.tested, 'feature')} tested, {ranked.significant:,} with q < {ALPHA}"
    return f"{ranked.metric}{_value(ranked, ranked.value, 4)} on {noun}; {tested}."


def _value(ranked: FeatureList, value: float | None, digits: int = 3) -> str:
    """Write a value of the metric, or how it changes."""
    if ranked.against is None:
        return f" {score(value, digits)}"
    return f" is {score(value, digits)} times the old" if ranked.ratio else f" changes by {signed(value, digits)}"


def _said(ranked: FeatureList, result: FeaturesResult) -> list[str]:
    """Put the strongest features into words, or say that there are none."""
    if result.geval:
        return []
    if not ranked.tested:
        noun = NOUNS[ranked.over]
        least = counted(result.least, noun)
        return [f"There is nothing to test: no feature that {least} have and as many have not; see --min-count."]
    if not ranked.significant:
        least_q = min((f.q for f in ranked.features if f.q is not None), default=None)
        return [f"None is sure: the smallest q is {probability(least_q)}."]
    sure = [f for f in ranked.features if f.q is not None and f.q < ALPHA]
    told = [_in_words(ranked, f) for f in sure if tells(ranked, f)][:SAID]
    if sure and result.data["task"] in ("spans", "multilabel") and ranked.over == "items":
        told.append(
            "Items without anything expected or returned count as right here; --units ranks what is in the others."
        )
    return told


def tells(ranked: FeatureList, feature: Feature) -> bool:
    """Whether the metric says of a feature what the ranking by item scores says."""
    gain = feature.expected_improvement
    if ranked.direction in ("best", "improving"):
        return gain is None or gain < 0
    return gain is None or gain > 0


def _in_words(ranked: FeatureList, feature: Feature) -> str:
    noun = counted(feature.n, NOUNS[ranked.over])
    what = where(feature)
    if ranked.over != "items" and ranked.against is None:
        wrong = {"gold": "missed", "returned": "spurious"}[ranked.over]
        rest = "" if feature.rest_mean is None else f", against {1 - feature.rest_mean:.0%} of the others"
        return f"{1 - feature.mean:.0%} of the {noun} {what} are {wrong}{rest} (q {probability(feature.q)})."
    rest_value = feature.rest_metric
    written = score if ranked.against is None or ranked.ratio else signed
    against = "" if rest_value is None else f" against {written(rest_value, 3)} on the others"
    gain = feature.expected_improvement
    worth = ""
    if gain is not None and ranked.direction == "worst":
        verb = f"lower {ranked.metric} by" if ranked.lower_is_better else "add"
        worth = f"; as good as the others, they would {verb} {gain:.4f}"
    verb = (
        f"{ranked.metric} is{_value(ranked, feature.metric)}"
        if ranked.against is None
        else f"{ranked.metric}{_value(ranked, feature.metric)}"
    )
    return f"{verb} on the {noun} {what}{against} (q {probability(feature.q)}){worth}."


def where(feature: Feature) -> str:
    """Return a feature as a sentence names it: with in:word, with sLen ≥ 20."""
    if feature.cut is not None:
        name, _, end = feature.feature.rpartition(" ")
        sign = "≥" if end == "large" else "≤"
        return f"with {name} {sign} {feature.cut:.3g}"
    return f"with {_short(feature.feature, 60)}"


def _name(feature: Feature, limit: int) -> str:
    cut = "" if feature.cut is None else f" ({'≥' if feature.feature.endswith('large') else '≤'} {feature.cut:.3g})"
    more = f"  +{len(feature.folded)}" if feature.folded else ""
    return _short(feature.feature, limit) + cut + more


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _ranking(ranked: FeatureList) -> Grid:
    written = score if ranked.against is None or ranked.ratio else signed
    drawn = any(f.ci is not None for f in ranked.features)
    gains = ranked.direction in ("worst", "worsening")
    columns = [Column("rest"), *([Column("gain")] if gains else []), Column("p")]
    if drawn:
        columns = [Column("difference"), Column("interval", beside=True)]
    rows = []
    for f in ranked.features:
        plain = (written(f.rest_metric, 3), *([signed(f.expected_improvement)] if gains else []), _tiny(f))
        middle = (signed(f.difference, 2), bounds(f.ci, 2)) if drawn else plain
        name = _name(f, NARROW if drawn else WIDE)
        rows.append((name, f"{f.n:,}", written(f.metric, 3), *middle, probability(f.q)))
    value = ranked.metric if ranked.against is None else "ratio" if ranked.ratio else "change"
    titles = (Column("feature", "left"), Column("n"), Column(value), *columns, Column("q"))
    faint = frozenset((i, len(titles) - 1) for i, f in enumerate(ranked.features) if f.q is None or f.q >= ALPHA)
    name = "-".join(part for part in (ranked.direction, ranked.against, ranked.system, ranked.over) if part)
    return Grid("Features", titles, tuple(rows), _note(ranked), faint=faint, name=name)


def _tiny(feature: Feature) -> str:
    """Write p, as a power of ten where it is small."""
    if feature.p >= 0.0001:
        return f"{feature.p:.4f}"
    power = math.floor(feature.log10_p)
    digit = round(10 ** (feature.log10_p - power))
    return f"{digit}e−{-power}" if digit < 10 else f"1e−{-power - 1}"


def _note(ranked: FeatureList) -> str:
    parts = []
    if any(f.folded for f in ranked.features):
        parts.append("+N: N more features of (nearly) the same rows are folded under it.")
    left = ranked.tested - len(ranked.features) - sum(len(f.folded) for f in ranked.features)
    if left > 0:
        parts.append(f"{left:,} more tested; --top N shows more.")
    if ranked.direction in ("worst", "worsening") and not any(f.ci is not None for f in ranked.features):
        parts.append("gain: if these were as the others; positive is better.")
    return " ".join(parts)


def _confusions(ranked: FeatureList) -> Grid:
    rows = tuple((_short(f.feature, 60), f"{f.n:,}", signed(f.expected_improvement)) for f in ranked.confusions)
    columns = (Column("expected ~ returned", "left"), Column("n"), Column("gain"))
    return Grid(
        "Confusions", columns, rows, "Wrong by construction, so not tested.", name=f"confusions-{ranked.system}"
    )


def _examples(ranked: FeatureList, result: FeaturesResult) -> list[Block]:
    """Return an item for each of the first features."""
    found = [(f, result.examples[f.examples[0]]) for f in ranked.features[:EXAMPLES] if f.examples]
    if not found:
        return []
    if ranked.over != "items":
        return [_units(ranked)]
    rows = []
    for feature, example in found:
        answers = [example.expected, example.outputs.get(ranked.system)]
        shown = " → ".join(_short(answer, 13) or "–" for answer in answers if answer is not None)
        if not shown:
            shown = " ".join(score(example.scores[name], 3) for name in (ranked.against, ranked.system) if name)
        text = _around(example.text.replace("\t", " | "), feature, 26)
        rows.append((_short(feature.feature, 17), str(example.item), text, shown))
    last = "expected → returned" if any(e.outputs for _, e in found) else "score"
    columns = (Column("feature", "left"), Column("item"), Column("text", "left"), Column(last, "left"))
    note = "slicewise items --feature F shows all items of a feature."
    return [Grid("Examples", columns, tuple(rows), note, name=f"examples-{ranked.system}-{ranked.over}")]


def _around(text: str, feature: Feature, limit: int) -> str:
    """Return the part of a text where a feature's word stands, or its beginning."""
    word = feature.feature.rpartition("in:")[2].partition("++")[0] if "in:" in feature.feature else ""
    at = text.find(word) if word else 0
    if at + len(word) <= limit - 1:
        return _short(text, limit)
    start = max(0, at - limit // 3)
    return "…" + _short(text[start:], limit - 1)


def _units(ranked: FeatureList) -> Grid:
    """Return some units of each of the first features."""
    wrong = {"gold": "missed", "returned": "spurious"}[ranked.over] if ranked.direction == "worst" else "examples"
    rows = tuple((_short(f.feature, 24), _short("; ".join(f.units), 52)) for f in ranked.features[:EXAMPLES])
    name = f"examples-{ranked.system}-{ranked.over}"
    return Grid("Examples", (Column("feature", "left"), Column(wrong, "left")), rows, name=name)
