"""Exchange of replicas on GPUs: the same bits with graphs and without, on more ranks, in parts and from checkpoints of different
steps; acceptance and distributions against the exact ones; in double precision the first exchanges are those of CPUs.
Skipped where there is no GPU."""
import os
import tempfile

import numpy as np

import test_exchange
import trial
from run_lamella import Checks
from test_distributions import start

BOTH = test_exchange.BOTH


def same_bits(checks, folder):
    """Of Langevin noise too, whose temperature is an argument of the kernels in a graph."""
    for kind in "bussi", "langevin":
        for graph in "yes", "no":
            name = f"{kind}_{graph}"
            os.mkdir(os.path.join(folder, name))
            test_exchange.replicas(folder, name + "/x", {**BOTH, "thermostat.type": kind, "parallel.graph": graph})
        test_exchange.same(checks, folder, kind + "_yes", kind + "_no", kind + " with graphs and without")


def beside_cpu(checks, folder):
    for backend in "cpu", "cuda":
        test_exchange.replicas(folder, backend, {**BOTH, "run.precision": "double", "run.steps": 101, "parallel.backend": backend})
    a, b = (test_exchange.lamella.Exchange(os.path.join(folder, backend)) for backend in ("cpu", "cuda"))
    checks.true("rungs as on CPUs", (a.rung == b.rung).all(), a.rung, b.rung)
    checks.close("chances as on CPUs", np.nanmax(abs(a.chance - b.chance)), 0, absolute=1e-6)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="test_exchange.") as folder:
        random = np.random.default_rng(1)
        path = start(folder, "osc", {"OSC": test_exchange.BEADS}, 5 + random.normal(size=(test_exchange.BEADS, 3)) * 0.1)
        trial.skip_without("cuda", os.path.join(folder, path))
        beside_cpu(checks, folder)
        same_bits(checks, folder)
        for part in test_exchange.bits, test_exchange.temperatures, test_exchange.umbrellas, test_exchange.pressure:
            part(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
