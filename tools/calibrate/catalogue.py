"""All claims, by name."""

from __future__ import annotations

from calibrate.claim import Claim
from calibrate.claims import buckets_null, features_null, features_power, units_null

CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for claim in (features_null.CLAIM, features_power.CLAIM, units_null.CLAIM, buckets_null.CLAIM)
}
