#!/usr/bin/env python3
"""Files of lamella map read by the class Map of the Python module, by h5py and, where it is installed,
by gridData; pictures of a slice; and the profile of the method full against that of the observable
`potential`."""
import functools
import os
import subprocess
import sys
import tempfile

from run_lamella import Checks, read, run, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import lamella
    import trial
    from lamella import map_picture
except ImportError as missing:
    skip(missing)
try:
    from gridData import Grid
except ImportError:
    Grid = None

checks = Checks()
says = functools.partial(checks.raises, lamella.Error)
work = tempfile.TemporaryDirectory(prefix="test_map_class.")
os.chdir(work.name)
VOLT = 1 / 96.48533212
CHARGES = [(0, 0, 0, 1), (9, 4, 6, -1.5), (3, 8, 12, 0.7)]  # angstrom, e
with open("a.pqr", "w") as file:
    for k, (x, y, z, q) in enumerate(CHARGES):
        print("ATOM", k + 1, "N", "ION", k + 1, x, y, z, q, 1.0, file=file)
BOX = ["--low=-0.4,-0.5,-0.6", "--high=0.6,0.7,0.9", "--spacing=0.1", "--method=direct",
       "--precision=double"]


def close(what, got, want, relative):
    error = np.max(np.abs(got - want) / np.maximum(np.abs(want), 1e-6))
    checks.true(what, np.shape(got) == np.shape(want) and error <= relative, "off by", error)


def both_files():
    run("map", "a.pqr", "-o", "a.h5", *BOX)
    run("map", "a.pqr", "-o", "a.dx", *BOX, ranks=3)
    h5, dx = lamella.Map("a.h5"), lamella.Map("a.dx")
    with h5py.File("a.h5", "r") as raw:
        checks.true("values are those of the file", np.array_equal(h5.values, raw["potential"][:]))
        checks.true("unit", raw["potential"].attrs["unit"] == b"kJ/mol/e" and h5.unit == "kJ/mol/e")
        checks.true("attributes", raw.attrs["method"] == b"direct" and h5.about["method"] == "direct"
                    and raw.attrs["format"] == b"lamella map" and raw.attrs["format_version"] == 1
                    and abs(raw.attrs["volt_per_unit"] - VOLT) < 1e-15 and raw.attrs["frames"] == 1
                    and raw.attrs["boundary"] == b"open" and raw.attrs["precision"] == b"double")
    checks.true("points", h5.n == dx.n == (11, 13, 16), h5.n, dx.n)
    for name, low in zip("xyz", (-0.4, -0.5, -0.6)):
        for each in (h5, dx):
            close(f"axis {name}", each.axis(name), low + 0.1 * np.arange(len(each.axis(name))), 1e-6)
    checks.true("units", h5.units["values"] == "kJ/mol/e" and dx.units["values"] == "V"
                and dx.units["x"] == "nm" and h5.volt == VOLT and dx.volt == 1)
    close("OpenDX is HDF5 in volt", dx.values, h5.values * h5.volt, 1e-6)
    x, y, z = np.meshgrid(h5.x, h5.y, h5.z, indexing="ij")
    wanted = sum(138.93545764 * q / np.sqrt((x - a / 10)**2 + (y - b / 10)**2 + (z - c / 10)**2 + 1e-300)
                 for a, b, c, q in CHARGES)
    far = np.abs(wanted) < 1e4
    close("which axis is which", h5.values.transpose()[far], wanted[far], 1e-6)
    checks.true("profiles", np.allclose(h5.profile("x"), h5.values.mean(axis=(0, 1)))
                and np.allclose(h5.profile("z"), h5.values.mean(axis=(1, 2))))
    where, plane = h5.slice("y", 0.21)
    checks.true("slice", abs(where - 0.2) < 1e-9 and np.array_equal(plane, h5.values[:, 7, :]))
    checks.true("no deviation", h5.deviation is None and dx.deviation is None)
    return dx


def grid_data(dx):
    if Grid is None:
        print("gridData is not installed: OpenDX is not read by it")
        return
    grid = Grid("a.dx")
    close("gridData: values", grid.grid, dx.values.transpose(), 1e-12)
    close("gridData: origin", grid.origin, dx.origin * 10, 1e-6)
    close("gridData: spacing", grid.delta, dx.spacing * 10, 1e-6)


