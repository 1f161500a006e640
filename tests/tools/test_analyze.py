"""lamella analyze: the same results as the run whose frames it reads, for all kinds, ranks and time
steps; frames in unequal intervals, wrong options; and what runs begin and go on with."""
import os
import tempfile

from run_lamella import Checks, read, run, skip, write

try:
    import h5py
    import numpy as np

    import trial
except ImportError as missing:
    skip(str(missing))

BILAYER = """
forcefield: elba
seed: 3
temperature: 303
bilayer: {upper: {DOPC: 6, DOPE: 6}, lower: {DOPC: 7, DOPE: 5}, water_per_lipid: 18,
          area_per_lipid: 0.74}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 2000}
"""
EVERY = ["membrane", "density", "potential", "pressure", "order", "msd", "rotation", "undulation",
         "temperature", "leaflets"]
OBSERVE = ("observe=[{rdf: {every: 5, range: 1.2, pairs: [[P, P], [W, W]]}}, %s]" %
           ", ".join("{%s: {every: 5}}" % kind for kind in EVERY))
FEW = "observe=[{msd: {every: 5}}, {membrane: {every: 5}}]"
SETTINGS = {"run.dt": 0.005, "thermostat.type": "langevin", "thermostat.temperature": 320,
            "barostat.type": "crescale", "barostat.every": 5, "output.frames_every": 5}
checks = Checks()


def results(folder, prefix):
    """{name of a column: its values}, without errors and times."""
    found = {}

    def keep(name, item):
        if (isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and
                not name.endswith(("_error", "_time"))):
            found[name] = item[:]

    with h5py.File(os.path.join(folder, prefix + ".observables.h5"), "r") as file:
        file.visititems(keep)
    return found


def attribute(folder, prefix, observable, name):
    with h5py.File(os.path.join(folder, prefix + ".observables.h5"), "r") as file:
        return file[observable].attrs[name]


def run_more(folder, prefix, observe, settings, restart="never", **how):
    write(os.path.join(folder, prefix + ".yaml"), "output: {prefix: %s}\n" % prefix)
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    return run("run", prefix + ".yaml", "--restart=" + restart, "--set=" + observe, *sets,
               cwd=folder, **how)


def agree(folder, first, second, but=()):
    one, other = results(folder, first), results(folder, second)
    checks.true(f"{second}: columns", set(one) == set(other), set(one) ^ set(other))
    for name in sorted(set(one) & set(other)):
        if name in but:
            checks.true(f"{second}: {name} is unknown", np.isnan(other[name]).all(), other[name])
            continue
        scale = np.nanmax(np.abs(one[name])) if np.isfinite(one[name]).any() else 0
        # Frames have positions in single precision: a pair at the edge of a shell may be in the next one.
        allowed = 3e-3 if name.startswith("rdf/") else 1e-4
        near = np.isclose(one[name], other[name], rtol=0, atol=allowed * scale, equal_nan=True)
        checks.true(f"{second}: {name}", near.all(), one[name][~near][:3], other[name][~near][:3])


def same_frames(folder, start):
    run_more(folder, "all", OBSERVE, {**SETTINGS, "input": start, "run.steps": 40,
                                      "output.velocities": 1})
    turning = ["temperature/all/all"] + [f"temperature/{table}/rotation"
                                         for table in ("types", "molecules", "all")]
    for ranks in (1, 2):
        run("analyze", "all.h5md", "--set=" + OBSERVE, "-o", f"frames{ranks}", cwd=folder,
            ranks=ranks)
        agree(folder, "all", f"frames{ranks}", turning)
    wrong = trial.differences(*(os.path.join(folder, f"frames{ranks}.observables.h5")
                                for ranks in (1, 2)))
    checks.true("numbers of ranks", not wrong, wrong)
    run("analyze", "all.h5md", "--set=observe=[leaflets, {density: {every: 10}}]", "-o", "default", cwd=folder)
    taken = [attribute(folder, "default", kind, "samples") for kind in ("leaflets", "density")]
    checks.true("by default every frame", taken == [9, 5], taken)
    write(os.path.join(folder, "other.yaml"), "run: {dt: 0.02}\n")
    done = run("analyze", "all.h5md", "other.yaml", "--set=" + FEW, cwd=folder)
    checks.true("another time step", "instead of run.dt" in done.stderr, done.stderr)
    checks.close("interval of frames", float(attribute(folder, "all.analysis", "msd", "interval")),
                 0.025, 1e-9)


REFUSED = {
    "the run's own prefix": (["-o", "all"], "all.checkpoint.h5"),
    "no folder": (["-o", "nowhere/x"], "no folder 'nowhere'"),
    "first after last": (["--first=3", "--last=2"], "--first=3"),
    "frame 0": (["--first=0"], "--first=0"),
    "too many": (["--last=100"], "--last=100"),
    "a number beyond the last": (["--first=1e3"], "--first=1000"),
    "no frame is due": (["--set=observe=[{msd: {every: 9223372036854775807, from: 1}}]"], "every"),
    "no state": (["--state=nothing.h5"], "nothing.h5"),
    "a trajectory as state": (["--state=all.h5md"], "all.h5md"),
}


