"""PREFIX.h5md with PREFIX.psf: frames that are read when they are used."""
import csv
import os

import numpy as np

from . import checksums, files, packages
from .arrays import Array, dataframe
from .forcefield import ForceField
from .shown import Shown
from .topology import Topology

GROUP = "particles/trajectory"
SUMS = "parameters/lamella/checksums"


class Frame(Shown):
    """One frame. step; time: ps; box: the three edges, nm; vectors: the box vectors as
    rows, nm, whose diagonal they are; index: its number from 0. Its elements,
    arrays with a row for each bead, are attributes: position, image, and where the trajectory has
    them velocity, dipole, orientation, quaternion and others. Each is read once, when it is used, and
    compared with its checksum."""

    def __init__(self, trajectory, index):
        self.trajectory, self.index = trajectory, index
        trajectory.check_clock(index)
        self.step = int(trajectory.steps[index])
        self.time = float(trajectory.times[index])

    def __getitem__(self, name):
        return Array(self.trajectory.read(name, self.index), name, self.trajectory.units[name])

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.trajectory.elements:
            raise AttributeError(f"{self.trajectory.path} has no {name} in its frames; it has "
                                 + ", ".join(self.trajectory.elements))
        value = self[name]
        setattr(self, name, value)
        return value

    @property
    def box(self):
        return Array(np.diagonal(self.vectors).copy(), "box", self.trajectory.units["box"])

    @property
    def vectors(self):
        return Array(self.trajectory.group["box/edges/value"][self.index], "vectors", self.trajectory.units["box"])

    @property
    def unwrapped(self):
        """Positions that do not jump when a bead crosses a face of the box, nm."""
        if self.trajectory.positions == "unwrapped":
            return self.position
        return Array(self.position + self.image @ self.vectors, "unwrapped", self.trajectory.units["position"])

    def to_dataframe(self):
        """A pandas.DataFrame with a row for each bead: name, type, residue, molecule, x, y, z (nm), and the other elements,
        those with several components as NAME_x, NAME_y, ..."""
        topology, columns, units = self.trajectory.topology, {}, {}
        for name in ("names", "type_names", "residues", "molecules"):
            columns[name.rpartition("s")[0]] = getattr(topology, name)
        for element in self.trajectory.elements:
            values = self[element]
            parts = np.asarray(values).reshape(len(values), -1).T
            ends = [""] if len(parts) == 1 else ["_w", "_x", "_y", "_z"][-len(parts):]
            for end, part in zip(ends, parts):
                name = end[1:] if element == "position" else element + end
                columns[name], units[name] = part, values.unit
        return dataframe(columns, units)

    def describe(self):
        return (f"frame {self.index} of {self.trajectory.path}: step {self.step}, {self.time:g} ps, box "
                + " x ".join(f"{edge:g}" for edge in self.box) + " nm", ("element", "unit", "shape"), self.trajectory.shapes())


class Frames(Shown):
    """Some frames of a trajectory, by their numbers."""

    def __init__(self, trajectory, numbers):
        self.trajectory, self.numbers = trajectory, numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, which):
        if isinstance(which, slice):
            return Frames(self.trajectory, self.numbers[which])
        return Frame(self.trajectory, self.numbers[which])

    def __iter__(self):
        return (Frame(self.trajectory, k) for k in self.numbers)

    def describe(self):
        return f"{len(self)} frames of {self.trajectory.path}", (), []


class FrameTable(Shown, files.Named):
    """A mapping from the names of columns to arrays [frame][row], read when they are used. units: of
    each column; labels: names of the rows, None if they have an axis or there is one."""

    def __init__(self, observable, name, columns):
        self.observable, self.name = observable, name
        self.columns = {column["column"]: (int(column["first"]), int(column["rows"]))
                        for column in columns}
        self.units = {column["column"]: column["unit"] for column in columns}
        self.labels = columns[0]["labels"].split() or None
        self.names, self.what = self.columns, "column"
        self.where = f"{observable.path}: {name} of {observable.name} has"

    def made(self, name):
        first, rows = self.columns[name]
        return Array(self.observable.values[:self.observable.frames, first:first + rows], name, self.units[name])

    def describe(self):
        return f"{self.name}: values in {self.observable.frames} frames", ("column", "unit", "rows"), [
            (name, self.units[name], rows) for name, (_, rows) in self.columns.items()]


