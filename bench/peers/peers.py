#!/usr/bin/env python3
"""peers.py: LAMMPS, GROMACS and Lamella side by side on the same systems, by turns.

    peers.py prepare FOLDER [--elba STATE.h5] [--martini FOLDER]      start states; needs numpy, h5py, yaml
    peers.py run FOLDER -o OUT [options]                          rates; needs Python alone

prepare: FOLDER gets elba.h5, elba.data and elba.model, the DOPC bilayer of 7,040 beads (--elba: a state; else
one is built and relaxed), and with --martini martini.h5, martini.gro and martini.top of a bilayer of Martini
(a folder with system.top, its .itp files and conf.gro, minimised). Lennard-Jones and water need no preparation.

run: OUT gets peers.csv, a line a run, and peers.log, the logs of the other programs without their middles. Rates are
million bead-steps a second of whole steps, after a warm-up. --systems names some of
  lj-131k-2.5 lj-131k-4.5 lj-2m-2.5 lj-2m-4.5   Lennard-Jones melts, cutoff in sigma
  elba-7k elba-113k elba-1m                     the DOPC bilayer, copied in plane
  water-1m                                      dipolar water of ELBA (LAMMPS: plain cutoff, other forces)
  martini-21k martini-147k martini-922k         the Martini bilayer, copied in plane; NVT
  lj-7k-2.5 lj-7k-4.5 water-8k martini-2k       for one core
--lmp KIND=PROGRAM, several times: opt (suffix opt, one core or --ranks), gpu (GPU package), kokkos (on a GPU). A file
PROGRAM.build beside a program holds its line of the column build. On CPUs each run is made twice, with all steps and
with a tenth: the last column is a rate by the difference of the user times of all ranks, which other programs on the machine
disturb less than the clock. --repeat makes rounds; all of them are rows."""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
COLUMNS = ["system", "beads", "program", "version", "precision", "build", "skin", "neigh_modify", "ranks", "steps", "seconds",
           "million_bead_steps_per_s", "million_bead_steps_per_cpu_s"]
# What a system is copied from, its size (cells or copies), and the cutoff of Lennard-Jones.
SYSTEMS = {
    "lj-131k-2.5": ("lj", 32, 2.5), "lj-131k-4.5": ("lj", 32, 4.5), "lj-2m-2.5": ("lj", 80, 2.5), "lj-2m-4.5": ("lj", 80, 4.5),
    "elba-7k": ("elba", 1, 0), "elba-113k": ("elba", 4, 0), "elba-1m": ("elba", 12, 0), "water-1m": ("water", 100, 0),
    "martini-21k": ("martini", 3, 0), "martini-147k": ("martini", 8, 0), "martini-922k": ("martini", 20, 0),
    "lj-7k-2.5": ("lj", 12, 2.5), "lj-7k-4.5": ("lj", 12, 4.5), "water-8k": ("water", 20, 0), "martini-2k": ("martini", 1, 0)}
GPU_SYSTEMS = ["lj-131k-2.5", "elba-1m", "lj-2m-2.5", "water-1m", "elba-113k", "lj-131k-4.5", "lj-2m-4.5", "elba-7k",
               "martini-147k", "martini-922k", "martini-21k"]  # what tells most comes first
CORE_SYSTEMS = ["lj-7k-2.5", "lj-7k-4.5", "elba-7k", "martini-2k"]
# Skin in the unit of LAMMPS, nm (or sigma) in that unit, and neigh_modify: exact lists, and what is usual.
LISTS = {"lj": (0.3, 1, ("delay 0 every 1 check yes", "delay 0 every 20 check no")),
         "elba": (2.0, 0.1, ("delay 0 every 1 check yes", "delay 10 every 1 check yes")),
         "water": (2.0, 0.1, ("delay 0 every 1 check yes", "delay 10 every 1 check yes"))}
