"""The catalogue as tables for people."""

from __future__ import annotations

from collections.abc import Mapping

from slicewise.annotations import Task
from slicewise.attributes.attribute import Attribute, Need
from slicewise.render.blocks import Block, Column, Grid, Sentence


def listing(attributes: Mapping[str, Attribute]) -> list[Block]:
    """Return the attributes by their tasks, the paper's first."""
    groups: dict[frozenset[Task], list[Attribute]] = {}
    for attribute in sorted(attributes.values(), key=lambda a: not a.core):
        groups.setdefault(attribute.tasks, []).append(attribute)
    shown: list[Block] = [Sentence("Attributes, for --attribute of buckets and study", "title")]
    shown += [_grid(tasks, members) for tasks, members in groups.items()]
    more = "Every column of the data is an attribute too, and so is a function of your own: FILE.py:FUNCTION."
    return [*shown, Sentence(""), Sentence(more)]


def _grid(tasks: frozenset[Task], members: list[Attribute]) -> Grid:
    rows = tuple((a.versioned, a.summary + _needs(a)) for a in members)
    title = "Task " + ", ".join(task.value for task in Task if task in tasks)
    return Grid(title, (Column("attribute", "left"), Column("what it is", "left")), rows)


def _needs(attribute: Attribute) -> str:
    return " (needs --train)" if Need.TRAIN in attribute.needs else ""
