"""Damaged trajectories whose frames are compressed: whatever is flipped, zeroed or cut off, info, convert, analyze
and the Python module give what was written, or name the file and the frame; a run on any ranks goes on beside it."""
import hashlib
import os
import random
import shutil
import struct
import sys
import tempfile

try:
    import h5py
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

import trial
from run_lamella import Checks, run

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
import lamella  # noqa: E402

GROUP = "particles/trajectory/"
ELEMENTS = ("position", "image", "velocity", "dipole")
KEY_BYTES = 40  # of a chunk in its index: bytes, mask of filters, place; the address follows
checks = Checks()
dice = random.Random(11)
holder = tempfile.TemporaryDirectory(prefix="test_damaged_frames.")
os.chdir(holder.name)
settings = {"input": trial.membrane(holder.name, copies=2), "run.dt": 0.005, "run.steps": 20,
            "output.checkpoint_every": 20, "output.frames_every": 10, "output.velocities": 1,
            "output.frames_precision": 0.001}


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def entry(element, frame):
    """Where the index has the chunk of a frame's y components, and the chunk."""
    with h5py.File("x.h5md", "r") as file:
        chunk = file[GROUP + element + "/value"].id.get_chunk_info_by_coord((frame, 0, 1))
    address = struct.pack("<Q", chunk.byte_offset)
    at = sound.find(address) - KEY_BYTES
    while struct.unpack_from("<II4Q", sound, at) != (chunk.size, 0, frame, 0, 1, 0):
        at = sound.find(address, at + KEY_BYTES + 1) - KEY_BYTES
    return at, chunk


def spoil(at, data):
    write("bad.h5md", sound[:at] + data + sound[at + len(data):])


def flip(at, bit):
    spoil(at, bytes([sound[at] ^ 1 << bit]))


def convert(name, *options, status=None):
    if os.path.exists("out.trr"):
        os.remove("out.trr")
    return run("convert", name, "-o", "out.trr", "--state=x.checkpoint.h5", "--positions=wrapped", *options,
               status=status)


def by_python(name):
    digest = hashlib.sha256()
    with lamella.Trajectory(name) as trajectory:
        for frame in trajectory:
            digest.update(repr((frame.step, frame.time)).encode() + frame.box.tobytes())
            for element in ELEMENTS:
                digest.update(getattr(frame, element).tobytes())
    return digest.hexdigest()


def judge(what, python=True):
    """Right numbers, or an error that names the file. HDF5 itself may fall over damaged groups: python=False."""
    info, done = run("info", "bad.h5md", status=None), convert("bad.h5md")
    right = read("out.trr") == frames if done.returncode == 0 else \
        done.returncode == 4 and "bad.h5md" in done.stderr
    checks.true(what + ": convert", right, done.returncode, done.stderr)
    checks.true(what + ": info", info.returncode in (done.returncode, 4), info.returncode, info.stderr)
    if not python:
        return
    try:
        checks.true(what + ": Python", by_python("bad.h5md") == seen)
    except lamella.Error as why:
        checks.true(what + ": Python names it", "bad.h5md" in str(why), why)


def anywhere():
    for _ in range(12):
        at, chunk = entry(dice.choice(ELEMENTS), dice.randrange(3))
        place, bit = at + dice.randrange(KEY_BYTES + 8), dice.randrange(8)
        flip(place, bit)
        judge(f"bit {bit} of byte {place}, {place - at} of the index of a chunk")
        place, bit = chunk.byte_offset + dice.randrange(chunk.size), dice.randrange(8)
        flip(place, bit)
        judge(f"bit {bit} of byte {place}, in a chunk")
    for _ in range(6):
        place = dice.randrange(len(sound)) // 512 * 512
        spoil(place, bytes(min(512, len(sound) - place)))
        judge(f"zeros from byte {place}", python=False)
        length = dice.randrange(len(sound))
        write("bad.h5md", sound[:length])
        judge(f"cut to {length} bytes", python=False)


