#!/usr/bin/env python3
"""PLUMED on GPUs: what test_plumed.py checks on CPUs, and lists that expire every few steps, where a step that was
submitted in vain must not be given to PLUMED. Skipped where there is no GPU."""
import tempfile

import test_plumed
import trial
from run_lamella import Checks


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.membrane(folder))
        settings = test_plumed.plumed(checks, folder, "cuda")
        test_plumed.stops(checks, folder, settings)
        case = {**settings, "neighbor.skin": 0.03, "output.energies_every": 7}
        test_plumed.one_trajectory(checks, folder, case, "cuda", "thin skin", test_plumed.RICH)
        test_plumed.one_trajectory(checks, folder, case, "cuda", "energy", test_plumed.RICH + "note 2\nstride 5\n")
    checks.end()


if __name__ == "__main__":
    main()
