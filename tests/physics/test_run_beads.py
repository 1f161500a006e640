#!/usr/bin/env python3
"""Systems of every kind of bead as `lamella build` makes them: minimising lowers the energy, a short NVE run
of each conserves it with forces that agree with their recomputation, the same state comes from two ranks, the files
of examples/ run, and lamella-to-lammps refuses what LAMMPS has no equal for."""
import csv
import os
import subprocess
import sys
import tempfile

import yaml

from run_lamella import Checks, energy, read, run, write

EXAMPLES = os.path.join(os.environ["top_srcdir"], "examples")
WATER = "forcefield: {}\ntemperature: 300\nwater: {{count: 343}}\nminimise: {{max_steps: 200, force: 300}}\n"
RODS = ("forcefield: gb\ntemperature: 120\nlattice: {{type: fcc, cells: {}, density: {}, orientation: {}}}\n"
        "minimise: {{max_steps: 50, force: 50}}\n")
# Text, time step (ps), skin (nm), and the largest standard deviation of the total energy of NVE (kJ/mol per
# bead).
SYSTEMS = {
    "ssd": (WATER.format("ssd"), 0.001, 0.1, 0.0015),
    "ssd1": (WATER.format("ssd1"), 0.001, 0.1, 0.0015),
    "ssde": (WATER.format("ssde"), 0.001, 0.1, 0.0015),
    "ssdrf": (WATER.format("ssdrf"), 0.001, 0.1, 0.0015),
    "random": (RODS.format("[4, 4, 4]", 0.2, "random"), 0.001, 0.4, 0.0002),
    "aligned": (RODS.format("[6, 6, 2]", 0.3, "aligned"), 0.001, 0.4, 0.0002),
    "brahms": ("forcefield: brahms\ntemperature: 300\nbilayer: {upper: {DOPC: 12, DOPE: 4}, lower: {DMPC: 16},"
               " area_per_lipid: 0.75, water_per_lipid: 25}\nminimise: {max_steps: 300, force: 1000}\n",
               0.001, 0.1, 0.0015),
}


def build(name, text, output, ranks=1):
    write(name + ".yaml", text)
    return run("build", name + ".yaml", "-o", output, ranks=ranks)


def columns(prefix):
    with open(prefix + ".csv") as file:
        return list(csv.DictReader(file))


def potential(state):
    return energy(state)["potential"]


def check_dense(checks):
    """A lattice whose beads are too close for a run is reported, with the line of the density."""
    dense = "forcefield: ssd\nlattice: {type: %s, cells: [6, 6, 6], density: %g}\n"
    for kind, density, apart in ("sc", 300, "0.149"), ("bcc", 300, "0.163"), ("fcc", 300, "0.168"):
        text = build("dense", dense % (kind, density), "dense.h5").stderr
        checks.true(kind + ": too close", f"dense.yaml:2: lattice.density: beads W are {apart} nm apart" in text, text)
    water = "forcefield: ssd\nwater: {count: 1000, density: %g}\nminimise: no\n"
    text = build("dense", water % 9000, "dense.h5").stderr
    checks.true("water too close", "dense.yaml:2: water.density: beads W are 0.149 nm apart" in text, text)
    text = build("dense", water % 997, "dense.h5").stderr
    checks.true("water far enough", "apart" not in text, text)
    text = build("dense", SYSTEMS["brahms"][0].split("minimise")[0] + "minimise: no\n", "dense.h5").stderr
    checks.true("a bilayer as it is placed", "may overlap" in text, text)
    text = build("dense", dense % ("sc", 30), "dense.h5").stderr
    checks.true("far enough", "apart" not in text, text)
    text = build("dense", dense % ("sc", 300) + "minimise: {max_steps: 1}\n", "dense.h5").stderr
    checks.true("minimised", "apart" not in text, text)


