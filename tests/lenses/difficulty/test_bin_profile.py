"""What is in each bin: shares by hand, columns of the file, attributes that add up, features of bin 0, the spread."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from support.marked_spans import looked_at, of_spans

import slicewise
from slicewise import Evaluation
from slicewise.annotations import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.commands import Write
    from support.marked_spans import Span

    from slicewise.lenses.difficulty.result import BinProfile, DifficultyResult, Form

OF_TOKENS = ("punctuation", "digits", "single_character")
OF_UNITS = ("abbreviation", "hapax_gold", "hapax_test", "ambiguous", "multi_token")


def found_by_nobody(gold: Sequence[str], **options: Any) -> BinProfile:
    """Return the profile of gold units of which none is found."""
    nothing = [re.sub(r"\[([^|]*)\|[^\]]*\]", r"\1", text) for text in gold]
    return looked_at(of_spans(gold, {"p": nothing, "q": nothing}, **options)).profile[0]


# ---------------------------------------------------------------------- shares


@pytest.mark.parametrize(
    ("unit", "share"),
    [
        (".", (1, 0, 1)),
        ("...", (1, 0, 0)),
        ("$", (1, 0, 1)),  # a symbol
        ("«", (1, 0, 1)),
        ("3", (0, 1, 1)),
        ("3.14", (0, 1, 0)),
        ("-5%", (0, 1, 0)),
        ("12/2020", (0, 1, 0)),
        ("٣", (0, 1, 1)),  # a digit of another script
        ("3rd", (0, 0, 0)),
        ("x", (0, 0, 1)),
        ("B2B", (0, 0, 0)),
        ("a.", (0, 0, 0)),
        ("½", (0, 0, 1)),  # no decimal digit
    ],
)
def test_what_tokens_are(unit: str, share: tuple[int, int, int]) -> None:
    shares = found_by_nobody([f"[{unit}|X]"]).shares
    assert tuple(shares[name] for name in OF_TOKENS) == share
    assert shares["characters_per_token"] == len(unit)


@pytest.mark.parametrize(
    ("unit", "is_one"),
    [("U.S.", 1), ("NATO", 1), ("Dr.", 1), ("e.g.", 1), ("AT&T", 1), ("Rome", 0), ("A", 0), ("U.S. Navy", 0)],
)
def test_what_looks_like_an_abbreviation(unit: str, is_one: int) -> None:
    assert found_by_nobody([f"[{unit}|X]"]).shares["abbreviation"] == is_one


def test_shares_of_tokens_are_of_tokens_and_shares_of_units_of_units() -> None:
    shares = found_by_nobody(["[New York|LOC] in [3 - 4|QTY] [U.S.|LOC] again ."]).shares
    # six tokens of units: New York 3 - 4 U.S.
    assert shares["punctuation"] == pytest.approx(1 / 6)
    assert shares["digits"] == pytest.approx(2 / 6)
    assert shares["single_character"] == pytest.approx(3 / 6)
    assert shares["characters_per_token"] == pytest.approx((3 + 4 + 1 + 1 + 1 + 4) / 6)
    assert shares["abbreviation"] == pytest.approx(1 / 3)
    assert shares["multi_token"] == pytest.approx(2 / 3)


def test_strings_that_occur_once() -> None:
    gold = ["[Rome|LOC] and [Oslo|LOC]", "[Rome|LOC] , Oslo", "[Bonn|LOC]"]
    shares = found_by_nobody(gold).shares
    # gold: Rome twice, Oslo and Bonn once; in the text Oslo stands twice
    assert shares["hapax_gold"] == pytest.approx(2 / 4)
    assert shares["hapax_test"] == pytest.approx(1 / 4)


def test_strings_that_are_not_always_labelled_alike() -> None:
    gold = ["[May|PER] in [May|DATE]", "[Rome|LOC] , Rome", "[Oslo|LOC] [Oslo|LOC]", "[New York|LOC] [York|LOC]"]
    # both May have two labels; Rome stands once without a label; Oslo is always LOC, so is New York; York is a part of
    # New York once
    assert found_by_nobody(gold).shares["ambiguous"] == pytest.approx(4 / 7)


def test_case_is_folded_where_it_is_asked_for() -> None:
    gold = ["[Rome|LOC] [ROME|ORG]"]
    exact, folded = found_by_nobody(gold).shares, found_by_nobody(gold, lower=True).shares
    assert (exact["hapax_gold"], exact["hapax_test"], exact["ambiguous"]) == (1, 1, 0)
    assert (folded["hapax_gold"], folded["hapax_test"], folded["ambiguous"]) == (0, 0, 1)


def test_every_bin_has_its_own_shares() -> None:
    gold = ["[3|N] [NATO|ORG] [New York|LOC]"]
    one, both = ["3 [NATO|ORG] [New York|LOC]"], ["3 NATO [New York|LOC]"]
    profile = looked_at(of_spans(gold, {"p": one, "q": both})).profile
    assert {n: of.n for n, of in profile.items()} == {0: 1, 1: 1, 2: 1}
    assert [profile[n].shares["digits"] for n in range(3)] == [1, 0, 0]
    assert [profile[n].shares["abbreviation"] for n in range(3)] == [0, 1, 0]
    assert [profile[n].shares["multi_token"] for n in range(3)] == [0, 0, 1]
    assert [[m.text for m in profile[n].examples] for n in range(3)] == [["3"], ["NATO"], ["New York"]]
    assert profile[1].examples[0].systems == ("p",)


def test_an_empty_bin_has_no_shares() -> None:
    gold = ["[Rome|LOC]"]
    profile = looked_at(of_spans(gold, {"p": gold, "q": gold})).profile
    assert set(profile[0].shares.values()) == {None}
    assert (profile[0].n, profile[0].examples) == (0, ())
    assert profile[2].shares["hapax_gold"] == 1


def test_spurious_units_are_in_no_profile() -> None:
    profile = looked_at(of_spans(["[Rome|LOC] 3"], {"p": ["[Rome|LOC] [3|N]"], "q": ["[Rome|LOC] [3|N]"]})).profile
    assert [profile[n].n for n in range(3)] == [0, 0, 1]
    assert profile[2].shares["digits"] == 0


def test_running_text_is_taken_by_its_words() -> None:
    texts, gold = ["Ada, 3 times: NATO"], [[(0, 3, "PER"), (5, 12, "QTY"), (14, 18, "ORG")]]
    nothing: list[list[Span]] = [[]]
    shares = looked_at(Evaluation.from_spans(texts, gold, {"p": nothing, "q": nothing})).profile[0].shares
    assert shares["multi_token"] == pytest.approx(1 / 3)  # 3 times
    assert shares["digits"] == pytest.approx(1 / 4)
    assert shares["characters_per_token"] == pytest.approx((3 + 1 + 5 + 4) / 4)
    assert shares["abbreviation"] == pytest.approx(1 / 3)
    assert shares["hapax_gold"] == 1


def test_items_have_the_shares_of_their_texts() -> None:
    texts = ["good film", "3 stars !", "bad"]
    evaluation = Evaluation.from_labels(["p", "p", "n"], {"x": ["p", "n", "n"], "y": ["p", "n", "p"]}, texts=texts)
    profile = looked_at(evaluation).profile
    # nobody has item 1, x has item 2, both have item 0
    assert [profile[n].shares["digits"] for n in range(3)] == [pytest.approx(1 / 3), 0, 0]
    assert [profile[n].shares["punctuation"] for n in range(3)] == [pytest.approx(1 / 3), 0, 0]
    assert [profile[n].shares["characters_per_token"] for n in range(3)] == pytest.approx([(1 + 5 + 1) / 3, 3, 4])
    assert "hapax_gold" not in profile[0].shares


def test_scored_items_have_the_shares_of_their_texts() -> None:
    evaluation = Evaluation.from_scores({"x": [1, 0, 1], "y": [1, 0, 0]}, inputs=["a b", "3 4", "cc"])
    profile = looked_at(evaluation).profile
    assert [profile[n].shares["digits"] for n in range(3)] == [1, 0, 0]
    assert [profile[n].n for n in range(3)] == [1, 1, 1]
    bare = looked_at(Evaluation.from_scores({"x": [1, 0, 1], "y": [1, 0, 0]})).profile
    assert (bare[0].shares, bare[0].n) == ({}, 1)


# ---------------------------------------------------------------------- columns and attributes

WITH_COLUMNS = """Ada\tNNP\tx\tB-PER
Lovelace\tNNP\tx\tI-PER
ran\tVBD\ty\tO

