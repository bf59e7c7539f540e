"""Blocks of text in a terminal and in a notebook."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from slicewise.errors import UserError
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.latex import as_latex
from slicewise.render.markdown import as_markdown
from slicewise.render.notebook import as_html
from slicewise.render.numbers import bounds, probability, score, signed, whole
from slicewise.render.terminal import as_text, show
from slicewise.results.base import Result
from slicewise.results.files import write_texts

if TYPE_CHECKING:
    from pathlib import Path

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
    assert score(2.5e179) == "2.5e+179"
    assert signed(-1e20, 2) == "−1e+20"
    assert bounds((0.0, 1.23456e90)) == "[0.000, 1.23e+90]"
    assert score(123456789012345.0, 1) == "123456789012345.0"
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


FAINT = Grid(
    "Correlation",
    (Column("system", "left"), Column("eLen"), Column("sLen")),
    (("a", "0.50", "0.10"), ("b", "−0.25", "0.20")),
    "A note.",
    marked=frozenset({(0, 1)}),
    faint=frozenset({(1, 1)}),
)


def test_a_faint_value_has_a_sign_that_hangs() -> None:
    assert as_text([FAINT]).splitlines() == [
        "",
        "Correlation",
        "system    eLen  sLen",
        "────────────────────",
        "a        0.50   0.10",
        "b       −0.25°  0.20",
        "A note. ° not significant, or not tested.",
    ]


def test_a_faint_value_is_dim_in_colour_and_the_text_is_the_same() -> None:
    file = io.StringIO()
    show([FAINT], Console(file=file, force_terminal=True, width=80, color_system="standard", highlight=False))
    assert "\x1b[2m−0.25°\x1b[0m" in file.getvalue()
    bare = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    assert [line.rstrip() for line in bare.splitlines()] == as_text([FAINT]).splitlines()


def test_a_faint_value_in_html() -> None:
    html = as_html([FAINT])
    assert re.search(r'<td style="text-align:right;opacity:.5">−0.25<span style="[^"]*">°</span></td>', html)
    assert re.search(r'<td style="text-align:right;font-weight:bold">0.50<span style="[^"]*"></span></td>', html)
    assert '<td style="text-align:right">0.10</td>' in html
    assert "A note. ° not significant, or not tested." in html


def test_groups_stand_over_their_columns() -> None:
    grid = replace(FAINT, groups=(("", 1), ("by <length>", 2)), faint=frozenset())
    assert as_text([grid]).splitlines()[2:5] == [
        "        by <length>  by <length>",
        "system         eLen         sLen",
        "────────────────────────────────",
    ]
    assert '<th colspan="2" style="text-align:center">by &lt;length&gt;</th>' in as_html([grid])


def test_a_wide_table_with_groups_and_faint_values_is_not_cut_in_a_number() -> None:
    columns = (Column("label", "left"), *(Column(f"c{i}") for i in range(12)))
    row = ("PER", *(f"0.{i:04d}" for i in range(12)))
    faint = frozenset((0, j) for j in range(1, 13, 2))
    for width in (30, 60, 80):
        grid = Grid("F1", columns, (row,), faint=faint, groups=(("", 1), ("odd group", 12)))
        lines = as_text([grid], width).splitlines()
        assert max(len(line) for line in lines) <= width
        words = [word for line in lines if line.startswith("PER") for word in line.split()[1:]]
        assert words == [text + ("°" if (0, j) in faint else "") for j, text in enumerate(row) if j]


@dataclass(frozen=True, kw_only=True, repr=False)
class Shown(Result):
    def blocks(self) -> list[Block]:
        return [Sentence("Hi"), GRID, FAINT]


def test_a_result_shows_itself_as_markdown_and_latex() -> None:
    result = Shown(command="x", signature="s", data={})
    assert result.to_markdown() == as_markdown([Sentence("Hi"), GRID, FAINT])
    assert result.to_latex() == as_latex(GRID) + "\n" + as_latex(FAINT)


def test_texts_are_written_to_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "one"
    paths = write_texts(folder, {"a": "ä\n", "b.c": ""}, "tex")
    assert paths == [folder / "a.tex", folder / "b.c.tex"]
    assert [path.read_bytes() for path in paths] == ["ä\n".encode(), b""]
    assert sorted(folder.iterdir()) == paths
    with pytest.raises(UserError, match=r"a\.tex: cannot be written"):
        write_texts(folder / "a.tex", {"a": ""}, "tex")
