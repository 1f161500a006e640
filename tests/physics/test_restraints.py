"""Restraints of molecules: beads are held at the places that they have when a run begins, also under a barostat,
on any number of ranks and after a restart. Energies, forces and virial against an independent sum."""
import os
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, energy, run, skip

try:
    import bead_models
    import oracle
    from bead_states import write
    from test_oracle import compare
except ImportError as missing:
    skip(str(missing))

BOX = """
forcefield: %s
seed: 3
temperature: 300
bilayer: {upper: {Y: 12}, lower: {Y: 12}, area_per_lipid: 0.7, water_per_lipid: 12, water: W}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 1000}
"""
RUN = {"run.seed": 5, "run.dt": 0.01, "run.steps": 60, "thermostat.type": "langevin", "thermostat.temperature": 300,
       "barostat.type": "crescale", "barostat.every": 4, "barostat.tau": 0.5, "output.energies_every": 10}


def anchors(path):
    with h5py.File(path, "r") as file:
        return file["topology/anchor_bead"][:], file["topology/anchor_place"][:], file["beads/position"][:]


def begins_at_rest(checks, start):
    """A state that no run has begun from holds no places, and no energy."""
    with h5py.File(start, "r") as file:
        checks.true("no places before a run", "topology/anchor_bead" not in file)
    got = energy(start, "--precision=double")
    checks.true("no energy before a run", got["terms"]["external"] == 0, got["terms"])


def holds(checks, folder, start):
    """The places are those of the start, and energies that of the distance from them."""
    trial.simulate(folder, "held", {"input": start, **RUN})
    state = trial.checkpoint(folder, "held")
    bead, place, now = anchors(state)
    with h5py.File(start, "r") as file:
        kind, first = file["beads/kind"][:], file["beads/position"][:]
    lipid = np.flatnonzero(kind == 1).reshape(-1, 8)
    checks.true("the beads that are held", np.array_equal(bead - 1, lipid[:, [0, 5, 7]].ravel()))
    checks.true("their places are those of the start", np.array_equal(place, first[bead - 1]))
    checks.true("they have moved", not np.array_equal(place, now[bead - 1]))
    want = oracle.evaluate(state)
    checks.true("the energy of restraints is there", want.energy["external"] > 10, want.energy)
    for precision in ("double", "mixed"):
        compare(checks, folder, "held", state, want, precision)
    rows = trial.columns(folder, "held")
    checks.close("the last line", rows["external"][-1], want.energy["external"], 1e-4)
    return state


def goes_on(checks, folder, start, state):
    """Same bits on two and three ranks, and after a stop."""
    trial.simulate(folder, "other", {"input": start, **RUN, "run.steps": 30}, ranks=3)
    trial.simulate(folder, "other", {"input": start, **RUN}, ranks=2, restart="auto")
    wrong = trial.differences(state, trial.checkpoint(folder, "other"))
    checks.true("the same bits", not wrong, wrong)


def is_refused(checks, folder, state):
    """A file whose places are not those of its beads."""
    bad = os.path.join(folder, "bad.h5")
    with open(state, "rb") as old, open(bad, "wb") as new:
        new.write(old.read())
    with h5py.File(bad, "r+") as file:
        file["topology/anchor_bead"][0] += 1
    checks.refused("a wrong place is named", "lacks its place", "energy", bad)
    with h5py.File(bad, "r+") as file:
        file["topology/anchor_bead"][0] = 0
    done = run("energy", bad, status=4)
    checks.true("a wrong bead is named", "topology/anchor_bead" in done.stderr, done.stderr)


def is_kept(checks, folder, state):
    """`build` keeps the places of a state that it minimises; copies have none, and it says so."""
    spec = write(folder, "minimised", "{state: %s, minimise: {max_steps: 20, force: 1}}" % state)
    run("build", spec, "-o", os.path.join(folder, "minimised.h5"))
    before, after = anchors(state), anchors(os.path.join(folder, "minimised.h5"))
    checks.true("places stay where they were", np.array_equal(before[1], after[1]))
    checks.true("beads move", not np.array_equal(before[2], after[2]))
    spec = write(folder, "copies", "{state: %s, replicate: [2, 1, 1]}" % state)
    done = run("build", spec, "-o", os.path.join(folder, "copies.h5"))
    checks.true("copies have none", "are not copied" in done.stderr, done.stderr)


def sets(checks, folder):
    """A set that is off is as if it were not there, a constant is that of all restraints of the set; also after a job
    that ended. Both are compared bit by bit with force fields that have nothing else."""
    start = {}
    for name, field in ("sets", bead_models.SETS), ("left", bead_models.LEFT), ("none", bead_models.FIELD):
        start[name] = trial.build(folder, name, BOX % write(folder, name + "_field", field % ("energy_shift", 15, 0)))
    with h5py.File(start["sets"], "r") as file: # `build` minimises with all restraints
        first = {what: file[what][:] for what in ("beads/position", "beads/residual")}
    for name in "left", "none":
        with h5py.File(start[name], "r+") as file:
            for what in first:
                file[what][:] = first[what]

    def moved(name, keys, state, **how):
        trial.simulate(folder, name, {"input": start[state], **RUN, **keys}, **how)
        with h5py.File(trial.checkpoint(folder, name), "r") as file:
            return file["beads/position"][:].tobytes() + file["beads/momentum"][:].tobytes()
    some = {"restraints": {"HEADS": "no", "TAILS": 550}}
    want = moved("want", {}, "left")
    checks.true("one set off, one with a constant", moved("some", {**some, "run.verify": 30}, "sets") == want)
    checks.true("they are held", want != moved("free", {}, "none"))
    moved("again", {**some, "run.steps": 20}, "sets", ranks=2)
    checks.true("after a stop", moved("again", some, "sets", ranks=3, restart="auto") == want)
    rows = trial.columns(folder, "some")
    energy_of = oracle.evaluate(trial.checkpoint(folder, "want")).energy["external"]
    checks.close("their energy", rows["external"][-1], energy_of, 1e-4)
    still = {"thermostat.type": "bussi", "run.momentum_every": 10}
    off = moved("off", {**still, "restraints": {"HEADS": 0, "TAILS": "no"}}, "sets")
    checks.true("all off: none, and the momentum stays", off == moved("bare", still, "none"))
    on = moved("on", {"restraints": {"HEADS": "yes"}}, "sets")
    checks.true("yes: as the force field says", on == moved("default", {}, "sets") and on != want)
    said = trial.simulate(folder, "off", {"input": start["sets"], **RUN, **still, "run.steps": 70,
                                          "restraints": {"TAILS": 40}}, restart="auto")
    checks.true("another job may change them", "changed since the job before: restraints was" in said, said)
    wrong = write(folder, "wrong", "input: %s\nrestraints: {HEAD: no, TAILS: maybe, C: -1}\n" % start["sets"])
    done = run("run", wrong, status=2)
    for said in ("wrong.yaml:2: restraints.HEAD: the force field has no set of restraints 'HEAD'; did you mean 'HEADS'?",
                 "restraints.TAILS: 'maybe' is not a number", "restraints.C: the force field has no set"):
        checks.true("refused: " + said, said in done.stderr, done.stderr)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        field = write(folder, "held_field", bead_models.HELD % ("energy_shift", 15, 0))
        start = trial.build(folder, "start", BOX % field)
        begins_at_rest(checks, start)
        state = holds(checks, folder, start)
        goes_on(checks, folder, start, state)
        is_kept(checks, folder, state)
        is_refused(checks, folder, state)
        sets(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
