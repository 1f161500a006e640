#!/usr/bin/env python3
"""lamella-pmf on samples whose profile, diffusion and permeability are known exactly; errors against the scatter of repeated
samples, and MBAR against gmx wham and pymbar where they are installed; missing, empty, moving and separate windows."""
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile

from run_lamella import Checks, read, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import jinja2  # noqa: F401
    import numpy as np
    import yaml  # noqa: F401
    import lamella
    from lamella import command, free_energy, pmf, pmf_figure, report, windows
    import gromacs_files
    import made_windows as made
except ImportError as missing:
    skip(missing)

checks = Checks()
dice = np.random.default_rng(8)
work = tempfile.TemporaryDirectory(prefix="test_pmf.")
os.chdir(work.name)
KT = made.BOLTZMANN * 300
PLACES, K = np.linspace(-1.5, 1.5, 16), 100.0


def well(x):
    return 8 * (x * x - 1) ** 2  # kJ/mol


def window(at, n, energy=well, k=K):
    return made.independent(dice, lambda x: energy(x) + k / 2 * (x - at) ** 2, KT, n)


def call(*arguments):
    """lamella-pmf in this process: 0, or its status and last words, standard output, standard error."""
    said, out, status = io.StringIO(), io.StringIO(), 0
    sys.argv = ["lamella-pmf", *arguments]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        try:
            command.run(pmf.main)
        except SystemExit as end:
            status = f"{end.code} {said.getvalue()}"
    return status, out.getvalue(), said.getvalue()


def results(prefix):
    with open(prefix + ".pmf.json") as file:
        found = json.load(file)
    return found, {key: np.array(values, float) for key, values in found["profile"].items()}


def bin_means(x, energy=well):
    """Exact free energies of bins with these middles."""
    h = x[1] - x[0]
    within = x[:, None] + h * (np.arange(101) - 50) / 101
    return -KT * np.log(np.exp(-energy(within) / KT).mean(1))


def scores(x, profile, error, energy=well):
    """Deviations from the exact profile in errors; the constant is that of least squares."""
    off = profile - bin_means(x, energy)
    sound = np.isfinite(error) & (error > 0)
    off -= np.average(off[sound], weights=error[sound] ** -2)
    return off[sound] / error[sound]


def write_windows(prefix, places=PLACES, n=1500, **how):
    for k, at in enumerate(places):
        x = window(at, n)
        made.write(f"{prefix}.w{k:02d}", x, made.umbrella(at, K), energy=K / 2 * (x - at) ** 2, **how)


def double_well():
    """The profile of the files, its errors, the results that JSON, CSV and figure hold."""
    write_windows("a")
    status, out, said = call("a", "--zero=min", "--bins=50")
    checks.true("status", status == 0, status, said)
    found, p = results("a")
    z = scores(p["x"], p["free_energy"], p["error"])
    checks.true("the double well within its errors", len(z) > 45 and abs(z).max() < 4.5 and z.std() < 1.5, z)
    checks.true("small errors", np.nanmax(p["error"]) < 0.6, p["error"])
    checks.true("zero at the least", abs(np.nanmin(p["free_energy"])) < 1e-6)
    checks.true("rows of the overlap", np.allclose(np.sum(found["overlap"], 1), 1, atol=1e-6))
    checks.true("files are named", out.split()[-3:] == ["a.pmf.csv", "a.pmf.json", "a.pmf.svg"], out)
    table = np.genfromtxt("a.pmf.csv", delimiter=",", names=True)
    checks.true("CSV and JSON", table.dtype.names[:4] == ("d_nm", "free_energy", "error", "samples")
                and np.allclose(table["free_energy"], p["free_energy"], rtol=1e-5, atol=1e-5), table.dtype.names)
    svg = read("a.pmf.svg")
    checks.true("figure", svg.startswith("<?xml") and "free energy" in svg and "d (nm)" in svg)
    page = report.free_energy_section(lamella.Run("a.w03"))
    checks.true("in the report", page and "16 windows" in page["sentence"] and len(page["windows"]["rows"]) == 16, page)
    text = report.render(lamella.Run("a.w03"))
    checks.true("on the page", "Free energy along d" in text and "relaxation" in text)
    write("a.pmf.json", "{")
    checks.true("a damaged file is named", "not the results of lamella-pmf" in report.render(lamella.Run("a.w03")))


