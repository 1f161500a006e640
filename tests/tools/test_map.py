"""Maps of the electrostatic potential against known potentials and brute force over all pairs
(oracle_map.py), in both precisions, with both sums, on several ranks; frames; files; wrong input."""
import os
import re
import sys
import tempfile

from run_lamella import Checks, run, skip, write

try:
    import h5py
    import numpy as np

    import oracle_map
    import trial
except ImportError as missing:
    skip(str(missing))

C = oracle_map.COULOMB
BILAYER = """
forcefield: elba
seed: 3
temperature: 303
bilayer: {upper: {DOPC: 8, DOPE: 5}, lower: {DOPC: 7, DOPE: 6}, water_per_lipid: 12,
          area_per_lipid: 0.68}
minimise: {max_steps: 200, force: 3000}
"""
WATER = "{forcefield: elba, seed: 1, water: {count: %d, density: %g}}"
FLOAT, DOUBLE = 2.0**-24, 1e-12  # rounding, in parts of the sum of absolute terms
# Largest errors of single precision in Table 2 of Rodrigues et al. (2008), SmallBin and SmallBin-
# CompSum: relative to |V| where it is above 1e-4, and absolute; read as e per angstrom.
PAPER = {"plain": (0.8715e-2, 1.985e-4 * 10 * C), "compensated": (0.5710e-2, 1.579e-4 * 10 * C)}
PAPER_FROM = 1e-4 * 10 * C


