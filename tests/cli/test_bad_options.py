"""Wrong options, settings and outputs through the real command."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.commands import Ran, Run, Write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nin\tO\nRome\tB-LOC\n"
DATA = ("--gold", "g.conll", "--system", "s=g.conll")
LABELS = ("--gold", "l.txt", "--system", "s=l.txt")
NUMBERS = ("--system", "s=n.txt", "--task", "scores")

CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "missing gold": (("score", "--gold", "x.conll", "--system", "s=g.conll"), r"x\.conll: no such file"),
    "missing system": (("score", "--gold", "g.conll", "--system", "s=x.conll"), r"x\.conll: no such file"),
    "missing folder": (
        ("score", "--gold", "g.conll", "--system", "s=no/x.conll"),
        r"no/x\.conll: no such file \(and no folder 'no'\)",
    ),
    "missing input": (("score", *LABELS, "--input", "x.txt"), r"x\.txt: no such file"),
    "missing training file": (("score", *DATA, "--train", "x.txt"), r"x\.txt: no such file"),
    "missing matrix": (("score", "--matrix", "x.csv"), r"x\.csv: no such file"),
    "missing settings": (("score", "--config", "x.toml"), r"x\.toml: "),
    "folder as gold": (("score", "--gold", "folder", "--system", "s=g.conll"), r"folder: is a folder"),
    "unknown metric": (
        ("score", *DATA, "--metric", "exact-macth"),
        r"unknown metric 'exact-macth'; did you mean 'exact-match'\?",
    ),
    "metric of another task": (
        ("score", *DATA, "--metric", "kappa"),
        r"the metric 'kappa' is for labels.*, but the task is spans",
    ),
    "text without metric": (("score", *LABELS, "--task", "text"), r"the task text needs a metric; add --metric"),
    "unknown column": (
        ("score", "--gold", "t.csv:lable", "--system", "s=t.csv:label"),
        r"t\.csv: no column 'lable'; did you mean 'label'\?",
    ),
    "unknown option": (("score", *DATA, "--nosuch"), r".*--nosuch.*--help"),
    "unknown command": (("skore",), r".*skore"),
    "option without value": (("score", "--json", "-", "--gold"), r".*--gold.*--help"),
    "stray argument": (("score", *DATA, "stray"), r".*stray.*--help"),
    "no system": (("score", "--gold", "g.conll"), r"no system to evaluate; add --system"),
    "nothing at all": (("score",), r"no system to evaluate; add --system"),
    "no name before =": (
        ("score", "--gold", "g.conll", "--system", "=g.conll"),
        r"'=g\.conll' is not of the form NAME=FILE",
    ),
    "no file after =": (("score", "--gold", "g.conll", "--system", "s="), r"'s=' is not of the form NAME=FILE"),
    "a long name": (("score", *DATA, "--map", "9" * 2000), r"'9{59}…' is not of the form OLD=NEW"),
    "no = in map": (("score", *DATA, "--map", "PER"), r"'PER' is not of the form OLD=NEW"),
    "reserved name": (("score", "--gold", "g.conll", "--system", "gold=g.conll"), r"a system cannot be called 'gold'"),
    "reserved name in labels": (
        ("score", "--gold", "l.txt", "--system", "gold=l.txt"),
        r"a system cannot be called 'gold'",
    ),
    "blank name": (("score", "--gold", "g.conll", "--system", " =g.conll"), r"a system cannot be called ' '"),
    "a name that is a restart's": (
        ("score", "--gold", "g.conll", "-s", "s=g.conll", "-s", "s=g.conll", "-s", "s#1=g.conll"),
        r"two systems have the same name",
    ),
    "two columns of one name": (
        ("score", "--matrix", "m.csv", "--system-names", "A,A"),
        r"m\.csv: two columns have the same name",
    ),
    "too many names": (("score", "--matrix", "m.csv", "--system-names", "A,B,C"), r"m\.csv: 2 columns .*3 names"),
    "reserved name in a matrix": (
        ("score", "--matrix", "m.csv", "--system-names", "A,gold"),
        r"a system cannot be called 'gold'",
    ),
    "matrix and gold": (("score", "--matrix", "m.csv", "--gold", "g.conll"), r"--matrix stands instead of --gold"),
    "matrix and system": (
        ("score", "--matrix", "m.csv", "--system", "s=g.conll"),
        r"--matrix stands instead of --gold",
    ),
    "negative seed": (("score", *DATA, "--seed", "-1"), r"seed is -1; expected 0 or more"),
    "seed a word": (("score", *DATA, "--seed", "x"), r".*--seed.*--help"),
    "negative resamples": (("score", *DATA, "--resamples", "-1"), r"resamples is -1; expected 0"),
    "resamples a fraction": (("score", *DATA, "--resamples", "1.5"), r".*--resamples.*--help"),
    "confidence 2": (("score", *DATA, "--confidence", "2"), r"confidence is 2; expected a share between 0 and 1"),
    "confidence 0": (("score", *DATA, "--confidence", "0"), r"confidence is 0;"),
    "confidence 1": (("score", *DATA, "--confidence", "1"), r"confidence is 1;"),
    "confidence NaN": (("score", *DATA, "--confidence", "nan"), r"confidence is nan"),
    "beta 0": (("score", *DATA, "--beta", "0"), r"beta is 0; expected a number above 0"),
    "beta negative": (("score", *DATA, "--beta", "-1"), r"beta is -1;"),
    "beta NaN": (("score", *DATA, "--beta", "nan"), r"beta is nan"),
    "beta infinite": (("score", *DATA, "--beta", "inf"), r"beta is inf"),
    "f0": (("score", *DATA, "--metric", "f0"), r"unknown metric 'f0'"),
    "unknown task": (("score", *DATA, "--task", "span"), r"unknown task 'span'; did you mean 'spans'\?"),
    "unknown format": (("score", *DATA, "--format", "conl"), r"unknown format 'conl'; did you mean 'conll'\?"),
    "unknown scheme": (("score", *DATA, "--scheme", "iob"), r"unknown tag scheme 'iob'; did you mean 'iob"),
    "unknown restarts": (
        ("score", *DATA, "--restarts", "frist"),
        r"unknown value 'frist' for restarts; did you mean 'first'\?",
    ),
    "unknown cluster": (
        ("score", *DATA, "--cluster", "itme"),
        r"g\.conll: no field 'itme' to cluster by; did you mean 'item'\?",
    ),
    "scores of words": (("score", "--system", "s=l.txt", "--task", "scores"), r"l\.txt:1: score 'a'"),
    "spans of labels": (("score", *LABELS, "--task", "spans"), r"l\.txt:1: tag 'a' has no known prefix"),
    "errors of scores": (
        ("units", *NUMBERS, "--with", "errors"),
        r"kinds of error are for spans, but the task is scores",
    ),
    "unknown group of columns": (
        ("units", *DATA, "--with", "bin"),
        r"unknown column group 'bin'; did you mean 'bins'\?",
    ),
    "errors of labels": (
        ("units", *LABELS, "--with", "errors"),
        r"kinds of error are for spans, but the task is labels",
    ),
    "unknown ending": (("units", *DATA, "-o", "out/units.xlsx"), r"out/units\.xlsx: unknown ending '\.xlsx'"),
    "no ending": (("units", *DATA, "-o", "out/units"), r"out/units: unknown ending ''"),
    "JSON into a missing folder": (
        ("score", *DATA, "--json", "no/x.json"),
        r"no/x\.json: cannot be written: 'no' is no folder",
    ),
    "JSON into a folder": (("score", *DATA, "--json", "folder"), r"folder: is a folder; name a file"),
    "JSON under a file": (("score", *DATA, "--json", "g.conll/x.json"), r"g\.conll/x\.json: cannot be written"),
    "CSV under a file": (("score", *DATA, "--csv", "g.conll/x"), r"g\.conll/x: cannot be written"),
    "CSV a file": (("score", *DATA, "--csv", "g.conll"), r"g\.conll: cannot be written"),
    "units into a missing folder": (("units", *DATA, "-o", "no/x.csv"), r"no/x\.csv: cannot be written"),
    "empty name of JSON": (("score", *DATA, "--json", ""), r".*"),
    "a folder as settings": (("score", "--config", "folder"), r"folder: cannot be read"),
}


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write("g.conll", GOLD)
    write("l.txt", "a\nb\na\n")
    write("n.txt", "1\n0\n1\n")
    write("t.csv", "id,label\n1,a\n2,b\n")
    write("m.csv", "0,1\n1,1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "out").mkdir()
    return tmp_path


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def check(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1, ran.err
    assert re.match(f"slicewise: {message}", ran.err), ran.err


@pytest.mark.parametrize("case", CASES)
def test_one_line_and_nothing_left(case: str, files: Path, run: Run) -> None:
    arguments, message = CASES[case]
    if not {"--json", "--csv"} & set(arguments):
        arguments = (*arguments, "--json", "-", "--csv", "out/tables")
    before = listing(files)
    check(run(*arguments), message)
    assert listing(files) == before


@pytest.mark.parametrize("name", ["gold", "item", "start", "end", "label", "group"])
@pytest.mark.parametrize("data", ["g.conll", "l.txt"])
def test_names_of_the_unit_table_are_reserved(name: str, data: str, files: Path, run: Run) -> None:
    check(run("score", "--gold", data, "--system", f"{name}={data}"), f"a system cannot be called '{name}'")


@pytest.mark.parametrize("name", ["cluster", "text", "bin", "error:s", "a.b", "a b", "ü", "s#1", "0", "in"])
@pytest.mark.parametrize("command", ["score", "units"])
def test_other_names_work_or_are_refused(name: str, command: str, files: Path, run: Run) -> None:
    extra = ("--with", "bins,errors") if command == "units" else ("--resamples", "0")
    ran = run(command, *DATA, "--system", f"{name}=g.conll", *extra, "--json", "-")
    if ran.code == 2:
        check(ran, f"a system cannot be called '{name}'")
        return
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["data"]["systems"] == ["s", name]
    if command == "units":
        assert all(row[name] is True and row["gold"] is True for row in found["result"]["units"])


def test_a_system_without_a_name_is_called_by_its_file_or_refused(files: Path, run: Run) -> None:
    """`--system FILE` alone names no system: it takes the file's stem, or is an error of one line."""
    ran = run("score", "--gold", "g.conll", "--system", "g.conll", "--resamples", "0", "--json", "-")
    if ran.code == 0:
        assert '"systems": [\n   "g"\n  ]' in ran.out
    else:
        check(ran, r"'g\.conll' is not of the form NAME=FILE")


