"""The data that both versions are run on: all examples, and the public data where they are beside the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
PUBLIC = ROOT.parent / "shared" / "data"

RUNS = ("gazetteer", "hmm", "perceptron", "crf.1", "crf.2", "crf-char.1", "crf-char.2")
WNUT17 = ("arcada", "drexel_cci", "flytxt", "mic-cis", "sjtu_adapt", "spinningbytes", "uh_ritual")
WHOLE = ("text", "scores")
"""Tasks in which systems return no units that could be ranked or voted on."""


@dataclass(frozen=True)
class DataSet:
    """A data set's files, relative to a folder, each with its column after a colon."""

    name: str
    task: str
    folder: Path
    systems: tuple[tuple[str, str], ...]
    """Names and files; a name that comes again is a restart."""
    gold: str = ""
    inputs: tuple[str, ...] = ()
    train: str = ""
    metric: str = ""
    """Where the task has none of its own."""
    says_task: bool = False
    """Whether the task is named, and not told from the files."""

    @property
    def has_units(self) -> bool:
        """Whether systems return units."""
        return self.task not in WHOLE

    @property
    def files(self) -> list[str]:
        """All files, once each, without their columns."""
        named = [self.gold, *self.inputs, self.train, *(file for _, file in self.systems)]
        return list(dict.fromkeys(without_column(file) for file in named if file))

    @property
    def counted(self) -> str:
        """The file whose rows are the items."""
        return without_column(self.gold or self.systems[0][1])

    @property
    def first_two(self) -> str:
        """The names of two systems, as options take them."""
        names = [name for name, _ in self.systems]
        again = {name for name in names if names.count(name) > 1}
        return ",".join([name for name in names if name not in again][:2])

    def arguments(self, where: Callable[[str], str]) -> list[str]:
        """Return the options that name the files, each where `where` says that it is."""

        def place(file: str) -> str:
            path = without_column(file)
            return f"{where(path)}{file[len(path) :]}"

        found = ["--name", self.name]
        found += ["--gold", place(self.gold)] if self.gold else []
        found += ["--train", place(self.train)] if self.train else []
        found += [part for file in self.inputs for part in ("--input", place(file))]
        found += [part for name, file in self.systems for part in ("--system", f"{name}={place(file)}")]
        return [*found, "--task", self.task] if self.says_task else found


def without_column(file: str) -> str:
    """Return a file's path without the column after the colon."""
    return file.partition(":")[0]


def examples() -> list[DataSet]:
    """Return the data sets of the examples, a task each."""
    return [
        _entities("news", "spans"),
        _entities("chat", "spans"),
        _entities("chat", "tokens"),
        DataSet(
            "sentiment",
            "labels",
            EXAMPLES / "sentiment",
            _systems("systems/{}.txt", "lexicon", "bayes", "perceptron"),
            gold="test.tsv:2",
            inputs=("test.tsv:1",),
            train="train.tsv",
        ),
        DataSet(
            "topics",
            "multilabel",
            EXAMPLES / "topics",
            (*_systems("systems/{}.jsonl", "keywords", "bayes"), ("perceptron", "systems/perceptron.txt")),
            gold="test.jsonl",
            train="train.jsonl",
        ),
        DataSet(
            "questions",
            "scores",
            EXAMPLES / "questions",
            _systems("log.jsonl:{}.correct", "keywords", "neighbour", "parser"),
            inputs=("log.jsonl:question",),
        ),
        DataSet(
            "translation",
            "text",
            EXAMPLES / "translation",
            _systems("systems/{}.txt", "dictionary", "memory", "phrase"),
            gold="test.ref",
            inputs=("test.src",),
            train="train.src",
            metric="gleu",
            says_task=True,
        ),
    ]


def public(folder: Path) -> list[DataSet]:
    """Return the public data sets that are in a folder."""
    models = [f"{size}_{kind}" for size in ("6b", "175b") for kind in ("finetuning", "verification")]
    known = [
        DataSet(
            "wnut17",
            "spans",
            folder / "wnut17",
            _systems("systems/{}.conll", *WNUT17),
            gold="test.conll",
            train="train.conll",
        ),
        DataSet(
            "sst2",
            "labels",
            folder / "sst2",
            _systems("sst2-{}-output.txt", "cnn", "lstm"),
            gold="sst2-dataset.tsv:2",
            inputs=("sst2-dataset.tsv:1",),
        ),
        DataSet(
            "ted",
            "text",
            folder / "ted-slk-eng",
            _systems("ted_multi_slk_eng-{}-output.txt", "nmt", "pbmt"),
            gold="ted_multi_slk_eng-dataset.tsv:2",
            inputs=("ted_multi_slk_eng-dataset.tsv:1",),
            metric="gleu",
            says_task=True,
        ),
        DataSet(
            "gsm8k",
            "scores",
            folder / "gsm8k",
            _systems("example_model_solutions.jsonl:{}.is_correct", *models),
            inputs=("example_model_solutions.jsonl:question",),
        ),
    ]
    return [data for data in known if all((data.folder / file).exists() for file in data.files)]


def _entities(folder: str, task: str) -> DataSet:
    """Return an example with entities: five systems, two of them with a restart."""
    told = task == "spans"
    return DataSet(
        folder if told else f"{folder}-{task}",
        task,
        EXAMPLES / folder,
        tuple((run.partition(".")[0], f"systems/{run}.conll") for run in RUNS),
        gold="test.conll",
        train="train.conll",
        says_task=not told,
    )


def _systems(pattern: str, *names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, pattern.format(name)) for name in names)
