"""What cannot be significant with this little data is said before a table, not marked cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slicewise.errors import counted
from slicewise.lenses.study.result import AttributeWise, ModelWise, StudyDiagnosis, StudyResult
from slicewise.render.blocks import Grid
from slicewise.stats.multiplicity import ALPHA
from slicewise.stats.omnibus import smallest_friedman_p


@dataclass(frozen=True)
class Lead:
    """A sentence before a table, and whether it is about all of its values: none is marked then."""

    text: str = ""
    every: bool = False


NO_LEAD = Lead()


def with_lead(grid: Grid, lead: Lead) -> Grid:
    """Return the table with the sentence before it."""
    return replace(grid, lead=lead.text, faint=frozenset() if lead.every else grid.faint)


def cannot_be_significant(result: StudyResult, diagnoses: Sequence[StudyDiagnosis]) -> Lead:
    """Say which diagnoses of a table no test could have found significant."""
    shown = [d for d in diagnoses if d.difference is not None]
    tested = [d for d in shown if d.p is not None]
    if not shown:
        return NO_LEAD
    if not tested:
        few = len(result.datasets) >= 3 or result.inference.resamples
        return Lead("Too few data sets to test." if few else "Not tested: no resamples.", every=True)
    hopeless = [d for d in tested if d.smallest_p is not None and d.smallest_p >= ALPHA]
    if not hopeless:
        return NO_LEAD
    with_so_many = f"With {counted(max(len(d.datasets) for d in hopeless), 'data set')}"
    least = min(d.smallest_p for d in hopeless if d.smallest_p is not None)
    if len(hopeless) == len(tested):
        return Lead(f"{with_so_many} no p can be below {least:.2g}: nothing here can be significant.", every=True)
    names = ", ".join(dict.fromkeys(d.attribute for d in hopeless))
    return Lead(f"{with_so_many} {names} cannot be significant where no p can be below {least:.2g}.")


def no_friedman_test(entries: Sequence[ModelWise | AttributeWise], blocks: str) -> Lead:
    """Say where no value of a table could have passed Friedman's test."""
    if not entries or any(smallest_friedman_p(entry.blocks, entry.treatments) < ALPHA for entry in entries):
        return NO_LEAD
    return Lead(f"With {blocks} nothing here can be significant by Friedman's test.", every=True)
