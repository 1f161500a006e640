"""Minimisation: the result is never worse than its start, what is not converged is said with the number reached, and beads that
fall into each other are named."""
import os
import re
import tempfile

import h5py
import numpy as np
from run_lamella import Checks, run, write

FORCEFIELD = """[ defaults ]
1 2
[ atomtypes ]
W 24 0 A 0 0
C 24 0 A 0 0
[ nonbond_params ]
W W 1 0.47 4
W C 1 0.47 0
C C 1 0.47 %s
"""
TAIL = "[ system ]\nx\n[ molecules ]\n%s\n"
ATOMS = "[ moleculetype ]\nPW 1\n[ atoms ]\n1 W 1 PW W 1 0\n2 C 1 PW WP 1 0.4\n3 C 1 PW WM 1 -0.4\n"
BONDS = "[ bonds ]\n1 2 1 0.2 5000\n1 3 1 0.2 5000\n"
RIGID = "[ constraints ]\n1 2 1 0.2\n1 3 1 0.2\n"
SITES = "[ virtual_sites2 ]\n4 1 2 1 1.5\n5 1 3 1 1.5\n"
EXCLUDED = "[ exclusions ]\n1 2 3\n2 3\n"
PAIR = "[ moleculetype ]\nPAIR 1\n[ atoms ]\n1 W 1 PAIR W 1 0\n2 W 1 PAIR W 2 0\n[ bonds ]\n1 2 1 0.5 5000\n"

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_minimise.")
os.chdir(holder.name)


def gro(x, box=4.0):
    rows = "".join("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (1, "X", "X", k + 1, *r) for k, r in enumerate(x))
    return "x\n%5d\n%s%10.5f%10.5f%10.5f\n" % (len(x), rows, box, box, box)


def start(topology, x):
    for name, text in ("t.top", topology), ("c.gro", gro(x)):
        write(name, text)
    run("import", "t.top", "c.gro", "--names=topology", "-o", "start.h5")


def minimised(steps, force, status, ranks=1):
    """What was said, and the largest force of the result; the forces of a state are computed by another command."""
    write("m.yaml", "state: start.h5\ntemperature: 0\nminimise: {max_steps: %d, force: %g}\n" % (steps, force))
    if os.path.exists("m.h5"):
        os.remove("m.h5")
    said = run("build", "m.yaml", "-o", "m.h5", status=status, ranks=ranks).stderr
    checks.true("a state is written or not", os.path.exists("m.h5") == (status == 0))
    return said, largest("m.h5") if status == 0 else None


def largest(state):
    run("energy", state, "--forces=f.txt")
    return np.sqrt((np.loadtxt("f.txt", ndmin=2)[:, 1:4] ** 2).sum(1)).max()


def positions(state):
    with h5py.File(state) as file:
        return file["beads/position"][:]


def waters(first, second):
    """Places of two waters on the x axis, with the charges before and behind them."""
    return [(c + d, 1.5, 1.5) for c in (first, second) for d in (0, 0.2, -0.2)]


def named(said, *beads):
    found = re.search(r"beads (\d+) and (\d+) fall into each other", said)
    checks.true("both beads are named", found and {int(found[1]), int(found[2])} in beads, said)


# Charges that meet: on bonds, on rigid bonds, and on virtual sites. Nothing is better than the start.
for bonded in BONDS, RIGID:
    start(FORCEFIELD % 0 + ATOMS + bonded + EXCLUDED + TAIL % "PW 2", waters(1.0, 1.45))
    named(minimised(500, 20, 3)[0], {2, 6})
named(minimised(500, 20, 3, ranks=2)[0], {2, 6})
on_sites = ATOMS.replace("WP 1 0.4", "WP 1 0").replace("WM 1 -0.4", "WM 1 0") + "4 C 1 PW SP 1 0.4 0\n5 C 1 PW SM 1 -0.4 0\n"
five = [(c + d, 1.5, 1.5) for c in (1.0, 1.62) for d in (0, 0.2, -0.2, 0.3, -0.3)]
start(FORCEFIELD % 0 + on_sites + BONDS + SITES + "[ exclusions ]\n1 2 3 4 5\n2 3 4 5\n3 4 5\n4 5\n" + TAIL % "PW 2", five)
said, _ = minimised(500, 10, 3)
checks.true("charges on sites: beads are named", "fall into each other" in said, said)
checks.true("forces at the start are said", re.search(r"\(largest force \S+ kJ/mol/nm after \d+ steps, \S+ at the start\)", said),
            said)

# The same beside a bond that begins far too long: the state before the fall is kept, and is better than the start.
start(FORCEFIELD % 0 + ATOMS + BONDS + EXCLUDED + PAIR + TAIL % "PW 2\nPAIR 1", waters(1.0, 1.52) + [(1, 3, 3), (1.9, 3, 3)])
first = largest("start.h5")
said, force = minimised(500, 5, 0)
named(said, {2, 6})
checks.true("better than the start", 5 < force < first, force, first)
reached = re.search(r"not converged: the largest force is (\S+) kJ/mol/nm \(bead \d+\), and minimise.force is 5", said)
checks.true("the number reached is said", reached, said)
checks.close("and is that of the state", float(reached[1]) if reached else 0, force, relative=2e-3)
one = positions("m.h5")
minimised(500, 5, 0, ranks=2)
checks.true("the same bits on two ranks", np.array_equal(one, positions("m.h5")))

# Charges kept apart: converged without a warning, and too few steps with one.
start(FORCEFIELD % 4 + ATOMS + BONDS + EXCLUDED + PAIR + TAIL % "PW 2\nPAIR 1", waters(1.0, 1.9) + [(1, 3, 3), (1.9, 3, 3)])
first = largest("start.h5")
said, force = minimised(2000, 10, 0)
checks.true("converged", force <= 10 and "warning" not in said, force, said)
said, force = minimised(3, 10, 0)
checks.true("too few steps are said", "not converged" in said and "max_steps" in said, said)
checks.true("and not worse than the start", 10 < force <= first, force, first)
said, force = minimised(1, 10, 0)
checks.true("one step", "not converged" in said and force <= first, said)

# A run that minimises: no bead moves further in a step than the run file says, and the bead with the largest force so far.
write("run.yaml", "input: start.h5\noutput: {prefix: x}\nminimise: {steps: 1, displacement: 0.001}\n")
said = run("run", "run.yaml").stderr
moved = 4.0 * (positions("x.checkpoint.h5") - positions("start.h5")) / 2.0**32
checks.close("the largest displacement", np.sqrt((moved**2).sum(1)).max(), 0.001, relative=1e-5)
checks.true("what asks for more steps", "give it a larger minimise.steps" in said, said)
checks.end()
