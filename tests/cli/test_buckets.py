"""`slicewise buckets` and `attributes` through the real command: the examples, own attributes, wrong input."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import Ran, Run, Write, document_of, strict, warnings

from slicewise.attributes import catalogue

if TYPE_CHECKING:
    from pathlib import Path

Examples = Callable[[str], tuple[object, ...]]

PRF = {"n_gold", "n_pred", "tp", "precision", "recall", "f1", "ci"}
SHARES = ("precision", "recall", "f1")
ATTRIBUTE = {"kind", "unit", "zeta", "cuts", "buckets", "systems"}
BUCKET = {"name", "lo", "hi", "value", "systems"}
DIAGNOSIS = {"spearman", "std", "best", "worst", "gap", "raw_gap"}
EXTREME = {"bucket", "difference", "ci", "p", "q"}


document = partial(document_of, "buckets")


def check_result(found: Any) -> None:
    """Check the names and shapes that scripts rely on, and that buckets hold everything once."""
    result, systems = found["result"], set(found["data"]["systems"])
    assert {"attributes", "comparisons"} <= set(result)
    assert result["attributes"]
    for name, attribute in result["attributes"].items():
        assert set(attribute) >= ATTRIBUTE, name
        assert attribute["unit"] in ("span", "token", "item")
        assert attribute["cuts"] == sorted(set(attribute["cuts"]))
        assert attribute["zeta"] is None or math.isfinite(attribute["zeta"])
        names = [bucket["name"] for bucket in attribute["buckets"]]
        assert len(set(names)) == len(names), name
        for bucket in attribute["buckets"]:
            assert set(bucket) >= BUCKET
            assert set(bucket["systems"]) == systems
            for scored in bucket["systems"].values():
                check_scored(scored)
        for own in attribute["systems"].values():
            assert set(own) >= DIAGNOSIS
            assert own["gap"] is None or 0 <= own["gap"] <= own["raw_gap"] + 1e-12
            assert own["best"] in [*names, None]
            assert own["worst"] in [*names, None]
        assert set(attribute["systems"]) == systems
    for pair in result["comparisons"]:
        assert set(pair) >= {"a", "b", "attribute", "largest", "smallest"}
        assert pair["attribute"] in result["attributes"]
        for extreme in (pair["largest"], pair["smallest"]):
            assert set(extreme) >= EXTREME
            assert extreme["q"] is None or extreme["q"] >= extreme["p"]


def check_scored(scored: Any) -> None:
    if "n_gold" not in scored:
        assert set(scored) >= {"n", "value", "ci"}
        assert (scored["value"] is None) == (scored["n"] == 0)
        return
    assert set(scored) >= PRF
    assert scored["tp"] <= min(scored["n_gold"], scored["n_pred"])
    expected = {
        "precision": scored["tp"] / scored["n_pred"] if scored["n_pred"] else None,
        "recall": scored["tp"] / scored["n_gold"] if scored["n_gold"] else None,
        "f1": 2 * scored["tp"] / whole if (whole := scored["n_pred"] + scored["n_gold"]) else None,
    }
    for name, value in expected.items():
        assert scored[name] == (None if value is None else pytest.approx(value))


@pytest.fixture(scope="session")
def data(examples: Path) -> Examples:
    """The options that name one of the examples."""
    news, text, labels = examples / "news", examples / "translation", examples / "sentiment"
    topics, log = examples / "topics", examples / "questions" / "log.jsonl"
    entities: tuple[object, ...] = (
        "--gold", news / "test.conll", "--train", news / "train.conll",
        "--system", f"hmm={news / 'systems' / 'hmm.conll'}", "--system", f"crf={news / 'systems' / 'crf.1.conll'}",
    )  # fmt: skip
    every: dict[str, tuple[object, ...]] = {
        "spans": entities,
        "tokens": (*entities, "--task", "tokens"),
        "labels": (
            "--gold", f"{labels / 'test.tsv'}:2", "--input", f"{labels / 'test.tsv'}:1",
            "--train", labels / "train.tsv",
            "--system", f"bayes={labels / 'systems' / 'bayes.txt'}",
            "--system", f"lexicon={labels / 'systems' / 'lexicon.txt'}",
        ),
        "multilabel": (
            "--gold", topics / "test.jsonl", "--train", topics / "train.jsonl",
            "--system", f"bayes={topics / 'systems' / 'bayes.jsonl'}",
            "--system", f"perceptron={topics / 'systems' / 'perceptron.txt'}",
        ),
        "text": (
            "--gold", text / "test.ref", "--input", text / "test.src", "--train", text / "train.src", "--task", "text",
            "--metric", "exact-match",
            "--system", f"phrase={text / 'systems' / 'phrase.txt'}",
            "--system", f"memory={text / 'systems' / 'memory.txt'}",
        ),
        "scores": (
            "--task", "scores", "--input", f"{log}:question",
            "--system", f"parser={log}:parser.correct", "--system", f"keywords={log}:keywords.correct",
        ),
    }  # fmt: skip
    return lambda task: every[task]


# ---------------------------------------------------------------------- the examples


@pytest.mark.parametrize("task", ["spans", "tokens", "labels", "multilabel", "text", "scores"])
def test_every_task(task: str, data: Examples, run: Run, tmp_path: Path) -> None:
    ran = run("buckets", *data(task), "--resamples", "0", "--json", tmp_path / "x.json")
    assert ran.code == 0, ran.err
    found = strict((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert found["data"]["task"] == task
    check_result(found)
    attributes = found["result"]["attributes"]
    expected = {
        "spans": {"label", "eLen", "sLen", "eDen", "oDen", "eFre", "eCon", "tFre", "tCon", "col2"},
        "tokens": {"label", "sLen", "oDen", "tFre", "tCon", "col2"},
        "labels": {"label", "tokens", "oov"},
        "multilabel": {"label", "labels", "tokens", "source", "year"},
        "text": {"tokens", "oov", "refRatio", "outRatio"},
        "scores": {"tokens", "category", "difficulty"},
    }
    assert expected[task] <= set(attributes)
    units = {attribute["unit"] for attribute in attributes.values()}
    assert units == {"spans": {"span", "token"}, "tokens": {"token"}}.get(task, {"item"})
    assert all(f"{name}: " in ran.out for name in expected[task] - {"col2", "outRatio"}), ran.out


@pytest.mark.parametrize("task", ["spans", "tokens", "labels", "multilabel"])
def test_buckets_sum_to_what_score_counts(task: str, data: Examples, run: Run) -> None:
    found = document(run("buckets", *data(task), "--resamples", "0", "--json", "-"))
    scored = strict(run("score", *data(task), "--resamples", "0", "--json", "-").out)
    unit = {"spans": "span", "tokens": "token"}.get(task, "item")
    for name, attribute in found["result"]["attributes"].items():
        if attribute["unit"] != unit or name in ("confidence",):
            continue
        for system in found["data"]["systems"]:
            own = [bucket["systems"][system] for bucket in attribute["buckets"]]
            micro = scored["result"]["systems"][system]["micro"]
            for key in ("n_gold", "n_pred", "tp"):
                assert sum(bucket[key] for bucket in own) == micro[key], (name, system, key)


def test_intervals_and_tests(data: Examples, run: Run) -> None:
    found = document(run("buckets", *data("spans"), "--attribute", "eLen,eCon", "--resamples", "50", "--json", "-"))
    check_result(found)
    for attribute in found["result"]["attributes"].values():
        for bucket in attribute["buckets"]:
            for own in bucket["systems"].values():
                for name in SHARES:
                    lo, hi = own["ci"][name]
                    assert 0 <= lo <= hi <= 1
        assert all(own["p"] <= own["q"] for own in attribute["systems"].values())
    pairs = found["result"]["comparisons"]
    assert [(p["a"], p["b"], p["attribute"]) for p in pairs] == [("crf", "hmm", "eLen"), ("crf", "hmm", "eCon")]
    for pair in pairs:
        assert pair["largest"]["difference"] >= pair["smallest"]["difference"]
        assert all(0 < pair[side]["p"] <= 1 for side in ("largest", "smallest"))
    assert found["result"]["inference"]["interval"]


def test_no_resamples_no_intervals(data: Examples, run: Run) -> None:
    """The pairs carry the difference alone."""
    found = document(run("buckets", *data("spans"), "--attribute", "eLen", "--resamples", "0", "--json", "-"))
    for bucket in found["result"]["attributes"]["eLen"]["buckets"]:
        assert all(own["ci"] is None for own in bucket["systems"].values())
    (pair,) = found["result"]["comparisons"]
    for side in (pair["largest"], pair["smallest"]):
        assert (side["ci"], side["p"], side["q"]) == (None, None, None)
        assert side["difference"] is not None
    assert "[" not in run("buckets", *data("spans"), "--attribute", "eLen", "--resamples", "0").out


def test_attributes_are_those_named(data: Examples, run: Run) -> None:
    options = (*data("spans"), "--resamples", "0", "--json", "-")
    found = document(run("buckets", *options, "--attribute", "eLen", "--attribute", "sLen,eCon"))
    assert list(found["result"]["attributes"]) == ["eLen", "sLen", "eCon"]
    assert list(document(run("buckets", *options, "-a", "eCon.v1"))["result"]["attributes"]) == ["eCon"]
    core = document(run("buckets", *options, "--attribute", "core"))["result"]["attributes"]
    assert set(core) == {"label", "eLen", "sLen", "eDen", "oDen", "eFre", "tFre", "eCon", "tCon"}
    every = document(run("buckets", *options, "--attribute", "all"))["result"]["attributes"]
    assert set(every) > set(core)


def test_six_buckets(data: Examples, run: Run) -> None:
    found = document(
        run("buckets", *data("spans"), "-a", "eLen,sLen,eCon,eFre", "--buckets", "6", "--resamples", "0", "--json", "-")
    )
    check_result(found)
    attributes = found["result"]["attributes"]
    assert {name: len(a["buckets"]) for name, a in attributes.items()} == dict.fromkeys(attributes, 6)
    assert attributes["eLen"]["cuts"] == [1, 2, 3, 4, 5]
    assert [attributes["eCon"]["buckets"][k]["value"] for k in (0, -1)] == [0, 1]
    assert "buckets:6" in found["signature"]


def test_cuts(data: Examples, run: Run) -> None:
    options = (*data("spans"), "--resamples", "0", "--json", "-", "-a", "eLen,sLen,eDen")
    found = document(run("buckets", *options, "--cuts", "eLen=1,2,3,5", "--cuts", "sLen=width(3)"))
    check_result(found)
    eLen, sLen = (found["result"]["attributes"][name] for name in ("eLen", "sLen"))
    assert eLen["cuts"] == [1, 2, 3, 5]
    assert [(b["lo"], b["hi"]) for b in eLen["buckets"]] == [(None, 1), (1, 2), (2, 3), (3, 5), (5, None)]
    low, high = sLen["cuts"]
    assert len(sLen["buckets"]) == 3
    assert high > low
    assert "cuts:eLen=1,2,3,5" in found["signature"]
    plain = document(run("buckets", *options))
    assert plain["result"]["attributes"]["eDen"] == found["result"]["attributes"]["eDen"]
    assert plain["signature"] != found["signature"]


def test_two_attributes_crossed(data: Examples, run: Run) -> None:
    options = (*data("spans"), "--resamples", "0", "--json", "-", "-a", "eLen")
    found = document(run("buckets", *options, "--cross", "eLen,eCon"))
    check_result(found)
    assert list(found["result"]["attributes"]) == ["eLen", "eLen × eCon"]
    length, crossed = found["result"]["attributes"].values()
    assert len(crossed["buckets"]) == 16
    assert crossed["kind"] == "category"
    for k, bucket in enumerate(length["buckets"]):
        cells = crossed["buckets"][4 * k : 4 * k + 4]
        assert all(cell["name"].startswith(f"{bucket['name']} × ") for cell in cells)
        for key in ("n_gold", "n_pred", "tp"):
            assert sum(cell["systems"]["crf"][key] for cell in cells) == bucket["systems"]["crf"][key]


def test_cuts_shared_by_two_data_sets(examples: Path, run: Run) -> None:
    options = ("--config", examples / "slicewise.toml", "-a", "sLen,eDen,label", "--resamples", "0", "--json", "-")
    shared, own = (strict(run("buckets", *options, *more).out) for more in (("--shared-cuts",), ()))
    assert [part["data"]["name"] for part in shared["datasets"]] == ["news", "chat"]
    for name in ("sLen", "eDen"):
        a, b = (part["result"]["attributes"][name]["cuts"] for part in shared["datasets"])
        assert a == b
        c, d = (part["result"]["attributes"][name]["cuts"] for part in own["datasets"])
        assert c != d
        assert min(c[0], d[0]) <= a[0] <= max(c[0], d[0])
    a, b = ([x["name"] for x in part["result"]["attributes"]["label"]["buckets"]] for part in shared["datasets"])
    assert a == b
    assert {"EVENT", "WORK"} <= set(a)
    assert "shared-cuts" in shared["signature"]
    for part in shared["datasets"]:
        totals = [b["systems"]["hmm"]["n_gold"] for b in part["result"]["attributes"]["sLen"]["buckets"]]
        assert sum(totals) == part["data"]["gold_units"]


def test_pairs_that_were_asked_for(data: Examples, run: Run, examples: Path) -> None:
    options = (*data("spans"), "--system", f"list={examples / 'news' / 'systems' / 'gazetteer.conll'}", "-a", "eLen")
    found = document(run("buckets", *options, "--resamples", "0", "--json", "-"))
    pairs = [(p["a"], p["b"]) for p in found["result"]["comparisons"]]
    assert pairs == [("crf", "hmm"), ("crf", "list"), ("hmm", "list")]
    found = document(run("buckets", *options, "--compare", "list,crf", "--resamples", "0", "--json", "-"))
    (pair,) = found["result"]["comparisons"]
    assert (pair["a"], pair["b"]) == ("list", "crf")
    values = [
        b["systems"]["list"]["f1"] - b["systems"]["crf"]["f1"] for b in found["result"]["attributes"]["eLen"]["buckets"]
    ]
    assert pair["largest"]["difference"] == pytest.approx(max(values))
    assert pair["smallest"]["difference"] == pytest.approx(min(values))


@pytest.mark.parametrize("metric", ["f2", "precision", "recall", "f0.5"])
def test_another_metric(metric: str, data: Examples, run: Run) -> None:
    options = (*data("spans"), "-a", "eLen", "--resamples", "0", "--json", "-")
    found = document(run("buckets", *options, "--metric", metric))
    check_result(found)
    assert found["result"]["metric"] == metric
    attribute = found["result"]["attributes"]["eLen"]
    for system, own in attribute["systems"].items():
        values = [measured(bucket["systems"][system], metric) for bucket in attribute["buckets"]]
        assert own["gap"] == pytest.approx(max(values) - min(values))
        names = [bucket["name"] for bucket in attribute["buckets"]]
        assert (own["best"], own["worst"]) == (names[values.index(max(values))], names[values.index(min(values))])
    shown = run("buckets", *data("spans"), "-a", "eLen", "--resamples", "0", "--metric", metric).out
    assert f"{metric} of entities" in shown
    assert f"{measured(attribute['buckets'][0]['systems']['hmm'], metric):.4f}" in shown


def measured(scored: Any, metric: str) -> float:
    if metric in SHARES:
        return float(scored[metric])
    weight = float(metric[1:]) ** 2
    return float((1 + weight) * scored["tp"] / (weight * scored["n_gold"] + scored["n_pred"]))


def test_accuracy_of_labels(data: Examples, run: Run) -> None:
    """The accuracy in a bucket of items is the share of its items that are right."""
    options = (*data("labels"), "-a", "tokens,label", "--metric", "accuracy", "--resamples", "0", "--json", "-")
    found = document(run("buckets", *options))
    assert found["result"]["metric"] == "accuracy"
    scored = strict(run("score", *data("labels"), "--resamples", "0", "--json", "-").out)["result"]["systems"]
    for name in ("tokens", "label"):
        attribute = found["result"]["attributes"][name]
        for system, own in attribute["systems"].items():
            rows = [b["systems"][system] for b in attribute["buckets"]]
            values = [row["recall"] for row in rows if row["recall"] is not None]
            assert own["gap"] == pytest.approx(max(values) - min(values))
            right = sum(row["tp"] for row in rows) / sum(row["n_gold"] for row in rows)
            assert right == pytest.approx(scored[system]["metrics"]["accuracy"]["value"])
            assert found["result"]["overall"]["item"][system] == pytest.approx(right)


def test_lower_folds_case(write: Write, run: Run) -> None:
    write("t.conll", "ADA\tB-PER\nada\tO\n\n")
    write("g.conll", "Ada\tB-PER\nx\tO\n\nBob\tB-PER\n")
    options = ("--gold", "g.conll", "--system", "s=g.conll", "--train", "t.conll", "-a", "eCon", "--resamples", "0")
    plain, lower = (
        document(run("buckets", *options, *more, "--json", "-"))["result"]["attributes"]["eCon"]["zeta"]
        for more in ((), ("--lower",))
    )
    assert (plain, lower) == (0, 0.25)


def test_undefined_is_null(write: Write, run: Run) -> None:
    """No entity is longer than one token: the other buckets are empty, and nothing is said of them."""
    write("g.conll", "Ada\tB-PER\nx\tO\n\nBob\tB-PER\n")
    found = document(run("buckets", "--gold", "g.conll", "-s", "s=g.conll", "-a", "eLen,label", "--json", "-"))
    check_result(found)
    first, *rest = (bucket["systems"]["s"] for bucket in found["result"]["attributes"]["eLen"]["buckets"])
    assert first["f1"] == 1
    for own in rest:
        assert (own["n_gold"], own["n_pred"], own["tp"]) == (0, 0, 0)
        assert [own[name] for name in SHARES] == [None, None, None]
    system = found["result"]["attributes"]["eLen"]["systems"]["s"]
    assert (system["spearman"], system["best"], system["worst"], system["gap"]) == (None, None, None, None)
    assert found["result"]["attributes"]["label"]["zeta"] is None


def test_csv(data: Examples, run: Run, tmp_path: Path) -> None:
    ran = run("buckets", *data("spans"), "-a", "eLen,label", "--resamples", "50", "--csv", tmp_path / "out")
    assert ran.code == 0
    tables = {}
    for path in (tmp_path / "out").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.name] = list(csv.DictReader(file))
    assert {"buckets.csv", "diagnoses.csv", "comparisons.csv"} <= set(tables) <= {
        "buckets.csv", "diagnoses.csv", "comparisons.csv", "differences.csv", "findings.csv",
    }  # fmt: skip
    found = document(run("buckets", *data("spans"), "-a", "eLen,label", "--resamples", "50", "--json", "-"))
    attributes = found["result"]["attributes"]
    assert len(tables["buckets.csv"]) == 2 * sum(len(a["buckets"]) for a in attributes.values())
    for row in tables["buckets.csv"]:
        own = attributes[row["attribute"]]["buckets"][int(row["place"])]
        assert row["bucket"] == own["name"]
        assert int(row["tp"]) == own["systems"][row["system"]]["tp"]
        assert float(row["f1"]) == own["systems"][row["system"]]["f1"]
        assert float(row["f1_lo"]) == own["systems"][row["system"]]["ci"]["f1"][0]
    assert len(tables["diagnoses.csv"]) == 4
    assert len(tables["comparisons.csv"]) == 4


def test_two_runs_the_same_bytes(data: Examples, run: Run, tmp_path: Path) -> None:
    options = (*data("spans"), "-a", "core", "--cross", "eLen,eCon", "--resamples", "50")
    first, second = (run("buckets", *options, "--json", "-", "--csv", tmp_path / name) for name in ("a", "b"))
    assert first.code == 0
    assert first.out == second.out
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert run("buckets", *options).out == run("buckets", *options).out
    assert run("buckets", *options, "--json", "-", "--seed", "1").out != first.out


def test_json_into_a_file(data: Examples, run: Run, tmp_path: Path) -> None:
    options = (*data("labels"), "-a", "tokens", "--resamples", "0")
    assert run("buckets", *options, "--json", tmp_path / "x.json").code == 0
    assert (tmp_path / "x.json").read_text(encoding="utf-8") == run("buckets", *options, "--json", "-").out


def test_restarts_are_runs_of_their_own(examples: Path, run: Run) -> None:
    folder = examples / "chat"
    options = ("--gold", folder / "test.conll", "-a", "eLen", "--resamples", "0", "--json", "-")
    files = [f"crf={folder / 'systems' / f'crf.{k}.conll'}" for k in (1, 2)]
    files.append(f"hmm={folder / 'systems' / 'hmm.conll'}")
    given = [part for file in files for part in ("--system", file)]
    first, each = (document(run("buckets", *options, *given, *more)) for more in ((), ("--restarts", "each")))
    assert first["data"]["systems"] == ["crf#1", "crf#2", "hmm"]
    assert [(p["a"], p["b"]) for p in first["result"]["comparisons"]] == [("crf#1", "hmm")]
    assert [(p["a"], p["b"]) for p in each["result"]["comparisons"]] == [
        ("crf#1", "crf#2"), ("crf#1", "hmm"), ("crf#2", "hmm"),
    ]  # fmt: skip


def test_every_attribute_is_listed(run: Run) -> None:
    ran = run("attributes")
    assert ran.code == 0
    assert ran.err == ""
    listed = set(re.findall(r"^(\w+)\.v\d+", ran.out, re.MULTILINE))
    assert listed == set(catalogue())
    assert {"eLen", "eDen", "oDen", "eFre", "tFre", "eCon", "tCon", "sLen", "label", "str"} <= listed
    assert "FILE.py:FUNCTION" in ran.out


def test_no_training_file(data: Examples, run: Run) -> None:
    """Attributes from training are absent, and that is said."""
    gold, system = data("spans")[:2], data("spans")[4:]
    ran = run("buckets", *gold, *system, "--resamples", "0", "--json", "-")
    found = document(ran)
    absent = found["result"]["absent"]
    assert {"oDen", "eFre", "tFre", "eCon", "tCon"} <= set(absent)
    assert all("--train" in absent[name] for name in ("oDen", "eCon"))
    assert not set(absent) & set(found["result"]["attributes"])
    shown = " ".join(run("buckets", *gold, *system, "--resamples", "0").out.split())
    assert "Left out: " in shown
    assert "--train FILE" in shown


OF_STRINGS = {"eFre", "eCon", "tCon"}
OF_TRAINING = OF_STRINGS | {"tFre", "oDen", "hapaxTrain"}
TRAININGS = {
    "tags alone": ("B-PER\nO\n\nO\nB-LOC\n", OF_TRAINING),
    "tags alone that are all O": ("O\nO\n\nO\n", OF_TRAINING),
    "lines of tags": ("B-PER O\nO B-LOC\n", OF_TRAINING),
    "no entity": ("Ada\tO\nsang\tO\n", set()),
    "tags of unknown tokens": ('{"text": "Ada sang", "tags": ["B-PER", "O", "O"]}\n', OF_STRINGS),
    "no tag": ('{"text": "Ada", "label": null}\n{"text": "", "label": "B-PER"}\n', OF_STRINGS),
}


@pytest.mark.parametrize("task", ["spans", "tokens"])
@pytest.mark.parametrize("training", TRAININGS)
def test_training_data_that_lacks_something(training: str, task: str, write: Write, run: Run) -> None:
    """Attributes of what it lacks are absent, and that is said; the others are there."""
    content, expected = TRAININGS[training]
    write("train", content)
    write("g.conll", GOLD)
    write("s.conll", SYSTEM)
    found = document(run("buckets", *DATA, "--train", "train", "--task", task, "--json", "-"))["result"]
    of_task = {name for name in OF_TRAINING if task in catalogue()[name].tasks}
    assert {name for name in of_task if name in found["absent"]} == expected & of_task
    assert of_task - expected <= set(found["attributes"])
    assert all("training data with tokens" in found["absent"][name] for name in expected & of_task)
    assert run("difficulty", *DATA, "--train", "train", "--task", task).code == 0


@pytest.mark.parametrize("parts", [(), ("--part-rows", "1")])
@pytest.mark.parametrize("task", ["spans", "tokens"])
def test_words_of_a_text_are_not_the_tokens_of_tags(task: str, parts: tuple[str, ...], write: Write, run: Run) -> None:
    """Tags count tokens that are not given: lengths are theirs, and nothing is said of strings."""
    rows = [{"text": "Ada, met", "tags": ["B-X", "O"]}, {"text": None, "tags": ["O", "B-Y"]}, {"text": "", "tags": []}]
    write("g.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    data = ("--gold", "g.jsonl", "-s", "s=g.jsonl", "--task", task, "--resamples", "0", *parts)
    found = document(run("buckets", *data, "--json", "-"))["result"]
    assert found["attributes"]["sLen"]["zeta"] == 2
    assert "tokens or text" in found["absent"]["str"]
    assert run("difficulty", *data).code == 0


# ---------------------------------------------------------------------- attributes of one's own

OWN = '''\
import numpy as np
import polars as pl


def letters(units):
    """letters of the entity"""
    return [len(text) for text in units["text"]]


def letters_numpy(units):
    return np.array([len(text) for text in units["text"]])


def letters_series(units):
    return units["text"].str.len_chars()


def letters_numbered(units):
    return (len(text) for text in units["text"])


def opening(items):
    return ["capital" if text[:1].isupper() else "small" for text in items["text"]]


def seen(units, train):
    known = set() if train is None else set(train["text"])
    return ["seen" if text in known else "new" for text in units["text"]]


def both(units, items, train):
    lengths = dict(zip(items["item"], items["length"]))
    return [lengths[item] for item in units["item"]]


def with_gaps(units):
    return [None if label == "LOC" else 1.5 for label in units["label"]]


def truth(units):
    return [label == "LOC" for label in units["label"]]


def raises(units):
    size = len(units)

    return size / 0


def raises_deeper(units):
    return raises(units)


def too_short(units):
    return [1]


def too_short_items(items):
    return []


def lists(units):
    return [[1] for _ in range(len(units))]


def objects(units):
    return [object() for _ in range(len(units))]


def tables(units):
    return units


def one_number(units):
    return 3


def text(items):
    return "abc"


def nothing(units):
    pass


def wrong_parameter(rows):
    return rows


def no_parameter():
    return 1


def leaves(units):
    raise SystemExit(3)


def talks(units):
    print("working on it")
    return [1.0] * len(units)


not_a_function = 3
'''
GOLD = (
    "Ada\tN\tB-PER\nmet\tV\tO\n\nbob\tN\tB-PER\nin\tP\tO\nNew\tN\tB-LOC\nYork\tN\tI-LOC\n\nRome\tN\tB-LOC\nis\tV\tO\n"
)
SYSTEM = "Ada\tB-PER\nmet\tO\n\nbob\tO\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n\nRome\tB-PER\nis\tO\n"
DATA = ("--gold", "g.conll", "--system", "s=s.conll", "--system", "t=g.conll", "--resamples", "0")


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write("g.conll", GOLD)
    write("s.conll", SYSTEM)
    write("train.conll", "Rome\tB-LOC\nhas\tO\nAda\tB-PER\n")
    write("l.txt", "a\nb\na\n")
    write("in.txt", "one\ntwo words\nthree of them\n")
    write("mine.py", OWN)
    write("broken.py", "def f(units):\n    return [1,\n\ndef g(units):\n    return 1\n")
    write("imports.py", "\nimport no_such_module_at_all\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["letters", "letters_numpy", "letters_series", "letters_numbered"])
def test_an_attribute_of_numbers_per_unit(name: str, files: Path, run: Run) -> None:
    found = document(run("buckets", *DATA, "--attribute", f"mine.py:{name}", "--json", "-"))
    check_result(found)
    own = found["result"]["attributes"][name]
    assert (own["kind"], own["unit"], own["zeta"]) == ("number", "span", (3 + 3 + 8 + 4) / 4)
    assert own["cuts"] == [3, 4]
    assert [b["systems"]["s"]["n_gold"] for b in own["buckets"]] == [2, 1, 1, 0]
    shown = run("buckets", *DATA, "--attribute", f"mine.py:{name}").out
    assert ("letters: letters of the entity" in shown) == (name == "letters")


def test_an_attribute_of_strings_per_item(files: Path, run: Run) -> None:
    found = document(run("buckets", *DATA, "--attribute", "mine.py:opening", "--json", "-"))
    own = found["result"]["attributes"]["opening"]
    assert own["kind"] == "category"
    assert {b["name"]: b["systems"]["t"]["n_gold"] for b in own["buckets"]} == {"capital": 2, "small": 2}


def test_an_attribute_beside_others_and_crossed(files: Path, run: Run) -> None:
    options = ("-a", "mine.py:letters", "-a", "eLen", "--cuts", "letters=3")
    found = document(run("buckets", *DATA, *options, "--json", "-"))
    assert list(found["result"]["attributes"]) == ["letters", "eLen"]
    assert found["result"]["attributes"]["letters"]["cuts"] == [3]
    crossed = document(run("buckets", *DATA, "-a", "eLen", "--cross", "mine.py:letters,eLen", "--json", "-"))
    assert "letters × eLen" in crossed["result"]["attributes"]


def test_an_attribute_that_reads_training_data(files: Path, run: Run) -> None:
    options = (*DATA, "--attribute", "mine.py:seen", "--json", "-")
    own = document(run("buckets", *options, "--train", "train.conll"))["result"]["attributes"]["seen"]
    assert {b["name"]: b["systems"]["t"]["n_gold"] for b in own["buckets"]} == {"new": 2, "seen": 2}
    own = document(run("buckets", *options))["result"]["attributes"]["seen"]
    assert {b["name"]: b["systems"]["t"]["n_gold"] for b in own["buckets"]} == {"new": 4}
    own = document(run("buckets", *DATA, "-a", "mine.py:both", "--json", "-"))["result"]["attributes"]["both"]
    assert own["zeta"] == (2 + 4 + 4 + 2) / 4


def test_an_attribute_with_gaps_and_one_of_truth_values(files: Path, run: Run) -> None:
    found = document(run("buckets", *DATA, "-a", "mine.py:with_gaps", "-a", "mine.py:truth", "--json", "-"))
    gaps, truth = found["result"]["attributes"].values()
    assert gaps["buckets"][-1]["name"] == "missing"
    assert gaps["buckets"][-1]["systems"]["t"]["n_gold"] == 2
    assert gaps["zeta"] == 1.5
    assert {b["name"]: b["systems"]["t"]["n_gold"] for b in truth["buckets"]} == {"no": 2, "yes": 2}


def test_an_attribute_of_items_that_are_units(files: Path, run: Run) -> None:
    options = ("--gold", "l.txt", "--system", "s=l.txt", "--input", "in.txt", "--resamples", "0")
    found = document(run("buckets", *options, "--attribute", "mine.py:opening", "--json", "-"))
    assert [b["name"] for b in found["result"]["attributes"]["opening"]["buckets"]] == ["small"]


def installed(folder: Path, function: str, code: str) -> str:
    """Install a package that brings the attribute `vowels`."""
    about = folder / "letter_counts-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: letter-counts\nVersion: 1.0\n", encoding="utf-8")
    points = f"[slicewise.attributes]\nvowels = letter_counts:{function}\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    (folder / "letter_counts.py").write_text(code, encoding="utf-8")
    return str(folder)


def test_an_attribute_of_an_installed_package(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def vowels(units):\n    return [sum(c in 'aeiou' for c in text) for text in units['text']]\n"
    monkeypatch.syspath_prepend(installed(files / "site", "vowels", code))
    try:
        found = document(run("buckets", *DATA, "--attribute", "vowels", "--json", "-"))
        assert found["result"]["attributes"]["vowels"]["zeta"] == (1 + 1 + 2 + 2) / 4
        every = document(run("buckets", *DATA, "--json", "-"))
        assert "vowels" in every["result"]["attributes"]
        hint = run("buckets", *DATA, "--attribute", "vowel")
        assert "did you mean 'vowels'?" in hint.err
        monkeypatch.syspath_prepend(installed(files / "newer", "no_such", code))
        check(run("buckets", *DATA, "--attribute", "vowels"), r".*'vowels' of an installed package cannot be loaded")
    finally:
        sys.modules.pop("letter_counts", None)


# ---------------------------------------------------------------------- wrong input

TRAINED = (*DATA, "--train", "train.conll")
LABELS = ("--gold", "l.txt", "--system", "s=l.txt", "--resamples", "0")
LINES = {found[1]: OWN[: found.start()].count("\n") + 1 for found in re.finditer(r"^def (\w+)", OWN, re.MULTILINE)}
"""Where each function begins."""

BAD: dict[str, tuple[tuple[object, ...], str]] = {
    "unknown attribute": (
        (*TRAINED, "-a", "eCno"),
        r"unknown attribute 'eCno'; did you mean 'eCon'\? there are: label, ",
    ),
    "unknown attribute of training": ((*DATA, "-a", "eCno"), r"unknown attribute 'eCno'; did you mean 'eCon'\?"),
    "unknown attribute with markup": ((*DATA, "-a", "[bold]<b>"), r"unknown attribute '\[bold\]<b>'; there are: "),
    "attribute of another task": (
        (*DATA, "-a", "tokens"),
        r"the attribute 'tokens' is for .*but the task is spans; use",
    ),
    "attribute of spans for labels": (
        (*LABELS, "-a", "eLen"),
        r"the attribute 'eLen' is for spans, but the task is labels",
    ),
    "attribute without training": (
        (*DATA, "-a", "eCon"),
        r"the attribute 'eCon' needs training data.*; add --train FILE",
    ),
    "attribute without text": ((*LABELS, "-a", "tokens"), r"the attribute 'tokens' needs .*; add --input FILE"),
    "crossed without training": (
        (*DATA, "--cross", "eLen,eCon"),
        r"the attribute 'eCon' needs training data.*--train FILE",
    ),
    "another version": ((*DATA, "-a", "eLen.v7"), r"there is no version 7 of the attribute 'eLen'; there is eLen\.v1"),
    "cuts not increasing": ((*DATA, "--cuts", "eLen=3,2"), r"cuts of eLen are not increasing: 3 comes before 2; write"),
    "cuts twice the same": ((*DATA, "--cuts", "eLen=2,2"), r"cuts of eLen are not increasing: 2 comes before 2; write"),
    "cuts no numbers": ((*DATA, "--cuts", "eLen=a,b"), r"cuts of eLen: 'a,b' are no cuts; expected numbers"),
    "cuts infinite": ((*DATA, "--cuts", "eLen=1,inf"), r"cuts of eLen: .*; expected finite numbers"),
    "cuts NaN": ((*DATA, "--cuts", "eLen=nan"), r"cuts of eLen: .*; expected finite numbers"),
    "cuts empty": ((*DATA, "--cuts", "eLen="), r"'eLen=' is not of the form ATTR=CUTS; write --cuts eLen=1,2"),
    "cuts without attribute": ((*DATA, "--cuts", "1,2"), r"'1,2' is not of the form ATTR=CUTS; write --cuts eLen=1,2"),
    "cuts of what is not there": ((*DATA, "--cuts", "sLne=3"), r".*attribute 'sLne'.*; did you mean 'sLen'\?"),
    "cuts into one part": ((*DATA, "--cuts", "eLen=quantile(1)"), r".*expected 2 to 100"),
    "no buckets": ((*DATA, "--buckets", "0"), r"0 buckets; expected 2 to 100"),
    "one bucket": ((*DATA, "--buckets", "1"), r"1 buckets?; expected 2 to 100"),
    "too many buckets": ((*DATA, "--buckets", "1000"), r"1,?000 buckets; expected 2 to 100"),
    "buckets a word": ((*DATA, "--buckets", "four"), r".*--buckets.*--help"),
    "unknown system": ((*DATA, "--compare", "s,q"), r"no system 'q' to compare; there are: s, t"),
    "one system": ((*DATA, "--compare", "s"), r"'s' does not name two; write --compare A,B"),
    "three systems": ((*DATA, "--compare", "s,t,s"), r"'s,t,s' does not name two; write --compare A,B"),
    "a system with itself": ((*DATA, "--compare", "s,s"), r"'s,s' are not two systems; write --compare A,B"),
    "one attribute crossed": ((*DATA, "--cross", "eLen"), r"'eLen' does not name two; write --cross A,B"),
    "unknown attribute crossed": ((*DATA, "--cross", "eLen,sLne"), r"unknown attribute 'sLne'; did you mean 'sLen'\?"),
    "entities and tokens crossed": (
        (*TRAINED, "--cross", "eLen,tFre"),
        r"eLen is of entities and tFre of tokens; cross two attributes of the same",
    ),
    "a metric that is no sum": (
        (*DATA, "--metric", "macro-f1"),
        r"buckets are compared by .*not by macro-f1; use one of: f1",
    ),
    "kappa in buckets": ((*LABELS, "--metric", "kappa"), r"buckets are compared by .*not by kappa; use one of: "),
    "a metric of another task": (
        (*DATA, "--metric", "accuracy"),
        r"the metric 'accuracy' is for .*but the task is spans",
    ),
    "an unknown metric": ((*DATA, "--metric", "recal"), r"unknown metric 'recal'; did you mean 'recall'\?"),
    "unknown restarts": ((*DATA, "--restarts", "frist"), r"unknown value 'frist' for restarts; did you mean 'first'\?"),
    "a function that raises": (
        (*DATA, "-a", "mine.py:raises"),
        rf"mine\.py:{LINES['raises'] + 3}: the attribute function 'raises' raised ZeroDivisionError: division by zero;",
    ),
    "a function that calls one that raises": (
        (*DATA, "-a", "mine.py:raises_deeper"),
        rf"mine\.py:{LINES['raises'] + 3}: the attribute function 'raises_deeper'",
    ),
    "too few values": (
        (*DATA, "-a", "mine.py:too_short"),
        rf"mine\.py:{LINES['too_short']}: the .* function 'too_short' returned 1 value; expected one per unit, 5",
    ),
    "too few values of items": (
        (*DATA, "-a", "mine.py:too_short_items"),
        rf"mine\.py:{LINES['too_short_items']}: .*'too_short_items' returned 0 values; expected one per item, 3",
    ),
    "lists": (
        (*DATA, "-a", "mine.py:lists"),
        rf"mine\.py:{LINES['lists']}: .*'lists'.*lists.*; expected plain numbers or",
    ),
    "objects": (
        (*DATA, "-a", "mine.py:objects"),
        rf"mine\.py:{LINES['objects']}: .*'objects'.*; expected plain numbers or",
    ),
    "tables": ((*DATA, "-a", "mine.py:tables"), rf"mine\.py:{LINES['tables']}: .*'tables'"),
    "one number": ((*DATA, "-a", "mine.py:one_number"), rf"mine\.py:{LINES['one_number']}: .*'one_number'"),
    "one text": ((*DATA, "-a", "mine.py:text"), rf"mine\.py:{LINES['text']}: .*'text'"),
    "nothing": ((*DATA, "-a", "mine.py:nothing"), rf"mine\.py:{LINES['nothing']}: .*'nothing'"),
    "a function that leaves": (
        (*DATA, "-a", "mine.py:leaves"),
        rf"mine\.py:{LINES['leaves'] + 1}: .*'leaves' raised SystemExit",
    ),
    "a wrong parameter": (
        (*DATA, "-a", "mine.py:wrong_parameter"),
        rf"mine\.py:{LINES['wrong_parameter']}: .*has the parameter 'rows'; expected some of units, items, train",
    ),
    "no parameter": (
        (*DATA, "-a", "mine.py:no_parameter"),
        rf"mine\.py:{LINES['no_parameter']}: .*has no parameter; expected some of units",
    ),
    "no such file": ((*DATA, "-a", "yours.py:letters"), r"yours\.py: there is no such file; check the path"),
    "no such function": (
        (*DATA, "-a", "mine.py:leters"),
        r"mine\.py: no function 'leters' in it; did you mean 'letters'\?",
    ),
    "no function": ((*DATA, "-a", "mine.py:not_a_function"), r"mine\.py: no function 'not_a_function' in it; "),
    "no name of a function": ((*DATA, "-a", "mine.py:"), r"mine\.py: .*"),
    "wrong Python": ((*DATA, "-a", "broken.py:f"), r"broken\.py:2: is not valid Python: .*; mend the line"),
    "a module that is not there": (
        (*DATA, "-a", "imports.py:f"),
        r"imports\.py:2: .*No module named 'no_such_module_at_all'",
    ),
    "CSV under a file": ((*DATA, "--csv", "g.conll/x"), r"g\.conll/x: cannot be written"),
    "JSON into a missing folder": ((*DATA, "--json", "no/x.json"), r"no/x\.json: cannot be written"),
    "JSON over the gold standard": ((*DATA, "--json", "g.conll"), r"g\.conll: is read and would be written over"),
}


def check(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1, ran.err
    assert ran.err.endswith("\n")
    assert re.match(f"slicewise: {message}", ran.err), ran.err


@pytest.mark.parametrize("case", BAD)
def test_one_line_that_says_what_to_do(case: str, files: Path, run: Run) -> None:
    arguments, message = BAD[case]
    before = sorted(path.name for path in files.iterdir() if path.name != "__pycache__")
    extra = () if {"--json", "--csv"} & set(arguments) else ("--json", "-", "--csv", "out/tables")
    check(run("buckets", *arguments, *extra), message)
    assert sorted(path.name for path in files.iterdir() if path.name != "__pycache__") == before


def test_what_the_user_cuts_is_shown(files: Path, run: Run) -> None:
    ran = run("buckets", *DATA, "-a", "eLen", "--cuts", "sLen=3", "--json", "-")
    assert list(document(ran)["result"]["attributes"]) == ["eLen", "sLen"]
    assert document(ran)["result"]["attributes"]["sLen"]["cuts"] == [3.0]


def test_too_many_crossed_buckets(files: Path, run: Run) -> None:
    cuts = (
        "--cuts",
        "sLen=" + ",".join(map(str, range(1, 60))),
        "--cuts",
        "eChars=" + ",".join(map(str, range(1, 60))),
    )
    check(run("buckets", *DATA, *cuts, "--cross", "sLen,eChars"), r"sLen × eChars has 3,600 buckets; expected at most")


def test_text_needs_a_metric(files: Path, run: Run) -> None:
    options = ("--gold", "in.txt", "--system", "s=in.txt", "--task", "text", "--resamples", "0")
    check(run("buckets", *options), r"the task text needs a metric; add --metric NAME")


def test_an_own_attribute_may_print(files: Path, run: Run) -> None:
    """`--json -` prints valid JSON or nothing, whatever the user's function prints."""
    document(run("buckets", *DATA, "-a", "mine.py:talks", "--json", "-"))


