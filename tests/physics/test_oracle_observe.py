"""The oracle of the observables (oracle_observe.py) against cases with known results, and against
MDAnalysis where it is installed."""
import os
import tempfile
import warnings

from run_lamella import Checks, run, skip, write

try:
    import numpy as np

    import oracle
    import oracle_frames
    import oracle_observe
except ImportError as missing:
    skip(str(missing))

FIELD = """
format: 1
name: toy
cutoff: 1.2
exclude: [1-2]
types:
  W: {mass: 18, inertia: [1, 1, 0], dipole: 0.05, electrons: 10}
  P: {mass: 90, charge: 0.5, electrons: 40}
  T: {mass: 42, electrons: 24}
  N: {mass: 20, charge: -0.5, electrons: 12}
pair:
  lj: {truncation: cut, mixing: geometric}
  electrostatics: {truncation: shifted_force}
  table:
    - [W, W, {epsilon: 0, sigma: 0.3}]
    - [P, P, {epsilon: 2, sigma: 0.4}]
    - [T, T, {epsilon: 3, sigma: 0.45}]
    - [N, N, {epsilon: 1, sigma: 0.4}]
bonds:
  one: {form: harmonic, k: 300, r0: 0.5}
molecules:
  W: {beads: [W]}
  T: {beads: [T]}
  P: {beads: [P]}
  N: {beads: [N]}
  L: {beads: [P, T, T], bonds: [[one, 1, 2], [one, 2, 3]]}
  M: {beads: [P, T, T], bonds: [[one, 1, 2], [one, 2, 3]]}
"""
RUN = {"temperature": 300.0, "bilayers": 1, "interval": 0.5}
MOLECULES = ("W", "T", "P", "N", "L", "M")
BEADS = {"W": "W", "T": "T", "P": "P", "N": "N", "L": "PTT", "M": "PTT"}
FORCES = 3e-6  # distances are differences of 32-bit fractions of the box
rng = np.random.default_rng(5)
checks = Checks()


def frame(box, molecules, place, **more):
    """molecules: a string of names; place: positions of all beads."""
    types = [list("WPTN").index(bead) for name in molecules for bead in BEADS[name]]
    kind = [MOLECULES.index(name) for name in molecules for _ in BEADS[name]]
    place = np.asarray(place, float)
    more.setdefault("momentum", np.zeros((len(types), 3)))
    more.setdefault("angular_momentum", np.zeros((len(types), 3)))
    more["image"] = np.floor(place / box)
    return oracle_frames.Frame(FIELD, box, types, kind, place=place % box, **more)


def table(kind, frames, name=None, **options):
    frames = frames if isinstance(frames, list) else [frames]
    return oracle_observe.tables(kind, frames, RUN, **options)[name or kind]


def agree(what, got, want, bound=1e-9):
    got, want = np.broadcast_arrays(np.asarray(got, float), want)
    checks.true(what, np.allclose(got, want, rtol=bound, atol=bound), got, want)


def straight(foot, direction):
    """Positions of a lipid: its last bead, and the direction of its head from there."""
    direction = np.asarray(direction) / np.linalg.norm(direction)
    return [np.asarray(foot) + 0.5 * k * direction for k in (2, 1, 0)]


def sheet(box, n, height=1.5, shift=0.0):
    """A bilayer of n x n straight lipids a leaflet around Lz / 2 + shift; place and names."""
    place = []
    for side in (1, -1):
        for i, j in np.ndindex(n, n):
            foot = [(i + 0.5) / n * box[0], (j + 0.5) / n * box[1],
                    box[2] / 2 + shift + side * (height - 1)]
            place += straight(foot, [0, 0, side])
    return np.array(place), "L" * (2 * n * n)


