"""`--matrix` with other options: those that say nothing of a table of 0 and 1 are refused, not ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.commands import Run, Write, document_of, refused, strict

if TYPE_CHECKING:
    from pathlib import Path


TABLE = "id,A,B\nx,0,1\ny,1,1\n"
MATRIX = ("score", "--matrix", "m.csv", "--resamples", "0")


@pytest.fixture
def files(write: Write, tmp_path: Path) -> Path:
    write("m.csv", TABLE)
    write("t.txt", "a\nb\n")
    return tmp_path


@pytest.mark.parametrize(
    "given",
    [
        ("--input", "t.txt"),
        ("--train", "t.txt"),
        ("--task", "spans"),
        ("--format", "table"),
        ("--map", "a=b"),
        ("--ignore", "a"),
        ("--negative-label", "O"),
        ("--strip-prefix",),
        ("--scheme", "bioes"),
        ("--strict",),
        ("--strict-tokens",),
        ("--normalise", "lower"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_says_nothing_of_a_matrix(given: tuple[str, ...], run: Run) -> None:
    refused(run(*MATRIX, *given), f"{given[0]} does not go with --matrix", "leave it out")


@pytest.mark.parametrize("given", [("--task", "scores"), ("--lower",), ("--cluster", "id"), ("--name", "n")])
@pytest.mark.usefixtures("files")
def test_what_a_matrix_goes_with(given: tuple[str, ...], run: Run) -> None:
    found = document_of("score", run(*MATRIX, *given, "--json", "-"))
    assert found["result"]["systems"]["A"]["metrics"]["mean"]["value"] == 0.5


def test_settings_of_all_data_sets_pass_a_matrix_by(files: Path, write: Write, run: Run) -> None:
    texts = '[[dataset]]\nname = "t"\ngold = "t.txt"\nsystems = { A = "t.txt" }\n'
    write("c.toml", f'task = "labels"\ncluster = "item"\n{texts}[[dataset]]\nname = "m"\nmatrix = "m.csv"\n')
    ran = run("score", "--config", "c.toml", "--resamples", "0", "--json", "-")
    assert [d["data"]["task"] for d in strict(ran.out)["datasets"]] == ["labels", "scores"]
    refused(run("score", "--config", "c.toml", "--name", "m", "--task", "labels"), "--task does not go with --matrix")


def test_settings_of_a_matrix_itself(files: Path, write: Write, run: Run) -> None:
    write("c.toml", '[[dataset]]\nname = "m"\nmatrix = "m.csv"\ntrain = "t.txt"\n')
    refused(run("score", "--config", "c.toml"), "--train does not go with --matrix")
