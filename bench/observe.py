#!/usr/bin/env python3
"""observe.py STATE.h5... [--steps N] [--pairs N] [--backend cpu|cuda] [--ranks N]: what observables cost.

Pairs of runs of each state, without and with density, pressure and potential profiles every 100 steps and
undulations and displacements every 1000; the order in a pair alternates. Prints the median of the ratios of the
times of a step, the smallest and the largest, and the share of the phase `observe`. Times are those of the steps
alone, without files. Environment: LAMELLA, MPIEXEC."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess

LAMELLA = os.environ.get("LAMELLA", "lamella")
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec").split()
OBSERVE = ("[{density: {every: 100}}, {pressure: {every: 100}}, {potential: {every: 100}}, "
           "{undulation: {every: 1000}}, {msd: {every: 1000}}]")


def run(state, observe, arguments):
    """Milliseconds a step, and the share of observables."""
    pathlib.Path("observe.yaml").write_text(f"""input: {state}
restart: never
run: {{steps: {arguments.steps}, dt: 0.010, seed: 3}}
thermostat: {{type: langevin, temperature: 303}}
barostat: {{type: crescale}}
parallel: {{backend: {arguments.backend}}}
output: {{prefix: observe-bench, energies_every: 0, checkpoint_every: 0}}
observe: {observe}
""")
    ranks = [*MPIEXEC, "-n", str(arguments.ranks)] if arguments.ranks > 1 else []
    subprocess.run([*ranks, LAMELLA, "run", "observe.yaml"], check=True, capture_output=True)
    record = json.loads(pathlib.Path("observe-bench.performance.json").read_text())
    phase = {k: v["mean"] for k, v in record["phases_s"].items()}
    seconds = sum(phase.values()) - phase["output"]
    return seconds / record["steps"] * 1e3, phase["observe"] / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("states", nargs="+")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--ranks", type=int, default=1)
    arguments = parser.parse_args()
    print("state                     ms/step without    with  ratio (least, largest)  share of observables")
    for state in arguments.states:
        rows = []
        for k in range(arguments.pairs):
            first = run(state, OBSERVE if k % 2 else "[]", arguments)
            second = run(state, "[]" if k % 2 else OBSERVE, arguments)
            rows.append((second, first) if k % 2 else (first, second))
        ratios = sorted(w[0] / o[0] for o, w in rows)
        print(f"{pathlib.Path(state).name:24s} {statistics.median(o[0] for o, w in rows):12.4f} "
              f"{statistics.median(w[0] for o, w in rows):12.4f}  {statistics.median(ratios):6.4f} "
              f"({ratios[0]:.4f}, {ratios[-1]:.4f})  {statistics.median(w[1] for o, w in rows):.4f}", flush=True)


if __name__ == "__main__":
    main()
