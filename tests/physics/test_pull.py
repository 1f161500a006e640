#!/usr/bin/env python3
"""Coordinates and biases beside the pull code of GROMACS in double precision: in a box of any shape, for every geometry and
type that both have, the value, the energy and the forces of a single point."""
import os
import re
import sys
import tempfile

import trial
from run_lamella import Checks, run, skip, write

try:
    import h5py
    import numpy as np
    import gromacs_files as gf
    from test_biases import lines
except ImportError as missing:
    skip(missing)
if not gf.GMX:
    skip("gmx_d (GROMACS in double precision) is not installed")

TOP = gf.FORCEFIELD + """[ moleculetype ]
A 1
[ atoms ]
1 P 1 A A1 1 0
2 Q 1 A A2 2 0
3 C 1 A A3 3 0
[ system ]
pull
[ molecules ]
A %d
"""
MOLECULES = 40
GROUPS = {"a": range(1, 6), "b": range(20, 26), "c": range(40, 44), "d": range(60, 61), "e": range(80, 86), "f": range(100, 104), "g": range(62, 80)}
U = "kJ/mol"
# geometry, groups there, other keys there; kind, keys here with groups in order of `of`, then `from`
GEOMETRIES = (
    ("distance", "ab", {"dim": "Y Y Y"}, "distance", "b", "a", {}),
    ("distance", "ab", {"dim": "Y Y N"}, "distance", "b", "a", {"along": "xy"}),
    ("distance", "dc", {"dim": "N Y Y"}, "distance", "c", "d", {"along": "yz"}),
    ("direction", "ab", {"vec": "0 0 1"}, "distance", "b", "a", {"along": "z"}),
    ("direction", "cb", {"vec": "1 -2 0.5"}, "distance", "b", "c", {"along": [1, -2, 0.5]}),
    ("direction-periodic", "ad", {"vec": "1 0 0"}, "distance", "d", "a", {"along": "x", "periodic": "no"}),
    ("angle", "abcd", {}, "angle", "abcd", "", {}),
    ("angle", "babc", {}, "angle", "abc", "", {}),
    ("angle-axis", "ab", {"vec": "0.2 1 -1"}, "tilt", "ab", "", {"axis": [0.2, 1, -1]}),
    ("cylinder", "gd", {"vec": "0 0 1", "cylinder-r": 2.2}, "cylinder", "d", "g", {"along": "z", "radius": 2.2}),
    # Along an axis: along -z and other vectors the forces of GROMACS 2022 on the cylinder are not the slope of its energy.
    ("cylinder", "gc", {"vec": "0 0 2", "cylinder-r": 1.5}, "cylinder", "c", "g", {"along": [0, 0, 2], "radius": 1.5}),
    ("dihedral", "abbccd", {}, "dihedral", "abcd", "", {}),
    ("dihedral", "abcdef", {}, "dihedral", "abcdef", "", {}))
TYPES = "umbrella", "constant-force", "flat-bottom", "flat-bottom-high"


def group(name):
    ids = GROUPS[name]
    return {"ids": [ids[0], ids[-1]]}


def mdp_of(geometry, groups, keys, kind, k, place):
    names = sorted(set(groups))
    text = "pull = yes\npull-ngroups = %d\npull-ncoords = 1\npull-nstxout = 1\npull-nstfout = 1\npull-xout-average = no\n" % len(names)
    text += "".join("pull-group%d-name = %s\npull-group%d-pbcatom = %d\n" % (i + 1, name, i + 1, GROUPS[name][0]) for i, name in enumerate(names))
    coord = {"type": kind, "geometry": geometry, "groups": " ".join(str(names.index(g) + 1) for g in groups), "k": k,
             "init": place, "start": "no", **keys}
    return text + "".join("pull-%s%s = %s\n" % ("" if key == "cylinder-r" else "coord1-", key, value) for key, value in coord.items())


def index_text():
    text = "[ System ]\n" + " ".join(map(str, range(1, 3 * MOLECULES + 1))) + "\n"
    return text + "".join("[ %s ]\n%s\n" % (name, " ".join(map(str, ids))) for name, ids in GROUPS.items())


def pulled(folder, mdp):
    """Value, energy and forces with the pull code; of the system without, energies and forces."""
    write(os.path.join(folder, "p.mdp"), mdp)
    gf.gmx(folder, "grompp", "-f", "p.mdp", "-c", "conf.gro", "-n", "index.ndx", "-p", "topol.top", "-o", "p.tpr", "-po", "out.mdp",
           "-maxwarn", "20")
    gf.gmx(folder, "mdrun", "-s", "p.tpr", "-deffnm", "p", "-ntmpi", "1", "-ntomp", "1")
    gf.gmx(folder, "energy", "-f", "p.edr", "-o", "p.xvg", "-dp", text="\n".join(map(str, range(1, 60))) + "\n0\n")
    with open(os.path.join(folder, "p.xvg")) as xvg:
        text = xvg.read()
    names = re.findall(r'@ s\d+ legend "(.*)"', text)
    values = [float(word) for word in text.splitlines()[-1].split()[1:]]
    x = None
    if os.path.exists(os.path.join(folder, "p_pullx.xvg")):
        with open(os.path.join(folder, "p_pullx.xvg")) as file:
            x = float([line for line in file if line[0] not in "#@"][0].split()[1])
    return x, dict(zip(names, values)), gf.read_trr(os.path.join(folder, "p.trr"), 9)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join("%s: %s" % (key, flow(item)) for key, item in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]" if isinstance(value, list) else str(value)


