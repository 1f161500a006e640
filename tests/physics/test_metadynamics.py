"""Metadynamics: the bias against sums of the Gaussians in PREFIX.hills, and heights that are tempered; the energy that is
conserved; profiles of a double well and of two coordinates; the same bits on any number of ranks, in several jobs and after
kills; coordinates that leave the grid; mistakes in the list."""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import trial
from run_lamella import Checks, write
from test_biases import lines

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
from lamella import hills  # noqa: E402

BOLTZMANN = 0.00831446261815324
ONE = "[{name: m, kind: metadynamics, coordinate: depth, height: 2, width: 0.05, every: 2, grid: [-1, 4, 1500]%s}]"
TWO = ("[{name: m, kind: metadynamics, coordinates: [depth, apart], height: 3, width: [0.05, 0.1], every: 3, bias_factor: 5, "
       "grid: [[-1, 4], [0, 3, 300]]}, {name: wall, coordinate: depth, kind: umbrella, k: 50, at: 1}]")
COORDINATES = ("[{name: depth, kind: distance, of: {molecules: [DMPC], ids: [1, 150]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]},"
               " along: z}, {name: apart, kind: distance, of: {ids: [1, 8]}, from: {ids: [106, 113]}, along: xy}]")


def read(folder, prefix):
    """The columns of PREFIX.hills, by name, and its text."""
    with open(os.path.join(folder, prefix + ".hills")) as file:
        text = file.read()
    names = text.split("\n", 1)[0].split()[2:]
    return dict(zip(names, np.loadtxt(text.splitlines(), ndmin=2).T.reshape(len(names), -1))), text


def gaussians(found, names, at, turns=()):
    """The energy at a place of all hills, of heights that act: an oracle of its own. turns: coordinates that are angles."""
    away = {name: at[name] - found[name] for name in names}
    for name in turns:
        away[name] = np.angle(np.exp(1j * away[name]))
    s = sum(away[name]**2 / (2 * found["sigma_" + name]**2) for name in names)
    factor = found["biasf"]
    height = np.where(factor > 1, found["height"] * (factor - 1) / np.maximum(factor, 1), found["height"])
    return (height * np.where(s < 6.25, np.exp(-s) - np.exp(-6.25), 0) / (1 - np.exp(-6.25))).sum()


def against_sums(checks, folder, settings, backend):
    """Energies of each step are the sums over the hills before it, and heights follow from them."""
    for name, biases, axes, every, factor, height in (("one", ONE % "", ["depth"], 2, np.inf, 2),
                                                      ("tempered", ONE % ", bias_factor: 4", ["depth"], 2, 4, 2),
                                                      ("two", TWO, ["depth", "apart"], 3, 5, 3)):
        case = {**settings, "biases": biases, "run.steps": 60, "output.coordinates_every": 1, "thermostat.temperature": 310}
        trial.simulate(folder, name, case)
        found, own = read(folder, name)[0], lines(folder, name)
        step = np.rint(found["time"] / settings["run.dt"]).astype(int)
        checks.true(f"{name}: a hill every so many steps", np.array_equal(step, np.arange(every, 60, every)), step)
        for axis in axes:
            checks.close(f"{name}: places", np.abs(found[axis] - own[axis + "_nm"][step]).max(), 0, absolute=1e-11)
        want = np.array([gaussians({key: column[step < k] for key, column in found.items()}, axes,
                                   {axis: own[axis + "_nm"][k] for axis in axes}) for k in range(61)])
        checks.close(f"{name}, {backend}: energies", np.abs(own["m_energy"] - want).max(), 0, absolute=1e-4 * want.max())
        checks.true(f"{name}: the bias grows", want.max() > 3 * height, want.max())
        scale = factor / (factor - 1) if factor < np.inf else 1
        heights = height * scale * np.exp(-own["m_energy"][step] / ((factor - 1) * BOLTZMANN * 310))
        checks.close(f"{name}: heights", np.abs(found["height"] - heights).max(), 0, absolute=1e-9)
        checks.true(f"{name}: factor", (found["biasf"] == (factor if factor < np.inf else -1)).all())
        path = os.path.join(folder, name + ".hills")
        points = np.array([[own[axis + "_nm"][k] for axis in axes] for k in range(61)])
        all_of = [gaussians(found, axes, dict(zip(axes, p))) for p in points]
        checks.close(f"{name}: lamella.hills", np.abs(hills.Hills(path).acting(points) - all_of).max(), 0, absolute=1e-9)


