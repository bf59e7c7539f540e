"""`slicewise difficulty` through the real command: bins by hand, every option, the JSON, suspects for annotators."""

from __future__ import annotations

import csv
import json
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import Ran, Run, Write, document_of, refused
from support.three_systems import CONLL, LABELLED, TEXT, write_systems
from support.three_systems import TASKS as EVERY_TASK
from support.work import no_hang

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

RESULT = {"gold", "spurious", "leave_one_out", "spread", "profile", "suspects"}
SHARES = {
    "characters_per_token", "punctuation", "digits", "single_character", "abbreviation", "hapax_gold", "hapax_test",
    "ambiguous", "multi_token",
}  # fmt: skip
SUSPECT_COLUMNS = [
    "rank", "kind", "item", "left", "text", "right", "start", "end", "gold_text", "gold_start", "gold_end",
    "gold_label", "systems_label", "agree", "systems", "as_gold", "as_systems", "sentence", "decision",
]  # fmt: skip

# ---------------------------------------------------------------------- data

TOKENS = [
    ["Ada", "met", "Bob"],
    ["Rome", "fell"],
    ["Paris", "and", "Oslo", "won"],
    ["the", "IMF", "said"],
    ["Berlin", "won"],
]
SPANS: dict[str, list[list[str]]] = {
    "g": [["B-PER", "O", "B-PER"], ["B-LOC", "O"], ["B-LOC", "O", "B-LOC", "O"], ["O", "B-ORG", "O"], ["B-LOC", "O"]],
    "a": [["B-PER", "O", "O"], ["B-LOC", "O"], ["B-ORG", "O", "O", "B-LOC"], ["O", "B-ORG", "O"], ["B-LOC", "O"]],
    "b": [["B-PER", "O", "B-PER"], ["O", "B-LOC"], ["B-ORG", "O", "O", "O"], ["O", "O", "O"], ["B-LOC", "O"]],
    "c": [["O", "O", "B-PER"], ["B-LOC", "O"], ["B-ORG", "O", "B-LOC", "O"], ["O", "B-LOC", "O"], ["B-LOC", "O"]],
}
# found by: Ada a b, Bob b c, Rome a c, Paris nobody, Oslo c, IMF a, Berlin all
# spurious: Paris ORG by all; won by a, fell by b, IMF LOC by c
BINS = {"totals": [1, 2, 3, 1], "systems": {"a": [0, 1, 2, 1], "b": [0, 0, 2, 1], "c": [0, 1, 2, 1]}}
SPURIOUS = {"totals": [0, 3, 0, 1], "systems": {"a": [0, 1, 0, 1], "b": [0, 1, 0, 1], "c": [0, 1, 0, 1]}}
LEFT_OUT = {
    # bins that the other two make, and what the one left out has of them
    "a": ([2, 3, 2], [1, 2, 1]),  # Paris IMF; Oslo Ada Rome; Bob Berlin
    "b": ([1, 4, 2], [0, 2, 1]),  # Paris; IMF Oslo Ada Bob; Rome Berlin
    "c": ([2, 3, 2], [1, 2, 1]),  # Paris Oslo; IMF Bob Rome; Ada Berlin
}


MATRIX = "item,p,q,r\n762_levodopa,1,0,0\n10_levodopa,1,1,1\n11_calcium,0,0,0\n12_calcium,1,1,1\n13_calcium,1,1,1\n"
TASKS = EVERY_TASK | {
    "wer": (*EVERY_TASK["wer"], "--threshold", "0.4"),
    "csv scores": (*EVERY_TASK["csv scores"], "--threshold", "0.6"),
}
GOLD_BINS: dict[str, list[int]] = {
    "spans": [1, 2, 3, 1],
    "characters": [1, 2, 3, 1],
    "tokens": [1, 2, 3, 1],
    "labels": [2, 1, 3, 0],  # x 0 1 3, y 0 3 4, z 4: nobody 2 and 5, one 1, two 0 3 4
    "multilabel": [0, 3, 1],  # 0p by both, 0q y, 1q x, 3r x
    "exact-match": [0, 4, 0],  # x 0 3, y 1 2
    "wer": [0, 3, 1],  # x 0 2 3, y 1 2
    "jsonl scores": [0, 2, 2],  # at least the median, 0.5: a 0 2 3, b 1 2 3
    "csv scores": [1, 2, 1],  # at least 0.6: a 0 3, b 1 3
    "matrix": [1, 1, 0, 3],
}
SPURIOUS_BINS: dict[str, list[int]] = {
    "spans": [0, 3, 0, 1],
    "characters": [0, 3, 0, 1],
    "tokens": [5, 3, 0, 1],  # met, and, the, said, won
    "labels": [0, 4, 3, 0],  # 2a 4c by x; 0b 3b by z; 1c 2b 5a by y and z
    "multilabel": [0, 1, 1],  # 3p; 2r
}


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write_systems(write, TOKENS, SPANS, MATRIX)
    return tmp_path


# ---------------------------------------------------------------------- reading results


document = partial(document_of, "difficulty")


def result(ran: Ran) -> Any:
    return document(ran)["result"]


def rows_of(path: Path, separator: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=separator))


# ---------------------------------------------------------------------- all tasks


@pytest.mark.parametrize("task", TASKS)
def test_bins_by_hand_and_their_laws(task: str, files: Path, run: Run) -> None:
    found = document(run("difficulty", *TASKS[task], "--resamples", "20", "--json", "-"))
    systems, body = found["data"]["systems"], found["result"]
    size = len(systems)
    assert set(body) >= RESULT
    assert body["gold"]["totals"] == GOLD_BINS[task]
    assert body["spurious"]["totals"] == SPURIOUS_BINS.get(task, [0] * (size + 1))
    for table in (body["gold"], body["spurious"]):
        assert list(table["systems"]) == list(table["shares"]) == systems
        counts = list(table["systems"].values())
        assert all(len(own) == size + 1 for own in (table["totals"], *counts))
        assert all(own[0] == 0 and own[size] == table["totals"][size] for own in counts)
        for n in range(1, size + 1):
            assert sum(own[n] for own in counts) == n * table["totals"][n]
        for name, shares in table["shares"].items():
            for share, own, total in zip(shares, table["systems"][name], table["totals"], strict=True):
                assert share == (own / total if total else None)
    assert list(body["profile"]) == [str(n) for n in range(size + 1)]
    assert [one["n"] for one in body["profile"].values()] == GOLD_BINS[task]
    assert (body["leave_one_out"] is None) == (size < 3)