KINDS = {"opt": ("-sf", "opt"), "gpu": ("-sf", "gpu", "-pk", "gpu", "1"), "kokkos": ("-k", "on", "g", "1", "-sf", "kk")}
NAMES = {"opt": "LAMMPS", "gpu": "LAMMPS GPU package", "kokkos": "LAMMPS KOKKOS"}
# Rates that are expected, million bead-steps/s: they set the numbers of steps alone.
GUESS = {("lj", "lamella"): 2000, ("elba", "lamella"): 500, ("water", "lamella"): 500, ("martini", "lamella"): 1000,
         ("lj", "gpu"): 150, ("elba", "gpu"): 20, ("water", "gpu"): 40, ("lj", "kokkos"): 700, ("water", "kokkos"): 20,
         ("lj", "core"): 2.5, ("elba", "core"): 0.8, ("water", "core"): 0.8, ("martini", "core"): 2}


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def command_run(command, folder, limit=600):
    """Its output, status and seconds of user time."""
    environment = {"LAMELLA_FORCEFIELDS": str(TOP / "forcefields"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **os.environ}
    if "mdrun" not in command:  # GROMACS refuses another number than that of -ntomp
        environment["OMP_NUM_THREADS"] = "1"
    else:
        environment.pop("OMP_NUM_THREADS", None)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        with subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              start_new_session=True) as started:
            try:
                text, _ = started.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)  # with its ranks
                text = f"{started.communicate()[0]}\nended after {limit:g} s\n"
        status = started.returncode
    except OSError as fault:
        text, status = str(fault), 1
    return text, status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used


def need(command, folder):
    text, status, _ = command_run(command, folder)
    if status:
        sys.exit(f"{' '.join(map(str, command))}: failed\n{text[-3000:]}")
    return text


def write(path, text):
    pathlib.Path(path).write_text(text, encoding="utf-8")


def first(text, pattern, otherwise=""):
    found = re.search(pattern, text, re.M)
    return found.group(1).strip() if found else otherwise


# ---------------------------------------------------------------- prepare

def prepare_elba(a):
    """elba.h5, and the same for LAMMPS."""
    folder = a.folder
    if not a.elba:
        write(folder / "elba.yaml", "{forcefield: elba, seed: 1, temperature: 310, bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}, "
                                    "area_per_lipid: 0.72, water_per_lipid: 40}}\n")
        need([a.lamella, "build", "elba.yaml", "-o", "built.h5"], folder)
        write(folder / "relax.yaml", "{input: built.h5, restart: never, run: {steps: 1000, dt: 0.01}, thermostat: {type: langevin, "
                                     "temperature: 310, tau: 0.2}, barostat: {type: berendsen, coupling: constant_area, tau: 2}, "
                                     "parallel: {backend: cpu}, output: {prefix: relax, energies_every: 0}}\n")
        need([a.lamella, "run", "relax.yaml"], folder)
        shutil.move(folder / "relax.checkpoint.h5", folder / "elba.h5")
    else:
        shutil.copy(a.elba, folder / "elba.h5")
    need([sys.executable, TOP / "tools" / "state_to_lammps.py", "elba.h5", "elba.data", "elba.in"], folder)
    model = [line for line in (folder / "elba.in").read_text().splitlines() if not re.match("neigh|thermo|dump|run", line)]
    write(folder / "elba.model", "\n".join(model) + "\n")


def prepare_martini(a):
    """martini.h5 after a short run, and the same for GROMACS."""
    folder = a.folder
    for path in a.martini.iterdir():
        if path.suffix in (".itp", ".top"):
            shutil.copy(path, folder / ("martini.top" if path.suffix == ".top" else path.name))
    conf = next(iter(sorted(a.martini.glob("*.gro")))).resolve()
    shutil.copy(HERE / "martini.mdp", folder)
    need([a.lamella, "import", "martini.top", conf, "--mdp=martini.mdp", "-o", "minimised.h5", "--names=topology"], folder)
    write(folder / "melt.yaml", "{input: minimised.h5, restart: never, run: {steps: 4000, dt: 0.02}, thermostat: {type: langevin, "
                                "temperature: 325, tau: 0.5}, parallel: {backend: cpu}, output: {prefix: melt, energies_every: 0}}\n")
    need([a.lamella, "run", "melt.yaml"], folder)
    shutil.move(folder / "melt.checkpoint.h5", folder / "martini.h5")
    need([a.lamella, "export", "martini.h5", "--gro=martini.gro"], folder)


def prepare(a):
    a.folder.mkdir(parents=True, exist_ok=True)
    prepare_elba(a)
    if a.martini:
        prepare_martini(a)
    for path in a.folder.iterdir():
        if not re.fullmatch(r"elba\.(h5|data|model)|martini\..*|.*\.itp", path.name):
            path.unlink()


