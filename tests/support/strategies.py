"""Small and odd corpora of every task, in the form that an `Evaluation` is made from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from slicewise import Evaluation
from slicewise.annotations import Task
from slicewise.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

LABELS = ("A", "B", "C-D")
NAMES = ("a", "b b", "Ä", "<i>", "long-name.v2")
BETAS = (1.0, 2.0, 0.5)


@dataclass(frozen=True)
class Corpus:
    """Gold and systems, one answer per item: spans, tags, a label, labels, a text or a score."""

    task: Task
    systems: dict[str, tuple[Any, ...]]
    gold: tuple[Any, ...] | None = None
    documents: tuple[str, ...] | None = None
    lengths: tuple[int, ...] = ()
    """In `spans`, the number of tokens of each item."""
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str | None = None
    """In `text`, what its items look like."""

    @property
    def items(self) -> int:
        return len(next(iter(self.systems.values())))

    def evaluation(self, **more: Any) -> Evaluation:
        options = {**self.options, **more}
        gold = () if self.gold is None else self.gold
        if self.task is Task.SPANS:
            tokens = [["w"] * n for n in self.lengths]
            return Evaluation.from_spans(tokens, gold, self.systems, documents=self.documents, **options)
        if self.task is Task.TOKENS:
            return Evaluation.from_tags(None, gold, self.systems, documents=self.documents, task=Task.TOKENS, **options)
        if self.task is Task.SCORES:
            return Evaluation.from_scores(self.systems, clusters=self.documents, **options)
        if self.task is Task.TEXT:
            return Evaluation.from_texts(gold, self.systems, clusters=self.documents, **options)
        options["task"] = self.task
        return Evaluation.from_labels(gold, self.systems, clusters=self.documents, **options)

    def take(self, order: Sequence[int]) -> Corpus:
        """Return some items, in this order."""
        return replace(
            self,
            systems={name: tuple(outputs[i] for i in order) for name, outputs in self.systems.items()},
            gold=None if self.gold is None else tuple(self.gold[i] for i in order),
            documents=None if self.documents is None else tuple(self.documents[i] for i in order),
            lengths=tuple(self.lengths[i] for i in order) if self.lengths else (),
        )

    def named(self, names: Mapping[str, str]) -> Corpus:
        """Return the corpus with other names of the systems, in the order of `names`."""
        return replace(self, systems={new: self.systems[old] for old, new in names.items()})

    def right(self) -> tuple[Any, ...]:
        """Return the outputs of a system that is never wrong."""
        kind = KINDS[self.kind or "words"]
        gold = () if self.gold is None else self.gold
        return tuple(map(kind.right, gold)) if self.task is Task.TEXT else gold

    def relabelled(self, labels: Mapping[str, str]) -> Corpus:
        """Return the corpus under other labels."""

        def one(answer: Any) -> Any:
            if self.task is Task.SPANS:
                return tuple((start, end, labels[label]) for start, end, label in answer)
            if self.task is Task.TOKENS:
                return tuple(labels.get(tag, tag) for tag in answer)
            if self.task is Task.MULTILABEL:
                return tuple(labels[label] for label in answer)
            return labels.get(answer, answer)

        gold = None if self.gold is None else tuple(one(answer) for answer in self.gold)
        return replace(self, systems={name: tuple(map(one, out)) for name, out in self.systems.items()}, gold=gold)

    def reversed_answers(self) -> Corpus:
        """Return the corpus with what stands in each answer of a set task in the opposite order."""
        if self.task not in (Task.SPANS, Task.MULTILABEL):
            return self
        gold = None if self.gold is None else tuple(answer[::-1] for answer in self.gold)
        return replace(
            self, systems={name: tuple(a[::-1] for a in out) for name, out in self.systems.items()}, gold=gold
        )


def spans(length: int) -> SearchStrategy[tuple[tuple[int, int, str], ...]]:
    """Distinct spans over `length` tokens; they may overlap and nest."""
    if not length:
        return st.just(())
    place = st.tuples(st.integers(0, length - 1), st.integers(1, 3), st.sampled_from(LABELS))
    span = place.map(lambda p: (p[0], min(p[0] + p[1], length), p[2]))
    return st.lists(span, max_size=4, unique=True).map(tuple)


def tags(length: int) -> SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(("O", "O", *LABELS)), min_size=length, max_size=length).map(tuple)


words = st.sampled_from(("yes", "no", "yes, no", "", "né")).map(str)
fractions = st.one_of(st.integers(-3, 10).map(lambda n: n / 10), st.floats(-1e3, 1e3, allow_subnormal=False))
ids = st.lists(st.sampled_from("abcd"), max_size=4)
spoken = st.sampled_from(("yes", "no", "We", "we", "can't", "go,", "né", "走", "."))


@dataclass(frozen=True)
class Kind:
    """What the items of some metrics of `text` look like."""

    gold: SearchStrategy[Any]
    output: Callable[[Any], SearchStrategy[Any]]
    """Outputs for an item, given its gold."""
    two: tuple[Any, Any]
    """The gold of two items that are not alike."""
    right: Callable[[Any], Any] = lambda gold: gold
    """The best output for an item."""


def either(one: SearchStrategy[Any]) -> Kind:
    """Gold and outputs of the same kind, whatever the other is."""
    return Kind(one, lambda _: one, ("yes", "no"))


KINDS: dict[str, Kind] = {
    "words": either(words),
    "sentences": replace(either(st.lists(spoken, max_size=7).map(" ".join)), two=("yes we can go .", "no")),
    "tokens": Kind(
        st.lists(spoken, max_size=5).map(" ".join),
        lambda gold: st.lists(spoken, min_size=len(gold.split()), max_size=len(gold.split())).map(" ".join),
        two=("yes we can", "no"),
    ),
    "numbers": replace(either(fractions.map(str)), two=("0.5", "-2")),
    "probabilities": Kind(
        st.sampled_from("01"), lambda _: st.integers(0, 100).map(lambda n: str(n / 100)), two=("0", "1")
    ),
    "log-probabilities": Kind(
        st.sampled_from(("", "a", "a b", "a b c")),
        lambda gold: st.lists(st.floats(-5, 0), min_size=bool(gold), max_size=4).map(
            lambda all_: " ".join(map(str, all_))
        ),
        two=("a", "b c"),
        right=lambda gold: " ".join("0" for _ in gold.split()),
    ),
    "rankings": Kind(ids.map(tuple), lambda _: ids.map(tuple), two=(("a",), ("b", "c"))),
    "label sets": Kind(
        st.lists(st.sampled_from(LABELS), max_size=3).map(" ".join),
        lambda _: st.lists(st.sampled_from((*LABELS, "A:0.2", "B:0.5", "C-D:1", "a:b")), max_size=3).map(" ".join),
        two=("A", "A B"),
    ),
}
"""What the metrics of `text` read."""

KIND_OF: dict[str, str] = {
    "exact-match": "words",
    "nmi": "words",
    **dict.fromkeys(("bleu", "chrf", "chrf++", "ter", "gleu", "rouge-1", "rouge-2", "rouge-l"), "sentences"),
    **dict.fromkeys(("wer", "cer", "mean-wer", "mean-cer", "wer-accuracy", "cer-accuracy", "token-f1"), "sentences"),
    "token-accuracy": "tokens",
    **dict.fromkeys(("mse", "rmse", "mae", "smape", "pearson", "spearman"), "numbers"),
    **dict.fromkeys(("log-loss", "likelihood", "brier", "ece"), "probabilities"),
    "perplexity": "log-probabilities",
    **dict.fromkeys(("map", "mrr", "ndcg@10"), "rankings"),
    **{f"{soft}multilabel-f{beta:g}": "label sets" for soft in ("", "soft-") for beta in BETAS},
}
"""The kind of items that each metric of `text` can read."""

ANSWERS: dict[Task, SearchStrategy[Any]] = {
    Task.LABELS: st.sampled_from(LABELS),
    Task.MULTILABEL: st.lists(st.sampled_from(LABELS), max_size=3, unique=True).map(tuple),
    Task.SCORES: fractions,
}
"""One answer of the tasks whose items have no length."""


def covered_metrics(task: Task, kind: str | None = None) -> set[str]:
    """Return the metrics that the corpora of a task can be scored by; of `text`, those of a kind."""
    if task is Task.TEXT:
        return {name for name, own in KIND_OF.items() if kind in (None, own)}
    return {name for beta in BETAS for name in catalogue(task, beta)}


@st.composite
def corpora(
    draw: DrawFn,
    task: Task,
    *,
    items: tuple[int, int] = (1, 7),
    systems: tuple[int, int] = (1, 3),
    documents: bool | None = None,
    kind: str | None = None,
) -> Corpus:
    """A corpus whose systems often agree with gold.

    `documents`: whether items are drawn together, None = either. `kind`: what the items of `text` look like.
    """
    n = draw(st.integers(*items))
    kind = (kind or "words") if task is Task.TEXT else None
    lengths = tuple(draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)))

    def answers() -> list[SearchStrategy[Any]]:
        if task is Task.SPANS:
            return [spans(length) for length in lengths]
        if task is Task.TOKENS:
            return [tags(length) for length in lengths]
        return [ANSWERS[task] if kind is None else KINDS[kind].gold] * n

    gold = None if task is Task.SCORES else tuple(draw(answer) for answer in answers())
    names = draw(st.lists(st.sampled_from(NAMES), min_size=systems[0], max_size=systems[1], unique=True))
    found: dict[str, tuple[Any, ...]] = {}
    for name in names:
        right = draw(st.lists(st.booleans(), min_size=n, max_size=n)) if gold is not None else [False] * n
        if kind is not None and gold is not None:
            found[name] = tuple(
                KINDS[kind].right(g) if ok else draw(KINDS[kind].output(g)) for g, ok in zip(gold, right, strict=True)
            )
            continue
        found[name] = tuple(
            gold[i] if gold is not None and right[i] else draw(answer) for i, answer in enumerate(answers())
        )
    drawn = st.lists(st.sampled_from(("d1", "d2", "d3")), min_size=n, max_size=n)
    with_documents = draw(st.booleans()) if documents is None else documents
    return Corpus(
        task=task,
        systems=found,
        gold=gold,
        documents=tuple(draw(drawn)) if with_documents else None,
        lengths=lengths if task is Task.SPANS else (),
        kind=kind,
    )


def tag_sequences(prefixes: str, types: Sequence[str] = ("PER", "LOC", "geo-loc")) -> SearchStrategy[list[list[str]]]:
    """Sentences of tags with these prefixes, allowed by a scheme or not."""
    names = ["O", "O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in types)]
    return st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=8), min_size=1, max_size=6)


@st.composite
def tagged_pairs(draw: DrawFn, prefixes: str) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and predicted tags of the same sentences; about half of the predicted tags are gold's."""
    gold = draw(tag_sequences(prefixes))
    names = sorted({tag for sentence in gold for tag in sentence} | {f"{prefixes[0]}-PER", f"{prefixes[-1]}-LOC", "O"})
    other = st.sampled_from(names)
    predicted = [[tag if draw(st.booleans()) else draw(other) for tag in sentence] for sentence in gold]
    return gold, predicted
