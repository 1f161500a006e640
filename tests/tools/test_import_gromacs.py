#!/usr/bin/env python3
"""lamella import of GROMACS files as a whole: options, run files made of .mdp files, what is written
back with lamella export, several ranks."""
import os
import random
import re
import sys
import tempfile

from run_lamella import Checks, energy, read, run, skip, write

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy as np
    import yaml
    import gromacs_files as gf
    import lamella
except ImportError as missing:
    skip(missing)

FORCEFIELD = gf.FORCEFIELD.replace("Q 45", "Q 72")
LIPID = """[ moleculetype ]
LIP 1
[ atoms ]
1 Q 1 LIP NC3 1 1
2 Q 1 LIP PO4 2 -1
3 C 1 LIP C1A 3 0 SECOND
4 C 2 TAIL C2A 4 0
[ bonds ]
1 2 1 0.47 200
2 3 1 0.47 STIFF
3 4 1 0.47 200
[ angles ]
2 3 4 2 180 25
[ exclusions ]
1 4
#ifdef POSRES
[ position_restraints ]
1 1 100 100 100
#endif
[ moleculetype ]
W 1
[ atoms ]
1 P 1 W W 1
"""
TOP = """#include "forcefield.itp"
#include "lipid.itp"
[ system ]
lipids "in" water
[ molecules ]
W 60
LIP 10
W 180
"""
MDP = """; settings
integrator = md
dt = 0.02
nsteps = 500
nstxout_compressed = 100 ; frames
NSTENERGY = 50
nstlist = 20
verlet-buffer-tolerance = 0.005
coulombtype = reaction-field
rcoulomb = 1.1
rvdw = 1.1
epsilon_r = 15
epsilon_rf = 0
vdw-type = cutoff
tcoupl = v-rescale
tc-grps = LIP W
tau_t = 1.0 1.0
ref_t = 310 310
pcoupl = Parrinello-Rahman
pcoupltype = semiisotropic
tau_p = 12
compressibility = 3e-4 3e-4
ref_p = 1 1
gen_vel = yes
gen_temp = 310
gen_seed = 7
define = -DSTIFF=150
include = -Iparts
disre-fc = 1000
nstdisreout = 100
free-energy = no
sc-alpha = 0
nstdhdl = 50
electric-field-x = 0 0 0 0
density-guided-simulation-active = false
"""
RUN = {("run", "steps"): 500, ("run", "dt"): 0.02, ("run", "momentum_every"): 100,
       ("thermostat", "type"): "bussi", ("thermostat", "temperature"): 310, ("thermostat", "tau"): 1,
       ("barostat", "type"): "crescale", ("barostat", "coupling"): "semi_isotropic",
       ("barostat", "pressure"): 1, ("barostat", "compressibility"): 3e-4, ("barostat", "tau"): 12,
       ("output", "frames_every"): 100, ("output", "energies_every"): 50}
