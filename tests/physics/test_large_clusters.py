"""Clusters of 65 to 1024 beads from GROMACS files: lengths in the states that runs leave, the motion of a
free chain against RATTLE in numpy, conservation of energy, the same bits on any number of ranks and in two
jobs, and larger ones refused at the lines of the topology."""
import os
import tempfile

import numpy as np

import trial
from run_lamella import Checks, run, write
from test_clusters import State, check_state

HEAD = "[ defaults ]\n1 2\n[ atomtypes ]\nA 72 0 A 0 0\nW 72 0 A 0 0\n[ nonbond_params ]\n" \
       "A A 1 0.30 %g\nA W 1 0.45 %g\nW W 1 0.45 %g\n"
LENGTH = 0.38
BOX = 32.0, 3.4, 3.4


def molecule(n, pairs, sites=()):
    """A topology: pairs of beads at a distance, and sites at the centres of others."""
    built = [bead for bead, _ in sites]
    rows = ["[ moleculetype ]", "LINE 1", "[ atoms ]"]
    rows += [f"{k} A {k} ALA BB {k} 0 {0 if k in built else 72}" for k in range(1, n + 1)]
    rows += ["[ constraints ]"] + [f"{i} {j} 1 {d:.17g}" for i, j, d in pairs]
    rows += ["[ virtual_sitesn ]"] + [f"{s[0]} 1 " + " ".join(map(str, s[1])) for s in sites] if sites else []
    return "\n".join(rows) + "\n"


def put(folder, name, itp, x, box, water=(), strength=2.0, count=1):
    """Writes NAME.itp, NAME.top, which includes it, and NAME.gro."""
    text = HEAD % ((strength,) * 3) + f'#include "{name}.itp"\n[ moleculetype ]\nW 1\n[ atoms ]\n1 W 1 W W 1 0\n' \
        f"[ system ]\nx\n[ molecules ]\nLINE {count}\n" + (f"W {len(water)}\n" if len(water) else "")
    rng = np.random.default_rng(5)
    rows = ["%5d%-5s%5s%5d" % (k % 99999 + 1, "ALA" if k < len(x) else "W", "BB" if k < len(x) else "W",
                               k % 99999 + 1) + "%13.8f%13.8f%13.8f" % tuple(r) + "%13.9f%13.9f%13.9f" % tuple(v)
            for k, (r, v) in enumerate(zip([*x, *water], rng.normal(0, 0.18, (len(x) + len(water), 3))))]
    for end, words in ("itp", itp), ("top", text), ("gro", "\n".join(
            ["x", str(len(rows)), *rows, "%.5f %.5f %.5f" % tuple(box), ""])):
        write(os.path.join(folder, f"{name}.{end}"), words)


def imported(folder, name, status=0):
    done = run("import", name + ".top", name + ".gro", "-o", name + ".h5", cwd=folder, status=None)
    if status == 0 and done.returncode:
        raise SystemExit(done.stderr)
    return os.path.join(folder, name + ".h5") if status == 0 else (done.returncode, done.stderr)


def helix(n, closed=False):
    turn = 2 * np.pi / n if closed else 1.745
    radius = 0.5 * LENGTH / np.sin(0.5 * turn) if closed else 0.23
    k = np.arange(n)
    z = 0 * k if closed else np.sqrt(LENGTH**2 - (2 * radius * np.sin(0.5 * turn))**2) * k
    return np.stack([radius * np.cos(turn * k), radius * np.sin(turn * k), z + 0.01 * np.sin(k)], axis=1)


def pairs_of(x, joined):
    return [(i, j, np.linalg.norm(x[j - 1] - x[i - 1])) for i, j in joined]


def chain(n):
    return [(k, k + 1) for k in range(1, n)]


