"""`features`: which words, shapes, labels, lengths and values go with low scores, beyond chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts
from slicewise.engine import pinned
from slicewise.engine.gather import whole
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.extract.family import Kind
from slicewise.extract.items import ItemFeatures, Wanted
from slicewise.extract.tokenizers import check_tokenizer
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.asked import metrics_asked
from slicewise.lenses.examples import examples_of
from slicewise.lenses.feature_tests import WAYS, ranked
from slicewise.lenses.folding import NEAREST, Shown, fold
from slicewise.lenses.inference import ALPHA, bounds_of, check_options
from slicewise.lenses.part_view import Listing, Maker, asked_for
from slicewise.lenses.placed import with_all_of
from slicewise.lenses.population import ItemScoring, UnitScoring, scored_whole, unit_counts
from slicewise.lenses.ranked_parts import RankedParts
from slicewise.lenses.ranking import RankedRows
from slicewise.lenses.sources import Extremes
from slicewise.results.base import defined
from slicewise.results.features import Feature, FeatureList, FeaturesResult
from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import Resamples, percentile_interval
from slicewise.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation
    from slicewise.extract.family import Family, Quantity
    from slicewise.lenses.asked import Asked
    from slicewise.lenses.details import Details
    from slicewise.lenses.feature_tests import Evidence, Ranking, Side
    from slicewise.lenses.population import About, Population, Scoring
    from slicewise.metrics.metric import Metric
    from slicewise.results.base import Bounds

    Array = NDArray[np.float64]

DIRECTIONS = ("worst", "best", "worsening", "improving")
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


def features(
    evaluation: Evaluation,
    *,
    direction: str = "worst",
    change: tuple[str, str] | None = None,
    only: Sequence[str] | str = (),
    metrics: Asked = (),
    beta: float = 1.0,
    bigrams: bool = False,
    ngrams: int | None = None,
    shapes: bool = False,
    pairs: bool = False,
    numbers: bool = False,
    attributes: Sequence[str] | str = (),
    tokenizer: str | None = None,
    min_count: int | None = None,
    min_pair_count: int | None = None,
    top: int = 20,
    fold: bool = True,
    units: bool = False,
    ratio: bool = False,
    geval: bool = False,
    correction: str = "bh",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
    on_step: Callable[[str], None] | None = None,
) -> FeaturesResult:
    """Rank features by how surely they go with low scores.

    `direction`: worst, best, worsening or improving, the last two with `change=(old, new)`. `units`: rank over gold
    units (found or missed) and returned units (right or spurious). `geval`: the numbers of the published tool.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    if units and not evaluation.task.has_units:
        raise UserError(f"the task {evaluation.task.value} has no units to rank; leave out --units")
    attributes = [attributes] if isinstance(attributes, str) else attributes
    metric = metrics_asked(evaluation.task, [] if units else metrics, beta)[0]
    least = (1 if geval else 5) if min_count is None else min_count
    pair_least = least if min_pair_count is None else _count("min-pair-count", min_pair_count, 1)
    if units and ratio:
        raise UserError("units are right or wrong, and have no ratio; leave out --ratio")
    if units and tokenizer is not None and evaluation.task in (Task.SPANS, Task.TOKENS):
        raise UserError("units are made of the data's own tokens, or of words; leave out --tokenizer")
    request = Request(
        direction=_direction(direction, change, ratio=ratio),
        systems=_systems(evaluation, change, [only] if isinstance(only, str) else only, restarts),
        least=_count("min-count", least, 1),
        pair_least=pair_least if pairs else None,
        top=_count("top", top, 0),
        fold=fold and not geval,
        ratio=ratio,
        geval=geval,
        correction=_correction(correction),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    wanted = Wanted(
        tokenizer=check_tokenizer(tokenizer) if tokenizer is not None else "geval" if geval else None,
        ngrams=max(_count("ngrams", 1 if ngrams is None else ngrams, 1), 2 if bigrams else 1),
        shapes=shapes,
        numbers=numbers,
        least=0 if geval else least,
        geval=geval,
    )
    evaluation = _at_hand(evaluation, attributes, units=units, geval=geval)
    found = _Lists(evaluation, metric, request, wanted, tuple(attributes), units=units, on_step=on_step).all()
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *dict.fromkeys(w for one in found for w in one.warnings)]
    data["warnings"] += _unranked(evaluation, request) if units else []
    lists = tuple(one.ranked for one in found)
    return FeaturesResult(
        command="features",
        signature=evaluation.signature(
            *_parts(request, wanted, metric, attributes, pinned(evaluation, [] if units else [metric]), units=units)
        ),
        data=data,
        lists=lists,
        examples=examples_of(evaluation, metric, lists),
        correction=request.correction,
        least=request.least,
        geval=geval,
        scale=metric.scale,
    )


