"""State files: starts and checkpoints."""
import functools

import numpy as np

from . import files
from .arrays import Array
from .forcefield import ForceField
from .shown import Shown

NEWEST = 3  # of oblique boxes; others have 2
# Names of this module for datasets that are of use as they stand.
NAMES = {"momentum": "beads/momentum", "angular_momentum": "beads/angular_momentum",
         "orientation": "beads/orientation", "image": "beads/image", "type": "beads/type",
         "molecule": "beads/molecule", "kind": "beads/kind", "box": "system/box"}


class Units:
    """The unit of an array by its name, from the attribute `unit` of its dataset."""

    def __init__(self, state):
        self.state = state

    def __getitem__(self, name):
        if name == "position":
            return self["box"]
        return files.attribute(files.item(self.state.file, NAMES.get(name, name)), "unit", "1")


class State(Shown):
    """A state file. Arrays have a row for each bead, in the order of bead numbers.

    position: nm, in the box. box: the three edges, nm; vectors: the box vectors as rows, nm, whose
    diagonal they are. time: ps. step. momentum, angular_momentum, orientation, image,
    type, molecule and kind are the datasets beads/...; state["system/seed"] is any other dataset.
    state.units["momentum"] or state.units["system/seed"] is the unit. types: names of the bead types;
    type_names, names, residues: the names of type, bead and molecule of each bead. history: a line for
    each job.
    """

    def __init__(self, path):
        self.path = files.find(path, ".h5")
        self.file = files.open_h5(self.path)
        self.format = files.check_format(self.file, "lamella state", NEWEST)
        if not files.integer(self.file, "complete"):
            raise files.Unusable(f"{self.path}: it was not written to its end")
        self.program = files.attribute(self.file, "program")
        self.git = files.attribute(self.file, "git")
        self.kernel = files.attribute(self.file, "kernel")
        self.units = Units(self)

    def __getitem__(self, name):
        data = files.item(self.file, NAMES.get(name, name))
        return Array(data[:], name, files.attribute(data, "unit", "1"))

    def __getattr__(self, name):
        if name in NAMES:
            return self[name]
        raise AttributeError(name)

    def __len__(self):
        return self.n

    @property
    def n(self):
        return int(self["system/n_beads"][0])

    @property
    def step(self):
        return int(self["system/step"][0])

    @property
    def time(self):
        return float(self["system/time"][0])

    @property
    def position(self):
        """The integers of the file are fractions of the box vectors in units of 2^-32."""
        fractions = np.asarray(self["beads/position"]).view(np.uint32) / 2.0**32
        return Array(fractions @ self.vectors, "position", self.units["position"])

    @property
    def vectors(self):
        rows = np.diag(self["system/box"].ravel())
        if "system/tilt" in self.file:
            rows[1, 0], rows[2, 0], rows[2, 1] = self["system/tilt"].ravel()
        return Array(rows, "vectors", self.units["position"])

    @functools.cached_property
    def forcefield(self):
        return ForceField(files.text(self.file, "forcefield/text"), self.path)

    @property
    def types(self):
        return self.forcefield.types

    @property
    def type_names(self):
        return np.array(self.types)[self.type]

    @property
    def names(self):
        """Names of the beads; of beads in no molecule, those of their types."""
        names, kind = self.type_names.astype(object), self.kind
        for k, beads in enumerate(self.forcefield.bead_names.values()):
            rows = np.flatnonzero(kind == k)
            names[rows] = np.resize(np.array(beads, object), len(rows))
        return names.astype(str)

    @property
    def residues(self):
        """The molecule name of each bead; of beads in no molecule, the name of their type."""
        kind, molecules = self.kind, list(self.forcefield.molecules)
        return np.where(kind < 0, self.type_names, np.array([*molecules, ""])[kind])

    @property
    def run_text(self):
        """The effective input of the job that wrote the file, YAML; empty in a start."""
        return files.text(self.file, "run/text", "")

    @property
    def input(self):
        return files.text(self.file, "run/input", "")

    @property
    def history(self):
        return files.text(self.file, "run/history", "").splitlines()

    def describe(self):
        edges = " x ".join(f"{edge:g}" for edge in np.diagonal(self.vectors))
        kinds, counts = np.unique(self.residues, return_counts=True)
        return (f"{self.path}: {self.n} beads, step {self.step}, {self.time:g} ps, box {edges} nm, force field "
                f"{self.forcefield.name}", ("molecule", "beads"), list(zip(kinds, counts)))

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
