"""The view of feature lists: sentences, the ranking, and example items."""

from __future__ import annotations

import math

from slicewise.errors import counted
from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.ranking.result import Feature, FeatureList
from slicewise.lenses.ranking.sentences import NOUNS, adjusted_in_words, tells, where
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import bounds, probability, score, signed
from slicewise.render.texts import short
from slicewise.results.heading import heading
from slicewise.stats.multiplicity import ALPHA

MOST_SENTENCES = 3
"""Features that are put into words."""
WIDE, NARROW, NARROWEST = 32, 21, 15
EXAMPLES = 5
"""Features that an item is shown of."""


def blocks(result: FeaturesResult) -> list[Block]:
    """Return the blocks for people."""
    view: list[Block] = [Sentence(heading(result.data), "title")]
    view += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    if result.geval:
        view.append(Sentence("numbers as the published tool gives them: p without correction for ties", "aside"))
    for ranked in result.lists:
        view += [Sentence(_title(ranked), "title"), Sentence(_opening(ranked))]
        view += [Sentence(text, "aside") for text in adjusted_in_words(ranked)]
        view += [*(Sentence(text) for text in _sentences(ranked, result)), _ranking(ranked)]
        if ranked.confusions:
            view.append(_confusions(ranked))
        view += _examples(ranked, result)
    return [*view, Sentence(result.signature, "aside")]


def _title(ranked: FeatureList) -> str:
    over = {
        "items": "",
        "gold": " of gold units (found or missed)",
        "returned": " of returned units (right or spurious)",
    }
    if ranked.against is not None:
        kind = "most worsening" if ranked.direction == "worsening" else "most improving"
        return f"{kind} features from {ranked.against} to {ranked.system}{over[ranked.over]}"
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


def _sentences(ranked: FeatureList, result: FeaturesResult) -> list[str]:
    """Return sentences on the strongest features, or that there are none."""
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
    texts = [_in_words(ranked, f) for f in sure if tells(ranked, f)][:MOST_SENTENCES]
    if sure and result.data["task"] in ("spans", "multilabel") and ranked.over == "items":
        texts.append(
            "Items without anything expected or returned count as right here; --units ranks what is in the others."
        )
    return texts


def _in_words(ranked: FeatureList, feature: Feature) -> str:
    noun = counted(feature.n, NOUNS[ranked.over])
    name = where(feature)
    if ranked.over != "items" and ranked.against is None:
        wrong = {"gold": "missed", "returned": "spurious"}[ranked.over]
        others = "" if feature.rest_mean is None else f", against {1 - feature.rest_mean:.0%} of the others"
        return f"{1 - feature.mean:.0%} of the {noun} {name} are {wrong}{others} (q {probability(feature.q)})."
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
    return f"{verb} on the {noun} {name}{against} (q {probability(feature.q)}){worth}."


def _name(feature: Feature, limit: int) -> str:
    cut = "" if feature.cut is None else f" ({'≥' if feature.feature.endswith('large') else '≤'} {feature.cut:.3g})"
    folded = f"  +{len(feature.folded)}" if feature.folded else ""
    return short(feature.feature, limit) + cut + folded


def _ranking(ranked: FeatureList) -> Grid:
    written = score if ranked.against is None or ranked.ratio else signed
    drawn, adjusted = any(f.ci is not None for f in ranked.features), bool(ranked.adjusted_for)
    gains = ranked.direction in ("worst", "worsening") and not drawn
    compared = [Column("diff"), Column("raw")] if adjusted else [Column("difference" if drawn else "rest")]
    columns = [*compared, *([Column("interval", beside=True)] if drawn else []), *([Column("gain")] if gains else [])]
    tested = [] if drawn else [Column("p"), *([Column("raw p")] if adjusted else [])]  # to fit beside intervals
    columns += tested
    rows = []
    for f in ranked.features:
        differences = [signed(f.difference, 2), *([signed(f.raw_difference, 2)] if adjusted else [])]
        middle = [*(differences if drawn or adjusted else [written(f.rest_metric, 3)])]
        middle += [*([bounds(f.ci, 2)] if drawn else []), *([signed(f.expected_improvement)] if gains else [])]
        middle += [_tiny(f.p, f.log10_p), _tiny(f.raw_p)][: len(tested)]
        name = _name(f, NARROWEST if adjusted else NARROW if drawn else WIDE)
        rows.append((name, f"{f.n:,}", written(f.metric, 3), *middle, probability(f.q)))
    value = ranked.metric if ranked.against is None else "ratio" if ranked.ratio else "change"
    titles = (Column("feature", "left"), Column("n"), Column(value), *columns, Column("q"))
    faint = frozenset((i, len(titles) - 1) for i, f in enumerate(ranked.features) if f.q is None or f.q >= ALPHA)
    name = "-".join(part for part in (ranked.direction, ranked.against, ranked.system, ranked.over) if part)
    return Grid("Features", titles, tuple(rows), _note(ranked), faint=faint, name=name)


