"""`slicewise study` through the real command: the examples, files for a paper, wrong input, hostile names."""

from __future__ import annotations

import csv
import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.commands import Ran, Run, Write, document_of, warnings

SYSTEMS = ["gazetteer", "hmm", "perceptron", "crf", "crf-char"]
PERFORMANCE = {"dataset", "system", "restart", "attribute", "bucket", "n_gold", "n_pred", "tp", "f1"}
MODEL_WISE = {"system", "dataset", "attribute", "spearman", "std", "friedman_p"}
ATTRIBUTE_WISE = {"dataset", "attribute", "zeta", "rho", "friedman_p"}


document = partial(document_of, "study")


def check_result(found: Any) -> None:
    """Check the names and shapes that scripts rely on."""
    result = found["result"]
    assert {"performance", "holistic", "model_wise", "attribute_wise", "diagnoses"} <= set(result)
    assert all(set(row) >= PERFORMANCE for row in result["performance"])
    assert all(set(row) >= MODEL_WISE for row in result["model_wise"])
    assert all(set(row) >= ATTRIBUTE_WISE for row in result["attribute_wise"])
    assert result["performance"]
    for row in result["performance"]:
        whole = row["n_gold"] + row["n_pred"]
        assert row["f1"] == (pytest.approx(2 * row["tp"] / whole) if whole else None)
    for row in (*result["model_wise"], *result["attribute_wise"], *result["diagnoses"]):
        p, q = row.get("friedman_p", row.get("p")), row.get("friedman_q", row.get("q"))
        assert (p is None) == (q is None)
        assert p is None or 0 <= p <= q <= 1
    for row in result["model_wise"]:
        assert row["spearman"] is None or -1 <= row["spearman"] <= 1
        assert row["std"] is None or row["std"] >= 0
    assert {row["dataset"] for row in result["model_wise"]} == {*result["datasets"], None}


# ---------------------------------------------------------------------- the examples


@pytest.fixture(scope="session")
def config(examples: Path) -> tuple[object, ...]:
    return ("--config", examples / "slicewise.toml", "--resamples", "0")


def test_the_examples(config: tuple[object, ...], run: Run) -> None:
    ran = run("study", *config, "--json", "-")
    found = document(ran)
    check_result(found)
    result = found["result"]
    assert (result["datasets"], result["systems"]) == (["news", "chat"], SYSTEMS)
    assert found["data"]["name"] == "study"
    assert {d["name"]: d["gold_units"] for d in found["data"]["datasets"]} == {"news": 1974, "chat": 1447}
    runs = {(r["dataset"], r["system"], r["restart"]) for r in result["performance"]}
    assert len(runs) == 14
    assert ("chat", "crf-char", 2) in runs
    for dataset, gold in (("news", 1974), ("chat", 1447)):
        rows = [r for r in result["performance"] if (r["dataset"], r["system"], r["restart"]) == (dataset, "crf", 2)]
        for attribute in ("label", "eLen", "sLen", "eDen", "oDen", "eFre", "eCon"):
            assert sum(r["n_gold"] for r in rows if r["attribute"] == attribute) == gold
    means = {(h["system"], h["dataset"]): h["value"] for h in result["holistic"]}
    assert means["gazetteer", "news"] == pytest.approx(0.624, abs=0.0005)  # examples/README.md, by seqeval
    assert means["crf", "news"] == pytest.approx((0.830 + 0.824) / 2, abs=0.0006)
    assert means["crf", None] == pytest.approx((means["crf", "news"] + means["crf", "chat"]) / 2)
    assert {r["attribute"] for r in result["attribute_wise"]} == {
        "label", "eLen", "sLen", "eDen", "oDen", "eFre", "tFre", "eCon", "tCon",
    }  # fmt: skip
    assert "restarts:average" in found["signature"]


