"""An ensemble's output as a file that is read like any other system's.

The format comes from the path's ending. Before the file appears under its name it is read as a system's file would be:
what would not come back as the same units is an error, and nothing is written.
"""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slicewise.align.answers import label_units, labels, multilabel_units
from slicewise.align.spans import find_units
from slicewise.align.units import UnitSet, merge
from slicewise.annotations import OUTSIDE, UNTYPED, Annotations, Task
from slicewise.errors import UserError, explained, quoted
from slicewise.evaluation import Evaluation
from slicewise.matching.overlaps import Spans, overlap_counts
from slicewise.matching.resolve import resolved
from slicewise.read import open_source, read, tags_alone, tell_format
from slicewise.read.conll import DOCSTART, EXTENSIONS
from slicewise.read.source import COMPRESSED, Source
from slicewise.results.files import atomic_file, cannot_write

PARQUET = ".parquet"
RECORDS = (".jsonl", ".ndjson", ".json", PARQUET)
"""Endings of files whose items have named fields, lists among them."""
TAG_LINES = ".tags"
LETTERS = {"iob1": "IIII", "iob2": "BIIB", "bioes": "BIES", "bilou": "BILU", "bmes": "BMES", "io": "IIII"}
"""The letters of a span's first, inner and last tag, and of a span's only one."""
FIRST, INNER, LAST, ONLY = range(4)


@dataclass(frozen=True)
class Written:
    """A file that was written: how many units it has, and how many were left out because they overlap others."""

    path: Path
    units: int
    dropped: int


@dataclass(frozen=True)
class _Output:
    """What is to be written, and how."""

    evaluation: Evaluation
    path: Path
    ending: str
    """Of the path, in lower case, without the suffix of a compressed file."""
    form: str
    """`records`, `csv`, `conll` or `lines`."""
    units: UnitSet
    answers: pl.Series | None = None
    """Where the task is labels: the label of each item, or null."""

    def error(self, what: str, advice: str = "write a .jsonl file") -> UserError:
        return UserError(f"{what}; {advice}", where=str(self.path))

    def size(self) -> int:
        """Return the number of units; the negative label and ignored labels do not count."""
        if self.answers is None:
            return len(self.units)
        options = self.evaluation.options
        none = [label for label in (options.negative_label, *options.ignore) if label is not None]
        return int((~self.answers.is_in(none)).sum())

    def names(self) -> pl.Series:
        """Return the label of each unit."""
        return pl.Series(self.units.labels, dtype=pl.String).gather(self.units.label)


def write_system(
    evaluation: Evaluation,
    path: Path,
    *,
    units: NDArray[np.bool_] | None = None,
    votes: NDArray[np.int64] | None = None,
    answers: pl.Series | None = None,
) -> Written:
    """Write units, or the answers of the task `labels`, as a system file; labels are written as they are compared.

    `units` says which rows of `evaluation.units` to write, `votes` how many systems have each. Where the file can hold
    one unit per position only, or gold has no overlapping spans, overlaps are resolved: most votes, then the longer,
    then the earlier, then by label. `answers` is one label, or null, per item.
    """
    ending, compressed = _ending(path)
    form = _form(evaluation, path, ending)
    if evaluation.task is Task.LABELS:
        if answers is None:
            raise ValueError("no answers to write")
        answers, dropped = answers.cast(pl.String).alias(""), 0
        output = _Output(evaluation, path, ending, form, label_units(answers), answers)
    else:
        if units is None:
            raise ValueError("no units to write")
        chosen, dropped = _chosen(evaluation, form, units, votes)
        output = _Output(evaluation, path, ending, form, chosen)
    data = _content(output)
    data = gzip.compress(data, compresslevel=6, mtime=0) if compressed else data
    _check_reads_back(output, data, compressed=compressed)
    with atomic_file(path) as file:
        file.write(data)
    return Written(path, output.size(), dropped)


# ------------------------------------------------------------------ which format


def _ending(path: Path) -> tuple[str, bool]:
    """Return the ending that determines the format, and whether the file is compressed."""
    compressed = path.suffix.lower() == ".gz"
    ending = (Path(path.stem) if compressed else path).suffix.lower()
    if ending in COMPRESSED:
        message = f"{ending} files are read but not written; write a .gz file, or one that is not compressed"
        raise UserError(message, where=str(path))
    return ending, compressed


