"""The lens `units`."""

from slicewise.lenses.units.lens import units
from slicewise.lenses.units.result import UnitsResult

__all__ = ["UnitsResult", "units"]
