"""Integer weights times a table of statistics: the product that all resampling reduces to."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slicewise.arrays import Array

# The product is made in tiles of at most 2**18 multiplications, below which OpenBLAS starts no threads: on a busy
# machine its threads wait for each other, and a product of 0.06 s was seen to take 3.7 s.
ROWS, DEPTH, COLUMNS = 64, 128, 32

EXACT_IN_SINGLE = 2**24  # whole numbers up to here have no rounding in single precision


def table_of(statistics: NDArray[Any]) -> Array:
    """Return `(clusters, ...)` as `(clusters, columns)` in double precision."""
    columns = prod(statistics.shape[1:])  # numpy cannot work it out where there are no clusters
    return np.ascontiguousarray(statistics, dtype=np.float64).reshape(len(statistics), columns)


@dataclass(frozen=True, eq=False)
class Tiles:
    """A table of statistics, cut for `factors @ table`."""

    blocks: NDArray[np.floating[Any]]
    """`(blocks of columns, blocks of clusters, DEPTH, columns of a block)`, zeros where the table ends."""
    columns: int

    @classmethod
    def cut(cls, statistics: NDArray[Any], *, heaviest: int) -> Tiles:
        """Cut `(clusters, ...)`, with `heaviest` the largest possible sum of a row of factors.

        Where no sum of whole numbers can reach 2²⁴, single precision gives the same numbers in half the time.
        """
        table = table_of(statistics)
        clusters, columns = table.shape
        exact = float(np.abs(table).max(initial=0.0)) * heaviest < EXACT_IN_SINGLE and bool((table % 1 == 0).all())
        width = max(1, min(COLUMNS, columns))
        across, along = -(-columns // width), -(-clusters // DEPTH)
        blocks = np.zeros((across, along * DEPTH, width), dtype=np.float32 if exact else np.float64)
        for block in range(across):
            part = table[:, block * width : (block + 1) * width]
            blocks[block, :clusters, : part.shape[1]] = part
        return cls(blocks.reshape(across, along, DEPTH, width), columns)

    def factors(self) -> NDArray[np.floating[Any]]:
        """Return zeros to be filled with `ROWS` rows of factors, one per cluster; one array may serve many times."""
        return np.zeros((ROWS, self.blocks.shape[1] * DEPTH), dtype=self.blocks.dtype)

    def times(self, factors: NDArray[np.floating[Any]]) -> Array:
        """Return `factors @ table` for rows of `factors()`."""
        rows = len(factors)
        across, along, _, width = self.blocks.shape
        left = factors.reshape(rows, along, DEPTH).transpose(1, 0, 2)
        result = np.empty((rows, across * width))
        for block, right in enumerate(self.blocks):
            result[:, block * width : (block + 1) * width] = np.matmul(left, right).sum(axis=0)
        return result[:, : self.columns]
