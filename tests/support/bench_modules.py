"""The benchmarks' modules, importable, and a process of their own where they start processes."""

from __future__ import annotations

import subprocess
import sys

from support.places import BENCHMARKS

sys.path.append(str(BENCHMARKS))


def in_benchmarks(script: str, *arguments: str) -> str:
    """Run a script that can import the benchmarks' modules, and return what it prints."""
    whole = f"import sys\nsys.path.append({str(BENCHMARKS)!r})\n{script}"
    ran = subprocess.run(
        [sys.executable, "-c", whole, *arguments], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def job(name: str, *arguments: str) -> str:
    """Run one of the benchmarks' jobs and return what it prints."""
    ran = subprocess.run(
        [sys.executable, str(BENCHMARKS / "work.py"), name, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
