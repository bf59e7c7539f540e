"""Functions fit on a screen: 60 lines, signature and docstring included."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "slicewise"
MOST_LINES = 60


def long_functions(code: str) -> Iterator[str]:
    """Yield the names of functions that are too long."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in ast.walk(ast.parse(code)) if isinstance(node, kinds)]
    yield from (node.name for node in functions if (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES)


def test_functions_are_short() -> None:
    files = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    too_long = {f"{name}:{function}" for name, code in files.items() for function in long_functions(code)}
    assert not too_long


def test_the_signature_and_the_docstring_count() -> None:
    head = 'def f(\n    a,\n    b,\n):\n    """One.\n\n    More.\n    """\n'
    assert not list(long_functions(head + "    a = b\n" * (MOST_LINES - 8)))
    assert list(long_functions(head + "    a = b\n" * (MOST_LINES - 7))) == ["f"]
