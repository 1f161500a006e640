"""Frames for analysis: selections, unwrapped and whole positions, forces, and what else stands in a
trajectory, against numpy on the frames of all beads and on state files; on 1, 2 and 3 ranks, over
restarts, damaged, and as MDAnalysis reads them."""
import os
import shutil
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
try:
    import MDAnalysis
except ImportError:
    MDAnalysis = None

import trial
from run_lamella import Checks, read, run

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_frames.")
folder = holder.name
GROUP = "particles/trajectory/"
FRAMES = (0, 10, 20)
start = trial.membrane(folder, copies=2)
settings = {"input": start, "run.dt": 0.005, "run.steps": 20, "run.precision": "double",
            "output.energies_every": 0, "output.checkpoint_every": 10, "output.frames_every": 10}
everything = {"output.velocities": 1, "output.forces": 1}


def path(name):
    return os.path.join(folder, name)


def simulate(prefix, changes=(), restart="never", **how):
    return trial.simulate(folder, prefix, {**settings, **dict(changes)}, restart, **how)


def frames_of(name):
    """{element: [frame][bead][...]} and the fixed datasets of a trajectory."""
    with h5py.File(path(name), "r") as file:
        group = file[GROUP]
        found = {key: (item[:] if isinstance(item, h5py.Dataset) else item["value"][:])
                 for key, item in group.items() if key != "box"}
        found["edges"] = group["box/edges/value"][:].diagonal(axis1=1, axis2=2)
        found["steps"] = list(group["position/step"])
        found["bonds"] = file["connectivity/bonds"][:].astype(int)
        found["molecules"] = [n.decode() for n in file["parameters/lamella/molecules"][:]]
        vmd = file["parameters/vmd_structure"]
        found["names"] = [n.decode() for n in vmd["name"][:]]
        found["indices"] = list(vmd["indexOfSpecies"][:])
        found["vmd_bonds"] = np.stack([vmd["bond_from"][:], vmd["bond_to"][:]], axis=1).astype(int)
    return found


def whole_oracle(full):
    """[frame][bead][3]: beads put beside bonded ones that are placed, from the first of a molecule."""
    partner = {}
    for i, j in full["bonds"]:
        partner.setdefault(int(i), []).append(int(j))
        partner.setdefault(int(j), []).append(int(i))
    x = full["position"].astype(float)
    edges = full["edges"]
    placed = x.copy()
    done = set()
    for first in range(x.shape[1]):
        if first in done:
            continue
        done.add(first)
        waiting = [first]
        while waiting:
            i = waiting.pop()
            for j in partner.get(i, ()):
                if j in done:
                    continue
                way = x[:, j] - x[:, i]
                placed[:, j] = placed[:, i] + way - edges * np.round(way / edges)
                done.add(j)
                waiting.append(j)
    return placed


def leaflet_oracle(full, whole):
    with h5py.File(start, "r") as file:
        dipole = np.linalg.norm(full["dipole"][0], axis=1) > 0
        molecule = file["beads/molecule"][:]
    name = np.array([full["names"][full["indices"].index(k)] for k in full["species"]])
    tail = (full["charge"] == 0) & ~dipole
    side = np.zeros(len(molecule), int)
    for number in np.unique(molecule):
        own = np.flatnonzero(molecule == number)
        if len(own) < 2:
            continue
        head = own[name[own] == "P"]
        end = own[tail[own]]
        side[own] = 1 if whole[0, head, 2].mean() > whole[0, end, 2].mean() else -1
    return side


def selected(full, names):
    kind = np.array([full["molecules"][k] if k >= 0 else "" for k in full["molecule_type"]])
    species = np.array([full["names"][full["indices"].index(k)] for k in full["species"]])
    return np.flatnonzero(np.isin(kind, names) | np.isin(species, names))


