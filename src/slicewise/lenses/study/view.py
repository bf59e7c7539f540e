"""The view of a study: blocks for people, and tables of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from slicewise.errors import counted
from slicewise.lenses.slicing.sentences import absences, mean
from slicewise.lenses.study.attainable import NO_LEAD, cannot_be_significant, no_friedman_test, with_lead
from slicewise.lenses.study.result import Companion, Holistic, ModelWise, StudyDiagnosis, StudyResult
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import probability, score, signed
from slicewise.render.texts import short
from slicewise.results.base import Row
from slicewise.results.rows import row_of
from slicewise.stats.multiplicity import ALPHA

FEW_PAIRS = 3
MOST_SENTENCES = 10


def blocks(result: StudyResult) -> list[Block]:
    """Return the blocks for people, the most important first."""
    view: list[Block] = [Sentence(_heading(result), "title")]
    view += [Sentence(f"! {warning}", "warning") for warning in result.data["warnings"]]
    view += [Sentence(text) for text in sentences(result)]
    view += [holistic(result), model_wise(result, "spearman"), model_wise(result, "std"), *attribute_wise(result)]
    view += _self(result, groups=False) + _comparative(result, groups=False)
    if result.grouped:
        view += _self(result, groups=True) + _comparative(result, groups=True)
    view += [change(result, a, b) for a, b in _pairs_shown(result)]
    view += companions(result)
    view += [Sentence(""), *_absent(result), Sentence(result.signature, "aside")]
    return view


def _heading(result: StudyResult) -> str:
    runs = sum(h.runs for h in result.holistic if h.dataset is not None)
    parts = [counted(len(result.datasets), "data set"), counted(len(result.systems), "system"), counted(runs, "run")]
    parts += [f"{counted(len(result.attributes), 'attribute')}", f"task {result.data['task']}"]
    return " · ".join(parts)


def sentences(result: StudyResult) -> list[str]:
    """Return the diagnoses that survive correction, the widest first, or that there are none."""
    surviving = [d for d in result.diagnoses if survives(d)]
    tested = [d for d in result.diagnoses if d.p is not None]
    if not tested:
        return []
    if not surviving:
        least = min(d.p for d in tested if d.p is not None)
        return [
            f"No diagnosis survives correction (smallest p of {counted(len(tested), 'test')}: {probability(least)})."
        ]
    kinds: dict[tuple[str, str, str | None], int] = {}
    texts: list[str] = []
    for d in sorted(surviving, key=lambda d: (-abs(d.difference or 0.0), d.a, d.attribute)):
        key = (d.kind, d.a, d.b)
        kinds[key] = kinds.get(key, 0) + 1
        if kinds[key] <= 2 and len(texts) < MOST_SENTENCES:
            texts.append(f"• {_sentence(result, d)}")
    left = len(surviving) - len(texts)
    return [*texts, *([f"  {counted(left, 'more finding')} in --json and --csv."] if left else [])]


def findings(result: StudyResult) -> list[Row]:
    """Return a row with its sentence for each diagnosis that survives, the widest first."""
    surviving = sorted(
        (d for d in result.diagnoses if survives(d)), key=lambda d: (-abs(d.difference or 0.0), d.a, d.attribute)
    )
    return [
        {
            "text": _sentence(result, d), "kind": d.kind, "a": d.a, "b": d.b, "attribute": d.attribute, "best": d.best,
            "worst": d.worst, "dataset": d.dataset, "group": d.group, "difference": d.difference, "p": d.p, "q": d.q,
        }
        for d in surviving
    ]  # fmt: skip


def survives(d: StudyDiagnosis) -> bool:
    """Return whether a diagnosis survives correction."""
    return d.q is not None and d.q < ALPHA and d.difference is not None


def _sentence(result: StudyResult, d: StudyDiagnosis) -> str:
    where = f"on {d.dataset}" if d.dataset else f"over {counted(len(d.datasets), 'data set')}"
    where += f" ({d.group})" if d.group else ""
    q = probability(d.q) if d.q is not None and d.q < 0.001 else f"= {probability(d.q)}"
    size = f"{abs(d.difference or 0.0):.2f} {result.metric.upper() if result.metric == 'f1' else result.metric}"
    if d.b is None:
        return f"{d.a} loses {size} from {d.attribute}:{d.best} to {d.attribute}:{d.worst} {where} (q {q})."
    ahead = (d.difference or 0.0) > 0
    better, worse = (d.a, d.b) if ahead != result.lower_is_better else (d.b, d.a)
    return f"{better} beats {worse} by {size} on {d.attribute}:{d.best} {where} (q {q})."


def holistic(result: StudyResult) -> Grid:
    """Return systems × data sets, restarts averaged, with the mean over data sets."""
    values = {(h.system, h.dataset): h for h in result.holistic}
    places: list[str | None] = [*result.datasets, None] if len(result.datasets) > 1 else list(result.datasets)
    rows, marked = [], set()

    def partial(entry: Holistic) -> bool:
        return entry.dataset is None and entry.n < len(result.datasets)

    for i, system in enumerate(result.systems):
        row = [system]
        for dataset in places:
            cell = values.get((system, dataset))
            spread = "" if cell is None or cell.std is None else f" ±{cell.std:.3f}"
            row.append("missing" if cell is None else score(cell.value) + spread + ("*" if partial(cell) else ""))
        rows.append(tuple(row))
        for j, dataset in enumerate(places, 1):
            column = [
                h.value for (_, d), h in values.items() if d == dataset and h.value is not None and not partial(h)
            ]
            best = None if not column else min(column) if result.lower_is_better else max(column)
            cell = values.get((system, dataset))
            if cell is not None and not partial(cell) and cell.value == best and len(column) > 1:
                marked.add((i, j))
    columns = [Column("system", "left"), *(Column("mean" if d is None else d) for d in places)]
    note = _restarts(result)
    note += " * without the data sets where it is missing." if any(partial(h) for h in result.holistic) else ""
    title = f"Overall {result.metric}"
    return Grid(title, tuple(columns), tuple(rows), note.strip(), frozenset(marked), name="holistic")


def _restarts(result: StudyResult) -> str:
    if all(h.runs < 2 for h in result.holistic):
        return ""
    how = {
        "average": "Restarts are averaged, ± their standard deviation.",
        "blocks": "Restarts are averaged here (± their standard deviation), and blocks of the tests.",
    }
    return how.get(result.restarts, "The first run of each system.")


def model_wise(result: StudyResult, measure: str) -> Grid:
    """Return systems × attributes, averaged over data sets; what fails Friedman's test is faint."""
    rows, faint, marked = [], set(), set()
    entries = {(m.system, m.attribute): m for m in result.model_wise if m.dataset is None}
    means = {h.system: h.value for h in result.holistic if h.dataset is None}
    names = [
        a
        for a in result.attributes
        if any(getattr(entries.get((s, a)), measure, None) is not None for s in result.systems)
    ]
    for i, system in enumerate(result.systems):
        row = [system, score(means.get(system))]
        for j, attribute in enumerate(names, 2):
            entry = entries.get((system, attribute))
            value = None if entry is None else getattr(entry, measure)
            row.append("–" if value is None else signed(value, 2) if measure == "spearman" else score(value, 3))
            if entry is not None and value is not None and (entry.friedman_p is None or entry.friedman_p >= ALPHA):
                faint.add((i, j))
            column = [
                abs(v) for s in result.systems if (v := getattr(entries.get((s, attribute)), measure, None)) is not None
            ]
            if value is not None and column and abs(value) == max(column) and len(column) > 1:
                marked.add((i, j))
        rows.append(tuple(row))
    columns = [Column("system", "left"), Column(result.metric), *(Column(name) for name in names)]
    statistic = "Spearman's ρ of bucket rank and" if measure == "spearman" else "Standard deviation over buckets of"
    restarts = " and restarts" if result.restarts == "blocks" else ""
    note = "Mean over data sets. " if len(result.datasets) > 1 else ""
    note += f"Friedman: blocks are data sets{restarts}, treatments are buckets, α = 0.05."
    title, name = f"Model-wise: {statistic} {result.metric}", f"model-wise-{measure}"
    grid = Grid(title, tuple(columns), tuple(rows), note, frozenset(marked), faint=frozenset(faint), name=name)
    return with_lead(grid, no_friedman_test(list(entries.values()), counted(len(result.datasets), "data set")))


