"""Errors in the user's input: one line with the place, the problem and the remedy."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


LONGEST, MOST_NAMES, MOST_TEXT = 60, 20, 400
"""Characters of a name, names and characters of all names that a hint lists."""


class UserError(Exception):
    """The input is wrong; the message is one line in the user's words.

    `where` is a file's name as the user gave it, `line` counts from 1.
    """

    def __init__(self, message: str, *, where: str | None = None, line: int | None = None) -> None:
        self.where = where
        self.line = line
        place = "" if where is None else f"{where}: " if line is None else f"{where}:{line}: "
        super().__init__(printable(place) + printable(" ".join(message.split())))


def printable(text: str) -> str:
    """Return text without what would move the cursor, end the line or change the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def is_file(path: str | Path) -> bool:
    """Return whether a path exists; an invalid name does not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn a library's exception about values of an unexpected type into a UserError about the file."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "polars" and not isinstance(error, (TypeError, OverflowError)):
            raise
        message = f"values of an unexpected kind ({first_line(error)}); check the types of its fields"
        raise UserError(message, where=where) from error


def first_line(problem: BaseException) -> str:
    """Return the first line of an exception's message."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:120]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint for a mistyped name: the nearest known one, and all that are known."""
    names = list(dict.fromkeys(known))
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    hint = f"did you mean {quoted(lowered[near[0]])}? " if near else ""
    listed = _listed([name if len(name) <= LONGEST else name[: LONGEST - 1] + "…" for name in names])
    return f"{hint}there {'is' if len(names) == 1 else 'are'}: {listed}" if names else f"{hint}there are none"


def _listed(names: list[str]) -> str:
    """Return names between commas, as many as can be read; the first in any case."""
    ends = list(accumulate(len(name) + 2 for name in names))
    listed = max(1, bisect_right(ends[:MOST_NAMES], MOST_TEXT))
    return ", ".join(names[:listed]) + (f" … ({len(names)} in all)" if len(names) > listed else "")


def quoted(text: str, limit: int = 60) -> str:
    """Return text from the data as it may be shown in a message: short, on one line, without control characters."""
    shortened = text if len(text) <= limit else text[: limit - 1] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shortened) + "'"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 item`, `1,287 items`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
