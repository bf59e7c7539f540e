"""The figures as a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import inf, isnan

import slicewise
from calibrate.chart import CHART
from calibrate.claim import Claim, Promise
from calibrate.estimate import ALLOWED, Estimate
from calibrate.runner import Simulated

ABOUT = """
Tests and intervals make promises: where there is nothing to find, one data set in twenty at most shows a discovery;
an interval of 95% holds the truth nineteen times out of twenty. Formulas keep them as long as their assumptions
hold, and language data break these: sentences of one document share their fate, words cluster in documents, long
inputs are hard, most scores are perfect. So the promises are tried. Data are made up again and again by a process
whose truth is known, given to the same Python functions that everybody calls, and what these print is counted.
`make calibrate` makes this page; the same version gives the same figures.
"""
HOW = f"""
A figure is followed by its standard error. It *holds* when it misses its promise by at most {ALLOWED:g} standard
errors (of a share, those of the promised one), so that a few of a hundred figures that are right on the edge fail
by luck: run them more often (`make calibrate CALIBRATE='--only NAME --times 5'`) before you believe one. What
fails is in bold. ICC is the correlation of the scores of two items of one document; in a *broken* document nearly
everything is wrong.
"""


def page(simulated: Sequence[Simulated], *, chart: bool) -> str:
    """Return the whole page."""
    parts = ["# Calibration: do tests and intervals keep their promises?", ABOUT.strip(), _picture() if chart else ""]
    parts += [HOW.strip(), *_summary(simulated)]
    for claim, settings in _by_claim(simulated):
        parts += [f"## {claim.title}", f"{claim.text} (`--only {claim.name}`)", table(claim, settings)]
    runs = sum(setting.runs for setting in simulated)
    parts += [f"{runs:,} simulated data sets, Slicewise {slicewise.__version__}."]
    return "\n\n".join(part for part in parts if part) + "\n"


def _picture() -> str:
    said = "Every share with two standard errors, and what is promised; the tables below have the numbers"
    return f"![{said}]({CHART})"


def _by_claim(simulated: Sequence[Simulated]) -> list[tuple[Claim, list[Simulated]]]:
    return [(group[0].claim, group) for _, some in groupby(simulated, lambda s: s.claim.name) if (group := list(some))]


def _summary(simulated: Sequence[Simulated]) -> list[str]:
    """Return how many figures hold what they are promised, by claim, and those that do not."""
    promised = [figure for setting in simulated for figure in setting.figures.values() if figure.holds is not None]
    held = sum(bool(figure.holds) for figure in promised)
    rows = []
    for claim, settings in _by_claim(simulated):
        figures = [figure for setting in settings for figure in setting.figures.values() if figure.holds is not None]
        kept = sum(bool(figure.holds) for figure in figures)
        rows.append(f"| {claim.title} | {_all_promised(claim)} | {kept} of {len(figures)} |")
    head = ["| simulated | promised | holds |", "|---|---|---:|"]
    failing = [
        f"- {setting.claim.title}; {setting.setting.name}: {name} {shown(figure)}, promised {_promised(figure.promise)}"
        for setting in simulated
        for name, figure in setting.figures.items()
        if figure.holds is False
    ]
    failing += [f"- {s.claim.title}; {s.setting.name}: failed, {s.failed}" for s in simulated if s.failed]
    title = f"## {held} of {len(promised)} promises hold"
    return [title, "\n".join([*head, *rows]), "What does not hold:" if failing else "", "\n".join(failing)]


def table(claim: Claim, settings: Sequence[Simulated]) -> str:
    """Return a row for each setting and a column for each figure."""
    named = [name for name in claim.figures if any(name in setting.figures for setting in settings)]
    head = [f"{name} ({_promised(claim.figures[name])})" if claim.figures[name].bounded else name for name in named]
    lines = [f"| setting | runs | {' | '.join(head)} | holds |", f"|---|---:|{'---:|' * len(named)}---|"]
    for setting in settings:
        cells = [_cell(setting.figures.get(name), claim.figures[name]) for name in named]
        held = {True: "yes", False: "**no**", None: ""}[setting.holds]
        lines.append(f"| {setting.setting.name} | {setting.runs} | {' | '.join(cells)} | {held} |")
    return "\n".join(lines)


def _cell(figure: Estimate | None, usual: Promise) -> str:
    if figure is None:
        return "–"
    other = "" if figure.promise == usual else f" ({_promised(figure.promise)})"
    return f"**{shown(figure)}**{other}" if figure.holds is False else f"{shown(figure)}{other}"


def shown(figure: Estimate) -> str:
    """Return a figure with its standard error."""
    if isnan(figure.value):
        return "not there"
    if figure.promise.share:
        return f"{100 * figure.value:.1f} ± {100 * figure.error:.1f}%"
    digits = 2 if abs(figure.value) >= 0.1 else 4
    return f"{figure.value:.{digits}f} ± {figure.error:.{digits}f}"


def _all_promised(claim: Claim) -> str:
    """Return what a claim promises; figures that are promised the same stand together."""
    alike: dict[str, list[str]] = {}
    for name, promise in claim.figures.items():
        if promise.bounded:
            alike.setdefault(_promised(promise), []).append(name)
    return "; ".join(f"{', '.join(names)}: {promised}" for promised, names in alike.items())


def _promised(promise: Promise) -> str:
    """Return what is promised, in words."""
    if not promise.bounded:
        return "nothing promised"
    low, high = (f"{100 * bound:g}" if promise.share else f"{bound:g}" for bound in (promise.low, promise.high))
    unit = "%" if promise.share else ""
    if promise.low == -inf:
        return f"at most {high}{unit}"
    return f"at least {low}{unit}" if promise.high == inf else f"{low} to {high}{unit}"
