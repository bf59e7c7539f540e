"""The result of `difficulty`: units by how many systems find them, what is in the bins, what may be wrong in gold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from slicewise.lenses.ranking.result import FeatureList
from slicewise.lenses.result import LensResult
from slicewise.results.base import Bounds, Row
from slicewise.results.estimates import Inference
from slicewise.results.files import write_frame
from slicewise.results.mentions import Mention

SUSPECT_FILES = (".csv", ".tsv", ".jsonl")
SUSPECT_COLUMNS = (
    "rank", "kind", "item", "left", "text", "right", "start", "end", "gold_text", "gold_start", "gold_end",
    "gold_label", "systems_label", "agree", "systems", "as_gold", "as_systems", "sentence", "decision",
)  # fmt: skip
"""What an annotator is given; the decision is left open."""


@dataclass(frozen=True, kw_only=True)
class BinTable:
    """Units by the number of systems that have them, and how many of them each system has."""

    totals: tuple[int, ...]
    systems: dict[str, tuple[int, ...]]
    shares: dict[str, tuple[float | None, ...]]
    ci: dict[str, tuple[Bounds | None, ...]] | None = None
    """Of the shares, by system and bin."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """The bins that all other systems make, and what one system has of them."""

    totals: tuple[int, ...]
    found: tuple[int, ...]
    shares: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Singular:
    """What one system alone finds."""

    found: int
    share: float | None
    """Of all units that one system alone finds."""
    of_own: float | None
    """Of its own true positives."""
    units: tuple[Mention, ...]


@dataclass(frozen=True, kw_only=True)
class BinPair:
    """Two systems in one bin."""

    bin: int
    n: int
    a: float | None
    b: float | None
    difference: float | None
    ci: Bounds | None
    undefined_draws: int = 0


@dataclass(frozen=True, kw_only=True)
class Pairwise:
    """Two systems, bin by bin."""

    a: str
    b: str
    recall_a: float | None
    recall_b: float | None
    bins: tuple[BinPair, ...]


@dataclass(frozen=True, kw_only=True)
class Form:
    """A string and how its mentions spread over the bins."""

    surface: str
    n: int
    bins: tuple[int, ...]
    lost: float
    """By how much mentions fall below the string's own median bin, in mentions of all systems."""
    resistant: tuple[Mention, ...]
    found: tuple[Mention, ...]


@dataclass(frozen=True, kw_only=True)
class Surface:
    """The mentions of one string."""

    surface: str
    n: int
    bins: tuple[int, ...]
    containing: tuple[int, ...]
    """Longer gold units that contain it."""
    spurious: tuple[int, ...]
    """The string where gold has no such unit, by how many systems return it."""
    standing: int | None
    """Occurrences of the string in the data, units or not."""
    mentions: tuple[Mention, ...]
    """The hardest first."""
    longer: tuple[Mention, ...]
    returned: tuple[Mention, ...]
    """Where gold has no such unit; what most systems return first."""


@dataclass(frozen=True, kw_only=True)
class BinProfile:
    """What is in one bin."""

    n: int
    shares: dict[str, float | None]
    attributes: dict[str, AttributeProfile]
    columns: dict[str, dict[str, int]]
    """Of tokens in the bin: how often each value of a column of the data (part of speech) occurs."""
    examples: tuple[Mention, ...]


@dataclass(frozen=True, kw_only=True)
class AttributeProfile:
    """An attribute in one bin: its mean, and the number of units in each of its buckets."""

    mean: float | None
    buckets: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A unit on which gold and nearly all systems disagree in the same way."""

    kind: str
    """`label`, `boundary`, `missing` (from gold) or `unfound` (by anyone)."""
    agree: int
    """How many systems say the same; of `unfound` units, how many return nothing there."""
    gold: Mention | None
    systems: Mention | None
    """What they return instead."""
    as_gold: int | None
    """How often the data elsewhere treats the string as gold does here."""
    as_systems: int | None
    """How often it treats it as the systems do."""
    sentence: str
    """The item; of a very long one, its beginning."""

    @property
    def mention(self) -> Mention:
        """Where it is."""
        unit = self.systems or self.gold
        if unit is None:
            raise ValueError("a suspect without a unit")
        return unit

    def row(self, rank: int) -> Row:
        """Return it as a row of a table for an annotator."""
        at, gold, output = self.mention, self.gold, self.systems
        of_gold = (None,) * 4 if gold is None else (gold.text, gold.start, gold.end, gold.label)
        values = (
            rank, self.kind, at.item, at.left.strip(), at.text, at.right.strip(), at.start, at.end, *of_gold,
            None if output is None else output.label, self.agree, "; ".join(() if output is None else output.systems),
            self.as_gold, self.as_systems, self.sentence, None,
        )  # fmt: skip
        return dict(zip(SUSPECT_COLUMNS, values, strict=True))


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Scores with some suspects set aside."""

    kind: str
    """The kind of suspects, `all`, or `none`: nothing is set aside."""
    suspects: int
    scores: dict[str, float | None]
    ranking: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DifficultyResult(LensResult):
    """Bins, what is in them, and suspects."""

    rule: str
    metric: str
    """What systems are ranked by."""
    gold: BinTable
    spurious: BinTable
    leave_one_out: dict[str, LeftOut] | None
    singular: dict[str, Singular]
    pairwise: tuple[Pairwise, ...]
    shown_pairs: int
    """How many of the pairs are shown to a person."""
    shown_attributes: tuple[str, ...]
    """Those whose means are shown."""
    spread: tuple[Form, ...]
    forms: int
    """Strings of two gold units and more."""
    surface: Surface | None
    profile: dict[int, BinProfile]
    features: FeatureList | None
    """Of bin 0 against the rest."""
    suspects: tuple[Suspect, ...]
    """The first 10,000."""
    suspects_found: int
    nearly_all: int
    """How many systems must say the same of a suspect."""
    without_suspects: tuple[SetAside, ...]
    findings: tuple[str, ...]
    top: int
    inference: Inference
    view_only: ClassVar[tuple[str, ...]] = ("shown_pairs", "shown_attributes", "top")

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        return super().body() | {"rule": self.rule or None}

    def tables(self) -> dict[str, list[Row]]:
        """Return bins, leave-one-out, pairs, the spread, profiles, features and suspects."""
        from slicewise.lenses.difficulty.tables import tables

        return tables(self)

    def write_suspects(self, path: Path, *, raw_csv: bool = False) -> None:
        """Write the suspects for an annotator, as CSV, TSV or JSONL by the file's ending.

        `raw_csv`: text as it is, also where a spreadsheet takes it for a formula.
        """
        import polars as pl

        rows = [suspect.row(i) for i, suspect in enumerate(self.suspects, 1)]
        frame = pl.DataFrame({name: [row[name] for row in rows] for name in SUSPECT_COLUMNS}, strict=False)
        if path.suffix.lower() == ".jsonl":
            lists = [list(() if suspect.systems is None else suspect.systems.systems) for suspect in self.suspects]
            frame = frame.with_columns(pl.Series("systems", lists, dtype=pl.List(pl.String)))
        write_frame(frame, path, SUSPECT_FILES, raw_csv=raw_csv)
