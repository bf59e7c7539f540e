"""Data that would like to be code: in tokens, labels, names, fields and titles; none of it runs, all of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.browser_pages import written

import slicewise

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.browser_pages import Made, Opened

    Visit = Callable[..., Opened]

HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "javascript:window.pwned=1",
    "<!--",
    "]]>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "datum.constructor",
    "warn(1)",
    "\x1b[2J\x1b]0;owned\x07",
    "\u202egnp.exe\u202c",
    "\u2028\u2029",
    "a\x00b",
    "https://example.com/x.png",
    "😀𝔘",
    "__proto__",
    "^.*$",
    "מזל טוב",
    "東京都",
)
PANEL = "dialog.panel[open]"


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Sentences, labels and systems of hostile strings."""
    n, labels = len(HOSTILE), HOSTILE
    items = [[HOSTILE[(i + j) % n] for j in range(6)] for i in range(4 * n)]
    gold = [[(0, 2, labels[i % n]), (3, 5, labels[(i + 1) % n])] for i in range(4 * n)]
    wrong = [
        [(0, 2, labels[(i + i % 3) % n]), (2, 5, labels[i % n]), (1, 4, labels[(i + 5) % n])] for i in range(4 * n)
    ]
    half = [own if i % 2 else other for i, (own, other) in enumerate(zip(gold, wrong, strict=True))]
    evaluation = slicewise.Evaluation.from_spans(
        items,
        gold,
        {"</script><b>sys": wrong, "<img src=x onerror=window.pwned=1>": half, "\u202eevil": gold},
        name="</title><script>window.pwned=1</script>",
    )
    report = slicewise.report(evaluation, resamples=50, min_count=1, title="<script>window.pwned=1</script>")
    return written(report, tmp_path_factory.mktemp("spans"))


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The same for labels of texts."""
    texts = [f"{one} {other}" for one in HOSTILE for other in HOSTILE]
    named = [one for one in HOSTILE if one.strip()]
    gold = [named[i % len(named)] for i in range(len(texts))]
    evaluation = slicewise.Evaluation.from_labels(
        gold, {"a": gold[1:] + gold[:1], "<b>": gold[:200] + gold[:1] * (len(gold) - 200)}, texts=texts
    )
    return written(slicewise.report(evaluation, resamples=50), tmp_path_factory.mktemp("labels"))


@pytest.mark.parametrize("which", ["spans", "labels"])
def test_nothing_runs(which: str, request: pytest.FixtureRequest, visit: Visit) -> None:
    made: Made = request.getfixturevalue(which)
    opened = visit(made.path)
    page = opened.page
    part = made.report.parts[0]
    names = list(part.evidence["slices"])
    for name in names[:: max(1, len(names) // 12)]:
        page.evaluate("(hash) => { location.hash = hash; }", _address(part.name, name))
        page.wait_for_selector(PANEL)
    page.keyboard.press("Escape")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # draws every chart
    page.wait_for_timeout(3000)
    assert page.evaluate("window.pwned") is None
    assert [text for text in opened.said if text.startswith(("error", "dialog"))] == []
    assert opened.asked == []
    assert page.evaluate("document.querySelectorAll('main img, dialog img').length") == 0
    assert page.evaluate("Object.keys(Object.prototype).length") == 0


def _address(dataset: str, name: str) -> str:
    from urllib.parse import quote

    return f"#/{quote(dataset, safe='')}/{name}"


def test_tokens_and_the_title_are_shown_as_they_are(spans: Made, visit: Visit) -> None:
    part = spans.report.parts[0]
    page = visit(spans.path, _address(part.name, "spurious/1")).page
    page.wait_for_selector(PANEL)
    text = page.locator(f"{PANEL} .items").inner_text()
    assert "</script><script>window.pwned=1</script>" in text
    assert "[U+202E]" in text
    assert "\u202e" not in text
    assert "[U+001B]" in text
    assert page.locator("h1").inner_text() == "<script>window.pwned=1</script>"
    assert page.title() == "<script>window.pwned=1</script>"


def test_a_policy_forbids_code_and_the_network(spans: Made, visit: Visit) -> None:
    """What the page itself does not do cannot be done in it either."""
    page = visit(spans.path).page
    tried: dict[str, Any] = page.evaluate(
        """async () => {
            const element = document.createElement('script');
            element.textContent = 'window.pwned = 1';
            document.body.append(element);
            const handler = document.createElement('div');
            handler.setAttribute('onclick', 'window.pwned = 2');
            document.body.append(handler);
            handler.click();
            let asked = 'sent';
            try { await fetch('https://example.invalid/'); } catch { asked = 'refused'; }
            return { pwned: window.pwned ?? null, asked };
        }"""
    )
    assert tried == {"pwned": None, "asked": "refused"}
    policy = page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe" not in policy


def test_the_terminal_is_left_alone(spans: Made) -> None:
    shown = str(spans.report)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
