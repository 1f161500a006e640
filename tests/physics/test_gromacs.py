#!/usr/bin/env python3
"""Imported GROMACS systems have the energies and forces that GROMACS computes in double precision:
each bonded form in random shapes, tables of bonded types, combination rules, exclusions, charges,
boxes of any shape of lipids, water and ions."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import trial
from run_lamella import Checks, energy, run, skip

try:
    import numpy as np
    import gromacs_files as gf
except ImportError as missing:
    skip(missing)
if not gf.GMX:
    skip("gmx_d (GROMACS in double precision) is not installed")

FORCEFIELD = gf.FORCEFIELD + ": ----\n"
BONDED = [  # directive, atoms, function, columns
    ("bonds", 2, 1, "0.45 1250"), ("bonds", 2, 2, "0.45 9000"), ("bonds", 2, 6, "0.5 700"),
    ("bonds", 2, 7, "1.4 300"), ("bonds", 2, 3, "0.4 80 3.5"), ("bonds", 2, 4, "0.4 900 -0.7"), ("bonds", 2, 5, ""),
    ("bonds", 2, 10, "0.45 0.47 0.5 800"), ("angles", 3, 3, "0.4 0.5 300"), ("angles", 3, 4, "0.4 0.5 0.6 300"),
    ("angles", 3, 5, "100 30 0.7 400"), ("angles", 3, 9, "0.3 500"), ("angle_restraints", 4, 1, "40 25 2"), ("angle_restraints_z", 2, 1, "40 25 2"),
    ("distance_restraints", 2, 1, "0 1 0.3 0.4 0.5 1.7\n3 1 1 1 2 0.2 0.3 0.4 1\n2 3 1 2 1 0.6 0.65 0.7 1"), ("dihedral_restraints", 4, 1, "170 25 60"), ("pairs", 2, 2, "0.5 2 -1.5 0.002 0.0003"), ("pairs", 2, 1, "-0.02 0.0004"),
    ("pairs_nb", 2, 1, "0.7 1.1 0.002 0.0003"), ("angles", 3, 1, "100 30"), ("angles", 3, 2, "130 25"),
    ("angles", 3, 6, "125 1.5 2 40 -5 7"), ("angles", 3, 10, "110 12"), ("dihedrals", 4, 1, "35 4.5 3"), ("dihedrals", 4, 4, "-60 2.5 2"),
    ("dihedrals", 4, 9, "35 4.5 1"), ("dihedrals", 4, 1, "35 4.5 -2"), ("dihedrals", 4, 9, "500 4.5 3"), ("dihedrals", 4, 2, "170 40"),
    ("dihedrals", 4, 3, "1 2 -3 0.5 0.25 -0.125"), ("dihedrals", 4, 5, "3 -2 1.5 0.7"), ("dihedrals", 4, 10, "60 7"),
    ("dihedrals", 4, 11, "1.5 2 -3 0.5 0.25 0.7"), ("bonds", 2, 8, "0 1.5"), ("bonds", 2, 9, "12 -0.7"),
    ("bonds", 2, 9, "0 2"), ("angles", 3, 8, "3 2.5"), ("dihedrals", 4, 8, "1 0.8")]


def table(start, end, n, energy):
    """A user table whose cubics show: U and F are rounded, and F is not quite -dU/dx."""
    x = np.linspace(start, end, n)
    return "".join("%.10g %.9g %.9g\n" % row for row in zip(x, energy(x), 0.97 * -np.gradient(energy(x), x)))


TABLES = {  # as mdrun -tableb reads them
    "set_b0.xvg": "# r f -df/dr\n@ title \"bonds\"\n" + table(0, 1.5, 61, lambda r: 300 * (r - 0.45)**2 + 3 * np.sin(20 * r)),
    "set_b12.xvg": table(0, 2, 41, lambda r: 40 * np.cos(4 * r)),
    "set_a3.xvg": table(0, 180, 37, lambda t: 0.01 * (t - 110)**2 + np.cos(t / 10)),
    "set_d1.xvg": table(-180, 180, 73, lambda p: 5 * np.cos(np.radians(2 * p - 40)) + np.sin(np.radians(p)))}


class Case:
    """A topology, with positions; atoms of [ atoms ] in the order of the configuration."""

    def __init__(self, name, top, atoms, box, modifier="potential-shift", coulomb="reaction-field",
                 rf="0", lacks_constants=False, reference=None, scaling="no",
                 more="", keys="", parts=(), tables=None):
        self.name, self.top, self.atoms, self.box = name, top, atoms, box
        self.mdp = gf.SINGLE_POINT % dict(modifier=modifier, coulomb=coulomb, rf=rf)
        self.mdp = with_keys(self.mdp + "refcoord-scaling = %s\n%s" % (scaling, more), keys)
        self.dt = 0.01  # ps, of the motion
        self.lacks_constants, self.reference, self.parts = lacks_constants, reference, parts
        self.tables = tables or {}

    def wanted(self, folder, reference):
        """Energies and forces of GROMACS; parts: sums over topologies and .mdp files."""
        if not self.parts:
            return gf.single_point(folder, self.mdp, reference=reference, tables=self.tables)
        total, force = {}, 0
        for top, keys in self.parts:
            gf.write(folder, "part.top", top)
            energies, f = gf.single_point(folder, with_keys(self.mdp, keys), top="part.top")
            total = {name: total.get(name, 0) + energies.get(name, 0) for name in {**total, **energies}}
            force = force + f
        return total, force


def with_keys(mdp, keys):
    """keys: "key = value; key = value" in place of those of an .mdp file."""
    for key in filter(None, keys.split(";")):
        mdp = re.sub(r"(?m)^%s *=.*\n" % key.split("=")[0].strip(), "", mdp) + key.strip() + "\n"
    return mdp


def compare(checks, case):
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", case.top)
        gf.write(folder, "conf.gro", gf.gro(case.box, case.atoms))
        for name, text in case.tables.items():
            gf.write(folder, name, text)
        places = "conf.gro"
        if case.reference:
            places = gf.write(folder, "places.gro", gf.gro(*case.reference))
        want, force = case.wanted(folder, places)
        gf.write(folder, "sp.mdp", case.mdp)
        run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "start.h5",
            *(["--reference=" + places] if case.reference else []),
            *(["--tableb=set.xvg"] if case.tables else []), cwd=folder)
        for name in case.tables: # the state has them
            os.remove(os.path.join(folder, name))
        start = os.path.join(folder, "start.h5")
        text = os.path.join(folder, "forces.txt")
        got = energy(start, "--precision=double", "--forces=" + text)
        scale = max(abs(v) for k, v in want.items() if k != "Pressure" and "Pres" not in k)
        for name, parts in gf.TERMS.items():
            if name == "qq" and case.lacks_constants:
                continue
            value = sum(want.get(part, 0) for part in parts)
            checks.close(case.name + ": " + name, got["terms"].get(name, 0), value, relative=1e-6,
                         absolute=1e-9 * scale)
        if not case.lacks_constants: # GROMACS has no term that is in none of ours
            checks.close(case.name + ": potential", got["potential"], want["Potential"],
                         relative=1e-6, absolute=1e-9 * scale)
        own = np.loadtxt(text, ndmin=2)[:, 1:4]
        largest = np.abs(force).max()
        checks.true(case.name + ": forces", largest > 1 and
                    np.abs(own - force).max() < 1e-7 * largest, np.abs(own - force).max(), largest)
        if case.parts or case.tables: # tables are not exported
            return
        # what is exported is the same system for GROMACS
        run("export", "start.h5", "--gro=out.gro", "--top=out.top", "--digits=9", cwd=folder)
        again, _ = gf.single_point(folder, case.mdp, top="out.top", conf="out.gro", reference=places)
        checks.close(case.name + ": exported", again["Potential"], want["Potential"], relative=1e-6,
                     absolute=1e-9 * scale)


def move(checks, case):
    """200 steps of velocity Verlet from rest end at the positions of GROMACS."""
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", case.top)
        gf.write(folder, "conf.gro", gf.gro(case.box, case.atoms))
        want = gf.final_positions(folder, gf.MOTION.replace("dt = 0.01", "dt = %g" % case.dt))
        run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "start.h5", "--run=run.yaml",
            cwd=folder)
        run("run", "run.yaml", "-s", "run.precision=double", cwd=folder)
        own, vectors = trial.positions(os.path.join(folder, "run.checkpoint.h5")), gf.vectors(case.box)
        off, begin = own - want, np.array([x for *_, x in case.atoms])
        path = want - begin
        for d in off, path:
            d -= np.round(d @ np.linalg.inv(vectors)) @ vectors
        checks.true(case.name + ": positions", np.abs(off).max() < 1e-7 and np.abs(path).max() > 0.01,
                    np.abs(off).max(), np.abs(path).max())


def walk(rng, n, box):
    """A random chain of n beads around the middle of the box."""
    x = [np.array(box) / 2]
    while len(x) < n:
        step = rng.normal(size=3)
        new = x[-1] + step / np.linalg.norm(step) * rng.uniform(0.35, 0.6)
        if min(np.linalg.norm(new - other) for other in x) > 0.34:
            x.append(new)
    return x


def forms(rng):
    """One molecule for each form; three shapes of it, also across the faces of the box."""
    for directive, beads, function, columns in BONDED:
        top, n = FORCEFIELD + "[ moleculetype ]\nM 1\n[ atoms ]\n", max(beads, 3)
        charges = [0.5, -1, 0.75, 0.25]
        for k in range(n):
            top += "%d %s 1 RES A%d %d %g\n" % (k + 1, "PCQC"[k], k + 1, k + 1, charges[k])
        top += "[ %s ]\n%s %d %s\n" % (directive, " ".join(map(str, range(1, beads + 1))), function, columns)
        copies = 1 if directive == "distance_restraints" else 3 # GROMACS refuses restraints of copies
        top += "[ system ]\none form\n[ molecules ]\nM %d\n" % copies
        box = [5.0, 4.5, 4.0]
        atoms = []
        while len(atoms) < copies * n: # molecules that do not overlap
            shift, edges = rng.uniform(-2, 2, 3), np.array(box)
            chain = [x + shift for x in walk(rng, n, box)]
            apart = [np.linalg.norm((x - y + edges / 2) % edges - edges / 2) for x in chain for *_, y in atoms]
            if min(apart, default=1) > 0.34:
                atoms += [(len(atoms) // n + 1, "RES", "A%d" % (k + 1), x) for k, x in enumerate(chain)]
        tabulated = function == 8 or (directive, function) == ("bonds", 9)
        yield Case("%s %d" % (directive, function), top, atoms, box, more="disre = simple\ndisre-fc = 700\n" * (copies == 1),
                   tables=TABLES if tabulated else None)


def tables(rng):
    """Parameters by type names, in either order, with wildcards and macros; several dihedrals."""
    top = FORCEFIELD.replace("P 72", "P BP 72").replace("C 72", "C BC 72").replace("Q 45", "Q BC 45")
    top += """#define K 1250
