#!/usr/bin/env python3
"""Molecules with virtual sites in files for other programs: where their sites are and that they are whole,
in every format, from states and from trajectories, on 1 and 2 ranks; the bonds of the PSF. Positions are
those that molecules were made with, sites by the formulas of the GROMACS manual."""
import os
import tempfile
import warnings

from run_lamella import Checks, run, skip, write

warnings.simplefilter("ignore")
try:
    import h5py
    import numpy as np
    import MDAnalysis
    from MDAnalysis import transformations
    from MDAnalysis.lib.formats.libdcd import DCDFile
    from MDAnalysis.lib.formats.libmdaxdr import TRRFile, XTCFile
except ImportError as missing:
    skip(missing)

EDGE, COPIES = 7.0, 4
HEXAGON = [(0.3 * np.cos(t), 0.3 * np.sin(t), 0) for t in np.arange(6) * np.pi / 3]
RING = [(k + 1, (k + 1) % 6 + 1) for k in range(6)]
TRIANGLE = [(0, 0, 0), (0.4, 0, 0), (0.1, 0.3, 0)]
SIDES = [(1, 2), (1, 3), (2, 3)]
# name, beads (None: a site), bonds (function, beads), constraints (function, beads), sites: section, row
MOLECULES = [
    ("TWO", [(0, 0, 0), (0.4, 0, 0), None], [], [(1, 1, 2)], [("2", "3 1 2 1 1.6")]),
    ("THREE", [*TRIANGLE, None], [], [(1, *s) for s in SIDES], [("3", "4 1 2 3 1 0.8 0.7")]),
    ("FD", [*TRIANGLE, None], [(1, *s) for s in SIDES], [], [("3", "4 1 2 3 2 0.4 0.35")]),
    ("OUT", [*TRIANGLE, None], [(6, *s) for s in SIDES], [], [("3", "4 1 2 3 4 0.3 0.2 3")]),
    # two pairs that the site alone connects; the site comes first
    ("N", [None, (0, 0, 0), (0.3, 0, 0), (0, 0.5, 0), (0.3, 0.5, 0)], [(1, 2, 3)], [(2, 4, 5)],
     [("n", "1 1 2 3 4 5")]),
    ("TOWER", [(0, 0, 0), (0.3, 0, 0), None, None], [(2, 1, 2)], [], [("2", "4 3 1 1 2"), ("2", "3 2 1 1 1.5")]),
    ("RING", [*HEXAGON, None], [], [(1, *s) for s in RING], [("n", "7 1 1 2 3 4 5 6")]),
    ("BONDS", [(0.35 * k, 0.1 * (k % 2), 0) for k in range(6)], [(1, 1, 2), (2, 3, 2), (6, 3, 4), (7, 4, 5)],
     [(2, 6, 5)], []),
    # a bead that is bonded to a site only
    ("HUNG", [(0, 0, 0), (0.4, 0, 0), None, (0.2, 0.4, 0)], [(6, 3, 4)], [(1, 1, 2)], [("2", "3 1 2 1 0.5")]),
]
RUN = """input: start.h5
run: {steps: 2, dt: 0.001}
output: {prefix: %s, frames_every: 2, frames_positions: %s}
"""


def place_site(x, section, row):
    """The site of a row of [ virtual_sites... ]; x: bead to position."""
    words = row.split()
    if section == "n":
        return np.mean([x[int(w)] for w in words[2:]], axis=0)
    n = int(section)
    r = [x[int(w)] for w in words[1:n + 1]]
    function, value = int(words[n + 1]), [float(w) for w in words[n + 2:]]
    if section == "2":
        return (1 - value[0]) * r[0] + value[0] * r[1]
    ij, ik, jk = r[1] - r[0], r[2] - r[0], r[2] - r[1]
    if function == 1:
        return r[0] + value[0] * ij + value[1] * ik
    if function == 2:
        u = ij + value[0] * jk
        return r[0] + value[1] * u / np.linalg.norm(u)
    return r[0] + value[0] * ij + value[1] * ik + value[2] * np.cross(ij, ik)


