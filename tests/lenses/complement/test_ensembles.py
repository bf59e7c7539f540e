"""Votes by hand: plurality and its ties, members that are chosen one by one, clusters that are left out."""

from __future__ import annotations

import json
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import slicewise
from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.lenses.complement.votes import MOST_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.commands import Write

    from slicewise.lenses.complement.result import ComplementResult, EnsembleScore, Greedy


def of_sets(gold: str, systems: dict[str, str], documents: Sequence[str] | None = None) -> Evaluation:
    """Return items of one or no label; capitals are units of gold, other letters are none of gold's.

    Every letter is an item: gold has `X` there if it is a capital of `gold`, and a system returns `X` at the items
    that it names.
    """
    items = sorted({letter for text in (gold, *systems.values()) for letter in text})
    place = {letter: i for i, letter in enumerate(items)}

    def sets(letters: str) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in items]
        for letter in letters:
            found[place[letter]] = ["X"]
        return found

    has = {name: sets(letters) for name, letters in systems.items()}
    return Evaluation.from_labels(sets(gold), has, clusters=documents, task=Task.MULTILABEL)


def of_labels(gold: str, systems: dict[str, str], **options: Any) -> Evaluation:
    """Return an item per letter; a space is no answer."""
    answers = {name: [None if x == " " else x for x in text] for name, text in systems.items()}
    return Evaluation.from_labels(list(gold), answers, **options)


def counts(one: EnsembleScore) -> tuple[int, int | None, int]:
    return one.tp, one.n_pred, one.n_gold


def chosen(result: ComplementResult) -> Greedy:
    assert result.greedy is not None
    return result.greedy


def plurality(result: ComplementResult) -> EnsembleScore:
    (found,) = [one for one in result.ensembles if one.kind == "vote" and one.k is None]
    return found


def written(evaluation: Evaluation, path: Any, ensemble: str = "plurality") -> str:
    """Return the labels of an ensemble's file as letters."""
    slicewise.complement(evaluation, resamples=0, write_ensemble=path, ensemble=ensemble)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return "".join(record["label"] or " " for record in records)


# ---------------------------------------------------------------------- plurality


def test_most_votes_win(tmp_path: Any) -> None:
    evaluation = of_labels("abcd", {"x": "abca", "y": "abaa", "z": "cbab"})
    result = slicewise.complement(evaluation, resamples=0)
    # a (2 of 3), b (3), a (2 of 3, wrong), a (2 of 3, wrong)
    assert counts(plurality(result)) == (2, 4, 4)
    assert written(evaluation, tmp_path / "e.jsonl") == "abaa"


@pytest.mark.parametrize("names", [("m", "n"), ("n", "m")])
def test_a_tie_goes_to_the_better_system(names: tuple[str, str], tmp_path: Any) -> None:
    """One system is right on three items of four, the other on one: whatever they are called, the first decides."""
    good, bad = names
    evaluation = of_labels("abcd", {bad: "xxxd", good: "abcx"})
    result = slicewise.complement(evaluation, resamples=0)
    assert counts(plurality(result)) == (3, 4, 4)
    assert written(evaluation, tmp_path / "e.jsonl") == "abcx"
    assert plurality(result).against == good
    assert plurality(result).gain == 0


def test_better_is_by_f1_not_by_how_many_are_right(tmp_path: Any) -> None:
    """x: 2 of 2 answers, F1 4/6 (2·2/(2+4)); y: 2 of 4 answers, F1 4/8."""
    evaluation = of_labels("abcd", {"y": "xxcd", "x": "ab  "})
    result = slicewise.complement(evaluation, resamples=0)
    assert counts(plurality(result)) == (4, 4, 4)  # x's a and b, and y's c and d, where x does not vote
    assert written(evaluation, tmp_path / "e.jsonl") == "abcd"


def test_equally_good_systems_are_taken_by_name(tmp_path: Any) -> None:
    evaluation = of_labels("ab", {"n": "ax", "m": "xb"})
    assert counts(plurality(slicewise.complement(evaluation, resamples=0))) == (1, 2, 2)
    assert written(evaluation, tmp_path / "e.jsonl") == "xb"


