#!/usr/bin/env python3
"""PLUMED, by a small library of ours with its interface (tests/support/plumed_kernel.c): what it is told, its energy,
forces and virial in the run, every step once and the same bits on any number of ranks, in parts and with other beads
from step to step, virtual sites, checkpoints, stops, and mistakes."""
import os
import re
import shutil
import subprocess
import tempfile

import h5py
import numpy as np

import test_clusters
import trial
from oracle import State
from run_lamella import Checks, read, run, skip, write
from test_fields import BAR, frame_forces

SOURCE = os.path.join(os.environ.get("top_srcdir", "."), "tests", "support", "plumed_kernel.c")
GROUPS = [1, 5, 9, 40], [400, 401]
PULL = "pull %d %s %d %s %%s\n" % (*(x for g in GROUPS for x in (len(g), " ".join(map(str, g)))),)
PLAIN = PULL % "300 1.1 2.0"
RICH = PLAIN + "pull 1 77 1 300 50 2 0\nplace 12 3\nvolume 0.4\nlog a text\n"


def kernel(folder, name="kernel.so", *flags):
    """Compiles the library."""
    path = os.path.join(folder, name)
    made = subprocess.run([*os.environ.get("MPICC", "cc").split(), "-std=gnu11", "-O1", "-shared", "-fPIC", *flags, "-o", path,
                           SOURCE, "-lm"], capture_output=True, text=True)
    if made.returncode:
        skip("the library of the test does not compile here: " + made.stderr)
    return path


def told(folder):
    """What the library was told: rows of {step, checkpoint, energy, dt, kT, box, bead: [mass, charge, x, y, z]}."""
    rows = []
    with open(os.path.join(folder, "kernel.out")) as file:
        for line in file:
            w = line.split()
            beads = {int(w[k]): np.array(w[k + 1:k + 6], float) for k in range(14, len(w), 6)}
            rows.append({"step": int(w[0]), "checkpoint": int(w[1]), "energy": float(w[2]), "dt": float(w[3]),
                         "kT": float(w[4]), "box": np.array(w[5:14], float).reshape(3, 3), "beads": beads})
    return rows


def told_text(folder):
    """The same as text without the mark of checkpoints, which are at other steps in other jobs."""
    with open(os.path.join(folder, "kernel.out")) as file:
        return [line.split()[:1] + line.split()[2:] for line in file]


class Expected:
    """Energy, forces and virial of RICH in a state at step 0; sum of r_a f_b, kJ/mol."""

    def __init__(self, path):
        self.state = s = State(path)
        mass = s.by_type("mass")
        self.force, self.energy, self.virial = np.zeros((s.n, 3)), 0.0, np.zeros((3, 3))
        for groups, k, at in (GROUPS, 300, 1.1), (([77], [300]), 50, 2):
            index = [np.array(g) - 1 for g in groups]
            centre = [(mass[i][:, None] * s.between(i, i[0])).sum(0) / mass[i].sum() for i in index]
            d = s.between(index[0][0], index[1][0]) + centre[0] - centre[1]
            r = np.linalg.norm(d - s.box * np.round(d / s.box))
            d -= s.box * np.round(d / s.box)
            self.energy += k / 2 * (r - at)**2
            f = -k * (r - at) * d / r
            for i, sign in zip(index, (1, -1)):
                self.force[i] += sign * (mass[i] / mass[i].sum())[:, None] * f
            self.virial += np.outer(d, f)
        x = s.word[11, 0] / 2.0**32 * s.box[0]
        self.energy += 3 * x + 0.4 * s.box.prod()
        self.force[11, 0] -= 3
        self.virial[0, 0] -= 3 * x
        self.virial -= 0.4 * s.box.prod() * np.eye(3)


def against_evaluator(checks, folder, start, settings, backend):
    want = Expected(start)
    still = {**settings, "run.steps": 0, "output.frames_every": 1, "output.forces": 1}
    write(os.path.join(folder, "plumed.dat"), RICH)
    for precision in "mixed", "double":
        case = {**still, "run.precision": precision}
        trial.simulate(folder, "with", case)
        trial.simulate(folder, "without", {**case, "plumed": ""})
        a, b = trial.columns(folder, "with"), trial.columns(folder, "without")
        checks.true("a column of its own", "bias" in a and "bias" not in b)
        checks.close(f"energy, {precision}, {backend}", a["bias"][0], want.energy, 1e-11)
        checks.close("potential", a["potential"][0] - b["potential"][0], want.energy, 1e-9)
        for i in range(3):
            for j in range(3):
                name = f"p{'xyz'[i]}{'xyz'[j]}_bar"
                checks.close(name, a[name][0] - b[name][0], want.virial[i, j] / want.state.box.prod() * BAR, absolute=1e-3)
        difference = frame_forces(folder, "with") - frame_forces(folder, "without")
        checks.close(f"forces, {precision}, {backend}", np.abs(difference - want.force).max(), 0, absolute=1e-3)
        checks.true("forces on some", np.abs(want.force).max() > 20, np.abs(want.force).max())


