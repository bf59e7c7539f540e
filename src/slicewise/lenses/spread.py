"""How the mentions of one string spread over the bins: strings that are mostly found, and sometimes resist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes import Facts
from slicewise.lenses.mentions import item_names, mentions
from slicewise.results.difficulty import Form, Surface

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.mentions import Mention

    Index = NDArray[np.int64]

MOST_FORMS = 10_000
SHOWN = 3
"""Mentions that are shown on either side."""
NUMBER = r"^\d+[\s_:]+"
"""What stands before an item's own name: `762_levodopa`."""


def surfaces(evaluation: Evaluation) -> pl.Series | None:
    """Return the string of each unit (or item); None where there is none."""
    if evaluation.task.has_units:
        a = evaluation.aligned
        texts = {
            Task.SPANS: a.tokens is not None or "in" in a.fields.columns,
            Task.TOKENS: a.tokens is not None,
            Task.LABELS: a.fields.width > 0,
            Task.MULTILABEL: False,  # labels of one text are no mentions of it
        }
        return _folded(evaluation, evaluation.surface()) if texts[evaluation.task] else None
    fields = evaluation.aligned.fields
    if fields.width:
        return _folded(evaluation, fields.to_series(0).fill_null(""))
    names = item_names(evaluation)
    return None if names is None else _folded(evaluation, names.cast(pl.String).str.replace(NUMBER, ""))


def _folded(evaluation: Evaluation, texts: pl.Series) -> pl.Series:
    return (texts.str.to_lowercase() if evaluation.options.lower else texts).alias("")


def spread(evaluation: Evaluation, outcomes: Outcomes, texts: pl.Series, top: int) -> tuple[list[Form], int]:
    """Return the strings of two gold units and more, the most unusual first, and how many they are.

    What is lost: by how much mentions fall below the string's own (lower) median bin, in mentions of all systems.
    """
    rows = np.flatnonzero(outcomes.gold)
    systems = len(outcomes.systems)
    names, codes = _coded(texts.gather(rows))
    counts = np.bincount(codes * (systems + 1) + outcomes.bins[rows], minlength=len(names) * (systems + 1))
    table = counts.reshape(-1, systems + 1)
    n = table.sum(axis=1)
    several = np.flatnonzero(n > 1)
    median = _medians(table, n)
    below = np.maximum(median[:, None] - np.arange(systems + 1), 0)
    lost = (table * below).sum(axis=1) / systems
    ranked = (
        pl.DataFrame({"at": several, "lost": lost[several], "n": n[several], "name": names.gather(several)})
        .sort(["lost", "n", "name"], descending=[True, True, False])
        .head(MOST_FORMS)
    )
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(names) + 1))
    found = []
    for place, (at, lost_here, size, name) in enumerate(ranked.iter_rows()):
        low: tuple[Mention, ...] = ()
        high: tuple[Mention, ...] = ()
        if place < top and lost_here > 0:
            own = rows[order[starts[at] : starts[at + 1]]]
            low, high = _sides(evaluation, outcomes, own, int(median[at]))
        found.append(
            Form(surface=name, n=size, bins=tuple(table[at].tolist()), lost=lost_here, resistant=low, found=high)
        )
    return found, len(several)


def _coded(texts: pl.Series) -> tuple[pl.Series, Index]:
    """Return the different strings in order, and which of them each is."""
    names = texts.unique().sort()
    return names, texts.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def _medians(table: NDArray[np.int64], n: Index) -> Index:
    """Return the lower median bin of each row."""
    return np.asarray((table.cumsum(axis=1) <= ((n - 1) // 2)[:, None]).sum(axis=1))


def _sides(
    evaluation: Evaluation, outcomes: Outcomes, rows: Index, median: int
) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """Return the mentions that fewest systems find, and those that most find."""
    bins = outcomes.bins[rows]
    order = rows[np.argsort(bins, kind="stable")]
    low = order[: min(SHOWN, int((bins < median).sum()))]
    high = order[::-1][: min(SHOWN, int((bins >= median).sum()))]
    return tuple(mentions(evaluation, outcomes, low)), tuple(mentions(evaluation, outcomes, high))


def one_surface(evaluation: Evaluation, outcomes: Outcomes, texts: pl.Series, wanted: str, top: int) -> Surface:
    """Return one string's mentions over the bins, those of longer strings that contain it, and spurious ones."""
    text = " ".join((wanted.lower() if evaluation.options.lower else wanted).split())
    size = len(outcomes.systems) + 1
    gold = outcomes.gold
    equal = (texts == text).fill_null(False).to_numpy()
    longer = (" " + texts + " ").str.contains(f" {text} ", literal=True).fill_null(False).to_numpy() & ~equal
    returned = ~gold & equal & (outcomes.bins > 0)
    parts = [_by_bin(outcomes, flags) for flags in (gold & equal, gold & longer, returned)]
    own, within, spurious = (rows if not top else rows[:top] for rows in (*parts[:2], parts[2][::-1]))
    return Surface(
        surface=wanted,
        n=len(parts[0]),
        bins=tuple(np.bincount(outcomes.bins[parts[0]], minlength=size).tolist()),
        containing=tuple(np.bincount(outcomes.bins[parts[1]], minlength=size).tolist()),
        spurious=tuple(np.bincount(outcomes.bins[parts[2]], minlength=size).tolist()),
        standing=_standing(evaluation, text),
        mentions=tuple(mentions(evaluation, outcomes, own)),
        longer=tuple(mentions(evaluation, outcomes, within)),
        returned=tuple(mentions(evaluation, outcomes, spurious)),
    )


def _by_bin(outcomes: Outcomes, flags: NDArray[np.bool_]) -> Index:
    """Return rows, those that fewest systems have first."""
    rows = np.flatnonzero(flags)
    return rows[np.argsort(outcomes.bins[rows], kind="stable")]


def _standing(evaluation: Evaluation, text: str) -> int | None:
    """Return how often a string stands in the data, a unit or not; None where units have no place in it."""
    corpus = Facts(evaluation).corpus
    words = text.split()
    if evaluation.task not in (Task.SPANS, Task.TOKENS) or corpus is None or not words:
        return None
    tokens = _folded(evaluation, corpus.tokens)
    last = len(tokens) - len(words) + 1
    if last < 1:
        return 0
    here = corpus.item[:last] == corpus.item[len(words) - 1 :]
    for i, word in enumerate(words):
        here &= (tokens.slice(i, last) == word).fill_null(False).to_numpy()
    return int(here.sum())
