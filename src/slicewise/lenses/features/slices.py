"""The items or units behind the numbers of `features`: those with each feature that is listed."""

from __future__ import annotations

from collections.abc import Iterator

from slicewise.annotations import Task
from slicewise.evaluation import Evaluation
from slicewise.extract.find import rows_of
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.contract import LensContext
from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.ranking.result import FeatureList
from slicewise.lenses.ranking.slices import among, feature_slices
from slicewise.lenses.slice_rows import SliceRows


def over_units(evaluation: Evaluation) -> bool:
    """Whether a report ranks features over units: where an item has several."""
    return evaluation.task.has_units and evaluation.task is not Task.LABELS


def slices(_: FeaturesResult, context: LensContext) -> Iterator[SliceRows]:
    """Yield the items or units that have each of the features that are listed."""
    options, evaluation = context.options, context.evaluation
    spec = FeatureSpec(ngrams=2 if options.bigrams else 1, shapes=options.shapes, least=0)
    extracted = (UnitFeatures if over_units(evaluation) else ItemFeatures).of(evaluation, spec)
    for result in context.results.values():
        for ranked in result.lists if isinstance(result, FeaturesResult) else ():
            yield from _of_list(context, ranked, extracted)


def _of_list(context: LensContext, ranked: FeatureList, extracted: ItemFeatures | UnitFeatures) -> Iterator[SliceRows]:
    outcomes = context.outcomes
    names = [feature.feature for feature in (*ranked.features, *ranked.confusions)]
    if isinstance(extracted, UnitFeatures):
        families = extracted.families(ranked.over)
        of_whom = outcomes.gold if ranked.over == "gold" else outcomes.has[outcomes.systems.index(ranked.system)]
        quantities = among(extracted.quantities(ranked.over), of_whom)
    else:
        confusions = extracted.confusions(ranked.system)
        families = [*extracted.families(ranked.system), *([] if confusions is None else [confusions])]
        of_whom, quantities = None, extracted.quantities(ranked.system)
    place = ranked.system if ranked.against is None else f"{ranked.against}→{ranked.system}"
    yield from feature_slices(context.evaluation, ranked, rows_of(names, families, quantities), of_whom, place)
