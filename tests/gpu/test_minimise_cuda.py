#!/usr/bin/env python3
"""The minimiser on GPUs: energies and largest forces of CPUs after some steps, of dipoles, frozen beads and soft
cores; the same bits on two and three ranks (which may share a GPU); beads on top of each other relax. Skipped
where there is no GPU."""
import os
import re
import tempfile

import numpy as np

import test_overlaps as overlaps
import trial
from run_lamella import Checks, energy, run

STEPS = 25  # few: what backends round differently grows, and flips a decision in the end
KEYS = """input: %s
minimise: {steps: %d, force: %g%s}
parallel: {backend: %s}
output: {prefix: %s}
%s"""


def minimised(folder, start, prefix, backend, ranks=1, steps=STEPS, force=0, soft="", more=""):
    """What was said: energies before and after; and the largest force and energy of the result, in double on a CPU."""
    with open(os.path.join(folder, "run.yaml"), "w") as file:
        file.write(KEYS % (start, steps, force, soft, backend, prefix, more))
    said = run("run", "run.yaml", "--restart=never", ranks=ranks, cwd=folder).stderr
    found = re.search(r"minimise: (\d+) steps, potential energy (\S+) -> (\S+) kJ/mol, largest force (\S+)", said)
    forces = os.path.join(folder, "forces.txt")
    potential = energy(trial.checkpoint(folder, prefix), "--backend=cpu", "--precision=double", "--forces=" + forces)["potential"]
    largest = np.linalg.norm(np.loadtxt(forces)[:, 1:4], axis=1).max()
    return [float(v) for v in found.groups()], potential, largest, said


def agree(checks, folder, name, start, **how):
    (steps, before, after, force), potential, largest, said = minimised(folder, start, "gpu", "cuda", **how)
    here = minimised(folder, start, "cpu", "cpu", **how)
    scale = abs(here[1])
    checks.true(name + ": the GPU minimised", "cuda" in said, said)
    checks.close(name + ": steps", steps, here[0][0])
    checks.close(name + ": energy at the start", before, here[0][1], absolute=2e-8 * scale)
    checks.close(name + ": energy said", after, here[0][2], absolute=1e-7 * scale)
    checks.close(name + ": energy", potential, here[1], absolute=1e-7 * scale)
    checks.close(name + ": largest force said", force, here[0][3], relative=2e-3)
    checks.close(name + ": largest force", largest, here[2], relative=1e-4)
    checks.true(name + ": lower", after < before, before, after)
    for ranks in 2, 3:
        minimised(folder, start, "more", "cuda", ranks=ranks, **how)
        differ = trial.differences(trial.checkpoint(folder, "gpu"), trial.checkpoint(folder, "more"))
        checks.true("%s: the same bits on %d ranks" % (name, ranks), not any(d.startswith("beads/") for d in differ), differ)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        dipoles = trial.build(folder, "dipoles", trial.MEMBRANE % 2)
        trial.skip_without("cuda", dipoles)
        agree(checks, folder, "dipoles", dipoles)
        agree(checks, folder, "frozen", dipoles, more="frozen: [{group: {ids: [1, 200]}, along: z}, {group: {ids: [201, 300]}}]\n")
    for k, (what, make) in enumerate(overlaps.STARTS.items()):
        with tempfile.TemporaryDirectory() as folder:
            start = overlaps.put(folder, *make(np.random.default_rng([3, k])))
            for soft in "", ", soft: [0.05, 0.01]":
                for prefix, ranks in ("one", 1), ("two", 2):
                    largest = minimised(folder, start, prefix + soft[2:6], "cuda", ranks=ranks, steps=500, force=500, soft=soft)[2]
                    checks.true("%s%s: relaxes" % (what, soft), largest < 2000, largest)
                differ = trial.differences(*(trial.checkpoint(folder, prefix + soft[2:6]) for prefix in ("one", "two")))
                checks.true("%s%s: bits of ranks" % (what, soft), not any(d.startswith("beads/") for d in differ), differ)
    checks.end()


if __name__ == "__main__":
    main()
