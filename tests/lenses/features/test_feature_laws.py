"""What must hold of ranked features, whatever the data."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_features import Asked, Data, asked, labelled, scored, spans, texts

from slicewise import features

if TYPE_CHECKING:
    from collections.abc import Callable

    from slicewise.lenses.ranking.result import FeatureList

drawn = with_examples(10, shrink=False)
any_data = st.one_of(
    st.tuples(scored(), st.just("mean")),
    st.tuples(labelled(), st.just("accuracy")),
    st.tuples(texts(), st.just("wer")),
    st.tuples(spans(), st.just("f1")),
)


def lists_of(data: Data, options: Asked, **more: Any) -> tuple[FeatureList, ...]:
    return features(data.evaluation(), **{"top": 0, "fold": False} | options.options() | more).lists


def rows(found: FeatureList, *without: str) -> list[dict[str, Any]]:
    """Return what is said of each feature, but for some."""
    return [{k: v for k, v in asdict(feature).items() if k not in without} for feature in found.features]


def same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Say whether two lists tell the same; sums may be rounded otherwise."""
    assert [row["feature"] for row in one] == [row["feature"] for row in other]
    for a, b in zip(one, other, strict=True):
        for key, value in a.items():
            if isinstance(value, float):
                assert value == pytest.approx(b[key], rel=1e-9, abs=1e-12), (key, a)
            else:
                assert value == b[key], (key, a)


@drawn
@given(any_data, asked(pairs=True), st.booleans())
def test_names_of_systems_do_not_matter(data: tuple[Data, str], options: Asked, fold: bool) -> None:
    own, metric = data
    one = lists_of(own, options, metrics=metric, fold=fold)
    other = lists_of(own.named({"b b": "α", "one": "b b"}), options, metrics=metric, fold=fold)
    assert [found.system for found in other] == ["α", "b b"]
    for found, again in zip(one, reversed(other), strict=True):
        assert replace(found, system="") == replace(again, system="")
    (alone,) = lists_of(own, options, metrics=metric, fold=fold, only="b b")
    assert alone == one[1]


