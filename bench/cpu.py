#!/usr/bin/env python3
"""Speed of the CPU backend beside Debian's LAMMPS, paired: programs and rank counts take turns, so
that what else the machine does meets all of them alike.

    bench/cpu.py [--lamella PROGRAM] [--lmp PROGRAM] [--data elba-dopc.data] [--ranks 1,2]
                 [--repeat 5] [--steps 500] [--lmp-steps 100] [--cores 0,1] [--idle 0] -o FOLDER

NVE at 10 fs of 128 DOPC in 5120 waters (7040 beads), skin 0.2 nm: the LAMMPS data file named by
--data, or a bilayer that is built and shortly relaxed here. LAMMPS runs pair_style
lj/sf/dipole/sf with fix nve/sphere update dipole/dlm, in double precision. --idle 90 waits before
each run until the processors have been 90 % idle for a second: for machines shared with others.

FOLDER gets runs.csv (a line a run), summary.csv, cpu.md (tables), and
cpu.png where matplotlib is installed. Needs numpy, h5py and yaml (tools/state_to_lammps.py).
"""
import argparse
import csv
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
SPEC = """forcefield: elba
seed: 1
temperature: 310
bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}, area_per_lipid: 0.72, water_per_lipid: 40}
"""
RELAX = """input: built.h5
run: {steps: 1000, dt: 0.010}
thermostat: {type: langevin, temperature: 310, tau: 0.2}
barostat: {type: berendsen, coupling: constant_area, tau: 2.0}
output: {prefix: relaxed, energies_every: 0}
"""
NVE = """restart: never
run: {dt: 0.010}
neighbor: {skin: 0.2}
parallel: {backend: cpu}
output: {prefix: nve, energies_every: 0, checkpoint_every: 0}
"""
LAMMPS_NVE = """neighbor 2.0 bin
fix move all nve/sphere update dipole/dlm
timestep 10.0
thermo {steps}
run {steps}
"""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def run(command, cores, ranks=1):
    """Its output, pinned to as many of the cores as there are ranks."""
    command = [str(part) for part in command]
    if ranks > 1:
        command = [os.environ.get("MPIEXEC", "mpiexec"), "--bind-to", "none", "-n", str(ranks),
                   *command]
    command = ["taskset", "-c", ",".join(cores[:ranks]), *command]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "LAMELLA_FORCEFIELDS": os.path.join(TOP, "forcefields")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def processor_time():
    with open("/proc/stat") as file:
        numbers = [int(word) for word in file.readline().split()[1:]]
    return numbers[3] + numbers[4], sum(numbers[:8])


def wait_idle(percent):
    """At most ten minutes."""
    end = time.time() + 600
    while percent > 0 and time.time() < end:
        idle, total = processor_time()
        time.sleep(1)
        later = processor_time()
        if 100 * (later[0] - idle) >= percent * (later[1] - total):
            return


def write(name, text):
    with open(name, "w") as out:
        out.write(text)


def prepare(a, cores):
    """start.h5 and the same as start.data, with start.in of LAMMPS; run in FOLDER."""
    write("nve.yaml", NVE)
    if a.data:
        run([a.lamella, "import", a.data, "--format=lammps-data", "--forcefield=elba", "--types=W,C,P,G,E,T",
             "--bond-types=CP,PG,GE,ET,TT", "--angle-types=CPG,PGE,saturated,cis,restraint", "-o", "start.h5"], cores)
    else:
        write("build.yaml", SPEC)
        write("relax.yaml", RELAX)
        run([a.lamella, "build", "build.yaml", "-o", "built.h5"], cores)
        run([a.lamella, "run", "relax.yaml", "--restart=never"], cores)
        os.replace("relaxed.checkpoint.h5", "start.h5")
    run([sys.executable, os.path.join(TOP, "tools", "state_to_lammps.py"), "start.h5",
         "start.data", "point.in"], cores)
    with open("point.in") as lines:
        model = [line for line in lines if not re.match("neigh|thermo|dump|run", line)]
    write("start.in", "".join(model) + LAMMPS_NVE.format(steps=a.lmp_steps))


