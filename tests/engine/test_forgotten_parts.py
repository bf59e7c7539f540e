"""A part that was read is gone when its table is there: commands do not look for cycles of references."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass, field

import polars as pl
import pytest
from support.parts import in_parts

from slicewise import Evaluation
from slicewise.engine.local import aggregate, collect_parts


@dataclass(frozen=True)
class _Remembering:
    """Leaves in the memo of each part what knows the part, as attribute facts do."""

    seen: list[weakref.ref[Evaluation]] = field(default_factory=list)
    by: tuple[str, ...] = ("key",)
    needs: frozenset[str] = frozenset()

    def __call__(self, part: Evaluation) -> pl.DataFrame:
        assert all(before() is None for before in self.seen)
        self.seen.append(weakref.ref(part))
        part.memo("itself", lambda: [part])
        return pl.DataFrame({"key": [0], "n": [part.aligned.items]})


@pytest.mark.parametrize("run", [aggregate, collect_parts])
def test_parts_are_forgotten(chat_of_four: Evaluation, run: object) -> None:
    kernel = _Remembering()
    gc.disable()
    try:
        assert callable(run)
        run(in_parts(chat_of_four, 3), kernel)
        assert [part() for part in kernel.seen] == [None] * 3
    finally:
        gc.enable()
