#!/usr/bin/env python3
"""Number-density profiles across a membrane and a side view of its beads.

    picture.py PREFIX [-o PICTURE.png] [--last N]

Reads PREFIX.h5md and PREFIX.psf. Profiles are averages over the last N frames (default: the later
half), with the membrane's centre of mass at z = 0; the side view shows a slice of the last frame.
"""
import argparse
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BINS = 100
SLICE = 2.0  # nm, thickness of the side view
# What the beads of ELBA lipids and water are drawn as; every other type gets a colour of a cycle.
LOOKS = {
    "W": ("water", "#9ecae8"),
    "C": ("choline", "#2455a4"),
    "A": ("amine", "#2455a4"),
    "P": ("phosphate", "#e2711d"),
    "G": ("glycerol", "#b5179e"),
    "E": ("ester", "#c1121f"),
    "T": ("tail", "#6b705c"),
}


def read_psf(path):
    """Residue names and atom types, in the order of the beads."""
    with open(path) as psf:
        for line in psf:
            if "!NATOM" in line:
                rows = [next(psf).split() for _ in range(int(line.split()[0]))]
                return np.array([r[3] for r in rows]), np.array([r[5] for r in rows])
    sys.exit(f"{path}: no !NATOM section")


def looks(types):
    """Type, label and colour of every type present, in the order of LOOKS."""
    present = sorted(set(types), key=lambda t: (list(LOOKS).index(t) if t in LOOKS else 99, t))
    for k, name in enumerate(present):
        label, colour = LOOKS.get(name, (name, f"C{k % 10}"))
        yield name, label, colour


def centred(z, height, middle):
    """z with the mean of the beads in middle moved to 0, found on the circle that the box is."""
    angle = 2 * np.pi * z[middle] / height
    centre = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * height / (2 * np.pi)
    return (z - centre + height / 2) % height - height / 2


def draw_profiles(axes, frames, types, middle):
    heights = [edges[2] for _, edges in frames]
    half = max(heights) / 2
    bins = np.linspace(-half, half, BINS + 1)
    counts = {name: np.zeros(BINS) for name in set(types)}
    for position, edges in frames:
        z = centred(position[:, 2], edges[2], middle)
        volume = edges[0] * edges[1] * (bins[1] - bins[0])
        for name in counts:
            counts[name] += np.histogram(z[types == name], bins)[0] / volume / len(frames)
    middles = (bins[1:] + bins[:-1]) / 2
    for name, label, colour in looks(types):
        axes.plot(middles, counts[name], color=colour, label=label)
    inside = min(heights) / 2
    axes.set(xlim=(-inside, inside), ylim=(0, None), xlabel="z / nm",
             ylabel="beads per nm$^3$", title=f"number density, {len(frames)} frames")
    axes.legend(frameon=False, fontsize=8)


def draw_side(axes, position, edges, types, middle):
    x = position[:, 0] % edges[0]
    y = position[:, 1] % edges[1]
    z = centred(position[:, 2], edges[2], middle)
    shown = y < min(SLICE, edges[1])
    for name, _, colour in looks(types):
        pick = shown & (types == name)
        size = 12 if name == "W" else 40
        axes.scatter(x[pick], z[pick], s=size, color=colour, linewidths=0.2, edgecolors="white",
                     alpha=0.6 if name == "W" else 0.95)
    axes.set(xlim=(0, edges[0]), aspect="equal", xlabel="x / nm", ylabel="z / nm",
             title=f"side view, {min(SLICE, edges[1]):.1f} nm thick")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prefix", help="as output.prefix of the run")
    parser.add_argument("-o", "--output", help="picture [PREFIX.png]")
    parser.add_argument("--last", type=int, help="frames to average over [the later half]")
    arguments = parser.parse_args()

    residues, types = read_psf(arguments.prefix + ".psf")
    with h5py.File(arguments.prefix + ".h5md", "r") as trajectory:
        group = trajectory["particles/trajectory"]
        position, edges = group["position/value"], group["box/edges/value"]
        n_frames = len(position)
        if n_frames == 0:
            sys.exit(f"{arguments.prefix}.h5md: no frames")
        if position.shape[1] != len(types):
            sys.exit(f"{arguments.prefix}: {position.shape[1]} beads in .h5md, {len(types)} in .psf")
        last = min(n_frames, arguments.last or (n_frames + 1) // 2)
        frames = [(position[k], np.diagonal(edges[k])) for k in range(n_frames - last, n_frames)]
        time = group["position/time"][-1]

    # The membrane is what is no water; a box without one is centred on everything.
    middle = types != "W"
    if not middle.any():
        middle = np.ones(len(types), bool)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), constrained_layout=True)
    draw_profiles(left, frames, types, middle)
    draw_side(right, *frames[-1], types, middle)
    molecules = ", ".join(sorted(set(residues[middle])))
    figure.suptitle(f"{molecules}: {len(types)} beads, {time:g} ps")
    figure.savefig(arguments.output or arguments.prefix + ".png", dpi=150)


if __name__ == "__main__":
    main()
