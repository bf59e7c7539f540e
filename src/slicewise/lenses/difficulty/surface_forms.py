"""How the mentions of one string spread over the bins: strings that are mostly found, and sometimes resist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Ints
from slicewise.attributes import Facts
from slicewise.engine.local import aggregate, collect_parts, reduce_parts
from slicewise.evaluation import Evaluation
from slicewise.lenses.difficulty.result import Form, Surface
from slicewise.lenses.outcomes.mentions import from_table, item_names, mention_table, mentions, needed
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import OutcomeReader, Outcomes
from slicewise.results.mentions import Mention

MOST_FORMS = 10_000
SHOWN = 3
"""Mentions that are shown on either side."""
NUMBER = r"^\d+[\s_:]+"
"""The prefix of an item's name: `762_levodopa`."""


def surfaces(evaluation: Evaluation) -> pl.Series | None:
    """Return the string of each unit (or item); None where units have none."""
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
    return None if names is None else _folded(evaluation, names.str.replace(NUMBER, ""))


def _folded(evaluation: Evaluation, texts: pl.Series) -> pl.Series:
    return (texts.str.to_lowercase() if evaluation.options.lower else texts).alias("")


def spread(evaluation: Evaluation, outcomes: OutcomeCounts, top: int) -> tuple[list[Form], int]:
    """Return the strings of two gold units and more, the most unusual first, and how many they are.

    What is lost: by how much mentions fall below the string's own (lower) median bin, in mentions of all systems.
    `top`: of so many, some mentions; 0 for all.
    """
    if surfaces(evaluation) is None:
        return [], 0
    forms, count = _ranked(evaluation, outcomes)
    chosen = forms.head(top or forms.height)
    chosen = chosen.filter(chosen["lost"] > 0)
    sides = _sides(evaluation, outcomes.reader, chosen)
    return [
        Form(
            surface=row["string"],
            n=row["n"],
            bins=tuple(row["bins"]),
            lost=row["lost"],
            resistant=sides[i][0] if i < len(sides) else (),
            found=sides[i][1] if i < len(sides) else (),
        )
        for i, row in enumerate(forms.iter_rows(named=True))
    ], count


def _ranked(evaluation: Evaluation, outcomes: OutcomeCounts) -> tuple[pl.DataFrame, int]:
    """Return the strings with several gold units, their distribution over the bins, and their number."""
    systems = len(outcomes.systems)
    counted, count = reduce_parts(
        evaluation, _Strings(outcomes.reader, outcomes.reader.needs | needed(evaluation)), _most_lost, _how_many
    )
    counted = counted.sort(*ORDER, "bin", descending=[True, True, False, False])
    rows = counted.unique("string", maintain_order=True)
    table = np.zeros((rows.height, systems + 1), np.int64)
    table[counted["string"].rle_id().to_numpy().astype(np.int64), counted["bin"].to_numpy()] = counted["n"].to_numpy()
    n = rows["every"].to_numpy()
    bins = pl.Series(table, dtype=pl.List(pl.Int64)) if len(table) else pl.Series([], dtype=pl.List(pl.Int64))
    columns = {"string": rows["string"], "n": n, "lost": rows["lost"] / systems}
    return pl.DataFrame(columns | {"median": _medians(table, n), "bins": bins}), int(count["n"].sum())


ORDER = "lost", "every", "string"