def refused(folder):
    for what, (words, says) in REFUSED.items():
        done = run("analyze", "all.h5md", *words, cwd=folder, status=None)
        checks.true(what, done.returncode in (2, 4) and says in done.stderr, done.returncode,
                    done.stderr[-300:])


def intervals(folder, start):
    """Frames whose interval changes between jobs; a time step that changes."""
    settings = {**SETTINGS, "input": start}
    run_more(folder, "gap", FEW, {**settings, "run.steps": 20})
    run_more(folder, "gap", FEW, {**settings, "run.steps": 60, "output.frames_every": 20}, "auto")
    checks.refused("unequal intervals", "'msd'", "analyze", "gap.h5md", "--set=" + FEW, cwd=folder)
    run("analyze", "gap.h5md", "--set=" + FEW, "--first=5", cwd=folder)
    checks.true("those that are equal", attribute(folder, "gap.analysis", "msd", "samples") == 3)
    other = {**settings, "run.steps": 80, "run.dt": 0.004}
    done = run_more(folder, "gap", FEW, other, "auto", status=2)
    for words in "equal intervals", "run.dt: it was 0.005 ps and is 0.004 ps", "msd: {name: msd_2}":
        checks.true("time step of a job: says " + words, words in done.stderr, done.stderr)
    anew = "observe=[{msd: {name: msd_2, every: 5}}, {membrane: {every: 5}}]"
    run_more(folder, "gap", anew, other, "auto")
    with h5py.File(os.path.join(folder, "gap.observables.h5"), "r") as file:
        about = {name: dict(file[name].attrs) for name in ("msd_2", "membrane")}
    checks.true("under another name it begins anew", about["msd_2"]["first_step"] == 65 and
                about["msd_2"]["samples"] == 4 and about["membrane"]["samples"] == 17, about)


def tables_in_the_way(folder):
    """Tables that cannot be written are found before any result is replaced."""
    def contents():
        found = {}
        for name in sorted(os.listdir(folder)):
            if name.startswith("whole.") and not name.endswith(".tmp"):
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
        return found

    words = ["analyze", "all.h5md", "-o", "whole"]
    run(*words, "--set=" + OBSERVE, "--last=5", cwd=folder)
    before = contents()
    os.mkdir(os.path.join(folder, "whole.order.bonds.csv.tmp"))
    checks.refused("a folder for a table", "is a directory", *words, "--set=" + OBSERVE, cwd=folder)
    checks.true("a folder for a table: nothing has changed", contents() == before)


def beginnings(folder):
    """A new run from a checkpoint has samples of its own; those of step 0 count once."""
    run_more(folder, "next", FEW, {**SETTINGS, "input": trial.checkpoint(folder, "all"),
                                   "run.steps": 0})
    checks.true("a new run", attribute(folder, "next", "membrane", "samples") == 1)
    run_more(folder, "other", FEW, {**SETTINGS, "run.steps": 10},
             trial.checkpoint(folder, "next"))
    checks.true("step 0", attribute(folder, "other", "membrane", "samples") == 3,
                attribute(folder, "other", "membrane", "samples"))
    done = run_more(folder, "names", "observe=[{density: {name: names}}]",
                    {"input": trial.checkpoint(folder, "all"), "run.steps": 0}, status=2)
    checks.true("the name of a list", "'names'" in done.stderr, done.stderr)


def names(folder):
    """Types with a '/' in their names."""
    field = trial.field(folder, "slash", "elba.yaml", (r"\bW\b", "W/1"))
    start = trial.build(folder, "slash", f"forcefield: {field}\nseed: 2\nwater: {{count: 760}}\n"
                        "minimise: {max_steps: 50, force: 5000}\n")
    run_more(folder, "slash", "observe=[density, {rdf: {pairs: [[W/1, W/1]], range: 1}}]",
             {"input": start, "run.steps": 0})
    found = results(folder, "slash")
    checks.true("a name with '/'", {"density/density/number_W_1", "rdf/W_1_W_1/g"} <= set(found),
                sorted(found))


def earlier_results(folder):
    """A new run under an old name moves the results of the old one to the backup."""
    settings = {"input": trial.checkpoint(folder, "all"), "run.steps": 0}
    run_more(folder, "kept", "observe=[membrane, {density: {name: across}}]", settings)
    table = read(os.path.join(folder, "kept.across.density.csv"))
    run_more(folder, "kept", "observe=[]", settings)
    there = sorted(os.listdir(os.path.join(folder, "kept.backup.1")))
    for name in "kept.observables.h5", "kept.membrane.membrane.csv", "kept.across.density.csv":
        checks.true("moved to the backup: " + name,
                    name in there and not os.path.exists(os.path.join(folder, name)), there)
    checks.true("as it was", read(os.path.join(folder, "kept.backup.1", "kept.across.density.csv")) == table)


with tempfile.TemporaryDirectory() as work:
    first = trial.build(work, "start", BILAYER)
    trial.simulate(work, "start", {"input": first, "run.steps": 100, "run.dt": 0.005,
                                   "thermostat.type": "langevin", "thermostat.tau": 0.2})
    first = trial.checkpoint(work, "start")
    same_frames(work, first)
    refused(work)
    tables_in_the_way(work)
    intervals(work, first)
    beginnings(work)
    names(work)
    earlier_results(work)
checks.end()
