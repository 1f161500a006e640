"""The bead models against an evaluator that shares nothing with the program (oracle_beads.py). The
evaluator comes first, against values of pairs that were computed twice and against differences."""
import os
import tempfile

import numpy as np

from run_lamella import Checks, skip

try:
    import yaml

    import bead_models as models
    import oracle_beads as oracle
except ImportError as missing:
    skip(str(missing))

CALORIE = models.CALORIE
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


def minimum(energies, seeds=40, steps=400):
    """Lowest energy and its distance, of pairs that go downhill from random starts (FIRE; lengths in
    0.1 nm, so that they weigh as much as angles)."""
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


def self_test(checks):
    golden_water(checks)
    golden_rods(checks)
    dimers(checks)


def main():
    checks = Checks()
    self_test(checks)
    checks.end()


main()