def test_what_a_person_sees(config: tuple[object, ...], run: Run) -> None:
    out = run("study", *config).out
    assert out.startswith("2 data sets · 5 systems · 14 runs · 9 attributes · task spans\n")
    for title in (
        "Overall f1",
        "Model-wise: Spearman's ρ",
        "Model-wise: Standard deviation",
        "ζ, the mean",
        "Self-diagnosis",
    ):
        assert title in out
    assert "° not significant" in " ".join(out.split())
    assert "10 pairs of systems were compared" in " ".join(out.split())
    pair = run("study", *config, "--compare", "crf,hmm").out
    assert "Comparative diagnosis" in pair
    assert "Relative change of f1: (crf − hmm)/hmm" in pair


def test_labels_that_differ_and_systems_that_are_missing(examples: Path, write: Write, run: Run) -> None:
    settings = (examples / "slicewise.toml").read_text(encoding="utf-8")
    lines = settings.replace('"news/', f'"{examples}/news/').replace('"chat/', f'"{examples}/chat/').splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("hmm") and "chat" in line)
    write("c.toml", "\n".join(lines[:at] + lines[at + 1 :]))
    options = ("--config", "c.toml", "--resamples", "0")
    ran = run("study", *options)
    said = warnings(ran)
    assert any("labels differ" in w and "'EVENT' only in news" in w and "'WORK' only in chat" in w for w in said), said
    assert any(w.startswith("hmm is missing on chat") for w in said), said
    assert re.search(r"^hmm +0\.\d{4} +missing +0\.\d{4}\*?$", ran.out, re.MULTILINE), ran.out
    quiet = run("study", *options, "--quiet")
    assert quiet.err == ""
    found = document(run("study", *options, "--json", "-"))
    assert found["result"]["missing"] == [["hmm", "chat"]]
    assert any("hmm is missing" in w for w in found["data"]["warnings"])
    own = {h["dataset"]: h["value"] for h in found["result"]["holistic"] if h["system"] == "hmm"}
    assert own[None] == own["news"]
    assert "chat" not in own


def test_tables_as_csv(config: tuple[object, ...], run: Run, tmp_path: Path) -> None:
    found = document(run("study", *config, "--json", "-", "--csv", tmp_path / "out"))["result"]
    tables = {}
    for path in (tmp_path / "out").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.stem] = list(csv.DictReader(file))
    assert set(tables) == {
        "performance", "holistic", "model_wise", "attribute_wise", "diagnoses", "relative_changes", "item_level",
    }  # fmt: skip
    for name, rows in tables.items():
        assert len(rows) == len(found[name]), name
    for row, own in zip(tables["performance"], found["performance"], strict=True):
        assert row["bucket"] == own["bucket"]
        assert row["f1"] == ("" if own["f1"] is None else repr(own["f1"])) or float(row["f1"]) == own["f1"]


def balanced(text: str) -> bool:
    depth = 0
    for at, c in enumerate(text):
        if c in "{}" and (at == 0 or text[at - 1] != "\\"):
            depth += 1 if c == "{" else -1
            if depth < 0:
                return False
    return depth == 0


def test_files_for_a_paper(config: tuple[object, ...], run: Run, tmp_path: Path) -> None:
    ran = run("study", *config, "--compare", "crf,hmm", "--latex", tmp_path / "tex", "--markdown", tmp_path / "md")
    assert ran.code == 0
    tex, md = ({p.stem: p.read_text(encoding="utf-8") for p in (tmp_path / end).iterdir()} for end in ("tex", "md"))
    assert set(tex) == set(md)
    assert {
        "holistic", "model-wise-spearman", "model-wise-std", "attribute-wise-zeta", "attribute-wise-rho",
        "self-diagnosis-news", "comparative-diagnosis-chat", "relative-change-crf-hmm", "performance-news",
        "performance-chat", "friedman-systems", "friedman-datasets",
    } <= set(tex)  # fmt: skip
    assert {p.suffix for p in (tmp_path / "tex").iterdir()} == {".tex"}
    assert re.search(rf"wrote {len(tex)} tables to .*tex", ran.err)
    labels = set()
    for name, text in tex.items():
        assert balanced(text), name
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
        assert text.rstrip().endswith(r"\end{table}")
        columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])  # type: ignore[index]
        rows = [line for line in text.splitlines() if line.endswith(r" \\")]
        assert all(line.count(" & ") == columns - 1 for line in rows), name
        labels.add(re.search(r"\\label\{(.*)\}", text)[1])  # type: ignore[index]
    assert len(labels) == len(tex)
    for name, text in md.items():
        assert text.startswith("### "), name
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len({re.sub(r"\\\|", "", line).count("|") for line in rows}) == 1, name
    assert all(system in tex["holistic"] for system in SYSTEMS)
    assert tex["performance-news"].count("eLen & ") == 4
    assert not list(tmp_path.rglob(".slicewise*"))


