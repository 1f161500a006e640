#!/usr/bin/env python3
"""Phases of the Gay-Berne fluid GB(3,5,2,1) at state points of the literature.

    bench/beads/gb_states.py [--backend=cuda] [--steps=N] [--states=iso,nem,...] [-o FOLDER]

NVT (bussi) in reduced units from four kinds of starts: `random`, a lattice with random orientations;
`aligned`, a stretched fcc lattice with all axes along z; `heated`, the aligned one after a run at T* = 3, which
is nematic; `melted`, after a run at T* = 12, which should be isotropic.
Prints for each: S, the largest eigenvalue of the order tensor of a frame, averaged over frames; S', -2 times
the middle one, which is not raised by the finite number of particles; the order of layers, the largest
<|rho_k|>/N over wave vectors k of the box within 40 degrees of the director with periods 1.6 to 4.5, with the
period and the angle between k and director; that of the positions within layers (periods 0.8 to 1.05, more than
75 degrees from the director), pressure and potential energy per particle.
Writes FOLDER/gb_states.md and .json. Errors are standard errors of block averages."""
import itertools
import sys

import numpy as np

import common
from common import BAR, BOLTZMANN, block, number

KELVIN = 1 / BOLTZMANN  # T* = 1

# name: (T*, rho*, start, phase expected). de Miguel, Rull, Chalam and Gubbins, Mol. Phys. 74, 405 (1991), from its
# abstract: isotropic, nematic and smectic B; the nematic is stable only above T* = 0.80, below it the isotropic
# fluid becomes smectic B. From memory: densities of the transition isotropic-nematic, 0.308 and 0.314 at T* = 0.95
# (de Miguel, Rull, Chalam, Gubbins and van Swol, Mol. Phys. 72, 593, 1991); that of the smectic B; the states
# at T* = 1.2 (Mehri, Dyre and Ingebrigtsen, Phys. Rev. E 105, 064703, 2022). A smectic B at constant volume is
# strained by the box (Faraday Trans. 91, 2141, 1995, abstract).
STATES = {
    "iso": (0.95, 0.25, "random", "isotropic"),
    "iso-aligned": (0.95, 0.28, "aligned", "isotropic"),
    "nem": (0.95, 0.33, "aligned", "nematic"),
    "nem-melted": (0.95, 0.33, "melted", "nematic"),
    "cold-iso": (0.70, 0.25, "random", "isotropic"),
    "smb": (0.70, 0.36, "heated", "smectic B"),
    "smb-melted": (0.70, 0.36, "melted", "smectic B"),
    "hot-iso": (1.20, 0.27, "random", "isotropic"),
    "hot-nem": (1.20, 0.33, "aligned", "nematic"),
    "dense-nem": (0.95, 0.34, "aligned", "nematic"),
}
DEFAULT = ["iso", "iso-aligned", "nem", "nem-melted", "cold-iso", "smb", "smb-melted"]
HEAT = {"heated": 3.0, "melted": 12.0}  # T* of the run before


def thermostat(kind, t, tau):
    return {"type": kind, "temperature": t * KELVIN, "tau": tau}


