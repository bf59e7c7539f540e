"""Options for reading and comparing files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from slicewise.align.normalise import check_steps, normalised
from slicewise.annotations import Task
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.read.schemes import ALIASES, SCHEMES


@dataclass(frozen=True, kw_only=True)
class Options:
    """The user's options; None where they are inferred from the files."""

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
    normalise: tuple[str, ...] = ()
    """What is done to gold and outputs before they are compared, in this order."""

    def normalised(self, texts: pl.Series) -> pl.Series:
        """Return texts as they are compared."""
        return normalised(texts, self.normalise)

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
        if self.normalise:
            parts.append(f"normalise:{'+'.join(self.normalise)}")
        return parts


def check_options(**options: Any) -> Options:
    """Validate options."""
    names = list(Options.__dataclass_fields__)
    for key in options:
        if key not in names:
            raise UserError(f"unknown option {quoted(key)}; {did_you_mean(key, names)}")
    task, scheme = options.get("task"), options.get("scheme")
    scheme = options["scheme"] = None if scheme is None else ALIASES.get(str(scheme).lower(), str(scheme).lower())
    task = task if task is None else str(task).lower()
    if task is not None and task not in list(Task):
        raise UserError(f"unknown task {quoted(str(task))}; {did_you_mean(str(task), list(Task))}")
    if scheme == "auto":
        options["scheme"] = scheme = None
    if scheme is not None and scheme not in SCHEMES:
        raise UserError(f"unknown tag scheme {quoted(str(scheme))}; {did_you_mean(str(scheme), ['auto', *SCHEMES])}")
    if options.get("map") is None:
        options.pop("map", None)
    options["ignore"] = frozenset(options.get("ignore") or ())
    steps = options.get("normalise") or ()
    options["normalise"] = check_steps([steps] if isinstance(steps, str) else steps)
    options["task"] = None if task is None else Task(task)
    return Options(**options)
