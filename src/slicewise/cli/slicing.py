"""The options of how to slice."""

from dataclasses import dataclass
from typing import Annotated, Any

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import listed, two_systems
from slicewise.cli.option import SLICING, option

Compare = Annotated[
    list[str] | None, option("--compare", help="Two systems; repeat. All pairs.", panel=SLICING, metavar="A,B")
]
SharedCuts = Annotated[
    bool | None, option("--shared-cuts", help="Cut all data sets at the same points.", panel=SLICING)
]


@dataclass(frozen=True, kw_only=True)
class SlicingOptions:
    """Which attributes to slice by, and where to cut them."""

    attribute: Annotated[
        list[str] | None,
        option(
            "--attribute",
            "-a",
            help="An attribute, or FILE.py:FUNCTION; repeat. all, core.",
            panel=SLICING,
            metavar="NAME",
        ),
    ] = None
    buckets: Annotated[int | None, option("--buckets", help="How many buckets; 4.", panel=SLICING, metavar="M")] = None
    cuts: Annotated[
        list[str] | None,
        option(
            "--cuts",
            help="Cut points: numbers, quantile(M), width(M) or values; repeat.",
            panel=SLICING,
            metavar="ATTR=A,B,C",
        ),
    ] = None

    def chosen(self, data: DataOptions, compare: list[str] | None) -> dict[str, Any]:
        """Return how to slice: what the command line says, else what the configuration file says."""
        from slicewise.bucketing import parse_cuts

        given = dict(data.slicing)
        if self.attribute:
            given["attributes"] = listed(self.attribute)
        if self.buckets is not None:
            given["buckets"] = self.buckets
        if self.cuts:
            given["cuts"] = given.get("cuts", {}) | dict(parse_cuts(text) for text in self.cuts)
        if compare:
            given["compare"] = [two_systems(pair, "--compare") for pair in compare]
        return given
