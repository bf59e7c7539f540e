"""The page in a real browser: it asks for nothing, draws everything, and opens the items that its numbers count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from support.browser_pages import DESKTOP, opened

import slicewise
from slicewise.render import numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page
    from support.browser_pages import Made, Opened

    Visit = Callable[..., Opened]

PANEL = "dialog.panel[open]"


def _problems(shown: Opened) -> list[str]:
    return [text for text in shown.said if text.startswith(("error", "dialog"))] + shown.asked


def _draw_all(page: Page) -> None:
    """Let every chart come near the screen."""
    page.evaluate(
        """async () => {
            for (const place of document.querySelectorAll('.chart')) {
                if (!place.offsetParent) continue;
                place.scrollIntoView();
                await new Promise((done) => setTimeout(done, 30));
            }
        }"""
    )
    _until(page, "[...document.querySelectorAll('.chart')].every((c) => !c.offsetParent || c.querySelector('svg'))")


def _until(page: Page, condition: str) -> None:
    """Wait for a condition; asked again and again, since the page's policy lets no waiting code into it."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never: {condition}")


def _figure(page: Page, name: str) -> int:
    """Return the number of a figure by its name."""
    found: int = page.evaluate(
        "(name) => JSON.parse(document.getElementById('data-figures').textContent).findIndex((f) => f.name === name)",
        name,
    )
    assert found >= 0, name
    return found


def _click_mark(page: Page, figure: str, wanted: str) -> str:
    """Click a mark of a chart whose row names a slice that begins so, where the mark is seen; return the slice."""
    chart = page.locator(f'.chart[data-figure="{_figure(page, figure)}"]')
    _show(page, figure)
    chart.scroll_into_view_if_needed()
    chart.locator("svg").wait_for()
    found: list[Any] = chart.evaluate(
        """(place, wanted) => {
            for (const mark of place.querySelectorAll('svg [class*=mark-] > *')) {
                const item = mark.__data__;
                const slice = item?.datum?.slice;
                if (!slice || !slice.startsWith(wanted)) continue;
                mark.scrollIntoView({ block: 'center' });
                const box = mark.getBoundingClientRect();
                if (box.width < 3 || box.height < 3) continue;
                return [slice, box.x + box.width / 2, box.y + box.height / 2];
            }
            return null;
        }""",
        wanted,
    )
    assert found, f"no mark of {figure} names a slice that begins {wanted}"
    page.mouse.click(found[1], found[2])
    page.wait_for_selector(PANEL)
    return str(found[0])


def _show(page: Page, figure: str) -> None:
    """Choose the tab of a figure that stands behind another."""
    page.evaluate(
        """(number) => {
            const tab = document.querySelector(`[aria-controls="${
                document.getElementById('figure-' + number).closest('[role=tabpanel]')?.id}"]`);
            tab?.click();
        }""",
        _figure(page, figure),
    )


def _shown_items(page: Page) -> list[int]:
    """Return the numbers of all items in the panel, page by page."""
    found: list[int] = []
    while True:
        found += [int(text.split()[1]) for text in page.locator(f"{PANEL} .items > li > h3").all_inner_texts()]
        following = page.locator(f"{PANEL} .paging button", has_text="Next")
        if following.count() == 0 or following.is_disabled():
            return found
        following.click()


def _go(page: Page, hash_: str) -> None:
    """Open the panel that an address names."""
    page.evaluate("(hash) => { location.hash = hash; }", hash_)
    page.wait_for_selector(PANEL)


@pytest.fixture(scope="module")
def drawn(chat: Made, browser: Browser) -> Iterator[Opened]:
    """The page with every chart drawn."""
    context = browser.new_context(viewport=DESKTOP)
    shown = opened(context, chat.path)
    _draw_all(shown.page)
    yield shown
    context.close()


@pytest.fixture
def page(drawn: Opened) -> Iterator[Page]:
    """The same page for many tests: what one opens is closed again, and none may cause an error."""
    yield drawn.page
    drawn.page.keyboard.press("Escape")
    assert drawn.page.locator(PANEL).count() == 0
    assert _problems(drawn) == []


def test_it_loads_without_an_error_and_asks_for_nothing(drawn: Opened) -> None:
    assert _problems(drawn) == []
    assert drawn.page.locator("h1").inner_text() == "chat"


def test_every_section_has_its_charts(page: Page) -> None:
    sections = page.locator("section.lens")
    assert sections.count() == 6
    for i in range(sections.count()):
        assert sections.nth(i).locator(".chart svg").count() > 0, sections.nth(i).locator("h2").inner_text()