def _at_hand(evaluation: Evaluation, attributes: Sequence[str], *, units: bool, geval: bool) -> Evaluation:
    """Return the data as a whole where features cannot be worked out of parts."""
    if evaluation.parts is not None and (attributes or (units and evaluation.parts.scattered)):
        evaluation = with_all_of(evaluation, asked_for(Facts(evaluation), attributes, units=units))
    return whole(evaluation, "--geval") if geval else evaluation


def _unranked(evaluation: Evaluation, request: Request) -> list[str]:
    """Say whose units cannot be ranked because there are none."""
    names = ["gold", *(system for system, old in request.systems if old is None)]
    there = unit_counts(evaluation, names)
    return [f"{name} has no units to rank" for name in names if not there[name]]


def _direction(direction: str, change: tuple[str, str] | None, *, ratio: bool) -> str:
    if direction not in DIRECTIONS:
        raise UserError(f"unknown direction {quoted(direction)}; {did_you_mean(direction, DIRECTIONS)}")
    if (direction in ("worsening", "improving")) != (change is not None):
        raise UserError("worsening and improving need two systems, and only they do: --worsening OLD,NEW")
    if ratio and change is None:
        raise UserError("--ratio compares two systems; add --worsening OLD,NEW or --improving OLD,NEW")
    return direction


def _systems(
    evaluation: Evaluation, change: tuple[str, str] | None, only: Sequence[str], restarts: str
) -> tuple[tuple[str, str | None], ...]:
    runs = evaluation.systems if restarts == "each" else evaluation.ranked_systems
    for name in (*(change or ()), *only):
        if name not in evaluation.systems and name not in evaluation.restarts:
            raise UserError(f"no system {quoted(name)}; {did_you_mean(name, evaluation.systems)}")
    first = {name: own[0] for name, own in evaluation.restarts.items()}
    if change is not None and only:
        raise UserError("--only does not go with --worsening or --improving, which name their systems")
    if change is not None:
        old, new = (first.get(name, name) for name in change)
        if old == new:
            raise UserError(f"{quoted(old)} cannot be compared with itself; name two systems, OLD,NEW")
        return ((new, old),)
    chosen = dict.fromkeys(first.get(name, name) for name in only) if only else runs
    return tuple((name, None) for name in chosen)


def _count(name: str, value: int, least: int) -> int:
    if value < least:
        raise UserError(f"{name} is {value}; expected {least} or more")
    return value


def _correction(name: str) -> str:
    if name not in CORRECTIONS:
        raise UserError(f"unknown correction {quoted(name)}; {did_you_mean(name, CORRECTIONS)}")
    return name


def _parts(
    request: Request,
    wanted: Wanted,
    metric: Metric,
    attributes: Sequence[str],
    pins: Sequence[str],
    *,
    units: bool,
) -> list[str]:
    """Return what pins the lists."""
    kinds = ["tokens", *([f"{wanted.ngrams}grams"] if wanted.ngrams > 1 else [])]
    kinds += [name for name in ("shapes", "numbers") if getattr(wanted, name)]
    kinds += ["pairs"] if request.pair_least is not None else []
    parts = [] if units else [f"metrics:{metric.name}"]
    parts += [request.direction, f"features:{'+'.join([*kinds, *attributes])}"]
    parts += pins
    parts += [f"change:{old}>{new}" for new, old in request.systems if old is not None]
    parts += [f"tokenizer:{wanted.tokenizer}"] if wanted.tokenizer else []
    parts += [f"min-count:{request.least}", f"correction:{request.correction}", f"seed:{request.seed}"]
    parts += [] if request.pair_least in (None, request.least) else [f"min-pair-count:{request.pair_least}"]
    parts += [name for name, there in (("units", units), ("ratio", request.ratio), ("geval", request.geval)) if there]
    return parts + ([] if request.fold else ["unfolded"])


