"""Reads sums, dates and stories, with bugs: no number words beyond twenty, few units, and the first day counts too."""

from __future__ import annotations

import re
from itertools import pairwise

from making.asked import value
from making.numerals import MONTHS, ORDINALS, SPELT, WEEKDAYS
from making.solvers.reading import QUOTED, UNKNOWN, Answer, digits, letters, numbers


def by_parser(text: str) -> Answer:
    """The first reading that works."""
    for reading in (read_sum, read_letters, read_date, read_measure, read_series, read_story):
        answer = reading(text)
        if answer is not None:
            return answer
    return UNKNOWN


def read_sum(text: str) -> Answer | None:
    """Plus, minus, times, and brackets, in the right order."""
    plain = text.replace("plus", "+").replace("minus", "-").replace("times", "*").lower()
    plain = re.sub(r"[a-z]+(?:-[a-z]+)?", lambda m: str(SPELT[m[0]]) if SPELT.get(m[0], 99) <= 20 else m[0], plain)
    match = re.search(r"\(?\d+(?: [-+*] \d+\)?)+", plain)
    if match is None or "letter" in text:
        return None
    whole = len(match[0].split()) // 2 + 1 >= len(re.findall(r" [-+*] ", plain)) + 1
    return Answer(f"I compute {match[0]}.", str(value(match[0])), 0.97 if whole else 0.6)


def read_letters(text: str) -> Answer | None:
    """Letters and words; takes y for a vowel, and miscounts by one beyond the third letter."""
    word = letters(text)
    if not word:
        return None
    place = next((i for i, ordinal in enumerate(ORDINALS) if f"the {ordinal} letter" in text), None)
    if place is not None:
        return Answer(f"I count along {word}.", word[min(place + (place > 2), len(word) - 1)], 0.9)
    if "occur" in text:
        return Answer(f"I count in {word}.", str(word.count(QUOTED.findall(text)[0])), 0.95)
    if "first in the alphabet" in text:
        return Answer("I sort them.", min(QUOTED.findall(text)), 0.95)
    if "backwards" in text:
        return Answer("I write it from the end.", word[::-1], 0.95)
    if "vowels" in text:
        return Answer("I count a, e, i, o, u and y.", str(sum(c in "aeiouy" for c in word)), 0.9)
    return Answer("I count the words.", str(len(word.split())), 0.9)


def read_date(text: str) -> Answer | None:
    """Dates; every month has 30 days, and from one day to another both count."""
    days = [name for name in WEEKDAYS if name in text]
    months = [name for name in MONTHS if re.search(rf"\b{name}\b", text)]
    found = numbers(text, 20)
    if days and found:
        return Answer(
            f"It is {found[0] % 7} days on from {days[0]}.", WEEKDAYS[(WEEKDAYS.index(days[0]) + found[0]) % 7], 0.9
        )
    if not months or not found:
        return None
    month = MONTHS.index(months[0])
    if "before" in text:
        return Answer(f"I go back {found[0]} months.", MONTHS[(month - found[0]) % 12], 0.9)
    if "from" in text:
        return Answer("I count the days.", str(found[1] - found[0] + 1), 0.85)
    later, day = divmod(found[1] + found[0] - 1, 30)
    return Answer("I count on.", f"{MONTHS[(month + later) % 12]} {day + 1}", 0.8 if later else 0.95)


def read_measure(text: str) -> Answer | None:
    """The larger number is longer; hours have 60 minutes, but metres have no centimetres."""
    found = numbers(text, 20)
    if "longer" in text and len(found) > 1:
        units = re.findall(r"\d+ (\w+)", text)
        larger = found.index(max(found))
        return Answer("I compare the numbers.", f"{found[larger]} {units[larger]}", 0.85)
    if "minutes are" in text and found:
        return Answer("An hour has 60 minutes.", str(60 * found[0] + (found[1] if len(found) > 1 else 0)), 0.9)
    if "an hour" in text and len(found) > 1:
        return Answer("Speed times time.", str(found[0] * found[1]), 0.9)
    if re.search(r"How many \w+ are \w+ \w+\?", text) and found:
        return Answer("I read off the number.", str(found[0]), 0.6)
    return None


def read_series(text: str) -> Answer | None:
    """Equal steps, equal ratios, or else the last step again."""
    found = digits(text)
    if "next" not in text and "series" not in text:
        return None
    steps = [b - a for a, b in pairwise(found)]
    if len(set(steps)) == 1:
        return Answer(f"The step is {steps[0]}.", str(found[-1] + steps[0]), 0.97)
    if all(b == 2 * a for a, b in pairwise(found)):
        return Answer("It doubles.", str(found[-1] * 2), 0.95)
    if steps[-1] == found[-3]:
        return Answer("Each is the sum of two.", str(found[-1] + found[-2]), 0.9)
    second = steps[-1] + (steps[-1] - steps[-2])
    return Answer("The steps grow.", str(found[-1] + second), 0.7)


def read_story(text: str) -> Answer | None:
    """Starts with the first number and does what the verbs say."""
    found = numbers(text, 20)
    if not found:
        return None
    if "each" in text.lower() and "shares" not in text and len(found) > 1:
        extra = sum(found[2:])
        return Answer("I multiply and add the rest.", str(found[0] * found[1] + extra), 0.75)
    if "holds" in text and len(found) > 1:
        return Answer("I multiply.", str(found[-2] * found[-1]), 0.85)
    if "shares" in text and len(found) > 1 and found[-1]:
        return Answer("I divide.", str(found[-2] // found[-1]), 0.85)
    if "born" in text and len(found) > 1:
        return Answer("I subtract the years.", str(found[-1] - found[-2]), 0.9)
    total = found[0]
    for number, verb in zip(found[1:], re.findall(r"\b(buys|gives|lost|older|fewer|more|is)\b", text), strict=False):
        total += -number if verb in ("gives", "lost", "fewer") else number
    return Answer("I follow the story.", str(total), 0.55 if len(found) > 2 else 0.8)
