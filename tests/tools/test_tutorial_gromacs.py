#!/usr/bin/env python3
"""The commands of docs/tutorial/gromacs.md run, in their order, and leave what the page says."""
import os
import re
import subprocess
import sys
import tempfile

with open(os.environ["top_srcdir"] + "/docs/tutorial/gromacs.md") as text:
    script = "".join(re.findall(r"(?ms)^```sh\n(.*?)^```$", text.read()))
for command in "import", "info", "build", "run", "export":
    assert re.search("(?m)^lamella %s " % command, script), "lamella %s is missing" % command
with tempfile.TemporaryDirectory() as folder:
    path = os.path.dirname(os.environ["LAMELLA"]) + ":" + os.environ["PATH"]
    done = subprocess.run(["bash", "-euc", script], cwd=folder, env=dict(os.environ, PATH=path),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("the tutorial ends with status %d:\n%s" % (done.returncode, done.stdout))
    for name in "start.h5 minimised.h5 run.csv run.h5md run.psf final.gro final.top".split():
        assert os.path.getsize(folder + "/" + name), name
    with open(folder + "/final.gro") as text:
        assert int(text.read().split("\n")[1]) == 493
