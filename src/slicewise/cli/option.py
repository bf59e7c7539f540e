"""Options of the command line, single and in groups.

A group is a dataclass whose fields are options. A command takes it as a parameter, and has its options in that place.
Annotations are read when the program runs: modules that declare options do without postponed ones.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer

DATA, READING, SLICING, SCORING, OUTPUT = "Data", "Reading and comparing", "Slicing", "Scoring", "Output"
FEATURES, RANKING, ENGINE = "Features", "Ranking", "Large data"


def option(*names: str, help: str, panel: str, metavar: str | None = None) -> Any:  # noqa: A002
    """Declare an option in one of the help's panels."""
    return typer.Option(*names, help=help, rich_help_panel=panel, metavar=metavar, show_default=False)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups in the place of the groups."""
    own = inspect.signature(command).parameters.values()
    groups = {p.name: p.annotation for p in own if isinstance(p.annotation, type) and is_dataclass(p.annotation)}

    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{p.name: given.pop(p.name) for p in _options(group)})
        command(**given)

    spread = [q for p in own for q in (_options(p.annotation) if p.name in groups else (p,))]
    run.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run


def _options(group: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for f in fields(group):
        if f.init:
            kind = inspect.Parameter.KEYWORD_ONLY
            yield inspect.Parameter(f.name, kind, default=f.default, annotation=hints[f.name])