def all_beads():
    """Fixed datasets and forces, against state files."""
    full = frames_of("full.h5md")
    checks.true("three frames", full["steps"] == list(FRAMES), full["steps"])
    with h5py.File(start, "r") as file:
        for name, same in (("species", "type"), ("molecule", "molecule"),
                           ("molecule_type", "kind")):
            checks.true(name, (full[name] == file["beads/" + same][:]).all())
        words = file["forcefield/text"][0].decode()
    name = [full["names"][full["indices"].index(k)] for k in full["species"]]
    listed = {k: float(words.split("\n  %s: {" % k)[1].split("electrons: ")[1].split("}")[0]
                       .split(",")[0]) for k in set(name)}
    checks.true("electrons", (full["electrons"] == [listed[k] for k in name]).all())
    checks.true("no ids where all beads are", "id" not in full)
    for state, frame in (("full.checkpoint.h5", 2), ("full.checkpoint.h5.prev", 1)):
        shutil.copy(path(state), path("state.h5"))
        run("energy", path("state.h5"), "--forces=" + path("forces.txt"))
        wanted = np.loadtxt(path("forces.txt"))[:, 1:4]
        worst = abs(full["force"][frame] - wanted).max()
        checks.true("forces of " + state, worst < 1e-6 * abs(wanted).max(), worst)
        with h5py.File(path(state), "r") as file:
            momentum = file["beads/momentum"][:] / full["mass"][:, None]
        checks.true("velocities", (full["velocity"][frame] == momentum.astype(np.float32)).all())
    with h5py.File(path("full.h5md"), "r") as file:
        unit = file[GROUP + "force/value"].attrs["unit"]
        checks.true("unit of forces", unit == "kJ mol-1 nm-1", unit)
    return full


def positions(full):
    """Unwrapped and whole frames of all beads, and leaflets."""
    whole = whole_oracle(full)
    unwrapped = full["position"] + full["image"] * full["edges"][:, None]
    got = frames_of("unwrapped.h5md")
    checks.true("unwrapped", abs(got["position"] - unwrapped).max() < 1e-5)
    checks.true("no images of unwrapped positions", "image" not in got)
    checks.true("other elements are the same",
                all((got[k] == full[k]).all() for k in ("force", "velocity", "dipole")))
    got = frames_of("whole.h5md")
    checks.true("whole", abs(got["position"] - whole).max() < 4e-6,
                abs(got["position"] - whole).max())
    again = got["position"] + got["image"] * got["edges"][:, None]
    checks.true("whole + images", abs(again - unwrapped).max() < 1e-5)
    moved = (got["image"] != full["image"]).any(axis=2).sum(axis=1)
    checks.true("some beads are outside the box", (moved > 10).all(), moved)
    i, j = full["bonds"].T
    bond = np.linalg.norm(got["position"][:, j] - got["position"][:, i], axis=2)
    checks.true("bonds of whole molecules", bond.max() < 0.9, bond.max())
    side = leaflet_oracle(full, whole)
    checks.true("leaflets", (full["leaflet"] == side).all(), (full["leaflet"] != side).sum())
    checks.true("both leaflets", {*side} == {-1, 0, 1}, {*side})
    return side


def selection(full, prefix, names):
    got = frames_of(prefix + ".h5md")
    rows = selected(full, names)
    checks.true(prefix + ": ids", list(got["id"]) == list(rows + 1))
    for key in ("position", "image", "velocity", "force", "dipole"):
        checks.true(f"{prefix}: {key}", (got[key] == full[key][:, rows]).all())
    for key in ("species", "mass", "charge", "electrons", "molecule", "molecule_type", "leaflet"):
        checks.true(f"{prefix}: {key}", (got[key] == full[key][rows]).all())
    kept = np.isin(full["bonds"], rows).all(axis=1)
    bonds = full["bonds"][kept]
    checks.true(prefix + ": bonds by id, as H5MD has them", got["bonds"].tolist() ==
                (bonds + 1).tolist())
    checks.true(prefix + ": bonds by row, as VMD has them", got["vmd_bonds"].tolist() ==
                (np.searchsorted(rows, bonds) + 1).tolist())
    present = {full["names"][full["indices"].index(k)] for k in full["species"][rows]}
    checks.true(prefix + ": names", set(got["names"]) == present, got["names"])
    text = read(path(prefix + ".xmf"))
    checks.true(prefix + ": .xmf", text.count(f'NumberOfElements="{len(rows)}"') == 3)
    said = run("info", path(prefix + ".h5md")).stdout
    checks.true(prefix + ": info", ", of %d beads" % len(full["species"]) in said and
                "%d\n" % len(rows) in said and "force" in said, said)


