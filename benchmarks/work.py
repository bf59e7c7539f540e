"""What is done in the measured processes: `python work.py JOB ARGUMENT…`. Each job imports only what it needs."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

SYSTEMS, SENTENCES, DRAWS, SEED = 10, 50_000, 1000, 20


# ------------------------------------------------------------------ entities


def read_tags(path: str) -> list[list[str]]:
    """Read the last column of a CoNLL file, as one does for seqeval."""
    sentences: list[list[str]] = []
    tags: list[str] = []
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            if not cells:
                if tags:
                    sentences.append(tags)
                    tags = []
            elif cells[0] != "-DOCSTART-":
                tags.append(cells[-1])
    if tags:
        sentences.append(tags)
    return sentences


def seqeval_report(gold: str, system: str) -> None:
    from seqeval.metrics import classification_report

    print(classification_report(read_tags(gold), read_tags(system), digits=4))


def seqeval_f1(gold: str, system: str) -> None:
    from seqeval.metrics import f1_score

    print(repr(float(f1_score(read_tags(gold), read_tags(system)))))


def nervaluate_report(gold: str, system: str) -> None:
    from nervaluate.evaluator import Evaluator

    found = Evaluator(read_tags(gold), read_tags(system), tags=["PER", "ORG", "LOC", "EVENT"], loader="list")
    print(found.summary_report(mode="overall"))


def polars_split(gold: str, system: str) -> None:
    """Read both files and split their lines into columns: what no program that reads them can do without."""
    import polars as pl

    for path, width in ((gold, 3), (system, 2)):
        columns = dict.fromkeys([f"c{i}" for i in range(width)], pl.String)
        frame = pl.read_csv(path, separator="\t", quote_char=None, has_header=False, schema=columns)
        print(frame.height)


# ------------------------------------------------------------------ labels


def sklearn_report(gold: str, system: str) -> None:
    from sklearn.metrics import classification_report

    read = [Path(path).read_text(encoding="utf-8").splitlines() for path in (gold, system)]
    print(classification_report(*read, digits=4))


# ------------------------------------------------------------------ texts


def sacrebleu_scores(reference: str, *systems: str) -> None:
    """Print BLEU and chrF of each system."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    references = [Path(reference).read_text(encoding="utf-8").splitlines()]
    for system in systems:
        output = Path(system).read_text(encoding="utf-8").splitlines()
        scores = (metric.corpus_score(output, references).score for metric in (BLEU(), CHRF()))
        print(*(repr(float(score)) for score in scores))


# ------------------------------------------------------------------ features


def polars_split_fields(path: str) -> None:
    """Read the texts of a Parquet file and split them at spaces: what no program that counts tokens can do without."""
    import polars as pl

    fields = pl.col("a", "b", "c").str.split(" ")
    print(pl.read_parquet(path, columns=["a", "b", "c"]).select(fields).height)


def loop_features(path: str, least: str, top: str) -> None:
    """Rank tokens by a loop over the items, with dictionaries of features: counts, and sums of twice the ranks."""
    import polars as pl

    frame = pl.read_parquet(path)
    scores = frame["score"].to_list()
    items, zeros = len(scores), scores.count(0)
    counts: defaultdict[str, int] = defaultdict(int)
    sums: defaultdict[str, int] = defaultdict(int)
    for a, b, c, score in frame.select("a", "b", "c", "score").iter_rows():
        rank = zeros + 1 + items * score  # those of equal scores share their mean
        features = {f"in<a>:{token}" for token in a.split()}
        features |= {f"in<b>:{token}" for token in b.split()}
        features |= {f"in<c>:{token}" for token in c.split()}
        for feature in features:
            counts[feature] += 1
            sums[feature] += rank
    _rank_loop(((name, n, sums[name]) for name, n in counts.items()), items, zeros, int(least), int(top))


def loop_fields(path: str, least: str, top: str) -> None:
    """Rank tokens by a loop over each field by itself: dictionaries of tokens, which need no names of features."""
    import polars as pl

    frame = pl.read_parquet(path)
    scores = frame["score"].to_list()
    items, zeros = len(scores), scores.count(0)
    ranks = [zeros + 1 + items * score for score in scores]
    found: list[tuple[str, int, int]] = []
    for field in ("a", "b", "c"):
        counts: defaultdict[str, int] = defaultdict(int)
        sums: defaultdict[str, int] = defaultdict(int)
        for text, rank in zip(frame[field].to_list(), ranks, strict=True):
            for token in set(text.split()):
                counts[token] += 1
                sums[token] += rank
        found += [(f"in<{field}>:{token}", n, sums[token]) for token, n in counts.items()]
    _rank_loop(found, items, zeros, int(least), int(top))


