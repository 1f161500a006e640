#!/usr/bin/env python3
"""Hostile surroundings: standard streams that are closed, full or broken, limits of the system, files
that are pipes or devices, inputs that cost much to read, states that contradict themselves. A clear
message, status 2 or 4, no hang, and no result that is lost with status 0."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from run_lamella import LAMELLA, Checks, read, run, write

checks = Checks()
os.chdir(tempfile.mkdtemp(prefix="test_hostile_input."))


def shell(command, status, says=""):
    """A command line of a shell, with L for the program."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "L": LAMELLA}, stdin=subprocess.DEVNULL)
    checks.true(command, done.returncode == status and says in done.stderr, done.returncode, "not",
                status, done.stderr[-300:])


def limited(says, *arguments, status=2):
    """Ends soon, with little memory."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    try:
        done = subprocess.run([LAMELLA, *arguments], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        checks.true(" ".join(arguments), False, "no end")
        return
    checks.true(" ".join(arguments), done.returncode == status and says in done.stderr,
                done.returncode, done.stderr[-300:])


def streams():
    for command in ("info s.h5", "energy s.h5", "forcefield elba", "--help", "--version",
                    "run --help"):
        shell(f"$L {command} > /dev/full", 4, "standard output could not be written: No space")
        shell(f"$L {command} >&-", 4, "standard output could not be written")
        shell(f"$L {command} 2>&- >/dev/null", 0)
    shell("$L build water.yaml -o t.h5 > /dev/full", 4, "standard output")
    shell("(sleep 1; exec true) | true; ($L --help; echo $? >status) | true; exit $(cat status)", 4)
    # No file may get the descriptor of a closed stream.
    shell("$L run run.yaml <&- >&- 2>&-", 0)
    lines = read("o.csv").splitlines()
    checks.true("nothing but energies in the CSV file",
                len(lines) >= 3 and all(line.count(",") == lines[0].count(",") for line in lines), lines)
    shell("$L info o.checkpoint.h5 >/dev/null", 0)


def limits_of_the_system():
    shell("ulimit -f 100; $L run run.yaml", 4, "ulimit -f")
    shell("ulimit -n 30; $L run run.yaml", 2, "ulimit -n")
    shell("ulimit -Sn 40; $L info s.h5", 0)
    before = sorted(os.listdir("."))
    shell("ulimit -f 5000; $L build large.yaml -o large.h5 2>&1 | cat >/dev/null; "
          "exit ${PIPESTATUS[0]}", 4)
    checks.true("no file of a failed build", sorted(os.listdir(".")) == before, os.listdir("."))


def odd_files():
    os.mkfifo("pipe")
    os.mkdir("folder")
    for name, says in (("pipe", "pipe"), ("folder", "directory"), ("/dev/zero", "device")):
        limited(says, "run", name)
        limited(says, "build", name, "-o", "t.h5")
        limited(says, "import", name, "--format=lammps-data", "--forcefield=elba", "-o", "t.h5")
        limited("not a file", "energy", name, status=4)
        limited("not a file", "info", name, status=4)
    limited("pipe", "forcefield", "./pipe")
    limited("is a FIFO", "energy", "s.h5", "--forces=pipe")


def texts():
    cases = {
        "anchors": ("".join(f"k{i}: &a{i} 1\n" for i in range(200000)), "anchors and aliases"),
        "laughs": ("a: &a [x, x]\nb: &b [*a, *a]\n", "anchors and aliases"),
        "deep": ("- " * 1000000, "nested too deeply"),
        "brackets": ("[" * 1000000, "nested too deeply"),
        "tags": ("".join(f"%TAG !a{i}! tag:{i}:\n" for i in range(150000)) + "---\na: 1\n",
                 "directives"),
        "many": ("x: [" + "a," * 2050000 + "]", "more values"),
        "long": ("x" * (5 << 20), "larger than"),
        "escape": ('"\\e[31m": 1\n', "unknown key '\\x1b[31m'"),
        "zero": ("run: {steps: 010}\n", "begins with a 0"),
        "hex": ("run: {steps: 0x10}\n", "not a whole number"),
        "nan": ("run: {dt: .nan}\n", "not a number"),
        "infinite": ("run: {dt: 1e999}\n", "not a number"),
    }
    for name, (text, says) in cases.items():
        write(name + ".yaml", text)
        limited(says, "run", name + ".yaml")
    with open("sparse", "wb") as out:
        out.truncate(1 << 33)
    limited("NUL", "import", "sparse", "--format=lammps-data", "--forcefield=elba", "-o", "t.h5")
    limited("larger than", "run", "sparse")
    write("huge.yaml", "forcefield: elba\nwater: {count: 2000000000}\n")
    limited("GB of memory are needed", "build", "huge.yaml", "-o", "t.h5")
    good = read(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], "lj.yaml"))
    for old, new, says in (("mass: 1", "mass: 1e-30", "is less than 1e-6"),
                           ("sigma: 1", "sigma: 1e300", "is more than 100"),
                           ("sigma: 1", "sigma: 3", "more than the cutoff"),
                           ("epsilon: 1", "epsilon: -1", "is less than 0"),
                           ("cutoff: 2.5", "cutoff: 0", "is less than 0.001"),
                           ("cutoff: 2.5", "cutoff: 1e9", "is more than 1000")):
        write("ff.yaml", good.replace(old, new))
        limited(says, "forcefield", "./ff.yaml")


def changed(says, change):
    shutil.copy("lipids.h5", "x.h5")
    with h5py.File("x.h5", "r+") as file:
        change(file)
    limited(says, "energy", "x.h5", status=4)


def put(name, at, value):
    def change(file):
        file[name][at] = value
    return change


def replaced(name, **keywords):
    def change(file):
        del file[name]
        file.create_dataset(name, **keywords)
    return change


def twice(file):
    """The first bond of the second slot stands in the place of the second."""
    for member in ("kind", "type", "role", "partner"):
        file["topology/term_" + member][3] = file["topology/term_" + member][2]


def states():
    with h5py.File("lipids.h5", "r") as file:
        n = len(file["beads/type"])
    one_sided = "not known to all of its beads"
    changed(one_sided, put("beads/slot", 3, -1))
    changed(one_sided, put("beads/slot", 3, 5))
    changed(one_sided, put("beads/molecule", 3, 2))
    changed(one_sided, put("topology/term_type", 0, 1))
    changed("bonds the same beads", twice)
    changed("not excluded", put("topology/exclude", 0, 7))
    changed("impossible momentum", put("beads/momentum", 3, [1e300, 0, 0]))
    changed("impossible momentum", put("beads/angular_momentum", 3, [1e200, 0, 0]))
    changed("box edge x is -3.8 nm", put("system/box", 0, -3.8))
    changed("box edge x is 1e+300 nm", put("system/box", 0, 1e300))
    changed("neighbour list", put("neighbor_list/step", 0, 1 << 40))
    changed("number of list builds is negative", put("counters/builds", 0, -1))
    changed("parts that are not in the file", replaced("beads/image", shape=(n, 3), dtype="i4"))
    changed("parts that are not in the file",
            replaced("system/seed", shape=(1,), maxshape=(None,), dtype="u8", chunks=(1 << 28,),
                     compression="gzip"))
    changed("a text of 4295 MB", replaced("forcefield/text", shape=(1,), dtype="S4294967280"))
    changed("a text of", replaced("forcefield/text", data=np.array([b"x" * (5 << 20)])))


def signals():
    """Before the first step the signals end the program at once; nothing is lost."""
    for number in (signal.SIGTERM, signal.SIGINT):
        job = subprocess.Popen([LAMELLA, "run", "run.yaml", "-s", "run.steps=100000000", "-s",
                                "output.prefix=p"], stderr=subprocess.PIPE, text=True)
        while not os.path.exists("p.csv"):
            time.sleep(0.02)
        job.send_signal(number)
        job.wait(timeout=60)
        checks.true(f"signal {number} in a run", job.returncode == 99, job.returncode)
        for name in [name for name in os.listdir(".") if name.startswith("p.")]:
            os.remove(name)
    large = subprocess.Popen([LAMELLA, "build", "large.yaml", "-o", "t.h5"],
                             stderr=subprocess.PIPE, text=True)
    time.sleep(0.6)
    large.send_signal(signal.SIGTERM)
    large.wait(timeout=60)
    checks.true("SIGTERM ends a build", large.returncode in (-signal.SIGTERM, 0), large.returncode)


write("water.yaml", "forcefield: elba\nwater: {count: 1200}\nminimise: no\n")
write("large.yaml", "forcefield: elba\nwater: {count: 50000}\nminimise: no\n")
write("lipids.yaml", "forcefield: elba\nbilayer: {upper: {DOPC: 12}, lower: {DOPC: 12}, "
                     "area_per_lipid: 1, water_per_lipid: 40}\nminimise: no\n")
write("run.yaml", "input: s.h5\nrun: {steps: 2, dt: 0.001}\n"
                  "output: {prefix: o, energies_every: 1, frames_every: 1}\n")
run("build", "water.yaml", "-o", "s.h5")
run("build", "lipids.yaml", "-o", "lipids.h5")
run("energy", "lipids.h5")
streams()
limits_of_the_system()
odd_files()
texts()
states()
signals()
checks.end()
