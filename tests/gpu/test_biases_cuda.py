"""Coordinates and biases on GPUs: energies, forces, virial and work as on CPUs; the same bits on any number of ranks (which
may share a GPU), with graphs and without, with lists that expire every few steps, in jobs that were split or killed; a line of
every step, more than a GPU keeps.
Skipped where there is no GPU."""
import tempfile

import numpy as np

import test_biases
import trial
from run_lamella import Checks

NPT = {"thermostat.type": "bussi", "barostat.type": "crescale", "barostat.coupling": "semi_isotropic", "barostat.every": 5}


def beside_cpu(checks, folder, settings, rounding=1e-11, later=1e-7):
    """In double precision the first lines agree to rounding, and all of a short run to little more."""
    case = {**settings, "run.steps": 20, "run.precision": "double", "thermostat.type": "none", "output.coordinates_every": 1}
    for backend in "cpu", "cuda":
        trial.simulate(folder, "of_" + backend, {**case, "parallel.backend": backend})
    a, b = (test_biases.lines(folder, "of_" + backend) for backend in ("cpu", "cuda"))
    for name in a:
        size = np.abs(a[name]).max()
        checks.close(f"{name}, first line", b[name][0], a[name][0], rounding, rounding * size)
        checks.close(f"{name}, 20 steps", np.abs(b[name] - a[name]).max(), 0, absolute=later * (1 + size))


def graphs(checks, folder, settings):
    """Batches of steps change no bit, and lines of every step come in order."""
    case = {**settings, **NPT, "run.steps": 400, "output.energies_every": 20, "output.coordinates_every": 1}
    for graph in "yes", "no":
        trial.simulate(folder, "graph_" + graph, {**case, "parallel.graph": graph})
    wrong = trial.differences(trial.checkpoint(folder, "graph_yes"), trial.checkpoint(folder, "graph_no"))
    checks.true("graphs change no bit", not wrong, wrong)
    test_biases.same_lines(checks, folder, ("graph_yes", "graph_no"), "files with graphs")
    step = test_biases.lines(folder, "graph_yes")["step"]
    checks.true("a line for every step", np.array_equal(step, np.arange(401)), len(step))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.membrane(folder))
        settings = test_biases.biases(checks, folder, "cuda")
        for skin in 0.2, 0.03:
            beside_cpu(checks, folder, {**settings, "neighbor.skin": skin})
        graphs(checks, folder, settings)
        trial.thin_skins(checks, folder, {**settings, **NPT, "output.coordinates_every": 3}, "biases")
        test_biases.same_lines(checks, folder, ("on1", "alone", "on2", "on3"), "files with thin skins")
        test_biases.too_wide(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
