"""Work that is timed from inside its process."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def timed(work: Callable[[], Sequence[NDArray[Any]]]) -> None:
    """Time the work alone, without starting Python and making data; the hash shows that the numbers are equal."""
    wall, cpu = time.perf_counter(), time.process_time()
    numbers = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    values = hashlib.sha256(b"".join(part.astype(float).tobytes() for part in numbers)).hexdigest()
    print(json.dumps({"cpu": cpu, "wall": wall, "values": values}))
