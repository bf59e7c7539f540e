"""The comparison of two versions finds a difference of one byte, and none where there is none."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest
from same.cases import Case, cases, selected
from same.compare import Difference, compare
from same.data_sets import examples
from same.pages import without_code
from same.processes import RunError, Side, run
from same.summary import listed, summary

from slicewise.render.page.embed import data_element, policy

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "news.score.memory/exit-code": b"0\n",
    "news.score.memory/result.json": b'{"n": 816,\n"f1": 0.7269}\n',
    "news.score.memory/csv/systems.csv": "système,f1\n".encode(),
}
CASES = [Case("news.score.memory", ("score",))]


def page(*, script: str = "let a = 1;", style: str = "p {}", text: str = "F1", data: str = "a </script> b") -> bytes:
    return (
        f'<!DOCTYPE html><html><head><meta content="{policy([script])}"><style>{style}</style></head>\n'
        f"<body><p>{text}</p>{data_element('data-page', [data])}<script>{script}</script></body></html>"
    ).encode()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same files."""
    for side in ("before", "after"):
        for name, content in FILES.items():
            (tmp_path / side / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / side / name).write_bytes(content)
    return tmp_path / "before", tmp_path / "after"


def test_the_same_files_do_not_differ(folders: tuple[Path, Path]) -> None:
    found = compare(*folders)
    assert (found.files, found.differences, listed(found, 9)) == (3, [], [])
    assert summary(found, CASES, folders[1], "HEAD") == ["identical to HEAD: 1 cases, 3 files"]


def test_one_byte_is_found_and_shown(folders: tuple[Path, Path]) -> None:
    (folders[1] / "news.score.memory/result.json").write_bytes(b'{"n": 816,\n"f1": 0.7268}\n')
    found = compare(*folders)
    assert listed(found, 9) == [
        "news.score.memory/result.json",
        "    line 2, byte 23 of 25 before and 25 after",
        '    before: "f1": 0.7269}\\n',
        '    after:  "f1": 0.7268}\\n',
    ]
    assert summary(found, CASES, folders[1], "HEAD") == [
        "not identical to HEAD: 1 files of 1 cases differ; 1 cases, 3 files"
    ]
    assert listed(found, 0) == ["and 1 more (--all)"]


def test_files_of_one_version_alone_are_found(folders: tuple[Path, Path]) -> None:
    (folders[0] / "news.score.memory/old.csv").write_bytes(b"")
    (folders[1] / "news.score.memory/new.csv").write_bytes(b"")
    assert compare(*folders).differences == [
        Difference("news.score.memory/new.csv", ("written after, and not before",)),
        Difference("news.score.memory/old.csv", ("written before, and not after",)),
    ]


def test_cases_that_fail_are_named(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        (folder / "news.score.memory/exit-code").write_bytes(b"2\n")
    assert summary(compare(*folders), CASES, folders[1], "HEAD")[0] == "1 cases end with an error: news.score.memory"


@pytest.mark.parametrize("change", [{"script": "let b = 'sha256-2';"}, {"style": "q {}"}, {"script": "'<script>'"}])
def test_the_code_of_a_page_may_differ(change: dict[str, str]) -> None:
    assert page(**change) != page()
    assert without_code(page(**change)) == without_code(page())


@pytest.mark.parametrize(
    ("part", "before", "after"),
    [("text", "F1", "F2"), ("data", "0.5", "0.50"), ("text", "'sha256-a'", "'sha256-b'"),
     ("data", "<style>a</style>", "<style>b</style>"), ("data", "<script>a</script>", "<script>b</script>")],
)  # fmt: skip
def test_nothing_else_of_a_page_may_differ(part: str, before: str, after: str) -> None:
    assert without_code(page(**{part: before})) != without_code(page(**{part: after}))


def test_every_case_has_a_name_of_its_own_and_brings_what_it_needs() -> None:
    every = cases(examples(), spark=True)
    assert len({case.name for case in every}) == len(every)
    some = selected(every, ["topics.score.parts-3"])
    assert [case.name for case in some][-1] == "topics.score.parts-3"
    assert {name for case in some for name in case.needs} == {case.name for case in some[:-1]}
    assert selected(every, ["no such case"]) == []


def version(folder: Path, name: str, command_line: str) -> Side:
    """Write a program that takes the place of Slicewise."""
    package = folder / f"{name}-src" / "slicewise" / "cli"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").write_text(f"import sys\ndef main():\n    {command_line}\n")
    return Side(name, package.parent.parent, folder / "output" / name, 1)


def test_two_versions_run_all_cases_in_a_folder_each(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([asdict(Case(name, (name,))) for name in ("x.a", "x.b", "x.c")]))
    says = "print(sys.argv[1]); open('out', 'w').write({}) if sys.argv[1] == 'x.b' else sys.exit(len(sys.argv))"
    sides = [version(tmp_path, name, says.format(value)) for name, value in (("before", "'0.5'"), ("after", "5"))]
    run(sides, file, in_turn=False)
    found = compare(*(side.folder for side in sides))
    assert found.files == 10
    assert [one.file for one in found.differences] == ["x.b/exit-code", "x.b/out"]
    assert (sides[0].folder / "x.a" / "exit-code").read_text() == "2\n"
    assert (sides[0].folder / "x.b" / "standard-output").read_text() == "x.b\n"
    assert (sides[1].folder / "x.b" / "exit-code").read_text().startswith("TypeError: ")


def test_a_version_that_dies_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([asdict(Case("x.a", ("x.a",)))]))
    with pytest.raises(RunError, match=r"^after ended with code 7 before all cases were run"):
        run([version(tmp_path, "after", "__import__('os')._exit(7)")], file, in_turn=True)