@pytest.fixture(scope="module")
def units(of_chat: slicewise.Evaluation) -> list[dict[str, Any]]:
    return slicewise.units(of_chat, include=["bins", "errors", "attributes"]).frame.to_dicts()


def test_a_bucket_opens_its_items(page: Page, units: list[dict[str, Any]]) -> None:
    name = _click_mark(page, "buckets-label", "bucket/label/")
    label = unquote(name.split("/")[2])
    items = {row["item"] for row in units if row["label"] == label}
    shown = _shown_items(page)
    assert len(shown) == min(20, len(items))
    assert set(shown) <= items
    assert f"{len(items):,} items" in page.locator(f"{PANEL} .counts").inner_text()


def test_a_feature_opens_its_units(chat: Made, page: Page) -> None:
    part = chat.report.parts[0]
    assert part.features is not None
    ranked = next(one for one in part.features.lists if one.over == "gold")
    figures = [figure.name for figure in part.features.figures()]
    name = _click_mark(page, figures[0], "feature/gold/")
    feature = next(f for f in ranked.features if f.feature == unquote(name.split("/")[3]))
    counts = page.locator(f"{PANEL} .counts").inner_text()
    assert re.search(rf"\b{feature.n:,} units? in", counts), counts


def test_a_bin_opens_what_so_many_systems_find(page: Page, units: list[dict[str, Any]]) -> None:
    name = _click_mark(page, "difficulty-bins", "bin/")
    _, n, *system = [unquote(part) for part in name.split("/")]
    rows = [u for u in units if u["gold"] and u["bin"] == int(n) and all(u[s] for s in system)]
    shown = _shown_items(page)
    assert set(shown) <= {row["item"] for row in rows}
    assert len(shown) == min(20, len({row["item"] for row in rows}))
    assert page.evaluate("document.querySelectorAll('dialog.panel .of-slice, dialog.panel [class*=slice]').length") > 0


def test_a_cell_of_the_matrix_opens_what_the_other_repairs(page: Page, units: list[dict[str, Any]]) -> None:
    name = _click_mark(page, "complement-matrix", "pair/")
    _, a, b = [unquote(part) for part in name.split("/")]
    rows = [u for u in units if u[a] != u["gold"] and u[b] == u["gold"]]
    assert set(_shown_items(page)) <= {row["item"] for row in rows}
    assert f"{len(rows):,} units" in page.locator(f"{PANEL} .counts").inner_text()


def test_an_error_type_opens_its_units(page: Page, units: list[dict[str, Any]]) -> None:
    name = _click_mark(page, "errors", "error/")
    _, system, kind = [unquote(part) for part in name.split("/")]
    items = {row["item"] for row in units if row[f"error:{system}"] == kind}
    assert set(_shown_items(page)) <= items
    assert f"{len(items):,} items" in page.locator(f"{PANEL} .counts").inner_text()


def test_search_filter_back_and_deep_link(chat: Made, visit: Visit) -> None:
    evidence = chat.report.parts[0].evidence
    name = "bin/0"
    first = visit(chat.path, f"#/chat/{name}")
    page = first.page
    page.wait_for_selector(PANEL)
    numbers = [item for item, _ in evidence["slices"][name]["shown"]]
    assert _shown_items(page) == numbers
    page.keyboard.press("/")
    word = evidence["items"][str(numbers[0])]["text"][0]
    page.keyboard.type(word)
    _until(page, "location.hash.includes('q=')")
    expected = [n for n in numbers if word.lower() in " ".join(evidence["items"][str(n)]["text"]).lower()]
    assert set(expected) <= set(_shown_items(page)) <= set(numbers)
    shared = page.evaluate("location.hash")
    again = visit(chat.path, shared).page
    again.wait_for_selector(PANEL)
    assert again.locator(f"{PANEL} input[name=q]").input_value() == word
    assert set(_shown_items(again)) >= set(expected)
    again.locator(f"{PANEL} input[name=q]").fill("")
    again.locator(f"{PANEL} select[name=show]").select_option("right")
    assert _shown_items(again) == []  # nobody finds these
    again.go_back()
    _until(again, "!location.hash.includes('show=right')")
    assert again.locator(f"{PANEL} select[name=show]").input_value() == "all"
    again.keyboard.press("Escape")
    assert again.locator(PANEL).count() == 0
    assert _problems(first) == []


