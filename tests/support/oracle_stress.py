"""The pressure profile for the oracle of observables: forces of all pairs and bonded terms from the
energies of oracle_beads.py, each spread along the line between its two beads (Irving-Kirkwood) or
half to each bead (Harasima)."""
import numpy as np

import oracle
import oracle_beads

PARTS = ("kinetic", "solvent_solvent", "solvent_lipid", "lipid_lipid", "bond", "angle",
         "dipole_angle", "dihedral")
TENSIONS = ("tension", "tension_irving_kirkwood", "tension_harasima", "moment_upper",
            "moment_lower")
AXES = range(3)


class Pushes(oracle_beads.Total):
    """Keeps every force between two beads: rows i and j, r = r_i - r_j, and the force on i."""

    def __init__(self, frame):
        super().__init__(frame.n)
        self.found, self.part, self.inside = [], None, frame.in_lipids()

    def add(self, energies, arguments, rows):
        for k, x in enumerate(arguments):
            if x.ndim == 2:
                self.push(*rows[k], x, -oracle_beads.gradient(energies, arguments, k))

    def push(self, i, j, r, f):
        lipids = self.inside[i].astype(int) + self.inside[j]
        for k in range(3):
            part = self.part or PARTS[1 + k]
            keep = slice(None) if self.part else lipids == k
            self.found.append((part, i[keep], j[keep], r[keep], f[keep]))
            if self.part:
                break
        self.virial += r.T @ f


def bonded(pushes, frame):
    """As oracle_beads.bonded, all molecules of a kind at once."""
    forms, angles = frame.ff.get("bonds", {}), frame.ff.get("angles", {})
    for name, rows in frame.lipids().items():
        kind = frame.ff["molecules"][name]
        pushes.part = "bond"
        for bond, i, j in kind.get("bonds", []):
            ends = rows[:, i - 1], rows[:, j - 1]
            pushes.add(lambda *x: oracle_beads.bond_energies(forms[bond], *x),
                       (frame.between(*ends),), (ends,))
        for angle, *beads in kind.get("angles", []):
            form, at = angles[angle], [rows[:, bead - 1] for bead in beads]
            if form["form"] == "dipole":
                pushes.part, ends = "dipole_angle", (at[1], at[0])
                pushes.add(lambda *x: oracle_beads.dipole_angle_energies(form, *x),
                           (frame.between(*ends), frame.frame[at[0]]), (ends, at[0]))
            else:
                pushes.part, arms = "angle", ((at[0], at[1]), (at[2], at[1]))
                pushes.add(lambda *x: oracle_beads.angle_energies(form, *x),
                           tuple(frame.between(*arm) for arm in arms), arms)


def forces_of(frame):
    """(part, i, j, r, f) of all interactions of a frame, and the tensor sum of r_a f_b."""
    pushes = Pushes(frame)
    oracle_beads.nonbonded(pushes, frame)
    bonded(pushes, frame)
    return pushes.found, pushes.virial


def shares(start, length, bins):
    """A row for each bin: the part of the segments from start (0 to bins) over length that lies in
    it; segments leave the range by less than the box."""
    low, high = np.minimum(start, start + length), np.maximum(start, start + length)
    before, out = 0.0, np.zeros((bins, len(start)))
    size = np.maximum(high - low, 1e-200)
    for k in range(int(np.floor(low.min())), int(np.ceil(high.max()))):
        now = np.minimum(np.maximum((k + 1 - low) / size, 0), 1)
        out[k % bins] += now - before
        before = now
    return out


def contours(frame, bins, dt):
    """{part: [contour][axis][bin]}: diagonal of the pressure in kJ/(mol nm3); contour 0 is
    Irving-Kirkwood, 1 Harasima. The kinetic part is the mean of those half a step (dt, ps) before
    and after."""
    found, virial = forces_of(frame)
    force = np.zeros((frame.n, 3))
    for _, i, j, _, f in found:
        np.add.at(force, i, f)
        np.subtract.at(force, j, f)
    flows = [(frame.momentum + way * dt / 2 * force)**2 / frame.mass[:, None] for way in (-1, 1)]
    flows = (flows[0] + flows[1]) / 2
    every = np.arange(frame.n)
    at = (frame.fraction[:, 2] - frame.centre() + 0.5) % 1 * bins
    cell = frame.z_bins(every, bins)
    out = {part: np.zeros((2, 3, bins)) for part in PARTS}
    for a in AXES:
        flow = np.bincount(cell, flows[:, a], minlength=bins)
        out["kinetic"][:, a] += flow
    for part, i, j, r, f in found:
        if len(i) == 0:
            continue
        share = shares(at[j], r[:, 2] / frame.box[2] * bins, bins)
        for a in AXES:
            work = r[:, a] * f[:, a]
            out[part][0, a] += share @ work
            out[part][1, a] += (np.bincount(cell[i], work, minlength=bins) +
                                np.bincount(cell[j], work, minlength=bins)) / 2
    for values in out.values():
        values *= bins / np.prod(frame.box)
    whole = (np.diag(virial) + flows.sum(axis=0)) / np.prod(frame.box)
    return out, whole


def first_moment(difference, width):
    """Integrals of |z| difference over the upper and the lower half of the box."""
    bins = len(difference)
    edges = (np.arange(bins + 1) - bins / 2) * width
    moments = []
    for low, high in ((np.maximum(edges[:-1], 0), np.maximum(edges[1:], 0)),
                      (np.minimum(edges[:-1], 0), np.minimum(edges[1:], 0))):
        moments.append(np.sum(difference * np.abs(high**2 - low**2) / 2))
    return moments


def tensions(parts, whole, box, bins):
    """Of one frame: in the order of TENSIONS."""
    total, width = sum(parts.values()), box[2] / bins
    lateral = (total[:, 0] + total[:, 1]) / 2
    upper, lower = first_moment(lateral[0] - total[0, 2], width)
    return [0.05 * box[2] * (whole[2] - (whole[0] + whole[1]) / 2),
            0.05 * width * (total[0, 2] - lateral[0]).sum(),
            0.05 * width * (total[1, 2] - lateral[1]).sum(), 0.1 * upper, 0.1 * lower]


def pressure(frames, run, bins=160):
    both = [contours(frame, bins, run.get("dt", 0)) for frame in frames]
    parts = {part: oracle.BAR * np.mean([values[part] for values, _ in both], axis=0)
             for part in PARTS}
    length = np.mean([frame.box[2] for frame in frames])
    total = sum(parts.values())
    lateral = (total[:, 0] + total[:, 1]) / 2
    normal = total[0, 2]
    table = {"rows": ((np.arange(bins) + 0.5) / bins - 0.5) * length, "normal": normal,
             "lateral": lateral[0], "lateral_harasima": lateral[1],
             "difference": lateral[0] - normal}
    for part, values in parts.items():
        table[part] = (values[0, 0] + values[0, 1]) / 2 - values[0, 2]
    single = oracle.BAR * np.mean([tensions(*values, frame.box, bins)
                                   for values, frame in zip(both, frames)], axis=0)
    return {"pressure": table, "tension": {"rows": [""], **dict(zip(TENSIONS, single))}}
