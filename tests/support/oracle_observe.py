"""An oracle for the observables: brute force over all beads, pairs and molecules of the frames of a
run (oracle_frames.py), from their definitions in the manual. tables() has the result of each kind:
{table: {column: values}}, with the values of the axis or the labels of the rows under "rows"."""
import numpy as np

import oracle
import oracle_motion
import oracle_stress
from oracle_frames import K, nearest

INVERSE_EPS0 = 4 * np.pi * oracle.COULOMB  # kJ nm/(mol e2)
VOLT = 96.48533212  # kJ/mol/e
MN_PER_M = 1.66053906717  # of 1 kJ/(mol nm2)


def mean(frames, value):
    return np.mean([value(frame) for frame in frames], axis=0)


def z_rows(frames, bins):
    length = mean(frames, lambda f: f.box[2])
    return (np.arange(bins) + 0.5) / bins * length - length / 2


def profile(frame, rows, weights, bins):
    """Sum of the weights of rows in the bins, per nm3."""
    sums = np.bincount(frame.z_bins(rows, bins), weights, minlength=bins)
    return sums * bins / np.prod(frame.box)


def by_leaflet(frame, head):
    """Mean heights of the heads over the centre of the bilayer: of the upper and lower leaflet."""
    place, _, upper, _ = frame.all_heads(head)
    height = nearest(place[:, 2] - frame.centre()) * frame.box[2]
    return [np.mean(height[side]) if side.any() else np.nan for side in (upper, ~upper)]


def membrane(frames, run, head=("P",), water_volume=0.030):
    first, kt = frames[0], K * run["temperature"]
    lipids = sum(len(rows) for rows in first.lipids().values())
    solvent = first.n - first.in_lipids().sum()
    area = np.array([f.box[0] * f.box[1] for f in frames])
    volume = np.array([np.prod(f.box) for f in frames])
    upper, lower = mean(frames, lambda f: by_leaflet(f, head))
    stiffness = [kt * x.mean() / x.var() if np.ptp(x) > 1e-12 * x.mean() else np.nan
                 for x in (area, volume)]
    return {"membrane": {
        "rows": [""], "area": 2 * run["bilayers"] * area.mean() / lipids,
        "volume_per_lipid": (volume.mean() - solvent * water_volume) / lipids,
        "thickness": upper - lower, "thickness_upper": upper, "thickness_lower": -lower,
        "area_compressibility": stiffness[0] * MN_PER_M,
        "bulk_modulus": stiffness[1] * oracle.BAR}}


def density(frames, run, bins=160):
    table = {"rows": z_rows(frames, bins)}
    first = frames[0]
    electrons = np.array([float(first.ff["types"][name].get("electrons", 0))
                          for name in first.names])
    every = np.arange(first.n)
    for (molecule, name), rows in first.species().items():
        table["number_" + (name if name == molecule else molecule + "_" + name)] = mean(
            frames, lambda f: profile(f, rows, np.ones(len(rows)), bins))
    table["mass"] = mean(frames, lambda f: profile(f, every, f.mass, bins))
    table["charge"] = mean(frames, lambda f: profile(f, every, f.charge, bins))
    table["electrons"] = mean(frames, lambda f: profile(f, every, electrons[f.type], bins))
    for name, rows in first.members.items():
        rows = rows.ravel()
        table["electrons_" + name] = mean(
            frames, lambda f: profile(f, rows, electrons[f.type[rows]], bins))
    return {"density": table}


def integrate(charge, polarisation, width):
    """Field and potential at the middle of bins of uniform charge and dipole density."""
    below = np.concatenate([[0], np.cumsum(charge)[:-1]]) * width  # of the bins under this one
    field = INVERSE_EPS0 * (below + charge * width / 2 - polarisation)
    half = INVERSE_EPS0 * (below * width / 2 + charge * width**2 / 8 - polarisation * width / 2)
    whole = INVERSE_EPS0 * (below * width + charge * width**2 / 2 - polarisation * width)
    return field / VOLT, -(np.concatenate([[0], np.cumsum(whole)[:-1]]) + half) / VOLT


def potential(frames, run, bins=160):
    first, width = frames[0], mean(frames, lambda f: f.box[2]) / bins

    def sources(rows):
        return (mean(frames, lambda f: profile(f, rows, f.charge[rows], bins)),
                mean(frames, lambda f: profile(f, rows, f.dipole[rows, 2], bins)))

    charge, polarisation = sources(np.arange(first.n))
    field, total = integrate(charge, polarisation, width)
    table = {"rows": z_rows(frames, bins), "charge": charge, "polarisation": polarisation,
             "field": field, "potential": total, "relative_permittivity": np.ones(bins)}
    for k in sorted(set(first.type)):
        rows = np.flatnonzero(first.type == k)
        if not first.charge[rows[0]] and not first.moment[rows[0]]:
            continue
        table["potential_" + first.names[k]] = integrate(*sources(rows), width)[1]
    return {"potential": table}


