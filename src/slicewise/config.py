"""Settings in a file: the options of the command line, with several data sets."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from slicewise.align.options import check_options
from slicewise.errors import UserError, did_you_mean, quoted
from slicewise.user_code import split_name

FILES = ("gold", "train", "matrix")
OF_A_MATRIX = ("cluster", "lower")
"""What the options of all data sets say of a table of 0 and 1, too."""
UNION_MEMBERS = {"str", "int", "float", "list"}
"""What pydantic appends to a key that may be of several types."""


Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A whole number as TOML has them."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Reading(_Strict):
    """Options for reading and comparing, of all data sets or of one."""

    task: str | None = None
    format: str | None = None
    cluster: str | None = None
    scheme: str | None = None
    strict: bool | None = None
    strict_tokens: bool | None = None
    strip_prefix: bool | None = None
    lower: bool | None = None
    normalise: list[str] | None = None
    negative_label: str | None = None
    map: dict[str, str] | None = None
    ignore: list[str] | None = None


class Dataset(Reading):
    """One data set: gold and systems."""

    name: str | None = None
    gold: str | None = None
    systems: dict[str, str | list[str]] | None = None
    input: str | list[str] | None = None
    train: str | None = None
    matrix: str | None = None
    system_names: list[str] | None = None


class Settings(Dataset):
    """A whole file: data sets under `[[dataset]]`, or one at the top level; and how to score them."""

    dataset: list[Dataset] | None = None
    metric: str | list[str] | None = None
    beta: float | Int64 | None = None
    seed: Int64 | None = None
    resamples: Int64 | None = None
    confidence: float | None = None
    restarts: str | None = None
    attribute: str | list[str] | None = None
    buckets: Int64 | None = None
    cuts: dict[str, str | list[float | Int64]] | None = None
    compare: list[list[str]] | None = None

    def scoring(self, folder: Path) -> dict[str, Any]:
        """Return the options of `score` that the file sets; metrics' files are relative to it."""
        names = ("metric", "beta", "seed", "resamples", "confidence", "restarts")
        options = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if "metric" in options:
            options["metric"] = _names(options["metric"], folder)
        return options

    def slicing(self, folder: Path) -> dict[str, Any]:
        """Return the options of `buckets` and `study` that the file sets; attributes' files are relative to it."""
        from slicewise.bucketing import bucketing_of

        options: dict[str, Any] = {} if self.buckets is None else {"buckets": self.buckets}
        if self.attribute is not None:
            options["attributes"] = _names(self.attribute, folder)
        if self.cuts is not None:
            options["cuts"] = {name: bucketing_of(name, how) for name, how in self.cuts.items()}
        if self.compare is not None:
            options["compare"] = [tuple(pair) for pair in self.compare]
        return options


@dataclass(frozen=True)
class Config:
    """What a configuration file says: the keywords of `load` per data set, how to score, and how to slice."""

    datasets: list[dict[str, Any]]
    scoring: dict[str, Any]
    slicing: dict[str, Any]


def read_config(path: Path, name: str | None) -> Config:
    """Read a configuration file; of several data sets, the one that is named."""
    settings = read_settings(path)
    scoring, slicing = settings.scoring(path.parent), settings.slicing(path.parent)
    chosen = datasets(settings, path)
    if name is not None and settings.dataset:
        names = [str(d.get("name", "")) for d in chosen]
        if name not in names:
            raise UserError(f"no data set {quoted(name)}; {did_you_mean(name, names)}", where=str(path))
        chosen = [d for d in chosen if d.get("name") == name]
    return Config(chosen, scoring, slicing)