def one_pair():
    """Two beads of Lennard-Jones: pressure along their line or at their ends."""
    box, r = np.array([4.0, 5.0, 6.0]), np.array([0.1, -0.2, 0.45])
    low = np.array([1.0, 1.0, 5.8])  # crosses the edge of the box; the centre is at 3
    d = np.linalg.norm(r)
    push = 24 * 3 * (2 * (0.45 / d)**12 - (0.45 / d)**6) / d**2
    momentum = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 4.0]])
    state = frame(box, "TT", [low, low + r], momentum=momentum)
    got = table("pressure", state, bins=30)
    volume = np.prod(box) / 30 / oracle.BAR
    work = push * r**2 / volume
    flow = momentum**2 / 42 / volume
    share = np.zeros(30)
    share[[29, 0, 1]] = 0.2 / 0.45, 0.2 / 0.45, 0.05 / 0.45
    ends = np.zeros((2, 30))
    ends[0, 29] = ends[1, 1] = 1
    agree("normal of a pair", got["normal"], share * work[2] + flow[:, 2] @ ends, FORCES)
    sides = (work[0] + work[1]) / 2
    agree("lateral of a pair", got["lateral"],
          share * sides + flow[:, :2].mean(axis=1) @ ends, FORCES)
    agree("Harasima", got["lateral_harasima"],
          sides * ends.mean(axis=0) + flow[:, :2].mean(axis=1) @ ends, FORCES)
    agree("pair of solvent", got["solvent_solvent"], share * (sides - work[2]), FORCES)
    agree("kinetic part", got["kinetic"], (flow[:, :2].mean(axis=1) - flow[:, 2]) @ ends, FORCES)
    whole = (work + flow.sum(axis=0)) / 30
    tension = 0.05 * 6 * (whole[2] - whole[:2].mean())
    whole = table("pressure", state, "tension", bins=30)
    for name in ("tension", "tension_irving_kirkwood", "tension_harasima"):
        agree(name + " of a pair", whole[name], tension, FORCES)
    difference, z = got["difference"], got["rows"]
    agree("first moments", [whole["moment_upper"][0], whole["moment_lower"][0]],
          [0.02 * (difference * z)[15:].sum(), -0.02 * (difference * z)[:15].sum()], FORCES)
    got = oracle_observe.tables("pressure", [state], {**RUN, "dt": 0.02}, bins=30)["pressure"]
    swing = (push * r * 0.01)**2 / 42 / volume  # of either bead
    agree("half a step away", got["normal"],
          share * work[2] + (flow[:, 2] + swing[2]) @ ends, FORCES)
    odd = table("pressure", state, "tension", bins=1)
    agree("moments of one bin", odd["moment_upper"], -odd["tension"] * 2 * 6 / 8, FORCES)


def bonds_under_stress():
    """A lipid with a stretched bond along x and one at rest."""
    box = np.array([5.0, 5.0, 5.0])
    state = frame(box, "L", [[4.8, 2, 2], [0.4, 2, 2], [0.4, 2.5, 2]])
    got = table("pressure", state, bins=5)
    pull = -2 * 300 * (0.6 - 0.5) * 0.6 / 25 * oracle.BAR
    agree("stretched bond", got["bond"], [0, 0, pull / 2, 0, 0], FORCES)
    checks.true("1-3 pair", abs(got["lipid_lipid"][2]) > 0 == abs(got["lipid_lipid"][1]))


def electrostatics():
    """A dipole, and a pair of charges: steps of the potential, field between the charges."""
    box, bins = np.array([2.0, 2.0, 8.0]), 80
    eps = oracle_observe.INVERSE_EPS0 / oracle_observe.VOLT
    state = frame(box, "W", [[1, 1, 4.05]], axis=np.array([[0.6, 0, 0.8]]))
    got = table("potential", state, bins=bins)
    step = eps * 0.05 * 0.8 / 4
    want = np.zeros(bins)
    want[40], want[41:] = step / 2, step
    agree("step of a dipole", got["potential"], want)
    agree("of its type", got["potential_W"], want)
    want[:] = 0
    want[40] = -step / 0.1
    agree("field in a dipole", got["field"], want)
    state = frame(box, "PN", [[1, 1, 2.05], [0.3, 0.2, 6.05]])
    got = table("potential", state, bins=bins)
    want = np.zeros(bins)
    want[21:60] = 0.5 / 4 * eps
    want[[20, 60]] = 0.5 / 8 * eps
    agree("field of two charges", got["field"], want)
    z = got["rows"]
    checks.close("potential of two charges", got["potential"][-1], -0.5 / 4 * eps * 4, 1e-9)
    agree("inside", got["potential"][21:60], -0.5 / 4 * eps * (z[21:60] + 1.95))