def symmetric_and_zero():
    """Windows on one side, folded about 0, against the exact profile; ranges of zero."""
    for k, at in enumerate(np.linspace(0.12, 1.5, 9)):
        made.write(f"s.w{k:02d}", window(at, 1500), made.umbrella(at, K))
    status, _, said = call("s", "--symmetric", "--zero=0.9:1.1")
    found, p = results("s")
    z = scores(p["x"], p["free_energy"], p["error"])
    checks.true("symmetric", status == 0 and p["x"][0] < 0.05 and abs(z).max() < 4.5 and z.std() < 1.5, status, z)
    near = (p["x"] > 0.9) & (p["x"] < 1.1)
    checks.close("zero", p["free_energy"][near].mean(), 0, absolute=0.3)
    first = p["x"] < 0.15  # fewer samples beyond 0 would look like a rise by kT ln 2
    checks.true("flat in the middle", abs(p["free_energy"][first] - bin_means(p["x"])[first]
                                          - (p["free_energy"] - bin_means(p["x"]))[5:].mean()).max() < 0.6)


def errors_are_the_scatter():
    """Correlated samples: errors of the bootstrap against the scatter of profiles of independent repeats."""
    places, k, profiles, errors = (0.0, 0.3, 0.6), 60.0, [], []
    deviation = np.sqrt(KT / k)
    for repeat in range(24):
        x = [at + made.ornstein_uhlenbeck(dice, 1500, 5.0, deviation, 1.0) for at in places]
        biases = [lambda v, at=at: k / 2 * (v - at) ** 2 / KT for at in places]
        samples = free_energy.Samples(x, biases, [10.0] * 3, -0.3, 0.9, 12)
        whole = free_energy.Solution(samples, samples.counts())
        profiles.append(whole.profile - whole.profile.mean())
        if repeat < 4:
            draws = free_energy.bootstrap(samples, whole)
            errors.append(free_energy.spread(draws - draws.mean(1)[:, None]))
    profiles = np.array(profiles)
    checks.close("errors", np.mean(errors), profiles.std(0, ddof=1).mean(), relative=0.3)
    mean = profiles.mean(0) / (profiles.std(0, ddof=1) / np.sqrt(len(profiles)))
    checks.true("a flat profile", abs(mean).max() < 4.5, mean)


def beside_pymbar():
    """The same samples by pymbar; a row of the other test where it is not installed: the equations of MBAR."""
    sizes = [200 + 40 * k for k in range(len(PLACES))]
    x = [window(at, n) for at, n in zip(PLACES, sizes)]
    biases = [lambda v, at=at: K / 2 * (v - at) ** 2 / KT for at in PLACES]
    samples = free_energy.Samples(x, biases, np.ones(len(x)), -1.9, 1.9, 100)
    found = free_energy.Solution(samples, samples.counts())
    together = np.concatenate(x)
    u = np.array([bias(together) for bias in biases])
    f = found.f - found.f[0]
    for _ in range(3):  # of the equations with each sample at its own place
        each = -np.log((np.array(sizes)[:, None] * np.exp(f[:, None] - u)).sum(0))
        again = -np.log(np.exp(each - u).sum(1))
        checks.true("the equations of MBAR", abs(again - again[0] - f).max() < 2e-3, again - again[0] - f)
    try:
        import pymbar
    except ImportError:
        return
    theirs = pymbar.MBAR(u, sizes)
    checks.true("f of pymbar", abs(theirs.f_k - theirs.f_k[0] - f).max() < 2e-3, theirs.f_k - f)
    checks.true("overlap of pymbar", abs(theirs.compute_overlap()["matrix"] - found.overlap()).max() < 1e-3)


GMX_TOP = """[ defaults ]
1 1
[ atomtypes ]
A 72 0 A 0 0
[ moleculetype ]
M 0
[ atoms ]
1 A 1 M A 1
[ system ]
pair
[ molecules ]
M 2
"""
GMX_GRO = """pair
2
    1M        A    1   5.000   5.000   5.000
    2M        A    2   5.000   5.000   5.500
  10.0 10.0 10.0
"""
GMX_MDP = """nsteps = 10\nrcoulomb = 1.1\nrvdw = 1.1\npull = yes\npull-ngroups = 2\npull-ncoords = 1
pull-group1-name = a\npull-group2-name = b\npull-coord1-groups = 1 2\npull-coord1-type = umbrella
pull-coord1-geometry = direction\npull-coord1-vec = 0 0 1\npull-coord1-init = %g\npull-coord1-k = %g
"""


