#!/usr/bin/env python3
"""summary.py FOLDER/dopc-N...: results of runs of dopc.py as a Markdown table, a column for each run, beside those of
the author of ELBA-1.1. Numbers in brackets: errors in the last digit, from block averages.

Symmetric profiles: the mean of both halves. Flatness of the normal pressure: chi squared of its bins against their
mean, over their number. Bending rigidity: least squares of kT/(q^4 S(q)) over the rows of the spectrum in a range of
wave numbers, weighted by their errors.

FIRST+SECOND as a prefix is a column of two independent runs: means weighted by the numbers of samples; pressures and
flip-flops are those of the last run alone. PREFIX@C: the run began with C x C copies of a patch, and its spectrum is
read without the rows that have modes of the patch, which all copies share: they keep the height of the copies for
long."""
import argparse
import csv
import glob
import math

import h5py
import numpy as np

KT = 0.00831446261815324 * 303
AUTHOR = {"area per lipid, nm2": "0.724(7)", "volume per lipid, nm3": "1.323 to 1.325", "distance of phosphates, nm": "3.28",
          "electrons: peak, nm-3": "386", "peak at, nm": "1.65(5)", "at the centre": "270 to 280", "in water": "333.5",
          "potential at the centre, V": "0.326", "of it esters": "0.633", "water": "0.127", "glycerol": "-0.137",
          "charges": "-0.298", "lateral pressure (Harasima) at 2.15 nm, bar": "156", "1.65 nm": "-448", "0.95 nm": "172",
          "0.55 nm": "53", "0.05 nm": "159", "tension of a monolayer, mN/m: virial": "0.15"}


def samples(prefix, observable):
    with h5py.File(prefix + ".observables.h5") as file:
        return int(file[observable].attrs["samples"][0])


def table_of_one(prefix, observable, name):
    with open(f"{prefix}.{observable}.{name}.csv") as file:
        rows = list(csv.reader(file))
    columns = dict(zip(rows[0], zip(*rows[1:])))
    return {k: np.array([float(x) if x else math.nan for x in v]) if k != "label" else v for k, v in columns.items()}


def table(prefix, observable, name):
    """{column: array} of a table; labels as they are. Of several runs: means weighted by their samples."""
    runs = prefix.split("+")
    tables = [table_of_one(run, observable, name) for run in runs]
    weight = np.array([samples(run, observable) for run in runs], float)
    weight /= weight.sum()
    out = dict(tables[0])
    for k in out:
        if k.endswith("_error"):
            out[k] = np.sqrt(sum((w * t[k])**2 for w, t in zip(weight, tables)))
        elif k != "label":
            out[k] = sum(w * t[k] for w, t in zip(weight, tables))
    return out


def newest(prefix, *observables):
    """The first of these observables that a run has."""
    return next(o for o in observables if glob.glob(f"{prefix.split('+')[0]}.{o}.*.csv"))


def shown(value, error):
    """value(error) with one digit of the error, two if it begins with 1."""
    if not error > 0 or not math.isfinite(value):
        return f"{value:.4g}"
    digits = -math.floor(math.log10(error))
    if round(error * 10**digits) < 2:
        digits += 1
    if digits <= 0:
        return f"{round(value, digits):.0f}({round(error, digits):.0f})"
    return f"{value:.{digits}f}({round(error * 10**digits):.0f})"


def fold(profile, name, at):
    """The mean of a symmetric profile at +-at, nm, by linear interpolation."""
    both = [(np.interp(x, profile["z_nm"], profile[name]), np.interp(x, profile["z_nm"], profile[name + "_error"]))
            for x in (at, -at)]
    return shown((both[0][0] + both[1][0]) / 2, math.hypot(both[0][1], both[1][1]) / 2)


def electron_rows(prefix):
    p = table(prefix, "density", "density")
    z, e = p["z_nm"], p["electrons"]
    tops = []
    for side in (z > 0, z < 0):
        k = np.flatnonzero(side)[np.argmax(e[side])]
        a, b, c = np.polyfit(z[k - 2:k + 3], e[k - 2:k + 3], 2)
        tops.append((c - b * b / (4 * a), abs(b / (2 * a)), p["electrons_error"][k]))
    top, place, error = np.mean(tops, axis=0)
    return {"electrons: peak, nm-3": shown(top, error / math.sqrt(2)), "peak at, nm": f"{place:.3f}",
            "at the centre": fold(p, "electrons", 0), "in water": fold(p, "electrons", z.max() - 0.1)}


