"""PREFIX.observables.h5: observables, their tables, and the columns with errors."""
import numpy as np

from . import files, plots, words
from .arrays import Array, dataframe
from .shown import Shown

NEWEST = 1


def extremes(values):
    known = values[np.isfinite(values)]
    return (f"{known.min():.5g}", f"{known.max():.5g}") if len(known) else ("", "")


class Column(Shown):
    """values and errors (standard errors) in `unit`; times: autocorrelation times in ps. NaN where
    unknown. All have a value for each row of the table."""

    def __init__(self, group, name):
        data = files.item(group, name)
        self.name = name
        self.unit = files.attribute(data, "unit", "1")
        self.values = Array(data[:], name, self.unit)
        self.errors = Array(files.item(group, name + "_error")[:], name + "_error", self.unit)
        self.times = Array(files.item(group, name + "_time")[:], name + "_time", "ps")

    def describe(self):
        if len(self.values) == 1:
            return f"{self.name}: {words.number(self.values[0], self.errors[0])} {words.unit(self.unit)}", (), []
        return f"{self.name} ({self.unit}): {len(self.values)} values", (), []


class Table(Shown, files.Named):
    """A mapping from the names of columns to columns. Rows are numbered by `axis`, an array, with
    `axis_name` and `axis_unit`, or named by `labels`; the other one is None."""

    def __init__(self, group):
        self.name = group.name.rpartition("/")[2]
        self.group = group
        self.axis = self.labels = None
        self.axis_name = self.axis_unit = ""
        if "axis" in group:
            self.axis_name = files.attribute(group["axis"], "name")
            self.axis_unit = files.attribute(group["axis"], "unit", "1")
            self.axis = Array(group["axis"][:], self.axis_name, self.axis_unit)
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

    def to_dataframe(self):
        """A pandas.DataFrame with the columns, their standard errors NAME_error, and the axis or labels as its index."""
        columns = {}
        for name, column in self.items():
            columns.update({name: column.values, name + "_error": column.errors})
        units = {**self.units, **{name + "_error": unit for name, unit in self.units.items() if name != "axis"}}
        return dataframe(columns, units, (self.labels, "label") if self.axis is None else (self.axis, self.axis_name))

    def plot(self, *names, axes=None):
        """Columns of one unit (default: those with the unit of the first) with bands of one standard error. Returns the axes
        of matplotlib."""
        names = names or [name for name in self.columns if self.units[name] == self.units[self.columns[0]]]
        columns = [self[name] for name in names]
        unit = plots.one_unit(names, self.units, self.where)
        title, y_label = self.name, plots.label(names, unit)
        if self.axis is None:
            axes = plots.axes_of(axes, title, "", y_label)
            return plots.sites(axes, self.labels, [(c.name, c.values, c.errors) for c in columns])
        axes = plots.axes_of(axes, title, words.label(self.axis_name, self.axis_unit), y_label)
        return plots.curves(axes, [(c.name, self.axis, c.values, c.errors) for c in columns])

    def describe(self):
        if self.axis is None and len(self.labels) == 1:
            return self.name, ("column", "value", "unit"), [
                (c.name, words.number(c.values[0], c.errors[0]), words.unit(c.unit)) for c in self.values()]
        rows = f"{len(self.labels)} rows: {', '.join(self.labels[:8])}" if self.axis is None else \
            f"{len(self.axis)} rows along {words.label(self.axis_name, self.axis_unit)}"
        return f"{self.name}: {rows}", ("column", "unit", "least", "largest"), [
            (c.name, words.unit(c.unit), *extremes(c.values)) for c in self.values()]


class Observable(Shown, files.Named):
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

    def describe(self):
        return (f"{self.name}: {self.samples} samples, every {self.every} steps, steps {self.first_step} to {self.last_step}",
                ("table", "columns"), [(name, ", ".join(table)) for name, table in self.items()])


class Observables(Shown, files.Named):
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

    def describe(self):
        return self.path, ("observable", "kind", "samples", "tables"), [
            (name, one.kind, one.samples, ", ".join(one)) for name, one in self.items()]

    @property
    def lipids(self):
        return files.lipids(files.attribute(self.file, "membrane"), self.path)

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
