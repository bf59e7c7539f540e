"""How a part of the data is looked at to rank features: its rows with their ranks, and the features they have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.attributes.facts import Facts
from slicewise.attributes.mentions import OF_ALL_STRINGS
from slicewise.attributes.strings import strings_of
from slicewise.engine.gather import FIELDS, TEXTS
from slicewise.extract.described import ITEMS, UNITS, attributes_of
from slicewise.extract.family import Kind
from slicewise.extract.items import ItemFeatures
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.population import tidy
from slicewise.stats.ranks import from_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slicewise.attributes.attribute import Attribute
    from slicewise.attributes.told import Told
    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family
    from slicewise.extract.items import Wanted
    from slicewise.extract.spool import Spool
    from slicewise.lenses.population import Population, Scoring

    Array = NDArray[np.float64]
    Index = NDArray[np.int64]
    Features = ItemFeatures | UnitFeatures


@dataclass(frozen=True)
class Listing:
    """One list of features: over which rows, and whose features; or the confusions of a system."""

    scoring: Scoring
    whose: str | None
    """The system whose outputs have features too; of units, `gold` or `returned`."""
    confusions: bool = False

    def population(self, part: Evaluation, places: int) -> Population:
        """Return the rows, with scores to so many decimal places."""
        found = self.scoring.scored(part)
        return replace(found, scores=tidy(found.scores, places))

    def families(self, made: Features) -> list[Family]:
        """Return the features that are listed."""
        if not self.confusions:
            return made.families(self.whose or "gold") if isinstance(made, UnitFeatures) else made.families(self.whose)
        found = made.confusions(self.whose) if isinstance(made, ItemFeatures) and self.whose is not None else None
        return [] if found is None else [found]


@dataclass(frozen=True)
class Maker:
    """Makes the features of a part; none is too rare there."""

    wanted: Wanted
    attributes: tuple[str, ...]
    units: bool
    told: Told | None = None
    """What attributes have to know of all the data."""
    spool: Spool | None = None

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with."""
        return frozenset({TEXTS, FIELDS}) if self.described else frozenset({TEXTS})

    def made(self, part: Evaluation) -> Features:
        """Return the features of a part."""
        wanted = replace(self.wanted, least=0, ngrams=1)
        if self.units:
            return UnitFeatures(part, wanted, self.attributes, self.told)
        return ItemFeatures(part, wanted, self.attributes, self.told, self.spool)

    def empty(self, head: Evaluation) -> Features:
        """Return the features of data without rows."""
        return replace(self, spool=None).made(replace(head.between(0, 0), parts=None))

    @property
    def described(self) -> bool:
        """Whether attributes are features."""
        return self.units or bool(self.attributes)

    def informed(self, evaluation: Evaluation) -> Maker:
        """Return one that knows of all the data what attributes have to know."""
        if not self.described:
            return self
        facts = Facts(evaluation)
        told = facts.told
        if any(attribute.name in OF_ALL_STRINGS for attribute in asked_for(facts, self.attributes, units=self.units)):
            told = replace(told, strings=strings_of(evaluation))
        return replace(self, told=told)


@dataclass(frozen=True, eq=False)
class Ladder:
    """The scores that rows have in all of the data, and the doubled rank of each."""

    places: int
    """Decimal places of scores."""
    scores: Array
    """Distinct, ascending, the lower the worse."""
    doubled: Index
    far: bool = False
    """Whether there are too many to be known everywhere: a part is told its own."""

    def ranks(self, population: Population) -> Index:
        """Return the doubled rank of each row."""
        return self.doubled[np.searchsorted(self.scores, population.oriented)]


@dataclass(frozen=True, eq=False)
class View:
    """What kernels know of the whole data when they look at a part."""

    listings: tuple[Listing, ...]
    maker: Maker
    families: tuple[tuple[Kind, str], ...]
    """The kinds of features and their namespaces, by number."""
    ladders: tuple[Ladder, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with, to cut their texts."""
        return self.maker.needs.union(*(one.scoring.needs for one in self.listings))

    @property
    def needs_later(self) -> frozenset[str]:
        """The same without the texts, where their tokens are kept and no attribute is worked out of them."""
        return self.needs - {TEXTS} if self.maker.spool is not None and not self.maker.described else self.needs

    def population(self, part: Evaluation, i: int) -> Population:
        """Return the rows of a list."""
        return self.listings[i].population(part, self.ladders[i].places)

    def knowing(self, ranks: pl.DataFrame) -> View:
        """Return one with the ranks of the scores in a part; their columns are the numbers of their lists."""
        ladders = list(self.ladders)
        for i, ladder in enumerate(self.ladders):
            if ladder.far:
                own = ranks.filter(pl.col("column") == i).sort("value")
                scores, doubled = from_order(own["value"].to_numpy()), own["doubled"].to_numpy()
                ladders[i] = replace(ladder, scores=scores, doubled=doubled)
        return replace(self, ladders=tuple(ladders))


def asked_for(facts: Facts, names: Sequence[str], *, units: bool) -> list[Attribute]:
    """Return the attributes that are features of units or of items."""
    return attributes_of(facts, names or ["all"], UNITS) if units else attributes_of(facts, names, ITEMS)


def families_of(maker: Maker, head: Evaluation, listings: tuple[Listing, ...]) -> tuple[tuple[Kind, str], ...]:
    """Return which kinds of features there are in which namespaces, told by data without rows."""
    made = maker.empty(head)
    every = [(one.kind, one.space) for listing in listings for one in listing.families(made)]
    every += [(Kind.ATTRIBUTE, "")] if maker.described else []
    return tuple(dict.fromkeys(every))
