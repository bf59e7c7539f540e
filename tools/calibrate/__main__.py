"""Simulate data whose truth is known, and count how often tests and intervals keep what they promise.

Exit code 0: all promises hold; 1: some do not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from calibrate.catalogue import CLAIMS
from calibrate.chart import CHART, svg
from calibrate.page import page, shown
from calibrate.runner import Simulated, simulate

FOLDER = Path(__file__).parents[2] / "benchmarks"
PAGE = "CALIBRATION.md"
QUICK = 0.04
"""The share of the runs that a quick run makes."""


def main() -> int:
    """Run what the options say, and write or print the page."""
    options = _options()
    claims = [CLAIMS[name] for name in options.only or CLAIMS]
    scale = (QUICK if options.quick else 1.0) * options.times
    simulated = simulate(claims, scale, options.jobs, on_setting=_tell)
    output = options.output or (None if options.quick or options.only else FOLDER)
    picture = svg(simulated)
    text = page(simulated, chart=output is not None and bool(picture))
    if output is None:
        print(text)
    else:
        output.mkdir(parents=True, exist_ok=True)
        (output / PAGE).write_text(text, encoding="utf-8")
        (output / CHART).write_text(picture, encoding="utf-8")
    failed = [setting for setting in simulated if setting.holds is False]
    print(f"{len(simulated) - len(failed)} of {len(simulated)} settings hold", file=sys.stderr)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="make calibrate", description=__doc__)
    options.add_argument("--quick", action="store_true", help="a few runs of each setting; prints the page")
    options.add_argument(
        "--only", choices=CLAIMS, nargs="+", metavar="CLAIM", help=f"some of {', '.join(CLAIMS)}; prints the page"
    )
    options.add_argument("--times", type=float, default=1.0, metavar="N", help="N times as many runs")
    options.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; 2")
    options.add_argument("--output", type=Path, metavar="FOLDER", help=f"where {PAGE} and {CHART} go")
    return options.parse_args()


def _tell(setting: Simulated) -> None:
    figures = ", ".join(f"{name} {shown(figure)}" for name, figure in setting.figures.items())
    held = {True: "holds", False: "FAILS", None: "shown"}[setting.holds]
    said = f"{setting.claim.name}: {setting.setting.name}: {setting.failed or figures}"
    print(f"{held}  {said}; {setting.runs} runs, {setting.seconds:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
