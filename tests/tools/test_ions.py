#!/usr/bin/env python3
"""Placement of ions (lamella ions) against a search over all places with numpy, on several numbers of
ranks; numbers of ions, distances, wrong input, and a membrane with salt that runs."""
import math
import os
import re
import sys
import tempfile

from run_lamella import Checks, energy, run, skip, write

try:
    import h5py
    import numpy as np
    import yaml

    import bead_models
    import oracle
except ImportError as missing:
    skip(missing)

SOURCE = os.environ["top_srcdir"]
FIELDS = os.path.join(SOURCE, "forcefields")
WATER = 64 * 33  # beads
MEMBRANE = """
forcefield: elba
seed: 1
temperature: 303
bilayer: {upper: {DOPC: 32}, lower: {DOPC: 32}, area_per_lipid: 0.72, water_per_lipid: 33}
"""
# Cations far apart, with free space for anions.
CATIONS = """
forcefield: elba-ions
temperature: 303
lattice: {type: sc, cells: [3, 3, 4], density: 0.9, molecule: NA}
"""
RUN = """
input: salt.h5
run: {steps: 150, dt: 0.01, seed: 3, momentum_every: 100}
thermostat: {type: langevin, temperature: 303, tau: 1.0}
barostat: {type: crescale, coupling: semi_isotropic, pressure: 1.01325, tau: 5.0, every: 10}
output: {prefix: npt, energies_every: 50, frames_every: 0}
"""
LINE = re.compile(r"^([A-Z]+\d*) +(\d+)((?: +-?[\d.]+){3}) +(-?[\d.]+)$", re.M)
WATERS = 998 * 0.602214076 / 18.0153  # molecules per nm3


def placed(text):
    """Kind, bead, position (nm) and energy of each ion that a call printed."""
    return [(kind, int(bead), np.array(x.split(), float), float(e))
            for kind, bead, x, e in LINE.findall(text)]


def potential(points, source, q, p, box, cutoff, method):
    """kJ/mol/e at points [n][3] of sources [m][3], all in units of 2^-32 of the box edges."""
    out = np.zeros(len(points))
    for k in range(len(source)):
        d = (points - source[k]).view(np.int32) * (box / 2.0**32)
        r = np.maximum(np.sqrt((d * d).sum(1)), 1e-3)
        x = np.minimum(r / cutoff, 1)
        if method == "cutoff":
            charge, dipole = (1 - x**2)**2, (1 - x**2) * (1 + 3 * x**2)
        else:
            charge, dipole = (1 - x)**2, 1 - 3 * x**2 + 2 * x**3
        out += oracle.COULOMB * (q[k] * charge / r + d @ p[k] * dipole / r**3)
    return out


def search(state, where, points, keys, sources, ions, apart, method="cutoff", cutoff=1.2):
    """Places ions (kind, charge) one by one. where, points: of the places, and where their potential is
    taken. Returns key and energy of each."""
    value = potential(points, state.word[sources], state.charge[sources], state.dipole[sources], state.box,
                      cutoff, method)
    open_ = np.ones(len(where), bool)
    out = []
    for kind, charge in ions:
        left = np.flatnonzero(open_)
        e = charge * value[left]
        best = left[np.lexsort((keys[left], e))[0]]
        out.append((kind, keys[best], charge * value[best]))
        value += potential(points, where[best:best + 1], [charge], np.zeros((1, 3)), state.box, cutoff, method)
        d = (where - where[best]).view(np.int32) * (state.box / 2.0**32)
        open_ &= (d * d).sum(1) >= apart * apart
        open_[best] = False
    return out


def lattice(state, spacing):
    """Numbers of points, and their coordinates along each axis."""
    n = np.rint(state.box / spacing).astype(int)
    return n, [np.rint(np.arange(m) * (2.0**32 / m)).astype(np.uint64).astype(np.uint32) for m in n]


def nearest(word, n, at):
    """The points of the lattice nearest to positions."""
    index = np.floor(word * (n / 2.0**32) + 0.5).astype(int) % n
    return np.stack([at[k][index[:, k]] for k in range(3)], 1)


