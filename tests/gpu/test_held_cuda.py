"""Constraints of distances of centres on GPUs: held, energy, virial and forces as on CPUs; the same bits on any number of ranks (which
may share a GPU), with graphs and without, with lists that expire every few steps, in jobs that were split or killed. Skipped where
there is no GPU."""
import tempfile

import test_biases
import test_biases_cuda
import test_held
import trial
from run_lamella import Checks


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.membrane(folder))
        settings = test_held.both(checks, folder, "cuda")
        for skin in 0.2, 0.03:
            test_biases_cuda.beside_cpu(checks, folder, {**settings, "neighbor.skin": skin}, 1e-9, 1e-6)
        test_biases_cuda.graphs(checks, folder, settings)
        test_held.held(checks, folder, "graph_yes")
        trial.thin_skins(checks, folder, {**settings, **test_biases_cuda.NPT, **test_held.BESIDE, "output.coordinates_every": 4}, "constraints")
        test_biases.same_lines(checks, folder, ("on1", "alone", "on2", "on3"), "files with thin skins")
        test_held.held(checks, folder, "on3")
    checks.end()


if __name__ == "__main__":
    main()
