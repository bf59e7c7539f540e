"""The view of difficulty: the bins, their contents, resistant strings, and suspect gold."""

from __future__ import annotations

from collections.abc import Sequence

from slicewise.errors import counted
from slicewise.lenses.difficulty.result import BinTable, DifficultyResult, Form, Pairwise, Suspect
from slicewise.lenses.ranking.result import FeatureList
from slicewise.lenses.ranking.sentences import adjusted_in_words
from slicewise.render.blocks import Block, Column, Grid, Sentence
from slicewise.render.numbers import probability, score
from slicewise.render.texts import short
from slicewise.results.capping import MOST_ROWS, capped
from slicewise.results.heading import opening
from slicewise.results.mentions import Mention
from slicewise.stats.multiplicity import ALPHA

FORM_MENTIONS = 3
"""Strings whose mentions are shown."""
MOST_VALUES = 12
BEST, WORST = "▴", "▾"
MARKS = f"{BEST} best, {WORST} worst of the bin."
ROWS = {
    "characters_per_token": "characters per token",
    "punctuation": "punctuation, of tokens",
    "digits": "numbers, of tokens",
    "single_character": "one character, of tokens",
    "abbreviation": "abbreviations",
    "hapax_gold": "gold once",
    "hapax_test": "once in the test set",
    "ambiguous": "not always labelled alike",
    "multi_token": "of several tokens",
}
SUSPECT = {
    "label": "another label",
    "boundary": "other boundaries",
    "missing": "not in gold",
    "unfound": "found by nobody",
}


def blocks(result: DifficultyResult) -> list[Block]:
    """Return the blocks for people."""
    view = opening(result.data)
    if result.rule:
        view.append(Sentence(f"{result.rule[0].upper()}{result.rule[1:]}."))
    if result.surface is not None:
        return [*view, *_surface(result), Sentence(result.signature, "aside")]
    view += [Sentence(f"• {text}") for text in result.findings]
    by_system = [_counts(result), _shares(result)]
    by_system += [_singular(result)] if len(result.gold.systems) > 1 else []
    by_system += _left_out(result)
    by_system += [_pair(result, pair) for pair in result.pairwise[: result.shown_pairs]]
    by_system += [_spurious(result)] if any(result.spurious.totals) else []
    view += [capped(grid) for grid in by_system]
    view += [capped(grid, rows=False) for grid in (*_profile(result), *_columns(result))]
    view += [*_examples(result), *_features(result), *_spread(result), *_suspects(result)]
    return [*view, Sentence(result.signature, "aside")]


def _signed(texts: Sequence[str], values: Sequence[float | None]) -> tuple[list[str], int | None, int | None]:
    """Return texts with the signs of the best and the worst value of a column, and their places."""
    defined = [v for v in values if v is not None]
    if len(defined) < 2 or min(defined) == max(defined):
        return [f"{text} " for text in texts], None, None
    best, worst = values.index(max(defined)), values.index(min(defined))
    marks = {max(defined): BEST, min(defined): WORST}
    return (
        [f"{text}{marks.get(v, ' ') if v is not None else ' '}" for text, v in zip(texts, values, strict=True)],
        best,
        worst,
    )


