"""What the attacks share: random numbers that are printed, jobs that are watched, HDF5 files compared
value by value, and the judgement at the end. Each script is short; with the argument "long" (or
LAMELLA_ATTACK=long) it makes as many attacks as it can count."""
import collections
import concurrent.futures
import ctypes
import hashlib
import math
import os
import pickle
import queue
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from run_lamella import LAMELLA, MPIEXEC, skip

try:
    import h5py
    import numpy as np
except ImportError as missing:
    skip(missing)

LONG = "long" in sys.argv[1:] or os.environ.get("LAMELLA_ATTACK") == "long"
SANITIZED = b"__asan_init" in open(LAMELLA, "rb").read() if os.path.exists(LAMELLA) else False
STATUSES = {0, 2, 3, 4, 99}  # of the manual; everything else is a crash
MOLTEN = """
forcefield: lj
seed: 5
temperature: 240
lattice: {type: fcc, cells: [5, 4, 4], density: 0.8442}
"""
MEMBRANE = """
forcefield: elba
seed: 3
temperature: 303
bilayer:
  upper: {DOPC: 7, DMPC: 6}
  lower: {DOPE: 7, POPC: 6}
  water_per_lipid: 12
  area_per_lipid: 0.68
minimise: {max_steps: 60, force: 2000}
"""
# NPT with noise, so that every part of the state changes at every step.
RUN = """
input: {input}
neighbor: {{skin: 0.15}}
run: {{steps: {steps}, dt: 0.004, seed: 11}}
thermostat: {{type: langevin, temperature: 180, tau: 0.5}}
barostat: {{type: crescale, coupling: isotropic, pressure: 80, tau: 5.0, every: 2}}
output: {{prefix: {prefix}, frames_every: {frames}, velocities: 1, energies_every: {energies},
         checkpoint_every: {checkpoints}}}
"""


def count(short, long):
    """Of attacks; LAMELLA_COUNT overrules it."""
    return int(os.environ.get("LAMELLA_COUNT") or (long if LONG else short))


