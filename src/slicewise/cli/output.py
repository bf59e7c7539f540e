"""Where results go: standard output, JSON, CSV, tables for a paper."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slicewise.errors import UserError, counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.cli.data_options import DataOptions
    from slicewise.cli.tables import TableOptions
    from slicewise.results.base import Result


def check_outputs(data: DataOptions, tables: TableOptions | None = None) -> None:
    """Check, before anything is read, that results can be written."""
    from slicewise.results.files import check_writable

    if tables is not None:
        tables.check()
    for folder in tables.folders if tables is not None else ():
        check_writable(folder, folder=True)
    if data.json not in (None, "-"):
        check_writable(Path(str(data.json)))
        data.check_not_read(Path(str(data.json)))
    if data.csv is not None:
        check_writable(data.csv, folder=True)


def check_output(data: DataOptions, path: Path, option_name: str) -> None:
    """Check a file that is written beside the result: it is not read, and not the result's own."""
    from slicewise.results.files import check_writable

    check_writable(path)
    data.check_not_read(path)
    if data.json not in (None, "-") and Path(str(data.json)).resolve() == path.resolve():
        raise UserError(f"is written by both --json and {option_name}; choose another path", where=str(path))


def deliver(data: DataOptions, results: Sequence[Result], tables: TableOptions | None = None) -> None:
    """Write what was asked for, and show the rest; a reader that goes away (`| head`) is no error."""
    if tables is not None:
        tables.write(data, results)
    try:
        _write(data, results)
    except BrokenPipeError:
        _silence()
        return
    except OSError as error:
        _silence()
        raise UserError(f"standard output cannot be written: {error.strerror or error}") from None
    for warning in dict.fromkeys(warning for result in results for warning in result.data["warnings"]):
        data.say(f"warning: {printable(warning)}")


def _silence() -> None:
    """Let nothing more be written to standard output, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(data: DataOptions, results: Sequence[Result]) -> None:
    from slicewise.results.files import safe_name, unique, write_tables, write_text

    text = _json(results) if data.json is not None else ""
    if data.csv is not None:
        for result, name in zip(results, unique([safe_name(r.data["name"]) for r in results]), strict=True):
            folder = data.csv if len(results) == 1 else data.csv / name
            tables = {"units": result.to_polars()} if result.command == "units" else result.tables()
            for table in tables:
                data.check_not_read(folder / f"{table}.csv")
            data.say(f"wrote {counted(len(write_tables(folder, tables)), 'table')} to {folder}{os.sep}")
    if data.json == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if data.json is not None:
        write_text(Path(data.json), text)
        data.say(f"wrote {data.json}")
    from slicewise.render.terminal import show

    for i, result in enumerate(results):
        if i:
            sys.stdout.write("\n")
        if (lines := result.lines()) is not None:
            sys.stdout.writelines(f"{line}\n" for line in lines)
            continue
        # warnings go to standard error, or stand here where nothing may go there
        show(block for block in result.blocks() if data.quiet or getattr(block, "tone", "") != "warning")
    sys.stdout.flush()


def _json(results: Sequence[Result]) -> str:
    """Return one result's document, or one that holds those of several data sets."""
    if len(results) == 1:
        return results[0].to_json()
    import json

    documents = [result.to_dict() for result in results]
    head = {key: documents[0][key] for key in ("slicewise", "schema", "command")}
    parts = [{key: d[key] for key in ("signature", "data", "result")} for d in documents]
    signature = " || ".join(d["signature"] for d in documents)
    return (
        json.dumps(head | {"signature": signature, "datasets": parts}, ensure_ascii=False, indent=1, allow_nan=False)
        + "\n"
    )
