#!/usr/bin/env python3
"""compare.py FOLDER [--work=FOLDER] [--only=PATTERN] [--move]: systems of Martini beside GROMACS in double precision (gmx_d).

FOLDER has the files of the force fields, which are not part of this project: martini2/ (martini_v2.2.itp and molecules),
martini3/ (martini_v3.0.0.itp and molecules), martini2p/, proteins/NAME/ (what martinize2 writes), ready/NAME/ (system.top,
minimized.gro); systems.py says which. Bilayers are made by insane, which has to be importable; everything is minimised by
gmx_d, and a little noise is added. A force field without its file of pairs gets one with numbers drawn at random.

A folder that no system of --only (a regular expression of names) needs may be missing: ready/ alone serves for its systems.

Prints a table of the largest relative differences of energies (of each term) and of forces (of the largest force).
--move: 200 steps of velocity Verlet of the systems of MOVED instead. Environment: LAMELLA."""
import argparse
import glob
import os
import pathlib
import re
import shutil
import sys

import h5py
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
import gromacs_files as gf  # noqa: E402
import shapes  # noqa: E402
from run_lamella import energy, run  # noqa: E402
from systems import BILAYERS, PROTEINS, READY, SOLUTIONS  # noqa: E402

MAIN = {"martini2": "martini_v2.2.itp", "martini3": "martini_v3.0.0.itp", "martini2p": "martini_v2.2P.itp"}
IONS = {"NA+": "NA", "CL-": "CL"}
MOVED = ["DPPC, DOPC, CHOL", "ubiquitin, Martini 3, elastic network", "PC, PE, PS, SM, CHOL, PIP2"]
MINIMISE = """integrator = steep
nsteps = 120
emtol = 50
emstep = 0.005
cutoff-scheme = Verlet
nstlist = 10
coulombtype = reaction-field
rcoulomb = 1.1
epsilon_r = 15
epsilon_rf = 0
vdwtype = cut-off
vdw-modifier = potential-shift
rvdw = 1.1
nstxout = 120
"""


class System:
    """A topology and a configuration in a folder; what the comparison needs beside."""

    def __init__(self, name, folder, macros=(), displaced=None, epsilon="15", top="topol.top", conf="conf.gro"):
        self.name, self.folder, self.macros, self.displaced = name, folder, list(macros), displaced
        self.epsilon, self.top, self.conf = epsilon, top, conf

    def mdp(self, text):
        text = text.replace("epsilon_r = 15", "epsilon_r = " + self.epsilon)
        text += "define = %s\n" % " ".join("-D" + macro for macro in self.macros) if self.macros else ""
        return text + ("refcoord-scaling = %s\n" % self.displaced if self.displaced else "")


class Field:
    """The molecule types of a folder, and its file of pairs, which is made where there is none."""

    def __init__(self, folder):
        self.folder, name = folder, os.path.basename(folder)
        self.main = os.path.join(folder, MAIN[name])
        self.molecules = {}
        for path in sorted(glob.glob(os.path.join(folder, "*.itp"))):
            self.molecules.update(shapes.read(path))
        if not os.path.exists(self.main):
            self.main = os.path.join(folder, "random_pairs.itp")
            proteins = [shapes.read(path) for path in
                        sorted(glob.glob(os.path.join(folder, "..", "proteins", "*", "molecule_0.itp")))]
            self.make_pairs([m for found in proteins for m in found.values()])

    def make_pairs(self, more):
        """Masses and sigma by the first letter of a type; epsilon by what its name is, the same in every call."""
        types = sorted({atom[0] for m in list(self.molecules.values()) + more for atom in m.atoms})
        types = [name for name in types if not name.startswith("molecule_")]
        size = [{"T": 0, "S": 1}.get(name[0], 2) for name in types]
        with open(self.main, "w") as out:
            out.write("[ defaults ]\n1 2\n[ atomtypes ]\n")
            for name, s in zip(types, size):
                out.write("%s %g 0 A 0 0\n" % (name, (36, 54, 72)[s]))
            out.write("[ nonbond_params ]\n")
            for i, a in enumerate(types):
                for j in range(i + 1):
                    sigma = (0.34, 0.41, 0.47)[size[i]] / 2 + (0.34, 0.41, 0.47)[size[j]] / 2
                    draw = np.random.default_rng(list((a + " " + types[j]).encode())).uniform(1.5, 5.5)
                    epsilon = 0 if "D" in (a, types[j]) else draw  # charges off the centre of polar beads
                    out.write("%s %s 1 %.6f %.6f\n" % (a, types[j], sigma, epsilon))


