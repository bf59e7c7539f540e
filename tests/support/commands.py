"""Runs of the command line, and what they print as a test reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]
"""The fixture `run`: runs the command line in this process."""
Write = Callable[[str, str | bytes], str]
"""The fixture `write`: writes a file into the current folder, which is a temporary one, and returns its name."""


def strict(text: str) -> Any:
    """Parse JSON as other programs do: no NaN, no infinity."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


def document_of(command: str, ran: Ran) -> Any:
    """Return the JSON that a command printed, once its head is as scripts expect it."""
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    found = strict(ran.out)
    assert list(found) == ["slicewise", "schema", "command", "signature", "data", "result"]
    assert (found["command"], found["schema"]) == (command, 1)
    assert "\n" not in found["signature"]
    return found


def refused(ran: Ran, *parts: str) -> None:
    """Check that there is one line, that it says this, and that nothing else was written."""
    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.startswith("slicewise: ")
    assert ran.err.count("\n") == 1, ran.err
    for part in parts:
        assert part in ran.err, ran.err


def warnings(ran: Ran) -> list[str]:
    """Return what a run that went well warned of."""
    assert ran.code == 0, ran.err
    assert all(line.startswith("slicewise: ") for line in ran.err.splitlines()), ran.err
    return [line.removeprefix("slicewise: warning: ") for line in ran.err.splitlines() if "warning: " in line]
