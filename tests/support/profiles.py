"""How many examples hypothesis draws: a test says how many in the quick profile, and the profile of a run scales it."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

QUICK = 25
"""The examples of a test that says nothing, in the quick profile."""
THOROUGH = 10 * QUICK
NO_SHRINKING = [Phase.explicit, Phase.reuse, Phase.generate]


def register_profiles() -> None:
    """Make `quick` the profile of a run, with the same examples every time, and `thorough` one to be asked for.

    No profile judges an example by the time it takes: that depends on the machine. Each says all it needs: what
    it does not say comes from hypothesis' defaults, which are others where `CI` is set.
    """
    settings.register_profile(
        "quick",
        derandomize=True,
        deadline=None,
        max_examples=QUICK,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(
        "thorough",
        derandomize=False,
        deadline=None,
        max_examples=THOROUGH,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    settings.load_profile("quick")


def scaled(examples: int) -> int:
    """Return how many examples the profile of this run draws where the quick one draws so many."""
    return max(1, examples * settings().max_examples // QUICK)


def with_examples(examples: int, *suppressed: HealthCheck, shrink: bool = True) -> settings:
    """Draw so many examples in the quick profile, and in proportion in others.

    Data that are small as they are need no shrinking, which takes long where an example does.
    """
    suppress = {*settings().suppress_health_check, *suppressed}
    phases = settings().phases if shrink else NO_SHRINKING
    return settings(max_examples=scaled(examples), suppress_health_check=suppress, phases=phases)