def sparse_sizes(folder):
    """States of chains, a ring, a backbone with triangles of side beads, and a site on 70 beads, each alone."""
    sides = [(k, k + 4) for k in range(1, 237, 4)] + \
        [p for k in range(1, 241, 4) for p in ((k, k + 1), (k + 1, k + 2), (k + 2, k + 3), (k + 1, k + 3))]
    for name, n, joined in ("c65", 65, chain(65)), ("c241", 241, chain(241)), ("c1024", 1024, chain(1024)), \
            ("ring", 145, chain(145) + [(1, 145)]), ("sides", 240, sides), ("site", 71, chain(70)):
        x = helix(n, name == "ring")
        if name == "sides":
            for k in range(0, 240, 4):
                x[k + 1:k + 4] = x[k] + [[0.3, 0, 0.05], [0.4, 0.25, 0.05], [0.4, -0.05, 0.28]]
        sites = [(71, list(range(1, 71)))] if name == "site" else []
        put(folder, name, molecule(n, pairs_of(x, joined), sites), x + 9, (18, 18, 18 + x[-1, 2]), strength=0)
        yield name, imported(folder, name)


def check_sizes(checks, folder):
    for name, start in sparse_sizes(folder):
        trial.simulate(folder, name, {"input": start, "run.steps": 10, "run.dt": 0.005, "run.precision": "double",
                                      "output.energies_every": 1})
        check_state(checks, name, trial.checkpoint(folder, name))
        energy = trial.columns(folder, name)["total"]
        checks.true(f"{name}: energy", np.ptp(energy) < 2e-3 * energy[0], energy[0], np.ptp(energy))


def rattle(x, v, lengths, h, steps):
    """A free chain of equal masses: velocity Verlet with all constraints solved by Newton's method."""
    n = len(x) - 1

    def solve(left, right, side):  # sum of (left_k . right_l) (2, -1) over neighbours l
        a = 2 * np.diag(np.sum(left * right, axis=1))
        k = np.arange(n - 1)
        a[k, k + 1] = -np.sum(left[:-1] * right[1:], axis=1)
        a[k + 1, k] = -np.sum(left[1:] * right[:-1], axis=1)
        return np.linalg.solve(a, side)

    def along(factor, d):  # what multipliers do to the beads
        out = np.zeros_like(x)
        out[:-1] += factor[:, None] * d
        out[1:] -= factor[:, None] * d
        return out

    for _ in range(steps):
        d, new = x[:-1] - x[1:], x + h * v
        for _ in range(20):
            now = new[:-1] - new[1:]
            new = new + along(solve(2 * now, d, lengths**2 - np.sum(now * now, axis=1)), d)
        v, x = (new - x) / h, new
        d = x[:-1] - x[1:]
        v = v - along(solve(d, d, np.sum(d * (v[:-1] - v[1:]), axis=1)), d)
    return x, v


def check_motion(checks, folder):
    """c241 of check_sizes, once more, from the state after a step."""
    states = []
    for steps in 1, 21:
        trial.simulate(folder, f"m{steps}", {"input": os.path.join(folder, "c241.h5"), "run.steps": steps,
                                             "run.dt": 0.02, "run.precision": "double"})
        states.append(State(trial.checkpoint(folder, f"m{steps}")))
    x = states[0].x[0] + np.cumsum(np.r_[np.zeros((1, 3)), [states[0].arm(k, k + 1) for k in range(240)]], axis=0)
    lengths = np.array([entry[2] for _, _, entry in states[0].of("constraints")])
    want, speed = rattle(x, states[0].p / 72, lengths, 0.02, 20)
    off = states[1].x - want
    off -= states[1].box * np.round(off / states[1].box)
    checks.true("the motion of a free chain", np.abs(off).max() < 1e-7, np.abs(off).max())
    off = np.abs(states[1].p / 72 - speed).max()
    checks.true("its velocities", off < 1e-6, off)
    moved = np.abs(states[1].x - states[0].x).max()
    checks.true("it moves", moved > 0.02, moved)


