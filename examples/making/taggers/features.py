"""What the taggers look at: words and their neighbours, and, for some, how the words are spelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Describe = Callable[[Sequence[str], int], list[str]]


def shape(word: str) -> str:
    """`Xx` for Leeds, `X` for UN, `d` for 1990, `#Xx` for #Leeds."""
    kinds = re.sub(r"\d", "d", "".join("X" if c.isupper() else "x" if c.islower() else c for c in word))
    return re.sub(r"(.)\1+", r"\1", kinds)[:6]


def around(words: Sequence[str], i: int) -> tuple[str, str, str, str]:
    """The two words before and the two words after, in small letters."""
    padded = ["<<", "<", *(word.lower() for word in words), ">", ">>"]
    return padded[i], padded[i + 1], padded[i + 3], padded[i + 4]


def words(words: Sequence[str], i: int) -> list[str]:
    """Words only: the word itself and its neighbours."""
    _, before, after, _ = around(words, i)
    return ["w=" + words[i], "l=" + words[i].lower(), "-1=" + before, "+1=" + after]


def spelling(words: Sequence[str], i: int) -> list[str]:
    """Shape, first and last letters."""
    word = words[i]
    return [
        "w=" + word.lower(),
        "s=" + shape(word),
        "z=" + word[-3:].lower(),
        "-1=" + (words[i - 1].lower() if i else "<"),
        "+1=" + (words[i + 1].lower() if i + 1 < len(words) else ">"),
    ]


def characters(sentence: Sequence[str], i: int) -> list[str]:
    """Words farther off too, and the shapes, prefixes, suffixes and letter trigrams of the word and its neighbours."""
    word = sentence[i].lower()
    far_before, before, after, far_after = around(sentence, i)
    found = words(sentence, i)
    found.extend(("-2=" + far_before, "+2=" + far_after, f"-1+1={before}|{after}", f"-2-1={far_before}|{before}"))
    found.append("s=" + shape(sentence[i]))
    found.extend(f"p{n}={word[:n]}" for n in (2, 3))
    found.extend(f"z{n}={word[-n:]}" for n in (2, 3, 4))
    found.extend(f"g={word[j : j + 3]}" for j in range(1, len(word) - 3))
    if i:
        found.append("s-1=" + shape(sentence[i - 1]))
        found.append("z-1=" + sentence[i - 1].lower()[-3:])
    if i + 1 < len(sentence):
        found.append("s+1=" + shape(sentence[i + 1]))
        found.append("z+1=" + sentence[i + 1].lower()[-3:])
    return found
