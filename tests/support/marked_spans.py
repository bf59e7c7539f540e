"""Evaluations of spans that are written into their sentences, as in `[New York|LOC] won`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import slicewise
from slicewise import Evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slicewise.lenses.difficulty.result import DifficultyResult

Span = tuple[int, int, str]


def marked(text: str) -> tuple[list[str], list[Span]]:
    """Return the tokens and the spans of a sentence."""
    tokens: list[str] = []
    spans: list[Span] = []
    for part in re.findall(r"\[[^\]]*\]|\S+", text):
        if part.startswith("["):
            words, label = part[1:-1].split("|")
            spans.append((len(tokens), len(tokens) + len(words.split()), label))
            tokens += words.split()
        else:
            tokens.append(part)
    return tokens, spans


def of_spans(
    gold: Sequence[str], systems: dict[str, Sequence[str]], train: Sequence[str] = (), **options: Any
) -> Evaluation:
    """Return the evaluation of sentences, with training data where there is any."""
    items, right = _apart(gold)
    returned = {name: _apart(texts)[1] for name, texts in systems.items()}
    return Evaluation.from_spans(items, right, returned, train=_apart(train) if train else None, **options)


def _apart(texts: Sequence[str]) -> tuple[list[list[str]], list[list[Span]]]:
    pairs = [marked(text) for text in texts]
    return [tokens for tokens, _ in pairs], [spans for _, spans in pairs]


def looked_at(evaluation: Evaluation, **options: Any) -> DifficultyResult:
    """Return the difficulty of units, without intervals unless they are asked for."""
    return slicewise.difficulty(evaluation, **{"resamples": 0, **options})