def attribute_wise(result: StudyResult) -> list[Block]:
    """Return data sets × attributes: the attribute's mean ζ, and ρ, the mean of |Spearman| over systems."""
    cells = {(a.dataset, a.attribute): a for a in result.attribute_wise}
    grids: list[Block] = []
    for measure, title, note in (
        ("zeta", "Attribute-wise: ζ, the mean over gold units", ""),
        (
            "rho",
            f"Attribute-wise: ρ, the mean over systems of |Spearman's ρ| of bucket rank and {result.metric}",
            (
                f"Friedman: blocks are systems{' and restarts' if result.restarts == 'blocks' else ''}, "
                "treatments are buckets, α = 0.05."
            ),
        ),
    ):
        names = [
            a
            for a in result.attributes
            if any(getattr(cells.get((d, a)), measure, None) is not None for d in result.datasets)
        ]
        rows, faint, marked = [], set(), set()
        for i, dataset in enumerate(result.datasets):
            row = [dataset]
            for j, name in enumerate(names, 1):
                entry = cells.get((dataset, name))
                value = None if entry is None else getattr(entry, measure)
                row.append("–" if value is None else mean(value) if measure == "zeta" else score(value, 2))
                column = [v for d in result.datasets if (v := getattr(cells.get((d, name)), measure, None)) is not None]
                if value is not None and value == max(column) and len(column) > 1:
                    marked.add((i, j))
                if measure == "rho" and entry is not None and value is not None:
                    faint |= {(i, j)} if entry.friedman_p is None or entry.friedman_p >= ALPHA else set()
            rows.append(tuple(row))
        columns = (Column("data set", "left"), *(Column(name) for name in names))
        name = f"attribute-wise-{measure}"
        grid = Grid(title, columns, tuple(rows), note, frozenset(marked), faint=frozenset(faint), name=name)
        systems = counted(len(result.systems), "system")
        grids.append(with_lead(grid, no_friedman_test(list(cells.values()), systems) if measure == "rho" else NO_LEAD))
    return grids