# ---------------------------------------------------------------- run

class Turn:
    """One run of a program: what to start for a number of steps (a function), and what reads its numbers."""

    def __init__(self, program, kind, steps, command, read, ranks=1, **columns):
        self.program, self.kind, self.steps, self.command, self.read = program, kind, steps, command, read
        self.ranks, self.columns = ranks, columns


def steps_of(a, system, kind):
    family, size, _ = SYSTEMS[system]
    beads = {"lj": 4 * size**3, "water": size**3, "elba": 7040 * size**2, "martini": 2304 * size**2}[family]
    guess = GUESS.get((family, "core" if a.backend == "cpu" else kind), 100)
    return int(min(max(guess * 1e6 * a.seconds / beads, 20), 40000))


def lamella_state(a, system):
    """SYSTEM.h5 in the folder of the results."""
    family, size, _ = SYSTEMS[system]
    name = "-".join(system.split("-")[:2])
    if (a.out / f"{name}.h5").exists():
        return f"{name}.h5"
    if family in ("elba", "martini"):
        start = a.folder / f"{family}.h5"
        kelvin = {"elba": 310, "martini": 325}[family]
        spec = f"{{state: {start}, replicate: [{size}, {size}, 1], temperature: {kelvin}, seed: 2}}"
        relax = []
    elif family == "water":
        part = 20 if size % 20 == 0 and size > 20 else size
        write(a.out / "part.yaml", f"{{forcefield: elba, seed: 1, temperature: 303, water: {{count: {part**3}, density: 998}}}}\n")
        need([a.lamella, "build", "part.yaml", "-o", "part.h5"], a.out)
        copies = [size // part] * 3
        spec, relax = f"{{state: part.h5, replicate: {copies}, temperature: 303, seed: 2}}", ["run.dt=0.005", "run.steps=500"]
        relax += ["thermostat.type=langevin", "thermostat.temperature=303", "thermostat.tau=0.1"]
    else:
        spec = f"{{forcefield: lj, temperature: 173.1923, lattice: {{type: fcc, cells: [{size}, {size}, {size}], density: 0.8442}}}}"
        relax = ["run.dt=0.005", "run.steps=300"]
    write(a.out / "spec.yaml", spec + "\n")
    need([a.lamella, "build", "spec.yaml", "-o", "start.h5"], a.out)
    if not relax:
        (a.out / "start.h5").rename(a.out / f"{name}.h5")
        return f"{name}.h5"
    write(a.out / "relax.yaml", "{input: start.h5, restart: never}\n")
    words = [w for s in (*relax, "output.prefix=relax", "output.energies_every=0", f"parallel.backend={a.backend}") for w in ("-s", s)]
    need([a.lamella, "run", "relax.yaml", *words], a.out)
    (a.out / "relax.checkpoint.h5").rename(a.out / f"{name}.h5")
    return f"{name}.h5"


def lamella_read(a, _):
    path = a.out / "timed.performance.json"
    report, log = json.loads(path.read_text()), (a.out / "timed.log").read_text()
    for old in a.out.glob("timed.*"):
        if old.name != "timed.yaml":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    built = first(log, r"compiler (.*?), MPI"), first(log, r"backend (.*?), transport"), first(log, r"(CUDA [\d.]+)")
    return {"version": first(log, r"^\S+  lamella \S+ \((.*?)\)"), "build": "; ".join(word for word in built if word),
            "beads": report["beads"], "steps": report["steps"], "seconds": report["seconds"], "skin": report["skin_nm"],
            "million_bead_steps_per_s": report["without_output"]}


def lamella_turns(a, system):
    family, _, cutoff = SYSTEMS[system]
    state, dt = lamella_state(a, system), {"lj": 0.005, "martini": 0.02}.get(family, 0.01)
    write(a.out / "timed.yaml", f"{{input: {state}, restart: never}}\n")
    skin = {"lj": 0.3}.get(family, 0.2) if a.backend == "cpu" else "auto"
    settings = [f"run.dt={dt}", "output.prefix=timed", "output.energies_every=0", "output.checkpoint_every=0",
                f"neighbor.skin={skin}", f"parallel.backend={a.backend}"]
    if family == "lj":
        text = (TOP / "forcefields" / "lj.yaml").read_text()
        write(a.out / "lj.yaml", re.sub(r"^cutoff: .*", f"cutoff: {cutoff}", text, flags=re.M))
        settings.append("forcefield=lj.yaml")
    if family == "martini":
        settings += ["thermostat.type=bussi", "thermostat.temperature=325", "thermostat.tau=1"]
    for precision in a.precision:
        steps = steps_of(a, system, "lamella") // (2 if precision == "double" else 1)
        words = [w for s in (*settings, f"run.precision={precision}") for w in ("-s", s)]
        yield Turn("Lamella", "lamella", steps, lambda n, w=words: [a.lamella, "run", "timed.yaml", *w, "-s", f"run.steps={n}"],
                   lamella_read, precision=precision, neigh_modify="exact")


def lammps_read(_, text):
    loops = re.findall(r"Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+)", text)
    if not loops:
        raise ValueError("no loop time")
    seconds, steps, beads = float(loops[-1][0]), int(loops[-1][1]), int(loops[-1][2])
    return {"beads": beads, "steps": steps, "seconds": seconds, "million_bead_steps_per_s": beads * steps / seconds * 1e-6,
            "version": first(text, r"^LAMMPS \((.*)\)")}


def lammps_turn(a, system, kind, program, ranks, neigh):
    family, size, cutoff = SYSTEMS[system]
    skin, nm, _ = LISTS[family]
    shutil.copy(HERE / f"in.{family}", a.out)
    if family == "elba":
        for name in ("elba.data", "elba.model"):
            shutil.copy(a.folder / name, a.out)
    variables = {"cells": size, "copies": size, "cutoff": cutoff, "skin": skin, "neigh": neigh}
    words = [w for key, value in variables.items() for w in ("-var", key, value)]
    start = [*os.environ.get("MPIEXEC", "mpiexec").split(), "-n", ranks] if ranks > 1 else []
    build = pathlib.Path(shutil.which(program) or program)
    build = build.with_name(build.name + ".build")
    note = build.read_text().strip() if build.exists() else "as installed"
    package = [*KINDS[kind]]
    if kind == "kokkos" and family == "water":
        package += ["-pk", "kokkos", "comm", "no"]  # atoms of style hybrid can only be exchanged without KOKKOS
    command = [*start, program, *package, "-in", f"in.{family}", "-log", "none", *words, "-var", "steps"]
    return Turn(NAMES[kind], kind, steps_of(a, system, kind), lambda n: [*command, n], lammps_read, ranks,
                precision=a.lammps_precision.get(kind, "double"), build=note, skin=skin * nm, neigh_modify=neigh)


def lammps_runs(family, kind):
    """Whether a build of LAMMPS has the styles of a family of systems."""
    return {"lj": True, "elba": kind != "kokkos", "water": kind == "kokkos", "martini": False}[family]


def gromacs_read(a, said):
    text = (a.out / "md.log").read_text(errors="replace")
    per_day = float(first(text, r"^Performance:\s+(\S+)", "nan"))
    beads = int(first((a.out / "copies.gro").read_text(errors="replace"), r"\A.*\n\s*(\d+)"))
    steps = int(first(said, r"command line: (\d+) steps", "0"))
    found = re.findall(r"rlist (?:from \S+ to|=) *([\d.]+)|^\s*rlist\s*=\s*([\d.]+)", text, re.M)
    rlist = [x or y for x, y in found]
    return {"beads": beads, "steps": steps, "million_bead_steps_per_s": per_day / (86400 * 0.02e-3) * beads * 1e-6,
            "skin": f"{float(rlist[-1]) - 1.1:.3f}" if rlist else "", "version": first(text, r"^GROMACS version:\s+(\S+)"),
            "precision": first(text, r"^Precision:\s+(\S+)")}


def gromacs_turns(a, system):
    family, size, _ = SYSTEMS[system]
    if family != "martini" or not a.gmx:
        return
    for path in a.folder.glob("*.itp"):
        shutil.copy(path, a.out)
    text = (a.folder / "martini.top").read_text()
    head, molecules = re.split(r"\[\s*molecules\s*\]", text)
    rows = "\n".join(line for line in molecules.splitlines() if line.split(";")[0].strip())
    write(a.out / "copies.top", head + "[ molecules ]\n" + (rows + "\n") * size**2)
    need([a.gmx, "genconf", "-f", a.folder / "martini.gro", "-nbox", size, size, 1, "-o", "copies.gro"], a.out)
    need([a.gmx, "grompp", "-f", HERE / "martini.mdp", "-c", "copies.gro", "-p", "copies.top", "-o", "md.tpr", "-maxwarn", 5], a.out)
    where = ["-nb", "gpu", "-bonded", "gpu", "-pin", "on"] if a.backend == "cuda" else ["-nb", "cpu", "-pin", "off"]
    build = first(need([a.gmx, "--version"], a.out), r"^SIMD instructions:\s+(\S+)") + (", CUDA" if a.backend == "cuda" else "")
    # Its load balance and its lists settle for a second and more, and the first half of a run does not count.
    steps = 2 * int((8 if a.backend == "cpu" else 250) * 1e6 * max(a.seconds, 5) / (2304 * size**2))
    for nstlist in ("own choice", 20, 40, 80):
        words = [a.gmx, "mdrun", "-s", "md.tpr", "-deffnm", "md", "-ntmpi", 1, "-ntomp", a.threads, "-noconfout", "-resethway",
                 *(["-nstlist", nstlist] if nstlist != "own choice" else []), *where, "-nsteps"]
        yield Turn("GROMACS", "gromacs", steps, lambda n, w=words: [*w, n], gromacs_read, ranks=a.threads, build=build,
                   neigh_modify=f"nstlist {nstlist}, tolerance 0.005")


def shorten(text, lines=45):
    rows = [row[:200] for row in text.splitlines()]
    return "\n".join(rows if len(rows) < 2 * lines else [*rows[:15], f"... {len(rows) - 15 - lines} lines ...", *rows[-lines:]])


def take(a, system, turn):
    """Starts it, adds a row and a log; the rate, or 0 where it failed."""
    short, used = max(turn.steps // 10, 2), 0
    if a.backend == "cpu":
        _, _, used = command_run(turn.command(short), a.out, a.each)
    text, status, seconds = command_run(turn.command(turn.steps), a.out, a.each)
    log = text + ((a.out / "md.log").read_text(errors="replace") if turn.kind == "gromacs" and (a.out / "md.log").exists() else "")
    shown = " ".join(str(word).replace(str(TOP), ".") for word in turn.command(turn.steps))
    if turn.kind != "lamella" or status:
        with open(a.out / "peers.log", "a", encoding="utf-8") as file:
            file.write(f"\n=== {system}: {shown}\n{shorten(log)}\n")
    try:
        if status:
            raise ValueError(f"status {status}")
        row = {"system": system, "program": turn.program, "ranks": turn.ranks, **turn.columns, **turn.read(a, text)}
    except (ValueError, OSError, KeyError) as fault:
        say(f"{system}: {turn.program}, {turn.ranks} ranks: {fault}; peers.log has its output")
        return 0
    if a.backend == "cpu" and seconds > used:
        row[COLUMNS[-1]] = row["beads"] * (turn.steps - short) / (seconds - used) * 1e-6
    for name in ("seconds", *COLUMNS[-2:]):
        row[name] = f"{row[name]:.5g}" if name in row else ""
    with open(a.out / "peers.csv", "a", newline="", encoding="utf-8") as file:
        csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n").writerow(row)
    say(f"{system}: {turn.program} {row['precision']} {turn.ranks} ranks, {row['neigh_modify']}: {row[COLUMNS[-2]]} {row[COLUMNS[-1]]}")
    return float(row["million_bead_steps_per_s"])


def open_table(a):
    gpu = command_run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], ".")[0] if a.backend == "cuda" else ""
    model = first(pathlib.Path("/proc/cpuinfo").read_text(), r"^model name.*: (.*)")
    lines = [f"{datetime.date.today()}, {os.cpu_count()} cores, {model}", *gpu.splitlines(),
             *need([a.lamella, "--version"], a.out).splitlines()]
    write(a.out / "peers.csv", "".join(f"# {line}\n" for line in lines) + ",".join(COLUMNS) + "\n")
    write(a.out / "peers.log", "")


