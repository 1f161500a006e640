"""Maps of the electrostatic potential: HDF5 and OpenDX files of `lamella map`."""
import os

import numpy as np

from . import files, plots, words
from .arrays import Array
from .shown import Shown

NEWEST = 1
ANGSTROM = 0.1  # nm
COMPONENTS = "xyz"


class Map(Shown):
    """A map. values: [z][y][x], in `unit` (kJ/mol/e in HDF5, V in OpenDX). origin, spacing: nm, along
    x, y, z; n: numbers of points. x, y, z: coordinates of the points, nm; units: of the arrays by name.

    deviation: standard deviation over frames, or None; of NAME.dx it is in NAME.deviation.dx.
    volt: what a value is multiplied by to have volts. about: the other attributes of an HDF5 file
    (method, cutoff, boundary, types, frames, ...) or {"comment": ...} of an OpenDX file.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.isfile(self.path):
            raise files.Unusable(f"{self.path}: there is no such file")
        self.deviation = None
        if self.path.endswith(".dx"):
            self._read_dx()
        else:
            self._read_h5()
        self.n = self.values.shape[::-1]
        self.values = Array(self.values, "potential", self.unit)
        if self.deviation is not None:
            self.deviation = Array(self.deviation, "deviation", self.unit)
        self.units = {"values": self.unit, "deviation": self.unit, "origin": "nm", "spacing": "nm",
                      **dict.fromkeys(COMPONENTS, "nm")}

    def _read_h5(self):
        with files.open_h5(self.path) as file:
            self.format = files.check_format(file, "lamella map", NEWEST)
            if not files.integer(file, "complete"):
                raise files.Unusable(f"{self.path}: it was not written to its end")
            self.values = files.item(file, "potential")[:]
            if "deviation" in file:
                self.deviation = file["deviation"][:]
            self.about = {name: files.text_of(value) if isinstance(value, (bytes, str)) else value
                          for name, value in file.attrs.items()}
        if self.values.ndim != 3:
            raise files.Unusable(f"{self.path}: potential has {self.values.ndim} dimensions, not 3")
        try:
            self.unit, self.volt = self.about["unit"], float(self.about["volt_per_unit"])
            self.origin, self.spacing = (np.array(self.about[name], float).reshape(3)
                                         for name in ("origin", "spacing"))
        except (KeyError, ValueError) as why:
            raise files.Unusable(f"{self.path}: the attribute {why} of a map is missing or wrong"
                                 ) from None

    def _read_dx(self):
        self.values, self.origin, self.spacing, comment = read_dx(self.path)
        self.unit, self.volt, self.about = "V", 1.0, {"comment": comment}
        other = self.path[:-len(".dx")] + ".deviation.dx"
        if not self.path.endswith(".deviation.dx") and os.path.isfile(other):
            self.deviation = read_dx(other)[0]
            if self.deviation.shape != self.values.shape:
                raise files.Unusable(f"{other}: is of another map than {self.path}")

    def axis(self, name):
        """Coordinates of the points along "x", "y" or "z", nm."""
        k = component(name)
        return Array(self.origin[k] + self.spacing[k] * np.arange(self.n[k]), name, "nm")

    @property
    def x(self):
        return self.axis("x")

    @property
    def y(self):
        return self.axis("y")

    @property
    def z(self):
        return self.axis("z")

    def profile(self, name="z"):
        """Means of the values over the planes that cross an axis; one for each point of it."""
        across = tuple(k for k in range(3) if k != 2 - component(name))
        return Array(self.values.mean(axis=across, dtype=float), "potential", self.unit)

    def plot(self, name="z", axes=None):
        """The mean over planes along an axis, in volt. Returns the axes of matplotlib."""
        axes = plots.axes_of(axes, os.path.basename(self.path), words.label(name, "nm"), words.label("potential", "V"))
        axes.plot(self.axis(name), self.profile(name) * self.volt)
        return axes

    def describe(self):
        return f"{self.path}: " + " x ".join(map(str, self.n)) + f" points, potential ({self.unit})", (
            "axis", "points", "from (nm)", "to (nm)"), [
            (name, len(points), f"{points[0]:g}", f"{points[-1]:g}") for name, points in zip("xyz", (self.x, self.y, self.z))]

    def slice(self, name="z", at=None):
        """The plane across an axis that lies nearest to a coordinate (nm; default: the middle): its
        coordinate and its values, [z][y] across x, [z][x] across y, [y][x] across z."""
        points = self.axis(name)
        if at is None:
            index = len(points) // 2
        else:
            if not np.isfinite(at):
                raise files.Error(f"{name} = {at} is no coordinate")
            index = int(np.abs(points - at).argmin())
            if abs(points[index] - at) > 0.501 * self.spacing[component(name)]:
                raise files.Error(f"{self.path}: {name} = {at:g} nm is outside of the map, which has "
                                  f"{points[0]:g} to {points[-1]:g} nm")
        return points[index], np.take(self.values, index, axis=2 - component(name))


def component(name):
    if name not in COMPONENTS or len(name) != 1:
        raise files.Error(f"an axis is x, y or z, not '{name}'")
    return COMPONENTS.index(name)


def read_dx(path):
    """Values [z][y][x], origin and spacing in nm, and the comment of an OpenDX file whose axes are
    those of the box."""
    counts, origin, deltas, comment, items = None, None, [], [], None
    with open(path, encoding="utf-8", errors="replace") as file:
        try:
            for line in file:
                words = line.split()
                if line.startswith("#"):
                    comment.append(line[1:].strip())
                elif "gridpositions" in words:
                    counts = [int(word) for word in words[-3:]]
                elif words[:1] == ["origin"]:
                    origin = [float(word) for word in words[1:4]]
                elif words[:1] == ["delta"]:
                    deltas.append([float(word) for word in words[1:4]])
                elif "items" in words:
                    items = int(words[words.index("items") + 1])
                    break
            if (not counts or min(counts) < 1 or not origin or len(origin) != 3 or len(deltas) != 3
                    or items != np.prod(counts)):
                raise ValueError("no OpenDX map: its head is damaged or of another kind")
            spacing = np.diag(deltas)
            if np.count_nonzero(deltas - np.diag(spacing)):
                raise ValueError("its axes are not those of the box")
            values = np.fromiter((word for line in file for word in line.split()), float, items)
        except (ValueError, IndexError) as why:
            raise files.Unusable(f"{path}: {why}") from None
    return (values.reshape(counts).transpose(), np.array(origin) * ANGSTROM, spacing * ANGSTROM,
            "\n".join(comment))
