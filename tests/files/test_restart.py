"""A run never starts over and never goes on with the wrong thing without a word: what a restart
accepts, what it refuses, what it says, and that nothing it refuses is touched."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

import trial
from run_lamella import LAMELLA, Checks, read, run, write

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_restart.")
os.chdir(holder.name)
WATER = "forcefield: elba\nseed: %d\ntemperature: 298\nwater: {count: 2700}\nminimise: no\n"
RUN = ("input: start.h5\nrun: {steps: 20, dt: 0.002}\nthermostat: {type: langevin, temperature: 298}\n"
       "output: {prefix: w, frames_every: 5, energies_every: 5, checkpoint_every: 10}\n")


def build(name, seed):
    write("water.yaml", WATER % seed)
    run("build", "water.yaml", "-o", name)


def lamella(*more, status=0, ranks=1, name="run.yaml"):
    return run("run", name, *more, status=status, ranks=ranks).stderr


def hashes(prefix="w."):
    found = {}
    for name in sorted(os.listdir(".")):
        if name.startswith(prefix) and os.path.isfile(name):
            with open(name, "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


def edit(path, name, value):
    with h5py.File(path, "r+") as file:
        file[name][...] = value


def saved():
    """The files of a run of 20 steps, in a folder to come back to."""
    lamella()
    os.mkdir("saved")
    for name in hashes():
        shutil.copy(name, "saved")


def restore():
    for name in os.listdir("."):
        if name.startswith("w."):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    for name in os.listdir("saved"):
        shutil.copy("saved/" + name, name)


def refused_untouched(what, status, says, *more):
    before = hashes()
    said = lamella("-s", "run.steps=30", *more, status=status)
    for part in says:
        checks.true(f"{what}: says {part}", part in said, said)
    checks.true(what + ": nothing is touched", hashes() == before, set(before) ^ set(hashes()))


def flip(path):
    """One bit in the middle of the momenta."""
    with h5py.File(path, "r") as file:
        at = file["beads/momentum"].id.get_chunk_info(0).byte_offset + 1000
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 8]))


CHECKPOINTS = ("w.checkpoint.h5", "w.checkpoint.h5.prev")


def no_checkpoint_can_be_used():
    def truncate(path):
        os.truncate(path, 5000)

    def newer(path):
        with h5py.File(path, "r+") as file:
            file.attrs.modify("format_version", np.int32(99))

    for harm, says in ((flip, "damaged"), (truncate, "HDF5"), (newer, "newer version"),
                       (lambda path: edit(path, "beads/momentum", np.nan), "not a number"),
                       (lambda path: edit(path, "system/box", -3.8), "box edge x is -3.8 nm")):
        restore()
        for path in CHECKPOINTS:
            harm(path)
        refused_untouched("two useless checkpoints", 4, [*CHECKPOINTS, says])
        restore()
        os.remove(CHECKPOINTS[1])
        harm(CHECKPOINTS[0])
        refused_untouched("one useless checkpoint, no other", 4, [CHECKPOINTS[0], says, "No such"])


def the_one_before_is_taken():
    reference = uninterrupted(30)
    for name, value in (("beads/momentum", np.nan), ("system/box", -3.8)):
        restore()
        edit(CHECKPOINTS[0], name, value)
        said = lamella("-s", "run.steps=30", ranks=2)
        checks.true("warns of the fall back", "warning" in said and ".prev" in said, said)
        checks.true("the useless one is kept", os.path.exists("w.checkpoint.h5.damaged"))
        checks.true("the same end", not trial.differences(CHECKPOINTS[0], reference),
                    trial.differences(CHECKPOINTS[0], reference))


def uninterrupted(steps):
    if not os.path.exists("whole.yaml"):
        write("whole.yaml", RUN.replace("prefix: w", "prefix: whole"))
    lamella("-s", f"run.steps={steps}", "--restart=never", name="whole.yaml")
    return "whole.checkpoint.h5"


def not_permitted():
    """Read as somebody who may not: that says nothing about the file."""
    if os.getuid() != 0:
        return
    restore()
    os.chmod(".", 0o777)
    for name in os.listdir("."):
        if os.path.isfile(name):
            os.chmod(name, 0o666)
    os.chmod(CHECKPOINTS[0], 0)
    before = hashes()
    done = subprocess.run([LAMELLA, "run", "run.yaml", "-s", "run.steps=30"], capture_output=True,
                          text=True, user=65534, group=65534, timeout=300)
    checks.true("no permission: status 4", done.returncode == 4, done.returncode, done.stderr)
    checks.true("no permission: said", "Permission denied" in done.stderr, done.stderr)
    checks.true("no permission: nothing touched", hashes() == before)
    os.chmod(CHECKPOINTS[0], 0o666)


def another_input():
    restore()
    build("other.h5", 4)
    refused_untouched("another input", 2, ["start.h5", "other.h5", "--restart=never"], "-s",
                      "input=other.h5")
    shutil.copy("start.h5", "copy.h5")
    lamella("-s", "run.steps=22", "-s", "input=copy.h5")
    write("larger.yaml", "state: w.checkpoint.h5\nreplicate: [2, 1, 1]\n")
    run("build", "larger.yaml", "-o", "larger.h5", ranks=2)
    told = run("info", "larger.h5").stdout
    checks.true("copies of a checkpoint are no part of its run",
                "5400" in told and "history" not in told, told)
    checks.true("a copy is the same input", True)
    restore()
    said = lamella("-s", "run.steps=22", "-s", "input=gone.h5")
    checks.true("an input that is gone is said", "gone.h5" in said and "cannot be compared" in said,
                said)
    restore()
    lamella("-s", "run.steps=22", "-s", "input=")


def changed_physics():
    restore()
    said = lamella("-s", "run.steps=40", "-s", "run.dt=0.001", "-s", "thermostat.temperature=310",
                   "-s", "run.seed=12345")
    for part in ("run.dt was 0.002 and is 0.001", "thermostat.temperature was 298 and is 310",
                 "run.seed: 12345 is ignored"):
        checks.true("said: " + part, part in said, said)
        checks.true("in the log: " + part, part in read("w.log"))
    times = trial.columns(".", "w")["time_ps"]
    checks.true("time goes on", np.allclose(times, [0, .01, .02, .03, .04, .045, .05, .055, .06]),
                times)
    with h5py.File("w.h5md") as file:
        checks.true("in frames too", np.allclose(
            file["particles/trajectory/position/time"], times), )
    told = run("info", CHECKPOINTS[0]).stdout
    for part in ("run.dt 0.002 -> 0.001", "job 1:", "job 2:", "began from", "start.h5",
                 "NVT, langevin at 310 K", "temperature"):
        checks.true("info says " + part, part in told, told)
    lamella("-s", "run.steps=50", "-s", "run.dt=0.001", "-s", "thermostat.temperature=310")
    checks.true("and stays", np.allclose(trial.columns(".", "w")["time_ps"][-1], 0.07))


def force_fields():
    with open(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], "elba.yaml")) as file:
        first = re.search(r"^  (\w+): *\{ *mass", file.read(), re.M)[1]
    restore()
    longer = trial.field(".", "longer", "elba.yaml",
                         (r"\nreference:", "\n  SINGLE: {beads: [%s], bonds: [], angles: []}\nreference:" % first))
    said = lamella("-s", "run.steps=25", "-s", "forcefield=" + longer)
    checks.true("an appended molecule is said", "in the place of elba" in said, said)
    told = run("info", CHECKPOINTS[0]).stdout
    checks.true("and kept", re.search("changed at step 20: force field .* -> elba", told), told)
    restore()
    renamed = trial.field(".", "renamed", "elba.yaml", (r"\b%s\b" % first, "QQ"))
    refused_untouched("another type", 2, ["other types"], "-s", "forcefield=" + renamed)
    excludes = trial.field(".", "excludes", "elba.yaml", (r"\nexclude: .*", "\nexclude: []"))
    said = lamella("-s", "run.steps=25", "-s", "forcefield=" + excludes)
    checks.true("another exclude, without bonds", "in the place of elba" in said, said)


def backups():
    restore()
    before = hashes()
    said = lamella("--restart=never", "-s", "run.steps=5")
    checks.true("the backup is said", "w.backup.1" in said, said)
    moved = {name: hashlib.sha256(open("w.backup.1/" + name, "rb").read()).hexdigest()
             for name in os.listdir("w.backup.1")}
    checks.true("every old file is there", moved == before, set(moved) ^ set(before))
    lamella("--restart=never", "-s", "run.steps=5")
    checks.true("a second one beside it", os.path.exists("w.backup.2/w.checkpoint.h5"))
    for path in CHECKPOINTS:
        if os.path.exists(path):
            os.remove(path)
    lamella("-s", "run.steps=5")
    checks.true("no checkpoint, other old files", os.path.exists("w.backup.3/w.csv"))
    restore()
    lamella("-s", "run.steps=5", "--restart=other.h5", "-s", "input=")
    checks.true("a state of another run", os.path.exists("w.backup.1/w.csv"))


def seeds():
    def seed(path):
        with h5py.File(path) as file:
            return int(file["system/seed"][0])

    reference = uninterrupted(10)
    first = trial.datasets(reference)
    uninterrupted(10)
    checks.true("the same input, the same trajectory", trial.datasets(reference) == first)
    lamella("-s", "output.prefix=w4", "-s", "input=other.h5", "-s", "run.steps=2")
    lamella("-s", "output.prefix=next", "-s", "input=" + reference, "-s", "run.steps=2")
    found = {seed(name) for name in (reference, "w4.checkpoint.h5", "next.checkpoint.h5")}
    checks.true("other states and successive runs have other seeds", len(found) == 3, found)
    checks.true("the seed stands in the log", str(seed("next.checkpoint.h5")) in read("next.log"))


def ends():
    restore()
    said = lamella(status=0)
    checks.true("nothing to do", "nothing to do: step 20 of 20" in said, said)
    said = lamella("-s", "run.steps=12", status=0)
    checks.true("nor beyond", "nothing to do: step 20 of 12" in said, said)
    text = read("w.log")
    for part in ("command: lamella run run.yaml", "effective input", "dt: 0.002", "transport self",
                 "million bead-steps/s", "done: step 20 of 20", "the job ends with status 0"):
        checks.true("the log has " + part, part in text, text)


def prefixes():
    write("named.yaml", RUN.replace("prefix: w, ", ""))
    lamella("-s", "run.steps=2", name="named.yaml")
    checks.true("files are named after the run file", os.path.exists("named.checkpoint.h5"))


def stored_lists():
    restore()
    shutil.copy(CHECKPOINTS[0], "lists.h5")
    with h5py.File("lists.h5", "r+") as file:
        file["neighbor_list/box"][:] *= 1.3
    for ranks in (1, 2):
        said = lamella("--restart=lists.h5", "-s", "run.steps=30", status=4, ranks=ranks)
        checks.true("lists of another box", "do not belong together" in said, said)
    with h5py.File("lists.h5", "r+") as file:
        file["neighbor_list/box"][:] /= 1.3
        file["beads/build_position"][:300] = file["beads/build_position"][300:600]
    said = lamella("--restart=lists.h5", "-s", "run.steps=30", status=None)
    checks.true("positions of other beads", "do not belong" in said or "one point" in said, said)


def versions():
    restore()
    said = lamella("-s", "run.steps=22")
    checks.true("the same program is no matter", "bit for bit" not in said, said)
    for name, other in ("git", b"0.1-gabc"), ("kernel", b"abacus"):
        restore()
        with h5py.File(CHECKPOINTS[0], "r+") as file:
            file.attrs[name] = np.bytes_(other)
        said = lamella("-s", "run.steps=22")
        checks.true(f"another {name} is named",
                    "warning" in said and "bit for bit" in said and other.decode() in said, said)
    for kernel, same in (("cpu, mixed_v1", False), ("cpu, mixed_neon", True), ("cpu, double_v1", False),
                         ("cpu, mixed", False)):
        restore()
        with h5py.File(CHECKPOINTS[0], "r+") as file:
            file.attrs["kernel"] = np.bytes_(kernel)
        said = lamella("-s", "run.steps=22")
        checks.true(f"{kernel}: {'the same bits' if same else 'other bits'}", ("bit for bit" in said) != same, said)


def pascals():
    restore()
    for barostat in ("berendsen", "crescale"):
        said = lamella("-s", "output.prefix=pa", "-s", "barostat.type=" + barostat, "-s",
                       "barostat.pressure=101325", "-s", "barostat.coupling=isotropic", "-s",
                       "barostat.tau=0.0005", "-s", "barostat.every=1", "-s", "run.steps=200",
                       "-s", "output.checkpoint_every=1", "--restart=never", status=None)
        checks.true(barostat + ": a wrong unit ends in an error", "step" in said and
                    "done:" not in said, said)
        run("info", "pa.checkpoint.h5")
        with h5py.File("pa.checkpoint.h5") as file:
            checks.true(barostat + ": no such box is saved", file["system/box"][:].min() > 0)


SPELLED = """input: start.h5
run: {steps: 20, dt: 0.002}
fields:
  - %s