def dihedral(checks, folder, settings):
    """Of an angle, in degrees in the run file and radians in PREFIX.hills, that turns by more than a half."""
    tail = ", ".join("{ids: [%d, %d]}" % (k, k) for k in (5, 6, 7, 8))
    turn = "{name: turn, kind: dihedral, of: [%s]}" % tail
    for name, biases in (("turn", "coordinate: turn, height: 4, width: 20, every: 5"),
                         ("turn2", "coordinates: [apart, turn], height: 4, width: [0.3, 20], every: 5, grid: [[0, 3], [-90, 270]]")):
        case = {**settings, "run.steps": 400, "output.coordinates_every": 1, "biases": "[{name: m, kind: metadynamics, %s}]" % biases,
                "coordinates": COORDINATES[:-1] + f", {turn}]"}
        trial.simulate(folder, name, case)
        (found, text), own = read(folder, name), lines(folder, name)
        step = np.rint(found["time"] / settings["run.dt"]).astype(int)
        axes = ["turn"] if name == "turn" else ["apart", "turn"]
        place = {"turn": np.radians(own["turn_deg"]), "apart": own["apart_nm"]}
        checks.close("places of an angle", np.abs(found["turn"] - place["turn"][step]).max(), 0, absolute=1e-9)
        checks.close("widths of an angle", found["sigma_turn"][0], np.pi / 9, 1e-9)
        checks.true("it turns", np.abs(np.diff(own["turn_deg"])).max() > 180, own["turn_deg"][::20])
        limit = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("#! SET m") and "_turn" in line]
        checks.true("limits of the angle", np.allclose(limit, [-np.pi, np.pi], atol=1e-15), limit)
        at = [{axis: place[axis][k] for axis in axes} for k in range(401)]
        want = np.array([gaussians({key: c[step < k] for key, c in found.items()}, axes, at[k], ["turn"]) for k in range(401)])
        checks.close("energies of an angle", np.abs(own["m_energy"] - want).max(), 0, absolute=1e-3 * want.max())
        total = [gaussians(found, axes, p, ["turn"]) for p in at]
        read_back = hills.Hills(os.path.join(folder, name + ".hills")).acting(np.array([list(p.values()) for p in at]))
        checks.close("lamella.hills of an angle", np.abs(read_back - total).max(), 0, absolute=1e-9)
    path = os.path.join(folder, "turn.hills")
    table = np.genfromtxt(hills.table(path, [(-90, 45)], 10).splitlines(), delimiter=",", names=True)
    want = hills.Hills(path).free_energy(np.radians(np.linspace(-90, 45, 11))[:, None])
    checks.true("a profile in degrees", np.allclose(table["turn_deg"], np.linspace(-90, 45, 11))
                and np.allclose(table["free_energy"], want, rtol=1e-5, atol=1e-5), table)
    text = hills.table(os.path.join(folder, "turn2.hills")).splitlines()
    checks.true("each in its unit", text[0].startswith("apart_nm,turn_deg,") and text[-1].split(",")[1] == "180", text[0], text[-1])
    shutil.copy(path, os.path.join(folder, "alone.hills"))
    text = hills.table(os.path.join(folder, "alone.hills")).splitlines()
    checks.true("hills alone keep their unit", text[0].startswith("turn,") and text[-1].startswith("3.14159"), text[0], text[-1])


