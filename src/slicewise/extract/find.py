"""A feature by its name: the items that have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.arrays import Ints, Mask
from slicewise.attributes import available
from slicewise.attributes.attribute import Of
from slicewise.attributes.facts import Facts
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.evaluation import Evaluation
from slicewise.extract.family import PAIR, Family, Quantity
from slicewise.extract.items import FeatureSpec, ItemFeatures
from slicewise.extract.ngrams import GLUE
from slicewise.extract.text import SHAPE
from slicewise.extract.units import UnitFeatures

OF_UNITS = re.compile(r"(span|token|left|right|label)(:| = )")
EXTREME = re.compile(r"(?P<name>.+) (?P<end>large|small)")
CUT = re.compile(r" \([≥≤] [^ ]+\)$")
"""What a table says of a number besides its name."""
NEAR = 2000
"""So many names, the most frequent, are tried for what a mistyped one may have meant."""


def items_with(evaluation: Evaluation, system: str, feature: str, tokenizer: str | None = None) -> Mask:
    """Return which items have a feature, or both parts of a pair; `out` is what the system returned."""
    feature = CUT.sub("", feature)
    mask = _single(evaluation, system, feature, tokenizer, strict=PAIR not in feature)
    if mask is not None:
        return mask
    cuts = [i for i in range(1, len(feature) - len(PAIR)) if feature.startswith(PAIR, i)]
    for i in cuts:
        a, b = feature[:i], feature[i + len(PAIR) :]
        masks = [_single(evaluation, system, part, tokenizer, strict=len(cuts) == 1) for part in (a, b)]
        if masks[0] is not None and masks[1] is not None:
            return masks[0] & masks[1]
    raise UserError(f"no item has the feature {quoted(feature)}")


def rows_of(names: Iterable[str], families: Sequence[Family], quantities: Sequence[Quantity]) -> dict[str, Ints]:
    """Return the rows of several features by their names; those that none of the families has are left out."""
    requested = pl.Series(list(names), dtype=pl.String)
    rows: dict[str, Ints] = {}
    for family in families:
        family_names = family.names(np.arange(len(family)))
        for at in np.flatnonzero(family_names.is_in(requested.implode()).to_numpy()).tolist():
            rows[family_names[at]] = family.relation.of(at).astype(np.int64)
    numbers = {quantity.name: quantity for quantity in quantities}
    for name in requested:
        extreme = EXTREME.fullmatch(name)
        if name not in rows and extreme is not None and extreme["name"] in numbers:
            rows[name] = numbers[extreme["name"]].extreme(large=extreme["end"] == "large").astype(np.int64)
    return rows


def _single(evaluation: Evaluation, system: str, feature: str, tokenizer: str | None, *, strict: bool) -> Mask | None:
    spec = FeatureSpec(
        tokenizer=tokenizer,
        ngrams=feature.count(GLUE) + 1,
        shapes=SHAPE in feature,
        numbers=EXTREME.fullmatch(feature) is not None,
        least=0,
    )
    attributes, of_units = _attribute(feature, evaluation)
    if evaluation.task.has_units and (OF_UNITS.match(feature) or of_units):
        units = UnitFeatures.of(evaluation, spec, attributes)
        rows_of_units = _rows(feature, units.families(), units.quantities())
        if rows_of_units is not None:
            return _flags(units.facts.units.item[rows_of_units], evaluation.aligned.items)
    items = ItemFeatures.of(evaluation, spec, [] if of_units else attributes)
    confusions = items.confusions(system)
    families = [*items.families(system), *([] if confusions is None else [confusions])]
    if evaluation.aligned.tags and feature.startswith(("exp:", "out:")):  # tags as they are written, by --geval
        written = ItemFeatures.of(evaluation, replace(spec, tokenizer="geval", geval=True))
        families += [family for family in written.families(system) if family.space in ("exp", "out")]
    spaces = [feature]
    if feature.startswith("in<1>") and "in" in {family.space for family in families}:
        spaces = [feature.replace("in<1>", "in", 1)]
    elif re.match(r"in[: ]", feature) and "in" not in {family.space for family in families}:
        columns = {family.space for family in families if family.space.startswith("in<")}
        spaces = [space + feature[2:] for space in sorted(columns)]
    rows_by_name = [_rows(name, families, items.quantities(system)) for name in spaces]
    rows = [matching for matching in rows_by_name if matching is not None]
    if rows:
        return _flags(np.concatenate(rows), evaluation.aligned.items)
    if strict:
        raise UserError(f"no item has the feature {quoted(feature)}; {_suggestion(feature, families)}")
    return None


def _attribute(feature: str, evaluation: Evaluation) -> tuple[list[str], bool]:
    """Return the attribute that a feature is of (`sLen large`, `capitals = lower`), and whether units have it."""
    name = feature.partition(" = ")[0] if " = " in feature else (m["name"] if (m := EXTREME.fullmatch(feature)) else "")
    attribute = available(Facts.of(evaluation))[0].get(name) if name else None
    return ([], False) if attribute is None else ([name], attribute.of is Of.UNIT)


def _rows(name: str, families: Sequence[Family], quantities: Sequence[Quantity]) -> NDArray[np.int64] | None:
    for family in families:
        if len(family) and name.startswith(family.space):
            at = (family.names(np.arange(len(family))) == name).arg_max()
            if at is not None and family.names(np.array([at]))[0] == name:
                return family.relation.of(int(at)).astype(np.int64)
    extreme = EXTREME.fullmatch(name)
    for quantity in quantities:
        if extreme is not None and quantity.name == extreme["name"]:
            return quantity.extreme(large=extreme["end"] == "large").astype(np.int64)
    return None


def _flags(items: NDArray[np.int64], size: int) -> Mask:
    flags = np.zeros(size, np.bool_)
    flags[items] = True
    return flags


def _suggestion(feature: str, families: Sequence[Family]) -> str:
    """Return what may have been meant: in a namespace, where none is named, or a name like it."""
    spaces = list(dict.fromkeys(family.space for family in families if family.space))
    for space in spaces:
        if _rows(f"{space}:{feature}", families, []) is not None:
            return f"did you mean {quoted(f'{space}:{feature}')}?"
    if not any(feature.startswith(space) for space in spaces):
        return f"namespaces here are {', '.join(spaces)}; write {next(iter(spaces), 'in')}:WORD"
    names: list[str] = []
    for family in families:
        if family.space and feature.startswith(family.space):
            often = np.argsort(-family.relation.counts, kind="stable")[:NEAR]
            names += family.names(often).to_list()
    return (
        did_you_mean(feature, names).partition("there ")[0] or "features are named as `slicewise features` lists them"
    )
