"""What `score` says of items that share their fate with others of their document."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.parts import in_parts

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


def unmarked(items: int, per: int, seed: int = 0) -> Evaluation:
    """Return items of documents that are not marked; each document has its own difficulty."""
    rng = np.random.default_rng(seed)
    easy = np.repeat(rng.beta(2, 1, -(-items // per)), per)[:items]
    return Evaluation.from_scores({name: (rng.random(items) < easy).astype(float).tolist() for name in "ab"})


def test_neighbours_that_are_alike_are_warned_of() -> None:
    (warning,) = score(unmarked(600, 10), resamples=0).data["warnings"]
    assert warning.startswith("items next to each other are scored alike (correlation 0.")
    assert "--cluster FIELD" in warning
    assert score(unmarked(600, 1), resamples=0).data["warnings"] == []
    assert not any("next to each other" in w for w in score(documents(300, 10), resamples=0).data["warnings"])


def test_independent_items_are_seldom_warned_of() -> None:
    warned = [bool(score(unmarked(120, 1, seed), resamples=0).data["warnings"]) for seed in range(60)]
    assert sum(warned) <= 1


@pytest.mark.parametrize("size", [2, 7])
def test_the_same_in_parts(size: int) -> None:
    for evaluation in (unmarked(600, 10), documents(300, 10)):
        assert score(in_parts(evaluation, size), resamples=0).to_json() == score(evaluation, resamples=0).to_json()
