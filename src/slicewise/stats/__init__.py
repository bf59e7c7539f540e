"""Intervals, tests and corrections on plain arrays: numpy in, numpy out."""