# ---------------------------------------------------------------------- where work goes on


def test_all_values_equal(write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\nb\tO\n\nc\tB-X\nd\tO\n\ne\tO\nf\tB-X\n")
    ran = run("buckets", "--gold", "g.conll", "-s", "s=g.conll", "-a", "sLen,eLen", "--resamples", "0", "--json", "-")
    assert any("one bucket only" in w and "equal" in w and "sLen, eLen" in w for w in warnings(ran)), ran.err
    own = document(ran)["result"]["attributes"]["sLen"]
    assert [b["systems"]["s"]["n_gold"] for b in own["buckets"]] == [3, 0, 0, 0]


@pytest.mark.parametrize("resamples", ["0", "20"])
def test_gold_without_units(resamples: str, write: Write, run: Run) -> None:
    write("g.conll", "a\tO\nb\tO\n\nc\tO\n")
    write("s.conll", "a\tB-X\nb\tO\n\nc\tO\n")
    options = ("--gold", "g.conll", "--resamples", resamples, "--json", "-")
    for system in ("s=s.conll", "s=g.conll"):
        ran = run("buckets", *options, "--system", system)
        assert any("gold has no units" in w for w in warnings(ran)), ran.err
        check_result(document(ran))
        assert run("buckets", "--gold", "g.conll", "--resamples", resamples, "--system", system).code == 0


def test_one_item(write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\nb\tO\n")
    ran = run("buckets", "--gold", "g.conll", "--system", "s=g.conll", "--train", "g.conll", "--json", "-")
    check_result(document(ran))
    assert run("buckets", "--gold", "g.conll", "--system", "s=g.conll").code == 0


# ---------------------------------------------------------------------- hostile data

HOSTILE = (
    "<script>alert(1)</script>", "^x$", "*", "{units}", "{range}", "{0}", "%s%d%", "[bold]", "[/]", "w" * 5000, "=1+1",
    "\N{ARABIC LETTER ALEF}\N{RIGHT-TO-LEFT MARK}", "\N{RIGHT-TO-LEFT OVERRIDE}abc", "\x1b[31mred", "\x07", "a|b", "B-",
    "\\textbf{", "missing", "other", "nan", "None", "__all__", "😀", "e\N{COMBINING ACUTE ACCENT}", "$x_1^2$", "'", '"',
    "#1", "-0", "1e999",
)  # fmt: skip


def hostile_conll() -> tuple[str, str]:
    gold = [f"{token}\t{'B-' + HOSTILE[(i * 7) % len(HOSTILE)]}\nx\tO\n" for i, token in enumerate(HOSTILE)]
    system = [f"{token}\t{'B-' + HOSTILE[(i * 5) % len(HOSTILE)]}\nx\tO\n" for i, token in enumerate(HOSTILE)]
    return "\n".join(gold), "\n".join(system)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name[0] != "="])
