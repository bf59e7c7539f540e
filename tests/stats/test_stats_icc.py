"""The intra-class correlation against an analysis of variance by hand, and its laws."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from slicewise.stats.icc import ClusterCorrelation, cluster_correlation

Clusters = list[list[float]]
clusters = st.lists(st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=1, max_size=6), min_size=2, max_size=8)


def found(data: Clusters) -> ClusterCorrelation:
    moments = [(len(own), sum(own), sum(x * x for x in own)) for own in data]
    return cluster_correlation(*np.array(moments, np.float64).T)


@given(clusters)
def test_it_is_that_of_an_analysis_of_variance(data: Clusters) -> None:
    every = [x for own in data for x in own]
    items, count = len(every), len(data)
    assume(items > count and len(set(every)) > 1)
    mean = sum(every) / items
    means = [sum(own) / len(own) for own in data]
    between = sum(len(own) * (m - mean) ** 2 for own, m in zip(data, means, strict=True)) / (count - 1)
    within = sum((x - m) ** 2 for own, m in zip(data, means, strict=True) for x in own) / (items - count)
    if within > 1e-9:
        assert scipy.stats.f_oneway(*data).statistic == pytest.approx(between / within)
    size = (items - sum(len(own) ** 2 for own in data) / items) / (count - 1)
    expected = (between - within) / (between + (size - 1) * within)
    result = found(data)
    assert result.icc == pytest.approx(expected)
    weighted = sum(len(own) ** 2 for own in data) / items
    assert result.design_effect == pytest.approx(max(1, 1 + expected * (weighted - 1)))
    assert result.effective_items <= result.items == items


@given(clusters, st.floats(0.5, 100), st.randoms(use_true_random=False))
def test_what_does_not_matter(data: Clusters, scale: float, rng: Any) -> None:
    """The unit of scores; the order of clusters, to the last digit; clusters without items."""
    plain = found(data)
    turned = rng.sample(data, len(data))
    assert repr(found(turned)) == repr(plain)
    assert repr(found([*data, []])) == repr(plain)
    scaled = found([[scale * x for x in own] for own in data])
    assert scaled.icc == pytest.approx(plain.icc, nan_ok=True, abs=1e-9)


def test_ends() -> None:
    same = found([[1.0] * 5, [0.0] * 5, [1.0] * 5])
    assert (same.icc, same.design_effect, same.effective_items) == (1, 5, 3)
    assert found([[0.0, 1.0]] * 6).icc < 0
    assert found([[0.0, 1.0]] * 6).design_effect == 1
    for nothing in ([[1.0, 0.0]], [[1.0], [0.0]], [[1.0, 1.0], [1.0]]):
        assert isnan(found(nothing).icc)


def test_simulated_clusters() -> None:
    rng = np.random.default_rng(0)
    for icc in (0.0, 0.1, 0.4):
        scores = np.sqrt(icc) * rng.standard_normal((2000, 1)) + np.sqrt(1 - icc) * rng.standard_normal((2000, 8))
        result = found(scores.tolist())
        assert result.icc == pytest.approx(icc, abs=0.02)
        # the variance of the mean is that many times the variance of independent items
        assert result.design_effect == pytest.approx(1 + 7 * icc, abs=0.15)
