#!/usr/bin/env python3
"""A molecule type with head and tail is a lipid if most of its molecules stand in the layer, whatever its name and size: area per
lipid of bilayers whose every lipid has the same place, with more molecules in the layer, in its middle and in the water."""
import csv
import math
import os
import tempfile

from run_lamella import Checks, run

EDGE, HEIGHT, PLACES = 6.0, 12.0, 7
CHAIN = ["PO4", "GL1", "C1", "C2", "C3"]
# Names of beads, from the head down; bonds where they are no chain; charges.
KINDS = {"LIP": (["NC3", *CHAIN], None, {"NC3": 1, "PO4": -1}),
         "SER": (["CNO", *CHAIN], None, {"PO4": -1}),
         "PEGL": ([*["EO"] * 38, *CHAIN], None, {"PO4": -1}),
         "CER": (["COH", "OH1", "AM2", "C1", "C2", "C3"], None, {}),
         "DAG": (["GL1", "GL2", "C1A", "C1B", "C2A", "C2B"], [(1, 2), (1, 3), (2, 4), (3, 5), (4, 6)], {}),
         "TOG": (["GL1", "GL2", "GL3", "C1A", "C2A", "C1B", "C2B", "C1C", "C2C"],
                 [(1, 2), (2, 3), (1, 4), (4, 5), (2, 6), (6, 7), (3, 8), (8, 9)], {}),
         "BMI": (["R1", "R2", "R3", "C1", "C2"], [(1, 2), (2, 3), (1, 3), (1, 4), (4, 5)], {"R1": 0.4, "R2": 0.3, "R3": 0.3}),
         "HELIX": (["BB", "SC1", "X", "Y"], None, {"BB": 1}),
         "W": (["W"], [], {})}


