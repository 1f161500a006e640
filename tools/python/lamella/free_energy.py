"""Free energies along a coordinate from biased runs, the windows: MBAR with errors and overlap, diffusion,
permeability. Energies are in kT, lengths in the unit of the coordinate, times in ps."""
import collections

import numpy as np

from . import statistics

BOLTZMANN = 0.00831446261815324  # kJ/(mol K)
FINE = 40  # cells in a bin of the profile; samples are known by theirs
BLOCK = 5  # length of a block of the bootstrap, in statistical inefficiencies
DRAWS = 100  # of the bootstrap
ERROR = 10  # of diffusion: its relative variance is this times the relaxation time over the length
CM_PER_S = 1e5  # a nm/ps in cm/s

Diffusion = collections.namedtuple("Diffusion", "value error time")


def log_sum(x, axis):
    top = x.max(axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.squeeze(top, axis) + np.log(np.exp(x - top).sum(axis))


class Samples:
    """Samples of K windows by cells of equal width from low to high. values: [K] series of the coordinate; biases:
    [K] functions of it, in kT; inefficiencies: [K]. symmetric: the profile is that of |x|, and a window is a
    mixture of itself and its mirror image."""

    def __init__(self, values, biases, inefficiencies, low, high, bins, symmetric=False):
        self.bins, self.low, self.width, self.g = bins, low, (high - low) / bins, np.array(inefficiencies)
        n, h = bins * FINE, self.width / FINE
        at = low + h * (np.arange(n) + 0.5)
        self.log_weight = np.array([-energy(at) for energy in biases])  # [K][cells]
        if symmetric:
            self.log_weight = np.logaddexp(self.log_weight, [-energy(-at) for energy in biases])
            values = [abs(x) for x in values]
        place = [np.floor((x - low) / h) for x in values]
        self.cell = [np.where((p >= 0) & (p < n), p, n).astype(np.int64) for p in place]  # n: outside

    @property
    def x(self):
        """The middles of the bins."""
        return self.low + self.width * (np.arange(self.bins) + 0.5)

    def counts(self, chosen=slice(None)):
        """[K][cells]: samples by cell. chosen: which of each window; one for all, or a list."""
        chosen = chosen if isinstance(chosen, list) else [chosen] * len(self.cell)
        n = self.log_weight.shape[1]
        return np.array([np.bincount(cell[rows], minlength=n + 1)[:n] for cell, rows in zip(self.cell, chosen)], float)

    def part(self, first, last):
        """Counts of a part of the time of each window, such as 0 to 0.5."""
        return self.counts([slice(int(first * len(cell)), int(last * len(cell))) for cell in self.cell])

    def drawn(self, dice):
        """Counts of a circular block bootstrap of each window."""
        chosen = []
        for cell, g in zip(self.cell, self.g):
            n = len(cell)
            block = max(1, min(int(np.ceil(BLOCK * g)), n // 8))
            starts = dice.integers(0, n, -(-n // block))
            chosen.append(((starts[:, None] + np.arange(block)) % n).ravel()[:n])
        return self.counts(chosen)

    def profile(self, log_p):
        """Free energies of the bins; infinite without samples."""
        return -log_sum(log_p.reshape(self.bins, FINE), 1)


class Solution:
    """f: the free energies of the windows; log_p: probabilities of the cells; weights [K][cells]: of a window in the
    mixture of all; n: independent samples of the windows; c: of the cells."""

    def __init__(self, samples, counts, f=None):
        self.n, self.c = counts.sum(1) / samples.g, (counts / samples.g[:, None]).sum(0)
        self.samples, self.used = samples, np.flatnonzero(self.c)
        self.f = np.zeros(len(self.n)) if f is None else f.copy()
        self.solve(10 if f is None else 0)

    def mixture(self, f):
        """Logarithms [K][used cells] of the parts that windows have of a cell, and of their sums."""
        with np.errstate(divide="ignore"):
            parts = (np.log(self.n) + f)[:, None] + self.samples.log_weight[:, self.used]
        return parts, log_sum(parts, 0)

    def height(self, f):
        """The convex function whose minimum is the solution."""
        return self.c[self.used] @ self.mixture(f)[1] - self.n @ f

    def solve(self, iterations):
        """MBAR (Shirts and Chodera, J. Chem. Phys. 129, 124105 (2008)) of samples known by their cell, the same as
        WHAM with statistical inefficiencies (Kumar et al., J. Comput. Chem. 13, 1011 (1992)): iterations, then
        Newton's method."""
        c, b = self.c[self.used], self.samples.log_weight[:, self.used]
        for _ in range(iterations):
            self.f = -log_sum(b + np.log(c) - self.mixture(self.f)[1], 1)
            self.f -= self.f[0]
        for _ in range(100):
            parts, total = self.mixture(self.f)
            self.weights = np.exp(parts - total)
            slope = self.weights @ c - self.n
            if abs(slope).max() < 1e-8 * self.n.max():
                break
            curve = np.diag(self.weights @ c) - (self.weights * c) @ self.weights.T
            move = np.append(0, -np.linalg.lstsq(curve[1:, 1:], slope[1:], rcond=1e-12)[0])
            now, step = c @ total - self.n @ self.f, 1.0
            while step > 1e-4 and not self.height(self.f + step * move) <= now:
                step /= 2
            if step <= 1e-4:
                break
            self.f = self.f + step * move
        self.log_p = np.full(len(self.c), -np.inf)
        self.log_p[self.used] = np.log(c) - total

    @property
    def profile(self):
        return self.samples.profile(self.log_p)

    def overlap(self):
        """[K][K]: the probability that a sample of a window belongs to another one; rows add up to 1 (Klimovich et
        al., J. Comput. Aided Mol. Des. 29, 397 (2015))."""
        return (self.weights * self.c[self.used]) @ self.weights.T / np.maximum(self.n, 1e-300)[:, None]


def bootstrap(samples, solution, seed=1):
    """Profiles [DRAWS][bins] of redrawn windows."""
    dice = np.random.default_rng(seed)
    return np.array([Solution(samples, samples.drawn(dice), solution.f).profile for _ in range(DRAWS)])


def spread(profiles):
    """Standard deviations over draws; unknown where many of them have no samples."""
    known = np.isfinite(profiles).mean(0) > 0.7
    found = np.full(profiles.shape[1], np.nan)
    found[known] = np.nanstd(np.where(np.isfinite(profiles), profiles, np.nan)[:, known], axis=0, ddof=1)
    return found


def diffusion(x, interval):
    """The diffusion coefficient in a harmonic window, var(x)^2 / integral of <dx(0) dx(t)> (Hummer, New J. Phys. 7, 34
    (2005), after Woolf and Roux, J. Am. Chem. Soc. 116, 5916 (1994)), for samples `interval` apart. The integral ends at
    5 relaxation times (Madras and Sokal, J. Stat. Phys. 50, 109 (1988)); the error is what it then is of exponential
    decays."""
    c = statistics.autocorrelation(x)
    if c is None:
        return None
    times = 0.5 + np.append(0, np.cumsum(c[1:]))  # relaxation time by the end of the integral, in samples
    end = np.flatnonzero(np.arange(len(c)) >= 5 * times)
    time = max(times[end[0] if len(end) else -1], 0.5)
    return Diffusion(x.var() / (time * interval), x.var() / (time * interval) * np.sqrt(ERROR * time / len(x)), time * interval)


def resistance(x, width, profile, at, diffusions):
    """1/P = integral of exp(F/kT) / D (Marrink and Berendsen, J. Phys. Chem. 98, 4155 (1994)), F less than that of
    water, D linear between the windows, and constant beyond."""
    return width * (np.exp(profile) / np.exp(np.interp(x, at, np.log(diffusions)))).sum()
