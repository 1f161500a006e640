"""Full disks at every kind of write, and files that may not grow (ulimit -f): status 4 with the file
named, no finished frame, line or checkpoint lost, nothing left over, and the run goes on to the same
end when there is room again."""
import json
import os
import shutil
import subprocess
import sys

import attack
from attack import h5py
from run_lamella import ELBA_DATA

a = attack.Attack("test_attack_full", 20265)
STEPS = 30


class Disk:
    """A small disk of its own, mounted in the attack's folder."""

    def __init__(self, name, kilobytes):
        self.path = a.fresh(name)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", self.path],
                       check=True)

    def fill(self, room):
        """Leaves so many bytes."""
        self.free()
        disk = os.statvfs(self.path)
        size = disk.f_bavail * disk.f_frsize - room
        if size > 0:
            with open(os.path.join(self.path, "filler"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)

    def free(self):
        if os.path.exists(os.path.join(self.path, "filler")):
            os.remove(os.path.join(self.path, "filler"))

    def gone(self):
        subprocess.run(["umount", self.path], check=True)
        os.rmdir(self.path)


def can_mount():
    """Root may mount; others in a name space of their own, in which the script starts once more."""
    path = a.fresh("probe")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path]
    if subprocess.run(mount, capture_output=True).returncode == 0:
        subprocess.run(["umount", path], check=True)
        return True
    if os.environ.get("LAMELLA_ATTACK_UNSHARED") or subprocess.run(
            ["unshare", "-rm", "true"], capture_output=True).returncode:
        return False
    os.environ["LAMELLA_ATTACK_UNSHARED"] = "1"
    shutil.rmtree(a.folder)
    os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])


def run_file(folder, **intervals):
    every = {"frames": 3, "energies": 1, "checkpoints": 4, **intervals}
    a.write(os.path.join(folder, "run.yaml"),
            attack.RUN.format(input=start, steps=STEPS, prefix="x", **every))


def finished(folder):
    """(steps of checkpoints, of frames, of lines) that are there and whole."""
    states = set()
    for name in ("x.checkpoint.h5", "x.checkpoint.h5.prev"):
        if os.path.exists(os.path.join(folder, name)):
            with h5py.File(os.path.join(folder, name), "r") as file:
                states.add(int(file["system/step"][0]))
    table = os.path.join(folder, "x.csv")
    lines = attack.read(table, "r").split("\n")[:-1] if os.path.exists(table) else []
    return states, {int(line.split(",")[0]) for line in lines[1:]}


def judge_failure(what, folder, done):
    """The disk was full: what there is is whole."""
    a.judge(f"{what}: status 4", done.status == 4, done)
    named = "x." in done.err or "files may have only" in done.err  # a limit of all files
    a.judge(f"{what}: names a file", named, done)
    left = [name for name in os.listdir(folder) if name.endswith((".tmp", ".lock"))]
    a.judge(f"{what}: nothing is left over", not left, left, done)
    for name in os.listdir(folder):
        if ".checkpoint.h5" in name:
            info = attack.lamella(folder, "info", name)
            a.judge(f"{what}: {name} is whole", info.status == 0, info)
    return finished(folder)


def judge_continuation(what, folder, before, ranks=1):
    """There is room again."""
    states, lines = before
    done = attack.lamella(folder, "run", "run.yaml", ranks=ranks)
    if not a.judge(f"{what}: goes on", done.status == 0, done):
        return
    if states:
        a.judge(f"{what}: from the checkpoint", f"step {max(states)}," in done.err and
                "starting from" not in done.err, states, done)
    attack.same_run(a, what, folder, reference, "x")
    after = finished(folder)[1]
    a.judge(f"{what}: no line is lost", lines <= after, lines - after)
    damaged = [name for name in os.listdir(folder) if "damaged" in name]
    a.judge(f"{what}: the trajectory is not damaged", not damaged, damaged)


def whole_runs():
    """Disks with a random amount of room: any write may be the one that fails."""
    total = sum(os.path.getsize(os.path.join(reference, name)) for name in os.listdir(reference))
    disk = Disk("disk", 4096)
    for k in range(attack.count(6, 60)):
        shutil.rmtree(disk.path + "/work", ignore_errors=True)
        run_file(os.path.join(disk.path, "work"))
        room, ranks = a.random.randrange(0, int(1.1 * total)), a.random.randint(1, 2)
        what = f"disk with {room} bytes, {ranks} ranks"
        disk.fill(room)
        folder = os.path.join(disk.path, "work")
        done = attack.lamella(folder, "run", "run.yaml", ranks=ranks)
        a.count("disks of random size" + (" with room enough" if done.status == 0 else ", full"))
        if done.status != 0:
            before = judge_failure(what, folder, done)
            disk.free()
            judge_continuation(what, folder, before, ranks)
    disk.gone()


def later_checkpoint():
    """Room for everything of the first steps, and then not for one more checkpoint."""
    disk = Disk("later", 2048)
    folder = os.path.join(disk.path, "work")
    run_file(folder)
    first = attack.lamella(folder, "run", "run.yaml", "-s", "run.steps=8")
    a.judge("the first part ends", first.status == 0, first)
    before = finished(folder)
    disk.fill(24 << 10)
    done = attack.lamella(folder, "run", "run.yaml")
    judge_failure("a later checkpoint", folder, done)
    a.judge("both checkpoints stay", finished(folder)[0] == before[0], before, finished(folder))
    disk.free()
    judge_continuation("a later checkpoint", folder, before)
    a.count("one kind of file on a full disk")
    disk.gone()


