"""Gold and systems side by side: restarts, token texts, labels renamed and left out, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from slicewise import Evaluation, UserError, load, score
from slicewise.align.clusters import MOST_GROUPS

if TYPE_CHECKING:
    from support.commands import Write

GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nin\tO\nRome\tB-LOC\n"


def units(e: Evaluation, *systems: str) -> list[tuple[Any, ...]]:
    return e.units.select("item", "start", "end", "label", "gold", *systems).rows()


def test_restarts_are_numbered(write: Write) -> None:
    gold = write("g.conll", GOLD)
    other = write("o.conll", GOLD.replace("B-LOC", "O"))
    e = load(gold=gold, systems={"a": [gold, other], "b": other, "c": [gold]})
    assert e.systems == ("a#1", "a#2", "b", "c")
    assert dict(e.restarts) == {"a": ("a#1", "a#2"), "b": ("b",), "c": ("c",)}
    assert e.ranked_systems == ("a#1", "b", "c")
    assert e.units["a#1"].sum() == 3
    assert e.units["a#2"].sum() == 2
    assert e.summary()["restarts"] == {"a": ["a#1", "a#2"]}


def test_restarts_are_summarised_together(write: Write) -> None:
    gold = write("g.conll", GOLD)
    other = write("o.conll", GOLD.replace("B-LOC", "O"))
    spread = score(load(gold=gold, systems={"a": [gold, other]}), resamples=0).restarts["a"]["f1"]
    assert spread.n == 2
    assert spread.max == 1.0
    assert spread.min == pytest.approx(0.8)
    assert spread.mean == pytest.approx(0.9)


def test_other_token_texts_are_counted(write: Write) -> None:
    gold = write("g.conll", GOLD)
    system = write("s.conll", "#c\tO\tx\n" + GOLD.replace("met", "MET").replace("Rome", "Roma"))
    system = write("s.conll", GOLD.replace("met", "MET").replace("Rome", "Roma"))
    e = load(gold=gold, systems={"s": system})
    assert units(e, "s") == units(load(gold=gold, systems={"s": gold}), "s")
    (warning,) = [w for w in e.warnings if w.startswith("s.conll: ")]
    assert "2 tokens of 5 differ in text" in warning
    assert "'MET' for 'met' at g.conll:2" in warning


def test_strict_tokens(write: Write) -> None:
    gold = write("g.conll", "\n" + GOLD)
    system = write("s.conll", GOLD.replace("Rome", "Roma"))
    with pytest.raises(UserError, match=r"^s\.conll:6: 1 token of 5 differs in text from g\.conll, .* at g\.conll:7"):
        load(gold=gold, systems={"s": system}, strict_tokens=True)
    assert load(gold=gold, systems={"s": gold}, strict_tokens=True).units["s"].sum() == 3


def test_token_texts_of_jsonl_are_compared_too(write: Write) -> None:
    gold = write("g.jsonl", '{"tokens": ["a", "b"], "spans": []}\n')
    system = write("s.jsonl", '{"tokens": ["a", "c"], "spans": []}\n')
    assert any("1 token of 2 differs" in w for w in load(gold=gold, systems={"s": system}).warnings)
    with pytest.raises(UserError, match=r"^s\.jsonl"):
        load(gold=gold, systems={"s": system}, strict_tokens=True)


def test_map_renames_everywhere(write: Write) -> None:
    gold = write("g.conll", GOLD)
    system = write("s.conll", GOLD.replace("LOC", "GPE"))
    assert load(gold=gold, systems={"s": system}).units.height == 4
    e = load(gold=gold, systems={"s": system}, train=gold, map={"GPE": "LOC", "PER": "P"})
    assert units(e, "s") == [
        (0, 0, 1, "P", True, True),
        (1, 0, 1, "P", True, True),
        (1, 2, 3, "LOC", True, True),
    ]
    assert e.train is not None
    assert e.train.units is not None
    assert set(e.train.units.labels) == {"P", "LOC"}


def test_map_that_merges_makes_duplicates_one_and_says_so(write: Write) -> None:
    span = '{"start": 0, "end": 1, "label": "%s"}'
    gold = write("g.jsonl", f'{{"tokens": ["a"], "spans": [{span % "A"}, {span % "B"}]}}\n')
    e = load(gold=gold, systems={"s": gold}, map={"A": "B"})
    assert units(e, "s") == [(0, 0, 1, "B", True, True)]
    assert [w for w in e.warnings if w.startswith("gold: 1 unit given more than once")]
    assert [w for w in e.warnings if w.startswith("s: 1 unit given more than once")]


def test_map_of_labels(write: Write) -> None:
    gold, system = write("g.txt", "good\nbad\n"), write("s.txt", "positive\nbad\n")
    e = load(gold=gold, systems={"s": system}, map={"positive": "good"})
    assert e.units.select("item", "label", "gold", "s").rows() == [(0, "good", True, True), (1, "bad", True, True)]
    assert score(e, resamples=0).systems["s"].metrics["accuracy"].value == 1.0


def test_map_does_not_chain(write: Write) -> None:
    gold = write("g.txt", "a\nb\n")
    e = load(gold=gold, systems={"s": gold}, map={"a": "b", "b": "a"})
    assert e.units["label"].to_list() == ["b", "a"]


def test_ignore(write: Write) -> None:
    gold = write("g.conll", GOLD)
    system = write("s.conll", GOLD.replace("Ada\tB-PER", "Ada\tB-LOC"))
    e = load(gold=gold, systems={"s": system}, train=gold, ignore=["LOC"])
    assert units(e, "s") == [(0, 0, 1, "PER", True, False), (1, 0, 1, "PER", True, True)]
    assert [w for w in e.warnings if "1 unit of gold, 2 units of s" in w]
    assert e.train is not None
    assert e.train.units is not None
    assert len(e.train.units) == 2


def test_ignore_of_a_label_that_is_not_there_is_said(write: Write) -> None:
    gold = write("g.conll", GOLD)
    e = load(gold=gold, systems={"s": gold}, ignore=["ORG", "LOC"])
    assert [w for w in e.warnings if "--ignore ORG: no unit has this label" in w]
    assert not [w for w in e.warnings if "--ignore LOC" in w]


def test_duplicate_spans_count_once_and_are_said(write: Write) -> None:
    span = '{"start": 0, "end": 1, "label": "A"}'
    gold = write("g.jsonl", f'{{"tokens": ["a"], "spans": [{span}]}}\n')
    system = write("s.jsonl", f'{{"tokens": ["a"], "spans": [{span}, {span}, {span}]}}\n')
    e = load(gold=gold, systems={"s": system})
    assert units(e, "s") == [(0, 0, 1, "A", True, True)]
    assert "s: 2 units given more than once, counted once" in e.warnings


def test_one_unit_for_two_systems_same_mistake() -> None:
    e = Evaluation.from_spans([["a", "b"]], [[]], {"s": [[(0, 1, "X")]], "t": [[(0, 1, "X"), (0, 1, "Y")]]})
    assert units(e, "s", "t") == [(0, 0, 1, "X", False, True, True), (0, 0, 1, "Y", False, False, True)]


# ------------------------------------------------------------------ tokens and negative labels


def test_tokens_are_compared_as_written(write: Write) -> None:
    gold = write("g.conll", GOLD)
    system = write("s.conll", GOLD.replace("Rome\tB-LOC", "Rome\tI-LOC"))
    e = load(gold=gold, systems={"s": system}, task="tokens")
    assert units(e, "s") == [
        (0, 0, 1, "B-PER", True, True),
        (1, 0, 1, "B-PER", True, True),
        (1, 2, 3, "B-LOC", True, False),
        (1, 2, 3, "I-LOC", False, True),
    ]
    stripped = load(gold=gold, systems={"s": system}, task="tokens", strip_prefix=True)
    assert units(stripped, "s")[-1] == (1, 2, 3, "LOC", True, True)


def test_negative_label_of_tokens(write: Write) -> None:
    gold = write("g.conll", "a\tX\nb\tO\nc\tNN\n")
    e = load(gold=gold, systems={"s": gold}, task="tokens", negative_label="X")
    assert [row[3] for row in units(e, "s")] == ["O", "NN"]


def test_map_and_ignore_of_tokens_reach_the_types(write: Write) -> None:
    gold = write("g.conll", GOLD)
    e = load(gold=gold, systems={"s": gold}, task="tokens", map={"LOC": "GPE"}, ignore=["PER"])
    assert units(e, "s") == [(1, 2, 3, "B-GPE", True, True)]


@pytest.mark.parametrize("task", ["labels", "multilabel"])
def test_negative_label_makes_no_unit(task: str, write: Write) -> None:
    gold, system = write("g.txt", "1\n0\n1\n0\n"), write("s.txt", "1\n1\n0\n0\n")
    e = load(gold=gold, systems={"s": system}, task=task, negative_label="0")
    assert e.units.select("item", "label", "gold", "s").rows() == [
        (0, "1", True, True),
        (1, "1", False, True),
        (2, "1", True, False),
    ]
    assert score(e, resamples=0, metrics=["f1"]).systems["s"].metrics["f1"].value == 0.5


def test_mapping_to_the_negative_label(write: Write) -> None:
    gold = write("g.txt", "yes\nno\nnever\n")
    e = load(gold=gold, systems={"s": gold}, map={"never": "no"}, negative_label="no", task="labels")
    assert e.units["label"].to_list() == ["yes"]


def test_mapping_to_the_negative_label_of_tokens(write: Write) -> None:
    gold = write("g.conll", "a\tX\nb\tO\nc\tY\n")
    e = load(gold=gold, systems={"s": gold}, task="tokens", map={"Y": "O"})
    assert [row[3] for row in units(e, "s")] == ["X"]


# ------------------------------------------------------------------ clusters

CSV = "id,topic,label\n1,x,a\n2,y,b\n3,x,a\n4,x,b\n"


def test_items_are_clusters_unless_told(write: Write) -> None:
    gold = write("g.csv", CSV)
    clusters = load(gold=gold, systems={"s": gold}).aligned.clusters
    assert (clusters.kind, clusters.count, clusters.cluster.tolist()) == ("item", 4, [0, 1, 2, 3])


def test_cluster_by_field(write: Write) -> None:
    gold = write("g.csv", CSV)
    clusters = load(gold=gold, systems={"s": gold}, cluster="topic").aligned.clusters
    assert (clusters.kind, clusters.count, clusters.cluster.tolist()) == ("topic", 2, [0, 1, 0, 0])


def test_cluster_item_overrides_documents(write: Write) -> None:
    gold = write("g.conll", "-DOCSTART-\tO\n\n" + GOLD)
    assert load(gold=gold, systems={"s": gold}).aligned.clusters.count == 1
    assert load(gold=gold, systems={"s": gold}, cluster="item").aligned.clusters.count == 2


def test_unknown_cluster_field(write: Write) -> None:
    gold = write("g.csv", CSV)
    with pytest.raises(UserError, match=r"^g\.csv: no field 'topics' to cluster by; did you mean 'topic'\?"):
        load(gold=gold, systems={"s": gold}, cluster="topics")


def test_cluster_field_of_lists(write: Write) -> None:
    gold = write("g.jsonl", '{"label": "a", "k": [1]}\n{"label": "b", "k": [2]}\n')
    with pytest.raises(UserError, match=r"^g\.jsonl: the field 'k' holds lists; --cluster needs plain values"):
        load(gold=gold, systems={"s": gold}, cluster="k")


@pytest.mark.parametrize("named", [False, True])
def test_many_clusters_are_grouped(named: bool) -> None:
    n = 25_000
    labels = ["a", "b"] * (n // 2)
    clusters = [f"c{i // 2}" for i in range(n)] if named else None
    e = Evaluation.from_labels(labels, {"s": labels}, clusters=clusters)
    found = e.aligned.clusters
    assert found.count == (n // 2 if named else n)
    assert MOST_GROUPS * 0.6 < found.groups <= MOST_GROUPS
    assert int(found.group.max()) + 1 == found.groups
    if named:
        assert (found.group[::2] == found.group[1::2]).all()
    method = score(e, resamples=2).inference.interval
    assert f"in {found.groups:,} groups" in method


def test_groups_go_by_the_name_and_not_by_the_order() -> None:
    n = 12_000
    labels = ["a"] * n
    names = [f"c{i}" for i in range(n)]
    one = Evaluation.from_labels(labels, {"s": labels}, clusters=names).aligned.clusters
    other = Evaluation.from_labels(labels, {"s": labels}, clusters=names[::-1]).aligned.clusters
    assert (one.group == other.group[::-1]).all()


def test_exactly_the_most_groups_are_left_alone() -> None:
    labels = ["a"] * MOST_GROUPS
    assert Evaluation.from_labels(labels, {"s": labels}).aligned.clusters.groups == MOST_GROUPS


def test_few_clusters_are_warned_about(write: Write) -> None:
    gold = write("g.csv", CSV)
    assert any("only 4 items to resample" in w for w in load(gold=gold, systems={"s": gold}).warnings)
    many = Evaluation.from_labels(["a", "b"] * 15, {"s": ["a"] * 30})
    assert not any("to resample" in w for w in many.warnings)


# ------------------------------------------------------------------ different shapes


def test_other_number_of_items(write: Write) -> None:
    gold, system = write("g.txt", "a\nb\na\n"), write("s.txt", "a\nb\n")
    with pytest.raises(UserError, match=r"^s\.txt: 2 items, but 3 in g\.txt; g\.txt:3 "):
        load(gold=gold, systems={"s": system}, task="labels")
    with pytest.raises(UserError, match=r"^g\.txt: 3 items, but 2 in s\.txt; g\.txt:3 "):
        load(gold=system, systems={"s": gold}, task="labels")


def test_other_number_of_jsonl_items_behind_blank_lines(write: Write) -> None:
    gold = write("g.jsonl", '{"label": "a"}\n\n\n{"label": "b"}\n')
    system = write("s.jsonl", '{"label": "a"}\n')
    with pytest.raises(UserError, match=r"^s\.jsonl: 1 item, but 2 in g\.jsonl; g\.jsonl:4 "):
        load(gold=gold, systems={"s": system})


def test_empty_sentences_of_nothing_are_undefined_and_not_zero(write: Write) -> None:
    gold = write("g.conll", "a\tO\n\nb\tO\n")
    found = score(load(gold=gold, systems={"s": gold}), resamples=0)
    assert found.systems["s"].metrics["f1"].value is None
    assert found.systems["s"].metrics["exact-match"].value == 1.0
