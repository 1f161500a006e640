#!/usr/bin/env python3
"""Speed and errors of `lamella map`, on one CPU core and on GPUs.

    bench/maps.py [--lamella PROGRAM] [--volumes 1e5,1e6,1e7] [--gpus 1] [--repeat 5]
                  [--cpu-repeat 1] [--cpu-volume 1e6] [--core 0] [--threshold 1e-4] -o FOLDER

The boxes are those of Rodrigues et al. (Computing Frontiers 2008) as far as these are published:
cubes of three-site water with 0.0966 atoms per cubic angstrom, lattice 0.5 angstrom, cutoff 12
angstrom, open boundaries; water() of map_common.py makes them. Volumes are in cubic angstrom. The
CPU computes boxes of up to --cpu-volume. --gpus 1,2 runs with one and with two ranks, a GPU each;
--gpus 0 leaves GPUs out.

Seconds: `kernel` as the GPU measures its kernels; `map` is the time for the values to be in host
memory, with tables and copies; `all` is that of the whole program, with reading, writing and the
start of the GPU. Pairs inside the cutoff are counted around 4000 random points. Errors are those of the
box of 1e6 cubic angstrom (or the largest that is smaller) against double precision.

FOLDER gets the boxes (PQR), the maps, maps.csv (a line a run) and maps.md, the tables. Needs numpy
and h5py.
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

import map_common
from map_common import took, water, write_pqr

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
SPACING, CUTOFF = map_common.SPACING / 10, map_common.CUTOFF / 10  # nm
COULOMB = map_common.COULOMB / 10  # kJ nm/(mol e2)
PAPER_RATE = 6.6e9  # pairs inside the cutoff a second, GPU of the paper
PAPER_ERRORS = [("paper, one core (SSE)", 0.4793, 0.0000939), ("paper, SmallBin", 0.8715, 0.0001985),
                ("paper, SmallBin-CompSum", 0.5710, 0.0001579)]
E_PER_ANGSTROM = map_common.COULOMB  # kJ/mol/e


def say(*words):
    print(*words, file=sys.stderr, flush=True)


class Box:
    def __init__(self, volume):
        self.volume = volume
        self.edge = 0.1 * volume ** (1 / 3)
        self.points = round(self.edge / SPACING)
        self.path = f"water-{volume:.0e}.pqr".replace("+0", "")
        x, self.q = water(10 * self.edge)
        self.x = np.round(x, 4) / 10  # as the file has them
        if not os.path.exists(self.path):
            write_pqr(self.path, x, self.q)

    def samples(self, n):
        """Random lattice points (indices), each with the atoms within the cutoff."""
        random = np.random.default_rng(2)
        order = np.argsort(self.x[:, 0])
        sorted_x = self.x[order, 0]
        for at in random.integers(0, self.points, (n, 3)):
            point = at * SPACING
            first, end = np.searchsorted(sorted_x, [point[0] - CUTOFF, point[0] + CUTOFF])
            near = order[first:end]
            d = self.x[near] - point
            yield at, near[(d * d).sum(axis=1) < CUTOFF ** 2]

    def inside(self):
        """Pairs of a point and an atom within the cutoff."""
        return np.mean([len(near) for at, near in self.samples(4000)]) * self.points ** 3


def run(a, box, backend, ranks=1, precision="float", total="plain"):
    """A map; returns its times and counts."""
    high = repr((box.points - 1) * SPACING)
    out = f"{backend}-{ranks}-{precision}-{total}-{box.volume:.0e}.h5"
    command = [a.lamella, "map", box.path, "-o", out, "--method=cutoff", f"--cutoff={CUTOFF}",
               f"--spacing={SPACING}", "--boundary=open", "--low=0,0,0",
               f"--high={high},{high},{high}", f"--backend={backend}",
               f"--precision={precision}", f"--sum={total}"]
    if ranks > 1:
        command = [*os.environ.get("MPIEXEC", "mpiexec").split(), "-n", str(ranks), *command]
    elif backend == "cpu":
        command = ["taskset", "-c", str(a.core), *command]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    text = done.stdout + done.stderr
    t = took(text)
    if done.returncode or not t:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{text}")
    if t.points != 3 * [box.points] or t.sources != len(box.q):
        sys.exit(f"{' '.join(command)}: {t.points} points, {t.sources} sources")
    return {"volume": box.volume, "backend": backend, "ranks": ranks, "precision": precision,
            "sum": total, "map_s": t.seconds - (t.start or 0), "kernel_s": t.kernels or t.seconds,
            "all_s": seconds, "tested": t.pairs or 0, "file": out}


def runs_of(a, boxes):
    rows = []
    for box in boxes:
        kinds = [("cpu", 1, a.cpu_repeat)] if box.volume <= a.cpu_volume else []
        kinds += [("cuda", n, a.repeat) for n in a.gpus if n > 0]
        for backend, ranks, repeat in kinds:
            for k in range(repeat):
                rows.append(run(a, box, backend, ranks))
                say(f"{box.volume:.0e} A3, {backend} x {ranks}, {k + 1} of {repeat}: "
                    f"kernel {rows[-1]['kernel_s']:.4g} s, map {rows[-1]['map_s']:.4g} s")
    return rows


def spread(values):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.4g}" if low == high else f"{middle:.4g} ({low:.4g} to {high:.4g})"


def speed_table(boxes, rows):
    lines = ["| volume, A3 | atoms | points | computed by | kernel, s | map, s | all, s | "
             "pairs tested, G/s | pairs inside, G/s | inside of tested | map, speed-up over one core "
             "| kernel, times the paper's rate |", "|---" * 12 + "|"]
    for box in boxes:
        inside, core = box.inside(), None
        here = [r for r in rows if r["volume"] == box.volume]
        for kind in dict.fromkeys((r["backend"], r["ranks"]) for r in here):
            mine = [r for r in here if (r["backend"], r["ranks"]) == kind]
            middle = {name: statistics.median(r[name] for r in mine)
                      for name in ("kernel_s", "map_s", "tested")}
            name = "one core" if kind[0] == "cpu" else f"{kind[1]} GPU" + "s" * (kind[1] > 1)
            core = middle["map_s"] if kind[0] == "cpu" else core
            rate = inside / middle["kernel_s"]
            tested = middle["tested"]
            lines.append(
                f"| {box.volume:.0e} | {len(box.q)} | {box.points}^3 | {name} | "
                + " | ".join(spread([r[key] for r in mine])
                             for key in ("kernel_s", "map_s", "all_s"))
                + (f" | {1e-9 * tested / middle['kernel_s']:.1f}" if tested else " | ")
                + f" | {1e-9 * rate:.4g} | "
                + (f"{100 * inside / tested:.1f} % | " if tested else "| ")
                + (f"{core / middle['map_s']:.1f} | " if core else "| ")
                + f"{rate / PAPER_RATE:.1f} |")
    return lines


def values_of(path):
    with h5py.File(path) as file:
        return file["potential"][...]


def errors(value, exact, threshold):
    """Largest relative error in per cent where |exact| is above the threshold, largest and root
    mean square absolute error."""
    difference = np.abs(value.astype(np.float64) - exact)
    chosen = np.abs(exact) > threshold
    return (100 * (difference[chosen] / np.abs(exact[chosen])).max(), difference.max(),
            np.sqrt((difference ** 2).mean()))


def float_coordinates(box, n=4000):
    """The potential at some points as programs compute it that keep coordinates in float: float
    coordinates, differences and sums. Returns values and points [z][y][x]."""
    x, q = box.x.astype(np.float32), (COULOMB * box.q).astype(np.float32)
    value, at = np.empty(n, np.float32), np.empty((n, 3), int)
    for k, (point, near) in enumerate(box.samples(n)):
        d = (point * SPACING).astype(np.float32) - x[near]
        r2 = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2]
        t = np.float32(1) - r2 * np.float32(1 / CUTOFF ** 2)
        term = q[near] * (t * t / np.sqrt(r2))
        value[k] = np.cumsum(term, dtype=np.float32)[-1]
        at[k] = point[::-1]
    return value, at


def error_table(a, box):
    """Against double precision: of the CPU where it computes, and of the GPU."""
    backends = ["cpu"] if box.volume <= a.cpu_volume else []
    backends += ["cuda"] if max(a.gpus) > 0 else []
    exact = values_of(run(a, box, backends[0], precision="double")["file"])
    lines = ["| computed by | precision, sum | largest relative error, % | largest error, e/A | "
             "root mean square, e/A |", "|---|---|---|---|---|"]

    def line(name, how, e):
        return (f"| {name} | {how} | {e[0]:.3g} | {e[1] / E_PER_ANGSTROM:.3g} | "
                f"{e[2] / E_PER_ANGSTROM:.3g} |")

    limit = a.threshold * E_PER_ANGSTROM
    for backend in backends:
        for precision, total in (("float", "plain"), ("float", "compensated"),
                                 ("double", "plain")):
            r = run(a, box, backend, precision=precision, total=total)
            e = errors(values_of(r["file"]), exact, limit)
            name = "one core" if backend == "cpu" else "1 GPU"
            lines.append(line(name, f"{precision}, {total}, {r['kernel_s']:.4g} s", e))
    value, at = float_coordinates(box)
    lines.append(line(f"numpy, {len(at)} points", "float coordinates, plain",
                      errors(value, exact[tuple(at.T)], limit)))
    for name, relative, absolute in PAPER_ERRORS:
        lines.append(f"| {name} | float | {relative} | {absolute} (unit not stated) | |")
    return lines


def write_results(a, boxes, rows):
    with open("maps.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    small = [b for b in boxes if b.volume <= 1.0001e6] or boxes[:1]
    lines = [f"Water boxes, lattice {SPACING} nm, cutoff {CUTOFF} nm, float, plain sums; median "
             "(minimum to maximum).", ""] + speed_table(boxes, rows)
    lines += ["", f"Errors in the box of {small[-1].volume:.0e} cubic angstrom against double "
              f"precision; relative errors where |V| > {a.threshold:g} e/A.", ""]
    lines += error_table(a, small[-1])
    text = "\n".join(lines) + "\n"
    with open("maps.md", "w") as out:
        out.write(text)
    print(text, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lamella", default=os.path.join(TOP, "build", "lamella"))
    parser.add_argument("--volumes", default="1e5,1e6,1e7",
                        type=lambda s: sorted(float(v) for v in s.split(",")))
    parser.add_argument("--gpus", default="1", type=lambda s: [int(n) for n in s.split(",")])
    parser.add_argument("--repeat", type=int, default=5, help="maps of GPUs")
    parser.add_argument("--cpu-repeat", type=int, default=1)
    parser.add_argument("--cpu-volume", type=float, default=1e6, help="0: no maps of the CPU")
    parser.add_argument("--core", type=int, default=0, help="where the CPU computes")
    parser.add_argument("--threshold", type=float, default=1e-4, help="e/A")
    parser.add_argument("-o", "--output", required=True, help="folder of the results")
    a = parser.parse_args()
    if max(a.gpus) == 0 and a.cpu_volume < a.volumes[0]:
        parser.error("nothing to do: neither GPUs nor the CPU compute the smallest box")
    a.lamella = os.path.abspath(a.lamella)
    os.makedirs(a.output, exist_ok=True)
    os.chdir(a.output)
    boxes = [Box(v) for v in a.volumes]
    rows = runs_of(a, boxes)
    write_results(a, boxes, rows)


if __name__ == "__main__":
    main()
