"""The laws of the volume and of the kinetic energy of test_box_moves.py for every coupling and for intervals of crescale up
to the largest that no warning is about."""
import tempfile

from run_lamella import Checks
from test_box_moves import laws


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for every in 1, 10:
            laws(checks, folder, 6, "isotropic", 400000, every, 0.15)
        laws(checks, folder, 6, "constant_area", 400000, 10, 0.25, flat=0.72)
        laws(checks, folder, 24, "semi_isotropic", 1250, 10, 0.3, seeds=range(1, 61))
        laws(checks, folder, 24, "anisotropic", 1250, 10, 0.3, seeds=range(61, 121))
    checks.end()


if __name__ == "__main__":
    main()
