#!/usr/bin/env python3
"""The commands of docs/tutorial/membrane.md run, in their order, with the small numbers that the page
itself gives for a first try, and the files that it names are there. Tools of Python are left out where
their modules are missing."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

page = open(os.environ["top_srcdir"] + "/docs/tutorial/membrane.md").read()
script = "".join(re.findall(r"(?ms)^```sh\n(.*?)^```$", page))
small = re.search(r"`export ((?:[A-Z]+=\d+ ?)+)`", page).group(1)
assert script.count("lamella run") == 3 and script.count("lamella analyze") == 3, "blocks are missing"
for word in small.split():
    assert "${%s:-" % word.split("=")[0] in script, "the script has no setting " + word

needs = {"lamella-report": ["numpy", "h5py", "matplotlib", "jinja2", "yaml"],
         "lamella-picture": ["numpy", "h5py", "matplotlib", "yaml"]}
for tool, modules in needs.items():
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    if missing:
        print("%s is left out: no module %s" % (tool, ", ".join(missing)))
        script = re.sub(r"(?m)^%s .*\n" % tool, "", script)
script = script.replace("mpiexec ", os.environ.get("MPIEXEC", "mpiexec") + " ")

with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/only", "w") as only:
        only.write("set -eu\nexport %s\n%s" % (small, script))
    os.mkdir(folder + "/bin")  # tools run with the Python of this test
    os.symlink(sys.executable, folder + "/bin/python3")
    environment = dict(os.environ, PATH=":".join([folder + "/bin", os.environ["top_builddir"], os.environ["PATH"]]))
    done = subprocess.run(["bash", "only"], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("the tutorial ends with status %d:\n%s" % (done.returncode, done.stdout))
    for name in ("start.h5 salt.h5 relax.checkpoint.h5 relax.csv membrane.h5md membrane.pressure.pressure.csv"
                 " first.membrane.membrane.csv second.membrane.membrane.csv").split():
        assert os.path.getsize(folder + "/" + name), name
    area, error = (open(folder + "/membrane.membrane.membrane.csv").read().splitlines()[k].split(",")
                   for k in (0, 1))
    row = dict(zip(area, error))
    print("area", {k: v for k, v in row.items() if k.startswith("area")})
    assert 0.3 < float(next(v for k, v in row.items() if re.match(r"area\b", k))) < 1.2, "the area"
