#!/usr/bin/env python3
"""lamella convert: what MDAnalysis and GROMACS read of its files against the positions that went in,
for random systems of one bead to tens of thousands; frames of a run, whole, wrapped and unwrapped, of
some beads, at some times, on several ranks; states made of frames; errors."""
import os
import random
import sys
import tempfile
import warnings

from run_lamella import Checks, energy, run, skip, write

warnings.simplefilter("ignore")
try:
    import h5py
    import numpy as np
    import MDAnalysis
    sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
    sys.dont_write_bytecode = True
    import lamella
    from MDAnalysis.lib.formats.libdcd import DCDFile
    from MDAnalysis.lib.formats.libmdaxdr import TRRFile, XTCFile
except ImportError as missing:
    skip(missing)
from gromacs_files import GMX, gmx

FORCEFIELD = """[ defaults ]
1 1
[ atomtypes ]
P 72 0 A 0 0
C 36 0 A 0 0
V 0 0 A 0 0
[ nonbond_params ]
P P 1 0.21558 0.0023238
C C 1 0.15091 0.0016267
P C 1 0.086233 0.00092953
[ moleculetype ]
LIP 1
[ atoms ]
1 P 1 LIP NC3 1 0
2 C 1 LIP C1A 2 0
3 C 2 TAIL C2A 3 0
4 V 2 TAIL VS 4 0 0
[ bonds ]
1 2 1 0.47 200
2 3 1 0.47 200
[ virtual_sites2 ]
4 2 3 1 0.5
[ exclusions ]
4 1 2 3
[ moleculetype ]
W 1
[ atoms ]
1 P 1 W W 1
[ system ]
made
[ molecules ]
"""
EDGE = 3.5
# Rows: vectors of the boxes of the run, both of 7 x 7 x 7 places of lipids and water.
BOXES = {"rectangular": np.diag([EDGE] * 3),
         "oblique": np.array([[4, 0, 0], [-1.6, 3.9, 0], [1.5, -1.2, 3.7]])}
# Hexagonal, rhombic dodecahedra, a truncated octahedron, and any. The last is not reduced: SAME is its lattice.
SHAPES = {"hexagonal": [[4, 0, 0], [2, 12**0.5, 0], [0, 0, 5]],
          "rhombic dodecahedron": [[4, 0, 0], [0, 4, 0], [2, 2, 8**0.5]],
          "rhombic dodecahedron, hexagons": [[4, 0, 0], [2, 12**0.5, 0], [2, (4 / 3)**0.5, (32 / 3)**0.5]],
          "truncated octahedron": [[6, 0, 0], [2, 32**0.5, 0], [-2, 8**0.5, 24**0.5]],
          "triclinic": [[5, 0, 0], [-1.1, 4, 0], [0.7, -1.9, 6]],
          "not reduced": [[5, 0, 0], [8.9, 4, 0], [14.6, 10.1, 6]]}
SAME = [[5, 0, 0], [-1.1, 4, 0], [-2.1, -1.9, 6]]
NAMES = {"W": ["W"], "LIP": ["NC3", "C1A", "C2A", "VS"]}
RUN = """input: start.h5
run: {steps: 60, dt: 0.02}
thermostat: {type: langevin, temperature: 300}
output: {frames_every: 6, velocities: 1}
"""