def potential_rows(prefix):
    p = table(prefix, "potential", "potential")
    rows = {"potential at the centre, V": fold(p, "potential", 0), "of it esters": fold(p, "potential_E", 0),
            "water": fold(p, "potential_W", 0), "glycerol": fold(p, "potential_G", 0)}
    neutral = ("_E", "_W", "_G")  # alone, a charged type has a potential that grows without limit
    p["rest"] = p["potential"] - sum(p["potential" + k] for k in neutral)
    p["rest_error"] = np.sqrt(sum(p["potential" + k + "_error"]**2 for k in ("", *neutral)))
    return {**rows, "charges": fold(p, "rest", 0)}


def pressure_rows(prefix):
    prefix = prefix.split("+")[-1]
    name = newest(prefix, "pressure_half", "pressure")
    p, t = table(prefix, name, "pressure"), table(prefix, name, "tension")
    at = {"lateral pressure (Harasima) at 2.15 nm, bar": 2.15, "1.65 nm": 1.65, "0.95 nm": 0.95, "0.55 nm": 0.55,
          "0.05 nm": 0.05}
    rows = {name: fold(p, "lateral_harasima", z) for name, z in at.items()}
    normal, error = p["normal"], p["normal_error"]
    mean = (normal / error**2).sum() / (1 / error**2).sum()
    rows["tension of a monolayer, mN/m: virial"] = shown(t["tension"][0], t["tension_error"][0])
    rows["both contours less virial"] = "{:.0e}, {:.0e}".format(
        *(abs(t["tension_" + k] - t["tension"])[0] for k in ("irving_kirkwood", "harasima")))
    rows["normal pressure: mean, bar"] = shown(mean, float(np.median(error)))
    rows["its flatness, chi2 a bin"] = f"{(((normal - mean) / error)**2).mean():.2f}"
    rows["first moment of a monolayer, pN"] = shown((t["moment_upper"][0] + t["moment_lower"][0]) / 2,
                                                   math.hypot(t["moment_upper_error"][0], t["moment_lower_error"][0]) / 2)
    return rows


def shared_modes(rows, copies):
    """Which rows of a spectrum have a mode that is periodic in each of copies x copies patches."""
    ladder = sorted({x * x + y * y for x in range(2 * rows) for y in range(2 * rows)} - {0})[:rows]
    shared = {copies**2 * n for n in ladder}
    return np.array([n in shared for n in ladder])


def rigidity(prefix, low, high):
    prefix, _, copies = prefix.partition("@")
    s = table(prefix, "undulation", "spectrum")
    q, height, error = s["q_nm-1"], s["height"], s["height_error"]
    use = (q >= low) & (q <= high)
    if copies:
        use &= ~shared_modes(len(q), int(copies))
    if not use.any():
        return ""
    kappa = KT / (q**4 * height)
    spread = kappa * error / height
    weight = 1 / spread[use]**2
    return shown((weight * kappa[use]).sum() / weight.sum(), 1 / math.sqrt(weight.sum())) + f" ({use.sum()} rows)"


def column(name):
    prefix, _, copies = name.partition("@")
    m = table(prefix, "membrane", "membrane")
    get = lambda t, name: shown(t[name][0], t[name + "_error"][0])  # noqa: E731
    last = prefix.split("+")[-1]
    order = table(prefix, "order", "molecules")
    leaflets = table(last, newest(last, "leaflets_upright", "leaflets"), "leaflets")
    bending, msd = table(prefix, "undulation", "bending"), table(prefix, "msd", "diffusion")
    return {"area per lipid, nm2": get(m, "area"), "volume per lipid, nm3": get(m, "volume_per_lipid"),
            "distance of phosphates, nm": get(m, "thickness"), **electron_rows(prefix), **potential_rows(prefix),
            **pressure_rows(prefix), "area compressibility, mN/m": get(m, "area_compressibility"),
            "tail order": get(order, "tail_order"), "tilt, degrees": get(order, "tilt"),
            "lateral diffusion of lipids, nm2/us": get(msd, "lateral"),
            "flip-flops": f"{leaflets['flips'][0]:.0f}",
            "bending rigidity, q to 1 nm-1, kJ/mol": "" if copies else get(bending, "rigidity"),
            "q to 0.6 nm-1": rigidity(name, 0, 0.6), "q from 0.6 to 1 nm-1": rigidity(name, 0.6, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", nargs="+")
    prefixes = parser.parse_args().prefix
    columns = [column(p) for p in prefixes]
    names = [p.rsplit("-", 1)[-1].partition("@")[0] + " lipids" for p in prefixes]
    print("| | " + " | ".join(names) + " | author of ELBA-1.1 |")
    print("|---" * (len(prefixes) + 2) + "|")
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(c[name] for c in columns) + f" | {AUTHOR.get(name, '')} |")


if __name__ == "__main__":
    main()
