"""The options of slicing."""

from dataclasses import dataclass
from typing import Annotated, Any

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import listed, two_systems
from slicewise.cli.option import SLICING, option

Compare = Annotated[list[str] | None, option("--compare", "Two systems; repeat. All pairs.", SLICING, "A,B")]
SharedCuts = Annotated[bool | None, option("--shared-cuts", "Cut all data sets at the same points.", SLICING)]


@dataclass(frozen=True, kw_only=True)
class SlicingOptions:
    """Which attributes to slice by, and where to cut them."""

    attribute: Annotated[
        list[str] | None,
        option("--attribute -a", "An attribute, or FILE.py:FUNCTION; repeat. all, core.", SLICING, "NAME"),
    ] = None
    buckets: Annotated[int | None, option("--buckets", "How many buckets; 4.", SLICING, "M")] = None
    cuts: Annotated[
        list[str] | None,
        option("--cuts", "Cut points: numbers, quantile(M), width(M) or values; repeat.", SLICING, "ATTR=A,B,C"),
    ] = None

    def chosen(self, data: DataOptions, compare: list[str] | None) -> dict[str, Any]:
        """Return how to slice: what the command line says, else what the configuration file says."""
        from slicewise.bucketing import parse_cuts

        options = dict(data.slicing)
        if self.attribute:
            options["attributes"] = listed(self.attribute)
        if self.buckets is not None:
            options["buckets"] = self.buckets
        if self.cuts:
            options["cuts"] = options.get("cuts", {}) | dict(parse_cuts(text) for text in self.cuts)
        if compare:
            options["compare"] = [two_systems(pair, "--compare") for pair in compare]
        return options
