"""Suspect gold: planted and found, counted by hand, ranked, and set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.marked_spans import looked_at, of_spans

from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.lenses.difficulty.suspects import nearly_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.difficulty.result import DifficultyResult, Suspect


def told(one: Suspect) -> tuple[Any, ...]:
    """Return what a suspect says: its kind, its item, gold's unit and that of the systems, and how many agree."""
    gold, said = (None if m is None else (m.text, m.label) for m in (one.gold, one.systems))
    return one.kind, one.mention.item, gold, said, one.agree


GOLD = ["[Rome|LOC] fell", "in [New York|LOC] now", "old Bob ran", "the [IMF|ORG] said", "[Ada|PER] met"]
ALIKE = ["[Rome|ORG] fell", "in [New|LOC] York now", "old [Bob|PER] ran", "the IMF said", "[Ada|PER] met"]
"""What systems say: another label, other boundaries, a unit that gold has not, nothing; and once what gold says."""


# ---------------------------------------------------------------------- the kinds


def test_every_kind_is_found() -> None:
    result = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE, "r": ALIKE}))
    assert [told(one) for one in result.suspects] == [
        ("label", 0, ("Rome", "LOC"), ("Rome", "ORG"), 3),
        ("boundary", 1, ("New York", "LOC"), ("New", "LOC"), 3),
        ("missing", 2, None, ("Bob", "PER"), 3),
        ("unfound", 3, ("IMF", "ORG"), None, 3),
    ]
    assert result.nearly_all == 3
    label = result.suspects[0]
    assert label.gold is not None
    assert label.systems is not None
    assert (label.gold.systems, label.systems.systems) == ((), ("p", "q", "r"))
    assert label.mention.in_context == "[Rome] fell"


def test_a_unit_that_one_system_doubts_is_no_suspect() -> None:
    other = ["[Rome|PER] fell", "in New [York|LOC] now", "old Bob ran", "the [IMF|ORG] said", "Ada met"]
    result = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE, "r": other}))
    # nobody finds Rome and New York, but they are not contradicted alike; somebody finds IMF; Ada is missed by one
    assert [told(one) for one in result.suspects] == [
        ("unfound", 0, ("Rome", "LOC"), None, 0),
        ("unfound", 1, ("New York", "LOC"), None, 0),
    ]


@pytest.mark.parametrize(
    ("systems", "wanted"), [(1, 2), (2, 2), (3, 3), (4, 4), (5, 4), (6, 5), (9, 8), (10, 8), (14, 12), (15, 12)]
)
def test_how_many_are_nearly_all(systems: int, wanted: int) -> None:
    """All of up to four, then all but one in five."""
    assert nearly_all(systems) == wanted


def test_four_of_five_are_nearly_all() -> None:
    systems: dict[str, Sequence[str]] = dict.fromkeys("pqrs", ALIKE)
    four = looked_at(of_spans(GOLD, systems | {"t": GOLD}))
    # the fifth is right everywhere, so nothing is unfound
    assert [told(one) for one in four.suspects] == [
        ("label", 0, ("Rome", "LOC"), ("Rome", "ORG"), 4),
        ("boundary", 1, ("New York", "LOC"), ("New", "LOC"), 4),
        ("missing", 2, None, ("Bob", "PER"), 4),
    ]
    three = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE, "r": ALIKE, "s": GOLD, "t": GOLD}))
    assert three.suspects == ()


def test_one_system_contradicts_nobody() -> None:
    result = looked_at(of_spans(GOLD, {"p": ALIKE}))
    assert (result.suspects, result.without_suspects) == ((), ())


def test_the_gold_unit_that_is_shared_most_is_contradicted() -> None:
    gold = ["[Bank of|LOC] [England and Wales|ORG] said"]
    said = ["Bank [of England and|ORG] Wales said"]  # shares one token with the first, two with the second
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    assert [told(one) for one in result.suspects] == [
        ("boundary", 0, ("England and Wales", "ORG"), ("of England and", "ORG"), 2),
        ("unfound", 0, ("Bank of", "LOC"), None, 0),
    ]


def test_sharing_more_counts_before_being_nearer() -> None:
    gold = ["[a b c d e|LOC] [f g|ORG] h"]
    said = ["a b c [d e f|LOC] g h"]  # two tokens of the first, whose ends are 3 and 1 away; one of the second: 2 and 1
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    assert told(result.suspects[0]) == ("boundary", 0, ("a b c d e", "LOC"), ("d e f", "LOC"), 2)


