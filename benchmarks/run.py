"""Measure Slicewise against its peers and against what it promises.

`python benchmarks/run.py [--quick] [--only SECTION]`. Exit code 1: a requirement does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import data
from measure import KILOBYTES, PYTHON, Job, Run, measure, of_size, run, sized, slicewise, work
from report import Check, Section, at_least, at_most, page, table
from systems import against_each_other
from worst_features import worst_features

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COPIES = (42, 137, 420)  # of the news: 0.46, 1.5 and 4.6 million tokens
STARTS = 7  # starting up is short and varies: more runs

NAMED_COPIES = (5, 50)  # of the news with its training data: 55,000 and 204,000 tokens, and ten times as many

PLAIN, INTERVALS = "slicewise, no intervals", "slicewise, 1,000 resamples"
BY_SENTENCE = "slicewise, 1,000 resamples of sentences"
START = "start-up"
REPORT, F1, NERVALUATE, SPLIT = "seqeval report", "seqeval f1_score", "nervaluate", "read and split (Polars)"


def entities(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure entity scores from files to printed scores, at three sizes in turn."""
    jobs = sized(START, _ours(data.two_documents(folder)))
    for copies in COPIES:
        files = data.entities(folder, copies=copies)
        jobs |= sized(_tokens(copies), _ours(files) | _peers(files))
        if copies == COPIES[0]:
            smallest = files
            jobs |= sized(_tokens(copies), {NERVALUATE: work("nervaluate", str(files.gold), str(files.system))})
    measured = measure(jobs, repetitions)
    by_size = {size: of_size(size, measured) for size, _ in jobs}
    start = by_size.pop(START)
    runs = by_size[_tokens(COPIES[-1])]
    per_token = [
        {
            name: (by_size[_tokens(copies)][name].cpu - start[name].cpu) / (copies * data.TOKENS_IN_NEWS)
            for name in (PLAIN, INTERVALS)
        }
        for copies in COPIES
    ]
    checks = [_same_f1(smallest, by_size[_tokens(COPIES[0])][F1].output), *_against_seqeval(runs)]
    for name in (PLAIN, INTERVALS):
        growth = max(after[name] / before[name] for before, after in pairwise(per_token))
        growth = max(growth, per_token[-1][name] / per_token[0][name])
        checks.append(at_most(f"Largest growth of CPU per token with the size, {name}", growth, 1.3))
    nanoseconds = [
        f"| {_tokens(copies)} | {found[PLAIN] * 1e9:.0f} | {found[INTERVALS] * 1e9:.0f} |"
        for copies, found in zip(COPIES, per_token, strict=True)
    ]
    head = f"CPU per token beyond start-up, in ns:\n\n| size | {PLAIN} | {INTERVALS} |\n|---:|---:|---:|\n"
    text = (
        "From two CoNLL files to printed scores, starting Python included: the example news (test set and output of "
        "crf.1) repeated, its documents numbered and in another order each time. seqeval and nervaluate get the tags "
        "from a plain loop over the lines. nervaluate is measured at the smallest size only. Slicewise also prints "
        "kinds of error, repairs, the four ways of SemEval and confusions, which seqeval does not. Start-up, on two "
        f"documents: {start[PLAIN].cpu:.2f} s CPU, {start[PLAIN].megabytes:,.0f} MB."
    )
    tables = [f"{size}:\n\n{table(found, PLAIN)}" for size, found in by_size.items()]
    return Section("Entity scores", text, [*tables, head + "\n".join(nanoseconds)]), checks


def _tokens(copies: int) -> str:
    return f"{copies * data.TOKENS_IN_NEWS:,} tokens"


def _peers(files: data.Pair) -> dict[str, Job]:
    paths = (str(files.gold), str(files.system))
    return {
        REPORT: work("seqeval-report", *paths),
        F1: work("seqeval-f1", *paths),
        SPLIT: work("polars-split", *paths),
    }


def _ours(files: data.Pair) -> dict[str, Job]:
    command = ("score", "--gold", str(files.gold), "--system", f"crf={files.system}")
    return {PLAIN: slicewise(*command, "--resamples", "0"), INTERVALS: slicewise(*command)}


def _against_seqeval(runs: Mapping[str, Run]) -> list[Check]:
    """Check what is required at the largest size."""
    size = f"{COPIES[-1] * data.TOKENS_IN_NEWS / 1e6:.1f} million tokens"
    checks = [
        at_least(f"{size}, less CPU than {REPORT}, no intervals", runs[REPORT].cpu / runs[PLAIN].cpu, 15),
        at_least(f"{size}, less CPU than {REPORT}, 1,000 resamples", runs[REPORT].cpu / runs[INTERVALS].cpu, 8),
    ]
    checks += [
        Check(
            f"{size}, peak memory below {REPORT}'s, {name}",
            f"{runs[name].megabytes:,.0f} MB against {runs[REPORT].megabytes:,.0f}",
            runs[name].megabytes < runs[REPORT].megabytes,
        )
        for name in (PLAIN, INTERVALS)
    ]
    return checks


