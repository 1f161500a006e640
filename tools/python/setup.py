"""pip install of the module: the version is that of the program, by build-aux/version.sh; in an sdist it stands in PKG-INFO."""
import os
import runpy

from setuptools import setup

here = os.path.dirname(os.path.abspath(__file__))
module = runpy.run_path(os.path.join(here, "lamella/version.py"))


def find_version():
    if os.path.exists(module["SCRIPT"]):
        return module["version"]()
    with open(os.path.join(here, "PKG-INFO"), encoding="utf-8") as file:
        return next(line.split()[1] for line in file if line.startswith("Version:"))


setup(version=find_version())