def run_lamella(a, cores, ranks, precision):
    run([a.lamella, "run", "nve.yaml", "-s", "input=start.h5", "-s", f"run.steps={a.steps}", "-s",
         f"run.precision={precision}"], cores, ranks)
    with open("nve.performance.json") as file:
        report = json.load(file)
    return report["ms_per_step"], report


def run_lmp(a, cores, ranks):
    out = run([a.lmp, "-in", "start.in", "-log", "none"], cores, ranks)
    seconds, steps, n = re.search(r"Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+)",
                                  out).groups()
    return 1e3 * float(seconds) / int(steps), int(n)


def measure(a, cores):
    """Rows of (repetition, program, ranks, ms a step); the last reports; the number of beads."""
    rows, reports, beads = [], {}, 0
    for repetition in range(1, a.repeat + 1):
        for ranks in a.ranks:
            if a.lmp:
                wait_idle(a.idle)
                ms, beads = run_lmp(a, cores, ranks)
                rows.append((repetition, "lmp", ranks, ms))
            for precision in ("mixed", "double"):
                wait_idle(a.idle)
                ms, report = run_lamella(a, cores, ranks, precision)
                beads = report["beads"]
                reports[precision, ranks] = report
                rows.append((repetition, "lamella " + precision, ranks, ms))
        say(f"{repetition} of {a.repeat}:",
            ", ".join(f"{p} x {r}: {ms:.2f} ms" for k, p, r, ms in rows if k == repetition))
    return rows, reports, beads


def of(rows, program, ranks):
    return [ms for _, p, r, ms in rows if p == program and r == ranks]


def spread(values, form):
    values = sorted(values)
    return [form.format(v) for v in (values[0], statistics.median(values), values[-1])]


def summarise(a, rows, beads):
    """A dictionary for each program and number of ranks; ratios are of runs side by side."""
    table = []
    for program in dict.fromkeys(row[1] for row in rows):
        for ranks in a.ranks:
            ms = of(rows, program, ranks)
            low, middle, high = spread(ms, "{:.3f}")
            line = {"program": program, "ranks": ranks, "ms_min": low, "ms_median": middle,
                    "ms_max": high, "steps_per_s": f"{1e3 / float(middle):.1f}",
                    "million_bead_steps_per_s": f"{beads / float(middle) * 1e-3:.3f}"}
            pairs = {"times_lmp": of(rows, "lmp", ranks),
                     "times_one_rank": of(rows, program, a.ranks[0])}
            for name, other in pairs.items():
                ratio = [b / m for b, m in zip(other, ms)]
                ratio = spread(ratio, "{:.2f}") if ratio else ["", "", ""]
                line.update(zip((name + "_min", name, name + "_max"), ratio))
            table.append(line)
    return table


