#!/usr/bin/env python3
"""Bulk properties of water of the SSD family at 298 K and 1 bar beside published values.

    bench/beads/ssd_bulk.py [MODEL...] [--backend=cuda] [--steps=N] [-o FOLDER]

MODEL: ssde, ssdrf, ssd1, ssd, or a force field file with water of one bead [ssde ssdrf].
For each model:
  NPT   langevin and crescale, isotropic: density, energy, heat capacity, compressibility
  NVT   weakly coupled bussi (tau 5 ps), a new box at the mean density: diffusion from the mean square
        displacements of the centres of mass without the drift of the system, relaxation of the dipoles,
        radial distribution of oxygens, which lie 0.00654 nm from the centre of mass along body -z
--steps counts the steps of both, without equilibration. --treatments=0.9:0.855,1.2:1.02 measures each model with
other cutoffs and other beginnings of the switching function (nm), on which the density depends.
Writes FOLDER/ssd_bulk.md and .json, and for each model MODEL.gr.csv, MODEL.msd.csv. Errors are standard errors of
block averages."""
import os
import pathlib
import re
import sys

import numpy as np

import common
from common import BOLTZMANN, KCAL, block, number

TEMPERATURE = 298.0
PRESSURE = 1.0
OXYGEN = -0.00654  # nm along body z
VISCOSITY = 0.89e-3  # Pa s, water at 298 K (experiment), for the finite-size correction

# Fennell and Gezelter, J. Chem. Phys. 120, 9175 (2004), table of bulk properties; errors of the last digits.
PUBLISHED = {
    "ssd1": {"rho": "0.999(1)", "cp": "28.80(11)", "D": "1.78(7)", "nc": "3.9", "tau1": "10.9(6)",
             "tau2": "4.7(4)"},
    "ssde": {"rho": "0.996(1)", "cp": "25.45(9)", "D": "2.51(18)", "nc": "4.3", "tau1": "7.3(4)", "tau2": "3.1(2)"},
    "ssdrf": {"rho": "0.997(1)", "cp": "23.83(16)", "D": "2.32(6)", "nc": "4.4", "tau1": "7.2(4)",
              "tau2": "3.2(2)"},
    "experiment": {"rho": "0.997", "cp": "17.98", "D": "2.299", "nc": "4.7", "tau1": "5.7", "tau2": "2.3"},
}
ROWS = [("rho", "density, g/cm3"), ("energy", "potential energy, kcal/mol"), ("cp", "Cp, cal/mol/K"),
        ("kappa", "compressibility, 1e-5/bar"), ("D", "D in this box, 1e-5 cm2/s"),
        ("D_inf", "D with the correction of Yeh and Hummer"), ("nc", "coordination number, to the first minimum"),
        ("nc_33", "coordination number, to 0.33 nm"),
        ("r_peak", "first peak of g_OO, nm"), ("g_peak", "its height"), ("r_min", "first minimum, nm"),
        ("g_min", "g there"),
        ("tau1", "tau_1, ps"), ("tau2", "tau_2, ps"), ("T", "temperature in NVT, K")]


def thermostat(kind, tau):
    return {"type": kind, "temperature": TEMPERATURE, "tau": tau}


