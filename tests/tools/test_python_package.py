#!/usr/bin/env python3
"""The module lamella as a package: pip installs it with its commands and the version of the program, from a clone and from an sdist, without
a network; and a Python finds what `make install` has put below its prefix, by lamella.pth."""
import glob
import importlib.metadata
import os
import runpy
import shutil
import subprocess
import sys
import tempfile

from run_lamella import Checks, read, skip, write

SOURCE = os.environ["top_srcdir"]
try:
    found = {name: importlib.metadata.version(name) for name in ("pip", "setuptools", "wheel")}
    import h5py  # noqa: F401
    import yaml  # noqa: F401
except ImportError as missing:
    skip(missing)
if int(found["setuptools"].partition(".")[0]) < 64:
    skip("setuptools before 64")

checks = Checks()
work = tempfile.TemporaryDirectory(prefix="test_python_package.")
os.chdir(work.name)
ALONE = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LAMELLA")}


def python(*arguments, program=sys.executable, cwd=None, **more):
    """What a python says, which sees none of the folders of this test."""
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env={**ALONE, **more})
    if done.returncode:
        print(" ".join(arguments), done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout.strip()


def install(source, target):
    python("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
           "--target", target, source)


def clone():
    """What a clone has of it, to be written to; the version is that of a tarball."""
    leave_out = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    shutil.copytree(os.path.join(SOURCE, "tools", "python"), "clone/tools/python", ignore=leave_out)
    os.makedirs("clone/build-aux")
    shutil.copy(os.path.join(SOURCE, "build-aux", "version.sh"), "clone/build-aux")
    subprocess.run(["chmod", "-R", "u+w", "clone"], check=True)
    write("clone/.tarball-version", "2.3-4-gabcdef12-dirty")


def versions():
    public = runpy.run_path(os.path.join(SOURCE, "tools", "python", "lamella", "version.py"))["public"]
    for version, want in (("0.1-g4d1ffea2-dirty", "0.1+g4d1ffea2.dirty"), ("v1.2"[1:], "1.2"), ("1.2-5-gabc", "1.2+5.gabc")):
        checks.true("version " + version, public(version) == want, public(version))
    checks.true("of a clone", python("-B", "-c", "import lamella; print(lamella.__version__)", PYTHONPATH="clone/tools/python")
                == "2.3+4.gabcdef12.dirty")


def pip_installs():
    install("clone/tools/python", "out")
    names = {os.path.basename(path) for path in glob.glob("out/lamella/*")}
    there = {os.path.basename(path) for path in glob.glob(os.path.join(SOURCE, "tools/python/lamella/*")) if not path.endswith("__")}
    checks.true("all files", there <= names and "report.html.j2" in names, there - names)
    said = python("-B", "-c", "import importlib.metadata as m, lamella; print(lamella.__version__, m.version('lamella'), lamella.__file__)",
                  PYTHONPATH="out").split()
    checks.true("the version", said[:2] == ["2.3+4.gabcdef12.dirty"] * 2 and said[2].startswith(os.path.join(os.getcwd(), "out")), said)
    tools = sorted(os.path.basename(path) for path in glob.glob("out/bin/*"))
    checks.true("its commands", tools == ["lamella-exchange", "lamella-picture", "lamella-pmf", "lamella-report", "lamella-to-lammps", "lamella-to-xvg"], tools)
    for tool in tools:
        said = python("-B", os.path.join("out/bin", tool), "--help", PYTHONPATH="out")
        lacks = not said and tool in ("lamella-picture", "lamella-report") and not python("-c", "import matplotlib, jinja2; print(1)")
        checks.true(tool + " --help", said.startswith("usage: " + tool) or lacks, said)


def sdists():
    python("-c", "from setuptools import build_meta; build_meta.build_sdist('.')", cwd="clone/tools/python")
    found = glob.glob("clone/tools/python/lamella-*.tar.gz")
    checks.true("an sdist", len(found) == 1, found)
    install(found[0], "again")
    metadata = read(glob.glob("again/lamella-*.dist-info/METADATA")[0])
    checks.true("its version", "\nVersion: 2.3+4.gabcdef12.dirty\n" in metadata and "\nRequires-Dist: h5py\n" in metadata, metadata)
    checks.true("its files", os.path.exists("again/lamella/report.html.j2"))


def prefixes():
    """A prefix that is that of a Python (Debian's /usr/local, conda, venv), and one elsewhere (in a home folder)."""
    python("-m", "venv", "--without-pip", "--system-site-packages", "env")
    own, script = os.path.abspath("env/bin/python"), os.path.join(SOURCE, "build-aux", "python_site.py")
    shutil.copytree("clone/tools/python/lamella", "env/share/lamella/python/lamella")
    write("env/share/lamella/python/lamella.egg-info", "Metadata-Version: 2.1\nName: lamella\nVersion: 7.8\n")
    shutil.copytree("env/share", "home/share")
    folder, line = python(script, os.path.abspath("env"), program=own).split()
    checks.true("below the prefix", folder.startswith("${prefix}/lib") and line.endswith("../share/lamella/python"), folder, line)
    write(os.path.join(folder.replace("${prefix}", "env"), "lamella.pth"), line + "\n")
    ask = ["-B", "-c", "import lamella; print(lamella.__file__, lamella.__version__)"]
    os.rename("env", "moved")
    own = own.replace("/env/", "/moved/")
    said = python(*ask, program=own, cwd="/").split()
    checks.true("it is found, also when it is moved", said == [os.path.abspath("moved/share/lamella/python/lamella/__init__.py"), "7.8"], said)
    folder, line = python(script, os.path.abspath("home"), program=own).split()
    checks.true("of a prefix elsewhere", folder.startswith(os.path.abspath("moved")) and line == "${pkgdatadir}/python", folder, line)
    write(os.path.join(folder, "lamella.pth"), os.path.abspath("home/share/lamella/python") + "\n")
    said = python(*ask, program=own, cwd="/").split()
    checks.true("it is found", said[:1] == [os.path.abspath("home/share/lamella/python/lamella/__init__.py")], said)


clone()
versions()
pip_installs()
sdists()
prefixes()
checks.end()
