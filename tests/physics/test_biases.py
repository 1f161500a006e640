"""Coordinates and biases of the run file: values, energies, forces, virial and work against an evaluator of its own, the
energy that is conserved, the same bits on any number of ranks, in several jobs, after kills and where the box changes, columns of files, groups
that are or become too wide, and mistakes in the lists."""
import csv
import os
import shutil
import tempfile

import numpy as np
import yaml

import trial
from oracle import State
from run_lamella import Checks, read, run, write
from test_fields import BAR, frame_forces

COORDINATES = """
- {name: depth, kind: distance, of: {molecules: [DMPC], ids: [1, 150]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, along: z}
- {name: apart, kind: distance, of: {ids: [1, 8]}, from: {ids: [106, 113]}}
- {name: flat, kind: distance, of: {ids: [1, 8]}, from: {ids: [91, 98]}, along: xy, weights: geometry}
- {name: slant, kind: distance, of: {ids: [16, 23]}, from: {ids: [106, 113]}, along: [1, -2, 0.5]}
- {name: coil, kind: gyration, of: {ids: [91, 98]}}
- {name: inside, kind: cylinder, of: {ids: [1, 8]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, radius: 1.4}
- {name: patch, kind: area}
- {name: size, kind: volume}
- {name: far, kind: distance, of: {ids: [16, 23]}, from: {ids: [106, 113]}, along: x, periodic: no}
- {name: tall, kind: distance, of: {ids: [1, 8]}, from: [1, 2, 3], along: z, length: 'yes'}
- {name: touch, kind: contacts, of: {ids: [1, 8]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}, r0: 0.6, d_max: 1.5}
- {name: meet, kind: contacts, of: {ids: [1, 150]}, from: {ids: [91, 113]}, r0: 0.5, d0: 0.2, n: 4, m: 10, d_max: 1.2}
"""
UNITS = {"patch": "_nm2", "size": "_nm3", "touch": "_contacts", "meet": "_contacts"}
BIASES = """
- {name: pull, coordinate: depth, kind: umbrella, k: 1000, at: 1.5, rate: 0.5}
- {name: wall, coordinate: apart, kind: flat_bottom, k: 800, high: 0.7}
- {name: floor, coordinate: flat, kind: flat_bottom, k: 700, low: 0.5, high: [[0, 1.2], [1, 0.8]]}
- {name: push, coordinate: slant, kind: constant_force, force: [[0, 50], [0.5, 90]]}
- {name: swell, coordinate: coil, kind: umbrella, k: 2000, at: 0.9}
- {name: dive, coordinate: inside, kind: umbrella, k: 400, at: 0.5}
- {name: press, coordinate: patch, kind: umbrella, k: 3, at: 38}
- {name: fill, coordinate: size, kind: constant_force, force: -0.6}
- {name: hold, coordinate: far, kind: umbrella, k: [[0, 300], [0.2, 500]], at: 0.2}
- {name: stay, coordinate: tall, kind: umbrella, k: 600, at: start+0.1, rate: 0.2}
- {name: bind, coordinate: touch, kind: umbrella, k: 2, at: start+5, rate: -3}
- {name: part, coordinate: meet, kind: flat_bottom, k: 0.1, high: 240}
"""


def flow(text):
    return yaml.safe_dump(yaml.safe_load(text), default_flow_style=True, width=10**9).strip()


