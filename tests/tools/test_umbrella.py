#!/usr/bin/env python3
"""lamella umbrella, the windows in two jobs, and lamella-pmf: the free energy of the distance of two Lennard-Jones beads, of
which one is frozen, against the exact U(r) - 2 kT ln r, and their diffusion against that of Langevin noise. Mistakes."""
import contextlib
import glob
import io
import json
import os
import shutil
import sys
import tempfile

from run_lamella import Checks, read, run, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import yaml  # noqa: F401
    from lamella import pmf, pmf_figure
except ImportError as missing:
    skip(missing)

checks = Checks()
work = tempfile.TemporaryDirectory(prefix="test_umbrella.")
os.chdir(work.name)
KT, SIGMA, EPS, CUTOFF, MASS, TAU = 0.00831446261815324 * 300, 0.47, 5.0, 1.1, 72.0, 0.05
molecule = "[ moleculetype ]\n%s 1\n[ atoms ]\n1 A 1 %s %s 1 0 72\n"
write("pair.top", f"[ defaults ]\n1 2\n[ atomtypes ]\nA {MASS} 0 A {SIGMA} {EPS}\n" + molecule % ("FIXED", "FIXED", "A")
      + molecule % ("FREE", "FREE", "B") + "[ system ]\npair\n[ molecules ]\nFIXED 1\nFREE 1\n")
write("pair.gro", "pair\n2\n    1FIXED    A    1   3.000   3.000   3.000\n    2FREE     B    2   3.000   3.000   3.550\n"
      "   6.00000   6.00000   6.00000\n")
run("import", "pair.top", "pair.gro", "-o", "pair.h5")
RUN = """input: pair.h5
run: {steps: 24000, dt: 0.01, seed: 3}
thermostat: {type: langevin, temperature: 300, tau: %g}
neighbor: {skin: 0.5}
frozen: [{group: {molecules: [FIXED]}}]
coordinates: [{name: r, kind: distance, of: {molecules: [FREE]}, from: {molecules: [FIXED]}}]
output: {coordinates_every: 5, energies_every: 0, checkpoint_every: 0}
""" % TAU
write("run.yaml", RUN)


def umbrella(*arguments, **how):
    return run("umbrella", "run.yaml", *arguments, **how).stderr


def profile(*arguments):
    sys.argv = ["lamella-pmf", *arguments]
    pmf_figure.svg_file = lambda results: "<svg/>"
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        pmf.main()
    with open(arguments[0] + ".pmf.json") as file:
        return json.load(file), said.getvalue()


def exact(x):
    """Free energies of bins of distances x."""
    def energy(r):
        s, c = (SIGMA / r) ** 6, (SIGMA / CUTOFF) ** 6
        return np.where(r < CUTOFF, 4 * EPS * (s * s - s - c * c + c), 0)

    within = x[:, None] + (x[1] - x[0]) * (np.arange(101) - 50) / 101
    return -KT * np.log((within**2 * np.exp(-energy(within) / KT)).mean(1))


# From the start to the figure, with a stop between.
said = umbrella("--coordinate=r", "--windows=0.45:0.95:0.05")
files = sorted(glob.glob("run.w*.yaml"))
checks.true("windows by their places", files[0] == "run.w0.45.yaml" and files[-1] == "run.w0.95.yaml" and len(files) == 11, files)
checks.true("what it says", "r is 0.55 nm at the start; 11 windows, force constant 3990.9" in said
            and "lamella run run.w*.yaml" in said and "pulled by up to 0.4 nm in 400 ps" in said, said)
texts = [read(name) for name in files]
seeds = {line for text in texts for line in text.splitlines() if line.startswith("  seed: ")}
checks.true("a seed for each", len([s for s in seeds if "seed of the noise" in s]) == 11, seeds)
umbrella("--coordinate=r", "--windows=0.45:0.95:0.05")
checks.true("again the same", texts == [read(name) for name in files])
run("run", *files, "--max-hours=1e-9", ranks=2, status=99)
checks.true("stopped while pulling", not glob.glob("run.*.md.checkpoint.h5"), glob.glob("run.*.h5"))
run("run", *files, ranks=2)
found, said = profile("run", "--from=20")
p = {key: np.array(values, float) for key, values in found["profile"].items()}
off = p["free_energy"] - exact(p["x"])
off = (off - np.average(off, weights=p["error"] ** -2)) / p["error"]
checks.true("U(r) - 2 kT ln r within the errors", len(off) > 20 and abs(off).max() < 5 and off.std() < 2, off)
checks.true("errors", np.median(p["error"]) < 1, p["error"])
checks.true("pulling is left out", "11 windows; left out, because their bias moves: run.w0.45.pull" in said, said)
d = np.array([window["diffusion"] for window in found["windows"]])
checks.close("diffusion: kT tau / m", d.mean(), KT * TAU / MASS, relative=0.15)
checks.true("all are there", "no data yet" not in said, said)
pulled = np.genfromtxt("run.w0.95.pull.coordinates.csv", delimiter=",", names=True)
checks.close("pulled from the start", pulled["window_place"][0], 0.55, absolute=1e-7)
checks.close("pulled to the window", pulled["r_nm"][-1], 0.95, absolute=0.15)

