"""Intervals of what systems find of each bin."""

from __future__ import annotations

import numpy as np
import pytest
from support.parts import never_whole

from slicewise import Evaluation, difficulty
from slicewise.stats.wilson import wilson_bounds


def tossed(items: int, systems: int, documents: int | None = None) -> Evaluation:
    """Return scored items that each system gets right by chance."""
    right = np.random.default_rng(items).random((systems, items)) < 0.6
    clusters = None if documents is None else [f"d{i * documents // items}" for i in range(items)]
    return Evaluation.from_scores(
        {f"s{i}": row.astype(float).tolist() for i, row in enumerate(right)}, clusters=clusters
    )


def test_independent_items_have_about_plain_wilson_intervals() -> None:
    result = difficulty(tossed(900, 4))
    assert result.gold.ci is not None
    for name, bounds in result.gold.ci.items():
        assert (bounds[0], bounds[-1]) == (None, None)  # by construction
        for n in range(1, 4):
            share, total = result.gold.shares[name][n], result.gold.totals[n]
            plain = wilson_bounds(np.array([share]), np.array([float(total)]), 1.96)
            assert bounds[n] == pytest.approx([float(bound[0]) for bound in plain], abs=0.02)
    assert "Wilson" in result.inference.interval
    assert "percentiles" in result.inference.difference_interval


def test_a_system_that_finds_all_of_a_bin_has_an_interval_of_some_width() -> None:
    right = {"a": [1.0, 1.0, 1.0, 0.0] * 4, "b": [0.0, 1.0, 0.0, 0.0] * 4}
    result = difficulty(Evaluation.from_scores(right))
    assert result.gold.shares["a"][1] == 1.0
    assert result.gold.ci is not None
    lo, hi = result.gold.ci["a"][1] or (1.0, 1.0)
    assert 0.4 < lo < 1 == hi


def test_tables_have_them_and_parts_give_the_same() -> None:
    evaluation = tossed(200, 3, documents=20)
    result = difficulty(evaluation)
    row = next(row for row in result.tables()["gold_bins"] if (row["system"], row["bin"]) == ("s1", 1))
    assert result.gold.ci is not None
    assert (row["share_lo"], row["share_hi"]) == result.gold.ci["s1"][1]
    assert difficulty(never_whole(evaluation, 60)).gold == result.gold


def test_without_draws_there_are_none() -> None:
    result = difficulty(tossed(60, 3), resamples=0)
    assert result.gold.ci is None
    assert "share_lo" not in result.tables()["gold_bins"][0]
