"""How files are to be read and compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slicewise.annotations import Task


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the user decided; None where the files tell."""

    task: Task | None = None
    scheme: str | None = None
    strict: bool = False
    strict_tokens: bool = False
    strip_prefix: bool = False
    negative_label: str | None = None
    map: Mapping[str, str] = field(default_factory=dict)
    ignore: frozenset[str] = frozenset()
    cluster: str | None = None
    lower: bool = False

    def signature(self) -> list[str]:
        """Return what differs from the defaults, as it stands in a signature."""
        parts = [f"scheme:{self.scheme}"] if self.scheme else []
        parts += [
            name.replace("_", "-")
            for name in ("strict", "strict_tokens", "strip_prefix", "lower")
            if getattr(self, name)
        ]
        if self.negative_label is not None:
            parts.append(f"negative:{self.negative_label}")
        parts += [f"map:{old}={new}" for old, new in sorted(self.map.items())]
        parts += [f"ignore:{label}" for label in sorted(self.ignore)]
        if self.cluster is not None:
            parts.append(f"cluster:{self.cluster}")
        return parts