def _marked(
    columns: Sequence[Sequence[str]], values: Sequence[Sequence[float | None]], first: int
) -> tuple[list[list[str]], frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return columns with signs, and the cells of all best and worst values."""
    texts, best, worst = [], set(), set()
    for j, (column, column_values) in enumerate(zip(columns, values, strict=True)):
        signed, top, low = _signed(column, column_values)
        texts.append(signed)
        if top is not None and low is not None:
            best |= {(i, first + j) for i, v in enumerate(column_values) if v == column_values[top]}
            worst |= {(i, first + j) for i, v in enumerate(column_values) if v == column_values[low]}
    return texts, frozenset(best), frozenset(worst)


def noun_of(result: DifficultyResult) -> str:
    """Return what bins are of, in a sentence."""
    return "items" if result.rule else "gold units"


def _systems(table: BinTable) -> list[str]:
    """Return the systems; where not all can be shown, those that find most come first."""
    names = list(table.systems)
    return names if len(names) < MOST_ROWS else sorted(names, key=lambda name: (-sum(table.systems[name]), name))


def _counts(result: DifficultyResult) -> Grid:
    """Return the paper's table of absolute values."""
    table, noun = result.gold, noun_of(result)
    names, size = _systems(table), len(table.totals)
    values: list[list[float | None]] = [[float(table.systems[name][n]) for name in names] for n in range(size)]
    columns = [[f"{table.systems[name][n]:,}" for name in names] for n in range(size)]
    texts, best, worst = _marked(columns[1:-1], values[1:-1], 2)
    texts = [[f"{t} " for t in columns[0]], *texts, *([[f"{t} " for t in columns[-1]]] if size > 1 else [])]
    rows = [
        (name, *(texts[n][i] for n in range(size)), f"{sum(table.systems[name]):,}") for i, name in enumerate(names)
    ]
    rows.append(("all in the bin", *(f"{n:,} " for n in table.totals), f"{sum(table.totals):,}"))
    head = (Column("", "left"), *(Column(f"{n} ") for n in range(size)), Column("total"))
    note = f"Bin n: {noun} that exactly n systems find. {MARKS}"
    title = f"{noun.capitalize()} by how many systems find them"
    return Grid(title, head, tuple(rows), note, best, worst=worst, name="bins")


def _shares(result: DifficultyResult) -> Grid:
    table = result.gold
    names, size = _systems(table), len(table.totals)
    inner = range(1, size - 1) if size > 2 else range(1, size)
    values = [[table.shares[name][n] for name in names] for n in inner]
    columns = [[_percent(v) for v in column] for column in values]
    texts, best, worst = _marked(columns, values, 1)
    total = sum(table.totals)
    recalls = [f"{sum(table.systems[name]) / total:.1%}" if total else "–" for name in names]
    rows = tuple((name, *(column[i] for column in texts), recalls[i]) for i, name in enumerate(names))
    head = (Column("", "left"), *(Column(f"{n} ") for n in inner), Column("recall"))
    left = "Bin 0 is 0% and the last 100% for all. " if size > 2 else ""
    bounds = "" if table.ci is None else f" Intervals are in --json and --csv: {result.inference.interval}."
    return Grid("Share of each bin", head, rows, f"{left}{MARKS}{bounds}", best, worst=worst, name="shares")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _singular(result: DifficultyResult) -> Grid:
    rows = []
    for name, alone in sorted(result.singular.items(), key=lambda item: (-item[1].found, item[0])):
        examples = "; ".join(dict.fromkeys(m.text or str(m.item) for m in alone.units))
        rows.append((f"{name}: {alone.found:,}", _percent(alone.share), _percent(alone.of_own), short(examples, 40)))
    columns = (
        Column("found by it alone", "left"), Column("of bin 1", "left"), Column("of its own", "left"),
        Column("such as", "left"),
    )  # fmt: skip
    return Grid("Singular contributions (bin 1)", columns, tuple(rows), name="singular")


def _left_out(result: DifficultyResult) -> list[Grid]:
    if result.leave_one_out is None:
        return []
    names = _systems(result.gold)
    size = len(next(iter(result.leave_one_out.values())).totals)
    values = [[result.leave_one_out[name].shares[n] for name in names] for n in range(size)]
    texts, best, worst = _marked([[_percent(v) for v in column] for column in values], values, 1)
    rows = tuple((name, *(column[i] for column in texts)) for i, name in enumerate(names))
    head = (Column("", "left"), *(Column(f"{n} ") for n in range(size)))
    bins = f"Bin n: {noun_of(result)} that exactly n of the other systems find"
    note = f"{bins}, so that no system makes its own bins. {MARKS}"
    return [
        Grid("Share of each bin, made by the others alone", head, rows, note, best, worst=worst, name="leave-one-out")
    ]


def _pair(result: DifficultyResult, pair: Pairwise) -> Grid:
    inner = pair.bins[1:-1] if len(pair.bins) > 2 else pair.bins
    rows, marked = [], set()
    for i, b in enumerate(inner):
        if b.a is not None and b.b is not None and b.a != b.b:
            marked.add((i, 2 if b.a > b.b else 3))
        rows.append((str(b.bin), f"{b.n:,}", _percent(b.a), _percent(b.b), _points(b.difference), _interval(b.ci)))
    rows.append(("all", f"{sum(b.n for b in pair.bins):,}", _rate(pair.recall_a), _rate(pair.recall_b), "", ""))
    drawn = result.inference.resamples > 0
    columns = [Column("bin", "left"), Column("n"), Column(pair.a), Column(pair.b), Column("points")]
    columns += [Column(f"{result.inference.confidence:.0%} interval", beside=True)] if drawn else []
    cells = tuple(row if drawn else row[:-1] for row in rows)
    explanation = "all: recall. points: the difference in percentage points."
    note = f"{explanation} Intervals: {result.inference.difference_interval}." if drawn else explanation
    title = f"{pair.a} and {pair.b}, bin by bin"
    return Grid(title, tuple(columns), cells, note, frozenset(marked), name=f"pair-{pair.a}-{pair.b}")


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.0f}".replace("-", "−")