def test_the_better_system_decides_between_pairs(tmp_path: Any) -> None:
    """Two against two: the pair with the best of the four systems wins, though its other member is the worst."""
    systems = {"best": "abcda", "second": "abcxx", "third": "abxxx", "worst": "xxxxa"}
    evaluation = of_labels("abcda", systems)
    # item 4: a by best and worst, x by second and third; item 2: c by two, x by two: the best one's
    assert written(evaluation, tmp_path / "e.jsonl") == "abcxa"  # on item 3 x has three votes
    assert counts(plurality(slicewise.complement(evaluation, resamples=0))) == (4, 5, 5)


def test_silence_is_no_vote(tmp_path: Any) -> None:
    evaluation = of_labels("abc", {"x": "ab ", "y": "  z", "z": "   "})
    result = slicewise.complement(evaluation, resamples=0)
    assert counts(plurality(result)) == (2, 3, 3)
    assert written(evaluation, tmp_path / "e.jsonl") == "abz"
    silent = of_labels("abc", {"x": "ab ", "y": "a  "})
    assert written(silent, tmp_path / "e.jsonl") == "ab "
    assert counts(plurality(slicewise.complement(silent, resamples=0))) == (2, 2, 3)


def test_the_negative_label_is_voted_for(tmp_path: Any) -> None:
    """0 makes no unit, but it can win: then nothing is returned."""
    systems = {"x": "1010", "y": "1001", "z": "0011"}
    evaluation = of_labels("1110", systems, negative_label="0")
    # 1 0 1 1: of gold's 0 1 2, the vote has 0 and 2, and item 3 is spurious
    assert written(evaluation, tmp_path / "e.jsonl") == "1011"
    assert counts(plurality(slicewise.complement(evaluation, resamples=0))) == (2, 3, 3)


# ---------------------------------------------------------------------- a vote whose members are chosen

GOLD = "ABCDEF"
THREE = {"p": "CDEFuv", "q": "ABEFwx", "r": "ABCDyz"}
"""Each misses two of six and returns two that no other returns: F1 8/12. Two of three votes are right on all."""


def test_two_of_three_votes_beat_every_system() -> None:
    result = slicewise.complement(of_sets(GOLD, THREE), resamples=0)
    greedy = chosen(result)
    assert [one.f1 for one in result.systems.values()] == pytest.approx([2 / 3] * 3)
    assert (greedy.systems, greedy.k) == (("p", "q", "r"), 2)
    assert counts(greedy.in_sample) == (6, 6, 6)
    assert greedy.in_sample.gain == pytest.approx(1 / 3)
    # p; with q, one vote: all six and four spurious, 12/16 (two votes: E and F, 4/8); with r, two votes
    assert [(one.systems, one.k) for one in greedy.path] == [(("p",), 1), (("p", "q"), 1), (("p", "q", "r"), 2)]
    assert [one.f1 for one in greedy.path] == pytest.approx([8 / 12, 12 / 16, 1])
    assert (greedy.path[0].against, greedy.path[1].against) == (None, "p")


def test_a_member_that_only_harms_is_left_out() -> None:
    systems = {"p": "ABCD", "q": "DEF", "noise": "uvwxyz"}
    greedy = chosen(slicewise.complement(of_sets(GOLD, systems), resamples=0))
    # p: 8/10; p or q: 12/12; with noise in it, two votes have D alone, and one vote has 12/18
    assert (greedy.systems, greedy.k) == (("p", "q"), 1)
    assert [one.f1 for one in greedy.path] == pytest.approx([8 / 10, 1, 12 / 18])


def test_one_is_enough_where_nobody_adds() -> None:
    greedy = chosen(slicewise.complement(of_sets(GOLD, {"p": "ABCDEF", "q": "ABC", "r": "AB"}), resamples=0))
    assert (greedy.systems, greedy.k) == (("p",), 1)
    assert (greedy.in_sample.f1, greedy.in_sample.against) == (1, None)


def test_who_is_taken_next() -> None:
    # p: F1 4/6. With z, one vote has A B C and nothing wrong, 6/7; with y, A B C D and two wrong ones, 8/10
    greedy = chosen(slicewise.complement(of_sets("ABCD", {"p": "AB", "y": "CDuv", "z": "C"}), resamples=0))
    assert greedy.path[1].systems == ("p", "z")
    # s and t help equally: the first by name
    greedy = chosen(slicewise.complement(of_sets("ABCD", {"t": "C", "s": "D", "p": "AB"}), resamples=0))
    assert greedy.path[1].systems == ("p", "s")
    # m and n have F1 6/9 (3 of 5, of 4) and 4/6 (2 of 2): the one with more true positives
    greedy = chosen(slicewise.complement(of_sets("ABCD", {"m": "AB", "n": "BCDuv"}), resamples=0))
    assert greedy.path[0].systems == ("n",)


