"""External fields of the run file: energies, forces and virial against an evaluator of its own, groups,
conserved energy, the same bits on any number of ranks, restarts, and mistakes in the list."""
import os
import tempfile

import h5py
import numpy as np
import yaml

import trial
from oracle import State
from run_lamella import Checks, write

VOLT = 96.48533212   # kJ/mol/e in 1 V
BAR = 16.605390672   # bar in 1 kJ/mol/nm3
ELECTRIC = "{form: electric, x: 0.02, z: 0.3}"
FORCE = "{form: force, y: -3, group: {types: [%s], ids: [4, 300]}}"
RESTRAINT = "{form: restraint, kz: 80, kx: 6, z: 0.52, x: 0.1, group: {molecules: [DOPC, POPC]}}"


def fields_of(state):
    """The list as text; the force acts on the type of the first bead."""
    start = State(state)
    return f"[{ELECTRIC}, {FORCE % start.names[start.type[0]]}, {RESTRAINT}]"


class Expected:
    """Energy, forces and virial (kJ/mol) of a list of fields in a state."""

    def __init__(self, path, text):
        self.state = s = State(path)
        with h5py.File(path) as file:
            self.place = s.word / 2.0**32
            self.r = (self.place + file["beads/image"][:]) * s.box
        self.energy, self.force, self.virial = 0.0, np.zeros((s.n, 3)), np.zeros((3, 3))
        for field in yaml.safe_load(text):
            getattr(self, "add_" + field["form"])(field, self.members(field.get("group", {})))

    def members(self, group):
        s, molecules = self.state, list(self.state.ff["molecules"])
        ids = np.arange(1, s.n + 1)
        first, last = group.get("ids", [1, s.n])
        inside = (ids >= first) & (ids <= last)
        if "types" in group:
            inside &= np.isin(s.type, [s.names.index(name) for name in group["types"]])
        if "molecules" in group:
            inside &= np.isin(s.kind, [molecules.index(name) for name in group["molecules"]])
        assert inside.any() and (not group or not inside.all())
        return inside

    def add_force(self, field, m):
        f = np.array([field.get(key, 0) for key in "xyz"])
        self.energy -= (self.r[m] @ f).sum()
        self.force[m] += f

    def add_electric(self, field, m):
        e = VOLT * np.array([field.get(key, 0) for key in "xyz"])
        charge = self.state.charge[:, None]
        self.energy -= ((charge * self.r + self.state.dipole)[m] @ e).sum()
        self.force[m] += charge[m] * e

    def add_restraint(self, field, m):
        k = np.array([field.get(key, 0) for key in ("kx", "ky", "kz")])
        d = self.place[m] - [field.get(key, 0.5) for key in "xyz"]
        d = (d - np.round(d)) * self.state.box
        self.energy += (k * d * d).sum() / 2
        self.force[m] -= k * d
        self.virial += d.T @ (-k * d)


def frame_forces(folder, prefix):
    with h5py.File(os.path.join(folder, prefix + ".h5md")) as file:
        found = []
        file.visititems(lambda name, item: found.append(item) if name.endswith("force/value") else None)
        return found[0][0]


def against_evaluator(checks, folder, start, settings, backend):
    """Energy, pressure and forces of the start with and without the fields."""
    want = Expected(start, settings["fields"])
    still = {**settings, "run.steps": 0, "output.frames_every": 1, "output.forces": 1}
    for precision in "mixed", "double":
        case = {**still, "run.precision": precision}
        trial.simulate(folder, "with", case)
        trial.simulate(folder, "without", {**case, "fields": "[]"})
        a, b = trial.columns(folder, "with"), trial.columns(folder, "without")
        checks.true("a column of its own", "external" in a and "external" not in b)
        checks.close(f"energy, {precision}, {backend}", a["external"][0], want.energy, 1e-11)
        checks.close("potential", a["potential"][0] - b["potential"][0], want.energy, 1e-9)
        volume = want.state.box.prod()
        for i in range(3):
            for j in range(3):
                name = f"p{'xyz'[i]}{'xyz'[j]}_bar"
                checks.close(name, a[name][0] - b[name][0], want.virial[i, j] / volume * BAR,
                             absolute=1e-3)
        difference = frame_forces(folder, "with") - frame_forces(folder, "without")
        checks.close(f"forces, {precision}, {backend}", np.abs(difference - want.force).max(), 0,
                     absolute=1e-3)
        checks.true("forces on some", np.abs(want.force).max() > 20)


