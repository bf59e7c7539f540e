"""Reviews with one of three labels, by a word list, naive Bayes and a perceptron."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from making.bags import Bayes, bigrams, words
from making.files import write_rows
from making.grammar import Writer, no_names, read_rules, read_words, running_text
from making.linear import Averaged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LABELS = ("positive", "negative", "neutral")
SUBJECTS = ("hotel", "phone", "restaurant", "film", "course")
LISTS = read_words("lists")
GOOD, BAD = frozenset(LISTS["good"]), frozenset(LISTS["bad"])
Item = tuple[str, str]


def make(output: Path) -> None:
    """Writes the folder `sentiment`."""
    rng = random.Random("sentiment")
    items = write_items(rng, 2700)
    train, test = items[:2000], items[2000:]
    folder = output / "sentiment"
    for part, rows in (("train", train), ("test", test)):
        write_rows(folder / f"{part}.tsv", [f"{text}\t{label}" for text, label in rows])
    texts = [text for text, _ in test]
    bayes = Bayes.train([text for text, _ in train], [label for _, label in train])
    linear = train_perceptron(train, rng)
    systems = {
        "lexicon": [by_lexicon(text) for text in texts],
        "bayes": [bayes.predict(text) for text in texts],
        "perceptron": [linear.predict(bigrams(text)) for text in texts],
    }
    for name, labels in systems.items():
        write_rows(folder / "systems" / f"{name}.txt", labels)


def write_items(rng: random.Random, count: int) -> list[Item]:
    """Different reviews; a few have the label of a careless annotator."""
    rules = read_rules("sentiment")
    items: dict[str, str] = {}
    while len(items) < count:
        writer = Writer(rules, rng.choice(SUBJECTS), rng, no_names)
        label = rng.choices(LABELS, (40, 35, 25))[0]
        text = running_text(writer.text(label))
        items.setdefault(text, rng.choice(LABELS) if rng.random() < 0.04 else label)
    return list(items.items())


def by_lexicon(text: str) -> str:
    """Counts good and bad words and knows no 'not'; in a tie the last one decides, which 'though' turns into a trap."""
    found = [1 if word in GOOD else -1 for word in words(text) if word in GOOD or word in BAD]
    if not found:
        return "neutral"
    balance = sum(found) or found[-1]
    return "positive" if balance > 0 else "negative"


def train_perceptron(train: Sequence[Item], rng: random.Random) -> Averaged:
    """Words and pairs of words, six rounds."""
    model = Averaged(LABELS)
    described = [(bigrams(text), label) for text, label in train]
    for _ in range(6):
        rng.shuffle(described)
        for features, label in described:
            model.learn(features, label)
    return model.averaged()
