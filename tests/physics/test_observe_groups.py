"""The observables msd, rotation and leaflets of groups of beads: against sums over the frames, bit for bit what the same beads
give as types and molecules, on any number of ranks and in two jobs; and mistakes."""
import os
import tempfile

import h5py
import numpy as np

import oracle_motion
import trial
from oracle import State
from run_lamella import Checks, run
from test_groups import column, table, upper_beads

EVERY, STEPS, RANGE = 2, 40, 1.3
GROUPS = "{heads: {molecules: [DOPC, DMPC], names: [P, C]}, some: {types: [W], ids: [200, 1200]}}"
UPPER = "{molecules: [DOPC], leaflet: upper}"
OBSERVE = """[msd: {every: 2, groups: [heads, %s, some]},
 msd: {name: msd_same, every: 2, molecules: [DOPC, W], groups: [{molecules: [DOPC]}, {molecules: [W]}]},
 rotation: {every: 2, types: [W], groups: [some, {types: [W]}, {molecules: [DOPC], types: [G, T]}]},
 leaflets: {every: 2, range: 1.3, groups: [up, {molecules: [DOPE, POPC]}]},
 leaflets: {name: leaflets_same, every: 2, range: 1.3, groups: [{molecules: [DOPC]}, {molecules: [DOPE]}, {molecules: [DMPC]},
   {molecules: [POPC]}]}, leaflets: {name: leaflets_types, every: 2, range: 1.3}]""" % UPPER
OBSERVE = " ".join(OBSERVE.split())


def close(checks, what, got, want, relative, absolute=0.0):
    checks.true(what, np.shape(got) == np.shape(want) and np.allclose(got, want, relative, absolute, equal_nan=True), got, want)


class Film:
    """fraction: of all beads in the frames, unwrapped [frame][bead][3]; box [frame][3]; axis."""

    def __init__(self, path):
        with h5py.File(path) as file:
            of = file["particles/trajectory"]
            edges = of["box/edges/value"][:]
            self.box = np.array([np.diag(edge) for edge in edges])
            self.fraction = of["position/value"][:] / self.box[:, None] + of["image/value"][:]
            self.time = of["position/time"][:]


def of_molecules(state, ids):
    """Rows of the beads with these ids, of each molecule that has some; and which of these molecules are lipids."""
    first = np.arange(state.n)  # of the molecule of each bead
    for _, row in state.molecules():
        first[row:row + len(list(state.ff["molecules"].values())[state.kind[row]]["beads"])] = row
    rows = np.sort(ids) - 1
    found = np.split(rows, np.flatnonzero(np.diff(first[rows])) + 1)
    return found, np.array([np.sum(first == first[r[0]]) > 1 for r in found])


def moved(checks, folder, film, state, name, ids):
    """Displacements of the centres of the beads of each molecule, less the mean of those of its leaflet."""
    mass, up = state.by_type("mass"), upper_beads(state)
    rows, lipid = of_molecules(state, ids)
    place = np.stack([(film.fraction[:, r] * mass[r][:, None]).sum(1) / mass[r].sum() for r in rows], 1)
    side = np.where(lipid, np.where(np.isin([r[0] + 1 for r in rows], up), 1, -1), 0)
    for leaflet in set(side):
        place[:, side == leaflet] -= place[:, side == leaflet].mean(1, keepdims=True)
    square = oracle_motion.over_origins(list(zip(place, film.box)), oracle_motion.squares)
    found = table(folder, f"see1.msd.msd_{name}.csv")
    lag = np.array([k for k, _ in oracle_motion.lags_of(len(place))])
    close(checks, f"lags of {name}", column(found, "lag"), lag * (film.time[1] - film.time[0]), 1e-6)
    close(checks, f"lateral of {name}", column(found, "lateral"), square[:, :2].sum(1), 1e-4)
    close(checks, f"normal of {name}", column(found, "normal"), square[:, 2], 1e-4)
    fit = oracle_motion.slope(column(found, "lag"), square[:, :2].sum(1), 0.1 * column(found, "lag")[-1], 0.5 * column(found, "lag")[-1])
    rates = dict(zip(labels(folder, "see1.msd.diffusion.csv"), column(table_of(folder, "see1.msd.diffusion.csv"), "lateral")))
    close(checks, f"diffusion of {name}", rates[name], fit * 1e6 / 4, 1e-3)


