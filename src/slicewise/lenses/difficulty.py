"""`difficulty`: units by how many systems find them, who owns which bin, what is in it, and suspect gold."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from slicewise.annotations import Task
from slicewise.errors import UserError, quoted
from slicewise.extract.items import ItemFeatures, Wanted
from slicewise.extract.units import UnitFeatures
from slicewise.lenses.bin_profile import profiles
from slicewise.lenses.breakdown import Plan
from slicewise.lenses.contests import listed_pairs
from slicewise.lenses.features import Request, feature_list
from slicewise.lenses.inference import check_options, interval_method
from slicewise.lenses.mentions import mentions, spread_out
from slicewise.lenses.outcomes import GOLD, SPURIOUS, first_only, outcomes_of, systems_compared
from slicewise.lenses.pair_counts import Sample
from slicewise.lenses.population import of_rows
from slicewise.lenses.resistance import findings
from slicewise.lenses.spread import one_surface, spread, surfaces
from slicewise.lenses.suspects import nearly_all, suspects_of
from slicewise.metrics.counts import f_beta
from slicewise.results.base import defined
from slicewise.results.difficulty import BinPair, BinTable, DifficultyResult, LeftOut, Pairwise, Singular
from slicewise.results.score import Inference
from slicewise.stats.intervals import Resamples
from slicewise.stats.patterns import Bins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from slicewise.attributes import Attribute
    from slicewise.evaluation import Evaluation
    from slicewise.lenses.asked import Asked
    from slicewise.lenses.outcomes import Outcomes
    from slicewise.results.features import FeatureList

    Array = NDArray[np.float64]

MANY_SYSTEMS = 10
"""Beyond so many, only the best two and the pairs that are named are compared bin by bin."""
ALONE = 3
"""Units that one system alone finds, shown of each."""


def difficulty(
    evaluation: Evaluation,
    *,
    surface: str | None = None,
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str = (),
    buckets: int | None = None,
    cuts: Mapping[str, Any] | None = None,
    compare: Sequence[tuple[str, str]] = (),
    metrics: Asked = (),
    threshold: float | str | None = None,
    top: int = 10,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
    on_step: Callable[[str], None] | None = None,
) -> DifficultyResult:
    """Put gold units into bins by how many systems find them, and look at what is there.

    `surface`: one string's mentions over the bins. `attributes`: what bins are described by; all, unless named.
    `compare`: pairs of systems, bin by bin. `threshold`: of scored items, from which score on they count as found, or
    "25%" for a quantile of the scores. `top`: how many features and strings are shown, 0 for all.
    """
    check_options(beta=1.0, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    if top < 0:
        raise UserError(f"top is {top}; expected 0 (all) or more")
    _check_surface(evaluation, surface)
    step = on_step or (lambda _: None)
    systems = systems_compared(evaluation, restarts)
    outcomes = outcomes_of(evaluation, systems, metrics=metrics, threshold=threshold)
    groups = evaluation.aligned.clusters.groups
    sample = Sample.of(outcomes, groups, resamples=resamples, confidence=confidence, seed=seed)
    gold, spurious = (outcomes.patterns.where(outcomes.patterns.slices == side).bins() for side in (GOLD, SPURIOUS))
    gold.check()
    spurious = _with_negatives(evaluation, outcomes, spurious)
    spurious.check()
    order = _ranked(outcomes, gold, spurious)
    pairs, shown = _pairs(evaluation, systems, order, compare)
    step("describing the bins")
    plan = Plan.of(attributes, buckets, cuts)
    profile, described = profiles(evaluation, outcomes, plan)
    names = [attribute.versioned for attribute in described]
    step("ranking the features of bin 0")
    features = _features(evaluation, outcomes, top, resamples=resamples, confidence=confidence, seed=seed)
    texts = surfaces(evaluation)
    forms, count = ([], 0) if texts is None else spread(evaluation, outcomes, texts, top or len(texts))
    step("looking for suspect gold")
    suspects = suspects_of(evaluation, outcomes)
    listed = () if suspects is None else suspects.listed()
    aside = () if suspects is None else suspects.set_aside()
    noun = "gold unit" if evaluation.task.has_units else "item"
    table, alone = _table(systems, gold), _singular(evaluation, outcomes, gold)
    left_out = _left_out(systems, gold)
    parts = [f"seed:{seed}", f"resamples:{resamples}", f"confidence:{confidence}"]
    parts += [f"attributes:{'+'.join(names)}", *plan.signature()] if names else []
    parts += [f"found:{outcomes.rule}"] if outcomes.rule else []
    parts += [] if surface is None else [f"surface:{surface}"]
    parts += [] if restarts == "first" else [f"restarts:{restarts}"]
    data = evaluation.summary()
    data["warnings"] = [*data["warnings"], *outcomes.warnings, *first_only(evaluation, restarts)]
    return DifficultyResult(
        command="difficulty",
        signature=evaluation.signature(*parts),
        data=data,
        rule=outcomes.rule,
        metric="f1" if outcomes.metric is None else outcomes.metric.name,
        gold=table,
        spurious=_table(systems, spurious),
        leave_one_out=left_out,
        singular=alone,
        pairwise=_pairwise(outcomes, sample, gold, pairs),
        shown_pairs=shown,
        shown_attributes=tuple(a.name for a in described if a.core or plan.attributes),
        spread=tuple(forms),
        forms=count,
        surface=None if surface is None or texts is None else one_surface(evaluation, outcomes, texts, surface, top),
        profile=profile,
        features=features,
        suspects=listed,
        suspects_found=0 if suspects is None else len(suspects),
        nearly_all=nearly_all(len(systems)),
        without_suspects=aside,
        findings=findings(systems, gold, spurious, alone, left_out, profile, forms, aside, noun),
        top=top,
        inference=Inference(
            resamples=0 if sample.resamples is None else resamples,
            confidence=confidence,
            seed=seed,
            interval="" if sample.resamples is None else interval_method(evaluation, resamples),
            test="",
            draws=0,
        ),
    )


def _check_surface(evaluation: Evaluation, surface: str | None) -> None:
    """Refuse a string that cannot be looked for."""
    if surface is None:
        return
    if not surface.strip():
        raise UserError("the string to look for is empty; write --surface TEXT")
    if surfaces(evaluation) is None:
        labels = evaluation.task is Task.MULTILABEL
        why = "labels are no mentions of a text; leave out --surface" if labels else "add --input FILE"
        raise UserError(f"the units have no text to look for {quoted(surface)} in; {why}")


def _with_negatives(evaluation: Evaluation, outcomes: Outcomes, spurious: Bins) -> Bins:
    """Return the bins of spurious units; of tokens, bin 0 has those that neither gold nor any system labels."""
    totals = spurious.totals.copy()
    totals[0] = 0  # units of restarts that take no part
    if evaluation.task is Task.TOKENS:
        units, lengths = evaluation.units, evaluation.aligned.lengths
        labelled = outcomes.gold | (outcomes.bins > 0)
        start = np.concatenate([[0], np.cumsum(lengths)])[outcomes.item] + units["start"].to_numpy()
        totals[0] = int(lengths.sum()) - len(np.unique(start[labelled]))
    return Bins(totals, spurious.found)


def _ranked(outcomes: Outcomes, gold: Bins, spurious: Bins) -> list[str]:
    """Return the systems, the best first: by F1, or by how many items they get right."""
    tp, fp = gold.found.sum(axis=1), spurious.found.sum(axis=1)
    counts = np.column_stack([tp, tp + fp, np.full(len(tp), gold.totals.sum())]).astype(np.float64)
    values = tp.astype(np.float64) if outcomes.rule else np.nan_to_num(f_beta(counts), nan=-1.0)
    names = outcomes.systems
    return [names[i] for i in sorted(range(len(names)), key=lambda i: (-values[i], names[i]))]


def _table(systems: Sequence[str], bins: Bins) -> BinTable:
    shares = bins.shares()
    return BinTable(
        totals=tuple(bins.totals.tolist()),
        systems={name: tuple(bins.found[i].tolist()) for i, name in enumerate(systems)},
        shares={name: tuple(defined(float(v)) for v in shares[i]) for i, name in enumerate(systems)},
    )


def _singular(evaluation: Evaluation, outcomes: Outcomes, gold: Bins) -> dict[str, Singular]:
    """Return what each system alone finds."""
    alone = outcomes.gold & (outcomes.bins == 1)
    total = int(gold.totals[1]) if len(gold.totals) > 1 else 0
    found = {}
    for i, name in enumerate(outcomes.systems):
        n, own = int(gold.found[i, 1]), int(gold.found[i].sum())
        rows = spread_out(np.flatnonzero(alone & outcomes.has[i]), ALONE)
        found[name] = Singular(
            found=n,
            share=n / total if total else None,
            of_own=n / own if own else None,
            units=tuple(mentions(evaluation, outcomes, rows)),
        )
    return found


def _left_out(systems: Sequence[str], gold: Bins) -> dict[str, LeftOut] | None:
    """Return each system in the bins that the others make; with fewer than three there is nothing to leave out."""
    if len(systems) < 3:
        return None
    totals, found = gold.leave_one_out()
    return {
        name: LeftOut(
            totals=tuple(totals[i].tolist()),
            found=tuple(found[i].tolist()),
            shares=tuple(int(f) / int(t) if t else None for f, t in zip(found[i], totals[i], strict=True)),
        )
        for i, name in enumerate(systems)
    }


def _pairs(
    evaluation: Evaluation, systems: Sequence[str], order: Sequence[str], asked: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], int]:
    """Return the pairs that are compared bin by bin, and how many of them are shown, which come first."""
    if len(systems) < 2:
        return [], 0
    first = listed_pairs(evaluation, systems, asked) if asked else [(order[0], order[1])]
    every = combinations(sorted(systems), 2) if len(systems) <= MANY_SYSTEMS else ()
    known = {frozenset(pair) for pair in first}
    return first + [pair for pair in every if frozenset(pair) not in known], len(first)


def _pairwise(outcomes: Outcomes, sample: Sample, gold: Bins, pairs: Sequence[tuple[str, str]]) -> tuple[Pairwise, ...]:
    """Return pairs of systems bin by bin, with the intervals of their differences."""
    size = len(outcomes.systems) + 1
    at = {name: outcomes.systems.index(name) for pair in pairs for name in pair}
    drawn: dict[str, Array] = {}
    totals: Array | None = None
    if sample.resamples is not None and pairs:
        by_group = sample.grouped(outcomes)
        totals = sample.sums(by_group.totals().reshape(-1, 2, size)[:, GOLD])
        for name, i in at.items():
            sums = sample.sums(by_group.bin_counts(i).reshape(-1, 2, size)[:, GOLD])
            drawn |= {} if sums is None else {name: sums}
    shares, recalls = gold.shares(), gold.found.sum(axis=1) / max(1, int(gold.totals.sum()))
    known = bool(gold.totals.sum())
    found = []
    for a, b in pairs:
        i, j = at[a], at[b]
        bounds: list[tuple[Any, int]] = [(None, 0)] * size
        if totals is not None:
            difference = np.full(totals.shape, np.nan)
            np.divide(drawn[a] - drawn[b], totals, out=difference, where=totals > 0)
            bounds = sample.bounds(difference)
        rows = [
            BinPair(
                bin=n,
                n=int(gold.totals[n]),
                a=defined(float(shares[i, n])),
                b=defined(float(shares[j, n])),
                difference=defined(float(shares[i, n] - shares[j, n])),
                ci=bounds[n][0],
                undefined_draws=bounds[n][1],
            )
            for n in range(size)
        ]
        recall_a, recall_b = ((float(recalls[k]) if known else None) for k in (i, j))
        found.append(Pairwise(a=a, b=b, recall_a=recall_a, recall_b=recall_b, bins=tuple(rows)))
    return tuple(found)


def _features(
    evaluation: Evaluation, outcomes: Outcomes, top: int, *, resamples: int, confidence: float, seed: int
) -> FeatureList | None:
    """Rank the features of what nobody finds against the rest; None where all or none is found."""
    found = outcomes.bins > 0
    if not (outcomes.gold & found).any() or not (outcomes.gold & ~found).any():
        return None
    over = "gold" if evaluation.task.has_units else "items"
    population = of_rows(evaluation, over, outcomes.gold, found.astype(np.float64), "found by anyone")
    request = Request(top=top, resamples=resamples, confidence=confidence, seed=seed)
    wanted = Wanted(least=request.least)
    if evaluation.task.has_units:
        units = UnitFeatures(evaluation, wanted)
        families, quantities = units.families("gold"), units.quantities("gold")
    else:
        items = ItemFeatures(evaluation, wanted, ("all",))
        families, quantities = items.families(None), items.quantities(None)
    groups = evaluation.aligned.clusters.groups
    alone = not evaluation.task.has_units and evaluation.aligned.clusters.count == evaluation.aligned.items
    drawn = Resamples(groups, resamples, seed) if resamples and groups > 1 and not alone else None
    return feature_list(population, families, quantities, request, drawn=drawn, system="bin 0")