class Expected:
    """What lists give in a state: values, energies, forces on beads and virial at a time, ps."""

    def __init__(self, path, coordinates, biases, time=0.0):
        self.state = s = State(path)
        self.place = s.word / 2.0**32
        self.force, self.virial, self.value, self.energy, self.place_of = np.zeros((s.n, 3)), np.zeros((3, 3)), {}, {}, {}
        gradient = {}
        for c in yaml.safe_load(coordinates):
            self.value[c["name"]], gradient[c["name"]] = getattr(self, c["kind"])(c)
        for b in yaml.safe_load(biases):
            x = self.value[b["coordinate"]]
            energy, f = self.bias(b, x, time)
            self.energy[b["name"]] = energy
            slope, virial = gradient[b["coordinate"]]
            self.force += f * slope
            self.virial += f * virial

    def shares(self, group, weights):
        s = self.state
        ids = np.arange(1, s.n + 1)
        first, last = group.get("ids", [1, s.n])
        inside = (ids >= first) & (ids <= last)
        if "molecules" in group:
            inside &= np.isin(s.kind, [list(s.ff["molecules"]).index(name) for name in group["molecules"]])
        w = inside * (s.by_type("mass") if weights == "mass" else 1.0)
        return w / w.sum()

    def centre(self, share):
        """Fraction of the box: of the images that are nearest to it, from the circular mean on."""
        middle = np.angle(share @ np.exp(2j * np.pi * self.place)) / (2 * np.pi)
        for _ in range(20):
            d = self.place - middle
            middle = middle + share @ (d - np.round(d))
        return middle

    def area(self, c):
        """Of the box; the slope by its strain. Volume too."""
        axes = np.array([1, 1, c["kind"] == "volume"], float)
        value = np.prod(self.state.box[axes > 0])
        return value, (np.zeros((self.state.n, 3)), value * np.diag(axes))

    volume = area

    def gyration(self, c):
        share = self.shares(c["of"], "mass")
        d = self.place - self.centre(share)
        d = (d - np.round(d)) * self.state.box
        value = np.sqrt(share @ (d * d).sum(1))
        slope = share[:, None] * d / value
        return value, (slope, d.T @ slope)

    def cylinder(self, c):
        """Along z. Beads are of the image that is nearest to the whole group."""
        box, a, b = self.state.box, self.shares(c["of"], "mass"), self.shares(c["from"], "mass")
        at, middle = self.centre(a), self.centre(b)
        d = self.place - np.array([at[0], at[1], middle[2]])
        guide = (middle - at)[2]
        d = ((d - np.round(d)) + [0, 0, guide - np.round(guide)]) * box
        inside = np.maximum(1 - (d[:, 0]**2 + d[:, 1]**2) / c["radius"]**2, 0)
        weight = b * inside**2
        height = weight @ d[:, 2] / weight.sum()
        slope = -(weight / weight.sum())[:, None] * [0, 0, 1]
        slope[:, :2] += (b * inside * 4 / c["radius"]**2 * (d[:, 2] - height) / weight.sum())[:, None] * d[:, :2]
        virial = d.T @ slope
        return -height, (slope - np.outer(a, slope.sum(0)), virial)

    def contacts(self, c):
        """By all pairs, in long double: the rational function of PLUMED, stretched to end at d_max."""
        a, b = (np.flatnonzero(self.shares(c[key], "geometry")) for key in ("of", "from"))
        n, r0, d0, end, real = c.get("n", 6), c["r0"], c.get("d0", 0), c["d_max"], np.longdouble
        m = c.get("m", 2 * n)
        d = self.state.word[a][:, None].astype(real) - self.state.word[b].astype(real)
        d = ((d + 2**31) % real(2**32) - 2**31) / 2**32 * self.state.box
        r = np.sqrt((d * d).sum(2)) + (a[:, None] == b) * real(100)

        def rational(r):
            x = np.maximum((r - d0) / real(r0), 0)
            top, low = 1 - x**n, 1 - x**m
            return top / low, (m * x**(m - 1) * top / low - n * x**(n - 1)) / low / r0

        (s, ds), last = rational(r), rational(real(end))[0]
        inside = r < end
        slope = (inside * ds / (1 - last) / r)[:, :, None] * d
        g = np.zeros((self.state.n, 3))
        np.add.at(g, a, slope.sum(1).astype(float))
        np.add.at(g, b, -slope.sum(0).astype(float))
        return float((inside * (s - last) / (1 - last)).sum()), (g, np.einsum("ija,ijb->ab", d, slope).astype(float))

    def distance(self, c):
        s, weights = self.state, c.get("weights", "mass")
        a = self.shares(c["of"], weights)
        if isinstance(c["from"], list):  # a point
            b, there = np.zeros(s.n), np.array(c["from"]) / s.box
        else:
            b = self.shares(c["from"], weights)
            there = self.centre(b)
        d = self.centre(a) - there
        d = (d - np.round(d)) * s.box
        along = c.get("along", "xyz")
        if isinstance(along, list):
            g = np.array(along) / np.linalg.norm(along)
            value = g @ d
        else:
            axes = np.array([letter in along for letter in "xyz"], float)
            signed = len(along) == 1 and "length" not in c
            value = axes @ d if signed else np.sqrt(axes @ d**2)
            g = axes if signed else axes * d / value
        return value, (np.outer(a - b, g), np.outer(d * (g != 0), g))

    @staticmethod
    def at(value, time):
        return value if not isinstance(value, list) else np.interp(time, *np.array(value).T)

    def bias(self, b, x, time):
        value = {key: self.at(b[key], time) for key in b if key not in ("name", "coordinate", "kind")}
        if isinstance(value.get("at"), str):
            value["at"] = x + float(value["at"][5:])
        for key in "at", "low", "high":
            if key in value:
                value[key] += value.get("rate", 0) * time
        if b["kind"] == "constant_force":
            return -value["force"] * x, value["force"]
        low, high = value.get("low", value.get("at", -np.inf)), value.get("high", value.get("at", np.inf))
        d = min(x - low, 0) + max(x - high, 0)
        return value["k"] * d * d / 2, -value["k"] * d


