"""Runs the settings of claims in processes: a task is some runs of one setting."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from calibrate.catalogue import CLAIMS
from calibrate.claim import Claim, Counted, Setting
from calibrate.estimate import Estimate, estimate
from calibrate.seeds import generator

TASK = 20
"""Runs of a task."""
NOTHING: Counted = (0.0, 0.0)


@dataclass(frozen=True)
class Task:
    """Some runs of one setting, by names: functions do not travel between processes."""

    claim: str
    setting: str
    first: int
    stop: int


@dataclass(frozen=True)
class Counts:
    """What the runs of a task count, or why they failed."""

    task: Task
    runs: Sequence[Mapping[str, Counted]]
    seconds: float
    failed: str = ""


@dataclass(frozen=True)
class Simulated:
    """One setting: its figures, or why it failed."""

    claim: Claim
    setting: Setting
    runs: int
    figures: Mapping[str, Estimate]
    seconds: float
    failed: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether everything promised holds; None where nothing is promised."""
        states = [figure.holds for figure in self.figures.values()]
        if self.failed or False in states:
            return False
        return True if True in states else None


def simulate(
    claims: Sequence[Claim], scale: float, jobs: int, on_setting: Callable[[Simulated], None] = lambda _: None
) -> list[Simulated]:
    """Run all settings of the claims, `scale` times as often as they ask for."""
    keys = [(claim, setting) for claim in claims for setting in claim.settings]
    tasks = [task for claim, setting in keys for task in _tasks(claim, setting, claim.runs_of(setting, scale))]
    waiting = {(claim.name, setting.name): claim.runs_of(setting, scale) for claim, setting in keys}
    parts: dict[tuple[str, str], list[Counts]] = {key: [] for key in waiting}
    results: dict[tuple[str, str], Simulated] = {}
    for counts in _all_performed(tasks, jobs):
        key = (counts.task.claim, counts.task.setting)
        parts[key].append(counts)
        waiting[key] -= counts.task.stop - counts.task.first
        if waiting[key] == 0:
            results[key] = _summary(parts.pop(key))
            on_setting(results[key])
    return [results[claim.name, setting.name] for claim, setting in keys]


def simulated(claim: str, setting: str, runs: int) -> Simulated:
    """Return one setting of a claim after some runs, made in this process."""
    return _summary([performed(Task(claim, setting, 0, runs))])


def performed(task: Task) -> Counts:
    """Make the runs of a task; an error ends it and is kept: the other settings shall be simulated."""
    setting = _setting(task)
    begun = time.perf_counter()
    runs: list[Mapping[str, Counted]] = []
    try:
        for run in range(task.first, task.stop):
            runs.append(setting.run(generator(task.claim, task.setting, run)))  # noqa: PERF401 (those before an error are kept)
    except Exception as error:  # whatever it is, it is reported with the setting
        return Counts(task, runs, time.perf_counter() - begun, f"{type(error).__name__}: {error}")
    return Counts(task, runs, time.perf_counter() - begun)


def _tasks(claim: Claim, setting: Setting, runs: int) -> list[Task]:
    starts = range(0, runs, TASK)
    return [Task(claim.name, setting.name, first, min(first + TASK, runs)) for first in starts]


def _all_performed(tasks: Sequence[Task], jobs: int) -> Iterator[Counts]:
    """Yield the counts of tasks as they come; fresh processes, as threads of Polars do not survive a fork."""
    if jobs == 1:
        yield from map(performed, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(performed, tasks)


def _setting(task: Task) -> Setting:
    return next(setting for setting in CLAIMS[task.claim].settings if setting.name == task.setting)


def _summary(parts: Sequence[Counts]) -> Simulated:
    """Add up the tasks of one setting, in the order of their runs."""
    parts = sorted(parts, key=lambda counts: counts.task.first)
    claim, setting = CLAIMS[parts[0].task.claim], _setting(parts[0].task)
    runs = [run for counts in parts for run in counts.runs]
    named = [name for name in claim.figures if any(run.get(name, NOTHING)[1] for run in runs)]
    figures = {name: estimate([run.get(name, NOTHING) for run in runs], claim.promise(setting, name)) for name in named}
    failed = next((counts.failed for counts in parts if counts.failed), "")
    return Simulated(claim, setting, len(runs), figures, sum(counts.seconds for counts in parts), failed)
