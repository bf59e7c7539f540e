"""`make calibrate`: figures with standard errors, what is promised, the page and its chart."""

from __future__ import annotations

from math import isclose, sqrt

import numpy as np
import pytest
from calibrate.catalogue import CLAIMS
from calibrate.chart import points, svg
from calibrate.claim import COVERAGE, SIZE, Claim, Promise, Setting, covered, hit
from calibrate.estimate import estimate
from calibrate.page import page, shown, table
from calibrate.runner import Simulated, Task, performed, simulate, simulated
from calibrate.seeds import generator
from calibrate.worlds.documents import Documents
from calibrate.worlds.scores import KINDS
from calibrate.worlds.texts import lengths, texts


def test_a_share_has_its_standard_error() -> None:
    figure = estimate([hit(i < 20) for i in range(100)], SIZE)
    assert figure.value == 0.2
    assert isclose(figure.error, sqrt(0.2 * 0.8 / 99))
    assert figure.holds is False


def test_two_standard_errors_are_allowed() -> None:
    assert estimate([hit(i < 9) for i in range(100)], SIZE).holds
    assert not estimate([hit(i < 12) for i in range(100)], SIZE).holds
    assert estimate([hit(i >= 2) for i in range(400)], COVERAGE).holds is False  # 99.5% are too many, too


def test_what_is_counted_in_one_run_is_not_taken_for_independent() -> None:
    together = estimate([(10.0, 10.0), (0.0, 10.0)] * 20, SIZE)
    apart = estimate([hit(i % 2) for i in range(400)], SIZE)
    assert together.value == apart.value == 0.5
    assert together.error > 3 * apart.error


def test_nothing_is_promised_without_bounds() -> None:
    assert estimate([hit(True)] * 9, Promise()).holds is None


def test_an_interval_that_is_not_there_is_not_counted() -> None:
    assert covered(None, 0.5) == (0.0, 0.0)
    assert covered((0.1, 0.5), 0.5) == (1.0, 1.0)
    assert covered((0.1, 0.4), 0.5) == (0.0, 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("icc", [0.1, 0.25])
def test_scores_have_the_icc_that_is_asked_for(kind: str, icc: float) -> None:
    world = Documents(20_000, icc)
    document = np.repeat(np.arange(world.count), 2)
    pairs = world.scores(np.random.default_rng(1), document, kind).reshape(-1, 2)
    between = float(np.mean((pairs[:, 0] - pairs.mean()) * (pairs[:, 1] - pairs.mean())) / pairs.var())
    assert abs(between - icc) < 0.04


def test_words_are_topical() -> None:
    rng = np.random.default_rng(1)
    document = np.repeat(np.arange(20), 20)
    words = [text.split() for text in texts(rng, document, lengths(rng, 400))]
    of_documents = [{word for text in words[i * 20 : i * 20 + 20] for word in text} for i in range(20)]
    mixed = [{word for text in words[i::20] for word in text} for i in range(20)]
    assert np.mean([len(some) for some in of_documents]) < 0.6 * np.mean([len(some) for some in mixed])


def test_runs_do_not_depend_on_how_they_are_spread() -> None:
    setting = CLAIMS["score"].settings[0].name
    whole = performed(Task("score", setting, 0, 3))
    apart = [performed(Task("score", setting, i, i + 1)) for i in range(3)]
    assert list(whole.runs) == [run for part in apart for run in part.runs]
    assert generator("score", setting, 1).random() != generator("score", setting, 2).random()


def test_settings_have_names_of_their_own() -> None:
    for claim in CLAIMS.values():
        assert len({setting.name for setting in claim.settings}) == len(claim.settings)


def test_a_simulation_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: np.random.Generator) -> dict[str, tuple[float, float]]:
        raise ValueError("no such thing")

    claim = Claim("broken", "Broken", "It breaks.", {"a": SIZE}, (Setting("one", broken),), 10)
    monkeypatch.setitem(CLAIMS, "broken", claim)
    [result] = simulate([claim], 1.0, jobs=1)
    assert result.holds is False
    assert "failed, ValueError: no such thing" in page([result], chart=False)


def made(share: int) -> Simulated:
    setting = Setting("some items", lambda _: {})
    claim = Claim("made", "Made up", "Made-up figures.", {"wrong": SIZE}, (setting,), 100, chart="false discoveries")
    return Simulated(claim, setting, 100, {"wrong": estimate([hit(i < share) for i in range(100)], SIZE)}, 1.0)


def test_the_page_says_what_holds() -> None:
    text = page([made(4)], chart=True)
    assert "## 1 of 1 promises hold" in text
    assert "| some items | 100 | 4.0 ± 2.0% | yes |" in text
    assert "What does not hold" not in text
    assert "calibration.svg" in text


def test_the_page_says_what_does_not_hold() -> None:
    text = page([made(30)], chart=False)
    assert "## 0 of 1 promises hold" in text
    assert "- Made up; some items: wrong 30.0 ± 4.6%, promised at most 5%" in text
    assert "| some items | 100 | **30.0 ± 4.6%** | **no** |" in text


def test_the_chart_has_a_point_for_each_figure() -> None:
    drawn = [made(4), made(30)]
    assert [(row["share"], row["holds"]) for row in points(drawn, "false discoveries")] == [(0.04, True), (0.3, False)]
    assert svg(drawn).startswith("<svg")
    assert svg([]) == ""


def test_figures_that_are_not_there_are_a_dash() -> None:
    result = simulated("score", CLAIMS["score"].settings[0].name, 2)
    assert list(result.figures) == ["p < 0.05"]
    both = table(result.claim, [result, simulated("score", "accuracy 0.85, independent items, not marked", 2)])
    assert "| – |" in both
    assert shown(result.figures["p < 0.05"]).endswith("%")
