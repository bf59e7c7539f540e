"""Findings as folders: the files, the command line, and what happened."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from fuzz.mutations.target import kind_of
from fuzz.parquet import frame_of

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.attack import Finding
    from fuzz.case import Case


def slug(finding: Finding) -> str:
    """Return a name for the folder of a finding."""
    words = f"{finding.failure.kind} {finding.failure.where}"
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-")[:90] + f"-{finding.number}"


def write(finding: Finding, folder: Path) -> Path:
    """Write a finding into a folder of its own, and return that."""
    place = folder / slug(finding)
    shutil.rmtree(place, ignore_errors=True)
    _write_case(finding.case, place)
    if finding.other is not None:
        _write_case(finding.other, place / "other")
    (place / "finding.txt").write_text(text(finding), encoding="utf-8", errors="backslashreplace")
    return place


def _write_case(case: Case, place: Path) -> None:
    """Write the files, and the command as a script."""
    (place / "files").mkdir(parents=True)
    for name, data in case.files.items():
        path = place / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    script = place / "command.sh"
    script.write_text(f'#!/usr/bin/env bash\ncd "$(dirname "$0")/files" || exit\n{case.line}\n', encoding="utf-8")
    script.chmod(0o755)


def text(finding: Finding) -> str:
    """Return a finding in words."""
    other = finding.other
    twin = "" if other is None else f"{finding.twin}: {other.line} (in other/) has to give the same\n"
    return (
        f"{finding.failure.kind}: {finding.failure.where}\n\n"
        f"case       {finding.number} (make fuzz FUZZ='--case {finding.number}')\n"
        f"command    {finding.case.line}\n"
        f"changes    {', '.join(finding.mutations) or 'none'}\n{twin}\n"
        f"{finding.failure.detail}\n\n"
        + "\n".join(_shown(name, data) for name, data in finding.case.files.items())
        + "\n"
    )


def _shown(name: str, data: bytes) -> str:
    """Return the beginning of a file; of a Parquet file its columns."""
    frame = frame_of(data) if kind_of(name) == "parquet" else None
    if frame is not None:
        return f"{name}: {frame}"
    return f"{name}: {data[:200]!r}{'…' if len(data) > 200 else ''}"