def test_intersections_are_votes_too() -> None:
    """p and q share what is right and nothing else: two of two votes."""
    greedy = chosen(slicewise.complement(of_sets("ABC", {"p": "ABCuv", "q": "ABCwx"}), resamples=0))
    assert (greedy.systems, greedy.k, counts(greedy.in_sample)) == (("p", "q"), 2, (3, 3, 3))


def test_greedy_plurality() -> None:
    """Each is wrong on two of six items, in its own way; together they outvote each other."""
    systems = {"x": "uvcdef", "y": "abwxef", "z": "abcdyz"}
    greedy = chosen(slicewise.complement(of_labels("abcdef", systems), resamples=0))
    assert (greedy.systems, greedy.k) == (("x", "y", "z"), None)
    # x alone 4/6; with y, ties go to x: 4/6
    assert [one.f1 for one in greedy.path] == pytest.approx([4 / 6, 4 / 6, 1])
    assert greedy.in_sample.gain == pytest.approx(1 / 3)


def test_no_more_members_than_the_limit() -> None:
    systems = {f"s{i:02}": "A" if i % 2 else "B" for i in range(MOST_MEMBERS + 4)}
    greedy = chosen(slicewise.complement(of_sets("AB", systems), resamples=0))
    assert len(greedy.path) == MOST_MEMBERS
    assert (greedy.systems, greedy.k) == (("s00", "s01"), 1)


def slow_path(has: dict[str, set[int]], gold: set[int]) -> list[tuple[tuple[str, ...], float]]:
    """Choose members one by one, with sets and loops: the highest F1, then true positives of any k, then the name."""
    taken: list[str] = []
    path = []

    def f1(members: Sequence[str], k: int) -> tuple[float, int]:
        votes = [u for u in range(40) if sum(u in has[name] for name in members) >= k]
        tp = len(gold & set(votes))
        return (2 * tp / (len(votes) + len(gold)), tp)

    while len(taken) < len(has):
        tried = []
        for name in sorted(set(has) - set(taken)):
            every = [f1([*taken, name], k) for k in range(1, len(taken) + 2)]
            tried.append((-max(f for f, _ in every), -max(tp for _, tp in every), name))
        best = min(tried)
        taken.append(best[2])
        path.append((tuple(taken), -best[0]))
    return path


@pytest.mark.parametrize("seed", range(8))
def test_the_path_is_that_of_the_rule(seed: int) -> None:
    draw = np.random.default_rng(seed)
    gold = set(range(25))
    has = {f"s{i}": {u for u in range(40) if draw.random() < (0.6 if u in gold else 0.25)} for i in range(5)}
    sets = {name: [["X"] if u in own else [] for u in range(40)] for name, own in has.items()}
    evaluation = Evaluation.from_labels([["X"] if u in gold else [] for u in range(40)], sets, task=Task.MULTILABEL)
    result = slicewise.complement(evaluation, resamples=0)
    expected = slow_path(has, gold)
    assert [one.systems for one in chosen(result).path] == [members for members, _ in expected]
    assert [one.f1 for one in chosen(result).path] == pytest.approx([f for _, f in expected])
    best = max(f for _, f in expected)
    assert chosen(result).in_sample.f1 == pytest.approx(best)
    assert chosen(result).systems == next(members for members, f in expected if f == best)


# ---------------------------------------------------------------------- cross-validation


def test_whole_clusters_are_left_out() -> None:
    """p knows the first document, q the second. Who chose on one document fails on the other."""
    gold, systems = "ABCDEF", {"p": "ABC", "q": "DEF"}
    documents = ["one"] * 3 + ["two"] * 3
    together = chosen(slicewise.complement(of_sets(gold, systems, documents), resamples=0))
    assert (together.systems, together.k, together.in_sample.f1) == (("p", "q"), 1, 1)
    assert together.folds == 2
    # chosen on the second document, q has F1 1 and needs nobody; on the first it returns nothing; and the other way
    assert counts(together.cross_validated) == (0, 0, 6)
    assert (together.cross_validated.f1, together.cross_validated.against) == (0, "p")
    assert together.cross_validated.gain == 0  # the best system is picked on the other document, too, and fails alike
    assert together.chosen == {"p": 1, "q": 1}
    assert together.baseline == {"p": 1, "q": 1}
    single = chosen(slicewise.complement(of_sets(gold, systems), resamples=0))
    # any five of six items show that both are needed
    assert (single.folds, counts(single.cross_validated)) == (6, (6, 6, 6))
    assert single.chosen == {"p": 6, "q": 6}


