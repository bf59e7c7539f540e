"""Units in the buckets of their attributes, and their statistics summed: what `buckets` and `study` read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes import Facts, Of, choose, values_of
from slicewise.bucketing import (
    Bucketing,
    Buckets,
    Slot,
    Values,
    as_category,
    bucketing_of,
    check_buckets,
    is_number,
)
from slicewise.engine import item_statistics, slice_cells, slice_statistics
from slicewise.errors import UserError, quoted
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.counts import N_GOLD, N_PRED, f_beta, precision, recall
from slicewise.metrics.prf import f_name
from slicewise.own_code import split_name
from slicewise.stats.canonical import canonical_order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.attributes.facts import Rows
    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric

    Array = NDArray[np.float64]
    Codes = NDArray[np.int64]

FITTING = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
"""Types of whole numbers that 64 bits hold."""
MOST_CROSSED = 1000
LARGEST = 1e290
"""Larger values have no mean: their sum overflows."""
UNIT_NAMES = {Task.SPANS: "span", Task.TOKENS: "token"}
NOUNS = {"span": "entities", "token": "tokens", "item": "items"}


@dataclass(frozen=True)
class Measure:
    """What is compared between buckets: F1 of their units, or another metric of their items."""

    name: str
    finish: Callable[[Array], Array]
    """From summed statistics `(..., k)` to values."""
    metric: Metric | None = None
    """Of tasks whose unit is the item; its statistics are summed. None: units are counted, (tp, n_pred, n_gold)."""
    sign: int = 1
    """-1 where lower is better."""
    scale: float = 1.0


def find_measure(task: Task, names: Sequence[str], beta: float) -> Measure:
    """Return the measure of the first metric named, or of the task."""
    name = names[0] if names else ""
    if not task.has_units:
        name = name or next(iter(DEFAULTS[task]), "")
        if not name:
            raise UserError(f"the task {task.value} needs a metric; add --metric NAME: {', '.join(catalogue(task))}")
        metric = find_metric(name, task)
        if metric.statistics is None or not metric.additive:
            others = ", ".join(n for n, other in catalogue(task).items() if other.additive)
            raise UserError(f"the metric {quoted(name)} cannot be summed over buckets; use one of: {others}")
        return Measure(metric.name, metric.value, metric, 1 if metric.greater_is_better else -1, metric.scale)
    name = name if split_name(name) else (name or f_name(beta)).lower()
    known: dict[str, Callable[[Array], Array]] = {"f1": f_beta, "precision": precision, "recall": recall}
    if name == "accuracy" and task in (Task.LABELS, Task.TOKENS):
        return Measure("accuracy", recall)  # the share of a bucket's gold labels that are right
    if name not in known:
        metric = find_metric(name, task)  # says what is wrong with a name that is none
        f = re.fullmatch(r"(?:multilabel-)?f([\d.]+)", metric.name)
        if f is None or metric.statistics is not None:
            known_names = ["f1", "f2", "precision", "recall"]
            raise UserError(
                f"buckets are compared by counts of units, not by {name}; use one of: {', '.join(known_names)}"
            )
        weight = float(f[1])
        return Measure(metric.name, lambda sums: f_beta(sums, weight))
    return Measure(name, known[name])


@dataclass(frozen=True)
class Plan:
    """How attributes are put into buckets."""

    attributes: tuple[str | Attribute | Callable[..., Any], ...] = ()
    buckets: int | None = None
    cuts: Mapping[str, Bucketing] | None = None
    crosses: tuple[tuple[str, str], ...] = ()
    core: bool = False
    """Whether the paper's attributes are meant where none is named."""

    @classmethod
    def of(
        cls,
        attributes: Sequence[str | Attribute | Callable[..., Any]] | str,
        buckets: int | None,
        cuts: Mapping[str, Any] | None,
        crosses: Sequence[tuple[str, str]] = (),
    ) -> Plan:
        """Return what a user asks for."""
        return cls(
            attributes=(attributes,) if isinstance(attributes, str) else tuple(attributes),
            buckets=buckets,
            cuts={name: bucketing_of(name, how) for name, how in (cuts or {}).items()},
            crosses=tuple((a, b) for a, b in crosses),
        )

    def bucketing(self, attribute: Attribute) -> Bucketing:
        """Return how an attribute is cut: as the user says, or as it asks for."""
        chosen = (self.cuts or {}).get(attribute.name)
        if chosen is not None:
            return chosen
        return attribute.buckets if self.buckets is None else attribute.buckets.sized(check_buckets(self.buckets))

    def signature(self) -> list[str]:
        """Return what differs from the defaults."""
        parts = [] if self.buckets is None else [f"buckets:{self.buckets}"]
        return parts + [f"cuts:{name}={way}" for name, way in sorted((self.cuts or {}).items())]


