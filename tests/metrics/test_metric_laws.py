"""What must hold for every metric of every task; a new one is tested the day it is listed."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from support.few_draws import few_draws
from support.profiles import with_examples
from support.slow_scores import f_beta
from support.strategies import BETAS, KINDS, LABELS, Corpus, corpora, covered_metrics

import slicewise.metrics
from slicewise import score, units
from slicewise.annotations import Task
from slicewise.engine.cells import count_cells, item_statistics, metric_cells
from slicewise.metrics import DEFAULTS, catalogue, find_metric
from slicewise.metrics.counts import FIRST_LABEL
from slicewise.metrics.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from slicewise import Evaluation
    from slicewise.lenses.score.result import ScoreResult

TASKS = list(Task)
SETS = [task for task in Task if task.has_units]
CASES: list[tuple[Task, str | None]] = [
    *((task, None) for task in TASKS if task is not Task.TEXT),
    *((Task.TEXT, kind) for kind in KINDS),
]
SHARES = ("accuracy", "balanced-accuracy", "exact-match", "hamming-loss", "likelihood", "brier", "ece", "nmi")
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(SHARES, (0, 1)),
    **dict.fromkeys(("map", "mrr", "ndcg@10"), (0, 1)),
    **dict.fromkeys(("kappa", "mcc", "pearson", "spearman"), (-1, 1)),
    **dict.fromkeys(("mse", "rmse", "mae", "log-loss"), (0, np.inf)),
    **dict.fromkeys(("gleu", "rouge-1", "rouge-2", "rouge-l", "token-f1", "token-accuracy"), (0, 1)),
    **dict.fromkeys(("wer-accuracy", "cer-accuracy"), (0, 1)),
    **dict.fromkeys(("wer", "cer", "mean-wer", "mean-cer", "ter"), (0, np.inf)),
    **dict.fromkeys(("bleu", "chrf", "chrf++"), (0, 100)),
    "smape": (0, 100),
    "perplexity": (1, np.inf),
    "mean": (-np.inf, np.inf),
}
"""The smallest and the largest value that a metric can have; those of sets, F and the like, are between 0 and 1."""
ORACLE = "oracle"
SHIFTED = {"pearson"}
"""Metrics whose statistics are taken from a point of the corpus: those of two corpora cannot be added."""
SMOOTHED = {"bleu"}
"""Metrics that put something in the place of no match, so that two copies of a corpus may score otherwise."""
every_case = pytest.mark.parametrize(("task", "kind"), CASES)
every_task = pytest.mark.parametrize("task", TASKS)
every_set_task = pytest.mark.parametrize("task", SETS)
pytestmark = pytest.mark.hypothesis  # also where the data are drawn once for all laws
drawn = with_examples(10, HealthCheck.filter_too_much, shrink=False)


@pytest.fixture(autouse=True, scope="module")
def draws() -> Iterator[None]:
    """None of these laws depends on how many draws a test makes."""
    with few_draws(50, for_each_pair=1):
        yield


def every_metric(task: Task) -> dict[str, Metric]:
    return {name: metric for beta in BETAS for name, metric in catalogue(task, beta).items()}


def readable(corpus: Corpus) -> dict[str, Metric]:
    """The metrics that can read a corpus."""
    covered = covered_metrics(corpus.task, corpus.kind)
    return {name: metric for name, metric in every_metric(corpus.task).items() if name in covered}


def scored(corpus: Corpus, *, resamples: int = 0, **options: Any) -> ScoreResult:
    return score(corpus.evaluation(**options), metrics=list(readable(corpus)), resamples=resamples, seed=3)


def cells(corpus: Corpus, evaluation: Evaluation | None = None) -> list[tuple[Metric, NDArray[np.float64]]]:
    """Every metric of a corpus with its statistics, `(groups, systems, k)`."""
    evaluation = corpus.evaluation() if evaluation is None else evaluation
    systems = evaluation.systems
    counts = count_cells(evaluation, systems) if evaluation.task.has_units else np.zeros((0, 0, 0))
    return [
        (metric, counts if metric.statistics is None else metric_cells(evaluation, metric, systems))
        for metric in readable(corpus).values()
    ]


def sums(corpus: Corpus, evaluation: Evaluation | None = None) -> list[tuple[Metric, NDArray[np.float64]]]:
    """Those whose statistics may be summed."""
    return [(metric, statistics) for metric, statistics in cells(corpus, evaluation) if metric.additive]


@dataclass(frozen=True)
class Drawn:
    """A corpus that was drawn, with what several laws ask of it."""

    corpus: Corpus
    chance: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.chance)

    @cached_property
    def evaluation(self) -> Evaluation:
        return self.corpus.evaluation()

    @cached_property
    def cells(self) -> list[tuple[Metric, NDArray[np.float64]]]:
        return cells(self.corpus, self.evaluation)

    @property
    def sums(self) -> list[tuple[Metric, NDArray[np.float64]]]:
        return [(metric, statistics) for metric, statistics in self.cells if metric.additive]

    @property
    def with_oracle(self) -> Corpus:
        """The corpus with a system that is never wrong; scores have none."""
        if self.corpus.task is Task.SCORES:
            return self.corpus
        return replace(self.corpus, systems=self.corpus.systems | {ORACLE: self.corpus.right()})

    @cached_property
    def result(self) -> ScoreResult:
        return scored(self.with_oracle)

    @cached_property
    def resampled(self) -> ScoreResult:
        return scored(self.corpus, resamples=20)


@cache
def drawn_of(task: Task, kind: str | None = None) -> list[Drawn]:
    """Draw the corpora of a case: the same for every law, so that each is scored once."""
    found: list[Corpus] = []
    for systems in (1, 2, 3):

        @with_examples(3, HealthCheck.filter_too_much, shrink=False)
        @given(corpora(task, systems=(systems, systems), kind=kind))
        def keep(corpus: Corpus) -> None:
            found.append(corpus)

        keep()
    assert {len(corpus.systems) for corpus in found} == {1, 2, 3}
    return [Drawn(corpus, chance) for chance, corpus in enumerate(found)]


def numbers(result: ScoreResult) -> dict[str, Any]:
    """Everything a result says about systems and pairs, by name and not in order."""
    body = result.to_dict()["result"]
    found: dict[str, Any] = dict(body["systems"])
    return found | {f"{pair['a']} {pair['b']} {pair['metric']}": pair for pair in body["pairs"]}


def renamed(result: ScoreResult, names: dict[str, str]) -> dict[str, Any]:
    """The same under other names; a pair may have to turn round, which can change the last bit of its interval."""
    body = result.to_dict()["result"]
    found: dict[str, Any] = {names[name]: scores for name, scores in body["systems"].items()}
    for pair in body["pairs"]:
        a, b, sign = names[pair["a"]], names[pair["b"]], 1
        values, ci, difference = [pair["a_value"], pair["b_value"]], pair["ci"], pair["difference"]
        if a > b:
            a, b, sign, values, ci = b, a, -1, values[::-1], ci and ci[::-1]
        rounded = [None if x is None else float(f"{round(sign * x, 9) + 0.0:.9g}") for x in (difference, *(ci or []))]
        found[f"{a} {b} {pair['metric']}"] = [*values, *rounded, pair["p"], pair["q"]]
    return found


def same(found: Any, expected: Any) -> bool:
    """Whether two results say the same, but for the last bits of sums of fractions."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return bool(found == (pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected))


