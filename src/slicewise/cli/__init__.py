"""The command line: a thin door over the Python functions of the same names."""

from slicewise.cli.app import app
from slicewise.cli.start import main

__all__ = ["app", "main"]
