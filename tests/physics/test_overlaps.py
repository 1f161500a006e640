#!/usr/bin/env python3
"""Starts with beads on top of each other: molecules at random, several at one place, nearly so, many beads at one point, a
third of a system in a corner, a protein in a membrane. Whatever energies and forces are, also infinite, a stage that minimises,
with soft cores and without, ends with forces of a usual size, and dynamics goes on from it; with the same bits on any number of
ranks. Beads that are frozen stay where they are."""
import os
import sys
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, energy, run

BOX = 4.4
FIELD = """[ defaults ]
1 2
[ atomtypes ]
W 72 0 A 0 0
C 72 0 A 0 0
Z 24 0 A 0 0
[ nonbond_params ]
W W 1 0.47 4.5
W C 1 0.47 2.3
C C 1 0.47 3.5
W Z 1 0.47 0
C Z 1 0.47 0
Z Z 1 0.47 0
"""
# Beads (type, charge), their places (nm) and other sections. Z has no repulsion; in RING it is a virtual site.
LINE = [(0, 0, 0.47 * k) for k in range(6)]
ROD = [(0.25 * np.cos(k), 0.25 * np.sin(k), 0.15 * k - 1.5) for k in range(20)]
NEAR = [(i, j, np.linalg.norm(np.subtract(ROD[i], ROD[j]))) for i in range(20) for j in range(i) if i - j < 6]
MOLECULES = {
    "W": (["W"], [0], [(0, 0, 0)], ""),
    "NA": (["W"], [1], [(0, 0, 0)], ""),
    "CL": (["W"], [-1], [(0, 0, 0)], ""),
    "PW": (["W", "Z", "Z"], [0, 0.46, -0.46], [(0, 0, 0), (0.14, 0, 0), (-0.1, 0.098, 0)],
           "[ constraints ]\n1 2 1 0.14\n1 3 1 0.14\n[ exclusions ]\n1 2 3\n2 3\n"),
    "LIP": (["W", "W", "C", "C", "C", "C"], [1, -1, 0, 0, 0, 0], LINE,
            "[ bonds ]\n" + "".join("%d %d 1 0.47 1250\n" % (k, k + 1) for k in range(1, 6)) +
            "[ angles ]\n" + "".join("%d %d %d 2 180 25\n" % (k, k + 1, k + 2) for k in range(2, 5))),
    "RING": (["C", "C", "C", "Z", "C"], [0] * 5,
             [(0, 0, 0), (0.27, 0, 0), (0.135, 0.23383, 0), (0.135, 0.07794, 0), (0.135, 0.63383, 0)],
             "[ constraints ]\n1 2 1 0.27\n2 3 1 0.27\n1 3 1 0.27\n[ bonds ]\n3 5 1 0.4 8000\n"
             "[ virtual_sites3 ]\n4 1 2 3 1 0.33333 0.33333\n[ exclusions ]\n1 2 3 4\n2 3 4\n3 4\n4 5\n"),
    "ROD": (["C"] * 20, [0] * 20, ROD,
            "[ bonds ]\n" + "".join("%d %d 1 %.5f 1250\n" % (j + 1, i + 1, r) for i, j, r in NEAR)),
}


def topology(kinds):
    text = FIELD
    for name, (types, charges, _, rest) in MOLECULES.items():
        mass = lambda k: " 0" if name == "RING" and types[k] == "Z" else ""
        text += "[ moleculetype ]\n%s 1\n[ atoms ]\n" % name + "".join(
            "%d %s 1 %s B%d 1 %g%s\n" % (k + 1, types[k], name, k, charges[k], mass(k)) for k in range(len(types))) + rest
    return text + "[ system ]\nx\n[ molecules ]\n" + "".join("%s %d\n" % row for row in kinds)


def turned(name, rng):
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.array(MOLECULES[name][2]) @ turn.T