def read_settings(path: Path) -> Settings:
    """Read a configuration file, and say which key is wrong."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}; check the path", where=str(path)) from None
    except UnicodeDecodeError:
        raise UserError("is not UTF-8; TOML files must be", where=str(path)) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"is not valid TOML: {error}; mend the line", where=str(path)) from None
    except RecursionError:
        raise UserError("values within values, too deep to be read; mend the file", where=str(path)) from None
    except ValueError:
        line = text.count("\n", 0, digits.start()) + 1 if (digits := re.search(r"[0-9_]{4300}", text)) else None
        raise UserError("a number with thousands of digits; mend the line", where=str(path), line=line) from None
    try:
        return Settings.model_validate(_underscored(table, path))
    except ValidationError as error:
        raise _explained(error, path) from None


def datasets(settings: Settings, path: Path) -> list[dict[str, Any]]:
    """Return, per data set, the keywords of `load`; paths are relative to the file."""
    names = [dataset.name for dataset in settings.dataset or () if dataset.name is not None]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"two data sets are called {quoted(twice[0])}; give each its own name", where=str(path))
    shared = {name: getattr(settings, name) for name in Reading.model_fields}
    options = []
    for dataset in settings.dataset or [settings]:
        values = {name: getattr(dataset, name) for name in Dataset.model_fields}
        common = shared if dataset.matrix is None else {key: shared[key] for key in OF_A_MATRIX}
        merged = {key: values[key] if values[key] is not None else common.get(key) for key in values}
        _check_reading({key: merged[key] for key in Reading.model_fields if key != "format"}, path)
        options.append(_located({key: value for key, value in merged.items() if value is not None}, path.parent))
    return options


def _check_reading(options: dict[str, Any], path: Path) -> None:
    """Check what the file says of reading, before an option of the command line takes its place."""
    try:
        check_options(**options)
    except UserError as error:
        raise UserError(str(error), where=str(path)) from None


def _located(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    for key in FILES:
        if key in options:
            options[key] = _beside(options[key], folder)
    if "systems" in options:
        options["systems"] = {
            name: _beside(value, folder) if isinstance(value, str) else [_beside(v, folder) for v in value]
            for name, value in options["systems"].items()
        }
    if "input" in options:
        inputs = options.pop("input")
        options["inputs"] = [_beside(v, folder) for v in ([inputs] if isinstance(inputs, str) else inputs)]
    return options


def _beside(path: str, folder: Path) -> str:
    return path if path in ("", "-") or Path(path).is_absolute() else str(folder / path)


def _names(names_or_list: str | list[str], folder: Path) -> list[str]:
    """Return names of metrics or attributes, as on the command line; FILE.py:NAME is beside the configuration."""
    texts = [names_or_list] if isinstance(names_or_list, str) else names_or_list
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    return [name if split_name(name) is None else _beside(name, folder) for name in names]


def _underscored(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """Keys may be written with hyphens, as on the command line."""
    renamed = {key.replace("-", "_"): value for key, value in table.items()}
    if twice := [key for key in table if "-" in key and key.replace("-", "_") in table]:
        raise UserError(f"the key {quoted(twice[0])} is given twice; leave one out", where=str(path))
    if isinstance(renamed.get("dataset"), list):
        renamed["dataset"] = [_underscored(d, path) if isinstance(d, dict) else d for d in renamed["dataset"]]
    return renamed


def _explained(error: ValidationError, path: Path) -> UserError:
    first = error.errors()[0]
    path_to = [str(part) for part in first["loc"]]
    while len(path_to) > 1 and path_to[-1].partition("[")[0] in UNION_MEMBERS:
        path_to.pop()
    *where, key = path_to
    place = f" in {'.'.join(where)}" if where else ""
    if first["type"] == "extra_forbidden":
        keys = [*(Dataset if where else Settings).model_fields]
        return UserError(f"unknown key {quoted(key)}{place}; {did_you_mean(key, keys)}", where=str(path))
    try:
        value = quoted(str(first["input"]), 40)
    except (RecursionError, ValueError):
        value = "values too deep to be shown, or thousands of digits"
    return UserError(f"key {quoted(key)}{place}: {first['msg'].lower()}; found {value}", where=str(path))
