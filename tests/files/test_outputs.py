"""Outputs that would replace an input or each other: every command refuses them before anything is written, by whatever name
they go. And starts without a launcher, which use no folder that they share with others."""
import os
import subprocess
import tempfile
import time

import trial
from run_lamella import LAMELLA, Checks, read, run, write

TOP = """[ defaults ]
1 2
[ atomtypes ]
A 40 0 A 0.5 2.0
#include "pair.itp"
[ system ]
pairs
[ molecules ]
PAIR 2
"""
ITP = """[ moleculetype ]
PAIR 1
[ atoms ]
1 A 1 PAIR A1 1 0 40
2 A 1 PAIR A2 2 0 40
[ bonds ]
1 2 1 0.5 1000
"""
GRO = "pairs\n    4\n" + "".join(
    "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (1 + k // 2, "PAIR", f"A{1 + k % 2}", k + 1, 1 + k // 2, 1, 1 + 0.5 * (k % 2))
    for k in range(4)) + "   4.00000   4.00000   4.00000\n"
MDP = "integrator = md\ndt = 0.02\nnsteps = 10\nrvdw = 1.1\nrcoulomb = 1.1\ncoulombtype = reaction-field\nepsilon_r = 15\n"
GIVEN = {"t.top": TOP, "pair.itp": ITP, "c.gro": GRO, "ref.gro": GRO, "o.mdp": MDP, "i.ndx": "[ all ]\n1 2 3 4\n",
         "cut.gro": GRO[:-60], "kept.yaml": "mine\n"}
IMPORT = ("import", "t.top", "c.gro", "--mdp=o.mdp", "--ndx=i.ndx", "--reference=ref.gro")

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_outputs.")
os.chdir(holder.name)
os.environ.pop("GMXLIB", None)


def content():
    found = {}
    for name in os.listdir("."):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                found[name] = file.read()
    return found


def refused(*words, ranks=1, says=("choose another", "another name"), status=2):
    before = content()
    done = run(*words, status=None, ranks=ranks)
    what = " ".join(map(str, words))
    checks.true(what + ": status", done.returncode == status, done.returncode, done.stderr)
    checks.true(what + ": says why", any(said in done.stderr for said in says), done.stderr)
    checks.true(what + ": no file changed", content() == before, set(before) ^ set(content()))


for name, text in GIVEN.items():
    write(name, text)
run(*IMPORT, "-o", "x.h5", "--run=r.yaml")
run("import", "t.top", "c.gro", "-o", "other.h5")

# Every file that an import reads, beside each of its outputs
for name in "t.top", "pair.itp", "c.gro", "o.mdp", "i.ndx", "ref.gro":
    refused(*IMPORT, "-o", "new.h5", "--run=" + name)
    refused(*IMPORT, "-o", "new.h5", "--forcefield=" + name)
    refused(*IMPORT, "-o", name)
refused(*IMPORT, "-o", "new.h5", "--forcefield=o.mdp", ranks=2)
refused("import", "t.top", "--forcefield=pair.itp")

# Outputs of one command
refused(*IMPORT, "-o", "new.h5", "--forcefield=new.yaml", "--run=./new.yaml")
refused(*IMPORT, "-o", "new.h5", "--run=new.h5.tmp")
refused(*IMPORT, "-o", "x.h5", "--run=x.h5.prev")
refused("export", "x.h5", "--gro=a.txt", "--top=a.txt")

# Other names of a file: links of both kinds, ways round, and what writing a file touches beside it
os.link("o.mdp", "hard.mdp")
os.symlink("x.h5", "soft.h5")
os.mkdir("folder")
refused(*IMPORT, "-o", "new.h5", "--run=hard.mdp")
refused("energy", "x.h5", "--forces=soft.h5")
refused("energy", "soft.h5", "--forces=folder/../x.h5")
os.rename("other.h5", "y.h5.prev")
refused("convert", "y.h5.prev", "-o", "y.gro.prev", status=2, says=("suffix",))
refused("ions", "y.h5.prev", "--add=PAIR:1", "-o", "y.h5")
os.rename("y.h5.prev", "other.h5")

