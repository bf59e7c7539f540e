"""The strongest statements: what mending them would be worth, counted slowly, and which of them are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import slicewise
from slicewise.lenses.report.statements import EACH, MOST, strongest
from slicewise.results.statement import Statement

if TYPE_CHECKING:
    from slicewise.lenses.features.result import FeaturesResult
    from slicewise.lenses.report.result import ReportResult


def corpus(items: int = 300) -> slicewise.Evaluation:
    """Names of one token; those after `Dr` are missed by one system, and `Foo` is returned where it is none."""
    tokens, gold, weak, strong = [], [], [], []
    for i in range(items):
        hard, noise = i % 3 == 0, i % 5 == 0
        tokens.append(["Dr" if hard else "the", "Miller", "met", "Foo" if noise else "us", "."])
        gold.append([(1, 2, "PER")])
        weak.append(([] if hard and i % 4 else [(1, 2, "PER")]) + ([(3, 4, "PER")] if noise else []))
        strong.append([(1, 2, "PER")] if i % 50 else [])
    return slicewise.Evaluation.from_spans(tokens, gold, {"weak": weak, "strong": strong})


@pytest.fixture(scope="module")
def evaluation() -> slicewise.Evaluation:
    return corpus()


@pytest.fixture(scope="module")
def report(evaluation: slicewise.Evaluation) -> ReportResult:
    return slicewise.report(evaluation, resamples=200)


def f1(tp: float, n_pred: float, n_gold: float) -> float:
    return 2 * tp / (n_pred + n_gold)


def believed(result: FeaturesResult, stated: Statement) -> float:
    """Return which part of the gain of a stated feature is believed."""
    over = (stated.slice or "").split("/")[1]
    features = next(of.features for of in result.lists if (of.over, of.system) == (over, stated.system))
    feature = next(feature for feature in features if feature.feature == stated.topic)
    assert feature.expected_improvement is not None
    assert feature.raw_expected_improvement is not None
    part = feature.expected_improvement / feature.raw_expected_improvement
    assert 0.5 < part < 1
    return part


def test_the_worth_of_a_feature_of_missed_units(report: ReportResult, evaluation: slicewise.Evaluation) -> None:
    (one,) = [s for s in report.statements if (s.slice or "").startswith("feature/gold/weak/")]
    assert "Dr" in one.topic
    rows = slicewise.units(evaluation).frame.to_dicts()
    gold = [row for row in rows if row["gold"]]
    with_it = [row for row in gold if row["item"] % 3 == 0]
    others = [row for row in gold if row["item"] % 3]
    found_of_others = sum(row["weak"] for row in others) / len(others)
    tp, n_pred = sum(row["weak"] for row in gold), sum(row["weak"] for row in rows)
    mended = found_of_others * len(with_it) - sum(row["weak"] for row in with_it)
    mended *= believed(report.parts[0].features, one)
    assert one.worth == pytest.approx(f1(tp + mended, n_pred + mended, len(gold)) - f1(tp, n_pred, len(gold)))
    assert one.n == len(with_it)
    assert one.number == pytest.approx(found_of_others - sum(row["weak"] for row in with_it) / len(with_it))


def test_the_worth_of_a_feature_of_spurious_units(evaluation: slicewise.Evaluation) -> None:
    from slicewise.lenses.contract import LensContext, ReportOptions
    from slicewise.lenses.features.statements import statements
    from slicewise.lenses.outcomes.outcome_counts import outcomes_of

    features, score = slicewise.features(evaluation, units=True), slicewise.score(evaluation, resamples=0)
    context = LensContext(
        evaluation=evaluation,
        options=ReportOptions(),
        outcomes=outcomes_of(evaluation, evaluation.systems),
        results={"features": features},
        counts={name: scores.micro for name, scores in score.systems.items() if scores.micro is not None},
    )
    stated = [s for s in statements(features, context) if "Foo" in s.topic]
    (one,) = [s for s in stated if (s.slice or "").startswith("feature/returned/")]
    rows = slicewise.units(evaluation).frame.to_dicts()
    returned = [row for row in rows if row["weak"]]
    wrong = [row for row in returned if row["text"] == "Foo"]
    tp, n_gold = sum(row["gold"] for row in returned), sum(row["gold"] for row in rows)
    assert not any(row["gold"] for row in wrong)
    # without them, all that is returned is right: as many fewer are returned, so far as that is believed
    fewer = len(wrong) * believed(features, one)
    assert len(wrong) == len(returned) - tp
    assert one.worth == pytest.approx(f1(tp, len(returned) - fewer, n_gold) - f1(tp, len(returned), n_gold))


def test_what_beats_what_over_all(report: ReportResult) -> None:
    (one,) = [s for s in report.statements if s.lens == "score"]
    score = report.parts[0].score
    values = [score.systems[name].metrics["f1"].value or 0.0 for name in ("strong", "weak")]
    assert one.worth == pytest.approx(values[0] - values[1])
    assert one.text.startswith("strong beats weak by")


def statement(worth: float, *, lens: str = "buckets", system: str = "a", topic: str = "x") -> Statement:
    return Statement(
        text=f"{worth} {lens} {system} {topic}", lens=lens, dataset="d", system=system, number=0.1, unit="f1", n=10,
        q=0.01, worth=worth, slice=None, topic=topic,
    )  # fmt: skip


def test_what_is_worth_most_comes_first_and_no_more_than_ten() -> None:
    many = [statement(i / 100, system=f"s{i}", topic=f"t{i}") for i in range(30)]
    chosen = strongest(many, best=())
    assert len(chosen) == MOST
    assert [one.worth for one in chosen] == sorted((one.worth or 0 for one in many), reverse=True)[:MOST]


def test_no_lens_says_the_same_again_and_again() -> None:
    alike = [statement(0.9 - i / 100, topic=f"t{i}") for i in range(8)]
    same = [statement(0.5 - i / 100, system=f"s{i}", topic="eLen") for i in range(8)]
    assert sum(one.system == "a" for one in strongest([*alike, *same], best=())) == 1
    chosen = strongest([*alike, *same], best={"a"})
    assert sum(one.system == "a" for one in chosen) == EACH
    assert sum(one.topic == "eLen" for one in chosen) == EACH


def test_every_lens_and_the_best_system_are_heard() -> None:
    loud = [statement(0.5 + i / 100, system=f"s{i}", topic=f"t{i}") for i in range(20)]
    quiet = [statement(0.01, lens="difficulty", topic="q"), statement(0.02, system="best", topic="b")]
    chosen = strongest([*loud, *quiet], best={"best"})
    assert set(quiet) <= set(chosen)


def test_without_resamples_nothing_is_stated(evaluation: slicewise.Evaluation) -> None:
    report = slicewise.report(evaluation, resamples=0)
    assert report.statements == ()
    assert "Nothing was tested" in str(report)


def test_chance_alone_makes_few_statements() -> None:
    """Two systems that err by chance: hardly anything survives correction."""
    import numpy as np

    rng = np.random.default_rng(3)
    tokens = [[f"w{x}" for x in rng.integers(0, 40, 8)] for _ in range(400)]
    gold = [[(2, 3, "A" if rng.random() < 0.5 else "B")] for _ in range(400)]
    systems = {name: [spans if rng.random() < 0.7 else [] for spans in gold] for name in ("a", "b")}
    report = slicewise.report(slicewise.Evaluation.from_spans(tokens, gold, systems), resamples=200)
    assert report.survived <= 2


def test_the_worth_of_a_difference_is_what_its_counts_would_make(evaluation: slicewise.Evaluation) -> None:
    """The worse system's F1 with the better one's counts in the bucket, less its F1 now."""
    result = slicewise.buckets(evaluation, resamples=200)
    differences = [one for one in result.findings if one.kind == "difference"]
    assert differences
    for one in differences:
        totals, mended = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        for bucket in result.attributes[one.attribute].buckets:
            for who, sums in (
                (one.against, totals),
                (one.system if bucket.name == one.bucket else one.against, mended),
            ):
                counts = bucket.systems[str(who)]
                for i, name in enumerate(("tp", "n_pred", "n_gold")):
                    sums[i] += getattr(counts, name)
        assert one.worth == pytest.approx(f1(*mended) - f1(*totals))
