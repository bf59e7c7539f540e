"""Units as a person reads them: where they are, what they say, what stands around them, who has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    gold: bool
    systems: tuple[str, ...]
    """Those that have it."""

    @property
    def in_context(self) -> str:
        """The unit in brackets within what stands around it; a whole item as it is."""
        if self.start is None:
            return self.text or f"item {self.item}"
        return " ".join(part for part in (self.left, f"[{self.text}]", self.right) if part)

    def row(self) -> Row:
        """Return it as a row of a table."""
        return {
            "item": self.item, "start": self.start, "end": self.end, "label": self.label, "text": self.text,
            "left": self.left, "right": self.right, "gold": self.gold, "systems": "\t".join(self.systems),
        }  # fmt: skip


def around(text: str, limit: int) -> str:
    """Return the part of a text where the brackets are."""
    if len(text) <= limit:
        return text
    at = max(0, min(text.find("[") - limit // 3, len(text) - limit))
    end = at + limit - 1 - bool(at)
    return ("…" if at else "") + (text[at:] if end >= len(text) else text[at:end] + "…")
