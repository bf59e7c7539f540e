"""Where another tool needs less than Slicewise, in sentences made from the figures."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure import Run
    from report import Comparison

MEASURES = {"CPU": ("cpu", "{:.2f} s"), "wall time": ("wall", "{:.2f} s"), "memory": ("megabytes", "{:,.0f} MB")}


def where_faster(comparisons: Sequence[Comparison]) -> str:
    """Return a list of what peers do with less than Slicewise, or a sentence that there is nothing."""
    compared = [c for c in comparisons if c.peers]
    if not compared:
        return "No peer was measured."
    found = [line for comparison in compared for line in _lines(comparison)]
    if not found:
        return "Nowhere in this run: at every size, every peer needed more CPU, more wall time and more memory."
    return "Wherever a peer needed less CPU, wall time or memory than Slicewise in this run:\n\n" + "\n".join(found)


def _lines(comparison: Comparison) -> list[str]:
    """Return a line for each peer that needs less of anything at any size."""
    lines = []
    for peer in comparison.peers:
        parts = []
        for size, runs in comparison.runs.items():
            if peer in runs and (less := _less(runs[peer], runs[comparison.ours])):
                parts.append(f"at {size.shown} {less}" if size.shown else less)
        if parts:
            lines.append(f"- **{comparison.kind}**: {peer} needs less than {comparison.ours}: {'; '.join(parts)}.")
    return lines


def _less(peer: Run, ours: Run) -> str:
    """Return what a peer needs less of; one that failed has no figures."""
    if ours.failed and not peer.failed:
        return "anything, since Slicewise failed"
    parts = []
    for what, (key, shown) in MEASURES.items():
        theirs, own = attrgetter(key)(peer), attrgetter(key)(ours)
        if theirs < own:
            parts.append(f"{what} ({shown.format(theirs)} against {shown.format(own)})")
    return ", ".join(parts)
