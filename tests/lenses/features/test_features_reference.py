"""Ranked features against the slow reference: random data of several tasks, and units."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_features import (
    Asked,
    Data,
    Name,
    Ranked,
    Ranker,
    Row,
    Rows,
    asked,
    change_rows,
    confusions,
    folded,
    item_features,
    item_lengths,
    item_numbers,
    item_rows,
    labelled,
    multilabelled,
    pair_name,
    ranked,
    scored,
    shape,
    spans,
    tagged,
    texts,
    unit_data,
    unit_features,
    unit_rows,
)
from support.slow_scores import widened_interval

from slicewise import features
from slicewise.annotations import Task

if TYPE_CHECKING:
    from slicewise.lenses.ranking.result import Feature, FeatureList

drawn = with_examples(12, shrink=False)
few = with_examples(8, shrink=False)
BETWEEN_KNOTS = 5e-4


# ------------------------------------------------------------------ comparing


def name_of(feature: Feature) -> Name:
    return pair_name(*feature.feature.split("~~")) if feature.kind == "pair" else Name(feature.kind, feature.feature)


def near(found: float | None, expected: Fraction | float | None, what: object, tolerance: float = 1e-9) -> None:
    if expected is None or found is None:
        assert found is expected, what
    else:
        assert found == pytest.approx(float(expected), rel=tolerance, abs=tolerance * 1e-3), what


def assert_same_tests(feature: Feature, row: Row, *, by_cluster: bool) -> None:
    """The p of clusters is found between knots of t, where a few digits are lost; all others are not."""
    for field in ("p", "raw_p", "q"):
        near(getattr(feature, field), getattr(row, field), (field, row), BETWEEN_KNOTS if by_cluster else 1e-9)
    near(feature.log10_p, math.log10(row.p), row, BETWEEN_KNOTS if by_cluster else 1e-9)
    assert row.method in (None, feature.method)


def assert_shrunk(feature: Feature) -> None:
    """A part of the gain as measured, from none to all; which part is tested in test_features_gains.py."""
    shrunk, raw = feature.expected_improvement, feature.raw_expected_improvement
    assert (shrunk is None) == (raw is None)
    if shrunk is not None and raw is not None:
        assert 0 <= shrunk * math.copysign(1, raw) <= abs(raw)


def assert_as_reference(found: FeatureList, expected: Ranked, *, high: bool = False, by_cluster: bool = False) -> None:
    over = expected.over
    assert found.n == over.size
    assert found.lower_is_better == over.lower
    near(found.value, over.value(range(over.size)), "value")
    near(found.mean, sum(over.scores, Fraction(0)) / over.size, "mean")
    assert found.tested == len(expected.tested)
    names = [name_of(feature) for feature in found.features]
    assert len(set(names)) == len(names)
    assert set(names) - expected.unsure == set(expected.listed) - expected.unsure
    logs = [feature.log10_p for feature in found.features]
    assert all(one <= other + 1e-12 for one, other in pairwise(logs))
    for name, feature in zip(names, found.features, strict=True):
        if name in expected.listed:
            row = expected.listed[name]
            for field in (
                "n", "mean", "rest_mean", "metric", "rest_metric", "raw_expected_improvement",
                "auc", "z", "chi2", "tau", "difference",
            ):  # fmt: skip
                near(getattr(feature, field), getattr(row, field), (field, row))
            near(feature.raw_difference, None if row.rest_mean is None else row.mean - row.rest_mean, row)
            assert_same_tests(feature, row, by_cluster=by_cluster)
            assert_shrunk(feature)
            worst = sorted(row.rows, key=lambda i: (over.scores[i] * (1 if over.lower == high else -1), i))
            assert feature.examples == tuple(over.kept[i] for i in worst[:3])


def compared(data: Data, metric: str, options: Asked, *, direction: str = "worst") -> None:
    high = direction == "best"
    lists = features(
        data.evaluation(), direction=direction, metrics=metric, top=0, fold=False, **options.options()
    ).lists
    assert [one.system for one in lists] == list(data.systems)
    for one in lists:
        assert (one.direction, one.against, one.over, one.metric) == (direction, None, "items", metric)
        slow = ranked(
            item_rows(data, one.system, metric),
            item_features(data, one.system, options),
            item_numbers(data, one.system, options),
            options,
            high=high,
            lengths=item_lengths(data, options),
            clusters=data.clusters,
        )
        assert_as_reference(one, slow, high=high, by_cluster=data.clusters is not None)


def compared_change(data: Data, metric: str, options: Asked, *, direction: str, ratio: bool) -> None:
    high = direction == "improving"
    over = change_rows(data, "one", "b b", metric, by_ratio=ratio)
    if not over.size:
        return
    (found,) = features(
        data.evaluation(),
        direction=direction,
        change=("one", "b b"),
        ratio=ratio,
        metrics=metric,
        top=0,
        fold=False,
        **options.options(),
    ).lists
    assert (found.system, found.against, found.direction) == ("b b", "one", direction)
    slow = ranked(
        over,
        item_features(data, "b b", options),
        item_numbers(data, "b b", options),
        options,
        high=high,
        lengths=item_lengths(data, options),
        clusters=data.clusters,
    )
    assert_as_reference(found, slow, high=high, by_cluster=data.clusters is not None)


# ------------------------------------------------------------------ items


@drawn
@given(labelled(), asked(pairs=True), st.sampled_from(["worst", "best"]))
def test_labels(data: Data, options: Asked, direction: str) -> None:
    compared(data, "accuracy", options, direction=direction)


@drawn
@given(scored(), asked(pairs=True), st.sampled_from(["worst", "best"]))
def test_scores(data: Data, options: Asked, direction: str) -> None:
    compared(data, "mean", options, direction=direction)


@drawn
@given(texts(), asked(), st.sampled_from(["worst", "best"]), st.sampled_from(["exact-match", "wer"]))
def test_texts(data: Data, options: Asked, direction: str, metric: str) -> None:
    compared(data, metric, options, direction=direction)


@drawn
@given(spans(), asked(), st.sampled_from(["worst", "best"]))
def test_spans(data: Data, options: Asked, direction: str) -> None:
    compared(data, "f1", options, direction=direction)


@drawn
@given(
    st.one_of(
        st.tuples(scored(), st.just("mean")),
        st.tuples(texts(), st.just("wer")),
        st.tuples(spans(), st.just("f1")),
        st.tuples(labelled(), st.just("accuracy")),
    ),
    asked(pairs=True),
    st.sampled_from(["worsening", "improving"]),
    st.booleans(),
)
def test_changes(data: tuple[Data, str], options: Asked, direction: str, ratio: bool) -> None:
    compared_change(*data, options, direction=direction, ratio=ratio)


@drawn
@given(
    st.one_of(
        st.tuples(labelled(many=True), st.just("accuracy")),
        st.tuples(scored(many=True), st.just("mean")),
        st.tuples(spans(many=True), st.just("f1")),
    ),
    asked(pairs=True, adjust=None),
    st.sampled_from(["worst", "best"]),
)
def test_within_strata_of_length(data: tuple[Data, str], options: Asked, direction: str) -> None:
    compared(*data, options, direction=direction)


@few
@given(
    st.one_of(
        st.tuples(labelled(documents=True), st.just("accuracy")),
        st.tuples(scored(documents=True), st.just("mean")),
    ),
    asked(pairs=True),
    st.sampled_from(["worst", "best"]),
)
def test_documents(data: tuple[Data, str], options: Asked, direction: str) -> None:
    compared(*data, options, direction=direction)


@few
@given(
    st.one_of(
        st.tuples(labelled(many=True, documents=True), st.just("accuracy")),
        st.tuples(scored(many=True, documents=True), st.just("mean")),
    ),
    asked(adjust=None),
    st.sampled_from(["worst", "best"]),
)
def test_documents_within_strata_of_length(data: tuple[Data, str], options: Asked, direction: str) -> None:
    compared(*data, options, direction=direction)


@few
@given(scored(many=True, documents=True), asked(adjust=None), st.sampled_from(["worsening", "improving"]))
def test_changes_in_documents_within_strata_of_length(data: Data, options: Asked, direction: str) -> None:
    compared_change(data, "mean", options, direction=direction, ratio=False)


def test_equal_changes_are_ties_however_they_are_rounded() -> None:
    """F1 goes up by 1/3 in all but the last four items: from 2/3 to 1, or from 0 to 1/3."""
    two, five = ((0, 1, "A"), (1, 2, "A")), tuple((k, k + 1, "A") for k in range(5))
    right = two[:1]
    gold, old, new = ((two,) * 4 + (five,) * 4, (right,) * 4 + ((),) * 4, (two,) * 4 + (right,) * 4)
    data = Data(
        task=Task.SPANS,
        sentences=(tuple("abcde"),) * 4 + (tuple("fghij"),) * 4 + (tuple("fghij"),) * 4,
        gold=gold + (five,) * 4,
        systems={"one": old + ((),) * 4, "b b": new + ((),) * 4},
    )
    assert set(change_rows(data, "one", "b b", "f1").scores) == {Fraction(1, 3), Fraction(0)}
    for direction in ("worsening", "improving"):
        compared_change(data, "f1", Asked(min_count=1), direction=direction, ratio=False)


@pytest.mark.parametrize(("values", "method"), [(4, "modal"), (11, "saddlepoint")])
def test_tails_of_many_items_are_approximated_and_of_few_counted(values: int, method: str) -> None:
    rng = np.random.default_rng(5)
    n = 108
    scores = tuple(rng.integers(0, values, n).astype(float) / values)
    words = [
        [w for w, often in (("half", 0.5), ("rare", 0.08), ("most", 0.9)) if rng.random() < often] + [f"u{i}"]
        for i in range(n)  # no two texts are equal, or the whole text would be a feature
    ]
    data = Data(task=Task.SCORES, fields=tuple((" ".join(own),) for own in words), systems={"one": scores})
    for direction in ("worst", "best"):
        compared(data, "mean", Asked(numbers=True), direction=direction)
    (found,) = features(data.evaluation(), top=0, fold=False, adjust=[]).lists
    methods = {feature.feature: feature.method for feature in found.features}
    assert (methods["in:half"], methods["in:rare"], methods["in:most"]) == (method, "counted", "counted")


@few
@given(scored(), asked(pairs=True))
def test_weaker_features_of_the_same_rows_are_folded(data: Data, options: Asked) -> None:
    evaluation = data.evaluation()
    plain = features(evaluation, top=0, fold=False, **options.options()).lists
    short = features(evaluation, top=0, **options.options()).lists
    for one, other in zip(plain, short, strict=True):
        own = item_features(data, one.system, options)
        slow = ranked(
            item_rows(data, one.system, "mean"), own, item_numbers(data, one.system, options), options, high=False
        )
        assume(not slow.unsure)
        order = [(name_of(feature), slow.listed[name_of(feature)].rows) for feature in one.features]
        shown = [(name_of(f), [called(name, slow) for name in f.folded]) for f in other.features]
        assert shown == folded(order)
        alone = {name_of(f): f for f in one.features}
        for feature in other.features:
            assert feature.p == alone[name_of(feature)].p
            assert feature.q == alone[name_of(feature)].q


def called(name: str, slow: Ranked) -> Name:
    """Return the listed feature of this name."""
    if "~~" in name:
        return pair_name(*name.split("~~"))
    return next(own for own in slow.listed if own.text == name)


def test_nine_tenths_are_the_same_rows_and_less_are_not() -> None:
    words = ["y z w"] * 8 + ["y z", "y"] + ["o"] * 10
    scores = tuple(k / 32 for k in range(20))
    data = Data(task=Task.SCORES, fields=tuple((text,) for text in words), systems={"one": scores})
    (found,) = features(data.evaluation(), top=0, min_count=2).lists
    folds = {feature.feature: feature.folded for feature in found.features}
    # the lowest ten are the strongest; z has nine of them, w eight, as the whole text
    assert (folds["in:y"], folds["in = y z w"]) == (("in:z",), ("in:w",))


@few
@given(labelled())
def test_confusions_stand_apart(data: Data) -> None:
    for one in features(data.evaluation(), min_count=2).lists:
        over = item_rows(data, one.system, "accuracy")
        ranker = Ranker(over)
        expected = sorted(
            (ranker.row(name, rows) for name, rows in confusions(data, one.system).items()),
            key=lambda row: (-row.n, row.name.text),
        )
        assert [(f.feature, f.n, f.mean, f.q) for f in one.confusions] == [
            (row.name.text, row.n, 0.0, None) for row in expected
        ]
        for feature, row in zip(one.confusions, expected, strict=True):
            near(feature.p, row.p, row)
            near(feature.raw_expected_improvement, row.raw_expected_improvement, row)
            assert feature.expected_improvement == feature.raw_expected_improvement  # they are not picked
        assert not any(feature.kind == "confusion" for feature in one.features)
    for one in features(data.evaluation(), direction="best").lists:
        assert one.confusions == ()


def test_the_shapes_of_the_definition() -> None:
    words = {"PCMCIA": "A+", "Poznań": "Aa+", "12.5": "99.9", "[(x": "(+a", "«É»": ".A.", "$€": "#+", "走": "#"}
    assert {word: shape(word) for word in words} == words
    data = Data(
        task=Task.SCORES,
        fields=tuple((word,) for word in words),
        systems={"one": tuple(map(float, range(len(words))))},
    )
    (found,) = features(data.evaluation(), tokenizer="whitespace", shapes=True, min_count=1, top=0).lists
    named = {name for feature in found.features for name in (feature.feature, *feature.folded)}
    assert {f"in:SHAPE:{sign}" for sign in words.values()} <= named


@given(st.lists(st.integers(0, 3).map(Fraction), min_size=4, max_size=9), st.data())
def test_the_reference_counts_what_can_be_listed(scores: list[Fraction], more: st.DataObject) -> None:
    """The distribution of the rank sum is that of all choices, one by one."""
    own = frozenset(more.draw(st.sets(st.integers(0, len(scores) - 1), min_size=1, max_size=len(scores) - 1)))
    over = Rows(list(range(len(scores))), scores, [(score, Fraction(1)) for score in scores], lambda sums: sums[0])
    for high in (False, True):
        ranker = Ranker(over, high)
        sums = [sum(ranker.ranks[i] for i in some) for some in combinations(range(len(scores)), len(own))]
        observed = sum(ranker.ranks[i] for i in own)
        share = Fraction(sum((s >= observed) if high else (s <= observed) for s in sums), len(sums))
        assert ranker.counted(own) == share
        if len(set(scores)) == 2:
            assert ranker.hypergeometric(own) == share


# ------------------------------------------------------------------ units


def compared_units(data: Data, options: Asked) -> None:
    system = "one"
    sides = ["gold"] if data.task is Task.LABELS else ["gold", "returned"]
    units = {side: unit_data(data, system, side) for side in sides}
    assume(all(own.places for own in units.values()))
    more = options.options() | {"numbers": False}
    if data.task in (Task.SPANS, Task.TOKENS):
        more["tokenizer"] = None  # units are made of the data's own tokens
    for direction in ("worst", "best"):
        lists = features(
            data.evaluation(),
            units=True,
            attributes=["label"],  # a feature of every unit already: no attributes besides
            only=system,
            direction=direction,
            top=0,
            fold=False,
            resamples=0,
            **more,
        ).lists
        assert [one.over for one in lists] == sides
        for one in lists:
            own = units[one.over]
            over = unit_rows([Fraction(right) for right in own.right])
            of_items = item_lengths(data, options)
            slow = ranked(
                over,
                unit_features(data, own.places, options),
                {},
                options,
                high=direction == "best",
                lengths=None if of_items is None else [of_items[item] for item, *_ in own.places],
                clusters=None if data.task is Task.LABELS else [item for item, *_ in own.places],
            )
            items = replaced_items(over, [item for item, *_ in own.places])
            assert_units_as_reference(one, slow, items)


def replaced_items(over: Rows, items: list[int]) -> Rows:
    return Rows(items, over.scores, over.statistics, over.finish)


def assert_units_as_reference(found: FeatureList, expected: Ranked, items: Rows) -> None:
    assert (found.n, found.tested) == (items.size, len(expected.tested))
    assert found.metric == ("recall" if found.over == "gold" else "precision")
    names = [name_of(feature) for feature in found.features]
    assert set(names) - expected.unsure == set(expected.listed) - expected.unsure
    for name, feature in zip(names, found.features, strict=True):
        if name in expected.listed:
            row = expected.listed[name]
            for field in (
                "n", "mean", "rest_mean", "metric", "raw_expected_improvement", "auc", "z", "chi2", "difference"
            ):  # fmt: skip
                near(getattr(feature, field), getattr(row, field), (field, row))
            assert_same_tests(feature, row, by_cluster=True)
            assert_shrunk(feature)
            having = {items.kept[i] for i in row.rows}
            assert set(feature.examples) <= having
            assert len(feature.examples) == min(3, len(having))


@few
@given(spans(), asked(pairs=True))
def test_units_of_spans(data: Data, options: Asked) -> None:
    compared_units(data, options)


@with_examples(4, shrink=False)
@given(spans(many=True), asked(adjust=None))
def test_units_within_strata_of_length(data: Data, options: Asked) -> None:
    compared_units(data, options)


@few
@given(st.one_of(tagged(), multilabelled(), labelled()), asked())
def test_units_of_other_tasks(data: Data, options: Asked) -> None:
    compared_units(data, options)


@few
@given(spans())
def test_gold_units_found_by_one_system_and_not_by_another(data: Data) -> None:
    old, new = (unit_data(data, name, "gold") for name in ("one", "b b"))
    assume(new.places)
    change = [Fraction(b) - Fraction(a) for a, b in zip(old.right, new.right, strict=True)]
    options = Asked(min_count=2)
    (found,) = features(
        data.evaluation(), units=True, attributes=["label"], direction="worsening", change=("one", "b b"),
        top=0, fold=False, resamples=0, min_count=2, adjust=[],
    ).lists  # fmt: skip
    clusters = [item for item, *_ in new.places]
    found_features = unit_features(data, new.places, options)
    slow = ranked(unit_rows(change), found_features, {}, options, high=False, clusters=clusters)
    assert_units_as_reference(found, slow, replaced_items(slow.over, [item for item, *_ in new.places]))


@few
@given(spans(documents=True))
def test_units_carry_an_interval_from_draws_of_clusters(data: Data) -> None:
    assert data.documents is not None
    documents = list(dict.fromkeys(data.documents))
    assume(len(documents) > 1)
    own = unit_data(data, "one", "gold")
    assume(own.places and unit_data(data, "one", "returned").places)
    options = Asked(min_count=1)
    found = features(data.evaluation(), units=True, attributes=["label"], only="one", top=0, fold=False, min_count=1,
                     resamples=200, seed=3, adjust=[]).lists[0]  # fmt: skip
    rows = unit_features(data, own.places, options)
    for feature in found.features[:4]:
        having = rows[Name(feature.kind, feature.feature)]
        cells: Any = np.zeros((len(documents), 4))
        for i, (item, *_) in enumerate(own.places):
            cells[documents.index(data.documents[item]), 2 * (i in having) :][:2] += (1, own.right[i])

        def difference(sums: Any) -> Any:
            n, right, n1, right1 = sums
            return right1 / n1 - right / n if n and n1 else math.nan

        lo, hi = widened_interval(cells, difference, (-1.0, 1.0), draws=200, seed=3, confidence=0.95)
        assert feature.ci == pytest.approx((lo, hi))
