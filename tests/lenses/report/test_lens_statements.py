"""What single lenses state in a report, and what their sections show: by the rules that are said of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import slicewise
from slicewise.lenses.buckets.declaration import NEARLY_ALL
from slicewise.lenses.buckets.declaration import statements as of_buckets
from slicewise.lenses.complement.declaration import statements as of_complement
from slicewise.lenses.contract import LensContext, ReportOptions
from slicewise.lenses.outcomes.outcome_counts import outcomes_of
from slicewise.render.figures import Figure
from slicewise.results.slices import confusion_slice

if TYPE_CHECKING:
    from slicewise.lenses.buckets import BucketsResult

LABELS = ["x", "y", "z"]


def labels(*shares: float, items: int = 400, seed: int = 1) -> slicewise.Evaluation:
    """Return systems that are right on so large a share of the items, each by its own chance; long items are harder."""
    rng = np.random.default_rng(seed)
    gold = [LABELS[i % 3] for i in range(items)]
    long = np.arange(items) % 2 == 0
    systems = {}
    for k, share in enumerate(shares):
        right = rng.random(items) < share - 0.3 * long
        systems[f"s{k}"] = [
            label if ok else LABELS[(i + 1) % 3] for i, (label, ok) in enumerate(zip(gold, right, strict=True))
        ]
    texts = ["a b c d e f g h" if hard else "a b" for hard in long]
    return slicewise.Evaluation.from_labels(gold, systems, texts=texts)


def context(evaluation: slicewise.Evaluation, **more: Any) -> LensContext:
    outcomes = outcomes_of(evaluation, evaluation.systems)
    return LensContext(evaluation=evaluation, options=ReportOptions(), outcomes=outcomes, results={}, **more)


@pytest.fixture(scope="module")
def sliced() -> BucketsResult:
    return slicewise.buckets(labels(0.95, 0.6), attributes=["tokens"], resamples=200)


def test_a_bucket_of_nearly_all_units_is_no_finding(sliced: BucketsResult) -> None:
    evaluation = labels(0.95, 0.6)
    gaps = [finding for finding in sliced.findings if finding.kind == "gap"]
    assert gaps
    for share, stated in ((NEARLY_ALL, len(gaps)), (NEARLY_ALL + 0.01, 0)):
        findings = tuple(replace(finding, share=share) for finding in gaps)
        assert len(list(of_buckets(replace(sliced, findings=findings), context(evaluation)))) == stated


def test_a_difference_is_stated_where_one_of_the_best_is_beaten(sliced: BucketsResult) -> None:
    evaluation = labels(0.95, 0.6)
    beaten = tuple(replace(f, share=0.5) for f in sliced.findings if f.kind == "difference")
    assert {finding.against for finding in beaten} == {"s1"}
    result = replace(sliced, findings=beaten)
    assert [one.system for one in of_buckets(result, context(evaluation, best=("s1",)))] == ["s1"] * len(beaten)
    assert list(of_buckets(result, context(evaluation, best=("s0",)))) == []


def taking_turns(items: int, every: int) -> slicewise.Evaluation:
    """Return three systems, of which never two are wrong on the same item: a vote is always right."""
    gold = [LABELS[i % 3] for i in range(items)]
    systems = {f"s{k}": [LABELS[(i + (i % every == k)) % 3] for i in range(items)] for k in range(3)}
    return slicewise.Evaluation.from_labels(gold, systems)


def test_a_vote_is_stated_where_it_surely_beats_the_best() -> None:
    sure = taking_turns(300, every=10)
    [stated] = of_complement(slicewise.complement(sure, resamples=20), context(sure))
    assert stated.text.startswith("A vote in which 2 of the 3 systems must agree beats the best of them, ")
    assert stated.worth == pytest.approx(0.1)


def test_a_vote_that_may_be_better_by_chance_is_not_stated() -> None:
    unsure = taking_turns(12, every=12)  # each is wrong on one item
    assert list(of_complement(slicewise.complement(unsure, resamples=20), context(unsure))) == []


def test_what_a_system_has_right_is_on_the_diagonal_of_its_confusions() -> None:
    evaluation = labels(0.9, 0.6)
    [part] = slicewise.report(evaluation, resamples=0).parts
    rows = slicewise.units(evaluation).frame.to_dicts()
    for system in evaluation.systems:
        for label in LABELS:
            right = [row for row in rows if row["gold"] and row[system] and row["label"] == label]
            assert part.evidence["slices"][confusion_slice(system, label, label)]["units"] == len(right)


def test_the_figures_of_systems_stand_in_the_order_of_their_scores() -> None:
    report = slicewise.report(labels(0.6, 0.95, 0.8), resamples=0)
    assert report.parts[0].score.ranking() == ["s1", "s2", "s0"]
    [section] = [section for section in report.page().sections if section.id == "features"]
    tabs = dict.fromkeys(one.tab for one in section.parts if isinstance(one, Figure) and one.tab)
    assert list(tabs) == ["s1", "s2", "s0"]


def test_scored_items_have_no_gold_to_suspect() -> None:
    scores = {f"s{k}": [float(i % 5 > 0) for i in range(40)] for k in range(5)}
    sections = slicewise.report(slicewise.Evaluation.from_scores(scores), resamples=0).page().sections
    assert "difficulty" in [section.id for section in sections]
    assert "suspects" not in [section.id for section in sections]
