#!/usr/bin/env python3
"""rates.py [--part compare|step] [options]: what heterogeneous beads cost.

compare  million bead-steps/s of (a) SSD water with the force field `ssd`, (b) the same water with the complete
         force field `brahms`, (c) a DOPC bilayer in SSD water with `brahms`, at several sizes; NVE, 4 fs (--dt). The
         comparison of the water-only with the complete version of Shkurti et al., J. Comput. Chem. 34, 803 (2013).
step     milliseconds a step of (a) and (c) at about 80,000 beads, NVT, at 1, 4, 10 and 20 fs, with the number of
         steps between list builds and what becomes of the temperature: Figure 10 of the same paper.

Prints Markdown; --json FILE keeps everything. Environment: LAMELLA (the program), LAMELLA_FORCEFIELDS, MPIEXEC."""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess

LAMELLA = os.environ.get("LAMELLA", "lamella")
KINDS = {"a": "SSD water, force field ssd", "b": "SSD water, force field brahms", "c": "DOPC in SSD water"}
# Beads asked for: copies of the water box of WATERS molecules, and copies in plane of the bilayer of 6144 beads.
WATERS = 3420
SIZES = {"23k": ((2, 2, 2), (2, 2)), "80k": ((4, 3, 2), (4, 3)), "100k": ((4, 4, 2), (4, 4)),
         "219k": ((4, 4, 4), (6, 6)), "1M": ((7, 7, 6), (13, 13)), "3k": ((1, 1, 1), (1, 1))}
BASE = {
    "a": "{{forcefield: ssd, seed: 1, temperature: 303, water: {{count: {n}, density: 997, molecule: WATER}}, "
         "minimise: {{max_steps: 200, force: 500}}}}",
    "b": "{{forcefield: brahms, seed: 1, temperature: 303, water: {{count: {n}, density: 997, molecule: WATER}}, "
         "minimise: {{max_steps: 200, force: 500}}}}",
    "c": "{{forcefield: brahms, seed: 1, temperature: 303, bilayer: {{upper: {{DOPC: 64}}, lower: {{DOPC: 64}}, "
         "area_per_lipid: 0.70, water_per_lipid: 33}}, minimise: {{max_steps: 1000, force: 1000}}}}",
}