3\tCD\tx\tB-QTY
-\tHYPH\tx\tI-QTY
4\tCD\tx\tI-QTY
Rome\tNN\tx\tB-LOC
"""
RIGHT = "Ada\tB-PER\nLovelace\tI-PER\nran\tO\n\n3\tO\n-\tO\n4\tO\nRome\tB-LOC\n"
LESS = "Ada\tB-PER\nLovelace\tI-PER\nran\tO\n\n3\tO\n-\tO\n4\tO\nRome\tO\n"


@pytest.fixture
def columns(write: Write) -> dict[str, Any]:
    write("g.conll", WITH_COLUMNS)
    write("p.conll", RIGHT)
    write("q.conll", LESS)
    return {"gold": "g.conll", "systems": {"p": "p.conll", "q": "q.conll"}}


def test_the_columns_of_the_file(columns: dict[str, Any]) -> None:
    profile = looked_at(slicewise.load(**columns)).profile
    assert [profile[n].columns["col2"] for n in range(3)] == [{"CD": 2, "HYPH": 1}, {"NN": 1}, {"NNP": 2}]
    assert [profile[n].columns["col3"] for n in range(3)] == [{"x": 3}, {"x": 1}, {"x": 2}]
    assert list(profile[0].columns["col2"]) == ["CD", "HYPH"]  # the most frequent first


def test_the_columns_of_tokens(columns: dict[str, Any]) -> None:
    profile = looked_at(slicewise.load(**columns, task="tokens")).profile
    assert [profile[n].n for n in range(3)] == [3, 1, 2]
    assert [profile[n].columns["col2"] for n in range(3)] == [{"CD": 2, "HYPH": 1}, {"NN": 1}, {"NNP": 2}]


def test_a_column_of_many_values_is_left_out(write: Write) -> None:
    write("g.conll", "".join(f"w\tvalue{i}\tk{i % 3}\tB-X\n\n" for i in range(60)))
    write("p.conll", "w\tB-X\n\n" * 60)
    profile = looked_at(slicewise.load(gold="g.conll", systems={"p": "p.conll", "q": "p.conll"})).profile
    assert set(profile[2].columns) == {"col3"}
    assert profile[2].columns["col3"] == {"k0": 20, "k1": 20, "k2": 20}


def check_sums(result: DifficultyResult, tokens: Sequence[str] = ()) -> None:
    """Check that the buckets of every attribute hold the bin's units; of attributes of tokens, another number."""
    for n, of in result.profile.items():
        assert of.n == result.gold.totals[n]
        for name, attribute in of.attributes.items():
            if name not in tokens:
                assert sum(attribute.buckets.values()) == of.n, (n, name)