def test_hostile_names_of_systems(name: str, files: Path, run: Run) -> None:
    options = ("--gold", "g.conll", "--system", f"{name}=s.conll", "--system", "t=g.conll", "--train", "train.conll")
    more = ("-a", "eLen,label", "--cross", "eLen,label", "--resamples", "20", "--json", "x.json")
    ran = run("buckets", *options, *more)
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    assert "\x07" not in ran.out + ran.err
    found = strict((files / "x.json").read_text(encoding="utf-8"))
    assert found["data"]["systems"] == [name, "t"]
    check_result(found)


def test_hostile_tokens_and_labels(write: Write, run: Run, tmp_path: Path) -> None:
    gold, system = hostile_conll()
    write("g.conll", gold)
    write("s.conll", system)
    options = ("--gold", "g.conll", "--system", "s=s.conll", "--system", "t=g.conll", "--train", "s.conll")
    found = document(run("buckets", *options, "--cross", "label,str", "--resamples", "20", "--json", "-"))
    check_result(found)
    labels = {b["value"] for b in found["result"]["attributes"]["label"]["buckets"]}
    assert {"<script>alert(1)</script>", "^x$", "*", "{units}", "%s%d%"} <= labels
    ran = run("buckets", *options, "--cross", "label,str", "--resamples", "20", "--csv", "out")
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err
    with (tmp_path / "out" / "buckets.csv").open(encoding="utf-8", newline="") as file:
        assert {row["bucket"] for row in csv.DictReader(file) if row["attribute"] == "label"} >= {"^x$", "*"}