WRONG = [  # replaced, by what, message
    ("integrator = md", "integrator = nm", "md.mdp:2: integrator = nm"),
    ("dt = 0.02", "dt = x", "md.mdp:3: dt = x"),
    ("dt = 0.02", "dt 0.02", "md.mdp:3: expected dt = value"),
    ("nstlist = 20", "nstlst = 20", "md.mdp:7: unknown key 'nstlst'; did you mean 'nstlist'?"),
    ("nstlist = 20", "walls = 2", "md.mdp:7: unknown key 'walls'; did you mean 'nwall'?"),
    ("nsteps = 500", "nsteps = -1", "md.mdp:4: nsteps = -1: there are no runs without end"),
    ("nstlist = 20", "dt = 0.01", "md.mdp:7: 'dt' stands here for the second time (line 3)"),
    ("nstlist = 20", "rotation = yes", "md.mdp:7: rotation = yes: enforced"),
    ("nstlist = 20", "constraints = all-bonds", "md.mdp:7: constraints = all-bonds"),
    ("nstlist = 20", "DispCorr = EnerPres", "md.mdp:7: dispcorr = EnerPres"),
    ("free-energy = no", "free-energy = expanded", "free-energy = expanded: "),
    ("nstlist = 20", "comm-mode = angular", "md.mdp:7: comm-mode = angular"),
    ("coulombtype = reaction-field", "coulombtype = PME", "md.mdp:9: coulombtype = PME is not implemented for charges"),
    ("vdw-type = cutoff", "vdw-type = user", "md.mdp:14: vdwtype = user"),
    ("vdw-type = cutoff", "vdw-type = shift\nrvdw-switch = 1.1", "md.mdp:15: rvdw-switch = 1.1 nm is not below rvdw = 1.1 nm"),
    ("vdw-type = cutoff", "vdw-type = shift\nvdw-modifier = Force-switch",
     "md.mdp:14: vdwtype = shift with vdw-modifier = Force-switch: one of them is enough"),
    ("tcoupl = v-rescale", "tcoupl = nose-hoover", "md.mdp:15: tcoupl = nose-hoover"),
    ("ref_t = 310 310", "ref_t = 310", "md.mdp:18: ref-t has 1 values, and tc-grps 2 groups"),
    ("tc-grps = LIP W\ntau_t = 1.0 1.0\n", "tau_t = 1.0 2\n", "md.mdp:16: tau-t: 1 and 2, of which groups?"),
    ("tc-grps = LIP W", "tc-grps = LIP", "md.mdp:17: tau-t has 2 values, and tc-grps 1 groups"),
    ("tc-grps = LIP W", "tc-grps = LIP Water", "md.mdp:16: tc-grps: what is 'Water'? No residue or molecule type here has that name"),
    ("tc-grps = LIP W", "tc-grps = LIP LIP", "tc-grps: atom 1, of residue W in molecule type W, is in none of the groups"),
    ("tc-grps = LIP W", "tc-grps = System W", "md.mdp:16: tc-grps: atom 1, of residue W in molecule type W, is in several of the groups"),
    ("tau_t = 1.0 1.0", "tau_t = 1.0 -1", "md.mdp:17: tau-t: -1: groups without coupling"),
    ("pcoupl = Parrinello-Rahman", "pcoupl = MTTK", "md.mdp:19: pcoupl = MTTK"),
    ("ref_p = 1 1", "ref_p = 1 2", "md.mdp:23: ref-p: 1 and 2 bar"),
    ("ref_p = 1 1", "ref_p = 1", "md.mdp:23: ref-p: expected 2 numbers"),
    ("compressibility = 3e-4 3e-4", "compressibility = 0 0", "md.mdp:22: compressibility"),
]


def configuration(rng):
    """Points of a jittered lattice; lipids are rows of it."""
    box, spacing = [3.5, 3.5, 3.5], 0.5
    points = [[spacing * c + 0.1 + rng.uniform(-0.04, 0.04) for c in (k, j, i)]
              for i in range(7) for j in range(7) for k in range(7)]
    lines, number = [], 0
    names = ["W"] * 60 + ["NC3", "PO4", "C1A", "C2A"] * 10 + ["W"] * 180
    for k, name in enumerate(names):
        number = k + 1
        lines.append("%5d%-5s%5s%5d" % (number, "RES", name, k + 1) +
                     "".join("%8.3f" % c for c in points[k]))
    return "made\n%d\n" % len(names) + "\n".join(lines) + "\n%g %g %g\n" % tuple(box)


def datasets(path):
    found = {}
    with h5py.File(path) as state:
        state.visititems(lambda name, item: found.update({name: item[()]})
                         if isinstance(item, h5py.Dataset) else None)
    return found


def check_run_file(checks):
    with open("run.yaml") as text:
        made = yaml.safe_load(text)
    for (section, key), value in RUN.items():
        checks.true("run file: %s.%s" % (section, key), made[section][key] == value,
                    made[section].get(key))
    lines = read("run.yaml")
    checks.true("nstlist is answered", "# nstlist = 20: lists are exact" in lines)
    checks.true("the groups are named", "# tc-grps = LIP W" in lines)
    checks.true("what is switched off is listed", "# nstdisreout = 100: no averages" in lines and
                "# sc-alpha = 0\n" in lines, lines)
    want = [{"name": name, "group": {"molecules": [name]}} for name in ("LIP", "W")]
    checks.true("groups leave common values to the section", made["thermostat"]["groups"] == want, made)
    hot = ("-s", "run.steps=20", "-s", "run.dt=0.005", "-s", "thermostat.temperature=350")
    run("run", "run.yaml", *hot)
    said = run("info", "run.checkpoint.h5").stdout
    checks.true("the temperature of the section is that of the groups", "bussi at 350 K, crescale" in said, said)
    run("run", "run.yaml", "-s", "run.steps=20", "-s", "run.dt=0.005", "-s", "restart=never")


