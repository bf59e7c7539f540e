"""What must hold of complementarity and difficulty, whatever the systems: by what is told, not by how it is made."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from support.profiles import with_examples
from support.slow_buckets import Data, same
from support.slow_outcomes import NAMES, Case, cases, crowd
from support.slow_scores import wilson

from slicewise import Evaluation, UserError, complement, difficulty, score
from slicewise.annotations import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

pytestmark = pytest.mark.hypothesis  # also where the data are drawn once for all laws
drawn = with_examples(5, shrink=False)
TASKS = list(Task)
every_task = pytest.mark.parametrize("task", TASKS)
every_set_task = pytest.mark.parametrize("task", [task for task in Task if task.has_units])
BETAS = (1.0, 2.0, 0.5, 0.1, 7.0)
RATES = {"comp": "wrong", "p_comp": "spurious", "r_comp": "missed"}


def told(result: Any) -> dict[str, Any]:
    return dict(result.to_dict()["result"])


def complemented(case: Case, **options: Any) -> dict[str, Any]:
    return told(complement(case.evaluation(), **{"resamples": 0, **case.options(), **options}))


def graded(case: Case, **options: Any) -> dict[str, Any]:
    return told(difficulty(case.evaluation(), **{"resamples": 0, "top": 0, **case.options(), **options}))


@dataclass(frozen=True)
class Drawn:
    """A case that was drawn, with what several laws ask of it; nothing of that may be changed."""

    case: Case

    @cached_property
    def complemented(self) -> dict[str, Any]:
        return complemented(self.case)

    @cached_property
    def graded(self) -> dict[str, Any]:
        return graded(self.case)


@cache
def drawn_of(task: Task) -> list[Drawn]:
    """Draw cases of a task: the same for every law, so that each is looked at once."""
    found: list[Case] = []

    for systems in ((2, 2), (3, 5)):

        @with_examples(4, shrink=False)
        @given(cases(task, systems=systems))
        def keep(case: Case) -> None:
            found.append(case)

        keep()
    return [Drawn(case) for case in found]


def by_pair(found: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["a"], row["b"]): row for row in found["pairs"]}


def of_two(found: Mapping[str, Any], kind: str, a: str, b: str) -> dict[str, Any]:
    """Return the union or the intersection of two systems."""
    (row,) = [row for row in found["ensembles"] if row["kind"] == kind and set(row["systems"]) == {a, b}]
    return dict(row)


def votes(found: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the votes of all systems by how many must agree."""
    return {row["k"]: row for row in found["ensembles"] if row["kind"] == "vote" and row["k"] is not None}


def counted(row: Mapping[str, Any], kind: str) -> Fraction | None:
    """Return the share of A's errors that B does not make, from the counts of a pair."""
    a, b, both = (row[f"{kind}_{side}"] for side in ("a", "b", "both"))
    if not b:
        return Fraction(1)
    return 1 - Fraction(both, a) if a else None


def part_of(whole: float, share: float | None) -> float:
    """Return a share of something; of nothing, nothing, whatever the share."""
    return whole * share if whole and share is not None else 0


# ------------------------------------------------------------------ complementarity


@every_task
def test_the_identities(task: Task) -> None:
    """Exactly, by the counts that are printed, and to 1e-12 by the rates that are."""
    for found in (own.complemented for own in drawn_of(task)):
        pairs = by_pair(found)
        for (a, b), row in pairs.items():
            for exact in (True, False):
                one, other = (rates(row, exact), rates(pairs[b, a], exact))
                assert_identities(found, row, one, other, 0 if exact else 1e-12)


def rates(row: Mapping[str, Any], exact: bool) -> dict[str, Any]:
    known = [name for name, kind in RATES.items() if row[f"{kind}_a"] is not None]
    return {name: counted(row, RATES[name]) if exact else row[name] for name in known}


