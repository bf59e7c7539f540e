"""A user's own Python: a file loaded by name, and what it raises told in one line."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
import warnings
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from slicewise.errors import UserError, did_you_mean, is_file, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

STOPS = (Exception, SystemExit, GeneratorExit, pl.exceptions.PanicException)
"""What a user's code may raise that is the user's to mend; Ctrl-C is not among them."""


@contextmanager
def running() -> Iterator[None]:
    """Run a user's code: what it prints goes to standard error, and warnings of libraries stay unsaid."""
    with redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def split_name(given: str) -> tuple[str, str] | None:
    """Return file and name of `FILE.py:NAME`, or None where that is not what is named."""
    path, colon, name = given.rpartition(":")
    return (path, name) if colon and path.endswith(".py") else None


def load(path: str, name: str, fits: Callable[[Any], bool] = callable) -> Any:
    """Run a Python file and return what it has under a name, if that fits."""
    if not is_file(path):
        raise UserError("there is no such file; check the path", where=path)
    module = _run(path)
    if not fits(getattr(module, name, None)):
        own = {n: v for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__}
        known = [n for n, value in own.items() if fits(value)]
        raise UserError(f"no function {quoted(name)} in it; {did_you_mean(name, known)}", where=path)
    return getattr(module, name)


def _run(path: str) -> ModuleType:
    full = str(Path(path).absolute())
    spec = importlib.util.spec_from_file_location(f"slicewise_user_{Path(path).stem}_{_digest(full.encode())}", full)
    if spec is None or spec.loader is None:
        raise UserError("cannot be read as a Python file", where=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with running():  # standard output is for results
            spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"is not valid Python: {error.msg}; mend the line", where=path, line=error.lineno) from None
    except STOPS as error:
        raise UserError(f"running the file {said(error)}", where=path, line=line_of(error, path)) from error
    return module


def digest(path: str) -> str:
    """Return the hash of a file that stands in a signature."""
    return _digest(Path(path).read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def place(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    """Return the file and the line of a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (None, None) if code is None else (shown(code.co_filename), code.co_firstlineno)


def shown(path: str) -> str:
    """Return a path as the user would write it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return path


def said(error: BaseException) -> str:
    """Return what was raised, and what to do."""
    try:
        message = str(error)
    except Exception:
        message = ""
    return f"raised {type(error).__name__}: {message or 'no message'}; mend the function"


def line_of(error: BaseException, path: str | None) -> int | None:
    """Return the last line of a file that an error came through."""
    if path is None:
        return None
    full = Path(path).resolve()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve() == full]
    return frames[-1].lineno if frames else None
