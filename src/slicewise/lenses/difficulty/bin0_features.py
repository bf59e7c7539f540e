"""The features of what nobody finds, against those of the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slicewise.arrays import Array
from slicewise.attributes import Facts
from slicewise.engine.local import parts_of
from slicewise.evaluation import Evaluation
from slicewise.extract.items import FeatureSpec
from slicewise.lenses.difficulty.bin_contents import has_only_scores
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts
from slicewise.lenses.outcomes.outcomes import GOLD, OutcomeReader
from slicewise.lenses.ranking.context import FeatureExtractor, ListSpec, feature_attributes
from slicewise.lenses.ranking.feature_ranking import FeatureRanking
from slicewise.lenses.ranking.lists import Request, feature_lists
from slicewise.lenses.ranking.population import Population, UnitScoring, of_rows
from slicewise.lenses.ranking.result import FeatureList
from slicewise.lenses.slicing.bucketed import with_all_of
from slicewise.stats.intervals import Resamples

NAME, FOUND = "bin 0", "found by anyone"


def bin0_features(
    evaluation: Evaluation, outcomes: OutcomeCounts, top: int, *, resamples: int, confidence: float, seed: int
) -> FeatureList | None:
    """Rank the features of what nobody finds against the rest; None where all or none is found."""
    unfound, total = int(outcomes.bins(GOLD).totals[0]), outcomes.n_gold
    if not 0 < unfound < total:
        return None
    if has_only_scores(evaluation):
        return _without_features(total - unfound, total)
    request = Request(top=top, resamples=resamples, confidence=confidence, seed=seed)
    groups = evaluation.aligned.clusters.groups
    units = evaluation.task.has_units
    alone = not units and evaluation.aligned.clusters.count == evaluation.aligned.items
    drawn = Resamples(groups, resamples, seed) if resamples and groups > 1 and not alone else None
    scoring = _FoundByAnyone("gold" if units else "items", outcomes.reader)
    if units and parts_of(evaluation).scattered:
        evaluation = with_all_of(evaluation, feature_attributes(Facts.of(evaluation), (), units=units))
    extractor = FeatureExtractor(FeatureSpec(least=request.least), () if units else ("all",), units)
    spec = ListSpec(scoring, "gold" if units else None)
    parts = FeatureRanking.of(evaluation, [spec], extractor, request.least)
    return replace(feature_lists(parts, request, drawn)[0], system=NAME)


def _without_features(n_found: int, total: int) -> FeatureList:
    """Return the list of items that have nothing that could be a feature."""
    return FeatureList(
        system=NAME,
        against=None,
        direction="worst",
        over="items",
        n=total,
        metric=FOUND,
        value=n_found / total,
        mean=n_found / total,
        lower_is_better=False,
        ratio=False,
        tested=0,
        significant=0,
        features=(),
    )


@dataclass(frozen=True)
class _FoundByAnyone:
    """Gold units, or items, by whether any system finds them."""

    over: str
    reader: OutcomeReader
    metric_name: str = FOUND
    sign: int = 1
    nothing: str = "there is nothing to find"
    left_out: str = ""

    @property
    def needs(self) -> frozenset[str]:
        """What outcomes need."""
        return self.reader.needs

    def finish(self, sums: Array) -> Array:
        """Return the share of what is found."""
        return UnitScoring(self.over, "").finish(sums)

    def scored(self, part: Evaluation) -> Population:
        """Return the units or items of a part."""
        outcomes = self.reader(part)
        return of_rows(part, self.over, outcomes.gold, (outcomes.bins > 0).astype(np.float64), self.metric_name)
