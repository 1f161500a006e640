"""Motion of the bead models: steps forward and back, the energy of NVE and its fluctuation with the
step, equipartition over translation and every axis of rotation, a pressure without rotation, and starts
in which ellipsoids overlap."""
import json
import os
import shutil
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks, energy, run, skip, write
from test_ensemble import K_B, inefficiency

try:
    import bead_states as states
    from test_bitwise_beads import RODS, seven, warm
except ImportError as missing:
    skip(str(missing))

KCAL = 4.184
WATERS = 256
WATER = """
forcefield: ssde
seed: 1
temperature: 298
water: {count: %d, density: 997}
minimise: no
"""
LIPIDS = """
forcefield: gb-lipids
seed: 1
temperature: 303
bilayer: {upper: {DMPC: 9}, lower: {DMPC: 9}, area_per_lipid: 0.9, water_per_lipid: 0, height: 8}
minimise: {max_steps: 1000, force: 500}
"""
KELVIN = {"water": 298, "rods": 120, "seven": 300, "lipids": 303}
# Skins that the small boxes leave room for, nm.
SKIN = {"water": 0.08, "rods": 0.2, "seven": 0.1, "lipids": 0.15}
# kcal/mol per bead at 2 fs, of this program on the day the test was written: 4.4e-4 of 256 waters. It
# falls with the root of their number.
SD_AT_2_FS = 4.4e-4 * 256**0.5


def simulate(folder, prefix, start, name, steps, dt, **more):
    settings = {"input": start, "run.steps": steps, "run.dt": dt, "neighbor.skin": SKIN[name],
                "output.checkpoint_every": 0, **more}
    trial.simulate(folder, prefix, settings, timeout=7000)
    return trial.checkpoint(folder, prefix)


def warmed(folder, name, start, lengths):
    """Langevin dynamics at steps of 0.2, then of 1 fs; lengths: ps of each."""
    for dt, length in zip((0.0002, 0.001), lengths):
        start = simulate(folder, f"{name}_{1000 * dt:g}", start, name, round(length / dt), dt,
                         **langevin(name, 50 * dt))
    return start


def langevin(name, tau):
    return {"thermostat.type": "langevin", "thermostat.temperature": KELVIN[name],
            "thermostat.tau": tau}


def water(folder, count, length):
    start = trial.build(folder, "water_start", WATER % count)
    return warmed(folder, "water", start, (0.1, length))


def reverse(path):
    with h5py.File(path, "r+") as file:
        for name in ("momentum", "angular_momentum"):
            file["beads/" + name][:] = -file["beads/" + name][:]


def bodies(path):
    """Momenta, angular momenta in the body frame, quaternions, types."""
    with h5py.File(path, "r") as file:
        return [file["beads/" + name][:] for name in ("momentum", "angular_momentum",
                                                      "orientation", "type")]


def steps_are_reversible(checks, folder, name, start, steps):
    """Forward, momenta reversed, and as far back: the start, and its energy."""
    double = {"run.precision": "double", "output.energies_every": 1}
    there = simulate(folder, name + "_there", start, name, steps, 0.002, **double)
    reverse(there)
    back = simulate(folder, name + "_back", there, name, steps, 0.002, **double)
    reverse(back)
    first, last = (trial.columns(folder, name + end)["total"] for end in ("_there", "_back"))
    checks.true(f"{name}: {steps} steps: a step changes the energy", abs(first[-1] - first[0]) > 1e-6)
    checks.close(f"{name}: {steps} steps: energy of the way back", last[-1], first[0], 1e-11)
    away = np.abs(trial.positions(back) - trial.positions(start)).max()
    checks.true(f"{name}: {steps} steps: places", away < 1e-9, away)
    for what, a, b in zip(("p", "j", "q"), bodies(start), bodies(back)):
        error = np.abs(a - b).max() / np.abs(a).max()
        checks.true(f"{name}: {steps} steps: {what}", error < 1e-8, error)


