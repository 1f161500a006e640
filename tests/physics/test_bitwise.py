"""One trajectory: the same bits on any number of ranks and threads, with any slab boundaries, stopped and
continued anywhere, for every coupling and precision in a pairwise covering."""
import filecmp
import itertools
import os
import signal
import subprocess
import tempfile
import time

import h5py

import trial
from run_lamella import LAMELLA, MPIEXEC, STOPPED, Checks, run, write

PRESSURE = {"barostat.every": 4, "barostat.tau": 1.0}
ENSEMBLES = {
    "nve": {"run.momentum_every": 15},
    "langevin": {"thermostat.type": "langevin"},
    "bussi": {"thermostat.type": "bussi", "thermostat.every": 3},
    "berendsen": {"thermostat.type": "berendsen", "barostat.type": "berendsen", **PRESSURE},
    "isotropic": {"thermostat.type": "bussi", "barostat.type": "crescale",
                  "barostat.coupling": "isotropic", "run.momentum_every": 10, **PRESSURE},
    "semi_isotropic": {"thermostat.type": "langevin", "barostat.type": "crescale", **PRESSURE},
    "anisotropic": {"thermostat.type": "bussi", "barostat.type": "crescale",
                    "barostat.coupling": "anisotropic", **PRESSURE},
    "surface_tension": {"thermostat.type": "langevin", "barostat.type": "crescale",
                        "barostat.coupling": "surface_tension", "barostat.surface_tension": 300,
                        **PRESSURE},
    "constant_area": {"thermostat.type": "berendsen", "barostat.type": "crescale",
                      "barostat.coupling": "constant_area", **PRESSURE},
}
# The membrane has interior beads on every rank; the droplet leaves ranks without beads.
SYSTEMS = {
    "membrane": {"run.dt": 0.010, "neighbor.skin": 0.08},
    "droplet": {"run.dt": 0.004, "neighbor.skin": 0.08, "parallel.axis": "y",
                "thermostat.temperature": 84, "barostat.compressibility": 1e-6},
}
WHOLE = 0  # else: the number of ranks that continue what another number began
FIFTH, NEVER = 5, 0  # steps whose energies are wanted; those of the reference are every fifth
FACTORS = {
    "ensemble": list(ENSEMBLES),
    "precision": ["mixed", "double"],
    "ranks": [(1, 2), (1, 3), (2, 1), (3, 2), (4, 1)],  # and threads of each
    "balance_every": [0, 1],
    "continued_on": [WHOLE, 1, 3],
    "energies_every": [FIFTH, NEVER],
}
# What the run on one rank depends on, that others are compared with; and the kernels: those with energies give the
# same bits as those without.
REFERENCE = ("ensemble", "system", "precision")
KERNELS = ("system", "precision", "energies_every")
# Of these pairs two of three are in ./check, all in ./check --long, which has half as many rows more. Ensembles know
# no ranks: they scale by sums over all beads, and draw by id and step.
RARE = ("ensemble", "ranks"), ("ensemble", "continued_on")


def reference_of(row):
    return "-".join(row[name] for name in REFERENCE if name in row)


def covering(factors, kernels=KERNELS, rare=()):
    """Rows in which every two values of every two factors meet, but for rare pairs of factors, and all of kernels,
    chosen greedily; of equals one with more rare pairs, and one whose reference there is already."""
    rows = [dict(zip(factors, values)) for values in itertools.product(*factors.values())]
    pairs = list(itertools.combinations(factors, 2))

    def met(row):
        return {*((a, row[a], b, row[b]) for a, b in pairs), tuple(row[name] for name in kernels)}

    def needed(pair):
        return pair[::2] not in rare

    missing, used = set().union(*map(met, rows)), set()
    while any(map(needed, missing)):
        def gain(row):
            new = met(row) & missing
            return sum(map(needed, new)), len(new), reference_of(row) in used
        best = max(rows, key=gain)
        missing -= met(best)
        used.add(reference_of(best))
        yield best


