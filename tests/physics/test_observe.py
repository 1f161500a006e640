"""Observables of runs against brute force over the states of the same steps (oracle_observe.py), in
both precisions, on several ranks and in parts; their files; wrong lists of observables. With kinds
as arguments only these are measured, and runs without any of them are left out."""
import csv
import os
import sys
import tempfile

from run_lamella import Checks, run, skip, write

try:
    import h5py
    import numpy as np

    import oracle_frames
    import oracle_observe
    import trial
except ImportError as missing:
    skip(str(missing))

BILAYER = """
forcefield: elba
seed: 3
temperature: 303
bilayer:
  upper: {DOPC: 6, DOPE: 6}
  lower: {DOPC: 7, DOPE: 5}
  water_per_lipid: 12
  area_per_lipid: 0.74
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 2000}
"""
WATER = "forcefield: %s\nseed: 2\nwater: {count: %d}\nminimise: {max_steps: 100, force: 3000}\n"
# Hot short molecules that turn over all the time.
TUMBLERS = """
format: 1
name: tumblers
cutoff: 0.9
exclude: [1-2]
types:
  H: {mass: 30, inertia: [0.5, 0.5, 0], dipole: 0.02, electrons: 15}
  T: {mass: 20}
  W: {mass: 40, electrons: 10}
pair:
  lj: {truncation: force_shift, mixing: lorentz_berthelot}
  electrostatics: {truncation: shifted_force}
  table:
    - [H, H, {epsilon: 0.6, sigma: 0.33}]
    - [T, T, {epsilon: 0.5, sigma: 0.35}]
    - [W, W, {epsilon: 0.4, sigma: 0.3}]
bonds:
  one: {form: harmonic, k: 3000, r0: 0.3}
molecules:
  W: {beads: [W]}
  D: {beads: [H, T], bonds: [[one, 1, 2]]}
  E: {beads: [H, T, T], bonds: [[one, 1, 2], [one, 2, 3]]}
"""
TUMBLING = """
forcefield: %s
seed: 3
temperature: 1000
bilayer: {upper: {D: 20, E: 10}, lower: {E: 17, D: 13}, area_per_lipid: 0.22, water_per_lipid: 5}
replicate: [2, 1, 1]
minimise: {max_steps: 300, force: 1000}
"""
SHIFT = 0.46  # of the box: the centre of the bilayer lies near its edge
NPT = {"thermostat.type": "langevin", "barostat.type": "crescale", "barostat.every": 5,
       "barostat.tau": 1.0, "run.dt": 0.01}
# [name, kind, options]; options of the oracle are the same but for `every`
ALL = [
    ["membrane", "membrane", {"every": 5}],
    ["density", "density", {"every": 5, "bins": 40}],
    ["potential", "potential", {"every": 10, "bins": 37}],
    ["pressure", "pressure", {"every": 20, "bins": 25}],
    ["order", "order", {"every": 5}],
    ["rdf", "rdf", {"every": 20, "pairs": [["W", "W"], ["P", "T"], ["P", "C"]], "range": 1.3,
                    "bins": 52}],
    ["rdf_plane", "rdf", {"every": 20, "pairs": [["P", "P"], ["E", "T"]], "range": 1.25,
                          "bins": 25, "in_plane": True}],
    ["msd", "msd", {"every": 5, "fit_from": 0.1, "fit_to": 0.3}],
    ["msd_water", "msd", {"every": 10, "molecules": ["W"]}],
    ["rotation", "rotation", {"every": 5}],
    ["undulation", "undulation", {"every": 10, "grid": 10, "fit_to": 3.0}],
    ["temperature", "temperature", {"every": 5}],
    ["leaflets", "leaflets", {"every": 10, "range": 1.1}],
]
LIQUID = [
    ["density", "density", {"every": 10, "bins": 20}],
    ["potential", "potential", {"every": 10, "bins": 20}],
    ["pressure", "pressure", {"every": 20, "bins": 12}],
    ["rdf", "rdf", {"every": 20, "pairs": [["W", "W"]], "range": 1.0, "bins": 50}],
    ["msd", "msd", {"every": 10}],
    ["rotation", "rotation", {"every": 10}],
    ["temperature", "temperature", {"every": 10}],
]
TURNING = [
    ["membrane", "membrane", {"every": 5, "head": ["H"]}],
    ["order", "order", {"every": 5}],
    ["pressure", "pressure", {"every": 20, "bins": 15}],
    ["rdf", "rdf", {"every": 20, "pairs": [["T", "T"]], "range": 1.0, "bins": 20}],
    ["rdf_plane", "rdf", {"every": 20, "pairs": [["H", "T"], ["T", "T"]], "range": 1.0,
                          "bins": 20, "in_plane": True}],
    ["msd", "msd", {"every": 5, "molecules": ["E", "D"]}],
    ["undulation", "undulation", {"every": 10, "grid": 8, "fit_to": 4.0, "head": ["H"]}],
    ["leaflets", "leaflets", {"every": 5, "range": 0.8, "head": ["H"]}],
]
STEPS, EVERY = 40, 5
checks = Checks()
wanted = sys.argv[1:]
if not set(wanted) <= {row[1] for row in ALL}:
    sys.exit("kinds: " + " ".join(sorted({row[1] for row in ALL})))


