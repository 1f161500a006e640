"""Heads, tails and water of a force field that has neither a bead type P nor beads of one water: heads are the
beads with the name PO4, lipids without them have no part in the thickness, and a bead of 72 g/mol is four waters.
Against sums over the frames."""
import os
import tempfile

import h5py
import numpy as np
import yaml

import trial
from run_lamella import Checks, run, skip

try:
    import bead_models
    from bead_states import write
except ImportError as missing:
    skip(str(missing))

NAMES = "    names: [NC3, PO4, GL1, PO4, C1A, C2A, CNO, C3A]\n"
TAILS = 2, 4, 5, 7  # beads of type C
STEROL = "  Z: {beads: [Q, C, C], bonds: [[one, 1, 2], [one, 2, 3]]}\n"
BOX = """
forcefield: %s
seed: 3
temperature: 300
bilayer: {upper: {Y: 12, Z: 4}, lower: {Y: 12, Z: 4}, area_per_lipid: 0.6, water_per_lipid: 12, water: W}
minimise: {max_steps: 300, force: 1000}
"""
RUN = {"run.dt": 0.01, "run.steps": 40, "output.frames_every": 20, "output.checkpoint_every": 0}


def field(names):
    """The lipids of FIELD with type Q in place of P, and a sterol without PO4."""
    text = bead_models.FIELD % ("energy_shift", 15, 0)
    for old, new in ("  P: ", "  Q: "), ("[P, P,", "[Q, Q,"), ("[P, N, C, N, C, C, P, C]", "[Q, N, C, N, C, C, Q, C]"):
        text = text.replace(old, new)
    return text + (NAMES if names else "") + STEROL


def near(x, edge):
    return x - edge * np.round(x / edge)


def wanted(path, state, heads):
    """Thickness and volume of a lipid, means over frames. heads: beads of a lipid Y."""
    with h5py.File(state, "r") as file:
        kind = file["beads/kind"][:]
    lipid, sterol = np.flatnonzero(kind == 1).reshape(-1, 8), np.flatnonzero(kind == 2).reshape(-1, 3)
    thickness, volume = [], []
    with h5py.File(path, "r") as file:
        group = file["particles/trajectory"]
        for x, edges in zip(group["position/value"][:], group["box/edges/value"][:]):
            box = np.diag(edges)
            z, edge = x[:, 2], box[2]
            turn = 2 * np.pi * z[np.concatenate((lipid.ravel(), sterol.ravel()))] / edge
            centre = edge / (2 * np.pi) * np.arctan2(np.sin(turn).sum(), np.cos(turn).sum())
            first = z[lipid[:, 0]]
            head, tail = (first + np.mean([near(z[lipid[:, k]] - first, edge) for k in beads], axis=0)
                          for beads in (heads, TAILS))
            height, upper = near(head - centre, edge), head > tail
            thickness.append(height[upper].mean() - height[~upper].mean())
            volume.append((box.prod() - 4 * 0.030 * np.sum(kind == 0)) / (len(lipid) + len(sterol)))
    return np.mean(thickness), np.mean(volume)


def measured(folder, name, options, lipids):
    done = run("analyze", "held.h5md", "-s", "membrane.lipids=" + lipids, "-s", "observe=[{membrane: {every: 20%s}}]" % options, "-o", name, cwd=folder)
    with h5py.File(os.path.join(folder, name + ".observables.h5"), "r") as file:
        table, chosen = file["membrane/membrane"], yaml.safe_load(file["membrane"].attrs["choices"])
        said = run("info", name + ".observables.h5", cwd=folder).stdout
        assert "results of observables" in said and "membrane      3 samples, steps 0 to 40" in said, said
        return table["thickness"][0], table["volume_per_lipid"][0], done.stderr, chosen


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for names in True, False:
            start = trial.build(folder, "start", BOX % write(folder, "field", field(names)))
            trial.simulate(folder, "held", {"input": start, **RUN})
            path = os.path.join(folder, "held.h5md")
            lipids = "[]" if names else "[Y, Z]"  # without names only Z is a lipid by default
            for what, options, heads in (("named", "", (1, 3)), ("given", ", head: [N]", (1, 3))):
                if what == "named" and not names:
                    continue
                thickness, volume, said, chosen = measured(folder, what, options, lipids)
                head = {True: {"named": ["PO4"], "given": ["PO4"]}, False: {"given": ["N"]}}[names][what]
                checks.true(f"choices, heads {what}", chosen["heads"].get("Y") == head and chosen["temperature"] == 303
                            and chosen["water_volume"] == 0.12 and set(chosen["tails"]) == {"Y", "Z"}, chosen)
                want = wanted(path, start, heads)
                checks.close(f"thickness, heads {what}", thickness, want[0], absolute=1e-5)
                checks.close(f"volume, heads {what}", volume, want[1], absolute=1e-5)
                checks.true(f"no warning, heads {what}", "first bead" not in said, said)
            if not names:
                said = measured(folder, "first", "", "[]")[2]
                checks.true("what is no lipid is said", "not lipids: Y" in said, said)
                _, given, _, chosen = measured(folder, "one", ", water_volume: 0.1", lipids)
                checks.true("the volume that is given", chosen["water_volume"] == 0.1, chosen)
                none = measured(folder, "none", ", water_volume: 0", lipids)[1]
                with h5py.File(start, "r") as file:
                    kind = file["beads/kind"][:]
                checks.close("a volume that is given is that of a bead", none - given,
                             0.1 * np.sum(kind == 0) / 32, absolute=1e-9)
    checks.end()


if __name__ == "__main__":
    main()
