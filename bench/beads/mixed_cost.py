#!/usr/bin/env python3
"""mixed_cost.py --builds NAME=LAMELLA[,VARIABLE=VALUE...]... [options]: what a pair costs in a mixture of lipids and
SSD water (`brahms`, three passes), beside SSD water alone and an ELBA bilayer (one pass), for several builds.

For each system and build, in turn: milliseconds a step with and without list builds, medians of several runs. For
the builds of --kernels: times of the force kernels by pass (Nsight Compute, one kernel at a time, clocks as they are).
From both, for each pass:
  listed     pairs within the radius of the list, each counted from both beads
  entries    the same with the entries that fill up rows
  in step    entries that warps evaluate: each of its beads takes as long as the one with most rows
  halves     the same where half rows that only fill up are left out, as chained passes do
and picoseconds for each. The time that a build saves a step against the first one, list builds left out, is taken off
the sum of its passes, since kernels that overlap have no times of their own. The last tables compare the mixture
with the mean of its classes on their own: water with water and sticky pairs in (a), all others in (e). Bonded terms are
in the same kernel as pairs with lipids. What they take is measured with states that have none, and is no part of the
time of a pair.
Then the positions after --bits steps are compared between builds, bit by bit.

A build may have variables of the environment: new=/path/lamella,NAME=VALUE. Needs numpy and h5py. Systems and
list radii are those of docs/measured/models.md. Environment: LAMELLA_FORCEFIELDS, NCU."""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import time

import h5py
import numpy as np

import kernels as ncu
import rates

SKIN = 0.2
KINDS = {"a": "SSD water", "c": "DOPC in SSD water", "e": "ELBA DOPC bilayer"}
rates.KINDS.update(KINDS)
rates.BASE["e"] = rates.BASE["c"].replace("brahms", "elba").replace("water_per_lipid: 33", "water_per_lipid: 40")
# Passes by the terms of their kernel (src/pair/pair_sets.h): name and cutoff. Threads of a bead, from 50,000 beads on
# (cuda/runtime/lanes.h): entries are counted with these, --lanes for builds that have others.
PASSES = {192: ("water with water", 0.9), 2048: ("sticky", 0.4), 60: ("pairs with lipids, or all", 1.2)}
LANES = {192: 4, 2048: 2, 60: 4}
SIZES = [size for size, (waters, _) in rates.SIZES.items() if rates.WATERS * np.prod(waters) >= 50000]
LIPIDS = 60  # the pass that has the bonded terms
CHARGED = ("C", "P", "A")
METRICS = {"time": ncu.METRICS["time"], "instructions": "smsp__inst_executed.sum"}


def build_of(word):
    """Name, path of lamella and variables of a build."""
    name, _, rest = word.partition("=")
    path, *variables = rest.split(",")
    return name, path, dict(v.split("=", 1) for v in variables)


def use(build):
    """Make rates.py run a build; the variables that it sets."""
    rates.LAMELLA = build[1]
    os.environ.update(build[2])
    return list(build[2])


def release(variables):
    for name in variables:
        del os.environ[name]


# ---------------------------------------------------------------- entries of lists

def read(state):
    """Box, positions and names of types of the beads."""
    with h5py.File(state, "r") as file:
        box = file["system/box"][:]
        x = file["beads/position"][:].view(np.uint32) / 2.0**32 * box
        kind = file["beads/type"][:]
        text = np.ravel(file["forcefield/text"][()])[0].decode()
    names = [line.split(":")[0].strip() for line in text.split("types:")[1].split("pair:")[0].splitlines()
             if ": {" in line and not line.strip().startswith("#")]
    return box, x, np.array(names)[kind]


def partners(box, x, parts, lists):
    """For each list (radius, the beads that it is about, those of them that have no pairs with each other) and part the
    number of entries of each bead; a bead is a partner of its own too."""
    n = np.maximum((box / max(radius for radius, *_ in lists)).astype(int), 1)
    cell = np.minimum((x / box * n).astype(int), n - 1)
    number = (cell[:, 0] * n[1] + cell[:, 1]) * n[2] + cell[:, 2]
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(n.prod() + 1))
    count = np.zeros((len(lists), 2, len(x)), int)
    for c in itertools.product(*map(range, n)):
        me = order[slice(*start[(c[0] * n[1] + c[1]) * n[2] + c[2]:][:2])]
        near = {tuple((np.array(c) + d) % n) for d in itertools.product((-1, 0, 1), repeat=3)}
        other = np.concatenate([order[slice(*start[(a[0] * n[1] + a[1]) * n[2] + a[2]:][:2])] for a in near])
        d = x[me][:, None] - x[other][None]
        d -= box * np.rint(d / box)
        r2 = (d * d).sum(2)
        for k, (radius, here, skips) in enumerate(lists):
            hit = (r2 < radius * radius) & here[me][:, None] & here[other][None]
            hit &= ~(skips[me][:, None] & skips[other][None])
            for part in (0, 1):
                count[k, part, me] = (hit & (parts[other] == part)[None]).sum(1)
    return count


