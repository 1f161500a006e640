"""External fields of the run file: energies, forces and virial of every form against an evaluator of its own, also of fields
that change in time, their work, groups, conserved energy, the same bits on any number of ranks, restarts, and mistakes in the list."""
import os
import shutil
import tempfile

import h5py
import numpy as np
import yaml

import field_maps
import trial
from oracle import State
from run_lamella import Checks, run, write

VOLT = 96.48533212   # kJ/mol/e in 1 V
BAR = 16.605390672   # bar in 1 kJ/mol/nm3
ELECTRIC = "{form: electric, x: 0.02, z: 0.3}"
FORCE = "{form: force, y: -3, group: {types: [%s], ids: [4, 300]}}"
RESTRAINT = "{form: restraint, kz: 80, kx: 6, z: 0.52, x: 0.1, group: {molecules: [DOPC, POPC]}}"


# Two maps are written beside the state: write_maps.
OTHERS = """[{form: voltage, x: -0.1, z: 1.5},
 {form: wall_harmonic, low: 0.2, high: 0.75, k: 40, group: {molecules: [DOPC, DMPC]}},
 {form: wall_9_3, axis: x, low: 0.02, epsilon: 2, sigma: 0.4, linear: 0.3, density: 3},
 {form: wall_12_6, axis: y, low: 0.9, high: 1.6, type: %s, linear: 0.35, planes: low, group: {ids: [7, 500]}},
 {form: sphere, radius: 1.5, k_outside: 30, x: 0.3, y: 0.9, group: {ids: [1, 700]}},
 {form: cylinder, axis: y, radius: 2, k_inside: 3, k_outside: 20, z: 0.1},
 {form: map, file: charges.dx, fills: xy, factor: 20}, {form: map, file: beads.h5, of: beads, factor: -2}]"""
# Forces that a membrane can bear, and without jumps of the energy.
GENTLE = "[{form: voltage, x: -0.1, z: 1.5}, {form: sphere, radius: 1, k_outside: 20, x: 0.3}, {form: cylinder, axis: x, radius: 1, \
k_outside: 10}, {form: map, file: charges.dx, fills: xy, factor: 5}, {form: map, file: beads.h5, of: beads, factor: 2}]"
# They change in time, ps. wall_10_4 has its other planes at the same places.
MOVING = """[{form: electric, z: [[0, 0.1], [0.15, 0.4]], omega: 30, phase: 20},
 {form: voltage, x: 0.4, omega: -10, t0: 0.1, sigma: 0.07},
 {form: wall_harmonic, low: [[0, 0.05], [0.5, 0.3]], high: 0.7, k: [[0.1, 40], [0.12, 60]]},
 {form: wall_10_4, axis: x, low: 0.5, high: 1.5, epsilon: [[0, 0], [1, 4]], linear: 0.35},
 {form: map, file: charges.dx, fills: xy, factor: {points: [[0, 1], [0.07, 20]], periodic: yes}}]"""


PLACES = "{form: restraint, kz: 5, z: [[0, 0.4], [0.1, 0.6]]}, {form: sphere, radius: [[0, 1], [0.05, 1.5]], k_outside: 20}, \
{form: force, x: [[0.002, 0], [0.003, 2]]}"
# Smooth in time; without jumps of the energy.
RAMPED = "[{form: electric, z: [[0, 0], [0.1, 0.05], [0.3, -0.1]]}, {form: restraint, kz: [[0, 0], [0.4, 30]], z: [[0, 0.45], [0.4, 0.55]]}, \
{form: sphere, radius: [[0, 0.5], [0.4, 1.5]], k_outside: 20, x: 0.3}]"
WAVES = "[{form: electric, z: 0.05, omega: 40}, {form: voltage, x: 0.3, omega: 25, phase: 90, t0: 0.2, sigma: 0.1}, \
{form: map, file: charges.dx, fills: xy, factor: {points: [[0, 1], [0.1, 5], [0.2, 1]], periodic: yes}}]"


def fields_of(state):
    """The list as text; the force acts on the type of the first bead."""
    start = State(state)
    return f"[{ELECTRIC}, {FORCE % start.names[start.type[0]]}, {RESTRAINT}]"


def others_of(state):
    start = State(state)
    return (OTHERS % start.names[start.type[-1]]).replace("\n", "")


