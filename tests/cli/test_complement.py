"""`slicewise complement` through the real command: figures by hand, every option, the JSON, wrong options, odd data."""

from __future__ import annotations

import csv
import json
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import Ran, Run, Write, document_of, refused
from support.three_systems import CONLL, LABELLED, LABELS, SEVERAL, TASKS, TEXT, conll, write_systems
from support.work import no_hang

import slicewise

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

PAIR = {
    "a", "b", "comp", "p_comp", "r_comp", "f_comp", "missed_a", "missed_b", "missed_both", "spurious_a", "spurious_b",
    "spurious_both",
}  # fmt: skip
PRF = {"n_gold", "n_pred", "tp", "precision", "recall", "f1", "ci"}
MEASURES = ("comp", "p_comp", "r_comp", "f_comp")
QUESTIONS = {"missed_both", "correct_both", "only_a", "only_b", "spurious_both", "spurious_only_a", "spurious_only_b"}

# ---------------------------------------------------------------------- data

TOKENS = [["Ada", "met", "Bob"], ["Rome", "fell"], ["Paris", "and", "Oslo", "won"], ["the", "IMF", "said"]]
SPANS: dict[str, list[list[str]]] = {
    "g": [["B-PER", "O", "B-PER"], ["B-LOC", "O"], ["B-LOC", "O", "B-LOC", "O"], ["O", "B-ORG", "O"]],
    "a": [["B-PER", "O", "O"], ["B-LOC", "O"], ["B-ORG", "O", "O", "B-LOC"], ["O", "B-ORG", "O"]],
    "b": [["B-PER", "O", "B-PER"], ["O", "B-LOC"], ["B-ORG", "O", "O", "O"], ["O", "O", "O"]],
    "c": [["O", "O", "B-PER"], ["B-LOC", "O"], ["B-ORG", "O", "B-LOC", "O"], ["O", "B-LOC", "O"]],
}
# right:    a Ada, Rome, IMF;  b Ada, Bob;  c Bob, Rome, Oslo;  nobody Paris
# missed:   a Bob, Paris, Oslo;  b Rome, Paris, Oslo, IMF;  c Ada, Paris, IMF
# spurious: a Paris ORG, won;  b Paris ORG, fell;  c Paris ORG, IMF LOC
BY_HAND: dict[tuple[str, str], tuple[float, float, float, float]] = {
    # comp, p_comp, r_comp, f_comp = 2PR/(P+R)
    ("a", "b"): (2 / 5, 1 / 2, 1 / 3, 2 / 5),  # 3 of a's 5 errors are b's too: Paris, Oslo, Paris ORG
    ("a", "c"): (3 / 5, 1 / 2, 2 / 3, 4 / 7),  # Paris, Paris ORG
    ("b", "a"): (3 / 6, 1 / 2, 2 / 4, 1 / 2),
    ("b", "c"): (3 / 6, 1 / 2, 2 / 4, 1 / 2),  # Paris, IMF, Paris ORG
    ("c", "a"): (3 / 5, 1 / 2, 2 / 3, 4 / 7),
    ("c", "b"): (2 / 5, 1 / 2, 1 / 3, 2 / 5),
}
TOGETHER: dict[tuple[str, str, int | None], tuple[int, int]] = {
    # tp, n_pred; 6 are gold
    ("union", "a b", None): (4, 7),  # Ada Bob Rome IMF; Paris ORG, won, fell
    ("union", "a c", None): (5, 8),  # all but Paris; Paris ORG, won, IMF LOC
    ("union", "b c", None): (4, 7),  # Ada Bob Rome Oslo; Paris ORG, fell, IMF LOC
    ("intersection", "a b", None): (1, 2),  # Ada; Paris ORG
    ("intersection", "a c", None): (1, 2),  # Rome
    ("intersection", "b c", None): (1, 2),  # Bob
    ("vote", "a b c", 1): (5, 9),
    ("vote", "a b c", 2): (3, 4),  # Ada Bob Rome; Paris ORG
    ("vote", "a b c", 3): (0, 1),  # Paris ORG
}


MATRIX = "item,p,q,r\n762_levodopa,1,0,0\n10_levodopa,1,1,1\n11_calcium,0,0,0\n12_calcium,1,1,0\n13_calcium,0,1,1\n"
MISSES_ONLY = ("exact-match", "wer", "jsonl scores", "csv scores", "matrix")


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write_systems(write, TOKENS, SPANS, MATRIX)
    return tmp_path


# ---------------------------------------------------------------------- reading results


document = partial(document_of, "complement")


def result(ran: Ran) -> Any:
    return document(ran)["result"]


def by_pair(rows: list[Row]) -> dict[tuple[str, str], Row]:
    found = {(row["a"], row["b"]): row for row in rows}
    assert len(found) == len(rows)
    return found


def ensemble(found: Any, kind: str, systems: str, k: int | None = None) -> Row:
    rows = [e for e in found["ensembles"] if (e["kind"], e["systems"], e["k"]) == (kind, systems.split(), k)]
    assert len(rows) == 1, (kind, systems, k)
    one: Row = rows[0]
    return one


def counts(row: Row) -> tuple[int, int, int]:
    return row["tp"], row["n_pred"], row["n_gold"]


# ---------------------------------------------------------------------- the JSON of all tasks


@pytest.mark.parametrize("task", TASKS)
def test_the_names_that_scripts_rely_on(task: str, files: Path, run: Run) -> None:
    found = document(run("complement", *TASKS[task], "--resamples", "30", "--json", "-"))
    systems, body = found["data"]["systems"], found["result"]
    assert list(by_pair(body["pairs"])) == list(permutations(systems, 2))
    assert all(set(pair) >= PAIR for pair in body["pairs"])
    for one in (*body["ensembles"], body["oracle"], *body["systems"].values()):
        assert set(one) >= {"kind", "systems", "k"} | PRF
    two = [tuple(e["systems"]) for e in body["ensembles"] if e["kind"] == "union"]
    assert two == list(combinations(sorted(systems), 2))
    assert two == [tuple(e["systems"]) for e in body["ensembles"] if e["kind"] == "intersection"]
    votes = [e for e in body["ensembles"] if e["kind"] == "vote"]
    assert [e["k"] for e in votes] == [*range(1, len(systems) + 1), *([None] if task == "labels" else [])]
    assert all(e["systems"] == systems for e in votes)
    assert len(body["curve"]) == len(systems)
    assert (body["greedy"] is None) == (task in MISSES_ONLY)


@pytest.mark.parametrize("task", TASKS)
def test_the_identities(task: str, files: Path, run: Run) -> None:
    """Those of section 7 of the definitions, from the figures that are shown."""
    found = result(run("complement", *TASKS[task], "--resamples", "0", "--json", "-"))
    pairs, alone = by_pair(found["pairs"]), found["systems"]
    for (a, b), pair in pairs.items():
        back = pairs[b, a]
        assert pair["missed_both"] == back["missed_both"]
        assert pair["missed_a"] == back["missed_b"] == alone[a]["n_gold"] - alone[a]["tp"]
        union, common = (ensemble(found, kind, " ".join(sorted((a, b)))) for kind in ("union", "intersection"))
        if pair["r_comp"] is not None:
            assert pair["missed_a"] * (1 - pair["r_comp"]) == pytest.approx(pair["missed_both"])
            gain = pair["r_comp"] * (1 - alone[a]["recall"])
            assert union["recall"] - alone[a]["recall"] == pytest.approx(gain)
        if task in MISSES_ONLY:
            assert (pair["p_comp"], pair["f_comp"], pair["spurious_a"], pair["spurious_both"]) == (None,) * 4
            assert (union["n_pred"], union["precision"], union["f1"]) == (None, None, None)
        elif pair["p_comp"] is not None and back["p_comp"] is not None:
            fp = {name: alone[name]["n_pred"] - alone[name]["tp"] for name in (a, b)}
            assert common["n_pred"] - common["tp"] == pytest.approx(fp[a] * (1 - pair["p_comp"]))
            assert union["n_pred"] - union["tp"] == pytest.approx(fp[a] + fp[b] * back["p_comp"])