def has_mirror_images(own: Drawn) -> bool:
    """Say whether two systems have the same statistics in other clusters; nothing but their order tells them apart."""
    parts = [statistics for _, statistics in own.cells]
    columns = [[part[:, i].tolist() for part in parts] for i in range(len(own.corpus.systems))]
    different = {str(c) for c in columns}
    return len(different) != len({str([sorted(part) for part in c]) for c in columns})


# ------------------------------------------------------------------ nothing is left out


@every_task
def test_every_metric_has_corpora_to_be_tested_on(task: Task) -> None:
    assert set(every_metric(task)) == covered_metrics(task)
    assert set(DEFAULTS[task]) <= covered_metrics(task)
    assert {name for name in every_metric(task) if value_range(name) is None} == set(), "say above what range it has"


def value_range(name: str) -> tuple[float, float] | None:
    bare = re.sub("^(macro|weighted|multilabel|soft-multilabel)-", "", name)
    sets = {"precision", "recall", *(f"f{beta:g}" for beta in BETAS)}
    return RANGES.get(name, (0, 1) if bare in sets else None)


def test_every_metric_that_is_written_is_listed() -> None:
    listed = {id(metric) for task in Task for metric in catalogue(task).values()}
    written = 0
    for module in pkgutil.iter_modules(slicewise.metrics.__path__, "slicewise.metrics."):
        for name, value in vars(import_module(module.name)).items():
            for metric in value if isinstance(value, list) else [value]:
                if isinstance(metric, Metric):
                    written += 1
                    assert id(metric) in listed, f"{module.name}.{name}: {metric.name} is in no task's catalogue"
    assert written >= 7


