"""Groups of beads in runs: their counts, names and old entries with the same bits, leaflets and regions against the
positions of the start, what a job that goes on and later stages keep of it, and mistakes."""
import os
import tempfile

import h5py
import numpy as np

import trial
from oracle import State
from run_lamella import Checks, read, run, write

GROUPS = ("{upper: {leaflet: upper}, slab: {types: [W], region: {z: [-0.4, 0.9]}}, "
          "odd: {ndx: {file: odd.ndx, group: Odd}}, all_tails: {types: [T]}, "
          "some: {any: [slab, {group: upper, not: all_tails}], not: odd}}")


def kept(path):
    """What a state keeps of selections: {text: ids}."""
    with h5py.File(path) as file:
        if "groups" not in file:
            return {}
        texts = np.ravel(file["groups/selections"][()])[0].decode().rstrip("\0").split("\n")
        counts, rows = file["groups/ranges"][:], file["groups/ids"][:]
    rows = np.split(rows, np.cumsum(counts)[:-1])
    return {text: np.concatenate([np.arange(a, b + 1) for a, b in r]) if len(r) else np.array([], int)
            for text, r in zip(texts, rows)}


def upper_beads(state):
    """Ids of the lipids whose first three beads are above their last three."""
    found = []
    for _, row in state.molecules():
        rows = np.arange(row, row + list(state.ff["molecules"].values())[state.kind[row]]["beads"].__len__())
        z = np.cumsum([0] + [state.between(j + 1, j)[2] for j in rows[:-1]])
        # along the molecule: each bead from the one before it, by the nearest image
        if z[:3].mean() > z[-3:].mean():
            found.extend(rows + 1)
    return np.array(found)


def of_the_start(checks, folder, start, settings):
    """The beads of each selection, and the counts that the log gives."""
    said = trial.simulate(folder, "first", {**settings, "run.steps": 0, "groups": GROUPS})
    found, state = kept(trial.checkpoint(folder, "first")), State(start)
    z, edge = state.word[:, 2] / 2.0**32 * state.box[2], state.box[2]
    slab = np.nonzero((z < 0.9) | (z >= edge - 0.4))[0] + 1
    water = np.isin(state.type, [state.names.index("W")])
    upper, odd = upper_beads(state), np.arange(1, 301, 2)
    tails = np.nonzero(state.type == state.names.index("T"))[0] + 1
    slab_water = slab[water[slab - 1]]
    some = np.setdiff1d(np.union1d(slab_water, np.setdiff1d(upper, tails)), odd)
    checks.true("three are kept", len(found) == 3, list(found))
    for text, ids in found.items():
        want = upper if "leaflet" in text else slab if "region" in text else odd
        checks.true("beads of " + text, np.array_equal(ids, want), len(ids), len(want))
    for name, want in (("upper", upper), ("slab", slab_water), ("odd", odd), ("all_tails", tails), ("some", some)):
        checks.true(f"count of {name}", f"group {name}: {len(want)} beads" in said, len(want), said)


def same_bits(checks, folder, settings):
    """A name, a selection and an entry of earlier versions; ranks; a job that goes on without the index file."""
    old = "[{form: force, z: 2, group: {types: [C, P], molecules: [DOPC, DMPC], ids: [4, 900]}}]"
    new = "[{form: force, z: 2, group: {any: [{ids: [[4, 500], [400, 900]]}], group: mine}}]"
    case = {**settings, "run.steps": 20, "run.seed": 5}
    trial.simulate(folder, "old", {**case, "fields": old})
    trial.simulate(folder, "new", {**case, "fields": new, "groups":
                                   "{mine: {types: [C, P], not: {not: {molecules: [DOPC, DMPC]}}}}"})
    wrong = trial.differences(*(trial.checkpoint(folder, name) for name in ("old", "new")))
    checks.true("names give the same bits", not wrong, wrong)
    case = {**settings, "run.steps": 30, "groups": GROUPS, "barostat.type": "berendsen", "run.momentum_every": 10,
            "fields": "[{form: force, z: 30, group: some}, {form: restraint, kz: 90, group: {names: [P], group: upper}}]",
            "run.momentum_groups": "[{group: upper}, {group: {not: {any: [upper]}}}]",
            "frozen": "[{group: {group: slab, ids: [[1, 700], 702, [704, 3000]]}, along: z}]"}
    trial.same_states(checks, folder, case, (1, 3), 11, "groups")
    trial.simulate(folder, "without", {**case, "run.steps": 11})
    os.rename(os.path.join(folder, "odd.ndx"), os.path.join(folder, "gone.ndx"))
    trial.simulate(folder, "without", case, restart="auto")
    wrong = trial.differences(trial.checkpoint(folder, "on1"), trial.checkpoint(folder, "without"))
    checks.true("goes on without the index file", not wrong, wrong)
    checks.true("and keeps its beads", len(kept(trial.checkpoint(folder, "without"))) == 3)
    os.rename(os.path.join(folder, "gone.ndx"), os.path.join(folder, "odd.ndx"))


