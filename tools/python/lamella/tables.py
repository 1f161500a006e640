"""The observables of a run as the rows and curves of a report, beside values from the literature."""
import re

import numpy as np

from . import figures, words
from .files import attribute

# Panels of the profiles and series of a kind: title, pattern of columns, axes in logarithms. Tables
# of a kind in JOINED share the panels, and curves are named after their tables.
PANELS = {
    "density": [("number density", "number_(.*)", 0), ("electron density", "electrons_?(.*)", 0),
                ("charge density", "charge", 0), ("mass density", "mass", 0)],
    "potential": [("electrostatic potential", "potential", 0),
                  ("contributions to the potential by bead type", "potential_(.*)", 0),
                  ("electric field", "field", 0),
                  ("charge density", "charge", 0), ("polarisation", "polarisation", 0)],
    "pressure": [("lateral less normal pressure, Irving-Kirkwood", "difference", 0),
                 ("normal and lateral pressure", "(normal|lateral.*)", 0),
                 ("contributions to lateral less normal pressure",
                  "(kinetic|solvent_.*|lipid_.*|bond|angle|dipole_angle|dihedral|constraint|site)", 0)],
    "rdf": [("radial distribution function", "g", 0), ("coordination number", "coordination", 0)],
    "msd": [("mean-square displacement", "(lateral|normal|space)", 1)],
    "rotation": [("rotational correlation, first order", "first", 0),
                 ("rotational correlation, second order", "second", 0)],
    "undulation": [("undulation spectrum", "(height|thickness)", 1)],
}
JOINED = ("rdf", "msd", "rotation")
FEW_ROWS = 12  # tables with more labelled rows are drawn


class References:
    """Values of the force field's key `reference` for systems of the same lipids. known: names of the
    lipids, None: all molecules of several beads. charged: the types of beads with a charge."""

    def __init__(self, forcefield, molecules, known=None):
        self.entries, self.charged = [], set()
        if not forcefield:
            return
        self.charged = {name for name, entry in forcefield.data["types"].items()
                        if float(entry.get("charge", 0)) != 0}
        lipids = {name for name, beads in forcefield.molecules.items() if len(beads) > 1}
        molecules = set(molecules) if known is None else set(known)
        here = lipids & set(molecules)
        for entry in forcefield.references:
            if lipids & set(re.split(r"\W+", entry["system"])) == here:
                self.entries.append(entry)

    def of(self, observable, table, column):
        """Those of a column. Observables are known by their kind, whatever they are called."""
        return [e for e in self.entries if e["observable"] == observable.kind
                and e["table"] == table.name and e["column"] == column.name]

    def of_row(self, observable, table, column, row):
        return [e for e in self.of(observable, table, column)
                if e["row"] == row and e["unit"] == column.unit]

    def of_figures(self, observable, tables):
        """Systems and sources of the values that stand in the figures of an observable."""
        found = [e for t in tables if t.axis is not None for name in t
                 for e in self.of(observable, t, t[name])]
        return list(dict.fromkeys(f"{e['system']}; {e['source']}" for e in found))

    def on_axis(self, observable, table, column):
        """(x, value, error) of entries whose row is a number."""
        found = []
        for e in self.of(observable, table, column):
            try:
                if e["unit"] == column.unit:
                    found.append((float(e["row"]), e["value"], e["error"]))
            except ValueError:
                pass
        return found


def ordered(table):
    """The names of columns, in the order of words.NAMES."""
    return sorted(table, key=lambda column: words.rank(column, table.name))


def literature(found):
    return [{"value": words.number(e["value"], e["error"]), "unit": words.unit(e["unit"]),
             "system": e["system"], "source": e["source"]} for e in found]


def correlation(time, interval):
    """An autocorrelation time; those shorter than the interval of samples are not known."""
    if not np.isfinite(time):
        return ""
    return words.time(time, 2) if not time < interval else "< " + words.time(interval)


def single(observable, table, references):
    """A table of one row as dicts of texts, one for each of its numbers."""
    for name in ordered(table):
        column = table[name]
        if np.isfinite(column.values[0]):
            yield {"name": words.name(name, table.name), "row": table.labels[0],
                   "unit": words.unit(column.unit),
                   "value": words.number(column.values[0], column.errors[0]),
                   "time": correlation(column.times[0], observable.interval),
                   "literature": literature(references.of_row(observable, table, column,
                                                              table.labels[0]))}


def matrix(table, names):
    """A table of several rows as texts: heads of its columns, and rows of label and numbers."""
    columns = [table[name] for name in ordered(table)]
    return {"name": table.name, "head": [words.label(words.name(c.name, table.name), c.unit)
                                         for c in columns],
            "rows": [(names.row(label), [words.number(c.values[k], c.errors[k]) for c in columns])
                     for k, label in enumerate(table.labels)]}


