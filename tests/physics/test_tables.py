#!/usr/bin/env python3
"""Tabulated pairs: the example's bilayer of three-bead lipids without water. Its table against the formula of
Cooke and Deserno, energies and forces against that formula and against Debian's lmp (pair_style table), with
charges beside the tables, the same bits on 1 and 3 ranks and from a restart without the table's file, and a
bilayer that stays one. User tables of GROMACS: pairs of two energy groups against the cubics of its manual in long
double, their virial and bits, and what is refused."""
import os
import shutil
import subprocess
import tempfile

import h5py
import numpy as np
import yaml

import gromacs_files as gf
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


class User:
    """Two kinds of molecules whose pairs, and the bonds of one, are user tables."""

    def __init__(self, rule):
        rng, self.rule = np.random.default_rng(rule), rule
        numbers = [[0.2, 0.003], [0.15, 0.002], [0.3, 0.004]] if rule == 1 else [[0.47, 3], [0.43, 2], [0.5, 4]]
        self.top = "[ defaults ]\n1 %d\n[ atomtypes ]\n" % rule
        self.top += "".join("%s 72 0 A %g %g\n" % (t, *v) for t, v in zip("PCQ", numbers))
        self.top += "[ nonbond_params ]\nP Q 1 %g %g\n" % ((0.1, 0.0015) if rule == 1 else (0.45, 1.5))
        self.top += "[ moleculetype ]\nA 1\n[ atoms ]\n1 P 1 A P 1 0.6\n2 C 1 A C 2 -0.6\n3 P 1 A P 3 0.6\n"
        self.top += "[ bonds ]\n1 2 8 0 1.5\n2 3 8 0 2\n[ moleculetype ]\nB 1\n[ atoms ]\n1 Q 1 B Q 1 -0.6\n"
        self.top += "[ system ]\nuser tables\n[ molecules ]\nA 60\nB 60\n"
        sites = [np.array([i, j, k]) * 0.95 for i in range(6) for j in range(5) for k in range(4)]
        rng.shuffle(sites)
        self.box, self.atoms = [6 * 0.95, 5 * 0.95, 4 * 0.95], []
        for n, site in enumerate(sites):
            for k in range(3 if n < 60 else 1):
                x = site + rng.uniform(0, 0.05, 3) + [0.24 * k, 0, 0]
                self.atoms.append((n + 1, "A" if n < 60 else "B", ("PCP"[k] if n < 60 else "Q"), np.round(x, 9)))
        c6, c12 = np.zeros((3, 3)), np.zeros((3, 3))
        for i, (vi, wi) in enumerate(numbers):
            for j, (vj, wj) in enumerate(numbers):
                v, w = ((vi + vj) / 2 if rule == 2 else (vi * vj)**0.5), (wi * wj)**0.5
                if sorted((i, j)) == [0, 2]:
                    v, w = (0.1, 0.0015) if rule == 1 else (0.45, 1.5)
                c6[i, j], c12[i, j] = (v, w) if rule == 1 else (4 * w * v**6, 4 * w * v**12)
        self.type = np.array(["PCQ".index(name) for _, _, name, _ in self.atoms])
        self.charge, self.c6, self.c12 = np.array([0.6, -0.6, -0.6])[self.type], c6, c12
        self.files = {"my.xvg": self.rows(lambda r: 1 / r, 1), "my_A_B.xvg": self.rows(lambda r: np.exp(-r) / r, 0.9)}
        r = np.linspace(0, 1.2, 121)
        self.files["my_b0.xvg"] = "".join("%.9g %.9g %.9g\n" % row for row in zip(r, 300 * (r - 0.24)**2, -600 * (r - 0.24)))

    def rows(self, charges, strength):
        """Of charges, dispersion, repulsion: empty before 0.06 nm; the columns are rounded."""
        out = "# r, charges, dispersion, repulsion\n"
        for k, r in enumerate(np.linspace(0, 1.4, 281)):
            parts = [(charges(r), (charges(r - 1e-5) - charges(r + 1e-5)) / 2e-5), (-strength / r**6, -6 * strength / r**7),
                     (strength / r**12, 12 * strength / r**13)] if k >= 12 else [(0, 0)] * 3
            out += "%.3f " % r + " ".join("%.7e %.7e" % part for part in parts) + "\n"
        return out

    def write(self):
        for name, text in self.files.items():
            gf.write(".", name, text)
        gf.write(".", "user.top", self.top)
        gf.write(".", "user.gro", gf.gro(self.box, self.atoms))

    def mdp(self, coulomb, **more):
        keys = {"vdwtype": "user", "coulombtype": coulomb, "rvdw": 1.1, "rcoulomb": 1.1, "epsilon_r": 2.5, "dt": 0.005,
                "energygrps": "A B", "energygrp-table": "B A", "nsteps": 60, "cutoff-scheme": "group", **more}
        return gf.write(".", "user.mdp", "".join("%s = %s\n" % row for row in keys.items()))

    def oracle(self, with_charges):
        """Energy, forces and the tensor of r f of all pairs but those of bonds, in long double."""
        real = np.longdouble
        tables = {name: np.array([line.split() for line in text.splitlines()[1:]], real)
                  for name, text in self.files.items() if "_b0" not in name}
        x = Frame("user.h5").word.astype(real) / 2**32 * np.array(self.box)
        energy, force, tensor = real(0), np.zeros(x.shape, real), np.zeros((3, 3), real)
        molecule = [n for n, *_ in self.atoms]
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                if molecule[i] == molecule[j] and j == i + 1:
                    continue
                d = x[i] - x[j]
                d -= np.round(d / self.box) * self.box
                r = np.sqrt(d @ d)
                if r >= 1.1:
                    continue
                rows = tables["my_A_B.xvg" if (i < 180) != (j < 180) else "my.xvg"]
                k, t = int(r / real("0.005")), r / real("0.005") % 1
                a, b = self.type[i], self.type[j]
                factor = [with_charges * real(COULOMB) / real(2.5) * real(self.charge[i]) * real(self.charge[j]), self.c6[a, b],
                          self.c12[a, b]]
                u0, f0, u1, f1 = (sum(c * rows[k + n, 1 + 2 * p + q] for p, c in enumerate(factor))
                                  for n in (0, 1) for q in (0, 1))
                f0, f1 = f0 * real("0.005"), f1 * real("0.005")
                g, h = 3 * (u1 - u0) + f1 + 2 * f0, -2 * (u1 - u0) - f1 - f0
                energy += u0 - f0 * t + g * t * t + h * t**3
                f = -(-f0 + 2 * g * t + 3 * h * t * t) / real("0.005") * d / r
                force[i] += f
                force[j] -= f
                tensor += np.outer(d, f)
        return energy, force, tensor

    def bonds(self):
        """Energy, forces and tensor of the bonds, by their formula: the cubic of a parabola is the parabola."""
        x = Frame("user.h5").word / 2.0**32 * np.array(self.box)
        energy, force, tensor = 0, np.zeros(x.shape), np.zeros((3, 3))
        for i, k in [(3 * n + m, (1.5, 2)[m]) for n in range(60) for m in (0, 1)]:
            d = x[i] - x[i + 1]
            d -= np.round(d / self.box) * self.box
            r = np.linalg.norm(d)
            energy += k * 300 * (r - 0.24)**2
            f = -k * 600 * (r - 0.24) * d / r
            force[i] += f
            force[i + 1] -= f
            tensor += np.outer(d, f)
        return energy, force, tensor


