"""The features of what nobody finds, against those of the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from slicewise.attributes import Facts
from slicewise.extract.items import ItemFeatures, Wanted
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.bin_contents import is_bare
from slicewise.lenses.features import Request, feature_list, lists_in_parts
from slicewise.lenses.outcomes import GOLD
from slicewise.lenses.part_view import Listing, Maker, asked_for
from slicewise.lenses.placed import with_all_of
from slicewise.lenses.population import UnitScoring, of_rows
from slicewise.lenses.ranked_parts import RankedParts
from slicewise.results.features import FeatureList
from slicewise.stats.intervals import Resamples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.lenses.outcome_counts import OutcomeCounts
    from slicewise.lenses.outcomes import Reader
    from slicewise.lenses.population import Population

    Array = NDArray[np.float64]

NAME, FOUND = "bin 0", "found by anyone"


def features_of_nobody(
    evaluation: Evaluation, outcomes: OutcomeCounts, top: int, *, resamples: int, confidence: float, seed: int
) -> FeatureList | None:
    """Rank the features of what nobody finds against the rest; None where all or none is found."""
    unfound, total = int(outcomes.bins(GOLD).totals[0]), outcomes.n_gold
    if not 0 < unfound < total:
        return None
    if is_bare(evaluation):
        return _without_features(total - unfound, total)
    request = Request(top=top, resamples=resamples, confidence=confidence, seed=seed)
    groups = evaluation.aligned.clusters.groups
    units = evaluation.task.has_units
    alone = not units and evaluation.aligned.clusters.count == evaluation.aligned.items
    drawn = Resamples(groups, resamples, seed) if resamples and groups > 1 and not alone else None
    scoring = _FoundByAnyone("gold" if units else "items", outcomes.reader)
    wanted = Wanted(least=request.least)
    if units and evaluation.parts is not None and evaluation.parts.scattered:
        evaluation = with_all_of(evaluation, asked_for(Facts(evaluation), (), units=units))
    if evaluation.parts is not None:
        maker = Maker(wanted, () if units else ("all",), units)
        listing = Listing(scoring, "gold" if units else None)
        parts = RankedParts.of(evaluation, [listing], maker, request.least, seed)
        return replace(lists_in_parts(parts, request, drawn)[0], system=NAME)
    if units:
        made = UnitFeatures(evaluation, wanted)
        families, quantities = made.families("gold"), made.quantities("gold")
    else:
        items = ItemFeatures(evaluation, wanted, ("all",))
        families, quantities = items.families(None), items.quantities(None)
    return feature_list(scoring.scored(evaluation), families, quantities, request, drawn=drawn, system=NAME)


def _without_features(found: int, total: int) -> FeatureList:
    """Return the list of items that have nothing that could be a feature."""
    return FeatureList(
        system=NAME,
        against=None,
        direction="worst",
        over="items",
        n=total,
        metric=FOUND,
        value=found / total,
        mean=found / total,
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
    reader: Reader
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
        found = self.reader(part)
        return of_rows(part, self.over, found.gold, (found.bins > 0).astype(np.float64), self.metric_name)
