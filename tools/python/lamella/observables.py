"""PREFIX.observables.h5: observables, their tables, and the columns with errors."""
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


class Table(files.Named):
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
        self.names = self.columns = [n for n in group if n in rest and n + "_error" in rest]
        self.what, self.where = "column", f"{group.file.filename}: {group.name} has"

    @property
    def units(self):
        """The unit of each column, and of the axis."""
        units = {name: files.attribute(self.group[name], "unit", "1") for name in self.columns}
        if self.axis is not None:
            units["axis"] = self.axis_unit
        return units

    def made(self, name):
        return Column(self.group, name)


class Observable(files.Named):
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
        self.names = self.tables = [name for name in group if hasattr(group[name], "keys")]
        self.what, self.where = "table", f"{group.file.filename}: {self.name} has"

    def made(self, name):
        return Table(self.group[name])


class Observables(files.Named):
    """The file as a mapping from names of observables: results["membrane"]["membrane"]["area"].
    lipids: names of the molecules that are lipids; None in files of earlier versions."""

    def __init__(self, path):
        self.path = files.find(path, ".observables.h5")
        self.file = files.open_h5(self.path)
        self.format = files.check_format(self.file, "lamella observables", NEWEST)
        self.program = files.attribute(self.file, "program")
        self.names, self.what, self.where = self.file, "observable", f"{self.path}:"

    def made(self, name):
        return Observable(self.file[name])

    @property
    def lipids(self):
        return files.lipids(files.attribute(self.file, "membrane"), self.path)

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
