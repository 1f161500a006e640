"""Grids of ranks: the bits of one rank whatever the grid, for clusters and long bonded terms that cross the cuts
of both axes and their corners, in regions without beads, with walls that move, and in jobs that go on on other
grids, also after the box has become too small for a grid."""
import os
import tempfile

import h5py
import numpy as np

import test_bonded_reach
import test_clusters
import test_oracle
import trial
from run_lamella import Checks, run, write

LANGEVIN = {"thermostat.type": "langevin", "thermostat.tau": 0.2}
PRESSURE = {"barostat.type": "crescale", "barostat.coupling": "semi_isotropic", "barostat.every": 5}
OBSERVE = """
membrane: {lipids: [STEROL, ROD, BENT], flat: yes}
observe:
  - density: {every: 10, bins: 20}
  - rdf: {every: 20, pairs: [[W, W], [T, H]], range: 1.0, bins: 20}
  - msd: {every: 5}
  - undulation: {every: 10, grid: 8, fit_to: 4.0, head: [H]}
"""
RODS = """
format: 1
name: rods
cutoff: 0.8
types: {F: {mass: 54}, W: {mass: 72}}
pair:
  lj: {truncation: force_shift, mixing: lorentz_berthelot}
  electrostatics: {truncation: none}
  table: [[F, F, {epsilon: 1, sigma: 0.35}], [W, W, {epsilon: 1, sigma: 0.35}]]
molecules:
  R: {beads: [F, F], constraints: [[1, 2, 1.2]]}
  W: {beads: [W]}
"""


def ranks_of(grid):
    along_x, along_y = map(int, grid.split("x"))
    return along_x * along_y


# So many patches along x, two along y.
SPEC = test_clusters.SPEC.replace("[%d, 1, 1]", "[%d, 2, 1]")


class Runs:
    """Runs from one state in a folder, each compared with that of one rank."""

    def __init__(self, checks, folder, name, settings, ends=(".checkpoint.h5", ".h5md")):
        self.checks, self.folder, self.name, self.settings, self.ends = checks, folder, name, settings, ends
        self.go("one")

    def go(self, prefix, grid="1x1", restart="never", status=0, **more):
        how = {**self.settings, "parallel.grid": grid, **more}
        return trial.simulate(self.folder, f"{self.name}_{prefix}", how, restart, ranks=ranks_of(grid),
                              status=status)

    def same(self, prefix):
        for end in self.ends:
            first, other = (os.path.join(self.folder, f"{self.name}_{name}{end}") for name in ("one", prefix))
            wrong = trial.differences(first, other)
            self.checks.true(f"{self.name}: {prefix}{end}", not wrong, wrong)

    def on(self, grid, **more):
        self.go(grid, grid, **more)
        self.same(grid)


def put_in_motion(path, velocity):
    """Gives all beads the velocity besides their own, nm/ps."""
    state = test_clusters.State(path)
    with h5py.File(path, "r+") as file:
        kinds = file["beads/type"][:]
        mass = np.array([kind["mass"] for kind in state.ff["types"].values()])[kinds]
        file["beads/momentum"][:] += np.outer(mass, velocity)


def clusters(checks, folder):
    """A membrane of clusters that flies over corners: most of its beads change rank, some twice a build."""
    start = trial.build(folder, "start", SPEC % (test_clusters.FIELD, 2))
    trial.simulate(folder, "warm", {"input": start, "run.steps": 150, **test_clusters.RUN, **LANGEVIN})
    warm = trial.checkpoint(folder, "warm")
    common = {**test_clusters.RUN, "input": warm, "neighbor.skin": 0.06, "output.energies_every": 20,
              "output.frames_every": 20, "parallel.balance_every": 1}
    npt = Runs(checks, folder, "npt", {**common, **PRESSURE, **LANGEVIN, "run.steps": 40,
                                       "run.precision": "double"})
    npt.on("3x2", **{"parallel.balance_every": 0})
    shrinks(checks, folder, common)
    put_in_motion(warm, (6.5, 4.9, 0.0))
    nve = Runs(checks, folder, "nve", {**common, "neighbor.skin": 0.1, "run.steps": 36})
    for grid in "1x2", "3x3":
        nve.on(grid)
    nve.on("2x3", **{"parallel.axis": "y"})
    for steps, grid in (11, "2x2"), (19, "1x3"), (27, "1x1"), (36, "3x2"):
        nve.go("jobs", grid, "auto", **{"run.steps": steps})
    nve.same("jobs")


def shrinks(checks, folder, common):
    """A box that becomes too small for a grid: the job ends with a checkpoint, and another grid goes on."""
    start = trial.build(folder, "wide", SPEC % (test_clusters.FIELD, 3))
    settings = {**common, **PRESSURE, **LANGEVIN, "input": start, "run.steps": 30, "neighbor.skin": 0.3,
                "barostat.tau": 0.2, "barostat.pressure": 4000}
    runs = Runs(checks, folder, "shrinks", settings)
    said = runs.go("jobs", "4x1", status=2)
    checks.true("a box too small for four slabs", "4 ranks do not fit as 4x1" in said and
                "they fit with parallel.grid: 2x2; the checkpoint is written" in said, said)
    runs.go("jobs", "2x2", "auto")
    runs.same("jobs")