def complete(beads, sites):
    """Positions with those of the sites, each after its parents."""
    x = {k + 1: np.array(r, float) for k, r in enumerate(beads) if r is not None}
    waiting = list(sites)
    while waiting:
        section, row = waiting.pop(0)
        parents = [int(w) for w in row.split()[2:]] if section == "n" else \
            [int(w) for w in row.split()[1:int(section) + 1]]
        if all(p in x for p in parents):
            x[int(row.split()[0])] = place_site(x, section, row)
        else:
            waiting.append((section, row))
    return np.array([x[k + 1] for k in range(len(beads))])


def topology():
    text = "[ defaults ]\n1 2\n[ atomtypes ]\nA 50 0 A 0 0\nV 0 0 V 0 0\n[ nonbond_params ]\n"
    text += "A A 1 0.3 0\nA V 1 0.3 0\nV V 1 0.3 0\n"
    for name, beads, bonds, constraints, sites in MOLECULES:
        x = complete(beads, sites)
        text += "[ moleculetype ]\n%s 1\n[ atoms ]\n" % name
        for k, r in enumerate(beads):
            text += "%d %s 1 %s B%d %d 0\n" % (k + 1, "V" if r is None else "A", name, k + 1, k + 1)
        for title, rows in ("bonds", bonds), ("constraints", constraints):
            text += "[ %s ]\n" % title if rows else ""
            for function, i, j in rows:
                length = np.linalg.norm(x[i - 1] - x[j - 1])
                text += "%d %d %d %.12g%s\n" % (i, j, function, 2 * length if function == 7 else length,
                                                " 1" if title == "bonds" else "")
        for section, row in sites:
            text += "[ virtual_sites%s ]\n%s\n" % (section, row)
    return text + "[ system ]\nmade\n[ molecules ]\n" + "".join("%s %d\n" % (m[0], COPIES) for m in MOLECULES)


def make_start():
    """Molecules across the faces of the box; their sites anywhere. Returns the positions of whole
    molecules whose first beads are inside."""
    rng = np.random.default_rng(11)
    whole, given, names = [], [], []
    for name, beads, _, _, sites in MOLECULES:
        for copy in range(COPIES):
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            turn *= np.sign(np.linalg.det(turn))
            at = rng.uniform(0, EDGE, 3)
            at[copy % 3] = rng.uniform(-0.1, 0.1)  # near a face
            moved = [None if r is None else turn @ r + at for r in beads]
            x = complete(moved, sites)
            x -= EDGE * np.floor(x[0] / EDGE)
            whole.extend(x)
            given.extend(rng.uniform(0, EDGE, 3) if r is None else x[k] % EDGE for k, r in enumerate(beads))
            names.extend((name, "B%d" % (k + 1)) for k in range(len(beads)))
    write("topol.top", topology())
    with open("start.gro", "w") as out:
        out.write("made\n%d\n" % len(given))
        for k, x in enumerate(given):
            out.write("%5d%-5s%5s%5d" % (1, *names[k], k + 1) + "".join("%24.12f" % c for c in x) + "\n")
        out.write("%24.12f%24.12f%24.12f\n" % (EDGE, EDGE, EDGE))
    return np.array(whole)


def read_gro(path):
    with open(path) as text:
        lines = text.read().split("\n")
    rows = lines[-2 - int(lines[1]):-2]
    first = rows[0].index(".")
    width = rows[0].index(".", first + 1) - first
    return np.array([[float(r[20 + width * d:20 + width * (d + 1)]) for d in range(3)] for r in rows])


def read(path):
    """Positions of the last frame, nm."""
    if path.endswith(".gro"):
        return read_gro(path)
    if path.endswith(".pdb"):
        return MDAnalysis.Universe(path).trajectory[-1].positions / 10
    if path.endswith(".dcd"):
        with DCDFile(path) as file:
            return file.readframes().xyz[-1] / 10
    with (TRRFile if path.endswith(".trr") else XTCFile)(path) as file:
        return [f.x for f in file][-1]


def check_formats(checks, whole):
    """From a state and from wrapped frames, on 1 and 2 ranks. Molecules of a file are whole."""
    for source in "start.h5", "wrapped.h5md":
        for suffix, error in (("gro", 1e-6), ("pdb", 1.1e-4), ("xtc", 1e-3), ("trr", 1e-5), ("dcd", 1e-5)):
            for ranks in (1, 2) if source == "start.h5" else (2,):
                run("convert", source, "-o", "out." + suffix, "--digits=8", ranks=ranks)
                off = abs(read("out." + suffix) - whole).max()
                checks.true("%s of %s on %d ranks" % (suffix, source, ranks), off < error + 2e-5, off)
    for ranks in 1, 2:
        run("export", "start.h5", "--gro=out.gro", "--digits=8", ranks=ranks)
        checks.true("export", abs(read("out.gro") - whole).max() < 1e-6)


