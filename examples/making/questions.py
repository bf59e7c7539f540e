"""A log of questions with what three programs said, whether it was right, and how sure they were."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from making.asked import Question, ask
from making.files import write_jsonl
from making.solvers.keywords import by_keywords
from making.solvers.neighbour import Neighbour
from making.solvers.parser import by_parser

if TYPE_CHECKING:
    from pathlib import Path

    from making.solvers.reading import Answer

KNOWN, ASKED = 260, 720
ENDINGS = ("{why} The answer is {answer}.", "{why} So it is {answer}.", "{why} Answer: {answer}")
LAST = re.compile(r"(?:The answer is|So it is|Answer:) (.+?)\.?$")


def make(output: Path) -> None:
    """Writes the folder `questions`."""
    rng = random.Random("questions")
    everything = ask(rng, KNOWN + ASKED)
    neighbour = Neighbour(everything[:KNOWN])
    solvers = {"keywords": by_keywords, "neighbour": neighbour.answer, "parser": by_parser}
    rows: list[dict[str, object]] = []
    for number, question in enumerate(everything[KNOWN:]):
        row: dict[str, object] = {
            "id": f"q{number:03d}",
            "question": question.text,
            "answer": question.answer,
            "category": question.category,
            "difficulty": question.difficulty,
        }
        row.update({name: judged(solve(question.text), question, rng) for name, solve in solvers.items()})
        rows.append(row)
    write_jsonl(output / "questions" / "log.jsonl", rows)


def judged(answer: Answer, question: Question, rng: random.Random) -> dict[str, object]:
    """The text of an answer, and whether what stands at its end is right."""
    output = answer.why if answer.answer is None else rng.choice(ENDINGS).format(why=answer.why, answer=answer.answer)
    return {"output": output, "correct": final(output) == question.answer, "confidence": answer.confidence}


def final(output: str) -> str | None:
    """What an output gives as its answer."""
    match = LAST.search(output)
    return match[1] if match else None
