#!/usr/bin/env python3
"""A hydrated DOPC bilayer for each of some force fields: does it stay one, and which?

    bench/beads/brahms_bilayer.py FORCEFIELD.yaml... [--backend=cuda] [--ns=20] [--dt=0.004] [-o FOLDER]

128 lipids and 33 waters for each are built and relaxed (constant area, 1 and 2 fs, strong friction), then run at
303 K and 1 atm without tension (langevin, crescale semi_isotropic). Positions z count from the centre of mass of
the tails T in each frame; the first part of the run, --discard, is left out of averages. Prints area per lipid
with its drift, thickness between the phosphates, water in the bilayer, and whether it is a bilayer. Writes
FOLDER/brahms_bilayer.md and .json, and for each force field NAME.profiles.csv (number density, nm-3, by type, and
mass density, kg/m3), NAME.area.csv, and NAME.png where matplotlib is installed. The force field `elba`, with
--dt=0.010, is the reference; its water has a mass of 40 amu, which shows in the mass density."""
import pathlib
import sys

import numpy as np

import common
from common import block, number

TEMPERATURE = 303.0
PRESSURE = 1.01325
COLOURS = {"W": "tab:blue", "C": "tab:purple", "P": "tab:orange", "G": "tab:red", "E": "tab:brown", "T": "black"}

# ELBA-1.1 DOPC, 303 K: the author's own runs of 1 ns. Experiment: Liu and Nagle, Phys. Rev. E 69, 040901 (2004).
PUBLISHED = {"area": "ELBA 0.724(7), experiment 0.721(5)", "thickness": "ELBA 3.28", "volume": "ELBA 1.323 to 1.325"}
ROWS = [("area", "area per lipid, nm2"), ("area_drift", "its drift, nm2/ns"),
        ("area_halves", "second less first half, nm2"),
        ("height", "edge z, nm"), ("volume", "volume per lipid less 30 A3 a water, nm3"),
        ("thickness", "P-P distance, mean of leaflets, nm"), ("peaks", "P-P distance of the peaks, nm"),
        ("P_width", "sd of z of P in a leaflet, nm"),
        ("water_centre", "water within 0.25 nm of the middle, of bulk"),
        ("water_E", "water at the ester peak, of bulk"),
        ("water_G", "at the glycerol peak"), ("water_P", "at the phosphate peak"),
        ("water_1nm", "waters within 1 nm of the middle"), ("bulk", "bulk water, nm-3"),
        ("tail_order", "order of the tail bonds, S"), ("temperature", "temperature, K"),
        ("flipped", "lipids that changed side"), ("upper", "lipids in the upper leaflet"),
        ("bilayer", "still a bilayer")]


