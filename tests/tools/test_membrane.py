#!/usr/bin/env python3
"""The lipids of a run are the same in its log, area per lipid, observables, trajectory, info and the Python module: a
bilayer with sterols whose heads are virtual sites, among water of three beads, a peptide and solvent. Where the lipids
are no flat bilayer, results say so and have no numbers."""
import csv
import os
import sys
import tempfile

from run_lamella import Checks, run, skip

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import yaml  # noqa: F401
    import lamella
except ImportError as missing:
    skip(str(missing))

TOP = """
[ defaults ]
1 2
[ atomtypes ]
A 72 0 A 0 0
S 0 0 A 0 0
C 24 0 A 0 0
[ nonbond_params ]
A A 1 0.45 1
[ moleculetype ]
LIP 1
[ atoms ]
1 A 1 LIP PO4 1 0
2 A 1 LIP C1 2 0
3 A 1 LIP C2 3 0
[ bonds ]
1 2 1 0.5 1250
2 3 1 0.5 1250
[ moleculetype ]
STER 1
[ atoms ]
1 S 1 STER ROH 1 0 0
2 A 1 STER R1 2 0
3 A 1 STER R2 3 0
4 A 1 STER R3 4 0
[ constraints ]
2 3 1 0.255
2 4 1 0.55
3 4 1 0.65
[ virtual_sites3 ]
1 2 3 4 1 0 -1.05
[ exclusions ]
1 2 3 4
[ moleculetype ]
PW 1
[ atoms ]
1 C 1 PW W 1 0
2 C 1 PW WP 1 0.4
3 C 1 PW WM 1 -0.4
[ constraints ]
1 2 1 0.14
1 3 1 0.14
[ exclusions ]
1 2 3
2 3
[ moleculetype ]
HELIX 1
[ atoms ]
1 A 1 TRP BB 1 0
2 A 2 LEU BB 2 0
3 A 3 LYS BB 3 0
[ bonds ]
1 2 1 0.5 1250
2 3 1 0.5 1250
[ moleculetype ]
BENZ 1
[ atoms ]
1 A 1 BENZ R1 1 0
2 A 1 BENZ R2 2 0
[ bonds ]
1 2 1 0.3 1250
[ system ]
membrane
[ molecules ]
LIP %d
STER %d
PW 20
HELIX 1
BENZ 4
"""
LIP, STER = [("PO4", 0, 1.9), ("C1", 0, 1.4), ("C2", 0, 0.9)], [("ROH", 0, 1.6275), ("R1", 0, 1.05), ("R2", 0.25, 1.1), ("R3", 0, 0.5)]
EDGE, HEIGHT = 5.6, 9.0


def equal(c, what, got, want):
    c.true(what, got == want, got, want)


