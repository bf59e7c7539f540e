"""An ensemble that a user names, as the units (or the labels) that it returns, and as a system file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.complement.result import Ensemble, Greedy
from slicewise.lenses.complement.write_system import write_system
from slicewise.lenses.outcomes.outcomes import Outcomes

KINDS = ("union", "intersection", "vote", "majority", "plurality", "greedy", "oracle")


@dataclass(frozen=True)
class EnsembleSpec:
    """A requested ensemble: its members, and how many must agree (None: the most frequent label)."""

    kind: str
    members: tuple[str, ...]
    k: int | None

    @property
    def description(self) -> str:
        """Name in reports."""
        names = ", ".join(self.members)
        if self.kind in ("union", "intersection", "oracle"):
            return f"{self.kind} of {names}"
        return f"plurality vote of {names}" if self.k is None else f"vote of {self.k} of {len(self.members)}: {names}"

    def chosen(self, greedy: Greedy | None) -> EnsembleSpec:
        """Return the spec with the members of the greedy vote filled in, if it is one."""
        if self.kind != "greedy":
            return self
        if greedy is None:
            raise UserError("greedy chooses its members by what they find, and there are no gold units; name others")
        return EnsembleSpec(self.kind, greedy.systems, greedy.k)


def parse_ensemble(text: str | None, task: Task, systems: Sequence[str], first: Mapping[str, str]) -> EnsembleSpec:
    """Read `union:A,B`, `vote:K:A,B,C`, `greedy` …; all systems where none is named. `first`: run of a system."""
    if not task.has_units:
        raise UserError(
            f"the task {task.value} has no units that systems could return together; leave out the ensemble"
        )
    text = ("plurality" if task is Task.LABELS else "majority") if text is None else text.strip()
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise UserError(f"unknown ensemble {quoted(text)}; {did_you_mean(kind, KINDS)}")
    number = ""
    if kind == "vote":
        number, _, rest = rest.partition(":")
    if kind == "greedy" and rest.strip():
        raise UserError("greedy chooses its members among all systems; leave out the names")
    if kind == "plurality" and task is not Task.LABELS:
        raise UserError(f"plurality is for the task labels, but the task is {task.value}; use majority or vote:K")
    members = _members(rest, systems, first)
    size = len(members)
    k = {"union": 1, "oracle": 1, "intersection": size, "majority": size // 2 + 1, "plurality": None, "greedy": None}
    spec = EnsembleSpec(kind, members, _votes(number, size) if kind == "vote" else k[kind])
    if task is Task.LABELS and kind != "oracle" and spec.k is not None and 2 * spec.k <= size:
        several = f"{spec.description} may return several labels of an item, and the task is labels"
        raise UserError(f"{several}; use plurality, or more votes")
    return spec


def _votes(text: str, members: int) -> int:
    """Read how many members must agree."""
    known = text.isascii() and text.isdigit() and len(text) <= len(str(members))
    if not known or not 1 <= int(text) <= members:
        message = f"how many of {counted(members, 'system')} must agree? write vote:1 to vote:{members}"
        raise UserError(f"{message}, or vote:K:A,B,C")
    return int(text)


def _members(text: str, systems: Sequence[str], first: Mapping[str, str]) -> tuple[str, ...]:
    if not text.strip():
        return tuple(systems)
    given = [name.strip() for name in text.split(",") if name.strip()]
    names = list(dict.fromkeys(first.get(name, name) for name in given))
    for name in names:
        if name not in systems:
            raise UserError(f"no system {quoted(name)}; {did_you_mean(name, systems)}")
    if len(names) < 2:
        raise UserError(f"{quoted(text)} names one system; an ensemble needs two or more")
    return tuple(names)


def write_ensemble(
    evaluation: Evaluation, outcomes: Outcomes, spec: EnsembleSpec, order: Sequence[str], path: Path
) -> Ensemble:
    """Write what an ensemble returns; `order` has the systems, the best first, for labels with as many votes."""
    columns = [outcomes.has[outcomes.systems.index(name)] for name in spec.members]
    votes = np.asarray(np.sum(columns, axis=0, dtype=np.int64))
    if evaluation.task is Task.LABELS:
        written = write_system(evaluation, path, units=None, votes=None, answers=_labels(evaluation, spec, order))
    else:
        chosen = np.asarray(votes >= (spec.k or 1))
        units = chosen & outcomes.gold if spec.kind == "oracle" else chosen
        written = write_system(evaluation, path, units=units, votes=votes, answers=None)
    return Ensemble(ensemble=spec.description, path=str(path), units=written.units, dropped=written.dropped)


def _labels(evaluation: Evaluation, spec: EnsembleSpec, order: Sequence[str]) -> pl.Series:
    """Return the label of each item: that with the most votes, of equally many that of the better system."""
    members = [name for name in order if name in spec.members]
    answers = pl.DataFrame({str(i): evaluation.answers(name).cast(pl.String) for i, name in enumerate(members)})
    gold = evaluation.answers("gold").cast(pl.String)
    votes = np.array([_agreeing(answers, column) for column in answers.get_columns()])
    best = votes.argmax(axis=0)  # the first of equal ones
    flat = np.arange(len(best)) + best * len(best)
    label = pl.concat([column.alias("") for column in answers.get_columns()]).gather(flat)
    if spec.kind == "oracle":
        right = np.any([gold.eq_missing(column).to_numpy() for column in answers.get_columns()], axis=0)
        return gold.set(pl.Series(~right), None)
    if spec.k is None:
        return label
    return label.set(pl.Series(votes.max(axis=0) < spec.k), None)


def _agreeing(answers: pl.DataFrame, answer: pl.Series) -> NDArray[np.int64]:
    """Return how many systems give the answer that one of them gives; 0 where it gives none."""
    same = [(other == answer).fill_null(False).to_numpy() for other in answers.get_columns()]
    return np.asarray(np.sum(same, axis=0, dtype=np.int64))
