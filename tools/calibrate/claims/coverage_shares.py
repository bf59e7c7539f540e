"""Intervals of precision, recall and F1: how often they hold the truth, in slices of few units and over the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.claim import COVERAGE, Claim, Counted, Setting, covered
from calibrate.worlds.documents import Documents
from calibrate.worlds.spans import chances

LABEL_P, LABEL_R, LABEL_F = "P of a label", "R of a label", "F1 of a label"
BUCKET, CORPUS = "F1 of a bucket", "F1 of the corpus"
RARE, COMMON = "rare", "common"
COMMON_UNITS = 300


@dataclass(frozen=True)
class SharesCoverage:
    """A rare label among a common one, with as many decoys as gold units: the truth is the same for both."""

    units: int
    f1: float
    documents: Documents

    def __call__(self, rng: np.random.Generator) -> Mapping[str, Counted]:
        """Draw a data set; see whether the intervals hold the mean chance of a unit."""
        world = self.documents
        items = 2 * (COMMON_UNITS + self.units)
        document = world.of_items(rng, items)
        label = np.where(rng.random(items) < self.units / (COMMON_UNITS + self.units), RARE, COMMON)
        gold = rng.random(items) < 0.5
        chance = chances(rng, world, document, self.f1)
        returned = rng.random(items) < np.where(gold, chance, 1 - chance)
        data = slicewise.Evaluation.from_labels(
            _sets(label.tolist(), gold.tolist()),
            {"system": _sets(label.tolist(), returned.tolist())},
            clusters=document.tolist(),
        )
        truth = self.f1 * (1 - 0.9 * world.broken)
        return _counted(data, truth)


def _counted(data: slicewise.Evaluation, truth: float) -> Mapping[str, Counted]:
    scores = slicewise.score(data, metrics=["f1"]).systems["system"]
    counts = {}
    if RARE in scores.labels:
        bounds = scores.labels[RARE].ci or {}
        measures = ((LABEL_P, "precision"), (LABEL_R, "recall"), (LABEL_F, "f1"))
        counts = {figure: covered(bounds.get(name), truth) for figure, name in measures}
    overall = None if scores.micro is None else (scores.micro.ci or {}).get("f1")
    result = slicewise.buckets(data, attributes=["label"], metrics=["f1"])
    slots = result.attributes["label"].buckets
    rare = [covered(result.bounds(slot.systems["system"]), truth) for slot in slots if slot.name == RARE]
    return {**counts, BUCKET: rare[0] if rare else (0.0, 0.0), CORPUS: covered(overall, truth)}


def _sets(labels: list[str], marked: list[bool]) -> list[list[str]]:
    return [[label] if mark else [] for label, mark in zip(labels, marked, strict=True)]


def _setting(units: int, f1: float, world: Documents) -> Setting:
    return Setting(f"{units} units, F1 {f1:g}, {world.said}", SharesCoverage(units, f1, world))


CLAIM = Claim(
    name="coverage",
    title="Intervals of precision, recall and F1",
    text=(
        "A label (as a bucket, too) of 10, 30 or 100 gold units in a corpus of 300 more, in documents that "
        "differ. Counted: 95% intervals that hold the truth, which is the score over all documents that there "
        "could be."
    ),
    figures=dict.fromkeys((LABEL_P, LABEL_R, LABEL_F, BUCKET, CORPUS), COVERAGE),
    settings=(
        *(_setting(n, f1, Documents(60, 0.1)) for n in (10, 30, 100) for f1 in (0.06, 0.5, 0.9, 0.98)),
        _setting(30, 0.9, Documents(15, 0.1)),
        _setting(100, 0.5, Documents(15, 0.1)),
        _setting(100, 0.9, Documents(200, 0.0)),
        _setting(100, 0.9, Documents(100, 0.25)),
        _setting(100, 0.9, Documents(60, 0.1, uneven=True)),
        _setting(100, 0.98, Documents(100, 0.0, broken=0.05)),
    ),
    runs=300,
    chart="coverage",
)