@pytest.mark.parametrize("task", TASKS)
def test_the_terminal_shows_every_task(task: str, files: Path, run: Run) -> None:
    ran = run("complement", *TASKS[task], "--resamples", "30")
    assert ran.code == 0, ran.err
    assert "R_comp" in ran.out
    assert ("P_comp" in ran.out) == (task not in MISSES_ONLY)
    assert "nan" not in ran.out.lower().split()
    assert "None" not in ran.out


# ---------------------------------------------------------------------- by hand


@pytest.mark.parametrize("task", ["spans", "characters", "tokens"])
def test_pairs_by_hand(task: str, files: Path, run: Run) -> None:
    found = by_pair(result(run("complement", *TASKS[task], "--resamples", "0", "--json", "-"))["pairs"])
    assert {key: tuple(row[m] for m in MEASURES) for key, row in found.items()} == {
        key: pytest.approx(values) for key, values in BY_HAND.items()
    }
    row = found["b", "c"]
    assert (row["missed_a"], row["missed_b"], row["missed_both"]) == (4, 3, 2)
    assert (row["spurious_a"], row["spurious_b"], row["spurious_both"]) == (2, 2, 1)
    assert (row["wrong_a"], row["wrong_b"], row["wrong_both"]) == (6, 5, 3)
    assert (row["correct_both"], row["only_a"], row["only_b"]) == (1, 1, 2)  # Bob; Ada; Rome and Oslo


@pytest.mark.parametrize("task", ["spans", "characters", "tokens"])
def test_ensembles_by_hand(task: str, files: Path, run: Run) -> None:
    found = result(run("complement", *TASKS[task], "--resamples", "0", "--json", "-"))
    assert len(found["ensembles"]) == len(TOGETHER)
    for (kind, systems, k), (tp, n_pred) in TOGETHER.items():
        one = ensemble(found, kind, systems, k)
        assert counts(one) == (tp, n_pred, 6)
        assert (one["precision"], one["recall"]) == pytest.approx((tp / n_pred, tp / 6))
        f1 = 2 * tp / (n_pred + 6)
        assert one["f1"] == pytest.approx(f1)
        best = {"a b": 6 / 11, "a c": 6 / 11, "b c": 6 / 11, "a b c": 6 / 11}[systems]  # a and c: 3 of 5, of 6
        assert one["gain"] == pytest.approx(f1 - best)
        assert one["against"] == ("c" if systems == "b c" else "a")
    assert counts(found["oracle"]) == (5, 5, 6)
    assert [(one["system"], one["added"], one["tp"]) for one in found["curve"]] == [
        ("a", 3, 3),
        ("c", 2, 5),
        ("b", 0, 5),
    ]
    assert [one["r_comp"] for one in found["curve"]] == pytest.approx([3 / 6, 2 / 3, 0])
    # a and c are equally good alone; a ∪ c has F1 10/14, a ∪ b 8/13; with b, 10/15
    assert (found["greedy"]["systems"], found["greedy"]["k"]) == (["a", "c"], 1)
    assert [one["f1"] for one in found["greedy"]["path"]] == pytest.approx([6 / 11, 10 / 14, 10 / 15])


def test_labels_by_hand(files: Path, run: Run) -> None:
    """An item of `labels` is wrong once, and a silent system returns nothing."""
    found = result(run("complement", *LABELLED, "--resamples", "0", "--json", "-"))
    assert found["over"] == "items"
    pairs = by_pair(found["pairs"])
    # right: x 0 1 3, y 0 3 4, z 4; x is silent on item 5
    x_y, y_z, z_y = pairs["x", "y"], pairs["y", "z"], pairs["z", "y"]
    assert [x_y[m] for m in MEASURES] == pytest.approx([1 / 3, 1, 1 / 3, 1 / 2])
    assert (x_y["spurious_a"], x_y["spurious_b"], x_y["spurious_both"]) == (2, 3, 0)
    assert (x_y["wrong_a"], x_y["wrong_b"], x_y["wrong_both"]) == (3, 3, 2)  # 2 4 5; 1 2 5
    assert [y_z[m] for m in MEASURES] == [0, 0, 0, 0]  # P + R = 0
    assert [z_y[m] for m in MEASURES] == pytest.approx([2 / 5] * 4)
    # gold b is items 1 and 4: x misses 4 and y 1, and an item is wrong once, in the slice of its gold label
    b = next(s for s in found["slices"] if (s["bucket"], s["a"], s["b"]) == ("b", "x", "y"))
    assert (b["wrong_a"], b["wrong_b"], b["wrong_both"], b["comp"], b["spurious_b"]) == (1, 1, 0, 1, 1)
    # by most votes: a c b a b a, of which 0, 3 and 4 are right; nobody has 2 and 5
    assert counts(ensemble(found, "vote", "x y z", None)) == (3, 6, 6)
    assert counts(ensemble(found, "vote", "x y z", 2)) == (3, 6, 6)
    assert counts(ensemble(found, "vote", "x y z", 1)) == (4, 11, 6)  # and 7 different wrong ones
    assert counts(found["oracle"]) == (4, 4, 6)


def test_several_labels_by_hand(files: Path, run: Run) -> None:
    found = result(run("complement", *SEVERAL, "--resamples", "0", "--json", "-"))
    pairs = by_pair(found["pairs"])
    # x misses 0q, y misses 1q and 3r; spurious: x 2r, y 2r and 3p
    assert [pairs["x", "y"][m] for m in MEASURES] == pytest.approx([1 / 2, 0, 1, 0])
    assert [pairs["y", "x"][m] for m in MEASURES] == pytest.approx([3 / 4, 1 / 2, 1, 2 / 3])
    assert counts(ensemble(found, "union", "x y")) == (4, 6, 4)
    assert counts(ensemble(found, "intersection", "x y")) == (1, 2, 4)


def test_the_edges_of_the_definitions(write: Write, run: Run) -> None:
    """B's error set empty: 1. A's empty and B's not: undefined."""
    write("g.txt", "p\np\np\n")
    write("right.txt", "p\np\np\n")
    write("wrong.txt", "p\nq\n\n")
    data = ("--task", "labels", "--gold", "g.txt", "-s", "r=right.txt", "-s", "s=right.txt", "-s", "w=wrong.txt")
    pairs = by_pair(result(run("complement", *data, "--json", "-"))["pairs"])
    assert [pairs["r", "s"][m] for m in MEASURES] == [1, 1, 1, 1]
    assert [pairs["w", "r"][m] for m in MEASURES] == [1, 1, 1, 1]
    assert [pairs["r", "w"][m] for m in MEASURES] == [None] * 4
    assert (pairs["r", "w"]["missed_a"], pairs["r", "w"]["missed_b"], pairs["r", "w"]["missed_both"]) == (0, 2, 0)


# ---------------------------------------------------------------------- scored items


def found_by(ran: Ran) -> dict[str, int]:
    return {name: one["tp"] for name, one in result(ran)["systems"].items()}


def test_exact_match_is_right_or_wrong(files: Path, run: Run) -> None:
    found = result(run("complement", *TASKS["exact-match"], "--json", "-"))
    assert {name: one["tp"] for name, one in found["systems"].items()} == {"x": 2, "y": 2}
    assert [pair["r_comp"] for pair in found["pairs"]] == [1, 1]  # x has 0 and 3, y has 1 and 2
    assert "exact-match is 1" in found["rule"]
    assert found["over"] == "items"


