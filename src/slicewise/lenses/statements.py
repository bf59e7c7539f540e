"""The strongest statements of all lenses, each with what mending it would be worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slicewise.errors import counted
from slicewise.lenses.inference import ALPHA
from slicewise.metrics.counts import f_beta
from slicewise.results import slices
from slicewise.results.features_view import tells, where
from slicewise.results.heading import called
from slicewise.results.report import Statement
from slicewise.stats.canonical import canonical_order
from slicewise.stats.tests import paired_draws, randomisation_p

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.buckets import BucketsResult
    from slicewise.results.complement import ComplementResult
    from slicewise.results.difficulty import DifficultyResult
    from slicewise.results.features import Feature, FeatureList, FeaturesResult
    from slicewise.results.score import ScoreResult

MOST = 10
EACH = 2
"""So many at most of one lens and one of the best systems (of others, one), and of one attribute or feature."""
NEARLY_ALL = 0.8
"""A bucket with a larger share of all units is no part of them to look at."""
DESCRIBED = ("attribute", "number", "length")
"""Kinds of features that the lens of buckets states in plainer words."""


def strongest(found: Sequence[Statement], best: Collection[str]) -> tuple[Statement, ...]:
    """Return up to ten, what is worth most first: the first of every lens, then the best systems', then the rest."""
    ordered = sorted(found, key=_by_worth)
    of_best = [one for one in ordered if one.system in best]
    chosen: list[Statement] = []
    for one in (*_first_of_each(ordered), *of_best, *ordered):
        most = EACH if one.system in best else 1
        if len(chosen) < MOST and one not in chosen and not _enough(chosen, one, most):
            chosen.append(one)
    return tuple(sorted(chosen, key=_by_worth))


def _enough(chosen: Sequence[Statement], one: Statement, most: int) -> bool:
    """Whether a statement's lens has said enough of its system, or its attribute or feature was named often enough."""
    alike = sum((c.lens, c.dataset, c.system) == (one.lens, one.dataset, one.system) for c in chosen)
    same = sum(c.topic == one.topic for c in chosen)
    return alike >= most or same >= EACH


def _by_worth(one: Statement) -> tuple[float, float, str]:
    return -(one.worth or 0.0), one.q, one.text


def _first_of_each(ordered: Sequence[Statement]) -> list[Statement]:
    first: dict[str, Statement] = {}
    for one in ordered:
        first.setdefault(one.lens, one)
    return list(first.values())


def of_scores(result: ScoreResult) -> Iterator[Statement]:
    """Yield that the best systems beat the next, where they can be told apart."""
    if len(result.groups) < 2:
        return
    metric, best, next_one = result.metrics[0], result.groups[0][0], result.groups[1][0]
    for pair in result.pairs:
        if pair.metric == metric and {pair.a, pair.b} == {best, next_one} and _sure(pair.q) and pair.difference:
            size = abs(pair.difference)
            yield Statement(
                text=f"{best} beats {next_one} by {size:.3f} {called(metric)} over all the data.",
                lens="score",
                dataset=result.data["name"],
                system=next_one,
                against=best,
                number=size,
                unit=metric,
                n=result.data["gold_units"] or result.data["items"],
                q=float(pair.q or 0.0),
                worth=size,
                slice=slices.pair_slice(next_one, best),
                topic="all",
            )


def of_buckets(result: BucketsResult, best: Collection[str]) -> Iterator[Statement]:
    """Yield gaps between buckets, and where one of the best systems is beaten; elsewhere it is what one would use."""
    for one in result.findings:
        no_news = one.against is not None and one.against not in best
        if no_news or one.share > NEARLY_ALL:
            continue
        yield Statement(
            text=one.text,
            lens="buckets",
            dataset=result.data["name"],
            system=one.against or one.system,
            against=one.system if one.against else None,
            number=one.difference,
            unit=result.metric,
            n=one.n,
            q=one.q,
            worth=one.worth,
            slice=slices.bucket_slice(one.attribute, one.bucket),
            topic=one.attribute,
        )


def of_features(result: FeaturesResult, score: ScoreResult | None) -> Iterator[Statement]:
    """Yield the features that surely go with errors, of each system its strongest."""
    for ranked in result.lists:
        plain = [f for f in ranked.features if f.kind not in DESCRIBED]
        for feature in [f for f in plain if _sure(f.q) and tells(ranked, f)][:EACH]:
            gain = _worth(ranked, feature, score)
            if feature.rest_mean is None or gain is None or gain <= 0:
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
                slice=slices.feature_slice(ranked.over, ranked.system, feature.feature),
                topic=feature.feature,
            )