def test_whole_clusters_of_labels_are_left_out() -> None:
    """x is right on four items of one document, y on two of another; both are wrong where the other is right."""
    gold, systems = "aaaabb", {"x": "aaaaxx", "y": "yyyybb"}
    documents = [1, 1, 1, 1, 2, 2]
    together = chosen(slicewise.complement(of_labels(gold, systems, clusters=documents), resamples=0))
    assert (together.folds, counts(together.cross_validated)) == (2, (0, 6, 6))
    single = chosen(slicewise.complement(of_labels(gold, systems), resamples=0))
    # x is the better one of any five items: 4 or 3 of 5 against 2 or 1
    assert (single.folds, counts(single.cross_validated)) == (6, (4, 6, 6))


def test_ties_of_held_out_items_go_to_the_system_that_is_better_elsewhere() -> None:
    """In each document the vote of both is all right where its better system decides, and that is not the other's.

    So both are chosen in both folds, and the order comes from the document that is not scored.
    """
    gold, systems = "aabbba", {"p": "aa yya", "q": "xxbbb "}
    result = slicewise.complement(of_labels(gold, systems, clusters=[1, 1, 1, 2, 2, 2]), resamples=0)
    greedy = chosen(result)
    assert (greedy.folds, greedy.chosen) == (2, {"p": 2, "q": 2})
    # the first document by q's order: x x b; the second by p's: y y a
    assert counts(greedy.cross_validated) == (2, 6, 6)
    # over both documents p and q are equally good (3 of 5 answers), and p comes first by name: a a b, y y a
    assert counts(plurality(result)) == (4, 6, 6)


def no_vote_helps(rng: np.random.Generator, items: int) -> Evaluation:
    """Return two systems of which each, their union and their intersection all have the same true F1, 0.7.

    Each item has a gold unit, which a system finds with probability 0.7, and one that a system invents with 0.3. In
    half of the items both find or miss it alike, and in 7.1% of them both invent it or do not.
    """
    alike = rng.random((items, 1, 2)) < np.array([0.5, 1 - 0.195 / 0.21])
    has = np.where(alike, rng.random((items, 1, 2)), rng.random((items, 2, 2))) < np.array([0.7, 0.3])
    outputs = {
        name: [["X"] * a + ["Y"] * b for a, b in own]
        for name, own in zip("pq", has.swapaxes(0, 1).tolist(), strict=True)
    }
    return Evaluation.from_labels([["X"]] * items, outputs, task=Task.MULTILABEL)


def test_a_vote_that_does_not_help_is_not_said_to() -> None:
    """Chosen by chance, it gains nothing on average, and its interval is seldom above 0: 2.5% would be nominal."""
    rng = np.random.default_rng(1)
    runs = 120
    fair = [
        chosen(slicewise.complement(no_vote_helps(rng, 60), resamples=200, seed=k)).cross_validated for k in range(runs)
    ]
    gains = np.array([score.gain for score in fair], np.float64)
    assert abs(gains.mean()) < 3 * gains.std() / sqrt(runs)
    above = sum(score.gain_ci is not None and score.gain_ci[0] > 0 for score in fair) / runs
    assert above <= 0.06 + 2 * sqrt(0.06 * 0.94 / runs)


def test_the_interval_of_a_cross_validated_gain_is_wider() -> None:
    """By √(1 + 10/9) than that of a fixed vote against a fixed system, around the gain itself."""
    items = 40
    p = [["X"] if k % 4 else [] for k in range(items)]
    q = [["X"] if k % 4 == 0 or k % 3 == 0 else [] for k in range(items)]
    evaluation = Evaluation.from_labels([["X"]] * items, {"p": p, "q": q}, task=Task.MULTILABEL)
    greedy = chosen(slicewise.complement(evaluation, resamples=300))
    assert (greedy.folds, greedy.chosen, greedy.baseline) == (10, {"p": 10, "q": 10}, {"p": 10, "q": 0})
    fixed, fair = greedy.in_sample, greedy.cross_validated
    assert fair.gain == fixed.gain
    assert fixed.gain is not None
    assert fixed.gain_ci is not None
    expected = [fixed.gain + sqrt(1 + 10 / 9) * (end - fixed.gain) for end in fixed.gain_ci]
    assert fair.gain_ci == pytest.approx(expected)


