"""Ilvari, an invented language, and its English: one meaning, said twice.

In Ilvari the verb comes last, prepositions follow their phrase, some adjectives follow the noun, relative clauses come
before it, objects end in -m, many things end in -ai, the past in -ta and the future in -so; `ne-` negates. Some words
mean two things.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from making.grammar import read_words

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

VOWELS = "aeiou"
AT_THE_END = frozenset({"slowly", "again", "every day", "at the feast"})


@dataclass(frozen=True)
class Said:
    """The words of both languages, and what English grammar must know of a phrase."""

    source: tuple[str, ...]
    english: tuple[str, ...]
    plural: bool = False

    def __add__(self, other: Said) -> Said:
        """One after the other in both."""
        return Said(self.source + other.source, self.english + other.english)


class Language:
    """The lexicon, drawn once, and sentences in both languages, drawn with it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = read_words("language")
        self.roots = self._draw_roots()
        self.late = False

    def _draw_roots(self) -> dict[str, str]:
        """A root for each English word; one in twelve is shared by two words."""
        roots: dict[str, str] = {}
        for kind in (
            "noun",
            "adjective",
            "transitive",
            "intransitive",
            "speech",
            "preposition",
            "adverb",
            "determiner",
            "number",
        ):
            for entry in self.words[kind]:
                if entry not in roots:
                    share = (
                        list(roots.values())
                        if kind in ("noun", "adjective", "transitive") and self.rng.random() < 0.08
                        else []
                    )
                    roots[entry] = self.rng.choice(share) if share else self._new_root(kind, roots)
        return roots

    def _new_root(self, kind: str, roots: dict[str, str]) -> str:
        syllables = 1 if kind in ("preposition", "determiner") else self.rng.choice((2, 2, 2, 3))
        while True:
            parts = [
                self.rng.choice(self.words["onset"]) + self.rng.choice(self.words["vowel"]) for _ in range(syllables)
            ]
            root = "".join(parts) + (self.rng.choice(self.words["coda"]) if kind != "preposition" else "")
            if root not in roots.values():
                return root

    def sentence(self) -> tuple[str, str]:
        """A sentence in Ilvari and in English, with capitals and full stops."""
        chance = self.rng.random()
        said = self.clause()
        if chance < 0.12:
            said = self.report(said)
        elif chance < 0.24:
            said = Said(("kei",), ("when",)) + said + Said((",",), (",",)) + self.clause()
        elif chance < 0.36:
            said = said + Said(("vo",), ("and",)) + self.clause()
        elif chance < 0.42:
            said = said + Said(("omal",), ("but",)) + self.clause()
        return written(said.source), written(said.english)

    def report(self, said: Said) -> Said:
        """'X says that …': in Ilvari what is said comes first."""
        who = self.phrase()
        verb = self.pick("speech")
        return Said(
            (*said.source, *who.source, self.roots[verb] + "ta"), (*who.english, verb.split()[1], "that", *said.english)
        )

    def clause(self) -> Said:
        """Who does what to whom, where and when."""
        subject = self.phrase()
        verb, takes_object = (
            (self.pick("transitive"), True) if self.rng.random() < 0.65 else (self.pick("intransitive"), False)
        )
        when = self.pick("adverb") if self.rng.random() < 0.3 else ""
        time = Said((self.roots[when],), tuple(when.split())) if when else Said((), ())
        what = self.phrase(is_object=True) if takes_object else Said((), ())
        where = self.place() if self.rng.random() < 0.4 else Said((), ())
        said, done = self.conjugate(verb, subject.plural)
        source = (*time.source, *subject.source, *what.source, *where.source, said)
        if when in AT_THE_END:
            return Said(source, (*subject.english, *done, *what.english, *where.english, *time.english))
        return Said(source, (*time.english, *subject.english, *done, *what.english, *where.english))

    def conjugate(self, verb: str, plural: bool) -> tuple[str, list[str]]:
        """One word in Ilvari, one to three in English."""
        base, past, third = verb.split()
        root = self.roots[verb]
        negative = self.rng.random() < 0.15
        before = "ne" if negative else ""
        tense = self.rng.choices(("past", "present", "future"), (60, 22, 18))[0]
        if tense == "future":
            return f"{before}{root}so", ["will", "not", base] if negative else ["will", base]
        if tense == "past":
            return f"{before}{root}ta", ["did", "not", base] if negative else [past]
        if negative:
            return f"{before}{root}", ["do" if plural else "does", "not", base]
        return root, [base if plural else third]

    def phrase(self, is_object: bool = False, deep: bool = False) -> Said:
        """A name or a noun with what goes with it."""
        ending = "m" if is_object else ""
        if self.rng.random() < 0.25:
            name = self.rng.choice(
                self.words["late.name"] if self.late and self.rng.random() < 0.5 else self.words["name"]
            )
            return Said((name.lower().capitalize() + ("u" + ending if ending else ""),), (name,))
        counted = self.rng.random() < 0.12
        plural = counted or self.rng.random() < 0.25
        entry = self.pick("noun")
        forms = entry.split()
        noun = (forms[1] if len(forms) > 1 else forms[0] + "s") if plural else forms[0]
        root = (
            self.roots[entry]
            + ("ai" if plural else "")
            + (("a" if not plural and self.roots[entry][-1] not in VOWELS else "") + "m" if ending else "")
        )
        adjective = self.pick("adjective") if self.rng.random() < 0.4 else ""
        relative = self.relative() if not deep and self.rng.random() < 0.08 else Said((), ())
        number = self.pick("number") if counted else ""
        determiner = "" if counted else self.pick("determiner")
        if plural and determiner in ("a", "this", "every"):
            determiner = "the"
        quality = [self.roots[adjective]] if adjective else []
        follows = adjective in self.words["adjective"][::3]
        source = [*relative.source, *(self.roots[word] for word in (determiner, number) if word)]
        source.extend([root, *quality] if follows else [*quality, root])
        english = [word for word in (determiner, number, adjective, noun) if word]
        if determiner == "a" and english[1][0] in VOWELS:
            english[0] = "an"
        return Said(tuple(source), (*english, *relative.english), plural)

    def relative(self) -> Said:
        """'that saw the dog' after the English noun; before the noun in Ilvari, closed by `ul`."""
        what = self.phrase(is_object=True, deep=True)
        verb = self.pick("transitive")
        return Said((*what.source, self.roots[verb] + "ta", "ul"), ("that", verb.split()[1], *what.english))

    def place(self) -> Said:
        """A phrase with a preposition, which in Ilvari follows it."""
        where = self.phrase(deep=True)
        preposition = self.pick("preposition")
        return Said((*where.source, self.roots[preposition]), (preposition, *where.english))

    def pick(self, kind: str) -> str:
        """A word, the first of the list more often than the last."""
        entries = self.words[kind]
        return self.rng.choices(entries, [1 / (rank + 8) for rank in range(len(entries))])[0]


def written(words: Sequence[str]) -> str:
    """A sentence as it is written."""
    text = " ".join(words).replace(" ,", ",") + "."
    return text[0].upper() + text[1:]
