"""The items behind the numbers of a page: some of each slice, the most telling first, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.arrays import Ints, Mask
from slicewise.engine.items import item_scores
from slicewise.errors import counted
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import MetricSpec
from slicewise.lenses.examples import item_texts
from slicewise.lenses.outcomes.mentions import item_names
from slicewise.lenses.outcomes.outcome_counts import outcomes_of
from slicewise.lenses.slice_rows import SliceRows
from slicewise.results.base import defined

LONGEST = {"tokens": 2_000, "characters": 10_000}
"""Of longer items a page has so much, and says how much it leaves out."""
LONGEST_TEXT = 4_000
"""Characters of an answer, a field or a text without places."""


class Evidence:
    """Chooses some items of each slice, and puts them into plain values."""

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        examples: int,
        seed: int,
        metrics: MetricSpec = (),
        threshold: float | str | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.examples = examples
        self.outcomes = outcomes_of(evaluation, evaluation.systems, metrics=metrics, threshold=threshold)
        self.places = _places(evaluation)
        self._chance = np.random.default_rng(seed).permutation(len(self.outcomes))

    def plain(self, slices: Iterable[SliceRows]) -> dict[str, Any]:
        """Return the evidence of a data set as values that JSON knows."""
        chosen = {rows.name: self._chosen(rows) for rows in slices if len(rows.rows)}
        items = sorted({item for shown in chosen.values() for item, _ in shown["shown"]})
        return {
            "task": self.evaluation.task.value,
            "places": self.places,
            "systems": list(self.evaluation.systems),
            "labels": list(self.evaluation.aligned.labels) if self.evaluation.task.has_units else [],
            "rule": self._rule(),
            "items": self._items(np.array(items, np.int64)),
            "slices": chosen,
        }

    def _rule(self) -> str:
        what = "units" if self.outcomes.metric is None else "items"
        return (
            f"Up to {counted(self.examples, 'item')} of each slice: those whose {what} most systems have wrong come "
            "first (where the slice is about one system: those that it has wrong and most others right); "
            "equal ones in an order drawn by the seed."
        )

    # ------------------------------------------------------------------ choosing

    @cached_property
    def _wrong(self) -> Mask:
        """Whether each system is wrong on each unit (item), `(systems, units)`."""
        return np.array([column != self.outcomes.gold for column in self.outcomes.has]).reshape(-1, len(self.outcomes))

    @cached_property
    def _order(self) -> Ints:
        """The place of each unit when all are put in order, the most telling first."""
        return _ranked(self._chance, -self._wrong.sum(axis=0))

    @cached_property
    def _orders(self) -> dict[str, Ints]:
        """The same for what is about one system."""
        n_wrong = self._wrong.sum(axis=0)
        return {name: _ranked(self._chance, n_wrong, ~self._wrong[i]) for i, name in enumerate(self.evaluation.systems)}

    def _chosen(self, slice_rows: SliceRows) -> dict[str, Any]:
        """Return a slice with the items that are shown of it."""
        rows = self._units_of(slice_rows.rows) if slice_rows.of_items else slice_rows.rows
        place = (self._order if slice_rows.system is None else self._orders[slice_rows.system])[rows]
        place = place + len(self.outcomes) * ~self._seen[rows]  # what the page cannot show comes last
        item = self.outcomes.item[rows]
        first = np.argsort(place, kind="stable")
        _, at = np.unique(item[first], return_index=True)
        shown = item[first][np.sort(at)[: self.examples]]
        inside: dict[int, list[int]] = {int(i): [] for i in shown}
        if self.places and not slice_rows.of_items:
            for row in np.sort(rows[np.isin(item, shown) & self._seen[rows]]).tolist():
                inside[int(self.outcomes.item[row])].append(int(self._within[row]))
        evidence: dict[str, Any] = {
            "title": slice_rows.title,
            "units": len(slice_rows.rows),
            "items": len(at),
            "system": slice_rows.system,
            "shown": [[i, units] for i, units in inside.items()],
        }
        gold = int(self.outcomes.gold[rows].sum())
        if self.places and not slice_rows.of_items and 0 < gold < len(rows):
            evidence["note"] = f"{gold:,} of the units are in gold, {len(rows) - gold:,} are only returned."
        return evidence

    def _units_of(self, items: Ints) -> Ints:
        """Return the units of some items."""
        flags = np.zeros(self.evaluation.aligned.items, np.bool_)
        flags[items] = True
        return np.flatnonzero(flags[self.outcomes.item])

    @cached_property
    def _seen(self) -> Mask:
        """Whether each unit begins in the part of its item that the page has."""
        if not self.places:
            return np.ones(len(self.outcomes), np.bool_)
        return np.asarray(self.evaluation.units["start"].to_numpy() < LONGEST[self.places])

    @cached_property
    def _within(self) -> Ints:
        """The place of each unit among those of its item that the page has; of the others, -1."""
        seen = np.flatnonzero(self._seen)
        order = seen[np.argsort(self.outcomes.item[seen], kind="stable")]
        item = self.outcomes.item[order]
        places = np.full(len(self.outcomes), -1, np.int64)
        places[order] = np.arange(len(item)) - np.searchsorted(item, item)
        return places

    # ------------------------------------------------------------------ items as plain values

    def _items(self, at: Ints) -> dict[str, dict[str, Any]]:
        """Return items by their number."""
        parts = self._parts(at)
        return {str(item): {name: column[i] for name, column in parts.items()} for i, item in enumerate(at.tolist())}

    def _parts(self, at: Ints) -> dict[str, Sequence[Any]]:
        """Return what is shown of items, by name, a value per item."""
        names = item_names(self.evaluation)
        columns: dict[str, Sequence[Any]] = {}
        if names is not None:
            columns["name"] = names.gather(at).to_list()
        if self.places:
            return {**columns, **self._texts_with_places(at), "units": self._units(at)}
        columns |= {"text": [_shortened(text) for text in item_texts(self.evaluation, at)]}
        columns |= {"right": np.column_stack([~wrong for wrong in self._item_wrong(at)]).tolist()} if len(at) else {}
        if self.evaluation.task is not Task.SCORES:
            columns["answers"] = self._answers(at)
        metric = self.outcomes.metric
        if metric is not None:
            scores = [item_scores(self.evaluation, metric, name).scores[at] for name in self.evaluation.systems]
            columns["scores"] = [[defined(float(v)) for v in row] for row in np.column_stack(scores)]
        return columns

    def _item_wrong(self, at: Ints) -> list[Mask]:
        """Return whether each system is wrong on each of some items: in one of its units, or by its score."""
        wrong_items = []
        for wrong in self._wrong:
            of_item = np.zeros(self.evaluation.aligned.items, np.bool_)
            of_item[self.outcomes.item[wrong]] = True
            wrong_items.append(of_item[at])
        return wrong_items

    def _answers(self, at: Ints) -> list[list[Any]]:
        """Return per item what gold and each system answered; several labels as a list."""
        if self.evaluation.task is Task.MULTILABEL:
            names, who = self.evaluation.aligned.labels, range(len(self.evaluation.systems) + 1)
            return [[[names[u[2]] for u in units if i in u[3]] for i in who] for units in self._units(at)]
        columns = []
        for name in ("gold", *self.evaluation.systems):
            answers = self.evaluation.answers(name).gather(at)
            listed = isinstance(answers.dtype, pl.List)
            values = answers.to_list() if listed else answers.cast(pl.String).to_list()
            columns.append([_shortened(value) for value in values])
        return [list(row) for row in zip(*columns, strict=True)]

    def _texts_with_places(self, at: Ints) -> dict[str, Sequence[Any]]:
        """Return texts whose places units point to, the first part of very long ones, and what is left out."""
        a, most = self.evaluation.aligned, LONGEST[self.places]
        if a.tokens is not None and a.offsets is not None:
            ends = np.minimum(a.offsets[at + 1], a.offsets[at] + most)
            texts: list[Any] = [
                a.tokens[int(first) : int(end)].to_list() for first, end in zip(a.offsets[at], ends, strict=True)
            ]
        elif "in" in a.fields.columns:
            texts = [text[:most] for text in a.fields["in"].gather(at).fill_null("").to_list()]
        else:
            texts = [None] * len(at)
        left = np.maximum(a.lengths[at].astype(np.int64) - most, 0).tolist()
        return {"text": texts, **({"left_out": left} if any(left) else {})}

    def _units(self, at: Ints) -> list[list[Any]]:
        """Return the units of items: start, end, label, and who has each (0 is gold)."""
        units = self.evaluation.units
        flags = np.zeros(self.evaluation.aligned.items, np.bool_)
        flags[at] = True
        rows = np.flatnonzero(flags[self.outcomes.item] & self._seen)
        rows = rows[np.lexsort((self._within[rows], self.outcomes.item[rows]))]
        start, end = (units[name].gather(rows).to_list() for name in ("start", "end"))
        label = units["label"].to_physical().gather(rows).to_list()
        has = np.column_stack([units[name].to_numpy()[rows] for name in ("gold", *self.evaluation.systems)])
        units_by_item: dict[int, list[Any]] = {int(item): [] for item in at}
        for i, item in enumerate(self.outcomes.item[rows].tolist()):
            units_by_item[item].append([start[i], end[i], label[i], np.flatnonzero(has[i]).tolist()])
        return list(units_by_item.values())


def _places(evaluation: Evaluation) -> str:
    """Return what the places of units count: tokens, characters, or nothing where units have none."""
    if evaluation.task not in (Task.SPANS, Task.TOKENS):
        return ""
    return "tokens" if evaluation.aligned.tokens is not None else evaluation.aligned.length_unit


def _ranked(*keys: Ints | Mask) -> Ints:
    """Return the place of each row when sorted by keys, the last one first."""
    order = np.lexsort(keys)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def _shortened(value: Any) -> Any:
    """Return a text, or the first part of a very long one; lists of texts likewise."""
    if isinstance(value, list):
        return [_shortened(text) for text in value]
    return f"{value[:LONGEST_TEXT]}…" if isinstance(value, str) and len(value) > LONGEST_TEXT else value
