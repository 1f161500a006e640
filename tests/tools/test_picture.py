#!/usr/bin/env python3
"""lamella-picture: outlines of ellipsoids, order parameter, which beads and dipoles are drawn, in
a fluid, in a membrane, and in a run of water with three moments of inertia."""
import os
import sys
import tempfile
import types

import numpy as np

import trial
from run_lamella import Checks, run, skip

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import lamella
    from lamella import picture
except ImportError as missing:
    skip(missing)
from matplotlib.collections import PatchCollection
from matplotlib.quiver import Quiver

checks = Checks()
dice = np.random.default_rng(3)
work = tempfile.TemporaryDirectory(prefix="test_picture.")
os.chdir(work.name)


def random_axes(n):
    return picture.unit(dice.normal(size=(n, 3)))


def write(prefix, types, position, box, elements, bonds=(), kappas=None):
    """A trajectory of one frame, as far as the picture reads it. Like beads have a sigma of 1 nm. Type G
    has a dipole. kappas: {type: kappa}; None: no force field in the file, as in those of earlier versions."""
    names = sorted(set(types))
    with h5py.File(prefix + ".h5md", "w") as file:
        group = file.create_group("particles/trajectory")
        group["position/value"] = np.asarray([position], np.float32)
        group["position/step"], group["position/time"] = [1], [2.5]
        group["box/edges/value"] = np.diag(np.asarray(box, float))[None]
        for name, value in elements.items():
            group[name + "/value"] = np.asarray([value], np.float32)
        file["parameters/vmd_structure/name"] = np.array([n.encode() for n in names])
        file["parameters/vmd_structure/radius"] = np.full(len(names), 0.5, np.float32)
        if kappas is not None:
            text = "".join(f"  {n}: {{mass: 1, shape: {{kappa: {kappas[n]}, kappa_prime: 5}}}}\n"
                           if n in kappas else f"  {n}: {{mass: 1, dipole: {int(n == 'G')}}}\n"
                           for n in names)
            file["parameters/lamella/forcefield"] = np.array([("types:\n" + text).encode()])
    with open(prefix + ".psf", "w") as file:
        print("PSF EXT\n\n%d !NATOM" % len(types), file=file)
        for k, name in enumerate(types):
            print(k + 1, name, k + 1, name, name, name, 0.0, 1.0, 0, file=file)
        print("\n%d !NBOND: bonds" % len(bonds), file=file)
        print(" ".join(f"{i + 1} {j + 1}" for i, j in bonds), file=file)


def draw(prefix):
    """The title and the axes of the picture."""
    picture.plt.close("all")
    sys.argv = ["picture.py", prefix, "-o", prefix + ".png"]
    picture.main()
    with open(prefix + ".png", "rb") as file:
        checks.true(prefix + ": a picture", file.read(8) == b"\x89PNG\r\n\x1a\n")
    figure = picture.plt.gcf()
    return figure._suptitle.get_text(), figure.axes


def drawn(side):
    """Numbers of outlines and of arrows of a side view."""
    outlines = [c for c in side.collections if type(c) is PatchCollection]
    arrows = [c for c in side.collections if isinstance(c, Quiver)]
    return (sum(len(c.get_paths()) for c in outlines), sum(c.N for c in arrows))


def outlines():
    """The farthest point of an ellipsoid's surface in a direction of the picture, by sampling."""
    sphere = random_axes(200000)
    for kappa in 3.0, 1.0, 0.4:
        for u in random_axes(4):
            across = picture.unit(np.cross(u, [[0.3, 0.5, 0.8]]))[0]
            third = np.cross(u, across)
            surface = 0.5 * (sphere @ np.stack([kappa * u, across, third]))
            patch = picture.ellipse((0, 0), picture.Look("", "C0", 0.5, kappa), u)
            for turn in np.radians((0, 35, 90, 140)):
                way = np.array([np.cos(turn), 0, np.sin(turn)])
                apart = turn - np.radians(patch.angle)
                reach = np.hypot(patch.width / 2 * np.cos(apart), patch.height / 2 * np.sin(apart))
                checks.close(f"outline, kappa {kappa}", reach, (surface @ way).max(), 2e-3)


def order_parameters():
    ring = np.radians(np.arange(0, 360, 10))
    plane = np.stack([np.cos(ring), np.sin(ring), 0 * ring], 1)
    opposite = np.array([[1.0, 0, 0], [-1, 0, 0]])
    checks.close("S along x", picture.nematic_order(opposite)[0], 1, absolute=1e-12)
    checks.close("S along x, y and z", picture.nematic_order(np.eye(3))[0], 0, absolute=1e-12)
    checks.close("S in a plane", picture.nematic_order(plane)[0], 0.25, absolute=1e-12)
    tilted = picture.unit(np.array([[0.6, 0, 0.8]]) + dice.normal(0, 0.05, (100, 3)))
    checks.close("director", abs(picture.nematic_order(tilted)[1] @ [0.6, 0, 0.8]), 1, 1e-3)


