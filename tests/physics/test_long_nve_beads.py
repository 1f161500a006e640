"""NVE of 1024 soft sticky dipole waters over 100 ps at 1, 2 and 4 fs, in both precisions: the drift of the
total energy, its fluctuation with the step, and the temperatures of translation and rotation; these also of
a Gay-Berne fluid."""
import tempfile

import trial
from run_lamella import Checks
from test_bitwise_beads import RODS
from test_dynamics_beads import SD_AT_2_FS, nve, same_temperatures, simulate, warmed, water

COUNT = 1024
# kcal/mol per molecule per ns at each step (ps): several times what runs of 20 ps show, where the wandering
# of the energy (drift() of test_dynamics_beads.py) is larger than the drift.
ALLOWED_DRIFT = {0.001: 0.02, 0.002: 0.05, 0.004: 0.2}


def rods(checks, folder):
    start = warmed(folder, "rods", trial.build(folder, "rods_start", RODS), (0.05, 4))
    simulate(folder, "rods_nve", start, "rods", 20000, 0.001,
             **{"output.energies_every": 20, "run.precision": "double"})
    columns = trial.columns(folder, "rods_nve")
    same_temperatures(checks, "rods, NVE", columns)
    spread = columns["total"].std() / columns["kinetic"].mean()
    print(f"rods: sd of the total energy over the kinetic: {spread:.1e}")
    checks.true("rods: energy", spread < 1e-4, spread)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        rods(checks, folder)
        start = water(folder, COUNT, 30)
        for precision in ("mixed", "double"):
            sd = {}
            for dt in (0.001, 0.002, 0.004):
                what = f"{precision} {1000 * dt:g} fs"
                columns, slope, error, sd[dt] = nve(folder, start, COUNT, dt, 100, precision)
                checks.true(what + ": drift", abs(slope) < ALLOWED_DRIFT[dt], slope, error)
                checks.true(what + ": error small", error < ALLOWED_DRIFT[dt], error)
                want = SD_AT_2_FS / COUNT**0.5 * (dt / 0.002)**2
                checks.true(what + ": fluctuation", sd[dt] < 1.5 * want, sd[dt], want)
                if dt == 0.001:
                    same_temperatures(checks, what, columns)
            for dt in (0.002, 0.004):
                ratio = sd[dt] / sd[dt / 2]
                checks.true(f"{precision}: fluctuations go with the square of the step",
                            3.3 < ratio < 4.9, ratio)
    checks.end()


if __name__ == "__main__":
    main()
