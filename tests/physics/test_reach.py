"""How far clusters reach from the regions of their ranks: clusters of random shapes that turn and unfold have the
bits of one rank in regions of every thickness, a run takes another grid of ranks when it has outgrown its own, and
jobs go on wherever a run would have gone on without a stop. A box is as large as its copies."""
import os
import tempfile

import h5py
import numpy as np

import test_oracle
import trial
from run_lamella import Checks, energy, run, write

FIELD = """
format: 1
name: reach
cutoff: 0.9
types: {A: {mass: 40}, B: {mass: 60}, S: {mass: 0}}
pair:
  lj: {truncation: force_shift, mixing: lorentz_berthelot}
  electrostatics: {truncation: none}
  table: [[A, A, {epsilon: 0.3, sigma: 0.3}], [B, B, {epsilon: 0.3, sigma: 0.3}], [S, S, {epsilon: 0.3, sigma: 0.3}]]
bonds:
  far: {form: harmonic, k: 2000, r0: 0.7}
molecules:
  PAIR: {beads: [A, B], constraints: [[1, 2, 0.38]]}
  CHAIN: {beads: [A, A, B, A, A], constraints: [[1, 2, 0.38], [2, 3, 0.38], [3, 4, 0.38], [4, 5, 0.38]]}
  LONG: {beads: [A, A, A, A, A, A, A, A, A], constraints: [[1, 2, 0.38], [2, 3, 0.38], [3, 4, 0.38], [4, 5, 0.38],
    [5, 6, 0.38], [6, 7, 0.38], [7, 8, 0.38], [8, 9, 0.38]]}
  ARM: {beads: [S, A, A], constraints: [[2, 3, 0.38]], sites: [{bead: 1, form: linear, from: [2, 3], a: 2.5}]}
  ROD: {beads: [A, A], constraints: [[1, 2, 1.1]]}
  LOOSE: {beads: [A, A, S], bonds: [[far, 1, 2]], sites: [{bead: 3, form: linear, from: [1, 2], a: 0.5}],
    exclusions: [[3, 1, 2]]}
"""
RUN = {"run.dt": 0.01, "neighbor.skin": 0.15, "thermostat.type": "langevin", "thermostat.tau": 0.5,
       "thermostat.temperature": 600, "output.energies_every": 20, "parallel.balance_every": 1}
SNAKE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 0, 1), (0, 0, 1), (0, 0, 2)]


def molecules(folder, name, kinds, cells, edge, shapes):
    """A state with a molecule in each cell of a lattice, whose beads are at shapes[kind](number of the cell)."""
    field = test_oracle.write(folder, "reach", FIELD)
    number = int(np.prod(cells))
    share = {kind: number // len(kinds) for kind in kinds}
    share[kinds[0]] += number - sum(share.values())
    half = {kind: count // 2 for kind, count in share.items()}
    leaflets = [", ".join(f"{kind}: {n}" for kind, n in part.items())
                for part in (half, {kind: share[kind] - half[kind] for kind in kinds})]
    start = trial.build(folder, name, "forcefield: %s\nseed: 2\ntemperature: 300\nbilayer: {upper: {%s}, lower: {%s}, "
                        "area_per_lipid: 4, water_per_lipid: 0}\nminimise: no\n" % (field, *leaflets))
    order = [kind for part in (half, {kind: share[kind] - half[kind] for kind in kinds})
             for kind in kinds for _ in range(part[kind])]
    draw = np.random.default_rng(len(name))
    corner = draw.permutation(np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), -1).reshape(-1, 3))
    beads = [edge * np.array(at) + shapes[kind](k) for k, (kind, at) in enumerate(zip(order, corner))]
    trial.place(start, np.array(edge) * cells, np.concatenate(beads))
    return start


def snake(n):
    """A folded chain, whose first step is along another axis in each cell."""
    return lambda k: np.roll(0.38 * np.array(SNAKE[:n]), k % 3, axis=1) + 0.2


def unfolding(checks, folder):
    """Chains of all lengths and sites at the end of long arms, on all kinds of grids."""
    arm = lambda k: np.roll([[0.95, 0, 0], [0, 0, 0], [0.38, 0, 0]], k % 3, axis=1) + 0.2
    start = molecules(folder, "unfolding", ["PAIR", "CHAIN", "LONG", "ARM"], (4, 4, 3), (1.6, 1.5, 1.5),
                      {"PAIR": snake(2), "CHAIN": snake(5), "LONG": snake(9), "ARM": arm})
    settings = {**RUN, "input": start, "run.steps": 120}
    trial.simulate(folder, "one", settings)
    for grid, ranks in ("2x1", 2), ("1x3", 3), ("2x2", 4), ("3x3", 9):
        said = trial.simulate(folder, grid, {**settings, "parallel.grid": grid, "run.verify": 40}, ranks=ranks)
        checks.true(f"unfolding on {grid}: forces are verified", said.count("forces agree") == 3, said)
        for end in ".checkpoint.h5", ".csv":
            with open(os.path.join(folder, "one" + end), "rb") as a, open(os.path.join(folder, grid + end), "rb") as b:
                same = a.read() == b.read() if end == ".csv" else not trial.differences(a.name, b.name)
            checks.true(f"unfolding on {grid}: {end}", same)