def simulate_npt(a, folder, name, model):
    spec = {"forcefield": model, "seed": a.seed, "temperature": TEMPERATURE,
            "water": {"count": a.molecules, "density": 990}, "minimise": {"max_steps": 300, "force": 500}}
    state = common.build(folder, f"{name}-npt-start", spec)
    cell = {"type": "crescale", "coupling": "isotropic", "pressure": PRESSURE, "tau": 1.0, "every": 10}
    state, _ = common.run(a, folder, f"{name}-npt-equil", {
        "input": state, "run": {"steps": a.equilibrate, "dt": a.dt},
        "thermostat": thermostat("langevin", 0.5), "barostat": cell, "output": {"energies_every": 100}})
    _, report = common.run(a, folder, f"{name}-npt", {
        "input": state, "run": {"steps": a.steps // 2, "dt": a.dt},
        "thermostat": thermostat("langevin", 1.0), "barostat": {**cell, "tau": 2.0},
        "output": {"energies_every": 50}})
    return report


def analyse_npt(a, folder, name, mass):
    data = common.read_csv(f"{folder}/{name}-npt.csv")
    n, kt = a.molecules, BOLTZMANN * TEMPERATURE
    volume = data["volume_nm3"]
    rho = n * mass * common.DENSITY / volume
    enthalpy = data["potential"] + data["kinetic"] + data["rotational"] + PRESSURE / common.BAR * volume

    def by_blocks(values, function, blocks=5):
        return common.spread([function(part) for part in np.array_split(values, blocks)])

    cp = by_blocks(enthalpy, lambda h: h.var() / (kt * TEMPERATURE * n) / KCAL * 1000)
    kappa = by_blocks(volume, lambda v: v.var() / (v.mean() * kt) / common.BAR * 1e5)
    energy = block(data["potential"] / n / KCAL)
    return {"rho": block(rho), "energy": energy, "cp": cp, "kappa": kappa,
            "rho_drift_per_ns": common.drift(data["time_ps"] / 1000, rho),
            "T_npt": block(data["temperature_K"])}


def simulate_nvt(a, folder, name, model, rho):
    spec = {"forcefield": model, "seed": a.seed + 1, "temperature": TEMPERATURE,
            "water": {"count": a.molecules, "density": 1000 * rho}, "minimise": {"max_steps": 300, "force": 500}}
    state = common.build(folder, f"{name}-nvt-start", spec)
    state, _ = common.run(a, folder, f"{name}-nvt-equil", {
        "input": state, "run": {"steps": a.equilibrate, "dt": a.dt},
        "thermostat": thermostat("langevin", 0.5), "output": {"energies_every": 100}})
    steps = a.steps // 2
    _, report = common.run(a, folder, f"{name}-nvt", {
        "input": state,
        "run": {"steps": steps, "dt": a.dt, "momentum_every": 100},
        "thermostat": thermostat("bussi", 5.0),
        "output": {"energies_every": 100, "frames_every": max(steps // a.frames, round(0.1 / a.dt))}})
    return report


def lag_means(times, function, longest, count=40):
    """Lags in ps, and for each the series over time origins of function(origin frames, later frames)."""
    step = times[1] - times[0]
    most = min(int(longest / step), len(times) // 2)
    lags = np.unique(np.linspace(1, most, min(count, most)).astype(int))
    return lags * step, [function(slice(0, len(times) - lag), slice(lag, None)) for lag in lags]


def slope_in_blocks(t, series, choose, transform, blocks=5):
    """Slopes against t of transform(mean of series) in the chosen range, one for each block of origins."""
    parts = [np.array([np.array_split(s, blocks)[k].mean() for s in series]) for k in range(blocks)]
    return [np.polyfit(t[choose], transform(part[choose]), 1)[0] for part in parts]


def diffusion(a, trajectory):
    """D in 1e-5 cm2/s (1 nm2/ps = 1e-2 cm2/s), with the finite-size correction."""
    x = trajectory.unwrapped()
    x -= x.mean(axis=1, keepdims=True)  # one mass: the drift of the centre of mass of all

    def displacement(first, last):
        return ((x[last] - x[first])**2).sum(axis=-1).mean(axis=1)

    t, series = lag_means(trajectory.time, displacement, a.longest)
    choose = t >= 0.3 * t[-1]
    value = common.spread([s / 6 * 1e3 for s in slope_in_blocks(t, series, choose, lambda m: m)])
    edge = trajectory.edges[0, 0] * 1e-9
    correction = 2.837297 * 1.380649e-23 * TEMPERATURE / (6 * np.pi * VISCOSITY * edge) * 1e9
    return value, correction, np.column_stack([t, [s.mean() for s in series]])


def relaxation(a, trajectory):
    """tau_1 and tau_2: exponential fits of the correlations of P1 and P2 of the dipole axes."""
    u = common.body_z(trajectory.value("quaternion")).astype(np.float32)
    result = []
    for order, first, longest in ((1, 2.0, a.longest), (2, 1.0, a.longest / 2)):
        def correlate(begin, end, order=order):
            c = np.einsum("tbk,tbk->tb", u[begin], u[end])
            return (c if order == 1 else 1.5 * c * c - 0.5).mean(axis=1)

        t, series = lag_means(trajectory.time, correlate, longest)
        mean = np.array([s.mean() for s in series])
        choose = (t >= min(first, 0.3 * t[-1])) & (mean > 0.05)
        if choose.sum() < 2:
            result.append((np.nan, np.nan))
            continue
        slopes = slope_in_blocks(t, series, choose, lambda c: np.log(np.maximum(c, 1e-6)))
        result.append(common.spread([-1 / s for s in slopes]))
    return result


def radial(trajectory, frames=80, width=0.004, largest=0.9):
    """g(r) of oxygens in a constant box: middles of bins, g in blocks of frames, number density."""
    edge = trajectory.edges[0]
    n, bins = trajectory.beads, int(round(largest / width))
    chosen = np.unique(np.linspace(0, trajectory.frames - 1, frames).astype(int))
    counts = np.zeros((len(chosen), bins))
    for k, frame in enumerate(chosen):
        x = trajectory.value("position", frame) + OXYGEN * common.body_z(trajectory.value("quaternion", frame))
        x = (x / edge).astype(np.float32)
        for first in range(0, n, 500):
            d = x[first:first + 500, None] - x[None, first:]
            d -= np.rint(d)
            r = np.sqrt((d**2 @ (edge**2).astype(np.float32))).ravel()
            counts[k] += np.histogram(r[r < largest], bins=bins, range=(0, largest))[0]
            size = min(500, n - first)
            inner = r.reshape(size, -1)[:, :size]
            counts[k] -= 0.5 * np.histogram(inner[inner < largest], bins=bins, range=(0, largest))[0]
    borders = np.linspace(0, largest, bins + 1)
    shell = 4 / 3 * np.pi * (borders[1:]**3 - borders[:-1]**3)
    rho = n / edge.prod()
    counts[:, 0] = 0  # a bead with itself
    return (borders[1:] + borders[:-1]) / 2, 2 * counts / (n * rho * shell), rho, shell


def structure(r, g, rho, shell):
    """First peak, first minimum and coordination number, errors from four blocks of frames."""
    mean = g.mean(axis=0)
    smooth = np.convolve(mean, np.ones(9) / 9, mode="same")
    near = (r > 0.24) & (r < 0.34)
    peak = np.flatnonzero(near)[mean[near].argmax()]
    valley = (r > r[peak] + 0.02) & (r < 0.42)
    minimum = np.flatnonzero(valley)[smooth[valley].argmin()]
    inside = np.cumsum(mean * shell) * rho
    number_to = [(part.mean(axis=0) * shell)[:minimum + 1].sum() * rho for part in np.array_split(g, 4)]
    return {"r_peak": (r[peak], None), "g_peak": common.spread([p.mean(axis=0)[peak] for p in np.array_split(g, 4)]),
            "r_min": (r[minimum], None), "g_min": (smooth[minimum], None), "inside": inside,
            "nc_33": (np.interp(0.33, r, inside), None), "nc": common.spread(number_to)}


def read_model(model):
    """Text of a force field, looked up as lamella does."""
    if "/" in model or model.endswith(".yaml"):
        return pathlib.Path(model).read_text(encoding="utf-8")
    folders = common.environment()["LAMELLA_FORCEFIELDS"].split(":")
    for path in (pathlib.Path(folder) / f"{model}.yaml" for folder in folders):
        if path.exists():
            return path.read_text(encoding="utf-8")
    return sys.exit(f"no force field {model}")


def treated(a, folder, models):
    """The models, or force field files of them with other cutoffs and switching functions."""
    if not a.treatments:
        return [os.path.abspath(model) if os.path.exists(model) else model for model in models]
    paths = []
    for model in models:
        for treatment in a.treatments.split(","):
            cutoff, begin = treatment.split(":")
            text, n = re.subn(r"^cutoff: [0-9.]+", f"cutoff: {cutoff}", read_model(model), flags=re.M)
            text, m = re.subn(r"^  switch_from: [0-9.]+", f"  switch_from: {begin}", text, flags=re.M)
            assert n == m == 1, "cutoff and switch_from"
            path = (folder / f"{pathlib.Path(model).stem}-{cutoff}-{begin}.yaml").resolve()
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
    return paths


def published(name):
    """The published values of a model, also of one in another treatment."""
    return PUBLISHED.get(name.split("-")[0], {})


def measure(a, folder, model):
    name = model.rsplit("/", 1)[-1].removesuffix(".yaml")
    common.say(name)
    reports = [simulate_npt(a, folder, name, model)]
    result = analyse_npt(a, folder, name, 18.0153)
    reports.append(simulate_nvt(a, folder, name, model, result["rho"][0]))
    trajectory = common.Trajectory(f"{folder}/{name}-nvt")
    result["D"], result["D_correction"], msd = diffusion(a, trajectory)
    result["D_inf"] = (result["D"][0] + result["D_correction"], result["D"][1])
    result["tau1"], result["tau2"] = relaxation(a, trajectory)
    r, g, rho, shell = radial(trajectory)
    result.update(structure(r, g, rho, shell))
    result["T"] = block(common.read_csv(f"{folder}/{name}-nvt.csv")["temperature_K"])
    result["ms_per_step"] = [report["ms_per_step"] for report in reports]
    inside = result.pop("inside")
    np.savetxt(f"{folder}/{name}.gr.csv", np.column_stack([r, g.mean(axis=0), inside]), "%.5g", ",",
               header="r_nm,g_OO,n_inside")
    if published(name):
        result["r_published"] = np.interp(float(published(name)["nc"]), inside, r)
    np.savetxt(f"{folder}/{name}.msd.csv", msd, "%.6g", ",", header="t_ps,msd_nm2")
    if not a.keep:
        common.remove(folder, f"{name}-nvt")
    return name, result


def report(a, results):
    columns = []
    for name in results:
        columns += [name] + ([name.split("-")[0] + ", published"] if published(name) else [])
    rows = []
    for key, label in ROWS:
        row = [label]
        for name, result in results.items():
            mean, error = result[key]
            row.append(number(mean, error, 3))
            if published(name):
                row.append(published(name).get(key, ""))
        rows.append(row + [PUBLISHED["experiment"].get(key, "")])
    some = next(iter(results.values()))
    return "\n".join([
        f"{a.molecules} molecules, {TEMPERATURE:.0f} K, {PRESSURE:g} bar, dt {1000 * a.dt:g} fs, "
        f"{a.steps // 2 * a.dt:g} ps of NPT and as much NVT, {a.precision}.", "",
        common.table(["", *columns, "experiment"], rows), "",
        "Published: Fennell and Gezelter, J. Chem. Phys. 120, 9175 (2004).",
        f"Correction of Yeh and Hummer: 2.837297 kT / (6 pi eta L), eta {VISCOSITY * 1000:g} mPa s "
        f"(experiment), {some['D_correction']:.3f}e-5 cm2/s for this box. Published D have none.",
        "The minimum of g_OO is flat, so that the coordination number depends on where it is taken; the published "
        "ones are those within " + ", ".join(f"{r['r_published']:.3f} nm ({name})" for name, r in results.items()
                                             if "r_published" in r) + "."])


def main():
    p = common.parser(__doc__, "ssd_bulk")
    p.add_argument("models", nargs="*", metavar="MODEL", default=["ssde", "ssdrf"])
    p.add_argument("--molecules", type=int, help="[2000; small: 400]")
    p.add_argument("--steps", type=int, help="of NPT and NVT together [1400000; small: 16000]")
    p.add_argument("--equilibrate", type=int, help="steps before each [100000; small: 6000]")
    p.add_argument("--treatments", metavar="CUTOFF:SWITCH_FROM,...")
    p.add_argument("--dt", type=float, default=0.002, help="ps [%(default)s]")
    p.add_argument("--frames", type=int, default=2000, help="of the NVT run, at most [%(default)s]")
    p.add_argument("--longest", type=float, help="ps: longest lag of correlations [20; small: 4]")
    a = p.parse_args()
    a.molecules = a.molecules or (400 if a.small else 2000)
    a.steps = a.steps or (16000 if a.small else 1400000)
    a.equilibrate = a.equilibrate or (6000 if a.small else 100000)
    a.longest = a.longest or (4.0 if a.small else 20.0)
    folder = common.prepare(a)
    results = {}
    for model in treated(a, folder, a.models):
        name, result = measure(a, folder, model)
        results[name] = result
        text = report(a, results)
        (folder / "ssd_bulk.md").write_text(text + "\n", encoding="utf-8")
        common.write_json(folder / "ssd_bulk.json", {"options": vars(a), "results": results})
    print(text)


if __name__ == "__main__":
    sys.exit(main())