IMPORT = "import", "user.top", "user.gro", "--mdp=user.mdp", "--table=my.xvg", "--tableb=my.xvg", "-o", "user.h5"


def check_user(checks, rule, coulomb):
    what, user = "user tables, rule %d, %s: " % (rule, coulomb), User(rule)
    user.write()
    user.mdp(coulomb)
    run(*IMPORT, "--run=user.yaml")
    u, f, tensor = user.oracle(coulomb == "user")
    bonds, bond_f, bond_tensor = user.bonds()
    got = energy("user.h5", "--precision=double", "--backend=cpu", "--forces=forces.txt")
    own = np.loadtxt("forces.txt")[:, 1:4]
    checks.close(what + "pairs", got["terms"]["lj"], float(u), 1e-9)
    checks.close(what + "bonds", got["terms"]["bond"], bonds, 1e-7)
    if coulomb != "user":  # as with Lennard-Jones in place of the tables
        user.mdp(coulomb, vdwtype="cut-off", **{"energygrp-table": ""})
        gf.write(".", "other_b0.xvg", user.files["my_b0.xvg"])
        run(*[word.replace("--tableb=my.xvg", "--tableb=other_b0.xvg") for word in IMPORT[:-1]], "lj.h5")
        checks.true(what + "its file", "other_b0.xvg" in run("forcefield", "lj.h5").stdout)
        lj = energy("lj.h5", "--precision=double", "--backend=cpu")["terms"]
        checks.close(what + "charges", got["terms"]["qq"], lj["qq"], 1e-12)
        return
    want, pressure = f + bond_f, (tensor + bond_tensor) / np.prod(user.box) * 16.605390672
    checks.true(what + "forces", np.abs(own - want).max() < 1e-8 * np.abs(want).max(), np.abs(own - want).max(),
                np.abs(want).max())
    virial = np.reshape(got["virial_tensor"], (3, 3))
    checks.true(what + "virial", np.abs(virial - pressure).max() < 1e-7 * np.abs(pressure).max(), virial, pressure)
    settings = {"input": "user.h5", "run.dt": 0.005, "run.seed": 3, "thermostat.type": "bussi", "run.steps": 60,
                "thermostat.temperature": 300, "barostat.type": "crescale", "barostat.every": 10}
    trial.same_states(checks, ".", settings, (1, 2, 3), 25, what)


