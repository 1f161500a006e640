"""The profile of the electric potential between two planes of charges: what the relative permittivity of a force field does to it."""
import os
import tempfile

import numpy as np
from run_lamella import Checks, run, write

COULOMB, VOLT = 138.93545764, 96.48533212  # kJ nm/(mol e2), kJ/(mol e)
TOP = "[ defaults ]\n1 2\n[ atomtypes ]\nP 72 0 A 0.5 1\nN 72 0 A 0.5 1\n" + "".join(
    f"[ moleculetype ]\n{name} 1\n[ atoms ]\n1 {name} 1 {name} {name} 1 {charge}\n"
    for name, charge in (("P", 0.5), ("N", -0.5))) + "[ system ]\nplanes\n[ molecules ]\nP 4\nN 4\n"
MDP = """integrator = md
dt = 0.0001
nsteps = 1
rvdw = 1.1
rcoulomb = 1.1
coulombtype = reaction-field
epsilon_r = %g
epsilon_rf = 0
"""
OBSERVE = "observe=[{potential: {bins: 80, every: 1}}]"
PLACES = [(name, x, y, z) for name, z in (("P", 2.05), ("N", 6.05)) for x in (1, 3) for y in (1, 3)]

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_potential.")
os.chdir(holder.name)


def check(permittivity):
    """The field between planes 4 nm apart, of 4 charges of 0.5 e on 16 nm2 each, and what it adds up to."""
    run("run", "r.yaml", "--restart=never", "-s", "output.prefix=a", "-s", OBSERVE)
    with open("a.potential.potential.csv") as file:
        names = file.readline().strip().split(",")
        got = dict(zip(names, np.genfromtxt(file, delimiter=",").T))
    field = 4 * np.pi * COULOMB * 4 * 0.5 / 16 / permittivity / VOLT
    checks.close(f"field, {permittivity}", got["field"][40], field, 1e-6)
    checks.close(f"potential, {permittivity}", got["potential"][-1], -4 * field, 1e-6)
    checks.close(f"of one type, {permittivity}", got["potential_N"][-1], 1.9 * field, 1e-6)
    checks.true(f"the table says {permittivity}", (got["relative_permittivity"] == permittivity).all(), got)


write("t.top", TOP)
write("c.gro", "planes\n%5d\n" % len(PLACES) + "".join(
    "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (k, name, name, k, *place) for k, (name, *place) in enumerate(PLACES, 1))
    + "%10.5f%10.5f%10.5f\n" % (4, 4, 8))
for epsilon_r in 15, 2.5, 1:
    write("o.mdp", MDP % epsilon_r)
    run("import", "t.top", "c.gro", "--mdp=o.mdp", "-o", "start.h5", "--run=r.yaml")
    check(epsilon_r)
checks.end()
