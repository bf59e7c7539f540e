"""Apache Spark as the engine.

Every task reads one partition and runs a kernel on it (`mapInArrow`); the cluster sums the tables of all partitions
with the same Narwhals group-by as the local engine. A user error is returned as a row, not as a stack trace.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.engine.protocols import Kernel, PartSource, RankAware, Ranked, Result, Steps, run_steps
from slicewise.engine.ranks import KEYS, classes, doubled, groups, hit
from slicewise.engine.sums import sums
from slicewise.errors import UserError, quoted

WRONG, PART = "slicewise:wrong", "slicewise:part"
"""Columns beside a kernel's own: a user error, and the number of the partition."""
INSTALL = "Spark is not installed; install it: pip install 'slicewise[spark]', and Java 17 or newer"
FEW_PIECES = ("spark.sql.shuffle.partitions", "16")
"""Tables are small: few shuffle partitions suffice."""
SORTED = "merge"
"""How tables are joined: Spark takes what kernels return for small, and would send it to every worker."""
OFTEN = 0.5
"""Seconds between polls of a job's progress."""
MAX_COLLECTED = 3_500_000
"""Distinct values of a column that may be collected; of more, ranks stay on the cluster."""
TOO_LARGE = "too many different scores, numbers or strings: round them, leave their column out, or allow for more"
MANY = 32
"""Assumed parallelism of a cluster that does not report it."""
TYPES: dict[Any, str] = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double", pl.Boolean: "boolean"}


def session_of(engine: Any, master: str | None) -> Any:
    """Return a session: the user's own, that of a Spark Connect server, or one with a master of its own."""
    if not isinstance(engine, str):
        return engine
    warnings.filterwarnings("ignore", category=FutureWarning, message=".*pandas")
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
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder.appName("slicewise")
    if remote is None:
        return _own_session(builder, master)
    try:
        return builder.remote(remote).config(*FEW_PIECES).getOrCreate()
    except Exception as problem:
        raise _no_session(remote, str(problem)) from None


def _own_session(builder: Any, master: str | None) -> Any:
    """Start Java with a session."""
    if shutil.which("java", path=_java_path()) is None:
        raise UserError("Spark found no Java; install Java 17 or newer, e.g. openjdk-17-jre-headless")
    for key, value in _settings(master).items():
        builder = builder.config(key, value)
    with tempfile.TemporaryFile() as said:
        try:
            with _uninterrupted(), _redirected_to(said):
                return (builder if master is None else builder.master(master)).getOrCreate()
        except Exception as problem:
            said.seek(0)
            reasons = re.findall(r"Exception: ((?!Exception)[^\n]+)", said.read().decode(errors="replace"))
            raise _no_session(master, reasons[0] if reasons else str(problem)) from None


def _java_path() -> str:
    """Return where Spark looks for Java."""
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin" if home else os.environ.get("PATH", os.defpath)


def _settings(master: str | None) -> Mapping[str, str]:
    """Return settings for a new session, without its web page."""
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"} | dict([FEW_PIECES])
    if master is not None and re.match(r"spark://(127\.0\.0\.1|localhost)[:,]", master):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off, as Java that is left before it has begun does not end; then Ctrl-C does what it did before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def _noticed(left: threading.Event) -> Iterator[None]:
    """Set an event when the program is terminated, by Ctrl-C or by a signal that it handles."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    answers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before: dict[int, Any] = {number: answer for number, answer in answers.items() if callable(answer)}

    def end(number: int, frame: Any) -> None:
        left.set()
        before[number](number, frame)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, answer in before.items():
            signal.signal(number, answer)


@contextmanager
def _redirected_to(file: IO[bytes]) -> Iterator[None]:
    """Have a Java process that is started now write to a file instead of the terminal, as long as it lives."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _no_session(where: str | None, why: str) -> UserError:
    reason = " ".join(why.split())[:200].rstrip(".")
    place = quoted(where) if where else "the default master"
    return UserError(f"no Spark session at {place}: {reason}; check the address")


