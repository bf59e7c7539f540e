"""What a file's name says of its content."""

from __future__ import annotations

PACKED = (".gz", ".xz", ".bz2", ".zst")
KINDS = {
    "raw": ("text", "json", "toml", "parquet", "packed"),
    "lines": ("text", "json", "toml"),
    "cells": ("text", "toml"),
    "objects": ("json",),
    "frames": ("parquet",),
}
"""Whose content the changes of a level suit."""


def kind_of(name: str) -> str:
    """Return `text`, `json`, `toml`, `parquet`, `packed`, or `code`, which is left as it is."""
    if name.endswith(PACKED):
        return "packed"
    kinds = {".jsonl": "json", ".json": "json", ".toml": "toml", ".parquet": "parquet", ".py": "code"}
    return next((kind for ending, kind in kinds.items() if name.endswith(ending)), "text")
