"""The numbers of the published tool, against a slow transcription of section 10 of the definitions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples
from support.slow_features import Data, Rows, change_rows, item_rows, ranks, shape

from slicewise import features
from slicewise.annotations import Task
from slicewise.evaluation import Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hypothesis.strategies import DrawFn

    from slicewise.lenses.ranking.result import FeatureList

drawn = with_examples(15, shrink=False)


# ------------------------------------------------------------------ the transcription


class Part(NamedTuple):
    """A feature in the order in which pairs name their parts."""

    namespace: tuple[int, int]
    length: int
    shapes: bool
    text: str

    @property
    def name(self) -> str:
        space = ("exp", "out", f"in<{self.namespace[1]}>")[self.namespace[0]]
        return f"{space}:{self.text}"


@dataclass(frozen=True)
class Row:
    n: int
    p: float
    mean: float | None


def fields(data: Data, system: str) -> dict[tuple[int, int], list[str]]:
    """Return the texts of `exp`, `out`, `in<1>`, `in<2>` …, which sort in this order."""
    found = {(2, k + 1): list(texts) for k, texts in enumerate(zip(*data.fields, strict=True))}
    if data.gold is not None:
        found |= {(0, 0): list(data.gold), (1, 0): list(data.systems[system])}
    return found


def distinct(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(values))


def shape_of(token: str) -> str:
    """Only ASCII digits are digits."""
    return shape("".join("€" if c.isdecimal() and c not in "0123456789" else c for c in token))


def parts_of(namespace: tuple[int, int], text: str, *, bigrams: bool, shapes: bool) -> set[Part]:
    tokens = distinct([token for token in re.split("[ \t:]", text) if token])
    found = {Part(namespace, 0, False, token) for token in tokens}
    shaped = [f"SHAPE:{shape_of(token)}" for token in tokens]
    if bigrams:
        found |= {Part(namespace, 1, False, f"{a}++{b}") for a, b in pairwise(tokens)}
    if shapes:
        found |= {Part(namespace, 0, True, own) for own in shaped}
    if bigrams and shapes:
        again = distinct(shaped)
        found |= {Part(namespace, 1, True, f"{a}++{b}") for a, b in pairwise(again)}
    return found


def below(z: float) -> float:
    """Return Φ(z)."""
    return math.erfc(-z / math.sqrt(2)) / 2


def slow_features(
    over: Rows,
    texts: Mapping[tuple[int, int], Sequence[str]],
    *,
    bigrams: bool,
    shapes: bool,
    pairs: bool,
    numbers: bool,
    min_count: int | None,
    min_pair_count: int | None,
) -> dict[str, Row]:
    n = over.size
    own = ranks([-score for score in over.scores] if over.lower else over.scores)
    least = 1 if min_count is None else min_count
    rows: dict[Part, set[int]] = {}
    for namespace, every in texts.items():
        for i, kept in enumerate(over.kept):
            for part in parts_of(namespace, every[kept], bigrams=bigrams, shapes=shapes):
                rows.setdefault(part, set()).add(i)

    def tested(having: set[int]) -> Row | None:
        c = len(having)
        if c < least or n - c < least:
            return None
        u = sum(own[i] for i in having) - Fraction(c * (c + 1), 2)
        z = float(u - Fraction(c * (n - c), 2)) / math.sqrt(c * (n - c) * (n + 1) / 12)
        mean = sum((over.scores[i] for i in having), Fraction(0)) / c
        return Row(c, below(z), float(mean))

    single = {part: row for part, having in rows.items() if (row := tested(having)) is not None}
    found = {part.name: row for part, row in single.items()}
    if pairs:
        enough = least if min_pair_count is None else min_pair_count
        for a, b in combinations(sorted(part for part, having in rows.items() if len(having) >= enough), 2):
            row = tested(rows[a] & rows[b])
            if row is None:
                continue
            before = [single[part].p for part in (a, b) if part in single]
            if not any(p <= row.p * (1 + 1e-12) for p in before):
                found[f"{a.name}~~{b.name}"] = row
    if numbers:
        for namespace, every in texts.items():
            found |= slow_number(Part(namespace, 0, False, "=").name, [every[i] for i in over.kept], own, over.scores)
    return found


def slow_number(name: str, texts: Sequence[str], own: Sequence[Fraction], scores: Sequence[Fraction]) -> dict[str, Row]:
    try:
        values = [float(text) for text in texts]
    except ValueError:
        name, values = f"{name}#", [float(len(text)) for text in texts]
    if len(set(values)) == 1:
        return {}
    test = scipy.stats.kendalltau(values, [float(rank) for rank in own], method="asymptotic")
    small = test.statistic > 0
    order = sorted(range(len(values)), key=lambda i: (values[i], -own[i]) if small else (-values[i], own[i]))
    quarter = order[: len(values) // 4]
    mean = float(sum((scores[i] for i in quarter), Fraction(0)) / len(quarter)) if quarter else None
    return {f"{name}{'-' if small else '+'}": Row(len(quarter), float(test.pvalue), mean)}


# ------------------------------------------------------------------ comparing

WORDS = ("a", "a", "a", "b", "Ab", "B2", "x:y", "²", "٣", "(c", "b")
NUMBERS = ("1", "2", "2", "2.5", "-3", "1e3")


@st.composite
def data(draw: DrawFn, task: Task) -> Data:
    n = draw(st.integers(4, 14))
    text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
    columns = [draw(st.lists(text, min_size=n, max_size=n)) for _ in range(draw(st.integers(1, 2)))]
    if draw(st.booleans()):
        columns.append(draw(st.lists(st.sampled_from(NUMBERS), min_size=n, max_size=n)))
    answer: st.SearchStrategy[Any] = {
        Task.LABELS: st.sampled_from(("A", "B:c", "b")),
        Task.TEXT: st.lists(st.sampled_from(("a", "b", "Cd")), min_size=1, max_size=3).map(" ".join),
    }.get(task, st.integers(-1, draw(st.sampled_from([1, 8]))).map(lambda k: k / 4))
    gold, old, new = (tuple(draw(st.lists(answer, min_size=n, max_size=n))) for _ in range(3))
    return Data(
        task=task,
        fields=tuple(zip(*columns, strict=True)),
        gold=None if task is Task.SCORES else gold,
        systems={"old": old, "new": new},
    )


options = st.fixed_dictionaries(
    {
        "bigrams": st.booleans(),
        "shapes": st.booleans(),
        "pairs": st.booleans(),
        "numbers": st.booleans(),
        "min_count": st.sampled_from([None, None, 1, 2, 3]),
        "min_pair_count": st.sampled_from([None, None, 1, 2, 4]),
    }
)


def assert_as_published(found: FeatureList, expected: Mapping[str, Row]) -> None:
    rows = {feature.feature: feature for feature in found.features}
    assert len(rows) == len(found.features)
    assert rows.keys() == expected.keys()
    for name, row in expected.items():
        feature = rows[name]
        assert feature.p == pytest.approx(row.p, rel=1e-9), name
        assert feature.log10_p == pytest.approx(math.log10(row.p), rel=1e-9, abs=1e-12), name
        assert feature.n == row.n, name
        assert feature.mean == (None if row.mean is None else pytest.approx(row.mean)), name
        assert feature.folded == ()
    p = [feature.p for feature in found.features]
    assert p == sorted(p)


def compared(own: Data, metric: str, asked: Mapping[str, Any], change: tuple[str, str] | None = None) -> None:
    direction = "worst" if change is None else "worsening"
    lists = features(
        own.evaluation(), geval=True, metrics=metric, direction=direction, change=change, top=0, **asked
    ).lists
    for one in lists:
        over = item_rows(own, one.system, metric) if change is None else change_rows(own, *change, metric)
        if len(set(over.scores)) == 1:
            continue  # nothing to rank
        assert_as_published(one, slow_features(over, fields(own, one.system), **asked))


@drawn
@given(data(Task.LABELS), options)
def test_labels(own: Data, asked: dict[str, Any]) -> None:
    compared(own, "accuracy", asked)


@drawn
@given(data(Task.TEXT), options, st.sampled_from(["wer", "exact-match"]))
def test_texts(own: Data, asked: dict[str, Any], metric: str) -> None:
    compared(own, metric, asked)


@drawn
@given(data(Task.SCORES), options)
def test_scores(own: Data, asked: dict[str, Any]) -> None:
    compared(own, "mean", asked)


@drawn
@given(data(Task.LABELS), options)
def test_most_worsening(own: Data, asked: dict[str, Any]) -> None:
    compared(own, "accuracy", asked, ("old", "new"))


@drawn
@given(data(Task.LABELS))
def test_defaults(own: Data) -> None:
    """What is meant to be compared with published figures, without minimum counts."""
    none = {"min_count": None, "min_pair_count": None}
    compared(own, "accuracy", {"bigrams": False, "shapes": False, "pairs": False, "numbers": False} | none)
    compared(own, "accuracy", {"bigrams": False, "shapes": False, "pairs": True, "numbers": False} | none)


# ------------------------------------------------------------------ tags

TAGS = ("O", "O", "B-LOC", "I-LOC", "I-PER", "B-x:y")
OTHER_TAGS = ("O", "O", "S-LOC", "B-PER", "E-PER", "M-PER")


@dataclass(frozen=True)
class Tagged:
    """Sentences with the tags that gold and two systems give them, one of these in another scheme."""

    sentences: list[list[str]]
    gold: list[list[str]]
    systems: dict[str, list[list[str]]]

    def evaluation(self, **options: Any) -> Evaluation:
        return Evaluation.from_tags(self.sentences, self.gold, self.systems, **options)


@st.composite
def tagged(draw: DrawFn) -> Tagged:
    sizes = draw(st.lists(st.integers(1, 5), min_size=4, max_size=12))

    def of(values: Sequence[str]) -> list[list[str]]:
        return [draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)) for n in sizes]

    return Tagged(of(WORDS), of(TAGS), {"old": of(OTHER_TAGS), "new": of(TAGS)})


def spans_of(tags: Sequence[str]) -> set[tuple[int, int, str]]:
    """Read tags as conlleval does."""
    found: set[tuple[int, int, str]] = set()
    start, before = 0, ("O", "")
    for at, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        begins = kind != before[1] or prefix in "BS" or before[0] in "ES"
        if begins and before[0] != "O":
            found.add((start, at, before[1]))
        start, before = (at if begins else start), (prefix, kind)
    return found


def tagged_rows(own: Tagged, task: Task, old: str | None, new: str) -> Rows:
    """Return the items with their F1, 1 where there is nothing to find and nothing is returned."""

    def units(tags: Sequence[str]) -> set[Any]:
        return spans_of(tags) if task is Task.SPANS else {pair for pair in enumerate(tags) if pair[1] != "O"}

    def f1(system: str, i: int) -> Fraction:
        gold, out = units(own.gold[i]), units(own.systems[system][i])
        return Fraction(2 * len(gold & out), len(gold) + len(out)) if gold or out else Fraction(1)

    items = list(range(len(own.gold)))
    scores = [f1(new, i) - (Fraction(0) if old is None else f1(old, i)) for i in items]
    return Rows(items, scores, [], lambda _: None, False)


@drawn
@given(tagged(), options, st.sampled_from([Task.SPANS, Task.TOKENS]), st.booleans())
def test_tags_are_a_text_as_they_are_written(own: Tagged, asked: dict[str, Any], task: Task, change: bool) -> None:
    how: dict[str, Any] = {"direction": "worsening", "change": ("old", "new")} if change else {}
    for found in features(own.evaluation(task=task), geval=True, top=0, **how, **asked).lists:
        over = tagged_rows(own, task, found.against, found.system)
        if len(set(over.scores)) == 1:
            continue  # nothing to rank
        written = {(0, 0): own.gold, (1, 0): own.systems[found.system], (2, 1): own.sentences}
        texts = {space: [" ".join(words) for words in every] for space, every in written.items()}
        assert_as_published(found, slow_features(over, texts, **asked))


def test_neither_map_nor_ignore_nor_strict_changes_what_is_written() -> None:
    gold = [["B-LOC", "I-LOC"], ["I-PER", "O"], ["O", "B-MISC"], ["O", "O"]]
    out = [["B-LOC", "O"], ["B-PER", "O"], ["O", "I-MISC"], ["I-LOC", "O"]]
    own = Tagged([["a", "b"]] * 4, gold, {"s": out})
    for more in ({}, {"map": {"LOC": "PER"}}, {"ignore": ["MISC"]}, {"strict": True}):
        evaluation = own.evaluation(**more)
        items = {
            feature.feature: sorted(feature.examples)
            for feature in features(evaluation, geval=True, bigrams=True, top=0).lists[0].features
        }
        assert (items["exp:I-PER"], items["out:I-LOC"]) == ([1], [3])
        assert (items["exp:B-LOC++I-LOC"], items["out:B-LOC++O"]) == ([0], [0])
        assert not {"exp:LOC", "exp:PER", "out:LOC"} & items.keys()
        assert evaluation.between(1, 3).tag_texts("gold").to_list() == ["I-PER O", "O B-MISC"]  # type: ignore[union-attr]


def test_spans_that_no_tags_give_keep_their_labels() -> None:
    spans = [[(0, 1, "LOC")], [], [(1, 2, "PER")], []]
    evaluation = Evaluation.from_spans([["a", "b"]] * 4, spans, {"s": [[], [], [(1, 2, "PER")], [(0, 1, "LOC")]]})
    names = {feature.feature for feature in features(evaluation, geval=True, top=0).lists[0].features}
    assert names == {"exp:LOC", "exp:PER", "out:LOC", "out:PER"}
    assert evaluation.tag_texts("gold") is None


def test_so_many_tags_that_a_byte_does_not_number_them() -> None:
    kinds = [[f"B-{i}"] for i in range(300)]
    own = Tagged([["w"]] * 300, kinds, {"s": [*kinds[1:], kinds[0]]})
    assert own.evaluation().tag_texts("gold").to_list() == [tag for (tag,) in kinds]  # type: ignore[union-attr]


# ------------------------------------------------------------------ by hand


def test_a_small_example_by_hand() -> None:
    """Eight items, of which the last three are wrong: these have rank 2 each, the five right ones rank 6."""
    right, wrong = ("yes",) * 5, ("no",) * 3
    texts = ("Aa x Aa 12", "q", "q", "q", "b:z", "b", "b b", "b q")
    rising, low = "12345678", "52341111"
    own = Data(
        task=Task.LABELS,
        fields=tuple(zip(texts, rising, low, strict=True)),
        gold=("yes",) * 8,
        systems={"s": right + wrong},
    )
    (found,) = features(own.evaluation(), geval=True, bigrams=True, shapes=True, numbers=True, pairs=False, top=0).lists
    rows = {feature.feature: feature for feature in found.features}

    # in<1>:b, in four items: R = 6 + 3·2 = 12, U = 12 − 10 = 2, expected 4·4/2 = 8, σ² = 4·4·9/12 = 12
    assert (rows["in<1>:b"].n, rows["in<1>:b"].mean) == (4, 0.25)
    assert rows["in<1>:b"].p == pytest.approx(below(-6 / math.sqrt(12)))
    assert rows["in<1>:b"].p == pytest.approx(0.04163, abs=5e-6)
    # out:no, in the three wrong ones: R = 6, U = 0, expected 3·5/2, σ² = 3·5·9/12
    assert rows["out:no"].p == pytest.approx(below(-7.5 / math.sqrt(11.25)))
    assert "exp:yes" not in rows  # no item is without it

    # the second Aa goes before bigrams and shapes are formed
    first = {name for name, row in rows.items() if name.startswith("in<1>:") and (row.n, row.examples) == (1, (0,))}
    assert first == {
        "in<1>:Aa", "in<1>:x", "in<1>:12", "in<1>:Aa++x", "in<1>:x++12", "in<1>:SHAPE:Aa", "in<1>:SHAPE:99",
        "in<1>:SHAPE:Aa++SHAPE:a", "in<1>:SHAPE:a++SHAPE:99",
    }  # fmt: skip
    assert {"in<1>:b++z", "in<1>:b++q"} <= rows.keys()  # the colon cuts
    assert not {"in<1>:b++b", "in<1>:SHAPE:a++SHAPE:a"} & rows.keys()

    # in<2> rises as scores fall: 15 pairs of a right item before a wrong one, S = −15;
    # variance (8·7·21 − 5·4·15 − 3·2·11)/18 = 45; the two largest values are of wrong items
    rises = rows["in<2>:=+"]
    assert (rises.n, rises.mean, rises.kind) == (2, 0.0, "number")
    assert rises.p == pytest.approx(2 * below(-15 / math.sqrt(45)))
    assert rises.p == pytest.approx(0.02535, abs=5e-6)

    # in<3> is smallest in four items, of which the right one is taken first: mean (1 + 0)/2
    # S = 4·3; variance (1176 − 366 − 4·3·13)/18 + 26·12/(2·56) + 66·24/(9·8·7·6)
    small = rows["in<3>:=-"]
    assert (small.n, small.mean) == (2, 0.5)
    assert small.p == pytest.approx(2 * below(-12 / math.sqrt(654 / 18 + 312 / 112 + 1584 / 3024)))

    # in<1> has 10, 1, 1, 1, 3, 1, 3 and 3 characters; expected is as long everywhere
    length = next(row for name, row in rows.items() if name.startswith("in<1>:=#"))
    assert length.p == pytest.approx(
        float(scipy.stats.kendalltau([10, 1, 1, 1, 3, 1, 3, 3], [1] * 5 + [0] * 3, method="asymptotic").pvalue)
    )
    assert not any(name.startswith("exp:=") for name in rows)


def test_a_field_with_one_text_that_is_no_number_has_a_length() -> None:
    for other in ("", "n/a"):
        values = ["1", "22", other, "4444", "5", "666"]
        own = Data(
            task=Task.SCORES,
            fields=tuple(("x", value) for value in values),
            systems={"s": (0.0, 0.25, 0.5, 1.0, 1.0, 0.75)},
        )
        (found,) = features(own.evaluation(), geval=True, numbers=True, top=0).lists
        assert "in<2>:=#-" in {feature.feature for feature in found.features}, other


def pair_names(own: Data, **asked: Any) -> set[str]:
    (found,) = features(own.evaluation(), geval=True, pairs=True, top=0, **asked).lists
    return {feature.feature for feature in found.features if feature.kind == "pair"}


def pair_data(*fields: tuple[str, ...], low: Sequence[int]) -> Data:
    """Items, of which some have low scores."""
    scores = tuple(float(i not in low) for i in range(len(fields)))
    return Data(task=Task.SCORES, fields=fields, systems={"s": scores})


def test_a_pair_names_its_parts_by_field_before_length() -> None:
    own = pair_data(("a b", "q"), ("a b", "q"), ("a b", "r"), ("s", "q"), ("s", "r"), ("a b", "r"), low=(0, 1))
    names = pair_names(own, bigrams=True)
    assert "in<1>:a++b~~in<2>:q" in names
    assert "in<2>:q~~in<1>:a++b" not in names


def test_a_pair_names_runs_of_text_before_runs_of_shapes() -> None:
    # `a++b` is in items 0 to 3, shapes A++9 in 0, 1, 4, 5
    rows = (("a b", "A 1"), ("a b", "B 2"), ("a b", "z"), ("a b", "y"), ("x", "C 3"), ("w", "D 4"), ("v", "u"))
    own = pair_data(*((f"{one} ({other}",) for one, other in rows), low=(0, 1))
    names = pair_names(own, bigrams=True, shapes=True)
    both = [name for name in names if {"in<1>:a++b"} < set(name.split("~~")) and "++SHAPE" in name]
    assert both
    assert all(name.startswith("in<1>:a++b~~") for name in both)


def test_the_tenth_field_comes_after_the_second() -> None:
    fields = [("k",) + ("-",) * 8 + ("k",)] * 2 + [("k",) + ("-",) * 9] * 2 + [("-",) * 9 + ("k",)] * 2 + [("-",) * 10]
    own = pair_data(*((f"{row[0]}x", row[0], *row[2:]) for row in fields), low=(0, 1))
    names = pair_names(own)
    assert "in<2>:k~~in<10>:k" in names


def test_minimum_counts_of_pairs_are_those_of_their_parts() -> None:
    # a in 4 items, b in 4, both in 2; the pair needs the minimum count, its parts the minimum pair count
    own = pair_data(*((text,) for text in ("a b", "a b", "a", "a", "b", "b", "c", "d", "e")), low=(0, 1))
    assert "in<1>:a~~in<1>:b" in pair_names(own, min_count=2, min_pair_count=4)
    assert "in<1>:a~~in<1>:b" not in pair_names(own, min_count=2, min_pair_count=5)
    assert "in<1>:a~~in<1>:b" not in pair_names(own, min_count=3, min_pair_count=2)
    assert "in<1>:a~~in<1>:b" in pair_names(own, min_count=2, min_pair_count=1)


def test_parts_that_nearly_all_items_have_make_pairs() -> None:
    # a is in all items but one, so that it is not listed itself; with b it says more than b alone
    own = pair_data(*((text,) for text in ("a b", "a b", "b", "a", "a", "a", "a", "a")), low=(0, 1))
    assert "in<1>:a~~in<1>:b" in pair_names(own, min_count=2)


def test_the_metric_may_be_better_when_lower() -> None:
    own = Data(
        task=Task.TEXT,
        fields=(("bad",), ("bad",), ("good",), ("good",)),
        gold=("a b", "a b", "a b", "a b"),
        systems={"s": ("x y", "a y", "a b", "a b")},
    )
    (found,) = features(own.evaluation(), metrics="wer", geval=True, top=0).lists
    rows = {feature.feature: feature for feature in found.features}
    # ranks 1, 2, 3.5, 3.5: R = 3, U = 0, expected 2, σ² = 2·2·5/12
    assert rows["in<1>:bad"].p == pytest.approx(below(-2 / math.sqrt(20 / 12)))
    assert (rows["in<1>:bad"].n, rows["in<1>:bad"].mean) == (2, 0.75)
