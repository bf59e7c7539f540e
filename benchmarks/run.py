"""Measure Slicewise against its peers and against what it promises.

`python benchmarks/run.py [--quick] [--only SECTION…]`. Exit code 1: a requirement does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from growth import points
from measure import done, work
from plan import Plan
from report import CHART, Check, Section, page
from sections import (
    buckets,
    comparisons,
    entities,
    features,
    labels,
    large_bins,
    large_conll,
    large_features,
    resamples,
    spark,
    start_up,
    systems,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECTIONS: dict[str, Callable[[Plan], Section]] = {
    "start-up": start_up.section,
    "entities": entities.section,
    "labels": labels.section,
    "features": features.section,
    "large-bins": large_bins.section,
    "texts": texts.section,
    "resamples": resamples.section,
    "comparisons": comparisons.section,
    "buckets": buckets.section,
    "systems": systems.section,
    "large-features": large_features.section,
    "large-conll": large_conll.section,
    "spark": spark.section,
}


def main() -> int:
    given = _options()
    load = os.getloadavg()[0]
    names = given.only or list(SECTIONS)
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(Path(folder), given.quick)
        sections = [_measured(name, plan) for name in names]
    output = given.output or (None if given.quick or given.only else Path(__file__).parent)
    text = page(sections, plan, load, chart=output is not None)
    if output is None:
        print(text)
    else:
        _write(output, text, sections)
    checks = [check for section in sections for check in section.checks]
    for check in checks:
        print(f"{'PASS' if check.passed else 'FAIL'}  {check.requirement}; measured {check.found}")
    return 0 if all(check.passed for check in checks) else 1


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="the smallest sizes, once; prints the page")
    options.add_argument(
        "--only", choices=SECTIONS, nargs="+", metavar="SECTION", help=f"some of {', '.join(SECTIONS)}; prints the page"
    )
    options.add_argument("--output", type=Path, metavar="FOLDER", help=f"where RESULTS.md and {CHART} go")
    return options.parse_args()


def _measured(name: str, plan: Plan) -> Section:
    """Measure a section; one that fails does not lose the others."""
    print(f"{name}:", file=sys.stderr)
    try:
        return SECTIONS[name](plan)
    except Exception as error:  # whatever it is, the other sections are to be written
        why = f"{type(error).__name__}: {error}"
        return Section(f"Failed: {name}", why, checks=[Check(f"The section {name} can be measured", why, passed=False)])


def _write(folder: Path, text: str, sections: Sequence[Section]) -> None:
    """Write the page and its chart, which is drawn in another process."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULTS.md").write_text(text, encoding="utf-8")
    drawn = points([comparison for section in sections for comparison in section.comparisons])
    done(work("chart.draw", json.dumps(drawn), str(folder / CHART)))


if __name__ == "__main__":
    sys.exit(main())
