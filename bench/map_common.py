"""What bench/maps.py and bench/papers/rodrigues2008.py share: boxes of water and their files, and what `lamella map`
prints. Lengths are in angstroms. Needs numpy."""
import collections
import math
import re

import numpy as np

SPACING, CUTOFF = 0.5, 12.0
DENSITY = 0.0966            # atoms per cubic angstrom
COULOMB = 138.93545764 * 10   # kJ/mol/e per e/angstrom

# Seconds of the map, and of GPUs their start (part of the former), their kernels and the pairs these tested.
Took = collections.namedtuple("Took", "seconds start kernels pairs points sources")
LINE = re.compile(r": (\d+) x (\d+) x (\d+) points, (\d+) sources, .* took (\S+) s"
                  r"(?: \(start of the GPU (\S+) s, kernels (\S+) s for (\S+) pairs\))?")


def took(text):
    """What a map took, from the output of lamella; None without it."""
    found = LINE.search(text)
    if not found:
        return None
    *points, sources = [int(word) for word in found.groups()[:4]]
    return Took(*(word and float(word) for word in found.groups()[4:]), points, sources)


def water(edge, seed=1):
    """Positions and charges of a cube of three-site water (TIP3P charges and shape): molecules at random points of
    a cubic lattice, moved by up to 0.2 angstrom along each axis and turned at random. Sites outside of the cube are
    moved to its faces."""
    random = np.random.default_rng(seed)
    molecules = round(DENSITY / 3 * edge**3)
    cells = math.ceil(molecules**(1 / 3))
    chosen = np.sort(random.choice(cells**3, molecules, replace=False))
    middle = (np.stack(np.unravel_index(chosen, 3 * (cells,)), 1) + 0.5) * (edge / cells)
    middle += random.uniform(-0.2, 0.2, middle.shape)
    q = random.normal(size=(molecules, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    ex = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], 1)
    ez = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
    half = np.radians(104.52 / 2)
    arms = [0.9572 * (s * np.sin(half) * ex + np.cos(half) * ez) for s in (1, -1)]
    position = np.stack([middle, middle + arms[0], middle + arms[1]], 1).reshape(-1, 3)
    return np.clip(position, 0, edge), np.tile([-0.834, 0.417, 0.417], molecules)


def write_pqr(path, position, charge):
    """Positions have four decimals."""
    rows = np.column_stack([np.arange(1, len(charge) + 1), position, charge])
    np.savetxt(path, rows, fmt="ATOM %d X WAT 1 %.4f %.4f %.4f %.4f 1.0")
