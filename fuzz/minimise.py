"""Make a failing case small: fewer changes, options, files, lines, bytes, as long as it fails in the same way."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from fuzz.mutations.target import kind_of
from fuzz.parquet import frame_of, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fuzz.case import Case
    from fuzz.generate import Plan
    from fuzz.mutations import Mutation

SECONDS = 25.0
"""How long one case is made smaller."""
FEW_BYTES = 3000
"""Larger files are not made smaller byte by byte."""

T = TypeVar("T")


class Minimiser:
    """Tries smaller cases; `fails` says whether a case still fails in the same way."""

    def __init__(self, fails: Callable[[Case], bool], seconds: float = SECONDS) -> None:
        self._fails = fails
        self._until = time.monotonic() + seconds
        self._tried: set[int] = set()

    def mutations(self, plan: Plan) -> tuple[Mutation, ...]:
        """Return the changes that are needed."""
        return tuple(self._fewer(plan.mutations, plan.of))

    def smaller(self, case: Case) -> Case:
        """Return the smallest case found."""
        while True:
            before = case.size
            case = self._options(case)
            case = self._rows_of_all(case)
            for name in list(case.files):
                case = self._file(case, name)
            if case.size >= before or self._late():
                return case

    def _late(self) -> bool:
        return time.monotonic() > self._until

    def _still_fails(self, case: Case) -> bool:
        key = hash((tuple(sorted(case.files.items())), case.options))
        if self._late() or key in self._tried:
            return False
        self._tried.add(key)
        return self._fails(case)

    def _fewer(self, parts: Sequence[T], made: Callable[[list[T]], Case | None]) -> list[T]:
        """Return the parts without those that can be left out, first large blocks of them, then single ones."""
        kept = list(parts)
        size = len(kept)
        while size >= 1:
            at = 0
            while at < len(kept):
                without = kept[:at] + kept[at + size :]
                case = made(without)
                if case is not None and self._still_fails(case):
                    kept = without
                else:
                    at += size
            size //= 2
        return kept

    def _options(self, case: Case) -> Case:
        head, rest = case.options[:1], case.options[1:]
        kept = self._fewer(rest, lambda options: _only_used(replace(case, options=(*head, *options))))
        smaller = _only_used(replace(case, options=(*head, *kept)))
        return smaller if len(kept) < len(rest) or self._still_fails(smaller) else case

    def _rows_of_all(self, case: Case) -> Case:
        """Leave out the same rows of all files that have as many: items, which are aligned by position."""
        split = {name: _rows(name, data) for name, data in case.files.items()}
        counts = {len(rows) for rows in split.values() if rows is not None and len(rows) > 1}
        for count in sorted(counts, reverse=True):
            same = {name: rows for name, rows in split.items() if rows is not None and len(rows) == count}
            kept = self._fewer(range(count), partial(_with_rows, case, same))
            if len(kept) < count:
                case = _with_rows(case, same, kept)
        return case

    def _file(self, case: Case, name: str) -> Case:
        """Leave out rows of one file, then columns or bytes."""
        rows = _rows(name, case.files[name])
        if rows is not None:
            kept = self._fewer(rows, lambda some: case.with_file(name, _joined(name, some, case.files[name])))
            if len(kept) < len(rows):
                case = case.with_file(name, _joined(name, kept, case.files[name]))
        if kind_of(name) == "parquet":
            columns = _columns(case.files[name])
            kept_columns = self._fewer(columns, lambda some: _with_columns(case, name, some))
            smaller = _with_columns(case, name, kept_columns)
            return smaller if smaller is not None and len(kept_columns) < len(columns) else case
        data = case.files[name]
        if kind_of(name) != "code" and len(data) <= FEW_BYTES:
            fewer = self._fewer(list(data), lambda some: case.with_file(name, bytes(some)))
            case = case.with_file(name, bytes(fewer))
        return case


def _with_rows(case: Case, rows: Mapping[str, list[bytes]], kept: Sequence[int]) -> Case:
    """Return the case with some rows of these files."""
    files = {name: _joined(name, [held[i] for i in kept], case.files[name]) for name, held in rows.items()}
    return replace(case, files={**case.files, **files})


def _only_used(case: Case) -> Case:
    return replace(case, files=case.used)


def _rows(name: str, data: bytes) -> list[bytes] | None:
    """Return the rows of a file: its lines, or the numbers of a Parquet file's rows; None where it has none."""
    if kind_of(name) == "parquet":
        frame = frame_of(data)
        return None if frame is None else [b"%d" % i for i in range(frame.height)]
    return data.splitlines(keepends=True) if kind_of(name) in ("text", "json", "toml") else None


def _joined(name: str, rows: Sequence[bytes], data: bytes) -> bytes:
    if kind_of(name) != "parquet":
        return b"".join(rows)

    return rewritten(data, lambda frame: frame[[int(row) for row in rows]] if rows else frame.head(0)) or data


def _columns(data: bytes) -> list[str]:
    frame = frame_of(data)
    return [] if frame is None else frame.columns


def _with_columns(case: Case, name: str, columns: Sequence[str]) -> Case | None:
    data = rewritten(case.files[name], lambda frame: frame.select(columns))
    return None if data is None else case.with_file(name, data)
