"""Three systems and their gold in every task, as files: what commands that compare systems are tried on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.commands import Write

LABELS = {"g": "abcabc", "x": "abaac ", "y": "acbaba", "z": "bcbbba"}  # a space is no answer
SETS = {"g": ["p q", "q", "", "r"], "x": ["p", "q", "r", "r"], "y": ["p q", "", "r", "p"]}
TEXTS = {
    "g": ["one two", "three", "four five six", "seven"],
    "x": ["one two", "three x", "four six", "seven"],  # word error rates 0, 1, 1/3, 0
    "y": ["one", "three", "four five six", "eight"],  # 1/2, 0, 0, 1
}
SCORES = [(0.9, 0.2), (0.1, 0.8), (0.5, 0.5), (0.7, 0.6)]

CONLL = ("--gold", "g.conll", "-s", "a=a.conll", "-s", "b=b.conll", "-s", "c=c.conll")
LABELLED = ("--task", "labels", "--gold", "lg.txt", "-s", "x=lx.txt", "-s", "y=ly.txt", "-s", "z=lz.txt")
SEVERAL = ("--task", "multilabel", "--gold", "mg.txt", "-s", "x=mx.txt", "-s", "y=my.txt")
TEXT = ("--task", "text", "--gold", "tg.txt", "-s", "x=tx.txt", "-s", "y=ty.txt")
SCORED = ("--task", "scores", "-s", "a=s.jsonl:m.a", "-s", "b=s.jsonl:m.b")
TASKS: dict[str, tuple[str, ...]] = {
    "spans": CONLL,
    "characters": ("--gold", "g.jsonl", "-s", "a=a.jsonl", "-s", "b=b.jsonl", "-s", "c=c.jsonl"),
    "tokens": ("--task", "tokens", *CONLL),
    "labels": LABELLED,
    "multilabel": SEVERAL,
    "exact-match": (*TEXT, "--metric", "exact-match"),
    "wer": (*TEXT, "--metric", "wer"),
    "jsonl scores": SCORED,
    "csv scores": ("--task", "scores", "-s", "a=s.csv:a", "-s", "b=s.csv:b"),
    "matrix": ("--matrix", "m.csv"),
}


def write_systems(write: Write, tokens: list[list[str]], spans: dict[str, list[list[str]]], matrix: str) -> None:
    """Write the files of all tasks; spans, their tokens and the matrix are each command's own."""
    for name, tags in spans.items():
        write(f"{name}.conll", conll(tags, tokens))
        write(f"{name}.jsonl", characters(tags, tokens))
    for name, answers in LABELS.items():
        write(f"l{name}.txt", "".join(f"{answer.strip()}\n" for answer in answers))
    for prefix, texts in (("m", SETS), ("t", TEXTS)):
        for name, lines in texts.items():
            write(f"{prefix}{name}.txt", "".join(f"{line}\n" for line in lines))
    write("s.jsonl", "".join(json.dumps({"m": {"a": a, "b": b}}) + "\n" for a, b in SCORES))
    write("s.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in SCORES))
    write("m.csv", matrix)


def conll(tags: list[list[str]], tokens: list[list[str]]) -> str:
    """Return a file of tokens and tags."""
    sentences = zip(tokens, tags, strict=True)
    return "\n".join("".join(f"{w}\t{t}\n" for w, t in zip(ws, ts, strict=True)) for ws, ts in sentences)


def characters(tags: list[list[str]], tokens: list[list[str]]) -> str:
    """Return one object per sentence, with its text and spans of characters; all of ours have one token."""
    lines = []
    for words, labels in zip(tokens, tags, strict=True):
        starts = [len(" ".join([*words[:i], ""])) for i in range(len(words))]
        spans = [
            {"start": s, "end": s + len(w), "label": tag[2:]}
            for s, w, tag in zip(starts, words, labels, strict=True)
            if tag != "O"
        ]
        lines.append(json.dumps({"text": " ".join(words), "spans": spans}) + "\n")
    return "".join(lines)
