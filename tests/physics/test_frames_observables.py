"""Values of observables in the frames of a trajectory: against the results of the run and against the
positions of the same frames; on several ranks, continued after a kill, with another list, and as the
Python module and MDAnalysis read them."""
import functools
import os
import shutil
import sys
import tempfile

from run_lamella import Checks, run, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import lamella
    import numpy as np

    import oracle_frames
    import oracle_observe
    import trial
except ImportError as missing:
    skip(str(missing))

SPEC = """
forcefield: elba
seed: 3
temperature: 303
bilayer: {upper: {DOPC: 9, DOPE: 7}, lower: {DOPC: 8, DOPE: 8}, water_per_lipid: 16,
          area_per_lipid: 0.72}
minimise: {max_steps: 300, force: 2000}
"""
STEPS, EVERY = 40, 5
# name: kind, options. `sparse` is due between frames, `late` after the first of them.
FRAMES = {
    "density": ("density", "every: 5, bins: 40"),
    "membrane": ("membrane", "every: 5"),
    "order": ("order", "every: 5"),
    "pressure": ("pressure", "every: 5, bins: 24"),
    "potential": ("potential", "every: 5, bins: 24"),
    "rdf": ("rdf", "every: 5, pairs: [[P, P], [W, P]], range: 1, bins: 20"),
    "undulation": ("undulation", "every: 5, grid: 8"),
    "temperature": ("temperature", "every: 5"),
    "leaflets": ("leaflets", "every: 5"),
    "sparse": ("density", "every: 3, bins: 10"),
    "rare": ("membrane", "every: 18"),
    "late": ("temperature", "every: 4, from: 10"),
}
ALL = list(FRAMES)
checks = Checks()
says = functools.partial(checks.raises, lamella.Error)
work = tempfile.TemporaryDirectory(prefix="test_frames_observables.")
os.chdir(work.name)


def job(prefix, steps=STEPS, names=ALL, restart="never", changed=None, **how):
    """A job with these observables; `msd` is never in the frames. Returns what lamella said."""
    with open(prefix + ".yaml", "w") as file:
        file.write("output: {prefix: %s, frames_every: %d, velocities: 1}\nobserve:\n"
                   "  - msd: {every: 5}\n" % (prefix, EVERY))
        for name in names:
            kind, options = {**FRAMES, **(changed or {})}[name]
            file.write("  - %s: {name: %s, frames: yes, %s}\n" % (kind, name, options))
    return run("run", prefix + ".yaml", "--restart=" + restart, "--set=input=start.checkpoint.h5",
               "--set=thermostat.type=langevin", "--set=barostat.type=crescale",
               "--set=run.steps=%d" % steps, **how).stderr


def values(prefix):
    with h5py.File(prefix + ".h5md", "r") as file:
        return {name: group["value"][:] for name, group in file["observables"].items()}


def same(what, first, second):
    """Values, steps and everything else of both files are the same, bit for bit."""
    wrong = trial.differences(first + ".h5md", second + ".h5md")
    checks.true(what, not wrong and sorted(values(second)) == sorted(ALL), wrong)


def shapes(path):
    """Links to step and time of the frames, a row of values for each frame, options."""
    with h5py.File(path, "r") as file:
        position = file["particles/trajectory/position"]
        for name, group in file["observables"].items():
            checks.true(name + ": step and time are links", group["step"] == position["step"]
                        and group["time"] == position["time"])
            checks.true(name + ": frames", group["value"].shape[0] == STEPS // EVERY + 1
                        and group["value"].dtype == np.float64, group["value"])
            checks.true(name + ": options", group["options"][0].decode().lstrip("{").startswith(
                FRAMES[name][0] + ": {name: %s, frames: yes" % name), group["options"][0])


def means():
    """Where every sample is in a frame the means are the results of the run, by name and row."""
    trajectory, results = lamella.Trajectory("a"), lamella.Observables("a")
    checks.true("names", trajectory.observables == ALL, trajectory.observables)
    compared = 0
    for name in ALL[:ALL.index("sparse")]:
        for table, columns in trajectory.observable(name).items():
            want = results[name][table]
            labels = None if len(want.labels or []) < 2 else want.labels
            checks.true(f"{name}.{table}: labels", columns.labels in (labels, want.labels),
                        columns.labels, want.labels)
            for column, found in columns.items():
                mean, right = found.mean(axis=0), want[column].values
                scale = np.nanmax(np.abs(found)) if np.isfinite(found).any() else 0
                checks.true(f"{name}.{table}.{column}", mean.shape == right.shape and
                            np.allclose(mean, right, rtol=1e-12, atol=1e-12 * scale, equal_nan=True)
                            and columns.units[column] == want.units[column], mean[:3], right[:3])
                compared += 1
    checks.true("columns", compared > 50, compared)
    says("no observable", lambda: trajectory.observable("msd"), "'msd'", "density")
    says("no table", lambda: trajectory.observable("density")["x"], "'x'", "density")
    says("no column", lambda: trajectory.observable("rdf")["P_P"]["x"], "'x'", "coordination")


