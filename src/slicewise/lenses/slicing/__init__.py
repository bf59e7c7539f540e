"""Buckets, shared by lenses: units in buckets, their counts, and tests between buckets."""
