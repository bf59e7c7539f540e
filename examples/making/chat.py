"""Chat: short threads between friends on seven topics, typed as people type."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from making.annotator import Annotator, slips_table
from making.casts import Cast
from making.conll import Document, Sentence, Token, bioes, retag, tags_of, write_documents
from making.files import write_text
from making.grammar import Rules, Writer, read_rules, read_words
from making.names import Name, Pool, Stock, names, pool, stock
from making.ner import Files, write_systems
from making.typist import Typist, outside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LABELS = ("PER", "ORG", "LOC", "WORK")
TOPICS = ("gaming", "food", "travel", "music", "football", "films", "tech")
KINDS = ("PAL", "PER", "CITY", "BRAND", "WORK", "COUNTRY", "SPOT", "TEAM", "SHOP")
MAIN = {
    "gaming": "STUDIO",
    "food": "SHOP",
    "travel": "SPOT",
    "music": "PER",
    "football": "TEAM",
    "films": "WORK",
    "tech": "BRAND",
}
SIZES = {"train": 3000, "dev": 400, "test": 900}
FILES = Files(scheme={"perceptron": "bioes", "crf": "bioes"}, gold="bioes")


def make(output: Path) -> None:
    """Writes the folder `chat`; its gold tags are BIOES."""
    rng = random.Random("chat")
    rules = read_rules("chat")
    pools = make_pools(rng)
    folder = output / "chat"
    written: dict[str, list[Document]] = {}
    for part, size in SIZES.items():
        clean = write_part(rng, rules, pools, size, part != "train")
        slip, stretch = (0.07, 0.10) if part == "train" else (0.024, 0.03)
        documents, slips = Annotator(LABELS, slip, stretch, rng).annotate(clean)
        ended = [[retag(sentence, bioes(tags_of(sentence))) for sentence in document] for document in documents]
        write_documents(folder / f"{part}.conll", ended, "-DOCSTART-\tO", lambda token: f"{token.text}\t{token.tag}")
        if part == "test":
            write_text(folder / "test.slips.tsv", slips_table(slips, documents))
        written[part] = documents
    write_systems(folder / "systems", written["train"], written["test"], FILES)


def write_part(rng: random.Random, rules: Rules, pools: Mapping[str, Pool], size: int, late: bool) -> list[Document]:
    """Threads with about `size` messages in all."""
    documents: list[Document] = []
    handles = read_words("chat_names")["handle"]
    while sum(map(len, documents)) < size:
        topic = TOPICS[len(documents) % len(TOPICS)]
        newness = rng.choice((0.15, 0.35, 0.5, 0.65)) if late else 0.0
        cast = Cast(pools, topic, newness, rng, articles=False)
        documents.append(Thread(rules, topic, rng, cast, handles).write())
    return documents


class Thread:
    """A few people who write about one topic."""

    def __init__(self, rules: Rules, topic: str, rng: random.Random, cast: Cast, handles: list[str]) -> None:
        self.rng, self.cast, self.handles, self.main = rng, cast, handles, MAIN[topic]
        self.writer = Writer(rules, topic, rng, self.fill)
        self.typists = [Typist.somebody(rng) for _ in range(rng.randint(2, 4))]

    def write(self) -> Document:
        """Between 6 and 25 messages."""
        return [self.message() for _ in range(self.rng.randint(6, 25))]

    def message(self) -> Sentence:
        """A message of 3 to 45 tokens."""
        while True:
            self.cast.new_sentence()
            typed = self.rng.choice(self.typists).type(self.writer.write("message"))
            if 3 <= len(typed) <= 45:
                return typed

    def fill(self, slot: str) -> Sentence:
        """`ANY` is what the thread is about or anything; a handle is no name, but some annotators took it for one."""
        if slot == "HANDLE":
            handle = self.rng.choice(self.handles)
            return [Token(handle, "B-PER")] if self.rng.random() < 0.1 else outside([handle])
        if slot == "ANY":
            slot = self.main if self.rng.random() < 0.35 else self.rng.choice(KINDS)
        return self.cast.fill(slot)


def make_pools(rng: random.Random) -> dict[str, Pool]:
    """Whom and what the threads are about."""
    words, own = read_words("names"), read_words("chat_names")
    parts = stock(rng, words)
    for key in ("adj", "noun", "verb"):
        parts.common[key.upper()] = own[f"work.{key}"]
        parts.late[key.upper()] = own[f"work.{key}"] + own[f"work.{key}.late"] * 3
    for stock_parts in (parts.common, parts.late):
        stock_parts["NUM"] = own["work.num"]
        stock_parts["CORE"] = stock_parts["COMPANY"]
    pals = Stock(
        {"FIRST": words["first"] + own["foreign.pal"][:5]}, {"FIRST": words["first.late"] + own["foreign.pal"][5:]}
    )
    foreign = own["foreign.city"]
    pools = {
        "PAL": pals.pool(rng, ["{FIRST}"], "PER", (110, 45)),
        "PER": parts.people(rng, (500, 300)),
        "CITY": pool(
            shuffled(rng, parts.common["CITY"] + foreign[:8]), shuffled(rng, parts.late["CITY"] + foreign[8:]), "LOC"
        ),
        "COUNTRY": pool(words["country"], words["country.late"], "LOC"),
    }
    coined = parts.pool(rng, ["{CORE}"], "ORG", (60, 60), "WORK")
    pools["BRAND"] = Pool(mixed(rng, names(own["brand"], "ORG", "WORK"), coined.common), coined.late)
    studios = parts.pool(rng, own["studio.shape"], "ORG", (40, 50))
    pools["STUDIO"] = Pool([*names(own["studio"], "ORG", "WORK"), *studios.common], studios.late)
    for kind, label, size in (("shop", "ORG", (70, 70)), ("team", "ORG", (70, 60)), ("spot", "LOC", (80, 80))):
        pools[kind.upper()] = parts.pool(rng, own[f"{kind}.shape"], label, size)
    for topic in TOPICS:
        pools[f"WORK.{topic}"] = parts.pool(rng, own["work.shape"], "WORK", (60, 70))
    return pools


def shuffled(rng: random.Random, items: list[str]) -> list[str]:
    """The items in another order."""
    return rng.sample(items, len(items))


def mixed(rng: random.Random, some: list[Name], more: Sequence[Name]) -> list[Name]:
    """Both lists, shuffled together."""
    both = [*some, *more]
    rng.shuffle(both)
    return both
