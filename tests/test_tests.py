"""The tests themselves: where they lie, how many examples they draw, and what they do not do. See README.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.places import ROOT
from support.profiles import NO_SHRINKING, with_examples

HERE = Path(__file__).parent
BESIDES = {"browser", "benchmarks", "docs", "fuzz", "packaging", "spark", "support", "tools"}
"""Folders of tests that are not named after one of the package."""
MODULES = {str(path.relative_to(HERE)): ast.parse(path.read_text(encoding="utf-8")) for path in HERE.rglob("*.py")}


def test_tests_lie_as_the_code_does() -> None:
    folders = {Path(name).parent for name in MODULES} - {Path()}
    strange = {str(folder) for folder in folders if not (ROOT / "src" / "slicewise" / folder).is_dir()}
    assert strange == BESIDES
    explained = (HERE / "README.md").read_text(encoding="utf-8")
    assert {folder.parts[0] for folder in folders if f"`{folder.parts[0]}/" not in explained} == set()


@pytest.mark.parametrize(("profile", "factor"), [("quick", 1), ("thorough", 10)])
def test_a_profile_scales_examples(profile: str, factor: int, pytestconfig: pytest.Config) -> None:
    active = pytestconfig.getoption("--hypothesis-profile") or "quick"
    settings.load_profile(profile)
    try:
        few = with_examples(4, HealthCheck.filter_too_much, shrink=False)
        assert (few.max_examples, few.deadline, list(few.phases)) == (4 * factor, None, NO_SHRINKING)
        assert set(few.suppress_health_check) >= {HealthCheck.too_slow, HealthCheck.filter_too_much}
        assert few.derandomize == (profile == "quick")
        assert with_examples(30).phases == settings().phases
        assert settings().max_examples == 25 * factor
    finally:
        settings.load_profile(active)


def test_no_number_of_examples_is_pinned() -> None:
    pinned = {
        name
        for name, module in MODULES.items()
        for node in ast.walk(module)
        if isinstance(node, ast.keyword) and node.arg == "max_examples"
    }
    assert pinned == {"support/profiles.py"}


def test_nothing_is_measured_in_seconds() -> None:
    """A clock may end a wait (`monotonic`); what took how long is the benchmarks' business."""
    measuring = {
        name
        for name, module in MODULES.items()
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr in {"perf_counter", "process_time", "thread_time", "timeit"}
    }
    assert measuring == set()


def test_no_module_is_patched_by_a_path_in_quotes() -> None:
    """A module that has moved is found by mypy; a path is not."""
    quoted = {
        (name, node.args[0].value)
        for name, module in MODULES.items()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr"
        if isinstance(node.args[0], ast.Constant) and str(node.args[0].value).startswith("slicewise")
    }
    assert quoted == set()
