"""Features as sentences name them."""

from __future__ import annotations

from slicewise.lenses.ranking.result import Feature
from slicewise.lenses.ranking.sentences import where

STATED = 2
"""How many features of a list are stated at most."""
PHRASES = {
    "in": "with “{}” in the text",
    "span": "with “{}” in them",
    "token": "that are “{}”",
    "left": "after “{}”",
    "right": "before “{}”",
    "label": "labelled {}",
    "exp": "where {} is expected",
    "out": "where {} is returned",
}
SHAPE = "SHAPE:"


def in_words(feature: Feature) -> str:
    """Return a feature as a sentence names it."""
    space, colon, value = feature.feature.partition(":")
    if not colon or space not in PHRASES or "++" in value:
        return where(feature)
    if value.startswith(SHAPE):
        return f"with a word of the shape {value.removeprefix(SHAPE)}"
    return PHRASES[space].format(value)