def filters():
    """A chunk that has gone through no filter, as its index says, is shorter than HDF5 takes it to be."""
    for element in ELEMENTS:
        flip(entry(element, 1)[0] + 4, 1)
        run("info", "bad.h5md", status=4)
        said = [convert("bad.h5md", status=4).stderr,
                run("analyze", "bad.h5md", "-o", "a", "--state=x.checkpoint.h5", status=4).stderr]
        for text in said:
            checks.true("the index of " + element, f"frame 1 (counted from 0): the index of {GROUP}{element}"
                        in text and "--from" in text, text)
        with lamella.Trajectory("bad.h5md") as trajectory:
            try:
                checks.true("Python: not " + element, not len(getattr(trajectory[1], element)))
            except lamella.Error as why:
                checks.true("Python: " + element, "frame 1" in str(why) and element in str(why), why)
            checks.true("Python reads the other frames", len(getattr(trajectory[2], element)) == trajectory.n)
    left = [name for name in os.listdir() if name.endswith((".tmp", ".lock"))]
    checks.true("nothing is left", not left, left)
    convert("bad.h5md", "--from=0.1", status=0)


def steps():
    with h5py.File("x.h5md", "r") as file:
        at = file[GROUP + "position/step"].id.get_chunk_info(0).byte_offset
    flip(at + 8, 0)
    text = convert("bad.h5md", status=4).stderr
    checks.true("a step: the frame, once", text.count("frame 1") == 1 and "step" in text, text)
    judge("a step")
    spoil(at, struct.pack("<q", -2**63))
    text = convert("bad.h5md", status=4).stderr
    checks.true("a step before the start", "bad.h5md" in text and "frame 0 (counted from 0) has step -9" in text, text)
    spoil(at + 16, bytes(8))  # as a kill before the step leaves it
    said = convert("bad.h5md", status=0).stderr, run("analyze", "bad.h5md", "-o", "a",
                                                     "--state=x.checkpoint.h5").stderr
    checks.true("the last frame is not complete", all("is not complete" in text for text in said), said)
    with lamella.Trajectory("bad.h5md") as trajectory:
        checks.true("Python leaves it out", list(trajectory.steps) == [0, 10], trajectory.steps)


def compact():
    """A dataset that a damaged header puts inside itself: HDF5 1.10 may read past its end."""
    for layout, status in (h5py.h5d.CONTIGUOUS, 0), (h5py.h5d.COMPACT, 4):
        shutil.copy("x.checkpoint.h5", "bad.h5")
        with h5py.File("bad.h5", "r+") as file:
            made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            made.set_layout(layout)
            box = file["system/box"][:]
            del file["system/box"]
            h5py.h5d.create(file.id, b"system/box", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(box.shape), made)
            file["system/box"][:] = box
        text = run("info", "bad.h5", status=status).stderr
        checks.true("a compact dataset", status == 0 or "system/box" in text, text)


def spoilt(ranks):
    """Damages one frame: in the index, or in the data; its number."""
    frame = ranks - 1
    at, chunk = entry("position" if ranks < 3 else "velocity", frame)
    flip(chunk.byte_offset + chunk.size // 2 if ranks == 2 else at + 4, 1)
    return frame


def continued():
    """A job goes on in a new file with the frames that are whole, and says so, whichever frame is damaged. That
    of the checkpoint is written again."""
    for ranks in 1, 2, 3:
        frame = spoilt(ranks)
        shutil.copy("bad.h5md", "y.h5md")
        for end in ".checkpoint.h5", ".psf":
            shutil.copy("x" + end, "y" + end)
        said = trial.simulate(holder.name, "y", {**settings, "run.steps": 30, "output.frames_precision": 0},
                              restart="auto", ranks=ranks)
        checks.true(f"{ranks} ranks: says so", "cannot be continued" in said and "y.h5md.damaged" in said, said)
        with lamella.Trajectory("y.h5md") as new, lamella.Trajectory("x.h5md") as old:
            kept = [k for k in range(3) if k != frame or k == 2]
            checks.true(f"{ranks} ranks: frames", list(new.steps) == [10 * k for k in kept] + [30], new.steps)
            checks.true(f"{ranks} ranks: positions", all((new[j].position == old[k].position).all()
                                                         for j, k in enumerate(kept)))
        run("info", "y.h5md")
        for name in "y.h5md", "y.h5md.damaged":
            os.remove(name)


trial.simulate(holder.name, "x", settings)
sound = read("x.h5md")
convert("x.h5md", status=0)
frames, seen = read("out.trr"), by_python("x.h5md")
shutil.copy("x.psf", "bad.psf")
for part in anywhere, filters, steps, compact, continued:
    part()
checks.end()
