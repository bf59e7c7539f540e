"""Entity scores from files to printed scores, against seqeval, nervaluate and a loop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import data
from measure import Job, Run, counted, done, largest, measure, slicewise, smallest, work
from report import Check, Comparison, Section, at_least

from sections.names import INTERVALS, LOOP, PLAIN, SPLIT
from sections.per_item import START, per_item, per_item_table, steady

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data import Files
    from measure import Size
    from plan import Plan

COPIES = (42, 137, 420)  # of the news: 0.46, 1.5 and 4.6 million tokens
REPORT, F1, NERVALUATE = "seqeval report", "seqeval f1_score", "nervaluate"


def section(plan: Plan) -> Section:
    """Measure one system at three sizes in turn."""
    files = {_tokens(copies): data.entities(plan.folder, copies=copies) for copies in plan.sizes(COPIES)}
    jobs = {START: _ours(data.two_documents(plan.folder))}
    measured = measure(jobs | {size: _ours(some) | _others(some) for size, some in files.items()}, plan.repetitions)
    each = per_item(measured, (PLAIN, INTERVALS))
    start = measured.pop(START)[PLAIN]
    few, fewest = smallest(measured)
    checks = [
        _same_f1(files[few], fewest),
        *_against_seqeval(*largest(measured)),
        *steady(each, "token"),
    ]
    text = (
        "From two CoNLL files to printed scores, starting Python included: the example news (test set and output of "
        "crf.1) repeated, its documents numbered and in another order each time. seqeval, nervaluate and the loop get "
        "the tags from a plain loop over the lines; the loop makes sets of spans and counts them by label. Slicewise "
        "also prints kinds of error, repairs, the four ways of SemEval and confusions, which the others do not, except "
        f"that nervaluate has the four ways. Start-up, on two documents: {start.cpu:.2f} s CPU, "
        f"{start.megabytes:,.0f} MB."
    )
    peers = (REPORT, F1, NERVALUATE, LOOP)
    compared = Comparison("Entity scores", measured, PLAIN, peers, SPLIT, unit="tokens")
    return Section("Entity scores", text, [compared], checks, [per_item_table(each, "token", "ns", 1e9)])


def _tokens(copies: int) -> Size:
    return counted(copies * data.TOKENS_IN_NEWS, "tokens")


def _ours(files: Files) -> dict[str, Job]:
    command = ("score", *files.options)
    return {PLAIN: slicewise(*command, "--resamples", "0"), INTERVALS: slicewise(*command)}


def _others(files: Files) -> dict[str, Job]:
    return {
        REPORT: work("entities.seqeval_report", *files.paths),
        F1: work("entities.seqeval_f1", *files.paths),
        NERVALUATE: work("entities.nervaluate", *files.paths),
        LOOP: work("entities.loop", *files.paths),
        SPLIT: work("reading.columns", *files.paths),
    }


def _against_seqeval(size: Size, runs: Mapping[str, Run]) -> list[Check]:
    """Check what is required at the largest size."""
    checks = [
        at_least(f"{size.shown}, less CPU than {REPORT}, {PLAIN}", runs[REPORT].cpu / runs[PLAIN].cpu, 15),
        at_least(f"{size.shown}, less CPU than {REPORT}, {INTERVALS}", runs[REPORT].cpu / runs[INTERVALS].cpu, 8),
    ]
    checks += [
        Check(
            f"{size.shown}, peak memory below {REPORT}'s, {name}",
            f"{runs[name].megabytes:,.0f} MB against {runs[REPORT].megabytes:,.0f}",
            runs[name].megabytes < runs[REPORT].megabytes,
        )
        for name in (PLAIN, INTERVALS)
    ]
    return checks


def _same_f1(files: Files, runs: Mapping[str, Run]) -> Check:
    """Compare the micro-F1 with seqeval's and the loop's, apart from what is measured."""
    printed = done(Job((*_ours(files)[PLAIN].command, "--json", "-")))
    ours = json.loads(printed)["result"]["systems"]["crf"]["micro"]["f1"]
    theirs = [float((runs[name].output.split() or ["nan"])[0]) for name in (F1, LOOP)]
    equal = all(abs(ours - other) < 1e-12 for other in theirs)
    shown = " and ".join(f"{value:.6f}" for value in (ours, *theirs))
    return Check("Entity F1 is seqeval's and the loop's", shown, equal)