def settings_of(row, states, steps):
    """states: {system: settings of runs that start from it}."""
    return {"run.steps": steps, "run.precision": row["precision"],
            "output.frames_every": steps // 3, "output.energies_every": FIFTH, **states[row["system"]], **ENSEMBLES[row["ensemble"]]}


def same(checks, folder, first, second, what, csv=True):
    for end in (".checkpoint.h5", ".h5md"):
        a, b = (os.path.join(folder, name + end) for name in (first, second))
        if os.path.exists(a) and os.path.exists(b):
            wrong = trial.differences(a, b)
            checks.true(f"{what}: the same {end}", not wrong, wrong)
    a, b = (os.path.join(folder, name + ".csv") for name in (first, second))
    if csv:
        checks.true(f"{what}: the same .csv", filecmp.cmp(a, b, shallow=False))


def row_check(checks, folder, row, states, steps, references):
    settings, reference = settings_of(row, states, steps), reference_of(row)
    if reference not in references:
        trial.simulate(folder, reference, settings)
        references.add(reference)
        built = trial.builds(trial.checkpoint(folder, reference))
        checks.true(f"{reference}: lists were built", built > 3, built)
    ranks, settings["parallel.threads"] = row["ranks"]
    settings["parallel.balance_every"] = row["balance_every"]
    settings["output.energies_every"] = row["energies_every"]
    if row["continued_on"] == WHOLE:
        trial.simulate(folder, "other", settings, ranks=ranks)
    else:
        part = {**settings, "run.steps": 2 * steps // 3 - 3}
        trial.simulate(folder, "other", part, ranks=ranks)
        trial.simulate(folder, "other", settings, ranks=row["continued_on"], restart="auto")
    same(checks, folder, reference, "other", str(row), csv=row["energies_every"] == FIFTH)


def interrupted(checks, folder, states):
    """A run that a signal stops goes on as if nothing had been, here for 20 more steps."""
    settings = {"input": states["membrane"]["input"], "run.steps": 5000,
                "output.energies_every": 5, "thermostat.type": "langevin"}
    command = [*MPIEXEC, "-n", "3", LAMELLA, "run", "stopped.yaml", "--restart=never"]
    write(os.path.join(folder, "stopped.yaml"), "output: {prefix: stopped}\n")
    command += [f"--set={key}={value}" for key, value in settings.items()]
    job = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    csv = os.path.join(folder, "stopped.csv")
    for _ in range(3000):
        time.sleep(0.02)
        if os.path.exists(csv) and len(open(csv).readlines()) > 2:
            break
    job.send_signal(signal.SIGUSR1)
    checks.true("a stopped run ends with status 99", job.wait(timeout=120) in STOPPED, job.returncode)
    with h5py.File(trial.checkpoint(folder, "stopped"), "r") as file:
        settings["run.steps"] = int(file["system/step"][()].item()) + 20
    trial.simulate(folder, "through", settings, ranks=2)
    trial.simulate(folder, "stopped", settings, restart="auto", ranks=2)
    same(checks, folder, "through", "stopped", "stopped by a signal")


def threads_said(checks, folder, state):
    """How many threads a rank has, and what it says of them."""
    write(os.path.join(folder, "said.yaml"), f"input: {state}\noutput: {{prefix: said}}\n")

    def start(*sets, omp="", **how):
        return run("run", "said.yaml", "--dry-run", *sets, cwd=folder, env={"OMP_NUM_THREADS": omp}, **how).stderr

    few = "--set=parallel.threads=2"
    for what, said, words in (
            ("the processors of a rank that is alone", start(before=["taskset", "-c", "0"]), "1 rank, 1 thread on 1 "),
            ("OMP_NUM_THREADS", start(omp="255,2"), "1 rank, 255 threads on "),
            ("too many threads", start(omp="255"), "warning: 255 threads of 1 rank share "),
            ("parallel.threads", start(few, omp="255"), "1 rank, 2 threads on "),
            ("of several ranks", start(ranks=2), ", 1 thread each on "),
            ("of several ranks, asked for", start(few, ranks=2), ", 2 threads each on ")):
        checks.true("threads: " + what, words in said, said)
    checks.refused("no threads", "parallel.threads", "run", "said.yaml", "--set=parallel.threads=0", cwd=folder)


def check_rows(checks, folder, states, steps, rows=None):
    """The first rows of the covering, or all."""
    references = set()
    factors = {**FACTORS, "system": list(states)}
    rare = () if os.environ.get("LAMELLA_LONG") else RARE
    for row in itertools.islice(covering(factors, rare=rare), rows):
        row_check(checks, folder, row, states, steps, references)


def check_quick(checks, steps):
    """The membrane alone: the first rows of the covering."""
    with tempfile.TemporaryDirectory() as folder:
        states = {"membrane": {"input": trial.membrane(folder), **SYSTEMS["membrane"]}}
        check_rows(checks, folder, states, steps, 2)


def check_all(checks, steps):
    with tempfile.TemporaryDirectory() as folder:
        droplet = trial.liquid(folder, "droplet", (5, 5, 5), 0.75, 84, 300)
        trial.enlarge(droplet, (1, 4, 1))
        files = {"membrane": trial.membrane(folder), "droplet": droplet}
        states = {name: {"input": files[name], **SYSTEMS[name]} for name in SYSTEMS}
        check_rows(checks, folder, states, steps)
        interrupted(checks, folder, states)
        threads_said(checks, folder, files["membrane"])


if __name__ == "__main__":
    checks_made = Checks()
    if os.environ.get("LAMELLA_QUICK"):
        check_quick(checks_made, steps=21)
    else:
        check_all(checks_made, steps=21)
    checks_made.end()
