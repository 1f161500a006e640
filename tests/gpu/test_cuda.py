"""Whole runs on GPUs: energies and motion of the CPU, and the same bits on any number of ranks
(which may share a GPU), with any transport and any slab boundaries, stopped and continued, in a
pairwise covering. Skipped where there is no GPU."""
import os
import tempfile

import h5py
import numpy as np

import test_distributions
import test_fields
import test_frozen
import test_heat_baths
import test_oracle
import test_restraints
import trial
from run_lamella import LOCAL_RANK, RANK, Checks, energy, run
from test_bitwise import WHOLE, covering

STEPS = 400
LONG_STEPS = 10000
ENSEMBLES = {
    "nve": {},
    "langevin": {"thermostat.type": "langevin"},
    "npt": {"thermostat.type": "bussi", "barostat.type": "crescale",
            "barostat.coupling": "semi_isotropic", "barostat.every": 5},
}
GAS = """{forcefield: lj, temperature: 120, seed: 3,
  lattice: {type: fcc, cells: [12, 6, 6], density: 0.1}}"""
MELT = """{forcefield: lj, temperature: 173, seed: 3,
  lattice: {type: fcc, cells: [30, 30, 30], density: 0.8442}}"""
# Kernels with the most terms, whose sums and coefficients fill the shared memory of a block.
KINDS = {
    "brahms": "bilayer: {upper: {DMPC: 9}, lower: {DOPC: 9}, area_per_lipid: 0.7, water_per_lipid: 20}",
    "gb-lipids": "bilayer: {upper: {DMPC: 9}, lower: {DMPC: 9}, area_per_lipid: 0.9, water_per_lipid: 20}",
    "gb": "lattice: {type: fcc, cells: [6, 6, 6], density: 0.25, orientation: random}",
    "ssde": "water: {count: 500, density: 997}"}
# A gas becomes a liquid, and lists of 75 partners lists of 130.
PRESSED = {
    "run.steps": 3000, "run.dt": 0.005, "neighbor.skin": 0.8, "thermostat.type": "berendsen", "thermostat.tau": 0.1,
    "thermostat.temperature": 100, "barostat.type": "berendsen", "barostat.pressure": 50, "barostat.tau": 1,
    "barostat.compressibility": 0.005, "barostat.every": 5, "output.energies_every": 500}
LARGE = 10, 6  # copies of the small membrane along x and y: 233,040 beads
# A factor with a dot in its name is a key of the run file; those of KEYS must not change a bit.
KEYS = {
    "parallel.balance_every": [3, 0],
    "output.energies_every": [20, 0],
    "parallel.graph": ["yes", "no"],
}
FACTORS = {
    "ensemble": list(ENSEMBLES),
    "run.precision": ["mixed", "double"],
    "ranks": [2, 3, 4],
    "continued_on": [WHOLE, 1, 3],
    **KEYS,
}


def simulate(folder, prefix, state, settings, **how):
    settings = {"input": state, "parallel.backend": "cuda", "output.checkpoint_every": 0,
                **settings}
    return trial.simulate(folder, prefix, settings, **how)


def energies_agree(checks, state):
    for precision, allowed in ("double", 1e-12), ("mixed", 1e-6):
        cpu = energy(state, "--backend=cpu", "--precision=" + precision)
        gpu = energy(state, "--backend=cuda", "--precision=" + precision)
        scale = max(abs(value) for value in cpu["terms"].values())
        for term, value in cpu["terms"].items():
            checks.close(f"{term} {precision}", gpu["terms"][term], value, absolute=allowed * scale)
        for name in "sum_force2", "sum_torque2":
            checks.close(f"{name} {precision}", gpu[name], cpu[name], relative=10 * allowed)


def motions_agree(checks, folder, state):
    """After 100 steps, in nm: what chaos has made of rounding. On a CPU the two precisions are
    1.4e-6 apart by then, and double 2e-14 from a start whose momenta differ by 1e-14."""
    for precision, allowed in ("double", 1e-11), ("mixed", 2e-5):
        found = []
        for backend in "cpu", "cuda":
            simulate(folder, backend, state, {"run.steps": 100, "run.precision": precision,
                                              "parallel.backend": backend})
            found.append(trial.positions(trial.checkpoint(folder, backend)))
        apart = np.abs(found[0] - found[1]).max()
        checks.true(f"100 steps on CPU and GPU, {precision}", apart <= allowed, apart, allowed)


