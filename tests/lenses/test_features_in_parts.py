"""Features of data in parts: the same bytes as of the data in one piece."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from slow_features import Asked, Data, asked, labelled, scored, spans, texts

from slicewise import Evaluation, features, load
from slicewise.engine.gather import in_parts
from slicewise.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[2] / "examples"
drawn = settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
any_data = st.one_of(
    st.tuples(scored(), st.just("mean")),
    st.tuples(labelled(), st.just("accuracy")),
    st.tuples(texts(), st.just("wer")),
    st.tuples(spans(), st.just("f1")),
)


def split(evaluation: Evaluation, parts: int, folder: Path | None = None) -> Evaluation:
    """Return an evaluation in parts, which cannot be read as a whole; with a folder, tokens are kept there."""
    found = in_parts(evaluation, parts, bounds_of(evaluation, parts))
    if found.parts is None:
        raise AssertionError
    kept = None if folder is None else SimpleNamespace(folder=folder)
    return replace(found, parts=replace(found.parts, whole=None, kept=kept))


def bounds_of(evaluation: Evaluation, parts: int) -> list[int]:
    """Return where parts begin, and the last ends; a document is in one part."""
    items, cluster = evaluation.aligned.items, evaluation.aligned.clusters.cluster
    begins = [i for i in range(items + 1) if i in (0, items) or cluster[i] != cluster[i - 1]]
    return [max(begin for begin in begins if begin <= items * i // parts) for i in range(parts + 1)]


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
    assert told(split(evaluation, 3, tmp_path), **options) == whole


@pytest.mark.parametrize("example", [news, chat, sentiment, topics])
@pytest.mark.parametrize("options", [{}, {"ngrams": 3, "shapes": True, "direction": "best"}], ids=["worst", "best"])
def test_units(example: Callable[[], Evaluation], options: dict[str, Any], tmp_path: Path) -> None:
    evaluation = example()
    whole = told(evaluation, units=True, **options)
    assert '"units"' in whole
    assert told(split(evaluation, 3, tmp_path), units=True, **options) == whole


@pytest.mark.parametrize("example", [news, sentiment, topics])
def test_attributes_of_items(example: Callable[[], Evaluation], tmp_path: Path) -> None:
    evaluation = example()
    options = {"attributes": "all", "bigrams": True}
    whole = told(evaluation, **options)
    assert '"attribute"' in whole
    assert told(split(evaluation, 3, tmp_path), **options) == whole


@pytest.mark.parametrize(("example", "ratio"), [(news, False), (sentiment, False), (questions, True)])
def test_change(example: Callable[[], Evaluation], ratio: bool) -> None:
    evaluation = example()
    options = {"direction": "worsening", "change": evaluation.ranked_systems[:2], "bigrams": True, "ratio": ratio}
    assert told(split(evaluation, 4), **options) == told(evaluation, **options)


@drawn
@given(any_data, asked(pairs=True), st.booleans(), st.integers(1, 9))
def test_any_data(data: tuple[Data, str], options: Asked, fold: bool, parts: int) -> None:
    own, metric = data
    evaluation = own.evaluation()
    more = options.options() | {"metrics": metric, "fold": fold, "top": 0}
    assert told(split(evaluation, parts), **more) == told(evaluation, **more)


def test_a_field_is_a_number_or_a_category_in_all_parts_or_in_none() -> None:
    chance = random.Random(1)
    scores = [chance.random() for _ in range(60)]
    numbers = [str(i % 7) for i in range(59)] + ["none"]
    many = ["same"] * 30 + [f"v{i}" for i in range(30)]
    for column in (numbers, [*numbers[:-1], "3"], [""] * 30 + numbers[:30], many):
        evaluation = Evaluation.from_scores({"m": scores}, inputs=column)
        for parts in (2, 5):
            options = {"numbers": True, "min_count": 2}
            assert told(split(evaluation, parts), **options) == told(evaluation, **options)


def test_too_many_values_are_no_category(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("extract.text", "lenses.ranked_parts"):
        monkeypatch.setattr(f"slicewise.{module}.MOST_CATEGORIES", 4)
    scores = [float(i % 3 == 0) for i in range(40)]
    for column in (
        [f"v{i // 8}" for i in range(40)],
        [f"v{i // 10}" for i in range(40)],
        [f"v{i % 5}" for i in range(40)],
    ):
        evaluation = Evaluation.from_scores({"m": scores}, inputs=column)
        found = told(evaluation, min_count=2)
        assert ('"category"' in found) == (len(set(column)) <= 4)
        assert told(split(evaluation, 4), min_count=2) == found


def test_tokens_are_kept(tmp_path: Path) -> None:
    evaluation = split(sentiment(), 3, tmp_path)
    found = told(evaluation, bigrams=True)
    kept = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    assert len([path for path in kept if path.name == "ids.npy"]) == 3
    assert told(evaluation, bigrams=True) == found
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == kept


def test_what_needs_all_items_says_so() -> None:
    with pytest.raises(UserError, match="--geval needs all items in one place"):
        features(split(sentiment(), 2), geval=True)
