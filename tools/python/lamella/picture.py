"""Density profiles along z and a side view of the beads, of a membrane or of a fluid; or a slice of a
map of the electrostatic potential.

    lamella-picture PREFIX [-o PICTURE.png] [--last N]
    lamella-picture MAP.h5|MAP.dx [-o PICTURE.png] [--axis x|y|z] [--at NM] [--most VOLT]

Reads PREFIX.h5md and PREFIX.psf. Profiles are averages over the last N frames (default: the later
half). Where molecules form a layer, its centre of mass is at z = 0. The side view shows a slice of
the last frame. Beads with a shape are drawn as ellipses, dipoles as arrows; with ellipsoids the
title has the nematic order parameter S, the largest eigenvalue of <3/2 u u - 1/2>. Of a map, a plane
across an axis is drawn with a scale of colours in volt, and the mean along z (map_picture.py).
"""
import argparse
import collections
import os

from . import packages

with packages.needed():
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Ellipse

    from . import map_picture
    from .files import Error
    from .looks import Names, known_looks, palette
    from .maps import Map
    from .trajectory import Trajectory

BINS = 100
SLICE = 2.0  # nm, thickness of the side view of molecules; of a fluid: two beads
PANEL = 300  # points, about the larger side of the side view
ARROW = 9  # points; dipoles that would be shorter are left out
ANGLES = "viridis"  # colours of angles
# radius: nm, across the axis of an ellipsoid; kappa: its length over its breadth, 1 for a sphere.
Look = collections.namedtuple("Look", "label colour radius kappa")


def read_forcefield(trajectory):
    """None for trajectories of earlier versions, which do not hold it."""
    return trajectory.forcefield if "parameters/lamella/forcefield" in trajectory.file else None


def make_looks(trajectory, types, in_molecules):
    """The look of every type present, in the order of LOOKS. Single beads have their size, half of
    sigma; molecules and the water around them are drawn smaller."""
    species, field = trajectory.file["parameters/vmd_structure"], read_forcefield(trajectory)
    radii = {name.decode(): r for name, r in zip(species["name"][:], species["radius"][:])}
    kappas = {name: float(t["shape"]["kappa"]) for name, t in (field.data["types"] if field else {}).items()
              if "shape" in t}
    known, names, looks = known_looks(field), Names(field), {}
    if not in_molecules.any():
        known = {name: look for name, look in known.items() if name == "W"}
    others = sorted(set(types) - set(known))
    colours = dict(zip(others, palette(len(others), [look[1] for look in known.values()])))
    for name in [*(n for n in known if n in set(types)), *others]:
        radius = radii.get(name[:15], 0.24)  # the trajectory has 15 letters of a name
        label, colour, small = known.get(name, (names.type(name), colours.get(name), 0.5 * radius))
        if name in kappas or not in_molecules.any():
            small = radius
        looks[name] = Look(label, colour, small, kappas.get(name, 1.0))
    return looks


def read_axes(frame):
    """The body z axis of every bead, a unit vector or 0; None if no bead rotates."""
    elements = frame.trajectory.elements
    if "quaternion" in elements:
        w, x, y, z = frame.quaternion.T
        return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
    for name in ("orientation", "dipole"):
        if name in elements:
            return unit(frame[name])
    return None


def unit(vectors):
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def nematic_order(u):
    """Order parameter and director of unit vectors."""
    values, vectors = np.linalg.eigh(1.5 * u.T @ u / len(u) - 0.5 * np.eye(3))
    return values[-1], vectors[:, -1]


def read_lipids(trajectory, in_molecules):
    """Which beads are in lipids; in trajectories that do not say it, those of molecules."""
    if trajectory.lipids is None or "parameters/lamella/molecules" not in trajectory.file:
        return in_molecules
    names = [name.decode() for name in trajectory.file["parameters/lamella/molecules"][:]]
    rows = [k for k, name in enumerate(names) if name in trajectory.lipids]
    return np.isin(trajectory.molecule_type, rows)


def find_layer(z, height, in_molecules):
    """The beads of lipids if they are unevenly spread along z, as those of a membrane; else
    None."""
    n = in_molecules.sum()
    if n == 0:
        return None
    spread = abs(np.exp(2j * np.pi * z[in_molecules] / height).mean())
    return in_molecules if spread > max(0.05, 3 / np.sqrt(n)) else None


