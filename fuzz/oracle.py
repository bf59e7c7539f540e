"""What a run must not do: raise, lie about success, be rude, leave rubbish, touch its input."""

from __future__ import annotations

import csv
import io
import json
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.case import WRITTEN
from fuzz.options import OF_THE_DATA, commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.case import Case
    from fuzz.execute import Outcome

LONGEST = 600
"""Characters of a message, beside the path that a user wrote."""
MEMORY = 1000.0
"""Megabytes by which a case may raise the largest use of memory."""
PATHS = WRITTEN | OF_THE_DATA
FORMULAS = {"=", "+", "-", "@", "\t", "\r"}
ABOUT_FILES = ("read/", "align/", "metrics/reading.py", "metrics/regression.py", "metrics/probability.py", "roles.py")
"""Where a message is about the content of a file, which it then names."""


@dataclass(frozen=True)
class Failure:
    """What is wrong: `kind` and `where` tell it from others, `detail` is for people."""

    kind: str
    where: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        """What makes two failures the same."""
        return self.kind, self.where


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong with a run, the worst first, or None."""
    if outcome.code is None:
        error = outcome.error
        assert error is not None
        return Failure(type(error).__name__, _frame(error), _told(error))
    return _in_any_case(case, outcome) or (_refused(case, outcome) if outcome.code == 2 else _succeeded(case, outcome))


def _told(error: BaseException) -> str:
    """Return an error and where it came through, without what ran it and what read the command line."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((i for i, f in enumerate(frames) if f.filename.endswith("/cli/option.py")), -1) + 1
    lines = traceback.format_list(frames[first:]) + traceback.format_exception_only(error)
    return "".join(lines)


def names_no_file(case: Case, outcome: Outcome) -> Failure | None:
    """Return a failure where a message does not name a file; it need not if it is not about what is in the files."""
    if outcome.code != 2 or not _frame(_reason(outcome)).startswith(ABOUT_FILES):
        return None
    if getattr(_reason(outcome), "where", None) is not None:
        return None  # it begins with a path, be it that of a file that is not there
    named = {part for name in case.files for part in (name, name.partition("/")[0])} | {"standard input"}
    if any(name in outcome.err for name in named):
        return None
    return _failure("a message about a file that it does not name", outcome, outcome.err)


def _in_any_case(case: Case, outcome: Outcome) -> Failure | None:
    """Return what neither success nor refusal may do."""
    lines = outcome.err.split("\n")
    stray = [line for line in lines if line and not line.startswith("slicewise: ")]
    hidden = [name for name in outcome.left if Path(name).name.startswith(".slicewise.")]
    wrong = {
        f"exit code {outcome.code}": "" if outcome.code in (0, 2) else outcome.err or "nothing was said",
        "an input file was changed": ", ".join(outcome.changed),
        "a temporary file was left": ", ".join(hidden),
        "memory": f"{outcome.megabytes:,.0f} MB" if outcome.megabytes > MEMORY else "",
        "control characters on standard error": "" if all(map(str.isprintable, lines)) else outcome.err,
    }
    if stray:
        return Failure("a line that is not ours", f"{case.command}: {_gist(stray[0])}", outcome.err)
    return next((_failure(kind, outcome, detail) for kind, detail in wrong.items() if detail), None)


def _refused(case: Case, outcome: Outcome) -> Failure | None:
    if outcome.err.count("\n") != 1 or not outcome.err.endswith("\n"):
        return _failure("other than one line on standard error", outcome, outcome.err)
    paths = [word for option in case.options if option[0] in PATHS for word in option[1:] if len(word) > 100]
    if len(outcome.err) - sum(len(path) * outcome.err.count(path) for path in paths) > LONGEST:
        return _failure("a message that is too long", outcome, outcome.err)
    if outcome.out:
        return _failure("output beside an error", outcome, outcome.out[:2000] + outcome.err)
    partial = [name for name, data in outcome.left.items() if case.command != "convert" or not _is_whole(data)]
    if partial:
        return _failure("files beside an error", outcome, ", ".join(partial) + "\n" + outcome.err)
    return None


def _is_whole(data: bytes) -> bool:
    """Tell whether this is a Parquet file: of several files, those before the wrong one are converted."""
    return len(data) > 8 and data[:4] == data[-4:] == b"PAR1"


def _succeeded(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong with the results: each has to be what its name says."""
    written = dict(outcome.left)
    if case.value("--json") == "-":
        written["-"] = outcome.out.encode()
    guarded = "--raw-csv" in commands().get(case.command, {}) and "--raw-csv" not in case.arguments
    for name, data in written.items():
        kind = "json" if name == case.value("--json") else name.rpartition(".")[2]
        try:
            CHECKS.get(kind, bytes.decode)(data)
            if guarded and kind == "csv":
                _check_formulas(data)
        except ValueError as error:
            shown = data[:2000].decode(errors="replace")
            return Failure(f"no valid {kind}", f"{case.command}: {_gist(str(error))}", f"{name}: {error}\n{shown}")
    return None


def _check_json(data: bytes) -> None:
    if not isinstance(json.loads(data, parse_constant=_not_json), dict):
        raise ValueError("no object")


def _check_lines(data: bytes) -> None:
    for line in data.decode().removesuffix("\n").split("\n") if data else ():
        _check_json(line.encode())


def _check_csv(data: bytes) -> None:
    rows = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of several lengths")


def _check_formulas(data: bytes) -> None:
    """Refuse cells that a spreadsheet would run."""
    for row in csv.reader(io.StringIO(data.decode(), newline="")):
        for cell in row:
            if cell[:1] in FORMULAS and not re.fullmatch(r"[-+]?(\d.*|inf|nan)?", cell, re.IGNORECASE):
                raise ValueError("a cell that a spreadsheet runs")


def _check_parquet(data: bytes) -> None:
    if not _is_whole(data):
        raise ValueError("no Parquet file")


CHECKS: dict[str, Callable[[bytes], object]] = {
    "json": _check_json,
    "jsonl": _check_lines,
    "csv": _check_csv,
    "parquet": _check_parquet,
    "png": len,
    "pdf": len,
}
"""What raises ValueError where a file is not what its ending says; others are UTF-8."""


def _not_json(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _failure(kind: str, outcome: Outcome, detail: str) -> Failure:
    """Return a failure of a run that ended by itself: it is told by where its message was made."""
    return Failure(kind, place_of(outcome), detail)


def place_of(outcome: Outcome) -> str:
    """Return where in the program the message of a run was made."""
    return _frame(_reason(outcome))


def _reason(outcome: Outcome) -> BaseException | None:
    """Return what a run ended for: what was raised before it exited."""
    return outcome.error.__context__ or outcome.error if outcome.error is not None else None


def _frame(error: BaseException | None) -> str:
    """Return the innermost place in the program that an error came through."""
    import slicewise

    package = Path(slicewise.__file__).parent
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    for frame in reversed(frames):
        path = Path(frame.filename)
        if path.is_relative_to(package):
            return f"{path.relative_to(package)}:{frame.lineno} {frame.name}"
    return "elsewhere"


def _gist(line: str) -> str:
    """Return a line without what differs from run to run."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|/\S+", "…", line))[:80]