@dataclass(frozen=True, kw_only=True, eq=False)
class Described:
    """An attribute's values on the units of one evaluation."""

    attribute: Attribute
    unit: str
    """`span`, `token` or `item`."""
    rows: Rows | None
    """The units; None where the item is the unit."""
    values: tuple[pl.Series, ...]
    """Of all units (items, where they are the units), or one column per system."""
    gold: NDArray[np.bool_] | None
    """Which of them are gold; all, where None."""

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return is_number(self.values[0].dtype)

    @cached_property
    def gold_values(self) -> pl.Series:
        """The values that cuts come from: those of gold units; of all systems' outputs, where they are theirs."""
        every = self.values if self.gold is None else tuple(v.filter(self.gold) for v in self.values)
        return every[0] if len(every) == 1 else pl.concat([v.alias("") for v in every])

    @cached_property
    def every_value(self) -> pl.Series:
        """The values of all units."""
        return self.values[0] if len(self.values) == 1 else pl.concat([v.alias("") for v in self.values])

    def said(self, slot: Slot) -> str:
        """Return a bucket in plain words."""
        return self.attribute.said(slot, NOUNS[self.unit])

    def zeta(self) -> float | None:
        """Return the mean of the attribute over the gold units; None where it has no numbers."""
        if not self.numeric:
            return None
        known = self.gold_values.cast(pl.Float64).drop_nulls().drop_nans().to_numpy()
        if not len(known) or not np.isfinite(known).all() or np.abs(known).max() > LARGEST:
            return None
        return math.fsum(known.tolist()) / len(known)


@dataclass(frozen=True, kw_only=True, eq=False)
class Breakdown:
    """One attribute's buckets and what is in them."""

    described: Described
    buckets: Buckets
    codes: tuple[Codes, ...]
    """The slot of each unit, or of each system's units."""
    cells: NDArray[np.floating[Any]]
    """`(groups, systems, slots, k)`, groups in an order that does not depend on that of the items."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.described.attribute.name

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The buckets."""
        return self.buckets.slots

    @cached_property
    def totals(self) -> Array:
        """The statistics of each system and slot, `(systems, slots, k)`."""
        return np.asarray(self.cells.sum(axis=0, dtype=np.float64))

    @property
    def shared(self) -> bool:
        """Whether all systems' units stand in the same buckets, so that systems can be compared in them."""
        return len(self.codes) == 1

    @property
    def ranks(self) -> Array:
        """The rank of each bucket; NaN where it has none."""
        places = np.arange(len(self.slots), dtype=np.float64)
        unranked = [slot.missing or not self.buckets.ordered for slot in self.slots]
        return np.where(unranked, np.nan, places)

    def said(self, slot: int) -> str:
        """Return a bucket in plain words."""
        return self.described.said(self.slots[slot])


class Sliced:
    """An evaluation's attributes by a plan, ready to be broken down by a measure."""

    def __init__(self, evaluation: Evaluation, plan: Plan, measure: Measure) -> None:
        self.evaluation = evaluation
        self.plan = plan
        self.measure = measure
        facts = self.facts = Facts(evaluation)
        chosen, self.lacking = choose(facts, plan.attributes, core=plan.core)
        wanted = {a.name: a for a in chosen}
        if not wanted:
            lacking = ", ".join(f"{name} needs {need.value}" for name, need in list(self.lacking.items())[:1])
            raise UserError(
                f"the data has no attribute to break down by: no text, no fields ({lacking or 'no columns'})"
            )
        self.crosses = [
            (wanted[a] if a in wanted else _one(facts, a), wanted[b] if b in wanted else _one(facts, b))
            for a, b in plan.crosses
        ]
        for a, b in self.crosses:
            if a.name == b.name:
                raise UserError(f"{a.name} cannot be crossed with itself; write --cross A,B with two attributes")
        crossed = {a.name: a for pair in self.crosses for a in pair if a.name not in wanted}
        cuts: dict[str, Bucketing] = {}
        for name, way in (plan.cuts or {}).items():
            cut = (wanted | crossed)[name] if name in wanted | crossed else _one(facts, name)
            cuts[cut.name] = way
            if cut.name not in crossed:
                wanted[cut.name] = cut  # what the user cuts is shown
        self.plan = replace(plan, cuts=cuts)
        self.described = [_described(attribute, facts) for attribute in wanted.values()]
        self.only_crossed = [_described(attribute, facts) for attribute in crossed.values()]
        for one in (*self.described, *self.only_crossed):
            if not one.numeric and one.attribute.name in cuts and not isinstance(cuts[one.attribute.name], Values):
                raise UserError(
                    f"cuts of {one.attribute.name}: its values are no numbers and cannot be cut; leave it out"
                )

    @cached_property
    def statistics(self) -> dict[str, Array]:
        """A scored metric's statistics per item and system."""
        metric = self.measure.metric
        return {} if metric is None else item_statistics(self.evaluation, metric, self.evaluation.systems)

    def break_down(self, described: Described, buckets: Buckets | None = None) -> Breakdown:
        """Put an attribute's units into buckets (its own, or those given) and sum their statistics."""
        return self._summed(described, *self.assigned(described, buckets))

    def assigned(self, described: Described, buckets: Buckets | None = None) -> tuple[Buckets, tuple[Codes, ...]]:
        """Return an attribute's buckets (its own, or those given) and the bucket of each unit."""
        buckets = buckets or _cut(self.plan, [described])
        codes = tuple(buckets.assign(values) for values in described.values)
        return buckets.used(codes), codes

    def cross(self, a: Breakdown, b: Breakdown) -> Breakdown:
        """Put units into the buckets of two attributes at once."""
        nouns = [NOUNS[one.described.unit] for one in (a, b)]
        if nouns[0] != nouns[1]:
            message = f"{a.name} is of {nouns[0]} and {b.name} of {nouns[1]}; cross two attributes of the same units"
            raise UserError(message)
        if not (a.shared and b.shared):
            raise UserError(f"{(b if a.shared else a).name} differs between systems and cannot be crossed")
        size = len(a.slots) * len(b.slots)
        if size > MOST_CROSSED:
            message = (
                f"{a.name} × {b.name} has {size:,} buckets; expected at most {MOST_CROSSED}; cut them more coarsely"
            )
            raise UserError(message)
        slots = tuple(
            Slot(name=name, value=f"{a.name} {one.interval}, {b.name} {other.interval}")
            for name, (one, other) in zip(_crossed_names(a, b), product(a.slots, b.slots), strict=True)
        )
        codes = a.codes[0] * len(b.slots) + b.codes[0]
        attribute = replace(
            a.described.attribute, name=f"{a.name} × {b.name}", summary=f"{a.name} and {b.name} together",
            phrase="{units} with {range}", phrases={},
        )  # fmt: skip
        described = replace(a.described, attribute=attribute, values=(pl.Series(codes).cast(pl.String),))
        return self._summed(described, Buckets(slots, numeric=False, ordered=False), (codes,))

    def _summed(self, described: Described, buckets: Buckets, codes: tuple[Codes, ...]) -> Breakdown:
        slots = len(buckets.slots)
        cells: NDArray[np.floating[Any]]
        if described.rows is None:
            cells = slice_statistics(self.evaluation, self.statistics, codes, slots)
        else:
            cells = slice_cells(self.evaluation, described.rows.frame, codes, slots)
        order = canonical_order(cells.reshape(*cells.shape[:2], -1))
        return Breakdown(described=described, buckets=buckets, codes=codes, cells=cells[order])


