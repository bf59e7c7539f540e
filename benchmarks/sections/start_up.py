"""How long it takes until anything happens."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from measure import BYTES, PYTHON, Job, Size, measure, slicewise
from report import Comparison, Section, at_most

if TYPE_CHECKING:
    from plan import Plan

STARTS = 7  # starting up is short and varies: more runs
HELP, IMPORT = "slicewise --help", "python -c 'import slicewise'"
NOTHING = Size(0, "")


def section(plan: Plan) -> Section:
    """Measure `--help` and the import."""
    runs = measure(
        {
            NOTHING: {
                HELP: slicewise("--help"),
                IMPORT: Job((PYTHON, "-c", "import slicewise")),
                "python -c pass": Job((PYTHON, "-c", "pass")),
            }
        },
        1 if plan.quick else STARTS,
    )
    found = runs[NOTHING]
    checks = [
        at_most(f"CPU of `{HELP}`", found[HELP].cpu, 0.6, " s"),
        at_most(f"CPU of `{IMPORT}`", found[IMPORT].cpu, 0.5, " s"),
    ]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES / 1e6
    text = (
        f"Up to {STARTS} runs of each. Peaks below {own:.0f} MB cannot be seen: that is the process that measures, and "
        "a process inherits the peak of the one that started it."
    )
    return Section("Start-up", text, [Comparison("Start-up", runs, HELP, digits=3)], checks)
