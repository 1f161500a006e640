"""A kill before or after each single call that changes a file (rename, unlink, write, truncate, sync),
in a fresh start, a continuation, a start on old files and the repair of a cut trajectory: the same
command ends as if there had been none, and no old file is lost. The same with calls that fail (EIO,
ENOSPC), with calls that fail on one of two ranks, and with checkpoints that cannot be read (EIO).
Semaphores that a killed process has left locked hold up no run."""
import ctypes
import errno
import os
import shutil
import subprocess

import attack
from attack import h5py
from run_lamella import ELBA_DATA

a = attack.Attack("test_attack_calls", 20267)
STATE, PREV, FRAMES, TABLE = "x.checkpoint.h5", "x.checkpoint.h5.prev", "x.h5md", "x.csv"
TIMEOUT = 1  # s, parallel.timeout
HANG = 150   # s, longer than the limit of MPI_Finalize (mpi/comm/ranks.c)
source = os.path.join(os.path.dirname(attack.__file__), "attack_shim.c")
shim = a.path("shim.so")
made = subprocess.run([*os.environ.get("MPICC", "cc").split(), "-std=gnu11", "-O1", "-shared", "-fPIC",
                       "-o", shim, source, "-ldl"], capture_output=True, text=True)
if made.returncode:
    attack.skip("the shim does not compile here: " + made.stderr)


def shimmed(folder, *arguments, ranks=1, limit=200, command=("run", "run.yaml"), **settings):
    env = {"LD_PRELOAD": shim, "SHIM_FOLDER": os.path.realpath(folder),
           **{"SHIM_" + key.upper(): str(value) for key, value in settings.items()}}
    if attack.SANITIZED:
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    if ranks == 1:
        return attack.lamella(folder, *command, *arguments, env=env)
    words = ["env", *(f"{key}={value}" for key, value in env.items())]
    return attack.lamella(folder, *command, *arguments, ranks=ranks, prefix=words, limit=limit)


def calls(origin, **settings):
    """Their names in an undisturbed run."""
    folder = a.fresh("calls", origin)
    counter = a.path("names")
    attack.overwrite(counter, b"")
    done = shimmed(folder, count=counter, **settings)
    a.judge("an undisturbed run ends", done.status == 0, done)
    return attack.read(counter, "r").split()


def everything(folder):
    return {*attack.contents(folder).values()}


def frames(path):
    with h5py.File(path, "r") as file:
        group = file["particles/trajectory"]
        return {int(step): group["position/value"][k].tobytes()
                for k, step in enumerate(group["position/step"][:])}


def goes_on(what, folder, old, cut):
    """The same command once more, undisturbed."""
    done = attack.lamella(folder, "run", "run.yaml")
    if not a.judge(f"{what}: goes on", done.status == 0, done):
        return
    for end in (STATE,) if cut else (STATE, FRAMES):
        differ = attack.apart(os.path.join(folder, end), os.path.join(reference, end),
                              leave_out=attack.STORY)
        a.judge(f"{what}: the same {end}", not differ, differ[:4])
    if cut:
        now = frames(os.path.join(folder, FRAMES))
        lost = [s for s in cut if now.get(s) != cut[s]]
        a.judge(f"{what}: no frame that could be read is lost", not lost, lost,
                sorted(os.listdir(folder)))
    tables = [attack.read(os.path.join(f, TABLE)) for f in (folder, reference)]
    a.judge(f"{what}: the same energies", tables[0] == tables[1], len(tables[0]), len(tables[1]))
    missing = [name for name, content in old.items() if content not in everything(folder)]
    a.judge(f"{what}: old files are there", not missing, missing, sorted(os.listdir(folder)))
    left = [name for name in os.listdir(folder) if name.endswith((".tmp", ".lock"))]
    a.judge(f"{what}: nothing is left over", not left, left)


