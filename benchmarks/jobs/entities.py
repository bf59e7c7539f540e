"""Entity scores of two CoNLL files, by other tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

Span = tuple[int, int, int, str]


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


def nervaluate(gold: str, system: str) -> None:
    from nervaluate.evaluator import Evaluator

    found = Evaluator(read_tags(gold), read_tags(system), tags=["PER", "ORG", "LOC", "EVENT"], loader="list")
    print(found.summary_report(mode="overall"))


def loop(gold: str, system: str) -> None:
    """Print micro-F1, and what each label has, from sets of spans and dictionaries of counts."""
    spans, returned = _spans(read_tags(gold)), _spans(read_tags(system))
    counts = [Counter(span[3] for span in some) for some in (spans & returned, returned, spans)]
    tp, n_returned, n_gold = (count.total() for count in counts)
    print(repr(2 * tp / (n_returned + n_gold)))
    for label in sorted(counts[2]):
        print(label, *(count[label] for count in counts))


def _spans(sentences: list[list[str]]) -> set[Span]:
    """Return the spans of tags B-X and I-X; an I-X after anything but X begins one."""
    found: set[Span] = set()
    for number, tags in enumerate(sentences):
        start, label = 0, ""
        for i, tag in enumerate([*tags, "O"]):
            of = tag[2:]
            if label and (of != label or tag[0] == "B"):
                found.add((number, start, i, label))
                label = ""
            if of and not label:
                start, label = i, of
    return found
