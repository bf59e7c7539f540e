"""Make the report on the example data, and the pictures of it that the pages show."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator, Page

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "out" / "report.html"
PICTURES = ROOT / "docs" / "pictures"
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run")
LAPTOP, PHONE = (1280, 800), (390, 844)
MARGIN = 16
COLOURS = 64
OPEN_TAB = "(one) => document.getElementById(one.closest('[role=tabpanel]')?.getAttribute('aria-labelledby'))?.click()"
BY_ITSELF = """(one, margin) => {
  const background = getComputedStyle(document.body).backgroundColor;
  const own = { position: "fixed", inset: "0 auto auto 0", zIndex: 9, width: `${one.clientWidth}px`, margin: 0 };
  Object.assign(one.style, own, { padding: `${margin}px`, boxSizing: "content-box", background });
}"""
"""Puts a part of the page into the corner of the screen, where nothing above moves it by parts of a pixel."""
ITEMS = "#/chat/confusion/crf-char%231/ORG/WORK?system=crf-char%231"
"""The address of the items that are shown."""
FIGURES = {
    "scores": ("chat", "scores"),
    "confusions": ("chat", "confusions-crf-char_1"),
    "buckets": ("chat", "buckets-eCon"),
    "features": ("chat", "features-gold-crf-char_1"),
    "complement": ("chat", "complement-found-by"),
    "difficulty": ("chat", "difficulty-bins"),
    "suspects": ("chat", "suspects"),
    "study": ("", "model-wise-spearman"),
}
"""Pictures of single figures, with the data set and the name of each."""


def main() -> None:
    """Make the page and all pictures."""
    program = _chromium()
    REPORT.parent.mkdir(exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    config = ROOT / "examples" / "slicewise.toml"
    words = ["slicewise", "report", "--config", str(config), "--output", str(REPORT)]
    subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        _take(browser)
        browser.close()


def _chromium() -> str:
    """Return the browser, or end with what is missing."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("make guide needs chromium: apt-get install chromium")
    for module, package in (("playwright", "playwright"), ("PIL", "pillow")):
        if find_spec(module) is None:
            sys.exit(f"make guide needs {package}: pip install {package}")
    return program


def _take(browser: Browser) -> None:
    """Take all pictures."""
    page = _opened(browser, LAPTOP)
    _save(page.screenshot(), "overview")
    _shot(page, page.locator("#findings"), "findings")
    for name, (dataset, figure) in FIGURES.items():
        _shot(page, _figure(page, dataset, figure), name)
    page.goto(f"{REPORT.as_uri()}{ITEMS}")
    page.wait_for_selector("dialog[open]")
    _save(page.screenshot(), "items")
    _save(_opened(browser, PHONE).screenshot(), "phone")
    _save(_opened(browser, LAPTOP, dark=True).screenshot(), "dark")


def _opened(browser: Browser, size: tuple[int, int], *, dark: bool = False) -> Page:
    """Open the report, and wait until what is seen is drawn."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page.goto(REPORT.as_uri())
    page.wait_for_selector(".chart.drawn")
    return page


def _figure(page: Page, dataset: str, name: str) -> Locator:
    """Return the place of a figure, seen and drawn."""
    figures = json.loads(page.locator("#data-figures").text_content() or "[]")
    number = next(i for i, one in enumerate(figures) if (one["dataset"], one["name"]) == (dataset, name))
    place = page.locator(f"#figure-{number}")
    place.evaluate(OPEN_TAB)
    place.scroll_into_view_if_needed()
    place.locator(".chart.drawn, .table > *").first.wait_for()
    return place


def _shot(page: Page, place: Locator, name: str) -> None:
    """Take a picture of a part of the page by itself, as high as a screen at most."""
    place.evaluate(BY_ITSELF, MARGIN)
    box = place.bounding_box()
    if box is None:
        sys.exit(f"{name} is not seen on the page")
    clip: FloatRect = {"x": 0, "y": 0, "width": box["width"], "height": min(box["height"], LAPTOP[1])}
    _save(page.screenshot(clip=clip), name)
    place.evaluate("(one) => one.removeAttribute('style')")


def _save(picture: bytes, name: str) -> None:
    """Save a picture with few colours."""
    from PIL import Image

    made = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    made.save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
