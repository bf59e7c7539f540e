"""How a part of the data is looked at to rank features: its rows with their ranks, and the features they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slicewise.arrays import Array, Ints
from slicewise.attributes import Facts, Scope, values_of
from slicewise.attributes.attribute import Attribute, Of
from slicewise.attributes.corpus_facts import CorpusFacts
from slicewise.attributes.strings import with_strings
from slicewise.engine.local import FIELDS, TEXTS
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.extract.described import ITEMS, UNITS, attributes_of, category_names
from slicewise.extract.family import Family, FamilyKey, Kind
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.spool import Spool
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.ranking.population import Population, Scoring, tidy
from slicewise.lenses.ranking.strata import LENGTH, Strata
from slicewise.stats.ranks import from_order

Features = ItemFeatures | UnitFeatures
NumberSpec = tuple[Kind, str, str, int | None]
"""A number: its kind, namespace and name, and the stratum whose rows have it; None: all."""
NumberSpecs = tuple[tuple[NumberSpec, ...], ...]
"""The numbers of each list."""


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
    adjust: tuple[str, ...] | None = None
    """What features are adjusted for; None: length, where there is text."""

    @property
    def geval(self) -> bool:
        """Whether features are those of the published tool, which is given all data at once."""
        return self.spec.geval

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with."""
        fields = self.described or bool(self._adjusting_attributes)
        return frozenset({TEXTS, FIELDS}) if fields else frozenset({TEXTS})

    @property
    def _adjusting_attributes(self) -> list[str]:
        return [name for name in self.adjust or () if name != LENGTH]

    def adjusting_values(self, part: Evaluation, names: Sequence[str]) -> list[pl.Series | Array]:
        """Return what all rows of a part, items or units, are put into strata by."""
        return [self._lengths(part) if name == LENGTH else self._values(part, name) for name in names]

    def _lengths(self, part: Evaluation) -> Array:
        features = self.extract(part)
        none = np.zeros(part.aligned.items, np.int64)
        lengths = sum((np.diff(tokens.offsets) for tokens in features.input_tokens), start=none).astype(np.float64)
        return lengths[part.units["item"].to_numpy()] if self.units else lengths

    def _values(self, part: Evaluation, name: str) -> pl.Series | Array:
        facts = Facts.of(part, self.corpus_facts)
        (attribute,) = attributes_of(facts, [name], UNITS if self.units else ITEMS)
        if attribute.of is Of.OUTPUT:
            raise UserError(f"the attribute {quoted(name)} differs between systems; --adjust needs one of the data")
        values = values_of(attribute, facts)
        if self.units and attribute.of is Of.ITEM:
            values = values.gather(facts.units.item)
        if not values.dtype.is_numeric():
            return category_names(values)
        numbers = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return np.where(np.isfinite(numbers), numbers, np.nan)

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
        if not self.described and not self._adjusting_attributes:
            return self
        facts = Facts.of(evaluation)
        corpus_facts = facts.corpus_facts
        attributes = feature_attributes(facts, self.attributes, units=self.units) if self.described else []
        attributes += attributes_of(facts, self._adjusting_attributes, UNITS if self.units else ITEMS)
        if any(Scope.STRINGS in attribute.depends_on for attribute in attributes):
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
    strata: tuple[Strata | None, ...] = ()
    """Of each list; none where nothing is adjusted for."""

    def strata_of(self, i: int) -> Strata | None:
        """Return the strata of a list."""
        return self.strata[i] if self.strata else None

    @property
    def strata_owners(self) -> tuple[int | None, ...]:
        """Of each list with strata the first one that has the same."""
        none: tuple[int | None, ...] = (None,) * len(self.specs)
        return tuple(None if strata is None else self.strata.index(strata) for strata in self.strata) or none

    @property
    def apart(self) -> bool:
        """Whether lists have features of their own: those of outputs, and attributes, which may be of outputs."""
        differ = any(space == "out" or kind is Kind.ATTRIBUTE for kind, space, _ in self.families)
        return differ and not self.extractor.units and len(self.specs) > 1

    def numbers(self, part: Evaluation, i: int, number: NumberSpec) -> Array:
        """Return a number that the rows of a list have; NaN where one has none, or is of another stratum."""
        kind, space, name, stratum = number
        values = self.extractor.extract(part).values(self.specs[i].whose, kind, space, name)
        values = values[self.population(part, i).kept]
        return values if stratum is None else np.where(self.stratum(part, i) == stratum, values, np.nan)

    def stratum(self, part: Evaluation, i: int) -> Ints:
        """Return the stratum of each row of a list that has strata."""
        strata = self.strata[i]
        if strata is None:
            raise ValueError("no strata")
        return part.memo((strata, self.specs[i].scoring), lambda: self._stratum(part, i, strata))

    def _stratum(self, part: Evaluation, i: int, strata: Strata) -> Ints:
        names = [adjuster.name for adjuster in strata.adjusters]
        return strata.of(self.extractor.adjusting_values(part, names))[self.population(part, i).kept]

    @property
    def needs(self) -> frozenset[str]:
        """What parts have to be read with, to cut their texts."""
        return self.extractor.needs.union(*(spec.scoring.needs for spec in self.specs))

    @property
    def needs_later(self) -> frozenset[str]:
        """The same without the texts, where their tokens are kept and no attribute is worked out of them."""
        kept = self.extractor.spool is not None and FIELDS not in self.extractor.needs
        return self.needs - {TEXTS} if kept else self.needs

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
