"""An evaluator of state files that shares nothing with the program: all pairs, in double, from the
formulas of Orsi and Essex (2013), of plain, linearly, quadratically and energy-shifted Lennard-Jones, and of
charges in a reaction field (Tironi et al. 1995), where excluded pairs and each charge with itself count too.
Distances are differences of 32-bit positions, as the state file defines them."""
import collections
import functools
import itertools

import h5py
import numpy as np
import yaml

import oracle_forms

COULOMB = 138.93545764  # kJ nm / (mol e2)
BAR = 16.605390672  # bar per kJ/(mol nm3)
TERMS = ("lj", "qq", "qd", "dd", "bond", "angle", "dipole_angle")


@functools.lru_cache(maxsize=8)
def force_field(text):
    """What the YAML text says, for reading only: each text is parsed once. Bonded types have the rows of their tables."""
    ff = yaml.safe_load(text)
    for kind in (kind for section in ("bonds", "angles", "dihedrals") for kind in ff.get(section, {}).values()):
        if "tabulated" in kind:
            rows = ff["files"][ff["tables"][kind["tabulated"]]["file"]]
            kind["rows"] = np.array([line.split() for line in rows.splitlines()], float)
    return ff


class State:
    """What a state file says, with the parameters of its force field by bead."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.box = file["system/box"][:]
            self.word = file["beads/position"][:].view(np.uint32)
            q = file["beads/orientation"][:]
            self.type = file["beads/type"][:]
            self.molecule = file["beads/molecule"][:]
            self.kind = file["beads/kind"][:]
            text = np.ravel(file["forcefield/text"][()])[0]
            self.anchors = {}
            if "topology/anchor_bead" in file:
                places = file["topology/anchor_place"][:].view(np.uint32)
                self.anchors = dict(zip(file["topology/anchor_bead"][:] - 1, places))
        self.ff = force_field(text.decode().rstrip("\0"))
        self.names = list(self.ff["types"])
        self.n = len(self.type)
        w, x, y, z = q.T
        axis = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
        self.charge = self.by_type("charge")
        self.dipole = self.by_type("dipole")[:, None] * axis

    def by_type(self, key):
        values = [float(self.ff["types"][name].get(key, 0)) for name in self.names]
        return np.array(values)[self.type]

    def between(self, i, j):
        """r_i - r_j by the nearest image."""
        return (self.word[i] - self.word[j]).view(np.int32) * (self.box / 2.0**32)

    def pair_table(self):
        """epsilon and sigma of every two types."""
        table = {frozenset((a, b)): (v["epsilon"], v["sigma"])
                 for a, b, v in self.ff["pair"]["table"]}
        mixing = self.ff["pair"]["lj"].get("mixing", "none")
        n = len(self.names)
        out = np.empty((2, n, n))
        for (i, a), (j, b) in itertools.product(enumerate(self.names), repeat=2):
            pair = table.get(frozenset((a, b)))
            if pair is None:
                (ea, sa), (eb, sb) = table[frozenset((a,))], table[frozenset((b,))]
                sigma = (sa + sb) / 2 if mixing == "lorentz_berthelot" else (sa * sb)**0.5
                pair = ((ea * eb)**0.5, sigma)
            out[:, i, j] = pair
        return out

    def molecules(self):
        """(description, first row) of every molecule of more than one bead."""
        kinds = list(self.ff["molecules"].values())
        row = 0
        while row < self.n:
            kind = self.kind[row]
            length = len(kinds[kind]["beads"]) if kind >= 0 else 1
            if length > 1:
                yield kinds[kind], row
            row += length

    def excluded(self):
        """Pairs of rows without non-bonded interaction, i < j."""
        words = self.ff.get("exclude", ["1-2"])
        reach = max((int(word[2]) for word in words), default=1) - 1
        levels = {int(word[2]) - 1 for word in words}
        pairs = set()
        for kind, first in self.molecules():
            near = collections.defaultdict(set)
            for name, a, b in kind.get("bonds", []):
                if self.ff["bonds"][name]["form"] in oracle_forms.APART:
                    continue
                near[a].add(b)
                near[b].add(a)
            for a, b, *rest in kind.get("constraints", []):
                if "no_exclusions" not in rest:
                    near[a].add(b)
                    near[b].add(a)
            for start in near:
                seen, edge = {start}, {start}
                for level in range(1, reach + 1):
                    edge = set().union(*(near[k] for k in edge)) - seen
                    seen |= edge
                    if level in levels:
                        pairs |= {(first + start - 1, first + k - 1) for k in edge if k > start}
            for one, *others in kind.get("exclusions", []):
                pairs |= {(first + min(one, k) - 1, first + max(one, k) - 1) for k in others}
        return pairs


class Total:
    """Energies by term, forces, torques and the tensor sum of r_a f_b."""

    def __init__(self, n):
        self.energy = dict.fromkeys(TERMS, 0.0)
        self.force, self.torque = np.zeros((n, 3)), np.zeros((n, 3))
        self.virial = np.zeros((3, 3))

    def push(self, i, j, r, f):
        """Forces f on rows i, -f on rows j, r = r_i - r_j."""
        np.add.at(self.force, i, f)
        np.add.at(self.force, j, -f)
        self.virial += r.T @ f


def dot(a, b):
    return np.einsum("ij,ij->i", a, b)[:, None]


def force_switch(n, r, start, end):
    """r^-n and minus its slope, with a cubic in r - start beside the force that takes it and its slope to 0."""
    w, d = end - start, np.clip(r - start, 0, None)
    a, b = np.linalg.solve([[w**2, w**3], [2 * w, 3 * w**2]], [-n / end**(n + 1), n * (n + 1) / end**(n + 2)])
    last = end**-n - a * w**3 / 3 - b * w**4 / 4
    return r**-n - a * d**3 / 3 - b * d**4 / 4 - last, n / r**(n + 1) + a * d**2 + b * d**3


def modified(truncation, epsilon, sigma, r, start, end):
    """Lennard-Jones with the switches of GROMACS: energy and -dU/dr / r."""
    if truncation == "force_switch":
        (u12, f12), (u6, f6) = (force_switch(n, r, start, end) for n in (12, 6))
        return 4 * epsilon * (sigma**12 * u12 - sigma**6 * u6), 4 * epsilon * (sigma**12 * f12 - sigma**6 * f6) / r
    energy, force = lennard_jones("cut", epsilon, sigma, r, end)
    x = np.clip((r - start) / (end - start), 0, 1)
    switch, slope = 1 - 10 * x**3 + 15 * x**4 - 6 * x**5, -30 * x**2 * (1 - x)**2 / (end - start)
    return switch * energy, switch * force - slope * energy / r


def lennard_jones(truncation, epsilon, sigma, r, cutoff):
    """Energy and -dU/dr / r."""
    s12, c12 = (sigma / r)**12, (sigma / cutoff)**12
    s6, c6 = (sigma / r)**6, (sigma / cutoff)**6
    energy = 4 * epsilon * (s12 - s6)
    force = 24 * epsilon * (2 * s12 - s6) / r**2
    slope = -24 * epsilon * (2 * c12 - c6) / cutoff
    if truncation == "force_shift":
        energy = energy - 4 * epsilon * (c12 - c6) - (r - cutoff) * slope
        force = force + slope / r
    elif truncation == "energy_shift":
        energy = energy - 4 * epsilon * (c12 - c6)
    elif truncation == "stoddard_ford":
        energy = energy + 4 * epsilon * ((6 * c12 - 3 * c6) * (r / cutoff)**2 - 7 * c12 + 4 * c6)
        force = force + slope / cutoff
    return energy, force


def charges(t, s, i, j, r, d, x):
    q = COULOMB * s.charge[i, None] * s.charge[j, None]
    t.energy["qq"] += float((q / d * (1 - x)**2).sum())
    t.push(i, j, r, q / d * (1 / d**2 - (x / d)**2) * r)


def reaction_field(t, s, i, j, r, d, excluded):
    """Charges within the cutoff; excluded: 1 where only the field of the medium acts. And each with itself."""
    key = s.ff["pair"]["electrostatics"]
    er, erf, rc = key["epsilon_r"], key.get("epsilon_rf", 0), key.get("cutoff", s.ff["cutoff"])
    i, j, r, d, excluded = (x[d[:, 0] < rc] for x in (i, j, r, d, excluded))
    k = (1 / (2 * rc**3)) if erf == 0 else (erf - er) / ((2 * erf + er) * rc**3)
    c = 1 / rc + k * rc**2
    q = COULOMB / er * s.charge[i, None] * s.charge[j, None]
    bare = np.where(excluded[:, None], 0, 1 / d)
    t.energy["qq"] += float((q * (bare + k * d**2 - c)).sum())
    t.energy["qq"] -= float((COULOMB / er * s.charge**2 * c / 2).sum())
    t.push(i, j, r, q * (bare / d**2 - 2 * k) * r)


def switched_charges(t, s, i, j):
    key, r = s.ff["pair"]["electrostatics"], s.between(i, j)
    d, end = np.sqrt(dot(r, r)), key.get("cutoff", s.ff["cutoff"])
    q = np.where(d < end, COULOMB / key["epsilon_r"] * s.charge[i, None] * s.charge[j, None], 0)
    energy, force = force_switch(1, d, key.get("switch_from", 0), end)
    t.energy["qq"] += float((q * energy).sum())
    t.push(i, j, r, q * force * r / d)


def charge_dipole(t, s, i, j, r, d, x):
    """Charge on i, dipole on j; r = r_i - r_j."""
    q, p = COULOMB * s.charge[i, None], s.dipole[j]
    g, pr = 1 - 3 * x**2 + 2 * x**3, dot(s.dipole[j], r)
    t.energy["qd"] += float((q * pr / d**3 * g).sum())
    t.push(i, j, r, 3 * q * (1 - x**2) * pr * r / d**5 - q * g * p / d**3)
    np.add.at(t.torque, j, -q * g / d**3 * np.cross(p, r))


def dipoles(t, s, i, j, r, d, x):
    a, b = s.dipole[i], s.dipole[j]
    h = 1 - 4 * x**3 + 3 * x**4
    ab, ar, br = dot(a, b), dot(a, r), dot(b, r)
    t.energy["dd"] += float((COULOMB * h * (ab / d**3 - 3 * ar * br / d**5)).sum())
    t.push(i, j, r, 3 * COULOMB / d**5 * ((1 - x**4) * (ab - 3 * ar * br / d**2) * r +
                                          h * (br * a + ar * b - 2 * ar * br * r / d**2)))
    cross = np.cross(a, b)
    np.add.at(t.torque, i, COULOMB * h * (-cross / d**3 + 3 * br * np.cross(a, r) / d**5))
    np.add.at(t.torque, j, COULOMB * h * (cross / d**3 + 3 * ar * np.cross(b, r) / d**5))


def pairs_within(s, block=200):
    """Rows i < j closer than the cutoff."""
    cutoff2, out = s.ff["cutoff"]**2, []
    for first in range(0, s.n, block):
        i = np.arange(first, min(first + block, s.n))
        r = (s.word[i, None] - s.word[None]).view(np.int32) * (s.box / 2.0**32)
        a, b = np.nonzero(np.einsum("abk,abk->ab", r, r) < cutoff2)
        out.append(np.stack([a + first, b])[:, b > a + first])
    return np.concatenate(out, axis=1)


def nonbonded(t, s):
    i, j = pairs_within(s)
    skip = s.excluded()
    keep = np.array([pair not in skip for pair in zip(i.tolist(), j.tolist())], bool)
    treatment = s.ff["pair"].get("electrostatics", {}).get("truncation", "none")
    k = (s.charge[i] != 0) & (s.charge[j] != 0)
    r = s.between(i[k], j[k])
    if treatment == "charge_reaction_field":
        reaction_field(t, s, i[k], j[k], r, np.sqrt(dot(r, r)), ~keep[k])
    if treatment == "charge_force_switch":
        switched_charges(t, s, i[k & keep], j[k & keep])
    i, j = i[keep], j[keep]
    r = s.between(i, j)
    d = np.sqrt(dot(r, r))
    epsilon, sigma = s.pair_table()[:, s.type[i], s.type[j], None]
    lj = s.ff["pair"]["lj"]
    end, inside = lj.get("cutoff", s.ff["cutoff"]), d < lj.get("cutoff", s.ff["cutoff"])
    if "switch_from" in lj:
        energy, force = modified(lj["truncation"], epsilon, sigma, d, lj["switch_from"], end)
    else:
        energy, force = lennard_jones(lj["truncation"], epsilon, sigma, d, end)
    t.energy["lj"] += float((inside * energy).sum())
    t.push(i, j, r, inside * force * r)
    if treatment in ("none", "charge_reaction_field", "charge_force_switch"):
        return
    x, polar = d / s.ff["cutoff"], np.abs(s.dipole).sum(axis=1) > 0
    charged = s.charge != 0
    k = charged[i] & charged[j]
    charges(t, s, i[k], j[k], r[k], d[k], x[k])
    k = charged[i] & polar[j]
    charge_dipole(t, s, i[k], j[k], r[k], d[k], x[k])
    k = polar[i] & charged[j]
    charge_dipole(t, s, j[k], i[k], -r[k], d[k], x[k])
    k = polar[i] & polar[j]
    dipoles(t, s, i[k], j[k], r[k], d[k], x[k])


def bond(t, s, form, i, j):
    r = s.between([i], [j])
    d = np.linalg.norm(r)
    t.energy["bond"] += form["k"] * (d - form["r0"])**2
    t.push([i], [j], r, -2 * form["k"] * (d - form["r0"]) * r / d)


def angle(t, s, form, i, j, k):
    """The angle at j between i and k."""
    a, b = s.between([i], [j]), s.between([k], [j])
    la, lb = np.linalg.norm(a), np.linalg.norm(b)
    c = float(dot(a, b)[0, 0]) / (la * lb)
    off = c - np.cos(np.radians(form["theta0"]))
    t.energy["angle"] += form["k"] * off**2
    t.push([i], [j], a, -2 * form["k"] * off * (b / (la * lb) - c * a / la**2))
    t.push([k], [j], b, -2 * form["k"] * off * (a / (la * lb) - c * b / lb**2))


def dipole_angle(t, s, form, carrier, target):
    """The dipole of the carrier points to the target."""
    r = s.between([target], [carrier])
    d, u = np.linalg.norm(r), s.dipole[[carrier]] / np.linalg.norm(s.dipole[carrier])
    c = float(dot(u, r)[0, 0]) / d
    off = c - np.cos(np.radians(form["gamma0"]))
    t.energy["dipole_angle"] += form["k"] * off**2
    t.push([target], [carrier], r, -2 * form["k"] * off * (u / d - c * r / d**2))
    t.torque[carrier] += (2 * form["k"] * off / d * np.cross(r, u))[0]


FORMS = {("bonds", "harmonic"): bond, ("angles", "cosine_squared"): angle, ("angles", "dipole"): dipole_angle}


def other_form(t, s, section, form, rows):
    x = s.between(rows, [rows[0]] * len(rows))
    energy, force = oracle_forms.evaluate(section, form, x)
    term = oracle_forms.TERM.get(form["form"], section[:-1])
    t.energy[term] = t.energy.get(term, 0) + energy
    t.force[rows] += force
    t.virial += x.T @ force


SHAPES = {"sphere": (1, 1, 1), "layer_x": (1, 0, 0), "layer_y": (0, 1, 0), "layer_z": (0, 0, 1),
          "cylinder_x": (0, 1, 1), "cylinder_y": (1, 0, 1), "cylinder_z": (1, 1, 0)}


def restraint(t, s, row, k):
    """A bead held at its anchor by k/2 d^2 along each axis, or in or out of a shape by k/2 of the square of the
    distance from its surface."""
    d = (s.word[row] - s.anchors[row]).view(np.int32) * (s.box / 2.0**32)
    if k[0] in SHAPES:
        away = d * SHAPES[k[0]]
        beyond = np.linalg.norm(away) - abs(k[1])
        beyond = min(beyond, 0) if k[1] < 0 else max(beyond, 0)
        f = -k[2] * beyond * away / np.linalg.norm(away)
        u = 0.5 * k[2] * beyond**2
    else:
        f = -np.array(k, float) * d
        u = -0.5 * float(np.dot(f, d))
    t.energy["external"] = t.energy.get("external", 0) + u
    t.force[row] += f
    t.virial += np.outer(d, f)


def bonded(t, s):
    for kind, first in s.molecules():
        for bead, *k in kind.get("restraints", []):
            restraint(t, s, first + bead - 1, k)
        for section in "bonds", "angles", "dihedrals":
            for name, *beads in kind.get(section, []):
                form, rows = s.ff[section][name], [first + int(bead) - 1 for bead in beads]
                if (section, form["form"]) in FORMS:
                    FORMS[section, form["form"]](t, s, form, *rows)
                else:
                    other_form(t, s, section, form, rows)


def evaluate(path):
    """Total of a state file; its virial as a pressure tensor in bar."""
    state = State(path)
    total = Total(state.n)
    nonbonded(total, state)
    bonded(total, state)
    total.pressure = total.virial / np.prod(state.box) * BAR
    return total
