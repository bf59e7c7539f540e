"""The options of where large data is worked on."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from slicewise.cli.option import ENGINE, option


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Where data is worked on, and how much of it at a time."""

    engine: Annotated[
        str,
        option("--engine", help="embedded, or spark: a cluster works on Parquet files.", panel=ENGINE, metavar="NAME"),
    ] = "embedded"
    master: Annotated[
        str | None,
        option(
            "--master",
            help="Of Spark: spark://HOST:7077, local[4], or sc://HOST for Connect; else what the environment says.",
            panel=ENGINE,
            metavar="URL",
        ),
    ] = None
    part_rows: Annotated[
        int,
        option(
            "--part-rows",
            help="Rows of Parquet files worked on at a time; of large files, as many as fit.",
            panel=ENGINE,
            metavar="N",
        ),
    ] = 0

    def chosen(self, on_part: Callable[[int, int], None]) -> dict[str, Any]:
        """Return the same as keywords of `load`; it is told how many items are done, of how many."""
        if self.engine != "embedded":  # Ctrl-C: what talks to Java would write a stack trace of its own
            logging.getLogger().addHandler(logging.NullHandler())
        return {"engine": self.engine, "master": self.master, "part_rows": self.part_rows, "on_part": on_part}