class Map:
    """A map file (HDF5) as `lamella map` writes it."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            data = file["potential"]
            self.raw, self.value = data[:], data[:].astype(float)
            self.deviation = file["deviation"][:].astype(float) if "deviation" in file else None
            self.attributes = {**file.attrs, **data.attrs}
        self.origin, self.spacing = (np.array(self.attributes[k], float) for k in ("origin", "spacing"))
        self.n = np.array(self.value.shape[::-1])

    def axis(self, k):
        return self.origin[k] + np.arange(self.n[k]) * self.spacing[k]

    def points(self):
        """[z, y, x] flattened, as value.ravel()."""
        z, y, x = np.meshgrid(*(self.axis(k) for k in (2, 1, 0)), indexing="ij")
        return np.stack([x, y, z], -1).reshape(-1, 3)


def make(folder, source, *options, name="map.h5", ranks=1):
    path = os.path.join(folder, name)
    run("map", source, "-o", path, "--backend=cpu", *options, ranks=ranks)
    return Map(path)


def write_pqr(folder, name, sources):
    path = os.path.join(folder, name + ".pqr")
    with open(path, "w") as file:
        file.write("REMARK  charges and angstroms\n")
        for k, (x, q) in enumerate(zip(sources.position * 10, sources.charge)):
            file.write(f"ATOM {k + 1} X MOL {k // 3 + 1} {x[0]:.6f} {x[1]:.6f} {x[2]:.6f} {q:.8f} 1.0\n")
        file.write("END\n")
    return path


def extent(low, high):
    return (f"--low={','.join(f'{x:.6f}' for x in low)}", f"--high={','.join(f'{x:.6f}' for x in high)}")


def place_dipole(path, position, direction):
    """The only bead of a state at a position, its dipole in a direction."""
    with h5py.File(path, "r") as file:
        box = file["system/box"][:]
    trial.place(path, box, [position])
    u = np.asarray(direction, float) / np.linalg.norm(direction)
    q = np.array([1 + u[2], -u[1], u[0], 0])  # turns z to u
    with h5py.File(path, "r+") as file:
        file["beads/orientation"][:] = q / np.linalg.norm(q)


# ---------------------------------------------------------------- known potentials

def check_charge(checks, folder):
    """A charge of 0.5 e: values along all directions, at the cutoff, beyond it and on the charge."""
    one = write_pqr(folder, "one", oracle_map.Sources([[0, 0, 0]], 0.5))
    box = extent([-1.5] * 3, [1.5] * 3)
    for method in ("direct", "cutoff"):
        got = make(folder, one, f"--method={method}", "--cutoff=1.0", "--spacing=0.25",
                   "--precision=double", *box)
        checks.true(f"charge {method}: lattice", tuple(got.n) == (13, 13, 13), got.n)
        r = np.maximum(np.linalg.norm(got.points(), axis=1), 1e-3)
        want = 0.5 * C / r
        if method == "cutoff":
            want *= np.where(r < 1, (1 - r * r)**2, 0)
            beyond = r > 1 + 1e-6
            checks.true("charge cutoff: zero beyond the cutoff", beyond.sum() > 500 and
                        (got.value.ravel()[beyond] == 0).all())
        error = abs(got.value.ravel() - want) / np.maximum(abs(want), 1e-3)
        checks.true(f"charge {method}", error.max() < 1e-6, error.max())
        factor = (1 - 1e-6)**2 if method == "cutoff" else 1
        checks.close(f"charge {method}: on it", got.value[6, 6, 6], factor * 0.5 * C / 1e-3, 1e-9)


def check_dipole(checks, folder):
    """A dipole: C p cos/r^2, and times the factor of the cutoff; minus the slope of that of a charge."""
    state = trial.build(folder, "dipole", WATER % (1, 1))
    with h5py.File(state, "r") as file:
        edge = file["system/box"][0]
    middle, direction = np.array([0.5, 0.5, 0.5]) * edge, np.array([0.48, -0.6, 0.64])
    place_dipole(state, middle, direction)
    for method in ("direct", "cutoff"):
        got = make(folder, state, f"--method={method}", "--cutoff=1.1", "--spacing=0.3",
                   "--boundary=open", "--precision=double")
        d = got.points() - middle
        r = np.linalg.norm(d, axis=1)
        want = C * 0.054132 * (d @ direction) / r**3
        if method == "cutoff":
            x2 = (r / 1.1)**2
            want *= np.where(x2 < 1, (1 - x2) * (1 + 3 * x2), 0)
        error = abs(got.value.ravel() - want)
        checks.true(f"dipole {method}", (error < 1e-6 * C * 0.054132 / r**2).all(), error.max())


def check_ring_and_shell(checks, folder):
    ring = write_pqr(folder, "ring", oracle_map.ring(64, 0.8, 2.0))
    got = make(folder, ring, "--method=direct", "--spacing=0.1", "--precision=double",
               *extent([0, 0, -1.5], [0, 0, 1.5]))
    want = 2 * C / np.sqrt(0.8**2 + got.axis(2)**2)
    error = abs(got.value[:, 0, 0] / want - 1).max()
    checks.true("ring, on its axis", len(want) == 31 and error < 1e-6, len(want), error)
    # Potentials of a shell of n charges end evenly within about the distance of neighbours, 0.08 nm.
    shell = write_pqr(folder, "shell", oracle_map.shell(4000, 1.5, 2.0))
    got = make(folder, shell, "--method=direct", "--spacing=0.3", "--precision=double",
               *extent([-2.4] * 3, [2.4] * 3))
    r = np.linalg.norm(got.points(), axis=1)
    value = got.value.ravel()
    inside, outside = r < 1.2, r > 1.8
    error = abs(value[inside] / (2 * C / 1.5) - 1).max()
    checks.true("inside a shell", inside.sum() > 100 and error < 2e-3, error)
    error = abs(value[outside] * r[outside] / (2 * C) - 1).max()
    checks.true("outside a shell", outside.sum() > 100 and error < 2e-3, error)


def check_profile(checks, folder, state):
    """Mean over x and y of the potential of charges with a cutoff, at planes away from the charges."""
    sources, box = oracle_map.of_state(state)
    got = make(folder, state, "--types=C,P,A", "--spacing=0.04", "--precision=double")
    z = got.axis(2)
    charges = sources.only("C", "P", "A")
    gap = z[:, None] - charges.position[None, :, 2]
    gap = abs(gap - box[2] * np.rint(gap / box[2])).min(1)
    want = oracle_map.cutoff_profile(z, charges, box, 1.2)
    error = abs(got.value.mean((1, 2)) - want)[gap > 0.05]
    checks.true("profile against the integral over sheets", len(error) > 20 and
                error.max() < 2e-4 * abs(want).max(), len(error), error.max(), abs(want).max())


# ---------------------------------------------------------------- brute force

def agree(checks, what, got, want, rounding, edge):
    """The tolerance: rounding of the terms, and of positions to 2^-32 of the torus."""
    limit = rounding * want.size + want.slope * edge * 2.0**-31 + 1e-9
    error = abs(got - want.value)
    checks.true(what, (error <= limit).all(), "error", error.max(), "in tolerances", (error / limit).max())


def check_state(checks, folder, state):
    sources, box = oracle_map.of_state(state)
    field = ("--spacing=0.25",)
    for boundary in ("periodic", "open"):
        images = box if boundary == "periodic" else None
        edge = box.max() if boundary == "periodic" else 8 * box.max()
        for method in ("direct", "cutoff", "force_field"):
            cutoff = ("--cutoff=1.1",) if method == "cutoff" else ()
            want = None
            for precision, total, rounding in (("double", "plain", DOUBLE),
                                               ("double", "compensated", DOUBLE),
                                               ("float", "plain", 24 * FLOAT),
                                               ("float", "compensated", 8 * FLOAT)):
                got = make(folder, state, f"--method={method}", f"--boundary={boundary}", *cutoff,
                           f"--precision={precision}", f"--sum={total}", *field)
                if want is None:
                    want = oracle_map.potential(got.points(), sources, method,
                                                1.1 if method == "cutoff" else 1.2, images)
                    scale = np.sqrt((want.value**2).mean())
                    checks.true(f"{method} {boundary}: not nothing", scale > 1, scale)
                agree(checks, f"{boundary} {method} {precision} {total}", got.value.ravel(), want, rounding,
                      edge)
                kind = got.raw.dtype
                checks.true(f"{precision} in the file", kind == (np.float32 if precision == "float"
                                                                 else np.float64), kind)


def check_types(checks, folder, state):
    sources, box = oracle_map.of_state(state)
    for types in (("P",), ("W", "E"), ("C", "P", "G", "T")):
        got = make(folder, state, "--types=" + ",".join(types), "--spacing=0.3", "--precision=double")
        want = oracle_map.potential(got.points(), sources.only(*types), "cutoff", 1.2, box)
        agree(checks, f"types {types}", got.value.ravel(), want, DOUBLE, box.max())


def check_lattice(checks, folder, state):
    """Spacing that fits the box, given extents, boundaries by default, and what the file says."""
    sources, box = oracle_map.of_state(state)
    got = make(folder, state, "--spacing=0.21")
    n = np.rint(box / 0.21)
    checks.true("points of the whole box", (got.n == n).all(), got.n, n)
    checks.true("spacing fits the box", abs(got.spacing - box / n).max() < 1e-12, got.spacing, box / n)
    checks.true("origin", (got.origin == 0).all(), got.origin)
    text = {k: v.decode() if isinstance(v, bytes) else v for k, v in got.attributes.items()}
    for key, value in (("method", "cutoff"), ("boundary", "periodic"), ("precision", "float"),
                       ("sum", "plain"), ("format", "lamella map")):
        checks.true(f"attribute {key}", str(text.get(key)) == value, text.get(key))
    checks.close("attribute cutoff", float(np.ravel(text["cutoff"])[0]), 1.2)
    checks.close("volts", float(np.ravel(text["volt_per_unit"])[0]), oracle_map.VOLT, 1e-9)
    part = make(folder, state, "--spacing=0.2", "--boundary=open", "--precision=double",
                *extent([0.1, 0.2, -0.4], [0.9, 1.2, 0.8]))
    checks.true("points from low to high", tuple(part.n) == (5, 6, 7), part.n)
    checks.true("spacing as asked for", abs(part.spacing - 0.2).max() < 1e-12, part.spacing)
    checks.true("from low", abs(part.origin - [0.1, 0.2, -0.4]).max() < 1e-12, part.origin)
    want = oracle_map.potential(part.points(), sources, "cutoff", 1.2)
    agree(checks, "a part, open", part.value.ravel(), want, DOUBLE, 8 * box.max())
    part = make(folder, state, "--spacing=0.2", "--precision=double",
                *extent([0.1, 0.2, 0.4], [0.9, 1.2, 1.8]))
    want = oracle_map.potential(part.points(), sources, "cutoff", 1.2, box)
    agree(checks, "a part, periodic", part.value.ravel(), want, DOUBLE, box.max())
    pqr = make(folder, write_pqr(folder, "three", oracle_map.Sources(
        [[0.1, 0.2, 0.3], [1.1, 0.2, 0.3], [0.6, 0.8, 0.5]], [1, -1, 0.25])), "--spacing=0.1")
    checks.true("extent of the sources", tuple(pqr.n) == (11, 7, 3), pqr.n)
    said = pqr.attributes["boundary"]
    checks.true("open without a box", (said.decode() if isinstance(said, bytes) else said) == "open", said)


def paper_sum(points, sources, cutoff):
    """Method cutoff as the kernels of Rodrigues et al. compute it: coordinates in single precision,
    a sum in single precision in the order of bins of 0.4 nm."""
    order = np.lexsort((sources.position // 0.4).astype(int).T)
    x, q = sources.position[order].astype(np.float32), sources.charge[order].astype(np.float32)
    value, c2 = np.empty(len(points), np.float32), np.float32(1 / cutoff**2)
    for k, point in enumerate(points.astype(np.float32)):
        d = point - x
        r2 = (d * d).sum(1)
        near = r2 < np.float32(cutoff**2)
        s = np.float32(1) - r2[near] * c2
        value[k] = np.add.accumulate(q[near] / np.sqrt(r2[near]) * s * s)[-1]
    return value.astype(float) * C


def check_errors(checks, folder):
    """Errors of single precision in a corner of the box of Rodrigues et al.: 96,600 atoms of water in
    1000 nm3, spacing 0.05 nm, cutoff 1.2 nm."""
    sources = oracle_map.water_box(10.0)
    near = (sources.position > 5.7).all(1)
    part = oracle_map.Sources(np.round(sources.position[near], 7), sources.charge[near])
    pqr = write_pqr(folder, "water", sources)
    common = ("--cutoff=1.2", "--spacing=0.05", *extent([7] * 3, [10] * 3))
    exact = make(folder, pqr, *common, "--precision=double")
    points, random = exact.points(), np.random.default_rng(2)
    some = random.choice(len(points), 1500, replace=False)
    want = oracle_map.potential(points[some], part, "cutoff", 1.2)
    agree(checks, "water", exact.value.ravel()[some], want, DOUBLE, 60)
    large, off = abs(exact.value) > PAPER_FROM, {}
    for total, (relative, absolute) in PAPER.items():
        got = make(folder, pqr, *common, f"--sum={total}")
        off[total] = abs(got.value - exact.value)
        largest = (off[total] / abs(exact.value))[large].max()
        checks.true(f"{total}: largest relative error of the paper", largest < relative, largest)
        # A point may lie nearer to an atom than any of the paper's did.
        largest = off[total][abs(exact.value) < 100 * C].max()
        checks.true(f"{total}: largest absolute error of the paper", largest < absolute, largest)
    checks.true("compensated sums err less", (off["compensated"]**2).mean() < (off["plain"]**2).mean())
    theirs = abs(paper_sum(points[some], part, 1.2) - want.value)
    ours = off["compensated"].ravel()[some]
    for what, kind in (("largest", np.max), ("mean", np.mean), ("median", np.median)):
        checks.true(f"{what} error at most a fifth of plain float", kind(ours) < 0.2 * kind(theirs),
                    kind(ours), kind(theirs))


# ---------------------------------------------------------------- frames, ranks, files

def check_frames(checks, folder, state):
    """A trajectory in NPT: mean and deviation over frames, some of the frames, points that follow
    the box."""
    trial.simulate(folder, "npt", {"input": state, "run.steps": 80, "run.dt": 0.004,
                                   "thermostat.type": "langevin", "barostat.type": "crescale",
                                   "barostat.tau": 0.1, "barostat.every": 10,
                                   "output.frames_every": 20})
    path = os.path.join(folder, "npt.h5md")
    with h5py.File(path, "r") as file:
        group = file["particles/trajectory"]
        names = list(oracle_map.oracle.State(state).names)
        frames = [oracle_map.of_frame(group, k, names) for k in range(len(group["position/step"]))]
    boxes = np.array([box for _, box in frames])
    checks.true("boxes differ", np.ptp(boxes, axis=0).min() > 1e-4, boxes)
    for first, last in ((1, len(frames)), (2, 4)):  # counted from 1
        got = make(folder, path, "--spacing=0.3", "--precision=double", f"--first={first}",
                   f"--last={last}")
        n = np.rint(boxes[first - 1] / 0.3)
        checks.true("points by the first frame", (got.n == n).all(), got.n, n)
        results = []
        for sources, box in frames[first - 1:last]:
            grid = np.stack(np.meshgrid(*(np.arange(m) * e / m for m, e in zip(n[::-1], box[::-1])),
                                        indexing="ij")[::-1], -1)
            results.append(oracle_map.potential(grid.reshape(-1, 3), sources, "cutoff", 1.2, box))
        values = np.array([r.value for r in results])
        limit = max(r.size.max() for r in results) * 1e-5
        what = f"frames {first} to {last}"
        error = abs(got.value.ravel() - values.mean(0)).max()
        checks.true(f"{what}: mean", error < limit, error, limit)
        error = abs(got.deviation.ravel() - values.std(0)).max()
        checks.true(f"{what}: deviation", error < limit, error, limit)
        checks.true(f"{what}: mean spacing", abs(got.spacing - (boxes[first - 1:last] / n).mean(0)).max()
                    < 1e-6, got.spacing)
    one = make(folder, path, "--spacing=0.3", "--first=2", "--last=2")
    checks.true("one frame has no deviation", one.deviation is None)
    moved = os.path.join(folder, "moved.h5")
    os.rename(trial.checkpoint(folder, "npt"), moved)
    again = make(folder, path, "--spacing=0.3", "--first=2", "--last=2", f"--state={moved}")
    checks.true("with --state", again.raw.tobytes() == one.raw.tobytes())
    os.rename(moved, trial.checkpoint(folder, "npt"))
    return path


def check_ranks(checks, folder, state, trajectory):
    for ranks, what, source, options in (
            (2, "cutoff", state, ("--spacing=0.11",)),
            (3, "compensated", state, ("--spacing=0.13", "--sum=compensated")),
            (2, "double, open", state, ("--spacing=0.2", "--precision=double", "--boundary=open")),
            (3, "direct", state, ("--spacing=0.25", "--method=direct")),
            (3, "force field", state, ("--spacing=0.12", "--method=force_field")),
            (3, "full", state, ("--spacing=0.1", "--method=full")),
            (2, "frames", trajectory, ("--spacing=0.25",))):
        one = make(folder, source, *options)
        other = make(folder, source, *options, ranks=ranks)
        same = one.raw.tobytes() == other.raw.tobytes() and (
            one.deviation is None or (one.deviation == other.deviation).all())
        checks.true(f"{what}: the same bits on {ranks} ranks", same)


def read_dx(path):
    """An OpenDX file as APBS writes it: values [z][y][x], origin and spacing in the units of the file."""
    words, values, header = [], [], {}
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                header["comment"] = header.get("comment", "") + line
                continue
            words = line.split()
            if line.startswith("object 1"):
                header["counts"] = [int(w) for w in words[-3:]]
            elif words and words[0] == "origin":
                header["origin"] = [float(w) for w in words[1:]]
            elif words and words[0] == "delta":
                header.setdefault("delta", []).append([float(w) for w in words[1:]])
            elif words and words[0][0] in "-0123456789":
                values += [float(w) for w in words]
    return np.array(values).reshape(header["counts"]).transpose(2, 1, 0), header


def check_files(checks, folder, state, trajectory):
    """The same map in OpenDX: volt and angstrom, z fastest."""
    for what, source in (("state", state), ("trajectory", trajectory)):
        want = make(folder, source, "--spacing=0.3")
        run("map", source, "-o", os.path.join(folder, "map.dx"), "--spacing=0.3", "--backend=cpu")
        value, header = read_dx(os.path.join(folder, "map.dx"))
        checks.true(f"dx {what}: points", value.shape == want.value.shape, value.shape)
        error = abs(value - want.value * oracle_map.VOLT).max() / abs(want.value * oracle_map.VOLT).max()
        checks.true(f"dx {what}: values", error < 1e-6, error)
        checks.true(f"dx {what}: origin", np.allclose(header["origin"], 10 * want.origin, atol=1e-5))
        checks.true(f"dx {what}: spacing", np.allclose(header["delta"], np.diag(10 * want.spacing),
                                                       atol=1e-5), header["delta"])
        checks.true(f"dx {what}: its unit", "volt" in header["comment"].lower() or
                    " V" in header["comment"], header["comment"])
    value, _ = read_dx(os.path.join(folder, "map.deviation.dx"))
    error = abs(value - want.deviation * oracle_map.VOLT).max()
    checks.true("dx: deviation", error < 1e-6 * abs(want.deviation).max(), error)


# ---------------------------------------------------------------- periodic Poisson

def check_full(checks, folder, state):
    """A few charges and dipoles: Ewald sums away from them. A bilayer: its profile along z."""
    small = trial.build(folder, "few", WATER % (5, 20))
    sources, box = oracle_map.of_state(small)
    for what, source, chosen in (("dipoles", small, sources),
                                 ("charges", state, oracle_map.of_state(state)[0].only("C", "P", "A"))):
        edges = oracle_map.of_state(source)[1]
        types = ("--types=C,P,A",) if what == "charges" else ()
        got = make(folder, source, "--method=full", "--spacing=0.04", "--precision=double", *types)
        points = got.points()
        rows = np.random.default_rng(5).choice(len(points), 1200, replace=False)
        rows = rows[oracle_map.far(points[rows], chosen, edges, 0.25)][:300]
        want = oracle_map.ewald(points[rows], chosen, edges, 1e-7)
        error = np.sqrt(((got.value.ravel()[rows] - want)**2).mean() / (want**2).mean())
        checks.true(f"full {what} against Ewald", len(rows) > 100 and error < 2e-3, len(rows), error)
        checks.true(f"full {what}: mean zero", abs(got.value.mean()) < 1e-9 * abs(got.value).max(),
                    got.value.mean())
    sources, box = oracle_map.of_state(state)
    got = make(folder, state, "--method=full", "--spacing=0.05", "--precision=double")
    profile, z = got.value.mean((1, 2)), got.axis(2)
    want = oracle_map.smooth_profile(z, sources, box, got.spacing.max())
    error = np.sqrt(((profile - want)**2).mean() / (want**2).mean())
    checks.true("full: profile along z of Gaussians", error < 5e-3, error)
    # The potential of sheets of dipoles jumps: means over nine planes, 0.45 nm.
    rest = profile - oracle_map.periodic_profile(z, sources, box)
    rest = np.mean([np.roll(rest, k) for k in range(-4, 5)], axis=0)
    error = np.sqrt((rest**2).mean() / (want**2).mean())
    checks.true("full: profile along z of points", error < 0.06, error)


def check_observable(checks, folder, trajectory):
    """The profile of a full map along z and that of the observable, of one frame."""
    write(os.path.join(folder, "observe.yaml"), "observe: [potential: {bins: 1000, every: 20}]\n")
    run("analyze", trajectory, "observe.yaml", "--first=3", "--last=3", "-o", "frame", cwd=folder)
    with h5py.File(os.path.join(folder, "frame.observables.h5"), "r") as file:
        table = file["potential/potential"]
        axis, observed = (table[name][:].ravel() for name in ("axis", "potential"))
    got = make(folder, trajectory, "--method=full", "--first=3", "--last=3")
    rest = oracle_map.profile_rest(got.axis(2), got.value.mean((1, 2)) * oracle_map.VOLT, axis, observed,
                                   got.n[2] * got.spacing[2], got.spacing.max())
    checks.true("full: profile of the observable", rest < 0.04, rest)


# ---------------------------------------------------------------- wrong input

def check_wrong(checks, folder, state, trajectory):
    empty = os.path.join(folder, "wrong")
    os.mkdir(empty)
    pqr = write_pqr(folder, "fine", oracle_map.Sources([[0, 0, 0], [1, 1, 1]], [1, -1]))
    neutral = write_pqr(folder, "neutral", oracle_map.Sources([[0, 0, 0], [1, 1, 1]], [0, 0]))
    broken = os.path.join(folder, "broken.pqr")
    write(broken, "ATOM 1 X MOL 1 0.0 zero 0.0 1.0 1.0\n")
    huge = extent([0] * 3, [4000] * 3)
    cases = [
        ("a lattice too large", [pqr, "--spacing=0.001", *huge], ("memory", "GB")),
        ("a cutoff above half the box", [state, "--cutoff=1.6"], ("1.6", "half")),
        ("types without charges", [state, "--types=T"], ("charge", "dipole")),
        ("an unknown type", [state, "--types=WW"], ("WW", "W")),
        ("sources without charges", [neutral], ("charge",)),
        ("no frames", [trajectory, "--first=90"], ("frame",)),
        ("frames that end before they begin", [trajectory, "--first=3", "--last=1"], ("frame",)),
        ("no spacing", [state, "--spacing=0"], ("spacing",)),
        ("a negative spacing", [state, "--spacing=-0.1"], ("spacing",)),
        ("a spacing above the box", [state, "--spacing=100"], ("spacing",)),
        ("an extent turned round", [pqr, *extent([1] * 3, [0] * 3)], ("low",)),
        ("two coordinates", [pqr, "--low=0,0"], ("low",)),
        ("full with open boundaries", [state, "--method=full", "--boundary=open"], ("full", "periodic")),
        ("full of a part", [state, "--method=full", *extent([0] * 3, [1] * 3)], ("full",)),
        ("periodic without a box", [pqr, "--boundary=periodic"], ("box",)),
        ("a force field without one", [pqr, "--method=force_field"], ("force",)),
        ("an unknown method", [state, "--method=cut"], ("cut",)),
        ("an unknown sum", [state, "--sum=exact"], ("exact",)),
        ("a PQR file with a word", [broken], ("broken.pqr", "zero")),
        ("a cutoff of 0", [state, "--cutoff=0"], ("cutoff",)),
    ]
    needs = {}
    for suffix in "dx", "h5":
        said = run("map", pqr, "-o", os.path.join(empty, "map." + suffix), "--backend=cpu", "--spacing=0.05", *huge,
                   status=2).stderr
        needs[suffix] = float(re.search(r"needs (\S+) GB", said)[1]) * 1e9
    checks.close("memory of a lattice: its values", needs["dx"], 4 * (4000 / 0.05 + 1)**3, 0.01)
    checks.close("memory of a lattice: HDF5 copies a part", needs["h5"], needs["dx"], 0.02)
    for what, words, wanted in cases:
        done = run("map", *words, "-o", os.path.join(empty, "map.h5"), "--backend=cpu", status=None)
        said = done.stdout + done.stderr
        checks.true(f"{what}: status", done.returncode == 2, done.returncode, said[-300:])
        missing = [word for word in wanted if word.lower() not in said.lower()]
        checks.true(f"{what}: said", not missing, missing, said[-300:])
        checks.true(f"{what}: no file", not os.listdir(empty), os.listdir(empty))
    done = run("map", state, "-o", os.path.join(empty, "map.xyz"), status=None)
    checks.true("an unknown format", done.returncode == 2 and not os.listdir(empty), done.returncode,
                done.stderr[-300:])


def main():
    checks, parts = Checks(), sys.argv[1:]  # names of checks, to run only these

    def wanted(*some):
        return not parts or {check.__name__ for check in some} & {*parts}

    with tempfile.TemporaryDirectory() as folder:
        state = trial.build(folder, "bilayer", BILAYER)
        for check in filter(wanted, (check_charge, check_dipole, check_ring_and_shell, check_errors)):
            check(checks, folder)
        for check in filter(wanted, (check_profile, check_state, check_types, check_lattice, check_full)):
            check(checks, folder, state)
        later = (check_ranks, check_files, check_wrong)
        if wanted(check_frames, check_observable, *later):
            trajectory = check_frames(checks, folder, state)
            if wanted(check_observable):
                check_observable(checks, folder, trajectory)
            for check in filter(wanted, later):
                check(checks, folder, state, trajectory)
    checks.end()


main()