def write_csv(name, header, lines):
    with open(name, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(lines)


def first(text, pattern, otherwise="?"):
    found = re.search(pattern, text, re.M)
    return found.group(1).strip() if found else otherwise


def machine(a, cores):
    with open("/proc/cpuinfo") as file:
        info = file.read()
    flags = first(info, r"^flags\s*:(.*)")
    vectors = next((v for v in ("avx512f", "avx2", "avx") if f" {v}" in flags), "sse2")
    version = run([a.lamella, "--version"], cores)
    lines = [f"date: {datetime.date.today()}",
             f"processor: {first(info, 'model name.*: (.*)')}, {os.cpu_count()} cores, {vectors}",
             f"lamella: {version.splitlines()[0]}", f"build: {version.splitlines()[1]}"]
    if a.lmp:
        lines.append("lmp: " + first(run([a.lmp, "-h"], cores), r"(Large-scale.*)"))
    return lines + [f"load at the end: {os.getloadavg()[0]:.2f}"]


def write_markdown(a, cores, table, reports, beads):
    """The tables as docs/measured/cpu.md has them."""
    lines = ["", f"{beads} beads, NVE, 10 fs, skin 0.2 nm; {a.repeat} repetitions by turns; "
             "milliseconds per step as median (minimum to maximum); ratios of runs side by side.",
             "",
             "| program | ranks | ms per step | million bead-steps/s | speed-up over LAMMPS | "
             "speed-up over one rank |",
             "|---|---|---|---|---|---|"]
    for t in table:
        def shown(name):
            return f"{t[name]} ({t[name + '_min']} to {t[name + '_max']})" if t[name] else ""
        program = t["program"].replace("lmp", "LAMMPS").replace("lamella", "Lamella")
        lines.append(f"| {program} | {t['ranks']} | {t['ms_median']} ({t['ms_min']} to "
                     f"{t['ms_max']}) | {t['million_bead_steps_per_s']} | {shown('times_lmp')} | "
                     f"{shown('times_one_rank')} |")
    phases = list(next(iter(reports.values()))["phases_s"])
    lines += ["", "Milliseconds per step by phase, mean over ranks, of the last repetition:", "",
              "| precision | ranks | " + " | ".join(phases) +
              " | steps per list | bytes per bead |",
              "|---" * (len(phases) + 4) + "|"]
    for (precision, ranks), r in reports.items():
        times = [f"{1e3 * r['phases_s'][p]['mean'] / r['steps']:.3f}" for p in phases]
        lines.append(f"| {precision} | {ranks} | " + " | ".join(times) +
                     f" | {r['steps_per_build']:.1f} | {r['bytes_per_bead']:.0f} |")
    facts = ["- " + line for line in machine(a, cores)]
    write("cpu.md", "\n".join(facts + lines) + "\n")


def draw(rows, a):
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
    names = [(p, r) for p in dict.fromkeys(row[1] for row in rows) for r in a.ranks]
    for k, (program, ranks) in enumerate(names):
        speed = [1e3 / ms for ms in of(rows, program, ranks)]
        axes.barh(k, statistics.median(speed), color="#8ec3e6" if program == "lmp" else "#1f4e9c",
                  alpha=0.8)
        axes.plot(speed, [k] * len(speed), "k.", markersize=4)
    axes.set_yticks(range(len(names)), [f"{p}, {r} rank{'s' * (r > 1)}" for p, r in names])
    axes.invert_yaxis()
    axes.set(xlabel="steps per second (bar: median; dots: runs)", title="NVE of 128 DOPC in water")
    figure.savefig("cpu.png", dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--lamella", default=os.path.join(TOP, "build", "lamella"))
    parser.add_argument("--lmp", default="lmp", help="'' leaves LAMMPS out")
    parser.add_argument("--data", help="LAMMPS data file of the box [one is built and relaxed]")
    parser.add_argument("--ranks", default="1,2", type=lambda s: [int(n) for n in s.split(",")])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--lmp-steps", type=int, default=100)
    parser.add_argument("--cores", default=",".join(map(str, range(os.cpu_count() or 1))))
    parser.add_argument("--idle", type=float, default=0, help="percent")
    parser.add_argument("-o", "--output", required=True, help="folder of the results")
    a = parser.parse_args()
    a.lamella = os.path.abspath(a.lamella)
    a.data = a.data and os.path.abspath(a.data)
    cores = a.cores.split(",")
    os.makedirs(a.output, exist_ok=True)
    os.chdir(a.output)
    prepare(a, cores)
    rows, reports, beads = measure(a, cores)
    write_csv("runs.csv", ["repetition", "program", "ranks", "ms_per_step"], rows)
    table = summarise(a, rows, beads)
    write_csv("summary.csv", table[0].keys(), [line.values() for line in table])
    write_markdown(a, cores, table, reports, beads)
    draw(rows, a)
    with open("cpu.md") as text:
        print(text.read())


if __name__ == "__main__":
    main()
