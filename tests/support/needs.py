"""Tools that a test needs: where one is missing the test is skipped, or fails under SLICEWISE_REQUIRE_TOOLS=1."""

from __future__ import annotations

import os
from importlib import util

import pytest


def missing(what: str) -> None:
    """Skip the test for want of a tool, or fail where tools are required."""
    if os.environ.get("SLICEWISE_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{what} is missing, and SLICEWISE_REQUIRE_TOOLS=1")
    pytest.skip(f"needs {what}")


def need_module(name: str, package: str) -> None:
    """Go on only if a module can be imported."""
    if util.find_spec(name) is None:
        missing(package)
