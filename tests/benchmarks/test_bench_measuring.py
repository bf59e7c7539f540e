"""Jobs are measured with all they start, and one that fails does not lose the others."""

from __future__ import annotations

import json
import subprocess
import time
from math import isnan
from typing import TYPE_CHECKING, Any

from support.bench_modules import in_benchmarks

if TYPE_CHECKING:
    from pathlib import Path

BUSY = "import time; [0 for _ in iter(lambda: time.process_time() < 0.5, False)]"


def measured(script: str) -> Any:
    """Run a script that makes jobs, measure them three times over, and return their runs by name."""
    told = in_benchmarks(
        "import json\nfrom dataclasses import asdict\nimport measure\n"
        "from measure import PYTHON, Job, Size, work\n"
        f"{script}\n"
        "runs = measure.measure({Size(1, 'one'): jobs}, 3)\n"
        "print(json.dumps({name: asdict(run) for name, run in runs[Size(1, 'one')].items()}))"
    )
    return json.loads(told)


def test_a_failing_job_says_its_last_line_and_the_others_keep_their_figures() -> None:
    runs = measured(
        "jobs = {'bad': Job((PYTHON, '-c', 'import sys; print(1, file=sys.stderr); sys.exit(\"no | luck\")')),"
        " 'absent': Job(('/no/such/program',)), 'good': Job((PYTHON, '-c', 'print(7)'))}"
    )
    assert runs["bad"]["failed"] == "no | luck"
    assert isnan(runs["bad"]["cpu"])
    assert "No such file" in runs["absent"]["failed"]
    assert runs["good"]["output"] == "7\n"
    assert runs["good"]["times"] == 3
    assert runs["good"]["cpu"] > 0
    assert 3 < runs["good"]["megabytes"] < 200


def test_runs_that_print_different_things_have_failed() -> None:
    runs = measured("jobs = {'clock': Job((PYTHON, '-c', 'import time; print(time.time_ns())'))}")
    assert runs["clock"]["failed"] == "its runs do not print the same"


def test_a_job_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    command = f"sleep 600 & echo $! > {tmp_path}/child; sleep 600"
    runs = measured(f"measure.LIMIT = 1\njobs = {{'long': Job(('/bin/sh', '-c', {command!r}))}}")
    assert runs["long"]["failed"] == "took more than 1 s"
    child = (tmp_path / "child").read_text().strip()
    for _ in range(100):
        if ended(child):
            return
        time.sleep(0.1)
    raise AssertionError("what it started goes on")


def ended(process: str) -> bool:
    """Return whether a process is gone, or has only not been asked for its exit code."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", process], capture_output=True, text=True, check=False).stdout
    return state.strip()[:1] in ("", "Z")


def test_a_long_job_is_not_repeated() -> None:
    runs = measured("measure.ENOUGH = 0.01\njobs = {'long': Job((PYTHON, '-c', 'pass'))}")
    assert runs["long"]["times"] == 1


def test_what_a_job_leaves_running_is_counted() -> None:
    left = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BUSY!r}])"
    runs = measured(f"jobs = {{'left': Job((PYTHON, '-c', {left!r}))}}")
    assert runs["left"]["cpu"] > 0.4