def densities():
    box = np.array([4.0, 4.0, 8.0])
    place, names = sheet(box, 3, height=1.45)
    water = [[1, 1, 0.4], [1, 1, 7.4], [2, 2, 7.6]]
    flat = frame(box, names + "WWW", [*place, *water])
    want = oracle_observe.tables("density", [flat], RUN, bins=16)["density"]
    agree("number of heads", want["number_L_P"][[4, 5, 10, 11]], [0, 9 / 8, 9 / 8, 0])
    agree("sum of tails", want["number_L_T"].sum() * 8, 36)
    agree("water", want["number_W"][[0, 1, 14, 15]], np.array([1, 0, 1, 1]) / 8)
    agree("mass", want["mass"].sum() * 8, 18 * (90 + 84) + 3 * 18)
    agree("electrons", want["electrons"].sum() * 8, 18 * 88 + 30)
    agree("electrons of lipids", want["electrons_L"].sum() * 8, 18 * 88)
    agree("charge", want["charge"].sum() * 8, 9)
    agree("rows", want["rows"], -4 + 0.5 * (np.arange(16) + 0.5))
    moved = frame(box, names + "WWW", np.array([*place, *water]) + [0, 0, 3.7])
    got = oracle_observe.tables("density", [moved], RUN, bins=16)["density"]
    for name in want:
        agree("moved " + name, got[name], want[name])


def orders():
    box = np.array([5.0, 5.0, 5.0])
    tilted = [np.sin(0.3), 0, -np.cos(0.3)]  # head down
    place = [*straight([1, 1, 4.9], [0, 0, 1]), *straight([2, 4.8, 2], [0, 1, 0]),
             *straight([2, 2, 0.1], tilted)]
    state = frame(box, "LLM", place)
    p2 = 1.5 * np.cos(0.3)**2 - 0.5
    agree("bonds", table("order", state, "bonds")["order"], [0.25, 0.25, p2, p2])
    got = table("order", state, "molecules")
    agree("tail order", got["tail_order"], [0.25, p2])
    agree("tilt", got["tilt"], [45, np.degrees(0.3)])
    agree("tilt order", got["tilt_order"], [0.25, p2])
    state = frame(box, "WW", [[1, 1, 1], [2, 2, 2]], axis=np.array([[0, 0, 1], [0.6, 0, 0.8]]))
    agree("dipoles", table("order", state, "dipoles")["order"], (1 + 0.46) / 2)


def gas():
    """An ideal gas: g = 1; lateral distances of lipids at random in the leaflets too."""
    box, n = np.array([3.0, 4.0, 3.5]), 150
    states = [frame(box, "W" * n + "T" * n, rng.random((2 * n, 3)) * box) for _ in range(12)]
    for pair in (["W", "W"], ["W", "T"]):
        got = table("rdf", states, "_".join(pair), pairs=[pair], range=1.5, bins=15)
        error = 1 / np.sqrt(12 * n * n / 2 * np.diff(np.linspace(0, 1.5, 16)**3) * 4.2 / 42)
        checks.true("ideal gas", (abs(got["g"] - 1) < 5 * error).all(), got["g"])
        near = (n - (pair[1] == "W")) / 42 * 4 / 3 * np.pi * 1.5**3
        checks.close("coordination", got["coordination"][-1], near, 0.05)
    membranes = []
    for _ in range(20):
        place, names = sheet(box, 5)
        place += np.repeat(rng.random((50, 3)) * [3, 4, 0.1], 3, axis=0)
        membranes.append(frame(box, names, place))
    got = table("rdf", membranes, "P_P", pairs=[["P", "P"]], range=1.4, bins=7, in_plane=True)
    checks.true("ideal gas in a plane", (abs(got["g"][1:] - 1) < 0.1).all(), got["g"])
    checks.close("neighbours in a plane", got["coordination"][-1], 24 / 12 * np.pi * 1.4**2, 0.05)


