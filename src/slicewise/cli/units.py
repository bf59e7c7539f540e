"""`slicewise units`."""

from pathlib import Path
from typing import Annotated

from slicewise.cli.data_options import DataOptions
from slicewise.cli.names import listed
from slicewise.cli.option import OUTPUT, option
from slicewise.cli.output import check_output, check_outputs, deliver
from slicewise.cli.progress import progress


def units(
    *,
    include: Annotated[
        str | None, option("--with", "More columns: bins, errors, attributes.", OUTPUT, "bins,errors,attributes")
    ] = None,
    output: Annotated[Path | None, option("--output -o", "A .csv, .jsonl or .parquet file.", OUTPUT, "FILE")] = None,
    data: DataOptions,
) -> None:
    """Show the unit table itself: every gold and every returned unit, and who has it."""
    from slicewise.lenses.units import units as lens

    check_outputs(data)
    if output is not None:
        data.check_one("--output")
        check_output(data, output, "--output")
    chosen = listed([include or ""])
    with progress(data) as step:
        loaded = data.evaluations(step, "listing the units of", token_columns="attributes" in chosen)
        results = [lens(evaluation, include=chosen) for evaluation in loaded]
    if output is not None:
        results[0].write(output, raw_csv=data.raw_csv)
        data.say(f"wrote {output}")
    deliver(data, results, written=output is not None)