def test_ten_folds_at_most() -> None:
    gold = "ABCDEFGHIJKL"
    greedy = chosen(slicewise.complement(of_sets(gold, {"p": "ABCDEF", "q": "GHIJKL"}), resamples=0))
    assert (greedy.folds, sum(greedy.chosen.values())) == (10, 20)
    assert counts(greedy.cross_validated) == (12, 12, 12)


def test_documents_of_files(write: Write) -> None:
    """The same through -DOCSTART- and through a field."""
    words = {"one": "ABC", "two": "DEF"}

    def conll(has: str) -> str:
        return "".join(
            "-DOCSTART-\tO\n\n" + "".join(f"{w}\t{'B-X' if w in has else 'O'}\n\n" for w in text)
            for text in words.values()
        )

    def jsonl(has: str) -> str:
        records = [
            {"tokens": [w], "spans": [{"start": 0, "end": 1, "label": "X"}] if w in has else [], "doc": doc}
            for doc, text in words.items()
            for w in text
        ]
        return "".join(json.dumps(record) + "\n" for record in records)

    for ending, made in (("conll", conll), ("jsonl", jsonl)):
        for name, has in (("g", "ABCDEF"), ("p", "ABC"), ("q", "DEF")):
            write(f"{name}.{ending}", made(has))
        files = {"gold": f"g.{ending}", "systems": {"p": f"p.{ending}", "q": f"q.{ending}"}}
        by_document = chosen(slicewise.complement(slicewise.load(**files), resamples=0))  # type: ignore[arg-type]
        assert (by_document.folds, counts(by_document.cross_validated)) == (2, (0, 0, 6))
        by_item = chosen(slicewise.complement(slicewise.load(**files, cluster="item"), resamples=0))  # type: ignore[arg-type]
        assert (by_item.folds, counts(by_item.cross_validated)) == (6, (6, 6, 6))


def test_one_cluster_leaves_nothing_to_choose_on() -> None:
    result = slicewise.complement(of_sets("AB", {"p": "A", "q": "B"}, ["one", "one"]), resamples=50)
    greedy = chosen(result)
    assert greedy.folds == 1
    assert counts(greedy.in_sample) == (2, 2, 2)
    assert greedy.cross_validated.n_gold == 2
    assert greedy.in_sample.ci is None


# ---------------------------------------------------------------------- unions, votes and the curve


def test_every_vote_is_counted_from_sets() -> None:
    draw = np.random.default_rng(3)
    gold = set(range(12))
    has = {name: {u for u in range(20) if draw.random() < 0.5} for name in "abcd"}
    sets = {name: [["X"] if u in own else [] for u in range(20)] for name, own in has.items()}
    evaluation = Evaluation.from_labels([["X"] if u in gold else [] for u in range(20)], sets, task=Task.MULTILABEL)
    result = slicewise.complement(evaluation, resamples=0)
    for one in result.ensembles:
        k = {"union": 1, "intersection": len(one.systems)}.get(one.kind, one.k)
        assert k is not None
        votes = {u for u in range(20) if sum(u in has[name] for name in one.systems) >= k}
        assert counts(one) == (len(votes & gold), len(votes), 12)
    assert sum(one.kind == "union" for one in result.ensembles) == len(list(combinations("abcd", 2)))
    tp = [added.tp for added in result.curve]
    assert [added.added for added in result.curve] == [b - a for a, b in zip([0, *tp[:-1]], tp, strict=True)]
    for i, added in enumerate(result.curve):
        so_far = [one.system for one in result.curve[: i + 1]]
        assert added.tp == len(gold & set().union(*(has[name] for name in so_far)))
        best = max(
            2 * len(gold & votes) / (len(votes) + 12)
            for k in range(1, len(so_far) + 1)
            for votes in [{u for u in range(20) if sum(u in has[name] for name in so_far) >= k}]
        )
        assert added.vote.f1 == pytest.approx(best)


def test_the_curve_takes_what_adds_most() -> None:
    result = slicewise.complement(of_sets("ABCDEF", {"p": "ABC", "q": "ABCuvw", "r": "DE", "s": "F"}), resamples=0)
    # p and q find three each, and p is better; then q adds nothing, r two, s one
    assert [(one.system, one.added) for one in result.curve] == [("p", 3), ("r", 2), ("s", 1), ("q", 0)]
    assert [one.r_comp for one in result.curve] == [3 / 6, 2 / 3, 1, None]