def motion():
    box, n, steps = np.array([4.0, 5.0, 6.0]), 40, 40
    names = "W" * n + "L" * 10
    speed = np.repeat(rng.normal(size=(n + 10, 3)), [1] * n + [3] * 10, axis=0)
    place = np.concatenate([rng.random((n, 3)) * box, *(
        straight(rng.random(3) * box, [1, 0, side]) for side in [1] * 6 + [-1] * 4)])
    states = [frame(box, names, place + 0.05 * k * speed) for k in range(steps)]
    lags = [*range(1, 16), *range(16, 32, 2), 32, 36]
    t = np.array(lags)
    for name, parts in (("W", [speed[:n]]), ("L", [speed[n:n + 18:3], speed[n + 18::3]])):
        got = table("msd", states, "msd_" + name, molecules=[name])
        square = np.mean(np.concatenate([(v - v.mean(axis=0))**2 for v in parts]), axis=0)
        agree("lags", got["rows"], t * RUN["interval"])
        agree("ballistic lateral", got["lateral"], square[:2].sum() * (0.05 * t)**2)
        agree("ballistic normal", got["normal"], square[2] * (0.05 * t)**2)
        agree("ballistic in space", got["space"], square.sum() * (0.05 * t)**2)
        fit = (t >= 3.6) & (t <= 18)
        line = np.polyfit(t[fit] / 2, got["lateral"][fit], 1)[0] / 4 * 1e6
        agree("slope", table("msd", states, "diffusion", molecules=[name])["lateral"], line)
    walk = np.cumsum(rng.normal(scale=0.1, size=(200, 100, 3)), axis=0)
    states = [frame(box, "W" * 100, step) for step in walk]
    got = table("msd", states, "diffusion", molecules=["W"], fit_from=0.5, fit_to=4)
    checks.close("random walk", got["space"][0], 0.01 / 2 / 0.5 * 1e6, 0.05)


def turning():
    box, angle = np.array([4.0, 4.0, 4.0]), 0.11
    states = [frame(box, "WW", [[1, 1, 1], [2, 2, 2]], axis=np.array(
        [[np.cos(k * angle), np.sin(k * angle), 0], [0, np.cos(k * angle), np.sin(k * angle)]]))
        for k in range(20)]
    got = table("rotation", states, "rotation_W")
    turn = got["rows"] / RUN["interval"] * angle
    agree("first", got["first"], np.cos(turn))
    agree("second", got["second"], 1.5 * np.cos(turn)**2 - 0.5)
    times = table("rotation", states, "relaxation")
    knots = np.arange(15) * angle  # cos first falls below 0.05 at 14 angle
    area = np.trapz(np.cos(knots), dx=RUN["interval"])
    agree("relaxation", times["time_first"], area)


