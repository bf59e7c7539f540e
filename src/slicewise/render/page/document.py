"""The page's skeleton: what can be read before any script has run. All text is escaped: it may come from the data."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from slicewise.render.blocks import Sentence
from slicewise.render.figures import DATASET, SLICE
from slicewise.render.numbers import probability, signed, whole
from slicewise.render.page.embed import chart_script, columnar, data_element, page_script, policy, styles
from slicewise.render.theme import DARK, LIGHT, colours, repainted, shapes
from slicewise.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from slicewise.render.figures import Figure, Row
    from slicewise.render.page import Page, PageFinding, Part, Section

WORTH = (
    "The number before each is what the score would gain if it were mended: the bucket as good as the rest, the worse "
    "system as good as the better one there. All survive correction (q < 0.05) within their part of the page."
)
HINT = "A mark or a row can be opened: it shows the items behind it, in context."

NO_SCRIPT = (
    "<noscript><p>Charts, tables and items are drawn by the page's own script, which is not run here.</p></noscript>"
)


class Skeleton:
    """Writes a page's HTML, and gathers the figures that its scripts fill in."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.figures: list[dict[str, Any]] = []
        self.last = ("", "")
        """Caption and note of the figure before: a repeated caption is for screen readers only."""

    def body(self) -> str:
        """Return header, contents and main part."""
        page = self.page
        lead = self.parts(page.lead, next(iter(page.evidence)) if len(page.evidence) == 1 else "", level=3)
        groups = groupby(page.sections, lambda section: section.group)
        sections = "".join(self.group(name, list(members)) for name, members in groups)
        hint = f'<p class="aside">{HINT}</p>' if page.evidence and page.sections else ""
        return (
            f'<a class="skip" href="#main">Skip to the content</a>{_header(page)}{_contents(page)}'
            f'<main id="main" tabindex="-1">'
            f'<div class="opening"><section id="overview"><h2 class="unseen">Overview</h2>{lead}</section>'
            f'<section id="findings"><h2>What is most worth fixing</h2>{_findings(page)}</section></div>'
            f"{NO_SCRIPT}{hint}{sections}</main>{_footer(page)}"
        )

    def group(self, name: str, sections: Sequence[Section]) -> str:
        """Return sections that stand together, under their heading where they have one."""
        level = 3 if name else 2
        inner = "".join(self.section(section, level) for section in sections)
        return f'<div class="group"><h2>{_text(name)}</h2>{inner}</div>' if name else inner

    def section(self, section: Section, level: int) -> str:
        """Return a section: its question, its parts, and what not to conclude."""
        return (
            f'<section id="{_text(section.id)}" class="lens"><h{level}>{_text(section.title)}</h{level}>'
            f'<p class="question">{_text(section.question)}</p>'
            f"{self.parts(section.parts, section.dataset, level + 1)}{_caution(section.caution)}</section>"
        )

    def parts(self, parts: Iterable[Part], dataset: str, level: int) -> str:
        """Return sentences and figures in order; figures with tabs that follow each other share their place."""
        done = []
        for tabbed, run in groupby(parts, lambda part: not isinstance(part, Sentence) and bool(part.tab)):
            members = list(run)
            figures = [member for member in members if not isinstance(member, Sentence)]
            done.append(self.tabs(figures, dataset, level) if tabbed else self.in_order(members, dataset, level))
        return "".join(done)

    def tabs(self, figures: Sequence[Figure], dataset: str, level: int) -> str:
        """Return figures of which those of one tab are shown at a time; without script, all of them."""
        names = list(dict.fromkeys(figure.tab for figure in figures))
        first = len(self.figures)
        panels = "".join(
            f'<div class="tab" id="tab-{first}-{i}" data-tab="{_text(name)}">'
            f"{self.in_order([figure for figure in figures if figure.tab == name], dataset, level)}</div>"
            for i, name in enumerate(names)
        )
        return f'<div class="tabs">{panels}</div>' if len(names) > 1 else panels

    def in_order(self, parts: Iterable[Part], dataset: str, level: int) -> str:
        """Return sentences and figures, small figures side by side."""
        done = []
        for small, run in groupby(parts, lambda part: not isinstance(part, Sentence) and not part.wide):
            inner = "".join(
                _sentence(part, level) if isinstance(part, Sentence) else self.figure(part, dataset, level)
                for part in run
            )
            done.append(f'<div class="beside">{inner}</div>' if small else inner)
        return "".join(done)

    def figure(self, figure: Figure, dataset: str, level: int) -> str:
        """Return a figure's places for chart and table, with its words."""
        number = len(self.figures)
        spec = figure.spec()
        self.figures.append(_packed(figure, repainted(spec, self.page.systems), dataset, self.page.evidence))
        table = _table_place(number, figure, is_open=figure.table_first or spec is None)
        caption, words = _text(figure.caption), (figure.caption, figure.note)
        hidden = ' class="unseen"' if figure.caption == self.last[0] else ""
        chart = (
            f'<figure><div class="chart" data-figure="{number}" role="img" aria-label="{caption}"></div>'
            f"<figcaption{hidden}>{caption}</figcaption></figure>"
            if spec
            else f'<p class="said">{caption}</p>'
        )
        note = f'<p class="aside">{_text(figure.note)}</p>' if figure.note and words != self.last else ""
        self.last = words
        inner = f"{table}{chart}" if figure.table_first and spec else f"{chart}{table}"
        return f'<div class="figure" id="figure-{number}"><h{level}>{_text(figure.title)}</h{level}>{inner}{note}</div>'


