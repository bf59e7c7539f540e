"""Attack the command line with damaged files and absurd options.

`python -m fuzz.run [--seed N] [--cases N] [--case NUMBER]`. Exit code 1: something was found.
"""

from __future__ import annotations

import argparse
import os
import resource
import secrets
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz import findings
from fuzz.attack import Finding, examine, minimised
from fuzz.execute import Sandbox, prepare
from fuzz.generate import CASES_OF_A_SEED, plan
from fuzz.oracle import Failure
from fuzz.worker import Key, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess

    Work = Callable[[range, set[Key], Connection], None]

SILENT = 400.0
"""Seconds after which a process that says nothing is ended."""
EVERY = 10.0
"""Seconds between two lines of progress."""


def main() -> int:
    """Run cases and say what was found."""
    given = _options()
    for variable in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # read when they are loaded; cases are small, and processes several
    if given.case is not None:
        return _one(given.case, given.output)
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    print(f"seed {seed}: cases {seed * CASES_OF_A_SEED} and on; repeat with make fuzz SEED={seed}", flush=True)
    campaign = Campaign(seed, given.cases, given.workers, given.output)
    campaign.run()
    campaign.summarise()
    return 1 if campaign.findings else 0


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, metavar="N", help="of the run; a fresh one")
    options.add_argument("--cases", type=int, default=30_000, metavar="N", help="how many; 30,000")
    options.add_argument("--case", type=int, metavar="NUMBER", help="this case alone")
    options.add_argument("--workers", type=int, default=2, metavar="N", help="processes; 2")
    options.add_argument("--output", type=Path, default=Path("out/fuzz"), metavar="FOLDER", help="where findings go")
    return options.parse_args()


def _one(number: int, output: Path) -> int:
    """Run one case, and show it."""
    prepare()
    print(plan(number).case.line)
    with tempfile.TemporaryDirectory(prefix="fuzz.") as folder:
        sandbox = Sandbox(Path(folder))
        finding, outcome = examine(number, sandbox)
        if finding is None:
            print(f"nothing wrong: exit code {outcome.code}\n{outcome.err}", end="")
            return 0
        finding = minimised(finding, sandbox)
    print(f"{findings.text(finding)}\n{findings.write(finding, output)}")
    return 1


class Campaign:
    """A run of many cases in several processes."""

    def __init__(self, seed: int, cases: int, workers: int, output: Path, target: Work = work) -> None:
        self.numbers = range(seed * CASES_OF_A_SEED, seed * CASES_OF_A_SEED + cases)
        self.findings: dict[Key, Finding] = {}
        self._times: Counter[Key] = Counter()
        self._codes: Counter[int | None] = Counter()
        self._workers, self._output, self._target = workers, output, target
        self._began = self._told = time.monotonic()
        self._processes: dict[Connection, _Process] = {}

    @property
    def done(self) -> int:
        """How many cases were run."""
        return sum(self._codes.values())

    def run(self) -> None:
        """Run all cases."""
        for i in range(self._workers):
            self._start(self.numbers[i :: self._workers])
        try:
            while self._processes:
                for pipe in wait(list(self._processes), timeout=1):
                    assert isinstance(pipe, Connection)
                    self._hear(pipe)
                self._end_silent()
                if time.monotonic() - self._told > EVERY:
                    self._progress()
        except KeyboardInterrupt:
            print("stopped", flush=True)
        finally:
            for process in self._processes.values():
                process.process.kill()

    def summarise(self) -> None:
        """Say what was found."""
        self._progress()
        codes = ", ".join(f"{n:,} {_ended(code)}" for code, n in sorted(self._codes.items(), key=lambda x: -x[1]))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        times = f"{time.monotonic() - self._began:,.0f} s, {used.ru_utime + used.ru_stime:,.0f} s of CPU"
        print(f"{self.done:,} cases in {times}: {codes}")
        for key, finding in sorted(self.findings.items(), key=lambda x: -self._times[x[0]]):
            print(f"\n{self._times[key]:,} × {key[0]}: {key[1]}\n  {self._output / findings.slug(finding)}")
            print(f"  {finding.case.line[:400]}")
        print(f"\n{len(self.findings)} found" if self.findings else "nothing found")

    def _start(self, numbers: range) -> None:
        context = get_context("spawn")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=self._target, args=(numbers, set(self.findings), there), daemon=True)
        process.start()
        there.close()
        self._processes[here] = _Process(process, numbers, time.monotonic())

    def _hear(self, pipe: Connection) -> None:
        process = self._processes[pipe]
        try:
            message: tuple[Any, ...] = pipe.recv()
        except (EOFError, OSError):
            self._died(pipe, "the process died")
            return
        process.heard = time.monotonic()
        if message[0] == "begin":
            process.number = message[1]
        elif message[0] == "end":
            self._codes[message[1]] += 1
            if message[2] is not None:
                self._keep(message[2])
        else:
            del self._processes[pipe]
            process.process.join()

    def _keep(self, finding: Finding) -> None:
        """Count a finding; of the same ones the first is kept, which was made small."""
        key = finding.failure.key
        self._times[key] += 1
        if key not in self.findings:
            self.findings[key] = finding
            place = findings.write(finding, self._output)
            print(f"case {finding.number}: {key[0]}: {key[1]}\n  {place}", flush=True)

    def _end_silent(self) -> None:
        for pipe, process in list(self._processes.items()):
            if time.monotonic() - process.heard > SILENT:
                process.process.kill()
                self._died(pipe, "the process hung")

    def _died(self, pipe: Connection, how: str) -> None:
        """Note the case that ended a process, and go on with the next in another."""
        process = self._processes.pop(pipe)
        process.process.join()
        how = f"{how}, exit code {process.process.exitcode}"
        self._codes[None] += 1
        failed = plan(process.number)
        failure = Failure("crash", f"{how}, {failed.case.command}", "")
        self._keep(Finding(process.number, failure, failed.case, tuple(m.name for m in failed.mutations), failed.twin))
        rest = process.numbers[process.numbers.index(process.number) + 1 :]
        if rest:
            self._start(rest)

    def _progress(self) -> None:
        self._told = time.monotonic()
        rate = self.done / (self._told - self._began)
        total = len(self.numbers)
        print(
            f"{self.done:,} of {total:,} cases, {rate:.0f} a second, {len(self.findings)} different failures",
            flush=True,
        )


class _Process:
    """A process, what it works on, and when it was heard last."""

    def __init__(self, process: BaseProcess, numbers: range, heard: float) -> None:
        self.process, self.numbers, self.heard = process, numbers, heard
        self.number = numbers[0]


def _ended(code: int | None) -> str:
    return "raised" if code is None else {0: "succeeded", 2: "refused"}.get(code, f"ended with {code}")


if __name__ == "__main__":
    sys.exit(main())
