"""PREFIX.csv: energies, temperatures, pressures and the box over time."""
import os
import warnings

import numpy as np

from . import files, plots, statistics
from .arrays import Array, dataframe
from .shown import Shown

SUFFIXES = {"ps": "ps", "K": "K", "bar": "bar", "nm": "nm", "nm2": "nm2", "nm3": "nm3", "deg": "deg", "contacts": "1"}
COUNTS = ("step", "builds", "missed_pairs")  # the last and missed_force: of earlier versions


def unit_of(column):
    """Names end in their unit, but for counts, energies and a force."""
    if column in COUNTS:
        return "1"
    if column == "missed_force":
        return "kJ mol-1 nm-1"
    return SUFFIXES.get(column.rpartition("_")[2], "kJ mol-1")


class Energies(Shown):
    """The columns of PREFIX.csv as arrays: energies["potential"], energies.units["potential"].

    A last line that is still being written is left out. step and time are columns, too. summary(name): the mean after
    equilibration with its standard error. to_dataframe(), plot(name, ...).
    """

    def __init__(self, path):
        self.path = files.find(path, ".csv")
        head, _, body = files.read_text(self.path).partition("\n")
        self.columns = head.split(",")
        if self.columns[:2] != ["step", "time_ps"]:
            raise files.Unusable(f"{self.path}: not the energies of a run: its first line is "
                                 f"'{head[:60]}'")
        self.units = {name: unit_of(name) for name in self.columns}
        values = self._numbers(body[:body.rfind("\n") + 1])
        self.data = {name: Array(column, name, self.units[name]) for name, column in zip(self.columns, values.T)}

    def _numbers(self, body):
        wide = len(self.columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of text that ends the numbers too early
            values = np.fromstring(body.replace("\n", ","), sep=",")
        if len(values) == wide * body.count("\n") and body.count(",") == (wide - 1) * body.count("\n"):
            return values.reshape(-1, wide)
        for number, line in enumerate(body.splitlines(), 2):
            if len(line.split(",")) != wide:
                raise files.Unusable(f"{self.path}:{number}: {len(line.split(','))} values, but the "
                                     f"first line names {wide}")
        raise files.Error(f"{self.path}: something in it is not a number")

    def __getitem__(self, name):
        if name not in self.data:
            raise files.Missing(f"{os.path.basename(self.path)}: no column '{name}'; there are "
                              + ", ".join(self.columns))
        return self.data[name]

    def __contains__(self, name):
        return name in self.data

    def __len__(self):
        return len(self.data["step"])

    @property
    def step(self):
        return self.data["step"].astype(np.int64)

    @property
    def time(self):
        return self.data["time_ps"]

    def summary(self, name, start=None):
        """Of a column: start (the index of the first line that is used), mean, error (standard error), time (autocorrelation
        time in lines), effective (number of independent lines). start: None: the end of equilibration, which is searched
        for. None where there are too few numbers."""
        return statistics.summary(self[name], start)

    def to_dataframe(self):
        """A pandas.DataFrame of all columns, with the time (ps) as its index."""
        return dataframe(self.data, self.units, (self.time, "time_ps"))

    def plot(self, *names, axes=None, start=None):
        """Columns over time, and their means with bands of one standard error from the end of equilibration on, or from the
        line `start`. Returns the axes of matplotlib."""
        names = names or ("potential",)
        unit = plots.one_unit(names, {name: self[name].unit for name in names}, self.path)
        lines = []
        for name in names:
            found = self.summary(name, start)
            time, values = statistics.thinned(self.time, self[name])
            lines.append((name, time, values, found and (self.time[found.start], found.mean, found.error)))
        return plots.series(plots.axes_of(axes, os.path.basename(self.path), "time (ps)", plots.label(names, unit)), lines)

    def describe(self):
        later = len(self) // 2
        return (f"{self.path}: {len(self)} lines" + (f", {self.time[0]:g} to {self.time[-1]:g} ps" if len(self) else ""),
                ("column", "unit", "first", "last", "mean of the later half"),
                [(name, self.units[name], *(f"{value:.6g}" for value in (x[0], x[-1], x[later:].mean()))) if len(x)
                 else (name, self.units[name], "", "", "") for name, x in self.data.items()])
