"""A system's file that Slicewise writes is read like any other: the same units, or an error and no file."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import with_examples

from slicewise import Evaluation, UserError, load
from slicewise.lenses.complement.write_system import LETTERS, Written, write_system
from slicewise.matching.overlaps import Spans
from slicewise.matching.resolve import resolved
from slicewise.read.schemes import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.commands import Write

Units = list[tuple[Any, ...]]
Span = tuple[int, int, str]
Sentences = list[tuple[list[str], list[Span]]]

RECORDS = [".jsonl", ".parquet"]
ENDINGS = [
    *RECORDS,
    ".json",
    ".ndjson",
    ".jsonl.gz",
    ".conll",
    ".iob",
    ".bio",
    ".CONLL",
    ".conll.gz",
    ".txt",
    ".tsv",
    "",
    ".out",
    ".tags",
]


def rows(evaluation: Evaluation, mask: Any) -> Units:
    """Return units as they can be compared between evaluations."""
    return evaluation.units.filter(pl.Series(mask)).select("item", "start", "end", pl.col("label").cast(str)).rows()


def again(path: Path | str, gold: str | Path, **options: Any) -> Evaluation:
    return load(gold=gold, systems={"again": path}, **options)


def comes_back(evaluation: Evaluation, path: Path, gold: str | Path, system: str = "s", **options: Any) -> Written:
    """Write a system's units, read them, and compare; overlapping ones but the first may be missing."""
    mask = evaluation.units[system].to_numpy()
    written = write_system(evaluation, path, units=mask, votes=None)
    kept = mask.copy()
    if written.dropped:
        kept[mask] = kept_ones(evaluation, mask)
    found = again(path, gold, **options)
    assert rows(found, found.units["again"]) == rows(evaluation, kept)
    assert (written.units, written.dropped) == (kept.sum(), mask.sum() - kept.sum())
    assert not [w for w in found.warnings if str(path) in w and "empty output" not in w]
    return written


def kept_ones(evaluation: Evaluation, mask: Any, votes: Any = None) -> Any:
    units = evaluation.units.filter(pl.Series(mask))
    spans = Spans(*(units[name].to_numpy().astype(np.int64) for name in ("item", "start", "end")))
    given = np.zeros(len(spans), np.int64) if votes is None else votes[mask]
    return resolved(spans, given, units["label"].to_physical().to_numpy())


