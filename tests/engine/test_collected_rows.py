"""What is made of all parts together does not grow with the items: no table has a row for each of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from support.lens_results import LENSES
from support.parts import in_parts

import slicewise
from slicewise.engine.local import LocalRunner
from slicewise.lenses.difficulty import suspects
from slicewise.lenses.ranking import clusters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import narwhals as nw

    from slicewise import Evaluation
    from slicewise.engine.local import Kernel, PartSource
    from slicewise.engine.protocols import Ranked, Result, Steps

FEW, MANY = 3_000, 9_000


@dataclass(frozen=True)
class Watched(LocalRunner):
    """Works here, and remembers how many rows come back of every kernel."""

    rows: dict[str, int] = field(default_factory=dict)

    def _seen(self, kernel: Kernel, table: pl.DataFrame) -> pl.DataFrame:
        name = type(kernel).__name__
        self.rows[name] = max(self.rows.get(name, 0), table.height)
        return table

    def aggregate(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, ranks: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        yield from (self._seen(kernel, table) for table in super().aggregate(source, kernel, keep, ranks))

    def reduce_parts(
        self, source: PartSource, kernel: Kernel, steps: Steps[Result], ranks: Ranked | None = None
    ) -> Result:
        return super().reduce_parts(source, kernel, self._watched(kernel, steps), ranks)

    def _watched(self, kernel: Kernel, steps: Steps[Result]) -> Steps[Result]:
        try:
            asked = next(steps)
            while True:
                asked = steps.send(self._seen(kernel, (yield asked)))
        except StopIteration as end:
            found: Result = end.value
            return found

    def collect_parts(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        return [self._seen(kernel, table) for table in super().collect_parts(source, kernel)]


def logs(folder: Path, items: int, answers: dict[str, Any]) -> None:
    """Write prompts of which each is different, with users who have a few each, and teams."""
    rng, number = np.random.default_rng(items), np.arange(items)
    words = np.array([f"w{i}" for i in range(40)])
    texts = [f"{' '.join(row)} {i}" for i, row in enumerate(words[rng.integers(0, 40, (items, 5))])]
    fields = {"text": texts, "user": [f"u{i}" for i in number * 7919 % (items // 3)], "team": number % 30}
    found = {name: rng.choice(values, items) for name, values in answers.items()}
    pl.DataFrame(fields | found).cast({"team": pl.String}).write_parquet(folder / f"{items}.parquet")


def rows_back(evaluation: Evaluation, lens: str, most: int | None = None) -> dict[str, int]:
    """Return how many rows come back; `most`: as where only so many different values of a column may."""
    parts = in_parts(evaluation, 3).parts
    assert parts is not None
    runner = Watched(max_collected=most)
    LENSES[lens](evaluation.parted(replace(parts, runner=runner)), resamples=10)
    return runner.rows


def few_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the bounds of what may come back below what these data have."""
    monkeypatch.setattr(suspects, "MOST", 100)
    monkeypatch.setattr(clusters, "ROWS", 600)
    monkeypatch.setattr(clusters, "LEAST", 20)


def grown_tables(few: dict[str, int], many: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Return the tables that are larger where there are more items.

    In how many of 30 teams a feature has how many items are at most 30 numbers, whatever the items.
    """
    assert many.pop("ClusterCounts", 0) <= 30 * 100
    return {name: (few.get(name, 0), rows) for name, rows in many.items() if rows > 1.5 * few.get(name, 0) + 30}


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("task", ["scores", "labels"])
def test_no_table_has_a_row_for_each_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, lens: str
) -> None:
    """Three times the items, each with a text of its own and a third as many users: no more rows."""
    few_allowed(monkeypatch)
    values: list[Any] = [0, 1] if task == "scores" else ["yes", "no", "maybe"]
    names = ("a", "b") if task == "scores" else ("gold", "a", "b")
    found = []
    for items in (FEW, MANY):
        logs(tmp_path, items, dict.fromkeys(names, values))
        file = f"{tmp_path}/{items}.parquet"
        given: dict[str, Any] = {"gold": f"{file}:gold"} if task == "labels" else {}
        given |= {"systems": {name: f"{file}:{name}" for name in ("a", "b")}, "inputs": [f"{file}:text"]}
        evaluation = slicewise.load(task=task, cluster="team", **given)
        found.append(rows_back(evaluation, lens))
    few, many = found
    assert not grown_tables(few, many)


@pytest.mark.parametrize("lens", LENSES)
def test_scores_and_numbers_may_all_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lens: str) -> None:
    """On a cluster: of values that are different in every item, no more come back than are allowed for."""
    few_allowed(monkeypatch)
    found = []
    for items in (FEW, MANY):
        rng = np.random.default_rng(items)
        text = [f"w{i % 40} w{i % 7}" for i in range(items)]
        scores = {"a": rng.random(items), "b": rng.normal(size=items)}
        file = tmp_path / f"{items}.parquet"
        team = [f"t{i % 30}" for i in range(items)]
        pl.DataFrame({"text": text, "price": rng.normal(size=items), "team": team, **scores}).write_parquet(file)
        given: dict[str, Any] = {"inputs": [f"{file}:text", f"{file}:price"], "cluster": "team"}
        evaluation = slicewise.load(task="scores", systems={name: f"{file}:{name}" for name in scores}, **given)
        found.append(rows_back(evaluation, lens, 50))
    few, many = found
    few["_Digits"], many["_Digits"] = 0, 0  # which bits scores begin with: of so many bits, whatever the scores
    assert not grown_tables(few, many)
