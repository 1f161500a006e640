#!/usr/bin/env python3
"""Import of LAMMPS data files whose types have names by options or labels, whose ids are permuted or have
gaps, or which hold other lipids than expected: read right, or refused with what is wrong. The
energies of what is read are those of the system that was written."""
import os
import random
import re
import subprocess
import sys
import tempfile

from run_lamella import Checks, energy, run, skip

try:
    import h5py
    import numpy as np
    import yaml
except ImportError as missing:
    skip(missing)

SOURCE = os.environ["top_srcdir"]
SECTIONS = ("Atoms", "Velocities", "Bonds", "Angles")
SPEC = """
forcefield: elba
seed: 3
bilayer: {upper: %s, lower: %s, area_per_lipid: 0.75, water_per_lipid: 6}
minimise: {max_steps: 30, force: 3000}
"""
with open(os.path.join(SOURCE, "forcefields", "elba.yaml")) as text:
    ELBA = yaml.safe_load(text)
ORDER = {"types": list(ELBA["types"]), "bonds": list(ELBA["bonds"]), "angles": list(ELBA["angles"])}
# Where the author of ELBA has an amine, this force field has choline, and so on.
DOPE = {"types": ["W", "A", "P", "G", "E", "T"], "bonds": ["AP", "PG", "GE", "ET", "TT"],
        "angles": ["APG", "PGE", "saturated", "cis", "restraint"]}


class File:
    """A LAMMPS data file: rows of words by section, and names of its types."""

    def __init__(self, path):
        self.rows, self.names, self.extra, section = {}, ORDER, "", None
        self.box = []
        with open(path) as lines:
            for line in lines:
                words = line.split()
                if words and words[0] in SECTIONS:
                    section = words[0]
                    self.rows[section] = []
                elif words and section:
                    self.rows[section].append(words)
                elif words[-1:] and words[-1] in ("xhi", "yhi", "zhi"):
                    self.box.append(line)

    def rename(self, names):
        """The same system with types in another order."""
        for section, kind in (("Atoms", "types"), ("Bonds", "bonds"), ("Angles", "angles")):
            for row in self.rows.get(section, []):
                row[1] = str(names[kind].index(self.names[kind][int(row[1]) - 1]) + 1)
        self.names = names

    def renumber(self, new):
        """new: from an old id to a new one."""
        for section, columns in (("Atoms", [0]), ("Velocities", [0]), ("Bonds", [2, 3]),
                                 ("Angles", [2, 3, 4])):
            for row in self.rows.get(section, []):
                for k in columns:
                    row[k] = str(new[int(row[k])])

    def write(self, path):
        rows = self.rows
        with open(path, "w") as out:
            out.write("title\n\n")
            for name in ("Atoms", "Bonds", "Angles"):
                out.write(f"{len(rows.get(name, []))} {name.lower()}\n")
            for kind, name in (("types", "atom"), ("bonds", "bond"), ("angles", "angle")):
                out.write(f"{len(self.names[kind])} {name} types\n")
            out.write("".join(self.box) + "\n" + self.extra + "\n")
            for name in SECTIONS:
                if rows.get(name):
                    out.write(name + "\n\n" + "".join(" ".join(r) + "\n" for r in rows[name]) + "\n")


def build(upper, lower):
    with open("spec.yaml", "w") as out:
        out.write(SPEC % (upper, lower))
    run("build", "spec.yaml", "-o", "built.h5")
    subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "state_to_lammps.py"), "built.h5",
                    "built.data", "built.in"], check=True)
    return energy("built.h5")


def named(file):
    """The options that name the types of a file."""
    return [f"--{option}={','.join(file.names[kind])}" for option, kind in
            (("types", "types"), ("bond-types", "bonds"), ("angle-types", "angles"))]


def read(file, *options, status=0, names=None):
    """names: options, instead of the right ones."""
    file.write("file.data")
    options = [*options, *(named(file) if names is None else names)]
    return run("import", "file.data", "--format=lammps-data", "--forcefield=elba", "-o", "read.h5",
               *options, status=status)