@pytest.mark.parametrize("task", ["spans", "tokens", "labels", "multilabel"])
def test_a_systems_bins_are_its_true_and_false_positives(task: str, files: Path, run: Run) -> None:
    found = result(run("difficulty", *TASKS[task], "--resamples", "0", "--json", "-"))
    ran = run("score", *TASKS[task], "--resamples", "0", "--json", "-")
    for name, one in json.loads(ran.out)["result"]["systems"].items():
        assert sum(found["gold"]["systems"][name]) == one["micro"]["tp"]
        assert sum(found["spurious"]["systems"][name]) == one["micro"]["n_pred"] - one["micro"]["tp"]


@pytest.mark.parametrize("task", TASKS)
def test_the_terminal_shows_every_task(task: str, files: Path, run: Run) -> None:
    ran = run("difficulty", *TASKS[task], "--resamples", "20")
    assert ran.code == 0, ran.err
    assert "by how many systems find them" in ran.out
    assert "nan" not in ran.out.lower().split()
    assert "None" not in ran.out


@pytest.mark.parametrize("task", ["spans", "characters", "tokens"])
def test_figures_by_hand(task: str, files: Path, run: Run) -> None:
    found = result(run("difficulty", *TASKS[task], "--resamples", "0", "--json", "-"))
    assert {key: found["gold"][key] for key in BINS} == BINS
    assert found["gold"]["shares"]["a"] == [0, 1 / 2, 2 / 3, 1]
    assert found["gold"]["shares"]["b"] == [0, 0, 2 / 3, 1]
    assert found["spurious"]["systems"] == SPURIOUS["systems"]
    for name, (totals, own) in LEFT_OUT.items():
        left_out = found["leave_one_out"][name]
        assert (left_out["totals"], left_out["found"]) == (totals, own)
        assert left_out["shares"] == [k / n for k, n in zip(own, totals, strict=True)]
    alone = {name: (one["found"], one["share"], one["of_own"]) for name, one in found["singular"].items()}
    assert alone == {"a": (1, 1 / 2, 1 / 4), "b": (0, 0, 0), "c": (1, 1 / 2, 1 / 4)}
    assert [unit["text"] for unit in found["singular"]["c"]["units"]] == ["Oslo"]
    assert [unit["text"] for unit in found["profile"]["0"]["examples"]] == ["Paris"]
    assert sorted(unit["text"] for unit in found["profile"]["2"]["examples"]) == ["Ada", "Bob", "Rome"]
    (suspect,) = found["suspects"]
    assert (suspect["kind"], suspect["agree"]) == ("label", 3)
    prefix = "B-" if task == "tokens" else ""
    assert (suspect["gold"]["label"], suspect["systems"]["label"]) == (f"{prefix}LOC", f"{prefix}ORG")
    # F1 of a: 4 of 6, of 7; without Paris, 4 of 5, of 6
    assert [one["scores"]["a"] for one in found["without_suspects"]] == pytest.approx([8 / 13, 8 / 11])
    assert found["metric"] == "f1"


def test_one_system_has_two_bins(files: Path, run: Run) -> None:
    found = result(run("difficulty", *CONLL[:4], "--json", "-"))
    assert found["gold"]["totals"] == [3, 4]
    assert found["spurious"]["totals"] == [0, 2]
    assert found["leave_one_out"] is None
    assert found["pairwise"] == []
    assert (found["suspects"], found["without_suspects"]) == ([], [])
    assert found["singular"]["a"]["found"] == 4
    ran = run("difficulty", *CONLL[:4])
    assert ran.code == 0
    assert "a finds 4 of 7" in ran.out


def test_true_negatives_of_tokens(write: Write, run: Run) -> None:
    """Tokens that gold and all systems leave alone; with another negative label, those that have it."""
    write("g.conll", "a\tN\nb\tX\nc\tO\nd\tX\n\ne\tX\n")
    write("p.conll", "a\tN\nb\tX\nc\tX\nd\tX\n\ne\tN\n")
    write("q.conll", "a\tX\nb\tX\nc\tO\nd\tX\n\ne\tX\n")
    data = ("--task", "tokens", "--gold", "g.conll", "-s", "p=p.conll", "-s", "q=q.conll", "--resamples", "0")
    plain = result(run("difficulty", *data, "--json", "-"))
    # nobody labels nothing but c, which p labels; every other token is gold
    assert (plain["gold"]["totals"], plain["spurious"]["totals"]) == ([0, 2, 2], [0, 3, 0])
    other = result(run("difficulty", *data, "--negative-label", "X", "--json", "-"))
    # b and d are X everywhere, so bin 0; e is N in p alone; a is N in gold and p; c is O in gold and q
    assert (other["gold"]["totals"], other["spurious"]["totals"]) == ([0, 2, 0], [2, 1, 0])


