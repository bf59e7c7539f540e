"""Loading files into an evaluation, in memory or in partitions."""

from slicewise.loading.load import load

__all__ = ["load"]