def same_energies(c, what, want):
    got = energy("read.h5")
    for name, value in want["terms"].items():
        c.close(f"{what}: {name}", got["terms"][name], value, relative=1e-9, absolute=1e-6)


def masses(file, **changed):
    values = [changed.get(n, ELBA["types"][n]["mass"]) for n in file.names["types"]]
    return "Masses\n\n" + "".join(f"{k} {v}\n" for k, v in enumerate(values, 1)) + "\n"


def bond_coefficients(file, header="Bond Coeffs # harmonic", style=""):
    out = header + "\n\n"
    for k, name in enumerate(file.names["bonds"], 1):
        b = ELBA["bonds"][name]
        out += f"{k} {style}{b['k'] / 418.4:.8g} {10 * b['r0']:.8g}\n"
    return out + "\n"


def pairs(file, header="PairIJ Coeffs # lj/sf/dipole/sf", factor=1.0):
    table = {}
    for a, b, p in ELBA["pair"]["table"]:
        table[a, b] = table[b, a] = p
    names, out = file.names["types"], header + "\n\n"
    for i, a in enumerate(names):
        for j in range(i, len(names)):
            if header.startswith("Pair Coeffs") and i != j:
                continue
            p = table[a, names[j]]
            scale = factor if a != names[j] or "IJ" not in header else 1.0
            types = f"{i + 1} {j + 1}" if "IJ" in header else f"{i + 1}"
            out += f"{types} {p['epsilon'] / 4.184 * scale:.8g} {10 * p['sigma']:.8g} 12\n"
    return out + "\n"


def dope(c):
    want = build("{DOPE: 12}", "{DOPE: 12}")
    file = File("built.data")
    file.rename(DOPE)
    types, bonds, angles = named(file)
    said = read(file, status=2, names=[types]).stderr
    c.true("types without names are refused, with those that there are",
           "no labels of its 5 bond types: name them in their order with --bond-types; force field elba has " +
           ",".join(ORDER["bonds"]) in said and "its 5 angle types" in said and "atom types" not in said, said)
    said = read(file, status=2, names=["--types=W,C,P,G,E,T", bonds, angles]).stderr
    c.true("another name is refused with the line of an atom",
           "file.data:" in said and "has a mass of 42" in said, said)
    said = read(file)
    c.true("24 DOPE", "24 DOPE" in said.stdout and "no known" not in said.stdout, said.stdout)
    same_energies(c, "DOPE by names", want)
    labels = "".join(f"{name} Type Labels\n\n" + "".join(
        f"{k} {label}\n" for k, label in enumerate(file.names[kind], 1)) + "\n"
        for name, kind in (("Atom", "types"), ("Bond", "bonds"), ("Angle", "angles")))
    file.extra = labels + "Masses\n\n" + "".join(
        f"{n} {ELBA['types'][n]['mass']}\n" for n in file.names["types"]) + "\n"
    for row in file.rows["Atoms"]:
        row[1] = file.names["types"][int(row[1]) - 1]
    read(file, names=[])
    same_energies(c, "DOPE by labels", want)
    file.extra = file.extra.replace("2 A\n", "2 NH3\n").replace("\nA 42", "\nNH3 42")
    for row in file.rows["Atoms"]:
        row[1] = "NH3" if row[1] == "A" else row[1]
    said = read(file, status=2, names=[]).stderr
    c.true("an unknown label is refused", "label 'NH3' names no atom type" in said, said)
    said = read(file, names=["--types=W,A,P"], status=2).stderr
    c.true("too few names", "3 names, but file.data has 6 atom types" in said, said)
    said = read(file, names=["--types=W,A,P,G,E,TX"], status=2).stderr
    c.true("a wrong name", "no atom type 'TX'" in said, said)


def kinds(path="read.h5"):
    with h5py.File(path) as f:
        return f["beads/kind"][()], f["beads/type"][()]