def as_page(page: Page) -> str:
    """Return the page as HTML."""
    skeleton = Skeleton(page)
    body = skeleton.body()
    scripts = (chart_script(), page_script())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{_text(page.title)}</title><style>{styles()}</style></head>\n<body>{body}\n"
        f"{_data(page, skeleton.figures)}\n"
        f"{''.join(f'<script>{script}</script>' for script in scripts)}</body></html>\n"
    )


def _text(text: str) -> str:
    """Return text as HTML, with characters that act on others shown by their numbers."""
    return visible(escape(text))


def _header(page: Page) -> str:
    facts = "".join(f"<div><dt>{_text(label)}</dt><dd>{_text(value)}</dd></div>" for label, value in page.facts)
    return f'<header class="top"><h1>{_text(page.title)}</h1><dl class="facts">{facts}</dl></header>'


def _footer(page: Page) -> str:
    """Return what pins the numbers, for who wants to make them again."""
    if not page.signature:
        return ""
    code = f'<code id="signature">{_text(page.signature)}</code>'
    return f'<footer><h2>Signature</h2><p class="signature">{code}</p></footer>'


def _contents(page: Page) -> str:
    """Return links to all sections, under their groups' names."""
    links = '<li><a href="#overview">Overview</a></li><li><a href="#findings">Findings</a></li>'
    for name, members in groupby(page.sections, lambda section: section.group):
        inner = "".join(f'<li><a href="#{_text(s.id)}">{_text(s.title)}</a></li>' for s in members)
        links += f"<li><span>{_text(name)}</span><ul>{inner}</ul></li>" if name else inner
    return (
        '<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>'
        f"<ul>{links}</ul></details></nav>"
    )


def _findings(page: Page) -> str:
    if not page.findings:
        return f"<p>{_text(page.no_findings)}</p>"
    titles = {section.id: section.title for section in page.sections}
    several = len(page.evidence) > 1
    items = "".join(_finding(finding, titles, several=several) for finding in page.findings)
    return f'<p class="aside">{WORTH}</p><ol class="findings">{items}</ol>'


def _finding(finding: PageFinding, titles: dict[str, str], *, several: bool) -> str:
    facts = [*([finding.dataset] if several else []), finding.number, f"n = {whole(finding.n)}"]
    if finding.q is not None:
        q = probability(finding.q)
        facts.append(f"q {q}" if q.startswith("<") else f"q = {q}")
    links = f'<a href="#{_text(finding.section)}">{_text(titles.get(finding.section, finding.lens))}</a>'
    if finding.slice is not None:
        address = _address(finding.dataset, finding.slice, finding.systems)
        links = f'<a href="{_text(address)}">show the items</a>{links}'
    meta = "".join(f"<span>{_text(fact)}</span>" for fact in facts)
    return (
        f'<li><strong class="number">{signed(finding.worth, 3)}</strong><div><p>{_text(finding.text)}</p>'
        f'<p class="meta">{meta}{links}</p></div></li>'
    )


def _address(dataset: str, name: str, systems: Sequence[str]) -> str:
    """Return the address of a slice inside the page: all of it, or what some systems have wrong in it."""
    place = f"#/{quote(dataset, safe='', errors='replace')}/{name}"
    chosen = [("system", system) for system in systems]
    return f"{place}?{urlencode([*chosen, ('show', 'wrong')], errors='replace')}" if chosen else place


def _sentence(sentence: Sentence, level: int) -> str:
    if sentence.tone == "title":
        return f"<h{level}>{_text(sentence.text)}</h{level}>"
    tone = "" if sentence.tone == "plain" else f' class="{sentence.tone}"'
    return f"<p{tone}>{_text(sentence.text)}</p>"


def _caution(text: str) -> str:
    return f'<p class="caution">{_text(text)}</p>' if text else ""


def _table_place(number: int, figure: Figure, *, is_open: bool) -> str:
    """Return where a figure's table will stand, or that it has no rows."""
    if not figure.rows:
        return '<p class="aside">There is nothing to list.</p>'
    opened = " open" if is_open else ""
    return (
        f'<details class="numbers"{opened}><summary>Numbers</summary>'
        f'<div class="table" data-figure="{number}"></div></details>'
    )


def _packed(
    figure: Figure, spec: dict[str, Any] | None, dataset: str, evidence: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a figure as the page's scripts read it."""
    fields = [{"key": f.key, "title": f.title, "kind": f.kind, "bounds": f.bounds} for f in figure.fields]
    head = {"name": figure.name, "title": figure.title, "dataset": dataset, "spec": spec, "fields": fields}
    return head | columnar([_linked(row, dataset, evidence) for row in figure.drawn_rows()])


def _linked(row: Row, dataset: str, evidence: Mapping[str, Mapping[str, Any]]) -> Row:
    """Return a row that names its slice only where the page has it."""
    slices = evidence.get(row.get(DATASET) or dataset, {}).get("slices", {})
    return row if row.get(SLICE) is None or row[SLICE] in slices else row | {SLICE: None}


def _data(page: Page, figures: list[dict[str, Any]]) -> str:
    """Return all that the scripts read: settings, figures, and the evidence of each data set."""
    settings = {
        "systems": page.systems,
        "colours": colours(page.systems),
        "shapes": shapes(page.systems),
        "themes": {"light": LIGHT, "dark": DARK},
        "datasets": list(page.evidence),
        "slice": SLICE,
    }
    evidence = [data_element(f"data-evidence-{i}", items) for i, items in enumerate(page.evidence.values())]
    return "\n".join([data_element("data-page", settings), data_element("data-figures", figures), *evidence])
