"""`study`: several data sets × systems × restarts, from the breakdown of each data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from slicewise._version import __version__
from slicewise.arrays import Array
from slicewise.attributes import Attribute
from slicewise.engine.local import whole
from slicewise.errors import UserError, printable, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.buckets import BucketsResult, Measured, buckets_of
from slicewise.lenses.buckets import buckets as break_down
from slicewise.lenses.inference import check_options
from slicewise.lenses.slicing.breakdown import Plan, find_measure
from slicewise.lenses.study.bucket_cells import BucketCells, bucket_cells
from slicewise.lenses.study.diagnoses import (
    corrected,
    diagnose_each,
    diagnose_groups,
    diagnose_over,
    pairs_of,
    split_is_arbitrary,
)
from slicewise.lenses.study.performance import DatasetPerformance, Table, blocks_of, mean_of, zeta_of
from slicewise.lenses.study.permutation_tests import ENOUGH, PermutationTests
from slicewise.lenses.study.result import (
    AttributeWise,
    Cell,
    Change,
    Companion,
    Holistic,
    ModelWise,
    StudyDiagnosis,
    StudyResult,
)
from slicewise.results.base import defined
from slicewise.stats.multiplicity import benjamini_hochberg
from slicewise.stats.omnibus import friedman
from slicewise.stats.ranks import spearman, spread

Tested = TypeVar("Tested", ModelWise, AttributeWise)
WAYS = ("average", "blocks", "first")


def study(
    evaluations: Iterable[Evaluation],
    *,
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str = (),
    buckets: int | None = None,
    cuts: Mapping[str, Any] | None = None,
    shared_cuts: bool = False,
    compare: Sequence[tuple[str, str]] = (),
    group_by: Sequence[str] = (),
    paper_tests: bool = False,
    metrics: Sequence[str] | str = (),
    beta: float = 1.0,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "average",
    on_dataset: Callable[[str], None] | None = None,
) -> StudyResult:
    """Study systems over several data sets: performance table, model-, attribute- and bucket-wise measures and tests.

    `attributes`: the paper's, unless named. `shared_cuts`: cut all data sets at the same points. `compare`: pairs of
    systems, all unless named. `group_by`: attributes by whose mean the data sets are put into a low and a high half,
    each diagnosed for itself. `restarts`: "average" first, or "blocks" of their own, or the "first" of each system.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts, ways=WAYS)
    # shared cuts need the values of all data sets side by side
    loaded = [whole(evaluation, "a study") for evaluation in evaluations]
    check_alike(loaded)
    few = len(loaded) < ENOUGH and not paper_tests
    slicing: dict[str, Any] = {"attributes": _chosen(attributes, group_by), "buckets": buckets, "cuts": cuts}
    slicing["metrics"] = [metrics] if isinstance(metrics, str) else list(metrics)
    options = slicing | {"shared_with": buckets_of(loaded, **slicing) if shared_cuts else {}, "beta": beta}
    options |= {"resamples": resamples, "confidence": confidence, "seed": seed}
    step = on_dataset or (lambda _: None)
    table = Table(tuple(_performances(loaded, options, compare, step, few=few, first=restarts == "first")))
    compared = pairs_of(table, compare)
    test = PermutationTests(find_measure(loaded[0], slicing["metrics"], beta), seed)
    chosen_test = None if paper_tests else test
    diagnoses = diagnose_each(table, compared) if few else diagnose_over(table, compared, chosen_test)
    diagnoses += diagnose_groups(table, compared, group_by, test)
    pinned = [f"restarts:{restarts}", *(f"group-by:{name}" for name in group_by)]
    pinned += [f"compare:{a}+{b}" for a, b in compare]
    pinned += ["paper-tests"] * paper_tests + ["shared-cuts"] * shared_cuts
    named = bool(compare)
    return _tables(loaded, table, diagnoses, compared, group_by, pinned, named=named, restarts=restarts)


def _chosen(attributes: Any, group_by: Sequence[str]) -> tuple[Any, ...]:
    """Return the attributes that were named, the paper's unless any were, and those that data sets are grouped by."""
    chosen = (attributes,) if isinstance(attributes, str) else tuple(attributes) or ("core",)
    return (*chosen, *(name for name in group_by if name not in chosen))


