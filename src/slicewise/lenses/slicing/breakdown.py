"""Units in the buckets of their attributes, and their statistics summed: what `buckets` and `study` read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.attributes import Attribute, Facts, Of, choose
from slicewise.attributes.facts import Rows
from slicewise.bucketing import Bucketing, Buckets, Distinct, Slot, Values, bucketing_of, check_buckets, merged
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import as_share
from slicewise.lenses.intervals import OF_SHARES, Limits
from slicewise.lenses.slicing.bucket_sums import BucketSums, SumSpec, bucket_sums
from slicewise.lenses.slicing.bucketed import BucketedUnits, Bucketer, BucketScheme, with_all_of
from slicewise.lenses.slicing.counted_values import Ranks, RemoteSummary, ValueCounts, mean_of
from slicewise.lenses.slicing.value_counts import count_values
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.counts import N_GOLD, N_PRED, PROPORTIONS, RECALL, Proportion, f_proportion
from slicewise.metrics.metric import Metric
from slicewise.metrics.prf import f_name
from slicewise.stats.canonical import canonical_order
from slicewise.user_code import split_name

MOST_CROSSED = 1000
UNIT_NAMES = {Task.SPANS: "span", Task.TOKENS: "token"}
NOUNS = {"span": "entities", "token": "tokens", "item": "items"}


@dataclass(frozen=True)
class Measure:
    """The score of a bucket: F1 of its units, or another metric of its items."""

    name: str
    finish: Callable[[Array], Array]
    """From summed statistics `(..., k)` to values."""
    size: Callable[[Array], Array] | None
    """From the same to how many units a proportion is a share of; None: it is no proportion."""
    limits: Limits = OF_SHARES
    metric: Metric | None = None
    """Of tasks whose unit is the item; its statistics are summed. None: units are counted, (tp, n_pred, n_gold)."""
    sign: int = 1
    """-1 where lower is better."""
    scale: float = 1.0


def find_measure(evaluation: Evaluation, names: Sequence[str], beta: float) -> Measure:
    """Return the measure of the first metric named, or of the task."""
    task, name = evaluation.task, names[0] if names else ""
    if not task.has_units:
        name = name or next(iter(DEFAULTS[task]), "")
        if not name:
            raise UserError(f"the task {task.value} needs a metric; add --metric NAME: {', '.join(catalogue(task))}")
        metric = as_share(evaluation, find_metric(name, task))
        if metric.statistics is None or not metric.additive:
            others = ", ".join(n for n, other in catalogue(task).items() if other.additive)
            raise UserError(f"the metric {quoted(name)} cannot be summed over buckets; use one of: {others}")
        size = None if metric.size is None else metric.sizes
        sign = 1 if metric.greater_is_better else -1
        return Measure(metric.name, metric.value, size, metric.limits, metric, sign, metric.scale)
    name = name if split_name(name) else (name or f_name(beta)).lower()
    if name == "accuracy" and task in (Task.LABELS, Task.TOKENS):
        return share_measure("accuracy", RECALL)  # the share of a bucket's gold labels that are right
    if name not in PROPORTIONS:
        metric = find_metric(name, task)  # says what is wrong with a name that is none
        f = re.fullmatch(r"(?:multilabel-)?f([\d.]+)", metric.name)
        if f is None or metric.statistics is not None:
            known_names = ["f1", "f2", "precision", "recall"]
            raise UserError(
                f"buckets are compared by counts of units, not by {name}; use one of: {', '.join(known_names)}"
            )
        return share_measure(metric.name, f_proportion(float(f[1])))
    return share_measure(name, PROPORTIONS[name])


def share_measure(name: str, proportion: Proportion) -> Measure:
    """Return a measure of counted units."""
    return Measure(name, proportion.value, proportion.size)


@dataclass(frozen=True)
class Plan:
    """How attributes are put into buckets."""

    attributes: tuple[str | Attribute | Callable[..., Any], ...] = ()
    buckets: int | None = None
    cuts: Mapping[str, Bucketing] | None = None
    crosses: tuple[tuple[str, str], ...] = ()
    core: bool = False
    """Whether the default is the paper's attributes."""
    shared: bool = False
    """Whether cuts are shared with other data sets, so that all values are needed."""

    @classmethod
    def of(
        cls,
        attributes: Sequence[str | Attribute | Callable[..., Any]] | str,
        buckets: int | None,
        cuts: Mapping[str, Any] | None,
        crosses: Sequence[tuple[str, str]] = (),
    ) -> Plan:
        """Return the plan of a user's options."""
        return cls(
            attributes=(attributes,) if isinstance(attributes, str) else tuple(attributes),
            buckets=buckets,
            cuts={name: bucketing_of(name, how) for name, how in (cuts or {}).items()},
            crosses=tuple((a, b) for a, b in crosses),
        )

    def bucketing(self, attribute: Attribute) -> Bucketing:
        """Return the binning of an attribute: the user's, or its own."""
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
    distinct: Distinct
    """The distinct values of all units, or those that determine cuts, which come from gold units."""
    apart: RemoteSummary | None
    """A summary of all values where `distinct` has only those that determine cuts."""
    ranks: tuple[Ranks, ...] | None
    """Of the values, where they have an order; of items, also of each system's scores."""
    sliced: Sliced

    @property
    def here(self) -> BucketedUnits:
        """The units, which are in memory."""
        return self.sliced.bucketer(self.sliced.evaluation)

    @property
    def rows(self) -> Rows | None:
        """The units; None where the item is the unit."""
        return self.here.rows(self.attribute)

    @property
    def values(self) -> tuple[pl.Series, ...]:
        """Of all units (items, where they are the units), or one column per system."""
        return tuple(coded.column() for coded in self.here.coded(self.attribute))

    @property
    def shared(self) -> bool:
        """Whether all systems' units have the same values, so that systems can be compared by them."""
        return self.attribute.of is not Of.OUTPUT

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.distinct.numeric

    @property
    def different(self) -> int:
        """How many different values there are."""
        return len(self.distinct.values) if self.apart is None else self.apart.different

    def said(self, slot: Slot) -> str:
        """Return a bucket in plain words."""
        return self.attribute.describe(slot, NOUNS[self.unit])

    def zeta(self) -> float | None:
        """Return the mean of the attribute over the gold units; None where it has no numbers."""
        return mean_of(self.distinct) if self.apart is None else self.apart.mean


