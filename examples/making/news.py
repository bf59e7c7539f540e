"""News: agency reports on five topics, with headlines, datelines, results and quotations."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from making.annotator import Annotator, slips_table
from making.casts import Cast
from making.conll import Document, Sentence, Token, write_documents
from making.files import write_text
from making.grammar import Rules, Writer, read_rules, read_words
from making.names import Pool, Stock, names, pool, stock
from making.ner import Files, write_systems
from making.pos import pos

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LABELS = ("PER", "ORG", "LOC", "EVENT")
TOPICS = ("politics", "sport", "business", "science", "culture")
SIZES = {"train": 3000, "dev": 400, "test": 800}
START = "-DOCSTART-\t-X-\tO"
FILES = Files(scheme={"hmm": "iob1"})


def make(output: Path) -> None:
    """Writes the folder `news`."""
    rng = random.Random("news")
    rules = read_rules("news")
    pools = make_pools(rng)
    folder = output / "news"
    written: dict[str, list[Document]] = {}
    for part, size in SIZES.items():
        clean = write_part(rng, rules, pools, size, part != "train")
        slip, stretch = (0.04, 0.10) if part == "train" else (0.022, 0.03)
        documents, slips = Annotator(LABELS, slip, stretch, rng).annotate(clean)
        write_documents(
            folder / f"{part}.conll", documents, START, lambda token: f"{token.text}\t{pos(token)}\t{token.tag}"
        )
        if part == "test":
            write_text(folder / "test.slips.tsv", slips_table(slips, documents))
        written[part] = documents
    write_systems(folder / "systems", written["train"], written["test"], FILES)


def write_part(rng: random.Random, rules: Rules, pools: Mapping[str, Pool], size: int, late: bool) -> list[Document]:
    """Documents with about `size` sentences in all."""
    documents: list[Document] = []
    while sum(map(len, documents)) < size:
        topic = TOPICS[len(documents) % len(TOPICS)]
        newness = rng.choice((0.05, 0.2, 0.3, 0.45, 0.6)) if late else 0.0
        cast = Cast(pools, topic, newness, rng)
        documents.append(write_document(Writer(rules, topic, rng, cast.fill), cast))
    return documents


def write_document(writer: Writer, cast: Cast) -> Document:
    """A headline, mostly a dateline, and 4 to 22 sentences."""
    document = [write_sentence(writer, cast, "headline")]
    if writer.rng.random() < 0.8:
        document.append(write_sentence(writer, cast, "dateline"))
    document.extend(write_sentence(writer, cast, "sentence") for _ in range(writer.rng.randint(4, 22)))
    return document


def write_sentence(writer: Writer, cast: Cast, rule: str) -> Sentence:
    """A sentence of 3 to 45 tokens with a capital at its start."""
    while True:
        cast.new_sentence()
        cast.articles = rule != "headline"
        tokens = writer.write(rule)
        if 3 <= len(tokens) <= 45:
            first = tokens[0]
            return [Token(first.text[0].upper() + first.text[1:], first.tag), *without_repeats(tokens[1:])]


def without_repeats(tokens: Sentence) -> Sentence:
    """No ', .' or ', ,' where an apposition meets the end of a clause."""
    kept: Sentence = []
    for token in tokens:
        if token.text in {",", "."} and kept and kept[-1].text == ",":
            kept[-1] = token
        else:
            kept.append(token)
    return kept


def make_pools(rng: random.Random) -> dict[str, Pool]:
    """Who and what the news is about."""
    words = read_words("names")
    parts = stock(rng, words)
    pools = {
        "PER": parts.people(rng, (700, 300)),
        "CITY": pool(parts.common["CITY"], parts.late["CITY"], "LOC"),
        "COUNTRY": pool(words["country"], words["country.late"], "LOC"),
        "CAPITAL": pool(parts.common["CITY"][:40] + words["country"][:20], parts.late["CITY"], "ORG", "LOC"),
    }
    places = Stock(
        {"CORE": parts.common["CITY"] + parts.common["LAST"]}, {"CORE": parts.late["CITY"] + parts.late["LAST"]}
    )
    pools["PLACE"] = places.pool(rng, words["place.shape"], "LOC", (110, 80))
    firms = Stock(parts.common | {"CORE": parts.common["COMPANY"]}, parts.late | {"CORE": parts.late["COMPANY"]})
    pools["COMPANY"] = firms.pool(rng, words["company.shape"], "ORG", (170, 110))
    for stock_parts in (parts.common, parts.late):
        stock_parts["CORE"] = words["paper.core"]
        stock_parts["PLACE"] = ["Lake " + name for name in stock_parts["LAST"]]
    agencies = parts.pool(rng, words["agency.shape"], "ORG", (60, 60))
    known = pool(words["agency"], [], "ORG")
    pools["AGENCY"] = Pool([*known.common, *agencies.common], agencies.late)
    pools["CLUB"] = parts.pool(rng, words["club.shape"], "ORG", (90, 60))
    for kind, size in {"uni": (80, 70), "party": (45, 40), "paper": (45, 40)}.items():
        pools[kind.upper()] = parts.pool(rng, words[f"{kind}.shape"], "ORG", size)
    for topic in TOPICS:
        pools[f"EVENT.{topic}"] = parts.pool(rng, words[f"event.{topic}.shape"], "EVENT", (40, 40))
    # Annotators do not agree whether these are the place or what takes place there.
    pools["EVENT.culture"] = Pool(
        [*names(["Cannes", "Venice"], "EVENT", "LOC"), *pools["EVENT.culture"].common], pools["EVENT.culture"].late
    )
    pools["EVENT.business"] = Pool(
        [*names(["Davos"], "EVENT", "LOC"), *pools["EVENT.business"].common], pools["EVENT.business"].late
    )
    return pools
