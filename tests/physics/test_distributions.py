"""Distributions at a temperature against the exact ones, by chi-squared: an ideal gas between walls, harmonic oscillators,
dumbbells in an electric field, with bonds and with constraints, and coordinates under umbrellas."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, run, write

KT, VOLT, EDGE = 0.00831446261815324 * 300, 96.48533212, 10.0
GAS, SPRINGS, BONDS, RODS = 1500, 400, 500, 500  # molecules of each kind
LENGTH, STIFF, FIELD, SPRING = 0.4, 500, np.array([0.06, -0.05, 0.1]), (30, 100, 300)
DUMBBELL = "[ moleculetype ]\n%s 1\n[ atoms ]\n1 A 1 %s P 1 1\n2 A 1 %s N 2 -1\n[ %s ]\n1 2 1 %g %s\n"
TOPOLOGY = "[ defaults ]\n1 2\n[ atomtypes ]\nA 1 0 A 0 0\n" + "".join(
    f"[ moleculetype ]\n{name} 1\n[ atoms ]\n1 A 1 {name} {name} 1 0\n" for name in ("GAS", "OSC")) + (
        DUMBBELL % ("BON", "BON", "BON", "bonds", LENGTH, STIFF) + DUMBBELL % ("ROD", "ROD", "ROD", "constraints", LENGTH, "")
        + "[ system ]\nno forces between molecules\n[ molecules ]\n")
# Charges of which the field feels all, and other charges nothing.
MDP = "integrator = md\ncutoff-scheme = Verlet\nrvdw = 0.5\nrcoulomb = 0.5\ncoulombtype = reaction-field\nepsilon-r = 1e9\nepsilon-rf = 1e9\n"
SETTINGS = {"run.dt": 0.004, "thermostat.type": "langevin", "thermostat.temperature": 300, "velocities.temperature": 300,
            "output.energies_every": 0, "neighbor.skin": 0.3}
TILT, WIDE, PLACE, K = 50.0, 12.0, 0.4, 60.0  # umbrellas: degrees, kJ/mol/rad2; nm, kJ/mol/nm2


def chi_squared(checks, what, samples, x, weight, bins=12):
    """Of samples in bins that the weights at the points x make equally likely."""
    law = np.concatenate([[0], np.cumsum((weight[1:] + weight[:-1]) / 2 * np.diff(x))])
    count = np.bincount(np.minimum((np.interp(samples, x, law / law[-1]) * bins).astype(int), bins - 1), minlength=bins)
    want = len(samples) / bins
    off = (((count - want)**2 / want).sum() - (bins - 1)) / (2 * (bins - 1))**0.5
    print(f"{what}: {len(samples)} samples, chi-squared {off:.2f} standard deviations from its mean")
    checks.true(what, abs(off) < 5 and want >= 150, off, count)


def start(folder, name, counts, positions):
    """A state of so many molecules of each kind."""
    write(os.path.join(folder, name + ".top"), TOPOLOGY + "".join(f"{kind} {n}\n" for kind, n in counts.items() if n))
    beads = [(kind, bead) for kind, n in counts.items() for _ in range(n) for bead in ("PN" if kind in ("BON", "ROD") else [kind])]
    rows = ["%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (k + 1, kind, bead, k + 1, *x) for k, ((kind, bead), x) in enumerate(zip(beads, positions))]
    write(os.path.join(folder, name + ".gro"), f"beads\n{len(rows)}\n" + "".join(rows) + f"{EDGE} {EDGE} {EDGE}\n")
    write(os.path.join(folder, "in.mdp"), MDP)
    run("import", name + ".top", name + ".gro", "--mdp=in.mdp", "-o", name + ".h5", cwd=folder)
    return name + ".h5"


def dumbbells(random, n):
    first = random.uniform(0, EDGE, (n, 1, 3))
    along = random.normal(size=(n, 1, 3))
    return np.concatenate([first, first + LENGTH * along / np.linalg.norm(along, axis=2, keepdims=True)], 1).reshape(-1, 3)


def molecules(checks, folder, backend):
    random = np.random.default_rng(4)
    beads = np.concatenate([random.uniform([0.5, 0, 2.5], [9.5, EDGE, 7.5], (GAS, 3)), 5 + random.normal(size=(SPRINGS, 3)) * 0.2,
                            dumbbells(random, BONDS + RODS)])
    fields = ["{form: wall_harmonic, low: 0.25, high: 0.75, k: 20, group: {molecules: [GAS]}}",
              "{form: wall_9_3, axis: x, epsilon: 2, sigma: 0.5, density: 1.5, group: {molecules: [GAS]}}",
              "{form: restraint, kx: %g, ky: %g, kz: %g, group: {molecules: [OSC]}}" % SPRING,
              "{form: electric, x: %g, y: %g, z: %g}" % tuple(FIELD)]
    trial.simulate(folder, "all", {
        **SETTINGS, "input": start(folder, "all", {"GAS": GAS, "OSC": SPRINGS, "BON": BONDS, "ROD": RODS}, beads), "run.steps": 3600,
        "thermostat.tau": 0.7, "output.frames_every": 600, "output.frames_positions": "unwrapped", "fields": "[%s]" % ", ".join(fields),
        "parallel.backend": backend})
    with h5py.File(os.path.join(folder, "all.h5md")) as file:
        frames = file["particles/trajectory/position/value"][2:]
    gas, springs, pairs = np.split(frames, [GAS, GAS + SPRINGS], axis=1)
    x = np.linspace(0.15, EDGE - 0.15, 20001)
    wall = sum(1.5 * np.pi * 8 * (0.5**12 / 45 / h**9 - 0.5**6 / 6 / h**3) for h in (x, EDGE - x))
    chi_squared(checks, "gas between 9-3 walls, " + backend, gas[..., 0].ravel(), x, np.exp(-wall / KT))
    z = np.linspace(0, EDGE, 20001)
    soft = 10 * np.maximum(0, np.abs(z - EDGE / 2) - EDGE / 4)**2
    chi_squared(checks, "gas between harmonic walls, " + backend, gas[..., 2].ravel(), z, np.exp(-soft / KT))
    for axis, k in enumerate(SPRING):
        d = np.linspace(-8, 8, 4001) * (KT / k)**0.5
        chi_squared(checks, f"oscillator along {'xyz'[axis]}, {backend}", springs[..., axis].ravel() - EDGE / 2, d, np.exp(-k * d**2 / 2 / KT))
    arrow = (pairs[:, ::2] - pairs[:, 1::2]).reshape(len(frames), -1, 3)
    length, strength = np.linalg.norm(arrow, axis=2), np.linalg.norm(FIELD)
    cosine = arrow @ FIELD / strength / length
    c, r = np.linspace(-1, 1, 2001), np.linspace(LENGTH - 0.35, LENGTH + 0.35, 2001)
    bond = r**2 * np.exp(-STIFF * (r - LENGTH)**2 / 2 / KT)
    pull = VOLT * strength / KT
    chi_squared(checks, "angle of bonds in a field, " + backend, cosine[:, :BONDS].ravel(), c, np.exp(pull * c[:, None] * r) @ bond)
    chi_squared(checks, "length of bonds in a field, " + backend, length[:, :BONDS].ravel(), r, bond * np.sinh(pull * r) / r)
    chi_squared(checks, "angle of rods in a field, " + backend, cosine[:, BONDS:].ravel(), c, np.exp(pull * LENGTH * c))


def umbrellas(checks, folder, backend, places=6, tilts=10):
    """So many coordinates of one bead each, and tilts of one rod each, in one run."""
    random = np.random.default_rng(7)
    bead = "{ids: [%d, %d]}"
    pairs = [(places + 2 * k + 1, places + 2 * k + 2) for k in range(tilts)]
    coordinates = [f"{{name: d{k}, kind: distance, of: {bead % (k, k)}, from: [5, 5, 5], along: x}}" for k in range(1, places + 1)] + [
        f"{{name: t{k}, kind: tilt, of: [{bead % (i, i)}, {bead % (j, j)}]}}" for k, (i, j) in enumerate(pairs, 1)]
    biases = [f"{{name: b{k}, coordinate: d{k}, kind: umbrella, k: {K}, at: {PLACE}}}" for k in range(1, places + 1)] + [
        f"{{name: a{k}, coordinate: t{k}, kind: umbrella, k: {WIDE}, at: {TILT}}}" for k in range(1, tilts + 1)]
    beads = np.concatenate([random.uniform(4.9, 5.1, (places, 3)), dumbbells(random, tilts)])
    trial.simulate(folder, "few", {
        **SETTINGS, "input": start(folder, "few", {"GAS": places, "ROD": tilts}, beads), "run.steps": 100000, "thermostat.tau": 0.15,
        "output.coordinates_every": 200, "coordinates": "[%s]" % ", ".join(coordinates), "biases": "[%s]" % ", ".join(biases),
        "parallel.backend": backend})
    found = trial.columns(folder, "few.coordinates")
    d, t = (np.concatenate([found[f"{name}{k}_{unit}"][10:] for k in range(1, n + 1)])
            for name, unit, n in (("d", "nm", places), ("t", "deg", tilts)))
    x, angle = np.linspace(PLACE - 2, PLACE + 2, 4001), np.linspace(0, 180, 4001)
    chi_squared(checks, "place in an umbrella, " + backend, d, x, np.exp(-K * (x - PLACE)**2 / 2 / KT))
    chi_squared(checks, "tilt in an umbrella, " + backend, t, angle,
                np.sin(np.radians(angle)) * np.exp(-WIDE * np.radians(angle - TILT)**2 / 2 / KT))


def distributions(checks, folder, backend):
    molecules(checks, folder, backend)
    umbrellas(checks, folder, backend)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        distributions(checks, folder, "cpu")
    checks.end()


if __name__ == "__main__":
    main()
