"""`slicewise features` through the real command: every option, the JSON, wrong options, hostile data."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from support.commands import Ran, Run, Write, document_of, refused
from support.needs import need_module

if TYPE_CHECKING:
    from pathlib import Path


LIST = {"system", "against", "direction", "tested", "features"}
FEATURE = {
    "feature", "kind", "n", "mean", "rest_mean", "metric", "expected_improvement", "raw_expected_improvement", "auc",
    "z", "p", "method", "log10_p", "q", "chi2", "folded", "examples",
}  # fmt: skip
KINDS = {
    "token", "bigram", "ngram", "shape", "pair", "number", "length", "category", "label", "attribute", "confusion",
}  # fmt: skip
DATA = ("--gold", "g.txt", "--input", "in.txt", "--system", "a=a.txt", "--system", "b=b.txt")
"""What `files` writes."""


def document(ran: Ran) -> Any:
    found = document_of("features", ran)
    for one in found["result"]["lists"]:
        check_list(one, found["data"]["items"])
    return found


def check_list(one: Any, items: int) -> None:
    """Check the names that scripts rely on, and what holds for every list."""
    assert set(one) >= LIST
    assert one["direction"] in ("worst", "best", "worsening", "improving")
    assert one["tested"] >= len(one["features"])
    assert [f["log10_p"] for f in one["features"]] == sorted(f["log10_p"] for f in one["features"])
    shown = [(f["kind"], f["feature"]) for f in one["features"]]
    assert len(set(shown)) == len(shown)
    for feature in one["features"]:
        assert set(feature) >= FEATURE
        assert feature["kind"] in KINDS - {"confusion"}
        assert 0 <= feature["p"] <= feature["q"] <= 1
        assert feature["p"] == pytest.approx(10 ** feature["log10_p"], rel=1e-9, abs=1e-300)
        assert feature["auc"] is None or 0 <= feature["auc"] <= 1
        assert all(0 <= item < items for item in feature["examples"])
        assert len(set(feature["examples"])) == len(feature["examples"])


def lists(ran: Ran) -> list[Any]:
    found: list[Any] = document(ran)["result"]["lists"]
    return found


def first(ran: Ran) -> dict[str, Any]:
    """Return the features of the first list by name."""
    return {feature["feature"]: feature for feature in lists(ran)[0]["features"]}


def kinds(ran: Ran) -> set[str]:
    return {feature["kind"] for one in lists(ran) for feature in one["features"]}


def sentiment() -> list[tuple[str, str, str, str, str]]:
    """120 items: text, stars, gold, a (wrong on most `bad`), b (wrong where it is `Very`)."""
    rows = []
    for i in range(120):
        gold = "pos" if i % 2 else "neg"
        other = "neg" if i % 2 else "pos"
        words = [
            "the",
            "film",
            "was",
            "bad" if i % 4 == 0 else "good",
            *(["Very", "not"] if i % 6 == 0 else []),
            f"w{i % 7}",
        ]
        a = other if (i % 4 == 0 and i % 8 != 4) or i % 11 == 0 else gold
        rows.append((" ".join(words), str(i % 9), gold, a, other if i % 6 == 0 else gold))
    return rows


ROWS = sentiment()


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write("in.txt", "".join(f"{row[0]}\n" for row in ROWS))
    write("two.txt", "".join(f"{row[0]}\t{row[1]}\n" for row in ROWS))
    for name, column in (("g.txt", 2), ("a.txt", 3), ("b.txt", 4)):
        write(name, "".join(f"{row[column]}\n" for row in ROWS))
    return tmp_path


@pytest.fixture
def entities(write: Write, tmp_path: Path) -> Path:
    """60 sentences; the system misses those of Mr and returns every Monday."""
    gold, system = [], []
    for i in range(60):
        name, day = ("Smith", "Rome")[i % 2], ("Monday", "today")[i % 3 == 0]
        before = "Mr" if i % 4 == 0 else "in"
        tag = "B-PER" if i % 2 == 0 else "B-LOC"
        found = "O" if before == "Mr" else tag
        gold.append(f"{before}\tO\n{name}\t{tag}\non\tO\n{day}\tO\n")
        system.append(f"{before}\tO\n{name}\t{found}\non\tO\n{day}\t{'B-LOC' if day == 'Monday' else 'O'}\n")
    write("g.conll", "\n".join(gold))
    write("s.conll", "\n".join(system))
    return tmp_path


SPANS = ("--gold", "g.conll", "--system", "s=s.conll")


# ---------------------------------------------------------------------- what it says


def test_counts_and_means_are_those_of_the_items(files: Path, run: Run) -> None:
    found = first(run("features", *DATA, "--top", "0", "--no-fold", "--no-adjust", "--json", "-"))
    right = [float(row[2] == row[3]) for row in ROWS]
    for word in ("bad", "good", "Very", "not", *(f"w{i}" for i in range(7))):
        have = [score for row, score in zip(ROWS, right, strict=True) if word in row[0].split()]
        rest = [score for row, score in zip(ROWS, right, strict=True) if word not in row[0].split()]
        feature = found[f"in:{word}"]
        assert feature["kind"] == "token"
        assert feature["n"] == len(have)
        assert feature["mean"] == feature["metric"] == pytest.approx(sum(have) / len(have))
        assert feature["rest_mean"] == pytest.approx(sum(rest) / len(rest))
        gain = sum(rest) / len(rest) - sum(right) / len(right)
        assert feature["raw_expected_improvement"] == pytest.approx(gain)
        below = sum((h < r) + (h == r) / 2 for h in have for r in rest) / len(have) / len(rest)
        assert feature["auc"] == pytest.approx(1 - below)
        assert feature["method"] == "hypergeometric"
        chance = sum(
            math.comb(int(sum(right)), x) * math.comb(120 - int(sum(right)), len(have) - x)
            for x in range(int(sum(have)) + 1)
        ) / math.comb(120, len(have))
        assert feature["p"] == pytest.approx(chance)
        n, a = len(right), sum(right) / len(right)
        chi2 = len(have) * n / len(rest) * (sum(have) / len(have) - a) ** 2 / (a * (1 - a))
        assert feature["chi2"] == pytest.approx(chi2)
        assert feature["z"] ** 2 == pytest.approx(chi2 * (n - 1) / n)
    for label in ("pos", "neg"):
        assert found[f"exp:{label}"]["n"] == sum(row[2] == label for row in ROWS)
        assert found[f"out:{label}"]["n"] == sum(row[3] == label for row in ROWS)
        assert found[f"out:{label}"]["kind"] == "label"
    assert "in:the" not in found  # all items have it


def test_one_list_per_system(files: Path, run: Run) -> None:
    found = lists(run("features", *DATA, "--no-adjust", "--json", "-"))
    assert [(one["system"], one["against"], one["direction"]) for one in found] == [
        ("a", None, "worst"),
        ("b", None, "worst"),
    ]
    assert found[0]["features"][0]["feature"] == "in:bad"
    assert found[1]["features"][0]["feature"] == "in:Very"
    assert found[1]["features"][0]["folded"] == ["in:not"]


def test_examples_are_items_that_have_the_feature_and_are_wrong(files: Path, run: Run) -> None:
    found = document(run("features", *DATA, "--json", "-"))
    bad = found["result"]["lists"][0]["features"][0]
    for item in bad["examples"]:
        assert "bad" in ROWS[item][0].split()
        assert ROWS[item][2] != ROWS[item][3]
    told = {one["item"]: one for one in found["result"]["items"]}
    assert told[bad["examples"][0]]["text"] == ROWS[bad["examples"][0]][0]


def test_confusions_stand_apart(files: Path, run: Run) -> None:
    one = lists(run("features", *DATA, "--only", "a", "--json", "-"))[0]
    expected = Counter(f"exp {row[2]} ~ out {row[3]}" for row in ROWS if row[2] != row[3])
    assert {c["feature"]: c["n"] for c in one["confusions"]} == expected
    assert {c["kind"] for c in one["confusions"]} == {"confusion"}
    assert all(c["q"] is None for c in one["confusions"])


# ---------------------------------------------------------------------- options


def test_worst_is_the_default(files: Path, run: Run) -> None:
    assert run("features", *DATA, "--json", "-") == run("features", *DATA, "--worst", "--json", "-")


def test_best_is_the_other_tail(files: Path, run: Run) -> None:
    one = lists(run("features", *DATA, "--best", "--only", "a", "--top", "0", "--no-fold", "--json", "-"))[0]
    assert one["direction"] == "best"
    assert one["features"][0]["feature"] == "in:good"
    best = {f["feature"]: f for f in one["features"]}
    worst = first(run("features", *DATA, "--only", "a", "--top", "0", "--no-fold", "--json", "-"))
    assert set(best) == set(worst)
    for name, feature in worst.items():
        assert best[name]["auc"] == pytest.approx(feature["auc"])
        assert best[name]["p"] + feature["p"] >= 1 - 1e-12


def test_worsening_and_improving(files: Path, run: Run) -> None:
    worse = lists(run("features", *DATA, "--worsening", "a,b", "--top", "0", "--no-fold", "--no-adjust", "--json", "-"))
    assert [(one["system"], one["against"], one["direction"]) for one in worse] == [("b", "a", "worsening")]
    assert worse[0]["features"][0]["feature"] in ("in:Very", "in:not")
    change = [(row[2] == row[4]) - (row[2] == row[3]) for row in ROWS if "Very" in row[0]]
    very = {f["feature"]: f for f in worse[0]["features"]}["in:Very"]
    assert very["mean"] == pytest.approx(sum(change) / len(change))
    better = lists(run("features", *DATA, "--improving", "a,b", "--json", "-"))
    assert [(one["system"], one["against"], one["direction"]) for one in better] == [("b", "a", "improving")]
    assert next(f["feature"] for f in better[0]["features"] if f["kind"] == "token") == "in:bad"
    back = lists(run("features", *DATA, "--worsening", "b,a", "--json", "-"))[0]
    assert next(f["feature"] for f in back["features"] if f["kind"] == "token") == "in:bad"


def test_out_is_what_the_new_system_says(files: Path, run: Run) -> None:
    found = first(run("features", *DATA, "--worsening", "a,b", "--top", "0", "--no-fold", "--json", "-"))
    assert found["out:pos"]["n"] == sum(row[4] == "pos" for row in ROWS)


def test_ratio(write: Write, run: Run) -> None:
    rows = [(f"w{i % 3} x", 1 + i % 3, (1 + i % 3) * (2 if i % 3 == 0 else 1)) for i in range(30)]
    write("in.txt", "".join(f"{text}\n" for text, _, _ in rows))
    write("old.txt", "".join(f"{old}\n" for _, old, _ in rows))
    write("new.txt", "".join(f"{new}\n" for _, _, new in rows))
    data = (
        "--task",
        "scores",
        "--input",
        "in.txt",
        "-s",
        "old=old.txt",
        "-s",
        "new=new.txt",
        "--no-fold",
        "--json",
        "-",
    )
    found = first(run("features", *data, "--improving", "old,new", "--ratio"))
    assert found["in:w0"]["mean"] == pytest.approx(2)
    assert found["in:w1"]["mean"] == pytest.approx(1)
    assert first(run("features", *data, "--improving", "old,new"))["in:w0"]["mean"] == pytest.approx(1)


def test_only(files: Path, run: Run) -> None:
    assert [one["system"] for one in lists(run("features", *DATA, "--only", "b", "--json", "-"))] == ["b"]
    both = run("features", *DATA, "--only", "b", "--only", "a", "--json", "-")
    assert {one["system"] for one in lists(both)} == {"a", "b"}


def test_kinds_of_features(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--top", "0", "--no-fold", "--only", "a", "--json", "-")
    plain = kinds(run(*data))
    assert plain == {"token", "label", "category"}
    assert kinds(run(*data, "--bigrams")) == plain | {"bigram"}
    assert kinds(run(*data, "--ngrams", "2")) == plain | {"bigram"}
    assert kinds(run(*data, "--ngrams", "3")) == plain | {"bigram", "ngram"}
    assert kinds(run(*data, "--shapes")) == plain | {"shape"}
    assert kinds(run(*data, "--pairs")) == plain | {"pair"}
    assert kinds(run(*data, "--numbers")) == plain | {"length"}
    assert kinds(run(*data, "--attribute", "tokens")) == plain | {"attribute"}
    assert run(*data, "--ngrams", "1") == run(*data)


def test_bigrams_and_longer_runs(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--top", "0", "--no-fold", "--only", "a", "--json", "-")
    found = first(run(*data, "--ngrams", "4", "--min-count", "3"))
    for n in (2, 3, 4):
        expected: Counter[str] = Counter()
        for text, *_ in ROWS:
            words = text.split()
            expected.update({"++".join(words[i : i + n]) for i in range(len(words) - n + 1)})
        kept = {f"in:{run_}": count for run_, count in expected.items() if 3 <= count <= len(ROWS) - 3}
        made = {
            name: f["n"] for name, f in found.items() if f["kind"] in ("bigram", "ngram") and name.count("++") == n - 1
        }
        assert made == kept


def test_shapes(files: Path, run: Run) -> None:
    found = first(run("features", *DATA, "--shapes", "--top", "0", "--no-fold", "--json", "-"))
    assert found["in:SHAPE:Aa+"]["n"] == found["in:Very"]["n"] == 20


def test_pairs_say_more_than_their_parts(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--pairs", "--top", "0", "--no-fold", "--only", "a", "--json", "-")
    found = first(run(*data))
    pairs = {name: f for name, f in found.items() if f["kind"] == "pair"}
    assert pairs
    for name, pair in pairs.items():
        parts = name.split("~~")
        assert len(parts) == 2
        assert all(pair["log10_p"] < found[part]["log10_p"] for part in parts if part in found)
        assert pair["n"] <= min(found[part]["n"] for part in parts)
    assert "out:pos~~in:bad" in pairs
    assert not any(set(name.split("~~")) == {"exp:neg", "out:pos"} for name in pairs)
    few = first(run(*data, "--min-pair-count", "15"))
    assert {name for name, f in few.items() if f["kind"] == "pair"} == {n for n, f in pairs.items() if f["n"] >= 15}
    assert {n for n, f in few.items() if f["kind"] != "pair"} == {n for n, f in found.items() if f["kind"] != "pair"}


def test_numbers(files: Path, run: Run) -> None:
    data = ("--gold", "g.txt", "--input", "two.txt", "--system", "a=a.txt", "--top", "0", "--no-fold", "--json", "-")
    found = first(run("features", *data, "--numbers"))
    value, length = found["in<2> value small"], found["in<1> length large"]
    assert (value["kind"], length["kind"]) == ("number", "length")
    assert value["n"] == sum(int(row[1]) <= 2 for row in ROWS)
    assert length["n"] == sum("Very" in row[0] for row in ROWS)
    assert "in<1>:bad" in found
    assert found["in<2> = 3"]["kind"] == "category"


def test_attributes(files: Path, run: Run, write: Write) -> None:
    data = ("features", *DATA, "--top", "0", "--no-fold", "--only", "a", "--json", "-")
    assert any(name.startswith("chars ") for name in first(run(*data, "-a", "chars")))
    assert {"chars large", "tokens small"} <= set(first(run(*data, "-a", "all")))
    write("mine.py", "def shouts(items):\n    return ['yes' if 'Very' in text else 'no' for text in items['text']]\n")
    mine = first(run(*data, "-a", "mine.py:shouts"))
    assert mine["shouts = yes"]["n"] == 20


NUMBERS: dict[str, tuple[list[Any], int]] = {
    "null": ([1, 2, None, 4, 5, 6, 7, 8], 1),
    "NaN": ([1.0, 2.0, math.nan, 4.0, 5.0, None, 7.0, 8.0], 2),
    "infinite": ([1.0, math.inf, 3.0, -math.inf, 5.0, 6.0, 7.0, 8.0], 2),
    "text": (["1", "", "3", None, "5", "6", "7", "8"], 2),
    "one": ([3, *[None] * 7], 7),
    "all NaN": ([math.nan] * 8, 8),
    "all alike": ([3, None, *[3] * 6], 1),
}


@pytest.mark.parametrize("more", [(), ("--part-rows", "3"), ("--units",), ("--geval",), ("--geval", "--units")])
@pytest.mark.parametrize("values", NUMBERS)
def test_items_without_a_number(values: str, more: tuple[str, ...], write: Write, run: Run, tmp_path: Path) -> None:
    """They are left out of its test, and that is said."""
    numbers, without = NUMBERS[values]
    write("s.txt", "A\nB\nB\nA\nA\nA\nB\nA\n")
    pl.DataFrame({"label": list("AABBAABB"), "f": numbers}, strict=False).write_parquet(tmp_path / "g.parquet")
    data = (
        "--gold",
        "g.parquet:label",
        "-s",
        "s=s.txt",
        "--task",
        "labels",
        "-a",
        "f",
        "--no-fold",
        "--min-count",
        "1",
    )
    ran = run("features", *data, "--resamples", "0", "--json", "-", *more)
    listed = [one for one in first(ran).values() if one["kind"] == "attribute"]
    tested = values not in ("one", "all NaN", "all alike")
    assert len(listed) == tested * (1 if "--geval" in more else 2)
    assert all(one["feature"].startswith("f") for one in listed)
    assert f"f: {without} {'unit' if '--units' in more else 'item'}{'s' * (without > 1)} without a finite" in ran.err


def test_a_number_that_items_lack_is_tested_as_if_they_were_not_there(write: Write, run: Run, tmp_path: Path) -> None:
    write("nothing", "")
    gold, system, numbers = list("AABBAABBA"), list("ABBAAABAA"), [1, 2, 3, 1, 5, 6, 7, 8, None]
    for name, n in (("all", 9), ("some", 8)):
        frame = pl.DataFrame({"label": gold[:n], "s": system[:n], "f": numbers[:n]})
        frame.write_parquet(tmp_path / f"{name}.parquet")
    found = []
    for name in ("all", "some"):
        data = ("--gold", f"{name}.parquet:label", "-s", f"s={name}.parquet:s", "--task", "labels", "-a", "f")
        listed = first(run("features", *data, "--geval", "--resamples", "0", "--json", "-")).values()
        found.append(
            [(one["feature"], one["p"], one["n"], one["mean"]) for one in listed if one["kind"] == "attribute"]
        )
    assert found[0] == found[1]
    assert len(found[0]) == 1


@pytest.mark.parametrize("tokenizer", ["words", "whitespace", "13a", "char", "icu", "geval"])
def test_tokenizers(tokenizer: str, write: Write, run: Run) -> None:
    if tokenizer == "icu":
        need_module("icu4py", "icu4py")
    write("in.txt", "東京に a:b, don't\nx\n" * 6)
    write("s.txt", "0\n1\n" * 6)
    data = ("--task", "scores", "--input", "in.txt", "-s", "s=s.txt", "--top", "0", "--no-fold", "--json", "-")
    found = first(run("features", *data, "--tokenizer", tokenizer))
    words = {
        "words": {"東", "京", "に", "a", ":", "b", ",", "don't", "x"},
        "whitespace": {"東京に", "a:b,", "don't", "x"},
        "13a": {"東京に", "a", ":", "b", ",", "don't", "x"},
        "char": set("東京にa:b,don'tx"),
        "icu": {"東京", "に", "a:b", ",", "don't", "x"},
        "geval": {"東京に", "a", "b,", "don't", "x"},
    }[tokenizer]
    tokens = {name.removeprefix("in:") for name, f in found.items() if f["kind"] == "token"}
    assert tokens == words


def test_running_text_is_cut_into_words_and_tokens_stay(write: Write, run: Run, entities: Path) -> None:
    found = first(run("features", *SPANS, "--top", "0", "--no-fold", "--json", "-"))
    assert found["in:Mr"]["n"] == 15
    spaced = first(run("features", *SPANS, "--tokenizer", "char", "--top", "0", "--no-fold", "--json", "-"))
    assert "in:M" in spaced
    assert "in:Mr" not in spaced


def test_minimum_count(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--top", "0", "--no-fold", "--only", "a", "--json", "-")
    every = first(run(*data, "--min-count", "1"))
    assert min(f["n"] for f in every.values()) < 5
    for least in (5, 18, 61):
        found = first(run(*data, "--min-count", least))
        assert found.keys() == {name for name, f in every.items() if least <= f["n"] <= 120 - least}
    assert run(*data) == run(*data, "--min-count", "5")


def test_top(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--only", "a", "--json", "-")
    every = lists(run(*data, "--top", "0"))[0]
    three = lists(run(*data, "--top", "3"))[0]
    assert three["tested"] == every["tested"]
    assert [f["feature"] for f in three["features"]] == [f["feature"] for f in every["features"]][:3]
    assert [f["q"] for f in three["features"]] == [f["q"] for f in every["features"]][:3]
    assert len(lists(run(*data))[0]["features"]) == 20


def test_folding(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--only", "b", "--top", "0", "--json", "-")
    folded, single = lists(run(*data))[0], lists(run(*data, "--no-fold"))[0]
    assert all(not f["folded"] for f in single["features"])
    assert len(single["features"]) == single["tested"] == folded["tested"]
    names = [name for f in folded["features"] for name in (f["feature"], *f["folded"])]
    assert sorted(names) == sorted(f["feature"] for f in single["features"])


def test_corrections(files: Path, run: Run) -> None:
    found = {
        how: [f["q"] for f in lists(run("features", *DATA, "--correction", how, "--json", "-"))[0]["features"]]
        for how in ("bh", "by", "holm")
    }
    assert all(a <= b for a, b in zip(found["bh"], found["by"], strict=True))
    assert all(a <= b for a, b in zip(found["bh"], found["holm"], strict=True))
    assert found["bh"] != found["by"]
    assert run("features", *DATA, "--json", "-") == run("features", *DATA, "--correction", "bh", "--json", "-")


def test_the_published_tool(files: Path, run: Run) -> None:
    data = ("features", *DATA, "--geval", "--only", "a", "--top", "0", "--json", "-")
    found = first(run(*data, "--bigrams", "--shapes", "--pairs", "--numbers"))
    assert {"in<1>:bad", "in<1>:was++bad", "in<1>:SHAPE:Aa+", "in<1>:SHAPE:a+++SHAPE:Aa+"} <= found.keys()
    assert all(not f["folded"] for f in found.values())
    right = [row[2] == row[3] for row in ROWS]
    for word in ("bad", "Very"):
        feature = found[f"in<1>:{word}"]
        c, n = feature["n"], len(ROWS)
        ranks = [(sum(right) + 1) / 2 + n - sum(right) if ok else (n - sum(right) + 1) / 2 for ok in right]
        u = sum(r for r, row in zip(ranks, ROWS, strict=True) if word in row[0].split()) - c * (c + 1) / 2
        z = (u - c * (n - c) / 2) / math.sqrt(c * (n - c) * (n + 1) / 12)
        assert feature["p"] == pytest.approx(math.erfc(-z / math.sqrt(2)) / 2)
    assert min(f["n"] for f in found.values()) == 1
    assert "published tool" in run("features", *DATA, "--geval").out


def test_the_published_tool_has_tags_as_they_are_written(write: Write, run: Run) -> None:
    """Gold in IOB2, a system in BIOES, and predictions alone, with a line for each -DOCSTART-; in parts, too."""
    rows = [("B-LOC", "S-LOC", "I-LOC"), ("O", "O", "O"), ("B-PER", "B-PER", "B-PER"), ("I-PER", "E-PER", "O")]
    sentences = [[0, 1], [2, 3], [1, 1], [1, 0]] * 3
    text = {"g": "-DOCSTART- O\n\n", "a": "-DOCSTART- O\n\n", "b": "O\n\n"}
    for sentence in sentences:
        for at in sentence:
            for name, tag in zip(text, rows[at], strict=True):
                text[name] += f"{tag}\n" if name == "b" else f"w{at} {tag}\n"
        text = {name: written + "\n" for name, written in text.items()}
    for name, written in text.items():
        write(f"{name}.conll", written)
    data = ("--gold", "g.conll", "-s", "a=a.conll", "-s", "b=b.conll")
    asked = ("features", *data, "--geval", "--bigrams", "--top", "0", "--json", "-")
    expected = {"exp:B-LOC", "exp:O", "exp:B-PER", "exp:I-PER", "exp:B-LOC++O", "exp:O++B-LOC", "exp:B-PER++I-PER"}
    returned = {"a": {"S-LOC", "S-LOC++O", "O++S-LOC", "E-PER", "B-PER", "B-PER++E-PER", "O"}}
    returned["b"] = {"I-LOC", "I-LOC++O", "O++I-LOC", "B-PER", "B-PER++O"}  # no sentence is without O
    for one in lists(run(*asked)):
        names = {feature["feature"] for feature in one["features"] if feature["feature"][:3] in ("exp", "out")}
        assert names == expected | {f"out:{tag}" for tag in returned[one["system"]]}
    assert lists(run(*asked, "--part-rows", "3")) == lists(run(*asked))
    shown = document_of("items", run("items", *data, "--feature", "exp:B-PER++I-PER", "--json", "-"))
    assert [item["item"] for item in shown["result"]["items"]] == [1, 5, 9]


def test_the_published_tool_on_a_file_that_brings_its_gold(write: Write, run: Run) -> None:
    write("own.conll", "a B-LOC S-LOC\nb I-LOC O\n\nc O O\n\nd O S-LOC\n\n" * 2)
    found = first(run("features", "-s", "a=own.conll", "--geval", "--top", "0", "--json", "-"))
    tags = {name: feature["n"] for name, feature in found.items() if name[:3] in ("exp", "out")}
    assert tags == {"exp:B-LOC": 2, "exp:I-LOC": 2, "exp:O": 4, "out:S-LOC": 4, "out:O": 4}


@pytest.mark.parametrize("task", ["spans", "tokens"])
def test_units_make_two_lists_per_system(task: str, entities: Path, run: Run) -> None:
    found = lists(
        run("features", *SPANS, "--units", "--no-adjust", "--task", task, "--resamples", "100", "--json", "-")
    )
    assert [(one["system"], one["over"]) for one in found] == [("s", "gold"), ("s", "returned")]
    assert found[0]["n"] == 60
    names = [{n: f for f in one["features"] for n in (f["feature"], *f["folded"])} for one in found]
    assert names[0]["left:Mr"]["p"] < 1e-6
    assert names[0]["left:Mr"]["mean"] == 0
    assert names[1]["in:Monday"]["p"] < 0.05
    assert any(name.endswith(":Monday") and not name.startswith("in") for name in names[1])
    for one in found:
        for feature in one["features"]:
            assert feature["ci"] is None or feature["ci"][0] <= feature["difference"] <= feature["ci"][1]


@pytest.mark.parametrize("parts", [(), ("--part-rows", "1")])
def test_no_units_at_all(parts: tuple[str, ...], write: Write, run: Run) -> None:
    write("g.jsonl", '{"text": "a", "spans": []}\n{"text": "b", "spans": []}\n')
    ran = run("features", "--gold", "g.jsonl", "-s", "s=g.jsonl", "--units", "--resamples", "0", "--json", "-", *parts)
    assert lists(ran) == []
    assert "gold has no units to rank" in ran.err


def test_units_of_labels_make_one_list(files: Path, run: Run) -> None:
    found = lists(run("features", *DATA, "--units", "--resamples", "100", "--json", "-"))
    assert [(one["system"], one["over"]) for one in found] == [("a", "gold"), ("b", "gold")]
    change = lists(run("features", *DATA, "--units", "--worsening", "a,b", "--resamples", "100", "--json", "-"))
    assert [(one["system"], one["against"]) for one in change] == [("b", "a")]


def test_restarts(files: Path, run: Run) -> None:
    data = ("features", "--gold", "g.txt", "--input", "in.txt", "-s", "x=a.txt", "-s", "x=b.txt", "-s", "y=b.txt")
    assert [one["system"] for one in lists(run(*data, "--json", "-"))] == ["x#1", "y"]
    assert [one["system"] for one in lists(run(*data, "--restarts", "each", "--json", "-"))] == ["x#1", "x#2", "y"]
    assert [one["system"] for one in lists(run(*data, "--only", "x", "--json", "-"))] == ["x#1"]
    assert [one["system"] for one in lists(run(*data, "--only", "x#2", "--json", "-"))] == ["x#2"]
    change = lists(run(*data, "--worsening", "x,y", "--json", "-"))
    assert [(one["against"], one["system"]) for one in change] == [("x#1", "y")]
    change = lists(run(*data, "--worsening", "x#1,x#2", "--json", "-"))
    assert [(one["against"], one["system"]) for one in change] == [("x#1", "x#2")]


def test_other_metrics_and_tasks(write: Write, run: Run) -> None:
    write("in.txt", "long words here\nshort one\n" * 20)
    write("g.txt", "a b c d e\nf g h i j\n" * 20)
    write("s.txt", "a b x y z\nf g h i j\n" * 20)
    data = (
        "features",
        "--task",
        "text",
        "--gold",
        "g.txt",
        "--input",
        "in.txt",
        "-s",
        "s=s.txt",
        "--no-adjust",
        "--json",
        "-",
    )
    for metric in ("bleu", "chrf", "wer", "ter", "exact-match", "token-f1"):
        one = lists(run(*data, "--metric", metric))[0]
        assert one["metric"] == metric
        found = {name: f for f in one["features"] for name in (f["feature"], *f["folded"])}
        assert found["in:long"]["p"] < 1e-6
        assert found["in:long"]["expected_improvement"] > 0
        assert found["in:long"]["auc"] == 0
        assert {"exp:a", "out:x"} <= found.keys()
    assert lists(run(*data, "--metric", "wer", "--metric", "bleu"))[0]["metric"] == "wer"


def test_several_labels_per_item(write: Write, run: Run) -> None:
    write("g.txt", "x y\nx\n\nz\n" * 10)
    write("s.txt", "x\nx\n\nx\n" * 10)
    data = ("features", "--task", "multilabel", "--gold", "g.txt", "-s", "s=s.txt", "--top", "0", "--json", "-")
    one = lists(run(*data))[0]
    assert one["metric"] == "f1"
    assert one["mean"] == pytest.approx((2 / 3 + 1 + 1 + 0) / 4)
    assert {f["feature"]: f["n"] for f in one["features"]} == {"exp:x": 20, "exp:y": 10, "exp:z": 10, "out:x": 30}


# ---------------------------------------------------------------------- where results go


def test_json_to_a_file_and_the_screen(files: Path, run: Run) -> None:
    ran = run("features", *DATA, "--json", "x.json")
    assert ran.code == 0
    assert "in:bad" in ran.out
    assert "q" in ran.out
    assert (files / "x.json").read_text(encoding="utf-8") == run("features", *DATA, "--json", "-").out


def test_csv(files: Path, run: Run) -> None:
    ran = run("features", *DATA, "--csv", "out", "--json", "-")
    found = document(ran)
    with (files / "out" / "features.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [(one["system"], f["feature"], f["n"]) for one in found["result"]["lists"] for f in one["features"]]
    assert [(row["system"], row["feature"], int(row["n"])) for row in rows] == expected
    assert set(rows[0]) >= FEATURE | {"system", "against", "direction"}
    assert (files / "out" / "confusions.csv").is_file()


def test_latex_and_markdown(files: Path, run: Run) -> None:
    ran = run("features", *DATA, "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    latex = "".join(path.read_text(encoding="utf-8") for path in (files / "tex").glob("*.tex"))
    markdown = "".join(path.read_text(encoding="utf-8") for path in (files / "md").glob("*.md"))
    assert "in:bad" in latex
    assert "\\toprule" in latex
    assert "in:bad" in markdown
    assert "|" in markdown


def test_config(files: Path, write: Write, run: Run) -> None:
    write(
        "slicewise.toml",
        'task = "labels"\nseed = 3\n[[dataset]]\nname = "one"\ngold = "g.txt"\ninput = "in.txt"\n'
        '[dataset.systems]\na = "a.txt"\n[[dataset]]\nname = "two"\ngold = "g.txt"\ninput = "two.txt"\n'
        '[dataset.systems]\nb = "b.txt"\n',
    )
    one = document(run("features", "--config", "slicewise.toml", "--name", "one", "--json", "-"))
    assert one["result"]["lists"][0]["features"][0]["feature"] == "in:bad"
    assert "seed:3" in one["signature"]
    both = run("features", "--config", "slicewise.toml", "--json", "-")
    assert both.code == 0, both.err
    assert [part["data"]["name"] for part in json.loads(both.out)["datasets"]] == ["one", "two"]


def test_quiet(files: Path, run: Run) -> None:
    ran = run("features", *DATA, "--quiet", "--csv", "out")
    assert (ran.code, ran.err) == (0, "")
    assert "in:bad" in ran.out


# ---------------------------------------------------------------------- adjusting


def test_a_column_is_adjusted_for_and_both_numbers_are_shown(write: Write, run: Run) -> None:
    """Poems are hard, and `rose` is a word of poems: given the source there is nothing to it."""
    lines = []
    for i in range(240):
        poem = i % 2 == 0
        text = f"{'rose' if poem and i % 3 else 'stone'} w{i % 7}" + " x" * (i % 5)
        lines.append({"text": text, "source": "poem" if poem else "news", "score": int(i % 10 > (6 if poem else 0))})
    write("log.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    data = ("features", "--input", "log.jsonl:text", "--system", "m=log.jsonl:score", "--top", "0", "--no-fold")
    (plain,) = lists(run(*data, "--no-adjust", "--json", "-"))
    (adjusted,) = lists(run(*data, "--adjust", "source", "--json", "-"))
    assert (plain["adjusted_for"], adjusted["adjusted_for"]) == ([], ["source"])
    before, after = (next(f for f in of["features"] if f["feature"] == "in:rose") for of in (plain, adjusted))
    assert before["p"] < 1e-4
    assert after["p"] > 0.05
    assert (after["raw_p"], after["raw_difference"]) == (before["p"], before["difference"])
    assert abs(after["difference"]) < abs(after["raw_difference"]) / 4
    shown = run(*data, "--adjust", "source", "--top", "3").out
    assert "Adjusted for source: items are compared with others alike in source." in shown
    assert re.search(r"diff +raw .* p +raw p +q", shown)
    assert "Adjusted for length" in run(*data, "--top", "3").out


# ---------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--tokenizer", "word"), ("unknown tokenizer 'word'", "did you mean 'words'?", "13a")),
        (("--worsening", "a,c"), ("no system 'c'", "a, b")),
        (("--improving", "c,a"), ("no system 'c'",)),
        (("--worsening", "a"), ("'a' does not name two", "--worsening")),
        (("--worsening", "a,b,a"), ("does not name two",)),
        (("--worsening", "a,"), ("does not name two",)),
        (("--improving", "a"), ("'a' does not name two", "--improving")),
        (("--worsening", "a,a"), ("'a' cannot be compared with itself",)),
        (("--ratio",), ("--ratio", "--worsening OLD,NEW")),
        (("--ratio", "--best"), ("--ratio",)),
        (("--best", "--worst"), ("--best", "--worst", "choose one")),
        (("--worsening", "a,b", "--improving", "a,b"), ("--worsening and --improving", "choose one")),
        (("--best", "--worsening", "a,b"), ("--best and --worsening",)),
        (("--metric", "kappa"), ("kappa", "cannot rank", "use one of: ", "accuracy", "f1")),
        (("--metric", "mcc"), ("mcc", "cannot rank")),
        (("--metric", "bleu"), ("'bleu' is for text, but the task is labels", "accuracy")),
        (("--metric", "acuracy"), ("unknown metric 'acuracy'", "did you mean 'accuracy'")),
        (("--task", "text"), ("the task text needs a metric; add --metric", "exact-match")),
        (("--task", "text", "--metric", "pearson"), ("pearson",)),
        (("--top", "-1"), ("top", "-1", "0 or more")),
        (("--top", "x"), ("--top",)),
        (("--min-count", "0"), ("min-count", "0", "1 or more")),
        (("--min-count", "-3"), ("min-count",)),
        (("--pairs", "--min-pair-count", "0"), ("min-pair-count", "1 or more")),
        (("--ngrams", "-1"), ("ngrams",)),
        (("--correction", "bonferroni"), ("unknown correction 'bonferroni'", "bh", "by", "holm")),
        (("--only", "c"), ("no system 'c'",)),
        (("--attribute", "nope"), ("unknown attribute 'nope'",)),
        (("--attribute", "eLen"), ("eLen",)),
        (("--adjust", "nope"), ("unknown attribute 'nope'",)),
        (("--adjust", ""), ("--adjust names nothing", "--no-adjust")),
        (("--adjust", "length", "--no-adjust"), ("--adjust and --no-adjust contradict each other",)),
        (("--adjust", "length", "--geval"), ("--geval", "leave out --adjust")),
        (("--restarts", "blocks"), ("blocks", "first", "each")),
        (("--resamples", "-1"), ("resamples",)),
        (("--confidence", "2"), ("confidence",)),
        (("--task", "text", "--metric", "exact-match", "--units"), ("the task text has no units", "--units")),
        (("--task", "scores", "--units"), ("slicewise",)),
        (("--worstening", "a,b"), ("--worstening", "--help")),
    ],
)
def test_wrong_options(options: tuple[str, ...], parts: tuple[str, ...], files: Path, run: Run) -> None:
    refused(run("features", *DATA, *options), *parts)
    refused(run("features", *DATA, *options, "--json", "-"))
    refused(run("features", *DATA, *options, "--json", "x.json", "--csv", "out"))
    assert not (files / "x.json").exists()
    assert not (files / "out").exists()


def test_icu_without_icu4py(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    ran = run("features", *DATA, "--tokenizer", "icu")
    refused(ran, "the tokenizer icu needs icu4py", "pip install 'slicewise[cjk]'")


def test_other_numbers_of_lines(files: Path, write: Write, run: Run) -> None:
    write("short.txt", "pos\n" * 7)
    refused(run("features", *DATA, "-s", "c=short.txt"), "short.txt", "g.txt", "7", "120")
    refused(run("features", *DATA[:2], "--input", "short.txt", *DATA[4:]), "short.txt", "7", "120")


def test_scores_that_are_no_numbers(write: Write, run: Run) -> None:
    write("in.txt", "a b\na c\nd\n" * 4)
    write("nan.txt", "nan\n0.5\n1\n" * 4)
    data = ("features", "--task", "scores", "--input", "in.txt", "--min-count", "1", "--json", "-")
    refused(run(*data, "-s", "s=nan.txt"), "nan.txt:1", "'nan'", "finite number")
    write("words.txt", "x\n0.5\n1\n" * 4)
    refused(run(*data, "-s", "s=words.txt"), "words.txt")


def test_scores_have_no_units(write: Write, run: Run) -> None:
    write("s.txt", "1\n0\n" * 10)
    refused(run("features", "--task", "scores", "-s", "s=s.txt", "--units"), "the task scores has no units")


def test_a_missing_file(files: Path, run: Run) -> None:
    refused(run("features", *DATA, "-s", "c=nowhere.txt"), "nowhere.txt")


def test_a_table_never_takes_the_place_of_a_file_that_is_read(write: Write, run: Run) -> None:
    write("features.csv", "text,label\na b,x\nc,y\nd,x\n")
    write("p.txt", "x\ny\ny\n")
    data = ("--gold", "features.csv:label", "--input", "features.csv:text", "-s", "a=p.txt", "--min-count", "1")
    ran = run("features", *data, "--csv", ".")
    assert ran.code == 2
    assert "would be written over" in ran.err


# ---------------------------------------------------------------------- hostile data

HOSTILE = (
    "<script>alert(1)</script>", "^x$", "*", "{units}", "{0}", "%s%d%", "[bold]", "[/]", "w" * 3000, "=1+1", "a~~b",
    "a++b", "SHAPE:a", "in:x", "\N{ARABIC LETTER ALEF}\N{RIGHT-TO-LEFT MARK}", "\N{RIGHT-TO-LEFT OVERRIDE}abc",
    "\x1b[31mred", "\x07", "a|b", "\\textbf{", "missing", "nan", "None", "😀", "e\N{COMBINING ACUTE ACCENT}", "$x_1^2$",
    "'", '"', "#1", "-0", "1e999", "\ufeff", "two words", ",",
)  # fmt: skip
MARKS = "\x1b\x07\N{RIGHT-TO-LEFT OVERRIDE}"
EVERYTHING = ("--shapes", "--bigrams", "--numbers", "--min-count", "1", "--top", "0", "--no-fold")


@pytest.mark.parametrize("more", [(), ("--geval",), ("--pairs", "--top", "30"), ("--tokenizer", "whitespace")])
def test_hostile_texts(more: tuple[str, ...], write: Write, run: Run, tmp_path: Path) -> None:
    write("in.txt", "".join(f"{text} x\n{text}\n" for text in HOSTILE))
    write("g.txt", "".join(f"{text}\n{text} y\n" for text in HOSTILE))
    write("s.txt", "".join(f"{text}\n{text}\n" for text in HOSTILE))
    data = ("features", "--task", "text", "-m", "exact-match", "--gold", "g.txt", "--input", "in.txt", "-s", "s=s.txt")
    found = first(run(*data, *EVERYTHING, *more, "--json", "-"))
    if "whitespace" in more:
        assert {f"in:{word}" for text in HOSTILE for word in text.split()} - {"in:\ufeff"} <= found.keys()
    ran = run(*data, *EVERYTHING, *more, "--csv", "out", "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert not set(MARKS) & set(ran.out + ran.err)
    with (tmp_path / "out" / "features.csv").open(encoding="utf-8", newline="") as file:
        assert {row["feature"].lstrip("'") for row in csv.DictReader(file)} >= {"exp:y"}


@pytest.mark.parametrize("task", ["labels", "multilabel"])
def test_hostile_labels(task: str, write: Write, run: Run) -> None:
    rows = [{"text": f"word {i % 3}", "label": label} for i, label in enumerate([*HOSTILE, *HOSTILE])]
    if task == "multilabel":
        rows = [{"text": row["text"], "labels": [row["label"], "other"]} for row in rows]  # type: ignore[dict-item]
    write("g.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    key = "label" if task == "labels" else "labels"
    write("s.jsonl", "".join(json.dumps({key: rows[i // 2 * 2][key]}) + "\n" for i in range(len(rows))))
    data = ("features", "--gold", "g.jsonl", "-s", "s=s.jsonl", "--task", task, *EVERYTHING)
    found = first(run(*data, "--json", "-"))
    assert {"exp:^x$", "exp:*", "exp:two words", "exp:<script>alert(1)</script>"} <= found.keys()
    shown = run(*data, "--csv", "out", "--latex", "tex", "--markdown", "md")
    assert shown.code == 0, shown.err
    assert not set(MARKS) & set(shown.out + shown.err)


def test_hostile_tokens(write: Write, run: Run) -> None:
    tokens = [text for text in HOSTILE if not re.search(r"\s", text)]
    write("g.conll", "\n".join(f"{token}\tB-{tokens[i * 7 % len(tokens)]}\nx\tO\n" for i, token in enumerate(tokens)))
    write("s.conll", "\n".join(f"{token}\tB-{tokens[i * 5 % len(tokens)]}\nx\tO\n" for i, token in enumerate(tokens)))
    for more in ((), ("--units",)):
        data = ("features", *SPANS, *EVERYTHING, *more, "--resamples", "20")
        document(run(*data, "--json", "-"))
        shown = run(*data, "--csv", "out", "--latex", "tex", "--markdown", "md")
        assert shown.code == 0, shown.err
        assert not set(MARKS) & set(shown.out + shown.err)


@pytest.mark.parametrize("name", ["<b>", "^x$", "*", "{0}", "[bold]", "\x1b[31m", "a b", "%s", "in", "exp", "out"])
def test_hostile_names_of_systems(name: str, files: Path, run: Run) -> None:
    data = ("features", "--gold", "g.txt", "--input", "in.txt", "-s", f"{name}=a.txt", "-s", "t=b.txt")
    assert [one["system"] for one in lists(run(*data, "--json", "-"))] == [name, "t"]
    assert "\x1b" not in run(*data, "--worsening", f"{name},t").out
    assert [one["against"] for one in lists(run(*data, "--worsening", f"{name},t", "--json", "-"))] == [name]


def test_empty_texts(write: Write, run: Run) -> None:
    write("in.txt", "\n" * 19_999 + "x\n")
    write("s.txt", "1\n0\n" * 10_000)
    for more in ((), ("--shapes", "--bigrams", "--numbers", "--pairs"), ("--geval", "--numbers")):
        one = lists(run("features", "--task", "scores", "--input", "in.txt", "-s", "s=s.txt", *more, "--json", "-"))[0]
        assert one["n"] == 20_000
        assert {f["kind"] for f in one["features"]} <= {"length", "token"}


def test_empty_outputs(write: Write, run: Run) -> None:
    write("g.txt", "a b\n\n" * 10 + "x\n")
    write("s.txt", "\n" * 20 + "x\n")
    data = ("features", "--task", "text", "-m", "wer", "--gold", "g.txt", "-s", "s=s.txt", "--json", "-")
    found = first(run(*data, "--top", "0"))
    assert found["exp:a"]["mean"] == 1
    assert found["exp:a"]["rest_mean"] == 0
    assert found["exp:a"]["n"] == 10


def test_one_item(write: Write, run: Run) -> None:
    write("in.txt", "a b c\n")
    write("g.txt", "x\n")
    write("s.txt", "y\n")
    data = ("features", "--gold", "g.txt", "--input", "in.txt", "-s", "s=s.txt", "--task", "labels")
    for more in ((), EVERYTHING, (*EVERYTHING, "--pairs"), ("--geval", *EVERYTHING), ("--units", *EVERYTHING)):
        one = lists(run(*data, *more, "--json", "-"))[0]
        assert (one["tested"], one["features"]) == (0, [])
        assert run(*data, *more).code == 0


def test_scores_that_are_all_equal(files: Path, run: Run) -> None:
    data = ("features", "--gold", "g.txt", "--input", "in.txt", "-s", "s=g.txt")
    ran = run(*data, *EVERYTHING, "--pairs", "--json", "-")
    found = document(ran)
    assert "every item has the same score" in ran.err
    assert any("every item has the same score" in warning for warning in found["data"]["warnings"])
    for feature in found["result"]["lists"][0]["features"]:
        assert feature["p"] >= 0.5
        assert feature["mean"] == feature["rest_mean"] == 1
    assert "same score" in run(*data, "--quiet").out


def test_no_feature_is_frequent_enough(files: Path, run: Run) -> None:
    one = lists(run("features", *DATA, "--min-count", "1000", "--pairs", "--json", "-"))[0]
    assert (one["tested"], one["features"]) == (0, [])
    ran = run("features", *DATA, "--min-count", "1000", "--csv", "out", "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err


def test_some_lines_have_more_columns(write: Write, run: Run) -> None:
    write("in.txt", "a\tb\nc\nd\te\tf\n" * 6)
    write("s.txt", "1\n0\n1\n" * 6)
    ran = run(
        "features", "--task", "scores", "--input", "in.txt", "-s", "s=s.txt", "--top", "0", "--no-fold", "--json", "-"
    )
    found = first(ran)
    assert {"in<1>:a", "in<1>:c", "in<1>:d", "in<2>:b", "in<2>:e", "in<3>:f"} <= found.keys()
    assert all(found[name]["n"] == 6 for name in ("in<1>:a", "in<2>:e", "in<3>:f"))


def test_windows_line_ends_and_a_byte_order_mark(files: Path, write: Write, run: Run) -> None:
    plain = lists(run("features", *DATA, "--json", "-"))
    for name in ("in.txt", "g.txt", "a.txt", "b.txt"):
        text = (files / name).read_text(encoding="utf-8")
        write(name, "\ufeff" + text.replace("\n", "\r\n"))
    assert lists(run("features", *DATA, "--json", "-")) == plain


def test_no_input_at_all(files: Path, run: Run) -> None:
    found = first(run("features", "--gold", "g.txt", "-s", "a=a.txt", "--json", "-"))
    assert found.keys() == {"exp:pos", "exp:neg", "out:pos", "out:neg"} - set(found["exp:neg"]["folded"])


# ---------------------------------------------------------------------- the same input, the same result

MANY = ("--bigrams", "--shapes", "--pairs", "--numbers", "--min-count", "3", "--top", "60")


def same(a: Any, b: Any) -> None:
    """Check that two lists say the same, but for items and the last bits of sums."""
    assert [f["feature"] for f in a["features"]] == [f["feature"] for f in b["features"]]
    for one, other in zip(a["features"], b["features"], strict=True):
        for key in FEATURE - {"examples"}:
            if isinstance(one[key], float):
                assert one[key] == pytest.approx(other[key], rel=1e-9, abs=1e-12), key
            else:
                assert one[key] == other[key], key
    assert [c["feature"] for c in a["confusions"]] == [c["feature"] for c in b["confusions"]]
    assert a["tested"] == b["tested"]


@pytest.mark.parametrize("more", [(), ("--units",), ("--geval",), ("--worsening", "a,b"), ("--best",)])
def test_the_order_of_items_makes_no_difference(more: tuple[str, ...], files: Path, write: Write, run: Run) -> None:
    data = ("features", *DATA, *MANY, *more, "--resamples", "0", "--json", "-")
    before = lists(run(*data))
    rows = ROWS[:]
    random.Random(1).shuffle(rows)
    for name, column in (("in.txt", 0), ("g.txt", 2), ("a.txt", 3), ("b.txt", 4)):
        write(name, "".join(f"{row[column]}\n" for row in rows))
    after = lists(run(*data))
    for a, b in zip(before, after, strict=True):
        same(a, b)


def test_scores_in_another_order(write: Write, run: Run) -> None:
    """Ranks of fractions, where p comes from seeded draws."""
    rng = random.Random(2)
    rows = [(" ".join(rng.choices("abcdefghij", k=3)), f"{rng.random():.3f}") for _ in range(70)]
    found = []
    for order in (rows, rows[::-1], sorted(rows)):
        write("in.txt", "".join(f"{text}\n" for text, _ in order))
        write("s.txt", "".join(f"{score}\n" for _, score in order))
        found += lists(run("features", "--task", "scores", "--input", "in.txt", "-s", "s=s.txt", *MANY, "--json", "-"))
    for a, b in pairwise(found):
        same(a, b)


def test_hash_seeds_make_no_difference(files: Path, entities: Path) -> None:
    script = "import sys\nfrom slicewise.cli import main\nfor line in sys.stdin:\n  sys.argv = line.split()\n  main()\n"
    every = (DATA, (*SPANS, "--units", "--resamples", "50"), (*DATA, "--worsening", "a,b", "--geval"))
    commands = "".join(" ".join(("slicewise", "features", *data, *MANY, "--json", "-")) + "\n" for data in every)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            input=commands.encode(),
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=files,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0].count(b'"command": "features"') == 3
    assert outputs[0] == outputs[1]
