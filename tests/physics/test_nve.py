"""Conservation of the total energy, rotation included, of DOPC in water: drift, size of the fluctuations
against Debian's lmp, and their fall with the square of the step. 24 DOPC, a fifth of the box that lmp had; in
./check --long that box."""
import os
import tempfile

import numpy as np

import trial
from run_lamella import DATA, ELBA_DATA, Checks, run

KCAL = 4.184
BEADS = 7040  # of the box that lmp had
SPEC = """
forcefield: elba
seed: 5
temperature: 310
bilayer: {upper: {DOPC: 12}, lower: {DOPC: 12}, water_per_lipid: 40, area_per_lipid: 0.66}
minimise: {max_steps: 300, force: 2000}
"""
# kcal/mol, of that box at 310 K, and as the square root of the beads; its drift at 10 fs: (-1.1 +- 1.6)e-4.
SD_OF_LMP = {0.010: 0.73, 0.005: 0.18}
ALLOWED_DRIFT = 5e-4  # kcal/mol per bead per ns


def line(x, y):
    """Slope and its standard error."""
    (slope, start), squares, *_ = np.polyfit(x, y, 1, full=True)
    spread = ((x - x.mean())**2).sum()
    return slope, np.sqrt(squares[0] / (len(x) - 2) / spread), y - slope * x - start


def drift(time, total, beads, blocks):
    """kcal/mol per bead per ns from block means, with its standard error; sd about the line. The energy wanders
    over some tenths of a ps."""
    size = len(total) // blocks
    means = [values[:size * blocks].reshape(blocks, size).mean(axis=1) for values in (time, total)]
    slope, error, _ = line(*means)
    scale = 1000 / KCAL / beads
    return slope * scale, error * scale, line(time, total)[2].std() / KCAL


def built(folder):
    """A membrane that has lost the order of its building."""
    start = trial.build(folder, "dopc", SPEC)
    trial.simulate(folder, "warm", {"input": start, "run.steps": 700, "run.dt": 0.01, "neighbor.skin": 0.1,
                                    "thermostat.type": "langevin", "thermostat.temperature": 310,
                                    "thermostat.tau": 0.2, "output.checkpoint_every": 0}, ranks=2)
    return trial.checkpoint(folder, "warm")


def authors(folder):
    """The box of the authors of the force field, that lmp had; built() where it is not here."""
    data = os.path.join(DATA, "elba-dopc.data")
    if not os.path.exists(data):
        print(data, "is not here: a built membrane takes its place")
        return built(folder)
    state = os.path.join(folder, "dopc.h5")
    run("import", data, *ELBA_DATA, "-o", state)
    return state


def check_run(checks, folder, state, precision, dt, length, ranks, errors, blocks):
    """errors: standard errors that a drift may have."""
    prefix = f"{precision}_{1000 * dt:g}"
    trial.simulate(folder, prefix, {"input": state, "run.steps": round(length / dt), "run.dt": dt,
                                    "run.precision": precision, "neighbor.skin": 0.1,
                                    "output.energies_every": round(0.03 / dt),
                                    "output.checkpoint_every": 0}, ranks=ranks, timeout=7000)
    columns = trial.columns(folder, prefix)
    beads = len(trial.positions(state))
    slope, error, sd = drift(columns["time_ps"], columns["total"], beads, blocks)
    print(f"{precision} {1000 * dt:g} fs, {length} ps: drift ({slope:.2e} +- {error:.1e}) kcal/mol "
          f"per bead per ns, sd {sd:.3f} kcal/mol")
    checks.true(f"{prefix} fs: drift within its error", abs(slope) < errors * error, slope, error)
    checks.true(f"{prefix} fs: drift small", abs(slope) < ALLOWED_DRIFT + errors * error, slope,
                error)
    checks.true(f"{prefix} fs: fluctuation", sd < 1.1 * SD_OF_LMP[dt] * (beads / BEADS)**0.5, sd)
    checks.close(f"{prefix} fs: conserved column", np.ptp(columns["conserved"] - columns["total"]),
                 0, absolute=1e-6)
    return slope, error, sd


def check_all(start, length, runs, drift_known):
    """start: makes the start state in a folder; runs: (precision, dt, ranks); drift_known: is the
    run long enough to bound the drift?"""
    checks, sd = Checks(), {}
    with tempfile.TemporaryDirectory() as folder:
        state = start(folder)
        for precision, dt, ranks in runs:
            slope, error, sd[precision, dt] = check_run(checks, folder, state, precision, dt, length, ranks,
                                                        *((2.5, 20) if drift_known else (3.5, 8)))
            if drift_known:
                checks.true(f"{precision} {dt} ps: bounded", abs(slope) < ALLOWED_DRIFT, slope)
                checks.true(f"{precision} {dt} ps: error small", error < ALLOWED_DRIFT, error)
    for precision in {precision for precision, dt in sd if (precision, 0.005) in sd}:
        ratio = sd[precision, 0.010] / sd[precision, 0.005]
        checks.true(f"{precision}: fluctuations go with the square of the step", 3.3 < ratio < 4.8,
                    ratio)
    checks.end()


if __name__ == "__main__":
    check_all(built, 6, [("mixed", 0.010, 1), ("double", 0.010, 2), ("mixed", 0.005, 2)], False)
