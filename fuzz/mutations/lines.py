"""Changes of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.hostile import CELLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def _at(rng: Random, lines: list[bytes]) -> int:
    return rng.choice((0, len(lines) - 1, rng.randrange(len(lines)), rng.randrange(len(lines))))


def _delete(rng: Random, lines: list[bytes]) -> None:
    del lines[_at(rng, lines)]


def _duplicate(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    lines[at:at] = [lines[at]] * rng.choice((1, 1, 3, 40))


def _swap(rng: Random, lines: list[bytes]) -> None:
    i, j = _at(rng, lines), _at(rng, lines)
    lines[i], lines[j] = lines[j], lines[i]


def _blank(rng: Random, lines: list[bytes]) -> None:
    lines[_at(rng, lines)] = rng.choice((b"", b" ", b"\t", b"\r", b"\t\t", b"\xc2\xa0"))


def _add_blank(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    lines[at:at] = [rng.choice((b"", b" ", b"\t", b"\r"))] * rng.choice((1, 2, 5))


def _insert(rng: Random, lines: list[bytes]) -> None:
    lines.insert(_at(rng, lines), rng.choice(CELLS).encode())


def _join(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    lines[at : at + 2] = [rng.choice((b"", b" ", b"\t", b"\r", b"\x0b", b"\xe2\x80\xa8")).join(lines[at : at + 2])]


def _split(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    where = rng.randint(0, len(lines[at]))
    lines[at : at + 1] = [lines[at][:where], lines[at][where:]]


def _lengthen(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    lines[at] = lines[at] * rng.choice((2, 20, 500))


def _pad(rng: Random, lines: list[bytes]) -> None:
    side, what = rng.random() < 0.5, rng.choice((b" ", b"\t", b"\xc2\xa0"))
    chosen = range(len(lines)) if rng.random() < 0.3 else [_at(rng, lines)]
    for i in chosen:
        lines[i] = what + lines[i] if side else lines[i] + what


def _comment(rng: Random, lines: list[bytes]) -> None:
    at = _at(rng, lines)
    lines[at] = rng.choice((b"#", b"# ", b"#\t")) + lines[at]


def _on_lines(change: Callable[[Random, list[bytes]], None]) -> Callable[[Random, bytes], bytes]:
    def changed(rng: Random, data: bytes) -> bytes:
        ended = data.endswith(b"\n")
        lines = data.removesuffix(b"\n").split(b"\n")
        change(rng, lines)
        return b"\n".join(lines) + (b"\n" if ended else b"")

    return changed


def _ends(rng: Random, data: bytes) -> bytes:
    """Write other line ends, everywhere or somewhere."""
    end = rng.choice((b"\r", b"\r\n", b"\r\r\n", b"\n\r", b"\x0b", b"\x0c", b"\xe2\x80\xa8", b"\xc2\x85", b"\n\n"))
    return data.replace(b"\n", end, rng.choice((-1, -1, 1, 2)))


def _no_end(rng: Random, data: bytes) -> bytes:
    """Leave out, or repeat, the last line's end."""
    return data.rstrip(b"\n") + rng.choice((b"", b"", b"\n\n\n", b"\r", b"\n \n", b"\x1a"))


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "delete": _on_lines(_delete),
    "duplicate": _on_lines(_duplicate),
    "swap": _on_lines(_swap),
    "blank": _on_lines(_blank),
    "add-blank": _on_lines(_add_blank),
    "insert": _on_lines(_insert),
    "join": _on_lines(_join),
    "split": _on_lines(_split),
    "lengthen": _on_lines(_lengthen),
    "pad": _on_lines(_pad),
    "comment": _on_lines(_comment),
    "ends": _ends,
    "no-end": _no_end,
}