def _self(result: StudyResult, *, groups: bool) -> list[Block]:
    """Return systems × attributes: the worst and the best bucket, and the gap; one table per data set or group."""
    diagnoses = [d for d in result.diagnoses if d.kind == "self" and bool(d.group) == groups]
    grids: list[Block] = []
    for place in dict.fromkeys((d.dataset, d.group) for d in diagnoses):
        of_place = {(d.a, d.attribute): d for d in diagnoses if (d.dataset, d.group) == place}
        names = [name for name in result.attributes if any((s, name) in of_place for s in result.systems)]
        title = "Self-diagnosis: worst → best bucket, and the gap"
        title += _members(result, diagnoses, place)
        note = _tested(list(of_place.values()))
        name = "self-diagnosis" + (f"-{place[0] or place[1]}" if place != (None, None) else "")
        cell = partial(_self_cell, of_place)
        grid = _crossed(title, "system", result.systems, names, cell, note, name)
        grids.append(with_lead(grid, cannot_be_significant(result, list(of_place.values()))))
    return grids


def _self_cell(diagnoses: Mapping[tuple[str, str], StudyDiagnosis], system: str, attribute: str) -> tuple[str, bool]:
    d = diagnoses.get((system, attribute))
    if d is None or d.difference is None:
        return "–", False
    return f"{short(d.worst or '–')}→{short(d.best or '–')} {_minus(d.difference)}", not survives(d)


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−").replace("−0.00", "0.00")


def _members(result: StudyResult, diagnoses: Sequence[StudyDiagnosis], place: tuple[str | None, str | None]) -> str:
    """Return on which data sets a table is, where it is not on all."""
    if place[0]:
        return f", {place[0]}"
    if not place[1]:
        return ""
    names = dict.fromkeys(name for d in diagnoses if d.group == place[1] for name in d.datasets)
    return f", data sets with {place[1]} ({', '.join(n for n in result.datasets if n in names)})"


def _tested(diagnoses: Sequence[StudyDiagnosis]) -> str:
    tests = list(dict.fromkeys(d.test for d in diagnoses if d.test))
    return f"{'; '.join(tests)}; q: Benjamini–Hochberg." if tests else ""


def _pairs_shown(result: StudyResult) -> list[tuple[str, str]]:
    return result.pairs if result.compared or len(result.pairs) <= FEW_PAIRS else []


