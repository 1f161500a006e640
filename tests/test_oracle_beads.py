"""The bead models against an evaluator that shares nothing with the program (oracle_beads.py). The
evaluator comes first, against values of pairs that were computed twice and against differences."""
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
SEVEN = """
temperature: 0
bilayer: {upper: {L: 14}, lower: {L: 14}, area_per_lipid: 0.65, water_per_lipid: 16}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 500}
"""
UNLIKES = {"unlike rods": (2, 0.4, "lorentz_berthelot", 1, 2),
           "rods and discs": (0.4, 0.2, "geometric", 3, 4)}
FAR = dict(cutoff=1e5, switch_from=9e4)  # as good as no cutoff


def pair_of(text, a, b):
    """energies(r, frame, frame) of two types of a force field."""
    p = oracle.parameters(yaml.safe_load(text), a, b)
    return lambda *arguments: oracle.pair_energies(p, *arguments)


def turn_to(axis):
    """A quaternion that turns z to the axis."""
    q = np.array([1 + axis[2], -axis[1], axis[0], 0])
    return q / np.linalg.norm(q)


def golden_water(checks):
    frames = [oracle.frames([q]) for q in models.WATER_TURNS]
    for model in models.SSD:
        energies = pair_of(models.water(model, **FAR), "W", "W")
        for k, r in enumerate(models.WATER_R):
            r = -np.array([r]) / 10
            terms = {name: v[0] / CALORIE for name, v in energies(r, *frames).items()}
            for name, want in zip(("lj", "dd", "sticky"), models.WATER_TERMS[model]):
                if k == 0:
                    checks.close(f"{model} {name}", terms[name], want, 0, 2e-8)
            checks.close(f"{model} at {r}", sum(terms.values()), models.WATER_TOTALS[model][k], 0,
                         3e-8)
    energies = pair_of(models.water("SSD", **FAR), "W", "W")
    arguments = -np.array([models.WATER_R[0]]) / 10, *frames
    slopes = [oracle.gradient(energies, arguments, k)[0] / CALORIE for k in range(3)]
    slopes[0] = -slopes[0] / 10  # dU/dr_i is the force on j
    for got, want in zip(slopes, models.WATER_SLOPES):
        checks.true("slopes of SSD", np.abs(-got - want).max() < 6e-7, got, want)
    balance = -slopes[1] - slopes[2] + np.cross(models.WATER_R[0], -slopes[0])
    checks.true("angular momentum", np.abs(balance).max() < 1e-12, balance)


def golden_rods(checks):
    for model, numbers in models.ROD_MODELS.items():
        energies = pair_of(models.rods(*numbers, cutoff=1e5), "R", "R")
        d = np.linspace(0.9, 5, 820001)
        for axes, (depth, place) in zip(models.ROD_PLACES, models.ROD_WELLS[model]):
            *frames, r = [np.broadcast_to(v, (len(d), 3)) for v in axes]
            frames = [np.stack([v, v, v], 2) for v in frames]
            u = np.where(d > 0.9 * place, energies(r * d[:, None], *frames)["gb"], 0)
            checks.close(f"{model} {axes}", u.min(), depth, 0, 6e-7)
            checks.close(f"{model} {axes}", d[u.argmin()], place, 0, 6e-5)
        arguments = [oracle.frames([turn_to(axis)]) for axis in models.ROD_AXES]
        for r, want in zip(models.ROD_R, models.ROD_ENERGIES[model]):
            got = energies(np.array([r]), *arguments)["gb"][0]
            checks.close(f"{model} at {r}", got, want, 0, 6e-11)
        force = -oracle.gradient(energies, (np.array([r]), *arguments), 0)[0]
        checks.true(f"force of {model}", np.abs(force - models.ROD_FORCES[model]).max() < 6e-7)


def turned(frames, angles):
    """Frames turned by vectors of angles (Rodrigues)."""
    size = np.linalg.norm(angles, axis=1)[:, None, None] + 1e-300
    k = np.einsum("nk,kab->nab", angles, oracle.TURN) / size
    return (np.eye(3) + np.sin(size) * k + (1 - np.cos(size)) * k @ k) @ frames


