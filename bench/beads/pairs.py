#!/usr/bin/env python3
"""pairs.py STATE.h5 SKIN CUTOFF:TYPES:TYPES...: numbers of listed pairs, each counted from both beads, as force
kernels evaluate them. TYPES: names with commas, or * for all; a pair in one of the entries is left out of those
after it at the same or a larger cutoff if it is written CUTOFF:TYPES:TYPES:only. With times of kernels (kernels.py)
they give the time a pair.

    pairs.py c-100k.h5 0.2 0.4:W:W 0.9:W:W:only 1.2:*:*"""
import argparse
import itertools

import h5py
import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state")
    parser.add_argument("skin", type=float, help="nm")
    parser.add_argument("kind", nargs="+", metavar="CUTOFF:TYPES:TYPES")
    a = parser.parse_args()
    with h5py.File(a.state, "r") as file:
        box = file["system/box"][:]
        x = file["beads/position"][:].view(np.uint32) / 2.0**32 * box
        kind = file["beads/type"][:]
        text = np.ravel(file["forcefield/text"][()])[0].decode()
    names = [line.split(":")[0].strip() for line in text.split("types:")[1].split("pair:")[0].splitlines()
             if ": {" in line and not line.strip().startswith("#")]
    entries = []
    for word in a.kind:
        cutoff, *types = word.split(":")
        sets = [np.array([t == "*" or n in t.split(",") for n in names]) for t in types[:2]]
        entries.append((float(cutoff) + a.skin, sets, len(types) > 2))
    most = max(e[0] for e in entries)
    n = np.maximum((box / most).astype(int), 1)
    cell = np.minimum((x / box * n).astype(int), n - 1)
    number = (cell[:, 0] * n[1] + cell[:, 1]) * n[2] + cell[:, 2]
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(n.prod() + 1))
    count = np.zeros(len(entries), int)
    for cx, cy, cz in itertools.product(*map(range, n)):
        me = order[slice(*start[(cx * n[1] + cy) * n[2] + cz:][:2])]
        steps = itertools.product((-1, 0, 1), repeat=3)
        near = {((cx + i) % n[0], (cy + j) % n[1], (cz + k) % n[2]) for i, j, k in steps}
        for ax, ay, az in near:
            other = order[slice(*start[(ax * n[1] + ay) * n[2] + az:][:2])]
            d = x[me][:, None] - x[other][None]
            d -= box * np.rint(d / box)
            r2 = (d * d).sum(2)
            taken = me[:, None] == other[None]
            for k, (radius, (first, second), only) in enumerate(entries):
                match = first[kind[me]][:, None] & second[kind[other]][None]
                match |= second[kind[me]][:, None] & first[kind[other]][None]
                count[k] += np.count_nonzero(match & (r2 < radius * radius) & ~taken)
                if only:
                    taken |= match
    for word, number in zip(a.kind, count):
        print(f"{a.state}: {word}: {number} pairs, {number / len(x):.1f} a bead")


if __name__ == "__main__":
    main()