def test_one_that_takes_no_part_makes_no_bin(files: Path, run: Run) -> None:
    data = ("--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "-s", "y=c.conll", "--resamples", "0")
    for task in ("spans", "tokens"):
        ran = run("difficulty", "--task", task, *data, "--json", "-")
        found = result(ran)
        assert list(found["gold"]["systems"]) == ["x#1", "y"]
        assert found["gold"]["totals"] == [1, 4, 2]  # Paris; Ada Bob Oslo IMF; Rome Berlin
        # Paris ORG by both, won and IMF LOC by one; fell is b's alone, which is the second run of x
        assert found["spurious"]["totals"] == [6 if task == "tokens" else 0, 2, 1]
        assert "restarts of x" in ran.err
    each = result(run("difficulty", *data, "--restarts", "each", "--json", "-"))
    assert each["gold"]["totals"] == BINS["totals"]
    assert list(each["gold"]["systems"]) == ["x#1", "x#2", "y"]


# ---------------------------------------------------------------------- pairs


def test_pairs_bin_by_bin(files: Path, run: Run) -> None:
    found = result(run("difficulty", *CONLL, "--resamples", "0", "--json", "-"))["pairwise"]
    assert [(pair["a"], pair["b"]) for pair in found] == [("a", "c"), ("a", "b"), ("b", "c")]  # the best two first
    asked = result(run("difficulty", *CONLL, "--resamples", "0", "--compare", "b,a", "--json", "-"))["pairwise"]
    assert [(pair["a"], pair["b"]) for pair in asked] == [("b", "a"), ("a", "c"), ("b", "c")]
    first = asked[0]
    assert (first["recall_a"], first["recall_b"]) == pytest.approx((3 / 7, 4 / 7))
    assert [one["n"] for one in first["bins"]] == BINS["totals"]
    assert [one["difference"] for one in first["bins"]] == [0, -1 / 2, 0, 0]
    assert {one["ci"] for one in first["bins"]} == {None}
    shown = run("difficulty", *CONLL, "--resamples", "0", "--compare", "b,a").out
    assert "b and a, bin by bin" in shown
    assert "a and c, bin by bin" not in shown


def test_intervals_of_pairs(files: Path, run: Run) -> None:
    data = ("difficulty", *CONLL, "--resamples", "200", "--json", "-")
    ran = run(*data)
    assert run(*data) == ran
    for pair in result(ran)["pairwise"]:
        for one in pair["bins"]:
            low, high = one["ci"]
            assert -1 <= low <= one["difference"] <= high <= 1
            assert 0 <= one["undefined_draws"] < 200


def test_many_systems_are_not_all_paired(write: Write, run: Run) -> None:
    """More than a number has bits; bins of seventy, from a table and from files."""
    items = 30
    has = [[(i * (k + 3)) % 7 % 3 != 0 for k in range(70)] for i in range(items)]
    write("m.csv", "".join(",".join(str(int(x)) for x in row) + "\n" for row in has))
    with no_hang():
        found = result(
            run("difficulty", "--matrix", "m.csv", "--resamples", "10", "--compare", "system3,system70", "--json", "-")
        )
    bins = [sum(row) for row in has]
    assert found["gold"]["totals"] == [bins.count(n) for n in range(71)]
    assert [(pair["a"], pair["b"]) for pair in found["pairwise"]] == [("system3", "system70")]
    assert len(found["leave_one_out"]) == 70
    assert len(found["leave_one_out"]["system1"]["totals"]) == 70
    assert run("difficulty", "--matrix", "m.csv", "--resamples", "0").code == 0
    ten = "".join(",".join(str(int(x)) for x in row[:10]) + "\n" for row in has)
    write("ten.csv", ten)
    pairs = result(run("difficulty", "--matrix", "ten.csv", "--resamples", "0", "--json", "-"))["pairwise"]
    assert len(pairs) == len(list(combinations(range(10), 2)))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--compare", "a"), "--compare A,B"),
        (("--compare", "a,z"), "no system 'z'"),
        (("--compare", "b,b"), "not two systems"),
        (("--top", "-1"), "top is -1"),
        (("--attribute", "nonsense"), "unknown attribute 'nonsense'"),
        (("--attribute", "eCon"), "train"),
        (("--restarts", "blocks"), "restarts"),
        (("--confidence", "2"), "confidence"),
        (("--resamples", "-1"), "resamples"),
        (("--threshold", "0.5"), "--threshold is for scored items"),
        (("--beta", "2"), "--beta"),
        (("--train", "missing.conll"), "missing.conll"),
    ],
)
def test_wrong_options(options: tuple[str, ...], part: str, files: Path, run: Run) -> None:
    refused(run("difficulty", *CONLL, *options), part)


def test_a_metric_of_units_is_an_error(files: Path, run: Run) -> None:
    refused(run("difficulty", *CONLL, "--metric", "nonsense"), "--metric is for scored items")


# ---------------------------------------------------------------------- scored items


@pytest.mark.parametrize(
    ("threshold", "totals", "said"),
    [
        ("0.2", [0, 4, 0], "at most 0.2"),
        ("0.4", [0, 3, 1], "at most 0.4"),  # x 0 2 3, y 1 2
        ("0.5", [0, 2, 2], "at most 0.5"),  # y has 0, too
        ("75%", [0, 2, 2], "75% quantile"),
        ("1", [0, 0, 4], "at most 1"),
        ("-1", [4, 0, 0], "at most -1"),
    ],
)
def test_thresholds(threshold: str, totals: list[int], said: str, files: Path, run: Run) -> None:
    ran = run("difficulty", *TEXT, "--metric", "wer", "--threshold", threshold, "--resamples", "0", "--json", "-")
    assert result(ran)["gold"]["totals"] == totals
    assert said in result(ran)["rule"]
    assert said in document(ran)["signature"]


@pytest.mark.parametrize("threshold", ["", "x", "nan", "200%"])
def test_thresholds_that_are_none(threshold: str, files: Path, run: Run) -> None:
    refused(run("difficulty", *TEXT, "--metric", "wer", "--threshold", threshold), "threshold")


BARE = "1 0 0\n1 1 1\n0 0 0\n1 1 1\n1 1 1\n"


@pytest.mark.parametrize(
    ("content", "names", "systems"),
    [
        (BARE, None, ["system1", "system2", "system3"]),
        (BARE, "A,B,C", ["A", "B", "C"]),
        (BARE.replace(" ", "\t"), "A, B ,C", ["A", "B", "C"]),
        (BARE.replace(" ", ","), "^x$,*,<b>", ["^x$", "*", "<b>"]),
        ("p;q;r\n" + BARE.replace(" ", ";"), None, ["p", "q", "r"]),
        ("p,q,r\n" + BARE.replace(" ", ","), "A,B,C", ["A", "B", "C"]),
        (MATRIX, None, ["p", "q", "r"]),
        (MATRIX, "A,B,C", ["A", "B", "C"]),
        (MATRIX.split("\n", 1)[1], "A,B,C", ["A", "B", "C"]),
        (MATRIX.split("\n", 1)[1].replace(",", " "), None, ["system1", "system2", "system3"]),
    ],
)
def test_matrices(content: str, names: str | None, systems: list[str], write: Write, run: Run) -> None:
    write("m.txt", content)
    more = () if names is None else ("--system-names", names)
    found = result(run("difficulty", "--matrix", "m.txt", *more, "--resamples", "0", "--json", "-"))
    assert found["gold"]["totals"] == [1, 1, 0, 3]
    assert found["gold"]["systems"] == dict(zip(systems, ([0, 1, 0, 3], [0, 0, 0, 3], [0, 0, 0, 3]), strict=True))
    assert found["spurious"]["totals"] == [0, 0, 0, 0]
    (suspect,) = found["suspects"]
    assert (suspect["kind"], suspect["gold"]["item"], suspect["systems"]) == ("unfound", 2, None)
    assert [one["scores"][systems[0]] for one in found["without_suspects"]] == pytest.approx([4 / 5, 1])


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (("--system-names", "A,B"), "3 columns"),
        (("--system-names", "A,B,B"), "'B'"),
        (("--gold", "g.conll"), "--matrix"),
        (("--surface", "x"), "no text"),
        (("--metric", "wer"), "wer"),
    ],
)
def test_wrong_matrices(more: tuple[str, ...], part: str, write: Write, run: Run) -> None:
    write("g.conll", "a\tB-X\n")
    write("m.txt", BARE)
    refused(run("difficulty", "--matrix", "m.txt", *more), part)


