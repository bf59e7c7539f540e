"""The program: `slicewise`, or `python -m slicewise`."""

import signal


def main() -> None:
    """Start the command line; told to end before it has begun, the program ends without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from slicewise.cli.start import program

    program()


if __name__ == "__main__":
    main()
