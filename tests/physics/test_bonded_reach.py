"""Bonded terms longer than the radius of lists: energies and forces against the oracle, and the same bits
on any number of ranks, whose halos grow. Limits of lengths, which do not depend on ranks."""
import os
import tempfile

import h5py
import numpy as np

import oracle
import test_oracle
import trial
from run_lamella import Checks

# Beads of an angle are 1.5 nm apart, beyond the cutoff and the skin.
FIELD = """
format: 1
name: long
cutoff: 0.8
exclude: [1-2]
types:
  T: {mass: 40}
  W: {mass: 40}
pair:
  lj: {truncation: force_shift, mixing: none}
  electrostatics: {truncation: none}
  table:
    - [T, T, {epsilon: 2, sigma: 0.35}]
    - [T, W, {epsilon: 1, sigma: 0.35}]
    - [W, W, {epsilon: 2, sigma: 0.35}]
bonds:
  one: {form: harmonic, k: 2000, r0: 0.75}
angles:
  straight: {form: cosine_squared, k: 150, theta0: 180}
molecules:
  W: {beads: [W]}
  Y: {beads: [T, T, T], bonds: [[one, 1, 2], [one, 2, 3]], angles: [[straight, 1, 2, 3]]}
"""
SPEC = """
forcefield: %s
temperature: 250
bilayer: {upper: {Y: 42}, lower: {Y: 42}, area_per_lipid: 0.5, water_per_lipid: 24}
minimise: {max_steps: 100, force: 1000}
"""


def along_x(start):
    """Turn the lipids to x, the direction of the slabs."""
    with h5py.File(start, "r+") as file:
        for name in "beads/position", "system/box":
            file[name][...] = file[name][:][..., ::-1]
        file["neighbor_list/step"][...] = -1


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        field = test_oracle.write(folder, "long", FIELD)
        start = trial.build(folder, "start", SPEC % field)
        along_x(start)
        want = oracle.evaluate(start)
        test_oracle.compare(checks, folder, "long terms", start, want, "double")
        settings = {"input": start, "run.steps": 150, "run.dt": 0.005, "neighbor.skin": 0.15,
                    "thermostat.type": "langevin", "thermostat.temperature": 250,
                    "output.energies_every": 50}
        for ranks in 1, 2, 3:
            said = trial.simulate(folder, f"on{ranks}", settings, ranks=ranks)
            # Of three slabs the middle one has all the lipids.
            checks.true(f"the halo of {ranks} ranks", ("the halo grows" in said) == (ranks == 2), said)
            wrong = trial.differences(trial.checkpoint(folder, "on1"), trial.checkpoint(folder, f"on{ranks}"))
            checks.true(f"the state on {ranks} ranks", not wrong, wrong)

        def drawn(file):
            """A bond of 2.4 nm: more than three times its length at rest."""
            molecule = file["beads/molecule"][:]
            last = int(np.flatnonzero(molecule == molecule[0])[-1])
            box = file["system/box"][:]
            word = file["beads/position"][:].view(np.uint32)
            word[last] = word[last - 1] + np.array([2.4 / box[0] * 2.0**32, 0, 0]).astype(np.uint32)
            file["beads/position"][:] = word.view(np.int32)
            file["neighbor_list/step"][...] = -1

        torn = os.path.join(folder, "torn.h5")
        with open(start, "rb") as file, open(torn, "wb") as other:
            other.write(file.read())
        with h5py.File(torn, "r+") as file:
            drawn(file)
        for ranks in 1, 2, 3:
            said = trial.simulate(folder, f"torn{ranks}", {**settings, "input": torn}, ranks=ranks, status=3)
            checks.true(f"a long bond on {ranks} ranks", "are 2.4 nm (at most 2.25 nm) apart" in said, said)
    checks.end()


if __name__ == "__main__":
    main()
