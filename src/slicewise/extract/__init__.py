"""Features extracted from items and units: which of them contain a word, a shape, a label, a value."""