def centre_of(z, height, layer):
    """The mean of the layer, found on the circle that the box is; half the height without a layer."""
    if layer is None:
        return height / 2
    angle = 2 * np.pi * z[layer] / height
    return np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * height / (2 * np.pi)


def centred(z, height, layer):
    """z from -height/2 with the mean of the layer moved to 0; without a layer z from 0."""
    if layer is None:
        return z % height
    return (z - centre_of(z, height, layer) + height / 2) % height - height / 2


def in_brick(frame, layer, compact=None):
    """x and y of every bead in a rectangular cell of the edges of the box around the layer along z, and
    around that along y, compact. Whole vectors of an oblique box move beads there, also to the side."""
    x, y, z = frame.position.T.astype(float)
    b, c = frame.vectors[1:]
    up = np.floor((z - centre_of(z, c[2], layer)) / c[2] + 0.5)
    x, y = x - up * c[0], y - up * c[1]
    along = np.floor((y - centre_of(y, b[1], compact)) / b[1] + 0.5)
    return (x - along * b[0]) % frame.box[0], y - along * b[1]


def is_oblique(frame):
    return frame.vectors[[1, 2, 2], [0, 0, 1]].any()


def limits(height, layer):
    return (0, height) if layer is None else (-height / 2, height / 2)


class Scene:
    """What does not change from frame to frame: types of beads and their looks, bonds, which beads
    are in molecules and in lipids, and whether these form a layer in the last frame (layer None: they do not)."""

    def __init__(self, trajectory):
        last = trajectory[-1]
        self.trajectory, topology = trajectory, trajectory.topology
        self.types, self.bonds, self.residues = topology.type_names, topology.bonds, topology.residues
        self.in_molecules = np.zeros(trajectory.n, bool)
        self.in_molecules[self.bonds.ravel()] = True
        self.looks = make_looks(trajectory, self.types, self.in_molecules)
        self.in_lipids = read_lipids(trajectory, self.in_molecules)
        self.layer = find_layer(last.position[:, 2], last.box[2], self.in_lipids)
        self.fluid = not self.in_molecules.any()
        self.shaped = np.isin(self.types, [n for n, look in self.looks.items() if look.kappa != 1])

    @property
    def molecules(self):
        """Names of the molecules of several beads; of all where there are none."""
        shown = self.in_molecules if self.in_molecules.any() else slice(None)
        return ", ".join(sorted(set(self.residues[shown])))

    def order(self, frames):
        """Nematic order parameter of the ellipsoids, mean over frames; None without ellipsoids."""
        if not self.shaped.any():
            return None
        return np.mean([nematic_order(read_axes(frame)[self.shaped])[0] for frame in frames])


def draw_profiles(axes, scene, frames):
    edges = [frame.box for frame in frames]
    low, high = limits(min(e[2] for e in edges), scene.layer)
    bins = np.linspace(low, high, BINS + 1)
    counts = {name: np.zeros(BINS) for name in scene.looks}
    for frame, edge in zip(frames, edges):
        z = centred(frame.position[:, 2], edge[2], scene.layer)
        volume = edge[0] * edge[1] * (bins[1] - bins[0])
        for name in counts:
            counts[name] += np.histogram(z[scene.types == name], bins)[0] / volume / len(frames)
    middles = (bins[1:] + bins[:-1]) / 2
    for name, look in scene.looks.items():
        axes.plot(middles, counts[name], color=look.colour, label=look.label, linewidth=1.8)
    axes.set(xlim=(low, high), ylim=(0, None),
             xlabel="z (nm)" if scene.layer is None else "distance from the middle, z (nm)",
             ylabel="number density (beads per nm$^3$)",
             title=f"profiles, mean of {len(frames)} frame{'s' * (len(frames) > 1)}")
    axes.grid(alpha=0.25)
    longest = max(len(look.label) for look in scene.looks.values())
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.12),
                ncol=max(1, min(6, 80 // (longest + 6))))


def bead_colours(scene, u, depth):
    """Colour of every bead: of its type. In a fluid ellipsoids are coloured by their angle to the
    director, and beads are the paler the further behind they are (depth, 0 to 1; None: not)."""
    rgb = np.zeros((len(scene.types), 3))
    for name, look in scene.looks.items():
        rgb[scene.types == name] = to_rgb(look.colour)
    if depth is None:
        return rgb
    if scene.shaped.any():
        director = nematic_order(u[scene.shaped])[1]
        angle = np.degrees(np.arccos(np.clip(abs(u[scene.shaped] @ director), 0, 1)))
        rgb[scene.shaped] = plt.get_cmap(ANGLES)(angle / 90)[:, :3]
    return 1 - (1 - 0.6 * depth[:, None]) * (1 - rgb)


def with_images(points, rows, reach, box, edges=None):
    """Rows of beads and their places, and those of the periodic images that reach into the
    picture, in the same order. box: lower and upper limits of each axis. edges: the periods, if the
    picture shows less than one."""
    low, high = np.array(box).T
    period = high - low if edges is None else edges
    shifts = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)]) * period
    images = points[rows][:, None] + shifts
    seen = ((images > low - reach) & (images < high + reach)).all(axis=2)
    return np.repeat(rows, seen.sum(axis=1)), images[seen]