# The other commands
refused("energy", "x.h5", "--forces=x.h5")
refused("convert", "x.h5", "-o", "x.h5", says=("choose another", "suffix"))
refused("convert", "c.gro", "--state=x.h5", "-o", "x.h5")
refused("convert", "c.gro", "--state=x.h5", "-o", "c.gro", says=("choose another", "suffix"))
refused("export", "x.h5", "--gro=x.h5")
refused("export", "x.h5", "--top=x.h5")
refused("ions", "x.h5", "--add=PAIR:1", "-o", "x.h5")
refused("map", "x.h5", "-o", "x.h5")
write("copies.yaml", "state: x.h5\nreplicate: [2, 1, 1]\nminimise: no\n")
refused("build", "copies.yaml", "-o", "copies.yaml")
refused("build", "copies.yaml", "-o", "x.h5")
write("lattice.yaml", "forcefield: ./ff.yaml\nwater: {count: 100}\nminimise: no\n")
with open(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], "elba.yaml")) as source, open("ff.yaml", "w") as file:
    file.write(source.read())
refused("build", "lattice.yaml", "-o", "ff.yaml")
trial.build(".", "start", "forcefield: elba\nseed: 3\ntemperature: 298\nwater: {count: 2700}\nminimise: no\n")
for name in "w.log", "w.csv", "w.checkpoint.h5", "w.lock":
    write(name, "input: start.h5\nrun: {steps: 2}\noutput: {prefix: w}\n")
    refused("run", name)
    os.remove(name)
os.rename("ff.yaml", "w.performance.json")
write("w.yaml", "input: start.h5\nforcefield: ./w.performance.json\nrun: {steps: 2}\noutput: {prefix: w}\n")
refused("run", "w.yaml")

# Wrong input that is found last leaves all outputs as they were.
refused("import", "t.top", "c.gro", "--mdp=o.mdp", "-o", "x.h5", "--forcefield=kept.yaml", "--run=r.yaml",
        "--reference=cut.gro", says=("cut.gro",))
refused("import", "t.top", "c.gro", "--mdp=o.mdp", "-o", "new.h5", "--forcefield=kept.yaml", "--run=r.yaml",
        "--reference=none.gro", says=("none.gro",))

# What is no such output is written.
run(*IMPORT, "-o", "x.h5", "--run=r.yaml", "--forcefield=kept.yaml")
checks.true("the force field is written", "mine" not in open("kept.yaml").read())
run("energy", "x.h5", "--forces=x.forces")

# A start without a launcher makes no folder for temporary files, so that it works where none can be made.
alone = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_MCA_orte", "LD_BIND", "LD_PRELOAD"))}
done = subprocess.run([LAMELLA, "info", "x.h5"], env={**alone, "TMPDIR": "/proc/none"}, capture_output=True, text=True)
checks.true("no folder of Open MPI", done.returncode == 0, done.stderr)
checks.true("and no message of it", not done.stderr, done.stderr)
done = subprocess.run([LAMELLA, "convert", "c.gro", "--state=x.h5", "-o", "new.h5"], env={**alone, "TMPDIR": "/proc/none"},
                      capture_output=True, text=True)
checks.true("MPI-IO neither", done.returncode == 0 and "mca" not in done.stderr, done.stderr)
checks.true("nor files beside the output", not [name for name in os.listdir(".") if name.startswith("new.h5.")],
            os.listdir("."))

# Functions are bound before the threads of Open MPI start.
if "MPI Open MPI" not in run("--version").stdout:
    checks.end()
job = subprocess.Popen([LAMELLA, "run", "w.yaml", "-s", "forcefield=", "-s", "output.prefix=b", "-s", "run.steps=1000000"], env=alone, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
bound, until = False, time.monotonic() + 60
while not bound and job.poll() is None and time.monotonic() < until:
    time.sleep(0.01)
    try:
        with open(f"/proc/{job.pid}/environ", "rb") as file:
            bound = b"LD_BIND_NOW=1" in file.read()
        name = read(f"/proc/{job.pid}/comm").strip()
    except OSError:
        break
checks.true("functions are bound at the start", bound)
checks.true("under the name of the program", bound and name == os.path.basename(os.path.realpath(LAMELLA))[:15], bound and name)
job.kill()
job.wait()
checks.end()
