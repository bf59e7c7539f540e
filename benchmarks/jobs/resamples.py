"""Resampled sums of statistics, in the ways that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.timed import timed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.float64]

SYSTEMS, SENTENCES, DRAWS, SEED = 10, 50_000, 1000, 20


def by_slicewise() -> None:
    """Draw and sum, every sentence for itself."""
    from slicewise.stats.intervals import Resamples

    _time(lambda table: Resamples(len(table), DRAWS, SEED).sums(table))


def grouped() -> None:
    """Draw and sum as `slicewise score` does: more than 10,000 clusters are put into groups, and groups are drawn."""
    import numpy as np

    from slicewise.align.clusters import grouped as in_groups
    from slicewise.stats.intervals import Resamples

    def sums(table: Table) -> Table:
        clusters = in_groups("item", np.arange(len(table), dtype=np.uint32), None)
        order = np.argsort(clusters.group, kind="stable")
        starts = np.searchsorted(clusters.group[order], np.arange(clusters.groups))
        return Resamples(clusters.groups, DRAWS, SEED).sums(np.add.reduceat(table[order], starts, axis=0))

    _time(sums)


def gathered() -> None:
    """Draw the same, and gather the rows of each draw."""
    import numpy as np

    def sums(table: Table) -> Table:
        rng = _generator()
        return np.array([table[rng.integers(0, len(table), size=len(table))].sum(axis=0) for _ in range(DRAWS)])

    _time(sums)


def taken() -> None:
    """Gather as above, from a flat table and by `take`, which numpy does faster."""
    import numpy as np

    def sums(table: Table) -> Table:
        rng, n, flat = _generator(), len(table), table.reshape(len(table), -1)
        found = [flat.take(rng.integers(0, n, size=n), axis=0).sum(axis=0) for _ in range(DRAWS)]
        return np.array(found).reshape(DRAWS, *table.shape[1:])

    _time(sums)


def counted() -> None:
    """Draw the same, count how often each row is drawn, and multiply, fifty draws at a time."""
    import numpy as np

    def sums(table: Table) -> Table:
        rng, n, flat, at_once = _generator(), len(table), table.reshape(len(table), -1), 50
        found = []
        for _ in range(DRAWS // at_once):
            counts = [np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(at_once)]
            found.append(np.array(counts, dtype=np.float64) @ flat)
        return np.concatenate(found).reshape(DRAWS, *table.shape[1:])

    _time(sums)


def _generator() -> np.random.Generator:
    import numpy as np

    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(SEED)))


def _time(sums: Callable[[Table], Table]) -> None:
    table = _statistics()
    timed(lambda: [sums(table)])


def _statistics() -> Table:
    """Return tp, returned and gold units of every sentence and system."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    gold = rng.poisson(2.4, size=(SENTENCES, 1))
    tp = rng.binomial(gold, np.linspace(0.6, 0.9, SYSTEMS))
    returned = tp + rng.poisson(0.4, size=tp.shape)
    return np.stack([tp, returned, np.broadcast_to(gold, tp.shape)], axis=2).astype(np.float64)
