"""Changes of JSON objects, one per line: written as text, since much of it no JSON library would write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fuzz.hostile import ABSENT, JSON, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Pairs = list[tuple[str, str]]
"""The fields of an object: names and JSON texts, in their order, repeated ones too."""


def _read(line: bytes) -> Pairs | None:
    def as_read(pairs: list[tuple[str, Any]]) -> _Object:
        return _Object(pairs)

    try:
        value = json.loads(line, object_pairs_hook=as_read)
    except (ValueError, RecursionError):
        return None
    return [(name, _text(held)) for name, held in value.pairs] if isinstance(value, _Object) else None


class _Object:
    """An object with all its fields, repeated ones too."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


def _text(value: Any) -> str:
    if isinstance(value, _Object):
        return _write([(name, _text(held)) for name, held in value.pairs])
    if isinstance(value, list):
        return "[" + ", ".join(_text(held) for held in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _write(pairs: Pairs) -> str:
    return "{" + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {value}" for name, value in pairs) + "}"


def _on_objects(change: Callable[[Random, list[Pairs]], None]) -> Callable[[Random, bytes], bytes]:
    """Change the objects; lines that are none stay as they are."""

    def changed(rng: Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        read = [_read(line) for line in lines]
        objects = [pairs for pairs in read if pairs is not None]
        if not objects:
            return data
        change(rng, objects)
        texts = [
            line if pairs is None else _write(pairs).encode(errors="replace")
            for line, pairs in zip(lines, read, strict=True)
        ]
        return b"\n".join(texts)

    return changed


def _value(rng: Random) -> str:
    """Return a value: often one that is absent, or nearly."""
    return rng.choice(ABSENT) if rng.random() < 0.35 else rng.choice(JSON)


def _some(rng: Random, objects: list[Pairs]) -> list[Pairs]:
    """Return one object, or all."""
    return objects if rng.random() < 0.3 else [rng.choice(objects)]


def _name(rng: Random, objects: list[Pairs]) -> str:
    names = [name for pairs in objects for name, _ in pairs]
    return rng.choice(names) if names else rng.choice(NAMES)


def _set(rng: Random, objects: list[Pairs]) -> None:
    name, chosen = _name(rng, objects), _some(rng, objects)
    value = _value(rng)
    for pairs in chosen:
        pairs[:] = [(n, value if n == name else v) for n, v in pairs]


def _remove(rng: Random, objects: list[Pairs]) -> None:
    name, chosen = _name(rng, objects), _some(rng, objects)
    for pairs in chosen:
        pairs[:] = [(n, v) for n, v in pairs if n != name]


def _add(rng: Random, objects: list[Pairs]) -> None:
    name, value = rng.choice(NAMES), _value(rng)
    for pairs in _some(rng, objects):
        pairs.append((name, value))


def _add_mixed(rng: Random, objects: list[Pairs]) -> None:
    name = rng.choice(NAMES)
    for pairs in objects:
        pairs.append((name, _value(rng)))


def _rename(rng: Random, objects: list[Pairs]) -> None:
    old, new = _name(rng, objects), rng.choice(NAMES)
    for pairs in _some(rng, objects):
        pairs[:] = [(new if n == old else n, v) for n, v in pairs]


def _duplicate(rng: Random, objects: list[Pairs]) -> None:
    pairs = rng.choice(objects)
    if pairs:
        name, value = rng.choice(pairs)
        pairs.insert(rng.randint(0, len(pairs)), (name, rng.choice((value, _value(rng)))))


def _nest(rng: Random, objects: list[Pairs]) -> None:
    name = _name(rng, objects)
    how = rng.choice(("[{}]", '{{"a": {}}}', "[[{}]]", '{{"{}": 1}}', "[{}, {}]"))
    for pairs in _some(rng, objects):
        pairs[:] = [(n, _filled(how, v) if n == name else v) for n, v in pairs]


def _filled(how: str, value: str) -> str:
    filled = how.format(*[value] * how.count("{}"))
    try:
        json.loads(filled)
    except (ValueError, RecursionError):
        return f"[{value}]"
    return filled


def _within(rng: Random, objects: list[Pairs]) -> None:
    """Change a value inside another: an offset, a label of a span, a token."""
    pairs = rng.choice(objects)
    places = [i for i, (_, value) in enumerate(pairs) if value[:1] in "[{" and len(value) > 2]
    if not places:
        return
    at = rng.choice(places)
    name, value = pairs[at]
    try:
        parts: Any = json.loads(value)
    except (ValueError, RecursionError):
        return
    marker = "\0here\0"
    _mark(rng, parts, marker)
    pairs[at] = (name, json.dumps(parts, ensure_ascii=False).replace(json.dumps(marker), _value(rng)))


def _mark(rng: Random, value: Any, marker: str) -> None:
    """Put a mark in the place of some value inside."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = rng.choice(keys)
    if isinstance(value[key], (dict, list)) and value[key] and rng.random() < 0.7:
        _mark(rng, value[key], marker)
    else:
        value[key] = marker


def _empty(rng: Random, objects: list[Pairs]) -> None:
    for pairs in _some(rng, objects):
        pairs.clear()


def _array(rng: Random, data: bytes) -> bytes:
    """Write an array of objects, or objects over several lines."""
    lines = data.strip(b"\n").split(b"\n")
    return rng.choice(
        (b"[" + b",\n".join(lines) + b"]\n", b" ".join(lines), b",\n".join(lines), data.replace(b", ", b",\n"))
    )


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "set": _on_objects(_set),
    "set-again": _on_objects(_set),
    "remove": _on_objects(_remove),
    "add": _on_objects(_add),
    "add-mixed": _on_objects(_add_mixed),
    "rename": _on_objects(_rename),
    "duplicate": _on_objects(_duplicate),
    "nest": _on_objects(_nest),
    "within": _on_objects(_within),
    "within-again": _on_objects(_within),
    "empty": _on_objects(_empty),
    "array": _array,
}
