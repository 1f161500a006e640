"""The same bits of two builds for the same instruction set, of which each goes on where the other stopped: on 1 to 4 ranks.
OTHER: the program of the second build, such as one with another MPI or compiler; OTHER_MPIEXEC: its mpiexec. Skipped
without OTHER."""
import filecmp
import os
import tempfile

import run_lamella
import trial
from run_lamella import LAMELLA, MPIEXEC, Checks, skip

OTHER = os.environ.get("OTHER", "")
OTHER_MPIEXEC = (os.environ.get("OTHER_MPIEXEC") or "mpiexec").split()
COUPLED = {"output.energies_every": 5, "thermostat.type": "langevin", "barostat.type": "crescale", "barostat.tau": 1.0,
           "run.dt": 0.01}
STEPS = 60
checks = Checks()
if not OTHER:
    skip("no second build (OTHER)")


def simulate(build, *arguments, **how):
    """trial.simulate by the first or second build."""
    run_lamella.LAMELLA, run_lamella.MPIEXEC = ((LAMELLA, MPIEXEC), (OTHER, OTHER_MPIEXEC))[build]
    trial.simulate(folder, *arguments, **how)


with tempfile.TemporaryDirectory(prefix="test_two_builds.") as folder:
    membrane = trial.membrane(folder)
    for precision in "mixed", "double":
        settings = {"input": membrane, "run.precision": precision, "run.steps": STEPS, **COUPLED}
        simulate(0, "one", settings)
        for ranks in 1, 2, 3, 4:
            other = 5 - ranks
            simulate(1, "other", settings, ranks=ranks)
            simulate(ranks % 2, "parts", {**settings, "run.steps": STEPS // 2}, ranks=ranks)
            simulate(1 - ranks % 2, "parts", settings, restart="auto", ranks=other)
            for name, what in ("other", f"on {ranks} ranks"), ("parts", f"on {ranks} ranks, then {other} of the other"):
                wrong = trial.where_different(*(trial.checkpoint(folder, of) for of in ("one", name)))
                checks.true(f"{precision}, {what}: the state", not wrong, wrong)
                checks.true(f"{precision}, {what}: the energies", filecmp.cmp(
                    *(os.path.join(folder, of + ".csv") for of in ("one", name)), shallow=False))
checks.end()
