"""Configurations of GROMACS molecules for comparisons: molecule types of .itp files are read, molecules get a shape from
their bonds, constraints and angles, and are put into boxes of solvent; bilayers are those of insane. Lengths in nm."""
import math
import os
import re
import subprocess
import sys

import numpy as np

BEADS = {"bonds": 2, "constraints": 2, "angles": 3}
INSANE = ("import random, sys, numpy; random.seed({0}); numpy.random.seed({0}); from insane import cli; "
          "sys.exit(cli.main(sys.argv))")


class Molecule:
    """A molecule type: atoms (type, residue number, residue, name, charge), rows of columns by directive."""

    def __init__(self, name):
        self.name, self.atoms, self.rows, self.path = name, [], {}, None

    def distances(self):
        """(i, j, length, weight): constraints, bonds, and the ends of angles."""
        bond, far = {}, []
        for directive, weight in ("bonds", 10.0), ("constraints", 1000.0):
            for row in self.rows.get(directive, []):
                if len(row) > 3:
                    bond[tuple(sorted((int(row[0]) - 1, int(row[1]) - 1)))] = (float(row[3]), weight)
        for row in self.rows.get("angles", []):
            i, j, k = (int(word) - 1 for word in row[:3])
            a, c = bond.get(tuple(sorted((i, j)))), bond.get(tuple(sorted((j, k))))
            if a and c and len(row) > 4:
                angle = math.radians(min(float(row[4]), 170))
                far.append((i, k, math.sqrt(a[0] ** 2 + c[0] ** 2 - 2 * a[0] * c[0] * math.cos(angle)), 0.5))
        return [(i, j, length, weight) for (i, j), (length, weight) in bond.items()] + \
            [row for row in far if tuple(sorted(row[:2])) not in bond]

    def sites(self):
        return {int(row[0]) - 1 for key, rows in self.rows.items() if key.startswith("virtual")
                for row in rows}


def read(path, macros=()):
    """The molecule types of a file, with macros replaced; parts under #ifdef are those of the macros given."""
    found, current, section, defined, live = {}, None, None, dict.fromkeys(macros, ""), []
    with open(path, errors="replace") as file:
        lines = file.read().replace("\\\n", " ").split("\n")
    for line in lines:
        words = line.split(";")[0].split()
        if not words:
            continue
        if words[0] in ("#ifdef", "#ifndef"):
            live.append((words[1] in defined) == (words[0] == "#ifdef"))
        elif words[0] == "#else":
            live[-1] = not live[-1]
        elif words[0] == "#endif":
            live.pop()
        elif not all(live):
            continue
        elif words[0] == "#define":
            defined[words[1]] = words[2] if len(words) > 2 else ""
        elif words[0].startswith("["):
            section = re.sub(r"[\[\]\s]", "", line.split(";")[0])
        elif words[0][0] != "#" and section:
            words = [defined.get(word.split("*")[0], word) for word in words]
            if section == "moleculetype":
                current = found.setdefault(words[0], Molecule(words[0]))
                current.path = path
            elif section == "atoms" and current:
                current.atoms.append((words[1], int(words[2]), words[3], words[4],
                                      float(words[6]) if len(words) > 6 else 0.0))
            elif current:
                current.rows.setdefault(section, []).append(words)
    return found


def relax(x, pairs, wanted, weight, steps=400):
    """Moves points downhill: squares of what distances lack, and of what is nearer than 0.38 nm."""
    n, v = len(x), np.zeros_like(x)
    i, j = pairs[:, 0], pairs[:, 1]
    step = 0.2 / np.bincount(pairs.ravel(), np.repeat(weight, 2), n).clip(1).max()
    for _ in range(steps):
        d = x[j] - x[i]
        r = np.linalg.norm(d, axis=1) + 1e-12
        pull = (weight * (r - wanted) / r)[:, None] * d
        force = np.zeros_like(x)
        np.add.at(force, i, pull)
        np.add.at(force, j, -pull)
        if n > 2:
            d = x[:, None] - x[None]
            r = np.linalg.norm(d, axis=2) + np.eye(n)
            force += 0.5 * (d * (np.clip(0.38 - r, 0, None) / r)[:, :, None]).sum(1)
        v = 0.9 * v + step * force
        x = x + v
    return x


