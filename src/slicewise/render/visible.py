"""Characters that act on others without being seen, made visible: text from the data is shown, never obeyed."""

from __future__ import annotations

import re
from typing import Any

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters, marks of direction and the like; as in dom.js."""
OWN_OF_OBJECTS = frozenset({
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "constructor",
    "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
})  # fmt: skip
"""Names that JavaScript's objects keep for themselves: a chart cannot have them as categories."""


def visible(text: str) -> str:
    """Return text with hidden characters shown by their numbers."""
    return HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def drawable(value: Any) -> Any:
    """Return a chart's values, or its specification, with all text as a chart can draw it."""
    if isinstance(value, str):
        return f"‹{value}›" if value in OWN_OF_OBJECTS else visible(value)
    if isinstance(value, dict):
        return {key: drawable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [drawable(inner) for inner in value]
    return value
