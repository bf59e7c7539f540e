"""Texts made alike before they are compared."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise import Evaluation, UserError, score
from slicewise.align.normalise import check_steps, normalised

texts = st.lists(st.text(max_size=12), min_size=1, max_size=5)


def applied(given: list[str], *steps: str) -> list[str]:
    return normalised(pl.Series(given, dtype=pl.String), check_steps(steps)).to_list()


@given(texts)
def test_case_is_folded_as_python_folds_lower_case(given: list[str]) -> None:
    assert applied(given, "casefold") == ["".join(c.casefold() for c in text.lower()) for text in given]


@given(texts)
def test_spaces(given: list[str]) -> None:
    spaces = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
    assert applied(given, "spaces") == [re.sub(spaces, " ", text).strip(" ") for text in given]


def test_steps_go_in_order() -> None:
    assert applied(["Straße, SS!"], "casefold", "punctuation") == ["strasse ss"]
    assert applied(["A-B"], "s/-/ /", "lower") == ["a b"]
    assert applied(["a/b", "ab"], r"s|(a)/(b)|$2$1|") == ["ba", "ab"]
    assert applied(["Ab"], "s/b/B/", "lower") == ["ab"]
    assert applied(["Ab"], "lower", "s/b/B/") == ["aB"]
    assert normalised(pl.Series([["A", "b"], []]), check_steps(["lower"])).to_list() == [["a", "b"], []]


@pytest.mark.parametrize("step", ["", "lowr", "s/a", "s/(/x/", "/a/b/", "s//x/", "saxbxa"])
def test_wrong_steps(step: str) -> None:
    with pytest.raises(UserError):
        check_steps([step])


def test_labels_and_texts_are_compared_as_normalised() -> None:
    labels = Evaluation.from_labels(["Yes", "no."], {"m": ["yes", "No"]}, normalise=["lower", "punctuation"])
    assert score(labels, resamples=0).systems["m"].metrics["accuracy"].value == 1
    assert "normalise:lower+punctuation" in score(labels, resamples=0).signature
    text = Evaluation.from_texts(["A  b"], {"m": ["a b"]}, normalise=["lower", "spaces"])
    assert score(text, metrics="exact-match", resamples=0).systems["m"].metrics["exact-match"].value == 1
    several = Evaluation.from_labels([["A", "b"]], {"m": [["a", "B"]]}, normalise="lower")
    assert score(several, resamples=0).systems["m"].metrics["f1"].value == 1
