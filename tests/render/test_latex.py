"""Tables as LaTeX."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.render.blocks import Column, Grid
from slicewise.render.latex import as_latex

TEXTS = st.text(st.one_of(st.sampled_from("\\{}$&#%_^~<>|`'\",-−–×ρ°…[]* \n\x00"), st.characters()), max_size=12)
UNKNOWN = "−–×ρσζ≥≤°·…αΩΑο"


def one(text: str) -> str:
    """Return the row of a table of one cell, without its end."""
    return as_latex(Grid("", (Column("c"),), ((text,),))).splitlines()[-4].removesuffix(r" \\")


def without_escapes(latex: str) -> str:
    r"""Return what is left without escaped signs, formulas and the commands of text."""
    latex = re.sub(r"\\(textbackslash|text[a-z]+|ldots)\{\}", "", latex)
    latex = re.sub(r"\\[&%$#_{}]", "", latex)
    return re.sub(r"\$(-|\\[a-zA-Z]+|\^\\circ|\^\{[-\d]\})\$", "", latex).replace("{}", "")


def test_a_table_in_full() -> None:
    columns = (Column("system", "left"), Column("eLen"), Column("sLen"), Column("n", "center"))
    rows = (("a_b", "−0.12", "0.50", "[1, 2]"), ("[c]", "0.30", "0.40", "–"))
    faint = frozenset({(0, 1), (1, 2)})
    groups = (("", 1), ("Sρ", 2), ("all", 1))
    grid = Grid("50% & ρ", columns, rows, "One.", frozenset({(0, 2), (1, 2)}), faint, "my-name", groups)
    assert as_latex(grid).splitlines() == [
        r"% needs \usepackage{booktabs,xcolor}",
        r"\begin{table}",
        r"\centering",
        r"\caption{50\% \& $\rho$}",
        r"\label{tab:my-name}",
        r"\begin{tabular}{lrrc}",
        r"\toprule",
        r"\multicolumn{1}{c}{} & \multicolumn{2}{c}{S$\rho$} & \multicolumn{1}{c}{all} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-4}",
        r"system & eLen & sLen & n \\",
        r"\midrule",
        r"a\_b & \textcolor{gray}{$-$0.12} & \textbf{0.50} & [1, 2] \\",
        r"{}[c] & 0.30 & \textcolor{gray}{\textbf{0.40}} & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        r"{\footnotesize One. Gray: not significant, or not tested.\par}",
        r"\end{table}",
    ]


def test_a_plain_table_has_no_note_and_a_label_from_its_title() -> None:
    text = as_latex(Grid("F1 by label", (Column("a"),), ()))
    assert r"\label{tab:f1-by-label}" in text
    assert "footnotesize" not in text
    assert "multicolumn" not in text
    assert r"\label" not in as_latex(Grid("…", (Column("a"),), ()))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("100% #1 $x_i^2~", r"100\% \#1 \$x\_i\textasciicircum{}2\textasciitilde{}"),
        ("a < b > c | `d`", r"a \textless{} b \textgreater{} c \textbar{} \textasciigrave{}d\textasciigrave{}"),
        ("−0.1 – 2 × ρ … 3°", r"$-$0.1 -- 2 $\times$ $\rho$ \ldots{} 3$^\circ$"),
        ("--a---''", "-{}-a-{}-{}-'{}'"),
        ("a\x1b\nb\tc", r"a$\diamond$ b c"),
        ("10⁻⁶ ΣΑ", r"10$^{-}$$^{6}$ $\Sigma$A"),
        ("Zürich 東京", "Zürich 東京"),
        ("*", "{}*"),
    ],
)  # fmt: skip
def test_text_is_escaped(text: str, latex: str) -> None:
    assert one(text) == latex


@given(TEXTS)
def test_nothing_of_the_data_is_an_order_to_latex(text: str) -> None:
    left = without_escapes(one(text))
    assert not set(left) & set("\\{}$&#%_^~" + UNKNOWN)
    assert left.isprintable()
    assert not one(text).startswith(("[", "*"))


@given(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
def test_braces_and_environments_are_balanced(title: str, name: str, column: str, cell: str, note: str) -> None:
    both = frozenset({(0, 0)})
    text = as_latex(Grid(title, (Column(column),), ((cell,),), note, both, both, name, ((column, 1),)))
    bare = re.sub(r"\\[{}]", "", text)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert re.findall(r"\\(begin|end)\{(\w+)\}", bare) == [
        ("begin", "table"), ("begin", "tabular"), ("end", "tabular"), ("end", "table"),
    ]  # fmt: skip
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert all(re.fullmatch(r"tab:[a-z0-9-]+", label) for label in labels)
