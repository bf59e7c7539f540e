"""Attributes whose buckets all systems share, so that systems can be compared in them."""

from __future__ import annotations

from slicewise.errors import UserError
from slicewise.lenses.slicing.breakdown import Described, Sliced

GROUPS = ("all", "core")
"""Names that stand for many attributes."""


def common_attributes(sliced: Sliced) -> list[Described]:
    """Return the attributes that do not differ between systems; a requested one that does is an error."""
    for described in sliced.described:
        if not described.shared and _asked(sliced, described.attribute.name):
            name = described.attribute.name
            raise UserError(f"{name} differs between systems, so no two of them share its buckets; leave it out")
    return [described for described in sliced.described if described.shared]


def _asked(sliced: Sliced, name: str) -> bool:
    """Return whether the user requested an attribute by name, not only by a group."""
    named = sliced.plan.attributes
    in_group = not named or any(attribute in GROUPS for attribute in named if isinstance(attribute, str))
    return not in_group or name in named or name in (sliced.plan.cuts or {})