def lines_of(folder, name):
    with open(os.path.join(folder, name)) as file:
        return [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]


def labels(folder, name):
    return [row[0] for row in lines_of(folder, name)[1:]]


def table_of(folder, name):
    """A table whose rows have labels."""
    names, *rows = lines_of(folder, name)
    return {key: np.array([float(row[k] or "nan") for row in rows]) for k, key in enumerate(names) if k}


def neighboured(checks, folder, film, state):
    """Lipids, contacts and pairs of `up`, of DOPE and POPC, and of the others, by heads P."""
    kinds, up = list(state.ff["molecules"]), upper_beads(state)
    heads = np.flatnonzero(state.type == state.names.index("P"))
    above = np.isin(heads + 1, up)
    kind = np.array([kinds[k] for k in state.kind[heads]])
    of = np.where((kind == "DOPC") & above, 0, np.where(np.isin(kind, ("DOPE", "POPC")), 1, 2))
    names = "up", "group2", "other"
    found = table_of(folder, "see1.leaflets.leaflets.csv")
    checks.true("rows of groups", labels(folder, "see1.leaflets.leaflets.csv") == list(names), labels(folder, "see1.leaflets.leaflets.csv"))
    close(checks, "in the upper leaflet", column(found, "upper"), [(above & (of == k)).sum() for k in range(3)], 0, 1e-12)
    close(checks, "in the lower leaflet", column(found, "lower"), [(~above & (of == k)).sum() for k in range(3)], 0, 1e-12)
    area = (film.box[:, 0] * film.box[:, 1]).mean() * 2
    close(checks, "areas of all", (column(found, "area") * np.bincount(of)).sum(), area, 1e-5)
    i, j = np.triu_indices(len(heads), 1)
    i, j = i[above[i] == above[j]], j[above[i] == above[j]]
    near, every = np.zeros((3, 3)), np.zeros((3, 3))
    at = np.minimum(of[i], of[j]), np.maximum(of[i], of[j])
    np.add.at(every, at, 1)
    for place, box in zip(film.fraction, film.box):
        d = place[heads[i]] - place[heads[j]]
        d = ((d - np.round(d)) * box)[:, :2]
        np.add.at(near, at, np.hypot(*d.T) < RANGE)
    rows = [(a, b) for a in range(3) for b in range(a, 3)]
    contacts = table_of(folder, "see1.leaflets.contacts.csv")
    checks.true("pairs of groups", labels(folder, "see1.leaflets.contacts.csv") == [f"{names[a]}_{names[b]}" for a, b in rows])
    close(checks, "contacts", column(contacts, "fraction"), [near[r] / near.sum() for r in rows], 0, 1e-6)
    close(checks, "pairs", column(contacts, "expected"), [every[r] / every.sum() for r in rows], 0, 1e-6)


def same_as_types(checks, folder):
    """Groups of what types and molecules choose have the same numbers."""
    for one, other in (("msd_same.msd_DOPC", "msd_same.msd_group1"), ("msd_same.msd_W", "msd_same.msd_group2"),
                       ("rotation.rotation_W", "rotation.rotation_group2"), ("leaflets_types.leaflets", "leaflets_same.leaflets"),
                       ("leaflets_types.contacts", "leaflets_same.contacts")):
        rows = [{tuple(row[1:]) if "leaflets" in one else tuple(row) for row in lines_of(folder, f"see1.{name}.csv")} for name in (one, other)]
        checks.true(f"{one} and {other}", rows[0] == rows[1] and len(rows[0]) > 3, rows[0] ^ rows[1])
    few, all_of = (column(table(folder, f"see1.rotation.rotation_{name}.csv"), "first") for name in ("some", "W"))
    checks.true("other beads, other axes", (few != all_of).all() and (abs(few - all_of) < 0.2).all(), few, all_of)