def drift(columns, beads):
    """kcal/mol per bead per ns with its standard error; sd of the total energy about the line, kcal/mol
    per bead. The deviations are correlated: the energy wanders, because the second derivative of the
    cubic switching functions of the sticky term jumps at their ends."""
    time, total = columns["time_ps"], columns["total"] / KCAL / beads
    slope, start = np.polyfit(time, total, 1)
    rest = total - slope * time - start
    freedom = max(len(rest) / inefficiency(rest) - 2, 1)
    return 1000 * slope, 1000 * rest.std() / time.std() / freedom**0.5, rest.std()


def nve(folder, start, beads, dt, length, precision="double"):
    """Columns of an NVE run of water; drift, its error and sd."""
    prefix = f"nve_{precision}_{1000 * dt:g}"
    simulate(folder, prefix, start, "water", round(length / dt), dt,
             **{"run.precision": precision, "output.energies_every": max(1, round(0.02 / dt))})
    columns = trial.columns(folder, prefix)
    slope, error, sd = drift(columns, beads)
    print(f"{precision} {1000 * dt:g} fs, {length:g} ps: drift ({slope:.2e} +- {error:.1e}) "
          f"kcal/mol per molecule per ns, sd {sd:.2e} kcal/mol per molecule")
    return columns, slope, error, sd


def energy_is_conserved(checks, folder, start, length):
    """At 1 and 2 fs in double. The bound on the drift of so short a run is its own error."""
    sd = {}
    for dt in (0.001, 0.002):
        columns, slope, error, sd[dt] = nve(folder, start, WATERS, dt, length)
        checks.true(f"{dt} ps: drift within its error", abs(slope) < 4.5 * error, slope, error)
        checks.true(f"{dt} ps: the test can tell", error < 0.25, error)
        want = SD_AT_2_FS / WATERS**0.5 * (dt / 0.002)**2
        checks.true(f"{dt} ps: fluctuation", sd[dt] < 1.5 * want, sd[dt], want)
        if dt == 0.001:
            same_temperatures(checks, "water, NVE", columns)
    ratio = sd[0.002] / sd[0.001]
    # 3.8 to 4.3 in 6 ps from six starts; 3.3 to 5.1 in 2 ps
    checks.true("fluctuations go with the square of the step", 3.3 < ratio < 4.9, ratio)


def sites_conserve_energy(checks, folder, start):
    """Lipids whose bodies are bonded at sites, without water: at 4 and 8 fs in double."""
    sd = {}
    for dt in (0.004, 0.008):
        prefix = f"sites_{1000 * dt:g}"
        simulate(folder, prefix, start, "lipids", round(4 / dt), dt,
                 **{"run.precision": "double", "output.energies_every": round(0.016 / dt)})
        columns = trial.columns(folder, prefix)
        slope, _, sd[dt] = drift(columns, 1)
        print(f"sites, {1000 * dt:g} fs, 4 ps: drift {slope:.2e} kcal/mol per ns, sd {sd[dt]:.2e} kcal/mol")
        kinetic = columns["kinetic"].std() / KCAL
        checks.true(f"sites, {dt} ps: energy is conserved", sd[dt] < 2e-3 * kinetic, sd[dt], kinetic)
    ratio = sd[0.008] / sd[0.004]
    checks.true("sites: fluctuations go with the square of the step", 3 < ratio < 5.5, ratio)


def error_of(x):
    return x.std() / (len(x) / inefficiency(x))**0.5


def same_temperatures(checks, what, columns):
    """Translation and rotation, at 1 fs: a step lowers the rotation's by some per cent of its
    square in units of the libration's period."""
    translation, rotation = [columns[f"temperature_{part}_K"] for part in ("translation", "rotation")]
    mean, more = translation.mean(), rotation - translation
    error = error_of(more)
    print(f"{what}: translation {mean:.1f}, rotation {more.mean():+.1f} +- {error:.1f} K")
    checks.true(what + ": error of temperatures", error < 0.02 * mean, error)
    checks.close(what + ": rotation less translation", more.mean(), 0, 0, 0.01 * mean + 4.5 * error)