def simulate(a, folder, name, state):
    t, rho, start, _ = state
    aligned = start != "random"
    cells = a.aligned if aligned else a.random
    spec = {"forcefield": "gb", "seed": a.seed, "temperature": t * KELVIN,
            "lattice": {"type": "fcc", "cells": cells, "density": rho,
                        "orientation": "aligned" if aligned else "random"},
            "minimise": {"max_steps": 200, "force": 100}}
    base = {"neighbor": {"skin": 0.4}}
    state = common.build(folder, f"{name}-start", spec)
    melted = None
    if start in HEAT:
        state, _ = common.run(a, folder, f"{name}-melt", {
            **base, "input": state, "run": {"steps": a.melt, "dt": 0.0005},
            "thermostat": thermostat("langevin", HEAT[start], 0.5),
            "output": {"energies_every": 0, "frames_every": a.melt}})
        axes = common.Trajectory(f"{folder}/{name}-melt").value("orientation", slice(-1, None))
        melted = order(axes.astype(float))[0][-1, 2]
        state, _ = common.run(a, folder, f"{name}-cool", {
            **base, "input": state, "run": {"steps": a.melt // 4, "dt": 0.0005},
            "thermostat": thermostat("langevin", t, 0.2), "output": {"energies_every": 0}})
    state, _ = common.run(a, folder, f"{name}-equil", {
        **base, "input": state, "run": {"steps": a.equilibrate, "dt": a.dt},
        "thermostat": thermostat("langevin", t, 1.0), "output": {"energies_every": 100}})
    _, report = common.run(a, folder, name, {
        **base, "input": state,
        "run": {"steps": a.steps, "dt": a.dt, "momentum_every": 100},
        "thermostat": thermostat("bussi", t, 1.0),
        "output": {"energies_every": 50, "frames_every": max(1, a.steps // a.frames)}})
    return melted, report


def order(u):
    """Eigenvalues, ascending, and eigenvectors of the order tensor of each frame."""
    q = 1.5 * np.einsum("fba,fbc->fac", u, u) / u.shape[1] - 0.5 * np.eye(3)
    return np.linalg.eigh(q)


def wave_vectors(edge, director, shortest, longest, angles):
    """k of the box (one of k and -k) with periods and angles to the director within limits, degrees."""
    most = np.floor(edge / shortest).astype(int)
    n = np.array(list(itertools.product(range(-most[0], most[0] + 1), range(-most[1], most[1] + 1),
                                        range(0, most[2] + 1))))
    k = 2 * np.pi * n / edge
    length = np.sqrt((k**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.degrees(np.arccos(np.clip(np.abs(k @ director) / length, 0, 1)))
        inside = (2 * np.pi / length >= shortest) & (2 * np.pi / length <= longest)
    chosen = inside & (angle >= angles[0]) & (angle <= angles[1])
    return n[chosen], 2 * np.pi / length[chosen], angle[chosen]


def amplitudes(x, edge, n):
    """|rho_k| / N of each frame and wave number n: from powers of exp(2 pi i x / L)."""
    result = np.empty((len(x), len(n)))
    for f, frame in enumerate(x):
        phase = np.exp(2j * np.pi * frame / edge)
        tables = []
        for axis in range(3):
            powers = np.arange(n[:, axis].min(), n[:, axis].max() + 1)
            tables.append((phase[:, axis, None]**powers, n[:, axis] - powers[0]))
        result[f] = np.abs(sums(tables, len(n))) / len(frame)
    return result


def sums(tables, count, chunk=256):
    """Sum over particles of products of three powers, for each wave vector."""
    out = np.empty(count, complex)
    (x, i), (y, j), (z, k) = tables
    for first in range(0, count, chunk):
        part = slice(first, first + chunk)
        out[part] = np.einsum("nk,nk,nk->k", x[:, i[part]], y[:, j[part]], z[:, k[part]])
    return out


def strongest(trajectory, director, frames, **limits):
    """The largest mean amplitude over wave vectors, its error, period and angle."""
    n, period, angle = wave_vectors(trajectory.edges[0], director, **limits)
    chosen = np.unique(np.linspace(0, trajectory.frames - 1, frames).astype(int))
    values = amplitudes(trajectory.value("position", chosen).astype(float), trajectory.edges[0], n)
    best = values.mean(axis=0).argmax()
    return {"amplitude": block(values[:, best], 5), "period": period[best], "angle": angle[best],
            "noise": np.sqrt(np.pi / 4 / trajectory.beads)}


def analyse(a, folder, name):
    trajectory = common.Trajectory(f"{folder}/{name}")
    u = trajectory.value("orientation").astype(float)
    values, vectors = order(u)
    mean = np.einsum("fa,fb->ab", vectors[:, :, 2], vectors[:, :, 2])
    director = np.linalg.eigh(mean)[1][:, 2]
    data = common.read_csv(f"{folder}/{name}.csv")
    return {"S": block(values[:, 2]), "S2": block(-2 * values[:, 1]),
            "S_drift": common.drift(trajectory.time, values[:, 2]), "director": director,
            "layers": strongest(trajectory, director, a.structure, shortest=1.6, longest=4.5, angles=(0, 40)),
            "inplane": strongest(trajectory, director, a.structure // 4 + 1, shortest=0.8, longest=1.05,
                                 angles=(75, 90)),
            "pressure": block(data["pressure_bar"] / BAR), "energy": block(data["potential"] / trajectory.beads),
            "temperature": block(data["temperature_K"] / KELVIN), "particles": trajectory.beads,
            "edges": trajectory.edges[0]}


def phase(result):
    """A word for what was found, from the order parameters."""
    if result["S"][0] < 0.3:
        return "isotropic"
    if result["layers"]["amplitude"][0] < 0.3:
        return "nematic"
    return "smectic B or crystal" if result["inplane"]["amplitude"][0] > 0.1 else "smectic"


def report(a, results):
    rows = []
    for name, r in results.items():
        t, rho, start, expected = STATES[name]
        layers, inplane = r["layers"], r["inplane"]
        rows.append([t, rho, start, expected, phase(r), number(*r["S"], 3), number(*r["S2"], 3),
                     number(*layers["amplitude"], 3), f"{layers['period']:.2f}", f"{layers['angle']:.0f}",
                     number(*inplane["amplitude"], 3), number(*r["pressure"], 3), number(*r["energy"], 3)])
    head = ["T*", "rho*", "start", "expected", "found", "S", "S'", "layers", "period", "angle", "in plane", "P*",
            "U*/N"]
    return "\n".join([
        f"GB(3,5,2,1), cutoff 4, dt {a.dt:g}, {a.equilibrate} steps of equilibration (langevin) and {a.steps} of "
        f"measurement (bussi), {a.precision}; " + ", ".join(f"{n}: {r['particles']}" for n, r in results.items())
        + " particles.", "", common.table(head, rows), "",
        "Expected: de Miguel, Rull, Chalam and Gubbins, Mol. Phys. 74, 405 (1991): isotropic, nematic and smectic B,",
        "nematic only above T* = 0.80. From memory: isotropic-nematic at T* = 0.95 near rho* 0.308 to 0.314,",
        "and the density of the smectic B.",
        "S after heating: " + (", ".join(f"{n} {r['melted']:.2f}" for n, r in results.items()
                                         if r["melted"] is not None) or "-")])


def main():
    p = common.parser(__doc__, "gb_states")
    p.add_argument("--states", help="of " + ",".join(STATES) + " [%s; small: iso,nem]" % ",".join(DEFAULT))
    p.add_argument("--steps", type=int, help="of measurement [200000; small: 3000]")
    p.add_argument("--equilibrate", type=int, help="[100000; small: 2000]")
    p.add_argument("--melt", type=int, help="steps of heating [60000; small: 2000]")
    p.add_argument("--dt", type=float, default=0.002, help="[%(default)s]")
    p.add_argument("--frames", type=int, help="[300; small: 60]")
    a = p.parse_args()
    a.steps = a.steps or (3000 if a.small else 200000)
    a.equilibrate = a.equilibrate or (2000 if a.small else 100000)
    a.melt = a.melt or (2000 if a.small else 60000)
    a.frames = a.frames or (60 if a.small else 300)
    a.structure = 12 if a.small else 60
    a.aligned, a.random = ([6, 6, 3], [6, 6, 6]) if a.small else ([12, 12, 4], [7, 7, 7])
    folder = common.prepare(a)
    results = {}
    for name in (a.states or ("iso,nem" if a.small else ",".join(DEFAULT))).split(","):
        common.say(name)
        melted, performance = simulate(a, folder, name, STATES[name])
        results[name] = {**analyse(a, folder, name), "melted": melted, "ms_per_step": performance["ms_per_step"]}
        text = report(a, results)
        (folder / "gb_states.md").write_text(text + "\n", encoding="utf-8")
        common.write_json(folder / "gb_states.json", {"options": vars(a), "results": results})
        if not a.keep:
            common.remove(folder, name, f"{name}-melt")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
