"""Thermostats of groups of beads: two fluids that do not feel each other reach each its own temperature with
the law of its kinetic energy; temperatures in the file against the momenta of a state; conserved energy and
momentum; the same bits on any number of ranks and in parts; mistakes in the list."""
import os
import tempfile

import h5py
import numpy as np

import trial
from oracle import State
from run_lamella import Checks, write
from test_ensemble import K_B, check_kinetic, inefficiency

APART = """
format: 1
name: apart
version: "1"
source: "made up for tests: two fluids that do not feel each other"
cutoff: 0.8
types:
  A: {mass: 20}
  B: {mass: 50}
pair:
  lj: {truncation: force_shift, mixing: none}
  electrostatics: {truncation: none}
  table:
    - [A, A, {epsilon: 1, sigma: 0.4}]
    - [B, B, {epsilon: 1, sigma: 0.4}]
    - [A, B, {epsilon: 0, sigma: 0.4}]
molecules:
  A: {beads: [A]}
  B: {beads: [B]}
"""
LATTICE = """
forcefield: %s
seed: 5
temperature: 250
lattice: {type: fcc, cells: [5, 5, 5], density: 10, molecule: A}
"""
COLD, WARM = 180, 330
GROUPS = ("[{name: cold, group: {molecules: [A]}, temperature: %d, tau: 0.05}, "
          "{name: warm, group: {types: [B]}, temperature: %d, tau: 0.08}]" % (COLD, WARM))
LIPIDS = "{name: lipids, group: {molecules: [DOPC, DMPC, DOPE, POPC]}, tau: 0.3}"
WATER = "{name: water, group: {molecules: [W]}, temperature: 290, tau: 0.2}"


def apart(folder):
    """Two fluids in one box: every third bead of a lattice is a B."""
    field = os.path.join(folder, "apart_field.yaml")
    write(field, APART)
    start = trial.build(folder, "apart", LATTICE % field)
    with h5py.File(start, "r+") as file:
        for name in "type", "kind":
            file["beads/" + name][2::3] = 1
    return start


def own_temperatures(checks, folder, steps):
    start = apart(folder)
    n = np.bincount(State(start).type)
    mass = np.array([20.0, 50.0])
    lost = 3 * n * mass / (n @ mass)
    for kind in "bussi", "langevin", "berendsen":
        trial.simulate(folder, kind, {
            "input": start, "run.steps": steps, "run.dt": 0.005, "thermostat.type": kind,
            "thermostat.every": 2, "thermostat.groups": GROUPS, "output.energies_every": 5}, timeout=3000)
        columns = trial.columns(folder, kind)
        for k, (name, temperature) in enumerate((("cold", COLD), ("warm", WARM))):
            freedom = 3 * n[k] - lost[k] * (kind != "langevin")
            seen = columns[f"temperature_{name}_K"][100:]
            if kind == "berendsen":
                checks.close(f"berendsen, {name}", seen.mean(), temperature, 2e-3)
            else:
                check_kinetic(checks, f"{kind}, {name}", seen * freedom * K_B / 2, freedom, temperature,
                              0 if kind == "bussi" else 2e-3)


FEW = """
format: 1
name: few
version: "1"
source: "made up for tests: beads of which some have most of the mass"
cutoff: 0.5
types:
  H: {mass: 200}
  L: {mass: 20}
pair:
  lj: {truncation: force_shift, mixing: geometric}
  electrostatics: {truncation: none}
  table:
    - [H, H, {epsilon: 1, sigma: 0.3}]
    - [L, L, {epsilon: 1, sigma: 0.3}]
molecules:
  H: {beads: [H]}
  L: {beads: [L]}
"""


