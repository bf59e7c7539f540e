"""Tokens of parts, and rows of features, in files: worked out once, however often the parts are looked at."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.extract.relation import Relation
from slicewise.extract.tokens import Parts, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from slicewise.evaluation import Evaluation

SHORT = 1 << 16


@dataclass(frozen=True)
class Spool:
    """A folder for them."""

    folder: Path
    columns: tuple[str, ...]
    """The input fields, which parts may be read without."""

    def tokens(self, part: Evaluation, field: str, make: Callable[[], Tokens]) -> Tokens:
        """Return the tokens of a field, from their files where they are there."""
        folder = self._place(part, field)
        if folder.exists():
            return _read(folder)
        made = make()
        _write(made, folder)
        return made

    def relation(self, part: Evaluation, wishes: str, make: Callable[[], Relation]) -> Relation:
        """Return the rows of some features, from their files where they are there."""
        folder = self._place(part, wishes)
        if not folder.exists():
            made = make()
            _save(folder, {"starts": made.starts, "rows": made.rows, "size": np.array(made.size)})
        starts, rows, size = (np.load(folder / f"{name}.npy") for name in ("starts", "rows", "size"))
        return Relation(starts, rows, int(size))

    def _place(self, part: Evaluation, what: str) -> Path:
        name = hashlib.blake2b(what.encode("utf-8", "replace"), digest_size=16).hexdigest()
        return self.folder / f"{part.first}-{part.aligned.items}-{name}"


def _write(tokens: Tokens, folder: Path) -> None:
    short = len(tokens.vocabulary) <= SHORT
    arrays = {"ids": tokens.ids.astype(np.uint16) if short else tokens.ids, "offsets": tokens.offsets}
    if tokens.parts is not None:
        arrays |= {"part_offsets": tokens.parts.offsets, "part_items": tokens.parts.item}
    _save(folder, arrays, tokens.vocabulary)


def _save(folder: Path, arrays: Mapping[str, NDArray[Any]], vocabulary: pl.Series | None = None) -> None:
    """Write files into a folder that is there when they are whole."""
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(unfinished / f"{name}.npy", array)
    if vocabulary is not None:
        vocabulary.to_frame("string").write_ipc(unfinished / "vocabulary.arrow")
    unfinished.rename(folder)


def _read(folder: Path) -> Tokens:
    several = folder / "part_offsets.npy"
    parts = Parts(np.load(several), np.load(folder / "part_items.npy")) if several.exists() else None
    vocabulary = pl.read_ipc(folder / "vocabulary.arrow").to_series().alias("")
    return Tokens(np.load(folder / "ids.npy"), np.load(folder / "offsets.npy"), vocabulary, parts)
