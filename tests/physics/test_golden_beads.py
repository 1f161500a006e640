#!/usr/bin/env python3
"""Energies of two beads through `lamella energy` with the force fields of forcefields/: soft sticky dipole
waters against values of an independent evaluator (kcal/mol, without cutoff; these distances are below the
switching), and Gay-Berne ellipsoids against published forms of the potential."""
import math
import os
import tempfile

from run_lamella import Checks, energy, run, skip, write

try:
    import h5py
    import numpy as np
except ImportError as missing:
    skip(str(missing))

KCAL = 4.184
# Quaternions (scalar first) and vectors from i to j in A.
WATER_I, WATER_J = (0.5, 0.5, -0.5, 0.5), (0.8, 0.2, -0.4, 0.4)
SEPARATIONS = [(2.9, 0.3, -0.4), (1.5, -1.8, 2.1), (-2.0, 2.2, 1.1)]
# Lennard-Jones, dipoles and sticky of the first separation; the sums of all three.
WATER = {
    "ssd": ((0.18268608, 1.40492756, -0.34747568), (1.24013796, -0.59164872, 2.17968532)),
    "ssd1": ((0.11193789, 1.40492756, -0.34122217), (1.17564328, -0.61604640, 2.15633601)),
    "ssde": ((0.14879383, 1.48987193, -0.33102266), (1.30764311, -0.35436417, 2.39455336)),
    "ssdrf": ((0.11752217, 1.56466572, -0.33102266), (1.35116523, -0.40175215, 2.49051039)),
}
# Of SSD/RF: -C mu^2 k cos, k = 2 (80 - 1) / (2 80 + 1) / (9 A)^3; the axes have cos = 0.64.
FIELD = -332.06371 * (2.48 * 0.20819434)**2 * 0.64 * 158 / 161 / 9**3
# GB(3, 5, 2, 1), energies in eps0 without cutoff: side by side, end to end, crossed, T; at the minima.
Z, X = (0, 0, 1), (1, 0, 0)
GAY_BERNE = [(Z, Z, X, 2**(1 / 6), -5 / 3), (Z, Z, Z, 2 + 2**(1 / 6), -1 / 3),
             (Z, (0, 1, 0), X, 2**(1 / 6), -1), (Z, X, Z, None, -0.381966)]
ANY_I, ANY_J = (0.6, 0, 0.8), (0, -0.28, 0.96)
ANY = [((-0.7, 1.5, 2.0), -0.0177549043), ((2.1, 0.3, -0.5), -0.1008260615)]


def quaternion(u):
    """Turns z into u."""
    if u == (0, 0, -1):
        return (0, 1, 0, 0)
    q = np.array([1 + u[2], -u[1], u[0], 0])
    return q / np.linalg.norm(q)


def place(state, separation, orientations):
    with h5py.File(state, "r+") as file:
        box = file["system/box"][:]
        x = np.array([0.5 * box, 0.5 * box + separation]) / box
        file["beads/position"][...] = np.round(x * 2**32).astype(np.uint32).view(np.int32)
        file["beads/residual"][...] = 0
        file["beads/orientation"][...] = orientations


def gay_berne(u, v, r):
    """GB(3, 5, 2, 1), Gay and Berne 1981, with the contact distance and energy of unlike rods of Cleaver et
    al. 1996 reduced to like ones."""
    u, v, r = np.array(u), np.array(v), np.array(r)
    length = np.linalg.norm(r)
    a, b, c = u @ r / length, v @ r / length, u @ v
    chi, chi_prime = 0.8, (math.sqrt(5) - 1) / (math.sqrt(5) + 1)

    def form(x):
        return x / 2 * ((a + b)**2 / (1 + x * c) + (a - b)**2 / (1 - x * c))

    depth = (1 - chi**2 * c**2)**-0.5 * (1 - form(chi_prime))**2
    contact = (1 - form(chi))**-0.5

    def well(distance):
        return 4 * depth * ((distance - contact + 1)**-12 - (distance - contact + 1)**-6)

    return well(length), well(4), contact


def check_water(checks, name):
    parts, sums = WATER[name]
    write("spec.yaml", f"forcefield: {name}\ntemperature: 0\nwater: {{count: 2, density: 2}}\nminimise: no\n")
    run("build", "spec.yaml", "-o", "two.h5")
    field = FIELD if name == "ssdrf" else 0
    for k, separation in enumerate(SEPARATIONS):
        place("two.h5", np.array(separation) / 10, (WATER_I, WATER_J))
        terms = energy("two.h5", "--precision=double")["terms"]
        if k == 0:
            for term, want in zip(("lj", "dd", "sticky"), parts):
                want += field if term == "dd" else 0
                checks.close(f"{name} {term}", terms[term], want * KCAL, absolute=1e-7 * KCAL)
        total = terms["lj"] + terms["dd"] + terms["sticky"]
        checks.close(f"{name}, separation {k}", total, (sums[k] + field) * KCAL, absolute=1e-7 * KCAL)


def check_rods(checks, what, u, v, separation, want):
    place("two.h5", separation, (quaternion(u), quaternion(v)))
    got = energy("two.h5", "--precision=double")["terms"]["gb"]
    value, cut, _ = gay_berne(u, v, separation)
    checks.close(f"{what}: the formula", value, want, absolute=1e-6)
    checks.close(f"{what}: the program", got, want - cut, absolute=1e-6)
    checks.close(f"{what}: the program and the formula", got, value - cut, absolute=2e-7)


def check_gay_berne(checks):
    write("spec.yaml", "forcefield: gb\ntemperature: 0\nlattice: {type: bcc, cells: [1, 1, 1], density: 0.001}\n")
    run("build", "spec.yaml", "-o", "two.h5")
    for u, v, r, length, want in GAY_BERNE:
        if length is None:
            length = gay_berne(u, v, r)[2] - 1 + 2**(1 / 6)
        check_rods(checks, f"gb {u} {v}", u, v, length * np.array(r), want)
    for separation, want in ANY:
        check_rods(checks, f"gb at {separation}", ANY_I, ANY_J, np.array(separation), want)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in WATER:
            check_water(checks, name)
        check_gay_berne(checks)
        os.chdir("/")
    checks.end()


if __name__ == "__main__":
    main()