def ellipse(place, look, u, across=(0, 2)):
    """The outline of an ellipsoid of revolution with the axis u, seen along the axis that is not in
    across."""
    right, up = u[across[0]], u[across[1]]
    along = look.radius * np.sqrt(1 + (look.kappa**2 - 1) * (right**2 + up**2))
    return Ellipse(place, 2 * along, 2 * look.radius, angle=np.degrees(np.arctan2(up, right)))


def draw_dipoles(axes, places, moments, length, colour, scale, across):
    """Arrows along dipoles, if they are long enough to be seen. scale: points per nm."""
    shown = (np.linalg.norm(moments, axis=1) > 0) & (length * scale > ARROW)
    arrow = (length[:, None] * unit(moments))[shown]
    axes.quiver(*places[shown].T, arrow[:, across[0]], arrow[:, across[1]], angles="xy",
                scale_units="xy", scale=1, pivot="mid", units="dots", width=1.6, headwidth=4,
                headlength=4, headaxislength=4, minlength=0.5, color=colour[shown], zorder=3)


def view(scene, frame, across):
    """Places of all beads in the picture, their distances behind its front, how deep the picture
    is, and a caption. The side is seen along y; the top of a membrane from above, without water."""
    x, y = (frame.position[:, :2] % frame.box[:2]).T
    if is_oblique(frame):
        x, y = in_brick(frame, scene.layer)
        if across == (0, 2):
            x, y = in_brick(frame, scene.layer, find_layer(y, frame.box[1], scene.in_lipids))
    z = centred(frame.position[:, 2], frame.box[2], scene.layer)
    if across == (0, 2):
        points, behind, edge = np.stack([x, z], 1), y, frame.box[1]
    else:
        top = limits(frame.box[2], scene.layer)[1]
        points, behind, edge = np.stack([x, y], 1), top - z, frame.box[2]
    if across == (0, 1) and scene.layer is not None:
        return points, np.where(scene.in_lipids, behind, edge), edge / 2, "the upper monolayer"
    widest = max(look.radius for look in scene.looks.values())
    thick = min(4 * widest if scene.fluid else SLICE, edge)
    compact = find_layer(y, edge, scene.in_lipids) if across == (0, 2) else None
    if compact is not None:  # as in a vesicle: the slice goes through the middle of the lipids
        behind = (centred(y, edge, compact) + thick / 2) % edge
    return points, behind, thick, f"a slice of {thick:.1f} nm"


def picture_box(scene, frame, across, window):
    """Lower and upper limits of the two axes of a picture of at most window nm."""
    ends = [(0, frame.box[0]), (0, frame.box[1]), limits(frame.box[2], scene.layer)]
    return [(ends[k][0], min(ends[k][1], ends[k][0] + window)) for k in across]


def draw_bonds(axes, scene, frame, points, behind, thick, across):
    """Bonds of the beads in front of thick that cross no face of the box."""
    i, j = scene.bonds[(behind < thick)[scene.bonds].all(axis=1)].T
    near = (abs(points[i] - points[j]) < frame.box[list(across)] / 2).all(axis=1)
    if is_oblique(frame):  # a bond across the face behind is moved to the side
        near &= abs(behind[i] - behind[j]) < frame.box[3 - sum(across)] / 2
    ends = np.stack([points[i], points[j]], 1)[near]
    axes.add_collection(LineCollection(ends, colors="#5c5f52", linewidths=1.2, zorder=1))


