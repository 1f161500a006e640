#!/usr/bin/env python3
"""dopc.py --lipids N --ns NS: a DOPC bilayer of the ELBA force field, built, relaxed and simulated at 303 K and
1 atm without tension, with all observables; prints its results beside those of the author of ELBA-1.1.

A first call builds and relaxes; a later call goes on from the checkpoint, also with a larger --ns. Results are in
dopc-N.observables.h5. Observables begin after --equilibration ns. Environment: LAMELLA, MPIEXEC (with its options, for
more than one rank)."""
import argparse
import csv
import os
import pathlib
import subprocess

LAMELLA = os.environ.get("LAMELLA", "lamella")
MPIEXEC = os.environ.get("MPIEXEC", "").split()
WATER = 33  # a lipid
PATCH = 2048  # lipids; larger bilayers are made of copies of a patch of so many if no other is given
RELAX = """input: {name}.start.h5
run: {{steps: 10000, dt: 0.005, seed: 1}}
thermostat: {{type: langevin, temperature: 303, tau: 0.5}}
barostat: {{type: crescale, pressure: 1.01325, tau: 2.0}}
output: {{prefix: {name}.relaxed, energies_every: 1000, checkpoint_every: 0}}
"""
RUN = """input: {name}.relaxed.checkpoint.h5
run: {{steps: {steps}, dt: 0.010, seed: 2, momentum_every: 100}}
thermostat: {{type: {thermostat}, temperature: 303, tau: 1.0}}
barostat: {{type: crescale, pressure: 1.01325, tau: 5.0, every: 10}}
observe:
  - membrane: {{from: {start}, every: {often}}}
  - density: {{from: {start}, bins: 80}}
  - potential: {{from: {start}, bins: 80}}
  - pressure: {{from: {start}, bins: 80}}
  - order: {{from: {start}, every: {every}}}
  - rdf: {{from: {start}, every: {rarely}, pairs: [[P, P]], in_plane: yes, range: {range}}}
  - msd: {{from: {start}, every: {every}}}
  - rotation: {{from: {start}, every: {every}, types: [G, E]}}
  - undulation: {{from: {start}, every: {often}, grid: {grid}}}
  - temperature: {{from: {start}, every: {every}}}
  - leaflets: {{from: {start}, every: {every}}}
output: {{prefix: {name}, energies_every: 1000, frames_every: 0, checkpoint_every: 500000,
  checkpoint_minutes: 5}}
"""
# Author's runs: docs of the force field (elba.yaml, reference).
AUTHOR = {"area": "0.724(7)", "volume_per_lipid": "1.324(1)", "thickness": "3.28"}


def lamella(*arguments):
    subprocess.run([*MPIEXEC, LAMELLA, *arguments], check=True)


def build(name, lipids, patch):
    if lipids > PATCH or patch:
        copy(name, lipids, patch)
    else:
        build_new(name, lipids)
    pathlib.Path(f"{name}.relax.yaml").write_text(RELAX.format(name=name))
    lamella("run", f"{name}.relax.yaml")


def copy(name, lipids, patch):
    """Copies of a patch in the plane, with new velocities: its lipids and state, or None for a new, relaxed one."""
    if not patch:
        patch = (PATCH, f"{name}.patch.relaxed.checkpoint.h5")
        build_new(f"{name}.patch", PATCH)
        pathlib.Path(f"{name}.patch.relax.yaml").write_text(RELAX.format(name=f"{name}.patch"))
        subprocess.run([LAMELLA, "run", f"{name}.patch.relax.yaml"], check=True)
    side = round((lipids / patch[0]) ** 0.5)
    if side * side * patch[0] != lipids:
        raise SystemExit(f"--lipids must be {patch[0]}, the lipids of the patch, times a square")
    pathlib.Path(f"{name}.build.yaml").write_text(
        f"{{state: {patch[1]}, replicate: [{side}, {side}, 1], temperature: 303, seed: 1}}\n")
    subprocess.run([LAMELLA, "build", f"{name}.build.yaml", "-o", f"{name}.start.h5"], check=True)


def build_new(name, lipids):
    side = lipids // 2
    pathlib.Path(f"{name}.build.yaml").write_text(
        f"{{forcefield: elba, seed: 1, temperature: 303, bilayer: {{upper: {{DOPC: {side}}}, lower: {{DOPC: {side}}}, "
        f"area_per_lipid: 0.72, water_per_lipid: {WATER}}}, minimise: {{max_steps: 1000, force: 1000}}}}\n")
    subprocess.run([LAMELLA, "build", f"{name}.build.yaml", "-o", f"{name}.start.h5"], check=True)


def patch_of(text):
    lipids, _, state = text.partition(":")
    return int(lipids), state


def show(name):
    for path in sorted(pathlib.Path().glob(f"{name}.*.csv")):
        rows = list(csv.reader(path.open()))
        if len(rows) > 4:
            continue
        for row in rows[1:]:
            for column, value, error in zip(rows[0][1::2], row[1::2], row[2::2]):
                print(f"{path.name[len(name) + 1:-4]:24s} {row[0]:8s} {column:28s} {value:>16s} +- {error:16s} "
                      f"{AUTHOR.get(column, '')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lipids", type=int, default=128)
    parser.add_argument("--ns", type=float, default=200)
    parser.add_argument("--equilibration", type=float, default=5)
    parser.add_argument("--every", type=int, default=2000, help="steps between samples of positions; half for some")
    parser.add_argument("--thermostat", default="langevin", choices=("langevin", "bussi"),
                        help="bussi leaves long waves undamped [%(default)s]")
    parser.add_argument("--patch", type=patch_of, metavar="LIPIDS:STATE",
                        help="begin with copies of this bilayer, an equilibrated one")
    parser.add_argument("--max-hours", type=float, default=0, help="stop with a checkpoint after this time")
    arguments = parser.parse_args()
    name = f"dopc-{arguments.lipids}"
    often = arguments.every // 2
    if not pathlib.Path(f"{name}.relaxed.checkpoint.h5").exists():
        build(name, arguments.lipids, arguments.patch)
    edge = (arguments.lipids / 2 * 0.72) ** 0.5
    pathlib.Path(f"{name}.yaml").write_text(RUN.format(
        name=name, steps=round(arguments.ns * 1e5), start=round(arguments.equilibration * 1e5),
        often=often, every=2 * often, rarely=10 * often, range=round(min(3, 0.45 * edge), 2),
        grid=max(8, 2 * round(edge / 2)), thermostat=arguments.thermostat))
    lamella("run", f"{name}.yaml", f"--max-hours={arguments.max_hours}")
    show(name)


if __name__ == "__main__":
    main()