# ---------------------------------------------------------------------- strings

CALCIUM = {
    "g": ["the calcium/X", "Calcium/X", "calcium/X channel/+", "calcium", "acalcium/X", "more calcium/X"],
    "a": ["the calcium/X", "Calcium", "calcium/X channel/+", "calcium/X", "acalcium/X", "more calcium"],
    "b": ["the calcium/X", "Calcium/X", "calcium channel", "calcium", "acalcium/X", "more calcium"],
}


@pytest.fixture
def calcium(write: Write) -> tuple[str, ...]:
    def line(token: str) -> str:
        word, _, label = token.partition("/")
        return f"{word}\t{'O' if not label else 'I-X' if label == '+' else f'B-{label}'}\n"

    for name, sentences in CALCIUM.items():
        write(f"{name}.conll", "\n".join("".join(map(line, text.split())) for text in sentences))
    return ("difficulty", "--gold", "g.conll", "-s", "a=a.conll", "-s", "b=b.conll", "--resamples", "0")


def test_one_string_over_the_bins(calcium: tuple[str, ...], run: Run) -> None:
    one = result(run(*calcium, "--surface", "calcium", "--json", "-"))["surface"]
    assert (one["surface"], one["n"], one["bins"]) == ("calcium", 2, [1, 0, 1])
    assert one["containing"] == [0, 1, 0]  # calcium channel; not acalcium
    assert one["spurious"] == [0, 1, 0]
    assert one["standing"] == 4
    assert [(m["item"], m["systems"]) for m in one["mentions"]] == [(5, []), (0, ["a", "b"])]  # the hardest first
    assert result(run(*calcium, "--json", "-"))["surface"] is None
    longer = result(run(*calcium, "--surface", "calcium channel", "--json", "-"))["surface"]
    assert (longer["n"], longer["bins"], longer["standing"]) == (1, [0, 1, 0], 1)
    assert "“calcium” over the bins" in run(*calcium, "--surface", "calcium").out


@pytest.mark.parametrize("asked", ["calcium", "CALCIUM"])
def test_one_string_in_any_case(asked: str, calcium: tuple[str, ...], run: Run) -> None:
    one = result(run(*calcium, "--surface", asked, "--lower", "--json", "-"))["surface"]
    assert (one["n"], one["bins"], one["standing"]) == (3, [1, 1, 1], 5)
    assert [m["text"] for m in one["mentions"]] == ["calcium", "Calcium", "calcium"]


def test_how_many_mentions(calcium: tuple[str, ...], run: Run) -> None:
    one = result(run(*calcium, "--surface", "calcium", "--top", "1", "--json", "-"))["surface"]
    assert (one["n"], [m["item"] for m in one["mentions"]]) == (2, [5])
    every = result(run(*calcium, "--surface", "calcium", "--top", "0", "--json", "-"))["surface"]
    assert len(every["mentions"]) == 2


@pytest.mark.parametrize("asked", ["levodopa", "CALCIUM", "alcium", "^.*$", "[calcium]"])
def test_a_string_that_is_not_there(asked: str, calcium: tuple[str, ...], run: Run) -> None:
    one = result(run(*calcium, "--surface", asked, "--json", "-"))["surface"]
    assert (one["n"], sum(one["containing"]), sum(one["spurious"]), one["mentions"]) == (0, 0, 0, [])
    ran = run(*calcium, "--surface", asked)
    assert ran.code == 0
    assert f"“{asked}”" in ran.out


@pytest.mark.parametrize(("asked", "times"), [("channel", 1), ("the", 1), ("levodopa", 0)])
def test_how_often_a_string_stands(asked: str, times: int, calcium: tuple[str, ...], run: Run) -> None:
    assert result(run(*calcium, "--surface", asked, "--json", "-"))["surface"]["standing"] == times


def test_names_of_a_matrix_are_strings(files: Path, run: Run) -> None:
    found = result(run("difficulty", *TASKS["matrix"], "--surface", "levodopa", "--resamples", "0", "--json", "-"))
    one = found["surface"]
    assert (one["n"], one["bins"], one["standing"]) == (2, [0, 1, 0, 1], None)
    assert [m["text"] for m in one["mentions"]] == ["762_levodopa", "10_levodopa"]
    # calcium: 0 3 3, so the median bin is 3 and all that is lost is one mention; levodopa: 1 3, the lower median is 1
    assert [(f["surface"], f["n"], f["bins"], f["lost"]) for f in found["spread"]] == [
        ("calcium", 3, [1, 0, 0, 2], 1),
        ("levodopa", 2, [0, 1, 0, 1], 0),
    ]
    assert [m["text"] for m in found["spread"][0]["resistant"]] == ["11_calcium"]
    assert {m["text"] for m in found["spread"][0]["found"]} == {"12_calcium", "13_calcium"}


def test_texts_of_items_are_strings(files: Path, write: Write, run: Run) -> None:
    write("in.txt", "yes\nno\nyes\nyes\n")
    data = ("difficulty", *TASKS["exact-match"], "--input", "in.txt", "--surface", "yes", "--json", "-")
    one = result(run(*data))["surface"]
    assert (one["n"], one["bins"]) == (3, [0, 3, 0])
    refused(run("difficulty", *TASKS["exact-match"], "--surface", "yes"), "--input")
    refused(run("difficulty", *LABELLED, "--surface", "yes"), "--input")


def test_the_spread_of_strings(calcium: tuple[str, ...], run: Run) -> None:
    found = result(run(*calcium, "--json", "-"))
    assert [(f["surface"], f["bins"]) for f in found["spread"]] == [("calcium", [1, 0, 1])]
    folded = result(run(*calcium, "--lower", "--json", "-"))["spread"]
    # found by 0, 1 and 2: the median is 1, and one mention falls by one of two
    assert [(f["surface"], f["bins"], f["lost"]) for f in folded] == [("calcium", [1, 1, 1], 1 / 2)]
    assert [(m["item"], m["left"]) for m in folded[0]["resistant"]] == [(5, "more ")]
    assert {m["item"] for m in folded[0]["found"]} == {0, 1}


