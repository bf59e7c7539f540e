"""What the command writes, and where."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from support.commands import Run, Write, strict

from slicewise import Evaluation, __version__, score, units
from slicewise.results.files import write_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


COMMAND = [sys.executable, "-m", "slicewise"]
GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nin\tO\nRome\tB-LOC\n"


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    write("g.conll", GOLD)
    write("s.conll", GOLD.replace("Rome\tB-LOC", "Rome\tB-PER").replace("met", "MET"))
    return ("--gold", "g.conll", "--system", "s=s.conll", "--system", "t=g.conll", "--resamples", "20")


def test_json_on_standard_output_and_nothing_else(data: tuple[str, ...], run: Run) -> None:
    ran = run("score", *data, "--json", "-")
    assert ran.code == 0
    found = strict(ran.out)
    assert list(found) == ["slicewise", "schema", "command", "signature", "data", "result"]
    assert found["slicewise"] == __version__
    assert found["schema"] == 1
    assert found["command"] == "score"
    assert {"name", "task", "items", "clusters", "gold_units", "systems", "train", "warnings"} <= set(found["data"])
    assert found["data"]["name"] == "g"
    assert found["data"]["items"] == 2
    assert found["data"]["gold_units"] == 3
    assert found["data"]["systems"] == ["s", "t"]
    assert found["data"]["train"] is None
    micro = found["result"]["systems"]["s"]["micro"]
    assert (micro["n_gold"], micro["n_pred"], micro["tp"]) == (3, 3, 2)
    assert micro["f1"] == pytest.approx(2 / 3)
    assert found["result"]["systems"]["s"]["errors"] == {
        "boundary": 0, "type": 1, "boundary_type": 0, "missed": 0, "spurious": 0,
    }  # fmt: skip
    (pair,) = [p for p in found["result"]["pairs"] if p["metric"] == "f1"]
    assert (pair["a"], pair["b"]) == ("s", "t")


def test_warnings_go_to_standard_error_or_stand_in_the_json(data: tuple[str, ...], run: Run) -> None:
    ran = run("score", *data, "--json", "-")
    warnings = strict(ran.out)["data"]["warnings"]
    assert any("1 token of 5 differs in text" in w for w in warnings)


def test_undefined_is_null(write: Write, run: Run) -> None:
    name = write("g.conll", "a\tO\n\nb\tO\n")
    found = strict(run("score", "--gold", name, "--system", f"s={name}", "--json", "-").out)
    assert found["result"]["systems"]["s"]["micro"]["f1"] is None


def test_same_input_and_seed_same_bytes(data: tuple[str, ...], run: Run) -> None:
    first, second = (run("score", *data, "--json", "-").out for _ in range(2))
    assert first == second
    assert run("score", *data, "--json", "-", "--seed", "1").out != first


def test_json_into_a_file(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    ran = run("score", *data, "--json", "x.json")
    assert ran.code == 0
    assert ran.out
    assert {path.name for path in tmp_path.iterdir()} - before == {"x.json"}
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert text == run("score", *data, "--json", "-").out
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o666 & ~umask


def test_json_replaces_an_old_file(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("old" * 10_000, encoding="utf-8")
    run("score", *data, "--json", "x.json")
    assert strict((tmp_path / "x.json").read_text(encoding="utf-8"))["command"] == "score"


def test_csv_tables(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    assert run("score", *data, "--csv", "deep/er").code == 0
    files = sorted((tmp_path / "deep" / "er").iterdir())
    assert files
    assert all(path.suffix == ".csv" for path in files)
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1


FORMULAS = ["=1+1", "+x", "-x", "@x", "-", "=cmd|' /C calc'!A0", "-1+1", "-5x"]
HARMLESS = ["-5", "+3.25", "-.5e-7", "x=1", "'=1", "a-b"]


def test_cells_that_a_spreadsheet_would_run(write: Write, run: Run, tmp_path: Path) -> None:
    """Text that begins as a formula is guarded in CSV: labels, texts, names of systems; not numbers, not JSONL."""
    answers = [*FORMULAS, *HARMLESS]
    write(
        "g.jsonl", "".join(json.dumps({"label": text, "text": text, "id": i}) + "\n" for i, text in enumerate(answers))
    )
    data = ("--gold", "g.jsonl", "-s", "@s=g.jsonl", "--task", "labels")

    def labels(*more: str, name: str = "u.csv") -> list[str]:
        assert run("units", *data, "-o", "u.csv", "--csv", ".", *more).code == 0
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert ("@s" if "--raw-csv" in more else "'@s") in rows[0]
        by_item = sorted(rows, key=lambda row: int(row["item"]))
        return [row["label"] for row in by_item]

    guarded = [f"'{text}" for text in FORMULAS] + HARMLESS
    assert labels() == labels(name="units.csv") == guarded
    assert labels("--raw-csv") == labels("--raw-csv", name="units.csv") == answers
    assert run("units", *data, "-o", "u.jsonl").code == 0
    assert {json.loads(line)["label"] for line in (tmp_path / "u.jsonl").read_text().splitlines()} == set(answers)


def test_text_that_begins_with_white_space_may_be_a_formula() -> None:
    file = io.BytesIO()
    write_csv(pl.DataFrame({"\tx": ["\t=1", "\r=1", " =1", None], "n": [-1, 2, 3, None]}), file)
    assert list(csv.reader(io.StringIO(file.getvalue().decode(), newline=""))) == [
        ["'\tx", "n"], ["'\t=1", "-1"], ["'\r=1", "2"], [" =1", "3"], ["", ""],
    ]  # fmt: skip


def test_numbers_in_csv_are_not_touched(write: Write, run: Run, tmp_path: Path) -> None:
    write("s.txt", "-1.5\n2\n-3\n")
    assert run("items", "--task", "scores", "-s", "s=s.txt", "--csv", ".").code == 0
    assert "'" not in (tmp_path / "items.csv").read_text()


def test_a_result_in_a_file_is_not_shown_as_well(data: tuple[str, ...], run: Run) -> None:
    ran = run("units", *data[:-2], "--with", "bins,errors", "-o", "u.csv")
    warnings = [line for line in ran.err.splitlines() if "warning" in line]
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines() == ["slicewise: wrote u.csv", *warnings]


def test_names_of_files_do_not_reach_the_terminal_as_they_are(data: tuple[str, ...], run: Run) -> None:
    ran = run("score", *data, "--json", "\x1b[31m.json", "--csv", "\x1b[32m")
    assert ran.code == 0
    assert ran.err.count("wrote") == 2
    assert "\x1b" not in ran.err


def test_quiet(data: tuple[str, ...], run: Run) -> None:
    ran = run("score", *data, "--json", "x.json", "--quiet")
    assert ran.code == 0
    assert ran.err == ""


def test_no_progress_bar_where_standard_error_is_no_terminal(data: tuple[str, ...], run: Run) -> None:
    ran = run("score", *data)
    assert "\x1b" not in ran.err + ran.out
    assert "\r" not in ran.err + ran.out


def test_version(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"slicewise {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["units", "-h"]])
def test_help(arguments: list[str], run: Run) -> None:
    ran = run(*arguments)
    assert ran.code == 0
    assert "Usage" in ran.out


@pytest.mark.parametrize("extra", [(), ("--json", "-")])
@pytest.mark.parametrize("command", ["score", "units"])
def test_a_reader_that_goes_away(command: str, extra: tuple[str, ...], examples: Path, tmp_path: Path) -> None:
    """As with `| head -n 1`: no traceback, and not the exit code of a check that did not hold."""
    folder = examples / "news"
    arguments = ["--gold", str(folder / "test.conll"), "--system", f"s={folder / 'systems' / 'hmm.conll'}", *extra]
    arguments += ["--resamples", "0"] if command == "score" else []
    with subprocess.Popen([*COMMAND, command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
        process.wait()
    assert said == ""
    assert process.returncode in (0, 128 + signal.SIGPIPE, -signal.SIGPIPE)


def test_head(examples: Path) -> None:
    folder = examples / "news"
    arguments = [
        *COMMAND,
        "units",
        "--gold",
        str(folder / "test.conll"),
        "--system",
        f"s={folder / 'test.conll'}",
        "--json",
        "-",
    ]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr.read() == b""


def test_python_m_and_the_command_are_the_same(data: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "score", *data, "--json", "-"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == run("score", *data, "--json", "-").out


def test_output_is_utf8_whatever_the_locale(write: Write, tmp_path: Path) -> None:
    name = write("g.conll", "Łódź\tB-LOC\n\n😀\tO\n")
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "LANG": "C",
        "PYTHONIOENCODING": "",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    for extra in (["--json", "-"], []):
        done = subprocess.run(
            [*COMMAND, "units", "--gold", name, "--system", f"s={name}", *extra],
            capture_output=True, check=False, cwd=tmp_path, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        if extra:
            assert json.loads(done.stdout.decode())["result"]["units"][0]["text"] == "Łódź"


EVIL = "<script>alert('x')</script>"


@pytest.mark.parametrize("make", [score, units])
def test_html_from_the_data_is_harmless(make: Callable[[Evaluation], Any]) -> None:
    e = Evaluation.from_tags(
        [[EVIL, '"><img src=x onerror=y>']],
        [[f"B-{EVIL}", "B-&"]],
        {EVIL: [["B-<b>", "B-&"]], "b&w": [["O", "O"]]},
        name=EVIL,
    )
    html = re.sub(r'<img alt="[^"<>]*" src="data:image/svg\+xml;base64,[\w+/=]*">', "", make(e)._repr_html_())
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>" not in html


def test_markup_of_the_terminal_is_not_read_from_the_data() -> None:
    e = Evaluation.from_tags([["[red]x[/red]", "[/]"]], [["B-[bold]", "B-[/x]"]], {"[link=x]s": [["B-[bold]", "O"]]})
    assert "[bold]" in str(score(e, resamples=0))
    assert "[red]x[/red]" in str(units(e))


def test_control_characters_from_the_data_do_not_reach_the_terminal(write: Write, run: Run) -> None:
    name = write("g.conll", "a\x1b[31mb\tB-X\x07\n")
    ran = run("units", "--gold", name, "--system", f"s={name}")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out