def jsonl(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def spanned(sentences: Sentences) -> str:
    return jsonl(
        [
            {"tokens": tokens, "spans": [{"start": s, "end": e, "label": label} for s, e, label in spans]}
            for tokens, spans in sentences
        ]
    )


def apart(spans: list[Span]) -> list[Span]:
    """Return spans of which none overlaps one before it."""
    kept: list[Span] = []
    for span in spans:
        if all(span[1] <= other[0] or other[1] <= span[0] for other in kept):
            kept.append(span)
    return kept


labels = st.sampled_from(["PER", "LOC", "geo-loc", "B", "I-x", "_", "Ü"])
plain_tokens = st.sampled_from(
    ["a", "Rome", "#nlp", "#", '"', "'s", "New York", " x ", "é", "B-PER", "O", "走", "\u00a0"]
)
odd_tokens = st.one_of(
    plain_tokens,
    st.sampled_from(["-DOCSTART-", "", " ", "\t", "\n", "a\nb", "a\tb", "\r", "a\r", "\ufeff", "\0", "word", "token"]),
    st.sampled_from(["# x", "## y z", "BZh9", '{"', "[", "\u2028", "\x0b", "\x1c", "\x85"]),
    st.text(max_size=4),
)


def spans_over(words: list[str], *, overlaps: bool) -> st.SearchStrategy[list[Span]]:
    """Distinct spans over some tokens."""
    if not words:
        return st.just([])
    place = st.tuples(st.integers(0, len(words) - 1), st.integers(1, 3), labels)
    span = place.map(lambda p: (p[0], min(p[0] + p[1], len(words)), p[2]))
    return st.lists(span, max_size=5, unique=True).map(lambda spans: spans if overlaps else apart(spans))


@st.composite
def sentences(draw: st.DrawFn, tokens: st.SearchStrategy[str], *, least: int = 1, overlaps: bool = False) -> Sentences:
    every = draw(st.lists(st.lists(tokens, min_size=least, max_size=6), min_size=1, max_size=4))
    return [(words, draw(spans_over(words, overlaps=overlaps))) for words in every]


@st.composite
def tagged_anew(draw: st.DrawFn, given: Sentences, *, overlaps: bool = False) -> Sentences:
    """The same sentences, with a system's spans."""
    return [(words, draw(spans_over(words, overlaps=overlaps))) for words, _ in given]


def is_refused(error: UserError, target: Path) -> None:
    """A refusal names the file and a way out, and leaves no file behind."""
    assert str(error).startswith(f"{target}: ")
    assert ".jsonl file" in str(error)
    assert not target.exists()


def of_spans(folder: Path, gold: Any, system: Any, **options: Any) -> tuple[Evaluation, Path]:
    """Return an evaluation of spans, and its gold file."""
    path = folder / "gold.jsonl"
    path.write_text(spanned(gold))
    (folder / "s.jsonl").write_text(spanned(system))
    return load(gold=path, systems={"s": folder / "s.jsonl"}, **options), path


# ------------------------------------------------------------------ spans over tokens


@pytest.mark.parametrize("ending", [*RECORDS, ".conll"])
@with_examples(8)
@given(data=st.data())
def test_spans_come_back(ending: str, data: st.DataObject) -> None:
    gold = data.draw(sentences(plain_tokens, overlaps=data.draw(st.booleans())))
    system = data.draw(tagged_anew(gold, overlaps=data.draw(st.booleans())))
    with tempfile.TemporaryDirectory() as folder:
        e, path = of_spans(Path(folder), gold, system)
        comes_back(e, Path(folder) / f"again{ending}", path)


@pytest.mark.parametrize("ending", [*RECORDS, ".conll", ".txt", ".tags"])
@with_examples(8)
@given(data=st.data())
def test_any_tokens_come_back_or_are_refused(ending: str, data: st.DataObject) -> None:
    gold = data.draw(sentences(odd_tokens, least=0))
    system = data.draw(tagged_anew(gold))
    with tempfile.TemporaryDirectory() as folder:
        e, path = of_spans(Path(folder), gold, system)
        target = Path(folder) / f"again{ending}"
        try:
            comes_back(e, target, path)
        except UserError as error:
            assert ending not in RECORDS
            is_refused(error, target)


ADA = ["Ada", "Lovelace", "met", "Bob", "Ann", "in", "Rome"]
ADA_SPANS: list[Span] = [(0, 2, "PER"), (3, 4, "PER"), (4, 5, "PER"), (6, 7, "LOC")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending(ending: str, tmp_path: Path) -> None:
    two: Sentences = [(ADA, ADA_SPANS), (["#", "a b", '"'], [(1, 2, "X")])]
    e, gold = of_spans(tmp_path, two, two)
    comes_back(e, tmp_path / f"again{ending}", gold)


ADA_TAGS = {
    "iob1": "I-PER I-PER O I-PER B-PER O I-LOC",
    "iob2": "B-PER I-PER O B-PER B-PER O B-LOC",
    "bioes": "B-PER E-PER O S-PER S-PER O S-LOC",
    "bilou": "B-PER L-PER O U-PER U-PER O U-LOC",
    "bmes": "B-PER E-PER O S-PER S-PER O S-LOC",
}


@pytest.mark.parametrize("scheme", ADA_TAGS)
def test_the_tags_of_every_scheme(scheme: str, tmp_path: Path) -> None:
    e, gold = of_spans(tmp_path, [(ADA, ADA_SPANS)], [(ADA, ADA_SPANS)], scheme=scheme)
    comes_back(e, tmp_path / "x.conll", gold, scheme=scheme, strict=True)
    lines = [f"{token}\t{tag}\n" for token, tag in zip(ADA, ADA_TAGS[scheme].split(), strict=True)]
    assert (tmp_path / "x.conll").read_text() == "".join(lines)


def test_every_scheme_can_be_written() -> None:
    assert LETTERS.keys() == SCHEMES.keys()


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if s != "io"])
@pytest.mark.parametrize("strict", [True, False])
@with_examples(8)
@given(data=st.data())
def test_schemes_come_back(scheme: str, strict: bool, data: st.DataObject) -> None:
    gold = data.draw(sentences(plain_tokens))
    system = data.draw(tagged_anew(gold, overlaps=True))
    with tempfile.TemporaryDirectory() as folder:
        e, path = of_spans(Path(folder), gold, system, scheme=scheme, strict=strict)
        comes_back(e, Path(folder) / "again.conll", path, scheme=scheme, strict=strict)


