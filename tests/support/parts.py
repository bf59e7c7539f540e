"""Evaluations that are in memory, worked on in parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from slicewise.engine.local import FIELDS, TEXTS, LocalRunner, Parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from slicewise import Evaluation


@dataclass(frozen=True)
class InMemoryParts:
    """An evaluation in memory as a source of parts: ranges of its items."""

    evaluation: Evaluation
    bounds: tuple[int, ...]
    """Where each part begins, and where the last one ends."""

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def items(self, i: int) -> int:
        return self.bounds[i + 1] - self.bounds[i]

    def head(self, needs: frozenset[str]) -> Evaluation:
        return self.evaluation.between(0, 0, without=frozenset({TEXTS, FIELDS}) - needs)

    def part(self, i: int, needs: frozenset[str]) -> Evaluation:
        if len(self) == 1:
            return self.evaluation
        return self.evaluation.between(self.bounds[i], self.bounds[i + 1], without=frozenset({TEXTS, FIELDS}) - needs)


def in_parts(evaluation: Evaluation, size: int, bounds: Sequence[int] = ()) -> Evaluation:
    """Return an evaluation that is in memory as one in so many parts, of one size unless their bounds are given."""
    items = evaluation.aligned.items
    source = InMemoryParts(evaluation, tuple(bounds) or tuple(items * i // size for i in range(size + 1)))
    return evaluation.parted(Parts(source, LocalRunner(), evaluation.gold_units, lambda: evaluation))


def parted(evaluation: Evaluation, size: int, *, max_collected: int | None = None) -> Evaluation:
    """Return an evaluation in so many parts; `max_collected`: how many values of a column may come together."""
    found = in_parts(evaluation, size, bounds_of(evaluation, size))
    assert found.parts is not None
    return replace(found, parts=replace(found.parts, runner=LocalRunner(max_collected=max_collected)))


def never_whole(evaluation: Evaluation, size: int, folder: Path | None = None, **options: int) -> Evaluation:
    """Return an evaluation in parts, which cannot be read as a whole; with a folder, tokens are kept there."""
    found = parted(evaluation, size, **options)
    assert found.parts is not None
    kept = None if folder is None else SimpleNamespace(folder=folder)
    return replace(found, parts=replace(found.parts, whole=None, kept=kept))


def bounds_of(evaluation: Evaluation, size: int) -> list[int]:
    """Return where parts begin, and the last ends, so that none splits a document; some may be empty."""
    items, cluster = evaluation.aligned.items, evaluation.aligned.clusters.cluster.tolist()
    last = {document: i + 1 for i, document in enumerate(cluster)}
    reach, free = 0, [0]
    for i, document in enumerate(cluster, 1):
        reach = max(reach, last[document])
        free += [i] if reach == i else []
    return [free[int(np.searchsorted(free, items * i // size))] for i in range(size + 1)]
