"""PREFIX.csv: energies, temperatures, pressures and the box over time."""
import os
import warnings

import numpy as np

from . import files

SUFFIXES = {"ps": "ps", "K": "K", "bar": "bar", "nm": "nm", "nm2": "nm2", "nm3": "nm3", "deg": "deg", "contacts": "1"}
COUNTS = ("step", "builds", "missed_pairs")  # the last and missed_force: of earlier versions


def unit_of(column):
    """Names end in their unit, but for counts, energies and a force."""
    if column in COUNTS:
        return "1"
    if column == "missed_force":
        return "kJ mol-1 nm-1"
    return SUFFIXES.get(column.rpartition("_")[2], "kJ mol-1")


class Energies:
    """The columns of PREFIX.csv as arrays: energies["potential"], energies.units["potential"].

    A last line that is still being written is left out. step and time are columns, too.
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
        self.data = dict(zip(self.columns, values.T))

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