def test_the_longest_spans_of_a_scheme_with_an_inner_tag(tmp_path: Path) -> None:
    four = [(["a", "b", "c", "d"], [(0, 4, "X")])]
    for scheme, tags in {"bioes": "B I I E", "bilou": "B I I L", "bmes": "B M M E", "io": "I I I I"}.items():
        e, gold = of_spans(tmp_path, four, four, scheme=scheme)
        comes_back(e, tmp_path / "x.conll", gold, scheme=scheme, strict=True)
        found = [line.split("\t")[1] for line in (tmp_path / "x.conll").read_text().splitlines()]
        assert found == [f"{letter}-X" for letter in tags.split()]


def test_io_cannot_tell_neighbours_apart(tmp_path: Path) -> None:
    fine = [(ADA, [ADA_SPANS[0], ADA_SPANS[2], ADA_SPANS[3]])]
    e, gold = of_spans(tmp_path, fine, fine, scheme="io")
    comes_back(e, tmp_path / "x.conll", gold, scheme="io")
    e, gold = of_spans(tmp_path, [(["x"], []), (ADA, ADA_SPANS)], [(["x"], []), (ADA, ADA_SPANS)], scheme="io")
    with pytest.raises(
        UserError, match=r"y\.conll: two spans 'PER' touch in sentence 2, .* io .*; write a \.jsonl file"
    ):
        write_system(e, tmp_path / "y.conll", units=e.units["s"].to_numpy())
    comes_back(e, tmp_path / "y.jsonl", gold, scheme="io")


def test_spans_do_not_touch_across_sentences(tmp_path: Path) -> None:
    two: Any = [(["a"], [(0, 1, "X")]), (["b", "c"], [(1, 2, "X")])]  # one ends at 1, the other begins at 1
    for scheme in ("io", "iob1"):
        e, gold = of_spans(tmp_path, two, two, scheme=scheme)
        comes_back(e, tmp_path / "x.conll", gold, scheme=scheme)
        assert (tmp_path / "x.conll").read_text() == "a\tI-X\n\nb\tO\nc\tI-X\n"


def test_spans_without_a_type_stay_without(write: Write) -> None:
    gold = write("gold.conll", "走\tB\n了\tI\n。\tO\n")
    e = load(gold=gold, systems={"s": gold})
    comes_back(e, Path("x.conll"), gold)
    assert Path("x.conll").read_text() == Path(gold).read_text()


def test_documents_and_other_columns_of_gold(write: Write) -> None:
    gold = write("g.conll", "-DOCSTART- -X- O\n\nEU NNP B-ORG\nsays VBZ O\n\n-DOCSTART- -X- O\n\nRome NNP B-LOC\n")
    e = load(gold=gold, systems={"s": gold})
    comes_back(e, Path("x.conll"), gold)
    assert Path("x.conll").read_text() == "EU\tB-ORG\nsays\tO\n\nRome\tB-LOC\n"
    comes_back(e, Path("x.jsonl"), gold)


def test_text_beside_tokens(write: Write) -> None:
    record = {"text": "Ada met Bob", "tokens": ["Ada", "met", "Bob"], "spans": [{"start": 8, "end": 11, "label": "P"}]}
    gold = write("g.jsonl", jsonl([record]))
    e = load(gold=gold, systems={"s": gold})
    for ending in (".jsonl", ".conll"):
        comes_back(e, Path(f"x{ending}"), gold)
    assert json.loads(Path("x.jsonl").read_text())["spans"] == [{"start": 2, "end": 3, "label": "P"}]


@pytest.mark.parametrize("ending", [".conll", ".txt", ".tsv", ""])
@pytest.mark.parametrize("token", ["-DOCSTART-", "a\tb", "a\nb"])
def test_tokens_that_would_be_something_else(token: str, ending: str, tmp_path: Path) -> None:
    odd: Any = [(["a", "b"], []), (["c", token], [(0, 1, "X")])]
    e, gold = of_spans(tmp_path, odd, odd)
    with pytest.raises(UserError, match=r"the token '.*' of sentence 2 would be read as something else; .* \.jsonl"):
        write_system(e, tmp_path / f"x{ending}", units=e.units["s"].to_numpy())
    comes_back(e, tmp_path / "x.jsonl", gold)
    comes_back(e, tmp_path / "x.tags", gold)


@pytest.mark.parametrize("token", ["\ufeffa", "a\0", "a\r"])
def test_first_tokens_that_would_not_be_read_back(token: str, tmp_path: Path) -> None:
    odd: Any = [([token, "b"], [(0, 1, "X")])]
    e, gold = of_spans(tmp_path, odd, odd)
    with pytest.raises(UserError, match=r"x\.conll: would not be read back \(.*\); write a \.jsonl file$") as error:
        write_system(e, tmp_path / "x.conll", units=e.units["s"].to_numpy())
    assert "system.conll" not in str(error.value)
    comes_back(e, tmp_path / "x.jsonl", gold)