def test_two_runs_the_same_bytes(examples: Path, run: Run, tmp_path: Path) -> None:
    options = ("--config", examples / "slicewise.toml", "--resamples", "50", "-a", "eLen,label,sLen")
    outputs = []
    for name in ("a", "b"):
        folders = ("--csv", tmp_path / name, "--latex", tmp_path / name, "--markdown", tmp_path / name)
        outputs.append(run("study", *options, *folders, "--json", "-").out)
    assert outputs[0] == outputs[1]
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "b").iterdir())
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert run("study", *options).out == run("study", *options).out


def test_two_data_sets_are_tested_each_for_itself(examples: Path, run: Run) -> None:
    options = ("--config", examples / "slicewise.toml", "--resamples", "50", "-a", "eLen", "--compare", "crf,hmm")
    found = document(run("study", *options, "--json", "-"))
    check_result(found)
    rows = found["result"]["diagnoses"]
    assert {(r["dataset"], r["kind"]) for r in rows} == {
        (d, k) for d in ("news", "chat") for k in ("self", "largest", "smallest")
    }
    assert all(r["p"] is not None and r["ci"] is not None for r in rows)
    assert {(r["a"], r["b"]) for r in rows if r["b"]} == {("crf", "hmm")}


def test_one_data_set_without_a_configuration(examples: Path, run: Run) -> None:
    folder = examples / "chat"
    options = ("--gold", folder / "test.conll", "--system", f"hmm={folder / 'systems' / 'hmm.conll'}", "--name", "chat")
    found = document(run("study", *options, "--resamples", "0", "--json", "-"))
    check_result(found)
    assert found["result"]["datasets"] == ["chat"]
    assert "Overall f1" in run("study", *options, "--resamples", "0").out


@pytest.mark.parametrize("metric", ["f2", "precision", "recall"])
def test_another_metric(metric: str, config: tuple[object, ...], run: Run) -> None:
    found = document(run("study", *config, "-a", "eLen", "--metric", metric, "--json", "-"))["result"]
    assert found["metric"] == metric
    row = next(r for r in found["performance"] if r["system"] == "hmm" and r["n_pred"] > r["n_gold"])
    weight = 4 if metric == "f2" else 0
    values = {"precision": row["tp"] / row["n_pred"], "recall": row["tp"] / row["n_gold"]}
    values["f2"] = 5 * row["tp"] / (weight * row["n_gold"] + row["n_pred"])
    assert row["value"] == pytest.approx(values[metric])
    assert f"Overall {metric}" in run("study", *config, "-a", "eLen", "--metric", metric).out


def test_cuts_and_buckets(config: tuple[object, ...], run: Run) -> None:
    options = (*config, "-a", "eLen,sLen", "--buckets", "3", "--cuts", "eLen=1,2,3,5", "--json", "-")
    found = document(run("study", *options))["result"]["performance"]
    counts = {a: {r["place"] for r in found if r["attribute"] == a} for a in ("eLen", "sLen")}
    assert counts == {"eLen": set(range(5)), "sLen": set(range(3))}
    own = document(run("study", *options, "--shared-cuts"))["result"]["performance"]
    buckets = {
        d: {r["bucket"] for r in own if r["attribute"] == "sLen" and r["dataset"] == d} for d in ("news", "chat")
    }
    assert buckets["news"] == buckets["chat"]
    assert buckets["news"] != {r["bucket"] for r in found if r["attribute"] == "sLen" and r["dataset"] == "news"}