def test_the_label_filter_keeps_items_with_such_units(chat: Made, page: Page) -> None:
    evidence = chat.report.parts[0].evidence
    _go(page, "#/chat/bin/0")
    page.locator(f"{PANEL} select[name=label]").select_option("PER")
    label = evidence["labels"].index("PER")
    of_slice = {
        item for item, inside in evidence["slices"]["bin/0"]["shown"]
        if any(evidence["items"][str(item)]["units"][i][2] == label for i in inside)
    }  # fmt: skip
    shown = _shown_items(page)
    assert shown
    assert of_slice <= set(shown)


def test_a_link_to_a_slice_that_is_not_there_says_so(page: Page) -> None:
    _go(page, "#/chat/bucket/nothing/here")
    assert "not in this page" in page.locator("#panel-title").inner_text()


def test_closing_gives_the_focus_back(page: Page) -> None:
    link = page.locator(".findings a", has_text="show the items").first
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(PANEL)
    page.keyboard.press("Escape")
    assert page.locator(PANEL).count() == 0
    assert "show the items" in page.evaluate("document.activeElement.textContent")


WRITERS: dict[str, Callable[[Any], str]] = {
    "count": numbers.whole,
    "score": numbers.score,
    "signed": numbers.signed,
    "p": numbers.probability,
    "share": lambda value: f"{100 * value:.1f}%",
}


def test_numbers_of_all_tables_are_those_of_the_results(chat: Made, visit: Visit) -> None:
    """Every table, as a person reads it; that a figure's rows are those of the JSON, the tests of charts say."""
    page = visit(chat.path).page
    expected = [figure for result in chat.report.parts[0].results.values() for figure in result.figures()]
    shown: dict[str, list[list[str]]] = page.evaluate(
        """() => {
            const figures = JSON.parse(document.getElementById('data-figures').textContent);
            const found = {};
            for (const details of document.querySelectorAll('details.numbers')) {
                details.open = true;
                details.dispatchEvent(new Event('toggle'));
                const place = details.querySelector('.table');
                const rows = [...place.querySelectorAll('tbody tr')];
                found[figures[place.dataset.figure].name] = rows.map((row) => [...row.cells].map((c) => c.textContent));
            }
            return found;
        }"""
    )
    checked = 0
    for figure in expected:
        for row, cells in zip(figure.rows, shown[figure.name] if figure.rows else [], strict=False):
            for field, cell in zip(figure.fields, cells, strict=False):
                value = row.get(field.key)
                if field.kind in WRITERS and isinstance(value, int | float):
                    assert cell.split(" [")[0] == WRITERS[field.kind](value), (figure.name, field.key)
                    checked += 1
    assert checked > 2000


def test_the_page_has_the_numbers_of_the_lens_itself(chat: Made, of_chat: slicewise.Evaluation) -> None:
    """The report's lenses say what the lenses say alone."""
    part = chat.report.to_dict()["result"]["datasets"]["chat"]
    assert part["score"] == slicewise.score(of_chat, resamples=100).to_dict()["result"]
    assert part["buckets"] == slicewise.buckets(of_chat, resamples=100).to_dict()["result"]
    assert part["complement"] == slicewise.complement(of_chat, resamples=100).to_dict()["result"]


def test_sorting_and_paging_of_tables(page: Page) -> None:
    number = _figure(page, "scores")
    place = page.locator(f'.table[data-figure="{number}"]')
    place.locator("xpath=ancestor::details").first.locator("summary").click()
    place.locator("tbody tr").first.wait_for()  # it is filled when it is opened
    before = place.locator("tbody tr").all_inner_texts()
    place.locator("thead button").first.click()
    place.locator("th[aria-sort=ascending]").wait_for()
    after = place.locator("tbody tr").all_inner_texts()
    assert sorted(before) == sorted(after)
    assert [text.split()[0] for text in after] == sorted(text.split()[0] for text in before)
    assert place.locator("th[aria-sort=ascending]").count() == 1


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing(chat: Made, visit: Visit, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visit(chat.path, color_scheme=scheme, viewport={"width": width, "height": 800}).page
    page.wait_for_selector(".chart svg")
    assert _violations(Axe().run(page)) == []
    _go(page, "#/chat/bin/0")
    assert _violations(Axe().run(page, context=PANEL)) == []


def _violations(found: Any) -> list[str]:
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found.response["violations"]]


def test_nothing_is_wider_than_the_screen(page: Page) -> None:
    check_width(page, DESKTOP["width"])


def test_nothing_is_wider_than_a_small_screen(chat: Made, visit: Visit) -> None:
    page = visit(chat.path, viewport={"width": 390, "height": 800}).page
    _draw_all(page)
    check_width(page, 390)


def check_width(page: Page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    _go(page, "#/chat/bin/0")
    assert page.evaluate("document.querySelector('dialog.panel').scrollWidth") <= width
