"""The pressure profile for the oracle of observables: forces of all pairs and bonded terms from the
energies of oracle_beads.py, what sites hand on to the beads they are built on, and the forces of
constraints, each spread along the line between its two beads (Irving-Kirkwood) or half to each bead
(Harasima)."""
import numpy as np

import oracle
import oracle_beads

PARTS = ("kinetic", "solvent_solvent", "solvent_lipid", "lipid_lipid", "bond", "angle",
         "dipole_angle", "dihedral", "constraint", "site")
TENSIONS = ("tension", "tension_irving_kirkwood", "tension_harasima", "tension_upper",
            "tension_lower", "moment_upper", "moment_lower")
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


def total_force(frame, pushes):
    force = np.zeros((frame.n, 3))
    for _, i, j, _, f in pushes.found:
        np.add.at(force, i, f)
        np.subtract.at(force, j, f)
    return force


def size(r):
    return np.sqrt((r * r).sum(axis=-1, keepdims=True))


def site_place(site, at):
    """The place of a site, at[k] the places of the beads it is built on."""
    form, r = site["form"], [x - at[0] for x in at]
    if form == "linear":
        return at[0] + site["a"] * r[1]
    if form == "distance":
        return at[0] + site["d"] * r[1] / size(r[1])
    if form == "plane":
        return at[0] + site["a"] * r[1] + site["b"] * r[2]
    if form == "plane_distance":
        u = r[1] + site["a"] * (r[2] - r[1])
        return at[0] + site["d"] * u / size(u)
    if form == "out_of_plane":
        return at[0] + site["a"] * r[1] + site["b"] * r[2] + site["c"] * np.cross(r[1], r[2])
    weights = np.asarray(site["weights"]) / np.sum(site["weights"])
    return sum(w * x for w, x in zip(weights, at))


def sites(pushes, frame):
    """A force on a site does the work of forces on its parents: their slopes of force . place."""
    pushes.part, step = "site", oracle_beads.STEP
    for name, rows in frame.members.items():
        left = list(frame.ff["molecules"][name].get("sites", []))
        while left:
            site = next(s for s in left if not any(s["bead"] in t["from"] for t in left))
            left.remove(site)
            force = total_force(frame, pushes)[rows[:, site["bead"] - 1]]
            parents = [rows[:, k - 1] for k in site["from"]]
            at = [frame.between(parent, parents[0]) + 0j for parent in parents]
            place = site_place(site, at).real
            for k, parent in enumerate(parents):
                share = np.empty_like(force)
                for d in range(3):
                    moved = [x + (1j * step * np.eye(3)[d] if j == k else 0)
                             for j, x in enumerate(at)]
                    share[:, d] = (force * site_place(site, moved)).sum(axis=1).imag / step
                pushes.push(parent, rows[:, site["bead"] - 1], at[k].real - place, share)


def constraints(pushes, frame, half):
    """Forces along the constraints of a molecule with which the lengths half a step (ps) twice before
    and after are those of now: (r.a) + mean of v.v before and after is 0 for each."""
    force = total_force(frame, pushes)
    pushes.part = "constraint"
    for name, rows in frame.members.items():
        entries = frame.ff["molecules"][name].get("constraints", [])
        if not entries:
            continue
        one, other = ([e[k] - 1 for e in entries] for k in (0, 1))
        r = frame.between(rows[:, one], rows[:, other])
        mass = frame.mass[rows[0]]
        weight = np.divide(1, mass, where=mass > 0, out=np.zeros_like(mass))
        acts = np.zeros((len(entries), rows.shape[1]))
        for k in range(len(entries)):
            acts[k, one[k]], acts[k, other[k]] = 1, -1
        shared = (acts * weight) @ acts.T
        matrix = shared * np.einsum("mka,mla->mkl", r, r)
        speed = acts @ (frame.momentum[rows] * weight[:, None])
        push = acts @ (force[rows] * weight[:, None])
        along, pull = np.zeros(r.shape[:2]), np.zeros_like(r)
        for _ in range(30):
            kick = half * (push + shared @ pull)
            want = (r * push + speed**2 + kick**2).sum(axis=2)
            along = -np.linalg.solve(matrix, want[..., None])[..., 0]
            pull = along[..., None] * r
        for k in range(len(entries)):
            pushes.push(rows[:, one[k]], rows[:, other[k]], r[:, k], pull[:, k])


def forces_of(frame, half):
    """(part, i, j, r, f) of all interactions of a frame, and the tensor sum of r_a f_b."""
    pushes = Pushes(frame)
    oracle_beads.nonbonded(pushes, frame)
    bonded(pushes, frame)
    sites(pushes, frame)
    constraints(pushes, frame, half)
    return pushes.found, pushes.virial, total_force(frame, pushes)


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
    found, virial, force = forces_of(frame, dt / 2)
    mass = np.where(frame.mass > 0, frame.mass, np.inf)[:, None]
    flows = [(frame.momentum + way * dt / 2 * force)**2 / mass for way in (-1, 1)]
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


def halves(values, width):
    """Integrals over the upper and the lower half of the box."""
    upper = np.clip(np.arange(len(values)) + 1 - len(values) / 2, 0, 1)
    return [width * values @ upper, width * values @ (1 - upper)]


def tensions(parts, whole, box, bins):
    """Of one frame: in the order of TENSIONS."""
    total, width = sum(parts.values()), box[2] / bins
    lateral = (total[:, 0] + total[:, 1]) / 2
    upper, lower = first_moment(lateral[0] - total[0, 2], width)
    return [0.05 * box[2] * (whole[2] - (whole[0] + whole[1]) / 2),
            0.05 * width * (total[0, 2] - lateral[0]).sum(),
            0.05 * width * (total[1, 2] - lateral[1]).sum(),
            *(0.1 * x for x in halves(total[0, 2] - lateral[0], width)), 0.1 * upper, 0.1 * lower]


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
