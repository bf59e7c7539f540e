"""The data that is measured: the example news repeated, in an order that a seed decides, made-up labels and texts.

Files are written bit by bit, or in another process, so that the process that measures stays small.
"""

from __future__ import annotations

import math
import random
import sys
from dataclasses import dataclass
from itertools import accumulate, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from measure import PYTHON, Job, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXAMPLES = Path(__file__).parent.parent / "examples"
NEWS = EXAMPLES / "news"
SEED = 20
TOKENS_IN_NEWS = 10_939
TOKENS_IN_TRAINING = 40_782
SENTENCES_IN_NEWS = 816
LABELS = ("sports", "politics", "culture", "science", "business", "health", "travel", "weather", "people", "other")


@dataclass(frozen=True)
class Pair:
    """A gold file and a system's file."""

    gold: Path
    system: Path


def entities(folder: Path, *, copies: int) -> Pair:
    """Repeat the news test set and the output of a CRF; every copy has its documents in another order."""
    made = _repeated(folder, {"crf": _read(NEWS / "systems" / "crf.1.conll")}, copies=copies)
    return Pair(made[0], made[1]["crf"])


def two_documents(folder: Path) -> Pair:
    """Write two documents: what a command costs on them is its start-up."""
    made = _repeated(folder, {"crf": _read(NEWS / "systems" / "crf.1.conll")}, copies=1, documents=2)
    return Pair(made[0], made[1]["crf"])


def ten_systems(folder: Path, *, copies: int) -> tuple[Path, dict[str, Path]]:
    """Repeat the news test set with the output of its seven systems and of three that are mixed from them."""
    return _repeated(folder, _mixed(MIXES[:3]), copies=copies)


def twelve_systems(folder: Path, *, copies: int) -> tuple[Path, Path, dict[str, Path]]:
    """Write gold, training data and twelve systems: copies of the news, each with other names of its entities.

    The names of a copy are the same in its training and its test part.
    """
    gold, sizes = _documents()
    systems = _mixed(MIXES)
    paths = {name: folder / f"named.{copies}.{name}.conll" for name in systems}
    path, train = folder / f"named.{copies}.gold.conll", folder / f"named.{copies}.train.conll"
    with path.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            rows = iter(_renamed(gold, copy))
            for size in sizes:
                file.write("-DOCSTART-\t-X-\tO\n\n")
                file.writelines(_lines(next(rows)) for _ in range(size))
    sentences = [s for s in _read(NEWS / "train.conll") if s[0][0] != "-DOCSTART-"]
    with train.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            file.writelines(_lines(sentence) for sentence in _renamed(sentences, copy))
    for name, output in systems.items():
        with paths[name].open("w", encoding="utf-8") as file:
            for copy in range(copies):
                file.writelines(_blocks(_renamed(gold, copy), output))
    return path, train, paths


MIXES = (
    ("crf.1", "crf.2"),
    ("crf.1", "crf-char.1"),
    ("crf-char.1", "crf-char.2"),
    ("hmm", "perceptron"),
    ("gazetteer", "crf.2"),
)


def _mixed(mixes: Sequence[tuple[str, str]]) -> dict[str, list[Sentence]]:
    """Return the seven systems, and some that take each sentence from one of two."""
    systems = {path.stem: _read(path) for path in sorted((NEWS / "systems").glob("*.conll"))}
    rng = random.Random(SEED)
    for a, b in mixes:
        systems[f"{a}+{b}"] = [rng.choice(pair) for pair in zip(systems[a], systems[b], strict=True)]
    return systems


def _renamed(sentences: list[Sentence], copy: int) -> list[Sentence]:
    """Return sentences with other names: the tokens of entities get the copy's number."""
    number = str(copy) if copy else ""
    return [[[t[0] + number * (t[-1] != "O"), *t[1:]] for t in sentence] for sentence in sentences]


def _lines(sentence: Sentence) -> str:
    return "".join("\t".join(cells) + "\n" for cells in sentence) + "\n"


def labels(folder: Path, *, items: int) -> Pair:
    """Make one label a line: ten labels of unequal frequency, of which a system gets about four fifths right."""
    rng = random.Random(SEED)
    made = Pair(folder / "labels.gold.txt", folder / "labels.system.txt")
    bounds = list(accumulate(range(1, len(LABELS) + 1)))
    with made.gold.open("w", encoding="utf-8") as gold, made.system.open("w", encoding="utf-8") as system:
        for _ in range(items):
            label = rng.choices(LABELS, cum_weights=bounds)[0]
            gold.write(f"{label}\n")
            system.write(f"{label if rng.random() < 0.8 else rng.choice(LABELS)}\n")
    return made


def translations(folder: Path, *, sentences: int, words: int) -> tuple[Path, dict[str, Path]]:
    """Write references of so many words, cut from the example translations, and two systems with errors in them."""
    rng = random.Random(SEED)
    lines = (EXAMPLES / "translation" / "train.ref").read_text(encoding="utf-8").splitlines()
    rng.shuffle(lines)
    running = [word for line in lines for word in line.split()]
    stream = cycle(running)
    references = [list(islice(stream, words)) for _ in range(sentences)]
    gold = folder / "translations.ref"
    gold.write_text("".join(" ".join(sentence) + "\n" for sentence in references), encoding="utf-8")
    paths = {}
    for name, errors in (("good", 0.1), ("poor", 0.3)):
        paths[name] = folder / f"translations.{name}.txt"
        output = (" ".join(_mistranslated(sentence, running, errors, rng)) for sentence in references)
        paths[name].write_text("".join(f"{sentence}\n" for sentence in output), encoding="utf-8")
    return gold, paths