def beside_gmx_wham():
    """The same samples by gmx wham, whose bins are narrow enough to be compared."""
    if not gromacs_files.GMX:
        return
    x = [window(at, 1000) for at in PLACES]
    for name, text in (("t.top", GMX_TOP), ("t.gro", GMX_GRO), ("t.ndx", "[ System ]\n1 2\n[ a ]\n1\n[ b ]\n2\n")):
        write(name, text)
    for k, at in enumerate(PLACES):
        write(f"g{k}.mdp", GMX_MDP % (at, K))
        gromacs_files.gmx(".", "grompp", "-f", f"g{k}.mdp", "-c", "t.gro", "-p", "t.top", "-n", "t.ndx", "-o", f"g{k}.tpr",
                          "-maxwarn", "5")
        write(f"g{k}x.xvg", '@ s0 legend "1"\n' + "".join(f"{n} {value:.8f}\n" for n, value in enumerate(x[k])))
    write("tpr.dat", "".join(f"g{k}.tpr\n" for k in range(len(x))))
    write("pullx.dat", "".join(f"g{k}x.xvg\n" for k in range(len(x))))
    gromacs_files.gmx(".", "wham", "-it", "tpr.dat", "-ix", "pullx.dat", "-b", "0", "-temp", "300", "-unit", "kJ", "-o",
                      "wham.xvg", "-hist", "h.xvg", "-min", "-1.4", "-max", "1.4", "-bins", "400", "-tol", "1e-8")
    theirs = np.loadtxt("wham.xvg", comments=["#", "@"])[:, 1]
    theirs = -KT * np.log(np.exp(-theirs / KT).reshape(40, 10).mean(1))
    biases = [lambda v, at=at: K / 2 * (v - at) ** 2 / KT for at in PLACES]
    samples = free_energy.Samples(x, biases, np.ones(len(x)), -1.4, 1.4, 40)
    off = KT * free_energy.Solution(samples, samples.counts()).profile - theirs
    checks.true("gmx wham", abs(off - off.mean()).max() < 0.02, off - off.mean())


def known_diffusion():
    """var^2 / integral of the autocorrelation of an exact process: D = deviation^2 / relaxation."""
    for time, bias in (8.0, 0.06), (2.5, 0.03):
        got = [free_energy.diffusion(made.ornstein_uhlenbeck(dice, 3000, time, 0.1, 1.0), 1.0) for _ in range(60)]
        mean, scatter = np.mean([d.value for d in got]), np.std([d.value for d in got], ddof=1)
        checks.close(f"D, time {time}", mean, 0.01 / time, relative=bias, absolute=4 * scatter / np.sqrt(60))
        checks.close(f"its error, time {time}", np.mean([d.error for d in got]), scatter, relative=0.35)


def known_permeability():
    """Overdamped motion with a known D across a barrier: 1/P = integral of exp(F/kT)/D."""
    d, places, k = 5e-3, np.linspace(0, 2.2, 12), 250.0

    def barrier(x):
        return 6 * np.exp(-((x / 0.6) ** 2))

    def slope(x):
        return -2 * x / 0.36 * barrier(x) + k * (x - places)

    x = made.overdamped(dice, slope, places, KT, d, 0.05, 12000, 5)
    for n, at in enumerate(places):
        made.write(f"p.w{n:02d}", x[n], made.umbrella(at, k), interval=0.25)
    status, out, said = call("p", "--symmetric", "--from=20", "--range=0:2.2", "--zero=1.9:2.2")
    checks.true("status", status == 0, status, said)
    found, p = results("p")
    z = scores(p["x"], p["free_energy"], p["error"], barrier)
    checks.true("the barrier within its errors", abs(z).max() < 5, z)
    h = p["x"][1] - p["x"][0]
    want = 1e5 * d / (2 * h * np.exp(barrier(p["x"]) / KT).sum())
    got, error = found["permeability_cm_per_s"], found["permeability_error"]
    checks.true("permeability", abs(got - want) < 4 * error + 0.03 * want and error < 0.3 * want, got, error, want)
    checks.true("it is printed", "permeability: " in out and "cm/s" in out, out)
    values = np.array([w["diffusion"] for w in found["windows"]])
    checks.close("D of the windows", values.mean(), d, relative=0.15)
    status, _, said = call("p", "-o", "q", "--from=0")
    checks.true("one side", status == 0 and "--symmetric takes the other" in said and
                results("q")[0]["permeability_cm_per_s"] is None, said)