def lammps_all(a, system, kind, program, best):
    """Runs of a build of LAMMPS: all numbers of ranks with exact lists, and its usual lists with the best of them; that
    number, or 0 where none worked."""
    exact, usual = LISTS[SYSTEMS[system][0]][2]
    if not best:
        rates = {n: take(a, system, lammps_turn(a, system, kind, program, n, exact)) for n in (a.ranks if kind != "kokkos" else [1])}
        best = max(rates, key=rates.get) if any(rates.values()) else 0
    else:
        take(a, system, lammps_turn(a, system, kind, program, best, exact))
    if best:
        take(a, system, lammps_turn(a, system, kind, program, best, usual))
    return best


def has_peer(a, system):
    """Whether another program is given that can run it; all systems are measured where none is given."""
    family = SYSTEMS[system][0]
    return any(lammps_runs(family, kind) for kind in a.programs) or a.gmx and family == "martini" or not a.programs and not a.gmx


def run_system(a, system):
    family = SYSTEMS[system][0]
    programs = {kind: program for kind, program in a.programs.items() if lammps_runs(family, kind)}
    best = dict.fromkeys(programs)
    for _ in range(a.repeat):
        for turn in lamella_turns(a, system):
            take(a, system, turn)
        for kind, program in programs.items():
            if best[kind] != 0:
                best[kind] = lammps_all(a, system, kind, program, best[kind])
        for turn in gromacs_turns(a, system):
            take(a, system, turn)


