"""What `score` says of items that share their fate with others of their document."""

from __future__ import annotations

import json

import pytest

from slicewise import Evaluation, score


def documents(items: int, per: int, *, name: str = "s") -> Evaluation:
    """Return items of which all in one document are right, or all wrong."""
    right = [k // per % 2 == 0 for k in range(items)]
    return Evaluation.from_scores({name: [float(r) for r in right]}, clusters=[k // per for k in range(items)])


def test_items_that_are_alike_count_as_fewer() -> None:
    result = score(documents(300, 10), resamples=0)
    found = result.systems["s"].dependence
    assert found is not None
    assert found.items == 300
    assert found.icc == pytest.approx(1)
    assert found.design_effect == pytest.approx(10)
    assert found.effective_items == pytest.approx(30)
    assert "are alike (ICC 1.00): 300 items count as about 30." in " ".join(str(result).split())
    written = json.loads(result.to_json())["result"]["systems"]["s"]["dependence"]
    assert written["design_effect"] == pytest.approx(10)


def test_items_of_their_own_have_no_correlation() -> None:
    result = score(documents(30, 1), resamples=0)
    assert result.systems["s"].dependence is None
    assert "dependence" not in json.loads(result.to_json())["result"]["systems"]["s"]
    assert "are alike" not in str(result)
