#!/usr/bin/env python3
"""shkurti2013.py: Tables 1 and 3 to 8 and Figures 7 to 12 of Shkurti, Orsi, Macii, Ficarra and Acquaviva (J.
Comput. Chem. 34, 803, 2013): soft sticky dipole water and lipids in it, with the force fields `ssd` and `brahms`.

    bench/papers/shkurti2013.py [--backend cpu] [--backend cuda] [--part shares|core|rates|few|steps|accuracy|nve|
                                precision|species|timestep|heavy|pairs|capacity] [--size 23k] [--sizes small] [-o FOLDER]

shares     Table 1: shares of integration, lists and forces on one CPU core.
core       Figures 8 and 9: microseconds of one core for a bead and step of (a) and (c) at 1 fs in both precisions, skin
           0.2 nm, by turns. Processor time (user) of runs of --cpu-steps steps less that of runs of a tenth, the least
           of --repeat: other programs on the machine disturb it less than the clock.
rates      Figures 7 and 9, Tables 3 and 8: million bead-steps/s in both precisions; (a) water alone with `ssd`, (b) the
           same water with the complete force field `brahms`, (c) DOPC in water.
few        Figure 7 below 23,000 beads: rates of boxes of 840 to 13,680 waters, each relaxed as the small box is.
steps      Figure 10: time of a step at 1, 4, 10 and 20 fs, NVT.
accuracy   Tables 6 and 7: temperature and potential energy in NVT (bussi), 1 fs, each backend; with the standard
           deviation of the temperature that a canonical ensemble of as many degrees of freedom has.
nve        Figure 11: total energy of NVE, 1 fs: mean, standard deviation, drift.
species    Tables 6 and 7, Figure 11: DOPC in water, --long steps of 1 fs of NVT and NVE from one start (after --settle steps
           of 4 fs), on the GPU in both precisions and on --ranks cores for each ensemble, at the same time, in
           --cpu-precision, for --limit seconds at most; temperatures of lipids and of water in degrees Celsius, energies,
           pressure, drift. Runs are kept in FOLDER, so that backends may be measured one after the other.
timestep   Figure 10: one core and the GPU in double precision at 1 fs (`brahms`), 10 and 20 fs (`brahms-heavy`), --step-size
           beads, NVT; --prepare only makes the boxes. Kept in FOLDER likewise.
heavy      Figure 10: 128 DOPC and water alone at 303 K and 1 atm with `brahms` at 4 fs and with `brahms-heavy` at 10 and 20
           fs, --heavy ps each: area, thickness, volume, energies; then the time of a step of 80,000 beads.
precision  NVE of 10,000 steps of 1 fs: rate and mean energy in double and mixed precision.
pairs      Figure 12: pairs in the lists and inside the cutoffs, by kind of pair.
capacity   bytes a bead, and how many beads the memory of one GPU (--memory, 10^9 bytes) holds.

Systems are relaxed for 40,000 steps the first time (3k: some two minutes on one core) and kept in FOLDER. --sizes small takes the least of them,
and --cpu-steps says how long runs on one core are (nve and accuracy too).
Kernels (Tables 4 and 5: speed-ups, branches) are measured by bench/beads/kernels.py, which needs Nsight Compute.
Kinds of arithmetic and of memory of the force kernel: variants.py of this folder.
Cutoffs, densities, parameters and thermostat of the paper are not published: those of the force fields here.
Prints Markdown, and writes it to FOLDER/shkurti2013.md."""
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np

import paper
from paper import common, number

import kernels
import rates

# Kinds of pairs for bench/beads/pairs.py: charged beads of lipids are C and P, beads with a dipole W, G and E.
PAIRS = {"a": {"0.4:W:W": "water, water (sticky)", "0.9:W:W": "water, water"},
         "c": {"0.4:W:W": "water, water (sticky)", "0.9:W:W:only": "water, water", "1.2:C,P:W,G,E:only": "charge, dipole",
               "1.2:W,G,E:W,G,E:only": "dipole, dipole with a lipid", "1.2:C,P:C,P:only": "charge, charge",
               "1.2:*:*": "Lennard-Jones alone"}}
