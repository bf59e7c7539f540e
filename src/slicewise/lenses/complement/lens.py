"""`complement`: what every system offers over every other, and what they would score together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from slicewise.annotations import Task
from slicewise.arrays import Array
from slicewise.attributes import Attribute
from slicewise.engine.local import whole
from slicewise.errors import UserError
from slicewise.evaluation import Evaluation
from slicewise.lenses.chosen_metrics import MetricSpec
from slicewise.lenses.complement.answer_hashes import hash_answers
from slicewise.lenses.complement.ensemble_spec import EnsembleSpec, parse_ensemble
from slicewise.lenses.complement.ensemble_spec import write_ensemble as write
from slicewise.lenses.complement.ensembles import Ensembles
from slicewise.lenses.complement.found_by import found_by
from slicewise.lenses.complement.result import MEASURES, Complement, ComplementResult, Questions, Slice
from slicewise.lenses.complement.sentences import prospects
from slicewise.lenses.inference import check_options, check_top, inference_block, inference_signature, summary_with
from slicewise.lenses.intervals import OF_SHARES, Estimate, listed_bounds
from slicewise.lenses.outcomes.bucket_patterns import bucket_patterns
from slicewise.lenses.outcomes.listed_units import UnitFilter, listed_units
from slicewise.lenses.outcomes.outcome_counts import OutcomeCounts, outcome_counts
from slicewise.lenses.outcomes.outcomes import GOLD, first_only, systems_compared
from slicewise.lenses.outcomes.pair_counts import Sample, shared, shared_by_slice
from slicewise.lenses.outcomes.pattern_tables import counted_patterns
from slicewise.lenses.slicing.breakdown import Plan, Sliced, share_measure
from slicewise.lenses.slicing.bucketed import BucketScheme
from slicewise.lenses.slicing.common_attributes import common_attributes
from slicewise.lenses.slicing.comparisons import listed_pairs
from slicewise.metrics.counts import PROPORTIONS
from slicewise.results.base import Bounds, defined
from slicewise.stats.complementarity import Shared, complementarity, f_comp
from slicewise.stats.patterns import Patterns


def complement(
    evaluation: Evaluation,
    *,
    attributes: Sequence[str | Attribute | Callable[..., Any]] | str = (),
    buckets: int | None = None,
    cuts: Mapping[str, Any] | None = None,
    compare: Sequence[tuple[str, str]] = (),
    metrics: MetricSpec = (),
    threshold: float | str | None = None,
    beta: float = 1.0,
    top: int = 10,
    write_ensemble: Path | str | None = None,
    ensemble: str | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    restarts: str = "first",
) -> ComplementResult:
    """Compare every two systems by whose errors they repair, and score what they return together.

    `attributes`: pairs are also compared in their buckets; by label, unless named. `compare`: pairs whose units are
    listed, the best two systems unless named; `top` of each question, 0 for all. `threshold`: of scored items, from
    which score on they count as found, or "25%" for a quantile of the scores. `write_ensemble`: a file for what systems
    return together, by `ensemble`: union, intersection, vote:K, majority, plurality, greedy or oracle; of some systems
    with their names after it, union:A,B.
    """
    check_options(beta=beta, resamples=resamples, confidence=confidence, seed=seed, restarts=restarts)
    check_top(top)
    systems = _at_least_two(evaluation, restarts)
    written = None
    if write_ensemble is not None:
        first = {name: runs[0] for name, runs in evaluation.restarts.items() if runs[0] in systems}
        written = parse_ensemble(ensemble, evaluation.task, systems, first), Path(write_ensemble)
        evaluation = whole(evaluation, "writing an ensemble")  # which has an answer for every item
    outcomes = outcome_counts(evaluation, systems, metrics=metrics, threshold=threshold)
    drawing = {"resamples": resamples, "confidence": confidence, "seed": seed}
    plan = Plan.of(attributes, buckets, cuts)
    return _complement(evaluation, outcomes, plan, drawing, written, compare, beta=beta, top=top, restarts=restarts)


def _complement(
    evaluation: Evaluation,
    outcomes: OutcomeCounts,
    plan: Plan,
    drawing: Mapping[str, Any],
    to_write: tuple[EnsembleSpec, Path] | None,
    compare: Sequence[tuple[str, str]],
    *,
    beta: float,
    top: int,
    restarts: str,
) -> ComplementResult:
    systems = outcomes.systems
    sample = Sample.of(outcomes.by_group, **drawing)
    if evaluation.task is Task.LABELS:
        sample = sample.with_tie_breaks(hash_answers(evaluation, systems, sample.salts()))
    pairs = _Pairs(evaluation, systems, sample, beta)
    overall = _Errors.of(evaluation, outcomes, sample)
    draws = overall.drawn
    ensembles = Ensembles(evaluation, outcomes, sample, overall.counts, None if draws is None else draws.counts)
    alone, together = ensembles.singles(), ensembles.together()
    best = (systems[ensembles.order[0]], systems[ensembles.order[1]])
    listed = listed_pairs(evaluation, systems, compare) if compare else [best]
    rows_of_pairs = pairs.rows(overall)
    patterns, patterns_found = found_by(outcomes)
    parts = inference_signature(**drawing, beta=beta, restarts=restarts)
    parts += [f"found:{outcomes.rule}"] if outcomes.rule else []
    slices, names = pairs.slices(outcomes, plan, overall)
    parts += [f"attributes:{'+'.join(names)}", *plan.signature()] if names else []
    greedy, oracle = ensembles.greedy(), ensembles.oracle()
    written = None
    if to_write is not None:
        (spec, path), order = to_write, [systems[i] for i in ensembles.order]
        written = write(evaluation, outcomes.reader(evaluation), spec.chosen(greedy), order, path)
    return ComplementResult(
        command="complement",
        signature=evaluation.signature(*parts),
        data=summary_with(evaluation, [*outcomes.warnings, *first_only(evaluation, restarts)]),
        over="units" if evaluation.task.has_units and evaluation.task is not Task.LABELS else "items",
        beta=beta,
        rule=outcomes.rule,
        systems=alone,
        pairs=rows_of_pairs,
        slices=slices,
        patterns=patterns,
        patterns_found=patterns_found,
        ensembles=together,
        oracle=oracle,
        curve=tuple(ensembles.curve()),
        greedy=greedy,
        questions=_questions(evaluation, outcomes, listed, top),
        listed=bool(compare),
        findings=prospects(evaluation, alone, rows_of_pairs, together, greedy, oracle, best),
        written=written,
        inference=inference_block(
            evaluation, drawn=sample.resamples is not None, others=["f_comp"] if not outcomes.rule else [], **drawing
        ),
    )


def _at_least_two(evaluation: Evaluation, restarts: str) -> tuple[str, ...]:
    """Return the systems that are compared; refuse to compare one with nothing."""
    systems = systems_compared(evaluation, restarts)
    if len(systems) < 2:
        each = f"; --restarts each takes all {len(evaluation.systems)} runs" if len(evaluation.systems) > 1 else ""
        raise UserError(f"complementarity needs two systems, and there is one; add --system NAME=FILE{each}")
    return systems


@dataclass(frozen=True)
class _Errors:
    """What each two systems share, and the cases that both get wrong."""

    counts: Shared
    wrong: Array
    """`(..., systems, systems)`."""
    drawn: _Errors | None = None
    whole: bool = True
    """Whether it is all data, and not a slice of it."""

    @classmethod
    def of(cls, evaluation: Evaluation, outcomes: OutcomeCounts, sample: Sample) -> _Errors:
        """Count over all units; in `labels` an item is wrong once, though a unit is missed and another spurious."""
        counts, draws = shared(outcomes.patterns), sample.shared(outcomes.by_group)
        if evaluation.task is not Task.LABELS:
            return cls(counts, _wrong(counts), None if draws is None else cls(draws, _wrong(draws)))
        size = 2 * evaluation.aligned.clusters.groups
        items = counted_patterns(evaluation, _Items(outcomes.systems), width=len(outcomes.systems), size=size)
        cases, case_draws = shared(items), sample.shared(items)
        drawn = None if draws is None or case_draws is None else cls(draws, case_draws.missed)
        return cls(counts, cases.missed, drawn)


@dataclass(frozen=True)
class _Items:
    """Kernel: counts the items of the task `labels` by the systems that have them right; all items are gold."""

    systems: tuple[str, ...]

    def __call__(self, part: Evaluation) -> Patterns:
        """Return the patterns of a part."""
        gold, clusters = part.answers("gold"), part.aligned.clusters
        right = [gold.eq_missing(part.answers(name)).to_numpy() for name in self.systems]
        return Patterns.of(right, 2 * clusters.group.astype(np.int64) + GOLD, 2 * clusters.groups)


def _sizes(errors: _Errors) -> dict[str, Array]:
    """Return how many errors of A the shares are of, `(..., A, B)`."""
    common = {"comp": errors.wrong, "r_comp": errors.counts.missed, "p_comp": errors.counts.spurious}
    own = {name: np.diagonal(of, axis1=-2, axis2=-1)[..., None] for name, of in common.items()}
    return {name: np.broadcast_to(of, common[name].shape) for name, of in own.items()}


def _wrong(counts: Shared) -> Array:
    return counts.missed + counts.spurious


@dataclass(frozen=True)
class _Pairs:
    """Computes the measures of all pairs."""

    evaluation: Evaluation
    systems: tuple[str, ...]
    sample: Sample
    beta: float

    @property
    def recall_only(self) -> bool:
        """Whether only recall is defined, as for scored items."""
        return not self.evaluation.task.has_units

    def measures(self, errors: _Errors, *, in_draws: bool) -> dict[str, Array]:
        """Return all measures of all pairs."""
        counts = errors.counts
        comp, r_comp, p_comp = (
            complementarity(common, in_draws=in_draws) for common in (errors.wrong, counts.missed, counts.spurious)
        )
        unknown = np.full(r_comp.shape, np.nan)
        p_comp = unknown if self.recall_only else p_comp
        f = unknown if self.recall_only else f_comp(p_comp, r_comp, self.beta)
        values = dict(zip(MEASURES, (comp, p_comp, r_comp, f), strict=True))
        if errors.whole:
            return values
        filled = (counts.n_gold > 0) | counts.fp.any(axis=-1)  # undefined in a slice without units
        return {name: np.where(filled[..., None, None], of, np.nan) for name, of in values.items()}

    def estimates(self, errors: _Errors) -> dict[str, Estimate]:
        """Return all measures as estimates: shares of A's errors, and F_comp, which is none."""
        if errors.drawn is None:
            return {}
        values, drawn = self.measures(errors, in_draws=False), self.measures(errors.drawn, in_draws=True)
        sizes, size_drawn = _sizes(errors), _sizes(errors.drawn)
        return {
            name: Estimate(of, drawn[name], sizes.get(name), size_drawn.get(name), OF_SHARES)
            for name, of in values.items()
        }

    def bounds(self, errors: _Errors, overall: _Errors | None) -> dict[str, list[tuple[Bounds | None, int]]]:
        """Return the intervals of all measures; of slices, if there is something overall."""
        method, estimates = self.sample.method, self.estimates(errors)
        if overall is None:
            return {name: listed_bounds(method.corpus(of)) for name, of in estimates.items()}
        corpus = self.estimates(overall)
        return {name: listed_bounds(method.slices(of, corpus[name])) for name, of in estimates.items()}

    def rows(self, errors: _Errors, overall: _Errors | None = None) -> tuple[Complement, ...]:
        """Return every ordered pair; of slices, of one after the other."""
        systems, size = self.systems, len(self.systems)
        values, bounds = self.measures(errors, in_draws=False), self.bounds(errors, overall)
        counts, square = errors.counts, (-1, size, size)
        wrong, missed, spurious, correct = (
            of.reshape(square).astype(np.int64) for of in (errors.wrong, counts.missed, counts.spurious, counts.found)
        )
        values = {name: of.reshape(square) for name, of in values.items()}
        known = (lambda _: None) if self.recall_only else int
        return tuple(
            Complement(
                a=systems[a],
                b=systems[b],
                **{name: defined(float(of[k, a, b])) for name, of in values.items()},
                wrong_a=int(wrong[k, a, a]),
                wrong_b=int(wrong[k, b, b]),
                wrong_both=int(wrong[k, a, b]),
                missed_a=int(missed[k, a, a]),
                missed_b=int(missed[k, b, b]),
                missed_both=int(missed[k, a, b]),
                spurious_a=known(spurious[k, a, a]),
                spurious_b=known(spurious[k, b, b]),
                spurious_both=known(spurious[k, a, b]),
                correct_both=int(correct[k, a, b]),
                only_a=int(correct[k, a, a] - correct[k, a, b]),
                only_b=int(correct[k, b, b] - correct[k, a, b]),
                ci={name: of[(k * size + a) * size + b][0] for name, of in bounds.items()} if bounds else None,
                undefined_draws={name: of[(k * size + a) * size + b][1] for name, of in bounds.items()}
                if bounds
                else None,
            )
            for k in range(len(wrong))
            for a in range(size)
            for b in range(size)
            if a != b
        )

    def slices(self, outcomes: OutcomeCounts, plan: Plan, overall: _Errors) -> tuple[tuple[Slice, ...], list[str]]:
        """Return every pair in every bucket of the attributes, and the attributes' names."""
        if not plan.attributes:
            labels = len(self.evaluation.aligned.labels)
            if not self.evaluation.task.has_units or labels < 2:
                return (), []
            plan = Plan(attributes=("label",), cuts=plan.cuts, buckets=plan.buckets)
        sliced = Sliced(self.evaluation, plan, share_measure("f1", PROPORTIONS["f1"]))
        schemes = [sliced.scheme(attribute) for attribute in common_attributes(sliced)]
        by_cell = bucket_patterns(sliced.evaluation, outcomes.reader, sliced.bucketer, schemes)
        slices = [cell for each in zip(schemes, by_cell, strict=True) for cell in self._attribute(*each, overall)]
        return tuple(slices), [scheme.attributes[0].versioned for scheme in schemes]

    def _attribute(self, scheme: BucketScheme, by_cell: Patterns, overall: _Errors) -> list[Slice]:
        slots, groups = scheme.size, self.evaluation.aligned.clusters.groups
        side = by_cell.slices % 2
        by_slice = shared_by_slice(by_cell.among(by_cell.slices // (2 * groups) * 2 + side, 2 * slots))
        pairs: list[Complement] = []
        for block, draws in self.sample.shared_by_slice(by_cell, slots):
            counts = Shared(by_slice.n_gold[block], by_slice.found[block], by_slice.spurious[block])
            drawn = None if draws is None else _Errors(draws, self._wrong(draws), whole=False)
            pairs += self.rows(_Errors(counts, self._wrong(counts), drawn, whole=False), overall)
        each = len(self.systems) * (len(self.systems) - 1)
        return [
            Slice(
                attribute=scheme.attributes[0].name,
                bucket=slot.name,
                interval=slot.interval,
                n_gold=int(by_slice.n_gold[k]),
                pair=pair,
            )
            for k, slot in enumerate(scheme.buckets[0].slots)
            for pair in pairs[k * each : (k + 1) * each]
        ]

    def _wrong(self, counts: Shared) -> Array:
        """Return the errors in a slice; an item of `labels` belongs to the slice of its gold label."""
        return counts.missed if self.evaluation.task is Task.LABELS else _wrong(counts)


def _questions(
    evaluation: Evaluation, outcomes: OutcomeCounts, pairs: Sequence[tuple[str, str]], top: int
) -> tuple[Questions, ...]:
    """Return the units that answer each question on pairs, spread over the data where not all are wanted."""
    filters_by_pair = [_filters(outcomes, *(outcomes.systems.index(name) for name in pair)) for pair in pairs]
    filters = [unit_filter for by_question in filters_by_pair for unit_filter in by_question.values()]
    units = iter(listed_units(evaluation, outcomes, filters, top))
    return tuple(
        Questions(
            a=a,
            b=b,
            counts={question: unit_filter.size(outcomes.patterns) for question, unit_filter in by_question.items()},
            units={question: next(units) for question in by_question},
        )
        for (a, b), by_question in zip(pairs, filters_by_pair, strict=True)
    )


def _filters(outcomes: OutcomeCounts, a: int, b: int) -> dict[str, UnitFilter]:
    """Return a filter per question on two systems; none on spurious units where all units are gold."""
    filters = {
        "missed_both": UnitFilter(gold=True, lacking=(a, b)),
        "correct_both": UnitFilter(gold=True, having=(a, b)),
        "only_a": UnitFilter(gold=True, having=(a,), lacking=(b,)),
        "only_b": UnitFilter(gold=True, having=(b,), lacking=(a,)),
    }
    spurious = {
        "spurious_both": UnitFilter(gold=False, having=(a, b)),
        "spurious_only_a": UnitFilter(gold=False, having=(a,), lacking=(b,)),
        "spurious_only_b": UnitFilter(gold=False, having=(b,), lacking=(a,)),
    }
    return filters if outcomes.rule else filters | spurious