def _form(evaluation: Evaluation, path: Path, ending: str) -> str:
    task, aligned = evaluation.task, evaluation.aligned
    if not task.has_units:
        raise UserError(f"the task {task.value} has no outputs to combine; ensembles are of spans, tags or labels")
    if ending in RECORDS:
        return "records"
    if task in (Task.LABELS, Task.MULTILABEL):
        return "csv" if ending == ".csv" else "lines"
    if aligned.offsets is None:
        raise UserError("spans of characters need their text beside them; write a .jsonl file", where=str(path))
    if ending == ".csv":
        raise UserError("a .csv file has one row per item; write a .conll or .jsonl file", where=str(path))
    if ending == TAG_LINES or (aligned.tokens is None and ending not in EXTENSIONS):
        return "lines"
    return "conll"


# ------------------------------------------------------------------ which units


def _chosen(
    evaluation: Evaluation, form: str, units: NDArray[np.bool_], votes: NDArray[np.int64] | None
) -> tuple[UnitSet, int]:
    """Return the units to write, and how many overlapping ones were left out."""
    frame = evaluation.units
    item, start, end = (frame[name].to_numpy().astype(np.int64) for name in ("item", "start", "end"))
    label = frame["label"].to_physical().to_numpy().astype(np.int64)
    all_units = UnitSet(item, start, end, label, evaluation.aligned.labels)
    chosen = all_units.keep(units)
    if evaluation.task is Task.MULTILABEL or (form == "records" and _overlaps_stay(evaluation, all_units)):
        return chosen, 0
    given = np.zeros(len(chosen), np.int64) if votes is None else votes[units]
    kept = resolved(Spans(chosen.item, chosen.start, chosen.end), given, chosen.label)  # labels are sorted
    return chosen.keep(kept), int((~kept).sum())


def _overlaps_stay(evaluation: Evaluation, units: UnitSet) -> bool:
    """Return whether gold has overlapping spans, which records can represent."""
    gold = units.keep(evaluation.units["gold"].to_numpy())
    spans = Spans(gold.item, gold.start, gold.end)
    return bool((overlap_counts(spans, spans) > 1).any())


def _as_tags(evaluation: Evaluation) -> bool:
    """Return whether records hold tags: spans need known tokens to be read."""
    aligned = evaluation.aligned
    return evaluation.task is Task.TOKENS or (aligned.offsets is not None and aligned.tokens is None)


# ------------------------------------------------------------------ the file's content


def _content(output: _Output) -> bytes:
    if output.form == "records":
        return _encoded(_records(output), output.ending)
    if output.form == "csv":
        field = "label" if output.evaluation.task is Task.LABELS else "labels"
        return _encoded(pl.DataFrame({field: _item_lines(output)}), output.ending)
    lines = _token_lines(output) if output.form == "conll" else _item_lines(output)
    text: str = lines.str.join("\n").item()
    return f"{text}\n".encode()


def _encoded(frame: pl.DataFrame, ending: str) -> bytes:
    data = BytesIO()
    if ending == PARQUET:
        frame.write_parquet(data)
    elif ending == ".csv":
        frame.write_csv(data)
    else:
        frame.write_ndjson(data)
    return data.getvalue()


def _records(output: _Output) -> pl.DataFrame:
    """Return one row per item, with the fields that the reader knows."""
    evaluation, aligned, units = output.evaluation, output.evaluation.aligned, output.units
    if output.answers is not None:
        return pl.DataFrame({"label": output.answers})
    if evaluation.task is Task.MULTILABEL:
        return pl.DataFrame({"labels": _lists(units.item, output.names(), aligned.items)})
    fields = {}
    if aligned.tokens is not None:
        fields["tokens"] = _by_sentence(evaluation, aligned.tokens)
    elif (texts := _texts(evaluation)) is not None:
        fields["text"] = texts
    if _as_tags(evaluation):
        fields["tags"] = _by_sentence(evaluation, _tags(output))
    else:
        spans = pl.DataFrame({"start": units.start, "end": units.end, "label": output.names()})
        fields["spans"] = _lists(units.item, spans.to_struct(), aligned.items)
    return pl.DataFrame(fields)


