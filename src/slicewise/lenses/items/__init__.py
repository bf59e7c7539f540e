"""The lens `items`."""

from slicewise.lenses.items.lens import items
from slicewise.lenses.items.result import ItemsResult

__all__ = ["ItemsResult", "items"]
