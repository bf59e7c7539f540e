"""The lens `features`."""

from slicewise.lenses.features.lens import features
from slicewise.lenses.features.result import FeaturesResult

__all__ = ["FeaturesResult", "features"]
