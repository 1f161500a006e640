#!/usr/bin/env python3
"""Number-density profiles across a membrane and a side view of its beads.

    lamella-picture PREFIX [-o PICTURE.png] [--last N]

Reads PREFIX.h5md and PREFIX.psf. Profiles are averages over the last N frames (default: the later
half), with the membrane's centre of mass at z = 0; the side view shows a slice of the last frame.
"""
import argparse
import sys

try:
    import h5py
    import matplotlib
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}: Debian: apt-get install python3-numpy python3-h5py python3-matplotlib")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PatchCollection  # noqa: E402
from matplotlib.patches import Circle  # noqa: E402

BINS = 100
SLICE = 2.0  # nm, thickness of the side view
# What the beads of ELBA lipids and water are drawn as: name, colour and radius in nm. Every other
# type gets a colour of a cycle.
LOOKS = {
    "W": ("water", "#8ec3e6", 0.045),
    "C": ("choline (+)", "#1f4e9c", 0.14),
    "A": ("amine (+)", "#1f4e9c", 0.12),
    "P": ("phosphate (-)", "#ec7a08", 0.14),
    "G": ("glycerol (dipole)", "#b5179e", 0.12),
    "E": ("ester (dipole)", "#c1121f", 0.12),
    "T": ("tail", "#8a8d7c", 0.09),
}


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


def looks(types):
    """Type, label, colour and radius of every type present, in the order of LOOKS."""
    present = sorted(set(types), key=lambda t: (list(LOOKS).index(t) if t in LOOKS else 99, t))
    for k, name in enumerate(present):
        yield name, *LOOKS.get(name, (name, f"C{k % 10}", 0.12))


def centred(z, height, middle):
    """z with the mean of the beads in middle moved to 0, found on the circle that the box is."""
    angle = 2 * np.pi * z[middle] / height
    centre = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * height / (2 * np.pi)
    return (z - centre + height / 2) % height - height / 2


def draw_profiles(axes, frames, types, middle):
    half = min(edges[2] for _, edges in frames) / 2
    bins = np.linspace(-half, half, BINS + 1)
    counts = {name: np.zeros(BINS) for name in set(types)}
    for position, edges in frames:
        z = centred(position[:, 2], edges[2], middle)
        volume = edges[0] * edges[1] * (bins[1] - bins[0])
        for name in counts:
            counts[name] += np.histogram(z[types == name], bins)[0] / volume / len(frames)
    middles = (bins[1:] + bins[:-1]) / 2
    for name, label, colour, _ in looks(types):
        axes.plot(middles, counts[name], color=colour, label=label, linewidth=1.8)
    axes.set(xlim=(-half, half), ylim=(0, None), xlabel="distance from the middle, z (nm)",
             ylabel="number density (beads per nm$^3$)",
             title=f"profiles, mean of {len(frames)} frames")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=9, loc="upper center")


def draw_side(axes, position, edges, types, bonds, middle):
    """The slice from behind, so that what is in front covers what is behind."""
    x, y = position[:, 0] % edges[0], position[:, 1] % edges[1]
    z = centred(position[:, 2], edges[2], middle)
    thick = min(SLICE, edges[1])
    radius, colour = np.zeros(len(x)), np.empty(len(x), object)
    for name, _, shade, size in looks(types):
        radius[types == name], colour[types == name] = size, shade
    i, j = bonds[(y[bonds] < thick).all(axis=1)].T
    near = (abs(x[i] - x[j]) < edges[0] / 2) & (abs(z[i] - z[j]) < edges[2] / 2)
    ends = np.stack([np.stack([x[i], z[i]], 1), np.stack([x[j], z[j]], 1)], 1)[near]
    axes.add_collection(LineCollection(ends, colors="#5c5f52", linewidths=1.2, zorder=1))
    order = np.argsort(-y)
    order = order[y[order] < thick]
    discs = [Circle((x[k], z[k]), radius[k]) for k in order]
    axes.add_collection(PatchCollection(discs, facecolors=colour[order], edgecolors="white",
                                        linewidths=0.3, zorder=2))
    axes.set(xlim=(0, edges[0]), ylim=(-edges[2] / 2, edges[2] / 2), aspect="equal",
             xlabel="x (nm)", ylabel="z (nm)", title=f"side view, a slice of {thick:.1f} nm")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prefix", help="as output.prefix of the run")
    parser.add_argument("-o", "--output", help="picture [PREFIX.png]")
    parser.add_argument("--last", type=int, help="frames to average over [the later half]")
    arguments = parser.parse_args()

    residues, types, bonds = read_psf(arguments.prefix + ".psf")
    with h5py.File(arguments.prefix + ".h5md", "r") as trajectory:
        group = trajectory["particles/trajectory"]
        position, edges = group["position/value"], group["box/edges/value"]
        n_frames = len(position)
        if n_frames == 0:
            sys.exit(f"{arguments.prefix}.h5md: no frames")
        if position.shape[1] != len(types):
            sys.exit(f"{arguments.prefix}: {position.shape[1]} beads in .h5md, "
                     f"{len(types)} in .psf")
        last = min(n_frames, arguments.last or (n_frames + 1) // 2)
        frames = [(position[k], np.diagonal(edges[k])) for k in range(n_frames - last, n_frames)]
        time = group["position/time"][-1]

    # The membrane is what is no water; a box without one is centred on everything.
    middle = types != "W"
    if not middle.any():
        middle = np.ones(len(types), bool)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.2), constrained_layout=True,
                                         gridspec_kw={"width_ratios": [1.25, 1]})
    draw_profiles(left, frames, types, middle)
    draw_side(right, *frames[-1], types, bonds, middle)
    molecules = ", ".join(sorted(set(residues[middle])))
    figure.suptitle(f"{molecules}: {len(types)} beads, {time:g} ps after the start")
    figure.savefig(arguments.output or arguments.prefix + ".png", dpi=150)


if __name__ == "__main__":
    main()
