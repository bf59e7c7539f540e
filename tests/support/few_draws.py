"""Paired tests with few draws: where what is tested does not depend on how many there are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from slicewise.lenses.buckets import lens as buckets_lens
from slicewise.lenses.score import lens as score_lens

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def few_draws(draws: int, *, for_each_pair: int = 0) -> Iterator[None]:
    """Let `score` and `buckets` make so many draws, which no option of theirs says: fewer are no use to users."""
    with pytest.MonkeyPatch.context() as patch:
        for lens in (score_lens, buckets_lens):
            patch.setattr(lens, "paired_draws", lambda pairs: draws + for_each_pair * pairs)
        yield
