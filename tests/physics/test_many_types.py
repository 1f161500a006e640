"""Systems of 8 to 33 types of beads, for which coefficients are kept in tables of 8, 16 and 32 types or in none:
energies and forces against oracle.py, and steps with energies, which use no table, against steps without."""
import os
import tempfile

import h5py

import bead_states
import trial
from run_lamella import Checks, skip

try:
    import bead_models
    import oracle
    from test_oracle import FORMS_BOX, compare, stir
except ImportError as missing:
    skip(str(missing))


def field(n):
    """A force field of n types, with those of lipids and others like water but of other sizes."""
    lines = bead_models.FIELD % ("energy_shift", 15, 0)
    more = [f"T{k}" for k in range(n - 4)]
    types = "".join(f"  {name}: {{mass: 72}}\n" for name in more)
    pairs = "".join(f"    - [{name}, {name}, {{epsilon: {3 + 0.07 * k:g}, sigma: {0.46 - 0.002 * k:g}}}]\n"
                    for k, name in enumerate(more))
    return (lines.replace("pair:\n", types + "pair:\n", 1).replace("bonds:\n", pairs + "bonds:\n", 1)
            .replace("molecules:\n", "molecules:\n" + "".join(f"  {name}: {{beads: [{name}]}}\n" for name in more), 1))


def system(folder, n):
    text = field(n)
    name = f"types_{n}"
    path = bead_states.write(folder, name + "_field", text)
    state = trial.build(folder, name, FORMS_BOX % path)
    bead_states.convert(folder, state, text, "W", {f"T{k}": 0.9 / (n - 4) for k in range(n - 4)}, minimise=False)
    stir(state, 0.01)
    return state


def last_state(folder, state, n, precision, every):
    name = f"run_{n}_{precision}_{every}"
    trial.simulate(folder, name, {"input": state, "run.steps": 20, "run.dt": 0.002, "run.precision": precision,
                                  "output.energies_every": every, "parallel.backend": "cpu"})
    with h5py.File(trial.checkpoint(folder, name), "r") as file:
        return [file["beads/" + key][:] for key in ("id", "position", "residual", "momentum") if key in file["beads"]]


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for n in (8, 9, 17, 33):
            state = system(folder, n)
            with h5py.File(state, "r") as file:
                checks.true(f"{n} types are there", len(set(file["beads/type"][:])) == n)
            want = oracle.evaluate(state)
            for precision in ("double", "mixed"):
                compare(checks, folder, f"{n} types", state, want, precision)
                with_energies, without = (last_state(folder, state, n, precision, every) for every in (1, 20))
                checks.true(f"{n} types {precision}: steps without energies",
                            all((a == b).all() for a, b in zip(with_energies, without)))
    checks.end()


if __name__ == "__main__":
    main()
