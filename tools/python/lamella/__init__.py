"""Lamella from Python: runs of the program, and its files as arrays with units.

    import lamella

    start = lamella.build("dopc.yaml", "dopc.start.h5")
    run = lamella.run("run.yaml", steps=20000, ranks=4)     # shows its progress; run.energies and others, or
    run = lamella.Run("dopc")                               # of a run that is there

    energies = lamella.Energies("dopc")             # dopc.csv
    print(energies["potential"].mean(), energies["potential"].unit)
    energies.plot("potential")                      # with its mean and error

    trajectory = lamella.Trajectory("dopc")         # dopc.h5md and dopc.psf
    for frame in trajectory[::10]:                  # frames are read when they are used
        print(frame.time, frame.position[:, 2].std(), frame.position.unit)
    universe = trajectory.universe()                # of MDAnalysis

    results = lamella.Observables("dopc")           # dopc.observables.h5
    area = results["membrane"]["membrane"]["area"]
    print(area.values, area.errors, area.unit)
    results["density"]["density"].plot("electrons")

    state = lamella.State("dopc.checkpoint.h5")
    print(state.position, state.units["position"], state.time)

    exchange = lamella.Exchange("dopc")             # dopc.exchange.csv, and the files of replicas by rung

    potential = lamella.Map("dopc.map.h5")          # of lamella map; .dx too
    print(potential.z, potential.profile("z"), potential.unit)

The module starts the program and reads what it wrote. It computes nothing that the program computes. A file that is
missing, damaged or of another kind raises lamella.Error; a command that fails raises lamella.Failed.
"""
from . import packages

with packages.needed():
    from .arrays import Array
    from .energies import Energies
    from .exchange import Exchange
    from .files import Error
    from .maps import Map
    from .observables import Column, Observable, Observables, Table
    from .program import Failed, ProgramWarning, Progress, Stopped, analyze, build, call, find_program, import_, run
    from .results import Run
    from .state import State
    from .trajectory import Frame, FrameObservable, FrameTable, Trajectory

__all__ = ["Array", "Column", "Energies", "Error", "Exchange", "Failed", "Frame", "FrameObservable", "FrameTable", "Map", "Observable",
           "Observables", "ProgramWarning", "Progress", "Run", "State", "Stopped", "Table", "Trajectory", "analyze", "build",
           "call", "find_program", "import_", "run"]


def __getattr__(name):
    if name == "__version__":
        from .version import version
        return version()
    raise AttributeError(f"module 'lamella' has no {name}")
