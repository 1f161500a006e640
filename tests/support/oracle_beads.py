"""An evaluator of state files of all bead models that shares nothing with the program: energies of
all pairs and bonded terms from the published formulas; forces, torques and virial are their
derivatives by complex steps. Sticky term: Liu and Ichiye (1996), Chandra and Ichiye (1999);
Gay-Berne: Cleaver et al., Phys. Rev. E 54, 559 (1996)."""
import collections
import itertools
import types

import h5py
import numpy as np

import oracle

TERMS = ("lj", "qq", "qd", "dd", "sticky", "gb", "bond", "angle", "dipole_angle")
STEP = 1e-30  # of the derivatives: f'(x) = Im f(x + i STEP) / STEP
TURN = np.zeros((3, 3, 3))  # TURN[k] v = e_k x v
for _k in range(3):
    TURN[_k, (_k + 2) % 3, (_k + 1) % 3], TURN[_k, (_k + 1) % 3, (_k + 2) % 3] = 1, -1


def frames(q):
    """Rotation matrices of unit quaternions: the columns are the body axes in the laboratory."""
    w, x, y, z = np.asarray(q, float).T
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), 2, 0)


class State(oracle.State):
    """What a state file says, or the same given as arrays; `frame` has the body axes."""

    def __init__(self, path=None, **given):
        if path:
            with h5py.File(path, "r") as file:
                given = {key: file["beads/" + key][:]
                         for key in ("position", "orientation", "type", "molecule", "kind")}
                given["box"] = file["system/box"][:]
                given["text"] = np.ravel(file["forcefield/text"][()])[0].decode().rstrip("\0")
        self.ff = oracle.force_field(given["text"])
        self.names = list(self.ff["types"])
        self.box = np.asarray(given["box"], float)
        self.word = given["position"].view(np.uint32)
        self.frame = frames(given["orientation"])
        self.type = np.asarray(given["type"])
        self.n = len(self.type)
        self.kind = given.get("kind", np.full(self.n, -1))

    def parameters(self, a, b):
        return parameters(self.ff, self.names[a], self.names[b])


def turned(frames, angles):
    """Frames turned by vectors of angles (Rodrigues)."""
    size = np.linalg.norm(angles, axis=1)[:, None, None] + 1e-300
    k = np.einsum("nk,kab->nab", angles, TURN) / size
    return (np.eye(3) + np.sin(size) * k + (1 - np.cos(size)) * k @ k) @ frames


def treatment(ff, a, b):
    """Cutoff, switching and truncations of a pair of types, with the class that it belongs to."""
    pair = ff["pair"]
    t = types.SimpleNamespace(
        cutoff=ff["cutoff"], switch_from=pair.get("switch_from"),
        permittivity=pair.get("permittivity"), lj=pair.get("lj", {}).get("truncation"),
        electrostatics=pair.get("electrostatics", {}).get("truncation", "none"))
    for entry in pair.get("classes", []):
        one, other = entry["types"], entry.get("with", entry["types"])
        if (a in one and b in other) or (b in one and a in other):
            for key in ("cutoff", "switch_from", "permittivity"):
                setattr(t, key, entry.get(key, getattr(t, key)))
            for key in ("lj", "electrostatics"):
                setattr(t, key, entry.get(key, {}).get("truncation", getattr(t, key)))
    return t


def depth_and_size(ff, a, b):
    """epsilon and sigma of a pair of types; with an ellipsoid eps0 and sigma0."""
    table = {frozenset((x, y)): (v["epsilon"], v["sigma"]) for x, y, v in ff["pair"]["table"]}
    if frozenset((a, b)) in table:
        return table[frozenset((a, b))]
    (ea, sa), (eb, sb) = table[frozenset((a,))], table[frozenset((b,))]
    if "shape" in ff["types"][a] or "shape" in ff["types"][b]:
        sigma = ((sa**2 + sb**2) / 2)**0.5
    elif ff["pair"]["lj"]["mixing"] == "lorentz_berthelot":
        sigma = (sa + sb) / 2
    else:
        sigma = (sa * sb)**0.5
    return (ea * eb)**0.5, sigma