@dataclass(frozen=True, kw_only=True, eq=False)
class Breakdown:
    """One attribute's buckets and what is in them."""

    described: Described
    scheme: BucketScheme
    buckets: Buckets
    cells: NDArray[np.floating[Any]]
    """`(groups, systems, slots, k)`, groups in an order that does not depend on that of the items."""
    counts: Array
    """How many items each system has in each slot, `(systems, slots)`, where they are the units."""
    rank_sums: Array | None
    """Sums for the rank correlation with correctness, by group."""

    @property
    def codes(self) -> tuple[NDArray[np.int64], ...]:
        """The slot of each unit, or of each system's units, of data in memory."""
        return tuple(self.described.here.slots(self.scheme))

    @property
    def different(self) -> int:
        """How many different values there are; of crossed attributes, how many buckets that hold something."""
        if len(self.scheme.attributes) == 1:
            return self.described.different
        return int((self.totals.any(axis=(0, 2)) | self.counts.any(axis=0)).sum())

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
        return self.described.shared

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
        facts = Facts.of(evaluation)
        chosen, self.lacking = choose(facts, plan.attributes, core=plan.core)
        shown = {a.name: a for a in chosen}
        if not shown:
            lacking = ", ".join(f"{name} needs {need.value}" for name, need in list(self.lacking.items())[:1])
            raise UserError(
                f"the data has no attribute to break down by: no text, no fields ({lacking or 'no columns'})"
            )
        self.crosses = [
            (shown[a] if a in shown else _one(facts, a), shown[b] if b in shown else _one(facts, b))
            for a, b in plan.crosses
        ]
        for a, b in self.crosses:
            if a.name == b.name:
                raise UserError(f"{a.name} cannot be crossed with itself; write --cross A,B with two attributes")
        crossed = {a.name: a for pair in self.crosses for a in pair if a.name not in shown}
        cuts: dict[str, Bucketing] = {}
        for name, way in (plan.cuts or {}).items():
            cut = (shown | crossed)[name] if name in shown | crossed else _one(facts, name)
            cuts[cut.name] = way
            if cut.name not in crossed:
                shown[cut.name] = cut  # what the user cuts is shown
        self.plan = replace(plan, cuts=cuts)
        self.measure = measure
        attributes = [*shown.values(), *crossed.values()]
        self.evaluation = evaluation = with_all_of(evaluation, attributes)
        self.facts = facts = Facts.of(evaluation)
        self.bucketer = Bucketer.of(facts, attributes, measure.metric)
        ways = [self.plan.bucketing(attribute) for attribute in attributes]
        counted, self.remote_ranks = count_values(evaluation, self.bucketer, attributes, ways, shared=plan.shared)
        described = [self._described(*each) for each in zip(attributes, counted, strict=True)]
        self.described, self.only_crossed = described[: len(shown)], described[len(shown) :]
        for name in (values.attribute.name for values in described if not values.numeric):
            if name in cuts and not isinstance(cuts[name], Values):
                raise UserError(f"cuts of {name}: its values are no numbers and cannot be cut; leave it out")

    def _described(self, attribute: Attribute, counts: ValueCounts) -> Described:
        unit = "token" if attribute.of is Of.TOKEN else UNIT_NAMES.get(self.evaluation.task, "item")
        return Described(
            attribute=attribute,
            unit=unit,
            distinct=counts.values,
            apart=counts.apart,
            ranks=counts.ranks,
            sliced=self,
        )

    def scheme(self, described: Described, buckets: Buckets | None = None) -> BucketScheme:
        """Return an attribute's buckets: its own, or shared ones."""
        buckets = buckets or _cut(self.plan, [described])
        missing = [len(buckets.slots) - 1] * bool(described.distinct.missing)
        return BucketScheme((described.attribute,), (buckets.used([np.array(missing, np.int64)]),))

    def broken_down(self, given: Mapping[str, Buckets]) -> list[Breakdown]:
        """Assign units to the buckets of all attributes, shared or their own, and of crossed ones, and sum them."""
        described = {values.attribute.name: values for values in (*self.described, *self.only_crossed)}
        schemes = {name: self.scheme(values, given.get(name)) for name, values in described.items()}
        plain = [(values, schemes[values.attribute.name]) for values in self.described]
        crossed = [_crossed([(described[a.name], schemes[a.name]) for a in pair]) for pair in self.crosses]
        specs = [SumSpec(scheme, values.ranks if scheme.buckets[0].ordered else None) for values, scheme in plain]
        specs += [SumSpec(scheme) for _, scheme, _ in crossed]
        summed = bucket_sums(self.evaluation, self.bucketer, specs, self.remote_ranks)
        buckets = [(values, scheme, scheme.buckets[0]) for values, scheme in plain] + crossed
        return [self._breakdown(*each, sums) for each, sums in zip(buckets, summed, strict=True)]

    def _breakdown(self, described: Described, scheme: BucketScheme, buckets: Buckets, sums: BucketSums) -> Breakdown:
        groups, systems, *rest = sums.cells.shape
        order = canonical_order(sums.cells.reshape(groups, systems, prod(rest)))
        return Breakdown(
            described=described,
            scheme=scheme,
            buckets=buckets,
            cells=sums.cells[order],
            counts=sums.counts,
            rank_sums=sums.ranks,
        )


