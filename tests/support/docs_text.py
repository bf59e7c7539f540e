"""The script that writes the pages again, as a module."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

from support.places import ROOT

if TYPE_CHECKING:
    from types import ModuleType


def script(name: str) -> ModuleType:
    """Import a script of the folder of pages."""
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_text = script("make_text")


def read(name: str) -> str:
    """Return a page."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")
