#!/usr/bin/env python3
"""variants.py: the force kernel of soft sticky dipole water in several kinds of arithmetic, and with coefficients and
records in several kinds of memory, as in Shkurti, Orsi, Macii, Ficarra and Acquaviva, J. Comput. Chem. 34, 803 (2013).

    bench/papers/variants.py --compile-only DIR [--nvcc nvcc] [--arch sm_90]
    bench/papers/variants.py [--program DIR/variants] [--backend cuda] [--size 23k] [--frames 20] -o FOLDER
    bench/papers/variants.py --host --backend cpu --size 3k -o FOLDER
    bench/papers/variants.py --run 10000 [--program DIR/variants] [--size 23k] -o FOLDER

It relaxes SSD water (force field `ssd`), runs NVE with 1 fs, keeps --frames states that are --steps steps apart, asks
lamella energy for their energies and forces in double precision, writes all to FOLDER/frames.bin, and runs the program
`variants` (compiled from variants*.cu beside this file, unless --program names it). The kernels call the pair terms of
src/pair; `variants` ends with status 1 if the energy, the sum of squared forces or that of squared torques in double
precision differs from that of lamella energy by more than 1e-6 of it.

--run: from the first frame, NVE with 1 fs and the forces of each kind of arithmetic, one process each, all at a time. The
beads are moved on the host in double by the program's integrator, so that only forces differ. Energies are sampled with
every list.

--compile-only needs nvcc and this source tree, and no GPU. --host computes the energies on one core instead, without
times. In steps, where the machine with the GPU has no Python, HDF5 or MPI:

    bench/papers/variants.py --compile-only DIR
    bench/papers/variants.py --frames-only --backend cpu -o FOLDER
    DIR/variants FOLDER/frames.bin >variants.json        # on the machine with the GPU; needs these two files
    bench/papers/variants.py --report variants.json -o FOLDER
    DIR/variants FOLDER/frames.bin --run 10000 --every 30 --skin 0.15 --variant NAME >>run.json     # of each variant
    bench/papers/variants.py --run-report run.json -o FOLDER

Prints Markdown, and writes it to FOLDER/variants.md, with the numbers in FOLDER/variants.json."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import yaml

import paper

import rates

HERE = pathlib.Path(__file__).resolve().parent
EXACT = ["-fmad=false", "-ftz=true"]
# Name, flags of nvcc, what it is.
VARIANTS = [
    ("double", EXACT + ["-DREAL_DOUBLE"], "double"),
    ("mixed", EXACT, "mixed: pairs and sums of a bead in float, 1/sqrt by rsqrt.approx, fused where formulas say so"),
    ("fast", ["-use_fast_math"], "mixed with -use_fast_math: other products and sums are fused too, approximate functions"),
    ("rounded", EXACT + ["-DROUNDED"], "mixed with __fadd_rn, __fmul_rn, __fdiv_rn and __fsqrt_rn, as in the paper"),
    ("sums", EXACT + ["-DINTEGER_SUMS"], "mixed; force, torque and energy of each pair to 64-bit integers, 2^-32"),
    ("fixed64", EXACT + ["-DFIXED_BITS=64", "-DFIXED_PLACES=32"], "all but 1/sqrt in 64-bit integers, 2^-32"),
    ("fixed32", EXACT + ["-DFIXED_BITS=32", "-DFIXED_PLACES=15"], "all but 1/sqrt in 32-bit integers, 2^-15"),
]


def compile_program(a, folder):
    """The program in a folder."""
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    common = [a.nvcc, "-gencode", f"arch={a.arch.replace('sm', 'compute')},code={a.arch}", "-std=c++17", "-O3",
              "-Xcompiler", "-ffp-contract=off,-Wall,-Wextra", f"-I{paper.TOP}/src", f"-I{paper.TOP}",
              f"-I{HERE}"]
    jobs = [(name, [f"-DVARIANT={name}", *flags, str(HERE / "variants.cu")]) for name, flags, _ in VARIANTS]
    jobs += [(name, [str(HERE / f"variants_{name}.cu")]) for name in ("frames", "run", "main")]
    objects = [str(folder / f"{name}.o") for name, _ in jobs]
    links = [([*words, "-c"], out) for (_, words), out in zip(jobs, objects)] + [(objects, str(folder / "variants"))]
    for words, out in links:
        try:
            status = subprocess.run([*common, *words, "-o", out], check=False).returncode
        except OSError as error:
            sys.exit(f"{error}: --nvcc names the compiler")
        if status:
            sys.exit(f"{out}: {a.nvcc} ends with status {status}")
    return folder / "variants"


def water(text):
    """The numbers of struct water_model from the text of the force field."""
    field = yaml.safe_load(text)
    pair = field["pair"]
    (one, two, lj), = pair["table"]
    (_, _, sticky), = pair["sticky"]
    if len(field["types"]) != 1 or one != two or pair["lj"]["truncation"] != "switch" or (
            pair["electrostatics"] != {"truncation": "switch"}):
        sys.exit("the kernels know the force field ssd only")
    kind = field["types"][one]
    return [field["cutoff"], pair["switch_from"], lj["epsilon"], lj["sigma"], kind["dipole"], sticky["v0"],
            sticky.get("v0_prime", sticky["v0"]), sticky["w0"], *sticky["switch"], *sticky["switch_prime"],
            kind["mass"], *kind["inertia"]]


def axes(q):
    """Body z and body x of unit quaternions, scalar first, that turn the body into the laboratory."""
    w, x, y, z = q.T
    return (np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z], 1),
            np.stack([w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)], 1))


def reference(a, path):
    """Potential energy, sum of squared forces and sum of squared torques, in double precision."""
    words = [os.environ["LAMELLA"], "energy", path, "--format=json", "--precision=double", f"--backend={a.backend}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    return [found[k] for k in ("potential", "sum_force2", "sum_torque2")]


def states(a):
    """Names of states of an NVE run, --steps steps of 1 fs apart."""
    options = type("Options", (), {**vars(a), "precision": "mixed", "ranks": 1, "kinds": ["a"]})
    state = rates.system("a", a.size, options)
    for k in range(a.frames):
        status, text, _ = rates.run(state, f"frame{k}", options, {
            "run.dt": 0.001, "run.steps": a.steps, "output.checkpoint_every": a.steps})
        if status:
            sys.exit(text)
        state = f"frame{k}.checkpoint.h5"
        yield state


def frames(a):
    """frames.bin: struct frames_head and what follows it, variants.h."""
    with open("frames.bin", "wb") as out:
        head = None
        for path in states(a):
            with h5py.File(path) as file:
                x, q = file["beads/position"][:], file["beads/orientation"][:]
                box, text = file["system/box"][:], file["forcefield/text"][0].decode()
            if head is None:
                head = box
                out.write(b"variants" + np.array([len(x), a.frames], "<i8").tobytes() + box.astype("<f8").tobytes() +
                          np.array(water(text), "<f8").tobytes())
            if (box != head).any():
                sys.exit(f"{path}: the box has changed")
            out.write(np.array(reference(a, path), "<f8").tobytes() + x.astype("<i4").tobytes())
            for axis in axes(q):
                out.write(axis.astype("<f8").tobytes())


def percent(value, of):
    return f"{100 * (value / of - 1):+.2g}"


def arithmetic(a, found):
    beads = found["beads"]
    double = found["variants"][0]
    mean = {v["name"]: np.mean(v["energies"]) / beads for v in found["variants"]}
    rows = []
    for (name, _, text), v in zip(VARIANTS, found["variants"]):
        times = [""] * 4
        if "us" in v:
            times = [f"{v['us'][0]:.1f}", f"{beads / v['us'][0]:.0f}", f"{beads / v['us_with_energies']:.0f}",
                     f"{double['us'][0] / v['us'][0]:.2f}"]
        rows.append([name, text, *times, f"{mean[name]:.6f}", percent(mean[name], mean["double"]),
                     f"{v['force_error']:.1e}", f"{v['torque_error']:.1e}"])
    first, second = found["candidates"]
    how = ("Times: both passes on the first frame, without list builds and integration; median of samples of 50 "
           "launches (a graph), by GPU events; coefficients in shared memory, records by __ldg." if found["gpu"] else
           "On one core, where `fast` and `rounded` are `mixed` with 1 / sqrtf: their intrinsics are those of GPUs.")
    paper.show(a, f"Arithmetic: {beads} beads of SSD water, {found['frames']} frames of NVE, {a.steps} steps of 1 fs "
               f"apart. Lists with a skin of {found['skin']:g} nm: {first:.1f} candidates a bead for Lennard-Jones and "
               f"dipoles, {second:.1f} for the sticky term, each pair from both beads. {how} Energy: mean over the "
               "frames. Errors: root mean square of the difference from double over that of the forces (torques) in double, "
               "first frame. Paper: fixed point and intrinsics change the total energy by 104 to 112.4 %.", "")
    paper.table(a, ["", "", "us", "million bead-steps/s", "with energies", "double / this",
                    "potential energy a bead, kJ/mol", "from double, %", "error of forces", "of torques"], rows)


def memories(a, found):
    best = min(m["us"][0] for m in found["memories"] if m["types"] == 1)
    rows = [[m["types"], m["coefficients"], m["records"], *(f"{t:.2f}" for t in m["us"]), f"{m['us'][0] / best:.3f}"]
            for m in found["memories"]]
    paper.show(a, "Memory: mixed precision without energies, microseconds. Coefficients: in global memory (plain "
               "loads), in constant memory, in shared memory (copied by each block), as a texture object. Records of position, "
               "type and axes: plain loads through L1, __ldg, texture objects (tex1Dfetch). Types: with more than one, "
               "the waters have types in turn, with equal coefficients, so that threads read different entries of the "
               "table. Forces are the same to the bit in all rows of a number of types.", "")
    paper.table(a, ["types", "coefficients", "records", "both passes", "Lennard-Jones and dipoles", "sticky",
                    "over the fastest of one type"], rows)


def run_all(a, program, frames_file):
    """What the runs of all variants print, one line each."""
    jobs = []
    for name, *_ in VARIANTS:
        words = [program, frames_file, "--run", str(a.run), "--every", str(a.every), "--skin", str(a.run_skin), "--variant",
                 name, *["--host"] * a.host]
        jobs.append((words, subprocess.Popen(words, stdout=subprocess.PIPE, text=True)))
    lines = []
    for words, job in jobs:
        lines.append(job.communicate()[0])
        if job.returncode:
            for _, other in jobs:
                other.kill()
            sys.exit(f"{' '.join(words)}: status {job.returncode}")
    return "".join(lines)


def dynamics(a, runs):
    rows = []
    mean = {r["name"]: np.mean(r["potential"]) for r in runs}
    for name, _, _ in VARIANTS:
        r, = (x for x in runs if x["name"] == name)
        beads, total = r["beads"], np.add(r["potential"], r["kinetic"]) / r["beads"]
        time = np.arange(len(total)) * r["every"] * r["dt"] * 1e-3
        drift = np.polyfit(time, total, 1)[0] if len(total) > 2 else np.nan
        rows.append([name, r["steps"] if r["whole"] else f"ends after {r['steps']}", f"{mean[name] / beads:.5f}",
                     percent(mean[name], mean["double"]), f"{total.mean():.6f}", f"{total.std():.2g}", f"{drift:.3g}",
                     f"{np.mean(r['temperature']):.1f}", f"{r['temperature'][-1]:.1f}"])
    r = runs[0]
    paper.show(a, f"Dynamics: {r['beads']} beads, NVE, {1e3 * r['dt']:g} fs, energies every {r['every']} steps, kJ/mol a "
               "bead. All start from the same positions and momenta.", "")
    paper.table(a, ["", "steps", "mean potential energy", "from double, %", "mean total energy", "its deviation",
                    "drift a ns", "mean temperature, K", "last"], rows)


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--lamella", help="the program [$LAMELLA, build/lamella, lamella of PATH]")
    p.add_argument("--nvcc", default="nvcc")
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--compile-only", metavar="DIR")
    p.add_argument("--program", help="compiled before")
    p.add_argument("--frames-only", action="store_true", help="stop after frames.bin")
    p.add_argument("--frames-file", metavar="FRAMES.BIN", help="made before, by the same options")
    p.add_argument("--report", metavar="VARIANTS.JSON", help="print the tables of what the program variants printed")
    p.add_argument("--run", type=int, default=0, metavar="STEPS")
    p.add_argument("--every", type=int, default=30, help="steps between lists with --run [%(default)s]")
    p.add_argument("--run-skin", type=float, default=0.15, help="of the lists with --run, nm [%(default)s]")
    p.add_argument("--run-report", metavar="RUN.JSON", help="print the table of what runs have printed")
    p.add_argument("--host", action="store_true")
    p.add_argument("--backend", choices=("cpu", "cuda"), default="cuda", help="makes the frames [%(default)s]")
    p.add_argument("--size", default="23k", choices=list(rates.SIZES))
    p.add_argument("--frames", type=int, default=20)
    p.add_argument("--steps", type=int, default=500, help="between frames [%(default)s]")
    p.add_argument("--relax", type=int, default=20000, help="steps of 2 fs of the small box [%(default)s]")
    p.add_argument("--mix", type=int, default=1000, help="steps of 2 fs of its copies [%(default)s]")
    p.add_argument("--skin", type=float, default=0.1, help="of the lists of the kernels, nm [%(default)s]")
    p.add_argument("--types", type=int, default=12, help="of the second table of memories [%(default)s]")
    p.add_argument("-o", "--folder", default="variants", help="where files go [%(default)s]")
    return p


def main():
    p = options()
    given = p.parse_args()
    if given.compile_only:
        print(compile_program(given, given.compile_only))
        return
    if given.lamella:
        os.environ["LAMELLA"] = os.path.abspath(given.lamella)
    program = given.program and os.path.abspath(given.program)
    measured = given.report and pathlib.Path(given.report).read_text(encoding="utf-8")
    runs = given.run_report and pathlib.Path(given.run_report).read_text(encoding="utf-8")
    made = given.frames_file and os.path.abspath(given.frames_file)
    a = paper.start(p)
    rates.LAMELLA = os.environ["LAMELLA"]
    if runs or a.run:
        if not runs:
            if not made:
                a.frames = 1
                frames(a)
            runs = run_all(a, program or str(compile_program(a, "program")), made or "frames.bin")
            pathlib.Path("run.json").write_text(runs, encoding="utf-8")
        paper.machine(a)
        dynamics(a, [json.loads(line) for line in runs.splitlines()])
        paper.end(a, "variants-run")
        return
    if not measured:
        if not made:
            frames(a)
        if a.frames_only:
            return
        words = [program or str(compile_program(a, "program")), made or "frames.bin", "--skin", str(a.skin), "--types",
                 str(a.types)]
        done = subprocess.run([*words, *["--host"] * a.host], stdout=subprocess.PIPE, text=True, check=False)
        measured = done.stdout
        if done.returncode:
            sys.exit(f"{' '.join(words)}: status {done.returncode}")
    pathlib.Path("variants.json").write_text(measured, encoding="utf-8")
    found = json.loads(measured)
    paper.machine(a)
    paper.show(a, f"GPU of the times: {found['gpu']}", "") if found["gpu"] else None
    arithmetic(a, found)
    if "memories" in found:
        memories(a, found)
    paper.end(a, "variants")


if __name__ == "__main__":
    main()