def used_ones_count(checks, folder, settings):
    """A group that no force depends on changes neither noise nor lists; another definition of one that some do is said."""
    case = {**settings, "run.steps": 12, "fields": "[{form: force, z: 3, group: {not: b}}]"}
    groups = "{a: {types: [P]}, b: {any: [a, {types: [G]}]}%s}"
    trial.simulate(folder, "few", {**case, "groups": groups % ""})
    trial.simulate(folder, "more", {**case, "run.steps": 5, "groups": groups % ""})
    said = trial.simulate(folder, "more", {**case, "groups": groups % ", c: {types: [W]}"}, restart="auto")
    wrong = trial.differences(*(trial.checkpoint(folder, name) for name in ("few", "more")))
    checks.true("a group that nothing names", not wrong and "changed" not in said, wrong, said)
    said = trial.simulate(folder, "more", {**case, "run.steps": 15, "groups": groups.replace("[P]", "[C]") % ""},
                          restart="auto")
    checks.true("a change of one that is named is said", "changed since the job before: groups was" in said, said)


def stages(checks, folder, settings):
    """All stages have the beads of the start of the first; a run from the last state has its own."""
    case = {**settings, "groups": GROUPS, "fields": "[{form: force, z: 30, group: slab}]",
            "stages": "[{name: em, minimise: {steps: 20}}, {name: a, steps: 30}, {name: b, steps: 5}]"}
    trial.simulate(folder, "chain", case)
    first, *later = (kept(trial.checkpoint(folder, f"chain.{name}")) for name in ("em", "a", "b"))
    checks.true("stages keep them", all(other.keys() == first.keys() for other in later), later)
    checks.true("the same", all(np.array_equal(first[t], other[t]) for t in first for other in later))
    said = trial.simulate(folder, "chain", {**case, "stages": case["stages"].replace(
        "steps: 5", "steps: 5, set: {groups: {a: {types: [W]}}}")}, status=2)
    checks.true("they are those of all stages", "the same in all stages" in said, said)
    after = {**settings, "input": trial.checkpoint(folder, "chain.b"), "run.steps": 0, "groups": GROUPS}
    trial.simulate(folder, "after", after)
    found = kept(trial.checkpoint(folder, "after"))
    checks.true("another run has its own", any(len(found[t]) != len(first[t]) for t in found), found)


def table(folder, name):
    """A table of an observable: {column: array}; without its errors."""
    with open(os.path.join(folder, name)) as file:
        names, *rows = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    return {key: np.array([float(row[k] or "nan") for row in rows]) for k, key in enumerate(names)}


def column(of, begin):
    """The column whose name begins so."""
    return next(values for key, values in of.items() if key.startswith(begin))


