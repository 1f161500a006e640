"""The evaluator of bead models (oracle_beads.py) itself: against values of pairs that were computed
twice from the formulas alone, against differences of its energies, and at the cutoffs."""
import itertools

import numpy as np

from run_lamella import Checks, skip

try:
    import yaml

    import bead_models as models
    import bead_states as states
    import oracle_beads as oracle
except ImportError as missing:
    skip(str(missing))

CALORIE = models.CALORIE
X, Z = models.X, models.Z
FAR = dict(cutoff=1e5, switch_from=9e4)  # as good as no cutoff


def golden_water(checks):
    frames = [oracle.frames([q]) for q in models.WATER_TURNS]
    for model in models.SSD:
        energies = oracle.pair_of(models.water(model, **FAR), "W", "W")
        for k, r in enumerate(models.WATER_R):
            r = -np.array([r]) / 10
            terms = {name: v[0] / CALORIE for name, v in energies(r, *frames).items()}
            for name, want in zip(("lj", "dd", "sticky"), models.WATER_TERMS[model]):
                if k == 0:
                    checks.close(f"{model} {name}", terms[name], want, 0, 2e-8)
            checks.close(f"{model} at {r}", sum(terms.values()), models.WATER_TOTALS[model][k], 0,
                         3e-8)
    energies = oracle.pair_of(models.water("SSD", **FAR), "W", "W")
    arguments = -np.array([models.WATER_R[0]]) / 10, *frames
    slopes = [oracle.gradient(energies, arguments, k)[0] / CALORIE for k in range(3)]
    slopes[0] = -slopes[0] / 10  # dU/dr_i is the force on j
    for got, want in zip(slopes, models.WATER_SLOPES):
        checks.true("slopes of SSD", np.abs(-got - want).max() < 6e-7, got, want)
    balance = -slopes[1] - slopes[2] + np.cross(models.WATER_R[0], -slopes[0])
    checks.true("angular momentum", np.abs(balance).max() < 1e-12, balance)


def golden_rods(checks):
    for model, numbers in models.ROD_MODELS.items():
        energies = oracle.pair_of(models.rods(*numbers, cutoff=1e5), "R", "R")
        d = np.linspace(0.9, 5, 820001)
        for axes, (depth, place) in zip(models.ROD_PLACES, models.ROD_WELLS[model]):
            *frames, r = [np.broadcast_to(v, (len(d), 3)) for v in axes]
            frames = [np.stack([v, v, v], 2) for v in frames]
            u = np.where(d > 0.9 * place, energies(r * d[:, None], *frames)["gb"], 0)
            checks.close(f"{model} {axes}", u.min(), depth, 0, 6e-7)
            checks.close(f"{model} {axes}", d[u.argmin()], place, 0, 6e-5)
        arguments = [oracle.frames([states.turn_to(axis)]) for axis in models.ROD_AXES]
        for r, want in zip(models.ROD_R, models.ROD_ENERGIES[model]):
            got = energies(np.array([r]), *arguments)["gb"][0]
            checks.close(f"{model} at {r}", got, want, 0, 6e-11)
        force = -oracle.gradient(energies, (np.array([r]), *arguments), 0)[0]
        checks.true(f"force of {model}", np.abs(force - models.ROD_FORCES[model]).max() < 6e-7)


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
                        for source in (models.shipped(name), text))
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
        frames = [oracle.turned(frames[k], move[:, 3 * k + 3:3 * k + 6]) for k in range(2)]
    u = sum(energies(r, *frames).values())
    return u.min(), np.linalg.norm(r[u.argmin()])


def dimers(checks):
    for model, (depth, distance) in models.DIMER.items():
        u, r = minimum(oracle.pair_of(models.water(model, **FAR), "W", "W"))
        checks.close(f"{model} dimer", u / CALORIE, depth, 0, 1e-4)
        checks.close(f"{model} dimer, distance", r * 10, distance, 0, 2e-4)


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
        state.frame = oracle.turned(axes, sign * angles)
        ends.append(sum(oracle.evaluate(state).energy.values()))
    work = total.torque * angles
    checks.close("torques by differences", (ends[1] - ends[0]) / 2, work.sum(), 0,
                 1e-6 * np.abs(work).sum())
    for k in range(3):
        stretched = slope(lambda sign: {"box": given["box"] * (1 + sign * 1e-6 * np.eye(3)[k])})
        checks.close("virial by differences", -stretched / 1e-6, total.virial[k, k], 0,
                     1e-6 * np.abs(total.virial).max())


