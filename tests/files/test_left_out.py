"""What a job leaves out or cannot use is kept or refused, never ignored: results of observables that are no longer in the
list, columns of energies, seeds of replicas, folders of prefixes, tensions, groups without beads."""
import os
import shutil
import tempfile

import h5py

import trial
from run_lamella import Checks, run, write

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_left_out.")
os.chdir(holder.name)
start = trial.membrane(holder.name)
write("x.yaml", """input: %s
run: {steps: 20, dt: 0.005}
thermostat: {type: bussi, temperature: 300}
output: {prefix: x, energies_every: 5, frames_every: 10}
""" % start)
DENSITY = "observe=[density: {every: 5, bins: 10}]"


def go(*settings, status=0, ranks=1):
    return run("run", "x.yaml", *(f"--set={setting}" for setting in settings), status=status, ranks=ranks).stderr


def samples(path):
    with h5py.File(path, "r") as results:
        return {name: int(group.attrs["samples"][0]) for name, group in results.items()}


# Results of observables.
go(DENSITY)
said = go("observe=[temperature: {every: 5}]", "run.steps=40", ranks=2)
checks.true("it says where they are", "x.until_20.observables.h5" in said, said)
found = samples("x.until_20.observables.h5")
checks.true("results of an observable that was left out stay", found == {"density": 5}, found)
with h5py.File("x.observables.h5", "r+") as results:  # as if the job had been killed before it wrote them
    results["temperature"].attrs["last_step"] -= 5
said = go(DENSITY, "run.steps=60")
checks.true("they are those of the checkpoint", "written again" in said, said)
found = samples("x.until_40.observables.h5")
checks.true("also after a kill", list(found) == ["temperature"], found)
found = samples("x.observables.h5")
checks.true("it begins anew under its name", found["density"] == 4 and len(found) == 1, found)

# Columns of energies.
go("output.prefix=y", "fields=[{form: electric, z: 0.2}]")
os.rename("y.csv", "y.first.csv")
go("output.prefix=y", "thermostat.groups=[{name: all}]", "run.steps=40")
with open("y.csv") as file:
    lines = [line.strip().split(",") for line in file]
column = lines[0].index("temperature_all_K")
checks.true("lines have the columns of the head", {len(line) for line in lines} == {len(lines[0])}, lines[:2])
checks.true("from the first line on", all(100 < float(line[column]) < 500 for line in lines[1:]), lines[1])

# Seeds of replicas.
run("run", "x.yaml", "--replicas=2", "--set=run.seed=5", "--set=output.prefix=r", ranks=2)
for k in 1, 2:
    go(f"run.seed={4 + k}", f"output.prefix=single{k}")
    wrong = trial.differences(trial.checkpoint(f"replica-{k}", "r"), trial.checkpoint("", f"single{k}"))
    checks.true(f"replica {k} has seed {4 + k}", not wrong, wrong)

# Under a barostat the grid also fits a smaller box, where there is one: 4x1 fits this box, by less than 1 %.
wide = trial.build(holder.name, "wide", """{forcefield: elba, minimise: no,
  bilayer: {upper: {DOPC: 72}, lower: {DOPC: 72}, area_per_lipid: 0.68, water_per_lipid: 15}}""")
with h5py.File(wide, "r") as file:
    edge = file["system/box"][0]
skin = (0.99 * edge / 4 - 1.2) / 1.5  # the thickness of regions of ELBA is 1.2 nm and 1.5 skins
for barostat, grid in (("none", "(4x1)"), ("crescale", "(2x2)")):
    said = run("run", "x.yaml", "--dry-run", f"--set=input={wide}", "--set=output.prefix=w", f"--set=neighbor.skin={skin}",
               f"--set=barostat.type={barostat}", ranks=4).stderr
    checks.true(f"grid with barostat {barostat}", f"4 ranks {grid}" in said, said)

# What is read has no name of a file that is written, but for a checkpoint that the run goes on from.
for ending, more in (".csv", []), (".offender.csv", []), (".h5md.undo", []), (".checkpoint.h5", ["restart=never"]), \
        (".checkpoint.h5.prev", ["restart=never"]), (".log", ["restart=read.log", "input="]):
    shutil.copy(start, "read" + ending)
    said = go("output.prefix=read", f"input=read{ending}", "run.steps=0", *more, status=2)
    checks.true(f"input with the ending {ending}", "which is read, would be replaced" in said, said)
    checks.true(f"input with the ending {ending}: kept", sorted(os.listdir(".")).count("read" + ending) == 1 and
                not os.path.exists("read.backup.1"), os.listdir("."))
    os.remove("read" + ending)

# What is refused.
os.mkdir("folder")
for settings, status, why in (
        (["output.prefix=folder/"], 2, "a name must follow, as in 'folder/NAME'"),
        (["output.prefix=.."], 2, "a name must follow, as in '../NAME'"),
        (["output.prefix=nowhere/x"], 4, "there is no folder 'nowhere'"),
        (["output.prefix=w", "barostat.type=crescale", "barostat.surface_tension=300"], 2, "only barostat.coupling: surface_tension"),
        (["output.prefix=w", "fields=[{form: force, z: 1, group: {types: [P], molecules: [W]}}]"], 2, "[1].group: the group has no bead")):
    said = go(*settings, status=status)
    checks.true(str(settings), why in said, said)
checks.end()
