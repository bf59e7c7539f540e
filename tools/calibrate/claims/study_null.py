"""Several data sets: how often `study` finds buckets or systems that differ where none do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import SIZE, Claim, Counted, Setting, hit
from calibrate.worlds.columns import columns, labelled, scored
from calibrate.worlds.documents import Documents
from slicewise.lenses.study import StudyResult

SELF, PAIR, FRIEDMAN = "buckets of one system", "two systems", "Friedman"
EVEN = (0.25,) * 4
UNEVEN = (0.6, 0.3, 0.07, 0.03)


@dataclass(frozen=True)
class StudyNull:
    """Data sets of different difficulty, each with documents, two systems and columns."""

    data_sets: int
    documents: Documents
    kind: str = "accuracy 0.85"
    items: int = 300
    shares: tuple[float, ...] = EVEN

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw the data sets and study them."""
        evaluations = [self._data_set(rng, f"data{i}") for i in range(self.data_sets)]
        return counted(slicewise.study(evaluations, attributes=["c0", "c1", "c2"], resamples=0))

    def _data_set(self, rng: np.random.Generator, name: str) -> slicewise.Evaluation:
        document = self.documents.of_items(rng, self.items)
        categories = columns(rng, document, 3, shares=self.shares)
        harder = np.full(self.items, rng.normal(0, 0.3))
        make = labelled if self.kind.startswith("accuracy") else scored
        scores = {name: self.documents.scores(rng, document, self.kind, harder) for name in ("first", "second")}
        return make(scores, categories, document, name)


def counted(result: StudyResult) -> Mapping[str, Counted]:
    """Count whether any diagnosis and any of Friedman's tests has q < 0.05."""
    selfs = [diagnosis.q for diagnosis in result.diagnoses if diagnosis.kind == "self"]
    pairs = [diagnosis.q for diagnosis in result.diagnoses if diagnosis.kind != "self"]
    by_system = [row.friedman_q for row in result.model_wise]
    return {
        SELF: hit(_significant(selfs)),
        PAIR: hit(_significant(pairs)),
        FRIEDMAN: hit(_significant(by_system)),
    }


def _significant(values: list[float | None]) -> bool:
    return any(q is not None and q < 0.05 for q in values)


CLAIM = Claim(
    name="study",
    title="Studies: nothing to find",
    text=(
        "Data sets of 300 items that differ in difficulty, with two equally good systems and three columns of "
        "four values. Counted: runs in which q < 0.05 for any gap of one system over the data sets, for any "
        "difference of the two, or for any of Friedman's tests with data sets as blocks."
    ),
    figures={SELF: SIZE, PAIR: SIZE, FRIEDMAN: SIZE},
    settings=(
        Setting("3 data sets, 30 documents each, ICC 0.1", StudyNull(3, Documents(30, 0.1))),
        Setting("6 data sets, 30 documents each, ICC 0.1", StudyNull(6, Documents(30, 0.1))),
        Setting("10 data sets, 30 documents each, ICC 0.1", StudyNull(10, Documents(30, 0.1)), share=0.6),
        Setting("6 data sets, 10 documents each, ICC 0.25", StudyNull(6, Documents(10, 0.25))),
        Setting(
            "6 data sets, uneven buckets, 30 documents each, ICC 0.1", StudyNull(6, Documents(30, 0.1), shares=UNEVEN)
        ),
        Setting("6 data sets, 40 documents each, 5% broken", StudyNull(6, Documents(40, broken=0.05), "accuracy 0.95")),
        Setting("6 data sets, BLEU-like, 30 documents each, ICC 0.1", StudyNull(6, Documents(30, 0.1), "BLEU-like")),
    ),
    runs=100,
    chart="false discoveries",
)
