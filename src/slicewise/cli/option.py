"""Options of the command line, single and in groups.

A group is a dataclass whose fields are options. A command takes it as a parameter, and has its options in that place.
Annotations are read when the program runs: modules that declare options do without postponed ones.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from slicewise.cli.names import listed

DATA, READING, SLICING, SCORING, OUTPUT = "Data", "Reading and comparing", "Slicing", "Scoring", "Output"
FEATURES, RANKING, ENGINE = "Features", "Ranking", "Large data"


def option(names: str, help: str, panel: str, metavar: str | None = None) -> Any:  # noqa: A002
    """Declare an option, with its names between spaces, in one of the help's panels."""
    return typer.Option(*names.split(), help=help, rich_help_panel=panel, metavar=metavar, show_default=False)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups in the place of the groups."""
    parameters = inspect.signature(command).parameters.values()
    groups = {p.name: p.annotation for p in parameters if isinstance(p.annotation, type) and is_dataclass(p.annotation)}

    def run(**arguments: Any) -> None:
        code = tuple(_code_files(arguments))
        for name, group in groups.items():
            extra = {"code": code} if "code" in {f.name for f in fields(group)} else {}
            arguments[name] = group(**{p.name: arguments.pop(p.name) for p in _options(group)}, **extra)
        command(**arguments)

    spread = [q for p in parameters for q in (_options(p.annotation) if p.name in groups else (p,))]
    run.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run


def _code_files(arguments: dict[str, Any]) -> Iterator[str]:
    """Return the Python files among the values of options, which are FILE.py:NAME."""
    from slicewise.user_code import split_name

    for value in arguments.values():
        for name in listed([value] if isinstance(value, str) else value if isinstance(value, list) else ()):
            if (parts := split_name(name)) is not None:
                yield parts[0]


def _options(group: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for f in fields(group):
        if f.init and get_origin(hints[f.name]) is Annotated:
            kind = inspect.Parameter.KEYWORD_ONLY
            yield inspect.Parameter(f.name, kind, default=f.default, annotation=hints[f.name])
