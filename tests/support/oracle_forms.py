"""Energies of bonded forms as textbooks write them, with angles from arccos, and their slopes by differences:
nothing here is shared with the program's formulas."""
import numpy as np


def angle(x, i, j, k):
    a, b = x[i] - x[j], x[k] - x[j]
    return np.arccos(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


def cross(a, b):
    """Of two vectors: a tenth of the time of np.cross, which is made for arrays of them."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dihedral(x):
    """The angle between the planes of the first and the last three beads; IUPAC: 180 degrees for trans."""
    m, n = cross(x[0] - x[1], x[2] - x[1]), cross(x[2] - x[1], x[2] - x[3])
    phi = np.arccos(np.clip(np.dot(m, n) / np.linalg.norm(m) / np.linalg.norm(n), -1, 1))
    return phi if np.dot(x[0] - x[1], n) > 0 else -phi


def length(x):
    return np.linalg.norm(x[1] - x[0])


def on_circle(difference):
    return (difference + np.pi) % (2 * np.pi) - np.pi


def bending_torsion(f, x):
    fade = np.sin(angle(x, 0, 1, 2))**3 * np.sin(angle(x, 1, 2, 3))**3
    cosine = np.cos(dihedral(x))
    return fade * sum(f.get(f"a{n}", 0) * cosine**n for n in range(5))


def ryckaert_bellemans(f, x):
    cosine = np.cos(dihedral(x) - np.pi)
    return sum(f[f"c{n}"] * cosine**n for n in range(6))


def vectors(f, x):
    a, b = x[1] - x[0], x[3] - x[2]
    t = np.arccos(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))
    return f["k"] * (1 - np.cos(f["n"] * (t - np.radians(f["theta0"]))))


def flat_bottomed(f, x):
    r, low, up1, up2 = length(x), f["low"], f["up1"], f["up2"]
    if r < low:
        return f["k"] * (r - low)**2
    return f["k"] * (max(r - up1, 0)**2 if r < up2 else (up2 - up1) * (2 * r - up2 - up1))


def table_text(start, end, n, energy, slope):
    """A table as a file has it, of a function and its slope."""
    x = np.linspace(start, end, n)
    return "".join("%.17g %.17g %.17g\n" % (a, energy(a), -slope(a)) for a in x)


def of_table(f, x):
    """The cubic with energies and slopes of the rows on both sides."""
    rows = f["rows"]
    k = min(np.searchsorted(rows[:, 0], x, "right"), len(rows) - 1)
    (x0, u0, f0), (x1, u1, f1) = rows[k - 1:k + 1]
    w = x1 - x0
    t = (x - x0) / w
    return f["k"] * ((2 * t**3 - 3 * t**2 + 1) * u0 + (3 * t**2 - 2 * t**3) * u1 -
                     w * ((t**3 - 2 * t**2 + t) * f0 + (t**3 - t**2) * f1))


APART = "table_apart", "elastic", "flat_bottomed", "lennard_jones", "coulomb"  # bonds that make no exclusions
TERM = {"lennard_jones": "lj", "coulomb": "qq"}  # energies with another name than the section
ENERGY = {
    ("bonds", "morse"): lambda f, x: f["well"] * (1 - np.exp(-f["beta"] * (length(x) - f["r0"])))**2,
    ("bonds", "cubic"): lambda f, x: f["k"] * (length(x) - f["r0"])**2 * (1 + f["c"] * (length(x) - f["r0"])),
    ("bonds", "flat_bottomed"): flat_bottomed,
    ("bonds", "lennard_jones"): lambda f, x: f["c12"] / length(x)**12 - f["c6"] / length(x)**6,
    ("bonds", "coulomb"): lambda f, x: 138.93545764 * f["qq"] / f["epsilon_r"] / length(x),
    ("bonds", "table"): lambda f, x: of_table(f, length(x)),
    ("bonds", "table_apart"): lambda f, x: of_table(f, length(x)),
    ("angles", "table"): lambda f, x: of_table(f, np.degrees(angle(x, 0, 1, 2))),
    ("dihedrals", "table"): lambda f, x: of_table(f, np.degrees(dihedral(x))),
    ("angles", "cross_bond_bond"): lambda f, x: f["k"] * (length(x[:2]) - f["r12"]) * (length(x[1:]) - f["r23"]),
    ("angles", "cross_bond_angle"): lambda f, x: f["k"] * (length(x[::2]) - f["r13"]) * (
        length(x[:2]) - f["r12"] + length(x[1:]) - f["r23"]),
    ("angles", "urey_bradley"): lambda f, x: f["k"] * (angle(x, 0, 1, 2) - np.radians(f["theta0"]))**2 + f["k13"] * (
        length(x[::2]) - f["r13"])**2,
    ("angles", "linear"): lambda f, x: f["k"] * np.sum((x[1] - f["a"] * x[0] - (1 - f["a"]) * x[2])**2),
    ("angles", "vectors"): vectors,
    ("angles", "vector_z"): lambda f, x: vectors(f, [x[0], x[1], np.zeros(3), np.array([0, 0, 1.0])]),
    ("dihedrals", "flat_bottomed"): lambda f, x: f["k"] * max(
        abs(on_circle(dihedral(x) - np.radians(f["phi0"]))) - np.radians(f["width"]), 0)**2,
    ("bonds", "quartic"): lambda f, x: f["k"] * (length(x)**2 - f["r0"]**2)**2,
    ("bonds", "fene"): lambda f, x: -f["k"] * f["rmax"]**2 * np.log(1 - (length(x) / f["rmax"])**2),
    ("bonds", "elastic"): lambda f, x: f["k"] * (length(x) - f["r0"])**2,
    ("angles", "harmonic"): lambda f, x: f["k"] * (angle(x, 0, 1, 2) - np.radians(f["theta0"]))**2,
    ("angles", "quartic"): lambda f, x: sum(
        f[f"c{n}"] * (angle(x, 0, 1, 2) - np.radians(f["theta0"]))**n for n in range(5)),
    ("angles", "restricted"): lambda f, x: f["k"] * (np.cos(angle(x, 0, 1, 2)) - np.cos(
        np.radians(f["theta0"])))**2 / np.sin(angle(x, 0, 1, 2))**2,
    ("dihedrals", "periodic"): lambda f, x: f["k"] * (
        1 + np.cos(f["n"] * dihedral(x) - np.radians(f["phi0"]))),
    ("dihedrals", "harmonic"): lambda f, x: f["k"] * on_circle(dihedral(x) - np.radians(f["phi0"]))**2,
    ("dihedrals", "ryckaert_bellemans"): ryckaert_bellemans,
    ("dihedrals", "restricted"): lambda f, x: f["k"] * (np.cos(dihedral(x)) - np.cos(
        np.radians(f["phi0"])))**2 / np.sin(dihedral(x))**2,
    ("dihedrals", "bending_torsion"): bending_torsion,
}


def evaluate(section, form, x):
    """Energy and forces of a term of beads at x[n][3]."""
    energy = lambda at: ENERGY[section, form["form"]](form, at)
    force, h = np.zeros(x.shape), 2e-4
    for k in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[k] = h
        near = energy(x + step) - energy(x - step)
        far = energy(x + 2 * step) - energy(x - 2 * step)
        farther = energy(x + 3 * step) - energy(x - 3 * step)
        force[k] = -(45 * near - 9 * far + farther) / (60 * h)
    return energy(x), force
