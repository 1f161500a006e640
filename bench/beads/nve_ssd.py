#!/usr/bin/env python3
"""Conservation of energy of soft sticky dipole water: the drift of the total energy of NVE and its
fluctuation, by time step and precision.

    bench/beads/nve_ssd.py [--lamella PROGRAM] [--backend auto|cpu|cuda] [--ranks 1]
                           [--forcefield ssd] [--waters 1024] [--temperature 298]
                           [--equilibrate 50] [--length 100] [--dt 1,2,4,8]
                           [--precision mixed,double] [--start STATE.h5] -o FOLDER

Water of 997 kg/m3 is built and equilibrated for --equilibrate ps by Langevin dynamics at 1 fs; --start takes
an equilibrated state instead. Every run starts from that state. FOLDER gets the states, nve.csv (a line a
run) and nve.json; the table is printed too. A run that blows up is reported as such; status 1 if no run ended
well. At least 300 waters: the box must be wider than two list radii.

drift: slope of the total energy, kcal/mol per molecule per ns; its error takes the correlation of the
deviations into account. sd: standard deviation of the total energy about the line, kcal/mol per molecule,
and of all molecules together, kJ/mol. The yardstick of Dullweber, Leimkuhler and McLachlan's method for SSD
is a drift of 1e-3 kcal/mol per molecule per ns at 4 fs (manual of OpenMD). The second derivative of the cubic
switching functions jumps where they begin and end: those of the sticky term make the energy wander, so that
short runs show a larger slope of either sign. Needs numpy and h5py.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

import numpy as np

KCAL = 4.184
SPEC = """forcefield: {forcefield}
seed: 1
temperature: {temperature}
water: {{count: {waters}, density: 997}}
minimise: {{max_steps: 300, force: 500}}
"""
COLUMNS = ["precision", "dt_fs", "length_ps", "drift_kcal_mol_ns", "error_kcal_mol_ns", "sd_kcal_mol",
           "sd_of_all_kJ_mol", "temperature_translation_K", "temperature_rotation_K", "ms_per_step"]


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def lamella(options, *arguments):
    """Its standard error; the end of that if it failed, and False."""
    launch = ["mpiexec", "-n", str(options.ranks)] if options.ranks > 1 else []
    done = subprocess.run([*launch, options.lamella, *arguments], cwd=options.output, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    return done.stderr, done.returncode == 0


def run(options, prefix, start, precision, dt, length, **settings):
    """dt: fs; length: ps. The performance of the run, or what it said when it ended early."""
    with open(os.path.join(options.output, prefix + ".yaml"), "w") as file:
        file.write(f"output: {{prefix: {prefix}}}\n")
    settings = {"input": start, "run.steps": round(1000 * length / dt), "run.dt": dt / 1000,
                "run.precision": precision, "parallel.backend": options.backend,
                "neighbor.skin": 0.1, "output.checkpoint_every": 0,
                "output.energies_every": max(1, round(20 / dt)), **settings}
    said, good = lamella(options, "run", prefix + ".yaml", "--restart=never",
                         *(f"--set={key}={value}" for key, value in settings.items()))
    if not good:
        return None, [line for line in said.splitlines() if "lamella:" in line][-1:] or [said[-500:]]
    with open(os.path.join(options.output, prefix + ".performance.json")) as file:
        return json.load(file), None


def equilibrated(options):
    """A state file, relative to the folder."""
    if options.start:
        return os.path.abspath(options.start)
    with open(os.path.join(options.output, "water.yaml"), "w") as file:
        file.write(SPEC.format(**vars(options)))
    said, good = lamella(options, "build", "water.yaml", "-o", "water.h5")
    if not good:
        sys.exit(said)
    say(f"equilibrating {options.waters} waters for {options.equilibrate:g} ps")
    _, wrong = run(options, "equilibrated", "water.h5", "mixed", 1, options.equilibrate,
                   **{"thermostat.type": "langevin", "thermostat.temperature": options.temperature,
                      "thermostat.tau": 0.5})
    if wrong:
        sys.exit(wrong[0])
    return "equilibrated.checkpoint.h5"


def inefficiency(x):
    """Samples per independent sample, by where the autocorrelation has died down."""
    n = len(x)
    power = np.abs(np.fft.rfft(x - x.mean(), 2 * n))**2
    c = np.fft.irfft(power)[:n] / np.arange(n, 0, -1)
    end = np.argmax(c < 0.02 * c[0]) or n
    return max(1.0, 1 + 2 * (c[1:end] / c[0]).sum())


def line(x, y):
    """Slope, its standard error, and the standard deviation about the line."""
    slope, start = np.polyfit(x, y, 1)
    rest = y - slope * x - start
    freedom = max(len(x) / inefficiency(rest) - 2, 1)
    return slope, rest.std() / x.std() / np.sqrt(freedom), rest.std()


def energies(options, prefix):
    with open(os.path.join(options.output, prefix + ".csv")) as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def molecules(options, state):
    import h5py
    with h5py.File(os.path.join(options.output, state), "r") as file:
        return len(file["beads/type"])


def measure(options, state, precision, dt):
    """The row of a run."""
    row = {"precision": precision, "dt_fs": dt, "length_ps": options.length}
    prefix = f"nve_{precision}_{dt:g}"
    speed, wrong = run(options, prefix, state, precision, dt, options.length)
    if wrong:
        say(f"{precision}, {dt:g} fs: {wrong[0]}")
        return {**row, "failed": wrong[0]}
    columns, n = energies(options, prefix), molecules(options, state)
    time, total = columns["time_ps"] / 1000, columns["total"] / KCAL / n
    slope, error, sd = line(time, total)
    row.update(drift_kcal_mol_ns=slope, error_kcal_mol_ns=error, sd_kcal_mol=sd,
               sd_of_all_kJ_mol=sd * n * KCAL, ms_per_step=speed.get("ms_per_step"))
    for part in ("translation", "rotation"):
        row[f"temperature_{part}_K"] = columns[f"temperature_{part}_K"].mean()
    return row


def table(rows):
    print(f"{'precision':>9} {'dt, fs':>6} {'drift, kcal/mol/molecule/ns':>30} {'sd a molecule':>13} "
          f"{'T_tra, K':>8} {'T_rot, K':>8}")
    for row in rows:
        head = f"{row['precision']:>9} {row['dt_fs']:6g} "
        if "failed" in row:
            print(head + row["failed"])
            continue
        drift = f"{row['drift_kcal_mol_ns']:.2e} +- {row['error_kcal_mol_ns']:.1e}"
        print(head + f"{drift:>30} {row['sd_kcal_mol']:13.2e} "
              f"{row['temperature_translation_K']:8.1f} {row['temperature_rotation_K']:8.1f}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lamella", default=os.environ.get("LAMELLA", "lamella"))
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--forcefield", default="ssd")
    parser.add_argument("--waters", type=int, default=1024)
    parser.add_argument("--temperature", type=float, default=298)
    parser.add_argument("--equilibrate", type=float, default=50, help="ps")
    parser.add_argument("--length", type=float, default=100, help="ps of each run")
    parser.add_argument("--dt", default="1,2,4,8", help="fs, several with commas")
    parser.add_argument("--precision", default="mixed,double")
    parser.add_argument("--start", help="an equilibrated state")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    options.output = os.path.abspath(options.output)
    if os.sep in options.lamella:
        options.lamella = os.path.abspath(options.lamella)
    return options


def main():
    options = arguments()
    os.makedirs(options.output, exist_ok=True)
    state = equilibrated(options)
    rows = [measure(options, state, precision, float(dt)) for precision in
            options.precision.split(",") for dt in options.dt.split(",")]
    with open(os.path.join(options.output, "nve.json"), "w") as file:
        json.dump(rows, file, indent=1)
    with open(os.path.join(options.output, "nve.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, [*COLUMNS, "failed"], restval="")
        writer.writeheader()
        writer.writerows(rows)
    table(rows)
    return 1 if all("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
