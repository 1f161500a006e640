"""Lennard-Jones against published numbers: the first step of the LAMMPS melt benchmarks and NIST's
reference configuration 4, with every truncation."""
import os
import tempfile

import numpy as np

import trial
from run_lamella import DATA, Checks, energy

BAR = 16.605390672  # bar per epsilon / sigma^3, epsilon = 1 kJ/mol, sigma = 1 nm
MELT = """
forcefield: %s
temperature: 0
lattice: {type: fcc, cells: [%d, %d, %d], density: 0.8442}
"""
# Cutoff, truncation: energy of a bead and virial pressure, in reduced units: lattice sums.
CRYSTAL = {(2.5, "cut"): (-6.7733681, -5.0197073 - 0.8442 * 1.44 * 31999 / 32000),
           (3, "cut"): (-6.9361631, -6.5094483),
           (2.5, "stoddard_ford"): (-5.8087180, -5.7895018)}
# Truncation at 3 sigma: energy and its digits, virial sum of r F and its digits.
NIST_4 = {"cut": (-16.790321304625856, 5e-8, -46.249, 5e-4),
          "force_shift": (-15.001, 5e-4, -43.096, 5e-4),
          "stoddard_ford": (-15.208763, 5e-7, None, None)}


def forcefield(folder, cutoff, truncation):
    return trial.field(folder, f"{cutoff}_{truncation}", "lj.yaml",
                       (r"cutoff: 2\.5", f"cutoff: {cutoff}"),
                       ("truncation: cut", "truncation: " + truncation))


def crystals(checks, folder):
    for (cutoff, truncation), (potential, pressure) in CRYSTAL.items():
        for cells in ((20, 20, 20), (10, 10, 10)):
            what = f"{4 * np.prod(cells)} beads, {truncation} at {cutoff}"
            field = forcefield(folder, cutoff, truncation)
            state = trial.build(folder, "crystal", MELT % (field, *cells))
            for precision, loose in (("double", 0), ("mixed", 2e-6)):
                got = energy(state, "--precision=" + precision)
                checks.true(what + " n_beads", got["n_beads"] == 4 * np.prod(cells))
                checks.close(f"{what} {precision} energy", got["potential"] / got["n_beads"],
                             potential, loose, 0.5001e-7)
                checks.close(f"{what} {precision} pressure", got["virial_pressure"] / BAR, pressure,
                             10 * loose, 1.01e-7)
                force = (got["sum_force2"] / got["n_beads"])**0.5
                checks.true(what + " no force on a lattice site", force < (1e-3 if loose else 1e-6),
                            force)


def nist(checks, folder, path):
    positions = np.loadtxt(path, skiprows=2, usecols=(1, 2, 3))
    for truncation, (potential, digits, virial, virial_digits) in NIST_4.items():
        field = forcefield(folder, 3, truncation)
        state = trial.build(folder, "nist", "forcefield: %s\ntemperature: 0\nlattice: "
                            "{type: sc, cells: [5, 3, 2], density: 0.0586}\n" % field)
        trial.place(state, (8, 8, 8), positions)
        got = energy(state, "--precision=double")
        checks.close("NIST 4 energy, " + truncation, got["potential"], potential, 0, digits)
        if virial is not None:
            checks.close("NIST 4 virial, " + truncation,
                         got["virial_pressure"] / BAR * 3 * got["volume"], virial, 0, virial_digits)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        crystals(checks, folder)
        path = os.path.join(DATA, "nist-lj-4.xyz")
        if os.path.exists(path):
            nist(checks, folder, path)
        else:
            print(path, "is not here: of disordered beads test_oracle.py has its own")
    checks.end()


main()