@pytest.mark.parametrize(
    ("threshold", "found", "said"),
    [
        ("0.4", {"x": 3, "y": 2}, "at most 0.4"),
        ("0.5", {"x": 3, "y": 3}, "at most 0.5"),
        ("75%", {"x": 3, "y": 3}, "at most 0.5"),  # the sixth of 0 0 0 0 1/3 1/2 1 1
        (" 100 %", {"x": 4, "y": 4}, "at most 1"),
        ("25%", {"x": 2, "y": 2}, "25% quantile"),
        (None, {"x": 2, "y": 2}, "median"),  # the fourth: 0
        ("-1", {"x": 0, "y": 0}, "at most -1"),
    ],
)
def test_thresholds_where_lower_is_better(
    threshold: str | None, found: dict[str, int], said: str, files: Path, run: Run
) -> None:
    more = () if threshold is None else ("--threshold", threshold)
    ran = run("complement", *TASKS["wer"], *more, "--json", "-")
    assert found_by(ran) == found
    assert said in result(ran)["rule"]
    assert said in document(ran)["signature"]


@pytest.mark.parametrize("task", ["jsonl scores", "csv scores"])
@pytest.mark.parametrize(
    ("threshold", "found"),
    [
        ("0.6", {"a": 2, "b": 2}),
        ("0.55", {"a": 2, "b": 2}),
        ("25%", {"a": 3, "b": 4}),  # the second of .1 .2 .5 .5 .6 .7 .8 .9
        (None, {"a": 3, "b": 3}),  # the fourth: 0.5
    ],
)
def test_thresholds_of_scores(task: str, threshold: str | None, found: dict[str, int], files: Path, run: Run) -> None:
    more = () if threshold is None else ("--threshold", threshold)
    assert found_by(run("complement", *TASKS[task], *more, "--json", "-")) == found


@pytest.mark.parametrize("threshold", ["", "abc", "%", "nan", "inf", "0,5", "101%", "-5%", "2 5%", "1e400"])
def test_thresholds_that_are_none(threshold: str, files: Path, run: Run) -> None:
    refused(run("complement", *TASKS["wer"], "--threshold", threshold), "threshold")


@pytest.mark.parametrize("task", ["spans", "characters", "tokens", "labels", "multilabel"])
def test_units_have_no_threshold(task: str, files: Path, run: Run) -> None:
    refused(run("complement", *TASKS[task], "--threshold", "0.5"), "--threshold is for scored items")


def test_a_matrix(files: Path, write: Write, run: Run) -> None:
    found = result(run("complement", *TASKS["matrix"], "--resamples", "0", "--json", "-"))
    pairs = by_pair(found["pairs"])
    # found: p 0 1 3, q 1 3 4, r 1 4
    assert pairs["p", "q"]["r_comp"] == pytest.approx(1 / 2)  # of 2 and 4, q has 4
    assert pairs["r", "p"]["r_comp"] == pytest.approx(2 / 3)
    assert [pairs["q", "r"]["r_comp"], pairs["r", "q"]["r_comp"]] == pytest.approx([0, 1 / 3])
    assert pairs["p", "q"]["comp"] == pairs["p", "q"]["r_comp"]
    assert [one["tp"] for one in found["ensembles"] if one["kind"] == "vote"] == [4, 3, 1]
    assert found["oracle"]["tp"] == 4
    write("bare.txt", "".join(line.partition(",")[2].replace(",", " ") + "\n" for line in MATRIX.split("\n")[1:-1]))
    ran = run("complement", "--matrix", "bare.txt", "--system-names", "p,q,r", "--resamples", "0", "--json", "-")
    bare = result(ran)
    assert bare["pairs"] == found["pairs"]
    assert bare["ensembles"] == found["ensembles"]


# ---------------------------------------------------------------------- slices


def test_labels_are_the_slices_unless_told(files: Path, run: Run) -> None:
    found = result(run("complement", *CONLL, "--resamples", "0", "--json", "-"))
    slices = {(s["attribute"], s["bucket"], s["a"], s["b"]): s for s in found["slices"]}
    assert {key[1] for key in slices} == {"PER", "LOC", "ORG"}
    assert {key[0] for key in slices} == {"label"}
    loc = slices["label", "LOC", "a", "b"]
    # gold Rome Paris Oslo: a misses Paris Oslo, b all; spurious LOC: a won, b fell
    assert (loc["n_gold"], loc["missed_a"], loc["missed_b"], loc["missed_both"]) == (3, 2, 3, 2)
    assert (loc["spurious_a"], loc["spurious_b"], loc["spurious_both"]) == (1, 1, 0)
    assert [loc[m] for m in MEASURES] == pytest.approx([1 - 2 / 3, 1, 0, 0])
    org = slices["label", "ORG", "a", "b"]  # a has IMF, so it misses nothing; b does
    assert (org["r_comp"], org["p_comp"], org["missed_a"], org["missed_b"]) == (None, 0, 0, 1)


def test_buckets_of_attributes(files: Path, run: Run) -> None:
    data = ("complement", *CONLL, "-a", "sLen", "-a", "label", "--cuts", "sLen=2,3", "--resamples", "0", "--json", "-")
    found = result(run(*data))
    assert list(dict.fromkeys(s["attribute"] for s in found["slices"])) == ["sLen", "label"]
    own = {s["bucket"]: s for s in found["slices"] if s["attribute"] == "sLen" and (s["a"], s["b"]) == ("a", "b")}
    by_gold = [s["n_gold"] for s in own.values() if s["n_gold"]]
    assert by_gold == [1, 3, 2]  # Rome; Ada Bob IMF; Paris Oslo
    first, second, third = (s for s in own.values() if s["n_gold"])
    assert [(s["missed_a"], s["missed_b"], s["missed_both"]) for s in (first, second, third)] == [
        (0, 1, 0),
        (1, 1, 0),
        (2, 2, 2),
    ]
    assert [s["r_comp"] for s in (first, second, third)] == [None, 1, 0]
    for attribute in ("sLen", "label"):
        for pair in found["pairs"]:
            rows = [s for s in found["slices"] if (s["attribute"], s["a"], s["b"]) == (attribute, pair["a"], pair["b"])]
            for name in PAIR - {"a", "b", *MEASURES}:
                assert sum(row[name] for row in rows) == pair[name]


def test_how_many_buckets(files: Path, run: Run) -> None:
    for buckets in ("2", "3"):
        found = result(run("complement", *CONLL, "-a", "sLen", "--buckets", buckets, "--resamples", "0", "--json", "-"))
        assert len({s["bucket"] for s in found["slices"]}) <= int(buckets)
        assert sum(s["n_gold"] for s in found["slices"] if (s["a"], s["b"]) == ("a", "b")) == 6


def test_attributes_of_tokens_count_tokens(write: Write, run: Run) -> None:
    tokens = [["New", "York", "wins"]]
    write("g.conll", conll([["B-LOC", "I-LOC", "O"]], tokens))
    write("a.conll", conll([["B-LOC", "I-LOC", "O"]], tokens))
    write("b.conll", conll([["O", "O", "O"]], tokens))
    data = ("--gold", "g.conll", "-s", "a=a.conll", "-s", "b=b.conll", "--train", "g.conll", "-a", "tFre")
    found = result(run("complement", *data, "--json", "-"))
    own = [s for s in found["slices"] if (s["a"], s["b"]) == ("b", "a")]
    assert (sum(s["n_gold"] for s in own), sum(s["missed_a"] for s in own)) == (2, 2)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("-a", "nonsense"), "unknown attribute 'nonsense'"),
        (("-a", "sLen", "--buckets", "0"), "bucket"),
        (("-a", "sLen", "--cuts", "sLen=x"), "sLen"),
        (("-a", "eCon"), "train"),
    ],
)
def test_wrong_slices(options: tuple[str, ...], part: str, files: Path, run: Run) -> None:
    refused(run("complement", *CONLL, *options), part)


def test_an_attribute_that_differs_between_systems(files: Path, run: Run) -> None:
    ran = run("complement", *TASKS["exact-match"], "--input", "tg.txt", "-a", "outRatio")
    refused(ran, "outRatio differs between systems")


def test_all_attributes_of_texts(files: Path, run: Run) -> None:
    ran = run("complement", *TASKS["exact-match"], "--input", "tg.txt", "-a", "all", "--resamples", "0", "--json", "-")
    assert {"tokens", "chars"} <= {s["attribute"] for s in result(ran)["slices"]}


