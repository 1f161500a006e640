"""Oblique boxes. Energies, forces and virial of a rectangular system, copied twice along x and y, in boxes whose tilts
are half an edge and describe the same lattice of images; runs in them with every coupling: the bits of one rank on
any grid of ranks, in two jobs, the energy without thermostat; hexagonal bilayers of the builder, and copies of them."""
import os
import tempfile

import numpy as np

import oblique
import trial
from run_lamella import Checks, energy
from test_clusters import FIELD, LANGEVIN, RUN
from test_clusters import SPEC as CLUSTERS

BILAYER = "seed: 1\ntemperature: 303\nbilayer: {upper: {%s: %d}, lower: {%s: %d}, area_per_lipid: %g, " \
    "water_per_lipid: 12%s}\nminimise: {max_steps: %d, force: 1000}\n"
SYSTEMS = {  # forces of every kind: dipoles, ellipsoids, constraints and virtual sites
    "elba": "forcefield: elba\n" + BILAYER % ("DOPC", 14, "DOPC", 14, 0.7, "", 40),
    "brahms": "forcefield: brahms\n" + BILAYER % ("DOPC", 14, "DOPC", 14, 0.7, "", 40),
    "gb-lipids": "forcefield: gb-lipids\n" + BILAYER % ("DMPC", 14, "DMPC", 14, 0.62, "", 40),
    "clusters": CLUSTERS % (FIELD, 1),
    "ssd": "forcefield: ssde\nseed: 1\nwater: {count: 300, density: 997}\nminimise: {max_steps: 20}\n",
    "gay-berne": "forcefield: gb\nseed: 1\nlattice: {type: fcc, cells: [4, 4, 4], density: 0.25, orientation: random}\n"
                 "minimise: {max_steps: 20}\n"}
TILTS = (1, 0, 0), (0, -1, 1), (-1, 1, -1)
COUPLINGS = "isotropic", "semi_isotropic", "anisotropic", "constant_area", "surface_tension"


def doubled(folder, name):
    """The patch of a system twice along x and y."""
    patch = trial.build(folder, name, SYSTEMS[name]) if name in SYSTEMS else \
        trial.liquid(folder, name, (4, 4, 4), 0.8442, 170, 200)
    return trial.build(folder, name + "_2x2", f"state: {patch}\nreplicate: [2, 2, 1]\n")


def evaluated(path, backend):
    text = path + ".forces"
    got = energy(path, "--precision=double", "--backend=" + backend, "--forces=" + text)
    return got["potential"], np.loadtxt(text)[:, 1:], np.array(got["virial_tensor"])


def equivalent(checks, folder, backend="cpu", tilts=TILTS):
    """Energies, forces, torques and virial do not depend on which box describes the system."""
    for name in (*SYSTEMS, "liquid"):
        start = doubled(folder, name)
        want = evaluated(start, backend)
        for tilt in tilts:
            got = evaluated(oblique.convert(start, os.path.join(folder, "tilted.h5"), tilt), backend)
            for what, a, b, tolerance in zip(("energy", "forces", "virial"), got, want, (1e-8, 1e-6, 1e-7)):
                off, scale = np.abs(np.subtract(a, b)).max(), np.abs(b).max()
                checks.true(f"{name}, tilt {tilt}: {what}", scale > 0 and off <= tolerance * scale, off, scale)


def moving(folder):
    """Clusters in an oblique box, warm and in disorder."""
    patch = trial.warm(folder, "warm", trial.build(folder, "clusters", SYSTEMS["clusters"]),
                       {"run.steps": 100, **RUN, **LANGEVIN})
    copies = trial.build(folder, "warm_2x2", f"state: {patch}\nreplicate: [2, 2, 1]\ntemperature: 300\n")
    return oblique.convert(copies, os.path.join(folder, "moving.h5"), (1, -1, 1))