def draw_view(axes, scene, frame, across=(0, 2), window=np.inf):
    """The beads from behind, so that what is in front covers what is behind. across: the axes of the
    box that point to the right and upwards. window: nm, the most of an edge that is drawn."""
    u, edges, looks = read_axes(frame), frame.box[list(across)], scene.looks
    points, behind, thick, caption = view(scene, frame, across)
    box = picture_box(scene, frame, across, window)
    draw_bonds(axes, scene, frame, points, behind, thick, across)

    order = np.argsort(-behind)
    reach = max(look.radius * max(look.kappa, 1) for look in looks.values())
    rows = order[behind[order] < thick]
    places = points[rows]
    if not is_oblique(frame):  # else images of the faces are moved to the side, too
        rows, places = with_images(points, rows, reach, box, edges)
    depth = np.clip(behind / thick, 0, 1)
    colour, still = bead_colours(scene, u, depth if scene.fluid else None), np.zeros(3)
    outlines = [ellipse(place, looks[scene.types[k]], still if u is None else u[k], across)
                for k, place in zip(rows, places)]
    axes.add_collection(PatchCollection(outlines, facecolors=colour[rows], edgecolors="white",
                                        linewidths=0.3, zorder=2))
    size = max(high - low for low, high in box)
    if "dipole" in scene.trajectory.elements:
        chosen = scene.in_molecules[rows] | scene.fluid  # those of water would hide the others
        rows, places = rows[chosen], places[chosen]
        grey = 0.15 + 0.6 * depth[rows] if scene.fluid else np.ones(len(rows))
        draw_dipoles(axes, places, frame.dipole[rows],
                     2 * np.array([looks[scene.types[k]].radius for k in rows]),
                     np.repeat(grey[:, None], 3, axis=1), PANEL / size, across)
    if scene.fluid and scene.shaped.any():
        shades = plt.cm.ScalarMappable(plt.Normalize(0, 90), ANGLES)
        axes.figure.colorbar(shades, ax=axes, label="angle to the director (degrees)", shrink=0.8)
    right, up = ("xyz"[k] for k in across)
    axes.set(xlim=box[0], ylim=box[1], aspect="equal", xlabel=f"{right} (nm)", ylabel=f"{up} (nm)",
             title=f"{'side' if up == 'z' else 'top'} view, {caption}")


def draw(trajectory, output, last=None):
    if len(trajectory) == 0:
        raise Error(f"{trajectory.path}: no frames")
    scene = Scene(trajectory)
    frames = trajectory[-min(len(trajectory), last or (len(trajectory) + 1) // 2):]
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.2), constrained_layout=True,
                                         gridspec_kw={"width_ratios": [1.25, 1]})
    draw_profiles(left, scene, frames)
    draw_view(right, scene, trajectory[-1])
    title = f"{scene.molecules}: {trajectory.n} beads, {trajectory[-1].time:g} ps after the start"
    order = scene.order(frames)
    figure.suptitle(title if order is None else title + f", S = {order:.2f}")
    figure.savefig(output, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prefix", help="as output.prefix of the run, or a file of lamella map")
    parser.add_argument("-o", "--output", help="picture [PREFIX.png]")
    parser.add_argument("--last", type=int, help="frames to average over [the later half]")
    parser.add_argument("--axis", choices="xyz", default="y", help="of a map: across the slice [y]")
    parser.add_argument("--at", type=float, help="of a map: where on the axis, nm [the middle]")
    parser.add_argument("--most", type=float, help="of a map: end of the scale of colours, V")
    arguments = parser.parse_args()
    if arguments.last is not None and arguments.last < 1:
        parser.error(f"--last={arguments.last}: expected a number of frames, 1 or more")
    known = plt.Figure().canvas.get_supported_filetypes()
    ending = os.path.splitext(arguments.output or "x.png")[1]
    if ending[1:].lower() not in known:
        parser.error(f"--output={arguments.output}: the ending says of which kind a picture is, one of {', '.join(known)}")
    if map_picture.is_map(arguments.prefix):
        output = arguments.output or os.path.splitext(arguments.prefix)[0] + ".png"
        map_picture.draw(Map(arguments.prefix), output, arguments.axis, arguments.at, arguments.most)
        return
    with Trajectory(arguments.prefix) as trajectory:
        draw(trajectory, arguments.output or arguments.prefix + ".png", arguments.last)
