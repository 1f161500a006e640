"""Everything that a run has left below its prefix, as far as it is there and can be read."""
import glob
import json
import os

import numpy as np

from . import files
from .energies import Energies
from .job import read_log
from .observables import Observables
from .shown import Shown
from .state import State
from .trajectory import Trajectory

ENDINGS = (".csv", ".checkpoint.h5", ".h5md", ".observables.h5", ".log")


def find_prefixes(folder):
    """Prefixes of the runs in a folder, the one that was written last first."""
    newest = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "*")):
        for ending in (".checkpoint.h5", ".h5md", ".observables.h5", ".log"):
            if path.endswith(ending) and os.path.isfile(path):
                prefix = path[:-len(ending)]
                newest[prefix] = max(newest.get(prefix, 0), os.path.getmtime(path))
    return sorted(newest, key=lambda prefix: (-newest[prefix], prefix))


class Run(Shown):
    """state (the checkpoint), trajectory, energies, observables, jobs and performance (the JSON as a
    dict) of a prefix. What is not there, or cannot be read, is None, and `missing` says why. report(): writes the page of
    lamella-report; its path."""

    def __init__(self, prefix):
        self.prefix, self.missing = prefix, []
        self.state = self._open(State, ".checkpoint.h5", "the checkpoint")
        self.trajectory = self._open(self._frames, ".h5md", "the trajectory")
        self.energies = self._open(self._lines, ".csv", "energies over time")
        self.observables = self._open(Observables, ".observables.h5", "observables")
        self.jobs = self._open(read_log, ".log", "the log") or []
        self.performance = self._open(self._json, ".performance.json", "the speed of the last job")
        self.running = os.path.exists(prefix + ".lock")

    def _open(self, reader, ending, what):
        path = self.prefix + ending
        try:
            if os.path.exists(path):
                return reader(path)
            why = f"there is no file {os.path.basename(path)}"
        except (files.Error, OSError, KeyError, ValueError, RuntimeError) as error:
            why = str(error).replace(os.path.dirname(path) + os.sep, "") or type(error).__name__
        self.missing.append((what, why))
        return None

    @staticmethod
    def _json(path):
        found = json.loads(files.read_text(path))
        if not isinstance(found, dict):
            raise files.Unusable(f"{path}: not a report of performance")
        return found

    @staticmethod
    def _frames(path):
        trajectory = Trajectory(path)
        if len(trajectory) == 0:
            raise files.Error(f"{path}: it has no frames")
        return trajectory

    @staticmethod
    def _lines(path):
        energies = Energies(path)
        if len(energies) == 0:
            raise files.Error(f"{path}: it has no lines yet")
        return energies

    @staticmethod
    def any_file(prefix):
        return any(os.path.exists(prefix + ending) for ending in ENDINGS)

    @property
    def input(self):
        """The effective input of the last job, as a dict of dicts of texts; empty if unknown."""
        text = self.state.run_text if self.state else ""
        if self.jobs and self.jobs[-1].input:
            text = self.jobs[-1].input
        try:
            found = files.yaml_of(text, self.prefix) if text else {}
        except files.Error:
            found = {}
        return found if isinstance(found, dict) else {}

    @property
    def forcefield(self):
        for source in (self.state, self.trajectory):
            try:
                if source:
                    return source.forcefield
            except (files.Error, KeyError):
                pass
        return None

    @property
    def lipids(self):
        """Names of the molecules that are lipids; None if no file says it."""
        found = (source.lipids for source in (self.observables, self.trajectory) if source)
        return next((names for names in found if names is not None), None)

    @property
    def molecules(self):
        """Numbers of molecules by name, in the order of the force field."""
        if self.state:
            sizes = self.state.forcefield.molecules
            counts = np.bincount(self.state.kind[self.state.kind >= 0], minlength=len(sizes))
            return {name: int(n) // len(beads)
                    for n, (name, beads) in zip(counts, sizes.items()) if n}
        if self.trajectory and os.path.exists(self.trajectory.psf):
            names, first = self.trajectory.residues, {}
            for name, number in set(zip(names.tolist(), self.trajectory.molecules.tolist())):
                first[name] = first.get(name, 0) + 1
            return dict(sorted(first.items()))
        return {}

    def report(self, path=None):
        from .report import render
        path = path or self.prefix + ".report.html"
        files.write_text(path, render(self))
        return path

    def describe(self):
        said = ", " + self.jobs[-1].said if self.jobs else ""
        speed = (self.performance or {}).get("ns_per_day")
        rows = [(name, one.describe()[0]) for name, one in (("state", self.state), ("trajectory", self.trajectory),
                ("energies", self.energies), ("observables", self.observables)) if one is not None]
        rows += [("performance", f"{speed:g} ns/day")] if speed else []
        return f"run {self.prefix}{said}", ("part", "what"), rows + [("missing", f"{what}: {why}") for what, why in self.missing]
