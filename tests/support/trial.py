"""What tests of whole runs share: start states, runs in a folder, and what they leave there."""
import contextlib
import csv
import fcntl
import hashlib
import os
import re
import shutil

import h5py
import numpy as np

from run_lamella import LAMELLA, read, run, skip, write

MEMBRANE = """
forcefield: elba
seed: 3
temperature: 303
bilayer:
  upper: {DOPC: 9, DMPC: 6}
  lower: {DOPE: 8, POPC: 7}
  water_per_lipid: 12
  area_per_lipid: 0.66
replicate: [%d, 1, 1]
minimise: {max_steps: 300, force: 2000}
"""


def made(path, make, *parts):
    """make() leaves a file at path, which depends on the program and the parts (text or bytes) alone. It is
    made once in a build folder: later, and in other tests, the file is a copy."""
    program = os.stat(shutil.which(LAMELLA) or LAMELLA)
    key = hashlib.sha256(repr((program.st_mtime_ns, program.st_size, parts)).encode()).hexdigest()[:32]
    shared = os.path.join(os.environ.get("top_builddir", os.path.dirname(path)), "tests", "made")
    os.makedirs(shared, exist_ok=True)
    kept = os.path.join(shared, key + ".h5")
    with open(os.path.join(shared, key + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one test makes it while the others that want it wait
        if os.path.exists(kept):
            shutil.copy(kept, path)
            return
        make()
        for name in os.listdir(shared):  # of programs that were here before
            old = os.path.join(shared, name)
            with contextlib.suppress(FileNotFoundError):
                if os.stat(old).st_mtime_ns < program.st_mtime_ns:
                    os.remove(old)
        shutil.copy(path, kept + ".tmp")
        os.replace(kept + ".tmp", kept)


def build(folder, name, spec):
    """The state file of a SPEC.yaml given as text; made once of the same text and force field."""
    source, state = (os.path.join(folder, name + end) for end in (".yaml", ".h5"))
    write(source, spec)
    named = re.search(r"(?:forcefield|state): *([^\n,}]+)", spec)[1].strip()
    if not os.path.exists(named):
        named = os.path.join(os.environ["LAMELLA_FORCEFIELDS"], named + ".yaml")
    with open(named, "rb") as file:
        made(state, lambda: run("build", source, "-o", state), spec.replace(folder, ""), file.read())
    return state


def warm(folder, name, start, settings):
    """The last state of a run from a state file; made once of the same start and settings."""
    with open(start, "rb") as file:
        made(checkpoint(folder, name), lambda: simulate(folder, name, {"input": start, **settings}),
             file.read(), sorted(settings.items()))
    return checkpoint(folder, name)


def simulate(folder, prefix, settings, restart="never", **how):
    """Runs in the folder with settings {"section.key": value}; what lamella said."""
    write(os.path.join(folder, prefix + ".yaml"), "output: {prefix: %s}\n" % prefix)
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    return run("run", prefix + ".yaml", "--restart=" + restart, *sets, cwd=folder, **how).stderr


def checkpoint(folder, prefix):
    return os.path.join(folder, prefix + ".checkpoint.h5")


def same_states(checks, folder, settings, numbers, steps, what):
    """Checks that a run ends in the same state on so many ranks, of which the first is 1, and in two jobs: so many steps
    on one rank, the others on two. Leaves on1, on2, ... and parts."""
    for ranks in numbers:
        simulate(folder, f"on{ranks}", settings, ranks=ranks)
        wrong = differences(checkpoint(folder, "on1"), checkpoint(folder, f"on{ranks}"))
        checks.true(f"{what}: the state on {ranks} ranks", not wrong, wrong)
    simulate(folder, "parts", {**settings, "run.steps": steps})
    simulate(folder, "parts", settings, restart="auto", ranks=2)
    wrong = differences(checkpoint(folder, "on1"), checkpoint(folder, "parts"))
    checks.true(f"{what}: the state after two jobs", not wrong, wrong)


def builds(path):
    """How often a run built its neighbour lists."""
    with h5py.File(path, "r") as file:
        return int(file["counters/builds"][()].item())


def thin_skins(checks, folder, settings, what):
    """Checks that a run of 40 steps whose lists expire every few steps ends in the same state on any number of ranks, and on
    one with graphs and without. Leaves on1, on2, on3 and alone."""
    case = {**settings, "run.steps": 40, "neighbor.skin": 0.03}
    for name, graph, ranks in ("on1", "yes", 1), ("alone", "no", 1), ("on2", "yes", 2), ("on3", "yes", 3):
        simulate(folder, name, {**case, "parallel.graph": graph}, ranks=ranks)
        wrong = where_different(checkpoint(folder, "on1"), checkpoint(folder, name))
        checks.true(f"{what}, thin skin: the state {name}", not wrong, wrong)
    built = builds(checkpoint(folder, "on1"))
    checks.true(f"{what}: lists expire often", built >= 8, built)


def membrane(folder, copies=4):
    """A small membrane, long along x, warm and without overlaps: so many copies of a patch, on at most so many ranks."""
    name = f"membrane{copies}"
    return warm(folder, name, build(folder, name + "_start", MEMBRANE % copies),
                {"run.steps": 200, "run.dt": 0.005, "thermostat.type": "langevin", "thermostat.tau": 0.2})


def liquid(folder, name, cells, density, temperature, steps, forcefield="lj"):
    """A Lennard-Jones liquid in reduced units, molten by Langevin dynamics."""
    spec = ("forcefield: %s\nseed: 5\ntemperature: %g\n"
            "lattice: {type: fcc, cells: [%d, %d, %d], density: %g}\n")
    start = build(folder, name, spec % (forcefield, 2 * temperature, *cells, density))
    return warm(folder, name, start, {"run.steps": steps, "run.dt": 0.004, "thermostat.type": "langevin",
                                      "thermostat.temperature": temperature})


def skip_without(backend, state):
    """Skips the test where the backend cannot compute the energy of a state."""
    probe = run("energy", state, "--backend=" + backend, status=None)
    if probe.returncode:
        skip("no GPU: " + probe.stderr.strip())


def enlarge(path, factors):
    """Puts vacuum around what is in a state file: each edge becomes factor times as long."""
    with h5py.File(path, "r+") as file:
        words = file["beads/position"][:].view(np.uint32).astype(np.uint64) << np.uint64(32)
        words |= file["beads/residual"][:].astype(np.uint64)
        words //= np.asarray(factors, np.uint64)
        file["beads/position"][:] = (words >> np.uint64(32)).astype(np.uint32).view(np.int32)
        file["beads/residual"][:] = words.astype(np.uint32)
        file["beads/build_position"][:] = file["beads/position"][:]
        file["system/box"][:] = file["system/box"][:] * factors


def datasets(path, leave_out=("run/text", "run/input", "run/history", "run/energies")):
    """Every dataset of an HDF5 file as (type, bytes)."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and name not in leave_out:
            value = item[()]
            if item.dtype.kind == "O":
                found[name] = value
            else:
                value = np.asarray(value)
                found[name] = (value.dtype.str, value.shape, value.tobytes())

    with h5py.File(path, "r") as file:
        file.visititems(keep)
    return found


def differences(first, second):
    """Names of the datasets that differ between two HDF5 files."""
    a, b = datasets(first), datasets(second)
    return sorted(name for name in {*a, *b} if a.get(name) != b.get(name))


def where_different(first, second):
    """Of each dataset that differs between two HDF5 files: how many rows do, and the first of them in both; rows are numbered
    from 1, as beads are."""
    found = []
    with h5py.File(first, "r") as a, h5py.File(second, "r") as b:
        for name in differences(first, second):
            if name not in a or name not in b or a[name].shape != b[name].shape:
                found.append(f"{name}: not of one shape")
                continue
            x, y = np.atleast_1d(a[name][()]), np.atleast_1d(b[name][()])
            rows = np.flatnonzero((x != y).reshape(len(x), -1).any(1))
            k = rows[0] if len(rows) else 0
            found.append(f"{name}: {len(rows)} of {len(x)}, first row {k + 1}: {x[k].tolist()} {y[k].tolist()}, others {rows[1:8] + 1}")
    return found


def columns(folder, prefix):
    """The energies of a run: {column: array}."""
    with open(os.path.join(folder, prefix + ".csv")) as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}


def vectors(path):
    """The box vectors of a state file, as rows, nm."""
    with h5py.File(path, "r") as file:
        rows = np.diag(file["system/box"][:])
        if "system/tilt" in file:
            rows[1, 0], rows[2, 0], rows[2, 1] = file["system/tilt"][:]
    return rows


def positions(path):
    """Of the beads of a state file, unwrapped, in nm."""
    rows = vectors(path)
    with h5py.File(path, "r") as file:
        words = file["beads/position"][:].view(np.uint32) + file["beads/residual"][:] / 2.0**32
        return (words / 2.0**32 + file["beads/image"][:]) @ rows


def place(path, box, positions):
    """Puts the beads of a state file elsewhere: positions in nm, 64-bit fractions of the box."""
    with h5py.File(path, "r+") as file:
        scaled = np.mod(np.asarray(positions) / box, 1.0) * 2.0**32
        whole = np.floor(scaled)
        file["system/box"][:] = box
        file["beads/position"][:] = whole.astype(np.uint64).astype(np.uint32).view(np.int32)
        file["beads/residual"][:] = ((scaled - whole) * 2.0**32).astype(np.uint64).astype(np.uint32)
        file["beads/image"][:] = 0
        file["neighbor_list/step"][...] = -1


def field(folder, name, source, *changes):
    """A force field of ours with patterns in its text replaced."""
    text = read(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], source))
    for pattern, new in changes:
        text, times = re.subn(pattern, new, text)
        assert times, pattern
    path = os.path.join(folder, "field_" + name + ".yaml")
    return write(path, text)
