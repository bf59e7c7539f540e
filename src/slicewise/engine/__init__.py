"""Kernels over parts of the data: what they are, where they run, and what they count."""