def test_attributes_add_up_to_the_bin(columns: dict[str, Any]) -> None:
    spans = looked_at(slicewise.load(**columns, train="g.conll"))
    assert set(spans.profile[0].attributes) >= {"label", "eLen", "sLen", "eDen", "eCon", "eFre", "tFre", "tCon", "oDen"}
    check_sums(spans, tokens=("tFre", "tCon"))
    # of attributes of tokens, the tokens of the bin's units: 3 - 4; Rome; Ada Lovelace
    for name in ("tFre", "tCon"):
        assert [sum(spans.profile[n].attributes[name].buckets.values()) for n in range(3)] == [3, 1, 2]
    check_sums(looked_at(slicewise.load(**columns, task="tokens", train="g.conll")))


def test_attributes_of_other_tasks_add_up() -> None:
    texts = ["good film", "3 stars", "bad", "so so"]
    gold, said = ["p", "p", "n", "n"], {"x": ["p", "n", "n", "p"], "y": ["p", "n", "p", "n"]}
    check_sums(looked_at(Evaluation.from_labels(gold, said, texts=texts)))
    sets = {name: [[label] for label in labels] for name, labels in said.items()}
    check_sums(looked_at(Evaluation.from_labels([[label] for label in gold], sets, texts=texts)))
    check_sums(looked_at(Evaluation.from_texts(gold, said, inputs=texts), metrics="exact-match"))
    check_sums(looked_at(Evaluation.from_scores({"x": [1, 0, 1, 0], "y": [1, 1, 0, 0]}, inputs=texts)))


def test_means_by_hand() -> None:
    gold = ["[New York|LOC] is big", "[3 - 4|QTY]", "[Rome|LOC] fell"]
    p = ["[New York|LOC] is big", "3 - 4", "[Rome|LOC] fell"]
    q = ["New York is big", "3 - 4", "[Rome|LOC] fell"]
    profile = looked_at(of_spans(gold, {"p": p, "q": q}), attributes=["eLen", "sLen", "label"]).profile
    assert set(profile[0].attributes) == {"eLen", "sLen", "label"}
    assert [profile[n].attributes["eLen"].mean for n in range(3)] == [3, 2, 1]
    assert [profile[n].attributes["sLen"].mean for n in range(3)] == [3, 4, 2]
    assert profile[0].attributes["label"].mean is None
    assert profile[0].attributes["label"].buckets == {"LOC": 0, "QTY": 1}
    assert profile[1].attributes["label"].buckets == {"LOC": 1, "QTY": 0}


