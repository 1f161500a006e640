"""Metadynamics on GPUs: bias, heights and conserved energy as on CPUs; the same bits on any number of ranks (which may share a
GPU), with graphs and without, with lists that expire every few steps, in jobs that were split or killed; a hill every step, more
than a GPU keeps; a coordinate that leaves the grid. Skipped where there is no GPU."""
import tempfile

import numpy as np

import test_metadynamics
import trial
from run_lamella import Checks
from test_biases import lines


def beside_cpu(checks, folder, settings):
    """In double precision the first hills agree to rounding."""
    case = {**settings, "run.steps": 20, "run.precision": "double", "thermostat.type": "none", "output.coordinates_every": 1,
            "biases": test_metadynamics.TWO.replace("every: 3", "every: 3, temperature: 300")}
    for backend in "cpu", "cuda":
        trial.simulate(folder, "of_" + backend, {**case, "parallel.backend": backend})
    a, b = (test_metadynamics.read(folder, "of_" + backend)[0] for backend in ("cpu", "cuda"))
    for name in a:
        checks.close(f"hills, {name}", np.abs(a[name] - b[name]).max(), 0, absolute=1e-7)
    a, b = (lines(folder, "of_" + backend) for backend in ("cpu", "cuda"))
    for name in "m_energy", "m_force", "m_work":
        size = np.abs(a[name]).max()
        checks.close(name, np.abs(a[name] - b[name]).max(), 0, absolute=1e-6 * (1 + size))


def graphs(checks, folder, settings):
    """Batches of steps change no bit, and hills of every step come in order, more than a backend keeps."""
    case = {**settings, "run.steps": 500, "output.energies_every": 250, "output.coordinates_every": 250,
            "biases": (test_metadynamics.ONE % ", bias_factor: 5").replace("every: 2", "every: 1").replace("height: 2", "height: 0.1")}
    for graph in "yes", "no":
        trial.simulate(folder, "graph_" + graph, {**case, "parallel.graph": graph})
    wrong = trial.differences(trial.checkpoint(folder, "graph_yes"), trial.checkpoint(folder, "graph_no"))
    checks.true("graphs change no bit", not wrong, wrong)
    found = [test_metadynamics.read(folder, "graph_" + graph) for graph in ("yes", "no")]
    checks.true("one file", found[0][1] == found[1][1])
    step = np.rint(found[0][0]["time"] / settings["run.dt"])
    checks.true("a hill of every step", np.array_equal(step, np.arange(1, 500)), len(step))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.membrane(folder))
        settings = test_metadynamics.metadynamics(checks, folder, "cuda")
        for skin in 0.2, 0.03:
            beside_cpu(checks, folder, {**settings, "neighbor.skin": skin})
        graphs(checks, folder, settings)
        trial.thin_skins(checks, folder, {**settings, "biases": test_metadynamics.TWO}, "hills")
        texts = {test_metadynamics.read(folder, prefix)[1] for prefix in ("on1", "alone", "on2", "on3")}
        checks.true("one file of hills", len(texts) == 1, texts)
        test_metadynamics.outside(checks, folder, "cuda")
    checks.end()


if __name__ == "__main__":
    main()
