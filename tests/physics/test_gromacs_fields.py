#!/usr/bin/env python3
"""Walls and electric fields of imported GROMACS systems: energies and forces of walls of each form, and 200 steps between them
and in fields that oscillate and pulse, as GROMACS computes them in double precision."""
import os
import sys
import tempfile

import trial
from run_lamella import Checks, energy, run, skip

try:
    import numpy as np
    import yaml
    import gromacs_files as gf
except ImportError as missing:
    skip(missing)
if not gf.GMX:
    skip("gmx_d (GROMACS in double precision) is not installed")

# V is a type of walls that no atom has.
FORCEFIELD = gf.FORCEFIELD.replace("[ nonbond", "V 30 0 A 0 0\n[ nonbond") + "P V 1 0.12 0.0011\nC V 1 0.2 0.004\nQ V 1 0.05 0.0009\n"
TOP = FORCEFIELD + "".join("[ moleculetype ]\n%s 1\n[ atoms ]\n1 %s 1 %s %s 1 %g\n" % (m, t, m, m, q) for m, t, q in (
    ("W", "P", 0), ("NA", "Q", 1), ("OIL", "C", 0)))
TOP += "[ system ]\nbox\n[ molecules ]\nW 120\nNA 20\nOIL 60\n"
BOX = [3.6, 3.8, 4.1]
WALLS = "nwall = 2\npbc = xy\nwall-type = %s\nwall-atomtype = %s\nwall-density = %s\nwall-r-linpot = %s\n"


def atoms_between(rng, near):
    """Points that are no nearer to each other than in a liquid, up to `near` from the walls."""
    lattice = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in (6, 6, 6)], indexing="ij"), -1).reshape(-1, 3) / 6
    points = lattice[rng.permutation(len(lattice))[:200]] * [BOX[0], BOX[1], BOX[2] - 2 * near]
    points += [0, 0, near] + rng.uniform(-0.06, 0.06, points.shape)
    names = ["W"] * 120 + ["NA"] * 20 + ["OIL"] * 60
    return [(k + 1, name, name, x) for k, (name, x) in enumerate(zip(names, points))]


def without(mdp, *keys):
    return "".join(line + "\n" for line in mdp.splitlines() if line.split("=")[0].strip() not in keys)


def walls(checks, name, atoms, keys):
    """Energies and forces, and the positions after 200 steps."""
    single = without(gf.SINGLE_POINT % dict(modifier="potential-shift", coulomb="reaction-field", rf="0"), "pbc")
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", TOP)
        gf.write(folder, "conf.gro", gf.gro(BOX, atoms))
        alone, _ = gf.single_point(folder, single + "pbc = xyz\n")
        want, force = gf.single_point(folder, single + keys)
        run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "start.h5", "--run=run.yaml", cwd=folder)
        with open(os.path.join(folder, "run.yaml")) as file:
            fields = yaml.safe_load(file)["fields"]
        text = os.path.join(folder, "forces.txt")
        got = energy(os.path.join(folder, "start.h5"), "--precision=double", "--forces=" + text, "-s", "fields=%s" % fields)
        terms, own = got["terms"], np.loadtxt(text)[:, 1:4]
        checks.close(name + ": Lennard-Jones and walls", terms["lj"] + terms["external"], want["LJ (SR)"], relative=1e-6)
        checks.close(name + ": charges", terms["qq"], want["Coulomb (SR)"], relative=1e-6)
        checks.close(name + ": potential", got["potential"], want["Potential"], relative=1e-6)
        checks.true(name + ": forces", np.abs(own - force).max() < 1e-7 * np.abs(force).max(), np.abs(own - force).max())
        checks.true(name + ": walls matter", abs(terms["external"]) > 5 and want["LJ (SR)"] != alone["LJ (SR)"], terms)
        moves(checks, name, folder, without(gf.MOTION, "dt") + "dt = 0.002\n" + keys, BOX)


def moves(checks, name, folder, mdp, box):
    want = gf.final_positions(folder, mdp)
    run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "start.h5", "--run=run.yaml", cwd=folder)
    run("run", "run.yaml", "-s", "run.precision=double", "-s", "output.prefix=moved", cwd=folder)
    off = trial.positions(os.path.join(folder, "moved.checkpoint.h5")) - want
    off -= np.round(off / box) * box
    checks.true(name + ": positions", np.abs(off).max() < 1e-7, np.abs(off).max())


def fields(checks, atoms):
    """Positions after steps in electric fields."""
    ends = []
    for keys in ("", "electric-field-z = 0.4 0 0 0", "electric-field-z = 0.4 30 7 0", "electric-field-x = 0.5 40 0.2 0.08\n"
                 "electric-field-y = 0.3 0 0.1 0.05\nelectric-field-z = -0.2 0 0 0"):
        with tempfile.TemporaryDirectory() as folder:
            gf.write(folder, "topol.top", TOP)
            gf.write(folder, "conf.gro", gf.gro(BOX, atoms))
            moves(checks, "field " + keys, folder, without(gf.MOTION, "dt") + "dt = 0.002\n" + keys + "\n", BOX)
            ends.append(trial.positions(os.path.join(folder, "moved.checkpoint.h5")))
    for k, end in enumerate(ends):
        checks.true("fields move beads", all(np.abs(end - other).max() > 1e-4 for other in ends[:k]))


def main():
    checks = Checks()
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    for name, near, words in (("9-3", 0.2, ("9-3", "V V", "20 20", "-1")), ("9-3, two kinds", 0.2, ("9-3", "V P", "20 35", "0")),
                              ("10-4", 0.3, ("10-4", "C V", "7 4", "-1")), ("12-6", 0.35, ("12-6", "V V", "", "-1")),
                              ("9-3, linear", 0, ("9-3", "V V", "20 20", "0.35")), ("12-6, linear", 0.1, ("12-6", "Q C", "", "0.4"))):
        walls(checks, name, atoms_between(rng, near), without(WALLS % words, "wall-density" if not words[2] else ""))
    fields(checks, atoms_between(rng, 0))
    checks.end()


main()
