"""What must hold for the buckets of every attribute of every task; a new one is tested the day it is listed."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from support.few_draws import few_draws
from support.profiles import with_examples
from support.slow_buckets import Data, data_of, same

from slicewise import buckets, score
from slicewise.annotations import Task
from slicewise.attributes import Of, catalogue
from slicewise.lenses.buckets.result import Measured
from slicewise.lenses.slicing.breakdown import Plan, Sliced, find_measure
from slicewise.metrics.counts import f_beta
from slicewise.results.estimates import Prf
from slicewise.stats.canonical import canonical_order
from slicewise.stats.tests import randomisation_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from support.commands import Write

    from slicewise.lenses.buckets.result import AttributeResult, Bucket, BucketsResult
    from slicewise.lenses.slicing.result import Extreme

TASKS = list(Task)
SETS = [task for task in Task if task.has_units]
DRAWS = 60
every_task = pytest.mark.parametrize("task", TASKS)
every_set_task = pytest.mark.parametrize("task", SETS)
drawn = with_examples(4, HealthCheck.filter_too_much, shrink=False)


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    """None of these laws depends on how many draws a test makes."""
    with few_draws(DRAWS):
        yield


def broken_down(data: Data, **options: Any) -> BucketsResult:
    metrics = ["exact-match"] if data.task is Task.TEXT else []
    return buckets(data.evaluation(), metrics=metrics, **{"resamples": 0, "seed": 3, **options})


def counts(bucket: Bucket, system: str) -> tuple[float, ...]:
    found = bucket.systems[system]
    return (found.n,) if isinstance(found, Measured) else (found.n_gold, found.n_pred, found.tp)


def corpus_counts(data: Data, unit: str, system: str) -> tuple[int, ...]:
    """Return n_gold, n_pred and tp of a kind of unit, or the number of items."""
    if not data.task.has_units:
        return (len(data.items),)
    gold, returned = data.expected, data.returned[system]
    if unit == "token" and data.task is Task.SPANS:
        gold, returned = data.token_units(gold), data.token_units(returned)
    return len(gold), len(returned), len(gold & returned)


def numbers(result: BucketsResult) -> dict[str, Any]:
    """Everything a result says about attributes and comparisons."""
    body = result.to_dict()["result"]
    return {name: body[name] for name in ("attributes", "comparisons", "findings", "overall", "absent")}


def assert_alike(one: Any, other: Any, where: str = "") -> None:
    """Compare two nests of dictionaries and lists; what differs is named."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name, value in one.items():
            assert_alike(value, other[name], f"{where}.{name}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_alike(a, b, f"{where}[{i}]")
    else:
        assert one == other, where


# ------------------------------------------------------------------ counts


@every_task
@drawn
@given(more=st.data())
def test_counts_add_up_to_the_corpus(task: Task, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    m = more.draw(st.sampled_from((None, 2, 3, 4, 7)))
    result = broken_down(data, buckets=m, resamples=15)
    assert {name for name, a in catalogue().items() if task in a.tasks} - {"confidence"} <= set(
        result.attributes
    ) | set(result.absent)
    for name, found in result.attributes.items():
        for system in data.systems:
            summed = tuple(map(sum, zip(*(counts(bucket, system) for bucket in found.buckets), strict=True)))
            expected = corpus_counts(data, found.unit, system)
            assert (summed or (0,) * len(expected)) == expected, (name, system)
        if found.kind == "number":
            pins = 2 if name in ("eCon", "tCon") else 1
            slots = [bucket for bucket in found.buckets if bucket.name != "missing"]
            assert len(slots) == max(m or 4, pins + 1), name
        assert_sound(found, name)
    for comparison in result.comparisons:
        assert_sound_extreme(comparison.largest)
        assert_sound_extreme(comparison.smallest)
        if comparison.largest.difference is not None and comparison.smallest.difference is not None:
            assert comparison.largest.difference >= comparison.smallest.difference
    body = json.loads(result.to_json())["result"]
    assert body["attributes"].keys() == result.attributes.keys()


def assert_sound(found: AttributeResult, name: str) -> None:
    """Bounds are in order, p and q are in theirs, names tell buckets apart."""
    assert len({bucket.name for bucket in found.buckets}) == len(found.buckets), name
    for bucket in found.buckets:
        for scored in bucket.systems.values():
            every = scored.ci or {} if isinstance(scored, Prf) else {"value": scored.ci}
            for measure, ci in every.items():
                assert ci is None or ci[0] <= ci[1], name
                assert ci is None or getattr(scored, measure) is not None, name
            empty = scored.n == 0 if isinstance(scored, Measured) else scored.n_gold + scored.n_pred == 0
            value = scored.value if isinstance(scored, Measured) else scored.f1
            assert (value is None) == empty, name
    for diagnosis in found.systems.values():
        assert diagnosis.ci is None or diagnosis.ci[0] <= diagnosis.ci[1]
        assert diagnosis.gap is None or 0 <= diagnosis.gap <= (diagnosis.raw_gap or 0.0) + 1e-12
        assert diagnosis.spearman is None or found.ordered
        assert_p(diagnosis.p, diagnosis.q)
        correlation = diagnosis.correlation
        if correlation is not None and correlation.value is not None:
            assert -1 <= correlation.value <= 1


def assert_sound_extreme(extreme: Extreme) -> None:
    assert (extreme.bucket is None) == (extreme.difference is None)
    assert extreme.ci is None or extreme.ci[0] <= extreme.ci[1]
    assert_p(extreme.p, extreme.q)
    assert extreme.p is None or extreme.p >= 1 / (1 + DRAWS)


def assert_p(p: float | None, q: float | None) -> None:
    assert (p is None) == (q is None)
    if p is not None and q is not None:
        assert 0 < p <= q <= 1


@every_task
@drawn
@given(more=st.data())
def test_every_unit_is_in_the_one_bucket_whose_values_it_has(task: Task, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    evaluation = data.evaluation()
    plan = Plan(buckets=more.draw(st.sampled_from((None, 2, 5))))
    measure = find_measure(evaluation, ["exact-match"] if task is Task.TEXT else [], 1.0)
    for described in Sliced(evaluation, plan, measure).described:
        way = plan.bucketing(described.attribute)
        gold = described.here.gold(described.attribute)
        cut_from = described.values if gold is None else [values.filter(gold) for values in described.values]
        made = way.cut(pl.concat(cut_from), pl.concat(described.values))
        pinned = [value for value, _ in made.pinned]
        rows = len(data.items) if described.rows is None else len(described.rows)
        for values in described.values:
            codes = made.assign(values)
            assert len(codes) == len(values) == rows
            for x, code in zip(values, codes.tolist(), strict=True):
                slot = made.slots[code]
                assert not slot.merged
                assert slot.missing == (x is None), described.attribute.name
                if x is None or not made.numeric:
                    shown = {True: "yes", False: "no"}.get(x, x) if isinstance(x, bool) else x
                    owners = [other.value for other in made.slots if other.value == shown and shown is not None]
                    assert slot.missing or (slot.value == shown if owners else slot.value is None)
                elif x in pinned:
                    assert slot.value == x
                else:
                    lo = max((cut for cut in made.cuts if cut < x), default=None)
                    hi = min((cut for cut in made.cuts if cut >= x), default=None)
                    assert slot.hi == hi or slot.value == hi, described.attribute.name
                    assert slot.lo == lo or slot.value == hi or (lo is None and slot.lo in pinned)


# ------------------------------------------------------------------ order, names and company


@every_task
@drawn
@given(more=st.data())
def test_the_order_of_items_and_predictions_makes_no_difference(task: Task, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    if task is Task.SPANS:  # whether a string stands earlier in its document depends on the order, and must
        data = replace(data, documents=None)
    other = data.take(more.draw(st.permutations(range(len(data.items))))).backwards()
    assert_alike(numbers(broken_down(data, resamples=15)), numbers(broken_down(other, resamples=15)))


@every_task
@drawn
@given(more=st.data())
def test_cuts_and_counts_do_not_depend_on_who_else_is_there(task: Task, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    assume(len(data.systems) > 1)
    left = more.draw(st.lists(st.sampled_from(sorted(data.systems)), min_size=1, unique=True))
    full, part = broken_down(data), broken_down(data.named({name: name for name in left}))
    for name, found in part.attributes.items():
        if name in catalogue() and catalogue()[name].of is Of.OUTPUT:
            continue  # it is a property of the systems' outputs, and all of them have a say in its cuts
        whole = full.attributes[name]
        assert (found.cuts, found.zeta) == (whole.cuts, whole.zeta), name
        slots = {bucket.name: (bucket.lo, bucket.hi, bucket.value) for bucket in whole.buckets}
        assert {bucket.name: (bucket.lo, bucket.hi, bucket.value) for bucket in found.buckets}.items() <= slots.items()
        for system in left:
            before = {bucket.name: counts(bucket, system) for bucket in whole.buckets}
            after = {bucket.name: counts(bucket, system) for bucket in found.buckets}
            assert {slot: n for slot, n in before.items() if any(n)} == {slot: n for slot, n in after.items() if any(n)}
            assert same(found.systems[system].std, whole.systems[system].std)


def larger(task: Task, seed: int) -> Data:
    """Twelve items and three systems, different enough that no two systems can be confused."""
    rng = np.random.default_rng(seed)
    words = np.array(["a", "b", "c", "d", "E"])
    sentences = [tuple(rng.choice(words, rng.integers(1, 6)).tolist()) for _ in range(30)]
    labels = ["X", "Y", "Z"]

    def answer(i: int, skill: float, gold: Any) -> Any:
        if task is Task.SCORES:
            return float(rng.random())
        if gold is not None and rng.random() < skill:
            return gold
        if task is Task.SPANS:
            at = int(rng.integers(len(sentences[i])))
            return ((at, at + 1, str(rng.choice(labels))),)
        if task is Task.TOKENS:
            return tuple(str(rng.choice(["O", *labels])) for _ in sentences[i])
        if task is Task.MULTILABEL:
            return tuple(labels[: rng.integers(1, 4)])
        return str(rng.choice(labels))

    n = 12
    gold = None if task is Task.SCORES else tuple(answer(i, 0.0, None) for i in range(n))
    systems = {
        name: tuple(answer(i, skill, None if gold is None else gold[i]) for i in range(n))
        for name, skill in (("m", 0.2), ("n", 0.5), ("o", 0.8))
    }
    whole = task in (Task.SPANS, Task.TOKENS)
    items: list[Any] = list(sentences) if whole else [" ".join(sentence) for sentence in sentences]
    train = tuple(answer(i, 0.0, None) for i in range(n, 30)) if task.has_units else ()
    return Data(
        task=task,
        items=tuple(items[:n]),
        gold=gold,
        systems=systems,
        train_items=tuple(items[n:]) if task.has_units else None,
        train=train,
        columns={"size": tuple(int(x) for x in rng.integers(0, 9, n))},
    )


@every_task
def test_the_order_and_the_names_of_systems_make_no_difference(task: Task) -> None:
    """Intervals and p-values too: the same numbers, under other names."""
    data = larger(task, 5)
    before = numbers(broken_down(data, resamples=25))
    turned = data.named({"o": "o", "m": "m", "n": "n"})
    assert numbers(broken_down(turned, resamples=25)) == before
    names = {"m": "*", "n": "^a.*$", "o": "ß"}  # in the same order by code points
    after = numbers(broken_down(data.named(names), resamples=25))
    for attribute, found in before["attributes"].items():
        other = after["attributes"][attribute]
        assert {names[name]: own for name, own in found["systems"].items()} == other["systems"]
        for bucket, slot in zip(found["buckets"], other["buckets"], strict=True):
            assert {names[name]: own for name, own in bucket["systems"].items()} == slot["systems"]
    assert [{**c, "a": names[c["a"]], "b": names[c["b"]]} for c in before["comparisons"]] == after["comparisons"]
    assert before["comparisons"]


@pytest.mark.parametrize("task", [Task.SPANS, Task.LABELS, Task.SCORES])
def test_a_pair_the_other_way_round_has_the_opposite_difference(task: Task) -> None:
    data = larger(task, 7)
    one = broken_down(data, resamples=25, compare=[("m", "o"), ("m", "n")])
    other = broken_down(data, resamples=25, compare=[("o", "m"), ("n", "m")])
    for ours, theirs in zip(one.comparisons, other.comparisons, strict=True):
        assert (ours.a, ours.b, ours.attribute) == (theirs.b, theirs.a, theirs.attribute)
        for a, b in ((ours.largest, theirs.smallest), (ours.smallest, theirs.largest)):
            assert (a.bucket, a.p, a.q) == (b.bucket, b.p, b.q)
            assert same(a.difference, None if b.difference is None else -b.difference)
            if a.ci is not None and b.ci is not None:
                assert a.ci == pytest.approx((-b.ci[1], -b.ci[0]), abs=1e-12)


# ------------------------------------------------------------------ against other views of the same data


def alike(units: pl.DataFrame) -> list[int]:
    """The same for all units."""
    return [7] * units.height


def is_first(units: pl.DataFrame) -> pl.Series:
    return units["item"] == 0


@every_set_task
@drawn
@given(more=st.data())
def test_a_bucket_that_holds_everything_scores_as_the_corpus(task: Task, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    assume(data.units)
    evaluation = data.evaluation()
    found = buckets(evaluation, attributes=[alike], resamples=0)
    scores = score(evaluation, resamples=0)
    for name, system in scores.systems.items():
        first, *rest = (bucket.systems[name] for bucket in found.attributes["alike"].buckets)
        assert system.micro is not None
        assert first == replace(system.micro, ci=None, undefined_draws=None)
        assert all(isinstance(other, Prf) and other.n_gold == other.n_pred == 0 and other.f1 is None for other in rest)
        assert found.overall[found.attributes["alike"].unit][name] == system.micro.f1


@pytest.mark.parametrize("task", [Task.SPANS, Task.MULTILABEL])
def test_the_p_of_a_bucket_is_that_of_its_units(task: Task) -> None:
    """One bucket has the first item, the other all the rest; one bucket alone would be all units, and no test."""
    data = larger(task, 9)
    evaluation = data.evaluation()
    assert {c.largest.p for c in buckets(evaluation, attributes=[alike], resamples=10).comparisons} == {None}
    result = buckets(evaluation, attributes=[is_first], resamples=10, seed=4)
    assert [b.name for b in result.attributes["is_first"].buckets] == ["no", "yes"]
    statistics = np.zeros((len(data.items), len(data.systems), 6))
    for s, returned in enumerate(data.returned.values()):
        for unit in data.expected | returned:
            own = slice(3, 6) if unit.item == 0 else slice(0, 3)
            statistics[unit.item, s, own] += (unit in data.expected & returned, unit in returned, unit in data.expected)
    pairs = np.array(list(combinations(range(3), 2)))
    ordered = statistics[canonical_order(statistics)]
    p, _ = randomisation_p(ordered[..., :3], f_beta, pairs, draws=DRAWS, seed=4)
    assert [c.buckets[0].p for c in result.comparisons] == p.tolist()
    assert len(set(p.tolist())) > 1


@every_set_task
@drawn
@given(more=st.data())
def test_the_buckets_of_labels_score_as_labels(task: Task, more: st.DataObject) -> None:
    evaluation = more.draw(data_of(task)).evaluation()
    found = buckets(evaluation, attributes=["label"], resamples=0).attributes["label"]
    for name, system in score(evaluation, resamples=0).systems.items():
        assert {b.value: b.systems[name] for b in found.buckets if any(counts(b, name))} == {
            label: replace(row, ci=None, undefined_draws=None) for label, row in system.labels.items()
        }


@pytest.mark.parametrize(
    ("task", "a", "b"),
    [
        (Task.SPANS, "sLen", "label"),
        (Task.SPANS, "eCon", "str"),
        (Task.SPANS, "tFre", "tCon"),
        (Task.TOKENS, "tCon", "sLen"),
        (Task.MULTILABEL, "oov", "labels"),
        (Task.TEXT, "size", "source"),
        (Task.SCORES, "source", "size"),
    ],
)
@drawn
@given(more=st.data())
def test_crossed_buckets_add_up_to_each_side(task: Task, a: str, b: str, more: st.DataObject) -> None:
    data = more.draw(data_of(task))
    assume(not task.has_units or data.units)
    assume(all(any(x is not None for x in column) for column in data.columns.values()))
    result = broken_down(data, attributes=[a, b], cross=[(a, b)])
    crossed = result.attributes[f"{a} × {b}"].buckets
    rows, columns = result.attributes[a].buckets, result.attributes[b].buckets
    assert len(crossed) == len(rows) * len(columns)
    for system in data.systems:
        table = np.array([counts(bucket, system) for bucket in crossed]).reshape(len(rows), len(columns), -1)
        assert table.sum(axis=1).tolist() == [list(counts(bucket, system)) for bucket in rows]
        assert table.sum(axis=0).tolist() == [list(counts(bucket, system)) for bucket in columns]


def test_what_is_crossed_is_found_as_any_attribute(write: Write) -> None:
    evaluation = larger(Task.SPANS, 3).evaluation()
    file = write("own.py", "def mine(units):\n    return units['end'].to_list()\n")
    for name, found in (("SLEN", "sLen"), ("sLen.v1", "sLen"), (f"{file}:mine", "mine")):
        result = buckets(evaluation, attributes=["label"], cross=[("label", name)], resamples=0)
        assert list(result.attributes) == ["label", f"label × {found}"]


def test_an_attribute_and_a_field_whose_names_differ_in_case_are_two() -> None:
    data = replace(larger(Task.LABELS, 3), columns={"Tokens": tuple(range(12))})
    result = broken_down(data, cross=[("tokens", "label")])
    assert {"tokens", "Tokens", "tokens × label"} <= set(result.attributes)


@pytest.mark.parametrize("task", [Task.SPANS, Task.LABELS, Task.SCORES])
@drawn
@given(more=st.data())
def test_cuts_shared_with_the_same_data_are_its_own(task: Task, more: st.DataObject) -> None:
    """Twice the same gold values have the same quantiles."""
    data = more.draw(data_of(task))
    own, shared = broken_down(data), broken_down(data, shared_with=[data.evaluation()])
    for name, found in own.attributes.items():
        assert found.cuts == shared.attributes[name].cuts, name
        assert found.buckets == shared.attributes[name].buckets, name


# ------------------------------------------------------------------ chance


def by_kind(scores: Sequence[float], kinds: Sequence[str], documents: Sequence[str] | None = None) -> BucketsResult:
    data = Data(
        task=Task.SCORES,
        items=("a",) * len(scores),
        gold=None,
        systems={"s": tuple(scores)},
        documents=None if documents is None else tuple(documents),
        columns={"kind": tuple(kinds)},
    )
    return buckets(data.evaluation(), attributes=["kind"], resamples=100)


@pytest.mark.parametrize(
    ("scores", "kinds", "documents"),
    [
        ((0.1, 0.1, 0.1, 0.3, 0.3, 0.7), "uuuvvw", None),
        ((1.0, 1.0, 1.0, 0.0, 0.0, 1.0), "uuuvvw", None),
        ((1.0, 1.0, 1.0, 0.0, 0.0, 0.01), "uuuvvv", None),
        ((1.0, 0.0, 0.3), "uvv", "eed"),
        ((-0.5, 0.25, 1.25, 1.0, -1.0), "uuvvw", "edeee"),
    ],
)
def test_a_handful_of_items_proves_nothing(scores: Sequence[float], kinds: str, documents: str | None) -> None:
    """Of six items, no way of dealing them out to two buckets is rarer than 1 in 20."""
    result = by_kind(scores, kinds, documents)
    assert result.findings == ()
    own = result.attributes["kind"].systems["s"]
    assert_p(own.p, own.q)


def test_chance_alone_makes_few_findings() -> None:
    """Kinds that mean nothing: q < 0.05 in about one run of twenty, not in every other."""
    runs = 40
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        kinds = [f"k{k}" for k in rng.integers(0, 8, 40)]
        found += bool(by_kind(rng.random(40).tolist(), kinds).findings)
    assert found <= 6  # more than 6 of 40 at a rate of 1 in 20: 0.3 %
