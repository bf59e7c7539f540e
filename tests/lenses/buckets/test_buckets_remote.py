"""`buckets` where values and scores are too many to come together, and stay where the parts are: the same bytes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
import test_buckets_in_parts
from hypothesis import given
from hypothesis import strategies as st
from support.few_draws import few_draws
from support.slow_buckets import data_of
from test_buckets_in_parts import drawn, entities

import slicewise
from slicewise.annotations import Task
from slicewise.lenses.slicing import remote_values

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from slicewise import Evaluation


assert_same = partial(test_buckets_in_parts.assert_same, max_collected=0)
"""No column of numbers comes back, whatever it has."""


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    with few_draws(40):
        yield


def logs(folder: Path, items: int = 900) -> Evaluation:
    """Scores that nearly all differ, with fields that have numbers of all kinds, some of them missing."""
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "prompt": [f"word {'more ' * (i % 7)}{i}" for i in range(items)],
            "price": rng.normal(0, 1e6, items),
            "size": rng.integers(-(2**40), 2**40, items),
            "huge": rng.choice([1.0, np.inf, -np.inf, 3.5], items),
            "a": rng.random(items),
            "b": np.round(rng.random(items), 2),
        }
    )
    some = pl.Series(rng.random(items) < 0.2)
    frame = frame.with_columns(pl.when(~some).then("price").alias("price"), pl.when(some).then("a").alias("seldom"))
    frame.write_parquet(folder / "x.parquet")
    file = f"{folder}/x.parquet"
    return slicewise.load(
        task="scores", inputs=[f"{file}:prompt"], systems={name: f"{file}:{name}" for name in ("a", "b")}
    )


def test_scores_and_fields(tmp_path: Path) -> None:
    """Quantiles, widths and cuts of the user's own."""
    evaluation = logs(tmp_path)
    fields = ["price", "size", "huge", "seldom"]
    found = slicewise.buckets(evaluation, resamples=0)
    assert set(fields) <= set(found.attributes)
    assert_same(evaluation)
    cuts = {"price": "width(5)", "size": [0.0, 2.0**39], "seldom": "quantile(7)", "huge": "width(3)"}
    assert_same(evaluation, (3,), attributes=fields, cuts=cuts, cross=[("price", "size")])


def test_values_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are far indeed, and a number that is cut by its values is not."""
    asked: list[Any] = []
    own = remote_values.RemoteColumns.chosen

    def noted(*given: Any) -> Any:
        asked.append(given[0])
        return own(*given)

    monkeypatch.setattr(remote_values.RemoteColumns, "chosen", staticmethod(noted))
    evaluation = logs(tmp_path)
    options: dict[str, Any] = {"attributes": ["price", "size"], "cuts": {"size": "values"}}
    assert_same(evaluation, (2,), **options)
    assert {(0, -1), (-1, 0), (-1, 1)} <= set(asked[0])
    assert (1, -1) not in asked[0]


def test_entities(examples: Path) -> None:
    """Numbers of entities, with pinned values."""
    assert_same(entities(examples / "news"), (3,))


def test_cuts_of_the_users_own(examples: Path) -> None:
    """All ways to cut."""
    cuts = {"sLen": "width(5)", "eLen": [1, 2], "capitals": "values", "eChars": "quantile(3)"}
    evaluation = entities(examples / "chat")
    assert_same(evaluation, (3,), attributes=["sLen", "eLen", "capitals", "eChars", "hapaxTest"], cuts=cuts)


def test_texts_and_what_systems_returned(examples: Path) -> None:
    """Attributes of outputs, which differ between systems."""
    folder = examples / "translation"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("dictionary", "phrase")}
    evaluation = slicewise.load(gold=folder / "test.ref", inputs=folder / "test.src", systems=systems)
    assert_same(evaluation, (3,), metrics="wer", attributes=["all"])


@pytest.mark.parametrize("task", [Task.SPANS, Task.SCORES, Task.TEXT])
@drawn
@given(more=st.data())
def test_small_data(task: Task, more: st.DataObject) -> None:
    """Whatever there is."""
    metrics = ["exact-match"] if task is Task.TEXT else []
    assert_same(more.draw(data_of(task)).evaluation(), (1, 3), metrics=metrics)
