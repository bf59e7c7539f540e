"""Checks that hold for every figure: plain rows under fixed keys, charts that are drawn without a warning."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import vl_convert

from slicewise import Evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from slicewise.render.figures import Figure, Row
    from slicewise.results.base import Result

HOSTILE = ("</script>", "datum.x", "^a.b[0]$", '"quo\'ted".x', "*", "a\nb", "long " * 60)
"""Names that would break out of a page, an expression or a pattern."""


def named(figures: Sequence[Figure], name: str) -> Figure:
    (figure,) = [figure for figure in figures if figure.name == name]
    return figure


def rows_of(figures: Sequence[Figure], name: str, *keys: str) -> list[tuple[object, ...]]:
    """Return some keys of a figure's rows."""
    return [tuple(row[key] for key in keys) for row in named(figures, name).rows]


def by_key(figures: Sequence[Figure], name: str, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the rows of a figure by some of their keys, each once."""
    rows = named(figures, name).rows
    by = {tuple(row[key] for key in keys): row for row in rows}
    assert len(by) == len(rows)
    return by


def body(result: Result) -> dict[str, Any]:
    """Return what the JSON of a result says."""
    return dict(result.to_dict()["result"])


def ends(ci: Any) -> list[Any]:
    """Return the two ends of an interval, or twice nothing."""
    return [None, None] if ci is None else list(ci)


def hostile_data() -> Evaluation:
    """Return spans of which tokens, labels and systems have hostile names."""
    chance = random.Random(0)
    items = [[chance.choice(HOSTILE) for _ in range(4)] for _ in range(30)]
    gold = [[(i, i + 1, chance.choice(HOSTILE)) for i in range(4) if chance.random() < 0.6] for _ in items]
    systems = {name: [[span for span in spans if chance.random() < 0.7] for spans in gold] for name in HOSTILE}
    return Evaluation.from_spans(items, gold, systems)


def marks_of(figure: Figure) -> Counter[str]:
    """Return how many marks of each kind are drawn."""
    drawn = figure.rendered("svg").decode()
    return Counter(re.findall(r'aria-roledescription="(bar|point|rect mark|rule mark|text mark)"', drawn))


def check_figures(figures: Sequence[Figure], capfd: pytest.CaptureFixture[str], *, rendered: bool = True) -> None:
    """Check that names can be files, that rows are plain and fit the table, and that charts are drawn (or could be)."""
    names = [figure.name for figure in figures]
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[\w.-]+", name) for name in names)
    for figure in figures:
        assert figure.rows, figure.name
        assert figure.title.strip()
        assert figure.caption.endswith(".")
        assert not figure.note or figure.note.endswith(".")
        assert "--" not in figure.caption + figure.note
        for row in figure.rows:
            _check_row(figure, row)
        if figure.spec() is not None:
            capfd.readouterr()
            spec = figure.full_spec() | {"width": 500}
            drawn = vl_convert.vegalite_to_svg if rendered else vl_convert.vegalite_to_vega
            assert drawn(spec, show_warnings=True)
            warnings = capfd.readouterr().err
            assert warnings == "", (figure.name, warnings)


def _check_row(figure: Figure, row: Row) -> None:
    assert all(re.fullmatch(r"[a-z_0-9]+", key) for key in row)
    json.dumps(row, allow_nan=False)
    for field in figure.fields:
        assert {field.key, *(field.bounds or ())} <= set(row), (figure.name, field.key)