def other_forms():
    """Windows of other biases, and none at all, in one profile."""
    made.write("f.low", made.independent(dice, lambda x: well(x) + 50 * np.maximum(x - 0.1, 0) ** 2, KT, 1500),
               "{name: wall, coordinate: d, kind: flat_bottom, k: 100, high: 0.1}")
    made.write("f.high", made.independent(dice, lambda x: well(x) + 50 * np.maximum(-0.1 - x, 0) ** 2, KT, 1500),
               "{name: wall, coordinate: d, kind: flat_bottom, k: 100, low: -0.1}")
    made.write("f.slope", made.independent(dice, lambda x: well(x) - 2 * x, KT, 1500),
               "{name: push, coordinate: d, kind: constant_force, force: 2}")
    made.write("f.free", made.independent(dice, well, KT, 1500), "")
    status, _, said = call("f", "--coordinate=d", "--zero=min")
    _, p = results("f")
    z = scores(p["x"], p["free_energy"], p["error"])
    checks.true("other forms", status == 0 and abs(z).max() < 4.5, status, said, z)


def degrees():
    """Angles are in degrees, force constants per rad2."""
    bias = windows.Bias({"name": "a", "kind": "umbrella", "k": "200", "at": "90"}, "w")
    checks.close("degrees", bias.energy(np.array([120.0]), "deg")[0], 100 * (np.pi / 6) ** 2, 1e-12)
    checks.close("dihedrals", bias.energy(np.array([-150.0]), "deg", 360)[0], 100 * (2 * np.pi / 3) ** 2, 1e-12)
    wall = windows.Bias({"name": "a", "kind": "flat_bottom", "k": "200", "high": "1"}, "w")
    checks.close("open below", wall.energy(np.array([1.5]), "nm")[0], 25, 1e-12)


def whole_turn():
    """Umbrellas on a dihedral, also at 180 degrees: a profile of a turn, 4 cos(phi) kJ/mol."""
    k = 60.0
    for n, at in enumerate(range(-150, 181, 30)):
        x = made.independent(dice, lambda x, at=at: 4 * np.cos(np.radians(x)) + k / 2 * np.radians(x - at) ** 2, KT, 800,
                             at - 180, at + 180)
        wrapped = x - 360 * np.round(x / 360)
        made.write(f"o.w{n:02d}", wrapped, made.umbrella(at, k), energy=k / 2 * np.radians(x - at) ** 2, unit="deg",
                   coordinate="{name: d, kind: dihedral}")
    status, _, said = call("o", "--zero=min")
    found, p = results("o")
    z = scores(p["x"], p["free_energy"], p["error"], lambda x: 4 * np.cos(np.radians(x)))
    checks.true("a turn", status == 0 and p["x"][0] < -170 and p["x"][-1] > 170 and abs(z).max() < 4.5, status, said, z)
    checks.true("deviations in windows", max(w["deviation"] for w in found["windows"]) < 15, found["windows"])