def test_the_nearer_of_two_gold_units_is_contradicted() -> None:
    """Both gold units share one token with what is returned; the boundaries of the shorter one are nearer."""
    gold = ["[Bank of|LOC] [England|ORG] said"]
    said = ["Bank [of England|ORG] said"]
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    assert told(result.suspects[0]) == ("boundary", 0, ("England", "ORG"), ("of England", "ORG"), 2)


def test_two_contradictions_of_one_unit() -> None:
    """Two spans that nearly all return within one of gold: both are listed, and the unit is not unfound as well."""
    gold = ["in [New York|LOC] now"]
    said = ["in [New|LOC] [York|PER] now"]
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    assert [told(one)[:4] for one in result.suspects] == [
        ("boundary", 0, ("New York", "LOC"), ("New", "LOC")),
        ("boundary", 0, ("New York", "LOC"), ("York", "PER")),
    ]


# ---------------------------------------------------------------------- elsewhere in the data

ELSEWHERE = [
    *GOLD,
    "[Rome|ORG] won", "[Rome|ORG] lost", "[Rome|LOC] is old", "Rome",  # ORG 2, LOC 1 more, bare 1
    "[New York|LOC]", "[New|LOC] things", "[New York|PER]",  # New York LOC 1 more; New LOC 1
    "[Bob|PER] and [Bob|PER]", "Bob , Bob", "[Bob|ORG]",  # PER 2, ORG 1, bare 2 more
    "[IMF|ORG] , [IMF|ORG] , IMF",  # ORG 2 more, bare 1
]  # fmt: skip
BY_HAND = {"label": (1, 2), "boundary": (1, 1), "missing": (2, 2), "unfound": (2, 1)}
"""As gold does here, and as the systems do."""


def support(result: DifficultyResult) -> dict[str, tuple[int | None, int | None]]:
    return {one.kind: (one.as_gold, one.as_systems) for one in result.suspects if one.mention.item < len(GOLD)}


def test_how_the_data_treats_the_string_elsewhere() -> None:
    said = [*ALIKE, *ELSEWHERE[len(GOLD) :]]
    result = looked_at(of_spans(ELSEWHERE, {"p": said, "q": said}))
    assert len(result.suspects) == 4
    assert support(result) == BY_HAND


def test_alone_in_the_data() -> None:
    result = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE}))
    assert support(result) == {"label": (0, 0), "boundary": (0, 0), "missing": (0, 0), "unfound": (0, 0)}


def test_training_data_count_too() -> None:
    train = [
        "[Rome|ORG] and [Rome|ORG] and [Rome|LOC]",
        "[New|LOC] York , [New York|LOC]",
        "Bob [Bob|PER]",
        "IMF IMF [IMF|ORG] [IMF|PER]",
    ]
    result = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE}, train))
    assert support(result) == {"label": (1, 2), "boundary": (1, 1), "missing": (1, 1), "unfound": (1, 2)}
    both = looked_at(of_spans(ELSEWHERE, {name: [*ALIKE, *ELSEWHERE[len(GOLD) :]] for name in "pq"}, train))
    added = {"label": (1, 2), "boundary": (1, 1), "missing": (1, 1), "unfound": (1, 2)}
    assert support(both) == {kind: (a + added[kind][0], b + added[kind][1]) for kind, (a, b) in BY_HAND.items()}


def test_labels_that_only_the_training_data_has() -> None:
    result = looked_at(of_spans(GOLD, {"p": ALIKE, "q": ALIKE}, ["[Rome|MISC] [Bob|MISC] [IMF|MISC]"]))
    assert support(result) == {"label": (0, 0), "boundary": (0, 0), "missing": (0, 0), "unfound": (0, 0)}


def test_case_is_folded_where_it_is_asked_for() -> None:
    gold = ["[Rome|LOC] fell", "[ROME|ORG] rose", "[rome|LOC]"]
    said = ["[Rome|ORG] fell", "[ROME|ORG] rose", "[rome|LOC]"]
    exact = looked_at(of_spans(gold, {"p": said, "q": said}))
    folded = looked_at(of_spans(gold, {"p": said, "q": said}, lower=True))
    assert support(exact)["label"] == (0, 0)
    assert support(folded)["label"] == (1, 1)


def test_spans_of_characters_are_counted_by_their_words() -> None:
    texts = ["Rome, again.", "Rome fell.", "(Rome)"]
    gold = [[(0, 4, "LOC")], [(0, 4, "ORG")], [(1, 5, "LOC")]]
    said = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(1, 5, "LOC")]]
    result = looked_at(Evaluation.from_spans(texts, gold, {"p": said, "q": said}))
    (one,) = result.suspects
    assert (one.kind, one.as_gold, one.as_systems) == ("label", 1, 1)
    assert (one.mention.text, one.mention.start, one.mention.end) == ("Rome", 0, 4)