def write_maps(folder, state):
    """A map that fills the box along x and y and ends along z, and one that fills the box: not an integer of points a nm."""
    rng, box = np.random.default_rng(5), State(state).box
    n = np.array([9, 7, 8])
    spacing = box / n * [1, 1, 0.5]
    field_maps.write_dx(os.path.join(folder, "charges.dx"), rng.normal(size=n), [0.4, -0.3, 0.8 * box[2]], spacing)
    field_maps.write_map(os.path.join(folder, "beads.h5"), rng.normal(size=[6, 5, 7]), [0.1, 0, 0], box / [6, 5, 7], box)


def at_time(field, time):
    """A field whose numbers are those at a time."""
    now = dict(field)
    for key, value in field.items():
        if isinstance(value, dict) and "points" in value:
            points = np.array(value["points"])
            now[key] = np.interp(time % points[-1, 0], *points.T)
        elif isinstance(value, list) and key not in ("group",):
            now[key] = np.interp(time, *np.array(value).T)
    wave = np.cos(now.get("omega", 0) * (time - now.get("t0", 0)) + np.radians(now.get("phase", 0)))
    if now.get("sigma", 0) > 0 and field["form"] in ("electric", "voltage"):
        wave *= np.exp(-(time - now["t0"])**2 / (2 * now["sigma"]**2))
    for key in "xyz" if field["form"] in ("electric", "voltage") else "":
        now[key] = now.get(key, 0) * wave
    return now


class Expected:
    """Energy, forces and virial (kJ/mol) of a list of fields in a state, at a time. folder: of the maps."""

    def __init__(self, path, text, folder=None, time=0.0):
        self.state, self.folder = State(path), folder
        s = self.state
        with h5py.File(path) as file:
            self.place = s.word / 2.0**32
            self.r = (self.place + file["beads/image"][:]) * s.box
        self.energy, self.force, self.virial = 0.0, np.zeros((s.n, 3)), np.zeros((3, 3))
        for field in yaml.safe_load(text):
            form, members = field["form"], self.members(field.get("group", {}))
            add = self.add_wall if form.startswith("wall_") else getattr(self, "add_" + form)
            add(at_time(field, time), members)

    def members(self, group):
        s, molecules = self.state, list(self.state.ff["molecules"])
        ids = np.arange(1, s.n + 1)
        first, last = group.get("ids", [1, s.n])
        inside = (ids >= first) & (ids <= last)
        if "types" in group:
            inside &= np.isin(s.type, [s.names.index(name) for name in group["types"]])
        if "molecules" in group:
            inside &= np.isin(s.kind, [molecules.index(name) for name in group["molecules"]])
        assert inside.any() and (not group or not inside.all())
        return inside

    def add_force(self, field, m):
        f = np.array([field.get(key, 0) for key in "xyz"])
        self.energy -= (self.r[m] @ f).sum()
        self.force[m] += f

    def add_electric(self, field, m):
        e = VOLT * np.array([field.get(key, 0) for key in "xyz"])
        charge = self.state.charge[:, None]
        self.energy -= ((charge * self.r + self.state.dipole)[m] @ e).sum()
        self.force[m] += charge[m] * e

    def add_restraint(self, field, m):
        k = np.array([field.get(key, 0) for key in ("kx", "ky", "kz")])
        d = self.place[m] - [field.get(key, 0.5) for key in "xyz"]
        d = (d - np.round(d)) * self.state.box
        self.energy += (k * d * d).sum() / 2
        self.force[m] -= k * d
        self.virial += d.T @ (-k * d)

    def add_voltage(self, field, m):
        e = VOLT * np.array([field.get(key, 0) for key in "xyz"]) / self.state.box
        self.add_electric(dict(zip("xyz", e / VOLT)), m)
        self.virial -= np.diag(self.state.dipole[m].sum(0) * e)

    def add_wall(self, field, m):
        """The potential and its slope by formulas in h; slopes of the box by those of h."""
        s, axis = self.state, "xyz".index(field.get("axis", "z"))
        low, high = field.get("low", 0), field.get("high", 1)
        middle = (self.place[:, axis] - (low + high) / 2 + 0.5) % 1 - 0.5
        planes = {"both": (1, -1), "low": (1,), "high": (-1,)}[field.get("planes", "both")]
        for sign in planes:
            h = ((high - low) / 2 + sign * middle[m]) * s.box[axis]
            u, f = self.wall_of(field, h, m)
            self.energy += u.sum()
            self.force[m, axis] += sign * f
            self.virial[axis, axis] += (h * f).sum()

    def wall_of(self, field, h, m):
        if field["form"] == "wall_harmonic":
            behind = np.minimum(h, 0)
            return field["k"] * behind**2 / 2, -field["k"] * behind
        s, sigma = self.state, field.get("sigma", 0.47)
        c = 4 * field.get("epsilon", 0) * np.array([sigma**12, sigma**6])[:, None]
        if "type" in field:
            epsilon, sigmas = self.state.pair_table()[:, s.names.index(field["type"])][:, s.type[m]]
            c = 4 * epsilon * np.array([sigmas**12, sigmas**6])
        n, d = {"wall_9_3": ((9, 3), (45, 6)), "wall_10_4": ((10, 4), (5, 2)), "wall_12_6": ((12, 6), (1, 1))}[field["form"]]
        if field["form"] != "wall_12_6":
            c = c * np.pi * field.get("density", 1)
        at = np.maximum(h, field["linear"])
        part = [c[k] / (d[k] * at**n[k]) for k in range(2)]
        f = (n[0] * part[0] - n[1] * part[1]) / at
        return part[0] - part[1] + (at - h) * f, f

    def add_sphere(self, field, m, keep=(1, 1, 1)):
        d = self.place[m] - [field.get(key, 0.5) for key in "xyz"]
        d = (d - np.round(d)) * self.state.box * keep
        r = np.linalg.norm(d, axis=1)
        k = np.where(r > field["radius"], field.get("k_inside", 0), field.get("k_outside", 0))
        f = (-k * (r - field["radius"]) / r)[:, None] * d
        self.energy += (k * (r - field["radius"])**2).sum() / 2
        self.force[m] += f
        self.virial += d.T @ f

    def add_cylinder(self, field, m):
        self.add_sphere(field, m, [key != field.get("axis", "z") for key in "xyz"])

    def add_map(self, field, m):
        s, factor = self.state, field.get("factor", 1)
        v, g, h = field_maps.splines(os.path.join(self.folder, field["file"]), self.place[m], s.box, field.get("fills", "xyz"))
        if field.get("of") == "beads":
            self.energy += factor * v.sum()
            self.force[m] -= factor * g
            return
        charge, dipole = s.charge[m], s.dipole[m]
        self.energy += factor * (charge @ v + (dipole * g).sum())
        self.force[m] -= factor * (charge[:, None] * g + np.einsum("nij,nj->ni", h, dipole))
        self.virial += factor * np.diag((dipole * g).sum(0) * [key in field.get("fills", "xyz") for key in "xyz"])


