"""A generator for each run, by the names of claim and setting and the number of the run."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(claim: str, setting: str, run: int) -> np.random.Generator:
    """Return the same generator whichever process makes the run, and whatever else is simulated."""
    digest = hashlib.sha256(f"{claim}/{setting}".encode()).digest()
    return np.random.default_rng([int.from_bytes(digest[:8], "big"), run])