# A window between others, with --run; the options of others stay.
write("short.yaml", RUN.replace("24000", "40"))
said = run("umbrella", "short.yaml", "--coordinate=r", "--windows=0.5,0.525", "--force-constant=3000", "--pull-rate=0.1", "--run", ranks=2).stderr
checks.true("two decimals more", os.path.exists("short.w0.525.md.coordinates.csv") and os.path.exists("short.w0.500.yaml"), said)
checks.true("the force constant", "k: 3000, at: 0.525" in read("short.w0.525.yaml"), read("short.w0.525.yaml"))
checks.true("no force of -0", ",-0," not in "".join(map(read, glob.glob("*.coordinates.csv"))) and ",-0\n" not in read("short.w0.525.md.coordinates.csv"))
shutil.copy("short.w0.525.md.checkpoint.h5", "old.h5")
with h5py.File("old.h5", "r+") as file:
    file.attrs["git"] = np.bytes_("v0")
said = run("umbrella", "short.yaml", "--coordinate=r", "--windows=0.5,0.525", "--force-constant=3000", "--set=input=old.h5", "--set=output.prefix=old").stderr
checks.true("a state that is only read does not go on", "goes on" not in said and "r is " in said, said)
run("umbrella", "short.yaml", "--coordinate=r", "--windows=-0.05:0.05:0.05", "-o", status=2)
run("umbrella", "short.yaml", "--coordinate=r", "--windows=-0.05:0.05:0.05", "--set=output.prefix=signs",
    "--set=coordinates=[{name: r, kind: distance, of: {molecules: [FREE]}, from: {molecules: [FIXED]}, along: z}]")
checks.true("no -0", sorted(glob.glob("signs.*")) == ["signs.w-0.05.yaml", "signs.w0.00.yaml", "signs.w0.05.yaml"], glob.glob("signs.*"))


def refused(what, words, *arguments, text=None, windows="--windows=0.5:0.6:0.1", coordinate="--coordinate=r"):
    write("bad.yaml", text or RUN)
    checks.refused(what, words, "umbrella", "bad.yaml", coordinate, windows, *arguments)


for windows, why in (("0:4", "not three numbers"), ("4:0:1", "LOW is above HIGH"), ("0:4:0", "STEP not above 0"), ("0:4:-1", "STEP"),
                     ("0:1e6:1e-3", "too many windows"), ("a,b", "not a list of numbers"), ("", "not a list of numbers"),
                     ("1,2,", "not a list"), ("1,1", "one place"), ("nan", "not a list"), ("1e300,2", "too large")):
    refused(f"windows {windows}", [f"--windows={windows}: ", why, "expected LOW:HIGH:STEP"], windows="--windows=" + windows)
refused("another coordinate", ["--coordinate=rr", "no such coordinate", "it has r"], coordinate="--coordinate=rr")
refused("no coordinates", ["it has none"], text=RUN[:RUN.index("coordinates: [")] + "output: {energies_every: 0}\n")
refused("beyond half the box", ["the window at 2.9 nm", "half the box, 3 nm", "within 2.85 nm"], windows="--windows=2.5:2.9:0.2")
refused("below 0", ["the window at -0.1 nm", "r is from 0 to"], windows="--windows=-0.1:0.1:0.1")
refused("one window", ["say --force-constant=K"], windows="--windows=0.5")
refused("no rate", ["--pull-rate=0"], "--pull-rate=0")
refused("stages", ["has `stages`"], text=RUN + "stages: [{name: a}]\n")
refused("a minimisation", ["minimises"], text=RUN + "minimise: {steps: 5}\n")
refused("no input", ["has no `input`"], text=RUN.replace("input: pair.h5\n", ""))
refused("no lines", ["output.coordinates_every: 0"], text=RUN.replace("coordinates_every: 5", "coordinates_every: 0"))
refused("an umbrella", ["has the umbrella 'own' on it"], text=RUN + "biases: [{name: own, coordinate: r, kind: umbrella, k: 1, at: 1}]\n")
refused("other windows there", ["'run.w0.50.yaml' is there, and is not"], "--set=output.prefix=run", "--steps=7",
        windows="--windows=0.50:0.60:0.05")
write("walls.yaml", RUN + "biases: [{name: wall, coordinate: r, kind: flat_bottom, k: 1, high: 2}]\n")
run("umbrella", "walls.yaml", "--coordinate=r", "--windows=0.5:0.6:0.1")
text = read("walls.w0.5.yaml")
checks.true("other biases stay", text.count("kind: flat_bottom") == 2 and text.count("kind: umbrella") == 2, text)
checks.end()