def _interval(ci: tuple[float, float] | None) -> str:
    return "" if ci is None else f"[{100 * ci[0]:.0f}, {100 * ci[1]:.0f}]".replace("-", "−")


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _spurious(result: DifficultyResult) -> Grid:
    table = result.spurious
    names, size = _systems(result.gold), len(table.totals)
    negatives = table.totals[0] > 0
    inner = range(0 if negatives else 1, size)
    rows = [(name, *(f"{table.systems[name][n]:,}" for n in inner), f"{sum(table.systems[name]):,}") for name in names]
    rows.append(("all in the bin", *(f"{table.totals[n]:,}" for n in inner), f"{sum(table.totals[1:]):,}"))
    head = (Column("", "left"), *(Column(str(n)) for n in inner), Column("total"))
    zero = " Bin 0: tokens that neither gold nor any system labels." if negatives else ""
    note = f"Bin n: units that gold has not and exactly n systems return.{zero}"
    return Grid("Spurious units by how many systems return them", head, tuple(rows), note, name="spurious-bins")


def _profile(result: DifficultyResult) -> list[Grid]:
    bins = [n for n, bin_profile in result.profile.items() if bin_profile.n]
    if not bins:
        return []
    rows = [(noun_of(result), *(f"{result.profile[n].n:,}" for n in bins))]
    for name, title in ROWS.items():
        values = [result.profile[n].shares.get(name) for n in bins]
        if any(values):
            digits = name == "characters_per_token"
            rows.append((title, *(score(v, 1) if digits else _percent(v) for v in values)))
    for name in result.shown_attributes:
        means = [result.profile[n].attributes[name].mean for n in bins]
        if any(means):
            rows.append((f"mean {name}", *(_number(v) for v in means)))
    head = (Column("bin", "left"), *(Column(str(n)) for n in bins))
    note = "The distribution of every attribute over its buckets is in --csv DIR and --json FILE."
    return [Grid("What is in the bins", head, tuple(rows), note, name="profile")]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}" if abs(value) < 0.01 else f"{value:.3g}"


def _columns(result: DifficultyResult) -> list[Grid]:
    """Return the values of the tokens' own columns: parts of speech, where the file has them."""
    bins = [n for n, bin_profile in result.profile.items() if bin_profile.n]
    grids: list[Grid] = []
    for name in result.profile[0].columns if bins else ():
        totals: dict[str, int] = {}
        for n in bins:
            for value, k in result.profile[n].columns[name].items():
                totals[value] = totals.get(value, 0) + k
        values = sorted(totals, key=lambda value: (-totals[value], value))[:MOST_VALUES]
        sums = {n: sum(result.profile[n].columns[name].values()) for n in bins}
        rows = tuple(
            (
                value,
                *(_percent(result.profile[n].columns[name].get(value, 0) / sums[n] if sums[n] else None) for n in bins),
            )
            for value in values
        )
        more = len(totals) - len(values)
        note = f"Of the bin's tokens.{f' {more:,} more values are in --csv DIR.' if more > 0 else ''}"
        head = (Column(name, "left"), *(Column(str(n)) for n in bins))
        grids.append(Grid(f"{name} in the bins", head, rows, note, name=f"column-{name}"))
    return grids


def _examples(result: DifficultyResult) -> list[Block]:
    """Return some of what nobody finds, and of what one system alone finds."""
    systems = len(result.gold.systems)
    hard = [mention for n in (0, 1) if n < systems for mention in result.profile[n].examples]
    return _mentions(
        "Some units of bins 0 and 1" if not result.rule else "Some items of bins 0 and 1", hard, "hardest", systems
    )