@dataclass(frozen=True)
class _Found:
    ranked: FeatureList
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Lists:
    """Makes the lists of all systems."""

    evaluation: Evaluation
    metric: Metric
    request: Request
    wanted: Wanted
    attributes: tuple[str, ...]
    units: bool
    on_step: Callable[[str], None] | None

    def all(self) -> list[_Found]:
        """Return the lists, one per system, or two where units are ranked."""
        self._step("extracting features")
        if self.evaluation.parts is not None:
            return self._in_parts()
        made = (UnitFeatures if self.units else ItemFeatures)(self.evaluation, self.wanted, self.attributes)
        found = []
        for system, old in self.request.systems:
            self._step(f"ranking the features of {system}")
            found += [self._list(made, scoring, system, old) for scoring in self._scorings(system, old)]
        return found

    def _in_parts(self) -> list[_Found]:
        asked = [(system, old, one) for system, old in self.request.systems for one in self._scorings(system, old)]
        if not asked:  # there are no units
            return []
        listings = [Listing(one, one.over if self.units else system) for system, _, one in asked]
        confused = [i for i, (_, old, _) in enumerate(asked) if self._has_confusions and old is None]
        listings += [Listing(asked[i][2], asked[i][0], confusions=True) for i in confused]
        maker = Maker(self.wanted, self.attributes, self.units)
        parts = RankedParts.of(self.evaluation, listings, maker, self.request.least, self.request.seed)
        made = lists_in_parts(parts, self.request, self._drawn(listings[0].scoring.over))
        confusions = {i: _by_frequency(own.features) for i, own in zip(confused, made[len(asked) :], strict=True)}
        found = []
        for i, (system, old, _) in enumerate(asked):
            ranked = replace(made[i], system=system, against=old, confusions=confusions.get(i, ()))
            head = parts.heads[i]
            left_out = _left_out(head, {one.name: head.size - one.size for one in parts.numbers[i]})
            found.append(_Found(ranked, (*head.warnings, *left_out, *_alike(head))))
        return found

    @property
    def _has_confusions(self) -> bool:
        return self.evaluation.task is Task.LABELS and not self.units and not self.request.high

    def _step(self, text: str) -> None:
        if self.on_step is not None:
            self.on_step(text)

    def _scorings(self, system: str, old: str | None) -> list[Scoring]:
        if not self.units:
            return [ItemScoring(self.metric, system, old, self.request.ratio)]
        sides = ("gold",) if old is not None or self.evaluation.task.value == "labels" else ("gold", "returned")
        there = unit_counts(self.evaluation, ["gold", system])
        return [UnitScoring(over, system, old) for over in sides if there["gold" if over == "gold" else system]]

    def _list(self, made: ItemFeatures | UnitFeatures, scoring: Scoring, system: str, old: str | None) -> _Found:
        population = scored_whole(self.evaluation, scoring)
        whose = system if isinstance(made, ItemFeatures) else population.over
        quantities = made.quantities(whose)
        ranked = feature_list(
            population,
            made.families(whose),
            quantities,
            self.request,
            drawn=self._drawn(population.over),
            system=system,
            against=old,
            confusions=() if old is not None else self._confusions(made, population, system),
        )
        lacking = {one.name: int(np.isnan(one.values[population.kept]).sum()) for one in quantities}
        return _Found(ranked, (*population.warnings, *_left_out(population, lacking), *_alike(population)))

    def _drawn(self, over: str) -> Resamples | None:
        """Return the draws for intervals of differences, which rows need that are not drawn one by one."""
        clusters = self.evaluation.aligned.clusters
        alone = over == "items" and clusters.count == self.evaluation.aligned.items
        if alone or not self.request.resamples or clusters.groups < 2 or self.request.geval:
            return None
        return Resamples(clusters.groups, self.request.resamples, self.request.seed)

    def _confusions(
        self, made: ItemFeatures | UnitFeatures, population: Population, system: str
    ) -> tuple[Feature, ...]:
        family = made.confusions(system) if isinstance(made, ItemFeatures) else None
        if family is None or not len(family) or self.request.high:
            return ()
        rows = RankedRows(population, [family], [], self.request.seed)
        ranking = ranked(rows, least=1, pair_least=None, side="low", geval=self.request.geval)
        frequent = [Shown(at) for at in most_frequent(ranking)]
        details = rows.details(ranking, [one.feature for one in frequent], None, high=False)
        return _by_frequency(_written(population, ranking, frequent, details, self.request, None).features)


