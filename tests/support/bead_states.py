"""States of mixed beads for tests: lamella builds them with Lennard-Jones spheres and the same
molecules; then beads become other types, turn, and get the force field that is tested."""
import os

import h5py
import numpy as np
import yaml

import run_lamella
import trial


def spheres(text):
    """The force field without what the new models add: an ellipsoid is a sphere of its length, with a dipole
    that gives it an axis."""
    ff = yaml.safe_load(text)
    plain = {key: ff[key] for key in ("format", "name", "cutoff", "exclude", "bonds", "angles",
                                      "molecules") if key in ff}
    plain["types"] = {name: {key: value for key, value in kind.items() if key != "shape"}
                      for name, kind in ff["types"].items()}
    for name, kind in ff["types"].items():
        if "shape" in kind:
            plain["types"][name].setdefault("dipole", 0.01)
    table = []
    for a, b, pair in ff["pair"]["table"]:
        stretch = ff["types"][a].get("shape", {"kappa": 1})["kappa"]
        if a == b:
            table.append([a, a, {"epsilon": 1.0, "sigma": float(pair["sigma"] * max(stretch, 1))}])
    plain["pair"] = {"lj": {"truncation": "stoddard_ford", "mixing": "lorentz_berthelot"},
                     "electrostatics": {"truncation": "none"}, "table": table}
    return yaml.safe_dump(plain, sort_keys=False)


def write(folder, name, text):
    return run_lamella.write(os.path.join(folder, name + ".yaml"), text)


def rewrite(path, text=None, **arrays):
    """Puts a force field and arrays of beads into a state file, in place of what it has."""
    with h5py.File(path, "r+") as file:
        file["neighbor_list/step"][...] = -1
        file["beads/residual"][...] = 0
        for name, array in arrays.items():
            file["beads/" + name][:] = array
        if text:
            attributes = dict(file["forcefield/text"].attrs)
            del file["forcefield/text"]
            new = file["forcefield"].create_dataset(
                "text", data=np.array([text.encode()]), chunks=(1,), fletcher32=True)
            new.attrs.update(attributes)


def built(folder, name, text, spec):
    """A state of the molecules of a force field, as spheres. spec: what is built, without the force
    field."""
    field = write(folder, name + "_spheres", spheres(text))
    return trial.build(folder, name, f"forcefield: {field}\nseed: 4\n{spec}\n")


def convert(folder, path, text, old, shares, minimise=True):
    """Turns a share of the single beads of type `old` into each of other types, {type: share}."""
    ff = yaml.safe_load(text)
    names, kinds = list(ff["types"]), list(ff["molecules"])
    with h5py.File(path, "r") as file:
        kind, species = file["beads/kind"][:], file["beads/type"][:]
    free = np.random.default_rng(7).permutation(np.nonzero(kind == kinds.index(old))[0])
    first = 0
    for new, share in shares.items():
        rows = free[first:first + int(share * len(free))]
        first += len(rows)
        species[rows], kind[rows] = names.index(new), kinds.index(new)
    rewrite(path, type=species, kind=kind)
    if not minimise:
        return path
    return trial.build(folder, os.path.basename(path).replace(".h5", "_relaxed"),
                       f"state: {path}\nminimise: {{max_steps: 300, force: 500}}\n")


def near_z(n, spread, seed=6):
    """Quaternions that tilt body z away from z by about `spread` and turn about it at random."""
    random = np.random.default_rng(seed)
    spin, tilt = random.uniform(0, np.pi, n), random.normal(0, spread / 2, (n, 2))
    q = np.stack([np.cos(spin), tilt[:, 0], tilt[:, 1], np.sin(spin)], 1)
    return q / np.linalg.norm(q, axis=1)[:, None]


def anyhow(n, seed=5):
    """Random quaternions."""
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def turn_to(axis):
    """A quaternion that turns z to the axis."""
    q = np.array([1 + axis[2], -axis[1], axis[0], 0])
    return q / np.linalg.norm(q)


def finish(path, text, jitter, spread=None, edges=None):
    """Displaces every bead by about `jitter` nm, turns it at random (or `spread` radians away from
    z), stretches the box to `edges` and puts the force field in."""
    with h5py.File(path, "r+") as file:
        if edges is not None:
            file["system/box"][:] = edges
        box = file["system/box"][:]
        word = file["beads/position"][:].view(np.uint32)
    step = np.random.default_rng(4).normal(0, jitter, word.shape) / box
    moved = word + (step * 2.0**32).astype(np.int64).astype(np.uint32)
    turn = anyhow(len(word)) if spread is None else near_z(len(word), spread)
    rewrite(path, text, position=moved.view(np.int32), orientation=turn)
    return path


def pair(folder, text, species, edge, words, turns):
    """Two beads in a cubic box: types, r_j - r_i in box/2^32, quaternions."""
    ff = yaml.safe_load(text)
    path = os.path.join(folder, "pair.h5")
    if not os.path.exists(path):
        built(folder, "pair", text, "temperature: 0\nlattice: {type: sc, cells: [2, 1, 1], "
              f"density: 0.001, molecule: {species[0]}}}\nminimise: no")
    place = np.array([[2**31] * 3, [2**31 + int(w) for w in words]], np.uint64).astype(np.uint32)
    with h5py.File(path, "r+") as file:
        file["system/box"][:] = edge
    rewrite(path, text, position=place.view(np.int32), orientation=turns,
            type=[list(ff["types"]).index(name) for name in species],
            kind=[list(ff["molecules"]).index(name) for name in species])
    return path
