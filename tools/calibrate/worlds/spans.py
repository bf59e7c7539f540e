"""Sentences with marked names, as tags: gold names and decoys, one for one, of which a system returns some.

In each document a system finds gold names with probability r and returns decoys with probability 1 − r, so that
precision, recall and F1 are all the mean of r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import slicewise
from calibrate.worlds.documents import Documents
from slicewise.arrays import Array, Ints, Mask

NAMES, WORDS, FAVOURITES = 120, 200, 5


@dataclass(frozen=True)
class Places:
    """Where names and decoys stand, one row each: sentence, label, tokens, and whether it is gold."""

    sentence: Ints
    label: Ints
    tokens: Ints
    gold: Mask
    texts: Sequence[str]


def places(rng: np.random.Generator, document: Ints, labels: Sequence[float], names: int = 1) -> Places:
    """Draw for each sentence some names and as many decoys, in any order; `labels`: the shares of the labels."""
    sentences = len(document)
    pairs = 1 + rng.poisson(names - 1, sentences) if names > 1 else np.ones(sentences, dtype=np.int64)
    sentence = np.repeat(np.arange(sentences), 2 * pairs)
    count = len(sentence)
    label = np.repeat(rng.choice(len(labels), count // 2, p=labels), 2)
    tokens = rng.choice([1, 2, 3], count, p=[0.6, 0.3, 0.1])
    first = np.repeat(rng.random(count // 2) < 0.5, 2)
    gold = (np.arange(count) % 2 == 0) == first
    return Places(sentence, label, tokens, gold, _names(rng, np.repeat(document[sentence], tokens)))


def _names(rng: np.random.Generator, document: Ints) -> list[str]:
    """Return a name for each token; every document has a few that it says again and again."""
    weights = 1 / np.arange(5, NAMES + 5)
    favourites = rng.choice(NAMES, (int(document.max()) + 1, FAVOURITES))
    favourite = favourites[document, rng.integers(0, FAVOURITES, len(document))]
    other = rng.choice(NAMES, len(document), p=weights / weights.sum())
    return [f"N{name}" for name in np.where(rng.random(len(document)) < 0.5, favourite, other)]


def returned(rng: np.random.Generator, where: Places, chance: Array) -> Mask:
    """Return which places a system marks; `chance`: r for each of them."""
    return rng.random(len(where.gold)) < np.where(where.gold, chance, 1 - chance)


def evaluation(
    rng: np.random.Generator,
    where: Places,
    systems: dict[str, Mask],
    document: Ints | None = None,
    name: str = "data",
) -> slicewise.Evaluation:
    """Return the evaluation: each place stands between words of its sentence."""
    sentences = int(where.sentence[-1]) + 1
    tokens: list[list[str]] = [[] for _ in range(sentences)]
    tags: dict[str, list[list[str]]] = {run: [[] for _ in range(sentences)] for run in ("gold", *systems)}
    marks = {"gold": where.gold, **systems}
    context = [f"w{i}" for i in rng.integers(0, WORDS, 2 * len(where.gold))]
    start = 0
    for i, (sentence, count) in enumerate(zip(where.sentence.tolist(), where.tokens.tolist(), strict=True)):
        inside = ["B", "I", "I"][:count]
        tokens[sentence] += [context[2 * i], *where.texts[start : start + count], context[2 * i + 1]]
        start += count
        label = "ABCDEFGH"[where.label[i]]
        for run, of_run in tags.items():
            marked = [f"{tag}-{label}" for tag in inside] if marks[run][i] else ["O"] * count
            of_run[sentence] += ["O", *marked, "O"]
    gold = tags.pop("gold")
    documents = None if document is None else document.tolist()
    return slicewise.Evaluation.from_tags(tokens, gold, tags, documents=documents, name=name)


def chances(rng: np.random.Generator, world: Documents, document: Ints, mean: float) -> Array:
    """Return r for each sentence: a beta distribution over documents, which has the world's ICC exactly."""
    if world.icc == 0:
        by_document = np.full(world.count, mean)
    else:
        size = 1 / world.icc - 1
        by_document = rng.beta(mean * size, (1 - mean) * size, world.count)
    return np.where(rng.random(world.count) < world.broken, 0.1 * mean, by_document)[document]
