"""PREFIX.observables.h5: observables, their tables, and the columns with errors."""
from collections.abc import Mapping

import numpy as np

from . import files

NEWEST = 1


class Column:
    """values and errors (standard errors) in `unit`; times: autocorrelation times in ps. NaN where
    unknown. All have a value for each row of the table."""

    def __init__(self, group, name):
        data = files.item(group, name)
        self.name = name
        self.unit = files.attribute(data, "unit", "1")
        self.values = data[:]
        self.errors = files.item(group, name + "_error")[:]
        self.times = files.item(group, name + "_time")[:]


class Table(Mapping):
    """A mapping from the names of columns to columns. Rows are numbered by `axis`, an array, with
    `axis_name` and `axis_unit`, or named by `labels`; the other one is None."""

    def __init__(self, group):
        self.name = group.name.rpartition("/")[2]
        self.group = group
        self.axis = self.labels = None
        self.axis_name = self.axis_unit = ""
        if "axis" in group:
            self.axis = group["axis"][:]
            self.axis_name = files.attribute(group["axis"], "name")
            self.axis_unit = files.attribute(group["axis"], "unit", "1")
        else:
            self.labels = [files.text_of(label) for label in files.item(group, "label")[:]]
        rest = set(group) - {"axis", "label"}
        self.columns = [name for name in group if name in rest and name + "_error" in rest]

    @property
    def units(self):
        """The unit of each column, and of the axis."""
        units = {name: files.attribute(self.group[name], "unit", "1") for name in self.columns}
        if self.axis is not None:
            units["axis"] = self.axis_unit
        return units

    def __getitem__(self, name):
        if name not in self.columns:
            raise files.Missing(f"{self.group.file.filename}: {self.group.name} has no column "
                              f"'{name}'; there are " + ", ".join(self.columns))
        return Column(self.group, name)

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return len(self.columns)


class Observable(Mapping):
    """A mapping from the names of tables to tables. kind; every, first (option from), first_step,
    last_step: steps; samples; interval: ps between samples; options: YAML text; choices:
    what the numbers depend on as it was used, YAML text (empty in files of earlier versions); flat: the part of the
    samples in which the lipids were a flat bilayer, without which it has no numbers; None: it needs none."""

    def __init__(self, group):
        self.group, self.name = group, group.name.rpartition("/")[2]
        self.kind = files.attribute(group, "kind")
        self.options = files.attribute(group, "options")
        self.choices = files.attribute(group, "choices")
        self.every, self.first, self.samples, self.first_step, self.last_step = (
            files.integer(group, key) for key in ("every", "from", "samples", "first_step",
                                                  "last_step"))
        self.interval = float(np.ravel(group.attrs.get("interval", np.nan))[0])
        self.flat = float(np.ravel(group.attrs["flat"])[0]) if "flat" in group.attrs else None
        self.tables = [name for name in group if hasattr(group[name], "keys")]

    def __getitem__(self, name):
        if name not in self.tables:
            raise files.Missing(f"{self.group.file.filename}: {self.name} has no table '{name}'; "
                              "there are " + ", ".join(self.tables))
        return Table(self.group[name])

    def __iter__(self):
        return iter(self.tables)

    def __len__(self):
        return len(self.tables)


class Observables(Mapping):
    """The file as a mapping from names of observables: results["membrane"]["membrane"]["area"].
    lipids: names of the molecules that are lipids; None in files of earlier versions."""

    def __init__(self, path):
        self.path = files.find(path, ".observables.h5")
        self.file = files.open_h5(self.path)
        self.format = files.check_format(self.file, "lamella observables", NEWEST)
        self.program = files.attribute(self.file, "program")

    def __getitem__(self, name):
        if name not in self.file:
            raise files.Missing(f"{self.path}: no observable '{name}'; there are "
                              + ", ".join(self.file))
        return Observable(self.file[name])

    def __iter__(self):
        return iter(self.file)

    def __len__(self):
        return len(self.file)

    @property
    def lipids(self):
        return files.lipids(files.attribute(self.file, "membrane"), self.path)

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
