#!/usr/bin/env python3
"""The pull code of imported GROMACS systems does what that of GROMACS does, in every geometry and type: energies, values,
forces along coordinates and on beads at a step, and the motion of a run; gmx wham reads the files of lamella-to-xvg."""
import os
import sys
import tempfile

from run_lamella import Checks, read, run, skip

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import gromacs_files as gf
    import pull_files as pf
    from lamella import xvg
except ImportError as missing:
    skip(missing)
if not gf.GMX:
    skip("gmx_d (GROMACS in double precision) is not installed")

NAMES = "A B C D E F Lipids Heads".split()
NUMBER = {name: k for k, name in enumerate(NAMES, 1)}
MORE = "pull-pbc-ref-prev-step-com = yes\npull-cylinder-r = 1.4\npull-print-ref-value = yes\npull-nstxout = 1\npull-nstfout = 1\npull-group7-pbcatom = %d\npull-group8-pbcatom = %d\n" \
    % (list(pf.groups()["Lipids"])[2], list(pf.groups()["Lipids"])[0])
POINT = gf.SINGLE_POINT % dict(modifier="potential-shift", coulomb="reaction-field", rf="0") + "comm-mode = none\n"
# Geometries, and values near those that they have.
SPACES = (("distance", "A B", "", 1.1), ("distance", "Lipids F", "dim = N N Y", 2.1), ("distance", "A C", "dim = Y Y N", 1.5),
          ("distance", "0 E", "dim = Y N Y; origin = 2 2 6.2", 1.2), ("direction", "A B", "vec = 1 2 -1", 0.7),
          ("direction", "0 E", "vec = 0 0 1; origin = 0.3 0.2 6.1", -0.7), ("direction", "Heads F", "dim = N N Y; vec = 0 0 -2", 2.1))
RELATIVE = (("direction-relative", "A B C D", "", 0.7), ("direction-relative", "E B D C", "", -0.8))
ANGLES = (("angle", "A B C D", "", 50), ("angle", "E B D C", "", 120), ("angle-axis", "A B", "vec = 1 -1 2", 74),
          ("angle-axis", "0 E", "vec = 0 1 0; origin = 1 1 5", 60), ("dihedral", "A B C D E B", "", 170),
          ("dihedral", "A B C D E B", "", -175), ("dihedral", "B A E B D C", "", -100))
CYLINDER = (("cylinder", "Lipids E", "vec = 0 0 1", 2.0),)  # alone: beside others of its groups GROMACS 2022 has no energy
FAR = (("direction-periodic", "A C", "vec = 0 0 1", 5.5), ("direction-periodic", "0 E", "vec = 1 0 1; origin = 0 0 0", 5.2))


def coordinate(geometry, groups, more, rest):
    numbers = " ".join(str(NUMBER.get(name, 0)) for name in groups.split())
    return "; ".join(filter(None, ("geometry = " + geometry, "groups = " + numbers, more, rest)))


def both(folder, mdp):
    """What GROMACS and we make of an .mdp file: energy, pullx, pullf, forces on beads."""
    energies, force = gf.single_point(folder, mdp, index="i.ndx")
    want = {"energy": energies["COM Pull En."], "x": pf.xvg(os.path.join(folder, "px.xvg")),
            "f": pf.xvg(os.path.join(folder, "pf.xvg")), "force": force}
    run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "--ndx=i.ndx", "-o", "start.h5", "--run=run.yaml", cwd=folder)
    run("run", "run.yaml", "--restart=never", "-s", "run.precision=double", "-s", "output.forces=1", "-s", "output.frames_every=1", cwd=folder)
    prefix = os.path.join(folder, "run")
    x, f = xvg.convert(prefix, reference=True)
    with h5py.File(prefix + ".h5md") as file:
        own = file["particles/trajectory/force/value"][-1]
    with open(prefix + ".csv") as file:
        head, *rows = file.read().split()
    energy = dict(zip(head.split(","), rows[-1].split(",")))["bias"]
    return want, {"energy": float(energy), "x": pf.xvg(x), "f": pf.xvg(f), "force": own}


