"""Ensembles against theory: the law of the kinetic energy and equipartition under thermostats, and
of the volume under stochastic cell rescaling, by the ratio of histograms at two pressures
(Shirts, J. Chem. Theory Comput. 9, 909, 2013)."""
import tempfile

import numpy as np

import trial
from run_lamella import Checks

K_B = 0.00831446261815324  # kJ/(mol K)
BAR = 16.605390672  # bar per kJ/(mol nm3)
WATER = """
forcefield: %s
seed: 2
temperature: 303
water: {count: 700, density: 960}
minimise: {max_steps: 100, force: 3000}
"""


def inefficiency(x):
    """Samples per independent sample, by the first negative of the autocorrelation."""
    x = x - x.mean()
    n = len(x)
    power = np.abs(np.fft.rfft(x, 2 * n))**2
    c = np.fft.irfft(power)[:n] / np.arange(n, 0, -1)
    end = np.argmax(c < 0.02 * c[0]) or n
    return max(1.0, 1 + 2 * (c[1:end] / c[0]).sum())


def chi2_law(x, freedom):
    """Probability below x of the chi-squared law of many degrees (Wilson and Hilferty, 1931)."""
    from math import erf
    part = 2 / (9 * freedom)
    z = ((x / freedom)**(1 / 3) - 1 + part) / part**0.5
    return np.array([0.5 * (1 + erf(v / 2**0.5)) for v in z])


def check_kinetic(checks, what, kinetic, freedom, temperature, bias):
    """Mean, variance and distribution of 2 K / kT; bias: relative error allowed to the step."""
    x = 2 * kinetic / (K_B * temperature)
    g = inefficiency(x)
    n = len(x) / g
    mean, ratio = x.mean() / freedom, x.var() / (2 * freedom)
    print(f"{what}: {n:.0f} independent samples, <K> / K0 = {mean:.5f}, variance ratio {ratio:.3f}")
    checks.true(what + ": enough samples", n > 80, n)
    checks.close(what + ": mean", mean, 1, absolute=4 * (2 / freedom / n)**0.5 + bias)
    checks.close(what + ": variance", ratio, 1, absolute=4 * (2 / n)**0.5 + 2 * bias)
    thin = np.sort(x[::int(np.ceil(g))] / (1 + (mean - 1) * (bias > 0)))
    law = chi2_law(thin, freedom)
    rank = np.arange(len(thin))
    distance = max((law - rank / len(thin)).max(), ((rank + 1) / len(thin) - law).max())
    checks.true(what + ": Kolmogorov-Smirnov", distance * len(thin)**0.5 < 1.95, distance)


def thermostats(checks, folder, fluid, steps, temperature):
    """Kinetic energy of a Lennard-Jones fluid of 500 beads. steps: {thermostat: of its run}."""
    for kind, extra, freedom in (("bussi", {"thermostat.every": 2}, 1497), ("langevin", {}, 1500)):
        trial.simulate(folder, kind, {"input": fluid, "run.steps": steps[kind], "run.dt": 0.003,
                                      "thermostat.type": kind, "thermostat.tau": 0.08,
                                      "thermostat.temperature": temperature,
                                      "output.energies_every": 4, "run.momentum_every":
                                      1000 if kind == "bussi" else 0, **extra}, timeout=7000)
        kinetic = trial.columns(folder, kind)["kinetic"][100:]
        check_kinetic(checks, kind, kinetic, freedom, temperature, 0 if kind == "bussi" else 1e-3)


def equipartition(checks, folder, steps):
    """Translation and rotation of water; either thermostat acts on both. steps: {thermostat: of its run}."""
    settings = {"run.dt": 0.005, "neighbor.skin": 0.1, "thermostat.temperature": 303}
    field = trial.field(folder, "water", "elba.yaml", (r"cutoff: 1\.2", "cutoff: 0.8"))
    start = trial.warm(folder, "water", trial.build(folder, "water_start", WATER % field),
                       {"run.steps": 600, "thermostat.tau": 0.1, "thermostat.type": "langevin", **settings})
    for kind, tau in ("bussi", 0.1), ("langevin", 0.05):
        trial.simulate(folder, "water_" + kind,
                       {"input": start, "run.steps": steps[kind], "thermostat.type": kind,
                        "thermostat.tau": tau, "output.energies_every": 5,
                        "run.momentum_every": 1000 if kind == "bussi" else 0, **settings},
                       timeout=7000)
        columns = trial.columns(folder, "water_" + kind)
        for part in ("translation", "rotation"):
            x = columns[f"temperature_{part}_K"][50:]
            error = x.std() / (len(x) / inefficiency(x))**0.5
            print(f"water, {kind}: {part} {x.mean():.2f} +- {error:.2f} K")
            checks.true(f"water, {kind}: error of {part}", error < 1.5, error)
            checks.close(f"water, {kind}: {part}", x.mean(), 303, 2e-3, 4 * error)