def order_of(z, length):
    return np.mean(1.5 * (z / length)**2 - 0.5)


def bond_order(frame, name):
    """{(i, j): order parameter} of the bonds of a kind, beads from 1."""
    rows, found = frame.members[name], {}
    for _, i, j in frame.ff["molecules"][name].get("bonds", []):
        r = frame.vectors(rows[:, j - 1], rows[:, i - 1])
        found[i, j] = order_of(r[:, 2], np.linalg.norm(r, axis=1))
    return found


def molecule_order(frame, name, head):
    _, tail = frame.sites(name, head)
    bonds = [value for (i, j), value in bond_order(frame, name).items()
             if i - 1 in tail and j - 1 in tail]
    _, vector, _ = frame.heads(name, head)
    cosine = np.abs(vector[:, 2]) / np.linalg.norm(vector, axis=1)
    angle = np.degrees(np.arccos(np.minimum(cosine, 1)))
    return [np.mean(bonds) if bonds else np.nan, angle.mean(), order_of(cosine, 1)]


def order(frames, run, head=("P",)):
    first, bonds, dipoles = frames[0], {}, {}
    for name, rows in first.members.items():
        values = mean(frames, lambda f: list(bond_order(f, name).values()))
        for pair, value in zip(bond_order(first, name), values):
            bonds["%s:%d-%d" % (name, *pair)] = value
        for k, bead in enumerate(first.ff["molecules"][name]["beads"]):
            if first.ff["types"][bead].get("dipole", 0) or "shape" in first.ff["types"][bead]:
                dipoles["%s:%d" % (name, k + 1)] = mean(
                    frames, lambda f: order_of(f.axis[rows[:, k], 2], 1))
    names = list(first.lipids())
    values = mean(frames, lambda f: np.reshape([molecule_order(f, name, head) for name in names],
                                               (-1, 3)))
    return {"bonds": {"rows": list(bonds), "order": np.array(list(bonds.values()))},
            "dipoles": {"rows": list(dipoles), "order": np.array(list(dipoles.values()))},
            "molecules": {"rows": names, "tail_order": values[:, 0], "tilt": values[:, 1],
                          "tilt_order": values[:, 2]}}


def bonded_to(frame):
    """{row: rows of the beads to which it has a bond}"""
    found = {}
    for name, rows in frame.lipids().items():
        for _, i, j in frame.ff["molecules"][name].get("bonds", []):
            for a, b in rows[:, [i - 1, j - 1]].tolist():
                found.setdefault(a, []).append(b)
                found.setdefault(b, []).append(a)
    return found


def leaflet_of_beads(frame, head):
    """1 for beads of lipids of the upper leaflet, -1 lower, 0 for solvent."""
    side = np.zeros(frame.n, int)
    for name, rows in frame.lipids().items():
        side[rows] = np.where(frame.heads(name, head)[2], 1, -1)[:, None]
    return side


def neighbours(frame, a, b, edges, sides, bonded):
    """Of one frame: ordered pairs (bead of type a, of type b) in shells, pairs in all, beads a.
    sides: the leaflet of each bead, for lateral distances; None in space."""
    one, other = (np.flatnonzero(frame.type == frame.names.index(name)) for name in (a, b))
    if sides is not None:
        one, other = one[sides[one] != 0], other[sides[other] != 0]
    counted = one[:, None] != other
    for k, i in enumerate(one):
        counted[k] &= ~np.isin(other, bonded[i]) if i in bonded else True
    if sides is not None:
        counted &= sides[one][:, None] == sides[other]
    i, j = np.nonzero(counted)
    r = frame.vectors(one[i], other[j])[:, :None if sides is None else 2]
    return np.histogram(np.sqrt((r**2).sum(axis=1)), edges)[0], len(i), len(one)


def rdf(frames, run, pairs=(), range=1.5, bins=150, in_plane=False, head=("P",)):
    edges, found = np.arange(bins + 1) * (range / bins), {}
    bonded = bonded_to(frames[0])
    shell = np.diff(np.pi * edges**2 if in_plane else 4 / 3 * np.pi * edges**3)
    for a, b in pairs:
        g, around = [], []
        for frame in frames:
            sides = leaflet_of_beads(frame, head) if in_plane else None
            counts, n_pairs, n_a = neighbours(frame, a, b, edges, sides, bonded)
            extent = np.prod(frame.box[:2]) if in_plane else np.prod(frame.box)
            g.append(counts / shell * extent / n_pairs)
            around.append(np.cumsum(counts) / n_a)
        found[a + "_" + b] = {"rows": (edges[1:] + edges[:-1]) / 2, "g": np.mean(g, axis=0),
                              "coordination": np.mean(around, axis=0)}
    return found


