"""`score`: corpus scores with intervals, per label, kinds of error, and paired tests between systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.engine.cells import count_cells, item_statistics, metric_cells, pinned
from slicewise.engine.local import whole
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import MetricSpec, as_share, metrics_of
from slicewise.lenses.error_types import KINDS, STATISTICS, WAYS, ErrorTable, confusion_table, error_table
from slicewise.lenses.inference import check_options, inference_block, inference_signature, summary_with
from slicewise.lenses.intervals import OF_SHARES, Estimate, IntervalMethod, Limits, listed_bounds, of_differences
from slicewise.lenses.score.dependence import dependences, neighbour_warnings
from slicewise.lenses.score.result import Pair, ScoreResult, Spread, SystemScores
from slicewise.matching.repair import repaired_f1
from slicewise.metrics.counts import N_GOLD, N_PRED, PROPORTIONS, TP, by_label, total
from slicewise.metrics.metric import Metric
from slicewise.metrics.prf import macro, weighted
from slicewise.results.base import Bounds, count, defined
from slicewise.results.estimates import Mean, Prf, Value
from slicewise.stats.canonical import canonical_order
from slicewise.stats.intervals import Resamples
from slicewise.stats.multiplicity import ALPHA, holm, indistinguishable
from slicewise.stats.pooled import Pool
from slicewise.stats.tests import paired_draws, randomisation_p

MANY_SYSTEMS = 10
"""Beyond so many, pairs are compared by the first metric and by those that the user names."""


def score(
    evaluation: Evaluation,
    *,
    metrics: MetricSpec = (),
    beta: float = 1.0,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
) -> ScoreResult:
    """Score every system.

    `metrics`: the first ranks; those of the task where none is named. `resamples=0`: no intervals and no tests.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    chosen = [as_share(evaluation, metric) for metric in metrics_of(evaluation.task, metrics, beta)]
    for metric in chosen:
        evaluation = evaluation if metric.additive else whole(evaluation, f"the metric {metric.name}")
    tally = _SystemScores.of(evaluation, chosen, resamples=resamples, confidence=confidence, seed=seed)
    values = {metric.name: tally.values(metric) for metric in chosen}
    scored = {name: tally.with_intervals(of.values, of.estimate()) for name, of in values.items()}
    systems = {name: _system_scores(evaluation, tally, scored, i) for i, name in enumerate(evaluation.systems)}
    for name, dependence in dependences(evaluation, chosen).items():
        systems[name] = replace(systems[name], dependence=dependence)
    compared = evaluation.systems if restarts == "each" else evaluation.ranked_systems
    tested = chosen if metrics or len(compared) <= MANY_SYSTEMS else chosen[:1]
    pairs, draws = _pairs(evaluation.systems, tally, [(m, values[m.name]) for m in tested], compared, seed=seed)
    lower = tuple(m.name for m in chosen if not m.greater_is_better)
    names = tuple(m.name for m in chosen)
    drawing: dict[str, Any] = {"resamples": resamples, "confidence": confidence, "seed": seed}
    parts = [f"metrics:{'+'.join(names)}", *inference_signature(**drawing, beta=beta, restarts=restarts)]
    parts += pinned(evaluation, chosen)
    return ScoreResult(
        command="score",
        signature=evaluation.signature(*parts),
        data=summary_with(evaluation, neighbour_warnings(evaluation, chosen, seed)),
        metrics=names,
        lower_is_better=lower,
        systems=systems,
        pairs=pairs,
        groups=_groups(systems, pairs, compared, chosen[0]),
        restarts=_spreads(evaluation, systems, names),
        inference=inference_block(
            evaluation,
            drawn=tally.draws is not None,
            draws=draws,
            proportions=chosen[0].size is not None,
            others=[metric.name for metric in chosen if (metric.size is None) != (chosen[0].size is None)],
            **drawing,
        ),
    )


@dataclass(frozen=True)
class _MetricValues:
    """A metric's value of every system, `(systems,)`, and in every draw, `(draws, systems)`."""

    values: Array
    draws: Array | None
    sizes: Array | None
    """Of a proportion: how many units it is a share of."""
    limits: Limits

    def estimate(self) -> Estimate | None:
        """Return the values as estimates, where there are draws."""
        return None if self.draws is None else Estimate(self.values, self.draws, self.sizes, limits=self.limits)