def compare(checks, folder, what, mdp, places=True):
    """places: the places of biases, which a constant force does not have here."""
    want, got = both(folder, mdp)
    checks.close(what + ": energy", got["energy"], want["energy"], relative=1e-6, absolute=1e-8)
    for name in "x", "f":
        step = 1 if places or name == "f" else 2
        a, b = got[name][:, 1::step], want[name][:, 1::step]
        checks.true(what + ": pull" + name, a.shape == b.shape and np.all(abs(a - b) <= 6e-6 * abs(b) + 1e-9), a, b)
    largest = np.abs(want["force"]).max()
    off = np.abs(got["force"] - want["force"]).max()
    checks.true(what + ": forces", largest > 1 and off < 1.2e-7 * largest, off, largest)


def static(checks, folder):
    for type_, k, place in (("umbrella", 700, 0.05), ("constant-force", 30, 0), ("flat-bottom", 500, -0.07),
                            ("flat-bottom-high", 500, 0.07)):
        for name, cases in (("lengths", SPACES + RELATIVE), ("angles", ANGLES), ("far", FAR), ("cylinder", CYLINDER)):
            if name == "far" and type_ == "constant-force":
                continue  # of GROMACS the image nearest to init, which this type does not use
            rest = "type = %s; k = %g; init = %g"
            near = 1 + place * (0.3 if name == "angles" else 1)
            rows = [coordinate(*case[:3], rest % (type_, k + 10 * n, case[3] * near)) for n, case in enumerate(cases)]
            compare(checks, folder, type_ + " " + name, POINT + MORE + pf.keys(NAMES, rows), places=type_ != "constant-force")
    rows = [coordinate(*case[:3], "start = yes; init = %g; k = 100" % (0.1 if case[0] != "dihedral" else -3))
            for case in SPACES + RELATIVE + ANGLES]
    compare(checks, folder, "start", POINT + MORE + pf.keys(NAMES, rows))


MOVING = ("geometry = direction; groups = 1 2; vec = 1 2 -1; k = 2000; rate = 0.5; init = 0.7",
          "geometry = distance; groups = 1 3; dim = Y Y N; k = 1500; rate = -0.4; init = 1.5",
          "geometry = dihedral; groups = 1 2 3 4 5 2; k = 300; rate = 20; init = 179",
          "geometry = angle; groups = 5 2 4 3; type = flat-bottom; k = 400; rate = -50; init = 120")


def motion(checks, folder):
    """Coordinates along a run in which the places of biases move."""
    mdp = gf.MOTION.replace("nsteps = 200", "nsteps = 40") + MORE.replace("out = 1\n", "out = 4\n") + pf.keys(NAMES, MOVING)
    gf.write(folder, "sp.mdp", mdp)
    gf.gmx(folder, "grompp", "-f", "sp.mdp", "-c", "conf.gro", "-n", "i.ndx", "-o", "sp.tpr", "-po", "out.mdp", "-maxwarn", "20")
    gf.gmx(folder, "mdrun", "-s", "sp.tpr", "-deffnm", "sp", "-px", "px.xvg", "-pf", "pf.xvg", "-ntmpi", "1", "-ntomp", "1")
    run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "--ndx=i.ndx", "-o", "start.h5", "--run=run.yaml", cwd=folder)
    run("run", "run.yaml", "--restart=never", "-s", "run.precision=double", cwd=folder)
    for path, other in zip(xvg.convert(os.path.join(folder, "run"), reference=True), ("px.xvg", "pf.xvg")):
        got, want = pf.xvg(path), pf.xvg(os.path.join(folder, other))
        off = abs(got - want) - 1e-5 * abs(want)
        checks.true("moving: " + other, got.shape == want.shape and len(want) == 11 and np.all(off < 1e-4 * (other == "pf.xvg") + 1e-6),
                    got - want, want)
        checks.true("moves: " + other, np.ptp(want, axis=0).min() > 0.01, want)