def liquid(folder, common):
    """A warm state of six lines of 80 beads, folded, in a liquid."""
    fold = np.array([(i, j if i % 2 == 0 else 3 - j, k if (4 * i + j) % 2 == 0 else 4 - k)
                     for i in range(4) for j in range(4) for k in range(5)]) * LENGTH
    x = np.concatenate([fold + [2 + 5.3 * k, 1.0, 0.9] for k in range(6)])
    grid = np.stack(np.meshgrid(*(np.arange(0.25, edge - 0.2, 0.5) for edge in BOX), indexing="ij"), -1).reshape(-1, 3)
    d = grid[:, None] - x[None]
    water = grid[np.linalg.norm(d - BOX * np.round(d / BOX), axis=2).min(axis=1) > 0.42]
    put(folder, "liquid", molecule(80, [(*p, LENGTH) for p in chain(80)]), x, BOX, water, count=6)
    trial.simulate(folder, "warm", {"input": imported(folder, "liquid"), **common, "run.steps": 200, "run.dt": 0.005,
                                    "thermostat.type": "langevin", "thermostat.tau": 0.1})
    return trial.checkpoint(folder, "warm")


def check_liquid(checks, folder):
    common = {"run.dt": 0.01, "run.seed": 3, "thermostat.temperature": 300, "neighbor.skin": 0.1}
    warm = {"input": liquid(folder, common), **common}
    for kind, more in ("nve", {}), ("npt", {"thermostat.type": "langevin", "thermostat.tau": 0.5,
                                            "barostat.type": "crescale", "barostat.coupling": "isotropic",
                                            "barostat.tau": 2.0, "barostat.every": 5}):
        for ranks in (1, 2, 4) if kind == "nve" else (1, 3):
            name = f"{kind}{ranks}"
            trial.simulate(folder, name, {**warm, **more, "run.steps": 60}, ranks=ranks)
            wrong = trial.differences(trial.checkpoint(folder, kind + "1"), trial.checkpoint(folder, name))
            checks.true(f"bits of {kind} on {ranks} ranks", not wrong, wrong)
        check_state(checks, kind, trial.checkpoint(folder, kind + "1"))
    trial.simulate(folder, "split", {**warm, "run.steps": 31}, ranks=2)
    trial.simulate(folder, "split", {**warm, "run.steps": 60}, restart="auto", ranks=3)
    wrong = trial.differences(trial.checkpoint(folder, "nve1"), trial.checkpoint(folder, "split"))
    checks.true("bits in two jobs", not wrong, wrong)
    trial.simulate(folder, "kept", {**warm, "run.steps": 600, "run.dt": 0.005, "run.precision": "double",
                                    "output.energies_every": 10})
    total, kinetic = (trial.columns(folder, "kept")[k] for k in ("total", "kinetic"))
    drift = np.polyfit(np.arange(len(total)), total, 1)[0] * len(total)
    checks.true("energy is kept", abs(drift) < 5e-4 * kinetic.mean() and total.std() < 0.1 * kinetic.std(),
                drift, total.std(), kinetic.std())


def check_refused(checks, folder):
    """What is too large: the file and line of the first constraint or site of the cluster, and the way out."""
    x = helix(1026)
    tight = [(i, j) for i in range(1, 31) for j in range(i + 1, min(i + 9, 31))]
    for name, n, joined, sites, words in (
            ("chain", 1025, chain(1025), [], "1025 atoms"),
            ("ring", 1025, chain(1025) + [(1, 1025)], [], "1025 atoms"),
            ("second", 1026, chain(1026)[1:], [], "from atom 2 on"),
            ("tight", 30, tight, [], "192 constraints"),
            ("site", 1025, [], [(1025, list(range(1, 1025)))], "a site of 1024 atoms")):
        line = n + 5 + len(sites)  # of the first constraint, or of the site
        put(folder, "large", molecule(n, pairs_of(x, joined), sites), x[:n] + 5, (9, 9, 170))
        status, said = imported(folder, "large", 2)
        checks.true(f"{name}: refused at its line", status == 2 and f"large.itp:{line}: " in said and words in said,
                    status, line, said)
        if not sites:
            bond = said.partition("such as '")[2].partition("'")[0].split()[:2]
            checks.true(f"{name}: a bond", tuple(map(int, bond)) in joined, bond)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        check_sizes(checks, folder)
        check_motion(checks, folder)
        check_liquid(checks, folder)
        check_refused(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
