"""Tag schemes as data, and the reading of tags into spans.

Every scheme's letters are mapped to five roles. The lenient reading needs only the roles (it is conlleval's); the
strict one allows exactly the transitions that a scheme lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slicewise.annotations import OUTSIDE, UNTYPED, Tags
from slicewise.arrays import Ints, Mask

O, B, I, E, S = range(5)  # noqa: E741 (the letters are the field's)
ROLES = {"B": B, "I": I, "M": I, "E": E, "L": E, "S": S, "U": S, "W": S}
TAG = re.compile(r"(?s)([BIMELSUW])(?:-(.*))?\Z")
ANY, SAME, OTHER = "any", "same", "other"
EVERY = (O, B, I, E, S)
OPENING = np.array([role in (B, S) for role in EVERY])
CLOSING = np.array([role in (E, S) for role in EVERY])


@dataclass(frozen=True)
class Scheme:
    """Which transitions (previous role, role, relation of the types) start, continue and may end a span."""

    letters: str
    start: frozenset[tuple[int, int, str]]
    inside: frozenset[tuple[int, int, str]]
    end: frozenset[tuple[int, int, str]]


def _moves(previous: tuple[int, ...], current: tuple[int, ...], relation: str = ANY) -> frozenset[tuple[int, int, str]]:
    return frozenset((p, c, relation) for p in previous for c in current)


_CONTINUE = _moves((B, I), (I,), SAME)
_CHUNK = Scheme("BIES", start=_moves(EVERY, (B, S)), inside=_moves((B, I), (I, E), SAME), end=_moves((E, S), EVERY))

SCHEMES: dict[str, Scheme] = {
    "iob1": Scheme(
        "BI",
        start=_moves((O, B), (I,)) | _moves((I,), (I,), OTHER) | _moves((I, B), (B,), SAME),
        inside=_CONTINUE,
        end=_moves((I,), (O, B)) | _moves((B,), (O,)) | _moves((B, I), (I,), OTHER) | _moves((B,), (B,), SAME),
    ),
    "iob2": Scheme("BI", start=_moves(EVERY, (B,)), inside=_CONTINUE, end=_moves((B, I), EVERY)),
    "bioes": _CHUNK,
    "bilou": Scheme("BILU", _CHUNK.start, _CHUNK.inside, _CHUNK.end),
    "bmes": Scheme("BMESW", _CHUNK.start, _CHUNK.inside, _CHUNK.end),
    "io": Scheme("I", start=_moves((O,), (I,)) | _moves((I,), (I,), OTHER), inside=_CONTINUE, end=_moves((I,), EVERY)),
}


ALIASES = {"bio": "iob2", "bio2": "iob2", "iobes": "bioes", "bieso": "bioes", "bmewo": "bmes", "bmeso": "bmes"}
"""Other names of the schemes."""


@dataclass(frozen=True)
class TokenSpans:
    """Spans over the tokens of a whole file: `start` and `end` count tokens from the file's beginning."""

    start: Ints
    end: Ints
    label: NDArray[np.int32]
    labels: tuple[str, ...]
    scheme: str
    dropped: int = 0
    """Tags that the strict reading left out."""


def split_tag(tag: str, *, bare: bool = False) -> tuple[int, str] | None:
    """Return role and type of a tag, or None if it has no known prefix; `bare` tags are types without a prefix."""
    if tag == OUTSIDE:
        return O, ""
    match = TAG.match(tag)
    if match:
        return ROLES[match[1]], match[2] or UNTYPED
    return (I, tag) if bare else None


def unknown_tags(tags: Tags, *, bare: bool = False) -> list[int]:
    """Return the codes of tags that are in use and have no known prefix."""
    odd = [code for code, name in enumerate(tags.names) if split_tag(name, bare=bare) is None]
    return odd if not odd else np.intersect1d(odd, np.unique(tags.codes)).tolist()


def _scheme_of(tags: Tags, run: _Run) -> str:
    """Infer the scheme from the letters in use, and IOB1 or IOB2 from the positions of `B` and `I`."""
    used = {name[0] for name in tags.names if TAG.match(name)}
    for scheme, telling in (("bilou", "LU"), ("bmes", "MW"), ("bioes", "ES")):
        if used & set(telling):
            return scheme
    if used == {"I"}:
        return "io"
    if used != {"B", "I"}:
        return "iob2"
    opens = ~(run.joined & run.same)
    return "iob1" if bool((opens & (run.role == I)).any()) and not (opens & (run.role == B)).any() else "iob2"