def assert_identities(
    found: Mapping[str, Any], row: Mapping[str, Any], one: Mapping[str, Any], other: Mapping[str, Any], off: float
) -> None:
    a, b = row["a"], row["b"]

    def equal(left: Any, right: Any) -> None:
        assert abs(left - right) <= off * max(1, abs(left)), (row, left, right)

    union, both = of_two(found, "union", a, b), of_two(found, "intersection", a, b)
    # what both do wrong is the same seen from either side
    for name, kind in RATES.items():
        if name in one:
            left = part_of(row[f"{kind}_a"], 1 - (one[name] or 0))
            equal(left, part_of(row[f"{kind}_b"], 1 - (other[name] or 0)))
            equal(left, row[f"{kind}_both"])
    # recall(A∪B) − recall(A) = R(A,B)(1 − recall(A))
    if n_gold := union["n_gold"]:
        recall = Fraction(n_gold - row["missed_a"], n_gold)
        equal(Fraction(union["tp"], n_gold) - recall, part_of(1 - recall, one["r_comp"]))  # type: ignore[arg-type]
        equal(union["recall"] if off else Fraction(union["tp"], n_gold), Fraction(union["tp"], n_gold))
    if "p_comp" in one:
        # FP(A∩B) = FP(A)(1 − P(A,B));  FP(A∪B) = FP(A) + FP(B)·P(B,A)
        equal(both["n_pred"] - both["tp"], part_of(row["spurious_a"], 1 - (one["p_comp"] or 0)))
        equal(union["n_pred"] - union["tp"], row["spurious_a"] + part_of(row["spurious_b"], other["p_comp"]))
        equal(union["n_pred"] + both["n_pred"], of_system(row, "a") + of_system(row, "b"))
    equal(both["tp"], row["correct_both"])
    equal(union["tp"], row["correct_both"] + row["only_a"] + row["only_b"])


def of_system(row: Mapping[str, Any], side: str) -> int:
    """Return how many units a system returns."""
    return int(row["correct_both"] + row[f"only_{side}"] + row[f"spurious_{side}"])


@every_task
def test_rates_come_from_the_counts(task: Task) -> None:
    for own in drawn_of(task):
        check_rates(own.complemented)


def check_rates(found: Mapping[str, Any]) -> None:
    for row in (*found["pairs"], *found["slices"]):
        for name, kind in RATES.items():
            if row[f"{kind}_a"] is None:
                assert row[name] is None
                continue
            expected = counted(row, kind)
            assert same(row[name], None if expected is None else float(expected)), (row, name)
        if row["spurious_a"] is None:  # only misses exist
            assert row["comp"] == row["r_comp"]
            assert row["f_comp"] is None
        elif found["over"] == "units":
            for side in ("a", "b", "both"):
                assert row[f"wrong_{side}"] == row[f"missed_{side}"] + row[f"spurious_{side}"]


@every_set_task
def test_f_of_any_beta(task: Task) -> None:
    for own, beta in zip(drawn_of(task), cycle(BETAS), strict=False):
        check_f(by_pair(own.complemented), by_pair(complemented(own.case, beta=beta)), beta)


def check_f(one: Mapping[Any, dict[str, Any]], of_beta: Mapping[Any, dict[str, Any]], beta: float) -> None:
    for pair, row in of_beta.items():
        p, r = row["p_comp"], row["r_comp"]
        assert {k: v for k, v in row.items() if k != "f_comp"} == {k: v for k, v in one[pair].items() if k != "f_comp"}
        if p is None or r is None:
            assert row["f_comp"] is None
        elif p + r == 0:
            assert row["f_comp"] == 0
        else:
            assert same(row["f_comp"], (1 + beta**2) * p * r / (beta**2 * p + r))
            assert min(p, r) - 1e-12 <= row["f_comp"] <= max(p, r) + 1e-12


@every_task
@drawn
@given(more=st.data())
def test_slices_add_up(task: Task, more: st.DataObject) -> None:
    """By label, and by what an item is like, every unit is in one slice."""
    case = more.draw(cases(task, systems=(2, 3)))
    wanted = "sLen" if task in (Task.SPANS, Task.TOKENS) else "tokens"
    found = complemented(case, attributes=[wanted])
    kinds = ("wrong", "missed", "spurious")
    summed = [f"{kind}_{side}" for kind in kinds for side in ("a", "b", "both")] + ["correct_both", "only_a", "only_b"]
    named = {row["attribute"] for row in found["slices"]}
    assert named <= {"label", wanted}
    for attribute in named:
        for pair, row in by_pair(found).items():
            own = [s for s in found["slices"] if s["attribute"] == attribute and (s["a"], s["b"]) == pair]
            assert len({s["bucket"] for s in own}) == len(own)
            for key in summed:
                if row[key] is None:
                    assert all(s[key] is None for s in own)
                elif case.negative is None or "wrong" not in key:  # an item without a gold unit is in no slice
                    assert sum(s[key] for s in own) == row[key], (attribute, key, pair)


