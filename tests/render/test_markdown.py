"""Blocks as Markdown, read back by another program's parser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from slicewise.errors import printable
from slicewise.render.blocks import Column, Grid, Sentence
from slicewise.render.markdown import as_markdown

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TEXTS = st.text(st.one_of(st.sampled_from("\\`*_[]<>&|#~$!-+=.)(1: \n"), st.characters()), max_size=12)


def shown(text: str) -> str:
    return printable(" ".join(text.split()))


def inline(markdown: str) -> list[str]:
    """Return the text of every heading, paragraph and cell."""
    found = [token for token in PARSER.parse(markdown) if token.type == "inline"]
    plain = {"text", "text_special", "strong_open", "strong_close", "em_open", "em_close"}
    assert {child.type for token in found for child in token.children or ()} <= plain
    return ["".join(child.content for child in token.children or ()) for token in found]


def test_a_table_has_an_alignment_row_bold_and_faint_cells() -> None:
    columns = (Column("a|b", "left"), Column("f1"), Column("", "center"))
    rows = (("x_y", "0.5", "-"), ("", "−0.1", "<b>"))
    grid = Grid("1 # one", columns, rows, "A note.", frozenset({(0, 1)}), frozenset({(1, 1)}))
    assert as_markdown([Sentence("Hi", "title"), Sentence(""), Sentence("! mind", "warning"), grid]).splitlines() == [
        "## Hi",
        "",
        "> ! mind",
        "",
        r"### 1 \# one",
        "",
        r"| a\|b | f1 |  |",
        "| :--- | ---: | :---: |",
        r"| x\_y | **0.5** | - |",
        "|  | −0.1° | &lt;b&gt; |",
        "",
        "*A note. ° not significant, or not tested.*",
    ]


def test_a_column_is_named_with_its_group() -> None:
    columns = (Column("system", "left"), Column("eLen"), Column("sLen"))
    grid = Grid("t", columns, (), groups=(("", 1), ("rho", 2)))
    assert "| system | rho eLen | rho sLen |\n" in as_markdown([grid])


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), st.frozensets(st.sampled_from([(0, 0), (0, 1)])))
def test_text_from_the_data_is_shown_as_it_is(rows: list[tuple[str, str]], marked: frozenset[tuple[int, int]]) -> None:
    grid = Grid("t", (Column("a", "left"), Column("b")), tuple(rows), marked=marked)
    text = as_markdown([grid])
    lines = text.splitlines()[2:]
    assert all(len(re.findall(r"\|", re.sub(r"\\.", "", line))) == 3 for line in lines)
    cells = [cell for row in rows for cell in row]
    assert inline(text)[3:] == [shown(cell) for cell in cells]
    strong = [token for token in PARSER.parse(text) if any(c.type == "strong_open" for c in token.children or ())]
    assert len(strong) == sum(1 for i, j in marked if shown(rows[i][j]))


@given(TEXTS, st.sampled_from(["plain", "warning", "aside", "title"]))
def test_a_sentence_is_shown_as_it_is(text: str, tone: str) -> None:
    markdown = as_markdown([Sentence(text, tone)])  # type: ignore[arg-type]
    kinds = {token.type.removesuffix("_open") for token in PARSER.parse(markdown) if token.type.endswith("_open")}
    assert kinds <= {"paragraph", "blockquote" if tone == "warning" else "heading" if tone == "title" else "paragraph"}
    assert inline(markdown) == ([shown(text)] if shown(text) else [])


@pytest.mark.parametrize(
    "text", ["# a", "1. a", "12) a", "- a", "+", "---", "- - -", "=== a", "~~~", "> a", "| a |", "    a"]
)
def test_a_sentence_never_becomes_a_heading_or_a_list(text: str) -> None:
    assert PARSER.parse(as_markdown([Sentence(text)]))[0].type == "paragraph_open"


def test_an_address_is_no_link() -> None:
    assert "<a" not in PARSER.render(as_markdown([Sentence("https://a_b.c [x](http://y) <http://z>")]))
    assert r"https\://a\_b.c" in as_markdown([Sentence("https://a_b.c")])