@pytest.fixture
def wordless(write: Write) -> tuple[str, ...]:
    """Tags without tokens."""
    for name, lines in (("g", "B-X O\nB-X I-X\nO B-Y\n"), ("a", "B-X O\nO O\nO B-Y\n"), ("b", "B-X O\nO O\nO B-X\n")):
        write(f"{name}.tags", lines)
    data = ("--gold", "g.tags", "-s", "a=a.tags", "-s", "b=b.tags", "--format", "lines", "--task", "spans")
    return ("difficulty", *data, "--resamples", "0")


def test_tags_without_tokens(wordless: tuple[str, ...], run: Run) -> None:
    found = result(run(*wordless, "--json", "-"))
    assert found["gold"]["totals"] == [1, 1, 1]
    assert found["profile"]["0"]["attributes"]["eLen"]["mean"] == 2
    assert found["profile"]["0"]["shares"] == {}
    assert run(*wordless).code == 0


def test_tags_without_tokens_have_no_strings(wordless: tuple[str, ...], run: Run) -> None:
    found = result(run(*wordless, "--json", "-"))
    assert (found["spread"], found["forms"]) == ([], 0)
    assert not any("“”" in text for text in found["findings"])
    refused(run(*wordless, "--surface", "x"), "no text")


# ---------------------------------------------------------------------- what is in the bins


def test_profile_in_json(write: Write, run: Run) -> None:
    write("g.conll", "3\tCD\tB-N\n-\tHYPH\tI-N\n\nNATO\tNNP\tB-ORG\n\nNATO\tNN\tO\n")
    write("p.conll", "3\tO\n-\tO\n\nNATO\tB-ORG\n\nNATO\tO\n")
    data = ("--gold", "g.conll", "-s", "p=p.conll", "-s", "q=p.conll", "--resamples", "0")
    profile = result(run("difficulty", *data, "--json", "-"))["profile"]
    assert set(profile["0"]["shares"]) == SHARES
    assert profile["0"]["shares"] == {
        "characters_per_token": 1, "punctuation": 1 / 2, "digits": 1 / 2, "single_character": 1, "abbreviation": 0,
        "hapax_gold": 1, "hapax_test": 1, "ambiguous": 0, "multi_token": 1,
    }  # fmt: skip
    assert profile["2"]["shares"] == {
        "characters_per_token": 4, "punctuation": 0, "digits": 0, "single_character": 0, "abbreviation": 1,
        "hapax_gold": 1, "hapax_test": 0, "ambiguous": 1, "multi_token": 0,
    }  # fmt: skip
    assert profile["0"]["columns"] == {"col2": {"CD": 1, "HYPH": 1}}
    assert profile["2"]["columns"] == {"col2": {"NNP": 1}}
    assert profile["1"]["n"] == 0
    for one in profile.values():
        for attribute in one["attributes"].values():
            assert sum(attribute["buckets"].values()) == one["n"]
    assert profile["0"]["attributes"]["label"]["buckets"] == {"N": 1, "ORG": 0}
    few = result(run("difficulty", *data, "-a", "eLen,label", "--buckets", "2", "--json", "-"))["profile"]
    assert set(few["0"]["attributes"]) == {"eLen", "label"}
    assert few["0"]["attributes"]["eLen"]["mean"] == 2


def test_features_of_what_nobody_finds(write: Write, run: Run) -> None:
    gold = "".join(f"{'Mr' if i % 4 == 0 else 'in'}\tO\nName{i % 7}\tB-X\n\n" for i in range(60))
    said = "".join(
        f"{'Mr' if i % 4 == 0 else 'in'}\tO\nName{i % 7}\t{'O' if i % 4 == 0 or i == 7 else 'B-X'}\n\n"
        for i in range(60)
    )
    write("g.conll", gold)
    write("p.conll", said)
    data = ("difficulty", "--gold", "g.conll", "-s", "p=p.conll", "-s", "q=p.conll")
    found = result(run(*data, "--resamples", "50", "--json", "-"))["features"]
    assert "left:Mr" in (found["features"][0]["feature"], *found["features"][0]["folded"])
    assert found["features"][0]["q"] < 1e-6
    assert found["features"][0]["ci"][0] <= found["features"][0]["difference"] <= found["features"][0]["ci"][1]
    assert len(result(run(*data, "--top", "2", "--json", "-"))["features"]["features"]) == 2
    assert found["features"][0]["feature"] in run(*data, "--resamples", "0").out


# ---------------------------------------------------------------------- suspects

SUSPECT_GOLD = (
    "Rome\tB-LOC\nfell\tO\n\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n\nold\tO\nBob\tO\nran\tO\n\nthe\tO\nIMF\tB-ORG\n"
)
SUSPECT_SAID = "Rome\tB-ORG\nfell\tO\n\nin\tO\nNew\tB-LOC\nYork\tO\n\nold\tO\nBob\tB-PER\nran\tO\n\nthe\tO\nIMF\tO\n"
SUSPECT_TRAIN = "Rome\tB-ORG\n\nRome\tB-LOC\n\nBob\tB-PER\nIMF\tO\n"
EXPECTED = [
    # kind, item, left, text, right, gold_text, gold_label, systems_label, agree, as_gold, as_systems
    ("missing", 2, "old", "Bob", "ran", None, None, "PER", 2, 0, 1),  # the training data sides with the systems
    ("label", 0, "", "Rome", "fell", "Rome", "LOC", "ORG", 2, 1, 1),
    ("boundary", 1, "in", "New", "York", "New York", "LOC", "LOC", 2, 0, 0),
    ("unfound", 3, "the", "IMF", "", "IMF", "ORG", None, 2, 0, 1),
]


@pytest.fixture
def suspicious(write: Write) -> tuple[str, ...]:
    write("g.conll", SUSPECT_GOLD)
    write("p.conll", SUSPECT_SAID)
    write("t.conll", SUSPECT_TRAIN)
    return (
        "difficulty", "--gold", "g.conll", "-s", "p=p.conll", "-s", "q=p.conll", "--train", "t.conll",
        "--resamples", "0",
    )  # fmt: skip


