"""The lenses, in the order in which everything lists them.

This is all that `import slicewise` and `slicewise --help` read of them, so nothing is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slicewise.lenses.contract import Lens


class Entry(NamedTuple):
    """Where the parts of a lens are, each as `module:name`."""

    function: str
    declaration: str
    command: str


_NAMES = ("score", "buckets", "study", "features", "items", "complement", "difficulty", "report", "units")
_entries = {
    name: Entry(
        f"slicewise.lenses.{name}:{name}", f"slicewise.lenses.{name}.declaration:LENS", f"slicewise.cli.{name}:{name}"
    )
    for name in _NAMES
}


def register(name: str, *, function: str, declaration: str, command: str) -> None:
    """Add a lens after the others; before the command line is imported, it is a command of it, too."""
    if not name.isidentifier() or name in _entries:
        raise ValueError(f"{name!r} cannot be the name of another lens; registered are {', '.join(_entries)}")
    _entries[name] = Entry(function, declaration, command)


def names() -> tuple[str, ...]:
    """Return the names of all lenses."""
    return tuple(_entries)


def function(name: str) -> Any:
    """Return the Python function of a lens."""
    return _load(_entries[name].function)


def command(name: str) -> Callable[..., None]:
    """Return the command of a lens."""
    loaded: Callable[..., None] = _load(_entries[name].command)
    return loaded


def lens(name: str) -> Lens:
    """Return the declaration of a lens."""
    declared: Lens = _load(_entries[name].declaration)
    return declared


def lenses() -> Iterator[Lens]:
    """Return the declarations of all lenses."""
    return map(lens, _entries)


def _load(path: str) -> Any:
    from importlib import import_module

    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
