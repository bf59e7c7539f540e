"""One label per item, against scikit-learn, a loop and DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import data
import tools
from measure import Job, counted, measure, slicewise, work
from report import Comparison, Section

from sections.names import DUCKDB, INTERVALS, LOOP, PLAIN, SPLIT

if TYPE_CHECKING:
    from data import Files
    from plan import Plan

ITEMS = (100_000, 300_000, 1_000_000)
SKLEARN = "scikit-learn report"


def section(plan: Plan) -> Section:
    """Measure one system at three sizes in turn."""
    sizes = plan.sizes(ITEMS)
    jobs = {counted(items, "items"): _jobs(data.labels(plan.folder, items=items)) for items in sizes}
    text = (
        "Items with one of ten labels, one a line, from files to the printed report. The loop counts pairs of labels "
        "in a dictionary and prints accuracy, precision, recall and F1; DuckDB, where it is there, counts the pairs "
        "only. Slicewise also prints confusions, macro averages, κ and MCC."
    )
    compared = Comparison("Labels", measure(jobs, plan.repetitions), PLAIN, (SKLEARN, LOOP, DUCKDB), SPLIT, "items")
    return Section("Labels", text, [compared])


def _jobs(files: Files) -> dict[str, Job]:
    command = ("score", "--task", "labels", *files.options)
    jobs = {
        PLAIN: slicewise(*command, "--resamples", "0"),
        INTERVALS: slicewise(*command),
        SKLEARN: work("labels.sklearn_report", *files.paths),
        LOOP: work("labels.loop", *files.paths),
        SPLIT: work("reading.columns", *files.paths),
    }
    return jobs | ({DUCKDB: work("labels.duckdb_counts", *files.paths)} if tools.has_duckdb() else {})
