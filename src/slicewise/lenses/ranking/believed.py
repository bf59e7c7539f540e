"""Which part of a feature's gain is to be believed, as it was picked among many for being large."""

from __future__ import annotations

import math

import numpy as np

from slicewise.arrays import Array, Ints
from slicewise.lenses.ranking.testing import Ranking
from slicewise.stats.signal_mixture import SignalMixture
from slicewise.stats.tails import LN10


def believed_parts(ranking: Ranking, at: Ints) -> Array:
    """Return which part of the gain of some features is to be believed, by all that was tested.

    z is that of the one-sided p. Only tests on the side that is looked at tell how much is there: on the other side p
    of few rows is too large, and 1 wherever none of them is low. What points to that side is believed as little as what
    points nowhere.
    """
    with np.errstate(divide="ignore"):
        log_p = np.log(ranking.tested)
    log_p[ranking.among] = ranking.tests.log10_p * LN10  # which does not underflow
    telling = log_p < math.log(0.5)
    z = np.zeros(len(log_p))
    z[telling] = _quantiles(log_p[telling])
    return SignalMixture.fitted(z[telling]).believed(z[ranking.among[at]])


def _quantiles(log_p: Array) -> Array:
    from scipy.special import ndtri_exp

    return np.asarray(ndtri_exp(log_p))