def lattice(frame, head, upper, grid):
    """Heights of the heads of a leaflet on a lattice over the membrane; empty cells are filled from
    the sides."""
    place, _, side, _ = frame.all_heads(head)
    place = place[side == upper]
    height = nearest(place[:, 2] - frame.centre()) * frame.box[2]
    cell = np.minimum((place[:, :2] % 1 * grid).astype(int), grid - 1)
    total, count = np.zeros((grid, grid)), np.zeros((grid, grid))
    np.add.at(total, tuple(cell.T), height)
    np.add.at(count, tuple(cell.T), 1)
    if not len(place):
        return np.full((grid, grid), np.nan)
    while (count == 0).any():
        filled = np.where(count > 0, total / np.maximum(count, 1), 0)
        turns = [(shift, axis) for shift in (1, -1) for axis in (0, 1)]
        beside = sum(np.roll(filled, *turn) for turn in turns)
        known = sum(np.roll(count > 0, *turn).astype(int) for turn in turns)
        total = np.where(count > 0, total, beside)
        count = np.where(count > 0, count, known)
    return total / count


def powers(frame, head, grid):
    """|h_q|^2 (nm4) of height and thickness on the lattice of wave vectors."""
    upper, lower = (lattice(frame, head, side, grid) for side in (True, False))
    scale = frame.box[0] * frame.box[1] / grid**4
    return [scale * np.abs(np.fft.fft2(h))**2 for h in ((upper + lower) / 2, (upper - lower) / 2)]


def undulation(frames, run, head=("P",), grid=32, fit_to=1.0):
    n = np.fft.fftfreq(grid, 1 / grid)
    nx, ny = np.meshgrid(n, n, indexing="ij")
    n2 = np.round(nx**2 + ny**2).astype(int)
    rows = [k for k in sorted(set(n2.ravel())) if 0 < k <= (grid // 2)**2]
    height, thick = mean(frames, lambda f: powers(f, head, grid))
    waves = 2 * np.pi * mean(frames, lambda f: np.hypot(nx / f.box[0], ny / f.box[1]))
    table = {"rows": np.array([waves[n2 == k].mean() for k in rows]),
             "height": np.array([height[n2 == k].mean() for k in rows]),
             "thickness": np.array([thick[n2 == k].mean() for k in rows])}
    weight, kt = np.array([(n2 == k).sum() for k in rows]), K * run["temperature"]
    fit = table["rows"] <= fit_to
    level = np.nan
    with np.errstate(divide="ignore"):
        if fit.any():
            level = np.average(np.log(table["height"] * table["rows"]**4)[fit], weights=weight[fit])
        return {"spectrum": table, "bending": {"rows": [""], "rigidity": kt / np.exp(level),
                                               "rigidity_kT": 1 / np.exp(level)}}


def thermal(frame):
    """Momenta without the motion of the centre of mass of all."""
    drift = frame.momentum.sum(axis=0) / frame.mass.sum()
    return frame.momentum - frame.mass[:, None] * drift


def twice_energies(frame):
    """p^2/m of every bead; L^2/I of every bead, and its axes with inertia."""
    inertia = frame.inertia()
    turning = inertia > 0
    spin = np.where(turning, frame.angular**2 / np.where(turning, inertia, 1), 0)
    return ((thermal(frame)**2).sum(axis=1) / frame.mass, spin.sum(axis=1), turning.sum(axis=1))


def ratio(a, b):
    return a / b if b else np.nan


def temperature(frames, run):
    """A body of mass m has 3 (1 - m/M) degrees of freedom besides the motion of all, of mass M."""
    first = frames[0]
    total = first.mass.sum()

    def of_rows(rows):
        freedom = 3 * (1 - first.mass[rows] / total).sum()

        def one(frame):
            push, spin, axes = twice_energies(frame)
            return [push[rows].sum() / (freedom * K), ratio(spin[rows].sum(), axes[rows].sum() * K),
                    (push[rows].sum() + spin[rows].sum()) / ((freedom + axes[rows].sum()) * K)]
        return mean(frames, one)

    def centre(rows):
        mass = first.mass[rows[0]].sum()

        def one(frame):
            momentum = thermal(frame)[rows].sum(axis=1)
            return (momentum**2).sum() / mass / (3 * len(rows) * (1 - mass / total) * K)
        return mean(frames, one)

    types = sorted(set(first.type))
    by_type = np.array([of_rows(np.flatnonzero(first.type == k)) for k in types])
    by_kind = np.array([of_rows(rows.ravel()) for rows in first.members.values()])
    every = of_rows(np.arange(first.n))
    return {"types": {"rows": [first.names[k] for k in types], "translation": by_type[:, 0],
                      "rotation": by_type[:, 1]},
            "molecules": {"rows": list(first.members), "translation": by_kind[:, 0],
                          "rotation": by_kind[:, 1],
                          "centre": np.array([centre(rows) for rows in first.members.values()])},
            "all": {"rows": [""], "translation": every[0], "rotation": every[1], "all": every[2]}}


def contacts(frame, head, reach):
    """Pairs of lipids of one leaflet, heads within reach laterally, and all pairs, by two kinds."""
    place, _, upper, kind = frame.all_heads(head)
    n = len(frame.lipids())
    near, every = np.zeros((n, n)), np.zeros((n, n))
    i, j = np.triu_indices(len(kind), 1)
    i, j = i[upper[i] == upper[j]], j[upper[i] == upper[j]]
    r = nearest(place[i] - place[j])[:, :2] * frame.box[:2]
    at = np.minimum(kind[i], kind[j]), np.maximum(kind[i], kind[j])
    np.add.at(every, at, 1)
    np.add.at(near, at, np.hypot(*r.T) < reach)
    return near, every


def flips_of(poses):
    """How often molecules stand upright (60 degrees) in another leaflet than before."""
    side, flips = poses[0][2].copy(), 0
    for _, vector, upper in poses[1:]:
        angle = np.degrees(np.arccos(np.abs(vector[:, 2]) / np.linalg.norm(vector, axis=1)))
        changed = (angle <= 60) & (upper != side)
        flips += changed.sum()
        side[changed] = upper[changed]
    return flips


def cell_area(others):
    """The area of what is nearer to 0 than to any of the points others [n][2], from the nearest on."""
    corners = 100 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    for point in others:
        over = corners @ point - point @ point / 2
        if point @ point > 4 * np.max(np.sum(corners**2, axis=1)):
            break
        kept = []
        for a, b, u, v in zip(corners, np.roll(corners, -1, 0), over, np.roll(over, -1)):
            kept += [a] if u <= 0 else []
            kept += [a + u / (u - v) * (b - a)] if (u <= 0) != (v <= 0) else []
        corners = np.array(kept)
    x, y = corners.T
    return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def areas(frame, head):
    """Mean areas of the lipids of each molecule type."""
    names, found = list(frame.lipids()), {}
    shifts = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)])
    for side in (True, False):
        at = [(name, place[:2] % 1) for name in names
              for place, upper in zip(frame.heads(name, head)[0], frame.heads(name, head)[2]) if upper == side]
        all_of = np.array([place for _, place in at]).reshape(-1, 2)
        for name, place in at:
            apart = ((all_of - place)[:, None] + shifts).reshape(-1, 2) * frame.box[:2]
            apart = apart[np.argsort(np.sum(apart**2, axis=1))]
            found.setdefault(name, []).append(cell_area(apart[1:]))
    return np.array([np.mean(found[name]) for name in names])


