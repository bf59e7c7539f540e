"""The attack itself: it finds what is planted, makes it small, and repeats it; and it finds nothing in the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import polars as pl
import pytest
from support.dying_worker import dying
from support.places import ROOT

from fuzz import findings
from fuzz.attack import Finding, examine, failure_of, minimised
from fuzz.case import Case
from fuzz.corpora import corpus
from fuzz.execute import Sandbox
from fuzz.generate import plan
from fuzz.minimise import Minimiser
from fuzz.mutations import CONTENT, OF_CASES, Mutation
from fuzz.options import WEIGHTS, commands
from fuzz.oracle import judge
from fuzz.run import Campaign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slicewise.annotations import Annotations
    from slicewise.read.source import Source

SEED = 20_000_410
CASES = 200


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox(tmp_path)
    yield made
    made.close()


def test_a_few_hundred_cases_find_nothing(sandbox: Sandbox) -> None:
    numbers = [n for n in range(SEED, SEED + CASES) if plan(n).valid.command != "report"]  # which takes seconds
    found = [finding for n in numbers if (finding := examine(n, sandbox)[0]) is not None]
    assert not found, "\n\n".join(map(findings.text, found))


def test_cases_reach_every_command_and_every_change() -> None:
    plans = [plan(n) for n in range(SEED, SEED + 1500)]
    assert {p.valid.command for p in plans} == {name for name in commands() if WEIGHTS.get(name) != 0}
    every = {f"{level}:{name}" for level, held in CONTENT.items() for name in held} | {f"case:{n}" for n in OF_CASES}
    assert {m.name for p in plans for m in p.mutations} == every


@pytest.mark.parametrize("name", [f"{level}:{n}" for level, held in CONTENT.items() for n in held])
def test_every_change_of_content_changes_some_file(name: str) -> None:
    level, _, what = name.partition(":")
    for number in range(200):
        data = corpus(Random(number))
        case = Case(data.files, (("score",), *data.data))
        if Mutation(name, number)(case, data).files != case.files:
            return
    pytest.fail(f"{level}: {what} changes nothing")


def test_a_number_is_the_same_case_in_every_process() -> None:
    script = (
        "import hashlib\nfrom fuzz.generate import plan\n"
        "cases = [(sorted(c.files.items()), c.options) for c in (plan(n).case for n in range(40))]\n"
        "print(hashlib.sha256(repr(cases).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_planted_defect_is_found_made_small_and_repeated(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from slicewise.read import READERS, lines

    def broken(source: Source, read: Callable[..., Annotations] = lines.read) -> Annotations:
        if b"\tneg" in source.files[0].data or b"Rome" in source.files[0].data:
            raise ZeroDivisionError("planted")
        return read(source)

    monkeypatch.setitem(READERS, "lines", replace(READERS["lines"], read=broken))
    numbers = iter(range(SEED, SEED + 400))
    finding: Finding | None = None
    while finding is None or finding.failure.kind != "ZeroDivisionError":
        finding, _ = examine(next(numbers), sandbox)
    small = minimised(finding, sandbox)
    assert small.failure.key == finding.failure.key
    assert small.failure.where.startswith("read/registry.py:")
    assert b"Rome" in small.case.files.values()
    assert len(small.case.options) <= 3
    place = findings.write(small, tmp_path / "found")
    assert small.case.line in (place / "command.sh").read_text()
    assert {p.name: p.read_bytes() for p in (place / "files").iterdir()} == small.case.files
    again, _ = examine(finding.number, sandbox)
    assert again is not None
    assert again.failure.key == finding.failure.key


def test_what_is_not_needed_goes() -> None:
    case = Case(
        {"a.txt": b"1\n2\nbad\n4\n", "b.txt": b"5\n6\n7\n8\n", "c.txt": b"unused"},
        (("score",), ("--gold", "a.txt"), ("--system", "s=b.txt"), ("--lower",), ("--input", "c.txt")),
    )
    tried = []

    def fails(smaller: Case) -> bool:
        tried.append(smaller)
        return b"a" in smaller.files.get("a.txt", b"") and b"7" in smaller.files.get("b.txt", b"")

    small = Minimiser(fails).smaller(case)
    assert small == Case({"a.txt": b"a", "b.txt": b"7"}, (("score",), ("--gold", "a.txt"), ("--system", "s=b.txt")))
    assert len(tried) < 200


def test_what_is_kept_fails() -> None:
    """A file that no option names goes only if the case fails without it."""
    case = Case({"a.txt": b"1\n2\n", "c.txt": b"needed"}, (("score",), ("--gold", "a.txt")))
    small = Minimiser(lambda smaller: smaller.files.keys() == {"a.txt", "c.txt"}).smaller(case)
    assert small.files == {"a.txt": b"", "c.txt": b""}


def printing(text: str, *, code: int = 0, number: int = 1) -> Callable[[], None]:
    def main() -> None:
        os.write(number, text.encode())
        sys.exit(code)

    return main


def refusing(text: str) -> Callable[[], None]:
    return printing(text, code=2, number=2)


def raising(error: BaseException) -> Callable[[], None]:
    def main() -> None:
        raise error

    return main


def leaving(name: str, content: str = "x", *, code: int = 2) -> Callable[[], None]:
    def main() -> None:
        Path(name).write_text(content)
        sys.stdout.write('{"result": 1}' if code == 0 else "")
        sys.stderr.write("slicewise: a message\n")
        sys.exit(code)

    return main


def warning() -> None:
    warnings.warn("a library is old", FutureWarning, stacklevel=1)


def endless() -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        pass


CASE = Case({"a.txt": b"a\n"}, (("score",), ("--system", "a=a.txt"), ("--json", "-")))
SINS: dict[str, tuple[Callable[[], None], str]] = {
    "an exception": (raising(KeyError("x")), "KeyError"),
    "a panic": (raising(pl.exceptions.PanicException("x")), "PanicException"),
    "endless": (endless, "TooSlow"),
    "exit code 1": (printing("slicewise: x\n", code=1, number=2), "exit code 1"),
    "exit with words": (raising(SystemExit("words")), "exit code 1"),
    "nothing said": (refusing(""), "other than one line on standard error"),
    "two lines": (refusing("slicewise: a\nslicewise: b\n"), "other than one line on standard error"),
    "no line end": (refusing("slicewise: a"), "other than one line on standard error"),
    "another program's line": (refusing("thread '<unnamed>' panicked\nslicewise: a\n"), "a line that is not ours"),
    "a traceback": (printing("Exception ignored in: x\n", number=2), "a line that is not ours"),
    "a warning": (warning, "a line that is not ours"),
    "a long line": (refusing(f"slicewise: {'x' * 700}\n"), "a message that is too long"),
    "an escape": (refusing("slicewise: \x1b[31m\n"), "control characters on standard error"),
    "another direction": (printing("slicewise: wrote \u202e\n", number=2), "control characters on standard error"),
    "half an output": (leaving("result.json"), "files beside an error"),
    "a temporary file": (leaving(".slicewise.x"), "a temporary file was left"),
    "an input written over": (leaving("a.txt", code=0), "an input file was changed"),
    "NaN": (printing('{"result": NaN}'), "no valid json"),
    "no JSON": (printing("accuracy 1"), "no valid json"),
    "half a table": (leaving("table.csv", "a,b\n1\n", code=0), "no valid csv"),
    "half a line": (leaving("units.jsonl", '{"a": 1}\n{"a"', code=0), "no valid jsonl"),
    "half a Parquet file": (leaving("units.parquet", "PAR1", code=0), "no valid parquet"),
}


@pytest.mark.parametrize("sin", SINS)
def test_what_a_run_must_not_do_is_seen(sin: str, tmp_path: Path) -> None:
    main, kind = SINS[sin]
    failure = judge(CASE, Sandbox(tmp_path, main).run(CASE, limit=0.2))
    assert failure is not None
    assert failure.kind == kind


@pytest.mark.parametrize("main", [printing('{"result": 1}'), refusing("slicewise: a.txt:1: what; expected; do\n")])
def test_success_and_refusal_are_right(main: Callable[[], None], tmp_path: Path) -> None:
    assert failure_of(CASE, None, CASE.files, Sandbox(tmp_path, main))[0] is None


def test_a_message_about_what_is_in_a_file_names_it(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    from slicewise.errors import UserError
    from slicewise.read import READERS, lines

    def read(source: Source, right: Callable[..., Annotations] = lines.read) -> Annotations:
        if b"wrong" in source.files[0].data:
            raise UserError("it is wrong", where="a.txt" if b"named" in source.files[0].data else None)
        return right(source)

    monkeypatch.setitem(READERS, "lines", replace(READERS["lines"], read=read))
    options = (("score",), ("--gold", "a.txt"), ("--system", "s=a.txt"), ("--task", "labels"), ("--resamples", "0"))
    valid = {"a.txt": b"x\ny\n"}
    kinds = []
    for content, before in ((b"wrong\ny\n", valid), (b"wrong named\n", valid), (b"wrong\n", {"a.txt": b"wrong\n"})):
        failure, outcome = failure_of(Case({"a.txt": content}, options), None, before, sandbox)
        assert outcome.code == 2
        kinds.append(failure and failure.kind)
    assert kinds == ["a message about a file that it does not name", None, None]


def counting() -> None:
    """Print how many words the command line has, or the size of standard input and of pipes."""
    paths = [word.partition("=")[2] for word in sys.argv if "=" in word]
    sizes = [len(sys.stdin.read() if path == "-" else Path(path).read_bytes()) for path in paths]
    sys.stdout.write(json.dumps({"result": [sizes, "--part-rows" in sys.argv, any(".gz" in p for p in paths)]}))


@pytest.mark.parametrize(
    ("twin", "differs"),
    [("part-rows", True), ("gzip", True), ("crlf", True), ("pipe", False), ("standard input", False)],
)
def test_another_form_of_the_data_has_to_give_the_same(twin: str, differs: bool, tmp_path: Path) -> None:
    failure, _ = failure_of(CASE, twin, CASE.files, Sandbox(tmp_path, counting))
    assert (failure is not None) == differs
    assert failure is None or failure.key == ("another result in another form", f"score, {twin}")


def test_a_process_that_dies_is_a_finding_and_the_others_cases_are_run(tmp_path: Path) -> None:
    campaign = Campaign(1, 4, 1, tmp_path, dying)
    campaign.run()
    assert campaign.done == 4
    (finding,) = campaign.findings.values()
    assert (finding.failure.kind, finding.number) == ("crash", 1_000_000)
    assert "exit code 3" in finding.failure.where
    assert (tmp_path / findings.slug(finding) / "command.sh").exists()


def test_a_small_run_from_the_command_line(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "fuzz.run", "--seed", "7", "--cases", "4", "--workers", "1", "--output", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "seed 7" in ran.stdout
    assert "4 cases in" in ran.stdout
    assert ran.stdout.endswith("nothing found\n")


@pytest.mark.parametrize("code", [130, 143])
def test_a_run_that_was_told_to_end_is_no_finding(code: int, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Sandbox(tmp_path, raising(SystemExit(code))).run(CASE)
