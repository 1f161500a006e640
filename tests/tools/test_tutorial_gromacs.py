#!/usr/bin/env python3
"""The commands of docs/tutorial/gromacs.md run, in their order, and leave what the page says."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

with open(os.environ["top_srcdir"] + "/docs/tutorial/gromacs.md") as text:
    script = "".join(re.findall(r"(?ms)^```sh\n(.*?)^```$", text.read()))
for command in "import", "info", "run", "export":
    assert re.search("(?m)^lamella %s " % command, script), "lamella %s is missing" % command
assert re.search("(?m)^lamella-report ", script)
if not all(importlib.util.find_spec(name) for name in ("numpy", "h5py", "matplotlib", "jinja2", "yaml")):
    print("lamella-report is left out: modules of Python are missing")
    script = re.sub("(?m)^lamella-report .*\n", "", script)
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + "/bin")  # tools run with the Python of this test
    os.symlink(sys.executable, folder + "/bin/python3")
    path = ":".join([folder + "/bin", os.path.dirname(os.environ["LAMELLA"]), os.environ["PATH"]])
    done = subprocess.run(["bash", "-euc", script], cwd=folder, env=dict(os.environ, PATH=path),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("the tutorial ends with status %d:\n%s" % (done.returncode, done.stdout))
    for name in "start.h5 run.em.checkpoint.h5 run.md.csv run.md.h5md run.md.psf final.gro final.top".split():
        assert os.path.getsize(folder + "/" + name), name
    with open(folder + "/final.gro") as text:
        assert int(text.read().split("\n")[1]) == 920
    with open(folder + "/run.md.membrane.membrane.csv") as text:
        assert re.match(".*area,.*thickness,", text.readline())
