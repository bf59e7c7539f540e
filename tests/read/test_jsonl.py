"""JSONL: one object per item."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from slicewise import UserError, load
from slicewise.read import open_source, read, streamed, tell_format
from slicewise.read.convert import convert

if TYPE_CHECKING:
    from support.commands import Write

    from slicewise.evaluation import Evaluation


def rows(*objects: dict[str, Any]) -> str:
    return "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects)


def span(start: int, end: int, label: str = "X") -> dict[str, Any]:
    return {"start": start, "end": end, "label": label}


def units(e: Evaluation, *systems: str) -> list[tuple[Any, ...]]:
    return e.units.select("item", "start", "end", "label", "gold", *systems).rows()


def test_spans_by_characters(write: Write) -> None:
    gold = write("g.jsonl", rows({"text": "Ada met Bob", "spans": [span(0, 3, "PER"), span(8, 11, "PER")]}))
    system = write("s.jsonl", rows({"text": "Ada met Bob", "spans": [span(0, 3, "PER"), span(4, 7, "PER")]}))
    e = load(gold=gold, systems={"s": system})
    assert e.task == "spans"
    assert e.aligned.length_unit == "characters"
    assert units(e, "s") == [
        (0, 0, 3, "PER", True, True),
        (0, 4, 7, "PER", False, True),
        (0, 8, 11, "PER", True, False),
    ]
    assert e.surface().to_list() == ["Ada", "met", "Bob"]


def test_spans_by_tokens(write: Write) -> None:
    gold = write(
        "g.jsonl", rows({"tokens": ["Ada", "Lovelace", "met"], "spans": [span(0, 2)]}, {"tokens": [], "spans": []})
    )
    system = write("s.jsonl", rows({"spans": [span(0, 1)]}, {"spans": []}))
    e = load(gold=gold, systems={"s": system})
    assert e.aligned.items == 2
    assert units(e, "s") == [(0, 0, 1, "X", False, True), (0, 0, 2, "X", True, False)]
    assert e.surface().to_list() == ["Ada", "Ada Lovelace"]


def test_a_system_without_text_counts_in_gold_s_text(write: Write) -> None:
    gold = write("g.jsonl", rows({"text": "Ada met Bob", "spans": [span(8, 11)]}))
    system = write("s.jsonl", rows({"spans": [span(8, 11)]}))
    assert units(load(gold=gold, systems={"s": system}), "s") == [(0, 8, 11, "X", True, True)]


def test_character_spans_mapped_to_tokens(write: Write) -> None:
    tokens = ["😀", "Ada", "𝔏ovelace", ",", "naïve", "!"]
    text = "😀 Ada  𝔏ovelace, naïve!"
    gold = write("g.jsonl", rows({"tokens": ["a"], "spans": []}, {"tokens": tokens, "spans": [span(1, 3), span(4, 5)]}))
    at = text.index("Ada")
    naive = text.index("naïve")
    found = [span(at, text.index(",")), span(naive, naive + 5)]
    system = write("s.jsonl", rows({"text": "a", "spans": []}, {"text": text, "spans": found}))
    assert units(load(gold=gold, systems={"s": system}), "s") == [
        (1, 1, 3, "X", True, True),
        (1, 4, 5, "X", True, True),
    ]


def test_gold_with_text_and_tokens_maps_its_own_spans(write: Write) -> None:
    gold = write("g.jsonl", rows({"text": "😀Ada met", "tokens": ["😀", "Ada", "met"], "spans": [span(1, 4)]}))
    e = load(gold=gold, systems={"s": gold})
    assert units(e, "s") == [(0, 1, 2, "X", True, True)]


@pytest.mark.parametrize(("start", "end"), [(0, 2), (1, 3), (4, 6), (0, 6)])
def test_a_span_that_cuts_a_token(start: int, end: int, write: Write) -> None:
    gold = write("g.jsonl", rows({"tokens": ["x"], "spans": []}, {"tokens": ["Ada", "met"], "spans": []}))
    system = write("s.jsonl", rows({"text": "x", "spans": []}, {"text": "Ada met", "spans": [span(start, end)]}))
    with pytest.raises(UserError, match=rf"^s\.jsonl:2: item 2: the span {start}–{end} .*cuts a token"):
        load(gold=gold, systems={"s": system})


def test_text_that_is_not_made_of_the_tokens(write: Write) -> None:
    gold = write("g.jsonl", rows({"tokens": ["x"], "spans": []}, {"tokens": ["Ada", "met"], "spans": []}))
    system = write("s.jsonl", rows({"text": "x", "spans": []}, {"text": "Ida met", "spans": [span(0, 3)]}))
    with pytest.raises(UserError, match=r"^s\.jsonl:2: item 2: the text is not made of the tokens"):
        load(gold=gold, systems={"s": system})


def test_jsonl_spans_against_conll_gold(write: Write) -> None:
    gold = write("g.conll", "Ada\tB-PER\nLovelace\tI-PER\nmet\tO\n\nBob\tB-PER\n")
    system = write(
        "s.jsonl", rows({"text": "Ada Lovelace met", "spans": [span(0, 12, "PER")]}, {"text": "Bob", "spans": []})
    )
    assert units(load(gold=gold, systems={"s": system}), "s") == [
        (0, 0, 2, "PER", True, True),
        (1, 0, 1, "PER", True, False),
    ]


def test_tags_as_lists(write: Write) -> None:
    gold = write(
        "g.jsonl", rows({"tokens": ["Ada", "met"], "tags": ["B-X", "O"]}, {"tokens": ["Bob"], "tags": ["B-X"]})
    )
    system = write("s.jsonl", rows({"tags": ["B-X", "I-X"]}, {"tags": ["B-X"]}))
    assert units(load(gold=gold, systems={"s": system}), "s") == [
        (0, 0, 1, "X", True, False),
        (0, 0, 2, "X", False, True),
        (1, 0, 1, "X", True, True),
    ]


def test_as_many_tags_as_tokens(write: Write) -> None:
    gold = write("g.jsonl", rows({"tokens": ["a"], "tags": ["O"]}, {"tokens": ["b", "c"], "tags": ["O"]}))
    with pytest.raises(UserError, match=r"^g\.jsonl:2: 1 tag for 2 tokens"):
        load(gold=gold, systems={"s": gold})


def test_label(write: Write) -> None:
    gold = write("g.jsonl", rows({"text": "a", "label": "pos"}, {"text": "b", "label": "neg"}))
    system = write("s.jsonl", rows({"label": "pos"}, {"label": "pos"}))
    e = load(gold=gold, systems={"s": system})
    assert e.task == "labels"
    assert e.units.select("item", "label", "gold", "s").rows() == [
        (0, "pos", True, True),
        (1, "neg", True, False),
        (1, "pos", False, True),
    ]


def test_a_label_that_is_a_number_or_a_truth_value(write: Write) -> None:
    gold = write("g.jsonl", rows({"label": 1}, {"label": 0}))
    e = load(gold=gold, systems={"s": write("s.jsonl", rows({"label": 1}, {"label": 1}))})
    assert e.task == "labels"
    assert e.units["label"].to_list() == ["1", "0", "1"]
    truth = write("t.jsonl", rows({"label": True}, {"label": False}))
    assert load(gold=truth, systems={"s": truth}).task == "labels"


def test_labels(write: Write) -> None:
    gold = write("g.jsonl", rows({"labels": ["a", "b"]}, {"labels": []}, {"labels": ["c"]}))
    system = write("s.jsonl", rows({"labels": ["b"]}, {"labels": ["a"]}, {"labels": ["c"]}))
    e = load(gold=gold, systems={"s": system})
    assert e.task == "multilabel"
    assert e.units.select("item", "label", "gold", "s").rows() == [
        (0, "a", True, False),
        (0, "b", True, True),
        (1, "a", False, True),
        (2, "c", True, True),
    ]


def test_output(write: Write) -> None:
    gold = write("g.jsonl", rows({"output": "the cat sat"}, {"output": "on the mat"}))
    e = load(gold=gold, systems={"s": write("s.jsonl", rows({"output": "a cat sat"}, {"output": "on the mat"}))})
    assert e.task == "text"
    assert e.aligned.answers is not None
    assert e.aligned.answers.rows() == [("the cat sat", "a cat sat"), ("on the mat", "on the mat")]


def test_several_references_in_a_list(write: Write) -> None:
    gold = write("g.jsonl", rows({"output": ["a cat", "the cat"]}, {"output": ["a mat"]}))
    e = load(gold=gold, systems={"s": write("s.jsonl", rows({"output": "a cat"}, {"output": "mat"}))}, task="text")
    assert e.aligned.answers is not None
    assert e.aligned.answers["gold"].to_list() == [["a cat", "the cat"], ["a mat"]]


def test_score_without_gold(write: Write) -> None:
    e = load(systems={"s": write("s.jsonl", rows({"score": 1}, {"score": 0.5}, {"score": True}))})
    assert e.task == "scores"
    assert e.aligned.answers is not None
    assert e.aligned.answers["s"].to_list() == [1.0, 0.5, 1.0]


def test_metadata_are_all_other_fields(write: Write) -> None:
    gold = write(
        "g.jsonl",
        rows({"text": "a", "label": "x", "year": 1999, "tag": "t"}, {"text": "b", "label": "y", "year": 2000}),
    )
    e = load(gold=gold, systems={"s": gold})
    assert e.aligned.metadata.to_dict(as_series=False) == {"year": [1999, 2000], "tag": ["t", None]}
    assert e.aligned.fields.to_dict(as_series=False) == {"in": ["a", "b"]}


def test_doc_clusters(write: Write) -> None:
    gold = write("g.jsonl", rows({"label": "x", "doc": "d1"}, {"label": "y", "doc": "d2"}, {"label": "y", "doc": "d1"}))
    e = load(gold=gold, systems={"s": gold})
    assert e.aligned.clusters.kind == "doc"
    assert e.aligned.clusters.cluster.tolist() == [0, 1, 0]


LOG = rows(
    {"q": "1+1", "6b.x": {"correct": True, "deep": {"er": 1}}, "a.b": 0, "a": {"b": 1}},
    {"q": "2+2", "6b.x": {"correct": False, "deep": {"er": 0}}, "a.b": 1, "a": {"b": 0}},
)


@pytest.mark.parametrize(
    ("column", "values"),
    [("6b.x.correct", [1, 0]), ("6b.x.deep.er", [1, 0]), ("a.b", [0, 1]), ("3", [0, 1])],
)
def test_dotted_paths(column: str, values: list[int], write: Write) -> None:
    e = load(systems={"s": f"{write('log.jsonl', LOG)}:{column}"})
    assert e.task == "scores"
    assert e.aligned.answers is not None
    assert e.aligned.answers["s"].to_list() == values


def test_the_longest_key_with_dots_is_taken(write: Write) -> None:
    log = rows({"m": {"y": 0}, "m.x": {"ok": 1}}, {"m": {"y": 1}, "m.x": {"ok": 0}})
    e = load(systems={"s": f"{write('log.jsonl', log)}:m.x.ok", "t": "log.jsonl:m.y"})
    assert e.aligned.answers is not None
    assert e.aligned.answers.to_dict(as_series=False) == {"s": [1, 0], "t": [0, 1]}


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("6b.x.korrect", r"no column 'korrect' in '6b\.x'; did you mean 'correct'\?"),
        ("6b.x", r"column '6b\.x' holds objects; name a field of it: correct, deep"),
        ("7b", r"no column '7b'"),
        ("9", r"no column '9'"),
    ],
)
def test_wrong_paths(column: str, message: str, write: Write) -> None:
    with pytest.raises(UserError, match=rf"^log\.jsonl: {message}"):
        load(systems={"s": f"{write('log.jsonl', LOG)}:{column}"})


def test_a_path_missing_in_some_objects_is_no_score(write: Write) -> None:
    log = rows({"m": {"ok": 1}}, {"m": {}}, {"m": {"ok": 0}})
    with pytest.raises(UserError, match=r"^log\.jsonl:2: no score"):
        load(systems={"s": f"{write('log.jsonl', log)}:m.ok"})


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_scores_that_are_no_finite_number(value: str, write: Write) -> None:
    system = write("s.jsonl", '{"score": 0.5}\n\n{"score": ' + value + "}\n")
    with pytest.raises(UserError, match=r"^s\.jsonl:3: .*expected a finite number"):
        load(systems={"s": system})


def test_nan_in_a_field_that_is_not_used(write: Write) -> None:
    system = write("s.jsonl", '{"score": 0.5, "loss": NaN}\n{"score": 1, "loss": 2}\n')
    assert load(systems={"s": system}).aligned.items == 2


def test_mixed_types_in_a_field(write: Write) -> None:
    gold = write("g.jsonl", rows({"label": "x", "id": 1}, {"label": "y", "id": "two"}, {"label": "x", "id": None}))
    e = load(gold=gold, systems={"s": gold})
    assert e.units["label"].to_list() == ["x", "y", "x"]


def test_mixed_types_of_label(write: Write) -> None:
    gold = write("g.jsonl", rows({"label": 1}, {"label": "two"}, {"label": 1}))
    e = load(gold=gold, systems={"s": gold})
    assert e.units["label"].to_list() == ["1", "two", "1"]


def test_blank_lines_are_passed_over_and_counted(write: Write) -> None:
    content = '\n{"score": 1}\n\n  \n{"score": 0}\r\n\n{"score": "x"}\n\n'
    a = read(open_source(write("s.jsonl", content)))
    assert a.items == 3
    assert [a.item_line(i) for i in range(a.items)] == [2, 5, 7]


def test_no_final_newline_and_byte_order_mark(write: Write) -> None:
    name = write("s.jsonl", b'\xef\xbb\xbf{"label": "a"}\r\n{"label": "b"}')
    a = read(open_source(name))
    assert a.answers is not None
    assert a.answers.to_list() == ["a", "b"]


def test_line_separators_inside_strings_do_not_split_lines(write: Write) -> None:
    content = '{"text": "a\u2028b\u0085c", "label": "x"}\n{"text": "d", "label": "y"}\n'
    a = read(open_source(write("s.jsonl", content)))
    assert a.items == 2
    assert a.texts is not None
    assert a.texts.to_list() == ["a\u2028b\u0085c", "d"]


def test_told_by_content(write: Write) -> None:
    assert tell_format(open_source(write("x.txt", rows({"label": "x"})))) == "jsonl"


def test_several_files_are_one(write: Write) -> None:
    write("d/b.jsonl", rows({"label": "c", "n": 1}))
    write("d/a.jsonl", rows({"label": "a"}, {"label": "b"}))
    write("d/readme.txt", "not data\n")
    for name in ("d", "d/*.jsonl", "d/[ab].jsonl"):
        a = read(open_source(name))
        assert a.answers is not None
        assert a.answers.to_list() == ["a", "b", "c"]


def test_the_file_of_several_that_is_wrong_is_named(write: Write) -> None:
    write("d/a.jsonl", rows({"score": 1}, {"score": 0}))
    write("d/b.jsonl", "\n" + rows({"score": None}))
    with pytest.raises(UserError, match=r"^d/b\.jsonl:2: no score"):
        load(systems={"s": "d"})


def test_a_file_with_a_colon_in_its_name(write: Write) -> None:
    name = write("a:label", rows({"label": "x", "b": 1}, {"label": "y", "b": 2}))
    a = read(open_source(name))
    assert a.answers is not None
    assert a.answers.to_list() == ["x", "y"]
    other = read(open_source(f"{name}:b"))
    assert other.answers is not None
    assert other.answers.to_list() == [1, 2]


FIRST = {"text": "x", "label": "A", "m": {"n": [1]}, "k": "v"}
WRONG = {
    "a key twice": ('{"label": "A", "label": "B"}', "the key 'label' is twice in one object"),
    "a key twice, once null": ('{"label": "A", "k": "v", "k": null}', "the key 'k' is twice in one object"),
    "a key twice within": ('{"label": "A", "m": {"n": [1], "n": [2]}}', "the key 'n' is twice"),
    "a key twice, spelled differently": ('{"label": "A", "\\u006c\\u0061bel": "B"}', "the key 'label' is twice"),
    "the first half of a pair": ('{"label": "A", "text": "hi \\ud83d"}', r"\\ud83d is half of a surrogate pair"),
    "the second half of a pair": ('{"label": "A", "text": "\\udc00 hi"}', r"\\udc00 is half of a surrogate pair"),
    "half of a pair in a key": ('{"label": "A", "\\uD83D": 1}', r"\\ud83d is half of a surrogate pair"),
    "an object among strings": (
        '{"label": "A", "k": {"n": 1}}',
        "the field 'k' is an object, and a string.* in line 1",
    ),
    "an empty object among strings": ('{"label": "A", "k": {}}', "the field 'k' is an object, and a string"),
    "a string among objects": ('{"label": "A", "m": "x"}', "the field 'm' is a string.*, and an object in line 1"),
    "a number among objects": ('{"label": "A", "m": 3}', "the field 'm' is a string, number"),
    "a list among objects": ('{"label": "A", "m": [3]}', "the field 'm' is a string, number"),
    "an object in a list of numbers": ('{"label": "A", "m": {"n": [2, {}]}}', r"the field 'm\.n' is an object"),
    "an object beside a string": ('{"label": "A", "q": ["x", {"n": 1}]}', "the field 'q' is a.* beside it"),
    "5,000 digits": ('{"label": "A", "q": ' + "1" * 5000 + "}", "a number with thousands of digits"),
    "50 digits": ('{"label": "A", "q": [-' + "1" * 50 + "]}", "a whole number too large in the field 'q'"),
    "1,000 levels": (
        '{"label": "A", "q": ' + "[" * 1000 + "]" * 1000 + "}",
        "values within values, more than 64 levels",
    ),
    "100,000 levels": (
        '{"label": "A", "q": ' + '{"q":' * 100_000,
        "values within values, more than 64 levels|not valid JSON",
    ),
}


@pytest.mark.parametrize("beside", ["", '{"z": NaN}\n', '{"z": 1}\n{"z": true}\n', '{"z": "["}\n'])
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_line_is_named_whatever_stands_beside_it(case: str, beside: str, write: Write) -> None:
    line, message = WRONG[case]
    number = 2 + beside.count("\n")
    name = write("x.jsonl", rows(FIRST) + beside + line + "\n" + rows(FIRST))
    with pytest.raises(UserError, match=rf"^x\.jsonl:{number}: ({message})"):
        read(open_source(name))


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_line_of_a_large_file_is_named(case: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "LARGE", 0)
    line, message = WRONG[case]
    name = write("x.jsonl", rows(FIRST) + line + "\n")
    with pytest.raises(UserError, match=rf"^x\.jsonl:2: ({message})"):
        convert(name, "x.parquet")


@pytest.mark.parametrize("second", [{"k": {"n": 1}}, {"m": 1}, {"m": "x"}, {"m": {"n": {"o": 1}}}, {"q": [{"n": 1}]}])
def test_a_field_of_another_kind_in_another_file(second: dict[str, Any], write: Write) -> None:
    write("d/1.jsonl", rows(FIRST | {"q": ["x"]}))
    write("d/2.jsonl", rows({"label": "A"} | second))
    with pytest.raises(
        UserError, match=rf"^d/2\.jsonl: column '{next(iter(second))}' is .* here, but .* in d/1\.jsonl"
    ):
        read(open_source("d"))


@pytest.mark.parametrize("beside", ["", '{"z": NaN}\n', '{"z": "["}\n'])
def test_a_list_among_other_values_makes_them_lists(beside: str, write: Write) -> None:
    lines = '{"m": {"n": "x"}, "k": [1]}\n{"m": {"n": ["[", "y"]}, "k": [[2], 3]}\n{"m": {"n": null}, "k": 4}\n'
    found = read(open_source(write("x.jsonl", lines + beside))).metadata.head(3)
    assert found["m"].to_list() == [{"n": ["x"]}, {"n": ["[", "y"]}, {"n": None}]
    assert found["k"].to_list() == [[[1]], [[2], [3]], [[4]]]


def test_large_whole_numbers_among_strings(write: Write) -> None:
    for beside in ("", '{"z": NaN}\n'):
        found = read(open_source(write("x.jsonl", f'{{"k": {2**64}}}\n{{"k": "x"}}\n{beside}'))).metadata
        assert found["k"].to_list()[:2] == [str(2**64), "x"]
