"""`score` of data in parts is what it is of the whole, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.parts import in_parts
from support.profiles import with_examples

import slicewise
from slicewise.engine.local import aggregate, collect_parts
from slicewise.errors import UserError
from slicewise.lenses.error_types import _Confusions

if TYPE_CHECKING:
    from pathlib import Path

    from slicewise.evaluation import Evaluation


def same(evaluation: Evaluation, *metrics: str) -> None:
    """Compare one piece with several."""
    whole = slicewise.score(evaluation, metrics=metrics, resamples=50).to_json()
    for size in (1, 2, 5):
        assert slicewise.score(in_parts(evaluation, size), metrics=metrics, resamples=50).to_json() == whole


@pytest.mark.parametrize("task", ["spans", "tokens"])
def test_tags(examples: Path, task: str) -> None:
    """Documents, kinds of error, confusions."""
    systems = {name: examples / "news" / "systems" / f"{name}.conll" for name in ("hmm", "crf.1")}
    same(slicewise.load(gold=examples / "news" / "test.conll", systems=systems, task=task))


def test_labels(examples: Path) -> None:
    """Labels, and a system that answers nothing."""
    same(slicewise.Evaluation.from_labels(list("abcabca"), {"x": list("abbabca"), "y": ["a", None] * 3 + ["b"]}))


def test_several_labels() -> None:
    """A set of labels per item."""
    gold, other = [["a"], ["a", "b"], []] * 4, [["a"], ["b"], ["c"]] * 4
    same(slicewise.Evaluation.from_labels(gold, {"x": other, "y": gold[::-1]}))


def test_texts(examples: Path) -> None:
    """Metrics with fractions, and sacreBLEU's signature."""
    folder = examples / "translation"
    systems = {path.stem: path for path in sorted((folder / "systems").iterdir())}
    found = slicewise.load(gold=folder / "test.ref", systems=systems, task="text")
    same(found.between(0, 60), "bleu", "chrf", "rouge-l", "mean-wer")


@with_examples(20)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=40), st.integers(1, 9))
def test_scores(values: list[float], size: int) -> None:
    """Fractions of any size are summed exactly."""
    evaluation = slicewise.Evaluation.from_scores({"x": values, "y": values[::-1]})
    whole = slicewise.score(evaluation, resamples=20).to_json()
    assert slicewise.score(in_parts(evaluation, size), resamples=20).to_json() == whole


def test_what_needs_all_items_reads_them_all() -> None:
    """A metric that is not additive gives the same, from the whole."""
    rng = np.random.default_rng(0)
    gold, output = rng.random(40), rng.random(40)
    texts = slicewise.Evaluation.from_texts(list(map(str, gold)), {"x": list(map(str, output))})
    whole = slicewise.score(texts, metrics="spearman", resamples=20).to_json()
    assert slicewise.score(in_parts(texts, 3), metrics="spearman", resamples=20).to_json() == whole


def test_what_needs_all_items_is_refused_where_they_are_elsewhere() -> None:
    """One line says so."""
    from dataclasses import replace

    texts = slicewise.Evaluation.from_texts(["1", "2", "3"], {"x": ["1", "2", "4"]})
    parted = in_parts(texts, 2)
    assert parted.parts is not None
    elsewhere = replace(parted, parts=replace(parted.parts, whole=None))
    with pytest.raises(UserError, match="the metric spearman needs all items in one place"):
        slicewise.score(elsewhere, metrics="spearman")


def test_tables_of_parts_are_added_up() -> None:
    """A kernel's counts by key, from one part and from three."""
    evaluation = slicewise.Evaluation.from_labels(list("aabbab"), {"x": list("ababab")})
    kernel = _Confusions(("x",))
    whole = aggregate(evaluation, kernel)
    assert aggregate(in_parts(evaluation, 3), kernel).equals(whole)
    assert whole["n"].sum() == 6
    assert len(collect_parts(in_parts(evaluation, 3), kernel)) == 3
