"""Scores of one label per item, by other tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from jobs.duck import rows


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


def sklearn_report(gold: str, system: str) -> None:
    from sklearn.metrics import classification_report

    print(classification_report(_lines(gold), _lines(system), digits=4))


def loop(gold: str, system: str) -> None:
    """Print accuracy, and precision, recall and F1 of each label, from a dictionary of pairs of labels."""
    counts = Counter(zip(_lines(gold), _lines(system), strict=True))
    wanted: Counter[str] = Counter()
    returned: Counter[str] = Counter()
    for (label, other), n in counts.items():
        wanted[label] += n
        returned[other] += n
    print(repr(sum(counts[label, label] for label in wanted) / counts.total()))
    for label in sorted(wanted | returned):
        tp = counts[label, label]
        precision, recall = tp / (returned[label] or 1), tp / (wanted[label] or 1)
        print(label, precision, recall, 2 * tp / (returned[label] + wanted[label]))


def duckdb_counts(gold: str, system: str) -> None:
    """Print the counts of pairs of labels, from which the scores follow."""
    read = "(FROM read_csv(?, header = false, columns = {'label': 'VARCHAR'}, delim = '\t', parallel = false))"
    query = f"SELECT g.label, s.label, count(*) FROM {read} g POSITIONAL JOIN {read} s GROUP BY ALL ORDER BY ALL"
    for row in rows(query, gold, system):
        print(*row)
