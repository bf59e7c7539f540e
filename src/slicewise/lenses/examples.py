"""The items that a result points to, as a person reads them: text, what was expected, what was returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.engine.items import item_scores
from slicewise.results.base import defined
from slicewise.results.features import Example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.evaluation import Evaluation
    from slicewise.metrics.metric import Metric
    from slicewise.results.features import FeatureList


def examples_of(evaluation: Evaluation, metric: Metric, lists: Sequence[FeatureList]) -> dict[int, Example]:
    """Return the items that are examples of any feature, with the systems of the lists."""
    wanted = sorted({item for one in lists for f in (*one.features, *one.confusions) for item in f.examples})
    systems = list(dict.fromkeys(name for one in lists for name in (one.against, one.system) if name is not None))
    at = np.array(wanted, np.int64)
    texts = item_texts(evaluation, at)
    expected = said(evaluation, "gold", at)
    outputs = {} if evaluation.task is Task.SCORES else {system: said(evaluation, system, at) for system in systems}
    scored = {system: item_scores(evaluation, metric, system).scores[at] for system in systems}
    return {
        item: Example(
            item=item,
            text=texts[i],
            expected=None if expected is None else expected[i],
            outputs={system: found[i] for system, found in outputs.items() if found is not None},
            scores={system: defined(float(scores[i])) for system, scores in scored.items()},
        )
        for i, item in enumerate(wanted)
    }


def item_texts(evaluation: Evaluation, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the text of some items; several fields are separated by tabs."""
    a = evaluation.aligned
    if a.tokens is not None and a.offsets is not None:
        return [" ".join(a.tokens[int(a.offsets[i]) : int(a.offsets[i + 1])].to_list()) for i in at]
    if not a.fields.width:
        return [""] * len(at)
    columns = [column.gather(at).fill_null("").to_list() for column in a.fields.get_columns()]
    return ["\t".join(parts) for parts in zip(*columns, strict=True)]


def said(evaluation: Evaluation, name: str, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str] | None:
    """Return what gold or a system says of some items; None where there is no gold."""
    if evaluation.task.has_units and evaluation.task is not Task.LABELS:
        return _units_said(evaluation, name, at)
    answers = evaluation.aligned.answers
    if answers is None or name not in answers.columns:
        return None
    own = evaluation.answers(name).gather(at)
    if isinstance(own.dtype, pl.List):
        own = own.list.join("\t")
    return own.cast(pl.String).fill_null("").to_list()


def _units_said(evaluation: Evaluation, name: str, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the units of some items: their labels, with the text of each where it has one."""
    units = evaluation.units
    here = units[name] & units["item"].is_in(pl.Series(at).implode())
    labels = units["label"].filter(here).cast(pl.String)
    if evaluation.task in (Task.SPANS, Task.TOKENS):
        labels = labels + " " + evaluation.surface().filter(here)
    found: dict[int, list[str]] = {}
    for item, text in zip(units["item"].filter(here).to_list(), labels.to_list(), strict=True):
        found.setdefault(item, []).append(text)
    return ["; ".join(found.get(int(item), [])) for item in at]
