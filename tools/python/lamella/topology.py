"""PREFIX.psf: what the beads of a trajectory are called, and what is bonded."""
import numpy as np

from .files import Unusable, read_text


class Topology:
    """Arrays with a row for each bead: residues (molecule names), molecules (numbers), names (where
    the force field gives beads none, those of their types) and type_names. bonds: pairs of rows,
    from 0."""

    def __init__(self, path):
        try:
            rows, self.bonds = read(read_text(path).splitlines())
        except (StopIteration, ValueError, IndexError):
            rows = None
        if rows is None or any(len(row) < 8 for row in rows):
            raise Unusable(f"{path}: not a PSF file with atoms and bonds, or cut short")
        self.molecules = np.array([int(row[2]) for row in rows])
        self.residues = np.array([row[3] for row in rows])
        self.names = np.array([row[4] for row in rows])
        self.type_names = np.array([row[5] for row in rows])

    def __len__(self):
        return len(self.names)


def read(psf):
    """The rows of atoms as lists of words, and bonds."""
    lines, rows = iter(psf), None
    for line in lines:
        if "!NATOM" in line:
            rows = [next(lines).split() for _ in range(int(line.split()[0]))]
        elif "!NBOND" in line:
            n, numbers = 2 * int(line.split()[0]), []
            while len(numbers) < n:
                numbers += next(lines).split()
            return rows, np.array(numbers, int).reshape(-1, 2) - 1
    raise ValueError("no bonds")