def _most_lost(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the bins of the strings that lose most.

    A mention loses as many bins as it is below its string's median: from every bin below it on to the next, all
    mentions up to there lose one each.
    """
    bins = _several(counts).with_columns(
        up_to=nw.col("n").cum_sum().over("string", order_by="bin"),
        next=nw.col("bin").shift(-1).over("string", order_by="bin"),
    )
    below = nw.col("up_to") <= (nw.col("every") - 1) // 2
    lost = nw.when(below).then(nw.col("up_to") * (nw.col("next") - nw.col("bin"))).otherwise(0)
    strings = bins.with_columns(lost=lost).group_by("string", "every").agg(nw.col("lost").sum())
    first = strings.sort(*ORDER, descending=[True, True, False]).head(MOST_FORMS)
    return bins.select("string", "bin", "n").join(first, on="string", how="inner")


def _how_many(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the number of strings that occur several times."""
    return _several(counts).select("string").unique("string").select(n=nw.len().cast(nw.Int64))


def _several(counts: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return counts.with_columns(every=nw.col("n").sum().over("string")).filter(nw.col("every") > 1)


def _medians(table: NDArray[np.int64], n: Ints) -> Ints:
    """Return the lower median bin of each row."""
    return np.asarray((table.cumsum(axis=1) <= ((n - 1) // 2)[:, None]).sum(axis=1))


@dataclass(frozen=True)
class _Strings:
    """Counts gold units by string and bin."""

    reader: OutcomeReader
    needs: frozenset[str]
    by: tuple[str, ...] = ("string", "bin")

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        outcomes, texts = self.reader(part), surfaces(part)
        if texts is None:
            raise ValueError("no strings")
        rows = pl.DataFrame({"string": texts.fill_null(""), "bin": outcomes.bins}).filter(outcomes.gold)
        return rows.group_by("string", "bin").len("n").cast({"bin": pl.Int64, "n": pl.Int64})


def _sides(
    evaluation: Evaluation, reader: OutcomeReader, chosen: pl.DataFrame
) -> list[tuple[tuple[Mention, ...], tuple[Mention, ...]]]:
    """Return of each string the mentions that fewest systems find, and those that most find."""
    if not chosen.height:
        return []
    kernel = _Sides(reader, tuple(chosen["string"].to_list()), reader.needs | needed(evaluation))
    extremes = _Extremes(collect_parts(evaluation, kernel))
    return [
        (
            extremes.lowest(2 * i, min(SHOWN, sum(bins[:median]))),
            extremes.highest(2 * i + 1, min(SHOWN, sum(bins[median:]))),
        )
        for i, (bins, median) in enumerate(chosen.select("bins", "median").iter_rows())
    ]


@dataclass(frozen=True)
class _Sides:
    """Returns some mentions of strings: those that fewest systems find, and those that most find."""

    reader: OutcomeReader
    strings: tuple[str, ...]
    needs: frozenset[str]
    by: tuple[str, ...] = ()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the mentions of a part, in two lists of each string."""
        outcomes, texts = self.reader(part), surfaces(part)
        if texts is None:
            raise ValueError("no strings")
        known = pl.DataFrame({"string": self.strings, "number": range(len(self.strings))})
        rows = pl.DataFrame({"string": texts.fill_null(""), "bin": outcomes.bins}).with_row_index("row")
        gold = rows.filter(outcomes.gold).join(known, on="string").sort("number", "bin", "row")
        lists = []
        for (number,), group in gold.group_by("number", maintain_order=True):
            rows_of = group["row"].to_numpy().astype(np.int64)
            lists += [(2 * int(str(number)), rows_of[:SHOWN]), (2 * int(str(number)) + 1, rows_of[-SHOWN:])]
        return _extreme_table(part, outcomes, lists)


def one_surface(evaluation: Evaluation, outcomes: OutcomeCounts, surface: str, top: int) -> Surface:
    """Return one string's mentions over the bins, those of longer strings that contain it, and spurious ones."""
    text = " ".join((surface.lower() if evaluation.options.lower else surface).split())
    size = len(outcomes.systems) + 1
    kernel = _Surface(outcomes.reader, text, top, outcomes.reader.needs | needed(evaluation))
    extremes = _Extremes(collect_parts(evaluation, kernel))
    counts = aggregate(evaluation, _SurfaceCounts(kernel))
    bins = np.zeros((len(LISTS), size), np.int64)
    listed = counts.filter(counts["list"] >= 0)
    bins[listed["list"].to_numpy(), listed["bin"].to_numpy()] = listed["n"].to_numpy()
    standing = counts.filter(counts["list"] == STANDING)["n"]
    limit = top or int(bins.sum())
    return Surface(
        surface=surface,
        n=int(bins[EQUAL].sum()),
        bins=tuple(bins[EQUAL].tolist()),
        containing=tuple(bins[LONGER].tolist()),
        spurious=tuple(bins[RETURNED].tolist()),
        standing=int(standing.sum()) if _can_stand(evaluation, text) else None,
        mentions=extremes.lowest(EQUAL, limit),
        longer=extremes.lowest(LONGER, limit),
        returned=extremes.highest(RETURNED, limit),
    )


LISTS = EQUAL, LONGER, RETURNED = range(3)
STANDING = -1
"""The list number of the row that counts all occurrences of the string."""


@dataclass(frozen=True)
class _Surface:
    """Returns the mentions of one string, those of longer strings that contain it, and spurious ones."""

    reader: OutcomeReader
    text: str
    top: int
    needs: frozenset[str]
    by: tuple[str, ...] = ()

    def rows(self, part: Evaluation) -> tuple[Ints, Ints, Ints]:
        """Return the rows of each list, those that fewest systems have first."""
        outcomes, texts = self.reader(part), surfaces(part)
        if texts is None:
            raise ValueError("no strings")
        gold = outcomes.gold
        equal = (texts == self.text).fill_null(False).to_numpy()
        longer = (" " + texts + " ").str.contains(f" {self.text} ", literal=True).fill_null(False).to_numpy() & ~equal
        returned = ~gold & equal & (outcomes.bins > 0)
        order = np.argsort(outcomes.bins, kind="stable")
        equal_rows, within, spurious = (order[flags[order]] for flags in (gold & equal, gold & longer, returned))
        return equal_rows, within, spurious

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the first mentions of each list of a part."""
        equal, within, spurious = self.rows(part)
        top = self.top or len(equal) + len(within) + len(spurious)
        lists = [(EQUAL, equal[:top]), (LONGER, within[:top]), (RETURNED, spurious[::-1][:top])]
        return _extreme_table(part, self.reader(part), lists)


@dataclass(frozen=True)
class _SurfaceCounts:
    """Kernel: counts the mentions of one string by bin, and its occurrences in the data."""

    of: _Surface
    by: tuple[str, ...] = ("list", "bin")

    @property
    def needs(self) -> frozenset[str]:
        """What mentions need."""
        return self.of.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the counts of a part."""
        outcomes, lists = self.of.reader(part), self.of.rows(part)
        rows = [(STANDING, 0, _standing(part, self.of.text))]
        for number, list_rows in zip(LISTS, lists, strict=True):
            rows += [(number, n, int(k)) for n, k in enumerate(np.bincount(outcomes.bins[list_rows]))]
        return pl.DataFrame(rows, dict.fromkeys(("list", "bin", "n"), pl.Int64), orient="row")


def _can_stand(evaluation: Evaluation, text: str) -> bool:
    """Return whether occurrences of the string can be counted: units are spans of words."""
    return bool(evaluation.task in (Task.SPANS, Task.TOKENS) and evaluation.aligned.has_words and text.split())


def _standing(evaluation: Evaluation, text: str) -> int:
    """Return the number of occurrences of a string, units or not."""
    corpus, words = Facts.of(evaluation).corpus, text.split()
    if corpus is None or not _can_stand(evaluation, text):
        return 0
    tokens = _folded(evaluation, corpus.tokens)
    last = len(tokens) - len(words) + 1
    if last < 1:
        return 0
    matches = corpus.item[:last] == corpus.item[len(words) - 1 :]
    for i, word in enumerate(words):
        matches &= (tokens.slice(i, last) == word).fill_null(False).to_numpy()
    return int(matches.sum())


def _extreme_table(part: Evaluation, outcomes: Outcomes, lists: Iterable[tuple[int, Ints]]) -> pl.DataFrame:
    """Return rows of lists, by number, as mentions with their bins."""
    filled = [(number, rows) for number, rows in lists if len(rows)]
    rows = np.concatenate([np.zeros(0, np.int64), *(list_rows for _, list_rows in filled)])
    number = np.repeat([n for n, _ in filled], [len(list_rows) for _, list_rows in filled]).astype(np.int64)
    places = {"list": number, "bin": outcomes.bins[rows], "row": rows}
    return pl.DataFrame(places).cast(pl.Int64).hstack(mention_table(mentions(part, outcomes, rows)))


class _Extremes:
    """The rows of all parts, list by list."""

    def __init__(self, tables: Sequence[pl.DataFrame]) -> None:
        ordered = pl.concat(tables).sort("bin", "item", "row")
        self._lists = {int(str(number)): rows for (number,), rows in ordered.group_by("list", maintain_order=True)}

    def lowest(self, number: int, size: int) -> tuple[Mention, ...]:
        """Return so many of a list that fewest systems have, in the order of the data."""
        return tuple(from_table(self._lists[number].head(size))) if number in self._lists else ()

    def highest(self, number: int, size: int) -> tuple[Mention, ...]:
        """Return so many of a list that most systems have, in the opposite order."""
        return tuple(from_table(self._lists[number].reverse().head(size))) if number in self._lists else ()
