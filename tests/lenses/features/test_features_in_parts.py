"""Features of data in parts: the same bytes as of the data in one piece."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.parts import never_whole
from support.places import EXAMPLES
from support.profiles import with_examples
from support.slow_features import Asked, Data, asked, labelled, scored, spans, texts

from slicewise import Evaluation, features, load
from slicewise.errors import UserError
from slicewise.extract.text import MOST_CATEGORIES
from slicewise.lenses.ranking.folding import NEAREST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

drawn = with_examples(10, shrink=False)
any_data = st.one_of(
    st.tuples(scored(), st.just("mean")),
    st.tuples(labelled(), st.just("accuracy")),
    st.tuples(texts(), st.just("wer")),
    st.tuples(spans(), st.just("f1")),
)


def told(evaluation: Evaluation, **options: Any) -> str:
    try:
        return features(evaluation, resamples=50, **options).to_json()
    except UserError as error:
        return str(error)


def news() -> Evaluation:
    folder = EXAMPLES / "news"
    systems = {name: folder / "systems" / f"{name}.conll" for name in ("gazetteer", "hmm")}
    return load(gold=folder / "test.conll", systems=systems)


def chat() -> Evaluation:
    folder = EXAMPLES / "chat"
    return load(gold=folder / "test.conll", systems={"hmm": folder / "systems" / "hmm.conll"}, task="tokens")


def sentiment() -> Evaluation:
    folder = EXAMPLES / "sentiment"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("bayes", "lexicon")}
    return load(gold=f"{folder}/test.tsv:2", inputs=f"{folder}/test.tsv:1", systems=systems)


def topics() -> Evaluation:
    folder = EXAMPLES / "topics"
    systems = {name: folder / "systems" / name for name in ("bayes.jsonl", "perceptron.txt")}
    return load(gold=f"{folder}/test.jsonl:labels", inputs=f"{folder}/test.jsonl:text", systems=systems)


def translation() -> Evaluation:
    folder = EXAMPLES / "translation"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("dictionary", "phrase")}
    return load(gold=folder / "test.ref", inputs=folder / "test.src", systems=systems)


def questions() -> Evaluation:
    log = EXAMPLES / "questions" / "log.jsonl"
    inputs = [f"{log}:{name}" for name in ("question", "category", "difficulty")]
    systems = {name: f"{log}:{name}.confidence" for name in ("keywords", "neighbour")}
    return load(inputs=inputs, systems=systems, task="scores")


GRAMS: dict[str, Any] = {"ngrams": 3, "shapes": True, "numbers": True}
PAIRS: dict[str, Any] = {"pairs": True, "min_count": 25, "top": 30}
BEST: dict[str, Any] = {"direction": "best", "numbers": True, "fold": False, "min_count": 2}


@pytest.mark.parametrize(
    ("example", "options"),
    [
        *[(one, GRAMS) for one in (news, sentiment, topics)],
        *[(one, PAIRS) for one in (chat, sentiment, topics)],
        *[(one, BEST) for one in (news, chat, questions)],
        (translation, {"metrics": "wer", "min_count": 20}),
    ],
)
def test_examples(example: Callable[[], Evaluation], options: dict[str, Any], tmp_path: Path) -> None:
    evaluation = example()
    whole = told(evaluation, **options)
    assert '"features"' in whole
    assert told(never_whole(evaluation, 3, tmp_path), **options) == whole


@pytest.mark.parametrize(
    ("example", "options"),
    [
        *[(example, {}) for example in (news, chat, sentiment, topics)],
        *[(example, {"ngrams": 3, "shapes": True, "direction": "best"}) for example in (chat, sentiment)],
    ],
)
def test_units(example: Callable[[], Evaluation], options: dict[str, Any], tmp_path: Path) -> None:
    evaluation = example()
    whole = told(evaluation, units=True, **options)
    assert '"units"' in whole
    assert told(never_whole(evaluation, 3, tmp_path), units=True, **options) == whole


@pytest.mark.parametrize("example", [news, sentiment, topics])
def test_attributes_of_items(example: Callable[[], Evaluation], tmp_path: Path) -> None:
    evaluation = example()
    options = {"attributes": "all", "bigrams": True}
    whole = told(evaluation, **options)
    assert '"attribute"' in whole
    assert told(never_whole(evaluation, 3, tmp_path), **options) == whole


@pytest.mark.parametrize(("example", "ratio"), [(news, False), (sentiment, False), (questions, True)])
def test_change(example: Callable[[], Evaluation], ratio: bool) -> None:
    evaluation = example()
    options = {"direction": "worsening", "change": evaluation.ranked_systems[:2], "bigrams": True, "ratio": ratio}
    assert told(never_whole(evaluation, 4), **options) == told(evaluation, **options)


@drawn
@given(any_data, asked(pairs=True), st.booleans(), st.integers(1, 9))
def test_any_data(data: tuple[Data, str], options: Asked, fold: bool, parts: int) -> None:
    own, metric = data
    evaluation = own.evaluation()
    more = options.options() | {"metrics": metric, "fold": fold, "top": 0}
    assert told(never_whole(evaluation, parts), **more) == told(evaluation, **more)


def test_a_field_is_a_number_or_a_category_in_all_parts_or_in_none() -> None:
    chance = random.Random(1)
    scores = [chance.random() for _ in range(60)]
    numbers = [str(i % 7) for i in range(59)] + ["none"]
    many = ["same"] * 30 + [f"v{i}" for i in range(30)]
    for column in (numbers, [*numbers[:-1], "3"], [""] * 30 + numbers[:30], many):
        evaluation = Evaluation.from_scores({"m": scores}, inputs=column)
        for parts in (2, 5):
            options = {"numbers": True, "min_count": 2}
            assert told(never_whole(evaluation, parts), **options) == told(evaluation, **options)


@pytest.mark.parametrize("different", [MOST_CATEGORIES, MOST_CATEGORIES + 1])
@pytest.mark.parametrize("mixed", [False, True])
def test_too_many_values_are_no_category(different: int, *, mixed: bool) -> None:
    items = 8 * different
    column = [f"v{i % different if mixed else i // 8}" for i in range(items)]
    evaluation = Evaluation.from_scores({"m": [float(i % 3 == 0) for i in range(items)]}, inputs=column)
    found = told(evaluation, min_count=2)
    assert ('"category"' in found) == (different == MOST_CATEGORIES)
    assert told(never_whole(evaluation, 4), min_count=2) == found


def test_tokens_are_kept(tmp_path: Path) -> None:
    evaluation = never_whole(sentiment(), 3, tmp_path)
    found = told(evaluation, bigrams=True)
    kept = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    assert len([path for path in kept if path.name == "ids.npy"]) == 3
    assert told(evaluation, bigrams=True) == found
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == kept


def test_what_needs_all_items_says_so() -> None:
    with pytest.raises(UserError, match="--geval needs all items in one place"):
        features(never_whole(sentiment(), 2), geval=True)


def test_features_far_behind_are_folded_too() -> None:
    """More features have the same rows than are looked through at first."""
    alike = " ".join(f"w{i}" for i in range(NEAREST + 50))
    texts = [alike if i < 20 else "other" if i < 30 else "plain" for i in range(200)]
    evaluation = Evaluation.from_scores({"m": [float(i >= 30) for i in range(200)]}, inputs=texts)
    found = features(evaluation, top=30, resamples=0, adjust=[])
    first, second, *_ = found.lists[0].features
    assert len(first.folded) == NEAREST + 50  # the other words, and the whole text
    assert {second.feature, *second.folded} == {"in:other", "in = other"}
    assert told(never_whole(evaluation, 3), top=30) == told(evaluation, top=30)
