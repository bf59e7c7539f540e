"""What is said while large data is worked on: counts, rates and estimates, pass by pass."""

from __future__ import annotations

from slicewise.cli.progress import Steps


class Clock:
    """Shows the time that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(*events: str | tuple[float, int]) -> list[str]:
    """Return what is shown of steps, and of parts that are done after some seconds of 3,000 items."""
    clock, shown = Clock(), list[str]()
    steps = Steps(shown.append, clock)
    for event in events:
        if isinstance(event, str):
            steps(event)
        else:
            clock.now += event[0]
            steps.part(event[1], 3_000)
    return shown


def test_a_rate_is_of_all_that_is_done_since_the_step_began() -> None:
    assert told("scoring", (2.0, 1_000), (4.0, 2_000), (4.0, 3_000)) == [
        "scoring",
        "scoring: 1,000 of 3,000 items, 500 a second, 4 s left",
        "scoring: 2,000 of 3,000 items, 333 a second, 3 s left",
        "scoring: 3,000 of 3,000 items",
    ]


def test_the_first_part_of_another_pass_takes_its_time() -> None:
    """It began when the last part of the pass before was done."""
    assert told("scoring", (1.0, 3_000), (2.0, 1_000), (100.0, 2_000))[2:] == [
        "scoring (pass 2): 1,000 of 3,000 items, 500 a second, 4 s left",
        "scoring (pass 2): 2,000 of 3,000 items, 20 a second, 51 s left",
    ]


def test_another_step_begins_anew() -> None:
    assert told("a", (1.0, 3_000), (1.0, 3_000), "b", (120.0, 1_500))[2:] == [
        "a (pass 2): 3,000 of 3,000 items",
        "b",
        "b: 1,500 of 3,000 items, 12 a second, 2 min 0 s left",
    ]


def test_no_time_at_all_has_no_rate() -> None:
    assert told("a", (0.0, 1_000)) == ["a", "a: 1,000 of 3,000 items"]