def same_bits(checks, folder, start, backend="cpu", grids=("2x1", "1x2", "3x1", "2x2"), ranks=4):
    """With every coupling, on any grid of ranks, and in two jobs."""
    common = {**RUN, **LANGEVIN, "input": start, "run.steps": 40, "parallel.backend": backend, "neighbor.skin": 0.08,
              "output.energies_every": 20, "output.frames_every": 20, "barostat.type": "crescale", "barostat.every": 5,
              "barostat.tau": 0.5}
    for coupling in COUPLINGS:
        how, box = {**common, "barostat.coupling": coupling}, trial.vectors(start)
        trial.simulate(folder, "one", {**how, "parallel.grid": "1x1"})
        one = trial.checkpoint(folder, "one")
        now = trial.vectors(one)
        stretch = np.diag(now) / np.diag(box)
        checks.true(coupling + ": the box moves and keeps its shape",
                    np.abs(stretch - 1).max() > 1e-6 and np.allclose(now, box * stretch, 1e-12, 0), stretch)
        for grid in grids if coupling == "semi_isotropic" else grids[-1:]:
            n = int(np.prod([int(word) for word in grid.split("x")]))
            if n > ranks:
                continue
            trial.simulate(folder, "more", {**how, "parallel.grid": grid}, ranks=n)
            wrong = trial.differences(one, trial.checkpoint(folder, "more"))
            checks.true(f"{coupling}: the state on {grid} ranks", not wrong, wrong)
    trial.simulate(folder, "parts", {**how, "run.steps": 17})
    trial.simulate(folder, "parts", {**how, "parallel.grid": "auto"}, "auto", ranks=2)
    wrong = trial.differences(one, trial.checkpoint(folder, "parts"))
    checks.true("the state after two jobs", not wrong, wrong)


def conserves(checks, folder, backend="cpu"):
    """The total energy in the oblique box wanders as little as in the equivalent rectangular one."""
    flat = trial.build(folder, "hot", f"state: {doubled(folder, 'liquid')}\ntemperature: 170\n")
    spread = []
    for start in flat, oblique.convert(flat, os.path.join(folder, "liquid_tilted.h5"), (1, 1, -1)):
        trial.simulate(folder, "nve", {"input": start, "run.steps": 300, "run.dt": 0.004, "output.energies_every": 10,
                                       "run.precision": "double", "parallel.backend": backend})
        seen = trial.columns(folder, "nve")
        spread.append(np.std(seen["conserved"]) / np.std(seen["kinetic"]))
    checks.true("the energy is conserved", spread[1] < 0.05 and spread[1] < 2 * spread[0], spread)


def hexagonal(checks, folder):
    """A hexagonal bilayer has its shape and area, is minimised, and its copies, whose box is reduced, its energy."""
    spec = "forcefield: elba\n" + BILAYER % ("DOPC", 14, "DOPC", 14, 0.7, ", shape: hexagonal", 200)
    patch = trial.build(folder, "hexagon", spec)
    box = trial.vectors(patch)
    checks.close("area", box[0, 0] * box[1, 1], 14 * 0.7, relative=1e-12)
    checks.close("angle", box[1, 0] / np.linalg.norm(box[1]), 0.5, relative=1e-12)
    checks.close("edges", np.linalg.norm(box[1]), box[0, 0], relative=1e-12)
    want, force, _ = evaluated(patch, "cpu")
    checks.true("minimised", want < 0 and np.abs(force).max() < 20000, want, np.abs(force).max())
    for copies in (1, 3, 2), (2, 4, 1):
        words = f"state: {patch}\nreplicate: [{copies[0]}, {copies[1]}, {copies[2]}]\n"
        state = trial.build(folder, "copies%d%d%d" % copies, words)
        new, (got, forces, _) = trial.vectors(state), evaluated(state, "cpu")
        whole = new @ np.linalg.inv(box)
        checks.true(f"copies {copies}: vectors", np.abs(whole - np.round(whole)).max() < 1e-9 and
                    abs(new[1, 0]) <= 0.5005 * new[0, 0], whole)
        checks.close(f"copies {copies}: energy", got, np.prod(copies) * want, relative=1e-8)
        off = np.abs(forces - np.tile(force, (np.prod(copies), 1))).max()
        checks.true(f"copies {copies}: forces", off < 1e-6 * np.abs(force).max(), off)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        equivalent(checks, folder)
        same_bits(checks, folder, moving(folder))
        conserves(checks, folder)
        hexagonal(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
