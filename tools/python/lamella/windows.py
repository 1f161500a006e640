"""Windows: runs with biases on a coordinate, from PREFIX.coordinates.csv, and the effective input in their logs or
checkpoints."""
import glob
import os
import re

import numpy as np

from . import files
from .energies import Energies
from .job import read_log
from .state import State

ENDING = ".coordinates.csv"
FEW = 10  # fewer samples are none


def nearest(d, period):
    """The difference of least size; period 0: none."""
    return d - period * np.round(d / period) if period else d


def umbrella(x, period, k, at):
    return 0.5 * k * nearest(x - at, period) ** 2


def constant_force(x, _, force):
    return -force * x


def flat_bottom(x, period, k, low=-np.inf, high=np.inf):
    if period and np.isfinite(high - low):  # values nearest to the middle of the interval
        x = 0.5 * (low + high) + nearest(x - 0.5 * (low + high), period)
    return 0.5 * k * (np.maximum(low - x, 0) + np.maximum(x - high, 0)) ** 2


# Energies of biases as src/model/bias_list.h has them, kJ/mol; parameters, which must be given, and others. Any other
# kind on the coordinate is refused.
FORMS = {"umbrella": (umbrella, ("k", "at"), ()), "constant_force": (constant_force, ("force",), ()),
         "flat_bottom": (flat_bottom, ("k",), ("low", "high"))}
PLACES = ("at", "low", "high")  # in the unit of the coordinate; all else is per radian where that is degrees


class Moving(Exception):
    """A bias moves: the run is no window."""


class Bias:
    """A bias of the run file: name, kind, coordinate, parameters as numbers."""

    def __init__(self, entry, where):
        self.name, self.kind, self.coordinate = (entry.get(key, "") for key in ("name", "kind", "coordinate"))
        self.text, self.where = entry, f"{where}: the bias '{self.name}'"

    def energy(self, x, unit, period=0):
        """kJ/mol at values of the coordinate. period: of it, in its unit; 0: none."""
        scale = np.pi / 180 if unit == "deg" else 1
        given = {key: value * scale if key in PLACES else value for key, value in self.parameters.items()}
        return FORMS[self.kind][0](x * scale, period * scale, **given)

    @property
    def parameters(self):
        if self.kind not in FORMS:
            if self.kind == "constraint":
                raise files.Error(f"{self.where} is a constraint, which has no energy: the mean of its column "
                                  f"{self.name}_mean_force in PREFIX.coordinates.csv is the slope of the free energy at its place")
            raise files.Error(f"{self.where} is of the kind '{self.kind}', whose energy is not known here; known are "
                              + ", ".join(FORMS))
        if is_number(self.text.get("rate", "0")) and float(self.text.get("rate", "0")):
            raise Moving
        _, needed, others = FORMS[self.kind]
        found = {key: self.text[key] for key in needed + others if key in self.text}
        if not all(key in found for key in needed):
            raise files.Error(f"{self.where} has no {' or no '.join(key for key in needed if key not in found)}")
        for key, value in found.items():
            if isinstance(value, (list, dict)):
                raise Moving
            if not is_number(value):
                raise files.Error(f"{self.where}: {key} is '{value}', not a number")
        return {key: float(value) for key, value in found.items()}


def is_number(text):
    try:
        return np.isfinite(float(text))
    except (TypeError, ValueError):
        return False


def effective_input(prefix):
    """The effective input of the last job, a dict of dicts of texts; of the log, else of the checkpoint. Of lines by rung
    (lamella-exchange --sort) that of the replica of that number, which began with the rung."""
    text, rung = "", re.fullmatch(r"(.*?)([^/]*)\.rung-(\d+)", prefix)
    if rung:
        prefix = os.path.join(rung[1], "replica-" + rung[3], rung[2])
    if os.path.exists(prefix + ".log"):
        try:
            text = next((job.input for job in reversed(read_log(prefix + ".log")) if job.input), "")
        except ValueError as why:
            raise files.Unusable(f"{prefix}.log: not the log of a run: {why}") from None
    if not text and os.path.exists(prefix + ".checkpoint.h5"):
        with State(prefix + ".checkpoint.h5") as state:
            text = state.run_text
    found = files.yaml_of(text, prefix) if text else None
    if not isinstance(found, dict):
        raise files.Unusable(f"{prefix}: neither {prefix}.log nor {prefix}.checkpoint.h5 says which biases the run had")
    return found


def of_replica(entry, number):
    """A bias of the run file with the number of one replica in the place of lists of numbers."""
    def value(of):
        return of[number - 1] if isinstance(of, list) and 0 < number <= len(of) and not isinstance(of[0], list) else of
    return {key: value(of) if key not in ("coordinates", "width", "grid") else of for key, of in entry.items()}