def frame_forces(folder, prefix):
    with h5py.File(os.path.join(folder, prefix + ".h5md")) as file:
        found = []
        file.visititems(lambda name, item: found.append(item) if name.endswith("force/value") else None)
        return found[0][0]


def against_evaluator(checks, folder, start, settings, backend, precisions=("mixed", "double")):
    """Energy, pressure and forces of the start with and without the fields."""
    want = Expected(start, settings["fields"], folder)
    still = {**settings, "run.steps": 0, "output.frames_every": 1, "output.forces": 1}
    for precision in precisions:
        case = {**still, "run.precision": precision}
        trial.simulate(folder, "with", case)
        trial.simulate(folder, "without", {**case, "fields": "[]"})
        a, b = trial.columns(folder, "with"), trial.columns(folder, "without")
        checks.true("a column of its own", "external" in a and "external" not in b)
        checks.close(f"energy, {precision}, {backend}", a["external"][0], want.energy, 1e-11)
        checks.close("potential", a["potential"][0] - b["potential"][0], want.energy, 1e-9)
        volume = want.state.box.prod()
        for i in range(3):
            for j in range(3):
                name = f"p{'xyz'[i]}{'xyz'[j]}_bar"
                checks.close(name, a[name][0] - b[name][0], want.virial[i, j] / volume * BAR,
                             absolute=1e-3)
        difference = frame_forces(folder, "with") - frame_forces(folder, "without")
        checks.close(f"forces, {precision}, {backend}", np.abs(difference - want.force).max(), 0,
                     absolute=1e-3)
        checks.true("forces on some", np.abs(want.force).max() > 20)


def one_trajectory(checks, folder, settings, backend):
    """The same bits on any number of ranks and in parts, and checked forces."""
    case = {**settings, "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen"}
    trial.same_states(checks, folder, case, (1, 3), 17, backend)


