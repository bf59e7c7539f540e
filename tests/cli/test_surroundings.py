"""Surroundings that go wrong: full disks, closed streams, links in a circle, folders that are gone, limits, Ctrl-C."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
from support.commands import Ran, Run, Write, refused

COMMAND = (sys.executable, "-m", "slicewise")
SCORE = ("score", "--gold", "g.txt", "-s", "s=g.txt", "--task", "labels", "--resamples", "0")
FULL = Path("/dev/full")


@pytest.fixture(autouse=True)
def data(write: Write) -> None:
    write("g.txt", "a\nb\n")


def program(*arguments: str, stdout: int | IO[Any] = subprocess.PIPE, stderr: int | IO[Any] = subprocess.PIPE) -> Ran:
    ran = subprocess.run((*COMMAND, *arguments), stdout=stdout, stderr=stderr, text=True, check=False)
    return Ran(ran.returncode, ran.stdout or "", ran.stderr or "")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("attributes",), (*SCORE, "--json", "-"), ("convert", "g.txt", "-o", "g.parquet")],
    ids=lambda arguments: " ".join(arguments[:1]),
)
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    with FULL.open("w") as full:
        ran = program(*arguments, stdout=full)
    refused(ran, "standard output cannot be written: No space left on device")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_messages_that_cannot_be_written_change_no_exit_code() -> None:
    with FULL.open("w") as full:
        assert program(*SCORE, "--json", "o.json", stderr=full).code == 0
        assert program(*SCORE[:3], stderr=full).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORE, "--json", "loop.csv"),
        (*SCORE, "--csv", "loop.csv"),
        (*SCORE, "--figures", "loop.csv/x"),
        ("units", *SCORE[1:7], "-o", "loop.csv"),
        ("report", *SCORE[1:], "-o", "loop.html"),
        ("complement", *SCORE[1:], "-s", "t=g.txt", "--write-ensemble", "loop.csv"),
        ("difficulty", *SCORE[1:], "-s", "t=g.txt", "--write-suspects", "loop.csv"),
        ("convert", "g.txt", "-o", "loop.parquet"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_links_that_lead_to_each_other(arguments: tuple[str, ...], run: Run) -> None:
    for ending in ("csv", "html", "parquet"):
        Path(f"loop.{ending}").symlink_to(f"other.{ending}")
        Path(f"other.{ending}").symlink_to(f"loop.{ending}")
    refused(run(*arguments), "loop.", "cannot be written")


def test_inputs_that_cannot_be_read(run: Run) -> None:
    Path("loop").symlink_to("loop")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    listening.close()
    for name, said in (("socket", "cannot be read"), ("loop", "a symbolic link that leads to no file")):
        for options in (("--gold", name, "-s", "s=g.txt"), ("--gold", "g.txt", "-s", f"s={name}")):
            refused(run("score", *options), f"{name}: ", said)
    if Path("/proc/self/mem").exists():
        refused(run("score", "--gold", "/proc/self/mem", "-s", "s=g.txt"), "/proc/self/mem: cannot be read")


@pytest.mark.parametrize("output", [("--json", "o.json"), ("--csv", "o"), ("--json", "-")], ids=" ".join)
def test_a_working_folder_that_is_gone(output: tuple[str, str], tmp_path: Path, run: Run, write: Write) -> None:
    file = str(tmp_path / "g.txt")
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        ran = run("score", "--gold", file, "-s", f"s={file}", "--task", "labels", "--resamples", "0", *output)
    finally:
        os.chdir(tmp_path)
    if output[1] == "-":
        assert ran.code == 0, ran.err
    else:
        refused(ran, f"{output[1]}: cannot be written: No such file or directory")


def test_figures_where_there_is_no_room_for_their_engine() -> None:
    """It would end the program; the limit is far above what all else needs, and far below what the engine reserves."""
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({8 << 30}, {resource.RLIM_INFINITY})); "
    limited += "from slicewise.__main__ import main; main()"
    ran = subprocess.run(
        (sys.executable, "-c", limited, *SCORE, "--figures", "f"), capture_output=True, text=True, check=False
    )
    refused(Ran(ran.returncode, ran.stdout, ran.stderr), "charts cannot be drawn", "8.6 GB of address space")
    assert not Path("f").exists()


@pytest.mark.parametrize("moment", ["import atexit; atexit.register", "import threading; threading._register_atexit"])
def test_an_interrupt_while_the_interpreter_ends(moment: str) -> None:
    """It comes when the exit handlers run, after the result was written."""
    interrupted = f"import os, signal; {moment}(lambda: os.kill(os.getpid(), signal.SIGINT)); "
    interrupted += "from slicewise.__main__ import main; main()"
    command = (sys.executable, "-c", interrupted, *SCORE, "--quiet")
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "accuracy" in ran.stdout


def test_an_interrupt_before_the_program_has_begun() -> None:
    """While modules are imported: it ends without a word."""
    finder = "class F:\n def find_spec(s, name, *_):\n  name == 'typer' and os.kill(os.getpid(), signal.SIGINT)\n"
    interrupted = f"import os, signal, sys\n{finder}\nsys.meta_path.insert(0, F())\n"
    interrupted += "from slicewise.__main__ import main; main()"
    ran = subprocess.run((sys.executable, "-c", interrupted, *SCORE), capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")
