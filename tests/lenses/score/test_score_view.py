"""What a person is shown: in 80 columns, in a notebook, and that it is true."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support.few_draws import few_draws
from support.profiles import with_examples

from slicewise import Evaluation, score, units

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "a-system-with-a-name-that-is-much-longer-than-anyone-would-like-and-has-no-space-in-it-at-all"


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    with few_draws(500):
        yield


def many(systems: list[str], labels: list[str], sentences: int = 40) -> Evaluation:
    rng = np.random.default_rng(2)
    tags = np.array(["O", *(f"B-{label}" for label in labels)])
    gold = rng.choice(tags, (sentences, 6))
    outputs = {name: np.where(rng.random(gold.shape) < 0.7, gold, rng.choice(tags, gold.shape)) for name in systems}
    return Evaluation.from_tags(None, gold.tolist(), {name: out.tolist() for name, out in outputs.items()})


def too_wide(text: str) -> list[str]:
    return [line for line in text.splitlines() if cell_len(line) > 80]


SYSTEMS = {
    "few": ["crf", "hmm"],
    "long": [f"{LONG}{i}" for i in range(3)],
    "twelve": [f"s{i}" for i in range(12)],
    "twelve long": [f"{LONG}{i}" for i in range(12)],
    "wide": ["系统的名字很长" * 8, "ثنائي الاتجاه " * 6, "e\u0301" * 60],
    "spaced": ["two words " * 12, "x"],
}


@pytest.mark.parametrize(
    "labels", [["X"], [f"label-{i}" for i in range(40)], ["L" * 90, "标" * 50]], ids=["1", "40", "long"]
)
@pytest.mark.parametrize("names", SYSTEMS)
def test_no_line_is_wider_than_eighty_columns(names: str, labels: list[str]) -> None:
    evaluation = many(SYSTEMS[names], labels, sentences=12)
    for resamples in (0, 5):
        assert not too_wide(str(score(evaluation, resamples=resamples)))
    assert not too_wide(str(units(evaluation)))


@pytest.mark.parametrize("names", SYSTEMS)
def test_no_number_is_cut_off(names: str) -> None:
    """However long names are, the scores stay whole."""
    result = score(many(SYSTEMS[names], [f"label-{i}" for i in range(40)], sentences=12), resamples=5)
    shown = str(result)
    for scores in result.systems.values():
        f1, ci = scores.metrics["f1"].value, scores.metrics["f1"].ci
        assert f1 is not None
        assert ci is not None
        assert f"{f1:.4f}" in shown
        assert f"[{ci[0]:.3f}, {ci[1]:.3f}]" in shown
    assert "…" not in shown.partition("Errors by kind")[0].replace("more", "")


@pytest.mark.parametrize("names", SYSTEMS)
def test_every_system_is_shown_by_its_whole_name(names: str) -> None:
    shown = re.sub(r"\s", "", str(score(many(SYSTEMS[names], ["X"], sentences=6), resamples=0)))
    letters = set(shown)
    for name in SYSTEMS[names]:
        assert set(re.sub(r"\s", "", name)) <= letters


class Parser(HTMLParser):
    """Collects tags and text of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


EVIL = ['<script>alert("1")</script>', "<img src=x onerror=alert(1)>", "a & b &lt;", "'\">", "</td></table>"]


def parsed(html: str) -> Parser:
    parser = Parser()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.parametrize("evil", EVIL)
def test_a_notebook_shows_names_as_text(evil: str) -> None:
    systems = {evil: [[f"B-{evil}"]] * 3, "x": [["B-other"]] * 3}
    evaluation = Evaluation.from_tags([[evil]] * 3, [["B-other"]] * 3, systems, name=evil)
    for result in (score(evaluation, resamples=5), units(evaluation, include=["errors"])):
        found = parsed(result._repr_html_())
        assert found.tags <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "img"}
        assert found.attributes <= {"style", "alt", "src"}
        assert result._repr_html_().count("<img") == (result.command == "score")  # its chart, as data
        assert evil in found.text


@with_examples(8)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip))
def test_any_name_can_be_shown(name: str) -> None:
    result = score(Evaluation.from_labels(["A", name], {"s": ["A", name]}), resamples=0)
    assert name.strip() in parsed(result._repr_html_()).text
    assert not too_wide(str(result))


def test_the_best_is_called_significantly_better_than_all_only_if_it_is() -> None:
    """b is a little and always below a; c is far below on average, but on few items: b differs from a, c does not."""
    n = 40
    a = [1.0] * n
    b = [0.95] * n
    c = [1.0] * (n - 3) + [0.2, 0.2, -0.9]
    result = score(Evaluation.from_scores({"a": a, "b": b, "c": c}), resamples=20)
    q = {(pair.a, pair.b): pair.q for pair in result.pairs}
    assert result.ranking() == ["a", "b", "c"]
    assert (q["a", "b"] or 0) < 0.05 <= (q["a", "c"] or 0)
    shown = " ".join(str(result).split())
    assert "difference to every other system is significant" not in shown


def test_an_undefined_value_is_a_dash() -> None:
    shown = str(score(Evaluation.from_tags(None, [["O"]] * 3, {"s": [["O"]] * 3}), resamples=0))
    row = next(line for line in shown.splitlines() if line.startswith("s "))
    assert row.split()[1:4] == ["–", "–", "–"]


def test_tables_have_the_numbers_of_the_result() -> None:
    result = score(many(["x", "y"], ["A", "B"]), resamples=5)
    metrics = {(row["system"], row["metric"]): row for row in result.to_polars("metrics").to_dicts()}
    for name, scores in result.systems.items():
        for metric, value in scores.metrics.items():
            row = metrics[name, metric]
            assert (row["value"], (row["lo"], row["hi"])) == (value.value, value.ci)
    pairs = result.to_polars("pairs").to_dicts()
    assert [(row["a"], row["b"], row["p"]) for row in pairs] == [(p.a, p.b, p.p) for p in result.pairs]
    assert set(result.tables()) == {"metrics", "scores", "errors", "semeval", "confusions", "pairs"}