def check_system(checks, name):
    text, dt, skin, allowed = SYSTEMS[name]
    build(name, text, name + ".h5")
    build(name + ".raw", text[:text.index("minimise")] + "minimise: no\n", name + ".raw.h5")
    build(name, text, name + ".two.h5", ranks=2)
    lowest, raw = potential(name + ".h5"), potential(name + ".raw.h5")
    checks.true(name + ": minimising lowers the energy", lowest <= raw, lowest, raw)
    checks.close(name + ": the same on two ranks", potential(name + ".two.h5"), lowest, 1e-12)
    common = ["-s", f"run.dt={dt}", "-s", f"neighbor.skin={skin}", "-s", "output.checkpoint_every=0"]
    for step, settings in (("warm", ["input=" + name + ".h5", "run.steps=100", "thermostat.type=langevin",
                                     "thermostat.temperature=" + ("120" if "gb" in text else "300"),
                                     "thermostat.tau=0.1", "output.energies_every=50"]),
                           ("nve", ["input=" + name + "-warm.checkpoint.h5", "run.steps=100",
                                    "output.energies_every=5", "run.verify=50"])):
        write("run.yaml", "run: {seed: 1}\n")
        options = [word for setting in settings for word in ("-s", setting)]
        run("run", "run.yaml", *options, *common, "-s", f"output.prefix={name}-{step}")
    rows = columns(name + "-nve")
    total = [float(row["total"]) for row in rows]
    beads = energy(name + ".h5")["n_beads"]
    mean = sum(total) / len(total)
    sd = (sum((e - mean)**2 for e in total) / len(total))**0.5 / beads
    print(f"{name}: {beads} beads, sd of the total energy {sd:.2e} kJ/mol per bead")
    checks.true(name + ": energy is conserved", sd < allowed, sd)


def check_range(checks):
    """Water in the complete force field has the lists and the halo of water alone: a box that holds them suffices."""
    last = []
    for field in "ssd", "brahms":
        build(field + "-range", WATER.format(field).replace("343", "400, molecule: WATER"), field + "-range.h5")
        said = run("run", "run.yaml", "-s", f"input={field}-range.h5", "-s", "run.dt=0.001", "-s", "run.steps=20", "-s",
                   "neighbor.skin=0.02", "-s", "output.energies_every=10", "-s", "output.checkpoint_every=0", "-s",
                   f"output.prefix={field}-range", ranks=2).stderr
        checks.true(field + ": cutoff of the pairs that are there", "cutoff 0.9 nm, skin 0.02 nm" in said, said)
        last.append(float(columns(field + "-range")[-1]["potential"]))
    checks.close("water in both force fields", last[1], last[0], 1e-6)


def check_exclude(checks):
    """The excluded pairs of a state with bonds are those of its force field."""
    text = read(os.path.join(EXAMPLES, "..", "forcefields", "brahms.yaml"))
    write("excludes.yaml", text.replace("exclude: [1-2]", "exclude: [1-2, 1-3]"))
    for words in (["run", "run.yaml", "-s", "input=brahms.h5", "-s", "run.steps=2", "-s", "run.dt=0.001", "-s",
                   "output.prefix=excludes", "-s", "forcefield=./excludes.yaml"],
                  ["ions", "brahms.h5", "-o", "excludes.h5", "--add=NA:1", "--forcefield=./excludes.yaml"]):
        checks.refused(words[0] + ": another exclude", "another exclude", *words)
    checks.true("no state", not os.path.exists("excludes.checkpoint.h5") and not os.path.exists("excludes.h5"))


def check_heavy(checks):
    """brahms-heavy is brahms but for the mass and the inertia of water."""
    light, heavy = (yaml.safe_load(open(os.path.join(EXAMPLES, "..", "forcefields", name + ".yaml")))
                    for name in ("brahms", "brahms-heavy"))
    checks.true("heavy water", heavy["types"]["W"]["mass"] == 40 and heavy["types"]["W"]["inertia"] == [1, 1, 1])
    for key in "mass", "inertia":
        heavy["types"]["W"][key] = light["types"]["W"][key]
    heavy["name"] = light["name"]
    checks.true("all else of brahms-heavy", heavy == light)


