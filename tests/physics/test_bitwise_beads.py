"""The same bits as in test_bitwise.py from the bead models: water with a sticky term, a Gay-Berne fluid,
lipids in such water, a mixture of seven types with several neighbour lists, and charges in a reaction field with
exclusions and restraints."""
import tempfile

import trial
from run_lamella import Checks, skip
from test_bitwise import check_rows

try:
    import bead_models as models
    import bead_states as states
except ImportError as missing:
    skip(str(missing))

WATER = """
forcefield: ssde
seed: 1
temperature: 298
water: {count: 360, density: 997}
replicate: [2, 1, 1]
minimise: {max_steps: 100, force: 1000}
"""
RODS = """
forcefield: gb
seed: 1
temperature: 120
lattice: {type: fcc, cells: [7, 4, 4], density: 0.25, orientation: random}
minimise: {max_steps: 30, force: 100}
"""
LIPIDS = """
forcefield: brahms
seed: 1
temperature: 303
bilayer:
  upper: {DOPC: 7, DMPC: 5}
  lower: {DOPE: 8, POPC: 4}
  water_per_lipid: 12
  area_per_lipid: 0.7
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 1000}
"""
SEVEN = """
temperature: 0
bilayer: {upper: {L: 14}, lower: {L: 14}, area_per_lipid: 0.65, water_per_lipid: 16, water: W}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 500}
"""
HELD = """
forcefield: %s
seed: 1
temperature: 300
bilayer: {upper: {Y: 16}, lower: {Y: 16}, area_per_lipid: 0.7, water_per_lipid: 10, water: W}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 500}
"""
SHARES = {"Q": 0.1, "D": 0.1, "P": 0.1, "R": 0.1, "E": 0.1}  # of what is built as water
# Skins so small that lists are built several times in a short run; temperature in K, pressure in bar.
COMMON = {"run.dt": 0.002}
SYSTEMS = {
    "water": {"neighbor.skin": 0.04, "thermostat.temperature": 298, **COMMON},
    "rods": {"neighbor.skin": 0.1, "thermostat.temperature": 120, "barostat.pressure": 60,
             "barostat.compressibility": 1e-3, **COMMON},
    "lipids": {"neighbor.skin": 0.04, "thermostat.temperature": 303, **COMMON},
    "seven": {"neighbor.skin": 0.033, "thermostat.temperature": 300, "parallel.axis": "x", **COMMON},
    "held": {"neighbor.skin": 0.053, "thermostat.temperature": 300, "run.dt": 0.01},
}


def seven(folder):
    """A mixture of seven types at rest, without overlaps."""
    start = states.built(folder, "seven", models.EIGHT_LISTS, SEVEN)
    return states.convert(folder, start, models.EIGHT_LISTS, "W", SHARES)


def warm(folder, name, start):
    """A state of a system that has moved for a while; the settings of runs from it."""
    moved = trial.warm(folder, name, start, {"run.steps": 100, **SYSTEMS[name], "run.dt": 0.0005,
                                             "thermostat.type": "langevin", "thermostat.tau": 0.02})
    return {"input": moved, **SYSTEMS[name]}


def check_all(checks, steps, rows=None):
    with tempfile.TemporaryDirectory() as folder:
        starts = {name: trial.build(folder, name + "_start", spec)
                  for name, spec in (("water", WATER), ("rods", RODS), ("lipids", LIPIDS))}
        starts["seven"] = seven(folder)
        field = states.write(folder, "held_field", models.HELD % ("energy_shift", 15, 0))
        starts["held"] = trial.build(folder, "held_start", HELD % field)
        check_rows(checks, folder, {name: warm(folder, name, start)
                                    for name, start in starts.items()}, steps, rows)


if __name__ == "__main__":
    checks_made = Checks()
    check_all(checks_made, 40, 15)
    checks_made.end()