def test_tags_without_tokens_have_no_elsewhere() -> None:
    tags = [["B-X", "O"], ["O", "B-X"]]
    said = [["B-Y", "O"], ["O", "B-X"]]
    result = looked_at(Evaluation.from_tags(None, tags, {"p": said, "q": said}))
    (one,) = result.suspects
    assert (one.kind, one.as_gold, one.as_systems) == ("label", None, None)


# ---------------------------------------------------------------------- other tasks


def test_tokens() -> None:
    tokens = [["run", "fast", "run"], ["run", "run"]]
    gold = [["V", "O", "N"], ["V", "O"]]
    said = [["N", "X", "O"], ["V", "O"]]
    result = looked_at(Evaluation.from_tags(tokens, gold, {"p": said, "q": said}, task=Task.TOKENS))
    assert [told(one) for one in result.suspects] == [
        ("label", 0, ("run", "V"), ("run", "N"), 2),
        ("missing", 0, None, ("fast", "X"), 2),
        ("unfound", 0, ("run", "N"), None, 2),
    ]
    # run is gold V once more, N once (also where nobody finds it), and bare once; fast nowhere else
    assert [(one.as_gold, one.as_systems) for one in result.suspects] == [(1, 1), (0, 0), (0, 1)]


def test_training_data_of_tokens_count_too() -> None:
    train = ([["run", "run", "run"]], [["V", "V", "N"]])
    evaluation = Evaluation.from_tags(
        [["run", "on"]], [["V", "O"]], {"p": [["N", "O"]], "q": [["N", "O"]]}, train=train, task=Task.TOKENS
    )
    (one,) = looked_at(evaluation).suspects
    assert (one.kind, one.as_gold, one.as_systems) == ("label", 2, 1)


def test_labels() -> None:
    gold = ["a", "b", "c", "a", "b"]
    systems = {"p": ["a", "c", "a", None, "a"], "q": ["a", "c", "b", None, "c"], "r": ["a", "c", "b", None, None]}
    result = looked_at(Evaluation.from_labels(gold, systems, texts=["t0", "t1", "t2", "t3", "t4"]))
    assert [told(one) for one in result.suspects] == [
        ("label", 1, ("t1", "b"), ("t1", "c"), 3),
        ("unfound", 3, ("t3", "a"), None, 3),  # all are silent
        ("unfound", 4, ("t4", "b"), None, 1),
        ("unfound", 2, ("t2", "c"), None, 0),
    ]
    assert all(one.as_gold is None for one in result.suspects)


def test_several_labels_do_not_contradict_each_other() -> None:
    gold = [["p", "q"], ["q"], []]
    said = [["p", "r"], [], ["r"]]
    result = looked_at(Evaluation.from_labels(gold, {"x": said, "y": said}))
    assert [told(one)[:4] for one in result.suspects] == [
        ("missing", 0, None, ("", "r")),
        ("missing", 2, None, ("", "r")),
        ("unfound", 1, ("", "q"), None),  # nobody returns anything there
        ("unfound", 0, ("", "q"), None),
    ]


def test_items_that_nobody_gets_right() -> None:
    scores = {"p": [1, 0, 0, 1], "q": [0, 0, 0, 1]}
    result = looked_at(Evaluation.from_scores(scores, inputs=["w", "x", "y", "z"]))
    assert [told(one) for one in result.suspects] == [
        ("unfound", 1, ("x", None), None, 2),
        ("unfound", 2, ("y", None), None, 2),
    ]
    none, without = result.without_suspects
    assert (none.scores, none.ranking) == ({"p": 2 / 4, "q": 1 / 4}, ("p", "q"))
    assert (without.scores, without.suspects) == ({"p": 1, "q": 1 / 2}, 2)


# ---------------------------------------------------------------------- the order


def test_more_agreement_comes_first_and_what_is_unfound_last() -> None:
    gold = ["[a|X] b", "[c|X] d", "e f", "[g|X] h", "[i j|X]"]
    every = ["[a|X] b", "[c|Y] d", "e [f|X]", "g h", "[i|X] j"]
    systems: dict[str, Sequence[str]] = {
        "p": every, "q": every, "r": every, "s": every,
        "t": ["a [b|X]", "[c|X] d", "e [f|X]", "g [h|X]", "[i j|X]"],
    }  # fmt: skip
    result = looked_at(of_spans(gold, systems))
    assert [told(one)[:2] + told(one)[4:] for one in result.suspects] == [
        ("missing", 2, 5),  # all five
        ("label", 1, 4),
        ("boundary", 4, 4),
        ("unfound", 3, 5),
    ]