class NothingChosen(Exception):
    """A run without any of the wanted kinds."""


def chosen(observables):
    rows = [row for row in observables if not wanted or row[1] in wanted]
    if not rows:
        raise NothingChosen
    return rows


def word(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "[" + ", ".join(map(word, value)) + "]"
    return str(value)


def run_file(folder, prefix, observables, membrane="{}"):
    """Writes PREFIX.yaml; the options of the observables in the words of a run file."""
    lines = ["membrane: " + membrane,
             "output: {prefix: %s, energies_every: 5}" % prefix, "observe:"]
    for name, kind, options in observables:
        given = {**options, "name": name}
        lines.append("  - %s: {%s}" % (kind, ", ".join(f"{key}: {word(value)}"
                                                       for key, value in given.items())))
    write(os.path.join(folder, prefix + ".yaml"), "\n".join(lines) + "\n")


def go(folder, prefix, settings, ranks=1, restart="never"):
    sets = [f"--set={key}={value}" for key, value in settings.items()]
    run("run", prefix + ".yaml", "--restart=" + restart, *sets, cwd=folder, ranks=ranks)


def shifted(path, shift):
    """Moves all beads of a state along z by a part of the box."""
    with h5py.File(path, "r+") as file:
        words = file["beads/position"][:].view(np.uint32)
        words[:, 2] += np.uint32(shift * 2.0**32)
        file["beads/position"][:] = words.view(np.int32)
        file["neighbor_list/step"][...] = -1


def in_parts(folder, prefix, settings, ranks, every=EVERY):
    """The run in jobs of `every` steps, on numbers of ranks in turn; its states."""
    states = [oracle_frames.of_state(settings["input"])]
    states[0].step = 0
    for job, step in enumerate(range(every, STEPS + 1, every)):
        go(folder, prefix, {**settings, "run.steps": step}, ranks[job],
           "auto" if job else "never")
        states.append(oracle_frames.of_state(trial.checkpoint(folder, prefix)))
        states[-1].step = step
    return states


def labels(group):
    return [label.decode().rstrip("\0") for label in group["label"][:]]


def close(what, got, want, scale, bound):
    """Values that agree within bound times their scale, nan with nan."""
    got, want = np.asarray(got, float), np.asarray(want, float)
    if got.shape != want.shape:
        checks.true(what, False, "shape", got.shape, want.shape)
        return
    blank = ~np.isfinite(want)
    error = np.abs(got - want)[~blank]
    good = not np.isfinite(got[blank]).any() and (error <= bound * scale).all()
    checks.true(what, good, "off by", error.max() if len(error) else 0, "of", scale, "worst at",
                np.argmax(np.where(blank, 0, np.abs(got - want))), got[:6], want[:6])


def compare_table(what, group, want, bound):
    rows = want.pop("rows")
    if len(rows) and isinstance(rows[0], str):
        checks.true(what + ": labels", labels(group) == rows, labels(group), rows)
    else:
        close(what + ": axis", group["axis"][:], rows, abs(rows).max(), bound)
    columns = {name for name in group if not name.endswith(("_error", "_time"))
               and name not in ("axis", "label")}
    checks.true(what + ": columns", columns == set(want), sorted(columns ^ set(want)))
    bars = [np.abs(want[name]).max() for name in want] if "difference" in want else [0]
    for name in columns & set(want):
        good = want[name][np.isfinite(want[name])]
        scale = max(np.abs(good).max() if len(good) else 0, max(bars))
        close(f"{what}: {name}", group[name][:], want[name], scale, bound)
        checks.true(f"{what}: unit of {name}", "unit" in group[name].attrs)
        for more in ("_error", "_time"):
            shape = group[name + more].shape if name + more in group else None
            checks.true(f"{what}: {name}{more}", shape == group[name].shape, shape)


def compare(what, path, observables, states, dt, bounds, temperature=303.0):
    """The observables of a file with the oracle over the states of their steps."""
    by_step = {state.step: state for state in states}
    with h5py.File(path, "r") as file:
        checks.true(what + ": format", file.attrs["format"] in (b"lamella observables",
                                                                "lamella observables"))
        checks.true(what + ": groups", set(file) == {row[0] for row in observables}, list(file))
        for name, kind, options in observables:
            if name not in file:
                continue
            about, options = file[name].attrs, dict(options)
            every, first = options.pop("every"), int(about["first_step"])
            steps = range(first, STEPS + 1, every)
            checks.true(f"{what}: {name} steps", first in (0, every) and
                        about["last_step"] == steps[-1] and about["samples"] == len(steps) and
                        about["every"] == every, dict(about))
            checks.close(f"{what}: {name} interval", float(about["interval"]), every * dt, 1e-9)
            settings = {"temperature": temperature, "bilayers": 1, "interval": every * dt,
                        "dt": dt}
            want = oracle_observe.tables(kind, [by_step[step] for step in steps], settings,
                                         **options)
            found = {table for table in file[name] if isinstance(file[name][table], h5py.Group)}
            checks.true(f"{what}: {name} tables", found == set(want), sorted(found), sorted(want))
            for table in found & set(want):
                compare_table(f"{what}: {name}.{table}", file[name][table], want[table],
                              bounds.get(kind, bounds[""]))


def compare_csv(what, folder, prefix):
    """Every table as CSV, number for number as in the HDF5 file."""
    with h5py.File(os.path.join(folder, prefix + ".observables.h5"), "r") as file:
        for name in file:
            for table, group in file[name].items():
                path = os.path.join(folder, f"{prefix}.{name}.{table}.csv")
                with open(path) as text:
                    head, *rows = list(csv.reader(text))
                if "label" in group:
                    good = head[0] == "label" and [row[0] for row in rows] == labels(group)
                else:
                    axis = group["axis"]
                    values = [float(row[0]) for row in rows]
                    title = "_".join(axis.attrs[key].decode() for key in ("name", "unit"))
                    good = head[0] == title and np.allclose(values, axis[:], rtol=1e-6)
                checks.true(f"{what}: rows of {name}.{table}.csv", good, head[:3], rows[:2])
                columns = [column for column in group if column not in ("axis", "label")]
                shown = {column.split("[")[0].strip() for column in head[1:]}
                checks.true(f"{what}: columns of {name}.{table}.csv",
                            {c for c in columns if not c.endswith("_time")} <= shown, head)
                for k, column in enumerate(head[1:], 1):
                    values = np.array([float(row[k] or "nan") for row in rows])
                    checks.true(f"{what}: {column} of {name}.{table}.csv", column in group and
                                np.allclose(values, group[column][:], rtol=1e-6, equal_nan=True))


def same(what, folder, first, second):
    wrong = trial.differences(*(os.path.join(folder, prefix + ".observables.h5")
                                for prefix in (first, second)))
    checks.true(what, not wrong, wrong)


def membranes(folder):
    """A mixed bilayer across the edge of the box: states, ranks and parts, both precisions."""
    start = trial.build(folder, "start", BILAYER)
    trial.simulate(folder, "start", {"input": start, "run.steps": 200, "run.dt": 0.005,
                                     "thermostat.type": "langevin", "thermostat.tau": 0.2})
    start, observables = trial.checkpoint(folder, "start"), chosen(ALL)
    shifted(start, SHIFT)
    for precision, parts, whole in ("double", (1, 2, 1, 4), 2), ("mixed", (1, 2, 1, 1), 2):
        settings = {**NPT, "input": start, "run.precision": precision, "run.steps": STEPS, "neighbor.skin": 0.18}
        run_file(folder, precision, observables)
        states = in_parts(folder, precision, settings, (*parts, 1, 1, 1, 1))
        bounds = {"": 1e-6, "pressure": 1e-6 if precision == "double" else 1e-4}
        compare(precision, os.path.join(folder, precision + ".observables.h5"), observables, states,
                0.01, bounds)
        compare_csv(precision, folder, precision)
        other = precision + "_whole"
        run_file(folder, other, observables)
        go(folder, other, {**settings, "output.frames_every": 5, "output.velocities": 1}, whole)
        same(f"{precision}: {whole} ranks and in parts", folder, precision, other)
        wrong = trial.differences(trial.checkpoint(folder, precision), trial.checkpoint(folder, other))
        checks.true(f"{precision}: the checkpoint of {whole} ranks", not wrong, wrong)


def values_of(path):
    """{dataset: values} of the results in a file, without errors and times."""
    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset) and not name.endswith(("_error", "_time", "label")):
            found[name] = item[:]

    with h5py.File(path, "r") as file:
        file.visititems(keep)
    return found


