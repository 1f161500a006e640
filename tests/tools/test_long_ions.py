#!/usr/bin/env python3
"""1 ns in NPT of 128 DOPC with 150 mM of NA and CL, on a GPU where there is one: no ion comes between the
tails, ions do not collapse onto each other, and the membrane stays a bilayer."""
import os
import sys
import tempfile

from run_lamella import Checks, run, skip

try:
    import numpy as np

    import oracle
except ImportError as missing:
    skip(missing)

SOURCE = os.environ["top_srcdir"]
STEPS = 100000  # of 10 fs
OBSERVE = "observe=[membrane, {density: {bins: 60}}, {rdf: {every: 200, pairs: [[NA, CL], [NA, P], [CL, C]]}}]"


def from_middle(path):
    """Distances of beads from the middle of the bilayer along z, nm; types."""
    state = oracle.State(path)
    edge = state.box[2]
    z = state.word[:, 2] / 2.0**32
    tails = np.exp(2j * np.pi * z[state.type == 5]).mean()
    return np.abs((z - np.angle(tails) / (2 * np.pi) + 0.5) % 1 - 0.5) * edge, state


def main():
    checks = Checks()
    examples = os.path.join(SOURCE, "examples")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("build", os.path.join(examples, "dopc.yaml"), "-o", "start.h5")
        run("ions", "start.h5", "-o", "salt.h5", "--concentration=0.15:NA,CL")
        run("run", os.path.join(examples, "relax.yaml"), "-s", "input=salt.h5", timeout=3000)
        run("run", os.path.join(examples, "run.yaml"), "-s", f"run.steps={STEPS}", "-s", OBSERVE,
            "-s", "output.frames_every=0", timeout=20000)
        away, state = from_middle("dopc.checkpoint.h5")
        ions = np.flatnonzero(state.type > 6)
        checks.true("11 of each", len(ions) == 22, len(ions))
        checks.true("at the end no ion is between the tails", away[ions].min() > 1, away[ions])
        apart = [np.sqrt((state.between(i, ions[ions != i])**2).sum(1)).min() for i in ions]
        checks.true("at the end ions are apart", min(apart) > 0.3, min(apart))
        table = np.genfromtxt("dopc.density.density.csv", delimiter=",", names=True)
        middle = np.abs(table["z_nm"]) < 1
        for ion in ("NA", "CL"):
            density = table["number_" + ion]
            checks.true(f"{ion} in the water", density.max() > 0.01 and not density[middle].any(), density)
        area = np.genfromtxt("dopc.membrane.membrane.csv", delimiter=",", names=True)["area"]
        print("area per lipid, nm2:", area)
        checks.true("area per lipid", 0.6 < area < 0.8, area)
        os.chdir("/")
    checks.end()


if __name__ == "__main__":
    sys.exit(main())