def droplet(checks, folder):
    """A droplet in a corner of a large box: most regions are empty."""
    start = trial.liquid(folder, "droplet", (5, 5, 5), 0.75, 84, 300)
    trial.enlarge(start, (3, 4, 1))
    settings = {"input": start, "run.steps": 60, "run.dt": 0.004, "neighbor.skin": 0.2,
                "thermostat.type": "bussi", "thermostat.temperature": 84, "barostat.type": "crescale",
                "barostat.coupling": "anisotropic", "barostat.every": 4, "barostat.compressibility": 1e-6,
                "output.energies_every": 20, "output.frames_every": 20}
    runs = Runs(checks, folder, "droplet", settings)
    runs.on("2x4", **{"parallel.balance_every": 1, "parallel.axis": "y"})


def long_terms(checks, folder):
    """Molecules longer than the halo, in every direction, in a box with nothing else."""
    field = test_oracle.write(folder, "long", test_bonded_reach.FIELD)
    start = trial.build(folder, "long_start", "forcefield: %s\ntemperature: 250\nbilayer: {upper: {Y: 32}, lower: "
                        "{Y: 32}, area_per_lipid: 4, water_per_lipid: 0}\nminimise: no\n" % field)
    box, draw = np.array([7.0, 7.0, 7.0]), np.random.default_rng(1)
    arm = draw.normal(size=(64, 3))
    arm *= 0.75 / np.linalg.norm(arm, axis=1)[:, None]
    middle = 1.75 * np.stack(np.meshgrid(*3 * [np.arange(4)]), -1).reshape(64, 3) + 0.1
    trial.place(start, box, np.stack([middle - arm, middle, middle + arm], 1).reshape(-1, 3))
    settings = {"input": start, "run.steps": 200, "run.dt": 0.005, "neighbor.skin": 0.15, **LANGEVIN,
                "thermostat.temperature": 250, "output.energies_every": 20, "parallel.balance_every": 1}
    runs = Runs(checks, folder, "long", settings, ends=(".checkpoint.h5",))
    for grid in "2x2", "3x2":  # they would not fit six slabs, nor would the run that verifies
        said = runs.go(grid, grid, **{"run.verify": 100})
        checks.true(f"long terms on {grid}: the halo grows", "the halo grows" in said, said)
        runs.same(grid)
    said = runs.go("chosen", "3x2", **{"parallel.grid": "auto"})  # which begins with six slabs
    checks.true("long terms: a grid with a wider halo", "the run goes on with 3x2" in said, said)
    runs.same("chosen")


def observables(checks, folder):
    settings = {**test_clusters.RUN, "input": trial.checkpoint(folder, "warm"), "run.steps": 20,
                "neighbor.skin": 0.1, "output.frames_every": 20}
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    for grid in "1x1", "2x2":
        write(os.path.join(folder, f"seen{grid}.yaml"), "output: {prefix: seen%s}%s" % (grid, OBSERVE))
        run("run", f"seen{grid}.yaml", *sets, "--set=parallel.grid=" + grid, cwd=folder, ranks=ranks_of(grid))
        wrong = trial.differences(*(os.path.join(folder, f"seen{name}.observables.h5") for name in ("1x1", grid)))
        checks.true(f"observables on {grid}", not wrong, wrong)
    for grid, ranks in ("3x2", 1), ("2x1", 2), ("3x2", 2):
        # The run file's grid, which may be that of other ranks.
        run("analyze", "seen2x2.h5md", "seen1x1.yaml", "--set=parallel.grid=" + grid, "-o", "again",
            cwd=folder, ranks=ranks)
        with h5py.File(os.path.join(folder, "again.observables.h5")) as file:
            checks.true("frames are measured", "density" in file, list(file))


def chosen(checks, folder):
    """Regions have room for clusters that turn: rods stand along z at the start."""
    field = test_oracle.write(folder, "rods", RODS)
    start = trial.build(folder, "rods_start", "forcefield: %s\nseed: 3\ntemperature: 300\nbilayer: {upper: {R: 100}, "
                        "lower: {R: 100}, area_per_lipid: 0.5, water_per_lipid: 4}\nminimise: no\n"
                        "replicate: [2, 1, 1]\n" % field)
    write(os.path.join(folder, "rods.yaml"), "input: rods_start.h5\noutput: {prefix: rods}\nneighbor: {skin: 0.1}\n")
    said = run("run", "rods.yaml", "--dry-run", cwd=folder, ranks=8, status=None).stderr
    checks.true("a grid for rods", "8 ranks (4x2)" in said, said)
    said = run("run", "rods.yaml", "--dry-run", "--set=parallel.axis=y", "--set=parallel.grid=3x2", cwd=folder,
               ranks=6).stderr
    checks.true("a grid is along x and along y", "6 ranks (3x2)" in said, said)
    checks.refused("too many ranks for rods", "5 ranks fit in no grid: regions are at least 3.35 nm thick", "run",
                   "rods.yaml", cwd=folder, ranks=5)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        clusters(checks, folder)
        droplet(checks, folder)
        long_terms(checks, folder)
        observables(checks, folder)
        chosen(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
