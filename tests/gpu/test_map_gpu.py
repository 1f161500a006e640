"""lamella map on GPUs: the values of the CPU, the same bits on any number of ranks, points that go round the box.
Skipped where there is no GPU. MAP_BACKEND=cpu tries the test itself without one."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, run

BACKEND = os.environ.get("MAP_BACKEND", "cuda")


def values(folder, state, backend, *options, ranks=1):
    path = os.path.join(folder, f"map-{backend}-{ranks}.h5")
    run("map", state, "-o", path, "--backend=" + backend, *options, ranks=ranks)
    with h5py.File(path, "r") as file:
        return file["potential"][:]


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        state = trial.build(folder, "start", trial.MEMBRANE % 4)
        trial.skip_without(BACKEND, state)
        with h5py.File(state, "r") as file:
            edge = file["system/box"][:]
        coarse = ("--spacing=%g" % (min(edge) / 2.5), "--low=0.1,0.1,0.1",
                  "--high=%g,%g,%g" % tuple(6 * edge))
        cases = [("--method=" + method, "--spacing=0.17", *more) for method in ("direct", "cutoff", "force_field")
                 for more in ((), ("--boundary=open",), ("--types=C,P",), ("--sum=compensated",))]
        for words in [*cases, ("--method=full", "--spacing=0.2"), coarse]:
            what = " ".join(words)
            for precision, allowed in ("double", 3e-9), ("float", 1e-3):
                options = (*words, "--precision=" + precision)
                host, device = (values(folder, state, backend, *options) for backend in ("cpu", BACKEND))
                scale = np.median(abs(host))
                # Points on a source are huge; there the difference is compared with the value.
                apart = abs(device.astype(float) - host) / (scale + abs(host))
                checks.true(f"{what}, {precision}", host.shape == device.shape and apart.max() < allowed,
                            apart.max())
                for ranks in 2, 3:
                    many = values(folder, state, BACKEND, *options, ranks=ranks)
                    checks.true(f"{what}, {precision}: bits on {ranks} ranks", np.array_equal(many, device))
    checks.end()


if __name__ == "__main__":
    main()
