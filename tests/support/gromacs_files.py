"""GROMACS for tests: files written, its double-precision program run, its results read."""
import os
import re
import shutil
import struct
import subprocess

import numpy as np

import run_lamella

GMX = shutil.which("gmx_d")
# Energies of GROMACS that each of ours is the sum of.
TERMS = {"lj": ["LJ (SR)", "LJ-14", "LJC-14 q", "LJC Pairs NB"], "qq": ["Coulomb (SR)", "Coulomb-14"],
         "bond": ["Bond", "G96Bond", "Harmonic Pot.", "FENE Bonds", "Morse", "Cubic Bonds", "Restraint Pot.", "Dis. Rest.",
                  "Tab. Bonds", "Tab. Bonds NC"],
         "angle": ["Angle", "G96Angle", "Quartic Angles", "Restr. Angles", "Bond-Cross", "BA-Cross", "U-B", "Lin. Angle",
                   "Angle Rest.", "Angle Rest. Z", "Tab. Angles"],
         "dihedral": ["Proper Dih.", "Per. Imp. Dih.", "Improper Dih.", "Ryckaert-Bell.",
                      "Fourier Dih.", "Restr. Dih.", "CBT Dih.", "Dih. Rest.", "Tab. Dih."],
         "external": ["Position Rest.", "Flat-b. P-R."]}
# Three types of beads, a part of Martini 2.
FORCEFIELD = """[ defaults ]
1 1
[ atomtypes ]
P 72 0 A 0 0
C 72 0 A 0 0
Q 45 0 A 0 0
[ nonbond_params ]
P P 1 0.21558 0.0023238
C C 1 0.15091 0.0016267
Q Q 1 0.21558 0.0023238
P C 1 0.086233 0.00092953
P Q 1 0.24145 0.0026027
C Q 1 0.45440 0.012910
"""
SINGLE_POINT = """integrator = md
nsteps = 0
dt = 0.02
continuation = yes
nstfout = 1
nstenergy = 1
nstcalcenergy = 1
cutoff-scheme = Verlet
pbc = xyz
coulombtype = %(coulomb)s
rcoulomb = 1.1
epsilon_r = 15
epsilon_rf = %(rf)s
vdwtype = cut-off
vdw-modifier = %(modifier)s
rvdw = 1.1
tcoupl = no
pcoupl = no
gen_vel = no
"""


MOTION = """integrator = md-vv
nsteps = 200
dt = 0.01
continuation = no
comm-mode = none
nstxout = 200
nstenergy = 200
cutoff-scheme = Verlet
verlet-buffer-tolerance = -1
nstlist = 1
rlist = 1.1
coulombtype = reaction-field
rcoulomb = 1.1
epsilon_r = 15
epsilon_rf = 0
vdwtype = cut-off
rvdw = 1.1
constraint-algorithm = shake
shake-tol = 1e-12
"""


def write(folder, name, text):
    run_lamella.write(os.path.join(folder, name), text)
    return name


def gro(box, atoms, velocities=None, digits=9):
    """atoms: (residue number, residue, atom, x)."""
    w = digits + 5
    lines = ["made by a test", str(len(atoms))]
    for k, (number, residue, name, x) in enumerate(atoms):
        line = "%5d%-5s%5s%5d" % (number % 100000, residue, name, (k + 1) % 100000)
        line += "".join("%*.*f" % (w, digits, c) for c in x)
        if velocities is not None:
            line += "".join("%*.*f" % (w, digits + 1, c) for c in velocities[k])
        lines.append(line)
    return "\n".join(lines + [" ".join("%.9f" % b for b in box)]) + "\n"


def vectors(box):
    """The box vectors as rows, of three numbers or the nine of a .gro file."""
    rows = np.diag(np.array(box[:3], float))
    if len(box) == 9:
        rows[0, 1:], rows[1, ::2], rows[2, :2] = box[3:5], box[5:7], box[7:9]
    return rows


def gmx(folder, *arguments, text=""):
    done = subprocess.run([GMX, "-quiet", *arguments], cwd=folder, input=text, text=True,
                          capture_output=True, timeout=300,
                          env={**os.environ, "GMX_MAXBACKUP": "-1"})
    if done.returncode:
        raise RuntimeError("gmx_d %s: %s" % (" ".join(arguments), done.stderr[-3000:]))
    return done.stdout


def read_trr(path, what):
    """Positions (what: 7) or forces (9) of the last frame of a .trr file in double precision."""
    with open(path, "rb") as trr:
        data = trr.read()
    at, found = 0, None
    while at < len(data):
        magic, _, length = struct.unpack_from(">iii", data, at)
        assert magic == 1993
        at += 12 + (length + 3) // 4 * 4
        sizes = struct.unpack_from(">13i", data, at)
        at += 13 * 4
        n, real = sizes[10], 8
        assert sizes[2] == 9 * real, "double precision"
        at += 2 * real
        at += sum(sizes[:7])
        if sizes[what]:
            start = at + sum(sizes[7:what])
            found = np.frombuffer(data, ">f8", 3 * n, start).reshape(n, 3).astype(float)
        at += sum(sizes[7:10])
    return found


def final_positions(folder, mdp, top="topol.top", conf="conf.gro"):
    """Positions (nm) at the end of a run, which moves from the velocities of the configuration."""
    write(folder, "md.mdp", mdp)
    gmx(folder, "grompp", "-f", "md.mdp", "-c", conf, "-r", conf, "-p", top, "-o", "md.tpr", "-po", "out.mdp",
        "-maxwarn", "20")
    gmx(folder, "mdrun", "-s", "md.tpr", "-deffnm", "md", "-ntmpi", "1", "-ntomp", "1")
    return read_trr(os.path.join(folder, "md.trr"), 7)


def single_point(folder, mdp, top="topol.top", conf="conf.gro", reference=None, tables=(), index=None):
    """Energies by name (kJ/mol) and forces (kJ/mol/nm) of a configuration, with the places of position
    restraints in another one, and files of tables of bonded terms. Pulling writes px.xvg and pf.xvg."""
    write(folder, "sp.mdp", mdp)
    gmx(folder, "grompp", "-f", "sp.mdp", "-c", conf, "-r", reference or conf, "-p", top, "-o", "sp.tpr", "-po",
        "out.mdp", "-maxwarn", "20", *(["-n", index] if index else []))
    gmx(folder, "mdrun", "-s", "sp.tpr", "-deffnm", "sp", "-px", "px.xvg", "-pf", "pf.xvg", "-ntmpi", "1", "-ntomp", "1",
        *(["-tableb", *tables] if tables else []))
    gmx(folder, "energy", "-f", "sp.edr", "-o", "sp.xvg", "-dp",
        text="\n".join(map(str, range(1, 60))) + "\n0\n")
    names, values = [], []
    with open(os.path.join(folder, "sp.xvg")) as xvg:
        for line in xvg:
            legend = re.match(r'@ s\d+ legend "(.*)"', line)
            if legend:
                names.append(legend.group(1))
            elif line[0] not in "#@":
                values = [float(word) for word in line.split()[1:]]
    return dict(zip(names, values)), read_trr(os.path.join(folder, "sp.trr"), 9)
