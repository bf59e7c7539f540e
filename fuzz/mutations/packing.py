"""Changes of how a file is stored: compressed, as Parquet, under another ending, twice."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.mutations.target import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.case import Case
    from fuzz.corpora import Corpus

ENDINGS = (
    ".conll",
    ".jsonl",
    ".json",
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".bio",
    ".out",
    "",
    ".CSV",
    ".ndjson",
    ".gz",
    ".xyz",
)


def _zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": _zstd,
}


def _file(rng: Random, case: Case) -> str | None:
    names = [name for name in sorted(case.used) if kind_of(name) not in ("code", "toml")]
    return rng.choice(names) if names else None


def compress(rng: Random, case: Case, _: Corpus) -> Case:
    """Compress a file."""
    if (name := _file(rng, case)) is None or "/" in name:
        return case
    ending = rng.choice(sorted(PACKERS))
    return case.renamed(name, name + ending, PACKERS[ending](case.files[name]))


def rename(rng: Random, case: Case, _: Corpus) -> Case:
    """Give a file another ending."""
    if (name := _file(rng, case)) is None or "/" in name:
        return case
    return case.renamed(name, name.partition(".")[0] + rng.choice(ENDINGS), case.files[name])


def columnar(rng: Random, case: Case, _: Corpus) -> Case:
    """Convert files as `slicewise convert` does."""
    from slicewise.errors import UserError
    from slicewise.read.convert import convert

    names = [name for name in sorted(case.used) if kind_of(name) in ("text", "json") and "/" not in name]
    chosen = names if rng.random() < 0.7 else names[:1]
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, name), Path(folder, "converted.parquet")
            source.write_bytes(case.files[name])
            try:
                convert(str(source), target)
            except UserError:
                continue
            except BaseException as error:  # a defect of `convert`, which is found where it is run
                if isinstance(error, KeyboardInterrupt):
                    raise
                continue
            case = case.renamed(name, name.partition(".")[0] + ".parquet", target.read_bytes())
    return case


def exchange(rng: Random, case: Case, _: Corpus) -> Case:
    """Exchange the contents of two files."""
    names = [name for name in sorted(case.used) if kind_of(name) != "code"]
    if len(names) < 2:
        return case
    first, second = rng.sample(names, 2)
    return case.with_file(first, case.files[second]).with_file(second, case.files[first])


def copy(rng: Random, case: Case, _: Corpus) -> Case:
    """Give one file the content of another."""
    names = [name for name in sorted(case.used) if kind_of(name) != "code"]
    if len(names) < 2:
        return case
    first, second = rng.sample(names, 2)
    return case.with_file(first, case.files[second])


MUTATIONS: dict[str, Callable[[Random, Case, Corpus], Case]] = {
    f.__name__: f for f in (compress, rename, columnar, exchange, copy)
}