def check_user_refused(checks):
    """What cannot be, and files that are missing, each by its name."""
    user = User(1)
    user.write()
    pairs = "[ pairs ]\n1 3 1 0.1 0.001\n"

    def refused(words, top=user.top, arguments=IMPORT, coulomb="user", **keys):
        gf.write(".", "user.top", top)
        user.mdp(coulomb, **keys)
        checks.refused("refused: " + words, words, *arguments)

    refused("user.mdp:1: vdwtype = user reads a file of user tables (mdrun -table): cannot read 'no.xvg'",
            arguments=[word.replace("--table=my", "--table=no") for word in IMPORT])
    refused("cannot read 'my_A_A.xvg'", **{"energygrp-table": "A A"})
    refused("energygrps has no group 'C'", **{"energygrp-table": "A C"})
    refused("'A' stands alone", **{"energygrp-table": "A B A"})
    refused("tables are of pairs of types", energygrps="first B", **{"energygrp-table": "first B"},
            arguments=[*IMPORT, "--ndx=first.ndx"])
    refused("user.top:16: the table 0 of bonds is read from a file of user tables (mdrun -tableb): cannot read "
            "'table_b0.xvg'", arguments=[word for word in IMPORT if "tableb" not in word])
    refused("-tablep", top=user.top.replace("[ bonds ]", pairs + "[ bonds ]"))
    refused("rvdw = 0.9 and rcoulomb = 1.1", rvdw=0.9)
    refused("no row stands at the cutoff of 1.1012 nm; the last before it is at 1.1 nm", rvdw=1.1012, rcoulomb=1.1012)
    refused("no row stands at the cutoff of 1.5 nm; the last before it is at 1.4 nm", rvdw=1.5, rcoulomb=1.5)
    refused("coulombtype = user is not implemented for charges", vdwtype="cut-off", **{"energygrp-table": ""})
    refused("energygrp-table: vdwtype is not user", vdwtype="cut-off", coulomb="cut-off")


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
        gf.write(".", "first.ndx", "[ first ]\n1 2 3\n")
        for rule, coulomb in (1, "user"), (2, "user"), (1, "reaction-field"):
            check_user(checks, rule, coulomb)
        check_user_refused(checks)
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
