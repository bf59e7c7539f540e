"""The peers' work: all ways to do a thing give the same, and made-up data are as they are said to be."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from support.bench_modules import in_benchmarks, job
from support.places import BENCHMARKS

DUCKDB = importlib.util.find_spec("duckdb") is not None
needs_duckdb = pytest.mark.skipif(not DUCKDB, reason="DuckDB is not installed")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("texts") / "scored.parquet")
    job("making.scored", path, "3000", "500", "5", "a", "b", "c")
    return path


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("scores") / "matrix.parquet")
    job("making.matrix", path, "4000", "5")
    return path


def loaded(*arguments: str) -> Any:
    return json.loads(job(*arguments))


def test_made_texts_begin_alike_at_all_sizes(texts: str, tmp_path: Path) -> None:
    longer = str(tmp_path / "longer.parquet")
    job("making.scored", longer, "60000", "500", "5", "a", "b", "c")
    frame = pl.read_parquet(texts)
    assert frame.equals(pl.read_parquet(longer).head(3000))
    assert pl.read_parquet(longer).height == 60_000
    assert frame["a"].str.split(" ").list.len().unique().to_list() == [5]


def test_made_scores_are_small_and_each_system_is_better(scores: str) -> None:
    frame = pl.read_parquet(scores)
    assert frame.height == 4000
    assert frame.schema == pl.Schema({f"s{i}": pl.Int8 for i in range(5)})
    means = [column.mean() for column in frame]
    assert means == sorted(means, key=float)  # type: ignore[arg-type]


def test_loops_over_features_agree(texts: str) -> None:
    found = loaded("features.loop", texts, "10", "20")
    assert len(found) == 20
    assert loaded("features.loop_by_field", texts, "10", "20") == found


@needs_duckdb
def test_duckdb_ranks_the_same_features(texts: str) -> None:
    assert loaded("features.duckdb_query", texts, "10", "20") == loaded("features.loop", texts, "10", "20")


def test_bins_and_pairs_agree(scores: str) -> None:
    bins, pairs = job("scores.loop", scores).splitlines()
    assert sum(json.loads(bins)["totals"]) == 4000
    assert job("scores.numpy_bins", scores).strip() == bins
    assert job("scores.numpy_pairs", scores).strip() == pairs


@needs_duckdb
def test_duckdb_counts_the_same_bins_and_pairs(scores: str) -> None:
    bins, pairs = job("scores.loop", scores).splitlines()
    assert job("scores.duckdb_bins", scores).strip() == bins
    assert job("scores.duckdb_pairs", scores).strip() == pairs


def test_the_loop_over_entities_is_seqeval(tmp_path: Path) -> None:
    pytest.importorskip("seqeval")
    files = loaded("news.one_system", str(tmp_path), "2")
    paths = (files["gold"], files["systems"]["crf"])
    ours, theirs = float(job("entities.loop", *paths).split()[0]), float(job("entities.seqeval_f1", *paths))
    assert abs(ours - theirs) < 1e-12


def test_the_loop_over_labels_is_scikit_learn(tmp_path: Path) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    files = loaded("lines.labels", str(tmp_path), "500")
    gold, system = (Path(path).read_text().split() for path in (files["gold"], files["systems"]["system"]))
    assert float(job("labels.loop", files["gold"], files["systems"]["system"]).split()[0]) == metrics.accuracy_score(
        gold, system
    )


def test_geval_gets_the_same_texts_as_lines(texts: str, tmp_path: Path) -> None:
    program = tmp_path / "geval"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    said = in_benchmarks(
        "import os\nfrom pathlib import Path\n"
        "os.environ['PATH'] = sys.argv[1]\n"
        "import measure, sections.scored_texts\n"
        "jobs = sections.scored_texts.geval(sys.argv[2], Path(sys.argv[1]))\n"
        "print(measure.done(jobs['GEval']))",
        str(tmp_path),
        texts,
    )
    assert "--worst-features" in said
    folder = tmp_path / "geval-lines" / "texts"
    lines = {name: (folder / f"{name}.tsv").read_text().splitlines() for name in ("in", "out", "expected")}
    frame = pl.read_parquet(texts)
    assert lines["in"][7].split("\t") == list(frame.row(7)[:3])
    assert lines["out"] == [str(score) for score in frame["score"]]
    assert set(lines["expected"]) == {"1"}
    assert {len(some) for some in lines.values()} == {3000}


FAKE = """
import run
from measure import Run, Size
from report import Comparison, Section

def bad(plan):
    raise ValueError('no data')

def good(plan):
    runs = {Size(n, str(n)): {'ours': Run(n, n, 1), 'peer': Run(2 * n, n, 1)} for n in (1, 10)}
    return Section('Good', 'All well.', [Comparison('Good', runs, 'ours', ('peer',), unit='items')])

run.SECTIONS.clear()
run.SECTIONS.update({'bad': bad, 'good': good})
code = run.main()
print('CODE', code)
"""


def test_a_section_that_fails_does_not_lose_the_others(tmp_path: Path) -> None:
    said = in_benchmarks(FAKE, "--output", str(tmp_path))
    written = (tmp_path / "RESULTS.md").read_text()
    assert "## Failed: bad" in written
    assert "ValueError: no data" in written
    assert "## Good" in written
    assert "CODE 1" in said
    assert (tmp_path / "growth.svg").exists()


def test_quick_and_parts_print_the_page_and_leave_the_results_alone() -> None:
    results = BENCHMARKS / "RESULTS.md"
    before = results.read_bytes()
    for options in (("--quick",), ("--only", "good"), ("--quick", "--only", "good", "bad")):
        said = in_benchmarks(FAKE, *options)
        assert "# Benchmarks" in said
        assert "All well." in said
    assert results.read_bytes() == before
