"""The bootstrap alone, against gathering with numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure import Size, measure, work
from report import Comparison, Section, at_least, same

if TYPE_CHECKING:
    from plan import Plan

GROUPED, OURS = "slicewise, as `score` does it (10,000 groups)", "slicewise, every sentence for itself"
GATHERED, TAKEN = "numpy: gather the drawn rows, `table[drawn]`", "numpy: gather them with `take`"
COUNTED = "numpy: count, then multiply"
JOBS = {GROUPED: "grouped", OURS: "by_slicewise", GATHERED: "gathered", TAKEN: "taken", COUNTED: "counted"}
ONE = Size(50_000, "")


def section(plan: Plan) -> Section:
    """Measure drawing and summing inside the process."""
    jobs = {ONE: {name: work(f"resamples.{job}", timed=True) for name, job in JOBS.items()}}
    measured = measure(jobs, plan.repetitions)
    runs = measured[ONE]
    cpu, wall = runs[GATHERED].cpu / runs[GROUPED].cpu, runs[GATHERED].wall / runs[GROUPED].wall
    what = "than gathering by `table[drawn]`"
    checks = [
        same(
            "Resampled sums are those of gathering",
            [run.output or None for name, run in runs.items() if name != GROUPED],
        ),
        at_least(f"Resampling as `score` does it, less CPU {what}", cpu, 15),
        at_least(f"Resampling as `score` does it, less wall time {what}", wall, 15),
    ]
    text = (
        "10 systems × 50,000 sentences × 3 statistics, 1,000 paired draws. CPU and wall of drawing and summing alone, "
        "taken inside the process, without starting Python and making the table; peak MB is that of the whole process. "
        "The requirement is about the plain way to gather, `table[drawn]`; `take` is faster. `slicewise score` puts "
        "more than 10,000 clusters into 10,000 groups and draws groups, which is why it needs so much less; without "
        f"groups it would need {runs[GATHERED].cpu / runs[OURS].cpu:.1f} times less CPU than gathering, for the same "
        "draws and the same values."
    )
    compared = Comparison("Resamples", measured, GROUPED, (GATHERED, TAKEN, COUNTED))
    return Section("Resamples", text, [compared], checks)