def test_a_sentence_without_tokens(tmp_path: Path) -> None:
    empty: Any = [(["a"], [(0, 1, "X")]), ([], []), (["b", "c"], [(0, 2, "Y")])]
    e, gold = of_spans(tmp_path, empty, empty)
    for ending in (".conll", ".txt"):
        with pytest.raises(UserError, match=r"sentence 2 has no tokens, .*; write a \.jsonl file"):
            write_system(e, tmp_path / f"x{ending}", units=e.units["s"].to_numpy())
    for ending in (".jsonl", ".parquet", ".tags"):
        comes_back(e, tmp_path / f"x{ending}", gold)
    assert (tmp_path / "x.tags").read_text() == "B-X\n\nB-Y I-Y\n"


@pytest.mark.parametrize("ending", [".conll", ".jsonl", ".tags", ".txt"])
def test_nothing_at_all(ending: str, tmp_path: Path) -> None:
    gold: Any = [(["a", "b"], [(0, 1, "X")]), (["c"], [])]
    e, path = of_spans(tmp_path, gold, [(words, []) for words, _ in gold])
    assert comes_back(e, tmp_path / f"x{ending}", path).units == 0


def test_labels_with_spaces(tmp_path: Path) -> None:
    two: Any = [(["a", "b"], [(0, 1, "work of art")]), (["c"], [])]
    e, gold = of_spans(tmp_path, two, two)
    for ending in (".conll", ".jsonl"):
        comes_back(e, tmp_path / f"x{ending}", gold)
    with pytest.raises(UserError, match=r"the label 'work of art' has a space, .*; write a \.jsonl file"):
        write_system(e, tmp_path / "x.tags", units=e.units["s"].to_numpy())


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb"])
def test_labels_that_tags_cannot_have(label: str, tmp_path: Path) -> None:
    two: Any = [(["a", "b"], [(0, 1, label), (1, 2, "X")])]
    e, gold = of_spans(tmp_path, two, two)
    for ending in (".conll", ".txt", ".tags"):
        with pytest.raises(UserError, match=r"; write a (\.conll or )?\.jsonl file"):
            write_system(e, tmp_path / f"x{ending}", units=e.units["s"].to_numpy())
    comes_back(e, tmp_path / "x.jsonl", gold)


# ------------------------------------------------------------------ ensembles whose spans overlap


def voted(evaluation: Evaluation) -> Any:
    return np.sum([evaluation.units[name].to_numpy() for name in evaluation.systems], axis=0)


def test_most_votes_then_the_longer_win(write: Write) -> None:
    gold = write("g.conll", "a\tB-X\nb\tO\nc\tO\nd\tO\n\ne\tO\nf\tB-Y\ng\tO\n")
    one = write("1.conll", "a\tB-X\nb\tO\nc\tB-Z\nd\tI-Z\n\ne\tB-Y\nf\tI-Y\ng\tO\n")
    two = write("2.conll", "a\tB-X\nb\tO\nc\tB-Z\nd\tO\n\ne\tO\nf\tB-Y\ng\tI-Y\n")
    three = write("3.conll", "a\tB-Q\nb\tI-Q\nc\tI-Q\nd\tO\n\ne\tO\nf\tB-Y\ng\tO\n")
    e = load(gold=gold, systems={"1": one, "2": two, "3": three})
    votes = voted(e)
    written = write_system(e, Path("x.conll"), units=votes >= 1, votes=votes)
    tags = [line.split("\t")[1] for line in Path("x.conll").read_text().split("\n") if line]
    assert tags == [
        "B-X",
        "O",
        "B-Z",
        "I-Z",
        "B-Y",
        "I-Y",
        "O",
    ]  # X has two votes; of one each, the longer, the earlier
    assert (written.units, written.dropped) == (3, 4)
    assert write_system(e, Path("x.jsonl"), units=votes >= 1, votes=votes).dropped == 4  # gold has no overlaps
    assert rows(again("x.jsonl", gold), again("x.jsonl", gold).units["again"]) == [
        (0, 0, 1, "X"),
        (0, 2, 4, "Z"),
        (1, 0, 2, "Y"),
    ]


