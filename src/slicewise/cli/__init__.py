"""The command line: a thin layer over the Python functions of the same names."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slicewise.cli.commands import app as app
    from slicewise.cli.start import main as main


def __getattr__(name: str) -> Any:
    """Make the commands when they are used, and not when a lens declares its own with the options here."""
    if name == "app":
        from slicewise.cli.commands import app

        return app
    if name == "main":
        from slicewise.cli.start import main

        return main
    raise AttributeError(f"module 'slicewise.cli' has no attribute {name!r}")