def molecules(c):
    want = build("{DSPC: 4, DOPC: 5, POPC: 3}", "{DSPC: 9, DMPC: 2, DOPE: 1}")
    counts = ["5 DOPC", "1 DOPE", "2 DMPC", "3 POPC", "13 DSPC"]
    file = File("built.data")
    said = read(file).stdout
    c.true("13 DSPC are no DOPC", all(n in said for n in counts), said)
    n = len(file.rows["Atoms"])
    ids = list(range(1, n + 1))
    random.Random(5).shuffle(ids)
    file.renumber(dict(enumerate(ids, 1)))
    for rows in file.rows.values():
        random.Random(6).shuffle(rows)
    done = read(file, "--ids=ids.txt")
    c.true("permuted ids", all(k in done.stdout for k in counts), done.stdout)
    c.true("the new numbers are said", "numbered anew" in done.stderr, done.stderr)
    same_energies(c, "permuted", want)
    table = np.loadtxt("ids.txt", dtype=int)
    done = read(file, "--ids=ids.txt", status=2)
    c.true("a table that is there stays", "ids.txt exists" in done.stderr, done.stderr)
    row = {int(r[0]): r for r in file.rows["Atoms"]}
    types = [int(row[k][1]) - 1 for k in table[:, 1]]
    c.true("the table of ids", sorted(table[:, 1]) == list(range(1, n + 1)))
    c.true("beads are those of the table", np.array_equal(types, kinds()[1]))
    templates = [[ORDER["types"].index(b) for b in m["beads"]] for m in ELBA["molecules"].values()]
    kind, type_, k = *kinds(), 0
    while k < n and kind[k] >= 0 and templates[kind[k]] == list(type_[k:k + len(templates[kind[k]])]):
        k += len(templates[kind[k]])
    c.true("every molecule in the order of the force field", k == n, k, n)
    with h5py.File("read.h5") as f:
        c.true("shared environments", len(f["topology/term_start"]) < 80)
    gaps = File("built.data")
    gaps.renumber({k: 5 + 4 * (k - 1) + (90000000000 if k > 7 else 0) for k in range(1, n + 1)})
    done = read(gaps)
    c.true("gaps are said", "without gaps" in done.stderr and "numbered anew" not in done.stderr,
           done.stderr)
    same_energies(c, "gaps", want)


def angles_swapped(c):
    """Two types of angles of the same beads, named right and exchanged: then the coefficients differ, or no
    molecule is found."""
    build("{DOPC: 12}", "{DOPC: 12}")
    file = File("built.data")
    swapped = [{"saturated": "cis", "cis": "saturated"}.get(a, a) for a in ORDER["angles"]]
    file.rename({**ORDER, "angles": swapped})
    c.true("by name", "24 DOPC" in read(file).stdout)
    file.names = ORDER
    c.true("exchanged names", "belong to no molecule" in read(file).stderr)
    file.extra = "Angle Coeffs\n\n" + "".join(
        f"{k} 3.585 {ELBA['angles'][name].get('theta0', 0)}\n" for k, name in enumerate(swapped, 1)) + "\n"
    said = read(file, status=2).stderr
    c.true("exchanged names beside coefficients", "angle type is 3.585 120 here, but cosine/squared 3.585 180" in said,
           said)


def second_types(c):
    """Two types of the file are one of the force field."""
    want = build("{DSPC: 12}", "{DSPC: 12}")
    file = File("built.data")
    for row in file.rows["Angles"][::2]:
        if row[1] == str(ORDER["angles"].index("saturated") + 1):
            row[1] = str(len(ORDER["angles"]) + 1)
    file.names = {**ORDER, "angles": [*ORDER["angles"], "saturated"]}
    c.true("a second type of the same beads", "24 DSPC" in read(file).stdout)
    same_energies(c, "a second type", want)


def unknown_molecules(c):
    """Bonds that no molecule of the force field has."""
    build("{DOPC: 12}", "{DOPC: 12}")
    file = File("built.data")
    del file.rows["Angles"][0]
    done = read(file)
    c.true("an angle less is read with a warning", "belong to no molecule" in done.stderr, done.stderr)


