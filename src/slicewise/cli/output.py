"""Output of results: standard output, JSON, CSV, tables for a paper."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slicewise.errors import UserError, counted

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
    from slicewise.results.files import check_writable, written_to

    check_writable(path)
    data.check_not_read(path)
    if data.json not in (None, "-") and written_to(Path(str(data.json))) == written_to(path):
        raise UserError(f"is written by both --json and {option_name}; choose another path", where=str(path))


def deliver(
    data: DataOptions, results: Sequence[Result], tables: TableOptions | None = None, *, written: bool = False
) -> None:
    """Write the files that options name, and show the result, unless it was `written` to a file already."""
    if tables is not None:
        tables.write(data, results)
    _write(data, results)
    if not written and data.json != "-":
        _show(data, results)
    sys.stdout.flush()
    for warning in dict.fromkeys(warning for result in results for warning in result.data["warnings"]):
        data.say(f"warning: {warning}")


def _write(data: DataOptions, results: Sequence[Result]) -> None:
    from slicewise.results.files import result_folders, write_tables, write_text

    text = _json(results) if data.json is not None else ""
    if data.csv is not None:
        folders = result_folders(data.csv, [result.data["name"] for result in results])
        for result, folder in zip(results, folders, strict=True):
            tables = result.csv_tables()
            for table in tables:
                data.check_not_read(folder / f"{table}.csv")
            written = write_tables(folder, tables, raw_csv=data.raw_csv)
            data.say(f"wrote {counted(len(written), 'table')} to {folder}{os.sep}")
    if data.json == "-":
        sys.stdout.write(text)
    elif data.json is not None:
        write_text(Path(data.json), text)
        data.say(f"wrote {data.json}")


def _show(data: DataOptions, results: Sequence[Result]) -> None:
    from slicewise.render.terminal import show

    for i, result in enumerate(results):
        if i:
            sys.stdout.write("\n")
        if (lines := result.lines()) is not None:
            sys.stdout.writelines(f"{line}\n" for line in lines)
            continue
        # warnings go to standard error, or stand here where nothing may go there
        show(block for block in result.blocks() if data.quiet or getattr(block, "tone", "") != "warning")


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
