#!/usr/bin/env python3
"""lamella-report on a short run: the numbers of the page are those of the files, nothing outside of it is
needed, missing and damaged files are named on it. Errors and the end of equilibration against plain
loops and a process whose correlation time is known."""
import contextlib
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from run_lamella import Checks, read, run, skip, write

source = os.environ["top_srcdir"]
sys.path.insert(0, os.path.join(source, "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import jinja2  # noqa: F401
    import numpy as np
    import yaml  # noqa: F401
    import lamella
    from lamella import command, figures, looks, packages, report, statistics, tables, words
    import made_observables
    import trial
except ImportError as missing:
    skip(missing)

checks = Checks()
dice = np.random.default_rng(11)
work = tempfile.TemporaryDirectory(prefix="test_report.")
os.chdir(work.name)
SPEC = """
forcefield: elba
seed: 3
temperature: 303
bilayer: {upper: {DOPC: 18}, lower: {DOPC: 18}, water_per_lipid: 20, area_per_lipid: 0.7}
minimise: {max_steps: 200, force: 2000}
"""
VOID = {"meta", "img", "br", "path", "use", "rect", "line", "stop", "link"}


class Page(html.parser.HTMLParser):
    """Rows of tables, lists of names and texts by the id of their section, addresses, open tags."""

    def __init__(self, path):
        super().__init__()
        self.rows, self.facts, self.text, self.addresses, self.open, self.tags = {}, {}, {}, [], [], set()
        self.section, self.wrong, self.cell, self.sub = "", [], None, False
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = attributes.get("id", "")
        if tag == "tr":
            self.rows.setdefault(self.section, []).append([])
        if tag in ("td", "th", "dt", "dd"):
            self.cell = ""
        for key in ("src", "href", "xlink:href", "data", "action", "poster", "srcset"):
            if key in attributes:
                self.addresses.append((tag, key, attributes[key]))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)
        if tag in ("td", "th"):
            self.rows[self.section][-1].append(" ".join(self.cell.split()))
        if tag == "dt":
            self.name = self.cell.strip()
        if tag == "dd":
            self.facts.setdefault(self.section, {})[self.name] = " ".join(self.cell.split())
        if tag in ("td", "th", "dt", "dd"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if "style" not in self.open[-1:]:
            self.text[self.section] = self.text.get(self.section, "") + data

    def row(self, section, *first):
        """The row that begins with these cells."""
        found = [r for r in self.rows.get(section, []) if r[:len(first)] == list(first)]
        checks.true(f"one row {first} in {section}", len(found) == 1, found)
        return found[0] if found else [""] * 9


def parsed(text):
    """Value, error and the size of the last digit of 0.724(6)."""
    found = re.match(r"([−0-9.]+)(?:\((\d+)\))?(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", text)
    if not found:
        return np.nan, None, 0
    digits = found.group(1).replace("−", "-")
    power = found.group(3) or ""
    scale = 10.0 ** int("".join("-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".index(c)] for c in power) or 0)
    last = 10.0 ** -len(digits.partition(".")[2]) * scale
    if not found.group(2):
        return float(digits) * scale, None, max(last, 1e-3 * abs(float(digits) * scale))
    return float(digits) * scale, int(found.group(2)) * last, last


def agrees(what, text, value, error, unit=""):
    """The text is the value to its last digit, and has the error and the unit."""
    shown, shown_error, last = parsed(text)
    if not np.isfinite(value):
        checks.true(what + ": unknown", text.startswith("–"), text)
        return
    known = np.isfinite(error) and error > 0
    room = max(last, 0.06 * error) if known else last
    checks.close(what, shown, value, absolute=room * 1.0001)
    checks.true(what + ": error", (shown_error is not None) == known, text, error)
    if known and shown_error is not None:
        checks.close(what + ": its error", shown_error, error, relative=0.34)
    checks.true(what + ": unit", text.replace("\u00a0", " ").endswith(words.unit(unit)), text, unit)


def make(*arguments, status=0):
    """Makes a page in this process, which is faster; what it said."""
    sys.argv, said, code = ["lamella-report", *arguments], io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            command.run(report.main)
        except SystemExit as end:
            code = end.code
    checks.true(f"status of report {arguments}", code == status, code, said.getvalue())
    return said.getvalue()


def self_contained(page):
    checks.true("tags are closed", not page.wrong and not page.open, page.wrong, page.open)
    checks.true("no script, frame or link", not page.tags & {"script", "iframe", "object", "link", "embed"})
    for tag, key, value in page.addresses:
        checks.true("an address in the page", value.startswith(("data:image/png;base64,", "#")),
                    tag, key, value[:60])
    rest = re.sub(r"base64,[A-Za-z0-9+/=]+", "", page.source)
    checks.true("no address of the network", not re.search(r"https?:|//[a-z]+\.|@import", rest))
    outside = [u for u in re.findall(r"url\(([^)]*)\)", rest) if not u.strip("'\"").startswith("#")]
    checks.true("no address in styles", not outside, outside)


def what_ran(page):
    facts = page.facts["run"]
    with h5py.File("a.checkpoint.h5", "r") as state:
        box = " × ".join(f"{edge:.4f}" for edge in state["system/box"][:])
        checks.true("box", facts["box"].startswith(box + " nm"), facts["box"])
        checks.true("time", facts["simulated"] == "1 ps, 200 of 200 steps", facts["simulated"])
        checks.true("seed", facts["seed"] == str(state["system/seed"][0]))
        checks.true("program", state.attrs["git"].decode() in facts["program"], facts["program"])
    checks.true("system", facts["system"] == "720 W, 36 DOPC", facts["system"])
    checks.true("beads", facts["beads"] == "1 260")
    checks.true("force field", facts["force field"].startswith("elba 1.1, Orsi and Essex"))
    checks.true("thermostat", facts["thermostat"] == "langevin, temperature 303 K, time constant 1 ps",
                facts["thermostat"])
    checks.true("command", "run.steps=200" in facts["command"])
    jobs = [row for row in page.rows["run"] if row[0] == "2"]
    checks.true("two jobs", len(jobs) == 1 and jobs[0][3] == "100" and jobs[0][-1] == "finished", jobs)


def averages(page):
    """Against the lines of the file from the t0 that the page names."""
    with open("a.csv") as file:
        rows = list(csv.DictReader(file))
    start = re.search(r"t0 = ([0-9.]+) ps", page.text["energies"].replace("\n", " "))
    checks.true("t0 is named", start)
    used = [row for row in rows if float(row["time_ps"]) >= float(start.group(1)) - 1e-9]
    for name, column, unit in (("potential energy", "potential", "kJ mol-1"), ("edge z", "lz_nm", "nm"),
                               ("temperature", "temperature_K", "K"), ("pressure", "pressure_bar", "bar"),
                               ("area per lipid", "area_per_lipid_nm2", "nm2"),
                               ("volume", "volume_nm3", "nm3")):
        row, value = page.row("energies", name), np.mean([float(r[column]) for r in used])
        shown, error, last = parsed(row[1])
        checks.close("average " + name, shown, value, absolute=max(1.01 * last, 0.26 * (error or 0)))
        checks.true("unit of " + name, row[1].replace("\u00a0", " ").endswith(words.unit(unit)), row[1])


def all_observables(page):
    """Every number of a table without an axis; a figure for every profile."""
    with h5py.File("a.observables.h5", "r") as file:
        for name, group in file.items():
            for table, data in group.items():
                if "axis" in data:
                    continue
                labels = [label.decode() for label in data["label"][:]]
                columns = [c for c in data if c + "_error" in data]
                shown = [words.name(c, table) for c in columns]
                for column, known in zip(columns, shown):
                    value, error = data[column][:], data[column + "_error"][:]
                    unit = data[column].attrs["unit"]
                    what = f"{name} {table} {column}"
                    if len(labels) == 1:
                        if np.isfinite(value[0]):
                            first = [known, labels[0]] if len(page.row("observables", known)) == 3 + bool(
                                np.isfinite(data[column + "_time"][0])) and labels[0] else [known]
                            row = page.row("observables", *first)
                            at = 2 if labels[0] in row[1:2] and labels[0] else 1
                            agrees(what, row[at], value[0], error[0], unit)
                        continue
                    heads = [r for r in page.rows["observables"] if r[0] == table]
                    at = heads[0].index(words.label(known, unit))
                    for k, label in enumerate(labels):
                        rows = [r for r in page.rows["observables"] if r[0] == label
                                and len(r) == len(heads[0])]
                        ours = [r for r in rows if page.rows["observables"].index(r)
                                > page.rows["observables"].index(heads[0])]
                        agrees(f"{what} {label}", ours[0][at], value[k], error[k])
    for title in ("number density", "electron density", "electrostatic potential", "undulation spectrum",
                  "mean-square displacement", "order parameter of bonds", "coordination number"):
        checks.true("figure: " + title, title in page.text["observables"])
    area = page.row("observables", "area per lipid")
    checks.true("area beside literature", area[1].startswith("0.724(6)") and area[3].startswith("0.724(7)")
                and "Liu and Nagle" in area[4], area)
    checks.true("autocorrelation time", area[2] == "18 ps", area)
    short = page.row("observables", "temperature of rotation")
    checks.true("a time below the interval", short[2] == "< 1 ps", short)


def performance(page):
    with open("a.performance.json") as file:
        how = json.load(file)
    facts = page.facts["performance"]
    checks.close("speed", float(facts["speed"].split()[0]), how["ns_per_day"], 1e-3)
    checks.close("time of a step", float(facts["time of a step"].split()[0]), how["ms_per_step"], 1e-3)
    total = sum(p["mean"] for p in how["phases_s"].values())
    for name, phase in how["phases_s"].items():
        row = [r for r in page.rows["performance"] if r[0].split()[0] == name][0]
        checks.close("share of " + name, float(row[1].split()[0]), 100 * phase["mean"] / total,
                     absolute=0.0501)


def whole_page():
    start = trial.build(".", "start", SPEC)
    settings = {"input": start, "run.dt": 0.005, "output.frames_every": 50, "output.energies_every": 2,
                "thermostat.type": "langevin", "barostat.type": "crescale",
                "barostat.coupling": "semi_isotropic"}
    trial.simulate(".", "a", {**settings, "run.steps": 100})
    trial.simulate(".", "a", {**settings, "run.steps": 200}, restart="auto")
    made_observables.write("a")
    tool = [sys.executable, os.path.join(source, "tools", "report.py"), "a", "-o", "a.html"]
    said = subprocess.run(tool, check=True, capture_output=True, text=True).stdout
    checks.true("the page is named", said == "a.html\n", said)
    page = Page("a.html")
    self_contained(page)
    checks.true("nothing is missing", "missing" not in page.text, page.text.get("missing"))
    checks.true("two views", len([a for a in page.addresses if a[0] == "img"]) == 2)
    checks.true("finished", "finished" in page.text[""])
    what_ran(page)
    averages(page)
    all_observables(page)
    performance(page)
    made_observables.write("a", (made_observables.membrane, made_observables.the_rest))


def copy(folder, *endings):
    """The run in a new folder, with the files of some endings only."""
    os.mkdir(folder)
    for ending in endings:
        shutil.copy("a" + ending, os.path.join(folder, "a" + ending))
    return os.path.join(folder, "a")


ALL = (".checkpoint.h5", ".h5md", ".psf", ".csv", ".observables.h5", ".log", ".performance.json")


@contextlib.contextmanager
def not_drawn():
    """Figures are made, all in the same axes, and not drawn, for pages of which the texts are looked at. Averages
    of the same numbers are computed once."""
    drawn = figures.figure, figures.svg, figures.png, figures.draw_view
    computed, known = statistics.summary, {}
    made, axes = figures.figure(4.6, 3.0)

    def emptied(*_):
        for artist in (*axes.lines, *axes.patches, *axes.collections, *axes.texts):
            artist.remove()
        return made, axes

    def summary(x, start=None):
        key = np.asarray(x, float).tobytes(), start
        if key not in known:
            known[key] = computed(x, start)
        return known[key]

    figures.figure, statistics.summary = emptied, summary
    figures.svg, figures.png, figures.draw_view = lambda *_: "<svg></svg>", lambda _: "", lambda *_: None
    yield
    figures.plt.close(made)
    statistics.summary = computed
    figures.figure, figures.svg, figures.png, figures.draw_view = drawn


def missing_files():
    for k, gone in enumerate(ALL):
        prefix = copy(f"without{k}", *(ending for ending in ALL if ending != gone))
        make(prefix)
        page = Page(prefix + ".report.html")
        self_contained(page)
        checks.true(f"without {gone}", "a" + gone in page.text.get("missing", ""), page.text.get("missing"))
        prefix = copy(f"only{k}", gone)
        if gone in (".psf", ".performance.json"):
            continue
        make(prefix)
        checks.true(f"only {gone}", "missing" in Page(prefix + ".report.html").text)


def damaged_files():
    for k, (ending, keep) in enumerate(zip(ALL, (300, 0, 300, 300, 0, 300, 0))):
        prefix = copy(f"damaged{k}", *ALL)
        os.truncate(prefix + ending, keep)
        make(prefix)
        page = Page(prefix + ".report.html")
        self_contained(page)
        if ending != ".log":  # each line of a log counts
            checks.true(f"{ending} of {keep} bytes", "missing" in page.text and "What ran" in page.text["run"])


def strange_observables():
    prefix = copy("strange", *ALL)
    with h5py.File(prefix + ".observables.h5", "r+") as file:
        del file["leaflets/contacts/fraction_error"], file["temperature"].attrs["samples"]
        del file["membrane/membrane/label"]
        file["undulation/spectrum/height"][:] = np.nan
    make(prefix)
    page = Page(prefix + ".report.html")
    checks.true("damaged observables are named", "membrane" in page.text["missing"]
                and "temperature" in page.text["missing"], page.text["missing"])
    checks.true("the others are there", "bending rigidity" in page.text["observables"])


def ends_of_runs():
    prefix = copy("running", ".checkpoint.h5", ".csv", ".log", ".performance.json")
    text = read(prefix + ".log")
    ends = [m.end() for m in re.finditer("the job ends with status 0\n", text)]

    def log(last):
        write(prefix + ".log", text[:ends[0]] + last)
        make(prefix, "-o", "end.html")
        page = Page("end.html")
        self_contained(page)
        return page

    begin = text[ends[0]:].partition("the job ends")[0]
    begin = begin[:begin.rindex("\n") + 1]
    page = log(begin)
    checks.true("killed", "no end" in page.text[""] and "killed" in page.text["notes"], page.text[""])
    with open(prefix + ".lock", "w"):
        page = log(begin)
    checks.true("running", "running" in page.text[""], page.text[""])
    page = log(begin + "2026-01-01T00:00:00Z  lamella: bead 7 <b>has</b> left\n"
               "2026-01-01T00:00:00Z  the job ends with status 3\n")
    checks.true("failed", "numerical failure" in page.text[""]
                and "bead 7 <b>has</b> left" in page.text["notes"], page.text["notes"])
    checks.true("texts are escaped", "<b>has</b>" not in page.source)
    page = log(begin + "2026-01-01T00:00:00Z  the job ends with status 99\n")
    checks.true("stopped", "ready to go on" in page.text[""])
    stage = "2026-01-01T00:00:00Z  stage eq, 1 of 2: done\n2026-01-01T00:00:00Z  stage md, 2 of 2\n"
    jobs = re.search(r"(\d+) jobs", page.source).group(1)
    page = log(stage + begin + "2026-01-01T00:00:00Z  the job ends with status 0\n")
    checks.true("a stage is no job", f"{jobs} jobs" in page.source, jobs)


def folders():
    os.mkdir("empty")
    checks.true("no run", "no run in this folder" in make("empty", status=4))
    checks.true("no prefix", "no run with this prefix" in make("empty/nothing", status=4))
    said = make("nothing", status=4)
    checks.true("the prefixes that there are", re.search("no run with this prefix; prefixes there: .*\\ba\\b", said), said)
    copy("two", *ALL)
    for ending in ALL:
        shutil.copy("a" + ending, os.path.join("two", "b" + ending))
        os.utime(os.path.join("two", "a" + ending), (1e9, 1e9))
    with not_drawn():
        said = make("two")
    checks.true("the later of two", "report is on b" in said and "others are a" in said, said)
    checks.true("its name", os.path.exists(os.path.join("two", "b.report.html")))
    checks.true("no folder for the page", "x.html" in make("a", "-o", "no/x.html", status=4))
    run("build", trial_water(), "-o", "water.h5")
    trial.simulate(".", "w", {"input": "water.h5", "run.steps": 10, "run.dt": 0.002,
                              "output.frames_every": 5, "output.energies_every": 1})
    make("w")
    page = Page("w.report.html")
    checks.true("water", page.facts["run"]["system"] == "800 W", page.facts["run"])
    checks.true("no area of water", "area per lipid" not in page.text["energies"])


def trial_water():
    write("water.yaml", "{forcefield: elba, water: {count: 800}, minimise: no}\n")
    return "water.yaml"


def plain_inefficiency(x):
    """As the papers write it: a loop over lags."""
    n, d = len(x), x - x.mean()
    g = 1.0
    for t in range(1, n - 1):
        c = (d[:n - t] * d[t:]).sum() / (n - t) / (d * d).mean()
        if c <= 0 and t > 3:
            break
        g += 2 * c * (1 - t / n)
    return max(g, 1.0)


def correlated(n, rho):
    x = np.empty(n)
    x[0] = dice.normal()
    for k in range(1, n):
        x[k] = rho * x[k - 1] + np.sqrt(1 - rho**2) * dice.normal()
    return x


def series():
    for n, rho in ((5, 0.5), (60, 0.9), (500, 0.0), (700, 0.97), (2000, 0.8)):
        x = correlated(n, rho) + 30
        checks.close(f"inefficiency of {n}", statistics.inefficiency(x), plain_inefficiency(x), 1e-9)
    x = correlated(60000, 0.9)  # g = (1 + rho) / (1 - rho)
    checks.close("a known correlation time", statistics.inefficiency(x[:20000]), 19, 0.15)
    found = statistics.summary(x, 0)
    checks.close("of a long series", 2 * found.time + 1, 19, 0.15)
    found = statistics.summary(dice.normal(size=60000))
    checks.true("a long series of white noise", found.time < 0.2 and found.start < 30000, found)
    checks.true("mean within its error", abs(found.mean) < 4 * found.error, found)
    n = 400
    x = correlated(n, 0.5)
    x[:100] += 20 * np.exp(-np.arange(100) / 25)
    best = max(range(0, n - 1, 2), key=lambda t: (n - t + 1) / plain_inefficiency(x[t:]))
    checks.true("end of equilibration", statistics.equilibration(x) == best and 50 < best < 200, best)
    checks.true("at once", statistics.equilibration(correlated(400, 0.2)) < 100)
    checks.true("a constant", statistics.summary(np.ones(50)).error == 0)
    checks.true("too short", statistics.summary([1.0]) is None and statistics.summary([1, np.nan]) is None)
    errors = [statistics.summary(correlated(2000, 0.8), 0) for _ in range(60)]
    spread = np.std([s.mean for s in errors])
    checks.close("the error is that of the mean", np.mean([s.error for s in errors]), spread, 0.35)


def numbers():
    for value, error, text in (
            (0.72412, 0.00613, "0.724(6)"), (0.72412, 0.0123, "0.724(12)"), (1.32457, 0.00142, "1.3246(14)"),
            (-0.31, 0.52, "−0.3(5)"), (251.3, 34.8, "250(30)"), (17234, 1533, "17200(1500)"),
            (303.02, 0.0996, "303.02(10)"), (5, 0.95, "5.0(10)"), (64, 0, "64"), (0.5, None, "0.5"),
            (3.2e-5, 4e-6, "3.2(4) × 10⁻⁵"), (123456789.0, 2e5, "1.235(2) × 10⁸"), (np.nan, 1, "–"),
            (2.0, np.nan, "2"), (1234567.0, np.nan, "1.235 × 10⁶"), (0.0, 0.02, "0.00(2)"),
            (0.00012, 0.0031, "0.000(3)")):
        checks.true(f"number {text}", words.number(value, error) == text, words.number(value, error))
    for ps, text in ((18.23, "18 ps"), (0.0629, "0.063 ps"), (432.1, "430 ps"), (1234, "1.2 ns"),
                     (2.5e6, "2.5 µs")):
        checks.true("time " + text, words.time(ps, 2) == text, words.time(ps, 2))
    for unit, text in (("nm-3", "nm⁻³"), ("kJ mol-1", "kJ mol⁻¹"), ("nm2 us-1", "nm² µs⁻¹"), ("1", ""),
                       ("degree", "°"), ("mN m-1", "mN m⁻¹"), ("nm", "nm")):
        checks.true("unit " + unit, words.unit(unit) == text, words.unit(unit))


def references():
    """Values stand beside runs with the same lipids."""
    class Field:
        data = {"types": {"W": {}, "C": {"charge": "0.7"}}}
        molecules = {"W": ["W"], "DOPC": ["C", "T"], "DOPE": ["A", "T"]}
        references = [{"system": s} for s in ("DOPC, 303 K", "DOPE and DOPC 1:1", "W", "POPC")]

    def systems(*molecules):
        return [e["system"] for e in tables.References(Field, molecules).entries]

    checks.true("one lipid", systems("W", "DOPC") == ["DOPC, 303 K"], systems("W", "DOPC"))
    checks.true("two lipids", systems("W", "DOPC", "DOPE") == ["DOPE and DOPC 1:1"])
    checks.true("none", systems("DOPE") == [] and tables.References(None, {}).entries == [])


class Martini:
    """A force field whose beads have names, two types of one element with _ in a name, and a protein."""
    data = {"types": {"P4": {}, "Q0": {"charge": "1"}, "Qa": {"charge": "-1"}, "Na": {}, "C1": {}, "SC1": {},
                      "SC1_2": {}, "C": {}, "P5": {}}}
    molecules = {"W": ["P4"], "DPPC": ["Q0", "Qa", "Na", "Na", *["C1"] * 8],
                 "CHOL": ["SC1", "SC1_2", "SC1", "SC1_2", "SC1", "C1"], "PROT": ["P5", "Na", "C", "P5"]}
    bead_names = {"W": ["W"], "DPPC": "NC3 PO4 GL1 GL2 C1A C2A C3A C4A C1B C2B C3B C4B".split(),
                  "CHOL": "ROH R1 R2 R3 R4 C2".split(), "PROT": ["BB", "BB", "SC1", "BB"]}
    references = []


class Plain(Martini):
    """Beads are called after their types."""
    molecules = {"W": ["W"], "DOPC": list("CPGETT")}
    bead_names = molecules


def names():
    found = looks.Names(Martini)
    for key, text in (("W_P4", "W"), ("DPPC_Q0", "DPPC NC3"), ("DPPC_Na", "DPPC GL1, GL2"),
                      ("DPPC_C1", "DPPC C1A … C4B"), ("CHOL_SC1", "CHOL ROH, R2, R4"),
                      ("CHOL_SC1_2", "CHOL R1, R3"), ("PROT_P5", "PROT BB (P5)"), ("PROT_Na", "PROT BB (Na)")):
        checks.true("species " + key, found.species[key] == text, found.species[key])
    for key, text in (("P4", "W"), ("Qa", "PO4"), ("C1", "C1A … C4B, C2"), ("none", "none")):
        checks.true("type " + key, found.type(key) == text, found.type(key))
    for key, text in (("P4_Qa", "W–PO4"), ("SC1_2_SC1", "R1, R3–ROH, R2, R4"), ("Qa_other", "Qa_other")):
        checks.true("pair " + key, found.pair(key) == text, found.pair(key))
    for key, text in (("DPPC:1-2", "DPPC NC3–PO4"), ("CHOL:6", "CHOL C2"), ("PROT:1-2", "PROT:1-2"),
                      ("DPPC", "DPPC")):
        checks.true("row " + key, found.row(key) == text, found.row(key))
    plain = looks.Names(Plain)
    checks.true("names that are types", plain.species["DOPC_T"] == "DOPC T" and plain.species["W"] == "W"
                and plain.row("DOPC:1-2") == "DOPC:1-2" and plain.pair("P_P") == "P–P", plain.species)
    for n in 5, 20, 43:
        colours = looks.palette(n, ["#c1121f"])
        checks.true(f"{n} colours", len(set(colours)) == n and "#c1121f" not in colours, colours)
    types = {"C": {"charge": "0.7"}, "P": {"charge": "-0.7"}, "G": {"dipole": "0.1"}, "T": {}, "X": {}}
    known = looks.known_looks(type("Field", (), {"data": {"types": types}}))
    checks.true("looks of their types", list(known) == ["C", "P", "G", "T"], known)
    checks.true("letters of another force field", not looks.known_looks(
        type("Field", (), {"data": {"types": {"C": {}, "P": {"charge": "1"}, "G": {}, "T": {"charge": "1"}}}})))


def drawn_figures(made):
    """The figures of observables of a Martini membrane, by their titles."""
    found, svg = {}, figures.svg
    figures.svg = lambda figure, salt: (figure.canvas.draw(), found.update({figure.axes[0].get_title("left"): figure}),
                                        "")[2]
    with lamella.Observables(made_observables.write("martini", (made,))) as file:
        for name in file:
            tables.section(file[name], tables.References(Martini, {}), looks.Names(Martini))
    figures.svg = svg
    return found


def martini(file):
    axis, none = ("z", "nm", made_observables.Z), 0 * made_observables.Z
    high = none + 3
    columns = {"number_" + key: ("nm-3", high * k, none, none) for k, key in enumerate(looks.Names(Martini).species, 1)}
    columns.update({key: ("nm-3", none, none, none) for key in ("electrons", "electrons_W", "charge")})
    columns["mass"] = ("amu nm-3", high, none, none)
    group = made_observables.observable(file, "density", "density", 100, 1.0)
    made_observables.table(group, "density", columns, axis)
    group = made_observables.observable(file, "potential", "potential", 100, 1.0)
    made_observables.table(group, "potential", {
        "charge": ("e nm-3", high, none, none), "polarisation": ("e nm-2", none, none, none),
        "potential": ("V", high, none, none), "potential_Q0": ("V", 2 * high, none, none),
        "potential_Qa": ("V", -high, none, none), "potential_P4": ("V", none, none, none)}, axis)
    group = made_observables.observable(file, "rdf", "rdf", 100, 1.0)
    made_observables.table(group, "P4_Qa", {"g": ("1", none, none, none)}, ("r", "nm", made_observables.Z + 4))


def curves():
    """Each curve has a name and a colour of its own, the legend covers none, and what is 0 everywhere is left out."""
    found = drawn_figures(martini)
    checks.true("what is 0 everywhere", set(found) == {
        "number density", "mass density", "electrostatic potential", "charge density",
        "radial distribution function"}, list(found))
    for title, figure in found.items():
        axes = figure.axes[0]
        lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
        looks_of = {(line.get_color(), line.get_label()) for line in lines}
        checks.true(title + ": a colour for each curve",
                    len({colour for colour, _ in looks_of}) == len({label for _, label in looks_of}) == len(lines))
        legend = axes.get_legend()
        checks.true(title + ": a legend of several", (legend is not None) == (len(lines) > 1))
        if legend:
            around, frame = legend.get_window_extent(), axes.get_window_extent()
            checks.true(title + ": the legend is below the axes", around.y1 < frame.y0, around, frame)
            checks.true(title + ": the legend is in the figure", around.x0 >= 0 and around.x1 <= figure.bbox.x1
                        and around.y0 >= 0, around, figure.bbox)
        figures.plt.close(figure)
    shown = [text.get_text() for text in found["number density"].axes[0].get_legend().get_texts()]
    checks.true("names of beads", sorted(shown) == sorted(looks.Names(Martini).species.values()), shown)
    lines = report.together({"x": [1, 2], "y": [1, 2], "z": [1, 3]})
    checks.true("edges that are the same", list(lines) == ["x and y", "z"], lines)


def advice():
    """Packages of the python that runs."""
    said = packages.commands(["numpy", "yaml"], "/usr", "/usr/bin/python3", True)
    checks.true("Debian's python", said == "apt-get install python3-numpy python3-yaml", said)
    for prefix, python, debian in (("/opt/conda", "/opt/conda/bin/python", True), ("/home/a/env", "/home/a/env/bin/python3", True),
                                   ("/usr", "/usr/bin/python3", False)):
        said = packages.commands(["numpy", "yaml"], prefix, python, debian).split("\n")
        checks.true("pip of " + python, said[0] == python + " -m pip install numpy PyYAML"
                    and len(said) == 1 + debian, said)
    for module, tool in (("jinja2", "report.py"), ("matplotlib", "picture.py"), ("h5py", "report.py"), ("yaml", "state_to_lammps.py")):
        path = os.path.join(source, "tools", tool)
        code = f"import runpy, sys; sys.modules['{module}'] = None; runpy.run_path('{path}', run_name='__main__')"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        checks.true(f"{tool} without {module}", ended.returncode == 2 and f"{sys.executable} has no {module}" in ended.stderr
                    and packages.commands([module]) in ended.stderr, ended.stderr)


numbers()
names()
curves()
advice()
series()
references()
checks.true("the time of the page", report.get({"a": {"b": "c"}}, "a.b") == "c")
whole_page()
strange_observables()
with not_drawn():
    missing_files()
    damaged_files()
    ends_of_runs()
folders()
checks.end()