def check_kernels(checks):
    """A combination of terms that no force kernel has is refused, with the line of the pairs or of the class."""
    for field, begins in ("ssd", "  lj: {"), ("brahms", "    - {types: [W], cutoff: 0.9"):
        text = read(os.path.join(EXAMPLES, "..", "forcefields", field + ".yaml"))
        write("none.yaml", text.replace("lj: {truncation: switch", "lj: {truncation: force_shift"))
        write("none-water.yaml", WATER.format("./none.yaml").replace("343", "343, molecule: WATER"))
        line = text[:text.index("\n" + begins)].count("\n") + 2
        for words in ["forcefield", "./none.yaml"], ["build", "none-water.yaml", "-o", "none.h5"]:
            said = run(*words, status=2).stderr
            checks.true(f"{field}, {words[0]}: no such kernel", f"line {line}: no force kernel has" in said, said)
            checks.true(f"{field}, {words[0]}: kernels that there are", " lj_switch_dd_switch " in said, said)
        checks.true(field + ": nothing built", not os.path.exists("none.h5"))


def check_lists(checks):
    """Classes of pairs have a neighbour list each: 12 at most, with 8 groups of types that differ in them."""
    for types, classes, says in (("ABCDEFGH", 11, None), ("ABCDEFGH", 12, "more than 12 neighbour lists"),
                                 ("ABCDEFGHIJ", 9, "more than 8 groups")):
        pairs = [(types[0], other) for other in types[1:]] + [(types[1], other) for other in types[2:]]
        text = "format: 1\nname: many\ncutoff: 1.2\ntypes:\n" + "".join(f"  {t}: {{mass: 40}}\n" for t in types)
        text += "pair:\n  lj: {truncation: cut, mixing: lorentz_berthelot}\n  table:\n"
        text += "".join(f"    - [{t}, {t}, {{epsilon: 1, sigma: 0.3}}]\n" for t in types) + "  classes:\n"
        text += "".join(f"    - {{types: [{a}], with: [{b}], cutoff: 1}}\n" for a, b in pairs[:classes])
        write("many.yaml", text + "molecules:\n" + "".join(f"  {t}: {{beads: [{t}]}}\n" for t in types))
        said = run("forcefield", "./many.yaml", status=2 if says else 0).stderr
        checks.true(f"{classes} classes of {len(types)} types", says in said if says else not said, said)


def check_lammps(checks):
    tool = os.path.join(EXAMPLES, "..", "tools", "state_to_lammps.py")
    for name, says in ("brahms", "three axes"), ("ssd", "three axes"), ("aligned", "ellipsoids"):
        done = subprocess.run([sys.executable, tool, name + ".h5", "out.data", "out.in"], capture_output=True,
                              text=True, check=False)
        if "No module named" in done.stderr:
            print("skipped:", done.stderr)
            return
        checks.true(name + ": not for LAMMPS", done.returncode == 2 and says in done.stderr, done.stderr)
        checks.true(name + ": no file for LAMMPS", not os.path.exists("out.data"))


def check_example(checks, spec, settings, state, prefix):
    run("build", os.path.join(EXAMPLES, spec), "-o", state)
    run("run", os.path.join(EXAMPLES, settings), "-s", f"input={state}", "-s", "run.steps=20", "-s",
        "output.energies_every=10", "-s", "output.frames_every=20", ranks=2)
    checks.true(settings, float(columns(prefix)[-1]["step"]) == 20)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in SYSTEMS:
            check_system(checks, name)
        check_dense(checks)
        check_range(checks)
        check_kernels(checks)
        check_lists(checks)
        check_lammps(checks)
        check_exclude(checks)
        check_heavy(checks)
        check_example(checks, "build-ssd.yaml", "run-ssd.yaml", "ssd.h5", "ssd")
        check_example(checks, "build-gay-berne.yaml", "run-gay-berne.yaml", "gay-berne.h5", "gay-berne")
        check_example(checks, "brahms.yaml", "run-brahms.yaml", "brahms.h5", "brahms")
        check_example(checks, "gb-lipids.yaml", "run-gb-lipids.yaml", "gb-lipids.h5", "gb-lipids")
        os.chdir("/")
    checks.end()


if __name__ == "__main__":
    main()
