"""Ranked lists of features: which are shown, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Array
from slicewise.evaluation import Evaluation
from slicewise.lenses.inference import percentile_method
from slicewise.lenses.intervals import (
    NO_LIMITS,
    Estimate,
    IntervalMethod,
    Limits,
    listed_bounds,
    of_differences,
)
from slicewise.lenses.ranking.believed import believed_parts
from slicewise.lenses.ranking.details import Details, WithinStrata
from slicewise.lenses.ranking.feature_ranking import FeatureRanking
from slicewise.lenses.ranking.folding import NEAREST, ListedFeature, fold
from slicewise.lenses.ranking.result import Feature, FeatureList
from slicewise.lenses.ranking.score_ranks import ListSummary
from slicewise.lenses.ranking.sources import Tails
from slicewise.lenses.ranking.testing import WAYS, Ranking, RankingEvidence, ranked, with_pairs
from slicewise.results.base import Bounds, defined
from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import Resamples
from slicewise.stats.multiplicity import ALPHA, benjamini_hochberg, benjamini_yekutieli, holm
from slicewise.stats.rank_sums import Side
from slicewise.stats.ratio import ratio

CORRECTIONS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
    "holm": holm,
}
CONFUSIONS = 10


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to rank and how; checked."""

    direction: str = "worst"
    systems: tuple[tuple[str, str | None], ...] = ()
    """Each with the one it is compared with."""
    least: int = 5
    pair_least: int | None = None
    top: int = 20
    fold: bool = True
    ratio: bool = False
    geval: bool = False
    correction: str = "bh"
    resamples: int
    confidence: float
    seed: int

    @property
    def high(self) -> bool:
        """Whether high scores are looked for."""
        return self.direction in ("best", "improving")


def feature_lists(parts: FeatureRanking, request: Request, drawn: Resamples | None) -> list[FeatureList]:
    """Rank the features of every list; lists of confusions have the most frequent ones."""
    evidence = parts.evidence()
    confused = [spec.confusions for spec in parts.specs]
    plain = replace(request, least=1, pair_least=None, direction="worst")
    requests = [plain if odd else request for odd in confused]
    side: Side = "high" if request.high else "low"
    rankings = [_ranked(*each) for each in zip(evidence, requests, strict=True)]
    rankings = parts.clusters.by_cluster(rankings, side)
    if request.pair_least is not None:
        rankings = [
            ranking if odd else _paired(each, ranking, request)
            for each, ranking, odd in zip(evidence, rankings, confused, strict=True)
        ]
    for each in evidence:
        each.null.forget()
    orders = [
        np.zeros(0, np.int64) if odd else _order(ranking, request)
        for odd, ranking in zip(confused, rankings, strict=True)
    ]
    alike = parts.alike(rankings, orders) if request.fold else [None] * len(rankings)
    shown = [
        [ListedFeature(at) for at in most_frequent(ranking)] if odd else fold(order, same_rows, request.top)
        for odd, ranking, order, same_rows in zip(confused, rankings, orders, alike, strict=True)
    ]
    chosen = [[listed.feature for listed in features] for features in shown]
    groups = None if drawn is None else drawn.clusters
    details = parts.details(rankings, chosen, alike, groups, high=request.high)
    raw = _raw(parts, rankings, chosen, side)
    written = []
    for i, odd in enumerate(confused):
        rows = _Rows(
            parts.summaries[i], rankings[i], requests[i], details[i], raw[i], None if odd else drawn, confusions=odd
        )
        adjusted_for, clusters = parts.adjusted_for[i], parts.clustered_by[i]
        interval = None if drawn is None or odd else _interval_method(parts.evaluation, request)
        features = rows.written(shown[i])
        written.append(replace(features, adjusted_for=adjusted_for, clusters=clusters, interval=interval))
    return written


def _interval_method(evaluation: Evaluation, request: Request) -> str:
    return f"{request.confidence:.0%}, {percentile_method(evaluation, request.resamples)}"


def _ranked(evidence: RankingEvidence, request: Request) -> Ranking:
    side: Side = "high" if request.high else "low"
    return ranked(evidence, least=request.least, side=side, geval=request.geval)


