"""Windows of which everything is known: samples of a given profile under umbrellas, written as a run writes them."""
import numpy as np

BOLTZMANN = 0.00831446261815324


def independent(dice, energy, kt, n, low=-3.0, high=3.0):
    """Independent samples of exp(-energy / kt), by its inverse integral on a fine grid."""
    grid = np.linspace(low, high, 60001)
    e = energy(grid)
    whole = np.cumsum(np.exp(-(e - e.min()) / kt))
    return np.interp(dice.random(n), whole / whole[-1], grid)


def ornstein_uhlenbeck(dice, n, relaxation, deviation, interval):
    """An exact series with <dx(0) dx(t)> = deviation^2 exp(-t / relaxation)."""
    keep = np.exp(-interval / relaxation)
    kicks = dice.normal(size=n) * deviation * np.sqrt(1 - keep**2)
    x = np.empty(n)
    x[0] = dice.normal() * deviation
    for k in range(1, n):
        x[k] = keep * x[k - 1] + kicks[k]
    return x


def overdamped(dice, slope, places, kt, d, dt, n, every):
    """Series [windows][n] of dx = -D U'(x) / kT dt + sqrt(2 D dt) noise, a window for each place."""
    x, found = np.array(places, float), []
    kick = np.sqrt(2 * d * dt)
    for step in range(n * every):
        x = x - d / kt * slope(x) * dt + kick * dice.normal(size=len(x))
        if step % every == every - 1:
            found.append(x)
    return np.array(found).T


DISTANCE = "{name: d, kind: distance, along: z}"


def write(prefix, x, bias, interval=1.0, temperature=300, energy=None, place=None, coordinate=DISTANCE, unit="nm"):
    """PREFIX.coordinates.csv and PREFIX.log of a run with a coordinate d. bias: the entry of `biases`, or several;
    energy: of the first at x; place: its place."""
    with open(prefix + ".coordinates.csv", "w") as file:
        file.write(f"step,time_ps,d_{unit}" + ",pull_energy" * (energy is not None) + ",pull_place" * (place is not None) + "\n")
        for k, value in enumerate(x):
            file.write(f"{10 * k},{k * interval:.8g},{value:.9g}" + (f",{energy[k]:.9g}" if energy is not None else "")
                       + (f",{place:.9g}" if place is not None else "") + "\n")
    pad = "\n" + " " * 22
    text = f"thermostat: {{type: bussi, temperature: {temperature}}}{pad}coordinates: [{coordinate}]{pad}biases: [{bias}]"
    with open(prefix + ".log", "w") as file:
        file.write("2026-01-01T00:00:00Z  starting from 'a.h5', step 0, time 0 ps\n2026-01-01T00:00:00Z  effective input:"
                   f"{pad}{text}\n2026-01-01T00:00:00Z  the job ends with status 0\n")


def umbrella(at, k, more=""):
    return f"{{name: pull, coordinate: d, kind: umbrella, k: {k}, at: {at}{more}}}"