def refused():
    free_energy.DRAWS = 10

    def says(what, words, *arguments):
        status, _, said = call(*arguments)
        checks.true(what, isinstance(status, str) and all(w in status for w in words), status, said)

    def notes(what, words, *arguments):
        status, _, said = call(*arguments)
        checks.true(what, status == 0 and all(w in said for w in words), status, said)

    says("no files", ["nothing.coordinates.csv"], "nothing")
    write_windows("b", (0.0, 0.25, -1.2), 300)
    says("no overlap", ["b.w02 (at -1.2 nm)", "b.w00 (at 0 nm)", "do not overlap", "Add windows between"], "b")
    write_windows("c", np.linspace(0, 1, 6), 300)
    write("c.w09.yaml", "")
    write("c.water.yaml", "")
    made.write("c.w06", [], made.umbrella(0.5, K))
    made.write("c.w07", [0.5] * 3, made.umbrella(0.5, K))
    made.write("c.pull", np.linspace(0, 1, 50), made.umbrella(0.0, K, ", rate: 0.1"))
    made.write("c.ramp", np.linspace(0, 1, 50), made.umbrella("[[0, 0], [10, 1]]", K))
    notes("what is left out", ["no data yet of c.w09", "fewer than 10 samples: c.w06 (at 0.5 nm), c.w07 (at 0.5 nm)",
                               "their bias moves: c.pull, c.ramp"], "c")
    shutil.copy("c.w00.coordinates.csv", "c.w08.coordinates.csv")
    says("no input", ["c.w08: neither c.w08.log nor c.w08.checkpoint.h5"], "c")
    os.remove("c.w08.coordinates.csv")
    made.write("c.w08", window(0.5, 300), made.umbrella(0.5, K), temperature=310)
    says("temperatures", ["310 K: c.w08", "300 K: "], "c")
    made.write("c.w08", window(0.5, 300), "{name: pull, coordinate: d, kind: table, file: a.xvg}")
    says("an unknown form", ["c.w08: the bias 'pull' is of the kind 'table'", "umbrella"], "c")
    x = window(0.5, 300)
    made.write("c.w08", x, made.umbrella(0.5, K), energy=K / 2 * (x - 0.6) ** 2)
    says("energies of another input", ["c.w08.coordinates.csv:", "was the bias changed"], "c")
    made.write("c.w08", x, made.umbrella(0.5, K) + ", {name: o, coordinate: e, kind: umbrella, k: 1, at: 0}")
    says("other biases", ["different biases on other coordinates"], "c", "--coordinate=d")
    says("a coordinate that is not there", ["no column of the coordinate 'z'", "d_nm"], "c", "--coordinate=z")
    status, _, said = call("c", "--coordinate=z")
    checks.true("said once for windows with the same columns", str(status).count("no column") == 2
                and "pull_energy; also c.w01.coordinates.csv, " in status and "... c.w05.coordinates.csv (5)" in status, status)
    made.write("c.w08", [0.5, np.nan] * 20, made.umbrella(0.5, K))
    says("not a number", ["c.w08.coordinates.csv:3", "nan"], "c")
    for suffix in (".coordinates.csv", ".log"):
        os.remove("c.w08" + suffix)
    says("a range", ["--range=3:1"], "c", "--range=3:1")
    says("nothing in the range", ["no sample in the range"], "c", "--range=5:6")
    says("zero outside", ["--zero=9"], "c", "--zero=9")
    says("no time left", ["--from=1e+09"], "c", "--from=1e9")
    for k in range(2):  # the barrier becomes narrower
        narrow = window(0.0, 1500, lambda x: well(x) + 40 * x * x)
        made.write(f"h.w0{k}", np.concatenate([window(0.0, 1500), narrow]), made.umbrella(0.0, K))
    notes("halves that differ", ["have not converged"], "h", "--from=0")


def from_the_start():
    """An umbrella `at: start+0.1` is at its place in the file."""
    for k, at in enumerate((0.0, 0.2)):
        x = window(at, 300)
        made.write(f"u.w0{k}", x, made.umbrella("start+0.1", K), energy=K / 2 * (x - at) ** 2, place=at)
    status, _, said = call("u", "--from=0")
    checks.true("places of the start", status == 0 and [w["place"] for w in results("u")[0]["windows"]] == [0, 0.2], status, said)


def damaged():
    """Damaged files end with words or give a profile, never with a traceback."""
    free_energy.DRAWS = 2
    write_windows("e", np.linspace(0, 0.6, 4), 40)
    files = [f"e.w0{k}{ending}" for k in (0, 2) for ending in (".coordinates.csv", ".log")]
    whole = {name: read(name) for name in files}
    junk = [",", "\n", "nan", "-", "1e999", "{", "]", ":", "\0", "\xff", "umbrella", "[[0, 1]]", "inf", "0", " "]
    for trial in range(60):
        name = files[trial % len(files)]
        text = whole[name]
        for _ in range(1 + trial % 3):
            at, cut = dice.integers(len(text)), dice.integers(1, 30)
            text = text[:at] + junk[dice.integers(len(junk))] + text[at + (cut if trial % 5 else 10000):]
        write(name, text)
        try:
            status, _, said = call("e", "--from=0")
            good = status == 0 or isinstance(status, str)
        except Exception as why:  # noqa: BLE001
            good, status, said = False, type(why).__name__, str(why)
        checks.true(f"damaged {name}, trial {trial}", good, status, said, text[-600:])
        write(name, whole[name])


double_well()
symmetric_and_zero()
pmf_figure.svg_file = lambda results: "<svg/>"  # one figure is enough
errors_are_the_scatter()
beside_pymbar()
beside_gmx_wham()
known_diffusion()
known_permeability()
other_forms()
degrees()
from_the_start()
whole_turn()
damaged()
refused()
checks.end()
