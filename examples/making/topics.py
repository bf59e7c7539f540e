"""Short texts about none to four of eight topics, by keyword rules and by two models for each label on its own."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypedDict

from making.bags import Bayes, bigrams, words
from making.files import write_jsonl, write_rows
from making.grammar import Writer, no_names, read_rules, running_text
from making.linear import Averaged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LABELS = ("climate", "culture", "education", "health", "money", "politics", "sports", "technology")
TOGETHER = {
    "climate": "health",
    "money": "politics",
    "education": "technology",
    "health": "education",
    "sports": "money",
}
TRAIN, TEST = 1000, 700
LATE = 0.25  # how many items of the test set speak in words that the training set does not have
SOURCES = ("wire", "local", "blog", "magazine")
KEYWORDS = {
    "climate": "river drought emissions species heatwave glacier forest storm coast reef flood",
    "culture": "museum novel actress orchestra film festival exhibition painter opera poet gallery choir",
    "education": "school teachers pupils exam university professor curriculum library tuition",
    "health": "hospital nurse vaccine patients doctors clinic flu asthma diabetes measles hospitals surgeon surgeons",
    "money": "budget market loan shares bank inflation company investors price million percent",
    "politics": "government minister parliament voters opposition bill mayor president senator vote treaty taxes",
    "sports": "coach fans striker final team stadium referee football side squad goalkeeper",
    "technology": "app software network phone server algorithm hacker robot chip engineers passwords coding",
}


class Item(TypedDict):
    """One line of the files."""

    id: str
    text: str
    labels: list[str]
    source: str
    year: int


def make(output: Path) -> None:
    """Writes the folder `topics`."""
    rng = random.Random("topics")
    items = write_items(rng, TRAIN + TEST)
    train, test = items[:TRAIN], items[TRAIN:]
    folder = output / "topics"
    write_jsonl(folder / "train.jsonl", train)
    write_jsonl(folder / "test.jsonl", test)
    texts = [item["text"] for item in test]
    write_answers(folder / "systems" / "keywords.jsonl", test, [by_keywords(text) for text in texts])
    write_answers(folder / "systems" / "bayes.jsonl", test, by_bayes(train, texts))
    answers = by_perceptron(train, texts, rng)
    write_rows(folder / "systems" / "perceptron.txt", [" ".join(labels) for labels in answers])


def write_items(rng: random.Random, count: int) -> list[Item]:
    """Items without repetition; blogs are more careless, in what they say and in their labels."""
    rules = read_rules("topics")
    items: list[Item] = []
    seen: set[str] = set()
    while len(items) < count:
        labels = choose_labels(rng)
        source = rng.choice(SOURCES)
        late = len(items) >= TRAIN and rng.random() < LATE
        text = write_item(Writer(rules, "late" if late else "", rng, no_names), labels)
        if text in seen:
            continue
        seen.add(text)
        given = [label for label in labels if rng.random() > (0.12 if source == "blog" else 0.03)]
        items.append(
            {
                "id": f"t{len(items):04d}",
                "text": text,
                "labels": given,
                "source": source,
                "year": rng.randint(2015, 2026),
            }
        )
    return items


def choose_labels(rng: random.Random) -> list[str]:
    """None to four labels, some of which like each other's company."""
    count = rng.choices((0, 1, 2, 3, 4), (10, 38, 32, 14, 6))[0]
    labels: list[str] = []
    while len(labels) < count:
        friend = TOGETHER.get(labels[-1]) if labels and rng.random() < 0.5 else None
        label = friend or rng.choice(LABELS)
        if label not in labels:
            labels.append(label)
    return sorted(labels)


def write_item(writer: Writer, labels: Sequence[str]) -> str:
    """A clause for each label in random order, with some that belong to none."""
    clauses = [writer.text(label) for label in labels]
    clauses.extend(writer.text("none") for _ in range(0 if labels and writer.rng.random() < 0.55 else 1))
    writer.rng.shuffle(clauses)
    text = clauses[0] if writer.rng.random() < 0.6 else f"{writer.text('start')} {clauses[0]}"
    for clause in clauses[1:]:
        joined = writer.rng.random() < 0.6
        text += f" {writer.text('joiner')} {clause}" if joined else f" . {clause}"
    if writer.rng.random() < 0.3:
        text += f" , {writer.text('tail')}"
    return running_text(text + " .")


def by_keywords(text: str) -> list[str]:
    """Every label one of whose words is in the text."""
    found = set(words(text))
    return [label for label in LABELS if found & set(KEYWORDS[label].split())]


def by_bayes(train: Sequence[Item], texts: Sequence[str]) -> list[list[str]]:
    """Naive Bayes, yes or no, for each label."""
    known = [item["text"] for item in train]
    models = {label: Bayes.train(known, [yes_or_no(label, item) for item in train]) for label in LABELS}
    return [[label for label, model in models.items() if model.predict(text) == "yes"] for text in texts]


def by_perceptron(train: Sequence[Item], texts: Sequence[str], rng: random.Random) -> list[list[str]]:
    """An averaged perceptron, yes or no, for each label."""
    models = {label: train_one(train, label, rng) for label in LABELS}
    described = [bigrams(text) for text in texts]
    return [[label for label, model in models.items() if model.predict(features) == "yes"] for features in described]


def train_one(train: Sequence[Item], label: str, rng: random.Random) -> Averaged:
    """Four rounds over the items in random order."""
    model = Averaged(("no", "yes"))
    described = [(bigrams(item["text"]), yes_or_no(label, item)) for item in train]
    for _ in range(4):
        rng.shuffle(described)
        for features, answer in described:
            model.learn(features, answer)
    return model.averaged()


def yes_or_no(label: str, item: Item) -> str:
    """Whether an item has a label."""
    return "yes" if label in item["labels"] else "no"


def write_answers(path: Path, items: Sequence[Item], answers: Sequence[list[str]]) -> None:
    """Answers with the ids of their items."""
    write_jsonl(path, [{"id": item["id"], "labels": labels} for item, labels in zip(items, answers, strict=True)])