@pytest.mark.parametrize("task", ["labels", "text", "scores", "multilabel", "tokens"])
def test_other_tasks(task: str, examples: Path, run: Run) -> None:
    log = examples / "questions" / "log.jsonl"
    options: dict[str, tuple[object, ...]] = {
        "labels": (
            "--gold", f"{examples / 'sentiment' / 'test.tsv'}:2", "--input", f"{examples / 'sentiment' / 'test.tsv'}:1",
            "--system", f"bayes={examples / 'sentiment' / 'systems' / 'bayes.txt'}",
        ),
        "text": (
            "--gold", examples / "translation" / "test.ref", "--input", examples / "translation" / "test.src",
            "--system", f"phrase={examples / 'translation' / 'systems' / 'phrase.txt'}", "--metric", "exact-match",
        ),
        "scores": ("--system", f"parser={log}:parser.correct", "--system", f"keywords={log}:keywords.correct"),
        "multilabel": (
            "--gold", examples / "topics" / "test.jsonl",
            "--system", f"bayes={examples / 'topics' / 'systems' / 'bayes.jsonl'}",
        ),
        "tokens": (
            "--gold", examples / "news" / "test.conll",
            "--system", f"hmm={examples / 'news' / 'systems' / 'hmm.conll'}",
        ),
    }  # fmt: skip
    given = (*options[task], "--task", task, "--resamples", "20")
    found = document(run("study", *given, "--json", "-"))
    assert found["data"]["task"] == task
    assert found["result"]["performance"]
    assert all(row["value"] is not None or not row["n_gold"] for row in found["result"]["performance"])
    assert run("study", *given).code == 0


# ---------------------------------------------------------------------- several small data sets

WORDS = ("Ada", "Bob", "New York", "Rio de Janeiro", "the Isle of Man", "Oslo")


def corpus(seed: int, right: int, label: str = "LOC") -> str:
    """Return sentences of one entity each; all but every so-manyth are tagged."""
    lines = []
    for i in range(24):
        words = WORDS[(i + seed) % len(WORDS)].split()
        found = right == 0 or (i + seed) % right or len(words) == 1
        tags = [f"B-{label}", *[f"I-{label}"] * (len(words) - 1)] if found else ["O"] * len(words)
        lines.append("".join(f"{w}\t{t}\n" for w, t in zip(words, tags, strict=True)) + "is\tO\n" * (1 + i % 4))
    return "\n".join(lines)


@pytest.fixture
def several(write: Write, tmp_path: Path) -> Path:
    """Write four data sets with two systems, one of which has two runs."""
    settings = ["resamples = 0"]
    for k in range(4):
        write(f"{k}/gold.conll", corpus(k, 0))
        write(f"{k}/a.conll", corpus(k, 3))
        write(f"{k}/b1.conll", corpus(k, 2))
        write(f"{k}/b2.conll", corpus(k, 5))
        settings += [
            "[[dataset]]", f'name = "d{k}"', f'gold = "{k}/gold.conll"', f'train = "{(k + 1) % 4}/b1.conll"',
            f'systems = {{a = "{k}/a.conll", b = ["{k}/b1.conll", "{k}/b2.conll"]}}',
        ]  # fmt: skip
    write("c.toml", "\n".join(settings) + "\n")
    write("l.txt", "a\nb\na\n")
    write("empty.conll", "a\tO\n\nb\tO\n")
    return tmp_path


def test_four_data_sets_are_tested_together(several: Path, run: Run) -> None:
    ran = run("study", "--config", "c.toml", "--json", "-")
    found = document(ran)
    check_result(found)
    rows = found["result"]["diagnoses"]
    assert {r["dataset"] for r in rows} == {None}
    assert all(r["test"].startswith("permutation test over data sets") for r in rows if r["p"] is not None)
    assert any(r["p"] is not None for r in rows)
    assert all([own["dataset"] for own in r["by_dataset"]] == r["datasets"] for r in rows)
    shown = " ".join(run("study", "--config", "c.toml").out.split())
    assert "systems swapped by cluster within each; q: Benjamini–Hochberg" in shown
    assert run("study", "--config", "c.toml", "--csv", "out").code == 0
    assert (several / "out" / "by_dataset.csv").is_file()