def analyzed(folder):
    """The frames of a run, measured afterwards, on several ranks; frames lack angular momenta."""
    first, again = (os.path.join(folder, name + ".observables.h5") for name in ("mixed", "again"))
    for ranks, name in ((3, "other"), (1, "again")):
        run("analyze", "mixed_whole.h5md", "mixed_whole.yaml", "-o", name, cwd=folder, ranks=ranks)
    same("analyze on 3 ranks and on 1", folder, "other", "again")
    compare_csv("analyze", folder, "again")
    want, got = values_of(first), values_of(again)
    checks.true("analyze: datasets", set(want) == set(got), sorted(set(want) ^ set(got)))
    bounds = {"pressure": 3e-4, "rdf": 1e-3, "rdf_plane": 1e-3}
    scales = {name: np.nanmax(np.abs(values), initial=0) for name, values in want.items()}
    bars = max((scale for name, scale in scales.items() if name.startswith("pressure/pressure/")),
               default=0)
    for name in set(want) & set(got):
        group = name.split("/")[0]
        if group == "temperature" and name.endswith(("rotation", "all/all")):
            continue
        scale = bars if name.startswith("pressure/pressure/") else scales[name]
        close("analyze: " + name, got[name], want[name], scale, bounds.get(group, 1e-5))


