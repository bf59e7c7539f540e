"""Tokens that are marked in a list of items: those that go with low scores, of enough items."""

from __future__ import annotations

import pytest

from slicewise import Evaluation, items


@pytest.mark.parametrize(("times", "marked"), [(4, False), (5, True)])
def test_a_token_of_few_items_is_not_bad(times: int, *, marked: bool) -> None:
    texts = [f"plain text{' odd' if i < times else ''}" for i in range(300)]
    evaluation = Evaluation.from_scores({"s": [float(i >= times) for i in range(300)]}, inputs=texts)
    first = next(iter(items(evaluation).items))
    assert first.bad == (("odd",) if marked else ())
