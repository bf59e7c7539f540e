"""What the bins say, in plain sentences; every number in them was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slicewise.errors import counted
from slicewise.lenses.suspects import changes, names_of, nearly_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slicewise.results.difficulty import BinProfile, Form, LeftOut, SetAside, Singular
    from slicewise.stats.patterns import Bins

TOKENS, UNITS = "tokens of the units", "units"
SAID = {
    "punctuation": (TOKENS, "are punctuation"),
    "digits": (TOKENS, "are numbers"),
    "single_character": (TOKENS, "are single characters"),
    "abbreviation": (UNITS, "look like abbreviations"),
    "hapax_gold": (UNITS, "have a string that is gold once"),
    "hapax_test": (UNITS, "have a string that stands once in the test set"),
    "ambiguous": (UNITS, "have a string that is not always labelled alike"),
    "multi_token": (UNITS, "have several tokens"),
}
FEW = 10
"""A bin with fewer units is not put into words."""


def findings(
    systems: Sequence[str],
    gold: Bins,
    spurious: Bins,
    singular: Mapping[str, Singular],
    left_out: Mapping[str, LeftOut] | None,
    profile: Mapping[int, BinProfile],
    forms: Sequence[Form],
    aside: Sequence[SetAside],
    noun: str,
) -> tuple[str, ...]:
    """Return what the bins, their contents and the suspects say; `noun` is `gold unit` or `item`."""
    total = int(gold.totals.sum())
    if not total:
        return (f"There are no {noun}s: there is nothing to find.",)
    found = [
        _ends(systems, gold, total, noun),
        *_owner(systems, gold, singular, noun),
        *_anew(left_out, noun),
        *_contents(profile, len(systems)),
        *_together(systems, spurious),
        *_form(forms, len(systems)),
        *_suspects(len(systems), aside),
    ]
    return tuple(found)


def _ends(systems: Sequence[str], gold: Bins, total: int, noun: str) -> str:
    nobody, everybody = int(gold.totals[0]), int(gold.totals[-1])
    every = "both" if len(systems) == 2 else f"all {len(systems)}"
    if len(systems) == 1:
        return f"{systems[0]} finds {everybody:,} of {counted(total, noun)} ({everybody / total:.0%})."
    return (
        f"Of {counted(total, noun)}, {everybody:,} ({everybody / total:.0%}) are found by {every} "
        f"systems and {nobody:,} ({nobody / total:.0%}) by none."
    )


def _owner(systems: Sequence[str], gold: Bins, singular: Mapping[str, Singular], noun: str) -> list[str]:
    """Say who finds most of what nobody else finds."""
    alone = int(gold.totals[1])
    if len(systems) < 2 or not alone:
        return []
    most = max(one.found for one in singular.values())
    owners = [name for name, one in singular.items() if one.found == most]
    verb = "is" if alone == 1 else "are"
    each = " each" if len(owners) > 1 else ""
    most_of = f"{most:,} ({most / alone:.0%}){each} by {' and '.join(owners)}"
    return [f"{counted(alone, noun)} {verb} found by one system alone: {most_of}."]


def _anew(left_out: Mapping[str, LeftOut] | None, noun: str) -> list[str]:
    """Say who finds most of what all others miss, by bins that it did not help to make."""
    if left_out is None:
        return []
    best = max(left_out, key=lambda name: (left_out[name].shares[0] or 0.0, name))
    one = left_out[best]
    if not one.found[0] or one.shares[0] is None:
        return []
    found = f"{best} finds {one.found[0]:,} ({one.shares[0]:.1%})"
    said = f"Of the {one.totals[0]:,} {noun}s that all other systems miss, {found}"
    return [f"{said}; no other system finds a larger share of what its rivals miss."]


def _contents(profile: Mapping[int, BinProfile], systems: int) -> list[str]:
    """Say what sets the units that nobody finds apart from those that all find."""
    hard, easy = profile[0], profile[systems]
    if min(hard.n, easy.n) < FEW:
        return []
    both = {name: (share, easy.shares[name]) for name, share in hard.shares.items() if name in SAID}
    apart = {name: a - b for name, (a, b) in both.items() if a is not None and b is not None}
    told = [name for name in sorted(apart, key=lambda name: -abs(apart[name])) if abs(apart[name]) >= 0.1][:2]
    return [
        f"{hard.shares[name]:.0%} of the {SAID[name][0]} that nobody finds {SAID[name][1]}, against "
        f"{easy.shares[name]:.0%} of those that all find."
        for name in told
    ]


def _together(systems: Sequence[str], spurious: Bins) -> list[str]:
    total = int(spurious.totals[1:].sum())
    if len(systems) < 2 or not total:
        return []
    once, every = int(spurious.totals[1]), int(spurious.totals[-1])
    alone = f"{once:,} ({once / total:.0%}) are returned by one system alone"
    return [f"Of {counted(total, 'spurious unit')}, {alone} and {every:,} by all."]


def _form(forms: Sequence[Form], systems: int) -> list[str]:
    """Put the string with the most unusual spread into words."""
    known = [form for form in forms if form.resistant and form.bins[-1]]
    if not known or systems < 2:
        return []
    first = known[0]
    nobody = f", {counted(first.bins[0], 'time')} none does" if first.bins[0] else ""
    said = f"“{first.surface}” is gold {counted(first.n, 'time')} and resists sometimes"
    return [f"{said}: {counted(first.bins[-1], 'time')} all systems find it{nobody}."]


def _suspects(systems: int, aside: Sequence[SetAside]) -> list[str]:
    """Say how often systems contradict gold alike, and whether the ranking depends on it."""
    contradictions = [one for one in aside[1:] if one.kind not in ("unfound", "all")]
    if not contradictions:
        return []
    last = contradictions[-1]
    who = "both systems" if systems == 2 else "all systems" if nearly_all(systems) == systems else "nearly all systems"
    moved = changes(aside[0], last)
    more = " and more" if len(moved) > 3 else ""
    then = f"without these suspects {names_of(moved[:3])}{more}" if moved else "setting them aside keeps the ranking"
    return [f"{counted(last.suspects, 'time')} {who} say the same against gold; {then}."]