def lines(folder, prefix):
    with open(os.path.join(folder, prefix + ".coordinates.csv")) as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def against_evaluator(checks, folder, start, settings, backend):
    want = Expected(start, COORDINATES, BIASES)
    still = {**settings, "run.steps": 0, "output.frames_every": 1, "output.forces": 1}
    for precision in "mixed", "double":
        case = {**still, "run.precision": precision}
        trial.simulate(folder, "with", case)
        trial.simulate(folder, "without", {**case, "coordinates": "[]", "biases": "[]"})
        a, b, own = trial.columns(folder, "with"), trial.columns(folder, "without"), lines(folder, "with")
        checks.true("a column of its own", "bias" in a and "bias" not in b)
        for name, value in want.value.items():
            column = name + UNITS.get(name, "_nm")
            checks.close(name, own[column][0], value, 2e-10, absolute=2e-9)
            checks.close(name, a[column][0], value, 2e-10, absolute=2e-9)
        for name, value in want.energy.items():
            checks.close(name, own[name + "_energy"][0], value, 1e-8)
            checks.true(name + " acts", abs(value) > 1, value)
        checks.close(f"energy, {precision}, {backend}", a["bias"][0], sum(want.energy.values()), 1e-9)
        checks.close("potential", a["potential"][0] - b["potential"][0], sum(want.energy.values()), 1e-8)
        for i in range(3):
            for j in range(3):
                name = f"p{'xyz'[i]}{'xyz'[j]}_bar"
                checks.close(name, a[name][0] - b[name][0], want.virial[i, j] / want.state.box.prod() * BAR, absolute=1e-3)
        difference = frame_forces(folder, "with") - frame_forces(folder, "without")
        checks.close(f"forces, {precision}, {backend}", np.abs(difference - want.force).max(), 0, absolute=1e-3)
        checks.true("forces on some", np.abs(want.force).max() > 20)


def same_lines(checks, folder, prefixes, what):
    texts = [open(os.path.join(folder, p + end)).read() for p in prefixes for end in (".coordinates.csv", ".csv")]
    checks.true(what, len(set(texts)) == 2, len(set(texts)))


def one_trajectory(checks, folder, settings, backend):
    """The same bits on any number of ranks, in parts, and after a job that was killed; forces are checked."""
    case = {**settings, "run.steps": 40, "run.verify": 20, "barostat.type": "berendsen", "output.coordinates_every": 3}
    trial.same_states(checks, folder, case, (1, 3), 17, backend)
    same_lines(checks, folder, ("on1", "on3", "parts"), "files of coordinates")
    trial.simulate(folder, "killed", {**case, "run.steps": 20})
    kept = trial.checkpoint(folder, "killed")
    shutil.copy(kept, kept + ".kept")
    trial.simulate(folder, "killed", {**case, "run.steps": 36}, restart="auto")
    os.replace(kept + ".kept", kept)
    with open(os.path.join(folder, "killed.coordinates.csv"), "a") as file:
        file.write("39,0.")
    trial.simulate(folder, "killed", case, restart="auto", ranks=2)
    wrong = trial.differences(trial.checkpoint(folder, "on1"), kept)
    checks.true(f"{backend}: the state after a kill", not wrong, wrong)
    same_lines(checks, folder, ("on1", "killed"), "files of coordinates after a kill")


def across_a_power(checks, folder, settings, backend):
    """Moments have as many binary places as the box at the start of the run leaves, by its diagonal over a radius: a
    barostat takes that across a power of two before the second job begins, and no bit changes."""
    diagonal = np.linalg.norm(State(settings["input"]).box)
    power = 2**np.ceil(np.log2(2 * diagonal))  # a radius below 1 nm
    radius = 2 * diagonal / power * (1 - 1e-5)
    chosen = [{**c, **({"radius": float(radius)} if c["kind"] == "cylinder" else {})}
              for c in yaml.safe_load(COORDINATES) if c["kind"] in ("cylinder", "gyration")]
    names = [c["name"] for c in chosen]
    case = {**settings, "run.steps": 40, "barostat.type": "berendsen", "barostat.pressure": 3000, "barostat.tau": 0.5,
            "barostat.every": 2, "run.precision": "double", "output.energies_every": 17, "output.coordinates_every": 1,
            "coordinates": flow(yaml.safe_dump(chosen)),
            "biases": flow(yaml.safe_dump([b for b in yaml.safe_load(BIASES) if b["coordinate"] in names]))}
    trial.same_states(checks, folder, case, (1, 3), 17, backend + ", across a power of two")
    same_lines(checks, folder, ("on1", "on3", "parts"), "lines across a power of two")
    rows = trial.columns(folder, "on1")
    far = [2 * np.linalg.norm([rows[key][k] for key in ("lx_nm", "ly_nm", "lz_nm")]) / radius for k in (0, 1)]
    checks.true("it is crossed", radius < 1 and far[1] < power < far[0], far, power)


def conserved(checks, folder, start, settings, backend):
    """The total energy less the work of moving biases is conserved; without that it is not."""
    case = {**settings, "input": start, "thermostat.type": "none", "run.dt": 0.002, "run.steps": 200,
            "output.energies_every": 10, "run.precision": "double"}
    trial.simulate(folder, "nve0", {**case, "coordinates": "[]", "biases": "[]"})
    trial.simulate(folder, "nve", case)
    free, found = trial.columns(folder, "nve0"), trial.columns(folder, "nve")
    drift, bare = np.ptp(found["conserved"]), np.ptp(free["conserved"])
    work = np.ptp(found["bias_work"])
    checks.true(f"energy is conserved, {backend}", drift < 2 * bare + 1e-3 * work, drift, bare, work)
    checks.true("and biases do work", work > 50 * drift, work, drift)
    own = lines(folder, "nve")
    checks.close("work", own["pull_work"][-1] + own["push_work"][-1] + own["hold_work"][-1] + own["floor_work"][-1] +
                 own["wall_work"][-1] + own["stay_work"][-1] + own["bind_work"][-1], found["bias_work"][-1], 1e-9)
    checks.true("no work at rest", not own["wall_work"].any())
    checks.close("place", own["pull_place"][-1], 1.5 + 0.5 * 0.4, 1e-9)


