#!/usr/bin/env python3
"""The examples as ./quickstart and README.md use them, with few steps: every promised file is
there and whole, and the same command again does nothing."""
import glob
import os
import subprocess
import sys
import tempfile

from run_lamella import Checks, read, run, skip

source = os.environ["top_srcdir"]
examples = os.path.join(source, "examples")
checks = Checks()
os.chdir(tempfile.mkdtemp(prefix="test_quickstart."))


def example(name):
    return os.path.join(examples, name)


run("build", example("dopc.yaml"), "-o", "start.h5")
run("run", example("relax.yaml"), "-s", "run.steps=40", ranks=2)
settings = ["-s", "run.steps=30", "-s", "output.frames_every=10", "-s", "output.energies_every=10"]
run("run", example("run.yaml"), *settings, ranks=2)
for name in ("start.h5", "relax.checkpoint.h5", "dopc.checkpoint.h5", "dopc.h5md"):
    checks.true(name + " is whole", "whole" in run("info", name).stdout)
for name in ("relax.csv", "dopc.csv", "dopc.psf", "dopc.xmf", "dopc.performance.json"):
    checks.true(name, os.path.getsize(name) > 100)
checks.true("no lock is left", not glob.glob("*.lock"))
checks.true("no temporary file is left", not glob.glob("*.tmp"))

once = read("dopc.csv")
run("run", example("run.yaml"), *settings)
checks.true("the same command again adds nothing", read("dopc.csv") == once)
run("run", example("run.yaml"), *settings, "-s", "run.steps=40", ranks=1)
checks.true("more steps continue", read("dopc.csv").splitlines()[-1].startswith("40,"))

# The other examples are those of test_run_beads.py.
for name in ("build-water.yaml", "build-melt.yaml", "build-mixture.yaml", "build-larger.yaml"):
    run("build", example(name), "-o", name + ".h5")
checks.true("4 x 4 copies", "beads         98304" in run("info", "build-larger.yaml.h5").stdout)

try:
    import h5py  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as missing:
    if checks.failed:
        checks.end()
    skip(f"picture: {missing}")
picture = os.path.join(source, "tools", "picture.py")
subprocess.run([sys.executable, picture, "dopc", "-o", "picture.png"], check=True)
with open("picture.png", "rb") as file:
    checks.true("a picture", file.read(8) == b"\x89PNG\r\n\x1a\n")
report = os.path.join(source, "tools", "report.py")
subprocess.run([sys.executable, report, "dopc", "-o", "report.html"], check=True)
checks.true("a report", read("report.html").rstrip().endswith("</html>"))
checks.end()
