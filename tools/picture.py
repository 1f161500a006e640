#!/usr/bin/env python3
"""Density profiles along z and a side view of the beads, of a membrane or of a fluid.

    lamella-picture PREFIX [-o PICTURE.png] [--last N]

Reads PREFIX.h5md and PREFIX.psf. Profiles are averages over the last N frames (default: the later
half). Where molecules form a layer, its centre of mass is at z = 0. The side view shows a slice of
the last frame. Beads with a shape are drawn as ellipses, dipoles as arrows; with ellipsoids the
title has the nematic order parameter S, the largest eigenvalue of <3/2 u u - 1/2>.
"""
import argparse
import collections
import sys

try:
    import h5py
    import matplotlib
    import numpy as np
    import yaml
except ImportError as missing:
    sys.exit(f"{missing}: Debian: apt-get install python3-numpy python3-h5py python3-matplotlib "
             "python3-yaml")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PatchCollection  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.patches import Ellipse  # noqa: E402

BINS = 100
SLICE = 2.0  # nm, thickness of the side view of molecules; of a fluid: two beads
PANEL = 300  # points, about the larger side of the side view
ARROW = 9  # points; dipoles that would be shorter are left out
ANGLES = "viridis"  # colours of angles
# What the beads of lipids and their water are drawn as: name, colour and radius in nm, smaller than
# they are. Every other type gets a colour of a cycle.
LOOKS = {
    "W": ("water", "#8ec3e6", 0.045),
    "C": ("choline (+)", "#1f4e9c", 0.14),
    "A": ("amine (+)", "#1f4e9c", 0.12),
    "P": ("phosphate (-)", "#ec7a08", 0.14),
    "G": ("glycerol (dipole)", "#b5179e", 0.12),
    "E": ("ester (dipole)", "#c1121f", 0.12),
    "T": ("tail", "#8a8d7c", 0.09),
}
# radius: nm, across the axis of an ellipsoid; kappa: its length over its breadth, 1 for a sphere.
Look = collections.namedtuple("Look", "label colour radius kappa")


def read_psf(path):
    """Residue names and atom types, in the order of the beads, and bonds as pairs of rows."""
    with open(path) as psf:
        lines = iter(psf)
        for line in lines:
            if "!NATOM" in line:
                rows = [next(lines).split() for _ in range(int(line.split()[0]))]
            elif "!NBOND" in line:
                n, numbers = 2 * int(line.split()[0]), []
                while len(numbers) < n:
                    numbers += next(lines).split()
                bonds = np.array(numbers, int).reshape(-1, 2) - 1
                return np.array([r[3] for r in rows]), np.array([r[5] for r in rows]), bonds
    sys.exit(f"{path}: no atoms or no bonds section")


def read_kappas(trajectory):
    """Length over breadth of the types that have a shape. Trajectories of earlier versions do not
    hold the force field, which had no shapes then."""
    if "parameters/lamella/forcefield" not in trajectory:
        return {}
    text = trajectory["parameters/lamella/forcefield"][0].decode()
    types = yaml.load(text, yaml.BaseLoader)["types"]
    return {name: float(t["shape"]["kappa"]) for name, t in types.items() if "shape" in t}


def make_looks(trajectory, types, in_molecules):
    """The look of every type present, in the order of LOOKS. Single beads have their size, half of
    sigma; molecules and the water around them are drawn smaller."""
    species = trajectory["parameters/vmd_structure"]
    radii = {name.decode(): r for name, r in zip(species["name"][:], species["radius"][:])}
    kappas, looks = read_kappas(trajectory), {}
    known = LOOKS if in_molecules.any() else {"W": LOOKS["W"]}
    present = sorted(set(types), key=lambda t: (list(known).index(t) if t in known else 99, t))
    for k, name in enumerate(present):
        radius = radii.get(name[:15], 0.24)  # the trajectory has 15 letters of a name
        label, colour, small = known.get(name, (name, f"C{k % 10}", 0.5 * radius))
        if name in kappas or not in_molecules.any():
            small = radius
        looks[name] = Look(label, colour, small, kappas.get(name, 1.0))
    return looks


def read_axes(group, frame):
    """The body z axis of every bead, a unit vector or 0; None if no bead rotates."""
    if "quaternion" in group:
        w, x, y, z = group["quaternion/value"][frame].T
        return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
    for name in ("orientation", "dipole"):
        if name in group:
            return unit(group[name + "/value"][frame])
    return None


