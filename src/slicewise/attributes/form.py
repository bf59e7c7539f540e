"""How a unit is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from slicewise.attributes import surface
from slicewise.attributes.attribute import TAGGED, Attribute, Need, Of, Scope
from slicewise.attributes.facts import Facts
from slicewise.bucketing import Quantiles, Values


def _written(name: str, summary: str, function: Callable[[pl.Series], pl.Series], **more: Any) -> Attribute:
    """Return an attribute that is a function of the unit's string."""

    def values(facts: Facts) -> pl.Series:
        return function(facts.surface_text)

    return Attribute(
        name=name,
        summary=summary,
        values=values,
        of=Of.UNIT,
        depends_on=Scope.UNIT,
        tasks=TAGGED,
        needs=frozenset({Need.WORDS}),
        **more,
    )


ATTRIBUTES = [
    _written(
        "capitals", "how the string is capitalised", surface.capitalisation, buckets=Values(all_of_them=True),
        phrase="{units} with capitals: {range}",
        phrases={
            "lower": "{units} in lower case", "ALL CAPS": "{units} in capitals", "mixed": "{units} of mixed case",
            "Capitalised": "capitalised {units}", "no letters": "{units} without letters",
        },
    ),
    _written(
        "shape", "word shape: A upper, a lower, 9 digit, + a run", surface.shape, buckets=Values(),
        phrase="{units} of the shape {range}",
    ),
    _written(
        "punctuation", "share of the string's characters that are punctuation or symbols", surface.punctuation_share,
        buckets=Quantiles(low=0.0), phrase="{units} with a share of {range} punctuation",
        phrases={0.0: "{units} without punctuation"},
    ),
    _written(
        "digits", "share of the string's characters that are digits", surface.digit_share, buckets=Quantiles(low=0.0),
        phrase="{units} with a share of {range} digits", phrases={0.0: "{units} without digits"},
    ),
    _written(
        "abbreviation", "whether the string looks like an abbreviation", surface.abbreviation,
        phrases={"yes": "{units} that look like abbreviations", "no": "{units} that do not look like abbreviations"},
    ),
]  # fmt: skip
