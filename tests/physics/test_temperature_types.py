"""Temperatures of the types of beads that constraints join: drawn momenta have one temperature in all
rows, whatever the masses and shapes are, and each row is what the projector onto the constrained
directions gives, made densely from positions and masses; on any number of ranks, and from frames."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, run, write

K = 0.00831446261815324  # kJ/(mol K)
TEMPERATURE, COPIES = 300.0, 700
# name, beads of (type, place; None: a site), constraints, site
MOLECULES = [
    ("DUMB", [("A", (0, 0, 0)), ("B", (0.3, 0, 0))], [(1, 2)], None),
    ("BENT", [("C", (0, 0, 0)), ("D", (0.3, 0, 0)), ("E", (0.45, 0.26, 0))], [(1, 2), (2, 3)], None),
    ("TRIANGLE", [("F", (0, 0, 0)), ("G", (0.4, 0, 0)), ("H", (0.1, 0.3, 0)), ("V", None)],
     [(1, 2), (1, 3), (2, 3)], "[ virtual_sites3 ]\n4 1 2 3 1 0.3 0.3\n"),
    ("RING", [("I", (0, 0, 0)), ("J", (0.3, 0, 0)), ("I", (0.3, 0.3, 0.1)), ("J", (0, 0.3, 0)), ("L", (0, 0.3, 0.4))],
     [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3), (4, 5)], None),
    ("FREE", [("M", (0, 0, 0))], [], None),
]
MASS = dict(A=20, B=60, C=5, D=60, E=30, F=10, G=50, H=90, I=15, J=80, L=40, M=30, V=0)
MDP = """integrator = md
coulombtype = cut-off
rcoulomb = 0.3
vdw-modifier = potential-shift
rvdw = 0.3
gen-vel = yes
gen-temp = %g
gen-seed = 5
""" % TEMPERATURE
RUN = """input: start.h5
run: {steps: 5, dt: 0.01}
output: {frames_every: 5, velocities: 1}
observe:
  - temperature: {every: 5, from: 5}
"""


def write_input(folder):
    rng = np.random.default_rng(2)
    side = int(np.ceil((COPIES * len(MOLECULES)) ** (1 / 3)))
    edge, rows, k, number = 0.9 * side, [], 0, 0
    text = "[ defaults ]\n1 2\n[ atomtypes ]\n" + "".join("%s %g 0 %s 0 0\n" % (t, m, "A" if m else "V")
                                                         for t, m in MASS.items())
    for name, beads, constraints, site in MOLECULES:
        text += "[ moleculetype ]\n%s 1\n[ atoms ]\n" % name
        text += "".join("%d %s 1 %s %s %d 0\n" % (b + 1, t, name, t, b + 1) for b, (t, _) in enumerate(beads))
        text += "[ constraints ]\n" if constraints else ""
        text += "".join("%d %d 1 %.12g\n" % (i, j, np.linalg.norm(np.subtract(beads[i - 1][1], beads[j - 1][1])))
                        for i, j in constraints) + (site or "")
        for _ in range(COPIES):
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            at = 0.9 * np.array([k % side, k // side % side, k // side**2])
            for t, r in beads:
                number += 1
                rows.append("%5d%-5s%5s%5d" % (1, name[:5], t, number % 100000) +
                            "".join("%20.10f" % c for c in at + turn @ (r or (0, 0, 0))))
            k += 1
    text += "[ system ]\nmade\n[ molecules ]\n" + "".join("%s %d\n" % (m[0], COPIES) for m in MOLECULES)
    for name, content in ("topol.top", text), ("in.mdp", MDP), ("run.yaml", RUN), \
            ("start.gro", "\n".join(["made", "%d" % len(rows), *rows, " ".join(["%.10f" % edge] * 3), ""])):
        write(os.path.join(folder, name), content)


def expected(path):
    """Temperatures of types and molecules, of the momenta of a state by the dense projector."""
    with h5py.File(path) as file:
        p, box = file["beads/momentum"][:], file["system/box"][:]
    x, first, energy, freedom = trial.positions(path), 0, {}, {}
    names = np.concatenate([[t for t, _ in m[1]] * COPIES for m in MOLECULES])
    mass = np.array([MASS[t] for t in names], float)
    p = p - mass[:, None] * p.sum(axis=0) / mass.sum()
    for name, beads, constraints, _ in MOLECULES:
        heavy = [b for b, (t, _) in enumerate(beads) if MASS[t]]
        m = np.array([MASS[beads[b][0]] for b in heavy], float)
        for _ in range(COPIES):
            row = np.zeros((len(constraints), len(heavy), 3))
            for c, (i, j) in enumerate(constraints):
                d = x[first + i - 1] - x[first + j - 1]
                d -= box * np.round(d / box)
                row[c, i - 1], row[c, j - 1] = d / m[i - 1]**0.5, -d / m[j - 1]**0.5
            row = row.reshape(len(constraints), 3 * len(heavy))
            taken = (np.linalg.pinv(row) @ row).diagonal().reshape(-1, 3).sum(axis=1)
            for b, mass_b, lost in zip(heavy, m, taken):
                for group in "types " + beads[b][0], "molecules " + name:
                    energy[group] = energy.get(group, 0) + (p[first + b]**2).sum() / mass_b
                    freedom[group] = freedom.get(group, 0) + 3 * (1 - mass_b / mass.sum()) - lost
            first += len(beads)
    return {g: energy[g] / (freedom[g] * K) for g in energy}, freedom


def read(folder, name):
    found = {}
    for table in "types", "molecules":
        with open(os.path.join(folder, "%s.temperature.%s.csv" % (name, table))) as file:
            titles, *rows = [line.strip().split(",") for line in file if not line.startswith("#")]
            for row in rows:
                found["%s %s" % (table, row[0])] = float(row[titles.index("translation")])
    return found


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        write_input(folder)
        run("import", "topol.top", "start.gro", "--mdp=in.mdp", "-o", "start.h5", cwd=folder)
        for ranks in 1, 2:
            run("run", "run.yaml", "-s", "output.prefix=run%d" % ranks, ranks=ranks, cwd=folder)
        run("analyze", "run1.h5md", "run.yaml", "--output=frames", "--first=2", cwd=folder)
        found, two, frames = (read(folder, prefix) for prefix in ("run1", "run2", "frames"))
        want, freedom = expected(os.path.join(folder, "run1.checkpoint.h5"))
        checks.true("rows", set(found) == set(want), sorted(found), sorted(want))
        checks.true("2 ranks", found == two)
        for group, value in want.items():
            error = TEMPERATURE * (2 / freedom[group])**0.5
            checks.close(group, found[group], value, relative=1e-6)
            checks.close(group + " of frames", frames[group], value, relative=1e-5)
            checks.true(group + " is as warm as all", abs(value - TEMPERATURE) < 4.5 * error, value, error)
    checks.end()


if __name__ == "__main__":
    main()