def _by_frequency(confusions: Sequence[Feature]) -> tuple[Feature, ...]:
    return tuple(sorted(confusions, key=lambda feature: (-feature.n, feature.feature)))


def most_frequent(ranking: Ranking) -> list[int]:
    """Return the confusions that are shown, by their places; of equally frequent ones the first by name."""
    every = np.arange(len(ranking.tests))
    frame = pl.DataFrame({"n": -ranking.tests.n, "name": ranking.names(every), "at": every})
    return frame.sort("n", "name")["at"].head(CONFUSIONS).to_list()


def feature_list(
    population: Population,
    families: Sequence[Family],
    quantities: Sequence[Quantity],
    request: Request,
    *,
    drawn: Resamples | None,
    system: str,
    against: str | None = None,
    confusions: tuple[Feature, ...] = (),
) -> FeatureList:
    """Rank the features of a population and write the list of those that are shown."""
    rows = RankedRows(population, families, quantities, request.seed)
    ranking = _ranked(rows, request)
    alike = rows.alike(ranking) if request.fold else None
    shown = fold(_order(ranking, request), alike, request.top)
    groups = None if drawn is None else drawn.clusters
    details = rows.details(ranking, [one.feature for one in shown], groups, high=request.high)
    written = _written(population, ranking, shown, details, request, drawn)
    return replace(written, system=system, against=against, confusions=confusions)


def lists_in_parts(parts: RankedParts, request: Request, drawn: Resamples | None) -> list[FeatureList]:
    """Rank the features of every list of data in parts; lists of confusions have the most frequent ones."""
    evidence = parts.evidence()
    confused = [listing.confusions for listing in parts.listings]
    plain = replace(request, least=1, pair_least=None, direction="worst")
    requests = [plain if odd else request for odd in confused]
    rankings = [_ranked(own, asked) for own, asked in zip(evidence, requests, strict=True)]
    orders = [
        np.zeros(0, np.int64) if odd else _order(one, request) for odd, one in zip(confused, rankings, strict=True)
    ]
    alike = parts.alike(rankings, orders) if request.fold else [None] * len(rankings)
    shown = [
        [Shown(at) for at in most_frequent(ranking)] if odd else fold(order, one, request.top)
        for odd, ranking, order, one in zip(confused, rankings, orders, alike, strict=True)
    ]
    chosen = [[one.feature for one in some] for some in shown]
    groups = None if drawn is None else drawn.clusters
    details = parts.details(rankings, chosen, alike, groups, high=request.high)
    return [
        _written(head, ranking, some, own, asked, None if odd else drawn)
        for head, ranking, some, own, asked, odd in zip(
            parts.heads, rankings, shown, details, requests, confused, strict=True
        )
    ]


def _ranked(evidence: Evidence, request: Request) -> Ranking:
    side: Side = "high" if request.high else "low"
    return ranked(evidence, least=request.least, pair_least=request.pair_least, side=side, geval=request.geval)


def _order(ranking: Ranking, request: Request) -> NDArray[np.int64]:
    """Return the features that may be shown, the first of the list first."""
    return ranking.ordered(0 if not request.top else max(request.top * 50, NEAREST), high=request.high)


def _written(
    about: About, ranking: Ranking, shown: Sequence[Shown], details: Details, request: Request, drawn: Resamples | None
) -> FeatureList:
    """Write the list of the features that are shown; whose it is is not known here."""
    confused = [source.kind for source in ranking.sources] == [Kind.CONFUSION]  # wrong by construction
    q = np.full(len(ranking.tested), np.nan) if confused else CORRECTIONS[request.correction](ranking.tested)
    return FeatureList(
        system="",
        against=None,
        direction=request.direction,
        over=about.over,
        n=about.size,
        metric=about.metric,
        value=defined(float(about.finish(details.totals))),
        mean=details.score / about.size,
        lower_is_better=about.sign < 0,
        ratio=request.ratio,
        tested=len(ranking.tested),
        significant=int((q < ALPHA).sum()),
        features=tuple(_Rows(about, ranking, q, request, details, drawn).features(shown)),
        confusions=(),
    )


