"""Energies, forces, torques and virial of mixed bead models against an evaluator that shares nothing
with the program (oracle_beads.py), in both precisions and on several ranks."""
import itertools
import os
import tempfile

import numpy as np

import trial
from run_lamella import Checks, energy, skip

try:
    import h5py
    import yaml

    import bead_models as models
    import bead_states as states
    import oracle_beads as oracle
    from test_bitwise_beads import seven
except ImportError as missing:
    skip(str(missing))

CALORIE = models.CALORIE
RANKS = (1, 2, 4)
LIPIDS = """
temperature: 0
bilayer:
  upper: {DOPC: 4, DMPC: 4, DSPC: 4}
  lower: {POPC: 6, DOPE: 6}
  water_per_lipid: 18
  area_per_lipid: 0.7
replicate: [2, 1, 1]
minimise: {max_steps: 500, force: 1000}
"""
BODIES = """
forcefield: gb-lipids
seed: 1
temperature: 303
bilayer: {upper: {DMPC: 9}, lower: {DMPC: 9}, area_per_lipid: 0.9, water_per_lipid: 2, height: 8}
minimise: {max_steps: 100, force: 2000}
"""
SITE = 0.2025  # nm, from the centre of an ellipsoid of gb-lipids
UNLIKES = {"unlike rods": (2, 0.4, "lorentz_berthelot", 1, 2),
           "rods and discs": (0.4, 0.2, "geometric", 3, 4)}


def program(folder, state, precision="double", ranks=1):
    """What the program says: numbers, forces, torques."""
    table = os.path.join(folder, "forces.txt")
    got = energy(state, "--precision=" + precision, "--forces=" + table, ranks=ranks)
    rows = np.atleast_2d(np.loadtxt(table))
    return got, rows[:, 1:4], rows[:, 4:7]


def worst(got, want):
    """Largest deviation over largest value."""
    return np.abs(got - want).max() / max(np.abs(want).max(), 1e-300)