def errors():
    says("no such file", lambda: lamella.Map("none.h5"), "no such file")
    says("no map", lambda: lamella.Map(start), "lamella map", "lamella state")
    says("an axis", lambda: lamella.Map("a.h5").profile("w"), "not 'w'")
    says("outside", lambda: lamella.Map("a.h5").slice("x", 5), "outside")
    text = read("a.dx")
    for what, changed in (("half", text[:len(text) // 2]), ("a word", text.replace("\n0", "\n?", 1)),
                          ("head", text.replace("counts 11", "counts 12", 1)), ("empty", "")):
        write("broken.dx", changed)
        if changed != text:
            says("damaged OpenDX: " + what, lambda: lamella.Map("broken.dx"), "broken.dx")
    with open("a.h5", "rb") as file:
        whole = file.read()
    with open("broken.h5", "wb") as file:
        file.write(whole[:len(whole) // 2])
    says("half of an HDF5 file", lambda: lamella.Map("broken.h5"), "broken.h5")


def pictures():
    potential = lamella.Map("a.h5")
    figure, axes = map_picture.plt.subplots()
    image = map_picture.draw_slice(axes, potential, "z", 0.3, 2.0)
    close("what is drawn", np.asarray(image.get_array()), potential.values[9] * VOLT, 1e-12)
    checks.true("limits", image.get_clim() == (-2.0, 2.0)
                and np.allclose(image.get_extent(), (-0.45, 0.65, -0.55, 0.75)), image.get_extent())
    checks.true("labels", axes.get_xlabel() == "x (nm)" and axes.get_ylabel() == "y (nm)"
                and "V" in image.colorbar.ax.get_ylabel())
    tool = os.path.join(os.environ["top_srcdir"], "tools", "picture.py")
    for words in (["a.h5"], ["a.dx", "-o", "b.png", "--axis=x", "--at=0.1", "--most=1"]):
        done = subprocess.run([sys.executable, tool, *words], capture_output=True, text=True)
        checks.true("lamella-picture", done.returncode == 0, done.stderr)
    for picture in ("a.png", "b.png"):
        with open(picture, "rb") as file:
            checks.true(picture, file.read(8) == b"\x89PNG\r\n\x1a\n")
    done = subprocess.run([sys.executable, tool, "a.h5", "--at=9"], capture_output=True, text=True)
    checks.true("outside", done.returncode == 2 and "outside" in done.stderr, done.stderr)


def smoothed(values, sigma, step):
    """A periodic function of many bins convolved with a Gaussian."""
    wave = 2 * np.pi * np.fft.rfftfreq(len(values), step)
    return np.fft.irfft(np.fft.rfft(values) * np.exp(-(wave * sigma)**2 / 2), len(values))


def profile(start):
    """Method full against the observable `potential` in one frame. The observable integrates from the
    lower end of the box, with z from the centre of the bilayer: its potential has another constant, and
    rises over the box by 4 pi C times dipole moment over area, which periodic boundaries take away.
    Sources are sharp there (narrow bins), and Gaussians of one spacing in the map."""
    trial.simulate(".", "m", {"input": start, "run.steps": 10, "run.dt": 0.005, "run.seed": 18,
                              "output.frames_every": 10, "thermostat.type": "langevin"})
    write("m.observe.yaml", "observe:\n  - potential: {bins: 4000, every: 1}\n")
    run("analyze", "m.h5md", "m.observe.yaml", "--output=m.analysis", "--first=2", "--last=2")
    run("map", "m.h5md", "--method=full", "--precision=double", "--spacing=0.05", "--first=2",
        "--last=2", "-o", "full.h5", ranks=2)
    full = lamella.Map("full.h5")
    table = lamella.Observables("m.analysis")["potential"]["potential"]
    edge, bins = full.about["box"][2], len(table.axis)
    psi = table["potential"].values / VOLT
    # The rise, from the profiles of charge and polarisation; at the middles of bins it is that up to each.
    charge, polarisation = table["charge"].values, table["polarisation"].values
    step = edge / bins
    z = (np.arange(bins) + 0.5) * step
    rise = 4 * np.pi * 138.93545764 * step * np.sum(charge * (z - edge) + polarisation)
    wanted = smoothed(psi - rise * z / edge, full.spacing.max(), step)
    got = full.profile("z") - full.profile("z").mean()
    best = None
    for shift in range(bins):  # where the centre of the bilayer is
        there = np.interp(full.z, z, np.roll(wanted, shift), period=edge)
        error = np.abs(got - (there - there.mean())).max()
        best = error if best is None else min(best, error)
    most = np.ptp(got)
    print(f"profile of full: differs by {best:.3g} of {most:.3g} kJ/mol/e; rise {rise:.3g}")
    checks.true("profile of full and of the observable", best < 0.005 * most, best, most)
    # Three times what is allowed: a profile that still had it would not agree. run.seed makes it so large.
    checks.true("the rise is not small", abs(rise) > 0.015 * most, rise, most)


grid_data(both_files())
start = trial.membrane(".")
errors()
pictures()
profile(start)
checks.end()