def test_of_one_kind_the_data_decide_then_the_place() -> None:
    gold = ["[a|X]", "[b|X]", "[c|X]", "[b|Y]", "[c|X]"]
    said = ["[a|Y]", "[b|Y]", "[c|Y]", "[b|Y]", "[c|X]"]
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    # b is Y once elsewhere (+1), a is nowhere else (0), c is X once elsewhere (−1)
    assert [(one.mention.text, one.as_gold, one.as_systems) for one in result.suspects] == [
        ("b", 0, 1),
        ("a", 0, 0),
        ("c", 1, 0),
    ]
    same = looked_at(of_spans(["[a|X]", "[b|X]"], {"p": ["[a|Y]", "[b|Y]"], "q": ["[a|Y]", "[b|Y]"]}))
    assert [one.mention.item for one in same.suspects] == [0, 1]


def test_the_data_decide_before_the_kind() -> None:
    gold = ["[a|X]", "b", "[b|Y]", "[a|X]"]
    said = ["[a|Y]", "[b|Y]", "[b|Y]", "[a|X]"]
    result = looked_at(of_spans(gold, {"p": said, "q": said}))
    assert [(one.kind, one.as_gold, one.as_systems) for one in result.suspects] == [("missing", 0, 1), ("label", 1, 0)]


def test_what_is_unfound_ranks_by_how_many_return_nothing_there() -> None:
    gold = ["[a b|X] c", "[d|X] e", "[f|X] g"]
    systems: dict[str, Sequence[str]] = {
        "p": ["a [b c|X]", "d [e|X]", "[f|Z] g"],
        "q": ["a b c", "d e", "[f g|X]"],
    }
    result = looked_at(of_spans(gold, systems))
    assert [told(one) for one in result.suspects] == [
        ("unfound", 1, ("d", "X"), None, 2),
        ("unfound", 0, ("a b", "X"), None, 1),
        ("unfound", 2, ("f", "X"), None, 0),
    ]


# ---------------------------------------------------------------------- set aside


def test_scores_with_suspects_set_aside() -> None:
    systems: dict[str, Sequence[str]] = {
        "p": ALIKE,  # right: Ada; returned 4
        "q": [*ALIKE[:4], "Ada met"],  # right: nothing; returned 3
    }
    result = looked_at(of_spans(GOLD, systems))
    found = {one.kind: one for one in result.without_suspects}
    assert list(found) == ["none", "label", "boundary", "missing", "contradicted", "unfound", "all"]
    f1 = {kind: one.scores["p"] for kind, one in found.items()}
    assert f1["none"] == pytest.approx(2 / (4 + 4))
    assert f1["label"] == pytest.approx(2 / (3 + 3))  # Rome LOC and Rome ORG are both away
    assert f1["boundary"] == pytest.approx(2 / (3 + 3))
    assert f1["missing"] == pytest.approx(2 / (3 + 4))
    assert f1["unfound"] == pytest.approx(2 / (4 + 3))
    assert f1["contradicted"] == pytest.approx(2 / (1 + 2))  # all but IMF
    assert f1["all"] == 1
    assert {one.scores["q"] for one in found.values()} == {0}
    assert [one.suspects for one in found.values()] == [0, 1, 1, 1, 3, 1, 4]


def test_one_kind_needs_no_sum() -> None:
    result = looked_at(of_spans(GOLD[:1], {"p": ALIKE[:1], "q": ALIKE[:1]}))
    assert [one.kind for one in result.without_suspects] == ["none", "label"]
    assert result.without_suspects[1].scores == {"p": None, "q": None}  # nothing is left


def test_nothing_to_set_aside() -> None:
    result = looked_at(of_spans(GOLD, {"p": GOLD, "q": GOLD}))
    assert [(one.kind, one.scores) for one in result.without_suspects] == [("none", {"p": 1, "q": 1})]


def of_sets(gold: int, alike: int, systems: dict[str, tuple[int, int]]) -> Evaluation:
    """Return units of gold, and units that all systems return alike against it.

    Each system has the first so many of gold, and returns so many that nobody else does.
    """
    spare = sum(wrong for _, wrong in systems.values())
    returned: dict[str, list[list[str]]] = {}
    at = gold + alike
    for name, (tp, wrong) in systems.items():
        own = {*range(tp), *range(gold, gold + alike), *range(at, at + wrong)}
        returned[name] = [["X"] if i in own else [] for i in range(gold + alike + spare)]
        at += wrong
    return Evaluation.from_labels([["X"]] * gold + [[]] * (alike + spare), returned, task=Task.MULTILABEL)


