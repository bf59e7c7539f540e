"""The option of `features` that turns adjusting for length off."""

from __future__ import annotations

import inspect
from typing import Any

import slicewise


def unadjusted() -> dict[str, Any]:
    """Return the option with which nothing is adjusted for; a version that never adjusts does not know it."""
    return {"adjust": []} if "adjust" in inspect.signature(slicewise.features).parameters else {}
