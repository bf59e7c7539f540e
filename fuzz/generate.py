"""Cases from numbers: the same number, the same case, in any process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from fuzz.case import Case
from fuzz.corpora import Corpus, configured, corpus
from fuzz.mutations import Mutation, mutation
from fuzz.options import MINE, a_command, of_command
from fuzz.twins import TWINS

if TYPE_CHECKING:
    from collections.abc import Sequence

CASES_OF_A_SEED = 1_000_000
"""The numbers of a run's cases begin at its seed times this."""


@dataclass(frozen=True)
class Plan:
    """A valid case, what is done to it, and what else has to give the same result."""

    number: int
    corpus: Corpus
    valid: Case
    mutations: tuple[Mutation, ...]
    twin: str | None

    @property
    def case(self) -> Case:
        """The case that is run."""
        return self.of(self.mutations)

    def of(self, mutations: Sequence[Mutation]) -> Case:
        """Return the case with some of the changes."""
        case = self.valid
        for change in mutations:
            case = change(case, self.corpus)
        if any("mine.py" in word for word in case.arguments):
            case = case.with_file("mine.py", MINE)
        return replace(case, files=dict(sorted(case.used.items())))


def plan(number: int) -> Plan:
    """Return what a number stands for."""
    rng = Random(number)
    data = corpus(rng)
    if rng.random() < 0.12:
        data = configured(rng, [data, *([corpus(rng)] if rng.random() < 0.4 else [])])
    valid = Case(data.files, tuple(of_command(rng, a_command(rng, data), data)))
    count = rng.choices((0, 1, 2, 3, 5), (12, 48, 22, 12, 6))[0]
    names = sorted(data.files)
    mutations = tuple(mutation(rng, names) for _ in range(count))
    twin = rng.choice(sorted(TWINS)) if rng.random() < (0.5 if count == 0 else 0.08) else None
    return Plan(number, data, valid, mutations, twin)
