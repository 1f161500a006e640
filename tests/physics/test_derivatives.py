"""Forces, torques and virial against differences of the energy: beads moved, bodies turned and box
edges stretched in the state file. The asymmetry of the virial tensor against the torques."""
import os
import shutil
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, energy

BAR = 16.605390672  # bar per kJ/(mol nm3)
LIPIDS = """
forcefield: %s
seed: 8
temperature: 303
bilayer:
  upper: {DOPC: 7, DMPC: 5}
  lower: {POPC: 5, DOPE: 7}
  water_per_lipid: 14
  area_per_lipid: 0.7
minimise: {max_steps: 200, force: 5000}
"""
WATER = """
forcefield: %s
seed: 8
temperature: 0
water: {count: 360, density: 997}
minimise: {max_steps: 30, force: 5000}
"""
RODS = {orientation: """
forcefield: gb
seed: 8
temperature: 0
lattice: {type: fcc, cells: %s, density: %g, orientation: %s}
minimise: {max_steps: 3, force: 10}
""" % (cells, density, orientation)
    for orientation, cells, density in (("random", [5, 4, 4], 0.25), ("aligned", [6, 6, 2], 0.33))}


class Subject:
    """A state whose copies are moved; energies by `lamella energy`, in double."""

    def __init__(self, folder, name, state):
        self.name, self.state = name, state
        self.other = os.path.join(folder, "moved.h5")
        table = os.path.join(folder, "forces.txt")
        with h5py.File(state, "r+") as file:
            file["neighbor_list/step"][...] = -1
            self.box = file["system/box"][:]
            self.type = file["beads/type"][:]
            self.q = file["beads/orientation"][:]
        self.at_rest = energy(state, "--precision=double", "--forces=" + table)
        rows = np.loadtxt(table)
        self.force, self.torque = rows[:, 1:4], rows[:, 4:7]

    def potential(self, change):
        shutil.copy(self.state, self.other)
        with h5py.File(self.other, "r+") as file:
            change(file)
        return energy(self.other, "--precision=double")["potential"]

    def slope(self, change, h):
        """dU/dh of change(file, h)."""
        ends = [self.potential(lambda file: change(file, sign * h)) for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * h)


def directions(n, chosen):
    d = np.random.default_rng(2).normal(size=(n, 3))
    return d * chosen[:, None]


def check_forces(checks, s, types):
    """Beads of some types go in random directions, all at once."""
    h = 1e-5
    words = np.rint(h * directions(len(s.type), np.isin(s.type, types)) / s.box * 2.0**32)
    d = words / 2.0**32 * s.box / h

    def move(file, sign):
        before = file["beads/position"][:].view(np.uint32)
        steps = (np.sign(sign) * words).astype(np.int64).astype(np.uint32)
        file["beads/position"][:] = (before + steps).view(np.int32)

    want = -(s.force * d).sum()
    checks.close(f"{s.name}: force on types {types}", s.slope(move, h), want, 0,
                 1e-6 * np.abs(s.force * d).sum())
    return abs(want)


def turned(q, axis, angle):
    """q turned about laboratory axes."""
    w, v = np.cos(angle / 2), np.sin(angle / 2)[:, None] * axis
    out = np.empty_like(q)
    out[:, 0] = w * q[:, 0] - (v * q[:, 1:]).sum(axis=1)
    out[:, 1:] = w[:, None] * q[:, 1:] + q[:, :1] * v + np.cross(v, q[:, 1:])
    return out


def check_torques(checks, s, types):
    d = directions(len(s.type), np.isin(s.type, types))
    size = np.maximum(np.linalg.norm(d, axis=1), 1e-300)

    def turn(file, h):
        file["beads/orientation"][:] = turned(s.q, d / size[:, None], h * size)

    want = -(s.torque * d).sum()
    checks.close(f"{s.name}: torque on types {types}", s.slope(turn, 1e-4), want, 0,
                 1e-6 * np.abs(s.torque * d).sum())


def check_virial(checks, s, relative=1e-6):
    volume = np.prod(s.box)
    tensor = np.reshape(s.at_rest["virial_tensor"], (3, 3)) / BAR * volume
    for k in range(3):

        def stretch(file, h):
            file["system/box"][k] = s.box[k] * (1 + h)

        checks.close(f"{s.name}: virial along {'xyz'[k]}", -s.slope(stretch, 1e-5), tensor[k, k],
                     0, relative * np.abs(tensor).max())
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        checks.close(f"{s.name}: asymmetry about {'xyz'[k]}", tensor[a, b] - tensor[b, a],
                     -s.torque[:, k].sum(), 0, 1e-7 * np.abs(s.torque).sum() + 1e-9)


def lipids(checks, folder, name, forcefield):
    state = trial.build(folder, name, LIPIDS % forcefield)
    with h5py.File(state, "r+") as file:
        q = np.random.default_rng(6).normal(size=file["beads/orientation"].shape)
        file["beads/orientation"][:] = q / np.linalg.norm(q, axis=1)[:, None]
    s = Subject(folder, name, state)
    pushed = [check_forces(checks, s, [kind]) for kind in range(7)]
    for kind in (3, 4):
        check_torques(checks, s, [kind])
    check_virial(checks, s)
    return s, pushed


def bodies(checks, folder):
    """Waters with a sticky term, with and without a reaction field, and ellipsoids."""
    for field in ("ssd", "ssde", "ssdrf"):
        state = trial.build(folder, field, WATER % field)
        s = Subject(folder, field, state)
        checks.true(f"{field}: all terms", all(abs(s.at_rest["terms"][term]) > 1
                                               for term in ("lj", "dd", "sticky")))
        check_forces(checks, s, [0])
        check_torques(checks, s, [0])
        check_virial(checks, s)
    for orientation in ("random", "aligned"):
        name = "gb_" + orientation
        trial.simulate(folder, name, {"input": trial.build(folder, name, RODS[orientation]),
                                      "run.steps": 100, "run.dt": 0.002, "neighbor.skin": 0.3,
                                      "thermostat.type": "langevin", "thermostat.tau": 0.05,
                                      "thermostat.temperature": 120})
        s = Subject(folder, name, trial.checkpoint(folder, name))
        check_forces(checks, s, [0])
        check_torques(checks, s, [0])
        check_virial(checks, s, 1e-5)  # a pair that crosses the cutoff, where the force jumps, changes 4e-6


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        s, pushed = lipids(checks, folder, "lipids", "elba")
        check_torques(checks, s, [0])
        checks.true("all types feel forces", min(pushed) > 1, pushed)
        bonds = trial.field(folder, "bonds", "elba.yaml", ("shifted_force", "none"),
                            (r"epsilon: [0-9.]+", "epsilon: 0"))
        s, pushed = lipids(checks, folder, "bonds", bonds)
        checks.true("bonded terms alone", all(s.at_rest["terms"][term] == 0
                                              for term in ("lj", "qq", "qd", "dd")))
        checks.true("all but water are bonded", min(pushed[1:]) > 1 and pushed[0] == 0, pushed)
        bodies(checks, folder)
        for truncation in ("force_shift", "stoddard_ford"):
            field = trial.field(folder, truncation, "lj.yaml",
                                ("truncation: cut", "truncation: " + truncation))
            state = trial.liquid(folder, "fluid_" + truncation, (5, 5, 5), 0.8, 100, 100,
                                 forcefield=field)
            s = Subject(folder, "fluid " + truncation, state)
            check_forces(checks, s, [0])
            check_virial(checks, s)
    checks.end()


main()
