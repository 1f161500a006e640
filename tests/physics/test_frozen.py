"""Frozen beads, and groups whose momentum is removed: positions along frozen axes keep every bit under each coupling,
also of beads that rotate and of whole clusters; temperatures count the axes that are left; energy is conserved beside a
wall; each group has no momentum after a removal; the same bits on any number of ranks and in two jobs; mistakes."""
import os
import tempfile

import h5py
import numpy as np
import yaml

import trial
from oracle import State
from run_lamella import Checks, run
from test_clusters import FIELD, SPEC
from test_ensemble import K_B
from test_heat_baths import apart

PRESSURE = {"barostat.type": "crescale", "barostat.every": 4, "barostat.tau": 1.0}
KINDS = {"nve": {"run.momentum_every": 5}, "langevin": {"thermostat.type": "langevin", **PRESSURE},
         "bussi": {"thermostat.type": "bussi", "thermostat.every": 3, "run.momentum_every": 10, **PRESSURE}}
# Of a membrane of ELBA: a type wholly, tails in the plane, one lipid along z, and some water, by id, along x.
WALLS = "[{group: {types: [C]}}, {group: {types: [T]}, along: xy}, {group: {ids: [1, 15]}, along: z}, {group: {ids: [700, 800]}, along: x}]"
FIELDS = "position", "residual", "image", "momentum", "angular_momentum", "orientation"


class Frame:
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            for name in FIELDS:
                setattr(self, name, file["beads/" + name][:])


def axes_of(walls, state):
    """The axes along which each bead is frozen: [n][3]."""
    frozen = np.zeros((len(state.type), 3), bool)
    names, ids = list(state.ff["types"]), np.arange(1, len(state.type) + 1)
    for wall in yaml.safe_load(walls):
        group, inside = wall["group"], np.ones(len(ids), bool)
        if "types" in group:
            inside &= np.isin(state.type, [names.index(name) for name in group["types"]])
        if "molecules" in group:
            inside &= np.isin(state.kind, [list(state.ff["molecules"]).index(name) for name in group["molecules"]])
        if "ids" in group:
            inside &= (ids >= group["ids"][0]) & (ids <= group["ids"][1])
        for axis in wall.get("along", "xyz"):
            frozen[inside, "xyz".index(axis)] = True
    return frozen


def stays(checks, what, start, end, frozen):
    """What is frozen is where it was, to the last bit. Returns both frames."""
    a, b = Frame(start), Frame(end)
    whole = frozen.all(1)
    for name in "position", "residual", "image":
        checks.true(f"{what}: {name} stays", np.array_equal(getattr(a, name)[frozen], getattr(b, name)[frozen]))
    checks.true(f"{what}: orientations stay", np.array_equal(a.orientation[whole], b.orientation[whole]))
    return a, b


def temperature(path, frozen, taken=0.0):
    """Of translation and rotation, K."""
    s, f = State(path), Frame(path)
    inertia = np.array([s.ff["types"][name].get("inertia", [0, 0, 0]) for name in s.names])[s.type]
    turns = (inertia > 0) & ~frozen.all(1)[:, None]
    mass = s.by_type("mass")
    twice = (f.momentum**2).sum(1)[mass > 0] / mass[mass > 0]
    spin = (f.angular_momentum**2)[turns] / inertia[turns]
    freedom = (~frozen[mass > 0]).sum() - taken
    return twice.sum() / (freedom * K_B), spin.sum() / max(turns.sum(), 1) / K_B


def walls(checks, folder, backend, kinds):
    start = trial.membrane(folder)
    frozen = axes_of(WALLS, State(start))
    for kind, ranks in kinds.items():
        case = {"input": start, "run.steps": 40, "run.dt": 0.008, "frozen": WALLS, "parallel.backend": backend,
                "output.energies_every": 10, "neighbor.skin": 0.08, "thermostat.temperature": 303, **KINDS[kind]}
        what = f"{kind}, {backend}"
        trial.same_states(checks, folder, case, (1, ranks), 17, what)
        end = trial.checkpoint(folder, "on1")
        a, b = stays(checks, what, start, end, frozen)
        checks.true(f"{what}: no momentum", not b.momentum[frozen].any())
        checks.true(f"{what}: no rotation", not b.angular_momentum[frozen.all(1)].any())
        checks.true(f"{what}: all else moves", (a.position != b.position)[~frozen].mean() > 0.99 and
                    (b.momentum != 0)[~frozen].all())
        columns = trial.columns(folder, "on1")
        for name, want in zip(("translation", "rotation"), temperature(end, frozen)):
            checks.close(f"{what}: temperature of {name}", columns[f"temperature_{name}_K"][-1], want, 1e-7)
        if kind == "nve" and backend == "cpu":
            trial.simulate(folder, "columns", {**case, "parallel.grid": "2x2"}, ranks=4)
            wrong = trial.differences(end, trial.checkpoint(folder, "columns"))
            checks.true("the state on columns", not wrong, wrong)