def one_trajectory(checks, folder, settings, backend):
    """The same bits on any number of ranks and in parts, and checked forces."""
    case = {**settings, "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen"}
    trial.same_states(checks, folder, case, (1, 3), 17, backend)


def conserved(checks, folder, start, settings, backend):
    """Forces and torques belong to the energy: it is conserved as well as without fields. A dipole that
    a wrong torque turned would change it by its energy in the field."""
    drift = []
    for fields in "[]", settings["fields"]:
        case = {**settings, "input": start, "fields": fields, "thermostat.type": "none", "run.dt": 0.002,
                "run.steps": 200, "output.energies_every": 10, "run.precision": "double"}
        trial.simulate(folder, "nve", case)
        found = trial.columns(folder, "nve")
        drift.append(np.ptp(found["total"]))
    change = np.ptp(found["external"])
    checks.true(f"energy is conserved, {backend}", drift[1] < 2 * drift[0] + 1e-3 * change, drift, change)
    checks.true("and fields do work", change > 50 * drift[1], change, drift)


def mistakes(checks, folder, settings):
    for text, words in (
            ("[{form: electrik, z: 1}]", ["electrik", "electric"]),
            ("[{form: electric, w: 1}]", ["'w'"]),
            ("[{form: electric, z: 1, group: {types: [Q9]}}]", ["no bead type 'Q9'"]),
            ("[{form: electric, z: 1, group: {molecules: [XXXX]}}]", ["no molecule type 'XXXX'"]),
            ("[{form: electric, z: 1, group: {ids: [5, 2]}}]", ["ids"]),
            ("[{form: electric}]", ["exerts no force"]),
            ("[{form: restraint, kz: -1}]", ["kz"]),
            ("[{form: harmonic, kz: 40}]", ["write restraint", "twice"]),
            ("[" + ", ".join(["{form: force, x: 1}"] * 9) + "]", ["8"])):
        said = trial.simulate(folder, "wrong", {**settings, "fields": text}, status=2)
        checks.true(text[:60], all(word in said for word in words), said)
    source = os.path.join(folder, "lines.yaml")
    write(source, f"input: {settings['input']}\nfields:\n  - {{form: force, x: 1}}\n  - {{form: force, q: 1}}\n")
    checks.refused("the line of a mistake", "lines.yaml:4", "run", source, cwd=folder)


def other_fields_later(checks, folder, settings):
    case = {**settings, "run.steps": 10}
    trial.simulate(folder, "later", {**case, "fields": "[]"})
    said = trial.simulate(folder, "later", {**case, "run.steps": 20}, restart="auto", status=2)
    checks.true("other columns are refused", "later.csv" in said and "other columns" in said, said)
    os.unlink(os.path.join(folder, "later.csv"))
    said = trial.simulate(folder, "later", {**case, "run.steps": 20}, restart="auto")
    checks.true("a change of fields is said", "fields" in said, said)


def fields(checks, folder, backend):
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2,
                "output.energies_every": 10, "parallel.backend": backend, "fields": fields_of(start)}
    against_evaluator(checks, folder, start, settings, backend)
    one_trajectory(checks, folder, settings, backend)
    patch = trial.membrane(folder, copies=1)
    conserved(checks, folder, patch, {**settings, "fields": fields_of(patch), "neighbor.skin": "auto"}, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = fields(checks, folder, "cpu")
        mistakes(checks, folder, settings)
        other_fields_later(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
