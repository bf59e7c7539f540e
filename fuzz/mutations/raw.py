"""Changes of bytes, whatever they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.hostile import BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def _place(rng: Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _slice(rng: Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice((1, 1, 2, 5, 20, 200)))


def flip(rng: Random, data: bytes) -> bytes:
    """Flip a bit."""
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :] if data else data


def delete(rng: Random, data: bytes) -> bytes:
    """Leave out some bytes."""
    start, stop = _slice(rng, data)
    return data[:start] + data[stop:]


def duplicate(rng: Random, data: bytes) -> bytes:
    """Repeat some bytes."""
    start, stop = _slice(rng, data)
    return data[:stop] + data[start:stop] * rng.choice((1, 1, 2, 50)) + data[stop:]


def move(rng: Random, data: bytes) -> bytes:
    """Copy some bytes to another place."""
    start, stop = _slice(rng, data)
    at = _place(rng, data)
    return data[:at] + data[start:stop] + data[at:]


def truncate(rng: Random, data: bytes) -> bytes:
    """Cut the end off."""
    return data[: _place(rng, data)]


def swap(rng: Random, data: bytes) -> bytes:
    """Exchange two bytes."""
    if len(data) < 2:
        return data
    i, j = sorted(rng.sample(range(len(data)), 2))
    return data[:i] + data[j : j + 1] + data[i + 1 : j] + data[i : i + 1] + data[j + 1 :]


def insert(rng: Random, data: bytes) -> bytes:
    """Put hostile bytes anywhere."""
    at = rng.choice((0, len(data), _place(rng, data), _place(rng, data)))
    return data[:at] + rng.choice(BYTES) * rng.choice((1, 1, 1, 3)) + data[at:]


def replace(rng: Random, data: bytes) -> bytes:
    """Write hostile bytes over some."""
    start, stop = _slice(rng, data)
    return data[:start] + rng.choice(BYTES) + data[stop:]


def everywhere(rng: Random, data: bytes) -> bytes:
    """Replace every occurrence of a byte."""
    return data.replace(bytes([rng.choice(data)]), rng.choice(BYTES)) if data else data


def empty(rng: Random, data: bytes) -> bytes:
    """Leave nothing, or next to nothing."""
    return rng.choice((b"", b"\n", b" \n", b"\xef\xbb\xbf", data[:1], b"\n\n\n"))


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    f.__name__: f for f in (flip, delete, duplicate, move, truncate, swap, insert, insert, replace, everywhere, empty)
}
