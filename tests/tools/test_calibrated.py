"""A small version of every simulation: generous bounds, which a broken test or interval misses."""

from __future__ import annotations

import pytest
from calibrate.catalogue import CLAIMS
from calibrate.claim import Run
from calibrate.claims import coverage_others, coverage_shares, difficulty_null, outcomes, power, study_null, worth
from calibrate.claims.buckets_null import BucketsNull, SpansNull
from calibrate.claims.score_null import ScoreNull, Unmarked
from calibrate.worlds.documents import Documents
from support.few_runs import few_runs

ALIKE = Documents(30, 0.2)

SMALL: dict[str, tuple[Run, int, dict[str, tuple[float, float]]]] = {
    "buckets of items": (
        BucketsNull("accuracy 0.85", ALIKE, items=300, of_documents=1),
        15,
        {"a gap of one system": (0, 0.2), "a difference of two": (0, 0.2)},
    ),
    "buckets of spans": (
        SpansNull(0.9, ALIKE, sentences=150),
        15,
        {"a gap of one system": (0, 0.2), "a difference of two": (0, 0.2)},
    ),
    "study": (
        study_null.StudyNull(3, Documents(15, 0.1), items=150, shares=study_null.UNEVEN),
        15,
        {"buckets of one system": (0, 0.2), "two systems": (0, 0.2), "Friedman": (0, 0.2)},
    ),
    "score": (ScoreNull("BLEU-like", Documents(20, 0.2), items=300), 40, {"p < 0.05": (0, 0.2)}),
    "independent items": (Unmarked(Documents(300), items=300), 25, {"a warning": (0, 0.1)}),
    "documents that are not marked": (Unmarked(Documents(15, 0.4), items=300), 10, {"a warning": (0.7, 1)}),
    "coverage of few units": (
        coverage_shares.SharesCoverage(10, 0.98, Documents(40, 0.1)),
        40,
        {"F1 of a label": (0.85, 1), "F1 of a bucket": (0.85, 1), "F1 of the corpus": (0.8, 1)},
    ),
    "coverage in documents": (
        coverage_shares.SharesCoverage(100, 0.5, Documents(20, 0.25)),
        30,
        {"R of a label": (0.8, 1), "P of a label": (0.8, 1), "F1 of the corpus": (0.8, 1)},
    ),
    "coverage-others": (
        coverage_others.Scored("BLEU-like", Documents(15, 0.2), items=150),
        15,
        {"mean or macro-F1": (0.75, 1), "difference of two systems": (0.75, 1), "mean of a bucket": (0.7, 1)},
    ),
    "outcomes": (
        outcomes.CoinTossers(3, Documents(30, 0.1), 150),
        10,
        {
            "gain − truth": (-0.02, 0.02),
            "gain above 0 by chance": (0, 0.2),
            "complementarity": (0.75, 1),
            "accuracy of a vote": (0.7, 1),
            "difference in a bin": (0.8, 1),
        },
    ),
    "worth": (
        worth.TopBucket(600, 0.3, columns=6),
        20,
        {"something found": (0.5, 1), "worth ÷ truth": (0.5, 1.5), "gap ÷ truth": (0.6, 1.5)},
    ),
    "power of score": (power.Pair(Documents(40, 0.1), 600, 0.6), 8, {"found": (0.8, 1)}),
    "power of buckets": (power.HardBucket(Documents(40, 0.1), 600, 0.9, both=True), 8, {"found": (0.8, 1)}),
    "power of a study": (power.HardOnAll(Documents(20, 0.1), 200, 0.9, True, 5), 4, {"found": (0.8, 1)}),
    "difficulty": (difficulty_null.HardUnits(Documents(100), sentences=80), 6, {"a false discovery": (0, 0.3)}),
}


@pytest.mark.parametrize("name", SMALL)
def test_promises_are_kept(name: str) -> None:
    run, runs, bounds = SMALL[name]
    figures = few_runs(name, run, runs)
    outside = {
        figure: figures.get(figure)
        for figure, (low, high) in bounds.items()
        if not low <= figures.get(figure, -1) <= high
    }
    assert not outside


def test_every_kind_of_simulation_has_a_small_version() -> None:
    kinds = {type(setting.run) for claim in CLAIMS.values() for setting in claim.settings}
    of_features = {kind for kind in kinds if "feature" in kind.__module__ or "units" in kind.__module__}
    tried = {type(run) for run, _, _ in SMALL.values()}
    assert {kind.__module__ for kind in kinds - of_features} == {kind.__module__ for kind in tried}
