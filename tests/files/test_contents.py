"""A file that the run file names and forces read has one number other in the next job: each kind of file is said, by line and
name, and kept in the history; the same numbers in another spelling are not. A stage that is done is refused then."""
import os
import re
import tempfile

import h5py
import numpy as np

import field_maps
import trial
from run_lamella import Checks, read, run, write

checks = Checks()
PRINT = r"[0-9a-f]{16}"
RUN = """input: start.h5
run: {steps: 4, dt: 0.004}
output: {prefix: x, checkpoint_every: 2}
%s
"""
TABULATED = """
format: 1
name: tabulated
version: "1"
source: a test
cutoff: 2.5
exclude: []
types: {A: {mass: 1}}
tables: {pair: {file: pair.table}}
pair: {electrostatics: {truncation: none}, table: [[A, A, {tabulated: pair}]]}
molecules: {A: {beads: [A]}}
"""


def table(name, u, f, x, change=0.0, form="%.12g %.12g %.12g\n"):
    write(name, "".join(form % row for row in zip(x, u(x) + change * (np.arange(len(x)) == len(x) // 2), f(x))))


def bias_table(change, spelling):
    table("bias.xvg", lambda x: 50 * x**2, lambda x: -100 * x, np.linspace(0, 3, 31), change,
          "# a comment\n  %.13e\t%.13e  %.13e\n" if spelling else "%.14g %.14g %.14g\n")


def pair_table(change, spelling):
    del spelling
    table("pair.table", lambda r: 4 * (r**-12 - r**-6), lambda r: 4 * (12 * r**-13 - 6 * r**-7), np.linspace(0.7, 2.5, 400), change)


def values_of(change):
    values = np.cos(np.arange(6.0))[:, None, None] * np.ones((6, 5, 4))
    values[2, 3, 1] += change
    return values


def dx(change, spelling):
    field_maps.write_dx("map.dx", values_of(change), (0, 0, 0), (1, 1, 1))
    if spelling:
        text = read("map.dx")
        write("map.dx", "# another comment\n" + re.sub(r"(\d) ", r"\1  ", text[text.index("\n") + 1:]))


def h5(change, spelling):
    field_maps.write_map("map.h5", values_of(change), (0, 0, 0), (1, 1, 1), (6, 5, 4))
    if spelling:
        with h5py.File("map.h5", "r+") as file:
            file.attrs["last_time"] = 5.0


FIELD = "fields: [{form: force, z: 0.1}, {form: map, file: %s, of: beads, fills: no, factor: 2}]"
BIAS = ("coordinates: [{name: d, kind: distance, of: {ids: [1, 20]}, from: {ids: [301, 320]}}]\n"
        "biases: [{name: b, coordinate: d, kind: table, file: bias.xvg}]")
KINDS = {  # file: how it is written, the run file, where it is named
    "map.dx": (dx, FIELD % "map.dx", "run.yaml:4: fields[2].file"),
    "map.h5": (h5, FIELD % "map.h5", "run.yaml:4: fields[2].file"),
    "bias.xvg": (bias_table, BIAS, "run.yaml:5: biases[1].file"),
}


def lamella(*more, status=0, ranks=1):
    return run("run", "run.yaml", *more, status=status, ranks=ranks).stderr


def history():
    with h5py.File("x.checkpoint.h5") as file:
        return np.ravel(file["run/history"][()])[0].decode()


def one_number(name, make, keys, where):
    write("run.yaml", RUN % keys)
    make(0, 0)
    lamella("--restart=never")
    said = lamella("-s", "run.steps=6", ranks=2)
    make(0, 1)
    said += lamella("-s", "run.steps=8")
    checks.true(f"{name}: the same numbers are no change", "changed" not in said and said.count(": done") + said.count("done:") >= 2, said)
    make(1e-6, 0)
    last = lamella("--dry-run", "-s", "run.steps=10")
    said = lamella("-s", "run.steps=10", ranks=2)
    for text in (said, last):
        checks.true(f"{name}: another number is said", text.count("changed since the job before") == 1 and
                    re.search(rf"{re.escape(where)}: changed since the job before: '{re.escape(name)}' .*{PRINT}, not {PRINT}.* step 8 ", text), text)
    line = f"changed at step 8: content of '{name}' "
    checks.true(f"{name}: it stands in the history", re.search(line + rf"{PRINT} -> {PRINT}", history()), history())
    checks.true(f"{name}: it is said once", "changed" not in lamella("-s", "run.steps=12"))
    make(0, 0)
    said = lamella("--restart=x.checkpoint.h5", "-s", "run.steps=14")
    checks.true(f"{name}: also of a named state", where in said, said)
    checks.true(f"{name}: a new run has no job before", "changed" not in lamella("--restart=never"))


def stage_done(name, make, keys, where):
    """Nothing of a chain is changed. A stage that is not done goes on."""
    stages = "stages: [{name: em, minimise: {steps: 5}}, {name: md, steps: %d}]\n"
    make(0, 0)
    write("run.yaml", RUN % keys + stages % 4)
    lamella("--restart=never")
    write("run.yaml", RUN % keys + stages % 6)
    make(0, 1)
    lamella("--dry-run")
    make(1e-6, 0)
    said = lamella(status=2)
    checks.true(f"{name}: a stage that is done is refused", where in said and "stage em is done, with another content" in said and
                "--restart=never" in said, said)
    checks.true(f"{name}: so are two ranks", lamella(status=2, ranks=2).count("stage em is done") == 1)
    make(0, 0)
    lamella()


def force_field():
    """Its text has the tables."""
    write("tabulated.yaml", TABULATED)
    write("run.yaml", RUN % "forcefield: tabulated.yaml")
    pair_table(0, 0)
    lamella("--restart=never")
    checks.true("pair.table: the same", "in the place of" not in lamella("-s", "run.steps=6"))
    pair_table(1e-6, 0)
    said = lamella("-s", "run.steps=8")
    checks.true("pair.table: another number is said", re.search(rf"force field tabulated 1 \({PRINT}\) in the place of", said), said)
    checks.true("pair.table: it stands in the history", "changed at step 6: force field" in history(), history())


def index():
    """The run keeps the beads of its start, which is said; the file may be gone."""
    write("some.ndx", "[ Some ]\n1 2 3\n")
    write("run.yaml", RUN % "fields: [{form: force, z: 5, group: {ndx: {file: some.ndx, group: Some}}}]")
    lamella("--restart=never")
    write("some.ndx", "[ Other ]\n9\n[ Some ]\n3 1\n2\n")
    checks.true("some.ndx: the same beads", "warning" not in lamella("-s", "run.steps=6"))
    write("some.ndx", "[ Some ]\n1 2 4\n")
    said = lamella("-s", "run.steps=8", ranks=2)
    checks.true("some.ndx: others are said", said.count("'Some' of 'some.ndx' has other beads than at the start") == 1, said)
    os.remove("some.ndx")
    said = lamella("-s", "run.steps=10")
    checks.true("some.ndx: it may be gone", "some.ndx" not in said.split("effective")[0], said)


def main():
    with tempfile.TemporaryDirectory(prefix="test_contents.") as folder:
        os.rename(trial.liquid(folder, "start", (8, 8, 8), 0.7, 1.0, 20), os.path.join(folder, "start.h5"))
        os.chdir(folder)
        for name, case in KINDS.items():
            one_number(name, *case)
            stage_done(name, *case)
        force_field()
        index()
        os.chdir("/")
    checks.end()


main()
