"""Charts of features: the ranking with what each goes with, effect against frequency, confusions."""

from __future__ import annotations

from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.ranking.charts import HIGH, LOW, SCORES, place_of, ranked_figures
from slicewise.lenses.ranking.result import FeatureList
from slicewise.render.figures import SLICE, Field, Figure
from slicewise.results.files import safe_name, unique
from slicewise.results.slices import feature_slice

CHANGED = {"items": "", "gold": " in gold units", "returned": " in returned units"}


def figures(result: FeaturesResult) -> list[Figure]:
    """Return the figures of every list, in their order."""
    names = unique([safe_name("-".join((of.over, place_of(of)))) for of in result.lists])
    return [
        figure
        for of, name in zip(result.lists, names, strict=True)
        for figure in (
            *ranked_figures(of, f"-{name}", _title(of), (of.over, place_of(of)), _compared(of)),
            *_confusions(of, name),
        )
    ]


def _title(of: FeatureList) -> str:
    if of.against is not None:
        turn = "worse" if of.direction == "worsening" else "better"
        return f"What gets {turn} from {of.against} to {of.system}{CHANGED[of.over]}"
    return f"{of.system}: what goes with {(LOW if of.direction == 'worst' else HIGH)[of.over]}"


def _compared(of: FeatureList) -> str:
    """Return the name of what is compared."""
    return SCORES[of.over] if of.against is None else f"change in {SCORES[of.over]}"


def _confusions(of: FeatureList, name: str) -> list[Figure]:
    """Return what was returned instead of what."""
    if not of.confusions:
        return []
    rows = [
        {
            "feature": confusion.feature, "n": confusion.n, "gain": confusion.expected_improvement,
            SLICE: feature_slice(of.over, place_of(of), confusion.feature),
        }
        for confusion in of.confusions
    ]  # fmt: skip
    fields = (Field("feature", "expected ~ returned"), Field("n", "n", "count"), Field("gain", "gain", "signed"))
    caption = (
        "What was expected and what was returned instead, the most frequent first; wrong by construction, not tested."
    )
    return [
        Figure(
            f"feature-confusions-{name}",
            f"{place_of(of)}: confusions",
            caption,
            fields,
            rows,
            wide=False,
            tab=place_of(of),
        )
    ]
