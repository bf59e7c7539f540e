"""Apache Spark as the place where parts are worked on.

Every task reads one part by itself and runs a kernel on it (`mapInArrow`); the tables of all parts are added up by the
cluster, with the same Narwhals group-by as here. What is wrong in the data comes back as a row, not as a stack trace.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from slicewise.engine.cells import sums
from slicewise.errors import UserError, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from slicewise.parts import Kernel, PartSource

WRONG, PART = "slicewise:wrong", "slicewise:part"
"""Columns beside a kernel's own: what is wrong in the data, and the number of the part."""
INSTALL = "Spark is not installed; install it: pip install 'slicewise[spark]', and Java 17 or newer"
FEW_PIECES = ("spark.sql.shuffle.partitions", "16")
"""Tables are small: they are added up in few pieces."""
TYPES: dict[Any, str] = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double", pl.Boolean: "boolean"}


def session_of(engine: Any, master: str | None) -> Any:
    """Return a session: the user's own, that of a Spark Connect server, or one with a master of its own."""
    if not isinstance(engine, str):
        return engine
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UserError(INSTALL) from None
    remote = master if master is not None and master.startswith("sc://") else None
    if master is None:
        remote = os.environ.get("SPARK_REMOTE")
    active = SparkSession.getActiveSession()
    if master is None and active is not None:
        return active
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder.appName("slicewise")
    try:
        if remote is not None:
            return builder.remote(remote).config(*FEW_PIECES).getOrCreate()
        for key, value in _settings(master).items():
            builder = builder.config(key, value)
        with _silence():
            return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as problem:
        raise _no_session(problem, remote or master) from None


def _settings(master: str | None) -> Mapping[str, str]:
    """Return settings for a session of one's own, which shows no page."""
    own = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"} | dict([FEW_PIECES])
    if master is not None and re.match(r"spark://(127\.0\.0\.1|localhost)[:,]", master):
        own |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return own


@contextmanager
def _silence() -> Iterator[None]:
    """Keep a Java process that is started now from writing to the terminal, as long as it lives."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _no_session(problem: Exception, where: str | None) -> UserError:
    text = " ".join(str(problem).split())
    if "JAVA" in text.upper() and ("GATEWAY" in text.upper() or "not found" in text or "JAVA_HOME" in text):
        return UserError("Spark found no Java; install Java 17 or newer, e.g. openjdk-17-jre-headless")
    return UserError(f"no Spark session at {where or 'the default master'}: {text[:200]}; check the address")


@dataclass(frozen=True)
class Spark:
    """Works on parts in a cluster."""

    session: Any
    on_part: Callable[[int, int], None] | None = None

    def summed(self, source: PartSource, kernel: Kernel, keep: nw.Expr | None) -> Iterator[pl.DataFrame]:
        """Add up the tables of all parts in the cluster."""
        empty, frame = self._tables(source, kernel)
        numbers = [name for name in empty.columns if name not in kernel.by]
        lazy: nw.LazyFrame[Any] = nw.from_native(frame)
        found = sums(lazy, [*kernel.by, WRONG], {name: nw.col(name) for name in numbers})
        if keep is not None:
            found = found.filter(keep | ~nw.col(WRONG).is_null())
        table = _collected(found)
        yield _checked(table).select(empty.columns).cast(empty.schema)

    def gathered(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""
        empty, frame = self._tables(source, kernel)
        table = _checked(_collected(nw.from_native(frame)))
        parts = {int(key[0]): own for key, own in table.group_by(PART, maintain_order=True)}
        nothing = empty.with_columns(pl.lit(0, pl.Int64).alias(PART))
        found = [parts.get(i, nothing) for i in range(len(source))]
        return [one.select(empty.columns).cast(empty.schema) for one in found]

    def _tables(self, source: PartSource, kernel: Kernel) -> tuple[pl.DataFrame, Any]:
        """Return the columns of a kernel's table, and a Spark frame with the rows of all parts."""
        empty = kernel(source.head(kernel.needs))
        columns = [f"`{name}` {_spark_type(kind)}" for name, kind in empty.schema.items()]
        schema = ", ".join([*columns, f"`{PART}` bigint", f"`{WRONG}` string"])
        numbers = self.session.range(0, len(source), 1, len(source))
        return empty, numbers.mapInArrow(_Task(source, kernel, empty), schema)


def _spark_type(kind: Any) -> str:
    """Return Spark's name of a type."""
    return f"array<{_spark_type(kind.inner)}>" if isinstance(kind, pl.List) else TYPES[type(kind)]


@dataclass(frozen=True)
class _Task:
    """What a worker does with the numbers of parts: it reads each and runs the kernel."""

    source: PartSource
    kernel: Kernel
    empty: pl.DataFrame
    """A table without rows: Spark goes by the order of columns."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Return the kernel's tables as Arrow batches."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _small_lists(self._table(number).to_arrow(compat_level=pl.CompatLevel.oldest())).to_batches()

    def _table(self, number: int) -> pl.DataFrame:
        wrong = None
        try:
            table = self.kernel(self.source.part(number, self.kernel.needs)).select(self.empty.columns)
        except UserError as problem:
            wrong = str(problem)
            table = pl.DataFrame({name: [None] for name in self.empty.columns}, schema=self.empty.schema)
        return table.with_columns(pl.lit(number, pl.Int64).alias(PART), pl.lit(wrong, pl.String).alias(WRONG))


def _small_lists(table: Any) -> Any:
    """Return an Arrow table with lists as Spark takes them."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_large_list(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.list_(pa.string())))
    return table


def _collected(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """Run a job and return its small result."""
    try:
        return frame.collect("polars").to_native()  # type: ignore[no-any-return]
    except Exception as problem:
        raise UserError(_said(problem)) from None


def _said(problem: Exception) -> str:
    """Return in one line why a job failed."""
    text = str(problem)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "No module named 'slicewise'" in text:
        return "the workers' Python has no slicewise; install it there, or name another Python with PYSPARK_PYTHON"
    told = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    last = (told or lines or [type(problem).__name__])[-1]
    return f"the Spark job failed: {quoted(last, 300)}; see the logs of the cluster"


def _checked(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table, or say what is wrong in the data."""
    wrong = table.filter(pl.col(WRONG).is_not_null())
    if wrong.height:
        raise UserError(str(wrong.sort(WRONG)[WRONG][0]))
    return table