#define ANGLE 120.0
#ifdef STIFF
[ bondtypes ]
BP BC 1 0.47 2500
#else
[ bondtypes ]
BP BC 1 0.47 K ; by a macro
#endif
BC BC 1 0.33 900
BC BC 1 0.37 K*1.000
BC BP 1 0.46 2400 ; the last of several rows holds, from either end
[ angletypes ]
BC BC BP 2 \\
  ANGLE 35
[ dihedraltypes ]
X BC BC X 9 30 1 2
X BC BC X 9 -40 2 3
BP BC BC BP 9 0 0.5 1
BC BC 2 10 50
BC BC 2 20 30
[ moleculetype ]
M 2
[ atoms ]
1 P 1 RES A 1
2 C 1 RES B 2 0 100
3 Q 1 RES C 3 1
4 C 1 RES D 4 -1
5 P 1 RES E 5 0.5
[ bonds ]
1 2 1
2 3 1
4 3 1
5 4 1
1 5 6 0.6 100
1 2 1 0.5 100
[ angles ]
1 2 3 2
2 3 4 2 100 20
[ dihedrals ]
1 2 3 4 9
2 3 4 5 9
[ dihedrals ]
2 1 5 3 2
[ exclusions ]
1 5 4
"""
    chain = walk(rng, 5, [5, 5, 5])
    atoms = [(1, "RES", "ABCDE"[k], x) for k, x in enumerate(chain)]
    end = "[ system ]\ntables\n[ molecules ]\nM 1\n"
    yield Case("tables", top + end, atoms, [5, 5, 5])
    yield Case("nrexcl 3", top.replace("M 2", "M 3") + end, atoms, [5, 5, 5])
    yield Case("nrexcl 0", top.replace("M 2", "M 0") + end, atoms, [5, 5, 5])
    mixed = top.replace("M 2", "M 4") + "[ moleculetype ]\nN 1\n[ atoms ]\n1 P 1 N A 1\n" \
        "2 P 1 N B 2\n3 C 1 N C 3\n[ bonds ]\n1 2 1 0.4 900\n2 3 2 0.4 900\n" + end + "N 2\n"
    more = [(2 + k // 3, "N", "ABC"[k % 3], x + np.array([2.5, 0, 0]))
            for k, x in enumerate(walk(rng, 6, [5, 5, 5]))]
    yield Case("two nrexcl", mixed, atoms + more, [5, 5, 5])


def scattered(rng, n, spacing):
    """Points of a jittered lattice in random order, and the box."""
    edge = int(np.ceil(n ** (1 / 3)))
    points = [np.array([i, j, k]) * spacing + rng.uniform(0, 0.12, 3)
              for i in range(edge) for j in range(edge) for k in range(edge)]
    rng.shuffle(points)
    return points[:n], [edge * spacing] * 3


SITES = [  # directive, atoms that it is constructed from, what stands after them
    ("virtual_sites2", 2, "1 0.3"), ("virtual_sites2", 2, "2 0.25"),
    ("virtual_sites3", 3, "1 0.3 -0.4"), ("virtual_sites3", 3, "2 0.4 0.3"),
    ("virtual_sites3", 3, "3 130 0.3"),
    ("virtual_sites3", 3, "4 0.3 0.4 1.2"), ("virtual_sites4", 4, "2 0.7 -0.4 0.3"), ("virtual_sitesn", 3, 1), ("virtual_sitesn", 4, 2),
    ("virtual_sitesn", 3, 3)]


def sites(rng):
    """A molecule with a virtual site of each form and another one, which is built on it where GROMACS
    can do that: it spreads forces in the order of its functions."""
    for directive, n, columns in SITES:
        masses = [72, 45, 100, 60]
        top = FORCEFIELD + "[ moleculetype ]\nM 1\n[ atoms ]\n"
        for k in range(n):
            top += "%d %s 1 RES A%d %d %g %g\n" % (k + 1, "PCQC"[k], k + 1, k + 1, (-1) ** k, masses[k])
        for k in range(2):
            top += "%d %s 1 RES S%d %d %g 0\n" % (n + 1 + k, "PQ"[k], k, n + 1 + k, 0.5 - k)
        top += "[ bonds ]\n" + "".join("%d %d 1 0.47 500\n" % (k, k + 1) for k in range(1, n))
        first = range(1, n + 1)
        if directive == "virtual_sitesn":
            words = " ".join("%d%s" % (b, " %g" % (0.5 + b) if columns == 3 else "") for b in first)
            top += "[ %s ]\n%d %d %s\n" % (directive, n + 1, columns, words)
            top += "%d 1 2 1\n" % (n + 2)
        else: # the second site is built on the first
            top += "[ %s ]\n%d %s %s\n" % (directive, n + 1, " ".join(map(str, first)), columns)
            top += "[ virtual_sitesn ]\n%d 1 %d 2\n" % (n + 2, n + 1)
        top += "[ exclusions ]\n" + "".join("%d %s\n" % (i, " ".join(str(j) for j in range(1, n + 3) if j != i))
                                           for i in range(1, n + 3))
        top += "[ moleculetype ]\nW 1\n[ atoms ]\n1 P 1 W W 1 -0.5\n"
        top += "[ system ]\nsites\n[ molecules ]\nM 1\nW 60\n"
        box = [3.0, 3.0, 3.0]
        atoms = [(1, "RES", "A%d" % (k + 1), x) for k, x in enumerate(walk(rng, n, box))]
        atoms += [(1, "RES", "S%d" % k, np.array(box) / 2) for k in range(2)]
        points, _ = scattered(rng, 216, 0.5)
        far = [p for p in points if min(np.linalg.norm((p - x + 1.5) % 3 - 1.5) for *_, x in atoms) > 1.0]
        atoms += [(2 + k, "W", "W", x) for k, x in enumerate(far[:60])]
        yield Case("%s %s" % (directive, columns), top, atoms, box)


SITES_OF_TERMS = """[ virtual_sites2 ]
5 1 2 1 0.35
6 2 1 1 0.8
[ virtual_sites3 ]
7 1 2 3 1 0.4 0.5
8 1 2 3 2 0.4 0.35
9 3 1 2 4 0.3 0.4 1.2
12 2 1 3 2 0.6 0.3
14 2 1 3 3 70 0.3
[ virtual_sites4 ]
15 1 2 3 4 2 0.5 0.7 0.3
[ virtual_sitesn ]
10 1 1 4
11 1 3 4
13 1 2 3 4
13 1 2 3 4
"""


def terms_of_sites(rng):
    """Bonds, angles and dihedrals of random atoms, of which some are sites: grompp leaves out those that it takes
    for constant, which depends on the sites and on what constraints hold together."""
    a, b, c, d = x = [np.array([2, 2, 2.0]), np.array([2.42, 2, 2.1]), np.array([2.2, 2.4, 2]), np.array([2.1, 2.2, 2.5])]
    unit = lambda v: v / np.linalg.norm(v)
    x += [a + 0.35 * (b - a), b + 0.8 * (a - b), a + 0.4 * (b - a) + 0.5 * (c - a),
          a + 0.35 * unit(b - a + 0.4 * (c - b)), c + 0.3 * (a - c) + 0.4 * (b - c) + 1.2 * np.cross(a - c, b - c),
          (a + d) / 2, (c + d) / 2, b + 0.3 * unit(a - b + 0.6 * (c - a)), (b + c + d) / 3]
    across = (c - a) - np.dot(c - a, unit(a - b)) * unit(a - b)
    x += [b + 0.3 * np.cos(np.radians(70)) * unit(a - b) + 0.3 * np.sin(np.radians(70)) * unit(across),
          a + 0.3 * unit(np.cross(0.5 * (c - a) - (b - a), 0.7 * (d - a) - (b - a)))]

    def straight(term):
        return any(np.linalg.norm(np.cross(unit(x[i] - x[j]), unit(x[k] - x[j]))) < 0.2
                   for i, j, k in zip(term, term[1:], term[2:]))

    def terms(directive, n, count, functions):
        lines, seen = "[ %s ]\n" % directive, set()
        while len(seen) < count:
            term = [int(k) for k in rng.choice(15, n, replace=False)]
            if frozenset(term) in seen and n == 2 or straight(term) or min(
                    np.linalg.norm(x[i] - x[j]) for i, j in zip(term, term[1:])) < 0.08:
                continue
            seen.add(frozenset(term) if n == 2 else tuple(term))
            lines += " ".join("%d" % (k + 1) for k in term) + " " + functions[len(seen) % len(functions)] + "\n"
        return lines

    def molecule(name, held, more):
        top = "[ moleculetype ]\n%s 1\n[ atoms ]\n" % name
        top += "".join("%d V 1 M A%d %d 0 %g\n" % (k, k, k, 72 * (k < 5)) for k in range(1, 16))
        top += terms("bonds", 2, 40, ["1 0.3 900", "2 0.3 900", "6 0.3 900", "3 0.3 50 3", "4 0.3 900 0.5", "10 0.2 0.3 0.4 500"] + more[:2])
        top += terms("angles", 3, 60, ["1 120 30", "2 100 20", "10 110 5", "6 90 1 2 3 4 5", "3 0.3 0.2 200", "4 0.3 0.3 0.4 200",
                                     "5 100 20 0.4 300", "9 0.4 300"] + more[2:3])
        top += terms("dihedrals", 4, 100, ["1 35 4.5 3", "2 20 4", "9 30 2 1", "4 10 3 2", "3 1 2 -3 0.5 0.25 -0.125"] + more[3:])
        top += terms("pairs", 2, 12, ["1 1e-7 0", "2 1 0.5 0.5 0 1e-16"])
        top += terms("angle_restraints", 4, 12, ["1 40 25 2"]) + terms("dihedral_restraints", 4, 12, ["1 170 25 60"])
        top += terms("angle_restraints_z", 2, 12, ["1 40 25 2"])
        pairs = {tuple(sorted(held[k:k + 2])) for k in range(0, len(held), 2)}
        top += "[ constraints ]\n" if pairs else ""
        top += "".join("%s %s 2 %.9f\n" % (i, j, np.linalg.norm(x[int(i) - 1] - x[int(j) - 1])) for i, j in sorted(pairs))
        return top + SITES_OF_TERMS

    tables = ["8 0 1", "9 12 1", "8 3 1", "8 1 1"] # of bonds, angles, dihedrals
    for held, more in ("", []), ("12", []), ("122313", []), ("13232134", []), ("1223", tables):
        names = ["M%d" % k for k in range(8)]
        top = FORCEFIELD.replace("[ nonbond", "V 0 0 A 0 0\n[ nonbond") + "".join(molecule(name, held, more) for name in names)
        top += "[ system ]\nterms\n[ molecules ]\n" + "".join(name + " 1\n" for name in names)
        atoms = [(n, "M", "A%d" % (k + 1), p + 0.1 * n) for n in range(8) for k, p in enumerate(x)]
        yield Case("terms of sites, constraints " + held, top, atoms, [4.0, 4.0, 4.0], tables=TABLES if more else None)


PAIRS = """[ moleculetype ]
M %d
[ atoms ]
1 P 1 RES A 1 0.5
2 C 1 RES B 2 -1
3 Q 1 RES C 3 1
4 C 1 RES D 4 -1
5 P 1 RES E 5 0
[ bonds ]
1 2 1 0.47 1250
2 3 1 0.47 1250
3 4 5
4 5 3 0.45 40 3
[ pairs ]
1 3 1 %s
1 4 1
4 2 1
2 5 1
3 5 1
3 1 2 0.5 0.25 2 %s
1 5 1 0 1e-4
[ pairs_nb ]
2 5 1 0.7 1.1 %s
"""


def pairs(rng):
    """Pairs with and without numbers, by each combination rule: of pairtypes, or generated with fudge factors, of rows
    of nonbond_params too; charges; twice the same atoms."""
    masses = "[ atomtypes ]\nP BP 72 0 A %s\nC BC 72 0 A %s\nQ BC 45 0 A %s\n[ nonbond_params ]\nP C 1 %s\n"
    rule = {1: ("0.15 0.002", "0.2 0.003", "0.25 0.0015", "0.1 0.001"), 2: ("0.47 5", "0.43 3", "0.5 4", "0.45 2")}
    for k, own in (1, "0.05 0.002"), (2, "0.4 2"), (3, "-0.35 2"):
        top = "[ defaults ]\n1 %d %s\n" % (k, ("yes 0.5 0.8333", "no 1.0 0.5 12", "yes")[k - 1]) + masses % rule[min(k, 2)]
        rows = ["C Q 1 %s\n" % own] + ["Q P 1 %s\nP C 1 %s\nC C 1 %s\n" % (own, own, own)] * (k == 2)
        top += "[ pairtypes ]\n" + "".join(rows)
        top += PAIRS % (k, own, own, own) + "[ system ]\npairs\n[ molecules ]\nM 2\n"
        atoms = [(1 + n, "RES", "ABCDE"[i], x + 2 * n) for n in range(2) for i, x in enumerate(walk(rng, 5, [4, 4, 4]))]
        yield Case("pairs, rule %d" % k, top, atoms, [4.5, 4.5, 4.5], coulomb=["reaction-field", "cut-off"][k == 3],
                   lacks_constants=k == 3)


def water(rng):
    """Rigid water as settles, for nrexcl 1 and 2."""
    for nrexcl in 1, 2:
        top = FORCEFIELD.replace("[ nonbond", "OW 72 0 A 0.003 3e-6\nHW 36 0 A 0 0\n[ nonbond")
        top += "[ moleculetype ]\nSOL %d\n[ atoms ]\n1 OW 1 SOL OW 1 -0.82\n2 HW 1 SOL HW1 1 0.41\n" % nrexcl
        top += "3 HW 1 SOL HW2 1 0.41\n[ settles ]\n1 1 0.1 0.16330\n[ system ]\nwater\n[ molecules ]\nSOL 27\n"
        points, box = scattered(rng, 27, 0.9)
        atoms = []
        for k, p in enumerate(points):
            a, b = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
            h, w = (0.01 - 0.08165**2)**0.5, 0.08165
            atoms += [(k + 1, "SOL", "OW", p), (k + 1, "SOL", "HW1", p + h * a + w * b), (k + 1, "SOL", "HW2", p + h * a - w * b)]
        yield Case("settles, nrexcl %d" % nrexcl, top, atoms, box)


def constraints(rng):
    """Constraints of both functions, by a table and with a bond between the same atoms."""
    top = FORCEFIELD + "[ constrainttypes ]\nQ C 1 0.52\n[ moleculetype ]\nM 1\n[ atoms ]\n"
    top += "".join("%d %s 1 RES A%d %d %g\n" % (k + 1, "PCQC"[k], k, k + 1, k - 1) for k in range(4))
    top += "[ constraints ]\n1 2 1 0.41\n2 3 2 0.45\n4 3 1\n[ bonds ]\n1 2 1 0.4 800\n2 4 1 0.6 300\n"
    top += "[ system ]\nconstraints\n[ molecules ]\nM 1\n"
    box = [4.0, 4.0, 4.0]
    x = [np.array(box) / 2]
    for length in 0.41, 0.45, 0.52:
        step = rng.normal(size=3) + [2, 0, 0]
        x.append(x[-1] + length * step / np.linalg.norm(step))
    yield Case("constraints", top, [(1, "RES", "A%d" % k, p) for k, p in enumerate(x)], box)


def hub(rng):
    """An atom with more bonds and terms than an elastic network or an atomistic force field gives one."""
    n = 150
    top = FORCEFIELD + "[ moleculetype ]\nM 1\n[ atoms ]\n"
    top += "".join("%d %s 1 RES A%d %d %g\n" % (k + 1, "PCQ"[k % 3], k, k + 1, k % 3 - 1) for k in range(n))
    top += "[ bonds ]\n" + "".join("1 %d 1 0.9 500\n" % k for k in range(2, n + 1))
    top += "[ angles ]\n" + "".join("%d 1 %d 2 110 20\n" % (k, k + 1) for k in range(2, n))
    top += "[ system ]\nhub\n[ molecules ]\nM 1\n"
    points, _ = scattered(rng, n, 0.4)
    yield Case("150 bonds", top, [(1, "RES", "A%d" % k, p) for k, p in enumerate(points)], [9.0, 9.0, 9.0])


def oddities(rng):
    """What published topologies have: a dihedral that stands twice, from either end; a cosine of 210
    degrees; a site on its bead, with an epsilon below 0; one whose atoms repeat. Restraints to places
    in another box, by each rule of scaling."""
    top = FORCEFIELD.replace("1 1", "1 2").replace("[ nonbond_params ]\n", "V 0 0 A 0 0\n[ nonbond_params ]\n")
    top = top[:top.index("P P 1")] + "P P 1 0.47 5\nC C 1 0.47 3.5\nQ Q 1 0.47 5\nP C 1 0.47 2.3\nV Q 1 0.43 -0.5\n"
    top += "[ moleculetype ]\nM 1\n[ atoms ]\n" + "".join(
        "%d %s 1 RES A%d %d %g %g\n" % (k + 1, "PCPCVV"[k], k, k + 1, 0.25 * (k < 4), 72 * (k < 4)) for k in range(6))
    top += "[ bonds ]\n1 2 1 0.47 1250\n2 3 1 0.47 1250\n3 4 1 0.47 1250\n[ angles ]\n1 2 3 2 210 50\n2 3 4 10 -250 9\n"
    top += "[ dihedrals ]\n1 2 3 4 2 20 40\n4 3 2 1 2 20 40\n2 1 3 4 1 20 4 1\n2 1 3 4 1 20 4 1\n"
    top += "[ virtual_sitesn ]\n5 1 2\n6 2 1 1 2 3 3 3\n[ exclusions ]\n6 1 2 3 4 5\n"
    top += "[ position_restraints ]\n1 1 900 800 0\n3 1 300 300 300\n6 1 100 100 100\n"
    top += "[ moleculetype ]\nION 1\n[ atoms ]\n1 Q 1 ION Q 1 -1\n[ system ]\nodd\n[ molecules ]\nM 1\nION 4\n"
    box = [4.0, 4.5, 4.2]
    chain = walk(rng, 4, box)
    atoms = [(1, "RES", "A%d" % k, x) for k, x in enumerate([*chain, chain[1], chain[0]])]
    atoms += [(2 + k, "ION", "Q", chain[k] + np.array([0, 0.1 * k, 0.55])) for k in range(4)]
    moved = [(*row[:3], 1.1 * row[3] + rng.normal(scale=0.1, size=3)) for row in atoms]
    for scaling in "no", "com", "all":
        yield Case("oddities, " + scaling, top, atoms, box, reference=([1.1 * b for b in box], moved), scaling=scaling)
        yield Case("oddities, oblique, " + scaling, top, atoms, [*box, 0, 0, 0.9, 0, -0.8, 1.1],
                   reference=([4.3, 4.9, 4.4, 0, 0, -0.7, 0, 1.2, 0.6], moved), scaling=scaling)


def flat_bottomed(rng):
    """Beads in and out of each shape and its inverse, beside harmonic restraints; places in another box, by each rule
    of scaling."""
    top = FORCEFIELD + "[ moleculetype ]\nM 1\n[ atoms ]\n"
    top += "".join("%d C 1 RES A%d %d 0\n" % (k + 1, k + 1, k + 1) for k in range(36))
    top += "[ position_restraints ]\n5 1 100 0 30\n" + "".join(
        "%d 2 %d %g %d\n" % (k + 1, 1 + k % 8, (0.1, -0.15)[k // 8 % 2], 500 + 10 * k) for k in range(32))
    end = "[ system ]\nshapes\n[ molecules ]\nM 1\n"
    points, box = scattered(rng, 36, 0.9)
    tilts = [0, 0, 0.3 * box[0], 0, -0.4 * box[0], 0.45 * box[1]]
    atoms = [(1, "RES", "A%d" % (k + 1), x) for k, x in enumerate(points)]
    moved = [(*row[:3], 1.02 * row[3] + rng.normal(scale=0.15, size=3)) for row in atoms]
    for scaling in "no", "com", "all":
        twice = "3 2 5 0.05 70\n" * (scaling != "com")  # grompp counts such a bead twice for the centre
        for shape, other in ([], []), (tilts, [0.9 * b for b in tilts]):
            yield Case("flat-bottomed, %s%s" % (scaling, ", oblique" * bool(shape)), top + twice + end, atoms, [*box, *shape],
                       reference=([1.02 * b for b in box] + other, moved), scaling=scaling)


def boxes(rng):
    """Lipids, water and ions in disorder, with each truncation and combination rule."""
    lipid = "[ moleculetype ]\nLIP 1\n[ atoms ]\n" + "".join(
        "%d %s 1 LIP %s %d %g\n" % (k + 1, t, name, k + 1, q) for k, (t, name, q) in enumerate(
            [("Q", "NC3", 1), ("Q", "PO4", -1), ("P", "GL1", 0), ("C", "C1A", 0), ("C", "C2A", 0)]))
    lipid += "[ bonds ]\n" + "".join("%d %d 1 0.47 50\n" % (k, k + 1) for k in range(1, 5))
    lipid += "[ angles ]\n2 3 4 2 120 25\n3 4 5 2 180 25\n"
    single = "".join("[ moleculetype ]\n%s 1\n[ atoms ]\n1 %s 1 %s %s 1 %g\n" % (m, t, m, m, q)
                     for m, t, q in (("W", "P", 0), ("NA", "Q", 1), ("CL", "Q", -1)))
    order = [("LIP", 40), ("W", 300), ("NA", 20), ("CL", 20), ("W", 150)]
    names = {"LIP": ["NC3", "PO4", "GL1", "C1A", "C2A"], "W": ["W"], "NA": ["NA"], "CL": ["CL"]}
    points, box = scattered(rng, sum(n * len(names[m]) for m, n in order), 0.5)
    atoms, number, at = [], 0, 0
    for molecule, n in order:
        for _ in range(n):
            number += 1
            for name in names[molecule]:
                atoms.append((number, molecule, name, points[at]))
                at += 1
    rest = lipid + single + "[ system ]\nbox\n[ molecules ]\n" + "".join(
        "%s %d\n" % row for row in order)
    yield Case("box", FORCEFIELD + rest, atoms, box)
    yield Case("box, cut", FORCEFIELD + rest, atoms, box, modifier="none")
    # GROMACS switches the force, but not the energy, of excluded pairs too: there are none
    all_pairs = rest.replace("LIP 1\n", "LIP 0\n", 1)
    for name, modifier, rest_of in ("force-switch", "shift", all_pairs), ("potential-switch", "switch", rest):
        top = FORCEFIELD + rest_of
        yield Case("box, " + name, top, atoms, box, modifier=name, keys="rvdw-switch = 0.8")
        yield Case("box, %s from 0" % name, top, atoms, box, modifier=name, rf="78")
        yield Case("box, vdwtype " + modifier, top, atoms, box,
                   keys="vdwtype = %s; rvdw-switch = 0.9; rvdw = 1.2; rcoulomb = 1.2" % modifier)
    # of two ranges, which grompp refuses together: Lennard-Jones and bonded terms, and charges that bonds exclude
    lj = FORCEFIELD + re.sub(r"(?m)^(\d+ \w+ 1 \w+ \w+ \d+) -?1$", r"\1 0", rest)
    charges = re.sub(r"(?m)^(\w \w 1) .*", r"\1 0 0", FORCEFIELD) + rest.replace("1 0.47 50", "5")
    charges = re.sub(r"\[ angles \]\n.*\n.*\n", "", charges)
    for ranges in (0.9, 1.2), (1.2, 0.95):
        for keys, rf in ("vdw-modifier = potential-shift", "0"), ("vdw-modifier = none", "78"), (
                "vdw-modifier = potential-switch; rvdw-switch = 0.6", "0"):
            keys += "; epsilon_rf = %s; rvdw = %g; rcoulomb = " % (rf, ranges[0])
            yield Case("box, ranges %g %g, %s" % (*ranges, keys), FORCEFIELD + rest, atoms, box,
                       keys=keys + "%g" % ranges[1],
                       parts=[(lj, keys + "%g" % ranges[0]), (charges, keys + "%g; rvdw = %g" % (ranges[1], ranges[1]))])
    yield Case("box, epsilon_rf 78", FORCEFIELD + rest, atoms, box, rf="78")
    yield Case("box, cut-off", FORCEFIELD + rest, atoms, box, coulomb="cut-off",
               lacks_constants=True)
    for rule in 2, 3:
        head = "[ defaults ]\n1 %d\n[ atomtypes ]\nP 72 0 A 0.47 5\nC 72 0 A 0.43 3\nQ 45 0 A 0.5 4\n" \
            "[ nonbond_params ]\nP C 1 0.47 2\n" % rule
        yield Case("combination rule %d" % rule, head + rest, atoms, box)
    head = FORCEFIELD[:FORCEFIELD.index("[ nonbond")].replace("0 0\n", "0.15 0.002\n")
    yield Case("combination rule 1", head + rest, atoms, box)


LAMMPS = """units real
atom_style charge
dielectric 15
read_data box.data
pair_style lj/gromacs/coul/gromacs %s
pair_coeff 1 1 %.15g %.15g
pair_coeff 1 2 %.15g %.15g
pair_coeff 2 2 %.15g %.15g
thermo_style custom evdwl ecoul
thermo_modify format float %%.15g
dump forces all custom 1 forces.dump fx fy fz
dump_modify forces sort id format float %%.15g
run 0
"""


def shifted(checks, rng, lj, charges):
    """Water and ions of old Martini (lj, charges: from where to where, nm), whose shifted charges GROMACS has
    lost, beside LAMMPS."""
    name, n, kcal = "shifted from %g to %g nm, charges from %g to %g" % (*lj, *charges), 500, 4.184
    points, box = scattered(rng, n, 0.5)
    molecules = [("W", 420), ("NA", 40), ("CL", 40)]
    top = FORCEFIELD + "".join("[ moleculetype ]\n%s 1\n[ atoms ]\n1 %s 1 %s %s 1 %g\n" % (m, t, m, m, q)
                               for m, t, q in (("W", "P", 0), ("NA", "Q", 1), ("CL", "Q", -1)))
    top += "[ system ]\nbox\n[ molecules ]\n" + "".join("%s %d\n" % row for row in molecules)
    names = [m for m, count in molecules for _ in range(count)]
    charge = {"W": 0, "NA": 1, "CL": -1}
    mdp = "coulombtype = shift\nepsilon_r = 15\nvdw_type = shift\nrvdw_switch = %g\nrvdw = %g\n" % lj
    mdp += "rcoulomb_switch = %g\nrcoulomb = %g\n" % charges
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", top)
        gf.write(folder, "conf.gro", gf.gro(box, [(k + 1, m, m, x) for k, (m, x) in enumerate(zip(names, points))]))
        gf.write(folder, "md.mdp", mdp)
        run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "start.h5", cwd=folder)
        text = os.path.join(folder, "forces.txt")
        got = energy(os.path.join(folder, "start.h5"), "--precision=double", "--forces=" + text)
        gf.write(folder, "box.data", "box\n\n%d atoms\n2 atom types\n" % n + "".join(
            "0 %.9f %slo %shi\n" % (10 * b, x, x) for b, x in zip(box, "xyz")) + "\nMasses\n\n1 72\n2 45\n\nAtoms\n\n" +
            "".join("%d %d %g %.9f %.9f %.9f\n" % (k + 1, 1 + (m != "W"), charge[m], *(10 * x))
                    for k, (m, x) in enumerate(zip(names, np.round(points, 9)))))
        numbers = [v for c6, c12 in ((0.21558, 0.0023238), (0.24145, 0.0026027), (0.21558, 0.0023238))
                   for v in (c6**2 / (4 * c12) / kcal, 10 * (c12 / c6)**(1 / 6))]
        ends = " ".join("%g" % (10 * r) for r in (*lj, *charges))
        gf.write(folder, "in.lmp", LAMMPS % (ends, *numbers))
        done = subprocess.run(["lmp", "-in", "in.lmp", "-log", "none"], cwd=folder, text=True, capture_output=True)
        checks.true(name + ": lmp ends", done.returncode == 0, done.stdout[-1000:])
        lines = done.stdout.split("\n")
        at = next(k for k, line in enumerate(lines) if line.split()[:1] == ["E_vdwl"])
        want = np.array([float(word) for word in lines[at + 1].split()]) * kcal
        force = np.loadtxt(os.path.join(folder, "forces.dump"), skiprows=9) * 10 * kcal
        own = np.loadtxt(text)[:, 1:4]
    for term, value in zip(("lj", "qq"), want):
        checks.close(name + ": " + term, got["terms"][term], value, relative=1e-6, absolute=0)
    checks.true(name + ": charges", abs(want[1]) > 1, want)
    checks.true(name + ": forces", np.abs(own - force).max() < 1e-7 * np.abs(force).max(),
                np.abs(own - force).max(), np.abs(force).max())


def oblique(rng):
    """Lipids, water and ions in boxes of the shapes that `gmx editconf` makes, and in random ones; restraints to places
    in a box of another shape, by each rule of scaling."""
    d = 4.0
    shapes = {"hexagonal prism": [d, d * 0.75**0.5, d, 0, 0, d / 2, 0, 0, 0],
              "rhombic dodecahedron": [d, d, d * 0.5**0.5, 0, 0, 0, 0, d / 2, d / 2],
              "rhombic dodecahedron, hexagon": [d, d * 0.75**0.5, d * (2 / 3)**0.5, 0, 0, d / 2, 0, d / 2, d * 12**-0.5],
              "truncated octahedron": [d, d * 8**0.5 / 3, d * (2 / 3)**0.5, 0, 0, d / 3, 0, -d / 3, d * 2**0.5 / 3]}
    for k in range(2):
        a, b, c = rng.uniform(3.4, 4.4, 3)
        u, v, w = rng.uniform(-0.45, 0.45, 3)
        shapes["random box %d" % k] = [a, b, c, 0, 0, u * a, 0, v * a, w * b]
    lipid = "[ moleculetype ]\nLIP 1\n[ atoms ]\n1 Q 1 LIP NC3 1 1\n2 Q 1 LIP PO4 2 -1\n3 P 1 LIP GL1 3 0\n4 C 1 LIP C1A 4 0\n"
    lipid += "[ bonds ]\n1 2 1 0.47 500\n2 3 1 0.47 500\n3 4 1 0.47 500\n[ angles ]\n1 2 3 2 120 25\n2 3 4 2 180 25\n"
    lipid += "[ dihedrals ]\n1 2 3 4 1 35 4.5 3\n"
    # GROMACS scales by the centre of the first molecule of each row of [ molecules ]: one is restrained
    held = lipid.replace("LIP 1\n", "HELD 1\n") + "[ position_restraints ]\n" + "".join("%d 1 300 200 100\n" % k for k in range(1, 5))
    single = "[ moleculetype ]\nW 1\n[ atoms ]\n1 P 1 W W 1 0\n[ moleculetype ]\nNA 1\n[ atoms ]\n1 Q 1 NA NA 1 1\n"
    for name, box in shapes.items():
        box = [float("%.9f" % b) for b in box]
        vectors = gf.vectors(box)
        counts = np.floor(np.diag(vectors) / 0.5).astype(int)
        columns = [[(np.array([i, j, k]) / counts) @ vectors + rng.uniform(-0.04, 0.04, 3)
                    for k in range(counts[2])] for i in range(counts[0]) for j in range(counts[1])]
        chains = [[p[0], p[1], q[1], q[0]] for p, q in zip(columns[:32:2], columns[1:32:2])]
        points = [x for n, column in enumerate(columns) for x in column[2 * (n < 32):]]
        atoms = [(n + 1, "LIP", name_, x) for n, chain in enumerate(chains)
                 for name_, x in zip(("NC3", "PO4", "GL1", "C1A"), chain)]
        atoms += [(17 + k, *("NA" if k < 20 else "W",) * 2, x) for k, x in enumerate(points)]
        top = FORCEFIELD + held + lipid + single + "[ system ]\nbox\n[ molecules ]\nHELD 1\nLIP 15\nNA 20\nW %d\n" % (len(points) - 20)
        case = Case(name, top, atoms, box)
        case.dt = 0.0005  # points of a lattice move apart fast
        yield case
        if "random" in name or "dodecahedron, hex" in name:
            other = (np.array(box) * [*rng.uniform(1.0, 1.1, 3), 0, 0, *rng.uniform(0.9, 1.0, 4)]).tolist()
            moved = [(*row[:3], row[3] + rng.normal(scale=0.1, size=3)) for row in atoms]
            for scaling in ("no", "com", "all"):
                yield Case(name + ", reference, " + scaling, top, atoms, box, reference=(other, moved), scaling=scaling)


FROZEN = """freezegrps = W LIP NA
freezedim = Y Y Y N N Y Y N N
"""


def frozen(checks, rng, name):
    """Kinetic energy, temperature and pressure of a state with frozen beads, which have velocities in the file; and where
    the beads are after 200 steps."""
    case = next(case for case in oblique(rng) if case.name == name)
    vectors, begin = gf.vectors(case.box), np.array([x for *_, x in case.atoms])
    velocity = rng.normal(scale=0.2, size=begin.shape)
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", case.top)
        gf.write(folder, "conf.gro", gf.gro(case.box, case.atoms, velocity))
        mdp = with_keys(gf.MOTION, "nsteps = 0; comm-mode = none; nstenergy = 1; dt = 0.0005") + FROZEN
        want, _ = gf.single_point(folder, mdp + "nstfout = 1\n")
        gf.write(folder, "sp.mdp", mdp)
        run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "start.h5", "--run=run.yaml", cwd=folder)
        run("run", "run.yaml", "-s", "run.precision=double", cwd=folder)
        row = {column: values[0] for column, values in trial.columns(folder, "run").items()}
        for column, term in ("kinetic", "Kinetic En."), ("temperature_K", "Temperature"), ("pressure_bar", "Pressure"), \
                ("pxx_bar", "Pres-XX"), ("pyy_bar", "Pres-YY"), ("pzz_bar", "Pres-ZZ"), ("pxy_bar", "Pres-XY"):
            checks.close("frozen, %s: %s" % (case.name, term), row[column], want[term], relative=1e-6, absolute=1e-6 * abs(want["Pressure"]))
        end = gf.final_positions(folder, with_keys(gf.MOTION, "comm-mode = none; dt = 0.0005") + FROZEN)
        run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "start.h5", "--run=run.yaml", cwd=folder)
        run("run", "run.yaml", "-s", "run.precision=double", "--restart=never", cwd=folder)
        off = trial.positions(os.path.join(folder, "run.checkpoint.h5")) - end
        off -= np.round(off @ np.linalg.inv(vectors)) @ vectors
        checks.true("frozen, %s: positions" % case.name, np.abs(off).max() < 1e-6 and np.abs(end - begin).max() > 0.01, np.abs(off).max(),
                    np.abs(end - begin).max())


def main():
    checks = Checks()
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    for cases in forms, tables, pairs, water, oddities, flat_bottomed, boxes, oblique, sites, terms_of_sites, constraints, hub:
        for case in cases(rng):
            compare(checks, case)
            if case.name in ("tables", "virtual_sites3 3 130 0.3", "virtual_sites3 4 0.3 0.4 1.2",
                             "virtual_sites4 2 0.7 -0.4 0.3", "constraints", "settles, nrexcl 1", "hexagonal prism", "random box 0"):
                move(checks, case)
    for name in "hexagonal prism", "random box 0":
        frozen(checks, rng, name)
    for lj, charges in ((0.9, 1.2), (0, 1.2)), ((0.6, 0.95), (0.3, 1.2)), ((0.7, 1.2), (0.5, 1)):
        if shutil.which("lmp"):
            shifted(checks, rng, lj, charges)
    checks.end()


main()