class Window:
    """time (ps), x (values of the coordinate), its unit; biases on it; temperature (K; None if not set)."""

    def __init__(self, prefix):
        self.prefix, self.name = prefix, os.path.basename(prefix)
        self.lines = Energies(prefix + ENDING)
        self.input = effective_input(prefix)
        number = int((self.input.get("run") or {}).get("replica", 0))
        self.all_biases = [Bias(of_replica(entry, number), self.name) for entry in self.input.get("biases") or [] if isinstance(entry, dict)]
        self.coordinates = {entry.get("name", ""): entry for entry in self.input.get("coordinates") or []
                            if isinstance(entry, dict)}

    def read(self, coordinate):
        """Takes the column of a coordinate and the biases on it."""
        column = next((c for c in self.lines.columns if re.fullmatch(re.escape(coordinate) + r"(_[a-z]+\d*)?", c)), None)
        if column is None:
            raise files.Error(f"{self.prefix}{ENDING}: no column of the coordinate '{coordinate}'; there are "
                              + ", ".join(self.lines.columns))
        self.coordinate = coordinate
        self.unit, self.time, self.x = column[len(coordinate) + 1:] or "1", self.lines.time, self.lines[column]
        for name, values in (("time_ps", self.time), (coordinate, self.x)):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                raise files.Numeric(f"{self.prefix}{ENDING}:{bad[0] + 2}: the value of {name} is {values[bad[0]]}: the run failed there, "
                                    "or the file is damaged")
        self.biases = [bias for bias in self.all_biases if bias.coordinate == coordinate]
        self.others = sorted(str(sorted(map(str, bias.text.items()))) for bias in self.all_biases
                             if bias.coordinate != coordinate)
        self.period = 360 if self.coordinates.get(coordinate, {}).get("kind") == "dihedral" else 0
        self.find_start()
        self.check_energies()
        if self.period and self.umbrella:
            self.x = self.umbrella[0] + nearest(self.x - self.umbrella[0], self.period)
        return self

    def find_start(self):
        """An umbrella `at: start` is where its column says."""
        for bias in self.biases:
            column = bias.name + "_place"
            if str(bias.text.get("at", "")).startswith("start") and column in self.lines and len(self.x):
                if np.ptp(self.lines[column]) > 0:
                    raise Moving
                bias.text = {**bias.text, "at": repr(float(self.lines[column][0]))}

    def check_energies(self):
        """The energies in the file are those of the run file."""
        for bias in self.biases:
            column = next((c for c in self.lines.columns if c.startswith(bias.name + "_energy")), None)
            if bias.parameters and column and len(self.x):
                off = abs(bias.energy(self.x, self.unit, self.period) - self.lines[column])
                worst = int(np.argmax(off))
                there, ours = self.lines[column][worst], bias.energy(self.x[worst:worst + 1], self.unit, self.period)[0]
                if off[worst] > 1e-2 + 1e-3 * abs(there):
                    raise files.Error(f"{self.prefix}{ENDING}:{worst + 2}: the energy of '{bias.name}' is {there:g} kJ/mol, but "
                                      f"{ours:g} by the run's input: was the bias changed between jobs?")

    def energy(self, x):
        """Of all biases on the coordinate, kJ/mol."""
        return sum((bias.energy(x, self.unit, self.period) for bias in self.biases), np.zeros_like(x))

    @property
    def umbrella(self):
        """(place, force constant) if its only bias is an umbrella, else None."""
        if len(self.biases) == 1 and self.biases[0].kind == "umbrella":
            p = self.biases[0].parameters
            return p["at"], p["k"]
        return None

    @property
    def said(self):
        """The window in messages."""
        return self.name + (f" (at {self.umbrella[0]:g} {self.unit})" if self.umbrella else "")

    @property
    def temperature(self):
        """K; None if the input has none that is constant."""
        section = self.input.get("thermostat") or {}
        value = section.get("temperature")
        if section.get("type", "none") == "none" or not is_number(value):
            return None
        return float(value)


def window_prefixes(name):
    """Prefixes of the files that a PREFIX stands for: of all PREFIX.*.coordinates.csv, else its own."""
    if name.endswith(ENDING):
        name = name[:-len(ENDING)]
    found = sorted(path[:-len(ENDING)] for path in glob.glob(glob.escape(name) + ".*" + ENDING))
    if not found and os.path.exists(name + ENDING):
        found = [name]
    if not found:
        raise files.Unusable(f"{name}: there is no file {name}{ENDING}, {name}.*{ENDING} or {name}.hills; runs write them where "
                             "output.coordinates_every is not 0, or where they have metadynamics")
    return found


def missing(name, windows):
    """Windows of which lamella umbrella has written the run file, PREFIX.wPLACE.yaml, but that are not among these."""
    files_there = [path[:-5] for path in sorted(glob.glob(glob.escape(name) + ".w*.yaml"))
                   if re.search(r"\.w-?\d+(\.\d+)?\.yaml$", path)]
    return [os.path.basename(p) for p in files_there
            if not any(w.prefix == p or w.prefix.startswith(p + ".") for w in windows)]