def _rank_loop(counted_features: Iterable[tuple[str, int, int]], items: int, zeros: int, least: int, top: int) -> None:
    """Print the first features by p."""
    import numpy as np
    from scipy.stats import hypergeom

    found: list[tuple[str, tuple[int, int]]] = []
    for name, count, total in counted_features:
        if least <= count <= items - least:
            found.append((name, (count, (total - count * (zeros + 1)) // items)))
    cases = sorted({case for _, case in found})  # scipy is slow: each case once
    counted, right = zip(*cases, strict=True)
    p = dict(zip(cases, np.asarray(hypergeom.cdf(right, items, items - zeros, counted)).tolist(), strict=True))
    print(json.dumps(sorted((p[case], name) for name, case in found)[:top]))


# ------------------------------------------------------------------ systems


def systems_counted(way: str, units: str, systems: str) -> None:
    """Count units pair by pair, or by patterns, in one of the ways that are compared."""
    from systems import count_units

    count_units(way, int(units), int(systems))


# ------------------------------------------------------------------ resamples


def statistics() -> NDArray[np.float64]:
    """Return tp, returned and gold units of every sentence and system."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    gold = rng.poisson(2.4, size=(SENTENCES, 1))
    tp = rng.binomial(gold, np.linspace(0.6, 0.9, SYSTEMS))
    returned = tp + rng.poisson(0.4, size=tp.shape)
    return np.stack([tp, returned, np.broadcast_to(gold, tp.shape)], axis=2).astype(np.float64)


def slicewise_resamples(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw and sum, every sentence for itself."""
    from slicewise.stats.intervals import Resamples

    return Resamples(len(table), DRAWS, SEED).sums(table)


def grouped_resamples(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw and sum as `slicewise score` does: more than 10,000 clusters are put into groups, and groups are drawn."""
    import numpy as np

    from slicewise.align.clusters import grouped
    from slicewise.stats.intervals import Resamples

    clusters = grouped("item", np.arange(len(table), dtype=np.uint32), None)
    order = np.argsort(clusters.group, kind="stable")
    starts = np.searchsorted(clusters.group[order], np.arange(clusters.groups))
    return Resamples(clusters.groups, DRAWS, SEED).sums(np.add.reduceat(table[order], starts, axis=0))


def gathered_resamples(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw the same, and gather the rows of each draw."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(SEED)))
    sums = [table[rng.integers(0, len(table), size=len(table))].sum(axis=0) for _ in range(DRAWS)]
    return np.array(sums)


def taken_resamples(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gather as above, from a flat table and by `take`, which numpy does faster."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(SEED)))
    n, flat = len(table), table.reshape(len(table), -1)
    sums = [flat.take(rng.integers(0, n, size=n), axis=0).sum(axis=0) for _ in range(DRAWS)]
    return np.array(sums).reshape(DRAWS, *table.shape[1:])


def counted_resamples(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw the same, count how often each row is drawn, and multiply, fifty draws at a time."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(SEED)))
    n, flat, at_once = len(table), table.reshape(len(table), -1), 50
    sums = []
    for _ in range(DRAWS // at_once):
        counts = [np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(at_once)]
        sums.append(np.array(counts, dtype=np.float64) @ flat)
    return np.concatenate(sums).reshape(DRAWS, *table.shape[1:])


def timed(work: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
    """Time the work alone, without starting Python and making the table; the hash shows that the values are equal."""
    import slicewise.align.clusters  # (imports are not part of the work)
    import slicewise.stats.intervals  # noqa: F401

    table = statistics()
    wall, cpu = time.perf_counter(), time.process_time()
    sums = work(table)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(json.dumps({"cpu": cpu, "wall": wall, "values": hashlib.sha256(sums.tobytes()).hexdigest()}))


JOBS: dict[str, Callable[..., Any]] = {
    "seqeval-report": seqeval_report,
    "seqeval-f1": seqeval_f1,
    "nervaluate": nervaluate_report,
    "polars-split": polars_split,
    "sklearn-report": sklearn_report,
    "sacrebleu": sacrebleu_scores,
    "polars-split-fields": polars_split_fields,
    "loop-features": loop_features,
    "loop-fields": loop_fields,
    "systems": systems_counted,
    "resamples-slicewise": lambda: timed(slicewise_resamples),
    "resamples-grouped": lambda: timed(grouped_resamples),
    "resamples-gathered": lambda: timed(gathered_resamples),
    "resamples-taken": lambda: timed(taken_resamples),
    "resamples-counted": lambda: timed(counted_resamples),
}

if __name__ == "__main__":
    JOBS[sys.argv[1]](*sys.argv[2:])