def changed(folder):
    """Other options in the next job of a run are refused; a new name is not."""
    observables = chosen([["membrane", "membrane", {"every": 5}],
                          ["density", "density", {"bins": 8}]])
    if len(observables) < 2:
        return
    settings = {**NPT, "input": trial.checkpoint(folder, "start")}
    run_file(folder, "jobs", observables[:1])
    go(folder, "jobs", {**settings, "run.steps": 10})
    run_file(folder, "jobs", [["membrane", "membrane", {"every": 10}]])
    sets = [f"--set={key}={value}" for key, value in {**settings, "run.steps": 20}.items()]
    checks.refused("changed options", ("membrane", "every: 10"), "run", "jobs.yaml", *sets, cwd=folder)
    run_file(folder, "jobs", [*observables, ["late", "membrane", {"every": 10, "from": 15}]])
    go(folder, "jobs", {**settings, "run.steps": 30}, restart="auto")
    with h5py.File(os.path.join(folder, "jobs.observables.h5"), "r") as file:
        steps = {name: (int(file[name].attrs["first_step"]), int(file[name].attrs["samples"]))
                 for name in file}
    checks.true("steps of jobs", steps["membrane"] == (0, 7) and steps["late"] == (20, 2), steps)


def liquids(folder):
    """Systems without lipids."""
    observables = chosen(LIQUID)
    for name, forcefield, count, dt in (("elba", "elba", 760, 0.01), ("ssd", "ssde", 370, 0.002)):
        other = name + "_parts"
        start = trial.build(folder, name, WATER % (forcefield, count))
        warm = {"run.dt": 0.002, "thermostat.type": "langevin", "thermostat.tau": 0.1}
        trial.simulate(folder, name, {**warm, "input": start, "run.steps": 150})
        start = trial.checkpoint(folder, name)
        run_file(folder, other, observables)
        settings = {"input": start, "run.dt": dt, "thermostat.type": "langevin", "neighbor.skin": 0.1,
                    "run.precision": "double"}
        states = in_parts(folder, other, settings, ranks=(1, 2, 1, 1), every=10)
        compare(name, os.path.join(folder, other + ".observables.h5"), observables, states, dt,
                {"": 1e-6})


