"""A Spark Connect server: an address is enough, and results are those of the embedded engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from support.lens_results import LENSES, content, converted

from slicewise.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from support.spark_cluster import Cluster

CODE = """
import json, pathlib, sys
import slicewise.engine.spark
from support.lens_results import LENSES
from slicewise.loading import load

given, folder = json.loads(sys.argv[1]), sys.argv[2]
parted = load(**given, engine="spark", part_rows=300)
for name, lens in LENSES.items():
    pathlib.Path(folder, f"{name}.json").write_text(lens(parted).to_json(), encoding="utf-8")
slicewise.engine.spark.MAX_COLLECTED = 5
pathlib.Path(folder, "far.json").write_text(LENSES["features"](parted, numbers=True).to_json(), encoding="utf-8")
"""
"""A process of its own: one has a session of this kind or of the other."""


def test_by_the_address_of_a_server(cluster: Cluster, examples: Path, tmp_path: Path) -> None:
    """All lenses, with the address where Spark looks for it."""
    data = examples / "sentiment"
    gold = converted(tmp_path, data / "test.tsv")
    systems = {path.stem: converted(tmp_path, path) for path in sorted((data / "systems").glob("*.txt"))[:2]}
    given: dict[str, Any] = {"gold": f"{gold}:2", "inputs": [f"{gold}:1"], "systems": systems}
    environment = os.environ | {"SPARK_REMOTE": cluster.serve(), "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        command = [sys.executable, "-c", CODE, json.dumps(given), str(tmp_path)]
        subprocess.run(command, check=True, env=environment, timeout=400)
    finally:
        cluster.kill("connect")
    here = {name: lens(load(**given)) for name, lens in LENSES.items()}
    here["far"] = LENSES["features"](load(**given), numbers=True)
    for name, result in here.items():
        assert content((tmp_path / f"{name}.json").read_text(encoding="utf-8")) == content(result.to_json())