def _alike(about: About) -> tuple[str, ...]:
    return (f"every {_noun(about)} has the same score: nothing can be ranked",) if about.alike else ()


def _left_out(about: About, lacking: Mapping[str, int]) -> list[str]:
    """Say how many rows have no finite value of a number."""
    return [
        f"{name}: {counted(n, _noun(about))} without a finite number, left out of its test"
        for name, n in lacking.items()
        if n
    ]


def _noun(about: About) -> str:
    return "item" if about.over == "items" else "unit"


@dataclass(frozen=True)
class _Rows:
    """Writes the rows of a list."""

    about: About
    ranking: Ranking
    q: Array
    request: Request
    details: Details
    drawn: Resamples | None

    def features(self, shown: Sequence[Shown]) -> list[Feature]:
        """Return what is said of each feature that is shown."""
        if not shown:
            return []
        about, tests = self.about, self.ranking.tests
        at = np.array([one.feature for one in shown])
        names = self.ranking.names(at).to_list()
        every = np.concatenate([at, *(one.folded for one in shown)]).astype(np.int64)
        called = dict(zip(every.tolist(), self.ranking.names(every).to_list(), strict=True))
        details = self.details
        with_it, counts, score_sums, whole = details.statistics, details.n, details.scores, details.totals
        metric, rest = about.finish(with_it), about.finish(whole - with_it)
        gained = about.sign * (rest - about.finish(whole))
        means = score_sums / counts
        others = about.size - counts
        rest_means = np.divide(details.score - score_sums, others, out=np.full(len(counts), np.nan), where=others > 0)
        bounds = self._bounds(len(shown))
        found = []
        for i, one in enumerate(shown):
            j = one.feature
            source = self.ranking.sources[int(tests.source[j])]
            number = source if isinstance(source, Extremes) else None
            other = number is not None and number.mean is not None  # the published tool takes other items
            found.append(
                Feature(
                    feature=names[i],
                    kind=source.kind.value,
                    n=int(tests.n[j]),
                    mean=number.mean if number is not None and number.mean is not None else float(means[i]),
                    rest_mean=None if other else defined(float(rest_means[i])),
                    difference=None if other else defined(float(means[i] - rest_means[i])),
                    ci=None if other else bounds[i],
                    metric=None if other else defined(float(metric[i])),
                    rest_metric=None if other else defined(float(rest[i])),
                    expected_improvement=None if other else defined(float(gained[i])),
                    auc=defined(float(tests.auc[j])),
                    tau=None if number is None else defined(number.tau),
                    cut=None if number is None or other else number.cut(int(tests.place[j])),
                    z=defined(float(tests.z[j])),
                    p=float(tests.p[j]),
                    log10_p=float(tests.log10_p[j]),
                    q=defined(float(self.q[self.ranking.among[j]])),
                    method=WAYS[int(tests.method[j])],
                    chi2=defined(float(tests.chi2[j])),
                    folded=tuple(called[feature] for feature in one.folded),
                    examples=details.examples[i],
                    units=details.units[i],
                )
            )
        return found

    def _bounds(self, shown: int) -> list[Bounds | None]:
        """Return the interval of each difference of means, from draws of clusters."""
        cells = self.details.cells
        if self.drawn is None or cells is None:
            return [None] * shown
        sums = self.drawn.sums(cells[canonical_order(cells[:, None, :])])
        n, total = sums[:, :-2:2], sums[:, 1:-2:2]
        with np.errstate(invalid="ignore", divide="ignore"):
            difference = total / n - (sums[:, -1:] - total) / (sums[:, -2:-1] - n)
        difference[~np.isfinite(difference)] = np.nan
        found = percentile_interval(difference, confidence=self.request.confidence)
        return [bounds_of(float(lo), float(hi)) for lo, hi in zip(found.lo, found.hi, strict=True)]
