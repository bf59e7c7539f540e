"""`difficulty`: units by how many systems find them, who owns which bin, what is in it, and suspect gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from slicewise.annotations import Task
from slicewise.attributes import Attribute
from slicewise.engine.fused import run_fused
from slicewise.engine.local import aggregate
from slicewise.errors import UserError, quoted
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import MetricSpec
from slicewise.lenses.difficulty.bin0_features import bin0_features
from slicewise.lenses.difficulty.bin_intervals import DrawnBins
from slicewise.lenses.difficulty.bin_profile import profiles
from slicewise.lenses.difficulty.result import BinPair, BinTable, DifficultyResult, LeftOut, Pairwise, Singular, Suspect
from slicewise.lenses.difficulty.sentences import findings
from slicewise.lenses.difficulty.surface_forms import one_surface, spread, surfaces
from slicewise.lenses.difficulty.suspects import Suspects, nearly_all, suspects_of
from slicewise.lenses.inference import check_options, check_top, inference_block, inference_signature, summary_with
from slicewise.lenses.outcomes.listed_units import UnitFilter, listing_kernel, read_listed
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts, outcome_counts
from slicewise.lenses.outcomes.outcomes import GOLD, SPURIOUS, OutcomeReader, first_only, systems_compared
from slicewise.lenses.outcomes.pair_counts import Sample
from slicewise.lenses.slicing.breakdown import Plan
from slicewise.lenses.slicing.comparisons import listed_pairs
from slicewise.metrics.counts import f_beta
from slicewise.results.base import Bounds, defined
from slicewise.results.mentions import Mention
from slicewise.stats.patterns import Bins

MANY_SYSTEMS = 10
"""Beyond so many, only the best two and the pairs that are named are compared bin by bin."""
EXAMPLES = 5
"""Units of each bin that are shown."""
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
    metrics: MetricSpec = (),
    threshold: float | str | None = None,
    top: int = 10,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
    on_step: Callable[[str], None] | None = None,
) -> DifficultyResult:
    """Put gold units into bins by how many systems find them, and describe the bins.

    `surface`: one string's mentions over the bins. `attributes`: what bins are described by; all, unless named.
    `compare`: pairs of systems, bin by bin. `threshold`: of scored items, from which score on they count as found, or
    "25%" for a quantile of the scores. `top`: how many features and strings are shown, 0 for all.
    """
    check_options(beta=1.0, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    check_top(top)
    _check_surface(evaluation, surface)
    outcomes = outcome_counts(evaluation, systems_compared(evaluation, restarts), metrics=metrics, threshold=threshold)
    drawing = {"resamples": resamples, "confidence": confidence, "seed": seed}
    plan, step = Plan.of(attributes, buckets, cuts), on_step or (lambda _: None)
    return _difficulty(evaluation, outcomes, plan, drawing, compare, step, surface=surface, top=top, restarts=restarts)


def _difficulty(
    evaluation: Evaluation,
    outcomes: OutcomeCounts,
    plan: Plan,
    drawing: Mapping[str, Any],
    compare: Sequence[tuple[str, str]],
    step: Callable[[str], None],
    *,
    surface: str | None,
    top: int,
    restarts: str,
) -> DifficultyResult:
    systems = outcomes.systems
    gold, spurious = outcomes.bins(GOLD), _with_negatives(evaluation, outcomes)
    for bins in (gold, spurious):
        bins.check()
    pairs, shown = _pairs(evaluation, systems, _ranked(outcomes, gold, spurious), compare)
    drawn = DrawnBins.of(outcomes, Sample.of(outcomes.by_group, **drawing), gold, _of_pairs(systems, pairs))
    step("describing the bins")
    described = profiles(evaluation, outcomes, plan)
    step("ranking the features of bin 0")
    features = bin0_features(evaluation, outcomes, top, **drawing)
    forms, count = spread(evaluation, outcomes, top)
    step("looking for suspect gold")
    suspects = suspects_of(evaluation, outcomes, described.corpus_facts)
    aside, n_suspects = ((), 0) if suspects is None else (suspects.set_aside(), len(suspects))
    examples, alone_units, listed = _read(evaluation, outcomes, suspects)
    profile = {n: replace(bin_profile, examples=examples[n]) for n, bin_profile in described.bins.items()}
    noun = "gold unit" if evaluation.task.has_units else "item"
    left_out, alone = _left_out(systems, gold), _singular(systems, gold, alone_units)
    names = [attribute.versioned for attribute in described.attributes]
    parts = [f"attributes:{'+'.join(names)}", *plan.signature()] if names else []
    parts += [f"found:{outcomes.rule}"] * bool(outcomes.rule) + [f"surface:{surface}"] * (surface is not None)
    parts += [f"restarts:{restarts}"] * (restarts != "first")
    return DifficultyResult(
        command="difficulty",
        signature=evaluation.signature(*inference_signature(**drawing), *parts),
        data=summary_with(evaluation, [*outcomes.warnings, *first_only(evaluation, restarts)]),
        rule=outcomes.rule,
        metric="f1" if outcomes.metric is None else outcomes.metric.name,
        gold=_table(systems, gold, drawn),
        spurious=_table(systems, spurious, None),
        leave_one_out=left_out,
        singular=alone,
        pairwise=_pairwise(systems, gold, drawn, pairs),
        shown_pairs=shown,
        shown_attributes=tuple(a.name for a in described.attributes if a.core or plan.attributes),
        spread=tuple(forms),
        forms=count,
        surface=None if surface is None else one_surface(evaluation, outcomes, surface, top),
        profile=profile,
        features=features,
        suspects=listed,
        suspects_found=n_suspects,
        nearly_all=nearly_all(len(systems)),
        without_suspects=aside,
        findings=findings(systems, gold, spurious, alone, left_out, profile, forms, aside, noun),
        top=top,
        inference=inference_block(evaluation, drawn=drawn is not None, **drawing),
    )


def _check_surface(evaluation: Evaluation, surface: str | None) -> None:
    """Refuse a string that cannot be searched."""
    if surface is None:
        return
    if not surface.strip():
        raise UserError("the string to look for is empty; write --surface TEXT")
    if surfaces(evaluation) is None:
        labels = evaluation.task is Task.MULTILABEL
        why = "labels are no mentions of a text; leave out --surface" if labels else "add --input FILE"
        raise UserError(f"the units have no text to look for {quoted(surface)} in; {why}")


def _with_negatives(evaluation: Evaluation, outcomes: OutcomeCounts) -> Bins:
    """Return the bins of spurious units; of tokens, bin 0 has those that neither gold nor any system labels."""
    spurious = outcomes.bins(SPURIOUS)
    totals = spurious.totals.copy()
    totals[0] = 0  # units of restarts that take no part
    if evaluation.task is Task.TOKENS:
        totals[0] = int(aggregate(evaluation, _Unlabelled(outcomes.reader))["n"][0])
    return Bins(totals, spurious.found)


@dataclass(frozen=True)
class _Unlabelled:
    """Counts the tokens that neither gold nor any system labels."""

    reader: OutcomeReader
    by: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        """Return the count of a part."""
        outcomes, lengths = self.reader(part), part.aligned.lengths
        labelled = outcomes.gold | (outcomes.bins > 0)
        start = np.concatenate([[0], np.cumsum(lengths)])[outcomes.item] + part.units["start"].to_numpy()
        return pl.DataFrame({"n": [int(lengths.sum()) - len(np.unique(start[labelled]))]}, {"n": pl.Int64})


def _ranked(outcomes: OutcomeCounts, gold: Bins, spurious: Bins) -> list[str]:
    """Return the systems, the best first: by F1, or by how many items they get right."""
    tp, fp = gold.found.sum(axis=1), spurious.found.sum(axis=1)
    counts = np.column_stack([tp, tp + fp, np.full(len(tp), gold.totals.sum())]).astype(np.float64)
    values = tp.astype(np.float64) if outcomes.rule else np.nan_to_num(f_beta(counts), nan=-1.0)
    names = outcomes.systems
    return [names[i] for i in sorted(range(len(names)), key=lambda i: (-values[i], names[i]))]


def _table(systems: Sequence[str], bins: Bins, drawn: DrawnBins | None) -> BinTable:
    shares = bins.shares()
    return BinTable(
        ci=None if drawn is None else {systems[i]: drawn.shares(i) for i in drawn.true_positives},
        totals=tuple(bins.totals.tolist()),
        systems={name: tuple(bins.found[i].tolist()) for i, name in enumerate(systems)},
        shares={name: tuple(defined(float(v)) for v in shares[i]) for i, name in enumerate(systems)},
    )


def _read(
    evaluation: Evaluation, outcomes: OutcomeCounts, suspects: Suspects | None
) -> tuple[Sequence[tuple[Mention, ...]], Sequence[tuple[Mention, ...]], tuple[Suspect, ...]]:
    """Return units of each bin, units that each system alone finds, and the suspects, read in one pass."""
    systems = range(len(outcomes.systems))
    bins = [UnitFilter(gold=True, bin=n) for n in range(len(systems) + 1)]
    alone = [UnitFilter(gold=True, having=(i,), bin=1) for i in systems]
    tops = [EXAMPLES] * len(bins) + [ALONE] * len(alone)
    show = listing_kernel(evaluation, outcomes, bins + alone, tops)
    tables = run_fused(evaluation, [show] if suspects is None else [show, suspects.listing()])
    units = read_listed(tables[0], len(tops))
    return units[: len(bins)], units[len(bins) :], () if suspects is None else suspects.listed(tables[1])


def _singular(systems: Sequence[str], gold: Bins, units: Sequence[tuple[Mention, ...]]) -> dict[str, Singular]:
    """Return what each system alone finds."""
    total = int(gold.totals[1]) if len(gold.totals) > 1 else 0
    singular = {}
    for i, name in enumerate(systems):
        n, of_system = int(gold.found[i, 1]), int(gold.found[i].sum())
        singular[name] = Singular(
            found=n, share=n / total if total else None, of_own=n / of_system if of_system else None, units=units[i]
        )
    return singular


def _left_out(systems: Sequence[str], gold: Bins) -> dict[str, LeftOut] | None:
    """Return each system in the bins that the others make; with fewer than three there is nothing to leave out."""
    if len(systems) < 3:
        return None
    totals, counts = gold.leave_one_out()
    return {
        name: LeftOut(
            totals=tuple(totals[i].tolist()),
            found=tuple(counts[i].tolist()),
            shares=tuple(int(f) / int(t) if t else None for f, t in zip(counts[i], totals[i], strict=True)),
        )
        for i, name in enumerate(systems)
    }


def _pairs(
    evaluation: Evaluation, systems: Sequence[str], order: Sequence[str], compare: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], int]:
    """Return the pairs that are compared bin by bin, and how many of them are shown, which come first."""
    if len(systems) < 2:
        return [], 0
    first = listed_pairs(evaluation, systems, compare) if compare else [(order[0], order[1])]
    remaining = combinations(sorted(systems), 2) if len(systems) <= MANY_SYSTEMS else ()
    known = {frozenset(pair) for pair in first}
    return first + [pair for pair in remaining if frozenset(pair) not in known], len(first)


def _of_pairs(systems: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Return the systems whose bins have intervals: all, or of many those that are compared."""
    if len(systems) <= MANY_SYSTEMS:
        return list(range(len(systems)))
    return [systems.index(name) for name in dict.fromkeys(name for pair in pairs for name in pair)]


def _pairwise(
    systems: Sequence[str], gold: Bins, drawn: DrawnBins | None, pairs: Sequence[tuple[str, str]]
) -> tuple[Pairwise, ...]:
    """Return pairs of systems bin by bin, with the intervals of their differences."""
    size, at = len(systems) + 1, {name: i for i, name in enumerate(systems)}
    shares, recalls = gold.shares(), gold.found.sum(axis=1) / max(1, int(gold.totals.sum()))
    known = bool(gold.totals.sum())
    compared = []
    for a, b in pairs:
        i, j = at[a], at[b]
        bounds: list[tuple[Bounds | None, int]] = [(None, 0)] * size if drawn is None else drawn.differences(i, j)
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
        compared.append(Pairwise(a=a, b=b, recall_a=recall_a, recall_b=recall_b, bins=tuple(rows)))
    return tuple(compared)