def site_figures(table, names):
    labels = [names.row(label) for label in table.labels]
    for name in ordered(table):
        column = table[name]
        yield figures.sites(words.name(name, table.name), labels, column.values, column.errors,
                            column.unit)


def profile_figures(observable, tables, references, names):
    """The panels of tables that have an axis; those without any number are left out."""
    left = [(table, name) for table in tables for name in table]
    for title, pattern, log in [*PANELS.get(observable.kind, []), ("", "(.*)", 0)]:
        chosen = [(t, n) for t, n in left if re.fullmatch(pattern, n)]
        left = [pair for pair in left if pair not in chosen]
        for unit in dict.fromkeys(table.units[name] for table, name in chosen):
            group = [(t, n) for t, n in chosen if t.units[n] == unit]
            made = panel(observable, group, title, pattern, log, references, names)
            if made:
                yield made


def with_sum_of_charges(lines, charged, names):
    """Contributions of bead types, with one curve for the potential of all charged beads: of one type
    alone it grows without limit."""
    parts = [line for line in lines if line[0] in charged]
    others = [line for line in lines if line[0] not in charged]
    if len(parts) < 2 or len({len(line[1]) for line in parts}) > 1:
        parts, others = [], lines
    found = [(names.type(line[0]), *line[1:]) for line in others]
    if parts:
        total = sum(line[2] for line in parts)
        found.append((f"charges ({', '.join(names.type(line[0]) for line in parts)})", parts[0][1], total,
                      np.nan * total))
    return found


def curve_label(observable, table, name, part, names):
    """What a curve is called; part: what the pattern of its panel leaves of the name of the column, None
    if nothing varies."""
    of, kind = table.name, observable.kind
    if kind in JOINED:
        of = of[len(kind) + 1:] if of.startswith(kind + "_") else of
        of = names.pair(of) if kind == "rdf" else names.type(of) if kind == "rotation" else of
        return of if part is None else f"{of} {words.name(part, 'profile')}"
    if kind == "potential" and part:
        return part  # with_sum_of_charges compares types
    if name.startswith("number_") and part in names.species:
        return names.species[part]
    return "all" if part == "" else words.name(part or name, "profile")


def shows(observable, values, log):
    """Whether a curve has anything to show: a profile that is 0 everywhere is of what the beads do not
    have, such as charges, dipoles or electrons."""
    if log:
        return (values > 0).any()
    return np.isfinite(values).any() and (observable.kind in JOINED or (np.nan_to_num(values) != 0).any())


def panel(observable, group, title, pattern, log, references, names):
    lines, beside, contributions = [], [], False
    for table, name in group:
        column, found = table[name], re.fullmatch(pattern, name)
        label = curve_label(observable, table, name, found.group(1) if found.groups() else None, names)
        contributions = observable.kind == "potential" and bool(title and found.groups())
        x = table.axis
        shown = (x > 0) & (column.values > 0) if log else np.isfinite(column.values)
        if shows(observable, column.values, log):
            lines.append((label, x[shown], column.values[shown], column.errors[shown]))
        beside += references.on_axis(observable, table, column)
    if contributions:
        lines = with_sum_of_charges(lines, references.charged, names)
    if not lines or contributions and len(lines) == 1:  # then it is the potential
        return None
    table = group[0][0]
    return figures.curves(title or words.name(group[0][1]), lines,
                          words.label(table.axis_name, table.axis_unit),
                          table.units[group[0][1]], beside, log)


def section(observable, references, names):
    """What a report shows of an observable: numbers, tables and figures, and tables behind these."""
    tables = [observable[name] for name in observable]
    found = {"name": observable.name, "kind": observable.kind, "rows": [], "tables": [], "figures": [],
             "details": [], "samples": observable.samples, "from": observable.first_step,
             "to": observable.last_step, "every": observable.every,
             "choices": observable.choices[1:-1],
             "title": words.TITLES.get(observable.kind, observable.kind),
             "sources": references.of_figures(observable, tables)}
    for table in tables:
        if table.labels is None or not len(table):
            continue
        if len(table.labels) == 1:
            found["rows"] += single(observable, table, references)
        elif len(table.labels) <= FEW_ROWS:
            found["tables"].append(matrix(table, names))
        else:
            found["figures"] += site_figures(table, names)
            found["details"].append(matrix(table, names))
    with_axis = [table for table in tables if table.labels is None and len(table)]
    groups = [with_axis] if observable.kind in JOINED else [[table] for table in with_axis]
    for group in groups:
        if group:
            found["figures"] += profile_figures(observable, group, references, names)
    return found


def in_order(observables):
    """Names of observables, by kind in the order of words.TITLES."""
    kinds = list(words.TITLES)

    def place(name):
        kind = attribute(observables.file[name], "kind")
        return kinds.index(kind) if kind in kinds else len(kinds), name

    return sorted(observables, key=place)
