"""What the programs of this folder share: running lamella, reading its files, errors of means, tables.

The program is $LAMELLA, else build/lamella of this tree, else lamella of PATH. Force fields are looked up in
$LAMELLA_FORCEFIELDS, else in forcefields/ of this tree. Needs numpy and h5py."""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

TOP = pathlib.Path(__file__).resolve().parents[2]
BOLTZMANN = 0.00831446261815324  # kJ/(mol K)
BAR = 16.605390672               # bar per kJ/(mol nm3)
KCAL = 4.184                     # kJ
DENSITY = 1.66053907e-3          # g/cm3 per amu/nm3


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- running

def program():
    """Path of lamella."""
    built = TOP / "build" / "lamella"
    return os.environ.get("LAMELLA") or (str(built) if built.exists() else "lamella")


def environment():
    return {"LAMELLA_FORCEFIELDS": str(TOP / "forcefields"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **os.environ}


def lamella(*arguments, folder=".", ranks=1, timeout=None):
    """Run it in a folder; its standard output. A failure ends this program with what lamella said."""
    command = [program(), *map(str, arguments)]
    if ranks > 1:
        command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(ranks), *command]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}\n{done.stderr[-4000:]}")
    return done.stdout


def write_input(path, values):
    """A run file or building spec from nested dictionaries: JSON is YAML."""
    pathlib.Path(path).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def build(folder, name, spec):
    """NAME.h5 from a building spec; the name of the state file."""
    write_input(f"{folder}/{name}.build.yaml", spec)
    lamella("build", f"{name}.build.yaml", "-o", f"{name}.h5", folder=folder)
    return f"{name}.h5"


def run(a, folder, name, values):
    """One run with the prefix NAME from its beginning, with the backend, precision and ranks of the options a.
    Its checkpoint, and the contents of NAME.performance.json."""
    values = {"restart": "never", **values, "run": {"precision": a.precision, **values["run"]},
              "parallel": {"backend": a.backend, **values.get("parallel", {})},
              "output": {"checkpoint_every": 0, **values.get("output", {}), "prefix": name}}
    write_input(f"{folder}/{name}.yaml", values)
    lamella("run", f"{name}.yaml", folder=folder, ranks=a.ranks)
    report = json.loads(pathlib.Path(f"{folder}/{name}.performance.json").read_text(encoding="utf-8"))
    say(f"  {name}: {report['steps']} steps, {report['seconds']:.1f} s, "
        f"{report['million_bead_steps_per_s']:.1f} M bead-steps/s")
    return f"{name}.checkpoint.h5", report


# ---------------------------------------------------------------- files

def read_csv(path):
    """Columns of PREFIX.csv as arrays, by name."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=float).reshape(-1, len(rows[0]))
    return dict(zip(rows[0], values.T))


def read_words(path):
    """Rows of a table of an observable, as dictionaries, by their label."""
    with open(path, newline="", encoding="utf-8") as file:
        return {row["label"]: row for row in csv.DictReader(file)}


class Trajectory:
    """PREFIX.h5md with PREFIX.psf: frames, or a part of them, as arrays."""

    def __init__(self, prefix):
        self.file = h5py.File(f"{prefix}.h5md", "r")
        self.group = self.file["particles/trajectory"]
        self.time = self.group["position/time"][:]
        self.edges = self.group["box/edges/value"][:].diagonal(axis1=1, axis2=2).astype(float)
        self.mass = self.group["mass"][:].astype(float)
        self.frames, self.beads = self.group["position/value"].shape[:2]
        self.type, self.molecule = self.read_psf(f"{prefix}.psf")

    @staticmethod
    def read_psf(path):
        """Names of types, and numbers of residues, of all beads."""
        with open(path, encoding="utf-8") as file:
            lines = iter(file)
            n = next(int(line.split()[0]) for line in lines if "!NATOM" in line)
            rows = [next(lines).split() for _ in range(n)]
        return np.array([row[5] for row in rows]), np.array([int(row[2]) for row in rows])

    def value(self, element, frames=slice(None), beads=slice(None)):
        data = self.group[element + "/value"][frames]
        return data[..., beads, :]

    def unwrapped(self, frames=slice(None), beads=slice(None)):
        edges = self.edges[frames]
        edges = edges[:, None, :] if edges.ndim == 2 else edges
        return self.value("position", frames, beads) + self.value("image", frames, beads) * edges


def body_z(quaternion):
    """The body z axes of quaternions (w, x, y, z) in the last dimension."""
    w, x, y, z = np.moveaxis(quaternion.astype(float), -1, 0)
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], -1)


# ---------------------------------------------------------------- statistics

def block(values, blocks=10):
    """Mean of a series and its standard error from the means of blocks in time."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2 * blocks:
        blocks = max(2, len(values) // 2)
    means = np.array([part.mean() for part in np.array_split(values, blocks)])
    return values.mean(), means.std(ddof=1) / np.sqrt(len(means))


def spread(parts):
    """Mean and standard error of values from independent parts."""
    parts = np.asarray(parts, dtype=float)
    return parts.mean(), parts.std(ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else np.nan


def drift(time, values, blocks=10):
    """Slope of a series by least squares, and its standard error from the scatter of means of blocks."""
    t = np.array([part.mean() for part in np.array_split(np.asarray(time, float), blocks)])
    v = np.array([part.mean() for part in np.array_split(np.asarray(values, float), blocks)])
    slope, offset = np.polyfit(t, v, 1)
    rest = v - slope * t - offset
    return slope, np.sqrt((rest**2).sum() / (len(t) - 2) / ((t - t.mean())**2).sum())


# ---------------------------------------------------------------- output

def number(mean, error=None, digits=2):
    """0.9961(12): the error in units of the last digit, with two digits of the error at least."""
    if mean is None or not np.isfinite(mean):
        return "-"
    if error is None or not np.isfinite(error) or error <= 0:
        return f"{mean:.{digits}f}"
    digits = max(0, int(np.ceil(-np.log10(error))) + (1 if error * 10**np.ceil(-np.log10(error)) < 2 else 0))
    scaled = round(error * 10**digits)
    return f"{mean:.{digits}f}({scaled if digits else round(error)})"


def table(head, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def write_json(path, values):
    def plain(value):
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)
    pathlib.Path(path).write_text(json.dumps(values, indent=1, default=plain) + "\n", encoding="utf-8")


def parser(text, folder):
    """The options that all programs have."""
    p = argparse.ArgumentParser(description=text, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--backend", choices=("auto", "cpu", "cuda"), default="auto")
    p.add_argument("--precision", choices=("mixed", "double"), default="mixed")
    p.add_argument("--ranks", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--small", action="store_true", help="a small and short trial, for a CPU")
    p.add_argument("-o", "--folder", default=folder, help="where files go [%(default)s]")
    p.add_argument("--keep", action="store_true", help="keep the trajectories")
    return p


def prepare(a):
    """The folder of the results, made."""
    path = pathlib.Path(a.folder)
    path.mkdir(parents=True, exist_ok=True)
    if not shutil.which(program()):
        sys.exit(f"no program {program()}: set LAMELLA")
    return path


def remove(folder, *names):
    """Delete trajectories, which are large."""
    for name in names:
        for path in pathlib.Path(folder).glob(f"{name}.h5md*"):
            path.unlink()
