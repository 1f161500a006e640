#!/usr/bin/env python3
"""Tabulated pairs: the example's bilayer of three-bead lipids without water. Its table against the formula of
Cooke and Deserno, energies and forces against that formula and against Debian's lmp (pair_style table), with
charges beside the tables, the same bits on 1 and 3 ranks and from a restart without the table's file, and a
bilayer that stays one."""
import os
import shutil
import subprocess
import tempfile

import h5py
import numpy as np
import yaml

import trial
from run_lamella import Checks, energy, run

EXAMPLES = os.path.join(os.environ["top_srcdir"], "examples")
W, LEFT = 1.6, 2 ** (1 / 6)   # width of the attraction, minimum of Lennard-Jones, sigma
COULOMB = 138.93545764
LAMMPS = """
units lj
atom_style molecular
boundary p p p
read_data start.data
special_bonds lj 1 1 1
pair_style table spline 100000
pair_coeff 1 1 cooke.table HEAD
pair_coeff 1 2 cooke.table HEAD
pair_coeff 2 2 cooke.table TAIL
bond_style hybrid fene harmonic
bond_coeff 1 fene 30 1.5 0 1
bond_coeff 2 harmonic 5 4
thermo_style custom step evdwl ebond
thermo_modify norm no format float %.15g
dump 1 all custom 1 out.dump id fx fy fz
dump_modify 1 sort id format float %.15g
run 0
"""


def wca(b, r):
    x = (b / r) ** 6
    return 4 * x * (x - 1) + 1, 24 * x * (2 * x - 1) / r


def head(r):
    u, f = wca(0.95, r)
    inside = r < 0.95 * LEFT
    return np.where(inside, u, 0), np.where(inside, f, 0)


def tail(r):
    u, f = wca(1, r)
    angle = np.pi * (r - LEFT) / (2 * W)
    u = np.where(r < LEFT, u - 1, -np.cos(angle) ** 2)
    f = np.where(r < LEFT, f, -np.pi / (2 * W) * np.sin(2 * angle))
    return np.where(r < LEFT + W, u, 0), np.where(r < LEFT + W, f, 0)


