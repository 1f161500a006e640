"""Observables and maps in oblique boxes: of the same membrane in a rectangular box and in boxes with vectors aside
(oblique.py), in the middle and across the boundary, at constant volume and under a barostat; spectra of undulations
against transforms over the oblique lattice; maps against sums; what needs a rectangular box is refused."""
import os
import tempfile

from run_lamella import Checks, run, skip, write

try:
    import h5py
    import numpy as np

    import oblique
    import oracle_frames
    import trial
except ImportError as missing:
    skip(str(missing))

BILAYER = """
forcefield: elba
seed: 3
temperature: 303
bilayer: {upper: {DOPC: 6, DOPE: 6}, lower: {DOPC: 7, DOPE: 5}, water_per_lipid: 12, area_per_lipid: 0.74}
minimise: {max_steps: 300, force: 2000}
"""
GRID, FAR = 10, 3.5
OBSERVE = """
observe:
  - membrane: {every: 5}
  - density: {every: 5, bins: 40}
  - potential: {every: 10, bins: 37}
  - pressure: {every: 10, bins: 25}
  - order: {every: 5}
  - rdf: {every: 10, pairs: [[W, W], [P, T]], range: 1.3, bins: 52}
  - rdf: {every: 10, name: plane, pairs: [[P, P], [E, T]], range: 1.25, bins: 25, in_plane: yes}
  - msd: {every: 5, fit_from: 0.01, fit_to: 0.05}
  - msd: {every: 5, name: water, molecules: [W]}
  - rotation: {every: 5}
  - temperature: {every: 5}
  - leaflets: {every: 10, range: 1.1}
  - leaflets: {every: 20, range: %g, name: first_far}
  - undulation: {every: 20, grid: %d, name: first_waves, fit_to: 3}
""" % (FAR, GRID)
SETTINGS = {"run.steps": 15, "run.dt": 0.004, "run.precision": "double", "run.seed": 5, "neighbor.skin": 0.18,
            "thermostat.type": "none"}
PRESSED = {"barostat.type": "crescale", "barostat.every": 5, "barostat.tau": 0.3}
SHIFT = 0.46  # of the box along z
checks = Checks()


def replicated(folder, shift):
    """2 x 2 x 1 copies of a membrane that is moved along z by a part of the box."""
    small, name = trial.build(folder, "small", BILAYER), f"copies{int(100 * shift)}"
    with h5py.File(small, "r+") as file:
        word = file["beads/position"][:].view(np.uint32)
        word[:, 2] += np.uint32(shift * 2.0**32)
        file["beads/position"][...] = word.view(np.int32)
        file["neighbor_list/step"][...] = -1
    return trial.build(folder, name, f"state: {small}\nreplicate: [2, 2, 1]\n")


def measured(folder, prefix, settings, ranks=1):
    write(os.path.join(folder, prefix + ".yaml"), "output: {prefix: %s, energies_every: 5}\n" % prefix + OBSERVE)
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    run("run", prefix + ".yaml", "--restart=never", *sets, cwd=folder, ranks=ranks)
    found = {}
    with h5py.File(os.path.join(folder, prefix + ".observables.h5")) as file:
        file.visititems(lambda name, item: found.update({name: item[:]}) if isinstance(item, h5py.Dataset) and
                        not name.endswith(("_error", "_time", "label")) else None)
    return found


def agree(what, got, want, bound=1e-6):
    scale = np.nanmax(np.abs(want), initial=0)
    good = got.shape == want.shape and np.allclose(got, want, rtol=0, atol=bound * scale, equal_nan=True)
    checks.true(what, good, got.ravel()[:6], want.ravel()[:6], "of", scale)


def lattices(frame, vectors):
    """Heights of the heads of both leaflets in cells along a and b; empty cells are filled from the sides."""
    place, _, upper, _ = frame.all_heads(("P",))
    rise = oracle_frames.nearest(place[:, 2] - frame.centre()) * frame.box[2]
    cell = (np.linalg.solve(vectors[:2, :2].T, (place[:, :2] * frame.box[:2]).T).T % 1 * GRID).astype(int)
    for side in (True, False):
        total, count = np.zeros((GRID, GRID)), np.zeros((GRID, GRID))
        np.add.at(total, tuple(cell[upper == side].T), rise[upper == side])
        np.add.at(count, tuple(cell[upper == side].T), 1)
        while (count == 0).any():
            filled = np.where(count > 0, total / np.maximum(count, 1), 0)
            turns = [(shift, axis) for shift in (1, -1) for axis in (0, 1)]
            total = np.where(count > 0, total, sum(np.roll(filled, *turn) for turn in turns))
            count = np.where(count > 0, count, sum(np.roll(count > 0, *turn).astype(int) for turn in turns))
        yield total / count