def mistakes(checks, folder, settings):
    for item, words in (("msd: {groups: [{ids: [1, 3]}]}", ["[1].msd.groups", "group1 are of one molecule"]),
                        ("msd: {groups: [none]}", ["no bead type or group 'none'"]),
                        ("msd: {molecules: [W], groups: [W]}", ["there is a curve W already"]),
                        ("rotation: {groups: [{types: [T]}]}", ["no bead of the group has a dipole"]),
                        ("leaflets: {groups: [{types: [W]}]}", ["no bead of group1 is in a lipid"]),
                        ("leaflets: {groups: [P, {types: [C]}]}", ["beads in P and in group2", "'not'"]),
                        ("leaflets: {groups: [P, P]}", ["P stands in the list twice"]),
                        ("leaflets: {groups: [other]}", ["are the lipids of no group"]),
                        ("leaflets: {groups: []}", ["[1].leaflets.groups: 0 items"]),
                        ("density: {groups: [other, other_error]}", ["'number_other' and 'number_other_error'", "density/number_other_error"]),
                        ("density: {groups: [other_time, other]}", ["'number_other_time' and 'number_other'", "density/number_other_time"])):
        said = trial.simulate(folder, "wrong", {**settings, "groups": "{other: {types: [P]}, other_error: {types: [C]}, other_time: {types: [C]}}",
                                                "observe": f"[{item}]"}, status=2, ranks=2)
        checks.true(item, all(word in said for word in words), said)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        settings = {"input": trial.membrane(folder), "run.dt": 0.005, "thermostat.type": "langevin", "run.steps": STEPS,
                    "barostat.type": "crescale", "neighbor.skin": 0.2, "output.frames_every": EVERY, "output.frames_precision": 0}
        case = {**settings, "groups": GROUPS[:-1] + ", up: %s}" % UPPER, "observe": OBSERVE}
        for ranks in 1, 3:
            trial.simulate(folder, f"see{ranks}", case, ranks=ranks)
        trial.simulate(folder, "halves", {**case, "run.steps": STEPS // 2 + 1})
        trial.simulate(folder, "halves", case, restart="auto", ranks=2)
        for name in "see3", "halves":
            wrong = trial.differences(*(os.path.join(folder, f"{of}.observables.h5") for of in ("see1", name)))
            checks.true("the same numbers of " + name, not wrong, wrong)
        state, film = State(settings["input"]), Film(os.path.join(folder, "see1.h5md"))
        ids, kinds = np.arange(1, state.n + 1), list(state.ff["molecules"])
        kind, type_ = (np.array(names)[of] for names, of in ((kinds, state.kind), (state.names, state.type)))
        moved(checks, folder, film, state, "heads", ids[np.isin(kind, ("DOPC", "DMPC")) & np.isin(type_, ("P", "C"))])
        moved(checks, folder, film, state, "group2", np.intersect1d(ids[kind == "DOPC"], upper_beads(state)))
        moved(checks, folder, film, state, "some", ids[(type_ == "W") & (ids >= 200) & (ids <= 1200)])
        neighboured(checks, folder, film, state)
        same_as_types(checks, folder)
        run("analyze", "see1.h5md", "see1.yaml", f"--set=groups={case['groups']}", f"--set=observe={OBSERVE}", "--output=again",
            "--set=output.prefix=see1", cwd=folder)
        for name in "msd.msd_heads", "leaflets.contacts", "leaflets.leaflets":
            rows = [lines_of(folder, f"{of}.{name}.csv") for of in ("see1", "again")]
            checks.true(f"rows of {name} of frames", [row[:1] for row in rows[0]] == [row[:1] for row in rows[1]] and len(rows[0]) > 2, *rows)
            close(checks, f"{name} of frames", *([float(row[1] or "nan") for row in of[1:]] for of in rows), 1e-5)
        mistakes(checks, folder, settings)
    checks.end()


main()