def what_it_is_told(checks, folder, start, settings):
    """The input of the library at step 0, and the energy of each step."""
    write(os.path.join(folder, "plumed.dat"), RICH + "note 2\n")
    trial.simulate(folder, "told", {**settings, "run.steps": 6, "output.energies_every": 1})
    rows, s = told(folder), State(start)
    mass, place = s.by_type("mass"), s.word / 2.0**32 * s.box
    checks.true("every step once", [row["step"] for row in rows] == list(range(7)), rows)
    checks.true("checkpoints", [row["checkpoint"] for row in rows] == [1] + [0] * 5 + [1], rows)
    checks.true("time step and kT", rows[0]["dt"] == 0.005 and abs(rows[0]["kT"] - 0.00831446261815324 * 303) < 1e-12, rows[0])
    checks.true("the box", (rows[0]["box"] == np.diag(s.box)).all(), rows[0])
    checks.true("the beads", sorted(rows[0]["beads"]) == sorted({12, 77, 300, *GROUPS[0], *GROUPS[1]}), rows[0])
    for bead, found in rows[0]["beads"].items():
        want = [mass[bead - 1], s.charge[bead - 1], *place[bead - 1]]
        checks.true(f"bead {bead}", np.allclose(found, want, rtol=1e-14, atol=1e-14), found, want)
    energies = trial.columns(folder, "told")
    for k in 0, 2, 4, 6:
        checks.close(f"the energy of step {k}", rows[k]["energy"], energies["potential"][k] - energies["bias"][k], 1e-9)
    checks.true("and only then", rows[1]["energy"] == rows[5]["energy"] == 0)
    trial.simulate(folder, "told", {**settings, "run.steps": 6, "output.energies_every": 6})
    checks.true("the same where no line is due", [row["energy"] for row in told(folder)] == [row["energy"] for row in rows])
    with open(os.path.join(folder, "told.plumed.log")) as file:
        said = file.read()
    checks.true("its log", "a text" in said and said.rstrip().endswith("the end"), said)


def one_trajectory(checks, folder, settings, backend, what, text):
    """The same bits and calls on any number of ranks and in parts; each step is given once."""
    write(os.path.join(folder, "plumed.dat"), text)
    case = {**settings, "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen", "output.checkpoint_every": 15}
    calls = {}
    for ranks in 1, 2, 3:
        trial.simulate(folder, f"on{ranks}", case, ranks=ranks)
        calls[ranks] = told_text(folder)
        wrong = trial.differences(trial.checkpoint(folder, "on1"), trial.checkpoint(folder, f"on{ranks}"))
        checks.true(f"{what}, {backend}: the state on {ranks} ranks", not wrong, wrong)
        checks.true(f"{what}: the calls on {ranks} ranks", calls[ranks] == calls[1])
    checks.true(f"{what}: every step once", [int(row[0]) for row in calls[1]] == list(range(41)), calls[1])
    for steps, ranks in (17, 1), (31, 2), (40, 1):
        trial.simulate(folder, "parts", {**case, "run.steps": steps}, restart="never" if steps == 17 else "auto", ranks=ranks)
    wrong = trial.differences(trial.checkpoint(folder, "on1"), trial.checkpoint(folder, "parts"))
    checks.true(f"{what}, {backend}: the state after three jobs", not wrong, wrong)
    checks.true(f"{what}: the calls of three jobs", told_text(folder) == calls[1])
    a, b = (trial.columns(folder, name) for name in ("on1", "parts"))
    checks.true(f"{what}: energies of three jobs", all(np.array_equal(a[name], b[name], equal_nan=True) for name in a))