def means(folder, prefix):
    with open(os.path.join(folder, prefix + ".coordinates.means.csv")) as file:
        rows = [line for line in file if not line.startswith("#")]
    row = next(csv.DictReader(rows))
    return row


def observed(checks, folder, settings, backend):
    """The observable has the means of the lines of the run, over jobs, and of its frames."""
    case = {**settings, "run.steps": 100, "output.frames_every": 10, "observe": "[{coordinates: {every: 10}}]"}
    trial.simulate(folder, "seen", {**case, "run.steps": 40})
    trial.simulate(folder, "seen", case, restart="auto", ranks=2)
    run("analyze", "seen.h5md", "--output=frames", "--set=observe=[{coordinates: {every: 10}}]", cwd=folder, ranks=2)
    own, frames, found = means(folder, "seen"), means(folder, "frames"), lines(folder, "seen")
    for name in yaml.safe_load(settings["coordinates"]):
        column = name["name"] + UNITS.get(name["name"], "_nm")
        mean, deviation = found[column].mean(), found[column].std()
        got = [key for key in own if key.startswith(name["name"])]
        checks.true("columns of " + name["name"], len(got) > 1, list(own))
        for which, row, allowed in ("run", own, 1e-6), ("frames", frames, 2e-6):
            values = [float(row[key]) for key in got if "error" not in key and "time" not in key]
            checks.close(f"mean, {which}, {column}", values[0], mean, allowed, allowed)
            checks.close(f"deviation, {which}, {column}", values[1], deviation, 1e-3, 1e-5)


def too_wide(checks, folder, settings):
    """Refused at the start, along the axes that are read, and in a run."""
    one = {**settings, "biases": "[]", "run.steps": 0}
    wide = "[{name: d, kind: distance, of: {ids: [1, 20]}, from: {molecules: [DOPC, DMPC, DOPE, POPC]}%s}]"
    said = trial.simulate(folder, "wide", {**one, "coordinates": wide % ""}, status=2)
    checks.true("too wide", "'d'" in said and "wider than half the box" in said, said)
    trial.simulate(folder, "wide", {**one, "coordinates": wide % ", along: z"})
    gas = trial.liquid(folder, "gas", (4, 4, 4), 0.02, 1.0, 10)
    apart = {"input": gas, "parallel.backend": settings["parallel.backend"], "run.steps": 4000, "run.dt": 0.004, "output.energies_every": 1000,
             "thermostat.type": "langevin", "thermostat.temperature": 1, "thermostat.tau": 0.5,
             "output.coordinates_every": 10,
             "coordinates": "[{name: pair, kind: distance, of: {ids: [1, 2]}, from: {ids: [100, 100]}, along: x}, "
                            "{name: open, kind: distance, of: {ids: [1, 1]}, from: {ids: [2, 2]}, along: x, periodic: no}]",
             "biases": "[{name: push, coordinate: open, kind: constant_force, force: 20}]"}
    said = trial.simulate(folder, "gas_wide", apart, status=3)
    checks.true("has become too wide", "'pair'" in said and "step" in said and "wider than half" in said, said)
    shrinks = {**apart, "biases": "[]", "barostat.type": "berendsen", "barostat.coupling": "isotropic", "barostat.pressure": 5000,
               "barostat.tau": 0.5, "barostat.compressibility": 4e-3,
               "coordinates": CONTACTS % f"r0: 0.5, d_max: {0.495 * State(gas).box.min()}"}
    said = trial.simulate(folder, "gas_shrinks", shrinks, status=3)
    checks.true("the box has become too small for contacts", "'c'" in said and "step" in said and "2 d_max" in said, said)
    apart = {**apart, "coordinates": apart["coordinates"].replace("[1, 2]", "[1, 1]"), "run.steps": 1500}
    trial.simulate(folder, "gas_free", apart)
    trial.simulate(folder, "gas_parts", {**apart, "run.steps": 1300})
    trial.simulate(folder, "gas_parts", apart, restart="auto")
    same_lines(checks, folder, ("gas_free", "gas_parts"), "images are followed from job to job")
    found, box = lines(folder, "gas_free"), State(gas).box[0]
    checks.true("a difference goes on beyond the box", found["open_nm"].max() > 1.5 * box, found["open_nm"].max(), box)
    checks.true("in small steps", np.abs(np.diff(found["open_nm"])).max() < 0.25 * box)


