"""Moments of a simulation for the oracle of observables (oracle_observe.py): from state files, from
frames of a trajectory, or from arrays. Nothing here is shared with the program."""
import h5py
import numpy as np

import oracle
import oracle_beads

K = 0.00831446261815324  # kJ/(mol K)


def nearest(fraction):
    """Differences of fractions of the box by the nearest image."""
    return fraction - np.round(fraction)


class Frame(oracle_beads.State):
    """position: 32-bit fractions of the box, as the state file has them, or `place`: positions in
    nm. Optional: residual, image, momentum, angular_momentum, orientation (quaternions) or axis."""

    def __init__(self, text, box, type, kind, position=None, place=None, **more):
        self.ff = oracle.force_field(text)
        self.names = list(self.ff["types"])
        self.box = np.asarray(box, float)
        self.type, self.kind, self.n = np.asarray(type), np.asarray(kind), len(type)
        if position is not None:
            self.word = np.ascontiguousarray(position).view(np.uint32)
            self.fraction = (self.word + more.get("residual", 0.0) / 2.0**32) / 2.0**32
        else:
            self.fraction = np.asarray(place, float) / self.box
            self.word = (np.round(self.fraction % 1 * 2.0**32) % 2.0**32).astype(np.uint32)
        self.image = np.asarray(more.get("image", np.zeros((self.n, 3))))
        self.frame = self.body_frames(more)
        self.momentum = more.get("momentum")
        self.angular = more.get("angular_momentum")
        self.step, self.time = more.get("step", 0), more.get("time", 0.0)
        self.mass, self.charge = self.by_type("mass"), self.by_type("charge")
        self.moment = self.by_type("dipole")
        self.dipole = self.moment[:, None] * self.axis
        self.members = self.rows_by_kind()

    def body_frames(self, more):
        if "orientation" in more:
            return oracle_beads.frames(more["orientation"])
        frame = np.zeros((self.n, 3, 3))
        frame[:, :, 2] = more.get("axis", [0, 0, 1])
        return frame

    @property
    def axis(self):
        return self.frame[:, :, 2]

    def inertia(self):
        """Moments of every bead; 0 for an axis about which it does not turn."""
        rows = [self.ff["types"][name].get("inertia", [0, 0, 0]) for name in self.names]
        return np.array(rows, float)[self.type]

    def rows_by_kind(self):
        """{molecule name: rows [molecule][bead]}, for the molecules that occur."""
        names = list(self.ff["molecules"])
        found, row = {}, 0
        while row < self.n:
            name = names[self.kind[row]]
            length = len(self.ff["molecules"][name]["beads"])
            found.setdefault(name, []).append(np.arange(row, row + length))
            row += length
        return {name: np.array(found[name]) for name in names if name in found}

    def lipids(self):
        return {name: rows for name, rows in self.members.items() if rows.shape[1] > 1}

    def in_lipids(self):
        """Whether a bead belongs to a molecule of more than one bead."""
        inside = np.zeros(self.n, bool)
        for rows in self.lipids().values():
            inside[rows] = True
        return inside

    def species(self):
        """{(molecule, type): rows} of every species, in the order of the force field."""
        found = {}
        for molecule, rows in self.members.items():
            types = self.ff["molecules"][molecule]["beads"]
            for name in self.names:
                columns = [k for k, bead in enumerate(types) if bead == name]
                if columns:
                    found[molecule, name] = rows[:, columns].ravel()
        return found

    def vectors(self, i, j):
        """r_i - r_j by the nearest image, for rows of any shape."""
        return (self.word[i] - self.word[j]).view(np.int32) * (self.box / 2.0**32)

    def offsets(self, name):
        """Positions of the beads of each molecule less that of its first: sums of bond vectors."""
        rows, out = self.members[name], {1: 0.0}
        bonds = [bond[1:] for bond in self.ff["molecules"][name].get("bonds", [])]
        while len(out) < rows.shape[1]:
            known = len(out)
            for a, b in [*bonds, *(bond[::-1] for bond in bonds)]:
                if a in out and b not in out:
                    out[b] = out[a] + self.vectors(rows[:, b - 1], rows[:, a - 1])
            assert len(out) > known, name + " is not connected by bonds"
        out[1] = np.zeros((len(rows), 3))
        return np.stack([out[bead] for bead in sorted(out)], axis=1)

    def centre(self):
        """z of the centre of the bilayer as a fraction of the box."""
        inside = self.in_lipids()
        if not inside.any():
            return 0.5
        turn, mass = 2 * np.pi * self.fraction[inside, 2], self.mass[inside]
        return np.arctan2((mass * np.sin(turn)).sum(), (mass * np.cos(turn)).sum()) / (2 * np.pi)

    def z_bins(self, rows, bins):
        inside = (self.fraction[rows, 2] - self.centre() + 0.5) % 1
        return np.minimum((inside * bins).astype(int), bins - 1)

    def sites(self, name, head):
        """Columns of the head and of the tail of a molecule, from 0."""
        beads = self.ff["molecules"][name]["beads"]
        heads = [k for k, bead in enumerate(beads) if bead in head] or [0]
        plain = [k for k, bead in enumerate(beads)
                 if not self.ff["types"][bead].get("charge", 0) and
                 not self.ff["types"][bead].get("dipole", 0)]
        return heads, plain or [len(beads) - 1]

    def heads(self, name, head):
        """Of every molecule of a kind: place of its head as fractions of the box, the vector from
        the mean of its tail to its head, and whether it is in the upper leaflet."""
        offsets, (heads, tail) = self.offsets(name), self.sites(name, head)
        top = offsets[:, heads].mean(axis=1)
        vector = top - offsets[:, tail].mean(axis=1)
        return self.fraction[self.members[name][:, 0]] + top / self.box, vector, vector[:, 2] > 0

    def all_heads(self, head):
        """heads() of all lipids together, and the number of the kind of each."""
        parts = [(*self.heads(name, head), np.full(len(rows), k))
                 for k, (name, rows) in enumerate(self.lipids().items())]
        return [np.concatenate(part) for part in zip(*parts)]

    def centres(self, name):
        """Unwrapped centres of mass of the molecules of a kind, nm."""
        rows, offsets = self.members[name], self.offsets(name)
        mass = self.mass[rows[0]]
        first = (self.fraction + self.image)[rows[:, 0]] * self.box
        return first + (offsets * mass[:, None]).sum(axis=1) / mass.sum()


