"""The files of Lamella as numpy arrays with units.

    import lamella

    energies = lamella.Energies("dopc")             # dopc.csv
    print(energies["potential"].mean(), energies.units["potential"])

    trajectory = lamella.Trajectory("dopc")         # dopc.h5md and dopc.psf
    for frame in trajectory[::10]:                  # frames are read when they are used
        print(frame.time, frame.position[:, 2].std(), trajectory.units["position"])
    universe = trajectory.universe()                # of MDAnalysis

    results = lamella.Observables("dopc")           # dopc.observables.h5
    area = results["membrane"]["membrane"]["area"]
    print(area.values, area.errors, area.unit)

    state = lamella.State("dopc.checkpoint.h5")
    print(state.position, state.units["position"], state.time)

    potential = lamella.Map("dopc.map.h5")          # of lamella map; .dx too
    print(potential.z, potential.profile("z"), potential.unit)

The module reads what the program wrote. It computes nothing that the program computes. A file that is
missing, damaged or of another kind raises lamella.Error.
"""
from . import packages

with packages.needed():
    from .energies import Energies
    from .files import Error
    from .maps import Map
    from .observables import Column, Observable, Observables, Table
    from .state import State
    from .trajectory import Frame, FrameObservable, FrameTable, Trajectory

__all__ = ["Column", "Energies", "Error", "Frame", "FrameObservable", "FrameTable", "Map", "Observable",
           "Observables", "State", "Table", "Trajectory"]
