"""Broken and foreign files given to the reader of state files, on 1 and 3 ranks: one clear message
that names the file, status 4, no crash and no hang."""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

folder = os.path.join(os.environ["top_builddir"], "tests", "mpi")
reader = os.path.join(folder, "test_mpi_state")
writer = os.path.join(folder, "test_mpi_trajectory")
if not os.path.exists(reader):
    print("skipped: no", reader)
    sys.exit(77)
mpiexec = (os.environ.get("MPIEXEC") or "mpiexec").split()
work = tempfile.mkdtemp(prefix="test_state_faults.")
os.chdir(work)
failures = 0


def run(ranks, *command):
    start = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run([*start, *command], timeout=60, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def expect(name, says, status=4, ranks=(1, 3)):
    global failures
    for n in ranks:
        done = run(n, reader, "read", name)
        ours = [line for line in done.stdout.splitlines() if line.startswith("lamella: ")]
        good = done.returncode == status and len(ours) == 1 and says in ours[0] and name in ours[0]
        if not good:
            failures += 1
            print("%s on %d ranks: status %d, not %d; wanted %r in\n%s" %
                  (name, n, done.returncode, status, says, done.stdout))


def changed(name, change):
    shutil.copy("good.h5", name)
    with h5py.File(name, "r+") as file:
        change(file)


def put(dataset, at, value):
    def change(file):
        file[dataset][at] = value
    return change


def replace(dataset, **keywords):
    def change(file):
        del file[dataset]
        file.create_dataset(dataset, **keywords)
    return change


assert run(1, reader, "write", "good.h5").returncode == 0
assert run(3, reader, "read", "good.h5").returncode == 0
assert run(1, reader, "read", "good.h5").returncode == 0
data = open("good.h5", "rb").read()

for k in range(1, 12):
    open("short.h5", "wb").write(data[: len(data) * k // 12])
    expect("short.h5", "truncated", ranks=(1, 3) if k == 6 else (1,))
open("empty.h5", "wb").close()
expect("empty.h5", "empty")
open("text.h5", "w").write("not HDF5 " * 1000)
expect("text.h5", "not an HDF5 file")
expect("nowhere.h5", "No such file")
os.mkdir("folder.h5")
expect("folder.h5", "not a file", ranks=(1,))
with h5py.File("foreign.h5", "w") as file:
    file["temperature"] = np.arange(10.0)
expect("foreign.h5", "no state file of lamella")
with h5py.File("trajectory.h5", "w") as file:
    file.create_group("h5md")
expect("trajectory.h5", "H5MD trajectory")

with h5py.File("good.h5", "r") as file:
    where = file["beads/momentum"].id.get_chunk_info(0).byte_offset
    n = len(file["beads/type"])
flipped = bytearray(data)
flipped[where + 100] ^= 4
open("flipped.h5", "wb").write(flipped)
expect("flipped.h5", "beads/momentum cannot be read: the file is damaged")

changed("future.h5", lambda f: f.attrs.modify("format_version", np.int32(99)))
expect("future.h5", "version is 99", ranks=(1,))
changed("unfinished.h5", lambda f: f.attrs.__delitem__("complete"))
expect("unfinished.h5", "not written to its end")
for dataset in ("beads/position", "beads/kind", "system/box", "topology/term_role",
                "forcefield/text"):
    changed("missing.h5", lambda f: f.__delitem__(dataset))
    expect("missing.h5", "dataset %s is missing" % dataset, ranks=(1,))
changed("missing.h5", lambda f: f.__delitem__("beads"))
expect("missing.h5", "is missing")
changed("dims.h5", replace("beads/momentum", data=np.zeros((n - 1, 3))))
expect("dims.h5", "beads/momentum has %d rows, not %d" % (n - 1, n))
changed("dims.h5", replace("beads/momentum", data=np.zeros((n, 4))))
expect("dims.h5", "has 4 components, not 3", ranks=(1,))
changed("dims.h5", replace("beads/momentum", data=np.zeros(3 * n)))
expect("dims.h5", "has 1 dimensions, not 2", ranks=(1,))
changed("dims.h5", replace("beads/momentum", data=np.zeros((n, 3), dtype="f4")))
expect("dims.h5", "does not hold little-endian double numbers", ranks=(1,))
changed("dims.h5", replace("beads/type", data=np.array([b"x"] * n)))
expect("dims.h5", "beads/type does not hold", ranks=(1,))
changed("huge.h5", replace("beads/position", shape=(1 << 50, 3), dtype="i4", chunks=(1 << 20, 3)))
expect("huge.h5", "claims 1125899906842624 rows")
changed("huge.h5", replace("system/n_beads", data=np.array([1 << 60])))
expect("huge.h5", "rows, not 1152921504606846976", ranks=(1,))
changed("huge.h5", replace("system/n_beads", data=np.array([0])))
expect("huge.h5", "claims to hold 0 beads", ranks=(1,))
changed("link.h5", lambda f: (f.__delitem__("beads"), f.__setitem__(
    "beads", h5py.ExternalLink("good.h5", "/beads"))))
expect("link.h5", "is missing", ranks=(1,))

changed("value.h5", put("beads/type", n - 1, 1000))
expect("value.h5", "bead %d has type 1000" % n)
changed("value.h5", put("beads/slot", 2, 100000))
expect("value.h5", "bead 3 has slot 100000", ranks=(1,))
changed("value.h5", put("beads/slot", n - 1, 0))
expect("value.h5", "bead %d is bonded to a bead that does not exist" % n)
changed("value.h5", put("beads/kind", 4, -2))
expect("value.h5", "bead 5 has molecule", ranks=(1,))
changed("value.h5", put("beads/momentum", (7, 1), np.nan))
expect("value.h5", "bead 8 has a momentum that is not a number")
changed("value.h5", put("beads/orientation", (n // 2, 0), 3.0))
expect("value.h5", "bead %d has an orientation of length" % (n // 2 + 1))
changed("value.h5", put("system/box", 1, -6.0))
expect("value.h5", "box edge y is -6 nm")
changed("value.h5", put("system/box", 2, np.inf))
expect("value.h5", "box edge z is inf nm", ranks=(1,))
changed("value.h5", put("system/time", 0, np.nan))
expect("value.h5", "its time is", ranks=(1,))
changed("value.h5", put("topology/term_start", 1, 1 << 30))
expect("value.h5", "topology/term_start does not lead", ranks=(1,))
changed("value.h5", put("topology/term_type", 0, 77))
expect("value.h5", "type 77", ranks=(1,))

# Writing where it cannot work: nothing is left behind.
before = set(os.listdir("."))
done = run(3, reader, "write", "no/such/folder/x.h5")
assert done.returncode == 4 and "No such file or directory" in done.stdout, done.stdout
os.symlink("good.h5", "linked.h5.tmp")
done = run(1, reader, "write", "linked.h5")
assert done.returncode == 4 and "linked.h5.tmp" in done.stdout, done.stdout
assert open("good.h5", "rb").read() == data
os.unlink("linked.h5.tmp")
assert set(os.listdir(".")) == before

# A second job on the same prefix, and a trajectory of another system.
assert run(2, writer, "write", "x").returncode == 0
first = subprocess.Popen([writer, "continue", "x", "20", "5"])
while not os.path.exists("x.lock"):
    assert first.poll() is None
for n in (1, 3):
    done = run(n, writer, "continue", "x", "20", "5")
    assert done.returncode == 4 and "another job" in done.stdout, done.stdout
open("go", "w").close()
assert first.wait() == 0 and not os.path.exists("x.lock")
with h5py.File("x.h5md", "r") as file:
    assert list(file["particles/trajectory/position/step"]) == [0, 20]
for n in (1, 3):
    done = run(n, writer, "continue", "x", "20", "4")
    assert done.returncode == 4 and "another system" in done.stdout, done.stdout
for n, aside in (1, "x.h5md.damaged"), (3, "x.h5md.damaged2"):
    open("x.h5md", "r+b").truncate(1000)
    done = run(n, writer, "continue", "x", "20", "5")
    assert done.returncode == 0 and "truncated" in done.stdout, done.stdout
    assert os.path.getsize(aside) == 1000
    with h5py.File("x.h5md", "r") as file:
        assert list(file["particles/trajectory/position/step"]) == []

shutil.rmtree(work)
sys.exit(1 if failures else 0)