def conserved(checks, folder, start, settings, backend):
    """The total energy less the work of deposition is conserved."""
    case = {**settings, "input": start, "thermostat.type": "none", "run.dt": 0.002, "run.steps": 200,
            "output.energies_every": 10, "run.precision": "double", "biases": TWO.replace("every: 3", "every: 3, temperature: 300")}
    trial.simulate(folder, "nve0", {**case, "biases": "[]"})
    trial.simulate(folder, "nve", case)
    free, found = trial.columns(folder, "nve0"), trial.columns(folder, "nve")
    drift, bare, work = np.ptp(found["conserved"]), np.ptp(free["conserved"]), np.ptp(found["bias_work"])
    checks.true(f"energy is conserved, {backend}", drift < 2 * bare + 2e-3 * work, drift, bare, work)
    checks.true("hills do work", work > 50 * drift, work, drift)


def one_trajectory(checks, folder, settings, backend):
    """The same bits and the same file on any number of ranks, in parts, and after a job that was killed; forces are checked."""
    case = {**settings, "biases": TWO, "run.steps": 40, "run.verify": 20, "output.coordinates_every": 3}
    trial.same_states(checks, folder, case, (1, 3), 18, backend)
    trial.simulate(folder, "killed", {**case, "run.steps": 21})
    kept = trial.checkpoint(folder, "killed")
    shutil.copy(kept, kept + ".kept")
    trial.simulate(folder, "killed", {**case, "run.steps": 36}, restart="auto")
    os.replace(kept + ".kept", kept)
    with open(os.path.join(folder, "killed.hills"), "a") as file:
        file.write("0.2 1.")
    trial.simulate(folder, "killed", case, restart="auto", ranks=2)
    wrong = trial.differences(trial.checkpoint(folder, "on1"), kept)
    checks.true(f"{backend}: the state after a kill", not wrong, wrong)
    texts = {read(folder, prefix)[1] for prefix in ("on1", "on3", "parts", "killed")}
    checks.true("one file of hills", len(texts) == 1, texts)
    checks.true("with all hills", next(iter(texts)).count("\n") == 3 + 13)


def later_jobs(checks, folder, settings):
    """A job may have another grid and other hills to come; hills before stay as they were. Other coordinates are refused."""
    case = {**settings, "biases": ONE % "", "run.steps": 20, "output.coordinates_every": 1}
    trial.simulate(folder, "later", case)
    wide = {**case, "run.steps": 40, "biases": (ONE % ", bias_factor: 3").replace("[-1, 4, 1500]", "[-2, 6]").replace("0.05", "0.1")}
    trial.simulate(folder, "later", wide, restart="auto")
    found, own = read(folder, "later")[0], lines(folder, "later")
    checks.true("widths", found["sigma_depth"].tolist() == [0.05] * 9 + [0.1] * 10, found["sigma_depth"])
    want = gaussians({key: column[:-1] for key, column in found.items()}, ["depth"], {"depth": own["depth_nm"][38]})
    checks.close("energy", own["m_energy"][38], want, 1e-2)
    said = trial.simulate(folder, "later", {**case, "run.steps": 50, "biases": TWO}, restart="auto", status=2)
    checks.true("other coordinates", "'depth'" in said and "'depth apart'" in said, said)
    for old, new in (("kind: distance, of: {molecules: [DMPC], ids: [1, 150]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, along: z",
                      "kind: gyration, of: {ids: [1, 8]}"), ("along: z", "along: z, length: yes"), ("ids: [1, 150]", "ids: [1, 140]")):
        other = {**case, "run.steps": 50, "coordinates": COORDINATES.replace(old, new)}
        said = trial.simulate(folder, "later", other, restart="auto", status=2)
        checks.true(f"a coordinate that is another quantity: {new}", "hills of the coordinate 'depth' as it was" in said and new in said, said)
    trial.simulate(folder, "later", {**case, "run.steps": 50, "coordinates": COORDINATES.replace("along: xy", "along: x")}, restart="auto")


