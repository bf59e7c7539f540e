"""How a part of the data is looked at to rank features: its rows with their ranks, and the features they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.attributes import Facts, Scope
from slicewise.attributes.attribute import Attribute
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.strings import with_strings
from slicewise.engine.local import FIELDS, TEXTS
from slicewise.evaluation import Evaluation
from slicewise.extract.described import ITEMS, UNITS, attributes_of
from slicewise.extract.family import Family, FamilyKey, Kind
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.spool import Spool
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.ranking.population import Population, Scoring, tidy
from slicewise.stats.ranks import from_order

Features = ItemFeatures | UnitFeatures


@dataclass(frozen=True)
class ListSpec:
    """One list of features: over which rows, and whose features; or the confusions of a system."""

    scoring: Scoring
    whose: str | None
    """The system whose outputs have features too; of units, `gold` or `returned`."""
    confusions: bool = False

    def population(self, part: Evaluation, places: int) -> Population:
        """Return the rows, with scores to so many decimal places."""
        return part.memo((self.scoring, places), lambda: self._population(part, places))

    def _population(self, part: Evaluation, places: int) -> Population:
        population = self.scoring.scored(part)
        return replace(population, scores=tidy(population.scores, places))

    def families(self, features: Features) -> list[Family]:
        """Return the features that are listed."""
        if not self.confusions:
            return (
                features.families(self.whose or "gold")
                if isinstance(features, UnitFeatures)
                else features.families(self.whose)
            )
        confusions = (
            features.confusions(self.whose) if isinstance(features, ItemFeatures) and self.whose is not None else None
        )
        return [] if confusions is None else [confusions]


@dataclass(frozen=True)
class FeatureExtractor:
    """Makes the features of a part; none is too rare there."""

    spec: FeatureSpec
    attributes: tuple[str, ...]
    units: bool
    corpus_facts: CorpusFacts | None = None
    """What attributes have to know of all the data."""
    spool: Spool | None = None

    @property
    def geval(self) -> bool:
        """Whether features are those of the published tool, which is given all data at once."""
        return self.spec.geval

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with."""
        return frozenset({TEXTS, FIELDS}) if self.described else frozenset({TEXTS})

    def extract(self, part: Evaluation) -> Features:
        """Return the features of a part."""
        spec = replace(self.spec, least=0, ngrams=self.spec.ngrams if self.geval else 1)
        if self.units:
            return UnitFeatures.of(part, spec, self.attributes, self.corpus_facts)
        return ItemFeatures.of(part, spec, self.attributes, self.corpus_facts, self.spool)

    def empty(self, head: Evaluation) -> Features:
        """Return the features of data without rows."""
        empty = head.memo("empty", lambda: replace(head.between(0, 0), parts=None))
        return replace(self, spool=None).extract(empty)

    @property
    def described(self) -> bool:
        """Whether attributes are features."""
        return self.units or bool(self.attributes)

    def informed(self, evaluation: Evaluation) -> FeatureExtractor:
        """Return one that knows of all the data what attributes have to know."""
        if not self.described:
            return self
        facts = Facts.of(evaluation)
        corpus_facts = facts.corpus_facts
        if any(
            Scope.STRINGS in attribute.depends_on
            for attribute in feature_attributes(facts, self.attributes, units=self.units)
        ):
            corpus_facts = with_strings(evaluation, corpus_facts)
        return replace(self, corpus_facts=corpus_facts)


@dataclass(frozen=True, eq=False)
class ScoreRanks:
    """The scores that rows have in all of the data, and the doubled rank of each."""

    places: int
    """Decimal places of scores."""
    scores: Array
    """Distinct, ascending, the lower the worse."""
    doubled: Ints
    remote: bool = False
    """Whether there are too many to be known everywhere: a part is told its own."""

    def ranks(self, population: Population) -> Ints:
        """Return the doubled rank of each row."""
        return self.doubled[np.searchsorted(self.scores, population.oriented)]


@dataclass(frozen=True, eq=False)
class RankingContext:
    """What kernels know of the whole data when they look at a part."""

    specs: tuple[ListSpec, ...]
    extractor: FeatureExtractor
    families: tuple[FamilyKey, ...]
    """The kinds of features, their namespaces and whether they are made of shapes, by number."""
    score_ranks: tuple[ScoreRanks, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with, to cut their texts."""
        return self.extractor.needs.union(*(spec.scoring.needs for spec in self.specs))

    @property
    def needs_later(self) -> frozenset[str]:
        """The same without the texts, where their tokens are kept and no attribute is worked out of them."""
        return self.needs - {TEXTS} if self.extractor.spool is not None and not self.extractor.described else self.needs

    def population(self, part: Evaluation, i: int) -> Population:
        """Return the rows of a list."""
        return self.specs[i].population(part, self.score_ranks[i].places)

    def with_ranks(self, ranks: pl.DataFrame) -> RankingContext:
        """Return one with the ranks of the scores in a part; their columns are the numbers of their lists."""
        score_ranks = list(self.score_ranks)
        for i, known in enumerate(self.score_ranks):
            if known.remote:
                column = ranks.filter(pl.col("column") == i).sort("value")
                scores, doubled = from_order(column["value"].to_numpy()), column["doubled"].to_numpy()
                score_ranks[i] = replace(known, scores=scores, doubled=doubled)
        return replace(self, score_ranks=tuple(score_ranks))


def feature_attributes(facts: Facts, names: Sequence[str], *, units: bool) -> list[Attribute]:
    """Return the attributes that are features of units or of items."""
    return attributes_of(facts, names or ["all"], UNITS) if units else attributes_of(facts, names, ITEMS)


def families_of(extractor: FeatureExtractor, head: Evaluation, specs: tuple[ListSpec, ...]) -> tuple[FamilyKey, ...]:
    """Return which kinds of features there are in which namespaces, told by data without rows."""
    features = extractor.extract(head) if extractor.geval else extractor.empty(head)
    keys = [family.key for spec in specs for family in spec.families(features)]
    keys += [(Kind.ATTRIBUTE, "", False)] if extractor.described else []
    return tuple(dict.fromkeys(keys))