def table(checks, folder, start, settings):
    """A cubic spline of a parabola is the parabola; straight lines follow beyond its ends; the force is the slope."""
    rows = np.linspace(-1.5, 1.5, 31)
    write(os.path.join(folder, "u.xvg"), "# x U f\n" + "".join("%.9g %.12g %.12g\n" % (x, 40 * x * x, -80 * x) for x in rows))
    for name in "slant", "apart":
        bias = "[{name: b, coordinate: %s, kind: table, file: u.xvg, scale: 3}]" % name
        trial.simulate(folder, "table", {**settings, "run.steps": 0, "biases": bias})
        row = {key: values[0] for key, values in lines(folder, "table").items()}
        x = row[name + "_nm"]
        inside = min(max(x, -1.5), 1.5)
        checks.close("table: energy", row["b_energy"], 3 * (40 * inside**2 + 80 * inside * (x - inside)), 1e-9)
        checks.close("table: force", row["b_force"], -240 * inside, 1e-9)
    trial.simulate(folder, "table", {**settings, "input": start, "run.steps": 20, "biases": bias, "run.verify": 10})
    write(os.path.join(folder, "bad.xvg"), "0 1 2\n1 x 3\n")
    for text, words in (("file: bad.xvg", ["bad.xvg:2", "'x'"]), ("scale: 2", ["file"]), ("file: none.xvg", ["none.xvg"])):
        said = trial.simulate(folder, "wrong", {**settings, "biases": "[{name: b, coordinate: slant, kind: table, %s}]" % text}, status=2)
        checks.true(text, all(word in said for word in words), said)


CONTACTS = "[{name: c, kind: contacts, of: {ids: [1, 20]}, from: {ids: [5, 90]}, %s}]"


def equal_names(checks, folder, settings):
    """Names that are not the same, and make columns or datasets that are: refused at the start, with places and both names."""
    place = "kind: distance, of: {ids: [1, 20]}, from: {ids: [100, 140]}"
    first = f"input: {settings['input']}\nrun: {{steps: 10}}\nparallel: {{backend: cpu}}\n"
    output = "output: {prefix: equal, energies_every: 10, coordinates_every: 10}\n"
    observe = "observe: [{coordinates: {every: 10}}]\n"
    for names, more, words in (
            (["lz"], output, ["lines.yaml:6: coordinates[1]", "'lz'", "lz_nm", "equal.csv"]),
            (["d", "d_error"], observe, ["lines.yaml:4: observe[1]", "'d' and 'd_error'", "means/d_error"]),
            (["d_time", "d"], observe, ["lines.yaml:4: observe[1]", "'d_time' and 'd'", "means/d_time"]),
            (["d", "d_deviation_time"], observe, ["lines.yaml:4: observe[1]", "'d_deviation' and 'd_deviation_time'"]),
            (["label"], observe, ["lines.yaml:4: observe[1]", "'label'", "means/label"])):
        listed = "coordinates:\n" + "".join(f"  - {{name: {name}, {place}}}\n" for name in names)
        write(os.path.join(folder, "lines.yaml"), first + more + listed)
        for options in ((), ("--dry-run",)):
            said = run("run", "lines.yaml", *options, cwd=folder, status=2).stderr
            checks.true(f"{names} {options}", all(word in said for word in words), said)
    listed = "coordinates:\n  - {name: volume, kind: volume}\n" + f"  - {{name: x, {place}}}\n  - {{name: y, {place}, along: z}}\n"
    listed += "biases:\n  - {name: x, kind: constraint, coordinate: x, at: start}\n  - {name: x_mean, kind: umbrella, coordinate: y, k: 1, at: start}\n"
    for with_volume, words in ((True, ["lines.yaml:6: coordinates[1]", "volume_nm3"]),
                               (False, ["lines.yaml:10: biases[1]", "'x' and 'x_mean' (lines.yaml:11: biases[2])", "x_mean_force", "equal.coordinates.csv"])):
        write(os.path.join(folder, "lines.yaml"), first + output + listed.replace("name: volume", "name: volume" if with_volume else "name: v"))
        said = run("run", "lines.yaml", "--dry-run", cwd=folder, status=2).stderr
        checks.true("columns of coordinates and biases", all(word in said for word in words), said)


