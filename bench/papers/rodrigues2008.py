#!/usr/bin/env python3
"""rodrigues2008.py: Tables 1 to 4 and Figures 4 to 7 of Rodrigues, Hardy, Stone, Schulten and Hwu (Computing Frontiers
2008): maps of the electrostatic potential of boxes of water by `lamella map`.

    bench/papers/rodrigues2008.py [--backend cpu] [--backend cuda] [--sizes small] [--most VOLUME] [-o FOLDER]
                                  [--part geometry|errors|time|clipping|size|occupancy]

geometry   atoms inside the cutoff among the atoms of the bins that are read, by the formula of the paper.
errors     Table 2: largest errors of single precision against double; with --backend cuda also those of clipping.cu.
time       Tables 3 and 4: time of the box of 10^6 cubic angstroms.
clipping   the same box by clipping.c, which this script compiles with $CC (cc): a program like the paper's for one
           core, whose variants visit the points of a cube, a cylinder or a sphere around each atom, or for each region
           of points the bins in reach. With --backend cuda also by clipping.cu, which this script compiles with $NVCC
           (nvcc): kernels like the paper's, with large bins, small bins, and small bins with clipping.
           --march="-mavx2 -mfma" compiles clipping.c for AVX2.
size       Figures 4 to 6: time against volume, 10^3 to --most cubic angstroms.
occupancy  Figure 7: time against the number of atoms a bin of 4 angstroms, 0 to 8. 0: one charge in a corner of the
           box, since there is no map without a source.

Boxes: three-site water (TIP3P charges and shape), 0.0966 atoms per cubic angstrom, molecules near the points of a
cubic lattice and turned at random; made by this script, since the paper's boxes are not published. Lattice 0.5
angstrom over the whole box, cutoff 12 angstroms, open boundaries. The paper gives no unit for the threshold of its
errors, |V| > 1e-4, and of its absolute errors: e per angstrom here. Pairs: atoms inside the cutoff of a point,
estimated from the density for points of the whole box, less what lies outside of it.
Times are those that the program reports for the map, without reading and writing of files; on GPUs they include its
start, and "kernels" is the time of the kernels alone. On CPUs the processor time of the whole command is taken where it
is less, since other programs may use the machine. clipping.c prints processor time, clipping.cu that of kernels alone.
Prints Markdown, and writes it to FOLDER/rodrigues2008.md."""
import collections
import csv
import itertools
import math
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys

import h5py
import numpy as np

import paper
from paper import common, number

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from map_common import COULOMB, CUTOFF, DENSITY, SPACING, took, water, write_pqr  # noqa: E402

BIN = 4.0  # angstrom
ERRORS = {"CPU-SSE3": (0.4793, 0.0000939), "LargeBin": (0.7457, 0.0001561), "SmallBin": (0.8715, 0.0001985),
          "SmallBin-CompSum": (0.5710, 0.0001579)}
# Of clipping.cu.
KERNELS = {"large": "large bins", "small": "small bins, 335", "near": "small bins, 302 with a point in reach",
           "cylinder": "335, cylinder", "compensated": "335, cylinder, compensated"}
SECONDS = {"CPU-SSE3": 19.452, "LargeBin": 3.64, "SmallBin": 1.51, "SmallBin-Overlap": 1.07, "SmallBin-CompSum": 1.15}


# ---------------------------------------------------------------- boxes

def filled(edge, occupancy, seed=1):
    """As many charges in each bin of 4 angstroms, at random positions; for none, one charge in a corner."""
    if occupancy == 0:
        return np.full((1, 3), 0.2), np.array([0.417])
    random = np.random.default_rng(seed)
    corner = np.array(list(itertools.product(range(int(edge / BIN)), repeat=3))) * BIN
    position = (corner[:, None] + random.uniform(0, BIN, (len(corner), occupancy, 3))).reshape(-1, 3)
    return position, np.where(np.arange(len(position)) % 2, 0.417, -0.417)


def write(name, position, charge):
    path = pathlib.Path(f"{name}.pqr")
    if not path.exists():
        write_pqr(path, position, charge)
    return str(path)


# ---------------------------------------------------------------- maps

Best = collections.namedtuple("Best", "map kernels")


