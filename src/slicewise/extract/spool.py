"""A disk cache of tokens and of rows of features: computed once per partition, however often it is mapped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.evaluation import Evaluation
from slicewise.extract.relation import Relation
from slicewise.extract.tokens import ItemTexts, Tokens

SHORT = 1 << 16


@dataclass(frozen=True)
class Spool:
    """The folder of the cache."""

    folder: Path
    columns: tuple[str, ...]
    """The input fields, which parts may be read without."""

    def tokens(self, part: Evaluation, field: str, make: Callable[[], Tokens]) -> Tokens:
        """Return the tokens of a field, from the cache if it has them."""
        folder = self._place(part, field)
        if folder.exists():
            return _read(folder)
        computed = make()
        _write(computed, folder)
        return computed

    def relation(self, part: Evaluation, query: str, make: Callable[[], Relation]) -> Relation:
        """Return the rows of some features, from the cache if it has them."""
        folder = self._place(part, query)
        if not folder.exists():
            computed = make()
            _save(folder, {"starts": computed.starts, "rows": computed.rows, "size": np.array(computed.size)})
        starts, rows, size = (np.load(folder / f"{name}.npy") for name in ("starts", "rows", "size"))
        return Relation(starts, rows, int(size))

    def _place(self, part: Evaluation, key: str) -> Path:
        name = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
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
    parts = ItemTexts(np.load(several), np.load(folder / "part_items.npy")) if several.exists() else None
    vocabulary = pl.read_ipc(folder / "vocabulary.arrow").to_series().alias("")
    return Tokens(np.load(folder / "ids.npy"), np.load(folder / "offsets.npy"), vocabulary, parts)