def coefficients(c):
    build("{DOPC: 12}", "{DOPE: 12}")
    file = File("built.data")
    file.extra = masses(file) + bond_coefficients(file) + pairs(file)
    read(file)
    for what, extra, words in (
            ("a mass", masses(file, P=90.1), "type 3 has a mass of 90.1 amu"),
            ("a pair", pairs(file, factor=1.01), "the pair W C is lj/sf/dipole/sf 0.73225"),
            ("a pair of one type", pairs(file, "Pair Coeffs", factor=1.01), "the pair W W is"),
            ("a style of pairs", pairs(file, "Pair Coeffs # lj/cut"), "the pair W W is lj/cut"),
            ("a cutoff", pairs(file).replace(" 12\n", " 10\n"), "cutoff 12 "),
            ("another style of pairs", pairs(file, "Pair Coeffs # lj/class2"), "is lj/class2"),
            ("an accelerated style", pairs(file, "Pair Coeffs # mie/cut/gpu"), "is mie/cut/gpu"),
            ("a word alone", bond_coefficients(file, "Bond Coeffs # oxdna"), "type is oxdna"),
            ("an accelerated style of bonds", bond_coefficients(file, "Bond Coeffs # morse/omp K"),
             "bond type is morse/omp"),
            ("a style of bonds", bond_coefficients(file, "Bond Coeffs # morse"), "bond type is morse"),
            ("a style in the line", bond_coefficients(file, "Bond Coeffs # hybrid", "quartic "),
             "bond type is quartic"),
            ("a style of angles", "Angle Coeffs # hybrid\n\n" + "".join(
                f"{k} harmonic 3.585 115\n" for k in range(1, 7)), "angle type is harmonic"),
    ):
        file.extra = extra
        said = read(file, status=2).stderr
        c.true(what + " is refused", words in said and "file.data:" in said, said)
    for header in "harmonic/omp", "K and r0 of DOPC", "hybrid/kk", "2024":
        file.extra = bond_coefficients(file, "Bond Coeffs # " + header)
        read(file)
    file.extra = ""
    for row in file.rows["Atoms"]:
        if row[1] == "3":
            row[11] = repr(float(row[11]) * 1.1)
    done = read(file)
    c.true("10 % of a nominal mass are said", "amu by diameter and density" in done.stderr,
           done.stderr)

    file = File("built.data")  # water of twice the diameter and of the same mass
    water = [row for row in file.rows["Atoms"] if row[1] == "1"]
    for row in water:
        row[10], row[11] = repr(2 * float(row[10])), repr(float(row[11]) / 8)
    said = read(file).stderr
    found = re.search(r"an inertia of ([0-9.]+) amu nm2 by diameter", said)
    c.true("another inertia is said", found is not None, said)
    if found:  # 2/5 m (d/2)^2 of a sphere
        diameter, mass = 0.1 * float(water[0][10]), ELBA["types"]["W"]["mass"]
        c.close("the inertia of a sphere", float(found.group(1)), 0.1 * mass * diameter**2,
                relative=0.05)


def bodies(c):
    """A file with atoms alone: of ellipsoids and of three-axis bodies it lacks the orientations."""
    with open("atoms.data", "w") as out:
        out.write("atoms\n\n2 atoms\n1 atom types\n0 60 xlo xhi\n0 60 ylo yhi\n0 60 zlo zhi\n\nAtoms\n\n"
                  "1 1 10 10 10 1 0 0 0 0 4 1\n2 1 20 10 10 2 0 0 0 0 4 1\n")
    for name, kind, words in (("gb", "R", "an ellipsoid"), ("ssd", "W", "a body with three axes")):
        done = run("import", "atoms.data", "--format=lammps-data", f"--forcefield={name}", "-o", "read.h5",
                   "--types=" + kind, status=2)
        c.true(f"{name}: orientations are missing", words in done.stderr, done.stderr)


def main():
    c = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        dope(c)
        molecules(c)
        angles_swapped(c)
        second_types(c)
        unknown_molecules(c)
        coefficients(c)
        bodies(c)
        os.chdir("/")
    c.end()


if __name__ == "__main__":
    main()
