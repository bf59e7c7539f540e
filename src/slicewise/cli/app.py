"""The commands, in the order in which the help lists them."""

import sys
from typing import Annotated

import typer

from slicewise._version import __version__
from slicewise.cli.attributes import attributes
from slicewise.cli.buckets import buckets
from slicewise.cli.complement import complement
from slicewise.cli.convert import convert
from slicewise.cli.difficulty import difficulty
from slicewise.cli.features import features
from slicewise.cli.items import items
from slicewise.cli.option import with_groups
from slicewise.cli.report import report
from slicewise.cli.score import score
from slicewise.cli.study import study
from slicewise.cli.units import units

COMMANDS = (score, buckets, study, features, items, complement, difficulty, report, attributes, units, convert)

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
for command in COMMANDS:
    app.command(command.__name__)(with_groups(command))


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"slicewise {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
