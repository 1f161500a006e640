"""Constraints and virtual sites in whole runs: lengths and places in the states that runs leave, forces
against slopes of the energy, the pressure of molecules that turn freely, pressure profiles against brute
force, conservation of energy, the temperature of a thermostat, the same bits on any number of ranks and in jobs that were split."""
import os
import tempfile

import h5py
import numpy as np
import yaml

import oracle_frames
import oracle_observe
import trial
from run_lamella import Checks, energy, run, write
from test_ensemble import inefficiency

FIELD = os.path.join(os.environ.get("top_srcdir", "."), "tests", "support", "clusters.yaml")
SPEC = """
forcefield: %s
seed: 3
temperature: 300
bilayer:
  upper: {STEROL: 12, ROD: 10, BENT: 10}
  lower: {STEROL: 15, ROD: 7, BENT: 10}
  area_per_lipid: 0.5
  water_per_lipid: 6
  water: W
  water_density: 960
minimise: {max_steps: 200, force: 500}
replicate: [%d, 1, 1]
"""
RUN = {"run.dt": 0.01, "run.seed": 5, "thermostat.temperature": 300}
LANGEVIN = {"thermostat.type": "langevin", "thermostat.tau": 0.2}


class State:
    """Positions, momenta and molecules of a state file."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.box = file["system/box"][:]
            self.p = file["beads/momentum"][:]
            self.ff = yaml.safe_load(file["forcefield/text"][0].decode().rstrip("\0"))
            kind, number = file["beads/kind"][:], file["beads/molecule"][:]
        self.x = trial.positions(path)
        names = list(self.ff["molecules"])
        firsts = np.flatnonzero(np.r_[True, number[1:] != number[:-1]])
        self.molecules = [(names[kind[k]], k) for k in firsts]

    def of(self, key):
        """Entries of `constraints` or `sites` with the index of the first bead of their molecule."""
        for name, first in self.molecules:
            for entry in self.ff["molecules"][name].get(key, []):
                yield name, first, entry

    def arm(self, i, j):
        d = self.x[j] - self.x[i]
        return d - self.box * np.round(d / self.box)

    def errors(self):
        """The largest relative errors of lengths, and of speeds along them."""
        length = speed = 0.0
        for name, first, entry in self.of("constraints"):
            i, j = (first + k - 1 for k in entry[:2])
            beads = self.ff["molecules"][name]["beads"]
            mass = [self.ff["types"][beads[k - 1]]["mass"] for k in entry[:2]]
            d, v = self.arm(i, j), self.p[j] / mass[1] - self.p[i] / mass[0]
            length = max(length, abs(np.linalg.norm(d) / entry[2] - 1))
            speed = max(speed, abs(d @ v) / (np.linalg.norm(d) * np.linalg.norm(v) + 1e-300))
        return length, speed

    def misplaced(self):
        """By how much sites are off their places, nm, at most, and their largest momentum."""
        most = motion = 0.0
        for _, first, site in self.of("sites"):
            at = [first + k - 1 for k in site["from"]]
            r = [self.arm(at[0], k) for k in at]
            form = site["form"]
            if form == "linear":
                place = site["a"] * r[1]
            elif form == "distance":
                place = site["d"] * r[1] / np.linalg.norm(r[1])
            elif form == "plane":
                place = site["a"] * r[1] + site["b"] * r[2]
            elif form == "plane_distance":
                u = r[1] + site["a"] * (r[2] - r[1])
                place = site["d"] * u / np.linalg.norm(u)
            elif form == "in_plane":
                u = r[1] / np.linalg.norm(r[1])
                v = r[2] - np.dot(r[2], u) * u
                place = site["a"] * u + site["b"] * v / np.linalg.norm(v)
            elif form == "above_plane":
                n = np.cross(site["a"] * r[2] - r[1], site["b"] * r[3] - r[1])
                place = site["c"] * n / np.linalg.norm(n)
            elif form == "out_of_plane":
                place = site["a"] * r[1] + site["b"] * r[2] + site["c"] * np.cross(r[1], r[2])
            else:
                place = np.average(r, axis=0, weights=site["weights"])
            bead = first + site["bead"] - 1
            most = max(most, np.abs(self.arm(at[0], bead) - place).max())
            motion = max(motion, np.abs(self.p[bead]).max())
        return most, motion


FLAT = """[ defaults ]
1 2
[ atomtypes ]
A 72 0 A 0.3 2
[ moleculetype ]
SQUARE 1
[ atoms ]
1 A 1 SQ A1 1
2 A 1 SQ A2 1
3 A 1 SQ A3 1
4 A 1 SQ A4 1
[ constraints ]
1 2 1 0.3
2 3 1 0.3
3 4 1 0.3
4 1 1 0.3
1 3 1 %.17g
2 4 1 %.17g
[ system ]
flat
[ molecules ]
SQUARE 1
""" % (0.3 * 2 ** 0.5, 0.3 * 2 ** 0.5)


def check_flat(checks, folder):
    """A square with both diagonals, which moves out of its plane, ends with the names of beads."""
    corners = [(1, 1), (1.3, 1), (1.3, 1.3), (1, 1.3)]
    rows = ["%5d%-5s%5s%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f" % (1, "SQ", "A%d" % (k + 1), k + 1, x, y, 1, 0, 0,
            0.5 * (-1) ** k) for k, (x, y) in enumerate(corners)]
    for name, text in ("flat.top", FLAT), ("flat.gro", "\n".join(["flat", "4", *rows, "4 4 4", ""])), \
            ("flat.yaml", "input: flat.h5\nrun: {steps: 10, dt: 0.02}\n"):
        write(os.path.join(folder, name), text)
    run("import", "flat.top", "flat.gro", "-o", "flat.h5", cwd=folder)
    done = run("run", "flat.yaml", cwd=folder, status=None)
    checks.true("a flat cluster: status", done.returncode == 3, done.returncode)
    checks.true("a flat cluster: beads", "constraints of the cluster of beads" in done.stderr, done.stderr)


CHAINS = """
format: 1
name: chains
cutoff: 1.1
types: {A: {mass: 40}, H: {mass: 60}, L: {mass: 10}, S: {mass: 0}}
pair:
  lj: {truncation: energy_shift, mixing: lorentz_berthelot}
  electrostatics: {truncation: none}
  table: [[A, A, {epsilon: 1, sigma: 0.3}], [H, H, {epsilon: 1, sigma: 0.3}], [L, L, {epsilon: 1, sigma: 0.3}],
    [S, S, {epsilon: 1, sigma: 0.3}]]
