"""What the guide says of the example data is so."""

from __future__ import annotations

import re

import pytest
from support.docs_text import read, script
from support.places import EXAMPLES

import slicewise
from slicewise.config import datasets, read_settings

CHAT = EXAMPLES / "chat"


def test_the_sentences_that_are_quoted_are_said() -> None:
    config = EXAMPLES / "slicewise.toml"
    chat = next(one for one in datasets(read_settings(config), config) if one["name"] == "chat")
    ev = slicewise.load(**chat)
    said = {*slicewise.complement(ev).findings, *slicewise.difficulty(ev).findings}
    quoted = re.findall(r"^> (.*)$", read("guide.md"), re.MULTILINE)
    assert len(quoted) == 3
    assert [one for one in quoted if one not in said] == []


def test_the_confusions_lead_to_as_many_sentences_as_it_says() -> None:
    ev = slicewise.load(gold=CHAT / "test.conll", systems={"crf-char": CHAT / "systems" / "crf-char.1.conll"})
    [part] = slicewise.report(ev, resamples=0).parts
    assert part.score is not None
    confused = {(one.gold, one.returned): one.n for one in part.score.systems["crf-char"].confusions}
    slices = [part.evidence["slices"][f"confusion/crf-char/{pair}"] for pair in ("ORG/WORK", "WORK/ORG")]
    text = " ".join(read("guide.md").split())
    assert f"{confused['ORG', 'WORK']} times an organisation is returned as a work" in text
    assert f"{confused['WORK', 'ORG']} times a work as an organisation" in text
    assert f"{slices[0]['items']} of them behind this cell, {slices[1]['items']} behind the other" in text


def test_a_missing_browser_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(SystemExit, match=r"^make guide needs chromium: .*$"):
        script("make_pictures").main()