@every_task
def test_a_metric_is_found_by_the_name_it_is_listed_under(task: Task) -> None:
    for name, metric in every_metric(task).items():
        assert metric.name == name
        assert task in metric.tasks
        assert find_metric(name, task).name == name


# ------------------------------------------------------------------ order and names


@every_case
def test_the_order_of_items_systems_and_predictions_makes_no_difference(task: Task, kind: str | None) -> None:
    told_apart = [own for own in drawn_of(task, kind) if not has_mirror_images(own)]
    assert told_apart
    for own in told_apart:
        order = own.rng.permutation(own.corpus.items).tolist()
        names = own.rng.permutation(list(own.corpus.systems)).tolist()
        other = own.corpus.take(order).named({name: name for name in names}).reversed_answers()
        assert same(numbers(own.resampled), numbers(scored(other, resamples=20)))


def test_the_order_of_items_in_a_document_makes_no_difference() -> None:
    """Sums of fractions depend on their order in the last bit; which documents are drawn must not."""
    rng = np.random.default_rng(5)
    corpus = Corpus(
        Task.SCORES,
        {name: tuple(rng.random(60).tolist()) for name in "ab"},
        documents=tuple(str(d) for d in rng.integers(0, 6, 60)),
    )
    other = corpus.take(rng.permutation(60).tolist())
    assert numbers(scored(corpus, resamples=50)) == numbers(scored(other, resamples=50))


@every_case
def test_the_names_of_systems_make_no_difference(task: Task, kind: str | None) -> None:
    told_apart = [own for own in drawn_of(task, kind) if len(own.corpus.systems) > 1 and not has_mirror_images(own)]
    assert told_apart
    for own in told_apart:
        others = own.rng.permutation(["x", "A", "ß", "a"]).tolist()
        names = dict(zip(own.corpus.systems, others, strict=False))
        after = scored(own.corpus.named(names), resamples=20)
        assert same(renamed(own.resampled, names), renamed(after, {name: name for name in names.values()}))


@pytest.mark.parametrize("name", ["*", "^a.*$", "^.*$", "tp:a", "n_gold", "0:1", "a", " "])
@pytest.mark.parametrize("task", [Task.SPANS, Task.TOKENS, Task.LABELS])
def test_a_name_is_a_name_and_nothing_else(task: Task, name: str) -> None:
    """A column's name that means something to a frame library must not pick other columns."""
    gold: tuple[Any, ...] = (((0, 1, "A"),), ()) if task is Task.SPANS else (("A",), ("O",))
    wrong: tuple[Any, ...] = (((1, 2, "A"),), ()) if task is Task.SPANS else (("B",), ("O",))
    if task is Task.LABELS:
        gold, wrong = ("A", "B"), ("B", "A")
    corpus = Corpus(task, {"ab": wrong, "right": gold}, gold, lengths=(3, 3) if task is Task.SPANS else ())
    names = {"ab": "ab", "right": name}
    if not name.strip():
        with pytest.raises(slicewise.UserError, match="cannot be called"):
            corpus.named(names).evaluation()
        return
    found = renamed(scored(corpus.named(names)), {new: new for new in names.values()})
    assert renamed(scored(corpus), names) == found


