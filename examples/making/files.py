"""Files of text, the same bytes on every machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """UTF-8 with plain newlines, whatever the system prefers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def write_rows(path: Path, rows: Sequence[str]) -> None:
    """One item a line."""
    write_text(path, "".join(row + "\n" for row in rows))


def write_jsonl(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """JSON, one object a line."""
    write_rows(path, [json.dumps(row, ensure_ascii=False) for row in rows])
