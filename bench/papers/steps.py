#!/usr/bin/env python3
"""steps.py: tables of steps.cu, beside Table 3 of Liu, Schmidt, Voss and Muller-Wittig, Comput. Phys. Commun. 179, 634
(2008): Lennard-Jones dynamics with the kernels of a step apart, joined, as CUDA graphs, and all steps in one kernel.

    bench/papers/steps.py [--program FILE] [--atoms 8192,16384,32768,65536,131072] [--cutoffs 2.5,4.5] [--repeat 21]
                          [--block 128] [-o FOLDER]

Compiles steps.cu with $NVCC (nvcc) unless --program is given, runs it for each number of atoms and each cutoff on one
GPU, and keeps FOLDER/steps-ATOMS-CUTOFF.csv. Such files that are there are read and not measured again, so that the tables
can be made on a machine without a GPU. Prints Markdown, and writes it to FOLDER/steps.md. `steps --help` names the
ways. Needs Python alone. Status 1: a check of steps.cu failed."""
import argparse
import csv
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OPTIONS = ["-O3", "-std=c++17", "-arch=native"]
WAYS = ("separate", "next", "kick", "single", "waiting", "graph", "graph-single", "persistent")
BLOCKS = (64, 128, 256, 512)
# Table 3, ms for 100 steps: force kernel, its overhead, list kernel, its overhead.
PRINTED = {8192: (480, 1115, 96, 123), 16384: (630, 1199, 412, 119), 32768: (2600, 3512, 1479, 146),
           65536: (7950, 6724, 5946, 179), 131072: (17386, 13259, 23638, 284)}


def number(value):
    """Three digits that count, without an exponent."""
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e+" in text else text


def compiled():
    """The program, compiled in the folder of the tables."""
    compiler = shlex.split(os.environ.get("NVCC", "nvcc"))
    try:
        status = subprocess.run([*compiler, *OPTIONS, str(HERE / "steps.cu"), "-o", "steps"], check=False).returncode
    except OSError as error:
        sys.exit(f"{error}: set NVCC, or give --program")
    if status:
        sys.exit("steps.cu does not compile")
    return os.path.abspath("steps")


def measured(a, atoms, cutoff):
    """{(part, what, block): (median, least, most)} and the lines on the checks."""
    path = pathlib.Path(f"steps-{atoms}-{cutoff:g}.csv")
    if not path.exists():
        a.program = a.program or compiled()
        done = subprocess.run([a.program, "--csv", f"--atoms={atoms}", f"--cutoff={cutoff:g}", f"--repeat={a.repeat}"],
                              stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stdout}steps, {atoms} atoms, cutoff {cutoff:g}: status {done.returncode}")
        path.write_text(done.stdout, encoding="utf-8")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    times = {(r["part"], r["what"], int(r["block"])): tuple(float(r[k]) for k in ("median", "least", "most")) for r in rows}
    return times, [line[2:] for line in lines if line.startswith("#")]