def moving(checks, folder, settings, backend):
    """Fields that change in time: the energy after some steps is that of the time; the same bits on any number of ranks
    and in parts; checked forces; nothing is said to be conserved."""
    case = {**settings, "fields": MOVING.replace("\n", ""), "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen",
            "run.precision": "double"}
    trial.same_states(checks, folder, case, (1, 3), 17, backend + ", in time")
    want = Expected(trial.checkpoint(folder, "on1"), MOVING, folder, 40 * settings["run.dt"])
    rows, parts = trial.columns(folder, "on3"), trial.columns(folder, "parts")
    checks.close(f"energy at a time, {backend}", rows["external"][-1], want.energy, 1e-10)
    checks.true("other than before", abs(rows["external"][-1] - rows["external"][0]) > 10, rows["external"])
    for key in "external", "external_work":
        checks.true(key + " on ranks and in parts", all(rows[key] == parts[key]) and all(
            rows[key] == trial.columns(folder, "on1")[key]), rows[key], parts[key])
    checks.true("nothing is conserved", np.isnan(rows["conserved"]).all() and np.isfinite(rows["total"]).all())
    work(checks, folder, {**case, "thermostat.type": "none", "barostat.type": "none", "output.energies_every": 1})


def work(checks, folder, settings):
    """That of a step is the change of the energy in time, at the positions before and after in the mean; in a job for each
    step, and none of a step in which no value changes."""
    text, dt, known = MOVING.replace("\n", "")[:-1] + ", " + PLACES + "]", settings["run.dt"], [0.0]
    for step in range(5):
        state = settings["input"] if step == 0 else trial.checkpoint(folder, "before")
        trial.simulate(folder, "step", {**settings, "fields": text, "run.steps": step + 1}, restart="auto" if step else "never")
        energy = [[Expected(at, text, folder, (step + k) * dt).energy for k in range(2)] for at in (state, trial.checkpoint(folder, "step"))]
        known.append(known[-1] + (energy[0][1] - energy[0][0] + energy[1][1] - energy[1][0]) / 2)
        shutil.copy(trial.checkpoint(folder, "step"), trial.checkpoint(folder, "before"))
    found = trial.columns(folder, "step")["external_work"]
    checks.close("work of single steps", np.abs(found - known).max(), 0, absolute=1e-6)
    checks.true("of all of them", np.abs(np.diff(known)).min() > 100, known)
    over = "[{form: electric, z: [[0, 0.1], [0.02, 0.4]]}]"
    trial.simulate(folder, "over", {**settings, "fields": over, "run.steps": 8, "run.dt": 0.005})
    found = trial.columns(folder, "over")["external_work"]
    checks.true("and none at rest", len(set(found[:5])) == 5 and len(set(found[4:])) == 1, found)


def conserved(checks, folder, start, settings, backend):
    """Forces and torques belong to the energy: it is conserved as well as without fields. A dipole that
    a wrong torque turned would change it by its energy in the field."""
    drift = []
    for fields in "[]", settings["fields"]:
        case = {**settings, "input": start, "fields": fields, "thermostat.type": "none", "run.dt": 0.002,
                "run.steps": 200, "output.energies_every": 10, "run.precision": "double"}
        trial.simulate(folder, "nve", case)
        found = trial.columns(folder, "nve")
        drift.append(np.ptp(found["total"]))
    change = np.ptp(found["external"])
    checks.true(f"energy is conserved, {backend}", drift[1] < 2 * drift[0] + 1e-3 * change, drift, change)
    checks.true("and fields do work", change > 50 * drift[1], change, drift)


def conserved_in_time(checks, folder, start, settings, backend):
    """The energy less the work of fields that change in time is conserved as well as with fields that do not change."""
    case = {**settings, "input": start, "thermostat.type": "none", "run.dt": 0.002, "run.steps": 200,
            "output.energies_every": 10, "run.precision": "double"}
    trial.simulate(folder, "still", {**case, "fields": GENTLE})
    drift = np.ptp(trial.columns(folder, "still")["conserved"])
    edge = State(start).box[2]
    for name, fields, most in ("ramps", RAMPED, 0.1), ("waves", WAVES, 0.05):
        said = trial.simulate(folder, name, {**case, "fields": fields})
        checks.true("the potential difference of a field that changes",
                    f"up to {most:g} V/nm along z, which changes in time: a potential difference of up to {most * edge:.6g} V" in said, said)
        found = trial.columns(folder, name)
        most, change = np.ptp(found["conserved"]), np.ptp(found["total"])
        checks.true(f"energy is conserved less the work of {name}, {backend}", most < 2 * drift, most, drift)
        checks.true("and work is done", change > 20 * most, change, most)


