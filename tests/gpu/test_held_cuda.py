"""Constraints of distances of centres on GPUs: held, energy, virial and forces as on CPUs; the same bits on any number of ranks (which
may share a GPU), with graphs and without, with lists that expire every few steps, in jobs that were split or killed. Skipped where
there is no GPU."""
import tempfile

import numpy as np

import test_biases
import test_held
import trial
from run_lamella import Checks

NPT = {"thermostat.type": "bussi", "barostat.type": "crescale", "barostat.coupling": "semi_isotropic", "barostat.every": 5}


def beside_cpu(checks, folder, settings):
    """In double precision the first lines agree to rounding, and all of a short run to little more."""
    case = {**settings, "run.steps": 20, "run.precision": "double", "thermostat.type": "none", "output.coordinates_every": 1}
    for backend in "cpu", "cuda":
        trial.simulate(folder, "of_" + backend, {**case, "parallel.backend": backend})
    a, b = (test_biases.lines(folder, "of_" + backend) for backend in ("cpu", "cuda"))
    for name in a:
        size = np.abs(a[name]).max()
        checks.close(f"{name}, first line", b[name][0], a[name][0], 1e-9, 1e-9 * size)
        checks.close(f"{name}, 20 steps", np.abs(b[name] - a[name]).max(), 0, absolute=1e-6 * (1 + size))


def graphs(checks, folder, settings):
    """Batches of steps change no bit."""
    case = {**settings, **NPT, "run.steps": 400, "output.energies_every": 20, "output.coordinates_every": 1}
    for graph in "yes", "no":
        trial.simulate(folder, "graph_" + graph, {**case, "parallel.graph": graph})
    wrong = trial.differences(trial.checkpoint(folder, "graph_yes"), trial.checkpoint(folder, "graph_no"))
    checks.true("graphs change no bit", not wrong, wrong)
    test_biases.same_lines(checks, folder, ("graph_yes", "graph_no"), "files with graphs")
    test_held.held(checks, folder, "graph_yes")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.membrane(folder))
        settings = test_held.both(checks, folder, "cuda")
        for skin in 0.2, 0.03:
            beside_cpu(checks, folder, {**settings, "neighbor.skin": skin})
        graphs(checks, folder, settings)
        trial.thin_skins(checks, folder, {**settings, **NPT, **test_held.BESIDE, "output.coordinates_every": 4}, "constraints")
        test_biases.same_lines(checks, folder, ("on1", "alone", "on2", "on3"), "files with thin skins")
        test_held.held(checks, folder, "on3")
    checks.end()


if __name__ == "__main__":
    main()
