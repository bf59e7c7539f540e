"""Systems compared in each bucket of an attribute, as results have it."""

from __future__ import annotations

from dataclasses import dataclass

from slicewise.results.base import Bounds


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """The bucket in which two systems differ most, one way."""

    bucket: str | None
    difference: float | None
    ci: Bounds | None = None
    p: float | None = None
    q: float | None = None


@dataclass(frozen=True, kw_only=True)
class BucketDifference:
    """Two systems in one bucket: a − b."""

    bucket: str
    difference: float | None
    p: float | None
    q: float | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems in the buckets of one attribute; differences are a − b."""

    a: str
    b: str
    attribute: str
    largest: Extreme
    smallest: Extreme
    buckets: tuple[BucketDifference, ...] = ()
