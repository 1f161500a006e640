#!/usr/bin/env python3
"""A bilayer of lipids with tails of Gay-Berne ellipsoids in SSD water: does it stay one?

    bench/beads/ellipsoid_lipids.py [--backend=cuda] [--ns=10] [--lipids=128] [-o FOLDER]

DMPC of the force field `gb-lipids`, 30 waters each, is built and relaxed (constant area, 1 and 2 fs, strong
friction), then run at 303 K and 1 atm without tension (langevin, crescale semi_isotropic) at 4 fs. Prints, from
observables over the frames of each quarter of the run, and over all without the first: area and volume per lipid, thickness between the
phosphates, order parameters of the tails (vector between the ellipsoids of a tail) and of the axes of the upper and
lower ellipsoids, tilt, lipids that changed leaflet. Then whether it is a bilayer: by the densities of the last
three quarters, phosphates in two peaks with none between, tails in the middle and none in the water, a dry middle.
Writes FOLDER/ellipsoid_lipids.md and .json; the files of the run stay there (lamella-report)."""
import sys

import numpy as np

import common

TEMPERATURE = 303.0
PRESSURE = 1.01325
FRAMES = 400
# Frames of each part, from 1; the frame of step 0 is left out.
PARTS = {"first": (2, FRAMES // 4 + 1), "second": (FRAMES // 4 + 2, FRAMES // 2 + 1),
         "third": (FRAMES // 2 + 2, 3 * FRAMES // 4 + 1), "last": (3 * FRAMES // 4 + 2, FRAMES + 1),
         "all but the first": (FRAMES // 4 + 2, FRAMES + 1)}
# title, observable, table, row, column. DMPC: C P G E T T E T T.
ROWS = [("area per lipid, nm2", "membrane", "membrane", "", "area"),
        ("volume per lipid, nm3", "membrane", "membrane", "", "volume_per_lipid"),
        ("P-P distance, nm", "membrane", "membrane", "", "thickness"),
        ("order of tails", "order", "molecules", "DMPC", "tail_order"),
        ("order of upper ellipsoids, tail 1", "order", "dipoles", "DMPC:5", "order"),
        ("order of upper ellipsoids, tail 2", "order", "dipoles", "DMPC:8", "order"),
        ("order of lower ellipsoids, tail 1", "order", "dipoles", "DMPC:6", "order"),
        ("order of lower ellipsoids, tail 2", "order", "dipoles", "DMPC:9", "order"),
        ("tilt, degrees", "order", "molecules", "DMPC", "tilt"),
        ("lipids in the upper leaflet", "leaflets", "leaflets", "DMPC", "upper"),
        ("lipids that changed leaflet", "leaflets", "leaflets", "DMPC", "flips")]


def simulate(a, folder):
    half = a.lipids // 2
    state = common.build(folder, "start", {
        "forcefield": "gb-lipids", "seed": a.seed, "temperature": TEMPERATURE,
        "bilayer": {"upper": {"DMPC": half}, "lower": {"DMPC": half}, "area_per_lipid": a.area,
                    "water_per_lipid": a.waters}, "minimise": {"max_steps": 1000, "force": 1000}})
    for k, (dt, share) in enumerate(((0.001, 0.25), (0.002, 0.75))):
        state, _ = common.run(a, folder, f"relax{k}", {
            "input": state,
            "run": {"steps": int(share * a.relax), "dt": dt, "momentum_every": 100},
            "thermostat": {"type": "langevin", "temperature": TEMPERATURE, "tau": 0.2},
            "barostat": {"type": "berendsen", "coupling": "constant_area", "pressure": PRESSURE, "tau": 1.0,
                         "every": 10},
            "output": {"energies_every": 100}})
    every = max(1, int(round(a.ns * 1000 / a.dt / FRAMES)))
    _, report = common.run(a, folder, "ellipsoid_lipids", {
        "input": state,
        "run": {"steps": every * FRAMES, "dt": a.dt, "momentum_every": 100},
        "thermostat": {"type": "langevin", "temperature": TEMPERATURE, "tau": 1.0},
        "barostat": {"type": "crescale", "coupling": "semi_isotropic", "pressure": PRESSURE, "tau": 5.0, "every": 10},
        "output": {"energies_every": max(1, every // 10), "frames_every": every},
        "observe": [{kind: {"every": every}} for kind in ("membrane", "order", "leaflets", "density")]})
    return report


def values(folder, part):
    """(mean, error) of each row over the frames of a part."""
    first, last = PARTS[part]
    prefix, found = "ellipsoid_lipids." + part.replace(" ", "_"), {}
    common.lamella("analyze", "ellipsoid_lipids.h5md", "ellipsoid_lipids.yaml", f"--first={first}", f"--last={last}",
                   f"--output={prefix}", folder=folder)
    for title, kind, table, label, column in ROWS:
        row = common.read_words(f"{folder}/{prefix}.{kind}.{table}.csv")[label]
        found[title] = float(row[column]), float(row[column + "_error"] or "nan")
    return found


def judge(folder):
    """The tests of a bilayer, from number densities along z."""
    profile = common.read_csv(f"{folder}/ellipsoid_lipids.all_but_the_first.density.density.csv")
    z, p, t, w = (profile[name] for name in ("z_nm", "number_DMPC_P", "number_DMPC_T", "number_WATER_W"))
    middle, edge = np.abs(z) < 0.4, np.abs(z) > z.max() - 0.4
    return {"two peaks of P": bool(p[middle].max() < 0.05 * p.max() and
                                   min(p[z > 0].max(), p[z < 0].max()) > 0.5 * p.max()),
            "tails in the middle": bool(t[middle].mean() > 0.5 * t.max() and t[edge].mean() < 0.01 * t.max()),
            "dry middle": bool(w[np.abs(z) < 0.25].mean() < 0.05 * w[edge].mean())}


def main():
    p = common.parser(__doc__, "ellipsoid_lipids")
    p.add_argument("--ns", type=float, help="length of the run [10; small: 0.1]")
    p.add_argument("--dt", type=float, default=0.004, help="ps [%(default)s]")
    p.add_argument("--relax", type=int, help="steps of relaxation [40000; small: 10000]")
    p.add_argument("--lipids", type=int, help="[128; small: 64]")
    p.add_argument("--waters", type=int, default=30, help="for each lipid [%(default)s]")
    p.add_argument("--area", type=float, default=0.62, help="per lipid at the start, nm2 [%(default)s]")
    a = p.parse_args()
    a.ns = a.ns or (0.1 if a.small else 10.0)
    a.relax = a.relax or (10000 if a.small else 40000)
    a.lipids = a.lipids or (64 if a.small else 128)
    folder = common.prepare(a)
    performance = simulate(a, folder)
    found = {part: values(folder, part) for part in PARTS}
    tests = judge(folder)
    failed = [test for test, passed in tests.items() if not passed]
    rows = [[title, *(f"{found[part][title][0]:g}" if kind == "leaflets" else common.number(*found[part][title])
                      for part in found)] for title, kind, *_ in ROWS]
    text = "\n".join([
        f"{a.lipids} DMPC of gb-lipids, {a.waters} waters each, {TEMPERATURE:g} K, 1 atm, no tension, {a.ns:g} ns at "
        f"{1000 * a.dt:g} fs, {a.precision}.", "", common.table(["quarter", *PARTS], rows), "",
        "Still a bilayer: " + ("yes" if not failed else "no: not " + ", not ".join(failed))])
    (folder / "ellipsoid_lipids.md").write_text(text + "\n", encoding="utf-8")
    common.write_json(folder / "ellipsoid_lipids.json", {"options": vars(a), "results": found, "tests": tests,
                                                         "ms_per_step": performance["ms_per_step"]})
    print(text)


if __name__ == "__main__":
    sys.exit(main())