def _tables(
    loaded: Sequence[Evaluation],
    table: Table,
    diagnoses: Sequence[StudyDiagnosis],
    compared: Sequence[tuple[str, str]],
    group_by: Sequence[str],
    pinned: Sequence[str],
    *,
    named: bool,
    restarts: str,
) -> StudyResult:
    """Return the result; `named`: whether the pairs that are compared were named."""
    first, blocks = table.parts[0].result, restarts == "blocks"
    return StudyResult(
        command="study",
        signature=_signature(loaded, first, pinned),
        data=_data(loaded, table, group_by),
        metric=first.metric,
        lower_is_better=first.lower_is_better,
        datasets=table.datasets,
        systems=table.systems,
        attributes={name: table.attribute(name).summary for name in table.attributes},
        performance=tuple(_performance(table)),
        holistic=tuple(_holistic(table)),
        model_wise=tuple(_model_wise(table, blocks=blocks)),
        attribute_wise=tuple(_attribute_wise(table, blocks=blocks)),
        diagnoses=tuple(corrected(diagnoses)),
        relative_changes=tuple(_changes(table, compared)),
        item_level=tuple(_companions(table)),
        missing=tuple((s, part.name) for part in table.parts for s in table.systems if s not in part.runs),
        compared=tuple(compared) if named else (),
        grouped=bool(group_by),
        restarts=restarts,
        inference=replace(first.inference, test="", correction="Benjamini–Hochberg over all tests of a table"),
    )


def _performances(
    loaded: Sequence[Evaluation],
    options: dict[str, Any],
    compare: Sequence[tuple[str, str]],
    step: Callable[[str], None],
    *,
    few: bool,
    first: bool,
) -> Iterator[DatasetPerformance]:
    """Yield the performance of the systems on each data set; `first`: of the first run of each alone."""
    for evaluation in loaded:
        step(evaluation.name)
        part = _breakdown(evaluation, _pairs_within(evaluation, compare) if few else None, options, len(loaded))
        runs = {name: tuple(each[:1] if first else each) for name, each in evaluation.restarts.items()}
        cells = _cells(evaluation, options, list(chain(*runs.values()))) if len(loaded) >= ENOUGH else {}
        yield DatasetPerformance.of(evaluation, part, runs, cells)


def _pairs_within(evaluation: Evaluation, compare: Sequence[tuple[str, str]]) -> list[tuple[str, str]] | None:
    """Return the pairs that a data set has: all, where none are named; None where it has none of those named."""
    pairs = [pair for pair in compare if set(pair) <= {*evaluation.restarts, *evaluation.systems}]
    return pairs if pairs or not compare else None


def _breakdown(
    evaluation: Evaluation, compare: Sequence[tuple[str, str]] | None, options: dict[str, Any], datasets: int
) -> BucketsResult:
    """Break a data set down; with several, errors name the data set."""
    try:
        return break_down(evaluation, compare=compare, **options)
    except UserError as error:
        if error.where is not None or datasets == 1:
            raise
        raise UserError(f"data set {evaluation.name}: {error}") from None


def _cells(evaluation: Evaluation, options: dict[str, Any], runs: Sequence[str]) -> dict[str, BucketCells]:
    """Return the statistics of some runs in a data set's buckets, by cluster."""
    plan = Plan.of(options["attributes"], options["buckets"], options["cuts"])
    measure = find_measure(evaluation, options["metrics"], options["beta"])
    given = options["shared_with"]
    return bucket_cells(evaluation, replace(plan, shared=bool(given)), measure, given, runs)


def check_alike(evaluations: Sequence[Evaluation]) -> None:
    """Refuse data sets that cannot be studied together."""
    if not evaluations:
        raise UserError("no data set to study; add --config FILE with several [[dataset]], or --gold and --system")
    names = [e.name for e in evaluations]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"two data sets are called {quoted(twice[0])}; give each its own name")
    if len({e.task for e in evaluations}) > 1:
        listed = ", ".join(f"{e.name}: {e.task.value}" for e in evaluations)
        raise UserError(f"the data sets are of different tasks ({listed}); study those of one task at a time")


# ---------------------------------------------------------------------- tables


def _performance(table: Table) -> Iterable[Cell]:
    for part in table.parts:
        for attribute, breakdown in part.result.attributes.items():
            for system, runs in part.runs.items():
                for restart, run in enumerate(runs, 1):
                    for place, bucket in enumerate(breakdown.buckets):
                        scored = bucket.systems[run]
                        yield Cell(
                            dataset=part.name,
                            system=system,
                            restart=restart,
                            attribute=attribute,
                            bucket=bucket.name,
                            place=place,
                            interval=bucket.interval,
                            n_gold=scored.n if isinstance(scored, Measured) else scored.n_gold,
                            n_pred=scored.n if isinstance(scored, Measured) else scored.n_pred,
                            tp=None if isinstance(scored, Measured) else scored.tp,
                            f1=None if isinstance(scored, Measured) else scored.f1,
                            value=part.result.value(scored),
                            ci=part.result.bounds(scored),
                        )


