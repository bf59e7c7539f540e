"""A few runs of a simulation of `make calibrate`."""

from __future__ import annotations

import numpy as np
from calibrate.claim import Run
from calibrate.seeds import generator


def few_runs(name: str, run: Run, runs: int) -> dict[str, float]:
    """Return the figures of some runs, whose draws depend on the name."""
    counts = [dict(run(generator("few", name, number))) for number in range(runs)]
    figures = dict.fromkeys(figure for of_run in counts for figure in of_run)
    sums = {figure: np.sum([of_run.get(figure, (0.0, 0.0)) for of_run in counts], axis=0) for figure in figures}
    return {figure: float(top / below) for figure, (top, below) in sums.items() if below}