@dataclass(frozen=True)
class _Run:
    """The tokens that are not outside, each with its role, its type and its relation to the token before."""

    position: Ints
    role: NDArray[np.int8]
    type: NDArray[np.int32]
    types: tuple[str, ...]
    joined: Mask
    """Whether the token before is in the same item and not outside."""
    same: Mask
    previous: NDArray[np.int8]

    @classmethod
    def of(cls, tags: Tags, offsets: Ints, *, bare: bool, letters: str | None = None) -> _Run:
        parsed = [split_tag(name, bare=bare) or (O, "") for name in tags.names]
        if letters is not None and not bare:
            parsed = [p if name[:1] in letters else (O, "") for p, name in zip(parsed, tags.names, strict=True)]
        types = tuple(sorted({kind for role, kind in parsed if role != O}))
        index = {kind: i for i, kind in enumerate(types)}
        role_of = np.array([role for role, _ in parsed], dtype=np.int8)
        type_of = np.array([index.get(kind, -1) for _, kind in parsed], dtype=np.int32)
        position = np.flatnonzero(tags.codes if (role_of[1:] != O).all() else role_of[tags.codes])
        codes = tags.codes[position]
        role, kind = role_of[codes], type_of[codes]
        first = np.zeros(len(tags.codes) + 1, dtype=np.bool_)
        first[offsets] = True
        joined = ~first[position]
        joined[:1] = False
        joined[1:] &= position[1:] - position[:-1] == 1
        same = np.zeros(len(position), dtype=np.bool_)
        same[1:] = kind[1:] == kind[:-1]
        previous = np.zeros(len(position), dtype=np.int8)
        previous[1:] = role[:-1] * joined[1:]
        return cls(position, role, kind, types, joined, same, previous)


def read_spans(
    tags: Tags, offsets: Ints, *, scheme: str | None = None, strict: bool = False, bare: bool = False
) -> TokenSpans:
    """Read tags into spans: by conlleval's rules, or strictly by the scheme's own; None: the scheme they show."""
    run = _Run.of(tags, offsets, bare=bare)
    scheme = scheme or _scheme_of(tags, run)
    if strict:
        return _read_strict(tags, offsets, scheme, bare=bare)
    starts = ~(run.joined & run.same) | OPENING[run.role] | CLOSING[run.previous]
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(starts)) - 1 if len(first) else first
    return TokenSpans(run.position[first], run.position[last] + 1, run.type[first], run.types, scheme)


def _read_strict(tags: Tags, offsets: Ints, name: str, *, bare: bool) -> TokenSpans:
    scheme = SCHEMES[name]
    run = _Run.of(tags, offsets, bare=bare, letters=scheme.letters)
    n = len(run.position)
    if n == 0:
        return TokenSpans(run.position, run.position, run.type, run.types, name, _tagged(tags))
    start = _allowed(scheme.start, run.previous, run.role, run.same)
    inside = run.joined & _allowed(scheme.inside, run.previous, run.role, run.same)
    # A stretch is a token and the tokens that continue it; a span runs from its first possible start to its end.
    stretch = np.flatnonzero(~inside)
    stop = np.append(stretch[1:], n)
    begins = np.flatnonzero(start)
    at = np.searchsorted(begins, stretch)
    begin = np.where(at < len(begins), np.append(begins, n)[np.minimum(at, len(begins))], n)
    following = np.append(run.role * run.joined, np.int8(O))[stop]
    follow_same = np.append(run.same, False)[stop]
    ends = _allowed(scheme.end, run.role[stop - 1], following, follow_same)
    good = (begin < stop) & ends
    begin, stop = begin[good], stop[good]
    dropped = _tagged(tags) - int((stop - begin).sum())
    return TokenSpans(run.position[begin], run.position[stop - 1] + 1, run.type[begin], run.types, name, dropped)


def _tagged(tags: Tags) -> int:
    return int(np.count_nonzero(tags.codes))


def _allowed(
    moves: frozenset[tuple[int, int, str]], previous: NDArray[np.int8], current: NDArray[np.int8], same: Mask
) -> Mask:
    table = np.zeros((5, 5, 2), dtype=np.bool_)
    for before, after, relation in moves:
        table[before, after, 0] |= relation in (ANY, OTHER)
        table[before, after, 1] |= relation in (ANY, SAME)
    return table[previous, current, same.astype(np.int8)]
