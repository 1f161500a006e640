#!/usr/bin/env python3
"""Energies, forces and torques of a built mixture of lipids in an odd box and in an oblique one against
Debian's lmp, which reads the files of lamella-to-lammps; and states imported from these files."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401  (what tools/state_to_lammps.py needs)
    import numpy as np
    import yaml  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

KCAL = 4.184
COULOMB = 138.93545764 / (332.06371 * KCAL / 10)  # constant of Coulomb's law, over that of LAMMPS in units real
SPEC = """
forcefield: elba
seed: 11
bilayer:
  upper: {DOPC: 9, DMPC: 8, DSPC: 4}
  lower: {POPC: 6, DOPE: 12, DOPC: 4}
  area_per_lipid: 0.71
  water_per_lipid: 21
replicate: [1, 2, 1]
minimise: {max_steps: 300, force: 3000}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def lammps_energies(output):
    lines = output.splitlines()
    for n, line in enumerate(lines):
        words = line.split()
        if words[:1] == ["Step"]:
            names = [w.lower().replace("_", "") for w in words[1:]]
            return dict(zip(names, map(float, lines[n + 1].split()[1:])))
    sys.exit(f"no energies in the output of lmp:\n{output}")


def compare(what, ours, theirs, tolerance):
    good = abs(ours - theirs) <= tolerance * abs(theirs)
    print(f"{what:12s} {ours:22.12g} {theirs:22.12g} kJ/mol {'' if good else '  WRONG'}")
    return good


def shear(source, target):
    """The same fractions of oblique vectors, and images drawn at random."""
    shutil.copy(source, target)
    with h5py.File(target, "r+") as f:
        box = f["system/box"][...]
        tilt = box.ravel()[[0, 0, 1]] * [0.15, -0.1, 0.12]
        for group, values in (("system", tilt), ("neighbor_list", 0 * tilt)):
            f[group + "/tilt"] = values.reshape(box.shape)
            f[group + "/tilt"].attrs["unit"] = f["system/box"].attrs["unit"]
        f["beads/image"][...] += np.random.default_rng(2).integers(-3, 4, f["beads/image"].shape)
        f["neighbor_list/step"][...] = -1
        f.attrs.modify("format_version", np.int32(3))


def lengthen(source, target):
    """The same lattice by the vectors a, b' = b + a, c' = c + b' - a, and images that count those."""
    box = {}
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            w = line.split()
            if w[2:3] and w[2].endswith("lo"):
                box[w[2]] = float(w[1])
            if w[3:4] == ["xy"]:
                xy, xz, yz = map(float, w[:3])
                w[:3] = (repr(xy + box["xlo"]), repr(xz + xy), repr(yz + box["ylo"]))
            elif len(w) == 15:  # an atom
                i, j, k = map(int, w[12:])
                w[12:] = map(str, (i - j + k, j - k, k))
            print(*w, file=out)


def places(path):
    with h5py.File(path) as f:
        box = np.concatenate([f["system/box"][...].ravel(), f["system/tilt"][...].ravel()]) if "system/tilt" in f else 0
        return box, f["beads/position"][...].astype(np.int64) % 2**32 + (f["beads/image"][...].astype(np.int64) << 32)


def imported(lamella, ours):
    """The file of an oblique box as a state, also where its vectors are longer than necessary."""
    lengthen("out.data", "long.data")
    with open(os.path.join(os.environ["top_srcdir"], "forcefields", "elba.yaml")) as text:
        elba = yaml.safe_load(text)
    named = [f"--{option}={','.join(elba[kind])}" for option, kind in
             (("types", "types"), ("bond-types", "bonds"), ("angle-types", "angles"))]
    for name in "out", "long":
        done = subprocess.run([lamella, "import", name + ".data", "--format=lammps-data", "--forcefield=elba", "-o",
                               name + ".h5", *named], capture_output=True, text=True)
        print(done.stderr)
        if done.returncode or ("longer than necessary" in done.stderr) != (name == "long"):
            return False
    got = json.loads(run(lamella, "energy", "long.h5", "--precision=double", "--backend=cpu", "--format=json"))
    (one, x), (two, y), (three, z) = places("oblique.h5"), places("out.h5"), places("long.h5")
    good = np.allclose(one, two, rtol=1e-12) and np.allclose(one, three, rtol=1e-12)
    good &= abs(x - y).max() < 100 and abs(x - z).max() < 100
    return good & compare("imported", got["potential"], ours["potential"], 1e-7)


def main():
    lmp = shutil.which("lmp")
    if lmp is None:
        print("skipped: no lmp")
        return 77
    lamella = os.environ.get("LAMELLA", "lamella")
    source = os.environ["top_srcdir"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("spec.yaml", "w") as out:
            out.write(SPEC)
        run(lamella, "build", "spec.yaml", "-o", "start.h5")
        shear("start.h5", "oblique.h5")
        good = all([same(lamella, lmp, source, state) for state in ("start.h5", "oblique.h5")])
    return 0 if good else 1


def same(lamella, lmp, source, state):
    ours = json.loads(run(lamella, "energy", state, "--precision=double",
                          "--backend=cpu", "--forces=forces.txt", "--format=json"))
    run(sys.executable, os.path.join(source, "tools", "state_to_lammps.py"), state, "out.data", "out.in")
    theirs = lammps_energies(run(lmp, "-in", "out.in", "-log", "none"))
    mine = np.loadtxt("forces.txt")
    other = np.loadtxt("out.data.dump", skiprows=9)
    os.remove("forces.txt")
    terms = ours["terms"]
    good = compare("lj", terms["lj"], theirs["evdwl"] * KCAL, 2e-8)
    good &= compare("coulomb", terms["qq"] + terms["qd"] + terms["dd"], theirs["ecoul"] * KCAL * COULOMB, 2e-8)
    good &= compare("bond", terms["bond"], theirs["ebond"] * KCAL, 2e-8)
    good &= compare("angle", terms["angle"] + terms["dipole_angle"], theirs["eangle"] * KCAL, 2e-8)
    good &= compare("potential", ours["potential"],
                    (theirs["poteng"] + (COULOMB - 1) * theirs["ecoul"]) * KCAL, 2e-8)
    good &= mine.shape == other.shape and np.array_equal(mine[:, 0], other[:, 0])
    for name, columns, scale in (("forces", slice(1, 4), 10 * KCAL), ("torques", slice(4, 7), KCAL)):
        worst = np.abs(mine[:, columns] - scale * other[:, columns]).max()
        largest = np.abs(scale * other[:, columns]).max()
        print(f"{name}: worst {worst:.3g}, largest {largest:.6g}, {worst / largest:.2g} of it")
        good &= worst <= 2e-7 * largest
    return good and (state == "start.h5" or imported(lamella, ours))


if __name__ == "__main__":
    sys.exit(main())