thermostat:
  type: langevin
  temperature: 298
  groups:
    - %s
    - {name: rest, group: {ids: [1001, 2700]}}
observe:
  - density: %s
output: {prefix: %s, frames_every: 5, checkpoint_every: 10}
"""


def spelled_otherwise():
    """The same fields, groups and observables with keys in another order are no change: nothing is said, and lists
    are not built anew. Another value, name or order of ids is one."""
    first = ("{form: force, z: 0.5, group: {types: [W], ids: [1, 99]}}",
             "{name: some, group: {ids: [1, 1000]}, temperature: 300, tau: 0.5}", "{every: 5, frames: yes, bins: 50}")
    later = ("{group: {ids: [1, 99], types: [W]}, z: 5e-1, form: force}",
             "{tau: 0.50, temperature: 3.0e2, group: {ids: [1, 1000]}, name: some}",
             "{bins: 50, frames: yes, every: 5.0e0}")

    def continued(change, prefix, *parts):
        write("spelled.yaml", SPELLED % (*first, prefix))
        lamella("-s", "run.steps=10", "--restart=never", name="spelled.yaml")
        write("spelled.yaml", SPELLED % (*parts, prefix))
        said = lamella(name="spelled.yaml", status=None)
        checks.true(f"{prefix}: a change is {'said' if change else 'no change'}", ("changed since" in said) == change and
                    "done:" in said, said)

    write("spelled.yaml", SPELLED % (*first, "sp_whole"))
    lamella("--restart=never", name="spelled.yaml")
    continued(False, "sp_order", *later)
    one, other = (bits("sp_%s.checkpoint.h5" % name) for name in ("whole", "order"))
    checks.true("the same bits and builds", one == other, set(one) ^ set(other))
    continued(True, "sp_value", first[0].replace("0.5", "0.6"), *first[1:])
    continued(True, "sp_ids", first[0].replace("[1, 99]", "[2, 99]"), *first[1:])
    continued(True, "sp_tau", first[0], first[1].replace("tau: 0.5", "tau: 0.51"), first[2])


def bits(path):
    """The datasets of a state that say how it moves on."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()}) if isinstance(item, h5py.Dataset) and
                        (name.startswith("beads/") or "build" in name) else None)
    return found


build("start.h5", 3)
write("run.yaml", RUN)
saved()
for part in (no_checkpoint_can_be_used, the_one_before_is_taken, not_permitted, another_input,
             changed_physics, force_fields, backups, seeds, ends, prefixes, stored_lists, versions,
             pascals, spelled_otherwise):
    part()
os.chdir("/")
checks.end()