@every_set_task
def test_the_names_of_labels_make_no_difference(task: Task) -> None:
    in_order = dict(zip(LABELS, ("K", "L<", "M-N"), strict=True))
    for own in drawn_of(task):
        before, after = own.resampled, scored(own.corpus.relabelled(in_order), resamples=20)
        for name, scores in before.systems.items():
            renamed = after.systems[name]
            assert scores.metrics == renamed.metrics
            assert (scores.micro, scores.macro, scores.weighted) == (renamed.micro, renamed.macro, renamed.weighted)
            assert (scores.errors, scores.repairs, scores.semeval) == (renamed.errors, renamed.repairs, renamed.semeval)
            assert {in_order[label]: row for label, row in scores.labels.items()} == renamed.labels
            assert {
                (in_order.get(c.gold, c.gold), in_order.get(c.returned, c.returned), c.n) for c in scores.confusions
            } == {(c.gold, c.returned, c.n) for c in renamed.confusions}
        assert before.pairs == after.pairs


@every_set_task
def test_the_order_of_labels_makes_no_difference(task: Task) -> None:
    for own in drawn_of(task):
        shuffled = dict(zip(LABELS, own.rng.permutation(["z", "Y", "x-w"]).tolist(), strict=True))
        others = scored(own.with_oracle.relabelled(shuffled))
        for name, scores in own.result.systems.items():
            for metric, value in scores.metrics.items():
                other = others.systems[name].metrics[metric].value
                assert value.value == (None if other is None else pytest.approx(other, abs=1e-14)), metric
            assert {shuffled[label]: row for label, row in scores.labels.items()} == others.systems[name].labels


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(("task", "kind"), [case for case in CASES if case[0] is not Task.SCORES])
def test_a_system_that_is_never_wrong_has_the_best_value(task: Task, kind: str | None) -> None:
    for own in drawn_of(task, kind):
        for name, metric in readable(own.corpus).items():
            assert metric.best is not None, name
            best = own.result.systems[ORACLE].metrics[name].value
            assert best is None or best == pytest.approx(metric.best, abs=1e-12), name
            for system in own.corpus.systems:
                value = own.result.systems[system].metrics[name].value
                if value is not None and best is not None:
                    assert value <= best + 1e-12 if metric.greater_is_better else value >= best - 1e-12, name


@pytest.mark.parametrize(("task", "kind"), [case for case in CASES if case[0] is not Task.SCORES])
def test_a_system_that_is_never_wrong_is_defined_where_gold_has_two_classes(task: Task, kind: str | None) -> None:
    gold: dict[Task, tuple[Any, ...]] = {
        Task.SPANS: (((0, 1, "A"),), ((1, 2, "B"),)),
        Task.TOKENS: (("A", "O"), ("B",)),
        Task.LABELS: ("A", "B"),
        Task.MULTILABEL: (("A",), ("A", "B")),
    }
    answers = gold[task] if kind is None else KINDS[kind].two
    corpus = Corpus(task, {"oracle": answers}, answers, lengths=(2, 2) if task is Task.SPANS else (), kind=kind)
    for name, value in scored(replace(corpus, systems={"oracle": corpus.right()})).systems["oracle"].metrics.items():
        assert value.value == pytest.approx(every_metric(task)[name].best, abs=1e-12), name


def test_scores_have_no_best_value() -> None:
    assert {metric.best for metric in every_metric(Task.SCORES).values()} == {None}


@every_case
def test_values_are_in_their_range(task: Task, kind: str | None) -> None:
    for scores in (scores for own in drawn_of(task, kind) for scores in own.result.systems.values()):
        for name, value in scores.metrics.items():
            lowest, highest = value_range(name) or (np.nan, np.nan)
            assert value.value is None or lowest - 1e-12 <= value.value <= highest + 1e-12, name