def field_types(path):
    """(name, mass, inertia) of the types of a state."""
    import yaml
    with h5py.File(path, "r") as file:
        text = file["forcefield/text"][()]
    text = text[0] if getattr(text, "ndim", 0) else text
    types = yaml.safe_load(text)["types"]
    return [(name, t["mass"], t.get("inertia", [0, 0, 0])) for name, t in types.items()]


def axes_are_equal(checks, folder, name, start, runs, steps):
    """Langevin dynamics: the mean of p^2/m and of j_k^2/I_k is kT for every type and axis, over states
    that are 4 relaxation times apart. Axes without inertia do not turn."""
    dt, tau, kinds = 0.001, 0.001 * steps / 4, field_types(start)
    found = {}
    for run in range(runs):
        start = simulate(folder, f"{name}_langevin{run % 2}", start, name, steps, dt,
                         **langevin(name, tau), **{"run.seed": 10 + run})
        p, j, _, species = bodies(start)
        for k, (kind, mass, inertia) in enumerate(kinds):
            at = species == k
            found.setdefault((kind, "translation"), []).extend((p[at]**2 / mass).ravel())
            for axis in range(3):
                if inertia[axis] > 0:
                    found.setdefault((kind, axis), []).extend(j[at, axis]**2 / inertia[axis])
                else:
                    checks.true(f"{name}: {kind} does not turn about {'xyz'[axis]}",
                                not j[at, axis].any())
    for (kind, part), values in found.items():
        ratio, error = np.mean(values) / (K_B * KELVIN[name]), (2 / len(values))**0.5
        print(f"{name}: {kind} {part}: kT of {ratio:.3f} +- {error:.3f}")
        checks.true(f"{name}: {kind} {part}", abs(ratio - 1) < 4.5 * error + 0.01, ratio, error)
    # NVE, so that the centre of mass has no degrees of freedom.
    simulate(folder, name + "_last", start, name, 1, dt, **{"output.energies_every": 1})
    columns = {key: values[:1] for key, values in trial.columns(folder, name + "_last").items()}
    momenta = bodies(start)
    turning = sum(np.sum(np.array(inertia) > 0) * np.sum(momenta[3] == k)
                  for k, (_, _, inertia) in enumerate(kinds))
    checks.close(f"{name}: degrees of freedom of rotation",
                 2 * columns["rotational"][-1] / K_B / columns["temperature_rotation_K"][-1],
                 turning, 1e-6)
    checks.close(f"{name}: degrees of freedom of translation",
                 2 * columns["kinetic"][-1] / K_B / columns["temperature_translation_K"][-1],
                 momenta[0].size - 3, 1e-6)


def pressure_leaves_rotation_out(checks, folder, name, start):
    every = {"output.energies_every": 1}
    first = simulate(folder, name + "_slow", start, name, 1, 1e-5, **every)
    slow = trial.columns(folder, name + "_slow")
    with h5py.File(first, "r+") as file:
        file["beads/momentum"][:] *= 1.5
        file["beads/angular_momentum"][:] *= 3
    simulate(folder, name + "_fast", first, name, 1, 1e-5, **every)
    fast = trial.columns(folder, name + "_fast")
    checks.close(f"{name}: rotation is faster", fast["rotational"][0], 9 * slow["rotational"][1], 1e-6)
    for a in "xyz":
        for b in "xyz":
            part = f"p{a}{b}_bar"
            kinetic = fast[part][0] - slow[part][1]
            if a == b:
                total = sum(fast[f"p{c}{c}_bar"][0] - slow[f"p{c}{c}_bar"][1] for c in "xyz")
                checks.true(f"{name}: {part} grows with translation", 0 < kinetic < total)
    volume = slow["volume_nm3"][1]
    checks.close(f"{name}: pressure", fast["pressure_bar"][0] - slow["pressure_bar"][1],
                 (1.5**2 - 1) * 2 / 3 * slow["kinetic"][1] / volume * 16.605390672, 1e-6)