def waves():
    box, grid, size = np.array([20.0, 24.0, 12.0]), 16, 0.25
    place, names = sheet(box, grid)
    for what, second in (("height", 1), ("thickness", -1)):
        wave = size * np.sin(2 * np.pi * place[:, 0] / box[0] + 0.4)
        side = np.repeat([1, second], len(place) // 2)
        state = frame(box, names, place + np.outer(side * wave, [0, 0, 1]) + [0, 0, 6.2])
        got = table("undulation", state, "spectrum", grid=grid)
        power = np.zeros(len(got["rows"]))
        power[0] = 480 * size**2 / 8  # two of four modes, |h_n|^2 = size^2 / 4 each
        agree(what + " of a sine", got[what], power, 1e-6)
        agree("the other", got["thickness" if second == 1 else "height"], 0, 1e-6)
    agree("waves", got["rows"][:2],
          [np.pi * (1 / 20 + 1 / 24), 2 * np.pi * np.hypot(1 / 20, 1 / 24)])
    state = frame(box, names, place + np.outer(
        size * np.sin(2 * np.pi * place[:, 0] / box[0]), [0, 0, 1]))
    kt, q = 300 * 0.00831446261815324, got["rows"][0]
    bending = table("undulation", state, "bending", grid=grid, fit_to=0.3)
    agree("rigidity", bending["rigidity"], kt / (480 * size**2 / 8 * q**4), 1e-6)
    bare = np.array([lipid for k, lipid in enumerate(place.reshape(-1, 3, 3)) if k % 2])
    got = table("undulation", frame(box, "L" * len(bare), bare.reshape(-1, 3)), "spectrum", grid=16)
    agree("empty cells of a flat membrane", got["height"], 0, 1e-6)


def temperatures():
    n, box = 4000, np.array([9.0, 9.0, 9.0])
    names = "W" * n + "L" * 500
    mass = np.array([18.0] * n + [90.0, 42.0, 42.0] * 500)
    kt = 300 * 0.00831446261815324
    momentum = rng.normal(size=(n + 1500, 3)) * np.sqrt(mass * kt)[:, None]
    spin = rng.normal(size=(n + 1500, 3)) * np.sqrt(2 * kt)
    place = np.concatenate([rng.random((n, 3)) * 9, np.repeat(rng.random((500, 3)) * 9, 3, axis=0)])
    state = frame(box, names, place, momentum=momentum, angular_momentum=spin)
    got = table("temperature", state, "types")
    checks.true("types", got["rows"] == ["W", "P", "T"], got["rows"])
    checks.true("300 K", (abs(got["translation"] - 300) < 25).all(), got)
    checks.close("rotation", got["rotation"][0], 600, 0.05)
    checks.true("no rotation of points", np.isnan(got["rotation"][1:]).all())
    got = table("temperature", state, "molecules")
    checks.true("centres", (abs(got["centre"] - 300) < 40).all(), got)
    every = table("temperature", state, "all")
    dof = 3 * (n + 1500) - 3
    agree("all", every["all"] * (dof + 2 * n),
          every["translation"] * dof + every["rotation"] * 2 * n)
    drift = (momentum.sum(axis=0)**2).sum() / mass.sum()
    agree("translation", every["translation"] * dof / 300 * kt,
          ((momentum**2).T / mass).sum() - drift)


def sides():
    box = np.array([6.0, 6.0, 8.0])
    place, _ = sheet(box, 3)
    names = "LLLMLLLLL" + "L" * 9
    turned = place.copy()
    turned[12:15] = turned[[14, 13, 12]]  # one L of the upper leaflet upside down
    states = [frame(box, names, p) for p in (place, turned, turned, place, place)]
    got = table("leaflets", states)
    agree("upper", got["upper"], [7.6, 1])
    agree("lower", got["lower"], [9.4, 0])
    agree("flips", got["flips"], [2, 0])
    agree("rate", got["flip_rate"], [2 / 17 / 2e-6, 0])
    got = table("leaflets", states[0], "contacts", range=2.1)
    agree("contacts", got["fraction"], np.array([18 + 18 - 4, 4, 0]) / 36)
    agree("expected", got["expected"], np.array([28 + 36, 8, 0]) / 72)
    states = [frame(box + [k, 0, 0], names, place * (box + [k, 0, 0]) / box) for k in range(3)]
    got = table("membrane", states)
    agree("area", got["area"], 7 * 6 * 2 / 18)
    agree("thickness", got["thickness"], 3)
    kt = 300 * 0.00831446261815324
    agree("compressibility", got["area_compressibility"], kt * 42 / 24 * 1.66053906717)
    agree("volume", got["volume_per_lipid"], 7 * 6 * 8 / 18)
    agree("bulk", got["bulk_modulus"], kt * 336 / (24 * 64) * oracle.BAR)


def universe(mda, states):
    """MDAnalysis with the frames of a membrane, its centre in the middle of the box."""
    first = states[0]
    lengths = [rows.shape[1] for rows in first.members.values() for _ in rows]
    starts = sorted(int(row) for rows in first.members.values() for row in rows[:, 0])
    index = np.searchsorted(starts, np.arange(first.n), side="right") - 1
    found = mda.Universe.empty(first.n, n_residues=len(lengths), atom_resindex=index,
                               trajectory=True)
    found.add_TopologyAttr("names", [first.names[k] for k in first.type])
    found.add_TopologyAttr("masses", first.mass)
    found.add_TopologyAttr("charges", first.charge)
    place = np.array([10 * ((f.fraction[:, :] - [0, 0, f.centre() - 0.5]) % 1) * f.box
                      for f in states])
    sizes = np.array([[*(10 * f.box), 90, 90, 90] for f in states])
    found.load_new(place, order="fac", dimensions=sizes)
    return found


def membranes():
    """A bilayer of ELBA whose beads walk at random, in a box that does not change."""
    spec = ("forcefield: elba\nseed: 2\nbilayer: {upper: {DOPC: 12}, lower: {DOPC: 12}, "
            "area_per_lipid: 0.8, water_per_lipid: 30}\nminimise: no\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.yaml")
        write(path, spec)
        run("build", path, "-o", path + ".h5")
        first = oracle_frames.of_state(path + ".h5")
    text = open(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], "elba.yaml")).read()
    place, states = first.fraction * first.box, []
    for _ in range(6):
        place = place + rng.normal(scale=0.03, size=place.shape)
        states.append(oracle_frames.Frame(text, first.box, first.type, first.kind,
                                          place=place % first.box, image=place // first.box))
    return states


def analysis():
    try:
        warnings.simplefilter("ignore")
        import MDAnalysis
        from MDAnalysis.analysis import leaflet, lineardensity, msd, rdf
    except ImportError as none:
        print("not compared with MDAnalysis:", none)
        return
    states = membranes()
    atoms, length = universe(MDAnalysis, states), states[0].box[2]
    bins = 40
    got = table("density", states, bins=bins)
    linear = lineardensity.LinearDensity(atoms.atoms, binsize=10 * length / bins * (1 - 1e-9)).run()
    mass = linear.results.z.mass_density / 1.66053906717 * 1000  # g/cm3 in amu/nm3
    good = len(mass) == bins and np.allclose(mass, got["mass"], rtol=1e-5)
    checks.true("mass of LinearDensity", good, mass, got["mass"])
    for pair, block in ((["W", "W"], None), (["P", "C"], (1, 1)), (["W", "T"], None)):
        one, other = (atoms.select_atoms("name " + name) for name in pair)
        inter = rdf.InterRDF(one, other, nbins=70, range=(0, 14), exclusion_block=block).run()
        g = inter.results.rdf * (len(one) / (len(one) - 1) if pair[0] == pair[1] else 1)
        got = table("rdf", states, "_".join(pair), pairs=[pair], range=1.4, bins=70)
        checks.true(f"InterRDF {pair}", np.allclose(g[1:], got["g"][1:], rtol=1e-3, atol=1e-3),
                    abs(g - got["g"])[1:].max())
    place = np.array([f.centres("W") for f in states])
    place -= place.mean(axis=1, keepdims=True)
    water = MDAnalysis.Universe.empty(place.shape[1], trajectory=True)
    water.load_new(place, order="fac")
    for kind, name in (("xyz", "space"), ("xy", "lateral"), ("z", "normal")):
        einstein = msd.EinsteinMSD(water, msd_type=kind, fft=False).run()
        got = table("msd", states, "msd_W", molecules=["W"])[name]
        other = einstein.results.timeseries[1:]
        checks.true("EinsteinMSD " + kind, np.allclose(other, got, rtol=1e-4), other, got)
    found = leaflet.LeafletFinder(atoms, "name P", cutoff=15.0, pbc=True)
    groups = sorted((set(group.resindices) for group in found.groups()), key=len)[-2:]
    upper = set(np.flatnonzero(states[0].heads("DOPC", ("P",))[2]))
    checks.true("LeafletFinder", upper in groups and len(groups[0]) == 12, groups, upper)


for case in (one_pair, bonds_under_stress, electrostatics, densities, orders, gas, motion, turning,
             waves, temperatures, sides, analysis):
    case()
checks.end()