def beside_biases(checks, folder, settings, backend):
    """The same moving umbrella of the run file. Its weights are rounded to 2^-31."""
    write(os.path.join(folder, "plumed.dat"), "pull 4 1 2 3 4 2 400 401 300 1.1 2.0\n")
    case = {**settings, "run.steps": 20, "output.energies_every": 1, "run.precision": "double", "run.seed": 7}
    trial.simulate(folder, "plumed", case)
    trial.simulate(folder, "biases", {
        **case, "plumed": "", "coordinates": "[{name: d, kind: distance, of: {ids: [1, 4]}, from: {ids: [400, 401]}}]",
        "biases": "[{name: pull, coordinate: d, kind: umbrella, k: 300, at: 1.1, rate: 2.0}]"})
    a, b = (trial.columns(folder, name) for name in ("plumed", "biases"))
    for name, limit in ("bias", 1e-8), ("potential", 1e-9), ("pxx_bar", 1e-5), ("pyz_bar", 1e-5):
        checks.close(f"{name} beside a bias of the run file, {backend}", np.abs(a[name] - b[name]).max(), 0,
                     absolute=limit * np.abs(a[name]).max())
    checks.true("it pulls", a["bias"][0] > 100 and np.ptp(a["bias"]) > 10, a["bias"])


def conserved(checks, folder, start, settings, backend):
    """Forces belong to the energy, and the virial to a box that moves: a barostat conserves what it must."""
    drift = []
    write(os.path.join(folder, "plumed.dat"), PULL % "900 0.6 0")
    for plumed in "", settings["plumed"]:
        trial.simulate(folder, "nve", {**settings, "input": start, "plumed": plumed, "thermostat.type": "none", "run.dt": 0.002,
                                       "run.steps": 200, "output.energies_every": 10, "run.precision": "double"})
        found = trial.columns(folder, "nve")
        drift.append(np.ptp(found["total"]))
    change = np.ptp(found["bias"])
    checks.true(f"energy is conserved, {backend}", drift[1] < 2 * drift[0] + 1e-3 * change, drift, change)
    checks.true("and the bias does work", change > 20 * drift[1], change, drift)


def virtual_sites(checks, folder, backend):
    """A force on a site is one on its parents, in steps with energies and without; energy is conserved."""
    start = trial.build(folder, "clusters", test_clusters.SPEC % (test_clusters.FIELD, 1))
    s, x = test_clusters.State(start), trial.positions(start)
    rod, sterol = (next(k for name, k in s.molecules if name == kind and (np.abs(x[k:k + 4, 0] - s.box[0] / 2) < 0.3 * s.box[0]).all())
                   for kind in ("ROD", "STEROL"))
    case = {"input": start, "run.dt": 0.005, "parallel.backend": backend, "plumed": "plumed.dat", "run.precision": "double",
            "output.energies_every": 10}
    still = {**case, "run.steps": 0, "output.frames_every": 1, "output.forces": 1}
    on_sites = {rod + 2: {rod + 1: 0.55, rod + 3: 0.45}, sterol + 5: {sterol + 1: -0.1, sterol + 2: 0.4, sterol + 3: 0.7}}
    found = []
    for places in {site: 1 for site in on_sites}, {k: w for parents in on_sites.values() for k, w in parents.items()}:
        write(os.path.join(folder, "plumed.dat"), "".join(f"place {k} {500 * w}\n" for k, w in places.items()))
        trial.simulate(folder, "sites", still)
        found.append((frame_forces(folder, "sites"), trial.columns(folder, "sites")))
    checks.close("forces on sites", np.abs(found[0][0] - found[1][0]).max(), 0, absolute=1e-3)
    for name in "bias", "pxx_bar", "pzz_bar", "pressure_bar":
        checks.close(name + " with forces on sites", found[0][1][name][0], found[1][1][name][0], 1e-6)
    others = [k for name, k in s.molecules if name == "STEROL"]
    pull = "pull 2 %d %d 1 %d 700 1.5 0\n" % (others[0] + 7, others[0] + 5, others[5] + 7)
    write(os.path.join(folder, "plumed.dat"), pull)
    drift = {}
    for every in 10, 1:
        for plumed in "", "plumed.dat":
            trial.simulate(folder, f"every{every}", {**case, "plumed": plumed, "run.steps": 200, "output.energies_every": every})
            rows = trial.columns(folder, f"every{every}")
            drift[plumed] = np.ptp(rows["total"])
    checks.true(f"energy is conserved with forces on sites, {backend}", drift["plumed.dat"] < 2 * drift[""] + 1e-3 * np.ptp(rows["bias"]),
                drift, np.ptp(rows["bias"]))
    same_on_sites(checks, folder, case, "plumed", backend)
    write(os.path.join(folder, "plumed.dat"), pull + "stride 3\n")
    thin = {**case, "neighbor.skin": 0.05, "barostat.type": "berendsen", "thermostat.type": "langevin"}
    same_on_sites(checks, folder, thin, "plumed in every third step, thin skin", backend)
    same_on_sites(checks, folder, {
        **thin, "plumed": "", "fields": "[{form: restraint, kz: 30, kx: 6, z: 0.5, x: 0.1, group: {types: [S]}}]"}, "field", backend)
    groups = [int(others[0]) + 5, int(others[0]) + 7], [int(others[5]) + 7]
    same_on_sites(checks, folder, {
        **thin, "plumed": "", "biases": "[{name: pull, coordinate: d, kind: umbrella, k: 700, at: 1.5}]",
        "coordinates": "[{name: d, kind: distance, weights: geometry, of: {ids: %s}, from: {ids: %s}}]" % groups}, "bias", backend)


