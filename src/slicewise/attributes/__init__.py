"""Attributes: a value per unit, item, token or output. `registry.py` lists them."""

from slicewise.attributes.attribute import Attribute, Need, Of, Scope, values_of
from slicewise.attributes.facts import Facts
from slicewise.attributes.registry import available, catalogue, choose, missing

__all__ = ["Attribute", "Facts", "Need", "Of", "Scope", "available", "catalogue", "choose", "missing", "values_of"]
