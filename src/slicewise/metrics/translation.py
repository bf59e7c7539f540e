"""Metrics of translation, from sacreBLEU's counts per segment and with its signature, between 0 and 100.

The arithmetic on the sums is sacreBLEU's too, but for many sums at once. Where there is nothing to count, sacreBLEU
says 0; here a corpus is then undefined, and an item with nothing expected and nothing returned is right.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slicewise.arrays import Array
from slicewise.metrics.metric import Metric, text_metric
from slicewise.metrics.texts import output_texts, reference_lists
from slicewise.stats.ratio import ratio

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer

ORDER = 4
"""The longest n-grams of BLEU."""
AT_ONCE = 1000
"""Items that sacreBLEU is given together: it keeps all n-grams of their references, some 30 kB a sentence in chrF."""
BETA = 2
"""How much more recall counts than precision in chrF."""
OUTPUT_LENGTH, REFERENCE_LENGTH, CORRECT = 0, 1, slice(2, 2 + ORDER)
TOTAL, REFERENCE_LONGEST = slice(2 + ORDER, 2 + 2 * ORDER), 2 + 2 * ORDER


def scorer(name: str, references: Any = None) -> Scorer:
    """Return sacreBLEU's own metric; `force`: it shall not print its advice on tokenised text."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if name == "bleu":
        return BLEU(force=True, tokenize="13a", references=references)
    if name == "ter":
        return TER(references=references)
    return CHRF(word_order=name.count("+"), references=references)


def segments(name: str, gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Return sacreBLEU's statistics of each segment, those that its own tests resample."""
    listed, texts, counter = reference_lists(gold), output_texts(outputs).to_list(), scorer(name)
    if not texts:
        return segments(name, pl.Series(["x"]), pl.Series(["x"]))[:0]
    places = range(int(listed.list.len().to_numpy().max()))
    columns = [listed.list.get(i, null_on_oob=True).to_list() for i in places]
    statistics: list[list[float]] = []
    for start in range(0, len(texts), AT_ONCE):
        block = slice(start, start + AT_ONCE)
        statistics += counter._extract_corpus_statistics(texts[block], [column[block] for column in columns])
    return np.array(statistics, np.float64)


def signature(name: str, gold: pl.Series | None) -> str:
    """Return sacreBLEU's signature, in which only the number of references per item depends on the data."""
    numbers = reference_lists(gold).list.len().unique().to_list()
    stand_ins = [["x" if i < n else None for n in numbers] for i in range(max(numbers))]
    return str(scorer(name, stand_ins).get_signature())


def bleu_counts(gold: pl.Series | None, outputs: pl.Series) -> Array:
    """Lengths, n-grams that match, n-grams of the output, and how many of the longest the reference has."""
    counts = segments("bleu", gold, outputs)
    return np.column_stack([counts, np.maximum(counts[:, REFERENCE_LENGTH] - ORDER + 1, 0)])


def bleu(sums: Array) -> Array:
    """BLEU; undefined where neither the output nor the reference has an n-gram of the highest order."""
    longest = sums[..., TOTAL][..., -1] + sums[..., REFERENCE_LONGEST]
    return np.where(longest > 0, _bleu(sums, np.full(sums.shape[:-1], ORDER)), np.nan)


def sentence_bleu(sums: Array) -> Array:
    """BLEU over the orders that the output has n-grams of."""
    empty = sums[..., OUTPUT_LENGTH] + sums[..., REFERENCE_LENGTH] == 0
    orders = np.maximum((sums[..., TOTAL] > 0).sum(axis=-1), 1)
    return np.where(empty, 100.0, _bleu(sums, orders))


def _bleu(sums: Array, orders: Array) -> Array:
    correct, total = sums[..., CORRECT], sums[..., TOTAL]
    # smoothing `exp`: the first order without a match has half a match, the second a quarter …
    missed = (correct == 0) & (total > 0)
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), correct)
    used = np.arange(ORDER) < orders[..., None]
    defined = (correct[..., 0] > 0) & ((total > 0) | ~used).all(axis=-1)
    shares = np.divide(smoothed, total, out=np.ones(total.shape), where=used & (total > 0) & defined[..., None])
    lengths = sums[..., [REFERENCE_LENGTH, OUTPUT_LENGTH]]
    excess = np.divide(lengths[..., 0], lengths[..., 1], out=np.ones(defined.shape), where=lengths[..., 1] > 0)
    brevity = np.exp(np.minimum(1 - excess, 0.0))
    return np.where(defined, 100 * brevity * np.exp(np.log(shares).sum(axis=-1) / orders), 0.0)


def chrf_counts(gold: pl.Series | None, outputs: pl.Series, name: str = "chrf") -> Array:
    """Whether there is any text; then n-grams of the output, of the reference and of both, order by order."""
    silent = output_texts(outputs).str.contains(r"\S").not_()
    unasked = reference_lists(gold).list.eval(pl.element().str.contains(r"\S").not_()).list.any()
    return np.column_stack([~(silent & unasked).to_numpy(), segments(name, gold, outputs)])


def chrf(sums: Array) -> Array:
    """F_2 of the mean precision and the mean recall of the orders that both sides have n-grams of."""
    return np.where(sums[..., 0] > 0, _chrf(sums), np.nan)


def sentence_chrf(sums: Array) -> Array:
    """Finish one item in the same way; nothing expected and nothing returned is right."""
    return np.where(sums[..., 0] > 0, _chrf(sums), 100.0)


def _chrf(sums: Array) -> Array:
    output, reference, matched = (sums[..., start::3] for start in (1, 2, 3))
    used = (output > 0) & (reference > 0)
    precision, recall = (
        np.nan_to_num(ratio(np.where(used, ratio(matched, side), 0.0).sum(axis=-1), used.sum(axis=-1)))
        for side in (output, reference)
    )
    return 100 * np.nan_to_num(ratio((1 + BETA**2) * precision * recall, BETA**2 * precision + recall))


def ter(sums: Array) -> Array:
    """Edits per 100 words of the reference; 100 where there are edits and no words."""
    edits, length = sums[..., 0], sums[..., 1]
    return np.where((length == 0) & (edits > 0), 100.0, 100 * ratio(edits, length))


def sentence_ter(sums: Array) -> Array:
    """Finish one item in the same way; nothing expected and nothing returned is right."""
    return np.where(sums.sum(axis=-1) == 0, 0.0, ter(sums))


def _percent(
    name: str, summary: str, statistics: Callable[..., Array], *finishes: Callable[[Array], Array], **properties: Any
) -> Metric:
    """Return a metric between 0 and 100; its finishes are those of a corpus and of an item."""
    finish, item_finish = finishes
    properties = {"best": 100.0, "scale": 100.0, "signature": partial(signature, name)} | properties
    return text_metric(name, summary, statistics, finish, item_finish=item_finish, **properties)


METRICS = [
    _percent("bleu", "BLEU by sacreBLEU, 0 to 100", bleu_counts, bleu, sentence_bleu),
    *(
        _percent(name, f"{title} by sacreBLEU, 0 to 100", partial(chrf_counts, name=name), chrf, sentence_chrf)
        for name, title in (("chrf", "chrF"), ("chrf++", "chrF++ (words too)"))
    ),
    _percent(
        "ter",
        "translation edit rate by sacreBLEU: edits per 100 words of the reference",
        partial(segments, "ter"),
        ter,
        sentence_ter,
        greater_is_better=False,
        best=0.0,
        worst=None,
    ),
]