def spectrum(frame, vectors):
    """q, powers of height and thickness of the rows of |n|^2 (n^2 + m^2 -+ n m where b leans by half of a)."""
    n = np.fft.fftfreq(GRID, 1 / GRID)
    nx, ny = np.meshgrid(n, n, indexing="ij")
    lean = np.sign(vectors[1, 0])
    square = np.round(nx**2 + ny**2 - lean * nx * ny).astype(int)
    if lean:
        square[(abs(nx) == GRID / 2) | (abs(ny) == GRID / 2)] = 0
    upper, lower = lattices(frame, vectors)
    wave = 2 * np.pi * np.linalg.norm(np.einsum("kxy,lk->lxy", [nx, ny], np.linalg.inv(vectors[:2, :2])), axis=0)
    power = [frame.box[0] * frame.box[1] / GRID**4 * np.abs(np.fft.fft2(h))**2
             for h in ((upper + lower) / 2, (upper - lower) / 2)]
    rows = [k for k in sorted(set(square.ravel())) if 0 < k <= GRID**2 // 4]
    return [np.array([values[square == k].mean() for k in rows]) for values in (wave, *power)]


def contacts(frame, vectors):
    """Fractions of the contacts of heads by two kinds of lipids, of nearest images, beyond half the box."""
    place, _, upper, kind = frame.all_heads(("P",))
    i, j = np.triu_indices(len(kind), 1)
    i, j = i[upper[i] == upper[j]], j[upper[i] == upper[j]]
    apart = ((place[i] - place[j]) * frame.box)[:, None, :2]
    apart = apart + np.array([m * vectors[0, :2] + n * vectors[1, :2] for m, n in np.ndindex(5, 5)])
    apart = apart - 2 * (vectors[0, :2] + vectors[1, :2])
    near = np.linalg.norm(apart, axis=2).min(axis=1) <= FAR
    low, high = np.minimum(kind[i], kind[j])[near], np.maximum(kind[i], kind[j])[near]
    return np.array([np.mean((low == m) & (high == n)) for m, n in ((0, 0), (0, 1), (1, 1))])


def membranes(folder):
    for shift, halves, settings, ranks in ((0, (1, 1, 1), {}, 2), (SHIFT, (0, 1, -1), PRESSED, 1),
                                           (SHIFT, (-1, -1, 1), PRESSED, 1)):
        start, aside = replicated(folder, shift), os.path.join(folder, "aside.h5")
        vectors, frame = trial.vectors(oblique.convert(start, aside, halves)), oracle_frames.of_state(start)
        want = measured(folder, "rectangular", {**SETTINGS, **settings, "input": start})
        got = measured(folder, "oblique", {**SETTINGS, **settings, "input": aside}, ranks)
        checks.true(f"{halves}: datasets", set(got) == set(want), sorted(set(got) ^ set(want)))
        for name in sorted(set(got) & set(want)):
            if not name.startswith("first"):
                agree(f"{halves}: {name}", got[name], want[name])
        agree(f"{halves}: far contacts", got["first_far/contacts/fraction"], contacts(frame, vectors))
        for name, values in zip(("axis", "height", "thickness"), spectrum(frame, vectors)):
            agree(f"{halves}: {name} of the spectrum", got["first_waves/spectrum/" + name], values)
            if not halves[0]:
                agree(f"{halves}: {name} in both boxes", got["first_waves/spectrum/" + name],
                      want["first_waves/spectrum/" + name])
        if ranks > 1:
            alone = measured(folder, "oblique", {**SETTINGS, **settings, "input": aside})
            checks.true("the same on one rank", all(np.array_equal(alone[name], got[name], equal_nan=True)
                                                    for name in got))


def refused(folder, what, words, *says, more=""):
    if more:
        write(os.path.join(folder, "bad.yaml"), f"input: aside.h5\n{more}\n")
    done = run(*words, cwd=folder, status=None)
    checks.true(what, done.returncode == 2 and all(part in done.stderr for part in says), done.returncode,
                done.stderr[-300:])


def maps(folder):
    """Open boundaries: points of the rectangle around the box, and the sum over all sources. The rest is refused."""
    start, aside = replicated(folder, 0), os.path.join(folder, "aside.h5")
    vectors = trial.vectors(oblique.convert(start, aside, (1, -1, 1)))
    for method in ("direct", "cutoff", "force_field", "full"):
        refused(folder, method, ["map", "aside.h5", "-o", "a.h5", "--method=" + method, "--spacing=0.5"], "rectangular",
                "--boundary=open")
    refused(folder, "ions", ["ions", "aside.h5", "-o", "a.h5", "--add=NA:2"], "rectangular")
    refused(folder, "a range beyond half the box", ["run", "bad.yaml"], "range", "faces",
            more="observe:\n  - rdf: {pairs: [[W, W]], range: 2.85}")
    for kind in ("leaflets", "rdf: {pairs: [[P, P]], in_plane: yes}"):
        refused(folder, kind + " of two bilayers", ["run", "bad.yaml"], "bad.yaml:4", "along z",
                more="output: {bilayers: 2}\nobserve:\n  - " + kind)
    run("map", "aside.h5", "-o", "open.h5", "--method=direct", "--boundary=open", "--spacing=0.9", "--precision=double",
        "--backend=cpu", cwd=folder)
    frame = oracle_frames.of_state(aside)
    place = frame.fraction @ vectors
    with h5py.File(os.path.join(folder, "open.h5")) as file:
        origin, values = file.attrs["origin"], file["potential"][:]
        scale = 138.935458 / file.attrs["relative_permittivity"]
        agree("tilt of the map", file.attrs["tilt"], vectors[[1, 2, 2], [0, 0, 1]])
    low = [min(vectors[1, 0], 0) + min(vectors[2, 0], 0), min(vectors[2, 1], 0), 0]
    high = [vectors[0, 0] + max(vectors[1, 0], 0) + max(vectors[2, 0], 0), vectors[1, 1] + max(vectors[2, 1], 0),
            vectors[2, 2]]
    agree("origin", origin, np.array(low))
    agree("points", np.array(values.shape[::-1]), np.ceil((np.array(high) - low) / 0.9))
    for index in ((0, 0, 0), (3, 2, 1), (1, 5, 4)):
        d = origin + 0.9 * np.array(index[::-1]) - place
        r = np.linalg.norm(d, axis=1)
        want = scale * (frame.charge / r + (frame.dipole * d).sum(axis=1) / r**3).sum()
        checks.close(f"point {index}", values[index], want, 1e-5 * abs(want) + 1e-4)


with tempfile.TemporaryDirectory() as work:
    membranes(work)
    maps(work)
checks.end()