@every_set_task
def test_f_by_its_formula(task: Task) -> None:
    for scores in (scores for own in drawn_of(task) for scores in own.result.systems.values()):
        micro = scores.micro
        assert micro is not None
        for beta in BETAS:
            expected = f_beta(micro.tp, micro.n_pred, micro.n_gold, beta)
            found = scores.metrics[f"f{beta:g}"].value
            assert found == (None if expected is None else pytest.approx(expected, abs=1e-14))
        for name in ("precision", "recall", "f1"):
            assert scores.metrics[name].value == getattr(micro, name)
            for mean, kind in ((scores.macro, "macro"), (scores.weighted, "weighted")):
                assert mean is not None
                assert scores.metrics[f"{kind}-{name}"].value == getattr(mean, name)
        assert sum(row.tp for row in scores.labels.values()) == micro.tp
        assert sum(row.n_gold for row in scores.labels.values()) == micro.n_gold
        assert sum(row.n_pred for row in scores.labels.values()) == micro.n_pred


NOTHING: dict[Task, Corpus] = {
    Task.SPANS: Corpus(Task.SPANS, {"s": ((), ())}, ((), ()), lengths=(2, 1)),
    Task.TOKENS: Corpus(Task.TOKENS, {"s": (("O", "O"), ("O",))}, (("O", "O"), ("O",))),
    Task.LABELS: Corpus(Task.LABELS, {"s": ("O", "O")}, ("O", "O"), options={"negative_label": "O"}),
    Task.MULTILABEL: Corpus(Task.MULTILABEL, {"s": ((), ())}, ((), ())),
}
STILL_DEFINED = {"accuracy": 1.0, "balanced-accuracy": 1.0, "exact-match": 1.0}
"""Shares of cases: there are cases, and all are right."""


@every_set_task
@pytest.mark.parametrize("resamples", [0, 20])
def test_nothing_expected_and_nothing_returned_is_undefined(task: Task, resamples: int) -> None:
    result = scored(NOTHING[task], resamples=resamples)
    scores = result.systems["s"]
    for name, value in scores.metrics.items():
        assert value.value == STILL_DEFINED.get(name), name
        assert (value.ci is None) == (value.value is None or not resamples), name
    assert scores.micro is not None
    assert (scores.micro.n_gold, scores.micro.n_pred, scores.micro.tp) == (0, 0, 0)
    assert scores.micro.precision is scores.micro.recall is scores.micro.f1 is None
    body = result.to_dict()["result"]["systems"]["s"]
    assert body["micro"]["f1"] is body["macro"]["f1"] is body["metrics"]["f1"]["value"] is None


@every_set_task
def test_a_system_that_returns_nothing_has_no_precision(task: Task) -> None:
    nothing = NOTHING[task].systems["s"]
    gold: dict[Task, tuple[Any, ...]] = {
        Task.SPANS: (((0, 1, "A"),), ()),
        Task.TOKENS: (("A", "O"), ("O",)),
        Task.LABELS: ("A", "O"),
        Task.MULTILABEL: (("A",), ()),
    }
    missed = scored(replace(NOTHING[task], gold=gold[task])).systems["s"].micro
    assert missed is not None
    assert (missed.precision, missed.recall, missed.f1) == (None, 0.0, 0.0)
    invented = scored(replace(NOTHING[task], gold=nothing, systems={"s": gold[task]})).systems["s"].micro
    assert invented is not None
    assert (invented.precision, invented.recall, invented.f1) == (0.0, None, 0.0)


# ------------------------------------------------------------------ statistics


@every_case
def test_two_halves_add_up_to_the_whole(task: Task, kind: str | None) -> None:
    for own in drawn_of(task, kind):
        if own.corpus.items > 1:
            cut = int(own.rng.integers(1, own.corpus.items))
            parts = [own.corpus.take(range(cut)), own.corpus.take(range(cut, own.corpus.items))]
            check_parts(own, [Drawn(part, 0) for part in parts])


def check_parts(own: Drawn, parts: list[Drawn]) -> None:
    labels = own.evaluation.aligned.labels
    for of_whole, *of_parts in zip(own.sums, *(part.sums for part in parts), strict=True):
        metric, statistics = of_whole
        name, total = metric.name, statistics.sum(axis=0)
        if name in SHIFTED:
            continue
        added = np.zeros_like(total)
        for part, (_, halves) in zip(parts, of_parts, strict=True):
            some = halves.sum(axis=0)
            places = list(range(some.shape[1]))
            if metric.statistics is None:
                used = [labels.index(label) for label in part.evaluation.aligned.labels]
                places = [0, 1, 2, *(FIRST_LABEL + 3 * label + i for label in used for i in range(3))]
            added[:, places] += some
        np.testing.assert_allclose(added, total, rtol=1e-12, atol=1e-9, err_msg=name)
        if own.corpus.task.has_units:
            np.testing.assert_array_equal(metric.value(added), metric.value(total), err_msg=name)
        else:
            np.testing.assert_allclose(metric.value(added), metric.value(total), rtol=1e-9, atol=1e-9, err_msg=name)