def forces_verified(checks, folder, state, settings={}, steps=100):
    for ranks in 1, 2:
        said = simulate(folder, "verified", state, {**settings, "run.steps": steps, "run.verify": steps // 2},
                        ranks=ranks)
        checks.true("--verify on a GPU", said.count("forces agree to") == 2, said)


def restraints_agree(checks, folder):
    """Beads that are held, with places from a run on a CPU."""
    field = test_restraints.write(folder, "held_field", test_restraints.bead_models.HELD % ("energy_shift", 15, 0))
    state = test_restraints.holds(checks, folder, trial.build(folder, "held_start", test_restraints.BOX % field))
    energies_agree(checks, state)
    forces_verified(checks, folder, state, test_restraints.RUN, steps=20)


def same(checks, folder, first, second, what):
    found = trial.differences(trial.checkpoint(folder, first), trial.checkpoint(folder, second))
    checks.true(what, not found, found)


def stages_agree(checks, folder, state):
    """Several simulations in one process: a chain in one job, on two ranks, and in several jobs."""
    em = "[{name: em, minimise: {steps: 20}}"
    more = ", {name: eq, steps: 200}, {name: md, steps: 200, set: {run: {dt: 0.005}, barostat: {type: crescale}}}]"
    settings = {"stages": em + more, "thermostat.type": "bussi"}
    for ranks in 1, 2:
        simulate(folder, f"stages{ranks}", state, settings, ranks=ranks)
    simulate(folder, "parts", state, {**settings, "stages": em + "]"})
    for limit, status in (1e-9, 99), (0, 0):
        simulate(folder, "parts", state, {**settings, "run.max_hours": limit}, restart="auto", status=status)
    for name in ".em", ".eq", ".md":
        same(checks, folder, "stages1" + name, "stages2" + name, f"stage {name} on two ranks")
        same(checks, folder, "stages1" + name, "parts" + name, f"stage {name} in several jobs")


def usable_transports(folder, state):
    """Those that work here on all numbers of ranks; one that does not says why."""
    works = []
    for name in "ipc", "ipc+nccl", "ipc+staged", "nccl", "staged":
        said = simulate(folder, name, state, {"run.steps": 1, "parallel.transport": name},
                        ranks=max(FACTORS["ranks"]), status=None)
        if f"transport {name}," in said:
            works.append(name)
        else:
            print("without transport", name, *(line for line in said.splitlines() if name in line))
    return works


def gpus():
    return run("--version").stdout.count("\n  GPU ")


def own_gpus_agree(checks, folder, state):
    """Each rank sees one GPU, which it calls number 0, as with --gpus-per-task=1 of Slurm: ranks
    share none, and NCCL works as it does where all see all."""
    ranks = min(gpus(), 4)
    if ranks < 2:
        print("fewer than two GPUs: ranks that see their own only are left out")
        return
    own = ("sh", "-c", f'CUDA_VISIBLE_DEVICES={LOCAL_RANK} exec "$@"', "own")
    settings = {"run.steps": STEPS // 4}
    simulate(folder, "plain", state, settings)
    for name in "ipc", "nccl", "staged":
        said = simulate(folder, "own", state, {**settings, "parallel.transport": name}, ranks=ranks,
                        before=own, status=None)
        checks.true(f"{name}: no rank shares a GPU", "share a GPU" not in said, said)
        if f"transport {name}," in said:
            same(checks, folder, "plain", "own", f"{name} with a GPU to see for each rank")
        else:
            print("without transport", name, *(line for line in said.splitlines() if name in line))


def nodes_agree(checks, folder, state):
    """Ranks that take themselves for nodes of one rank each, and NCCL likewise (NCCL_HOSTID), so
    that ranks which share a GPU have links between nodes: by MPI, by NCCL, and by what `auto` finds
    faster. A NCCL that was built in works."""
    node = ("sh", "-c", f'NCCL_HOSTID={RANK} exec "$@"', "node")
    built = "nccl" in run("--version").stdout
    settings = {"run.steps": STEPS // 8, **ENSEMBLES["npt"]}
    simulate(folder, "plain", state, settings)
    for name in ("ipc+staged", "auto") + (("ipc+nccl", "nccl") if built else ()):
        said = simulate(folder, "nodes", state, {**settings, "parallel.transport": name}, ranks=2,
                        before=node, env={"LAMELLA_NODES": "2"})
        same(checks, folder, "plain", "nodes", f"{name} between nodes of one rank")
        if name == "auto":
            checks.true("auto measures", "messages of a step take" in said or not built, said)
        elif "+" in name:
            nccl = name == "ipc+nccl"
            links = f"links: 0 ipc, {int(nccl)} nccl, {int(not nccl)} staged"
            checks.true(f"{name} prints links", links in said, said)


def launches_agree(checks, folder, state):
    """Steps begun one by one and several at once; hosts that run ahead of their GPUs, and that do
    not, with several ranks."""
    bussi = {"thermostat.type": "bussi", "thermostat.every": 15}
    for name, ensemble in {**ENSEMBLES, "bussi": bussi}.items():
        settings = {"run.steps": STEPS // 2 + 7, "output.energies_every": 40, **ensemble}
        simulate(folder, "plain", state, {**settings, "parallel.graph": "no"})
        simulate(folder, "graph", state, {**settings, "parallel.graph": "yes"})
        same(checks, folder, "plain", "graph", f"{name} as graphs")
        for transport in "auto", "staged":
            simulate(folder, "more", state, {**settings, "parallel.transport": transport}, ranks=3)
            same(checks, folder, "plain", "more", f"{name} on 3 ranks with transport {transport}")


def work_agrees(checks, folder, state):
    """The work of fields that change in time: steps one by one and several at once, on several ranks, whose lists expire at
    steps that are computed again; and that of the CPU."""
    waves = ", {form: electric, x: 0.02, omega: 5}]"
    settings = {"fields": test_fields.RAMPED[:-1] + waves, "run.steps": STEPS // 2, "run.precision": "double", "output.energies_every": 5}
    others = {"graph": ({"parallel.graph": "yes"}, 1), "on3": ({}, 3), "cpu": ({"parallel.backend": "cpu"}, 1)}
    simulate(folder, "plain", state, {**settings, "parallel.graph": "no"})
    want = trial.columns(folder, "plain")
    for name, (more, ranks) in others.items():
        simulate(folder, name, state, {**settings, **more}, ranks=ranks)
        found = trial.columns(folder, name)
        for key in "external_work", "conserved":
            if name == "cpu": # before chaos
                scale = np.abs(want["external_work"]).max() if key == "external_work" else np.abs(want[key]).max()
                checks.close(f"{key} on CPU and GPU", np.abs(found[key] - want[key])[:20].max(), 0, absolute=1e-9 * scale)
            else:
                checks.true(f"{key}, {name}", all(found[key] == want[key]), found[key] - want[key])
    checks.true("lists have expired", want["builds"][-1] > 3, want["builds"][-1])


def gas_agrees(checks, folder):
    """So thin that groups of beads are as long as they may be; and lists that hold for no step."""
    state = trial.build(folder, "gas", GAS)
    thin = {"run.steps": STEPS // 2, "run.dt": 0.005, "neighbor.skin": 0.3}
    simulate(folder, "plain", state, thin)
    for ranks in 2, 3:
        simulate(folder, "more", state, thin, ranks=ranks)
        same(checks, folder, "plain", "more", f"a gas on {ranks} ranks")
    bare = {"run.steps": 30, "run.dt": 0.005, "neighbor.skin": 0}
    simulate(folder, "plain", state, {**bare, "parallel.graph": "no"})
    simulate(folder, "graph", state, {**bare, "parallel.graph": "yes"})
    same(checks, folder, "plain", "graph", "without a skin")
    for name, graph in ("plain", "no"), ("graph", "yes"):
        simulate(folder, name, state, {**PRESSED, "parallel.graph": graph})
    same(checks, folder, "plain", "graph", "lists that become too long in a build that nobody waits for")


def orientations_kept(checks, folder):
    """Of points, which do not turn: each keeps its own while beads are sorted, whether all have the same or not."""
    state, moves = trial.build(folder, "still", GAS), {"run.steps": 60, "run.dt": 0.01, "neighbor.skin": 0.2}
    for what in "equal", "random":
        with h5py.File(state, "r+") as file:
            given = file["beads/orientation"][:]
            if what == "random":
                given = np.random.default_rng(1).normal(size=given.shape)
                given /= np.linalg.norm(given, axis=1)[:, None]
                file["beads/orientation"][:] = given
        for ranks in 1, 2:
            simulate(folder, "moved", state, moves, ranks=ranks)
            with h5py.File(trial.checkpoint(folder, "moved")) as file:
                checks.true(f"{what} orientations on {ranks} ranks", np.array_equal(file["beads/orientation"][:], given))


def melt_agrees(checks, folder):
    """Lists with two lanes for each bead (cuda/runtime/lanes.h): 108,000 beads with few partners each."""
    state = trial.build(folder, "melt", MELT)
    settings = {"run.steps": STEPS // 4, "run.dt": 0.005, "neighbor.skin": 0.3}
    for precision in "mixed", "double":
        simulate(folder, "plain", state, {**settings, "run.precision": precision})
        for ranks in 2, 3:
            simulate(folder, "more", state, {**settings, "run.precision": precision}, ranks=ranks)
            same(checks, folder, "plain", "more", f"a melt, {precision}, on {ranks} ranks")


def sizes_agree(checks, folder, state):
    """Kernels and the schedule take other shapes for large systems and for large parts of them: the
    same bits on ranks of more than 200,000, 50,000, 30,000 and less than 20,000 beads each."""
    spec = "{state: %s, replicate: [%d, %d, 1], temperature: 303, seed: 2}"
    large = trial.build(folder, "large", spec % (state, *LARGE))
    for name, ensemble in ENSEMBLES.items():
        settings = {"run.steps": STEPS // 8, "output.energies_every": 25, **ensemble}
        simulate(folder, "plain", large, settings)
        for ranks in 4, 6, 16:
            simulate(folder, "more", large, settings, ranks=ranks)
            same(checks, folder, "plain", "more", f"a large system, {name}, on {ranks} ranks")


def row_check(checks, folder, state, row, steps, references):
    settings = {key: value for key, value in row.items() if "." in key and key not in KEYS}
    settings.update(ENSEMBLES[row["ensemble"]])
    key = tuple(settings.items())
    reference = f"reference_{references.setdefault(key, len(references))}"
    if not os.path.exists(trial.checkpoint(folder, reference)):
        simulate(folder, reference, state, {**settings, "run.steps": steps})
    settings.update((key, row[key]) for key in KEYS)
    jobs = [(row["ranks"], steps)]
    if row["continued_on"] != WHOLE:
        jobs = [(row["ranks"], steps // 2 + 3), (row["continued_on"], steps)]
    for k, (ranks, last) in enumerate(jobs):
        settings["run.steps"] = last
        if ranks == 1:
            settings["parallel.transport"] = "auto"
        simulate(folder, "other", state, settings, ranks=ranks, restart="auto" if k else "never")
    same(checks, folder, reference, "other", str(row))


def covering_agrees(checks, folder, state, steps):
    """A run on one rank for each ensemble and precision; the others must equal it."""
    if gpus() >= 8:
        FACTORS["ranks"].append(8)
    KEYS["parallel.transport"] = FACTORS["parallel.transport"] = usable_transports(folder, state)
    references = {}
    for row in covering(FACTORS, kernels=()):
        row_check(checks, folder, state, row, steps, references)


def long_membrane(folder):
    """At least eight halos long, with interior beads on each of four ranks."""
    spec = "{state: %s, replicate: [2, 2, 1], temperature: 310, seed: 2}"
    return trial.build(folder, "long", spec % trial.membrane(folder))


def check_all(steps):
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        state = trial.build(folder, "start", trial.MEMBRANE % 4)
        trial.skip_without("cuda", state)
        if steps == STEPS:
            state = trial.membrane(folder)
            energies_agree(checks, state)
            forms = test_oracle.write(folder, "every_form", test_oracle.FORMS)
            energies_agree(checks, trial.build(folder, "forms", test_oracle.FORMS_BOX % forms))
            for name, built in KINDS.items():
                spec = f"forcefield: {name}\nseed: 1\ntemperature: 303\n{built}\nminimise: {{max_steps: 200, force: 1000}}"
                energies_agree(checks, trial.build(folder, name, spec))
            for name, text in test_oracle.MODIFIED.items():
                field = test_oracle.write(folder, "ends", text)
                energies_agree(checks, trial.build(folder, "modified", test_oracle.FORMS_BOX % field))
            motions_agree(checks, folder, state)
            forces_verified(checks, folder, state)
            restraints_agree(checks, folder)
            stages_agree(checks, folder, state)
            own_gpus_agree(checks, folder, state)
            nodes_agree(checks, folder, state)
            launches_agree(checks, folder, state)
            work_agrees(checks, folder, state)
            gas_agrees(checks, folder)
            orientations_kept(checks, folder)
            melt_agrees(checks, folder)
            sizes_agree(checks, folder, state)
            test_fields.fields(checks, folder, "cuda")
            test_fields.gas(checks, folder, "cuda")
            test_distributions.distributions(checks, folder, "cuda")
            test_heat_baths.baths(checks, folder, state, "cuda")
            test_frozen.frozen_beads(checks, folder, "cuda")
        else:
            state = long_membrane(folder)
        covering_agrees(checks, folder, state, steps)
    checks.end()


if __name__ == "__main__":
    check_all(STEPS)