def ratio_slope(first, second):
    """b of ln p1(x)/p2(x) = a + b x by maximum likelihood, with its standard error."""
    x = np.concatenate([first, second])
    middle, width = x.mean(), x.std()
    x = np.stack([np.ones_like(x), (x - middle) / width])
    is_first = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
    w = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-w @ x))
        information = (x * p * (1 - p)) @ x.T
        w += np.linalg.solve(information, x @ (is_first - p))
    g = max(inefficiency(first), inefficiency(second))
    return w[1] / width, (g * np.linalg.inv(information)[1, 1])**0.5 / width


def check_ratio(checks, what, first, second, want, precise):
    slope, error = ratio_slope(first, second)
    print(f"{what}: slope {slope:.4f} +- {error:.4f}, theory {want:.4f}")
    checks.true(what + ": the test can tell", error < precise * abs(want), error)
    checks.close(what + ": slope", slope, want, 0.01, 3.5 * error)


def barostat(checks, folder, name, start, steps, values, temperature, settings, precise):
    """One run at each of two pressures, or tensions; what the volume, or the area, makes of it."""
    key = "barostat.surface_tension" if "tension" in name else "barostat.pressure"
    seen = []
    for value in values:
        trial.simulate(folder, "npt", {
            "input": start, "run.steps": steps, "run.dt": 0.004, "run.seed": 7 + len(seen),
            "thermostat.type": "langevin", "thermostat.tau": 0.3,
            "thermostat.temperature": temperature, "barostat.type": "crescale",
            "barostat.every": 2, "barostat.coupling": name, key: value,
            "output.energies_every": 10, **settings}, timeout=7000)
        columns = trial.columns(folder, "npt")
        skip = len(columns["step"]) // 10
        area = columns["lx_nm"] * columns["ly_nm"]
        seen.append((area if "tension" in name else columns["volume_nm3"])[skip:])
    sign = 1 if "tension" in name else -1
    want = sign * (values[0] - values[1]) / BAR / (K_B * temperature)
    check_ratio(checks, f"crescale {name}", *seen, want, precise)


# A fluid of few beads with a short cutoff, soft enough to fluctuate.
FLUID = {"barostat.tau": 0.05, "barostat.compressibility": 3e-3, "neighbor.skin": 0.25}


def smooth(folder, name, cells, density, temperature, cutoff=2.5):
    """A liquid whose forces have no step at the cutoff."""
    field = trial.field(folder, name, "lj.yaml", ("truncation: cut", "truncation: stoddard_ford"),
                        (r"cutoff: 2\.5", f"cutoff: {cutoff}"))
    return trial.liquid(folder, name, cells, density, temperature, 1000, forcefield=field)


def volumes(checks, folder, steps, precise):
    fluid = smooth(folder, "fluid", (2, 2, 3), 0.6, 180, cutoff=1.3)
    for coupling in ("isotropic", "constant_area"):
        barostat(checks, folder, coupling, fluid, steps[coupling], (100, 78), 180, FLUID, precise)


def kinetic_energies(checks, folder, steps):
    fluid = smooth(folder, "melt", (5, 5, 5), 0.7, 150, cutoff=1.5)
    thermostats(checks, folder, fluid, steps, 150)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        # Bussi's thermostat leaves the exchange of translation and rotation to collisions: longer correlations.
        kinetic_energies(checks, folder, {"bussi": 10000, "langevin": 4000})
        equipartition(checks, folder, {"bussi": 8000, "langevin": 1800})
        volumes(checks, folder, {"isotropic": 22000, "constant_area": 50000}, 0.14)
    checks.end()


if __name__ == "__main__":
    main()
