"""Temperatures, pressures and tensions that change in time, single and periodic. What a coupling took as its target
follows from the work that it did, from the new momenta, or from the change of the box; it is compared with the formula
of GROMACS's manual (annealing), and that with what gmx says."""
import os
import tempfile

import numpy as np

import trial
from run_lamella import Checks, skip

try:
    import gromacs_files as gf
except ImportError as missing:
    skip(str(missing))

DT, STEPS = 0.004, 60
SINGLE = [[0.02, 100], [0.06, 180], [0.06, 120], [0.15, 150.5]]
PERIODIC = [[0, 90], [0.03, 140], [0.05, 70], [0.07, 90]]
STAIRS = [[0, 40], [0.0039, 40], [0.00395, 200], [0.0079, 200], [0.00795, 40], [0.008, 40]]  # another at each step
TOP = """[ defaults ]
1 2
[ atomtypes ]
A 40 0 A 0.3 1
[ moleculetype ]
M 1
[ atoms ]
1 A 1 M A 1 0
[ moleculetype ]
N 1
[ atoms ]
1 A 1 N A 1 0
[ system ]
two
[ molecules ]
M 32
N 32
"""


def at(points, periodic, time):
    """The target at a time, as in the manual of GROMACS."""
    time = np.longdouble(time)
    if periodic:
        time -= np.floor(time / points[-1][0]) * points[-1][0]
    for (t, v), (t2, v2) in zip(points, points[1:]):
        if time <= t:
            return np.longdouble(v)
        if time <= t2:
            return v + (v2 - np.longdouble(v)) * (time - t) / (np.longdouble(t2) - t)
    return np.longdouble(points[-1][1])


def yaml(points, periodic):
    return "{points: %s, periodic: yes}" % points if periodic else str(points)


def targets(points, periodic):
    return np.array([at(points, periodic, k * DT) for k in range(STEPS)], float)


def temperatures(checks, folder, start, device):
    """Berendsen: the work is (s^2 - 1) K with s^2 = 1 + dt / tau (T / T_K - 1). Nothing couples to step 0."""
    for points, periodic in (SINGLE, False), (PERIODIC, True):
        name = "berendsen" + "_periodic" * periodic
        trial.simulate(folder, name, {"input": start, **device, "run.dt": DT, "run.steps": STEPS, "output.energies_every": 1,
                                      "thermostat.type": "berendsen", "thermostat.every": 1, "thermostat.tau": 0.05,
                                      "thermostat.temperature": yaml(points, periodic)})
        rows = trial.columns(folder, name)
        work = np.diff(rows["total"] - rows["conserved"])
        kinetic, now = rows["kinetic"][:-1], rows["temperature_K"][:-1]
        got = now * (1 + work / kinetic * 0.05 / DT)
        checks.close(name, float(np.max(np.abs(got - targets(points, periodic))[1:])), 0, absolute=1e-4)


def redrawn(checks, folder, start, device):
    """With a relaxation time of nothing each step draws momenta of the temperature that holds then, also of a group; in
    graphs of several steps too."""
    groups = "[{name: some, group: {ids: [1, 400]}, temperature: %s}, {name: rest, group: {ids: [401, 864]}}]"
    for kind, extra, columns in (("langevin", {}, ["temperature_K"]), ("bussi", {"thermostat.every": 1}, ["temperature_K"]), (
            "langevin", {"thermostat.groups": groups % yaml(PERIODIC, True)}, ["temperature_rest_K", "temperature_some_K"])):
        trial.simulate(folder, "redrawn", {
            "input": start, **device, "run.dt": DT, "run.steps": STEPS, "output.energies_every": 7, "thermostat.type": kind,
            "thermostat.tau": 1e-6, "thermostat.temperature": yaml(STAIRS, True), **extra})
        rows = trial.columns(folder, "redrawn")
        for column, points in zip(columns, (STAIRS, PERIODIC)):
            want = np.array([at(points, True, (step - 1) * DT) for step in rows["step"][1:]], float)
            deviation = rows[column][1:] / want - 1 # 3 N degrees of freedom scatter by sqrt(2 / 3 N)
            checks.true("%s: %s" % (kind, column), np.max(np.abs(deviation)) < 5 * (2 / 1200)**0.5, deviation)