def around():
    """Water, a helix and benzene above the membrane."""
    for k in range(20):
        x, y = 0.3 + 1.1 * (k % 5), 0.4 + 1.1 * (k // 5)
        yield "PW", [("W", x, y, 7.6), ("WP", x + 0.14, y, 7.6), ("WM", x - 0.14, y, 7.6)]
    yield "HELIX", [("BB", 0.8, 0.9 + 0.5 * k, 8.6) for k in range(3)]
    for k in range(4):
        yield "BENZ", [("R1", 2 + k * 0.9, 5.2, 8.4), ("R2", 2.3 + k * 0.9, 5.2, 8.4)]


def flat():
    """40 lipids and 9 sterols of a leaflet, 7 x 7 places 0.8 nm apart, the sterols every fifth."""
    placed = {"LIP": [], "STER": []}
    for side in (1, -1):
        for k in range(49):
            x, y, name = 0.4 + 0.8 * (k % 7), 0.4 + 0.8 * (k // 7), "STER" if k % 5 == 2 and k < 45 else "LIP"
            beads = STER if name == "STER" else LIP
            placed[name].append((side, [(b, x + dx, y, 3.5 + side * z) for b, dx, z in beads]))
    return placed


def ball():
    """Lipids on a sphere, with heads outside."""
    i = np.arange(40) + 0.5
    t, p = np.arccos(1 - i / 20), np.pi * (1 + 5**0.5) * i
    out = np.array([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)]).T
    return {"LIP": [(0, [(b, *(np.array([2.8, 2.8, 3.5]) + z * u)) for b, _, z in LIP]) for u in out], "STER": []}


def write(name, placed, charge=0.4):
    rows = [(kind, bead) for kind in ("LIP", "STER") for _, beads in placed[kind] for bead in beads]
    rows += [(kind, bead) for kind, beads in around() for bead in beads]
    with open(name + ".gro", "w") as out:
        out.write(f"{name}\n{len(rows)}\n")
        for n, (kind, (bead, x, y, z)) in enumerate(rows):
            kind = kind if kind != "HELIX" else ("TRP", "LEU", "LYS")[n % 3]
            out.write("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (n // 3 % 99999 + 1, kind, bead, n + 1, x % EDGE, y % EDGE, z % HEIGHT))
        out.write(f"{EDGE} {EDGE} {HEIGHT}\n")
    with open(name + ".top", "w") as out:
        out.write((TOP % (len(placed["LIP"]), len(placed["STER"]))).replace("0.4\n", f"{charge}\n"))
    run("import", name + ".top", name + ".gro", "-o", name + ".h5")


def measure(prefix, start, membrane="{}", status=0, steps=0, restart="never", ranks=1,
            observe="[membrane, leaflets, order, undulation]"):
    with open(prefix + ".yaml", "w") as out:
        out.write(f"input: {start}.h5\nmembrane: {membrane}\nrun: {{steps: {steps}, dt: 0.0001}}\nrestart: {restart}\n"
                  f"output: {{prefix: {prefix}, frames_every: 1, energies_every: 1}}\nobserve: {observe}\n")
    return run("run", prefix + ".yaml", status=status, ranks=ranks).stderr


def rows_of(prefix, table):
    with open(f"{prefix}.{table}.csv") as rows:
        return list(csv.DictReader(rows))


def areas(prefix):
    with open(prefix + ".csv") as rows:
        return [row["area_per_lipid_nm2"] for row in csv.DictReader(rows)]


def bilayer(c):
    placed = flat()
    write("flat", placed)
    said = measure("all", "flat", observe="[membrane, leaflets, order, undulation, msd, {density: {bins: 90}}, "
                   "{rdf: {pairs: [[A, A]], in_plane: yes}}]")
    text = "{lipids: [LIP, STER], heads: {LIP: [PO4], STER: [ROH]}}"
    c.true("the log says what lipids are, and what not", text in said and "not lipids: PW, HELIX, BENZ" in said, said)
    c.true("no warning", "flat bilayer" not in said, said)
    area = 2 * EDGE**2 / 98
    c.close("area", float(rows_of("all", "membrane.membrane")[0]["area"]), area, absolute=1e-6)
    c.close("thickness of phosphates", float(rows_of("all", "membrane.membrane")[0]["thickness"]), 3.8, absolute=2e-3)
    with open("all.csv") as rows:
        c.close("area in energies", float(next(csv.DictReader(rows))["area_per_lipid_nm2"]), area, absolute=1e-6)
    leaflets = rows_of("all", "leaflets.leaflets")
    equal(c, "leaflets", [(r["label"], float(r["upper"]), float(r["lower"])) for r in leaflets],
            [("LIP", 40.0, 40.0), ("STER", 9.0, 9.0)])
    shares = [float(r["area"]) for r in leaflets]
    c.close("areas by type cover the plane", 80 * shares[0] + 18 * shares[1], 2 * EDGE**2, absolute=1e-4)
    c.close("area of the lattice", shares[1], 0.64, absolute=5e-3)
    equal(c, "msd follows lipids", [r["label"] for r in rows_of("all", "msd.diffusion")], ["LIP", "STER"])
    z, n = np.array([(float(r["z_nm"]), float(r["number_LIP_A"])) for r in rows_of("all", "density.density")]).T
    c.close("profiles are centred on lipids", np.sum(z * n) / np.sum(n), 0, absolute=0.03)
    c.true("no volume beside a helix", rows_of("all", "membrane.membrane")[0]["volume_per_lipid"] == "" and
           "volume_per_lipid has no number: HELIX is neither lipid nor water" in said, said)
    side = [s for kind in ("LIP", "STER") for s, beads in placed[kind] for _ in beads]
    with lamella.Trajectory("all") as trajectory:
        equal(c, "leaflets of beads, sites too", trajectory.leaflet.tolist(), side + [0] * (len(trajectory.leaflet) - len(side)))
        equal(c, "lipids of the trajectory", trajectory.lipids, ["LIP", "STER"])
    with lamella.Observables("all") as results:
        equal(c, "lipids of the results", results.lipids, ["LIP", "STER"])
        equal(c, "flat", results["membrane"].flat, 1.0)
    said = run("info", "all.checkpoint.h5").stdout
    c.true("info", text in said and f"{area:.4f} nm2 per lipid of a leaflet" in said, said)


def chosen(c):
    said = measure("some", "flat", "{lipids: [LIP], heads: {LIP: [PO4, C1]}}", observe="[{membrane: {water_volume: 0.02}}]")
    c.true("given lipids", "{lipids: [LIP], heads: {LIP: [PO4, C1]}}" in said, said)
    row = rows_of("some", "membrane.membrane")[0]
    c.close("their area", float(row["area"]), 2 * EDGE**2 / 80, absolute=1e-6)
    c.close("their thickness", float(row["thickness"]), 3.3, absolute=2e-3)
    volume = (EDGE**2 * HEIGHT - 0.02 * (18 * 4 + 20 * 3 + 3 + 4 * 2)) / 80
    c.close("their volume without beads of others", float(row["volume_per_lipid"]), volume, absolute=1e-6)
    said = run("info", "some.checkpoint.h5").stdout
    c.true("info of the run", "heads: {LIP: [PO4, C1]}" in said, said)
    run("analyze", "some.h5md", "-o", "again")
    c.close("analyze takes those of the run", float(rows_of("again", "membrane.membrane")[0]["area"]), 2 * EDGE**2 / 80, absolute=1e-6)
    said = measure("some", "flat", "{lipids: [LIP, STER]}", status=2, steps=1, restart="auto")
    c.true("other lipids cannot be averaged with them", "cannot be averaged together" in said, said)
    for wrong, says in (("{lipids: [LIPP]}", "did you mean 'LIP'"), ("{heads: {LIP: [PO5]}}", "no bead of the name 'PO5'"),
                        ("{lipids: [LIP], heads: {STER: [ROH]}}", "'STER' is not in the list"),
                        ("{lipids: [LIP, 7], heads: [PO4]}", "wrong.yaml:2"), ("{flat: no}", "auto|yes")):
        said = measure("wrong", "flat", wrong, status=2)
        c.true("refused: " + wrong, says in said and "wrong.yaml:2" in said, said)
    said = measure("solvent", "flat", "{lipids: [BENZ]}")
    c.true("a lipid without known heads", "no bead of BENZ is known as a head" in said, said)


def watered(c):
    """Water of several beads is solvent in pressure profiles: its charges act on it alone."""
    placed = flat()
    write("dry", placed, "1e-6")
    for prefix, start, ranks in (("wet1", "flat", 1), ("wet2", "flat", 2), ("dry1", "dry", 1)):
        measure(prefix, start, observe="[{pressure: {bins: 30}}, {density: {bins: 9}}]", ranks=ranks)
    profile = {p: rows_of(p, "pressure.pressure") for p in ("wet1", "wet2", "dry1")}
    column = {(p, k): [float(r[k]) for r in rows] for p, rows in profile.items() for k in ("lipid_lipid", "solvent_lipid", "solvent_solvent")}
    equal(c, "on any number of ranks", profile["wet2"], profile["wet1"])
    equal(c, "the charges of water are no pairs of lipids", column["wet1", "lipid_lipid"], column["dry1", "lipid_lipid"])
    c.true("they are pairs of solvent", np.ptp(np.subtract(column["wet1", "solvent_solvent"], column["dry1", "solvent_solvent"])) > 1, column)
    c.true("lipids and solvent are apart", not any(column["wet1", "solvent_lipid"]) and any(column["dry1", "lipid_lipid"]), column)
    c.true("no electrons without such in the force field", not any("electrons" in k for k in rows_of("wet1", "density.density")[0]), "")


def curved(c):
    write("ball", ball())
    said = run("info", "ball.h5").stdout
    c.true("info: no area", "none: the lipids are no flat bilayer" in said and "nm2 per lipid" not in said, said)
    said = measure("round", "ball", observe="[membrane, leaflets, order, undulation, msd, density]")
    c.true("warned at the start", "the lipids are no flat bilayer across the box" in said, said)
    for name, table, column in (("membrane", "membrane", "area"), ("leaflets", "leaflets", "upper"), ("order", "molecules", "tilt"),
                                ("undulation", "bending", "rigidity")):
        c.true(f"the log says it of {name}", f"observable {name}: at step 0" in said, said)
        equal(c, f"{name}: no number", rows_of("round", f"{name}.{table}")[0][column], "")
    c.true("profiles have numbers", float(rows_of("round", "density.density")[80]["mass"]) >= 0, "")
    with lamella.Observables("round") as results:
        equal(c, "results say it", [results[name].flat for name in ("membrane", "leaflets", "order", "undulation")], [0.0] * 4)
    with h5py.File("round.h5md") as file:
        leaflet = file["particles/trajectory/leaflet"]
        c.true("no leaflets in frames", not np.any(leaflet[:]) and "no flat bilayer" in str(dict(leaflet.attrs)), dict(leaflet.attrs))
    equal(c, "no area in energies", areas("round"), ["nan"])
    measure("kept", "ball", "{flat: yes}", steps=1, observe="[]")
    measure("kept", "ball", steps=2, observe="[]", restart="auto")
    c.true("energies are alike in all jobs of a run", len(areas("kept")) > 1 and "nan" not in areas("kept"), areas("kept"))
    said = measure("taken", "ball", "{flat: yes}")
    c.true("flat: yes", "flat bilayer" not in said and rows_of("taken", "membrane.membrane")[0]["area"] != "", said)


def main():
    c = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bilayer(c)
        chosen(c)
        watered(c)
        curved(c)
        os.chdir("/")
    c.end()


if __name__ == "__main__":
    main()
