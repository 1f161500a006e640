"""Energies, forces, torques and virial tensor of random systems against an evaluator that shares
nothing with the program (oracle.py), in both precisions."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, energy, skip

try:
    import bead_models
    import oracle
    import oracle_forms
    from bead_states import write
except ImportError as missing:
    skip(str(missing))

LIPIDS = """
forcefield: elba
seed: 8
temperature: 303
bilayer:
  upper: {DOPC: 4, DMPC: 3, DSPC: 5}
  lower: {POPC: 5, DOPE: 7}
  water_per_lipid: 14
  area_per_lipid: 0.7
minimise: {max_steps: 200, force: 3000}
"""
# Charges and dipoles on one bead, mixing rules, and more exclusions, as no lipid has them.
ODD = """
format: 1
name: odd
cutoff: 1.3
exclude: [1-2, 1-4]
types:
  A: {mass: 20, charge: 0.3, dipole: 0.05, inertia: [1, 1, 0]}
  B: {mass: 30, charge: -0.4}
  D: {mass: 10, dipole: 0.04, inertia: [2, 2, 0]}
pair:
  lj: {truncation: force_shift, mixing: %s}
  electrostatics: {truncation: shifted_force}
  table:
    - [A, A, {epsilon: 1.5, sigma: 0.4}]
    - [B, B, {epsilon: 0.5, sigma: 0.5}]
    - [D, D, {epsilon: 2.5, sigma: 0.3}]
    - [A, D, {epsilon: 1.1, sigma: 0.33}]
bonds:
  one: {form: harmonic, k: 300, r0: 0.45}
  two: {form: harmonic, k: 500, r0: 0.5}
angles:
  wide: {form: cosine_squared, k: 20, theta0: 110}
  straight: {form: cosine_squared, k: 10, theta0: 180}
  turned: {form: dipole, k: 7, gamma0: 60}
molecules:
  D: {beads: [D]}
  Y:
    beads: [A, B, B, D, A]
    bonds: [[one, 1, 2], [two, 2, 3], [one, 3, 4], [two, 2, 5]]
    angles: [[wide, 1, 2, 3], [straight, 2, 3, 4], [wide, 1, 2, 5], [turned, 1, 2], [turned, 4, 3],
             [turned, 5, 2]]
"""
# Every bonded form beside the three of lipids. Bead 4 hangs beside the chain of the others.
FORMS = """
format: 1
name: forms
cutoff: 1.1
exclude: [1-2]
types:
  A: {mass: 72}
  W: {mass: 72}
pair:
  lj: {truncation: force_shift, mixing: none}
  electrostatics: {truncation: none}
  table:
    - [A, A, {epsilon: 0.1, sigma: 0.1}]
    - [A, W, {epsilon: 0.1, sigma: 0.1}]
    - [W, W, {epsilon: 0.1, sigma: 0.1}]
bonds:
  one: {form: harmonic, k: 500, r0: 0.4}
  two: {form: quartic, k: 900, r0: 0.4}
  three: {form: fene, k: 120, rmax: 0.9}
  net: {form: elastic, k: 50, r0: 0.9}
  four: {form: morse, well: 60, beta: 4, r0: 0.4}
  five: {form: cubic, k: 400, c: -1.5, r0: 0.4}
  free: {form: flat_bottomed, k: 60, low: 0.5, up1: 0.6, up2: 0.7}
  pair: {form: lennard_jones, c6: 0.02, c12: 0.0004}
  ions: {form: coulomb, qq: -0.5, epsilon_r: 2.5}
  read: {form: table, k: 1.5, tabulated: stretch}
  apart: {form: table_apart, k: -2, tabulated: stretch}
angles:
  wide: {form: harmonic, k: 20, theta0: 110}
  open: {form: restricted, k: 9, theta0: 130}
  bent: {form: cosine_squared, k: 12, theta0: 120}
  poly: {form: quartic, theta0: 125, c0: 1.5, c1: -2, c2: 25, c3: -5, c4: 7}
  both: {form: cross_bond_bond, k: 90, r12: 0.3, r23: 0.6}
  ends: {form: cross_bond_angle, k: 50, r12: 0.3, r23: 0.6, r13: 0.7}
  urey: {form: urey_bradley, k: 20, theta0: 110, k13: 70, r13: 0.7}
  line: {form: linear, k: 90, a: 0.3}
  held: {form: vectors, k: 12, n: 2, theta0: 40}
  tilt: {form: vector_z, k: 9, n: 2, theta0: 30}
  read: {form: table, k: 0.5, tabulated: bend}
