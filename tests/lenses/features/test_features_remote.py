"""Features of data of which the ranks of scores and the values of numbers stay where the parts are: the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.parts import never_whole
from support.slow_features import Asked, Data, asked
from test_features_in_parts import any_data, drawn, news, questions, sentiment, told

from slicewise import Evaluation
from slicewise.stats import rank_counts

if TYPE_CHECKING:
    from collections.abc import Callable


BACK = 2


def remote(evaluation: Evaluation, parts: int, most: int = BACK) -> Evaluation:
    """Return an evaluation in parts, of which no more than so many values of a column come together."""
    return never_whole(evaluation, parts, max_collected=most)


@pytest.fixture(autouse=True)
def none_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cheap enough to be counted: as it is with very many different scores."""
    for name, limit in {"ADDITIONS": 0, "STATES": 1}.items():
        monkeypatch.setattr(rank_counts, name, limit)


@pytest.mark.parametrize(
    ("example", "direction"), [(news, "worst"), (sentiment, "worst"), (sentiment, "best"), (questions, "best")]
)
def test_examples(example: Callable[[], Evaluation], direction: str) -> None:
    """Scores of two values come back, all others stay."""
    evaluation = example()
    options: dict[str, Any] = {"ngrams": 2, "numbers": True, "direction": direction, "attributes": "all"}
    options |= {"pairs": True, "min_count": 25, "top": 30}
    whole = told(evaluation, **options)
    assert '"features"' in whole
    for most in (BACK, 40):
        assert told(remote(evaluation, 3, most), **options) == whole


@drawn
@given(any_data, asked(pairs=True), st.integers(1, 5), st.sampled_from([BACK, 6]))
def test_any_data(data: tuple[Data, str], options: Asked, parts: int, most: int) -> None:
    """Ties, missing numbers, lower is better."""
    own, metric = data
    evaluation = own.evaluation()
    more = options.options() | {"metrics": metric, "top": 0}
    assert told(remote(evaluation, parts, most), **more) == told(evaluation, **more)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_that_nearly_all_have_is_no_extreme(sign: int) -> None:
    """The most frequent value is the largest, or the smallest: the quarter there ends before it."""
    scores = [(i * 37 % 101) / 101 for i in range(300)]
    numbers = [str(sign * (60 if i % 5 else i % 60)) for i in range(300)]
    evaluation = Evaluation.from_scores({"m": scores}, inputs=numbers)
    options: dict[str, Any] = {"numbers": True, "min_count": 2, "top": 0}
    whole = told(evaluation, **options)
    assert '"number"' in whole
    assert told(remote(evaluation, 3), **options) == whole