def _overall(part: DatasetPerformance, run: str) -> float | None:
    """Return the measure over all units of the task's own kind."""
    overall = part.result.overall
    unit = {"spans": "span", "tokens": "token"}.get(part.result.data["task"], "item")
    return overall.get(unit, next(iter(overall.values()), {})).get(run)


def _holistic(table: Table) -> Iterable[Holistic]:
    for system in table.systems:
        means = []
        for part in table.parts:
            if system not in part.runs:
                continue
            values = [v for run in part.runs[system] if (v := _overall(part, run)) is not None]
            mean = defined(float(np.mean(values))) if values else None
            means += [] if mean is None else [mean]
            yield Holistic(
                system=system,
                dataset=part.name,
                value=mean,
                runs=len(part.runs[system]),
                std=defined(float(np.std(values, ddof=1))) if len(values) > 1 else None,
                n=part.result.data["gold_units"] or part.result.data["items"],
            )
        mean = defined(float(np.mean(means))) if means else None
        yield Holistic(system=system, dataset=None, value=mean, runs=0, n=len(means))


def _model_wise(table: Table, *, blocks: bool) -> Iterable[ModelWise]:
    rows: list[ModelWise] = []
    for system in table.systems:
        for attribute in table.attributes:
            parts = table.having(system, attribute)
            ordered = table.attribute(attribute).ordered
            averages = [table.averaged(part, system, attribute) for part in parts]
            rho = [
                _spearman(part, attribute, values, ordered=ordered)
                for part, values in zip(parts, averages, strict=True)
            ]
            sigma = [float(spread(values)) for values in averages]
            rows += [
                ModelWise(system=system, dataset=p.name, attribute=attribute, spearman=defined(r), std=defined(s))
                for p, r, s in zip(parts, rho, sigma, strict=True)
            ]
            tested = _friedman(table, attribute, [(part, system) for part in parts], blocks=blocks, ordered=ordered)
            rows.append(
                ModelWise(
                    system=system,
                    dataset=None,
                    attribute=attribute,
                    spearman=defined(float(mean_of(np.array(rho, np.float64)))),
                    std=defined(float(mean_of(np.array(sigma, np.float64)))),
                    **tested,
                )
            )
    return _with_q(rows)


def _spearman(part: DatasetPerformance, attribute: str, values: Array, *, ordered: bool) -> float:
    if not ordered:
        return float("nan")
    places = np.array([np.nan if name == "missing" else i for i, name in enumerate(part.names(attribute))])
    return float(spearman(values, places))


def _friedman(
    table: Table, attribute: str, runs: Sequence[tuple[DatasetPerformance, str]], *, blocks: bool, ordered: bool
) -> dict[str, Any]:
    """Test blocks × treatments; of categories, those that all blocks have are the treatments."""
    rows = [
        table.lined_up(part, attribute, scores)
        for part, system in runs
        for scores in blocks_of(part, system, attribute, blocks=blocks)
    ]
    values = np.array(rows, np.float64) if rows else np.zeros((0, 0))
    if not ordered and len(values):
        values = values[:, ~np.isnan(values).any(axis=0)]
    test = friedman(values)
    return {
        "friedman_p": defined(test.p),
        "blocks": test.blocks,
        "treatments": test.treatments,
        "dropped": test.dropped,
    }


def _with_q(rows: Sequence[Tested]) -> Iterable[Tested]:
    """Return rows with their p-values corrected over all of them."""
    q = benjamini_hochberg(np.array([np.nan if row.friedman_p is None else row.friedman_p for row in rows]))
    return (replace(row, friedman_q=defined(float(value))) for row, value in zip(rows, q, strict=True))


def _attribute_wise(table: Table, *, blocks: bool) -> Iterable[AttributeWise]:
    largest = {
        name: max((abs(z) for part in table.parts if (z := zeta_of(part, name)) is not None), default=0.0)
        for name in table.attributes
    }
    rows: list[AttributeWise] = []
    for part in table.parts:
        for name in (n for n in part.result.attributes if n in table.attributes):
            attribute = part.result.attributes[name]
            values = {system: table.averaged(part, system, name) for system in part.runs}
            rho = [abs(_spearman(part, name, v, ordered=attribute.ordered)) for v in values.values()]
            runs = [(part, system) for system in part.runs]
            tested = _friedman(table, name, runs, blocks=blocks, ordered=attribute.ordered)
            zeta = attribute.zeta
            rows.append(
                AttributeWise(
                    dataset=part.name,
                    attribute=name,
                    zeta=zeta,
                    zeta_relative=None if zeta is None or not largest[name] else zeta / largest[name],
                    rho=defined(float(mean_of(np.array(rho, np.float64)))),
                    **tested,
                )
            )
    return _with_q(rows)


