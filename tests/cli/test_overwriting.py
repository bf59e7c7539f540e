"""What is read is never written over: whatever it is called, and whoever names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.commands import Run, Write, refused

ROWS = "text,label,guess\nx,a,a\ny,b,a\nz,a,a\n"
CODE = "def m(gold, predicted):\n    return 1.0\n\n\ndef f(text):\n    return len(text)\n"
COLUMNS = ("--gold", "{}:label", "-s", "s={}:guess", "--input", "{}:text")
SETTINGS = '{metric}task = "labels"\ngold = "{data}:label"\ninput = "{data}:text"\n[systems]\ns = "{data}:guess"\n'


@pytest.fixture
def data(write: Write) -> None:
    write("data/metrics.csv", ROWS)
    write("data/units.csv", ROWS)
    write("one/metrics.csv", ROWS)
    write("one/units.csv", ROWS)
    write("mine.py", CODE)
    write("c.toml", SETTINGS.format(metric='metric = "mine.py:m"\nattribute = "mine.py:f"\n', data="data/*.csv"))
    write("plain.toml", SETTINGS.format(metric="", data="one/metrics.csv"))
    os.link("data/units.csv", "hard.csv")
    Path("soft.csv").symlink_to("data/units.csv")


def named(given: str) -> tuple[str, ...]:
    return tuple(option.format(given) for option in COLUMNS)


FOLDER, PATTERN = named("data"), named("data/*.csv")
SCORE = ("score", "--resamples", "0")


@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORE, *FOLDER, "--json", "data/units.csv"),
        (*SCORE, *PATTERN, "--json", "data/units.csv"),
        (*SCORE, *PATTERN, "--json", "hard.csv"),
        (*SCORE, *FOLDER, "--json", "soft.csv"),
        (*SCORE, "--config", "c.toml", "--json", "data/units.csv"),
        (*SCORE, "--config", "plain.toml", "--json", "one/metrics.csv"),
        (*SCORE, "--config", "c.toml", "--json", "c.toml"),
        (*SCORE, *FOLDER, "--csv", "data"),
        (*SCORE, *PATTERN, "--csv", "data"),
        (*SCORE, "--config", "c.toml", "--csv", "data"),
        (*SCORE, "--config", "plain.toml", "--csv", "one"),
        ("units", *FOLDER, "-o", "data/units.csv"),
        ("units", *PATTERN, "-o", "soft.csv"),
        ("units", "--config", "c.toml", "-o", "data/metrics.csv"),
        ("difficulty", *FOLDER, "--write-suspects", "data/units.csv"),
        ("complement", *FOLDER, "--write-ensemble", "data/units.csv"),
        (*SCORE, *FOLDER, "--metric", "accuracy,mine.py:m", "--json", "mine.py"),
        ("buckets", *FOLDER, "-a", "mine.py:f", "--json", "mine.py"),
        ("features", *FOLDER, "-a", "mine.py:f", "--json", "mine.py"),
        (*SCORE, "--config", "c.toml", "--json", "mine.py"),
        ("buckets", "--config", "c.toml", "--json", "mine.py"),
    ],
    ids=" ".join,
)
def test_an_input_is_never_written_over(arguments: tuple[str, ...], data: None, run: Run, tmp_path: Path) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}

    before = files()
    ran = run(*arguments)
    refused(ran, "is read and would be written over; choose another path")
    assert files() == before


def test_other_files_of_the_folder_may_be_written(data: None, run: Run) -> None:
    ran = run(*SCORE, *named("data/m*.csv"), "--json", "data/units.csv")
    assert ran.code == 0, ran.err


def test_a_file_is_not_converted_over_another_that_is_read(write: Write, run: Run) -> None:
    write("a.txt", "x\n")
    write("in/b.txt", "y\n")
    os.link("in/b.txt", "a.parquet")
    refused(run("convert", "a.txt", "in/b.txt", "-o", "./", "--force"), "a.parquet: is read and would be written over")
    assert Path("in/b.txt").read_text() == "y\n"