def pressures(checks, folder, start, device):
    """The change of the edges is that of the difference from the pressure wanted; at 0 K crescale has no noise."""
    points, rate = [[0, 100], [0.1, -300], [0.24, 900]], 1e-5 * DT / 0.5
    tension = [[0, 0], [0.24, 5000]]
    for kind, coupling in ("berendsen", "isotropic"), ("crescale", "isotropic"), ("berendsen", "surface_tension"):
        trial.simulate(folder, "pressed", {
            "input": start, **device, "run.dt": DT, "run.steps": STEPS, "output.energies_every": 1, "barostat.type": kind,
            "barostat.coupling": coupling, "barostat.every": 1, "barostat.tau": 0.5, "barostat.compressibility": 1e-5,
            "thermostat.temperature": 0, "barostat.pressure": yaml(points, False),
            "barostat.surface_tension": yaml(tension, False) if coupling == "surface_tension" else 0})
        rows = trial.columns(folder, "pressed")
        edge = rows["lx_nm"][1:] / rows["lx_nm"][:-1]
        want = targets(points, False)
        if coupling == "surface_tension":
            got = 0.5 * (rows["pxx_bar"] + rows["pyy_bar"])[:-1] - (edge - 1) * 3 / rate
            want = want - targets(tension, False) / rows["lz_nm"][:-1]
        elif kind == "crescale":
            got = rows["pressure_bar"][:-1] - 2 * (edge**1.5 - 1) / -np.expm1(-DT / 0.5) / 1e-5
        else:
            got = rows["pressure_bar"][:-1] - (edge - 1) * 3 / rate
        checks.close(kind + ", " + coupling, float(np.max(np.abs(got - want)[1:])), 0, absolute=0.05)


def gromacs(checks, folder):
    """The formula beside the temperatures that gmx says it couples to."""
    x = np.array([[i, j, k] for i in range(4) for j in range(4) for k in range(4)]) * 0.5 + 0.2
    gf.write(folder, "topol.top", TOP)
    gf.write(folder, "conf.gro", gf.gro([2.0, 2.0, 2.0], [(k + 1, "MN"[k // 32], "A", p) for k, p in enumerate(x)]))
    gf.write(folder, "a.mdp", """integrator = md
dt = %g
nsteps = %d
nstlog = 1
nstcalcenergy = 1
rvdw = 0.7
rcoulomb = 0.7
rlist = 0.7
verlet-buffer-tolerance = -1
tcoupl = berendsen
nsttcouple = 1
tc-grps = M N
tau-t = 1 1
ref-t = 100 100
annealing = single periodic
annealing-npoints = %d %d
annealing-time = %s
annealing-temp = %s
""" % (DT, STEPS, len(SINGLE), len(PERIODIC), *(" ".join("%g" % p[k] for p in GMX + PERIODIC) for k in range(2))))
    gf.gmx(folder, "grompp", "-f", "a.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "a.tpr", "-po", "out.mdp", "-maxwarn", "9")
    gf.gmx(folder, "mdrun", "-s", "a.tpr", "-deffnm", "a", "-ntmpi", "1", "-ntomp", "1")
    with open(os.path.join(folder, "a.log")) as log:
        said = {g: [] for g in "MN"}
        for line in log:
            if line.startswith("Current ref_t for group "):
                said[line.split()[4].rstrip(":")].append(float(line.split()[-1]))
    for group, points, periodic in ("M", GMX, False), ("N", PERIODIC, True):
        want = np.array([at(points, periodic, k * DT) for k in range(STEPS + 1)], float)
        got = np.array(said[group])
        checks.true("gmx: group " + group, len(got) >= STEPS and np.max(np.abs(got[:STEPS] - want[:STEPS])) <= 0.0501,
                    (got, want))


GMX = [[0, 100]] + SINGLE[1:]


def refusals(checks, folder, start):
    """Each with its line."""
    for text, said in (("[[0, 300], [1]]", "at least 2 are needed"), ("[[1, 300], [0.5, 310]]", "0.5 ps is before"), ("[]", "at least 1 are needed"),
                       ("{points: [[0, 300]], periodic: yes}", "period"), ("{points: [[0, 300]], often: yes}", "often"),
                       ("[[0, -5]]", "-5 is less than 0"), ("warm", "'warm' is not a number")):
        gf.write(folder, "wrong.yaml", "input: %s\nthermostat:\n  temperature: %s\n" % (start, text))
        checks.refused("refused: " + text, (said, "wrong.yaml:3: thermostat.temperature"), "run", "wrong.yaml",
                       cwd=folder)


def main():
    checks = Checks()
    device = {"run.precision": "double", "parallel.backend": os.environ.get("LAMELLA_BACKEND", "cpu")}
    with tempfile.TemporaryDirectory() as folder:
        start = trial.liquid(folder, "liquid", (6, 6, 6), 0.8, 120, 200)
        temperatures(checks, folder, start, device)
        redrawn(checks, folder, start, device)
        pressures(checks, folder, start, device)
        if gf.GMX:
            gromacs(checks, folder)
        refusals(checks, folder, start)
        trial.same_states(checks, folder, {
            "input": start, "run.dt": DT, "run.steps": 40, "thermostat.type": "langevin", "thermostat.temperature":
            yaml(PERIODIC, True), "barostat.type": "crescale", "barostat.pressure": yaml([[0, 1], [0.1, 500]], False)},
                          (1, 2), 17, "a ramp")
    checks.end()


if __name__ == "__main__":
    main()