def check_names(checks):
    """Names of beads and of their types in Python, of a state and of a trajectory."""
    for found in lamella.State("start.h5"), lamella.Trajectory("run"):
        names, types = list(found.names), list(found.type_names)
        want = ["W"] * 60 + ["NC3", "PO4", "C1A", "C2A"] * 10 + ["W"] * 180
        checks.true(f"names of beads, {found.path}", names == want, names[55:70])
        checks.true("names of types", set(types) == {"P", "C", "Q", "Q_2"}, types[55:70])
    checks.refused("a name in place of a type", "'PO4' is the name of a bead of LIP, of type 'Q_2'", "run", "run.yaml",
                   "-s", "observe=[{rdf: {pairs: [[PO4, W]]}}]", "-s", "restart=never", "--dry-run")
    checks.refused("words of GROMACS", ("did you mean 'bussi'", "did you mean 'crescale'"), "run", "run.yaml", "-s",
                   "thermostat.type=Nose-Hoover", "-s", "barostat.type=Parrinello-Rahman")


INDEX = """[ System ]
%s
[ Membrane ] ; the lipids
%s
[ Solvent & ions ]
%s
[ first ]
%s
[ rest ]
%s
[ odd ]
%s
[ even ]
%s
"""


def numbers(*parts):
    """Atoms in rows of 15, as GROMACS writes them."""
    atoms = [k for part in parts for k in part]
    return "\n".join(" ".join("%4d" % k for k in atoms[i:i + 15]) for i in range(0, len(atoms), 15))


def imported_groups(names, *arguments, status=0, temperatures=(310, 290)):
    """The list of the run file that groups of these names become, or what is said of them."""
    mdp = MDP.replace("tc-grps = LIP W", "tc-grps = " + " ".join(names))
    mdp = mdp.replace("tau_t = 1.0 1.0", "tau_t = 1.0 0.5").replace("ref_t = 310 310", "ref_t = %g %g" % temperatures)
    write("groups.mdp", mdp)
    done = run("import", "topol.top", "conf.gro", "--mdp=groups.mdp", "-o", "groups.h5", "--run=groups.yaml", *arguments,
               status=status)
    if status:
        return done.stderr
    with open("groups.yaml") as text:
        return yaml.safe_load(text)["thermostat"]["groups"]


def check_groups(checks):
    """Groups of thermostats: molecule types, and groups of an index file."""
    first, lipids, rest = range(1, 61), range(61, 101), range(101, 281)
    index = INDEX % tuple(numbers(*parts) for parts in (
        [first, lipids, rest], [lipids], [first, rest], [first], [lipids, rest], [range(1, 281, 2)], [range(2, 281, 2)]))
    write("index.ndx", index)

    def rows(*groups):
        return [{"name": name, "group": group, "temperature": t, "tau": tau}
                for (name, group), t, tau in zip(groups, (310, 290), (1, 0.5))]

    by_molecules = rows(("lip", {"molecules": ["LIP"]}), ("W", {"molecules": ["W"]}))
    checks.true("groups of molecule types", imported_groups(["lip", "W"]) == by_molecules)
    checks.true("beside those of a file", imported_groups(["lip", "W"], "--ndx=index.ndx") == by_molecules)
    made = imported_groups(["system", "rest"], "--ndx=index.ndx", status=2)
    checks.true("atoms in several", "atom 61, of residue LIP in molecule type LIP, is in several" in made, made)
    made = imported_groups(["odd", "even"], "--ndx=index.ndx")
    checks.true("single atoms", [g["group"]["ids"][1] for g in made] == [[3, 3], [4, 4]] and len(made[0]["group"]["ids"]) == 140, made)
    made = imported_groups(["first", "rest"], "--ndx=index.ndx")
    checks.true("atoms that follow each other", made == rows(("first", {"ids": [1, 60]}), ("rest", {"ids": [61, 280]})), made)
    run("run", "groups.yaml", "-s", "run.steps=4", "-s", "run.dt=0.002", "-s", "output.energies_every=4")
    said = run("run", "groups.yaml", "-s", "run.steps=4", "-s", "restart=never", "-s", "thermostat.temperature=350", "--dry-run").stderr
    checks.true("a temperature of no group", "thermostat.temperature, 350 K, is the temperature of no group" in said, said)
    said = run("info", "groups.checkpoint.h5").stdout
    checks.true("temperatures of groups", "bussi: first at 310 K, rest at 290 K, crescale" in said, said)
    with open("groups.csv") as text:
        checks.true("columns", "temperature_first_K,temperature_rest_K" in text.readline())
    write("index.ndx", index.replace("Solvent & ions", "Solvent&ions"))
    made = imported_groups(["Membrane", "Solvent&ions"], "--ndx=index.ndx")
    checks.true("whole molecule types", made == rows(("Membrane", {"molecules": ["LIP"]}),
                                                     ("Solvent_ions", {"molecules": ["W"]})), made)
    line = 1 + max(k for k, row in enumerate(index.split("\n")) if row in ("[ odd ]", "[ rest ]"))
    for names, changed, words in (
            (("odd", "even"), index.replace("[ odd ]\n", "[ odd ]\n[ more ]\n"), "the group 'odd' has no atoms"),
            (("first", "Membrane"), index, "atom 101, of residue W in molecule type W, is in none"),
            (("first", "none"), index, "what is 'none'? The index file has no such group"),
            (("first", "rest"), index.replace("[ odd ]", "[ REST ]"), f"index.ndx:{line}: there are 2 groups of the name 'rest'"),
            (("first", "rest"), index.replace("[ first ]\n", "[ first ]\n281 0 x\n"),
             "index.ndx:43: group 'first': '281' is no atom"),
            (("first", "rest"), index.replace("[ first ]\n", "[ first ]\n281 0 x\n"), "'x' is no atom"),
            (("first", "rest"), index.replace("[ first ]\n", "[ first ]\n1.%s9\n" % (40 * "0")), "is no atom"),
            (("first", "rest"), index.replace("[ first ]\n", "[ first ]\n1-2\n"), "index.ndx:43: group 'first': '1-2' is no atom"),
            (("first", "rest"), "5\n" + index, "index.ndx:1: '5' stands before the first"),
            (("first", "rest"), index.replace("[ odd ]", "[ odd"), "the bracket is not closed")):
        write("index.ndx", changed)
        said = imported_groups(names, "--ndx=index.ndx", status=2)
        checks.true(words, words in said, said)
    checks.refused("an index file alone", "--ndx is for the groups of --mdp", "import", "topol.top", "conf.gro",
                   "--ndx=index.ndx", "-o", "x.h5")
    write("one.mdp", MDP.replace("tc-grps = LIP W", "tc-grps = system").replace("310 310", "310").replace("1.0 1.0", "1"))
    run("import", "topol.top", "conf.gro", "--mdp=one.mdp", "-o", "one.h5", "--run=one.yaml")
    with open("one.yaml") as text:
        made = yaml.safe_load(text)["thermostat"]
    checks.true("one group of all", made == {"type": "bussi", "temperature": 310, "tau": 1}, made)