def test_buckets_stand_beside_their_interval(write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\n\na\tB-X\nb\tI-X\n\na\tB-X\nb\tI-X\nc\tI-X\n\n" + "a\tB-X\n" + "b\tI-X\n" * 4)
    data = ("complement", "--gold", "g.conll", "-s", "x=g.conll", "-s", "y=g.conll", "-a", "eLen", "--resamples", "0")
    shown = run(*data).out.partition("By eLen")[2].partition("One more system")[0]
    assert "≥ 4" in shown
    assert any("≥ 4" in str(value) for s in result(run(*data, "--json", "-"))["slices"] for value in s.values())


# ---------------------------------------------------------------------- set questions


def test_the_units_behind_a_pair(files: Path, run: Run) -> None:
    found = result(run("complement", *CONLL, "--compare", "c,b", "--json", "-"))
    (pair,) = found["questions"]
    assert (pair["a"], pair["b"]) == ("c", "b")
    said = {q: [(u["item"], u["text"], u["label"]) for u in units] for q, units in pair["units"].items()}
    assert said == {
        "missed_both": [(2, "Paris", "LOC"), (3, "IMF", "ORG")],
        "correct_both": [(0, "Bob", "PER")],
        "only_a": [(1, "Rome", "LOC"), (2, "Oslo", "LOC")],
        "only_b": [(0, "Ada", "PER")],
        "spurious_both": [(2, "Paris", "ORG")],
        "spurious_only_a": [(3, "IMF", "LOC")],
        "spurious_only_b": [(1, "fell", "LOC")],
    }
    assert pair["counts"] == {question: len(units) for question, units in said.items()}
    bob = pair["units"]["correct_both"][0]
    assert (bob["start"], bob["end"], bob["left"], bob["right"]) == (2, 3, "Ada met ", "")
    assert (bob["gold"], bob["systems"]) == (True, ["b", "c"])
    assert pair["units"]["spurious_both"][0]["gold"] is False


def test_which_pairs_are_listed(files: Path, run: Run) -> None:
    best = result(run("complement", *CONLL, "--json", "-"))["questions"]
    assert [(pair["a"], pair["b"]) for pair in best] == [("a", "c")]  # 6/11 each; b has 4/10
    two = ("--compare", "b,a", "--compare", "c,b", "--compare", "b,a")
    asked = result(run("complement", *CONLL, *two, "--json", "-"))["questions"]
    assert [(pair["a"], pair["b"]) for pair in asked] == [("b", "a"), ("c", "b")]


def test_how_many_units_are_listed(write: Write, run: Run) -> None:
    write("g.txt", "p\n" * 30)
    write("x.txt", "p\n" * 30)
    write("y.txt", "q\n" * 30)
    data = ("complement", "--task", "labels", "--gold", "g.txt", "-s", "x=x.txt", "-s", "y=y.txt", "--json", "-")
    for top, shown in ((), 10), (("--top", "3"), 3), (("--top", "0"), 30), (("--top", "99"), 30):
        (pair,) = result(run(*data, *top))["questions"]
        assert pair["counts"]["only_a"] == 30
        items = [unit["item"] for unit in pair["units"]["only_a"]]
        assert len(items) == len(set(items)) == shown
        assert items == sorted(items)
        assert (items[0], items[-1]) == (0, 29)  # from all over the data


def test_items_have_fewer_questions(files: Path, run: Run) -> None:
    (pair,) = result(run("complement", *TASKS["wer"], "--threshold", "0.4", "--json", "-"))["questions"]
    assert pair["counts"] == {"missed_both": 0, "correct_both": 1, "only_a": 2, "only_b": 1}
    assert [unit["item"] for unit in pair["units"]["only_a"]] == [0, 3]


@pytest.mark.parametrize(
    ("pair", "part"),
    [
        ("a", "--compare A,B"),
        ("a,b,c", "--compare A,B"),
        ("a,z", "no system 'z'"),
        ("a,a", "not two systems"),
        ("", ""),
    ],
)
def test_pairs_that_are_none(pair: str, part: str, files: Path, run: Run) -> None:
    refused(run("complement", *CONLL, "--compare", pair), part)


# ---------------------------------------------------------------------- scoring options


def test_beta(files: Path, run: Run) -> None:
    plain = result(run("complement", *CONLL, "--resamples", "0", "--json", "-"))
    found = result(run("complement", *CONLL, "--resamples", "0", "--beta", "2", "--json", "-"))
    pairs = by_pair(found["pairs"])
    # 5PR/(4P+R), P 1/2 and R 1/3: (5/6)/(7/3)
    assert pairs["a", "b"]["f_comp"] == pytest.approx(5 / 14)
    assert pairs["a", "c"]["f_comp"] == pytest.approx((5 / 3) / (8 / 3))
    for key in ("p_comp", "r_comp", "comp"):
        assert [p[key] for p in found["pairs"]] == [p[key] for p in plain["pairs"]]
    assert found["beta"] == 2
    half = result(run("complement", *CONLL, "--resamples", "0", "--beta", "0.5", "--json", "-"))
    assert by_pair(half["pairs"])["a", "b"]["f_comp"] == pytest.approx(1.25 / 6 / (0.25 / 2 + 1 / 3))


def test_no_intervals(files: Path, run: Run) -> None:
    ran = run("complement", *CONLL, "--resamples", "0", "--json", "-")
    text = json.dumps(result(ran))
    assert '"ci": null' in text
    assert '"ci": {' not in text
    assert '"gain_ci": [' not in text
    assert "interval" not in run("complement", *CONLL, "--resamples", "0").out


def test_intervals(files: Path, run: Run) -> None:
    data = ("complement", *CONLL, "--resamples", "200", "--json", "-")
    first = run(*data)
    found = result(first)
    assert run(*data) == first
    for pair in found["pairs"]:
        assert set(pair["ci"]) == set(pair["undefined_draws"]) == set(MEASURES)
        for measure in MEASURES:
            low, high = pair["ci"][measure]
            assert 0 <= low <= high <= 1
    for one in found["ensembles"]:
        assert set(one["ci"]) == {"precision", "recall", "f1"}
        assert one["ci"]["f1"][0] <= one["f1"] <= one["ci"]["f1"][1]
        assert one["gain_ci"][0] <= one["gain_ci"][1]
    narrow = result(run(*data, "--confidence", "0.5"))
    for wide_one, one in zip(found["ensembles"], narrow["ensembles"], strict=True):
        assert wide_one["ci"]["f1"][0] <= one["ci"]["f1"][0] <= one["ci"]["f1"][1] <= wide_one["ci"]["f1"][1]
    assert result(run(*data, "--seed", "1"))["pairs"] != found["pairs"]


def test_clusters_are_drawn_together(write: Write, run: Run) -> None:
    """Two documents of ten items: all of the first are x's, all of the second y's."""
    record = '{{"label": "p", "doc": "d{}"}}\n'
    write("g.jsonl", record.format(1) * 10 + record.format(2) * 10)
    write("x.txt", "p\n" * 10 + "q\n" * 10)
    write("y.txt", "q\n" * 10 + "p\n" * 10)
    data = ("complement", "--gold", "g.jsonl", "-s", "x=x.txt", "-s", "y=y.txt", "--resamples", "200", "--json", "-")
    found = document(run(*data))
    assert found["data"]["clusters"] == 2
    lo, hi = found["result"]["systems"]["x"]["ci"]["recall"]
    assert 0 < lo < 0.01  # two documents say next to nothing
    assert hi == pytest.approx(1 - lo)
    alone = document(run(*data, "--cluster", "item"))
    low, high = alone["result"]["systems"]["x"]["ci"]["recall"]
    assert (alone["data"]["clusters"], 0.2 < low < high < 0.8) == (20, True)


# ---------------------------------------------------------------------- which systems


@pytest.mark.parametrize("task", ["spans", "labels", "wer"])
def test_one_system_is_not_enough(task: str, files: Path, run: Run) -> None:
    at = TASKS[task].index("-s")
    alone = (*TASKS[task][: at + 2], *(("--metric", "wer") if task == "wer" else ()))
    refused(run("complement", *alone), "two systems")


def test_a_matrix_of_one_system(write: Write, run: Run) -> None:
    write("m.csv", "item,p\nx,1\ny,0\n")
    refused(run("complement", "--matrix", "m.csv"), "two systems")


def test_restarts(files: Path, run: Run) -> None:
    data = ("--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "-s", "y=c.conll", "--resamples", "0")
    ran = run("complement", *data, "--json", "-")
    first = by_pair(result(ran)["pairs"])
    assert set(first) == {("x#1", "y"), ("y", "x#1")}
    assert first["x#1", "y"]["r_comp"] == pytest.approx(BY_HAND["a", "c"][2])
    assert "restarts of x" in ran.err
    assert any("restarts of x" in warning for warning in document(ran)["data"]["warnings"])
    ran = run("complement", *data, "--restarts", "each", "--json", "-")
    each = by_pair(result(ran)["pairs"])
    assert set(each) == set(permutations(("x#1", "x#2", "y"), 2))
    names = {"a": "x#1", "b": "x#2", "c": "y"}
    assert {key: row["r_comp"] for key, row in each.items()} == {
        (names[a], names[b]): pytest.approx(values[2]) for (a, b), values in BY_HAND.items()
    }
    assert "restarts of x" not in ran.err
    assert "restarts:each" in document(ran)["signature"]


def test_pairs_of_restarts(files: Path, run: Run) -> None:
    data = ("--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "-s", "y=c.conll", "--resamples", "0")
    asked = result(run("complement", *data, "--compare", "y,x", "--json", "-"))["questions"]
    assert [(pair["a"], pair["b"]) for pair in asked] == [("y", "x#1")]
    refused(run("complement", *data, "--compare", "x#2,y"), "--restarts each")
    asked = result(run("complement", *data, "--compare", "x#2,y", "--restarts", "each", "--json", "-"))["questions"]
    assert [(pair["a"], pair["b"]) for pair in asked] == [("x#2", "y")]
    refused(run("complement", *data, "--restarts", "blocks"), "restarts")


def test_restarts_of_one_system(files: Path, run: Run) -> None:
    data = ("--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "--resamples", "0")
    refused(run("complement", *data), "two systems")
    assert set(by_pair(result(run("complement", *data, "--restarts", "each", "--json", "-"))["pairs"])) == {
        ("x#1", "x#2"),
        ("x#2", "x#1"),
    }


TURNED = ("--gold", "g.conll", "-s", "c=c.conll", "-s", "b=b.conll", "-s", "a=a.conll")


def test_the_order_of_systems_changes_no_figure(files: Path, run: Run) -> None:
    one, other = (result(run("complement", *data, "--resamples", "0", "--json", "-")) for data in (CONLL, TURNED))
    assert by_pair(one["pairs"]) == by_pair(other["pairs"])
    for kind in ("union", "intersection"):
        assert [e for e in one["ensembles"] if e["kind"] == kind] == [
            e for e in other["ensembles"] if e["kind"] == kind
        ]
    assert [one["greedy"][key] for key in ("systems", "k", "path")] == [
        other["greedy"][key] for key in ("systems", "k", "path")
    ]
    assert counts(one["greedy"]["cross_validated"]) == counts(other["greedy"]["cross_validated"])
    assert [added["system"] for added in one["curve"]] == [added["system"] for added in other["curve"]]


def test_the_order_of_systems_changes_no_interval(files: Path, run: Run) -> None:
    one, other = (result(run("complement", *data, "--resamples", "50", "--json", "-")) for data in (CONLL, TURNED))
    assert by_pair(one["pairs"]) == by_pair(other["pairs"])


ODD = ["^x$", "x", "*", "^.*$", "a+b", "<b>", "with space", "x:y", "[red]"]


def test_any_name(write: Write, tmp_path: Path, run: Run) -> None:
    """A name is never a pattern, an order or a piece of markup."""
    gold = "pppppppppppp"
    answers = {name: "".join("p" if i % (k + 2) else "q" for i in range(12)) for k, name in enumerate(ODD)}
    write("g.txt", "".join(f"{label}\n" for label in gold))
    data = ["--task", "labels", "--gold", "g.txt"]
    for k, (name, labels) in enumerate(answers.items()):
        write(f"{k}.txt", "".join(f"{label}\n" for label in labels))
        data += ["-s", f"{name}={k}.txt"]
    ran = run("complement", *data, "--resamples", "0", "--compare", "^.*$,[red]", "--json", "-")
    found = result(ran)
    right = {name: {i for i, label in enumerate(labels) if label == "p"} for name, labels in answers.items()}
    assert {name: one["tp"] for name, one in found["systems"].items()} == {n: len(own) for n, own in right.items()}
    for (a, b), pair in by_pair(found["pairs"]).items():
        missed = set(range(12)) - right[a]
        assert pair["missed_both"] == len(missed - right[b])
    assert [tuple(e["systems"]) for e in found["ensembles"] if e["kind"] == "union"] == list(
        combinations(sorted(ODD), 2)
    )
    (pair,) = found["questions"]
    assert {u["item"] for u in pair["units"]["only_a"]} <= right["^.*$"] - right["[red]"]
    shown = run("complement", *data, "--resamples", "0").out
    for name in ODD:
        assert name in shown
    ran = run("complement", *data, "-q", "--write-ensemble", "o.txt", "--ensemble", "intersection:^x$,<b>")
    assert ran.code == 0, ran.err
    lines = (tmp_path / "o.txt").read_text(encoding="utf-8").split("\n")[:12]
    assert {i for i, label in enumerate(lines) if label == "p"} == right["^x$"] & right["<b>"]
    assert {i for i, label in enumerate(lines) if label == "q"} == set(range(12)) - right["^x$"] - right["<b>"]


def test_seventy_systems(write: Write, run: Run) -> None:
    """More than a number has bits."""
    items, rows = 40, []
    data = ["--gold", "g.conll"]
    write("g.conll", "w\tB-X\n\n" * items)
    for k in range(70):
        has = [(i * (k + 3)) % 7 % 3 != 0 for i in range(items)]
        rows.append(has)
        write(f"{k}.conll", "".join(f"w\t{'B-X' if own else 'O'}\n\n" for own in has))
        data += ["-s", f"s{k:02}={k}.conll"]
    with no_hang():
        found = result(run("complement", *data, "--resamples", "5", "--json", "-"))
    assert len(found["pairs"]) == 70 * 69
    last = by_pair(found["pairs"])["s69", "s68"]
    assert last["missed_both"] == sum(not a and not b for a, b in zip(rows[69], rows[68], strict=True))
    assert len(found["curve"]) == 70
    votes = [one["tp"] for one in found["ensembles"] if one["kind"] == "vote"]
    having = [sum(column) for column in zip(*rows, strict=True)]
    assert votes == [sum(n >= k for n in having) for k in range(1, 71)]
    assert found["oracle"]["tp"] == sum(n > 0 for n in having)
    write("m.csv", "".join(",".join(str(int(x)) for x in column) + "\n" for column in zip(*rows, strict=True)))
    shown = run("complement", "--matrix", "m.csv", "--resamples", "0")
    assert (shown.code, shown.err) == (0, "")
    assert "partner" in shown.out
    assert "system70" in shown.out


# ---------------------------------------------------------------------- ensembles as files


def scored(run: Run, *data: str) -> tuple[int, int, int]:
    """Return what a file scores as a system."""
    ran = run("score", *data, "--resamples", "0", "--json", "-")
    assert ran.code == 0, ran.err
    return counts(json.loads(ran.out)["result"]["systems"]["e"]["micro"])


SPAN_ENSEMBLES: dict[str, tuple[str, str, int | None]] = {
    "union:a,b": ("union", "a b", None),
    "union: b , a ": ("union", "a b", None),
    "intersection:a,c": ("intersection", "a c", None),
    "intersection": ("vote", "a b c", 3),
    "vote:2": ("vote", "a b c", 2),
    "vote:2:c,b,a": ("vote", "a b c", 2),
    "vote:3:": ("vote", "a b c", 3),
    "vote:1:b,a": ("union", "a b", None),
    "vote:2:a,b": ("intersection", "a b", None),
    "majority": ("vote", "a b c", 2),
    "majority:a,b": ("intersection", "a b", None),
    "": ("vote", "a b c", 2),  # nothing said
}


@pytest.mark.parametrize(
    ("asked", "task"),
    [
        *((asked, "spans") for asked in SPAN_ENSEMBLES),
        *(
            (asked, task)
            for task in ("characters", "tokens")
            for asked in ("union:a,b", "intersection", "vote:2:c,b,a", "")
        ),
    ],
)
def test_a_file_scores_what_the_ensemble_scores(asked: str, task: str, files: Path, run: Run) -> None:
    ending = "jsonl" if task == "characters" else "conll"
    more = ("--ensemble", asked) if asked else ()
    before = {path.name for path in files.iterdir()}
    ran = run("complement", *TASKS[task], "--resamples", "0", "--write-ensemble", f"e.{ending}", *more, "--json", "-")
    found = result(ran)
    row = ensemble(found, *SPAN_ENSEMBLES[asked])
    assert {path.name for path in files.iterdir()} - before == {f"e.{ending}"}
    assert (found["written"]["units"], found["written"]["dropped"]) == (row["n_pred"], 0)
    assert found["written"]["path"] == f"e.{ending}"
    assert f"wrote e.{ending}" in ran.err
    gold = TASKS[task][: TASKS[task].index("-s")]
    assert scored(run, *gold, "-s", f"e=e.{ending}") == counts(row)


def test_what_a_file_looks_like(files: Path, run: Run) -> None:
    assert run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", "vote:2").code == 0
    tags = [["B-PER", "O", "B-PER"], ["B-LOC", "O"], ["B-ORG", "O", "O", "O"], ["O", "O", "O"]]
    assert (files / "e.conll").read_text(encoding="utf-8") == conll(tags, TOKENS)


def test_the_oracle_as_a_file(files: Path, run: Run) -> None:
    found = result(run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", "oracle", "--json", "-"))
    assert scored(run, "--gold", "g.conll", "-s", "e=e.conll") == counts(found["oracle"]) == (5, 5, 6)
    two = result(run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", "oracle:a,b", "--json", "-"))
    assert two["written"]["units"] == 4
    assert scored(run, "--gold", "g.conll", "-s", "e=e.conll") == (4, 4, 6)


def test_the_chosen_vote_as_a_file(files: Path, run: Run) -> None:
    """Of a and c, one returns IMF as ORG and one as LOC: they cannot stand in one column, and LOC comes first."""
    ran = run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", "greedy", "--json", "-")
    found = result(ran)
    assert (found["written"]["units"], found["written"]["dropped"]) == (7, 1)
    assert "1 that" in ran.err
    assert "a, c" in found["written"]["ensemble"]
    assert scored(run, "--gold", "g.conll", "-s", "e=e.conll") == (4, 7, 6)


LABEL_ENSEMBLES = {
    "plurality": "acbaba",
    "": "acbaba",
    "majority": "acbaba",
    "vote:2": "acbaba",
    "vote:3": "      ",  # nothing on which all three agree
    "intersection:x,y": "a  a  ",
    "vote:2:y,z": " cb ba",
    "plurality:x,y": "abaaca",  # x is the better one; on the last item it says nothing
    "plurality:y,x": "abaaca",  # whatever comes first
    "plurality:y,z": "acbaba",
    "oracle": "ab ab ",
    "greedy": "abaac ",  # x alone: F1 6/11, with y 6/12
}


@pytest.mark.parametrize("asked", LABEL_ENSEMBLES)
def test_labels_by_votes(asked: str, files: Path, run: Run) -> None:
    more = ("--ensemble", asked) if asked else ()
    found = result(run("complement", *LABELLED, "--write-ensemble", "e.txt", *more, "--json", "-"))
    expected = LABEL_ENSEMBLES[asked]
    assert (files / "e.txt").read_text(encoding="utf-8") == "".join(f"{label.strip()}\n" for label in expected)
    right = sum(label == gold for label, gold in zip(expected, LABELS["g"], strict=True))
    given = len(expected.replace(" ", ""))
    assert found["written"]["units"] == given
    assert scored(run, "--task", "labels", "--gold", "lg.txt", "-s", "e=e.txt") == (right, given, 6)


@pytest.mark.parametrize("asked", ["union", "union:x,y", "vote:1", "vote:1:x,y"])
def test_a_label_per_item_is_not_several(asked: str, files: Path, run: Run) -> None:
    before = sorted(files.iterdir())
    refused(run("complement", *LABELLED, "--write-ensemble", "e.txt", "--ensemble", asked), "several labels")
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("union:x,y", ["p q", "q", "r", "p r"]),
        ("intersection", ["p", "", "r", ""]),
        ("vote:1", ["p q", "q", "r", "p r"]),
        ("majority", ["p", "", "r", ""]),
        ("oracle", ["p q", "q", "", "r"]),
    ],
)
def test_several_labels_by_votes(asked: str, lines: list[str], files: Path, run: Run) -> None:
    assert run("complement", *SEVERAL, "--write-ensemble", "e.txt", "--ensemble", asked).code == 0
    assert (files / "e.txt").read_text(encoding="utf-8") == "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("task", ["spans", "tokens", "characters"])
def test_spans_that_overlap_are_resolved_and_counted(task: str, files: Path, run: Run) -> None:
    """IMF is ORG and LOC with one vote each; LOC stays, the first by name, and gold says ORG."""
    ending = "jsonl" if task == "characters" else "conll"
    found = result(
        run("complement", *TASKS[task], "--write-ensemble", f"e.{ending}", "--ensemble", "union", "--json", "-")
    )
    assert found["written"] == {"ensemble": "union of a, b, c", "path": f"e.{ending}", "units": 8, "dropped": 1}
    row = ensemble(found, "vote", "a b c", 1)
    assert counts(row) == (5, 9, 6)
    resolved = row["resolved"]
    assert (resolved["tp"], resolved["n_pred"], resolved["left_out"]) == (4, 8, 1)
    assert resolved["f1"] == pytest.approx(8 / 14)
    gold = TASKS[task][: TASKS[task].index("-s")]
    assert scored(run, *gold, "-s", f"e=e.{ending}") == (4, 8, 6)
    assert ensemble(found, "vote", "a b c", 2)["resolved"]["left_out"] == 0


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("most", "unknown ensemble 'most'"),
        ("majorty", "did you mean 'majority'?"),
        ("", "unknown ensemble ''"),
        (":a,b", "unknown ensemble"),
        ("union:a,z", "no system 'z'"),
        ("vote:2:a,bb", "no system 'bb'"),
        ("vote:9", "vote:1 to vote:3"),
        ("vote:0", "vote:1 to vote:3"),
        ("vote:-1", "vote:1 to vote:3"),
        ("vote:1.5", "vote:1 to vote:3"),
        ("vote:²", "vote:1 to vote:3"),
        ("vote", "vote:1 to vote:3"),
        ("vote:", "vote:1 to vote:3"),
        ("vote:a,b", "vote:1 to vote:3"),
        ("vote:3:a,b", "vote:1 to vote:2"),
        ("plurality", "task labels"),
        ("greedy:a,b", "greedy"),
        ("union:a", "two"),
        ("vote:1:b", "two"),
        ("majority:c,c", "two"),
    ],
)
def test_ensembles_that_are_none(asked: str, part: str, files: Path, run: Run) -> None:
    before = sorted(files.iterdir())
    refused(run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", asked), part)
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("task", MISSES_ONLY)
def test_scored_items_are_not_returned_together(task: str, files: Path, run: Run) -> None:
    before = sorted(files.iterdir())
    refused(run("complement", *TASKS[task], "--write-ensemble", "e.txt"), "ensemble")
    assert sorted(files.iterdir()) == before


def test_an_ensemble_without_a_file(files: Path, run: Run) -> None:
    refused(run("complement", *CONLL, "--ensemble", "union"), "--write-ensemble")


@pytest.mark.parametrize("name", ["g.conll", "b.conll", "./c.conll", "t.conll", "link.conll"])
def test_nothing_that_is_read_is_written_over(name: str, files: Path, run: Run) -> None:
    (files / "t.conll").write_text(conll(SPANS["g"], TOKENS))
    (files / "link.conll").symlink_to("a.conll")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    refused(run("complement", *CONLL, "--train", "t.conll", "--write-ensemble", name), "written over")
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "part"),
    [("no/e.conll", "no folder"), (".", "folder"), ("e.csv", ".conll or .jsonl"), ("e.conll.xz", ".gz")],
)
def test_places_that_are_none(name: str, part: str, files: Path, run: Run) -> None:
    before = sorted(files.iterdir())
    refused(run("complement", *CONLL, "--write-ensemble", name), part)
    assert sorted(files.iterdir()) == before


def test_an_error_leaves_the_old_file(files: Path, run: Run) -> None:
    (files / "e.conll").write_text("old")
    refused(run("complement", *CONLL, "--write-ensemble", "e.conll", "--ensemble", "vote:9"))
    assert (files / "e.conll").read_text() == "old"
    assert run("complement", *CONLL, "--write-ensemble", "e.conll").code == 0
    assert (files / "e.conll").read_text() != "old"


CONFIG = """[[dataset]]
name = "{}"
gold = "g.conll"
systems = {{a = "a.conll", b = "{}.conll"}}
"""


def test_several_data_sets_and_one_ensemble(files: Path, write: Write, run: Run) -> None:
    write("c.toml", CONFIG.format("one", "b") + CONFIG.format("two", "c"))
    before = sorted(files.iterdir())
    refused(run("complement", "--config", "c.toml", "--resamples", "0", "--write-ensemble", "e.conll"), "--name")
    assert sorted(files.iterdir()) == before


def test_several_data_sets(files: Path, write: Write, run: Run) -> None:
    write("c.toml", CONFIG.format("one", "b") + CONFIG.format("two", "c"))
    ran = run("complement", "--config", "c.toml", "--resamples", "0", "--csv", "out", "--json", "-")
    assert ran.code == 0, ran.err
    datasets = json.loads(ran.out)["datasets"]
    assert [by_pair(d["result"]["pairs"])["a", "b"]["r_comp"] for d in datasets] == pytest.approx([1 / 3, 2 / 3])
    assert sorted(path.name for path in (files / "out").iterdir()) == ["one", "two"]
    one = run("complement", "--config", "c.toml", "--name", "two", "--resamples", "0", "--write-ensemble", "e.conll")
    assert (one.code, (files / "e.conll").is_file()) == (0, True)
    refused(run("complement", "--config", "c.toml", "--write-ensemble", "c.toml", "--name", "two"), "written over")


# ---------------------------------------------------------------------- where results go


def test_json_and_nothing_else(files: Path, run: Run) -> None:
    ran = run("complement", *CONLL, "--resamples", "0", "--write-ensemble", "e.conll", "--csv", "out", "--json", "-")
    json.loads(ran.out)
    assert "wrote e.conll" in ran.err
    quiet = run("complement", *CONLL, "--resamples", "0", "--write-ensemble", "e.conll", "--json", "-", "-q")
    assert quiet.err == ""
    assert json.loads(quiet.out) == json.loads(ran.out)
    to_file = run("complement", *CONLL, "--resamples", "0", "--write-ensemble", "e.conll", "--json", "x.json")
    assert (files / "x.json").read_text(encoding="utf-8") == ran.out
    assert "R_comp" in to_file.out


def test_quiet(files: Path, run: Run) -> None:
    data = ("complement", "--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "-s", "y=c.conll")
    ran = run(*data, "-q")
    assert ran.err == ""
    assert "restarts of x" in " ".join(ran.out.split())  # what cannot go to standard error stands here
    assert "restarts of x" not in " ".join(run(*data).out.split())


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables(files: Path, run: Run) -> None:
    found = result(run("complement", *CONLL, "--resamples", "40", "--csv", "out", "--json", "-"))
    names = {path.stem for path in (files / "out").iterdir()}
    assert names == {"pairs", "slices", "patterns", "ensembles", "curve", "greedy", "units"}
    pairs = rows_of(files / "out" / "pairs.csv")
    assert [(row["a"], row["b"]) for row in pairs] == [(pair["a"], pair["b"]) for pair in found["pairs"]]
    for row, pair in zip(pairs, found["pairs"], strict=True):
        assert [float(row[m]) for m in MEASURES] == [pair[m] for m in MEASURES]
        assert [float(row["r_comp_lo"]), float(row["r_comp_hi"])] == pair["ci"]["r_comp"]
        assert int(row["missed_both"]) == pair["missed_both"]
    together = rows_of(files / "out" / "ensembles.csv")
    kinds = ["system"] * 3 + ["union"] * 3 + ["intersection"] * 3 + ["vote"] * 3 + ["oracle"]
    assert [row["kind"] for row in together] == kinds
    assert [row["f1"] for row in together[3:-1]] == [str(one["f1"]) for one in found["ensembles"]]
    assert together[3]["systems"].split("\t") == ["a", "b"]
    units = rows_of(files / "out" / "units.csv")
    assert sum(row["question"] == "missed_both" for row in units) == found["questions"][0]["counts"]["missed_both"]
    assert len(rows_of(files / "out" / "slices.csv")) == 3 * len(pairs)


def test_tables_without_intervals(files: Path, run: Run) -> None:
    assert run("complement", *TASKS["wer"], "--resamples", "0", "--csv", "out").code == 0
    (row, _) = rows_of(files / "out" / "pairs.csv")
    assert (row["p_comp"], row["r_comp_lo"], row["spurious_a"]) == ("", "", "")
    assert not (files / "out" / "greedy.csv").exists()


def test_latex_and_markdown(files: Path, run: Run) -> None:
    ran = run("complement", *CONLL, "--resamples", "0", "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    names = {"ensembles", "pairs", "by-label", "curve", "questions-a-c"}
    assert {path.stem for path in (files / "tex").iterdir()} == names
    assert {path.stem for path in (files / "md").iterdir()} == names
    assert "| b over a | 0.333 | 0.500 | 0.400 | 0.400 |" in (files / "md" / "pairs.md").read_text(encoding="utf-8")
    assert "b over a & 0.333 & 0.500 & 0.400 & 0.400" in (files / "tex" / "pairs.tex").read_text(encoding="utf-8")


def test_latex_has_what_pdflatex_knows(files: Path, run: Run) -> None:
    assert run("complement", *CONLL, "--resamples", "0", "--latex", "tex").code == 0
    text = (files / "tex" / "ensembles.tex").read_text(encoding="utf-8")
    assert not {"∪", "∩"} & set(text)


# ---------------------------------------------------------------------- odd data


@pytest.mark.parametrize("task", ["spans", "tokens"])
def test_markup_in_the_data(task: str, write: Write, tmp_path: Path, run: Run) -> None:
    write("g.conll", "<script>\tB-<b>\na|b\tO\n\n[bold]x[/]\tB-A&B\n")
    write("a.conll", "<script>\tB-<b>\na|b\tB-A&B\n\n[bold]x[/]\tO\n")
    write("b.conll", "<script>\tO\na|b\tO\n\n[bold]x[/]\tB-A&B\n")
    data = ("--task", task, "--gold", "g.conll", "-s", "<i>=a.conll", "-s", "b=b.conll", "--resamples", "0")
    ran = run("complement", *data, "--markdown", "md")
    assert ran.code == 0, ran.err
    assert "[bold]x[/]" in ran.out
    assert "<script>" in ran.out
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "md").iterdir())
    assert "&lt;script" in text
    assert "<" not in text
    evaluation = slicewise.load(gold="g.conll", systems={"<i>": "a.conll", "b": "b.conll"}, task=task)
    page = slicewise.complement(evaluation, resamples=0)._repr_html_()
    assert "&lt;script" in page
    assert "<script>" not in page
    assert "<i>" not in page


@pytest.mark.parametrize("labels", [("<b>", "</td>"), ("[red]", "[/red]"), ("a&b", "a|b"), ("=1+1", "-x")])
def test_labels_that_are_markup(labels: tuple[str, str], write: Write, tmp_path: Path, run: Run) -> None:
    one, other = labels
    write("g.txt", f"{one}\n{other}\n{one}\n")
    write("x.txt", f"{one}\n{one}\n{one}\n")
    write("y.txt", f"{other}\n{other}\n{one}\n")
    data = ("--task", "labels", "--gold", "g.txt", "-s", "x=x.txt", "-s", "y=y.txt", "--resamples", "0")
    found = result(run("complement", *data, "--write-ensemble", "e.txt", "--csv", "out", "--json", "-"))
    assert {s["bucket"] for s in found["slices"]} == {one, other}
    assert (tmp_path / "e.txt").read_text(encoding="utf-8").split("\n")[2] == one
    run("complement", *data, "--csv", "out", "--raw-csv")
    assert {row["bucket"] for row in rows_of(tmp_path / "out" / "slices.csv")} == {one, other}
    shown = run("complement", *data)
    assert one in shown.out
    assert other in shown.out


def test_a_unit_is_shown_whatever_stands_before_it(write: Write, run: Run) -> None:
    words = ["[", "understanding", "international", "communications", "representatives", "Rome", "."]
    for name, at in (("g", 5), ("a", 5), ("b", 99)):
        write(f"{name}.conll", "".join(f"{w}\t{'B-LOC' if i == at else 'O'}\n" for i, w in enumerate(words)))
    ran = run("complement", "--gold", "g.conll", "-s", "a=a.conll", "-s", "b=b.conll", "--resamples", "0")
    assert "[Rome]" in ran.out


def test_characters_are_shown_as_they_stand(write: Write, run: Run) -> None:
    text = "Ada met Bob, twice."
    write("g.jsonl", json.dumps({"text": text, "spans": [{"start": 8, "end": 11, "label": "PER"}]}) + "\n")
    write("b.jsonl", json.dumps({"text": text, "spans": []}) + "\n")
    ran = run("complement", "--gold", "g.jsonl", "-s", "a=g.jsonl", "-s", "b=b.jsonl", "--resamples", "0")
    assert "Ada met [Bob], twice." in ran.out


def test_a_negative_label(write: Write, run: Run) -> None:
    """Binary F1: 0 makes no unit, but an item whose gold is 0 is right where 0 is said."""
    write("g.txt", "1\n1\n1\n0\n0\n")
    write("x.txt", "1\n0\n1\n0\n1\n")  # missed 1, spurious 4
    write("y.txt", "1\n1\n0\n0\n1\n")  # missed 2, spurious 4
    write("z.txt", "0\n1\n1\n1\n\n")  # missed 0, spurious 3, silent on 4
    gold = ("--task", "labels", "--gold", "g.txt", "--negative-label", "0")
    data = (*gold, "-s", "x=x.txt", "-s", "y=y.txt", "-s", "z=z.txt", "--resamples", "0")
    found = result(run("complement", *data, "--json", "-"))
    pairs = by_pair(found["pairs"])
    assert counts(found["systems"]["x"]) == (2, 3, 3)
    assert [pairs["x", "y"][m] for m in MEASURES] == pytest.approx([1 / 2, 0, 1, 0])  # items 1 4 and 2 4
    assert [pairs["x", "z"][m] for m in MEASURES] == pytest.approx([1 / 2, 1, 1, 1])  # z is wrong on 0 3 4
    # most votes: 1 1 1 0 1, where x and y outvote z's silence
    assert counts(ensemble(found, "vote", "x y z", None)) == (3, 4, 3)
    assert counts(ensemble(found, "vote", "x y z", 2)) == (3, 4, 3)
    assert run("complement", *data, "--write-ensemble", "e.txt").code == 0
    assert scored(run, *gold, "-s", "e=e.txt") == (3, 4, 3)


def test_systems_without_an_answer(write: Write, tmp_path: Path, run: Run) -> None:
    write("g.jsonl", '{"label": "p"}\n{"label": "q"}\n')
    write("x.jsonl", '{"label": null}\n{"label": "q"}\n')
    write("y.jsonl", '{"label": null}\n{"label": null}\n')
    data = ("--task", "labels", "--gold", "g.jsonl", "-s", "x=x.jsonl", "-s", "y=y.jsonl")
    found = result(run("complement", *data, "--write-ensemble", "e.jsonl", "--json", "-"))
    pairs = by_pair(found["pairs"])
    assert [pairs["y", "x"][m] for m in MEASURES] == [1 / 2, 1, 1 / 2, pytest.approx(2 / 3)]
    assert [pairs["x", "y"][m] for m in MEASURES] == [0, 1, 0, 0]
    assert counts(found["systems"]["y"]) == (0, 0, 2)
    assert found["systems"]["y"]["precision"] is None
    assert counts(ensemble(found, "vote", "x y", None)) == (1, 1, 2)
    lines = (tmp_path / "e.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["label"] for line in lines] == [None, "q"]


@pytest.mark.parametrize("resamples", ["0", "20"])
def test_nothing_to_find(resamples: str, write: Write, tmp_path: Path, run: Run) -> None:
    write("g.conll", "a\tO\n\nb\tO\n")
    write("s.conll", "a\tB-X\n\nb\tO\n")
    none = ("--gold", "g.conll", "-s", "x=g.conll", "-s", "y=g.conll", "--task", "spans", "--resamples", resamples)
    found = result(run("complement", *none, "--write-ensemble", "e.conll", "--json", "-"))
    assert [found["pairs"][0][m] for m in MEASURES] == [1, 1, 1, 1]
    assert found["systems"]["x"]["f1"] is None
    assert found["oracle"]["recall"] is None
    assert found["greedy"] is None
    assert (found["written"]["units"], (tmp_path / "e.conll").read_text()) == (0, "a\tO\n\nb\tO\n")
    assert run("complement", *none).code == 0
    spurious = ("--gold", "g.conll", "-s", "x=s.conll", "-s", "y=g.conll", "--resamples", resamples)
    found = result(run("complement", *spurious, "--json", "-"))
    pairs = by_pair(found["pairs"])
    assert (pairs["x", "y"]["p_comp"], pairs["y", "x"]["p_comp"]) == (1, None)
    assert run("complement", *spurious).code == 0
    refused(run("complement", *spurious, "--write-ensemble", "f.conll", "--ensemble", "greedy"), "greedy")


def test_an_unknown_metric_is_an_error(files: Path, run: Run) -> None:
    refused(run("complement", *TASKS["jsonl scores"], "--metric", "nonsense"), "nonsense")
    refused(run("complement", *TEXT, "--metric", "pearson"), "pearson")
    refused(run("complement", *TEXT), "--metric")


@pytest.mark.parametrize("task", ["spans", "labels"])
def test_a_metric_of_units_is_an_error(task: str, files: Path, run: Run) -> None:
    refused(run("complement", *TASKS[task], "--metric", "nonsense"), "--metric is for scored items")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--top", "-1"), "top is -1"),
        (("--beta", "0"), "beta is 0"),
        (("--beta", "x"), "--beta"),
        (("--resamples", "-1"), "resamples"),
        (("--confidence", "1"), "confidence"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_wrong_options(options: tuple[str, ...], part: str, files: Path, run: Run) -> None:
    refused(run("complement", *CONLL, *options), part)