def simulate(a, folder, name, forcefield):
    half = a.lipids // 2
    state = common.build(folder, f"{name}-start", {
        "forcefield": forcefield, "seed": a.seed, "temperature": TEMPERATURE,
        "bilayer": {"upper": {a.lipid: half}, "lower": {a.lipid: half}, "area_per_lipid": a.area,
                    "water_per_lipid": a.waters}, "minimise": {"max_steps": 1000, "force": 1000}})
    for k, (dt, share) in enumerate(((0.001, 0.25), (0.002, 0.75))):
        state, _ = common.run(a, folder, f"{name}-relax{k}", {
            "input": state,
            "run": {"steps": int(share * a.relax), "dt": dt, "momentum_every": 100},
            "thermostat": {"type": "langevin", "temperature": TEMPERATURE, "tau": 0.2},
            "barostat": {"type": "berendsen", "coupling": "constant_area", "pressure": PRESSURE, "tau": 1.0},
            "output": {"energies_every": 100}})
    steps = int(round(a.ns * 1000 / a.dt))
    _, report = common.run(a, folder, name, {
        "input": state,
        "run": {"steps": steps, "dt": a.dt, "momentum_every": 100},
        "thermostat": {"type": "langevin", "temperature": TEMPERATURE, "tau": 1.0},
        "barostat": {"type": "crescale", "coupling": "semi_isotropic", "pressure": PRESSURE, "tau": 5.0, "every": 10},
        "output": {"energies_every": max(1, steps // 20000), "frames_every": max(1, steps // a.frames)}})
    return report


def read_frames(trajectory):
    """z from the centre of the tails, wrapped into half an edge; z unwrapped, whose differences within a
    molecule are right."""
    edge = trajectory.edges[:, 2]
    z = trajectory.group["position/value"][:, :, 2].astype(float)
    image = trajectory.group["image/value"][:, :, 2]
    whole = z + image * edge[:, None]
    tails = trajectory.type == "T"
    angle = 2 * np.pi * z[:, tails] / edge[:, None]
    centre = np.arctan2(np.sin(angle).mean(1), np.cos(angle).mean(1)) / (2 * np.pi) * edge
    for _ in range(3):  # from the circular mean to the mean
        d = z[:, tails] - centre[:, None]
        centre = centre + (d - np.rint(d / edge[:, None]) * edge[:, None]).mean(1)
    z = z - centre[:, None]
    return z - np.rint(z / edge[:, None]) * edge[:, None], whole


def profiles(trajectory, z, frames, bins):
    """Number density by type on a grid of z / edge, times the mean edge; mass density."""
    edges = trajectory.edges[frames]
    edge, face = edges[:, 2].mean(), (edges[:, 0] * edges[:, 1]).mean()
    scaled = z[frames] / edges[:, 2, None]
    volume = face * edge / bins * len(frames)
    number_density, mass = {}, np.zeros(bins)
    for kind in dict.fromkeys(trajectory.type):
        these = trajectory.type == kind
        counts = np.histogram(scaled[:, these], bins=bins, range=(-0.5, 0.5))[0]
        number_density[kind] = counts / volume
        mass += counts / volume * trajectory.mass[these][0] * 1.66053907
    return (np.arange(bins) + 0.5) / bins * edge - edge / 2, number_density, mass


def peaks(grid, density):
    """Positions of the largest value on either side, of the density smoothed over three bins."""
    smooth = np.convolve(density, np.ones(3) / 3, mode="same")
    lower, upper = grid < 0, grid > 0
    return grid[lower][smooth[lower].argmax()], grid[upper][smooth[upper].argmax()]


def at(grid, density, middles, half):
    """Mean density within `half` of given positions."""
    chosen = np.any([np.abs(grid - z) <= half for z in middles], axis=0)
    return density[chosen].mean()


def tail_order(trajectory, chosen):
    """S of the bonds between tail beads to z."""
    bonds = trajectory.file["connectivity/bonds"][:].astype(int)
    t = trajectory.type
    bonds = bonds[(t[bonds[:, 0]] == "T") & (t[bonds[:, 1]] == "T")]
    values = []
    for frame in chosen[np.linspace(0, len(chosen) - 1, min(40, len(chosen))).astype(int)]:
        x, edge = trajectory.value("position", frame).astype(float), trajectory.edges[frame]
        d = x[bonds[:, 0]] - x[bonds[:, 1]]
        d -= np.rint(d / edge) * edge
        values.append((1.5 * d[:, 2]**2 / (d**2).sum(1) - 0.5).mean())
    return block(values, 5)


def leaflets(trajectory, z, whole, chosen):
    """Sides of lipids in each frame from P above or below the mean of its tails; distances of P."""
    p = np.flatnonzero(trajectory.type == "P")
    lipid = np.searchsorted(np.unique(trajectory.molecule[p]), trajectory.molecule[p])
    t = np.flatnonzero((trajectory.type == "T") & np.isin(trajectory.molecule, trajectory.molecule[p]))
    per = len(t) // len(p)
    tails = whole[:, t].reshape(len(whole), len(p), per).mean(axis=2)
    up = whole[:, p] > tails
    late = z[np.ix_(chosen, p)]
    side = up[chosen]
    above = np.where(side, late, np.nan)
    below = np.where(side, np.nan, late)
    thickness = np.nanmean(above, axis=1) - np.nanmean(below, axis=1)
    width = np.sqrt((np.nanvar(above, axis=1) + np.nanvar(below, axis=1)) / 2)
    return {"thickness": block(thickness), "P_width": block(width), "upper": int(up[-1].sum()),
            "flipped": int((up[-1] != up[0]).sum()), "lipids": len(lipid)}


def area(a, folder, name, result):
    data = common.read_csv(f"{folder}/{name}.csv")
    time = data["time_ps"] / 1000
    late = time > a.discard * time[-1]
    values = data["area_per_lipid_nm2"]
    first, second = np.array_split(values[late], 2)
    (m1, e1), (m2, e2) = block(first, 5), block(second, 5)
    result.update({"area": block(values[late]), "area_drift": common.drift(time[late], values[late]),
                   "area_halves": (m2 - m1, np.hypot(e1, e2)), "height": block(data["lz_nm"][late]),
                   "volume": block((data["volume_nm3"][late] - 0.030 * a.waters * a.lipids) / a.lipids),
                   "temperature": block(data["temperature_K"][late]),
                   "area_over_time": [[float(part.mean()) for part in np.array_split(column, 20)]
                                      for column in (time, values)]})
    np.savetxt(f"{folder}/{name}.area.csv", np.column_stack([time, values])[::max(1, len(time) // 2000)], "%.6g", ",",
               header="time_ns,area_per_lipid_nm2")


def judge(result, grid, density):
    """A bilayer: phosphates in two peaks with none between, tails in the middle, water outside."""
    p, t, w = density["P"], density["T"], density["W"]
    two = at(grid, p, [0], 0.4) < 0.05 * p.max()
    middle = at(grid, t, [0], 0.5) > 0.5 * t.max() and at(grid, t, [grid[0], grid[-1]], 0.4) < 0.01 * t.max()
    dry = result["water_centre"][0] < 0.05
    return {"two peaks of P": bool(two), "tails in the middle": bool(middle), "dry": bool(dry)}


def analyse(a, folder, name):
    trajectory = common.Trajectory(f"{folder}/{name}")
    z, whole = read_frames(trajectory)
    chosen = np.flatnonzero(trajectory.time > a.discard * trajectory.time[-1])
    grid, density, mass = profiles(trajectory, z, chosen, int(trajectory.edges[-1, 2] / 0.05) // 2 * 2)
    result = {"beads": trajectory.beads, "edges": trajectory.edges[chosen].mean(axis=0)}
    area(a, folder, name, result)
    result.update(leaflets(trajectory, z, whole, chosen))
    water = z[:, trajectory.type == "W"][chosen]
    face = trajectory.edges[chosen, 0] * trajectory.edges[chosen, 1]
    far = (np.abs(water) > trajectory.edges[chosen, 2, None] / 2 - 0.4).sum(axis=1) / (0.8 * face)
    bulk = far.mean()
    result["bulk"] = block(far)
    centre = (np.abs(water) < 0.25).sum(axis=1) / (0.5 * face) / bulk
    result["water_centre"] = block(centre)
    result["water_1nm"] = block((np.abs(water) < 1).sum(axis=1))
    for kind in "EGP":
        place = peaks(grid, density[kind])
        result[f"water_{kind}"] = (at(grid, density["W"], place, 0.06) / bulk, None)
        result[f"peaks_{kind}"] = place
    result["peaks"] = (result["peaks_P"][1] - result["peaks_P"][0], None)
    result["tail_order"] = tail_order(trajectory, chosen)
    tests = judge(result, grid, density)
    result["tests"] = tests
    failed = [test for test, passed in tests.items() if not passed]
    result["bilayer"] = "yes" if not failed else "no: not " + ", not ".join(failed)
    kinds = list(density)
    np.savetxt(f"{folder}/{name}.profiles.csv", np.column_stack([grid, *density.values(), mass]), "%.5g", ",",
               header="z_nm," + ",".join(kinds) + ",mass_kg_m3")
    draw(folder, name, grid, density, mass, result)
    return result


def draw(folder, name, grid, density, mass, result):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    for kind, values in density.items():
        left.plot(grid, values, color=COLOURS.get(kind), label=kind)
    left.set(xlabel="z (nm)", ylabel="beads per nm3", title=name)
    left.legend(ncol=2, fontsize=8)
    twin = left.twinx()
    twin.plot(grid, mass, color="0.7", linestyle=":")
    twin.set_ylabel("mass density (kg/m3, dotted)")
    right.plot(*result["area_over_time"], marker="o")
    right.set(xlabel="time (ns)", ylabel="area per lipid (nm2)")
    figure.tight_layout()
    figure.savefig(f"{folder}/{name}.png", dpi=120)
    pyplot.close(figure)


def cell(key, value):
    if not isinstance(value, tuple):
        return value
    return number(*value, 4 if key in ("area_drift", "water_centre") else 3)


def report(a, results):
    rows = [[label, *(cell(key, r[key]) for r in results.values()), PUBLISHED.get(key, "")] for key, label in ROWS]
    times = next(iter(results.values()))["area_over_time"][0]
    over = [[f"{times[k]:.3g}", *(f"{r['area_over_time'][1][k]:.3f}" for r in results.values())]
            for k in range(len(times))]
    beads = next(iter(results.values()))["beads"]
    return "\n".join([
        f"{a.lipids} {a.lipid} with {a.waters} waters each, {beads} beads, {TEMPERATURE:g} K, {PRESSURE:g} bar, "
        f"no tension, {a.ns:g} ns at {1000 * a.dt:g} fs, averages without the first {100 * a.discard:.0f} %, "
        f"{a.precision}.", "",
        common.table(["", *results, "published"], rows), "",
        "Area per lipid over time, means of twentieths of the run:", "",
        common.table(["time, ns", *results], over)])


def main():
    p = common.parser(__doc__, "brahms_bilayer")
    p.add_argument("forcefields", nargs="+", metavar="FORCEFIELD.yaml")
    p.add_argument("--ns", type=float, help="length of the run [20; small: 0.02]")
    p.add_argument("--dt", type=float, default=0.004, help="ps [%(default)s]")
    p.add_argument("--relax", type=int, help="steps of relaxation [40000; small: 3000]")
    p.add_argument("--lipids", type=int, help="[128; small: 72]")
    p.add_argument("--lipid", default="DOPC")
    p.add_argument("--waters", type=int, default=33, help="for each lipid [%(default)s]")
    p.add_argument("--area", type=float, default=0.70, help="per lipid at the start, nm2 [%(default)s]")
    p.add_argument("--frames", type=int, help="[400; small: 20]")
    p.add_argument("--discard", type=float, default=0.25, help="part of the run before averages [%(default)s]")
    a = p.parse_args()
    a.ns = a.ns or (0.02 if a.small else 20.0)
    a.relax = a.relax or (3000 if a.small else 40000)
    a.lipids = a.lipids or (72 if a.small else 128)
    a.frames = a.frames or (20 if a.small else 400)
    folder = common.prepare(a)
    results = {}
    for forcefield in a.forcefields:
        name = forcefield.rsplit("/", 1)[-1].removesuffix(".yaml")
        common.say(name)
        path = pathlib.Path(forcefield)
        performance = simulate(a, folder, name, str(path.resolve()) if path.exists() else forcefield)
        results[name] = {**analyse(a, folder, name), "ms_per_step": performance["ms_per_step"]}
        text = report(a, results)
        (folder / "brahms_bilayer.md").write_text(text + "\n", encoding="utf-8")
        common.write_json(folder / "brahms_bilayer.json", {"options": vars(a), "results": results})
        if not a.keep:
            common.remove(folder, name)
    print(text)


if __name__ == "__main__":
    sys.exit(main())
