"""The page as HTML: all of it is there, no data can leave its place, and the same input gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from slicewise.render import numbers
from slicewise.render.blocks import Sentence
from slicewise.render.figures import Field, Figure
from slicewise.render.marks import rows
from slicewise.render.page import Page, PageFinding, Section, as_page
from slicewise.render.page.embed import SCRIPTS, as_json, asset, columnar, styles
from slicewise.render.visible import visible
from slicewise.results.slices import bucket_slice

if TYPE_CHECKING:
    import altair as alt

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>&amp;\u2028\u2029",
    "\u202eevil\u202c",
    "\x1b[31mred\x00",
    '" onclick="alert(1)',
    "\ud800 alone",
)
SLICE = bucket_slice("eLen", ">= 4")
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def data(self, name: str) -> Any:
        script = next(
            text
            for text, attributes in zip(self.scripts, self.all("script"), strict=True)
            if attributes.get("id") == name
        )
        return json.loads(script)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def figure(name: str, text: str = "1", *, chart: bool = True, **how: Any) -> Figure:
    found = [{"bucket": text, "value": 0.5, "lo": None, "slice": SLICE}, {"bucket": "2", "n": 3}]

    def draw() -> alt.TopLevelMixin:
        import altair as alt

        drawn: alt.TopLevelMixin = alt.Chart(rows()).mark_point().encode(x="bucket:N", y="value:Q")
        return drawn

    fields = (Field("bucket", text), Field("value", "F1", "score", ("lo", "hi")))
    return Figure(name, f"title {text}", f"said {text}", fields, found, draw if chart else None, **how)


def page(text: str = "plain") -> Page:
    item = {"text": [text, "b"], "name": text, "fields": {text: text}, "units": [[0, 1, 0, [0, 1]]]}
    slices = {SLICE: {"title": text, "units": 1, "items": 1, "system": None, "shown": [[17, [0]]]}}
    places = {"task": "spans", "places": "tokens", "systems": ["bert", text], "labels": [text], "rule": text}
    parts = (
        Sentence(text),
        Sentence(text, "title"),
        figure("wide", text),
        figure("a", wide=False),
        figure("b", wide=False),
    )
    return Page(
        title=f"title {text}",
        facts=((f"label {text}", f"value {text}"),),
        signature=f"signature {text}",
        lead=(figure("lead", text), Sentence(text, "warning")),
        findings=(PageFinding(text, text, 1234, 0.0001, 0.0123, text, "one", text, SLICE),),
        no_findings="nothing survives",
        sections=(
            Section("one", f"section {text}", f"asks {text}", f"beware {text}", parts, text, group=text),
            Section(
                "two", "second", "asks", "", (figure("bare", chart=False), figure("first", table_first=True)), text
            ),
        ),
        systems=("bert", text),
        evidence={text: places | {"items": {"17": item}, "slices": slices}},
    )


def test_scripts_run_by_their_hashes_and_no_other() -> None:
    found = read(as_page(page()))
    policy = next(m["content"] or "" for m in found.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    run = [text for text, how in zip(found.scripts, found.all("script"), strict=True) if how.get("type") is None]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run]
    assert len(run) == 2
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "unsafe" not in rules["script-src"]
    assert found.elements.index(("meta", {"http-equiv": "Content-Security-Policy", "content": policy})) < min(
        i for i, (tag, _) in enumerate(found.elements) if tag in {"script", "style", "link"}
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    plain, hostile = read(as_page(page())), read(as_page(page(text)))
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    for (_, before), (_, after) in zip(plain.elements, hostile.elements, strict=True):
        assert after.keys() == before.keys()
    assert not any(name.startswith("on") for _, attributes in hostile.elements for name in attributes)
    evidence = hostile.data("data-evidence-0")
    assert evidence["items"]["17"]["text"][0] == text
    assert hostile.data("data-figures")[0]["columns"][0][0] == visible(text)
    as_page(page(text)).encode()


def test_what_acts_on_other_characters_is_shown_by_its_number() -> None:
    words = "".join(read(as_page(page("\u202eevil\x1b[0m\x00"))).words)
    assert "[U+202E]evil[U+001B][0m[U+0000]" in words
    assert not re.search("[\x00\x1b\u202e]", words)


def test_json_cannot_end_its_element() -> None:
    for text in HOSTILE:
        made = as_json({"a": text})
        assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", made)
        assert json.loads(made) == {"a": text}
    with pytest.raises(ValueError, match="JSON"):
        as_json(float("nan"))


def test_every_part_is_there_in_order() -> None:
    text = as_page(page())
    found = read(text)
    assert [f["name"] for f in found.data("data-figures")] == ["lead", "wide", "a", "b", "bare", "first"]
    charts = [d["data-figure"] for d in found.all("div") if d.get("class") == "chart"]
    tables = [d["data-figure"] for d in found.all("div") if d.get("class") == "table"]
    assert charts == ["0", "1", "2", "3", "5"]
    assert tables == ["0", "1", "2", "3", "4", "5"]
    assert all(d["role"] == "img" and d["aria-label"] for d in found.all("div") if d.get("class") == "chart")
    assert ["open" in d for d in found.all("details") if d.get("class") == "numbers"] == [False] * 4 + [True, True]
    assert [s["id"] for s in found.all("section")] == ["overview", "findings", "one", "two"]
    places = [text.index(words) for words in ("asks plain", "beware plain", "second</h2>", "signature plain")]
    assert places == sorted(places)
    assert text.count('class="beside"') == 1
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"] for a in found.all("a") if (a["href"] or "").startswith("#")} <= {f"#{i}" for i in ids} | {
        f"#/plain/{SLICE}"
    }


def test_headings_go_down_step_by_step() -> None:
    levels = [int(tag[1]) for tag, _ in read(as_page(page())).elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_finding_says_what_it_rests_on() -> None:
    text = as_page(page())
    assert "n = 1,234" in text
    assert "q &lt;0.001" in text
    assert ">+0.012<" in text
    assert ">show the items<" in text
    bare = replace(page().findings[0], q=None, worth=None, slice=None)
    without = as_page(replace(page(), findings=(bare,)))
    assert ">+0.012<" not in without
    assert "q &lt;" not in without
    assert ">show the items<" not in without
    assert "nothing survives" in as_page(replace(page(), findings=()))


def test_figures_with_tabs_share_a_place() -> None:
    tabbed = tuple(figure(name, tab=tab) for name, tab in (("a", "bert"), ("b", "bert"), ("c", "<crf>")))
    found = read(as_page(replace(page(), lead=(figure("before"), *tabbed), sections=(), findings=())))
    assert [d["data-tab"] for d in found.all("div") if d.get("class") == "tab"] == ["bert", "<crf>"]
    assert [f["name"] for f in found.data("data-figures")] == ["before", "a", "b", "c"]


def test_a_figure_without_rows_says_so() -> None:
    empty = Figure("none", "none", "said", (Field("a", "a"),), [])
    found = as_page(replace(page(), lead=(empty,), sections=(), findings=()))
    assert "There is nothing to list." in found
    assert 'class="chart"' not in found


def test_rows_are_kept_by_columns() -> None:
    made = columnar([{"a": 1, "b": None}, {"a": 2, "c": "x"}])
    assert made == {"keys": ["a", "b", "c"], "columns": [[1, 2], [None, None], [None, "x"]]}
    assert columnar([]) == {"keys": [], "columns": []}


def test_nothing_is_asked_for_from_outside() -> None:
    found = read(as_page(page()))
    for _, attributes in found.elements:
        assert "src" not in attributes
        assert re.match("#|data:,", attributes.get("href") or "#")
    own = "".join(asset(name) for name in SCRIPTS)
    assert "innerHTML" not in own
    assert "eval(" not in own
    assert "url(" not in styles()


def test_the_same_page_has_the_same_bytes_in_another_process() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_page import page, as_page; "
    code += "sys.stdout.buffer.write(as_page(page()).encode())"
    made = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert made.stdout == as_page(page()).encode()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_numbers_are_written_as_in_a_terminal() -> None:
    values = [0, -0.0, 0.03125, -0.03125, 0.96875, 0.00005, 1 / 3, 0.0005, 0.0625, 1234567.5, 999.25, 1e-9, 0.001, -0.4]
    values += [i / 2048 for i in range(-300, 2049, 7)]
    code = f"const visible = String;\n{asset('numbers.js')}\nconst kinds = ['score', 'signed', 'p', 'count', 'share'];"
    code += "const write = (x) => [...kinds.map((kind) => written(x, kind)), interval(x, x, 'score')];"
    code += f"console.log(JSON.stringify({json.dumps(values)}.map(write)));"
    made = subprocess.run(["node", "-e", code], capture_output=True, check=True, encoding="utf-8")
    wanted = [
        [
            numbers.score(x),
            numbers.signed(x),
            numbers.probability(x),
            numbers.whole(x),
            f"{x:.1%}",
            numbers.bounds((x, x)),
        ]
        for x in values
    ]
    assert json.loads(made.stdout) == wanted