def well(folder):
    """A bead between two others at rest, at 3 nm from each other, on weak springs across: a double well along x."""
    start = trial.build(folder, "well", "forcefield: lj\nseed: 5\ntemperature: 12\n"
                        "lattice: {type: fcc, cells: [1, 1, 1], density: 0.0023}\n")
    trial.place(start, np.full(3, 12.0), [[6.2, 6, 6], [4.5, 6, 6], [7.5, 6, 6], [6, 6, 2]])
    between = ", ".join("{name: %s, kind: distance, of: {ids: [1, 1]}, from: {ids: [4, 4]}, along: %s}" % pair
                        for pair in (("d", "x"), ("e", "y")))
    return {"input": start, "run.dt": 0.01, "thermostat.type": "langevin", "thermostat.temperature": 12, "thermostat.tau": 0.5,
            "output.energies_every": 0, "output.coordinates_every": 0, "frozen": "[{group: {ids: [2, 4]}}]",
            "fields": "[{form: restraint, ky: 20, kz: 20, group: {ids: [1, 1]}}]", "coordinates": f"[{between}]"}


def well_energy(x, y, z):
    near = [1 / ((x - side)**2 + y**2 + z**2)**3 for side in (-1.5, 1.5)]
    return sum(np.where(i > 2.5**-6, 4 * (i * i - i), 0) for i in near) + 10 * (y**2 + z**2)


def profiles(checks, folder):
    """Of a double well and of two coordinates, from hills, against the potential that is known."""
    case, kt = well(folder), 12 * BOLTZMANN
    x, y, z = np.linspace(-0.62, 0.62, 63), np.linspace(-0.35, 0.35, 36), np.linspace(-0.6, 0.6, 61)
    weight = np.exp(-well_energy(x[:, None, None], np.linspace(-0.6, 0.6, 121)[:, None], z) / kt)
    plane = np.exp(-well_energy(x[:, None, None], y[:, None], z) / kt).sum(2)
    both = np.stack([a.ravel() for a in np.meshgrid(x, y, indexing="ij")], 1)
    for name, biases, steps, points, known, bound in (
            ("tempered", "coordinate: d, height: 0.03, width: 0.04, every: 50, bias_factor: 8, grid: [-0.8, 0.8]", 100000, x[:, None],
             weight.sum((1, 2)), 0.4),
            ("plain", "coordinate: d, height: 0.006, width: 0.04, every: 50, grid: [-0.8, 0.8]", 100000, x[:, None],
             weight.sum((1, 2)), 0.4),
            ("two", "coordinates: [d, e], height: 0.04, width: [0.05, 0.05], every: 30, bias_factor: 6, "
             "grid: [[-0.8, 0.8], [-1, 1]]", 120000, both, plane.ravel(), 0.7)):
        trial.simulate(folder, name, {**case, "run.steps": steps, "biases": "[{name: m, kind: metadynamics, %s}]" % biases})
        want = -kt * np.log(known)
        want -= want.min()
        found = hills.Hills(os.path.join(folder, name + ".hills")).free_energy(points)
        away = (found - want)[want < 4 * kt]
        checks.true(f"profile, {name}", np.std(away) < bound * kt and np.ptp(found) > 4 * kt, np.std(away) / kt, abs(away).max() / kt)
    pmf = [sys.executable, os.path.join(os.environ["top_srcdir"], "tools", "pmf.py")]
    said = subprocess.run([*pmf, "tempered", "--bins=62", "--range=-0.62:0.62"], cwd=folder, capture_output=True, text=True)
    with open(os.path.join(folder, "tempered.pmf.csv")) as file:
        table = np.array([list(map(float, line.split(","))) for line in file.read().splitlines()[1:]])
    want = hills.Hills(os.path.join(folder, "tempered.hills")).free_energy(x[:, None])
    checks.true("lamella-pmf", np.allclose(table[:, 0], x, atol=1e-6) and np.allclose(table[:, 1], want, atol=1e-5), said)
    said = subprocess.run([*pmf, "two", "--range=0:1"], cwd=folder, capture_output=True, text=True)
    checks.true("a range of one of two", said.returncode != 0 and "d, e" in said.stderr and "Traceback" not in said.stderr, said)
    for option in "--symmetric", "--coordinate=d", "--zero=min", "--from=1", "--temperature=300":
        said = subprocess.run([*pmf, "two", option], cwd=folder, capture_output=True, text=True)
        checks.true(option + " of hills", said.returncode != 0 and option.split("=")[0] in said.stderr and "leave it out" in said.stderr, said)
    with open(os.path.join(folder, "plain.hills")) as file:
        good = file.read()
    row = good.splitlines()[-1]
    for bad, why in ((good.replace(row, row.replace(row.split()[1], "nan")), "not finite"), (good.replace(row, row.replace(row.split()[2], "0")), "sigma"),
                     (good.replace(row, row.replace(row.split()[3], "inf")), "not finite"), (good + good.replace("FIELDS time d sigma_d", "FIELDS time e sigma_e"), "differ"),
                     ("", "is expected"), ("".join(good.splitlines(True)[:2]), "no hills yet"), (good[:-9] + "\n", "columns"), (good.replace(row, "x" + row), "x")):
        with open(os.path.join(folder, "bad.hills"), "w") as file:
            file.write(bad)
        said = subprocess.run([*pmf, "bad"], cwd=folder, capture_output=True, text=True)
        checks.true("hills: " + why, said.returncode != 0 and "bad.hills" in said.stderr and why in said.stderr and "Warn" not in said.stderr, said)
    text = hills.table(os.path.join(folder, "two.hills"), [(-0.5, 0.5), (-0.1, 0.1)], 10).splitlines()
    checks.true("table", len(text) == 122 and text[0].startswith("d,e,free_energy"), text[:2])