class Frame:
    """A state: box, types, positions from the lower corner, and distances of all pairs."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.box, self.type = file["system/box"][:], file["beads/type"][:]
            self.word = file["beads/position"][:].view(np.uint32)
        self.x = self.word / 2.0**32 * self.box
        self.n = len(self.type)
        self.i, self.j = np.triu_indices(self.n, 1)
        self.d = (self.word[self.i] - self.word[self.j]).view(np.int32) * (self.box / 2.0**32)
        self.r = np.linalg.norm(self.d, axis=1)
        self.tails = (self.type[self.i] == 1) & (self.type[self.j] == 1)

    def tables(self):
        """Energy of all pairs by the formula, and forces."""
        head_u, head_f = head(self.r)
        tail_u, tail_f = tail(self.r)
        u, f = np.where(self.tails, tail_u, head_u), np.where(self.tails, tail_f, head_f)
        return u.sum(), self.forces(f)

    def forces(self, size):
        vector = self.d * (size / self.r)[:, None]
        out = np.zeros((self.n, 3))
        np.add.at(out, self.i, vector)
        np.add.at(out, self.j, -vector)
        return out


def check_file(checks):
    """The rows of the example are those of the paper."""
    rows = {}
    with open(os.path.join(EXAMPLES, "cooke.table")) as lines:
        for line in lines:
            words = line.split()
            if words and words[0].isupper() and words[0] != "N":
                rows[words[0]] = here = []
            if len(words) == 4 and words[0].isdigit():
                here.append([float(word) for word in words[1:]])
    checks.true("two sections", sorted(rows) == ["HEAD", "TAIL"])
    for name, formula, end in (("HEAD", head, 0.95 * LEFT), ("TAIL", tail, LEFT + W)):
        r, u, f = np.array(rows[name]).T
        want_u, want_f = formula(r)
        checks.close(name + " ends", r[-1], end, 1e-8)
        checks.true(name + " energies", np.allclose(u[:-1], want_u[:-1], 1e-6, 1e-7))
        checks.true(name + " forces", np.allclose(f[:-1], want_f[:-1], 1e-6, 1e-6))


def forces_of(state, *options):
    run("energy", state, "--precision=double", "--backend=cpu", "--forces=forces.txt", *options)
    return np.loadtxt("forces.txt")[:, 1:4]


def check_formula(checks, state):
    frame = Frame(state)
    u, f = frame.tables()
    ours = energy(state, "--precision=double", "--backend=cpu")["terms"]["lj"]
    checks.close("energy by the formula", ours, u, 1e-4)
    single = energy(state, "--precision=mixed", "--backend=cpu")["terms"]["lj"]
    checks.close("mixed precision", single, ours, 2e-6)
    return frame, f


def check_lammps(checks, state, frame):
    """The same spline of the energy in LAMMPS; its forces are a spline of their own."""
    lmp = shutil.which("lmp")
    if not lmp:
        print("no lmp: not compared with LAMMPS")
        return
    lipids = frame.n // 3
    with open("start.data", "w") as out:
        out.write(f"lipids\n\n{frame.n} atoms\n2 atom types\n{3 * lipids} bonds\n2 bond types\n\n")
        for axis, edge in zip("xyz", frame.box):
            out.write(f"0 {edge:.17g} {axis}lo {axis}hi\n")
        out.write("\nMasses\n\n1 1\n2 1\n\nAtoms\n\n")
        for k in range(frame.n):
            out.write("%d %d %d %.17g %.17g %.17g\n" %
                      (k + 1, k // 3 + 1, frame.type[k] + 1, *frame.x[k]))
        out.write("\nBonds\n\n")
        for k in range(lipids):
            for n, (kind, a, b) in enumerate(((1, 1, 2), (1, 2, 3), (2, 1, 3))):
                out.write(f"{3 * k + n + 1} {kind} {3 * k + a} {3 * k + b}\n")
    shutil.copy(os.path.join(EXAMPLES, "cooke.table"), "cooke.table")
    with open("in.lmp", "w") as out:
        out.write(LAMMPS)
    done = subprocess.run([lmp, "-in", "in.lmp", "-log", "none"], capture_output=True, text=True)
    os.remove("cooke.table")
    checks.true("lmp ends", done.returncode == 0, done.stdout[-1500:], done.stderr[-500:])
    lines = [line.split() for line in done.stdout.splitlines()]
    at = next(n for n, words in enumerate(lines) if words[:1] == ["Step"])
    pairs, bonds = map(float, lines[at + 1][1:3])
    ours = energy(state, "--precision=double", "--backend=cpu")["terms"]
    checks.close("pairs of LAMMPS", ours["lj"], pairs, 1e-7)
    checks.close("bonds of LAMMPS", ours["bond"], bonds, 1e-9)
    theirs, mine = np.loadtxt("out.dump", skiprows=9)[:, 1:], forces_of(state)
    close_forces(checks, "forces of LAMMPS", mine, theirs)


def check_charges(checks):
    """Charges in a reaction field beside the tables: pairs have both."""
    charge, epsilon_r = np.array([0.4, -0.2]), 15
    with open("cooke.yaml") as text:
        ff = yaml.safe_load(text)
    for name, value in zip("HT", charge):
        ff["types"][name]["charge"] = float(value)
    ff["pair"]["electrostatics"] = {"truncation": "charge_reaction_field", "epsilon_r": epsilon_r}
    ff["pair"]["lj"] = {"truncation": "energy_shift"}
    ff["types"]["X"] = {"mass": 1}
    ff["pair"]["table"] += [[name, "X", {"epsilon": 1, "sigma": 1}] for name in "HTX"]
    with open("charged.yaml", "w") as out:
        yaml.safe_dump(ff, out, sort_keys=False)
    with open("build-cooke.yaml") as text:
        spec = yaml.safe_load(text)
    spec["forcefield"] = "charged.yaml"
    with open("build-charged.yaml", "w") as out:
        yaml.safe_dump(spec, out)
    run("build", "build-charged.yaml", "-o", "charged.h5")
    frame, cutoff = Frame("charged.h5"), ff["cutoff"]
    q = charge[frame.type]
    x, scale = frame.r / cutoff, COULOMB / epsilon_r / cutoff
    inside, qq = x < 1, scale * q[frame.i] * q[frame.j]
    u = np.where(inside, qq * (1 / x + x**2 / 2 - 1.5), 0).sum() - 0.75 * scale * (q * q).sum()
    terms = energy("charged.h5", "--precision=double", "--backend=cpu")["terms"]
    table_u, table_f = frame.tables()
    checks.close("charges beside tables", terms["qq"], u, 1e-9)
    checks.close("tables beside charges", terms["lj"], table_u, 1e-4)
    want = table_f + frame.forces(np.where(inside, qq / cutoff * (1 / x**2 - x), 0))
    bonded = bonded_forces(frame)
    close_forces(checks, "forces with charges", forces_of("charged.h5"), want + bonded)


def bonded_forces(frame):
    """Of the two bonds and the straightening spring of each lipid."""
    out = np.zeros((frame.n, 3))
    for a, b, slope in ((0, 1, fene), (1, 2, fene), (0, 2, spring)):
        i, j = np.arange(a, frame.n, 3), np.arange(b, frame.n, 3)
        d = (frame.word[i] - frame.word[j]).view(np.int32) * (frame.box / 2.0**32)
        r = np.linalg.norm(d, axis=1)
        force = d * (-slope(r) / r)[:, None]
        out[i] += force
        out[j] -= force
    return out


def fene(r):
    return 30 * r / (1 - (r / 1.5) ** 2)


def spring(r):
    return 10 * (r - 4)


def close_forces(checks, what, got, want):
    """To what the spline leaves where the second derivative jumps, at the minimum."""
    worst = np.abs(got - want).max()
    checks.true(what, worst < 0.1, worst, "of", np.abs(want).max())


def check_bits(checks):
    """The same checkpoint from 1 and 3 ranks, from two jobs, and in a run that computes energies."""
    settings = {"input": "warm.checkpoint.h5", "run.dt": 0.01, "run.seed": 5, "thermostat.type": "langevin",
                "thermostat.temperature": 132.3, "run.steps": 120}
    trial.simulate(".", "one", settings)
    trial.simulate(".", "three", settings, ranks=3)
    trial.simulate(".", "energies", {**settings, "output.energies_every": 1})
    trial.simulate(".", "twice", {**settings, "run.steps": 70})
    trial.simulate(".", "twice", settings, restart="auto", ranks=2)
    for other in ("three", "energies", "twice"):
        with h5py.File("one.checkpoint.h5") as a, h5py.File(other + ".checkpoint.h5") as b:
            for name in ("position", "residual", "momentum"):
                checks.true(f"{name} of {other}", np.array_equal(a["beads"][name][:], b["beads"][name][:]))
    frame = Frame("one.checkpoint.h5")
    checks.true("beads moved", np.abs(frame.x - Frame("warm.checkpoint.h5").x).max() > 0.1)


def check_bilayer(checks, path):
    """Tails between two layers of heads, and no lipid beside it."""
    frame = Frame(path)
    z = frame.x[:, 2] - frame.x[:, 2].mean()  # it diffuses as a whole
    heads, tails = z[frame.type == 0], z[frame.type == 1]
    upper, lower = heads[heads > 0], heads[heads < 0]
    checks.true("two leaflets", 80 < len(upper) < 120 and len(upper) + len(lower) == 200, len(upper))
    checks.close("thickness", upper.mean() - lower.mean(), 5, absolute=1)
    checks.true("tails are inside", np.mean(np.abs(tails) < 2.2) > 0.9, np.mean(np.abs(tails) < 2.2))
    checks.true("none has left", np.abs(z).max() < 5, np.abs(z).max())


def main():
    checks = Checks()
    check_file(checks)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("cooke.yaml", "cooke.table", "build-cooke.yaml", "run-cooke.yaml"):
            shutil.copy(os.path.join(EXAMPLES, name), name)
        run("build", "build-cooke.yaml", "-o", "cooke.h5")
        check_charges(checks)
        os.remove("cooke.table")
        short = ("--set=observe=[]", "--set=output.frames_every=0")
        run("run", "run-cooke.yaml", "--set=run.steps=1000", "--set=output.prefix=warm", *short)
        warm = "warm.checkpoint.h5"
        frame, forces = check_formula(checks, warm)
        close_forces(checks, "forces by the formula", forces_of(warm), forces + bonded_forces(frame))
        check_lammps(checks, warm, frame)
        check_bits(checks)
        steps = 12000 if os.environ.get("LAMELLA_LONG") else 3000
        run("run", "run-cooke.yaml", f"--set=run.steps={steps}", "--set=output.prefix=long", "--set=input=" + warm,
            *short)
        check_bilayer(checks, "long.checkpoint.h5")
    checks.end()


if __name__ == "__main__":
    main()
