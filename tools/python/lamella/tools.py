"""The commands of the tools where pip has installed the module; those of `make install` are tools/*.py."""
import importlib
import os
import sys

from . import command, packages

MODULES = {"lamella-exchange": "exchange", "lamella-picture": "picture", "lamella-pmf": "pmf", "lamella-report": "report", "lamella-to-lammps": "lammps",
           "lamella-to-xvg": "xvg"}


def main():
    command.run(tool)


def tool():
    with packages.needed():
        module = importlib.import_module("lamella." + MODULES[os.path.basename(sys.argv[0])])
    module.main()
