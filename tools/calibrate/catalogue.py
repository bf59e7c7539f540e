"""All claims, by name."""

from __future__ import annotations

from calibrate.claim import Claim
from calibrate.claims import (
    buckets_null,
    coverage_others,
    coverage_shares,
    difficulty_null,
    features_null,
    features_power,
    outcomes,
    power,
    score_null,
    study_null,
    units_null,
    worth,
)

MODULES = (
    features_null, units_null, features_power, buckets_null, study_null, score_null, difficulty_null, power,
    coverage_shares, coverage_others, outcomes, worth,
)  # fmt: skip
CLAIMS: dict[str, Claim] = {module.CLAIM.name: module.CLAIM for module in MODULES}