def test_a_ranking_that_hangs_on_suspects() -> None:
    """Of six gold units careful has three and nothing wrong of its own, eager all six and eight wrong ones.

    Both return four that gold has not.
    """
    result = looked_at(of_sets(6, 4, {"careful": (3, 0), "eager": (6, 8)}))
    before, after = result.without_suspects
    assert before.scores == {"careful": pytest.approx(6 / 13), "eager": pytest.approx(12 / 24)}
    assert after.scores == {"careful": pytest.approx(6 / 9), "eager": pytest.approx(12 / 20)}
    assert (before.ranking, after.ranking) == (("eager", "careful"), ("careful", "eager"))
    assert (after.kind, after.suspects) == ("missing", 4)
    assert any("careful overtakes eager" in text for text in result.findings)


def test_what_nobody_finds_may_change_the_ranking_too() -> None:
    """Of ten gold units careful has three and nothing wrong, eager six and seven wrong; nobody has the other four."""
    before, after = looked_at(of_sets(10, 0, {"careful": (3, 0), "eager": (6, 7)})).without_suspects
    assert before.scores == {"careful": pytest.approx(6 / 13), "eager": pytest.approx(12 / 23)}
    assert after.scores == {"careful": pytest.approx(6 / 9), "eager": pytest.approx(12 / 19)}
    assert (before.ranking, after.ranking) == (("eager", "careful"), ("careful", "eager"))
    assert (after.kind, after.suspects) == ("unfound", 4)


def test_a_ranking_that_stays() -> None:
    result = looked_at(of_sets(6, 4, {"a": (3, 0), "b": (6, 0)}))
    assert [one.ranking for one in result.without_suspects] == [("b", "a")] * 2
    assert not any("overtakes" in text for text in result.findings)


def test_twins_do_not_overtake_each_other() -> None:
    result = looked_at(of_sets(3, 2, {"z": (2, 0), "a": (2, 0), "m": (3, 0)}))
    assert [one.ranking for one in result.without_suspects] == [("m", "a", "z")] * 2
    assert not any("overtakes" in text for text in result.findings)


def test_who_was_as_good_before_does_not_overtake() -> None:
    """Before, both have F1 6/13 (3 of 7, and 6 of 20, of 6), and a comes first by its name alone."""
    result = looked_at(of_sets(6, 4, {"z": (3, 0), "a": (6, 10)}))
    before, after = result.without_suspects
    assert before.scores["a"] == before.scores["z"] == pytest.approx(6 / 13)
    assert (before.ranking, after.ranking) == (("a", "z"), ("z", "a"))
    assert not any("overtakes" in text for text in result.findings)


def test_an_item_of_labels_is_set_aside_whole() -> None:
    gold = ["a", "b", "a", "b"]
    systems = {"p": ["a", "a", "a", "a"], "q": ["a", "a", "b", "c"], "r": ["c", "a", "a", "c"]}
    result = looked_at(Evaluation.from_labels(gold, systems))
    # item 1: all say a; item 3: a, c, c
    assert [told(one)[:2] for one in result.suspects] == [("label", 1), ("unfound", 3)]
    found = {one.kind: one.scores for one in result.without_suspects}
    assert found["none"] == {"p": 2 / 4, "q": 1 / 4, "r": 1 / 4}
    assert found["label"] == {name: pytest.approx(n / 3) for name, n in (("p", 2), ("q", 1), ("r", 1))}
    assert found["unfound"] == found["label"]  # c and a of item 3 are away, too
    assert found["all"] == {"p": 1, "q": 1 / 2, "r": 1 / 2}


def test_lower_is_better() -> None:
    """Word error rates: p 0, 2/2, 1/4; q 1/2, 2/2, 0. Nobody has the second item."""
    gold = ["a b", "c d", "e f g h"]
    systems = {"p": ["a b", "x y", "e f g x"], "q": ["a x", "y z", "e f g h"]}
    result = looked_at(Evaluation.from_texts(gold, systems), metrics="wer", threshold=0.5)
    before, after = result.without_suspects
    assert before.scores == {"p": pytest.approx(3 / 8), "q": pytest.approx(3 / 8)}
    assert after.scores == {"p": pytest.approx(1 / 6), "q": pytest.approx(1 / 6)}
    assert [one.mention.item for one in result.suspects] == [1]
    systems["q"][2] = "e f x x"
    worse = looked_at(Evaluation.from_texts(gold, systems), metrics="wer", threshold=0.5)
    assert worse.without_suspects[1].scores["q"] == pytest.approx(3 / 6)
    assert [one.ranking for one in worse.without_suspects] == [("p", "q")] * 2
    assert worse.metric == "wer"
