"""The options of the engine for large data."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from slicewise.cli.option import ENGINE, option


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """The engine, and the size of partitions."""

    engine: Annotated[
        str, option("--engine", "embedded, or spark: a cluster works on Parquet files.", ENGINE, "NAME")
    ] = "embedded"
    master: Annotated[
        str | None,
        option(
            "--master",
            "Of Spark: spark://HOST:7077, local[4], or sc://HOST for Connect; else what the environment says.",
            ENGINE,
            "URL",
        ),
    ] = None
    part_rows: Annotated[
        int,
        option(
            "--part-rows", "Rows of Parquet files worked on at a time; of large files, as many as fit.", ENGINE, "N"
        ),
    ] = 0

    def chosen(self, on_part: Callable[[int, int], None]) -> dict[str, Any]:
        """Return the same as keywords of `load`; `on_part` is called with the number of items done and of all."""
        if self.engine != "embedded":  # Ctrl-C: what talks to Java would write a stack trace of its own
            logging.getLogger().addHandler(logging.NullHandler())
        return {"engine": self.engine, "master": self.master, "part_rows": self.part_rows, "on_part": on_part}
