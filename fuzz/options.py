"""Commands and their options, as the program itself lists them, with values that fit the data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fuzz import hostile

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.case import Option
    from fuzz.corpora import Corpus

WEIGHTS = {
    "report": 0.05,
    "study": 0.7,
    "buckets": 1.3,
    "difficulty": 0.9,
    "items": 2.0,
    "units": 2.0,
    "attributes": 0.0,
}
"""How often a command is run, beside 2.5 of the others; those that take long more seldom."""
USUAL_WEIGHT = 2.5
OF_THE_DATA = {"--gold", "--system", "--input", "--train", "--matrix", "--system-names", "--config", "--name"}
LEFT_OUT = {"--help", "--open", "--engine", "--master"}
"""Options that would open a browser, or start a cluster."""
NOT_OF_A_MATRIX = {
    "--task", "--format", "--map", "--ignore", "--scheme", "--strict", "--strict-tokens", "--strip-prefix",
    "--negative-label", "--normalise",
}  # fmt: skip
TOGETHER = {"--ensemble": "--write-ensemble", "--ratio": "--worsening", "--figure-format": "--figures"}
"""Options that are refused without another."""
SELDOM = {"--figures": 0.03, "--latex": 0.3, "--markdown": 0.3, "--resamples": 0.3, "--figure-format": 0.1}
MINE = b'''"""Attributes and metrics of a user."""

import polars as pl


def length(units):
    return units["text"].str.len_chars()


def fields(items):
    return [str(i) for i in range(len(items))]


def short(units):
    return [1]


def raises(items):
    raise KeyError("x")


def nested(units):
    return [[1]] * len(units)


def nothing(items):
    return None


def same(gold, output):
    return float(gold == output)


def unsure(gold, output):
    return float("nan")


def words(gold, output):
    return "good"
'''
FUNCTIONS = ("length", "fields", "short", "raises", "nested", "nothing", "same", "unsure", "words", "nosuch")


def _metric(rng: Random, corpus: Corpus) -> str:
    tasks = _metrics()
    if rng.random() < 0.05:
        return f"mine.py:{rng.choice(FUNCTIONS)}"
    task = corpus.task if corpus.task in tasks and rng.random() < 0.85 else rng.choice(sorted(tasks))
    return rng.choice((*tasks[task], "f2", "macro-f0.5", "ndcg@3"))


def _attribute(rng: Random, corpus: Corpus) -> str:
    if rng.random() < 0.08:
        return f"mine.py:{rng.choice(FUNCTIONS)}"
    return rng.choice((*_attributes(corpus.task, corpus.trained), *corpus.fields, *corpus.fields, "all", "core"))


def _two(rng: Random, corpus: Corpus) -> str:
    return ",".join(rng.sample(corpus.systems, 2)) if len(corpus.systems) > 1 else "a,b"


def _format(rng: Random, corpus: Corpus) -> str:
    formats = {"conll": "conll", "jsonl": "jsonl", "csv": "table", "tsv": "table", "parquet": "table"}
    fitting = formats.get(corpus.kind.rpartition(" ")[2], "lines")
    return fitting if rng.random() < 0.8 else rng.choice(("conll", "jsonl", "table", "lines"))


def _task(rng: Random, corpus: Corpus) -> str:
    tasks = ("spans", "tokens", "labels", "multilabel", "text", "scores")
    return corpus.task if corpus.task in tasks and rng.random() < 0.7 else rng.choice(tasks)


def _cuts(rng: Random, corpus: Corpus) -> str:
    cuts = ("1,2", "0.5", "quantile(3)", "width(2)", "values", "3,1", "1,1", "x")
    return f"{_attribute(rng, corpus)}={rng.choice(cuts)}"


def _feature(rng: Random, _: Corpus) -> str:
    features = (
        "in:the",
        "in<1>:Rome",
        "exp:pos",
        "out:PER",
        "in:the~~exp:pos",
        "size=",
        "doc=d0",
        "the",
        "in:",
        "exp:1",
    )
    return rng.choice(features)


def _some(*values: str) -> Callable[[Random, Corpus], str]:
    return lambda rng, _: rng.choice(values)


VALUES: dict[str, Callable[[Random, Corpus], str]] = {
    "--metric": _metric,
    "--beta": _some("0.5", "2", "1"),
    "--resamples": _some("0", "1", "20"),
    "--confidence": _some("0.5", "0.9", "0.99"),
    "--seed": _some("0", "1", "12345"),
    "--restarts": _some("first", "first", "first", "each", "blocks", "average"),
    "--attribute": _attribute,
    "--buckets": _some("1", "2", "3", "7"),
    "--cuts": _cuts,
    "--cross": lambda rng, corpus: f"{_attribute(rng, corpus)},{_attribute(rng, corpus)}",
    "--compare": _two,
    "--worsening": _two,
    "--improving": _two,
    "--diff": _two,
    "--only": lambda rng, corpus: rng.choice(corpus.systems),
    "--group-by": _attribute,
    "--feature": _feature,
    "--ngrams": _some("1", "2", "3"),
    "--tokenizer": _some("words", "whitespace", "13a", "char", "geval", "icu"),
    "--min-count": _some("1", "2", "3"),
    "--min-pair-count": _some("1", "2"),
    "--top": _some("0", "1", "3", "50"),
    "--correction": _some("bh", "by", "holm"),
    "--surface": _some("Rome", "the", "東京", "x"),
    "--threshold": _some("0.5", "25%", "0", "1"),
    "--ensemble": _some(
        "union:a,b", "intersection:a,b", "vote:2", "vote:1:a,b", "majority", "plurality", "greedy", "oracle"
    ),
    "--write-ensemble": _some("ensemble.conll", "ensemble.jsonl", "ensemble.txt"),
    "--write-suspects": _some("suspects.csv", "suspects.tsv", "suspects.jsonl"),
    "--with": _some("bins", "errors", "attributes", "bins,errors,attributes"),
    "--examples": _some("0", "1", "5"),
    "--title": _some("T", "<b>", "é"),
    "--part-rows": _some("1", "2", "3", "5", "100"),
    "--rows": _some("1", "2", "1000"),
    "--task": _task,
    "--format": _format,
    "--cluster": lambda rng, corpus: rng.choice(("item", *corpus.fields)),
    "--map": lambda rng, corpus: f"{rng.choice((*corpus.labels, 'X'))}={rng.choice((*corpus.labels, 'Y'))}",
    "--ignore": lambda rng, corpus: rng.choice((*corpus.labels, "X")),
    "--scheme": _some("auto", "iob1", "iob2", "bioes", "bilou", "bmes", "io"),
    "--negative-label": lambda rng, corpus: rng.choice(("O", *corpus.labels)),
    "--normalise": _some("lower", "casefold", "punctuation", "spaces", "s/a/b/", "s/[a-z]+/x/", "s/$/x/"),
    "--json": _some("-", "-", "result.json"),
    "--csv": _some("tables", "more/tables"),
    "--latex": _some("latex"),
    "--markdown": _some("markdown"),
    "--figures": _some("figures"),
    "--figure-format": _some("svg", "png", "pdf"),
}
"""Values that a user could mean; an option that is not here gets the values of `hostile.WORDS`."""
OUTPUTS = {"units": ("units.csv", "units.jsonl", "units.parquet"), "report": ("report.html",)}
CARELESS = {
    "--resamples": ("-1", "1", "x", "2.5", ""),
    "--ngrams": ("0", "-1", "9", "x"),
    "--examples": ("-1", "x", "100"),
}
"""Absurd values of options whose absurd values take a while, and rightly so."""


@cache
def _metrics() -> dict[str, list[str]]:
    from slicewise.annotations import Task
    from slicewise.metrics import catalogue

    return {task.value: list(catalogue(task)) for task in Task}


@cache
def _attributes(task: str, trained: bool) -> list[str]:
    """Return the attributes of a task; those that need training data where there is some."""
    from slicewise.attributes import Need, catalogue

    needs_training = {Need.TRAIN, Need.TRAIN_LABELS}
    return sorted(
        name
        for name, attribute in catalogue().items()
        if task in {t.value for t in attribute.tasks} and (trained or not needs_training & {*attribute.needs})
    ) or ["label"]


@cache
def commands() -> dict[str, dict[str, bool]]:
    """Return the options of every command, and whether each is a switch."""
    from typer.main import get_command

    from slicewise.cli import app

    found: dict[str, dict[str, bool]] = {}
    group: Any = get_command(app)
    for name, command in sorted(group.commands.items()):
        options = (p for p in command.params if p.param_type_name == "option")
        found[name] = {p.opts[0]: bool(p.is_flag) for p in options}
    return found


def a_command(rng: Random, corpus: Corpus) -> str:
    """Return a command; of a matrix mostly one that takes it."""
    if corpus.task == "matrix" and rng.random() < 0.8:
        return rng.choice(("complement", "difficulty", "difficulty", "score", "items"))
    names = list(commands())
    name = rng.choices(names, [WEIGHTS.get(name, USUAL_WEIGHT) for name in names])[0]
    refused = name == "convert" and "parquet" in corpus.kind and rng.random() < 0.9
    return "score" if refused else name


def an_option(rng: Random, command: str, corpus: Corpus) -> Option | None:
    """Return an option of a command that is not about the data."""
    known = commands()[command]
    names = sorted(known.keys() - OF_THE_DATA - LEFT_OUT - (NOT_OF_A_MATRIX if corpus.task == "matrix" else set()))
    name = rng.choices(names, [SELDOM.get(name, 1.0) for name in names])[0]
    if known[name]:
        return (name,)
    if name == "--output":
        return None
    return name, VALUES[name](rng, corpus) if name in VALUES else rng.choice(hostile.WORDS)


def absurd(rng: Random, name: str) -> str:
    """Return a value that an option hardly takes."""
    return rng.choice(CARELESS.get(name, hostile.WORDS))


def of_command(rng: Random, command: str, corpus: Corpus) -> list[Option]:
    """Return a command with options and data."""
    if command == "convert":
        files = [name for name in corpus.files if not name.endswith((".toml", ".py"))]
        chosen = [(name,) for name in sorted(rng.sample(files, rng.randint(1, min(2, len(files)))))]
        extra = [option for option in (an_option(rng, command, corpus) for _ in range(rng.randint(0, 2))) if option]
        return [("convert",), *chosen, ("--output", "converted/"), *extra]
    known = commands()[command]
    found: list[Option] = [(command,), *(o for o in corpus.data if o[0] in known)]
    if "--resamples" in known and rng.random() < 0.93:
        found.append(("--resamples", "0"))
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        option = an_option(rng, command, corpus)
        if option is not None and option not in found:
            found.append(option)
            other = TOGETHER.get(option[0])
            if other is not None and other not in {o[0] for o in found}:
                found.append((other, VALUES[other](rng, corpus)))
    if "--json" in known and ("--json", "-") not in found and rng.random() < 0.5:
        found.append(("--json", "-"))
    if command in OUTPUTS and (command == "report" or rng.random() < 0.4):
        found.append(("--output", rng.choice(OUTPUTS[command])))
    return found
