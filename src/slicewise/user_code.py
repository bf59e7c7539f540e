"""User-supplied Python code: load it from a file, run it, and describe in one line what it raises."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from slicewise.errors import UserError, did_you_mean, is_file, quoted

STOPS = (Exception, SystemExit, GeneratorExit, pl.exceptions.PanicException)
"""Exceptions of user code that are reported to the user; not Ctrl-C."""


@contextmanager
def running() -> Iterator[None]:
    """Run user code with its standard output sent to standard error and library warnings silenced."""
    with redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def split_name(spec: str) -> tuple[str, str] | None:
    """Split `FILE.py:NAME` into file and name; None for anything else."""
    path, colon, name = spec.rpartition(":")
    return (path, name) if colon and path.endswith(".py") else None


def load(path: str, name: str, fits: Callable[[Any], bool] = callable) -> Any:
    """Run a Python file and return the object of this name, if it fits."""
    if not is_file(path):
        raise UserError("there is no such file; check the path", where=path)
    module = _run(path)
    if not fits(getattr(module, name, None)):
        defined = {n: v for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__}
        names = [n for n, value in defined.items() if fits(value)]
        raise UserError(f"no function {quoted(name)} in it; {did_you_mean(name, names)}", where=path)
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
        raise UserError(f"running the file {error_message(error)}", where=path, line=line_of(error, path)) from error
    return module


def digest(path: str) -> str:
    """Return the hash of a file for a signature."""
    return _digest(Path(path).read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def place(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    """Return the file and the line of a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (None, None) if code is None else (relative_path(code.co_filename), code.co_firstlineno)


def relative_path(path: str) -> str:
    """Return a path relative to the working directory where it lies in it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return path


def error_message(error: BaseException) -> str:
    """Describe an exception and what to do about it."""
    try:
        message = str(error)
    except Exception:
        message = ""
    return f"raised {type(error).__name__}: {message or 'no message'}; mend the function"


def line_of(error: BaseException, path: str | None) -> int | None:
    """Return the last line of a file in an exception's traceback."""
    if path is None:
        return None
    full = Path(path).resolve()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve() == full]
    return frames[-1].lineno if frames else None