KELVIN = 273.15
FIELDS = {"a": "water alone", "b": "water, complete force field", "c": "DOPC in water"}
# Figure 9 and Table 8, speed-ups in double precision: GTX295, GTX480, C2050.
SPEED_UPS = {"a": "5.28, 13.69, 12.8", "b": "", "c": "2.43, 7, 6.43"}


def options(a, backend, precision="mixed"):
    """As bench/beads/rates.py takes them."""
    a.steps = a.cpu_steps if backend == "cpu" else a.gpu_steps
    return type("Options", (), {**vars(a), "backend": backend, "precision": precision, "ranks": 1,
                                "kinds": ["a", "c"]})


def state(a, kind, size):
    return rates.system(kind, size, options(a, a.backend[-1]))


def run(a, name, kind, backend, precision, steps, size=None, **settings):
    """Performance record; energies in NAME.csv."""
    status, text, record = rates.run(state(a, kind, size or a.size), name, options(a, backend, precision), {
        "run.steps": steps, "run.dt": 0.001, "neighbor.skin": "auto", **settings})
    if status:
        sys.exit(text)
    return record


def combinations(a):
    return [(b, p) for b in a.backend for p in ("double", "mixed")]


def shares(a):
    rows = [["paper (Table 1)", "", 2.3, 1.1, 94.3], ["paper, water (Table 4)", "", 2.61, 1.15, 94.64],
            ["paper, lipids (Table 5)", "", 1.98, 1.11, 93.99]]
    for kind in "ac":
        phase = kernels.cpu_phases(state(a, kind, a.size), a.cpu_steps)
        rows.append([FIELDS[kind], f"{phase['all']:.2f}"] + [f"{100 * phase[k] / phase['all']:.1f}" for k in (
            "integration", "lists", "forces")])
    paper.show(a, "Table 1: % of the time of one CPU core; 4 fs here, 1 fs in the paper", "")
    paper.table(a, ["", "ms a step", "integration", "lists", "forces"], rows)