def _crossed_names(a: Breakdown, b: Breakdown) -> list[str]:
    """Return the names of crossed buckets; where the data's own categories make two the same, they are numbered."""
    names: list[str] = []
    for one, other in product(a.slots, b.slots):
        name = f"{one.name} × {other.name}"
        names.append(f"{name} ({len(names) + 1})" if name in names else name)
    return names


def _one(facts: Facts, name: str) -> Attribute:
    found, _ = choose(facts, [name])
    if len(found) != 1:
        raise UserError(f"{quoted(str(name))} is not one attribute; name a single one")
    return found[0]


def _described(attribute: Attribute, facts: Facts) -> Described:
    evaluation = facts.evaluation
    rows = None
    if evaluation.task.has_units:
        rows = facts.token_units if attribute.of is Of.TOKEN else facts.units
    unit = "token" if attribute.of is Of.TOKEN else UNIT_NAMES.get(evaluation.task, "item")
    of_output = attribute.of is Of.OUTPUT
    columns = (
        [values_of(attribute, facts, s) for s in evaluation.systems] if of_output else [values_of(attribute, facts)]
    )
    if rows is not None and attribute.of in (Of.ITEM, Of.OUTPUT):
        columns = [column.gather(rows.item) for column in columns]
    gold = None if rows is None else rows.frame["gold"].to_numpy()
    return Described(attribute=attribute, unit=unit, rows=rows, values=tuple(columns), gold=gold)


def shared_cuts(plan: Plan, every: Sequence[Sequence[Described]]) -> dict[str, Buckets]:
    """Return buckets cut from the gold units of all data sets together."""
    found: dict[str, list[Described]] = {}
    for described in every:
        for one in described:
            found.setdefault(one.attribute.name, []).append(one)
    alike = {name: several for name, several in found.items() if len({one.numeric for one in several}) == 1}
    return {name: _cut(plan, several) for name, several in alike.items()}


def _cut(plan: Plan, several: Sequence[Described]) -> Buckets:
    numeric = all(one.numeric for one in several)
    whole = all(one.every_value.dtype in FITTING for one in several)
    gold: list[pl.Series] = []
    every: list[pl.Series] = []
    for one in several:
        for values, found in ((one.gold_values, gold), (one.every_value, every)):
            plain = values.alias("")
            found.append(plain.cast(pl.Int64 if whole else pl.Float64) if numeric else as_category(plain))
    return plan.bucketing(several[0].attribute).cut(pl.concat(gold), pl.concat(every))


def sizes(breakdown: Breakdown, measure: Measure) -> tuple[Array, Array]:
    """Return how many gold and how many returned units each system has in each slot; items count as both."""
    if measure.metric is not None:
        slots = len(breakdown.slots)
        counts = np.array([np.bincount(codes, minlength=slots) for codes in breakdown.codes], np.float64)
        counts = np.broadcast_to(counts, (breakdown.totals.shape[0], slots))
        return counts, counts
    return breakdown.totals[..., N_GOLD], breakdown.totals[..., N_PRED]
