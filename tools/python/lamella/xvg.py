"""lamella-to-xvg: coordinates and forces of biases as the files pullx and pullf of GROMACS, which gmx wham reads."""
import argparse
import os

import numpy as np

from . import files
from .energies import Energies
from .results import Run

ENDING = ".coordinates.csv"


class Columns:
    """Of a run: names of its coordinates, their values, the force (kJ/mol/nm or kJ/mol/rad) of all biases on
    each, the places of the first bias that has one; 0 where there is none."""

    def __init__(self, prefix):
        self.lines = Energies(prefix + ENDING)
        made = Run(prefix).input
        if not made.get("coordinates"):
            raise files.Unusable(f"{prefix}: neither its log nor its checkpoint says which coordinates the run had")
        if len(self.lines) == 0:
            raise files.Error(f"{self.lines.path}: it has no lines yet")
        try:
            self.names = [entry["name"] for entry in made["coordinates"]]
            self.biases = [(entry["name"], entry.get("coordinate")) for entry in made.get("biases") or []]
        except (AttributeError, KeyError, TypeError):
            raise files.Unusable(f"{prefix}: the lists coordinates and biases of its log or checkpoint are damaged") from None
        self.column = {name: self._column(name + "_") for name in self.names}

    def _column(self, begin):
        """The column that begins with a name, and ends with a unit."""
        for name in self.lines.columns:
            if name.startswith(begin) and "_" not in name[len(begin):]:
                return name
        raise files.Error(f"{self.lines.path}: no column {begin}...: the run has other coordinates now")

    def _of(self, coordinate, what):
        return [self.lines[f"{bias}_{what}"] for bias, on in self.biases if on == coordinate]

    def value(self, coordinate):
        return self.lines[self.column[coordinate]]

    def force(self, coordinate):
        return sum(self._of(coordinate, "force"), np.zeros(len(self.lines)))

    def place(self, coordinate):
        """Of angles from -180 to 180 degrees, as GROMACS has them."""
        place = next(iter(self._of(coordinate, "place")), np.zeros(len(self.lines)))
        return (place + 180) % 360 - 180 if self.column[coordinate].endswith("_deg") else place


def write(path, time, title, label, columns):
    """columns: (legend, values) of each."""
    with open(path, "w") as out:
        out.write(f"# made by lamella-to-xvg\n@    title \"{title}\"\n@    xaxis  label \"Time (ps)\"\n")
        out.write(f"@    yaxis  label \"{label}\"\n@TYPE xy\n@ view 0.15, 0.15, 0.75, 0.85\n@ legend on\n")
        for k, (legend, _) in enumerate(columns):
            out.write(f"@ s{k} legend \"{legend}\"\n")
        for row in np.column_stack([time, *(values for _, values in columns)]):
            out.write(f"{row[0]:.4f}" + "".join(f"\t{value:.9g}" for value in row[1:]) + "\n")


def convert(prefix, reference=False):
    """Writes PREFIX.pullx.xvg and PREFIX.pullf.xvg; their names."""
    run = Columns(prefix)
    x, f = [], []
    for k, name in enumerate(run.names, 1):
        x.append((str(k), run.value(name)))
        if reference:
            x.append((f"{k} ref", run.place(name)))
        f.append((str(k), run.force(name)))
    paths = prefix + ".pullx.xvg", prefix + ".pullf.xvg"
    write(paths[0], run.lines.time, "Pull COM", "Position (nm or deg)", x)
    write(paths[1], run.lines.time, "Pull force", "Force (kJ/mol/nm or kJ/mol/rad)", f)
    return paths


def main():
    parser = argparse.ArgumentParser(prog="lamella-to-xvg", description=__doc__)
    parser.add_argument("prefix", nargs="+", metavar="PREFIX", help="prefix of a run with coordinates")
    parser.add_argument("--reference", action="store_true",
                        help="columns with the places of biases too, as with pull-print-ref-value = yes")
    given = parser.parse_args()
    for prefix in given.prefix:
        prefix = prefix[:-len(ENDING)] if prefix.endswith(ENDING) else prefix
        for path in convert(prefix, given.reference):
            print("written", os.path.relpath(path))
