#!/usr/bin/env python3
"""The area per lipid of stacked bilayers is that of one of them: in the summary of build and in the
energies of a run."""
import csv
import os
import re
import tempfile

from run_lamella import Checks, run, write

SPEC = """
forcefield: elba
bilayer: {upper: {DOPC: 16}, lower: {DOPC: 16}, area_per_lipid: 0.7, water_per_lipid: 8}
minimise: no
replicate: [1, 1, %d]
"""


def areas(count, *options):
    write("build.yaml", SPEC % count)
    write("run.yaml", "{input: start.h5, run: {steps: 0}, output: {prefix: out%d}}" % count)
    said = run("build", "build.yaml", "-o", "start.h5").stdout
    run("run", "run.yaml", *options)
    with open(f"out{count}.csv") as rows:
        ran = float(next(csv.DictReader(rows))["area_per_lipid_nm2"])
    return float(re.search(r"area +([0-9.]+) nm2", said).group(1)), ran, said


def main():
    c = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        built, ran, said = areas(1)
        c.close("one bilayer, built", built, 0.7, absolute=1e-4)
        c.close("one bilayer, run", ran, 0.7, absolute=1e-4)
        c.true("one bilayer is not worth a word", "bilayers" not in said, said)
        built, ran, said = areas(3, "-s", "output.bilayers=3")
        c.close("three bilayers, built", built, 0.7, absolute=1e-4)
        c.close("three bilayers, run", ran, 0.7, absolute=1e-4)
        c.true("the summary names the key", "bilayers: 3" in said, said)
        os.chdir("/")
    c.end()


if __name__ == "__main__":
    main()
