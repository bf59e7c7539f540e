"""Gaps and what they are worth, shrunk as they were picked for being large."""

from __future__ import annotations

import numpy as np
import pytest
from support.slow_buckets import slow_factors

from slicewise import Evaluation, buckets


def test_gaps_and_their_worth_are_shrunk_by_what_the_intervals_say() -> None:
    """The standard error of a bucket is half the width of its interval over 1.96."""
    rng = np.random.default_rng(2)
    words = [" ".join(["w"] * int(n)) for n in rng.integers(1, 9, 300)]
    right = rng.random(300) < np.array([0.95 - 0.07 * len(text.split()) for text in words])
    gold = ["A"] * 300
    evaluation = Evaluation.from_labels(gold, {"s": np.where(right, "A", "B").tolist()}, texts=words)
    result = buckets(evaluation, attributes=["tokens", "chars"], metrics="accuracy")
    attributes = []
    for attribute in result.attributes.values():
        scored = [bucket.systems["s"] for bucket in attribute.buckets]
        known = [(result.value(s), result.bounds(s)) for s in scored]
        errors = [(v, (ci[1] - ci[0]) / (2 * 1.959963984540054)) for v, ci in known if v is not None and ci]
        attributes.append([(value, error**2) for value, error in errors])
    for attribute, factor in zip(result.attributes.values(), slow_factors(attributes), strict=True):
        diagnosis = attribute.systems["s"]
        assert diagnosis.raw_gap is not None
        assert diagnosis.gap == pytest.approx(factor * diagnosis.raw_gap)
    gaps = [finding for finding in result.findings if finding.kind == "gap"]
    assert gaps
    for finding in gaps:
        own = result.attributes[finding.attribute].systems["s"]
        assert (finding.difference, finding.raw_difference) == (own.gap, own.raw_gap)
        assert f"loses {own.gap:.2f} accuracy" in finding.text
        assert finding.worth == pytest.approx((finding.raw_worth or 0.0) * (own.gap or 0.0) / (own.raw_gap or 1.0))


def test_without_draws_nothing_is_shrunk() -> None:
    evaluation = Evaluation.from_labels(["A"] * 4, {"s": ["A", "A", "B", "A"]}, texts=["a", "a b", "a b c", "a b c d"])
    result = buckets(evaluation, attributes=["tokens"], metrics="accuracy", resamples=0)
    own = result.attributes["tokens"].systems["s"]
    assert own.gap == own.raw_gap == 1.0