@every_case
def test_clusters_add_up_to_the_corpus(task: Task, kind: str | None) -> None:
    for own in drawn_of(task, kind):
        documents = own.corpus.documents or tuple(own.rng.choice(["d1", "d2", "d3"], own.corpus.items).tolist())
        corpus = replace(own.corpus, documents=documents)
        by_document = own if own.corpus.documents else Drawn(corpus, 0)
        by_item = corpus.evaluation(cluster="item")
        assert by_document.evaluation.aligned.clusters.count == len(set(documents))
        assert by_item.aligned.clusters.count == corpus.items
        for (metric, ours), (_, theirs) in zip(by_document.sums, sums(corpus, by_item), strict=True):
            assert len(ours) == len(set(documents))
            np.testing.assert_allclose(ours.sum(axis=0), theirs.sum(axis=0), rtol=1e-12, atol=1e-9, err_msg=metric.name)


@every_case
def test_a_finish_takes_many_at_once(task: Task, kind: str | None) -> None:
    """The value of stacked arrays is the stack of their values, whatever stands before the last axis."""
    for metric, statistics in (cell for own in drawn_of(task, kind) for cell in own.sums):
        stacked = metric.value(np.stack([statistics, 2 * statistics]))
        assert stacked.shape == (2, *statistics.shape[:2])
        for i, group in enumerate(statistics):
            for j, one in enumerate(group):
                for times in (1, 2):
                    alone = float(metric.value(times * one))
                    assert stacked[times - 1, i, j] == pytest.approx(alone, rel=1e-13, nan_ok=True), metric.name


@every_case
def test_what_is_reduced_adds_up_as_before(task: Task, kind: str | None) -> None:
    for own in drawn_of(task, kind):
        for metric, statistics in own.sums:
            name, k = metric.name, statistics.shape[2]
            a, b = own.rng.integers(-9, 9, (2, 4, 3, k)).astype(np.float64)
            np.testing.assert_array_equal(metric.reduce(a + b), metric.reduce(a) + metric.reduce(b), err_msg=name)
            np.testing.assert_array_equal(metric.reduce(-3 * a), -3 * metric.reduce(a), err_msg=name)
            np.testing.assert_array_equal(metric.reduce(a.sum(axis=0)), metric.reduce(a).sum(axis=0), err_msg=name)
            np.testing.assert_allclose(
                metric.finish(metric.reduce(statistics).sum(axis=0)), metric.value(statistics.sum(axis=0)), rtol=1e-13
            )


@every_case
@drawn
@given(data=st.data())
def test_an_item_that_counts_twice_is_two_items(task: Task, kind: str | None, data: st.DataObject) -> None:
    """Metrics that are not additive take weights, those of many draws at once."""
    corpus = data.draw(corpora(task, kind=kind))
    weights = np.array(
        data.draw(
            st.lists(st.lists(st.integers(0, 3), min_size=corpus.items, max_size=corpus.items), min_size=1, max_size=3)
        )
    )
    for metric in readable(corpus).values():
        if metric.pooled is None:
            continue
        evaluation = corpus.evaluation()
        statistics = np.column_stack(list(item_statistics(evaluation, metric, evaluation.systems[:1]).values()))
        found = metric.pooled(statistics, weights.T.astype(np.float64))
        assert found.shape == (len(weights),)
        for value, times in zip(found, weights, strict=True):
            repeated = np.repeat(statistics, times, axis=0)
            alone = metric.pooled(repeated, np.ones((len(repeated), 1)))[0] if len(repeated) else np.nan
            assert value == pytest.approx(alone, abs=1e-12, nan_ok=True), metric.name