GAS = """[ defaults ]
1 2
[ atomtypes ]
A 1 0 A 0 0
[ moleculetype ]
A 1
[ atoms ]
1 A 1 A A 1 0
[ moleculetype ]
Q 1
[ atoms ]
1 A 1 Q Q 1 1
[ system ]
gas
[ molecules ]
A %d
Q 1
"""
GAS_WALLS = "{form: wall_harmonic, low: 0.25, high: 0.75, k: 20}, {form: wall_9_3, axis: x, epsilon: 2, sigma: 0.5, density: 1.5}"


def gas(checks, folder, backend):
    """Beads without forces on each other between walls have the mean energy of Boltzmann's distribution; a charge in an
    oscillating field moves as it must."""
    n, edge, kt = 1500, 6.0, 0.00831446261815324 * 300
    x = np.random.default_rng(9).uniform([0.5, 0, 1.5], [5.5, 6, 4.5], (n + 1, 3))
    write(os.path.join(folder, "gas.top"), GAS % n)
    write(os.path.join(folder, "gas.gro"), "gas\n%d\n" % (n + 1) + "".join(
        "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (k + 1, "AQ"[k == n], "AQ"[k == n], k + 1, *p) for k, p in enumerate(x)) + "6 6 6\n")
    run("import", "gas.top", "gas.gro", "-o", "gas.h5", cwd=folder)
    settings = {"input": "gas.h5", "run.dt": 0.004, "run.steps": 3000, "thermostat.type": "langevin", "thermostat.tau": 0.7,
                "thermostat.temperature": 300, "output.energies_every": 20, "parallel.backend": backend}
    trial.simulate(folder, "gas", {**settings, "fields": f"[{GAS_WALLS}]"})
    got = trial.columns(folder, "gas")["external"][50:]
    z, s = np.linspace(-3, 9, 40001), np.linspace(0.15, 5.85, 40001)
    potentials = 10 * np.minimum(0, 1.5 - np.abs(z - 3))**2, sum(
        1.5 * np.pi * 8 * (0.5**12 / 45 / h**9 - 0.5**6 / 6 / h**3) for h in (s, edge - s))
    mean = [np.average(u, weights=np.exp(-u / kt)) for u in potentials]
    square = [np.average(u**2, weights=np.exp(-u / kt)) for u in potentials]
    error = ((sum(square) - sum(m**2 for m in mean)) / n / 8)**0.5 # of 8 times that beads mix
    checks.close("gas between walls, " + backend, got.mean() / (n + 1), sum(mean), absolute=4 * error)
    checks.true("which is sharp", error < 0.06 * abs(sum(mean)), error, mean)
    case = {**settings, "thermostat.type": "none", "run.steps": 400, "run.precision": "double", "output.energies_every": 400,
            "fields": "[{form: electric, y: 0.2, omega: 3, phase: -90}]"}
    trial.simulate(folder, "wave", case)
    end, a, t = trial.positions(trial.checkpoint(folder, "wave"))[-1], 0.2 * VOLT, 1.6 # 1 e, 1 amu
    checks.close("a charge in a wave, " + backend, end[1] - x[-1].round(3)[1], a / 3 * (t - np.sin(3 * t) / 3), absolute=2e-5 * a)
    rows, speed = trial.columns(folder, "wave"), a / 3 * (1 - np.cos(3 * t))
    checks.close("work of the wave", rows["external_work"][-1], speed**2 / 2 - a * np.sin(3 * t) * end[1], 3e-5)
    checks.close("all of the energy", np.ptp(rows["total"]), abs(rows["external_work"][-1]), 3e-5)


def mistakes(checks, folder, settings):
    first = State(settings["input"]).names[0]
    for text, words in (
            ("[{form: electrik, z: 1}]", ["electrik", "electric"]),
            ("[{form: electric, w: 1}]", ["'w'"]),
            ("[{form: electric, z: 1, group: {types: [Q9]}}]", ["no bead type 'Q9'"]),
            ("[{form: electric, z: 1, group: {molecules: [XXXX]}}]", ["no molecule type 'XXXX'"]),
            ("[{form: electric, z: 1, group: {ids: [5, 2]}}]", ["ids"]),
            ("[{form: electric}]", ["exerts no force"]),
            ("[{form: restraint, kz: -1}]", ["kz"]),
            ("[{form: harmonic, kz: 40}]", ["write restraint", "twice"]),
            ("[{form: wall_harmonic, k: 1, low: 0.5, high: 0.4}]", ["high must be above low"]),
            ("[{form: wall_harmonic, k: 1, low: 0.1, high: 1.2}]", ["at most 1"]),
            ("[{form: wall_harmonic, k: 1, low: [[0, 0.1], [1, 0.6]], high: 0.5}]", ["high must be above low"]),
            ("[{form: wall_harmonic, k: 1, axis: w}]", ["'w'", "x|y|z"]),
            ("[{form: wall_harmonic}]", ["exerts no force"]),
            ("[{form: wall_9_3, epsilon: 1, low: 0.1, high: 0.9}]", ["bead ", "behind", "linear"]),
            ("[{form: wall_9_3, epsilon: 1, type: %s}]" % first, ["either epsilon and sigma, or type"]),
            ("[{form: wall_9_3, type: WATER9}]", ["no bead type 'WATER9'"]),
            ("[{form: wall_12_6, epsilon: 1, density: 2}]", ["'density'"]),
            ("[{form: sphere, radius: 1}]", ["exerts no force"]),
            ("[{form: sphere, radius: -1, k_inside: 1}]", ["radius"]),
            ("[{form: electric, z: 1, sigma: -1}]", ["sigma"]),
            ("[{form: electric, z: [[1, 2], [0.5, 3]]}]", ["before that of the point before"]),
            ("[{form: electric, z: [[0, 2000]]}]", ["1000"]),
            ("[{form: electric, z: 1, sigma: 1e-300}]", ["sigma", "less than"]),
            ("[{form: wall_9_3, epsilon: 1, density: 0, linear: 0.1}]", ["exerts no force"]),
            ("[{form: wall_9_3, epsilon: 1, linear: 1e-300}]", ["linear", "less than"]),
            ("[{form: sphere, k_outside: 1}]", ["exerts no force"]),
            ("[{form: sphere, radius: 50, k_inside: 1}]", ["radius is 50 nm", "half the box edge across x"]),
            ("[{form: cylinder, radius: 50, k_outside: 1}]", ["radius is 50 nm"]),
            ("[{form: map, file: charges.dx, factor: 0}]", ["exerts no force"]),
            ("[{form: map}]", ["file"]),
            ("[{form: map, file: nowhere.dx}]", ["nowhere.dx", "No such file"]),
            ("[{form: map, file: nowhere.h5}]", ["nowhere.h5"]),
            ("[{form: map, file: charges.dx, of: dipoles}]", ["'dipoles'"]),
            ("[{form: map, file: charges.dx}]", ["does not fill it"]),
            ("[{form: map, file: %s}]" % settings["input"], ["not a map"]),
            ("[" + ", ".join(["{form: force, x: 1}"] * 9) + "]", ["8"])):
        said = trial.simulate(folder, "wrong", {**settings, "fields": text}, status=2)
        checks.true(text[:60], all(word in said for word in words), said)
    source = os.path.join(folder, "lines.yaml")
    write(source, f"input: {settings['input']}\nfields:\n  - {{form: force, x: 1}}\n  - {{form: force, q: 1}}\n")
    checks.refused("the line of a mistake", "lines.yaml:4", "run", source, cwd=folder)
    for field in "map, file: nowhere.dx", "wall_9_3, epsilon: 1, low: 0.1, high: 0.9", "sphere, radius: 50, k_inside: 1":
        write(source, f"input: {settings['input']}\nfields:\n  - {{form: force, x: 1}}\n  - {{form: {field}}}\n")
        checks.refused("the line of a field that does not fit", "lines.yaml:4: fields[2]: ", "run", source, cwd=folder)


def bad_maps(checks, folder, settings):
    """OpenDX files that are no maps: the line and the reason."""
    good = "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 5 0 0\ndelta 0 5 0\ndelta 0 0 5\n"
    array = "object 3 class array type double rank 0 items 8 data follows\n"
    for text, words in (
            ("", ["the file ends before"]), (good, ["line 5", "the file ends before"]), (array + "1 2 3\n", ["line 1", "missing before"]),
            (good + array + "1 2 3 4 5 6 7\n", ["line 7", "7 of 8"]), (good + array + "1 2 3 4 5 x 7 8\n", ["line 7", "'x' is not a number"]),
            (good + array + "1 2 3 4 5 nan 7 8\n", ["not a number"]), (good.replace("2 2 2", "2 0 2") + array, ["line 1", "numbers of points"]),
            (good.replace("2 2 2", "100000 100000 100000") + array, ["line 1", "at most"]),
            (good.replace("delta 5 0 0", "delta 5 1 0") + array, ["line 3", "along x, y and z"]),
            (good.replace("delta 5 0 0", "delta -5 0 0") + array, ["line 3"]), (good.replace("0 0 5", "0 0 5e9") + array + "1 1 1 1 1 1 1 1\n", ["does not fill"]),
            (good.replace("origin 0 0 0", "origin 0 0") + array, ["line 2", "a number is missing"]),
            (good.replace("origin 0 0 0\n", "") + array, ["'origin'", "missing"]), (good + array.replace("items 8", "items 7"), ["line 6", "7 items", "8 points"]),
            (good + array + "1 2 3 4 5 6 7 8 9\n", ["line 7", "more values"]), (good + array + "1 2 3 4 5 6 7 8\n9\n", ["line 8", "more values"]),
            (good + array.replace("rank 0", "rank 1"), ["line 6", "rank 1"]), (good + array.replace("follows", "file x.bin"), ["line 6", "data follows"]),
            (good.replace("origin 0 0 0", "origin 1e300 0 0") + array + "1 2 3 4 5 6 7 8\n", ["1e+299"]), (good + array + "1 " * 2000, ["line 7", "1024 words"])):
        write(os.path.join(folder, "bad.dx"), text)
        said = trial.simulate(folder, "wrong", {**settings, "fields": "[{form: map, file: bad.dx}]"}, status=2)
        checks.true(f"map {text[-40:]!r}", "bad.dx" in said and all(word in said for word in words), said)


def outside(checks, folder, settings):
    """Pressure profiles are without forces from outside, and the log says without which."""
    case = {**settings, "run.steps": 0, "observe": "[{pressure: {every: 10}}]"}
    d = "[{name: d, kind: distance, of: {ids: [1, 8]}, from: {ids: [91, 98]}}]"
    for fields, biases, words in (settings["fields"], "[]", "external fields:"), (
            settings["fields"], "[{name: b, coordinate: d, kind: umbrella, k: 1, at: 1}]", "external fields, biases:"), ("[]", "[]", ""):
        said = trial.simulate(folder, "outside", {**case, "fields": fields, "coordinates": d, "biases": biases})
        checks.true("profiles without " + words, f"without those of {words}" in said if words else "profiles" not in said, said)


def other_fields_later(checks, folder, settings):
    case = {**settings, "run.steps": 10}
    trial.simulate(folder, "later", {**case, "fields": "[]"})
    said = trial.simulate(folder, "later", {**case, "run.steps": 20}, restart="auto", status=2)
    checks.true("other columns are refused", "later.csv" in said and "other columns" in said, said)
    os.unlink(os.path.join(folder, "later.csv"))
    said = trial.simulate(folder, "later", {**case, "run.steps": 20}, restart="auto")
    checks.true("a change of fields is said", "fields" in said, said)


def fields(checks, folder, backend):
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2,
                "output.energies_every": 10, "parallel.backend": backend, "fields": fields_of(start)}
    write_maps(folder, start)
    against_evaluator(checks, folder, start, settings, backend)
    one_trajectory(checks, folder, settings, backend)
    others = {**settings, "fields": others_of(start)}
    against_evaluator(checks, folder, start, others, backend, ["double"])
    moving(checks, folder, settings, backend)
    patch = trial.membrane(folder, copies=1)
    conserved(checks, folder, patch, {**settings, "fields": fields_of(patch), "neighbor.skin": "auto"}, backend)
    write_maps(folder, patch)
    conserved(checks, folder, patch, {**settings, "fields": GENTLE, "neighbor.skin": "auto"}, backend)
    conserved_in_time(checks, folder, patch, {**settings, "neighbor.skin": "auto"}, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = fields(checks, folder, "cpu")
        gas(checks, folder, "cpu")
        mistakes(checks, folder, settings)
        bad_maps(checks, folder, settings)
        outside(checks, folder, settings)
        other_fields_later(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
