"""Entry point of the program: errors become one line and an exit code."""

from __future__ import annotations

import gc
import signal
import sys
import warnings
from typing import Any

import typer

from slicewise.cli.commands import app
from slicewise.cli.streams import prepare_streams
from slicewise.errors import UserError


def program() -> None:
    """Run the command line as a program of its own, with its standard streams, to its end."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as it is in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        prepare_streams()
        try:
            main()
        finally:
            sys.stdout.flush()
    except UserError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is written: the interpreter ends in peace


def main() -> None:
    """Run the command line: 0 done, 2 the user's input is wrong."""
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # numbers near the largest that there are: results say
    if any(_is_not_text(argument) for argument in sys.argv):
        _fail("an argument is not valid UTF-8; rename the file, or write the name in UTF-8")
    # typer shows only the subclasses of the exception that all misuse of the command line raises
    misuse: type[Exception] = next(k for k in typer.BadParameter.__mro__ if k.__name__ == "ClickException")
    gc.disable()  # a command is short: looking for cycles costs a tenth of its start and finds nothing
    before = signal.signal(signal.SIGTERM, _end)
    try:
        if isinstance(code := app(standalone_mode=False), int) and code:
            sys.exit(code)  # 130 after Ctrl-C
    except UserError as error:
        _fail(str(error))
    except misuse as error:
        _fail(_one_line(error))
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except MemoryError:
        _fail("not enough memory; use fewer systems or a smaller file")
    finally:
        signal.signal(signal.SIGTERM, before)
        gc.enable()


def _end(number: int, _: Any) -> None:
    """Exit on SIGTERM as after Ctrl-C: nothing half written, no temporary files."""
    sys.exit(128 + number)


def _is_not_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in argument


def _one_line(error: Any) -> str:
    text = " ".join(error.format_message().split())
    if not text:
        sys.exit(2)  # help was shown
    context = getattr(error, "ctx", None)
    return f"{text.rstrip('.')}; see {context.command_path if context else 'slicewise'} --help"


def _fail(message: str) -> None:
    sys.stderr.write(f"slicewise: {message}\n")
    sys.exit(2)