def run(a):
    a.out.mkdir(parents=True, exist_ok=True)
    a.out, a.folder = a.out.resolve(), a.folder.resolve()
    a.programs = dict(word.split("=", 1) for word in a.lmp)
    if not a.programs.keys() <= KINDS.keys():
        sys.exit(f"--lmp: {', '.join(a.programs)}: kinds are {', '.join(KINDS)}")
    open_table(a)
    begin = time.monotonic()
    systems = a.systems or [s for s in (GPU_SYSTEMS if a.backend == "cuda" else CORE_SYSTEMS) if has_peer(a, s)]
    for system in systems:
        start = a.folder / f"{SYSTEMS[system][0]}.h5"
        if start.name in ("elba.h5", "martini.h5") and not start.exists():
            say(f"{system}: left out, there is no {start}")
        elif time.monotonic() - begin > a.limit:
            say(f"{system}: left out after {a.limit:g} s (--limit)")
        else:
            run_system(a, system)
    print((a.out / "peers.csv").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(dest="part", required=True)
    p, r = sub.add_parser("prepare"), sub.add_parser("run")
    for s in p, r:
        s.add_argument("folder", type=pathlib.Path)
        s.add_argument("--lamella", default=str(TOP / "build" / "lamella"))
    p.add_argument("--elba", type=pathlib.Path, help="state file or LAMMPS data file of the bilayer")
    p.add_argument("--martini", type=pathlib.Path, help="folder with one .top, its .itp and one .gro")
    r.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("peers-out"))
    r.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    r.add_argument("--lmp", action="append", default=[], metavar="KIND=PROGRAM")
    r.add_argument("--gmx", default="", metavar="PROGRAM")
    r.add_argument("--systems", nargs="+", choices=list(SYSTEMS))
    r.add_argument("--precision", nargs="+", default=["mixed", "double"], help="of Lamella [mixed double]")
    r.add_argument("--gpu-prec", default="mixed", help="of the GPU package, as it was built [mixed]")
    r.add_argument("--ranks", nargs="+", type=int, default=[1], help="of LAMMPS: the best of these counts [1]")
    r.add_argument("--threads", type=int, default=1, help="of GROMACS [1]")
    r.add_argument("--repeat", type=int, default=1)
    r.add_argument("--seconds", type=float, default=3, help="of one run, about [3]")
    r.add_argument("--each", type=float, default=600, help="a run is ended after so many seconds [600]")
    r.add_argument("--limit", type=float, default=1e9, help="no system is begun after so many seconds")
    a = parser.parse_args()
    a.lamella = str(pathlib.Path(a.lamella).resolve())
    if a.part == "prepare":
        return prepare(a)
    a.lammps_precision = {"gpu": a.gpu_prec}
    return run(a)


if __name__ == "__main__":
    main()