def _texts(evaluation: Evaluation) -> pl.Series | None:
    """Return the texts whose characters spans count; None where other input took their place."""
    aligned = evaluation.aligned
    if aligned.length_unit != "characters":
        return None
    fitting = (text for text in aligned.fields if np.array_equal(text.str.len_chars().to_numpy(), aligned.lengths))
    return next(fitting, None)


def _lists(item: NDArray[np.int64], values: pl.Series, items: int) -> pl.Series:
    """Return the values of each item as a list; they are sorted by item."""
    filled = pl.DataFrame({"item": item, "value": values}).group_by("item", maintain_order=True).agg("value")
    joined = pl.DataFrame({"item": np.arange(items)}).join(filled, on="item", how="left", maintain_order="left")
    return joined["value"].fill_null(pl.Series([[]], dtype=pl.List(values.dtype)))


def _by_sentence(evaluation: Evaluation, values: pl.Series) -> pl.Series:
    """Return what all tokens have as a list per sentence."""
    aligned = evaluation.aligned
    return _lists(np.repeat(np.arange(aligned.items), aligned.lengths), values, aligned.items)


def _item_lines(output: _Output) -> pl.Series:
    """Return one line per item: its label, its labels, or its tags."""
    if output.answers is not None:
        if output.form == "lines":
            _refuse(output, output.answers, "\n", "has a line break")
        return output.answers.fill_null("")
    names = output.names()
    _refuse(output, names, r"\s", "has a space, which separates labels here")
    _refuse(output, names, "^$", "has no name")
    if output.evaluation.task is Task.MULTILABEL:
        lists = _lists(output.units.item, names, output.evaluation.aligned.items)
    else:
        lists = _by_sentence(output.evaluation, _tags(output))
    return lists.list.join(" ")


def _refuse(output: _Output, names: pl.Series, pattern: str, why: str) -> None:
    """Refuse labels that such a file cannot hold."""
    bad = names.filter(names.str.contains(pattern))
    if len(bad):
        raise output.error(f"the label {quoted(bad[0])} {why}")


def _token_lines(output: _Output) -> pl.Series:
    """Return a line per token and, with the last of each sentence but one, the blank line that follows."""
    aligned = output.evaluation.aligned
    _check_sentences(output)
    ends = np.zeros(int(aligned.lengths.sum()), np.int64)
    ends[np.cumsum(aligned.lengths)[:-1] - 1] = 1
    columns = [_tags(output), pl.Series(["", "\n"]).gather(ends)]
    if aligned.tokens is not None:
        columns = [aligned.tokens, pl.Series(["\t"]).new_from_index(0, len(ends)), *columns]
    return pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)]).select(
        line=pl.concat_str(pl.all())
    )["line"]


def _check_sentences(output: _Output) -> None:
    """Refuse what a CoNLL-style file has no way to say."""
    aligned = output.evaluation.aligned
    if not aligned.lengths.all():
        empty = int(np.argmin(aligned.lengths)) + 1
        raise output.error(f"sentence {empty:,} has no tokens, and a CoNLL-style file has no empty sentences")
    if aligned.tokens is None or aligned.offsets is None:
        return
    odd = aligned.tokens.str.contains(rf"[\t\n]|^{DOCSTART}$")
    if odd.any():
        first = int(odd.arg_max() or 0)
        sentence = int(np.searchsorted(aligned.offsets, first, side="right"))
        token = quoted(aligned.tokens[first])
        raise output.error(f"the token {token} of sentence {sentence:,} would be read as something else")


# ------------------------------------------------------------------ tags


def _tags(output: _Output) -> pl.Series:
    """Return the tag of each token; no two units share one."""
    aligned, units = output.evaluation.aligned, output.units
    if aligned.offsets is None:
        raise ValueError("no tokens to tag")
    code = np.zeros(int(aligned.offsets[-1]), np.int64)
    start = aligned.offsets[units.item] + units.start
    if output.evaluation.task is Task.TOKENS:
        negative = output.evaluation.options.negative_label
        code[start] = units.label + 1
        return pl.Series([OUTSIDE if negative is None else negative, *units.labels], dtype=pl.String).gather(code)
    size = units.end - units.start
    at = np.repeat(start, size) + np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    code[at] = np.repeat(units.label * 4, size) + INNER + 1
    code[start + size - 1] = units.label * 4 + LAST + 1
    code[start] = units.label * 4 + np.where(size == 1, ONLY, FIRST) + 1
    scheme = output.evaluation.options.scheme or "iob2"
    names = [OUTSIDE, *(_tag(letter, label) for label in units.labels for letter in LETTERS[scheme])]
    if scheme in ("io", "iob1") and len(again := _touching(units)):
        if scheme == "io":
            raise _not_apart(output, int(again[0]))
        code[start[again]] = units.label[again] + len(names)
        names += [_tag("B", label) for label in units.labels]
    return pl.Series(names, dtype=pl.String).gather(code)


