"""Damaged trajectories: every flipped bit that changes what h5py reads is reported by info, a frame
of 0xff is named, and a restart does not go on with a damaged or forbidden file. FLIPS: their
number."""
import hashlib
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from run_lamella import LAMELLA, MPIEXEC, Checks, skip

writer = os.path.join(os.environ["top_builddir"], "tests", "mpi", "test_mpi_trajectory")
if not os.path.exists(writer):
    skip("no " + writer)
GROUP = "particles/trajectory/"
checks = Checks()
work = tempfile.mkdtemp(prefix="test_trajectory_flips.")
os.chmod(work, 0o777)
os.chdir(work)


def add(digest, *what):
    for thing in what:
        digest.update(repr(thing).encode() + b";")


def contents(path):
    """A digest of everything that h5py gives: structure, types, attributes, values."""
    digest = hashlib.sha256()

    def visit(name, item):
        add(digest, name, type(item).__name__)
        for key in sorted(item.attrs):
            value = item.attrs[key]
            if isinstance(value, h5py.Reference):
                value = item.file[value].name
            value = np.asarray(value)
            add(digest, key, value.dtype, value.shape, value.tolist())
        if isinstance(item, h5py.Dataset):
            add(digest, item.dtype, item.shape, item.maxshape)
            digest.update(item[...].tobytes())
        else:
            for key in sorted(item):
                visit(name + "/" + key, item[key])

    with h5py.File(path, "r") as file:
        visit("", file)
    return digest.hexdigest()