def bodies(folder):
    """Lipids with ellipsoids, without water."""
    observables = chosen([["membrane", "membrane", {"every": 20}], ["order", "order", {"every": 20}]])
    start = trial.build(folder, "bodies", "forcefield: gb-lipids\nseed: 2\ntemperature: 303\nbilayer: {upper: {DMPC: 9}, "
                        "lower: {DMPC: 9}, area_per_lipid: 0.9, water_per_lipid: 0, height: 8}\nminimise: {force: 500}\n")
    run_file(folder, "of_bodies", observables)
    settings = {"input": start, "run.dt": 0.002, "neighbor.skin": 0.1, "run.precision": "double"}
    states = in_parts(folder, "of_bodies", settings, ranks=(1, 2), every=20)
    compare("bodies", os.path.join(folder, "of_bodies.observables.h5"), observables, states, 0.002, {"": 1e-6})


def tumblers(folder):
    """Molecules that change their leaflet."""
    field, observables = os.path.join(folder, "tumblers.yaml"), chosen(TURNING)
    write(field, TUMBLERS)
    start = trial.build(folder, "tumbling", TUMBLING % field)
    hot = {"thermostat.type": "langevin", "thermostat.temperature": 1000, "thermostat.tau": 0.2,
           "run.dt": 0.005}
    trial.simulate(folder, "tumbling", {**hot, "input": start, "run.steps": 300})
    run_file(folder, "turning", observables, "{lipids: [D, E], flat: yes}")
    settings = {**hot, "input": trial.checkpoint(folder, "tumbling"), "run.dt": 0.01,
                "run.precision": "double"}
    states = in_parts(folder, "turning", settings, ranks=(1, 1, 1, 2, 1, 1, 1, 1))
    turned = [a.all_heads(("H",))[2] != b.all_heads(("H",))[2] for a, b in zip(states, states[1:])]
    checks.true("molecules turn over", np.sum(turned) > 10, np.sum(turned))
    compare("turning", os.path.join(folder, "turning.observables.h5"), observables, states, 0.01,
            {"": 1e-6}, 1000.0)


def block_errors(series, interval):
    """(error of the mean, autocorrelation time) of a series for every length of blocks."""
    found, length = [], 1
    plain = np.std(series, ddof=1) / len(series)**0.5
    while len(series) // length >= 8:
        n = len(series) // length
        means = np.reshape(series[:n * length], (n, length)).mean(axis=1)
        error = np.std(means, ddof=1) / n**0.5
        found.append((error, interval * ((error / plain)**2 - 1) / 2))
        length *= 2
    return found


def long_motion(folder):
    """A sample every step, so that there are lags of several levels and blocks of several samples;
    from frames in float."""
    observables = chosen([["msd", "msd", {"every": 1}], ["rotation", "rotation", {"every": 1}],
                          ["membrane", "membrane", {"every": 1}], ["order", "order", {"every": 1}]])
    global STEPS
    before, STEPS = STEPS, 150
    run_file(folder, "long", observables)
    start = trial.checkpoint(folder, "start")
    go(folder, "long", {**NPT, "input": start, "run.steps": STEPS, "output.frames_every": 1}, 2)
    states = oracle_frames.of_trajectory(os.path.join(folder, "long.h5md"),
                                         oracle_frames.of_state(start).kind)
    path = os.path.join(folder, "long.observables.h5")
    compare("long", path, observables, states, 0.01, {"": 1e-4})
    STEPS = before
    with h5py.File(path, "r") as file:
        if "membrane" not in file:
            return
        group = file["membrane/membrane"]
        area = [state.box[0] * state.box[1] / 24 for state in states]
        upper = [oracle_observe.by_leaflet(state, ("P",))[0] for state in states]
        for name, series in (("area", area), ("thickness_upper", upper)):
            got = group[name + "_error"][0], group[name + "_time"][0]
            levels = block_errors(series, 0.01)
            checks.true(f"error of {name}", any(np.allclose(got, level, rtol=1e-3)
                                                for level in levels), got, levels)
            checks.true(f"blocks of {name}", got[0] > 0.75 * max(levels)[0], got, levels)