def user_seconds(a, kind, precision, steps, size):
    """Processor time of a whole run on one core, and its beads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    record = run(a, "core", kind, "cpu", precision, steps, size, **{"neighbor.skin": 0.2})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, record["beads"]


def core(a):
    rows, short = [], a.cpu_steps // 10
    for size in a.all:
        kinds, least = [(kind, precision) for precision in ("double", "mixed") for kind in "ac"], {}
        for kind in "ac":
            state(a, kind, size)
        for _ in range(a.repeat):
            for which in kinds:
                for count in (short, a.cpu_steps):
                    seconds, beads = user_seconds(a, *which, count, size)
                    least[which, count] = min(seconds, least.get((which, count), seconds))
                least[which] = 1e6 * (least[which, a.cpu_steps] - least[which, short]) / beads / (a.cpu_steps - short)
        for precision in ("double", "mixed"):
            water, lipids = least["a", precision], least["c", precision]
            rows.append([size, precision, number(water), number(lipids), f"{water / lipids:.2f}", number(1 / water),
                         number(1 / lipids)])
    paper.show(a, "Figures 8 and 9: processor time of one core for a bead and step at 1 fs, microseconds, and million "
               "bead-steps a second of it.", "")
    paper.table(a, ["size", "precision", "water, us", "DOPC in water, us", "water / lipids", "water, 10^6/s",
                    "DOPC in water, 10^6/s"], rows)


def speed(a):
    rows = []
    for size in a.all:
        for kind in "abc":
            found = {c: run(a, "rates", kind, *c, options(a, c[0]).steps, size) for c in combinations(a)}
            beads = next(iter(found.values()))["beads"]
            rate = {c: r["without_output"] for c, r in found.items()}
            gain = [number(rate[c] / rate["cpu", c[1]]) if ("cpu", c[1]) in rate and c[0] == "cuda" else ""
                    for c in rate if c[0] == "cuda"]
            rows.append([FIELDS[kind], beads, *map(number, rate.values()), *gain, SPEED_UPS[kind]])
    head = [f"{b}, {p}" for b, p in combinations(a)]
    gain = [f"GPU / core, {p}" for b, p in combinations(a) if b == "cuda"]
    paper.show(a, "Figures 7 and 9, Tables 3 and 8: million bead-steps/s, 1 fs, NVE. The paper's CPU: 0.091 (derived, "
               "lipids); its speed-ups cover the part on the GPU only.", "")
    paper.table(a, ["", "beads", *head, *gain, "paper, double: GTX295, GTX480, C2050"], rows)


def few(a):
    rows = []
    for waters in a.waters:
        start = rates.base("a", options(a, a.backend[-1]), waters)
        found = {}
        for backend, precision in combinations(a):
            how = options(a, backend, precision)
            status, text, found[backend, precision] = rates.run(start, f"few-{waters}", how, {
                "run.dt": 0.001, "run.steps": how.steps, "neighbor.skin": "auto"})
            if status:
                sys.exit(text)
        rate = {c: r["without_output"] for c, r in found.items()}
        gain = [number(rate[c] / rate["cpu", c[1]]) for c in rate if c[0] == "cuda" and ("cpu", c[1]) in rate]
        rows.append([waters, *map(number, rate.values()), *gain])
    paper.show(a, "Figure 7, small boxes: water alone (`ssd`), 1 fs, NVE, million bead-steps/s, one run each.", "")
    gain = [f"GPU / core, {p}" for b, p in combinations(a) if b == "cuda" and "cpu" in a.backend]
    paper.table(a, ["beads", *[f"{b}, {p}" for b, p in combinations(a)], *gain], rows)


def steps(a):
    for backend in a.backend:
        paper.show(a, f"Figure 10, {backend}; paper (GTX480), speed-ups at 1, 10, 20 fs: water 13.69, 13.83, 13.88; lipids "
                   "7, 7.44, 7.9", "")
        words = [sys.executable, rates.__file__, "--part", "step", "--backend", backend, "--kinds", "a", "c", "--steps",
                 str(options(a, backend).steps), "--relax", str(a.relax), "--mix", str(a.mix)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        paper.show(a, done.stdout if not done.returncode else sys.exit(done.stderr), "")


def accuracy(a):
    rows = []
    for kind in "ac":
        for backend, precision in combinations(a):
            count = options(a, backend).steps
            record = run(a, "nvt", kind, backend, precision, count, **{
                **rates.thermostat(0.1), "output.energies_every": max(1, count // 1000)})
            data = {k: v[len(v) // 5:] for k, v in common.read_csv("nvt.csv").items()}
            t, u = data["temperature_K"], data["potential"] / record["beads"]
            freedom = 2 * (data["kinetic"] + data["rotational"]).mean() / (common.BOLTZMANN * t.mean())
            mean, error = common.block(u)
            rows.append([FIELDS[kind], f"{backend}, {precision}", record["beads"], count, common.number(*common.block(t)),
                         f"{t.std():.3f}", f"{303 * np.sqrt(2 / freedom):.3f}", common.number(mean, error),
                         f"{u.std():.4f}"])
    paper.show(a, "Tables 6 and 7: NVT at 303 K (bussi), 1 fs. Paper, lipids: 30.0018 to 30.0023 C, deviation 0.312 to "
               "0.319; potential energy -33.10 (CPU), -30.64, -33.32, -33.32 kJ/mol.", "")
    paper.table(a, ["", "", "beads", "steps", "temperature, K", "deviation", "canonical deviation",
                    "potential energy a bead, kJ/mol", "deviation"], rows)


def constant_energy(a, title, count):
    """NVE runs of both precisions: rate, total energy a bead, its deviation, its drift."""
    rows = []
    for kind in "ac":
        for backend, precision in combinations(a):
            record = run(a, "nve", kind, backend, precision, count(backend), **{
                "output.energies_every": max(1, count(backend) // 100)})
            data = common.read_csv("nve.csv")
            total = data["total"] / record["beads"]
            potential = common.block(data["potential"] / record["beads"])
            slope = common.drift(data["time_ps"] / 1000, total)
            rows.append([FIELDS[kind], f"{backend}, {precision}", record["beads"], count(backend),
                         number(record["without_output"]), common.number(*potential), f"{total.mean():.6f}",
                         f"{total.std():.2e}", f"{slope[0]:.2e} +- {slope[1]:.0e}"])
    paper.show(a, title, "")
    paper.table(a, ["", "", "beads", "steps", "million bead-steps/s", "potential energy a bead, kJ/mol",
                    "total energy a bead", "deviation", "drift, kJ/mol/ns"], rows)


def nve(a):
    constant_energy(a, "Figure 11: NVE, 1 fs. Paper: total energy differs from the CPU's by 25.28 % (GTX295), 0.72 % "
                    "(GTX480), 0.65 % (C2050); deviation 0.1514 (CPU), 0.0428 (C2050), 0.0464 kJ/mol (GTX480).",
                    lambda backend: options(a, backend).steps)


def column(row, name):
    """A column of a row of an observable, with its error."""
    return common.number(float(row[name]), float(row[name + "_error"] or "nan"))


def settled(a, backend):
    """DOPC in water after --settle steps of 4 fs and 50 ps of 1 fs."""
    name, begin = f"c-{a.size}-settled.h5", state(a, "c", a.size)
    if pathlib.Path(name).exists():
        return name
    for dt, steps in ((0.004, a.settle), (0.001, min(50000, a.settle))):
        status, text, _ = rates.run(begin, "settle", options(a, backend), {
            **rates.thermostat(0.5), "run.dt": dt, "run.steps": steps, "neighbor.skin": "auto",
            "output.checkpoint_every": steps})
        if status:
            sys.exit(text)
        begin = f"settled-{dt:g}.h5"
        os.rename("settle.checkpoint.h5", begin)
    os.rename(begin, name)
    return name


STOPPED = 99  # status of a run that --limit ended


def long_run(a, start, ensemble, backend, precision):
    """Means of a run of --long steps of 1 fs, with their errors. Temperatures in degrees Celsius."""
    prefix, ranks = f"long-{ensemble}-{backend}-{precision}", a.ranks if backend == "cpu" else 1
    status, text, _ = rates.run(start, prefix, options(a, backend, precision), {
        "run.steps": a.long, "run.dt": 0.001, "neighbor.skin": "auto", "observe": "[{temperature: {every: 100}}]",
        "run.max_hours": a.limit / 3600, "output.energies_every": max(1, a.long // 10000),
        **(rates.thermostat(0.1) if ensemble == "NVT" else {})}, ranks)
    if status not in (0, STOPPED):
        sys.exit(text)
    record = json.loads(pathlib.Path(f"{prefix}.performance.json").read_text(encoding="utf-8"))
    data, beads = common.read_csv(f"{prefix}.csv"), record["beads"]
    t, total = data["temperature_K"], data["total"] / beads
    freedom = 2 * (data["kinetic"] + data["rotational"]).mean() / (common.BOLTZMANN * t.mean())
    found = {"beads": beads, "ps": float(data["time_ps"][-1] - data["time_ps"][0]), "rate": record["without_output"],
             "all": common.block(t - KELVIN), "deviation": float(t.std()), "canonical": 303 * float(np.sqrt(2 / freedom)),
             "potential": common.block(data["potential"] / beads),
             "potential deviation": float((data["potential"] / beads).std()),
             "pressure": common.block(data["pressure_bar"]), "total": common.block(total),
             "total deviation": float(total.std()), "drift": common.drift(data["time_ps"] / 1000, total)}
    rows = common.read_words(f"{prefix}.temperature.molecules.csv")
    for name, molecule in (("lipids", "DOPC"), ("water", "WATER")):
        mean, error = ([float(rows[molecule][c + end] or "nan") for c in ("translation", "rotation")] for end in ("", "_error"))
        found[name] = (mean[0] - KELVIN, error[0])
        found[name + ", rotation"] = (mean[1] - KELVIN, error[1])
    return found


def species_of(a, backend, ensembles=("NVT", "NVE")):
    """Runs of a backend from one start: {(ensemble, precision): means}. On CPUs the ensembles run side by side."""
    start, precisions = settled(a, a.backend[-1]), a.cpu_precision if backend == "cpu" else ("mixed", "double")

    def measured(ensemble):
        return {(ensemble, p): paper.kept(f"kept-{a.size}-{ensemble}-{backend}-{p}",
                                          lambda: long_run(a, start, ensemble, backend, p)) for p in precisions}
    with concurrent.futures.ThreadPoolExecutor(2 if backend == "cpu" else 1) as pool:
        return {k: v for found in pool.map(measured, ensembles) for k, v in found.items()}


def percent(value, of, key):
    """Difference of a mean and its error, per cent of the other mean."""
    (x, dx), (y, dy) = value[key], of[key]
    return common.number(100 * (x - y) / abs(y), 100 * float(np.hypot(dx, dy)) / abs(y))


def species(a):
    """Tables 6 and 7 and Figure 11, with differences from the first column (the CPU's, if it is measured)."""
    if a.prepare:
        settled(a, a.backend[-1])
        return
    runs = {(b, *k): v for b in sorted(a.backend) for k, v in species_of(a, b).items()}
    for title, ensemble, keys in (
            ("Table 6: temperature, C", "NVT", ("lipids", "lipids, rotation", "water", "water, rotation", "all")),
            ("Table 7: potential energy a bead, kJ/mol, and pressure, bar", "NVT", ("potential", "pressure")),
            ("Figure 11: total energy a bead, kJ/mol", "NVE", ("total", "potential", "all"))):
        found = {f"{b}, {p}": v for (b, e, p), v in runs.items() if e == ensemble}
        first = next(iter(found.values()))
        rows = [[key, *(cell for v in found.values() for cell in (
            common.number(*v[key], digits=6), "" if v is first else percent(v, first, key)))] for key in keys]
        spread = ("total deviation",) if ensemble == "NVE" else ("deviation", "canonical", "potential deviation")
        for key in ("ps", "rate", *spread):
            rows.append([key, *(cell for v in found.values() for cell in (number(v[key], 4), ""))])
        rows += [["drift, kJ/mol/ns", *(cell for v in found.values() for cell in ("{:.1e} +- {:.0e}".format(*v["drift"]), ""))]
                 ] if ensemble == "NVE" else []
        paper.show(a, f"{title}: {ensemble}, {first['beads']} beads, 1 fs, one start; difference from the first column, %, of "
                   "degrees Celsius where it is a temperature. `deviation`: in time, of all beads, K or kJ/mol; `rate`: "
                   "million bead-steps/s.", "")
        paper.table(a, ["", *(x for name in found for x in (name, "difference, %"))], rows)


def timestep_start(a, field, kind):
    """80,000 beads of a force field: copies of the small box."""
    name, copies = f"{field}-{kind}-{a.step_size}", rates.SIZES[a.step_size]
    if not pathlib.Path(f"{name}.h5").exists():
        copies = list(copies[0]) if kind == "a" else [*copies[1], 1]
        pathlib.Path(f"{name}.yaml").write_text(
            f"{{state: {heavy_start(field, kind, options(a, a.backend[-1]))}, replicate: {copies}, temperature: 303, seed: 2}}\n")
        rates.need("build", f"{name}.yaml", "-o", f"{name}.h5")
    return f"{name}.h5"


def timestep_run(a, field, dt, kind, backend):
    """Milliseconds of a step in double precision; on a core those of the processor, without the start of the program."""
    name, seconds, record = f"timestep-{field}-{kind}-{dt * 1000:g}-{backend}", {}, {}
    full = options(a, backend).steps // (1 if backend == "cpu" else 10)
    for count in ((full // 10, full) if backend == "cpu" else (full,)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        status, text, record = rates.run(timestep_start(a, field, kind), name, options(a, backend, "double"), {
            "run.dt": dt, "run.steps": count, "neighbor.skin": 0.2, **rates.thermostat(0.5)})
        seconds[count] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if status:
            sys.exit(text)
    ms = record["ms_per_step"] if backend == "cuda" else 1e3 * (seconds[full] - seconds[full // 10]) / (full - full // 10)
    return {"beads": record["beads"], "ms": ms, "steps a list": record["steps_per_build"]}


def timestep(a):
    """Figure 10: as the paper, double precision, about 80,000 beads, NVT, GPU over one core."""
    rows, printed = [], {"a": (13.69, 13.83, 13.88), "c": (7, 7.44, 7.9)}
    if a.prepare:
        for field, kind in ((f, k) for f in ("brahms", "brahms-heavy") for k in "ac"):
            timestep_start(a, field, kind)
        return
    for kind in "ac":
        for (field, dt), want in zip((("brahms", 0.001), *HEAVY[1:]), printed[kind]):
            found = {b: paper.kept(f"kept-timestep-{field}-{kind}-{dt * 1000:g}-{b}",
                                   lambda: timestep_run(a, field, dt, kind, b)) for b in a.backend}  # noqa: B023
            ms = [found[b]["ms"] if b in found else None for b in ("cpu", "cuda")]
            rows.append([f"{FIELDS[kind]}, {field}, {dt * 1000:g} fs", next(iter(found.values()))["beads"],
                         *(number(found[b]["steps a list"]) if b in found else "" for b in ("cpu", "cuda")), *map(number, ms),
                         number(ms[0] / ms[1]) if all(ms) else "", want])
    paper.show(a, "Figure 10: ms a step, NVT, double precision, skin 0.2 nm; the core: processor time.", "")
    paper.table(a, ["", "beads", "steps a list, core", "GPU", "one core, ms", "GPU, ms", "speed-up", "paper, GTX480"], rows)


HEAVY = ("brahms", 0.004), ("brahms-heavy", 0.010), ("brahms-heavy", 0.020)


def heavy_start(field, kind, options_of):
    """128 DOPC in water, or water alone, of a force field, relaxed."""
    name = f"{field}-{kind}"
    rates.BASE[name] = rates.BASE["b" if kind == "a" else "c"].replace("brahms", field)
    return rates.base(name, options_of)


def heavy_row(a, field, dt, kind, backend):
    options_of = options(a, backend)
    name, prefix, count = heavy_start(field, kind, options_of), f"heavy-{kind}", int(a.heavy / dt)
    seen = "membrane: {every: 50, from: %d}" % (count // 5)
    status, text, record = rates.run(name, prefix, options_of, {
        "run.dt": dt, "run.steps": count, "neighbor.skin": "auto", "output.energies_every": 50, **rates.thermostat(0.5),
        "barostat.type": "crescale", "barostat.pressure": 1.01325, "barostat.tau": 5,
        "barostat.coupling": "semi_isotropic" if kind == "c" else "isotropic", **({"observe": f"[{{{seen}}}]"} if kind == "c" else {})})
    if status:
        return [f"{field}, {dt * 1000:g} fs, {FIELDS[kind]}", text[-200:].replace("\n", " ")]
    data = {k: v[len(v) // 5:] for k, v in common.read_csv(f"{prefix}.csv").items()}
    beads = record["beads"]
    mean = lambda values: common.number(*common.block(values))  # noqa: E731
    row = [f"{field}, {dt * 1000:g} fs, {FIELDS[kind]}", f"{record['steps'] * dt / 1000:g}",
           mean(data["temperature_translation_K"]), mean(data["temperature_rotation_K"]), mean(data["potential"] / beads),
           mean(data["lj"] / beads), mean((data["dd"] + data["sticky"]) / beads), mean(1000 * data["volume_nm3"] / beads)]
    if kind == "c":
        of = common.read_words(f"{prefix}.membrane.membrane.csv")[""]
        row += [column(of, c) for c in ("area", "thickness")]
    common.say(*row)
    return row


def heavy(a):
    for backend in a.backend:
        rows = [heavy_row(a, field, dt, kind, backend) for kind in "ca" for field, dt in HEAVY]
        paper.show(a, f"Figure 10: heavy water, {backend}, NPT at 303 K and 1 atm.", "")
        paper.table(a, ["", "ns", "translation, K", "rotation, K", "potential energy a bead, kJ/mol", "Lennard-Jones",
                        "dipoles and sticky", "volume a bead, 0.001 nm3", "area a lipid, nm2", "thickness, nm"],
                    [row + [""] * (10 - len(row)) for row in rows])
        rows = []
        for kind in "ac":
            copies = rates.SIZES["80k"][0] if kind == "a" else (*rates.SIZES["80k"][1], 1)
            for field, dt in (("brahms", 0.001), *HEAVY):
                name = f"{field}-{kind}-80k"
                if not pathlib.Path(f"{name}.h5").exists():
                    pathlib.Path(f"{name}.yaml").write_text(
                        f"{{state: {heavy_start(field, kind, options(a, backend))}, replicate: {list(copies)}, "
                        "temperature: 303, seed: 2}\n")
                    rates.need("build", f"{name}.yaml", "-o", f"{name}.h5")
                status, text, record = rates.run(f"{name}.h5", "step", options(a, backend), {
                    "run.dt": dt, "run.steps": a.gpu_steps // 10, "neighbor.skin": "auto", **rates.thermostat(0.5)})
                rows.append([f"{field}, {dt * 1000:g} fs, {FIELDS[kind]}",
                             *((record["beads"], f"{record['ms_per_step']:.4f}",
                                number(86.4 * dt / record["ms_per_step"] * 1000)) if not status else ("", text[-100:], ""))])
        paper.table(a, ["", "beads", "ms a step", "ns/day"], rows)


def precision(a):
    constant_energy(a, "Precision: NVE, 1 fs. Paper: intrinsics and fixed point change the energy by 104 to 112.4 %, fixed "
                    "point on the CPU alone by 31.3 %.", lambda _: a.nve_steps)


def pairs(a):
    script = pathlib.Path(rates.__file__).parent / "pairs.py"
    rows = []
    for kind, kinds in PAIRS.items():
        found = {}
        for skin in ("0", "0.2"):
            done = subprocess.run([sys.executable, script, state(a, kind, a.size), skin, *kinds], capture_output=True,
                                  text=True, check=True).stdout
            found[skin] = [int(line.rsplit(": ", 1)[1].split()[0]) for line in done.splitlines()]
        all_inside = sum(found["0"][1:])
        for (entry, name), inside, listed in zip(kinds.items(), found["0"], found["0.2"]):
            share = "" if "sticky" in name else f"{100 * inside / all_inside:.1f}"
            rows.append([FIELDS[kind], name, entry.split(":")[0], inside, listed, f"{100 * inside / listed:.1f}", share])
    paper.show(a, "Figure 12: pairs, each counted from both beads; lists with a skin of 0.2 nm. The paper has 23 ways through "
               "the force code, with 100 to 3.36 % (water) and 76.53 to 0.27 % (lipids) of the pairs inside the cutoff. "
               "Share: of all pairs inside a cutoff; sticky pairs are among those of water, too.", "")
    paper.table(a, ["", "pairs", "cutoff, nm", "inside it", "in the list", "inside, %", "share, %"], rows)


def capacity(a):
    rows = []
    for kind in "ac":
        for backend in a.backend:
            record = run(a, "capacity", kind, backend, "mixed", 20, a.all[-1], **{"neighbor.skin": 0.2})
            rows.append([FIELDS[kind], backend, record["beads"], f"{record['bytes_per_bead']:.0f}",
                         f"{a.memory * 1e3 / record['bytes_per_bead']:.1f}" if backend == "cuda" else ""])
    paper.show(a, f"Capacity, mixed precision; beads in {a.memory:g} x 10^9 bytes. Paper, GTX295 / GTX480 / C2050: water 0.475 "
               "/ 0.814 / 1.63, lipids 0.211 / 0.363 / 0.726 million, 1.9 and 4.2 kB a bead (derived).", "")
    paper.table(a, ["", "", "beads", "bytes a bead", "million beads that fit"], rows)


PARTS = {"shares": shares, "core": core, "rates": speed, "few": few, "steps": steps, "accuracy": accuracy, "nve": nve, "species": species,
         "timestep": timestep, "heavy": heavy, "precision": precision, "pairs": pairs, "capacity": capacity}


def main():
    p = paper.parser(__doc__, "shkurti2013", list(PARTS))
    p.add_argument("--size", default="23k", choices=list(rates.SIZES), help="of all parts but rates [%(default)s]")
    p.add_argument("--waters", nargs="+", type=int, default=[840, 1710, 3420, 6840, 13680, 27360], help="of few %(default)s")
    p.add_argument("--cpu-steps", type=int, default=200, help="[%(default)s]")
    p.add_argument("--gpu-steps", type=int, default=20000, help="[%(default)s]")
    p.add_argument("--nve-steps", type=int, default=10000, help="of precision [%(default)s]")
    p.add_argument("--memory", type=float, default=150.7, help="of one GPU, 10^9 bytes [%(default)s]")
    p.add_argument("--long", type=int, default=1000000, help="steps of species [%(default)s]")
    p.add_argument("--settle", type=int, default=2000000, help="steps of 4 fs before them [%(default)s]")
    p.add_argument("--ranks", type=int, default=1, help="of each ensemble of species on the CPU [%(default)s]")
    p.add_argument("--cpu-precision", nargs="+", choices=("mixed", "double"), default=["double"], help="of species [%(default)s]")
    p.add_argument("--limit", type=float, default=1e6, help="seconds of a run of species [%(default)g]")
    p.add_argument("--step-size", default="80k", choices=list(rates.SIZES), help="of timestep [%(default)s]")
    p.add_argument("--prepare", action="store_true", help="timestep makes its boxes only; species its start")
    p.add_argument("--heavy", type=float, default=10000, help="ps of each run of heavy [%(default)s]")
    p.add_argument("--relax", type=int, default=20000, help="steps of 2 fs of the small boxes [%(default)s]")
    p.add_argument("--mix", type=int, default=1000, help="steps of 2 fs of the copies [%(default)s]")
    a = paper.start(p)
    a.all = [a.size] if a.size != "23k" else ["23k", "100k", "219k"]
    if a.sizes == "small":
        a.step_size = "3k"
        a.size, a.all, a.relax, a.mix, a.nve_steps = "3k", ["3k"], 1000, 200, min(a.nve_steps, 1000)
        a.waters = [840]
        a.long, a.settle, a.heavy, a.gpu_steps = 1000, 500, 2, 200
    rates.LAMELLA = kernels.LAMELLA = os.environ["LAMELLA"]
    paper.machine(a)
    for part in a.part or PARTS:
        PARTS[part](a)
    paper.end(a, "shkurti2013")


if __name__ == "__main__":
    main()