def of_state(path):
    with h5py.File(path, "r") as file:
        beads = {key: file["beads/" + key][:] for key in (
            "position", "residual", "image", "orientation", "momentum", "angular_momentum", "type",
            "kind")}
        text = np.ravel(file["forcefield/text"][()])[0].decode().rstrip("\0")
        return Frame(text, file["system/box"][:], step=int(file["system/step"][0]),
                     time=float(file["system/time"][0]), **beads)


def of_trajectory(path, kind):
    """Frames of a trajectory; kind: the molecule types of the beads, which stand in the state."""
    with h5py.File(path, "r") as file:
        group = file["particles/trajectory"]
        text = np.ravel(file["parameters/lamella/forcefield"][()])[0].decode().rstrip("\0")
        frames = []
        for k, step in enumerate(group["position/step"][:]):
            more = {"image": group["image/value"][k]}
            if "quaternion" in group:
                more["orientation"] = group["quaternion/value"][k].astype(float)
            elif "dipole" in group or "orientation" in group:
                axis = group["dipole" if "dipole" in group else "orientation"]["value"][k]
                size = np.linalg.norm(axis, axis=1)[:, None]
                more["axis"] = np.where(size > 0, axis / np.where(size > 0, size, 1), [0, 0, 1])
            if "velocity" in group:
                more["momentum"] = group["velocity/value"][k] * group["mass"][:][:, None]
            frames.append(Frame(text, np.diag(group["box/edges/value"][k]),
                                group["species"][:], kind, place=group["position/value"][k],
                                step=int(step), time=float(group["position/time"][k]), **more))
        return frames
