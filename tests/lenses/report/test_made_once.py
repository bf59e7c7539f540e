"""One report of the example data works out every derived table once per data set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from slicewise import load, report
from slicewise.attributes.facts import Facts
from slicewise.engine.slices import Holders
from slicewise.extract.items import ItemFeatures
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.outcomes import bucket_patterns, outcomes
from slicewise.lenses.slicing.bucketed import BucketedUnits

if TYPE_CHECKING:
    from pathlib import Path

    from slicewise import Evaluation


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """Count what is made, by its kind and by the data set; data without rows are not counted."""
    counts: Counter[tuple[str, str]] = Counter()

    def count(kind: type[Any], evaluation_of: Any) -> None:
        build = kind.__init__

        def built(self: Any, *given: Any, **named: Any) -> None:
            build(self, *given, **named)
            evaluation = evaluation_of(self)
            if evaluation.aligned.items:
                counts[kind.__name__, evaluation.name] += 1

        monkeypatch.setattr(kind, "__init__", built)

    count(Facts, lambda facts: facts.evaluation)
    count(BucketedUnits, lambda units: units.part)
    for features in (UnitFeatures, ItemFeatures):
        count(features, lambda extracted: extracted.evaluation)
    unit_outcomes, holders = outcomes.unit_outcomes, Holders.of

    def counted_outcomes(*given: Any) -> Any:
        counts["Outcomes", "all"] += 1
        return unit_outcomes(*given)

    def counted_holders(*given: Any) -> Any:
        counts["Holders", "all"] += 1
        return holders(*given)

    for module in (outcomes, bucket_patterns):
        monkeypatch.setattr(module, "unit_outcomes", counted_outcomes)
    monkeypatch.setattr(Holders, "of", counted_holders)
    return counts


def data(examples: Path, name: str) -> Evaluation:
    folder = examples / name
    systems = {system: folder / "systems" / f"{system}.1.conll" for system in ("crf", "crf-char")}
    return load(gold=folder / "test.conll", train=folder / "train.conll", systems=systems, name=name)


def test_every_derived_table_is_made_once(examples: Path, made: Counter[tuple[str, str]]) -> None:
    names = ("news", "chat")
    report([data(examples, name) for name in names], resamples=50)
    kinds = ("Facts", "BucketedUnits", "UnitFeatures")
    # who has which, of both data sets: of spans, and of their tokens
    assert made == {(kind, name): 1 for kind in kinds for name in names} | {
        ("Outcomes", "all"): 4,
        ("Holders", "all"): 4,
    }


def test_a_lens_asked_again_makes_nothing_again(examples: Path, made: Counter[tuple[str, str]]) -> None:
    from slicewise import buckets, difficulty

    evaluation = data(examples, "chat")
    buckets(evaluation, resamples=20)
    difficulty(evaluation, resamples=20)
    before = Counter(made)
    buckets(evaluation, resamples=20)
    difficulty(evaluation, resamples=20)
    assert made == before