class FrameObservable(Shown, files.Named):
    """The values of an observable in the frames: a mapping of tables, each a mapping of columns. Each
    frame has the values of the last sample at its step; NaN before the first. options: kind and
    options, YAML text; values: the dataset [frame][value] of h5py."""

    def __init__(self, trajectory, name):
        group = files.item(trajectory.file, "observables/" + name)
        self.path, self.name, self.frames = trajectory.path, name, len(trajectory)
        self.values = files.item(group, "value")
        self.options = files.text(trajectory.file, f"observables/{name}/options")
        lines = files.text(trajectory.file, f"observables/{name}/columns").splitlines()
        columns = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.tables = {table: FrameTable(self, table, [column for column in columns
                                                       if column["table"] == table])
                       for table in dict.fromkeys(column["table"] for column in columns)}
        self.names, self.what = self.tables, "table"
        self.where = f"{self.path}: {name} has in its frames"

    def made(self, name):
        return self.tables[name]

    def describe(self):
        return f"{self.name}: values in {self.frames} frames", ("table", "columns"), [
            (name, ", ".join(table)) for name, table in self.tables.items()]


class Trajectory(Shown):
    """A trajectory, by its prefix or the name of its .h5md file.

    len(), [k] and [a:b:c] give frames. steps; times: ps; elements: names of the arrays of a frame;
    units["position"]; constants: names of what is the same in all frames, attributes with a row for
    each bead: species (the type number), mass, charge and where the trajectory has them electrons,
    leaflet, molecule, id; observables: names of those whose values the frames hold, which
    observable(name) gives, see FrameObservable; lipids: names of the molecules that are lipids (None
    in files of earlier versions); bonds: pairs of rows, from 0; positions: wrapped, unwrapped or whole. From
    the PSF file: names, type_names, residues and molecules, see Topology. Memory: an element of one frame at a
    time.
    """

    def __init__(self, path):
        self.path = files.find(path, ".h5md")
        self.psf = os.path.splitext(self.path)[0] + ".psf"
        self.file = files.open_h5(self.path)
        self._topology, self.observed_agree = None, False
        try:
            self.look()
        except files.Error:
            raise
        except (KeyError, OSError, RuntimeError, ValueError) as why:  # of h5py
            raise files.Unusable(f"{self.path}: cannot be read: the file is damaged, see 'lamella info' ({why})"
                                 ) from None

    def look(self):
        """What the file holds."""
        if GROUP not in self.file:
            said = files.attribute(self.file, "format")
            raise files.Unusable(f"{self.path}: not a trajectory of Lamella: no group {GROUP}"
                                 + (said and f"; it is a '{said}'"))
        self.group = self.file[GROUP]
        self.elements = [name for name in self.group if name != "box"
                         and "value" in getattr(self.group[name], "keys", tuple)()]
        self.constants = [name for name in self.group if hasattr(self.group[name], "shape")]
        self.positions = files.text(self.file, "parameters/lamella/positions", "wrapped")
        steps = self.element("position").parent["step"]
        self.observables = files.text(self.file, "parameters/lamella/observables", "").splitlines()
        ends = (self.element("position"), steps, self.element("box/edges"),
                *(files.item(self.file, f"observables/{name}/value") for name in self.observables))
        n = min(len(end) for end in ends)  # a last frame that is cut short is left out
        self.sums = self.agree = None
        self.read_clock(n)
        self.units = {name: files.attribute(self.element(name), "unit", "1")
                      for name in self.elements}
        self.units.update({name: files.attribute(self.group[name], "unit", "1")
                           for name in self.constants})
        self.units.update(box=files.attribute(self.element("box/edges"), "unit", "1"),
                          times=files.attribute(self.element("position").parent["time"], "unit"))
        self.program = "lamella"
        if "h5md/creator" in self.file:
            self.program += " " + files.attribute(self.file["h5md/creator"], "version")

    def damage(self, frame, what):
        return files.Unusable(f"{self.path}: frame {frame} (counted from 0): {what}: the file is damaged; "
                              "other frames may be whole, and 'lamella info' checks the file")

    def read_clock(self, n):
        """Steps, times and checksums of n frames; trajectories of earlier versions have no checksums."""
        parent = self.element("position").parent
        sums = self.file[SUMS] if SUMS in self.file else None
        n = min(n, len(files.item(parent, "time")), n if sums is None else len(sums))
        steps, self.times = parent["step"][:n].astype(np.int64), parent["time"][:n]
        if sums is not None:
            self.sums = sums[:n].reshape(n, -1)
            edges = self.element("box/edges")[:n]
            self.agree = checksums.agree(self.sums, steps, self.times, edges)
        if n and steps[-1] <= (steps[-2] if n > 1 else -1):  # the last frame was not finished
            n -= 1
        self.steps, self.times = steps[:n], self.times[:n]

    def check_clock(self, frame):
        if self.agree is not None and not self.agree[frame]:
            raise self.damage(frame, "step, time or edges do not agree with their checksum")

    def read(self, name, frame):
        """An element of a frame, compared with its checksum."""
        try:
            value = self.element(name)[frame]
        except OSError as why:
            raise self.damage(frame, f"{name} cannot be read ({why})") from None
        column = checksums.COLUMNS.index(name) if name in checksums.COLUMNS else -1
        if self.sums is not None and 0 <= column < self.sums.shape[1] and \
                checksums.of_rows(column, value) != self.sums[frame, column]:
            raise self.damage(frame, f"{name} does not agree with its checksum")
        return value

    def check_observables(self):
        """Compares the values of all observables in the frames with their checksums, once."""
        if self.observed_agree or self.sums is None or self.sums.shape[1] <= checksums.OBSERVED:
            return
        values = [files.item(self.file, f"observables/{name}/value") for name in self.observables]
        for frame in range(len(self)):
            try:
                row = np.concatenate([value[frame] for value in values])
            except OSError as why:
                raise self.damage(frame, f"observables cannot be read ({why})") from None
            if checksums.of_rows(checksums.OBSERVED, row) != self.sums[frame, checksums.OBSERVED]:
                raise self.damage(frame, "observables do not agree with their checksum")
        self.observed_agree = True

    def element(self, name):
        """The dataset [frame][bead]... of an element; h5py reads from it what an index selects."""
        return files.item(self.group, name + "/value")

    def observable(self, name):
        """observable("density")["density"]["electrons"] is an array [frame][row]."""
        if name not in self.observables:
            raise files.Missing(f"{self.path}: its frames have no observable '{name}'; they have "
                                + (", ".join(self.observables) or "none"))
        self.check_observables()
        return FrameObservable(self, name)

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, which):
        return Frames(self, range(len(self)))[which]

    def __iter__(self):
        return iter(self[:])

    @property
    def n(self):
        """Number of beads in a frame."""
        return self.element("position").shape[1]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.__dict__.get("constants", ()):
            raise AttributeError(f"a trajectory has no {name}")
        return Array(self.group[name][:], name, self.units[name])

    def shapes(self):
        """Name, unit and shape of each element of a frame."""
        return [(name, self.units[name], " x ".join(map(str, self.element(name).shape[1:]))) for name in self.elements]

    def describe(self):
        times = f", {self.times[0]:g} to {self.times[-1]:g} ps" if len(self) else ""
        rows = [(name, self.units[name], "the same in all frames: " + " x ".join(map(str, self.group[name].shape)))
                for name in self.constants]
        rows += [(name, "", "an observable in the frames") for name in self.observables]
        return f"{self.path}: {len(self)} frames of {self.n} beads{times}", ("element", "unit", "shape"), self.shapes() + rows

    @property
    def lipids(self):
        return files.lipids(files.text(self.file, "parameters/lamella/membrane", ""), self.path)

    @property
    def bonds(self):
        """Of a selection of beads the file has pairs of ids."""
        pairs = files.item(self.file, "connectivity/bonds")[:]
        return np.searchsorted(self.id, pairs) if "id" in self.constants else pairs

    @property
    def topology(self):
        if self._topology is None:
            topology = Topology(files.find(self.psf, ".psf"))
            if len(topology) != self.n:
                raise files.Unusable(f"{self.path} has {self.n} beads, and {self.psf} {len(topology)}")
            self._topology = topology
        return self._topology

    @property
    def names(self):
        return self.topology.names

    @property
    def type_names(self):
        return self.topology.type_names

    @property
    def residues(self):
        return self.topology.residues

    @property
    def molecules(self):
        return self.topology.molecules

    @property
    def forcefield(self):
        return ForceField(files.text(self.file, "parameters/lamella/forcefield"), self.path)

    def universe(self, unwrapped=False, **options):
        """An MDAnalysis.Universe of topology and trajectory, in Angstrom and ps. unwrapped: positions
        do not jump when beads cross a face of the box. If the trajectory has them, atoms have the
        attributes electrons and leaflets; select_atoms("leaflet 1") is the upper one. options go to
        MDAnalysis. It opens the files itself; this object may be closed."""
        try:
            import MDAnalysis
            from . import mdanalysis
        except ImportError:
            raise files.Error(packages.advice("MDAnalysis")) from None
        if len(self) == 0:
            raise files.Error(f"{self.path}: it has no frames")
        if len(self) > 1:  # the reader would take 1 ps
            options.setdefault("dt", float(self.times[1] - self.times[0]))
        options.setdefault("format", "H5MD")
        universe = MDAnalysis.Universe(files.find(self.psf, ".psf"), self.path, **options)
        for name in mdanalysis.ATTRIBUTES:
            if name in self.constants:
                universe.add_TopologyAttr(mdanalysis.ATTRIBUTES[name](getattr(self, name)))
        if unwrapped and self.positions != "unwrapped":
            images = files.open_h5(self.path)[GROUP + "/image/value"]

            def unwrap(frame):
                frame.positions += images[frame.frame] @ frame.triclinic_dimensions
                return frame

            universe.trajectory.add_transformations(unwrap)
        return universe

    def close(self):
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
