#!/usr/bin/env python3
"""forces.py STATE.h5 [--set NAME] [--steps N] [--rounds N] [--backend cpu|cuda] [--plumed FILE]: what forces of the user cost.

STATE has the lipid DPPC (at least 100) of Martini with the restraints NAME (default POSRES) on its beads, near their places. Runs by
turns, in NVT: without; with the restraints; with beads 1 to 12,000 frozen; an electric field on all charges; an umbrella of one
lipid against all; a metadynamics on the tilt of two groups of four beads; the restraints, field, umbrella and metadynamics together;
and with PLUMED_KERNEL set and --plumed FILE, PLUMED. Prints the rates, million bead-steps/s without output, and the median of the
ratios to the run without. Environment: LAMELLA."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

LAMELLA = os.environ.get("LAMELLA", "lamella")
FIELD = "fields: [{form: electric, z: 0.01}]\n"
GROUPS = "groups: {lipids: {molecules: [DPPC]}}\n"
DISTANCE = "  - {name: d, kind: distance, of: {ids: [1, 12]}, from: {group: lipids}, along: z}\n"
TILT = "  - {name: t, kind: tilt, of: [{ids: [1201, 1204]}, {ids: [1205, 1208]}]}\n"
UMBRELLA = "  - {name: u, coordinate: d, kind: umbrella, k: 500, at: start}\n"
HILLS = "  - {name: m, kind: metadynamics, coordinate: t, height: 1, width: 2, every: 100, bias_factor: 10, grid: [0, 180]}\n"


def biased(coordinates, biases):
    return "coordinates:\n" + coordinates + "biases:\n" + biases


def ways(restraints, plumed):
    no, yes = (f"restraints: {{{restraints}: {word}}}\n" for word in ("no", "yes"))
    found = {
        "without": no, "restraints": yes, "frozen": no + "frozen: [{group: {ids: [1, 12000]}}]\n", "field": no + FIELD,
        "umbrella": no + GROUPS + biased(DISTANCE, UMBRELLA), "metadynamics": no + biased(TILT, HILLS),
        "together": yes + FIELD + GROUPS + biased(DISTANCE + TILT, UMBRELLA + HILLS)}
    if plumed:
        found["plumed"] = no + f"plumed: {os.path.abspath(plumed)}\n"
    return found


def rate(text, arguments):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "forces.yaml").write_text(f"""input: {os.path.abspath(arguments.state)}
run: {{steps: {arguments.steps}, dt: 0.010, seed: 3}}
thermostat: {{type: bussi, temperature: 323, tau: 1}}
output: {{energies_every: 500, checkpoint_every: 0}}
parallel: {{backend: {arguments.backend}}}
{text}""")
        subprocess.run([LAMELLA, "run", "forces.yaml"], check=True, capture_output=True, cwd=folder)
        return json.loads((pathlib.Path(folder) / "forces.performance.json").read_text())["without_output"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state")
    parser.add_argument("--set", default="POSRES")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--plumed")
    arguments = parser.parse_args()
    texts = ways(arguments.set, arguments.plumed)
    rates = {name: [] for name in texts}
    for _ in range(arguments.rounds):
        for name, text in texts.items():
            rates[name].append(rate(text, arguments))
    for name, found in rates.items():
        ratios = [mine / base for mine, base in zip(found, rates["without"])]
        print(f"{name:13s} {statistics.median(found):10.4g}  {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
