"""Eight systems in double precision, whose states after 2,000 steps have the same bits on every machine, and their hashes."""
import hashlib
import os

import bead_models
import test_restraints
import trial
from run_lamella import write

STEPS = 2000
CLUSTERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clusters.yaml")
STEROLS = """
forcefield: %s
seed: 3
temperature: 300
bilayer:
  upper: {STEROL: 6, ROD: 5, BENT: 5}
  lower: {STEROL: 7, ROD: 4, BENT: 5}
  area_per_lipid: 0.5
  water_per_lipid: 6
  water: W
  water_density: 960
replicate: [2, 1, 1]
minimise: {max_steps: 100, force: 1000}
"""
SPECS = {
    "elba": trial.MEMBRANE % 1,
    "field": test_restraints.BOX.replace("Y: 12", "Y: 20").replace("[2, 1, 1]", "[1, 1, 1]"),
    "sterols": STEROLS % CLUSTERS,
    "ssd": "{forcefield: ssde, seed: 1, temperature: 298, water: {count: 512, density: 997}, minimise: {max_steps: 50, force: 500}}",
    "melt": "{forcefield: lj, seed: 1, temperature: 173, lattice: {type: fcc, cells: [5, 5, 5], density: 0.8442}}",
    "ellipsoids": "{forcefield: gb, seed: 1, temperature: 114, minimise: {max_steps: 50, force: 100},\n"
                  "lattice: {type: fcc, cells: [5, 5, 5], density: 0.25, orientation: random}}",
}
LANGEVIN = {"thermostat.type": "langevin", "thermostat.tau": 1, "neighbor.skin": "auto"}
BUSSI = {"thermostat.type": "bussi", "thermostat.tau": 1}
PRESSED = {"barostat.type": "crescale", "barostat.coupling": "semi_isotropic", "barostat.tau": 5, "barostat.every": 5}
# start, dt (ps), temperature (K), more
RUNS = {
    "elba-nve": ("elba", 0.005, 303, {}),
    "elba-langevin": ("elba", 0.005, 303, LANGEVIN),
    "field-nvt": ("field", 0.004, 300, {**LANGEVIN, "thermostat.tau": 0.1}),
    "field-npt": ("field", 0.004, 300, {**LANGEVIN, "thermostat.tau": 0.1, **PRESSED}),
    "sterols-npt": ("sterols", 0.005, 300, {**LANGEVIN, **PRESSED}),
    "ssd-nve": ("ssd", 0.001, 298, {}),
    "melt-npt": ("melt", 0.002, 173, {**BUSSI, **PRESSED, "barostat.coupling": "isotropic"}),
    "ellipsoids-nvt": ("ellipsoids", 0.002, 114, BUSSI),
}
# Names of datasets, or their first letters, that follow from the motion.
MOTION = ("beads/", "neighbor_list/", "counters/", "system/box", "system/conserved_work")


def start(folder, name):
    spec = SPECS[name]
    if name == "field":
        spec = spec % write(os.path.join(folder, "field.yaml"), bead_models.FIELD % ("energy_shift", 15, 0))
    return trial.build(folder, name + "_start", spec)


def settings(folder, run, backend):
    name, dt, temperature, more = RUNS[run]
    return {"input": start(folder, name), "run.precision": "double", "run.steps": STEPS, "run.dt": dt, "run.seed": 5,
            "thermostat.temperature": temperature, "parallel.backend": backend, "output.energies_every": 500,
            "output.checkpoint_every": 0, **more}


def state(path):
    """What follows from the motion in a state file: {dataset: (type, shape, bytes)}."""
    return {name: value for name, value in trial.datasets(path).items() if name.startswith(MOTION)}


def digest(path):
    """Of the state after a run: of names, types, shapes and bytes of its numbers."""
    whole = hashlib.sha256()
    for name, (kind, shape, data) in sorted(state(path).items()):
        whole.update(repr((name, kind, shape)).encode() + data)
    return whole.hexdigest()