def _tag(letter: str, label: str) -> str:
    return letter if label == UNTYPED else f"{letter}-{label}"


def _touching(units: UnitSet) -> NDArray[np.intp]:
    """Return the spans that begin where one of the same label ends; spans are sorted and do not overlap."""
    same = (units.item[1:] == units.item[:-1]) & (units.label[1:] == units.label[:-1])
    return np.flatnonzero(same & (units.start[1:] == units.end[:-1])) + 1


def _not_apart(output: _Output, unit: int) -> UserError:
    units = output.units
    label, sentence = quoted(units.labels[int(units.label[unit])]), int(units.item[unit]) + 1
    what = f"two spans {label} touch in sentence {sentence:,}, and the scheme io cannot tell them apart"
    return output.error(what, "leave out --scheme io" if output.form == "records" else "write a .jsonl file")


# ------------------------------------------------------------------ whether the file would be read as the same


def _check_reads_back(output: _Output, data: bytes, *, compressed: bool) -> None:
    """Read the file as that of a system, and compare."""
    try:
        with tempfile.TemporaryDirectory(prefix="slicewise.") as folder:
            copy = Path(folder) / f"system{output.ending}{'.gz' if compressed else ''}"
            copy.write_bytes(data)
            source = open_source(copy)
        for form in _forms(output, source):
            with explained(source.name):
                units_read = _read_units(output, read(source, form, others=False))
            both = merge([output.units, units_read], ["written", "found"]).frame
            different = both.filter(both["written"] != both["found"])
            if different.height:
                raise UserError(f"item {int(different['item'][0]) + 1:,} would be another")
    except OSError as error:
        raise cannot_write(output.path, error) from None
    except UserError as error:
        raise output.error(f"would not be read back ({_complaint(error)})", _advice(output)) from None


def _forms(output: _Output, source: Source) -> set[str]:
    """Return the formats that the file may be read in: beside a CoNLL-style gold file, a word a line is a token."""
    form = tell_format(source)
    tagged = output.evaluation.task in (Task.SPANS, Task.TOKENS)
    return {form, "conll"} if form == "lines" and tagged and tags_alone(source) else {form}


def _read_units(output: _Output, file: Annotations) -> UnitSet:
    """Return the units of the file that was read."""
    evaluation, aligned = output.evaluation, output.evaluation.aligned
    if evaluation.task in (Task.SPANS, Task.TOKENS):
        options = replace(evaluation.options, strict_tokens=True)
        return find_units(file, _gold(evaluation), aligned.lengths, evaluation.task, options).units
    if file.items != aligned.items:
        raise file.error(f"{file.items:,} items instead of {aligned.items:,}")
    if evaluation.task is Task.MULTILABEL:
        return multilabel_units(file)
    return label_units(labels(file, gold=False)[0])


def _gold(evaluation: Evaluation) -> Annotations:
    """Return the items as the gold file has them."""
    aligned = evaluation.aligned
    texts = None
    if aligned.offsets is None and (texts := _texts(evaluation)) is None:  # spans need only the length of each
        texts = pl.select(pl.repeat("", aligned.items).str.pad_end(pl.Series(aligned.lengths))).to_series()
    return Annotations(
        name="the data", items=aligned.items, offsets=aligned.offsets, tokens=aligned.tokens, texts=texts
    )


def _complaint(error: UserError) -> str:
    """Return what was found, without the place in a file that nobody will see."""
    place = "" if error.where is None else f"{error.where}:{'' if error.line is None else f'{error.line}:'} "
    return str(error).removeprefix(place).partition(";")[0]


def _advice(output: _Output) -> str:
    if output.form == "records":
        return "choose other labels"
    named = output.form == "conll" and output.ending not in EXTENSIONS
    return "write a .conll or .jsonl file" if named else "write a .jsonl file"