def truncations(checks):
    """Energy and force end at the cutoff as each truncation promises."""
    text = models.SEVEN.replace("electrostatics: {truncation: shifted_force}", "electrostatics: %s")
    text = text.replace("truncation: stoddard_ford", "truncation: %s")
    frames = [oracle.frames([q]) for q in models.WATER_TURNS]
    r = np.array([[0.48, -0.6, 0.64]]) * (1 - 1e-9)
    for lj, charges in itertools.product(("cut", "force_shift", "stoddard_ford", "switch"),
                                         ("shifted_force", "switch", "reaction_field")):
        ff = yaml.safe_load(text % (lj, "{truncation: %s}" % charges))
        ff["pair"].update(switch_from=0.9, classes=[])
        for a, b in ("QD", "QQ", "DD", "WW", "WP", "RM", "EW"):
            if charges != "shifted_force" and {a, b} & {"Q", "E"}:
                continue
            p = oracle.parameters(ff, a, b)
            arguments = r * p.cutoff, *frames
            energies = oracle.pair_energies(p, *arguments)
            for term, value in energies.items():
                if (term, lj) == ("lj", "cut"):
                    continue
                slope = oracle.gradient(lambda *x: {term: oracle.pair_energies(p, *x)[term]},
                                        arguments, 0)
                what = f"{a}-{b} {term} at the cutoff, {lj}, {charges}"
                checks.true(what, abs(value[0]) < 1e-7, value)
                if term != "gb":
                    checks.true(what + ", slope", np.abs(slope).max() < 1e-6, slope)


def limits(checks):
    """Unlike ellipsoids of equal shapes are like ones; one that is nearly a sphere is one."""
    text = models.UNLIKE % (3, 5, "geometric", 2, 1)
    text = text.replace("epsilon: 1.7, sigma: 1.2", "epsilon: 1, sigma: 1")
    frames = [oracle.frames([states.turn_to(axis)]) for axis in models.ROD_AXES]
    r = np.array([[1.4, 0.6, -1.3]])
    like, unlike = (oracle.pair_of(text, *ab)(r, *frames)["gb"][0] for ab in ("AA", "AB"))
    checks.close("unlike ellipsoids of equal shapes", unlike, like, 1e-14)
    text = models.UNLIKE % (1 + 1e-7, 5, "geometric", 2, 1)
    text = text.replace("sigma: 1.2", "sigma: 0.9")
    size = [oracle.parameters(yaml.safe_load(text), "A", name).gb.size for name in "BS"]
    checks.true("a sphere is the limit of an ellipsoid", np.allclose(*size, 0, 1e-6), size)


def unlike_contacts(checks):
    """Two unlike ellipsoids touch where the Gaussian overlap says: with axes along or across r at the
    root of the sum of squares of their half lengths; parallel, end to end they hold each other
    ((e_1 + e_2) / 2)^mu times as strongly as side by side, e = kappa_prime^(-1 / mu)."""
    mu, kappa, prime, sigma = 3, (3, 0.4), (5, 0.2), (1, 1.2)
    text = models.UNLIKE % (kappa[1], prime[1], "geometric", mu, 1)
    energies = oracle.pair_of(text.replace("cutoff: 4", "cutoff: 100000"), "A", "B")
    s0 = ((sigma[0]**2 + sigma[1]**2) / 2)**0.5
    depth = []
    for axes, lengths in (((Z, Z), kappa), ((Z, X), (kappa[0], 1)), ((X, Z), (1, kappa[1])),
                          ((X, X), (1, 1))):
        touch = (sum((k * s)**2 for k, s in zip(lengths, sigma)) / 2)**0.5
        frames = [oracle.frames([states.turn_to(axis)]) for axis in axes]
        at = [energies(np.array([[0, 0, d]]), *frames)["gb"][0]
              for d in (touch, touch + s0 * (2**(1 / 6) - 1))]
        checks.close(f"unlike ellipsoids along {axes} touch", at[0], 0, 0, 1e-12)
        depth.append(at[1])
    end = [p**(-1 / mu) for p in prime]
    checks.close("wells of unlike ellipsoids", depth[0] / depth[3], (sum(end) / 2)**mu, 1e-12)


def main():
    checks = Checks()
    golden_water(checks)
    golden_rods(checks)
    truncations(checks)
    limits(checks)
    unlike_contacts(checks)
    shipped_numbers(checks)
    dimers(checks)
    differences(checks)
    checks.end()


main()
