"""Output paths: what is no file is refused before any work, symbolic links are followed and stay,
long paths are refused with the limit, and of two builds on one output one wins."""
import os
import subprocess
import tempfile
from xml.etree import ElementTree

import trial
from run_lamella import LAMELLA, Checks, run, write

WATER = "forcefield: elba\nseed: 3\ntemperature: 298\nwater: {count: 2700}\nminimise: no\n"
checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_paths.")
os.chdir(holder.name)


def files(folder="."):
    return sorted(os.listdir(folder))


def refused(says, *words, ranks=1):
    before = files()
    done = run(*words, status=None, ranks=ranks)
    what = " ".join(map(str, words))[-60:]
    checks.true(what + ": status 2", done.returncode == 2, done.returncode, done.stderr)
    checks.true(what + ": says " + says, says in done.stderr, done.stderr)
    checks.true(what + ": nothing touched", files() == before, set(files()) ^ set(before))


def settings(prefix, steps):
    write("run.yaml", "input: start.h5\nrun: {dt: 0.005, steps: %d}\noutput:\n  prefix: %s\n"
                      "  frames_every: 2\n  energies_every: 2\n" % (steps, prefix))
    return "run.yaml"


start = trial.build(".", "start", WATER)
os.mkdir("results")
os.mkfifo("pipe")
os.symlink("circle2", "circle1")
os.symlink("circle1", "circle2")
os.symlink("results", "to_folder")
long = "n" * 228 + ".h5"
for output, says in (("results", "is a directory"), ("to_folder", "is a directory"),
                     ("pipe", "is a FIFO"), ("/dev/null", "is a device"), ("circle1", "circle"),
                     (long, "MPI-IO takes 230"), ("results/", "no name of a file")):
    refused(says, "build", "start.yaml", "-o", output)
    refused(says, "energy", "start.h5", "--forces=" + output)
refused("is a directory", "build", "start.yaml", "-o", "results", ranks=2)
run("build", "start.yaml", "-o", long[3:])  # the longest name there is

# ROMIO takes what is before a colon for the kind of the file system.
for ranks in 1, 2:
    run("run", settings("ufs:a b:%d" % ranks, 2), ranks=ranks)
    run("run", settings("ufs:a b:%d" % ranks, 4), ranks=ranks)
    checks.true("a colon in a path", {f"ufs:a b:{ranks}.checkpoint.h5", f"ufs:a b:{ranks}.h5md"} <= {*files()}, files())

for ending in (".h5md", ".checkpoint.h5", ".checkpoint.h5.prev", ".csv", ".psf", ".xmf",
               ".performance.json", ".log"):
    os.mkdir("x" + ending)
    refused("is a directory", "run", settings("x", 4))
    os.rmdir("x" + ending)
refused("MPI-IO takes 230", "run", settings("y" * 220, 4))

# Tables of observables, for which a run and analyze have the same rules
TABLE = "t.density.density.csv"
OBSERVED = ("run", settings("t", 4), "-s", "observe=[{density: {every: 2, bins: 4}}]")
os.mkdir(TABLE)
refused("is a directory", *OBSERVED)
os.rmdir(TABLE)
for name in TABLE, TABLE + ".tmp":
    os.mkfifo(name)
    refused("is a FIFO", *OBSERVED)
    os.unlink(name)
write("precious", "mine")
for name in TABLE, "t.observables.h5", "t.checkpoint.h5":
    os.symlink("precious", name + ".tmp")
    refused("is a symbolic link", *OBSERVED)
    os.unlink(name + ".tmp")
    os.link("precious", name + ".tmp")
    refused("hard links", *OBSERVED)
    os.unlink(name + ".tmp")
checks.true("what a temporary file leads to stays", open("precious").read() == "mine")
os.mkdir("tables")
for name in TABLE, "t.observables.h5":
    os.symlink("tables/" + name, name)
run(*OBSERVED)
checks.true("links of results stay", os.path.islink(TABLE) and os.path.islink("t.observables.h5"))
checks.true("their targets are written", files("tables") == [TABLE, "t.observables.h5"],
            files("tables"))
for name in TABLE, TABLE + ".tmp":
    os.mkfifo(name.replace("t.", "a.", 1))
    refused("is a FIFO", "analyze", "t.h5md", "-o", "a", "-s", "observe=[{density: {bins: 4}}]")
    os.unlink(name.replace("t.", "a.", 1))

os.mkdir("far")
os.symlink("far/real.h5", "link.h5")  # dangling
for turn in range(2):
    run("build", "start.yaml", "-o", "link.h5")
    checks.true("the link stays", os.path.islink("link.h5"))
    checks.true("its target is replaced", files("far") == ["real.h5", "real.h5.prev"][:turn + 1],
                files("far"))
for ending in ".h5md", ".checkpoint.h5", ".csv", ".psf", ".xmf":
    os.symlink("far/z" + ending, "z" + ending)
run("run", settings("z", 4))
run("run", settings("z", 8))
checks.true("all links stay", all(os.path.islink("z" + e) for e in (".h5md", ".checkpoint.h5", ".csv",
                                                                   ".psf", ".xmf")))
checks.true("the old checkpoint is beside the target", "z.checkpoint.h5.prev" in files("far")
            and "z.checkpoint.h5.prev" not in files(), files("far"))
run("info", "z.h5md")
os.unlink("far/z.checkpoint.h5")  # the one before is found, too
done = run("run", settings("z", 10), status=None)
checks.true("goes on from the older", done.returncode == 0 and ".prev" in done.stderr, done.stderr)

for prefix in "salt&water", "a<b", "x>y":
    run("run", settings(prefix, 4))
    found = {item.text.split(":")[0] for item in ElementTree.parse(prefix + ".xmf").iter("DataItem")
             if item.get("Format") == "HDF"}
    checks.true(f"the .xmf of {prefix}", found == {prefix + ".h5md"}, found)

first = [subprocess.Popen([LAMELLA, "build", "start.yaml", "-o", "one.h5"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
ends = [job.wait(timeout=120) for job in first]
checks.true("one build wins", 0 in ends and set(ends) <= {0, 4}, ends)
run("info", "one.h5")
left = [name for name in files() if name.endswith((".tmp", ".lock", ".new"))]
checks.true("nothing stays behind", not left, left)
open("one.h5.tmp", "w").close()  # of a build that was killed
open("one.h5.lock", "w").close()
run("build", "start.yaml", "-o", "one.h5")
left = [name for name in files() if name.startswith("one.h5.")]
checks.true("nor what was there before", set(left) <= {"one.h5.prev"}, left)
checks.end()
