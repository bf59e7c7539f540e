"""Metrics of texts against the programs that everybody uses, and the rules where those differ from ours."""

from __future__ import annotations

import re
import string
import subprocess
import sys
from collections import Counter
from itertools import permutations, zip_longest
from typing import TYPE_CHECKING, Any

import jiwer
import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu  # type: ignore[import-untyped]
from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from support.profiles import with_examples

from slicewise import Evaluation, UserError, score
from slicewise.annotations import Task
from slicewise.metrics import find_metric
from slicewise.metrics.metric import ItemError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hypothesis.strategies import SearchStrategy
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Pairs = list[tuple[str, list[str]]]

LOWER = {"ter", "wer", "cer", "mean-wer", "mean-cer"}
HUNDRED = {"bleu", "chrf", "chrf++"}
SHARES = {"gleu", "rouge-1", "rouge-2", "rouge-l", "token-f1", "token-accuracy", "wer-accuracy", "cer-accuracy"}
EVERY = sorted(LOWER | HUNDRED | SHARES)

ASCII = ("the", "a", "an", "cat", "Cat", "sat", "mat", ",", ".", "sat.", "(on)", "don't", "2", "3.5", "x_y", "-")
UNICODE = ("né", "Straße", "ČAJ", "привет", "मनुष्य", "我们", "「", "Ünal's", "naïve,", "😀", "\u00a0", "\t")


def texts(words: tuple[str, ...], longest: int = 9) -> SearchStrategy[str]:
    return st.lists(st.sampled_from(words), max_size=longest).map(" ".join)


def corpora(words: tuple[str, ...] = ASCII + UNICODE, references: int = 3) -> SearchStrategy[Pairs]:
    """Outputs with one to three references each; half of the outputs are made from a reference."""
    one = st.tuples(
        texts(words), st.lists(texts(words), min_size=1, max_size=references), st.booleans(), st.integers(0, 9)
    )
    made = one.map(lambda c: (" ".join(c[1][0].split(" ")[c[3] % 3 :]) if c[2] else c[0], c[1]))
    return st.lists(made, min_size=1, max_size=6)


def series(corpus: Pairs) -> tuple[pl.Series, pl.Series]:
    """References and outputs as a metric gets them: plain strings where every item has one reference."""
    references = [refs for _, refs in corpus]
    single = all(len(refs) == 1 for refs in references)
    gold = pl.Series([refs[0] for refs in references]) if single else pl.Series(references, dtype=pl.List(pl.String))
    return gold, pl.Series([output for output, _ in corpus])


def statistics(name: str, corpus: Pairs) -> Array:
    metric = find_metric(name, Task.TEXT)
    assert metric.statistics is not None
    return metric.statistics(*series(corpus))


def value(name: str, corpus: Pairs) -> float | None:
    found = float(find_metric(name, Task.TEXT).value(statistics(name, corpus).sum(axis=0)))
    return None if np.isnan(found) else found


def items(name: str, corpus: Pairs) -> list[float]:
    return [float(x) for x in find_metric(name, Task.TEXT).item_values(statistics(name, corpus))]


def columns(corpus: Pairs) -> list[list[str | None]]:
    return [list(column) for column in zip_longest(*(refs for _, refs in corpus))]


# ------------------------------------------------------------------ every metric


@pytest.mark.parametrize("name", EVERY)
def test_what_is_declared(name: str) -> None:
    metric = find_metric(name, Task.TEXT)
    assert metric.greater_is_better == (name not in LOWER)
    assert metric.best == (0.0 if name in LOWER else 100.0 if name in HUNDRED else 1.0)
    assert metric.scale == (100.0 if name in {*HUNDRED, "ter"} else 1.0)
    assert (metric.signature is not None) == (name in {*HUNDRED, "ter"})
    assert metric.additive
    assert metric.tasks == {Task.TEXT}


@pytest.mark.parametrize("name", EVERY)
@with_examples(30)
@given(corpora())
def test_an_output_that_is_a_reference_is_best(name: str, corpus: Pairs) -> None:
    best = find_metric(name, Task.TEXT).best
    one_of: Pairs = [(refs[len(output) % len(refs)], refs) for output, refs in corpus]
    assert items(name, one_of) == pytest.approx([best] * len(corpus), abs=1e-9)
    the_only: Pairs = [(output, [output]) for output, _ in corpus]
    assert value(name, the_only) in (None, pytest.approx(best, abs=1e-12))


