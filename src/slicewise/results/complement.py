"""The result of `complement`: every ordered pair of systems, and what they would score together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from slicewise.results.base import Bounds, Result, Row

if TYPE_CHECKING:
    from slicewise.render.blocks import Block
    from slicewise.render.figures import Figure
    from slicewise.results.mentions import Mention
    from slicewise.results.score import Inference

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
    """Gold units that a has and b has not."""
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
class Together:
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
    """The best of its systems alone."""
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
    union: Together
    vote: Together
    """The vote of the systems so far with the best F1."""


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """Members of a vote, chosen one by one."""

    systems: tuple[str, ...]
    k: int | None
    in_sample: Together
    cross_validated: Together
    """Chosen on the other clusters, scored on those left out."""
    folds: int
    path: tuple[Together, ...]
    chosen: dict[str, int]
    """In how many folds each system was chosen."""


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
class ComplementResult(Result):
    """All pairs, slices of them, and ensembles."""

    over: str
    """What Comp is counted over: `units` or `items`."""
    beta: float
    rule: str
    systems: dict[str, Together]
    pairs: tuple[Complement, ...]
    slices: tuple[Slice, ...]
    patterns: tuple[Pattern, ...]
    """Who finds what, the largest sets of units first; the first 200."""
    patterns_found: int
    ensembles: tuple[Together, ...]
    oracle: Together
    curve: tuple[Added, ...]
    greedy: Greedy | None
    questions: tuple[Questions, ...]
    """Of the pairs whose units are listed."""
    listed: bool
    """Whether a person asked for the units of pairs."""
    findings: tuple[str, ...]
    written: Ensemble | None
    inference: Inference

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        return {
            "over": self.over,
            "beta": self.beta,
            "rule": self.rule or None,
            "systems": self.systems,
            "pairs": self.pairs,
            "slices": [slice_row(one) for one in self.slices],
            "patterns": self.patterns,
            "patterns_found": self.patterns_found,
            "ensembles": self.ensembles,
            "oracle": self.oracle,
            "curve": self.curve,
            "greedy": self.greedy,
            "questions": self.questions,
            "findings": self.findings,
            "written": self.written,
            "inference": self.inference,
        }

    def tables(self) -> dict[str, list[Row]]:
        """Return pairs, slices, who finds what, ensembles, the curve and the listed units."""
        found: dict[str, list[Row]] = {
            "pairs": [pair_row(one) for one in self.pairs],
            "slices": [
                {
                    "attribute": s.attribute, "bucket": s.bucket, "interval": s.interval, "n_gold": s.n_gold,
                    **pair_row(s.pair),
                }
                for s in self.slices
            ],
            "patterns": [{"systems": "\t".join(one.systems), "n": one.n} for one in self.patterns],
            "ensembles": [together_row(one) for one in (*self.systems.values(), *self.ensembles, self.oracle)],
            "curve": [
                {
                    "n": i, "system": one.system, "tp": one.tp, "added": one.added, "recall": one.recall,
                    "r_comp": one.r_comp, "union_f1": one.union.f1, "vote_k": one.vote.k, "vote_f1": one.vote.f1,
                }
                for i, one in enumerate(self.curve, 1)
            ],
            "greedy": [] if self.greedy is None else [together_row(one) for one in self.greedy.path],
            "units": [
                {"a": one.a, "b": one.b, "question": question, **mention.row()}
                for one in self.questions
                for question, units in one.units.items()
                for mention in units
            ],
        }  # fmt: skip
        return {name: rows for name, rows in found.items() if rows or name == "pairs"}

    def blocks(self) -> list[Block]:
        """Return what a person is shown."""
        from slicewise.results.complement_view import blocks

        return blocks(self)

    def figures(self) -> list[Figure]:
        """Return the charts and the tables behind them."""
        from slicewise.results.complement_charts import figures

        return figures(self)


def slice_row(one: Slice) -> dict[str, Any]:
    """Return a slice as one flat object."""
    own = {"attribute": one.attribute, "bucket": one.bucket, "interval": one.interval, "n_gold": one.n_gold}
    return own | _plain(one.pair)


def pair_row(pair: Complement) -> Row:
    """Return a pair as a row of a table."""
    row: Row = {}
    for field in fields(pair):
        value = getattr(pair, field.name)
        if field.name == "ci":
            for name in MEASURES:
                ci = None if value is None else value[name]
                row |= {f"{name}_lo": None if ci is None else ci[0], f"{name}_hi": None if ci is None else ci[1]}
        elif field.name != "undefined_draws":
            row[field.name] = value
    return row


def together_row(one: Together) -> Row:
    """Return what several systems score together as a row of a table."""
    row: Row = {"kind": one.kind, "systems": "\t".join(one.systems), "k": one.k}
    row |= {name: getattr(one, name) for name in ("n_gold", "n_pred", "tp")}
    for name in ("precision", "recall", "f1"):
        ci = None if one.ci is None else one.ci[name]
        row |= {
            name: getattr(one, name),
            f"{name}_lo": None if ci is None else ci[0],
            f"{name}_hi": None if ci is None else ci[1],
        }
    lo, hi = one.gain_ci or (None, None)
    row |= {"against": one.against, "gain": one.gain, "gain_lo": lo, "gain_hi": hi}
    resolved = one.resolved
    return row | {
        "resolved_f1": None if resolved is None else resolved.f1,
        "left_out": None if resolved is None else resolved.left_out,
    }


def _plain(one: Any) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}