@every_set_task
def test_systems_score_what_they_score(task: Task) -> None:
    for own in drawn_of(task):
        check_scores(own.case, by_pair(own.complemented))


def check_scores(case: Case, pairs: Mapping[tuple[str, str], dict[str, Any]]) -> None:
    scores = told(score(case.evaluation(), resamples=0))["systems"]
    for (a, b), row in pairs.items():
        own = scores[a]["micro"]
        assert row["missed_a"] == pairs[b, a]["missed_b"] == own["n_gold"] - own["tp"]
        assert row["spurious_a"] == pairs[b, a]["spurious_b"] == own["n_pred"] - own["tp"]
        assert row["correct_both"] + row["only_a"] == own["tp"]
        assert row["missed_both"] + row["only_b"] == row["missed_a"]
        for key in ("wrong_both", "missed_both", "spurious_both", "correct_both"):
            assert row[key] == pairs[b, a][key]
        if case.task is Task.LABELS:
            accuracy = scores[a]["metrics"]["accuracy"]["value"]
            assert row["wrong_a"] == round(len(case.data.items) * (1 - accuracy))


@every_task
def test_what_systems_do_together(task: Task) -> None:
    """Votes are what the bins say, two votes are union and intersection, and nobody finds more than the oracle."""
    for own in drawn_of(task):
        check_votes(own.case, own.complemented, own.graded)


def check_votes(case: Case, found: Mapping[str, Any], bins: Mapping[str, Any]) -> None:
    task, size = case.task, len(case.data.systems)
    every, oracle = votes(found), found["oracle"]
    assert list(every) == list(range(1, size + 1))
    for k, row in every.items():
        assert row["tp"] == sum(bins["gold"]["totals"][k:])
        if task.has_units:
            assert row["n_pred"] - row["tp"] == sum(bins["spurious"]["totals"][k:])
    for one, other in pairwise(every.values()):
        assert one["tp"] >= other["tp"]
    assert oracle["tp"] == every[1]["tp"] == oracle["n_gold"] - bins["gold"]["totals"][0]
    if task.has_units:
        assert oracle["n_pred"] == oracle["tp"]
        assert oracle["precision"] == (1 if oracle["tp"] else None)
    for row in found["ensembles"]:
        assert row["tp"] <= oracle["tp"]
        assert row["n_gold"] == oracle["n_gold"]
    if size == 2:
        for k, kind in ((1, "union"), (2, "intersection")):
            two = of_two(found, kind, *case.data.systems)
            for key in ("n_gold", "n_pred", "tp", "precision", "recall", "f1"):
                assert every[k][key] == two[key]


@every_task
def test_every_further_system_adds_less(task: Task) -> None:
    for own in drawn_of(task):
        check_curve(own.complemented)


def check_curve(found: Mapping[str, Any]) -> None:
    curve, n_gold = found["curve"], found["oracle"]["n_gold"]
    added = [row["added"] for row in curve]
    assert added == sorted(added, reverse=True)
    assert [row["tp"] for row in curve] == [sum(added[: i + 1]) for i in range(len(added))]
    assert curve[-1]["tp"] == found["oracle"]["tp"]
    assert sorted(row["system"] for row in curve) == sorted(found["systems"])
    for i, row in enumerate(curve):
        missed = n_gold - sum(added[:i])
        assert same(row["recall"], row["tp"] / n_gold if n_gold else None)
        assert same(row["r_comp"], row["added"] / missed if missed else None)


# ------------------------------------------------------------------ difficulty


@every_task
def test_the_laws_of_bins(task: Task) -> None:
    for own in (*drawn_of(task), Drawn(crowd(task, 1)), Drawn(crowd(task, 6))):
        check_bins(own.case, own.graded)