def gay_berne_parameters(ff, a, b):
    """Exponents and anisotropies of Cleaver et al. (chi alpha^2, chi / alpha^2, chi^2), of the
    contact distance and of the well depth; None for two spheres."""
    shapes = [ff["types"][name].get("shape") for name in (a, b)]
    if shapes == [None, None]:
        return None
    mu, nu = ff["pair"]["gay_berne"]["mu"], ff["pair"]["gay_berne"]["nu"]
    d = [depth_and_size(ff, name, name)[1] / 2**0.5 for name in (a, b)]
    length = [width * (shape["kappa"] if shape else 1) for width, shape in zip(d, shapes)]
    end = [shape["kappa_prime"]**(-1 / mu) if shape else 1 for shape in shapes]

    def anisotropy(i, j):
        return (length[i]**2 - d[i]**2) / (length[i]**2 + d[j]**2)

    def well(i, j):
        return 1 - end[i] if shapes[j] is None else (1 - end[i]) / (1 + end[j])

    pairs = ((0, 1), (1, 0))
    return types.SimpleNamespace(mu=mu, nu=nu, size=[anisotropy(*ij) for ij in pairs],
                                 well=[well(*ij) for ij in pairs])


def parameters(ff, a, b):
    """Everything about pairs of types a and b."""
    p = treatment(ff, a, b)
    p.epsilon, p.sigma = depth_and_size(ff, a, b)
    p.charge = [float(ff["types"][name].get("charge", 0)) for name in (a, b)]
    p.dipole = [float(ff["types"][name].get("dipole", 0)) for name in (a, b)]
    p.gb = gay_berne_parameters(ff, a, b)
    p.sticky = next((v for x, y, v in ff["pair"].get("sticky", []) if {x, y} == {a, b}), None)
    return p


def dot(a, b):
    return np.einsum("nk,nk->n", a, b)


def switch(d, start, end):
    """Cubic, from 1 to 0."""
    inside = (end - d)**2 * (end + 2 * d - 3 * start) / (end - start)**3
    return np.where(d.real <= start, 1, np.where(d.real >= end, 0, inside))


def lennard_jones(p, d):
    s6, c6 = (p.sigma / d)**6, (p.sigma / p.cutoff)**6
    s12, c12 = s6 * s6, c6 * c6
    energy = s12 - s6
    if p.lj == "force_shift":
        energy = energy - (c12 - c6) + (d - p.cutoff) * (12 * c12 - 6 * c6) / p.cutoff
    elif p.lj == "stoddard_ford":
        energy = energy + (6 * c12 - 3 * c6) * (d / p.cutoff)**2 - 7 * c12 + 4 * c6
    elif p.lj == "switch":
        energy = energy * switch(d, p.switch_from, p.cutoff)
    return 4 * p.epsilon * energy


def dipole_dipole(p, r, d, m, n):
    x = d / p.cutoff
    if p.electrostatics == "shifted_force":
        scale = 1 - 4 * x**3 + 3 * x**4
    else:
        scale = switch(d, p.switch_from, p.cutoff)
    energy = dot(m, n) / d**3 - 3 * dot(m, r) * dot(n, r) / d**5
    if p.electrostatics == "reaction_field":
        k = 2 * (p.permittivity - 1) / (2 * p.permittivity + 1) / p.cutoff**3
        energy = energy - k * dot(m, n)
    return oracle.COULOMB * scale * energy


def electrostatics(p, r, d, m, n):
    """Terms between the charges and dipoles m, n of two beads, r from the second to the first."""
    x, (qm, qn), terms = d / p.cutoff, p.charge, {}
    if (qm or qn) and p.electrostatics != "shifted_force":
        raise ValueError("a charge needs shifted_force")
    if qm and qn:
        terms["qq"] = oracle.COULOMB * qm * qn * (1 - x)**2 / d
    field = oracle.COULOMB * (1 - 3 * x**2 + 2 * x**3) / d**3
    if (qm and any(p.dipole)) or (qn and any(p.dipole)):
        terms["qd"] = field * (qm * dot(n, r) - qn * dot(m, r))
    if all(p.dipole):
        terms["dd"] = dipole_dipole(p, r, d, m, n)
    return terms