def _same_f1(files: data.Pair, theirs: str) -> Check:
    """Compare the micro-F1 with seqeval's, apart from what is measured."""
    job = _ours(files)[PLAIN]
    printed = run(Job((*job.command, "--json", "-")))
    ours = json.loads(printed.output)["result"]["systems"]["crf"]["micro"]["f1"]
    equal = abs(ours - float(theirs)) < 1e-12
    return Check("Entity F1 is seqeval's", f"{ours:.6f} and {float(theirs):.6f}", equal)


def resamples(_: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure the bootstrap alone."""
    grouped, ours = "slicewise, as `score` does it (10,000 groups)", "slicewise, every sentence for itself"
    gathered = "numpy: gather the drawn rows, `table[drawn]`"
    runs = measure(
        {
            grouped: work("resamples-grouped", timed=True),
            ours: work("resamples-slicewise", timed=True),
            gathered: work("resamples-gathered", timed=True),
            "numpy: gather them with `take`": work("resamples-taken", timed=True),
            "numpy: count, then multiply": work("resamples-counted", timed=True),
        },
        repetitions,
    )
    values = {run.output for name, run in runs.items() if name != grouped}
    cpu, wall = runs[gathered].cpu / runs[grouped].cpu, runs[gathered].wall / runs[grouped].wall
    checks = [
        Check(
            "Resampled sums are those of gathering",
            "equal to the last bit" if len(values) == 1 else "different",
            len(values) == 1,
        ),
        at_least("Resampling as `score` does it, less CPU than gathering by `table[drawn]`", cpu, 15),
        at_least("Resampling as `score` does it, less wall time than gathering by `table[drawn]`", wall, 15),
    ]
    alone = runs[gathered].cpu / runs[ours].cpu
    text = (
        "10 systems × 50,000 sentences × 3 statistics, 1,000 paired draws. CPU and wall of drawing and summing alone, "
        "taken inside the process, without starting Python and making the table; peak MB is that of the whole process. "
        "The requirement is about the plain way to gather, `table[drawn]`; `take` is faster. `slicewise score` puts "
        "more than 10,000 clusters into 10,000 groups and draws groups, which is why it needs so much less; without "
        f"groups it would need {alone:.1f} times less CPU than gathering, for the same draws and the same values."
    )
    return Section("Resamples", text, [table(runs, grouped)]), checks


def start_up(_: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure how long it takes until anything happens."""
    shown, imported = "slicewise --help", "python -c 'import slicewise'"
    runs = measure(
        {
            shown: slicewise("--help"),
            imported: Job((PYTHON, "-c", "import slicewise")),
            "python -c pass": Job((PYTHON, "-c", "pass")),
        },
        max(repetitions, STARTS),
    )
    checks = [at_most(f"CPU of `{shown}`", runs[shown].cpu, 0.6, " s")]
    checks.append(at_most(f"CPU of `{imported}`", runs[imported].cpu, 0.5, " s"))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILOBYTES / 1024
    text = (
        f"Median of {max(repetitions, STARTS)} runs. Peaks below {own:.0f} MB cannot be seen: that is the process that "
        "measures, and a process inherits the peak of the one that started it."
    )
    return Section("Start-up", text, [table(runs, shown, digits=3)]), checks


def comparisons(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure ten systems with all paired tests."""
    copies = 61
    gold, systems = data.ten_systems(folder, copies=copies)
    command = ["score", "--gold", str(gold)]
    for name, path in systems.items():
        command += ["--system", f"{name}={path}"]
    full = "slicewise, 1,000 resamples and tests"
    runs = measure(
        {full: slicewise(*command), "slicewise, no intervals, no tests": slicewise(*command, "--resamples", "0")},
        repetitions,
    )
    text = (
        f"10 systems × {copies * data.SENTENCES_IN_NEWS:,} sentences of the repeated news "
        f"({copies * data.TOKENS_IN_NEWS:,} tokens each), from files to printed scores, intervals and the paired "
        "tests of 45 pairs. Measured without a peer."
    )
    return Section("Ten systems, compared", text, [table(runs, full)]), []


def labels(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure one label per item against scikit-learn."""
    items = 1_000_000
    files = data.labels(folder, items=items)
    ours = "slicewise, no intervals"
    command = ("score", "--task", "labels", "--gold", str(files.gold), "--system", f"system={files.system}")
    runs = measure(
        {
            ours: slicewise(*command, "--resamples", "0"),
            "slicewise, 1,000 resamples": slicewise(*command),
            "scikit-learn report": work("sklearn-report", str(files.gold), str(files.system)),
        },
        repetitions,
    )
    text = f"{items:,} items with one of ten labels, one a line, from files to the printed report."
    return Section("Labels", text, [table(runs, ours)]), []


def breakdowns(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure all attributes of twelve systems, at two sizes."""
    jobs: dict[tuple[str, str], Job] = {}
    sizes = {}
    for copies in NAMED_COPIES:
        gold, train, systems = data.twelve_systems(folder, copies=copies)
        tokens = f"{copies * data.TOKENS_IN_NEWS:,} tokens, {copies * data.TOKENS_IN_TRAINING:,} of training"
        sizes[copies] = tokens
        command = ["buckets", "--gold", str(gold), "--train", str(train)]
        for name, path in systems.items():
            command += ["--system", f"{name}={path}"]
        jobs |= sized(tokens, {PLAIN: slicewise(*command, "--resamples", "0"), INTERVALS: slicewise(*command)})
        jobs |= sized(tokens, {BY_SENTENCE: slicewise(*command, "--cluster", "item")})
    measured = measure(jobs, repetitions)
    by_size = {size: of_size(size, measured) for size in sizes.values()}
    small, large = (by_size[sizes[copies]] for copies in NAMED_COPIES)
    what = "All attributes × 12 systems, CPU with start-up"
    checks = [
        at_most(f"{what}, {PLAIN}", small[PLAIN].cpu, 3, " s"),
        at_most(f"{what}, {INTERVALS}", small[INTERVALS].cpu, 6, " s"),
        at_most(f"Ten times the data, {PLAIN}", large[PLAIN].cpu / small[PLAIN].cpu, 11, " times the CPU"),
        at_most(f"Ten times the data, {INTERVALS}", large[INTERVALS].cpu / small[INTERVALS].cpu, 11, " times the CPU"),
    ]
    text = (
        "`slicewise buckets` from files to printed tables: the example news (training and test) repeated, the names of "
        "its entities changed in each copy; all attributes, the seven outputs and five mixed from them, with 1,000 "
        "resamples and the paired tests of 66 pairs in every bucket of every attribute. Documents are resampled, or "
        "every sentence for itself. No other tool does this; measured without a peer."
    )
    return Section("Buckets", text, [f"{size}:\n\n{table(found, PLAIN)}" for size, found in by_size.items()]), checks


def texts(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure BLEU and chrF of two systems against sacreBLEU, which makes the statistics of both."""
    sentences, words = 3_000, 25
    gold, systems = data.translations(folder, sentences=sentences, words=words)
    command = ["score", "--task", "text", "--gold", str(gold), "-m", "bleu", "-m", "chrf"]
    for name, path in systems.items():
        command += ["--system", f"{name}={path}"]
    runs = measure(
        {
            PLAIN: slicewise(*command, "--resamples", "0"),
            INTERVALS: slicewise(*command),
            "sacreBLEU, corpus scores": work("sacrebleu", str(gold), *map(str, systems.values())),
        },
        repetitions,
    )
    text = (
        f"BLEU and chrF of 2 systems × {sentences:,} sentences of {words} words, from files to printed scores: the "
        "English of the example translations, with words left out, replaced and inserted. sacreBLEU scores each system "
        "once, without intervals and tests: Slicewise calls it too, so it cannot need less."
    )
    return Section("Translations", text, [table(runs, PLAIN)]), []


SECTIONS: dict[str, Callable[[Path, int], tuple[Section, list[Check]]]] = {
    "start-up": start_up,
    "entities": entities,
    "resamples": resamples,
    "comparisons": comparisons,
    "labels": labels,
    "buckets": breakdowns,
    "features": worst_features,
    "systems": against_each_other,
    "texts": texts,
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="measure once instead of three times")
    options.add_argument("--only", choices=SECTIONS, metavar="SECTION", help=f"print one: {', '.join(SECTIONS)}")
    options.add_argument("--output", type=Path, help="file to write; RESULTS.md unless --only is given")
    given = options.parse_args()
    repetitions = 1 if given.quick else 3
    load = os.getloadavg()[0]
    sections: list[Section] = []
    checks: list[Check] = []
    with tempfile.TemporaryDirectory() as name:
        for section in [given.only] if given.only else SECTIONS:
            measured, found = SECTIONS[section](Path(name), repetitions)
            sections.append(measured)
            checks += found
    text = page(sections, checks, repetitions, load)
    output = given.output or (None if given.only else Path(__file__).with_name("RESULTS.md"))
    if output:
        output.write_text(text, encoding="utf-8")
    else:
        print(text)
    for check in checks:
        print(f"{'PASS' if check.passed else 'FAIL'}  {check.requirement}; measured {check.found}")
    return 0 if all(check.passed for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
