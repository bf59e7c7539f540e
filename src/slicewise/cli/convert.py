"""`slicewise convert`."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slicewise.cli.data_options import DataOptions, Format, Quiet
from slicewise.cli.option import DATA, OUTPUT, option
from slicewise.cli.progress import progress
from slicewise.errors import UserError, counted, is_file, printable

if TYPE_CHECKING:
    from slicewise.read.convert import Converted


def convert(
    files: Annotated[
        list[str], typer.Argument(help="What to convert.", metavar="FILE", show_default=False, rich_help_panel=DATA)
    ],
    *,
    output: Annotated[str, option("--output -o", "A .parquet file, or a folder.", OUTPUT, "FILE|DIR")],
    format: Format = None,  # noqa: A002 (the word that users know)
    rows: Annotated[int, option("--rows", "Rows of a group; 100,000.", OUTPUT, "N")] = 100_000,
    force: Annotated[bool, option("--force", "Replace files that are there.", OUTPUT)] = False,
    quiet: Quiet = False,
) -> None:
    """Write data files as Parquet: smaller, in columns that can be read alone, and with the same results."""
    from slicewise.read.convert import convert as converted

    into = output.endswith(("/", os.sep)) or (is_file(output) and Path(output).is_dir())
    targets = [Path(output, f"{_stem(file)}.parquet") for file in files] if into else [Path(output)]
    if len(files) > len(targets):
        raise UserError(f"{len(files)} files and one output; name a folder, as -o {output}{os.sep}", where=output)
    _check(files, targets, into=into, force=force)
    written = []
    with progress(DataOptions(quiet=quiet)) as step:
        for file, target in zip(files, targets, strict=True):
            step(f"converting {file}")
            if into:
                target.parent.mkdir(parents=True, exist_ok=True)
            written.append(converted(file, target, format=format, rows=rows))
    if not quiet:
        sys.stdout.writelines(f"{printable(_conversion_message(conversion))}\n" for conversion in written)


def _stem(file: str) -> str:
    """Return a file's name without folder and endings."""
    from slicewise.read.source import COMPRESSED

    name = "stdin" if file == "-" else Path(file).name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return Path(name).stem


def _check(files: Sequence[str], targets: Sequence[Path], *, into: bool, force: bool) -> None:
    """Check, before anything is read, that all files are there and that what is written replaces nothing unasked."""
    from slicewise.read.files import check_exists
    from slicewise.read.source import identity
    from slicewise.results.files import check_ending, check_writable

    for file in files:
        check_exists(file)
    inputs = {identity(file) for file in files}
    for i, target in enumerate(targets):
        check_ending(target, (".parquet",))
        if target in targets[:i]:
            sources = f"{files[targets.index(target)]} and {files[i]}"
            raise UserError(f"would be written of both {sources}; convert them one by one", where=str(target))
        check_writable(target.parent if into else target, folder=into)
        if is_file(target) and identity(target) in inputs:
            raise UserError("is read and would be written over; choose another path", where=str(target))
        if is_file(target) and not force:
            raise UserError("is there already; choose another path, or replace it with --force", where=str(target))


def _conversion_message(conversion: "Converted") -> str:
    sizes = [_size(size) for size in (conversion.before, conversion.after) if size is not None]
    return f"{conversion.path}: {counted(conversion.items, 'item')}, {' → '.join(sizes)}"


def _size(count: int) -> str:
    """Return bytes in the unit that people read: `812 B`, `4.2 kB`, `1.3 GB`."""
    size, units = float(count), ["B", "kB", "MB", "GB"]
    while size >= 999.5 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}" if units[0] == "B" or size >= 99.5 else f"{size:.1f} {units[0]}"
