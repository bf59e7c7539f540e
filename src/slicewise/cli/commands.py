"""The commands, in the order in which the help lists them."""

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from slicewise._version import __version__
from slicewise.cli.attributes import attributes
from slicewise.cli.convert import convert
from slicewise.cli.option import with_groups
from slicewise.lenses import registry

OTHERS: dict[str, Callable[..., None]] = {"report": attributes, "units": convert}
"""Commands that are no lenses, by the lens after which the help lists them."""

app = typer.Typer(
    name="slicewise",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Where a language system is wrong, whether that is real, and what fixing it would be worth.",
    epilog="Try: slicewise score --gold test.conll --system mine=output.conll",
)
for lens in registry.names():
    app.command(lens)(with_groups(registry.command(lens)))
    if lens in OTHERS:
        app.command(OTHERS[lens].__name__)(with_groups(OTHERS[lens]))


def _version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"slicewise {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