dihedrals:
  turn: {form: periodic, k: 4, n: 3, phi0: 40}
  again: {form: periodic, k: -2, n: 1, phi0: 0}
  flat: {form: harmonic, k: 15, phi0: 170}
  sum: {form: ryckaert_bellemans, c0: 1, c1: -2, c2: 3, c3: 1.5, c4: -1, c5: 0.5}
  side: {form: restricted, k: 0.5, phi0: 70}
  both: {form: bending_torsion, a0: 5, a1: -4, a2: 3, a3: 6}
  more: {form: bending_torsion, a0: 2, a1: 4, a2: -3, a3: 1, a4: -7}
  wide: {form: flat_bottomed, k: 30, phi0: 60, width: 20}
  read: {form: table, k: 2, tabulated: twist}
tables:
  stretch: {file: stretch.xvg, interpolation: hermite}
  bend: {file: bend.xvg, interpolation: hermite}
  twist: {file: twist.xvg, interpolation: hermite}
molecules:
  W: {beads: [W]}
  Y:
    beads: [A, A, A, A, A, A, A, A]
    bonds: [[read, 1, 2], [two, 2, 3], [three, 3, 4], [one, 3, 5], [two, 5, 6], [net, 1, 5], [four, 6, 7], [five, 7, 8],
            [free, 1, 5], [free, 2, 6], [free, 3, 6], [free, 1, 3], [pair, 6, 8], [pair, 1, 4], [ions, 2, 4], [ions, 8, 1],
            [apart, 4, 8], [apart, 2, 5]]
    angles: [[wide, 1, 2, 3], [open, 2, 3, 5], [bent, 3, 5, 6], [poly, 2, 3, 4], [both, 1, 2, 3], [both, 7, 6, 5],
             [ends, 2, 3, 4], [urey, 3, 5, 6], [line, 5, 6, 7], [line, 5, 3, 2], [held, 1, 2, 5, 6], [held, 4, 3, 7, 6],
             [read, 4, 3, 5], [read, 1, 2, 3], [tilt, 1, 6], [tilt, 8, 2]]
    dihedrals: [[turn, 1, 2, 3, 5], [again, 1, 2, 3, 5], [flat, 4, 2, 3, 5], [sum, 2, 3, 5, 6],
                [side, 6, 5, 3, 4], [both, 1, 2, 3, 5],
                [more, 4, 3, 2, 1], [wide, 4, 2, 3, 5], [wide, 1, 2, 3, 5],
                [read, 4, 3, 5, 6], [read, 4, 2, 3, 5]]