def mistakes(checks, folder, settings):
    d = "[{name: d, kind: distance, of: {ids: [1, 20]}, from: {ids: [100, 140]}}]"
    for coordinates, biases, words in (
            ("[{name: d, kind: distanse, of: {}, from: {}}]", "[]", ["distanse", "distance"]),
            ("[{name: d, kind: distance, from: {}}]", "[]", ["of"]),
            ("[{name: d, kind: distance, of: {}}]", "[]", ["from"]),
            ("[{kind: distance, of: {}, from: {}}]", "[]", ["name"]),
            ("[{name: 'a b', kind: distance, of: {}, from: {}}]", "[]", ["a b"]),
            ("[{name: d, kind: distance, of: [{}, {}], from: {}}]", "[]", ["2 groups"]),
            (d[:-1] + ", " + d[1:], "[]", ["two coordinates"]),
            (d.replace("}}]", "}, along: w}]"), "[]", ["along", "w"]),
            (d.replace("}}]", "}, along: [0, 0, 0]}]"), "[]", ["vector is 0"]),
            (d.replace("}}]", "}, along: [0, 1]}]"), "[]", ["along"]),
            (d.replace("}}]", "}, periodic: no}]"), "[]", ["images to follow"]),
            (d.replace("}}]", "}, r0: 2}]"), "[]", ["'r0'"]),
            (d.replace("}}]", "}, along: [0, 1, 1], length: yes}]"), "[]", ["length is of"]),
            (d.replace("}}]", "}, along: xy, length: no}]"), "[]", ["length is of"]),
            (d.replace("}}]", "}, along: z, length: 2}]"), "[]", ["length"]),
            (d.replace("{ids: [100, 140]}", "[1, 2]"), "[]", ["from", "a list is a point", "{ids: ...}"]),
            (d.replace("{ids: [100, 140]}", "[1, 2, x]"), "[]", ["from", "x"]),
            (d.replace("{ids: [1, 20]}", "[1, 2, 3]"), "[]", ["3 groups", "{ids: [...]}"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: 1, at: start5}]", ["expected start"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: 1, at: start+x}]", ["expected start"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: start, at: 1}]", ["k"]),
            (d, "[{name: b, coordinate: d, kind: flat_bottom, k: 1, low: start+2, high: start+1}]", ["low is above high"]),
            (d.replace("}}]", "}, weights: charge}]"), "[]", ["charge"]),
            (d.replace("[1, 20]", "[5, 2]"), "[]", ["ids"]),
            (d.replace("{ids: [1, 20]}", "{molecules: [XXXX]}"), "[]", ["no molecule type 'XXXX'"]),
            (d.replace("{ids: [1, 20]}", "{molecules: [DMPC], types: [W]}"), "[]", ["has no bead"]),
            (d, "[{name: b, coordinate: e, kind: umbrella, k: 1, at: 1}]", ["no coordinate 'e'"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: 1}]", ["at"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: -1, at: 1}]", ["k"]),
            (d, "[{name: b, coordinate: d, kind: spring, k: 1, at: 1}]", ["spring", "umbrella"]),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: .nan, at: 1}]", ["k"]),
            (d, "[{name: b, coordinate: d, kind: constant_force, force: 1, rate: 1}]", ["'rate'"]),
            (d, "[{name: b, coordinate: d, kind: flat_bottom, k: 1}]", ["low"]),
            (d, "[{name: b, coordinate: d, kind: flat_bottom, k: 1, low: 2, high: 1}]", ["low is above high"]),
            *((d, "[{name: b, coordinate: d, kind: " + kind + "}]", ["exerts no force"]) for kind in
              ("umbrella, k: 0, at: 1", "constant_force, force: 0", "flat_bottom, k: 0, low: 1",
               "metadynamics, height: 0, width: 0.1, every: 10")),
            (d, "[{name: b, coordinate: d, kind: umbrella, k: 1, at: [[1, 1], [0, 1]]}]", ["before"]),
            ("[]", "[{name: b, coordinate: d, kind: umbrella, k: 1, at: 1}]", ["no coordinate 'd'"]),
            ("[{name: a, kind: angle, of: [{ids: [1, 2]}, {ids: [3, 4]}]}]", "[]", ["2 groups", "3 or 4"]),
            ("[{name: a, kind: dihedral, of: [" + ", ".join("{ids: [%d, %d]}" % (k, k) for k in range(1, 6)) + "]}]", "[]", ["5 groups"]),
            ("[{name: a, kind: tilt, of: [{ids: [1, 2]}, {ids: [3, 4]}], axis: xy}]", "[]", ["axis"]),
            ("[{name: a, kind: volume, of: {}}]", "[]", ["'of'"]),
            (CONTACTS % "r0: 0.5", "[]", ["d_max"]),
            (CONTACTS % "d_max: 1", "[]", ["r0"]),
            (CONTACTS % "r0: 0.5, d_max: 0.4", "[]", ["not beyond d0 + r0, 0.5 nm"]),
            (CONTACTS % "r0: 0.5, d0: 0.6, d_max: 1", "[]", ["not beyond d0 + r0, 1.1 nm"]),
            (CONTACTS % "r0: 0.5, d_max: 1, n: 6, m: 6", "[]", ["m is not above n"]),
            (CONTACTS % "r0: 0.5, d_max: 1, n: 1", "[]", ["n"]),
            (CONTACTS % "r0: 0.5, d_max: 1, m: 65", "[]", ["m"]),
            (CONTACTS % "r0: -0.5, d_max: 1", "[]", ["r0"]),
            (CONTACTS % "r0: 0.5, d_max: 1, weights: mass", "[]", ["without weights"]),
            (CONTACTS % "r0: 0.5, d_max: 1, along: z", "[]", ["'along'"]),
            (CONTACTS.replace("{ids: [1, 20]}", "[[1, 2, 3]]") % "r0: 0.5, d_max: 1", "[]", ["give a group"]),
            (CONTACTS % "r0: 0.5, d_max: 40", "[]", ["'c'", "40 nm", "half of the least box edge"]),
            (CONTACTS.replace("[1, 20]", "[1, 1200]").replace("[5, 90]", "[1, 1300]") % "r0: 0.5, d_max: 1", "[]",
             ["'c'", "1200 beads", "may have 1024"]),
            ("[" + ", ".join(d[1:-1].replace("name: d", f"name: d{k}") for k in range(33)) + "]", "[]", ["32"]),
            ("[" + ", ".join(d[1:-1].replace("name: d", f"name: d{k}").replace("1, 20", f"{k + 1}, 20") for k in range(17)) + ", " +
             ", ".join(d[1:-1].replace("name: d", f"name: e{k}").replace("1, 20", f"{k + 1}, 30") for k in range(15)) + "]", "[]",
             ["at most 32 groups"])):
        said = trial.simulate(folder, "wrong", {**settings, "coordinates": coordinates, "biases": biases}, status=2)
        checks.true((coordinates + biases)[:100], all(word in said for word in words), said)
    equal_names(checks, folder, settings)
    source = os.path.join(folder, "lines.yaml")
    write(source, f"input: {settings['input']}\ncoordinates:\n  - {{name: a, kind: distance, of: {{}}}}\nbiases:\n  - {{name: q}}\n")
    checks.refused("the line of a mistake", "lines.yaml:3", "run", source, cwd=folder)
    write(source, f"input: {settings['input']}\ncoordinates:\n  - {{name: a, kind: distanse}}\n  - {{name: a b, kind: volume}}\n"
          "biases:\n  - {name: q, coordinate: a, kind: umbrella, k: 1}\n  - {name: r, coordinate: a b, kind: umbrella, k: -1, at: 1}\n"
          "fields:\n  - {form: electrik, z: 1}\n")
    checks.refused("of three lists, all at once, and no other", ["5 mistakes", "lines.yaml:3: ", "lines.yaml:4: ", "lines.yaml:6: biases[1]: ",
                                                                 "lines.yaml:7: biases[2].k: ", "lines.yaml:9: "], "run", source, cwd=folder)


