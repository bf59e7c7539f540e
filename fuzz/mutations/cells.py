"""Changes of cells: what stands between tabs, commas, semicolons or spaces, or behind an equals sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.hostile import CELLS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def _separator(data: bytes) -> bytes:
    first = data.partition(b"\n")[0]
    return next((s for s in (b"\t", b",", b";", b" ") if s in first or s in data), b"\t")


def _on_cells(
    change: Callable[[Random, list[list[bytes]]], None],
) -> Callable[[Random, bytes], bytes]:
    def changed(rng: Random, data: bytes) -> bytes:
        separator = _separator(data)
        rows = [line.split(separator) for line in data.split(b"\n")]
        change(rng, rows)
        return b"\n".join(separator.join(row) for row in rows)

    return changed


def _row(rng: Random, rows: list[list[bytes]]) -> list[bytes]:
    filled = [row for row in rows if row != [b""]] or rows
    return rng.choice(filled)


def _value(rng: Random) -> bytes:
    return rng.choice(CELLS).encode()


def _replace(rng: Random, rows: list[list[bytes]]) -> None:
    row = _row(rng, rows)
    row[rng.choice((-1, rng.randrange(len(row))))] = _value(rng)


def _column(rng: Random, rows: list[list[bytes]]) -> None:
    at, value = rng.choice((-1, 0, 1)), _value(rng)
    for row in rows:
        if row != [b""] and -len(row) <= at < len(row):
            row[at] = value


def _add(rng: Random, rows: list[list[bytes]]) -> None:
    row = _row(rng, rows)
    row.insert(rng.randint(0, len(row)), _value(rng))


def _add_column(rng: Random, rows: list[list[bytes]]) -> None:
    at, value = rng.choice((0, 1, 99)), _value(rng)
    for row in rows:
        if row != [b""]:
            row.insert(at, value)


def _remove(rng: Random, rows: list[list[bytes]]) -> None:
    row = _row(rng, rows)
    del row[rng.randrange(len(row))]


def _remove_column(rng: Random, rows: list[list[bytes]]) -> None:
    at = rng.choice((0, 1, 2))
    for row in rows:
        if len(row) > 1:
            del row[min(at, len(row) - 1)]


def _quote(rng: Random, rows: list[list[bytes]]) -> None:
    row = _row(rng, rows)
    at = rng.randrange(len(row))
    mark = rng.choice((b'"', b"'"))
    row[at] = rng.choice((mark + row[at], row[at] + mark, mark + row[at] + mark, mark + row[at] + b"\n" + mark))


def _append(rng: Random, rows: list[list[bytes]]) -> None:
    row = _row(rng, rows)
    row[rng.randrange(len(row))] += _value(rng)


def _header(rng: Random, rows: list[list[bytes]]) -> None:
    names = [rng.choice(NAMES).encode() for _ in rows[0]]
    if rng.random() < 0.5:
        rows.insert(0, names)
    else:
        at = rng.randrange(len(rows[0]))
        rows[0][at] = names[at]


def _document(rng: Random, rows: list[list[bytes]]) -> None:
    cells = rng.choice(([b"-DOCSTART-"], [b"-DOCSTART-", b"O"], [b"-DOCSTART-", b""], [b"-DOCSTART-", b"-X-", b"O"]))
    at = rng.choice((0, 0, len(rows), rng.randint(0, len(rows))))
    rows[at:at] = [list(cells), *([[b""]] if rng.random() < 0.7 else [])]


def _only_documents(rng: Random, rows: list[list[bytes]]) -> None:
    rows[:] = [[b"-DOCSTART-", *[b""] * rng.randint(0, 3)]] * rng.randint(1, 2)


def _outside(_: Random, rows: list[list[bytes]]) -> None:
    for row in rows:
        if row != [b""]:
            row[-1] = b"O"


def _alone(_: Random, rows: list[list[bytes]]) -> None:
    for row in rows:
        del row[:-1]


def _other_separator(rng: Random, rows: list[list[bytes]]) -> None:
    between = rng.choice((b"\t", b"\t\t", b" ", b"  ", b",", b";", b"|"))
    chosen = rows if rng.random() < 0.5 else [_row(rng, rows)]
    for row in chosen:
        row[:] = [between.join(row)]


MUTATIONS: dict[str, Callable[[Random, bytes], bytes]] = {
    "replace": _on_cells(_replace),
    "column": _on_cells(_column),
    "add": _on_cells(_add),
    "add-column": _on_cells(_add_column),
    "remove": _on_cells(_remove),
    "remove-column": _on_cells(_remove_column),
    "quote": _on_cells(_quote),
    "append": _on_cells(_append),
    "header": _on_cells(_header),
    "document": _on_cells(_document),
    "only-documents": _on_cells(_only_documents),
    "outside": _on_cells(_outside),
    "alone": _on_cells(_alone),
    "separator": _on_cells(_other_separator),
}
