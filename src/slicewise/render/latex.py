r"""A table as LaTeX, to \input into a paper. All text is escaped: it may come from the data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slicewise.errors import printable
from slicewise.render.blocks import Grid

PACKAGES = r"% needs \usepackage{booktabs,xcolor}"
FORMULAS = """
α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho
σ sigma ς varsigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega
Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
∆ Delta µ mu × times ± pm · cdot ≤ le ≥ ge ≠ ne ≈ approx → to ∪ cup ∩ cap ∞ infty \N{REPLACEMENT CHARACTER} diamond
"""
COMMANDS = (
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': "''"}
    | {
        "−": "$-$",
        "–": "--",
        "—": "---",
        "…": r"\ldots{}",
        "°": r"$^\circ$",
        "▴": r"$^\uparrow$",
        "▾": r"$^\downarrow$",
    }
    | {c: f"$\\{command}$" for c, command in re.findall(r"(\S) (\w+)", FORMULAS)}
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
    | {c: f"$^{{{digit}}}$" for c, digit in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)}
)
"""How to write what LaTeX reads as an order, and what pdflatex does not know."""
LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
"""Between two signs that LaTeX would make one."""


def as_latex(grid: Grid) -> str:
    """Return a grid as a `table` environment; the best values are bold, those that are not significant gray."""
    lines = [
        PACKAGES,
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped(f'{grid.title}. {grid.lead}' if grid.lead else grid.title)}}}",
        *_label(grid),
        rf"\begin{{tabular}}{{{''.join(column.align[0] for column in grid.columns)}}}",
        r"\toprule",
        *_groups(grid),
        _line([_escaped(column.title) for column in grid.columns]),
        r"\midrule",
        *(_line([_cell(grid, i, j) for j in range(len(grid.columns))]) for i in range(len(grid.rows))),
        r"\bottomrule",
        r"\end{tabular}",
        *_note(grid),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _label(grid: Grid) -> list[str]:
    name = re.sub(r"[^a-z0-9]+", "-", (grid.name or grid.title).lower()).strip("-")
    return [rf"\label{{tab:{name}}}"] if name else []


def _groups(grid: Grid) -> list[str]:
    if not grid.groups:
        return []
    heads = [rf"\multicolumn{{{n}}}{{c}}{{{_escaped(title)}}}" for title, n in grid.groups]
    rules = [rf"\cmidrule(lr){{{first}-{last}}}" for title, first, last in _runs(grid) if title]
    return [_line(heads), " ".join(rules)]


def _runs(grid: Grid) -> Iterator[tuple[str, int, int]]:
    """Yield every group with its first and last column, which count from 1."""
    last = 0
    for title, n in grid.groups:
        yield title, last + 1, last + n
        last += n


def _cell(grid: Grid, i: int, j: int) -> str:
    text = _escaped(grid.rows[i][j])
    text = rf"\textbf{{{text}}}" if (i, j) in grid.marked else text
    return rf"\textcolor{{gray}}{{{text}}}" if (i, j) in grid.faint else text


def _line(cells: list[str]) -> str:
    r"""Return a row; after \\ and a rule, a bracket or a star would be read as an option."""
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.startswith(("[", "*")) else line


def _note(grid: Grid) -> list[str]:
    note = f"{grid.note} Gray: not significant, or not tested.".strip() if grid.faint else grid.note
    return [r"\par\smallskip", rf"{{\footnotesize {_escaped(note)}\par}}"] if note else []


def _escaped(text: str) -> str:
    """Return text on one line that shows as it is."""
    parts = LIGATURE.split(printable(" ".join(text.split())))
    return "{}".join("".join(COMMANDS.get(c, c) for c in part) for part in parts)