def unit(vectors):
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def nematic_order(u):
    """Order parameter and director of unit vectors."""
    values, vectors = np.linalg.eigh(1.5 * u.T @ u / len(u) - 0.5 * np.eye(3))
    return values[-1], vectors[:, -1]


def find_layer(z, height, in_molecules):
    """The beads of molecules if they are unevenly spread along z, as those of a membrane; else
    None."""
    n = in_molecules.sum()
    if n == 0:
        return None
    spread = abs(np.exp(2j * np.pi * z[in_molecules] / height).mean())
    return in_molecules if spread > max(0.05, 3 / np.sqrt(n)) else None


def centred(z, height, layer):
    """z from -height/2 with the mean of the layer moved to 0, found on the circle that the box is;
    without a layer z from 0."""
    if layer is None:
        return z % height
    angle = 2 * np.pi * z[layer] / height
    centre = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * height / (2 * np.pi)
    return (z - centre + height / 2) % height - height / 2


def limits(height, layer):
    return (0, height) if layer is None else (-height / 2, height / 2)


def draw_profiles(axes, group, frames, types, looks, layer):
    edges = [np.diagonal(group["box/edges/value"][k]) for k in frames]
    low, high = limits(min(e[2] for e in edges), layer)
    bins = np.linspace(low, high, BINS + 1)
    counts = {name: np.zeros(BINS) for name in looks}
    for k, edge in zip(frames, edges):
        z = centred(group["position/value"][k][:, 2], edge[2], layer)
        volume = edge[0] * edge[1] * (bins[1] - bins[0])
        for name in counts:
            counts[name] += np.histogram(z[types == name], bins)[0] / volume / len(frames)
    middles = (bins[1:] + bins[:-1]) / 2
    for name, look in looks.items():
        axes.plot(middles, counts[name], color=look.colour, label=look.label, linewidth=1.8)
    axes.set(xlim=(low, high), ylim=(0, None),
             xlabel="z (nm)" if layer is None else "distance from the middle, z (nm)",
             ylabel="number density (beads per nm$^3$)",
             title=f"profiles, mean of {len(frames)} frame{'s' * (len(frames) > 1)}")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=9, loc="best" if layer is None else "upper center")


def has_shape(types, looks):
    return np.isin(types, [name for name in looks if looks[name].kappa != 1])


def bead_colours(types, looks, u, depth):
    """Colour of every bead: of its type. In a fluid ellipsoids are coloured by their angle to the
    director, and beads are the paler the further behind they are (depth, 0 to 1; None: not)."""
    rgb = np.zeros((len(types), 3))
    for name, look in looks.items():
        rgb[types == name] = to_rgb(look.colour)
    if depth is None:
        return rgb
    shaped = has_shape(types, looks)
    if shaped.any():
        director = nematic_order(u[shaped])[1]
        angle = np.degrees(np.arccos(np.clip(abs(u[shaped] @ director), 0, 1)))
        rgb[shaped] = plt.get_cmap(ANGLES)(angle / 90)[:, :3]
    return 1 - (1 - 0.6 * depth[:, None]) * (1 - rgb)


def with_images(points, rows, reach, box):
    """Rows of beads and their places, and those of the periodic images that reach into the
    picture, in the same order. box: lower and upper limits of each axis."""
    low, high = np.array(box).T
    shifts = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)]) * (high - low)
    images = points[rows][:, None] + shifts
    seen = ((images > low - reach) & (images < high + reach)).all(axis=2)
    return np.repeat(rows, seen.sum(axis=1)), images[seen]


def ellipse(place, look, u):
    """The outline of an ellipsoid of revolution with the axis u, seen along y."""
    seen = u[0] ** 2 + u[2] ** 2  # squared length of the axis as it is seen
    along = look.radius * np.sqrt(1 + (look.kappa**2 - 1) * seen)
    angle = np.degrees(np.arctan2(u[2], u[0]))
    return Ellipse(place, 2 * along, 2 * look.radius, angle=angle)


def draw_dipoles(axes, places, moments, length, colour, scale):
    """Arrows along dipoles, if they are long enough to be seen. scale: points per nm."""
    shown = (np.linalg.norm(moments, axis=1) > 0) & (length * scale > ARROW)
    arrow = (length[:, None] * unit(moments))[shown]
    axes.quiver(*places[shown].T, arrow[:, 0], arrow[:, 2], angles="xy", scale_units="xy", scale=1,
                pivot="mid", units="dots", width=1.6, headwidth=4, headlength=4, headaxislength=4,
                minlength=0.5, color=colour[shown], zorder=3)


