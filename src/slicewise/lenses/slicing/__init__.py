"""What lenses share about buckets: units in buckets, their counts, and tests between buckets."""
