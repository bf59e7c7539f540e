"""Lenses: each looks at an evaluation in one way and returns a result."""