@with_examples(8)
@given(st.data(), st.sampled_from([".conll", ".jsonl"]), st.integers(1, 3))
def test_ensembles_come_back_resolved(data: st.DataObject, ending: str, k: int) -> None:
    gold = data.draw(sentences(plain_tokens))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "gold.jsonl").write_text(spanned(gold))
        for i in range(3):
            (folder / f"{i}.jsonl").write_text(spanned(data.draw(tagged_anew(gold))))
        e = load(gold=folder / "gold.jsonl", systems={str(i): folder / f"{i}.jsonl" for i in range(3)})
        votes = voted(e)
        mask = votes >= k
        written = write_system(e, folder / f"x{ending}", units=mask, votes=votes)
        kept = mask.copy()
        kept[mask] = kept_ones(e, mask, votes)
        found = again(folder / f"x{ending}", folder / "gold.jsonl")
        assert rows(found, found.units["again"]) == rows(e, kept)
        assert written == Written(folder / f"x{ending}", int(kept.sum()), int(mask.sum() - kept.sum()))


def test_overlaps_stay_where_gold_has_them_and_the_file_can_hold_them(tmp_path: Path) -> None:
    nested: Any = [(["a", "b", "c"], [(0, 3, "X"), (1, 2, "Y"), (1, 2, "X")])]
    e, gold = of_spans(tmp_path, nested, nested)
    assert comes_back(e, tmp_path / "x.jsonl", gold).dropped == 0
    assert comes_back(e, tmp_path / "x.parquet", gold).dropped == 0
    assert comes_back(e, tmp_path / "x.conll", gold).dropped == 2


# ------------------------------------------------------------------ spans of characters


def characters(texts: list[str], spans: list[list[Span]]) -> str:
    both = zip(texts, spans, strict=True)
    return jsonl(
        [{"text": t, "spans": [{"start": s, "end": e, "label": label} for s, e, label in own]} for t, own in both]
    )


@pytest.mark.parametrize("ending", RECORDS)
@with_examples(8)
@given(data=st.data())
def test_characters_come_back(ending: str, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text(max_size=6) | st.just("[1, 2]"), min_size=1, max_size=4))
    as_tokens: Sentences = [(list(text), []) for text in texts]
    files = {
        name: characters(texts, [s for _, s in data.draw(tagged_anew(as_tokens, overlaps=name == "g"))])
        for name in ("g", "s")
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / f"{file}.jsonl").write_text(content)
        e = load(gold=folder / "g.jsonl", systems={"s": folder / "s.jsonl"})
        comes_back(e, folder / f"again{ending}", folder / "g.jsonl")


def test_characters_need_their_text(write: Write) -> None:
    gold = write("g.jsonl", characters(["Ada met Bob"], [[(0, 3, "P")]]))
    e = load(gold=gold, systems={"s": gold})
    for ending in (".conll", ".txt", "", ".csv", ".tags"):
        with pytest.raises(UserError, match=r"^x.*: spans of characters need their text .*; write a \.jsonl file"):
            write_system(e, Path(f"x{ending}"), units=e.units["s"].to_numpy())
    comes_back(e, Path("x.jsonl"), gold)
    assert Path("x.jsonl").read_text() == characters(["Ada met Bob"], [[(0, 3, "P")]]).replace(' "', '"').replace(
        ": ", ":"
    ).replace(", ", ",")


def test_characters_whose_text_is_not_among_the_inputs(write: Write) -> None:
    gold = write("g.jsonl", characters(["Ada met Bob", ""], [[(0, 3, "P"), (8, 11, "P")], []]))
    e = load(gold=gold, systems={"s": gold}, inputs=[write("in.txt", "other\nwords\n")])
    comes_back(e, Path("x.jsonl"), gold)
    assert "text" not in json.loads(Path("x.jsonl").read_text().splitlines()[0])


# ------------------------------------------------------------------ tags of tokens


@pytest.mark.parametrize("ending", [".conll", ".txt", ".tsv", "", ".jsonl", ".parquet", ".tags"])
def test_tags_come_back_as_written(ending: str, write: Write) -> None:
    gold = write("g.conll", "the\tDT\n#\t#\nB-X\tNN\n\n\"\t''\nran\tVBD\n")
    system = write("s.conll", 'the\tDT\n#\tO\nB-X\tVB\n\n"\t``\nran\tVBD\n')
    e = load(gold=gold, systems={"s": system})
    assert e.task == "tokens"
    assert comes_back(e, Path(f"x{ending}"), gold).units == 4
    if ending == ".conll":
        assert Path("x.conll").read_text() == Path(system).read_text()


