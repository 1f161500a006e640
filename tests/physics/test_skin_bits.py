#!/usr/bin/env python3
"""neighbor.skin: auto changes during a run, and the state has the same bits on any number of ranks and in a run
that was split: the choice depends on no clock."""
import tempfile

import h5py

import trial
from run_lamella import Checks


def skin_of(state):
    with h5py.File(state) as file:
        return float(file["neighbor_list/skin"][()].reshape(-1)[0])


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        start = trial.liquid(folder, "melt", (15, 5, 5), 0.8442, 173, 200)
        settings = {"input": start, "run.steps": 240, "run.dt": 0.005, "neighbor.skin": "auto",
                    "output.checkpoint_every": 0, "output.energies_every": 0}
        trial.simulate(folder, "one", settings)
        first = {**settings, "run.steps": 1}
        trial.simulate(folder, "first", first)
        before, after = (skin_of(trial.checkpoint(folder, name)) for name in ("first", "one"))
        checks.true("the skin changes", abs(after - before) > 0.01 * before, before, after)
        for ranks in 2, 3:
            trial.simulate(folder, f"on{ranks}", settings, ranks=ranks)
            wrong = trial.differences(trial.checkpoint(folder, "one"), trial.checkpoint(folder, f"on{ranks}"))
            checks.true(f"the state on {ranks} ranks", not wrong, wrong)
        trial.simulate(folder, "split", {**settings, "run.steps": 133})
        trial.simulate(folder, "split", settings, restart="auto", ranks=2)
        wrong = trial.differences(trial.checkpoint(folder, "one"), trial.checkpoint(folder, "split"))
        checks.true("the state of a split run", not wrong, wrong)
        checks.refused("too many ranks for the widest skin", "neighbor.skin: auto may take", "run", "one.yaml",
                       "--restart=never", "--set=parallel.grid=8x1", *(f"--set={k}={v}" for k, v in settings.items()),
                       cwd=folder, ranks=8)
    checks.end()


if __name__ == "__main__":
    main()