def draw_side(axes, group, types, looks, bonds, in_molecules, layer):
    """The slice from behind, so that what is in front covers what is behind."""
    position, u = group["position/value"][-1], read_axes(group, -1)
    edges = np.diagonal(group["box/edges/value"][-1])
    box = ((0, edges[0]), limits(edges[2], layer))
    y, fluid = position[:, 1] % edges[1], not in_molecules.any()
    points = np.stack([position[:, 0] % edges[0], centred(position[:, 2], edges[2], layer)], 1)
    widest = max(look.radius for look in looks.values())
    thick = min(4 * widest if fluid else SLICE, edges[1])

    i, j = bonds[(y[bonds] < thick).all(axis=1)].T
    near = (abs(points[i] - points[j]) < edges[[0, 2]] / 2).all(axis=1)
    ends = np.stack([points[i], points[j]], 1)[near]
    axes.add_collection(LineCollection(ends, colors="#5c5f52", linewidths=1.2, zorder=1))

    order = np.argsort(-y)
    reach = max(look.radius * max(look.kappa, 1) for look in looks.values())
    rows, places = with_images(points, order[y[order] < thick], reach, box)
    colour = bead_colours(types, looks, u, np.clip(y / thick, 0, 1) if fluid else None)
    still = np.zeros(3)
    outlines = [ellipse(place, looks[types[k]], still if u is None else u[k])
                for k, place in zip(rows, places)]
    axes.add_collection(PatchCollection(outlines, facecolors=colour[rows], edgecolors="white",
                                        linewidths=0.3, zorder=2))
    if "dipole" in group:
        chosen = in_molecules[rows] | fluid  # arrows of water around molecules would hide these
        rows, places = rows[chosen], places[chosen]
        grey = 0.15 + 0.6 * np.clip(y[rows] / thick, 0, 1) if fluid else np.ones(len(rows))
        draw_dipoles(axes, places, group["dipole/value"][-1][rows],
                     2 * np.array([looks[types[k]].radius for k in rows]),
                     np.repeat(grey[:, None], 3, axis=1), PANEL / max(edges[0], edges[2]))
    if fluid and has_shape(types, looks).any():
        shades = plt.cm.ScalarMappable(plt.Normalize(0, 90), ANGLES)
        axes.figure.colorbar(shades, ax=axes, label="angle to the director (degrees)", shrink=0.8)
    axes.set(xlim=box[0], ylim=box[1], aspect="equal", xlabel="x (nm)", ylabel="z (nm)",
             title=f"side view, a slice of {thick:.1f} nm")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prefix", help="as output.prefix of the run")
    parser.add_argument("-o", "--output", help="picture [PREFIX.png]")
    parser.add_argument("--last", type=int, help="frames to average over [the later half]")
    arguments = parser.parse_args()

    residues, types, bonds = read_psf(arguments.prefix + ".psf")
    with h5py.File(arguments.prefix + ".h5md", "r") as trajectory:
        group = trajectory["particles/trajectory"]
        position = group["position/value"]
        n_frames = len(position)
        if n_frames == 0:
            sys.exit(f"{arguments.prefix}.h5md: no frames")
        if position.shape[1] != len(types):
            sys.exit(f"{arguments.prefix}: {position.shape[1]} beads in .h5md, "
                     f"{len(types)} in .psf")
        last = min(n_frames, arguments.last or (n_frames + 1) // 2)
        frames = range(n_frames - last, n_frames)
        in_molecules = np.zeros(len(types), bool)
        in_molecules[bonds.ravel()] = True
        looks = make_looks(trajectory, types, in_molecules)
        layer = find_layer(position[-1][:, 2], group["box/edges/value"][-1][2, 2], in_molecules)
        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.2), constrained_layout=True,
                                             gridspec_kw={"width_ratios": [1.25, 1]})
        draw_profiles(left, group, frames, types, looks, layer)
        draw_side(right, group, types, looks, bonds, in_molecules, layer)
        shown = in_molecules if in_molecules.any() else np.ones(len(types), bool)
        title = ", ".join(sorted(set(residues[shown])))
        title += f": {len(types)} beads, {group['position/time'][-1]:g} ps after the start"
        ellipsoids = has_shape(types, looks)
        if ellipsoids.any():
            order = [nematic_order(read_axes(group, k)[ellipsoids])[0] for k in frames]
            title += f", S = {np.mean(order):.2f}"
    figure.suptitle(title)
    figure.savefig(arguments.output or arguments.prefix + ".png", dpi=150)


if __name__ == "__main__":
    main()
