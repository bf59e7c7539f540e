"""The result of `items`: one item after the other, with its scores, its text, what was expected and returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from slicewise.errors import counted, printable
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import score as written
from slicewise.render.numbers import signed
from slicewise.render.texts import short
from slicewise.results.base import Result, Row
from slicewise.results.heading import heading

SHOWN = 20
LEFT, RIGHT = "‹", "›"
"""Around a token that goes with low scores."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One item."""

    item: int
    score: float | None
    scores: dict[str, float | None]
    inputs: dict[str, str]
    expected: str | None
    outputs: dict[str, str]
    bad: tuple[str, ...]
    """Tokens of its input that go with low scores."""
    marked: dict[str, str]
    """The input fields, with these marked."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ItemsResult(Result):
    """Items in the requested order."""

    system: str
    against: str | None
    metric: str
    order: str
    feature: str | None
    found: int
    """The number of matching items; `items` may be the first of them."""
    make: Callable[[], Iterator[Item]]
    """Yields them lazily."""
    view_only: ClassVar[tuple[str, ...]] = ("make",)

    @property
    def items(self) -> Iterator[Item]:
        """The items, one after the other."""
        return self.make()

    def body(self) -> dict[str, Any]:
        """Return the `result` part of the JSON."""
        items = [
            {
                "item": item.item,
                "score": item.score,
                "scores": item.scores,
                "in": "\t".join(item.inputs.values()),
                **item.inputs,
                "exp": item.expected,
                "out": item.outputs.get(self.system),
                "outputs": item.outputs,
                "bad": item.bad,
            }
            for item in self.items
        ]
        return super().body() | {"items": items}

    def tables(self) -> dict[str, list[Row]]:
        """Return the items as rows."""
        rows: list[Row] = []
        for item in self.items:
            row: Row = {"item": item.item, "score": item.score}
            row |= {f"score:{name}": value for name, value in item.scores.items()}
            row |= {**item.inputs, "exp": item.expected}
            row |= {f"out:{name}": value for name, value in item.outputs.items()}
            rows.append(row)
        return {"items": rows}

    def opening(self) -> list[Sentence]:
        """Return the lines before the items."""
        subject = (
            f"{self.metric} of {self.system}"
            if self.against is None
            else f"{self.metric}: {self.system} − {self.against}"
        )
        named = "" if self.feature is None else f" with {self.feature}"
        order = {"file": "in the order of the file", "worst": "worst first", "best": "best first"}[self.order]
        line = f"{counted(self.found, 'item')}{named}, {order}; {subject}; {LEFT}tokens{RIGHT} that go with low scores."
        return [Sentence(heading(self.data), "title"), Sentence(line)]

    def lines(self) -> Iterator[str]:
        """Yield every item as a few lines of text, lazily."""
        yield from (printable(sentence.text) for sentence in self.opening())
        for item in self.items:
            yield from _lines(item, changed=self.against is not None)

    def blocks(self) -> list[Block]:
        """Return the first items as a table."""
        rows = []
        for item in islice(self.items, SHOWN):
            text, expected = short(" | ".join(item.marked.values()), 60), short(item.expected or "", 20)
            outputs = " · ".join(f"{name} {short(output, 20)}" for name, output in item.outputs.items())
            rows.append((str(item.item), written(item.score, 3), text, expected, outputs))
        texts = (Column(title, "left") for title in ("text", "expected", "returned"))
        return [*self.opening(), Grid("Items", (Column("item"), Column("score"), *texts), tuple(rows))]


def _lines(item: Item, *, changed: bool) -> Iterator[str]:
    value = signed(item.score, 3) if changed else written(item.score, 3)
    by_system = " · ".join(f"{name} {written(score, 3)}" for name, score in item.scores.items())
    yield printable(f"{value}  item {item.item}" + (f"  ({by_system})" if len(item.scores) > 1 else ""))
    for space, text in item.marked.items():
        yield printable(f"    {space:>8}  {' '.join(text.split())}")
    if item.expected is not None:
        yield printable(f"    {'exp':>8}  {' '.join(item.expected.split())}")
    for name, text in item.outputs.items():
        yield printable(f"    {name:>8}  {' '.join(text.split())}")
