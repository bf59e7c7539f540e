"""Items that are right or wrong, or scored, with columns of categories: what `buckets` and `study` look at."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

import slicewise
from slicewise.arrays import Array, Ints

RIGHT, WRONG = "yes", "no"


def columns(
    rng: np.random.Generator,
    document: Ints,
    count: int,
    *,
    of_documents: int = 0,
    shares: tuple[float, ...] = (0.25,) * 4,
) -> dict[str, Ints]:
    """Return categories that are drawn for each item; the first `of_documents` columns are drawn for each document."""
    documents = int(document.max()) + 1
    drawn = {}
    for number in range(count):
        whole = number < of_documents
        values = rng.choice(len(shares), documents if whole else len(document), p=shares)
        drawn[f"c{number}"] = values[document] if whole else values
    return drawn


def labelled(
    right: Mapping[str, Array], categories: Mapping[str, Ints], document: Ints, name: str = "data"
) -> slicewise.Evaluation:
    """Return an evaluation in which every item's gold label is the same and a system is right or wrong."""
    answers = {system: np.where(values > 0, RIGHT, WRONG) for system, values in right.items()}
    frame = pl.DataFrame({"gold": [RIGHT] * len(document), **answers, **_fields(categories, document)})
    return slicewise.Evaluation.from_frame(frame, gold="gold", systems=list(right), task="labels", name=name)


def scored(
    scores: Mapping[str, Array], categories: Mapping[str, Ints], document: Ints, name: str = "data"
) -> slicewise.Evaluation:
    """Return an evaluation of scored items."""
    frame = pl.DataFrame({**scores, **_fields(categories, document)})
    return slicewise.Evaluation.from_frame(frame, systems=list(scores), task="scores", name=name)


def _fields(categories: Mapping[str, Ints], document: Ints) -> dict[str, list[str]]:
    fields = {name: [f"v{value}" for value in values] for name, values in categories.items()}
    return {**fields, "doc": [f"d{number}" for number in document]}