def check_frames(checks, whole, ranks):
    """Frames that a run wrote whole."""
    write("run.yaml", RUN % ("whole", "whole"))
    run("run", "run.yaml", "--restart=never", ranks=ranks)
    with h5py.File("whole.h5md") as file:
        x = file["particles/trajectory/position/value"][:]
        checks.true("frames on %d ranks" % ranks, len(x) == 2 and abs(x - whole).max() < 2e-5, abs(x - whole).max())


def parts(n, bonds):
    """The lowest bead that bonds connect each with."""
    part = np.arange(n)
    for _ in range(n):
        for i, j in bonds:
            part[i] = part[j] = min(part[i], part[j])
    return part


def check_bonds(checks, whole):
    """The PSF and connectivity/bonds connect each molecule and no others; MDAnalysis makes it whole."""
    run("convert", "wrapped.h5md", "-o", "wrapped.dcd", "--positions=wrapped")
    universe = MDAnalysis.Universe("wrapped.psf", "wrapped.dcd")
    numbers = np.concatenate([[k] * len(m[1]) for k, m in enumerate(m for m in MOLECULES for _ in range(COPIES))])
    first = np.searchsorted(numbers, numbers)
    with h5py.File("wrapped.h5md") as file:
        pairs = file["connectivity/bonds"][:]
    for what, bonds in ("PSF", universe.bonds.indices), ("connectivity", pairs):
        checks.true(what + ": parts", np.array_equal(parts(len(whole), bonds), first))
        checks.true(what + ": each once", len({tuple(sorted(b)) for b in bonds}) == len(bonds))
    rows = {name: [sorted(b) for b in pairs - k if b[0] >= 0 and b[1] < len(beads)]
            for name, beads, k in ((m[0], m[1], numbers.searchsorted(COPIES * i)) for i, m in enumerate(MOLECULES))}
    checks.true("a site of six parents has one bond", len(rows["RING"]) == 7, rows["RING"])
    universe.trajectory.add_transformations(transformations.unwrap(universe.atoms))
    x = universe.trajectory[-1].positions / 10
    off = (x - x[first]) - (whole - whole[first])
    checks.true("unwrap of MDAnalysis", abs(off).max() < 1e-4, abs(off).max())


def check_states(checks, whole):
    """Sites of states that are made of files, and of one where they are elsewhere."""
    run("convert", "start.gro", "--state=start.h5", "-o", "back.h5")
    run("convert", "start.gro", "--state=start.h5", "-o", "two.h5", ranks=2)
    with h5py.File("start.h5") as a, h5py.File("back.h5") as b, h5py.File("two.h5") as c:
        x = a["beads/position"][:]
        off = (x.view(np.uint32) / 2.0**32 * EDGE - whole) / EDGE
        checks.true("places in a state", abs(off - np.rint(off)).max() < 1e-8)
        checks.true("of a frame", abs((b["beads/position"][:] - x).astype(np.int64)).max() <= 8)
        checks.true("of a frame on 2 ranks", np.array_equal(b["beads/position"][:], c["beads/position"][:]))
    with h5py.File("start.h5", "r+") as file:
        site = np.concatenate([[r is None for r in m[1]] * COPIES for m in MOLECULES])
        x = file["beads/position"][:]
        x[site] += 2**28
        file["beads/position"][:] = x
    for command in ("convert", "start.h5", "-o", "out.gro"), ("export", "start.h5", "--gro=out.gro"):
        run(*command, "--digits=8")
        checks.true(command[0] + " of displaced sites", abs(read("out.gro") - whole).max() < 1e-6)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        whole = make_start()
        run("import", "topol.top", "start.gro", "-o", "start.h5")
        write("run.yaml", RUN % ("wrapped", "wrapped"))
        run("run", "run.yaml")
        check_formats(checks, whole)
        for ranks in 1, 2:
            check_frames(checks, whole, ranks)
        check_bonds(checks, whole)
        check_states(checks, whole)
        os.chdir("/")
    checks.end()


if __name__ == "__main__":
    main()