def of_any_ranks():
    for prefix, ranks, writer in (("unwrapped", 2, "none"), ("whole", 2, "thread"), ("heads", 2, "none"),
                                  ("part", 3, "thread")):
        name, changes = f"{prefix}{ranks}", CASES[prefix]
        simulate(name, {**changes, "output.writer": writer} if threads else changes, ranks=ranks)
        wrong = trial.differences(path(prefix + ".h5md"), path(name + ".h5md"))
        checks.true(f"{prefix} on {ranks} ranks", not wrong, wrong)
        with open(path(prefix + ".psf")) as one, open(path(name + ".psf")) as other:
            checks.true(f"{prefix}.psf on {ranks} ranks", one.read() == other.read())
        wrong = trial.differences(path("full.checkpoint.h5"), path(name + ".checkpoint.h5"))
        checks.true(f"{prefix} on {ranks} ranks: state files are whole", not wrong, wrong)


def restarted():
    """Stopped after 10 steps and continued elsewhere; what the file began with stays."""
    for prefix, ranks, then in ("part", 3, 2), ("whole", 2, 1):
        name = prefix + "_again"
        simulate(name, {**CASES[prefix], "run.steps": 10}, ranks=ranks)
        simulate(name, CASES[prefix], restart="auto", ranks=then)
        wrong = trial.differences(path(prefix + ".h5md"), path(name + ".h5md"))
        checks.true(name, not wrong, wrong)
    name = "part_other"
    simulate(name, {**CASES["part"], "run.steps": 10})
    os.remove(path(name + ".psf"))
    said = simulate(name, {"output.frames_select": "W", "output.frames_positions": "unwrapped"}, restart="auto")
    for words in ("goes on with the selection DOPC,C", "goes on with wrapped positions",
                  "goes on with the element velocity", "goes on with the element force"):
        checks.true(name + ": says " + words, words in said, said)
    wrong = trial.differences(path("part.h5md"), path(name + ".h5md"))
    checks.true(name + " keeps what it began with", not wrong, wrong)
    with open(path("part.psf")) as one, open(path(name + ".psf")) as other:
        checks.true(name + ": the topology is that of the file", one.read() == other.read())
    name = "plain"
    simulate(name, {"run.steps": 10})
    said = simulate(name, CASES["part"], restart="auto")
    for words in ("goes on with all beads", "goes on without the element velocity",
                  "goes on without the element force"):
        checks.true(name + ": says " + words, words in said, said)
    got, full = frames_of(name + ".h5md"), frames_of("full.h5md")
    checks.true(name + ": frames", (got["position"] == full["position"]).all() and
                "force" not in got)


def overwrite(name, dataset, frame, data):
    """Bytes in the file, behind the back of HDF5. frame None: a fixed dataset."""
    with h5py.File(path(name), "r") as file:
        found = file[dataset]
        at = found.id.get_chunk_info(0)
        place = at.byte_offset
        if frame is not None:
            row = int(np.prod(found.shape[1:])) * found.dtype.itemsize
            within = frame % found.chunks[0]
            chunk = found.id.get_chunk_info_by_coord((frame - within, 0, 0))
            place = chunk.byte_offset + within * row
    with open(path(name), "r+b") as file:
        file.seek(place)
        file.write(data)


def damaged():
    """Checksums cover the new elements and datasets, and whole frames are saved."""
    for dataset, frame, says in ((GROUP + "force/value", 1, "force"), (GROUP + "id", None, "id"),
                                 (GROUP + "leaflet", None, "leaflet"),
                                 ("parameters/lamella/selection", None, "selection")):
        shutil.copy(path("part.h5md"), path("bad.h5md"))
        overwrite("bad.h5md", dataset, frame, b"\x55\xff\x55")
        said = run("info", path("bad.h5md"), status=4).stderr
        checks.true("info finds it in " + dataset, says in said, said)
    for prefix, ranks in (("part", 2), ("whole", 1)):
        name = prefix + "_damaged"
        simulate(name, {**CASES[prefix], "run.steps": 10}, ranks=ranks)
        overwrite(name + ".h5md", GROUP + "mass", None, b"\x55")
        other = {"output.frames_select": "W", "output.frames_positions": "unwrapped"}
        said = simulate(name, other, restart="auto", ranks=ranks)
        checks.true(name + ": says so", "cannot be continued" in said, said)
        wrong = trial.differences(path(prefix + ".h5md"), path(name + ".h5md"))
        checks.true(name + ": the new file has all frames", set(wrong) <= {GROUP + "leaflet"},
                    wrong)
        run("info", path(name + ".h5md"))