def shipped(name):
    with open(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], name + ".yaml")) as file:
        return file.read()


def shipped_numbers(checks):
    """Our force fields of one type have the numbers whose pairs are tested here."""
    want = {name: models.water(model, electrostatics=treatment)
            for name, model, treatment in (("ssd", "SSD", "switch"), ("ssd1", "SSD1", "switch"),
                                           ("ssde", "SSD/E", "switch"),
                                           ("ssdrf", "SSD/RF", "reaction_field"))}
    want["gb"] = models.rods(3, 5, 2, 1)
    for name, text in want.items():
        kind = "R" if name == "gb" else "W"
        ours, theirs = (oracle.parameters(yaml.safe_load(source), kind, kind)
                        for source in (shipped(name), text))
        for p in ours, theirs:
            p.gb = p.gb and vars(p.gb)
            if p.sticky:
                p.sticky = {"v0_prime": p.sticky["v0"], **p.sticky}
        same = flat(vars(ours)), flat(vars(theirs))
        checks.true(f"numbers of {name}", same[0].keys() == same[1].keys() and all(
            np.allclose(value, same[1][key], 1e-8, 0) if isinstance(value, (int, float))
            else value == same[1][key] for key, value in same[0].items()), *same)


def flat(value, name=""):
    """{path: number or word} of nested dictionaries and lists."""
    if not isinstance(value, (dict, list)):
        return {name: value}
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    return {path: x for key, part in rows for path, x in flat(part, f"{name}.{key}").items()}


def minimum(energies, seeds=40, steps=400):
    """Lowest energy and its distance, of pairs that go downhill from random starts (FIRE, Bitzek et
    al., Phys. Rev. Lett. 97, 170201, 2006; lengths in 0.1 nm weigh as much as angles)."""
    random = np.random.default_rng(3)
    r = random.normal(size=(seeds, 3))
    r *= 0.3 / np.linalg.norm(r, axis=1)[:, None]
    frames = [oracle.frames(q / np.linalg.norm(q, axis=1)[:, None])
              for q in random.normal(size=(2, seeds, 4))]
    speed, step, mix = np.zeros((seeds, 9)), np.full((seeds, 1), 0.01), np.full((seeds, 1), 0.1)
    for _ in range(steps):
        slopes = [oracle.gradient(energies, (r, *frames), k) for k in range(3)]
        force = -np.hstack([slopes[0] / 10, slopes[1], slopes[2]])
        down = (force * speed).sum(axis=1)[:, None] > 0
        length = [np.linalg.norm(x, axis=1)[:, None] for x in (speed, force)]
        speed = np.where(down, (1 - mix) * speed + mix * force * length[0] / length[1], 0)
        step = np.where(down, np.minimum(step * 1.1, 0.1), step * 0.5)
        mix = np.where(down, mix * 0.99, 0.1)
        speed += step * force
        move = np.clip(step * speed, -0.1, 0.1)
        r = r + move[:, :3] / 10
        frames = [turned(frames[k], move[:, 3 * k + 3:3 * k + 6]) for k in range(2)]
    u = sum(energies(r, *frames).values())
    return u.min(), np.linalg.norm(r[u.argmin()])


def dimers(checks):
    for model, (depth, distance) in models.DIMER.items():
        u, r = minimum(pair_of(models.water(model, **FAR), "W", "W"))
        checks.close(f"{model} dimer", u / CALORIE, depth, 0, 1e-4)
        checks.close(f"{model} dimer, distance", r * 10, distance, 0, 2e-4)


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
    """A state by the evaluator and by the program, in both precisions, on up to RANKS[most - 1]
    ranks."""
    want = oracle.evaluate(state)
    checks.true(f"{name}: terms", all(abs(want.energy[term]) > 1 for term in terms), want.energy)
    size = max(map(abs, want.energy.values()))
    for precision, ranks in [("double", n) for n in RANKS[:most]] + [("mixed", RANKS[most - 1])]:
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
        vacuum = pair_of(models.rods(*numbers, cutoff=1e5), "R", "R")
        wanted = [(models.ROD_AXES, r, u, 1e-9)
                  for r, u in zip(models.ROD_R, models.ROD_ENERGIES[model])]
        wanted += [((a, b), np.array(r) * place, depth, 1e-6)
                   for (a, b, r), (depth, place) in zip(models.ROD_PLACES, models.ROD_WELLS[model])]
        for axes, r, u, bound in wanted:
            turns = [turn_to(axis) for axis in axes]
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