def standing(kind, place, side):
    """The beads of a molecule in the layer: PO4 at 1.65 nm, the last bead at 0.25."""
    names = KINDS[kind][0]
    x, y = (place % PLACES + 0.5) * EDGE / PLACES, (place // PLACES + 0.5) * EDGE / PLACES
    return kind, [(n, x, y, side * (0.25 + 0.35 * (len(names) - 1 - k))) for k, n in enumerate(names)]


def lying(kind, count, z, up=0.05):
    """Molecules at one height, in a plane but for the rise of each bead."""
    names = KINDS[kind][0]
    for k in range(count):
        yield kind, [(n, (0.4 + 1.3 * (k % 4) + 0.1 * (j % 3)) % EDGE, (0.4 + 1.3 * (k // 4) + 0.1 * (j // 3)) % EDGE, z + up * j)
                     for j, n in enumerate(names)]


def leaflets(*kinds):
    """A list of molecules: so many (count, kind) in each leaflet."""
    row = [kind for count, kind in kinds for _ in range(count)]
    return [standing(kind, place, side) for side in (1, -1) for place, kind in enumerate(row)]


def glycol(x, side):
    """A lipid with glycol on its head, which is 1 nm below those of others."""
    return "PEGL", [(n, x, 5.5, side * (0.65 - 0.1 * (k - 38))) for k, n in enumerate(KINDS["PEGL"][0])]


def ball(*kinds):
    """Molecules of so many (count, kind) on a sphere, their heads outside."""
    row = [kind for count, kind in kinds for _ in range(count)]
    for k, kind in enumerate(row):
        names = KINDS[kind][0]
        z, turn = 1 - (2 * k + 1) / len(row), math.pi * (1 + 5**0.5) * k
        out = math.sqrt(1 - z * z) * math.cos(turn), math.sqrt(1 - z * z) * math.sin(turn), z
        far = [0.8 + 0.35 * (len(names) - 1 - j) for j in range(len(names))]
        yield kind, [(n, EDGE / 2 + r * out[0], EDGE / 2 + r * out[1], r * out[2]) for n, r in zip(names, far)]


def write(name, molecules, centre):
    molecules = molecules + [("W", [("W", 0.3 + 1.1 * (k % 5), 0.3 + 1.1 * (k // 5), 5)]) for k in range(25)]
    kinds = list(dict.fromkeys(kind for kind, _ in molecules))
    with open(name + ".top", "w") as out:
        out.write("[ defaults ]\n1 2\n[ atomtypes ]\nA 72 0 A 0.1 0.01\n")
        for kind in kinds:
            names, bonds, charges = KINDS[kind]
            out.write(f"[ moleculetype ]\n{kind} 8\n[ atoms ]\n")
            out.writelines(f"{k + 1} A 1 {kind} {n} {k + 1} {charges.get(n, 0)}\n" for k, n in enumerate(names))
            chain = [(k, k + 1) for k in range(1, len(names))]
            out.writelines(["[ bonds ]\n"] + [f"{a} {b} 1 0.4 10\n" for a, b in (chain if bonds is None else bonds)])
        out.write("[ system ]\nx\n[ molecules ]\n" + "".join(f"{kind} {sum(k == kind for k, _ in molecules)}\n" for kind in kinds))
    rows = [(kind, bead) for one in kinds for kind, beads in molecules if kind == one for bead in beads]
    with open(name + ".gro", "w") as out:
        out.write(f"x\n{len(rows)}\n")
        for n, (kind, (bead, x, y, z)) in enumerate(rows):
            out.write("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" % (n // 6 + 1, kind, bead, n + 1, x, y, (z + centre) % HEIGHT))
        out.write(f"{EDGE} {EDGE} {HEIGHT}\n")
    return run("import", name + ".top", name + ".gro", "-o", name + ".h5")


def measured(name, *more, ranks=1, prefix=None, file=None):
    """What a run says of the membrane, the area per lipid in its energies."""
    file, prefix = file or name, prefix or name
    with open(file + ".yaml", "w") as out:
        out.write(f"input: {name}.h5\nrun: {{steps: 1, dt: 0.0001}}\nobserve: [membrane: {{every: 1}}]\n"
                  f"output: {{prefix: {prefix}, frames_every: 1, energies_every: 1}}\n")
    said = run("run", file + ".yaml", *more, ranks=ranks).stderr
    with open(prefix + ".csv") as rows:
        area = float(list(csv.DictReader(rows))[-1]["area_per_lipid_nm2"])
    return [line.strip() for line in said.split("\n") if "membrane:" in line or "lipids" in line], area


CASES = [  # name, molecules, lipids, their number in a leaflet, a warning
    ("plain", leaflets((49, "LIP")), "LIP", 49, None),
    ("ser", leaflets((36, "LIP"), (13, "SER")), "LIP, SER", 49, None),
    ("peg", leaflets((45, "LIP")) + [glycol(0.4 + 0.8 * k, side) for side in (1, -1) for k in range(4)], "LIP, PEGL", 49, None),
    ("dag", leaflets((40, "LIP"), (9, "DAG")), "LIP, DAG", 49, None),
    ("core", leaflets((49, "LIP")) + list(lying("TOG", 12, 0)), "LIP", 49, "TOG has a head and a tail, but most"),
    ("water", leaflets((49, "LIP")) + list(lying("BMI", 12, 3.5)), "LIP", 49, "BMI has a head and a tail, but most"),
    ("many", leaflets((49, "LIP")) + list(lying("BMI", 16, 3.5)) + list(lying("BMI", 16, 4.5)), "LIP", 49, "BMI has a head"),
    ("free", leaflets((48, "LIP"), (1, "SER")) + list(lying("SER", 12, 4.5)), "LIP", 48, None),
    ("cer", leaflets((36, "LIP"), (13, "CER")), "LIP", 36, "most molecules of CER are between the heads"),
    ("helix", leaflets((48, "LIP")) + [standing("HELIX", 48, 1)], "LIP", 48, None)]


def check_places(c):
    for name, molecules, lipids, number, warning in CASES:
        for centre in (6, 0.4) if name in ("peg", "core") else (6,):  # through the face of the box
            imported = write(name, molecules, centre)
            said, area = measured(name, "--restart=never")
            text = "\n".join(said)
            c.true(f"{name}: lipids", f"membrane: {{lipids: [{lipids}], heads" in text, said)
            c.close(f"{name}: area", area, EDGE**2 / number, relative=1e-6)
            other = text.count("warning") - text.count("volume_per_lipid has no number")  # of what is no lipid
            c.true(f"{name}: warnings", other == (warning is not None) and (warning or "") in text, said)
            c.true(f"{name}: import", f"{EDGE**2 / number:.4f} nm2 per lipid" in imported.stdout and (warning or "") in imported.stderr and
                   imported.stderr.count("layer") + imported.stderr.count("between the heads") == (warning is not None), imported)
        if name in ("peg", "core", "cer"):
            c.true(f"{name}: 2 ranks", measured(name, "--restart=never", ranks=2) == (said, area))
    said, area = measured("core", "--restart=never", "-s", "membrane.lipids=[LIP, TOG]", prefix="said")
    c.true("the user says it", "{lipids: [LIP, TOG]" in "".join(said) and "warning" not in "".join(said), said)
    c.close("the user says it: area", area, 2 * EDGE**2 / 110, relative=1e-6)


def check_kept(c):
    """What the first job of a run has found holds for all that follow, for its frames and its state."""
    said, area = measured("core", "-s", "run.steps=2", prefix="said")
    c.true("it goes on with its lipids", "{lipids: [LIP, TOG]" in "".join(said) and "warning" not in "".join(said), said)
    c.close("their area", area, 2 * EDGE**2 / 110, relative=1e-6)
    for name, lipids in ("said", "LIP, TOG"), ("core", "LIP"):
        text = run("info", name + ".checkpoint.h5").stdout
        c.true(f"info of {name}", f"{{lipids: [{lipids}], heads" in text, text)
        run("analyze", name + ".h5md", "-o", name + "-again")
        with open(name + "-again.membrane.membrane.csv") as rows:
            area = float(next(csv.DictReader(rows))["area"])
        c.close(f"analyze of {name}", area, 2 * EDGE**2 / (110 if name == "said" else 98), relative=1e-6)


def check_unknown(c):
    """Without a flat bilayer only name and size tell, and that is said."""
    write("ball", list(ball((36, "LIP"), (13, "SER"))), 6)
    said, _ = measured("ball")
    c.true("no layer", "{lipids: [LIP], heads" in "".join(said), said)
    c.true("no layer: said", "SER has a head and a tail, but the name of an amino acid" in "".join(said), said)


def main():
    c = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_places(c)
        check_kept(c)
        check_unknown(c)
    c.end()


main()