def test_buckets_that_the_user_cuts() -> None:
    gold = ["[a b c|X]", "[d|X]", "[e f|X]"]
    nothing = ["a b c", "d", "e f"]
    result = looked_at(of_spans(gold, {"p": nothing, "q": gold}), attributes=["eLen"], cuts={"eLen": [1]})
    assert list(result.profile[1].attributes["eLen"].buckets.values()) == [1, 2]


def test_an_attribute_of_the_user() -> None:
    def doubled(units: Any) -> Any:
        return 2 * units["text"].str.len_chars()

    gold = ["[ab|X] c", "[abcd|X]"]
    result = looked_at(of_spans(gold, {"p": ["ab c", "[abcd|X]"], "q": ["ab c", "[abcd|X]"]}), attributes=[doubled])
    assert [result.profile[n].attributes["doubled"].mean for n in range(3)] == [4, None, 8]


# ---------------------------------------------------------------------- features of bin 0


def test_a_planted_word_is_first() -> None:
    """Nobody finds what follows Mr, every fourth, and eight of the rest."""
    gold, said = [], []
    for i in range(80):
        before = "Mr" if i % 4 == 0 else "in"
        gold.append(f"{before} [Name{i % 7}|X] today")
        lost = before == "Mr" or i % 10 == 1
        said.append(re.sub(r"\[([^|]*)\|X\]", r"\1", gold[-1]) if lost else gold[-1])
    features = looked_at(of_spans(gold, {"p": said, "q": said})).features
    assert features is not None
    first = features.features[0]
    assert "left:Mr" in (first.feature, *first.folded)
    assert (first.n, first.mean) == (20, 0)
    assert first.q is not None
    assert first.q < 1e-6
    assert features.system == "bin 0"
    assert features.n == 80
    assert features.value == pytest.approx(1 - (20 + 8) / 80)


def test_a_planted_word_of_items_is_first() -> None:
    texts = [f"{'terrible' if i % 5 == 0 else 'fine'} film w{i % 6}" for i in range(100)]
    scores = [0 if i % 5 == 0 or i % 17 == 1 else 1 for i in range(100)]
    features = looked_at(Evaluation.from_scores({"p": scores, "q": scores}, inputs=texts)).features
    assert features is not None
    assert "in:terrible" in (features.features[0].feature, *features.features[0].folded)


def test_found_by_anyone_is_not_bin_0() -> None:
    """What one system alone finds is not in bin 0, so the word of p's misses is not a feature of it."""
    gold = [f"{'Mr' if i % 2 else 'in'} [Name|X]" for i in range(40)]
    p = [text.replace("[Name|X]", "Name") if "Mr" in text or i < 2 else text for i, text in enumerate(gold)]
    q = [text.replace("[Name|X]", "Name") if i < 2 else text for i, text in enumerate(gold)]
    features = looked_at(of_spans(gold, {"p": p, "q": q})).features
    assert features is not None
    assert features.value == pytest.approx(38 / 40)
    assert all(f.p > 0.1 for f in features.features)


@pytest.mark.parametrize("said", [["[a|X]", "[b|X]"], ["a", "b"]])
def test_all_or_none_found_has_no_features(said: list[str]) -> None:
    assert looked_at(of_spans(["[a|X]", "[b|X]"], {"p": said, "q": said})).features is None


# ---------------------------------------------------------------------- the spread of strings


def over_bins(form: str, bins: Sequence[int], systems: int) -> tuple[list[str], dict[str, list[str]]]:
    """Return mentions of a string, one a sentence: `bins[n]` of them are found by the first n systems."""
    gold: list[str] = []
    said: dict[str, list[str]] = {f"s{k}": [] for k in range(systems)}
    for n, count in enumerate(bins):
        for i in range(count):
            gold.append(f"bin{n} mention{i} [{form}|X]")
            for k in range(systems):
                said[f"s{k}"].append(gold[-1] if k < n else f"bin{n} mention{i} {form}")
    return gold, said