def scattered():
    """A made-up state of all seven types, with molecules: what oracle.State takes."""
    random = np.random.default_rng(2)
    ff = yaml.safe_load(models.SEVEN)
    names, kinds = list(ff["types"]), list(ff["molecules"])
    chain = ff["molecules"]["L"]["beads"]
    species = [names.index(bead) for bead in chain] * 5 + list(range(6)) * 16
    kind = [kinds.index("L")] * len(chain) * 5 + [kinds.index(names[k]) for k in range(6)] * 16
    grid = np.array(list(itertools.product(range(5), repeat=3))) / 5 + 0.1
    place = np.concatenate([grid[:25], random.permutation(grid[25:])])
    place = place + random.normal(0, 0.005, place.shape)
    waters = np.nonzero(np.array(species) == names.index("W"))[0]
    place[waters[::2]] = place[waters[1::2]] + (0.05, 0.06, 0.07)
    place = place[:len(species)] * 2.0**32
    return dict(text=models.SEVEN, box=np.array([2.9, 3.0, 3.1]), type=species, kind=kind,
                position=place.astype(np.uint32), orientation=states.anyhow(len(species)))


def differences(checks):
    """Forces, torques and virial of the evaluator against differences of its energy."""
    given = scattered()
    total = oracle.evaluate(oracle.State(**given))
    checks.true("all terms of the made-up state", all(total.energy.values()), total.energy)
    random = np.random.default_rng(8)

    def slope(change):
        ends = [oracle.evaluate(oracle.State(**{**given, **change(sign)})).energy
                for sign in (1, -1)]
        return (sum(ends[0].values()) - sum(ends[1].values())) / 2

    words = random.integers(-20000, 20000, (len(given["type"]), 3))
    moved = slope(lambda sign: {"position": given["position"] + (sign * words).astype(np.uint32)})
    work = total.force * words / 2.0**32 * given["box"]
    checks.close("forces by differences", -moved, work.sum(), 0, 1e-6 * np.abs(work).sum())
    angles = random.normal(0, 1e-5, words.shape)
    axes = oracle.frames(given["orientation"])
    state = oracle.State(**given)
    ends = []
    for sign in (1, -1):
        state.frame = turned(axes, sign * angles)
        ends.append(sum(oracle.evaluate(state).energy.values()))
    work = total.torque * angles
    checks.close("torques by differences", (ends[1] - ends[0]) / 2, work.sum(), 0,
                 1e-6 * np.abs(work).sum())
    for k in range(3):
        stretched = slope(lambda sign: {"box": given["box"] * (1 + sign * 1e-6 * np.eye(3)[k])})
        checks.close("virial by differences", -stretched / 1e-6, total.virial[k, k], 0,
                     1e-6 * np.abs(total.virial).max())


def evaluator(checks):
    """The evaluator itself, without the program."""
    golden_water(checks)
    golden_rods(checks)
    shipped_numbers(checks)
    dimers(checks)
    differences(checks)


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
    text = models.lipids(shipped("elba"))
    path = states.built(folder, "membrane", text, LIPIDS)
    return states.finish(path, text, 0.01)


def seven(folder):
    path = states.built(folder, "seven", models.SEVEN, SEVEN)
    shares = {"Q": 0.1, "D": 0.1, "P": 0.1, "R": 0.1, "E": 0.1}
    path = states.convert(folder, path, models.SEVEN, "W", shares)
    return states.finish(path, models.SEVEN, 0.005)


def main():
    checks = Checks()
    evaluator(checks)
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
        compare(checks, folder, "seven types", seven(folder), oracle.TERMS)
    checks.end()


main()
