"""Constraints of distances of centres: a rotor of two beads against its solution, forces of constraints against a potential of mean
force, temperature; held to 1e-10 nm with velocities that fit, energy and momentum conserved, virial, the same bits on any number of
ranks, in jobs that go on and after kills, starts that are near and far, minimisations, and what is refused. Beside GROMACS."""
import os
import shutil
import tempfile

import h5py
import numpy as np

import gromacs_files as gf
import pull_files as pf
import trial
from oracle import BAR, State
from run_lamella import Checks, run
from test_biases import flow, lines, same_lines

KT = 0.00831446261815324 * 300
MASS = np.array([72.0, 45.0])
C6, C12 = 0.24145, 0.0026027  # of the two, gf.FORCEFIELD
COORDINATES = """
- {name: apart, kind: distance, of: {ids: [1, 8]}, from: {ids: [106, 113]}}
- {name: depth, kind: distance, of: {ids: [16, 23]}, from: {ids: [106, 113]}, along: z}
- {name: flat, kind: distance, of: {ids: [31, 38]}, from: {ids: [91, 98]}, along: xy, weights: geometry}
- {name: slant, kind: distance, of: {ids: [34, 34]}, from: {ids: [1, 8]}, along: [1, -2, 0.5]}
"""
BIASES = """
- {name: h, coordinate: apart, kind: constraint, at: start}
- {name: z, coordinate: depth, kind: constraint, at: start, rate: 0.2}
- {name: f, coordinate: flat, kind: constraint, at: start-0.003}
- {name: u, coordinate: flat, kind: umbrella, k: 100, at: start}
- {name: s, coordinate: slant, kind: constraint, at: start}
"""
ROUND = "- {name: round, kind: cylinder, of: {ids: [16, 23]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, radius: 1.4, along: z}\n"
HILLS = "- {name: m, coordinates: [round, apart], kind: metadynamics, height: 2, width: [0.1, 0.1], every: 3, bias_factor: 5, " \
    "grid: [[-8, 8], [0, 8]]}\n"
TOUCH = "- {name: touch, kind: contacts, of: {ids: [1, 8]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, r0: 0.6, d_max: 1.5}\n"
BIND = "- {name: bind, coordinate: touch, kind: umbrella, k: 2, at: start+5}\n"
BESIDE = {"coordinates": flow(COORDINATES + ROUND + TOUCH), "biases": flow(BIASES + HILLS + BIND)}
HELD = {"apart": "h", "depth": "z", "flat": "f", "slant": "s"}
RATE = {"depth": 0.2}


def pair(folder, d, momenta):
    """The state of two beads at a distance d along a diagonal of a large box, and the direction from the second to the first."""
    axis = np.array([2, -1, 2]) / 3
    places = 3 + np.outer([0.5, -0.5], d * axis)
    gf.write(folder, "topol.top", gf.FORCEFIELD + "".join(
        "[ moleculetype ]\n%s 1\n[ atoms ]\n1 %s 1 %s %s 1 0\n" % (k, k, k, k) for k in "PQ") + "[ system ]\npair\n[ molecules ]\nP 1\nQ 1\n")
    gf.write(folder, "conf.gro", gf.gro([6, 6, 6], [(k + 1, n, n, x) for k, (n, x) in enumerate(zip("PQ", places))]))
    gf.write(folder, "sp.mdp", gf.MOTION)
    run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "pair.h5", cwd=folder)
    path = os.path.join(folder, "pair.h5")
    trial.place(path, [6, 6, 6], places)
    with h5py.File(path, "r+") as file:
        file["beads/momentum"][...] = momenta
    return {"input": path, "run.precision": "double", "output.coordinates_every": 1, "neighbor.skin": 0.3,
            "coordinates": "[{name: d, kind: distance, of: {ids: [1, 1]}, from: {ids: [2, 2]}}]",
            "biases": "[{name: c, coordinate: d, kind: constraint, at: %.17g}]" % d}, axis


