#!/usr/bin/env python3
"""Files of other kinds than a command reads: the message says what the file is, and the command that makes of
it what was expected. Files that only begin like those of another kind are read."""
import os
import struct
import sys
import tempfile

from run_lamella import Checks, run

TOP = """[ defaults ]
1 2
[ atomtypes ]
W 72 0 A 0 0
[ nonbond_params ]
W W 1 0.45 4
[ moleculetype ]
W 1
[ atoms ]
1 W 1 W W 1 0
[ system ]
water
[ molecules ]
W 2
"""
GRO = """%s
    2
    1W        W    1   0.100   0.200   0.300
    2W        W    2   1.100   0.200   0.300
   4.00000   4.00000   4.00000
"""
PDB = """%s
ATOM      1    W   W     1       1.000   2.000   3.000  1.00  0.00
END
"""
VERSION = b"VERSION 2021.4"
KINDS = [  # name, content, words of the message for a configuration and for a trajectory
    ("md.cpt", struct.pack(">i", 171817) + bytes(60), "a .cpt checkpoint of GROMACS", "gmx trjconv -f md.cpt -o md.trr"),
    ("new.xtc", struct.pack(">iii", 2023, 2, 0) + bytes(60), "an .xtc trajectory", "gmx trjconv -f new.xtc -o new.trr"),
    ("old.xtc", struct.pack(">iii", 1995, 2, 0) + bytes(60), "an .xtc trajectory", "-s TOPOL.tpr -dump TIME -o old.gro"),
    ("all.tpr", struct.pack(">ii", 15, 14) + VERSION + bytes(60), "a .tpr run input", "gmx editconf -f all.tpr -o all.gro"),
    ("ener.edr", struct.pack(">i", -55555) + bytes(60), "an .edr file", "gmx energy -f ener.edr"),
    ("path.dcd", struct.pack("<i", 84) + b"CORD" + bytes(80), "a DCD trajectory", "which lamella convert reads"),
    ("conf.gro.gz", b"\x1f\x8b\x08" + bytes(60), "a compressed file", "gunzip conf.gro.gz"),
    ("title.pdb", (PDB % "TITLE     water").encode(), "a PDB file", "lamella import TOPOL.top title.pdb"),
    ("box.pdb", (PDB % "CRYST1   40.000   40.000   40.000").encode(), "a PDB file", "gmx editconf -f box.pdb -o box.gro"),
    ("box.cif", b"_cell.entry_id    x\n_cell.length_a    80.0\n", "an mmCIF file", "gemmi convert box.cif box.pdb"),
    ("data.cif", b"# made\n#\ndata_1UBQ\n#\n_entry.id   1UBQ\n", "an mmCIF file", "gemmi convert data.cif data.pdb"),
    ("md.mdp", b"; settings\n\nintegrator = md\n", "an .mdp file", "--mdp=md.mdp --run=RUN.yaml"),
]
TRR = struct.pack(">iii", 1993, 13, 12) + b"GMX_trn_file" + bytes(80)


def write(name, content):
    with open(name, "wb") as out:
        out.write(content if isinstance(content, bytes) else content.encode())
    return name


def refused(checks, words, *arguments):
    said = run(*arguments, status=None)
    checks.true(" ".join(arguments) + ": status", said.returncode in (2, 4), said.returncode)
    for part in words:
        checks.true(" ".join(arguments), part in said.stderr, part, said.stderr)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("t.top", TOP)
        write("c.gro", GRO % "water")
        write("none.yaml", "run: {steps: 1}\n")
        run("import", "t.top", "c.gro", "-o", "s.h5")
        for name, content, what, way in KINDS:
            write(name, content)
            if not name.endswith(".pdb"): # which import reads
                refused(checks, [name, what, "not a .gro file", way], "import", "t.top", name, "-o", "n.h5")
            refused(checks, [name, what, way], "convert", name, "--state=s.h5", "-o", "n.h5")
            refused(checks, [name, what, way], "analyze", name, "--state=s.h5", "-o", "a")
            refused(checks, [name, what, "not a YAML file", way], "run", name)
            refused(checks, [name, what, "not a key and its value", way], "run", "none.yaml", "-s", name)
            refused(checks, [name, what, "not a topology", way], "import", name, "c.gro", "-o", "n.h5")
        for name, content in (("frame.trr", TRR), ("frame.gro", GRO % "water")):
            write(name, content)
            refused(checks, ["not an HDF5 file", "lamella convert " + name + " --state"], "analyze", name, "--state=s.h5")
            refused(checks, ["not a YAML file"], "run", name)
        write("frame.gro", TRR)
        refused(checks, ["it is a .trr trajectory of GROMACS, not a .gro file"], "import", "t.top", "frame.gro", "-o", "n.h5")
        write("frame.trr", GRO % "water")
        refused(checks, ["it is a .gro file, not a .trr file"], "convert", "frame.trr", "--state=s.h5", "-o", "n.h5")
        refused(checks, ["it is an HDF5 file, not a .gro file"], "import", "t.top", "s.h5", "-o", "n.h5")
        refused(checks, ["it is a topology of GROMACS", "lamella import t.top CONF.gro"], "run", "t.top")
        checks.true("nothing is written", not os.path.exists("n.h5"))
        for title in "TITLE     water", "t = 10 ps", "[ system ]", "#include", "HEADER", "":
            write("c.gro", GRO % title)
            run("import", "t.top", "c.gro", "-o", "again.h5")
    checks.end()


main()
