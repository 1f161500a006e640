"""Observables on GPUs: those of the CPU on the same frames, and the same bits on any number of ranks
and split of a run into jobs. Skipped where there is no GPU. OBSERVE_BACKEND=cpu tries the test itself
without one."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, run
from test_clusters import FIELD, SPEC

BACKEND = os.environ.get("OBSERVE_BACKEND", "cuda")
KINDS = ["membrane: {every: 5}", "density: {every: 5, bins: 40}", "potential: {every: 5, bins: 40}",
         "pressure: {every: 5, bins: 40}", "order: {every: 10}", "leaflets: {every: 10}",
         "undulation: {every: 10, grid: 8}", "rdf: {every: 10, pairs: [[P, P], [W, W]], range: 1, bins: 20}",
         "msd: {every: 5}", "rotation: {every: 5}", "temperature: {every: 5}"]
OBSERVE = "[%s]" % ", ".join("{%s}" % kind for kind in KINDS)
# Of a membrane of molecules with constraints and virtual sites.
CLUSTERS = "[{pressure: {every: 5, bins: 40}}, {density: {every: 5, bins: 40}}]"
MOTION = {"run.steps": 40, "run.dt": 0.01, "thermostat.type": "langevin",
          "barostat.type": "crescale", "barostat.every": 5}


def results(path):
    """Every column of a file of results: {name: array}."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(keep)
    return found


def columns_agree(checks, first, second, allowed, what):
    """Errors and times are compared less strictly than values: they are small differences."""
    a, b = results(first), results(second)
    checks.true("columns " + what, sorted(a) == sorted(b), sorted(set(a) ^ set(b))[:5])
    for name in sorted(set(a) & set(b)):
        if name.endswith(("_error", "_time")):
            continue
        x, y = a[name], b[name]
        scale = np.nanmax(np.abs(x), initial=0)
        if "pressure/pressure" in name:
            scale = np.nanmax(np.abs(a["pressure/pressure/normal"]))
        checks.true(f"{name} {what}", x.shape == y.shape and
                    np.allclose(x, y, rtol=0, atol=allowed * scale + 1e-12, equal_nan=True), x, y)


def frames_agree(checks, folder, state, observe=OBSERVE):
    trial.simulate(folder, "frames", {"input": state, "parallel.backend": "cpu", **MOTION,
                                      "output.frames_every": 5, "output.velocities": 1})
    trajectory = os.path.join(folder, "frames.h5md")
    for precision, allowed in ("double", 1e-8), ("mixed", 1e-3):
        found = {}
        for name, backend in ("host", "cpu"), ("device", BACKEND):
            prefix = os.path.join(folder, f"by-{name}")
            run("analyze", trajectory, f"--set=observe={observe}", f"--set=parallel.backend={backend}",
                f"--set=run.precision={precision}", "-o", prefix, cwd=folder)
            found[name] = prefix + ".observables.h5"
        columns_agree(checks, found["host"], found["device"], allowed, precision)


def bits_agree(checks, folder, state):
    for precision in "mixed", "double":
        settings = {"input": state, "parallel.backend": BACKEND, "run.precision": precision,
                    "observe": OBSERVE, **MOTION}
        trial.simulate(folder, "one", settings)
        whole = os.path.join(folder, "one.observables.h5")
        for ranks in 2, 3:
            trial.simulate(folder, f"many{ranks}", settings, ranks=ranks)
            found = trial.differences(whole, os.path.join(folder, f"many{ranks}.observables.h5"))
            checks.true(f"{precision}: results on {ranks} ranks", not found, found[:5])
        trial.simulate(folder, "jobs", {**settings, "run.steps": 17}, ranks=2)
        trial.simulate(folder, "jobs", settings, restart="auto")
        found = trial.differences(whole, os.path.join(folder, "jobs.observables.h5"))
        checks.true(f"{precision}: results of two jobs", not found, found[:5])
        trial.simulate(folder, "without", {**settings, "observe": "[]"})
        found = [name for name in trial.differences(trial.checkpoint(folder, "one"), trial.checkpoint(folder, "without"))
                 if not name.startswith("observables/")]
        checks.true(f"{precision}: motion with and without observables", not found, found[:5])


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        state = trial.build(folder, "start", trial.MEMBRANE % 4)
        trial.skip_without(BACKEND, state)
        state = trial.membrane(folder)
        frames_agree(checks, folder, state)
        bits_agree(checks, folder, state)
        clusters = trial.build(folder, "clusters", SPEC % (FIELD, 1))
        trial.simulate(folder, "clusters", {**MOTION, "input": clusters, "run.dt": 0.004, "run.steps": 200})
        frames_agree(checks, folder, trial.checkpoint(folder, "clusters"), CLUSTERS)
    checks.end()


if __name__ == "__main__":
    main()