def test_the_papers_tests_are_labelled(several: Path, run: Run) -> None:
    found = document(run("study", "--config", "c.toml", "--paper-tests", "--json", "-"))
    check_result(found)
    tests = {r["test"] for r in found["result"]["diagnoses"] if r["p"] is not None}
    assert len(tests) == 1
    assert all("paper" in test and "picked and tested on the same data" in test for test in tests)
    assert "paper-tests" in found["signature"]
    assert "paper-tests" not in document(run("study", "--config", "c.toml", "--json", "-"))["signature"]
    shown = " ".join(run("study", "--config", "c.toml", "--paper-tests").out.split())
    assert "paper's way" in shown
    assert "each picked on the others" not in shown


def test_the_papers_tests_on_two_data_sets(config: tuple[object, ...], run: Run) -> None:
    found = document(run("study", *config, "-a", "eLen", "--paper-tests", "--json", "-"))
    rows = {r["a"]: r for r in found["result"]["diagnoses"] if r["kind"] == "self"}
    assert rows["crf"]["n"] == 4  # two data sets, two runs
    assert rows["hmm"]["n"] == 2
    assert all("paper" in r["test"] for r in rows.values())


def test_restarts_as_blocks(several: Path, run: Run) -> None:
    averaged, blocks = (
        document(run("study", "--config", "c.toml", "--json", "-", *more)) for more in ((), ("--restarts", "blocks"))
    )
    own = [
        {(r["system"], r["attribute"]): r for r in d["result"]["model_wise"] if r["dataset"] is None}
        for d in (averaged, blocks)
    ]
    assert (own[0]["b", "eLen"]["blocks"], own[1]["b", "eLen"]["blocks"]) == (4, 8)
    assert (own[0]["a", "eLen"]["blocks"], own[1]["a", "eLen"]["blocks"]) == (4, 4)
    assert own[0]["b", "eLen"]["friedman_p"] > own[1]["b", "eLen"]["friedman_p"]
    assert own[0]["b", "eLen"]["std"] == own[1]["b", "eLen"]["std"]
    on_sets = [
        {(r["dataset"], r["attribute"]): r["blocks"] for r in d["result"]["attribute_wise"]} for d in (averaged, blocks)
    ]
    assert (on_sets[0]["d0", "eLen"], on_sets[1]["d0", "eLen"]) == (2, 3)
    assert "restarts:blocks" in blocks["signature"]
    assert "blocks of the tests" in " ".join(run("study", "--config", "c.toml", "--restarts", "blocks").out.split())


def test_groups(several: Path, run: Run) -> None:
    found = document(run("study", "--config", "c.toml", "--group-by", "eCon", "--group-by", "sLen", "--json", "-"))
    check_result(found)
    rows = found["result"]["diagnoses"]
    assert {r["group"] for r in rows} == {None, "low eCon", "high eCon", "low sLen", "high sLen"}
    groups = {r["group"]: r["datasets"] for r in rows if r["group"]}
    assert all(len(members) == 2 for members in groups.values())
    assert sorted(groups["low eCon"] + groups["high eCon"]) == ["d0", "d1", "d2", "d3"]
    shown = run("study", "--config", "c.toml", "--group-by", "eCon").out
    assert "data sets with low eCon" in shown
    assert "data sets with high eCon" in shown


def test_an_attribute_of_ones_own(several: Path, write: Write, run: Run) -> None:
    write("mine.py", 'def letters(units):\n    """letters"""\n    return units["text"].str.len_chars()\n')
    found = document(run("study", "--config", "c.toml", "-a", "mine.py:letters", "-a", "eLen", "--json", "-"))
    assert list(found["result"]["attributes"]) == ["letters", "eLen"]
    text = (several / "c.toml").read_text(encoding="utf-8")
    write("d.toml", 'attribute = ["mine.py:letters", "eLen"]\ncompare = [["b", "a"]]\nbuckets = 3\n' + text)
    own = document(run("study", "--config", "d.toml", "--json", "-"))
    assert list(own["result"]["attributes"]) == ["letters", "eLen"]
    assert {(r["a"], r["b"]) for r in own["result"]["diagnoses"] if r["b"]} == {("b", "a")}
    assert {r["place"] for r in own["result"]["performance"]} == {0, 1, 2}


