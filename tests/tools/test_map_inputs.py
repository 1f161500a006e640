"""What lamella map and lamella ions must not do with their input and output: replace a state that they read,
leave a deviation of another map, compute with positions that were rounded or with half a record, replace charged
solvent."""
import os
import re
import shutil
import subprocess
import tempfile

import trial
from run_lamella import LAMELLA, Checks, run, skip

try:
    import h5py
except ImportError as missing:
    skip(missing)

BILAYER = """
forcefield: elba
seed: 5
bilayer: {upper: {DOPC: 16}, lower: {DOPC: 16}, area_per_lipid: 0.8, water_per_lipid: 20}
minimise: {max_steps: 20, force: 5000}
"""
WATER = "{forcefield: elba, seed: 5, water: {count: %d}, minimise: no}\n"
ATOM = "ATOM 1 X MOL 1 %g 0.0 0.0 %g 1.0\n"
checks = Checks()


def refused(what, words, *wanted):
    done = run(*words, status=None)
    checks.true(what + ": status", done.returncode == 2, done.returncode, done.stderr[-300:])
    checks.true(what + ": said", all(word in done.stderr for word in wanted), done.stderr[-300:])


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def outputs(folder, state):
    trial.simulate(folder, "run", {"input": state, "run.steps": 4, "run.dt": 0.002,
                                   "output.frames_every": 2, "output.checkpoint_every": 4})
    trajectory, checkpoint = (os.path.join(folder, "run" + end) for end in (".h5md", ".checkpoint.h5"))
    other = os.path.join(folder, "other.h5")
    os.link(state, other)
    before = [bytes_of(path) for path in (state, checkpoint)]
    for what, words in (("the input", [state, "-o", state]), ("a link to the input", [state, "-o", other]),
                        ("the checkpoint beside", [trajectory, "-o", checkpoint]),
                        ("the state of a trajectory", [trajectory, "--state=" + state, "-o", state])):
        refused(what, ["map", *words, "--spacing=0.4"], "would be replaced")
    with h5py.File(trajectory) as file:
        species = file["particles/trajectory/species"][:]
    damaged = os.path.join(folder, "damaged.h5md")
    shutil.copy(trajectory, damaged)
    with h5py.File(damaged, "r+") as file:
        del file["particles/trajectory/species"]
        file["particles/trajectory/species"] = species[:, None].repeat(100, axis=1)
    done = run("map", damaged, "-o", other + ".map.h5", "--state=" + checkpoint, status=None)
    checks.true("types with two dimensions", done.returncode == 4 and "species" in done.stderr, done.stderr)
    checks.true("states are as before", before == [bytes_of(path) for path in (state, checkpoint)])
    dx, second = (os.path.join(folder, name) for name in ("map.dx", "map.deviation.dx"))
    run("map", trajectory, "-o", dx, "--spacing=0.5")
    checks.true("a deviation", os.path.exists(second))
    run("map", state, "-o", dx, "--spacing=0.5")
    checks.true("no deviation of another map", os.path.exists(dx) and not os.path.exists(second))
    run("map", state, "-o", second, "--spacing=0.5")
    run("map", state, "-o", dx, "--spacing=0.5")
    checks.true("a map of its own that is named as a deviation", os.path.exists(second))
    beads = int(re.search(r"beads +(\d+)", run("info", state).stdout)[1])
    water = trial.build(folder, "water", WATER % beads)
    for words in ["map", trajectory, "-o", dx, "--spacing=0.5"], ["analyze", trajectory]:
        done = run(*words, "--state=" + water, status=None)
        checks.true("a state of another system: " + words[0], done.returncode == 4 and
                    "belongs to another system" in done.stderr, done.returncode, done.stderr[-300:])
    words = [LAMELLA, "map", state, "-o", os.path.join(folder, "same.h5"), "--spacing=0.05"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as one, \
            subprocess.Popen(words, stderr=subprocess.PIPE) as two:
        ends = sorted((one.wait(), two.wait()))
    checks.true("two at once", ends in ([0, 0], [0, 4]), ends)
    run("map", state, "-o", words[4], "--spacing=0.4")
    done = run("map", state, "-o", words[4], "--spacing=0.4", "--method=direct", "--cutoff=1")
    checks.true("an unused option", "not used" in done.stderr, done.stderr)
    done = run("info", words[4])
    checks.true("info", "electrostatic potential, whole" in done.stdout and "direct, periodic" in done.stdout,
                done.stdout)
    with open(words[4], "r+b") as file:
        file.seek(os.path.getsize(words[4]) * 2 // 3)
        file.write(b"XYZ")
    done = run("info", words[4], status=None)
    checks.true("info of a damaged map", done.returncode == 4 and "damaged" in done.stderr, done.stderr)
    refused("compensated full", ["map", state, "-o", words[4], "--method=full", "--sum=compensated"], "full")


def far(folder):
    def pqr(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def values(path, *words):
        out = os.path.join(folder, "far.dx")
        run("map", path, "-o", out, "--low=0,0,0", "--high=1,0,0", "--spacing=0.5", "--precision=double", *words)
        with open(out, encoding="ascii") as file:
            lines = [line for line in file if line.lstrip()[0] in "-0123456789"]
        return [float(word) for line in lines for word in line.split()]

    two = pqr("two.pqr", ATOM % (-3, 1) + ATOM % (13, -1))
    volt = 138.93545764 / 96.48533212
    want = [volt * (1 / (x + 0.3) - 1 / (1.3 - x)) for x in (0, 0.5, 1)]
    for cutoff in 100, 1000:
        got = values(two, f"--cutoff={cutoff}", "--boundary=open")
        checks.true(f"a cutoff of {cutoff} nm", max(abs(a - b) for a, b in zip(got, want)) < 1e-2, got, want)
    once, models = ATOM % (-3, 1), "MODEL 1\n" + ATOM % (-3, 1) + "ENDMDL\nMODEL 2\n" + ATOM % (-3, 1) + "ENDMDL\n"
    checks.true("the first of two models", values(pqr("once.pqr", once)) == values(pqr("models.pqr", models)))
    out = os.path.join(folder, "none.h5")
    refused("a far atom", ["map", pqr("far.pqr", once + ATOM % (1e6, 1)), "-o", out, "--spacing=1000"], "span")
    refused("a huge cutoff", ["map", two, "-o", out, "--cutoff=1e38"], "cutoff")
    refused("a tiny spacing", ["map", two, "-o", out, "--spacing=1e-40"], "spacing")
    refused("a point far outside", ["map", two, "-o", out, "--low=1e17,0,0", "--high=1e17,1,1"], "farther than")
    checks.true("no file", not os.path.exists(out))
    chain = "ATOM 1 N ALA A %d -10.0 2.0 3.0 0.5 1.5\n"
    mark = pqr("mark.pqr", "\ufeff" + ATOM % (-3, 1))
    checks.true("a byte order mark", values(mark) == values(pqr("once.pqr", once)))
    for cut in (chain % 2)[:-5] + "\n", "ATOM 1 N ALA 1 2 -10.0 2.0 3.0 0.5\n":
        refused("a record cut off", ["map", pqr("cut.pqr", chain % 1 + cut), "-o", out], "line 2", "field is missing")
    cut = "ATOM 1 N ALA 1 1 1.0 2.0 3.0 0.5\n"  # its chain is 1
    refused("a first record cut off", ["map", pqr("cut.pqr", cut + chain % 2), "-o", out], "line 1", "field is missing")
    checks.true("lower case", values(pqr("lower.pqr", (ATOM % (-3, 1)).lower())) == values(pqr("once.pqr", once)))
    odd = "ATOM 1 N ALA A-100 1.0 2 3 1 1\nATOM 1 N ALA **** 1.0 2 3 1 1\n"
    water = "HETATM 2 O HOH 12A 1.0 2.0 3.0 0.5 1.5\n"
    for text in chain % 1 + odd, chain % 1 + water, "ATOM 1 N ALA A1 1 2 3 1 1\n", chain % -1:
        run("map", pqr("odd.pqr", text), "-o", out, "--spacing=0.1")
    os.remove(out)
    pipe = os.path.join(folder, "pipe.pqr")
    os.mkfifo(pipe)
    done = run("map", pipe, "-o", out, status=None, timeout=60)
    checks.true("a pipe", done.returncode == 4 and "a pipe" in done.stderr, done.stderr)


def ions(folder, state):
    salt, out = os.path.join(folder, "salt.h5"), os.path.join(folder, "none.h5")
    run("ions", state, "-o", salt, "--add=NA:3", "--from=0.2")
    refused("charged solvent", ["ions", salt, "-o", out, "--replace=NA", "--add=CL:2"], "charge")
    refused("no sources", ["ions", state, "-o", out, "--sources=T", "--add=CL:2"], "no sources")
    checks.true("no state", not os.path.exists(out))
    refused("ions in place of their input", ["ions", state, "-o", state, "--add=NA:1"], "which is read")
    refused("a lattice too large for ions", ["ions", state, "-o", out, "--add=NA:1", "--spacing=0.001"], "GB of memory")
    for words, says in ((["--add=NA:1,"], "missing"), (["--add=NA:1", "--seed=1.5"], "whole number")):
        refused(words[-1], ["ions", state, "-o", out, *words], says)
    done = run("ions", state, "-o", out, "--concentration=0.0001:NA,CL")
    checks.true("no ions", "no ions" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory() as work:
    bilayer = trial.build(work, "bilayer", BILAYER)
    outputs(work, bilayer)
    far(work)
    ions(work, bilayer)
checks.end()
