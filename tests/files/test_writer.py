"""Files written by a thread beside the steps: the same datasets as without, and the same ends: a
full disk, a stop, a blow-up in the middle of a write."""
import json
import os
import resource
import signal
import subprocess
import tempfile
import time

import h5py

import trial
from run_lamella import LAMELLA, MPIEXEC, STOPPED, Checks, run, skip, write

WATER = "forcefield: %s\nseed: 3\ntemperature: 298\nwater: {count: 2700}\nminimise: no\n"
checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_writer.")
folder = holder.name
# Water with three moments of inertia: a trajectory of all elements.
field = trial.field(folder, "bodies", "elba.yaml", (r"inertia: \[1, 1, 0\]", "inertia: [1, 2, 1.5]"))
start = trial.build(folder, "water", WATER % field)
settings = {"input": start, "run.dt": 0.005, "run.steps": 24, "neighbor.skin": 0.15, "output.energies_every": 0,
            "output.frames_every": 1, "output.velocities": 1, "output.checkpoint_every": 4}


def command(prefix, ranks=1, **changes):
    write(os.path.join(folder, prefix + ".yaml"), "output: {prefix: %s, writer: thread}\n" % prefix)
    sets = {**settings, **{key.replace("__", "."): value for key, value in changes.items()}}
    words = [LAMELLA, "run", prefix + ".yaml", *(f"--set={k}={v}" for k, v in sets.items())]
    return words if ranks == 1 else [*MPIEXEC, "-n", str(ranks), *words]


def path(name):
    return os.path.join(folder, name)


def steps_of(name):
    with h5py.File(path(name), "r") as file:
        return list(file["particles/trajectory/position/step"])


def same(what, first, second, ends):
    for end in ends:
        wrong = trial.differences(path(first + end), path(second + end))
        checks.true(f"{what}: the same {end}", not wrong, wrong)


def the_same_files():
    everything = (".h5md", ".checkpoint.h5", ".checkpoint.h5.prev")
    trial.simulate(folder, "none", {**settings, "output.writer": "none"})
    for ranks in (1, 2, 3):
        name = f"thread{ranks}"
        trial.simulate(folder, name, {**settings, "output.writer": "thread", "run.verify": 5},
                       ranks=ranks)
        same(f"on {ranks} ranks", "none", name, everything)
        with h5py.File(path(name + ".h5md"), "r") as file:
            turned = file["particles/trajectory/quaternion/value"][-1]
            checks.true("quaternions", abs((turned**2).sum(axis=1) - 1).max() < 1e-6)
        with open(path(name + ".performance.json")) as file:
            beside = json.load(file)["files_beside_s"]["min"]
        checks.true(f"on {ranks} ranks: written beside the steps", beside > 0, beside)


def ends_with(status, says, words, limit=120, **how):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=limit,
                          stdin=subprocess.DEVNULL, **how)
    what = " ".join(words[:4])
    checks.true(what + f": status {status}", done.returncode == status, done.returncode, done.stderr)
    checks.true(what + f": says '{says}'", says in done.stderr, done.stderr)


def small_files():
    """Files may not grow over 8 MB, which nobody can know before."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20))


def no_more_room():
    ends_with(4, "cannot write 'limited.h5md'", command("limited", run__steps=100000),
              preexec_fn=small_files)
    disk = ["unshare", "-rm", "sh", "-c", "mkdir -p disk && mount -t tmpfs -o size=8m tmpfs disk && "
            "cd disk && cp ../*.yaml . && \"$@\"; status=$?; cp full* ..; exit $status", "sh"]
    if subprocess.run(disk + ["touch", "full"], cwd=folder, capture_output=True).returncode:
        print("no unshare: disks that are full are left out")
        return
    for ranks in (1, 3):
        ends_with(4, "no room for a frame", disk + command("full", ranks, run__steps=100000,
                                                           output__checkpoint_every=0))
        found = steps_of("full.h5md")
        checks.true("frames before are whole", len(found) > 3 and found == list(range(len(found))),
                    found)
        run("info", "full.checkpoint.h5", cwd=folder)
        checks.true("no lock stays", not os.path.exists(path("full.lock")))


def stopped(ranks, number):
    name = f"stopped{ranks}"
    job = subprocess.Popen(command(name, ranks, run__steps=100000, output__checkpoint_every=1),
                           cwd=folder, stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.1)
        if os.path.exists(path(name + ".checkpoint.h5.prev")):
            break
    job.send_signal(number)
    checks.true(f"{name} ends with status 99", job.wait(timeout=120) in STOPPED, job.returncode)
    run("info", name + ".checkpoint.h5", cwd=folder)
    with h5py.File(path(name + ".checkpoint.h5"), "r") as file:
        last = int(file["system/step"][0])
    found = steps_of(name + ".h5md")
    checks.true(f"{name}: every frame is there", found == list(range(last + 1)), found, last)
    subprocess.run(command(name, ranks, run__steps=last + 6), cwd=folder, check=True,
                   stderr=subprocess.DEVNULL)
    found = steps_of(name + ".h5md")
    checks.true(f"{name}: and goes on", found == list(range(last + 7)), found, last)


def blown_up():
    """The frame under way is finished before the program dies of the step after."""
    for ranks in (1, 3):
        name = f"blown{ranks}"
        hot = {**settings, "run.dt": 0.03, "output.checkpoint_every": 0, "run.steps": 1000}
        for writer in ("none", "thread"):
            words = trial.simulate(folder, name + writer, {**hot, "output.writer": writer},
                                   ranks=ranks, status=3)
            checks.true(f"{name}: says so", "blown up" in words, words)
        same(name, name + "none", name + "thread", [".h5md"])
        checks.true(name + ": after some frames", len(steps_of(name + "thread.h5md")) > 1)


said = trial.simulate(folder, "try", {**settings, "run.steps": 1, "output.writer": "thread"},
                      status=None)
if "MPI_THREAD_MULTIPLE" in said:
    skip("this MPI library allows no calls from several threads")
the_same_files()
no_more_room()
stopped(1, signal.SIGTERM)
stopped(2, signal.SIGUSR1)
blown_up()
checks.end()