def _paired(evidence: RankingEvidence, ranking: Ranking, request: Request) -> Ranking:
    side: Side = "high" if request.high else "low"
    least, pair_least = request.least, request.pair_least or 1
    return with_pairs(evidence, ranking, least=least, pair_least=pair_least, side=side, geval=request.geval)


def _raw(parts: FeatureRanking, rankings: Sequence[Ranking], shown: Sequence[Sequence[int]], side: Side) -> list[Array]:
    """Return p of the features that are shown without adjusting for anything, by their places among these."""
    if not any(parts.strata):
        return [ranking.tests.p[list(features)] for ranking, features in zip(rankings, shown, strict=True)]
    unadjusted = []
    for summary, ranking, features in zip(parts.summaries, rankings, shown, strict=True):
        tests = ranking.tests.take(np.array(features, np.int64))
        plain = summary.null.tests(tests.n, tests.doubled, side)
        summary.null.forget()
        centred = tests.doubled - tests.n * (summary.null.n + 1.0)
        tests = replace(tests, centred=centred, z=plain.z, p=plain.p, log10_p=plain.log10_p, method=plain.method)
        unadjusted.append(replace(ranking, tests=tests, tested=tests.p))
    corrected = parts.clusters.by_cluster(unadjusted, side, adjusted=False)
    return [_raw_numbers(ranking) for ranking in corrected]


def _raw_numbers(ranking: Ranking) -> Array:
    """Return p of a ranking's features, those of numbers as their source has it."""
    p = ranking.tests.p.copy()
    for k, (source, place) in enumerate(zip(ranking.tests.source, ranking.tests.place, strict=True)):
        number = ranking.sources[int(source)]
        if isinstance(number, Tails) and number.raw_p is not None:
            p[k] = number.raw_p[int(place)]
    return p


def _order(ranking: Ranking, request: Request) -> NDArray[np.int64]:
    """Return the features that may be shown, the first of the list first."""
    return ranking.ordered(0 if not request.top else max(request.top * 50, NEAREST), high=request.high)


