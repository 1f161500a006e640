"""lamella-exchange: the exchanges of replicas (PREFIX.exchange.csv), and lines and frames of replicas by rung.

    exchange = lamella.Exchange("remd")             # remd.exchange.csv, replica-1/remd.csv, replica-1/remd.h5md, ...
    print(exchange.tried, exchange.accepted, exchange.round_trips)
    for replica, frame in exchange.frames(1):       # of the first rung, at ascending steps
        print(frame.step, replica, frame.position.mean())

Rungs and replicas count from 1. What is written at the step of an exchange is of the rung before it.
"""
import argparse
import os

import numpy as np

from . import files
from .energies import Energies
from .trajectory import Trajectory

ENDING = ".exchange.csv"


class Exchange:
    """step, time [lines]: of the lines of the file; rung [lines, n]: of each replica from that step on; chance
    [lines, n - 1]: with which rungs k and k + 1 were to be exchanged, nan where that was not tried."""

    def __init__(self, prefix):
        prefix = os.fspath(prefix)
        self.prefix = prefix[:-len(ENDING)] if prefix.endswith(ENDING) else prefix
        self.path = files.find(self.prefix, ENDING)
        lines = files.read_text(self.path).split("\n")[:-1]  # without one that is being written
        head = lines[0].split(",") if lines else []
        self.n = sum(name.startswith("replica_") for name in head)
        if head[:2] != ["step", "time_ps"] or len(head) != 1 + 2 * self.n or len(lines) < 2:
            raise files.Unusable(f"{self.path}: not the exchanges of replicas")
        try:
            table = np.array([[float(word or "nan") for word in line.split(",")] for line in lines[1:]])
        except ValueError as why:
            raise files.Unusable(f"{self.path}: something in it is not a number: {why}") from None
        if table.ndim != 2 or table.shape[1] != len(head) or not (np.sort(table[:, 2:2 + self.n]) == 1 + np.arange(self.n)).all():
            raise files.Unusable(f"{self.path}: a line of it does not give each replica a rung")
        self.step, self.time = table[:, 0].astype(np.int64), table[:, 1]
        self.rung, self.chance = table[:, 2:2 + self.n].astype(int), table[:, 2 + self.n:]

    @property
    def tried(self):
        """[n - 1]: how often rungs k and k + 1 were to be exchanged."""
        return (~np.isnan(self.chance)).sum(0)

    @property
    def accepted(self):
        """[n - 1]: how often they were."""
        before, after = np.argsort(self.rung[:-1]), np.argsort(self.rung[1:])
        return (~np.isnan(self.chance[1:]) & (before[:, :-1] != after[:, :-1]) & (before[:, 1:] == after[:, :-1])).sum(0)

    @property
    def round_trips(self):
        """[n]: how often each replica has come from the first rung to the last and back."""
        trips = []
        for rung in self.rung.T:
            ends = rung[(rung == 1) | (rung == self.n)]
            comes = (ends == 1) & np.concatenate([[True], np.diff(ends) != 0])[:len(ends)]  # to the first rung
            trips.append(max(0, comes.sum() - 1))
        return np.array(trips)

    def rungs(self, replica, steps):
        """Of which rungs what a replica has written at steps is."""
        line = np.searchsorted(self.step, steps, side="left") - 1
        return self.rung[np.maximum(line, 0), replica - 1]

    def name(self, replica):
        """The prefix of a replica."""
        folder, name = os.path.split(self.prefix)
        return os.path.join(folder, f"replica-{replica}", name)

    def lines(self, rung, ending=".csv"):
        """The lines of PREFIX.csv, or of PREFIX.coordinates.csv, of a rung: columns by name, at ascending steps."""
        parts = []
        for replica in range(1, self.n + 1):
            table = Energies(self.name(replica) + ending)
            keep = self.rungs(replica, table.step) == rung
            parts.append({"replica": np.full(keep.sum(), replica), **{name: table[name][keep] for name in table.columns}})
        order = np.argsort(np.concatenate([part["step"] for part in parts]), kind="stable")
        return {name: np.concatenate([part[name] for part in parts])[order] for name in ["step", "time_ps", "replica", *parts[0]]}

    def frames(self, rung):
        """The frames of a rung, at ascending steps, each with the number of its replica."""
        trajectory = [Trajectory(self.name(replica)) for replica in range(1, self.n + 1)]
        found = [(step, replica, k) for replica, of in enumerate(trajectory, 1)
                 for k, (step, at) in enumerate(zip(of.steps, self.rungs(replica, of.steps))) if at == rung]
        try:
            for _, replica, k in sorted(found):
                yield replica, trajectory[replica - 1][k]
        finally:
            for of in trajectory:
                of.close()


def write_lines(exchange, ending):
    """Writes PREFIX.rung-R and the ending for each rung; their names."""
    paths = []
    for rung in range(1, exchange.n + 1):
        table = exchange.lines(rung, ending)
        paths.append(f"{exchange.prefix}.rung-{rung}{ending}")
        rows = (",".join(f"{value:.12g}" for value in row) for row in zip(*table.values()))
        files.write_text(paths[-1], "\n".join([",".join(table), *rows]) + "\n")
    return paths


def main():
    parser = argparse.ArgumentParser(prog="lamella-exchange", description=__doc__.partition(":\n")[0].split("\n\n")[0])
    parser.add_argument("prefix", metavar="PREFIX", help="prefix of the run, as its run file gives it, or PREFIX.exchange.csv")
    parser.add_argument("--sort", action="store_true", help="write the lines of PREFIX.csv and PREFIX.coordinates.csv of all "
                        "replicas by rung: PREFIX.rung-R.csv, PREFIX.rung-R.coordinates.csv")
    given = parser.parse_args()
    exchange = Exchange(given.prefix)
    print(f"{exchange.n} replicas, steps {exchange.step[0]} to {exchange.step[-1]}")
    for k, (tried, accepted, chance) in enumerate(zip(exchange.tried, exchange.accepted, exchange.chance.T), 1):
        rate = f"{100 * accepted / tried:.1f} %, {100 * np.nanmean(chance):.1f} % expected" if tried else "-"
        print(f"rungs {k} and {k + 1}: {accepted} of {tried} accepted, {rate}")
    for replica, trips in enumerate(exchange.round_trips, 1):
        share = np.bincount(exchange.rung[:, replica - 1], minlength=exchange.n + 1)[1:] / len(exchange.step)
        print(f"replica {replica}: {trips} round trips; share of rungs " + " ".join(f"{part:.3f}" for part in share))
    for ending in (".csv", ".coordinates.csv") if given.sort else ():
        if os.path.exists(exchange.name(1) + ending):
            for path in write_lines(exchange, ending):
                print("written", os.path.relpath(path))