def table(a, title, head, rows):
    a.text += [title, "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head),
               *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def checks(a, found):
    for (atoms, cutoff), (_, lines) in found.items():
        a.text += [f"- {atoms} atoms, cutoff {cutoff:g}: " + "; ".join(lines)]
    spread = sorted((most - least) / median for values, _ in found.values()
                    for (part, _, _), (median, least, most) in values.items() if part == "steps")
    a.text += ["", f"Times of 100 steps: most less least is {100 * spread[len(spread) // 2]:.1f} % of the median in half of the "
               f"rows, {100 * spread[-1]:.1f} % at most.", ""]


def ways(a, found):
    rows = [[atoms, f"{cutoff:g}", *(number(values["steps", way, a.block][0]) for way in WAYS)]
            for (atoms, cutoff), (values, _) in found.items()]
    table(a, f"Ways of a step: ms for 100 steps, blocks of {a.block} threads.", ["atoms", "cutoff", *WAYS], rows)
    rows = []
    for (atoms, cutoff), (values, _) in found.items():
        best = [min((values["steps", way, block][0], block) for block in BLOCKS) for way in WAYS]
        rows.append([atoms, f"{cutoff:g}", *(f"{number(ms)} ({block})" for ms, block in best)])
    table(a, "The same with the best size of blocks, which is in brackets.", ["atoms", "cutoff", *WAYS], rows)


def blocks(a, found):
    rows, more = [], []
    for (atoms, cutoff), (values, _) in found.items():
        got = {(way, b): values["steps", way, b][0] for way in WAYS for b in BLOCKS}
        rows.append([atoms, f"{cutoff:g}", *(number(got["separate", b]) for b in BLOCKS),
                     *(number(values["kernels", "forces x 100", b][0]) for b in BLOCKS)])
        more.append([atoms, f"{cutoff:g}", *(f"{100 * (got['separate', b] / got['kick', b] - 1):+.1f}" for b in BLOCKS),
                     *(f"{100 * (got['next', b] / got['kick', b] - 1):+.1f}" for b in BLOCKS)])
    names = [str(b) for b in BLOCKS[1:]]
    table(a, "Sizes of blocks: ms for 100 steps of `separate`, and for 100 force kernels.",
          ["atoms", "cutoff", "separate: 64", *names, "forces: 64", *names], rows)
    table(a, "The second half kick in a kernel of its own (`separate`), or with the next step (`next`), in place of the "
          "force kernel (`kick`): more time, %.", ["atoms", "cutoff", "separate: 64", *names, "next: 64", *names], more)


def kernels(a, found):
    rows = []
    for (atoms, cutoff), (values, _) in found.items():
        row = [atoms, f"{cutoff:g}", *PRINTED.get(atoms, [""] * 4)]
        for kernel, call in (("forces x 100", "forces x 100: x up; f down"), ("list", "list: x up; count and list down"),
                             ("integration: both halves x 100", "integration x 100: f up; x and v down")):
            alone = values["kernels", kernel, 128][0]
            row += [number(alone), number(values["calls", call, 128][0] - alone)]
        rows.append(row)
    table(a, "Table 3: kernels apart, blocks of 128 threads, ms for 100 steps with one list. Overhead: time of calls that upload "
          "what a kernel reads, wait, and read back what it writes, less that of the kernel.",
          ["atoms", "cutoff", "paper: force kernel", "its overhead", "list kernel", "its overhead", "here: force kernel",
           "its overhead", "list kernel", "its overhead", "integration", "its overhead"], rows)


def copies(a, found):
    rows = []
    for (atoms, cutoff), (values, _) in found.items():
        for name in ("parameters", "positions", "list"):
            row = []
            for kind in ("pageable", "pinned"):
                for way in ("up", "down"):
                    key, = [(part, what, block) for part, what, block in values
                            if part == "copies" and what.startswith(f"{name} {way} {kind} ") and what.endswith(" B")]
                    size = int(key[1].split()[-2])
                    row += [number(values[key][0]), number(values["copies", f"{name} {way} {kind} by events", 128][0])]
            rows.append([atoms, f"{cutoff:g}", name, size, *row])
    head = [f"{kind}: {way}, {clock}" for kind in ("pageable", "pinned") for way in ("upload", "readback")
            for clock in ("host", "events")]
    table(a, "Copies: microseconds of one, by the clock of the host and by events.",
          ["atoms", "cutoff", "what", "bytes", *head], rows)


def launches(a, found):
    names = ("empty: the call alone", "empty: 100; then a wait", "empty: a wait after each", "graph of 100: a node",
             "graph of 100: the call alone", "cooperative without barriers; a wait", "cooperative with 100 barriers; a wait")
    rows = []
    for atoms in sorted({n for n, _ in found}):
        values = next(v for (n, _), (v, _) in found.items() if n == atoms)
        for block in BLOCKS:
            got = [values["launches", name, block][0] for name in names]
            rows.append([atoms, block, *map(number, got[:6]), number((got[6] - got[5]) / 100)])
    table(a, "Launches: microseconds.", ["atoms", "block", *names[:6], "a barrier"], rows)


def largest(a, found):
    """Figures 12 and 13; files of older versions have no such rows."""
    names = ("two stages x 100", "warps and atomics x 100")
    rows = [[n, *(number(values["largest", name, 128][0]) for name in names)]
            for (n, cutoff), (values, _) in found.items() if cutoff == a.cutoffs[0] and ("largest", names[0], 128) in values]
    table(a, "Figures 12 and 13: the largest displacements of all atoms, ms for 100 steps, blocks of 128 threads.",
          ["atoms", "two stages (the two largest)", "warps and atomics (the largest)"], rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", type=os.path.abspath, help="steps.cu compiled [compiled here]")
    p.add_argument("--atoms", default="8192,16384,32768,65536,131072", type=lambda s: [int(x) for x in s.split(",")],
                   help="[%(default)s]")
    p.add_argument("--cutoffs", default="2.5,4.5", type=lambda s: [float(x) for x in s.split(",")], help="[%(default)s]")
    p.add_argument("--repeat", type=int, default=21, help="measurements of each time [%(default)s]")
    p.add_argument("--block", type=int, choices=BLOCKS, default=128, help="of the first table [%(default)s]")
    p.add_argument("-o", "--folder", default="steps", help="where files go [%(default)s]")
    a = p.parse_args()
    pathlib.Path(a.folder).mkdir(parents=True, exist_ok=True)
    os.chdir(a.folder)
    a.text = []
    found = {(n, cutoff): measured(a, n, cutoff) for n in a.atoms for cutoff in a.cutoffs}
    for part in (checks, ways, blocks, kernels, largest, copies, launches):
        part(a, found)
    print("\n".join(a.text))
    pathlib.Path("steps.md").write_text("\n".join(a.text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