def gro(name, names, x, v=None, box=BOXES["rectangular"]):
    """Wide columns, so that far coordinates fit. box: vectors as rows."""
    lines = ["made", "%d" % len(x)]
    for k, of in enumerate(names):
        numbers = [*x[k], *(v[k] if v is not None else ())]
        lines.append("%5d%-5s%5s%5d" % ((k + 1) % 100000, "RES", of, (k + 1) % 100000) +
                     "".join("%24.9f" % c for c in numbers))
    box = np.array(box, float)
    numbers = [*box.diagonal(), *box[[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]]
    numbers = numbers if np.any(numbers[3:]) else numbers[:3]
    write(name, "\n".join(lines) + "\n" + "".join("%24.14f" % e for e in numbers) + "\n")


def read_gro(name):
    """Names, positions and velocities of each frame."""
    with open(name) as text:
        lines = text.read().split("\n")
    frames, at = [], 0
    while at + 1 < len(lines):
        n = int(lines[at + 1])
        rows = lines[at + 2:at + 2 + n]
        first = rows[0].index(".")
        w = rows[0].index(".", first + 1) - first
        numbers = np.array([[float(r[k:k + w]) for k in range(20, len(r), w)] for r in rows])
        frames.append(([r[:20] for r in rows], numbers[:, :3], numbers[:, 3:], lines[at], lines[at + 2 + n]))
        at += n + 3
    return frames


def random_systems():
    """(name, positions): gases, walks, water, far and negative coordinates."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 8, 9, 10, 11, 12, 100, 1000):
        yield "gas of %d" % n, rng.uniform(0, EDGE, (n, 3))
    yield "negative", rng.uniform(-40, -20, (500, 3))
    yield "far", rng.uniform(-1e6, 1e6, (500, 3))  # a range of more than 2^24 steps: bits of their own
    yield "walk", np.cumsum(rng.uniform(-0.3, 0.3, (3000, 3)), axis=0)
    yield "slow walk", np.cumsum(rng.uniform(-1, 1, (3000, 3)) * 10 ** rng.uniform(-4, 0, (3000, 1)), axis=0)
    yield "close together", np.ones((50, 3)) + np.arange(50)[:, None] * [0.0004, 0, 0]  # import moves beads on one point
    first = rng.uniform(0, 30, (30000, 1, 3))
    yield "water", (first + rng.uniform(-0.1, 0.1, (30000, 3, 3)) * [[[0], [1], [1]]]).reshape(-1, 3)


def fractions(x, box):
    return x @ np.linalg.inv(box)


def first_frame(kind, path):
    with kind(path) as file:
        return file.read()


def check_same(checks, what, one, two):
    """Every dataset of two states."""
    with h5py.File(one) as a, h5py.File(two) as b:
        names = []
        for file in a, b:
            file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        other = sorted({n for n in names if n not in a or n not in b or a[n].dtype != b[n].dtype or
                        not np.array_equal(a[n][()], b[n][()])})
        checks.true(what, "beads/position" in names and not other, other)


def check_random(checks):
    """Positions as they went in, each to the precision of its format, and floats."""
    for what, x in random_systems():
        v = np.random.default_rng(4).normal(0, 0.3, x.shape)
        write("gas.top", FORCEFIELD + "W %d\n" % len(x))
        gro("gas.gro", ["W"] * len(x), x, v)
        run("import", "gas.top", "gas.gro", "-o", "gas.h5")
        eps = abs(x) * 2e-7 + 1e-9
        for precision in (1000, 10, 2e5) if abs(x).max() < 5000 else (1000,):
            run("convert", "gas.h5", "-o", "gas.xtc", "--positions=unwrapped", "--precision=%g" % precision)
            frame = first_frame(XTCFile, "gas.xtc")
            bound = eps + (0.5000001 / precision if len(x) > 9 else 0)
            checks.true("%s, xtc of precision %g" % (what, precision), (abs(frame.x - x) <= bound).all(),
                        abs(frame.x - x).max())
            checks.true(what + ": box", np.allclose(frame.box, EDGE * np.eye(3), rtol=1e-7))
            if len(x) > 9:
                checks.close(what + ": precision", frame.prec, precision, relative=1e-6)
                if GMX and precision == 1000 and abs(x).max() < 1e5:
                    write("any.gro", "any\n%d\n" % len(x) + "    1W        W    1   0.000   0.000   0.000\n"
                          * len(x) + " 3.5 3.5 3.5\n")
                    gmx(".", "trjconv", "-f", "gas.xtc", "-s", "any.gro", "-o", "gmx.gro", "-ndec", "6", text="0\n")
                    read = read_gro("gmx.gro")[0][1]
                    checks.true(what + ": GROMACS reads", (abs(read - x) <= bound + 1e-6).all(), abs(read - x).max())
        run("convert", "gas.h5", "-o", "gas.trr", "--positions=unwrapped")
        frame = first_frame(TRRFile, "gas.trr")
        checks.true(what + ", trr", (abs(frame.x - x) <= eps).all() and abs(frame.v - v).max() < 1e-6)
        run("convert", "gas.h5", "-o", "gas.dcd", "--positions=unwrapped")
        frame = first_frame(DCDFile, "gas.dcd")
        checks.true(what + ", dcd", (abs(frame.xyz / 10 - x) <= eps).all())
        checks.true(what + ", dcd: cell", np.allclose(frame.unitcell, [10 * EDGE, 90, 10 * EDGE, 90, 90, 10 * EDGE]))
        run("convert", "gas.h5", "-o", "back.gro", "--positions=unwrapped", "--digits=9")
        if abs(x).max() < 9e3:
            frame = read_gro("back.gro")[0]
            checks.true(what + ", gro", abs(frame[1] - x).max() < 1e-8 and abs(frame[2] - v).max() < 1e-8)
            run("convert", "gas.trr", "--state=gas.h5", "-o", "again.h5")
            with h5py.File("gas.h5") as one, h5py.File("again.h5") as two:
                for name in ("position", "image", "momentum"):
                    off = one["beads/" + name][:].astype(float) - two["beads/" + name][:]
                    checks.true("%s: %s comes back" % (what, name), abs(off).max() <=
                                {"position": 1e-9 * 2**32, "image": 0, "momentum": 1e-12}[name], abs(off).max())
            if what in ("gas of 3", "water"):  # fewer beads than ranks; several rounds for each rank
                run("convert", "gas.gro", "--state=gas.h5", "-o", "text.h5")
                for ranks in (2, 3, 4):
                    frame, one = (("gas.trr", "again.h5"), ("gas.gro", "text.h5"))[ranks % 2]
                    run("convert", frame, "--state=gas.h5", "-o", "back.h5", ranks=ranks)
                    check_same(checks, "%s, a state of %s on %d ranks" % (what, frame, ranks), one, "back.h5")
                check_same(checks, what + ": the state of its own text", "gas.h5", "text.h5")


def check_shapes(checks):
    """Boxes of every shape, through every format and back."""
    rng = np.random.default_rng(6)
    write("shape.top", FORCEFIELD + "W 200\n")
    for shape, vectors in SHAPES.items():
        box = np.array(SAME if shape == "not reduced" else vectors, float)
        x = rng.uniform(-1, 2, (200, 3)) @ np.array(vectors)
        gro("shape.gro", ["W"] * 200, x, box=vectors)
        said = run("import", "shape.top", "shape.gro", "-o", "shape.h5").stderr
        checks.true(shape + ": a line says that vectors were reduced", ("longer than necessary" in said) == (shape == "not reduced"), said)
        said = run("info", "shape.h5").stdout
        checks.true(shape + ": info", " nm: %s, lengths " % (SHAPES.keys() & {shape.split(",")[0]} - {"not reduced"} or {"triclinic"}).pop() in said, said)
        for suffix in "xtc", "trr", "dcd", "gro", "pdb":
            run("convert", "shape.h5", "-o", "shape." + suffix, "--positions=unwrapped", "--digits=9" if suffix == "gro" else "--every=1")
        for kind, path in (XTCFile, "shape.xtc"), (TRRFile, "shape.trr"):
            frame = first_frame(kind, path)
            checks.true(shape + ": " + path, abs(frame.box - box).max() < 1e-6 and abs(frame.x - x).max() < 0.000502)
        universe = MDAnalysis.Universe("shape.gro", "shape.dcd")
        checks.true(shape + ": dcd", abs(universe.trajectory.ts.triclinic_dimensions / 10 - box).max() < 1e-6 and
                    abs(universe.atoms.positions / 10 - x).max() < 1e-5)
        for path, slack in ("shape.gro", 1e-6), ("shape.pdb", 1e-3):
            universe = MDAnalysis.Universe(path)
            checks.true(shape + ": " + path, abs(universe.trajectory.ts.triclinic_dimensions / 10 - box).max() < slack and
                        abs(universe.atoms.positions / 10 - x).max() < 1e-4)
        for path in "shape.trr", "shape.gro":
            run("convert", path, "--state=shape.h5", "-o", "back.h5")
            with h5py.File("shape.h5") as one, h5py.File("back.h5") as two:
                places = [f["beads/position"][:].astype(np.int64) + (f["beads/image"][:].astype(np.int64) << 32) for f in (one, two)]
                checks.true(shape + ": back from " + path, abs(one["system/tilt"][:] - two["system/tilt"][:]).max() < 1e-9 and
                            abs(places[0] - places[1]).max() < 100, abs(places[0] - places[1]).max())
    run("convert", "shape.gro", "--state=shape.h5", "-o", "two.h5", ranks=2)
    check_same(checks, "a frame on two ranks", "back.h5", "two.h5")
    for numbers, words in (("3.5 3.5 3.5 0 0.1 0 0 0 0", "expected the first along x and the second in the xy plane"),
                           ("3.5 3.5 3.5 0 0 0 0.2 0 0", "expected the first along x")):
        with open("shape.gro") as text:
            write("slanted.gro", "\n".join(text.read().split("\n")[:-2] + [numbers]) + "\n")
        checks.refused(words, words, "convert", "slanted.gro", "--state=shape.h5", "-o", "x.h5")


def check_csv(checks, box):
    """Columns of the tilt, of runs with an oblique box alone."""
    energies = lamella.Energies("run")
    checks.true("energies: tilt", np.allclose([energies[n] for n in ("xy_nm", "xz_nm", "yz_nm")], box[[1, 2, 2], [0, 0, 1]][:, None]))
    checks.true("energies: volume", np.allclose(energies["volume_nm3"], np.linalg.det(box)))


def start(box):
    """Lipids on a jittered lattice, moved so that molecules cross the faces."""
    rng = random.Random(5)
    points = [[(0.5 * c + 0.1 + rng.uniform(-0.04, 0.04) - 0.3) / EDGE for c in (k, j, i)] @ box
              for i in range(7) for j in range(7) for k in range(7)]
    x, names, at = [], [], 0
    for kind, count in (("W", 60), ("LIP", 20), ("W", 180)):
        for _ in range(count):
            for name in NAMES[kind]:
                if name == "VS":  # in the middle of the two before, by minimum image
                    d = x[-1] - x[-2]
                    x.append(x[-2] + 0.5 * (d - np.rint(fractions(d, box)) @ box))
                else:
                    x.append(fractions(points[at], box) % 1 @ box)
                    at += 1
                names.append(name)
    gro("start.gro", names, x, box=box)
    write("topol.top", FORCEFIELD + "W 60\nLIP 20\nW 180\n")
    run("import", "topol.top", "start.gro", "-o", "start.h5")
    write("run.yaml", RUN)
    run("run", "run.yaml")
    return names


def check_frames(checks, names, box):
    """Frames of a run, against the trajectory as h5py reads it, and the start of the run."""
    h5 = h5py.File("run.h5md")
    group = h5["particles/trajectory"]
    checks.true("box", (abs(group["box/edges/value"][:] - box) < 1e-12).all())
    wrapped = group["position/value"][:].astype(float)
    unwrapped = wrapped + group["image/value"][:] @ box
    inside = fractions(wrapped, box)
    checks.true("wrapped", (inside > -1e-6).all() and (inside < 1 + 1e-6).all())
    checks.true("the first frame", abs(unwrapped[0] - read_gro("start.gro")[0][1]).max() < 1e-6)
    universe = MDAnalysis.Universe("run.psf", "run.h5md", convert_units=False)
    for frame, x in zip(universe.trajectory, wrapped):
        checks.true("h5md: MDAnalysis", abs(frame.positions - x).max() < 1e-6 and
                    abs(frame.triclinic_dimensions - box).max() < 1e-5)
    with lamella.Trajectory("run") as trajectory, lamella.State("run.checkpoint.h5") as state:
        checks.true("module: vectors", all(np.array_equal(f.vectors, e) for f, e in zip(trajectory, group["box/edges/value"])) and
                    abs(state.vectors - box).max() < 1e-12)
        checks.true("module: unwrapped", abs(np.array([f.unwrapped for f in trajectory]) - unwrapped).max() < 1e-6)
        checks.true("module: a state", abs(state.position - wrapped[-1]).max() < 1e-6)
        whole = trajectory.universe(unwrapped=True)
        checks.true("module: universe", abs(np.array([f.positions / 10 for f in whole.trajectory]) - unwrapped).max() < 1e-5)
    bonds = np.array([sorted(b) for b in h5["connectivity/bonds"][:]])
    checks.true("bonds cross faces", abs(wrapped[:, bonds[:, 0]] - wrapped[:, bonds[:, 1]]).max() > EDGE / 2)
    checks.true("velocities are finite", np.isfinite(group["velocity/value"][:]).all())
    for how, expected in (("wrapped", wrapped), ("unwrapped", unwrapped), ("whole", None)):
        run("convert", "run.h5md", "-o", "run.trr", "--positions=" + how)
        run("convert", "run.h5md", "-o", "run.xtc", "--positions=" + how)
        with TRRFile("run.trr") as trr, XTCFile("run.xtc") as xtc:
            frames, packed = [f for f in trr], [f for f in xtc]
        x = np.array([f.x for f in frames])
        checks.true(how + ": frames", len(frames) == len(packed) == len(wrapped) == 11)
        if how == "whole":
            edges = fractions(x - wrapped, box)
            checks.true("images", abs(edges - np.rint(edges)).max() < 1e-5)
            checks.true("bonds are whole", abs(x[:, bonds[:, 0]] - x[:, bonds[:, 1]]).max() < 1)
            first = [k for k, name in enumerate(names) if name in ("W", "NC3")]
            inside = fractions(x[:, first], box)
            checks.true("first beads are inside", (inside >= -1e-6).all() and (inside <= 1 + 1e-6).all())
        else:
            checks.true(how + ": positions", abs(x - expected).max() < 2e-6)
        checks.true(how + ": xtc", abs(np.array([f.x for f in packed]) - x).max() < 0.000501)
        for kind in frames, packed:
            checks.true(how + ": boxes", all(np.allclose(f.box, box, atol=1e-6) for f in kind))
            checks.true(how + ": steps", [f.step for f in kind] == list(group["position/step"][:]))
            checks.true(how + ": times", np.allclose([f.time for f in kind], group["position/time"][:], atol=1e-6))
        checks.true(how + ": velocities", abs(np.array([f.v for f in frames]) - group["velocity/value"][:]).max() < 1e-7)
    return x, wrapped


def check_names(checks, x, box):
    """Text, and the whole of MDAnalysis."""
    for suffix in "gro", "pdb", "dcd":
        run("convert", "run.h5md", "-o", "run." + suffix)
    frames = read_gro("run.gro")
    checks.true("gro: frames", len(frames) == 11 and frames[10][3].endswith("t= 1.20000 step= 60"), frames[-1][3])
    checks.true("gro: names", frames[0][0][61:65] == ["    1LIP    C1A   62", "    2TAIL   C2A   63",
                                                      "    2TAIL    VS   64", "    1LIP    NC3   65"], frames[0][0][60:65])
    checks.true("gro: positions", abs(np.array([f[1] for f in frames]) - x).max() < 0.000501)
    universe = MDAnalysis.Universe("run.gro", "run.dcd")
    got = np.array([f.positions / 10 for f in universe.trajectory])
    checks.true("dcd: positions", abs(got - x).max() < 2e-6)
    checks.true("dcd: boxes", all(np.allclose(f.triclinic_dimensions, 10 * box, atol=1e-5) for f in universe.trajectory))
    checks.true("dcd: times", np.allclose([f.time for f in universe.trajectory], np.arange(11) * 0.12, atol=1e-5))
    universe = MDAnalysis.Universe("run.pdb")
    got = np.array([f.positions / 10 for f in universe.trajectory])
    checks.true("pdb: positions", got.shape == x.shape and abs(got - x).max() < 0.0000501 + 1e-6)
    checks.true("pdb: names", list(universe.atoms.names[60:64]) == ["NC3", "C1A", "C2A", "VS"] and
                list(universe.atoms.resnames[60:64]) == ["LIP", "LIP", "TAIL", "TAIL"])
    checks.true("pdb: box", np.allclose(universe.trajectory.ts.triclinic_dimensions, 10 * box, atol=1e-2))
    if GMX:
        gmx(".", "trjconv", "-f", "run.trr", "-s", "run.pdb", "-o", "gmx.pdb", text="0\n")
        theirs = MDAnalysis.Universe("gmx.pdb")
        edges = fractions(np.array([f.positions / 10 for f in theirs.trajectory]) - got, box)
        checks.true("GROMACS: pdb", abs(edges - np.rint(edges)).max() < 1e-4 and
                    list(theirs.atoms.names) == list(universe.atoms.names))
        gmx(".", "check", "-f", "run.trr")
        gmx(".", "check", "-f", "run.xtc")
        checks.true("GROMACS: boxes", np.allclose(theirs.trajectory.ts.triclinic_dimensions, 10 * box, atol=1e-2))


def check_choices(checks, x, wrapped, names):
    """Some beads, some frames, several ranks."""
    for suffix in "xtc", "trr", "dcd", "gro", "pdb":
        run("convert", "run.h5md", "-o", "one." + suffix)
        for ranks in 2, 3:
            run("convert", "run.h5md", "-o", "some." + suffix, ranks=ranks)
            with open("one." + suffix, "rb") as one, open("some." + suffix, "rb") as some:
                checks.true("%s on %d ranks" % (suffix, ranks), one.read() == some.read())
    run("convert", "run.h5md", "-o", "part.trr", "--every=2", "--from=0.24", "--to=0.8")
    with TRRFile("part.trr") as trr:
        checks.true("frames", [f.step for f in trr] == [12, 24, 36])
    lipid = [k for k, name in enumerate(names) if name != "W"]
    run("convert", "run.h5md", "-o", "part.trr", "--select=LIP", ranks=2)
    with TRRFile("part.trr") as trr:
        checks.true("lipids", abs(np.array([f.x for f in trr]) - x[:, lipid]).max() < 2e-6)
    run("convert", "run.checkpoint.h5", "-o", "state.gro", "--digits=6")
    run("export", "run.checkpoint.h5", "--gro=export.gro", "--digits=6")
    with open("state.gro") as one, open("export.gro") as two:
        checks.true("a state as lamella export writes it", one.read() == two.read())
    # trajectories of some beads, and of whole molecules
    again = "run", "run.yaml", "-s"
    run(*again, "output.prefix=parts", "-s", "output.frames_select=LIP")
    run("convert", "parts.h5md", "-o", "part.trr")
    with TRRFile("part.trr") as trr:
        checks.true("frames of lipids", abs(np.array([f.x for f in trr]) - x[:, lipid]).max() < 2e-6)
    checks.refused("beads that are not there", "240 of these beads are not in the frames", "convert", "parts.h5md",
                   "-o", "part.trr", "--select=W")
    run(*again, "output.prefix=tails", "-s", "output.frames_select=C")
    checks.refused("parts of molecules", "holds parts of molecules (C)", "convert", "tails.h5md", "-o", "part.trr")
    run("convert", "tails.h5md", "-o", "part.trr", "--positions=wrapped")
    tail = [k for k, name in enumerate(names) if name in ("C1A", "C2A")]
    with TRRFile("part.trr") as trr:
        checks.true("wrapped tails", abs(np.array([f.x for f in trr]) - wrapped[:, tail]).max() < 2e-6)
    run(*again, "output.prefix=whole", "-s", "output.frames_positions=whole")
    run("convert", "whole.h5md", "-o", "part.trr")
    with TRRFile("part.trr") as trr:
        checks.true("frames that are whole", abs(np.array([f.x for f in trr]) - x).max() < 2e-6)


def check_back(checks):
    """A state, out and in again."""
    run("convert", "run.checkpoint.h5", "-o", "out.trr")
    run("convert", "out.trr", "--state=start.h5", "-o", "in.h5")
    run("convert", "out.trr", "--state=start.h5", "-o", "two.h5", ranks=2)
    one, other, two = energy("run.checkpoint.h5"), energy("in.h5"), energy("two.h5")
    for name, value in one["terms"].items():
        checks.close("back: " + name, other["terms"][name], value, relative=1e-9, absolute=1e-9)
        checks.true("back on two ranks: " + name, two["terms"][name] == other["terms"][name])
    with h5py.File("in.h5") as state, h5py.File("run.checkpoint.h5") as before:
        checks.true("a new start", state["system/step"][0] == 0 and "run/text" not in state)
        checks.true("momenta", abs(state["beads/momentum"][:] - before["beads/momentum"][:]).max() < 1e-12)
    run("convert", "run.h5md", "-o", "run.trr")
    said = run("convert", "run.trr", "--state=start.h5", "-o", "in.h5", "--to=0.5").stdout
    checks.true("a frame of several", "frame        5 of 'run.trr', step 24, 0.48 ps" in said, said)
    run("convert", "export.gro", "--state=start.h5", "-o", "in.h5")
    run("run", "run.yaml", "-s", "input=in.h5", "-s", "output.prefix=again")
    checks.true("it runs", os.path.exists("again.checkpoint.h5"))
    if GMX:
        gmx(".", "trjconv", "-f", "out.trr", "-s", "run.gro", "-o", "theirs.trr", text="0\n")
        run("convert", "theirs.trr", "--state=start.h5", "-o", "in.h5")
        checks.close("through GROMACS", energy("in.h5")["potential"], one["potential"], relative=1e-7)


def check_errors(checks):
    """Status, words, and nothing written."""
    with open("out.trr", "rb") as trr:
        data = trr.read()
    for name, changed in (("cut.trr", data[:-100]), ("none.trr", b""), ("forces.trr", data[:52] + bytes(4) + data[56:60] + data[52:56] + data[64:]), ("bad.trr", b"x" * 1000)):
        with open(name, "wb") as out:
            out.write(changed)
    with open("export.gro") as text:
        lines = text.read().split("\n")
    write("names.gro", "\n".join(lines[:2] + [lines[2].replace("    W", "   XX")] + lines[3:]))
    write("fewer.gro", "\n".join([lines[0], str(len(lines) - 5)] + lines[2:-3] + lines[-2:]))
    write("not.h5", "text")
    with h5py.File("other.h5md", "w") as out:
        out["particles/trajectory/position/value"] = np.zeros((1, 3, 3), "f")
    gro("far.gro", ["W"], [[2e6, 0, 0]])
    write("far.top", FORCEFIELD + "W 1\n")
    run("import", "far.top", "far.gro", "-o", "far.h5")
    gro("wide.gro", ["W"] * 10, [[3e6 * (k % 2), 0, 0] for k in range(10)])
    write("wide.top", FORCEFIELD + "W 10\n")
    run("import", "wide.top", "wide.gro", "-o", "wide.h5")
    unwrapped = "--positions=unwrapped"
    for arguments, status, words in (
            (("run.h5md", "-o", "x.xyz"), 2, "its suffix is none of .xtc, .trr, .dcd, .gro, .pdb"),
            (("run.h5md", "-o", "x.xtc", "--from=5"), 2, "no frame from 5 to inf ps: its 11 frames are from 0 to 1.2 ps"),
            (("run.h5md", "-o", "x.xtc", "--from=5", "--to=4"), 2, "--from=5 is after --to=4"),
            (("run.h5md", "-o", "x.xtc", "--every=0"), 2, "--every=0: expected a whole number from 1"),
            (("run.h5md", "-o", "x.xtc", "--precision=0"), 2, "--precision=0: expected a number from 1"),
            (("run.h5md", "-o", "x.gro", "--digits=2"), 2, "--digits=2: expected a whole number from 3"),
            (("run.h5md", "-o", "x.xtc", "--select=LIPP"), 2, "did you mean 'LIP'?"),
            (("run.h5md", "-o", "x.xtc", "--state=gas.h5"), 4, "give a state of the same run with --state"),
            (("run.h5md", "-o", "x.xtc", "--state=none.h5"), 4, "cannot read 'none.h5'"),
            (("not.h5", "-o", "x.xtc"), 4, "it is not an HDF5 file"),
            (("other.h5md", "-o", "x.xtc"), 4, "'other.h5md'"),
            (("far.h5", "-o", "x.pdb", unwrapped), 2, "coordinates have 8 columns"),
            (("wide.h5", "-o", "x.xtc", unwrapped), 2, "choose a smaller --precision"),
            (("out.trr", "-o", "x.h5"), 2, "--state=STATE.h5 is missing"),
            (("out.trr", "--state=start.h5", "-o", "x.xtc"), 2, "its suffix is .h5"),
            (("out.trr", "--state=start.h5", "-o", "x.h5", "--every=1"), 2, "--every is for trajectories and states"),
            (("export.gro", "--state=start.h5", "-o", "x.h5", "--to=1"), 2, "--to is for .trr files"),
            (("out.trr", "--state=gas.h5", "-o", "x.h5"), 2, "out.trr: frame 1: 320 atoms, but the state has 90000"),
            (("out.trr", "--state=start.h5", "-o", "x.h5", "--from=2"), 2, "none of its 1 frames has positions and a time from 2"),
            (("cut.trr", "--state=start.h5", "-o", "x.h5"), 2, "cut.trr: frame 1: the file is cut off in it"),
            (("none.trr", "--state=start.h5", "-o", "x.h5"), 2, "none of its 0 frames has positions"),
            (("forces.trr", "--state=start.h5", "-o", "x.h5"), 2, "none of its 1 frames has positions: write"),
            (("bad.trr", "--state=start.h5", "-o", "x.h5"), 2, "no .trr file, or damaged there"),
            (("names.gro", "--state=start.h5", "-o", "x.h5"), 2, "names.gro:3: atom XX, but bead 1 of the state is W; 1 names differ"),
            (("fewer.gro", "--state=start.h5", "-o", "x.h5"), 2, "319 atoms, but the state has 320")):
        said = run("convert", *arguments, status=status).stderr
        checks.true(words, words in said, said)
        checks.true(words + ": nothing is left", not [f for f in os.listdir() if f.startswith("x.")], os.listdir())
    with open("gas.gro") as text:  # of several rounds
        lines = text.read().split("\n")
    far = [line[:20] + "%24.9f" % 1e7 + line[44:] if k == 50000 else line for k, line in enumerate(lines)]
    two = [line[:30] + "x" + line[31:] if k in (40, 60000) else line for k, line in enumerate(lines)]
    for name, changed, words in (("far.gro", far, "far.gro:50001: coordinate x = 1e+07 nm is too far from the box"),
                                 ("two.gro", two, "2 mistakes:\ntwo.gro:41: the numbers are not in their columns"), ("two.gro", two, "(and 1 more, to line 60001)"),
                                 ("cut.gro", lines[:60000], "cut.gro:60000: the file ends after 59998 of 90000 atoms")):
        write(name, "\n".join(changed) + "\n")
        checks.refused(words, words, "convert", name, "--state=gas.h5", "-o", "x.h5", ranks=2)
        checks.true(words + ": nothing is left", not [f for f in os.listdir() if f.startswith("x.")], os.listdir())
    full = ("bash", "-c", 'ulimit -f 4100; exec "$@"', "limited")  # kB
    for suffix in "trr", "gro":
        said = run("convert", "gas.h5", "-o", "x." + suffix, before=full, status=4).stderr
        checks.true(suffix + ": no room", "cannot write 'x.%s': File too large" % suffix in said, said)
        checks.true(suffix + ": nothing is left", not [f for f in os.listdir() if f.startswith("x.")], os.listdir())


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_random(checks)
        check_shapes(checks)
        for box in BOXES["oblique"], BOXES["rectangular"]:
            names = start(box)
            x, wrapped = check_frames(checks, names, box)
            check_names(checks, x, box)
            if box[1, 0]:
                run("export", "run.checkpoint.h5", "--gro=export.gro", "--digits=6")
                check_back(checks)
                check_csv(checks, box)
                for path in os.listdir():
                    if path.startswith(("run.", "again.")):
                        os.remove(path)
        check_choices(checks, x, wrapped, names)
        check_back(checks)
        check_errors(checks)
    checks.end()


main()