def sample(names, wanted):
    """Which calls, from 1: half of them, where there are so many, are no writes."""
    every = range(1, len(names) + 1)
    rare = [k for k in every if not names[k - 1].startswith(("write", "pwrite"))]
    first = a.random.sample(rare, min(len(rare), (wanted + 1) // 2))
    rest = [k for k in every if k not in first]
    return sorted(first + a.random.sample(rest, min(len(rest), wanted - len(first))))


def whole(what, folder):
    """The checkpoints that are there."""
    for state in (STATE, PREV):
        path = os.path.join(folder, state)
        if os.path.exists(path):
            values = attack.values(path)
            a.judge(f"{what}: {state} is whole", "@complete" in values, list(values)[:3])


def struck(name, origin, few, many, old=(), cut=None):
    names, wanted = calls(origin), attack.count(few, many)
    number = len(names)
    before = {n: c for n, c in attack.contents(origin).items() if n in old}
    picked = [(at, a.random.choice(("before", "after"))) for at in sample(names, wanted)]
    failing = [(at, a.random.choice((errno.EIO, errno.ENOSPC)))
               for at in sample(names, wanted // 2)]

    def prepare(k):
        at, do = (picked + failing)[k]
        return a.fresh(f"{name}{k}", origin), at, do

    def judge(case, done):
        folder, at, do = case
        what = f"{name}: call {at} of {number} ({names[at - 1]}), {do}"
        if isinstance(do, str):
            a.judge(f"{what}: it is killed", done.status not in attack.STATUSES, done)
            a.count(f"{name}: kills at a call")
        else:
            a.judge(f"{what}: status 0, 2 or 4", done.status in (0, 2, 4), done)
            a.count(f"{name}: calls that fail, status {done.status}")
        whole(what, folder)
        goes_on(what, folder, before, cut)
        shutil.rmtree(folder)

    attack.in_batches(len(picked) + len(failing), prepare,
                      lambda case: shimmed(case[0], at=case[1], do=case[2]), judge)


def struck_one_of_two(name, origin, few):
    """Calls that fail on one of two ranks; no rank waits for the other for ever. long: every call."""
    names = [calls(origin, ranks=2, rank=rank) for rank in (0, 1)]
    every = [(rank, at) for rank in (0, 1) for at in range(1, len(names[rank]) + 1)]
    if not attack.LONG:
        every = [(rank, at) for rank in (0, 1)
                 for at in sample(names[rank], attack.count(few, few) // 2)]
    steps = {*frames(os.path.join(origin, FRAMES))} if os.path.exists(
        os.path.join(origin, FRAMES)) else set()

    def prepare(k):
        kind = ("always", errno.EIO), ("once", errno.EDQUOT), ("once", errno.EIO), ("once", "short")
        return a.fresh(f"{name}{k}", origin), *every[k], *kind[k % 4]

    def work(case):
        folder, rank, at, often, do = case
        more = {"always": 1} if often == "always" else {}
        return shimmed(folder, "-s", f"parallel.timeout={TIMEOUT}", ranks=2, limit=HANG, rank=rank,
                       at=at, do=do, **more)

    def judge(case, done):
        folder, rank, at, often, do = case
        call = names[rank][at - 1]
        what = f"{name}: call {at} ({call}) of rank {rank} alone, {often} {do}"
        good = {4, 5} if call.startswith("pwrite") and do != "short" else {0, 2, 4, 5}
        a.judge(f"{what}: status {good}", done.status in good, done)
        a.judge(f"{what}: file and rank are said", done.status != 4 or "x." in done.err and
                f"rank {rank}" in done.err, done)
        a.count(f"{name}: calls that fail on one of two ranks, status {done.status}")
        whole(what, folder)
        goes_on(what, folder, {}, None)
        after = {*frames(os.path.join(folder, FRAMES))}
        a.judge(f"{what}: no frame is lost", steps <= after, steps - after)
        shutil.rmtree(folder)

    attack.in_batches(len(every), prepare, work, judge)


def left_semaphores():
    """Those of MPI-IO (sharedfp/sm), locked as a process that is killed leaves them."""
    folder = a.fresh("semaphores", new)
    library = ctypes.CDLL(None, use_errno=True)
    library.sem_open.restype = ctypes.c_void_p
    names = [b"/OMPIO_" + name.encode() for name in (FRAMES, STATE + ".tmp")]
    for name in names:
        library.sem_unlink(name)
        locked = library.sem_open(name, os.O_CREAT, ctypes.c_uint(0o644), ctypes.c_uint(0))
        if locked is None:
            return a.count("no semaphores here")
    before = {*os.listdir("/dev/shm")}
    done = attack.lamella(folder, "run", "run.yaml", ranks=2, limit=HANG)
    a.judge("semaphores that were left locked: status 0", done.status == 0, done)
    after = {*os.listdir("/dev/shm")}
    a.judge("and no more are left", not [n for n in after - before if "OMPIO" in n], after - before)
    strange = [n for n in os.listdir(folder) if not n.startswith("x.") or ".lock" in n or ".data" in n]
    a.judge("nor other files of MPI-IO", strange in ([], ["run.yaml"]), strange)
    for name in names:
        library.sem_unlink(name)
    return a.count("semaphores left locked")


def run_file(folder, steps):
    a.write(os.path.join(folder, "run.yaml"), attack.RUN.format(
        input=start, steps=steps, prefix="x", frames=4, energies=3, checkpoints=5))


def unreadable():
    """EIO at checkpoints: one is fallen back from or ends the run, both end it."""
    for files in (STATE,), (STATE, PREV):
        for ranks in (1, 2):
            folder = a.fresh("eio", stopped)
            before = attack.contents(folder, ("x.log",))
            done = shimmed(folder, ranks=ranks, reads=1, at=1, do=errno.EIO, always=1, file=files[0],
                           other=files[-1])
            what = f"EIO at {' and '.join(files)} on {ranks} ranks"
            a.count("checkpoints that cannot be read (EIO)")
            if done.status == 0 and len(files) == 1:
                a.judge(f"{what}: falls back", ".prev" in done.err, done)
                continue
            a.judge(f"{what}: status 4", done.status == 4, done)
            a.judge(f"{what}: says it", all(name in done.err for name in files), done)
            touched = attack.touched(before, attack.contents(folder, ("x.log",)))
            a.judge(f"{what}: nothing is touched", not touched, touched, done)


def results():
    """An analysis whose HDF5 file does not fit, or whose tables cannot take their names, leaves results
    of one analysis: the old ones."""
    words = ("analyze", "x.h5md", "-s", "observe=[{density: {bins: 8}}, {msd: {every: 4}}]")
    for what in "no room for the HDF5 file", "no name for the first file":
        folder = a.fresh("analysis", reference)
        first = attack.lamella(folder, *words, "--last=2")
        a.judge("an analysis ends", first.status == 0, first)
        before = attack.contents(folder)
        if what == "no room for the HDF5 file":  # for its last part
            file = "observables.h5.tmp"
            names = calls_of_analysis(folder, words, file=file)
            at = max(k for k, name in enumerate(names, 1) if "write" in name)
            done = shimmed(folder, command=words, at=at, do=errno.ENOSPC, always=1, file=file)
        else:  # the first rename, when all is written
            at = calls_of_analysis(folder, words).index("rename") + 1
            done = shimmed(folder, command=words, at=at, do=errno.EIO)
        a.judge(f"{what}: status 4", done.status == 4, done)
        touched = [n for n in attack.touched(before, attack.contents(folder))
                   if not n.endswith("h5.tmp")]  # its removal fails, too
        a.judge(f"{what}: nothing is touched", not touched, touched, done)
        a.judge(f"{what}: and again", attack.lamella(folder, *words).status == 0)
        a.count("analyses that fail")


def calls_of_analysis(folder, words, **settings):
    """Their names in an undisturbed analysis, in a copy of the folder."""
    counter = a.path("names")
    attack.overwrite(counter, b"")
    done = shimmed(a.fresh("probe_analysis", folder), command=words, count=counter, **settings)
    a.judge("an undisturbed analysis ends", done.status == 0, done)
    return attack.read(counter, "r").split()


LAMMPS = """two atoms

2 atoms
6 atom types
0 40 xlo xhi
0 40 ylo yhi
0 40 zlo zhi

Atoms

9 6 10.0 10.0 10.0 1 0 0 0 0 5.0 0.6417
5 6 30.0 30.0 30.0 1 0 0 0 0 5.0 0.6417
"""


def imports():
    """An import whose state does not fit leaves no table of ids, and can be repeated."""
    folder = a.fresh("import")
    a.write("import/two.data", LAMMPS)
    words = ("import", "two.data", *ELBA_DATA[:3], "-o", "two.h5", "--ids=ids.txt")
    done = shimmed(folder, command=words, at=1, do=errno.ENOSPC, always=1, file="two.h5.tmp")
    a.judge("no room for the state: status 4", done.status == 4, done)
    a.judge("no room for the state: no table", {*os.listdir(folder)} <= {"two.data", "two.h5.tmp"},
            os.listdir(folder))
    done = attack.lamella(folder, *words)
    a.judge("with room: the table", done.status == 0 and
            attack.read(os.path.join(folder, "ids.txt"), "r").split()[-4:] == ["1", "5", "2", "9"],
            done)


start = attack.build(a, "start", attack.MOLTEN)
reference, stopped, new, cut_off = (a.fresh(n) for n in ("reference", "stopped", "new", "cut_off"))
for folder, steps in (reference, 16), (stopped, 10), (new, 16):
    run_file(folder, steps)
for folder in reference, stopped:
    one = attack.lamella(folder, "run", "run.yaml")
    a.judge("the undisturbed run ends", one.status == 0, one)
run_file(stopped, 16)
shutil.rmtree(cut_off)
shutil.copytree(stopped, cut_off)
size = os.path.getsize(os.path.join(cut_off, FRAMES))
os.truncate(os.path.join(cut_off, FRAMES), size - 100)
probe = attack.lamella(a.fresh("probe", cut_off), "run", "run.yaml")
a.judge("the repair ends", probe.status == 0, probe)
saved = frames(a.path("probe", FRAMES))
old = a.fresh("old", stopped)
for name in (STATE, PREV):  # of another run, and without a checkpoint: a fresh start
    os.remove(os.path.join(old, name))
struck("fresh start", new, 6, 60)
struck("continuation", stopped, 8, 80)
struck("start on old files", old, 8, 80, old=(TABLE, FRAMES))
struck("repair", cut_off, 10, 80, old=(FRAMES,), cut=saved)
struck_one_of_two("two ranks", stopped, 10)
struck_one_of_two("two ranks, fresh start", new, 6)
left_semaphores()
unreadable()
results()
imports()
a.end()
