#!/usr/bin/env python3
"""memory.py [--ranks 4] [--copies 8 8] [--commands NAME,...] [-o FOLDER]: does any rank hold more than its share?

Peak memory (resident) of each rank, as one rank and as several, of a bilayer of ELBA (7,040 beads, built here) and of its
copies in plane: what the copies add is divided by what they add on one rank. The share of N ranks is 1/N; the halo and,
for a membrane, the thickness of regions come on top of it. Commands: `build` by copies, `run` with frames,
checkpoints and energies, the same with each observable, `convert` to XTC, `export` to GRO, `convert` of that and of a TRR
to a state, `analyze`, `map` with few points, so that the sources are most of the memory, and `ions`. Prints a table of Markdown: bytes a bead on one rank, the largest of N ranks, and the largest of N ranks times N over the one
("share": 1 is perfect). CPUs only.

Environment: LAMELLA (the program), LAMELLA_FORCEFIELDS, MPIEXEC (may carry options)."""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BASE = """{forcefield: elba, seed: 1, temperature: 310, minimise: {max_steps: 200, force: 1000},
 bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}, area_per_lipid: 0.72, water_per_lipid: 40}}
"""
RUN = """input: %s.h5
restart: never
run: {steps: 20, dt: 0.002}
output: {prefix: %s, energies_every: 10, frames_every: 10, checkpoint_every: 10}
parallel: {backend: cpu}
"""
OBSERVABLES = ["msd", "rotation", "temperature", "membrane", "density", "potential", "pressure", "order", "undulation", "leaflets"]
LEAST = "small"  # the system whose memory is taken off


def program():
    return os.environ.get("LAMELLA") or str(HERE.parent / "build" / "lamella")


def measure(words):
    """Runs a command as this rank and writes its peak memory, MiB, to NAME.RANK.peak; 1 if it failed."""
    name, command = words[0], words[1:]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, close_fds=False)  # hydra: PMI_FD
    _, status, used = os.wait4(child.pid, 0)
    rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0"))
    pathlib.Path(f"{name}.{rank}.peak").write_text(f"{used.ru_maxrss / 1024}\n", encoding="ascii")
    return 1 if status else 0


def peak(a, name, ranks, *arguments):
    """The largest peak memory of the ranks, MiB."""
    for old in a.output.glob(f"{name}.*.peak"):
        old.unlink()
    start = [*os.environ.get("MPIEXEC", "mpiexec").split(), "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*start, sys.executable, str(HERE / "memory.py"), "--measure", name, program(), *arguments],
                          cwd=a.output, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"lamella {' '.join(arguments)}: failed\n{done.stderr[-2000:]}")
    return max(float(path.read_text()) for path in a.output.glob(f"{name}.*.peak"))


def jobs():
    """Of each command its name and a function from system, ranks and folder to its arguments."""
    def run(observable):
        def arguments(system, ranks, folder):
            text = RUN % (system, f"{system}{ranks}")
            text += f"observe: [{observable}: {{every: 10}}]\n" if observable else ""
            (folder / f"{system}{ranks}.yaml").write_text(text, encoding="ascii")
            return ["run", f"{system}{ranks}.yaml"]
        return arguments
    yield "build", lambda system, ranks, folder: ["build", f"{system}.build.yaml", "-o", f"{system}{ranks}.h5"]
    yield "run", run(None)
    for observable in OBSERVABLES:
        yield f"run, {observable}", run(observable)
    yield "convert to XTC", lambda system, ranks, folder: ["convert", f"{system}1.h5md", "-o", f"{system}{ranks}.xtc"]
    yield "export to GRO", lambda system, ranks, folder: ["export", f"{system}.h5", f"--gro={system}{ranks}.gro"]
    yield "convert of GRO to a state", lambda system, ranks, folder: ["convert", f"{system}1.gro", f"--state={system}.h5", "-o", f"{system}{ranks}.gro.h5"]
    yield "convert to TRR", lambda system, ranks, folder: ["convert", f"{system}.h5", "-o", f"{system}{ranks}.trr"]
    yield "convert of TRR to a state", lambda system, ranks, folder: ["convert", f"{system}1.trr", f"--state={system}.h5", "-o", f"{system}{ranks}.trr.h5"]
    points = ["--spacing=0.3", "--backend=cpu"]
    yield "map", lambda system, ranks, folder: ["map", f"{system}.h5", "-o", f"{system}{ranks}.map.h5", *points]
    yield "ions", lambda system, ranks, folder: ["ions", f"{system}.h5", "-o", f"{system}{ranks}.ions.h5", "--add=NA:4,CL:4", *points]
    yield "analyze", lambda system, ranks, folder: ["analyze", f"{system}1.h5md", f"{system}1.yaml", f"--output=x{ranks}"]


def prepare(a, base=BASE):
    (a.output / "base.yaml").write_text(base, encoding="ascii")
    peak(a, "base", 1, "build", "base.yaml", "-o", "base.h5")
    for system, copies in ((LEAST, (1, 1)), ("large", a.copies)):
        text = f"{{state: base.h5, replicate: [{copies[0]}, {copies[1]}, 1], temperature: 310, seed: 2}}\n"
        (a.output / f"{system}.build.yaml").write_text(text, encoding="ascii")
        peak(a, "base", 1, "build", f"{system}.build.yaml", "-o", f"{system}.h5")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ranks", type=int, default=4)
    p.add_argument("--copies", type=int, nargs=2, default=(8, 8), help="in plane [8 8]")
    p.add_argument("--commands", help="those whose names begin so, separated by commas [all]; convert to XTC and analyze need run, convert of GRO needs export, convert of TRR convert to TRR")
    p.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("memory-out"))
    a = p.parse_args()
    a.output.mkdir(parents=True, exist_ok=True)
    prepare(a)
    beads = 7040 * (a.copies[0] * a.copies[1] - 1)
    print(f"| {7040 * a.copies[0] * a.copies[1]:,} beads | 1 rank, bytes a bead | largest of {a.ranks} ranks, bytes a bead | share |\n|---|---|---|---|")
    for name, arguments in jobs():
        if a.commands and not name.startswith(tuple(a.commands.split(","))):
            continue
        added = {}
        for ranks in (1, a.ranks):
            small, large = (peak(a, f"{system}{ranks}", ranks, *arguments(system, ranks, a.output)) for system in (LEAST, "large"))
            added[ranks] = (large - small) * 1048576 / beads
        print(f"| {name} | {added[1]:.0f} | {added[a.ranks]:.0f} | {added[a.ranks] * a.ranks / added[1]:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(measure(sys.argv[2:]) if sys.argv[1:2] == ["--measure"] else main())
