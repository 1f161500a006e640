#!/usr/bin/env python3
"""Results of the module lamella: arrays with units, tables for pandas, plots with error bands, and what is printed of them, against
h5py and csv."""
import os
import pickle
import shutil
import sys
import tempfile
import types

from run_lamella import Checks, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import yaml  # noqa: F401
    import lamella
    import made_observables
    import trial
except ImportError as missing:
    skip(missing)
try:
    import matplotlib
    matplotlib.use("Agg")
except ImportError:
    matplotlib = None

checks = Checks()
work = tempfile.TemporaryDirectory(prefix="test_python_results.")
os.chdir(work.name)
START = trial.membrane(".")
trial.simulate(".", "a", {"input": START, "run.steps": 60, "run.dt": 0.005, "output.frames_every": 20, "output.energies_every": 2,
                          "output.velocities": 1, "thermostat.type": "langevin"})
made_observables.write("a")
run = lamella.Run("a")


def arrays():
    x = run.energies["potential"]
    checks.true("name and unit", (x.name, x.unit, len(x)) == ("potential", "kJ mol-1", 31))
    checks.true("slices and copies keep them", all((y.name, y.unit) == (x.name, x.unit) for y in (x[3:], x.copy(), x[x > x.mean()], x[::-1])))
    for made in (2 * x, x - x, x.mean(), np.sqrt(-x), x > 0, np.add.reduce(x), x @ x):
        checks.true("what is computed has none", not hasattr(made, "unit"), repr(made))
    y = x.copy()
    y -= x.mean()
    checks.true("in place", type(y) is lamella.Array and abs(y.sum()) < 1e-6 * abs(x).sum() and y[0] == x[0] - x.mean())
    z = pickle.loads(pickle.dumps(x))
    checks.true("pickled", (z == x).all() and (z.name, z.unit) == (x.name, x.unit))
    checks.true("printed", repr(x[:1]) == f"potential (kJ mol-1): array([{float(x[0])!r}])", repr(x[:1]))
    frame, state, area = run.trajectory[1], run.state, run.observables["membrane"]["membrane"]["area"]
    for array, unit in ((frame.position, "nm"), (frame.velocity, "nm ps-1"), (frame.box, "nm"), (frame.vectors, "nm"), (frame.unwrapped, "nm"),
                        (run.trajectory.charge, "e"), (state.position, "nm"), (state.momentum, state.units["momentum"]), (state.vectors, "nm"),
                        (area.values, "nm2"), (area.errors, "nm2"), (area.times, "ps"), (run.observables["density"]["density"].axis, "nm")):
        checks.true(f"unit of {array.name}", array.unit == unit and array.name, array.unit)


def frames_of_pandas():
    """pandas itself where it is installed, else what it would be given."""
    try:
        import pandas
    except ImportError:
        checks.raises(lamella.Error, "without pandas", run.energies.to_dataframe, "pandas", "Install with")
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = lambda columns: types.SimpleNamespace(columns=list(columns), attrs={}, index=range(len(next(iter(columns.values())))),
                                                                 data=columns, **{"__getitem__": columns.get})
        pandas.Index = lambda values, name: types.SimpleNamespace(values=values, name=name)
        sys.modules["pandas"] = pandas

    def column(table, name):
        return np.asarray(table.data[name] if hasattr(table, "data") else table[name])

    table = run.energies.to_dataframe()
    checks.true("energies", list(table.columns) == run.energies.columns and table.attrs["units"]["pxx_bar"] == "bar"
                and (column(table, "lj") == run.energies["lj"]).all() and table.index.name == "time_ps")
    density = run.observables["density"]["density"]
    table = density.to_dataframe()
    with h5py.File("a.observables.h5", "r") as raw:
        group = raw["density/density"]
        for name in ("electrons", "electrons_error"):
            checks.true("column " + name, np.array_equal(column(table, name), group[name][:], equal_nan=True))
        checks.true("its index", table.index.name == "z" and np.array_equal(np.asarray(table.index.values), group["axis"][:]))
        labels = run.observables["order"]["bonds"].to_dataframe().index
        checks.true("labels", [label.encode() for label in labels.values] == list(raw["order/bonds/label"][:]) and labels.name == "label")
    checks.true("units", table.attrs["units"]["electrons_error"] == "nm-3" and table.attrs["units"]["axis"] == "nm", table.attrs)
    frame = run.trajectory[1]
    table = frame.to_dataframe()
    checks.true("beads of a frame", list(table.columns) == ["name", "type_name", "residue", "molecule", "dipole_x", "dipole_y", "dipole_z",
                                                            "image_x", "image_y", "image_z", "x", "y", "z", "velocity_x", "velocity_y",
                                                            "velocity_z"], list(table.columns))
    checks.true("their places", (column(table, "y") == frame.position[:, 1]).all() and (column(table, "residue") == run.trajectory.residues).all()
                and (column(table, "velocity_z") == frame.velocity[:, 2]).all() and table.attrs["units"]["x"] == "nm")


def band_of(axes, k=0):
    """Lower and upper edge of a band, by its vertices: there along the lower edge, back along the upper one."""
    xy = axes.collections[k].get_paths()[0].vertices
    n = (len(xy) - 3) // 2
    return xy[1:n + 1], xy[n + 2:2 * n + 2][::-1]