def jobs(checks, folder):
    """Places that count from the start, points, first images: the same on two ranks, and in two jobs."""
    rows = [coordinate(*case[:3], "start = yes; init = 0.1; rate = 0.3; k = 300") for case in SPACES + RELATIVE]
    rows += [coordinate(*case[:3], "init = %g; k = 300" % case[3]) for case in FAR]
    gf.write(folder, "sp.mdp", gf.MOTION.replace("nsteps = 200", "nsteps = 60") + "pull-nstxout = 5\npull-nstfout = 5\n" + pf.keys(NAMES, rows))
    run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "--ndx=i.ndx", "-o", "start.h5", "--run=run.yaml", cwd=folder)
    run("run", "run.yaml", "-s", "output.prefix=one", cwd=folder)
    run("run", "run.yaml", "-s", "output.prefix=ranks", ranks=2, cwd=folder)
    run("run", "run.yaml", "-s", "output.prefix=parts", "-s", "run.steps=31", cwd=folder)
    run("run", "run.yaml", "-s", "output.prefix=parts", cwd=folder)
    text = {name: read(os.path.join(folder, name + ".coordinates.csv")) for name in ("one", "ranks", "parts")}
    checks.true("two ranks", text["ranks"] == text["one"] and text["one"].count("\n") == 14, text)
    checks.true("two jobs", text["parts"] == text["one"], text)


def wham(checks, folder):
    """gmx wham makes the same profile of values and of forces of two windows."""
    mdp = gf.MOTION.replace("md-vv", "sd").replace("nsteps = 200", "nsteps = 3000") + "tc-grps = System\ntau-t = 0.5\nref-t = 300\ngen-vel = yes\n" \
        "gen-temp = 300\ngen-seed = 5\nld-seed = 3\npull-nstxout = 5\npull-nstfout = 5\n"
    names = [], [], []
    for window in 0.5, 0.7, 0.9:
        row = "geometry = direction; groups = 1 2; vec = 1 2 -1; k = 200; init = %g" % window
        gf.write(folder, "sp.mdp", mdp + pf.keys(NAMES, [row]))
        prefix = "w%g" % window
        gf.gmx(folder, "grompp", "-f", "sp.mdp", "-c", "conf.gro", "-n", "i.ndx", "-o", prefix + ".tpr", "-po", "out.mdp", "-maxwarn", "20")
        run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "--ndx=i.ndx", "-o", "start.h5", "--run=run.yaml", cwd=folder)
        run("run", "run.yaml", "--restart=never", "-s", "output.prefix=" + prefix, cwd=folder)
        for list_, path in zip(names, (prefix + ".tpr", *xvg.convert(os.path.join(folder, prefix)))):
            list_.append(os.path.basename(path))
    profiles = []
    for name, list_ in zip(("tpr.dat", "x.dat", "f.dat"), names):
        gf.write(folder, name, "\n".join(list_) + "\n")
    for option, name in ("-ix", "x.dat"), ("-if", "f.dat"):
        gf.gmx(folder, "wham", "-it", "tpr.dat", option, name, "-o", "profile.xvg", "-hist", "hist.xvg", "-min", "0.3", "-max", "1.1", "-bins",
               "20", "-temp", "300", "-unit", "kJ", "-b", "5")
        profiles.append(pf.xvg(os.path.join(folder, "profile.xvg"))[:, 1])
    checks.true("gmx wham", len(profiles[0]) == 20 and np.ptp(profiles[0]) > 0.5 and np.allclose(*profiles, atol=1e-3), profiles)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        gf.write(folder, "topol.top", pf.topology())
        gf.write(folder, "conf.gro", gf.gro(pf.BOX, pf.atoms()))
        gf.write(folder, "i.ndx", pf.index())
        for part in static, motion, jobs, wham:
            part(checks, folder)
    checks.end()


main()