def in_step(rows, groups, lanes):
    """Rows, or half rows, that warps evaluate. rows: [2, beads], in the order of cells; groups: of the beads, never in
    one warp."""
    total, beads = 0, 32 // lanes
    for g in np.unique(groups):
        mine = rows[:, groups == g]
        mine = np.concatenate([mine, np.full((2, -mine.shape[1] % 128), -1)], 1)
        key = np.where(mine[0] < 0, 1 << 24, mine[0] * 4096 + mine[1]).reshape(-1, 128)
        order = np.argsort(key, 1, kind="stable") + np.arange(len(key))[:, None] * 128
        total += np.maximum(mine[:, order.ravel()].reshape(2, -1, beads), 0).max(2).sum() * beads
    return total


def entries(kind, state):
    """{set of terms: (listed, entries, in step, halves, beads)} of a system."""
    box, x, names = read(state)
    width = (1.2 + SKIN) / 2
    cell = (x / [width, width, width / 3]).astype(int)
    order = np.lexsort((cell[:, 2], cell[:, 1], cell[:, 0]))
    x, names = x[order], names[order]
    charged, water = np.isin(names, CHARGED), names == "W"
    parts = charged.astype(int)
    everything, none = np.ones(len(x), bool), np.zeros(len(x), bool)
    lists = {192: (0.9 + SKIN, water, none), 2048: (0.4 + SKIN, water, none),
             60: (1.2 + SKIN, everything, water if kind == "c" else none)}
    lists = {k: lists[k] for k in {"a": (192, 2048), "c": (192, 2048, 60), "e": (60,)}[kind]}
    count = partners(box, x, charged.astype(int), list(lists.values()))
    groups = np.where(charged, 0, np.where(np.isin(names, ("W", "G", "E")), 1, 2)) * 2 + ~water
    out = {}
    for (terms, (_, here, skips)), both in zip(lists.items(), count):
        lanes = LANES[terms]
        rows, halves = -(-both // (4 * lanes)), -(-both // (2 * lanes))
        out[terms] = [int(both.sum() - np.count_nonzero(here & ~skips)), int(rows.sum() * 4 * lanes),
                      int(in_step(rows[:, here], groups[here], lanes) * 4 * lanes),
                      int(in_step(halves[:, here], groups[here], lanes) * 2 * lanes), int(np.count_nonzero(here))]
    return out


# ---------------------------------------------------------------- measuring

def unbonded(state):
    """A copy of a state without bonded terms, and so without exclusions."""
    name = state.replace(".h5", "-unbonded.h5")
    shutil.copy(state, name)
    with h5py.File(name, "r+") as file:
        group = file["topology"]
        for key in ("term_kind", "term_partner", "term_role", "term_type", "exclude"):
            none = group[key][:0]
            del group[key]
            group[key] = none
        group["term_start"][...] = 0
        group["exclude_start"][...] = 0
    return name


def kernels(build, state, options, dt=0.004):
    """{set of terms: (milliseconds, instructions of warps)} of a force kernel without energies, medians."""
    pathlib.Path("kernels.yaml").write_text(f"{{input: {state}, restart: never}}\n")
    words = [w for k, v in {"parallel.backend": "cuda", "output.prefix": "kernels", "output.checkpoint_every": 0,
                            "output.energies_every": 0, "run.dt": dt, "run.steps": 20}.items()
             for w in ("-s", f"{k}={v}")]
    variables = use(build)
    try:
        launches = ncu.launches_of([build[1], "run", "kernels.yaml", *words], METRICS, "--clock-control", "none", "-k",
                                   "regex:force_rows", "--launch-count", str(options.launches))
    except SystemExit as error:
        print(f"{build[0]}, {state}: {error}", flush=True)
        launches = []
    release(variables)
    found = {}
    for launch in launches:
        terms, _, energy = re.search(r"force_rows<(?:\(.*?\))?(\d+)U?, *(?:\(.*?\))?(\d+), *(?:\(.*?\))?(\d+)",
                                     launch["name"]).groups()
        if energy == "0":
            found.setdefault(int(terms), []).append([launch[k] for k in METRICS])
    return {terms: tuple(statistics.median(v) for v in zip(*values)) for terms, values in found.items()}


def time_run(build, kind, size, steps, options):
    """Milliseconds a step, with list builds and without them, and steps a list."""
    variables = use(build)
    status, text, record = rates.run(f"{kind}-{size}.h5", "time", options, {"run.dt": 0.004, "run.steps": steps})
    release(variables)
    if status:
        raise SystemExit(text[-2000:])
    lists = record["phases_s"]["build"]["mean"] / record["steps"] * 1e3
    whole = record["beads"] / rates.rate(record) * 1e-3
    return whole, whole - lists, record["steps_per_build"], record["beads"]


def bits(build, kind, size, options):
    """Positions after a few steps with a list build or more."""
    variables = use(build)
    status, text, _ = rates.run(f"{kind}-{size}.h5", "bits", options,
                                {"run.dt": 0.004, "run.steps": options.bits, "output.checkpoint_every": options.bits})
    release(variables)
    if status:
        raise SystemExit(text[-2000:])
    with h5py.File("bits.checkpoint.h5", "r") as file:
        return file["beads/position"][:].tobytes() + file["beads/momentum"][:].tobytes()


# ---------------------------------------------------------------- tables

def passes_print(kind, size, counted, build, times, saved):
    """The table of a system; the sums in ps."""
    total = np.zeros(5)
    for terms, (milliseconds, instructions) in sorted(times.items(), key=lambda t: -PASSES[t[0]][1]):
        n = counted[terms]
        total += [milliseconds, *n[:4]]
        ps = [milliseconds * 1e9 / v for v in n[:4]]
        print(f"| ({kind}) {size}, {build} | {PASSES[terms][0]} | {n[4]} | {1e3 * milliseconds:.1f} | "
              f"{n[0] / 1e6:.2f} | " + " | ".join(f"{v / n[0]:.3f}" for v in n[1:4]) + " | " +
              " | ".join(f"{v:.2f}" for v in ps) + f" | {32 * instructions / n[2]:.0f} |")
    for name, off in (("all", 0), *((f"all, {b}", s) for b, s in saved.items() if b != build)):
        left = total[0] - off
        print(f"| ({kind}) {size} | {name} | | {1e3 * left:.1f} | {total[1] / 1e6:.2f} | " +
              " | ".join(f"{v / total[1]:.3f}" for v in total[2:]) + " | " +
              " | ".join(f"{left * 1e9 / v:.2f}" for v in total[1:]) + " | |")
    return total


def ideal_print(counted, times, steps, bonded, title):
    """How the mixture compares with its classes on their own, by each way of counting and for each build: what a build
    saves in a system is taken off all passes of it alike. bonded: milliseconds of bonded terms of (c) and (e). The passes
    of the mixture overlap, so their time is that of a step but for what else is in a step, which is that of (a) for each
    water and that of (e) for each bead of a lipid. By the last way, the entries of the mixture alone are counted without
    empty halves: only its passes are chained."""
    if not all(times.get(k) for k in "ace") or not all(k in steps for k in "ace"):
        return
    alone = {192: "a", 2048: "a", 60: "e"}
    first = next(iter(steps["c"]))
    total = {k: sum(v[0] for v in times[k].values()) for k in "ace"}
    other = {k: steps[k][first] - total[k] for k in "ae"}
    beads = {k: max(n[4] for n in counted[k].values()) for k in "ace"}
    waters = counted["c"][192][4]
    other["c"] = other["a"] / beads["a"] * waters + other["e"] / beads["e"] * (beads["c"] - waters)
    print("\nof a step, not of forces: " + ", ".join(f"({k}) {1e3 * other[k]:.1f} us" for k in "ace"))
    print(f"\n| build, kernels of {title} | mixture against its classes: a listed pair | an entry | in step | halves |")
    print("|---|---|---|---|---|")
    for name in steps["c"]:
        left_of = {k: 1 - (steps[k][first] - steps[k].get(name, steps[k][first])) / total[k] for k in "ae"}
        row = []
        for way in range(4):
            ideal = sum((left_of[k] * times[k][t][0] - bonded[k] * (t == LIPIDS)) / counted[k][t][min(way, 2)] *
                        counted["c"][t][way] for t, k in alone.items())
            row.append(f"{(steps['c'][name] - other['c'] - bonded['c']) / ideal:.3f}")
        print(f"| {name} | " + " | ".join(row) + " |")


def prepare(options, first):
    """The states of all systems, made with the first build."""
    variables = use(first)
    for kind, size in options.systems:
        rates.system(kind, size, options)
    release(variables)


def left(options):
    return options.seconds - (time.monotonic() - options.began)


def rates_print(options, builds):
    """Tables of times a step; {kind: {build: ms without list builds}} of the smaller size."""
    steps = {}
    print("| system | beads | build | ms/step (runs) | without list builds | steps a list |\n|---|---|---|---|---|---|")
    for kind, size in options.systems:
        few = size == "1M"
        runs = {b[0]: [] for b in builds}
        for _, b in itertools.product(range(options.repeat_large if few else options.repeat), builds):
            if left(options) > 0:
                runs[b[0]].append(time_run(b, kind, size, options.steps // 2 if few else options.steps, options))
        for name, values in runs.items():
            if not values:
                print(f"| ({kind}) {size} | | {name} | no time left | | |", flush=True)
                continue
            whole, rest, per_list, beads = (sorted(v) for v in zip(*values))
            middle = len(values) // 2
            print(f"| ({kind}) {KINDS[kind]} | {beads[0]} | {name} | {whole[middle]:.4f} ({whole[0]:.4f} to "
                  f"{whole[-1]:.4f}) | {rest[middle]:.4f} | {per_list[middle]:.1f} |", flush=True)
            if not few:
                steps.setdefault(kind, {})[name] = rest[middle]
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--builds", nargs="+", required=True, type=build_of)
    parser.add_argument("--kernels", nargs="*", help="builds whose kernels are timed [the first]")
    parser.add_argument("--sizes", nargs="+", default=["100k", "1M"], choices=SIZES)
    parser.add_argument("--lanes", nargs=3, type=int, metavar=("WATER", "STICKY", "LIPIDS"), default=list(LANES.values()))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--repeat-large", type=int, default=1, help="runs at 1M, of half the steps")
    parser.add_argument("--launches", type=int, default=40, help="force kernels that ncu times")
    parser.add_argument("--bits", type=int, default=100, help="steps before bits are compared; 0: never")
    parser.add_argument("--relax", type=int, default=10000)
    parser.add_argument("--mix", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=150, help="after which no run is begun")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--precision", default="mixed")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.began = time.monotonic()
    LANES.update(zip(LANES, options.lanes))
    first = options.sizes[0]
    options.systems = [(k, s) for s in options.sizes for k in ("ace" if s == first else "ac")]
    prepare(options, options.builds[0])
    print(f"states: {time.monotonic() - options.began:.0f} s\n", flush=True)
    with concurrent.futures.ProcessPoolExecutor(3) as pool:
        counting = {k: pool.submit(entries, k, f"{k}-{first}.h5") for k in "ace"}
        timed = options.kernels if options.kernels else [options.builds[0][0]]
        times = {b[0]: {k: kernels(b, f"{k}-{first}.h5", options) for k in "ace" if left(options) > 0}
                 for b in options.builds if b[0] in timed and options.launches}
        bare = {k: kernels(options.builds[0], unbonded(f"{k}-{first}.h5"), options, 1e-9) for k in "ce"
                if options.builds[0][0] in times}
        counted = {k: f.result() for k, f in counting.items()}
    steps = rates_print(options, options.builds)
    print("\n| system | pass | beads | us | million listed | entries | in step | halves | ps a listed pair | "
          "an entry | in step | halves | instructions |\n" + "|---" * 13 + "|")
    for name, table in times.items():
        for kind, kernel in table.items():
            saved = {b: steps[kind][options.builds[0][0]] - rest for b, rest in steps.get(kind, {}).items()}
            passes_print(kind, first, counted[kind], name, kernel, saved if name == options.builds[0][0] else {})
    for name, table in times.items():
        if name == options.builds[0][0] and bare and all(bare.values()) and all(table.get(k) for k in "ce"):
            bonded = {"a": 0, **{k: table[k][LIPIDS][0] - bare[k][LIPIDS][0] for k in "ce"}}
            print("\nbonded terms: " + ", ".join(f"({k}) {1e3 * bonded[k]:.1f} us" for k in "ce"))
            ideal_print(counted, table, steps, bonded, name)
    if options.bits:
        for kind in "ca":
            seen = {b[0]: bits(b, kind, first, options) for b in options.builds if left(options) > -20}
            print(f"({kind}) {first}, {options.bits} steps: the same bits in {', '.join(seen)}: "
                  f"{'yes' if len(set(seen.values())) == 1 else 'NO'}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"counted": counted, "times": times, "steps": steps}))
    print(f"\n{time.monotonic() - options.began:.0f} s in all")


if __name__ == "__main__":
    main()