def topology(field, counts, head=""):
    paths = []
    for name, _ in counts:
        path = field.molecules[name].path
        if path not in paths and path != field.main:
            paths.append(path)
    text = '#include "%s"\n' % field.main + head + "".join('#include "%s"\n' % path for path in paths)
    return text + "[ system ]\nmade\n[ molecules ]\n" + "".join("%s %d\n" % row for row in counts)


def named(field, atoms, counts):
    """Atoms of insane with the names and in the order of the molecule types."""
    out, at = [], 0
    for name, n in counts:
        want = [atom[3] for atom in field.molecules[name].atoms]
        for _ in range(n):
            rows = atoms[at:at + len(want)]
            at += len(want)
            have = [row[2] for row in rows]
            if sorted(have) == sorted(want):
                rows = [rows[have.index(atom)] for atom in want]
            out += [(row[0], name[:5], atom, row[3]) for row, atom in zip(rows, want)]
    if at != len(atoms):
        raise RuntimeError("insane made %d beads, the topology has %d" % (len(atoms), at))
    return out


def merged(counts, rename):
    return [(rename.get(name, name.split(".")[0]), n) for name, n in counts]


def without_constraints(path):
    """The text of a file with stiff bonds in place of constraints, which the minimisers of GROMACS may fail with."""
    out, section = [], None
    with open(path, errors="replace") as file:
        for line in file:
            words = line.split(";")[0].split()
            if words and words[0][0] == "[":
                section = re.sub(r"[\[\]\s]", "", line.split(";")[0])
                line = line.replace("constraints", "bonds")
            elif section == "constraints" and len(words) > 3 and words[0][0] != "#":
                line = "%s %s 1 %s 30000\n" % (*words[:2], words[3])
            out.append(line)
    return "".join(out)


def place(folder, field, atoms, counts, box, head="", epsilon="15"):
    """Writes topology and configuration and minimises it."""
    gf.write(folder, "topol.top", topology(field, counts, head))
    gf.write(folder, "made.gro", gf.gro(box, atoms))
    soft = topology(field, counts, head)
    for path in re.findall(r'"(.*?)"', soft):
        gf.write(folder, "soft_" + os.path.basename(path), without_constraints(path))
        soft = soft.replace(path, "soft_" + os.path.basename(path))
    gf.write(folder, "soft.top", soft)
    gf.write(folder, "em.mdp", MINIMISE.replace("epsilon_r = 15", "epsilon_r = " + epsilon))
    gf.gmx(folder, "grompp", "-f", "em.mdp", "-c", "made.gro", "-p", "soft.top", "-o", "em.tpr", "-po", "out.mdp",
           "-maxwarn", "20")
    gf.gmx(folder, "mdrun", "-s", "em.tpr", "-deffnm", "em", "-ntmpi", "1", "-ntomp", "1")
    x = gf.read_trr(os.path.join(folder, "em.trr"), 7)
    atoms = [(*row[:3], new) for row, new in zip(atoms, x)]
    gf.write(folder, "still.gro", gf.gro(box, atoms))
    noise = np.random.default_rng(5).normal(scale=0.006, size=x.shape)
    gf.write(folder, "conf.gro", gf.gro(box, [(*row[:3], row[3] + d) for row, d in zip(atoms, noise)]))
    displaced = [(*row[:3], row[3] * 1.02 + (0.1, -0.2, 0.15)) for row in atoms]
    gf.write(folder, "reference.gro", gf.gro([1.02 * b for b in box], displaced))


def make_bilayer(row, folder, field):
    _, _, upper, lower = row
    words = [word for lipid in upper.split() for word in ("-u" if lower else "-l", lipid)]
    words += [word for lipid in (lower or "").split() for word in ("-l", lipid)]
    atoms, box, counts = shapes.bilayer(folder, [*words, "-x", "6", "-y", "6.5", "-z", "9", "-sol", "W", "-salt", "0.15"],
                                        IONS)
    counts = merged(counts, IONS)
    place(folder, field, named(field, atoms, counts), counts, box)


