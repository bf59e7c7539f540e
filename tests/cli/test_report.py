"""`slicewise report` through the real command: the page, its options, figures as files, and what cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Run, Write


LABELS = ("--gold", "g.txt", "--input", "in.txt", "--system", "a=a.txt", "--system", "b=b.txt", "--resamples", "50")


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    """Forty items with one label each, and two systems."""
    gold = ["x" if i % 3 else "y" for i in range(40)]
    write("g.txt", "".join(f"{g}\n" for g in gold))
    write("in.txt", "".join(f"{'odd' if i % 2 else 'even'} words of item {i}\n" for i in range(40)))
    write("a.txt", "".join(f"{g if i % 4 else 'z'}\n" for i, g in enumerate(gold)))
    write("b.txt", "".join(f"{g if i % 2 else 'x'}\n" for i, g in enumerate(gold)))
    return tmp_path


def test_the_page_is_written_and_its_findings_are_shown(files: Path, run: Run) -> None:
    ran = run("report", *LABELS, "-o", "page.html", "--title", "Two systems")
    assert ran.code == 0, ran.err
    page = (files / "page.html").read_text(encoding="utf-8")
    assert "<h1>Two systems</h1>" in page
    assert "wrote page.html" in ran.err
    assert "worth" in ran.out or "Nothing survives" in ran.out
    assert sorted(path.name for path in files.iterdir()) == ["a.txt", "b.txt", "g.txt", "in.txt", "page.html"]


def test_the_json_holds_every_lens(files: Path, run: Run) -> None:
    ran = run("report", *LABELS, "--json", "-")
    assert ran.code == 0, ran.err
    assert (files / "report.html").exists()  # it is called so unless named
    found = json.loads(ran.out)
    assert found["command"] == "report"
    part = found["result"]["datasets"]["g"]
    two = {"worsening", "improving"}
    assert set(part) == {"score", "buckets", "features", "complement", "difficulty", "left_out", *two}
    for lens in ("score", "buckets", "complement", "difficulty"):
        alone = json.loads(run(lens, *LABELS, "--json", "-", *(["--top", "20"] if lens == "difficulty" else [])).out)
        assert part[lens] == alone["result"], lens


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_figures_are_files(files: Path, run: Run, ending: str) -> None:
    ran = run("complement", *LABELS, "--figures", "figs", "--figure-format", ending)
    assert ran.code == 0, ran.err
    found = sorted((files / "figs").iterdir())
    assert {path.suffix for path in found} == {f".{ending}"}
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert all(path.read_bytes().startswith(starts[ending]) for path in found)
    assert f"wrote {len(found)} figures to figs" in ran.err


def test_a_report_draws_the_figures_of_all_lenses(files: Path, run: Run) -> None:
    assert run("report", *LABELS, "--figures", "figs", "-o", "r.html").code == 0
    names = {path.name.partition("-")[0] for path in (files / "figs").iterdir()}
    assert names == {"score", "buckets", "features", "worsening", "improving", "complement", "difficulty"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "page.txt"), "unknown ending '.txt'"),
        (("-o", "nowhere/page.html"), "is no folder"),
        (("-o", "page.html", "--json", "page.html"), "written by both --json and --output"),
        (("--examples", "-1"), "examples is -1"),
        (("--examples", "1001"), "expected 0 to 1,000"),
        (("--figure-format", "png"), "add --figures DIR"),
        (("--figures", "f", "--figure-format", "gif"), "expected one of svg, png, pdf"),
        (("--attribute", "nothing"), "nothing"),
        (("--threshold", "0.5"), "--threshold is for scored items"),
        (("--min-count", "0"), "min-count is 0"),
        (("--top", "-1"), "top is -1"),
    ],
)
def test_what_cannot_be_is_one_line(files: Path, run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("report", *LABELS, *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not list(files.glob("*.html"))
    assert not list(files.glob(".slicewise*"))


def test_a_full_disk_is_one_line(files: Path, run: Run) -> None:
    (files / "page.html").symlink_to("/dev/full")
    ran = run("report", *LABELS[:6], "--resamples", "0", "-o", "page.html")
    assert ran.code == 2
    assert "page.html: cannot be written: No space left on device" in ran.err
    assert not list(files.glob(".slicewise*"))


def test_one_system_has_no_complement_and_says_so(files: Path, run: Run) -> None:
    ran = run("report", *LABELS[:6], "--resamples", "0", "-o", "one.html")
    assert ran.code == 0, ran.err
    assert "Left out: complement" in ran.out
    assert "Nothing was tested" in ran.out
    assert "complementarity needs two systems" in (files / "one.html").read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bytes(files: Path) -> None:
    pages = []
    for seed in ("1", "2"):
        name = f"page{seed}.html"
        command = [sys.executable, "-m", "slicewise", "report", *LABELS[:6], "-o", name, "--quiet"]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        pages.append((files / name).read_bytes())
    assert pages[0] == pages[1]


def test_the_date_is_that_of_the_files_and_opening_asks_the_browser(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("webbrowser.open", asked.append)
    for name in ("g.txt", "in.txt", "a.txt", "b.txt"):
        os.utime(files / name, (86_400 * 365, 86_400 * 365))
    assert run("report", *LABELS, "-o", "page.html", "--open").code == 0
    assert asked == [(files / "page.html").resolve().as_uri()]
    assert "files of 1971-01-01" in (files / "page.html").read_text(encoding="utf-8")


def test_texts(files: Path, run: Run) -> None:
    ran = run("report", *LABELS, "--task", "text", "--metric", "bleu", "-o", "t.html")
    assert ran.code == 0, ran.err
    assert "<h1>" in (files / "t.html").read_text(encoding="utf-8")


def test_a_matrix_of_right_and_wrong(write: Write, run: Run) -> None:
    write("m.csv", "".join(f"{int(i % 2 > 0)},{int(i % 3 > 0)},{int(i % 5 > 0)}\n" for i in range(60)))
    ran = run("report", "--matrix", "m.csv", "--resamples", "50", "-o", "m.html")
    assert ran.code == 0, ran.err
    assert "Left out: buckets" in ran.out


def test_several_data_sets_are_a_study(files: Path, write: Write, run: Run) -> None:
    part = 'gold = "g.txt"\ninput = ["in.txt"]\n[dataset.systems]\na = "a.txt"\nb = "b.txt"\n'
    write("study.toml", "".join(f'[[dataset]]\nname = "{name}"\n{part}' for name in ("one", "two")))
    ran = run("report", "--config", "study.toml", "--resamples", "20", "-o", "s.html", "--json", "s.json")
    assert ran.code == 0, ran.err
    found = json.loads((files / "s.json").read_text())["result"]
    assert list(found["datasets"]) == ["one", "two"]
    assert found["study"]["datasets"] == ["one", "two"]
    page = (files / "s.html").read_text(encoding="utf-8")
    assert 'id="study"' in page
    assert 'id="2-two-score"' in page
