"""The lens `score`."""

from slicewise.lenses.score.lens import score
from slicewise.lenses.score.result import ScoreResult

__all__ = ["ScoreResult", "score"]
