"""Oblique boxes on GPUs: energies, forces and virial do not depend on which box describes a system; with every coupling
the same bits on one and two ranks (which may share a GPU), and in two jobs; the energy is conserved. Skipped where
there is no GPU."""
import tempfile

import test_boxes
import trial
from run_lamella import Checks


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        trial.skip_without("cuda", trial.build(folder, "ssd", test_boxes.SYSTEMS["ssd"]))
        test_boxes.equivalent(checks, folder, "cuda")
        test_boxes.same_bits(checks, folder, test_boxes.moving(folder), "cuda", ("2x1", "1x2", "2x2"))
        test_boxes.conserves(checks, folder, "cuda")
    checks.end()


if __name__ == "__main__":
    main()
