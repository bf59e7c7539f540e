"""Settings in a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.commands import Ran, Run, Write


GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nin\tO\nRome\tB-LOC\n"
OTHER = GOLD.replace("B-LOC", "O")
ONE = """
task = "spans"
resamples = 0
seed = 7

[[dataset]]
name = "first"
gold = "data/g.conll"
train = "data/g.conll"
[dataset.systems]
a = "data/g.conll"
b = ["data/o.conll", "data/g.conll"]
"""
TWO = (
    ONE
    + """
[[dataset]]
name = "second"
gold = "data/o.conll"
systems = { a = "data/o.conll", c = "data/g.conll" }
"""
)


@pytest.fixture
def files(write: Write) -> None:
    write("sub/data/g.conll", GOLD)
    write("sub/data/o.conll", OTHER)
    write("sub/one.toml", ONE)
    write("sub/two.toml", TWO)


def result(ran: Ran) -> Any:
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.usefixtures("files")
def test_paths_are_relative_to_the_file(run: Run) -> None:
    found = result(run("score", "--config", "sub/one.toml", "--json", "-"))
    assert found["data"]["name"] == "first"
    assert found["data"]["systems"] == ["a", "b#1", "b#2"]
    assert found["data"]["restarts"] == {"b": ["b#1", "b#2"]}
    assert found["data"]["train"] == {"items": 2, "tokens": 5, "units": 3}
    assert found["result"]["systems"]["b#1"]["micro"]["n_pred"] == 2
    assert found["result"]["systems"]["b#2"]["micro"]["n_pred"] == 3


@pytest.mark.usefixtures("files")
def test_the_same_from_another_folder_and_by_an_absolute_path(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("score", "--config", "sub/one.toml", "--json", "-").out
    monkeypatch.chdir(tmp_path / "sub")
    assert run("score", "--config", "one.toml", "--json", "-").out == first
    monkeypatch.chdir("/")
    assert run("score", "--config", tmp_path / "sub" / "one.toml", "--json", "-").out == first


@pytest.mark.usefixtures("files")
def test_the_file_and_the_options_say_the_same(run: Run) -> None:
    by_file = result(run("score", "--config", "sub/one.toml", "--json", "-"))
    by_options = result(
        run(
            "score", "--name", "first", "--task", "spans", "--gold", "sub/data/g.conll", "--train", "sub/data/g.conll",
            "--system", "a=sub/data/g.conll", "--system", "b=sub/data/o.conll", "--system", "b=sub/data/g.conll",
            "--resamples", "0", "--seed", "7", "--json", "-",
        )
    )  # fmt: skip
    assert by_file["result"] == by_options["result"]
    assert by_file["data"]["systems"] == by_options["data"]["systems"]
    assert sorted(by_file["signature"].split(" | ")) == sorted(by_options["signature"].split(" | "))


@pytest.mark.usefixtures("files")
def test_several_data_sets(run: Run) -> None:
    found = result(run("score", "--config", "sub/two.toml", "--json", "-"))
    assert found["command"] == "score"
    assert [d["data"]["name"] for d in found["datasets"]] == ["first", "second"]
    assert [d["data"]["systems"] for d in found["datasets"]] == [["a", "b#1", "b#2"], ["a", "c"]]
    assert all({"signature", "data", "result"} <= set(d) for d in found["datasets"])
    assert found["datasets"][1]["result"]["systems"]["c"]["micro"]["tp"] == 2


@pytest.mark.usefixtures("files")
def test_each_data_set_is_scored_as_it_is_alone(run: Run) -> None:
    both = result(run("score", "--config", "sub/two.toml", "--json", "-"))["datasets"]
    for i, name in enumerate(("first", "second")):
        alone = result(run("score", "--config", "sub/two.toml", "--name", name, "--json", "-"))
        assert alone["data"] == both[i]["data"]
        assert alone["result"] == both[i]["result"]
        assert alone["signature"] == both[i]["signature"]


@pytest.mark.usefixtures("files")
def test_name_picks_a_data_set(run: Run) -> None:
    found = result(run("score", "--config", "sub/two.toml", "--name", "second", "--json", "-"))
    assert found["data"]["name"] == "second"
    assert found["data"]["systems"] == ["a", "c"]


@pytest.mark.usefixtures("files")
def test_tables_of_several_data_sets_lie_apart(run: Run, tmp_path: Path) -> None:
    assert run("score", "--config", "sub/two.toml", "--csv", "out").code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["first", "second"]
    assert list((tmp_path / "out" / "first").glob("*.csv"))


def test_a_data_set_name_does_not_leave_the_folder(run: Run, write: Write, tmp_path: Path) -> None:
    write("data/g.conll", GOLD)
    write("data/o.conll", OTHER)
    write("c.toml", TWO.replace('"first"', '"../../first"').replace('"second"', '"/tmp/../second"'))
    before = sorted(path.name for path in tmp_path.parent.iterdir())
    assert run("score", "--config", "c.toml", "--csv", "out").code == 0
    assert sorted(path.name for path in tmp_path.parent.iterdir()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.toml", "data", "out"]
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_data_sets_of_one_name_do_not_overwrite_each_other(run: Run, write: Write, tmp_path: Path) -> None:
    write("data/g.conll", GOLD)
    write("data/o.conll", OTHER)
    write("c.toml", TWO.replace('"second"', '"first"'))
    ran = run("score", "--config", "c.toml", "--csv", "out")
    assert ran.code == 2 or len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.usefixtures("files")
def test_options_go_before_the_file(run: Run) -> None:
    found = result(
        run(
            "score", "--config", "sub/one.toml", "--seed", "3", "--resamples", "5", "--confidence", "0.5",
            "--task", "tokens", "--metric", "accuracy", "--json", "-",
        )
    )  # fmt: skip
    assert found["data"]["task"] == "tokens"
    inference = found["result"]["inference"]
    assert (inference["seed"], inference["resamples"], inference["confidence"]) == (3, 5, 0.5)
    assert found["result"]["metrics"] == ["accuracy"]


@pytest.mark.usefixtures("files")
def test_the_file_s_scoring_counts_where_no_option_is_given(run: Run) -> None:
    found = result(run("score", "--config", "sub/one.toml", "--json", "-"))
    assert found["result"]["inference"]["seed"] == 7
    assert found["result"]["inference"]["resamples"] == 0


def test_a_data_set_at_the_top_level(run: Run, write: Write) -> None:
    write("d/g.conll", GOLD)
    write(
        "d/c.toml",
        'gold = "g.conll"\nmetric = ["exact-match"]\nresamples = 0\nmap = {LOC = "PLACE"}\n[systems]\ns = "g.conll"\n',
    )
    found = result(run("score", "--config", "d/c.toml", "--json", "-"))
    assert found["data"]["name"] == "g"
    assert found["result"]["metrics"] == ["exact-match"]
    assert set(found["result"]["systems"]["s"]["labels"]) == {"PER", "PLACE"}


def test_shared_settings_and_a_data_set_s_own(run: Run, write: Write) -> None:
    write("g.conll", GOLD)
    write(
        "c.toml",
        'ignore = ["LOC"]\nresamples = 0\nstrict-tokens = true\n'
        '[[dataset]]\nname = "x"\ngold = "g.conll"\nsystems = {s = "g.conll"}\n'
        '[[dataset]]\nname = "y"\nignore = ["PER"]\ngold = "g.conll"\nsystems = {s = "g.conll"}\n',
    )
    first, second = result(run("score", "--config", "c.toml", "--json", "-"))["datasets"]
    assert set(first["result"]["systems"]["s"]["labels"]) == {"PER"}
    assert set(second["result"]["systems"]["s"]["labels"]) == {"LOC"}
    assert "strict-tokens" in first["signature"]


def test_columns_globs_and_inputs(run: Run, write: Write) -> None:
    write("d/t/a.csv", "question,gold,out\nq1,x,x\n")
    write("d/t/b.csv", "question,gold,out\nq2,y,x\n")
    write(
        "d/c.toml", 'gold = "t/*.csv:gold"\ninput = "t/*.csv:question"\nresamples = 0\n[systems]\ns = "t/*.csv:out"\n'
    )
    found = result(run("score", "--config", "d/c.toml", "--json", "-"))
    assert found["data"]["items"] == 2
    assert found["result"]["systems"]["s"]["metrics"]["accuracy"]["value"] == 0.5


def test_a_matrix(run: Run, write: Write) -> None:
    write("d/m.csv", "0,1\n1,1\n")
    write("d/c.toml", 'matrix = "m.csv"\nsystem_names = ["A", "B"]\nresamples = 0\n')
    found = result(run("score", "--config", "d/c.toml", "--json", "-"))
    assert found["result"]["systems"]["B"]["metrics"]["mean"]["value"] == 1.0


def test_the_examples(run: Run, examples: Path) -> None:
    found = result(run("score", "--config", examples / "slicewise.toml", "--resamples", "0", "--json", "-"))
    assert [d["data"]["name"] for d in found["datasets"]] == ["news", "chat"]
    assert "crf#2" in found["datasets"][0]["data"]["systems"]


def test_columns_of_the_gold_file_as_attributes(run: Run, write: Write) -> None:
    write("g.conll", "Ada\tNN\tB-PER\nmet\tVB\tO\n\nBob\tNN\tB-PER\n")
    write("c.toml", 'gold = "g.conll"\nattribute = "col2"\nresamples = 0\nsystems = { a = "g.conll", b = "g.conll" }\n')
    for command in ("buckets", "complement", "difficulty"):
        ran = run(command, "--config", "c.toml", "--json", "-")
        assert '"col2"' in ran.out, (command, ran.err)


@pytest.mark.parametrize(
    ("setting", "command", "names"),
    [
        ('metric = "accuracy, mine.py:m"', "score", lambda result: result["systems"]["s"]["metrics"]),
        ('metric = ["mine.py:m"]', "score", lambda result: result["systems"]["s"]["metrics"]),
        ('attribute = ["label", "mine.py:long_m"]', "buckets", lambda result: result["attributes"]),
    ],
)
def test_own_code_lies_beside_the_file(
    setting: str, command: str, names: Callable[[Any], Any], run: Run, write: Write
) -> None:
    write(
        "d/mine.py",
        "def m(gold, predicted):\n    return 0.25\n\n\ndef long_m(items):\n    return items['text'].str.len_chars()\n",
    )
    write("d/g.txt", "a\nb\n")
    files = 'task = "labels"\ngold = "g.txt"\ninput = "g.txt"\nsystems = { s = "g.txt" }\nresamples = 0\n'
    write("d/c.toml", f"{setting}\n{files}")
    ran = run(command, "--config", "d/c.toml", "--json", "-")
    assert ran.code == 0, ran.err
    assert any(name.endswith("m") for name in names(json.loads(ran.out)["result"]))
