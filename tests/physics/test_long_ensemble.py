"""The ensembles of test_ensemble.py with more samples, and every coupling of the barostat: a fluid
where the box keeps its shape, a crystal where edges move on their own."""
import tempfile

from run_lamella import Checks
from test_ensemble import barostat, equipartition, kinetic_energies, smooth, volumes

CRYSTAL = {"barostat.tau": 0.1, "barostat.compressibility": 5e-4}


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        kinetic_energies(checks, folder, {"bussi": 200000, "langevin": 200000})
        equipartition(checks, folder, {"bussi": 60000, "langevin": 60000})
        volumes(checks, folder, {"isotropic": 600000, "constant_area": 600000}, 0.05)
        crystal = smooth(folder, "crystal", (4, 4, 4), 1.0, 40)
        for coupling in ("semi_isotropic", "anisotropic"):
            barostat(checks, folder, coupling, crystal, 100000, (66, 54), 40, CRYSTAL, 0.1)
        barostat(checks, folder, "surface_tension", crystal, 200000, (40, -40), 40,
                 {**CRYSTAL, "barostat.pressure": 60}, 0.12)
    checks.end()


main()
