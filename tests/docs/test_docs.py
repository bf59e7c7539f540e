"""The documentation names every command, option, metric, attribute and function, and its links lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import typer.main
from support.docs_text import make_text, read
from support.places import EXAMPLES, ROOT

import slicewise
from slicewise import attributes
from slicewise.annotations import Task
from slicewise.cli import app
from slicewise.lenses import registry
from slicewise.metrics import catalogue

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
WITHOUT_RESULT = {*COMMANDS} - {*registry.names()}
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"), EXAMPLES / "README.md", ROOT / "tests" / "README.md"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_with_its_options_as_they_are(command: str) -> None:
    text = read(f"commands/{command}.md")
    assert make_text.with_options(text, command) == text
    for part in ("## How to read it", "## What not to conclude", "## Options", "## Files"):
        assert f"\n{part}\n" in text
    assert f"[`slicewise {command}`](commands/{command}.md)" in read("commands.md")


def test_no_page_is_of_a_command_that_there_is_not() -> None:
    assert sorted(page.stem for page in (ROOT / "docs" / "commands").glob("*.md")) == COMMANDS


def test_options_of_all_commands_are_described_together() -> None:
    shared = set.intersection(*(names(command) for command in COMMANDS if command not in WITHOUT_RESULT))
    text = read("commands.md")
    assert [name for name in sorted(shared) if not re.search(rf"`[^`]*{name}(?![\w-])", text)] == []


def names(command: str) -> set[str]:
    """Return the options of a command."""
    return set(re.findall(r"`(--[\w-]+)`", make_text.options(command)))


def test_every_metric_is_documented() -> None:
    text = read("numbers.md")
    known = {re.sub(r"^(macro|weighted)-", "", name) for task in Task for name in catalogue(task)}
    assert [name for name in sorted(known) if f"`{name}`" not in text] == []


def test_every_attribute_is_documented() -> None:
    rows = re.findall(r"^\|([^|]*)\|", read("buckets.md"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert [name for name in attributes.catalogue() if name not in named] == []


def test_every_public_name_is_documented_with_its_signature() -> None:
    text = read("python.md")
    assert make_text.with_signatures(text) == text
    called = {found[1] for found in make_text.SIGNATURE.finditer(text)}
    made = {f"Evaluation.{name}" for name in dir(slicewise.Evaluation) if name.startswith("from_")}
    classes = {"Evaluation", "UserError", "__version__"}
    assert called == {*slicewise.__all__} - classes | made
    assert [name for name in classes if f"`slicewise.{name}`" not in text and f"`{name}`" not in text] == []


def test_the_tables_of_every_result_are_documented() -> None:
    tokens = [["Ann", "met", "Bob"], ["no", "one", "came"]] * 6
    gold = [["B-PER", "O", "B-PER"], ["O", "O", "O"]] * 6
    some = [["B-PER", "O", "B-LOC"], ["O", "O", "B-PER"]] * 6
    ev = slicewise.Evaluation.from_tags(tokens, gold, {"a": some, "b": gold}, train=(tokens, gold), name="x")
    told = dict(re.findall(r"^\| `(\w+)` \| ([a-z_, ]+) \|$", read("python.md"), re.MULTILINE))
    results = [getattr(slicewise, name)(ev, resamples=0) for name in told if name not in ("study", "items", "units")]
    results += [slicewise.items(ev), slicewise.units(ev), slicewise.study([ev], resamples=0)]
    assert {result.command for result in results} == {*registry.names()}
    for result in results:
        assert {*result.tables()} <= {*told[result.command].split(", ")}, result.command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]+)?\)", page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        target = (page.parent / link) if link else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor[1:] in anchors(target), f"{page.name}: {link}{anchor}"


def anchors(page: Path) -> list[str]:
    """Return the headings of a page as links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-") for title in found]


def test_pictures_are_small_and_all_shown() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").glob("*"))
    sizes = [picture.stat().st_size for picture in pictures]
    assert max(sizes) < 150_000
    assert sum(sizes) < 1_500_000
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [picture.name for picture in pictures if f"pictures/{picture.name})" not in shown] == []
