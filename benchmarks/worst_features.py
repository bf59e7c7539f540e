"""Worst features: tokens, runs, shapes and pairs, against a loop over the items and against reading alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isclose
from typing import TYPE_CHECKING

import data
from measure import Job, Run, measure, of_size, sized, slicewise, work
from report import Check, Section, at_least, at_most, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ITEMS = (100_000, 300_000, 1_000_000)
TINY = 100  # what a command costs on so few items is its start-up
LEAST, TOP = 10, 20  # items with a feature; features compared with the loop's

TOKENS, RUNS, PAIRS = "slicewise, tokens", "slicewise, tokens, bigrams and shapes", "slicewise, tokens and pairs"
SPLIT, LOOP = "read and split (Polars)", "Python loop with dictionaries"
BY_FIELD = "the same, field by field"
START = "start-up"


@dataclass(frozen=True)
class Source:
    """A file of scored texts, and where the features go."""

    path: Path
    result: Path

    def ours(self, *options: str, least: int = LEAST) -> Job:
        """Return the command that ranks the features."""
        inputs = [part for field in data.FIELDS for part in ("--input", f"{self.path}:{field}")]
        command = ["features", "--task", "scores", *inputs, "--system", f"m={self.path}:score"]
        command += ["--tokenizer", "whitespace", "--min-count", str(least), *options]
        return slicewise(*command, "--json", str(self.result))


def worst_features(folder: Path, repetitions: int) -> tuple[Section, list[Check]]:
    """Measure features from a Parquet file to the printed list, at three sizes in turn."""
    sources = {items: Source(data.scored(folder, items=items), folder / f"{items}.json") for items in (TINY, *ITEMS)}
    jobs: dict[tuple[str, str], Job] = {}
    for items, source in sources.items():
        jobs |= sized(_size(items), {TOKENS: source.ours(), RUNS: _other(source).ours("--bigrams", "--shapes")})
        jobs |= sized(_size(items), {SPLIT: work("polars-split-fields", str(source.path))})
    pairs = _other(sources[ITEMS[0]]).ours("--pairs", "--min-pair-count", "50", least=50)
    jobs |= sized(_size(ITEMS[0]), {PAIRS: pairs})
    loops = {_size(items): work("loop-features", str(sources[items].path), str(LEAST), str(TOP)) for items in ITEMS}
    measured = measure(jobs, repetitions)
    by_field = {_size(items): work("loop-fields", str(sources[items].path), str(LEAST), str(TOP)) for items in ITEMS}
    for size, job in loops.items():  # once: it is long, and far away
        measured |= measure(sized(size, {LOOP: job, BY_FIELD: by_field[size]}), 1)
    found = {items: of_size(_size(items), measured) for items in sources}
    start = found.pop(TINY)
    per_item = {
        items: {name: (runs[name].cpu - start[name].cpu) / items for name in (TOKENS, RUNS)}
        for items, runs in found.items()
    }
    checks = [_same_list(sources, found), *_required(found), *_growth(per_item)]
    microseconds = [
        f"| {_size(items)} | {each[TOKENS] * 1e6:.2f} | {each[RUNS] * 1e6:.2f} |" for items, each in per_item.items()
    ]
    head = f"CPU per item beyond start-up, in µs:\n\n| size | {TOKENS} | {RUNS} |\n|---:|---:|---:|\n"
    text = (
        f"`slicewise features` from a Parquet file to the printed list and its JSON: 0/1 scores and three fields of "
        f"{data.FIELD_TOKENS} tokens, drawn by Zipf's law from {data.TYPES:,} types; features of at least {LEAST} "
        "items, pairs and their parts of at least 50, at the smallest size only. The loop goes from item to item, "
        "makes the set of its features, counts them and sums ranks in dictionaries, and takes the hypergeometric p "
        "from scipy, once for all features of equal counts; field by field it needs no names of features, the fastest "
        "loop we found. Both were measured once. Slicewise also corrects p, folds features of the same items, looks up "
        f"examples and scores the items without each feature. Start-up, on {TINY} items: {start[TOKENS].cpu:.2f} s "
        f"CPU, {start[TOKENS].megabytes:,.0f} MB."
    )
    tables = [f"{_size(items)}:\n\n{table(runs, TOKENS)}" for items, runs in found.items()]
    return Section("Worst features", text, [*tables, head + "\n".join(microseconds)]), checks


def _size(items: int) -> str:
    return START if items == TINY else f"{items:,} items"


def _other(source: Source) -> Source:
    """Return a source whose result does not replace the one that is compared."""
    return Source(source.path, source.result.with_suffix(".other.json"))


def _required(found: Mapping[int, Mapping[str, Run]]) -> list[Check]:
    """Check what is required at the largest size, and of pairs at the smallest."""
    runs, pairs = found[ITEMS[-1]], found[ITEMS[0]][PAIRS]
    size, few = _size(ITEMS[-1]), _size(ITEMS[0])
    return [
        at_most(f"{size}, {TOKENS}, against {SPLIT}", runs[TOKENS].cpu / runs[SPLIT].cpu, 5, " times the CPU"),
        at_least(f"{size}, {TOKENS}, less wall time than a {LOOP}", runs[LOOP].wall / runs[TOKENS].wall, 10),
        at_most(f"{size}, {TOKENS}, peak memory", runs[TOKENS].megabytes, 2000, " MB"),
        at_most(f"{size}, bigrams and shapes, against tokens", runs[RUNS].cpu / runs[TOKENS].cpu, 3, " times the CPU"),
        at_most(f"{few}, {PAIRS}, CPU", pairs.cpu, 15, " s"),
        at_most(f"{few}, {PAIRS}, peak memory", pairs.megabytes, 2000, " MB"),
    ]


def _growth(per_item: Mapping[int, Mapping[str, float]]) -> list[Check]:
    """Check that time grows in proportion to the items."""
    small, large = per_item[ITEMS[0]], per_item[ITEMS[-1]]
    what = f"CPU per item beyond start-up, {_size(ITEMS[-1])} against {_size(ITEMS[0])}"
    return [at_most(f"{what}, {TOKENS}", large[TOKENS] / small[TOKENS], 1.3, " times")]


def _same_list(sources: Mapping[int, Source], found: Mapping[int, Mapping[str, Run]]) -> Check:
    """Compare the first features, in their order, and their p with the loop's, at all sizes."""
    equal = True
    farthest = 0.0
    for items, runs in found.items():
        result = json.loads(sources[items].result.read_text(encoding="utf-8"))
        ours = [(feature["p"], feature["feature"]) for feature in result["result"]["lists"][0]["features"][:TOP]]
        theirs = json.loads(runs[LOOP].output)
        equal &= len(ours) == TOP and [name for _, name in ours] == [name for _, name in theirs]
        equal &= all(isclose(a, b, rel_tol=1e-9) for (a, _), (b, _) in zip(ours, theirs, strict=False))
        farthest = max([farthest, *(abs(a - b) / (b or 1) for (a, _), (b, _) in zip(ours, theirs, strict=False))])
    shown = f"p within {farthest:.0e}" if equal else f"different (p by {farthest:.0e})"
    return Check(f"The first {TOP} features are those of the {LOOP}, p within 1e-9", shown, equal)
