"""A real browser, and pages of the example data; without Debian's chromium these tests are skipped, saying so."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

import slicewise
from support.needs import missing, need_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request, ViewportSize

    from slicewise.lenses.report.result import ReportResult

QUIET = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
SYSTEMS = ("gazetteer", "hmm", "perceptron")


@dataclass
class Opened:
    """A page in the browser, with what it said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def dismiss(self, dialog: Dialog) -> None:
        """Note a dialog, and close it."""
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@dataclass(frozen=True)
class Made:
    """A report and the file of its page."""

    report: ReportResult
    path: Path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    need_module("playwright", "playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("chromium (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open a file in a window of its own, and listen."""
    contexts = []

    def visited(path: Path, hash_: str = "", **options: Any) -> Opened:
        contexts.append(browser.new_context(**{"viewport": DESKTOP, **options}))
        return opened(contexts[-1], path, hash_)

    yield visited
    for context in contexts:
        context.close()


def opened(context: BrowserContext, path: Path, hash_: str = "") -> Opened:
    """Open a file, and listen."""
    page = context.new_page()
    made = Opened(page)
    page.on("console", lambda m: made.said.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda error: made.said.append(f"error: {error}"))
    page.on("dialog", made.dismiss)
    page.on("request", lambda request: made.asked.extend(_elsewhere(request)))
    page.goto(f"{path.as_uri()}{hash_}")
    page.wait_for_selector("h1")
    return made


def _elsewhere(request: Request) -> list[str]:
    return [] if request.url.startswith(("file:", "data:", "blob:")) else [request.url]


@pytest.fixture(scope="session")
def of_chat(examples: Path) -> slicewise.Evaluation:
    folder = examples / "chat"
    return slicewise.load(
        name="chat",
        gold=folder / "test.conll",
        train=folder / "train.conll",
        systems={name: folder / "systems" / f"{name}.conll" for name in SYSTEMS},
    )


@pytest.fixture(scope="session")
def chat(of_chat: slicewise.Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return written(slicewise.report(of_chat, resamples=100), tmp_path_factory.mktemp("chat"))


def written(report: ReportResult, folder: Path) -> Made:
    """Write a report's page."""
    path = folder / "report.html"
    report.write(path)
    return Made(report, path)
