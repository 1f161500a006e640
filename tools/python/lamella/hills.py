"""Free energies from hills of metadynamics: PREFIX.hills, in the format of PLUMED.

The free energy is minus the sum of the hills, whose heights in the file are multiplied by bias_factor / (bias_factor - 1) in
well-tempered runs. Without tempering the sum goes on to grow and to sway, and its mean over the second half of the hills is
taken (Crespo, Marinelli, Pietrucci and Laio, Phys. Rev. E 81, 055701, 2010).
"""
import math
import os
import re
import warnings

import numpy as np

from . import files
from .energies import SUFFIXES

CUT = 6.25  # hills end at exp(-CUT) of their height
BINS = {1: 200, 2: 80}
PARTS = (0.5, 0.75)  # of the hills, for convergence
CHUNK = 1 << 22  # values at a time


class Hills:
    """names of the coordinates; time [n], place [n, axes], width [n, axes], height [n] as in the file, factor (infinite: not
    tempered), period [axes], infinite for those without one."""

    def __init__(self, path):
        fields, constants = [], {}
        try:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    words = line.split()
                    if words[:2] == ["#!", "FIELDS"]:
                        if fields and words[2:] != fields:
                            raise files.Unusable(f"{path}: two lines '#! FIELDS' that differ: hills of two runs")
                        fields = words[2:]
                    elif words[:2] == ["#!", "SET"] and len(words) == 4:
                        constants[words[2]] = words[3]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of no rows
                data = np.loadtxt(path, comments="#", ndmin=2)
        except OSError as why:
            raise files.unusable(why, path) from None
        except ValueError as why:
            raise files.Unusable(f"{path}: {why}") from why
        self.names = [name for name in fields if "sigma_" + name in fields]
        wanted = [*self.names, *("sigma_" + name for name in self.names), "time", "height", "biasf"]
        if not self.names or any(name not in fields for name in wanted) or constants.get("multivariate") == "true":
            raise files.Unusable(f"{path}: no hills of metadynamics: a line '#! FIELDS time d sigma_d height biasf' is expected")
        if data.size == 0:
            raise files.Error(f"{path}: no hills yet")
        if data.shape[1] != len(fields):
            raise files.Unusable(f"{path}: {data.shape[1]} columns, and {len(fields)} names in '#! FIELDS'")
        column = {name: data[:, k] for k, name in enumerate(fields)}
        wrong = ~(np.abs(data) < 1e12).all(1) | (np.stack([column["sigma_" + name] for name in self.names]) < 1e-12).any(0)
        if wrong.any():
            raise files.Numeric(f"{path}: hill {wrong.argmax() + 1}: a number is not finite, or a sigma is not above 0")
        self.time, self.height = column["time"], column["height"]
        self.place = np.stack([column[name] for name in self.names], 1)
        self.width = np.stack([column["sigma_" + name] for name in self.names], 1)
        self.factor = column["biasf"][-1] if column["biasf"][-1] > 1 else math.inf
        self.period = np.array([self.limit(constants, "max_" + n) - self.limit(constants, "min_" + n) for n in self.names])
        self.end = math.exp(-CUT) if constants.get("kerneltype", "stretched-gaussian") == "stretched-gaussian" else 0.0

    @staticmethod
    def limit(constants, name):
        text = constants.get(name, "inf" if name.startswith("max") else "-inf")
        return {"pi": math.pi, "+pi": math.pi, "-pi": -math.pi}.get(text) or float(text)

    def sum(self, points, weights=None):
        """The sum of the hills at points [m, axes], kJ/mol; weights: of each hill [1]."""
        height = self.height if weights is None else self.height * weights
        total = np.zeros(len(points))
        step = max(1, CHUNK // max(len(points), 1))
        for first in range(0, len(height), step):
            part = slice(first, first + step)
            d = points[:, None, :] - self.place[None, part]
            with np.errstate(invalid="ignore"):
                d = np.where(np.isfinite(self.period), d - self.period * np.round(d / self.period), d)
            s = 0.5 * ((d / self.width[None, part])**2).sum(2)
            total += (np.where(s < CUT, (np.exp(-s) - self.end) / (1 - self.end), 0) * height[part]).sum(1)
        return total

    def acting(self, points):
        """The bias that acts after the last hill, kJ/mol."""
        return self.sum(points) * (1 - 1 / self.factor)

    def free_energy(self, points, part=1.0):
        """At points [m, axes], kJ/mol, its least value 0; part: the first hills, such a part of them."""
        number = np.arange(len(self.height))
        last = max(round(part * len(number)), 1)
        half = 0 if self.factor < math.inf else last // 2
        weights = np.clip((last - number) / max(last - half, 1), 0, 1) if half else (number < last) * 1.0
        found = -self.sum(points, weights)
        return found - found.min()

    def axes(self, limits=None, bins=None):
        """Points along each axis: all of a period, or from the first place with a hill to the last; or limits [(low, high)]."""
        bins = bins or BINS.get(len(self.names), 30)
        found = []
        for k, period in enumerate(self.period):
            low, high = self.place[:, k].min(), self.place[:, k].max()
            if limits and len(limits) != len(self.names):
                raise files.Error(f"a range is of one coordinate, and these hills are of {', '.join(self.names)}: leave it out")
            if limits:
                low, high = limits[k]
            elif np.isfinite(period):
                low, high = -period / 2, period / 2
            found.append(np.linspace(low, high, bins + 1))
        return found


def columns_of(path, names):
    """The names with their units, such as lean_deg, as the run has them in PREFIX.coordinates.csv or PREFIX.csv; where neither
    has them, as in hills of another program, the names."""
    for ending in ".coordinates.csv", ".csv":
        try:
            with open(os.path.splitext(path)[0] + ending, encoding="utf-8") as file:
                head = file.readline().strip().split(",")
        except OSError:
            continue
        found = [next((c for c in head if re.fullmatch(f"{re.escape(name)}_({'|'.join(SUFFIXES)})", c)), None) for name in names]
        if all(found):
            return found
    return names


def table(path, limits=None, bins=None):
    """The text of PREFIX.pmf.csv: places and limits in the unit of their columns, the free energy and that of the first parts of
    the hills, kJ/mol."""
    hills = Hills(path)
    names = columns_of(path, hills.names)
    unit = np.array([math.pi / 180 if name != own and name.endswith("_deg") else 1 for name, own in zip(names, hills.names)])
    limits = limits and [tuple(np.array(limit) * scale) for limit, scale in zip(limits, unit)] + list(limits[len(unit):])
    points = np.stack([x.ravel() for x in np.meshgrid(*hills.axes(limits, bins), indexing="ij")], 1)
    columns = [*(points / unit).T, hills.free_energy(points), *(hills.free_energy(points, part) for part in PARTS)]
    head = [*names, "free_energy", *(f"first_{100 * part:.0f}_percent" for part in PARTS)]
    return "\n".join([",".join(head), *(",".join(f"{v:.6g}" for v in row) for row in zip(*columns))]) + "\n"


def path_of(prefix):
    """PREFIX.hills, where it is there; else None."""
    path = prefix + ".hills"
    return path if os.path.isfile(path) else None
