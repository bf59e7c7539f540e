"""The lens `difficulty`."""

from slicewise.lenses.difficulty.lens import difficulty
from slicewise.lenses.difficulty.result import DifficultyResult

__all__ = ["DifficultyResult", "difficulty"]