class Attack:
    """Counts what happened, keeps what went wrong, and ends the script."""

    def __init__(self, name, seed):
        self.seed = int(os.environ.get("LAMELLA_SEED") or seed)
        self.random = random.Random(self.seed)
        self.counts = collections.Counter()
        self.failures = 0
        self.holder = tempfile.TemporaryDirectory(prefix=name + ".")
        self.folder = self.holder.name
        self.name = name
        print(f"{name}: LAMELLA_SEED={self.seed}", flush=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def fresh(self, name, source=None):
        """An empty folder, or a copy of another."""
        path = self.path(name)
        shutil.rmtree(path, ignore_errors=True)
        if source:
            shutil.copytree(source, path, symlinks=True)
        else:
            os.makedirs(path)
        return path

    def count(self, what):
        self.counts[what] += 1

    def judge(self, what, good, *details):
        """One more check; the first failures are printed with their details."""
        self.counts["checks"] += 1
        if good:
            return True
        self.failures += 1
        if self.failures <= 300:
            shown = 1500 if self.failures <= 12 else 160
            print("FAILED:", what, *(str(d)[-shown:] for d in details), flush=True)
        return False

    def end(self):
        for what, number in sorted(self.counts.items()):
            print(f"{number:8d} {what}")
        print(f"{self.failures:8d} failed")
        sys.exit(1 if self.failures or not self.counts["checks"] else 0)


# Jobs

def limited(memory=0, file_size=0, without=(), then=None):
    """For preexec_fn: limits on memory and sizes of files in bytes, capabilities that go."""
    def set_limits():
        if memory and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if file_size is not None and file_size > 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        for capability in without:
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        if then:
            then()
    return set_limits


NOT_ROOT = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: permissions count for root, too


class Done:
    """How a command ended: status (negative: a signal; None: not in time), words, memory (bytes)."""

    def __init__(self, status, out, err, memory=0):
        self.status, self.out, self.err, self.memory = status, out, err, memory

    def crashed(self):
        return self.status not in STATUSES or "Sanitizer" in self.err or \
            "runtime error:" in self.err

    def __str__(self):
        return f"\n  status {self.status}\n  " + (self.out + self.err).replace("\n", "\n  ")


def _peak_memory(pid):
    """Of a process, bytes so far; 0 where it has ended. The ru_maxrss of a child counts the memory
    of the process that started it, too."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
    except OSError:
        return 0


def _wait(job, limit):
    """(status, largest memory in bytes); the whole session is killed after limit seconds."""
    ends, status, memory = time.monotonic() + limit, 0, 0
    while True:
        memory = max(memory, _peak_memory(job.pid))
        pid, code = os.waitpid(job.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > ends and status is not None:
            os.killpg(job.pid, signal.SIGKILL)
            status = None
        time.sleep(0.01)
    job.returncode = os.waitstatus_to_exitcode(code)
    return (job.returncode if status == 0 else None), memory


def lamella(folder, *arguments, ranks=1, limit=200, env=None, prefix=(), launched=False, stdout=None,
            **how):
    """Runs a command to its end, or kills it after limit seconds. prefix: words before it; launched:
    by mpiexec, also on one rank."""
    words = [*prefix, LAMELLA, *map(str, arguments)]
    if ranks > 1 or launched:
        words = [*MPIEXEC, "-n", str(ranks), *words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        job = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout or out,
                               stderr=err, start_new_session=True,
                               env={**os.environ, **(env or {})}, **how)
        status, memory = _wait(job, limit * (5 if SANITIZED else 1))
        text = []
        for file in (out, err):
            file.seek(0)
            text.append(file.read().decode(errors="replace"))
    return Done(status, *text, memory)


class Calls:
    """Calls of the program without its start: processes of tests/support/many_calls.c, one for each core."""

    def __init__(self, seconds):
        self.seconds = seconds * (5 if SANITIZED else 1)
        self.free = queue.SimpleQueue()

    def __enter__(self):
        for _ in range(os.cpu_count() or 1):
            self._start()
        return self

    def __exit__(self, *error):
        while not self.free.empty():
            server = self.free.get()
            server.stdin.close()
            server.wait()

    def _start(self):
        """With limits on memory and files: a system may be as large as a damaged file says."""
        program = os.path.join(os.path.dirname(LAMELLA), "tests", "support", "many_calls")
        limits = ["prlimit", f"--fsize={256 << 20}", *([] if SANITIZED else [f"--as={3 << 30}"])]
        env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:soft_rss_limit_mb=2000"}
        self.free.put(subprocess.Popen([*limits, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       start_new_session=True, env=env))

    def run(self, folder, *words):
        """Runs a call in a folder to its end; one that sleeps for ever is killed."""
        server = self.free.get()
        server.stdin.write("\t".join((folder, str(self.seconds), *words)) + "\n")
        server.stdin.flush()
        ended = select.select([server.stdout], [], [], 10 * self.seconds)[0]
        line = server.stdout.readline() if ended else ""
        status, memory = map(int, line.split()) if line else (None, 0)
        if line:
            self.free.put(server)
        else:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            self._start()
        text = []
        for ending in (".out", ".err"):
            with open(folder + ending, errors="replace") as file:
                text.append(file.read())
            os.unlink(folder + ending)
        return Done(-status + 128 if status and status > 128 else status, *text, memory * 1024)


def in_batches(number, prepare, work, judge):
    """judge(case, work(case)) for each case of prepare(k); only work runs beside others."""
    cores = len(os.sched_getaffinity(0))
    size = 2 * cores
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        for first in range(0, number, size):
            cases = [prepare(k) for k in range(first, min(first + size, number))]
            for case, result in zip(cases, pool.map(work, cases)):
                judge(case, result)


def build(attack, name, spec):
    """A state file in the attack's folder."""
    source = attack.write(name + ".yaml", spec)
    done = lamella(attack.folder, "build", source, "-o", name + ".h5")
    if done.status != 0:
        print("no start:", done)
        sys.exit(1)
    return attack.path(name + ".h5")


# Files as a whole

def contents(folder, leave_out=()):
    """{name: what identifies the file's bytes}."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            short = os.path.relpath(path, folder)
            if short in leave_out:
                continue
            if os.path.islink(path):
                found[short] = "-> " + os.readlink(path)
            else:
                with open(path, "rb") as file:
                    found[short] = hashlib.sha256(file.read()).hexdigest()
    return found


def touched(before, after):
    """Names that came, went or changed."""
    return sorted(n for n in {*before, *after} if before.get(n) != after.get(n))


def read(path, mode="rb"):
    with open(path, mode) as file:
        return file.read()


def overwrite(path, data, at=None):
    """The whole file, or bytes in place."""
    with open(path, "wb" if at is None else "r+b") as file:
        if at is not None:
            file.seek(at)
        file.write(data)


def flip(path, rng):
    """Flips one random bit; (byte, bit)."""
    data = bytearray(read(path))
    byte, bit = rng.randrange(len(data)), rng.randrange(8)
    data[byte] ^= 1 << bit
    overwrite(path, bytes(data))
    return byte, bit


# HDF5 files value by value

READ_MOST = 1 << 28  # bytes of a dataset; what a damaged file claims may be anything

def _number_type(dtype):
    text = h5py.check_string_dtype(dtype)
    return repr(dtype) if text is None else f"{dtype!r} {text.encoding} {text.length}"


def _plain(value, file):
    if isinstance(value, h5py.Reference):
        return file[value].name if value else "null reference"
    if isinstance(value, h5py.Empty):
        return "empty"
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return value.shape, [_plain(one, file) for one in value.ravel()]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return repr(value)


def _attributes(name, item, file, found):
    for key in item.attrs:
        try:
            of = item.attrs.get_id(key)
            found[f"{name}@{key}"] = (_number_type(of.dtype), of.shape,
                                      _plain(item.attrs[key], file))
        except Exception as error:
            found[f"{name}@{key}"] = "unreadable: " + type(error).__name__


def _walk(name, group, file, found, seen):
    for key in group:
        below = f"{name}/{key}"
        try:
            link = group.get(key, getlink=True)
            if not isinstance(link, h5py.HardLink):
                found[below + " (link)"] = (type(link).__name__, getattr(link, "path", ""),
                                            getattr(link, "filename", ""))
                continue
            item = group[key]
            _attributes(below, item, file, found)
            if isinstance(item, h5py.Group):
                found[below] = "group"
                if item.id not in seen:
                    _walk(below, item, file, found, seen + [item.id])
            elif isinstance(item, h5py.Dataset):
                small = math.prod(item.shape or (0,)) * item.dtype.itemsize <= READ_MOST
                found[below] = (_number_type(item.dtype), item.shape,
                                _plain(item[()], file) if small else "not read")
            else:
                found[below] = type(item).__name__
        except Exception as error:
            found[below] = "unreadable: " + type(error).__name__


def _values_here(path):
    found = {}
    with h5py.File(path, "r") as file:
        _attributes("", file, file, found)
        _walk("", file, file, found, [file.id])
    return found


_values_of = {}  # what was read before: by the bytes of the file


def values(path):
    """Everything that a reader gets: {object or object@attribute: type, shape, value}. Files with the same
    bytes are read once, unless they say more than their bytes, by links to other files."""
    key = hashlib.sha256(read(path)).digest() if os.path.isfile(path) else None
    if key in _values_of:
        return _values_of[key]
    found = _read_by_child(path)
    if key and len(_values_of) < 400 and not any(" (link)" in name for name in found):
        _values_of[key] = found
    return found


def _read_by_child(path):
    """A child with limits, since damaged files make readers crash, hang or fill the memory."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(out)
            signal.alarm(30)
            with open("/proc/self/statm") as file:
                room = int(file.read().split()[0]) * 4096 + (2 << 30)
            resource.setrlimit(resource.RLIMIT_AS, (room, room))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                found = _values_here(path)
            except Exception as error:
                found = {"": "unreadable: " + type(error).__name__}
            with os.fdopen(into, "wb") as file:
                pickle.dump(found, file)
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    try:
        return pickle.loads(data)
    except Exception:
        return {"": "unreadable: crash"}


def apart(first, second, leave_out=()):
    """Names of values that differ between two files (or results of values())."""
    a, b = (one if isinstance(one, dict) else values(one) for one in (first, second))
    return sorted(name for name in {*a, *b}
                  if a.get(name) != b.get(name) and not name.startswith(tuple(leave_out)))


# Of a state file, what says how it came about, not what it is.
STORY = ("/run", "@program", "@git", "@kernel", "/history")


def same_run(attack, what, folder, other, prefix, frames=True):
    """The final state, trajectory and energies of two runs are equal; the number of mistakes."""
    wrong = 0
    for end in (".checkpoint.h5", ".h5md") if frames else (".checkpoint.h5",):
        names = [os.path.join(f, prefix + end) for f in (folder, other)]
        if not attack.judge(f"{what}: {end} is there", os.path.exists(names[0])):
            wrong += 1
            continue
        differ = apart(*names, leave_out=STORY)
        wrong += not attack.judge(f"{what}: the same {end}", not differ, differ[:8])
    texts = [read(os.path.join(f, prefix + ".csv"), "r") if
             os.path.exists(os.path.join(f, prefix + ".csv")) else "" for f in (folder, other)]
    wrong += not attack.judge(f"{what}: the same energies", texts[0] == texts[1],
                              len(texts[0]), len(texts[1]))
    return wrong