def images():
    """Beads in the middle, at a face and in a corner of the picture."""
    points = np.array([[5.0, 0], [5, 9], [0.1, 2], [9.8, -9.9]])
    rows, places = picture.with_images(points, np.array([3, 0, 2]), 0.5, ((0, 10), (-10, 10)))
    wanted = {(3, 9.8, -9.9), (3, -0.2, -9.9), (3, 9.8, 10.1), (3, -0.2, 10.1), (0, 5, 0),
              (2, 0.1, 2), (2, 10.1, 2)}
    found = {(k, *np.round(place, 6)) for k, place in zip(rows, places)}
    checks.true("images", len(rows) == 7 and found == wanted, found)
    checks.true("in the order of the rows", list(rows) == sorted(rows, key=[3, 0, 2].index), rows)


def fluid_of_ellipsoids():
    """Ellipsoids and spheres: S is that of the ellipsoids, by any element that has their axes."""
    n, box = 400, [9.0, 9.0, 12.0]
    position = dice.uniform(0, 1, (n, 3)) * box
    types = np.where(np.arange(n) < 300, "R", "S")
    half = np.radians(dice.normal(0, 10, n)) / 2  # turned about y: axes in the plane of z and x
    u = np.stack([np.sin(2 * half), 0 * half, np.cos(2 * half)], 1)
    quaternion = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], 1)
    inside = position[:, 1] < 2.0  # the slice is two beads thick
    for name, elements in (("axes", {"orientation": u}),
                           ("bodies", {"dipole": 0 * u, "quaternion": quaternion})):
        write(name, types, position, box, elements, kappas={"R": 3})
        title, (left, side, bar) = draw(name)
        checks.true(name + ": S", "S = 0.9" in title, title)
        checks.true(name + ": no middle", left.get_xlabel() == "z (nm)"
                    and left.get_xlim() == (0, 12), left.get_xlabel())
        checks.true(name + ": a scale of angles", "director" in bar.get_ylabel())
        patches, arrows = drawn(side)
        checks.true(name + ": the slice and its images", inside.sum() <= patches < 2 * inside.sum()
                    and arrows == 0, patches, inside.sum(), arrows)
    write("old", types, position, box, {"orientation": u})
    title, axes = draw("old")
    checks.true("no force field: spheres", "S =" not in title and len(axes) == 2, title)


def vesicle():
    """The slice goes through the middle of lipids that are together, across a face of the box too."""
    for middle in 8.0, 19.5:
        lipids = [8, middle, 9] + 4 * random_axes(600)
        scene = types.SimpleNamespace(layer=None, fluid=False, looks={"A": picture.Look("", "C0", 0.2, 1)},
                                      in_lipids=np.arange(1600) < 600)
        frame = types.SimpleNamespace(position=np.concatenate([lipids, dice.uniform(0, 20, (1000, 3))]),
                                      box=np.full(3, 20.0), vectors=20 * np.eye(3))
        _, behind, thick, _ = picture.view(scene, frame, (0, 2))
        near = abs((frame.position[:, 1] - middle + 10) % 20 - 10)
        checks.true("a slice through the middle", (behind < thick)[near < 0.6].all() and not (behind < thick)[near > 1.4].any(), middle)


def oblique():
    """Beads of an oblique box move by whole vectors into the rectangular cell that is drawn, and bonds that
    cross none of its faces are drawn with their lengths."""
    vectors = np.array([[6.0, 0, 0], [2.5, 5, 0], [-2, 1.7, 7]])
    first = dice.uniform(-1, 2, (500, 3)) @ vectors
    position = np.stack([first, first + 0.5 * random_axes(500)], 1).reshape(-1, 3)
    position -= np.floor(position @ np.linalg.inv(vectors)) @ vectors
    bonds = np.arange(1000).reshape(-1, 2)
    frame = types.SimpleNamespace(position=position, box=vectors.diagonal(), vectors=vectors)
    for layer in None, np.arange(1000) < 1:
        scene = types.SimpleNamespace(layer=layer, fluid=True, in_lipids=np.full(1000, layer is not None), bonds=bonds,
                                      looks={"A": picture.Look("", "C0", 2.0, 1)})
        for across in (0, 2), (0, 1):
            points, behind, thick, _ = picture.view(scene, frame, across)
            x, y = picture.in_brick(frame, layer)
            moved = np.stack([x, y, picture.centred(position[:, 2], 7, layer)], 1)
            steps = (moved + (0 if layer is None else [0, 0, position[0, 2]]) - position) @ np.linalg.inv(vectors)
            checks.true("whole vectors", abs(steps - np.rint(steps)).max() < 1e-9)
            checks.true("in the cell", (x >= 0).all() and (x <= 6).all() and (y >= -1e-9).all() and (y <= 5 + 1e-9).all())
            axes = picture.plt.figure().gca()
            picture.draw_bonds(axes, scene, frame, points, behind, 99, across)
            lines = np.array(axes.collections[0].get_segments())
            longest = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).max()
            checks.true("bonds of an oblique box", len(lines) > 300 and longest < 0.5001, longest)


