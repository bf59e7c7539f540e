"""The lens `buckets`."""

from slicewise.lenses.buckets.lens import buckets, buckets_of
from slicewise.lenses.buckets.result import AttributeResult, BucketsResult, Measured

__all__ = ["AttributeResult", "BucketsResult", "Measured", "buckets", "buckets_of"]