def outgrown(checks, folder):
    """Clusters that no constraint holds together become longer: eight slabs fit at first, columns later."""
    loose = lambda k: np.array([[0.1, 0.2, 0.2], [0.54, 0.2, 0.2], [0.32, 0.2, 0.2]])
    start = molecules(folder, "loose", ["LOOSE"], (8, 2, 2), (2.05, 1.9, 2.1), {"LOOSE": loose})
    settings = {**RUN, "input": start, "run.steps": 150}
    trial.simulate(folder, "whole", settings)
    said = trial.simulate(folder, "grown", settings, ranks=8)
    checks.true("the grid changes", "8 ranks (8x1)" in said and "8x1 are too thin now; the run goes on with 4x2" in said,
                said)
    said = trial.simulate(folder, "fixed", {**settings, "parallel.grid": "8x1"}, ranks=8, status=2)
    checks.true("a grid that is asked for stays", "they fit with parallel.grid: 4x2; the checkpoint is written" in said,
                said)
    trial.simulate(folder, "fixed", settings, restart="auto", ranks=8)
    for steps, ranks in (10, 8), (45, 4), (150, 8):
        trial.simulate(folder, "jobs", {**settings, "run.steps": steps}, restart="auto", ranks=ranks)
    for name in "grown", "fixed", "jobs":
        wrong = trial.differences(trial.checkpoint(folder, "whole"), trial.checkpoint(folder, name))
        checks.true(f"loose clusters, {name}", not wrong, wrong)


def stopped(checks, folder):
    """Clusters that become longer along z, where nothing is cut, than slabs are thick: they have to fit the slabs
    as they were when lists were built, not as they might turn."""
    upright = lambda k: np.array([[0.5, 0.3, 0.1], [0.5, 0.3, 0.54], [0.5, 0.3, 0.32]])
    start = molecules(folder, "upright", ["LOOSE"], (4, 2, 2), (2.35, 2.0, 2.1), {"LOOSE": upright})
    with h5py.File(start, "r+") as file:
        file["beads/momentum"][...] = 0
    settings = {**RUN, "input": start, "run.steps": 60, "parallel.grid": "4x1", "thermostat.temperature": 1}
    trial.simulate(folder, "through", settings, ranks=4)
    for steps in 7, 25, 41, 60:
        trial.simulate(folder, "pieces", {**settings, "run.steps": steps}, restart="auto", ranks=4)
    wrong = trial.differences(trial.checkpoint(folder, "through"), trial.checkpoint(folder, "pieces"))
    checks.true("a run that goes through goes on after stops", not wrong, wrong)


def copies(checks, folder):
    """Energy and pressure of a box in which sites are further than a quarter, and than half, of an edge from the
    first bead that they are built on, against those of eight copies of it."""
    arm = lambda k: np.roll([[0.6, 0.2, 0], [0, 0, 0], [0.38, 0, 0]], k, axis=1) + 0.3 + 0.1 * k  # a displaced site
    for name, edge in ("quarter", 2.4), ("half", 1.85):
        start = molecules(folder, name, ["ARM"], (3, 1, 1), (edge / 3, edge, edge), {"ARM": arm})
        spec = os.path.join(folder, "eight.yaml")
        write(spec, "state: %s\nreplicate: [2, 2, 2]\nminimise: no\n" % start)
        run("build", spec, "-o", os.path.join(folder, "eight.h5"))
        for state in start, os.path.join(folder, "eight.h5"):
            with h5py.File(state, "r+") as file:  # constraints pull with the speeds of their beads
                file["beads/momentum"][...] = 0
        one, eight = (energy(os.path.join(folder, state), "--precision=double") for state in (start, "eight.h5"))
        checks.close(f"{name} of a box: energy", 8 * one["potential"], eight["potential"], 1e-6)
        for k in range(9):
            checks.close(f"{name} of a box: virial {k}", one["virial_tensor"][k], eight["virial_tensor"][k], 0,
                         1e-7 * abs(eight["virial_pressure"]))


def too_long(checks, folder):
    """A constraint of half of a box edge and more has no nearest image: status 2 in runs and for energies."""
    rod = lambda k: np.roll([[0, 0, 0], [1.0, 0, 0]], k, axis=1) + 0.2
    for edge, status in (2.25, 0), (2.19, 2), (2.05, 2):
        start = molecules(folder, f"rod{edge}", ["ROD"], (2, 1, 1), (1.5 * edge, edge, edge), {"ROD": rod})
        settings = {**RUN, "input": start, "run.steps": 2, "neighbor.skin": 0.1, "thermostat.temperature": 1}
        said = trial.simulate(folder, "rod", settings, status=status)
        checks.true(f"a rod of 1.1 nm in a box of {edge} nm", ("the longest constraint (1.1 nm)" in said) == (status == 2),
                    said)
        done = run("energy", start, status=None)
        checks.true(f"its energy in a box of {edge} nm", done.returncode == status, done.stderr)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        unfolding(checks, folder)
        outgrown(checks, folder)
        stopped(checks, folder)
        copies(checks, folder)
        too_long(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