def check_bins(case: Case, found: Mapping[str, Any]) -> None:
    task, own, size = case.task, case.outcomes, len(case.data.systems)
    for side in ("gold", "spurious") if task.has_units else ("gold",):
        totals, systems, shares = (found[side][key] for key in ("totals", "systems", "shares"))
        assert len(totals) == size + 1
        assert systems.keys() == shares.keys() == case.data.systems.keys()
        for n, total in enumerate(totals):
            assert sum(counts[n] for counts in systems.values()) == (n * total if n else 0)
        for name, counts in systems.items():
            assert len(counts) == len(shares[name]) == size + 1
            assert counts[0] == 0
            assert counts[size] == totals[size]
            assert all(0 <= n <= total for n, total in zip(counts, totals, strict=True))
            assert sum(counts) == len(own.right(name) if side == "gold" else own.spurious(name))
            for n, share in enumerate(shares[name]):
                assert same(share, counts[n] / totals[n] if totals[n] else None)
    assert sum(found["gold"]["totals"]) == len(own.gold)
    if task is Task.TOKENS:
        tokens = sum(map(len, case.data.items))
        assert found["spurious"]["totals"][0] == case.true_negatives <= tokens
    elif task.has_units:
        assert found["spurious"]["totals"][0] == 0


@every_task
def test_leaving_one_out(task: Task) -> None:
    for chance, own in enumerate(drawn_of(task)):
        systems = own.graded["gold"]["systems"]
        found = own.graded["leave_one_out"]
        assert (found is None) == (len(systems) < 3)
        for name, row in (found or {}).items():
            assert row["found"] == systems[name][1:]
        if len(systems) > 2:
            left = random.Random(chance).choice(sorted(systems))
            others = graded(own.case.named({other: other for other in systems if other != left}))["gold"]
            assert found[left]["totals"] == others["totals"]


@every_task
def test_single_contributions(task: Task) -> None:
    for own in drawn_of(task):
        check_contributions(own.graded)


def check_contributions(found: Mapping[str, Any]) -> None:
    totals, systems = found["gold"]["totals"], found["gold"]["systems"]
    assert sum(row["found"] for row in found["singular"].values()) == totals[1]
    for name, row in found["singular"].items():
        assert row["found"] == systems[name][1]
        assert same(row["share"], row["found"] / totals[1] if totals[1] else None)
        assert same(row["of_own"], row["found"] / sum(systems[name]) if sum(systems[name]) else None)


@every_task
def test_the_spread_of_surface_forms(task: Task) -> None:
    for own in (*drawn_of(task), Drawn(crowd(task, 1))):
        check_spread(own.graded)


def check_spread(found: Mapping[str, Any]) -> None:
    rows, totals = found["spread"], found["gold"]["totals"]
    lost = [row["lost"] for row in rows]
    assert lost == sorted(lost, reverse=True)
    for row in rows:
        assert sum(row["bins"]) == row["n"] >= 2
        assert 0 <= row["lost"] <= row["n"] / 2  # half of the mentions are at or above the lower median
        assert (row["lost"] == 0) == (not any(row["bins"][: lower_median(row["bins"])]))
    for n, total in enumerate(totals):
        assert sum(row["bins"][n] for row in rows) <= total


def lower_median(bins: Sequence[int]) -> int:
    mentions = [n for n, times in enumerate(bins) for _ in range(times)]
    return mentions[(len(mentions) - 1) // 2]


# ------------------------------------------------------------------ order and names


def together(found: Mapping[str, Any], *, votes_by_rank: bool = True) -> dict[str, Any]:
    """Return what a result of `complement` says, whatever the order; ties by name apart."""
    own: dict[str, Any] = {
        "over": found["over"],
        "pairs": {(row["a"], row["b"]): row for row in found["pairs"]},
        "slices": {
            (row["attribute"], row["bucket"], row["a"], row["b"]): row for row in found["slices"] if filled(row)
        },
        "ensembles": {
            (row["kind"], frozenset(row["systems"]), row["k"]): numbers(row)
            for row in found["ensembles"]
            if votes_by_rank or row["kind"] != "vote" or row["k"] is not None
        },
        "oracle": numbers(found["oracle"]),
    }
    if votes_by_rank:
        own["curve"] = [(row["system"], row["tp"], row["added"]) for row in found["curve"]]
        greedy = found["greedy"]
        own["greedy"] = greedy and (greedy["systems"], greedy["k"], numbers(greedy["in_sample"]))
    else:
        own["curve"] = [(row["tp"], row["added"]) for row in found["curve"][:1]]  # what comes next may hang on a tie
    return own


def filled(row: Mapping[str, Any]) -> bool:
    """Say whether a slice holds a unit of gold or of one of the two systems."""
    return bool(row["n_gold"] or row["wrong_a"] or row["wrong_b"] or row["spurious_a"] or row["spurious_b"])


def numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("n_gold", "n_pred", "tp", "precision", "recall", "f1")}


