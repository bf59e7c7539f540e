"""Numbers in words, and the days of a year that is no leap year."""

from __future__ import annotations

from making.grammar import read_words

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LISTS = read_words("lists")
ONES, TENS = LISTS["ones"], LISTS["tens"]
ORDINALS = ("first", "second", "third", "fourth", "fifth")


def spell(number: int) -> str:
    """A number below 100 in words."""
    if number < 20:
        return ONES[number]
    ten, one = divmod(number, 10)
    return TENS[ten - 2] + (f"-{ONES[one]}" if one else "")


SPELT = {spell(number): number for number in range(100)}


def month_length(month: int) -> int:
    """The days of a month, counted from 0 for January."""
    return LENGTHS[month]


def date_after(month: int, day: int, steps: int) -> tuple[int, int]:
    """The month and day some days later."""
    day += steps
    while day > LENGTHS[month]:
        day -= LENGTHS[month]
        month = (month + 1) % 12
    return month, day
