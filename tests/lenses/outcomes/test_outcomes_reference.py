"""Complementarity and difficulty against the slow reference: random data, many systems, and real ones."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_buckets import Counts, Data, Row, default_way, describe, same, sorted_into
from support.slow_outcomes import (
    LABELS,
    Case,
    Ensemble,
    Outcomes,
    cases,
    crowd,
    curve,
    ensembles,
    gold_bins,
    left_out,
    oracle,
    pair,
    pairs,
    singular,
    spread,
    spurious_bins,
    vote,
)
from support.slow_scores import conlleval_spans

from slicewise import Evaluation, complement, difficulty, load
from slicewise.annotations import Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from support.slow_outcomes import Bins

drawn = with_examples(7, shrink=False)
every_task = pytest.mark.parametrize("task", list(Task))
BETAS = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))


def complemented(case: Case, evaluation: Evaluation | None = None, **options: Any) -> dict[str, Any]:
    """Return the `result` of complementarity."""
    found = complement(evaluation or case.evaluation(), **{"resamples": 0, **case.options(), **options})
    return dict(found.to_dict()["result"])


def graded(case: Case, evaluation: Evaluation | None = None, **options: Any) -> dict[str, Any]:
    """Return the `result` of difficulty."""
    found = difficulty(evaluation or case.evaluation(), **{"resamples": 0, "top": 0, **case.options(), **options})
    return dict(found.to_dict()["result"])


# ------------------------------------------------------------------ comparing


def assert_rates(found: Mapping[str, Any], expected: Mapping[str, Any], where: object) -> None:
    """Compare counts exactly, and rates to 1e-12."""
    for name, value in expected.items():
        if value is None or isinstance(value, Fraction):
            assert same(found[name], None if value is None else float(value)), (where, name, found[name], value)
        else:
            assert found[name] == value, (where, name)


def assert_scored(found: Mapping[str, Any], counts: Counts, own: Outcomes, where: object) -> None:
    """Compare what a set of units scores; of scored items only recall is known."""
    assert (found["n_gold"], found["tp"]) == (counts.n_gold, counts.tp), where
    assert same(found["recall"], counts.recall), where
    if own.misses_only:
        assert found["precision"] is found["f1"] is found["n_pred"] is None, where
        return
    assert found["n_pred"] == counts.n_pred, where
    assert same(found["precision"], counts.precision), where
    assert same(found["f1"], counts.f1), where


def said(own: Outcomes, expected: dict[str, Any]) -> dict[str, Any]:
    """Return a pair as it is told; nothing is known of the spurious items of scored tasks."""
    unknown = ("spurious_a", "spurious_b", "spurious_both") if own.misses_only else ()
    return expected | dict.fromkeys(unknown)


def assert_pairs(found: Sequence[Mapping[str, Any]], own: Outcomes, beta: Fraction = Fraction(1)) -> None:
    expected = pairs(own, beta)
    assert {(row["a"], row["b"]) for row in found} == expected.keys()
    assert len(found) == len(expected)
    for row in found:
        assert_rates(row, said(own, expected[row["a"], row["b"]]), (row["a"], row["b"]))
        assert row["ci"] is None


def assert_label_slices(found: Sequence[Mapping[str, Any]], own: Outcomes) -> None:
    """Compare the slices of every label that gold or a system has; one alone is no slice."""
    labels = {unit.label for unit in own.everything}
    labels = labels if len(labels) > 1 else set()
    rows = {(row["bucket"], row["a"], row["b"]): row for row in found if row["attribute"] == "label"}
    assert rows.keys() == {(label, a, b) for label in labels for a, b in pairs(own)}
    for (label, a, b), row in rows.items():
        within = own.within({unit for unit in own.everything if unit.label == label})
        assert_rates(row, pair(within, a, b), (label, a, b))


def assert_together(found: Mapping[str, Any], case: Case) -> None:
    """Compare ensembles, the oracle, and the curve."""
    own, expected = case.outcomes, ensembles(case)
    rows = {Ensemble(row["kind"], tuple(sorted(row["systems"])), row["k"]): row for row in found["ensembles"]}
    assert rows.keys() == expected.keys()
    assert len(found["ensembles"]) == len(expected)
    for ensemble, counts in expected.items():
        assert_scored(rows[ensemble], counts, own, ensemble)
        if ensemble.kind != "vote":
            assert tuple(rows[ensemble]["systems"]) == ensemble.systems  # by code points
    assert_scored(found["oracle"], oracle(own), own, "oracle")
    steps = curve(own)
    assert [row["system"] for row in found["curve"]] == [step.system for step in steps]
    for row, step in zip(found["curve"], steps, strict=True):
        assert_rates(row, step._asdict(), step)


def assert_greedy(found: Mapping[str, Any] | None, case: Case) -> None:
    """The vote that was chosen scores what it is said to, and at least what the best system does."""
    own = case.outcomes
    if found is None:
        assert own.misses_only or not own.gold or len(own.names) < 2
        return
    members = found["systems"]
    assert len(set(members)) == len(members) >= 1
    assert set(members) <= set(own.names)
    if found["k"] is None:
        assert case.task is Task.LABELS
        expected = ensembles(case.named({name: name for name in members}))[Ensemble("vote", tuple(sorted(members)))]
    else:
        expected = own.counts(vote(own, members, found["k"]))
    assert_scored(found["in_sample"], expected, own, "greedy")
    best = max(own.f1(name) for name in own.names)
    assert found["in_sample"]["f1"] >= float(best) - 1e-12
    assert found["cross_validated"]["n_gold"] == len(own.gold)
    assert found["folds"] >= 1


def assert_complement(case: Case, found: Mapping[str, Any]) -> None:
    own = case.outcomes
    assert found["over"] == own.over
    assert_pairs(found["pairs"], own)
    if own.misses_only:
        assert not found["slices"]
    else:
        assert_label_slices(found["slices"], own)
    assert_together(found, case)
    assert_greedy(found["greedy"], case)


def assert_bins(found: Mapping[str, Any], expected: Bins) -> None:
    assert found["totals"] == expected.totals
    assert found["systems"] == expected.systems
    assert found["shares"].keys() == expected.systems.keys()
    for name, shares in expected.shares().items():
        assert len(found["shares"][name]) == len(shares)
        for n, share in enumerate(shares):
            assert same(found["shares"][name][n], None if share is None else float(share)), (name, n)


def assert_spread(found: Sequence[Mapping[str, Any]], case: Case) -> None:
    expected = spread(case)
    rows = {row["surface"]: row for row in found}
    assert len(rows) == len(found)
    assert rows.keys() == expected.keys()
    for surface, row in rows.items():
        assert_rates(row, expected[surface]._asdict(), surface)
    lost = [expected[row["surface"]].lost for row in found]
    assert lost == sorted(lost, reverse=True)


def assert_difficulty(case: Case, found: Mapping[str, Any]) -> None:
    own = case.outcomes
    assert_bins(found["gold"], gold_bins(own))
    if not own.misses_only:
        assert_bins(found["spurious"], spurious_bins(case))
    if len(own.names) < 3:
        assert found["leave_one_out"] is None
    else:
        assert found["leave_one_out"].keys() == set(own.names)
        for name, row in found["leave_one_out"].items():
            totals, has = left_out(own, name)
            assert (row["totals"], row["found"]) == (totals, has), name
            for part, whole, share in zip(has, totals, row["shares"], strict=True):
                assert same(share, part / whole if whole else None), name
    assert found["singular"].keys() == set(own.names)
    for name, row in found["singular"].items():
        assert_rates(row, singular(own, name)._asdict(), name)
    assert_spread(found["spread"], case)


# ------------------------------------------------------------------ random data


@every_task
@with_examples(10, shrink=False)
@given(more=st.data())
def test_complementarity(task: Task, more: st.DataObject) -> None:
    case = more.draw(cases(task))
    assert_complement(case, complemented(case))


@every_task
@drawn
@given(more=st.data())
def test_difficulty(task: Task, more: st.DataObject) -> None:
    case = more.draw(cases(task, systems=(1, 5)))
    assert_difficulty(case, graded(case))


@pytest.mark.parametrize(
    ("size", "task"), [(size, task) for size in range(2, 10) for at, task in enumerate(Task) if (size + at) % 3 == 0]
)
def test_two_to_nine_systems(task: Task, size: int) -> None:
    case = crowd(task, size, items=9, seed=size)
    evaluation = case.evaluation()
    assert_complement(case, complemented(case, evaluation))
    assert_difficulty(case, graded(case, evaluation))


@pytest.mark.parametrize(("task", "size"), [(Task.LABELS, 33), (Task.SPANS, 65), (Task.SCORES, 130)])
def test_more_systems_than_a_number_has_bits(task: Task, size: int) -> None:
    """Single pairs are looked at, since there are thousands."""
    case = crowd(task, size, items=6, seed=size, labels=LABELS if task is Task.LABELS else LABELS[:1])
    own, found = case.outcomes, complemented(case)
    assert len(found["pairs"]) == size * (size - 1)
    for row in found["pairs"][:: max(1, size // 4)]:
        assert_rates(row, said(own, pair(own, row["a"], row["b"])), (row["a"], row["b"]))
    assert_together(found, case)
    assert_greedy(found["greedy"], case)


@pytest.mark.parametrize("different", [None, 3])
@pytest.mark.parametrize(("task", "size"), [(Task.TOKENS, 64), (Task.MULTILABEL, 65), (Task.SPANS, 130)])
def test_bins_of_more_systems_than_a_number_has_bits(task: Task, size: int, different: int | None) -> None:
    """Also where units differ in the first systems only, far from the last."""
    case = crowd(task, size, items=6, seed=size, different=different)
    assert_difficulty(case, graded(case))


@drawn
@given(cases(Task.SPANS), st.sampled_from(BETAS))
def test_other_betas(case: Case, beta: Fraction) -> None:
    assert_pairs(complemented(case, beta=float(beta))["pairs"], case.outcomes, beta)


ATTRIBUTES = {Task.SPANS: ("eLen", "sLen", "str"), Task.TOKENS: ("sLen", "str"), Task.LABELS: ("tokens",)}


@pytest.mark.parametrize("task", ATTRIBUTES)
@with_examples(8, shrink=False)
@given(more=st.data())
def test_slices_by_attributes(task: Task, more: st.DataObject) -> None:
    """Buckets that hold no unit may be told or not."""
    case = more.draw(cases(task, systems=(2, 3)).filter(lambda case: case.negative is None and "" not in said_by(case)))
    own = case.outcomes
    found = complemented(case, attributes=list(ATTRIBUTES[task]))["slices"]
    for name in ATTRIBUTES[task]:
        rows = describe(case.data, name)
        inside = [some for some in sorted_into(default_way(name).slots(rows), rows) if some]
        for a, b in pairs(own):
            ours = [row for row in found if (row["attribute"], row["a"], row["b"]) == (name, a, b)]
            filled = [row for row in ours if row["n_gold"] or row["wrong_a"] or row["wrong_b"] or of_others(row)]
            told = [some for some in inside if any(is_told(row, a, b) for row in some)]
            assert len(filled) == len(told), (name, a, b)
            for row, some in zip(filled, told, strict=True):
                assert_rates(row, pair(own.within({one.unit for one in some}), a, b), (name, a, b))


def said_by(case: Case) -> set[Any]:
    return {answer for answers in case.data.systems.values() for answer in answers}


def of_others(row: Mapping[str, Any]) -> bool:
    return bool(row["spurious_a"] or row["spurious_b"])


def is_told(row: Row, a: str, b: str) -> bool:
    """Say whether a unit counts for a pair: gold has it, or one of the two."""
    return row.gold or bool(row.systems & {a, b})


# ------------------------------------------------------------------ by hand


def two(gold: Sequence[Any], a: Sequence[Any], b: Sequence[Any]) -> Case:
    """Entities of one token each, at the given places of one sentence."""

    def spans(places: Sequence[Any]) -> tuple[Any, ...]:
        return (tuple((at, at + 1, "X") for at in places),)

    words = tuple("abcdefgh")
    return Case(Data(task=Task.SPANS, items=(words,), gold=spans(gold), systems={"A": spans(a), "B": spans(b)}))


@pytest.mark.parametrize(
    ("case", "a_to_b", "b_to_a"),
    [
        # (Comp, P, R, F) by what is wrong of A and of B
        (two([0, 1], [0, 1], [0, 1]), (1, 1, 1, 1), (1, 1, 1, 1)),  # nothing: B's is empty
        (two([0, 1], [0], [0, 1]), (1, 1, 1, 1), (None, 1, None, None)),  # A misses one
        (two([0, 1], [0, 1, 2], [0, 1]), (1, 1, 1, 1), (None, None, 1, None)),  # A has one too many
        (two([0, 1], [0, 2], [1, 2]), (0.5, 0, 1, 0), (0.5, 0, 1, 0)),  # each another miss, the same too many
        (two([0, 1], [2], [2]), (0, 0, 0, 0), (0, 0, 0, 0)),  # P + R = 0
        (two([0, 1, 2, 3], [0, 4, 5], [1, 5]), (0.4, 0.5, 1 / 3, 0.4), (0.25, 0, 1 / 3, 0)),
        (two([], [0], [1]), (1, 1, 1, 1), (1, 1, 1, 1)),  # no gold: nobody misses anything
        (two([], [], []), (1, 1, 1, 1), (1, 1, 1, 1)),
    ],
)
def test_edge_cases(case: Case, a_to_b: tuple[float | None, ...], b_to_a: tuple[float | None, ...]) -> None:
    found = {(row["a"], row["b"]): row for row in complemented(case)["pairs"]}
    for key, expected in ((("A", "B"), a_to_b), (("B", "A"), b_to_a)):
        row = found[key]
        for name, value in zip(("comp", "p_comp", "r_comp", "f_comp"), expected, strict=True):
            assert same(row[name], value), (key, name)
    assert_complement(case, complemented(case))


def test_a_tie_goes_to_the_better_system_and_silence_is_no_vote() -> None:
    """The better system is the last one, and it speaks on three items only."""
    systems = {
        "a": ("X", "X", "Y", "Y", "Y"),
        "b": ("Y", "Y", "X", "", ""),
        "c": ("Z", "X", "", "Y", ""),
        "best": ("Y", "X", "Z", "X", ""),
    }
    case = Case(Data(task=Task.LABELS, items=("",) * 5, gold=("Y", "X", "Z", "X", "Z"), systems=systems))
    (found,) = [row for row in complemented(case)["ensembles"] if row["kind"] == "vote" and row["k"] is None]
    # Y (2 of 4), X (3 of 4), Z (the best of three), Y (2 of 3), Y (the only one who speaks)
    assert (found["tp"], found["n_pred"], found["n_gold"]) == (3, 5, 5)
    assert_complement(case, complemented(case))


def test_ignored_labels_are_voted_for_but_make_no_unit() -> None:
    gold = ["X", "Y", "X", "Z"]
    systems = {"a": ["X", "Y", "Y", "Z"], "b": ["X", "X", "X", "Y"], "c": ["Y", "Y", "X", "X"]}
    for option in ({"ignore": ["X"]}, {"negative_label": "X"}):
        found = complement(Evaluation.from_labels(gold, systems, **option), resamples=0)
        (row,) = [one for one in found.ensembles if one.kind == "vote" and one.k is None]
        # X, Y, X, Z (of three, that of the best system)
        assert (row.n_gold, row.n_pred, row.tp) == (2, 2, 2), option


# ------------------------------------------------------------------ real systems


def columns_of(path: Path) -> tuple[list[tuple[str, ...]], list[list[str]]]:
    """Return the words of each sentence and its tags: the first and the last cell of a line."""
    sentences: list[list[list[str]]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            sentences[-1].append(line.split())
        else:
            sentences.append([])
    filled = [rows for rows in sentences if rows]
    return [tuple(row[0] for row in rows) for rows in filled], [[row[-1] for row in rows] for rows in filled]


def test_seven_systems_for_emerging_entities(shared_data: Path) -> None:
    folder = shared_data / "wnut17"
    files = {path.stem: path for path in sorted((folder / "systems").glob("*.conll"))}
    assert len(files) == 7
    items, _ = columns_of(folder / "test.conll")

    def spans(path: Path) -> tuple[Any, ...]:
        found: list[list[tuple[int, int, str]]] = [[] for _ in items]
        for item, start, end, label in conlleval_spans(columns_of(path)[1]):
            found[item].append((start, end, label))
        return tuple(map(tuple, found))

    data = Data(
        task=Task.SPANS,
        items=tuple(items),
        gold=spans(folder / "test.conll"),
        systems={name: spans(path) for name, path in files.items()},
    )
    case = Case(data)
    evaluation = load(gold=folder / "test.conll", systems={name: str(path) for name, path in files.items()})
    assert len(case.outcomes.gold) == evaluation.summary()["gold_units"] == 1079
    assert_complement(case, complemented(case, evaluation))
    assert_difficulty(case, graded(case, evaluation))


def test_two_systems_for_sentiment(shared_data: Path) -> None:
    folder = shared_data / "sst2"
    rows = [line.split("\t") for line in (folder / "sst2-dataset.tsv").read_text(encoding="utf-8").strip().split("\n")]
    files = {name: folder / f"sst2-{name}-output.txt" for name in ("lstm", "cnn")}
    systems = {name: tuple(path.read_text(encoding="utf-8").split()) for name, path in files.items()}
    texts = tuple(row[0] for row in rows)
    case = Case(Data(task=Task.LABELS, items=texts, gold=tuple(row[1] for row in rows), systems=systems))
    evaluation = load(
        gold=f"{folder}/sst2-dataset.tsv:2", inputs=f"{folder}/sst2-dataset.tsv:1", systems=files, task="labels"
    )
    assert_complement(case, complemented(case, evaluation))
    assert_difficulty(case, graded(case, evaluation))


def test_four_models_for_questions(shared_data: Path) -> None:
    log = shared_data / "gsm8k" / "example_model_solutions.jsonl"
    models = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").strip().split("\n")]
    systems = {name: tuple(float(row[name]["is_correct"]) for row in rows) for name in models}
    case = Case(Data(task=Task.SCORES, items=tuple(row["question"] for row in rows), gold=None, systems=systems))
    evaluation = load(
        inputs=f"{log}:question", systems={name: f"{log}:{name}.is_correct" for name in models}, task="scores"
    )
    assert_complement(case, complemented(case, evaluation))
    assert_difficulty(case, graded(case, evaluation))