"""
TABLES = {"stretch.xvg": oracle_forms.table_text(0, 4, 401, lambda r: 50 * (r - 0.5)**2 + np.cos(5 * r),
                                                 lambda r: 100 * (r - 0.5) - 5 * np.sin(5 * r)),
          "bend.xvg": oracle_forms.table_text(0, 180, 361, lambda t: 0.01 * (t - 100)**2, lambda t: 0.02 * (t - 100)),
          "twist.xvg": oracle_forms.table_text(-180, 180, 721, lambda p: 4 * np.cos(np.radians(2 * p - 30)),
                                               lambda p: -8 * np.radians(1) * np.sin(np.radians(2 * p - 30)))}
FORMS += "files:\n" + "".join(
    "  %s: |\n" % name + "".join("    %s\n" % line for line in text.splitlines()) for name, text in TABLES.items())
# Modified interactions of GROMACS: those of Lennard-Jones, and of charges.
SWITCHED = "charge_force_switch, epsilon_r: 15"
MODIFIED = {lj + ", " + charges: bead_models.FIELD.replace(
    "truncation: charge_reaction_field, epsilon_r: %g, epsilon_rf: %g", "truncation: " + charges) % lj
            for lj, charges in (
                ("force_switch, switch_from: 0.9", SWITCHED),
                ("potential_switch, switch_from: 0.8", "charge_reaction_field, epsilon_r: 15"),
                ("energy_shift, cutoff: 0.9", "charge_reaction_field, epsilon_r: 2.5, epsilon_rf: 80"),
                ("force_switch, switch_from: 0", "charge_reaction_field, epsilon_r: 15, cutoff: 0.85"),
                ("cut, cutoff: 0.8", SWITCHED + ", switch_from: 0.3"))}
FORMS_BOX = """
forcefield: %s
temperature: 300
bilayer: {upper: {Y: 20}, lower: {Y: 20}, area_per_lipid: 0.7, water_per_lipid: 12, water: W}
minimise: {max_steps: 400, force: 2000}
"""
ODD_BOX = """
forcefield: %s
temperature: 300
bilayer: {upper: {Y: 20}, lower: {Y: 20}, area_per_lipid: 0.6, water_per_lipid: 12, water: D}
minimise: {max_steps: 200, force: 3000}
"""
FLUID = """
forcefield: %s
temperature: 100
lattice: {type: fcc, cells: [5, 6, 5], density: 0.8}
"""


def stir(path, size):
    """Moves every bead at random and turns it, so that nothing is at a minimum."""
    random = np.random.default_rng(4)
    with h5py.File(path, "r+") as file:
        word = file["beads/position"][:].view(np.uint32)
        step = random.normal(0, size, word.shape) / file["system/box"][:]
        moved = word + (step * 2.0**32).astype(np.int64).astype(np.uint32)
        file["beads/position"][:] = moved.view(np.int32)
        q = random.normal(size=(len(word), 4))
        file["beads/orientation"][:] = q / np.linalg.norm(q, axis=1)[:, None]
        file["neighbor_list/step"][...] = -1


def lift(path):
    """Moves the fourth bead of every lipid out of the plane of the third, fifth and sixth: the builder puts
    them into one plane, where restricted dihedrals are infinite."""
    with h5py.File(path, "r+") as file:
        lipid = np.flatnonzero(file["beads/kind"][:] == 1).reshape(-1, 8)
        box, word = file["system/box"][:], file["beads/position"][:].view(np.uint32)
        third, fifth, sixth = (word[lipid[:, k]] for k in (2, 4, 5))
        a, b = ((x - fifth).view(np.int32) * box / 2.0**32 for x in (third, sixth))
        normal = np.cross(a, b)
        normal *= 0.38 / np.linalg.norm(normal, axis=1)[:, None]
        word[lipid[:, 3]] = third + (normal / box * 2.0**32).astype(np.int64).astype(np.uint32)
        file["beads/position"][:] = word.view(np.int32)


def compare(checks, folder, name, state, want, precision):
    loose = precision == "mixed"
    table = os.path.join(folder, "forces.txt")
    got = energy(state, "--precision=" + precision, "--forces=" + table)
    what = f"{name} {precision}"
    size = sum(abs(value) for value in want.energy.values())
    for term, value in want.energy.items():
        checks.close(f"{what} {term}", got["terms"][term], value, 2e-6 if loose else 1e-10,
                     2e-7 * size if loose else 1e-9)
    checks.close(f"{what} potential", got["potential"], sum(want.energy.values()), 0,
                 2e-6 * size if loose else 1e-10 * size)
    virial = np.reshape(got["virial_tensor"], (3, 3))
    error = np.abs(virial - want.pressure).max() / np.abs(want.pressure).max()
    checks.true(f"{what} virial tensor", error < (1e-5 if loose else 1e-9), error)
    rows, close = np.loadtxt(table), 1e-8 if name == "forms" else 1e-9  # slopes of forms are by differences
    for first, part, vectors in ((1, "forces", want.force), (4, "torques", want.torque)):
        largest = np.abs(vectors).max()
        error = np.abs(rows[:, first:first + 3] - vectors).max()
        checks.true(f"{what} {part}", error <= (1e-5 if loose else close) * largest, error, largest)


def check(checks, folder, name, spec, size, change=None):
    state = trial.build(folder, name, spec)
    stir(state, size)
    if change:
        change(state)
    want = oracle.evaluate(state)
    for precision in ("double", "mixed"):
        compare(checks, folder, name, state, want, precision)
    return want


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        want = check(checks, folder, "lipids", LIPIDS, 0.03)
        checks.true("every term is there", all(abs(v) > 1 for v in want.energy.values()))
        for mixing in ("lorentz_berthelot", "geometric"):
            field = write(folder, "odd_" + mixing, ODD % mixing)
            want = check(checks, folder, "odd " + mixing, ODD_BOX % field, 0.01)
            checks.true("every term is there", all(abs(v) > 1 for v in want.energy.values()))
        for k, words in enumerate((("energy_shift", 15, 0), ("cut", 2.5, 80), ("energy_shift", 1, 0))):
            want = check(checks, folder, "field %s %g %g" % words,
                         FORMS_BOX % write(folder, f"field_{k}", bead_models.FIELD % words), 0.02)
            checks.true("charges are there", abs(want.energy["qq"]) > 100, want.energy)
        for name, text in MODIFIED.items():
            want = check(checks, folder, name, FORMS_BOX % write(folder, "modified", text), 0.02)
            checks.true("charges are there", abs(want.energy["qq"]) > 1, want.energy)
        want = check(checks, folder, "forms", FORMS_BOX % write(folder, "every_form", FORMS), 0.01, lift)
        checks.true("dihedrals are there", abs(want.energy["dihedral"]) > 10, want.energy)
        for truncation in ("cut", "force_shift", "stoddard_ford"):
            field = trial.field(folder, truncation, "lj.yaml",
                                ("truncation: cut", "truncation: " + truncation))
            check(checks, folder, "fluid " + truncation, FLUID % field, 0.05)
    checks.end()


if __name__ == "__main__":
    main()