def test_suspects(suspicious: tuple[str, ...], run: Run) -> None:
    ran = run(*suspicious, "--json", "-")
    found = result(ran)
    assert [one["kind"] for one in found["suspects"]] == [row[0] for row in EXPECTED]
    assert [(one["as_gold"], one["as_systems"]) for one in found["suspects"]] == [row[-2:] for row in EXPECTED]
    assert found["nearly_all"] == 2
    shown = " ".join(run(*suspicious).out.split()).lower()
    for said in ("another label", "other boundaries", "not in gold", "found by nobody"):
        assert said in shown


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "CSV"])
def test_a_file_for_an_annotator(ending: str, suspicious: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    ran = run(*suspicious, "--write-suspects", f"x.{ending}")
    assert ran.code == 0, ran.err
    assert {path.name for path in tmp_path.iterdir()} - before == {f"x.{ending}"}
    assert f"4 suspects to x.{ending}" in ran.err
    rows: list[Row]
    path = tmp_path / f"x.{ending}"
    if ending == "jsonl":
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert [record["systems"] for record in records[:3]] == [["p", "q"]] * 3
        rows = [{key: "" if v is None else str(v) for key, v in record.items()} for record in records]
    else:
        rows = list(rows_of(path, "\t" if ending == "tsv" else ","))
        assert [row["systems"] for row in rows] == ["p; q", "p; q", "p; q", ""]
    assert list(rows[0]) == SUSPECT_COLUMNS
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4"]
    names = (
        "kind", "item", "left", "text", "right", "gold_text", "gold_label", "systems_label", "agree", "as_gold",
        "as_systems",
    )  # fmt: skip
    expected = [["" if value is None else str(value) for value in row] for row in EXPECTED]
    assert [[row[name] for name in names] for row in rows] == expected
    assert rows[0]["sentence"] == "old Bob ran"
    assert {row["decision"] for row in rows} == {""}
    places = [[row[name] for name in ("start", "end", "gold_start", "gold_end")] for row in rows]
    assert places == [["1", "2", "", ""], ["0", "1", "0", "1"], ["1", "2", "1", "3"], ["1", "2", "1", "2"]]


EMPTY = "jsonl"


@pytest.mark.parametrize("ending", ["csv", EMPTY])
def test_no_suspects(ending: str, files: Path, run: Run) -> None:
    data = ("difficulty", "--gold", "g.conll", "-s", "p=g.conll", "-s", "q=g.conll", "--resamples", "0")
    assert run(*data, "--write-suspects", f"x.{ending}").code == 0
    text = (files / f"x.{ending}").read_text(encoding="utf-8")
    assert text == (",".join(SUSPECT_COLUMNS) + "\n" if ending == "csv" else "")
    one = run("difficulty", *CONLL[:4], "--write-suspects", f"y.{ending}")  # one system contradicts nobody
    assert (one.code, (files / f"y.{ending}").read_text(encoding="utf-8")) == (0, text)


@pytest.mark.parametrize("name", ["x.txt", "x", "x.csv.gz", "x.parquet"])
def test_another_ending_is_said_before_anything_is_read(name: str, run: Run) -> None:
    ran = run("difficulty", "--gold", "none.conll", "-s", "a=none.conll", "--write-suspects", name)
    refused(ran, f"slicewise: {name}:", ".csv", ".jsonl")


def test_where_suspects_cannot_go(files: Path, write: Write, run: Run) -> None:
    write("t.csv", "a,b\n1,0\n0,0\n")
    refused(run("difficulty", "--matrix", "t.csv", "--write-suspects", "t.csv"), "written over")
    refused(run("difficulty", *CONLL, "--write-suspects", "no/x.csv"), "no folder")
    before = sorted(files.iterdir())
    refused(run("difficulty", *CONLL, "--write-suspects", "x.csv", "--surface", "a", "--compare", "a,z"))
    assert sorted(files.iterdir()) == before


CONFIG = """[[dataset]]
name = "{}"
gold = "g.conll"
systems = {{a = "a.conll", b = "{}.conll"}}
"""


def test_several_data_sets(files: Path, write: Write, run: Run) -> None:
    write("c.toml", "beta = 2\n" + CONFIG.format("one", "b") + CONFIG.format("two", "c"))
    before = sorted(files.iterdir())
    refused(run("difficulty", "--config", "c.toml", "--resamples", "0", "--write-suspects", "x.csv"), "--name")
    assert sorted(files.iterdir()) == before
    ran = run("difficulty", "--config", "c.toml", "--resamples", "0", "--json", "-")
    assert [d["result"]["gold"]["totals"] for d in json.loads(ran.out)["datasets"]] == [[2, 3, 2], [1, 4, 2]]
    one = run("difficulty", "--config", "c.toml", "--name", "one", "--write-suspects", "x.csv")
    assert (one.code, (files / "x.csv").is_file()) == (0, True)


def test_markup_and_quotes_in_a_file_for_an_annotator(write: Write, tmp_path: Path, run: Run) -> None:
    write("g.conll", '"a,b"\tO\n<b>\tB-X\n=1+1\tO\n')
    write("p.conll", '"a,b"\tO\n<b>\tB-"Y"\n=1+1\tB-Z\n')
    data = ("--gold", "g.conll", "-s", "p,1=p.conll", "-s", "<i>=p.conll", "--resamples", "0")
    for more, formula in (((), "'=1+1"), (("--raw-csv",), "=1+1")):
        assert run("difficulty", *data, "--write-suspects", "x.csv", *more).code == 0
        first, second = rows_of(tmp_path / "x.csv")
        assert (first["left"], first["text"], first["right"]) == ('"a,b"', "<b>", formula)
        assert (first["systems"], first["systems_label"]) == ("p,1; <i>", '"Y"')
        assert (second["kind"], second["text"]) == ("missing", formula)


# ---------------------------------------------------------------------- nothing, everything


@pytest.mark.parametrize(
    ("task", "gold", "said", "totals", "spurious"),
    [
        ("spans", "a\tO\n\nb\tO\n", "a\tO\n\nb\tO\n", [0, 0, 0], [0, 0, 0]),
        ("spans", "a\tO\n\nb\tO\n", "a\tB-X\n\nb\tO\n", [0, 0, 0], [0, 0, 1]),
        ("spans", "a\tB-X\n\nb\tO\n", "a\tB-X\n\nb\tO\n", [0, 0, 1], [0, 0, 0]),
        ("spans", "a\tB-X\n\nb\tO\n", "a\tB-Y\n\nb\tB-Y\n", [1, 0, 0], [0, 0, 2]),
        ("tokens", "a\tO\n\nb\tO\n", "a\tO\n\nb\tO\n", [0, 0, 0], [2, 0, 0]),
        ("tokens", "a\tO\n\nb\tO\n", "a\tX\n\nb\tO\n", [0, 0, 0], [1, 0, 1]),
        ("tokens", "a\tX\n\nb\tX\n", "a\tX\n\nb\tX\n", [0, 0, 2], [0, 0, 0]),
        ("labels", "p\nq\n", "p\nq\n", [0, 0, 2], [0, 0, 0]),
        ("labels", "p\nq\n", "q\np\n", [2, 0, 0], [0, 0, 2]),
        ("multilabel", "\n\n", "\n\n", [0, 0, 0], [0, 0, 0]),
        ("multilabel", "\np q\n", "p\nr\n", [2, 0, 0], [0, 0, 2]),
    ],
)
def test_nothing_and_everything(
    task: str, gold: str, said: str, totals: list[int], spurious: list[int], write: Write, run: Run
) -> None:
    ending = "conll" if task in ("spans", "tokens") else "txt"
    write(f"g.{ending}", gold)
    write(f"s.{ending}", said)
    data = ("--task", task, "--gold", f"g.{ending}", "-s", f"x=s.{ending}", "-s", f"y=s.{ending}")
    found = result(run("difficulty", *data, "--resamples", "20", "--json", "-"))
    assert (found["gold"]["totals"], found["spurious"]["totals"]) == (totals, spurious)
    assert found["features"] is None
    ran = run("difficulty", *data, "--resamples", "0", "--write-suspects", "x.csv", "--csv", "out")
    assert ran.code == 0, ran.err
    assert "nan" not in ran.out.lower().split()


@pytest.mark.parametrize("cell", ["0", "1"])
def test_a_matrix_of_one_value(cell: str, write: Write, run: Run) -> None:
    write("m.csv", f"item,p,q\nx,{cell},{cell}\ny,{cell},{cell}\n")
    found = result(run("difficulty", "--matrix", "m.csv", "--json", "-"))
    assert found["gold"]["totals"] == ([2, 0, 0] if cell == "0" else [0, 0, 2])
    assert run("difficulty", "--matrix", "m.csv").code == 0


# ---------------------------------------------------------------------- findings


def test_what_the_bins_say(files: Path, run: Run) -> None:
    said = " ".join(result(run("difficulty", *CONLL, "--resamples", "0", "--json", "-"))["findings"])
    assert "1 (14%) are found by all 3 systems and 1 (14%) by none" in said
    assert "Of 4 spurious units, 3 (75%) are returned by one system alone and 1 by all." in said


def test_a_share_that_another_system_has_as_well(files: Path, run: Run) -> None:
    said = " ".join(result(run("difficulty", *CONLL, "--resamples", "0", "--json", "-"))["findings"])
    assert "no other system finds as large a share" not in said


# ---------------------------------------------------------------------- where results go


def test_json_and_nothing_else(files: Path, run: Run) -> None:
    ran = run("difficulty", *CONLL, "--resamples", "0", "--write-suspects", "x.csv", "--csv", "out", "--json", "-")
    json.loads(ran.out)
    assert "wrote 1 suspect to x.csv" in ran.err
    quiet = run("difficulty", *CONLL, "--resamples", "0", "--write-suspects", "x.csv", "--json", "-", "-q")
    assert (quiet.err, quiet.out) == ("", ran.out)
    to_file = run("difficulty", *CONLL, "--resamples", "0", "--json", "x.json")
    assert (files / "x.json").read_text(encoding="utf-8") == ran.out
    assert "Suspect gold" in to_file.out


def test_tables(files: Path, run: Run) -> None:
    found = result(run("difficulty", *CONLL, "--resamples", "30", "--csv", "out", "--json", "-", "--train", "g.conll"))
    names = {path.stem for path in (files / "out").iterdir()}
    assert names == {
        "gold_bins", "spurious_bins", "leave_one_out", "singular", "pairwise", "profile", "attributes", "features",
        "suspects", "without_suspects",
    }  # fmt: skip
    bins = rows_of(files / "out" / "gold_bins.csv")
    for name, own in found["gold"]["systems"].items():
        assert [int(row["found"]) for row in bins if row["system"] == name] == own
        assert [int(row["total"]) for row in bins if row["system"] == name] == found["gold"]["totals"]
    left_out = rows_of(files / "out" / "leave_one_out.csv")
    assert [int(row["total"]) for row in left_out if row["system"] == "b"] == LEFT_OUT["b"][0]
    attributes = rows_of(files / "out" / "attributes.csv")
    assert sum(int(row["n"]) for row in attributes if (row["bin"], row["attribute"]) == ("2", "label")) == 3
    (suspect,) = rows_of(files / "out" / "suspects.csv")
    assert list(suspect) == SUSPECT_COLUMNS
    aside = rows_of(files / "out" / "without_suspects.csv")
    assert [(row["set_aside"], row["system"], row["rank"]) for row in aside[:3]] == [
        ("none", "a", "1"),
        ("none", "b", "3"),
        ("none", "c", "2"),
    ]
    pairs = rows_of(files / "out" / "pairwise.csv")
    assert len(pairs) == 3 * 4
    assert float(pairs[0]["lo"]) <= float(pairs[0]["difference"]) <= float(pairs[0]["hi"])


def test_tables_of_strings(calcium: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    assert run(*calcium, "--lower", "--surface", "Calcium", "--csv", "out").code == 0
    (form,) = rows_of(tmp_path / "out" / "spread.csv")
    assert (form["surface"], form["n"], form["bin_0"], form["bin_1"], form["bin_2"]) == ("calcium", "3", "1", "1", "1")
    mentions = rows_of(tmp_path / "out" / "mentions.csv")
    assert [(row["side"], row["bin"]) for row in mentions] == [
        ("resistant", "0"),
        ("found", "2"),
        ("found", "1"),
        ("asked", "0"),
        ("asked", "1"),
        ("asked", "2"),
        ("in longer", "1"),
        ("spurious", "1"),
    ]
    asked = rows_of(tmp_path / "out" / "surface.csv")
    assert [int(row["mentions"]) for row in asked] == [1, 1, 1, 0, 1, 0, 0, 1, 0]


def test_latex_and_markdown(files: Path, run: Run) -> None:
    ran = run("difficulty", *CONLL, "--resamples", "0", "--latex", "tex", "--markdown", "md")
    assert ran.code == 0, ran.err
    names = {path.stem for path in (files / "md").iterdir()}
    assert names >= {"bins", "shares", "singular", "leave-one-out", "spurious-bins", "profile", "suspects", "hardest"}
    assert {path.stem for path in (files / "tex").iterdir()} == names
    assert "| all in the bin | 1 | 2 | 3 | 1 | 7 |" in (files / "md" / "bins.md").read_text(encoding="utf-8")


def test_latex_has_what_pdflatex_knows(files: Path, run: Run) -> None:
    assert run("difficulty", *CONLL, "--resamples", "0", "--latex", "tex").code == 0
    text = "".join(path.read_text(encoding="utf-8") for path in (files / "tex").iterdir())
    assert not {"▴", "▾"} & set(text)


def test_quiet(files: Path, run: Run) -> None:
    data = ("difficulty", "--gold", "g.conll", "-s", "x=a.conll", "-s", "x=b.conll", "-s", "y=c.conll")
    ran = run(*data, "-q")
    assert ran.err == ""
    assert "restarts of x" in " ".join(ran.out.split())


def test_any_name(write: Write, run: Run) -> None:
    """A name is never a pattern or a piece of markup."""
    names = ["^x$", "x", "*", "^.*$", "a+b", "<b>", "with space", "[red]"]
    write("g.txt", "p\n" * 12)
    data = ["--task", "labels", "--gold", "g.txt", "--resamples", "0"]
    has = []
    for k, name in enumerate(names):
        has.append([i % (k + 2) > 0 for i in range(12)])
        write(f"{k}.txt", "".join("p\n" if own else "q\n" for own in has[-1]))
        data += ["-s", f"{name}={k}.txt"]
    found = result(run("difficulty", *data, "--compare", "^.*$,[red]", "--json", "-"))
    assert list(found["gold"]["systems"]) == names
    assert [sum(own) for own in found["gold"]["systems"].values()] == [sum(own) for own in has]
    bins = [sum(column) for column in zip(*has, strict=True)]
    assert found["gold"]["totals"] == [bins.count(n) for n in range(9)]
    assert (found["pairwise"][0]["a"], found["pairwise"][0]["b"]) == ("^.*$", "[red]")
    assert found["pairwise"][0]["recall_a"] == sum(has[3]) / 12
    shown = run("difficulty", *data, "--compare", "^.*$,[red]").out
    assert all(name in shown for name in names)


# ---------------------------------------------------------------------- bins beside the units


def test_bins_errors_and_attributes_of_spans(files: Path, run: Run) -> None:
    ran = run("units", *CONLL, "--train", "g.conll", "--with", "bins,errors,attributes", "--csv", "out")
    assert ran.code == 0, ran.err
    rows = rows_of(files / "out" / "units.csv")
    by_unit = {(row["text"], row["label"]): row for row in rows}
    assert len(by_unit) == len(rows) == 7 + 4
    assert {key: int(row["bin"]) for key, row in by_unit.items()} == {
        ("Ada", "PER"): 2, ("Bob", "PER"): 2, ("Rome", "LOC"): 2, ("fell", "LOC"): 1, ("Paris", "LOC"): 0,
        ("Paris", "ORG"): 3, ("Oslo", "LOC"): 1, ("won", "LOC"): 1, ("IMF", "ORG"): 1, ("IMF", "LOC"): 1,
        ("Berlin", "LOC"): 3,
    }  # fmt: skip
    totals = [sum(row["gold"] == "true" and row["bin"] == str(n) for row in rows) for n in range(4)]
    assert totals == BINS["totals"]
    assert (by_unit["Paris", "LOC"]["error:a"], by_unit["Paris", "ORG"]["error:a"]) == ("type", "type")
    assert (by_unit["Oslo", "LOC"]["error:a"], by_unit["Oslo", "LOC"]["error:c"]) == ("missed", "")
    assert by_unit["fell", "LOC"]["error:b"] == "spurious"
    assert (by_unit["Ada", "PER"]["eLen"], by_unit["Oslo", "LOC"]["sLen"]) == ("1", "4")
    assert float(by_unit["Ada", "PER"]["eCon"]) == 1


@pytest.mark.parametrize("task", ["characters", "tokens", "labels", "multilabel"])
def test_bins_of_other_tasks(task: str, files: Path, run: Run) -> None:
    ran = run("units", *TASKS[task], "--with", "bins", "--csv", "out")
    assert ran.code == 0, ran.err
    rows = rows_of(files / "out" / "units.csv")
    systems = json.loads(run("units", *TASKS[task], "--json", "-").out)["data"]["systems"]
    assert all(int(row["bin"]) == sum(row[name] == "true" for name in systems) for row in rows)
    for gold, expected in (("true", GOLD_BINS[task]), ("false", SPURIOUS_BINS[task])):
        own = [int(row["bin"]) for row in rows if row["gold"] == gold]
        assert [own.count(n) for n in range(1, len(expected))] == expected[1:]
    if task != "characters":
        refused(run("units", *TASKS[task], "--with", "errors"), "spans")


def test_bins_of_scored_items(files: Path, run: Run) -> None:
    for task, expected in (("matrix", [1, 3, 0, 3, 3]), ("jsonl scores", [1, 1, 2, 2])):
        assert run("units", *TASKS[task], "--with", "bins", "--csv", "out").code == 0
        assert [int(row["bin"]) for row in rows_of(files / "out" / "units.csv")] == expected
    refused(run("units", *TEXT, "--with", "bins"), "metric")


@pytest.mark.parametrize("parts", [(), ("--part-rows", "2")])
@pytest.mark.parametrize("ids", [[1, 2, 3], [1.5, None, 2.5], [True, False, None], [["a"], [], None], [{"a": 1}] * 3])
def test_names_of_items_are_of_any_kind(ids: list[Any], parts: tuple[str, ...], write: Write, run: Run) -> None:
    for name, scores in (("s", (0, 1, 0)), ("t", (1, 1, 0))):
        rows = [json.dumps({"id": own, "score": score}) for own, score in zip(ids, scores, strict=True)]
        write(f"{name}.jsonl", "\n".join(rows))
    data = ("-s", "s=s.jsonl", "-s", "t=t.jsonl", "--task", "scores", "--resamples", "0", *parts)
    for command in ("difficulty", "complement"):
        assert run(command, *data).code == 0
    suspects = document_of("difficulty", run("difficulty", *data, "--json", "-"))["result"]["suspects"]
    assert suspects[0]["gold"]["text"] == ("" if isinstance(ids[2], (list, dict)) or ids[2] is None else str(ids[2]))