def far(state, words, beads, distance):
    """Which words are at least a distance from all beads."""
    good = np.ones(len(words), bool)
    for k in beads:
        d = (words - state.word[k]).view(np.int32) * (state.box / 2.0**32)
        good &= (d * d).sum(1) >= distance * distance
    return good


def compare(checks, what, got, want):
    checks.true(f"{what}: as many ions", len(got) == len(want), len(got), len(want))
    for n, (g, w) in enumerate(zip(got, want)):
        checks.true(f"{what}: place of ion {n}", g[:2] == (w[0], w[1]), g, w)
        checks.close(f"{what}: energy of ion {n}", g[3], w[2], relative=1e-9, absolute=2e-6)
    for kind in {g[0] for g in got}:
        e = [g[3] for g in got if g[0] == kind]
        checks.true(f"{what}: the energies of {kind} never fall", e == sorted(e), e)


def check_membrane(checks, method):
    state = oracle.State("start.h5")
    water = np.flatnonzero(state.type == 0)
    others = np.flatnonzero(state.type != 0)
    sources = others[(state.charge[others] != 0) | (state.dipole[others] != 0).any(1)]
    done = run("ions", "start.h5", "-o", "salt.h5", "--concentration=0.15:NA,CL", f"--method={method}",
               "--from=0.55", "--apart=0.6", "--spacing=0.1")
    got = placed(done.stdout)
    n = round(0.15 * 0.602214076 * len(water) / WATERS)
    n_points, at = lattice(state, 0.1)
    water = water[far(state, state.word[water], others, 0.55)]
    want = search(state, state.word[water], nearest(state.word[water], n_points, at), water + 1, sources,
                  [("NA", 0.7)] * n + [("CL", -0.7)] * n, 0.6, method)
    compare(checks, method, got, want)
    salt = oracle.State("salt.h5")
    ions = np.array([g[1] - 1 for g in got])
    checks.true(f"{method}: net charge", abs(salt.charge.sum()) < 1e-9, salt.charge.sum())
    checks.true(f"{method}: force field", salt.ff["name"] == "elba-ions", salt.ff["name"])
    checks.true(f"{method}: ions in the file", sorted(np.flatnonzero(salt.type > 6)) == sorted(ions))
    checks.true(f"{method}: nothing has moved", (salt.word == state.word).all())
    kept = np.setdiff1d(np.arange(state.n), ions)
    checks.true(f"{method}: other beads", (salt.type[kept] == state.type[kept]).all())
    names = list(salt.ff["molecules"])
    checks.true(f"{method}: molecules", [names[k] for k in salt.kind[ions]] == [g[0] for g in got])
    for i, ion in enumerate(ions):
        d = np.sqrt((salt.between(ion, np.append(others, ions[:i]))**2).sum(1))
        checks.true(f"{method}: distances of ion {i}", d[:len(others)].min() >= 0.55, d.min())
        checks.true(f"{method}: ions apart {i}", i == 0 or d[len(others):].min() >= 0.6, d[len(others):])
    return done.stdout


def check_ranks(checks):
    """Files and lines are the same bits on any number of ranks."""
    for options in (["start.h5", "--concentration=0.3:NA,CL"],
                    ["cations.h5", "--free", "--neutralise=NA,CL", "--spacing=0.1", "--from=0.3"]):
        seen = []
        for ranks in (1, 2, 3):
            text = run("ions", *options, "-o", "ranks.h5", ranks=ranks).stdout
            with h5py.File("ranks.h5") as file:
                beads = {k: v[()].tobytes() for k, v in file["beads"].items()}
            seen.append(([line for line in text.splitlines() if "written" not in line], beads))
        checks.true(f"{options[0]}: 2 ranks as 1", seen[0] == seen[1])
        checks.true(f"{options[0]}: 3 ranks as 1", seen[0] == seen[2])


