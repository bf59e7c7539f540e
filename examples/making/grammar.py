"""Text from a grammar written as plain text, so that what the examples say can be edited without reading code.

A grammar file has rules `name:` followed by productions, one a line or several with ` | ` between them. In a
production, `{rule}` is expanded, `{rule?40}` is there in 40 of 100 cases, `{n:1-9}` is a number, `~` glues its
neighbours, and a name in capitals such as `{PER}` is left to the caller, who knows the names. `# ` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from making.conll import OUTSIDE, Token

if TYPE_CHECKING:
    import random

HERE = Path(__file__).parent / "grammars"
DEEP = 7
SLOT = re.compile(r"^\{([^}?]+)(?:\?(\d+))?\}$")
OWN_TOPIC = 0.75

Production = tuple[str, ...]
Rules = Mapping[str, Sequence[Production]]
Fill = Callable[[str], list[Token]]


def read_rules(name: str) -> dict[str, list[Production]]:
    """The rules of one file of `grammars/`."""
    rules: dict[str, list[Production]] = {}
    current: list[Production] = []
    for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("# "):
            continue
        if line.endswith(":") and not line.startswith(" "):
            current = rules.setdefault(line[:-1], [])
            continue
        current.extend(tuple(part.split()) for part in line.split(" | "))
    return rules


def read_words(name: str) -> dict[str, list[str]]:
    """A grammar file read as word lists: each alternative is one string."""
    return {key: [" ".join(words) for words in items] for key, items in read_rules(name).items()}


@dataclass(frozen=True)
class Writer:
    """Expands rules about one topic. A rule `x.sport` is preferred to `x` when the topic is sport."""

    rules: Rules
    topic: str
    rng: random.Random
    fill: Fill

    def write(self, rule: str) -> list[Token]:
        """One expansion of a rule, glued, with 'a' and 'an' put right."""
        return fit_articles(glue(self._expand(rule, 0)))

    def text(self, rule: str) -> str:
        """One expansion as a string of words with spaces between."""
        return " ".join(token.text for token in self.write(rule))

    def _expand(self, rule: str, depth: int) -> list[Token]:
        if rule.startswith("n:"):
            low, high = rule[2:].split("-")
            return [Token(str(self.rng.randint(int(low), int(high))), OUTSIDE)]
        if rule.isupper():
            return self.fill(rule)
        written: list[Token] = []
        for part in self._choose(rule, depth):
            slot = SLOT.match(part)
            if slot is None:
                written.append(Token(part, OUTSIDE))
            elif slot[2] is None or self.rng.randrange(100) < (int(slot[2]) if depth < DEEP else 0):
                written.extend(self._expand(slot[1], depth + 1))
        return written

    def _choose(self, rule: str, depth: int) -> Production:
        own, common = self.rules.get(f"{rule}.{self.topic}"), self.rules.get(rule)
        prefer_own = not common or (own and self.rng.random() < OWN_TOPIC)
        choices = (own if prefer_own else common) or ()
        if not choices:
            raise KeyError(f"The grammar has no rule {rule!r} (topic {self.topic!r}).")
        if depth > DEEP:  # an end to recursion: the plainest productions only
            fewest = min(map(slots, choices))
            choices = [choice for choice in choices if slots(choice) == fewest]
        return self.rng.choice(choices)


def slots(production: Production) -> int:
    """How many slots a production has that must be expanded."""
    return sum(part.startswith("{") and "?" not in part for part in production)


def glue(tokens: list[Token]) -> list[Token]:
    """Joins the tokens on both sides of `~`: `3 ~ - ~ 1` becomes `3-1`."""
    glued: list[Token] = []
    joining = False
    for token in tokens:
        if token.text == "~":
            joining = True
        elif joining and glued:
            glued[-1] = Token(glued[-1].text + token.text, glued[-1].tag)
            joining = False
        else:
            glued.append(token)
    return glued


def fit_articles(tokens: list[Token]) -> list[Token]:
    """'a' before a vowel is 'an'; by letter, which is nearly always right."""
    fitted = list(tokens)
    for i in range(len(tokens) - 1):
        if tokens[i].text in ("a", "A") and tokens[i + 1].text[0] in "aeiouAEIO" and tokens[i].tag == OUTSIDE:
            fitted[i] = Token(tokens[i].text + "n", OUTSIDE)
    return fitted


def running_text(text: str) -> str:
    """Words and marks with spaces between, as ordinary sentences."""
    text = re.sub(r" ([.,;:!?%)])", r"\1", text)
    text = re.sub(r" (n't|'s)\b", r"\1", text)
    return re.sub(r"(^|[.?] )(\w)", lambda match: match[1] + match[2].upper(), text)


def no_names(slot: str) -> list[Token]:
    """For grammars without names."""
    raise KeyError(slot)
