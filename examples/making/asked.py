"""Questions with answers that can be checked: sums, stories, dates, words, measures and series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from making.grammar import read_words
from making.numerals import MONTHS, ORDINALS, WEEKDAYS, date_after, month_length, spell

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

Words = dict[str, list[str]]


@dataclass(frozen=True)
class Question:
    """What is asked, the right answer, the kind of question, and how hard it is from 1 to 5."""

    text: str
    answer: str
    category: str
    difficulty: int


def ask(rng: random.Random, count: int) -> list[Question]:
    """Different questions, all categories in turn."""
    words = read_words("questions")
    asked: dict[str, Question] = {}
    kinds = list(KINDS.items())
    turn = 0
    while len(asked) < count:
        category, kind = kinds[turn % len(kinds)]
        text, answer, difficulty = kind(rng, words)
        asked.setdefault(text, Question(text, answer, category, difficulty))
        turn += 1
    return list(asked.values())


def said(rng: random.Random, number: int) -> str:
    """A number in digits, or one time in four in words."""
    return spell(number) if number <= 99 and rng.random() < 0.25 else str(number)


def arithmetic(rng: random.Random, _: Words) -> tuple[str, str, int]:
    """A sum with one to three operations."""
    count = rng.choice((1, 1, 2, 2, 3))
    numbers = [rng.randint(2, 30) for _ in range(count + 1)]
    signs = [rng.choice("+-*") for _ in range(count)]
    spoken = rng.random() < 0.4
    names = {"+": "plus", "-": "minus", "*": "times"}
    parts = [said(rng, numbers[0]) if spoken else str(numbers[0])]
    for sign, number in zip(signs, numbers[1:], strict=True):
        parts.extend([names[sign] if spoken else sign, said(rng, number) if spoken else str(number)])
    plain = str(numbers[0]) + "".join(f" {sign} {number}" for sign, number in zip(signs, numbers[1:], strict=True))
    bracket = not spoken and count >= 2 and rng.random() < 0.4
    shown = " ".join(parts)
    if bracket:
        plain = f"({numbers[0]} {signs[0]} {numbers[1]})" + plain[len(f"{numbers[0]} {signs[0]} {numbers[1]}") :]
        shown = plain
    question = rng.choice(("What is {}?", "Compute {}.", "How much is {}?")).format(shown)
    return question, str(value(plain)), min(5, count + spoken + bracket)


def value(text: str) -> int:
    """The value of a sum written with digits, signs and at most one pair of brackets at its start."""
    if text.startswith("("):
        inside, _, rest = text[1:].partition(")")
        return value(f"{value(inside)}{rest}")
    terms = text.split()
    total, sign = 0, 1
    product = int(terms[0])
    for operator, term in zip(terms[1::2], terms[2::2], strict=True):
        if operator == "*":
            product *= int(term)
        else:
            total += sign * product
            sign, product = (1 if operator == "+" else -1), int(term)
    return total + sign * product


def story(rng: random.Random, words: Words) -> tuple[str, str, int]:
    """A story with two or three numbers, and sometimes one that does not matter."""
    who, other = rng.sample(words["person"], 2)
    thing, box = rng.choice(words["thing"]), rng.choice(words["box"])
    a, b, c = rng.randint(12, 60), rng.randint(2, 11), rng.randint(2, 9)
    how_many = f"How many {thing}"
    one, two, three = said(rng, a), said(rng, b), said(rng, c)
    shapes: list[tuple[str, int, int]] = [
        (f"{who} has {one} {thing} and buys {two} more. {how_many} does {who} have now?", a + b, 1),
        (f"{who} has {one} {thing} and gives {two} to {other}. {how_many} are left?", a - b, 1),
        (f"A {box} holds {two} {thing}. {how_many} are in {three} {plural(box)}?", b * c, 2),
        (f"{who} shares {b * c} {thing} among {two} friends. {how_many} does each friend get?", c, 2),
        (
            f"{who} has {one} {thing}, buys {two} more and gives {three} to {other}. {how_many} does {who} have now?",
            a + b - c,
            3,
        ),
        (
            f"Each of {two} {plural(box)} holds {three} {thing}, and {one} {thing} lie there. {how_many} in all?",
            b * c + a,
            3,
        ),
        (f"{who} has {one} {thing}. {other} has {two} fewer. {how_many} do they have together?", a + a - b, 4),
        (
            f"{who} pays for {two} {thing} at {three} euros each with 100 euros. How many euros does {who} get back?",
            100 - b * c,
            4,
        ),
        (f"{who} is {two} years older than {other}. {other} is {one}. How old is {who}?", a + b, 2),
        (f"{who} had some {thing}, lost {two} and now has {one}. {how_many} did {who} have before?", a + b, 3),
        (f"Half of the {2 * a} {thing} belong to {who}. {how_many} belong to {who}?", a, 2),
    ]
    text, answer, difficulty = rng.choice(shapes)
    if rng.random() < 0.2:
        text, difficulty = f"{rng.choice(words['aside'])} {text}", difficulty + 1
    return text, str(answer), difficulty


def plural(word: str) -> str:
    """Boxes and bags."""
    return word + ("es" if word.endswith("x") else "s")


def date(rng: random.Random, words: Words) -> tuple[str, str, int]:
    """Weekdays, days between dates, dates after days and months, none in a leap year."""
    kind = rng.randrange(5)
    if kind == 0:
        day, steps = rng.randrange(7), rng.randint(2, 40)
        return (
            f"What weekday is {said(rng, steps)} days after {WEEKDAYS[day]}?",
            WEEKDAYS[(day + steps) % 7],
            1 + (steps > 7) + (steps > 20),
        )
    if kind == 1:
        month = rng.randrange(12)
        first = rng.randint(1, 14)
        last = rng.randint(first + 2, month_length(month))
        return f"How many days are there from {MONTHS[month]} {first} to {MONTHS[month]} {last}?", str(last - first), 2
    if kind == 2:
        month, day, steps = rng.randrange(12), rng.randint(1, 28), rng.randint(3, 45)
        new_month, new_day = date_after(month, day, steps)
        crossed = new_month != month
        return f"Which date is {steps} days after {MONTHS[month]} {day}?", f"{MONTHS[new_month]} {new_day}", 3 + crossed
    month, steps = rng.randrange(12), rng.randint(2, 11)
    if kind == 3:
        return (
            f"Which month comes {said(rng, steps)} months before {MONTHS[month]}?",
            MONTHS[(month - steps) % 12],
            2 + (steps > month),
        )
    year = rng.randint(1900, 2000)
    age = rng.randint(20, 90)
    who = rng.choice(words["person"])
    return f"{who} was born in {year} and died in {year + age} after the birthday. How old did {who} get?", str(age), 2


def string(rng: random.Random, words: Words) -> tuple[str, str, int]:
    """Letters and words."""
    word = rng.choice(words["word"])
    kind = rng.randrange(6)
    if kind == 0:
        return f"Write '{word}' backwards.", word[::-1], 1 + (len(word) > 7)
    if kind == 1:
        return f"How many vowels are in '{word}'?", str(sum(c in "aeiou" for c in word)), 1 + (len(word) > 7)
    if kind == 2:
        place = rng.randrange(5)
        return (
            f"What is the {ORDINALS[place]} letter of '{word}'?",
            word[place],
            1 + (place > 2),
        )
    if kind == 3:
        sentence = rng.choice(words["sentence"])
        return f"How many words are in the sentence '{sentence}'?", str(len(sentence.split())), 1
    if kind == 4:
        letter = rng.choice(word)
        return (
            f"How many times does the letter '{letter}' occur in '{word}'?",
            str(word.count(letter)),
            2 + (word.count(letter) > 1),
        )
    other = rng.choice([each for each in words["word"] if each != word])
    return f"Which comes first in the alphabet, '{word}' or '{other}'?", min(word, other), 2


def measure(rng: random.Random, _: Words) -> tuple[str, str, int]:
    """Hours, metres, kilograms."""
    kind = rng.randrange(4)
    a, b = rng.randint(2, 12), rng.randint(5, 55)
    if kind == 0:
        return f"How many minutes are {said(rng, a)} hours and {said(rng, b)} minutes?", str(60 * a + b), 3
    if kind == 1:
        unit, small, factor = rng.choice(
            (
                ("metres", "centimetres", 100),
                ("kilograms", "grams", 1000),
                ("hours", "minutes", 60),
                ("weeks", "days", 7),
            )
        )
        return f"How many {small} are {said(rng, a)} {unit}?", str(a * factor), 2
    if kind == 2:
        low, high = f"{a} metres", f"{rng.choice((a - 1, a + 1)) * 100 + rng.randint(1, 60)} centimetres"
        longer = low if a * 100 > int(high.split(maxsplit=1)[0]) else high
        return f"Which is longer, {low} or {high}?", longer, 3
    speed, hours = rng.randint(3, 12) * 10, rng.randint(2, 6)
    return (
        f"A train goes {speed} kilometres an hour. How many kilometres does it go in {said(rng, hours)} hours?",
        str(speed * hours),
        2,
    )


def series(rng: random.Random, _: Words) -> tuple[str, str, int]:
    """What comes next."""
    kind, start, step = rng.randrange(4), rng.randint(1, 15), rng.randint(2, 9)
    if kind == 0:
        numbers, difficulty = [start + step * i for i in range(6)], 1
    elif kind == 1:
        numbers, difficulty = [start * power for power in (1, 2, 4, 8, 16, 32)], 3
    elif kind == 2:
        numbers, difficulty = [(start + i) ** 2 for i in range(6)], 4
    else:
        numbers = [start, start + step]
        while len(numbers) < 6:
            numbers.append(numbers[-1] + numbers[-2])
        difficulty = 5
    shown = ", ".join(map(str, numbers[:-1]))
    return (
        rng.choice(("What number comes next: {}?", "Continue the series {}.")).format(shown),
        str(numbers[-1]),
        difficulty,
    )


KINDS: dict[str, Callable[[random.Random, Words], tuple[str, str, int]]] = {
    "arithmetic": arithmetic,
    "story": story,
    "date": date,
    "string": string,
    "measure": measure,
    "series": series,
}