@dataclass(frozen=True)
class _SystemScores:
    """All statistics by cluster group, their totals, and their sums in every draw; one block of columns per part.

    Metrics that are not additive have a pool of items instead.
    """

    cells: Array
    """`(groups, systems, columns)` in an order that does not depend on that of the items."""
    blocks: dict[str, slice]
    pools: dict[str, Pool]
    resamples: Resamples | None
    totals: Array
    draws: Array | None
    method: IntervalMethod
    errors: ErrorTable

    @classmethod
    def of(
        cls, evaluation: Evaluation, metrics: Sequence[Metric], *, resamples: int, confidence: float, seed: int
    ) -> _SystemScores:
        systems, groups = evaluation.systems, evaluation.aligned.clusters.groups
        parts: dict[str, Array] = {}
        errors = ErrorTable(np.zeros((groups, len(systems), 0)), [{}] * len(systems), [()] * len(systems))
        if evaluation.task.has_units:
            parts["counts"] = count_cells(evaluation, systems)
        for metric in metrics:
            if metric.statistics is not None and metric.additive:
                parts[metric.name] = metric_cells(evaluation, metric, systems)
        if evaluation.task is Task.SPANS:
            errors = error_table(evaluation, systems)
            parts["errors"] = errors.cells
        elif evaluation.task.has_units:
            errors = replace(errors, confusions=confusion_table(evaluation, systems))
        pools = {metric.name: _pool(evaluation, metric) for metric in metrics if not metric.additive}
        cells = np.concatenate([np.zeros((groups, len(systems), 0)), *parts.values()], axis=2)
        ends = np.cumsum([part.shape[2] for part in parts.values()], dtype=np.int64)
        blocks = {name: slice(end - part.shape[2], end) for (name, part), end in zip(parts.items(), ends, strict=True)}
        order = canonical_order(np.concatenate([cells, *(pool.fingerprints() for pool in pools.values())], axis=2))
        cells = cells[order]
        drawn = Resamples(groups, resamples, seed, keep=bool(pools)) if resamples and groups > 1 else None
        return cls(
            cells=cells,
            blocks=blocks,
            pools={name: pool.reordered(order) for name, pool in pools.items()},
            resamples=drawn,
            totals=cells.sum(axis=0),
            draws=None if drawn is None else drawn.sums(cells),
            method=IntervalMethod(groups, confidence),
            errors=errors,
        )

    def part(self, name: str, system: int) -> tuple[Array, Array | None]:
        """Return one part's totals of a system, and its sums in every draw."""
        columns = self.blocks[name]
        return self.totals[system, columns], None if self.draws is None else self.draws[:, system, columns]

    def metric_columns(self, metric: Metric) -> slice:
        """Return the columns that a metric reads."""
        return self.blocks["counts" if metric.statistics is None else metric.name]

    def values(self, metric: Metric) -> _MetricValues:
        """Return a metric of all systems."""
        if metric.pooled is not None:
            pool = self.pools[metric.name]
            draws = None if self.resamples is None else pool.draws(metric.pooled, self.resamples)
            return _MetricValues(pool.values(metric.pooled), draws, None, metric.limits)
        columns = self.metric_columns(metric)
        totals = self.totals[:, columns]
        values = metric.value(totals)
        draws = None if self.draws is None else metric.value(self.draws[:, :, columns])
        sizes = None if metric.size is None else metric.sizes(totals)
        return _MetricValues(values, draws, sizes, metric.limits)

    def randomisation_p(
        self, metric: Metric, places: NDArray[np.int64], *, draws: int, seed: int
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the p of pairs of systems, and in how many draws their difference is undefined."""
        if metric.pooled is not None:
            return self.pools[metric.name].randomisation_p(metric.pooled, places, draws=draws, seed=seed)
        reduced = metric.reduce(self.cells[:, :, self.metric_columns(metric)])
        return randomisation_p(reduced, metric.finish, places, draws=draws, seed=seed)

    def with_intervals(self, values: Array, estimate: Estimate | None) -> list[Value]:
        """Return values over the whole corpus with their intervals."""
        bounds = _no_bounds(len(values)) if estimate is None else listed_bounds(self.method.corpus(estimate))
        return [
            Value(value=defined(float(value)), ci=ci, undefined_draws=undefined)
            for value, (ci, undefined) in zip(values, bounds, strict=True)
        ]


def _no_bounds(values: int) -> list[tuple[Bounds | None, int]]:
    return [(None, 0)] * values


def _pool(evaluation: Evaluation, metric: Metric) -> Pool:
    """Return the items' statistics of a metric that is not additive."""
    columns = item_statistics(evaluation, metric, evaluation.systems)
    clusters, systems = evaluation.aligned.clusters, len(evaluation.systems)
    statistics = np.array(list(columns.values())).reshape(systems, len(columns) // systems, -1).transpose(0, 2, 1)
    return Pool.of(statistics, clusters.group, clusters.groups)


def _system_scores(
    evaluation: Evaluation, tally: _SystemScores, scored: Mapping[str, Sequence[Value]], i: int
) -> SystemScores:
    values = {metric: systems[i] for metric, systems in scored.items()}
    if not evaluation.task.has_units:
        return SystemScores(metrics=values)
    totals, draws = tally.part("counts", i)
    extra: dict[str, Any] = {"confusions": tally.errors.confusions[i]}
    if evaluation.task is Task.SPANS:
        extra |= _error_scores(tally, i) | {"overlapping": tally.errors.overlapping[i]}
    corpus = (total(totals)[None], None if draws is None else total(draws)[:, None])
    labels = prf_table(tally.method, by_label(totals), None if draws is None else by_label(draws), corpus)
    used = [
        (label, prf) for label, prf in zip(evaluation.aligned.labels, labels, strict=True) if prf.n_gold or prf.n_pred
    ]
    return SystemScores(
        metrics=values,
        micro=prf_table(tally.method, *corpus)[0],
        macro=_mean(tally, i, macro),
        weighted=_mean(tally, i, weighted),
        labels=dict(used),
        **extra,
    )


Counts = tuple[Array, Array | None]
"""Counts `(rows, 3)`, and in every draw, `(draws, rows, 3)`."""


def prf_table(method: IntervalMethod, counts: Array, draws: Array | None, corpus: Counts | None = None) -> list[Prf]:
    """Return counts `(rows, 3)` as P, R and F1 with intervals; of slices of a corpus, if it is given."""
    values = {name: measure.value(counts) for name, measure in PROPORTIONS.items()}
    bounds = None if draws is None else _prf_bounds(method, counts, draws, corpus)
    return [
        Prf(
            n_gold=int(row[N_GOLD]),
            n_pred=int(row[N_PRED]),
            tp=count(float(row[TP])),
            **{name: defined(float(column[i])) for name, column in values.items()},
            ci=None if bounds is None else {name: listed[i][0] for name, listed in bounds.items()},
            undefined_draws=None if bounds is None else {name: listed[i][1] for name, listed in bounds.items()},
        )
        for i, row in enumerate(counts)
    ]


def _prf_bounds(
    method: IntervalMethod, counts: Array, draws: Array, corpus: Counts | None
) -> dict[str, list[tuple[Bounds | None, int]]]:
    bounds = {}
    for name, measure in PROPORTIONS.items():
        estimate = Estimate.of_sums(counts, draws, measure.value, measure.size)
        if corpus is None or corpus[1] is None:
            bounds[name] = listed_bounds(method.corpus(estimate))
        else:
            overall = Estimate.of_sums(corpus[0], corpus[1], measure.value, measure.size)
            bounds[name] = listed_bounds(method.slices(estimate, overall))
    return bounds


def _mean(tally: _SystemScores, i: int, mean: Callable[..., Array]) -> Mean:
    totals, draws = tally.part("counts", i)
    finishes = {name: partial(mean, measure=measure.value) for name, measure in PROPORTIONS.items()}
    values = np.array([finish(totals) for finish in finishes.values()])
    estimate = None
    if draws is not None:
        drawn = np.column_stack([finish(draws) for finish in finishes.values()])
        estimate = Estimate(values, drawn, limits=OF_SHARES)
    means = dict(zip(finishes, tally.with_intervals(values, estimate), strict=True))
    return Mean(
        **{name: value.value for name, value in means.items()},
        ci=None if estimate is None else {name: value.ci for name, value in means.items()},
        undefined_draws=None if estimate is None else {name: value.undefined_draws for name, value in means.items()},
    )


def _error_scores(tally: _SystemScores, i: int) -> dict[str, Any]:
    """Return kinds of error, what their repair would gain, and the SemEval counts."""
    totals, draws = tally.part("errors", i)
    counts, count_draws = (None if x is None else total(x) for x in tally.part("counts", i))
    if counts is None or len(totals) != STATISTICS:
        raise ValueError("errors without counts")
    kinds = len(KINDS)
    gains = repaired_f1(counts[TP], counts[N_PRED], counts[N_GOLD], totals[:kinds])
    estimate = None
    if draws is not None and count_draws is not None:
        gain_draws = repaired_f1(count_draws[:, TP], count_draws[:, N_PRED], count_draws[:, N_GOLD], draws[:, :kinds])
        estimate = Estimate(gains, gain_draws, limits=of_differences(OF_SHARES))
    ways = np.column_stack([totals[kinds:], np.tile(counts[N_PRED:], (len(WAYS), 1))])
    way_draws = None
    if draws is not None and count_draws is not None:
        shared = np.broadcast_to(count_draws[:, None, N_PRED:], (len(draws), len(WAYS), 2))
        way_draws = np.concatenate([draws[:, kinds:, None], shared], axis=2)
    return {
        "errors": {kind: int(n) for kind, n in zip(KINDS, totals[:kinds], strict=True)},
        "repairs": dict(zip(KINDS, tally.with_intervals(gains, estimate), strict=True)),
        "semeval": dict(zip(WAYS, prf_table(tally.method, ways, way_draws), strict=True)),
    }


def _pairs(
    systems: Sequence[str],
    tally: _SystemScores,
    metrics: Sequence[tuple[Metric, _MetricValues]],
    compared: Sequence[str],
    *,
    seed: int,
) -> tuple[tuple[Pair, ...], int]:
    """Compare every two systems by every metric; a < b by code points."""
    names = list(combinations(sorted(compared), 2))
    places = np.array([(systems.index(a), systems.index(b)) for a, b in names], dtype=np.int64).reshape(-1, 2)
    draws = paired_draws(len(names)) if names and tally.draws is not None else 0
    pairs: list[Pair] = []
    for metric, of in metrics:
        values = of.values
        bounds = _no_bounds(len(names))
        p = q = np.full(len(names), np.nan)
        undefined = np.zeros(len(names), np.int64)
        if draws and of.draws is not None:
            drawn = of.draws[:, places[:, 0]] - of.draws[:, places[:, 1]]
            difference = Estimate(values[places[:, 0]] - values[places[:, 1]], drawn, limits=of_differences(of.limits))
            bounds = listed_bounds(tally.method.corpus(difference))
            p, undefined = tally.randomisation_p(metric, places, draws=draws, seed=seed)
            q = holm(p)
        pairs += [
            Pair(
                a=a,
                b=b,
                metric=metric.name,
                a_value=defined(float(values[i])),
                b_value=defined(float(values[j])),
                difference=defined(float(values[i] - values[j])),
                ci=bounds[k][0],
                p=defined(float(p[k])),
                q=defined(float(q[k])),
                undefined_draws=bounds[k][1] + int(undefined[k]),
            )
            for k, ((a, b), (i, j)) in enumerate(zip(names, places, strict=True))
        ]
    return tuple(pairs), draws


def _groups(
    systems: dict[str, SystemScores], pairs: Sequence[Pair], compared: Sequence[str], metric: Metric
) -> tuple[tuple[str, ...], ...]:
    """Return groups of systems without significant differences by the first metric, best first."""
    tested = [p for p in pairs if p.metric == metric.name]
    if not tested or all(p.q is None for p in tested):
        return ()
    sign = -1 if metric.greater_is_better else 1
    names = sorted(compared)
    values = [systems[name].metrics[metric.name].value for name in names]
    order = sorted(range(len(names)), key=lambda i: (values[i] is None, sign * (values[i] or 0.0), names[i]))
    different = np.zeros((len(names), len(names)), np.bool_)
    for pair in tested:
        i, j = names.index(pair.a), names.index(pair.b)
        different[i, j] = different[j, i] = pair.q is not None and pair.q < ALPHA
    return tuple(tuple(names[i] for i in group) for group in indistinguishable(order, different))


def _spreads(
    evaluation: Evaluation, systems: dict[str, SystemScores], metrics: Sequence[str]
) -> dict[str, dict[str, Spread]]:
    """Summarise the restarts of each system that has any."""
    spreads: dict[str, dict[str, Spread]] = {}
    for name, runs in evaluation.restarts.items():
        if len(runs) < 2:
            continue
        spreads[name] = {metric: _spread([systems[run].metrics[metric].value for run in runs]) for metric in metrics}
    return spreads


def _spread(values: Sequence[float | None]) -> Spread:
    known = [v for v in values if v is not None]
    if not known:
        return Spread(n=0, mean=None, std=None, min=None, max=None)
    with np.errstate(over="ignore"):  # what is too large is undefined
        mean, std = float(np.mean(known)), float(np.std(known, ddof=1)) if len(known) > 1 else np.nan
    return Spread(n=len(known), mean=defined(mean), std=defined(std), min=min(known), max=max(known))