def make(a, source, edge, backend, method="cutoff", precision="float", total="plain", keep=None):
    """Least seconds of the repeated maps, and of the kernels of GPUs (else None). keep: the
    file of the map."""
    out = keep or "map.h5"
    high = edge - SPACING
    command = [common.program(), "map", source, "-o", out, f"--method={method}", f"--cutoff={CUTOFF / 10:g}",
               f"--spacing={SPACING / 10:g}", "--low=0,0,0", f"--high={high / 10:.6f},{high / 10:.6f},{high / 10:.6f}",
               f"--precision={precision}", f"--sum={total}", f"--backend={backend}"]
    seconds, kernels = [], []
    for _ in range(a.repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = took(done.stderr + done.stdout)
        if done.returncode or not found:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
        seconds.append(found.seconds)
        if backend == "cpu":
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        else:
            kernels.append(found.kernels)
    if not keep:
        pathlib.Path(out).unlink()
    return Best(min(seconds), min(kernels, default=None))


def values(path):
    with h5py.File(path, "r") as file:
        return file["potential"][:].astype(float) / COULOMB


def pairs(edge):
    """Pairs inside the cutoff: for a cube, the mean over directions of the overlap of it with itself, moved."""
    r = (np.arange(2000) + 0.5) * CUTOFF / 2000
    overlap = edge**3 - 1.5 * r * edge**2 + 2 / np.pi * r * r * edge - r**3 / (4 * np.pi)
    return DENSITY * np.sum(4 * np.pi * r * r * overlap) * CUTOFF / 2000 / SPACING**3


# ---------------------------------------------------------------- programs like the paper's

NO_GPU = 4  # status of clipping.cu


def compiled(a, compiler, source, options):
    """The program of a file beside this script."""
    program = source.replace(".", "-")
    if subprocess.run([*compiler, *options, str(HERE / source), "-lm", "-o", program], check=False).returncode:
        sys.exit(f"{source} does not compile")
    version, = [line for line in paper.output(*compiler, "--version").splitlines() if re.search(r"\d\.\d", line)][:1]
    paper.show(a, f"Compiler of {source}: {version}, {' '.join(options)}.", "")
    return os.path.abspath(program)


def clip_rows(text):
    return [{k: v if k == "variant" else float(v) for k, v in row.items()} for row in csv.DictReader(text.splitlines())]


def clip(a, edge, source):
    """The rows of clipping.c, compiled here."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if not shutil.which(compiler[0]):
        sys.exit(f"no compiler {compiler[0]}: set CC, or choose other parts")
    program = compiled(a, compiler, "clipping.c", ["-O3", *a.march.split(), "-fno-math-errno", "-fno-trapping-math"])
    done = subprocess.run([program, source, str(edge), str(a.repeat)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"clipping: status {done.returncode}")
    return clip_rows(done.stdout)


def clip_gpu(a, edge, source):
    """The rows of clipping.cu, compiled here, and why there are none."""
    compiler = shlex.split(os.environ.get("NVCC", "nvcc"))
    if not shutil.which(compiler[0]):
        return [], f"no compiler {compiler[0]}"
    program = compiled(a, compiler, "clipping.cu", ["-O3", "-std=c++17", "-ftz=true", "-arch=native"])
    done = subprocess.run([program, source, str(edge), str(a.repeat)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, NO_GPU):
        sys.exit(f"clipping, GPU: status {done.returncode}")
    return clip_rows(done.stdout), "no GPU" if done.returncode else ""


# ---------------------------------------------------------------- parts

def bins_within(radius, edge, reach):
    """Bins whose corner is within the radius of that of one bin, and at most `reach` away along each axis."""
    k = np.arange(-reach, reach + 1) * edge
    x, y, z = np.meshgrid(k, k, k, indexing="ij")
    return int((x * x + y * y + z * z <= radius * radius).sum())


def geometry(a):
    ball = 4 / 3 * np.pi * CUTOFF**3
    radius = CUTOFF + (8 * SPACING + BIN) * math.sqrt(3) / 2
    mine = bins_within(radius, BIN, int(radius / BIN) + 1)
    near = bins_within(radius, BIN, math.ceil(CUTOFF / BIN))
    paper.show(a, f"Small bins of {BIN:g} angstroms, regions of 8^3 points: the radius of the paper's formula, "
               f"12 + (8 x 0.5 + 4) sqrt(3)/2 = {radius:.2f} angstroms, holds {mine} bins. {near} of them are at most 3 "
               "bins away along each axis, which is the cutoff.", "")
    rows = [["printed in the paper", 335, "over 33", f"{100 * ball / (335 * BIN**3):.1f}"],
            ["by its formula", mine, "", f"{100 * ball / (mine * BIN**3):.1f}"],
            ["of these, at most 3 away along each axis", near, "", f"{100 * ball / (near * BIN**3):.1f}"],
            ["large bins (24 angstroms, 2 x 2 x 2)", 8, "6.5", f"{100 * ball / (8 * 24**3):.1f}"]]
    paper.table(a, ["", "bins", "paper, atoms inside the cutoff, %", "volume of the cutoff / volume of the bins, %"],
                rows)


def errors(a):
    edge = 40 if a.sizes == "small" else 100
    source = write(f"water-{edge}", *water(edge))
    make(a, source, edge, a.backend[-1], precision="double", keep="double.h5")
    exact = values("double.h5")
    large = abs(exact) > 1e-4
    rows = [[f"paper: {name}", relative, f"{absolute:.7f}", ""] for name, (relative, absolute) in ERRORS.items()]
    for backend in a.backend:
        for total in ("plain", "compensated"):
            make(a, source, edge, backend, total=total, keep="single.h5")
            off = abs(values("single.h5") - exact)
            rows.append([f"{backend}, float, {total}", f"{100 * (off / abs(exact))[large].max():.4f}",
                         f"{off[abs(exact) < 100].max():.7f}", f"{np.sqrt((off[abs(exact) < 100]**2).mean()):.2g}"])
    if "cuda" in a.backend:
        found, missing = clip_gpu(a, edge, source)
        rows += [[f"clipping.cu, {KERNELS[r['variant']]}", f"{100 * r['relative']:.4f}", f"{r['difference']:.7f}",
                  f"{r['rms']:.2g}"] for r in found if r["variant"] in ("large", "small", "compensated")]
        rows += [[f"clipping.cu: {missing}", "", "", ""]] if missing else []
    paper.show(a, f"Table 2: {len(exact)}^3 points, errors against double; relative where |V| > 1e-4 e/angstrom, "
               "absolute in e/angstrom (points with |V| above 100, on an atom, left out). clipping.cu: coordinates are "
               "floats, errors against the same kernel in double.", "")
    paper.table(a, ["", "largest relative error, %", "largest absolute error", "root mean square"], rows)


def times(a):
    edge = 40 if a.sizes == "small" else 100
    source = write(f"water-{edge}", *water(edge))
    rows = [[f"paper: {name}", number(s), f"{SECONDS['CPU-SSE3'] / s:.1f}", number(pairs(100) / s / 1e9)]
            for name, s in SECONDS.items()]
    for backend in a.backend:
        for precision, total in (("float", "plain"), ("float", "compensated"), ("double", "plain")):
            s = make(a, source, edge, backend, precision=precision, total=total).map
            rows.append([f"{backend}, {precision}, {total}", number(s), f"{SECONDS['CPU-SSE3'] / s:.1f}" if edge == 100
                         else "", number(pairs(edge) / s / 1e9)])
    paper.show(a, f"Tables 3 and 4: a cube of {edge} angstroms, {len(water(edge)[1])} atoms", "")
    paper.table(a, ["", "s", "CPU-SSE3 of the paper / this", "10^9 pairs inside the cutoff a second"], rows)


def clipping(a):
    edge = 40 if a.sizes == "small" else 100
    source = write(f"water-{edge}", *water(edge))
    paper.show(a, f"Clipping on one core: a cube of {edge} angstroms, best and median of {a.repeat} (processor time).",
               "Paper: the cylinder is nearly 20 % faster, and over 67 % of the tested pairs are inside the cutoff; it "
               "is almost twice as fast as a port of the best GPU kernel (bins).")
    found = clip(a, edge, source)
    first = found[0]["best_s"]
    rows = [clip_row(r, r["variant"], first, 1) for r in found]
    if "cpu" in a.backend:
        s = make(a, source, edge, "cpu").map
        rate = number(found[0]["inside"] / s / 1e9)
        rows.append(["lamella map", number(s), "", f"{first / s:.2f}", "", "", rate, "", ""])
    clip_table(a, "s", "cube / this", rows)
    if "cuda" in a.backend:
        clipping_gpu(a, edge, source)


def clip_row(r, name, first, scale):
    return [name, number(scale * r["best_s"]), number(scale * r["median_s"]), f"{first / r['best_s']:.2f}",
            number(r["tested"] / 1e9), f"{100 * r['inside'] / r['tested']:.1f}",
            number(r["inside"] / r["best_s"] / 1e9), f"{r['difference']:.1e}", f"{100 * r['relative']:.2g}"]


def clip_table(a, unit, ratio, rows):
    paper.table(a, ["pairs tested", f"best, {unit}", f"median, {unit}", ratio, "10^9 pairs tested",
                    "inside the cutoff, %", "10^9 pairs inside per second",
                    "largest difference from double, e/angstrom", "largest relative, %"], rows)


def clipping_gpu(a, edge, source):
    found, missing = clip_gpu(a, edge, source)
    paper.show(a, f"Clipping on the GPU: the same cube, kernels alone, best and median of {a.repeat}.",
               "Paper: clipping makes kernels 6.7 % faster, all but the one with large bins. SmallBin is 2.4 times as "
               "fast as LargeBin, with its overflow list and copies.", "")
    if missing:
        clip_table(a, "ms", "small bins / this", [[f"clipping.cu: {missing}", *[""] * 8]])
        return
    first, = (r["best_s"] for r in found if r["variant"] == "small")
    rows = [clip_row(r, KERNELS[r["variant"]], first, 1000) for r in found]
    s = make(a, source, edge, "cuda").kernels
    rate = number(found[0]["inside"] / s / 1e9)
    rows.append(["lamella map", number(1000 * s), "", f"{first / s:.2f}", "", "", rate, "", ""])
    clip_table(a, "ms", "small bins / this", rows)


def size(a):
    edges = [e for e in (10, 20, 30, 46, 64, 100, 136, 180, 216, 300, 360) if e**3 <= a.most * 1.01]
    rows = []
    for edge in edges:
        position, charge = water(edge)
        source = write(f"water-{edge}", position, charge)
        row = [f"{edge**3:.3g}", len(charge)]
        whole = len(charge) * (edge / SPACING)**3
        for backend in a.backend:
            def best(**options):
                took_s = make(a, source, edge, backend, **options)
                return took_s.kernels if backend == "cuda" else took_s.map
            s, compensated = best(), best(total="compensated")
            direct = best(method="direct") if whole <= a.direct * 1e9 else None
            row += [number(s), number(pairs(edge) / s / 1e9), number(compensated), f"{compensated / s - 1:.0%}",
                    number(direct), number(direct and whole / direct / 1e9)]
        rows.append(row)
    paper.show(a, "Figures 4 to 6: time against volume, float, seconds; cuda: of the kernels alone (the paper prints no "
               "single points)", "")
    head = [x for b in a.backend for x in (f"{b}: cutoff", "10^9 pairs/s", "compensated", "more", f"{b}: direct",
                                           "10^9 pairs/s")]
    paper.table(a, ["volume, cubic angstroms", "atoms", *head], rows)


def occupancy(a):
    edge = 40 if a.sizes == "small" else 100
    rows = []
    for n in range(9):
        position, charge = filled(edge, n)
        source = write(f"filled-{edge}-{n}", position, charge)
        row = [n, len(charge)]
        for backend in a.backend:
            best = make(a, source, edge, backend)
            row += [number(best.map)] + ([number(best.kernels)] if backend == "cuda" else [])
        rows.append(row)
    paper.show(a, f"Figure 7: cube of {edge} angstroms, atoms in each bin of 4 angstroms, least time of {a.repeat} "
               "(paper, 8 atoms a bin: 1.712 s; 0 atoms: 0.184 s, derived). 0: one charge in a corner of the box.", "")
    head = [x for b in a.backend for x in ([f"{b}, s"] + (["its kernels, s"] if b == "cuda" else []))]
    paper.table(a, ["atoms per bin", "charges", *head], rows)


PARTS = {"geometry": geometry, "errors": errors, "time": times, "clipping": clipping, "size": size,
         "occupancy": occupancy}


def main():
    p = paper.parser(__doc__, "rodrigues2008", list(PARTS))
    p.add_argument("--most", type=float, default=1e7, help="largest volume, cubic angstroms [%(default)g]")
    p.add_argument("--direct", type=float, default=2, help="most pairs of a direct sum, 10^9 [%(default)g]")
    p.add_argument("--march", default="-march=native", help="processor that clipping.c is compiled for; AVX2: '-mavx2 -mfma' "
                   "[%(default)s]")
    a = paper.start(p)
    if a.sizes == "small":
        a.most = min(a.most, 64000)
    paper.machine(a)
    for part in a.part or PARTS:
        PARTS[part](a)
    paper.end(a, "rodrigues2008")


if __name__ == "__main__":
    main()