def put(folder, kinds, places):
    """A start with these molecules, by way of an import of places that differ, as only a state can have beads at one point."""
    at = np.concatenate(places)
    with open(os.path.join(folder, "t.top"), "w") as file:
        file.write(topology(kinds))
    with open(os.path.join(folder, "c.gro"), "w") as file:
        file.write("x\n%d\n" % len(at))
        for k, name in enumerate(name for name, n in kinds for _ in range(n * len(MOLECULES[name][0]))):
            file.write("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (1, name, "B", k + 1, k % 16 * 0.3, k // 16 % 16 * 0.3, k // 256 * 0.3))
        file.write("%10.5f%10.5f%10.5f\n" % (BOX, BOX, BOX))
    run("import", "t.top", "c.gro", "--names=topology", "-o", "start.h5", cwd=folder)
    start = os.path.join(folder, "start.h5")
    with h5py.File(start, "r+") as file:
        units = np.floor(at / BOX % 1 * 2.0**32).astype(np.int64)
        file["beads/position"][:] = ((units + 2**31) % 2**32 - 2**31).astype(np.int32)
    return start


def mixture(rng):
    ions = int(rng.integers(0, 15))
    kinds = [("W", int(rng.integers(120, 240))), ("NA", ions), ("CL", ions), ("PW", int(rng.integers(0, 50))),
             ("LIP", int(rng.integers(5, 30))), ("RING", int(rng.integers(0, 20)))]
    kinds = [row for row in kinds if row[1]]
    names = [name for name, n in kinds for _ in range(n)]
    return kinds, names, [turned(name, rng) + BOX * rng.random(3) for name in names]


def at_random(rng):
    return mixture(rng)[::2]


def at_one_place(rng):
    kinds, names, places = mixture(rng)
    for _ in range(5):
        k = int(rng.integers(len(names)))
        for other in [i for i, name in enumerate(names) if name == names[k]][:int(rng.integers(2, 30))]:
            places[other] = places[k]
    return kinds, places


def nearly(rng):
    kinds, names, places = mixture(rng)
    for _ in range(20):
        k, other = rng.integers(len(names), size=2)
        places[other] = places[other] - places[other][0] + places[k][0] + rng.normal(size=3) * 10.0**-rng.uniform(2, 9)
    return kinds, places


def at_one_point(rng):
    kinds, names, places = mixture(rng)
    for k in range(int(rng.integers(80, 120))):
        places[k] = places[0]
    return kinds, places


def in_a_corner(rng):
    kinds, names, places = mixture(rng)
    for k, name in enumerate(names):
        if rng.random() < 0.3:
            places[k] = turned(name, rng) + 0.5 * rng.random(3)
    return kinds, places


def protein(rng):
    """Lipids on a lattice with rods between and through them, and water at random."""
    lattice = [np.array([i, j]) * BOX / 5 for i in range(5) for j in range(5)]
    lipids = [np.array(LINE) * [1, 1, sign] + [*at, BOX / 2 - sign * 2.6] for sign in (1, -1) for at in lattice]
    rods = [np.array(ROD) + [*rng.random(2) * BOX, BOX / 2] for _ in range(3)]
    waters = [np.array([[*rng.random(2) * BOX, BOX * rng.random()]]) for _ in range(120)]
    return [("ROD", 3), ("LIP", 50), ("W", 120)], rods + lipids + waters


STARTS = {"at random": at_random, "at one place": at_one_place, "nearly at one place": nearly, "at one point": at_one_point,
          "in a corner": in_a_corner, "a protein in a membrane": protein}


def settings(soft, more=""):
    return """input: start.h5
run: {dt: 0.01}
%sstages:
  - {name: em, minimise: {steps: 500, force: 500%s}}
  - {name: md, steps: 60, set: {thermostat: {type: langevin, temperature: 300, tau: 1}}}
""" % (more, ", soft: [0.05, 0.01]" if soft else "")


def relax(checks, folder, what, soft):
    with open(os.path.join(folder, "run.yaml"), "w") as file:
        file.write(settings(soft))
    prefix = "soft" if soft else "hard"
    done = run("run", "run.yaml", "-s", "output.prefix=" + prefix, cwd=folder, status=None)
    checks.true("%s, %s: relaxes and goes on" % (what, prefix), done.returncode == 0, done.stderr[-1000:])
    state = os.path.join(folder, prefix + ".em.checkpoint.h5")
    if done.returncode == 0:
        forces = os.path.join(folder, "forces.txt")
        energy(state, "--precision=double", "--forces=" + forces)
        largest = np.linalg.norm(np.loadtxt(forces)[:, 1:4], axis=1).max()
        checks.true("%s, %s: forces" % (what, prefix), largest < 2000, largest)
    return state


def same_bits(checks, folder, what, state):
    run("run", "run.yaml", "-s", "output.prefix=again", ranks=2, cwd=folder)
    differ = trial.differences(state, os.path.join(folder, "again.em.checkpoint.h5"))
    checks.true(what + ": the same bits on two ranks", not any(name.startswith("beads/") for name in differ), differ)


def frozen(checks, folder, rng):
    """Waters at one point, of which some are frozen: these keep their bits, and the others leave."""
    places = [np.full((1, 3), BOX / 2)] * 40 + [BOX * rng.random((1, 3)) for _ in range(100)]
    start = put(folder, [("W", 140)], places)
    with open(os.path.join(folder, "run.yaml"), "w") as file:
        file.write(settings(0, "frozen: [{group: {ids: [1, 1]}}]\n"))
    run("run", "run.yaml", "-s", "output.prefix=frozen", cwd=folder)
    with h5py.File(start) as a, h5py.File(os.path.join(folder, "frozen.em.checkpoint.h5")) as b:
        moved = np.any(a["beads/position"][:] != b["beads/position"][:], axis=1)
    checks.true("frozen beads stay", not moved[0] and moved[1:40].all(), moved[:40])


def main():
    checks = Checks()
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for k, (what, make) in enumerate(STARTS.items()):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, *make(np.random.default_rng([seed, k])))
            hard = relax(checks, folder, what, 0)
            if k % 2 == 0:
                same_bits(checks, folder, what, hard)
            relax(checks, folder, what, 1)
    with tempfile.TemporaryDirectory() as folder:
        frozen(checks, folder, np.random.default_rng(seed))
    checks.end()


if __name__ == "__main__":
    main()
