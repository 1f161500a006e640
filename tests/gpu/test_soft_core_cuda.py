#!/usr/bin/env python3
"""Soft cores on GPUs: energies, slopes by lambda, forces and virial of CPUs, where passes evaluate excluded charges and
where they have a kernel of their own; all molecules or some coupled; oblique boxes. Runs verify their forces, and end
with the same bits on two ranks (which may share a GPU), in two jobs. Skipped where there is no GPU."""
import os
import tempfile

import numpy as np

import gromacs_files as gf
import test_soft_core as soft
import trial
from run_lamella import Checks, energy, run


def compare(checks, start, name, keys):
    options = sum((["-s", "soft_core.%s=%s" % row] for row in keys.items()), [])
    forces = os.path.join(os.path.dirname(start), "forces.txt")
    for precision, limit in ("double", 1e-9), ("mixed", 1e-4):
        values, force = [], []
        for backend in "cpu", "cuda":
            values.append(energy(start, "--precision=" + precision, "--backend=" + backend, "--forces=" + forces, *options))
            force.append(np.loadtxt(forces)[:, 1:4])
        cpu, cuda = values
        scale = sum(abs(v) for v in cpu["terms"].values())
        for term in cpu["terms"]:
            checks.close("%s, %s: %s" % (name, precision, term), cuda["terms"][term], cpu["terms"][term], absolute=limit * scale)
        off = np.abs(np.array(cuda["virial_tensor"]) - cpu["virial_tensor"]).max() / np.abs(cpu["virial_tensor"]).max()
        checks.true("%s, %s: virial" % (name, precision), off < 10 * limit, off)
        off = np.abs(force[1] - force[0]).max() / np.abs(force[0]).max()
        checks.true("%s, %s: forces" % (name, precision), off < limit, off)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for pairs in 1, 0:
            for shear in 0, 0.3:
                atoms, box = soft.atoms_of(np.random.default_rng(3), shear=shear)
                top = soft.top_of()
                if not pairs: # then bonded terms are evaluated in passes
                    top = top.replace("[ pairs ]\n1 4 1 0.05 0.0005\n", "")
                soft.import_case(folder, top, atoms, box, soft.mdp_of(molecule="LIP"))
                start = os.path.join(folder, "start.h5")
                trial.skip_without("cuda", start)
                name = "%s, tilt %g" % ("apart" if pairs else "in passes", shear)
                for at in 0.01, 0.5, 1:
                    compare(checks, start, "%s, lambda %g" % (name, at), {"lambda": at, "alpha": 4, "power": 2})
                compare(checks, start, name + ", lipids", {"lambda": 0.4, "lambda_charges": 0.7, "molecules": "[LIP]"})
        keys = "input: start.h5\nrun: {steps: 40, dt: 0.001, verify: 20}\nparallel: {backend: cuda}\noutput: {energies_every: 10}\n"
        gf.write(folder, "run.yaml", keys + "soft_core: {lambda: 0.4, molecules: [LIP]}\nthermostat: {type: bussi, temperature: 300}\n")
        for prefix, ranks in ("one", 1), ("two", 2):
            if ranks > 1:
                run("run", "run.yaml", "-s", "output.prefix=" + prefix, "-s", "run.steps=20", cwd=folder)
            run("run", "run.yaml", "-s", "output.prefix=" + prefix, ranks=ranks, cwd=folder)
        one, two = (os.path.join(folder, prefix + ".checkpoint.h5") for prefix in ("one", "two"))
        others = trial.differences(one, two)
        checks.true("bits of ranks and jobs", not any(name.startswith("beads/") for name in others), others)
        checks.true("slopes", abs(trial.columns(folder, "one")["dudl_qq"][-1]) > 1)
    checks.end()


if __name__ == "__main__":
    main()