METADATA = (
    "eLen", "label", "sLen", "chars", "{range}", "{units}", "%s", "<b>", "^x$", "*", "missing", "item", "gold", "s",
    "core", "all", "a,b", "x.v1", "mine.py:f", "\x1b[31m", "", "eLen × sLen", "group", "cluster", "length",
)  # fmt: skip


@pytest.mark.parametrize("task", ["labels", "spans"])
def test_hostile_columns(task: str, write: Write, run: Run) -> None:
    """Columns named like attributes or like patterns, and values that are no numbers, or infinite ones."""
    values = ["NaN", "inf", "-inf", "1e999", "", "x", None, 1.5, True]
    rows = []
    for i in range(18):
        row: dict[str, Any] = {"text": "Ada in Rome", "label": "a" if i % 2 else "b"}
        if task == "spans":
            row = {"text": "Ada in Rome", "spans": [{"start": 0, "end": 3, "label": "P"}]}
        more = {name: HOSTILE[(i + k) % 4] for k, name in enumerate(METADATA) if name not in row}
        rows.append(row | more | {"odd": str(values[i % 6]), "number": (i * 0.1) if i % 3 else None})
    write("g.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write(
        "s.jsonl",
        "".join(json.dumps({k: row[k] for k in ("text", "label", "spans") if k in row}) + "\n" for row in rows),
    )
    options = ("--gold", "g.jsonl", "--system", "s=s.jsonl", "--task", task, "--resamples", "20")
    found = document(run("buckets", *options, "--json", "-"))
    check_result(found)
    own = found["result"]["attributes"]
    assert {"odd", "number", "{range}", "^x$", "*", "%s"} <= set(own)
    shown = run("buckets", *options)
    assert shown.code == 0
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.parametrize(
    "column",
    [["NaN", "inf", "-inf", "1", "2", "3"], ["inf"] * 6, ["nan"] * 6, ["1e308", "-1e308"] * 3],
)
@pytest.mark.parametrize("cuts", ["", "x=width(3)", "x=quantile(3)", "x=0,1"])
def test_numbers_that_are_none(column: list[str], cuts: str, write: Write, run: Run, tmp_path: Path) -> None:
    lines = [f"{'ab'[i % 2]},{'ab'[i % 3 % 2]},{value}" for i, value in enumerate(column)]
    write("t.csv", "gold,s,x\n" + "\n".join(lines) + "\n")
    options = ("--gold", "t.csv:gold", "--system", "s=t.csv:s", "--attribute", "x", "--resamples", "20")
    ran = run("buckets", *options, *(("--cuts", cuts) if cuts else ()), "--json", "x.json")
    assert ran.code == 0, ran.err
    found = strict((tmp_path / "x.json").read_text(encoding="utf-8"))
    check_result(found)
    buckets = found["result"]["attributes"]["x"]["buckets"]
    assert sum(b["systems"]["s"]["n_gold"] for b in buckets) == 6


def test_a_table_never_takes_the_place_of_a_file_that_is_read(write: Write, run: Run) -> None:
    write("buckets.csv", "text,label\na b,x\nc,y\nd,x\n")
    write("p.txt", "x\ny\ny\n")
    inputs = ("--gold", "buckets.csv:label", "--input", "buckets.csv:text", "-s", "a=p.txt")
    ran = run("buckets", *inputs, "--csv", ".")
    assert ran.code == 2
    assert "would be written over" in ran.err


def test_items_without_a_value_take_no_part_in_the_correlation(write: Write, run: Run) -> None:
    rows = ['{"score":0.1,"k":1}', '{"score":0.9,"k":2}', '{"score":1.0,"k":3}', '{"score":0.5,"k":null}']
    write("f.jsonl", "\n".join(rows) + "\n")
    found = document(run("buckets", "-s", "a=f.jsonl:score", "-a", "k", "--resamples", "0", "--json", "-"))
    assert found["result"]["attributes"]["k"]["systems"]["a"]["correlation"]["value"] == 1.0