@pytest.mark.parametrize("ending", [".conll", ".jsonl"])
def test_the_negative_label_is_written(ending: str, write: Write) -> None:
    gold = write("g.conll", "a\tX\nb\tnone\n\nc\tO\nd\tnone\n")
    e = load(gold=gold, systems={"s": gold}, task="tokens", negative_label="none")
    assert comes_back(e, Path(f"x{ending}"), gold, task="tokens", negative_label="none").units == 2
    assert "none" in Path(f"x{ending}").read_text()


def test_one_tag_per_token(write: Write) -> None:
    gold = write("g.conll", "a\tX\nb\tY\n\nc\tZ\n")
    e = load(
        gold=gold,
        systems={
            "1": gold,
            "2": write("2.conll", "a\tZ\nb\tA\n\nc\tZ\n"),
            "3": write("3.conll", "a\tZ\nb\tO\n\nc\tO\n"),
        },
        task="tokens",
    )
    votes = voted(e)
    written = write_system(e, Path("x.conll"), units=votes >= 1, votes=votes)
    assert Path("x.conll").read_text() == "a\tZ\nb\tA\n\nc\tZ\n"  # most votes; then by name
    assert (written.units, written.dropped) == (3, 2)


def test_prefixes_stay_stripped(write: Write) -> None:
    gold = write("g.conll", "a\tB-PER\nb\tI-PER\n\nc\tO\n")
    options: Mapping[str, Any] = {"task": "tokens", "strip_prefix": True}
    e = load(gold=gold, systems={"s": gold}, **options)
    comes_back(e, Path("x.conll"), gold, **options)
    assert Path("x.conll").read_text() == "a\tPER\nb\tPER\n\nc\tO\n"


@pytest.mark.parametrize("task", ["spans", "tokens"])
@pytest.mark.parametrize("ending", [".txt", "", ".tags", ".jsonl", ".conll", ".parquet"])
@pytest.mark.parametrize("form", ["lines", "one column"])
def test_tags_of_tokens_that_are_not_known(ending: str, task: str, form: str, write: Write) -> None:
    files = {"lines": "B-X I-X O\nO\nB-X B-Y\n", "one column": "B-X\nI-X\nO\n\nO\n\nB-X\nB-Y\n"}
    gold = write("g.txt", files[form])
    e = load(gold=gold, systems={"s": gold}, task=task)
    assert e.aligned.tokens is None
    comes_back(e, Path(f"x{ending}"), gold, task=task)
    if ending in (".txt", ".conll"):
        assert Path(f"x{ending}").read_text() == files["lines" if ending == ".txt" else "one column"]


def test_lines_of_tags_with_their_tokens_beside_them(write: Write) -> None:
    gold, words = write("g.txt", "B-X I-X O\n\nO B-Y\n"), write("in.txt", "Ada Lovelace met\n\nthe Bob\n")
    e = load(gold=gold, systems={"s": gold}, inputs=[words])
    for ending in (".tags", ".jsonl"):
        comes_back(e, Path(f"x{ending}"), gold, inputs=[words])
    assert Path("x.tags").read_text() == Path(gold).read_text()


def test_a_tag_a_line_could_be_a_sentence_of_tokens(write: Write) -> None:
    gold = write("g.txt", "B-X\nO\nB-Y\n")
    e = load(gold=gold, systems={"s": gold}, task="spans")
    with pytest.raises(UserError, match=r"^x\.txt: would not be read back \(.*\); write a \.jsonl file"):
        write_system(e, Path("x.txt"), units=e.units["s"].to_numpy())
    for ending in (".jsonl", ".conll"):
        comes_back(e, Path(f"x{ending}"), gold, task="spans")


def test_one_sentence_of_tags_needs_an_ending_that_tells(write: Write) -> None:
    gold = write("g.conll", "the\tDT\ncat\tNN\n")
    e = load(gold=gold, systems={"s": gold})
    with pytest.raises(UserError, match=r"^x\.txt: would not be read back \(.*\); write a \.conll or \.jsonl file"):
        write_system(e, Path("x.txt"), units=e.units["s"].to_numpy())
    comes_back(e, Path("x.conll"), gold)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_tables_have_no_tokens(ending: str, tmp_path: Path) -> None:
    e, _ = of_spans(tmp_path, [(ADA, ADA_SPANS)], [(ADA, ADA_SPANS)])
    with pytest.raises(UserError, match=r"; write a \.conll or \.jsonl file"):
        write_system(e, tmp_path / f"x{ending}", units=e.units["s"].to_numpy())


# ------------------------------------------------------------------ labels

LABELS = [".jsonl", ".json", ".csv", ".parquet", ".txt", ".tsv", "", ".labels", ".txt.gz", ".csv.gz"]


