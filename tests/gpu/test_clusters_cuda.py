"""Constraints and virtual sites on GPUs: forces, energies, virial and motion of the CPU; lengths and places
in the states that runs leave; the same bits on any number of ranks (which may share a GPU), with graphs and
without, and in jobs that were split; constraints that cannot be solved. Small clusters, of which a warp
has several, large ones, and some with sparse equations. Skipped where there is no GPU."""
import os
import tempfile

import h5py
import numpy as np
import yaml

import test_reach
import trial
from run_lamella import Checks, energy, run
from test_clusters import FIELD, LANGEVIN, RUN, SPEC, State, check_state
from test_large_clusters import liquid, sparse_sizes

NPT = {"thermostat.type": "bussi", "thermostat.tau": 0.5, "barostat.type": "crescale",
       "barostat.coupling": "semi_isotropic", "barostat.tau": 2.0, "barostat.every": 5}
KINDS = {"nve": {}, "langevin": LANGEVIN, "npt": NPT}
TREE = 43  # beads
OBSERVE = {"observe": "[{pressure: {every: 20, bins: 20}}]"}


def tree_field(folder):
    """The force field with a molecule of one large cluster: a tree of constraints with a site."""
    with open(FIELD) as file:
        ff = yaml.safe_load(file)
    ff["molecules"]["TREE"] = {
        "beads": ["F"] * TREE + ["S"],
        "constraints": [[k // 2 + 1, k + 1, 0.42] for k in range(1, TREE)],
        "exclusions": [[TREE + 1, 1, 2, 3]],
        "sites": [{"bead": TREE + 1, "form": "plane", "from": [1, 2, 3], "a": 0.3, "b": 0.4}]}
    path = os.path.join(folder, "field_tree.yaml")
    with open(path, "w") as file:
        yaml.safe_dump(ff, file, sort_keys=False)
    return path


def starts(folder):
    """Warm states: the membrane of test_clusters.py, one with large clusters, and lines of 80 beads in a liquid."""
    small = trial.build(folder, "small", SPEC % (FIELD, 3))
    large = trial.build(folder, "large", f"""
forcefield: {tree_field(folder)}
seed: 4
temperature: 300
bilayer:
  upper: {{TREE: 4, STEROL: 20}}
  lower: {{TREE: 4, STEROL: 20}}
  area_per_lipid: 1.5
  water_per_lipid: 12
  water: W
  water_density: 240
minimise: {{max_steps: 500, force: 500}}
replicate: [3, 1, 1]
""")
    for name, start in ("small", small), ("large", large):
        trial.simulate(folder, name, {"input": start, "run.steps": 300, **RUN, "run.dt": 0.004,
                                      "parallel.backend": "cpu", **LANGEVIN})
        yield name, trial.checkpoint(folder, name)
    yield "sparse", liquid(folder, {**RUN, "parallel.backend": "cpu"})


def gpu(folder, prefix, start, settings, **how):
    return trial.simulate(folder, prefix, {"input": start, "parallel.backend": "cuda", **RUN,
                                           "output.energies_every": 20, **settings}, **how)


def check_energies(checks, name, start):
    for precision, allowed in ("double", 1e-11), ("mixed", 1e-5):
        cpu = energy(start, "--backend=cpu", "--precision=" + precision)
        there = energy(start, "--backend=cuda", "--precision=" + precision)
        scale = max(abs(value) for value in cpu["terms"].values())
        for term, value in cpu["terms"].items():
            checks.close(f"{name}: {term} in {precision}", there["terms"][term], value,
                         absolute=allowed * scale)
        pressure = np.abs(cpu["virial_tensor"]).max()
        for k in range(9):
            checks.close(f"{name}: virial {k} in {precision}", np.ravel(there["virial_tensor"])[k],
                         np.ravel(cpu["virial_tensor"])[k], absolute=100 * allowed * pressure)
        checks.close(f"{name}: forces in {precision}", there["sum_force2"], cpu["sum_force2"],
                     relative=10 * allowed)


def check_profile(checks, what, folder):
    """Pressure profiles of both, and the tension of the box from them."""
    there, here = (h5py.File(os.path.join(folder, one + ".observables.h5"), "r")["pressure"]
                   for one in ("gpu", "cpu"))
    scale = np.abs(here["pressure/normal"][:]).max()
    for column in "normal", "lateral", "lateral_harasima", "kinetic", "constraint", "site":
        a, b = there["pressure/" + column][:], here["pressure/" + column][:]
        checks.true(f"{what}: profile of {column}", np.abs(a - b).max() < 1e-6 * scale, np.abs(a - b).max(), scale)
        checks.true(f"{what}: there is {column}", np.any(b != 0) or column == "site" and what.startswith("sparse"))
    for column in here["tension"]:
        if column.endswith(("label", "_error", "_time")):
            continue
        a, b = float(there["tension/" + column][0]), float(here["tension/" + column][0])
        checks.close(f"{what}: {column}", a, b, 1e-6, 1e-4)
    checks.close(f"{what}: integral of the profile", float(there["tension/tension_irving_kirkwood"][0]),
                 float(there["tension/tension"][0]), 1e-8, 1e-8)


def check_motion(checks, folder, name, start):
    """Both backends in double for a time in which they do not part; pressures have the constraints."""
    for kind, settings in KINDS.items():
        how = {**settings, **OBSERVE, "run.steps": 40, "run.precision": "double", "neighbor.skin": 0.15}
        gpu(folder, "gpu", start, how)
        gpu(folder, "cpu", start, {**how, "parallel.backend": "cpu"})
        box = State(start).box
        d = (trial.positions(trial.checkpoint(folder, "gpu")) -
             trial.positions(trial.checkpoint(folder, "cpu"))) / box
        off = np.abs((d - np.round(d)) * box).max()
        checks.true(f"{name}: motion in {kind}", off < 1e-8, off)
        check_state(checks, f"{name} {kind}", trial.checkpoint(folder, "gpu"))
        for column in "pressure_bar", "pxx_bar", "pxy_bar", "temperature_K", "total":
            a, b = (trial.columns(folder, one)[column] for one in ("gpu", "cpu"))
            worst = np.abs(a - b).max()
            checks.true(f"{name}: {column} in {kind}", worst < 1e-6 * (np.abs(b).max() + 1), worst)
        check_profile(checks, f"{name} {kind}", folder)


def check_bits(checks, folder, name, start):
    for kind, settings in KINDS.items():
        how = {**settings, **OBSERVE, "run.steps": 120, "neighbor.skin": 0.15}
        gpu(folder, "one", start, how)
        want = trial.checkpoint(folder, "one")
        ways = {"two": ({}, 2), "three": ({}, 3), "plain": ({"parallel.graph": "no"}, 1)}
        for way, (more, ranks) in ways.items():
            gpu(folder, way, start, {**how, **more}, ranks=ranks)
            wrong = trial.differences(want, trial.checkpoint(folder, way))
            checks.true(f"{name}: bits of {kind}, {way}", not wrong, wrong)
        gpu(folder, "split", start, {**how, "run.steps": 53}, ranks=2)
        gpu(folder, "split", start, how, restart="auto")
        wrong = trial.differences(want, trial.checkpoint(folder, "split"))
        checks.true(f"{name}: bits of {kind}, in two jobs", not wrong, wrong)


def check_energy_kept(checks, folder, start):
    for precision in "double", "mixed":
        gpu(folder, precision, start, {"run.steps": 4000, "run.dt": 0.005, "run.precision": precision})
        total, kinetic = (trial.columns(folder, precision)[k] for k in ("total", "kinetic"))
        drift = np.polyfit(np.arange(len(total)), total, 1)[0] * len(total)
        checks.true(f"energy in {precision}", abs(drift) < 1e-3 * kinetic.mean(), drift)


def check_outgrown(checks, folder):
    """Clusters that become too long for the grid of ranks: the run takes another one, with the same bits."""
    loose = lambda k: np.array([[0.1, 0.2, 0.2], [0.54, 0.2, 0.2], [0.32, 0.2, 0.2]])
    start = test_reach.molecules(folder, "loose", ["LOOSE"], (8, 2, 2), (2.05, 1.9, 2.1), {"LOOSE": loose})
    settings = {**test_reach.RUN, "run.steps": 150}
    gpu(folder, "whole", start, settings)
    said = gpu(folder, "grown", start, settings, ranks=8)
    checks.true("the grid changes", "the run goes on with 4x2" in said, said)
    wrong = trial.differences(*(trial.checkpoint(folder, name) for name in ("whole", "grown")))
    checks.true("bits after a change of the grid", not wrong, wrong)


def check_sizes(checks, folder):
    """Clusters of all sizes with sparse equations, also with sites, alone in their boxes."""
    for name, start in sparse_sizes(folder):
        for backend in "cpu", "cuda":
            gpu(folder, backend, start, {"run.steps": 20, "run.precision": "double", "parallel.backend": backend})
        a, b = (State(trial.checkpoint(folder, backend)) for backend in ("cpu", "cuda"))
        off = a.x - b.x
        off = np.abs(off - a.box * np.round(off / a.box)).max()
        checks.true(f"{name}: motion", off < 1e-8, off)
        check_state(checks, name, trial.checkpoint(folder, "cuda"))


def check_contradiction(checks, folder, start):
    """A step so long that constraints cannot be solved, or beads move too far: status 3."""
    said = gpu(folder, "wild", start, {"run.steps": 50, "run.dt": 0.5}, status=3)
    checks.true("a wild run ends with a message", "cannot be solved" in said or "moved by" in said, said)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        probe = trial.build(folder, "probe", SPEC % (FIELD, 1))
        trial.skip_without("cuda", probe)
        check_outgrown(checks, folder)
        for name, start in starts(folder):
            check_energies(checks, name, start)
            check_motion(checks, folder, name, start)
            check_bits(checks, folder, name, start)
            if name == "small":
                check_energy_kept(checks, folder, start)
                check_contradiction(checks, folder, start)
        check_sizes(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