def outside(checks, folder, backend):
    """A coordinate that leaves the grid ends the run, and one that begins outside of it."""
    case = {**well(folder), "run.steps": 20000, "parallel.backend": backend}
    one = "[{name: m, kind: metadynamics, coordinates: [e, d], height: 0.1, width: [0.1, 0.05], every: 10, grid: [[-3, 3], %s]}]"
    said = trial.simulate(folder, "left", {**case, "biases": one % "[-0.5, 0.5]"}, status=3)
    checks.true("has left", all(word in said for word in ("step", "'d' has left the grid", "-0.5 to 0.5", "flat_bottom")), said)
    said = trial.simulate(folder, "begins", {**case, "biases": one % "[0.6, 0.9]"}, status=2)
    checks.true("begins outside", "'d' is outside of the grid" in said, said)


def mistakes(checks, folder, settings):
    good = {"coordinate": "d", "height": "1", "width": "0.1", "every": "10", "grid": "[0, 3]"}
    plain = "[{name: d, kind: distance, of: {ids: [1, 20]}, from: {ids: [100, 140]}}, {name: e, kind: distance, of: {ids: [1, 20]}, from: {ids: [200, 240]}}, {name: t, kind: dihedral, of: [{ids: [1, 1]}, {ids: [2, 2]}, {ids: [3, 3]}, {ids: [4, 4]}]}]"
    for change, words in (
            ({"coordinate": "f"}, ["no coordinate 'f'"]), ({"coordinate": None}, ["coordinate"]),
            ({"coordinates": "[d, e]"}, ["either coordinate or coordinates"]), ({"coordinate": None, "coordinates": "[d, e, d]"}, ["coordinates"]),
            ({"coordinate": None, "coordinates": "[d, d]", "width": "[1, 1]", "grid": "[[0, 3], [0, 3]]"}, ["are one"]),
            ({"coordinate": None, "coordinates": "[]"}, ["coordinates"]), ({"coordinate": None, "coordinates": "d"}, ["coordinates"]),
            ({"height": None}, ["height"]), ({"height": "-1"}, ["height"]), ({"height": ".nan"}, ["height"]),
            ({"width": None}, ["width"]), ({"width": "0"}, ["width"]), ({"width": "[0.1, 0.1]"}, ["width"]), ({"width": "x"}, ["width"]),
            ({"every": None}, ["every"]), ({"every": "0"}, ["every"]), ({"every": "2.5"}, ["every"]),
            ({"grid": None}, ["grid"]), ({"grid": "3"}, ["grid"]), ({"grid": "[0]"}, ["grid"]), ({"grid": "[3, 0]"}, ["LOW below HIGH"]),
            ({"grid": "[0, 3, 20]"}, ["too few", "at least 60"]), ({"grid": "[0, 3, 1e9]"}, ["grid"]), ({"grid": "[0, 3, 100, 1]"}, ["grid"]),
            ({"grid": "[0, .inf]"}, ["grid"]), ({"grid": "[[0, 3], [0, 3]]"}, ["grid"]), ({"grid": "[0, 1e6]"}, ["too few"]),
            ({"coordinate": None, "coordinates": "[d, e]", "width": "[0.001, 0.001]", "grid": "[[0, 3], [0, 3]]"}, ["nodes"]),
            ({"coordinate": None, "coordinates": "[d, e]"}, ["width", "list"]),
            ({"bias_factor": "1"}, ["bias_factor"]), ({"bias_factor": "5"}, ["temperature"]), ({"bias_factor": "5", "temperature": "0"}, ["temperature"]),
            ({"coordinate": "t", "grid": "[0, 300]"}, ["as long as its period, 360"]), ({"coordinate": "t", "width": "60"}, ["whole period", "50.9"]),
            ({"coordinate": None, "coordinates": "[t, e]", "width": "[20, 0.1]", "grid": None}, ["grid"]),
            ({"rate": "1"}, ["'rate'"]), ({"at": "1"}, ["'at'"])):
        entries = {key: value for key, value in {**good, **change}.items() if value is not None}
        text = "{name: m, kind: metadynamics, %s}" % ", ".join(f"{key}: {value}" for key, value in entries.items())
        said = trial.simulate(folder, "wrong", {**settings, "thermostat.type": "none", "coordinates": plain, "biases": f"[{text}]"}, status=2)
        checks.true(str(change), all(word in said for word in words), said)
    text = "{name: m, kind: metadynamics, coordinate: d, height: 1, width: 0.1, every: 10, grid: [0, 3]}"
    said = trial.simulate(folder, "wrong", {**settings, "coordinates": plain, "biases": f"[{text}, {text.replace('m,', 'n,')}]"}, status=2)
    checks.true("a second one", "this is a second" in said, said)
    source = os.path.join(folder, "lines.yaml")
    write(source, f"input: {settings['input']}\ncoordinates:\n  - {{name: a, kind: distance, of: {{}}, from: {{ids: [1, 2]}}}}\n"
          "biases:\n  - {name: q, kind: metadynamics, coordinate: a,\n     height: 1, width: -1, every: 1, grid: [0, 1]}\n")
    checks.refused("the line of a mistake", "lines.yaml:6", "run", source, cwd=folder)


def metadynamics(checks, folder, backend):
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2,
                "output.energies_every": 10, "parallel.backend": backend, "coordinates": COORDINATES}
    against_sums(checks, folder, settings, backend)
    one_trajectory(checks, folder, settings, backend)
    conserved(checks, folder, trial.membrane(folder, copies=1), {**settings, "neighbor.skin": "auto"}, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = metadynamics(checks, folder, "cpu")
        dihedral(checks, folder, settings)
        later_jobs(checks, folder, settings)
        profiles(checks, folder)
        outside(checks, folder, "cpu")
        mistakes(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
