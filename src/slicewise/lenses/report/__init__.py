"""The lens `report`."""

from slicewise.lenses.report.lens import report
from slicewise.lenses.report.result import ReportResult

__all__ = ["ReportResult", "report"]