def check_free(checks):
    """Anions for 36 cations, at points of the map."""
    state = oracle.State("cations.h5")
    done = run("ions", "cations.h5", "--free", "-o", "free.h5", "--neutralise=NA,CL", "--spacing=0.1",
               "--from=0.3", "--apart=0.4", "--temperature=0")
    got = placed(done.stdout)
    n, at = lattice(state, 0.1)
    z, y, x = np.meshgrid(at[2], at[1], at[0], indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
    keys = np.arange(len(points))
    good = far(state, points, range(state.n), 0.3)
    want = search(state, points[good], points[good], keys[good], np.arange(state.n), [("CL", -0.7)] * state.n,
                  0.4)
    end = oracle.State("free.h5")
    checks.true("free: beads", end.n == 2 * state.n and (end.word[:state.n] == state.word).all())
    checks.true("free: number of ions", len(got) == state.n)
    # The lattice of cations makes ties, which rounding breaks: energies agree, and places by their energy.
    for i, g in enumerate(got):
        checks.true(f"free: bead of ion {i}", g[1] == state.n + i + 1, g)
        checks.true(f"free: on the lattice {i}", (end.word[g[1] - 1] == nearest(
            end.word[g[1] - 1:g[1]], n, at)[0]).all())
        before = np.arange(g[1] - 1)
        v = potential(end.word[g[1] - 1:g[1]], end.word[before], end.charge[before], end.dipole[before], end.box,
                      1.2, "cutoff")[0]
        checks.close(f"free: energy of ion {i}", g[3], -0.7 * v, relative=1e-9, absolute=2e-6)
    checks.close("free: first energy", got[0][3], want[0][2], absolute=2e-6)
    e = [g[3] for g in got]
    checks.true("free: the energies never fall", e == sorted(e), e)
    with h5py.File("free.h5") as file:
        checks.true("free: at rest with 0 K", not file["beads/momentum"][state.n:].any())
        checks.true("free: a molecule each", len(set(file["beads/molecule"][:])) == end.n)


def check_numbers(checks):
    """Ions by number, and to neutralise, by kinds with other charges."""
    with open(os.path.join(FIELDS, "elba-ions.yaml")) as text:
        field = yaml.safe_load(text)
    field["types"]["NA"]["charge"] = 1.4
    write("divalent.yaml", yaml.safe_dump(field, sort_keys=False))

    def counts(*options, start="start.h5", out="count.h5"):
        got = placed(run("ions", start, "-o", out, "--spacing=0.2", *options).stdout)
        return [(k, sum(g[0] == k for g in got)) for k in dict.fromkeys(g[0] for g in got)]

    own = "--forcefield=divalent.yaml"
    units = round(0.15 * 0.602214076 * WATER / WATERS)
    done = run("ions", "start.h5", "-o", "count.h5", "--add=NA:1", own)
    checks.true("same parameters", "other parameters" not in done.stderr, done.stderr)
    field["types"]["C"]["mass"] = 91
    write("heavy.yaml", yaml.safe_dump(field, sort_keys=False))
    done = run("ions", "start.h5", "-o", "count.h5", "--add=NA:1", "--forcefield=heavy.yaml")
    checks.true("other parameters", "other parameters" in done.stderr, done.stderr)
    checks.true("a salt of 1:2", counts("--concentration=0.15:NA,CL", own) == [("NA", units), ("CL", 2 * units)])
    checks.true("by number", counts("--add=CL:3,NA:1", own, out="net.h5") == [("CL", 3), ("NA", 1)])
    four = bead_models.FIELD.replace("molecules:", "molecules:\n  P: {beads: [P]}\n  N: {beads: [N]}", 1)
    write("four.yaml", (four % ("energy_shift", 15, 0)).replace("charge: -0.8", "charge: -1"))
    write("coarse.yaml", "{forcefield: four.yaml, water: {count: 1000, molecule: W}, minimise: no}")
    run("build", "coarse.yaml", "-o", "coarse.h5")
    units = round(0.15 * 0.602214076 * 4 * 1000 / WATERS)
    checks.true("a bead of water of four molecules", counts("--concentration=0.15:P,N", start="coarse.h5") ==
                [("P", units), ("N", units)], units)
    field["types"]["NA"]["charge"], field["types"]["C"]["mass"] = 0.7, 90
    field["types"]["MG"] = {**field["types"]["NA"], "charge": 1.4}
    rows = [row for row in field["pair"]["table"] if "NA" in row[:2]]
    field["pair"]["table"] += [["MG", row[1], dict(row[2])] for row in rows] + [["MG", "MG", dict(rows[0][2])]]
    field["molecules"]["MG"] = {"beads": ["MG"]}
    write("mg.yaml", yaml.safe_dump(field, sort_keys=False))
    done = run("ions", "start.h5", "-o", "mixed.h5", "--add=NA:3,MG:3,CL:2", "--forcefield=mg.yaml")
    got = placed(done.stdout)
    e = [g[3] for g in got if g[0] != "CL"]
    checks.true("cations of two charges: the energies never fall", e == sorted(e), got)
    checks.true("cations of two charges: numbers", [[g[0] for g in got].count(k) for k in ("NA", "MG", "CL")] ==
                [3, 3, 2] and [g[0] for g in got[-2:]] == ["CL", "CL"], got)
    checks.true("nothing to neutralise", counts("--neutralise=NA,CL", start="salt.h5") == [])
    checks.refused("not a multiple", "cannot be neutralised", "ions", "net.h5", "-o", "count.h5", "--neutralise=NA")
    checks.true("cations alone", counts("--add=NA:2", own, out="two.h5") == [("NA", 2)])
    checks.true("anions for them", counts("--neutralise=NA,CL", start="two.h5") == [("CL", 4)])
    checks.true("neutralise and salt", counts("--concentration=0.15:NA,CL", start="two.h5") ==
                [("CL", 4 + 2 * round(0.15 * 0.602214076 * (WATER - 2) / WATERS)),
                 ("NA", round(0.15 * 0.602214076 * (WATER - 2) / WATERS))])
    checks.refused("no anion", "no anion is named", "ions", "two.h5", "-o", "count.h5", "--neutralise=NA")


def check_ties(checks):
    """Without sources all places are equal: the lowest number of a bead, or of a point, is taken."""
    got = placed(run("ions", "water.h5", "-o", "tie.h5", "--add=CL:1", "--spacing=0.2").stdout)
    checks.true("the first bead", got[0][1] == 1 and got[0][3] == 0, got)
    got = placed(run("ions", "water.h5", "-o", "tie.h5", "--add=CL:1", "--spacing=0.2", "--free", "--from=0",
                     "--sources=NA").stdout)
    checks.true("the first point", (got[0][2] == 0).all() and got[0][3] == 0, got)


def check_runs(checks):
    """150 steps of NPT; ions are in the water and apart."""
    run("ions", "start.h5", "-o", "salt.h5", "--concentration=0.15:NA,CL")
    checks.true("energies", all(math.isfinite(v) for v in energy("salt.h5")["terms"].values()))
    write("run.yaml", RUN)
    run("run", "run.yaml")
    end = oracle.State("npt.checkpoint.h5")
    z = end.word[:, 2] / 2.0**32 * end.box[2]
    ions, tails = np.flatnonzero(end.type > 6), np.flatnonzero(end.type == 5)
    checks.true("ions after the run", len(ions) == 2 * round(0.15 * 0.602214076 * WATER / WATERS) > 9, len(ions))
    angle = 2 * np.pi * z[tails] / end.box[2]
    middle = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * end.box[2] / (2 * np.pi)
    away = np.abs((z[ions] - middle + end.box[2] / 2) % end.box[2] - end.box[2] / 2)
    checks.true("no ion between the tails", away.min() > 1.2, away)
    water = np.flatnonzero(end.type == 0)
    for ion in ions:
        d = np.sqrt((end.between(ion, water)**2).sum(1))
        checks.true("an ion in water", (d < 0.6).sum() >= 4, (d < 0.6).sum())
        checks.true("ions apart after the run", all(
            (end.between(ion, other)**2).sum() > 0.3**2 for other in ions if other != ion))


def check_field(checks):
    """elba-ions is elba with two more types."""
    with open(os.path.join(FIELDS, "elba.yaml")) as text:
        elba = yaml.safe_load(text)
    with open(os.path.join(FIELDS, "elba-ions.yaml")) as text:
        both = yaml.safe_load(text)
    for key in ("cutoff", "exclude", "bonds", "angles"):
        checks.true(f"elba-ions: {key}", both[key] == elba[key])
    for key in ("types", "molecules"):
        n = len(elba[key])
        checks.true(f"elba-ions: {key}", list(both[key].items())[:n] == list(elba[key].items()))
        checks.true(f"elba-ions: more {key}", list(both[key])[n:] == ["NA", "CL"], list(both[key])[n:])
    n = len(elba["pair"]["table"])
    checks.true("elba-ions: pairs", both["pair"]["table"][:n] == elba["pair"]["table"])
    table = {frozenset((a, b)): v for a, b, v in both["pair"]["table"]}
    for ion in ("NA", "CL"):
        for name in both["types"]:
            like = table[frozenset("A" if name in ("NA", "CL") else ("W", name))]
            checks.true(f"elba-ions: {ion} {name}", table[frozenset((ion, name))] == like)


def check_wrong(checks):
    files = sorted(os.listdir("."))
    for options, words in (
            (["--add=XX:3"], "no molecule 'XX'"),
            (["--add=DOPC:3", "--forcefield=elba-ions"], "a molecule of one bead"),
            (["--add=W:3"], "no charge"),
            (["--add=NA"], "not NAME:N"),
            (["--add=NA:0"], "not NAME:N"),
            (["--add=NA:2,NA:3"], "twice"),
            ([], "say which"),
            (["--add=NA:2", "--neutralise=NA"], "exclude each other"),
            (["--concentration=0.15:NA,NA"], "twice"),
            (["--concentration=0.15:NA"], "one cation and one anion"),
            (["--concentration=x:NA,CL"], "not MOL_PER_L"),
            (["--concentration=0.15"], "not MOL_PER_L"),
            (["--add=NA:2", "--replace=XX"], "no molecule 'XX'"),
            (["--add=NA:2", "--replace=DOPC"], "15 beads"),
            (["--add=NA:2", "--replace=CL"], "no solvent"),
            (["--add=NA:2", "--replace=W", "--free"], "exclude each other"),
            (["--add=NA:2", "--from=9"], "no place is left"),
            (["--add=NA:400", "--apart=2"], "no place is left"),
            (["--add=NA:2", "--free", "--from=1", "--spacing=0.15"], "no place is left"),
            (["--add=NA:2", "--cutoff=5"], "half the smallest edge"),
            (["--add=NA:2", "--cutoff=1", "--method=force_field"], "the cutoff of the force field"),
            (["--add=NA:2", "--sources=W"], "cannot be sources"),
            (["--add=NA:2", "--sources=Q"], "no bead type or group 'Q'"),
            (["--add=NA:2", "--spacing=0"], "expected a number from"),
            (["--add=NA:2", "--forcefield=ssd"], "does not extend"),
            (["--add=NA:2", "--temperature=-1"], "expected a number from")):
        done = run("ions", "start.h5", "-o", "wrong.h5", *options, status=2)
        checks.true(f"{options}: {words}", words in done.stderr, done.stderr)
        checks.true(f"{options}: said once", done.stderr.count(words) == 1, done.stderr)
    checks.refused("no solvent", ("no solvent", "--free"), "ions", "dry.h5", "-o", "wrong.h5", "--add=CL:2")
    done = run("ions", "start.h5", "-o", "wrong.h5", "--add=NA:400", "--apart=2", ranks=2, status=2)
    checks.true("two ranks: said once", done.stderr.count("no place is left") == 1, done.stderr)
    checks.true("nothing is left behind", sorted(os.listdir(".")) == files,
                set(os.listdir(".")) ^ set(files))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("build.yaml", MEMBRANE)
        run("build", "build.yaml", "-o", "start.h5")
        write("cations.yaml", CATIONS)
        run("build", "cations.yaml", "-o", "cations.h5")
        write("water.yaml", "{forcefield: elba, water: {count: 1000}, minimise: no}")
        run("build", "water.yaml", "-o", "water.h5")
        run("ions", "cations.h5", "-o", "dry.h5", "--free", "--neutralise=CL", "--spacing=0.2")
        check_field(checks)
        check_wrong(checks)
        for method in ("cutoff", "force_field"):
            check_membrane(checks, method)
        check_free(checks)
        check_numbers(checks)
        check_ties(checks)
        check_ranks(checks)
        check_runs(checks)
        os.chdir("/")
    checks.end()


if __name__ == "__main__":
    sys.exit(main())
