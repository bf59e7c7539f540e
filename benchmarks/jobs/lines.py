"""Made-up files of lines, labels and translations, whose names are printed."""

from __future__ import annotations

import json
import random
from itertools import accumulate, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TRANSLATIONS = Path(__file__).parent.parent.parent / "examples" / "translation" / "train.ref"
SEED = 20
LABELS = ("sports", "politics", "culture", "science", "business", "health", "travel", "weather", "people", "other")


def labels(folder: str, items: str) -> None:
    """Make one label a line: ten labels of unequal frequency, of which a system gets about four fifths right."""
    rng = random.Random(SEED)
    paths = {name: str(Path(folder, f"labels.{items}.{name}.txt")) for name in ("gold", "system")}
    bounds = list(accumulate(range(1, len(LABELS) + 1)))
    with Path(paths["gold"]).open("w", encoding="utf-8") as gold, Path(paths["system"]).open("w") as system:
        for _ in range(int(items)):
            label = rng.choices(LABELS, cum_weights=bounds)[0]
            gold.write(f"{label}\n")
            system.write(f"{label if rng.random() < 0.8 else rng.choice(LABELS)}\n")
    print(json.dumps({"gold": paths["gold"], "systems": {"system": paths["system"]}}))


def translations(folder: str, sentences: str, words: str) -> None:
    """Write references of so many words, cut from the example translations, and two systems with errors in them."""
    rng = random.Random(SEED)
    lines = TRANSLATIONS.read_text(encoding="utf-8").splitlines()
    rng.shuffle(lines)
    running = [word for line in lines for word in line.split()]
    stream = cycle(running)
    references = [list(islice(stream, int(words))) for _ in range(int(sentences))]
    gold = Path(folder, f"translations.{sentences}.ref")
    gold.write_text("".join(" ".join(sentence) + "\n" for sentence in references), encoding="utf-8")
    systems = {}
    for name, errors in (("good", 0.1), ("poor", 0.3)):
        path = Path(folder, f"translations.{sentences}.{name}.txt")
        output = (" ".join(_mistranslated(sentence, running, errors, rng)) for sentence in references)
        path.write_text("".join(f"{sentence}\n" for sentence in output), encoding="utf-8")
        systems[name] = str(path)
    print(json.dumps({"gold": str(gold), "systems": systems}))


def _mistranslated(sentence: list[str], words: list[str], errors: float, rng: random.Random) -> Iterator[str]:
    """Yield a sentence, some of whose words are left out, replaced, or have another before them."""
    for word in sentence:
        if rng.random() >= errors:
            yield word
        else:
            yield from rng.choice(((), (rng.choice(words),), (rng.choice(words), word)))
