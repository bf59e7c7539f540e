"""`features`: which words, shapes, labels, lengths and values go with low scores, beyond chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from slicewise.annotations import Task
from slicewise.attributes.facts import Facts
from slicewise.engine.cells import pinned
from slicewise.engine.local import parts_of, whole
from slicewise.errors import UserError, counted, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.extract.items import FeatureSpec
from slicewise.extract.tokenizers import check_tokenizer
from slicewise.lenses.chosen_metrics import MetricSpec, metrics_of
from slicewise.lenses.examples import examples_of
from slicewise.lenses.features.result import FeaturesResult
from slicewise.lenses.inference import check_options
from slicewise.lenses.ranking.context import FeatureExtractor, ListSpec, feature_attributes
from slicewise.lenses.ranking.feature_ranking import FeatureRanking
from slicewise.lenses.ranking.lists import CORRECTIONS, Request, feature_lists
from slicewise.lenses.ranking.population import ItemScoring, Scoring, UnitScoring, unit_counts
from slicewise.lenses.ranking.result import Feature, FeatureList
from slicewise.lenses.ranking.score_ranks import ListSummary
from slicewise.lenses.ranking.strata import FEWEST, LENGTH
from slicewise.lenses.slicing.bucketed import with_all_of
from slicewise.metrics.metric import Metric
from slicewise.stats.intervals import Resamples

DIRECTIONS = ("worst", "best", "worsening", "improving")


def features(
    evaluation: Evaluation,
    *,
    direction: str = "worst",
    change: tuple[str, str] | None = None,
    only: Sequence[str] | str = (),
    metrics: MetricSpec = (),
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
    adjust: Sequence[str] | str | None = None,
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
    `adjust`: compare items that are alike in these; None: in `length`, where the input has text; []: all with all.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    _check_units(evaluation.task, tokenizer, units=units, ratio=ratio)
    attributes, adjust = [attributes] if isinstance(attributes, str) else attributes, _adjust(adjust, geval=geval)
    metric = metrics_of(evaluation.task, [] if units else metrics, beta)[0]
    least = (1 if geval else 5) if min_count is None else min_count
    request = Request(
        direction=_direction(direction, change, ratio=ratio),
        systems=_systems(evaluation, change, [only] if isinstance(only, str) else only, restarts),
        least=_count("min-count", least, 1),
        pair_least=_pair_least(least, min_pair_count, pairs=pairs),
        top=_count("top", top, 0),
        fold=fold and not geval,
        ratio=ratio,
        geval=geval,
        correction=_correction(correction),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    spec = FeatureSpec(shapes=shapes, numbers=numbers, geval=geval, least=0 if geval else least)
    spec = _with_tokens(spec, tokenizer, ngrams, bigrams=bigrams)
    evaluation = _at_hand(evaluation, (*attributes, *(adjust or ())), units=units, geval=geval)
    return _ranked(_Lists(evaluation, metric, request, spec, tuple(attributes), adjust, units=units, on_step=on_step))


def _with_tokens(spec: FeatureSpec, tokenizer: str | None, ngrams: int | None, *, bigrams: bool) -> FeatureSpec:
    """Return features with how texts are cut, and the longest runs of tokens."""
    tokenizer = check_tokenizer(tokenizer) if tokenizer is not None else "geval" if spec.geval else None
    longest = max(_count("ngrams", 1 if ngrams is None else ngrams, 1), 2 if bigrams else 1)
    return replace(spec, tokenizer=tokenizer, ngrams=longest)


def _pair_least(least: int, given: int | None, *, pairs: bool) -> int | None:
    checked = _count("min-pair-count", least if given is None else given, 1)
    return checked if pairs else None


def _adjust(names: Sequence[str] | str | None, *, geval: bool) -> tuple[str, ...] | None:
    """Return what is adjusted for; None: length, where there is text."""
    if names and geval:
        raise UserError("--geval has the numbers of the published tool, which adjusts for nothing; leave out --adjust")
    return () if geval else names if names is None else (names,) if isinstance(names, str) else tuple(names)


def _check_units(task: Task, tokenizer: str | None, *, units: bool, ratio: bool) -> None:
    if not units:
        return
    if not task.has_units:
        raise UserError(f"the task {task.value} has no units to rank; leave out --units")
    if ratio:
        raise UserError("units are right or wrong, and have no ratio; leave out --ratio")
    if tokenizer is not None and task in (Task.SPANS, Task.TOKENS):
        raise UserError("units are made of the data's own tokens, or of words; leave out --tokenizer")


def _ranked(lists_of: _Lists) -> FeaturesResult:
    evaluation, metric, request, units = lists_of.evaluation, lists_of.metric, lists_of.request, lists_of.units
    ranked = lists_of.all()
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *dict.fromkeys(w for _, warnings in ranked for w in warnings)]
    data["warnings"] += _unranked(evaluation, request) if units else []
    lists = tuple(features for features, _ in ranked)
    return FeaturesResult(
        command="features",
        signature=evaluation.signature(
            *_parts(
                request,
                lists_of.spec,
                metric,
                lists_of.attributes,
                lists_of.adjust,
                pinned(evaluation, [] if units else [metric]),
                units=units,
            )
        ),
        data=data,
        lists=lists,
        examples=examples_of(evaluation, metric, lists),
        correction=request.correction,
        least=request.least,
        geval=request.geval,
        scale=metric.scale,
    )


def _at_hand(evaluation: Evaluation, attributes: Sequence[str], *, units: bool, geval: bool) -> Evaluation:
    """Return the data as a whole where features, or what they are adjusted for, cannot be worked out of parts."""
    attributes = [name for name in attributes if name != LENGTH]
    if attributes or (units and parts_of(evaluation).scattered):
        evaluation = with_all_of(evaluation, feature_attributes(Facts.of(evaluation), attributes, units=units))
    return whole(evaluation, "--geval") if geval else evaluation  # which ranks numbers from all rows


def _unranked(evaluation: Evaluation, request: Request) -> list[str]:
    """Say whose units cannot be ranked because there are none."""
    names = ["gold", *(system for system, old in request.systems if old is None)]
    counts = unit_counts(evaluation, names)
    return [f"{name} has no units to rank" for name in names if not counts[name]]


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
    first = {name: names[0] for name, names in evaluation.restarts.items()}
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
    spec: FeatureSpec,
    metric: Metric,
    attributes: Sequence[str],
    adjust: Sequence[str] | None,
    pins: Sequence[str],
    *,
    units: bool,
) -> list[str]:
    """Return what pins the lists."""
    kinds = ["tokens", *([f"{spec.ngrams}grams"] if spec.ngrams > 1 else [])]
    kinds += [name for name in ("shapes", "numbers") if getattr(spec, name)]
    kinds += ["pairs"] if request.pair_least is not None else []
    parts = [] if units else [f"metrics:{metric.name}"]
    parts += [request.direction, f"features:{'+'.join([*kinds, *attributes])}"]
    parts += pins
    parts += [f"change:{old}>{new}" for new, old in request.systems if old is not None]
    parts += [f"tokenizer:{spec.tokenizer}"] if spec.tokenizer else []
    parts += [f"min-count:{request.least}", f"correction:{request.correction}", f"seed:{request.seed}"]
    parts += [] if adjust is None or request.geval else [f"adjust:{'+'.join(adjust) or 'nothing'}"]
    parts += [] if request.pair_least in (None, request.least) else [f"min-pair-count:{request.pair_least}"]
    parts += [name for name, chosen in (("units", units), ("ratio", request.ratio), ("geval", request.geval)) if chosen]
    return parts + ([] if request.fold else ["unfolded"])


@dataclass(frozen=True)
class _Lists:
    """Makes the lists of all systems."""

    evaluation: Evaluation
    metric: Metric
    request: Request
    spec: FeatureSpec
    attributes: tuple[str, ...]
    adjust: tuple[str, ...] | None
    units: bool
    on_step: Callable[[str], None] | None

    def all(self) -> list[tuple[FeatureList, tuple[str, ...]]]:
        """Return the lists, one per system, or two where units are ranked, each with its warnings."""
        if self.on_step is not None:
            self.on_step("extracting features")
        scorings = [(*pair, scoring) for pair in self.request.systems for scoring in self._scorings(*pair)]
        if not scorings:  # there are no units
            return []
        specs = [ListSpec(scoring, scoring.over if self.units else system) for system, _, scoring in scorings]
        confused = [i for i, (_, old, _) in enumerate(scorings) if self._has_confusions and old is None]
        specs += [ListSpec(scorings[i][2], scorings[i][0], confusions=True) for i in confused]
        extractor = FeatureExtractor(self.spec, self.attributes, self.units, adjust=self.adjust)
        ranking = FeatureRanking.of(self.evaluation, specs, extractor, self.request.least)
        lists = feature_lists(ranking, self.request, self._drawn(specs[0].scoring.over))
        confusions = dict(zip(confused, (_by_frequency(of.features) for of in lists[len(scorings) :]), strict=True))
        complete = []
        for i, (system, old, _) in enumerate(scorings):
            summary = ranking.summaries[i]
            left_out = _left_out(summary, {of.number.name: summary.size - of.number.size for of in ranking.numbers[i]})
            features = replace(lists[i], system=system, against=old, confusions=confusions.get(i, ()))
            about = _about_adjusting(self.evaluation, self.adjust or (), features)
            complete.append((features, (*summary.warnings, *left_out, *_alike(summary), *about)))
        return complete

    @property
    def _has_confusions(self) -> bool:
        return self.evaluation.task is Task.LABELS and not self.units and not self.request.high

    def _scorings(self, system: str, old: str | None) -> list[Scoring]:
        if not self.units:
            return [ItemScoring(self.metric, system, old, self.request.ratio)]
        sides = ("gold",) if old is not None or self.evaluation.task.value == "labels" else ("gold", "returned")
        counts = unit_counts(self.evaluation, ["gold", system])
        return [UnitScoring(over, system, old) for over in sides if counts["gold" if over == "gold" else system]]

    def _drawn(self, over: str) -> Resamples | None:
        """Return the draws for intervals of differences, which rows need that are not drawn one by one."""
        clusters = self.evaluation.aligned.clusters
        alone = over == "items" and clusters.count == self.evaluation.aligned.items
        if alone or not self.request.resamples or clusters.groups < 2 or self.request.geval:
            return None
        return Resamples(clusters.groups, self.request.resamples, self.request.seed)


def _by_frequency(confusions: Sequence[Feature]) -> tuple[Feature, ...]:
    return tuple(sorted(confusions, key=lambda feature: (-feature.n, feature.feature)))


def _about_adjusting(evaluation: Evaluation, adjust: Sequence[str], features: FeatureList) -> list[str]:
    """Return warnings on what cannot be adjusted for."""
    clusters = evaluation.aligned.clusters
    texts = [
        f"nothing is adjusted for {quoted(name)}: it is the same everywhere, or no two values have {FEWEST} cases each"
        for name in dict.fromkeys(adjust)
        if name not in features.adjusted_for
    ]
    if clusters.count == 1 < evaluation.aligned.items and features.tested:
        cluster = {"doc": "document"}.get(clusters.kind, clusters.kind)
        texts.append(f"all items are of one {cluster}: the p of features take them for independent")
    return texts


def _alike(summary: ListSummary) -> tuple[str, ...]:
    return (f"every {_noun(summary)} has the same score: nothing can be ranked",) if summary.alike else ()


def _left_out(summary: ListSummary, lacking: Mapping[str, int]) -> list[str]:
    """Say how many rows have no finite value of a number."""
    return [
        f"{name}: {counted(n, _noun(summary))} without a finite number, left out of its test"
        for name, n in lacking.items()
        if n
    ]


def _noun(summary: ListSummary) -> str:
    return "item" if summary.over == "items" else "unit"
