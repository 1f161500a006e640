"""Replicas of a run in one job: the same bits and files as single runs of their numbers, on one rank each and on several; jobs
that continue, of which some replicas have ended; signals and limits of time; errors that name the replica."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time

import h5py
import trial
from run_lamella import LAMELLA, MPIEXEC, RANK, Checks, read, run, write

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_replicas.")
os.chdir(holder.name)
start = trial.membrane(holder.name)
RUN = """input: %s
run: {steps: 40, dt: 0.005}
neighbor: {skin: 0.25}
thermostat: {type: langevin, temperature: 300}
output: {frames_every: 20, energies_every: 10, checkpoint_every: 20}
""" % start
write("x.yaml", RUN)


def replicas(n, *more, ranks, status=0):
    return run("run", "x.yaml", f"--replicas={n}", *more, ranks=ranks, status=status).stderr


def same(first, second, what):
    wrong = trial.differences(trial.checkpoint(*os.path.split(first)), trial.checkpoint(*os.path.split(second)))
    checks.true(what + ": the same state", not wrong, wrong)
    with open(f"{first}.csv", "rb") as a, open(f"{second}.csv", "rb") as b:
        checks.true(what + ": the same energies", a.read() == b.read())
    checks.true(what + ": the same frames", not trial.differences(f"{first}.h5md", f"{second}.h5md"))


# As single runs of these replicas and prefixes.
for k in 1, 2, 3:
    run("run", "x.yaml", f"--set=run.replica={k}", f"--set=output.prefix=single{k}")
said = replicas(3, ranks=3)
checks.true("says how many there are", "3 replicas, each on 1 rank" in said, said)
checks.true("only replica 1 speaks", said.count("backend cpu") == 1, said)
for k in 1, 2, 3:
    same(f"single{k}", f"replica-{k}/x", f"replica {k}")
    log = read(f"replica-{k}/x.log")
    checks.true(f"the log of replica {k} is whole", "backend cpu" in log and "the job ends with status 0" in log, log)
different = trial.differences(trial.checkpoint("replica-1", "x"), trial.checkpoint("replica-2", "x"))
checks.true("replicas differ", "beads/position" in str(different), different)

# They go on, on two ranks each; replica 2 has ended before, in a run of its own.
more = "--set=run.steps=60"
for k in 1, 2, 3:
    run("run", "x.yaml", f"--set=run.replica={k}", f"--set=output.prefix=single{k}", more)
run("run", "x.yaml", "--set=run.replica=2", "--set=output.prefix=replica-2/x", more)
replicas(3, more, ranks=6)
for k in 1, 2, 3:
    same(f"single{k}", f"replica-{k}/x", f"replica {k} in two jobs, the second on 2 ranks")

# A job is to be continued as long as one replica is.
run("run", "x.yaml", "--set=run.replica=1", "--set=output.prefix=replica-1/x", "--set=run.steps=80")
said = replicas(3, "--set=run.steps=80", "--max-hours=1e-9", ranks=3, status=99)
replicas(3, "--set=run.steps=80", ranks=3)
for k in 1, 2, 3:
    run("run", "x.yaml", f"--set=run.replica={k}", f"--set=output.prefix=single{k}", "--set=run.steps=80")
    same(f"single{k}", f"replica-{k}/x", f"replica {k} after a limit of time")

# What a dry run says counts all replicas, of which the first is done.
run("run", "x.yaml", "--set=run.replica=1", "--set=output.prefix=replica-1/x", "--set=run.steps=120")
for steps, words in (120, "40 steps to do (2 of 3 replicas)"), (80, "nothing to do: all 3 replicas are done"):
    said = replicas(3, f"--set=run.steps={steps}", "--dry-run", ranks=3)
    checks.true(f"dry run to {steps}", words in said and said.count("to do") == 1, said)

# From a state of a run, each replica has a seed of its own.
for name, state, steps in ("late", trial.checkpoint("replica-2", "x"), 90), ("input", start, 210):
    os.mkdir(name)
    replicas(2, f"--restart={state}", f"--set=run.steps={steps}", f"--set=output.prefix={name}/y", ranks=2)
    different = trial.differences(trial.checkpoint(f"{name}/replica-1", "y"), trial.checkpoint(f"{name}/replica-2", "y"))
    checks.true(f"replicas of a {name} state differ", "beads/momentum" in str(different), different)
for settings in ("thermostat.type=none",), ("thermostat.type=berendsen",), ("thermostat.type=none", "barostat.type=berendsen"):
    said = replicas(2, *(f"--set={word}" for word in settings), "--set=output.prefix=out/z", ranks=2, status=2)
    checks.true(f"{settings}: replicas would be one trajectory", "the same trajectory" in said, said)

# Seeds of runs that differ in their physics differ, those of runs that differ in their lists or output do not.
shown = run("forcefield", start).stdout
other = shown.replace("[W, W, {epsilon: 2.3012", "[W, W, {epsilon: 2.2")
checks.true("another force field", other != shown, shown)
for name, text in ("same.yaml", shown), ("other.yaml", other):
    write(name, text)
seeds = {}
for key in "thermostat.temperature=300", "thermostat.temperature=310", "thermostat.tau=2", "run.dt=0.004", "neighbor.skin=0.26", \
        "run.precision=double", "output.energies_every=5", "forcefield=same.yaml", "forcefield=other.yaml", "run.replica=1", \
        "run.replica=2", "run.replica=1&thermostat.temperature=310":
    settings = [f"--set={word}" for word in key.split("&")]
    run("run", "x.yaml", *settings, "--set=output.prefix=seeds", "--set=run.steps=0", "--restart=never")
    with h5py.File(trial.checkpoint(".", "seeds")) as file:
        seeds[key] = int(file["system/seed"][0])
first = seeds.pop("thermostat.temperature=300")
for key, seed in seeds.items():
    alike = key.split(".")[0] in ("neighbor", "output", "forcefield=same") or "precision" in key
    checks.true(f"seed with {key}", (seed == first) == alike, first, seeds)
    checks.true(f"seed with {key}: of its own", alike or list(seeds.values()).count(seed) == 1, seeds)

# Several run files: one after the other on one rank, side by side on several, with the bits of single runs; the same command goes on.
os.mkdir("many")
FILES = [write(f"many/{name}.yaml", RUN + "velocities: {temperature: %d}\n" % temperature)
         for name, temperature in (("a", 290), ("b", 300), ("c", 310))]
for folder, ranks in ("single", 1), ("row", 1), ("four", 4):
    os.mkdir(folder)
    files = [shutil.copy(name, folder) for name in FILES]
    if folder == "single":
        for name in files:
            run("run", name, f"--set=output.prefix={name[:-5]}")
        continue
    for name in files:
        write(name, read(name).replace("output: {", f"output: {{prefix: {name[:-5]}, "))
    said = run("run", *files, "--set=run.steps=30", ranks=ranks).stderr
    checks.true(f"{ranks} ranks: says which", said.count(f"run file {folder}/") == 4 - min(ranks, 2) and
                ("side by side" in said) == (ranks > 1), said)
    said = run("run", *files, "--dry-run", ranks=ranks).stderr
    checks.true(f"{ranks} ranks: steps of all", "30 steps to do" in said and said.count("steps to do") == 1, said)
    run("run", *files, "--max-hours=1e-9", ranks=ranks, status=99)
    run("run", *files, ranks=ranks)
    said = run("run", *files, "--dry-run", ranks=ranks).stderr
    checks.true(f"{ranks} ranks: done", "all 3 runs are done" in said, said)
    for name in files:
        same(f"single/{os.path.basename(name)[:-5]}", name[:-5], f"{name} on {ranks} ranks")
checks.refused("one prefix of two", ["a.yaml and row/b.yaml would write the same files"], "run", "row/a.yaml", "row/b.yaml",
               "--set=output.prefix=out/z")
checks.refused("replicas of several files", "2 are given", "run", "row/a.yaml", "row/b.yaml", "--replicas=2", ranks=2)
write("row/b.yaml", RUN.replace(start, "nowhere.h5"))
said = run("run", "row/a.yaml", "row/b.yaml", "--set=run.steps=50", ranks=2, status=4).stderr
checks.true("an error names its file", "row/b.yaml: lamella: " in said and "nowhere.h5" in said, said)

# A state of no run under the name of the checkpoint is the input of a new run: its own seed, and nothing of an earlier version.
built = trial.build(holder.name, "membrane4_start", trial.MEMBRANE % 4)  # of which the start is made
for state in "hot", "cold":
    shutil.copy(built, f"{state}.checkpoint.h5")
    for steps in 20, 40:
        said = run("run", "x.yaml", f"--set=input={state}.checkpoint.h5", f"--set=output.prefix={state}", f"--set=run.steps={steps}",
                   f"--set=thermostat.temperature={len(state) * 77}").stderr
        checks.true(f"{state} state, {steps} steps: no warning", "earlier version" not in said and "warning" not in said, said)
    with h5py.File(trial.checkpoint(".", state)) as file:
        seeds[state] = int(file["system/seed"][0])
checks.true("states of no run: seeds", seeds["hot"] not in (0, seeds["cold"]), seeds)

# One replica is the first of its folder, too.
os.mkdir("one")
for n, steps in (1, 20), (2, 40), (1, 60):
    replicas(n, f"--set=run.steps={steps}", "--set=output.prefix=one/x", ranks=n)
run("run", "x.yaml", "--set=run.replica=1", "--set=output.prefix=one/single", "--set=run.steps=60")
same("one/single", "one/replica-1/x", "one replica, then two, then one")

# A replica that is stopped ends the job after parallel.timeout, once the others are done.
os.mkdir("stop")
write("stop/rank.sh", f'echo $$ >stop/pid.{RANK}\nexec "$@"\n')
job = subprocess.Popen([*MPIEXEC, "-n", "2", "bash", "stop/rank.sh", LAMELLA, "run", "x.yaml", "--replicas=2",
                        "--set=output.prefix=stop/x", "--set=run.steps=200", "--set=parallel.timeout=2"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
until = time.monotonic() + 60
while time.monotonic() < until and not os.path.exists("stop/replica-2/x.checkpoint.h5"):
    time.sleep(0.05)
stopped = int(read("stop/pid.1"))
os.kill(stopped, signal.SIGSTOP)
try:
    said = job.communicate(timeout=60)[1]
except subprocess.TimeoutExpired:
    said = "hangs"
    job.kill()
with contextlib.suppress(ProcessLookupError):
    os.kill(stopped, signal.SIGKILL)
checks.true("a stopped replica ends the job", job.returncode == 5 and "is stopped, or its host is lost" in said, job.returncode, said)

# The folder of the prefix; errors.
os.mkdir("out")
replicas(2, "--set=output.prefix=out/y", "--set=run.steps=20", ranks=2)
checks.true("replicas are beside the prefix", os.path.exists("out/replica-2/y.checkpoint.h5"), os.listdir("out"))
said = replicas(2, "--set=run.replica=3", ranks=2, status=2)
checks.true("two numbers of replicas: refused", "leave one of them out" in said, said)
for n, ranks in (2, 3), (4, 2), (0, 2), ("two", 2):
    said = replicas(n, ranks=ranks, status=2)
    checks.true(f"{n} replicas on {ranks} ranks: refused", f"--replicas={n}: give a number" in said, said)
write("out/replica-3", "not a folder\n")
said = replicas(3, "--set=output.prefix=out/y", ranks=3, status=None)
checks.true("an error names its replica", "replica 3: lamella: " in said, said)
checks.end()
