"""A slice of a map of the electrostatic potential, and its mean along z."""
import os

import h5py
import matplotlib
import numpy as np

from .files import Error, attribute

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = "RdBu"  # red: negative
SHARE = 98  # percent of the values of the slice that the default scale of colours covers


def is_map(path):
    """Whether a path is that of a map, by its ending and what the file says."""
    if path.endswith(".dx"):
        return True
    if not path.endswith(".h5") or not os.path.isfile(path) or not h5py.is_hdf5(path):
        return False
    with h5py.File(path, "r") as file:
        return attribute(file, "format") == "lamella map"


def scale_of(values):
    """The end of the scale of colours, which begins at its negative."""
    most = np.percentile(np.abs(values), SHARE)
    return most if most > 0 else 1.0


def draw_slice(axes, potential, axis, at, most):
    """The plane across an axis that is nearest to `at`, in volt."""
    where, values = potential.slice(axis, at)
    right, up = (name for name in "xyz" if name != axis)
    values = values * potential.volt
    most = scale_of(values) if most is None else most
    ends = []
    for name in (right, up):
        points, half = potential.axis(name), potential.spacing["xyz".index(name)] / 2
        ends += [points[0] - half, points[-1] + half]
    image = axes.imshow(values, origin="lower", extent=ends, cmap=COLOURS, vmin=-most, vmax=most,
                        interpolation="nearest")
    axes.set(xlabel=f"{right} (nm)", ylabel=f"{up} (nm)", title=f"{axis} = {where:.3g} nm")
    axes.figure.colorbar(image, ax=axes, label="electrostatic potential (V)", extend="both")
    return image


def draw_profile(axes, potential):
    axes.plot(potential.profile("z") * potential.volt, potential.z, color="black", linewidth=1.5)
    axes.set(xlabel="mean over x and y (V)", ylabel="z (nm)", title="along z")
    axes.grid(alpha=0.25)


def draw(potential, output, axis="y", at=None, most=None):
    if most is not None and not most > 0:
        raise Error(f"--most={most:g}: the end of the scale of colours must be above 0")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), constrained_layout=True,
                                         gridspec_kw={"width_ratios": [2, 1]})
    draw_slice(left, potential, axis, at, most)
    draw_profile(right, potential)
    about = potential.about
    figure.suptitle(f"{os.path.basename(potential.path)}: method {about['method']}, "
                    f"{about['boundary']}, frames: {about['frames']}"
                    if "method" in about else os.path.basename(potential.path))
    figure.savefig(output, dpi=150)
