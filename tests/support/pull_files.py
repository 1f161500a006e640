"""A small system with groups for the pull code of GROMACS, and what GROMACS computes for it."""
import numpy as np

import gromacs_files as gf

# Molecules: a chain of beads of different masses with a virtual site without mass, a lipid, water.
MOLECULES = {
    "CHAIN": [("P", "RES", "A%d" % k, 72 - 9 * k) for k in range(5)] + [("P", "RES", "V", 0)],
    "LIP": [("Q", "LIP", "HEAD", 72), ("C", "LIP", "MID", 54), ("C", "LIP", "TAIL", 36)],
    "W": [("P", "W", "W", 72)]}
BLOCKS = [("CHAIN", 2), ("LIP", 32), ("W", 30), ("CHAIN", 2)]
BOX = [5.1, 4.7, 6.3]


def topology():
    text = gf.FORCEFIELD
    for name, beads in MOLECULES.items():
        text += "[ moleculetype ]\n%s 1\n[ atoms ]\n" % name
        for k, (kind, residue, bead, mass) in enumerate(beads, 1):
            text += "%d %s 1 %s %s 1 0 %g\n" % (k, kind, residue, bead, mass)
        if len(beads) > 1:
            joined = [k for k, bead in enumerate(beads, 1) if bead[3] > 0]
            text += "[ bonds ]\n" + "".join("%d %d 1 0.47 1250\n" % pair for pair in zip(joined, joined[1:]))
        if name == "CHAIN":
            text += "[ virtual_sites2 ]\n6 1 2 1 0.5\n[ exclusions ]\n6 1 2 3 4 5\n"
    return text + "[ system ]\npulled\n[ molecules ]\n" + "".join("%s %d\n" % block for block in BLOCKS)


def groups():
    """The numbers of atoms, from 1, of each group."""
    first, found = 1, {}
    for k, (name, count) in enumerate(BLOCKS):
        found["%s%d" % (name, k)] = range(first, first + count * len(MOLECULES[name]))
        first += count * len(MOLECULES[name])
    one, two = found["CHAIN0"], found["CHAIN3"]
    made = {"A": one[:6], "B": one[6:], "C": two[:6], "D": two[6:], "E": one[1:4], "F": [two[11]], "Lipids": found["LIP1"],
            "Heads": found["LIP1"][::3]}
    return {**made, "System": range(1, first)}


def index():
    return "".join("[ %s ]\n%s\n" % (name, " ".join(map(str, atoms))) for name, atoms in groups().items())


def height(name, k, rng):
    """Where molecule k of a name begins, nm, and the step from bead to bead along z."""
    if name == "LIP":
        side = 1 if k % 2 else -1
        return 3.15 + 1.2 * side, -0.45 * side
    if name == "W":
        return (6.25 + 0.7 * (rng.random() - 0.5)) % BOX[2], 0
    return (5.3 if k < 2 else 0.95), 0.05


def atoms():
    """A bilayer of lipids in the middle of the box, two chains above and two below it, and water; beads are apart."""
    rng, rows, taken, number = np.random.default_rng(11), [], np.empty((0, 3)), 0
    count = dict.fromkeys(MOLECULES, 0)
    for name, _ in ((name, k) for name, n in BLOCKS for k in range(n)):
        number += 1
        while True:
            z, step = height(name, count[name], rng)
            flat = rng.random(2) * BOX[:2]
            if name == "CHAIN":  # less than half the box from each other
                flat = 1.4 + 1.2 * np.array([count[name] % 2, count[name] // 2]) + 0.3 * flat / BOX[:2]
            made = np.array([[*flat, z]])
            for *_, mass in MOLECULES[name][1:]:
                if mass == 0:
                    continue
                turn = 2 * np.pi * rng.random()
                flat = 0.15 if name == "LIP" else 0.42
                made = np.vstack([made, made[-1] + [flat * np.cos(turn), flat * np.sin(turn), step]])
            every = np.vstack([taken, made])
            apart = every[:, None] - made
            apart -= np.round(apart / BOX) * BOX
            distance = np.linalg.norm(apart, axis=2)
            if np.sum(distance < 0.415) == len(made):  # themselves
                break
        count[name] += 1
        taken = every
        if name == "CHAIN":
            made = np.vstack([made, (made[0] + made[1]) / 2])
        rows += [(number, residue, bead, x) for (_, residue, bead, _), x in zip(MOLECULES[name], made)]
    return rows


def xvg(path):
    """The numbers of a .xvg file, row by row; the first is the time (ps)."""
    with open(path) as file:
        return np.array([[float(word) for word in line.split()] for line in file if line[0] not in "#@"])


def keys(names, coordinates):
    """Keys of an .mdp file for groups and coordinates, each a text "key = value; key = value"."""
    rows = ["pull = yes", "pull-ngroups = %d" % len(names), "pull-ncoords = %d" % len(coordinates)]
    rows += ["pull-group%d-name = %s" % pair for pair in enumerate(names, 1)]
    for k, text in enumerate(coordinates, 1):
        rows += ["pull-coord%d-%s" % (k, row.strip()) for row in text.split(";")]
    return "\n".join(rows) + "\n"
