"""The data that is measured, made in processes of their own, so that the one that measures stays small."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measure import done, work

if TYPE_CHECKING:
    from pathlib import Path

TOKENS_IN_NEWS = 10_939
TOKENS_IN_TRAINING = 40_782
SENTENCES_IN_NEWS = 816
FIELDS, FIELD_TOKENS, TYPES = ("a", "b", "c"), 20, 200_000


@dataclass(frozen=True)
class Files:
    """A gold file, the systems' files by their names, and training data."""

    gold: str
    systems: dict[str, str]
    train: str | None = None

    @property
    def paths(self) -> list[str]:
        """Gold's file and the systems'."""
        return [self.gold, *self.systems.values()]

    @property
    def options(self) -> list[str]:
        """The options that name the files to Slicewise."""
        found = ["--gold", self.gold, *(["--train", self.train] if self.train else [])]
        return found + [part for name, path in self.systems.items() for part in ("--system", f"{name}={path}")]


def entities(folder: Path, *, copies: int) -> Files:
    """Repeat the news test set and the output of a CRF."""
    return _made("news.one_system", str(folder), str(copies))


def two_documents(folder: Path) -> Files:
    """Write two documents: what a command costs on them is its start-up."""
    return _made("news.two_documents", str(folder))


def ten_systems(folder: Path, *, copies: int) -> Files:
    """Repeat the news test set with ten systems."""
    return _made("news.ten_systems", str(folder), str(copies))


def twelve_systems(folder: Path, *, copies: int) -> Files:
    """Repeat the news with training data and twelve systems, and other names of entities in each copy."""
    return _made("news.twelve_systems", str(folder), str(copies))


def training(folder: Path, *, copies: int) -> str:
    """Repeat the training data of the news, with other names of entities in each copy."""
    return done(work("news.training", str(folder), str(copies))).strip()


def labels(folder: Path, *, items: int) -> Files:
    """Make one label a line, and a system that gets most of them right."""
    return _made("lines.labels", str(folder), str(items))


def translations(folder: Path, *, sentences: int, words: int) -> Files:
    """Write references of so many words, and two systems with errors in them."""
    return _made("lines.translations", str(folder), str(sentences), str(words))


def scored(folder: Path, *, items: int) -> str:
    """Write a Parquet file of texts with a score of 0 or 1, unless it is there."""
    path = folder / f"scored.{items}.parquet"
    if not path.exists():
        done(work("making.scored", str(path), str(items), str(TYPES), str(FIELD_TOKENS), *FIELDS))
    return str(path)


def matrix(folder: Path, *, items: int, systems: int) -> str:
    """Write a Parquet file of 0/1 scores, a column per system."""
    path = str(folder / f"matrix.{items}.parquet")
    done(work("making.matrix", path, str(items), str(systems)))
    return path


def _made(job: str, *arguments: str) -> Files:
    return Files(**json.loads(done(work(job, *arguments))))