def conserves(checks, folder):
    """A liquid between frozen beads keeps its energy, and thermostats do the work that they count."""
    start = trial.liquid(folder, "wall_liquid", (5, 5, 5), 0.8, 1.0 / K_B, 400)
    rows = "[{group: {ids: [1, 100]}}, {group: {ids: [101, 150]}, along: yz}]"
    free = 0
    for kind in {"frozen": "[]"}, {}, {"thermostat.type": "bussi", "thermostat.tau": 0.1, "run.momentum_every": 7}:
        trial.simulate(folder, "wall", {"input": start, "run.steps": 500, "run.dt": 0.002, "frozen": rows, "run.precision": "double",
                                        "thermostat.temperature": 1.0 / K_B, "output.energies_every": 10, **kind})
        columns = trial.columns(folder, "wall")
        drift = np.ptp(columns["conserved"]) / columns["kinetic"].mean()
        free = free or drift
        checks.true("energy is conserved beside a wall as without it", drift < 2 * free < 0.01, drift, free)


def groups_without_momentum(checks, folder, backend="cpu"):
    """Two fluids that do not feel each other: after a removal neither has momentum, but what no group names has."""
    start = apart(folder)
    with h5py.File(start, "r+") as file:
        file["beads/momentum"][:] += [3, -2, 1]
    kind = State(start).kind
    for rows, removed in (("[{group: {molecules: [A]}}, {group: {types: [B]}}]", (0, 1)), ("[{group: {types: [B]}}]", (1,))):
        for more in {}, {"thermostat.type": "bussi", "thermostat.every": 4}, {"frozen": "[{group: {ids: [1, 60]}, along: xz}]"}:
            case = {"input": start, "run.steps": 12, "run.dt": 0.005, "run.momentum_every": 6, "output.energies_every": 1,
                    "run.momentum_groups": rows, "thermostat.temperature": 250, "run.precision": "double", "parallel.backend": backend, **more}
            trial.same_states(checks, folder, case, (1, 2), 7, f"{rows} {more}")
            if "frozen" in more:  # frozen beads keep their groups from having no momentum
                continue
            trial.simulate(folder, "short", {**case, "run.steps": 7 if "thermostat.type" not in more else 13})
            end = trial.checkpoint(folder, "short")
            p = Frame(end).momentum
            for k in range(2):
                total = np.abs(p[kind == k].sum(0)).max()
                if k in removed:
                    checks.true(f"group {k} has none", total < 1e-3, rows, more, total)
                else:
                    checks.true(f"group {k} keeps its own", total > 100, rows, more, total)
            want, _ = temperature(end, axes_of("[]", State(end)), 3 * len(removed))
            checks.close("temperature", trial.columns(folder, "short")["temperature_K"][-1], want, 1e-7)


def clusters(checks, folder, backend="cpu"):
    """Molecules of constraints and virtual sites that are frozen as a whole, among others of the same type."""
    start = trial.warm(folder, "clusters", trial.build(folder, "clusters_start", SPEC % (FIELD, 2)),
                       {"run.steps": 100, "run.dt": 0.01, "thermostat.type": "langevin", "thermostat.temperature": 300})
    s = State(start)
    for rows in "[{group: {molecules: [STEROL]}}]", "[{group: {ids: [1, %d]}}]" % (np.flatnonzero(np.diff(s.molecule))[4] + 1):
        case = {"input": start, "run.steps": 30, "run.dt": 0.01, "frozen": rows, "thermostat.type": "bussi", "thermostat.temperature": 300,
                "output.energies_every": 10, "neighbor.skin": 0.1, "parallel.backend": backend}
        trial.same_states(checks, folder, case, (1, 3), 13, rows)
        frozen = axes_of(rows, s)
        massive = s.by_type("mass") > 0
        _, b = stays(checks, rows, start, trial.checkpoint(folder, "on1"), frozen)
        checks.true(rows + ": others move", (b.momentum != 0)[massive[:, None] & ~frozen].all() and not b.momentum[frozen].any())


