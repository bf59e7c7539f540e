"""Blocks of text in a terminal and in a notebook."""

from __future__ import annotations

import io

from rich.console import Console

from slicewise.render.blocks import Column, Grid, Sentence
from slicewise.render.notebook import as_html
from slicewise.render.numbers import bounds, probability, score, signed, whole
from slicewise.render.terminal import as_text, show

GRID = Grid(
    "Scores <1>",
    (Column("system", "left"), Column("f1")),
    (("<script>alert(1)</script>", "0.5"), ("b [bold]&", "–")),
    "a note & more",
    frozenset({(0, 1)}),
)


def test_a_table_is_plain_text_when_it_is_not_a_terminal() -> None:
    text = as_text([Sentence("Hello [red]world"), GRID])
    assert text.splitlines() == [
        "Hello [red]world",
        "",
        "Scores <1>",
        "system                      f1",
        "──────────────────────────────",
        "<script>alert(1)</script>  0.5",
        "b [bold]&                    –",
        "a note & more",
    ]


def test_a_terminal_gets_colour_and_a_pipe_does_not() -> None:
    coloured, plain = io.StringIO(), io.StringIO()
    show([GRID], Console(file=coloured, force_terminal=True, width=80, color_system="standard"))
    show([GRID], Console(file=plain, width=80))
    assert "\x1b[" in coloured.getvalue()
    assert "\x1b[" not in plain.getvalue()


def test_html_is_escaped() -> None:
    html = as_html([Sentence("<img src=x onerror=alert(1)>", "warning"), GRID])
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a note &amp; more" in html


def test_numbers_for_people() -> None:
    assert score(None) == "–"
    assert score(0.12345) == "0.1235"
    assert signed(-0.5, 2) == "−0.50"
    assert signed(0.5, 2) == "+0.50"
    assert bounds((-0.1, 0.25)) == "[−0.100, 0.250]"
    assert bounds(None) == ""
    assert probability(0.0004) == "<0.001"
    assert probability(0.25) == "0.250"
    assert whole(1234.0) == "1,234"
    assert whole(2.5) == "2.5"


def test_a_wide_table_is_cut_between_columns_and_no_number_is_cut() -> None:
    names = tuple(f"system-{i}" for i in range(12))
    columns = (Column("label", "left"), *(Column(name) for name in names))
    row = ("PER", *(f"0.{i:04d}" for i in range(12)))
    for width in (30, 60, 80):
        text = as_text([Grid("F1", columns, (row,))], width)
        lines = text.splitlines()
        assert max(len(line) for line in lines) <= width
        assert [word for line in lines if line.startswith("PER") for word in line.split()[1:]] == list(row[1:])
        assert [word for line in lines if line.startswith("label") for word in line.split()[1:]] == list(names)


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = as_text([Sentence("a\x1b[31mb"), Grid("t\x07", (Column("c\r", "left"),), (("x\x1b]0;evil\x07",),))])
    assert not set(text) & {"\x1b", "\x07", "\r"}