def chained(folder):
    """A new run from the last state of another begins its averages anew."""
    observables = chosen([["membrane", "membrane", {"every": 5}], ["msd", "msd", {"every": 10}]])
    run_file(folder, "next", observables)
    start = trial.checkpoint(folder, "double")
    go(folder, "next", {**NPT, "input": start, "run.steps": STEPS})
    with h5py.File(os.path.join(folder, "next.observables.h5"), "r") as file:
        for name, _, options in observables:
            about, samples = file[name].attrs, STEPS // options["every"] + 1
            checks.true(f"{name} of a new run", about["first_step"] == 0 and
                        about["samples"] == samples, dict(about))
    edges = [oracle_frames.of_state(path).box for path in (start, trial.checkpoint(folder, "next"))]
    checks.true("the box changes", (edges[0] != edges[1]).all())


REFUSED = {
    "unknown kind": ("- densitty", ["densitty", "density"]),
    "unknown option": ("- density: {binz: 10}", ["binz", "bins"]),
    "unknown type": ("- rdf: {pairs: [[W, PP]]}", ["'PP'", "W, C, P"]),
    "unknown molecule": ("- msd: {molecules: [DOPD]}", ["DOPD", "DOP"]),
    "unknown head": ("- membrane: {head: [PO]}", ["PO"]),
    "unknown type of rotation": ("- rotation: {types: [Ww]}", ["'Ww'", "'P'"]),
    "type that does not turn": ("- rotation: {types: [T]}", ["T"]),
    "too many bins": ("- density: {bins: 2000000000}", ["bins"]),
    "no bins": ("- pressure: {bins: 0}", ["bins"]),
    "no bead of a type": ("- rdf: {pairs: [[W, W], [C, C]]}", ["(C): the group has no bead"]),
    "no pairs": ("- rdf", ["pairs"]),
    "an empty list of pairs": ("- rdf: {pairs: []}", ["pairs"]),
    "three types": ("- rdf: {pairs: [[W, W, W]]}", ["pairs"]),
    "range beyond half the box": ("- rdf: {pairs: [[W, W]], range: 50}", ["range"]),
    "the same name": ("- density\n  - density: {bins: 20}", ["density", "name"]),
    "the same name again": ("- density: {name: a}\n  - msd: {name: a}", ["'a'"]),
    "name with a folder": ("- density: {name: a/b}", ["a/b"]),
    "never": ("- density: {every: 0}", ["every"]),
    "no number": ("- density: {every: often}", ["every", "often"]),
    "negative first step": ("- density: {from: -1}", ["from"]),
    "membrane without lipids": ("- membrane", ["lipid"]),
    "leaflets without lipids": ("- leaflets", ["lipid"]),
    "undulation without lipids": ("- undulation", ["lipid"]),
    "two keys": ("- {density: {bins: 10}, msd: {every: 5}}", []),
}


def refused(folder):
    """Wrong lists: status 2 before any work, with the line."""
    start = trial.build(folder, "few", WATER % ("elba", 760))
    for what, (text, says) in REFUSED.items():
        if wanted and not any(kind in text for kind in wanted):
            continue
        write(os.path.join(folder, "bad.yaml"), f"input: {start}\nobserve:\n  {text}\n")
        done = run("run", "bad.yaml", "--set=run.steps=0", cwd=folder, status=None)
        lines = [line for line in done.stderr.splitlines() if "bad.yaml:" in line]
        checks.true(what + ": status", done.returncode == 2, done.returncode, done.stderr[-300:])
        checks.true(what + ": line", any(line.split("bad.yaml:")[1][:1] in "34" for line in lines),
                    done.stderr[-300:])
        checks.true(what + ": says", all(part in done.stderr for part in says), done.stderr[-300:])


with tempfile.TemporaryDirectory() as work:
    for part in membranes, analyzed, changed, liquids, bodies, tumblers, long_motion, refused, chained:
        try:
            part(work)
        except NothingChosen:
            pass
checks.end()