def few_beads(checks, folder, steps):
    """Groups of few beads have their temperature too, also one bead, and beads that have most of the mass."""
    field = os.path.join(folder, "few_field.yaml")
    write(field, FEW)
    start = trial.build(folder, "few", f"forcefield: {field}\nseed: 5\ntemperature: 300\n"
                        "lattice: {type: fcc, cells: [2, 2, 1], density: 2, molecule: L}\n")
    for heavy, groups in (1, {"one": (1, 1), "rest": (2, 16)}), (2, {"two": (1, 2), "rest": (3, 16)}), \
            (2, {"first": (1, 2), "second": (3, 8), "third": (9, 16)}):
        with h5py.File(start, "r+") as file:
            for name in "type", "kind":
                file["beads/" + name][:] = np.arange(16) >= heavy
        text = ", ".join("{name: %s, group: {ids: [%d, %d]}}" % (name, *ids) for name, ids in groups.items())
        trial.simulate(folder, "few_run", {
            "input": start, "run.steps": steps, "run.dt": 0.005, "thermostat.type": "bussi", "thermostat.every": 2,
            "thermostat.tau": 0.05, "thermostat.temperature": 300, "thermostat.groups": f"[{text}]",
            "neighbor.skin": 0.1, "run.momentum_every": 1000, "output.energies_every": 10})
        columns = trial.columns(folder, "few_run")
        for name in groups:
            seen = columns[f"temperature_{name}_K"][50:]
            error = seen.std() / (len(seen) / inefficiency(seen))**0.5
            print(f"{heavy} heavy beads of 16, group {name}: {seen.mean():.1f} +- {error:.1f} K")
            checks.true("the test can tell temperatures of few beads", error < 8, error)
            checks.close(f"{heavy} heavy beads, {name}", seen.mean(), 300, absolute=4 * error + 1)


def own_times(checks, folder):
    """One step of Langevin dynamics from rest gives a group the part 1 - exp(-2 dt / tau) of its temperature."""
    start = apart(folder)
    with h5py.File(start, "r+") as file:
        file["beads/momentum"][:] = 0
    trial.simulate(folder, "rest", {"input": start, "run.steps": 1, "run.dt": 0.005, "thermostat.type": "langevin",
                                    "thermostat.groups": GROUPS, "output.energies_every": 1})
    columns = trial.columns(folder, "rest")
    for name, temperature, tau, n in (("cold", COLD, 0.05, 334), ("warm", WARM, 0.08, 166)):
        want = temperature * (1 - np.exp(-2 * 0.005 / tau))
        checks.close(f"from rest, {name}", columns[f"temperature_{name}_K"][1], want, 4 * (2 / (3 * n))**0.5)


class Motion(State):
    """Kinetic energies of translation and rotation of beads, their degrees of freedom, momenta."""

    def __init__(self, path):
        super().__init__(path)
        with h5py.File(path) as file:
            p, j = file["beads/momentum"][:], file["beads/angular_momentum"][:]
        inertia = np.array([self.ff["types"][name].get("inertia", [0, 0, 0]) for name in self.names])[self.type]
        self.mass, self.momentum = self.by_type("mass"), p.sum(0)
        moves, turns = self.mass > 0, inertia > 0
        self.kinetic = (p**2).sum(1) / np.where(moves, self.mass, 1) / 2
        self.kinetic += (j**2 / np.where(turns, inertia, 1) * turns).sum(1) / 2
        self.freedom = 3 * moves + turns.sum(1)

    def of_molecules(self, *names):
        return np.isin(self.kind, [list(self.ff["molecules"]).index(name) for name in names])

    def temperature(self, inside, taken):
        return 2 * self.kinetic[inside].sum() / ((self.freedom[inside].sum() - taken) * K_B)

    def share(self, inside):
        return self.mass[inside].sum() / self.mass.sum()


def temperatures(checks, folder, prefix, kind):
    """The last line of the file against the momenta of the last state."""
    m, columns = Motion(trial.checkpoint(folder, prefix)), trial.columns(folder, prefix)
    water = m.of_molecules("W")
    for name, inside in (("lipids", ~water), ("water", water)):
        want = m.temperature(inside, 0 if kind == "langevin" else 3 * m.share(inside))
        checks.close(f"{kind}: {name}", columns[f"temperature_{name}_K"][-1], want, 2e-8)


def one_trajectory(checks, folder, start, backend, kinds):
    """The same bits on any number of ranks and in parts. kinds: {thermostat: ranks}."""
    for kind, ranks in kinds.items():
        case = {"input": start, "run.steps": 40, "run.dt": 0.008, "thermostat.type": kind,
                "thermostat.every": 3, "thermostat.temperature": 320, "barostat.type": "crescale",
                "thermostat.groups": f"[{LIPIDS}, {WATER}]", "parallel.backend": backend,
                "output.energies_every": 10}
        trial.same_states(checks, folder, case, (1, ranks), 17, f"{kind}, {backend}")
        temperatures(checks, folder, "parts", kind)


