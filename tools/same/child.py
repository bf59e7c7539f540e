"""Run all cases in one process, with the version of Slicewise that PYTHONPATH names: `CASES.json FOLDER LABEL`."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from itertools import groupby
from math import ceil
from pathlib import Path

import typer.main

from same.cases import Case


def main() -> None:
    """Run the cases in order, a folder each, and say how long those of a data set took."""
    file, into, label = sys.argv[1:]
    typer.main.get_command = cache(typer.main.get_command)  # made of its functions once, not for every case
    every = [Case(**case) for case in json.loads(Path(file).read_text("utf-8"))]
    for data, run in groupby(every, lambda case: case.name.partition(".")[0]):
        begun, some = time.perf_counter(), list(run)
        for case in some:
            folder = Path(into, case.name)
            folder.mkdir(parents=True)
            os.chdir(folder)
            _run(case)
        print(f"{label}: {data}, {len(some)} cases, {time.perf_counter() - begun:.0f} s", flush=True)


def _run(case: Case) -> None:
    """Run a case in the current folder, and write down what it said and how it ended."""
    from slicewise.cli import main as command_line

    with (
        Path("standard-output").open("w", encoding="utf-8") as out,
        Path("standard-error").open("w", encoding="utf-8") as errors,
        redirect_stdout(out),
        redirect_stderr(errors),
    ):
        code: object = 0
        try:
            sys.argv = ["slicewise", *case.arguments, *_part_rows(case)]
            command_line()
        except SystemExit as stop:
            code = stop.code
        except Exception as error:  # of either version: to be compared, and the other cases are to be run
            code = f"{type(error).__name__}: {error}"
    Path("exit-code").write_text(f"{code}\n", encoding="utf-8")


def _part_rows(case: Case) -> list[str]:
    """Return the option that divides the data into so many parts."""
    if not case.parts:
        return []
    import polars as pl

    rows: int = pl.scan_parquet(case.counted).select(pl.len()).collect().item()
    return ["--part-rows", str(ceil(rows / case.parts))]


if __name__ == "__main__":
    main()