def make_solution(row, folder, field):
    _, _, counts, edge = row
    box = [edge] * 3
    place(folder, field, shapes.fill(field.molecules, counts, box, np.random.default_rng(3)), counts, box)


def make_protein(row, folder, field, source):
    _, kind, _, _ = row
    molecule = shapes.read(os.path.join(source, "molecule_0.itp"))
    field.molecules = {**field.molecules, **molecule}
    head = "".join('#include "%s"\n' % path for end in ("*_atomtypes.itp", "*params.itp")  # of Go sites and biases
                   for path in sorted(glob.glob(os.path.join(source, end))))
    name = next(iter(molecule))
    x = shapes.protein(os.path.join(source, "cg.pdb"))
    box = np.maximum(np.ptp(x, axis=0) + 1.8, 4.0)
    x = x - (x.max(0) + x.min(0)) / 2 + box / 2
    charge = round(sum(atom[4] for atom in molecule[name].atoms))
    water = "PW" if kind == "martini2p" else "W"
    room = int(5.0 * np.prod(box)) - 6 * len(x)
    counts = [(name, 1), ("NA", 8 + max(-charge, 0)), ("CL", 8 + max(charge, 0))]
    counts += [(water, max(room if water == "W" else room // 3, 50))]
    atoms = shapes.fill(field.molecules, counts, box, np.random.default_rng(3), first=x)
    place(folder, field, atoms, counts, box, head, "2.5" if kind == "martini2p" else "15")


def all_systems(arguments):
    """(name, function that makes it and returns a System)."""
    def made(row, maker, options, *more):
        folder = os.path.join(arguments.work, "".join(c if c.isalnum() else "_" for c in row[0]))

        def make():
            if not os.path.exists(os.path.join(folder, "reference.gro")):
                os.makedirs(folder, exist_ok=True)
                field = Field(os.path.join(arguments.folder, row[1]))
                maker(row, folder, field, *more)
            return System(row[0], folder, epsilon="2.5" if row[1] == "martini2p" else "15", **options)
        return row[0], make

    def ready(row):
        folder = os.path.join(arguments.work, "ready_" + row[1])

        def make():
            if not os.path.exists(folder):
                shutil.copytree(os.path.join(arguments.folder, "ready", row[1]), folder)
            return System(row[0], folder, row[2], top="system.top", conf="minimized.gro")
        return row[0], make

    out = [made(row, make_bilayer, {}) for row in BILAYERS] + [made(row, make_solution, {}) for row in SOLUTIONS]
    out += [made(row, make_protein, row[3], os.path.join(arguments.folder, "proteins", row[2])) for row in PROTEINS]
    return out + [ready(row) for row in READY]


def used(start):
    """Numbers of beads and types, and the forms, of a state file."""
    with h5py.File(start, "r") as file:
        ff = yaml.safe_load(file["forcefield/text"][0].decode().rstrip("\0"))
        n = len(file["beads/type"])
    forms = []
    for section, short in ("bonds", "b"), ("angles", "a"), ("dihedrals", "d"):
        names = {row.get("form", "harmonic") for row in (ff.get(section) or {}).values()}
        forms += [short + ":" + name for name in sorted(names)]
    molecules = ff["molecules"].values()
    forms += ["constraints"] if any(m.get("constraints") for m in molecules) else []
    forms += sorted({"s:" + site["form"] for m in molecules for site in m.get("sites") or []})
    forms += ["restraints"] if any(m.get("restraints") for m in molecules) else []
    return n, len(ff["types"]), forms


def compare(system):
    """A row of the table, and the differences by term."""
    mdp = system.mdp(gf.SINGLE_POINT % dict(modifier="potential-shift", coulomb="reaction-field", rf="0"))
    reference = "reference.gro" if system.displaced else None
    want, force = gf.single_point(system.folder, mdp, system.top, system.conf, reference)
    more = ["--reference=" + reference] if reference else []
    done = run("import", system.top, system.conf, "--mdp=sp.mdp", "-o", "start.h5", "--names=topology", *more,
               cwd=system.folder, status=None)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    start, text = (os.path.join(system.folder, name) for name in ("start.h5", "forces.txt"))
    got = energy(start, "--precision=double", "--forces=" + text)
    scale = max(abs(v) for k, v in want.items() if "Pres" not in k)
    errors, good = {}, True
    for name, parts in gf.TERMS.items():
        value = sum(want.get(part, 0) for part in parts)
        off = abs(got["terms"].get(name, 0) - value)
        errors[name] = off / abs(value) if value else off
        good = good and (off < 1e-6 * abs(value) or off < 1e-9 * scale)  # some terms almost cancel
    errors["potential"] = abs(got["potential"] - want["Potential"]) / abs(want["Potential"])
    good = good and errors["potential"] < 1e-6
    own = np.loadtxt(text, ndmin=2)[:, 1:4]
    with open(os.path.join(system.folder, system.conf)) as conf, h5py.File(start, "r") as file:
        lines, kept = conf.read().split("\n"), file["beads/position"][:] * (file["system/box"][:] / 2.0 ** 32)
    lines[2:2 + len(kept)] = [line[:20] + "".join("%18.13f" % c for c in x)  # the places of the beads, without residuals
                              for line, x in zip(lines[2:], kept)]
    gf.write(system.folder, "kept.gro", "\n".join(lines))
    _, at_kept = gf.single_point(system.folder, mdp, system.top, "kept.gro", reference)
    return good, used(start), errors, [np.abs(own - f).max() / np.abs(force).max() for f in (force, at_kept)]


def move(system):
    """The largest difference of positions after 200 steps from velocities of 300 K, and the largest way, nm."""
    with open(os.path.join(system.folder, "still.gro")) as file:
        lines = file.read().split("\n")
    n, box = int(lines[1]), [float(word) for word in lines[-2].split()]
    atoms = [(int(row[:5]), row[5:10].strip(), row[10:15].strip(), np.array([float(row[20 + 14 * d:34 + 14 * d])
              for d in range(3)])) for row in lines[2:2 + n]]
    v = np.random.default_rng(9).normal(scale=(0.0083145 * 300 / 72) ** 0.5, size=(n, 3))
    gf.write(system.folder, "moving.gro", gf.gro(box, atoms, v))
    want = gf.final_positions(system.folder, system.mdp(gf.MOTION), system.top, "moving.gro")
    run("import", system.top, "moving.gro", "--mdp=md.mdp", "-o", "moving.h5", "--run=run.yaml", "--names=topology",
        cwd=system.folder)
    run("run", "run.yaml", "-s", "run.precision=double", "-s", "restart=never", cwd=system.folder)
    run("export", "run.checkpoint.h5", "--gro=out.gro", "--digits=12", cwd=system.folder)
    with open(os.path.join(system.folder, "out.gro")) as file:
        rows = file.read().split("\n")[2:2 + n]
    own = np.array([[float(row[20 + 17 * d:37 + 17 * d]) for d in range(3)] for row in rows])
    off, way = own - want, want - np.array([x for *_, x in atoms])
    for d in off, way:
        d -= np.array(box) * np.round(d / np.array(box))
    return np.abs(off).max(), np.abs(way).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--work", default="gromacs-systems")
    parser.add_argument("--only", default="")
    parser.add_argument("--move", action="store_true")
    arguments = parser.parse_args()
    arguments.folder, arguments.work = os.path.abspath(arguments.folder), os.path.abspath(arguments.work)
    failed = total = 0
    for name, make in all_systems(arguments):
        if not re.search(arguments.only, name) or arguments.move and name not in MOVED:
            continue
        total += 1
        try:
            system = make()
            if arguments.move:
                off, way = move(system)
                good, text = off < 1e-6, "| %s | %.1e | %.2f |" % (name, off, way)
            else:
                good, (beads, types, forms), errors, (force, at_kept) = compare(system)
                good = good and at_kept < 1e-7
                worst = max(errors, key=errors.get)
                text = "| %s | %d | %d | %s | %.1e (%s) | %.1e | %.0e |" % (
                    name, beads, types, ", ".join(forms), errors[worst], worst, force, at_kept)
        except (RuntimeError, ValueError, KeyError, SystemExit) as refused:
            good, text = False, "| %s | %r |" % (name, refused)
        failed += not good
        print(text, "yes |" if good else "NO |", flush=True)
    print("%d systems, %d failed" % (total, failed))
    sys.exit(failed > 0)


main()