@every_case
def test_two_copies_of_a_corpus_score_as_one(task: Task, kind: str | None) -> None:
    for own in drawn_of(task, kind):
        twice = scored(own.with_oracle.take([*range(own.corpus.items)] * 2))
        for name, scores in own.result.systems.items():
            for metric, value in scores.metrics.items():
                if metric in SMOOTHED:
                    continue
                other = twice.systems[name].metrics[metric].value
                assert value.value == (None if other is None else pytest.approx(other, rel=1e-9, abs=1e-9)), metric


# ------------------------------------------------------------------ errors of spans

span_corpora = corpora(Task.SPANS, items=(1, 5), systems=(1, 2))
overlapping = Corpus(
    Task.SPANS,
    {"s": (((0, 2, "A"), (0, 3, "B"), (4, 5, "A"), (2, 3, "B")),)},
    (((0, 2, "B"), (1, 3, "B"), (4, 5, "A"), (3, 4, "A")),),
    lengths=(6,),
)


@with_examples(20, HealthCheck.filter_too_much, shrink=False)
@given(span_corpora)
@example(overlapping)
def test_kinds_of_error_add_up(corpus: Corpus) -> None:
    for scores in score(corpus.evaluation(), resamples=0).systems.values():
        assert scores.errors is not None
        assert scores.micro is not None
        assert scores.semeval is not None
        assert scores.overlapping is not None
        paired = scores.errors["boundary"] + scores.errors["type"] + scores.errors["boundary_type"]
        assert scores.micro.n_gold - scores.micro.tp == paired + scores.errors["missed"]
        assert scores.micro.n_pred - scores.micro.tp == paired + scores.errors["spurious"]
        assert scores.semeval["strict"] == scores.micro
        for way in scores.semeval.values():
            assert (way.n_gold, way.n_pred) == (scores.micro.n_gold, scores.micro.n_pred)
            assert way.f1 is None or 0 <= way.f1 <= 1
        for kind in ("missed", "spurious"):
            assert 0 <= scores.overlapping[kind] <= scores.errors[kind]
        right = sum(c.n for c in scores.confusions if c.gold == c.returned)
        assert right == scores.micro.tp
        assert sum(c.n for c in scores.confusions) - right == scores.errors["type"]


@with_examples(20, HealthCheck.filter_too_much, shrink=False)
@given(span_corpora)
@example(overlapping)
def test_repairs_gain_what_a_repaired_system_scores(corpus: Corpus) -> None:
    evaluation = corpus.evaluation()
    result = score(evaluation, resamples=0)
    table = units(evaluation, include=["errors"]).frame
    for name, scores in result.systems.items():
        assert scores.repairs is not None
        assert scores.errors is not None
        rows = table.select("gold", name, f"error:{name}").rows()
        before = f1_of([(gold, has) for gold, has, _ in rows])
        for kind, gain in scores.repairs.items():
            after = f1_of([(gold, gold if error == kind else has) for gold, has, error in rows])
            if before is None or after is None:
                assert gain.value is None
                continue
            assert gain.value is not None
            assert gain.value == pytest.approx(after - before, abs=1e-14)
            assert gain.value >= 0
            assert gain.value == 0 or scores.errors[kind] > 0


def f1_of(rows: list[tuple[bool, bool]]) -> float | None:
    tp = sum(gold and has for gold, has in rows)
    return f_beta(tp, sum(has for _, has in rows), sum(gold for gold, _ in rows))


@every_case
def test_a_difference_is_a_minus_b(task: Task, kind: str | None) -> None:
    for result in (own.result for own in drawn_of(task, kind)):
        expected = {(a, b, m) for a, b in combinations(sorted(result.systems), 2) for m in result.metrics}
        assert {(pair.a, pair.b, pair.metric) for pair in result.pairs} == expected
        assert len(result.pairs) == len(expected)
        for pair in result.pairs:
            a, b = (result.systems[name].metrics[pair.metric].value for name in (pair.a, pair.b))
            assert (pair.a_value, pair.b_value) == pytest.approx((a, b), abs=1e-14)
            if a is None or b is None:
                assert pair.difference is None
            else:
                assert pair.difference == pytest.approx(a - b, abs=1e-14)
