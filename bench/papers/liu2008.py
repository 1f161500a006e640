#!/usr/bin/env python3
"""liu2008.py: Tables 2 to 5 of Liu, Schmidt, Voss and Muller-Wittig, Comput. Phys. Commun. 179, 634 (2008):
Lennard-Jones from fcc crystals, 100 steps, skin 0.5, cutoffs of 2.5 to 4.5 sigma.

    bench/papers/liu2008.py [--backend cpu] [--backend cuda] [--part speed|kernels|accuracy] [--lmp lmp]
                            [--least ATOMS] [--most ATOMS] [--cutoffs 2.5,3,3.5,4,4.5] [--sizes small] [-o FOLDER]

speed      time of 100 steps: forces, neighbour lists, the rest; one core of this program in mixed and in double
           precision, one core of LAMMPS (--lmp '' leaves it out; double) and one GPU.
kernels    (only if named) with --backend cuda: 10 steps under Nsight Compute (ncu), one kernel at a time: forces, lists,
           integration. Lists in 100 steps are counted in a run without ncu.
accuracy   temperature, energies and pressure of a melt of 8192 atoms: each backend against the CPU in double.

The paper does not state density, temperature, time step and truncation. Here: 0.8442, T* = 1.44 of the crystal, half
of which is left in the melt, 0.005, energies cut at the cutoff without a shift, NVE. Lists are rebuilt before a pair can be
missed. A GPU runs --gpu-steps steps; times are given for 100. Times on CPUs are multiplied by the share of a processor
that the command got, so that other programs on the machine disturb them less. Times are kept in FOLDER and not measured
again, so that core and GPU can be measured one after the other, the tables be made at last.
Prints Markdown, and writes it to FOLDER/liu2008.md."""
import os
import pathlib
import re
import subprocess
import sys
import types

import numpy as np

import paper
from paper import common, number

import kernels as ncu

CELLS = {8192: (8, 16, 16), 16384: (16, 16, 16), 32768: (16, 16, 32), 65536: (16, 32, 32), 131072: (32, 32, 32)}
# Tables 4 and 5, ms for 100 steps: CPU forces, lists, total; GPU total; LAMMPS.
PRINTED = {
    (8192, 2.5): (5595, 2141, 7953, 658, 5120), (8192, 3.0): (8594, 2140, 10906, 916, 6664),
    (8192, 3.5): (12826, 2141, 15266, 1341, 8971), (8192, 4.0): (17454, 2125, 19812, 1753, 11272),
    (8192, 4.5): (23360, 2156, 25781, 2262, 14205), (16384, 2.5): (12468, 8594, 21437, 1398, 12508),
    (16384, 3.0): (19140, 8594, 28109, 1875, 17573), (16384, 3.5): (29357, 8609, 38421, 2468, 24132),
    (16384, 4.0): (40390, 8609, 49421, 3078, 29428), (16384, 4.5): (54920, 8625, 64031, 4390, 38644),
    (32768, 2.5): (29702, 33047, 63500, 3720, 32529), (32768, 3.0): (47515, 33078, 81468, 4862, 47941),
    (32768, 3.5): (69080, 33078, 103031, 6297, 55383), (32768, 4.0): (93764, 33078, 127875, 8216, 65101),
    (32768, 4.5): (126902, 33141, 160968, 10298, 81242), (65536, 2.5): (71119, 132375, 205062, 11293, 96491),
    (65536, 3.0): (117533, 132344, 251515, 14546, 122192), (65536, 3.5): (172949, 132375, 307000, 18968, 150497),
    (65536, 4.0): (242958, 132437, 377110, 23453, 173146), (65536, 4.5): (330299, 132562, 464484, 29140, 214890),
    (131072, 2.5): (98263, 544375, 646062, 32865, 343931), (131072, 3.0): (152568, 543078, 699015, 37609, 411997),
    (131072, 3.5): (235911, 543344, 782625, 43531, 493818), (131072, 4.0): (334189, 544594, 882125, 49875, 538077),
    (131072, 4.5): (459567, 544938, 1007875, 59296, 651413)}