@dataclass(frozen=True)
class _Rows:
    """Writes a list and its rows."""

    about: ListSummary
    ranking: Ranking
    request: Request
    details: Details
    raw_p: Array
    drawn: Resamples | None
    confusions: bool
    """Wrong by construction, and therefore not tested."""

    @cached_property
    def q(self) -> Array:
        """The p of all that was tested, corrected for their number."""
        tested = self.ranking.tested
        return np.full(len(tested), np.nan) if self.confusions else CORRECTIONS[self.request.correction](tested)

    def written(self, shown: Sequence[ListedFeature]) -> FeatureList:
        """Return the list of the features that are shown; whose it is is not known here."""
        about, details = self.about, self.details
        return FeatureList(
            system="",
            against=None,
            direction=self.request.direction,
            over=about.over,
            n=about.size,
            metric=about.metric,
            value=defined(float(about.finish(details.totals))),
            mean=details.score / about.size,
            lower_is_better=about.sign < 0,
            ratio=self.request.ratio,
            tested=len(self.ranking.tested),
            significant=int((self.q < ALPHA).sum()),
            features=tuple(self.features(shown)),
            confusions=(),
        )

    def features(self, shown: Sequence[ListedFeature]) -> list[Feature]:
        """Return what is said of each feature that is shown."""
        if not shown:
            return []
        about, tests = self.about, self.ranking.tests
        at = np.array([listed.feature for listed in shown])
        names = self.ranking.names(at).to_list()
        named = np.concatenate([at, *(listed.folded for listed in shown)]).astype(np.int64)
        called = dict(zip(named.tolist(), self.ranking.names(named).to_list(), strict=True))
        details = self.details
        with_it, counts, score_sums, whole = details.statistics, details.n, details.scores, details.totals
        metric, rest = about.finish(with_it), about.finish(whole - with_it)
        gained = about.sign * (rest - about.finish(whole))
        shrunk = gained * (1.0 if self._as_measured else believed_parts(self.ranking, at))
        means = score_sums / counts
        others = about.size - counts
        rest_means = ratio(details.score - score_sums, others)
        within = details.within
        differences = raw = means - rest_means
        if within is not None:
            sources = [self.ranking.sources[int(source)] for source in tests.source[at]]
            plain = [isinstance(source, Tails) and not source.adjusted for source in sources]
            differences = np.where(plain, raw, within.differences(score_sums))
        bounds = self._bounds(differences)
        rows = []
        for i, listed in enumerate(shown):
            j = listed.feature
            source = self.ranking.sources[int(tests.source[j])]
            number = source if isinstance(source, Tails) else None
            other = number is not None and number.mean is not None  # the published tool takes other items
            rows.append(
                Feature(
                    feature=names[i],
                    kind=source.kind.value,
                    n=int(tests.n[j]),
                    mean=number.mean if number is not None and number.mean is not None else float(means[i]),
                    rest_mean=None if other else defined(float(rest_means[i])),
                    difference=None if other else defined(float(differences[i])),
                    raw_difference=None if other else defined(float(raw[i])),
                    ci=None if other else bounds[i],
                    metric=None if other else defined(float(metric[i])),
                    rest_metric=None if other else defined(float(rest[i])),
                    expected_improvement=None if other else defined(float(shrunk[i])),
                    raw_expected_improvement=None if other else defined(float(gained[i])),
                    auc=defined(float(tests.auc[j])),
                    tau=None if number is None else defined(number.tau),
                    cut=None if number is None or other else number.cut(int(tests.place[j])),
                    z=defined(float(tests.z[j])),
                    p=float(tests.p[j]),
                    raw_p=float(self.raw_p[i]),
                    log10_p=float(tests.log10_p[j]),
                    q=defined(float(self.q[self.ranking.among[j]])),
                    method=WAYS[int(tests.method[j])],
                    chi2=defined(float(tests.chi2[j])),
                    folded=tuple(called[feature] for feature in listed.folded),
                    examples=details.examples[i],
                    units=details.units[i],
                )
            )
        return rows

    @property
    def _as_measured(self) -> bool:
        """Whether gains are shown as they are: the published tool's, and those of confusions, which are not tested."""
        return self.request.geval or self.confusions

    def _bounds(self, differences: Array) -> list[Bounds | None]:
        """Return the interval of each difference of means, from draws of clusters."""
        cells, within = self.details.cells, self.details.within
        if self.drawn is None or cells is None:
            return [None] * len(differences)
        draws = self._drawn(cells) if within is None else self._drawn_within(cells, within)
        if self.details.plain is not None:
            at, plain = self.details.plain
            draws[:, at] = self._drawn(plain)
        draws[~np.isfinite(draws)] = np.nan
        method = IntervalMethod(self.drawn.clusters, self.request.confidence)
        interval = method.corpus(Estimate(differences, draws, limits=self._limits))
        return [bounds for bounds, _ in listed_bounds(interval)]

    @property
    def _limits(self) -> Limits:
        """What differences can be: items and units may be right or wrong, or have changed; graded scores are free."""
        scores = self.about.score_ranks.scores
        few = self.about.over != "items" or len(scores) == 2
        return of_differences((float(scores[0]), float(scores[-1]))) if few else NO_LIMITS

    def _sums(self, cells: Array) -> Array:
        if self.drawn is None:
            raise ValueError("nothing is drawn")
        return self.drawn.sums(cells[canonical_order(cells[:, None, :])])

    def _drawn(self, cells: Array) -> Array:
        """Return differences of means in each draw."""
        sums = self._sums(cells)
        n, total = sums[:, :-2:2], sums[:, 1:-2:2]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / n - (sums[:, -1:] - total) / (sums[:, -2:-1] - n))

    def _drawn_within(self, cells: Array, within: WithinStrata) -> Array:
        """Return differences within strata in each draw: what scores are beyond the means of strata varies."""
        share, shown = within.counts / within.sizes, within.counts.shape[0]
        sums = self._sums(cells)
        drawn, total = sums[:, : 2 * shown : 2], sums[:, 1:-2:2]
        beyond = total[:, :shown] - total[:, shown:] @ share.T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(beyond / (within.weights * drawn / within.counts.sum(axis=1)))


def most_frequent(ranking: Ranking) -> list[int]:
    """Return the confusions that are shown, by their places; of equally frequent ones the first by name."""
    places = np.arange(len(ranking.tests))
    frame = pl.DataFrame({"n": -ranking.tests.n, "name": ranking.names(places), "at": places})
    return frame.sort("n", "name")["at"].head(CONFUSIONS).to_list()