def tampered():
    """Files that a program changed: what it names comes before checksums."""
    def change(edit, *says, ranks=1):
        shutil.copy(path("part.h5md"), path("edited.h5md"))
        with h5py.File(path("edited.h5md"), "r+") as file:
            edit(file)
        shutil.copy(path("part.checkpoint.h5"), path("edited.checkpoint.h5"))
        said = run("info", path("edited.h5md"), status=None).stderr
        more = simulate("edited", {"run.steps": 21}, restart="auto", ranks=ranks, status=None)
        checks.true("tampered: " + says[0], any(s in said + more for s in says), said, more)

    def replace(name, value):
        def edit(file):
            if name in file:
                del file[name]
            if value is not None:
                file[name] = value
        return edit

    change(replace("parameters/lamella/selection", np.array([b"NOBODY"])), "checksum")
    change(replace("parameters/lamella/selection", np.array([b"DOPC"])), "checksum", ranks=2)
    change(replace("parameters/lamella/system_beads", np.array([3])), "hold")
    change(replace("parameters/lamella/system_beads", np.array([10**15])), "another system")
    change(replace("parameters/lamella/system_beads", None), "system_beads")
    change(replace("parameters/lamella/positions", np.array([b"sideways"])), "'sideways'")
    change(replace(GROUP + "id", None), "id")
    change(replace(GROUP + "id", np.arange(7)), "id")
    change(replace(GROUP + "image", None), "image")


def refused():
    """Wrong names, before any file is touched."""
    before = sorted(os.listdir(folder))
    wrong = (("DOPX", "did you mean 'DOP"), ("P,,C", "a name is missing"), ("P,Q", "'Q'"), (",", "a name is missing"),
             ("DSPC", "no bead of the system"), ("x" * 300, "there is no bead type, molecule type or group"))
    for k, (value, says) in enumerate(wrong):
        said = simulate("full", {"output.frames_select": value, "run.steps": 40},
                        restart=("never", "auto")[k % 2], ranks=1 + k % 3, status=2)
        checks.true("refuses " + value[:20], says in said and "frames_select" in said, said)
    said = simulate("full", {"output.frames_positions": "hole"}, status=2)
    checks.true("refuses hole", "whole" in said, said)
    said = simulate("full", {"output.forces": 2}, status=2)
    checks.true("refuses forces: 2", "output.forces" in said, said)
    checks.true("nothing was touched", sorted(os.listdir(folder)) == before,
                set(os.listdir(folder)) ^ set(before))


def psf_of_selections(full):
    """Numbers of the atoms, from 1 on and in the order of the trajectory."""
    for prefix in CASES:
        with open(path(prefix + ".psf")) as file:
            lines = [line.split() for line in file]
        at = next(k for k, line in enumerate(lines) if "!NATOM" in line)
        atoms = lines[at + 1:at + 1 + int(lines[at][0])]
        rows = frames_of(prefix + ".h5md").get("id", np.arange(len(full["species"])) + 1)
        checks.true(prefix + ".psf: one atom a bead", len(atoms) == len(rows))
        checks.true(prefix + ".psf: numbers from 1 on",
                    [int(a[0]) for a in atoms] == list(range(1, len(rows) + 1)), atoms[:2])


