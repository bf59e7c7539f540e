"""A lens in one module, as somebody may write it: on how many items is each system wrong?

Annotations are not postponed: the command line reads those of the command.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.cli.data_options import DataOptions
from slicewise.cli.output import check_outputs, deliver
from slicewise.cli.progress import progress
from slicewise.lenses.contract import Lens, LensContext, ReportOptions
from slicewise.lenses.slice_rows import SliceRows
from slicewise.render.blocks import Block, Sentence
from slicewise.render.figures import SLICE, Field, Figure
from slicewise.results.base import Result, Row
from slicewise.results.heading import heading
from slicewise.results.statement import Statement


@dataclass(frozen=True, kw_only=True, repr=False)
class MistakesResult(Result):
    """How many items each system has wrong."""

    wrong: dict[str, int]

    def body(self) -> dict[str, Any]:
        return {"wrong": self.wrong}

    def tables(self) -> dict[str, list[Row]]:
        return {"mistakes": [{"system": system, "n": n} for system, n in self.wrong.items()]}

    def blocks(self) -> list[Block]:
        said = [f"{system} is wrong on {n:,}." for system, n in self.wrong.items()]
        return [Sentence(heading(self.data), "title"), *map(Sentence, said), Sentence(self.signature, "aside")]

    def figures(self) -> list[Figure]:
        rows = [{"system": system, "n": n, SLICE: f"mistakes/{system}"} for system, n in self.wrong.items()]
        fields = (Field("system", "system"), Field("n", "mistakes", "count"))
        return [Figure("mistakes", "Mistakes of each system", "Items that a system has wrong.", fields, rows)]


def mistakes(evaluation: Evaluation) -> MistakesResult:
    """Count the items that each system has wrong."""
    wrong = {system: int(_wrong(evaluation, system).sum()) for system in evaluation.systems}
    data, signature = evaluation.summary(), evaluation.signature()
    return MistakesResult(command="mistakes", signature=signature, data=data, wrong=wrong)


def _wrong(evaluation: Evaluation, system: str) -> Any:
    return evaluation.answers("gold").ne_missing(evaluation.answers(system)).to_numpy()


def _run(evaluation: Evaluation, _: ReportOptions) -> MistakesResult:
    return mistakes(evaluation)


def _slices(result: MistakesResult, context: LensContext) -> Iterator[SliceRows]:
    for system in result.wrong:
        items = np.flatnonzero(_wrong(context.evaluation, system))
        yield SliceRows(
            name=f"mistakes/{system}", title=f"Mistakes of {system}", rows=items, of_items=True, system=system
        )


def _findings(result: MistakesResult, context: LensContext) -> Iterator[Statement]:
    system = max(result.wrong, key=lambda name: result.wrong[name])
    n = result.wrong[system]
    yield Statement(
        text=f"{system} is wrong on {n} items.", lens="mistakes", dataset=result.data["name"], system=system, number=n,
        unit="items", n=n, q=0.0, worth=0.5, slice=f"mistakes/{system}", topic="mistakes",
    )  # fmt: skip


LENS = Lens(
    name="mistakes",
    title="Mistakes",
    question="On how many items is each system wrong?",
    caution="A mistake may be one of gold.",
    tasks=frozenset({Task.LABELS}),
    run=_run,
    slices=_slices,
    findings=_findings,
)


def command(*, data: DataOptions) -> None:
    """Count the items that each system has wrong."""
    check_outputs(data)
    with progress(data) as step:
        results = [mistakes(evaluation) for evaluation in data.evaluations(step, "counting the mistakes of")]
    deliver(data, results)
