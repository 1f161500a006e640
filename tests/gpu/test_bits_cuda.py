#!/usr/bin/env python3
"""Double precision on GPUs has the bits of CPUs: the hashes of eight systems after 2,000 steps (support/hashed.py), and the states
of large systems, whose kernels have other numbers of lanes, after a few steps. Skipped where there is no GPU."""
import tempfile

import hashed
import trial
from run_lamella import Checks
from test_hashes import HASHES

MELT = "{forcefield: lj, temperature: 173, seed: 3, lattice: {type: fcc, cells: [30, 30, 30], density: 0.8442}}"
FEW = {"run.steps": 20, "output.energies_every": 5}


def compare(checks, folder, name, settings):
    """States and reported energies of both backends."""
    for backend in "cpu", "cuda":
        trial.simulate(folder, name + backend, {**settings, "parallel.backend": backend})
    wrong = trial.where_different(*(trial.checkpoint(folder, name + backend) for backend in ("cpu", "cuda")))
    wrong = [line for line in wrong if line.startswith(hashed.MOTION)]
    checks.true(f"{name}: the state of the CPU", not wrong, *wrong)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", hashed.start(folder, "melt"))
        for name in hashed.RUNS:
            settings = hashed.settings(folder, name, "cuda")
            trial.simulate(folder, name, settings)
            same = hashed.digest(trial.checkpoint(folder, name)) == HASHES[name]
            checks.true(f"{name}: the hash of its state", same)
            compare(checks, folder, name + "-few", {**settings, **FEW})
        for name in "elba-langevin", "field-npt", "sterols-npt", "ssd-nve":
            few = {**hashed.settings(folder, name, "cuda"), **FEW}
            few["input"] = trial.build(folder, name + "_many", "{state: %s, replicate: [%s]}" % (few["input"], "8, 8, 1" if name != "ssd-nve" else "4, 4, 4"))
            compare(checks, folder, name + "-many", few)
        compare(checks, folder, "melt-many", {**hashed.settings(folder, "melt-npt", "cuda"), **FEW, "input": trial.build(folder, "melt_many", MELT)})
    checks.end()


if __name__ == "__main__":
    main()