def is_changed(path, wanted):
    """Does h5py see another file, or none? In a process of its own: it may crash."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            os._exit(contents(path) != wanted)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] != 0


def info(path):
    return subprocess.run([LAMELLA, "info", path], capture_output=True, text=True, timeout=60)


def carry_on(prefix, step, ranks=1, **how):
    start = [*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run([*start, writer, "continue", prefix, str(step), "5"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, **how)


def steps_of(path):
    with h5py.File(path, "r") as file:
        return list(file[GROUP + "position/step"])


def place_of(path, name, frame):
    """Where a small frame lies in the file, and its bytes."""
    with h5py.File(path, "r") as file:
        data = file[name if name.startswith("observables") else GROUP + name]
        row = int(np.prod(data.shape[1:])) * data.dtype.itemsize
        within = frame % data.chunks[0]
        chunk = data.id.get_chunk_info_by_coord((frame - within,) + (0,) * (data.ndim - 1))
        return chunk.byte_offset + within * row, row


def spoil(source, path, at, data):
    shutil.copy(source, path)
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def flips(path, count):
    """Half anywhere in the file, half where it is not all zeros around."""
    with open(path, "rb") as file:
        whole = file.read()
    used = [k for k in range(0, len(whole), 16) if any(whole[k:k + 16])]
    unused = changed = unnoticed = 0
    dice = random.Random(7)
    wanted = contents(path)
    assert not is_changed(path, wanted)
    for turn in range(count):
        at = dice.randrange(len(whole)) if turn % 2 else dice.choice(used) + dice.randrange(16)
        bit = dice.randrange(8)
        at = min(at, len(whole) - 1)
        spoil(path, "flip.h5md", at, bytes([whole[at] ^ 1 << bit]))
        status = info("flip.h5md").returncode
        if not is_changed("flip.h5md", wanted):
            unused += 1
            continue
        changed += 1
        if status != 4:
            unnoticed += 1
            print("bit %d of byte %d: status %d" % (bit, at, status))
    print(count, "flips:", changed, "change what is read,", unnoticed, "of them unnoticed,", unused,
          "in bytes that nobody reads")
    checks.true("flips are noticed", unnoticed == 0 and changed > count / 8, unnoticed, changed)


def indexed(path):
    """Siblings, and size, filters and place of chunks in their index (a B-tree of version 1), which
    versions of HDF5 read in different ways."""
    with open(path, "rb") as file:
        data = file.read()
    at, tried = data.find(b"TREE"), 0
    while at >= 0:
        kind, level, used = struct.unpack_from("<BBH", data, at + 4)
        if kind == 1 and level == 0 and used > 0:
            for offset in 9, 18, 24, 28, 37:
                spoil(path, "index.h5md", at + offset, bytes([data[at + offset] ^ 1]))
                told = info("index.h5md")
                checks.true(f"a flipped bit in the index of chunks at {at + offset}",
                            told.returncode == 4, told.stdout)
                tried += 1
        at = data.find(b"TREE", at + 4)
    checks.true("there are indices", tried > 10, tried)


def named(path):
    """The first bad frame and its element."""
    for name, says in (("position/value", "position"), ("image/value", "image"),
                       ("velocity/value", "velocity"), ("dipole/value", "dipole"),
                       ("quaternion/value", "quaternion"),
                       ("observables/area/value", "observables"),
                       ("observables/density/value", "observables"),
                       ("box/edges/value", "edges"), ("position/time", "time")):
        at, row = place_of(path, name, 1)
        spoil(path, "bad.h5md", at, b"\xff" * row)
        done = info("bad.h5md")
        checks.true("0xff in " + name, done.returncode == 4 and "frame 1" in done.stderr
                    and says in done.stderr, done.stderr)


def continued(path):
    """A restart sets a file aside whose last frame, or whose fixed parts, are damaged."""
    for ranks in 1, 3:
        for name, left in (("position/value", [0, 20]), ("quaternion/value", [0, 20]),
                           ("observables/area/value", [0, 20]),
                           ("position/time", [0, 20]), ("mass", [0, 20, 40])):
            prefix = "bad%d%s" % (ranks, name.replace("/", ""))
            file = prefix + ".h5md"
            if name == "mass":
                with h5py.File(path, "r") as whole:
                    at = whole[GROUP + name].id.get_chunk_info(0).byte_offset
                spoil(path, file, at, b"\xff")
            else:
                at, row = place_of(path, name, 2)
                spoil(path, file, at, b"\xff" * row)
            os.link(file, file + ".damaged")  # a job was killed before the rename
            done = carry_on(prefix, 40, ranks)
            checks.true("goes on beside " + file, done.returncode == 0
                        and "cannot be continued" in done.stdout, done.stdout)
            checks.true(file + " has the other frames", steps_of(file) == left, steps_of(file))
            checks.true(file + " is kept once", not os.path.exists(file + ".damaged2")
                        and not os.path.exists(file + ".new")
                        and info(file + ".damaged").returncode == 4)
            checks.true(file + " is whole", info(file).returncode == 0)


def without_sums(path):
    """A file without checksums, as versions before 0.1 wrote them, is set aside."""
    shutil.copy(path, "old.h5md")
    with h5py.File("old.h5md", "r+") as file:
        del file["parameters/lamella/checksums"]
    done = info("old.h5md")
    checks.true("old: is refused", done.returncode == 4 and "no checksums" in done.stderr, done.stderr)
    done = carry_on("old", 20)
    checks.true("old: is kept", done.returncode == 0 and "no checksums" in done.stdout
                and steps_of("old.h5md.damaged") == steps_of("good.h5md"), done.stdout)


def forbidden(path):
    """What the system does not give out is not damaged: nothing is touched."""
    def become_nobody():
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    os.mkdir("own")
    os.chmod("own", 0o777)
    shutil.copy(path, "own/x.h5md")
    if os.getuid() == 0:
        os.chown("own/x.h5md", 65534, 65534)
    os.environ["HOME"] = work
    try:
        able = subprocess.run([LAMELLA, "--version"], preexec_fn=become_nobody,
                              capture_output=True).returncode == 0
    except OSError:
        able = False
    if not able:
        print("another user cannot run the program: permissions are left out")
        return
    for mode, says in (0, "Permission denied"), (0o444, "Permission denied"):
        os.chmod("own/x.h5md", mode)
        done = carry_on("x", 40, preexec_fn=become_nobody, cwd="own")
        checks.true("mode %o: status 4" % mode, done.returncode == 4 and says in done.stdout,
                    done.returncode, done.stdout)
        checks.true("mode %o: untouched" % mode, sorted(set(os.listdir("own")) - {"go"}) ==
                    ["x.h5md"], os.listdir("own"))
    os.chmod("own/x.h5md", 0o644)
    checks.true("untouched", info("own/x.h5md").returncode == 0)


subprocess.run([*MPIEXEC, "-n", "2", writer, "write", "good"], check=True)
open("go", "w").close()
checks.true("whole", info("good.h5md").returncode == 0)
flips("good.h5md", int(os.environ.get("FLIPS", 60)))
indexed("good.h5md")
named("good.h5md")
continued("good.h5md")
without_sums("good.h5md")
forbidden("good.h5md")
shutil.rmtree(work)
checks.end()
