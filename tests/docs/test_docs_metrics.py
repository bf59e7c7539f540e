"""The metric of one's own in the documentation does what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scores.md"


def test_the_metrics_of_your_own_are_real(tmp_path: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Your own metric")[2]
    parts = (r"```python\n(.*?)```", r"```sh\n(.*?)```", r"```\n(system .*?)```")
    code, commands, shown = (re.findall(part, section, re.DOTALL)[0] for part in parts)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    script = commands.replace("slicewise score", f"'{sys.executable}' -m slicewise score")
    ran = subprocess.run(["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown in ran.stdout