def check_errors(checks):
    for old, new, words in WRONG:
        write("md.mdp", MDP.replace(old, new))
        checks.refused(new, words, "import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "wrong.h5")
        checks.true(new + ": nothing is written", not os.path.exists("wrong.h5"))
    write("md.mdp", MDP)
    for arguments, words in (
            (("topol.top", "-o", "x.h5"), "give the configuration too"),
            (("topol.top", "conf.gro", "-o", "x.h5", "--run=r.yaml"), "--run needs --mdp"),
            (("topol.top", "conf.gro", "-o", "x.h5", "--types=W"), "--types is for LAMMPS"),
            (("conf.gro", "--format=lammps-data", "-o", "x.h5", "-I", "."), "--include is for GROMACS"),
            (("conf.gro", "topol.top", "-o", "x.h5"), "conf.gro: it is a .gro file, not a topology: lamella import TOPOL.top conf.gro"),
            (("topol.top", "conf.gro", "-o", "x.h5", "-I", "parts"), "lipid.itp:10: parameter: 'STIFF'"),
            (("-f", "md.mdp", "-c", "conf.gro", "-p", "topol.top"), "lamella import topol.top conf.gro --mdp=FILE"),
            (("topol.top", "conf.gro", "-o", "x.h5", "--mdp=none.mdp"), "none.mdp")):
        checks.refused(words, words, "import", *arguments)


WARNINGS = [  # before, and in place of, [ system ]; words of the warning
    ("#define ONE 1\n#define TWO 1\n#define ONE 1\n#define TWO 2\n", "", "wide.top:4: macro TWO becomes '2', and was '1'"),
    ("", "[ bondtypes ]\nP P 1 0.3 5\nP C 1 0.3 5\nC P 1 0.3 6\nP P 1 0.3 5\n",
     "wide.top:5: these parameters replace those of the same types in wide.top:4"),
    ("", "[ angletypes ]\nP C Q 2 100 5\nQ C P 2 100 6\nQ C P 2 100 7\n", "1 more rows of bonded types replace"),
    ("", "[ dihedraltypes ]\nP C C P 1 0 5 1\nP C C P 1 0 5 2\n", "wide.top:4: these parameters replace"),
    ("", "[ constrainttypes ]\nP C 1 0.3\nC P 1 0.4\n", "wide.top:4: these parameters replace"),
    ("", "[ atomtypes ]\nP 72 0 A 0 0.1\n", "wide.top:3: atom type P replaces that of forcefield.itp:4"),
    ("", "[ nonbond_params ]\nP P 1 0.21558 0.0023238\nC P 1 0.1 0.002\n", "wide.top:4: the pair C P replaces that of forcefield.itp:11"),
]


def check_warnings(checks):
    """Definitions that differ from earlier ones are named; those that are the same are not."""
    write("plain.top", TOP)
    plain = run("import", "plain.top", "conf.gro", "--mdp=md.mdp", "-o", "plain.h5").stderr
    checks.true("no warning", "warning" not in plain, plain)
    for before, types, words in WARNINGS:
        write("wide.top", before + TOP.replace("#include \"lipid", types + "#include \"lipid"))
        said = run("import", "wide.top", "conf.gro", "--mdp=md.mdp", "-o", "wide.h5").stderr
        checks.true(words, words in said, said)
        checks.true(words + ": no other", said.count("warning") == 1 + ("1 more" in words), said)


def check_numbers(checks):
    """What is left out is said; where numbers of atoms differ, residues say where."""
    write("some.mdp", MDP + "compressed-x-grps = LIP\n")
    said = run("import", "topol.top", "conf.gro", "--mdp=some.mdp", "-o", "some.h5").stderr
    checks.true("a selection of beads", "compressed-x-grps = LIP: frames have all beads" in said, said)
    rows = configuration(random.Random(5)).split("\n")
    for cut in 0, 1, 2:
        rows[2:282] = [row[:44] + (k + 1 > cut) * "  0.1000  0.2000  0.3000" for k, row in enumerate(rows[2:282])]
        write("moving.gro", "\n".join(rows))
        said = run("import", "topol.top", "moving.gro", "-D", "STIFF=1", "-I", "parts", "-o", "moving.h5").stderr
        checks.true(f"velocities, {cut} rows without", ("a velocity, and the first row of the file none" in said) == (cut > 0), said)
        checks.true("the line is named", f"moving.gro:{cut + 3}: the row has" in said or not cut, said)
    write("fewer.top", TOP.replace("W 180", "W 179"))
    checks.refused("residues of the file", "280 atoms, but the topology has 279; residues of the file: 280 RES",
                   "import", "fewer.top", "conf.gro", "-D", "STIFF=1", "-I", "parts", "-o", "x.h5")


SPELLED = [  # of names in a file, and what is said; a status
    (lambda name: name[:2], 0, "the names of 40 atoms are those of the topology but for"),
    (lambda name: name[:3] + "+" * (name == "W"), 0, "the names of 240 atoms are those of the topology but for"),
    (lambda name: name[:2] if name == "PO4" else name, 2, "atom PO, but PO4 in the topology"),  # others are longer: none are cut
    (lambda name: "C" if name == "C1A" else name, 2, "atom C, but C1A in the topology"),
    (lambda name: {"NC3": "PO", "PO4": "NC"}.get(name, name[:2]), 2, "atom PO, but NC3 in the topology"),
    (lambda name: "WF" if name == "W" else name, 2, "atom WF, but W in the topology")]


def check_builders(checks):
    """What builders write: names cut or with the charge of an ion, atoms on one point, rules without letters."""
    rows = configuration(random.Random(5)).split("\n")
    for spell, status, words in SPELLED:
        changed = [row[:10] + "%5s" % spell(row[10:15].strip()) + row[15:] if 2 <= k < 282 else row for k, row in enumerate(rows)]
        write("spelled.gro", "\n".join(changed))
        done = run("import", "topol.top", "spelled.gro", "--mdp=md.mdp", "-o", "spelled.h5", status=status)
        checks.true(words, words in done.stderr, done.stderr)
        if status == 0:
            one, two = datasets("start.h5"), datasets("spelled.h5")
            checks.true(words + ": the same state", all(np.array_equal(one[name], two.get(name)) for name in one))
    for k in 12, 13, 80:
        rows[k] = rows[k][:20] + rows[5][20:]
    write("point.gro", "\n".join(rows))
    said = run("import", "topol.top", "point.gro", "--mdp=md.mdp", "-o", "point.h5").stderr
    checks.true("atoms on one point", "point.gro:13: the atom lies where that of line 6 lies" in said, said)
    x = lamella.State("point.h5").position
    checks.true("they are apart", np.allclose(x[[10, 11, 78]] - x[3], [[0.0004 * k, 0, 0] for k in (1, 2, 3)], atol=1e-8), x[[10, 11, 78]] - x[3])
    write("apart.yaml", "{state: point.h5, minimise: {max_steps: 300, force: 500}}\n")
    run("build", "apart.yaml", "-o", "apart.h5")
    checks.true("minimised", energy("apart.h5")["potential"] < energy("start.h5")["potential"] + 500, energy("apart.h5"))
    write("ruled.top", ": ------\n" + TOP.replace("#include \"lipid", ":-- ==\n#include \"lipid"))
    said = run("import", "ruled.top", "conf.gro", "--mdp=md.mdp", "-o", "ruled.h5").stderr
    checks.true("a ruled line", "ruled.top:3: a line without letters and numbers is not read" in said, said)


PDB_WRONG = [(r"CRYST1.*\n", "", "no CRYST1 record"), (r"90.00  60.00 P", "90.00 180.00 P", "CRYST1: box: an edge of"),
             (r"90.00  60.00 P", "90.00   x.00 P", "angle 'x.00' in columns 48 to 54 is not a number"),
             (r"(ATOM .{28})....", r"\1 1,2", "x '1,2"), (r"ENDMDL", "ATOM      1  W   W      1       1.000   2.000   3.000\nENDMDL",
                                                         "281 atoms, but the topology has 280"),
             (r"ATOM .*\n", "", "279 atoms, but"), (r"(ATOM .{28}).{8}", r"\1   1e99x", "is not a number"),
             (r"(ATOM .{25}).{8}", r"\1     1e9", "too far from the box"), ("PO4", "PO5", "atom PO5, but PO4 in the topology")]


def check_pdb(checks):
    """A PDB file as configuration and as reference: the places and the box that were written, also in an oblique box."""
    rows = configuration(random.Random(5)).split("\n")
    for box in "3.5 3.5 3.6", "4 3.464101615 3.5 0 0 2 0 0 0", "4.2 3.95980 3.42929 0 0 1.4 0 -1.4 1.97990":
        write("box.gro", "\n".join([*rows[:282], box, ""]))
        run("import", "topol.top", "box.gro", "--mdp=md.mdp", "-o", "box.h5")
        run("convert", "box.h5", "-o", "box.pdb")
        run("import", "topol.top", "box.pdb", "--mdp=md.mdp", "-o", "pdb.h5", "--reference=box.pdb", "-D", "POSRES")
        one, two = lamella.State("box.h5"), lamella.State("pdb.h5")
        checks.true("box of a PDB file", np.abs(one.vectors - two.vectors).max() < 1e-3, two.vectors)
        off = (one.position - two.position) @ np.linalg.inv(one.vectors)
        checks.true("places of a PDB file", np.abs(off - np.round(off)).max() < 2e-4, np.abs(off - np.round(off)).max())
        checks.close("energy of a PDB file", energy("pdb.h5")["potential"], energy("box.h5")["potential"], relative=0.05)
    write("box.gro", "\n".join([*rows[:282], "4 3.464101615 3.5 0 0 2 0 0 0", ""]))
    run("import", "topol.top", "box.gro", "--mdp=md.mdp", "-o", "box.h5")
    run("convert", "box.h5", "-o", "box.pdb")
    text = read("box.pdb")
    for old, new, words in PDB_WRONG:
        write("wrong.pdb", re.sub(old, new, text, count=1))
        checks.refused(f"{old} {new}", (words, "wrong.pdb"), "import", "topol.top", "wrong.pdb", "--mdp=md.mdp", "-o",
                       "wrong.h5")


def check_missing_rows(checks):
    """A pair that no row has, of types that act on themselves, is named; a row of zeros says that it is meant."""
    lost = FORCEFIELD.replace("P Q 1 0.24145 0.0026027\n", "")
    for text, warned in ((lost, True), (lost + "P Q 1 0 0\n", False)):
        write("lost.itp", text)
        write("lost.top", TOP.replace("forcefield.itp", "lost.itp"))
        said = run("import", "lost.top", "conf.gro", "--mdp=md.mdp", "-o", "lost.h5").stderr
        checks.true("a missing row", ("no row of [ nonbond_params ] has the types Q and P:" in said) == warned, said)


def check_restraints(checks):
    """Restraints are named by import, info, and a run and its log."""
    said = run("import", "topol.top", "conf.gro", "-D", "POSRES", "-D", "STIFF=150", "-I", "parts", "-o", "held.h5").stdout
    checks.true("import: restraints", "restraints   10 beads" in said, said)
    said = run("info", "held.h5").stdout
    checks.true("info: restraints", "restraints    10 beads in set POSRES" in said, said)
    write("held.yaml", "input: held.h5\nrun: {steps: 1, dt: 0.001}\n")
    said = run("run", "held.yaml").stderr
    checks.true("run: restraints", "restraints: on 10 beads" in said and "restraints: on 10 beads" in open("held.log").read(), said)
    write("free.yaml", "input: held.h5\nrun: {steps: 1, dt: 0.001}\nrestraints: {POSRES: no}\n")
    said = run("run", "free.yaml").stderr
    checks.true("run: a set that is off", "restraints: off (10 beads have some)" in said, said)
    run("export", "held.h5", "--gro=held.gro", "--top=held.top", "--digits=12")
    again = run("import", "held.top", "held.gro", "-D", "POSRES", "-o", "held_again.h5").stdout
    bare = run("import", "held.top", "held.gro", "-o", "bare.h5").stdout
    checks.true("export: the set in #ifdef", "restraints   10 beads in set POSRES" in again and "restraints" not in bare, again + bare)
    checks.true("none, none named", "restraints" not in run("info", "start.h5").stdout)


def check_permittivity(checks):
    """Maps and energies of ions are divided by epsilon_r, as the observable of the potential is."""
    state = lamella.State("start.h5")
    charge = np.array([float(state.forcefield.data["types"][t].get("charge", 0)) for t in state.type_names])
    point = np.array([1.75, 1.75, 5.0])
    want = 138.93545764 / 15 * np.sum(charge / np.linalg.norm(state.position - point, axis=1))
    at = ",".join(map(str, point))
    said = run("map", "start.h5", "-o", "map.h5", "--method=direct", "--boundary=open", "--precision=double", "--backend=cpu",
               f"--low={at}", f"--high={at}").stderr
    with h5py.File("map.h5") as file:
        checks.close("a potential", file["potential"][0, 0, 0], want, relative=1e-5)
        checks.true("the file says by what", file.attrs["relative_permittivity"] == 15)
    checks.true("the command says it", "epsilon_r 15" in said, said)
    checks.true("info says it", "15, by which" in run("info", "map.h5").stdout)
    write("ion.top", TOP.replace("W 180", "W 179\nNA 1").replace("[ system ]", "[ moleculetype ]\nNA 1\n[ atoms ]\n1 Q 1 ION NA 1 1\n[ system ]"))
    energies = {}
    for epsilon in (15, 1):
        write("ion.mdp", MDP.replace("epsilon_r = 15", f"epsilon_r = {epsilon}").replace("tc-grps = LIP W", "tc-grps = LIP W NA")
              .replace("1.0 1.0", "1 1 1").replace("310 310", "310 310 310"))
        run("import", "ion.top", "conf.gro", "--mdp=ion.mdp", "--names=topology", "-o", "ion.h5")
        said = run("ions", "ion.h5", "-o", "salt.h5", "--add=NA:1", "--replace=W", "--backend=cpu").stdout
        energies[epsilon] = float(said.split("(kJ/mol)\n")[1].split("\n")[0].split()[-1])
    checks.close("energies of ions", energies[1], 15 * energies[15], relative=1e-5, absolute=2e-5)
    checks.true("an ion has an energy", abs(energies[15]) > 0.1, energies)


def check_export(checks):
    """What is exported and imported again is the same system."""
    said = run("export", "start.h5", "--gro=out.gro", "--top=out.top", "--digits=12").stdout
    checks.true("what is written is said", "written      out.gro" in said and "written      out.top" in said, said)
    run("export", "start.h5", "--gro=two.gro", "--digits=12", ranks=2)
    checks.true("two ranks write the same", open("out.gro").read() == open("two.gro").read())
    run("import", "out.top", "out.gro", "--mdp=md.mdp", "-o", "again.h5")
    one, other = energy("start.h5"), energy("again.h5")
    for name, value in one["terms"].items():
        checks.close("again: " + name, other["terms"][name], value, relative=1e-9, absolute=1e-9)
    blocks = read("out.top").split("[ molecules ]")[1].split()
    checks.true("blocks", blocks == "W 60 LIP 10 W 180".split(), blocks)
    lines = read("out.gro").split("\n")
    checks.true("names", lines[62][:20] == "    1LIP    NC3   61" and
                lines[65][:20] == "    2TAIL   C2A   64", lines[62:66])
    checks.refused("nothing to write", "nothing to write", "export", "start.h5")


def check_image(checks):
    """A ring of constraints may lie across a face of the box, but not go round through the box to its own image."""
    sides = 10
    write("ring.top", FORCEFIELD + "[ moleculetype ]\nRING 1\n[ atoms ]\n" + "".join(
        f"{k + 1} P 1 RING X{k} {k + 1} 0\n" for k in range(sides)) + "[ constraints ]\n" + "".join(
        f"{k + 1} {(k + 1) % sides + 1} 1 0.4\n" for k in range(sides)) + "[ system ]\nring\n[ molecules ]\nRING 1\n")
    angle = 2 * np.pi * np.arange(sides) / sides
    radius = 0.2 / np.sin(np.pi / sides)
    closed = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)
    for axis in range(3):
        line = np.full((sides, 3), 1.0)
        line[:, axis] = 0.3 + 0.4 * np.arange(sides)
        for what, x in ("closed", closed), ("image", line):
            rows = ["%5d%-5s%5s%5d%10.5f%10.5f%10.5f" % (1, "RING", f"X{k}", k + 1, *x[k]) for k in range(sides)]
            write("ring.gro", "\n".join(["ring", str(sides), *rows, "4 4 4", ""]))
            said = run("import", "ring.top", "ring.gro", "-o", "ring.h5", status=2 if what == "image" else 0).stderr
            words = f"beads 10 and 1: constraints connect their molecule across the box along {'xyz'[axis]} with its own image"
            checks.true(f"{what} along {axis}", (words in said) == (what == "image"), said)