def removed(checks, folder, start):
    """Momentum that is removed has no temperature until the noise gives it back, as an Ornstein-Uhlenbeck process does."""
    for every in 0, 1, 20:
        trial.simulate(folder, "removed", {
            "input": start, "run.steps": 20, "run.dt": 0.005, "run.momentum_every": every, "thermostat.type": "langevin",
            "thermostat.groups": f"[{LIPIDS}, {WATER}]", "output.energies_every": 20})
        m, columns = Motion(trial.checkpoint(folder, "removed")), trial.columns(folder, "removed")
        water = m.of_molecules("W")
        friction = m.share(~water) / 0.3 + m.share(water) / 0.2
        lost = 3 * np.exp(-2 * friction * every * 0.005) if every else 0
        for name, inside in ("", water | ~water), ("_lipids", ~water), ("_water", water):
            want = m.temperature(inside, lost * m.share(inside))
            checks.close(f"momentum removed every {every} steps{name}", columns[f"temperature{name}_K"][-1], want, 2e-8)


def conserved(checks, folder, start, backend):
    """The work of both groups, which pass heat on, is told from the drift of the integrator."""
    drift, before = {}, Motion(start).momentum
    for kind in "none", "bussi", "berendsen":
        trial.simulate(folder, "nve", {
            "input": start, "run.steps": 300, "run.dt": 0.002, "run.precision": "double",
            "thermostat.type": kind, "thermostat.every": 2, "output.energies_every": 10,
            "thermostat.groups": f"[{LIPIDS}, {WATER}]", "thermostat.temperature": 340,
            "parallel.backend": backend})
        found = trial.columns(folder, "nve")
        drift[kind] = np.ptp(found["conserved"])
        gain = Motion(trial.checkpoint(folder, "nve")).momentum - before
        checks.true(f"the momentum stays, {kind}, {backend}", np.abs(gain).max() < 1e-4, gain)
        if kind == "none":
            checks.true("groups without a thermostat are seen", "temperature_water_K" in found)
            continue
        change = np.ptp(found["total"])
        checks.true(f"energy is conserved, {kind}, {backend}", drift[kind] < 3 * drift["none"], drift)
        checks.true(f"and work is done, {kind}", change > 30 * drift[kind], change, drift)


def one_group(checks, folder, start):
    """All beads in one group are as without groups."""
    for kind in "bussi", "langevin":
        case = {"input": start, "run.steps": 30, "thermostat.type": kind, "thermostat.every": 3,
                "thermostat.tau": 0.3, "run.seed": 7}
        trial.simulate(folder, "without", case)
        trial.simulate(folder, "all", {**case, "thermostat.groups": "[{name: all}]"})
        wrong = trial.differences(trial.checkpoint(folder, "without"), trial.checkpoint(folder, "all"))
        checks.true(f"one group of all beads, {kind}", not wrong, wrong)
        checks.true("its column", (trial.columns(folder, "all")["temperature_all_K"] ==
                                   trial.columns(folder, "all")["temperature_K"]).all())


def mistakes(checks, folder, start):
    case = {"input": start, "run.steps": 1, "thermostat.type": "bussi"}
    for text, words in (
            (f"[{LIPIDS}]", ["of type W", "in no group"]),
            (f"[{LIPIDS}, {WATER}, {{name: more, group: {{ids: [3, 4]}}}}]",
             ["bead 3", "'lipids' and 'more'"]),
            (f"[{LIPIDS}, {LIPIDS}]", ["two groups of the name 'lipids'"]),
            ("[{name: translation}]", ["temperature_translation_K is a column"]),
            ("[{name: rotation}]", ["temperature_rotation_K is a column"]),
            (f"[{LIPIDS}, {{group: {{molecules: [W]}}}}]", ["name"]),
            ("[{name: a b}]", ["letters"]),
            ("[{name: all, tau: 0}]", ["tau"]),
            ("[{name: all, temperature: -3}]", ["temperature"]),
            ("[{name: all, temprature: 3}]", ["temprature", "temperature"]),
            ("[{name: all, group: {molecules: [XXXX]}}]", ["no molecule type 'XXXX'"]),
            ("[{name: all}, {name: none, group: {types: [W], molecules: [DOPC]}}]", ["[2].group", "no bead of the system"]),
            ("[" + ", ".join("{name: g%d}" % k for k in range(9)) + "]", ["8"])):
        said = trial.simulate(folder, "wrong", {**case, "thermostat.groups": text}, status=2)
        checks.true(text[:70], all(word in said for word in words), said)
    source = os.path.join(folder, "lines.yaml")
    write(source, f"input: {start}\nthermostat:\n  type: bussi\n  groups:\n    - {{name: a, tau: x}}\n")
    checks.refused("the line of a mistake", "lines.yaml:5", "run", source, cwd=folder)