def observed(checks, folder, start, settings):
    """Densities and pair distributions of groups in the first state, against counts of beads and pairs."""
    observe = ("[density: {every: 100, bins: 40, groups: [some, {ids: [[1, 400], 900]}]}, rdf: {every: 100, range: 1.2, "
               "bins: 6, pairs: [[some, W], [P, {types: [P], ids: [1, 1000]}]]}, rdf: {name: old, every: 100, range: 1.2, "
               "bins: 6, pairs: [[P, P]]}]")
    case = {**settings, "run.steps": 2, "groups": GROUPS, "observe": observe}
    for ranks in 1, 3:
        trial.simulate(folder, f"see{ranks}", case, ranks=ranks)
    wrong = trial.differences(*(os.path.join(folder, f"see{ranks}.observables.h5") for ranks in (1, 3)))
    checks.true("observables of groups on ranks", not wrong, wrong)
    state, ids = State(start), np.arange(1, State(start).n + 1)
    found = kept(trial.checkpoint(folder, "see1"))
    slab, upper, odd = (next(v for k, v in found.items() if word in k) for word in ("region", "leaflet", "ndx"))
    water, tail = (state.type == state.names.index(name) for name in "WT")
    some = ((np.isin(ids, slab) & water) | (np.isin(ids, upper) & ~tail)) & ~np.isin(ids, odd)
    density = table(folder, "see1.density.density.csv")
    volume = state.box.prod() / 40
    few = np.isin(ids, [*range(1, 401), 900])
    for name, inside in ("some", some), ("group2", few):
        checks.close(f"beads in the density of {name}", column(density, "number_" + name).sum() * volume, inside.sum(), 1e-6)
    whole = sum(values for key, values in density.items() if key.startswith("number_") and "W" in key and "err" not in key)
    checks.true("no bin has more than all", (column(density, "number_some") * volume > -1e-9).all() and len(whole) == 40)
    pairs = np.nonzero(state.type == state.names.index("P"))[0]
    for name, a, b in (("some_W", np.nonzero(some)[0], np.nonzero(water)[0]), ("P_B2", pairs, pairs[pairs < 1000]),
                       ("old", pairs, pairs)):
        file = "see1.old.P_P.csv" if name == "old" else f"see1.rdf.{name}.csv"
        r = (state.word[a][:, None] - state.word[b][None]).view(np.int32) * (state.box / 2.0**32)
        r, both = np.sqrt((r**2).sum(-1)), len(np.intersect1d(a, b))
        checks.close("neighbours " + name, column(table(folder, file), "coordination")[-1] * len(a),
                     (r < 1.2).sum() - both, 1e-9)
        shell = 4 / 3 * np.pi * (1.2**3 - 1.0**3) * (len(a) * len(b) - both) / state.box.prod()
        checks.close("g of " + name, column(table(folder, file), "g")[-1], ((r >= 1.0) & (r < 1.2)).sum() / shell, 1e-9)


def frames(checks, folder, settings):
    """Frames, converted files, maps and ions of groups."""
    case = {**settings, "groups": GROUPS, "run.steps": 20, "output.frames_every": 10, "output.frames_select": "some,P"}
    for ranks in 1, 3:
        trial.simulate(folder, f"film{ranks}", case, ranks=ranks)
    trial.simulate(folder, "halves", {**case, "run.steps": 10})
    trial.simulate(folder, "halves", case, restart="auto", ranks=2)
    for name in "film3", "halves":
        wrong = trial.differences(*(os.path.join(folder, of + ".h5md") for of in ("film1", name)))
        checks.true("frames of " + name, not wrong, wrong)
    film, state = os.path.join(folder, "film1.h5md"), trial.checkpoint(folder, "film1")
    with h5py.File(film) as file:
        ids = file["particles/trajectory/id"][:]
    counted = trial.simulate(folder, "count", {**case, "groups": GROUPS[:-1] + ", out: {any: [some, {types: [P]}]}}",
                                               "output.frames_select": "out", "run.steps": 0, "output.frames_every": 0})
    checks.true("as many beads as the group has", f"group out: {len(ids)} beads" in counted, len(ids), counted)
    said = trial.simulate(folder, "halves", {**case, "run.steps": 21, "output.frames_select": "odd"}, restart="auto")
    checks.true("frames go on as they began", "goes on with the selection" in said, said)
    for source in film, state:
        for select, lines in (("P", None), ("some, P", len(ids)), ("{names: [P], ids: [1, 900]}", None), ("odd", 150)):
            out = os.path.join(folder, "picked.gro")
            done = run("convert", source, "-o", out, "--select=" + select, "--positions=wrapped",
                       status=2 if source == film and select == "odd" else 0)
            if done.returncode:
                checks.true("beads that frames lack", "are not in the frames" in done.stderr, done.stderr)
            elif lines:
                checks.true(f"{select} of {source}", int(read(out).split("\n")[1]) == lines, lines)
    checks.refused("a name", ["--select", "'somme'", "did you mean 'some'"], "convert", state, "-o", out, "--select=somme")
    maps = []
    for types in "C,P", "{types: [C, P]}", "cp":
        trial.simulate(folder, "source", {**settings, "run.steps": 0, "groups": "{cp: {types: [P, C]}, c: {types: [C]}}"})
        out = os.path.join(folder, f"map{len(maps)}.dx")
        run("map", trial.checkpoint(folder, "source"), "-o", out, "--spacing=0.8", "--types=" + types)
        maps.append([line for line in read(out).split("\n") if not line.startswith("#")])
    checks.true("maps of the same beads", maps[0] == maps[1] == maps[2])
    ions = []
    for sources in "P", "{types: [P]}":
        out = os.path.join(folder, "ions.h5")
        run("ions", settings["input"], "-o", out, "--add=NA:2", "--sources=" + sources, "--spacing=0.4")
        ions.append(trial.positions(out))
    checks.true("ions by the same sources", np.array_equal(*ions))


