"""The version: of a clone that of its commit, else that with which the module was installed."""
import importlib.metadata
import os
import subprocess

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = os.path.join(FOLDER, "../../build-aux/version.sh")


def public(version):
    """As Python wants it: 0.1-g4d1ffea2-dirty is 0.1+g4d1ffea2.dirty."""
    release, _, rest = version.partition("-")
    return release + "+" * bool(rest) + rest.replace("-", ".")


def version():
    if os.path.exists(SCRIPT):
        return public(subprocess.run(["sh", SCRIPT], stdout=subprocess.PIPE, text=True, check=True).stdout)
    found = next(iter(importlib.metadata.distributions(name="lamella", path=[FOLDER])), None)
    return found.version if found else "unknown"