def divided_clusters(checks, folder):
    """Constraints and sites hold beads of one group."""
    field = os.path.join(os.environ.get("top_srcdir", "."), "tests", "support", "clusters.yaml")
    start = trial.build(folder, "clusters", f"forcefield: {field}\nbilayer: {{upper: {{STEROL: 16}}, lower: "
                        "{STEROL: 16}, area_per_lipid: 0.5, water_per_lipid: 6, water: W, "
                        "water_density: 960}\nreplicate: [3, 1, 1]\nminimise: {max_steps: 20}\ntemperature: 300\n")
    case = {"input": start, "run.steps": 30, "run.dt": 0.001, "thermostat.type": "bussi",
            "run.precision": "double", "thermostat.every": 2, "output.energies_every": 10}
    for types, status, words in (("F, H, S, Q", 0, ""), ("F, Q", 2, "belong to one cluster")):
        others = {"F", "H", "S", "Q", "T", "W"} - set(types.split(", "))
        text = (f"[{{name: rest, group: {{types: [{', '.join(sorted(others))}]}}}}, "
                f"{{name: rings, group: {{types: [{types}]}}, temperature: 500, tau: 0.02}}]")
        for ranks in 1, 2:
            said = trial.simulate(folder, "cluster", {**case, "thermostat.groups": text}, status=status,
                                  ranks=ranks)
            checks.true(f"clusters, {types}", words in said, said)
            if status == 0:
                m = Motion(trial.checkpoint(folder, "cluster"))
                rings = np.isin(m.type, [m.names.index(name) for name in "FHSQ"])
                want = m.temperature(rings, 6 * m.of_molecules("STEROL").sum() / 8 + 3 * m.share(rings))
                seen = trial.columns(folder, "cluster")
                checks.close(f"temperature of clusters, {ranks} ranks", seen["temperature_rings_K"][-1], want, 2e-8)
                drift, change = np.ptp(seen["conserved"]), np.ptp(seen["total"])
                checks.true("energy is conserved with clusters", drift < 0.01 * change, drift, change)


def other_groups_later(checks, folder, start):
    case = {"input": start, "run.steps": 10, "thermostat.type": "bussi"}
    groups = {"run.steps": 20, "thermostat.groups": f"[{LIPIDS}, {WATER}]"}
    trial.simulate(folder, "later", case)
    said = trial.simulate(folder, "later", {**case, **groups}, restart="auto", status=2)
    checks.true("other columns are refused", "later.csv" in said and "thermostat.groups" in said, said)
    os.unlink(os.path.join(folder, "later.csv"))
    said = trial.simulate(folder, "later", {**case, **groups}, restart="auto")
    checks.true("a change of groups is said", "thermostat.groups" in said, said)


def baths(checks, folder, start, backend):
    one_trajectory(checks, folder, start, backend, {"bussi": 4, "langevin": 3, "berendsen": 2})
    conserved(checks, folder, trial.membrane(folder, copies=1), backend)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        own_temperatures(checks, folder, 5500)
        own_times(checks, folder)
        few_beads(checks, folder, 40000)
        start = trial.membrane(folder)
        baths(checks, folder, start, "cpu")
        removed(checks, folder, trial.membrane(folder, copies=1))
        one_group(checks, folder, trial.membrane(folder, copies=1))
        mistakes(checks, folder, start)
        divided_clusters(checks, folder)
        other_groups_later(checks, folder, trial.membrane(folder, copies=1))
    checks.end()


if __name__ == "__main__":
    main()