def answers_come_back(evaluation: Evaluation, path: Path, answers: list[str | None], gold: str | Path) -> None:
    written = write_system(evaluation, path, answers=pl.Series(answers, dtype=pl.String))
    assert again(path, gold, task="labels").answers("again").to_list() == answers
    assert (written.units, written.dropped) == (sum(a is not None for a in answers), 0)


@pytest.mark.parametrize("ending", LABELS)
def test_labels_come_back(ending: str, write: Write) -> None:
    gold = write("g.txt", "good\nbad\nvery bad\n1\n")
    e = load(gold=gold, systems={"s": gold}, task="labels")
    several: list[list[str | None]] = [
        ["good", "bad", "very bad", "1"],
        ["bad", None, 'né,"x"', None],
        [None, "1", "-", "a;b"],
    ]
    for answers in several:
        answers_come_back(e, Path(f"x{ending}"), answers, gold)


def test_what_the_files_look_like(write: Write) -> None:
    gold = write("g.txt", "a\nb\nc\n")
    e = load(gold=gold, systems={"s": gold})
    looks = {
        ".jsonl": '{"label":"b"}\n{"label":null}\n{"label":"a"}\n',
        ".csv": 'label\nb\n""\na\n',
        ".txt": "b\n\na\n",
        ".tsv": "b\n\na\n",
    }
    for ending, look in looks.items():
        write_system(e, Path(f"x{ending}"), answers=pl.Series(["b", None, "a"]))
        assert Path(f"x{ending}").read_text() == look


any_label = st.one_of(
    st.none(),
    st.sampled_from(["O", "B-X", "a b", "a\tb", "a\nb", '{"a', "[1]", "label", '"', "#", "null", "1.0", "a\rb"]),
    st.text(min_size=1, max_size=4).filter(lambda text: bool(pl.Series([text]).str.strip_chars().item())),
)


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".txt", ".labels"])
@with_examples(8)
@given(drawn=st.lists(any_label, min_size=1, max_size=6))
def test_any_labels_come_back_or_are_refused(ending: str, drawn: list[str | None]) -> None:
    answers = pl.Series(drawn, dtype=pl.String).str.strip_chars().to_list()
    with tempfile.TemporaryDirectory() as folder:
        gold = Path(folder) / "g.jsonl"
        gold.write_text(jsonl([{"label": "a"} for _ in answers]))
        e = load(gold=gold, systems={"s": gold})
        target = Path(folder) / f"x{ending}"
        try:
            answers_come_back(e, target, answers, gold)
        except UserError as error:
            assert ending not in RECORDS
            is_refused(error, target)


def test_a_label_with_a_line_break(write: Write) -> None:
    gold = write("g.txt", "a\nb\n")
    e = load(gold=gold, systems={"s": gold})
    with pytest.raises(UserError, match=r"^x\.txt: the label 'a\\nb' has a line break; write a \.jsonl file"):
        write_system(e, Path("x.txt"), answers=pl.Series(["b", "a\nb"]))
    for ending in (".jsonl", ".csv"):
        answers_come_back(e, Path(f"x{ending}"), ["b", "a\nb"], gold)


def test_no_answer_at_all(write: Write) -> None:
    gold = write("g.txt", "a\nb\n")
    e = load(gold=gold, systems={"s": gold})
    for ending in (".txt", ".jsonl", ".csv", ".parquet"):
        answers_come_back(e, Path(f"x{ending}"), [None, None], gold)
    with pytest.raises(UserError, match=r"would not be read back \(the file is empty\); write a \.jsonl file"):
        write_system(e, Path("x.labels"), answers=pl.Series([None, None], dtype=pl.String))


# ------------------------------------------------------------------ several labels


@pytest.mark.parametrize("ending", LABELS)
def test_several_labels_come_back(ending: str, write: Write) -> None:
    gold = write("g.jsonl", jsonl([{"labels": ["a", "b"]}, {"labels": []}, {"labels": ["c"]}]))
    system = write("s.jsonl", jsonl([{"labels": []}, {"labels": ["b", "a", "É"]}, {"labels": ["c"]}]))
    e = load(gold=gold, systems={"s": system})
    assert e.task == "multilabel"
    assert comes_back(e, Path(f"x{ending}"), gold).units == 4
    if ending == ".txt":
        assert Path("x.txt").read_text() == "\na b É\nc\n"


