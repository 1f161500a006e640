"""The laws of the volume and of rotation of test_box_moves.py for every coupling and for intervals of crescale up to the
largest that no warning is about."""
import tempfile

from run_lamella import Checks
from test_box_moves import laws


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for coupling, every in (("isotropic", 1), ("isotropic", 10), ("semi_isotropic", 10), ("anisotropic", 10),
                                ("constant_area", 10), ("isotropic", 40)):
            laws(checks, folder, 6, coupling, 400000, every, 0.15)
    checks.end()


if __name__ == "__main__":
    main()
