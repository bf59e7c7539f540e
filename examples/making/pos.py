"""Word classes by rule of thumb, for the middle column that many entity files have. To look at, not to trust."""

from __future__ import annotations

from making.conll import OUTSIDE, Token

CLOSED = {
    "DT": "a an the this that both every no all",
    "IN": "of in on at for from to with by since until near after before about over during against between than "
    "without as into because while although whether under despite through within if",
    "CC": "and or but yet nor so",
    "PRP": "i we he she they it you me us them nobody",
    "PRP$": "my our his her their its your",
    "MD": "will would can could may might must should",
    "VB": "is was are were be been has have had do does did go see",
    "RB": "not n't only even too still again more often very most meanwhile twice here there alone never",
    "WP": "who which what when where whether",
    "POS": "'s",
}
BY_WORD = {word: tag for tag, words in CLOSED.items() for word in words.split()}
BY_ENDING = (
    ("ing", "VBG"),
    ("ed", "VBD"),
    ("ly", "RB"),
    ("ous", "JJ"),
    ("ful", "JJ"),
    ("ive", "JJ"),
    ("ss", "NN"),
    ("s", "NNS"),
)


def pos(token: Token) -> str:
    """A Penn-like word class."""
    text, lower = token.text, token.text.lower()
    if not any(map(str.isalnum, text)):
        return text if text in ".,:()" else "SYM"
    if text[0].isdigit():
        return "CD"
    if token.tag != OUTSIDE and text[0].isupper():
        return "NNP"
    if lower in BY_WORD:
        return BY_WORD[lower]
    if text[0].isupper():
        return "NNP"
    return next((tag for ending, tag in BY_ENDING if lower.endswith(ending)), "NN")