@drawn
@given(any_data, asked(pairs=True), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(data: tuple[Data, str], options: Asked, fold: bool, random: Any) -> None:
    own, metric = data
    order = list(range(own.size))
    random.shuffle(order)
    one = lists_of(own, options, metrics=metric, fold=fold)
    other = lists_of(own.take(order), options, metrics=metric, fold=fold)
    for found, again in zip(one, other, strict=True):
        same(rows(found, "examples"), rows(again, "examples"))
        assert (found.tested, found.significant, found.n) == (again.tested, again.significant, again.n)


RISING: dict[str, Callable[[float], float]] = {
    "stretched": lambda score: 8 * score - 3,
    "cubed": lambda score: score**3,
    "exponential": math.exp,
    "step": lambda score: score + 1000 * (score > 0.5),
}


@drawn
@given(scored(), asked(pairs=True), st.sampled_from(sorted(RISING)), st.sampled_from(["worst", "best"]))
def test_only_the_order_of_scores_decides(own: Data, options: Asked, name: str, direction: str) -> None:
    turned = replace(own, systems={s: tuple(map(RISING[name], scores)) for s, scores in own.systems.items()})
    kept = ("feature", "n", "kind", "auc", "tau", "z", "p", "q", "log10_p", "method", "chi2", "examples")
    for one, other in zip(
        lists_of(own, options, direction=direction), lists_of(turned, options, direction=direction), strict=True
    ):
        assert [[row[key] for key in kept] for row in rows(one)] == [[row[key] for key in kept] for row in rows(other)]


@drawn
@given(scored(), asked(pairs=True), st.booleans())
def test_the_best_of_scores_are_the_worst_of_their_opposites(own: Data, options: Asked, fold: bool) -> None:
    turned = replace(own, systems={s: tuple(-score for score in scores) for s, scores in own.systems.items()})
    best, worst = lists_of(own, options, direction="best", fold=fold), lists_of(turned, options, fold=fold)
    for one, other in zip(best, worst, strict=True):
        mirrored = [
            row
            | {key: None if row[key] is None else 0.0 - row[key] for key in SIGNED}
            | {"auc": None if row["auc"] is None else 1 - row["auc"]}
            for row in rows(other)
        ]
        same(rows(one), mirrored)


SIGNED = (
    "mean",
    "rest_mean",
    "difference",
    "raw_difference",
    "metric",
    "rest_metric",
    "expected_improvement",
    "raw_expected_improvement",
    "tau",
    "z",
)


@drawn
@given(scored(), asked(pairs=True))
def test_what_worsens_one_way_improves_the_other(own: Data, options: Asked) -> None:
    (one,) = lists_of(own, options, direction="worsening", change=("one", "b b"))
    (other,) = lists_of(own, options, direction="improving", change=("b b", "one"))
    kept = ("feature", "n", "p", "q", "method", "chi2")
    assert [[row[key] for key in kept] for row in rows(one)] == [[row[key] for key in kept] for row in rows(other)]


@drawn
@given(any_data, asked(pairs=True), st.sampled_from(["worst", "best"]))
def test_numbers_agree_with_each_other(data: tuple[Data, str], options: Asked, direction: str) -> None:
    own, metric = data
    for found in lists_of(own, options, metrics=metric, direction=direction):
        assert len(found.features) <= found.tested
        for feature in found.features:
            assert feature.q is not None
            assert 0 < feature.p <= feature.q <= 1
            assert feature.log10_p == pytest.approx(math.log10(feature.p), abs=1e-12)
            assert math.isclose(feature.n * feature.mean + (found.n - feature.n) * (feature.rest_mean or 0),
                                found.n * found.mean, abs_tol=1e-9)  # fmt: skip
            if feature.kind in ("number", "length"):
                assert feature.tau is not None
                continue
            least = options.min_pair_count if feature.kind == "pair" else None
            assert min(feature.n, found.n - feature.n) >= (least or options.min_count)
            if feature.z is not None:
                assert feature.auc is not None
                assert (feature.z > 1e-9) == (feature.auc > 0.5 + 1e-12)
            if feature.chi2 is not None and feature.z is not None:
                assert feature.z**2 == pytest.approx(feature.chi2 * (found.n - 1) / found.n)


@drawn
@given(any_data, asked())
def test_both_tails_and_what_lies_between_are_one(data: tuple[Data, str], options: Asked) -> None:
    """P(at most) + P(at least) = 1 + P(exactly), but for the normal tails of numbers."""
    own, metric = data
    for low, high in zip(
        lists_of(own, options, metrics=metric),
        lists_of(own, options, metrics=metric, direction="best"),
        strict=True,
    ):
        other = {(f.kind, f.feature): f.p for f in high.features}
        assert len(other) == len(low.features)
        for feature in low.features:
            both = feature.p + other[feature.kind, feature.feature]
            assert both >= 1 - 1e-9
            if feature.kind in ("number", "length"):
                assert both == pytest.approx(1)


@drawn
@given(labelled())
def test_labels_share_out_the_items(own: Data) -> None:
    for found in lists_of(own, Asked(min_count=1)):
        for space in ("exp", "out"):
            labels = [f for f in found.features if f.kind == "label" and f.feature.startswith(f"{space}:")]
            if labels:  # one label alone has nothing to be compared with
                assert sum(f.n for f in labels) == found.n
                assert sum(f.n * f.mean for f in labels) == pytest.approx(found.n * found.mean)
        assert sum(f.n for f in found.confusions) == pytest.approx(found.n * (1 - found.mean))


@drawn
@given(any_data, asked(pairs=True), st.integers(1, 8), st.booleans())
def test_a_shorter_list_is_the_beginning_of_the_longer(
    data: tuple[Data, str], options: Asked, top: int, fold: bool
) -> None:
    own, metric = data
    for short, long in zip(
        lists_of(own, options, metrics=metric, top=top, fold=fold),
        lists_of(own, options, metrics=metric, fold=fold),
        strict=True,
    ):
        assert short.tested == long.tested
        assert rows(short, "folded") == rows(long, "folded")[:top]


@drawn
@given(scored(), asked(pairs=True))
def test_corrections_differ_in_q_alone(own: Data, options: Asked) -> None:
    plain = lists_of(own, options)
    for correction in ("by", "holm"):
        for one, other in zip(plain, lists_of(own, options, correction=correction), strict=True):
            assert rows(one, "q") == rows(other, "q")
            assert all((b.q or 0) >= (a.q or 0) for a, b in zip(one.features, other.features, strict=True))
