"""The result of `complement`: every ordered pair of systems, and what they would score together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from slicewise.lenses.result import LensResult
from slicewise.results.base import Bounds, Row, plain
from slicewise.results.estimates import Inference
from slicewise.results.mentions import Mention
from slicewise.results.rows import bounds_row, row_of, scores_row

MEASURES = ("comp", "p_comp", "r_comp", "f_comp")


@dataclass(frozen=True, kw_only=True)
class Complement:
    """What b offers over a: the share of a's errors that b does not make, with what it is counted from."""

    a: str
    b: str
    comp: float | None
    p_comp: float | None
    r_comp: float | None
    f_comp: float | None
    wrong_a: int
    wrong_b: int
    wrong_both: int
    missed_a: int
    missed_b: int
    missed_both: int
    spurious_a: int | None
    spurious_b: int | None
    spurious_both: int | None
    correct_both: int
    only_a: int
    """Gold units that a finds and b misses."""
    only_b: int
    ci: dict[str, Bounds | None] | None
    undefined_draws: dict[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A set of systems: how many gold units all of them find, and no other system."""

    systems: tuple[str, ...]
    n: int


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A pair in one bucket of an attribute."""

    attribute: str
    bucket: str
    interval: str
    """The bucket's values."""
    n_gold: int
    pair: Complement


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """An ensemble of spans or tokens once those that overlap are resolved, as in a file of tags."""

    n_pred: int
    tp: int
    precision: float | None
    recall: float | None
    f1: float | None
    left_out: int


@dataclass(frozen=True, kw_only=True)
class EnsembleScore:
    """What several systems return together, scored; of scored items only what is found is known."""

    kind: str
    """`union`, `intersection` or `vote`; and what else is scored beside them: `system`, `oracle`."""
    systems: tuple[str, ...]
    k: int | None
    """How many must agree; None where nothing is counted, or where most votes win."""
    n_gold: int
    n_pred: int | None
    tp: int
    precision: float | None
    recall: float | None
    f1: float | None
    ci: dict[str, Bounds | None] | None = None
    against: str | None = None
    """The best of its systems alone; of the cross-validated vote that of most folds."""
    gain: float | None = None
    """Over that, in F1 (in recall, of scored items)."""
    gain_ci: Bounds | None = None
    resolved: Resolved | None = None
    """Of votes, of the chosen vote and of the best unions."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """One more system in the union: what it adds to what could be found."""

    system: str
    tp: int
    """Gold units that any of the systems so far has."""
    added: int
    recall: float | None
    r_comp: float | None
    """The share of the misses so far that it repairs."""
    union: EnsembleScore
    vote: EnsembleScore
    """The vote of the systems so far with the best F1."""


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """Members of a vote, chosen one by one."""

    systems: tuple[str, ...]
    k: int | None
    in_sample: EnsembleScore
    cross_validated: EnsembleScore
    """Chosen on the other clusters, scored on those left out; its gain is over the best system of the others."""
    folds: int
    path: tuple[EnsembleScore, ...]
    chosen: dict[str, int]
    """In how many folds each system was chosen."""
    baseline: dict[str, int]
    """In how many folds each system was the best alone, and so what the vote is compared with."""


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """An ensemble that was written to a file."""

    ensemble: str
    path: str
    units: int
    dropped: int
    """Units left out because they overlap others with more votes."""


@dataclass(frozen=True, kw_only=True)
class Questions:
    """How many units answer each question on a pair, and some of them (or all)."""

    a: str
    b: str
    counts: dict[str, int]
    units: dict[str, tuple[Mention, ...]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComplementResult(LensResult):
    """All pairs, slices of them, and ensembles."""

    over: str
    """What Comp is counted over: `units` or `items`."""
    beta: float
    rule: str
    systems: dict[str, EnsembleScore]
    pairs: tuple[Complement, ...]
    slices: tuple[Slice, ...]
    patterns: tuple[Pattern, ...]
    """Who finds what, the largest sets of units first; the first 200."""
    patterns_found: int
    ensembles: tuple[EnsembleScore, ...]
    oracle: EnsembleScore
    curve: tuple[Added, ...]
    greedy: Greedy | None
    questions: tuple[Questions, ...]
    """Of the pairs whose units are listed."""
    listed: bool
    """Whether the user requests the units of pairs."""
    findings: tuple[str, ...]
    written: Ensemble | None
    inference: Inference
    view_only: ClassVar[tuple[str, ...]] = ("listed",)

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        slices = [_bucket_row(cell) | plain(cell.pair) for cell in self.slices]
        return super().body() | {"rule": self.rule or None, "slices": slices}

    def tables(self) -> dict[str, list[Row]]:
        """Return pairs, slices, who finds what, ensembles, the curve and the listed units."""
        rows_of: dict[str, list[Row]] = {
            "pairs": [_pair_row(entry) for entry in self.pairs],
            "slices": [_bucket_row(cell) | _pair_row(cell.pair) for cell in self.slices],
            "patterns": [{"systems": "\t".join(entry.systems), "n": entry.n} for entry in self.patterns],
            "ensembles": [_ensemble_row(entry) for entry in (*self.systems.values(), *self.ensembles, self.oracle)],
            "curve": [
                {"n": i}
                | row_of(step, "system", "tp", "added", "recall", "r_comp")
                | {"union_f1": step.union.f1, "vote_k": step.vote.k, "vote_f1": step.vote.f1}
                for i, step in enumerate(self.curve, 1)
            ],
            "greedy": [] if self.greedy is None else [_ensemble_row(entry) for entry in self.greedy.path],
            "units": [
                {"a": entry.a, "b": entry.b, "question": question, **mention.row()}
                for entry in self.questions
                for question, units in entry.units.items()
                for mention in units
            ],
        }
        return {name: rows for name, rows in rows_of.items() if rows or name == "pairs"}


def _bucket_row(cell: Slice) -> Row:
    return row_of(cell, "attribute", "bucket", "interval", "n_gold")


def _pair_row(pair: Complement) -> Row:
    row = row_of(pair, *(field.name for field in fields(pair) if field.name not in ("ci", "undefined_draws")))
    for name in MEASURES:
        row |= bounds_row((pair.ci or {}).get(name), f"{name}_")
    return row


def _ensemble_row(ensemble: EnsembleScore) -> Row:
    row: Row = {"kind": ensemble.kind, "systems": "\t".join(ensemble.systems)}
    row |= row_of(ensemble, "k", "n_gold", "n_pred", "tp") | scores_row(ensemble) | row_of(ensemble, "against", "gain")
    f1, left_out = (None, None) if ensemble.resolved is None else (ensemble.resolved.f1, ensemble.resolved.left_out)
    return row | bounds_row(ensemble.gain_ci, "gain_") | {"resolved_f1": f1, "left_out": left_out}