def shape(molecule, rng):
    """A shape of the molecule with the lengths of its constraints, sites at their neighbours."""
    n, rows, sites = len(molecule.atoms), molecule.distances(), molecule.sites()
    if n == 1:
        return np.zeros((1, 3))
    pairs = np.array([row[:2] for row in rows if not sites & set(row[:2])] or [(0, n - 1)])
    kept = [row for row in rows if not sites & set(row[:2])]
    wanted = np.array([row[2] for row in kept] or [0.4])
    weight = np.array([row[3] for row in kept] or [1.0])
    fixed = weight > 100
    best = None
    for _ in range(6):
        x = relax(rng.normal(size=(n, 3)) * 0.25 * n ** 0.5, pairs, wanted, np.minimum(weight, 10))
        for _ in range(300):  # constraints one after the other
            d = x[pairs[fixed, 1]] - x[pairs[fixed, 0]]
            r = np.linalg.norm(d, axis=1)
            if not len(r) or np.abs(r / wanted[fixed] - 1).max() < 1e-6:
                break
            for k, (a, b) in enumerate(pairs[fixed]):
                e = x[b] - x[a]
                length = np.linalg.norm(e)
                move = 0.5 * (length - wanted[fixed][k]) / length * e
                x[a] += move
                x[b] -= move
        d = np.linalg.norm(x[pairs[:, 1]] - x[pairs[:, 0]], axis=1)
        cost = (weight * (d - wanted) ** 2).sum()
        if best is None or cost < best[0]:
            best = cost, x
        if cost < 0.1 * len(pairs):  # kJ/mol or so: what is left is for the minimiser
            break
    x = best[1]
    real = [k for k in range(n) if k not in sites]
    for k in sites:  # GROMACS and the program put them in place
        x[k] = x[real].mean(0)
    return x - x.mean(0)


def turn(rng):
    q = rng.normal(size=4)
    a, b, c, d = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
                     [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
                     [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)]])


def nearest(x, others, box):
    if not len(others):
        return 9.0
    d = x[:, None] - others[None]
    d -= box * np.round(d / box)
    return np.sqrt((d ** 2).sum(2).min())


def fill(molecules, counts, box, rng, first=None):
    """Beads of a box: molecules (dict of Molecule), counts [(name, n)], placed one after the other where there is
    room; those of one bead on a lattice. first: places of the first molecule, or None. Returns rows of
    (residue number, residue, atom, x)."""
    box = np.array(box, float)
    placed, atoms, number = np.zeros((0, 3)), [], 0
    edge = np.maximum((box / 0.5).astype(int), 1)
    lattice = np.array([(i, j, k) for i in range(edge[0]) for j in range(edge[1]) for k in range(edge[2])])
    lattice = (lattice + 0.5) * box / edge
    rng.shuffle(lattice)
    at = 0
    for index, (name, n) in enumerate(counts):
        m = molecules[name]
        forms = [shape(m, rng) for _ in range(min(n, 2))] if first is None or index else []
        for copy in range(n):
            if first is not None and not index and not copy:
                x = first
            elif len(m.atoms) == 1:
                while nearest(lattice[at:at + 1], placed, box) < 0.44:
                    at += 1
                x, at = lattice[at:at + 1], at + 1
            else:
                for _ in range(3000):
                    x = forms[copy % len(forms)] @ turn(rng).T + rng.uniform(0, 1, 3) * box
                    if nearest(x, placed, box) > 0.43:
                        break
                else:
                    raise RuntimeError("no room for %d %s" % (n, name))
            placed = np.concatenate([placed, x])
            last = None
            for (_, residue_number, residue, atom, _), place in zip(m.atoms, x):
                number += residue_number != last
                last = residue_number
                atoms.append((number, residue, atom, place))
    return atoms


def protein(path):
    """Places of the beads of a .pdb file of martinize2."""
    with open(path) as pdb:
        return np.array([[float(line[30 + 8 * d:38 + 8 * d]) / 10 for d in range(3)] for line in pdb
                         if line.startswith(("ATOM", "HETATM"))])


def bilayer(folder, arguments, rename, seed=1):
    """What insane makes: rows of atoms, the box, and [(molecule, count)]. rename: names of ions."""
    done = subprocess.run([sys.executable, "-c", INSANE.format(seed), "-o", "insane.gro", "-p", "insane.top", "-pbc",
                           "rectangular", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("insane %s: %s" % (" ".join(arguments), done.stderr[-1000:]))
    with open(os.path.join(folder, "insane.gro")) as gro:
        lines = gro.read().split("\n")
    n = int(lines[1])
    atoms, last, number = [], None, 0
    for line in lines[2:2 + n]:  # columns from the end: long names of residues shift them
        number += line[:10] != last
        last = line[:10]
        name = line[-34:-29].strip()
        atoms.append((number, line[5:10].strip(), rename.get(name, name),
                      np.array([float(line[8 * d - 24:8 * d - 16 or None]) for d in range(3)])))
    box = [float(word) for word in lines[2 + n].split()[:3]]
    with open(os.path.join(folder, "insane.top")) as top:
        rows = [line.split(";")[0].split() for line in top.read().split("[ molecules ]")[1].split("\n")]
    return atoms, box, [(rename.get(row[0], row[0]), int(row[1])) for row in rows if len(row) == 2]
