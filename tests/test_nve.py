"""Conservation of the total energy, rotation included, of the DOPC box: drift, size of the
fluctuations against Debian's lmp, and their fall with the square of the step."""
import os
import tempfile

import numpy as np

import trial
from run_lamella import Checks, need_data, run

KCAL = 4.184
BEADS = 7040
SD_OF_LMP = {0.010: 0.73, 0.005: 0.18}  # kcal/mol; its drift at 10 fs: (-1.1 +- 1.6)e-4
ALLOWED_DRIFT = 5e-4  # kcal/mol per bead per ns


def line(x, y):
    """Slope and its standard error."""
    (slope, start), squares, *_ = np.polyfit(x, y, 1, full=True)
    spread = ((x - x.mean())**2).sum()
    return slope, np.sqrt(squares[0] / (len(x) - 2) / spread), y - slope * x - start


def drift(time, total, blocks=20):
    """kcal/mol per bead per ns from block means, with its standard error; sd about the line."""
    size = len(total) // blocks
    means = [values[:size * blocks].reshape(blocks, size).mean(axis=1) for values in (time, total)]
    slope, error, _ = line(*means)
    scale = 1000 / KCAL / BEADS
    return slope * scale, error * scale, line(time, total)[2].std() / KCAL


def check_run(checks, folder, state, precision, dt, length, ranks):
    prefix = f"{precision}_{1000 * dt:g}"
    trial.simulate(folder, prefix, {"input": state, "run.steps": round(length / dt), "run.dt": dt,
                                    "run.precision": precision,
                                    "output.energies_every": round(0.05 / dt),
                                    "output.checkpoint_every": 0}, ranks=ranks, timeout=7000)
    columns = trial.columns(folder, prefix)
    slope, error, sd = drift(columns["time_ps"], columns["total"])
    print(f"{precision} {1000 * dt:g} fs, {length} ps: drift ({slope:.2e} +- {error:.1e}) kcal/mol "
          f"per bead per ns, sd {sd:.3f} kcal/mol")
    checks.true(f"{prefix} fs: drift within its error", abs(slope) < 2.5 * error, slope, error)
    checks.true(f"{prefix} fs: drift small", abs(slope) < ALLOWED_DRIFT + 2.5 * error, slope, error)
    checks.true(f"{prefix} fs: fluctuation", sd < 1.1 * SD_OF_LMP[dt], sd)
    checks.close(f"{prefix} fs: conserved column", np.ptp(columns["conserved"] - columns["total"]),
                 0, absolute=1e-6)
    return slope, error, sd


def check_all(length, runs, drift_known):
    """runs: (precision, dt, ranks); drift_known: is the run long enough to bound the drift?"""
    checks, sd = Checks(), {}
    data = need_data("elba-dopc.data")
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "dopc.h5")
        run("import", data, "--format=lammps-data", "--forcefield=elba", "-o", state)
        for precision, dt, ranks in runs:
            slope, error, sd[precision, dt] = check_run(checks, folder, state, precision, dt,
                                                        length, ranks)
            if drift_known:
                checks.true(f"{precision} {dt} ps: bounded", abs(slope) < ALLOWED_DRIFT, slope)
                checks.true(f"{precision} {dt} ps: error small", error < ALLOWED_DRIFT, error)
    for precision in {precision for precision, dt in sd if (precision, 0.005) in sd}:
        ratio = sd[precision, 0.010] / sd[precision, 0.005]
        checks.true(f"{precision}: fluctuations go with the square of the step", 3.3 < ratio < 4.8,
                    ratio)
    checks.end()


if __name__ == "__main__":
    check_all(10, [("mixed", 0.010, 1), ("double", 0.010, 2), ("mixed", 0.005, 2)], False)
