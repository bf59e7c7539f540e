"""Names: coined from stems and endings or composed from shapes, each in a pool of common names or of names kept late.

Late names are kept out of the training files, so that the test files hold names and words that no system has seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

PART = re.compile(r"\{([A-Z]+)\}")
SHELF = 12  # the larger, the flatter: rank k is drawn in proportion to 1 / (k + SHELF)

Parts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Name:
    """The words of a name and its label; `other` is the label annotators give it in three of ten cases."""

    words: tuple[str, ...]
    label: str
    other: str | None = None


@dataclass(frozen=True)
class Pool:
    """Names of one kind, the frequent ones first."""

    common: Sequence[Name]
    late: Sequence[Name]

    def draw(self, rng: random.Random, late: float) -> Name:
        """A name, late with the probability given, by a law like Zipf's."""
        names = self.late if self.late and rng.random() < late else self.common
        weights = accumulate(1 / (rank + SHELF) for rank in range(len(names)))
        return rng.choices(names, cum_weights=list(weights))[0]


def coin(rng: random.Random, stems: Sequence[str], ends: Sequence[str], count: int) -> list[str]:
    """Words that sound right and need not exist."""
    words = list(dict.fromkeys(stem + end for stem in stems for end in ends if stem[-1] != end[0]))
    rng.shuffle(words)
    return words[:count]


def compose(rng: random.Random, shape: str, parts: Parts) -> str:
    """A shape such as `Bank of {CITY}` with its parts filled."""
    return PART.sub(lambda match: rng.choice(parts[match[1]]), shape)


def composed(rng: random.Random, shapes: Sequence[str], parts: Parts, count: int) -> list[str]:
    """Different fillings of the shapes, at most `count`."""
    made: dict[str, None] = {}
    for _ in range(count * 8):
        if len(made) == count:
            break
        made[compose(rng, rng.choice(shapes), parts)] = None
    return list(made)


def names(texts: Sequence[str], label: str, other: str | None = None) -> list[Name]:
    """Names with one label."""
    return [Name(tuple(text.split()), label, other) for text in texts]


def pool(common: Sequence[str], late: Sequence[str], label: str, other: str | None = None) -> Pool:
    """A pool without the late names that are common too."""
    known = set(common)
    return Pool(names(common, label, other), names([text for text in late if text not in known], label, other))


def split(rng: random.Random, items: Sequence[str], share: float) -> tuple[list[str], list[str]]:
    """Shuffled, and cut so that `share` of the items come late."""
    shuffled = list(items)
    rng.shuffle(shuffled)
    cut = round(len(shuffled) * (1 - share))
    return shuffled[:cut], shuffled[cut:]


@dataclass(frozen=True)
class Stock:
    """The parts that names are composed from, common and late."""

    common: dict[str, list[str]]
    late: dict[str, list[str]]

    def pool(
        self, rng: random.Random, shapes: Sequence[str], label: str, size: tuple[int, int], other: str | None = None
    ) -> Pool:
        """A pool of names composed from this stock."""
        common = composed(rng, shapes, self.common, size[0])
        return pool(common, composed(rng, shapes, self.late, size[1]), label, other)

    def people(self, rng: random.Random, size: tuple[int, int]) -> Pool:
        """First name and last name; a late person may still have one name that is known."""
        shapes = ["{FIRST} {LAST}"]
        return self.pool(rng, shapes, "PER", size)


def stock(rng: random.Random, words: Mapping[str, list[str]]) -> Stock:
    """First and last names, cities, countries and the like, from the word lists; late lists keep some common parts."""
    cities, late_cities = split(rng, words["city"], 0.15)
    coined = coin(rng, words["city.stem"], words["city.end"], 150)
    shaped = [compose(rng, rng.choice(words["city.shape"]), {"CORE": [city]}) for city in coined]
    coined_last = coin(rng, words["last.stem"], words["last.end"], 330)
    last, late_last = split(rng, words["last"], 0.2)
    company = coin(rng, words["company.stem"], words["company.end"], 160)
    common = {
        "FIRST": words["first"],
        "LAST": last + coined_last[:150] + [name for name in last if name in words["city"]] * 4,
        "CITY": cities + shaped[:75],
        "COUNTRY": words["country"],
        "COMPANY": words["company.word"] + company[:90],
        "FIELD": words["field"][:22],
        "ORD": words["ordinal"][:5],
        "YEAR": [str(year) for year in range(1990, 2019)],
        "ADJ": words["party.adj"],
        "NOUN": words["party.noun"],
    }
    late = {
        "FIRST": words["first"] + words["first.late"] * 2,
        "LAST": late_last + coined_last[150:] + last[:40],
        "CITY": late_cities + shaped[75:] + cities[:15],
        "COUNTRY": words["country.late"],
        "COMPANY": company[90:],
        "FIELD": words["field"],
        "ORD": words["ordinal"],
        "YEAR": [str(year) for year in range(2019, 2027)],
        "ADJ": words["party.adj"],
        "NOUN": words["party.noun"],
    }
    return Stock(common, late)