def check_forcefield_alone(checks):
    """A topology without a configuration makes the same force field, of which membranes are built."""
    run("import", "topol.top", "--mdp=md.mdp", "--forcefield=alone.yaml")
    with open("made.yaml") as made, open("alone.yaml") as alone:
        checks.true("the force field alone", made.read() == alone.read())
    write("membrane.yaml", "forcefield: alone.yaml\nbilayer: {upper: {LIP: 9}, lower: {LIP: 9}, "
          "area_per_lipid: 0.7, water_per_lipid: 8, water: W}\nminimise: {max_steps: 50}\n")
    said = run("build", "membrane.yaml", "-o", "membrane.h5").stdout
    checks.true("a membrane of it", "144 W" in said and "18 LIP" in said, said)
    checks.refused("no configuration", "give the configuration too", "import", "topol.top", "-o", "none.h5")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("parts")
        write("forcefield.itp", FORCEFIELD)
        write("parts/lipid.itp", LIPID.replace("SECOND", "72"))
        write("topol.top", TOP)
        write("md.mdp", MDP)
        write("conf.gro", configuration(random.Random(5)))
        said = run("import", "topol.top", "conf.gro", "--mdp=md.mdp", "-o", "start.h5", "--run=run.yaml",
                   "--forcefield=made.yaml").stdout
        checks.true("all files are named", all(f"written      {name}\n" in said for name in ("start.h5", "run.yaml", "made.yaml")), said)
        write("tabs.gro", "\n".join(row + ("\t " if 2 <= k < 40 else "") for k, row in enumerate(open("conf.gro").read().split("\n"))))
        run("import", "topol.top", "tabs.gro", "--mdp=md.mdp", "-o", "two.h5", ranks=2)
        one, two = datasets("start.h5"), datasets("two.h5")
        for name in one:
            checks.true("two ranks: " + name, np.array_equal(one[name], two.get(name)))
        said = run("info", "start.h5").stdout
        checks.true("info", "LIP 10, W 240" in said and "W 60, LIP 10, W 180" in said, said)
        checks.true("temperature", 250 < float(said.split("temperature")[1].split()[0]) < 370, said)
        checks.true("the force field inside", run("forcefield", "start.h5").stdout == read("made.yaml"))
        run("forcefield", "made.yaml")
        check_forcefield_alone(checks)
        check_image(checks)
        checks.close("a macro of the command line holds", yaml.safe_load(open("made.yaml"))["bonds"]["b2"]["k"],
                     75, relative=1e-15)
        run("import", "topol.top", "conf.gro", "-D", "STIFF=150", "-I", "parts", "-o", "plain.h5")
        checks.close("without --mdp", energy("plain.h5")["potential"], energy("start.h5")["potential"],
                     relative=1e-12)
        checks.true("no velocities", not datasets("plain.h5")["beads/momentum"].any())
        check_run_file(checks)
        check_names(checks)
        check_groups(checks)
        check_warnings(checks)
        check_numbers(checks)
        check_missing_rows(checks)
        check_builders(checks)
        check_pdb(checks)
        check_restraints(checks)
        check_permittivity(checks)
        check_errors(checks)
        check_export(checks)
    checks.end()


main()
