"""Features of data of which the ranks of scores and the values of numbers stay where the parts are: the same bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_features import Asked, Data, asked
from test_features_in_parts import any_data, drawn, news, questions, sentiment, split, told

from slicewise import Evaluation
from slicewise.engine.gather import Here

if TYPE_CHECKING:
    from collections.abc import Callable


BACK = 2


@dataclass(frozen=True)
class Far(Here):
    """Brings no more than so many values together, and a part knows the ranks of its own values alone."""

    most_back: int | None = BACK


def far(evaluation: Evaluation, parts: int, most: int = BACK) -> Evaluation:
    """Return an evaluation in parts."""
    found = split(evaluation, parts)
    assert found.parts is not None
    return replace(found, parts=replace(found.parts, runner=Far(most_back=most)))


@pytest.fixture(autouse=True)
def all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cheap enough to be counted: as it is with very many different scores."""
    monkeypatch.setattr("slicewise.stats.rank_counts.ADDITIONS", 0)
    monkeypatch.setattr("slicewise.stats.rank_counts.STATES", 1)
    monkeypatch.setattr("slicewise.stats.rank_counts.DRAWS", 2_000)


@pytest.mark.parametrize("example", [news, sentiment, questions])
@pytest.mark.parametrize("direction", ["worst", "best"])
def test_examples(example: Callable[[], Evaluation], direction: str) -> None:
    """Scores of two values come back, all others stay."""
    evaluation = example()
    options: dict[str, Any] = {"ngrams": 2, "numbers": True, "direction": direction, "attributes": "all"}
    options |= {"pairs": True, "min_count": 25, "top": 30}
    whole = told(evaluation, **options)
    assert '"features"' in whole
    for most in (BACK, 40):
        assert told(far(evaluation, 3, most), **options) == whole


@drawn
@given(any_data, asked(pairs=True), st.integers(1, 5), st.sampled_from([BACK, 6]))
def test_any_data(data: tuple[Data, str], options: Asked, parts: int, most: int) -> None:
    """Ties, missing numbers, lower is better."""
    own, metric = data
    evaluation = own.evaluation()
    more = options.options() | {"metrics": metric, "top": 0}
    assert told(far(evaluation, parts, most), **more) == told(evaluation, **more)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_that_nearly_all_have_is_no_extreme(sign: int) -> None:
    """The most frequent value is the largest, or the smallest: the quarter there ends before it."""
    scores = [(i * 37 % 101) / 101 for i in range(300)]
    numbers = [str(sign * (60 if i % 5 else i % 60)) for i in range(300)]
    evaluation = Evaluation.from_scores({"m": scores}, inputs=numbers)
    options: dict[str, Any] = {"numbers": True, "min_count": 2, "top": 0}
    whole = told(evaluation, **options)
    assert '"number"' in whole
    assert told(far(evaluation, 3), **options) == whole