@pytest.mark.parametrize("resamples", ["0", "20"])
@pytest.mark.parametrize("number", [1, 4])
def test_a_data_set_without_gold_units(number: int, resamples: str, several: Path, run: Run) -> None:
    text = (several / "c.toml").read_text(encoding="utf-8")
    parts = text.replace("resamples = 0\n", "").split("[[dataset]]")[1 : number + 1]
    own = ' \nname = "none"\ngold = "empty.conll"\nsystems = {a = "empty.conll", b = "empty.conll"}\n'
    (several / "e.toml").write_text("".join(f"[[dataset]]{part}" for part in (*parts, own)), encoding="utf-8")
    ran = run("study", "--config", "e.toml", "--resamples", resamples, "--json", "-")
    assert any("none: gold has no units" in w for w in warnings(ran)), ran.err
    found = document(ran)
    means = {(h["system"], h["dataset"]): h["value"] for h in found["result"]["holistic"]}
    assert means["a", "none"] is None
    others = [means["a", f"d{k}"] for k in range(number)]
    assert means["a", None] == pytest.approx(sum(others) / number)
    assert run("study", "--config", "e.toml", "--resamples", resamples, "--latex", "x", "--markdown", "y").code == 0


def test_a_data_set_without_training_file(several: Path, run: Run) -> None:
    text = (several / "c.toml").read_text(encoding="utf-8")
    (several / "e.toml").write_text(text.replace('train = "2/b1.conll"\n', ""), encoding="utf-8")
    ran = run("study", "--config", "e.toml", "--json", "-")
    found = document(ran)
    assert set(found["data"]["absent"]) == {"d1"}
    assert "eCon" in found["data"]["absent"]["d1"]
    there = {r["dataset"] for r in found["result"]["attribute_wise"] if r["attribute"] == "eCon"}
    assert there == {"d0", "d2", "d3"}
    shown = " ".join(run("study", "--config", "e.toml").out.split())
    assert re.search(r"d1, left out: .*eCon.*--train FILE", shown)


def test_all_values_equal(several: Path, run: Run) -> None:
    text = (several / "c.toml").read_text(encoding="utf-8")
    (several / "one.conll").write_text("a\tB-X\nb\tO\n\nc\tB-X\nd\tO\n\ne\tB-X\nf\tO\n", encoding="utf-8")
    more = '[[dataset]]\nname = "flat"\ngold = "one.conll"\nsystems = {a = "one.conll", b = "one.conll"}\n'
    (several / "e.toml").write_text(text + more, encoding="utf-8")
    ran = run("study", "--config", "e.toml", "-a", "sLen", "--json", "-")
    assert any(w.startswith("flat: one bucket only") and "sLen" in w for w in warnings(ran)), ran.err
    check_result(document(ran))


# ---------------------------------------------------------------------- wrong input