def plots():
    if not matplotlib:
        checks.raises(lamella.Error, "without matplotlib", run.energies.plot, "matplotlib")
        return
    density = run.observables["density"]["density"]
    with h5py.File("a.observables.h5", "r") as raw:
        group = raw["density/density"]
        x, y, error = (group[name][:] for name in ("axis", "electrons", "electrons_error"))
    axes = density.plot("electrons")
    checks.true("a curve", np.array_equal(axes.lines[0].get_xydata(), np.array([x, y]).T, equal_nan=True))
    edges, known = band_of(axes), np.nan_to_num(error)
    checks.true("its band", known.max() > 0 and all(np.allclose(edge, np.array([x, y + sign * known]).T) for edge, sign in zip(edges, (-1, 1))))
    checks.true("its labels", axes.get_xlabel() == "z (nm)" and axes.get_ylabel() == "electrons (nm⁻³)", axes.get_ylabel())
    checks.true("columns of one unit", len(density.plot().lines) == sum(unit == density.units[density.columns[0]] for name, unit
                                                                       in density.units.items() if name != "axis"))
    checks.raises(lamella.Error, "columns of two units", lambda: density.plot("electrons", "charge"), "nm-3, e nm-3")
    checks.raises(lamella.Error, "no such column", lambda: density.plot("neutrons"), "'neutrons'")
    bonds = run.observables["order"]["bonds"]
    column, axes = bonds["order"], bonds.plot("order", axes=axes)
    bars = axes.containers[0]
    checks.true("values of labels in axes that are given", np.array_equal(bars[0].get_ydata(), column.values, equal_nan=True)
                and [text.get_text() for text in axes.get_xticklabels()] == bonds.labels)
    ends = np.array([segment[:, 1] for segment in bars[2][0].get_segments()])
    checks.true("their errors", np.allclose(ends[:, 1] - ends[:, 0], 2 * np.nan_to_num(column.errors)), ends)
    axes = run.energies.plot("temperature_K", start=11)
    rows = run.energies["temperature_K"][11:]
    low, high = band_of(axes)
    found = run.energies.summary("temperature_K", 11)
    checks.true("the mean over time", np.allclose((low + high)[:, 1] / 2, rows.mean()) and low[0, 0] == run.energies.time[11]
                and np.allclose((high - low)[:, 1] / 2, found.error) and found.error > 0, low, high, rows.mean())
    checks.true("at least the error of independent lines", found.error >= 0.999 * rows.std(ddof=1) / np.sqrt(len(rows)))
    checks.raises(lamella.Error, "energies of two units", lambda: run.energies.plot("lj", "pxx_bar"), "kJ mol-1, bar")
    matplotlib.pyplot.close("all")


def printed():
    """What stands in a console and in a notebook."""
    membrane = run.observables["membrane"]["membrane"]
    for one, words in ((run, ("run a, finished", "a.h5md: 4 frames", "ns/day")), (run.energies, ("a.csv: 31 lines", "pxx_bar", "kJ mol-1")),
                       (run.state, ("step 60", "DOPC", "elba")), (run.trajectory, ("4 frames", "velocity", "nm ps-1", "0 to 0.3 ps")),
                       (run.trajectory[1:3], ("2 frames",)), (run.trajectory[2], ("frame 2", "step 40", "dipole")),
                       (run.observables, ("membrane", "density")), (run.observables["density"], ("electrons", "samples")),
                       (run.observables["density"]["density"], ("rows along z (nm)", "nm⁻³")), (membrane, ("area", "nm²")),
                       (membrane["area"], ("area: ", "nm²"))):
        text, html = repr(one), one._repr_html_()
        checks.true(f"printed: {type(one).__name__}", all(word in text and word in html for word in words), text, html)
        checks.true("HTML is closed", all(html.count("<" + tag) == html.count("</" + tag) for tag in ("div", "table", "tr>", "td", "th")))
    shutil.copy("a.observables.h5", "odd.observables.h5")
    with h5py.File("odd.observables.h5", "r+") as raw:
        raw.move("density", "<script>\x1b[2J")
    odd = lamella.Observables("odd")
    checks.true("names that are no names", "\x1b" not in repr(odd) and "<script>\\x1b" in repr(odd) and "<script" not in odd._repr_html_())
    odd.close()
    checks.true("of a closed file", repr(odd).startswith("Observables: "), repr(odd))
    write("b.csv", "step,time_ps,potential\n")
    checks.true("of no lines", "0 lines" in repr(lamella.Energies("b")))
    checks.true("of nothing", "missing" in repr(lamella.Run("nothing")), repr(lamella.Run("nothing")))
    write("m.dx", "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\ndelta 0 1 0\ndelta 0 0 1\n"
                  "object 3 class array type double rank 0 items 8 data follows\n1 2 3 4 5 6 7 8\n")
    potential = lamella.Map("m.dx")
    checks.true("of a map", "2 x 2 x 2 points" in repr(potential) and potential.values.unit == "V" and potential.profile("z").unit == "V")
    if matplotlib:
        checks.true("its plot", np.allclose(potential.plot("z").lines[0].get_xydata(), [[0, 4], [0.1, 5]]))


arrays()
frames_of_pandas()
plots()
printed()
checks.end()
