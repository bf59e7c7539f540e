"""What is done to a valid case: small changes, each of a number of its own, so that any can be left out."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from fuzz.mutations import arguments, cells, frames, items, lines, objects, packing, raw
from fuzz.mutations.target import KINDS, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.case import Case
    from fuzz.corpora import Corpus

CONTENT: dict[str, dict[str, Callable[[Random, bytes], bytes]]] = {
    "raw": raw.MUTATIONS,
    "lines": lines.MUTATIONS,
    "cells": cells.MUTATIONS,
    "objects": objects.MUTATIONS,
    "frames": frames.MUTATIONS,
}
"""Changes of a file's content, by what they know of it."""
OF_CASES: dict[str, Callable[[Random, Case, Corpus], Case]] = {
    **arguments.MUTATIONS,
    **packing.MUTATIONS,
    **items.MUTATIONS,
}
"""Changes of options, of how files are packed, and of the same items in several files."""
LEVELS = {"text": (("raw", 2), ("lines", 2), ("cells", 5)), "json": (("raw", 1), ("lines", 1), ("objects", 8)),
          "toml": (("raw", 2), ("lines", 3), ("cells", 4)), "parquet": (("raw", 1), ("frames", 8)),
          "packed": (("raw", 1),)}  # fmt: skip
"""Which changes suit which content, and how often each is made."""


@dataclass(frozen=True)
class Mutation:
    """A change, and the number that it is made of; `name` is the level and what is done."""

    name: str
    number: int

    def __call__(self, case: Case, corpus: Corpus) -> Case:
        """Return the changed case; one that the change does not suit stays as it is."""
        rng = Random(self.number)
        level, _, what = self.name.partition(":")
        if level not in CONTENT:
            return OF_CASES[what](rng, case, corpus)
        files = [name for name in sorted(case.used or case.files) if kind_of(name) in KINDS[level]]
        if not files:
            return case
        name = rng.choice(files)
        return case.with_file(name, CONTENT[level][what](rng, case.files[name]))


def mutation(rng: Random, files: Sequence[str]) -> Mutation:
    """Return a change that suits one of these files, or the options."""
    number = rng.getrandbits(48)
    if rng.random() < 0.3 or not files:
        return Mutation(f"case:{rng.choice(sorted(OF_CASES))}", number)
    levels = LEVELS[kind_of(rng.choice(files))]
    level = rng.choices([name for name, _ in levels], [weight for _, weight in levels])[0]
    return Mutation(f"{level}:{rng.choice(sorted(CONTENT[level]))}", number)
