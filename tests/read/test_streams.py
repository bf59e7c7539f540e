"""Pipes, named pipes and standard input: what can be read once is read once, and gives the numbers of a file."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import Ran, Run, Write, refused

Pipe = Callable[[bytes], str]

draw = random.Random(5)
LABELS = [draw.choice("ab") for _ in range(300)]
GOLD = "".join(f"{label}\n" for label in LABELS)
ANSWERS = {name: "".join(f"{draw.choice('aab')}\n" for _ in LABELS) for name in "st"}
NO_DRAWS = ("--resamples", "0")
COMMANDS = {
    **dict.fromkeys(("score", "buckets", "study", "features", "complement", "difficulty"), NO_DRAWS),
    **dict.fromkeys(("items", "units"), ()),
}
pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Return the name of a pipe with this content, as a shell gives it for `<(command)`."""
    ends = []

    def opened(content: bytes) -> str:
        read_end, write_end = os.pipe()
        os.write(write_end, content)
        os.close(write_end)
        ends.append(read_end)
        return f"/dev/fd/{read_end}"

    yield opened
    for end in ends:
        os.close(end)


def result(ran: Ran) -> Any:
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["result"]


@pytest.mark.parametrize("command", COMMANDS)
def test_pipes_give_the_numbers_of_files(command: str, write: Write, run: Run, pipe: Pipe) -> None:
    write("g.txt", GOLD)
    for name, text in ANSWERS.items():
        write(f"{name}.txt", text)
    files = ["--gold", "g.txt", "-s", "s=s.txt", "-s", "t=t.txt", "--input", "g.txt", "--name", "g"]
    piped = ["--gold", pipe(GOLD.encode()), "--input", pipe(GOLD.encode()), "--name", "g"]
    for name, text in ANSWERS.items():
        piped += ["-s", f"{name}={pipe(text.encode())}"]
    common = ("--task", "labels", "--json", "-", *COMMANDS[command])
    assert result(run(command, *piped, *common)) == result(run(command, *files, *common))


@pytest.mark.parametrize("more", [(), ("--part-rows", "50")], ids=["whole", "in parts"])
def test_compressed_and_named_pipes(more: tuple[str, ...], write: Write, run: Run, pipe: Pipe) -> None:
    write("g.txt", GOLD)
    write("s.txt", ANSWERS["s"])
    score = ("score", "--task", "labels", "--resamples", "0", "--json", "-", *more)
    expected = result(run(*score, "--gold", "g.txt", "-s", "s=s.txt"))
    packed = pipe(gzip.compress(GOLD.encode()))
    assert result(run(*score, "--gold", packed, "-s", "s=s.txt")) == expected
    os.mkfifo("fifo")
    writer = threading.Thread(target=lambda: Path("fifo").write_text(ANSWERS["s"]), daemon=True)
    writer.start()
    assert result(run(*score, "--gold", "g.txt", "-s", "s=fifo")) == expected
    writer.join()


def test_standard_input_under_its_own_name(write: Write, tmp_path: Path, run: Run) -> None:
    """The same stream under two names is read once, and so is one of which two columns are taken."""
    table = "".join(f"{gold}\t{answer}" for gold, answer in zip(LABELS, ANSWERS["s"].splitlines(True), strict=True))
    write("t.tsv", table)
    score = ("score", "--task", "labels", "--resamples", "0", "--json", "-")
    expected = result(run(*score, "--gold", "t.tsv:1", "-s", "s=t.tsv:2"))
    for gold in ("-:1", "/dev/stdin:1"):
        command = (sys.executable, "-m", "slicewise", *score, "--gold", gold, "-s", "s=/dev/stdin:2")
        ran = subprocess.run(command, input=table.encode(), capture_output=True, cwd=tmp_path, check=True)
        assert json.loads(ran.stdout)["result"] == expected


def test_training_data_and_tables_from_pipes(write: Write, run: Run, pipe: Pipe) -> None:
    write("g.parquet", b"")
    rows = b'{"text": "x y", "label": "a"}\n{"text": "z", "label": "b"}\n' * 20
    write("g.jsonl", rows)
    assert run("convert", "g.jsonl", "-o", "g.parquet", "--force").code == 0
    buckets = ("buckets", "--gold", "g.parquet:label", "-s", "s=g.parquet:label", "--resamples", "0", "--json", "-")
    expected = result(run(*buckets, "--train", "g.jsonl"))
    for more in ((), ("--part-rows", "7")):
        assert result(run(*buckets, *more, "--train", pipe(rows))) == expected
    content = Path("g.parquet").read_bytes()
    both = ("score", "--gold", "g.parquet:label", "--part-rows", "7", "--resamples", "0", "--json", "-")
    assert result(run(*both, "-s", f"s={pipe(content)}:label")) == result(run(*both, "-s", "s=g.parquet:label"))


def test_a_stream_is_converted_whole(write: Write, run: Run, pipe: Pipe) -> None:
    ran = run("convert", pipe(GOLD.encode()), "-o", "g.parquet")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("g.parquet: 300 items")
    assert "0 B" not in ran.out


def test_a_matrix_and_a_configuration_from_pipes(write: Write, run: Run, pipe: Pipe) -> None:
    table = "a,b\n1,0\n0,1\n1,1\n"
    write("m.csv", table)
    complement = ("complement", "--resamples", "0", "--json", "-")
    from_file = result(run(*complement, "--matrix", "m.csv"))
    assert result(run(*complement, "--matrix", pipe(table.encode()))) == from_file
    settings = f'matrix = "{Path("m.csv").absolute()}"\nresamples = 0\n'
    assert result(run("complement", "--json", "-", "--config", pipe(settings.encode()))) == from_file


def test_data_sets_do_not_share_a_stream(write: Write, run: Run, pipe: Pipe) -> None:
    write("s.txt", ANSWERS["s"])
    stream = pipe(GOLD.encode())
    data = "".join(f'[[dataset]]\nname = "{n}"\ngold = "{stream}"\nsystems = {{ s = "s.txt" }}\n' for n in "xy")
    write("c.toml", 'task = "labels"\n' + data)
    refused(run("score", "--config", "c.toml"), f"{stream}: is named by several data sets", "save it as a file")


def test_standard_input_that_is_closed(write: Write, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("s.txt", ANSWERS["s"])
    monkeypatch.setattr(sys, "stdin", None)
    refused(run("score", "--gold", "-", "-s", "s=s.txt"), "standard input is closed")
