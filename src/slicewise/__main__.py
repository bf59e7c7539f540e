"""The program: `slicewise`, or `python -m slicewise`."""

import os
import signal
from typing import Any


def main() -> None:
    """Start the command line; told to end before it has begun, the program ends without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from slicewise.cli.start import program

    program()


def _leave(number: int, _: Any) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()
