#!/usr/bin/env python3
"""scale_model.py [--link GB/s] [--latency US]: what a membrane of ELBA costs on many GPUs, by a model.

Prints Markdown: the time of a step and the efficiency for 10^6 to 10^9 beads on 1 to 4,096 GPUs, and memory, files and
failures. Each number that the model takes is below with its source: measured here (docs/measured), or an assumption.
--link and --latency are of a link between nodes: 25 GB/s (200 Gbit/s) and 4 microseconds by default. A node has 4 GPUs."""
import argparse
import math

# Microseconds of a step on one H200 by beads, docs/measured/one-gpu.md "Time of a step", "Lists, thermostats, intervals".
STEP = ((7_040, 27.5), (112_640, 171.0), (1_013_760, 1353.0))
# Four H200, links by IPC, docs/measured/several-gpus.md "Four H200 of one host": what a step takes more than on one GPU with as many beads. 225,280 beads as
# slabs and columns 49 and 47 us, 1,013,760 beads 35 and 39, 4,055,040 beads 45 and 49: the same for halos of 12,000 to 73,600
# beads, which the forces hide, and for two and three peers.
FIXED = 44.0
MESSAGE = 24  # bytes a bead of the halo and step
AREA_DENSITY = 152.0  # beads for each nm2 of the membrane, of the DOPC box
REACH = 1.2 + 1.5 * 0.17  # width of the halo, nm: cutoff, skin and half a skin
GPU_BYTES = 2_684  # a bead, docs/measured/one-gpu.md "Memory" and the column bytes_per_bead of bench/gpu_transports.sh
GPU_MEMORY = 80e9 * 0.9
STATE_BYTES = 150  # a bead in a checkpoint: the DOPC box, 1,053,185 bytes for 7,040 beads
FRAME_BYTES = 4.7  # a bead in a frame of positions with frames_precision 0.001
DISK = 10e9  # bytes/s of a parallel file system; an assumption
# Hours between two failures of one GPU with its share of the host: 419 unexpected interruptions of 16,384 GPUs in 54 days
# (The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.4).
GPU_HOURS = 16_384 * 54 * 24 / 419
PER_NODE = 4


def one_gpu(beads):
    """Microseconds of a step, linear between and beyond the measured sizes."""
    points = STEP if beads > STEP[1][0] else STEP[:2]
    (x0, y0), (x1, y1) = points[-2:]
    return max(STEP[0][1], y0 + (y1 - y0) * (beads - x0) / (x1 - x0))


def grids(ranks):
    return [(nx, ranks // nx) for nx in range(1, ranks + 1) if ranks % nx == 0]


def halo(beads, nx, ny):
    """Beads of the halo of a region; None where regions are too thin."""
    edge = math.sqrt(beads / AREA_DENSITY)
    x, y = edge / nx, edge / ny
    if (nx > 1 and x < REACH) or (ny > 1 and y < REACH):
        return None
    wide_x, wide_y = x + (2 * REACH if nx > 1 else 0), y + (2 * REACH if ny > 1 else 0)
    return AREA_DENSITY * (wide_x * wide_y - x * y)


def step(beads, gpus, link, latency):
    """Microseconds of a step, with the best grid; None if none fits."""
    if gpus == 1:
        return one_gpu(beads)
    found = []
    for nx, ny in grids(gpus):
        of_halo = halo(beads, nx, ny)
        if of_halo is None:
            continue
        more = FIXED
        if gpus > PER_NODE:
            more += MESSAGE * of_halo / (link * 1e3) + latency * (1 + math.log2(gpus / PER_NODE))
        found.append(one_gpu(beads / gpus) + more)
    return min(found, default=None)


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def times(a):
    sizes = [10**k for k in (6, 7, 8, 9)]
    rows = []
    for gpus in (1, 2, 4, 8, 16, 32, 64, 512, 4096):
        row = [f"{gpus:,}"]
        for beads in sizes:
            if beads / gpus * GPU_BYTES > GPU_MEMORY:
                row.append("memory")
                continue
            t = step(beads, gpus, a.link, a.latency)
            if t is None:
                row.append("too thin")
                continue
            row.append(f"{t / 1000:.3g} ms, {one_gpu(beads) / gpus / t:.2f}")
        rows.append(row)
    print("Time of a step, and efficiency beside one GPU (for sizes that one GPU cannot hold: by its rate):\n")
    table(["GPUs", *(f"10^{round(math.log10(s))} beads" for s in sizes)], rows)


def costs(a):
    rows = []
    for beads, gpus in ((10**6, 8), (10**7, 64), (10**8, 512), (10**9, 4096)):
        t = step(beads, gpus, a.link, a.latency)
        save = STATE_BYTES * beads / DISK
        fails = GPU_HOURS / gpus
        every = math.sqrt(2 * save / 3600 * fails) * 60
        rows.append([f"{beads:,}", f"{gpus:,}", f"{86_400 / t * 10:,.0f}", f"{beads / gpus * GPU_BYTES / 1e9:.2f}",
                     f"{STATE_BYTES * beads / 1e9:.3g}", f"{save:.2g}", f"{FRAME_BYTES * beads / 1e9:.3g}", f"{fails:,.0f}",
                     f"{every:.2g}"])
    print("10 fs; checkpoints at the interval that loses least (Young 1974), as if steps waited for them:\n")
    table(["beads", "GPUs", "ns/day", "GB a GPU", "checkpoint, GB", "its time, s", "frame, GB", "hours between failures",
           "minutes between checkpoints"], rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--link", type=float, default=25, help="GB/s between nodes [%(default)g]")
    p.add_argument("--latency", type=float, default=4, help="microseconds of a message between nodes [%(default)g]")
    a = p.parse_args()
    times(a)
    costs(a)


if __name__ == "__main__":
    main()
