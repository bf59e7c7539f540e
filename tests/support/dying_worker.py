"""A worker of the attack that dies, in a module that is imported at once: processes are started with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def dying(numbers: range, _: set[tuple[str, str]], pipe: Connection) -> None:
    """Die in the first case of ten, as a native library may."""
    for number in numbers:
        pipe.send(("begin", number))
        if number % 10 == 0:
            os._exit(3)
        pipe.send(("end", 0, None))
    pipe.send(("over", None))
