"""Suspect gold: units on which systems contradict gold, ranked, and the scores without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.engine.fused import run_fused
from slicewise.engine.local import added
from slicewise.engine.protocols import TEXTS, Kernel
from slicewise.evaluation import Evaluation
from slicewise.lenses.difficulty.result import SetAside, Suspect
from slicewise.lenses.difficulty.string_counts import Strings
from slicewise.lenses.difficulty.suspect_search import KINDS, NOBODY, UNFOUND, Search, nearly_all
from slicewise.lenses.difficulty.without_suspects import Aside, AsideSums, read_aside
from slicewise.lenses.examples import item_texts
from slicewise.lenses.outcomes.mentions import from_table, mention_table, mentions, needed
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import OutcomeReader
from slicewise.results.mentions import Mention

__all__ = ["changes", "names_of", "nearly_all", "suspects_of"]


MOST = 10_000
"""Suspects that are listed."""
LONGEST = 2_000
"""Characters of an item that are listed with each of its suspects."""
ORDER = {"unfound": False, "agree": True, "sided": True, "kind": False, "mean": False, "item": False, "row": False}
"""What suspects are ranked by, and whether the most come first."""


def suspects_of(
    evaluation: Evaluation, outcomes: OutcomeCounts, corpus_facts: CorpusFacts | None = None
) -> Suspects | None:
    """Return the suspects, the most suspect first; None with one system, which would contradict gold alone.

    First what systems say against gold, then what nobody finds; each by how many agree, then by how far the rest of
    the data sides with them. `corpus_facts`: what is known already of all parts.
    """
    if len(outcomes.systems) < 2:
        return None
    search = Search(outcomes.reader, Strings.of(evaluation, corpus_facts))
    aside = AsideSums(search, outcomes.metric)
    ranked, sums = run_fused(evaluation, [_Ranked(search, bool(outcomes.graded or outcomes.lost)), aside])
    return Suspects(evaluation, outcomes, _first(ranked), read_aside(outcomes, added([sums], aside.by)))


@dataclass(frozen=True, eq=False)
class Suspects:
    """The suspects of an evaluation, ranked."""

    evaluation: Evaluation
    outcomes: OutcomeCounts
    ranked: pl.DataFrame
    """The first of them; where they are: the first item of the part, and the rows of gold's unit and of theirs."""
    aside: Aside

    def __len__(self) -> int:
        return sum(self.aside.sizes)

    def set_aside(self) -> tuple[SetAside, ...]:
        """Return the scores of all systems with nothing, each kind of suspect, and all of them set aside."""
        return self.aside.scores()

    def listing(self) -> Kernel:
        """Return the kernel that finds the first of them."""
        ranked = self.ranked.with_row_index("rank")
        by_part = {int(first): rows for (first,), rows in ranked.group_by("first")}
        needs = needed(self.evaluation) | ({TEXTS} if self.evaluation.aligned.fields.width else set())
        return _Listed(self.outcomes.reader, by_part, needs)

    def listed(self, table: pl.DataFrame) -> tuple[Suspect, ...]:
        """Return the top suspects with their mentions."""
        gold, returned = (dict(self._mentions(table, side)) for side in ("gold", "returned"))
        texts = dict(table.select("rank", "sentence").iter_rows())
        return tuple(
            Suspect(
                kind=KINDS[row["kind"]],
                agree=row["agree"],
                gold=gold.get(rank),
                systems=returned.get(rank),
                as_gold=row["as_gold"],
                as_systems=row["as_systems"],
                sentence=texts[rank],
            )
            for rank, row in enumerate(self.ranked.iter_rows(named=True))
        )

    def _mentions(self, table: pl.DataFrame, side: str) -> list[tuple[int, Mention]]:
        rows = table.filter(table["side"] == side)
        return list(zip(rows["rank"].to_list(), from_table(rows), strict=True))


def _first(ranked: pl.DataFrame) -> pl.DataFrame:
    return ranked.sort(list(ORDER), descending=list(ORDER.values())).head(MOST)


@dataclass(frozen=True)
class _Ranked:
    """Kernel: the top suspects of a part, with their rows."""

    search: Search
    by_score: bool
    """Whether the scores of what nobody finds differ: then the worst come first."""
    by: tuple[str, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        """What the search needs."""
        return self.search.needs

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the suspects of a part."""
        suspects = self.search(part)
        row = suspects.select(pl.when(pl.col("returned") == NOBODY).then("gold").otherwise("returned")).to_series()
        item = self.search.reader(part).item[row.to_numpy()]
        sided = (pl.col("as_systems") + 0.5) / (pl.col("as_systems") + pl.col("as_gold") + 1)
        mean = _mean_scores(part, self.search.reader)[item] if self.by_score else np.zeros(len(item))
        return _first(
            suspects.with_columns(
                unfound=(pl.col("kind") == UNFOUND).cast(pl.Int64),
                sided=sided.fill_null(0.0),
                mean=pl.Series(mean),
                item=pl.Series(item + part.first, dtype=pl.Int64),
                row=row.cast(pl.Int64),
                first=pl.lit(part.first, pl.Int64),
            )
        )


def _mean_scores(part: Evaluation, reader: OutcomeReader) -> NDArray[np.float64]:
    """Return the mean score of all systems of each item, the lower the worse."""
    means = np.zeros(part.aligned.items)
    if reader.scored is None or reader.bar is None:
        return means
    for block, columns in reader.scored.blocks(part):
        means[block] = np.nan_to_num(np.array(columns), nan=0.0).mean(axis=0)
    return means if reader.bar.metric.greater_is_better else -means


@dataclass(frozen=True)
class _Listed:
    """Kernel: suspects as mentions in context."""

    reader: OutcomeReader
    by_part: dict[int, pl.DataFrame]
    needs: frozenset[str]
    by: tuple[str, ...] = ()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the mentions of a part's suspects, gold's and theirs, and their items."""
        suspects = self.by_part.get(part.first)
        outcomes = self.reader(part)
        tables = []
        for side in ("gold", "returned"):
            of_side = (
                NO_SUSPECTS if suspects is None or not part.aligned.items else suspects.filter(suspects[side] != NOBODY)
            )
            rows = of_side[side].to_numpy().astype(np.int64)
            items, at = np.unique(outcomes.item[rows], return_inverse=True)
            texts = pl.Series([_shortened(text) for text in item_texts(part, items)], dtype=pl.String)
            table = mention_table(mentions(part, outcomes, rows))
            tables.append(
                table.with_columns(rank=of_side["rank"].cast(pl.Int64), side=pl.lit(side), sentence=texts.gather(at))
            )
        return pl.concat(tables)


NO_SUSPECTS = pl.DataFrame(schema={"rank": pl.Int64, "gold": pl.Int64, "returned": pl.Int64})


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def changes(before: SetAside, after: SetAside) -> list[tuple[str, str]]:
    """Return pairs of systems whose order differs: the one that overtakes, and the one overtaken.

    Not so where two are equally good, before or after: names alone put them in order.
    """
    place = {name: i for i, name in enumerate(before.ranking)}
    return [
        (a, b)
        for i, a in enumerate(after.ranking)
        for b in after.ranking[i + 1 :]
        if place[a] > place[b] and before.scores[a] != before.scores[b] and after.scores[a] != after.scores[b]
    ]


def names_of(pairs: Sequence[tuple[str, str]]) -> str:
    """Say who overtakes whom."""
    return ", ".join(f"{a} overtakes {b}" for a, b in pairs)
