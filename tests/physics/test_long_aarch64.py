"""The program for aarch64, cross-built by build-aux/aarch64.sh and run under qemu, gives the same bits as that of this processor:
starting configurations, and checkpoints after 100 steps of lipids with dipoles, molecules with constraints and virtual sites, water of
rigid bodies, ellipsoids, and a Lennard-Jones fluid with and without soft cores, with a barostat, in both precisions, on one rank and on
two. Skipped without the cross compiler or qemu."""
import os
import subprocess
import tempfile

import h5py
import numpy as np

from run_lamella import LAMELLA, MPIEXEC, SKIPPED, Checks, skip, write

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEPS = 100
LIPIDS = """
seed: 1
temperature: 303
bilayer:
  upper: {%s}
  lower: {%s}
  area_per_lipid: %g
  water_per_lipid: %d%s
minimise: {max_steps: 100, force: 1000}
"""
MELT = "seed: 1\ntemperature: 173\nlattice: {type: fcc, cells: [6, 6, 6], density: 0.8442}\n"
# force field, starting configuration, time step (ps), temperature (K), more of the run file
SYSTEMS = {
    "elba": ("elba", LIPIDS % ("DOPC: 25", "DOPC: 25", 0.72, 12, ""), 0.005, 303, ""),
    "sterols": (os.path.abspath(os.path.join(TOP, "tests/support/clusters.yaml")),
                LIPIDS % ("STEROL: 12, ROD: 10, BENT: 10", "STEROL: 15, ROD: 7, BENT: 10", 0.5, 6,
                          "\n  water: W\n  water_density: 960"), 0.004, 300, ""),
    "melt": ("lj", MELT, 0.002, 173, ""),
    "soft cores": ("lj", MELT, 0.002, 173, "soft_core: {lambda: 0.3, power: 2}"),
    "ssd": ("ssde", "seed: 1\ntemperature: 298\nwater: {count: 512, density: 997}\nminimise: {max_steps: 50, force: 500}\n",
            0.002, 298, ""),
    "ellipsoids": ("gb", "seed: 1\ntemperature: 114\nlattice: {type: fcc, cells: [5, 5, 5], density: 0.25, orientation: random}\n"
                   "minimise: {max_steps: 50, force: 100}\n", 0.002, 114, ""),
}
# What says which program wrote a state.
OTHER = ("run/text", "run/input", "run/history", "run/git", "run/kernel", "run/id")


def contents(path):
    """The bytes of each dataset of a checkpoint."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and name not in OTHER:
            found[name] = np.asarray(item[()]).tobytes() if item.dtype.kind != "O" else repr(item[()])

    with h5py.File(path) as file:
        file.visititems(keep)
    return found


def other_program():
    folder = os.environ.get("LAMELLA_AARCH64") or os.path.abspath("aarch64")
    made = subprocess.run([os.path.join(TOP, "build-aux", "aarch64.sh"), folder], capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "MAKEFLAGS", "MPICC")})
    if made.returncode == SKIPPED:
        skip(made.stdout.strip())
    if made.returncode:
        skip("no program for aarch64: " + (made.stderr or made.stdout)[-500:])
    return os.path.join(folder, "lamella")


def build(program, text, path):
    spec = write(path + ".yaml", text)
    done = subprocess.run([program, "build", spec, "-o", path], capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    if done.returncode:
        print(program, "status", done.returncode, done.stderr[-2000:])
        return {}
    return contents(path)


def simulate(program, state, precision, ranks, dt, temperature, more, work):
    os.makedirs(work)
    write(os.path.join(work, "r.yaml"), f"""
input: {state}
run: {{steps: {STEPS}, dt: {dt}, seed: 5, precision: {precision}}}
parallel: {{backend: cpu}}
thermostat: {{type: bussi, temperature: {temperature}, tau: 1}}
barostat: {{type: crescale, coupling: isotropic, tau: 5, every: 5}}
output: {{prefix: r, energies_every: 20}}
{more}
""")
    start = [*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    done = subprocess.run([*start, program, "run", "r.yaml"], cwd=work, capture_output=True, text=True, env=env)
    if done.returncode:
        print(program, "status", done.returncode, done.stderr[-2000:])
        return {}
    return contents(os.path.join(work, "r.checkpoint.h5"))


def main():
    checks = Checks()
    other = other_program()
    with tempfile.TemporaryDirectory() as work:
        for name, (forcefield, text, dt, temperature, more) in SYSTEMS.items():
            state = os.path.join(work, name.replace(" ", "-") + ".h5")
            begun = [build(p, f"forcefield: {forcefield}\n" + text, path) for p, path in ((LAMELLA, state), (other, state + "2"))]
            wrong = sorted(k for k in {*begun[0], *begun[1]} if begun[0].get(k) != begun[1].get(k))
            checks.true(f"{name}: the same starting configuration", begun[0] and not wrong, " ".join(wrong))
            for precision in "double", "mixed":
                want = simulate(LAMELLA, state, precision, 1, dt, temperature, more, os.path.join(work, name + precision))
                for ranks in (1, 2) if precision == "mixed" else (1,):
                    got = simulate(other, state, precision, ranks, dt, temperature, more,
                                   os.path.join(work, f"{name}{precision}{ranks}"))
                    wrong = sorted(k for k in {*want, *got} if want.get(k) != got.get(k))
                    checks.true(f"{name}, {precision}, {ranks} ranks: the same bits", want and not wrong, " ".join(wrong))
    checks.end()


if __name__ == "__main__":
    main()