@pytest.mark.parametrize("name", EVERY)
def test_nothing_expected(name: str) -> None:
    """Nothing returned is then right as an item and undefined as a corpus, but for means of items."""
    best = find_metric(name, Task.TEXT).best
    nothing: Pairs = [("", [""]), (" ", [""])]
    assert items(name, nothing) == [best, best]
    mean = name.startswith(("mean-", "rouge-")) or name == "token-f1"
    assert value(name, nothing) == (best if mean else None)
    if name == "token-accuracy":
        return
    invented: Pairs = [("one two three four", [""])]
    worst = 100.0 if name == "ter" else float(name in LOWER)
    assert items(name, invented) == [worst]
    assert value(name, invented) == worst
    assert items(name, [("", ["one two three four"])]) == [worst]


@pytest.mark.parametrize("name", [name for name in EVERY if not name.startswith("chrf")])
@with_examples(30)
@given(corpora())
def test_the_order_of_references_makes_no_difference(name: str, corpus: Pairs) -> None:
    """Only sacreBLEU's chrF takes the first of references that are equally good."""
    rows: Pairs = []
    as_given: list[int] = []
    for output, some in corpus:
        orders = list(permutations([output, *some] if name == "token-accuracy" else some))
        as_given += [len(rows)] * len(orders)
        rows += [(output, list(order)) for order in orders]
    found = statistics(name, rows)
    np.testing.assert_allclose(found, found[as_given], rtol=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_references_and_outputs_as_lists(name: str) -> None:
    """One reference in a list is one reference; an output cut at tabs is one text."""
    metric = find_metric(name, Task.TEXT)
    assert metric.statistics is not None
    gold, outputs = pl.Series(["a b c d", "e f"]), pl.Series(["a b\tc x", "e f"])
    plain = metric.statistics(gold, outputs)
    assert plain.shape[0] == 2
    np.testing.assert_array_equal(plain, metric.statistics(gold.str.split("\t"), outputs.str.split("\t")))
    with pytest.raises(ItemError, match="no reference") as error:
        metric.statistics(pl.Series([["a"], [], [None]], dtype=pl.List(pl.String)), pl.Series(["a", "b", "c"]))
    assert error.value.item == 1


@pytest.mark.parametrize("name", EVERY)
@with_examples(20)
@given(corpora(), st.data())
def test_statistics_of_items_make_those_of_any_corpus(name: str, corpus: Pairs, data: st.DataObject) -> None:
    if name == "token-accuracy":
        corpus = [(output, [output[::-1]]) for output, _ in corpus]
    one_by_one = np.concatenate([statistics(name, [pair]) for pair in corpus])
    np.testing.assert_allclose(one_by_one, statistics(name, corpus), rtol=1e-12)
    drawn = data.draw(st.lists(st.integers(0, len(corpus) - 1), min_size=1, max_size=9))
    found = float(find_metric(name, Task.TEXT).value(one_by_one[drawn].sum(axis=0)))
    expected = value(name, [corpus[i] for i in drawn])
    assert found == pytest.approx(np.nan if expected is None else expected, abs=1e-9, nan_ok=True)


# ------------------------------------------------------------------ sacreBLEU

SACRE: dict[str, Callable[..., Any]] = {
    "bleu": lambda **options: BLEU(force=True, **options),
    "chrf": lambda **_: CHRF(),
    "chrf++": lambda **_: CHRF(word_order=2),
    "ter": lambda **_: TER(),
}


@pytest.mark.parametrize("name", SACRE)
@given(corpora())
@example([("the cat sat on the mat", ["the cat sat on the mat"]), ("x", ["y", "z z"])])
@example([("", ["", "a b c d"]), ("a b c d e", ["a b c x e", "a b"])])
def test_sacrebleu_over_a_corpus(name: str, corpus: Pairs) -> None:
    """Where there is nothing to count, sacreBLEU says 0 and we say undefined."""
    outputs = [output for output, _ in corpus]
    expected = SACRE[name]().corpus_score(outputs, columns(corpus)).score
    found = value(name, corpus)
    if found is None:
        assert expected == 0.0
        assert max(len(BLEU().tokenizer(output).split()) for output in outputs) < (4 if name == "bleu" else 1)
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", SACRE)
@given(corpora())
def test_sacrebleu_over_sentences(name: str, corpus: Pairs) -> None:
    scorer = SACRE[name](effective_order=True)
    for found, (output, refs) in zip(items(name, corpus), corpus, strict=True):
        if not output.strip() and any(not ref.strip() for ref in refs):
            assert found == find_metric(name, Task.TEXT).best
        else:
            assert found == pytest.approx(scorer.sentence_score(output, refs).score, abs=1e-9)


@pytest.mark.parametrize("name", SACRE)
@pytest.mark.parametrize("references", [[["a"], ["b"]], [["a", "b"], ["c", "d"]], [["a", "b"], ["c"]]])
def test_sacrebleu_signature(name: str, references: list[list[str]]) -> None:
    metric, scorer = find_metric(name, Task.TEXT), SACRE[name]()
    corpus: Pairs = [("x", refs) for refs in references]
    scorer.corpus_score(["x", "x"], columns(corpus))
    assert metric.signature is not None
    assert metric.signature(series(corpus)[0]) == str(scorer.get_signature())


def test_bleu_is_undefined_where_neither_side_has_four_tokens() -> None:
    assert value("bleu", [("yes", ["yes"]), ("oh no", ["no"])]) is None
    assert value("bleu", [("yes", ["yes"]), ("no", ["it is not so"])]) == 0.0
    assert items("bleu", [("yes", ["yes"]), ("oh no", ["no"])]) == pytest.approx([100.0, 50.0])


# ------------------------------------------------------------------ GLEU


@given(corpora())
def test_gleu_by_nltk(corpus: Pairs) -> None:
    """NLTK takes the first of references that are equally good, we the shortest; to it nothing at all is wrong."""
    split = [(o.split(), sorted((r.split() for r in refs), key=len)) for o, refs in corpus]
    for found, (output, refs) in zip(items("gleu", corpus), split, strict=True):
        nothing = not output and not refs[0]
        assert found == pytest.approx(1.0 if nothing else sentence_gleu(refs, output), abs=1e-12)
    counted = [(output, refs) for output, refs in split if output or refs[0]]
    expected = corpus_gleu([refs for _, refs in counted], [output for output, _ in counted]) if counted else None
    assert value("gleu", corpus) == (None if expected is None else pytest.approx(expected, abs=1e-12))


# ------------------------------------------------------------------ ROUGE


@pytest.mark.parametrize("name", ["rouge-1", "rouge-2", "rouge-l"])
@given(corpora(ASCII))
def test_rouge_by_rouge_score(name: str, corpus: Pairs) -> None:
    """The package gives 0 where both sides have nothing to count; to us the same words are right, however few."""
    kind = "rougeL" if name == "rouge-l" else f"rouge{name[-1]}"
    scorer = RougeScorer([kind])
    needed = 2 if name == "rouge-2" else 1
    expected = []
    for output, refs in corpus:
        best = scorer.score_multi(refs, output)[kind].fmeasure
        made = [re.findall("[a-z0-9]+", text.lower()) for text in (output, *refs)]
        expected.append(1.0 if len(made[0]) < needed and made[0] in made[1:] else best)
    assert items(name, corpus) == pytest.approx(expected, abs=1e-12)
    assert value(name, corpus) == pytest.approx(np.mean(expected), abs=1e-12)


def test_rouge_reads_all_scripts() -> None:
    corpus: Pairs = [("Привет, мир!", ["привет мир"]), ("मनुष्य है", ["मनुष्य था"]), ("我们 走", ["我们来"])]
    assert items("rouge-1", corpus) == pytest.approx([1.0, 0.5, 2 / 3])
    assert items("rouge-2", corpus) == pytest.approx([1.0, 0.0, 0.5])
    assert items("rouge-2", [("yes", ["Yes."]), ("yes", ["no"])]) == [1.0, 0.0]


# ------------------------------------------------------------------ error rates

spaced = tuple(word for word in ASCII + UNICODE if word.strip())


@pytest.mark.parametrize(("name", "oracle"), [("wer", jiwer.wer), ("cer", jiwer.cer)])
@given(corpora(spaced, references=1))
def test_error_rates_by_jiwer(name: str, oracle: Callable[..., float], corpus: Pairs) -> None:
    pairs = [(output, refs[0]) for output, refs in corpus]
    rates = [oracle(ref, output) if ref else float(bool(output)) for output, ref in pairs]
    assert items(name, corpus) == pytest.approx(rates, abs=1e-12)
    assert value(f"mean-{name}", corpus) == pytest.approx(np.mean(rates), abs=1e-12)
    if any(ref for _, ref in pairs):
        expected = oracle([ref for _, ref in pairs], [output for output, _ in pairs])
        assert value(name, corpus) == pytest.approx(expected, abs=1e-12)
        assert value(f"{name}-accuracy", corpus) == pytest.approx(max(0.0, 1 - expected), abs=1e-12)
    assert items(f"{name}-accuracy", corpus) == pytest.approx([max(0.0, 1 - rate) for rate in rates], abs=1e-12)


def test_the_reference_with_the_lowest_rate_counts() -> None:
    corpus: Pairs = [("a b c", ["a b x", "a b c d e f g h", "a"]), ("a x", ["y", "a b c d"]), ("q", ["", "r s"])]
    assert statistics("wer", corpus).tolist() == [[1, 3], [3, 4], [1, 0]]
    assert items("wer", corpus) == [1 / 3, 3 / 4, 1.0]


# ------------------------------------------------------------------ words


def squad_f1(output: str, reference: str) -> float:
    """The official script of SQuAD 2.0."""

    def normalised(text: str) -> list[str]:
        text = "".join(c for c in text.lower() if c not in set(string.punctuation))
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    returned, expected = normalised(output), normalised(reference)
    common = sum((Counter(returned) & Counter(expected)).values())
    if not returned or not expected:
        return float(returned == expected)
    if not common:
        return 0.0
    precision, recall = common / len(returned), common / len(expected)
    return 2 * precision * recall / (precision + recall)


@given(corpora())
def test_token_f1_by_squad(corpus: Pairs) -> None:
    expected = [max(squad_f1(output, ref) for ref in refs) for output, refs in corpus]
    assert items("token-f1", corpus) == pytest.approx(expected, abs=1e-12)
    assert value("token-f1", corpus) == pytest.approx(np.mean(expected), abs=1e-12)


def test_token_accuracy() -> None:
    corpus: Pairs = [("D N V", ["D N N"]), ("", [""]), ("D  N", ["D V", "N D", "D N V"])]
    assert statistics("token-accuracy", corpus).tolist() == [[3, 2], [0, 0], [2, 1]]
    assert value("token-accuracy", corpus) == 3 / 5
    with pytest.raises(ItemError, match="1 tokens where the reference has 3") as error:
        statistics("token-accuracy", [*corpus, ("D", ["D N V"])])
    assert error.value.item == 3


# ------------------------------------------------------------------ the whole way


def test_an_item_that_cannot_be_read_is_named() -> None:
    evaluation = Evaluation.from_texts(["a b", "c d"], {"s": ["a b", "c"]})
    with pytest.raises(UserError, match=r"^token-accuracy: s, item 1 \(counted from 0\): 1 tokens"):
        score(evaluation, metrics=["token-accuracy"])


def test_texts_in_a_result() -> None:
    gold = [["It is a guide to action .", "a guide"], ["So be it , then ."]]
    evaluation = Evaluation.from_texts(gold, {"a": ["It is a guide .", "So be it ."], "b": ["no", "So be it , then ."]})
    result = score(evaluation, metrics=["bleu", "ter", "rouge-l"], resamples=20)
    assert result.lower_is_better == ("ter",)
    assert "| bleu(nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:" in result.signature
    assert "| ter(nrefs:var|case:lc|" in result.signature
    assert "rouge-l(" not in result.signature
    expected = BLEU().corpus_score(["no", "So be it , then ."], [[gold[0][0], gold[1][0]], [gold[0][1], None]])  # type: ignore[list-item]
    assert result.systems["b"].metrics["bleu"].value == pytest.approx(expected.score, abs=1e-9)


def test_ted(shared_data: Path) -> None:
    folder = shared_data / "ted-slk-eng"
    if not folder.is_dir():
        pytest.skip("needs ted-slk-eng")
    names = {name: folder / f"ted_multi_slk_eng-{name}-output.txt" for name in ("nmt", "pbmt")}
    lines = (folder / "ted_multi_slk_eng-dataset.tsv").read_text(encoding="utf-8").splitlines()[:600]
    references = [line.split("\t")[1] for line in lines]
    outputs = {name: path.read_text(encoding="utf-8").splitlines()[:600] for name, path in names.items()}
    metrics = ["bleu", "chrf", "chrf++", "wer", "cer", "gleu"]
    result = score(Evaluation.from_texts(references, outputs), metrics=metrics, resamples=0)
    for name, texts in outputs.items():
        found = {metric: value.value for metric, value in result.systems[name].metrics.items()}
        for metric in ("bleu", "chrf", "chrf++"):
            assert found[metric] == pytest.approx(SACRE[metric]().corpus_score(texts, [references]).score, abs=1e-9)
        assert found["wer"] == pytest.approx(jiwer.wer(references, texts), abs=1e-12)
        assert found["cer"] == pytest.approx(jiwer.cer(references, texts), abs=1e-12)
        expected = corpus_gleu([[ref.split()] for ref in references], [text.split() for text in texts])
        assert found["gleu"] == pytest.approx(expected, abs=1e-12)


def test_listing_metrics_imports_no_scorer() -> None:
    code = "import sys; from slicewise.metrics import catalogue; from slicewise.annotations import Task; "
    code += "catalogue(Task.TEXT); print([name for name in ('sacrebleu', 'rapidfuzz') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