def membrane(name, width=2.5, flat=True):
    """Chains of two lipid beads, the first with a dipole, and water with dipoles: title, profiles,
    number of arrows, number of dipoles of chains in the slice."""
    chains = int(8 * width)
    box = np.array([width, 3.0, 2.6])
    head = dice.uniform(0, 1, (chains, 3)) * box
    if flat:
        head[:, 2] = 2.3 + 0.2 * dice.normal(size=chains)
    position = np.concatenate([head, head + [0, 0, 0.4], dice.uniform(0, 1, (200, 3)) * box]) % box
    types = ["G"] * chains + ["T"] * chains + ["W"] * 200
    dipole = 0.05 * random_axes(len(types))
    dipole[chains:2 * chains] = 0
    write(name, types, position, box, {"dipole": dipole}, [(k, k + chains) for k in range(chains)],
          kappas={})
    title, (left, side) = draw(name)
    seen = np.flatnonzero(position[:, 1] < 2)
    patches, arrows = drawn(side)
    checks.true(name + ": beads", len(seen) <= patches < 1.5 * len(seen), patches, len(seen))
    return title, left, arrows, (seen < chains).sum()


def membranes():
    title, left, arrows, heads = membrane("membrane")
    checks.true("dipoles of lipids alone", heads <= arrows < 1.5 * heads, arrows, heads)
    checks.true("a middle", left.get_xlim() == (-1.3, 1.3) and "middle" in left.get_xlabel())
    checks.true("title", title == "G, T: 240 beads, 2.5 ps after the start", title)
    top = [line.get_xdata()[line.get_ydata().argmax()] for line in left.get_lines()
           if line.get_label().startswith(("glycerol", "tail"))]
    checks.true("the layer is in the middle", len(top) == 2 and np.abs(top).max() < 0.8, top)
    checks.true("dipoles too small to see", membrane("wide", 90.0)[2] == 0)
    left = membrane("solution", flat=False)[1]
    checks.true("molecules that form no layer", left.get_xlim() == (0, 2.6))


def many_types():
    """More types than colours have names: a colour of its own for each, and a legend that covers no curve."""
    types = [f"X{k:02d}" for k in range(24)] + ["C", "T"]
    box = np.array([5.0, 5, 5])
    write("many", types, dice.uniform(0, 1, (len(types), 3)) * box, box, {}, [(0, 1)], kappas={})
    _, (left, side) = draw("many")
    colours = [line.get_color() for line in left.get_lines()]
    checks.true("a colour for each type", len(set(colours)) == len(types) == len(colours), colours)
    labels = [text.get_text() for text in left.get_legend().get_texts()]
    checks.true("a C without charge is no choline", labels == ["tail", "C", *types[:24]], labels)
    around, frame = left.get_legend().get_window_extent(), left.get_window_extent()
    checks.true("the legend is below the axes", around.y1 < frame.y0, around, frame)


def run_of_water():
    field = trial.field(".", "bodies", "elba.yaml",
                        (r"inertia: \[1, 1, 0\]", "inertia: [1, 2, 1.5]"))
    start = trial.build(".", "water", f"forcefield: {field}\nseed: 3\nwater: {{count: 1000}}\n"
                        "minimise: no\n")
    trial.simulate(".", "water", {"input": start, "run.dt": 0.005, "run.steps": 4,
                                  "output.frames_every": 2}, timeout=100)
    title, (left, side) = draw("water")
    with h5py.File("water.h5md", "r") as file:
        group = file["particles/trajectory"]
        position, edges = group["position/value"][-1], group["box/edges/value"][-1]
        dipole, u = group["dipole/value"][-1], picture.read_axes(lamella.Trajectory("water")[-1])
        checks.true("quaternions and dipoles agree",
                    abs(picture.unit(dipole) - u).max() < 1e-5 and "quaternion" in group)
    inside = (position[:, 1] % edges[1, 1] < 0.61).sum()  # sigma is 0.305 nm
    patches, arrows = drawn(side)
    checks.true("water: a dipole on each bead", inside <= patches == arrows < 1.6 * inside, inside,
                patches, arrows)
    checks.true("water: title", title == "W: 1000 beads, 0.02 ps after the start", title)
    checks.true("water: no middle", left.get_xlabel() == "z (nm)")
    run("info", "water.h5md")


outlines()
order_parameters()
images()
fluid_of_ellipsoids()
vesicle()
oblique()
membranes()
many_types()
run_of_water()
checks.end()
