"""The audit of interval rebuilds: a skin far too small misses pairs, and says so with the numbers
an independent count gives; an ample skin misses none; exact lists never miss, and end in time."""
import os
import re
import shutil
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks


def state_of(folder, prefix):
    """Positions at the end and at the last list build in nm, box, radius, pairs left out."""
    with h5py.File(trial.checkpoint(folder, prefix), "r") as file:
        return {"now": file["beads/position"][:].view(np.uint32),
                "built": file["beads/build_position"][:].view(np.uint32),
                "box": file["system/box"][:], "build_box": file["neighbor_list/box"][:],
                "skin": float(np.ravel(file["neighbor_list/skin"])[0]),
                "missed": int(np.ravel(file["counters/missed"])[0]),
                "worst": int(np.ravel(file["counters/worst_build"])[0]),
                "force": float(np.ravel(file["counters/missed_force"])[0])}


def distance2(words, box):
    i, j = np.triu_indices(len(words), 1)
    r = (words[i] - words[j]).view(np.int32) * (box / 2.0**32)
    return (r * r).sum(axis=1)


def missed_pairs(before, after, cutoff):
    """Distances of pairs inside the cutoff at the second build and outside the first list."""
    now = distance2(after["built"], after["build_box"])
    apart = distance2(before["built"], before["build_box"]) >= (cutoff + before["skin"])**2
    return np.sqrt(now[(now < cutoff**2) & apart])


def planted(checks, folder, start, cutoff, ranks):
    """One interval from the first build to the second, seen from outside."""
    settings = {"input": start, "run.dt": 0.004, "neighbor.rebuild": "interval",
                "neighbor.every": 30, "neighbor.skin": 0.02, "run.precision": "double"}
    trial.simulate(folder, "first", {**settings, "run.steps": 29}, ranks=ranks)
    said = trial.simulate(folder, "second", {**settings, "run.steps": 30}, ranks=ranks)
    first, second = state_of(folder, "first"), state_of(folder, "second")
    r = missed_pairs(first, second, cutoff)
    want, force = len(r), np.abs(48 / r**13 - 24 / r**7).max()
    checks.true("misses are planted", want > 100, want)
    checks.true(f"their number on {ranks} ranks", second["missed"] == want, second["missed"], want)
    checks.true("the worst build", second["worst"] == want, second["worst"])
    checks.true("the skin grew", abs(second["skin"] - 0.03) < 1e-9, second["skin"])
    checks.true("a warning", re.search(r"warning.*missed pairs.*skin grows to 0.03", said), said)
    checks.close("the largest force left out", second["force"], force, 1e-6)


