"""Writes a state file of an ELBA-like force field as a LAMMPS data file (units real, atom_style
hybrid angle dipole sphere) and a LAMMPS input that evaluates it.

    lamella-to-lammps STATE.h5 OUT.data OUT.in

OUT.in ends with "run 0", prints the energies with all digits, and dumps forces and torques to
OUT.data.dump (id fx fy fz tqx tqy tqz). Needs numpy, h5py and yaml."""
import argparse

from . import files, packages, state as state_file

with packages.needed():
    import h5py
    import numpy as np
    import yaml

KCAL = 4.184


class Datasets(dict):
    """The datasets of a state file by their names."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        with files.open_h5(path) as f:
            files.check_format(f, "lamella state", state_file.NEWEST)
            text = files.text(f, "forcefield/text")
            try:
                f.visititems(lambda name, item: self.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
                self["forcefield"] = yaml.safe_load(text)
            except (OSError, RuntimeError, yaml.YAMLError) as why:  # of h5py
                raise files.Unusable(f"{path}: the file is damaged, see 'lamella info' ({why})") from None

    def __missing__(self, name):
        raise files.MissingItem(f"{self.path}: '{name}' is missing: the file is damaged, or of another version")


def axes(q):
    """Body z of quaternions, scalar first."""
    w, x, y, z = q.T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


def terms(state, ff):
    """Lists of bonds (type, i, j) and angles (type, i, j, k), ids from 1, types from 1."""
    start = state["topology/term_start"]
    kind, type_, role, partner = (state["topology/term_" + n]
                                  for n in ("kind", "type", "role", "partner"))
    bonds, angles = [], []
    forms = [a["form"] for a in ff["angles"].values()]
    neighbours = {}
    for i, slot in enumerate(state["beads/slot"], 1):
        for t in range(start[slot], start[slot + 1]) if slot >= 0 else ():
            j, k = (i + int(p) for p in partner[t])
            if kind[t] == 0:
                neighbours.setdefault(i, []).append(j)
            if role[t] != 0:
                continue
            if kind[t] == 0:
                bonds.append((type_[t] + 1, i, j))
            else:
                angles.append((type_[t] + 1, i, j, 0 if forms[type_[t]] == "dipole" else k))
    # LAMMPS wants a third atom for a restraint, and another one: a neighbour of either.
    for n, (a, i, j, k) in enumerate(angles):
        if k == 0:
            third = [b for b in neighbours[j] + neighbours[i] if b not in (i, j)]
            angles[n] = (a, i, j, third[0])
    return bonds, angles


def write_data(path, state, ff):
    types = list(ff["types"].values())
    of = state["beads/type"]
    box = 10 * state["system/box"].reshape(3)
    # The fraction that pair kernels see, unwrapped.
    fraction = state["beads/position"].view(np.uint32).astype(float) / 2.0**32
    vectors = np.diag(box)
    if "system/tilt" in state:
        vectors[[1, 2, 2], [0, 0, 1]] = 10 * state["system/tilt"].reshape(3)
    x = fraction @ vectors
    charge = np.array([t.get("charge", 0.0) for t in types])
    dipole = np.array([10 * t.get("dipole", 0.0) for t in types])
    mass = np.array([t["mass"] for t in types], float)
    inertia = np.array([100 * t.get("inertia", [0])[0] for t in types], float)
    # A sphere of that mass and moment of inertia; points get any size.
    diameter = np.where(inertia > 0, 2 * np.sqrt(2.5 * inertia / mass), 5.0)
    density = mass / (np.pi / 6 * diameter**3)
    mu = axes(state["beads/orientation"]) * dipole[of][:, None]
    bonds, angles = terms(state, ff)
    with open(path, "w") as out:
        print(f"{ff['name']}, written by state_to_lammps.py\n", file=out)
        print(f"{len(of)} atoms\n{len(bonds)} bonds\n{len(angles)} angles", file=out)
        print(f"{len(types)} atom types\n{len(ff['bonds'])} bond types", file=out)
        print(f"{len(ff['angles'])} angle types\n", file=out)
        for d, name in enumerate("xyz"):
            print(f"0 {box[d]:.17g} {name}lo {name}hi", file=out)
        if "system/tilt" in state:
            print("{:.17g} {:.17g} {:.17g} xy xz yz".format(*vectors[[1, 2, 2], [0, 0, 1]]), file=out)
        print("\nAtoms\n", file=out)
        for i, t in enumerate(of):
            columns = [*x[i]], state["beads/molecule"][i], [charge[t], *mu[i], diameter[t], density[t]]
            print(i + 1, t + 1, *(f"{c:.17g}" for c in columns[0]), columns[1],
                  *(f"{c:.17g}" for c in columns[2]), *state["beads/image"][i], file=out)
        print("\nVelocities\n", file=out)
        v = state["beads/momentum"] / mass[of][:, None] / 100  # nm/ps to A/fs
        w = angular_velocity(state, inertia[of] / 100)
        for i in range(len(of)):
            print(i + 1, *(f"{c:.17g}" for c in (*v[i], *w[i])), file=out)
        for name, entries in (("Bonds", bonds), ("Angles", angles)):
            if entries:
                print(f"\n{name}\n", file=out)
            for n, entry in enumerate(entries, 1):
                print(n, *entry, file=out)


def angular_velocity(state, inertia):
    """In the laboratory, rad/fs."""
    j = state["beads/angular_momentum"]
    body = np.divide(j, inertia[:, None], out=np.zeros_like(j), where=inertia[:, None] > 0)
    u, s = state["beads/orientation"][:, 1:], state["beads/orientation"][:, :1]
    t = 2 * np.cross(u, body)
    return (body + s * t + np.cross(u, t)) / 1000


def write_input(path, data, ff):
    names = list(ff["types"])
    pair = ff["pair"]
    special = [0 if f"1-{n}" in ff.get("exclude", ["1-2"]) else 1 for n in (2, 3, 4)]
    lines = ["units real", "atom_style hybrid angle dipole sphere", "boundary p p p",
             "bond_style harmonic", "angle_style hybrid cosine/squared dipole",
             "special_bonds lj/coul " + " ".join(map(str, special)),
             f"pair_style lj/sf/dipole/sf {10 * ff['cutoff']:.17g}", f"read_data {data}"]
    for a, b, c in pair["table"]:
        i, j = sorted((names.index(a) + 1, names.index(b) + 1))
        lines.append(f"pair_coeff {i} {j} {c['epsilon'] / KCAL:.17g} {10 * c['sigma']:.17g}")
    for n, b in enumerate(ff["bonds"].values(), 1):
        lines.append(f"bond_coeff {n} {b['k'] / KCAL / 100:.17g} {10 * b['r0']:.17g}")
    for n, a in enumerate(ff["angles"].values(), 1):
        if a["form"] == "dipole":
            lines.append(f"angle_coeff {n} dipole {a['k'] / KCAL:.17g} {a['gamma0']}")
        else:
            lines.append(f"angle_coeff {n} cosine/squared {a['k'] / KCAL:.17g} {a['theta0']}")
    lines += ["neighbor 2.0 bin", "neigh_modify every 1 delay 0 check yes",
              "thermo_style custom step evdwl ecoul ebond eangle pe",
              "thermo_modify norm no format float %.15g",
              f"dump forces all custom 1 {data}.dump id fx fy fz tqx tqy tqz",
              "dump_modify forces sort id format float %.15g", "run 0"]
    with open(path, "w") as out:
        print("\n".join(lines), file=out)


def refuse(state, ff):
    """What LAMMPS has no equal for."""
    pair, types = ff["pair"], ff["types"]
    present = {name for k, name in enumerate(types) if (state["beads/type"] == k).any()}
    three = [t for t in present if len(set(types[t].get("inertia", [0, 0, 0])[:2])) > 1
             or types[t].get("inertia", [0, 0, 0])[2:] not in ([], [0])]
    polar = any(t.get("charge") or t.get("dipole") for t in types.values())
    rows = {frozenset(row[:2]) for row in pair["table"]}
    for found, why in (
            (three, f"bead type {min(three, default='')} is a body with three axes"),
            (any("shape" in types[t] for t in present), "it has ellipsoids"),
            (any(bond["form"].startswith("site_") for section in ("bonds", "angles")
                 for bond in ff.get(section, {}).values()), "it has bonds or angles of sites"),
            (pair.get("sticky"), "it has a sticky term"),
            (any(m.get("exclusions") or m.get("restraints") for m in ff.get("molecules", {}).values()),
             "its molecules have exclusions or restraints"),
            (pair.get("classes"), "it has classes of pairs with a treatment of their own"),
            (pair.get("lj", {}).get("truncation") != "stoddard_ford",
             "Lennard-Jones is not truncated as stoddard_ford"),
            (polar and pair.get("electrostatics", {}).get("truncation") != "shifted_force",
             "electrostatics are not truncated as shifted_force"),
            (len(rows) < len(types) * (len(types) + 1) // 2,
             "pairs are missing in the table, so that they follow a mixing rule")):
        if found:
            raise files.Error(f"force field {ff['name']}: {why}, which has no equal in the pair style of LAMMPS that is "
                              "written (lj/sf/dipole/sf)")
    ff.setdefault("bonds", {})
    ff.setdefault("angles", {})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("state", metavar="STATE.h5", help="state file")
    parser.add_argument("data", metavar="OUT.data", help="data file to write")
    parser.add_argument("input", metavar="OUT.in", help="input to write, which reads OUT.data")
    arguments = parser.parse_args()
    state = Datasets(arguments.state)
    ff = state["forcefield"]
    refuse(state, ff)
    write_data(arguments.data, state, ff)
    write_input(arguments.input, arguments.data, ff)
