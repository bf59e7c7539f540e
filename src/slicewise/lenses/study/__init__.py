"""The lens `study`."""

from slicewise.lenses.study.lens import check_alike, study
from slicewise.lenses.study.result import StudyResult

__all__ = ["StudyResult", "check_alike", "study"]
