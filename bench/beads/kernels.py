#!/usr/bin/env python3
"""kernels.py STATE.h5...: kernels of a step on one GPU beside one CPU core, as Tables 4 and 5 of Shkurti et al.,
J. Comput. Chem. 34, 803 (2013): speed-up, shares of time, branches and divergent branches.

For each state: a run on one CPU core (times of the phases), and a run on the GPU under Nsight Compute (ncu) from
which the kernels' times and counters come; kernels are put into the phases integration, lists and forces.
Branches are those of warps a step; divergent: whose threads go different ways. Environment: LAMELLA, NCU."""
import argparse
import collections
import csv
import json
import os
import pathlib
import subprocess

LAMELLA = os.environ.get("LAMELLA", "lamella")
NCU = os.environ.get("NCU", "ncu")
METRICS = {"time": "gpu__time_duration.sum", "branches": "smsp__sass_branch_targets.sum",
           "divergent": "smsp__sass_branch_targets_threads_divergent.sum",
           "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
           "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
           "lanes": "smsp__thread_inst_executed_per_inst_executed.ratio"}
# The first phase with a word in the name of a kernel.
PHASES = (("forces", ("force_rows",)), ("integration", ("half", "drift", "move", "integrate", "kick")),
          ("lists", ("list", "sort", "Sort", "Radix", "Merge", "Scan", "scan", "cell", "column", "search", "place",
                     "group", "window", "terms", "local", "keys", "starts", "points", "gather", "partners",
                     "records")))


def settings(prefix, backend, steps):
    flags = {"parallel.backend": backend, "output.prefix": prefix, "output.checkpoint_every": 0,
             "output.energies_every": 0, "run.dt": 0.004, "run.steps": steps}
    return [w for k, v in flags.items() for w in ("-s", f"{k}={v}")]


def cpu_phases(state, steps):
    """Milliseconds a step: integration, lists, forces, all."""
    pathlib.Path("kernels.yaml").write_text(f"{{input: {state}, restart: never}}\n")
    subprocess.run([LAMELLA, "run", "kernels.yaml", *settings("kernels-cpu", "cpu", steps)], check=True,
                   capture_output=True)
    record = json.loads(pathlib.Path("kernels-cpu.performance.json").read_text())
    phase = {k: v["mean"] / record["steps"] * 1e3 for k, v in record["phases_s"].items()}
    return {"integration": phase["move"], "lists": phase["build"], "forces": phase["force"],
            "all": sum(phase.values()) - phase["output"]}


def phase_of(name):
    return next((phase for phase, words in PHASES if any(w in name for w in words)), "other")


def launches_of(command, metrics, *options):
    """A dictionary of counters for each kernel that a command launches; metrics: {key: ncu's name}, with "time" in
    milliseconds. options: of ncu."""
    done = subprocess.run([NCU, "--csv", "--page", "raw", *options, "--metrics", ",".join(metrics.values()), *command],
                          check=False, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise SystemExit(f"ncu gave no table:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    rows = list(csv.DictReader(lines[start:]))
    milliseconds = {"nsecond": 1e-6, "usecond": 1e-3, "msecond": 1, "ns": 1e-6, "us": 1e-3, "ms": 1}
    unit = milliseconds[rows[0][metrics["time"]]]
    launches = []
    for row in rows[1:]:
        values = {k: float((row[m] or "0").replace(",", "")) for k, m in metrics.items()}
        values["time"] *= unit
        launches.append({"name": row["Kernel Name"], **values})
    return launches


def gpu_kernels(state, steps):
    """The launches of a run of `steps` steps."""
    pathlib.Path("kernels.yaml").write_text(f"{{input: {state}, restart: never}}\n")
    return launches_of([LAMELLA, "run", "kernels.yaml", *settings("kernels-gpu", "cuda", steps)], METRICS)


def report(state, cpu, launches, steps):
    total = sum(x["time"] for x in launches)
    print(f"\n{state}: {steps} steps, kernels {total / steps:.4f} ms a step; one CPU core {cpu['all']:.2f} ms a step\n")
    print("| phase | speed-up | % of CPU time | % of GPU time | branches a step | divergent a step | divergent % |")
    print("|---|---|---|---|---|---|---|")
    for phase in ("integration", "lists", "forces", "other"):
        mine = [x for x in launches if phase_of(x["name"]) == phase]
        time, branches, divergent = (sum(x[k] for x in mine) for k in ("time", "branches", "divergent"))
        core = cpu.get(phase)
        speed = f"{core / (time / steps):.0f} | {100 * core / cpu['all']:.2f}" if core and time else "| "
        print(f"| {phase} | {speed} | {100 * time / total:.2f} | {branches / steps:.0f} | {divergent / steps:.0f} | "
              f"{100 * divergent / max(branches, 1):.2f} |")
    table = collections.defaultdict(list)
    for x in launches:
        table[x["name"]].append(x)
    print("\n| kernel | launches | us each | % of time | divergent % | issue slots used, % | L1, % | active lanes |")
    print("|---|---|---|---|---|---|---|---|")
    for name, x in sorted(table.items(), key=lambda item: -sum(y["time"] for y in item[1]))[:12]:
        time = sum(y["time"] for y in x)
        weigh = lambda k: sum(y[k] * y["time"] for y in x) / time if time else 0
        print(f"| {name[:70]} | {len(x)} | {1e3 * time / len(x):.1f} | {100 * time / total:.2f} | "
              f"{100 * sum(y['divergent'] for y in x) / max(sum(y['branches'] for y in x), 1):.2f} | "
              f"{weigh('issue'):.0f} | {weigh('l1'):.0f} | {weigh('lanes'):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", nargs="+")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--cpu-steps", type=int, default=60)
    options = parser.parse_args()
    for state in options.state:
        report(state, cpu_phases(state, options.cpu_steps), gpu_kernels(state, options.steps), options.steps)


if __name__ == "__main__":
    main()