def _features(result: DifficultyResult) -> list[Block]:
    ranked = result.features
    if ranked is None:
        return []
    noun = "gold unit" if ranked.over == "gold" else "item"
    unfound = 1 - (ranked.value or 0.0)
    opening = (
        f"{unfound:.1%} of {counted(ranked.n, noun)} are found by nobody; {counted(ranked.tested, 'feature')} tested, "
        f"{ranked.significant:,} with q < {ALPHA}."
    )
    return [
        Sentence(""),
        Sentence("What goes with bin 0", "title"),
        Sentence(opening),
        *(Sentence(text, "aside") for text in adjusted_in_words(ranked)),
        *([_ranking(ranked)] if ranked.features else []),
    ]


def _ranking(ranked: FeatureList) -> Grid:
    listed = ranked.features
    rows = tuple(
        (
            short(f.feature, 30),
            f"{f.n:,}",
            f"{1 - f.mean:.0%}",
            "–" if f.rest_mean is None else f"{1 - f.rest_mean:.0%}",
            probability(f.q),
        )
        for f in listed
    )
    columns = (Column("feature", "left"), Column("n"), Column("found by nobody"), Column("rest"), Column("q"))
    faint = frozenset((i, 4) for i, f in enumerate(listed) if f.q is None or f.q >= ALPHA)
    left = ranked.significant - sum(f.q is not None and f.q < ALPHA for f in listed)
    folded = "Features of the same units are folded; " if any(f.folded for f in listed) else ""
    note = f"{folded}{left:,} more with q < {ALPHA}; --top N shows more, 0 all." if left > 0 else ""
    return Grid("Features of bin 0 against the rest", columns, rows, note, faint=faint, name="bin-0-features")


def _surface(result: DifficultyResult) -> list[Block]:
    surface = result.surface
    if surface is None:
        return []
    stands = "" if surface.standing is None else f"It stands {counted(surface.standing, 'time')} in the data."
    if not surface.n and not any(surface.containing) and not any(surface.spurious):
        never = "; --lower compares without case" if not surface.standing else ", never as a unit"
        where = stands.removesuffix(".") if stands else f"“{surface.surface}” is no unit of gold or of any system"
        return [Sentence(f"“{surface.surface}”: {where[0].lower()}{where[1:]}{never}.")]
    size = len(surface.bins)
    parts = (("gold", surface.bins), ("in longer gold units", surface.containing), ("spurious", surface.spurious))
    rows = tuple(
        (name, *(f"{k:,}" for k in bins), f"{sum(bins):,}") for name, bins in parts if name == "gold" or any(bins)
    )
    head = (Column(surface.surface, "left"), *(Column(str(n)) for n in range(size)), Column("total"))
    note = f"By how many systems have it. {stands}".strip()
    listed = (
        ("Gold, the hardest first", surface.mentions, surface.n),
        ("In longer gold units", surface.longer, sum(surface.containing)),
        ("Not in gold", surface.returned, sum(surface.spurious)),
    )
    grids: list[Block] = [capped(Grid(f"“{surface.surface}” over the bins", head, rows, note, name="surface"))]
    for title, mentions, n in listed:
        left = f"{n - len(mentions):,} more; --top N shows more, 0 all." if len(mentions) < n else ""
        grids += _mentions(title, mentions, f"surface-{title}", size - 1, left)
    return grids


def _mentions(title: str, mentions: Sequence[Mention], name: str, systems: int, note: str = "") -> list[Block]:
    if not mentions:
        return []
    rows = tuple((f"{len(m.systems)} of {systems}", str(m.item), m.excerpt(60), m.label or "") for m in mentions)
    columns = [Column("found by", "left"), Column("item", "left"), Column("mention", "left"), Column("label", "left")]
    labelled = 4 if any(m.label for m in mentions) else 3
    return [Grid(title, tuple(columns[:labelled]), tuple(row[:labelled] for row in rows), note, name=name)]