def leaflets(frames, run, head=("P",), range=1.2):
    names = list(frames[0].lipids())
    sides = [{name: frame.heads(name, head)[2] for name in names} for frame in frames]
    flips = np.array([flips_of([frame.heads(name, head) for frame in frames]) for name in names])
    sizes = np.array([len(frames[0].members[name]) for name in names])
    passed = run["interval"] * 1e-6 * (len(frames) - 1)  # us
    near, every = mean(frames, lambda f: contacts(f, head, range))
    at = [(i, j) for i, j in np.ndindex(near.shape) if i <= j]
    return {"leaflets": {"rows": names,
                         "upper": np.array([np.mean([s[name].sum() for s in sides])
                                            for name in names]),
                         "lower": np.array([np.mean([(~s[name]).sum() for s in sides])
                                            for name in names]),
                         "flips": flips, "flip_rate": flips / sizes / (passed or np.nan),
                         "area": mean(frames, lambda f: areas(f, head))},
            "contacts": {"rows": [names[i] + "_" + names[j] for i, j in at],
                         "fraction": np.array([ratio(near[ij], near.sum()) for ij in at]),
                         "expected": np.array([ratio(every[ij], every.sum()) for ij in at])}}


KINDS = {"membrane": membrane, "density": density, "potential": potential, "order": order,
         "rdf": rdf, "undulation": undulation, "temperature": temperature, "leaflets": leaflets,
         "msd": oracle_motion.msd, "rotation": oracle_motion.rotation,
         "pressure": oracle_stress.pressure}


def tables(kind, frames, run, **options):
    """run: temperature (K) of the thermostat, bilayers, interval between the frames (ps)."""
    found = KINDS[kind](frames, run, **options)
    for table in found.values():
        for name, values in table.items():
            if name != "rows":
                table[name] = np.atleast_1d(np.asarray(values, float))
    return found