def _comparative(result: StudyResult, *, groups: bool) -> list[Block]:
    """Return one row per pair and attribute: where a − b is largest and smallest."""
    pairs = _pairs_shown(result)
    pairwise = [d for d in result.diagnoses if d.b is not None and bool(d.group) == groups]
    if not pairwise:
        return []
    if not pairs:
        n = len({(d.a, d.b) for d in pairwise})
        return [
            Sentence(""),
            Sentence(f"{n} pairs of systems were compared: name some with --compare A,B to see them here."),
        ]
    grids: list[Block] = []
    for place in dict.fromkeys((d.dataset, d.group) for d in pairwise):
        rows: list[tuple[str, ...]] = []
        faint = set()
        for a, b in pairs:
            for name in result.attributes:
                row = [f"{a} − {b}", name]
                by_kind = {
                    d.kind: d for d in pairwise if (d.a, d.b, d.attribute, d.dataset, d.group) == (a, b, name, *place)
                }
                for kind in ("largest", "smallest"):
                    d = by_kind.get(kind)
                    if d is None or d.difference is None:
                        row += ["–", "–"]
                        continue
                    if not survives(d):
                        faint.add((len(rows), len(row)))
                    row += [f"{short(d.best or '–')} {signed(d.difference, 3)}", probability(d.q)]
                if by_kind:
                    rows.append(tuple(row))
        titles = [Column(t, "left") for t in ("a − b", "attribute")]
        for side in ("largest in", "smallest in"):
            titles += [Column(side), Column("q", beside=True)]
        title = f"Comparative diagnosis: where a − b of {result.metric} is largest and smallest"
        title += _members(result, pairwise, place)
        name = "comparative-diagnosis" + (f"-{place[0] or place[1]}" if place != (None, None) else "")
        tested = [d for d in pairwise if (d.dataset, d.group) == place]
        grid = Grid(title, tuple(titles), tuple(rows), _tested(tested), faint=frozenset(faint), name=name)
        grids.append(with_lead(grid, cannot_be_significant(result, tested)))
    return grids


def change(result: StudyResult, a: str, b: str) -> Grid:
    """Return the relative change (a − b)/b, buckets × data sets."""
    changes = [c for c in result.relative_changes if (c.a, c.b) == (a, b)]
    values = {(c.attribute, c.treatment, c.dataset): c.change for c in changes}
    keys = list(dict.fromkeys((c.attribute, c.treatment) for c in changes))
    rows = tuple(
        (attribute, bucket, *(_percent(values.get((attribute, bucket, d))) for d in result.datasets))
        for attribute, bucket in keys
        if not bucket.startswith("(empty")
    )
    columns = (Column("attribute", "left"), Column("bucket", "left"), *(Column(d) for d in result.datasets))
    title = f"Relative change of {result.metric}: ({a} − {b})/{b}"
    return Grid(title, columns, rows, "Restarts averaged; – where it is undefined.", name=f"relative-change-{a}-{b}")


def companions(result: StudyResult) -> list[Block]:
    """Return the rank correlation of attribute and being found, attributes × systems, one table per data set."""
    grids: list[Block] = []
    for dataset in result.datasets:
        correlations = {(c.attribute, c.system): c for c in result.item_level if c.dataset == dataset}
        names = [name for name in result.attributes if any(key[0] == name for key in correlations)]
        if not names:
            continue
        note = "Over gold units, found or missed (items: their scores); first run."
        title = f"Rank correlation with being found, unit by unit: {dataset}"
        cell = partial(_correlation_cell, correlations)
        grid = _crossed(title, "attribute", names, result.systems, cell, note, f"unit-level-{dataset}")
        hint = f" {result.inference.confidence:.0%} intervals that hold 0 are not significant." if grid.faint else ""
        grids.append(replace(grid, note=note + hint))
    return grids


def _correlation_cell(
    correlations: Mapping[tuple[str, str], Companion], attribute: str, system: str
) -> tuple[str, bool]:
    c = correlations.get((attribute, system))
    if c is None:
        return "–", False
    return signed(c.correlation, 2), c.ci is not None and c.ci[0] <= 0 <= c.ci[1]


def performance(result: StudyResult) -> list[Grid]:
    """Return the whole table T, one grid per data set: buckets × systems, restarts averaged."""
    grids = []
    note = "Restarts are averaged." if any(h.runs > 1 for h in result.holistic) else ""
    for dataset in result.datasets:
        cells = [c for c in result.performance if c.dataset == dataset]
        keys = list(dict.fromkeys((c.attribute, c.bucket, c.interval) for c in cells))
        values: dict[tuple[str, str, str], list[float]] = {}
        n: dict[tuple[str, str], int] = {}
        for c in cells:
            n[c.attribute, c.bucket] = c.n_gold
            if c.value is not None:
                values.setdefault((c.attribute, c.bucket, c.system), []).append(c.value)
        rows = []
        for attribute, bucket, interval in keys:
            means = [values.get((attribute, bucket, system)) for system in result.systems]
            cells_of_row = tuple(score(sum(v) / len(v)) if v else "–" for v in means)
            rows.append((attribute, bucket, interval, f"{n[attribute, bucket]:,}", *cells_of_row))
        columns = [Column(t, "left") for t in ("attribute", "bucket", "values")]
        columns += [Column("n"), *(Column(system) for system in result.systems)]
        title = f"{result.metric} by bucket: {dataset}"
        grids.append(Grid(title, tuple(columns), tuple(rows), note, name=f"performance-{dataset}"))
    return grids


