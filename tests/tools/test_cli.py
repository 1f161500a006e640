#!/usr/bin/env python3
"""Wrong input, on 1 and 3 ranks: one message that names the place, the documented exit status, no
hang, and no file that was not there before."""
import os
import re
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

from run_lamella import ELBA_DATA, LAMELLA, MPIEXEC, Checks, run, write

LIMIT = 60  # seconds; nothing here does any work
checks = Checks()
os.chdir(tempfile.mkdtemp(prefix="test_cli."))


def files():
    return sorted(os.path.join(base, name) for base, _, names in os.walk(".") for name in names)


LOCK = ("./run.lock",)  # stays, and does no harm, where another rank than 0 ends the program


def refused(says, *arguments, status=2, ranks=(1, 3), leaves=()):
    """One message with all the words of says (a text or several)."""
    for n in ranks:
        before = files()
        what = f"{' '.join(arguments)} on {n} ranks"
        command = [LAMELLA, *arguments] if n == 1 else [*MPIEXEC, "-n", str(n), LAMELLA, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            checks.true(what, False, "no end after", LIMIT, "s")
            continue
        messages = [line for line in done.stderr.splitlines() if line.startswith("lamella: ")
                    and not line.startswith("lamella: warning")]
        checks.true(what + ": status", done.returncode == status, done.returncode, "not", status,
                    done.stderr)
        checks.true(what + ": one message", len(messages) == 1, done.stderr)
        for words in (says,) if isinstance(says, str) else says:
            checks.true(f"{what}: says '{words}'", words in done.stderr, done.stderr)
        new = [name for name in files() if name not in before and name not in leaves]
        checks.true(what + ": leaves nothing", not new, new)
        for name in leaves:
            if os.path.exists(name):
                os.remove(name)


def changed(name, change):
    shutil.copy("start.h5", name)
    with h5py.File(name, "r+") as file:
        change(file)
    return name


def onto_one_point(file):
    for field in ("position", "residual"):
        file["beads/" + field][100] = file["beads/" + field][200]


def not_a_number(file):
    file["beads/momentum"][17] = np.nan


def too_fast(file):
    file["beads/momentum"][17] = [4e3, 0, 0]


def options():
    """Every command parses by the same list: what is wrong is named, and the nearest option."""
    refused("no option --frob ", "run", "--frob", "run.yaml")
    refused(["no option --restat ", "did you mean '--restart'?"], "run", "--restat=never", "run.yaml",
            ranks=(1,))
    refused(["no option --forcefeild ", "did you mean '--forcefield'?"], "import", "x",
            "--forcefeild=elba", ranks=(1,))
    refused("no option -x", "info", "-x", "start.h5", ranks=(1,))
    refused("RUN.yaml is missing", "run")
    refused("STATE.h5 is missing", "energy")
    refused("what is 'b'?", "info", "a", "b", ranks=(1,))
    refused("--output=START.h5 is missing", "build", "water.yaml", ranks=(1,))
    refused("SPEC.yaml and --output=START.h5 are missing", "build", ranks=(1,))
    refused("STATE.h5 and --output=OUT.h5 are missing", "ions", ranks=(1,))
    refused("nofile: No such file", "import", "nofile", "-o", "x.h5", ranks=(1,))
    refused("it is a directory", "import", ".", "-o", "x.h5", ranks=(1,))
    refused("--verify lacks its value", "run", "run.yaml", "--verify", ranks=(1,))
    refused("--set lacks its value", "run", "run.yaml", "-s", ranks=(1,))
    refused("--dry-run takes no value", "run", "--dry-run=yes", "run.yaml", ranks=(1,))
    for command, words in OPTIONS.items():
        text = run(command, "--help").stdout
        checks.true(f"{command} -h is --help", run(command, "-h").stdout == text)
        for word in words.split():
            line = next((k for k in text.splitlines() if " --" + word in k.split("  ")[-1]
                         or f" --{word}" in k[:30]), "")
            checks.true(f"{command} --help explains --{word}", line, text)


OPTIONS = {"build": "output", "import": "format forcefield output", "info": "help",
           "forcefield": "help", "energy": "precision backend forces format",
           "run": "set restart verify max-hours dry-run"}


def command_line():
    usage = subprocess.run([LAMELLA], capture_output=True, text=True)
    checks.true("no command: usage, status 2", usage.returncode == 2 and "Usage" in usage.stdout)
    for command in ([], ["build"], ["import"], ["run"], ["energy"], ["info"], ["forcefield"]):
        done = run(*command, "--help", ranks=1)
        checks.true(f"{command} --help", "sage: lamella" in done.stdout)
    refused("no command frobnicate", "frobnicate")
    refused("no command bild (lamella --help lists them); did you mean 'build'?", "bild", ranks=(1,))
    options()
    refused("text|json", "energy", "start.h5", "--format=xml", ranks=(1,))
    refused("mixed|double", "energy", "start.h5", "--precision=half", ranks=(1,))
    refused("auto|cpu|cuda", "energy", "start.h5", "--backend=gpu", ranks=(1,))
    refused("'gro' is none of gromacs|lammps-data", "import", "x", "--format=gro", "--forcefield=elba", "-o", "y.h5")


def run_files():
    wrong = write("wrong.yaml", "input: start.h5\n"
                  "run: {stepz: 10, dt: 10 fs, precision: quad, steps: -3}\n"
                  "neighbour: {skin: 0.2}\n"
                  "thermostat: {type: nose-hoover, temperature: 3e9}\n")
    refused(["7 mistakes", "wrong.yaml:3: unknown key 'neighbour'; did you mean 'neighbor'?",
             "wrong.yaml:2: run: unknown key 'stepz'; did you mean 'steps'?",
             "run.dt: '10 fs' is not a number", "run.precision: 'quad' is none of mixed|double",
             "run.steps: -3", "'nose-hoover' is none of none|berendsen|langevin|bussi",
             "thermostat.temperature"], "run", wrong)
    refused("nowhere.yaml", "run", "nowhere.yaml")
    refused("broken.yaml:3", "run", write("broken.yaml", "input: start.h5\nrun: {steps: 10\n"))
    refused("did you mean 'run.steps'", "run", "run.yaml", "-s", "run.step=3")
    refused("section.key=value", "run", "run.yaml", "-s", "steps")
    refused("names no input", "run", "run.yaml", "-s", "input=")
    refused("no force field nix", "run", "run.yaml", "-s", "forcefield=nix")
    refused("other types", "run", "run.yaml", "-s", "forcefield=lj")
    refused("teleport", "run", "run.yaml", "-s", "parallel.transport=teleport")
    refused("no force field nix", "forcefield", "nix", ranks=(1,))


def state_files():
    refused("nowhere.h5", "run", "run.yaml", "-s", "input=nowhere.h5", status=4)
    refused("nowhere.h5", "run", "run.yaml", "--restart=nowhere.h5", status=4)
    with open("start.h5", "rb") as whole, open("short.h5", "wb") as short:
        short.write(whole.read()[:30000])
    write("text.h5", "no HDF5\n")
    for name, says in (("short.h5", "truncated"), ("text.h5", "not an HDF5 file")):
        refused([name, says], "run", "run.yaml", "-s", "input=" + name, status=4)
        refused([name, says], "energy", name, status=4)
        refused([name, says], "info", name, status=4)
    refused(["bead 18", "not a number"], "run", "run.yaml", "-s",
            "input=" + changed("nan.h5", not_a_number), status=4)
    point = changed("point.h5", onto_one_point)
    refused(["beads 101 and 201", "one point"], "run", "run.yaml", "-s", "input=" + point, status=3,
            leaves=LOCK)
    refused(["beads 101 and 201", "one point"], "energy", point, status=3)
    # It is found in the first step: the files of a run that has begun stay.
    refused(["bead 18", "step 1", "blown up"], "run", "run.yaml", "-s",
            "input=" + changed("fast.h5", too_fast), status=3,
            leaves=("./run.csv", "./run.checkpoint.h5", "./run.log", "./run.offender.csv", *LOCK))


ESCAPE = "\x1b]0;owned\x07\x1b[31m\x7f\u009b2J"


def terminal_codes():
    """What files hold is printed without control characters, by info and in messages."""
    def text(file, name, value):
        if name in file:
            del file[name]
        file[name] = np.array([value.encode()])

    def spoil(file):
        text(file, "run/input", "a" + ESCAPE)
        text(file, "run/history", "job 1: ä" + ESCAPE + "\njob 2")
        old = file["forcefield/text"][0].decode()
        text(file, "forcefield/text", old.replace("name: elba", 'name: "el\\e[31mba"', 1))
        file.attrs["program"] = np.bytes_(("lamella" + ESCAPE).encode())

    write("keys.yaml", 'input: start.h5\n"o\\e[31mops": 3\n')
    for arguments in (["info", changed("codes.h5", spoil)], ["run", "keys.yaml"],
                      ["info", "no\x1b[31mwhere.h5"]):
        done = run(*arguments, status=None)
        said = done.stdout + done.stderr
        bad = sorted({c for c in said if (c < " " and c != "\n") or "\x7f" <= c < "\xa0"})
        checks.true(f"{arguments[0]}: no control characters", not bad, bad, said)
        checks.true(f"{arguments[0]}: they are shown", "\\x1b" in said, said)
        if arguments[1] == "codes.h5":
            checks.true("a whole state, and other letters", done.returncode == 0 and "ä" in said and
                        "el\\x1b[31mba" in said, said)


def boxes():
    refused(["5 ranks fit in no grid", "at most 3 of them fit along x", "at most 3 along y",
             "4 ranks fit, as 2x2, and 6 ranks, as 3x2"], "run", "run.yaml", ranks=(5,))
    refused(["4 ranks do not fit as 4x1", "they fit with parallel.grid: 2x2"], "run", "run.yaml",
            "-s", "parallel.grid=4x1", ranks=(4,))
    refused(["parallel.grid 2x2 is for 4 ranks, and there are 3"], "run", "run.yaml",
            "-s", "parallel.grid=2x2", ranks=(3,))
    refused(["box edge along x", "smaller skin"], "run", "run.yaml", "-s", "neighbor.skin=1.1")


UNIT = {unit: 1000 ** k for k, unit in enumerate("bytes kB MB GB TB PB EB ZB".split())}


def foretold(*settings):
    """What a dry run says of each kind of file: number and bytes."""
    said = run("run", "run.yaml", "--dry-run", *settings).stderr
    rows = re.findall(r"^  (\w[\w, ]*?) +(\d+) +([\d.e+]+) (\w+)$", said, re.M)
    return {name: (int(number), float(size) * UNIT[unit]) for name, number, size, unit in rows}, said


def disk():
    """The files of a run are as large as its dry run says."""
    steps = ("-s", "output.prefix=disk", "-s", "run.steps=40")
    for name, settings, count in (
            ("plain", ["output.frames_every=1", "output.energies_every=1"], (41, 41)),
            ("all", ["output.frames_every=4", "output.velocities=1", "output.forces=1"], (11, 1)),
            ("selected", ["output.frames_every=2", "output.frames_select=W", "output.frames_positions=unwrapped"], (21, 1)),
            ("compressed", ["output.frames_every=1", "output.frames_precision=0.01", "output.energies_every=20"], (41, 3)),
            ("observables", ["output.frames_every=8", "observe=[density: {every: 8, frames: yes}]"], (6, 1)),
            ("none", ["output.frames_every=0", "output.energies_every=0"], (0, 0))):
        given = [word for setting in settings for word in ("-s", setting)]
        rows, said = foretold(*steps, *given, "--restart=never")
        run("run", "run.yaml", *steps, *given, "--restart=never")
        size = {ending: os.path.getsize("disk" + ending) if os.path.exists("disk" + ending) else 0
                for ending in (".h5md", ".xmf", ".psf", ".csv", ".checkpoint.h5", ".checkpoint.h5.prev")}
        frames = rows["frames, before compression" if name == "compressed" else "frames"]
        checks.true(name + ": numbers", (frames[0], rows["lines of energies"][0]) == count, said)
        most = frames[1] + rows["topology of the frames"][1]
        files = size[".h5md"] + size[".xmf"] + size[".psf"]
        checks.true(name + ": frames", files <= most <= 1.3 * files + 1e6 or (name == "compressed" and most > files), most, files)
        checks.true(name + ": energies", 0.8 * size[".csv"] <= rows["lines of energies"][1] + 1000 <= 1.5 * size[".csv"] + 1000,
                    rows, size)
        saved = 1.5 * (size[".checkpoint.h5"] + size[".checkpoint.h5.prev"])
        checks.true(name + ": checkpoints", rows["checkpoints"][1] <= 3 * size[".checkpoint.h5"] * 1.1 + 4e6 and
                    rows["checkpoints"][1] >= saved, rows, size)
    rows, said = foretold("-s", "output.prefix=disk", "-s", "run.steps=60", "-s", "output.frames_every=10")
    checks.true("steps that are left", rows["frames"][0] == 2 and "warning" not in said, said)
    rows, said = foretold("-s", "run.steps=10000000000", "-s", "output.frames_every=1")
    checks.true("more than is free", rows["frames"][1] > 5e14 and re.search(r"warning: .*will take about \d+ TB.*has .* free", said),
                said)
    checks.true("no plural of one", " 1 ranks" not in foretold("-s", "neighbor.skin=0.95")[1])


ATOMS = """
1 6 1.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
2 6 5.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
3 6 9.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
"""


def lammps(name, header="3 atoms\n1 bonds\n", atoms=ATOMS, bonds="\nBonds\n\n1 5 1 2\n"):
    return write(name, "a test\n\n" + header + "6 atom types\n5 bond types\n\n0 60 xlo xhi\n"
                 "0 60 ylo yhi\n0 60 zlo zhi\n\nAtoms\n" + atoms + bonds)


def imports():
    arguments = (*ELBA_DATA[:4], "-o", "imported.h5")
    run("import", lammps("good.data"), *arguments)
    os.remove("imported.h5")
    refused("section Bonds is missing", "import", lammps("missing.data", bonds=""), *arguments)
    refused(["dangling.data:20", "atom 9 does not exist"], "import",
            lammps("dangling.data", bonds="\nBonds\n\n1 5 1 9\n"), *arguments)
    refused(["nan.data:15", "not a finite number"], "import",
            lammps("nan.data", atoms=ATOMS.replace("5.0 1.0 1.0 1", "nan 1.0 1.0 1")), *arguments)
    refused(["short.data", "2 lines"], "import",
            lammps("short.data", atoms="\n".join(ATOMS.split("\n")[:3]) + "\n"), *arguments)
    refused("nowhere.data", "import", "nowhere.data", *arguments)


def builds():
    refused(["4 mistakes", "no molecule 'DOPX'", "spec.yaml:3: unknown key 'sead'"], "build",
            write("spec.yaml", "forcefield: elba\nbilayer: {upper: {DOPX: 3}, water_per_lipid: 2}\n"
                  "sead: 1\n"), "-o", "built.h5")
    refused("nowhere.yaml", "build", "nowhere.yaml", "-o", "built.h5")


def unwritable():
    below = "start.h5/x"  # below a file nobody can write, not even root
    refused(below, "run", "run.yaml", "-s", "output.prefix=" + below, status=4)
    refused("nodir/x", "run", "run.yaml", "-s", "output.prefix=nodir/x", status=4)
    refused(below, "energy", "start.h5", "--forces=" + below, status=4)
    refused(below, "build", "water.yaml", "-o", below, status=4)


def second_job():
    first = subprocess.Popen([LAMELLA, "run", "run.yaml", "-s", "run.steps=1000000", "-s",
                              "output.prefix=busy"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    started = time.time()
    while not os.path.exists("busy.checkpoint.h5") and time.time() - started < LIMIT:
        time.sleep(0.1)
    refused("another job", "run", "run.yaml", "-s", "output.prefix=busy", status=4,
            leaves=("./busy.checkpoint.h5.prev",))
    checks.true("the lock of the first job stands", os.path.exists("busy.lock"))
    first.send_signal(signal.SIGTERM)
    checks.true("the first job stops on request: status 99", first.wait(LIMIT) == 99)
    checks.true("and takes its lock away", not os.path.exists("busy.lock"))
    run("info", "busy.checkpoint.h5")


write("water.yaml", "forcefield: elba\nseed: 3\nwater: {count: 2700}\nminimise: no\n")
write("run.yaml", "input: start.h5\nrun: {steps: 10, dt: 0.005}\nneighbor: {skin: 0.15}\n")
run("build", "water.yaml", "-o", "start.h5")
for part in (command_line, run_files, state_files, terminal_codes, boxes, disk, imports, builds, unwritable, second_job):
    part()
os.chdir("/")
checks.end()