def mistakes(checks, folder, settings):
    write(os.path.join(folder, "bad.ndx"), "[ A ]\n1 2 99999\n")
    for group, words in (
            ("{types: [W], molecules: [DOPC]}", ["no bead of the system", "W 1440", "DOPC 540"]),
            ("{region: {z: [0, 99]}}", ["99 nm wide along z", "leave z out"]),
            ("{ndx: {file: none.ndx, group: a}}", ["none.ndx", "No such file"]),
            ("{ndx: {file: odd.ndx, group: Even}}", ["no group 'Even'", "Odd"]),
            ("{ndx: {file: bad.ndx, group: a}}", ["bad.ndx:2", "99999"]),
            ("{group: g, leaflet: inner}", ["upper|lower"]),
            ("{names: [PX]}", ["no bead name 'PX'", "it has"])):
        said = trial.simulate(folder, "wrong", {**settings, "groups": "{h: %s}" % group}, status=2)
        checks.true(group, all(word in said for word in words), said)
    text = ("input: %s\ngroups:\n  a: {types: [W], molecules: [DOPC]}\n  b: {leaflet: upper, types: [W]}\n"
            "fields:\n  - {form: force, z: 1, group: %s}\n")
    for last, lines in (("a", (3, 4)), ("c", (3, 4)), ("{any: [c, {type: [W]}]}", (3, 4))):
        source = write(os.path.join(folder, "lines.yaml"), text % (settings["input"], last))
        checks.refused("all at once", [f"lines.yaml:{line}" for line in lines], "run", source, cwd=folder)
    for last, words in (("c", "no group 'c'; there are a, b"), ("{any: [c, {type: [W]}]}", "did you mean 'types'"),
                        ("{not: b, molecules: [W]}", None)):
        good = text.replace("molecules: [DOPC]", "ids: [1, 3000]").replace("leaflet: upper, ", "") % (settings["input"], last)
        source = write(os.path.join(folder, "lines.yaml"), good)
        checks.refused("after good ones", ["lines.yaml:6", *([words] if words else [])], "run", source, cwd=folder)
    water = trial.build(folder, "liquid", "forcefield: lj\nseed: 5\nlattice: {type: fcc, cells: [4, 4, 4], density: 0.8}\n")
    said = trial.simulate(folder, "wrong", {"input": water, "groups": "{h: {leaflet: upper}}"}, status=2)
    checks.true("leaflets of no lipids", "no lipids" in said, said)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "odd.ndx"), "[ System ]\n1 2\n[ Odd ]\n" + " ".join(map(str, range(1, 301, 2))) + "\n")
        settings = {"input": trial.membrane(folder), "run.dt": 0.005, "thermostat.type": "langevin",
                    "neighbor.skin": 0.2, "parallel.backend": "cpu"}
        of_the_start(checks, folder, settings["input"], settings)
        same_bits(checks, folder, settings)
        used_ones_count(checks, folder, settings)
        stages(checks, folder, settings)
        observed(checks, folder, settings["input"], settings)
        frames(checks, folder, settings)
        mistakes(checks, folder, settings)
    checks.end()


if __name__ == "__main__":
    main()
