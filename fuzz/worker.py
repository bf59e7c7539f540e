"""A process that runs some of the cases, and tells what it finds."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.attack import examine, minimised
from fuzz.execute import Sandbox, prepare

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Key = tuple[str, str]


def work(numbers: range, known: set[Key], pipe: Connection) -> None:
    """Run the cases of these numbers; a failure that is not known yet is made small and sent."""
    with suppress(KeyboardInterrupt):
        _work(numbers, known, pipe)


def _work(numbers: range, known: set[Key], pipe: Connection) -> None:
    prepare()
    with tempfile.TemporaryDirectory(prefix="fuzz.") as folder:
        tempfile.tempdir = folder  # what the program leaves there goes with it
        sandbox = Sandbox(Path(folder))
        parent = os.getppid()
        for number in numbers:
            if os.getppid() != parent:
                return  # nobody listens any more
            pipe.send(("begin", number))
            finding, outcome = examine(number, sandbox)
            if finding is not None and finding.failure.key not in known:
                known.add(finding.failure.key)
                finding = minimised(finding, sandbox)
            pipe.send(("end", outcome.code, finding))
    pipe.send(("over", None))
