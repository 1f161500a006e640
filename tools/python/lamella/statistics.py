"""Means of time series with their errors, and the end of equilibration."""
import collections

import numpy as np

POINTS = 1500  # the most points of a curve over time
LONGEST = 20000  # samples of the search for t0; longer series are thinned
STARTS = 200  # candidates for the end of equilibration

# start: index of the first sample used; mean, error: of the samples from there on; time:
# autocorrelation time in samples; effective: number of independent samples.
Summary = collections.namedtuple("Summary", "start mean error time effective")


def autocorrelation(x):
    """<dx(0) dx(t)> for t from 0 to the length, normalised; None of a constant."""
    n = len(x)
    power = abs(np.fft.rfft(x - x.mean(), 2 * n)) ** 2
    c = np.fft.irfft(power)[:n] / np.arange(n, 0, -1)
    return c / c[0] if c[0] > 0 else None


def inefficiency(x):
    """Statistical inefficiency g = 1 + 2 sum (1 - t/n) C(t), up to the first C(t) <= 0 after the third
    (Chodera et al., J. Chem. Theory Comput. 3, 26 (2007)). n samples count as n/g independent ones."""
    n, c = len(x), autocorrelation(x)
    if c is None:
        return 1.0
    t = np.arange(n)
    negative = np.flatnonzero((c[:-1] <= 0) & (t[:-1] > 3))
    end = negative[0] if len(negative) else n - 1
    return max(1.0, 1 + 2 * ((1 - t / n) * c)[1:end].sum())


def equilibration(x):
    """The first sample to use: the one that leaves the most independent samples (Chodera, J. Chem.
    Theory Comput. 12, 1799 (2016))."""
    n = len(x)
    if n < 4 or not np.ptp(x) > 0:
        return 0
    starts = range(0, n - 1, -(-n // STARTS))
    return max(starts, key=lambda t: (n - t + 1) / inefficiency(x[t:]))


def thinned(time, value, most=POINTS):
    """Means of blocks, so that no more than so many are left."""
    block = -(-len(time) // most) or 1
    n = len(time) // block * block
    return tuple(np.asarray(a)[:n].reshape(-1, block).mean(axis=1) for a in (time, value))


def summary(x, start=None):
    """The mean from `start` on, or from the end of equilibration. None without enough numbers."""
    x = np.asarray(x, float)
    if len(x) < 2 or not np.isfinite(x).all():
        return None
    if start is None:
        thin = -(-len(x) // LONGEST)
        start = thin * equilibration(x[::thin])
    used = x[start:]
    if len(used) < 2:
        return None
    g = inefficiency(used)
    effective = len(used) / g
    return Summary(start, used.mean(), used.std(ddof=1) / np.sqrt(effective), (g - 1) / 2, effective)