def same_on_sites(checks, folder, case, what, backend):
    """Forces of the user on virtual sites: the same bits whatever steps have lines of energies, on two ranks, and in two jobs
    of which the first ends in a step without such a line."""
    case = {**case, "run.steps": 60, "output.energies_every": 10}
    trial.simulate(folder, "every10", case)
    trial.simulate(folder, "every1", {**case, "output.energies_every": 1})
    trial.simulate(folder, "on2", case, ranks=2)
    trial.simulate(folder, "parts", {**case, "run.steps": 17})
    trial.simulate(folder, "parts", case, restart="auto")
    for other in "every1", "on2", "parts":
        states = trial.checkpoint(folder, "every10"), trial.checkpoint(folder, other)
        checks.true(f"{what} on sites, {backend}: the same bits of {other}", not trial.differences(*states),
                    trial.where_different(*states))


def stops(checks, folder, settings):
    """A stop of the library, of a limit of time, and of the lists of steps: with a checkpoint that it was told of."""
    write(os.path.join(folder, "plumed.dat"), PLAIN + "stop 7\n")
    said = trial.simulate(folder, "stop", {**settings, "run.steps": 100}, status=99)
    checks.true("a stop is said", "step 7: PLUMED asks to end" in said, said)
    rows = [(row["step"], row["checkpoint"]) for row in told(folder)]
    checks.true("it was told of the checkpoint, at the next step", rows[-2:] == [(7, 0), (8, 1)], rows, said)
    write(os.path.join(folder, "plumed.dat"), PLAIN)
    trial.simulate(folder, "limit", {**settings, "run.steps": 100000, "run.max_hours": 1e-6}, status=99)
    row = told(folder)[-1]
    checks.true("the same at a limit of time", row["checkpoint"] == 1, row)