@pytest.mark.parametrize("ending", [".jsonl", ".parquet", ".csv", ".txt"])
@with_examples(8)
@given(
    drawn=st.lists(st.lists(st.one_of(st.sampled_from(["a", "O", "B-X", "a b", ""]), st.text(max_size=3)), max_size=3))
)
def test_any_several_labels_come_back_or_are_refused(ending: str, drawn: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gold, system = Path(folder) / "g.jsonl", Path(folder) / "s.jsonl"
        gold.write_text(jsonl([{"labels": ["a"]} for _ in [0, *drawn]]))
        system.write_text(jsonl([{"labels": sorted(set(own))} for own in [["a"], *drawn]]))
        e = load(gold=gold, systems={"s": system})
        target = Path(folder) / f"x{ending}"
        try:
            comes_back(e, target, gold)
        except UserError as error:
            assert ending not in RECORDS
            is_refused(error, target)


def test_no_labels_at_all(write: Write) -> None:
    gold = write("g.jsonl", jsonl([{"labels": ["a", "b"]}, {"labels": []}]))
    e = load(gold=gold, systems={"s": gold})
    nothing = np.zeros(e.units.height, np.bool_)
    for ending in (".jsonl", ".parquet", ".txt", ".csv"):
        assert write_system(e, Path(f"x{ending}"), units=nothing).units == 0
        assert not again(f"x{ending}", gold).units["again"].any()


# ------------------------------------------------------------------ what cannot be written, and what is left then


def test_texts_and_scores_have_nothing_to_combine(tmp_path: Path) -> None:
    for e in (Evaluation.from_texts(["a"], {"s": ["b"]}), Evaluation.from_scores({"s": [1.0]})):
        with pytest.raises(UserError, match=rf"the task {e.task.value} has no outputs to combine; "):
            write_system(e, tmp_path / "x.jsonl")


@pytest.mark.parametrize("ending", [".conll.xz", ".jsonl.bz2", ".txt.zst", ".xz", ".jsonl.zst.gz", ".GZ.gz"])
def test_other_compression(ending: str, tmp_path: Path) -> None:
    e, _ = of_spans(tmp_path, [(ADA, ADA_SPANS)], [(ADA, ADA_SPANS)])
    with pytest.raises(UserError, match=r"files are read but not written; write a \.gz file"):
        write_system(e, tmp_path / f"x{ending}", units=e.units["s"].to_numpy())


def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    e, _ = of_spans(tmp_path, [(ADA, ADA_SPANS)], [(ADA, ADA_SPANS)])
    for ending in (".conll.gz", ".jsonl", ".parquet"):
        for name in ("x", "y"):
            write_system(e, tmp_path / f"{name}{ending}", units=e.units["s"].to_numpy())
        assert (tmp_path / f"x{ending}").read_bytes() == (tmp_path / f"y{ending}").read_bytes()
    data = (tmp_path / "x.conll.gz").read_bytes()
    assert data[4:8] == bytes(4)  # no time of day
    assert gzip.decompress(data).startswith(b"Ada\tB-PER\n")


def test_an_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    odd: Any = [(["a", "-DOCSTART-"], [(0, 1, "X")])]
    e, _ = of_spans(tmp_path, odd, odd)
    (tmp_path / "x.conll").write_text("mine")
    before = sorted(tmp_path.iterdir())
    for name in ("x.conll", "x.conll.xz", "y.txt", "z.csv"):
        with pytest.raises(UserError):
            write_system(e, tmp_path / name, units=e.units["s"].to_numpy())
    with pytest.raises(UserError, match="cannot be written"):
        write_system(e, tmp_path / "nowhere" / "x.jsonl", units=e.units["s"].to_numpy())
    assert (tmp_path / "x.conll").read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == before


# ------------------------------------------------------------------ real files


@pytest.mark.parametrize("ending", [".conll", ".txt", ".jsonl", ".tags", ".parquet"])
def test_wnut17(ending: str, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "wnut17"
    if not folder.is_dir():
        pytest.skip("no WNUT17 in the shared data")
    gold = folder / "test.conll"
    e = load(gold=gold, systems={path.stem: path for path in sorted((folder / "systems").glob("*.conll"))})
    for system in e.systems:
        assert comes_back(e, tmp_path / f"{system}{ending}", gold, system).dropped == 0
    votes = voted(e)
    for k in (1, 2, 4):
        mask = votes >= k
        written = write_system(e, tmp_path / f"votes{ending}", units=mask, votes=votes)
        kept = mask.copy()
        kept[mask] = kept_ones(e, mask, votes)
        found = again(tmp_path / f"votes{ending}", gold)
        assert rows(found, found.units["again"]) == rows(e, kept)
        assert written.dropped == mask.sum() - kept.sum()
        assert k == 4 or written.dropped
