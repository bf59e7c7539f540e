"""Compare two folders of files, byte for byte, and say of each file that differs where it does first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from same.pages import without_code

if TYPE_CHECKING:
    from pathlib import Path

BEFORE, AFTER = 40, 80
"""Bytes that are shown before and after the first difference."""


@dataclass(frozen=True)
class Difference:
    """A file that differs, and how, in lines for a reader."""

    file: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """How many files were compared, and those that differ."""

    files: int
    differences: list[Difference]


def compare(before: Path, after: Path) -> Comparison:
    """Compare all files below two folders; of pages, all but their code."""
    names = {folder: _files(folder) for folder in (before, after)}
    every = sorted(names[before] | names[after])
    differences = []
    for name in every:
        if name not in names[after]:
            differences.append(Difference(name, ("written before, and not after",)))
        elif name not in names[before]:
            differences.append(Difference(name, ("written after, and not before",)))
        elif lines := first_difference(_compared(before / name), _compared(after / name)):
            differences.append(Difference(name, lines))
    return Comparison(len(every), differences)


def first_difference(before: bytes, after: bytes) -> tuple[str, ...]:
    """Return where two contents differ first, and what each has there; nothing where they are the same."""
    if before == after:
        return ()
    shorter = min(len(before), len(after))
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), shorter)
    start = max(at - BEFORE, before.rfind(b"\n", 0, at) + 1)
    line = before.count(b"\n", 0, at) + 1
    return (
        f"line {line:,}, byte {at + 1:,} of {len(before):,} before and {len(after):,} after",
        f"before: {_shown(before, start, at)}",
        f"after:  {_shown(after, start, at)}",
    )


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _compared(file: Path) -> bytes:
    content = file.read_bytes()
    return without_code(content) if file.suffix == ".html" else content


def _shown(content: bytes, start: int, at: int) -> str:
    """Return some of the line on which the difference is, on one line whatever it holds."""
    end = content.find(b"\n", at)
    end = min(at + AFTER, len(content) if end < 0 else end + 1)
    text = content[start:end].decode("utf-8", errors="replace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