BAD: dict[str, tuple[tuple[object, ...], str]] = {
    "unknown restarts": (("--restarts", "blokcs"), r"unknown value 'blokcs' for restarts; did you mean 'blocks'\?"),
    "restarts of score": (
        ("--restarts", "each"),
        r"unknown value 'each' for restarts; there are: average, blocks, first",
    ),
    "unknown attribute": (("-a", "eLne"), r".*unknown attribute 'eLne'; did you mean 'eLen'\?"),
    "attribute of another task": (("-a", "tokens"), r".*the attribute 'tokens' is for .*but the task is spans; use"),
    "unknown group": (("--group-by", "eCno"), r"data set d0: unknown attribute 'eCno'; did you mean 'eCon'\?"),
    "group by what has no mean": (
        ("--group-by", "label"),
        r"label has a mean on 0 data sets; grouping needs two or more",
    ),
    "unknown system": (("--compare", "a,q"), r"no system 'q' to compare; there are: a, b"),
    "one system": (("--compare", "a"), r"'a' does not name two; write --compare A,B"),
    "a system with itself": (("--compare", "a,a"), r"'a,a' are not two systems; write --compare A,B"),
    "cuts not increasing": (("--cuts", "eLen=2,1"), r"cuts of eLen are not increasing: 2 comes before 1; write"),
    "one bucket": (("--buckets", "1"), r".*1 buckets?; expected 2 to 100"),
    "a metric that is no sum": (
        ("--metric", "macro-f1"),
        r".*buckets are compared by .*not by macro-f1; use one of: f1",
    ),
    "unknown data set": (("--name", "d9"), r"c\.toml: no data set 'd9'; .*d0"),
    "LaTeX under a file": (("--latex", "l.txt/x"), r"l\.txt/x: cannot be written: .*; make it, or choose another path"),
    "Markdown under a file": (("--markdown", "l.txt/x"), r"l\.txt/x: cannot be written"),
    "LaTeX a file": (("--latex", "l.txt"), r"l\.txt: cannot be written"),
    "CSV a file": (("--csv", "l.txt"), r"l\.txt: cannot be written"),
    "JSON into a missing folder": (("--json", "no/x.json"), r"no/x\.json: cannot be written"),
    "JSON over the settings": (("--json", "c.toml"), r"c\.toml: is read and would be written over"),
    "JSON over a system": (("--json", "0/a.conll"), r"0/a\.conll: is read and would be written over"),
    "a function that raises": (("-a", "bad.py:f"), r"bad\.py:3: the attribute function 'f' raised KeyError.*; mend"),
}


