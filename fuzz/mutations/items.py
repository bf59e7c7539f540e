"""Changes of the same items in gold, systems and input, which are aligned by position and stay so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.hostile import CELLS
from fuzz.mutations.target import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.case import Case
    from fuzz.corpora import Corpus


def _aligned(case: Case) -> dict[str, list[bytes]]:
    """Return the lines of the files that have as many as most others."""
    lines = {
        name: case.files[name].split(b"\n")
        for name in sorted(case.used)
        if kind_of(name) in ("text", "json") and case.files[name]
    }
    counts = [len(held) for held in lines.values()]
    usual = max(counts, key=counts.count, default=0)
    return {name: held for name, held in lines.items() if len(held) == usual}


def _with(case: Case, lines: dict[str, list[bytes]]) -> Case:
    for name, held in lines.items():
        case = case.with_file(name, b"\n".join(held))
    return case


def shorter(rng: Random, case: Case, _: Corpus) -> Case:
    """Keep a few items, or one."""
    lines = _aligned(case)
    count = len(next(iter(lines.values()), []))
    start = rng.randrange(max(1, count))
    stop = start + rng.choice((1, 1, 2, 3))
    return _with(case, {name: [*held[start:stop], b""] for name, held in lines.items()})


def longer(rng: Random, case: Case, _: Corpus) -> Case:
    """Repeat all items."""
    times = rng.choice((2, 3, 10))
    return _with(case, {name: [*held[:-1] * times, held[-1]] for name, held in _aligned(case).items()})


def shuffled(rng: Random, case: Case, _: Corpus) -> Case:
    """Put items, or lines of sentences, in another order."""
    lines = _aligned(case)
    order = list(range(len(next(iter(lines.values()), [])) - 1))
    rng.shuffle(order)
    return _with(case, {name: [*(held[i] for i in order), held[-1]] for name, held in lines.items()})


def word(rng: Random, case: Case, _: Corpus) -> Case:
    """Write a hostile word in the place of another, in all files."""
    words = sorted({w for held in _aligned(case).values() for line in held for w in line.split()})
    if not words:
        return case
    old, new = rng.choice(words), rng.choice(CELLS).encode()
    return _with(case, {name: [line.replace(old, new) for line in held] for name, held in _aligned(case).items()})


def blank(rng: Random, case: Case, _: Corpus) -> Case:
    """Empty the same line of all files."""
    lines = _aligned(case)
    at = rng.randrange(max(1, len(next(iter(lines.values()), []))))
    return _with(
        case, {name: [b"" if i == at else line for i, line in enumerate(held)] for name, held in lines.items()}
    )


def answer(rng: Random, case: Case, _: Corpus) -> Case:
    """Replace the last cell of a line in all files."""
    lines, value = _aligned(case), rng.choice(CELLS).encode()
    at = rng.randrange(max(1, len(next(iter(lines.values()), []))))

    def changed(line: bytes) -> bytes:
        before, separator, _ = line.rpartition(b"\t" if b"\t" in line else b" ")
        return before + separator + value

    return _with(
        case,
        {name: [changed(line) if i == at else line for i, line in enumerate(held)] for name, held in lines.items()},
    )


MUTATIONS: dict[str, Callable[[Random, Case, Corpus], Case]] = {
    f.__name__: f for f in (shorter, longer, shuffled, word, blank, answer)
}