def rotor(checks, folder, backend):
    """Without forces each step turns the pair by asin(v dt / d), and the constraint has the centripetal force."""
    d, v, dt, steps, drift = 2.0, 0.3, 0.02, 300, np.array([0.1, 0.05, -0.07])
    across, reduced = np.array([1, 2, 0]) / 5**0.5, MASS.prod() / MASS.sum()
    settings, axis = pair(folder, d, np.outer(MASS, drift) + np.outer([1, -1], reduced * v * across))
    trial.simulate(folder, "rotor", {**settings, "run.dt": dt, "run.steps": steps, "thermostat.type": "none", "parallel.backend": backend})
    place = trial.positions(trial.checkpoint(folder, "rotor"))
    turn = steps * np.arcsin(v * dt / d)
    want = d * (np.cos(turn) * axis + np.sin(turn) * across)
    checks.close(f"rotor, {backend}: turn", np.abs(place[0] - place[1] - want).max(), 0, absolute=1e-9)
    checks.close("centre of mass", np.abs(MASS @ place / MASS.sum() - (3 + d * axis * (MASS @ [0.5, -0.5] / MASS.sum()) + drift * dt * steps)).max(),
                 0, absolute=1e-9)
    found = lines(folder, "rotor")
    checks.close("force", np.abs(found["c_force"] / (-reduced * v * v / d) - 1).max(), 0, absolute=1e-8)
    checks.close("mean force", np.abs(found["c_mean_force"] - found["c_force"]).max(), 0, absolute=1e-9)


def mean_force(checks, folder, backend):
    """The mean force of the constraint is the slope of the free energy of the distance, U - 2 kT ln d; one degree of freedom is
    less, of both beads in proportion to their shares of its kinetic energy."""
    d = 0.52
    settings, _ = pair(folder, d, 0)
    baths = "[{name: heavy, group: {molecules: [P]}, temperature: 300, tau: 0.2}, {name: light, group: {molecules: [Q]}, temperature: 300, tau: 0.2}]"
    trial.simulate(folder, "bath", {**settings, "run.dt": 0.02, "run.steps": 40000, "thermostat.type": "langevin", "thermostat.groups": baths,
                                    "output.coordinates_every": 100, "output.energies_every": 50, "parallel.backend": backend})
    found, energies = lines(folder, "bath"), trial.columns(folder, "bath")
    want = 6 * C6 / d**7 - 12 * C12 / d**13 - 2 * KT / d
    checks.close(f"mean force, {backend}", found["c_mean_force"][1:].mean(), want, absolute=0.06 * 2 * KT / d)
    for name in "temperature_K", "temperature_heavy_K", "temperature_light_K":
        checks.close(name, energies[name][20:].mean(), 300, relative=0.08)


class Held:
    """Values, and their rates, of COORDINATES in a state, from all digits of positions and from momenta."""

    def __init__(self, path):
        state = State(path)
        with h5py.File(path, "r") as file:
            word = file["beads/position"][:].view(np.uint32).astype(np.uint64) << np.uint64(32)
            self.word = word | file["beads/residual"][:].astype(np.uint64)
            self.momentum = file["beads/momentum"][:]
        self.box, self.mass = state.box, state.by_type("mass")

    def group(self, first, last, geometry):
        rows = slice(first - 1, last)
        weight = np.ones(last - first + 1) if geometry else self.mass[rows]
        weight = weight / weight.sum()
        away = (self.word[rows] - self.word[first - 1]).view(np.int64).astype(np.longdouble)
        return self.word[first - 1], weight @ away, weight @ (self.momentum[rows] / self.mass[rows, None])

    def distance(self, of, origin, along, geometry=False):
        (a, more, speed), (b, less, slow) = self.group(*of, geometry), self.group(*origin, geometry)
        d = ((a - b).view(np.int64) + more - less) * self.box / np.longdouble(2)**64
        if isinstance(along, list):
            slope = np.array(along) / np.linalg.norm(along)
            return float(slope @ d), float(slope @ (speed - slow))
        axes = np.array([letter in along for letter in "xyz"], float)
        value = axes @ d if len(along) == 1 else np.sqrt(axes @ d**2)
        slope = axes if len(along) == 1 else axes * d / value
        return float(value), float(slope @ (speed - slow))

    def all(self):
        return {"apart": self.distance((1, 8), (106, 113), "xyz"), "depth": self.distance((16, 23), (106, 113), "z"),
                "flat": self.distance((31, 38), (91, 98), "xy", True), "slant": self.distance((34, 34), (1, 8), [1, -2, 0.5])}


