"""The lens `complement`."""

from slicewise.lenses.complement.lens import complement
from slicewise.lenses.complement.result import ComplementResult

__all__ = ["ComplementResult", "complement"]
