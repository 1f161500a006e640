"""Moves of the box by barostats: rigid molecules go along by their centres of mass; the volume of an ideal gas of
them, and their energy of rotation, have the laws that are known, at any interval of crescale."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, run, write
from test_ensemble import BAR, K_B, inefficiency

# Molecules without forces between beads: masses, constraints (beads and length, nm), and a virtual site between the
# first two beads, or none.
KINDS = {
    "rod": ([40, 90], [(1, 2, 0.4)], False),
    "hinge": ([30, 60, 45], [(1, 2, 0.35), (2, 3, 0.5)], False),
    "triangle": ([50, 50, 20], [(1, 2, 0.3), (1, 3, 0.4), (2, 3, 0.5)], False),
    "solid": ([30, 40, 50, 60], [(1, 2, 0.3), (1, 3, 0.4), (2, 3, 0.5), (1, 4, 0.3), (2, 4, 0.3 * 2**0.5), (3, 4, 0.5)],
              True),
}
PLACES = {"rod": [(0, 0, 0), (0.4, 0, 0)], "hinge": [(0, 0, 0), (0.35, 0, 0), (0.35, 0.5, 0)],
          "triangle": [(0, 0, 0), (0.3, 0, 0), (0, 0.4, 0)],
          "solid": [(0, 0, 0), (0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.3), (0.15, 0, 0)]}
MDP = "integrator = md\ncoulombtype = cut-off\nrcoulomb = 0.8\nrvdw = 0.8\ngen-vel = yes\ngen-temp = 300\ngen-seed = 3\n"


def topology(n_each):
    types = "".join(f"M{m} {m} 0 A 0 0\n" for m in sorted({m for masses, *_ in KINDS.values() for m in masses}))
    text = f"[ defaults ]\n1 2\n[ atomtypes ]\n{types}S 0 0 V 0 0\n"
    for name, (masses, constraints, site) in KINDS.items():
        text += f"[ moleculetype ]\n{name} 1\n[ atoms ]\n"
        for k, m in enumerate([*masses, *[0] * site]):
            text += f"{k + 1} {f'M{m}' if m else 'S'} 1 {name} B {k + 1} 0\n"
        text += "[ constraints ]\n" + "".join(f"{a} {b} 1 {r:.12g}\n" for a, b, r in constraints)
        if site:
            text += f"[ virtual_sites2 ]\n{len(masses) + 1} 1 2 1 0.5\n"
    return text + "[ system ]\ngas\n[ molecules ]\n" + "".join(f"{name} {n_each}\n" for name in KINDS)


def gas(folder, n_each, edges, tilt=(0, 0, 0)):
    """The state of a gas of n_each molecules of each kind in a box. tilt: bx, cx, cy."""
    rows, cells = [], int(np.ceil((len(KINDS) * n_each)**(1 / 3)))
    for number in range(len(KINDS) * n_each):
        name = list(KINDS)[number // n_each]
        corner = np.array([number // cells**a % cells for a in range(3)]) * edges / cells
        for place in PLACES[name]:
            x = corner + place
            rows.append("%5d%-5.5s%5s%5d%8.3f%8.3f%8.3f" % (number + 1, name, "B", len(rows) + 1, *x))
    for name, text in (("t.top", topology(n_each)), ("o.mdp", MDP),
                       ("c.gro", "gas\n%d\n%s\n%g %g %g 0 0 %g 0 %g %g\n" % (len(rows), "\n".join(rows), *edges, *tilt))):
        write(os.path.join(folder, name), text)
    run("import", "t.top", "c.gro", "--mdp=o.mdp", "-o", "gas.h5", cwd=folder)
    return os.path.join(folder, "gas.h5")


class Molecules:
    """Centres, their momenta, and what is about them, in a state of the gas."""

    def __init__(self, path, n_each):
        with h5py.File(path) as file:
            self.box, p = trial.vectors(path), file["beads/momentum"][:]
        inverse = np.linalg.inv(self.box)
        x, first = trial.positions(path), 0
        self.centre, self.momentum, self.about, self.inside = [], [], [], []
        for masses, _, site in KINDS.values():
            mass = np.array([*masses, *[0] * site])
            for _ in range(n_each):
                end = first + len(mass)
                arm = x[first:end] - x[first]
                arm -= np.round(arm @ inverse) @ self.box
                middle, own = mass @ arm / mass.sum(), p[first:end].sum(0)
                self.centre.append((x[first] + middle) @ inverse)
                self.momentum.append(own)
                self.about.append(arm - middle)
                self.inside.append(p[first:end] - np.outer(mass / mass.sum(), own))
                first = end


def moves(checks, folder, n_each, tilt=(0, 0, 0)):
    """One move of the box within a time in which nothing else happens: x, y and z components of its vectors stretch."""
    start = gas(folder, n_each, [9] * 3, tilt)
    still = {"input": start, "run.dt": 1e-9, "run.precision": "double"}
    trial.simulate(folder, "still", {**still, "run.steps": 1})
    before = Molecules(trial.checkpoint(folder, "still"), n_each)
    for kind in "crescale", "berendsen":
        for coupling in "isotropic", "semi_isotropic", "anisotropic", "constant_area", "surface_tension":
            trial.simulate(folder, "moved", {
                **still, "run.steps": 2, "barostat.type": kind, "barostat.coupling": coupling, "barostat.every": 1,
                "barostat.pressure": 3000, "barostat.tau": 1e-6, "barostat.compressibility": 0.01})
            after, what = Molecules(trial.checkpoint(folder, "moved"), n_each), f"{kind}, {coupling}: "
            stretch = np.diag(after.box) / np.diag(before.box)
            checks.true(what + "the shape of the box", np.allclose(after.box, before.box * stretch, 1e-12, 0))
            checks.true(what + "the box has moved", np.abs(stretch - 1).max() > 0.003, stretch)
            gone = np.subtract(after.centre, before.centre)
            checks.true(what + "centres go along", np.abs(gone - np.round(gone)).max() < 1e-7)
            checks.true(what + "momenta of centres",
                        np.allclose(np.multiply(after.momentum, stretch), before.momentum, 1e-6, 1e-4))
            for part, tolerance in ("about", 1e-6), ("inside", 1e-4):
                both = zip(getattr(after, part), getattr(before, part))
                worst = max(np.abs(a - b).max() for a, b in both)
                checks.true(what + part, worst < tolerance, worst)
    trial.simulate(folder, "moved", {
        **still, "run.steps": 2, "barostat.type": "berendsen", "barostat.coupling": "anisotropic", "barostat.every": 1,
        "barostat.pressure": 0, "barostat.tau": 1e-6, "barostat.compressibility": 1})
    after = Molecules(trial.checkpoint(folder, "moved"), n_each)
    mass = np.repeat([sum(masses) for masses, *_ in KINDS.values()], n_each)
    pressure = (np.square(before.momentum) / mass[:, None]).sum(0) / np.linalg.det(before.box) * BAR
    for axis, got, want in zip("xyz", np.diag(after.box) / np.diag(before.box) - 1, 1e-3 / 3 * pressure):
        checks.close(f"the pressure of centres along {axis}", got, want, relative=1e-4)


def agrees(checks, what, x, want, allowed):
    """The mean of x within four errors of it."""
    error = x.std() / (len(x) / inefficiency(x))**0.5
    print(f"{what}: {x.mean():.4f} +- {error:.4f}, theory {want:.4f}")
    checks.true(what + ": the test can tell", error < 0.3 * allowed, error)
    checks.close(what, x.mean(), want, absolute=4 * error + 0.1 * allowed)


def laws(checks, folder, n_each, coupling, steps, every, allowed, flat=1, seeds=(1,), tilt=(0, 0, 0)):
    """Of a gas of N molecules, the volume has the weight V^N exp(-P V / kT), and the kinetic energy that of its degrees of
    freedom, whatever the volume. (The pressure of the .csv file has the motion inside of hinges and does not tell
    the kinetic energy of the centres.) flat: edges along x and y, in units of those of the cube; tilt too. Where the shape of
    the box is free, it drifts: then short runs of several seeds from one box."""
    n, pressure, kT = len(KINDS) * n_each, 12, K_B * 300
    volume = (n + 1) * kT * BAR / pressure
    edge = volume**(1 / 3)
    start = gas(folder, n_each, np.array([flat, flat, flat**-2]) * edge, np.array(tilt) * edge)
    volumes, energies = [], []
    for seed in seeds:
        trial.simulate(folder, "law", {
            "input": start, "run.steps": steps, "run.dt": 0.01, "run.seed": seed, "thermostat.type": "langevin",
            "thermostat.tau": 0.5, "thermostat.temperature": 300, "barostat.type": "crescale",
            "barostat.coupling": coupling, "barostat.pressure": pressure, "barostat.compressibility": 1 / pressure,
            "barostat.tau": 1, "barostat.every": every, "neighbor.skin": 0.4,
            "output.energies_every": every}, timeout=3000)
        seen = trial.columns(folder, "law")
        first = int(max(0.05 * steps, 250) / every)  # 2.5 times tau
        volumes.append(seen["volume_nm3"][first:] / volume)
        energies.append(seen["kinetic"][first:] / kT)
    v, kinetic = np.concatenate(volumes), np.concatenate(energies)
    freedom = n_each * sum(3 * len(masses) - len(constraints) for masses, constraints, _ in KINDS.values())
    what = f"{coupling}, every {every}: "
    agrees(checks, what + "volume", v, 1, allowed)
    agrees(checks, what + "variance of the volume", (v - v.mean())**2 * (n + 1), 1, allowed)
    agrees(checks, what + "kinetic energy", 2 * kinetic / freedom, 1, allowed)
    agrees(checks, what + "variance of the kinetic energy", (kinetic - kinetic.mean())**2 * 2 / freedom, 1, allowed)
    product = (np.log(v) - np.log(v).mean()) * (kinetic - kinetic.mean()) * (2 * (n + 1) / freedom)**0.5
    agrees(checks, what + "correlation of both", product, 0, allowed)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        moves(checks, folder, 5)
        moves(checks, folder, 5, (3, -2, 4))
        laws(checks, folder, 6, "isotropic", 60000, 20, 0.3)
        laws(checks, folder, 6, "isotropic", 40000, 20, 0.35, tilt=(0.4, -0.3, 0.45))
    checks.end()


if __name__ == "__main__":
    main()
