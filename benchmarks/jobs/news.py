"""The example news, repeated: gold, training data and systems as CoNLL files, whose names are printed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Sentence = list[list[str]]

NEWS = Path(__file__).parent.parent.parent / "examples" / "news"
SEED = 20
MIXES = (
    ("crf.1", "crf.2"),
    ("crf.1", "crf-char.1"),
    ("crf-char.1", "crf-char.2"),
    ("hmm", "perceptron"),
    ("gazetteer", "crf.2"),
)


def one_system(folder: str, copies: str) -> None:
    """Repeat the test set and the output of a CRF."""
    _repeat(Path(folder), {"crf": _read(NEWS / "systems" / "crf.1.conll")}, int(copies))


def two_documents(folder: str) -> None:
    """Write two documents and the output of a CRF: what a command costs on them is its start-up."""
    _repeat(Path(folder), {"crf": _read(NEWS / "systems" / "crf.1.conll")}, copies=1, documents=2)


def ten_systems(folder: str, copies: str) -> None:
    """Repeat the test set with the output of its seven systems and of three that are mixed from them."""
    _repeat(Path(folder), _mixed(MIXES[:3]), int(copies))


def twelve_systems(folder: str, copies: str) -> None:
    """Write gold, training data and twelve systems: copies of the news, each with other names of its entities.

    The names of a copy are the same in its training and its test part.
    """
    gold, sizes = _documents()
    systems = _mixed(MIXES)
    paths = {name: Path(folder, f"named.{copies}.{name}.conll") for name in systems}
    path = Path(folder, f"named.{copies}.gold.conll")
    with path.open("w", encoding="utf-8") as file:
        for copy in range(int(copies)):
            rows = iter(_renamed(gold, copy))
            for size in sizes:
                file.write("-DOCSTART-\t-X-\tO\n\n")
                file.writelines(_lines(next(rows)) for _ in range(size))
    for name, output in systems.items():
        with paths[name].open("w", encoding="utf-8") as file:
            for copy in range(int(copies)):
                file.writelines(_tagged(_renamed(gold, copy), output))
    _tell(path, paths, _training(Path(folder), int(copies)))


def training(folder: str, copies: str) -> None:
    """Write training data alone: copies of the news, each with other names of its entities."""
    print(_training(Path(folder), int(copies)))


def _training(folder: Path, copies: int) -> Path:
    sentences = [s for s in _read(NEWS / "train.conll") if s[0][0] != "-DOCSTART-"]
    path = folder / f"named.{copies}.train.conll"
    with path.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            file.writelines(_lines(sentence) for sentence in _renamed(sentences, copy))
    return path


def _repeat(folder: Path, systems: dict[str, list[Sentence]], copies: int, documents: int | None = None) -> None:
    """Write gold (token, word class, tag; numbered documents) and each system (token, tag), copy after copy.

    Every copy has its documents in another order.
    """
    gold, sizes = _documents()
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    spans = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)][:documents]
    rng = random.Random(SEED)
    orders = [rng.sample(spans, len(spans)) for _ in range(copies)]
    stem = f"news.{copies}.{documents or 'all'}"
    path = folder / f"{stem}.gold.conll"
    blocks = [_lines(sentence) for sentence in gold]
    with path.open("w", encoding="utf-8") as file:
        for copy, order in enumerate(orders):
            for i, span in enumerate(order):
                file.write(f"-DOCSTART-\t{copy * len(order) + i + 1}\tO\n\n")
                file.writelines(blocks[sentence] for sentence in span)
    paths = {name: folder / f"{stem}.{name}.conll" for name in systems}
    for name, output in systems.items():
        tagged = _tagged(gold, output)
        with paths[name].open("w", encoding="utf-8") as file:
            for order in orders:
                file.writelines(tagged[sentence] for span in order for sentence in span)
    _tell(path, paths)


def _tell(gold: Path, systems: dict[str, Path], train: Path | None = None) -> None:
    files = {
        "gold": str(gold),
        "systems": {name: str(path) for name, path in systems.items()},
        "train": str(train) if train else None,
    }
    print(json.dumps(files))


def _mixed(mixes: Sequence[tuple[str, str]]) -> dict[str, list[Sentence]]:
    """Return the seven systems, and some that take each sentence from one of two."""
    systems = {path.stem: _read(path) for path in sorted((NEWS / "systems").glob("*.conll"))}
    rng = random.Random(SEED)
    for a, b in mixes:
        systems[f"{a}+{b}"] = [rng.choice(pair) for pair in zip(systems[a], systems[b], strict=True)]
    return systems


def _renamed(sentences: Iterable[Sentence], copy: int) -> list[Sentence]:
    """Return sentences with other names: the tokens of entities get the copy's number."""
    number = str(copy) if copy else ""
    return [[[t[0] + number * (t[-1] != "O"), *t[1:]] for t in sentence] for sentence in sentences]


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


def _read(path: Path) -> list[Sentence]:
    """Return the sentences of a small file, each token as its columns."""
    blocks = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[line.split() for line in block.split("\n")] for block in blocks]


def _lines(sentence: Sentence) -> str:
    return "".join("\t".join(cells) + "\n" for cells in sentence) + "\n"


def _tagged(gold: list[Sentence], system: list[Sentence]) -> list[str]:
    """Return a system's sentences as lines of gold's tokens with the system's tags."""
    return [
        _lines([[ours[0], theirs[-1]] for ours, theirs in zip(a, b, strict=True)])
        for a, b in zip(gold, system, strict=True)
    ]
