"""What must hold for every lens on every task that it serves; a new one is tested the day it is registered."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from support.slow_outcomes import crowd

import slicewise
from slicewise.annotations import Task
from slicewise.errors import UserError
from slicewise.lenses import registry
from slicewise.lenses.contract import ReportOptions

if TYPE_CHECKING:
    from slicewise.results.base import Result

LENSES = list(registry.lenses())
CASES = [(lens.name, task) for lens in LENSES for task in lens.tasks]
every_lens = pytest.mark.parametrize("name", registry.names())
every_case = pytest.mark.parametrize(("name", "task"), sorted(CASES))


@cache
def evaluation(task: Task) -> slicewise.Evaluation:
    return crowd(task, 3, items=30, seed=2).evaluation()


def answer(name: str, task: Task) -> Result:
    """Return a lens's result, with few draws where it draws any."""
    function = registry.function(name)
    options: dict[str, Any] = {"resamples": 20} if "resamples" in inspect.signature(function).parameters else {}
    options |= {"metrics": "gleu"} if task is Task.TEXT and name != "units" else {}
    given: Any = [evaluation(task)] if name == "study" else evaluation(task)
    result: Result = function(given, **options)
    return result


@every_lens
def test_it_declares_itself_under_its_name(name: str) -> None:
    lens = registry.lens(name)
    assert lens.name == name
    assert lens.question.endswith("?")
    assert "\n" not in lens.question
    assert lens.title
    assert lens.tasks
    assert {*lens.options} <= {*ReportOptions.__dataclass_fields__}
    assert getattr(slicewise, name) is registry.function(name)
    assert inspect.getdoc(registry.function(name))
    assert inspect.getdoc(registry.command(name))


@every_case
def test_it_answers_for_every_task_that_it_serves(name: str, task: Task) -> None:
    result = answer(name, task)
    assert result.command == name
    assert {*json.loads(result.to_json())} == {"slicewise", "schema", "command", "signature", "data", "result"}
    assert result.to_json() == answer(name, task).to_json()
    assert str(result).strip()
    assert all(row.keys() == rows[0].keys() for rows in result.tables().values() for row in rows)
    names = [figure.name for figure in result.figures()]
    assert len(names) == len({*names})


@pytest.mark.parametrize("task", list(Task))
def test_a_report_has_every_lens_that_looks_at_a_data_set(task: Task) -> None:
    metrics = "gleu" if task is Task.TEXT else ()
    [part] = slicewise.report(evaluation(task), resamples=20, metrics=metrics).parts
    expected = [lens for lens in LENSES if lens.run is not None and task in lens.tasks]
    assert [*part.results, *part.left_out] == [lens.name for lens in expected]
    for lens in expected:
        assert getattr(part, lens.name) is part.results.get(lens.name)
        for section, _ in lens.sections(part.results):
            assert section.question.endswith("?")


def test_an_option_that_asks_for_a_lens_does_not_leave_it_out() -> None:
    for lens in LENSES:
        assert not ReportOptions().asks_for(lens)
    with pytest.raises(UserError, match="0 buckets"):
        slicewise.report(evaluation(Task.LABELS), buckets=0, resamples=0)
    with pytest.raises(UserError, match="min-count is 0"):
        slicewise.report(evaluation(Task.LABELS), min_count=0, resamples=0)


def test_what_changes_between_two_systems_has_a_section_though_nothing_is_listed() -> None:
    scores = {"a": [0.1, 0.5, 0.9, 0.3], "b": [0.4, 0.3, 1.0, 0.2]}
    report = slicewise.report(slicewise.Evaluation.from_scores(scores), resamples=0)
    ids = [section.id for section in report.page().sections]
    assert ids == ["score", "features", "change", "complement", "difficulty", "buckets"]  # what was left out is last
    assert list(report.parts[0].results) == ["score", "features", "worsening", "improving", "complement", "difficulty"]


def test_listing_the_lenses_imports_none_of_them() -> None:
    """`import slicewise`, its names and the help stay quick."""
    code = "import sys, slicewise; dir(slicewise); from slicewise.cli import app; "
    code += (
        "print([name for name in sys.modules if name in ('numpy', 'polars') or name.startswith('slicewise.lenses')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == str(["slicewise.lenses", "slicewise.lenses.registry"])