def bias_of(kind, k, place):
    if kind == "umbrella":
        return {"kind": "umbrella", "k": k, "at": place}
    if kind == "constant-force":
        return {"kind": "constant_force", "force": -k}
    return {"kind": "flat_bottom", "k": k, "low" if kind == "flat-bottom-high" else "high": place}


def forces(folder, prefix):
    with h5py.File(os.path.join(folder, prefix + ".h5md")) as file:
        found = []
        file.visititems(lambda name, item: found.append(item) if name.endswith("force/value") else None)
        return found[0][0].astype(float)


def compare(checks, folder, case, kind, free):
    geometry, groups, keys, own, of, source, own_keys = case
    what = "%s %s %s" % (geometry, kind, keys)
    degrees = own in ("angle", "tilt", "dihedral")
    k, guess = 700.0, 35.0 if degrees else 0.4
    mdp = gf.SINGLE_POINT % dict(modifier="potential-shift", coulomb="reaction-field", rf="0")
    if case not in free[2]:
        free[2].append(case)
        free[3].append(pulled(folder, mdp + mdp_of(geometry, groups, keys, "umbrella", k, -2.3 if own == "cylinder" else guess))[0])
    x = free[3][free[2].index(case)]
    place = round(x - guess if kind != "flat-bottom-high" else x + guess, 3)  # so that the bias acts, and in the nearest image
    if own == "dihedral":
        place = (place + 180) % 360 - 180
    elif own not in ("distance", "cylinder") or "dim" in keys:
        place = min(max(place, 0.01), 179)
    x, energies, f = pulled(folder, mdp + mdp_of(geometry, groups, keys, kind, k, place))
    coordinate = {"name": "q", "kind": own, "of": [group(g) for g in of] if own != "distance" else group(of), **own_keys}
    if source:
        coordinate["from"] = group(source)
    settings = {"input": "start.h5", "run.steps": 0, "run.precision": "double", "output.energies_every": 1,
                "output.coordinates_every": 1, "output.frames_every": 1, "output.forces": 1, "output.prefix": "own",
                "thermostat.type": "none", "coordinates": "[" + flow(coordinate) + "]",
                "biases": "[" + flow({"name": "b", "coordinate": "q", **bias_of(kind, k, place)}) + "]"}
    trial.simulate(folder, "own", settings)
    row = {key: values[0] for key, values in lines(folder, "own").items()}
    value = row["q_deg" if degrees else "q_nm"]
    checks.close(what + ": value", value, x, relative=6e-6, absolute=6e-6)
    # GROMACS has no energy of a constant force
    want = energies["COM Pull En."] if kind != "constant-force" else k * value * (np.pi / 180 if degrees else 1)
    checks.close(what + ": energy", row["b_energy"], want, relative=1e-6, absolute=1e-5)
    checks.true(what + ": acts", abs(want) > 1, want)
    difference = forces(folder, "own") - free[1] - (f - free[0])
    size = np.abs(f - free[0]).max()
    checks.true(what + ": forces", np.abs(difference).max() < 1e-7 * max(size, np.abs(f).max()) + 2e-6 * 1, np.abs(difference).max(), size)
    checks.true(what + ": forces act", size > 1, size)


def main():
    checks = Checks()
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 11)
    for box in (6, 6.5, 7), (6, 6.5, 7, 0, 0, 1.2, 0, -0.8, 1.1):
        with tempfile.TemporaryDirectory() as folder:
            vectors = gf.vectors(box)
            spots = np.array([[i, j, k] for i in range(6) for j in range(6) for k in range(6)])
            near = {}
            for n, (name, ids) in enumerate(GROUPS.items()):  # each group within a part of the box
                middle = np.array([2, 2, 2]) + 1.5 * np.array([n & 1, n >> 1 & 1, n >> 2]) + rng.uniform(-0.2, 0.2, 3)
                flat = (5, 5, 1) if name == "g" else (1, 1, 1)  # a layer
                middle = np.array([2.7, 2.7, 4]) if name == "g" else middle
                free_spots = [s for s in sorted(map(tuple, spots), key=lambda s: np.linalg.norm((np.array(s) - middle) / flat)) if s not in near.values()]
                near.update(zip(ids, free_spots))
            rest = [tuple(s) for s in spots if tuple(s) not in near.values()]
            x = [(np.array(near.get(i) or rest.pop()) + 0.5 + rng.uniform(-0.15, 0.15, 3)) / 6 for i in range(1, 3 * MOLECULES + 1)]
            atoms = [(i // 3 + 1, "A", "A%d" % (i % 3 + 1), x[i] @ vectors) for i in range(3 * MOLECULES)]
            gf.write(folder, "conf.gro", gf.gro(box, atoms))
            gf.write(folder, "topol.top", TOP % MOLECULES)
            gf.write(folder, "index.ndx", index_text())
            plain = gf.SINGLE_POINT % dict(modifier="potential-shift", coulomb="reaction-field", rf="0")
            gf.write(folder, "sp.mdp", plain)
            run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "start.h5", cwd=folder)
            _, _, want = pulled(folder, plain)
            trial.simulate(folder, "free", {"input": "start.h5", "run.steps": 0, "run.precision": "double", "output.frames_every": 1,
                                            "output.forces": 1, "thermostat.type": "none"})
            free = want, forces(folder, "free"), [], []
            checks.true("forces without", np.abs(want - free[1]).max() < 1e-6 * np.abs(want).max(), np.abs(want - free[1]).max())
            for n, case in enumerate(GEOMETRIES):
                for kind in TYPES if n < 1 else (TYPES[n % 4],):
                    compare(checks, folder, case, kind, free)
    checks.end()


if __name__ == "__main__":
    main()
