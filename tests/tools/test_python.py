#!/usr/bin/env python3
"""The Python module lamella on the files of a short run, against h5py, csv and MDAnalysis; and what it
says of files that are missing, damaged or of another kind."""
import csv
import functools
import os
import shutil
import sys
import tempfile

from run_lamella import Checks, read, skip, write

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

checks = Checks()
says = functools.partial(checks.raises, lamella.Error)
work = tempfile.TemporaryDirectory(prefix="test_python.")
os.chdir(work.name)
START = trial.membrane(".")
RUN = {"input": START, "run.steps": 40, "run.dt": 0.005, "output.frames_every": 10,
       "output.energies_every": 5, "output.velocities": 1, "thermostat.type": "langevin"}
trial.simulate(".", "a", RUN)
made_observables.write("a")


def equal(what, a, b):
    checks.true(what, np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f"))


def states():
    state = lamella.State("a.checkpoint.h5")
    with h5py.File("a.checkpoint.h5", "r") as raw:
        box = raw["system/box"][:]
        fraction = (raw["beads/position"][:].astype(np.int64) % 2**32) * 2.0**-32
        equal("positions", state.position, fraction * box)
        for name in ("momentum", "orientation", "angular_momentum", "image", "type", "molecule"):
            equal(name, getattr(state, name), raw["beads/" + name][:])
            checks.true("unit of " + name, state.units[name] == raw["beads/" + name].attrs["unit"].decode())
        equal("any dataset", state["counters/builds"], raw["counters/builds"][:])
        checks.true("its unit", state.units["system/time"] == "ps" and state.units["position"] == "nm")
        checks.true("step and time", (state.step, state.time, state.n, len(state))
                    == (40, raw["system/time"][0], len(fraction), len(fraction)))
    checks.true("program", state.program.startswith("lamella 0") and state.git and state.kernel)
    checks.true("history", len(state.history) == 1 and state.history[0].startswith("job 1: "))
    checks.true("input", state.input == START and "steps: 40" in state.run_text)
    field = state.forcefield
    checks.true("force field", field.name == "elba" and field.types[:2] == ["W", "C"]
                and field.molecules["DOPC"][:3] == ["C", "P", "G"] and len(field.references) > 10)
    with lamella.Trajectory("a") as trajectory:
        equal("names as in the PSF", state.names, trajectory.names)
        equal("residues as in the PSF", state.residues, trajectory.residues)


def trajectories():
    trajectory = lamella.Trajectory("a")
    checks.true("frames", len(trajectory) == 5 and list(trajectory.steps) == [0, 10, 20, 30, 40])
    checks.true("elements", set(trajectory.elements) == {"position", "image", "velocity", "dipole"})
    checks.true("constants", {"species", "mass", "charge"} <= set(trajectory.constants))
    checks.true("units", (trajectory.units["position"], trajectory.units["velocity"],
                          trajectory.units["dipole"], trajectory.units["times"], trajectory.units["box"])
                == ("nm", "nm ps-1", "e nm", "ps", "nm"), trajectory.units)
    with h5py.File("a.h5md", "r") as raw:
        group = raw["particles/trajectory"]
        for k, frame in enumerate(trajectory):
            for name in trajectory.elements:
                equal(f"{name} of frame {k}", getattr(frame, name), group[name + "/value"][k])
            equal(f"box of frame {k}", frame.box, group["box/edges/value"][k].diagonal())
            checks.true(f"time of frame {k}", frame.time == group["position/time"][k])
        equal("bonds", trajectory.bonds, raw["connectivity/bonds"][:])
        equal("bonds of the PSF", np.sort(trajectory.topology.bonds, axis=0),
              np.sort(raw["connectivity/bonds"][:], axis=0))
        equal("mass", trajectory.mass, group["mass"][:])
        equal("charge", trajectory.charge, group["charge"][:])
    checks.true("slices", [f.step for f in trajectory[1::2]] == [10, 30] and trajectory[-1].step == 40
                and [f.index for f in trajectory[::-2][1:]] == [2, 0] and trajectory[2:][0].step == 20)
    state, last = lamella.State("a.checkpoint.h5"), trajectory[-1]
    checks.true("the last frame is the checkpoint", abs(last.position - state.position).max() < 1e-6)
    whole = state.position + state.image * state.box
    checks.true("unwrapped", abs(last.unwrapped - whole).max() < 1e-5)
    i, j = trajectory.bonds.T
    lengths = np.linalg.norm(last.unwrapped[i] - last.unwrapped[j], axis=1)
    checks.true("molecules are whole", lengths.max() < 1, lengths.max())
    says("a frame without forces", lambda: trajectory.element("force"), "a.h5md", "force/value")
    try:
        last.force
        checks.true("no forces", False)
    except AttributeError as why:
        checks.true("no forces", "position" in str(why), why)
    try:
        trajectory[5]
        checks.true("no frame 5", False)
    except IndexError:
        pass


def selections():
    """Frames with some of the beads, along continuous paths, with forces, electrons and leaflets."""
    trial.simulate(".", "s", {**RUN, "output.frames_select": "DOPE,DOPC", "output.forces": 1,
                              "output.frames_positions": "unwrapped"})
    trajectory, state = lamella.Trajectory("s"), lamella.State("s.checkpoint.h5")
    chosen, last = np.isin(state.residues, ["DOPC", "DOPE"]), trajectory[-1]
    equal("ids", trajectory.id, np.flatnonzero(chosen) + 1)
    equal("names", trajectory.names, state.names[chosen])
    electrons = state.forcefield.data["types"]
    equal("electrons", trajectory.electrons, [float(electrons[t]["electrons"]) for t in trajectory.names])
    checks.true("unit of forces", trajectory.units["force"] == "kJ mol-1 nm-1"
                and last.force.shape == (chosen.sum(), 3) and abs(last.force).max() > 1)
    whole = (state.position + state.image * state.box)[chosen]
    checks.true("unwrapped", trajectory.positions == "unwrapped"
                and abs(last.unwrapped - whole).max() < 1e-5)
    i, j = trajectory.bonds.T
    checks.true("bonds of a selection", len(i) == 14 * chosen.sum() // 15
                and np.linalg.norm(whole[i] - whole[j], axis=1).max() < 1)
    equal("leaflets", trajectory.leaflet, np.where(trajectory.residues == "DOPC", 1, -1))
    try:
        universe = trajectory.universe(unwrapped=True)
    except lamella.Error as why:
        print(why)
        return
    universe.trajectory[-1]
    checks.true("positions of the universe", abs(universe.atoms.positions - 10 * whole).max() < 1e-3)
    equal("electrons of atoms", universe.atoms.electrons, trajectory.electrons)
    checks.true("leaflets of atoms", all(
        len(universe.select_atoms(f"leaflet {k}")) == (trajectory.leaflet == k).sum() for k in (1, -1)))


def universes():
    try:
        import MDAnalysis  # noqa: F401
    except ImportError:
        print("no MDAnalysis: Trajectory.universe is not tried")
        return
    trajectory = lamella.Trajectory("a")
    universe = trajectory.universe()
    checks.true("frames of the universe", len(universe.trajectory) == 5)
    checks.close("its interval", universe.trajectory.dt, 0.05, 1e-9)
    for frame, ours in zip(universe.trajectory, trajectory):
        checks.true("positions in Angstrom", abs(frame.positions - 10 * ours.position).max() < 1e-4)
        checks.true("box in Angstrom", abs(frame.dimensions[:3] - 10 * ours.box).max() < 1e-4)
    equal("residues", universe.atoms.resnames, trajectory.residues)
    equal("types", universe.atoms.types, trajectory.names)
    checks.true("bonds", len(universe.bonds) == len(trajectory.bonds))
    whole = trajectory.universe(unwrapped=True)
    whole.trajectory[-1]
    checks.true("unwrapped", abs(whole.atoms.positions - 10 * trajectory[-1].unwrapped).max() < 1e-3)
    checks.true("bonds are short", whole.bonds.values().max() < 10)


def energies():
    found = lamella.Energies("a")
    with open("a.csv") as file:
        rows = list(csv.DictReader(file))
    checks.true("lines", len(found) == len(rows) == 9 and list(found.step) == list(range(0, 41, 5)))
    for name in found.columns:
        equal("column " + name, found[name], [float(row[name]) for row in rows])
    for name, unit in (("potential", "kJ mol-1"), ("lj", "kJ mol-1"), ("pxx_bar", "bar"), ("lz_nm", "nm"),
                       ("temperature_rotation_K", "K"), ("volume_nm3", "nm3"), ("time_ps", "ps"),
                       ("area_per_lipid_nm2", "nm2"), ("builds", "1")):
        checks.true("unit of " + name, found.units[name] == unit, found.units[name])
    for name, unit in ("depth_nm", "nm"), ("lean_deg", "deg"), ("bound_contacts", "1"), ("missed_force", "kJ mol-1 nm-1"):
        checks.true("unit of " + name, lamella.energies.unit_of(name) == unit)
    text = read("a.csv")
    write("cut.csv", text[:-20])
    checks.true("a line that is being written", len(lamella.Energies("cut")) == 8)
    write("head.csv", text.splitlines()[0] + "\n")
    checks.true("no lines yet", len(lamella.Energies("head")) == 0)
    write("short.csv", text.replace("\n5,", "\n5,1\n", 1))
    says("a short line", lambda: lamella.Energies("short"), "short.csv:3", "2 values")
    write("word.csv", text.replace("\n5,", "\n5x,", 1))
    says("a word", lambda: lamella.Energies("word"), "word.csv", "not a number")
    write("other.csv", "a,b\n1,2\n")
    says("another table", lambda: lamella.Energies("other.csv"), "other.csv", "not the energies")
    says("no column", lambda: found["heat"], "'heat'", "potential")


def observables():
    found = lamella.Observables("a")
    seen = 0
    with h5py.File("a.observables.h5", "r") as raw:
        checks.true("all observables", set(found) == set(raw) and len(found) == 11)
        for name, observable in found.items():
            group = raw[name]
            checks.true(name + ": attributes", all(
                getattr(observable, mine) == group.attrs[theirs] for mine, theirs in
                (("kind", "kind"), ("every", "every"), ("first", "from"), ("samples", "samples"),
                 ("first_step", "first_step"), ("last_step", "last_step"), ("interval", "interval"),
                 ("options", "options"))))
            checks.true(name + ": tables", set(observable) == set(group))
            for table in observable.values():
                data, seen = group[table.name], seen + len(table)
                for column in table.values():
                    for mine, end in ((column.values, ""), (column.errors, "_error"),
                                      (column.times, "_time")):
                        equal(f"{name} {column.name}{end}", mine, data[column.name + end][:])
                    checks.true("unit", table.units[column.name] == column.unit
                                == data[column.name].attrs["unit"])
                if table.labels is None:
                    equal("axis", table.axis, data["axis"][:])
                else:
                    equal("labels", [label.encode() for label in table.labels], data["label"][:])
    checks.true("columns", seen > 60, seen)
    density = found["density"]["density"]
    checks.true("axis", (density.axis_name, density.axis_unit, density.units["axis"]) == ("z", "nm", "nm"))
    checks.true("an error column is no column", "electrons" in density and "electrons_error" not in density)
    checks.true("a name that ends like one", "time_first" in found["rotation"]["relaxation"])
    checks.true("membership", "membrane" in found and "heat" not in found
                and found.get("heat") is None)
    says("no observable", lambda: found["heat"], "'heat'", "membrane")
    says("no table", lambda: found["order"]["atoms"], "'atoms'", "bonds, dipoles, molecules")
    says("no column", lambda: found["membrane"]["membrane"]["width"], "'width'", "area")


def wrong_files():
    for kind, ending in ((lamella.State, ".h5"), (lamella.Trajectory, ".h5md"),
                         (lamella.Observables, ".observables.h5"), (lamella.Energies, ".csv")):
        says(f"{kind.__name__}: no file", lambda: kind("nothing"), "nothing" + ending, "no such file")
    write("text.h5", "format: 1\n")
    says("no HDF5", lambda: lamella.State("text.h5"), "text.h5", "not an HDF5 file")
    says("not a state", lambda: lamella.State("a.h5md"), "lamella state", "H5MD")
    says("not a state either", lambda: lamella.State("a.observables.h5"), "'lamella observables'")
    says("not a trajectory", lambda: lamella.Trajectory("a.checkpoint.h5"), "'lamella state'")
    says("not observables", lambda: lamella.Observables("a.checkpoint.h5"), "'lamella state'")
    h5py.File("another.h5", "w").close()
    says("HDF5 of another program", lambda: lamella.State("another.h5"), "another.h5: not a file of the kind 'lamella state'")
    shutil.copy("a.checkpoint.h5", "new.h5")
    with h5py.File("new.h5", "r+") as file:
        file.attrs["format_version"] = 7
    says("a newer format", lambda: lamella.State("new.h5"), "format 7", "lamella 0", "up to 3")
    shutil.copy("a.checkpoint.h5", "half.h5")
    with h5py.File("half.h5", "r+") as file:
        file.attrs["complete"] = 0
        del file["beads/momentum"]
    says("an incomplete state", lambda: lamella.State("half.h5"), "half.h5", "not written to its end")
    with h5py.File("half.h5", "r+") as file:
        file.attrs["complete"] = 1
    says("no momenta", lambda: lamella.State("half.h5").momentum, "half.h5", "'beads/momentum'")
    with open("a.h5md", "rb") as file, open("cut.h5md", "wb") as cut:
        cut.write(file.read(2000))
    says("a truncated file", lambda: lamella.Trajectory("cut"), "cut.h5md")
    shutil.copy("a.h5md", "alone.h5md")
    says("no PSF", lambda: lamella.Trajectory("alone").names, "alone.psf", "no such file")
    write("alone.psf", "PSF\n 3 !NATOM\n 1 A 1\n")
    says("a damaged PSF", lambda: lamella.Trajectory("alone").names, "alone.psf", "cut short")
    lines = read("a.psf").splitlines(True)
    write("alone.psf", "".join(lines[:5]) + "         1 !NATOM\n" + lines[6] + " 0 !NBOND\n")
    says("another PSF", lambda: lamella.Trajectory("alone").names, "alone.psf", "1")


states()
trajectories()
selections()
universes()
energies()
observables()
wrong_files()
checks.end()