molecules:
  FIVE: {beads: [A, A, A, A, A], constraints: [[1, 2, 0.35], [2, 3, 0.35], [3, 4, 0.35], [4, 5, 0.35]]}
  LIGHT: {beads: [H, L, H], constraints: [[1, 2, 0.35], [2, 3, 0.35]]}
  TEN: {beads: [H, L, H, L, H, L, H, L, H, L], constraints: [[1, 2, 0.35], [2, 3, 0.3], [3, 4, 0.35], [4, 5, 0.3],
    [5, 6, 0.35], [6, 7, 0.3], [7, 8, 0.35], [8, 9, 0.3], [9, 10, 0.35]]}
  FORK: {beads: [A, A, A, A, A, A, A], constraints: [[1, 2, 0.35], [2, 3, 0.35], [3, 4, 0.35], [2, 5, 0.35],
    [5, 6, 0.35], [6, 7, 0.35]]}
  RING: {beads: [H, A, A, A, A, S], constraints: [[1, 2, 0.4], [2, 3, 0.3], [3, 4, 0.3], [2, 4, 0.3], [4, 5, 0.45]],
    sites: [{bead: 6, form: linear, from: [3, 5], a: 0.5}], exclusions: [[6, 1, 2, 3, 4, 5]]}
"""


def check_built(checks, folder):
    """Membranes of all kinds of clusters are built, also where lipids have to be squeezed to half their length."""
    field = os.path.join(folder, "chains.yaml")
    write(field, CHAINS)
    for name in "FIVE", "LIGHT", "TEN", "FORK", "RING":
        for area in 0.6, 1.0, 1.6:
            spec = os.path.join(folder, "built.yaml")
            write(spec, "forcefield: %s\nbilayer: {upper: {%s: 9}, lower: {%s: 9}, area_per_lipid: %g, "
                        "water_per_lipid: 0, height: 5}\n" % (field, name, name, area))
            done = run("build", spec, "-o", "built.h5", cwd=folder, status=None)
            what = f"{name} at {area} nm2"
            checks.true(what + " is built", done.returncode == 0, done.stderr)
            if done.returncode == 0:
                check_state(checks, what, os.path.join(folder, "built.h5"))


def check_state(checks, what, path):
    state = State(path)
    length, speed = state.errors()
    place, motion = state.misplaced()
    checks.true(what + ": lengths", length < 1e-10, length)
    checks.true(what + ": speeds", speed < 1e-10, speed)
    checks.true(what + ": places of sites", place < 1e-12 and motion == 0, place, motion)


def forces_of(folder, path):
    out = os.path.join(folder, "forces")
    run("energy", path, "--precision=double", "--forces=" + out)
    return np.loadtxt(out)[:, 1:4]


def check_slopes(checks, folder, path):
    """Forces on some beads, of which sites are built, against differences of the energy."""
    state, force = State(path), forces_of(folder, path)
    h, moved = 1e-5, os.path.join(folder, "moved.h5")
    sites = [first + site["bead"] - 1 for _, first, site in state.of("sites")]
    checks.true("sites have no force", np.all(force[sites] == 0))
    done = set()
    for name, first, site in state.of("sites"):
        if (name, site["bead"]) in done:
            continue
        done.add((name, site["bead"]))
        bead = first + site["from"][len(done) % len(site["from"])] - 1
        if bead in sites:
            continue
        axis, u = len(done) % 3, []
        for step in -2, -1, 1, 2:
            x = state.x.copy()
            x[bead, axis] += step * h
            with open(path, "rb") as old, open(moved, "wb") as new:
                new.write(old.read())
            trial.place(moved, state.box, x)
            u.append(energy(moved, "--precision=double")["potential"])
        slope = (u[0] - 8 * u[1] + 8 * u[2] - u[3]) / (12 * h)
        checks.close(f"force on bead {bead + 1} of {name}", force[bead, axis], -slope, 1e-6, 1e-2)


def check_free(checks, folder):
    """Molecules far apart, each at rest as a whole: the virial of its constraints is twice its energy of
    rotation, so that the pressure is 0."""
    for name in "STEROL", "ROD", "BENT":
        with open(FIELD) as file:
            ff = yaml.safe_load(file)
        beads = ff["molecules"][name]["beads"]
        for key in "bonds", "angles":
            ff["molecules"][name].pop(key, None)
        if name == "STEROL":  # without the tail, which no constraint holds
            beads.pop()
            ff["molecules"][name]["exclusions"] = [[k, *range(k + 1, 8)] for k in range(1, 7)]
        if name == "BENT":  # what is not rigid has forces, but they are excluded
            ff["molecules"][name]["constraints"].append([1, 3, 0.5])
            ff["molecules"][name]["exclusions"] = [[4, 1, 2, 3]]
        field = os.path.join(folder, "field.yaml")
        with open(field, "w") as file:
            yaml.safe_dump(ff, file)
        start = trial.build(folder, "free", f"forcefield: {field}\nseed: 2\ntemperature: 300\n"
                            f"bilayer: {{upper: {{{name}: 1}}, lower: {{{name}: 1}}, "
                            "area_per_lipid: 9, water_per_lipid: 0}\nminimise: no\n")
        state = State(start)
        with h5py.File(start, "r+") as file:
            n, p = len(beads), file["beads/momentum"][:]
            mass = np.array([ff["types"][k]["mass"] for k in beads])
            for k in 0, n:
                p[k:k + n] -= np.outer(mass, p[k:k + n].sum(axis=0) / mass.sum())
            file["beads/momentum"][:] = p
        state.x[n:] += 4 * state.box
        trial.place(start, 8 * state.box, state.x)
        trial.simulate(folder, "free", {"input": start, "run.steps": 40, "run.dt": 0.005,
                                        "run.precision": "double", "output.energies_every": 1})
        rows = trial.columns(folder, "free")
        volume = rows["volume_nm3"]
        ideal = 2 * rows["kinetic"] / (3 * volume) * 16.605390672
        checks.true(f"{name} turns", np.all(rows["kinetic"] > 0.1))
        worst = np.abs(rows["pressure_bar"] / ideal).max()
        checks.true(f"the pressure of {name} that turns freely", worst < 1e-6, worst)


def check_conservation(checks, folder, start):
    trial.simulate(folder, "warm", {"input": start, "run.steps": 500, **RUN, **LANGEVIN})
    warm = trial.checkpoint(folder, "warm")
    check_state(checks, "langevin", warm)
    for precision in "double", "mixed":
        trial.simulate(folder, precision, {"input": warm, "run.steps": 1200, "run.dt": 0.005,
                                           "run.precision": precision, "output.energies_every": 10})
        total = trial.columns(folder, precision)["total"]
        kinetic = trial.columns(folder, precision)["kinetic"]
        drift = np.polyfit(np.arange(len(total)), total, 1)[0] * len(total)
        checks.true(f"energy in {precision}", abs(drift) < 3e-4 * kinetic.mean() and
                    total.std() < 0.1 * kinetic.std(), drift, total.std(), kinetic.std())
        check_state(checks, precision, trial.checkpoint(folder, precision))
    trial.simulate(folder, "hot", {"input": warm, "run.steps": 2000, **RUN, **LANGEVIN, "thermostat.tau": 0.05,
                                   "output.energies_every": 5})
    temperature = trial.columns(folder, "hot")["temperature_K"][20:]
    error = temperature.std() / (len(temperature) / inefficiency(temperature))**0.5
    checks.true("the test can tell the temperature", error < 1.5, error)
    checks.close("the temperature", temperature.mean(), 300, absolute=4.0)


def check_profile(checks, folder, start):
    """Pressure profiles against brute force, of a membrane across the edge of the box, with a time step
    whose square shows in the forces of constraints."""
    trial.simulate(folder, "soft", {"input": start, "run.steps": 100, **RUN, **LANGEVIN})
    start = trial.checkpoint(folder, "soft")
    with h5py.File(start, "r+") as file:
        file["beads/position"][:, 2] += np.int32(0.46 * 2**32)
        file["neighbor_list/step"][...] = -1
    for precision, bound in ("double", 1e-6), ("mixed", 1e-4):
        states = [oracle_frames.of_state(start)]
        for step in 20, 40:
            trial.simulate(folder, "profile", {
                "input": start, "run.steps": step, "run.dt": 0.02, **LANGEVIN, "run.precision": precision,
                "neighbor.skin": 0.15, "barostat.type": "crescale", "barostat.every": 5, "barostat.tau": 1.0,
                "observe": "[{pressure: {every: 20, bins: 21}}]", "membrane.lipids": "[STEROL, ROD, BENT]"}, restart="auto" if step > 20 else "never")
            states.append(oracle_frames.of_state(trial.checkpoint(folder, "profile")))
        with h5py.File(os.path.join(folder, "profile.observables.h5"), "r") as file:
            found = file["pressure"]
            if found.attrs["first_step"] > 0:
                states.pop(0)
            want = oracle_observe.tables("pressure", states, {"dt": 0.02}, bins=21)
            scale = np.abs(want["pressure"]["normal"]).max()
            for table, columns in want.items():
                columns.pop("rows")
                checks.true(f"{precision}: columns of {table}", set(columns) < set(found[table]), list(found[table]))
                for name, values in columns.items():
                    size = scale if table == "pressure" else np.abs(values) + 1
                    off = np.abs(found[table][name][:] - values) / size
                    checks.true(f"{precision}: {name} of {table}", off.max() < bound, off.max(), values)
            whole, *parts = (float(found["tension/tension" + name][0])
                             for name in ("", "_irving_kirkwood", "_harasima", "_upper", "_lower"))
            for value in *parts[:2], sum(parts[2:]) / 2:
                checks.close(f"{precision}: tension of the box", value, whole, bound)


def check_bits(checks, folder):
    start = trial.build(folder, "long", SPEC % (FIELD, 3))
    trial.simulate(folder, "longwarm", {"input": start, "run.steps": 100, **RUN, **LANGEVIN})
    common = {"input": trial.checkpoint(folder, "longwarm"), "run.steps": 40, **RUN,
              "neighbor.skin": 0.1, "output.energies_every": 20,
              "observe": "[{pressure: {every: 10, bins: 20}}]"}
    npt = {"barostat.type": "crescale", "barostat.coupling": "semi_isotropic", "barostat.tau": 2.0,
           "barostat.every": 5}
    kinds = {"nve": {}, "bussi": {"thermostat.type": "bussi", "thermostat.tau": 0.5},
             "npt": {**npt, **LANGEVIN, "run.precision": "double"}}
    others = {"nve": (4,), "bussi": (3,), "npt": (2, 4)}  # ranks; two jobs run on 2 and 3
    for kind, settings in kinds.items():
        for ranks in 1, *others[kind]:
            name = f"{kind}{ranks}"
            trial.simulate(folder, name, {**common, **settings}, ranks=ranks)
            wrong = trial.differences(trial.checkpoint(folder, kind + "1"), trial.checkpoint(folder, name))
            checks.true(f"bits of {kind} on {ranks} ranks", not wrong, wrong)
        with h5py.File(trial.checkpoint(folder, kind + "1"), "r") as file:
            checks.true(f"lists of {kind} were built", file["counters/builds"][0] > 3)
        name = kind + "split"
        trial.simulate(folder, name, {**common, **settings, "run.steps": 22}, ranks=2)
        trial.simulate(folder, name, {**common, **settings}, restart="auto", ranks=3)
        wrong = trial.differences(trial.checkpoint(folder, kind + "1"), trial.checkpoint(folder, name))
        checks.true(f"bits of {kind} in two jobs", not wrong, wrong)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        start = trial.build(folder, "start", SPEC % (FIELD, 1))
        check_state(checks, "start", start)
        check_slopes(checks, folder, start)
        check_free(checks, folder)
        check_conservation(checks, folder, start)
        check_flat(checks, folder)
        check_built(checks, folder)
        check_profile(checks, folder, start)
        check_bits(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