def last_samples():
    """Between its samples an observable keeps the values of the last one; before the first: NaN."""
    found, steps = values("a"), np.arange(0, STEPS + 1, EVERY)
    for name, every, first in (("sparse", 3, 0), ("rare", 18, 0), ("late", 4, 12)):
        of_sample = np.maximum(steps // every * every, first - every)
        rows = found[name]
        checks.true(name + ": NaN before its first sample",
                    np.array_equal(np.isnan(rows).all(axis=1), steps < first), steps, rows[:, 0])
        for k in range(1, len(steps)):
            kept = of_sample[k] == of_sample[k - 1]
            checks.true(f"{name}: step {steps[k]}",
                        np.array_equal(rows[k], rows[k - 1], equal_nan=True) == kept)
    reference = values("every")  # a sample at each step, and a frame at each step
    checks.true("sparse: of the right steps", all(
        np.array_equal(found["sparse"][k], reference["sparse"][step // 3 * 3])
        for k, step in enumerate(steps[:5])))


def by_position():
    """Densities and areas of each frame from its positions, which are rounded to float."""
    kind = oracle_frames.of_state("a.checkpoint.h5").kind
    trajectory = lamella.Trajectory("a")
    density = trajectory.observable("density")["density"]
    area = trajectory.observable("membrane")["membrane"]["area"][:, 0]
    for k, frame in enumerate(oracle_frames.of_trajectory("a.h5md", kind)):
        about = {"temperature": 303.0, "bilayers": 1, "interval": 1.0}
        want = oracle_observe.tables("density", [frame], about, bins=40)["density"]
        bin_volume = np.prod(frame.box) / 40
        for column in density:
            moved = np.abs(density[column][k] - want[column]).sum() * bin_volume
            # A bead at the edge of a bin may count in the next one.
            bead = 1 if column.startswith("number") or column == "charge" else frame.mass.max()
            checks.true(f"frame {k}: {column} of its positions",
                        moved <= 4 * bead and want[column].any(), moved)
        checks.close(f"frame {k}: area", area[k], 2 * frame.box[0] * frame.box[1] / 32, 1e-12)


def continued():
    """A job that is killed after more frames than its last checkpoint has."""
    job("b", 20, ranks=2)
    shutil.copy("b.checkpoint.h5", "kept.h5")
    job("b", 33, restart="auto")
    checks.true("frames of the job that goes on", len(values("b")["rare"]) == 7)
    shutil.copy("kept.h5", "b.checkpoint.h5")
    job("b", STEPS, restart="auto", ranks=2)
    same("killed and continued", "a", "b")


def other_lists():
    """A trajectory keeps the observables that it began with."""
    some = ["membrane", "rare"]
    job("c", 15, ["density", *some])
    said = job("c", 25, [*some, "late"], restart="auto")
    checks.true("warnings", "goes on without the observable late" in said
                and "goes on with the observable density" in said, said)
    found, right = values("c"), values("a")
    checks.true("observables stay", sorted(found) == ["density", "membrane", "rare"])
    checks.true("NaN of what is not measured", np.isnan(found["density"][4:]).all()
                and np.array_equal(found["density"][:4], right["density"][:4]))
    checks.true("others go on", all(np.array_equal(found[name], right[name][:6]) for name in some))
    other = {"density": ("density", "every: 5, bins: 20")}
    said = job("c", 30, ["density", *some, "late"], "auto", other, status=2)
    checks.true("other options", "bins: 40" in said and "bins: 20" in said and "name:" in said, said)
    job("c", 30, ["density", *some, "late"], restart="auto")
    rows = values("c")["density"]
    checks.true("measured again", np.isnan(rows[4:6]).all()
                and np.array_equal(rows[6], right["density"][6]))
    told = run("info", "c.h5md").stdout
    checks.true("info", "density (" in told and "membrane (" in told, told)


def refused():
    """Wrong options; and a run without frames is told so."""
    write("r.yaml", "input: start.checkpoint.h5\noutput: {prefix: r}\n"
                    "observe: [msd: {frames: yes}, density: {frames: often}]\n")
    said = run("run", "r.yaml", status=2).stderr
    checks.true("refused", said.count("r.yaml:3:") == 2 and "'msd'" in said and "often" in said, said)
    write("r.yaml", "input: start.checkpoint.h5\noutput: {prefix: r}\nrun: {steps: 1}\n"
                    "observe: [density: {frames: yes}]\n")
    said = run("run", "r.yaml").stderr
    checks.true("no frames", "output.frames_every" in said and not os.path.exists("r.h5md"), said)


def mdanalysis():
    try:
        universe = lamella.Trajectory("a").universe()
    except lamella.Error as why:
        print("without MDAnalysis:", why)
        return
    wanted = values("a")
    for frame in universe.trajectory:
        checks.true(f"MDAnalysis: frame {frame.frame}", all(np.array_equal(
            frame.data[name], wanted[name][frame.frame], equal_nan=True) for name in ALL))


trial.build(".", "start", SPEC)
trial.simulate(".", "start", {"input": "start.h5", "run.steps": 100, "run.dt": 0.005,
                              "thermostat.type": "langevin", "thermostat.tau": 0.2})
job("a")
run("info", "a.h5md")
shapes("a.h5md")
means()
EVERY = 1
job("every", 20, ["sparse"], changed={"sparse": ("density", "every: 1, bins: 10")})
EVERY = 5
last_samples()
by_position()
job("ranks", ranks=2)
same("two ranks", "a", "ranks")
continued()
other_lists()
refused()
run("analyze", "a.h5md", "a.yaml", "--set=output.prefix=again")
mdanalysis()
work.cleanup()
checks.end()
