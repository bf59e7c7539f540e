"""CoNLL-style files in all their shapes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import Run, Write, refused
from support.profiles import with_examples

from slicewise import UserError, load
from slicewise.read import conll, open_source, read, tell_format
from slicewise.read.source import File, Source

if TYPE_CHECKING:
    from slicewise.annotations import Annotations
    from slicewise.evaluation import Evaluation

Sentences = list[list[tuple[str, str]]]

PLAIN = "EU\tB-ORG\nrejects\tO\n\nPeter\tB-PER\nBlackburn\tI-PER\n"
EXPECTED: Sentences = [[("EU", "B-ORG"), ("rejects", "O")], [("Peter", "B-PER"), ("Blackburn", "I-PER")]]


def of(content: str | bytes, *, own_gold: bool = False, column: str | None = None) -> Annotations:
    data = content.encode() if isinstance(content, str) else content
    data = data.removeprefix(b"\xef\xbb\xbf")
    return read(Source("x.conll", (File("x.conll", data, ""),), column), "conll", own_gold=own_gold)


def tags(a: Annotations) -> list[str]:
    assert a.tags is not None
    return [a.tags.names[code] for code in a.tags.codes]


def sentences(a: Annotations) -> Sentences:
    assert a.tokens is not None
    assert a.offsets is not None
    assert a.offsets[-1] == len(a.tokens)
    assert a.items == len(a.offsets) - 1
    pairs = list(zip(a.tokens.to_list(), tags(a), strict=True))
    return [pairs[start:end] for start, end in zip(a.offsets[:-1], a.offsets[1:], strict=True)]


def lines(a: Annotations) -> list[int | None]:
    assert a.tags is not None
    return [a.token_line(i) for i in range(len(a.tags.codes))]


def counts(e: Evaluation, system: str) -> tuple[int, int, int]:
    """Return tp, n_pred, n_gold."""
    units = e.units
    return int((units["gold"] & units[system]).sum()), int(units[system].sum()), int(units["gold"].sum())


SHAPES = {
    "tab": PLAIN,
    "single spaces": PLAIN.replace("\t", " "),
    "runs of spaces": PLAIN.replace("\t", "    "),
    "uneven runs of spaces": "EU   B-ORG\nrejects O\n\nPeter  B-PER\nBlackburn     I-PER\n",
    "spaces and tabs": "EU B-ORG\nrejects\tO\n\nPeter  B-PER\nBlackburn \t I-PER\n",
    "trailing blanks": "EU\tB-ORG \nrejects\tO\t\n\nPeter\tB-PER  \nBlackburn\tI-PER\n",
    "trailing blanks after spaces": "EU B-ORG \nrejects O\t\n\nPeter B-PER  \nBlackburn I-PER\n",
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CRLF and spaces": PLAIN.replace("\n", "\r\n").replace("\t", " "),
    "CRLF here and there": "EU\tB-ORG\r\nrejects\tO\n\r\nPeter\tB-PER\nBlackburn\tI-PER\r\n",
    "no final newline": PLAIN.rstrip("\n"),
    "several blank lines": "\n\n" + PLAIN.replace("\n\n", "\n\n\n\n") + "\n\n\n",
    "blank lines of spaces": PLAIN.replace("\n\n", "\n  \n"),
    "blank lines of tabs": PLAIN.replace("\n\n", "\n\t\n"),
    "blank lines of tabs and spaces": PLAIN.replace("\n\n", "\n \t \n\n\t\t\t\n"),
    "blank line of a space, space-separated": PLAIN.replace("\t", " ").replace("\n\n", "\n \n"),
    "blank first line of spaces": "  \n" + PLAIN,
    "blank last line of spaces": PLAIN + "\n  ",
    "CRLF and no final newline": PLAIN.replace("\n", "\r\n").rstrip("\r\n"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_the_same_file(shape: str) -> None:
    assert sentences(of(SHAPES[shape])) == EXPECTED


@pytest.mark.parametrize("shape", SHAPES)
def test_token_lines_count_every_line(shape: str) -> None:
    content = SHAPES[shape]
    physical = content.split("\n")
    starts = ("EU", "rejects", "Peter", "Blackburn")
    assert lines(of(content)) == [
        next(i for i, line in enumerate(physical, 1) if line.startswith(start)) for start in starts
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_told_to_be_conll_whatever_the_name(shape: str, write: Write) -> None:
    assert tell_format(open_source(write("x.txt", SHAPES[shape]))) == "conll"


def test_byte_order_mark(write: Write) -> None:
    name = write("x.txt", b"\xef\xbb\xbf" + PLAIN.encode())
    assert sentences(read(open_source(name))) == EXPECTED


DOCSTARTS = {
    "alone": "-DOCSTART-\n\n",
    "with columns": "-DOCSTART-\tO\n\n",
    "no blank line after it": "-DOCSTART-\n",
    "columns, no blank line after it": "-DOCSTART-\tO\n",
    "more columns than the file": "-DOCSTART-\t-X-\t-X-\tO\n\n",
    "columns by spaces": "-DOCSTART- -X- -X- O\n\n",
    "number": "-DOCSTART- (1)\n\n",
}


@pytest.mark.parametrize("form", DOCSTARTS)
@pytest.mark.parametrize("separator", ["\t", " "])
def test_docstart(form: str, separator: str) -> None:
    start = DOCSTARTS[form]
    text = (start + PLAIN + "\n" + start + "Rome\tB-LOC\n").replace("\t", separator)
    a = of(text)
    assert sentences(a) == [*EXPECTED, [("Rome", "B-LOC")]]
    assert a.documents is not None
    first, second, third = a.documents.tolist()
    assert first == second != third


def test_docstart_without_blank_line_before_it_ends_the_sentence() -> None:
    a = of("EU\tB-ORG\n-DOCSTART-\tO\nRome\tI-ORG\n")
    assert sentences(a) == [[("EU", "B-ORG")], [("Rome", "I-ORG")]]


def test_sentences_before_the_first_docstart_are_a_document() -> None:
    a = of("a\tO\n\n-DOCSTART-\tO\n\nb\tO\n\nc\tO\n")
    assert a.documents is not None
    one, two, three = a.documents.tolist()
    assert one != two == three


def test_no_docstart_no_documents() -> None:
    assert of(PLAIN).documents is None


@pytest.mark.parametrize("header", ["token\tner", "Word\tTag", "TOKEN\tlabel", "word\tner_tags"])
def test_header(header: str) -> None:
    a = of(header + "\n" + PLAIN)
    assert sentences(a) == EXPECTED
    assert lines(a) == [2, 3, 5, 6]


def test_header_names_the_middle_columns() -> None:
    a = of("word\tpos\tner\nEU\tNNP\tB-ORG\nsays\tVBZ\tO\n")
    assert sentences(a) == [[("EU", "B-ORG"), ("says", "O")]]
    assert {name: column.to_list() for name, column in a.token_columns.items()} == {"pos": ["NNP", "VBZ"]}


def test_header_and_a_blank_line_after_it() -> None:
    assert sentences(of("word\tner\n\n" + PLAIN)) == EXPECTED


def test_a_header_is_told_by_the_tags_below_it(write: Write, run: Run) -> None:
    """As in the files of the paper on differential evaluation: their system brings its gold."""
    body = "Ada\tB-PER\tB-PER\nmet\tO\tO\n\nBob\tB-PER\tO\n"
    write("s.conll", "Token\tTrue Label\tPredicted Label\n" + body)
    write("plain.txt", body)
    write("headed.txt", "Token\tTrue Label\tPredicted Label\n" + body)
    ran = [run("score", "-s", f"s={name}", "--json", "-") for name in ("s.conll", "headed.txt", "plain.txt")]
    first, second, plain = (json.loads(one.out) for one in ran)
    assert first["result"] == second["result"] == plain["result"]
    assert any("is taken for a header, as 'Predicted Label' is no tag" in said for said in first["data"]["warnings"])
    assert run("convert", "s.conll", "-o", "s.parquet").code == 0
    assert json.loads(run("score", "-s", "s=s.parquet", "--json", "-").out)["result"] == plain["result"]
    for header in ("Token\tTrue Label\n", "Wort\tEtikett\n"):
        assert sentences(of(header + PLAIN)) == EXPECTED


@pytest.mark.parametrize(
    "first",
    [
        "Ada\tPER", "Ada\tB_PER", "Ada\tb-PER", "Ada\tPER\tB-PER", "Ada\t12", "Ada\tAda", "1\tx", "Ada", ",\tx",
        "Ada\to", "Ada\tWORK-B", "Word\to", "Word\tWORK-B",
    ],
)  # fmt: skip
def test_a_line_that_may_be_data_is_no_header(first: str) -> None:
    file = File("x.conll", f"{first}\n{PLAIN}".encode(), "")
    assert not conll.has_header(file)


@pytest.mark.parametrize("first", ["Ada\tB-PER\tWORK", "Ada\tWORK\tB-PER", "Ada\tWORK\tWORK", "Ada\tPER\tWORK"])
def test_a_line_with_one_wrong_tag_of_two_is_no_header(first: str) -> None:
    body = "met\tO\tO\n\nBob\tB-PER\tB-LOC\n"
    assert not conll.has_header(File("x.conll", f"{first}\n{body}".encode(), ""))
    assert conll.has_header(File("x.conll", f"Wort\tRichtig\tVorhersage\n{body}".encode(), ""))


@pytest.mark.parametrize("body", ["met\tO\n", "met\tO\nBob\tPER\n", "met\tNN\n", "met\tB-PER\nBob\tPER\n"])
def test_tags_without_a_prefix_tell_no_header(body: str) -> None:
    assert not conll.has_header(File("x.conll", f"Ada\tWORK\n{body}".encode(), ""))


@pytest.mark.parametrize("length", [100_000, 1_200_000])
def test_a_first_line_of_any_length(length: int, write: Write) -> None:
    for name in ("x.conll", "x.txt"):
        a = read(open_source(write(name, f"{'x' * length}\tB-PER\ny\tO\n\nz\tO\n")))
        assert (a.items, a.tags is not None) == (2, True)


@pytest.mark.parametrize("text", ["-DOCSTART-\t\n", "-DOCSTART-\t-X-\tO\n\n", "-DOCSTART-\tO\n\n-DOCSTART-\t\t\n"])
def test_documents_alone(text: str, write: Write) -> None:
    with pytest.raises(UserError, match=r"x\.conll: no line with a token"):
        read(open_source(write("x.conll", text)))


def test_a_million_blank_lines_before_the_first(write: Write) -> None:
    assert (
        read(open_source(write("x.conll", " \n" * 1_000_000 + " " * 100_000 + "\n" + PLAIN))).items == of(PLAIN).items
    )


def test_a_token_where_another_file_starts_a_document(write: Write, run: Run) -> None:
    write("a.conll", "-DOCSTART-\nx O O\ny O O\n")
    write("b.conll", "z O O\nx O O\ny O O\n")
    refused(run("score", "-s", "a=a.conll", "-s", "b=b.conll"), "b.conll:1: sentence 1 has 3 tokens, but 2 in a.conll")


def test_words_of_a_header_are_tokens_elsewhere() -> None:
    a = of("the\tO\nword\tO\n\nword\tB-X\ntext\tI-X\n")
    assert sentences(a) == [[("the", "O"), ("word", "O")], [("word", "B-X"), ("text", "I-X")]]


COMMENTS = {
    "one column": "#comment\n",
    "words": "# text = EU rejects German call\n",
    "words by tabs": "# sent_id\t=\t7\tx\n",
    "the file's width, no tag": "# sent-id\n",
    "the file's width by tab, no tag": "#id\t17\n",
    "hash alone": "#\n",
}


@pytest.mark.parametrize("form", COMMENTS)
@pytest.mark.parametrize("separator", ["\t", " "])
def test_comments(form: str, separator: str) -> None:
    comment = COMMENTS[form]
    first, second = PLAIN.replace("\t", separator).split("\n\n")
    a = of(f"{comment}{first}\n\n{comment}{second}{comment}")
    assert sentences(a) == EXPECTED
    assert lines(a) == [2, 3, 6, 7]


def test_a_comment_inside_a_sentence_does_not_cut_it() -> None:
    assert sentences(of("a\tB-X\n# note\nb\tI-X\n")) == [[("a", "B-X"), ("b", "I-X")]]


def test_a_comment_before_a_wrong_tag_is_not_what_is_blamed(write: Write) -> None:
    gold = write("gold.conll", "#id\t17\na\tB-X\nb\tQ-X\n")
    with pytest.raises(UserError, match=r"gold\.conll:3: .*'Q-X'"):
        load(gold=gold, systems={"s": gold}, task="spans")


@pytest.mark.parametrize("separator", ["\t", " ", "   "])
def test_tokens_that_begin_with_a_hash(separator: str) -> None:
    text = "#nlp\tB-X\n#\tO\n##\tO\n\n#\tB-X\nx\tI-X\n".replace("\t", separator)
    assert sentences(of(text)) == [[("#nlp", "B-X"), ("#", "O"), ("##", "O")], [("#", "B-X"), ("x", "I-X")]]


@pytest.mark.parametrize("separator", ["\t", " "])
def test_only_hashtags(separator: str) -> None:
    text = "#a\tO\n#b\tB-X\n".replace("\t", separator)
    assert sentences(of(text)) == [[("#a", "O"), ("#b", "B-X")]]


@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_a_quotation_mark_is_a_token(separator: str) -> None:
    text = '"\tO\nEU\tB-ORG\n"\tO\n\n"\tO\n""\tO\n"a\tO\n\'\tO\n'.replace("\t", separator)
    assert sentences(of(text)) == [
        [('"', "O"), ("EU", "B-ORG"), ('"', "O")],
        [('"', "O"), ('""', "O"), ('"a', "O"), ("'", "O")],
    ]


@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_middle_columns_are_attributes(separator: str) -> None:
    text = "EU\tNNP\tI-NP\tB-ORG\nsays\tVBZ\tI-VP\tO\n\nI\tPRP\tI-NP\tO\n".replace("\t", separator)
    a = of(text)
    assert sentences(a) == [[("EU", "B-ORG"), ("says", "O")], [("I", "O")]]
    assert {name: column.to_list() for name, column in a.token_columns.items()} == {
        "col2": ["NNP", "VBZ", "PRP"],
        "col3": ["I-NP", "I-VP", "I-NP"],
    }


def test_middle_columns_reach_the_evaluation(write: Write) -> None:
    gold = write("gold.conll", "EU\tNNP\tB-ORG\nsays\tVBZ\tO\n")
    e = load(gold=gold, systems={"s": gold})
    assert e.aligned.token_columns["col2"].to_list() == ["NNP", "VBZ"]


def test_an_empty_middle_column_stays_empty() -> None:
    a = of("EU\tNNP\tB-ORG\nsays\t\tO\n")
    assert sentences(a) == [[("EU", "B-ORG"), ("says", "O")]]
    assert a.token_columns["col2"].to_list() == ["NNP", ""]


def test_an_empty_token_in_a_tab_file_is_a_token() -> None:
    assert sentences(of("a\tO\n\tB-X\nb\tO\n")) == [[("a", "O"), ("", "B-X"), ("b", "O")]]


def test_one_column() -> None:
    a = of("B-ORG\nO\n\nB-PER\nI-PER\n")
    assert a.tokens is None
    assert tags(a) == ["B-ORG", "O", "B-PER", "I-PER"]
    assert a.lengths.tolist() == [2, 2]


def test_a_token_with_an_inner_space_in_a_tab_file() -> None:
    assert sentences(of("New York\tB-LOC\nis\tO\n")) == [[("New York", "B-LOC"), ("is", "O")]]


def test_a_token_with_an_inner_space_in_an_untidy_tab_file() -> None:
    assert sentences(of("# a comment\nNew York\tB-LOC \nis\tO\n \t\nbig\tO\n")) == [
        [("New York", "B-LOC"), ("is", "O")],
        [("big", "O")],
    ]


ODD = ["\u00a0", "\u2028", "\u0085", "\u3000", "\x0b", "\x0c", "\x1c", "a\u00a0b", "a\u2028b", "\u200b", "\u2029"]


@pytest.mark.parametrize("token", ODD, ids=ascii)
@pytest.mark.parametrize("separator", ["\t", " ", "  "])
@pytest.mark.parametrize("first", [True, False])
def test_unusual_white_space_is_part_of_a_token(token: str, separator: str, first: bool) -> None:
    rows = [(token, "B-X"), ("b", "O")] if first else [("b", "O"), (token, "B-X")]
    text = "".join(f"{word}{separator}{tag}\n" for word, tag in [*rows, ("c", "O")])
    assert sentences(of(text)) == [[*rows, ("c", "O")]]


@pytest.mark.parametrize("token", ODD, ids=ascii)
def test_unusual_white_space_does_not_hide_the_format(token: str, write: Write) -> None:
    content = f"{token}\tB-X\nb\tO\n\nc\tO\n"
    assert tell_format(open_source(write("x.txt", content))) == "conll"


def test_column_by_number_and_by_name() -> None:
    text = "word\tpos\tner\nEU\tB-NP\tB-ORG\nsays\tB-VP\tO\n"
    assert tags(of(text, column="2")) == ["B-NP", "B-VP"]
    assert tags(of(text, column="pos")) == ["B-NP", "B-VP"]
    assert tags(of(text, column="3")) == ["B-ORG", "O"]
    with pytest.raises(UserError, match=r"x\.conll: no column 'nerr'; did you mean 'ner'\?"):
        of(text, column="nerr")
    with pytest.raises(UserError, match=r"no column '4'"):
        of(text, column="4")


# ------------------------------------------------------------------ gold and predictions in one file or in two

GOLD = "-DOCSTART-\tO\n\nEU\tB-ORG\nrejects\tO\n\nPeter\tB-PER\nBlackburn\tI-PER\n"
BOTH = "-DOCSTART-\tO\tO\n\nEU\tB-ORG\tB-ORG\nrejects\tO\tB-PER\n\nPeter\tB-PER\tB-PER\nBlackburn\tI-PER\tO\n"


def test_a_system_file_of_three_columns_without_gold(write: Write) -> None:
    e = load(systems={"s": write("s.conll", BOTH)})
    assert counts(e, "s") == (1, 3, 2)


def test_a_system_file_of_four_columns_without_gold(write: Write) -> None:
    four = "EU\tNNP\tB-ORG\tB-ORG\nrejects\tVBZ\tO\tB-PER\n"
    assert counts(load(systems={"s": write("s.conll", four)}), "s") == (1, 2, 1)


def test_a_system_file_of_three_columns_with_gold_ignores_its_own(write: Write) -> None:
    e = load(gold=write("gold.conll", GOLD.replace("B-ORG", "O")), systems={"s": write("s.conll", BOTH)})
    assert counts(e, "s") == (0, 3, 1)


def test_two_columns_without_gold_is_an_error(write: Write) -> None:
    with pytest.raises(UserError, match=r"s\.conll: 2 columns; .*--gold"):
        load(systems={"s": write("s.conll", GOLD)})


def test_own_gold_that_agrees(write: Write) -> None:
    other = BOTH.replace("B-PER\tB-PER", "B-PER\tO")
    e = load(systems={"a": write("a.conll", BOTH), "b": write("b.conll", other)})
    assert counts(e, "a") == (1, 3, 2)
    assert counts(e, "b") == (1, 2, 2)


def test_own_gold_that_disagrees(write: Write) -> None:
    other = BOTH.replace("I-PER\tO", "O\tO").replace("-DOCSTART-\tO\tO\n\n", "")
    with pytest.raises(UserError, match=r"b\.conll:5: .*'O'.*'I-PER' at a\.conll:7"):
        load(systems={"a": write("a.conll", BOTH), "b": write("b.conll", other)})


def test_own_gold_with_other_tokens(write: Write) -> None:
    other = BOTH.replace("rejects\tO\tB-PER\n", "")
    with pytest.raises(UserError, match=r"^b\.conll:4: .*a\.conll:4;"):
        load(systems={"a": write("a.conll", BOTH), "b": write("b.conll", other)})


ALONE = {
    "without lines for -DOCSTART-": "B-ORG\nB-PER\n\nB-PER\nO\n",
    "with lines for -DOCSTART-": "O\n\nB-ORG\nB-PER\n\nB-PER\nO\n",
    "with -DOCSTART- itself": "-DOCSTART-\n\nB-ORG\nB-PER\n\nB-PER\nO\n",
    "with lines for -DOCSTART- and no blank line after them": "O\nB-ORG\nB-PER\n\nB-PER\nO\n",
}


@pytest.mark.parametrize("form", ALONE)
@pytest.mark.parametrize("name", ["s.conll", "s.txt"])
def test_predictions_alone(form: str, name: str, write: Write) -> None:
    e = load(gold=write("gold.conll", GOLD), systems={"s": write(name, ALONE[form])})
    assert counts(e, "s") == (1, 3, 2)
    assert e.units.filter(e.units["s"])["start"].to_list() == [0, 1, 0]


@pytest.mark.parametrize("name", ["s.conll", "s.txt"])
def test_predictions_alone_for_one_sentence(name: str, write: Write) -> None:
    gold = write("gold.conll", "EU\tB-ORG\nrejects\tO\n")
    assert counts(load(gold=gold, systems={"s": write(name, "B-ORG\nB-PER\n")}), "s") == (1, 2, 1)


@pytest.mark.parametrize("name", ["s.conll", "s.txt"])
def test_predictions_alone_of_parts_of_speech(name: str, write: Write) -> None:
    gold = write("gold.conll", "EU\tNNP\nrejects\tVBZ\n\nGerman\tJJ\ncall\tNN\n")
    e = load(gold=gold, systems={"s": write(name, "NNP\nVBD\n\nJJ\nNN\n")})
    assert e.task == "tokens"
    assert counts(e, "s") == (3, 4, 4)


def test_predictions_alone_with_a_line_too_few(write: Write) -> None:
    gold = write("gold.conll", GOLD)
    system = write("s.conll", "B-ORG\nO\n\nB-PER\n")
    with pytest.raises(
        UserError, match=r"^s\.conll:5: sentence 2 has 1 token, but 2 in gold\.conll; .* gold\.conll:7;"
    ):
        load(gold=gold, systems={"s": system})


def test_documents_are_clusters(write: Write) -> None:
    text = "-DOCSTART-\tO\n\na\tB-X\n\nb\tO\n\n-DOCSTART-\tO\n\nc\tB-X\n"
    e = load(gold=write("g.conll", text), systems={"s": "g.conll"})
    assert e.aligned.clusters.kind == "doc"
    assert e.aligned.clusters.cluster.tolist() == [0, 0, 1]


# ------------------------------------------------------------------ law: whatever the shape, the same is read back

words = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters=" \t\r\n\0\ufeff"), min_size=1, max_size=4
) | st.sampled_from(['"', "#", "#tag", "# ".strip(), "''", "\u00a0", "\u2028", "\u0085", "O", "B-X", "😀", "\\", ","])
kinds = st.sampled_from(["O", "B-X", "I-X", "B-geo-loc", "I-geo-loc", "S-Y"])
documents = st.lists(st.lists(st.tuples(words, kinds), min_size=1, max_size=5), min_size=1, max_size=5)


@with_examples(150)
@given(documents, st.data())
def test_written_and_read_back(made: Sentences, data: st.DataObject) -> None:
    separator = data.draw(st.sampled_from(["\t", " ", "   "]))
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    trailing = data.draw(st.sampled_from(["", " ", "\t"]))
    between = data.draw(st.lists(st.sampled_from(["", " ", "\t"]), min_size=1, max_size=3))
    middle = data.draw(st.sampled_from([[], ["NN"]]))
    out: list[str] = data.draw(st.sampled_from([[], [""], ["# text = a b c d e"]]))
    expected_lines = []
    for i, sentence in enumerate(made):
        out += between if i else []
        for word, tag in sentence:
            out.append(separator.join([word, *middle, tag]) + trailing)
            expected_lines.append(len(out))
    content = newline.join(out) + data.draw(st.sampled_from(["", newline]))
    a = of(content)
    assert sentences(a) == made
    assert lines(a) == expected_lines
