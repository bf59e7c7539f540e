"""Valid data sets of all tasks and formats, small enough that thousands of them are read in a minute."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from fuzz.hostile import CELLS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from fuzz.case import Option

TOKENS = (
    "the", "Paris", "Hilton", "sang", "in", "Rome", ",", "Bob", "ran", "12", "U.N.", "#news", "don't", "Ünal", "東京",
    "א", "3.5", "a-b", '"', "e\u0301", "😀", "NASA", "of", "and", "river",
)  # fmt: skip
ODD = tuple(
    cell for cell in CELLS if cell.strip() and not set(cell) & set(" \t\r\u2028\u0085\u00a0") and len(cell) < 100
)
"""Tokens that are valid, and strange."""
LABELS = ("PER", "LOC", "ORG", "A-B")
CLASSES = ("pos", "neg", "neutral", "1", "Ünal")


@dataclass(frozen=True)
class Corpus:
    """Files, the options that name them, and what a user could know of them."""

    task: str
    files: dict[str, bytes]
    data: tuple[Option, ...]
    systems: tuple[str, ...]
    labels: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    kind: str = field(default="", kw_only=True)
    """Which files: a task and a format."""

    @property
    def trained(self) -> bool:
        """Whether there is training data."""
        return any(option[0] == "--train" for option in self.data)


def corpus(rng: Random) -> Corpus:
    """Return a data set."""
    kinds = (_tagged, _tagged, _spans, _tag_lines, _rows, _rows, _rows, _separate, _separate, _matrix)
    return rng.choice(kinds)(rng)


def configured(rng: Random, sets: Sequence[Corpus]) -> Corpus:
    """Return data sets with a configuration file that names them."""
    several = len(sets) > 1 or rng.random() < 0.5
    lines = [f"task = {_toml(sets[0].task)}"] if all(s.task == sets[0].task != "matrix" for s in sets) else []
    lines += ["resamples = 0"] if rng.random() < 0.5 else []
    files: dict[str, bytes] = {}
    for i, each in enumerate(sets):
        place = f"d{i}/" if len(sets) > 1 else ""
        files |= {place + name: data for name, data in each.files.items()}
        if several:
            lines += ["[[dataset]]", f"name = {_toml(f'set{i}')}"]
        named: dict[str, list[str]] = {}
        inputs: list[str] = []
        for name, value in each.data:
            if name == "--system":
                system, _, path = value.partition("=")
                named.setdefault(system, []).append(place + path)
            elif name == "--input":
                inputs.append(place + value)
            elif name in ("--gold", "--train", "--matrix"):
                lines.append(f"{name[2:]} = {_toml(place + value)}")
            elif name == "--system-names":
                lines.append(f"system_names = [{', '.join(map(_toml, value.split(',')))}]")
            elif name == "--metric" and several:
                lines.insert(0, f"metric = {_toml(value)}") if i == 0 else None
            elif name != "--task" or not lines or "task =" not in "".join(lines[:2]):
                lines.append(f"{name[2:]} = {_toml(value)}")
        lines += [f"input = [{', '.join(map(_toml, inputs))}]"] if inputs else []
        if named:
            lines.append("[dataset.systems]" if several else "[systems]")
            lines += [
                f"{_toml(system)} = " + (_toml(paths[0]) if len(paths) == 1 else f"[{', '.join(map(_toml, paths))}]")
                for system, paths in named.items()
            ]
    files["slicewise.toml"] = ("\n".join(lines) + "\n").encode()
    first = sets[0]
    return replace(first, files=files, data=(("--config", "slicewise.toml"),), kind=f"config of {first.kind}")


def _toml(text: str) -> str:
    return json.dumps(text)


def _names(rng: Random) -> tuple[str, ...]:
    return ("a", "b", "c")[: rng.choice((1, 2, 2, 2, 2, 2, 3, 3))]


def _sentences(rng: Random) -> list[list[tuple[str, str]]]:
    """Return sentences of tokens with tags in the scheme IOB2."""
    found = []
    for _ in range(rng.randint(2, 9)):
        words = [_token(rng) for _ in range(rng.randint(1, 7))]
        found.append(list(zip(words, _iob2(rng, len(words)), strict=True)))
    return found


def _iob2(rng: Random, length: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < length:
        if rng.random() < 0.5:
            tags.append("O")
            continue
        label = rng.choice(LABELS)
        tags += [f"B-{label}", *[f"I-{label}"] * rng.randint(0, 2)]
    return tags[:length]


def _noisy(rng: Random, tags: Sequence[str]) -> list[str]:
    return list(tags) if rng.random() < 0.5 else _iob2(rng, len(tags))


def _bare(tag: str) -> str:
    return tag.partition("-")[2] or tag


def _conll(rows: Sequence[Sequence[Sequence[str]]], separator: str, documents: bool) -> bytes:
    """Write sentences of tokens of cells."""
    text, width = "", len(rows[0][0])
    for i, sentence in enumerate(rows):
        if documents and i % 3 == 0:
            text += separator.join(["-DOCSTART-", *["-X-"] * (width - 2), "O"][:width]) + "\n\n"
        text += "".join(separator.join(cells) + "\n" for cells in sentence) + "\n"
    return text.encode()


def _tagged(rng: Random) -> Corpus:
    """Make CoNLL-style files."""
    task = rng.choice(("spans", "spans", "tokens"))
    tag = (lambda t: t) if task == "spans" else _bare
    sentences, systems = _sentences(rng), _names(rng)
    separator, documents = rng.choice(("\t", "\t", " ")), rng.random() < 0.5
    own_gold = rng.random() < 0.15
    extra = rng.random() < 0.3
    gold = [[(w, *(("NN",) if extra else ()), tag(t)) for w, t in s] for s in sentences]
    files = {} if own_gold else {"gold.conll": _conll(gold, separator, documents)}
    data: list[Option] = [] if own_gold else [("--gold", "gold.conll")]
    for name in systems:
        answers = [_noisy(rng, [t for _, t in s]) for s in sentences]
        alone = not own_gold and rng.random() < 0.2
        rows = [
            [
                (tag(p),) if alone else (w, tag(t), tag(p)) if own_gold else (w, tag(p))
                for (w, t), p in zip(s, predicted, strict=True)
            ]
            for s, predicted in zip(sentences, answers, strict=True)
        ]
        files[f"{name}.conll"] = _conll(rows, separator, documents and rng.random() < 0.8)
        data.append(("--system", f"{name}={name}.conll"))
    if rng.random() < 0.4:
        train = [[(w, *(("NN",) if extra else ()), tag(t)) for w, t in s] for s in _sentences(rng)]
        files["train.conll"] = _conll(train, separator, documents)
        data.append(("--train", "train.conll"))
    if rng.random() < 0.3:
        data.append(("--task", task))
    fields = ("col2",) if extra else ()
    return Corpus(task, files, tuple(data), systems, LABELS, fields, kind=f"{task} conll")


def _offsets(tags: Sequence[str], words: Sequence[str], characters: bool) -> list[dict[str, Any]]:
    """Return spans of tags as objects."""
    starts = [sum(len(w) + 1 for w in words[:i]) for i in range(len(words))]
    found: list[dict[str, Any]] = []
    for i, tag in enumerate([*tags, "O"]):
        if tag[0] == "I":
            continue
        if found and "end" not in found[-1]:
            found[-1]["end"] = starts[i - 1] + len(words[i - 1]) if characters else i
        if tag[0] == "B":
            found.append({"start": starts[i] if characters else i, "label": tag[2:]})
    return found


def _spans(rng: Random) -> Corpus:
    """Make JSONL or Parquet files of spans or tags."""
    sentences, systems = _sentences(rng), _names(rng)
    how = rng.choice(("text", "tokens", "tags"))
    ending = rng.choice(("jsonl", "jsonl", "jsonl", "parquet"))

    def rows(of: Sequence[Sequence[str]], meta: bool) -> list[dict[str, Any]]:
        found = []
        for i, (sentence, tags) in enumerate(zip(sentences, of, strict=True)):
            words = [w for w, _ in sentence]
            row: dict[str, Any] = {"text": " ".join(words)} if how == "text" else {"tokens": words}
            row |= {"tags": list(tags)} if how == "tags" else {"spans": _offsets(tags, words, how == "text")}
            found.append(row | ({"doc": f"d{i // 2}", "year": 2000 + i, "source": "ab"[i % 2]} if meta else {}))
        return found

    gold = [[t for _, t in s] for s in sentences]
    files = {f"gold.{ending}": written(rows(gold, True), ending)}
    data: list[Option] = [("--gold", f"gold.{ending}")]
    for name in systems:
        files[f"{name}.{ending}"] = written(rows([_noisy(rng, tags) for tags in gold], False), ending)
        data.append(("--system", f"{name}={name}.{ending}"))
    if rng.random() < 0.4:
        files[f"train.{ending}"] = written(rows([_noisy(rng, tags) for tags in gold], True), ending)
        data.append(("--train", f"train.{ending}"))
    fields = ("doc", "year", "source")
    return Corpus("spans", files, tuple(data), systems, LABELS, fields, kind=f"spans {how} {ending}")


def _tag_lines(rng: Random) -> Corpus:
    """Make files of a line of tags per sentence, and of tokens."""
    sentences, systems = _sentences(rng), _names(rng)
    gold = [[t for _, t in s] for s in sentences]
    files = {
        "gold.txt": _lines([" ".join(tags) for tags in gold]),
        "in.txt": _lines([" ".join(w for w, _ in s) for s in sentences]),
    }
    for name in systems:
        files[f"{name}.txt"] = _lines([" ".join(_noisy(rng, tags)) for tags in gold])
    data = (
        ("--gold", "gold.txt"),
        *((("--system", f"{name}={name}.txt")) for name in systems),
        ("--input", "in.txt"),
        ("--task", "spans"),
    )
    return Corpus("spans", files, data, systems, LABELS, kind="spans lines")


def _lines(lines: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def _text(rng: Random) -> str:
    return " ".join(_token(rng) for _ in range(rng.randint(1, 6)))


def _token(rng: Random) -> str:
    return rng.choice(TOKENS) if rng.random() < 0.98 else rng.choice(ODD)


SIZES = (1, 2, 3.5, 10, 10, 2, None)
NUMERIC = ("mse", "rmse", "mae", "smape", "pearson", "spearman")
UNSURE = ("log-loss", "likelihood", "brier", "ece")


def _answers(rng: Random, task: str, n: int, metric: str) -> list[Any]:
    """Return what gold or a system says of each item."""
    if task == "labels":
        return [rng.choice(CLASSES) for _ in range(n)]
    if task == "multilabel":
        return [sorted(rng.sample(CLASSES, rng.randint(0, 3))) for _ in range(n)]
    if task == "scores":
        return [round(rng.random(), rng.choice((0, 1, 3))) for _ in range(n)]
    if metric in NUMERIC:
        return [str(rng.choice((0, 1, 2.5, -3, 10))) for _ in range(n)]
    if metric in UNSURE:
        return [str(rng.choice((0, 1))) for _ in range(n)]
    several = rng.random() < 0.1  # references, or what looks like them
    return [_text(rng) + (f"\t{_text(rng)}" if several and rng.random() < 0.5 else "") for _ in range(n)]


def _metric(rng: Random, task: str) -> str:
    texts = ("exact-match", "bleu", "chrf", "ter", "gleu", "rouge-1", "rouge-l", "wer", "cer", "token-f1", "mean-wer")
    return rng.choice((*texts, *NUMERIC, *UNSURE)) if task == "text" else ""


def _task_options(task: str, metric: str) -> list[Option]:
    return [("--task", task), *([("--metric", metric)] if metric else [])]


def _rows(rng: Random) -> Corpus:
    """Make one file with a column each for text, gold, every system, and more."""
    task = rng.choice(("labels", "labels", "multilabel", "text", "scores"))
    ending = rng.choice(("csv", "tsv", "jsonl", "jsonl", "parquet", "parquet"))
    n, systems, metric = rng.randint(2, 12), _names(rng), _metric(rng, task)
    names = ("text", *(() if task == "scores" else ("label",)), *systems)
    columns: dict[str, list[Any]] = {"text": [_text(rng) for _ in range(n)]}
    columns |= {name: _answers(rng, task, n, metric) for name in names[1:]}
    columns |= {"doc": [f"d{i // 2}" for i in range(n)], "size": [rng.choice(SIZES) for _ in range(n)]}
    if ending in ("jsonl", "parquet") and rng.random() < 0.3:
        columns["meta"] = [{"kind": rng.choice("xy"), "n": i} for i in range(n)]
    rows: list[dict[str, Any]] = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    nested = ending in ("jsonl", "parquet") and rng.random() < 0.2
    if nested:
        rows = [row | {s: {"output": row[s], "confidence": 0.5} for s in systems} for row in rows]
    folder = ending in ("jsonl", "parquet") and rng.random() < 0.1
    if folder:
        files = {f"data/{i}.{ending}": written(rows[i::2], ending) for i in range(2)}
        place = rng.choice(("data", "data/", f"data/*.{ending}"))
    else:
        files, place = {f"data.{ending}": written(rows, ending)}, f"data.{ending}"
    data: list[Option] = [] if task == "scores" else [("--gold", f"{place}:label")]
    data += [("--system", f"{s}={place}:{s}" + (".output" if nested else "")) for s in systems]
    data += [("--input", f"{place}:text")] if rng.random() < 0.7 else []
    data += _task_options(task, metric)
    fields = tuple(sorted(set(columns) - {*names}))
    return Corpus(task, files, tuple(data), systems, CLASSES, fields, kind=f"{task} {ending}")


def _separate(rng: Random) -> Corpus:
    """Make a file each for gold, every system and the input."""
    task = rng.choice(("labels", "labels", "multilabel", "text", "text", "scores"))
    ending = rng.choice(("txt", "txt", "jsonl"))
    n, systems, metric = rng.randint(2, 12), _names(rng), _metric(rng, task)
    key = {"labels": "label", "multilabel": "labels", "text": "output", "scores": "score"}[task]
    files: dict[str, bytes] = {}
    data: list[Option] = []

    def file_of(answers: list[Any], meta: bool) -> bytes:
        if ending == "txt":
            return _lines([" ".join(a) if isinstance(a, list) else str(a) for a in answers])
        rows = [
            {key: a} | ({"text": texts[i], "doc": i // 2, "size": i} if meta else {}) for i, a in enumerate(answers)
        ]
        return written(rows, ending)

    texts = [_text(rng) for _ in range(n)]
    roles = ([] if task == "scores" else ["gold"]) + (["train"] if task != "scores" and rng.random() < 0.3 else [])
    for role in roles:
        files[f"{role}.{ending}"] = file_of(_answers(rng, task, n, metric), True)
        data.append((f"--{role}", f"{role}.{ending}"))
    for name in systems:
        runs = 2 if rng.random() < 0.15 else 1
        for i in range(runs):
            files[f"{name}{i}.{ending}"] = file_of(_answers(rng, task, n, metric), False)
            data.append(("--system", f"{name}={name}{i}.{ending}"))
    if rng.random() < 0.5:
        files["in.txt"] = _lines([f"{t}\t{len(t)}" if ending == "txt" else t for t in texts])
        data.append(("--input", "in.txt"))
    data += _task_options(task, metric)
    return Corpus(task, files, tuple(data), systems, CLASSES, ("doc", "size"), kind=f"{task} {ending}")


def _matrix(rng: Random) -> Corpus:
    """Make a table of 0 and 1."""
    systems = ("a", "b", "c", "d")[: rng.randint(1, 4)]
    separator, header, named = rng.choice((",", "\t", ";", " ")), rng.random() < 0.6, rng.random() < 0.4
    rows = [[rng.choice("01") for _ in systems] for _ in range(rng.randint(1, 12))]
    lines = [separator.join([*([f"item{i}"] if named else []), *row]) for i, row in enumerate(rows)]
    if header:
        lines.insert(0, separator.join([*(["item"] if named else []), *systems]))
    data: list[Option] = [("--matrix", "matrix.csv")]
    data += [] if header else [("--system-names", ",".join(systems))]
    return Corpus("matrix", {"matrix.csv": _lines(lines)}, tuple(data), systems, kind="matrix")


def written(rows: Sequence[dict[str, Any]], ending: str) -> bytes:
    """Write rows in a format."""
    if ending == "jsonl":
        return _lines([json.dumps(row, ensure_ascii=False) for row in rows])
    if ending == "parquet":
        import polars as pl

        target = BytesIO()
        pl.DataFrame(rows, infer_schema_length=None, strict=False).write_parquet(target)
        return target.getvalue()
    separator = "," if ending == "csv" else "\t"
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    return _lines([separator.join(_quoted(c) if ending == "csv" else c for c in row) for row in cells])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(value) if isinstance(value, list) else str(value)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n') else cell