@dataclass(frozen=True)
class Spark:
    """Runs kernels on a cluster."""

    session: Any
    on_part: Callable[[int, int], None] | None = None
    """Called with the number of items done and of all."""

    @property
    def at_once(self) -> int:
        """How many tasks the cluster runs at the same time; Spark Connect does not say."""
        try:
            return int(self.session.sparkContext.defaultParallelism)
        except Exception:
            return MANY

    @property
    def max_collected(self) -> int:
        """The most distinct values of a column that may be collected."""
        return MAX_COLLECTED

    def aggregate(
        self, source: PartSource, kernel: Kernel, keep: nw.Expr | None, ranks: Ranked | None = None
    ) -> Iterator[pl.DataFrame]:
        """Sum the tables of all partitions on the cluster."""
        empty, sums = self._added(source, kernel, ranks)
        if keep is not None:
            sums = sums.filter(keep | ~nw.col(WRONG).is_null())
        with self.watched(source):
            table = _collected(sums)
        whole = _checked(table).select(empty.columns).cast(empty.schema)
        yield whole.sort(*kernel.by) if kernel.by else whole

    def reduce_parts(
        self, source: PartSource, kernel: Kernel, steps: Steps[Result], ranks: Ranked | None = None
    ) -> Result:
        """Sum the tables of all partitions on the cluster, which caches the sums until they have been reduced."""
        kept: Any = self._added(source, kernel, ranks)[1].to_native().persist()
        try:
            table: nw.LazyFrame[Any] = nw.from_native(kept.hint(SORTED))
            right = table.filter(nw.col(WRONG).is_null()).drop(WRONG)
            with self.watched(source):
                _checked(_collected(table.filter(~nw.col(WRONG).is_null())))
                return run_steps(steps, lambda reduction: _collected(reduction(right)))
        finally:
            kept.unpersist()

    def rank_values(self, source: PartSource, kernel: Kernel) -> SparkRanks:
        """Rank the values of all partitions on the cluster, which caches them."""
        rows = self._tables(source, kernel)[1].persist()
        right: nw.LazyFrame[Any] = nw.from_native(rows.hint(SORTED)).filter(nw.col(WRONG).is_null())
        places = nw.to_native(classes(sums(right, KEYS, {"n": nw.col("n")}, ordered=False))).persist()
        ranks = nw.from_native(places.hint(SORTED)).select(*KEYS, doubled=doubled())
        by_part = right.select(PART, *KEYS).join(ranks, on=list(KEYS), how="inner").to_native()
        by_part = by_part.repartition(len(source), PART).persist()
        with self.watched(source):
            _checked(_collected(nw.from_native(rows).filter(~nw.col(WRONG).is_null())))
            parts = _collected(nw.from_native(by_part).select(nw.col(PART).n_unique()))
        rows.unpersist()
        if parts.item() != len(source):
            raise UserError("the Spark job failed: not every part has ranks; see the logs of the cluster")
        return SparkRanks(self, source, places, by_part)

    def _added(
        self, source: PartSource, kernel: Kernel, ranks: Ranked | None = None
    ) -> tuple[pl.DataFrame, nw.LazyFrame[Any]]:
        """Return the columns of a kernel's table, and the summed tables of all partitions with their errors."""
        empty, frame = self._tables(source, kernel, ranks)
        numbers = {name: nw.col(name) for name in empty.columns if name not in kernel.by}
        return empty, sums(nw.from_native(frame), [*kernel.by, WRONG], numbers, ordered=False)

    def collect_parts(self, source: PartSource, kernel: Kernel) -> list[pl.DataFrame]:
        """Return the tables of all parts in their order."""
        empty, frame = self._tables(source, kernel)
        with self.watched(source):
            table = _checked(_collected(nw.from_native(frame)))
        parts = {int(key[0]): rows for key, rows in table.group_by(PART, maintain_order=True)}
        nothing = empty.with_columns(pl.lit(0, pl.Int64).alias(PART))
        tables = [parts.get(i, nothing) for i in range(len(source))]
        return [part.select(empty.columns).cast(empty.schema) for part in tables]

    @contextmanager
    def watched(self, source: PartSource) -> Iterator[None]:
        """Report progress while jobs run, and cancel them when the program is terminated."""
        over, left = threading.Event(), threading.Event()
        total = sum(source.items(i) for i in range(len(source)))
        threading.Thread(target=self._watch, args=(over, left, len(source), total), daemon=True).start()
        try:
            with _noticed(left):
                yield
        finally:
            over.set()

    def _watch(self, over: threading.Event, left: threading.Event, parts: int, total: int) -> None:
        """Poll the jobs; Spark Connect does not show them, and cancels them by itself."""
        try:
            context = self.session.sparkContext
            tracker = context.statusTracker()
            while not over.wait(OFTEN):
                if left.is_set():
                    context.cancelAllJobs()  # more than once: Spark waits for a job that was only about to begin
                elif self.on_part is not None:
                    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                    done = [info.numCompletedTasks for info in stages if info is not None and info.numTasks == parts]
                    if any(done):
                        self.on_part(total * max(done) // parts, total)
        except Exception:  # the session ends, or is one of Spark Connect
            return

    def _tables(self, source: PartSource, kernel: Kernel, ranks: Ranked | None = None) -> tuple[pl.DataFrame, Any]:
        """Return the columns of a kernel's table, and a Spark frame with the rows of all parts."""
        empty = kernel(source.head(kernel.needs))
        columns = [f"`{name}` {_spark_type(kind)}" for name, kind in empty.schema.items()]
        schema = ", ".join([*columns, f"`{PART}` bigint", f"`{WRONG}` string"])
        if isinstance(ranks, SparkRanks) and isinstance(kernel, RankAware):
            return empty, ranks.by_part.groupBy(PART).applyInArrow(_rank_task(source, kernel, empty), schema)
        numbers = self.session.range(0, len(source), 1, len(source))
        return empty, numbers.mapInArrow(_Task(source, kernel, empty), schema)


def _spark_type(kind: Any) -> str:
    """Return Spark's name of a type."""
    return f"array<{_spark_type(kind.inner)}>" if isinstance(kind, pl.List) else TYPES[type(kind)]


@dataclass(frozen=True)
class _Task:
    """A worker's task: read partitions by their numbers and run the kernel on each."""

    source: PartSource
    kernel: Kernel
    empty: pl.DataFrame
    """A table without rows: Spark goes by the order of columns."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Return the kernel's tables as Arrow batches."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.arrow(number).to_batches()

    def arrow(self, number: int) -> Any:
        """Return the kernel's table of one part."""
        return _as_spark_takes(self._table(number).to_arrow(compat_level=pl.CompatLevel.oldest()))

    def _table(self, number: int) -> pl.DataFrame:
        wrong = None
        try:
            table = self.kernel(self.source.part(number, self.kernel.needs)).select(self.empty.columns)
        except UserError as problem:
            wrong = str(problem)
            table = pl.DataFrame({name: [None] for name in self.empty.columns}, schema=self.empty.schema)
        return table.with_columns(pl.lit(number, pl.Int64).alias(PART), pl.lit(wrong, pl.String).alias(WRONG))


def _rank_task(source: PartSource, kernel: RankAware, empty: pl.DataFrame) -> Callable[[Any], Any]:
    """Return a worker's task with the ranks of one partition's values."""

    def run(ranks: Any) -> Any:
        table = pl.DataFrame(ranks)
        return _Task(source, kernel.with_ranks(table.drop(PART)), empty).arrow(int(table[PART][0]))

    return run


def _as_spark_takes(table: Any) -> Any:
    """Return an Arrow table with strings and lists as Spark takes them."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_large_list(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.list_(pa.string())))
        elif pa.types.is_large_string(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.string()))
    return table


@dataclass(frozen=True, eq=False)
class SparkRanks:
    """Values ranked and cached by a cluster as long as this object lives."""

    cluster: Spark
    source: PartSource
    places: Any
    """By column and value: `n`, and the first place."""
    by_part: Any
    """The values of every partition with their doubled ranks."""

    def __post_init__(self) -> None:
        """Release the cache together with this object."""
        for frame in (self.places, self.by_part):
            weakref.finalize(self, _forget, frame)

    def sizes(self, column: int, below: int | None = None) -> pl.DataFrame:
        """Return the number of values by the number of their rows."""
        with self.cluster.watched(self.source):
            return _collected(groups(nw.from_native(self.places), column, below))

    def at(self, column: int, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the values at some places."""
        column_places = self.places.filter(self.places["column"] == column)

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                values = hit(pl.DataFrame(batch), places)
                yield from values.select("value", "start", "n").to_arrow().to_batches()

        values = column_places.mapInArrow(run, "value bigint, start bigint, n bigint")
        with self.cluster.watched(self.source):
            return _collected(nw.from_native(values)).sort("start")


def _forget(frame: Any) -> None:
    with suppress(Exception):  # the session may have ended
        frame.unpersist()


def _collected(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """Run a job and return its small result."""
    try:
        return frame.collect("polars").to_native()  # type: ignore[no-any-return]
    except Exception as problem:
        interrupt = problem.__context__  # Spark raises an error of its own instead
        if isinstance(interrupt, KeyboardInterrupt | SystemExit):
            raise interrupt from None
        raise UserError(_said(problem)) from None


def _said(problem: Exception) -> str:
    """Return in one line why a job failed."""
    text = str(problem)
    if "No module named 'slicewise'" in text:
        return "the workers' Python has no slicewise; install it there, or name another Python with PYSPARK_PYTHON"
    if most := re.search(r"bigger than (?:local )?(spark\.driver\.maxResultSize \([^)]*\))", text):
        return f"the result is larger than {most[1]}; {TOO_LARGE}"
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("at ", "..."))]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    last = (errors or lines or [type(problem).__name__])[-1]
    return f"the Spark job failed: {quoted(last, 300)}; see the logs of the cluster"


def _checked(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table, or raise the first error in it."""
    wrong = table.filter(pl.col(WRONG).is_not_null())
    if wrong.height:
        raise UserError(str(wrong.sort(WRONG)[WRONG][0]))
    return table