# Table 2, % of the serial time: forces, lists.
SHARES = {8192: (70.4, 26.9), 16384: (58.2, 40.1), 32768: (46.8, 52.0), 65536: (34.7, 64.6), 131072: (15.2, 84.3)}
LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {0} 0 {1} 0 {2}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut {cutoff}
pair_coeff 1 1 1.0 1.0 {cutoff}
neighbor 0.5 bin
neigh_modify delay 0 every 1 check yes
fix 1 all nve
timestep 0.005
thermo 100
run 100
"""


def crystal(n):
    if not pathlib.Path(f"fcc-{n}.h5").exists():
        common.build(".", f"fcc-{n}", {"forcefield": "lj", "seed": 1, "temperature": 173.1923, "lattice": {
            "type": "fcc", "cells": list(CELLS[n]), "density": 0.8442}})
    return f"fcc-{n}.h5"


def field(cutoff):
    """lj.yaml with another cutoff."""
    path = pathlib.Path(f"lj-{cutoff:g}.yaml")
    text = (paper.TOP / "forcefields" / "lj.yaml").read_text(encoding="utf-8")
    new = pathlib.Path(f"{path}.{os.getpid()}")
    new.write_text(re.sub(r"^cutoff: .*", f"cutoff: {cutoff:g}", text, flags=re.M), encoding="utf-8")
    new.replace(path)
    return str(path.resolve())


def run(name, backend, precision, state, cutoff, steps, **more):
    options = types.SimpleNamespace(backend=backend, precision=precision, ranks=1)
    return common.run(options, ".", name, {
        "input": state, "forcefield": field(cutoff), "run": {"steps": steps, "dt": 0.005},
        "neighbor": {"skin": 0.5}, "output": {"energies_every": 0, **more}})


def lamella_time(a, backend, n, cutoff, precision="mixed"):
    """ms for 100 steps: forces, lists, all but files; steps a list."""
    return paper.kept(f"time-{backend}-{precision}-{n}-{cutoff:g}", lambda: lamella_measured(a, backend, n, cutoff, precision))


def lamella_measured(a, backend, n, cutoff, precision):
    steps = 100 if backend == "cpu" else a.gpu_steps
    found = []
    for _ in range(a.repeat):
        state = crystal(n)
        with paper.Share() as share:
            _, report = run(f"speed-{n}", backend, precision, state, cutoff, steps)
        got = share.value if backend == "cpu" else 1
        scale = 1e5 * got / report["steps"]
        phase = {k: v["mean"] * scale for k, v in report["phases_s"].items()}
        found.append((n / report["without_output"] * 0.1 * got, phase["force"], phase["build"], report["steps_per_build"]))
    total, force, lists, per_build = min(found)
    return force, lists, total, per_build


def lammps_time(a, n, cutoff):
    return paper.kept(f"time-lammps-{n}-{cutoff:g}", lambda: lammps_measured(a, n, cutoff))


def lammps_measured(a, n, cutoff):
    pathlib.Path("in.lj").write_text(LAMMPS.format(*CELLS[n], cutoff=cutoff), encoding="utf-8")
    found = []
    for _ in range(a.repeat):
        with paper.Share() as share:
            done = subprocess.run([a.lmp, "-sf", "opt", "-in", "in.lj", "-log", "none"], capture_output=True,
                                  text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(done.stdout[-2000:] + done.stderr)
        seconds = [float(paper.first(done.stdout, pattern)) for pattern in (
            r"^Loop time of (\S+)", r"^Pair +\| (\S+)", r"^Neigh +\| (\S+)")]
        found.append([1e3 * share.value * s for s in seconds])
    total, force, lists = min(found)
    return force, lists, total


def speed(a):
    sizes = [n for n in CELLS if a.least <= n <= a.most]
    shares, rows = [], []
    for n in sizes:
        for cutoff in a.cutoffs:
            printed = PRINTED[n, cutoff]
            lammps = lammps_time(a, n, cutoff) if a.lmp else (None,) * 3
            mine = {b: lamella_time(a, b, n, cutoff) for b in a.backend}
            double = lamella_time(a, "cpu", n, cutoff, "double")[2] if "cpu" in a.backend else None
            core, gpu = mine.get("cpu", (None,) * 4), mine.get("cuda", (None,) * 4)
            ratio = [number(x and gpu[2] and x / gpu[2]) for x in (core[2], lammps[2])]
            rows.append([n, cutoff, *printed, f"{printed[2] / printed[3]:.1f}", f"{printed[4] / printed[3]:.1f}",
                         *map(number, core[:3]), number(double), *map(number, lammps), *map(number, gpu[:3]), *ratio])
            if core[2] and cutoff == 2.5:
                shares.append([n, *SHARES[n], f"{100 * core[0] / core[2]:.1f}", f"{100 * core[1] / core[2]:.1f}",
                               f"{core[3]:.1f}"])
    if shares:
        paper.show(a, "Table 2: % of the serial time, cutoff 2.5", "")
        paper.table(a, ["atoms", "paper: forces", "lists", "one core: forces", "lists", "steps a list"], shares)
    paper.show(a, "Tables 4 and 5: ms for 100 steps; x: total / GPU total", "")
    paper.table(a, ["atoms", "cutoff", "paper, CPU: forces", "lists", "total", "paper, GPU", "paper, LAMMPS", "x CPU",
                    "x LAMMPS", "one core: forces", "lists", "total", "total, double", "LAMMPS, one core: forces",
                    "lists", "total", "GPU: forces", "lists", "total", "x one core", "x LAMMPS"], rows)


def kernel_phase(name):
    """Forces, lists, search, integration or other; None for forces with energies."""
    if re.search(r"force_rows<(?:\(.*?\))?\d+U?, *(?:\(.*?\))?\d+, *(?:\(.*?\))?1,", name):
        return None
    return "search" if "search" in name else ncu.phase_of(name)


def kernels(a):
    """Times of the kernels of the first steps under ncu, one of which has the energies of the start and is left out. A
    list: the mean time of one times the lists of a run without ncu. The search for missing pairs is in every step."""
    if "cuda" not in a.backend:
        return
    profiled, rows = 10, []
    for n, cutoff in ((n, c) for n in CELLS if a.least <= n <= a.most for c in a.cutoffs):
        _, report = run("speed", "cuda", "mixed", crystal(n), cutoff, a.gpu_steps)
        lists = 100 / report["steps_per_build"]
        common.write_input("kernels.yaml", {
            "input": crystal(n), "forcefield": field(cutoff), "parallel": {"backend": "cuda"}, "restart": "never",
            "run": {"steps": profiled, "dt": 0.005, "precision": "mixed"}, "neighbor": {"skin": 0.5},
            "output": {"prefix": "kernels", "energies_every": 0, "checkpoint_every": 0}})
        launches = ncu.launches_of([os.environ["LAMELLA"], "run", "kernels.yaml"], {"time": ncu.METRICS["time"]},
                                   "--clock-control", "none", "--cache-control", "none")
        builds = sum("windows_sort" in x["name"] for x in launches)
        phases = {p: [x for x in launches if kernel_phase(x["name"]) == p]
                  for p in ("forces", "lists", "search", "integration", "other")}
        scale = dict.fromkeys(phases, 100 / profiled)
        scale["forces"] = 100 / len(phases["forces"])
        scale["lists"] = lists / builds
        time = {p: scale[p] * sum(x["time"] for x in found) for p, found in phases.items()}
        printed = PRINTED[n, cutoff]
        rows.append([n, cutoff, printed[0], printed[1], *map(number, time.values()),
                     *(f"{100 * time[p] / sum(time.values()):.1f}" for p in ("forces", "lists")), f"{lists:.1f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    paper.show(a, "Kernels of the GPU: ms for 100 steps, and % of all kernels. The paper prints forces and lists of its CPU "
               "only.", "")
    paper.table(a, ["atoms", "cutoff", "paper, CPU: forces", "lists", "GPU: forces", "lists", "search", "integration", "other",
                    "forces, %", "lists, %", "lists in 100 steps"], rows)


def accuracy(a):
    """Means over the last three quarters of a run after the crystal has molten, with their errors."""
    steps = 400 if a.sizes == "small" else a.accuracy_steps
    state, _ = run("melt", a.backend[0], "mixed", crystal(8192), 2.5, steps // 4)
    results = {}
    for backend, precision in [("cpu", "double"), *((b, "mixed") for b in a.backend)]:
        name = f"{backend}-{precision}"
        run(name, backend, precision, state, 2.5, steps, energies_every=10)
        results[name] = common.read_csv(f"{name}.csv")
    want, rows = results["cpu-double"], []
    for label, column in (("temperature, K", "temperature_K"), ("potential energy", "potential"),
                          ("kinetic energy", "kinetic"), ("total energy", "total"), ("pressure, bar", "pressure_bar")):
        part = slice(len(want[column]) // 4, None)
        mean, error = common.block(want[column][part])
        row = [label, f"{mean:.6g}"]
        for name, columns in results.items():
            if name != "cpu-double":
                value, other = common.block(columns[column][part])
                row += [f"{value:.6g}", f"{100 * (value - mean) / abs(mean):+.4f}",
                        f"{100 * np.hypot(error, other) / abs(mean):.4f}"]
        rows.append(row)
    paper.show(a, f"8192 atoms, cutoff 2.5, {steps} steps of NVE: means; difference from the CPU in double and its error "
               "(from blocks in time), %. The paper: below 0.5 %.", "")
    head = [x for name in results if name != "cpu-double" for x in (name, "difference", "its error")]
    paper.table(a, ["", "cpu-double", *head], rows)


PARTS = {"speed": speed, "kernels": kernels, "accuracy": accuracy}


def main():
    p = paper.parser(__doc__, "liu2008", list(PARTS))
    p.add_argument("--lmp", default="lmp", help="LAMMPS [%(default)s]")
    p.add_argument("--most", type=int, default=131072, help="largest number of atoms [%(default)s]")
    p.add_argument("--least", type=int, default=8192, help="smallest number of atoms [%(default)s]")
    p.add_argument("--cutoffs", default="2.5,3,3.5,4,4.5", help="sigma [%(default)s]", type=lambda s: [float(x) for x in s.split(",")])
    p.add_argument("--gpu-steps", type=int, default=1000, help="[%(default)s]")
    p.add_argument("--accuracy-steps", type=int, default=20000, help="[%(default)s]")
    a = paper.start(p)
    if a.sizes == "small":
        a.most, a.cutoffs = 8192, [2.5, 4.5]
    paper.machine(a, a.lmp)
    for part in a.part or ("speed", "accuracy"):
        PARTS[part](a)
    paper.end(a, "liu2008")


if __name__ == "__main__":
    main()