def _tiny(p: float, log10_p: float | None = None) -> str:
    """Write p, as a power of ten where it is small."""
    if p >= 0.0001:
        return f"{p:.4f}"
    log10_p = math.log10(max(p, 5e-324)) if log10_p is None else log10_p
    power = math.floor(log10_p)
    digit = round(10 ** (log10_p - power))
    return f"{digit}e−{-power}" if digit < 10 else f"1e−{-power - 1}"


def _note(ranked: FeatureList) -> str:
    if not ranked.features:
        return ""
    parts = []
    if ranked.adjusted_for:
        adjusted = "diff, p and q" if ranked.interval is None else "diff and q"
        parts.append(f"{adjusted}: given {' and '.join(ranked.adjusted_for)}; raw: without that.")
    if any(f.folded for f in ranked.features):
        parts.append("+N: N more features of (nearly) the same rows are folded under it.")
    left = ranked.tested - len(ranked.features) - sum(len(f.folded) for f in ranked.features)
    if left > 0:
        parts.append(f"{left:,} more tested; --top N shows more.")
    if ranked.interval is not None:
        parts.append(
            f"interval of diff: {ranked.interval}." if ranked.adjusted_for else f"interval: {ranked.interval}."
        )
    if ranked.direction in ("worst", "worsening") and not any(f.ci is not None for f in ranked.features):
        shrunk = any(f.expected_improvement != f.raw_expected_improvement for f in ranked.features)
        parts.append("gain: if these were as the others; positive is better.")
        parts += (
            ["It is shrunk by what chance alone would make of the largest; --json has the raw one."] if shrunk else []
        )
    return " ".join(parts)


def _confusions(ranked: FeatureList) -> Grid:
    rows = tuple((short(f.feature, 60), f"{f.n:,}", signed(f.expected_improvement)) for f in ranked.confusions)
    columns = (Column("expected ~ returned", "left"), Column("n"), Column("gain"))
    return Grid(
        "Confusions", columns, rows, "Wrong by construction, so not tested.", name=f"confusions-{ranked.system}"
    )


def _examples(ranked: FeatureList, result: FeaturesResult) -> list[Block]:
    """Return an item for each of the first features."""
    chosen = [(f, result.examples[f.examples[0]]) for f in ranked.features[:EXAMPLES] if f.examples]
    if not chosen:
        return []
    if ranked.over != "items":
        return [_units(ranked)]
    rows = []
    for feature, example in chosen:
        answers = [example.expected, example.outputs.get(ranked.system)]
        cell = " → ".join(short(answer, 13) or "–" for answer in answers if answer is not None)
        if not cell:
            cell = " ".join(score(example.scores[name], 3) for name in (ranked.against, ranked.system) if name)
        text = _around(example.text.replace("\t", " | "), feature, 26)
        rows.append((short(feature.feature, 17), str(example.item), text, cell))
    last = "expected → returned" if any(e.outputs for _, e in chosen) else "score"
    columns = (Column("feature", "left"), Column("item"), Column("text", "left"), Column(last, "left"))
    note = "slicewise items --feature F shows all items of a feature."
    return [Grid("Examples", columns, tuple(rows), note, name=f"examples-{ranked.system}-{ranked.over}")]


def _around(text: str, feature: Feature, limit: int) -> str:
    """Return the part of a text where a feature's word stands, or its beginning."""
    word = feature.feature.rpartition("in:")[2].partition("++")[0] if "in:" in feature.feature else ""
    at = text.find(word) if word else 0
    if at + len(word) <= limit - 1:
        return short(text, limit)
    start = max(0, at - limit // 3)
    return "…" + short(text[start:], limit - 1)


def _units(ranked: FeatureList) -> Grid:
    """Return some units of each of the first features."""
    wrong = {"gold": "missed", "returned": "spurious"}[ranked.over] if ranked.direction == "worst" else "examples"
    rows = tuple((short(f.feature, 24), short("; ".join(f.units), 52)) for f in ranked.features[:EXAMPLES])
    name = f"examples-{ranked.system}-{ranked.over}"
    return Grid("Examples", (Column("feature", "left"), Column(wrong, "left")), rows, name=name)
