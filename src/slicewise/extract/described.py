"""Attributes as features: a category is a feature, a number has large and small values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from slicewise.attributes import choose, values_of
from slicewise.attributes.attribute import Attribute, Of
from slicewise.attributes.facts import Facts
from slicewise.errors import UserError, quoted
from slicewise.extract.family import Family, Kind, Quantity
from slicewise.extract.text import categories

ITEMS = frozenset({Of.ITEM, Of.OUTPUT})
UNITS = frozenset({Of.ITEM, Of.UNIT})


def attributes_of(facts: Facts, names: Sequence[str], kinds: frozenset[Of]) -> list[Attribute]:
    """Return attributes by name, `all` for all that items (or units) have."""
    explicit = [name for name in names if name != "all"]
    chosen = [] if not explicit else choose(facts, explicit)[0]
    for attribute in chosen:
        if attribute.of not in kinds:
            owner = "units; add --units" if kinds == ITEMS else f"{attribute.of.value}s, not of units"
            raise UserError(f"the attribute {quoted(attribute.name)} is one of {owner}")
    if len(explicit) < len(names):
        chosen += [a for a in choose(facts, ["all"])[0] if a.of in kinds and a.name not in {f.name for f in chosen}]
    return chosen


def attribute_features(
    facts: Facts, attributes: Sequence[Attribute], least: int, *, units: bool, system: str | None
) -> tuple[list[Family], list[Quantity]]:
    """Return the categories and the numbers of attributes, for items or for units; of outputs, one system's."""
    families: list[Family] = []
    quantities: list[Quantity] = []
    for attribute in attributes:
        if attribute.of is Of.OUTPUT:
            if system is None:
                continue
            values = values_of(attribute, facts, system)
        else:
            values = values_of(attribute, facts)
        if units and attribute.of is Of.ITEM:
            values = values.gather(facts.units.item)
        if values.dtype.is_numeric():
            numbers = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
            finite = np.where(np.isfinite(numbers), numbers, np.nan)
            quantities.append(Quantity(Kind.ATTRIBUTE, "", attribute.name, finite))
        elif (
            family := categories(Kind.ATTRIBUTE, "", f"{attribute.name} = ", category_names(values), least)
        ) is not None:
            families.append(family)
    return families, quantities


def category_names(values: pl.Series) -> pl.Series:
    """Return categories as text: true is yes."""
    if values.dtype != pl.Boolean:
        return values.cast(pl.String)
    return values.replace_strict([True, False], ["yes", "no"], return_dtype=pl.String)
