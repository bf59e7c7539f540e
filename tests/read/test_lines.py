"""Plain lines: labels, texts, numbers, tags and several labels; and what tells the task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from slicewise import UserError, load, score
from slicewise.read import open_source, read

if TYPE_CHECKING:
    from support.commands import Write

    from slicewise.evaluation import Evaluation


def units(e: Evaluation, *systems: str) -> list[tuple[Any, ...]]:
    return e.units.select("item", "label", "gold", *systems).rows()


@pytest.mark.parametrize("content", ["a\nb\na\n", "a\r\nb\r\na\r\n", "a\nb\na", "\ufeffa\nb\na\n", " a\nb \na\n"])
def test_labels(content: str, write: Write) -> None:
    e = load(gold=write("g.txt", content), systems={"s": write("s.txt", "a\na\na\n")})
    assert e.task == "labels"
    assert units(e, "s") == [(0, "a", True, True), (1, "a", False, True), (1, "b", True, False), (2, "a", True, True)]


def test_an_empty_output_is_wrong_and_said(write: Write) -> None:
    e = load(gold=write("g.txt", "a\nb\na\n"), systems={"s": write("s.txt", "a\n\na\n")})
    assert units(e, "s") == [(0, "a", True, True), (1, "b", True, False), (2, "a", True, True)]
    assert any(w.startswith("s.txt: 1 empty output (first at line 2)") for w in e.warnings)
    assert score(e, resamples=0).systems["s"].metrics["accuracy"].value == pytest.approx(2 / 3)


def test_an_empty_last_output_is_an_item(write: Write) -> None:
    e = load(gold=write("g.txt", "a\nb\n"), systems={"s": write("s.txt", "a\n\n")})
    assert e.aligned.items == 2


def test_an_empty_gold_label_is_an_error(write: Write) -> None:
    with pytest.raises(UserError, match=r"^g\.txt:2: an empty label"):
        load(gold=write("g.txt", "a\n\nb\n"), systems={"s": write("s.txt", "a\na\na\n")}, task="labels")


def test_texts_keep_their_characters(write: Write) -> None:
    lines = ["the cat\u2028sat", 'a "b" c', "", "  x\u00a0y ", "d\u0085e"]
    name = write("g.txt", "\n".join(lines) + "\n")
    found = read(open_source(name), "lines").answers
    assert found is not None
    assert found.to_list() == lines


def test_references_by_tabs(write: Write) -> None:
    gold = write("g.txt", "a cat\tthe cat\nthe mat\n")
    e = load(gold=gold, systems={"s": write("s.txt", "the cat\nthe mat\n")}, task="text")
    assert score(e, metrics=["exact-match"], resamples=0).systems["s"].metrics["exact-match"].value == 1.0


def test_lines_of_tags_with_input(write: Write) -> None:
    gold = write("g.txt", "B-X I-X O\n\nO B-Y\n")
    system = write("s.txt", "B-X O O\n\nO B-Y\n")
    text = write("in.txt", "Ada Lovelace met\n\nthe Bob\n")
    e = load(gold=gold, systems={"s": system}, inputs=[text])
    assert e.task == "spans"
    assert e.aligned.items == 3
    assert e.units.select("item", "start", "end", "label", "gold", "s").rows() == [
        (0, 0, 1, "X", False, True),
        (0, 0, 2, "X", True, False),
        (2, 1, 2, "Y", True, True),
    ]
    assert e.surface().to_list() == ["Ada", "Ada Lovelace", "Bob"]


def test_lines_of_tags_and_input_of_another_length(write: Write) -> None:
    gold = write("g.txt", "B-X O O\nO O\n")
    text = write("in.txt", "Ada met him\nBob met him\n")
    with pytest.raises(UserError, match=r"^g\.txt:2: 2 tags, but 3 tokens"):
        load(gold=gold, systems={"s": gold}, inputs=[text], task="spans")


def test_lines_of_tags_and_input_of_other_length_in_a_system(write: Write) -> None:
    gold = write("g.txt", "B-X O O\nO O\n")
    system = write("s.txt", "B-X O O\nO\n")
    with pytest.raises(UserError, match=r"^s\.txt:2: .*g\.txt:2"):
        load(gold=gold, systems={"s": system}, inputs=[write("in.txt", "Ada met him\nBob met\n")])


def test_several_labels_a_line_with_empty_lines(write: Write) -> None:
    gold = write("g.txt", "a b\n\nb\n\n")
    system = write("s.txt", "\na\nb  c\n\n")
    e = load(gold=gold, systems={"s": system}, task="multilabel")
    assert e.aligned.items == 4
    assert units(e, "s") == [
        (0, "a", True, False),
        (0, "b", True, False),
        (1, "a", False, True),
        (2, "b", True, True),
        (2, "c", False, True),
    ]


def test_a_label_twice_on_a_line_counts_once_and_is_said(write: Write) -> None:
    gold = write("g.txt", "a b\nb\n")
    e = load(gold=gold, systems={"s": write("s.txt", "a a b\nb\n")}, task="multilabel")
    assert e.units["s"].sum() == 3
    assert "s: 1 unit given more than once, counted once" in e.warnings


def test_numbers_are_scores(write: Write) -> None:
    e = load(systems={"s": write("s.txt", "0.5\n1\ntrue\nFalse\n1e-3\n")})
    assert e.task == "scores"
    assert e.aligned.answers is not None
    assert e.aligned.answers["s"].to_list() == [0.5, 1.0, 1.0, 0.0, 0.001]


@pytest.mark.parametrize(
    ("gold", "task"),
    [
        ("a\tB-X\nb\tO\n\nc\tO\n", "spans"),
        ("a\tO\nb\tO\n\nc\tO\n", "spans"),
        ("a\tDET\nb\tNOUN\n\nc\tS\n", "tokens"),
        ("pos\nneg\npos\n", "labels"),
        ("1\n0\n1\n", "labels"),
        ("a b\nb\nc a\na b c\nb c\nb\na c\na b\n" * 3, "multilabel"),
        ("".join(f"the {i}th cat sat on mat number {i * i}\n" for i in range(80)), "text"),
        ("B-X O O\nO B-X I-X O\n", "spans"),
        ('{"label": "x"}\n', "labels"),
        ('{"labels": ["x"]}\n', "multilabel"),
        ('{"output": "x"}\n', "text"),
        ('{"text": "x", "spans": []}\n', "spans"),
        ('{"tokens": ["x"], "tags": ["NN"]}\n', "tokens"),
    ],
)
def test_the_task_is_told_and_said(gold: str, task: str, write: Write) -> None:
    e = load(gold=write("g", gold), systems={"s": "g"})
    assert e.task == task
    assert any(note.startswith(f"task {task}") and "told by" in note for note in e.aligned.notes)


def test_lines_of_tags_that_are_all_equally_long(write: Write) -> None:
    """Three tags on each line are no token with two columns."""
    gold = write("g.txt", "B-X O O\nO B-X I-X\n")
    e = load(gold=gold, systems={"s": gold}, inputs=[write("in.txt", "Ada met him\nthen Bob left\n")])
    assert e.aligned.items == 2
    assert e.surface().to_list() == ["Ada", "Bob left"]


def test_scores_are_told_by_the_absence_of_gold(write: Write) -> None:
    assert load(systems={"s": write("s.txt", "1\n0\n")}).task == "scores"
    assert load(systems={"s": write("s.csv", "id,score\na,1\nb,0\n")}).task == "scores"


def test_input_fields(write: Write) -> None:
    gold = write("g.txt", "x\ny\n")
    one = write("one.txt", "a\nb\n")
    two = write("two.txt", "a\tc\nb\n")
    table = write("t.csv", "q,r\n1,2\n3,4\n")

    def fields(*inputs: str) -> dict[str, list[Any]]:
        return load(gold=gold, systems={"s": gold}, inputs=inputs).aligned.fields.to_dict(as_series=False)

    assert fields(one) == {"in": ["a", "b"]}
    assert fields(two) == {"in<1>": ["a", "b"], "in<2>": ["c", ""]}
    assert fields(f"{table}:q") == {"in": ["1", "3"]}
    assert fields(f"{table}:q", f"{table}:r") == {"in<q>": ["1", "3"], "in<r>": ["2", "4"]}


def test_input_of_another_length(write: Write) -> None:
    gold = write("g.txt", "x\ny\n")
    with pytest.raises(UserError, match=r"^in\.txt: 3 items, but 2 in g\.txt; in\.txt:3 "):
        load(gold=gold, systems={"s": gold}, inputs=[write("in.txt", "a\nb\nc\n")])


def test_input_that_looks_like_columns_is_text(write: Write) -> None:
    gold = write("g.txt", "x\ny\n")
    e = load(gold=gold, systems={"s": gold}, inputs=[write("in.txt", "give a\tO\ngive b\tB-X\n")])
    assert e.aligned.fields.to_dict(as_series=False) == {"in<1>": ["give a", "give b"], "in<2>": ["O", "B-X"]}