def without_meaning(checks, folder, settings):
    """What is well formed and says nothing, or cannot be: each is refused with its line, all of a list at once."""
    one, two, three, four = ("{ids: [%d, %d]}" % (k, k + 1) for k in (1, 3, 5, 7))
    rows = ("distance, of: %s, from: %s" % (one, one), "gyration, of: {ids: [5, 5]}", "angle, of: [%s, %s, %s]" % (one, two, one),
            "angle, of: [%s, %s, %s, %s]" % (one, two, two, one), "tilt, of: [%s, %s]" % (two, two), "tilt, of: [[1, 2, 3], [2, 2, 3]]",
            "dihedral, of: [%s, %s, %s, %s]" % (one, two, two, three), "dihedral, of: [%s, %s, %s, %s, %s, %s]" % (one, two, three, four, three, four),
            "projection, of: [%s, %s, %s, %s]" % (one, two, three, three),
            "contacts, of: {ids: [5, 5]}, from: {ids: [5, 5]}, r0: 0.5, d_max: 1")
    good = ("contacts, of: %s, from: %s, r0: 0.5, d_max: 1" % (one, one), "projection, of: [%s, %s, %s, %s]" % (one, two, two, one),
            "dihedral, of: [%s, %s, %s, %s, %s, %s]" % (one, two, two, three, one, four))
    head = f"input: {settings['input']}\nrun: {{steps: 0}}\nparallel: {{backend: cpu}}\ncoordinates:\n"
    listed = "".join("  - {name: c%d, kind: %s}\n" % pair for pair in enumerate((*rows, *good)))
    said = run("run", write(os.path.join(folder, "lines.yaml"), head + listed), cwd=folder, status=2).stderr
    for k in range(len(rows)):
        checks.true(rows[k], f"lines.yaml:{5 + k}: coordinates[{k + 1}]: 'c{k}' says nothing: " in said, said)
    checks.true("all at once, and no other", f"{len(rows)} mistakes" in said, said)
    head += "".join("  - {name: %s}\n" % text for text in (
        "d, kind: distance, of: %s, from: %s" % (one, two), "z, kind: distance, of: %s, from: %s, along: z" % (one, two),
        "t, kind: tilt, of: [%s, %s]" % (one, two), "f, kind: distance, of: %s, from: %s, along: z, periodic: no" % (one, two)))
    rows = ("d, kind: umbrella, k: 1, at: -1", "d, kind: umbrella, k: 1, at: 50", "z, kind: umbrella, k: 1, at: start-50",
            "z, kind: umbrella, k: 1, at: [[0, 0], [1, 9]]", "t, kind: umbrella, k: 1, at: 190", "t, kind: flat_bottom, k: 1, low: 200",
            "d, kind: flat_bottom, k: 1, high: -1", "d, kind: flat_bottom, k: 1, low: 50", "z, kind: umbrella, k: 1, at: 0, rate: 1e4")
    good = ("f, kind: umbrella, k: 1, at: 50", "d, kind: flat_bottom, k: 1, high: 50", "t, kind: umbrella, k: 1, at: 180")
    listed = "biases:\n" + "".join("  - {name: b%d, coordinate: %s}\n" % pair for pair in enumerate((*rows, *good)))
    said = run("run", write(os.path.join(folder, "lines.yaml"), head.replace("steps: 0", "steps: 10") + listed), cwd=folder, status=2).stderr
    for k in range(len(rows)):
        checks.true(rows[k], f"lines.yaml:{10 + k}: biases[{k + 1}]." in said, said)
    checks.true("all at once, and no other", f"{len(rows)} mistakes" in said, said)
    write(os.path.join(folder, "close.xvg"), "0 0 0\n1e-320 0 0\n2e-320 0 0\n")
    for text, words in (("biases: [{name: b, coordinate: z, kind: table, file: ''}]", ["lines.yaml:9: biases[1].file: ''"]),
                        ("biases: [{name: b, coordinate: z, kind: table, file: close.xvg}]", ["lines.yaml:9: biases[1].file", "too close"]),
                        ("biases: [{name: b, coordinate: z, kind: umbrella, k: 1, at: start+1e300}]", ["lines.yaml:9: biases[1].at", "more than"]),
                        ("  - {name: c, kind: cylinder, of: %s, from: %s, radius: 3}" % (one, two), ["lines.yaml:9: coordinates[5]", "radius", "half"]),
                        ("  - {name: w, kind: gyration, of: {}}", ["lines.yaml:9: coordinates[5]: group 1 of 'w'", "wider than half"])):
        source = write(os.path.join(folder, "lines.yaml"), head + text + "\n")
        checks.refused(text, words, "run", source, cwd=folder)
    volume = {**settings, "run.steps": 0, "coordinates": "[{name: v, kind: volume}]", "biases": "[{name: b, coordinate: v, kind: umbrella, k: 1, at: start}]"}
    for type_of, warns in ("none", True), ("berendsen", False):
        said = trial.simulate(folder, "still", {**volume, "barostat.type": type_of})
        checks.true("a bias on a box that does not change", ("no effect" in said) == warns, said)