SETTINGS: dict[str, tuple[str, str]] = {
    "invalid TOML": ("task = spans\n", r"c\.toml(:1)?: .*not valid TOML"),
    "unclosed": ('[[dataset]\nname = "x"\n', r"c\.toml(:1)?: .*not valid TOML"),
    "unknown key": ('tsak = "spans"\ngold = "g.conll"\n', r"c\.toml: unknown key 'tsak'; did you mean 'task'\?"),
    "unknown key of a data set": (
        '[[dataset]]\ngodl = "g.conll"\n',
        r"c\.toml: unknown key 'godl' in dataset.*; did you mean 'gold'\?",
    ),
    "wrong type": ("task = 3\n", r"c\.toml: key 'task'"),
    "seed a string": ('seed = "1"\n', r"c\.toml: key 'seed'"),
    "systems a list": ('[[dataset]]\ngold = "g.conll"\nsystems = ["g.conll"]\n', r"c\.toml: key 'systems'"),
    "a system's file a number": ('[[dataset]]\ngold = "g.conll"\n[dataset.systems]\ns = 3\n', r"c\.toml: key 's'"),
    "a missing file": ('gold = "g.conll"\n[systems]\ns = "x.conll"\n', r"(\./)?x\.conll: no such file"),
    "no systems": ('gold = "g.conll"\n', r".*no system to evaluate"),
    "no restarts": ('gold = "g.conll"\n[systems]\ns = []\n', r"the system 's' has no output"),
    "no restarts of one system": (
        'gold = "g.conll"\n[systems]\ns = "g.conll"\nx = []\n',
        r"the system 'x' has no output; name its file",
    ),
    "lists in lists": ("task = " + "[" * 500 + "]" * 500 + "\n", r"c\.toml: values within values, too deep"),
    "tables in tables": (
        "task = " + "{x=" * 5000 + "1" + "}" * 5000 + "\n",
        r"c\.toml: values within values, too deep",
    ),
    "a long dotted key": ("task" + ".a" * 5000 + " = 1\n", r"c\.toml: key 'task': .*; found values too deep"),
    "5,000 digits": ("resamples = 0\nseed = " + "1" * 5000 + "\n", r"c\.toml:2: a number with thousands of digits"),
    "5,000 hexadecimal digits": ("seed = 0x" + "f" * 5000 + "\n", r"c\.toml: key 'seed': .*less than 92233"),
    "digits in a list": ("cuts = {eLen = [0x" + "f" * 5000 + "]}\n", r"c\.toml: key 'eLen' in cuts: "),
    "a beta of 400 digits": ("beta = " + "1" * 400 + "\n", r"c\.toml: key 'beta': .*; found '1111"),
    "buckets of 5,000 digits": ('cuts = {eLen = "quantile(' + "1" * 5000 + ')"}\n', r"cuts of eLen: .* are no cuts"),
    "a file name too long": ('gold = "' + "a" * 5000 + '"\n[systems]\ns = "g.conll"\n', r"a+.*: no such file"),
    "an empty file name": ('gold = ""\n[systems]\ns = "g.conll"\n', r"an empty file name"),
    "a key with and without hyphen": (
        'strict-tokens = true\nstrict_tokens = false\ngold = "g.conll"\n',
        r"c\.toml: the key 'strict-tokens' is given twice",
    ),
    "a wrong metric": ('gold = "g.conll"\nmetric = "macro"\n[systems]\ns = "g.conll"\n', r".*unknown metric 'macro'"),
    "a wrong task": (
        'task = "span"\ngold = "g.conll"\n[systems]\ns = "g.conll"\n',
        r"c\.toml: unknown task 'span'; did you mean 'spans'\?",
    ),
    "a reserved name": ('gold = "g.conll"\n[systems]\ngold = "g.conll"\n', r".*a system cannot be called 'gold'"),
    "empty": ("", r".*"),
    "a data set that is no table": ("dataset = 3\n", r"c\.toml: key 'dataset'"),
    "a key twice": ('task = "spans"\ntask = "spans"\n', r"c\.toml(:2)?: .*not valid TOML"),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings(case: str, files: Path, run: Run) -> None:
    content, message = SETTINGS[case]
    (files / "c.toml").write_text(content, encoding="utf-8")
    before = listing(files)
    check(run("score", "--config", "c.toml", "--json", "out/x.json", "--csv", "out/tables"), message)
    assert listing(files) == before


def test_settings_in_latin_1(files: Path, run: Run) -> None:
    (files / "c.toml").write_bytes('name = "é"\n'.encode("latin-1"))
    check(run("score", "--config", "c.toml"), r"c\.toml: is not UTF-8")


def test_settings_behind_a_byte_order_mark(files: Path, run: Run) -> None:
    (files / "c.toml").write_text('gold = "g.conll"\n[systems]\ns = "g.conll"\n', encoding="utf-8-sig")
    assert run("score", "--config", "c.toml", "--resamples", "0").code == 0


def test_unknown_data_set(files: Path, run: Run) -> None:
    (files / "c.toml").write_text(
        '[[dataset]]\nname = "news"\ngold = "g.conll"\nsystems = {s = "g.conll"}\n', encoding="utf-8"
    )
    check(run("score", "--config", "c.toml", "--name", "nwes"), r"c\.toml: no data set 'nwes'; did you mean 'news'\?")


@pytest.fixture
def closed(files: Path) -> Iterator[Path]:
    folder = files / "closed"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield folder
    folder.chmod(stat.S_IRWXU)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("option", ["--json", "--csv"])
def test_no_permission(option: str, closed: Path, run: Run) -> None:
    check(run("score", *DATA, option, "closed/x.json"), r"closed/x\.json: cannot be written: no permission")


def test_no_permission_said_by_the_system(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a closed folder says when asked, also where the tests may write everywhere."""
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    check(run("score", *DATA, "--json", "out/x.json"), r"out/x\.json: cannot be written: no permission in 'out'")


def test_a_disk_that_fills_up(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    before = listing(files)
    ran = run("score", *DATA, "--resamples", "0", "--json", "out/x.json")
    assert ran.code == 2
    assert ran.err == "slicewise: out/x.json: cannot be written: No space left on device; choose another path\n"
    assert listing(files) == before


def test_a_failed_run_leaves_the_old_file_alone(files: Path, run: Run) -> None:
    (files / "out" / "x.json").write_text("old", encoding="utf-8")
    check(run("score", *DATA, "--metric", "nosuch", "--json", "out/x.json"), "unknown metric")
    assert (files / "out" / "x.json").read_text(encoding="utf-8") == "old"


# ------------------------------------------------------------------ a few as real processes

COMMAND = [sys.executable, "-m", "slicewise"]


@pytest.mark.parametrize("case", ["missing gold", "unknown option", "negative seed", "JSON into a missing folder"])
def test_as_a_process(case: str, files: Path) -> None:
    arguments, message = CASES[case]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=files)
    check(Ran(done.returncode, done.stdout, done.stderr), message)


def test_standard_input_that_is_empty(files: Path) -> None:
    arguments = [*COMMAND, "score", "--gold", "g.conll", "--system", "s=-"]
    done = subprocess.run(arguments, input="", capture_output=True, text=True, check=False, cwd=files)
    check(Ran(done.returncode, done.stdout, done.stderr), "standard input: the file is empty")
