"""Difficulty in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slicewise.errors import counted
from slicewise.lenses.difficulty.result import BinProfile, Form, LeftOut, SetAside, Singular
from slicewise.lenses.difficulty.suspects import changes, names_of, nearly_all
from slicewise.stats.patterns import Bins

TOKENS, UNITS = "tokens of the units", "units"
PHRASES = {
    "punctuation": (TOKENS, "are punctuation"),
    "digits": (TOKENS, "are numbers"),
    "single_character": (TOKENS, "are single characters"),
    "abbreviation": (UNITS, "look like abbreviations"),
    "hapax_gold": (UNITS, "have a string that is gold once"),
    "hapax_test": (UNITS, "have a string that stands once in the test set"),
    "ambiguous": (UNITS, "have a string that is not always labelled alike"),
    "multi_token": (UNITS, "have several tokens"),
}
LEAST_UNITS = 10
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
    texts = [
        _ends(systems, gold, total, noun),
        *_owner(systems, gold, singular, noun),
        *_anew(left_out, noun),
        *_contents(profile, len(systems)),
        *_together(systems, spurious),
        *_form(forms, len(systems)),
        *_suspects(len(systems), aside),
    ]
    return tuple(texts)


def _ends(systems: Sequence[str], gold: Bins, total: int, noun: str) -> str:
    missed, found_by_all = int(gold.totals[0]), int(gold.totals[-1])
    how_many = "both" if len(systems) == 2 else f"all {len(systems)}"
    if len(systems) == 1:
        return f"{systems[0]} finds {found_by_all:,} of {counted(total, noun)} ({found_by_all / total:.0%})."
    return (
        f"Of {counted(total, noun)}, {found_by_all:,} ({found_by_all / total:.0%}) are found by {how_many} "
        f"systems and {missed:,} ({missed / total:.0%}) by none."
    )


def _owner(systems: Sequence[str], gold: Bins, singular: Mapping[str, Singular], noun: str) -> list[str]:
    """Return a sentence on the system with most units of bin 1."""
    alone = int(gold.totals[1])
    if len(systems) < 2 or not alone:
        return []
    largest = max(contribution.found for contribution in singular.values())
    owners = [name for name, contribution in singular.items() if contribution.found == largest]
    verb = "is" if alone == 1 else "are"
    distributive = " each" if len(owners) > 1 else ""
    most_of = f"{largest:,} ({largest / alone:.0%}){distributive} by {' and '.join(owners)}"
    return [f"{counted(alone, noun)} {verb} found by one system alone: {most_of}."]


def _anew(left_out: Mapping[str, LeftOut] | None, noun: str) -> list[str]:
    """Return a sentence on leave-one-out bin 0: the system that finds most of what all others miss."""
    if left_out is None:
        return []
    best = max(left_out, key=lambda name: (left_out[name].shares[0] or 0.0, name))
    bins = left_out[best]
    if not bins.found[0] or bins.shares[0] is None:
        return []
    share_text = f"{best} finds {bins.found[0]:,} ({bins.shares[0]:.1%})"
    opening = f"Of the {bins.totals[0]:,} {noun}s that all other systems miss, {share_text}"
    return [f"{opening}; no other system finds a larger share of what its rivals miss."]


def _contents(profile: Mapping[int, BinProfile], systems: int) -> list[str]:
    """Return sentences on how bin 0 differs from the last bin."""
    hard, easy = profile[0], profile[systems]
    if min(hard.n, easy.n) < LEAST_UNITS:
        return []
    shares = {name: (share, easy.shares[name]) for name, share in hard.shares.items() if name in PHRASES}
    apart = {name: a - b for name, (a, b) in shares.items() if a is not None and b is not None}
    chosen = [name for name in sorted(apart, key=lambda name: -abs(apart[name])) if abs(apart[name]) >= 0.1][:2]
    return [
        f"{hard.shares[name]:.0%} of the {PHRASES[name][0]} that nobody finds {PHRASES[name][1]}, against "
        f"{easy.shares[name]:.0%} of those that all find."
        for name in chosen
    ]


def _together(systems: Sequence[str], spurious: Bins) -> list[str]:
    total = int(spurious.totals[1:].sum())
    if len(systems) < 2 or not total:
        return []
    once, by_all = int(spurious.totals[1]), int(spurious.totals[-1])
    alone = f"{once:,} ({once / total:.0%}) are returned by one system alone"
    return [f"Of {counted(total, 'spurious unit')}, {alone} and {by_all:,} by all."]


def _form(forms: Sequence[Form], systems: int) -> list[str]:
    """Return a sentence on the string with the most unusual spread."""
    resisting = [form for form in forms if form.resistant and form.bins[-1]]
    if not resisting or systems < 2:
        return []
    first = resisting[0]
    none_finds = f", {counted(first.bins[0], 'time')} none does" if first.bins[0] else ""
    opening = f"“{first.surface}” is gold {counted(first.n, 'time')} and resists sometimes"
    return [f"{opening}: {counted(first.bins[-1], 'time')} all systems find it{none_finds}."]


def _suspects(systems: int, aside: Sequence[SetAside]) -> list[str]:
    """Return a sentence on the suspects, and on whether the ranking depends on them."""
    contradictions = [variant for variant in aside[1:] if variant.kind not in ("unfound", "all")]
    if not contradictions:
        return []
    last = contradictions[-1]
    who = "both systems" if systems == 2 else "all systems" if nearly_all(systems) == systems else "nearly all systems"
    moved = changes(aside[0], last)
    rest = " and more" if len(moved) > 3 else ""
    effect = f"without these suspects {names_of(moved[:3])}{rest}" if moved else "setting them aside keeps the ranking"
    return [f"{counted(last.suspects, 'time')} {who} say the same against gold; {effect}."]