def held(checks, folder, prefix):
    """Values and velocities of the last state."""
    found, state = lines(folder, prefix), Held(trial.checkpoint(folder, prefix))
    for name, (value, speed) in state.all().items():
        place = found[HELD[name] + "_place"]
        checks.close(f"{prefix}: {name} in the state", value, place[-1], absolute=1e-10)
        checks.close(f"{prefix}: {name} at all steps", np.abs(found[name + "_nm"] - place).max(), 0, absolute=1e-10)
        checks.close(f"{prefix}: velocity of {name}", speed, RATE.get(name, 0), absolute=1e-9)
    return state


def conserved(checks, folder, settings, backend):
    """Energy less work, and momentum; the virial of the forces."""
    patch = trial.membrane(folder, copies=1)
    case = {**settings, "input": patch, "thermostat.type": "none", "run.dt": 0.002, "run.steps": 200, "run.precision": "double",
            "output.energies_every": 10, "output.coordinates_every": 1, "neighbor.skin": "auto"}
    trial.simulate(folder, "free", {**case, "coordinates": "[]", "biases": "[]"})
    trial.simulate(folder, "nve", case)
    free, found, own = trial.columns(folder, "free"), trial.columns(folder, "nve"), lines(folder, "nve")
    drift, bare, work = (np.ptp(x) for x in (found["conserved"], free["conserved"], found["bias_work"]))
    checks.true(f"energy, {backend}", drift < 2 * bare and work > 10 * drift, drift, bare, work)
    checks.true("at all steps", np.ptp(own["z_place"]) > 0.07, own["z_place"])
    a, b = held(checks, folder, "nve"), Held(patch)
    checks.close("momentum", np.abs(a.momentum.sum(0) - b.momentum.sum(0)).max(), 0, absolute=1e-7)
    with h5py.File(shutil.copy(patch, os.path.join(folder, "rest.h5")), "r+") as file:
        file["beads/momentum"][...] = 0
        file["beads/angular_momentum"][...] = 0
    still = {**case, "input": os.path.join(folder, "rest.h5"), "run.steps": 0, "biases": flow(BIASES.replace(", rate: 0.2", "").replace("-0.003", ""))}
    trial.simulate(folder, "still", still)
    trial.simulate(folder, "loose", {**still, "biases": "[]"})
    one, two, own = trial.columns(folder, "still"), trial.columns(folder, "loose"), lines(folder, "still")
    virial, state = np.zeros((3, 3)), Held(still["input"])
    for of, origin, along, geometry, name in (((1, 8), (106, 113), "xyz", False, "h"), ((16, 23), (106, 113), "z", False, "z"),
                                              ((31, 38), (91, 98), "xy", True, "f"), ((34, 34), (1, 8), [1, -2, 0.5], False, "s")):
        h, steps = 1e-6, np.zeros((3, 3))
        for k in range(9):  # the slope by strain
            value = []
            for sign in 1, -1:
                strain = np.eye(3)
                strain[k // 3, k % 3] += sign * h
                value.append(state_value(state, of, origin, along, geometry, strain))
            steps[k // 3, k % 3] = (value[0] - value[1]) / (2 * h)
        virial += own[name + "_force"][0] * steps.T
    for k in range(9):
        name = f"p{'xyz'[k // 3]}{'xyz'[k % 3]}_bar"
        checks.close("virial, " + name, one[name][0] - two[name][0], virial[k // 3, k % 3] / state.box.prod() * BAR, 1e-6, 2e-2)


def state_value(state, of, origin, along, geometry, strain):
    """The value where vectors d, in the axes that are read, become strain d."""
    (a, more, _), (b, less, _) = state.group(*of, geometry), state.group(*origin, geometry)
    d = np.array(((a - b).view(np.int64) + more - less) * state.box / np.longdouble(2)**64, float)
    if isinstance(along, list):
        return np.array(along) @ strain @ d / np.linalg.norm(along)
    axes = np.array([letter in along for letter in "xyz"], float)
    d = strain @ (axes * d)
    return axes @ d if len(along) == 1 else np.sqrt(axes @ d**2)


def one_trajectory(checks, folder, settings, backend):
    """The same bits on any number of ranks, in parts, and after a job that was killed, with hills, a cylinder and contacts beside constraints;
    forces are checked."""
    case = {**settings, **BESIDE, "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen", "barostat.every": 5,
            "output.coordinates_every": 4}
    trial.same_states(checks, folder, case, (1, 2, 3), 17, backend)
    same_lines(checks, folder, ("on1", "on2", "on3", "parts"), "files of coordinates")
    held(checks, folder, "on3")
    trial.simulate(folder, "killed", {**case, "run.steps": 20})
    kept = trial.checkpoint(folder, "killed")
    shutil.copy(kept, kept + ".kept")
    trial.simulate(folder, "killed", {**case, "run.steps": 36}, restart="auto")
    os.replace(kept + ".kept", kept)
    trial.simulate(folder, "killed", case, restart="auto", ranks=2)
    wrong = trial.differences(trial.checkpoint(folder, "on1"), kept)
    checks.true(f"{backend}: the state after a kill", not wrong, wrong)
    same_lines(checks, folder, ("on1", "killed"), "files of coordinates after a kill")


def starts(checks, folder, settings):
    """Near places are reached at the start, far ones are refused; a minimisation goes there."""
    at = lines(folder, "nve")["apart_nm"][0]
    case = {**settings, "input": trial.membrane(folder, copies=1), "run.steps": 2, "neighbor.skin": "auto", "output.coordinates_every": 1,
            "biases": "[{name: h, coordinate: apart, kind: constraint, at: %.9f}]" % (at + 0.009)}
    said = trial.simulate(folder, "near", case)
    checks.true("moved", "the groups were moved by up to 0.009 nm" in said, said)
    checks.close("near", lines(folder, "near")["apart_nm"][0], at + 0.009, absolute=1e-9)
    far = {**case, "biases": case["biases"].replace("%.9f" % (at + 0.009), "%.9f" % (at + 0.05))}
    said = trial.simulate(folder, "far", far, status=2)
    checks.true("far", "'h'" in said and "umbrella" in said and "%.9f" % at in said, said)
    trial.simulate(folder, "least", {**far, "minimise.steps": 200, "minimise.force": 1})
    value, _ = Held(os.path.join(folder, "least.checkpoint.h5")).all()["apart"]
    checks.close("a minimisation goes there", value, at + 0.05, absolute=0.01)
    fast = {**case, "run.steps": 4, "biases": "[{name: h, coordinate: apart, kind: constraint, at: start, rate: 100}]"}
    said = trial.simulate(folder, "fast", fast, status=3)
    checks.true("too fast", "'h' cannot be held" in said and "step " in said, said)


def refused(checks, folder, settings):
    d = "[{name: d, kind: distance, of: {ids: [1, 20]}, from: {ids: [100, 140]}}]"
    held_ = "{name: b, coordinate: d, kind: constraint, at: start}"
    for coordinates, biases, words in (
            (d, "{name: b, coordinate: d, kind: constraint}", ["at"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: -1}", ["above 0"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: .inf}", ["at"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: begin}", ["at"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: 1, k: 3}", ["'k'"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: [[0, 1], [1, 1], [1, 2]]}", ["cannot jump"]),
            (d, "{name: b, coordinate: d, kind: constraint, at: {points: [[0, 1], [1, 2]], periodic: yes}}", ["cannot jump"]),
            (d, held_ + ", " + held_.replace("b,", "c,"), ["'b' holds the coordinate 'd' already"]),
            (d.replace("}]", "}, {name: e, kind: distance, of: {ids: [1, 20]}, from: {ids: [100, 140]}, along: xyz}]", 1), held_ + ", " +
             held_.replace("b,", "c,").replace(" d,", " e,"), ["depend on each other"]),
            (d.replace("[100, 140]", "[1, 20]"), held_, ["the same beads"]),
            ("[{name: d, kind: volume}]", held_, ["constraint holds a distance"]),
            ("[{name: d, kind: angle, of: [{ids: [1, 8]}, {ids: [16, 23]}, {ids: [31, 38]}]}]", held_, ["constraint holds a distance"])):
        said = trial.simulate(folder, "wrong", {**settings, "coordinates": coordinates, "biases": "[" + biases + "]"}, status=2)
        checks.true((coordinates + biases)[-120:], all(word in said for word in words), said)
    said = trial.simulate(folder, "wrong", {**settings, "coordinates": d, "biases": "[" + held_ + "]", "frozen": "[{group: {ids: [20, 20]}}]"}, status=2)
    checks.true("frozen", "bead 20 is frozen" in said and "'b'" in said, said)


def pulled(rows, steps):
    """The keys of a run of GROMACS, of leap-frog."""
    names = "A B C D Lipids".split()
    mdp = gf.MOTION.replace("md-vv", "md").replace("dt = 0.01", "dt = 0.002").replace("= 200", "= %d" % steps)
    return mdp + "pull-pbc-ref-prev-step-com = yes\npull-nstxout = 4\npull-nstfout = 4\npull-constr-tol = 1e-12\npull-group5-pbcatom = 15\n" + \
        pf.keys(names, rows)


def beside_gromacs(checks, folder):
    """Forces of constraints and positions after 200 steps, where both begin with the momenta half a step after rest: constraints that
    share groups, with virtual sites in them, and clusters of constraints and sites beside them."""
    shapes = ("geometry = distance; groups = 1 2; type = constraint; start = yes",
              "geometry = distance; groups = 1 3; dim = Y Y N; type = constraint; start = yes",
              "geometry = direction; groups = 2 4; vec = 0 0 1; k = 1000; start = yes; rate = 0.1",
              "geometry = distance; groups = 2 4; dim = Y N N; type = constraint; start = yes",
              "geometry = distance; groups = 5 4; dim = N N Y; type = constraint; start = yes; rate = 0.05")
    gf.write(folder, "topol.top", pf.topology())
    gf.write(folder, "md.mdp", pulled(shapes, 200))
    gf.gmx(folder, "grompp", "-f", "md.mdp", "-c", "conf.gro", "-n", "i.ndx", "-o", "md.tpr", "-po", "out.mdp", "-maxwarn", "20")
    gf.gmx(folder, "mdrun", "-s", "md.tpr", "-deffnm", "md", "-px", "px.xvg", "-pf", "pf.xvg", "-ntmpi", "1", "-ntomp", "1")
    run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "--ndx=i.ndx", "-o", "start.h5", "--run=run.yaml", cwd=folder)
    still = ("-s", "run.precision=double", "-s", "output.coordinates_every=4")
    run("run", "run.yaml", *still, "-s", "run.steps=0", "-s", "output.forces=1", "-s", "output.frames_every=1", "-s", "output.prefix=zero",
        "-s", "biases=[]", cwd=folder)
    with h5py.File(os.path.join(folder, "zero.h5md")) as frame, h5py.File(os.path.join(folder, "start.h5"), "r+") as start:
        start["beads/momentum"][...] = 0.001 * frame["particles/trajectory/force/value"][-1]
    run("run", "run.yaml", *still, cwd=folder)
    force, own = pf.xvg(os.path.join(folder, "pf.xvg")), lines(folder, "run")
    for k in range(1, 6):
        f = own["pull%d_force" % k]
        checks.close(f"GROMACS, constraint {k}", np.abs(f - force[:, k]).max(), 0, absolute=1e-5 * np.abs(f).max() + 1e-4)
    d = trial.positions(os.path.join(folder, "run.checkpoint.h5")) - gf.read_trr(os.path.join(folder, "md.trr"), 7)
    checks.close("GROMACS, positions", np.abs(d - np.round(d / pf.BOX) * pf.BOX).max(), 0, absolute=1e-7)


def clusters(checks, folder):
    """Groups with clusters of constraints and virtual sites: all keep what they hold; half a cluster is refused."""
    top = pf.topology().replace("2 3 1 0.47 1250\n3 4 1 0.47 1250\n", "")
    top = top.replace("[ virtual_sites2 ]", "[ constraints ]\n2 3 1 0.4229657\n3 4 1 0.4229657\n[ virtual_sites2 ]")
    gf.write(folder, "rigid.top", top)
    gf.write(folder, "sp.mdp", pulled(("geometry = distance; groups = 1 2; type = constraint; start = yes",
                                       "geometry = distance; groups = 1 5; dim = N N Y; type = constraint; start = yes"), 400))
    run("import", "rigid.top", "conf.gro", "--mdp=sp.mdp", "--ndx=i.ndx", "-o", "rigid.h5", "--run=rigid.yaml", cwd=folder)
    said = run("run", "rigid.yaml", "-s", "run.precision=double", "-s", "output.energies_every=10", cwd=folder).stderr
    found, own = trial.columns(folder, "rigid"), lines(folder, "rigid")
    checks.true("energy with clusters", np.ptp(found["conserved"]) < 0.02 * np.ptp(found["potential"]), np.ptp(found["conserved"]),
                np.ptp(found["potential"]), said)
    place = trial.positions(os.path.join(folder, "rigid.checkpoint.h5"))
    for k in 1, 2:
        checks.close("held with clusters", np.abs(own[f"pull{k}_nm"] - own[f"pull{k}_place"]).max(), 0, absolute=1e-10)
        checks.close("clusters keep their lengths", np.linalg.norm(place[k] - place[k + 1]), 0.4229657, absolute=1e-9)
    checks.close("sites", np.abs(place[5] - (place[0] + place[1]) / 2).max(), 0, absolute=1e-9)
    checks.true("constraints act", np.abs(own["pull1_force"]).max() > 10)
    refuse = "coordinates=[{name: d, kind: distance, of: {ids: [%s]}, from: {ids: [145, 150]}, weights: %s}]"
    for ids, weights, words in ("1, 2", "mass", "beads 1 and 3 are held together"), ("1, 6", "geometry", "weights: mass"):
        said = run("run", "rigid.yaml", "-s", "output.prefix=half", "-s", refuse % (ids, weights), "-s",
                   "biases=[{name: c, coordinate: d, kind: constraint, at: start}]", cwd=folder, status=2).stderr
        checks.true("half a cluster", words in said and "'c'" in said, said)


def both(checks, folder, backend):
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2, "output.energies_every": 10,
                "output.coordinates_every": 10, "parallel.backend": backend, "coordinates": flow(COORDINATES), "biases": flow(BIASES)}
    rotor(checks, folder, backend)
    one_trajectory(checks, folder, settings, backend)
    conserved(checks, folder, settings, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = both(checks, folder, "cpu")
        mean_force(checks, folder, "cpu")
        starts(checks, folder, settings)
        refused(checks, folder, settings)
        gf.write(folder, "conf.gro", gf.gro(pf.BOX, pf.atoms()))
        gf.write(folder, "i.ndx", pf.index())
        if gf.GMX:
            beside_gromacs(checks, folder)
        clusters(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
