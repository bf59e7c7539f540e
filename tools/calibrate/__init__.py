"""Simulations in which the truth is known: whether tests and intervals keep what they promise."""
