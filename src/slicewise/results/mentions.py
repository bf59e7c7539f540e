"""Mentions: units with their position, text, context and systems."""

from __future__ import annotations

from dataclasses import dataclass

from slicewise.results.base import Row


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A unit in its context; of tasks without places, the item's text."""

    item: int
    start: int | None
    end: int | None
    label: str | None
    text: str
    left: str
    right: str
    """Left, text and right are as in the data, spaces between them included."""
    gold: bool
    systems: tuple[str, ...]
    """Those that have it."""

    @property
    def in_context(self) -> str:
        """The unit in brackets within its context; a whole item as it is."""
        if self.start is None:
            return self.text or f"item {self.item}"
        return f"{self.left}[{self.text}]{self.right}"

    def excerpt(self, limit: int) -> str:
        """Return the unit in its context, cut to `limit` characters."""
        text, at = self.in_context, len(self.left)
        if len(text) <= limit:
            return text
        first = max(0, min(at - limit // 3, len(text) - limit))
        end = first + limit - 1 - bool(first)
        return ("…" if first else "") + (text[first:] if end >= len(text) else text[first:end] + "…")

    def row(self) -> Row:
        """Return it as a row of a table."""
        return {
            "item": self.item, "start": self.start, "end": self.end, "label": self.label, "text": self.text,
            "left": self.left.strip(), "right": self.right.strip(), "gold": self.gold,
            "systems": "\t".join(self.systems),
        }  # fmt: skip
