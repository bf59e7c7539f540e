"""The items that a result points to, as a person reads them: text, what was expected, what was returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.engine.items import item_scores, where_items_are
from slicewise.engine.local import TEXTS, collect_parts
from slicewise.evaluation import Evaluation
from slicewise.lenses.ranking.result import Example, FeatureList
from slicewise.metrics.metric import Metric
from slicewise.results.base import defined


def examples_of(evaluation: Evaluation, metric: Metric, lists: Sequence[FeatureList]) -> dict[int, Example]:
    """Return the items that are examples of any feature, with the systems of the lists."""
    items = sorted({item for ranked in lists for f in (*ranked.features, *ranked.confusions) for item in f.examples})
    systems = list(
        dict.fromkeys(name for ranked in lists for name in (ranked.against, ranked.system) if name is not None)
    )
    at = np.array(items, np.int64)
    examples: dict[int, Example] = {}
    for table in collect_parts(where_items_are(evaluation, at), _Examples(metric, tuple(systems), at)):
        examples |= {row["item"]: _example(row, systems) for row in table.iter_rows(named=True)}
    return examples


def _example(row: dict[str, Any], systems: Sequence[str]) -> Example:
    outputs = {system: row.get(f"output:{i}") for i, system in enumerate(systems)}
    return Example(
        item=row["item"],
        text=row["text"],
        expected=row["expected"],
        outputs={system: output for system, output in outputs.items() if output is not None},
        scores={system: defined(row[f"score:{i}"]) for i, system in enumerate(systems)},
    )


@dataclass(frozen=True, eq=False)
class _Examples:
    """Picks items as a person reads them."""

    metric: Metric
    systems: tuple[str, ...]
    items: NDArray[np.int64]
    """Ascending."""
    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset({TEXTS})

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return those items that a part has."""
        first, last = np.searchsorted(self.items, [part.first, part.first + part.aligned.items]).tolist()
        at = self.items[first:last] - part.first
        expected = answer_texts(part, "gold", at)
        texts = pl.Series(item_texts(part, at), dtype=pl.String)
        columns: dict[str, Any] = {"item": at + part.first, "text": texts}
        columns["expected"] = pl.Series([None] * len(at) if expected is None else expected, dtype=pl.String)
        for i, system in enumerate(self.systems):
            columns[f"score:{i}"] = item_scores(part, self.metric, system).scores[at] if len(at) else np.zeros(0)
            output = None if part.task is Task.SCORES else answer_texts(part, system, at)
            columns |= {} if output is None else {f"output:{i}": pl.Series(output, dtype=pl.String)}
        return pl.DataFrame(columns)


def item_texts(evaluation: Evaluation, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the text of some items; several fields are separated by tabs."""
    a = evaluation.aligned
    if a.tokens is not None and a.offsets is not None:
        return [" ".join(a.tokens[int(a.offsets[i]) : int(a.offsets[i + 1])].to_list()) for i in at]
    if not a.fields.width:
        return [""] * len(at)
    columns = [column.gather(at).fill_null("").to_list() for column in a.fields.get_columns()]
    return ["\t".join(parts) for parts in zip(*columns, strict=True)]


def answer_texts(evaluation: Evaluation, name: str, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str] | None:
    """Return what gold or a system says of some items; None where there is no gold."""
    if evaluation.task.has_units and evaluation.task is not Task.LABELS:
        return _unit_texts(evaluation, name, at)
    answers = evaluation.aligned.answers
    if answers is None or name not in answers.columns:
        return None
    answers_at = evaluation.answers(name).gather(at)
    if isinstance(answers_at.dtype, pl.List):
        answers_at = answers_at.list.join("\t")
    return answers_at.cast(pl.String).fill_null("").to_list()


def _unit_texts(evaluation: Evaluation, name: str, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the units of some items: their labels, with the text of each where it has one."""
    units = evaluation.units
    mask = units[name] & units["item"].is_in(pl.Series(at).implode())
    labels = units["label"].filter(mask).cast(pl.String)
    if evaluation.task in (Task.SPANS, Task.TOKENS):
        labels = labels + " " + evaluation.surface().filter(mask)
    texts_by_item: dict[int, list[str]] = {}
    for item, text in zip(units["item"].filter(mask).to_list(), labels.to_list(), strict=True):
        texts_by_item.setdefault(item, []).append(text)
    return ["; ".join(texts_by_item.get(int(item), [])) for item in at]