def refused(folder, start):
    """What a run from a state says that ends in a blow-up."""
    write(os.path.join(folder, "refused.yaml"), "{}\n")
    settings = {"input": start, "run.steps": 100, "run.dt": 0.002, "neighbor.skin": SKIN["rods"]}
    return run("run", "refused.yaml", "--restart=never",
               *(f"--set={key}={value}" for key, value in settings.items()), status=3,
               cwd=folder).stderr


def overlaps_end_or_part(checks, folder, start):
    """Ellipsoids within each other: a run names them and ends; the minimiser takes them apart."""
    bad = os.path.join(folder, "overlapping.h5")
    shutil.copy(start, bad)
    states.rewrite(bad, orientation=states.anyhow(len(bodies(start)[3])))
    said = refused(folder, bad)
    checks.true("overlapping ellipsoids: a clear end", "blown up" in said and "bead" in said, said)
    spec = states.write(folder, "apart", f"state: {bad}\ntemperature: 120\n"
                        "minimise: {max_steps: 400, force: 100}\n")
    apart = os.path.join(folder, "apart.h5")
    run("build", spec, "-o", apart)
    checks.true("the minimiser takes them apart", energy(apart)["potential"] < 0 <
                energy(bad)["potential"] / len(bodies(bad)[3]) - 100)
    simulate(folder, "parted", apart, "rods", 200, 0.001, **{"output.energies_every": 10})
    total = trial.columns(folder, "parted")["total"] / len(bodies(bad)[3])
    checks.true("and then energy is conserved", np.ptp(total) < 1e-3, np.ptp(total))
    with h5py.File(bad, "r+") as file:
        for name in ("position", "residual"):
            file["beads/" + name][1] = file["beads/" + name][0]
    said = refused(folder, bad)
    checks.true("two on one point", "beads 1 and 2 lie on one point" in said, said)


def skin_follows_the_beads(checks, folder):
    """Water alone has the automatic skin of its own cutoffs, whatever else the force field can describe."""
    skins = []
    for name in ("ssd", "brahms"):
        start = trial.build(folder, "skin_" + name, WATER.replace("ssde", name) % 1024)
        trial.simulate(folder, "skin_run_" + name, {
            "input": start, "run.steps": 2, "run.dt": 0.0001, "neighbor.skin": "auto", "output.checkpoint_every": 0})
        with open(os.path.join(folder, f"skin_run_{name}.performance.json"), encoding="utf-8") as file:
            skins.append(json.load(file)["skin_nm"])
    checks.true("water alone has the skin of its cutoffs", abs(skins[0] - 0.15) < 1e-9 and skins[0] == skins[1], *skins)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        moved = warm(folder, "rods", trial.build(folder, "rods_start", RODS))["input"]
        starts = {"water": water(folder, WATERS, 2),
                  "rods": warmed(folder, "rods", moved, (0.01, 0.25)),
                  "seven": warmed(folder, "seven", seven(folder), (0.05, 0.2))}
        for name, start in starts.items():
            for steps in (1, 10):
                steps_are_reversible(checks, folder, name, start, steps)
            pressure_leaves_rotation_out(checks, folder, name, start)
            axes_are_equal(checks, folder, name, start, 6, 60)
        energy_is_conserved(checks, folder, starts["water"], 6)
        sites_conserve_energy(checks, folder, warmed(folder, "lipids", trial.build(folder, "lipids_start", LIPIDS), (0.1, 2)))
        overlaps_end_or_part(checks, folder, starts["rods"])
        skin_follows_the_beads(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