def _crossed(both: Sequence[tuple[Described, BucketScheme]]) -> tuple[Described, BucketScheme, Buckets]:
    """Put units into the buckets of two attributes at once."""
    (a, a_scheme), (b, b_scheme) = both
    names = a.attribute.name, b.attribute.name
    nouns = [NOUNS[a.unit], NOUNS[b.unit]]
    if nouns[0] != nouns[1]:
        message = f"{names[0]} is of {nouns[0]} and {names[1]} of {nouns[1]}; cross two attributes of the same units"
        raise UserError(message)
    if not (a.shared and b.shared):
        raise UserError(f"{names[int(a.shared)]} differs between systems and cannot be crossed")
    scheme = BucketScheme((a.attribute, b.attribute), (*a_scheme.buckets, *b_scheme.buckets))
    if scheme.size > MOST_CROSSED:
        message = (
            f"{names[0]} × {names[1]} has {scheme.size:,} buckets; expected at most {MOST_CROSSED}; "
            "cut them more coarsely"
        )
        raise UserError(message)
    slots = [buckets.slots for buckets in scheme.buckets]
    crossed_slots = tuple(
        Slot(name=name, value=f"{names[0]} {slot.interval}, {names[1]} {other.interval}")
        for name, (slot, other) in zip(_crossed_names(*slots), product(*slots), strict=True)
    )
    attribute = replace(
        a.attribute, name=f"{names[0]} × {names[1]}", summary=f"{names[0]} and {names[1]} together",
        phrase="{units} with {range}", phrases={},
    )  # fmt: skip
    nothing = Distinct.of(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String))
    described = replace(a, attribute=attribute, distinct=nothing, apart=None, ranks=None)
    return described, scheme, Buckets(crossed_slots, numeric=False, ordered=False)


def _crossed_names(slots: Sequence[Slot], others: Sequence[Slot]) -> list[str]:
    """Return the names of crossed buckets; where the data's own categories make two the same, they are numbered."""
    names: list[str] = []
    for slot, other in product(slots, others):
        name = f"{slot.name} × {other.name}"
        names.append(f"{name} ({len(names) + 1})" if name in names else name)
    return names


def _one(facts: Facts, name: str) -> Attribute:
    attributes, _ = choose(facts, [name])
    if len(attributes) != 1:
        raise UserError(f"{quoted(str(name))} is not one attribute; name a single one")
    return attributes[0]


def shared_cuts(plan: Plan, datasets: Sequence[Sequence[Described]]) -> dict[str, Buckets]:
    """Return buckets cut from the gold units of all data sets together."""
    by_name: dict[str, list[Described]] = {}
    for described in datasets:
        for attribute in described:
            by_name.setdefault(attribute.attribute.name, []).append(attribute)
    alike = {
        name: several for name, several in by_name.items() if len({attribute.numeric for attribute in several}) == 1
    }
    return {name: _cut(plan, several) for name, several in alike.items()}


def _cut(plan: Plan, several: Sequence[Described]) -> Buckets:
    return plan.bucketing(several[0].attribute).cut_counted(merged([described.distinct for described in several]))


def sizes(breakdown: Breakdown, measure: Measure) -> tuple[Array, Array]:
    """Return how many gold and how many returned units each system has in each slot; items count as both."""
    if measure.metric is not None:
        return breakdown.counts, breakdown.counts
    return breakdown.totals[..., N_GOLD], breakdown.totals[..., N_PRED]