def grows_until_enough(checks, folder, start):
    settings = {"input": start, "run.dt": 0.004, "neighbor.rebuild": "interval",
                "neighbor.every": 10, "neighbor.skin": 0.0, "run.steps": 600,
                "neighbor.max_missed": 0}
    trial.simulate(folder, "grows", settings)
    columns = trial.columns(folder, "grows")
    end = state_of(folder, "grows")
    checks.true("the skin grew often", end["skin"] > 0.05, end["skin"])
    missed = columns["missed_pairs"]
    late = missed[-1] - missed[len(missed) // 2]
    checks.true("misses get fewer", late < 0.2 * missed[-1], missed)
    checks.true("the report has the counter", missed[-1] == end["missed"], missed[-1])


def ample_and_exact(checks, folder, start):
    settings = {"input": start, "run.dt": 0.004, "run.steps": 200}
    ample = {"neighbor.rebuild": "interval", "neighbor.every": 5, "neighbor.skin": 0.5}
    trial.simulate(folder, "ample", {**settings, **ample}, ranks=2)
    trial.simulate(folder, "exact", {**settings, "neighbor.rebuild": "exact",
                                     "neighbor.skin": 0.01}, ranks=2)
    for prefix, skin in (("ample", 0.5), ("exact", 0.01)):
        end = state_of(folder, prefix)
        checks.true(prefix + " misses nothing", end["missed"] == end["worst"] == 0, end["missed"])
        checks.true(prefix + " left no force out", end["force"] == 0, end["force"])
        checks.true(prefix + " keeps its skin", abs(end["skin"] - skin) < 1e-12, end["skin"])


def exact_is_exact(checks, folder, start):
    """With any skin the exact lists give the energy that all pairs give."""
    results = []
    for skin in (0.01, 0.1, 0.6):
        prefix = f"skin{skin}"
        trial.simulate(folder, prefix, {"input": start, "run.dt": 0.004, "run.steps": 60,
                                        "neighbor.skin": skin, "run.precision": "double",
                                        "output.energies_every": 5})
        results.append(trial.columns(folder, prefix)["potential"])
    for other in results[1:]:
        error = np.abs(other[:8] - results[0][:8]).max()
        checks.true("exact lists of any skin agree", error < 1e-6 * abs(results[0][0]), error)


def meeting(folder, start, apart):
    """A copy of a state at rest but for one bead, which flies towards another so far apart on the other side of the
    face x = 0 of the box, and which the last rank owns."""
    path = os.path.join(folder, "meeting.h5")
    shutil.copy(start, path)
    with h5py.File(path, "r+") as file:
        box, words = file["system/box"][:], file["beads/position"][:].view(np.uint32)
        i, j = np.triu_indices(len(words), 1)
        r = (words[i] - words[j]).view(np.int32) * (box / 2.0**32)
        far = np.sqrt((r * r).sum(axis=1))
        low = words[i, 0] < 2**31
        near = (far > apart) & (far < apart + 0.01) & (np.where(low, r[:, 0], -r[:, 0]) > 0)
        k = np.flatnonzero(near)[np.abs(r[near, 0]).argmax()]
        file["beads/momentum"][...] = 0
        file["beads/momentum"][j[k] if low[k] else i[k]] = (8 if low[k] else -8) * r[k] / far[k]
    return path


def ends_in_time(checks, folder, start, steps, ranks=1):
    """Exact lists on CPUs hold while the two largest displacements are together at most the skin, and up to half as much
    more as long as no pair is inside the cutoff that was outside the list radius at the build. Returns how many ended by
    a pair, and the positions of all steps."""
    cutoff, last, longest, met_ends, path = 2.5, None, 0, 0, []
    for step in range(1, steps + 1):
        prefix = f"ends{step % 2}"
        trial.simulate(folder, prefix, {"input": start, "run.dt": 0.001, "run.steps": step, "neighbor.skin": 0.1},
                       ranks=ranks)
        now = state_of(folder, prefix)
        path.append(now["now"])
        for lists in (now, last):
            if lists is None or lists is last and (last["built"] == now["built"]).all():
                continue
            r = (now["now"] - lists["built"]).view(np.int32) * (now["box"] / 2.0**32)
            moved = np.sort(np.sqrt((r * r).sum(axis=1)))[-2:].sum() / now["skin"]
            met = len(missed_pairs(lists, {"built": now["now"], "build_box": now["box"]}, cutoff))
            if lists is now:
                longest = max(longest, moved)
                checks.true("no list is used for too long", moved <= 1.5 and met == 0, step, moved, met)
            else:
                met_ends += moved <= 1.5
                checks.true("lists that end have to", moved > 1.5 or moved > 1 and met > 0, step, moved, met)
        last = now
    checks.true("lists outlast the skin", longest > 1, longest)
    return met_ends, path


def end_by_meetings(checks, folder, start):
    """On any number of ranks in the same step."""
    start = meeting(folder, start, 2.605)
    one, two = (ends_in_time(checks, folder, start, 22, ranks) for ranks in (1, 2))
    checks.true("a pair ends lists", one[0] > 0 and two[0] == one[0], one[0], two[0])
    checks.true("on two ranks as on one", all((a == b).all() for a, b in zip(one[1], two[1])))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        start = trial.liquid(folder, "fluid", (5, 5, 5), 0.7, 180, 200)
        for ranks in (1, 2):
            planted(checks, folder, start, 2.5, ranks)
        grows_until_enough(checks, folder, start)
        ample_and_exact(checks, folder, start)
        exact_is_exact(checks, folder, start)
        ends_in_time(checks, folder, start, 36)
        end_by_meetings(checks, folder, start)
    checks.end()


main()
