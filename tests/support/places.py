"""Where things lie around the tests."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BENCHMARKS = ROOT / "benchmarks"
SHARED_DATA = ROOT.parent / "shared" / "data"
"""Public data, which are beside some clones."""