def check(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1, ran.err
    assert re.match(f"slicewise: {message}", ran.err), ran.err


@pytest.mark.parametrize("case", BAD)
def test_one_line_that_says_what_to_do(case: str, several: Path, write: Write, run: Run) -> None:
    write("bad.py", "def f(units):\n    known = {}\n    return known['x']\n")
    arguments, message = BAD[case]
    extra = [("--json", "-"), ("--csv", "out/a"), ("--latex", "out/b"), ("--markdown", "out/c")]
    given = [part for pair in extra if pair[0] not in arguments for part in pair]
    before = {path: path.read_bytes() for path in several.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    check(run("study", "--config", "c.toml", *arguments, *given), message)
    after = {path: path.read_bytes() for path in several.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert after == before


SETTINGS: dict[str, tuple[str, str]] = {
    "tasks mixed": (
        (
            '[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n'
            '[[dataset]]\nname = "y"\ngold = "l.txt"\nsystems = {a = "l.txt"}\n'
        ),
        r"the data sets are of different tasks \(x: spans, y: labels\); study those of one task at a time",
    ),
    "the same name twice": (
        '[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n' * 2,
        r"c\.toml: two data sets are called 'x'; give each its own name",
    ),
    "the same name of files": (
        (
            '[[dataset]]\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n'
            '[[dataset]]\ngold = "1/gold.conll"\nsystems = {a = "1/a.conll"}\n'
        ),
        r".*two data sets are called 'gold'; give each its own name",
    ),
    "named and by its file": (
        (
            '[[dataset]]\nname = "gold"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n'
            '[[dataset]]\ngold = "1/gold.conll"\nsystems = {a = "1/a.conll"}\n'
        ),
        r".*two data sets are called 'gold'; give each its own name",
    ),
    "cuts not increasing": (
        '[cuts]\neLen = [2, 1]\n[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n',
        r".*cuts of eLen are not increasing: 2 comes before 1",
    ),
    "attribute without training": (
        (
            'attribute = "eCon"\n[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n'
            '[[dataset]]\nname = "y"\ngold = "1/gold.conll"\ntrain = "0/gold.conll"\nsystems = {a = "1/a.conll"}\n'
        ),
        r"data set x: the attribute 'eCon' needs training data",
    ),
    "compare one": (
        'compare = [["a"]]\n[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "0/a.conll"}\n',
        r".*'a' .*two",
    ),
    "files that do not fit": (
        '[[dataset]]\nname = "x"\ngold = "0/gold.conll"\nsystems = {a = "empty.conll"}\n',
        r".*empty\.conll.*",
    ),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings(case: str, several: Path, run: Run) -> None:
    content, message = SETTINGS[case]
    (several / "c.toml").write_text(content, encoding="utf-8")
    check(run("study", "--config", "c.toml", "--json", "-"), message)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(several: Path, run: Run) -> None:
    (several / "closed").mkdir(mode=0o500)
    for option in ("--latex", "--markdown", "--csv"):
        check(run("study", "--config", "c.toml", option, "closed/x"), r"closed/x: cannot be written")


def test_a_place_that_cannot_be_written(several: Path, run: Run) -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("there is no /proc")
    for option in ("--latex", "--markdown", "--csv"):
        check(
            run("study", "--config", "c.toml", option, "/proc/slicewise"),
            r"/proc/slicewise: cannot be written.*; choose",
        )


def test_nothing_to_study(run: Run) -> None:
    check(run("study"), r"no system to evaluate; add --system NAME=FILE")


# ---------------------------------------------------------------------- hostile names

HOSTILE = (
    "<script>alert(1)</script>", "^x$", "*", "{units}", "%s%d", "../../up", "a/b", "\\input{x}", "$x_1^2$ & #",
    "[bold]",
    "\N{RIGHT-TO-LEFT OVERRIDE}abc", "\x1b[31mred", "|", "news", "NEWS", "CON", ".hidden", "{", "}}",
)  # fmt: skip


def test_hostile_names_of_data_sets_and_systems(several: Path, run: Run) -> None:
    """Nothing leaves its folder, no file is lost, LaTeX stays whole, and the terminal is not touched."""
    blocks = []
    for k, name in enumerate(HOSTILE):
        systems = f'{json.dumps(HOSTILE[k - 1])} = "{k % 4}/a.conll", t = ["{k % 4}/b1.conll", "{k % 4}/b2.conll"]'
        blocks.append(f'[[dataset]]\nname = {json.dumps(name)}\ngold = "{k % 4}/gold.conll"\nsystems = {{{systems}}}\n')
    (several / "h.toml").write_text("".join(blocks).replace("\\u001b", "\\u001B"), encoding="utf-8")
    before = {path for path in several.rglob("*") if path.is_file()}
    outputs = ("--latex", "deep/er/tex", "--markdown", "deep/er/md", "--csv", "deep/er/csv")
    ran = run("study", "--config", "h.toml", "-a", "eLen,label", "--resamples", "0", *outputs)
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    made = {path for path in several.rglob("*") if path.is_file()} - before
    assert all(path.parent.parent == several / "deep" / "er" for path in made)
    assert len({path.name.lower() for path in made if path.suffix == ".tex"}) == len(
        [p for p in made if p.suffix == ".tex"]
    )
    performance = [path for path in made if path.suffix == ".tex" and path.name.startswith("performance")]
    assert len(performance) == len(HOSTILE)
    for path in made:
        text = path.read_text(encoding="utf-8")
        assert "\x1b" not in text or path.suffix == ".csv"
        if path.suffix == ".tex":
            assert balanced(text.replace(r"\textbackslash{}", "")), path
            assert r"\input{x}" not in text
        if path.suffix == ".md":
            assert "<script>" not in text
    found = document(run("study", "--config", "h.toml", "-a", "eLen,label", "--resamples", "0", "--json", "-"))
    assert found["result"]["datasets"] == list(HOSTILE)
    check_result(found)


def test_a_very_long_name(several: Path, run: Run) -> None:
    """The name of a data set is cut where it names a file, not refused after all the work."""
    text = (several / "c.toml").read_text(encoding="utf-8").replace('"d1"', f'"{"w" * 400}"')
    (several / "h.toml").write_text(text, encoding="utf-8")
    ran = run("study", "--config", "h.toml", "-a", "eLen", "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    names = [path.name for path in (several / "tex").iterdir()]
    assert len([name for name in names if name.startswith("performance")]) == 4
    assert len(list((several / "md").iterdir())) == len(names)
