"""What is worked out about a part is made once, takes no more memory than it may, and does not travel."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise import Evaluation, buckets, complement, difficulty, features, load
from slicewise.attributes import Facts
from slicewise.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KILOBYTE = 1 << 10


def evaluation() -> Evaluation:
    return Evaluation.from_labels(["a", "b"] * 4, {"s": ["a", "a"] * 4}, texts=["one two", "three"] * 4)


def test_a_value_is_made_once() -> None:
    memo = Memo()
    values = [memo("key", lambda: np.zeros(1)) for _ in range(3)]
    assert values[0] is values[1] is values[2]


def test_the_least_recently_used_goes_first() -> None:
    memo = Memo(max_bytes=3 * KILOBYTE)
    for name in "abc":
        memo(name, lambda: np.zeros(KILOBYTE, np.uint8))
    memo("a", lambda: np.ones(1))
    memo("d", lambda: {"inside": [pl.Series(np.zeros(KILOBYTE, np.uint8))]})
    other = np.zeros(KILOBYTE, np.uint8)
    assert [name for name in "dab" if memo(name, lambda: other) is other] == ["b"]


def test_one_value_stays_however_large() -> None:
    memo = Memo(max_bytes=1)
    large = memo("large", lambda: np.zeros(KILOBYTE))
    assert memo("large", lambda: np.zeros(0)) is large


def test_a_part_has_its_own_and_sends_none() -> None:
    whole = evaluation()
    facts = Facts.of(whole)
    assert Facts.of(whole) is facts
    assert len(whole.memo) > 0
    assert len(whole.between(0, 4).memo) == 0
    assert len(pickle.loads(pickle.dumps(whole)).memo) == 0


def test_what_is_remembered_changes_no_result(examples: Path) -> None:
    """Whatever was asked of an evaluation before, the answer is that of a fresh one."""
    folder = examples / "chat"

    def fresh() -> Evaluation:
        systems = {system: folder / "systems" / f"{system}.1.conll" for system in ("crf", "crf-char")}
        return load(gold=folder / "test.conll", train=folder / "train.conll", systems=systems)

    asked: list[Callable[[Evaluation], Any]] = [
        lambda e: features(e, units=True, resamples=0),
        lambda e: features(e, units=True, attributes=["eLen"], resamples=0),
        lambda e: features(e, units=True, bigrams=True, shapes=True, min_count=9, resamples=0),
        lambda e: features(e, bigrams=True, resamples=0),
        lambda e: features(e, tokenizer="char", resamples=0),
        lambda e: buckets(e, attributes=["eLen", "eCon"], resamples=0),
        lambda e: buckets(e, cuts={"eLen": [1.0]}, resamples=0),
        lambda e: complement(e, resamples=0),
        lambda e: difficulty(e, resamples=0),
    ]
    shared = fresh()
    for lens in [*asked, *reversed(asked)]:
        assert lens(shared).to_json() == lens(fresh()).to_json()
