"""Other ways to give the same data, which have to give the same result."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from fuzz.execute import LARGEST_PIPE
from fuzz.mutations.packing import PACKERS, columnar
from fuzz.mutations.target import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.case import Case, Option

OUTPUTS = {"--json", "--csv", "--latex", "--markdown", "--figures", "--figure-format", "--output", "--write-ensemble",
           "--write-suspects", "--ensemble", "--quiet"}  # fmt: skip
WITHOUT = ("convert", "attributes", "report")
"""Commands that have no result as JSON, or take too long to run twice."""
FILES = ("--gold", "--system", "--input", "--train", "--matrix")
PARTED = ("score", "buckets", "features", "complement", "difficulty")


def printed(case: Case) -> Case | None:
    """Return the case with its result as JSON on standard output and nothing else, or None where there is none."""
    if case.command in WITHOUT or any(option[0].startswith("-o") for option in case.options):
        return None
    kept = tuple(option for option in case.options if option[0] not in OUTPUTS)
    return replace(case, options=(*kept, ("--json", "-")))


def result_of(text: str) -> Any:
    """Return what a document says apart from the files that it was made of."""
    document = json.loads(text)
    return [part["result"] for part in document.get("datasets", [document])]


def _texts(case: Case) -> list[str]:
    return [name for name in case.files if kind_of(name) in ("text", "json") and "/" not in name]


def gzipped(case: Case) -> Case | None:
    """Compress every file."""
    for name in _texts(case):
        case = case.renamed(name, f"{name}.gz", PACKERS[".gz"](case.files[name]))
    return case


def crlf(case: Case) -> Case | None:
    """End lines as Windows does; a cell in quotes may hold line ends, which are data."""
    if any(b"\r" in data or (".csv" in name and b'"' in data) for name, data in case.files.items()):
        return None
    for name in _texts(case):
        case = case.with_file(name, case.files[name].replace(b"\n", b"\r\n"))
    return case


def marked(case: Case) -> Case | None:
    """Begin files with a byte-order mark."""
    if any(data.startswith(b"\xef\xbb\xbf") for data in case.files.values()):
        return None
    for name in _texts(case):
        case = case.with_file(name, b"\xef\xbb\xbf" + case.files[name])
    return case


def converted(case: Case) -> Case | None:
    """Write every file as `slicewise convert` does."""
    from fuzz.corpora import Corpus

    settings = [data for name, data in case.files.items() if ".toml" in name]
    if case.value("--format") or case.value("--matrix") or any(b"matrix" in data for data in settings):
        return None  # a matrix is read as text
    if any("." not in name.rpartition("/")[2] for name in case.files):
        return None  # that a file without an ending is a table is told by the column that is named
    return columnar(Random(0), case, Corpus("", {}, (), ()))


def _bare(case: Case) -> Case | None:
    """Return the case with files whose names say nothing of their format, and with a name of the data set."""
    words = [word for option in case.options[1:] for word in option]
    for name in case.files:
        kind, stem = kind_of(name), name.partition(".")[0]
        if kind in ("code", "toml") or "/" in name or len(case.files[name]) > LARGEST_PIPE or stem in case.files:
            return None
        case = case.renamed(name, stem, case.files[name])
    return None if "<" in words or "*" in "".join(words) else replace(case, options=(*case.options, ("--name", "x")))


def _mentioned(value: str, name: str) -> bool:
    path = value.partition("=")[2] or value
    return path == name or path.startswith(f"{name}:")


def _given_as(case: Case, names: Sequence[str], form: str) -> tuple[Option, ...]:
    """Return the options with files in another form, in which `{}` stands for the name."""
    options: list[Option] = []
    for option in case.options:
        name = next((n for n in names if option[0] in FILES and _mentioned(option[1], n)), None)
        before, _, after = option[-1].rpartition(name) if name is not None else ("", "", "")
        options.append(option if name is None else (option[0], f"{before}{form.format(name)}{after}"))
    return tuple(options)


def piped(case: Case) -> tuple[Case, Case] | None:
    """Give every file as a pipe; one that is named twice would be two files."""
    bare = _bare(case)
    if bare is None:
        return None
    named = [name for o in bare.options if o[0] in FILES for name in bare.files if _mentioned(o[1], name)]
    return None if len({*named}) < len(named) else (bare, replace(bare, options=_given_as(bare, named, "<(cat {})")))


def standard_input(case: Case) -> tuple[Case, Case] | None:
    """Give a file as standard input."""
    bare = _bare(case)
    if bare is None or not bare.files:
        return None
    name = next(iter(bare.files))
    return bare, replace(bare, options=(*_given_as(bare, [name], "-"), ("<", name)))


def parted(case: Case) -> Case | None:
    """Read two rows at a time."""
    if case.command not in PARTED or case.value("--part-rows"):
        return None
    return replace(case, options=(*case.options, ("--part-rows", "2")))


def _beside(made: Callable[[Case], Case | None]) -> Callable[[Case], tuple[Case, Case] | None]:
    """Return the case as it is and in its other form."""

    def both(case: Case) -> tuple[Case, Case] | None:
        other = made(case)
        return None if other is None else (case, other)

    return both


TWINS: dict[str, Callable[[Case], tuple[Case, Case] | None]] = {
    "gzip": _beside(gzipped),
    "crlf": _beside(crlf),
    "byte-order mark": _beside(marked),
    "convert": _beside(converted),
    "part-rows": _beside(parted),
    "pipe": piped,
    "standard input": standard_input,
}
"""Two cases that have to give the same result, or None where a form does not suit."""