def _changes(table: Table, pairs: Sequence[tuple[str, str]]) -> Iterable[Change]:
    for a, b in pairs:
        for attribute in table.attributes:
            for part in table.having(a, attribute):
                if b not in part.runs:
                    continue
                ours, theirs = (table.averaged(part, system, attribute) for system in (a, b))
                for place, name in enumerate(part.names(attribute)):
                    change = (ours[place] - theirs[place]) / theirs[place] if theirs[place] else np.nan
                    yield Change(
                        a=a, b=b, dataset=part.name, attribute=attribute, bucket=name, place=place,
                        treatment=table.treatment(part, attribute, place), change=defined(float(change)),
                    )  # fmt: skip


def _companions(table: Table) -> Iterable[Companion]:
    for part in table.parts:
        for name, attribute in part.result.attributes.items():
            for system, runs in part.runs.items():
                companion = attribute.systems[runs[0]].correlation
                if companion is not None:
                    yield Companion(
                        dataset=part.name, system=system, attribute=name, correlation=companion.value, ci=companion.ci
                    )


# ---------------------------------------------------------------------- summary and signature


def _data(evaluations: Sequence[Evaluation], table: Table, group_by: Sequence[str]) -> dict[str, Any]:
    summaries = [part.result.data for part in table.parts]
    gold = [s["gold_units"] for s in summaries]
    datasets_by_warning: dict[str, list[str]] = {}
    for summary in summaries:
        for warning in summary["warnings"]:
            datasets_by_warning.setdefault(warning, []).append(summary["name"])
    warnings = [f"{', '.join(names)}: {warning}" for warning, names in datasets_by_warning.items()]
    return {
        "name": "study" if len(summaries) > 1 else summaries[0]["name"],
        "task": evaluations[0].task.value,
        "items": sum(s["items"] for s in summaries),
        "clusters": sum(s["clusters"] for s in summaries),
        "gold_units": None if any(n is None for n in gold) else sum(gold),
        "systems": list(table.systems),
        "train": None,
        "datasets": summaries,
        "labels": {part.name: sorted(part.labels) for part in table.parts},
        "absent": {part.name: dict(part.result.absent) for part in table.parts if part.result.absent},
        "warnings": [*_unlike(table), *_drift(table), *_missing(table), *_arbitrary(table, group_by), *warnings],
    }


def _drift(table: Table) -> list[str]:
    """Say which labels are not in all data sets."""
    labels = sorted(frozenset().union(*(part.labels for part in table.parts)))
    places = {label: [part.name for part in table.parts if label in part.labels] for label in labels}
    partial = {label: names for label, names in places.items() if len(names) < len(table.parts)}
    if not partial:
        return []
    listed = [f"{quoted(label)} only in {', '.join(names)}" for label, names in partial.items()]
    more = f" and {len(listed) - 6} more" if len(listed) > 6 else ""
    return [f"gold labels differ between data sets: {'; '.join(listed[:6])}{more}"]


def _unlike(table: Table) -> list[str]:
    """Say which attributes cannot be studied together."""
    how = "numbers on one data set and categories on another: only in the performance table"
    return [f"{', '.join(table.unlike)}: {how}"] if table.unlike else []


def _arbitrary(table: Table, group_by: Sequence[str]) -> list[str]:
    """Return warnings on attributes whose mean does not separate the halves."""
    means = {
        name: [(z, part.name) for part in table.parts if (z := zeta_of(part, name)) is not None] for name in group_by
    }
    return [
        f"{name}: data sets with the same mean are in the low and in the high half, by their order"
        for name, zetas in means.items()
        if split_is_arbitrary(zetas)
    ]


def _missing(table: Table) -> list[str]:
    warnings = []
    for system in table.systems:
        without = [part.name for part in table.parts if system not in part.runs]
        if without:
            warnings.append(f"{system} is missing on {', '.join(without)}: its means are over the other data sets")
    return warnings


def _signature(evaluations: Sequence[Evaluation], first: BucketsResult, options: Sequence[str]) -> str:
    """Return one line that pins version, files and options of all data sets."""
    parts = [f"slicewise:{__version__}", f"task:{evaluations[0].task.value}"]
    for evaluation in evaluations:
        parts += [f"dataset:{evaluation.name}", *evaluation.digests, *evaluation.options.signature()]
    shared = first.signature.split(" | ")
    shared = shared[next(i for i, part in enumerate(shared) if part.startswith("measure:")) :]
    parts += [part for part in shared if not part.startswith(("compare:", "shared-cuts"))]
    return printable(" | ".join([*parts, *options]))