def _mistranslated(sentence: list[str], words: list[str], errors: float, rng: random.Random) -> Iterator[str]:
    """Yield a sentence, some of whose words are left out, replaced, or have another before them."""
    for word in sentence:
        if rng.random() >= errors:
            yield word
        else:
            yield from rng.choice(((), (rng.choice(words),), (rng.choice(words), word)))


FIELDS, FIELD_TOKENS, TYPES = ("a", "b", "c"), 20, 200_000
HARD = (100, 300, 1_000, 3_000, 10_000)  # ranks of the words in the first field that lower the score
AT_ONCE = 50_000  # items made together; a smaller file is the beginning of a larger one


def scored(folder: Path, *, items: int) -> Path:
    """Write a Parquet file of texts with a score of 0 or 1, in a process of its own: it needs much memory."""
    path = folder / f"scored.{items}.parquet"
    run(Job((PYTHON, __file__, str(path), str(items))))
    return path


def write_scored(path: Path, items: int) -> None:
    """Draw the tokens by Zipf's law; four of five items score 1, fewer of those with a hard word."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(SEED)
    words = np.array(_vocabulary(random.Random(SEED)), dtype=object)
    bounds = np.cumsum(1 / np.arange(1, TYPES + 1))
    bounds /= bounds[-1]
    parts = []
    for start in range(0, items, AT_ONCE):
        drawn = np.searchsorted(bounds, rng.random((len(FIELDS), AT_ONCE, FIELD_TOKENS)), side="right")
        hard = np.isin(drawn[0], HARD).any(axis=1)
        score = (rng.random(AT_ONCE) < np.where(hard, 0.75, 0.8)).astype(np.int64)
        texts = {name: [" ".join(row) for row in words[ids]] for name, ids in zip(FIELDS, drawn, strict=True)}
        parts.append(pl.DataFrame({**texts, "score": score}).head(items - start))
    pl.concat(parts).write_parquet(path)


def _vocabulary(rng: random.Random) -> list[str]:
    """Make different words, the most frequent first: the rarer, the longer; some are names, some are numbers."""
    letters, weights = "etaoinshrdlucmfwypvbgkjqxz", list(accumulate(range(26, 0, -1)))
    words: dict[str, None] = {}
    while len(words) < TYPES:
        length = max(1, round(rng.gauss(2 + 0.6 * math.log(len(words) + 1), 1.5)))
        word = "".join(rng.choices(letters, cum_weights=weights, k=length))
        kind = rng.random()
        words[word.capitalize() if kind < 0.15 else str(rng.randrange(10**5)) if kind < 0.18 else word] = None
    return list(words)


Sentence = list[list[str]]


def _read(path: Path) -> list[Sentence]:
    """Return the sentences of a small file, each token as its columns."""
    blocks = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[line.split() for line in block.split("\n")] for block in blocks]


def _repeated(
    folder: Path, systems: dict[str, list[Sentence]], *, copies: int, documents: int | None = None
) -> tuple[Path, dict[str, Path]]:
    """Write gold (token, word class, tag; numbered documents) and each system (token, tag), copy after copy."""
    gold, sizes = _documents()
    tagged = {name: _blocks(gold, sentences) for name, sentences in systems.items()}
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    spans = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)][:documents]
    blocks = ["".join("\t".join(cells) + "\n" for cells in sentence) + "\n" for sentence in gold]
    path = folder / f"news.{copies}.{documents or 'all'}.gold.conll"
    paths = {name: folder / f"news.{copies}.{documents or 'all'}.{name}.conll" for name in systems}
    rng = random.Random(SEED)
    orders = [rng.sample(spans, len(spans)) for _ in range(copies)]
    with path.open("w", encoding="utf-8") as file:
        for copy, order in enumerate(orders):
            for i, span in enumerate(order):
                file.write(f"-DOCSTART-\t{copy * len(order) + i + 1}\tO\n\n")
                file.writelines(blocks[sentence] for sentence in span)
    for name, written in tagged.items():
        with paths[name].open("w", encoding="utf-8") as file:
            for order in orders:
                file.writelines(written[sentence] for span in order for sentence in span)
    return path, paths


def _documents() -> tuple[list[Sentence], list[int]]:
    """Return gold's sentences, and how many each document has."""
    sentences: list[Sentence] = []
    sizes: list[int] = []
    for sentence in _read(NEWS / "test.conll"):
        if sentence[0][0] == "-DOCSTART-":
            sizes.append(0)
        else:
            sentences.append(sentence)
            sizes[-1] += 1
    return sentences, sizes


def _blocks(gold: list[Sentence], system: list[Sentence]) -> list[str]:
    """Return a system's sentences as lines of gold's tokens with the system's tags."""
    return [
        "".join(f"{ours[0]}\t{theirs[-1]}\n" for ours, theirs in zip(a, b, strict=True)) + "\n"
        for a, b in zip(gold, system, strict=True)
    ]


if __name__ == "__main__":
    write_scored(Path(sys.argv[1]), int(sys.argv[2]))