def lamella(*arguments, ranks=1):
    launcher = os.environ.get("MPIEXEC", "mpiexec").split() + ["-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run(launcher + [LAMELLA, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def need(*arguments, ranks=1):
    status, text = lamella(*arguments, ranks=ranks)
    if status:
        raise SystemExit(f"lamella {' '.join(arguments)}: status {status}\n{text[-2000:]}")


def run(state, prefix, options, settings, ranks=1):
    """Status and performance record of a run."""
    path = pathlib.Path(f"{prefix}.yaml")
    path.write_text(f"{{input: {state}, restart: never}}\n")
    for old in pathlib.Path(".").glob(f"{prefix}.*"):
        if old != path:
            old.unlink()
    flags = {"parallel.backend": options.backend, "output.prefix": prefix, "output.checkpoint_every": 0,
             "output.energies_every": 0, "run.precision": options.precision, **settings}
    words = (w for k, v in flags.items() for w in ("-s", f"{k}={v}"))
    status, text = lamella("run", str(path), *words, ranks=ranks)
    record = pathlib.Path(f"{prefix}.performance.json")
    return status, text, json.loads(record.read_text()) if record.exists() and not status else {}


def thermostat(tau=0.5):
    return {"thermostat.type": "bussi", "thermostat.temperature": 303, "thermostat.tau": tau}


def base(kind, options, waters=WATERS):
    """The small box of a kind, relaxed; with water alone of so many molecules."""
    name = f"base-{kind}" if waters == WATERS else f"base-{kind}-{waters}"
    if pathlib.Path(f"{name}.h5").exists():
        return f"{name}.h5"
    pathlib.Path(f"{name}-build.yaml").write_text(BASE[kind].format(n=waters))
    need("build", f"{name}-build.yaml", "-o", f"{name}-start.h5")
    state = f"{name}-start.h5"
    for k, (dt, steps) in enumerate(((0.0005, 2000), (0.002, options.relax))):
        settings = {"run.dt": dt, "run.steps": steps, "output.checkpoint_every": steps, "thermostat.type": "langevin",
                    "thermostat.temperature": 303, "thermostat.tau": 0.2}
        status, text, _ = run(state, f"{name}-{k}", options, settings)
        if status:
            raise SystemExit(text)
        state = f"{name}-{k}.checkpoint.h5"
    os.rename(state, f"{name}.h5")
    return f"{name}.h5"


def system(kind, size, options):
    """A replicated system whose copies have forgotten each other."""
    name = f"{kind}-{size}"
    if pathlib.Path(f"{name}.h5").exists():
        return f"{name}.h5"
    copies = SIZES[size][0] if kind in "ab" else (*SIZES[size][1], 1)
    pathlib.Path(f"{name}-build.yaml").write_text(
        f"{{state: {base(kind, options)}, replicate: {list(copies)}, temperature: 303, seed: 2}}\n")
    need("build", f"{name}-build.yaml", "-o", f"{name}-start.h5")
    settings = {"run.dt": 0.002, "run.steps": options.mix, "output.checkpoint_every": options.mix, **thermostat(0.05)}
    status, text, _ = run(f"{name}-start.h5", f"{name}-mix", options, settings)
    if status:
        raise SystemExit(text)
    os.rename(f"{name}-mix.checkpoint.h5", f"{name}.h5")
    os.remove(f"{name}-start.h5")
    return f"{name}.h5"


def rate(record):
    return record["without_output"]


def compare(options, results):
    print("| size | system | beads | million bead-steps/s | ms/step | steps a list | force | move | lists, ms/step |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in options.sizes:
        for kind in options.kinds:
            state = system(kind, size, options)
            steps = options.steps
            records = []
            for k in range(options.repeat):
                status, text, record = run(state, f"time-{kind}-{size}", options,
                                           {"run.dt": options.dt, "run.steps": steps, "neighbor.skin": options.skin},
                                           options.ranks)
                if status:
                    raise SystemExit(text)
                records.append(record)
            records.sort(key=rate)
            middle = records[len(records) // 2]
            phases = {k: v["mean"] / middle["steps"] * 1e3 for k, v in middle["phases_s"].items()}
            print(f"| {size} | ({kind}) {KINDS[kind]} | {middle['beads']} | "
                  f"{statistics.median(map(rate, records)):.1f} "
                  f"({rate(records[0]):.1f} to {rate(records[-1]):.1f}) | {middle['ms_per_step']:.4f} | "
                  f"{middle['steps_per_build']:.1f} | {phases['force']:.4f} | {phases['move']:.4f} | "
                  f"{phases['build']:.4f} |", flush=True)
            results.append({"part": "compare", "size": size, "kind": kind, "records": records})


def last_temperature(prefix):
    path = pathlib.Path(f"{prefix}.csv")
    if not path.exists():
        return "-"
    rows = list(csv.DictReader(path.open()))
    return f"{float(rows[-1]['temperature_translation_K']):.1f} / {float(rows[-1]['temperature_rotation_K']):.1f}"


def step(options, results):
    print("| system | dt, fs | ms/step | million bead-steps/s | steps a list | skin, nm | "
          "T translation / rotation, K |")
    print("|---|---|---|---|---|---|---|")
    for kind in [k for k in options.kinds if k != "b"]:
        state = system(kind, "80k", options)
        for dt in (0.001, 0.004, 0.010, 0.020):
            settings = {"run.dt": dt, "run.steps": options.steps, "output.energies_every": options.steps // 4,
                        **thermostat(0.5)}
            status, text, record = run(state, f"step-{kind}", options, settings, options.ranks)
            if status:
                error = [line for line in text.splitlines() if "lamella:" in line]
                print(f"| ({kind}) {KINDS[kind]} | {dt * 1e3:g} | fails: {error[0][9:140] if error else text[-140:]} |")
                results.append({"part": "step", "kind": kind, "dt": dt, "failed": error})
                continue
            print(f"| ({kind}) {KINDS[kind]} | {dt * 1e3:g} | {record['ms_per_step']:.4f} | {rate(record):.1f} | "
                  f"{record['steps_per_build']:.1f} | {record['skin_nm']:.3f} | {last_temperature(f'step-{kind}')} |",
                  flush=True)
            results.append({"part": "step", "kind": kind, "dt": dt, "record": record})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("compare", "step"), default="compare")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--precision", default="mixed")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--sizes", nargs="+", default=["23k", "100k", "219k", "1M"], choices=list(SIZES))
    parser.add_argument("--kinds", nargs="+", default=["a", "b", "c"], choices=list(KINDS))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dt", type=float, default=0.004, help="time step of compare, ps")
    parser.add_argument("--skin", default="0.2", help="neighbor.skin of compare, nm, or auto")
    parser.add_argument("--relax", type=int, default=20000, help="steps of 2 fs of the small boxes")
    parser.add_argument("--mix", type=int, default=1000, help="steps of 2 fs of the replicated systems")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    (compare if options.part == "compare" else step)(options, results)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results))


if __name__ == "__main__":
    main()