def spread(forms: dict[str, Sequence[int]], systems: int = 3, **options: Any) -> DifficultyResult:
    gold: list[str] = []
    said: dict[str, list[str]] = {f"s{k}": [] for k in range(systems)}
    for form, bins in forms.items():
        own, theirs = over_bins(form, bins, systems)
        gold += own
        for name, texts in theirs.items():
            said[name] += texts
    return looked_at(of_spans(gold, dict(said), **options))


def test_a_string_that_is_mostly_found_and_sometimes_resists_is_first() -> None:
    result = spread(
        {
            "calcium": (2, 1, 0, 9),  # median bin 3; below it by 3, 3, 2: 8/3
            "always": (0, 0, 0, 12),
            "never": (12, 0, 0, 0),  # hard, but it does not fall below itself
            "half": (3, 0, 0, 3),  # the lower median is 0
            "once": (1, 0, 0, 0),
        }
    )
    assert [form.surface for form in result.spread] == ["calcium", "always", "never", "half"]
    assert result.forms == 4
    first = result.spread[0]
    assert (first.n, first.bins) == (12, (2, 1, 0, 9))
    assert first.lost == pytest.approx(8 / 3)
    assert [form.lost for form in result.spread[1:]] == [0, 0, 0]
    assert [form.n for form in result.spread] == [12, 12, 12, 6]
    assert any("calcium" in text for text in result.findings)


def told(form: Form) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    low, high = ([(m.left.strip(), len(m.systems)) for m in side] for side in (form.resistant, form.found))
    return low, high


def test_the_mentions_that_resist_and_those_that_are_found() -> None:
    low, high = told(spread({"calcium": (2, 1, 0, 9)}).spread[0])
    assert low == [("bin0 mention0", 0), ("bin0 mention1", 0), ("bin1 mention0", 1)]
    assert [bins for _, bins in high] == [3, 3, 3]
    assert all(text.startswith("bin3") for text, _ in high)
    assert len({text for text, _ in high}) == 3
    low, high = told(spread({"zinc": (0, 0, 1, 2)}).spread[0])
    assert low == [("bin2 mention0", 2)]
    assert len(high) == 2


def test_what_is_lost_by_hand() -> None:
    # a: median bin 2 (the second of 0 2 2 3): one falls by 2 of 3; b: median 3, one falls by 3 of 3; c: two fall by 1
    result = spread({"a": (1, 0, 2, 1), "b": (1, 0, 0, 4), "c": (0, 0, 2, 3)})
    assert [(f.surface, f.lost) for f in result.spread] == [
        ("b", 1),
        ("c", pytest.approx(2 / 3)),  # five mentions
        ("a", pytest.approx(2 / 3)),
    ]


def test_of_equal_strings_the_more_frequent_comes_first_then_the_name() -> None:
    result = spread({"z": (0, 0, 0, 2), "b": (0, 0, 0, 2), "m": (0, 0, 0, 3)})
    assert [form.surface for form in result.spread] == ["m", "b", "z"]


def test_labels_do_not_part_a_string_but_case_does() -> None:
    gold = ["[Rome|LOC]", "[Rome|ORG]", "[rome|LOC]"]
    exact = looked_at(of_spans(gold, {"p": gold, "q": gold}))
    assert [(f.surface, f.n) for f in exact.spread] == [("Rome", 2)]
    folded = looked_at(of_spans(gold, {"p": gold, "q": gold}, lower=True))
    assert [(f.surface, f.n) for f in folded.spread] == [("rome", 3)]


def test_only_so_many_strings_show_their_mentions() -> None:
    gold, said = [], []
    for k in range(4):
        for i in range(5):
            gold.append(f"w{i} [form{k}|X]")
            said.append(f"w{i} form{k}" if i == 0 else gold[-1])
    forms = looked_at(of_spans(gold, {"p": said, "q": said}), top=2).spread
    assert [bool(form.resistant) for form in forms] == [True, True, False, False]
    every = looked_at(of_spans(gold, {"p": said, "q": said}), top=0).spread
    assert all(form.resistant for form in every)


def test_tokens_have_a_spread() -> None:
    tokens = [["run"], ["run"], ["run"], ["on"]]
    gold = [["V"], ["V"], ["N"], ["P"]]
    p, q = [["V"], ["V"], ["O"], ["P"]], [["V"], ["V"], ["O"], ["P"]]
    (form,) = looked_at(Evaluation.from_tags(tokens, gold, {"p": p, "q": q}, task=Task.TOKENS)).spread
    assert (form.surface, form.bins, form.lost) == ("run", (1, 0, 2), 1)
    assert [m.label for m in form.resistant] == ["N"]