def bins(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a result of `difficulty` says, whatever the order."""
    own: dict[str, Any] = {key: found[key] for key in ("gold", "spurious", "leave_one_out")}
    own["singular"] = {name: (row["found"], row["share"], row["of_own"]) for name, row in found["singular"].items()}
    own["spread"] = {row["surface"]: (row["n"], row["bins"], row["lost"]) for row in found["spread"]}
    return own


@every_task
def test_the_order_of_systems_and_of_items_does_not_matter(task: Task) -> None:
    for turn, own in enumerate(drawn_of(task)):
        case, chance = own.case, random.Random(turn)
        names, items = list(case.data.systems), list(range(len(case.data.items)))
        chance.shuffle(names)
        chance.shuffle(items)
        moved = case.take(items).named({name: name for name in names})
        other = moved if turn % 2 else Case(case.data.backwards(), case.threshold, case.negative)
        assert together(complemented(other)) == together(own.complemented)
        assert bins(graded(other)) == bins(own.graded)


@every_task
def test_names_do_not_matter(task: Task) -> None:
    """New names in the order of the old ones change nothing else; in another order, they may break ties otherwise."""
    for own, rising in zip(drawn_of(task), cycle((True, False)), strict=False):
        old = sorted(own.case.data.systems)
        new = [f"new {k}" for k in range(len(old))][:: 1 if rising else -1]
        mapping = dict(zip(old, new, strict=True))
        other = own.case.named({name: mapping[name] for name in own.case.data.systems})
        one, two = (
            together(found, votes_by_rank=rising) for found in (renamed(own.complemented, mapping), complemented(other))
        )
        assert one == two
        assert bins(renamed(own.graded, mapping)) == bins(graded(other))


def renamed(found: Any, names: Mapping[str, str]) -> Any:
    """Return a result under other names of the systems; what is told in sentences is left out."""
    if isinstance(found, dict):
        kept = {k: v for k, v in found.items() if k not in ("findings", "questions", "units", "suspects")}
        return {names.get(k, k): v if k in ("bucket", "surface") else renamed(v, names) for k, v in kept.items()}
    if isinstance(found, list):
        if found and all(isinstance(one, str) and one in names for one in found):
            return [names[one] for one in found]
        return [renamed(one, names) for one in found]
    return names.get(found, found) if isinstance(found, str) else found


@pytest.mark.parametrize("task", [Task.SPANS, Task.TOKENS])
def test_restarts_take_part_once_or_each(task: Task) -> None:
    """What only a run has that takes no part counts nowhere."""
    words = [["a", "b"], ["c", "d", "e"], ["f"]]
    gold = [["B-X", "O"], ["B-Y", "I-Y", "O"], ["B-X"]]
    first = [["B-X", "O"], ["B-Y", "O", "O"], ["O"]]
    second = [["O", "O"], ["B-Y", "I-Y", "B-Q"], ["B-X"]]
    other = [["B-X", "B-X"], ["O", "O", "O"], ["B-X"]]
    runs = Evaluation.from_tags(words, gold, {"s": [first, second], "t": other}, task=task)
    once = Evaluation.from_tags(words, gold, {"s#1": first, "t": other}, task=task)
    each = Evaluation.from_tags(words, gold, {"s#1": first, "s#2": second, "t": other}, task=task)
    for restarts, plain in (("first", once), ("each", each)):
        found = told(complement(runs, restarts=restarts, resamples=0))
        assert together(found) == together(told(complement(plain, resamples=0)))
        graded = told(difficulty(runs, restarts=restarts, resamples=0))
        assert bins(graded) == bins(told(difficulty(plain, resamples=0)))


# ------------------------------------------------------------------ few and nothing


@every_task
def test_one_system(task: Task) -> None:
    case = crowd(task, 1)
    with pytest.raises(UserError, match="two"):
        complemented(case)
    found = graded(case)
    (name,) = case.data.systems
    assert len(found["gold"]["totals"]) == 2
    assert found["gold"]["systems"] == {name: [0, found["gold"]["totals"][1]]}
    assert found["leave_one_out"] is None
    own = found["singular"][name]
    assert own["found"] == found["gold"]["totals"][1]
    assert own["share"] == own["of_own"] == (1 if own["found"] else None)


NOTHING: dict[Task, Any] = {Task.SPANS: (), Task.TOKENS: ("O", "O"), Task.MULTILABEL: ()}
SOMETHING: dict[Task, Any] = {Task.SPANS: ((0, 1, "X"),), Task.TOKENS: ("O", "X"), Task.MULTILABEL: ("X",)}


def three(task: Task, gold: Any, *systems: Any) -> Case:
    """The same answers on two items."""
    items: tuple[Any, ...] = (("a", "b"),) * 2 if task in (Task.SPANS, Task.TOKENS) else ("a b",) * 2
    outputs = {name: (answer, answer) for name, answer in zip(NAMES, systems, strict=False)}
    return Case(Data(task=task, items=items, gold=(gold, gold), systems=outputs))


@pytest.mark.parametrize("task", NOTHING)
@pytest.mark.parametrize("resamples", [0, 20])
def test_no_units_at_all(task: Task, resamples: int) -> None:
    nothing = NOTHING[task]
    case = three(task, nothing, nothing, nothing, nothing)
    found = complemented(case, resamples=resamples)
    for row in found["pairs"]:
        assert [row[name] for name in ("comp", "p_comp", "r_comp", "f_comp")] == [1, 1, 1, 1]
        assert row["correct_both"] == row["missed_both"] == row["spurious_both"] == 0
    assert not found["slices"]
    for row in (*found["ensembles"], found["oracle"]):
        assert row["n_gold"] == row["n_pred"] == row["tp"] == 0
        assert row["precision"] is row["recall"] is row["f1"] is None
    assert all(row["recall"] is row["r_comp"] is None for row in found["curve"])
    bins = graded(case, resamples=resamples)
    assert bins["gold"]["totals"] == [0, 0, 0, 0]
    assert bins["spurious"]["totals"] == [4 if task is Task.TOKENS else 0, 0, 0, 0]
    assert bins["spread"] == []
    assert {tuple(shares) for shares in bins["gold"]["shares"].values()} == {(None,) * 4}


@pytest.mark.parametrize("task", NOTHING)
@pytest.mark.parametrize("resamples", [0, 20])
def test_no_gold_units(task: Task, resamples: int) -> None:
    case = three(task, NOTHING[task], SOMETHING[task], SOMETHING[task], NOTHING[task])
    one, same_as_one, silent = case.data.systems
    found = complemented(case, resamples=resamples)
    pairs = by_pair(found)
    assert [pairs[one, same_as_one][name] for name in ("comp", "p_comp", "r_comp", "f_comp")] == [0, 0, 1, 0]
    assert [pairs[one, silent][name] for name in ("comp", "p_comp", "r_comp", "f_comp")] == [1, 1, 1, 1]
    assert [pairs[silent, one][name] for name in ("comp", "p_comp", "r_comp", "f_comp")] == [None, None, 1, None]
    assert (found["oracle"]["tp"], found["oracle"]["n_pred"], found["oracle"]["f1"]) == (0, 0, None)
    assert {k: (row["n_pred"], row["precision"], row["recall"]) for k, row in votes(found).items()} == {
        1: (2, 0, None),
        2: (2, 0, None),
        3: (0, None, None),
    }
    bins = graded(case, resamples=resamples)
    assert bins["gold"]["totals"] == [0, 0, 0, 0]
    assert bins["spurious"]["totals"] == [2 if task is Task.TOKENS else 0, 0, 2, 0]


@every_task
def test_no_items(task: Task) -> None:
    systems = {"a": (), "b": (), "c": ()}
    case = Case(Data(task=task, items=(), gold=None if task is Task.SCORES else (), systems=systems))
    found = complemented(case, resamples=20)
    assert all(row["missed_both"] == 0 and row["r_comp"] == 1 for row in found["pairs"])
    assert found["oracle"]["tp"] == 0
    assert graded(case, resamples=20)["gold"]["totals"] == [0, 0, 0, 0]


# ------------------------------------------------------------------ intervals


@every_task
@with_examples(4, shrink=False)
@given(more=st.data())
def test_intervals_are_sensible(task: Task, more: st.DataObject) -> None:
    """With a system twice: the two have no error that the other has not."""
    case = more.draw(cases(task, systems=(2, 3)))
    first = next(iter(case.data.systems))
    systems = {**case.data.systems, "again": case.data.systems[first]}
    case = Case(Data(**{**vars_of(case.data), "systems": systems}), case.threshold, case.negative)
    found = complemented(case, resamples=200)
    plain = complemented(case)
    for row, other in zip(found["pairs"], plain["pairs"], strict=True):
        assert other["ci"] is None
        for name in ("comp", "p_comp", "r_comp", "f_comp"):
            assert row[name] == other[name]
            ci = None if row["ci"] is None else row["ci"][name]
            if ci is not None:
                assert row[name] is not None, (name, row)
                assert 0 <= ci[0] <= ci[1] <= 1
                if {row["a"], row["b"]} == {first, "again"} and row[name] == 0:
                    assert ci[0] == 0, (name, row)
                    assert (ci[1] > 0) == (name != "f_comp"), (name, row)  # no proportion: all draws are 0
    twins = by_pair(found)[first, "again"]
    for name, kind in RATES.items():
        if twins[f"{kind}_a"]:
            assert twins[name] == 0
    for row in (*found["ensembles"], *found["systems"].values()):
        for name, ci in (row["ci"] or {}).items():
            assert ci is None or (row[name] is not None and 0 <= ci[0] <= ci[1] <= 1), (name, row)


def vars_of(data: Data) -> dict[str, Any]:
    return {name: getattr(data, name) for name in data.__dataclass_fields__}


@pytest.mark.parametrize("task", [Task.SPANS, Task.LABELS, Task.SCORES])
def test_twins_have_intervals_from_nothing_on(task: Task) -> None:
    """That n errors are shared does not make certain that the next is; where there are none, nothing can be drawn."""
    case = crowd(task, 2, items=60, seed=5)
    case = case.named({"s0": "s0"})
    systems = {**case.data.systems, "twin": case.data.systems["s0"]}
    case = Case(Data(**{**vars_of(case.data), "systems": systems}))
    for row in complemented(case, resamples=200)["pairs"]:
        assert row["comp"] == 0
        for name, kind in RATES.items():
            if name == "p_comp" and task is Task.SCORES:
                assert row["ci"][name] is None
                continue
            lo, hi = row["ci"][name]
            assert lo == 0
            assert hi == pytest.approx(wilson(0.0, row[f"{kind}_a"], student.isf(0.025, len(case.data.items) - 1))[1])


@pytest.mark.parametrize("task", [Task.SPANS, Task.MULTILABEL, Task.LABELS, Task.SCORES])
def test_intervals_do_not_depend_on_order_or_names(task: Task) -> None:
    case = crowd(task, 4, items=40, seed=2)
    names = list(case.data.systems)
    one = complemented(case, resamples=100)
    assert one["pairs"][0]["ci"]["r_comp"][0] < one["pairs"][0]["ci"]["r_comp"][1]
    for other in (case.named({n: n for n in reversed(names)}), case.take([*range(20, 40), *range(20)])):
        assert by_pair(complemented(other, resamples=100)) == by_pair(one)
    mapping = dict(zip(names, "dcba", strict=True))
    assert by_pair(complemented(case.named(mapping), resamples=100)) == by_pair(renamed(one, mapping))
    assert complemented(case, resamples=100) == one
    assert by_pair(complemented(case, resamples=100, seed=1)) != by_pair(one)


def test_no_name_moves_the_interval_of_a_gain() -> None:
    """Two systems that are equally good on other items: which of them comes first by name does not matter."""
    words = [["w"]] * 30
    gold = [["B-X"]] * 30
    one = [["B-X" if i < 10 or i in (20, 21) else "O"] for i in range(30)]
    two = [["B-X" if 8 <= i < 20 else "O"] for i in range(30)]
    three = [["B-X" if i % 3 == 0 else "O"] for i in range(30)]
    found = []
    for names in ("abc", "bac", "cba"):
        systems = dict(zip(names, (one, two, three), strict=True))
        result = told(complement(Evaluation.from_tags(words, gold, systems, task=Task.SPANS), resamples=100))
        (two_votes,) = [row for row in result["ensembles"] if row["kind"] == "vote" and row["k"] == 2]
        found.append(two_votes["gain_ci"])
        assert two_votes["against"] == min(names[:2])
    assert found[0][0] < found[0][1]
    assert found[0] == found[1] == found[2]
