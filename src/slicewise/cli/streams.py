"""The program's standard streams: UTF-8, robust to closed pipes and full disks."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

from slicewise.errors import UserError


class _StandardOutput(io.FileIO):
    """Standard output: a reader that goes away (`| head`) is no error, and a full disk is the user's."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self._discard()
            return memoryview(data).nbytes
        except OSError as error:
            self._discard()
            raise UserError(f"standard output cannot be written: {error.strerror or error}") from None

    def _discard(self) -> None:
        """Discard all further output, including what is still buffered when Python ends."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())


class _Messages(io.FileIO):
    """Standard error: that a message cannot be written changes no exit code."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Write UTF-8 whatever the locale: results are full of text from the data. A closed stream swallows it."""
    for name, kind in (("stdout", _StandardOutput), ("stderr", _Messages)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (to the end)
        elif isinstance(stream, io.TextIOWrapper):
            stream.flush()
            raw = kind(stream.fileno(), "w", closefd=False)
            lines = stream.line_buffering
            setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", stream.errors, line_buffering=lines))