def _feature_said(ranked: FeatureList, feature: Feature, who: str) -> str:
    noun = {"items": "items", "gold": "gold units", "returned": "units it returns"}[ranked.over]
    if ranked.over == "items":
        value, rest = feature.metric, feature.rest_metric
        if value is not None and rest is not None:
            what = f"{who}: {called(ranked.metric)} is {value:.3f} on items"
            return f"{what} {_in_words(feature)}, {rest:.3f} on the others."
    wrong, rest_wrong = 1 - feature.mean, 1 - (feature.rest_mean or 0.0)
    verb = "misses" if ranked.over == "gold" else "is wrong in"
    return f"{who} {verb} {wrong:.0%} of the {noun} {_in_words(feature)}, {rest_wrong:.0%} of the others."


def _worth(ranked: FeatureList, feature: Feature, score: ScoreResult | None) -> float | None:
    """Return what F1 over all would gain if units with the feature were as the others; of items, what the lens says."""
    gain = feature.expected_improvement
    scores = None if score is None else score.systems.get(ranked.system)
    if ranked.over == "items" or gain is None or scores is None or scores.micro is None:
        return gain
    before = np.array([scores.micro.tp, scores.micro.n_pred, scores.micro.n_gold], np.float64)
    mended = gain * ranked.n  # units found, or no longer returned
    after = before + (np.array([mended, mended, 0.0]) if ranked.over == "gold" else np.array([0.0, -mended, 0.0]))
    return float(f_beta(after) - f_beta(before))


def of_complement(result: ComplementResult, outcomes: Outcomes, groups: int, seed: int) -> Iterator[Statement]:
    """Yield that a vote of more than half of the systems beats the best of them, where a test says so."""
    systems = list(result.systems)
    if result.rule or len(systems) < 3 or groups < 2:
        return
    best = max(systems, key=lambda name: (result.systems[name].f1 or 0.0, name))
    has = {name: outcomes.has[outcomes.systems.index(name)] for name in systems}
    needed = len(systems) // 2 + 1
    vote = np.sum(list(has.values()), axis=0) >= needed
    cells = np.zeros((groups, 2, 3))
    for i, own in enumerate((vote, has[best])):
        for j, counted_rows in enumerate((own & outcomes.gold, own, outcomes.gold)):
            cells[:, i, j] = np.bincount(outcomes.group[counted_rows], minlength=groups)
    values = f_beta(cells.sum(axis=0))
    gain = float(values[0] - values[1])
    p, _ = randomisation_p(cells[canonical_order(cells)], f_beta, np.array([[0, 1]]), draws=paired_draws(1), seed=seed)
    if gain > 0 and p[0] < ALPHA:
        yield Statement(
            text=f"A vote in which {needed} of the {len(systems)} systems must agree beats the best of them, {best}, "
            f"by {gain:.3f} F1.",
            lens="complement",
            dataset=result.data["name"],
            system=best,
            number=gain,
            unit="f1",
            n=int(outcomes.gold.sum()),
            q=float(p[0]),
            worth=gain,
            slice=None,
            topic="vote",
        )


def of_difficulty(result: DifficultyResult, summaries: Mapping[str, str]) -> Iterator[Statement]:
    """Yield the features that surely go with being found by nobody; `summaries` says what attributes are."""
    ranked = result.features
    if ranked is None or len(result.gold.systems) < 2:
        return
    for feature in [f for f in ranked.features if _sure(f.q) and f.mean < (f.rest_mean or 0.0)][:EACH]:
        noun = counted(feature.n, "gold unit" if ranked.over == "gold" else "item")
        nobody, rest = 1 - feature.mean, 1 - (feature.rest_mean or 0.0)
        summary = summaries.get(feature.feature.partition(" ")[0], "")
        meant = f" ({summary})" if summary else ""
        rule = f" ({result.rule})" if result.rule else ""
        yield Statement(
            text=f"No system finds {nobody:.0%} of the {noun} {_in_words(feature)}{meant}; of the others, "
            f"{rest:.0%}{rule}.",
            lens="difficulty",
            dataset=result.data["name"],
            system=None,
            number=nobody - rest,
            unit="share",
            n=feature.n,
            q=float(feature.q or 0.0),
            worth=feature.expected_improvement,
            slice=slices.feature_slice("bin0", "nobody", feature.feature),
            topic=feature.feature.partition(" ")[0],
        )


PHRASES = {
    "in": "with “{}” in the text",
    "span": "with “{}” in them",
    "token": "that are “{}”",
    "left": "after “{}”",
    "right": "before “{}”",
    "label": "labelled {}",
    "exp": "where {} is expected",
    "out": "where {} is returned",
}
SHAPE = "SHAPE:"


def _in_words(feature: Feature) -> str:
    """Return a feature as a sentence names it."""
    space, colon, value = feature.feature.partition(":")
    if not colon or space not in PHRASES or "++" in value:
        return where(feature)
    if value.startswith(SHAPE):
        return f"with a word of the shape {value.removeprefix(SHAPE)}"
    return PHRASES[space].format(value)


def _sure(q: float | None) -> bool:
    return q is not None and q < ALPHA
