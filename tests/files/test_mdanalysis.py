"""A trajectory and its PSF, written on two ranks, as MDAnalysis and h5py read them, against the
state files of the same moments."""
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
try:
    import h5py
    import numpy as np
    import MDAnalysis
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

writer = os.path.join(os.environ["top_builddir"], "tests", "mpi", "test_mpi_trajectory")
if not os.path.exists(writer):
    print("skipped: no", writer)
    sys.exit(77)
work = tempfile.mkdtemp(prefix="test_mdanalysis.")
os.chdir(work)
mpiexec = (os.environ.get("MPIEXEC") or "mpiexec").split()
subprocess.run([*mpiexec, "-n", "2", writer, "write", "sample"], check=True)


def body_z(q):
    w, x, y, z = q.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


def bonded(state, kind):
    """Bead numbers, from 0, of the terms of a kind (0 bond, 1 angle), by their first beads."""
    start, role = state["topology/term_start"][:], state["topology/term_role"][:]
    found = []
    for bead, slot in enumerate(state["beads/slot"][:]):
        for k in range(start[slot], start[slot + 1]) if slot >= 0 else ():
            if state["topology/term_kind"][k] == kind and role[k] == 0:
                partner = state["topology/term_partner"][k]
                found.append((bead, *(bead + partner[: kind + 1])))
    return found


universe = MDAnalysis.Universe("sample.psf", "sample.h5md")
alone = MDAnalysis.Universe("sample.h5md")
raw = h5py.File("sample.h5md", "r")
group = raw["particles/trajectory"]
assert len(universe.trajectory) == len(alone.trajectory) == 3
text = raw["parameters/lamella/forcefield"][0]
assert text == h5py.File("sample.0.h5", "r")["forcefield/text"][0] and b"\ntypes:\n" in text
assert list(raw["h5md"].attrs["version"]) == [1, 1]

for frame, step in zip(universe.trajectory, (0, 20, 40)):
    state = h5py.File("sample.%d.h5" % step, "r")
    box = state["system/box"][:]
    fraction = state["beads/position"][:].astype(np.uint32) / 2.0**32
    position = 10 * box * fraction  # MDAnalysis has Angstrom
    assert frame.n_atoms == len(position)
    assert abs(frame.positions - position).max() < 1e-5
    assert abs(frame.dimensions - [*(10 * box), 90, 90, 90]).max() < 1e-4
    assert abs(frame.time - state["system/time"][0]) < 1e-12
    assert frame.data["step"] == step
    kind = state["beads/type"][:]
    mass, charge = group["mass"][:], group["charge"][:]
    assert abs(frame.velocities - 10 * state["beads/momentum"][:] / mass[:, None]).max() < 1e-4
    row = frame.frame
    assert group["position/step"][row] == group["dipole/step"][row] == step
    assert (group["image/value"][row] == state["beads/image"][:]).all()
    moment = {t: np.linalg.norm(group["dipole/value"][row][kind == t], axis=1) for t in set(kind)}
    for length in moment.values():  # one moment a type
        assert np.ptp(length) < 1e-7
    assert max(length[0] for length in moment.values()) > 0.01
    scale = np.array([moment[t][0] for t in kind])[:, None]
    direction = group["dipole/value"][row] - scale * body_z(state["beads/orientation"][:])
    assert abs(direction).max() < 1e-7
    quaternion = group["quaternion/value"][row]
    turns = (quaternion != [1, 0, 0, 0]).any(axis=1)  # water, glycerol and ester: with dipoles
    assert (turns == (scale[:, 0] > 0)).all() and turns.any() and not turns.all()
    assert (quaternion[turns] == state["beads/orientation"][:][turns].astype(np.float32)).all()
    assert group["quaternion/step"][row] == step

names = [n.decode() for n in raw["parameters/vmd_structure/name"][:]]
species = list(raw["parameters/vmd_structure/indexOfSpecies"][:])
assert set(species) == set(kind) == set(group["species"][:])
atoms = universe.atoms
assert [names[species.index(k)] for k in kind] == list(atoms.names) == list(atoms.types)
assert abs(atoms.masses - mass).max() < 1e-4 and abs(atoms.charges - charge).max() < 1e-6
assert charge.max() > 0 > charge.min()
assert list(atoms.resids) == list(state["beads/molecule"][:])
assert set(atoms.resnames) == {"DOPC", "W"}
assert len(universe.select_atoms("resname DOPC").residues) == 5

bonds = sorted(tuple(sorted(pair)) for pair in bonded(state, 0))
assert bonds and sorted(tuple(sorted(b.indices)) for b in universe.bonds) == bonds
assert sorted(tuple(sorted(b)) for b in raw["connectivity/bonds"][:]) == bonds
columns = zip(raw["parameters/vmd_structure/bond_from"][:] - 1,
              raw["parameters/vmd_structure/bond_to"][:] - 1)
assert sorted(tuple(sorted(b)) for b in columns) == bonds
assert raw[raw["connectivity/bonds"].attrs["particles_group"]] == group
angles = {(a, b, c) for a, b, c in bonded(state, 1)}
read = {tuple(a.indices) for a in universe.angles}
assert read and {min(t, t[::-1]) for t in read} <= {min(t, t[::-1]) for t in angles}
print("MDAnalysis", MDAnalysis.__version__, "reads", len(position), "beads,", len(bonds), "bonds")
shutil.rmtree(work)