def compare(checks, folder, name, state, terms, most=3, rounding=1e-9):
    """A state by the evaluator and by the program: in double precision on one rank and on RANKS[most - 1], in mixed
    on a number between them."""
    want = oracle.evaluate(state)
    checks.true(f"{name}: terms", all(abs(want.energy[term]) > 1 for term in terms), want.energy)
    size = max(map(abs, want.energy.values()))
    for precision, ranks in sorted({("double", 1), ("double", RANKS[most - 1]), ("mixed", RANKS[most // 2])}):
        bound = rounding if precision == "double" else 2e-5
        got, force, torque = program(folder, state, precision, ranks)
        what = f"{name}, {precision}, {ranks} ranks:"
        found = {"forces": worst(force, want.force)}
        if np.any(want.torque):
            found["torques"] = worst(torque, want.torque)
        found["virial tensor"] = worst(np.reshape(got["virial_tensor"], (3, 3)), want.pressure)
        found["sum of forces^2"] = worst(got["sum_force2"], (want.force**2).sum())
        found["sum of torques^2"] = worst(got["sum_torque2"], (want.torque**2).sum())
        found["virial pressure"] = (abs(got["virial_pressure"] - np.trace(want.pressure) / 3) /
                                    np.abs(want.pressure).max())
        for term, value in want.energy.items():
            found[term] = abs(got["terms"][term] - value) / size
        found["potential"] = abs(got["potential"] - sum(want.energy.values())) / size
        for part, error in found.items():
            checks.true(f"{what} {part}", error <= bound, error)
        print(what, "worst", *max(found.items(), key=lambda item: item[1]))


def golden_water_states(checks, folder):
    """The golden pairs by the program: all their distances are whole numbers of box/2^32."""
    edge = 5.12
    for model in models.SSD:
        text = models.water(model, 2, 1.9)
        for k, r in enumerate(models.WATER_R):
            state = states.pair(folder, text, "WW", edge,
                                np.rint(np.array(r) / 10 / edge * 2.0**32), models.WATER_TURNS)
            got, force, torque = program(folder, state)
            terms = [got["terms"][term] / CALORIE for term in ("lj", "dd", "sticky")]
            checks.close(f"{model} at {r}", sum(terms), models.WATER_TOTALS[model][k], 0, 1e-7)
            if k == 0:
                checks.true(f"{model} terms",
                            np.allclose(terms, models.WATER_TERMS[model], 0, 3e-8), terms)
            if k == 0 and model == "SSD":
                slopes = force[1] / CALORIE / 10, *torque / CALORIE
                checks.true("slopes of SSD",
                            np.allclose(slopes, models.WATER_SLOPES, 0, 1e-6), slopes)


def golden_rod_states(checks, folder):
    edge, cutoff = 25.6, 10
    for model, numbers in models.ROD_MODELS.items():
        text = models.rods(*numbers, cutoff=cutoff)
        vacuum = oracle.pair_of(models.rods(*numbers, cutoff=1e5), "R", "R")
        wanted = [(models.ROD_AXES, r, u, 1e-9)
                  for r, u in zip(models.ROD_R, models.ROD_ENERGIES[model])]
        wanted += [((a, b), np.array(r) * place, depth, 1e-6)
                   for (a, b, r), (depth, place) in zip(models.ROD_PLACES, models.ROD_WELLS[model])]
        for axes, r, u, bound in wanted:
            turns = [states.turn_to(axis) for axis in axes]
            state = states.pair(folder, text, "RR", edge, np.rint(-np.array(r) / edge * 2.0**32),
                                turns)
            at_cutoff = np.array([r]) / np.linalg.norm(r) * cutoff
            shift = vacuum(at_cutoff, *(oracle.frames([q]) for q in turns))["gb"][0]
            got, _, _ = program(folder, state)
            checks.close(f"{model} {axes} {r}", got["terms"]["gb"] + shift, u, 0, bound)


def overlaps(checks, folder):
    """Pairs far from each other, from contact down to where their well goes on as a tangent."""
    random = np.random.default_rng(9)
    for name, numbers in UNLIKES.items():
        text = models.UNLIKE % numbers
        path = lattice(folder, "overlap", text, (8, 4, 4), 6, "A")
        path = states.convert(folder, path, text, "A", {"B": 0.35, "S": 0.3}, False)
        site = np.array(list(itertools.product(range(4), repeat=3))) * 12.0 + 6
        step = random.normal(size=site.shape)
        step *= (random.uniform(0.3, 1.6, len(site)) / np.linalg.norm(step, axis=1))[:, None]
        place = np.stack([site, site + step], 1).reshape(-1, 3) / 48 * 2.0**32
        states.rewrite(path, text, position=place.astype(np.uint32).view(np.int32),
                       orientation=states.anyhow(len(place)))
        with h5py.File(path, "r+") as file:
            file["system/box"][:] = 48
        want = oracle.evaluate(path)
        got, force, torque = program(folder, path)
        for part, one, other in (("force", force, want.force), ("torque", torque, want.torque)):
            size = np.linalg.norm(want.force, axis=1)
            error = np.linalg.norm(one - other, axis=1) / size
            checks.true(f"overlaps of {name}: {part}", error.max() < 1e-7, error.max())
        checks.close(f"overlaps of {name}", got["terms"]["gb"], want.energy["gb"], 1e-9)


def lattice(folder, name, text, cells, spacing, molecule):
    return states.built(
        folder, name, text, "temperature: 0\nlattice: {type: sc, "
        f"cells: {list(cells)}, density: {spacing**-3:.9g}, molecule: {molecule}}}\nminimise: no")


def waters(folder, model):
    name = model.replace("/", "_")
    rf = "reaction_field" if model == "SSD/RF" else "switch"
    text = models.water(model, electrostatics=rf)
    return states.finish(lattice(folder, name, text, (16, 8, 8), 0.31, "W"), text, 0.015)


def mixed_waters(folder):
    path = lattice(folder, "waters", models.WATERS, (18, 9, 9), 0.32, "A")
    shares = {"B": 0.3, "C": 0.2, "D": 0.1, "N": 0.15}
    path = states.convert(folder, path, models.WATERS, "A", shares)
    return states.finish(path, models.WATERS, 0.01)


def rods(folder):
    text = models.rods(3, 5, 2, 1)
    path = lattice(folder, "rods", text, (16, 8, 3), 1.15, "R")
    return states.finish(path, text, 0.03, 0.15, (16 * 1.15, 8 * 1.15, 3 * 3.3))


def unlike(folder, name, *numbers):
    text = models.UNLIKE % numbers
    path = lattice(folder, name, text, (12, 6, 3), 1.5, "A")
    path = states.convert(folder, path, text, "A", {"B": 0.3, "S": 0.3}, False)
    return states.finish(path, text, 0.05, 0.3, (12 * 1.5, 6 * 1.5, 3 * 3.2))


def membrane(folder):
    text = models.lipids(models.shipped("elba"))
    path = states.built(folder, "membrane", text, LIPIDS)
    return states.finish(path, text, 0.01)


def beads_of_bodies(s, first):
    """Places of the beads of ELBA that a lipid of gb-lipids stands for, and their body z."""
    places, axes = [], []
    for row in range(first, first + 9):
        centre, axis = s.between(row, first), s.frame[row, :, 2]
        for d in (-SITE, SITE) if s.names[s.type[row]] == "T" else (0,):
            places.append(centre + d * axis)
            axes.append(axis)
    return np.array(places), np.array(axes)


def bodies_are_beads(checks, folder):
    """gb-lipids: terms of sites are those of ELBA's DMPC with two beads in the place of each ellipsoid."""
    path = states.finish(trial.build(folder, "bodies", BODIES), None, 0.005, 0.3)
    compare(checks, folder, "bodies", path, set(oracle.TERMS) - {"sticky"}, 2)
    s, elba = oracle.State(path), yaml.safe_load(models.shipped("elba"))
    bonds, angles = [], []
    for _, first in s.molecules():
        x, axis = beads_of_bodies(s, first)
        for name, i, j in elba["molecules"]["DMPC"]["bonds"]:
            form = elba["bonds"][name]
            bonds.append(form["k"] * (np.linalg.norm(x[i - 1] - x[j - 1]) - form["r0"])**2)
        for name, i, j, *k in elba["molecules"]["DMPC"]["angles"]:
            form = elba["angles"][name]
            one, other = (x[i - 1] - x[j - 1], x[k[0] - 1] - x[j - 1]) if k else (axis[i - 1], x[j - 1] - x[i - 1])
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            angles.append(form["k"] * (cosine - np.cos(np.radians(form.get("theta0", form.get("gamma0")))))**2)
    got = energy(path, "--precision=double")["terms"]
    checks.close("bonds of sites are bonds of beads", got["bond"], sum(bonds), 1e-9)
    checks.close("angles of sites are angles of beads", got["angle"] + got["dipole_angle"], sum(angles), 1e-9)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        golden_water_states(checks, folder)
        golden_rod_states(checks, folder)
        overlaps(checks, folder)
        for model in models.SSD:
            compare(checks, folder, model, waters(folder, model), ("lj", "dd", "sticky"),
                    3 if model == "SSD/RF" else 1)
        compare(checks, folder, "mixed waters", mixed_waters(folder), ("lj", "dd", "sticky"))
        compare(checks, folder, "rods", rods(folder), ("gb",))
        for name, numbers in UNLIKES.items():
            compare(checks, folder, name, unlike(folder, name, *numbers), ("lj", "gb"), 2)
        compare(checks, folder, "membrane", membrane(folder), set(oracle.TERMS) - {"gb"})
        path = trial.build(folder, "brahms", "forcefield: brahms\nseed: 2" + LIPIDS)
        compare(checks, folder, "brahms", path, set(oracle.TERMS) - {"gb"}, 2)
        bodies_are_beads(checks, folder)
        path = states.finish(seven(folder), models.EIGHT_LISTS, 0.005)
        compare(checks, folder, "seven types", path, oracle.TERMS)
    checks.end()


main()