def _spread(result: DifficultyResult) -> list[Block]:
    forms = [form for form in result.spread if form.lost > 0][: result.top or None]
    if not forms or len(result.gold.systems) < 2:
        return []
    size = len(result.gold.totals)
    rows = tuple(
        (short(f.surface, 24), f"{f.n:,}", score(f.lost, 1), *(f"{k:,}" if k else "·" for k in f.bins)) for f in forms
    )
    head = (Column("string", "left"), Column("n"), Column("lost"), *(Column(str(n)) for n in range(size)))
    unusual = sum(form.lost > 0 for form in result.spread)
    note = (
        "Mentions of a string by bin; lost: how far they fall below its own median bin, in mentions. "
        f"{unusual:,} of {counted(result.forms, 'string')} with two gold units or more do; all are in --csv DIR."
    )
    grid = Grid("Strings that are mostly found, and sometimes resist", head, rows, note, name="spread")
    return [capped(grid, rows=False), *(block for form in forms[:FORM_MENTIONS] for block in _form(form, size - 1))]


def _form(form: Form, systems: int) -> list[Block]:
    mentions = (*form.resistant, *form.found)
    return _mentions(f"“{short(form.surface, 40)}”: resistant, and found", mentions, f"form-{form.surface}", systems)


def _suspects(result: DifficultyResult) -> list[Block]:
    """Return the first contradictions and the first of what nobody finds; then the scores without them."""
    systems, top = len(result.gold.systems), result.top or len(result.suspects)
    against = [suspect for suspect in result.suspects if suspect.kind != "unfound"]
    unfound = [suspect for suspect in result.suspects if suspect.kind == "unfound"]
    grids: list[Block] = []
    columns = [Column(title, "left") for title in ("suspect", "item", "in context", "gold", "systems")]
    if against:
        rows = tuple(_suspect(suspect, systems) for suspect in against[:top])
        left = len(against) - len(rows)
        note = f"At least {result.nearly_all} systems say the same. "
        note += f"{left:,} more; --write-suspects FILE.csv writes all for an annotator." if left > 0 else ""
        grids.append(Grid("Suspect gold", tuple(columns), rows, note.strip(), name="suspects"))
    if unfound:
        rows = tuple(_suspect(suspect, systems)[: 3 if result.rule else 4] for suspect in unfound[: (top + 1) // 2])
        left = result.suspects_found - len(against) - len(rows)
        left_note = f"{left:,} more; --write-suspects FILE.csv writes all." if left > 0 else ""
        order = "the worst first" if result.rule else "the most suspect first: hardly ever such a unit elsewhere"
        title = f"Found by nobody, {order}"
        titles = [Column("systems without a unit there" if not result.rule else "", "left"), *columns[1:4]]
        cells = tuple(row[1:] for row in rows) if result.rule else rows
        head = tuple(titles[1:3] if result.rule else titles)
        grids.append(Grid(title, head, cells, left_note, name="unfound"))
    return grids + ([_aside(result)] if against and len(result.without_suspects) > 1 else [])


def _suspect(suspect: Suspect, systems: int) -> tuple[str, ...]:
    gold = "–" if suspect.gold is None else suspect.gold.label or ""
    if suspect.kind == "boundary" and suspect.gold is not None:
        gold = f"{gold} [{short(suspect.gold.text, 20)}]"
    returned = "–" if suspect.systems is None else suspect.systems.label or ""
    mention = suspect.mention
    kind = (
        f"{suspect.agree} of {systems}"
        if suspect.kind == "unfound"
        else f"{SUSPECT[suspect.kind]}, {suspect.agree}/{systems}"
    )
    return (kind, str(mention.item), mention.excerpt(40), gold, returned)


def _aside(result: DifficultyResult) -> Grid:
    """Return every system's score with suspects set aside, and its rank."""
    variants = [s for s in result.without_suspects if s.kind != "all"]
    rows = []
    for name in variants[0].ranking:
        cells = [f"{score(s.scores[name], 3)} ({s.ranking.index(name) + 1})" for s in variants]
        rows.append((name, *cells))
    titles = {"none": "as it is", "contradicted": "all these"} | SUSPECT
    columns = [Column("", "left")]
    columns += [Column(f"{titles[s.kind]}\n{s.suspects:,} set aside" if s.suspects else "as it is") for s in variants]
    note = "In brackets: the rank. What is set aside counts neither as gold nor as returned."
    metric = "F1" if result.metric == "f1" else result.metric
    grid = Grid(f"{metric} with suspects set aside", tuple(columns), tuple(rows), note, name="without-suspects")
    return capped(grid)
