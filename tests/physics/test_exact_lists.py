"""Neighbour lists miss no pair and end in time; a restart counts what the lists of its state would miss."""
import os
import shutil
import tempfile

import h5py
import numpy as np

import trial
from run_lamella import Checks


def state_of(folder, prefix):
    """Positions at the end and at the last list build, box and skin of both."""
    with h5py.File(trial.checkpoint(folder, prefix), "r") as file:
        return {"now": file["beads/position"][:].view(np.uint32),
                "built": file["beads/build_position"][:].view(np.uint32),
                "box": file["system/box"][:], "build_box": file["neighbor_list/box"][:],
                "skin": float(np.ravel(file["neighbor_list/skin"])[0])}


def distance2(words, box):
    i, j = np.triu_indices(len(words), 1)
    r = (words[i] - words[j]).view(np.int32) * (box / 2.0**32)
    return (r * r).sum(axis=1)


def missed_pairs(before, after, cutoff):
    """Distances of pairs inside the cutoff at the second build and outside the first list."""
    now = distance2(after["built"], after["build_box"])
    apart = distance2(before["built"], before["build_box"]) >= (cutoff + before["skin"])**2
    return np.sqrt(now[(now < cutoff**2) & apart])


def stored_lists(checks, folder, start, cutoff):
    """A state whose list build was moved: how many pairs its lists would miss, as counted from outside."""
    settings = {"input": start, "run.dt": 0.004, "run.precision": "double", "neighbor.skin": 0.3}
    trial.simulate(folder, "stored", {**settings, "run.steps": 3})
    path = trial.checkpoint(folder, "stored")
    with h5py.File(path, "r+") as file:
        built = file["beads/build_position"][:]
        shift = np.random.default_rng(5).normal(0, 0.2, built.shape) / file["neighbor_list/box"][:]
        file["beads/build_position"][...] = (built.view(np.uint32) + np.int64(2.0**32 * shift)).astype(np.uint32).view(np.int32)
    now = state_of(folder, "stored")
    want = len(missed_pairs(now, {"built": now["now"], "build_box": now["box"]}, cutoff))
    checks.true("pairs are missed", want > 10, want)
    for ranks in 1, 2, 3:
        said = trial.simulate(folder, "again", {**settings, "run.steps": 6}, ranks=ranks, restart=path, status=4)
        checks.true(f"their number on {ranks} ranks", f"leave out {want} pairs inside the cutoff" in said, want, said)
    with h5py.File(path, "r+") as file:
        text = np.ravel(file["run/text"][()])[0].replace(b"neighbor:\n", b"neighbor:\n  rebuild: interval  # when\n  every: 5\n")
        del file["run/text"]
        file.create_dataset("run/text", data=np.array([text]), fletcher32=True)
    said = trial.simulate(folder, "again", {**settings, "run.steps": 6}, restart=path)
    checks.true("a run with lists at an interval goes on with others", "neighbor.rebuild was interval and is exact" in said, said)


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
        stored_lists(checks, folder, start, 2.5)
        exact_is_exact(checks, folder, start)
        ends_in_time(checks, folder, start, 36)
        end_by_meetings(checks, folder, start)
    checks.end()


main()