def compressed(full):
    """Rounded positions: to the step, the rest to the bit; any ranks, restarts, damage, commands."""
    step = 2.0**-10  # of a precision of 0.001 nm
    keys = {**everything, "output.frames_precision": 0.001}
    for how in "wrapped", "unwrapped", "whole":
        name = "rounded_" + how
        simulate(name, {**keys, "output.frames_positions": how})
        got = frames_of(name + ".h5md")
        exact = frames_of({"wrapped": "full"}.get(how, how) + ".h5md")
        x, off = got["position"].astype(float), abs(got["position"] - exact["position"])
        near = abs(exact["position"] - exact["edges"][:, None]) < step  # of the far face: rounded down
        checks.true(name + ": rounded", (x / step == np.rint(x / step)).all())
        checks.true(name + ": to the nearest", (off <= np.where(near, 1, 0.5001) * step).all(), off.max())
        checks.true(name + ": inside", how != "wrapped" or ((x >= 0) & (x < got["edges"][:, None])).all())
        checks.true(name + ": the rest is exact", all(
            (got[k] == exact[k]).all() for k in exact if k != "position" and hasattr(exact[k], "shape")))
        for ranks in {"wrapped": (2,), "unwrapped": (), "whole": (3,)}[how]:
            simulate("ranks", {**keys, "output.frames_positions": how}, ranks=ranks)
            wrong = trial.differences(path(name + ".h5md"), path("ranks.h5md"))
            checks.true("%s on %d ranks" % (name, ranks), not wrong, wrong)
    sizes = [os.path.getsize(path(n + ".h5md")) for n in ("rounded_wrapped", "full")]
    with h5py.File(path("rounded_wrapped.h5md")) as file, h5py.File(path("full.h5md")) as plain:
        stored = [f[GROUP + "position/value"].id.get_storage_size() for f in (file, plain)]
        checks.true("less than half", stored[0] < stored[1] / 2, stored, sizes)
    said = run("info", path("rounded_wrapped.h5md")).stdout
    checks.true("info: precision", "0.0009765625 nm, compressed" in said, said)
    # a restart keeps what the file began with, also of a damaged one
    for name, damage, ranks in ("rounded_again", 0, 2), ("rounded_damaged", 1, 2):
        simulate(name, {**keys, "run.steps": 10})
        if damage:
            overwrite(name + ".h5md", GROUP + "mass", None, b"\x55")
        said = simulate(name, everything, restart="auto", ranks=ranks)
        checks.true(name + ": says so", "goes on with positions rounded to 0.000976562 nm" in said, said)
        wrong = trial.differences(path("rounded_wrapped.h5md"), path(name + ".h5md"))
        checks.true(name, set(wrong) <= {GROUP + "leaflet"} if damage else not wrong, wrong)
    simulate("floats", {**everything, "run.steps": 10})
    said = simulate("floats", keys, restart="auto")
    checks.true("floats go on", "goes on with positions as floats" in said and not
                trial.differences(path("full.h5md"), path("floats.h5md")), said)
    # a chunk that is damaged is found
    shutil.copy(path("rounded_wrapped.h5md"), path("bad.h5md"))
    with h5py.File(path("bad.h5md")) as file:
        chunk = file[GROUP + "position/value"].id.get_chunk_info_by_coord((1, 0, 1))
    with open(path("bad.h5md"), "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size // 2)
        file.write(b"\x55\xff\x55")
    run("info", path("bad.h5md"), status=4)
    run("convert", path("bad.h5md"), "-o", path("bad.xtc"), "--state=" + path("full.checkpoint.h5"), status=4)
    # observables of the frames are the same but for rounding
    for name in "full", "rounded_wrapped":
        run("analyze", path(name + ".h5md"), "-o", path(name + "_a"), "--set=observe=[{density: {every: 10}}]")
    with h5py.File(path("full_a.observables.h5")) as one, h5py.File(path("rounded_wrapped_a.observables.h5")) as two:
        profiles = [f["density/density/mass"][:] for f in (one, two)]
    checks.close("mass of the profile", profiles[1].sum(), profiles[0].sum(), relative=1e-6)
    moved = abs(profiles[1] - profiles[0]).sum() / profiles[0].sum()  # beads that rounding puts into the next bin
    checks.true("analyze reads both", moved < 0.1, moved)
    if MDAnalysis is not None:
        u = MDAnalysis.Universe(path("rounded_wrapped.psf"), path("rounded_wrapped.h5md"))
        got = frames_of("rounded_wrapped.h5md")
        for frame in u.trajectory:
            checks.true("MDAnalysis reads it", abs(frame.positions - 10 * got["position"][frame.frame]).max() < 1e-4)
    said = simulate("full", {"output.frames_precision": -1}, status=2)
    checks.true("refuses -1", "frames_precision" in said, said)


def with_mdanalysis(full, side):
    if MDAnalysis is None:
        print("no MDAnalysis: what it reads is left out")
        return
    for prefix in CASES:
        u = MDAnalysis.Universe(path(prefix + ".psf"), path(prefix + ".h5md"))
        got = frames_of(prefix + ".h5md")
        rows = got.get("id", np.arange(len(full["species"])) + 1) - 1
        checks.true(prefix + ": atoms", u.atoms.n_atoms == len(rows))
        for frame in u.trajectory:
            k = frame.frame
            checks.true(prefix + ": positions",
                        abs(frame.positions - 10 * got["position"][k]).max() < 1e-4)
            checks.true(prefix + ": velocities",
                        abs(frame.velocities - 10 * got["velocity"][k]).max() < 1e-3)
            checks.true(prefix + ": forces", abs(frame.forces - got["force"][k] / 10).max() <
                        1e-6 * abs(got["force"][k]).max())
            checks.true(prefix + ": box", abs(frame.dimensions[:3] - 10 * got["edges"][k]).max() <
                        1e-4)
        checks.true(prefix + ": masses", abs(u.atoms.masses - full["mass"][rows]).max() < 1e-4)
        checks.true(prefix + ": charges", abs(u.atoms.charges - full["charge"][rows]).max() < 1e-6)
        checks.true(prefix + ": residues", list(u.atoms.resids) == list(full["molecule"][rows]) and
                    list(u.atoms.resnames) == [full["molecules"][k] for k in
                                               full["molecule_type"][rows]])
        checks.true(prefix + ": segments", list(u.atoms.segids) == list(u.atoms.resnames))
        pairs = np.array([b.indices for b in u.bonds]) if len(u.bonds) else np.zeros((0, 2), int)
        checks.true(prefix + ": bonds", np.sort(pairs, axis=1).tolist() ==
                    np.sort(got["vmd_bonds"] - 1, axis=1).tolist() or
                    sorted(map(sorted, pairs.tolist())) ==
                    sorted(map(sorted, (got["vmd_bonds"] - 1).tolist())))
        name = np.array([full["names"][full["indices"].index(k)] for k in full["species"]])
        heads = u.select_atoms("resname DOPC and name P")
        kind = np.array([full["molecules"][k] for k in full["molecule_type"]])
        wanted = np.flatnonzero(np.isin(np.arange(len(name)), rows) & (kind == "DOPC") &
                                (name == "P"))
        checks.true(prefix + ": selections", list(rows[heads.indices]) == list(wanted) and
                    len(heads.residues) == len(wanted))
        alone = MDAnalysis.Universe(path(prefix + ".h5md"))
        checks.true(prefix + ": alone", alone.atoms.n_atoms == len(rows))
    u = MDAnalysis.Universe(path("whole.psf"), path("whole.h5md"))
    upper = u.atoms[full["leaflet"] == 1]
    checks.true("leaflets in MDAnalysis", upper.n_atoms == (side == 1).sum())
    u.add_TopologyAttr("tempfactors", full["electrons"])
    lipids = u.select_atoms("resname DOPC")
    checks.true("electrons in MDAnalysis", lipids.tempfactors.sum() ==
                full["electrons"][lipids.indices].sum() > 0)


def forces_in_rounds():
    """More beads than rank 0 takes at a time (16,384): a line for each, and the same on any ranks."""
    with open(path("gas.yaml"), "w") as spec:
        spec.write("{forcefield: lj, temperature: 120, seed: 3, lattice: {type: fcc, cells: [20, 15, 15], density: 0.3}}")
    run("build", path("gas.yaml"), "-o", path("gas.h5"))
    texts, said = [], []
    for ranks in 1, 3:
        said.append(run("energy", path("gas.h5"), "--forces=" + path("gas.txt"), ranks=ranks).stdout)
        texts.append(read(path("gas.txt")))
    ids = [int(line.split()[0]) for line in texts[0].splitlines()]
    checks.true("a line of forces for each bead", ids == list(range(1, 18001)), len(ids))
    checks.true("forces of three ranks are those of one", texts[0] == texts[1] and said[0] == said[1])


CASES = {"full": everything,
         "unwrapped": {**everything, "output.frames_positions": "unwrapped"},
         "whole": {**everything, "output.frames_positions": "whole"},
         "lipid": {**everything, "output.frames_select": "DOPC"},
         "heads": {**everything, "output.frames_select": "P"},
         "part": {**everything, "output.frames_select": "C , DOPC"},
         "water": {**everything, "output.frames_select": "W"}}
threads = "MPI_THREAD_MULTIPLE" not in simulate("try", {"run.steps": 1, "output.writer": "thread"},
                                                status=None)
for case, keys in CASES.items():
    simulate(case, keys)
frames = all_beads()
leaflets = positions(frames)
selection(frames, "lipid", ["DOPC"])
selection(frames, "heads", ["P"])
selection(frames, "part", ["DOPC", "C"])
selection(frames, "water", ["W"])
of_any_ranks()
restarted()
damaged()
tampered()
refused()
psf_of_selections(frames)
forces_in_rounds()
compressed(frames)
with_mdanalysis(frames, leaflets)
checks.end()