def sticky(s, r, d, first, second):
    w, w1 = 0, -2 * s["w0"]
    for vector, frame in ((-r, first), (r, second)):
        x, y, z = (dot(vector, frame[:, :, k]) for k in range(3))
        w = w + 2 * (x * x - y * y) * z / d**3
        w1 = w1 + (z / d - 0.6)**2 * (z / d + 0.8)**2
    v0 = s["v0"]
    return (v0 * switch(d, *s["switch"]) * w +
            s.get("v0_prime", v0) * switch(d, *s["switch_prime"]) * w1) / 2


def wells(rho):
    """rho^-12 - rho^-6, below 0.5 its tangent there."""
    far = rho.real > 0.5
    x = np.where(far, rho, 0.5)
    value, slope = x**-12 - x**-6, -12 * x**-13 + 6 * x**-7
    return np.where(far, value, value + slope * (rho - 0.5))


def gay_berne(p, r, d, u, v):
    a, b, c = dot(u, r) / d, dot(v, r) / d, dot(u, v)

    def form(one, other):
        both = one * other
        return (one * a * a + other * b * b - 2 * both * a * b * c) / (1 - both * c * c)

    strength = 1 / np.sqrt(1 - p.gb.size[0] * p.gb.size[1] * c * c)**p.gb.nu
    depth = p.epsilon * strength * (1 - form(*p.gb.well))**p.gb.mu
    contact = p.sigma / np.sqrt(1 - form(*p.gb.size))
    at, end = ((x - contact + p.sigma) / p.sigma for x in (d, p.cutoff))
    return 4 * depth * (wells(at) - wells(end))


def pair_energies(p, r, first, second):
    """Energies by term of pairs: r = r_i - r_j, [n][3], and the frames of i and j, [n][3][3]."""
    d = np.sqrt(dot(r, r))
    u, v = first[:, :, 2], second[:, :, 2]
    if p.gb:
        terms = {"gb": gay_berne(p, r, d, u, v)}
    else:
        terms = {"lj": lennard_jones(p, d)}
    if p.electrostatics != "none":
        terms.update(electrostatics(p, r, d, p.dipole[0] * u, p.dipole[1] * v))
    if p.sticky:
        terms["sticky"] = sticky(p.sticky, r, d, first, second)
    return terms


def pair_of(text, a, b):
    """energies(r, frame, frame) of two types of a force field."""
    p = parameters(oracle.force_field(text), a, b)
    return lambda *arguments: pair_energies(p, *arguments)


def bond_energies(form, r):
    return {"bond": form["k"] * (np.sqrt(dot(r, r)) - form["r0"])**2}


def angle_energies(form, a, b):
    cosine = dot(a, b) / np.sqrt(dot(a, a) * dot(b, b))
    return {"angle": form["k"] * (cosine - np.cos(np.radians(form["theta0"])))**2}


def dipole_angle_energies(form, r, frame):
    cosine = dot(frame[:, :, 2], r) / np.sqrt(dot(r, r))
    return {"dipole_angle": form["k"] * (cosine - np.cos(np.radians(form["gamma0"])))**2}


def site(form, number, frame):
    """From the centre of a body to its site."""
    return form.get(f"d{number}", 0) * frame[:, :, 2]


def site_bond_energies(form, r, *frame):
    """r: between the centres, from the second to the first."""
    return bond_energies(form, r + site(form, 0, frame[0]) - site(form, 1, frame[1]))


def site_angle_energies(form, a, b, *frame):
    """a, b: from the centre of the second body to those of the first and the third."""
    top = site(form, 1, frame[1])
    return angle_energies(form, a + site(form, 0, frame[0]) - top, b + site(form, 2, frame[2]) - top)


def site_axis_energies(form, r, *frame):
    """r: from the centre of the first body to that of the second."""
    line = r + site(form, 1, frame[1]) - site(form, 0, frame[0])
    return {"angle": dipole_angle_energies(form, line, frame[0])["dipole_angle"]}