def minimised(checks, folder):
    """A stage of minimisation does not move frozen beads, and leaves the momenta of others to the next stage."""
    start = trial.membrane(folder)
    frozen = axes_of(WALLS, State(start))
    with open(os.path.join(folder, "stages.yaml"), "w") as file:
        file.write("input: %s\noutput: {prefix: stages}\nstages:\n  - {name: em, minimise: {steps: 25}, set: {frozen: %s}}\n"
                   "  - {name: md, steps: 3, set: {frozen: [{group: {types: [W]}}]}}\n" % (start, WALLS))
    run("run", "stages.yaml", cwd=folder)
    a, b = stays(checks, "minimised", start, trial.checkpoint(folder, "stages.em"), frozen)
    c = Frame(trial.checkpoint(folder, "stages.md"))
    checks.true("minimised: all else moves", (a.position != b.position)[~frozen].mean() > 0.99)
    water = axes_of("[{group: {types: [W]}}]", State(start)).all(1) & ~frozen.any(1)
    checks.true("a stage leaves momenta to the next", b.momentum[water].all() and not c.momentum[water].any())


def mistakes(checks, folder):
    start = trial.membrane(folder)
    for settings, words in (({"frozen": "[{group: {types: [C]}, along: xq}]"}, "'xq': expected axes"),
                            ({"frozen": "[{group: {types: [C]}, along: xx}]"}, "expected axes"),
                            ({"frozen": "[{group: {types: [X]}}]"}, "no bead type 'X'"),
                            ({"frozen": "[{group: {types: [C]}}, {group: {types: [C], molecules: [W]}}]"}, "[2].group: the group has no bead of the system"),
                            ({"frozen": "[{groups: {types: [C]}}]"}, "groups"),
                            ({"run.momentum_groups": "[{group: {types: [C]}}]"}, "run.momentum_every is 0"),
                            ({"run.momentum_groups": "[{group: {types: [C]}}, {group: {ids: [1, 20]}}]", "run.momentum_every": 5},
                             "is in two groups, number 1 and number 2"),
                            ({"frozen": "[{group: {types: [C]}}]", "observe": "[{temperature: {every: 5}}]"}, "temperature is not measured"),
                            ({"frozen": "[{group: {types: [C]}, along: x}, {group: {types: [P]}, along: y}, {group: {ids: [1, 100]}, along: z}]",
                              "thermostat.groups": "[{name: a, group: {ids: [1, 50]}}, {name: b, group: {ids: [51, 3164]}}]"}, "more than 8 kinds")):
        said = trial.simulate(folder, "bad", {"input": start, "run.steps": 1, **settings}, status=2)
        checks.true(words, words in said, said)
    start = trial.checkpoint(folder, "clusters")
    for settings, words in (({"frozen": "[{group: {molecules: [STEROL]}, along: xy}]"}, "freeze all beads of its molecule type along xyz"),
                            ({"frozen": "[{group: {molecules: [STEROL]}}]", "barostat.type": "crescale"}, "which a barostat would deform"),
                            ({"frozen": "[{group: {ids: [1, 2]}}]"}, "belong to one cluster"),
                            ({"run.momentum_groups": "[{group: {ids: [1, 2]}}]", "run.momentum_every": 5}, "put them into one")):
        said = trial.simulate(folder, "bad", {"input": start, "run.steps": 1, **settings}, status=2)
        checks.true(words, words in said, said)


def frozen_beads(checks, folder, backend):
    walls(checks, folder, backend, {"nve": 2, "langevin": 4, "bussi": 3})
    groups_without_momentum(checks, folder, backend)
    clusters(checks, folder, backend)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        frozen_beads(checks, folder, "cpu")
        conserves(checks, folder)
        minimised(checks, folder)
        mistakes(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