def other_lists_later(checks, folder, settings):
    """A job with other biases goes on: its files have other columns; work is kept by the names of bias and coordinate."""
    case = {**settings, "run.steps": 10}
    trial.simulate(folder, "later", case)
    more = flow(BIASES + "- {name: more, coordinate: depth, kind: umbrella, k: 10, at: 1}\n")
    said = trial.simulate(folder, "later", {**case, "run.steps": 20, "biases": more}, restart="auto", status=2)
    checks.true("other columns are refused", "later.coordinates.csv" in said and "other columns" in said, said)
    before = lines(folder, "later")
    os.unlink(os.path.join(folder, "later.coordinates.csv"))
    said = trial.simulate(folder, "later", {**case, "run.steps": 20, "biases": more}, restart="auto")
    checks.true("a change of biases is said", "biases" in said, said)
    after = lines(folder, "later")
    checks.close("work goes on", after["pull_work"][0], before["pull_work"][-1], 1e-12)
    checks.true("a file that is not there", "coordinates.csv', the coordinates of the run, is not there" in said, said)
    path = os.path.join(folder, "later.coordinates.csv")
    kept = read(path).splitlines(True)
    write(path, "".join(kept[:2]))
    moved = more.replace("coordinate: tall", "coordinate: far")
    said = trial.simulate(folder, "later", {**case, "run.steps": 30, "biases": moved}, restart="auto")
    checks.true("lines that are not there", "no lines of the steps from 11 to 20" in said, said)
    row = {key: values[-1] for key, values in lines(folder, "later").items()}
    checks.close("on another coordinate it is another bias", row["stay_place"], after["far_nm"][-1] + 0.1 + 0.2 * 30 * settings["run.dt"], 0.02)


def biases(checks, folder, backend):
    start = trial.membrane(folder)
    settings = {"input": start, "run.dt": 0.005, "thermostat.type": "langevin", "neighbor.skin": 0.2,
                "output.energies_every": 10, "output.coordinates_every": 10, "parallel.backend": backend,
                "coordinates": flow(COORDINATES), "biases": flow(BIASES)}
    against_evaluator(checks, folder, start, settings, backend)
    one_trajectory(checks, folder, settings, backend)
    across_a_power(checks, folder, settings, backend)
    patch = trial.membrane(folder, copies=1)
    conserved(checks, folder, patch, {**settings, "neighbor.skin": "auto"}, backend)
    return settings


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = biases(checks, folder, "cpu")
        observed(checks, folder, settings, "cpu")
        too_wide(checks, folder, settings)
        table(checks, folder, settings["input"], settings)
        mistakes(checks, folder, settings)
        without_meaning(checks, folder, settings)
        other_lists_later(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