# By form: energies(form, *arms, *frames), and the arms as positions (i, j), r_i - r_j; sites have the frames of all beads.
FORMS = {"harmonic": (bond_energies, [(0, 1)], []),
         "cosine_squared": (angle_energies, [(0, 1), (2, 1)], []),
         "dipole": (dipole_angle_energies, [(1, 0)], [0]),
         "site_harmonic": (site_bond_energies, [(0, 1)], [0, 1]),
         "site_cosine_squared": (site_angle_energies, [(0, 1), (2, 1)], [0, 1, 2]),
         "site_axis": (site_axis_energies, [(1, 0)], [0, 1])}


def gradient(energies, arguments, which):
    """Of the sum of energies(*arguments): along a vector, or for a frame about its axes of rotation
    in the laboratory."""
    out = np.empty((len(arguments[which]), 3))
    for k in range(3):
        moved = list(arguments)
        here = moved[which]
        moved[which] = here + 1j * STEP * (TURN[k] @ here if here.ndim == 3 else np.eye(3)[k])
        out[:, k] = sum(energies(*moved).values()).imag / STEP
    return out


class Total(oracle.Total):
    """Energies by term, forces, torques and the tensor sum of r_a f_b."""

    def __init__(self, n):
        super().__init__(n)
        self.energy = dict.fromkeys(TERMS, 0.0)

    def add(self, energies, arguments, rows):
        """Terms of vectors and frames: rows[k] has the rows (i, j) of vector k, r_i - r_j, or of
        frame k."""
        for term, values in energies(*arguments).items():
            self.energy[term] += float(values.sum())
        for k, x in enumerate(arguments):
            slope = gradient(energies, arguments, k)
            if x.ndim == 3:
                np.add.at(self.torque, rows[k], -slope)
            else:
                self.push(*rows[k], x, -slope)


def pair_rows(s):
    """Rows i < j closer than the largest cutoff, without exclusions."""
    i, j = oracle.pairs_within(s)
    skip = s.excluded()
    keep = np.array([pair not in skip for pair in zip(i.tolist(), j.tolist())], bool)
    return i[keep], j[keep]


def nonbonded(t, s):
    i, j = pair_rows(s)
    for a, b in itertools.combinations_with_replacement(range(len(s.names)), 2):
        p = s.parameters(a, b)
        one = (s.type[i] == a) & (s.type[j] == b)
        other = (s.type[i] == b) & (s.type[j] == a) & (a != b)
        first, second = np.r_[i[one], j[other]], np.r_[j[one], i[other]]
        r = s.between(first, second)
        near = dot(r, r) < p.cutoff**2
        first, second, r = first[near], second[near], r[near]
        if any(p.dipole) or p.sticky or p.gb:
            t.add(lambda *x: pair_energies(p, *x), (r, s.frame[first], s.frame[second]),
                  ((first, second), first, second))
        else:  # bodies do not matter
            t.add(lambda x: pair_energies(p, x, s.frame[first], s.frame[second]), (r,), ((first, second),))


def bonded(t, s):
    """All terms of a name at once: terms[section, name] has the rows of the beads of each."""
    terms = collections.defaultdict(list)
    for kind, start in s.molecules():
        for section in "bonds", "angles":
            for name, *beads in kind.get(section, []):
                terms[section, name].append([start + int(bead) - 1 for bead in beads])
    for (section, name), rows in terms.items():
        form, rows = s.ff[section][name], np.transpose(rows)
        energies, arms, bodies = FORMS[form["form"]]
        arms, bodies = [(rows[i], rows[j]) for i, j in arms], [rows[k] for k in bodies]
        t.add(lambda *x: energies(form, *x), [s.between(*arm) for arm in arms] + [s.frame[k] for k in bodies],
              arms + bodies)


def evaluate(state):
    """Total of a state or of a state file; its virial as a pressure tensor in bar."""
    s = state if isinstance(state, State) else State(state)
    total = Total(s.n)
    nonbonded(total, s)
    bonded(total, s)
    total.pressure = total.virial / np.prod(s.box) * oracle.BAR
    return total
