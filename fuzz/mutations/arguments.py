"""Changes of the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fuzz import options
from fuzz.hostile import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.case import Case, Option
    from fuzz.corpora import Corpus

TABLES = ("metrics", "scores", "items", "features", "units", "buckets", "pairs", "bins", "performance")
"""Names that files of results have."""
FILES = ("--gold", "--system", "--input", "--train", "--matrix")


def _changed(case: Case, at: int, *new: Option) -> Case:
    return replace(case, options=case.options[:at] + new + case.options[at + 1 :])


def _valued(case: Case, names: tuple[str, ...] = ()) -> list[int]:
    """Return where options with a value stand."""
    return [i for i, o in enumerate(case.options) if len(o) == 2 and (not names or o[0] in names)]


def absurd(rng: Random, case: Case, _: Corpus) -> Case:
    """Give an option a value that it hardly takes."""
    places = [i for i in _valued(case) if case.options[i][0] not in FILES]
    if not places:
        return case
    at = rng.choice(places)
    name = case.options[at][0]
    if name in ("--output", "--json", "--csv") and rng.random() < 0.7:
        return case
    return _changed(case, at, (name, options.absurd(rng, name)))


def add(rng: Random, case: Case, corpus: Corpus) -> Case:
    """Add an option, with a value that fits or that does not."""
    if case.command not in options.commands():
        return case
    option = options.an_option(rng, case.command, corpus)
    if option is None:
        return case
    if len(option) == 2 and rng.random() < 0.5 and option[0] not in ("--json", "--csv"):
        option = option[0], options.absurd(rng, option[0])
    return replace(case, options=(*case.options, option))


def column(rng: Random, case: Case, _: Corpus) -> Case:
    """Name another column of a file, or one where none was."""
    places = _valued(case, FILES)
    if not places:
        return case
    at = rng.choice(places)
    name, value = case.options[at]
    return _changed(case, at, (name, f"{value.partition(':')[0]}:{rng.choice(COLUMNS)}"))


def role(rng: Random, case: Case, _: Corpus) -> Case:
    """Use a file as something else."""
    places = _valued(case, FILES)
    if not places:
        return case
    at = rng.choice(places)
    name, value = case.options[at]
    path = value.partition("=")[2] if name == "--system" else value
    new = rng.choice(FILES)
    return _changed(case, at, (new, f"{rng.choice(('a', 'z', 'é'))}={path}" if new == "--system" else path))


def drop(rng: Random, case: Case, _: Corpus) -> Case:
    """Leave out an option."""
    return _changed(case, rng.randrange(1, len(case.options))) if len(case.options) > 1 else case


def again(rng: Random, case: Case, _: Corpus) -> Case:
    """Give an option twice."""
    if len(case.options) < 2:
        return case
    at = rng.randrange(1, len(case.options))
    return _changed(case, at, case.options[at], case.options[at])


def restart(rng: Random, case: Case, _: Corpus) -> Case:
    """Give a system a strange name, or that of another."""
    places = _valued(case, ("--system",))
    if not places:
        return case
    at = rng.choice(places)
    path = case.options[at][1].partition("=")[2]
    name = rng.choice(
        ("a", "b", "a,b", "gold", "é", "\x1b[1m", "a#1", " ", "x" * 200, "item", "=", "text", "union", "1")
    )
    return _changed(case, at, ("--system", f"{name}={path}"))


def several(rng: Random, case: Case, corpus: Corpus) -> Case:
    """Add several options at once."""
    for _ in range(rng.randint(2, 6)):
        case = add(rng, case, corpus)
    return case


def onto(rng: Random, case: Case, _: Corpus) -> Case:
    """Write results over a file that is read."""
    known = options.commands().get(case.command, {})
    files = sorted(case.used)
    if not files:
        return case
    name = rng.choice(files)
    if name.endswith(".csv") and "--csv" in known and "/" not in name:
        table = f"{rng.choice(TABLES)}.csv"
        renamed = case.renamed(name, table, case.files[name])
        return replace(renamed, options=(*renamed.options, ("--csv", ".")))
    outputs = sorted({"--json", "--output", "--write-ensemble", "--write-suspects"} & known.keys())
    return replace(case, options=(*case.options, (rng.choice(outputs), name))) if outputs else case


MUTATIONS: dict[str, Callable[[Random, Case, Corpus], Case]] = {
    f.__name__: f for f in (absurd, add, column, role, drop, again, restart, several, onto)
}
