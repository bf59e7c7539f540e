"""A small version of the simulations of `features`: nothing is found where nothing is, and planted words are."""

from __future__ import annotations

import pytest
from calibrate.claims.features_null import WORSENING, Null
from calibrate.claims.features_power import Planted
from calibrate.claims.units_null import UnitsNull
from calibrate.worlds.documents import Documents
from support.few_runs import few_runs

FALSE = "a false discovery"
ALIKE = Documents(30, 0.2)


@pytest.mark.parametrize(
    "null",
    [
        pytest.param(Null("accuracy 0.85", items=500), id="independent"),
        pytest.param(Null("98% perfect", items=2000, words=60), id="mostly perfect"),
        pytest.param(Null("accuracy 0.85", ALIKE, items=600), id="documents"),
        pytest.param(Null("accuracy 0.95", Documents(60, broken=0.05), items=600), id="broken"),
        pytest.param(Null("change", ALIKE, items=600, options=WORSENING), id="change"),
        pytest.param(Null("accuracy 0.5", items=600, length_effect=0.5), id="length"),
    ],
)
def test_no_word_is_found_where_none_matters(null: Null) -> None:
    assert few_runs("features", null, 12)[FALSE] <= 0.2


def test_no_graded_word_is_found_in_documents() -> None:
    assert few_runs("graded", Null("F1-like", ALIKE, items=400, words=100), 10)[FALSE] <= 0.2


def test_no_unit_is_found_where_units_are_independent() -> None:
    assert few_runs("units", UnitsNull(0.85, sentences=150), 5)[FALSE] <= 0.25


def test_no_unit_is_found_in_sentences_with_a_common_fate() -> None:
    assert few_runs("units", UnitsNull(0.85, icc=0.33, sentences=250), 6)[FALSE] <= 0.25


@pytest.mark.parametrize("documents", [None, Documents(60)])
def test_planted_words_are_found_as_often_as_by_the_naive_test(documents: Documents | None) -> None:
    figures = few_runs("planted", Planted("accuracy 0.85", 0.5, 60, 1500, documents), 10)
    assert figures["found"] >= 0.8
    assert figures["lost to it"] <= 0.15


def test_words_that_are_planted_in_few_of_many_graded_items_are_found() -> None:
    assert few_runs("rare", Planted("98% perfect", 1.0, 12, 4000, words=60), 3)["found"] == 1
