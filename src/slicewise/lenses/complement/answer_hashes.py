"""Hashes of the answers in each group, which distinguish groups whose items differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.engine.local import aggregate
from slicewise.evaluation import Evaluation
from slicewise.stats.canonical import mixed

Hashes = NDArray[np.uint64]

HALF = np.uint64(32)
"""A hash is summed in two halves, whose sums fit 64 bits."""
LOW = np.uint64(2**32 - 1)


def hash_answers(evaluation: Evaluation, systems: Sequence[str], salts: Hashes) -> Hashes:
    """Return a hash per group of its items' answers, those of gold and of each system with a salt of their own."""
    names = ("gold", *systems)
    known = aggregate(evaluation, _DistinctAnswers(names))
    silent = [None] if (known["silent"] == 1).any() else []
    answers = [*silent, *known["answer"].filter(known["silent"] == 0).sort().to_list()]
    sums = aggregate(evaluation, _AnswerHashes(names, tuple(answers), tuple(salts.tolist())))
    prints = np.zeros(evaluation.aligned.clusters.groups, np.uint64)
    high, low = (sums[name].to_numpy().astype(np.uint64) for name in ("high", "low"))
    prints[sums["group"].to_numpy()] = (high << HALF) + low
    return prints


@dataclass(frozen=True)
class _DistinctAnswers:
    """Kernel: the distinct answers."""

    names: tuple[str, ...]
    by: tuple[str, ...] = ("silent", "answer")
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the answers of a part; a missing answer counts as one."""
        answers = pl.concat([part.answers(name).cast(pl.String).unique() for name in self.names]).unique()
        return pl.DataFrame(
            {"silent": answers.is_null().cast(pl.Int64), "answer": answers.fill_null("")}
            | {"n": pl.Series([1], dtype=pl.Int64).new_from_index(0, len(answers))}
        )


@dataclass(frozen=True)
class _AnswerHashes:
    """Kernel: hashes the answers of items, coded by their sorted order, and sums the hashes by group."""

    names: tuple[str, ...]
    answers: tuple[str | None, ...]
    salts: tuple[int, ...]
    by: tuple[str, ...] = ("group",)
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the sums of a part, in two halves."""
        items = np.zeros(part.aligned.items, np.uint64)
        known = pl.Series(self.answers, dtype=pl.String)
        for name, salt in zip(self.names, self.salts, strict=True):
            texts = part.answers(name).cast(pl.String)
            codes = texts.replace_strict(known, pl.Series(range(len(known))), return_dtype=pl.Int64)
            items += mixed(codes.to_numpy().astype(np.uint64) + np.uint64(salt))
        prints = mixed(items)
        halves = {"high": (prints >> HALF).astype(np.int64), "low": (prints & LOW).astype(np.int64)}
        frame = pl.DataFrame({"group": part.aligned.clusters.group.astype(np.int64)} | halves)
        return frame.group_by("group").sum()