def grids(result: StudyResult) -> list[Grid]:
    """Return every table, for files: those of the terminal, the whole performance table, and all changes."""
    in_terminal = [block for block in blocks(result) if isinstance(block, Grid)]
    changes = [change(result, a, b) for a, b in result.pairs if (a, b) not in _pairs_shown(result)]
    return [*in_terminal, *friedman_tests(result), *each_dataset(result), *changes, *performance(result)]


def friedman_tests(result: StudyResult) -> list[Grid]:
    """Return the p-values of Friedman's test: of each system over data sets, and on each data set over systems."""
    by_system = {(m.system, m.attribute): m for m in result.model_wise if m.dataset is None}
    by_dataset = {(a.dataset, a.attribute): a for a in result.attribute_wise}
    return [
        _p_grid("system", result.systems, result, by_system, "friedman-systems", "blocks are data sets"),
        _p_grid("data set", result.datasets, result, by_dataset, "friedman-datasets", "blocks are systems"),
    ]


def _p_grid(head: str, rows: Sequence[str], result: StudyResult, tests: Mapping[Any, Any], name: str, how: str) -> Grid:
    def cell(row: str, attribute: str) -> tuple[str, bool]:
        test = tests.get((row, attribute))
        p = None if test is None else test.friedman_p
        return ("–", False) if p is None else (f"{p:.2g}", p >= ALPHA)

    note = f"Treatments are buckets, {how}; not corrected (q is in --json and --csv)."
    return _crossed("p of Friedman's test", head, rows, list(result.attributes), cell, note, name)


def _crossed(
    title: str,
    head: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cell: Callable[[str, str], tuple[str, bool]],
    note: str,
    name: str,
) -> Grid:
    """Return rows × columns of cells, each with whether it is faint."""
    cells = [[cell(row, column) for column in columns] for row in rows]
    faint = frozenset((i, j) for i, line in enumerate(cells) for j, (_, is_faint) in enumerate(line, 1) if is_faint)
    body = tuple((row, *(text for text, _ in line)) for row, line in zip(rows, cells, strict=True))
    return Grid(title, (Column(head, "left"), *map(Column, columns)), body, note, faint=faint, name=name)


def each_dataset(result: StudyResult) -> list[Grid]:
    """Return the model-wise measures on each data set."""
    grids = []
    for dataset in result.datasets if len(result.datasets) > 1 else ():
        entries = {(m.system, m.attribute): m for m in result.model_wise if m.dataset == dataset}
        for measure, statistic in (("spearman", "Spearman's ρ of bucket rank and"), ("std", "Standard deviation of")):
            title, name = f"Model-wise: {statistic} {result.metric}, {dataset}", f"model-wise-{measure}-{dataset}"
            cell = partial(_model_cell, entries, measure)
            grids.append(_crossed(title, "system", result.systems, list(result.attributes), cell, "", name))
    return grids


def _model_cell(
    entries: Mapping[tuple[str, str], ModelWise], measure: str, system: str, attribute: str
) -> tuple[str, bool]:
    value = getattr(entries.get((system, attribute)), measure, None)
    return "–" if value is None else signed(value, 2) if measure == "spearman" else score(value, 3), False


def _absent(result: StudyResult) -> list[Block]:
    return [
        Sentence(f"{dataset}, left out: {text}.", "aside")
        for dataset, absent in result.data["absent"].items()
        for text in absences(absent)
    ]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.0f}%".replace("-", "−")


def tables(result: StudyResult) -> dict[str, list[Row]]:
    """Return long tables of values."""
    out = {
        "performance": _rows(result.performance),
        "holistic": _rows(result.holistic),
        "model_wise": _rows(result.model_wise),
        "attribute_wise": _rows(result.attribute_wise),
        "diagnoses": [row_of(d) | {"datasets": " ".join(d.datasets)} for d in result.diagnoses],
        "by_dataset": [
            row_of(d, "kind", "a", "b", "attribute", "group") | row_of(own)
            for d in result.diagnoses
            for own in d.by_dataset
        ],
        "findings": findings(result),
        "relative_changes": _rows(result.relative_changes),
        "item_level": _rows(result.item_level),
    }
    return {name: rows for name, rows in out.items() if rows}


def _rows(entries: Iterable[Any]) -> list[Row]:
    return [row_of(entry) for entry in entries]