def complete(folder, name):
    """A run that ended with status 0 has written all of this file."""
    path = os.path.join(folder, name)
    if name.endswith(".json"):
        with open(path) as file:
            return json.load(file)["steps"] == STEPS - 16
    if name.endswith(".h5md"):
        return not attack.apart(path, os.path.join(reference, name))
    return attack.read(path) == attack.read(os.path.join(reference, name))


def one_kind():
    """One file of a run that goes on lies on a full disk, by a symbolic link; others have room."""
    disk = Disk("kinds", 4096)
    begun = a.fresh("begun")
    run_file("begun")
    first = attack.lamella(begun, "run", "run.yaml", "-s", "run.steps=16")
    a.judge("the first part ends", first.status == 0, first)
    for name in ("x.csv", "x.h5md", "x.psf", "x.xmf", "x.performance.json", "x.log"):
        folder, target = a.fresh("kind", begun), os.path.join(disk.path, name)
        link = os.path.join(folder, name)
        if not a.judge(f"{name} is there", os.path.exists(link)):
            continue
        shutil.move(link, target)
        os.symlink(target, link)
        before = finished(folder)
        disk.fill(0)
        done = attack.lamella(folder, "run", "run.yaml")
        if name == "x.log":  # its messages are on standard error too: a warning
            a.judge(f"{name} on a full disk: status 0", done.status == 0, done)
            a.judge(f"{name} on a full disk: is named", name in done.err, done)
        elif done.status != 0 or not complete(folder, name):
            a.judge(f"{name} on a full disk: status 4 or 2", done.status in (2, 4), done)
            a.judge(f"{name} on a full disk: is named", name in done.err, done)
        a.judge(f"{name} on a full disk: no checkpoint is lost",
                max(finished(folder)[0]) >= max(before[0]), before, finished(folder))
        disk.free()
        done = attack.lamella(folder, "run", "run.yaml")
        a.judge(f"{name}: goes on when there is room", done.status == 0, done)
        attack.same_run(a, f"{name} on a disk that was full", folder, reference, "x")
        a.judge(f"{name}: the link stays", os.path.islink(link))
        os.remove(target)
        a.count("one kind of file on a full disk")
    disk.gone()


def other_commands():
    disk = Disk("commands", 256)
    result = os.path.join(disk.path, "result")
    data = a.write("three.data", LAMMPS)
    commands = {"build": ["build", a.path("start.yaml"), "-o", result],
                "import": ["import", data, *ELBA_DATA[:3], "-o", result],
                "energy": ["energy", start, "--forces=" + result]}
    for name, words in commands.items():
        for room in (0, 4096, 8192):
            for old in (b"", b"what was here before"):
                if old:
                    disk.free()
                    attack.overwrite(result, old)
                disk.fill(room)
                done = attack.lamella(a.folder, *words)
                what = f"{name} with {room} bytes, {len(old)} there"
                a.judge(f"{what}: status 4", done.status == 4, done)
                a.judge(f"{what}: names the place", disk.path in done.err, done)
                there = {*os.listdir(disk.path)} - {"filler"}
                if name != "energy":
                    a.judge(f"{what}: nothing is left over",
                            there == ({"result"} if old else set()), there)
                    a.judge(f"{what}: what was there stays",
                            not old or attack.read(result) == old)
                for rest in there:
                    os.remove(os.path.join(disk.path, rest))
                a.count("results on a full disk")
    disk.gone()


def standard_output():
    for words in (["info", start], ["energy", start], ["energy", start, "--format=json"],
                  ["forcefield", "elba"], ["forcefield"], ["--version"], ["--help"],
                  ["run", "--help"]):
        with open("/dev/full", "wb") as full:
            done = attack.lamella(a.folder, *words, stdout=full)
        a.judge("standard output full, " + " ".join(words[:1]) + ": status 4", done.status == 4, done)
        a.count("full standard outputs")


def file_sizes():
    """ulimit -f for the program alone: MPI's own files have to grow."""
    largest = max(os.path.getsize(os.path.join(reference, name)) for name in os.listdir(reference))
    alone = {"PMIX_MCA_gds": "hash", "OMPI_MCA_btl": "self,tcp"}
    for k in range(attack.count(5, 40)):
        room = a.random.randrange(512, largest) if k else 4096
        folder = a.fresh("sizes")
        run_file(folder)
        done = attack.lamella(folder, "run", "run.yaml", ranks=a.random.randint(1, 2), env=alone,
                              launched=True, prefix=("prlimit", f"--fsize={room}"))
        what = f"files of at most {room} bytes"
        before = judge_failure(what, folder, done)
        judge_continuation(what, folder, before)
        a.count("limits on sizes of files")


LAMMPS = """three waters

3 atoms
6 atom types

0 60 xlo xhi
0 60 ylo yhi
0 60 zlo zhi

Atoms

1 6 1.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
2 6 5.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
3 6 9.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
"""

disks = can_mount()
start = attack.build(a, "start", attack.MOLTEN)
reference = a.fresh("reference")
run_file("reference")
one = attack.lamella(reference, "run", "run.yaml")
a.judge("the run with room ends", one.status == 0, one)
for part in (whole_runs, later_checkpoint, one_kind, other_commands):
    if disks and os.environ.get("LAMELLA_PART", part.__name__) == part.__name__:
        part()
if not disks:
    a.count("no mounts here: disks that are full are left out")
for part in (standard_output, file_sizes):
    if os.environ.get("LAMELLA_PART", part.__name__) == part.__name__:
        part()
a.end()
