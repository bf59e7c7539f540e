"""JSON lines looked at as bytes: what is found is what a parser finds that looks at every line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slicewise.read.json_scan import MOST_LEVELS, Nested, scan
from slicewise.read.source import pieces_of

KEYS = [
    "a",
    "b",
    "",
    "a:b",
    'a"b',
    "\\",
    "{",
    "é",
    "😀",
    "x" * 70 + "1y",
    "x" * 70 + "2y",
    "long_name_1_x",
    "long_name_2_x",
]
TEXTS = ["", "x", ": ", '{"a":1}', "[", "]", '"', "\\", '\\"', "\n", "\\u0061", "😀", "null"]


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Draw one of the ways to write a string in JSON."""
    if draw(st.booleans()):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    units = value.encode("utf-16-be").hex()
    return '"' + "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)) + '"'


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    space = st.sampled_from(["", " ", "\t", "\r"])
    key = st.sampled_from(KEYS).flatmap(written)
    pair = st.tuples(space, key, space, st.just(":"), space, values).map("".join)
    return st.lists(pair, max_size=4).map(lambda pairs: "{" + ",".join(pairs) + "}")


PLAIN = st.sampled_from(["1", "-2.5e3", "null", "true"]) | st.sampled_from(TEXTS).flatmap(written)
VALUES = st.recursive(
    PLAIN,
    lambda inner: objects(inner) | st.lists(inner, max_size=3).map(lambda v: "[" + ",".join(v) + "]"),
    max_leaves=6,
)


def has_key_twice(line: str) -> bool:
    twice: list[bool] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(line, object_pairs_hook=made)
    return any(twice)


def nested(value: object) -> Nested:
    if not isinstance(value, (dict, list)):
        return Nested()
    inner = value.values() if isinstance(value, dict) else value
    return sum(map(nested, inner), Nested(1, 0) if isinstance(value, dict) else Nested(0, 1))


@given(st.lists(objects(VALUES) | st.just(""), min_size=1, max_size=8), st.sampled_from([1, 40, 100_000]))
def test_keys_twice_are_never_missed(lines: list[str], size: int) -> None:
    looked_at: dict[int, str] = {}
    pieces = [piece for _, piece in pieces_of("\n".join(lines).encode(), size)]
    found = scan(pieces, lambda line, number: looked_at.__setitem__(number, line.decode()))
    assert {number for number, line in enumerate(lines, 1) if line and has_key_twice(line)} <= set(looked_at)
    assert all(lines[number - 1] == line for number, line in looked_at.items())
    if not any(map(has_key_twice, filter(None, lines))):
        assert found == sum((nested(json.loads(line)) for line in lines if line), Nested())


@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]}',
        '{"a": "\\"a\\": 1, \\"a\\": 2"}',
        '{"a": ": \\\\", "b": ":{[", "question_1_of_2_answers": 1, "question_2_of_2_answers": 2}',
        '{"a": "\\ud83d\\ude00 \\uD83D\\uDE00 \\u00e9"}',
        '{"a": ' + "[" * (MOST_LEVELS - 1) + "]" * (MOST_LEVELS - 1) + ', "b": "' + "[" * 100 + '"}',
    ],
)
def test_lines_that_are_right_are_not_looked_at_again(line: str) -> None:
    looked_at: list[int] = []
    scan([f"{line}\n".encode() * 3], lambda _, number: looked_at.append(number))
    assert looked_at == []