def last_rows(folder):
    """The step, and 1 for a checkpoint, of the last calls of replicas, whose files are removed."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if re.fullmatch(r"kernel\.\d+\.out", name)]
    rows = [read(path).splitlines()[-1].split()[:2] for path in paths]
    for path in paths:
        os.remove(path)
    return rows


def replicas(checks, folder, settings):
    """They have communicators, each its log, and stop at one step."""
    write(os.path.join(folder, "plumed.dat"), PLAIN + "lone\nstop 7\n")
    keys = "".join(f"{key}: {value}\n" if "." not in key else "%s: {%s: %s}\n" % (*key.split("."), value)
                   for key, value in settings.items() if key != "run.dt")
    write(os.path.join(folder, "many.yaml"), keys + "run: {dt: 0.005, steps: 100000, max_hours: 1e-6}\n")
    many = "run", "many.yaml", "--replicas=2"
    run(*many, "--restart=never", "--set=run.max_hours=0", ranks=2, status=99, cwd=folder, timeout=100)
    ends = last_rows(folder)
    checks.true("two replicas end where one of them asks for it", ends == [["200", "1"]] * 2, ends)
    write(os.path.join(folder, "plumed.dat"), PLAIN)
    run(*many, "--restart=never", ranks=2, status=99, cwd=folder)
    ends = last_rows(folder)
    checks.true("two replicas end at one step, told of the checkpoint", len(ends) == 2 and ends[0] == ends[1] and ends[0][1] == "1", ends)
    checks.true("a log each", all("the end" in open(os.path.join(folder, f"replica-{k}/many.plumed.log")).read() for k in (1, 2)))
    run("run", "many.yaml", "--set=run.replica=2", "--set=output.prefix=replica-2/many", "--set=run.max_hours=0",
        "--set=run.steps=%d" % (int(ends[0][0]) + 5), cwd=folder)
    checks.refused("replicas at other steps", "not at the same step", "run", "many.yaml", "--replicas=2", ranks=2, cwd=folder)


def states(checks, folder, settings):
    """A new run begins with a call also where its input has forces of another; damaged forces of a state are refused."""
    write(os.path.join(folder, "plumed.dat"), PLAIN)
    case = {**settings, "run.steps": 0}
    trial.simulate(folder, "first", case)
    begun, state = trial.checkpoint(folder, "first"), os.path.join(folder, "bad.h5")
    os.remove(os.path.join(folder, "kernel.out"))
    trial.simulate(folder, "second", {**case, "input": begun})
    checks.true("a new run calls", [row["step"] for row in told(folder)] == [0])
    for what, name, value in (("no bead", "id", 0), ("no order", "id", 3000), ("no number", "force", np.nan), ("no sum", "sums", np.inf)):
        shutil.copy(begun, state)
        with h5py.File(state, "r+") as file:
            numbers = file["applied_forces/" + name]
            numbers[1] = value
        said = trial.simulate(folder, "bad", {**case, "run.steps": 2}, restart=state, status=4)
        checks.true("damaged forces, " + what, "applied forces" in said, said)
    shutil.copy(begun, state)
    with h5py.File(state, "r+") as file:
        del file["applied_forces/force"]
    trial.simulate(folder, "bad", {**case, "run.steps": 2}, restart=state, status=4)


def mistakes(checks, folder, settings):
    data = os.path.join(folder, "plumed.dat")
    env = os.environ["PLUMED_KERNEL"]
    case = {**settings, "run.steps": 5}

    def refused(what, text, words, kernel=env, status=2, **keys):
        write(data, text)
        os.environ["PLUMED_KERNEL"] = kernel
        said = trial.simulate(folder, "wrong", {**case, **keys}, status=status)
        os.environ["PLUMED_KERNEL"] = env
        checks.true(what, all(word in said for word in words), said)

    refused("no library", PLAIN, ["PLUMED_KERNEL is not set", "libplumedKernel.so"], "")
    refused("a library that is not there", PLAIN, ["/none.so", "cannot be loaded"], "/none.so")
    refused("no library at all", PLAIN, ["plumed.dat", "cannot be loaded"], data)
    refused("another library", PLAIN, ["no plumed_symbol_table"], kernel_of(folder, "-DNO_TABLE"))
    refused("an old library", PLAIN, ["before 2.5"], kernel_of(folder, "-DVERSION=1"))
    refused("a word that it does not know", "frobnicate\n", ["plumed.dat", "I cannot understand line: frobnicate", "plumed.log"])
    refused("a bead that is not there", "pull 1 1 1 99999999 1 1 1\n", ["no such atom"])
    refused("an error in a step", PLAIN + "fail 3\n", ["step 3", "calculating d"], status=3)
    refused("a force on the energy", PLAIN + "note 1\nscale\n", ["ENERGY", "not possible"])
    refused("a crash", PLAIN + "crash 4\n", ["crashes in PLUMED (performCalc)", "wrong.plumed.log"], status=None)
    refused("no file", PLAIN, ["none.dat", "No such file"], plumed="none.dat")
    refused("a folder", PLAIN, ["plumed: "], plumed=folder)
    refused("a minimisation", PLAIN, ["minimisation"], **{"minimise.steps": 5})


def other_content(checks, folder, settings):
    """A job that goes on with another input of PLUMED says so."""
    write(os.path.join(folder, "plumed.dat"), PLAIN)
    trial.simulate(folder, "content", {**settings, "run.steps": 2})
    said = trial.simulate(folder, "content", {**settings, "run.steps": 3}, restart="auto", ranks=2)
    checks.true("the same input is no change", "changed" not in said, said)
    write(os.path.join(folder, "plumed.dat"), PLAIN.replace("300 1.1", "301 1.1"))
    said = trial.simulate(folder, "content", {**settings, "run.steps": 4}, restart="auto", ranks=2)
    checks.true("another input is said", "plumed: changed since the job before: 'plumed.dat' has another content" in said, said)


def kernel_of(folder, flag):
    return kernel(folder, flag.strip("-D=1") + ".so", flag)


def plumed(checks, folder, backend):
    os.environ["PLUMED_KERNEL"] = kernel(folder)
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2,
                "output.energies_every": 10, "parallel.backend": backend, "plumed": "plumed.dat"}
    against_evaluator(checks, folder, start, settings, backend)
    what_it_is_told(checks, folder, start, settings)
    one_trajectory(checks, folder, settings, backend, "all", RICH)
    one_trajectory(checks, folder, settings, backend, "every third step, energy", RICH + "stride 3\nnote 4\n")
    beside_biases(checks, folder, settings, backend)
    conserved(checks, folder, trial.membrane(folder, copies=1), {**settings, "neighbor.skin": "auto"}, backend)
    virtual_sites(checks, folder, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = plumed(checks, folder, "cpu")
        stops(checks, folder, settings)
        replicas(checks, folder, settings)
        states(checks, folder, settings)
        other_content(checks, folder, settings)
        mistakes(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
