"""No rank holds the whole system: what copies of a bilayer add to the largest of four ranks that build them, that
write them as XTC and GRO, that make a state of the GRO file, that compute maps of them and place ions in them is at
most 1.3 times a quarter of what they add to one rank; so is, where the large system itself is copied, what it adds to
the largest but rank 0, which sends it; and the files of four ranks are those of one."""
import argparse
import filecmp
import os
import pathlib
import shutil
import sys
import tempfile

from run_lamella import LAMELLA, Checks, skip

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "bench"))
import memory  # noqa: E402

MOST = 1.3
COPIES = (8, 8)
BASE = """{forcefield: elba, seed: 1, temperature: 310, minimise: no,
 bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}, area_per_lipid: 0.72, water_per_lipid: 40}}
"""
# Few points, so that the sources are most of the memory.
MAP = ("--spacing=0.3", "--backend=cpu")
IONS = ("--add=NA:4,CL:4", "--spacing=0.5", "--backend=cpu")
FREE = ("--free", "--from=0.1", *IONS)
COMMANDS = {"build": lambda system, file: ("build", f"{system}.build.yaml", "-o", f"{file}.h5"),
            "copy": lambda system, file: ("build", f"{system}.copy.yaml", "-o", "copy.h5"),
            "convert": lambda system, file: ("convert", f"{system}.h5", "-o", f"{file}.xtc"),
            "export": lambda system, file: ("export", f"{system}.h5", f"--gro={file}.gro"),
            "back": lambda system, file: ("convert", f"{system}1.gro", f"--state={system}.h5", "-o", f"{file}.back.h5"),
            "map": lambda system, file: ("map", f"{system}.h5", "-o", f"{file}.map.h5", *MAP),
            "ions": lambda system, file: ("ions", f"{system}.h5", "-o", f"{file}.ions.h5", *IONS),
            "free": lambda system, file: ("ions", f"{system}.h5", "-o", f"{file}.free.h5", *FREE)}


def peak(name, system, ranks):
    """Of the largest rank, or of the largest but rank 0, MB."""
    largest = memory.peak(a, name, ranks, *COMMANDS[name](system, f"{system}{ranks}"))
    if name != "copy" or ranks == 1:
        return largest
    return max(float((a.output / f"{name}.{rank}.peak").read_text()) for rank in range(1, ranks))


with open(shutil.which(LAMELLA) or LAMELLA, "rb") as program:
    if b"__asan_init" in program.read():
        skip("a sanitizer holds memory of its own")
checks = Checks()
with tempfile.TemporaryDirectory(prefix="test_memory.") as folder:
    a = argparse.Namespace(output=pathlib.Path(folder), copies=COPIES)
    memory.prepare(a, BASE)
    for system in memory.LEAST, "large":
        (a.output / f"{system}.copy.yaml").write_text(f"{{state: {system}.h5, replicate: [2, 1, 1]}}\n")
    for name in COMMANDS:
        small, large = ({ranks: peak(name, system, ranks) for ranks in (1, 4)} for system in (memory.LEAST, "large"))
        share = 4 * (large[4] - small[4]) / (large[1] - small[1])
        print(f"{name}: share {share:.2f}; one rank {large[1]:.0f} MB, largest of four {large[4]:.0f}")
        checks.true(f"{name}: share of the largest rank", share <= MOST, share, small, large)
    for suffix in "xtc", "gro":
        one, four = (os.path.join(folder, f"large{ranks}.{suffix}") for ranks in (1, 4))
        checks.true(f"{suffix} of four ranks is that of one", filecmp.cmp(one, four, shallow=False))
checks.end()
